#include "core/workload/traceworkload.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/trace/dependencies.h"
#include "core/trace/groupresolver.h"
#include "core/trace/lint.h"
#include "core/trace/nodecheck.h"
#include "core/workload/membercheck.h"
#include "core/workload/rankclasses.h"
#include "core/workload/tracetensors.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

namespace fabricscope {

namespace {

constexpr std::int64_t kLargestBytes = std::int64_t{1} << 56;

CollectiveOp collectiveOf(std::int64_t type)
{
    switch (static_cast<EtCommType>(type)) {
    case EtCommType::AllReduce: return CollectiveOp::AllReduce;
    case EtCommType::Reduce: return CollectiveOp::Reduce;
    case EtCommType::AllGather: return CollectiveOp::AllGather;
    case EtCommType::Gather: return CollectiveOp::Gather;
    case EtCommType::Scatter: return CollectiveOp::Scatter;
    case EtCommType::Broadcast: return CollectiveOp::Broadcast;
    case EtCommType::AllToAll: return CollectiveOp::AllToAll;
    case EtCommType::ReduceScatter:
    case EtCommType::ReduceScatterBlock: return CollectiveOp::ReduceScatter;
    case EtCommType::Barrier: break;
    }
    return CollectiveOp::Barrier;
}

/// a * b * c, absent above 2^56.
std::optional<std::int64_t> product(std::int64_t a, std::int64_t b, std::int64_t c)
{
    __extension__ using Wide = unsigned __int128;
    const Wide ab = static_cast<Wide>(static_cast<std::uint64_t>(a)) * static_cast<std::uint64_t>(b);
    if (ab > static_cast<Wide>(kLargestBytes))
        return std::nullopt;
    const Wide all = ab * static_cast<std::uint64_t>(c);
    return all > static_cast<Wide>(kLargestBytes) ? std::nullopt : std::optional(static_cast<std::int64_t>(all));
}

/// Families by group, made when first used, so that their order follows the traces.
class Families {
public:
    Families(const GroupResolver& groups, std::int64_t ranks) : m_groups(groups), m_ranks(ranks), m_ids(groups.groups().size(), -1)
    {
        m_families.push_back(GroupFamily::world(ranks));
        m_ids[GroupResolver::kWorld] = 0;
    }

    Result<FamilyId> of(int group)
    {
        FamilyId& id = m_ids[at(group)];
        if (id >= 0)
            return id;
        const CommGroup& listed = m_groups.groups()[at(group)];
        const int number = ++m_names[listed.id]; // ranks may give one name to different groups
        auto family = GroupFamily::listed(number == 1 ? listed.id : listed.id + '#' + std::to_string(number), {listed.ranks}, m_ranks);
        if (!family)
            return std::move(family).error();
        id = static_cast<FamilyId>(m_families.size());
        m_families.push_back(std::move(family).value());
        return id;
    }

    std::vector<GroupFamily> take() { return std::move(m_families); }

private:
    const GroupResolver& m_groups;
    std::int64_t m_ranks;
    std::vector<FamilyId> m_ids;
    std::vector<GroupFamily> m_families;
    std::map<std::string, int> m_names;
};

/// Fills the columns of one rank.
class GraphBuilder {
public:
    GraphBuilder(const TraceSet& traces, std::int64_t rank, const TraceWorkloadOptions& options, const GroupResolver& groups, Families& families)
        : m_stop(options.stop), m_traces(traces), m_trace(traces.rank(rank)), m_rank(rank), m_factor(options.bytesPerElement), m_groups(groups), m_families(families)
    {
    }

