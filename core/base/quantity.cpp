#include "core/base/quantity.h"

#include "core/base/showntext.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace fabricscope {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

/// A unit as an exact fraction of the integer unit of its measure (ps, B, B/s, FLOP, FLOP/s).
struct Unit {
    Measure measure = Measure::Count;
    std::uint64_t numerator = 1;
    std::uint64_t denominator = 1;
};

bool takePrefix(std::string_view& text, std::string_view prefix)
{
    if (!text.starts_with(prefix))
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

bool takeSuffix(std::string_view& text, std::string_view suffix)
{
    if (!text.ends_with(suffix))
        return false;
    text.remove_suffix(suffix.size());
    return true;
}

std::optional<Unit> timeUnit(std::string_view text)
{
    struct Row {
        std::string_view name;
        std::uint64_t ps;
    };
    // Two letters look like a micro sign: U+00B5 and the Greek U+03BC.
    static constexpr std::array<Row, 9> kRows{{{"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"\xC2\xB5s", 1'000'000}, {"\xCE\xBCs", 1'000'000},
                                               {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}, {"sec", 1'000'000'000'000},
                                               {"min", 60'000'000'000'000}}};
    for (const Row& row : kRows) {
        if (row.name == text)
            return Unit{Measure::Time, row.ps, 1};
    }
    return std::nullopt;
}

/// Takes "", k, K, M, G, T, P, E off the front; with `binary` also Ki, Mi, ... Returns the factor.
std::uint64_t takeScale(std::string_view& text, bool binary)
{
    static constexpr std::string_view kLetters = "kMGTPE";
    if (text.empty())
        return 1;
    const char letter = text.front() == 'K' ? 'k' : text.front();
    const std::size_t power = kLetters.find(letter);
    if (power == std::string_view::npos)
        return 1;
    text.remove_prefix(1);
    const bool isBinary = binary && takePrefix(text, "i");
    std::uint64_t factor = 1;
    for (std::size_t i = 0; i <= power; ++i)
        factor *= isBinary ? 1024 : 1000;
    return factor;
}

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names) {
        if (text == name)
            return true;
    }
    return false;
}

std::optional<Unit> byteUnit(std::string_view text)
{
    bool perSecond = takeSuffix(text, "/s") || takeSuffix(text, "/sec");
    std::uint64_t scale = 1;
    // "bps" is the only plural-looking rate; it is cut after the scale so that "bytes" stays a size.
    if (!perSecond && (text.ends_with("bps") || text.ends_with("Bps"))) {
        text.remove_suffix(2);
        perSecond = true;
    }
    if (!isOneOf(text, {"byte", "bytes", "bit", "bits"}))
        scale = takeScale(text, true);
    const bool bytes = isOneOf(text, {"B", "byte", "bytes", "Byte", "Bytes"});
    if (!bytes && !isOneOf(text, {"b", "bit", "bits"}))
        return std::nullopt;
    return Unit{perSecond ? Measure::Bandwidth : Measure::Size, scale, bytes ? 1u : 8u};
}

std::optional<Unit> operationUnit(std::string_view text)
{
    const bool slash = takeSuffix(text, "/s") || takeSuffix(text, "/sec");
    const std::uint64_t scale = takeScale(text, false);
    if (isOneOf(text, {"FLOP", "flop", "Flop", "FLOPs", "flops", "Flops"}))
        return Unit{slash ? Measure::ComputeRate : Measure::Operations, scale, 1};
    if (isOneOf(text, {"FLOPS"}))
        return Unit{Measure::ComputeRate, scale, 1};
    return std::nullopt;
}

std::optional<Unit> unitOf(std::string_view text)
{
    if (text.empty())
        return Unit{};
    if (const auto unit = timeUnit(text))
        return unit;
    if (const auto unit = byteUnit(text))
        return unit;
    return operationUnit(text);
}

std::string_view expectedText(Measure measure)
{
    switch (measure) {
    case Measure::Time:
        return "a time such as 500 ns, 2.5 us or 1 ms";
    case Measure::Size:
        return "a size such as 4096 B, 64 MiB or 1.5 GB";
    case Measure::Bandwidth:
        return "a bandwidth such as 50 GB/s, 50 GiB/s or 400 Gbit/s";
    case Measure::Operations:
        return "a number of operations such as 2.5 GFLOP";
    case Measure::ComputeRate:
        return "a compute rate such as 989 TFLOP/s";
    case Measure::Count:
        break;
    }
    return "a number without unit";
}

/// The shortest decimal text of a double as digits * 10^exponent.
struct Decimal {
    std::uint64_t digits = 0; ///< At most 17 digits.
    int exponent = 0;
};

Decimal shortestDecimal(double value)
{
    std::array<char, 40> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
    Decimal decimal;
    const char* at = buffer.data();
    bool fraction = false;
    for (; at != end && *at != 'e'; ++at) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
        decimal.exponent -= fraction ? 1 : 0;
    }
    int written = 0;
    if (at != end) {
        ++at;
        if (*at == '+')
            ++at;
        std::from_chars(at, end, written);
    }
    decimal.exponent += written;
    return decimal;
}

