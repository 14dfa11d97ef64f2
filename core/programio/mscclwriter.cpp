#include "core/programio/mscclwriter.h"

#include "core/base/stop.h"
#include "core/program/reachability.h"
#include "core/programio/lanes.h"
#include "core/programio/messagepairs.h"
#include "core/programio/mscclnames.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

constexpr std::int32_t kMostScratch = 1 << 20; // What the reader takes.

Error unsayable(const std::string& what)
{
    return Error{ErrorCode::Unsupported, "MSCCL XML cannot say " + what, {}, {}};
}

Status checkHeader(const Program& program)
{
    if (program.isTemplate())
        return unsayable("what a template says without its operations");
    if (program.op == CollectiveOp::Barrier)
        return unsayable("a barrier");
    if (program.root != 0)
        return unsayable("a root: readers take rank 0, not " + std::to_string(program.root));
    const bool shares = program.op == CollectiveOp::AllGather || program.op == CollectiveOp::ReduceScatter || program.op == CollectiveOp::AllToAll
        || program.op == CollectiveOp::Gather || program.op == CollectiveOp::Scatter;
    if (shares && program.chunks % program.ranks != 0)
        return unsayable("a share of " + std::to_string(program.chunks) + " chunks for each of " + std::to_string(program.ranks) + " ranks");
    return {};
}

/// Are operands and fused groups those of a step type? What is wrong, or nothing.
const char* shapeFault(const ExplicitBody& body, std::uint32_t op, std::uint32_t end)
{
    const auto memory = [](BufferKind buffer) { return buffer <= BufferKind::Scratch; };
    const OpKind kind = body.kind[op];
    const bool forwards = op + 1 < end && body.isFused(op + 1);
    if (forwards && (body.isFused(op) || !receives(kind) || body.kind[op + 1] != OpKind::Send || body.sourceBuffer[op + 1] != BufferKind::Fused || body.count[op + 1] != body.count[op]))
        return "fused groups other than a receive and a send of what came";
    if ((kind == OpKind::Send && !memory(body.sourceBuffer[op]) && !body.isFused(op)) || (kind != OpKind::Send && kind != OpKind::Receive && !memory(body.sourceBuffer[op])))
        return "an operation that reads no memory";
    if (kind != OpKind::Send && !memory(body.targetBuffer[op]) && !(kind == OpKind::ReceiveReduce && forwards))
        return "an operation that stores nothing";
    return nullptr;
}

Status checkBody(const Program& program, const std::stop_token& stop)
{
    const ExplicitBody& body = program.asExplicit();
    if (!body.hasPlaces())
        return unsayable("operations without places in memory");
    if (!body.chunkWeights.empty())
        return unsayable("chunks of unequal size");
    if (body.receiveSlots != 0)
        return unsayable("a number of receive slots: it follows from the protocol");
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        const BufferSizes sizes = contractSizes(program.op, program.ranks, program.chunks, rank, program.root);
        for (std::uint32_t op = body.rankBegin[static_cast<std::size_t>(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            checkStop(stop);
            const std::string who = " (operation " + std::to_string(op - body.rankBegin[static_cast<std::size_t>(rank)]) + " of rank " + std::to_string(rank) + ')';
            if (body.kind[op] >= OpKind::Put)
                return unsayable("one-sided operations and those of switches" + who);
            if (body.kind[op] == OpKind::Compute)
                return unsayable("computations" + who);
            if (body.bytesOf(op) >= 0)
                return unsayable("a size in bytes" + who);
            if (body.count[op] < 1)
                return unsayable("an operation without chunks" + who);
            if (const char* what = shapeFault(body, op, body.rankBegin[static_cast<std::size_t>(rank) + 1]))
                return unsayable(what + who);
            const auto outside = [&](BufferKind buffer, std::int32_t offset) {
                return (buffer == BufferKind::Input && offset + body.count[op] > sizes.input) || (buffer == BufferKind::Output && offset + body.count[op] > sizes.output);
            };
            if (std::max(body.sourceOffset[op], body.targetOffset[op]) > kMostScratch - body.count[op])
                return unsayable("more than 2^20 chunks of scratch" + who);
            if (outside(body.sourceBuffer[op], body.sourceOffset[op]) || outside(body.targetBuffer[op], body.targetOffset[op]))
                return unsayable("a buffer larger than the collective gives it" + who);
        }
    }
    return {};
}

/// Text for an attribute: what XML does not allow becomes a blank.
std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return out;
}

