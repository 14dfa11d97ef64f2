#include "tests/unit/support/cases/randomcase.h"
#include "core/base/index.h"

#include <algorithm>
#include <sstream>

namespace fabricscope::test {

namespace {

Quantity rateOf(std::int64_t bytesPerSecond)
{
    return {static_cast<double>(bytesPerSecond), "B/s", Measure::Bandwidth};
}

Quantity timeOf(std::int64_t ps)
{
    return {static_cast<double>(ps), "ps", Measure::Time};
}

PlatformSpec platformOf(const CaseSpec& spec)
{
    PlatformSpec platform;
    for (const CaseSpec::Dim& dim : spec.dims)
        platform.dimensions.push_back({dim.shape, dim.size, rateOf(dim.rate), false, timeOf(dim.latencyPs)});
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
        ExplicitNode node{"node" + std::to_string(i), spec.nodes[i]};
        if (const auto limit = spec.crossbars.find(static_cast<NodeId>(i)); limit != spec.crossbars.end())
            node.crossbar = rateOf(limit->second);
        platform.nodes.push_back(node);
    }
    for (const CaseSpec::Link& link : spec.links)
        platform.links.push_back({link.from, link.to, rateOf(link.rate), timeOf(link.latencyPs)});
    for (const CaseSpec::Override& change : spec.overrides)
        platform.linkOverrides.push_back({change.link, rateOf(change.rate), timeOf(change.latencyPs)});
    std::map<NodeId, NpuOverride> changes;
    for (std::size_t i = 0; i < spec.speeds.size(); ++i)
        if (spec.speeds[i] != 1.0)
            changes[static_cast<NodeId>(i)].speed = spec.speeds[i];
    for (const auto& [node, rate] : spec.reducers)
        changes[node].memoryBandwidth = rateOf(rate);
    for (auto& [node, change] : changes) {
        change.node = node;
        platform.npuOverrides.push_back(change);
    }
    return platform;
}

/// GroupFamily of listed groups, or the world.
Result<GroupFamily> familyOf(const CaseSpec& spec, std::size_t index)
{
    if (index == 0)
        return GroupFamily::world(spec.rankCount());
    std::vector<std::vector<std::int64_t>> lists;
    for (const auto& group : spec.families[index].groups)
        lists.emplace_back(group.begin(), group.end());
    return GroupFamily::listed("family" + std::to_string(index), std::move(lists), spec.rankCount());
}

/// Positions as base + sum of coordinate * stride where the members allow it, so that both forms are tested.
GroupLayout layoutOf(const std::vector<std::int32_t>& members, const std::vector<std::int32_t>& extents)
{
    GroupLayout layout;
    layout.base = members.front();
    layout.extents = extents;
    std::int32_t step = 1;
    for (const std::int32_t extent : extents) {
        layout.strides.push_back(members[at(step)] - members.front());
        step *= extent;
    }
    for (std::size_t position = 0; position < members.size(); ++position) {
        std::int64_t rank = layout.base;
        auto rest = static_cast<std::int32_t>(position);
        for (std::size_t a = 0; a < extents.size(); ++a) {
            rank += rest % extents[a] * layout.strides[a];
            rest /= extents[a];
        }
        if (rank != members[position]) {
            layout.list = members;
            layout.strides.clear();
            break;
        }
    }
    return layout;
}

std::shared_ptr<const RankGraph> graphOf(const std::vector<CaseSpec::Task>& tasks, const std::vector<CaseSpec::Family>& families)
{
    auto graph = std::make_shared<RankGraph>();
    graph->dependBegin.push_back(0);
    for (const CaseSpec::Task& task : tasks) {
        const bool collective = task.kind == TaskKind::Collective;
        const CaseSpec::Call* const call = collective ? &families[at(task.family)].calls[at(task.call)] : nullptr;
        graph->sourceId.push_back(graph->kind.size());
        graph->kind.push_back(task.kind);
        graph->flags.push_back(task.flags);
        graph->nameEnd.push_back(0);
        graph->durationUs.push_back(task.durationUs);
        graph->durationPs.push_back(task.durationPs);
        graph->operations.push_back(task.operations);
        graph->bytes.push_back(call ? call->bytes : task.bytes);
        graph->op.push_back(call ? call->op : CollectiveOp::AllReduce);
        graph->family.push_back(task.family);
        graph->peer.push_back(task.peer);
        graph->tag.push_back(task.tag);
        graph->involved.push_back(0);
        graph->depends.insert(graph->depends.end(), task.depends.begin(), task.depends.end());
        graph->dependBegin.push_back(static_cast<std::uint32_t>(graph->depends.size()));
    }
    return graph;
}

/// Columns sorted by position.
ExplicitBody explicitBody(const CaseSpec::Call& call, const std::vector<std::int32_t>& members, const Structure& structure)
{
    const auto ranks = static_cast<std::int32_t>(members.size());
    const std::vector<CaseSpec::Op>& ops = call.ops.at(ranks);
    ExplicitBody body;
    body.chunkWeights = call.weights;
    body.receiveSlots = call.slotCount;
    std::vector<std::uint32_t> indexOf(ops.size());
    body.rankBegin.push_back(0);
    body.dependBegin.push_back(0);
    for (std::int32_t position = 0; position < ranks; ++position) {
        for (std::size_t i = 0; i < ops.size(); ++i) {
            const CaseSpec::Op& op = ops[i];
            if (op.position != position)
                continue;
            indexOf[i] = body.size();
            for (const std::size_t other : op.depends)
                body.depends.push_back(indexOf[other]);
            body.dependBegin.push_back(static_cast<std::uint32_t>(body.depends.size()));
            body.kind.push_back(op.kind);
            body.peer.push_back(op.peer);
            body.connection.push_back(op.connection);
            body.lane.push_back(op.lane);
            body.chunk.push_back(op.chunk);
            body.count.push_back(op.count);
            body.bytes.push_back(op.bytes);
            body.duration.push_back(op.duration);
            body.sourceBuffer.push_back(BufferKind::Input);
            body.targetBuffer.push_back(BufferKind::Input);
            body.sourceOffset.push_back(std::max(op.chunk, 0));
            body.targetOffset.push_back(std::max(op.chunk, 0));
            body.step.push_back(op.step);
            body.slot.push_back(op.slot);
            body.fused.push_back(op.fused ? 1 : 0);
            body.route.push_back(-1);
            if (op.kind == OpKind::Send && op.via >= 0 && op.via != op.position && op.via != op.peer) {
                const auto nodeAt = [&](std::int32_t member) { return structure.placement.nodeOf(members[at(member)]); };
                std::vector<LinkId> way;
                structure.platform.route(nodeAt(op.position), nodeAt(op.via), way);
                structure.platform.route(nodeAt(op.via), nodeAt(op.peer), way);
                body.route.back() = static_cast<std::int32_t>(body.routes.size());
                body.routes.push_back(std::move(way));
            }
            body.sourceId.push_back(i);
        }
        body.rankBegin.push_back(body.size());
    }
    return body;
}

void addInstances(const CaseSpec& spec, Structure& structure)
{
    for (std::size_t f = 0; f < spec.families.size(); ++f) {
        structure.instanceBase.emplace_back();
        for (std::size_t g = 0; g < spec.families[f].groups.size(); ++g) {
            const auto& members = spec.families[f].groups[g];
            const auto size = static_cast<std::int32_t>(members.size());
            structure.instanceBase.back().push_back(static_cast<std::int32_t>(structure.instances.size()));
            std::int32_t sequence = 0;
            for (const CaseSpec::Call& call : spec.families[f].calls) {
                CollectiveInstance instance;
                instance.family = static_cast<FamilyId>(f);
                instance.group = static_cast<std::int64_t>(g);
                instance.sequence = sequence++;
                instance.op = call.op;
                instance.bytes = call.bytes;
                instance.stream = structure.streamCount;
                instance.replayPs = call.replayPs;
                instance.priority = call.priority;
                instance.layout = static_cast<std::int32_t>(structure.layouts.size());
                const auto body = call.body.find(size);
                const auto ops = call.ops.find(size);
                if (ops != call.ops.end() && call.bytes > 0) {
                    Program program;
                    program.op = call.op;
                    program.ranks = size;
                    program.chunks = call.chunks;
                    program.body = explicitBody(call, members, structure);
                    instance.program = std::make_shared<const Program>(std::move(program));
                    structure.layouts.push_back(layoutOf(members, {size}));
                } else if (body != call.body.end() && call.bytes > 0 && size > 1) {
                    Program program;
                    program.op = call.op;
                    program.ranks = size;
                    program.chunks = call.chunks;
                    program.window = call.window;
                    program.body = body->second;
                    instance.program = std::make_shared<const Program>(std::move(program));
                    structure.layouts.push_back(layoutOf(members, body->second.axes));
                } else {
                    GroupLayout layout;
                    layout.extents = {size};
                    layout.list = members;
                    structure.layouts.push_back(std::move(layout));
                }
                structure.instances.push_back(std::move(instance));
            }
            ++structure.streamCount;
        }
    }
}

const char* opName(OpKind kind)
{
    switch (kind) {
    case OpKind::Send:
        return "send";
    case OpKind::Receive:
        return "receive";
    case OpKind::ReceiveReduce:
        return "receive-reduce";
    case OpKind::Copy:
        return "copy";
    case OpKind::Reduce:
        return "reduce";
    case OpKind::Compute:
        return "compute";
    default:
        break;
    }
    return "other";
}

} // namespace

