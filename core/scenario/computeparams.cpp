#include "core/scenario/computeparams.h"

#include "core/design/plankernels.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

__extension__ using Wide = __int128;

std::int64_t millionths(double share)
{
    return std::clamp<std::int64_t>(std::llround(share * static_cast<double>(kMillion)), 0, kMillion);
}

ShareTable tableOf(const std::vector<EfficiencyPoint>& points, bool isSize)
{
    ShareTable table;
    for (const EfficiencyPoint& point : points) {
        const std::int64_t upTo = !point.upTo ? INT64_MAX : isSize ? toBytes(*point.upTo).value : toOperations(*point.upTo);
        table.points.push_back({upTo, std::max<std::int64_t>(millionths(point.share), 1)});
    }
    return table;
}

ComputeParams::Kind kindOf(std::string name, const EfficiencyTable& table)
{
    return {std::move(name), tableOf(table.operations, false), tableOf(table.bytes, true), !table.operations.empty(), !table.bytes.empty()};
}

std::string percent(std::int64_t share)
{
    return Quantity{static_cast<double>(share) / 1e4, "", Measure::Count}.text() + " %";
}

std::string entriesText(std::size_t count)
{
    return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

const NpuOverride* overrideOf(const Platform& platform, NodeId node)
{
    for (const NpuOverride& entry : platform.spec().npuOverrides) {
        if (entry.node == node)
            return &entry;
    }
    return nullptr;
}

/// ceil(amount * 10^18 / (rate * share)), saturated: a time no run can reach.
std::int64_t durationOf(std::int64_t amount, std::int64_t rate, std::int64_t share)
{
    const Wide pace = Wide{rate} * share;
    const Wide duration = (Wide{amount} * kPsPerSecond * kMillion + pace - 1) / pace;
    return duration > INT64_MAX / 4 ? INT64_MAX / 4 : static_cast<std::int64_t>(duration);
}

} // namespace

ComputeParams efficiencyOf(const ComputeConfig& config)
{
    ComputeParams params;
    params.linear = config.linear;
    params.general = kindOf({}, config.efficiency);
    for (const EfficiencyKind& kind : config.kinds)
        params.kinds.push_back(kindOf(kind.name, kind.table));
    return params;
}