char letter(BufferKind buffer)
{
    return buffer == BufferKind::Output ? 'o' : buffer == BufferKind::Scratch ? 's' : 'i';
}

class Writer {
public:
    Writer(const Program& program, const std::stop_token& stop)
        : m_stop(stop)
        , m_program(program)
        , m_body(program.asExplicit())
    {
        m_partner.assign(m_body.size(), UINT32_MAX);
        for (const auto& [connection, ends] : connectionEnds(m_body, m_stop)) {
            checkStop(m_stop);
            for (std::size_t k = 0; k < ends.sends.size(); ++k) {
                m_partner[ends.sends[k]] = ends.receives[k];
                m_partner[ends.receives[k]] = ends.sends[k];
            }
        }
    }

    Result<std::string> write();

private:
    struct Operand {
        BufferKind buffer = BufferKind::None;
        std::int32_t offset = 0;
    };
    /// A step of the file: where it stands.
    struct StepPlace {
        std::int32_t lane = 0;
        std::int32_t number = 0; ///< With the nops before it.
        bool waitedFor = false;
    };

    void writeRoot();
    Status writeRank(std::int32_t rank);
    void writeSizes(std::int32_t rank, const RankSteps& steps);
    void writeStep(const RankSteps& steps, std::uint32_t step, const std::vector<StepPlace>& places);
    void line(std::int32_t number, std::string_view type, Operand source, Operand target, std::int32_t count, const StepPlace* waits, bool waitedFor);
    void attribute(const char* name, std::int64_t value)
    {
        m_out += ' ';
        m_out += name;
        m_out += "=\"";
        m_out += std::to_string(value);
        m_out += '"';
    }
    static std::int32_t nops(const RankSteps& steps, std::uint32_t step) { return std::max(static_cast<std::int32_t>(steps.waits[step].size()) - 1, 0); }

    const std::stop_token& m_stop;
    const Program& m_program;
    const ExplicitBody& m_body;
    std::vector<std::uint32_t> m_partner;
    std::string m_out;
};

void Writer::writeRoot()
{
    std::int32_t channels = 1;
    for (std::uint32_t op = 0; op < m_body.size(); ++op) {
        if (m_partner[op] != UINT32_MAX)
            channels = std::max(channels, m_body.connection[op] + 1);
    }
    std::string name = m_program.name;
    if (m_program.conditions && m_program.ranks >= 2) {
        for (const bool forward : {true, false}) {
            const std::string known = forward ? "alltonext-forward" : "alltonext-backward";
            if (*m_program.conditions == allToNext(m_program.ranks, m_program.chunks, forward) && !name.starts_with(known))
                name = known;
        }
    }
    m_out += "<algo name=\"" + escaped(name) + "\" proto=\"" + std::string(mscclProtocolName(m_program.protocol)) + '"';
    attribute("nchannels", channels);
    attribute("nchunksperloop", m_program.chunks);
    attribute("ngpus", m_program.ranks);
    m_out += " coll=\"" + std::string(mscclCollectiveName(m_program.op)) + '"';
    attribute("inplace", m_program.inPlace ? 1 : 0);
    if (m_program.outOfPlace == m_program.inPlace)
        attribute("outofplace", m_program.outOfPlace ? 1 : 0);
    if (m_program.minBytes != 0)
        attribute("minBytes", m_program.minBytes);
    if (m_program.maxBytes != 0)
        attribute("maxBytes", m_program.maxBytes);
    m_out += ">\n";
}