Result<Scenario> build(const CaseSpec& spec)
{
    auto platform = Platform::create(platformOf(spec));
    if (!platform)
        return platform.error();
    std::vector<Placement::Job> jobs;
    for (std::size_t j = 0; j < spec.jobs.size(); ++j) {
        Placement::Job job;
        job.name = "job" + std::to_string(j);
        job.ranks = static_cast<std::int32_t>(spec.jobs[j].size());
        job.nodes = spec.jobs[j];
        jobs.push_back(std::move(job));
    }
    auto placement = Placement::create(std::move(jobs), platform.value().npuCount());
    if (!placement)
        return placement.error();

    auto workload = std::make_shared<Workload>();
    workload->rankCount = spec.rankCount();
    auto structure = std::make_shared<Structure>();
    for (std::int32_t rank = 0; rank < spec.rankCount(); ++rank) {
        const auto& tasks = spec.tasks[at(rank)];
        workload->graphs.push_back(graphOf(tasks, spec.families));
        workload->graphOfRank.push_back(rank);
        auto ordinals = std::make_shared<std::vector<std::int32_t>>();
        for (const CaseSpec::Task& task : tasks)
            ordinals->push_back(task.kind == TaskKind::Collective ? task.call : -1);
        structure->ordinalsOfRank.push_back(std::move(ordinals));
    }
    for (std::size_t f = 0; f < spec.families.size(); ++f) {
        auto family = familyOf(spec, f);
        if (!family)
            return family.error();
        workload->families.push_back(std::move(family).value());
    }
    structure->platform = std::move(platform).value();
    structure->placement = std::move(placement).value();
    structure->workload = workload;
    addInstances(spec, *structure);

    auto params = std::make_shared<Params>();
    for (const CaseSpec::Dim& dim : spec.dims) {
        params->linkRate.push_back({dim.rate});
        params->linkLatency.push_back({std::max<std::int64_t>(dim.latencyPs, 1)});
    }
    const auto addClass = [&](LinkId link, std::int64_t rate, std::int64_t latency) {
        structure->classedLinks.push_back(link);
        params->linkRate.push_back({rate});
        params->linkLatency.push_back({std::max<std::int64_t>(latency, 1)});
    };
    for (const CaseSpec::Override& change : spec.overrides)
        addClass(change.link, change.rate, change.latencyPs);
    for (std::size_t i = 0; i < spec.links.size(); ++i)
        addClass(static_cast<LinkId>(i), spec.links[i].rate, spec.links[i].latencyPs);
    const auto rate = [](const std::optional<std::int64_t>& value) { return value ? std::optional(Bandwidth{*value}) : std::nullopt; };
    params->reducerRate = rate(spec.reducerRate);
    params->injection = rate(spec.injection);
    params->ejection = rate(spec.ejection);
    for (const auto& [node, limit] : spec.crossbars)
        params->crossbars.emplace_back(node, Bandwidth{limit});
    params->memoryRate = rate(spec.memoryRate);
    if (spec.peak)
        params->peak = ComputeRate{*spec.peak};
    if (spec.remoteBytesPerNs)
        params->remoteMemory = {RemoteMemory::Kind::PerNpu, spec.remoteLatencyNs, *spec.remoteBytesPerNs, 0, 0};
    params->roofline = spec.roofline;
    params->replayOnly = spec.replayOnly;
    params->endpointDelay = {spec.endpointDelayPs};
    params->pieceBytes = spec.pieceBytes;

    Scenario scenario;
    scenario.model = spec.model;
    scenario.version = "physical/1";
    scenario.costs = std::make_shared<const CostTable>(*params);
    scenario.structure = std::move(structure);
    scenario.params = std::move(params);
    return scenario;
}

