#include "widgets/base/texts.h"

#include "core/base/quantity.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope::texts {

namespace {

const QChar kThin(0x202F);

struct TimeUnit {
    const char* name;
    double ps;
};
constexpr std::array<TimeUnit, 5> kTimeUnits{{{"s", 1e12}, {"ms", 1e9}, {"\xc2\xb5s", 1e6}, {"ns", 1e3}, {"ps", 1}}};

const TimeUnit& unitFor(SimTime time)
{
    const double ps = std::abs(static_cast<double>(time.ps));
    // 999.9995 of a unit would show as 1000.000: the next unit is taken a little before.
    for (const TimeUnit& unit : kTimeUnits)
        if (ps >= unit.ps * 0.9999995)
            return unit;
    return kTimeUnits.back();
}

QString withUnit(const QString& number, const char* unit)
{
    return number + kThin + QString::fromUtf8(unit);
}

QString scaledNumber(double value, const char* const* units, std::size_t count, int decimals)
{
    std::size_t unit = 0;
    while (unit + 1 < count && std::abs(value) >= 999.95) {
        value /= 1000;
        ++unit;
    }
    return withUnit(number(value, unit == 0 && value == std::floor(value) ? 0 : decimals), units[unit]);
}

} // namespace

QString number(double value, int decimals)
{
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    QString text = locale.toString(std::abs(value), 'f', decimals);
    qsizetype whole = 0;
    while (whole < text.size() && text[whole].isDigit())
        ++whole;
    for (qsizetype at = whole - 3; at > 0; at -= 3)
        text.insert(at, kThin);
    const bool isZero = std::none_of(text.begin(), text.end(), [](QChar one) { return one.digitValue() > 0; });
    return value < 0 && !isZero ? QChar(0x2212) + text : text;
}

QString count(std::int64_t value)
{
    QString text = QString::number(value < 0 ? -value : value);
    for (qsizetype at = text.size() - 3; at > 0; at -= 3)
        text.insert(at, kThin);
    return value < 0 ? QChar(0x2212) + text : text;
}

QString npus(std::int64_t value)
{
    return value == 1 ? QCoreApplication::translate("Count", "1 NPU") : QCoreApplication::translate("Count", "%1 NPUs").arg(count(value));
}

QString ranks(std::int64_t value)
{
    return value == 1 ? QCoreApplication::translate("Count", "1 rank") : QCoreApplication::translate("Count", "%1 ranks").arg(count(value));
}

QString switches(std::int64_t value)
{
    return value == 1 ? QCoreApplication::translate("Count", "1 switch") : QCoreApplication::translate("Count", "%1 switches").arg(count(value));
}

QString time(SimTime time, int decimals)
{
    return timeIn(time, time, decimals);
}

QString timeIn(SimTime time, SimTime scale, int decimals)
{
    const TimeUnit& unit = unitFor(scale);
    if (time.ps == 0)
        return withUnit(number(0, 0), scale.ps == 0 ? "s" : unit.name);
    return withUnit(number(static_cast<double>(time.ps) / unit.ps, unit.ps == 1 ? 0 : decimals), unit.name);
}

QString timeUnit(SimTime scale)
{
    return QString::fromUtf8(unitFor(scale).name);
}

QString bytes(std::int64_t bytes, int decimals)
{
    static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    return scaledNumber(static_cast<double>(bytes), kUnits, std::size(kUnits), decimals);
}

QString size(std::int64_t bytes)
{
    return QString::fromStdString(showBytes({bytes})).replace(QLatin1Char(' '), QChar(0x202F)).replace(QLatin1Char('.'), QLocale().decimalPoint());
}

QString rate(double bytesPerSecond, int decimals)
{
    static constexpr const char* kUnits[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
    return scaledNumber(bytesPerSecond, kUnits, std::size(kUnits), decimals);
}

QString percent(double share, int decimals)
{
    return withUnit(number(share * 100, decimals), "%");
}

QString activity(Activity activity)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("fabricscope::texts", text); };
    switch (activity) {
    case Activity::Compute: return tr("Compute");
    case Activity::Memory: return tr("Memory");
    case Activity::AllReduce: return tr("All-reduce");
    case Activity::AllGather: return tr("All-gather");
    case Activity::ReduceScatter: return tr("Reduce-scatter");
    case Activity::AllToAll: return tr("All-to-all");
    case Activity::SendReceive: return tr("Send and receive");
    case Activity::Broadcast: return tr("Broadcast and other");
    case Activity::Barrier: return tr("Barrier");
    case Activity::Waiting: return tr("Waiting");
    }
    return {};
}

} // namespace fabricscope::texts
