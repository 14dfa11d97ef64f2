#include "core/scenario/designplan.h"

#include "core/design/computeconfig.h"
#include "core/design/modelversions.h"
#include "core/design/networkconfig.h"
#include "core/design/plankernels.h"
#include "core/platform/placement.h"
#include "core/scenario/collectivepolicy.h"
#include "core/scenario/computeparams.h"
#include "core/scenario/networkparams.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

CollectiveOp opOf(PlanCommunication::Kind kind)
{
    switch (kind) {
    case PlanCommunication::Kind::AllGather: return CollectiveOp::AllGather;
    case PlanCommunication::Kind::ReduceScatter: return CollectiveOp::ReduceScatter;
    case PlanCommunication::Kind::AllToAll: return CollectiveOp::AllToAll;
    default: return CollectiveOp::AllReduce;
    }
}

/// A part of a group that lies in one dimension of the platform.
struct Span {
    Shape shape = Shape::Switch;
    double whole = 1;   ///< NPUs of the dimension ...
    double size = 1;    ///< ... and those of the group.
    double rate = 0;    ///< Bytes/s of one NPU over all its links there ...
    double link = 0;    ///< ... and over one.
    double latency = 0; ///< Seconds of a message.
    double apart = 1;   ///< So many groups of the dimension are busy at different times.
    double ways = 1;    ///< In which a collective goes round a ring.
    std::size_t dimension = 0; ///< Of the platform; beyond the last one: several.

    /// One after another, each with a latency.
    double steps(CollectiveOp op) const
    {
        const Algorithm algorithm = automaticAlgorithm(shape, op);
        return algorithm == Algorithm::Direct ? 1 : algorithm == Algorithm::HalvingDoubling ? std::ceil(std::log2(size)) : size - 1;
    }

    /// Bytes/s of a message.
    double messageRate() const { return shape == Shape::Switch ? rate : link; }

    /// What an NPU sends at in a collective of groups that fill the dimension. On a ring the way back to the first goes on in the same direction: all groups that are busy together go round it once each.
    double collectiveRate(PlanCommunication::Kind kind) const
    {
        if (shape == Shape::FullyConnected)
            return link * (size - 1);
        return shape == Shape::Ring && kind != PlanCommunication::Kind::AllToAll ? link * size * apart / whole * ways : rate;
    }
};

/// A span of every dimension of a platform, whole.
std::vector<Span> dimensionSpans(const Platform& platform)
{
    std::vector<Span> spans;
    for (const Dimension& dimension : platform.dimensions()) {
        const auto size = static_cast<double>(dimension.size);
        spans.push_back({dimension.shape, size, size, static_cast<double>(dimension.npuBandwidth().bytesPerSecond), static_cast<double>(dimension.linkBandwidth().bytesPerSecond),
                         static_cast<double>(dimension.linkLatency().ps) * 1e-12 * (dimension.shape == Shape::Switch ? 2 : 1)});
        spans.back().dimension = spans.size() - 1;
    }
    return spans;
}

/// How many ranks of a group lie in a dimension of `size` whose neighbours are `stride` ranks apart.
std::int64_t insideOf(const PlanGroup& group, std::int64_t stride, std::int64_t size)
{
    std::int64_t inside = 1;
    for (const GroupFamily::Axis& axis : group.axes) {
        if (axis.size == 2 && group.axes.size() == 1) { // Any two ranks.
            inside = axis.stride / stride % size == 0 ? 1 : 2;
            continue;
        }
        // Both are runs of numbers: [stride, stride x size).
        const std::int64_t low = std::max(stride, axis.stride);
        const std::int64_t high = std::min(stride * size, axis.stride * axis.size);
        if (high > low)
            inside *= std::max<std::int64_t>(1, high / low);
    }
    return inside;
}

/// Do all groups along the axes lie in whole parts of the dimension? Else its borders cut some of them. Pairs do: how far they are apart says nothing of where they stand.
bool isAligned(const PlanGroup& group, std::int64_t stride, std::int64_t size)
{
    if (group.size() == 2)
        return true;
    const std::int64_t end = stride * size;
    return std::all_of(group.axes.begin(), group.axes.end(), [&](const GroupFamily::Axis& axis) {
        const auto fits = [&](std::int64_t border) { return border <= stride || border >= end || (border % stride == 0 && end % border == 0); };
        const std::int64_t last = axis.stride * axis.size;
        return axis.size <= 1 || (fits(axis.stride) && fits(last) && (end <= axis.stride || end >= last || (end % axis.stride == 0 && last % end == 0)));
    });
}

