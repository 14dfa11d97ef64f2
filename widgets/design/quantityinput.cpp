#include "widgets/design/quantityinput.h"

#include "widgets/base/showntexts.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include <array>
#include <charconv>
#include <cmath>

namespace fabricscope::quantitytext {

namespace {

const QChar kThin(0x202F);

std::string shortest(double value)
{
    std::array<char, 400> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
    return error == std::errc{} ? std::string(buffer.data(), end) : std::string("0");
}

} // namespace

int decimals(double value)
{
    const std::string text = shortest(value);
    const std::size_t point = text.find('.');
    return point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
}

QString number(double value, int least)
{
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    return locale.toString(value, 'f', std::max(least, decimals(value)));
}

QString unit(const Quantity& quantity)
{
    QString text = QString::fromStdString(quantity.unit.text());
    if (quantity.measure == Measure::Time && text == QLatin1String("us"))
        text = QString(QChar(0xB5)) + QLatin1Char('s');
    return text;
}

QString text(const Quantity& quantity)
{
    const QString name = unit(quantity);
    return name.isEmpty() ? number(quantity.value) : number(quantity.value) + kThin + name;
}

QString example(Measure measure)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("fabricscope::quantitytext", text); };
    switch (measure) {
    case Measure::Time: return tr("Enter a time such as 2.5 us");
    case Measure::Size: return tr("Enter a size such as 64 MiB");
    case Measure::Bandwidth: return tr("Enter a rate such as 50 GB/s");
    case Measure::Operations: return tr("Enter operations such as 2 TFLOP");
    case Measure::ComputeRate: return tr("Enter a rate such as 989 TFLOP/s");
    case Measure::Count: return tr("Enter a number");
    }
    return {};
}

Result<Quantity> parse(const QString& typed, Measure measure, const std::string& defaultUnit)
{
    QString plain = typed.trimmed();
    plain.replace(QChar(0xB5), QLatin1Char('u')).replace(QChar(0x3BC), QLatin1Char('u'));
    plain.replace(kThin, QLatin1Char(' ')).replace(QChar(0xA0), QLatin1Char(' '));
    const QString mark = QLocale().decimalPoint();
    if (mark != QLatin1String(".") && plain.count(mark) == 1 && !plain.contains(QLatin1Char('.')))
        plain.replace(mark, QLatin1String("."));
    qsizetype digits = 0;
    while (digits < plain.size() && (plain[digits].isDigit() || plain[digits] == QLatin1Char('.') || plain[digits] == QLatin1Char(' ')))
        ++digits;
    if (const auto power = QRegularExpression(QStringLiteral("^[eE][+-]?[0-9]+")).match(plain.mid(digits)); digits > 0 && power.hasMatch())
        digits += power.capturedLength();
    // "1 408 GB/s": groups of three as the program itself shows them.
    const QString head = plain.left(digits).remove(QLatin1Char(' '));
    const QString tail = plain.mid(digits).trimmed();
    std::string text = (tail.isEmpty() ? head : head + QLatin1Char(' ') + tail).toStdString();
    if (tail.isEmpty() && !head.isEmpty() && measure != Measure::Count)
        text += " " + defaultUnit;
    return parseQuantity(text, measure);
}

QString refusal(const QString& typed, Measure measure, const std::string& defaultUnit)
{
    const Result<Quantity> read = parse(typed, measure, defaultUnit);
    if (read)
        return {};
    // A mark of another language is what people write most.
    static const QRegularExpression kComma(QStringLiteral("^\\s*([0-9]+),([0-9]+)(?![0-9,])"));
    const QString mark = QLocale().decimalPoint();
    if (const auto comma = kComma.match(typed); comma.hasMatch() && mark == QLatin1String("."))
        return QCoreApplication::translate("Quantity", "Write %1.%2 with a point").arg(comma.captured(1), comma.captured(2)) + QStringLiteral(". ") + example(measure);
    return typed.trimmed().isEmpty() ? example(measure) : texts::shown(read.error().message) + QStringLiteral(". ") + example(measure);
}

Quantity inUnit(const Quantity& quantity, const std::string& target)
{
    if (quantity.unit == target)
        return quantity;
    const Quantity one{1, target, quantity.measure};
    const double value = quantity.base() / one.base();
    std::array<char, 64> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 12);
    double rounded = value;
    if (error == std::errc{})
        std::from_chars(buffer.data(), end, rounded);
    return {rounded, target, quantity.measure};
}

} // namespace fabricscope::quantitytext