TemplateBody standardBody(CollectiveOp op, const std::vector<std::int32_t>& extents, const std::vector<Algorithm>& algorithms)
{
    TemplateBody body;
    std::vector<Algorithm> used;
    for (std::size_t a = 0; a < extents.size(); ++a) {
        if (extents[a] > 1) {
            body.axes.push_back(extents[a]);
            used.push_back(algorithms[algorithms.size() == 1 ? 0 : a]);
        }
    }
    const auto add = [&](PhaseKind kind, std::size_t axis) { body.phases.push_back({kind, used[axis], static_cast<std::int32_t>(axis), 0, false}); };
    for (std::size_t a = 0; a < used.size(); ++a) {
        if (op == CollectiveOp::AllToAll)
            add(PhaseKind::AllToAll, a);
        else if (op != CollectiveOp::AllGather)
            add(PhaseKind::ReduceScatter, a);
    }
    if (op == CollectiveOp::AllReduce || op == CollectiveOp::AllGather)
        for (std::size_t a = used.size(); a-- > 0;)
            add(PhaseKind::AllGather, a);
    return body;
}

CaseSpec worldCollective(std::vector<CaseSpec::Dim> dims, CollectiveOp op, std::int64_t bytes, std::int32_t chunks, TemplateBody body)
{
    CaseSpec spec;
    std::int32_t ranks = 1;
    for (const CaseSpec::Dim& dim : dims)
        ranks *= dim.size;
    spec.dims = std::move(dims);
    spec.jobs.emplace_back();
    spec.families.emplace_back();
    spec.families[0].groups.emplace_back();
    CaseSpec::Task task;
    task.kind = TaskKind::Collective;
    for (std::int32_t r = 0; r < ranks; ++r) {
        spec.jobs[0].push_back(r);
        spec.families[0].groups[0].push_back(r);
        spec.tasks.push_back({task});
    }
    CaseSpec::Call call;
    call.op = op;
    call.bytes = bytes;
    call.chunks = chunks;
    call.body[ranks] = std::move(body);
    spec.families[0].calls.push_back(std::move(call));
    return spec;
}

