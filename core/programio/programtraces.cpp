#include "core/programio/programtraces.h"

#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/programio/messagepairs.h"
#include "core/programio/mscclnames.h"
#include "core/programio/programheader.h"
#include "core/programio/programkeys.h"
#include "core/trace/etwriter.h"
#include "core/trace/schema.h"
#include "core/verify/carriedbytes.h"

#include <algorithm>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostTag = 500'000'000; // ASTRA-sim takes tags modulo this.
constexpr std::int64_t kPsPerMicro = 1'000'000;

std::string bufferLetter(BufferKind buffer)
{
    return buffer == BufferKind::Input ? "i" : buffer == BufferKind::Output ? "o" : "s";
}

class TraceMaker {
public:
    TraceMaker(const Program& program, std::int64_t bytes, const std::stop_token& stop)
        : m_stop(stop)
        , m_program(program)
        , m_body(program.asExplicit())
        , m_bytes(bytes)
        , m_sizes(carriedBytes(program, std::max<std::int64_t>(bytes, 0), stop))
    {
    }

    Result<std::vector<ProgramTrace>> run();

private:
    Status prepare();
    void orderSends();
    ProgramTrace traceOf(std::int32_t rank);
    EtMetadata metadataOf(std::int32_t rank) const;
    void addOperation(std::uint32_t op, std::vector<EtNode>& nodes);
    EtNode nodeOf(std::uint32_t op, EtNodeType type) const;
    void describe(std::uint32_t op, EtNode& node) const;

    const std::stop_token& m_stop;
    const Program& m_program;
    const ExplicitBody& m_body;
    std::int64_t m_bytes;
    OperationBytes m_sizes;
    std::int64_t m_stride = 0;
    std::vector<std::int64_t> m_tag;
    std::vector<std::uint32_t> m_sizeOf;    ///< By operation: the one whose size it has.
    std::vector<std::uint64_t> m_lastNode;  ///< By operation.
    std::vector<std::int32_t> m_tieOrder;   ///< By operation; empty: the steps say it.
};

Status TraceMaker::prepare()
{
    for (std::uint32_t op = 0; op < m_body.size(); ++op) {
        if (m_body.kind[op] >= OpKind::Put)
            return Error{ErrorCode::Unsupported, "a graph has no node for one-sided operations and those of switches", {}, {}};
    }
    const auto ends = connectionEnds(m_body, m_stop);
    if (Status status = checkPairs(m_body, ends); !status)
        return status;
    // Where one lane does each end, messages are posted in order.
    std::size_t longest = 1;
    bool ordered = true;
    for (const auto& [connection, sides] : ends) {
        longest = std::max(longest, sides.sends.size());
        for (const auto* side : {&sides.sends, &sides.receives}) {
            for (const std::uint32_t op : *side)
                ordered = ordered && (side->size() == 1 || (m_body.lane[op] >= 0 && m_body.lane[op] == m_body.lane[side->front()]));
        }
    }
    m_stride = ordered ? 0 : static_cast<std::int64_t>(longest);
    m_tag.assign(m_body.size(), 0);
    m_sizeOf.resize(m_body.size());
    for (std::uint32_t op = 0; op < m_body.size(); ++op)
        m_sizeOf[op] = op;
    for (const auto& [connection, sides] : ends) {
        const std::int64_t channel = std::get<2>(connection);
        for (std::size_t k = 0; k < sides.sends.size(); ++k) {
            const std::int64_t tag = m_stride == 0 ? channel : channel * m_stride + static_cast<std::int64_t>(k);
            if (tag < 0 || tag >= kMostTag)
                return Error{ErrorCode::Unsupported, "the tag of message " + std::to_string(k) + ' ' + connectionText(connection) + " is over 5e8, where ASTRA-sim's own tags begin", {}, {}};
            m_tag[sides.sends[k]] = m_tag[sides.receives[k]] = tag;
            m_sizeOf[sides.receives[k]] = sides.sends[k];
        }
    }
    return {};
}

/// Places of the sends in the tie rule: messages that compare alike share one.
void TraceMaker::orderSends()
{
    const auto keyOf = [&](std::uint32_t op) {
        const OpTags tags = m_body.tagsOf(op);
        const bool tagged = !m_body.tags.empty();
        return std::tuple(std::max(tagged ? std::int32_t{tags.instance} : m_body.chunk[op], 0), std::max<std::int32_t>(tags.phase, 0), m_body.step[op], m_body.slotOf(op));
    };
    std::vector<std::uint32_t> sends;
    for (std::uint32_t op = 0; op < m_body.size(); ++op) {
        if (m_body.kind[op] == OpKind::Send)
            sends.push_back(op);
    }
    sortUntilStopped(sends, [&](std::uint32_t a, std::uint32_t b) { return keyOf(a) < keyOf(b); }, m_stop);
    std::vector<std::int32_t> places(m_body.size(), 0);
    bool stepsSay = true;
    for (std::size_t i = 1; i < sends.size(); ++i) {
        checkStop(m_stop);
        const bool same = keyOf(sends[i]) == keyOf(sends[i - 1]);
        places[sends[i]] = places[sends[i - 1]] + (same ? 0 : 1);
        stepsSay = stepsSay && (same || m_body.step[sends[i - 1]] < m_body.step[sends[i]]);
    }
    if (!stepsSay)
        m_tieOrder = std::move(places);
}

