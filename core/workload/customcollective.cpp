#include "core/workload/customcollective.h"

#include "core/base/stop.h"
#include "core/programio/programtraces.h"
#include "core/trace/dependencies.h"
#include "core/trace/nodecheck.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

class CustomBuilder {
public:
    CustomBuilder(const TraceSet& traces, const std::stop_token& stop) : m_stop(stop), m_traces(traces) {}

    Result<ExplicitBody> run()
    {
        m_body.rankBegin.push_back(0);
        m_body.dependBegin.push_back(0);
        for (std::int64_t rank = 0; rank < m_traces.rankCount(); ++rank) {
            if (Status status = addRank(rank); !status)
                return std::move(status).error();
        }
        if (Status status = checkPairs(); !status)
            return std::move(status).error();
        return std::move(m_body);
    }
    std::int64_t chunks() const { return m_chunks; }

private:
    Status addRank(std::int64_t rank);
    Status addNode(std::int64_t rank, std::uint32_t node);
    Status addMessage(std::int64_t rank, std::uint32_t node, bool send);
    Status checkPairs() const;
    Error refuse(std::int64_t rank, std::uint32_t node, std::string message, EtField field) const
    {
        Place place = m_traces.place(rank, node);
        place.field = etFieldName(field);
        return invalidInput(std::move(message), std::move(place));
    }

    /// Bytes, or minus chunks, of the messages of one (from, to, tag), in order, and where they come from.
    struct Message {
        std::int64_t size = 0;
        std::int64_t rank = 0;
        std::uint32_t node = 0;
    };
    using Channel = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

    const std::stop_token& m_stop;
    const TraceSet& m_traces;
    ExplicitBody m_body;
    std::int64_t m_chunks = 0; // 0: absolute bytes
    std::map<Channel, std::pair<std::vector<Message>, std::vector<Message>>> m_channels;
};

Status CustomBuilder::addRank(std::int64_t rank)
{
    const RankTrace& trace = m_traces.rank(rank);
    const ResolvedDependencies resolved = resolveDependencies(trace, CtrlDeps::Use, m_stop);
    Findings findings;
    checkDependencies(m_traces, rank, resolved, CtrlDeps::Use, findings, m_stop);
    if (findings.hasErrors())
        return findings.firstError();
    const auto base = m_body.size();
    if (std::uint64_t{base} + trace.size() > static_cast<std::uint64_t>(kLargest))
        return invalidInput("the algorithm has more than 2^31 operations", Place{m_traces.prefix(), 0, 0, -1, {}, -1, -1, false});
    for (std::uint32_t position = 0; position < trace.size(); ++position) {
        checkStop(m_stop);
        if (Status status = addNode(rank, resolved.node(position)); !status)
            return status;
        for (const std::uint32_t parent : resolved.of(position))
            m_body.depends.push_back(base + parent);
        m_body.dependBegin.push_back(static_cast<std::uint32_t>(m_body.depends.size()));
    }
    m_body.rankBegin.push_back(m_body.size());
    return {};
}

Status CustomBuilder::addNode(std::int64_t rank, std::uint32_t node)
{
    const RankTrace& trace = m_traces.rank(rank);
    const auto type = static_cast<EtNodeType>(trace.type(node));
    ExplicitBody& b = m_body;
    b.kind.push_back(type == EtNodeType::Send ? OpKind::Send : type == EtNodeType::Receive ? OpKind::Receive : OpKind::Compute);
    b.peer.push_back(-1);
    b.connection.push_back(0);
    b.lane.push_back(-1);
    b.chunk.push_back(-1);
    b.count.push_back(0);
    b.bytes.push_back(0);
    b.duration.push_back(0);
    b.sourceBuffer.push_back(BufferKind::Input);
    b.targetBuffer.push_back(BufferKind::Input);
    b.sourceOffset.push_back(0);
    b.targetOffset.push_back(0);
    const EtField order = trace.has(node, EtField::TieOrder) ? EtField::TieOrder : EtField::LocalTimeStep;
    b.step.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(trace.value(node, order), 0, kLargest)));
    b.slot.push_back(0);
    b.sourceId.push_back(trace.id(node));

    if (type == EtNodeType::Send || type == EtNodeType::Receive)
        return addMessage(rank, node, type == EtNodeType::Send);
    if (type != EtNodeType::Comp)
        return refuse(rank, node, "an algorithm is made of sends, receives and computations; this node is of type "
            + (etNodeTypeName(trace.type(node)).empty() ? std::to_string(trace.type(node)) : std::string(etNodeTypeName(trace.type(node)))), EtField::CommType);
    const std::int64_t micros = trace.value(node, EtField::Duration);
    if (micros < 0 || micros > std::numeric_limits<std::int64_t>::max() / kPsPerUs / 1024)
        return refuse(rank, node, "the duration is out of range", EtField::Duration);
    b.duration.back() = micros == 0 ? kPsPerNs : micros * kPsPerUs;
    return {};
}