void Writer::line(std::int32_t number, std::string_view type, Operand source, Operand target, std::int32_t count, const StepPlace* waits, bool waitedFor)
{
    m_out += "      <step";
    attribute("s", number);
    m_out += " type=\"";
    m_out += type;
    m_out += "\" srcbuf=\"";
    m_out += letter(source.buffer);
    m_out += '"';
    attribute("srcoff", source.offset);
    m_out += " dstbuf=\"";
    m_out += letter(target.buffer);
    m_out += '"';
    attribute("dstoff", target.offset);
    attribute("cnt", count);
    attribute("depid", waits ? waits->lane : -1);
    attribute("deps", waits ? waits->number : -1);
    attribute("hasdep", waitedFor ? 1 : 0);
    m_out += "/>\n";
}

void Writer::writeStep(const RankSteps& steps, std::uint32_t step, const std::vector<StepPlace>& places)
{
    checkStop(m_stop);
    const StepPlace& place = places[step];
    const std::vector<std::uint32_t>& waits = steps.waits[step];
    for (std::size_t i = 0; i + 1 < waits.size(); ++i)
        line(place.number - nops(steps, step) + static_cast<std::int32_t>(i), "nop", {BufferKind::Input, -1}, {BufferKind::Output, -1}, 0, &places[waits[i]], false);

    const std::uint32_t op = steps.begin[step];
    const bool forwards = steps.begin[step + 1] > op + 1;
    const ExplicitBody& b = m_body;
    const auto sourceOf = [&](std::uint32_t which) { return Operand{b.sourceBuffer[which], b.sourceOffset[which]}; };
    const auto targetOf = [&](std::uint32_t which) { return Operand{b.targetBuffer[which], b.targetOffset[which]}; };
    const bool stores = b.targetBuffer[op] != BufferKind::None;
    MscclStep type = MscclStep::Send;
    Operand source = sourceOf(op);
    Operand target = targetOf(op);
    switch (b.kind[op]) {
    case OpKind::Receive:
        type = forwards ? MscclStep::ReceiveCopySend : MscclStep::Receive;
        source = b.sourceBuffer[m_partner[op]] == BufferKind::Fused ? target : sourceOf(m_partner[op]);
        break;
    case OpKind::ReceiveReduce:
        type = !forwards ? MscclStep::ReceiveReduceCopy : stores ? MscclStep::ReceiveReduceCopySend : MscclStep::ReceiveReduceSend;
        target = stores ? target : source;
        break;
    case OpKind::Copy:
        type = MscclStep::Copy;
        break;
    case OpKind::Reduce:
        type = MscclStep::Reduce;
        break;
    default:
        target = b.targetBuffer[m_partner[op]] == BufferKind::None ? source : targetOf(m_partner[op]);
        break;
    }
    line(place.number, mscclStepName(type), source, target, b.count[op], waits.empty() ? nullptr : &places[waits.back()], place.waitedFor);
}

void Writer::writeSizes(std::int32_t rank, const RankSteps& steps)
{
    std::array<std::int32_t, 3> touched{};
    for (std::uint32_t op = steps.begin.front(); op < steps.begin.back(); ++op) {
        const auto touch = [&](BufferKind buffer, std::int32_t offset) {
            if (buffer <= BufferKind::Scratch)
                touched[static_cast<std::size_t>(buffer)] = std::max(touched[static_cast<std::size_t>(buffer)], offset + m_body.count[op]);
        };
        touch(m_body.sourceBuffer[op], m_body.sourceOffset[op]);
        touch(m_body.targetBuffer[op], m_body.targetOffset[op]);
    }
    m_out += "  <gpu";
    attribute("id", rank);
    attribute("i_chunks", touched[0]);
    attribute("o_chunks", touched[1]);
    attribute("s_chunks", touched[2]);
    m_out += ">\n";
}

