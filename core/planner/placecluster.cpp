#include "core/planner/placecluster.h"

#include "core/base/decimal.h"
#include "core/base/index.h"

#include <charconv>
#include <cmath>

namespace fabricscope {

namespace {

/// A figure above 0 in its base unit.
double positiveFigure(const MapReader& map, std::string_view key, Measure measure, bool required)
{
    if (required && !map.required(key))
        return 1;
    const auto given = map.quantity(key, measure);
    if (!given)
        return 0;
    // What is below 1 in its base unit is a slip, and would make times beyond all numbers.
    if (given->base() < 1)
        map.error(key, "\"" + given->text() + "\" is not possible here", "more than 0: at least 1 in the unit without prefix");
    return given->base();
}

void readDevices(const MapReader& cluster, UnequalCluster& read)
{
    constexpr std::size_t kMostTypes = 256;
    if (!cluster.required("devices"))
        return;
    const auto items = cluster.list("devices");
    if (items.empty() || items.size() > kMostTypes)
        return cluster.error("devices", items.empty() ? "no devices" : std::to_string(items.size()) + " types of devices", "1 to " + std::to_string(kMostTypes) + " of them");
    std::int64_t devices = 0;
    for (const auto& [item, field] : items) {
        const MapReader map(cluster.context(), *item, field, {"name", "speed", "count", "memory"});
        DeviceType type;
        type.name = map.text("name").value_or("type " + std::to_string(read.types.size()));
        type.speed = positiveFigure(map, "speed", Measure::ComputeRate, true);
        type.count = map.integer("count", 1, UnequalCluster::kMostDevices).value_or(1);
        if (map.has("memory"))
            type.memory = positiveFigure(map, "memory", Measure::Size, false);
        devices += type.count;
        read.types.push_back(std::move(type));
    }
    if (devices > UnequalCluster::kMostDevices)
        cluster.error("devices", std::to_string(devices) + " devices", "at most " + std::to_string(UnequalCluster::kMostDevices));
}

void readCollectiveTimes(const MapReader& cluster, UnequalCluster& read)
{
    const YamlNode* node = cluster.node("collectives");
    if (!node)
        return;
    const MapReader map(cluster.context(), *node, cluster.field("collectives"), keysOf(kShareCollectiveWords));
    for (const auto& [word, kind] : kShareCollectiveWords) {
        const YamlNode* each = map.node(word);
        if (!each)
            continue;
        const MapReader figures(cluster.context(), *each, map.field(word), {"latency", "bandwidth", "factor"});
        CollectiveTime& time = read.time(kind);
        time.available = true;
        if (const auto latency = figures.quantity("latency", Measure::Time))
            time.latency = latency->base();
        const double bandwidth = positiveFigure(figures, "bandwidth", Measure::Bandwidth, true);
        const double factor = figures.number("factor", 0).value_or(1);
        if (factor > 1e9 || factor < 1e-9)
            figures.error("factor", "a factor of " + decimal(factor), "from 1e-9 to 1e9");
        time.perByte = factor / (bandwidth > 0 ? bandwidth : 1);
    }
}

std::optional<double> ratioOf(FieldContext& context, const YamlNode& node, const std::string& field)
{
    const auto text = readText(context, node, field);
    if (!text)
        return std::nullopt;
    double value = 0;
    const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (problem == std::errc{} && end == text->data() + text->size() && value >= 0 && value <= 1)
        return value;
    context.error(node, field, "\"" + *text + "\" is not possible here", "a number from 0 to 1");
    return std::nullopt;
}

void readListedRatios(const MapReader& place, PlacementProblem& problem)
{
    problem.choice = RatioChoice::Listed;
    double sum = 0;
    for (const auto& [item, field] : place.list("ratios")) {
        const auto ratio = ratioOf(place.context(), *item, field);
        if (!ratio)
            return;
        problem.listed.push_back(*ratio);
        sum += *ratio;
    }
    const std::int64_t devices = problem.cluster.devices();
    if (static_cast<std::int64_t>(problem.listed.size()) != devices)
        place.error("ratios", std::to_string(problem.listed.size()) + " ratios for " + std::to_string(devices) + " devices", "one for each device");
    else if (std::abs(sum - 1) > 1e-6)
        place.error("ratios", "the ratios sum to " + decimal(sum), "a sum of 1");
}

} // namespace

const YamlNode* readPlaceCluster(const MapReader& place, UnequalCluster& cluster)
{
    const YamlNode* node = place.required("cluster");
    if (!node)
        return nullptr;
    const MapReader map(place.context(), *node, place.field("cluster"), {"devices", "collectives", "platform"});
    readDevices(map, cluster);
    if (map.has("collectives") && map.has("platform"))
        map.error("platform", "collectives and platform both say what collectives take", "one of them");
    readCollectiveTimes(map, cluster);
    return map.node("platform");
}

void readPlacePhases(const MapReader& place, PlacementProblem& problem, bool collectives)
{
    constexpr std::size_t kMostPhases = 100'000;
    const auto items = place.list("phases");
    if (items.empty() || items.size() > kMostPhases)
        return place.error("phases", std::to_string(items.size()) + " phases", "1 to " + std::to_string(kMostPhases));
    std::vector<std::string_view> known = keysOf(kShareCollectiveWords);
    known.push_back("compute");
    for (const auto& [item, field] : items) {
        const MapReader map(place.context(), *item, field, known);
        if (item->isMap() && item->entries.size() != 1)
            place.context().error(*item, field, std::to_string(item->entries.size()) + " keys in one phase", "one of " + nearestOf({}, known));
        if (const auto flops = map.quantity("compute", Measure::Operations))
            problem.phases.push_back({RatioTerm::Kind::Compute, 0, flops->base(), 0, ShareCollective::AllGather, 0, 0, -1});
        for (const auto& [word, kind] : kShareCollectiveWords) {
            const auto bytes = map.quantity(word, Measure::Size);
            if (!bytes)
                continue;
            if (collectives && !problem.cluster.time(kind).available)
                map.error(word, "the cluster does not say what " + std::string(word) + " takes", "it among cluster.collectives");
            problem.phases.push_back({RatioTerm::Kind::Collective, 0, 0, 0, kind, bytes->base(), 0, -1});
        }
    }
    if (const auto held = place.quantity("bytes_held", Measure::Size))
        problem.bytesHeld = held->base();
}

void readPlaceRatios(const MapReader& place, PlacementProblem& problem)
{
    const YamlNode* node = place.node("ratios");
    if (!node)
        return;
    if (node->isSequence())
        return readListedRatios(place, problem);
    if (const auto choice = place.choice<RatioChoice>("ratios", {{"even", RatioChoice::Even}, {"proportional", RatioChoice::Proportional}, {"optimised", RatioChoice::Optimised}}))
        problem.choice = *choice;
}

} // namespace fabricscope
