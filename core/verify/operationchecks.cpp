#include "core/verify/operationchecks.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/verify/memorylayout.h"

#include <algorithm>
#include <functional>
#include <string>

namespace fabricscope {

namespace {

constexpr std::int32_t kMostSteps = 256;       // Per lane; common builds of the executor.
constexpr std::int32_t kMostCount = 71;
constexpr std::size_t kMostLanesPerChannel = 32;
constexpr std::int32_t kMostDependLane = 127;

template <typename Column>
bool hasLength(const Column& column, std::size_t length, bool mayBeEmpty)
{
    return column.size() == length || (mayBeEmpty && column.empty());
}

bool columnsFit(const ExplicitBody& body)
{
    const std::size_t size = body.kind.size();
    return hasLength(body.peer, size, false) && hasLength(body.connection, size, false) && hasLength(body.lane, size, false) && hasLength(body.chunk, size, false)
        && hasLength(body.count, size, false) && hasLength(body.sourceBuffer, size, false) && hasLength(body.targetBuffer, size, false)
        && hasLength(body.sourceOffset, size, false) && hasLength(body.targetOffset, size, false) && hasLength(body.step, size, false)
        && hasLength(body.bytes, size, true) && hasLength(body.duration, size, true) && hasLength(body.slot, size, true) && hasLength(body.sourceId, size, true)
        && hasLength(body.fused, size, true) && hasLength(body.tags, size, true) && hasLength(body.startPs, size, true) && hasLength(body.route, size, true)
        && hasLength(body.dependBegin, size + 1, false) && hasLength(body.buffers, body.rankBegin.size() - 1, true);
}

/// Begins of slices: from 0 to `end`, never falling.
bool areBegins(const std::vector<std::uint32_t>& begins, std::size_t end)
{
    return !begins.empty() && begins.front() == 0 && begins.back() == end && std::is_sorted(begins.begin(), begins.end());
}

bool isFor(CollectiveOp op, std::initializer_list<CollectiveOp> ops)
{
    return std::find(ops.begin(), ops.end(), op) != ops.end();
}

class OperationChecks {
public:
    OperationChecks(const Program& program, VerifyFindings& findings, const std::stop_token& stop)
        : m_program(program)
        , m_body(program.asExplicit())
        , m_findings(findings)
        , m_stop(stop)
    {
        for (std::int32_t rank = 0; m_body.hasPlaces() && rank < program.ranks; ++rank) {
            const BufferSizes declared = m_body.buffers[at(rank)];
            const BufferSizes contract = MemoryLayout::sizesOf(program, rank);
            m_usable.push_back({std::min(declared.input, contract.input), std::min(declared.output, contract.output), declared.scratch});
        }
    }

    std::vector<bool> run()
    {
        std::vector<bool> usable(m_body.hasPlaces() ? m_body.size() : 0, true);
        for (m_rank = 0; m_rank < m_program.ranks; ++m_rank) {
            const OpIndex end = m_body.rankBegin[static_cast<std::size_t>(m_rank) + 1];
            for (m_op = m_body.rankBegin[at(m_rank)]; m_op < end; ++m_op) {
                checkStop(m_stop);
                m_sound = true;
                checkPeer();
                checkDependencies();
                if (m_body.hasPlaces()) {
                    if (m_sound)
                        checkPlaces();
                    if (!m_sound)
                        usable[m_op] = false;
                }
            }
        }
        return usable;
    }

private:
    void say(std::string_view rule, const std::string& what, BufferKind buffer = BufferKind::None, std::int32_t chunk = -1)
    {
        if (m_findings.wants(rule, Severity::Error))
            m_findings.add(rule, Severity::Error, operationText(m_body, m_op) + ' ' + what, {m_op}, m_rank, buffer, chunk);
    }

    void checkPeer()
    {
        const OpKind kind = m_body.kind[m_op];
        const std::int32_t peer = m_body.peer[m_op];
        if (kind == OpKind::SwitchReduce || kind == OpKind::SwitchMulticast) {
            if (peer < 0 || static_cast<std::size_t>(peer) >= m_body.teams.size()) {
                say("V4", "has no team: there are " + std::to_string(m_body.teams.size()));
                m_sound = false;
            } else if (const auto& team = m_body.teams[at(peer)]; std::find(team.begin(), team.end(), m_rank) == team.end()) {
                say("V4", "is not by a rank of its team");
            }
            return;
        }
        if (kind == OpKind::Copy || kind == OpKind::Reduce || kind == OpKind::Compute)
            return;
        if (peer < 0 || peer >= m_program.ranks || peer == m_rank) {
            say("V4", peer == m_rank ? "has its own rank as peer" : "has a peer outside 0 to " + std::to_string(m_program.ranks - 1));
            m_sound = false;
        }
    }

