#include "core/programio/mscclxml.h"

#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/base/files/textfile.h"
#include "core/programio/cinteger.h"
#include "core/programio/findingslist.h"
#include "core/programio/mscclnames.h"
#include "core/programio/mscclsteps.h"

#include <pugixml.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <set>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostRanks = 1 << 20;
constexpr std::int64_t kMostChunks = 1 << 20;
constexpr std::int64_t kMostLanes = 1 << 20;
constexpr std::int64_t kMostMemory = std::int64_t{1} << 28; // Chunks of all buffers of all ranks.
constexpr std::int64_t kMostConditions = 1 << 20;           // Chunks of all ranks that are named one by one.

/// Lines of ascending offsets in one pass over the text.
class LineCounter {
public:
    explicit LineCounter(std::string_view text) : m_text(text) {}

    int lineAt(std::ptrdiff_t offset)
    {
        const auto wanted = std::min(m_text.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
        if (wanted < m_at) {
            m_at = 0;
            m_line = 1;
        }
        m_line += static_cast<int>(std::count(m_text.data() + m_at, m_text.data() + wanted, '\n'));
        m_at = wanted;
        return m_line;
    }

private:
    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
};

class Reader {
public:
    Reader(std::string_view text, const std::string& file, const std::stop_token& stop)
        : m_stop(stop)
        , m_lines(text)
        , m_file(file)
    {
    }

    MscclFile read(const pugi::xml_node& algo);

private:
    using Gpus = std::vector<MscclGpu>;

    Place place(int line, std::string field, std::int64_t rank = -1) const
    {
        Place out;
        out.file = m_file;
        out.line = line;
        out.rank = rank;
        out.field = std::move(field);
        return out;
    }
    int lineOf(const pugi::xml_node& node) { return m_lines.lineAt(node.offset_debug()); }
    void error(const char* rule, std::string message, Place at, std::string expected = {})
    {
        m_findings.add(Severity::Error, rule, std::move(message), std::move(at), std::move(expected));
    }
    /// An error that leaves no program.
    void fatal(const char* rule, std::string message, Place at, std::string expected = {})
    {
        error(rule, std::move(message), std::move(at), std::move(expected));
        m_broken = true;
    }

    /// The value of an attribute that must be a whole number in [least, most]; `otherwise` and a finding where it is not.
    std::int64_t integer(const char* text, const char* name, int line, const std::string& where, std::int64_t rank, std::int64_t least, std::int64_t most,
        std::int64_t otherwise, const char* rule = "V1");
    std::int64_t integer(const pugi::xml_node& node, const char* name, int line, const std::string& where, std::int64_t rank, std::int64_t least,
        std::int64_t most, std::int64_t otherwise, const char* rule = "V1")
    {
        const pugi::xml_attribute found = node.attribute(name);
        return integer(found ? found.value() : nullptr, name, line, where, rank, least, most, otherwise, rule);
    }

    void readRoot(const pugi::xml_node& algo);
    void readFlags(const pugi::xml_node& algo, int line);
    void readCollective(const pugi::xml_node& algo, int line);
    void readGpu(const pugi::xml_node& gpu);
    void readLane(const pugi::xml_node& tb, MscclGpu& gpu);
    void readStep(const pugi::xml_node& step, const MscclGpu& gpu, MscclLane& lane);
    BufferKind buffer(const char* text, const char* name, bool used, const MscclStepRow& row, const std::string& where, std::int64_t rank);
    bool named(const pugi::xml_node& node, const char* wanted);
    void checkRanks();
    void checkLanes(MscclGpu& gpu);
    void checkChannels();
    void guessConditions();