/// A group that dimensions cut runs as one ring in the order of its ranks: through all the dimensions that its steps go along, as fast as the slowest.
Span ringThrough(const PlanCommunication& row, const std::vector<Span>& dimensions)
{
    std::int64_t first = INT64_MAX;
    std::int64_t end = 1;
    for (const GroupFamily::Axis& axis : row.group.axes) {
        first = axis.size > 1 ? std::min(first, axis.stride) : first;
        end = std::max(end, axis.stride * axis.size);
    }
    const auto size = static_cast<double>(row.groupSize);
    Span ring{Shape::Ring, size, size, 0, 0, 0};
    ring.dimension = dimensions.size();
    std::int64_t stride = 1;
    for (const Span& dimension : dimensions) {
        const std::int64_t above = stride * static_cast<std::int64_t>(dimension.whole);
        // A step that is no multiple of what lies below goes along that too.
        if (stride < end && (above > first || first % above != 0)) {
            const double own = dimension.shape == Shape::Switch ? dimension.rate : dimension.link;
            ring.rate = ring.link = ring.rate == 0 ? own : std::min(ring.rate, own);
            ring.latency += dimension.latency;
        }
        stride = above;
    }
    return ring;
}

/// The dimensions that the axes of a group go along, the lowest first; ranks stand on NPUs of the same number.
std::vector<Span> spansOf(const PlanCommunication& row, const std::vector<Span>& dimensions, bool bothWays)
{
    std::vector<Span> spans;
    std::int64_t stride = 1;
    for (const Span& dimension : dimensions) {
        const auto size = static_cast<std::int64_t>(dimension.whole);
        if (!isAligned(row.group, stride, size))
            return {ringThrough(row, dimensions)};
        const std::int64_t inside = insideOf(row.group, stride, size);
        if (inside > 1) {
            spans.push_back(dimension);
            spans.back().size = static_cast<double>(inside);
            spans.back().apart = static_cast<double>(insideOf(row.apart, stride, size));
        }
        stride *= size;
    }
    if (bothWays && spans.size() == 1 && spans.front().shape == Shape::Ring && spans.front().size > 2 && spans.front().size >= spans.front().whole)
        spans.front().ways = 2;
    return spans;
}

/// A message over all dimensions between two ranks; one of a pair at the rate of the slowest.
double messageSeconds(double bytes, const std::vector<Span>& spans)
{
    double rate = 0;
    double latency = 0;
    for (const Span& span : spans) {
        rate = rate == 0 ? span.messageRate() : std::min(rate, span.messageRate());
        latency = std::max(latency, span.latency);
    }
    return latency + bytes / rate;
}

/// All-reduces go through everything twice.
double waysOf(const PlanCommunication& row)
{
    return row.kind == PlanCommunication::Kind::AllReduce ? 2 : 1;
}

/// Two ranks in several dimensions send each other half of the data.
bool isExchange(const PlanCommunication& row, const std::vector<Span>& spans)
{
    return row.groupSize == 2 && spans.size() > 1;
}

/// Seconds that an NPU sends in each span, without latency.
std::vector<double> sendingSeconds(const PlanCommunication& row, const std::vector<Span>& spans)
{
    const auto bytes = static_cast<double>(row.bytes);
    const bool isMessage = row.kind == PlanCommunication::Kind::Send;
    std::vector<double> seconds;
    double part = bytes;
    for (const Span& span : spans) {
        if (isMessage || isExchange(row, spans)) {
            seconds.push_back((isMessage ? bytes : waysOf(row) * bytes / 2) / span.messageRate());
            continue;
        }
        seconds.push_back(waysOf(row) * part * (span.size - 1) / span.size / span.collectiveRate(row.kind));
        if (row.kind != PlanCommunication::Kind::AllToAll)
            part /= span.size;
    }
    return seconds;
}