    void checkDependencies()
    {
        const OpIndex begin = m_body.rankBegin[at(m_rank)];
        const OpIndex end = m_body.rankBegin[static_cast<std::size_t>(m_rank) + 1];
        for (std::uint32_t i = m_body.dependBegin[m_op]; i < m_body.dependBegin[m_op + 1]; ++i) {
            checkStop(m_stop);
            const OpIndex earlier = m_body.depends[i];
            if (earlier == m_op)
                say("V10", "waits for itself");
            else if (earlier >= m_body.size())
                say("V10", "waits for operation " + std::to_string(earlier) + ", which does not exist");
            else if (earlier < begin || earlier >= end)
                say("V10", "waits for " + operationText(m_body, earlier) + ", which is of another rank");
        }
    }

    /// Does the fused group of the operation make, before it, the chunks it takes?
    bool isHandedOn() const
    {
        if (m_body.kind[m_op] == OpKind::SwitchMulticast) // The switch that made it copies it.
            return m_op > m_body.rankBegin[at(m_rank)] && m_body.passesSumOn(m_op - 1) && m_body.kind[m_op - 1] == OpKind::SwitchReduce
                && m_body.peer[m_op - 1] == m_body.peer[m_op] && m_body.count[m_op - 1] == m_body.count[m_op];
        OpIndex maker = m_op;
        while (m_body.isFused(maker) && (maker == m_op || m_body.kind[maker] == OpKind::Send))
            --maker;
        return writesOwnTarget(m_body.kind[maker]) && m_body.count[maker] == m_body.count[m_op];
    }

    /// Is the range inside the buffer of `rank`? `what` begins the words where it is not.
    void checkRange(std::int32_t rank, BufferKind buffer, std::int32_t offset, const char* what)
    {
        const BufferSizes& sizes = m_usable[at(rank)];
        const std::int32_t size = buffer == BufferKind::Input ? sizes.input : buffer == BufferKind::Output ? sizes.output : sizes.scratch;
        const std::int32_t count = m_body.count[m_op];
        if (offset >= 0 && count >= 0 && std::int64_t{offset} + count <= size)
            return;
        m_sound = false;
        say("V8", std::string(what) + ' ' + rangeText(buffer, offset, count) + " of rank " + std::to_string(rank) + ", which has " + std::to_string(size) + " chunks",
            buffer, offset);
    }

    void checkPlaces()
    {
        const OpKind kind = m_body.kind[m_op];
        const BufferKind source = m_body.sourceBuffer[m_op];
        const BufferKind target = m_body.targetBuffer[m_op];
        const std::int32_t from = m_body.sourceOffset[m_op];
        const std::int32_t to = m_body.targetOffset[m_op];
        if (m_body.count[m_op] < 0) {
            m_sound = false;
            return say("V8", "has a negative count");
        }
        if (readsOwnSource(kind)) {
            if (isMemory(source)) {
                checkRange(m_rank, source, from, "reads");
            } else if (source != BufferKind::Fused || (kind != OpKind::Send && kind != OpKind::SwitchMulticast) || !isHandedOn()) {
                m_sound = false;
                say("V8", source == BufferKind::Fused ? "takes what was just made, but is not fused with an operation that makes as many chunks" : "reads no buffer");
            }
        }
        if (writesOwnTarget(kind)) {
            if (isMemory(target)) {
                checkRange(m_rank, target, to, "writes");
            } else if ((!receives(kind) && !m_body.passesSumOn(m_op)) || target == BufferKind::Fused) { // A receive may just hand on what it gets, and a switch its sum.
                m_sound = false;
                say("V8", "writes no buffer");
            }
        }
        if (kind == OpKind::Copy && m_sound && source == target && from != to && std::abs(from - to) < m_body.count[m_op])
            say("V15", "reads and writes overlapping ranges in no order");
        if (kind != OpKind::Put && kind != OpKind::SwitchMulticast && kind != OpKind::SwitchReduce)
            return;
        const bool reads = kind == OpKind::SwitchReduce;
        if (!reads && !isMemory(target)) {
            m_sound = false;
            return say("V8", "writes no buffer");
        }
        if (kind == OpKind::Put)
            return checkRange(m_body.peer[m_op], target, to, "writes");
        for (const std::int32_t rank : m_body.teams[at(m_body.peer[m_op])]) {
            checkStop(m_stop);
            if (m_sound)
                checkRange(rank, reads ? source : target, reads ? from : to, reads ? "reads" : "writes");
        }
    }

