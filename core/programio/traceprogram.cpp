// The way back from graphs that programTraces() made.
#include "core/programio/programtraces.h"

#include "core/base/jsontext.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/programio/programcheck.h"
#include "core/programio/programheader.h"
#include "core/programio/programkeys.h"
#include "core/trace/etnodes.h"
#include "core/trace/schema.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace fabricscope {

namespace {

constexpr const char* kHeader = "fabricscope_program";

class TraceProgram {
public:
    TraceProgram(const std::vector<ProgramTrace>& traces, std::string prefix, const std::stop_token& stop)
        : m_stop(stop)
        , m_traces(traces)
        , m_prefix(std::move(prefix))
    {
    }

    Result<ProgramPtr> run();

private:
    Status readHeader(std::size_t rank);
    Status addRank(std::size_t rank);
    Status addOperation(std::size_t rank, const EtNode& node);
    Error refuse(std::size_t rank, const EtNode& node, std::string message, const std::string& field) const
    {
        return invalidInput(std::move(message), Place{m_prefix + '.' + std::to_string(rank) + ".et", 0, 0, -1, field, static_cast<std::int64_t>(rank), static_cast<std::int64_t>(node.id), true});
    }

    const std::stop_token& m_stop;
    const std::vector<ProgramTrace>& m_traces;
    std::string m_prefix;
    Program m_program;
    ExplicitBody m_body;
    std::int64_t m_stride = 0;
    bool m_places = true;
    std::map<std::vector<std::int64_t>, std::int32_t> m_routes;
};

/// Attributes of a node by name.
class Attributes {
public:
    explicit Attributes(const EtNode& node)
    {
        for (const EtAttribute& attribute : node.attributes)
            m_found[attribute.name] = &attribute;
    }

    const EtAttribute* find(const char* name) const
    {
        const auto found = m_found.find(name);
        return found == m_found.end() ? nullptr : found->second;
    }
    std::string text(const char* name) const
    {
        const EtAttribute* found = find(name);
        return found && found->strings.size() == 1 ? found->strings[0] : std::string();
    }
    /// The number, `usual` where there is none; nothing (and `wrong` set) where it is no number from `least` to `most`.
    std::int64_t number(const char* name, std::int64_t usual, std::int64_t least, std::int64_t most)
    {
        const EtAttribute* found = find(name);
        if (!found)
            return usual;
        if (found->integers.size() == 1 && found->integers[0] >= least && found->integers[0] <= most)
            return found->integers[0];
        if (wrong.empty())
            wrong = name;
        return usual;
    }

