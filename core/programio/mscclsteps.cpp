#include "core/programio/mscclsteps.h"

#include "core/base/stop.h"

#include <algorithm>

namespace fabricscope {

void MscclFindings::add(Severity severity, const char* rule, std::string message, std::int64_t rank, const MscclLane& lane, std::size_t step) const
{
    Place place;
    place.file = file;
    place.line = lane.steps[step].line;
    place.rank = rank;
    place.field = "tb " + std::to_string(lane.id) + ", step " + std::to_string(step);
    list.add(severity, rule, std::move(message), std::move(place));
}

namespace {

const MscclLane* laneOf(const MscclGpu& gpu, std::int64_t id)
{
    const auto found = std::lower_bound(gpu.lanes.begin(), gpu.lanes.end(), id, [](const MscclLane& lane, std::int64_t wanted) { return lane.id < wanted; });
    return found != gpu.lanes.end() && found->id == id ? &*found : nullptr;
}

/// The step whose flag a wait for step `step` ends with; the number of steps where none comes.
std::size_t flagged(const MscclLane& lane, std::size_t step)
{
    while (step < lane.steps.size() && !(lane.steps[step].hasDependents && lane.steps[step].type != MscclStep::Nop))
        ++step;
    return step;
}

void checkDependency(const MscclGpu& gpu, const MscclLane& lane, std::size_t at, MscclStepRow& row, const MscclFindings& findings)
{
    const auto drop = [&](std::string message) {
        findings.add(Severity::Error, "V10", std::move(message), gpu.rank, lane, at);
        row.dependLane = row.dependStep = -1;
    };
    if (row.dependLane < 0 && row.dependStep < 0)
        return;
    if (row.dependLane < 0 || row.dependStep < 0)
        return drop("depid and deps name no step together");
    if (row.dependLane == lane.id)
        return drop("a dependency on a step of the same thread block");
    const MscclLane* const other = laneOf(gpu, row.dependLane);
    const std::string name = "tb " + std::to_string(row.dependLane) + ", step " + std::to_string(row.dependStep);
    if (!other || static_cast<std::size_t>(row.dependStep) >= other->steps.size())
        return drop("the dependency names " + name + ", which is not there");
    const std::size_t end = flagged(*other, static_cast<std::size_t>(row.dependStep));
    if (end == other->steps.size()) {
        findings.add(Severity::Error, "V10", "waits for " + name + ", but neither that nor a later step there has hasdep=1: it waits for ever", gpu.rank, lane, at);
        if (other->steps[static_cast<std::size_t>(row.dependStep)].type == MscclStep::Nop)
            row.dependLane = row.dependStep = -1;
        return;
    }
    if (end != static_cast<std::size_t>(row.dependStep)) {
        findings.add(Severity::Warning, "V10", "waits for " + name + ", which has hasdep=0: it waits until step " + std::to_string(end) + " there", gpu.rank, lane, at);
        row.dependStep = static_cast<std::int64_t>(end);
    }
}

void checkNops(const MscclGpu& gpu, const MscclLane& lane, const MscclFindings& findings)
{
    for (std::size_t at = 0; at < lane.steps.size(); ++at) {
        const MscclStepRow& row = lane.steps[at];
        if (row.type == MscclStep::Nop) {
            if (row.dependLane < 0)
                findings.add(Severity::Warning, "V11", "a nop without a dependency", gpu.rank, lane, at);
            if (at + 1 == lane.steps.size())
                findings.add(Severity::Warning, "V11", "no step comes behind this nop: its dependency has no effect", gpu.rank, lane, at);
        } else if (at > 0 && lane.steps[at - 1].type == MscclStep::Nop && row.dependLane < 0) {
            findings.add(Severity::Warning, "V11", "a step behind a nop has no dependency of its own: the executor rejects the file", gpu.rank, lane, at);
        }
    }
}

/// Rows of one rank become columns.
class BodyBuilder {
public:
    BodyBuilder(const Program& header, const MscclFindings& findings, const std::stop_token& stop)
        : m_stop(stop)
        , m_header(header)
        , m_findings(findings)
    {
        m_body.rankBegin.push_back(0);
        m_body.dependBegin.push_back(0);
    }