    Result<RankGraph> build(ResolvedDependencies&& resolved)
    {
        const std::uint32_t size = m_trace.size();
        m_graph.kind.reserve(size);
        m_graph.names.reserve(m_trace.nameBytes());
        for (std::uint32_t position = 0; position < size; ++position) {
            checkStop(m_stop);
            if (Status status = add(resolved.node(position)); !status)
                return std::move(status).error();
        }
        m_graph.dependBegin = std::move(resolved.begin);
        m_graph.depends.assign(resolved.depends.begin(), resolved.depends.end());
        if (!m_anyPriority)
            m_graph.priority.clear();
        return std::move(m_graph);
    }

private:
    Status add(std::uint32_t node);
    Status addCollective(std::uint32_t node);
    Error tooLarge(std::uint32_t node, EtField field) const
    {
        Place place = m_traces.place(m_rank, node);
        place.field = etFieldName(field);
        return invalidInput("a size of " + std::to_string(m_trace.value(node, field)) + (m_factor > 1 ? " elements of " + std::to_string(m_factor) + " bytes" : std::string())
            + " comes to more than 2^56 bytes", std::move(place));
    }

    const std::stop_token& m_stop;
    const TraceSet& m_traces;
    const RankTrace& m_trace;
    std::int64_t m_rank;
    std::int64_t m_factor;
    const GroupResolver& m_groups;
    Families& m_families;
    RankGraph m_graph;
    bool m_anyPriority = false;
    std::unordered_map<std::int64_t, int> m_resolved;
};

Status GraphBuilder::addCollective(std::uint32_t node)
{
    const std::int64_t nameIndex = m_trace.value(node, EtField::PgName, -1);
    const auto [known, added] = m_resolved.try_emplace(nameIndex, 0);
    if (added)
        known->second = m_groups.resolve(m_trace, m_trace.groupName(node));
    const auto family = m_families.of(known->second);
    if (!family) {
        Error error = family.error();
        error.place = m_traces.place(m_rank, node);
        error.place.field = "pg_name";
        return error;
    }
    const CollectiveOp op = collectiveOf(m_trace.value(node, EtField::CommType));
    const bool shard = op == CollectiveOp::AllGather || op == CollectiveOp::Gather; // comm_size is one member's part
    const auto bytes = product(m_trace.value(node, EtField::CommSize), m_factor, shard ? m_groups.size(known->second) : 1);
    if (!bytes)
        return tooLarge(node, EtField::CommSize);
    m_graph.op.back() = op;
    m_graph.family.back() = family.value();
    m_graph.bytes.back() = *bytes;
    m_graph.flags.back() |= TaskFlag::kHasBytes;
    if (m_trace.has(node, EtField::InvolvedDim)) {
        m_graph.involved.back() = static_cast<std::uint32_t>(m_trace.value(node, EtField::InvolvedDim) & 0xffffffff);
        m_graph.flags.back() |= TaskFlag::kInvolvedGiven;
    }
    const std::int64_t priority = m_trace.value(node, EtField::CommPriority);
    m_graph.priority.back() = static_cast<std::int32_t>(std::clamp<std::int64_t>(priority, 0, std::numeric_limits<std::int32_t>::max()));
    m_anyPriority = m_anyPriority || priority > 0;
    return {};
}

Status GraphBuilder::add(std::uint32_t node)
{
    RankGraph& g = m_graph;
    const bool host = m_trace.onHost(node);
    const auto type = static_cast<EtNodeType>(m_trace.type(node));
    g.kind.push_back(TaskKind::Compute);
    g.flags.push_back(host ? TaskFlag::kHost : std::uint8_t{0});
    g.sourceId.push_back(m_trace.id(node));
    g.names.append(m_trace.name(node));
    g.nameEnd.push_back(static_cast<std::uint32_t>(g.names.size()));
    g.durationUs.push_back(m_trace.value(node, EtField::Duration));
    g.operations.push_back(0);
    g.bytes.push_back(0);
    g.op.push_back(CollectiveOp::AllReduce);
    g.family.push_back(0);
    g.peer.push_back(0);
    g.tag.push_back(0);
    g.involved.push_back(0);
    g.priority.push_back(0);
    if (isHostCommunication(m_trace, node))
        return {};

    switch (type) {
    case EtNodeType::Invalid: g.kind.back() = TaskKind::Invalid; return {};
    case EtNodeType::Metadata: g.kind.back() = TaskKind::Metadata; return {};
    case EtNodeType::Collective: g.kind.back() = TaskKind::Collective; return addCollective(node);
    case EtNodeType::MemLoad: g.kind.back() = TaskKind::MemoryLoad; break;
    case EtNodeType::MemStore: g.kind.back() = TaskKind::MemoryStore; break;
    case EtNodeType::Send: g.kind.back() = TaskKind::Send; break;
    case EtNodeType::Receive: g.kind.back() = TaskKind::Receive; break;
    case EtNodeType::Comp: break;
    }
    const bool message = type == EtNodeType::Send || type == EtNodeType::Receive;
    const EtField size = message ? EtField::CommSize : EtField::TensorSize;
    if (m_trace.has(node, size)) {
        const auto bytes = product(m_trace.value(node, size), m_factor, 1);
        if (!bytes)
            return tooLarge(node, size);
        g.bytes.back() = *bytes;
        g.flags.back() |= TaskFlag::kHasBytes;
    }
    if (message) {
        g.peer.back() = static_cast<std::int32_t>(peerOf(m_trace, node));
        g.tag.back() = static_cast<std::uint32_t>(m_trace.value(node, EtField::CommTag));
    } else if (m_trace.has(node, EtField::NumOps)) {
        g.operations.back() = m_trace.value(node, EtField::NumOps);
        g.flags.back() |= TaskFlag::kHasOperations;
    }
    return {};
}

Status checkCounts(const TraceSet& traces, std::int64_t ranks, bool astraRules, Findings& findings)
{
    const std::int64_t there = traces.rankCount() + traces.surplusFiles();
    Place place;
    place.file = traces.prefix();
    const std::string counts = "the machine has " + std::to_string(ranks) + " NPUs, the workload has traces of " + std::to_string(there) + " ranks";
    if (traces.rankCount() < ranks)
        return invalidInput(counts, place, "one trace per NPU");
    if (there == ranks)
        return {};
    if (!astraRules)
        return invalidInput(counts, place, "one trace per NPU");
    findings.add(warning("surplus-ranks", counts + "; those beyond rank " + std::to_string(ranks - 1) + " are ignored", place));
    return {};
}

/// There are computations, and nothing says how long anything takes.
bool hasTimelessComputation(const RankGraph& graph)
{
    const auto given = [](std::int64_t micros) { return micros > 0; };
    return std::find(graph.kind.begin(), graph.kind.end(), TaskKind::Compute) != graph.kind.end()
        && std::none_of(graph.durationUs.begin(), graph.durationUs.end(), given)
        && std::none_of(graph.flags.begin(), graph.flags.end(), [](std::uint8_t flags) { return (flags & TaskFlag::kHasOperations) != 0; });
}

/// Two ranks of one file have the same tasks unless something in them depends on the rank.
bool dependsOnRank(const RankTrace& trace)
{
    for (std::uint32_t node = 0; node < trace.size(); ++node) {
        const auto type = static_cast<EtNodeType>(trace.type(node));
        if (type == EtNodeType::Send || type == EtNodeType::Receive)
            return true;
    }
    return !trace.groupNames().empty();
}

/// What the linter says of ranks that do not fit together. Refused where a run would be (physical models): different collectives, different sizes;
/// what makes a run wait for ever is for the run to show.
Status checkMembers(const TraceSet& traces, const CommGroups& groups, const TraceWorkloadOptions& options, std::int64_t ranks, Findings& findings)
{
    for (Diagnostic& found : lintTraces(traces, groups, {options.ctrlDeps, ranks, options.bytesPerElement, options.stop})) {
        const bool refused = found.rule == "collective-count" || found.rule == "collective-size" || found.rule == "message-size";
        if (refused && !options.astraRules)
            return toError(found);
        if (found.rule == "unpaired-send")
            findings.add(std::move(found));
    }
    return {};
}

Result<TraceWorkloadResult> build(const TraceSet& traces, const CommGroups& groups, const TraceWorkloadOptions& options)
{
    Findings findings;
    const std::int64_t ranks = options.rankCount > 0 ? options.rankCount : traces.rankCount();
    if (Status status = checkCounts(traces, ranks, options.astraRules, findings); !status)
        return std::move(status).error();
    if (options.bytesPerElement < 1)
        return invalidInput("bytes per element must be at least 1");

    for (Diagnostic& diagnostic : checkCommGroups(groups, ranks))
        findings.add(std::move(diagnostic));
    const GroupResolver resolver(traces, groups, options.stop);
    for (const Diagnostic& diagnostic : resolver.diagnostics())
        findings.add(diagnostic);
    if (findings.hasErrors())
        return findings.firstError();

    Families families(resolver, ranks);
    RankClasses classes(ranks);
    MemberCheck members;
    bool timeless = true;
    std::unordered_map<const RankTrace*, std::int64_t> firstRank; // of those that do not depend on the rank
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        checkStop(options.stop);
        const RankTrace& trace = traces.rank(rank);
        if (const auto known = firstRank.find(&trace); known != firstRank.end()) {
            classes.addLike(rank, known->second);
            members.addLike(static_cast<std::int32_t>(rank), static_cast<std::int32_t>(known->second));
            continue;
        }
        if (trace.size() > static_cast<std::uint32_t>(std::numeric_limits<TaskIndex>::max()))
            return invalidInput("more than 2^31 nodes", Place{traces.file(rank), 0, 0, -1, {}, rank, -1, false});
        checkDialect(traces, rank, findings);
        auto resolved = resolveDependencies(trace, options.ctrlDeps, options.stop);
        checkDependencies(traces, rank, resolved, options.ctrlDeps, findings, options.stop);
        checkNodes(traces, rank, ranks, resolver, findings, options.stop);
        if (findings.hasErrors())
            return findings.firstError();
        std::vector<std::uint32_t> nodeOfTask;
        for (std::uint32_t position = 0; options.tensors && position < trace.size(); ++position)
            nodeOfTask.push_back(resolved.node(position));
        auto graph = GraphBuilder(traces, rank, options, resolver, families).build(std::move(resolved));
        if (!graph)
            return std::move(graph).error();
        if (Status status = addTraceTensors(traces, rank, nodeOfTask, graph.value(), options.stop); !status)
            return std::move(status).error();
        timeless = timeless && hasTimelessComputation(graph.value());
        members.add(static_cast<std::int32_t>(rank), graph.value());
        classes.add(rank, std::move(graph).value());
        if (!dependsOnRank(trace))
            firstRank.emplace(&trace, rank);
    }

    if (timeless) {
        Place place;
        place.file = traces.prefix();
        findings.add(warning("no-durations", "no node has a duration or a number of operations: computation takes no time in a run", place));
    }
    auto workload = std::make_shared<Workload>();
    workload->rankCount = static_cast<std::int32_t>(ranks);
    classes.finish(*workload);
    workload->families = families.take();
    if (!members.messagesFit() || !members.collectivesFit(workload->families)) {
        if (Status status = checkMembers(traces, groups, options, ranks, findings); !status)
            return std::move(status).error();
    }
    workload->source = "trace " + traces.prefix() + " (" + std::to_string(ranks) + (ranks == 1 ? " rank)" : " ranks)");
    return TraceWorkloadResult{std::move(workload), findings.take()};
}

} // namespace

Result<TraceWorkloadResult> workloadFromTraces(const TraceSet& traces, const CommGroups& groups, const TraceWorkloadOptions& options)
{
    return untilStopped([&] { return build(traces, groups, options); });
}

} // namespace fabricscope