    const std::stop_token& m_stop;
    LineCounter m_lines;
    std::string m_file;
    FindingsList m_findings;
    bool m_broken = false;
    Program m_program;
    int m_rootLine = 1;
    std::int64_t m_channels = 0;
    Gpus m_gpus;
    std::set<std::string> m_skipped;
};

std::int64_t Reader::integer(const char* text, const char* name, int line, const std::string& where, std::int64_t rank, std::int64_t least, std::int64_t most,
    std::int64_t otherwise, const char* rule)
{
    const std::string field = where.empty() ? std::string(name) : where + ", " + name;
    const std::optional<std::int64_t> value = text ? cInteger(text) : std::nullopt;
    if (!value) {
        fatal("V1", text ? quotedText(text) + " is no whole number" : "the attribute is missing", place(line, field, rank), "a whole number");
        return otherwise;
    }
    if (*value < least || *value > most) {
        fatal(rule, std::to_string(*value) + " is out of range", place(line, field, rank), std::to_string(least) + " to " + std::to_string(most));
        return otherwise;
    }
    return *value;
}

/// Asked for every element.
bool Reader::named(const pugi::xml_node& node, const char* wanted)
{
    checkStop(m_stop);
    if (node.type() != pugi::node_element)
        return false;
    if (std::strcmp(node.name(), wanted) == 0)
        return true;
    // Ten names are enough to see what the file is made of.
    if (m_skipped.size() < 10 && m_skipped.insert(node.name()).second)
        m_findings.add(Severity::Note, "unused", "the element " + quotedText(node.name()) + " and what is in it is not used", place(lineOf(node), {}));
    return false;
}

void Reader::readRoot(const pugi::xml_node& algo)
{
    const int line = m_rootLine = lineOf(algo);
    m_program.name = algo.attribute("name").value();
    m_program.provenance = m_file;
    const pugi::xml_attribute protocol = algo.attribute("proto");
    if (const auto found = mscclProtocol(protocol.value()))
        m_program.protocol = *found;
    else
        fatal("V1", protocol ? quotedText(protocol.value()) + " is no protocol" : "the attribute is missing", place(line, "proto"), "Simple, LL or LL128");
    m_channels = integer(algo, "nchannels", line, {}, -1, 1, kMostLanes, 1);
    m_program.chunks = static_cast<std::int32_t>(integer(algo, "nchunksperloop", line, {}, -1, 1, kMostChunks, 1));
    m_program.ranks = static_cast<std::int32_t>(integer(algo, "ngpus", line, {}, -1, 1, kMostRanks, 1));
    readFlags(algo, line);
    readCollective(algo, line);
}

void Reader::readFlags(const pugi::xml_node& algo, int line)
{
    m_program.inPlace = integer(algo, "inplace", line, {}, -1, 0, 1, 1) != 0;
    m_program.outOfPlace = algo.attribute("outofplace") ? integer(algo, "outofplace", line, {}, -1, 0, 1, 1) != 0 : !m_program.inPlace;
    if (!m_program.inPlace && !m_program.outOfPlace)
        m_findings.add(Severity::Warning, "V1", "the program is for neither in-place nor out-of-place use", place(line, "outofplace"));
    m_program.minBytes = algo.attribute("minBytes") ? integer(algo, "minBytes", line, {}, -1, 0, INT64_MAX, 0) : 0;
    m_program.maxBytes = algo.attribute("maxBytes") ? integer(algo, "maxBytes", line, {}, -1, 0, INT64_MAX, 0) : 0;
    if (m_program.maxBytes != 0 && m_program.maxBytes < m_program.minBytes)
        m_findings.add(Severity::Warning, "V1", "no size is from minBytes to maxBytes", place(line, "maxBytes"));
}

void Reader::readCollective(const pugi::xml_node& algo, int line)
{
    const pugi::xml_attribute attribute = algo.attribute("coll");
    const std::string name = attribute.value();
    const auto op = mscclCollective(name);
    if (!attribute)
        return fatal("V1", "the attribute is missing", place(line, "coll"), "a collective");
    if (!op) {
        m_program.op = CollectiveOp::Custom;
        return error("V17", quotedText(name) + " is no collective", place(line, "coll"),
            "allreduce, allgather, reducescatter, reduce_scatter, alltoall, broadcast, reduce, gather, scatter or custom");
    }
    m_program.op = *op;
    const bool shares = *op == CollectiveOp::AllGather || *op == CollectiveOp::ReduceScatter || *op == CollectiveOp::AllToAll || *op == CollectiveOp::Gather
        || *op == CollectiveOp::Scatter;
    if (shares && m_program.chunks % m_program.ranks != 0)
        fatal("V18", std::to_string(m_program.chunks) + " chunks are no multiple of " + std::to_string(m_program.ranks) + " ranks", place(line, "nchunksperloop"));
}

/// The generators write every user-defined collective as "custom"; some have names that say what they do.
void Reader::guessConditions()
{
    const bool known = m_program.name.find("alltonext") != std::string::npos && m_program.ranks >= 2
        && std::int64_t{m_program.ranks} * m_program.chunks <= kMostConditions;
    const bool backward = m_program.name.find("backward") != std::string::npos;
    if (!known || (!backward && m_program.name.find("forward") == std::string::npos)) {
        m_findings.add(Severity::Note, "V17", "a custom collective: what it has to do is not known", place(m_rootLine, "coll"));
        return;
    }
    m_program.conditions = std::make_shared<const Conditions>(allToNext(m_program.ranks, m_program.chunks, !backward));
    m_findings.add(Severity::Note, "V17", std::string("a custom collective: guessed from its name to hand every rank's chunks to the ") + (backward ? "rank before" : "next rank"),
        place(m_rootLine, "name"));
}

void Reader::readGpu(const pugi::xml_node& node)
{
    MscclGpu gpu;
    gpu.line = lineOf(node);
    gpu.rank = integer(node, "id", gpu.line, "gpu", -1, 0, kMostRanks, -1, "V2");
    gpu.declaredInput = integer(node, "i_chunks", gpu.line, "gpu", gpu.rank, 0, INT32_MAX, 0);
    gpu.declaredOutput = integer(node, "o_chunks", gpu.line, "gpu", gpu.rank, 0, INT32_MAX, 0);
    gpu.scratch = integer(node, "s_chunks", gpu.line, "gpu", gpu.rank, 0, kMostChunks, 0);
    for (const pugi::xml_node child : node.children()) {
        if (named(child, "tb"))
            readLane(child, gpu);
    }
    checkLanes(gpu);
    m_gpus.push_back(std::move(gpu));
}

void Reader::readLane(const pugi::xml_node& tb, MscclGpu& gpu)
{
    MscclLane lane;
    lane.line = lineOf(tb);
    lane.id = integer(tb, "id", lane.line, "tb", gpu.rank, 0, kMostLanes, -1, "V3");
    const std::string where = "tb " + std::to_string(lane.id);
    lane.send = integer(tb, "send", lane.line, where, gpu.rank, -1, m_program.ranks - 1, -1, "V4");
    lane.receive = integer(tb, "recv", lane.line, where, gpu.rank, -1, m_program.ranks - 1, -1, "V4");
    lane.channel = integer(tb, "chan", lane.line, where, gpu.rank, INT32_MIN, INT32_MAX, 0, "V5");
    if (gpu.rank >= 0 && (lane.send == gpu.rank || lane.receive == gpu.rank))
        fatal("V4", "the thread block has its own rank as a peer", place(lane.line, where, gpu.rank));
    const bool hasPeer = lane.send >= 0 || lane.receive >= 0;
    if (!hasPeer) {
        lane.channel = 0;
    } else if (lane.channel < 0 || lane.channel >= m_channels) {
        error("V5", "channel " + std::to_string(lane.channel) + " is none of " + std::to_string(m_channels), place(lane.line, where + ", chan", gpu.rank),
            "0 to " + std::to_string(m_channels - 1));
        m_broken = m_broken || lane.channel < 0;
    }
    for (const pugi::xml_node child : tb.children()) {
        if (named(child, "step"))
            readStep(child, gpu, lane);
    }
    gpu.lanes.push_back(std::move(lane));
}

BufferKind Reader::buffer(const char* text, const char* name, bool used, const MscclStepRow& row, const std::string& where, std::int64_t rank)
{
    const std::string_view value = text ? text : "";
    if (value == "i")
        return BufferKind::Input;
    if (value == "o")
        return BufferKind::Output;
    if (value == "s")
        return BufferKind::Scratch;
    if (used)
        fatal("V1", text ? quotedText(value) + " is no buffer" : "the attribute is missing", place(row.line, where + ", " + name, rank), "i, o or s");
    return BufferKind::None;
}

void Reader::readStep(const pugi::xml_node& node, const MscclGpu& gpu, MscclLane& lane)
{
    enum Attribute : std::size_t { kS, kType, kSrcbuf, kSrcoff, kDstbuf, kDstoff, kCnt, kDepid, kDeps, kHasdep, kCount };
    constexpr std::array<std::string_view, kCount> kNames{"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep"};
    std::array<const char*, kCount> values{};
    for (const pugi::xml_attribute attribute : node.attributes()) {
        const auto found = std::find(kNames.begin(), kNames.end(), std::string_view(attribute.name()));
        if (found != kNames.end())
            values[static_cast<std::size_t>(found - kNames.begin())] = attribute.value();
    }

    MscclStepRow row;
    row.line = lineOf(node);
    const auto position = static_cast<std::int64_t>(lane.steps.size());
    std::string where = "tb " + std::to_string(lane.id) + ", step " + std::to_string(position);
    const auto number = [&](Attribute which, std::int64_t least, std::int64_t most, std::int64_t otherwise, const char* rule) {
        return integer(values[which], kNames[which].data(), row.line, where, gpu.rank, least, most, otherwise, rule);
    };
    if (number(kS, INT64_MIN, INT64_MAX, position, "V3") != position)
        error("V3", "s is not the position of the step, but dependencies count positions", place(row.line, where + ", s", gpu.rank), std::to_string(position));
    const auto type = values[kType] ? mscclStepOf(values[kType]) : std::nullopt;
    if (!type) {
        fatal("V1", values[kType] ? quotedText(values[kType]) + " is no step type" : "the attribute is missing", place(row.line, where + ", type", gpu.rank),
            "s, r, rcs, rrc, rrcs, rrs, cpy, re or nop");
    }
    row.type = type.value_or(MscclStep::Copy); // A step that no rule about nops or peers speaks of.
    if ((mscclSends(row.type) && lane.send < 0) || (mscclReceives(row.type) && lane.receive < 0)) {
        fatal("V4", "a step of type \"" + std::string(mscclStepName(row.type)) + "\" in a thread block without a " + (mscclSends(row.type) && lane.send < 0 ? "send" : "recv")
            + " peer", place(row.line, where, gpu.rank));
    }
    // The side that is no local operand is information and may hold anything that is a number.
    const bool reads = type && mscclReads(row.type);
    const bool writes = type && mscclWrites(row.type);
    constexpr std::int64_t kMostOffset = 1 << 30;
    row.source = buffer(values[kSrcbuf], "srcbuf", reads, row, where, gpu.rank);
    row.target = buffer(values[kDstbuf], "dstbuf", writes, row, where, gpu.rank);
    row.sourceOffset = reads ? number(kSrcoff, 0, kMostOffset, 0, "V8") : number(kSrcoff, INT64_MIN, INT64_MAX, 0, "V8");
    row.targetOffset = writes ? number(kDstoff, 0, kMostOffset, 0, "V8") : number(kDstoff, INT64_MIN, INT64_MAX, 0, "V8");
    row.count = row.type == MscclStep::Nop ? number(kCnt, INT64_MIN, INT64_MAX, 0, "V8") : number(kCnt, 1, kMostChunks, 1, "V8");
    row.dependLane = number(kDepid, -1, INT32_MAX, -1, "V10");
    row.dependStep = number(kDeps, -1, INT32_MAX, -1, "V10");
    row.hasDependents = number(kHasdep, 0, 1, 0, "V10") != 0;
    lane.steps.push_back(row);
}

/// V3, and the dependencies that name something: V10, V11.
void Reader::checkLanes(MscclGpu& gpu)
{
    std::stable_sort(gpu.lanes.begin(), gpu.lanes.end(), [](const MscclLane& a, const MscclLane& b) { return a.id < b.id; });
    for (std::size_t i = 0; i < gpu.lanes.size(); ++i) {
        const MscclLane& lane = gpu.lanes[i];
        if (i > 0 && gpu.lanes[i - 1].id == lane.id)
            fatal("V3", "a second thread block " + std::to_string(lane.id), place(lane.line, "tb, id", gpu.rank));
        else if (lane.id != static_cast<std::int64_t>(i) && (i == 0 || gpu.lanes[i - 1].id + 1 != lane.id))
            error("V3", "no thread block has a number right below " + std::to_string(lane.id), place(lane.line, "tb, id", gpu.rank), "0, 1, 2 ... without gaps");
    }
    MscclFindings findings{m_findings, m_file};
    checkMscclDependencies(gpu, findings, m_stop);
}

void Reader::checkRanks()
{
    std::stable_sort(m_gpus.begin(), m_gpus.end(), [](const MscclGpu& a, const MscclGpu& b) { return a.rank < b.rank; });
    std::int64_t expected = 0;
    std::int64_t memory = std::int64_t{2} * m_program.chunks * m_program.ranks;
    for (const MscclGpu& gpu : m_gpus) {
        memory += gpu.scratch;
        if (gpu.rank < 0)
            continue;
        if (gpu.rank >= m_program.ranks) {
            fatal("V2", "gpu " + std::to_string(gpu.rank) + " is none of " + std::to_string(m_program.ranks), place(gpu.line, "gpu, id", gpu.rank));
            continue;
        }
        if (gpu.rank < expected)
            fatal("V2", "a second gpu " + std::to_string(gpu.rank), place(gpu.line, "gpu, id", gpu.rank));
        else if (gpu.rank > expected)
            fatal("V2", "no gpu has the id " + std::to_string(expected), place(m_rootLine, "ngpus"));
        expected = std::max(expected, gpu.rank + 1);
    }
    if (expected < m_program.ranks)
        fatal("V2", "no gpu has the id " + std::to_string(expected), place(m_rootLine, "ngpus"));
    if (memory > kMostMemory)
        fatal("V1", "the buffers of all ranks are " + std::to_string(memory) + " chunks", place(m_rootLine, "nchunksperloop"), "at most 2^28");
}

void Reader::checkChannels()
{
    std::int64_t used = 0;
    for (const MscclGpu& gpu : m_gpus) {
        for (const MscclLane& lane : gpu.lanes)
            used = std::max(used, lane.channel + 1);
    }
    if (used < m_channels)
        m_findings.add(Severity::Warning, "V5", "only " + std::to_string(used) + " channels are used", place(m_rootLine, "nchannels"), std::to_string(used));
}

MscclFile Reader::read(const pugi::xml_node& algo)
{
    readRoot(algo);
    for (const pugi::xml_node child : algo.children()) {
        if (named(child, "gpu"))
            readGpu(child);
    }
    checkRanks();
    checkChannels();
    MscclFile out;
    if (!m_broken) {
        if (m_program.op == CollectiveOp::Custom)
            guessConditions();
        MscclFindings findings{m_findings, m_file};
        m_program.body = mscclBody(m_program, m_gpus, findings, m_stop);
        out.program = std::make_shared<const Program>(std::move(m_program));
    }
    out.findings = m_findings.take();
    return out;
}

} // namespace