/// Bandwidth-optimal phases, one dimension after another; every step pays the latency once. Chunks are in several dimensions at once: the busiest of these decides for all but the first.
double collectiveSeconds(const PlanCommunication& row, const std::vector<Span>& spans, double chunks)
{
    const auto bytes = static_cast<double>(row.bytes);
    if (spans.empty())
        return 0;
    if (row.kind == PlanCommunication::Kind::Send)
        return messageSeconds(bytes, spans);
    if (isExchange(row, spans))
        return waysOf(row) * messageSeconds(bytes / 2, spans);
    const std::vector<double> sending = sendingSeconds(row, spans);
    double first = 0;
    double busiest = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        first += waysOf(row) * spans[i].steps(opOf(row.kind)) * spans[i].latency + sending[i] / chunks;
        busiest = std::max(busiest, sending[i]);
    }
    return first + busiest * (chunks - 1) / chunks;
}

/// The same by dimension of the platform. Of a ring through several dimensions it is not known which of them it keeps busy.
std::vector<double> linkSeconds(const PlanCommunication& row, const std::vector<Span>& dimensions)
{
    std::vector<double> seconds(dimensions.size(), 0);
    const std::vector<Span> spans = spansOf(row, dimensions, false);
    const std::vector<double> sending = sendingSeconds(row, spans);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (spans[i].dimension < dimensions.size())
            seconds[spans[i].dimension] += sending[i];
    }
    return seconds;
}

/// What a library takes for a collective beside its messages, and more than they are.
struct LibraryTerms {
    double begin = 0;   ///< Seconds from the issue to the begin.
    double message = 0; ///< Seconds more of every message.
    std::optional<ProtocolParams> protocol;
};

/// Of collectives of plans: network.launch, or what the first rule of collectives says that fits. Rules for single nodes of a trace never do.
class LibraryTable {
public:
    explicit LibraryTable(const Design& design) : m_rules(design.collectives.rules), m_launch(design.network ? secondsOf(design.network->launch) : 0) {}

    LibraryTerms termsOf(const PlanCommunication& row) const
    {
        if (row.groupSize < 2 || row.kind == PlanCommunication::Kind::Send)
            return {};
        const auto rule = std::find_if(m_rules.begin(), m_rules.end(), [&](const CollectiveRule& each) { return each.nodes.empty() && ruleMatches(each, opOf(row.kind), row.group.name, row.bytes, row.groupSize, 0); });
        if (rule == m_rules.end())
            return {m_launch, 0, {}};
        const CollectiveTerms& terms = rule->terms;
        LibraryTerms taken{terms.launch ? secondsOf(*terms.launch) : m_launch, 0, {}};
        const double half = terms.rampSize ? terms.rampSize->base() : 0;
        if (terms.ramp && row.bytes > 0)
            taken.begin += secondsOf(*terms.ramp) * static_cast<double>(row.bytes) / (static_cast<double>(row.bytes) + half);
        if (terms.protocol) {
            taken.protocol = protocolParams(*terms.protocol);
            taken.message = secondsOf(taken.protocol->latency);
        }
        return taken;
    }

private:
    static double secondsOf(SimTime time) { return static_cast<double>(time.ps) * 1e-12; }
    static double secondsOf(const Quantity& time) { return secondsOf(toSimTime(time)); }

    std::vector<CollectiveRule> m_rules;
    double m_launch;
};

/// A communication of a plan alone on the platform, as the library does it.
double communicationSeconds(const PlanCommunication& row, std::vector<Span> spans, double chunks, const LibraryTerms& terms)
{
    if (!terms.protocol)
        return terms.begin + collectiveSeconds(row, spans, chunks);
    for (Span& span : spans)
        span.latency += terms.message;
    PlanCommunication onWire = row;
    onWire.bytes = terms.protocol->wireBytes(row.bytes);
    return terms.begin + collectiveSeconds(onWire, spans, chunks);
}

double opSeconds(const ComputeParams& tables, const NpuSpec& npu, const std::string& name, double operations, double bytes)
{
    const auto whole = [](double value) { return static_cast<std::int64_t>(std::clamp(value, 0.0, 9e18)); };
    const auto share = [](std::int64_t of) { return static_cast<double>(of) / static_cast<double>(kMillion); };
    const double computing = npu.peak && operations > 0 ? operations / (npu.peak->base() * share(tables.operationsShare(name, whole(operations)))) : 0;
    const double moving = npu.memoryBandwidth && bytes > 0 ? bytes / (npu.memoryBandwidth->base() * share(tables.bytesShare(name, whole(bytes)))) : 0;
    return std::max(computing, moving);
}

} // namespace