EtMetadata TraceMaker::metadataOf(std::int32_t rank) const
{
    nlohmann::json header = programHeader(m_program);
    if (rank > 0)
        header.erase("conditions");
    header["version"] = 1;
    header["tag_stride"] = m_stride;
    header["places"] = m_body.hasPlaces();
    header["receive_slots"] = m_body.receiveSlots;
    if (!m_body.chunkWeights.empty())
        header["chunk_weights"] = m_body.chunkWeights;
    if (m_body.hasPlaces()) {
        const BufferSizes& sizes = m_body.buffers[static_cast<std::size_t>(rank)];
        header["buffers"] = {sizes.input, sizes.output, sizes.scratch};
    }
    EtMetadata out;
    out.version = "0.0.4";
    out.attributes = {EtAttribute::text("schema", "1.0.2-chakra.0.0.4"), EtAttribute::text("collective", std::string(mscclCollectiveName(m_program.op))),
        EtAttribute::text("fabricscope_program", header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))};
    return out;
}

/// What is said of an operation on its first node.
void TraceMaker::describe(std::uint32_t op, EtNode& node) const
{
    const ExplicitBody& b = m_body;
    const auto number = [&](const char* name, std::int64_t value, EtKind kind = EtKind::Int32) { node.attributes.push_back(EtAttribute::integer(name, value, kind)); };
    const auto unusual = [&](const char* name, std::int64_t value, std::int64_t usual, EtKind kind = EtKind::Int32) {
        if (value != usual)
            number(name, value, kind);
    };
    node.attributes.push_back(EtAttribute::text("op", std::string(kOpKindKeys[static_cast<std::size_t>(b.kind[op])])));
    number("tb_id", b.lane[op]);
    number("local_time_step", b.step[op]);
    number("msg_chunk_cnt", b.count[op]);
    number("msg_chunk_idx", b.chunk[op]);
    number("total_chunk_cnt", m_program.chunks);
    number("chunk_offset", receives(b.kind[op]) ? b.targetOffset[op] : b.sourceOffset[op]);
    if (b.sourceBuffer[op] <= BufferKind::Scratch) {
        node.attributes.push_back(EtAttribute::text("src_buf", bufferLetter(b.sourceBuffer[op])));
        number("src_off", b.sourceOffset[op]);
    }
    if (b.targetBuffer[op] <= BufferKind::Scratch) {
        node.attributes.push_back(EtAttribute::text("dst_buf", bufferLetter(b.targetBuffer[op])));
        number("dst_off", b.targetOffset[op]);
    }
    if (b.isFused(op))
        node.attributes.push_back(EtAttribute::boolean("is_fused", true));
    if (b.sourceBuffer[op] == BufferKind::Fused)
        node.attributes.push_back(EtAttribute::boolean("takes_fused", true));
    unusual("slot", b.slotOf(op), 0);
    unusual("source_id", static_cast<std::int64_t>(b.sourceIdOf(op)), 0, EtKind::Uint64);
    unusual("duration_ps", b.durationOf(op), 0, EtKind::Int64);
    unusual("absolute_bytes", b.bytesOf(op), -1, EtKind::Int64);
    const OpTags tags = b.tagsOf(op);
    unusual("phase", tags.phase, -1);
    unusual("dimension", tags.dimension, -1);
    unusual("tree", tags.tree, -1);
    unusual("instance", tags.instance, -1);
    unusual("start_ps", b.startOf(op), -1, EtKind::Int64);
    if (b.routeOf(op) >= 0)
        node.attributes.push_back({"route", EtKind::Int64List, b.routes[static_cast<std::size_t>(b.routeOf(op))], {}, {}, {}});
}

EtNode TraceMaker::nodeOf(std::uint32_t op, EtNodeType type) const
{
    EtNode node;
    node.type = static_cast<std::int32_t>(type);
    node.name = std::string(etNodeTypeName(node.type)) + "_tb" + std::to_string(m_body.lane[op]) + "_step" + std::to_string(m_body.step[op]);
    if (type != EtNodeType::Send && type != EtNodeType::Receive)
        return node;
    node.attributes = {EtAttribute::integer("comm_type", node.type), EtAttribute::integer(type == EtNodeType::Send ? "comm_dst" : "comm_src", m_body.peer[op], EtKind::Int32),
        EtAttribute::integer("comm_tag", m_tag[op], EtKind::Int32)};
    const std::uint32_t sized = m_sizeOf[op];
    if (m_body.bytesOf(sized) >= 0 || m_bytes >= 0)
        node.attributes.push_back(EtAttribute::integer("comm_size", m_sizes.of(sized)));
    return node;
}