Status CustomBuilder::addMessage(std::int64_t rank, std::uint32_t node, bool send)
{
    const RankTrace& trace = m_traces.rank(rank);
    const EtField peerField = send ? EtField::CommDst : EtField::CommSrc;
    const std::int64_t peer = peerOf(trace, node);
    if (!trace.has(node, peerField))
        return refuse(rank, node, send ? "a send does not say to whom" : "a receive does not say from whom", peerField);
    if (peer < 0 || peer >= m_traces.rankCount() || peer == rank)
        return refuse(rank, node, "the other rank is " + std::to_string(peer) + ", but the algorithm has ranks 0 to " + std::to_string(m_traces.rankCount() - 1), peerField);
    const std::int64_t tag = trace.value(node, EtField::CommTag);
    if (tag < 0 || tag > kLargest)
        return refuse(rank, node, "comm_tag " + std::to_string(tag) + " is out of range", EtField::CommTag);

    ExplicitBody& b = m_body;
    b.peer.back() = static_cast<std::int32_t>(peer);
    b.connection.back() = static_cast<std::int32_t>(tag);
    Message message{0, rank, node};
    if (trace.has(node, EtField::CommSize)) {
        const std::int64_t size = trace.value(node, EtField::CommSize);
        if (size < 0 || size > (std::int64_t{1} << 56))
            return refuse(rank, node, "comm_size " + std::to_string(size) + " is out of range", EtField::CommSize);
        if (m_chunks > 0)
            return refuse(rank, node, "some messages have bytes (comm_size), others chunks (msg_chunk_cnt)", EtField::CommSize);
        b.bytes.back() = size;
        message.size = size;
    } else {
        const std::int64_t count = trace.value(node, EtField::MsgChunkCount);
        const std::int64_t total = trace.value(node, EtField::TotalChunkCount);
        if (!trace.has(node, EtField::MsgChunkCount) || !trace.has(node, EtField::TotalChunkCount))
            return refuse(rank, node, "the message has neither comm_size nor msg_chunk_cnt and total_chunk_cnt", EtField::CommSize);
        const std::int64_t first = trace.value(node, EtField::ChunkOffset);
        if (total < 1 || total > kLargest || count < 0 || count > total || first < 0 || first > kLargest - count)
            return refuse(rank, node, "the chunks " + std::to_string(first) + " + " + std::to_string(count) + " of " + std::to_string(total) + " are out of range", EtField::MsgChunkCount);
        if ((m_chunks != 0 && m_chunks != total) || (m_chunks == 0 && !m_channels.empty()))
            return refuse(rank, node, "the messages do not agree on the number of chunks", EtField::TotalChunkCount);
        m_chunks = total;
        b.bytes.back() = -1;
        b.chunk.back() = static_cast<std::int32_t>(first);
        b.count.back() = static_cast<std::int32_t>(count);
        b.sourceOffset.back() = b.targetOffset.back() = static_cast<std::int32_t>(first);
        message.size = -count;
    }
    auto& channel = m_channels[send ? Channel{rank, peer, tag} : Channel{peer, rank, tag}];
    (send ? channel.first : channel.second).push_back(message);
    return {};
}

/// In order, every send has its receive of the same size.
Status CustomBuilder::checkPairs() const
{
    for (const auto& [channel, sides] : m_channels) {
        checkStop(m_stop);
        const auto& [sends, receives] = sides;
        const auto& [from, to, tag] = channel;
        const std::string between = "from rank " + std::to_string(from) + " to rank " + std::to_string(to) + " with tag " + std::to_string(tag);
        const std::size_t pairs = std::min(sends.size(), receives.size());
        if (sends.size() != receives.size()) {
            const Message& odd = sends.size() > pairs ? sends[pairs] : receives[pairs];
            return refuse(odd.rank, odd.node, std::to_string(sends.size()) + " sends " + between + " meet " + std::to_string(receives.size()) + " receives", EtField::CommTag);
        }
        for (std::size_t i = 0; i < pairs; ++i) {
            if (sends[i].size != receives[i].size)
                return refuse(receives[i].rank, receives[i].node, "message " + std::to_string(i) + ' ' + between + " has another size where it is sent (node "
                    + std::to_string(m_traces.rank(from).id(sends[i].node)) + ')', EtField::CommSize);
        }
    }
    return {};
}

} // namespace

Result<ProgramPtr> customProgramFromTraces(const TraceSet& traces, CollectiveOp op, const std::stop_token& stop)
{
    CustomBuilder builder(traces, stop);
    auto body = untilStopped([&] { return builder.run(); });
    if (!body)
        return std::move(body).error();
    auto program = std::make_shared<Program>();
    program->op = op;
    program->ranks = static_cast<std::int32_t>(traces.rankCount());
    program->chunks = static_cast<std::int32_t>(std::max<std::int64_t>(builder.chunks(), 1));
    program->name = traces.prefix().substr(traces.prefix().rfind('/') + 1);
    program->provenance = traces.prefix();
    program->body = std::move(body).value();
    return ProgramPtr(std::move(program));
}

Result<ProgramPtr> readCustomProgram(const std::string& path, std::int64_t ranks, CollectiveOp op, const std::stop_token& stop)
{
    auto traces = TraceSet::load(path, {ranks, 1, stop});
    if (!traces)
        return std::move(traces).error();
    return customProgramFromTraces(traces.value(), op, stop);
}

Result<ProgramPtr> programFromTraces(const TraceSet& traces, CollectiveOp op, const std::stop_token& stop)
{
    const bool ours = traces.rankCount() > 0 && isProgramTrace(traces.rank(0));
    return ours ? programOfTraces(traces, stop) : customProgramFromTraces(traces, op, stop);
}

Result<ProgramPtr> readGraphProgram(const std::string& path, std::int64_t ranks, CollectiveOp op, const std::stop_token& stop)
{
    auto traces = TraceSet::load(path, {ranks, 1, stop});
    if (!traces)
        return std::move(traces).error();
    return programFromTraces(traces.value(), op, stop);
}

} // namespace fabricscope
