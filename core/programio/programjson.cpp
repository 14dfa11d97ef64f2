#include "core/programio/programjson.h"

#include "core/base/index.h"
#include "core/base/jsontext.h"
#include "core/base/stop.h"
#include "core/program/nativerule.h"
#include "core/programio/programcheck.h"
#include "core/programio/programheader.h"
#include "core/programio/programkeys.h"

#include <algorithm>
#include <type_traits>

namespace fabricscope {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostInt = INT32_MAX;

json phasesJson(const std::vector<PhaseTemplate>& phases)
{
    json out = json::array();
    for (const PhaseTemplate& phase : phases)
        out.push_back({{"kind", phaseKey(phase.kind)}, {"algorithm", algorithmKey(phase.algorithm)}, {"axis", phase.axis}, {"window", phase.window}, {"minus", phase.minus}});
    return out;
}

json bodyJson(const TemplateBody& body)
{
    json out = {{"axes", body.axes}, {"phases", phasesJson(body.phases)}};
    for (const auto& order : body.orders)
        out["orders"].push_back(phasesJson(order));
    if (!body.orderOfChunk.empty())
        out["order_of_chunk"] = body.orderOfChunk;
    if (!body.chunkWeights.empty())
        out["chunk_weights"] = body.chunkWeights;
    return out;
}

/// The columns of a program of operations, key by key in alphabetical order: as values of JSON millions of operations would take gigabytes.
class BodyWriter {
public:
    BodyWriter(std::string& out, const std::stop_token& stop) : m_out(out), m_stop(stop) {}

    void write(const ExplicitBody& b);

private:
    void number(std::int64_t value) { m_out += std::to_string(value); }
    void number(std::uint64_t value) { m_out += std::to_string(value); }
    template <typename Each, typename Item>
    void list(const std::vector<Item>& items, const Each& each)
    {
        m_out += '[';
        for (std::size_t i = 0; i < items.size(); ++i) {
            checkStop(m_stop);
            if (i > 0)
                m_out += ',';
            each(items[i]);
        }
        m_out += ']';
    }
    template <typename Number>
    void numbers(const std::vector<Number>& values)
    {
        using Wide = std::conditional_t<std::is_same_v<Number, std::uint64_t>, std::uint64_t, std::int64_t>;
        list(values, [this](Number value) { number(static_cast<Wide>(value)); });
    }
    void key(const char* name)
    {
        m_out += m_out.back() == '{' ? "\"" : ",\"";
        m_out += name;
        m_out += "\":";
    }
    template <typename Number>
    void column(const char* name, const std::vector<Number>& values)
    {
        key(name);
        numbers(values);
    }
    template <typename Value>
    void some(const char* name, const std::vector<Value>& values)
    {
        if (!values.empty())
            column(name, values);
    }
    template <typename Number>
    void someLists(const char* name, const std::vector<std::vector<Number>>& lists)
    {
        if (lists.empty())
            return;
        key(name);
        list(lists, [this](const std::vector<Number>& values) { numbers(values); });
    }
    template <typename Enum, std::size_t size>
    void words(const char* name, const std::vector<Enum>& values, const std::array<std::string_view, size>& keys)
    {
        key(name);
        list(values, [&](Enum value) {
            m_out += '"';
            m_out += keys[at(value)];
            m_out += '"';
        });
    }