bool MscclFile::valid() const
{
    return std::none_of(findings.begin(), findings.end(), [](const Diagnostic& found) { return found.severity == Severity::Error; });
}

Result<MscclFile> parseMsccl(std::string_view text, const std::string& file, const std::stop_token& stop)
{
    LineCounter lines(text);
    const auto at = [&](std::ptrdiff_t offset) {
        Place place;
        place.file = file;
        place.line = lines.lineAt(offset);
        return place;
    };
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (parsed.status == pugi::status_out_of_memory)
        throw std::bad_alloc();
    if (!parsed)
        return invalidInput(std::string("not valid XML: ") + parsed.description(), at(parsed.offset));
    const pugi::xml_node root = document.document_element();
    if (std::strcmp(root.name(), "algo") != 0)
        return invalidInput("not an MSCCL algorithm: the outermost element is " + quotedText(root.name()), at(root.offset_debug()), "\"algo\"");
    return untilStopped([&]() -> Result<MscclFile> { return Reader(text, file, stop).read(root); });
}

Result<MscclFile> readMsccl(const std::string& path, const std::stop_token& stop)
{
    auto text = readTextFile(path, kMaxDocumentBytes);
    if (!text)
        return std::move(text).error();
    return parseMsccl(text.value(), path, stop);
}

} // namespace fabricscope