Status Writer::writeRank(std::int32_t rank)
{
    checkStop(m_stop);
    RankSteps steps = rankSteps(m_body, rank);
    if (steps.ring())
        return invalidInput("operations of rank " + std::to_string(rank) + " wait for each other in a ring");
    reduceWaits(m_body, steps);
    // Lanes in ascending number become thread blocks 0, 1, 2 ...
    std::map<std::int32_t, std::vector<std::uint32_t>> lanes;
    for (std::uint32_t step = 0; step < steps.size(); ++step)
        lanes[m_body.lane[steps.begin[step]]].push_back(step);
    std::vector<StepPlace> places(steps.size());
    std::int32_t number = 0;
    for (const auto& [lane, members] : lanes) {
        std::int32_t at = 0;
        for (const std::uint32_t step : members) {
            at += nops(steps, step);
            places[step].lane = number;
            places[step].number = at++;
        }
        ++number;
    }
    for (const auto& waits : steps.waits) {
        for (const std::uint32_t other : waits)
            places[other].waitedFor = true;
    }
    writeSizes(rank, steps);
    number = 0;
    for (const auto& [lane, members] : lanes) {
        std::int32_t send = -1;
        std::int32_t receive = -1;
        std::int32_t channel = 0;
        for (const std::uint32_t step : members) {
            for (std::uint32_t op = steps.begin[step]; op < steps.begin[step + 1]; ++op) {
                if (m_partner[op] == UINT32_MAX)
                    continue;
                (m_body.kind[op] == OpKind::Send ? send : receive) = m_body.peer[op];
                channel = m_body.connection[op];
            }
        }
        m_out += "    <tb";
        attribute("id", number++);
        attribute("send", send);
        attribute("recv", receive);
        attribute("chan", channel);
        m_out += ">\n";
        for (const std::uint32_t step : members)
            writeStep(steps, step, places);
        m_out += "    </tb>\n";
    }
    m_out += "  </gpu>\n";
    return {};
}

Result<std::string> Writer::write()
{
    writeRoot();
    for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
        if (Status status = writeRank(rank); !status)
            return std::move(status).error();
    }
    m_out += "</algo>\n";
    return std::move(m_out);
}

Diagnostics notesOn(const Program& program, const std::stop_token& stop)
{
    Diagnostics out;
    const ExplicitBody& body = program.asExplicit();
    const std::int32_t slots = protocolSlots(program.protocol);
    if (!lanesFinish(program, slots, stop))
        out.push_back(warning("V13", "the lanes stop for ever with the " + std::to_string(slots) + " messages per connection of the protocol"));
    if (!body.route.empty())
        out.push_back(note("unsaid", "the routes of messages are not in the file"));
    if (!body.startPs.empty())
        out.push_back(note("unsaid", "planned starts are not in the file"));
    const bool next = program.conditions && program.ranks >= 2
        && (*program.conditions == allToNext(program.ranks, program.chunks, true) || *program.conditions == allToNext(program.ranks, program.chunks, false));
    if (program.conditions && !next)
        out.push_back(warning("V17", "what the custom collective has to do is not in the file"));
    return out;
}

Result<MscclText> write(const ProgramPtr& program, const MscclWriteOptions& options)
{
    if (Status status = checkHeader(*program); !status)
        return std::move(status).error();
    if (Status status = checkBody(*program, options.stop); !status)
        return std::move(status).error();
    auto placed = assignLanes(program, options.stop);
    if (!placed)
        return std::move(placed).error();
    const ProgramPtr out = options.fuse ? fuseSteps(placed.value(), options.stop) : placed.value();
    auto text = Writer(*out, options.stop).write();
    if (!text)
        return std::move(text).error();
    Diagnostics notes = notesOn(*out, options.stop);
    if (options.fuse && out == placed.value())
        notes.push_back(note("nothing-to-fuse", "no receive has a send of what came right behind it in its thread block: nothing was joined"));
    return MscclText{std::move(text).value(), std::move(notes)};
}

} // namespace

Result<MscclText> writeMsccl(const ProgramPtr& program, const MscclWriteOptions& options)
{
    return untilStopped([&] { return write(program, options); });
}

} // namespace fabricscope