    void add(const MscclGpu& gpu);
    ExplicitBody finish();

private:
    void addStep(const MscclGpu& gpu, const MscclLane& lane, std::size_t at);
    void addRow(const MscclLane& lane, std::size_t at, OpKind kind, bool fused);
    void checkDeclared(const MscclGpu& gpu, const MscclLane& lane, std::size_t at) const;
    std::int32_t largeChunk(BufferKind buffer, std::int64_t offset) const;

    const std::stop_token& m_stop;
    const Program& m_header;
    const MscclFindings& m_findings;
    ExplicitBody m_body;
    std::int64_t m_rank = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> m_waits; ///< (lane, step): dependencies of the next row.
    std::vector<std::vector<std::uint32_t>> m_rowOf;            ///< By lane of this rank and step: its first row.
    bool m_anyFused = false;
};

std::int32_t BodyBuilder::largeChunk(BufferKind buffer, std::int64_t offset) const
{
    const CollectiveOp op = m_header.op;
    const std::int64_t share = m_header.chunks / m_header.ranks;
    const bool part = buffer == BufferKind::Input ? op == CollectiveOp::AllGather || op == CollectiveOp::Gather
                                                  : buffer == BufferKind::Output && (op == CollectiveOp::ReduceScatter || op == CollectiveOp::Scatter);
    return static_cast<std::int32_t>((part ? m_rank * share + offset : offset) % m_header.chunks);
}

void BodyBuilder::addRow(const MscclLane& lane, std::size_t at, OpKind kind, bool fused)
{
    const MscclStepRow& row = lane.steps[at];
    const bool reads = !fused && mscclReads(row.type);
    const bool writes = kind != OpKind::Send && mscclWrites(row.type);
    ExplicitBody& b = m_body;
    b.kind.push_back(kind);
    b.peer.push_back(static_cast<std::int32_t>(kind == OpKind::Send ? lane.send : receives(kind) ? lane.receive : -1));
    // The channel of a thread block says nothing of its local steps.
    b.connection.push_back(kind == OpKind::Send || receives(kind) ? static_cast<std::int32_t>(lane.channel) : 0);
    b.lane.push_back(static_cast<std::int32_t>(lane.id));
    const bool bySource = mscclReads(row.type) && row.type != MscclStep::Copy && row.type != MscclStep::Reduce;
    b.chunk.push_back(bySource ? largeChunk(row.source, row.sourceOffset) : largeChunk(row.target, row.targetOffset));
    b.count.push_back(static_cast<std::int32_t>(row.count));
    b.sourceBuffer.push_back(fused ? BufferKind::Fused : reads ? row.source : BufferKind::None);
    b.sourceOffset.push_back(reads ? static_cast<std::int32_t>(row.sourceOffset) : 0);
    b.targetBuffer.push_back(writes ? row.target : BufferKind::None);
    b.targetOffset.push_back(writes ? static_cast<std::int32_t>(row.targetOffset) : 0);
    b.step.push_back(static_cast<std::int32_t>(at));
    b.sourceId.push_back(static_cast<std::uint64_t>(row.line));
    b.fused.push_back(fused ? 1 : 0);
    m_anyFused = m_anyFused || fused;
}

void BodyBuilder::checkDeclared(const MscclGpu& gpu, const MscclLane& lane, std::size_t at) const
{
    const MscclStepRow& row = lane.steps[at];
    const auto check = [&](bool used, BufferKind buffer, std::int64_t offset) {
        const std::int64_t declared = buffer == BufferKind::Input ? gpu.declaredInput : gpu.declaredOutput;
        if (used && buffer != BufferKind::Scratch && offset + row.count > declared) {
            const bool input = buffer == BufferKind::Input;
            m_findings.add(Severity::Warning, "V9", std::string(input ? "input" : "output") + " chunk " + std::to_string(offset + row.count - 1) + " is outside the "
                + std::to_string(declared) + " of " + (input ? "i_chunks" : "o_chunks"), gpu.rank, lane, at);
        }
    };
    check(mscclReads(row.type), row.source, row.sourceOffset);
    check(mscclWrites(row.type), row.target, row.targetOffset);
}

void BodyBuilder::addStep(const MscclGpu& gpu, const MscclLane& lane, std::size_t at)
{
    checkStop(m_stop);
    const MscclStepRow& row = lane.steps[at];
    if (row.dependLane >= 0)
        m_waits.emplace_back(row.dependLane, row.dependStep);
    if (row.type == MscclStep::Nop)
        return;
    checkDeclared(gpu, lane, at);
    switch (row.type) {
    case MscclStep::Send:
        addRow(lane, at, OpKind::Send, false);
        break;
    case MscclStep::Receive:
    case MscclStep::ReceiveCopySend:
        addRow(lane, at, OpKind::Receive, false);
        break;
    case MscclStep::Copy:
        addRow(lane, at, OpKind::Copy, false);
        break;
    case MscclStep::Reduce:
        addRow(lane, at, OpKind::Reduce, false);
        break;
    default:
        addRow(lane, at, OpKind::ReceiveReduce, false);
        break;
    }
    for (const auto& [otherLane, otherStep] : m_waits) {
        const auto index = static_cast<std::size_t>(laneOf(gpu, otherLane) - gpu.lanes.data());
        m_body.depends.push_back(m_rowOf[index][static_cast<std::size_t>(otherStep)]);
    }
    const auto first = m_body.depends.begin() + m_body.dependBegin.back();
    std::sort(first, m_body.depends.end());
    m_body.depends.erase(std::unique(first, m_body.depends.end()), m_body.depends.end());
    m_waits.clear();
    m_body.dependBegin.push_back(static_cast<std::uint32_t>(m_body.depends.size()));
    if (mscclReceives(row.type) && mscclSends(row.type)) {
        addRow(lane, at, OpKind::Send, true);
        m_body.dependBegin.push_back(static_cast<std::uint32_t>(m_body.depends.size()));
    }
}

void BodyBuilder::add(const MscclGpu& gpu)
{
    m_rank = gpu.rank;
    BufferSizes sizes = contractSizes(m_header.op, m_header.ranks, m_header.chunks, static_cast<std::int32_t>(gpu.rank), m_header.root);
    sizes.scratch = static_cast<std::int32_t>(gpu.scratch);
    m_body.buffers.push_back(sizes);

    m_rowOf.assign(gpu.lanes.size(), {});
    std::uint32_t next = m_body.size();
    for (std::size_t i = 0; i < gpu.lanes.size(); ++i) {
        checkStop(m_stop);
        for (const MscclStepRow& row : gpu.lanes[i].steps) {
            m_rowOf[i].push_back(next);
            next += row.type == MscclStep::Nop ? 0 : mscclReceives(row.type) && mscclSends(row.type) ? 2 : 1;
        }
    }
    for (const MscclLane& lane : gpu.lanes) {
        m_waits.clear();
        for (std::size_t at = 0; at < lane.steps.size(); ++at)
            addStep(gpu, lane, at);
    }
    m_body.rankBegin.push_back(m_body.size());
}

ExplicitBody BodyBuilder::finish()
{
    if (!m_anyFused)
        m_body.fused.clear();
    return std::move(m_body);
}

} // namespace

void checkMscclDependencies(MscclGpu& gpu, const MscclFindings& findings, const std::stop_token& stop)
{
    for (MscclLane& lane : gpu.lanes) {
        for (std::size_t at = 0; at < lane.steps.size(); ++at) {
            checkStop(stop);
            checkDependency(gpu, lane, at, lane.steps[at], findings);
        }
        checkNops(gpu, lane, findings);
    }
}

ExplicitBody mscclBody(const Program& header, const std::vector<MscclGpu>& gpus, const MscclFindings& findings, const std::stop_token& stop)
{
    BodyBuilder builder(header, findings, stop);
    for (const MscclGpu& gpu : gpus)
        builder.add(gpu);
    return builder.finish();
}

} // namespace fabricscope
