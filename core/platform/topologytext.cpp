#include "core/platform/topologytext.h"

#include "core/base/showntext.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/unequalgroups.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kCrossbar = "crossbar";
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
    return quotedText(text);
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

/// A dimension of a topology text: its sizes (several: groups of unequal size) and the figures that stand in its brackets.
struct TextDimension {
    Dimension dimension;
    std::vector<std::int32_t> sizes;
    bool hasBandwidth = false;
    bool hasLatency = false;
};

/// "crossbar 3 TB/s": what each switch of a dimension passes on.
Status readCrossbar(std::string_view entry, Dimension& out)
{
    if (out.shape != Shape::Switch)
        return optionError("--topology", "a " + std::string(shapeName(out.shape)) + " has no switches", "no crossbar, or a Switch");
    if (out.crossbar)
        return optionError("--topology", "two crossbars in one dimension", "one");
    auto rate = parseQuantity(trimmed(entry.substr(kCrossbar.size())), Measure::Bandwidth);
    if (!rate || !(rate.value().value > 0))
        return optionError("--topology", "no rate follows \"crossbar\" in " + quoted(entry), "what a switch passes on per second, such as Switch(8, 50 GB/s, 500 ns, crossbar 3 TB/s)");
    out.crossbar = std::move(rate).value();
    return {};
}

/// "4", "4, 6", "4, 50 GB/s, 500 ns, crossbar 300 GB/s": what stands in the brackets of a dimension.
Status readBrackets(std::string_view text, TextDimension& out)
{
    for (bool first = true;; first = false) {
        const auto comma = text.find(',');
        const std::string_view entry = trimmed(text.substr(0, comma));
        std::int32_t size = 0;
        const auto [end, status] = std::from_chars(entry.data(), entry.data() + entry.size(), size);
        const bool whole = status == std::errc{} && end == entry.data() + entry.size() && size >= 1 && size <= kMaxNpus;
        if (whole && !out.hasBandwidth && !out.hasLatency)
            out.sizes.push_back(size);
        else if (first || whole)
            return optionError("--topology", quoted(entry) + " is not a size", "1 to 1048576");
        else if (entry.starts_with(kCrossbar)) {
            if (Status taken = readCrossbar(entry, out.dimension); !taken)
                return taken;
        } else if (auto bandwidth = parseQuantity(entry, Measure::Bandwidth); bandwidth && !out.hasBandwidth && bandwidth.value().value > 0) {
            out.dimension.bandwidth = std::move(bandwidth).value();
            out.hasBandwidth = true;
        } else if (auto latency = parseQuantity(entry, Measure::Time); latency && !out.hasLatency) {
            out.dimension.latency = std::move(latency).value();
            out.hasLatency = true;
        } else {
            return optionError("--topology", quoted(entry) + " is neither a size nor a figure", "sizes, then a bandwidth and a latency with units, such as Ring(4, 50 GB/s, 500 ns)");
        }
        if (comma == std::string_view::npos)
            break;
        text.remove_prefix(comma + 1);
    }
    out.dimension.size = out.sizes.front();
    return {};
}