bool fitsPattern(std::string_view name, std::string_view pattern)
{
    std::size_t n = 0;
    std::size_t p = 0;
    std::size_t star = std::string_view::npos;
    std::size_t after = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            after = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++after;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

std::int64_t ShareTable::of(std::int64_t amount, bool linear) const
{
    if (points.empty())
        return kMillion;
    const auto next = std::lower_bound(points.begin(), points.end(), amount, [](const Point& point, std::int64_t size) { return point.upTo < size; });
    if (next == points.end())
        return points.back().share;
    if (!linear || next == points.begin())
        return next->share;
    const Point& before = *std::prev(next);
    const Wide rise = Wide{next->share - before.share} * (amount - before.upTo);
    const Wide width = next->upTo - before.upTo;
    const Wide step = rise >= 0 ? rise / width : -((-rise + width - 1) / width);
    return std::max<std::int64_t>(before.share + static_cast<std::int64_t>(step), 1);
}

std::int64_t ComputeParams::operationsShare(std::string_view name, std::int64_t operations) const
{
    for (const Kind& kind : kinds) {
        if (fitsPattern(name, kind.name))
            return (kind.hasOperations ? kind : general).operations.of(operations, linear);
    }
    return general.operations.of(operations, linear);
}

std::int64_t ComputeParams::bytesShare(std::string_view name, std::int64_t bytes) const
{
    for (const Kind& kind : kinds) {
        if (fitsPattern(name, kind.name))
            return (kind.hasBytes ? kind : general).bytes.of(bytes, linear);
    }
    return general.bytes.of(bytes, linear);
}

std::int64_t recordedDuration(const RankGraph& graph, TaskIndex task)
{
    const auto i = static_cast<std::size_t>(task);
    if (!graph.durationPs.empty() && graph.durationPs[i] >= 0)
        return graph.durationPs[i];
    return graph.durationUs[i] * kPsPerUs;
}

ComputeWork computeWork(const Structure& structure, const Params& params, std::int32_t rank, TaskIndex task)
{
    const RankGraph& graph = structure.workload->graph(rank);
    const auto i = static_cast<std::size_t>(task);
    const NodeId node = structure.placement.nodeOf(rank);
    const bool exact = !graph.durationPs.empty() && graph.durationPs[i] >= 0;
    ComputeWork work;
    bool known = false;
    if (!exact && !params.replayOnly && params.roofline && !graph.has(task, TaskFlag::kHost)) {
        std::optional<ComputeRate> peak = params.peak;
        std::optional<Bandwidth> memory = params.memoryRate;
        if (const NpuOverride* const entry = overrideOf(structure.platform, node)) {
            if (entry->peak)
                peak = toComputeRate(*entry->peak);
            if (entry->memoryBandwidth)
                memory = toBandwidth(*entry->memoryBandwidth);
        }
        const ComputeParams* const tables = params.compute && params.compute->hasEfficiency() ? params.compute.get() : nullptr;
        if (graph.has(task, TaskFlag::kHasOperations) && peak) {
            work.operationsPs = durationOf(graph.operations[i], peak->flopsPerSecond, tables ? tables->operationsShare(graph.name(task), graph.operations[i]) : kMillion);
            known = true;
        }
        if (graph.has(task, TaskFlag::kHasBytes) && memory) {
            work.bytesPs = durationOf(graph.bytes[i], memory->bytesPerSecond, tables ? tables->bytesShare(graph.name(task), graph.bytes[i]) : kMillion);
            known = true;
        }
    }
    if (!known)
        work.operationsPs = work.bytesPs = recordedDuration(graph, task);
    const double speed = structure.platform.speed(node);
    if (speed != 1.0) {
        for (std::int64_t* part : {&work.operationsPs, &work.bytesPs})
            *part = static_cast<std::int64_t>(std::ceil(static_cast<long double>(*part) / static_cast<long double>(speed)));
    }
    return work;
}

std::shared_ptr<const ComputeParams> makeComputeParams(const Design& design, const Structure& structure, Params& params, Diagnostics& diagnostics)
{
    const auto& graphs = structure.workload->graphs;
    const bool hasTensors = std::any_of(graphs.begin(), graphs.end(), [](const auto& graph) { return !graph->tensors.empty(); });
    const bool capacityGiven = design.platform && design.platform->npu.memory && design.platformOrigin.empty(); // A preset brings its own.
    if (!design.compute) {
        if (!hasTensors && capacityGiven)
            diagnostics.push_back(note("memory-not-followed", "the memory size of an NPU is not used: nothing says what is in it (compute.memory, or output of steps)"));
        return nullptr;
    }
    const ComputeConfig& config = *design.compute;
    auto compute = std::make_shared<ComputeParams>();
    const std::string source = design.file.empty() ? "given" : design.file;
    const auto add = [&](std::string name, std::string value) { params.list.push_back({std::move(name), std::move(value), source, false}); };
    if (traitsOf(design.model.model).npuDetails) {
        *compute = efficiencyOf(config);
        const std::string rule = config.linear ? ", straight lines between them" : ", steps";
        if (!config.efficiency.operations.empty())
            add("efficiency by operations", entriesText(config.efficiency.operations.size()) + rule);
        if (!config.efficiency.bytes.empty())
            add("efficiency by bytes", entriesText(config.efficiency.bytes.size()) + rule);
        for (const EfficiencyKind& kind : config.kinds)
            add("efficiency of " + kind.name, entriesText(kind.table.operations.size() + kind.table.bytes.size()) + rule);
        const bool peakKnown = params.peak || std::any_of(structure.platform.spec().npuOverrides.begin(), structure.platform.spec().npuOverrides.end(), [](const NpuOverride& entry) { return entry.peak; });
        const bool rateKnown = params.memoryRate || std::any_of(structure.platform.spec().npuOverrides.begin(), structure.platform.spec().npuOverrides.end(), [](const NpuOverride& entry) { return entry.memoryBandwidth; });
        if (!config.efficiency.operations.empty() && !peakKnown)
            diagnostics.push_back(warning("unused-setting", "the peak of an NPU is unknown: the efficiency by operations is not used", design.place("compute.efficiency.operations")));
        if (!config.efficiency.bytes.empty() && !rateKnown)
            diagnostics.push_back(warning("unused-setting", "the memory bandwidth of an NPU is unknown: the efficiency by bytes is not used", design.place("compute.efficiency.bytes")));
        if (config.slowdown) {
            compute->smShare = millionths(config.slowdown->smShare);
            compute->bandwidthShare = millionths(config.slowdown->bandwidthShare);
            compute->mostShare = millionths(config.slowdown->mostShare);
            compute->reducerLoss = millionths(config.slowdown->reducerLoss);
            if (compute->smShare > 0 || compute->bandwidthShare > 0) {
                add("taken by a collective", percent(compute->smShare) + " of the peak, " + percent(compute->bandwidthShare) + " of the memory bandwidth");
                add("taken by all collectives", "at most " + percent(compute->mostShare));
            }
            if (compute->reducerLoss > 0) {
                add("reducer loses to computation", percent(compute->reducerLoss));
                if (!params.reducerRate)
                    diagnostics.push_back(warning("unused-setting", "reductions take no time: what the reducer loses is not used", design.place("compute.slowdown.reducer_loss")));
            }
        }
    }
    if (planKernels(design))
        params.list.push_back({"kernels of ops", planKernelsText(*config.kernels), config.kernels->machine ? "compute.kernels.machine" : source, true});
    if (config.memory) {
        compute->followMemory = compute->memoryWanted = config.memory->follow;
        for (const ResidentMemory& entry : config.memory->resident) {
            if (!config.memory->follow)
                break;
            compute->resident.push_back({entry.name, toBytes(entry.bytes).value, entry.ranks});
            add("resident memory, " + entry.name, entry.bytes.text() + (entry.ranks.empty() ? std::string() : ", ranks " + entry.ranks.text()));
        }
        if (config.memory->follow && !hasTensors)
            diagnostics.push_back(note("memory-not-followed", std::string("live bytes are not followed: ") + (structure.workload->source.starts_with("trace") ? "the trace names no tensors" : "no step has an output or scratch")
                                           + (compute->resident.empty() ? "" : "; resident memory is")));
    }
    return compute;
}

} // namespace fabricscope