    std::string wrong;

private:
    std::unordered_map<std::string_view, const EtAttribute*> m_found;
};

Status TraceProgram::readHeader(std::size_t rank)
{
    const std::string file = m_prefix + '.' + std::to_string(rank) + ".et";
    auto document = parseJson(m_traces[rank].metadata.textOf(kHeader), file, m_stop);
    if (!document) {
        Error error = std::move(document).error();
        error.place.field = kHeader;
        return error;
    }
    const nlohmann::json& root = document.value().root;
    JsonReading reading(file, m_stop);
    std::set<std::string> keys = programHeaderKeys();
    keys.insert({"version", "tag_stride", "places", "receive_slots", "chunk_weights", "buffers"});
    if (!reading.object(root, {}, keys))
        return reading.status();
    reading.integerOf(root, "version", {}, 1, 1, 1);
    if (rank == 0) {
        readProgramHeader(reading, root, m_program);
        m_stride = reading.integerOf(root, "tag_stride", {}, 0, INT32_MAX, 0);
        m_places = reading.truthOf(root, "places", {}, true);
        m_body.receiveSlots = static_cast<std::int32_t>(reading.integerOf(root, "receive_slots", {}, 0, INT32_MAX, 0));
        m_body.chunkWeights = reading.integers<std::int64_t>(reading.arrayOf(root, "chunk_weights", {}), "chunk_weights", 0, std::int64_t{1} << 61);
        if (reading.good() && static_cast<std::size_t>(m_program.ranks) != m_traces.size())
            reading.fail("ranks", "there are " + std::to_string(m_traces.size()) + " files", std::to_string(m_program.ranks));
    }
    if (m_places) {
        const auto three = reading.integers<std::int32_t>(reading.arrayOf(root, "buffers", {}), "buffers", 0, 1 << 30);
        if (three.size() != 3)
            reading.fail("buffers", "not three numbers", "[input, output, scratch]");
        else
            m_body.buffers.push_back({three[0], three[1], three[2]});
    }
    return reading.status();
}

Status TraceProgram::addOperation(std::size_t rank, const EtNode& node)
{
    Attributes attributes(node);
    const auto kind = std::find(kOpKindKeys.begin(), kOpKindKeys.end(), attributes.text("op"));
    if (kind == kOpKindKeys.end() || kind - kOpKindKeys.begin() >= static_cast<std::ptrdiff_t>(OpKind::Put))
        return refuse(rank, node, quotedText(attributes.text("op")) + " is no operation", "op");
    ExplicitBody& b = m_body;
    const auto operation = static_cast<OpKind>(kind - kOpKindKeys.begin());
    const bool send = operation == OpKind::Send;
    const bool message = send || receives(operation);
    const auto int32 = [&](const char* name, std::int64_t usual, std::int64_t least = 0) { return static_cast<std::int32_t>(attributes.number(name, usual, least, INT32_MAX)); };
    const auto buffer = [&](const char* name) {
        const std::string letter = attributes.text(name);
        return letter == "i" ? BufferKind::Input : letter == "o" ? BufferKind::Output : letter == "s" ? BufferKind::Scratch : BufferKind::None;
    };
    const auto tag = [&](const char* name) { return static_cast<std::int16_t>(attributes.number(name, -1, -1, INT16_MAX)); };
    b.kind.push_back(operation);
    b.peer.push_back(message ? int32(send ? "comm_dst" : "comm_src", -1) : -1);
    const std::int32_t connection = message ? int32("comm_tag", 0) : 0;
    b.connection.push_back(m_stride > 0 ? static_cast<std::int32_t>(connection / m_stride) : connection);
    b.lane.push_back(int32("tb_id", -1, -1));
    b.chunk.push_back(int32("msg_chunk_idx", 0, -1));
    b.count.push_back(int32("msg_chunk_cnt", 0));
    b.bytes.push_back(attributes.number("absolute_bytes", -1, 0, std::int64_t{1} << 56));
    b.duration.push_back(attributes.number("duration_ps", 0, 0, INT64_MAX / 4));
    b.sourceBuffer.push_back(attributes.find("takes_fused") ? BufferKind::Fused : buffer("src_buf"));
    b.targetBuffer.push_back(buffer("dst_buf"));
    b.sourceOffset.push_back(int32("src_off", 0));
    b.targetOffset.push_back(int32("dst_off", 0));
    b.step.push_back(int32("local_time_step", 0, INT32_MIN));
    b.slot.push_back(int32("slot", 0, INT32_MIN));
    b.sourceId.push_back(static_cast<std::uint64_t>(attributes.number("source_id", 0, INT64_MIN, INT64_MAX)));
    b.fused.push_back(attributes.number("is_fused", 0, 0, 1) != 0 ? 1 : 0);
    b.tags.push_back({tag("phase"), tag("dimension"), tag("tree"), tag("instance")});
    b.startPs.push_back(attributes.number("start_ps", -1, 0, INT64_MAX / 4));
    std::int32_t route = -1;
    if (const EtAttribute* links = attributes.find("route"))
        route = m_routes.try_emplace(links->integers, static_cast<std::int32_t>(m_routes.size())).first->second;
    b.route.push_back(route);
    if (!attributes.wrong.empty())
        return refuse(rank, node, "the number is out of range", attributes.wrong);
    return {};
}

Status TraceProgram::addRank(std::size_t rank)
{
    const std::vector<EtNode>& nodes = m_traces[rank].nodes;
    std::unordered_map<std::uint64_t, std::uint32_t> operationOf; // By node id.
    const std::uint32_t base = m_body.size();
    std::vector<std::size_t> heads;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        checkStop(m_stop);
        const bool head = std::any_of(nodes[i].attributes.begin(), nodes[i].attributes.end(), [](const EtAttribute& attribute) { return attribute.name == "op"; });
        if (head) {
            if (Status status = addOperation(rank, nodes[i]); !status)
                return status;
            heads.push_back(i);
        } else if (heads.empty()) {
            return refuse(rank, nodes[i], "the node belongs to no operation", "op");
        }
        if (!operationOf.emplace(nodes[i].id, m_body.size() - 1).second)
            return refuse(rank, nodes[i], "a second node has this id", "id");
    }
    for (std::size_t at = 0; at < heads.size(); ++at) {
        checkStop(m_stop);
        const EtNode& node = nodes[heads[at]];
        const auto op = static_cast<std::uint32_t>(base + at);
        std::vector<std::uint32_t> depends;
        for (const std::uint64_t id : node.dataDeps) {
            const auto found = operationOf.find(id);
            if (found == operationOf.end())
                return refuse(rank, node, "depends on node " + std::to_string(id) + ", which is not there", "data_deps");
            // Within a fused group the order is understood.
            if (!(m_body.fused[op] != 0 && found->second + 1 == op))
                depends.push_back(found->second);
        }
        std::sort(depends.begin(), depends.end());
        m_body.depends.insert(m_body.depends.end(), depends.begin(), depends.end());
        m_body.dependBegin.push_back(static_cast<std::uint32_t>(m_body.depends.size()));
    }
    m_body.rankBegin.push_back(m_body.size());
    return {};
}