CaseSpec relabel(const CaseSpec& spec, const std::vector<std::int32_t>& ranks, const std::vector<NodeId>& nodes)
{
    CaseSpec renamed = spec;
    for (std::size_t r = 0; r < spec.tasks.size(); ++r) {
        const auto target = static_cast<std::size_t>(ranks[r]);
        renamed.jobs[0][target] = nodes[at(spec.jobs[0][r])];
        renamed.tasks[target] = spec.tasks[r];
        for (CaseSpec::Task& task : renamed.tasks[target])
            if (task.kind == TaskKind::Send || task.kind == TaskKind::Receive)
                task.peer = ranks[at(task.peer)];
    }
    for (CaseSpec::Family& family : renamed.families)
        for (auto& group : family.groups)
            for (std::int32_t& member : group)
                member = ranks[at(member)];
    return renamed;
}

std::string CaseSpec::text() const
{
    std::ostringstream out;
    out << modelName(model) << ", pieces " << pieceBytes << ", o " << endpointDelayPs << " ps";
    const auto show = [&](const char* name, const std::optional<std::int64_t>& value) {
        if (value)
            out << ", " << name << ' ' << *value;
    };
    show("M", reducerRate);
    show("injection", injection);
    show("ejection", ejection);
    show("peak", peak);
    show("memory", memoryRate);
    show("remote latency ns", remoteLatencyNs);
    show("remote B/ns", remoteBytesPerNs);
    out << (roofline ? ", roofline" : "") << (replayOnly ? ", replay" : "") << '\n';
    for (const Dim& dim : dims)
        out << "  " << shapeName(dim.shape) << '(' << dim.size << ") rate " << dim.rate << " latency " << dim.latencyPs << '\n';
    if (!nodes.empty()) {
        out << "  nodes:";
        for (const NodeKind kind : nodes)
            out << ' ' << (kind == NodeKind::Npu ? "npu" : "switch");
        out << '\n';
    }
    for (const Link& link : links)
        out << "  link " << link.from << '>' << link.to << " rate " << link.rate << " latency " << link.latencyPs << '\n';
    for (const Override& change : overrides)
        out << "  override link " << change.link << " rate " << change.rate << " latency " << change.latencyPs << '\n';
    for (const auto& [node, rate] : crossbars)
        out << "  node " << node << " crossbar " << rate << '\n';
    for (const auto& [node, rate] : reducers)
        out << "  node " << node << " M " << rate << '\n';
    for (const auto& job : jobs) {
        out << "  job nodes:";
        for (const NodeId node : job)
            out << ' ' << node;
        out << '\n';
    }
    for (std::size_t f = 0; f < families.size(); ++f) {
        out << "  family " << f << ':';
        for (const auto& group : families[f].groups) {
            out << " {";
            for (const std::int32_t member : group)
                out << ' ' << member;
            out << " }";
        }
        out << '\n';
        for (std::size_t c = 0; c < families[f].calls.size(); ++c) {
            const Call& call = families[f].calls[c];
            out << "    call " << c << ' ' << collectiveKey(call.op) << ' ' << call.bytes << " B chunks " << call.chunks << " window " << call.window
                << " priority " << call.priority << " replay " << call.replayPs << '\n';
            for (const auto& [size, body] : call.body) {
                out << "      of " << size << ": axes";
                for (const std::int32_t axis : body.axes)
                    out << ' ' << axis;
                for (const PhaseTemplate& phase : body.phases)
                    out << ", " << phaseKey(phase.kind) << ' ' << algorithmKey(phase.algorithm) << (phase.minus ? "-" : "") << " axis " << phase.axis << " W "
                        << phase.window;
                out << '\n';
            }
            for (const auto& [size, ops] : call.ops) {
                out << "      explicit of " << size << ", slots " << call.slotCount << ", weights";
                for (const std::int64_t weight : call.weights)
                    out << ' ' << weight;
                out << ":\n";
                for (std::size_t i = 0; i < ops.size(); ++i) {
                    const Op& op = ops[i];
                    out << "        " << i << ": at " << op.position << ' ' << opName(op.kind) << " peer " << op.peer << " connection " << op.connection << " lane "
                        << op.lane << " chunk " << op.chunk << '+' << op.count << " bytes " << op.bytes << " duration " << op.duration << " step " << op.step << " slot "
                        << op.slot << (op.fused ? " fused" : "");
                    if (op.via >= 0)
                        out << " via " << op.via;
                    for (const std::size_t other : op.depends)
                        out << " after " << other;
                    out << '\n';
                }
            }
        }
    }
    for (std::size_t r = 0; r < tasks.size(); ++r) {
        for (std::size_t t = 0; t < tasks[r].size(); ++t) {
            const Task& task = tasks[r][t];
            out << "  rank " << r << " task " << t << ": ";
            if (task.kind == TaskKind::Collective)
                out << "collective family " << task.family << " call " << task.call;
            else if (task.kind == TaskKind::Send || task.kind == TaskKind::Receive)
                out << (task.kind == TaskKind::Send ? "send to " : "receive from ") << task.peer << " tag " << task.tag << ' ' << task.bytes << " B";
            else
                out << (task.kind == TaskKind::Compute ? "compute " : task.kind == TaskKind::MemoryLoad ? "load " : "metadata ") << task.durationPs << " ps, " << task.durationUs << " us, flags "
                    << static_cast<int>(task.flags) << ", " << task.operations << " operations, " << task.bytes << " B";
            for (const TaskIndex dependency : task.depends)
                out << " after " << dependency;
            out << '\n';
        }
    }
    return out.str();
}

} // namespace fabricscope::test
