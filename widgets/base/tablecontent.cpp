#include "widgets/base/tablecontent.h"

#include "core/base/units.h"
#include "widgets/base/texts.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

/// What `name` of texts::timeUnit stands for.
double psOfUnit(const QString& name)
{
    constexpr std::array<double, 5> kUnits{1e12, 1e9, 1e6, 1e3, 1};
    for (const double ps : kUnits)
        if (texts::timeUnit(SimTime{static_cast<std::int64_t>(ps)}) == name)
            return ps;
    return 1;
}

ColumnUnit fewestDecimals(ColumnUnit unit, const std::vector<double>& values)
{
    for (unit.decimals = 0; unit.decimals < 3; ++unit.decimals) {
        const double step = std::pow(10.0, unit.decimals);
        const bool exact = std::all_of(values.begin(), values.end(), [&](double value) {
            const double scaled = value / unit.divisor * step;
            return std::abs(scaled - std::round(scaled)) < 1e-6 * std::max(1.0, std::abs(scaled));
        });
        if (exact)
            break;
    }
    return unit;
}

ColumnUnit decimal(double largest, const char* suffix, int decimals)
{
    static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
    std::size_t step = 0;
    double divisor = 1;
    while (step + 1 < std::size(kPrefixes) && largest / divisor >= 999.95) {
        divisor *= 1000;
        ++step;
    }
    return {QString::fromLatin1(kPrefixes[step]) + QString::fromLatin1(suffix), divisor, step == 0 ? 0 : decimals};
}

int rankOf(const TableValue& value)
{
    return std::holds_alternative<std::monostate>(value) ? 2 : std::holds_alternative<QString>(value) ? 1 : 0;
}

double numberOf(const TableValue& value)
{
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole ? static_cast<double>(*whole) : std::get<double>(value);
}

} // namespace

QString exportText(const TableValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return QString::number(*whole);
    if (const auto* real = std::get_if<double>(&value))
        return QLocale::c().toString(*real, 'g', QLocale::FloatingPointShortest);
    if (const auto* text = std::get_if<QString>(&value))
        return *text;
    return {};
}

int compare(const TableValue& a, const TableValue& b)
{
    if (rankOf(a) != rankOf(b))
        return rankOf(a) < rankOf(b) ? -1 : 1;
    const auto sign = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
    if (rankOf(a) == 2)
        return 0;
    if (rankOf(a) == 1)
        return QString::compare(std::get<QString>(a), std::get<QString>(b), Qt::CaseInsensitive);
    if (a.index() == 1 && b.index() == 1)
        return sign(std::get<std::int64_t>(a), std::get<std::int64_t>(b));
    return sign(numberOf(a), numberOf(b));
}

ColumnUnit ColumnUnit::ofTime(std::int64_t largestPs, int decimals)
{
    const QString name = texts::timeUnit(SimTime{largestPs});
    const double divisor = psOfUnit(name);
    return {name, divisor, divisor <= 1 ? 0 : decimals};
}

ColumnUnit ColumnUnit::ofBytes(std::int64_t largest, int decimals)
{
    return decimal(static_cast<double>(largest), "B", decimals);
}

ColumnUnit ColumnUnit::ofRates(const std::vector<double>& bytesPerSecond)
{
    const double largest = bytesPerSecond.empty() ? 0 : *std::max_element(bytesPerSecond.begin(), bytesPerSecond.end());
    return fewestDecimals(decimal(largest, "B/s", 0), bytesPerSecond);
}

ColumnUnit ColumnUnit::ofShortTimes(const std::vector<std::int64_t>& ps)
{
    const std::int64_t largest = ps.empty() ? 0 : *std::max_element(ps.begin(), ps.end());
    return fewestDecimals(ofTime(largest), {ps.begin(), ps.end()});
}

QString ColumnUnit::text(double value) const
{
    return texts::number(value / divisor, decimals);
}

} // namespace fabricscope