PlanNpu planNpuOf(const Design& design, const Platform& platform)
{
    const NpuSpec& spec = platform.spec().npu;
    PlanNpu npu;
    if (spec.peak && spec.peak->base() > 0) {
        npu.peak = spec.peak->base();
        npu.seconds = [tables = efficiencyOf(design.compute ? *design.compute : ComputeConfig{}), spec](const std::string& name, double operations, double bytes) { return opSeconds(tables, spec, name, operations, bytes); };
    }
    npu.kernels = planKernels(design);
    if (spec.memoryBandwidth && spec.memoryBandwidth->base() > 0)
        npu.memoryBandwidth = spec.memoryBandwidth->base();
    if (spec.memory)
        npu.memory = toBytes(*spec.memory).value;
    const bool bothWays = rulesNumber(versionUsed(design.model.model, design.model.version)) >= kBandwidthRules && design.collectives.defaults.window == 0;
    if (!platform.isExplicit())
        npu.communication = [dimensions = dimensionSpans(platform), bothWays, chunks = static_cast<double>(std::max(1, design.collectives.defaults.chunks)), library = LibraryTable(design)](const PlanCommunication& row) {
            return communicationSeconds(row, spansOf(row, dimensions, bothWays), chunks, library.termsOf(row));
        };
    if (!platform.isExplicit())
        npu.links = [dimensions = dimensionSpans(platform)](const PlanCommunication& row) { return linkSeconds(row, dimensions); };
    return npu;
}

std::string planEstimateText(const Design& design, const Platform& platform, const PlannedWorkload& planned)
{
    const bool kernels = planKernels(design).has_value();
    std::string text = kernels ? "ops: kernels (" + planKernelsText(*design.compute->kernels) + ')' : planned.model ? "ops: the larger of operations / peak and bytes / memory bandwidth" : "times of stages as given";
    if (planned.model && !kernels && design.compute && design.compute->hasEfficiency())
        text += ", with compute.efficiency";
    text += planned.model ? "; collectives" : "; messages";
    return text + (platform.isExplicit() ? " take no time: the platform is a graph" : " alone, dimension by dimension");
}

Result<std::int64_t> planRanks(const Design& design, const Platform& platform)
{
    if (design.jobs.empty())
        return platform.remainingNpus();
    const auto placement = Placement::create(design.jobs, platform);
    if (!placement)
        return placement.error();
    return placement.value().rankCount();
}

Result<DesignPlan> analyseDesign(const Design& design, const std::stop_token& stop)
{
    const auto* planned = design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
    if (planned && planned->plan->graph)
        return Error{ErrorCode::Unsupported, "the workload of this design is a sharded graph, which has no plan", design.place("workload.shard"), "the command shard, or workload: {model: ..., plan: ...}"};
    if (!planned)
        return invalidInput("the workload of this design is no plan", design.place("workload"), "workload: {model: ..., plan: ...}");
    Diagnostics noticed = validate(design, stop);
    for (const Diagnostic& problem : noticed) {
        if (problem.severity == Severity::Error)
            return toError(problem);
    }
    auto platform = Platform::create(*design.platform, stop);
    if (!platform)
        return std::move(platform).error();
    const Result<std::int64_t> counted = planRanks(design, platform.value());
    if (!counted)
        return counted.error();
    const std::int64_t ranks = counted.value();
    auto analysis = analysePlan(planned->model.get(), *planned->plan, ranks, planNpuOf(design, platform.value()));
    if (!analysis) {
        Error error = std::move(analysis).error();
        if (error.place.file.empty())
            error.place = design.place(error.place.field.empty() ? "workload.plan" : error.place.field);
        return error;
    }
    DesignPlan out{std::move(analysis).value(), planEstimateText(design, platform.value(), *planned)};
    for (Diagnostic& finding : out.analysis.findings)
        finding.place = design.place(finding.place.field);
    out.analysis.findings.insert(out.analysis.findings.begin(), noticed.begin(), noticed.end());
    return out;
}

} // namespace fabricscope