void TraceMaker::addOperation(std::uint32_t op, std::vector<EtNode>& nodes)
{
    const OpKind kind = m_body.kind[op];
    const EtNodeType type = kind == OpKind::Send ? EtNodeType::Send : receives(kind) ? EtNodeType::Receive : EtNodeType::Comp;
    EtNode node = nodeOf(op, type);
    node.id = nodes.size();
    if (kind == OpKind::ReceiveReduce)
        node.attributes.push_back(EtAttribute::boolean("is_rrc", true));
    if (kind == OpKind::Send && !m_tieOrder.empty())
        node.attributes.push_back(EtAttribute::integer("tie_order", m_tieOrder[op], EtKind::Int32));
    describe(op, node);
    node.durationMicros = static_cast<std::uint64_t>((m_body.durationOf(op) + kPsPerMicro / 2) / kPsPerMicro);
    nodes.push_back(std::move(node));
    if (kind == OpKind::ReceiveReduce) {
        EtNode sum = nodeOf(op, EtNodeType::Comp);
        sum.id = nodes.size();
        sum.dataDeps.push_back(sum.id - 1);
        nodes.push_back(std::move(sum));
    }
    m_lastNode[op] = nodes.size() - 1;
}

ProgramTrace TraceMaker::traceOf(std::int32_t rank)
{
    ProgramTrace out;
    out.metadata = metadataOf(rank);
    const std::uint32_t begin = m_body.rankBegin[static_cast<std::size_t>(rank)];
    const std::uint32_t end = m_body.rankBegin[static_cast<std::size_t>(rank) + 1];
    std::vector<std::uint64_t> firstNode(end - begin);
    for (std::uint32_t op = begin; op < end; ++op) {
        checkStop(m_stop);
        firstNode[op - begin] = out.nodes.size();
        addOperation(op, out.nodes);
    }
    // Dependencies may point forward, so they come when all nodes have numbers.
    std::map<std::int32_t, std::uint32_t> latest;
    for (std::uint32_t op = begin; op < end; ++op) {
        checkStop(m_stop);
        EtNode& node = out.nodes[static_cast<std::size_t>(firstNode[op - begin])];
        for (std::uint32_t at = m_body.dependBegin[op]; at < m_body.dependBegin[op + 1]; ++at)
            node.dataDeps.push_back(m_lastNode[m_body.depends[at]]);
        if (m_body.isFused(op) && op > begin)
            node.dataDeps.push_back(m_lastNode[op - 1]);
        if (m_body.lane[op] >= 0) {
            const auto [found, isFirst] = latest.try_emplace(m_body.lane[op], op);
            if (!isFirst) {
                if (!m_body.isFused(op))
                    node.ctrlDeps.push_back(m_lastNode[found->second]);
                found->second = op;
            }
        }
        std::sort(node.dataDeps.begin(), node.dataDeps.end());
        node.dataDeps.erase(std::unique(node.dataDeps.begin(), node.dataDeps.end()), node.dataDeps.end());
    }
    return out;
}

Result<std::vector<ProgramTrace>> TraceMaker::run()
{
    if (Status status = prepare(); !status)
        return std::move(status).error();
    orderSends();
    m_lastNode.resize(m_body.size());
    std::vector<ProgramTrace> out;
    for (std::int32_t rank = 0; rank < m_body.rankCount(); ++rank)
        out.push_back(traceOf(rank));
    return out;
}

} // namespace

Result<std::vector<ProgramTrace>> programTraces(const Program& program, std::int64_t bytes, const std::stop_token& stop)
{
    if (program.isTemplate())
        return Error{ErrorCode::Unsupported, "a template has no nodes", {}, "an explicit program"};
    return untilStopped([&] { return TraceMaker(program, bytes, stop).run(); });
}

Status writeProgramTraces(const Program& program, const std::string& prefix, std::int64_t bytes, OutputFiles* files,
                          const std::stop_token& stop)
{
    auto traces = programTraces(program, bytes, stop);
    if (!traces)
        return std::move(traces).error();
    for (std::size_t rank = 0; rank < traces.value().size(); ++rank) {
        auto writer = EtWriter::create(prefix + '.' + std::to_string(rank) + ".et", traces.value()[rank].metadata, files);
        if (!writer)
            return std::move(writer).error();
        for (const EtNode& node : traces.value()[rank].nodes) {
            if (stop.stop_requested())
                return stoppedError();
            if (Status status = writer.value().add(node); !status)
                return status;
        }
        if (Status status = writer.value().finish(); !status)
            return status;
    }
    return {};
}

} // namespace fabricscope
