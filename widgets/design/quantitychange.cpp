#include "widgets/design/quantitychange.h"

#include "widgets/design/quantityinput.h"

#include <array>
#include <charconv>
#include <cmath>

namespace fabricscope::quantitytext {

namespace {

/// A number alone, as people write it; below zero is none.
std::optional<double> plainNumber(const QString& text)
{
    const Result<Quantity> read = parse(text, Measure::Count, {});
    return read ? std::optional<double>(read.value().value) : std::nullopt;
}

/// 50 * 1.1 is 55, not 55.00000000000001.
double toTwelveDigits(double value)
{
    std::array<char, 64> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 12);
    double rounded = value;
    if (error == std::errc{})
        std::from_chars(buffer.data(), end, rounded);
    return rounded;
}

} // namespace

std::optional<QuantityChange> parseChange(const QString& typed)
{
    const QString text = typed.trimmed();
    const QChar sign = text.isEmpty() ? QChar() : text.front();
    QString rest = text.mid(1).trimmed();
    if (rest.isEmpty())
        return std::nullopt;
    const bool minus = sign == QLatin1Char('-') || sign == QChar(0x2212);
    if (sign == QLatin1Char('+') || minus) {
        if (!rest.endsWith(QLatin1Char('%')))
            return std::nullopt;
        rest.chop(1);
        const std::optional<double> percent = plainNumber(rest);
        constexpr double kWhole = 100;
        return percent && !(minus && *percent > kWhole) ? std::optional(QuantityChange{1 + (minus ? -*percent : *percent) / kWhole}) : std::nullopt;
    }
    const bool times = sign == QLatin1Char('*') || sign == QChar(0xD7);
    if (!times && sign != QLatin1Char('/') && sign != QChar(0xF7))
        return std::nullopt;
    const std::optional<double> number = plainNumber(rest);
    if (!number || (!times && *number <= 0))
        return std::nullopt;
    return QuantityChange{times ? *number : 1 / *number};
}

Result<Quantity> changed(const Quantity& value, const QuantityChange& change)
{
    const Quantity result{toTwelveDigits(value.value * change.factor), value.unit, value.measure};
    return parseQuantity(result.text(), value.measure); // Says why where it is no such value.
}

} // namespace fabricscope::quantitytext
