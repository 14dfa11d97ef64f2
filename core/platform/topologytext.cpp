#include "core/platform/topologytext.h"

#include <charconv>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kShapes = "Ring, FullyConnected or Switch with a size, such as Ring(4)_Switch(8)";

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? std::string_view{} : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

Error optionError(const char* option, std::string message, std::string expected)
{
    Place place;
    place.field = option;
    Error error = invalidInput(std::move(message), std::move(place), std::move(expected));
    error.code = ErrorCode::Usage;
    return error;
}

std::string quoted(std::string_view text)
{
    return '"' + std::string(text.substr(0, 60)) + '"';
}

bool takeSeparator(std::string_view& text)
{
    text = trimmed(text);
    for (const std::string_view separator : {"_", "x", "X", "\xC3\x97"}) { // the last is the multiplication sign
        if (text.starts_with(separator)) {
            text = trimmed(text.substr(separator.size()));
            return true;
        }
    }
    return false;
}

Result<std::vector<Dimension>> readDimensions(std::string_view text)
{
    std::vector<Dimension> dimensions;
    const auto refuse = [](std::string message) { return optionError("--topology", std::move(message), std::string(kShapes)); };
    text = trimmed(text);
    if (text.empty())
        return refuse("empty topology");
    for (;;) {
        const auto open = text.find('(');
        const std::string_view name = trimmed(text.substr(0, open));
        const auto shape = shapeFromText(name);
        if (!shape)
            return refuse(quoted(name) + " is not a topology");
        const auto close = open == std::string_view::npos ? open : text.find(')', open);
        if (close == std::string_view::npos)
            return refuse(quoted(text) + " has no size in brackets");
        const std::string_view digits = trimmed(text.substr(open + 1, close - open - 1));
        Dimension dimension;
        dimension.shape = *shape;
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), dimension.size);
        if (status != std::errc{} || end != digits.data() + digits.size() || dimension.size < 1 || dimension.size > kMaxNpus)
            return optionError("--topology", quoted(digits) + " is not a size", "1 to 1048576");
        dimensions.push_back(std::move(dimension));
        text = text.substr(close + 1);
        if (trimmed(text).empty())
            return dimensions;
        if (!takeSeparator(text))
            return optionError("--topology", quoted(text) + " follows a dimension", "\"_\" and another dimension, or the end");
        if (dimensions.size() >= 64)
            return optionError("--topology", "more than 64 dimensions", "at most 64");
    }
}

Result<Quantity> readValue(std::string_view text, Measure measure, const char* option)
{
    double number = 0;
    const bool digit = !text.empty() && (text.front() == '.' || (text.front() >= '0' && text.front() <= '9'));
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool bare = digit && status == std::errc{} && end == text.data() + text.size();
    const char* unit = measure == Measure::Time ? " ns" : " GiB/s";
    auto quantity = parseQuantity(bare ? std::string(text) + unit : std::string(text), measure);
    if (!quantity) {
        Error error = std::move(quantity).error();
        error.code = ErrorCode::Usage;
        error.place.field = option;
        return error;
    }
    if (measure == Measure::Bandwidth && !(quantity.value().value > 0))
        return optionError(option, quoted(text) + " is not above 0", "a bandwidth above 0");
    return quantity;
}

Result<std::vector<Quantity>> readList(std::string_view text, Measure measure, const char* option, std::size_t dimensions)
{
    std::vector<Quantity> list;
    for (std::string_view rest = text;;) {
        const auto comma = rest.find(',');
        auto value = readValue(trimmed(rest.substr(0, comma)), measure, option);
        if (!value)
            return std::move(value).error();
        list.push_back(std::move(value).value());
        if (comma == std::string_view::npos)
            break;
        rest.remove_prefix(comma + 1);
    }
    if (list.size() != dimensions) {
        return optionError(option, std::to_string(list.size()) + (list.size() == 1 ? " value for " : " values for ") + std::to_string(dimensions)
                                       + (dimensions == 1 ? " dimension" : " dimensions"),
                           "one value per dimension, separated by commas");
    }
    return list;
}

} // namespace

std::optional<Shape> shapeFromText(std::string_view name)
{
    for (const Shape shape : {Shape::Ring, Shape::FullyConnected, Shape::Switch}) {
        if (name == shapeName(shape) || name == shapeKey(shape))
            return shape;
    }
    return name == "FC" ? std::optional(Shape::FullyConnected) : std::nullopt;
}

Result<PlatformSpec> parseTopologyText(std::string_view topology, std::string_view bandwidths, std::string_view latencies)
{
    auto dimensions = readDimensions(topology);
    if (!dimensions)
        return std::move(dimensions).error();
    PlatformSpec spec;
    spec.dimensions = std::move(dimensions).value();
    auto rates = readList(bandwidths, Measure::Bandwidth, "--bandwidth", spec.dimensions.size());
    if (!rates)
        return std::move(rates).error();
    auto times = readList(latencies, Measure::Time, "--latency", spec.dimensions.size());
    if (!times)
        return std::move(times).error();
    for (std::size_t i = 0; i < spec.dimensions.size(); ++i) {
        spec.dimensions[i].bandwidth = std::move(rates.value()[i]);
        spec.dimensions[i].latency = std::move(times.value()[i]);
    }
    return spec;
}

} // namespace fabricscope