/// value * unit to the nearest integer, halves up; nothing when it leaves 0..2^63-1.
std::optional<std::int64_t> nearestInteger(double value, const Unit& unit)
{
    if (!(value >= 0) || std::isinf(value))
        return std::nullopt;
    if (value == 0)
        return 0;
    const Decimal decimal = shortestDecimal(value);
    Wide numerator = Wide{decimal.digits} * unit.numerator; // below 2^57 * 2^60
    Wide denominator = unit.denominator;
    constexpr Wide kLimit = (~Wide{0}) / 32;
    for (int i = 0; i < decimal.exponent; ++i) {
        if (numerator > kLimit)
            return std::nullopt;
        numerator *= 10;
    }
    for (int i = 0; i > decimal.exponent; --i) {
        if (denominator > kLimit) // numerator < 2^117 < denominator * 2^-5
            return 0;
        denominator *= 10;
    }
    const Wide quotient = numerator / denominator;
    const Wide rest = numerator % denominator;
    const Wide rounded = quotient + (rest >= denominator - rest ? 1 : 0);
    if (rounded > static_cast<Wide>(kMax))
        return std::nullopt;
    return static_cast<std::int64_t>(rounded);
}

/// Integer form, stopping at the ends of the range.
std::int64_t integerForm(const Quantity& quantity, Measure measure)
{
    const auto unit = unitOf(quantity.unit);
    assert(unit && unit->measure == measure && quantity.measure == measure);
    if (!unit || unit->measure != measure)
        return 0;
    if (const auto value = nearestInteger(quantity.value, *unit))
        return *value;
    return quantity.value > 0 ? kMax : 0;
}

} // namespace

std::string Quantity::text() const
{
    std::array<char, 64> buffer{};
    const bool plain = value == 0 || (value >= 1e-6 && value < 1e15);
    const auto result = plain ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed)
                              : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    std::string out(buffer.data(), result.ptr);
    if (!unit.empty())
        out += ' ' + unit.text();
    return out;
}

double Quantity::base() const
{
    const auto known = unitOf(unit);
    if (!known)
        return 0;
    const double scaled = value * static_cast<double>(known->numerator) / static_cast<double>(known->denominator);
    return known->measure == Measure::Time ? scaled / static_cast<double>(kPsPerSecond) : scaled;
}

Result<Quantity> parseQuantity(std::string_view text, Measure measure)
{
    constexpr std::string_view kSpaces = " \t\r\n";
    const auto first = text.find_first_not_of(kSpaces);
    std::string_view body = first == std::string_view::npos ? std::string_view{} : text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
    const std::string expected{expectedText(measure)};
    const auto refuse = [&](const std::string& message) { return invalidInput(message, {}, expected); };
    const std::string shown = quotedText(body);
    if (body.empty())
        return refuse("empty value");
    if (body.front() == '-')
        return refuse(shown + " is negative");
    // from_chars also reads "inf" and "nan"; those are words here.
    if (body.front() != '.' && (body.front() < '0' || body.front() > '9'))
        return refuse(shown + " is not a number with a unit");
    double value = 0;
    const auto [end, status] = std::from_chars(body.data(), body.data() + body.size(), value);
    if (status == std::errc::result_out_of_range)
        return refuse(shown + " is too large or too small a number");
    if (status != std::errc{})
        return refuse(shown + " is not a number with a unit");
    body.remove_prefix(static_cast<std::size_t>(end - body.data()));
    const auto start = body.find_first_not_of(kSpaces);
    body = start == std::string_view::npos ? std::string_view{} : body.substr(start);
    if (body.empty() && measure != Measure::Count)
        return refuse(shown + " has no unit");
    const auto unit = unitOf(body);
    if (!unit)
        return refuse(quotedText(body) + " is not a known unit");
    if (unit->measure != measure)
        return refuse(shown + " has a unit of another kind");
    if (!nearestInteger(value, *unit))
        return refuse(shown + " is too large");
    return Quantity{value, body, measure};
}

Quantity astraBandwidth(double gibPerSecond)
{
    return {gibPerSecond, "GiB/s", Measure::Bandwidth};
}

Quantity astraLatency(double ns)
{
    return {ns, "ns", Measure::Time};
}

double inGibPerSecond(const Quantity& bandwidth)
{
    // A power of two divides without rounding, but the product may already have been rounded.
    return bandwidth.unit == "GiB/s" ? bandwidth.value : bandwidth.base() / static_cast<double>(std::int64_t{1} << 30);
}

double inNanoseconds(const Quantity& time)
{
    const auto unit = unitOf(time.unit);
    if (!unit)
        return 0;
    constexpr auto kNs = static_cast<std::uint64_t>(kPsPerNs);
    // One rounding at most: a product or a division, never both.
    return unit->numerator >= kNs ? time.value * static_cast<double>(unit->numerator / kNs) : time.value / static_cast<double>(kNs / unit->numerator);
}

SimTime toSimTime(const Quantity& quantity)
{
    return {integerForm(quantity, Measure::Time)};
}

Bytes toBytes(const Quantity& quantity)
{
    return {integerForm(quantity, Measure::Size)};
}

Bandwidth toBandwidth(const Quantity& quantity)
{
    const std::int64_t rate = integerForm(quantity, Measure::Bandwidth);
    return {rate == 0 && quantity.value > 0 ? 1 : rate};
}

ComputeRate toComputeRate(const Quantity& quantity)
{
    const std::int64_t rate = integerForm(quantity, Measure::ComputeRate);
    return {rate == 0 && quantity.value > 0 ? 1 : rate};
}

std::int64_t toOperations(const Quantity& quantity)
{
    return integerForm(quantity, Measure::Operations);
}

} // namespace fabricscope