/// A column of defaults is left empty.
template <typename Column, typename Value>
void dropUsual(Column& column, const Value& usual)
{
    if (std::all_of(column.begin(), column.end(), [&](const auto& value) { return value == usual; }))
        Column().swap(column);
}

Result<ProgramPtr> TraceProgram::run()
{
    if (m_traces.empty())
        return invalidInput("no graph", Place{m_prefix, 0, 0, -1, {}, -1, -1, false});
    m_body.rankBegin.push_back(0);
    m_body.dependBegin.push_back(0);
    for (std::size_t rank = 0; rank < m_traces.size(); ++rank) {
        if (Status status = readHeader(rank); !status)
            return std::move(status).error();
        if (Status status = addRank(rank); !status)
            return std::move(status).error();
    }
    m_body.routes.resize(m_routes.size());
    for (const auto& [links, number] : m_routes)
        m_body.routes[static_cast<std::size_t>(number)] = links;
    dropUsual(m_body.bytes, std::int64_t{-1});
    dropUsual(m_body.duration, std::int64_t{0});
    dropUsual(m_body.slot, 0);
    dropUsual(m_body.sourceId, std::uint64_t{0});
    dropUsual(m_body.fused, std::uint8_t{0});
    dropUsual(m_body.tags, OpTags{});
    dropUsual(m_body.startPs, std::int64_t{-1});
    dropUsual(m_body.route, -1);
    auto program = std::make_shared<Program>(std::move(m_program));
    program->provenance = m_prefix;
    program->body = std::move(m_body);
    if (Status status = checkExplicitBody(*program, m_stop); !status) {
        Error error = std::move(status).error();
        error.place.file = m_prefix;
        return error;
    }
    return ProgramPtr(std::move(program));
}

} // namespace

bool isProgramTrace(const RankTrace& trace)
{
    return !trace.metadata().textOf(kHeader).empty();
}

Result<ProgramPtr> programOfTraces(const std::vector<ProgramTrace>& traces, const std::string& prefix, const std::stop_token& stop)
{
    return untilStopped([&] { return TraceProgram(traces, prefix, stop).run(); });
}

Result<ProgramPtr> programOfTraces(const TraceSet& traces, const std::stop_token& stop)
{
    std::vector<ProgramTrace> all;
    for (std::int64_t rank = 0; rank < traces.rankCount(); ++rank) {
        auto nodes = readAllNodes(traces.rank(rank), traces.file(rank), stop);
        if (!nodes)
            return std::move(nodes).error();
        all.push_back({traces.rank(rank).metadata(), std::move(nodes).value()});
    }
    return programOfTraces(all, traces.prefix(), stop);
}

} // namespace fabricscope