    const Program& m_program;
    const ExplicitBody& m_body;
    VerifyFindings& m_findings;
    const std::stop_token& m_stop;
    std::vector<BufferSizes> m_usable; ///< By rank.
    std::int32_t m_rank = 0;
    OpIndex m_op = 0;
    bool m_sound = true;
};

} // namespace

bool checkShape(const Program& program, VerifyFindings& findings, const std::stop_token& stop)
{
    const auto fail = [&](std::string_view rule, std::string message) {
        findings.add(rule, Severity::Error, std::move(message));
        return false;
    };
    if (program.ranks < 1 || program.chunks < 1)
        return fail("V1", "A program has at least one rank and one chunk");
    if (program.root < 0 || program.root >= program.ranks)
        return fail("V1", "The root is rank " + std::to_string(program.root) + ", the ranks are 0 to " + std::to_string(program.ranks - 1));
    const ExplicitBody& body = program.asExplicit();
    if (body.rankCount() != program.ranks || !areBegins(body.rankBegin, body.kind.size()))
        return fail("V2", "The operations are not those of ranks 0 to " + std::to_string(program.ranks - 1) + ", each once");
    if (!columnsFit(body) || !areBegins(body.dependBegin, body.depends.size()))
        return fail("V3", "The columns of the program have different lengths");
    for (const BufferSizes& sizes : body.buffers) {
        checkStop(stop);
        if (sizes.input < 0 || sizes.output < 0 || sizes.scratch < 0)
            return fail("V8", "A buffer has a negative size");
    }
    for (const std::vector<std::int32_t>& team : body.teams) {
        checkStop(stop);
        if (std::any_of(team.begin(), team.end(), [&](std::int32_t rank) { return rank < 0 || rank >= program.ranks; })
            || std::adjacent_find(team.begin(), team.end(), std::greater_equal<>()) != team.end())
            return fail("V4", "A team is not a list of ranks in ascending order");
    }
    for (std::int32_t rank = 0; rank < program.ranks && !body.fused.empty(); ++rank) {
        const OpIndex begin = body.rankBegin[at(rank)];
        for (OpIndex op = begin; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            checkStop(stop);
            if (body.fused[op] != 0 && (op == begin || body.lane[op] != body.lane[op - 1]))
                return fail("V3", "An operation of rank " + std::to_string(rank) + " is fused with none before it in its lane");
        }
    }
    if (isFor(program.op, {CollectiveOp::AllGather, CollectiveOp::Gather, CollectiveOp::ReduceScatter, CollectiveOp::Scatter, CollectiveOp::AllToAll})
        && program.chunks % program.ranks != 0)
        return fail("V18", std::to_string(program.chunks) + " chunks are not divisible by " + std::to_string(program.ranks) + " ranks, as "
                        + std::string(collectiveKey(program.op)) + " needs");
    return true;
}

std::vector<bool> checkOperations(const Program& program, VerifyFindings& findings, const std::stop_token& stop)
{
    return OperationChecks(program, findings, stop).run();
}

void checkConnections(const Program& program, const Connections& connections, VerifyFindings& findings, const std::stop_token& stop)
{
    const ExplicitBody& body = program.asExplicit();
    for (const Connections::Connection& connection : connections.all()) {
        checkStop(stop);
        const auto name = [&connection] { // Rarely needed, and there may be a million connections.
            return "from rank " + std::to_string(connection.source) + " to rank " + std::to_string(connection.target) + " on connection "
                + std::to_string(connection.tag);
        };
        const char* const what = connection.signals ? "signal" : "message";
        if (!connection.oneSender && findings.wants("V6", Severity::Error))
            findings.add("V6", Severity::Error, "More than one lane of rank " + std::to_string(connection.source) + " sends " + name(),
                         {connections.sendAt(connection, 0)}, connection.source);
        if (!connection.oneReceiver && findings.wants("V6", Severity::Error))
            findings.add("V6", Severity::Error, "More than one lane of rank " + std::to_string(connection.target) + " receives " + name(),
                         {connections.receiveAt(connection, 0)}, connection.target);
        const std::uint32_t paired = std::min(connection.sends, connection.receives);
        if (connection.sends != connection.receives && findings.wants("V7", Severity::Error)) {
            const OpIndex odd = connection.sends > paired ? connections.sendAt(connection, paired) : connections.receiveAt(connection, paired);
            findings.add("V7", Severity::Error, std::to_string(connection.sends) + ' ' + what + (connection.sends == 1 ? " goes " : "s go ") + name() + ", but "
                             + std::to_string(connection.receives) + (connection.receives == 1 ? " is" : " are") + " taken; first without partner: "
                             + operationText(body, odd), {odd});
        }
        for (std::uint32_t i = 0; i < paired && !connection.signals; ++i) {
            checkStop(stop);
            const OpIndex send = connections.sendAt(connection, i);
            const OpIndex receive = connections.receiveAt(connection, i);
            const bool equalBytes = body.bytesOf(send) < 0 || body.bytesOf(receive) < 0 || body.bytesOf(send) == body.bytesOf(receive);
            if ((body.count[send] == body.count[receive] && equalBytes) || !findings.wants("V7", Severity::Error))
                continue;
            findings.add("V7", Severity::Error, "Message " + std::to_string(i) + ' ' + name() + " has "
                             + (equalBytes ? std::to_string(body.count[send]) + " chunks where it is sent and " + std::to_string(body.count[receive])
                                           : std::to_string(body.bytesOf(send)) + " bytes where it is sent and " + std::to_string(body.bytesOf(receive)))
                             + " where it is received: " + operationText(body, send) + "; " + operationText(body, receive), {send, receive});
        }
    }
}

void checkExecutorLimits(const Program& program, const Lanes& lanes, const Connections& connections, VerifyFindings& findings, const std::stop_token& stop)
{
    const ExplicitBody& body = program.asExplicit();
    const Lanes::Lane* longest = nullptr;
    for (const Lanes::Lane& lane : lanes.all()) {
        checkStop(stop);
        if (lane.id >= 0 && static_cast<std::int64_t>(lane.groups) > kMostSteps && (!longest || lane.groups > longest->groups))
            longest = &lane;
    }
    const auto note = [&](std::string message, std::vector<OpIndex> operations) { findings.add("V20", Severity::Note, std::move(message), std::move(operations)); };
    if (longest)
        note("Lane " + std::to_string(longest->id) + " of rank " + std::to_string(longest->rank) + " has " + std::to_string(longest->groups)
                 + " steps; common builds of MSCCL's executor take " + std::to_string(kMostSteps), {longest->first});
    OpIndex large = kNoOp;
    OpIndex farDepend = kNoOp;
    for (OpIndex op = 0; op < body.size(); ++op) {
        checkStop(stop);
        if (body.lane[op] < 0)
            continue;
        if (large == kNoOp && body.count[op] > kMostCount && body.hasPlaces())
            large = op;
        for (std::uint32_t i = body.dependBegin[op]; i < body.dependBegin[op + 1] && farDepend == kNoOp; ++i) {
            const OpIndex earlier = body.depends[i];
            if (earlier < body.size() && body.lane[earlier] > kMostDependLane && body.lane[earlier] != body.lane[op])
                farDepend = op;
        }
    }
    std::vector<std::pair<std::int32_t, std::int32_t>> users; // (channel, rank) of every connection that is sent on by a lane.
    for (const Connections::Connection& connection : connections.all()) {
        checkStop(stop);
        if (!connection.signals && connection.sends > 0 && body.lane[connections.sendAt(connection, 0)] >= 0)
            users.emplace_back(connection.tag, connection.source);
    }
    sortUntilStopped(users, std::less<>(), stop);
    for (std::size_t i = 0; i + kMostLanesPerChannel < users.size(); ++i) {
        checkStop(stop);
        if (users[i] != users[i + kMostLanesPerChannel])
            continue;
        findings.add("V20", Severity::Note, "Rank " + std::to_string(users[i].second) + " sends to more than " + std::to_string(kMostLanesPerChannel)
                         + " ranks on channel " + std::to_string(users[i].first) + "; MSCCL's executor takes " + std::to_string(kMostLanesPerChannel), {}, users[i].second);
        break;
    }
    if (large != kNoOp)
        note(operationText(body, large) + " moves " + std::to_string(body.count[large]) + " chunks; MSCCL's executor takes " + std::to_string(kMostCount), {large});
    if (farDepend != kNoOp)
        note(operationText(body, farDepend) + " waits for a lane above " + std::to_string(kMostDependLane) + ", which MSCCL's executor cannot name", {farDepend});
}

} // namespace fabricscope