    std::string& m_out;
    const std::stop_token& m_stop;
};

void BodyWriter::write(const ExplicitBody& b)
{
    m_out += '{';
    if (!b.buffers.empty()) {
        key("buffers");
        list(b.buffers, [this](const BufferSizes& sizes) { numbers(std::vector<std::int32_t>{sizes.input, sizes.output, sizes.scratch}); });
    }
    some("bytes", b.bytes);
    column("chunk", b.chunk);
    some("chunk_weights", b.chunkWeights);
    column("connection", b.connection);
    column("count", b.count);
    column("depend_begin", b.dependBegin);
    column("depends", b.depends);
    some("duration", b.duration);
    some("fused", b.fused);
    words("kind", b.kind, kOpKindKeys);
    column("lane", b.lane);
    column("peer", b.peer);
    column("rank_begin", b.rankBegin);
    key("receive_slots");
    number(std::int64_t{b.receiveSlots});
    some("route", b.route);
    someLists("routes", b.routes);
    some("slot", b.slot);
    words("source_buffer", b.sourceBuffer, kBufferKeys);
    some("source_id", b.sourceId);
    column("source_offset", b.sourceOffset);
    some("start_ps", b.startPs);
    column("step", b.step);
    if (!b.tags.empty()) {
        key("tags");
        list(b.tags, [this](const OpTags& tags) { numbers(std::vector<std::int32_t>{tags.phase, tags.dimension, tags.tree, tags.instance}); });
    }
    words("target_buffer", b.targetBuffer, kBufferKeys);
    column("target_offset", b.targetOffset);
    someLists("teams", b.teams);
    m_out += '}';
}

Algorithm readAlgorithm(JsonReading& reading, const json& value, const std::string& path)
{
    if (const auto found = value.is_string() ? parseAlgorithm(value.get_ref<const std::string&>()) : std::nullopt)
        return *found;
    reading.fail(path, "not one of the words for it", algorithmList());
    return Algorithm::Ring;
}

std::vector<PhaseTemplate> readPhases(JsonReading& reading, const json& array, const std::string& path, std::size_t axes)
{
    std::vector<PhaseTemplate> out;
    for (std::size_t i = 0; i < array.size() && reading.good(); ++i) {
        const std::string at = path + '[' + std::to_string(i) + ']';
        const json& entry = array[i];
        if (!reading.object(entry, at, {"kind", "algorithm", "axis", "window", "minus"}))
            break;
        PhaseTemplate phase;
        phase.kind = wordOf(reading, entry.value("kind", json()), at + ".kind", kPhaseKeys);
        phase.algorithm = readAlgorithm(reading, entry.value("algorithm", json()), at + ".algorithm");
        phase.axis = static_cast<std::int32_t>(reading.integerOf(entry, "axis", at, 0, static_cast<std::int64_t>(axes) - 1, 0));
        phase.window = static_cast<std::int32_t>(reading.integerOf(entry, "window", at, 0, kMostInt, 0));
        phase.minus = reading.truthOf(entry, "minus", at, false);
        out.push_back(phase);
    }
    return out;
}

TemplateBody readTemplate(JsonReading& reading, const json& value, const Program& program)
{
    TemplateBody out;
    if (!reading.object(value, "template", {"axes", "phases", "orders", "order_of_chunk", "chunk_weights"}))
        return out;
    out.axes = reading.integers<std::int32_t>(reading.arrayOf(value, "axes", "template"), "template.axes", 2, 1 << 20);
    std::int64_t ranks = 1;
    for (const std::int32_t axis : out.axes)
        ranks = std::min<std::int64_t>(ranks * axis, std::int64_t{1} << 40);
    if (ranks != program.ranks)
        reading.fail("template.axes", "the extents do not multiply to the number of ranks", std::to_string(program.ranks));
    out.phases = readPhases(reading, reading.arrayOf(value, "phases", "template"), "template.phases", out.axes.size());
    const json& orders = reading.arrayOf(value, "orders", "template");
    for (std::size_t i = 0; i < orders.size() && reading.good(); ++i) {
        const std::string at = "template.orders[" + std::to_string(i) + ']';
        if (!orders[i].is_array())
            reading.fail(at, "not a list", "phases");
        else
            out.orders.push_back(readPhases(reading, orders[i], at, out.axes.size()));
        if (reading.good() && out.orders.back().size() != out.phases.size())
            reading.fail(at, "has another number of phases", std::to_string(out.phases.size()));
    }
    out.orderOfChunk = reading.integers<std::uint16_t>(reading.arrayOf(value, "order_of_chunk", "template"), "template.order_of_chunk", 0, static_cast<std::int64_t>(out.orders.size()));
    out.chunkWeights = reading.integers<std::int64_t>(reading.arrayOf(value, "chunk_weights", "template"), "template.chunk_weights", 0, (std::int64_t{1} << 61) / program.chunks);
    if (!out.orderOfChunk.empty() && out.orderOfChunk.size() != static_cast<std::size_t>(program.chunks))
        reading.fail("template.order_of_chunk", "not one entry per chunk", std::to_string(program.chunks));
    const bool zero = !out.chunkWeights.empty() && std::all_of(out.chunkWeights.begin(), out.chunkWeights.end(), [](std::int64_t weight) { return weight == 0; });
    if (zero || (!out.chunkWeights.empty() && out.chunkWeights.size() != static_cast<std::size_t>(program.chunks)))
        reading.fail("template.chunk_weights", "not one weight per chunk, or all 0", std::to_string(program.chunks));
    return out;
}

template <typename Enum, std::size_t size>
std::vector<Enum> readWords(JsonReading& reading, const json& array, const std::string& path, const std::array<std::string_view, size>& keys)
{
    std::vector<Enum> out;
    out.reserve(array.size());
    for (std::size_t i = 0; i < array.size() && reading.good(); ++i)
        out.push_back(wordOf<Enum>(reading, array[i], path, keys));
    return out;
}

template <typename T>
std::vector<std::vector<T>> readLists(JsonReading& reading, const json& array, const std::string& path, std::int64_t most)
{
    std::vector<std::vector<T>> out;
    for (std::size_t i = 0; i < array.size() && reading.good(); ++i)
        out.push_back(reading.integers<T>(array[i], path + '[' + std::to_string(i) + ']', 0, most));
    return out;
}

ExplicitBody readExplicit(JsonReading& reading, const json& value)
{
    ExplicitBody b;
    if (!reading.object(value, "explicit", {"rank_begin", "kind", "peer", "connection", "lane", "chunk", "count", "bytes", "duration", "source_buffer", "target_buffer", "source_offset",
                                               "target_offset", "step", "slot", "source_id", "depend_begin", "depends", "receive_slots", "fused", "tags", "start_ps", "route", "routes",
                                               "chunk_weights", "buffers", "teams"}))
        return b;
    const auto column = [&](auto& to, const char* key, std::int64_t least, std::int64_t most) {
        using Value = typename std::decay_t<decltype(to)>::value_type;
        to = reading.integers<Value>(reading.arrayOf(value, key, "explicit"), std::string("explicit.") + key, least, most);
    };
    column(b.rankBegin, "rank_begin", 0, kMostInt);
    b.kind = readWords<OpKind>(reading, reading.arrayOf(value, "kind", "explicit"), "explicit.kind", kOpKindKeys);
    column(b.peer, "peer", -1, kMostInt);
    column(b.connection, "connection", 0, kMostInt);
    column(b.lane, "lane", -1, kMostInt);
    column(b.chunk, "chunk", -1, kMostInt);
    column(b.count, "count", 0, kMostInt);
    column(b.bytes, "bytes", -1, std::int64_t{1} << 56);
    column(b.duration, "duration", 0, INT64_MAX / 4);
    b.sourceBuffer = readWords<BufferKind>(reading, reading.arrayOf(value, "source_buffer", "explicit"), "explicit.source_buffer", kBufferKeys);
    b.targetBuffer = readWords<BufferKind>(reading, reading.arrayOf(value, "target_buffer", "explicit"), "explicit.target_buffer", kBufferKeys);
    column(b.sourceOffset, "source_offset", 0, kMostInt);
    column(b.targetOffset, "target_offset", 0, kMostInt);
    column(b.step, "step", INT32_MIN, kMostInt);
    column(b.slot, "slot", INT32_MIN, kMostInt);
    // Ids of foreign files use all 64 bits.
    const json& ids = reading.arrayOf(value, "source_id", "explicit");
    for (std::size_t i = 0; i < ids.size() && reading.good(); ++i) {
        if (ids[i].is_number_unsigned())
            b.sourceId.push_back(ids[i].get<std::uint64_t>());
        else
            reading.fail("explicit.source_id[" + std::to_string(i) + ']', "not a whole number", "0 to 2^64 - 1");
    }
    column(b.dependBegin, "depend_begin", 0, kMostInt);
    column(b.depends, "depends", 0, kMostInt);
    b.receiveSlots = static_cast<std::int32_t>(reading.integerOf(value, "receive_slots", "explicit", 0, kMostInt, 0));
    column(b.fused, "fused", 0, 1);
    column(b.startPs, "start_ps", -1, INT64_MAX / 4);
    column(b.route, "route", -1, kMostInt);
    b.routes = readLists<std::int64_t>(reading, reading.arrayOf(value, "routes", "explicit"), "explicit.routes", INT64_MAX);
    column(b.chunkWeights, "chunk_weights", 0, std::int64_t{1} << 61);
    b.teams = readLists<std::int32_t>(reading, reading.arrayOf(value, "teams", "explicit"), "explicit.teams", kMostInt);
    const json& tags = reading.arrayOf(value, "tags", "explicit");
    for (std::size_t i = 0; i < tags.size() && reading.good(); ++i) {
        const std::string at = "explicit.tags[" + std::to_string(i) + ']';
        const auto four = reading.integers<std::int16_t>(tags[i], at, -1, INT16_MAX);
        if (four.size() == 4)
            b.tags.push_back({four[0], four[1], four[2], four[3]});
        else
            reading.fail(at, "not four numbers", "[phase, dimension, tree, instance]");
    }
    const json& buffers = reading.arrayOf(value, "buffers", "explicit");
    for (std::size_t i = 0; i < buffers.size() && reading.good(); ++i) {
        const std::string at = "explicit.buffers[" + std::to_string(i) + ']';
        const auto three = reading.integers<std::int32_t>(buffers[i], at, 0, 1 << 30);
        if (three.size() == 3)
            b.buffers.push_back({three[0], three[1], three[2]});
        else
            reading.fail(at, "not three numbers", "[input, output, scratch]");
    }
    return b;
}

} // namespace