Result<std::vector<TextDimension>> readDimensions(std::string_view text)
{
    std::vector<TextDimension> dimensions;
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
        TextDimension dimension;
        dimension.dimension.shape = *shape;
        if (Status status = readBrackets(text.substr(open + 1, close - open - 1), dimension); !status)
            return std::move(status).error();
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
    if (trimmed(text).empty())
        return optionError(option, std::string(measure == Measure::Time ? "no latency" : "no bandwidth") + " of " + std::to_string(dimensions) + (dimensions == 1 ? " dimension" : " dimensions"),
                           "it in the brackets, such as Ring(4, 50 GB/s, 1 us)");
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

/// A fabric line; its figures stand in it.
Result<PlatformSpec> readFabric(std::string_view line, std::string_view bandwidths, std::string_view latencies, bool perNpu)
{
    for (const auto& [given, option] : {std::pair{bandwidths, perNpu ? "--npu-bandwidth" : "--bandwidth"}, std::pair{latencies, "--latency"}}) {
        if (!given.empty())
            return optionError(option, "a fabric in one line has its figures in it", "400G or 1us behind the join");
    }
    const Result<FabricForm> form = parseFabricForm(line);
    Result<PlatformSpec> spec = form ? platformOfForm(form.value()) : form.error();
    if (spec)
        return spec;
    Error error = std::move(spec).error();
    constexpr std::string_view kLine = "--line";
    const std::string& field = error.place.field;
    const bool ofLine = field.empty() || field.starts_with(kLine) || field == "of" || field.starts_with("levels[");
    return optionError("--topology", (ofLine ? std::string() : field + ": ") + error.message, error.expected);
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

Result<PlatformSpec> parseTopologyText(std::string_view topology, std::string_view bandwidths, std::string_view latencies, bool perNpu)
{
    if (isFabricLine(topology))
        return readFabric(topology, bandwidths, latencies, perNpu);
    auto read = readDimensions(topology);
    if (!read)
        return std::move(read).error();
    std::vector<TextDimension>& dimensions = read.value();
    // A list gives a figure to each dimension that has none in its brackets.
    const auto fill = [&](std::string_view text, Measure measure, const char* option, bool TextDimension::*given, Quantity Dimension::*figure) -> Status {
        std::vector<Dimension*> open;
        for (TextDimension& entry : dimensions) {
            if (!(entry.*given))
                open.push_back(&entry.dimension);
        }
        if (open.empty() && text.empty())
            return {};
        if (open.empty())
            return optionError(option, "every dimension has this figure in its brackets already", "the figure once");
        auto list = readList(text, measure, option, open.size());
        if (!list)
            return std::move(list).error();
        for (std::size_t i = 0; i < open.size(); ++i)
            open[i]->*figure = std::move(list.value()[i]);
        return {};
    };
    if (Status status = fill(bandwidths, Measure::Bandwidth, "--bandwidth", &TextDimension::hasBandwidth, &Dimension::bandwidth); !status)
        return std::move(status).error();
    if (Status status = fill(latencies, Measure::Time, "--latency", &TextDimension::hasLatency, &Dimension::latency); !status)
        return std::move(status).error();
    for (TextDimension& entry : dimensions)
        entry.dimension.bandwidthIsPerNpu = perNpu && !entry.hasBandwidth;

    const auto unequal = std::find_if(dimensions.begin(), dimensions.end(), [](const TextDimension& entry) { return entry.sizes.size() > 1; });
    if (unequal != dimensions.end()) {
        if (unequal != dimensions.begin() || dimensions.size() > 2)
            return optionError("--topology", "groups of unequal size are possible in the first of two dimensions only", "FullyConnected(4,6)_Switch(2), for example");
        UnequalGroups groups{unequal->dimension, unequal->sizes, {}};
        if (dimensions.size() == 2)
            groups.join = dimensions[1].dimension;
        auto spec = expandUnequalGroups(groups);
        if (spec)
            return spec;
        Error error = std::move(spec).error();
        return optionError("--topology", std::move(error.message), std::move(error.expected));
    }
    PlatformSpec spec;
    for (TextDimension& entry : dimensions)
        spec.dimensions.push_back(std::move(entry.dimension));
    return spec;
}

std::size_t openFigures(std::string_view topology, Measure measure)
{
    if (isFabricLine(topology))
        return 0;
    const auto read = readDimensions(topology);
    if (!read)
        return static_cast<std::size_t>(std::count(topology.begin(), topology.end(), '('));
    return static_cast<std::size_t>(std::count_if(read.value().begin(), read.value().end(), [&](const TextDimension& entry) { return !(measure == Measure::Time ? entry.hasLatency : entry.hasBandwidth); }));
}

} // namespace fabricscope