std::string writeProgramJson(const Program& program, const std::stop_token& stop)
{
    json head = programHeader(program);
    head["fabricscope_program"] = 1;
    head["provenance"] = program.provenance;
    head[program.isTemplate() ? "template" : "explicit"] = program.isTemplate() ? bodyJson(program.asTemplate()) : json();
    std::string out = "{";
    for (const auto& [key, value] : head.items()) {
        out += out.size() > 1 ? ",\"" : "\"";
        out += key + "\":";
        if (value.is_null())
            BodyWriter(out, stop).write(program.asExplicit());
        else
            appendJson(out, value, stop);
    }
    return out + "}\n";
}

namespace {

Result<ProgramPtr> parse(std::string text, const std::string& file, const std::stop_token& stop)
{
    auto document = parseJson(std::move(text), file, stop);
    if (!document)
        return std::move(document).error();
    const json& root = document.value().root;
    JsonReading reading(file, stop);
    std::set<std::string> keys = programHeaderKeys();
    keys.insert({"fabricscope_program", "provenance", "template", "explicit"});
    if (!root.is_object() || !root.contains("fabricscope_program"))
        return invalidInput("not a program of Fabricscope", document.value().placeOf("fabricscope_program"), "\"fabricscope_program\": 1");
    reading.integerOf(root, "fabricscope_program", {}, 1, 1, 1);
    reading.object(root, {}, keys);
    auto program = std::make_shared<Program>();
    readProgramHeader(reading, root, *program);
    program->provenance = reading.textOf(root, "provenance", {}, {});
    const bool isTemplate = root.contains("template");
    if (isTemplate == root.contains("explicit"))
        reading.fail(isTemplate ? "explicit" : "template", "a program has either a template or explicit operations");
    if (!reading.good())
        return reading.status().error();
    if (isTemplate)
        program->body = readTemplate(reading, root["template"], *program);
    else
        program->body = readExplicit(reading, root["explicit"]);
    if (!reading.good())
        return reading.status().error();
    if (!isTemplate) {
        if (Status status = checkExplicitBody(*program, stop); !status) {
            Error error = std::move(status).error();
            error.place.file = file;
            return error;
        }
    }
    return ProgramPtr(std::move(program));
}

} // namespace

Result<ProgramPtr> parseProgramJson(std::string text, const std::string& file, const std::stop_token& stop)
{
    return untilStopped([&] { return parse(std::move(text), file, stop); });
}

} // namespace fabricscope
