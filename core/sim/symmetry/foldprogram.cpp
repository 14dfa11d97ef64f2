#include "core/sim/symmetry/foldprogram.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/sim/symmetry/alike.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fabricscope {

namespace {

constexpr std::int32_t kMostLanes = 1 << 16;

enum Part : std::size_t { kSends, kReceives, kRest, kParts };

Part partOf(OpKind kind)
{
    return kind == OpKind::Send ? kSends : receives(kind) ? kReceives : kRest;
}

bool isFoldable(OpKind kind)
{
    return kind <= OpKind::Compute;
}

/// What the tie rule asks of a send.
std::array<std::int64_t, 4> tieOf(const ExplicitBody& body, std::size_t op)
{
    if (body.tags.empty())
        return {std::max(body.chunk[op], 0), 0, body.step[op], body.slotOf(op)};
    const OpTags tags = body.tags[op];
    return {std::max<std::int64_t>(tags.instance, 0), std::max<std::int64_t>(tags.phase, 0), body.step[op], body.slotOf(op)};
}

/// For every operation of a rank those it waits for, as places.
struct Earlier {
    std::vector<std::uint32_t> begin; ///< By place.
    std::vector<std::uint32_t> count;
    std::vector<std::uint32_t> places; ///< Ascending for each.
};

class Pairing {
public:
    Pairing(const Program& program, const std::stop_token& stop)
        : m_program(program)
        , m_body(program.asExplicit())
        , m_stop(stop)
        , m_ranks(at(m_body.rankCount()))
    {
    }

    Result<FoldedProgram> run();

private:
    Status checkKinds();
    Status placeOperations();
    Status compareColumns(std::size_t rank) const;
    Status pairUp();
    Status comparePairs(std::size_t rank);
    bool inOrder(std::size_t rank);
    bool waits(std::size_t rank, Earlier& earlier);
    std::vector<std::int32_t> moves() const;
    bool sameMove(std::size_t a, std::size_t b) const;
    ProgramPtr ofRankZero() const;

    std::size_t opAt(std::size_t rank, std::size_t place) const { return m_opAt[rank * m_places + place]; }
    std::size_t peerAt(std::size_t rank, std::size_t place) const { return at(m_body.peer[opAt(rank, place)]); }
    static Error differs(std::size_t rank, const char* what)
    {
        return noSymmetry("position " + std::to_string(rank) + " of a program " + what);
    }

    const Program& m_program;
    const ExplicitBody& m_body;
    const std::stop_token& m_stop;
    std::size_t m_ranks;
    std::size_t m_places = 0;                     ///< Operations of each rank.
    std::array<std::size_t, kParts> m_first{};    ///< First place of the part.
    std::vector<std::uint32_t> m_opAt;            ///< [rank * m_places + place]
    std::vector<std::uint32_t> m_placeOf;         ///< By operation.
    std::vector<std::uint32_t> m_receiveOf;       ///< By place of a send: that of the receive it meets.
    std::vector<bool> m_isTurned;                 ///< By place of a send: does it go the same way round from everywhere?
    std::vector<std::int64_t> m_lastOfLane;
    std::unordered_map<std::uint64_t, std::uint32_t> m_lastOfChannel;
};

Status Pairing::checkKinds()
{
    if (m_body.receiveSlots > 0)
        return noSymmetry("a program has receive slots");
    if (std::any_of(m_body.route.begin(), m_body.route.end(), [](std::int32_t route) { return route >= 0; }))
        return noSymmetry("a program names its routes");
    for (std::size_t op = 0; op < m_body.size(); ++op) {
        checkStop(m_stop);
        if (!isFoldable(m_body.kind[op]))
            return noSymmetry("a program has switches or one-sided operations");
        if (m_body.lane[op] >= kMostLanes)
            return noSymmetry("a program has more than " + std::to_string(kMostLanes) + " lanes");
        if (partOf(m_body.kind[op]) != kRest && (m_body.peer[op] < 0 || at(m_body.peer[op]) >= m_ranks))
            return noSymmetry("a program has messages to nobody");
    }
    return {};
}

/// Numbers the operations of every rank: sends first, then receives, then the rest, each in the order of the columns.
Status Pairing::placeOperations()
{
    m_places = m_body.rankBegin[1] - m_body.rankBegin[0];
    std::array<std::size_t, kParts> sizes{};
    for (std::size_t op = 0; op < m_places; ++op)
        ++sizes[partOf(m_body.kind[op])];
    if (sizes[kSends] != sizes[kReceives])
        return noSymmetry("not every message of a program is sent and received");
    m_first = {0, sizes[kSends], sizes[kSends] + sizes[kReceives]};
    m_opAt.resize(m_ranks * m_places);
    m_placeOf.resize(m_body.size());
    for (std::size_t rank = 0; rank < m_ranks; ++rank) {
        std::array<std::size_t, kParts> next = m_first;
        if (m_body.rankBegin[rank + 1] - m_body.rankBegin[rank] != m_places)
            return differs(rank, "has other operations than position 0");
        for (std::uint32_t op = m_body.rankBegin[rank]; op < m_body.rankBegin[rank + 1]; ++op) {
            checkStop(m_stop);
            const Part part = partOf(m_body.kind[op]);
            if (next[part] >= m_first[part] + sizes[part])
                return differs(rank, "has other operations than position 0");
            m_placeOf[op] = static_cast<std::uint32_t>(next[part]);
            m_opAt[rank * m_places + next[part]++] = op;
        }
    }
    return {};
}

Status Pairing::compareColumns(std::size_t rank) const
{
    for (std::size_t place = 0; place < m_places; ++place) {
        checkStop(m_stop);
        const std::size_t a = opAt(0, place);
        const std::size_t b = opAt(rank, place);
        if (m_body.kind[a] != m_body.kind[b] || m_body.durationOf(a) != m_body.durationOf(b))
            return differs(rank, "has other operations than position 0");
        if (m_body.kind[a] == OpKind::Send && (m_body.bytesOf(a) != m_body.bytesOf(b) || m_body.count[a] != m_body.count[b]))
            return differs(rank, "sends other sizes than position 0");
        if (m_body.kind[a] == OpKind::Send && tieOf(m_body, a) != tieOf(m_body, b))
            return differs(rank, "sends pieces or steps in another order than position 0");
        if (partOf(m_body.kind[a]) != kRest && m_body.connection[a] != m_body.connection[b])
            return differs(rank, "uses other connections than position 0");
    }
    return {};
}

/// Sends of position 0 and the receives they meet, as the engine pairs them (ExplicitPlan).
Status Pairing::pairUp()
{
    std::map<std::pair<std::size_t, std::int32_t>, std::vector<std::uint32_t>> come; // by (target, connection), from position 0
    for (std::size_t rank = 0; rank < m_ranks; ++rank) {
        for (std::size_t place = m_first[kReceives]; place < m_first[kRest]; ++place) {
            checkStop(m_stop);
            if (peerAt(rank, place) == 0)
                come[{rank, m_body.connection[opAt(rank, place)]}].push_back(static_cast<std::uint32_t>(place));
        }
    }
    std::map<std::pair<std::size_t, std::int32_t>, std::size_t> sent;
    std::vector<bool> taken(m_places, false);
    for (std::size_t place = 0; place < m_first[kReceives]; ++place) {
        const auto channel = std::make_pair(peerAt(0, place), m_body.connection[opAt(0, place)]);
        const std::size_t number = sent[channel]++;
        const std::vector<std::uint32_t>& others = come[channel];
        if (number >= others.size() || taken[others[number]])
            return noSymmetry("sends of position 0 of a program meet receives that do not pair up");
        taken[others[number]] = true;
        m_receiveOf.push_back(others[number]);
    }
    return {};
}

/// Do its sends meet receives of the same places as those of position 0?
Status Pairing::comparePairs(std::size_t rank)
{
    for (std::size_t place = 0; place < m_first[kReceives]; ++place) {
        checkStop(m_stop);
        const std::size_t target = peerAt(rank, place);
        if (peerAt(target, m_receiveOf[place]) != rank)
            return differs(rank, "sends to somebody who takes another message for it");
        m_isTurned[place] = m_isTurned[place] && target == (peerAt(0, place) + rank) % m_ranks;
    }
    return {};
}

/// Where sends go other ways round, messages of a connection between two may be others than between position 0 and its peers: are they received in the order they are sent?
bool Pairing::inOrder(std::size_t rank)
{
    m_lastOfChannel.clear();
    for (std::size_t place = 0; place < m_first[kReceives]; ++place) {
        checkStop(m_stop);
        const std::uint64_t channel = std::uint64_t{static_cast<std::uint32_t>(m_body.connection[opAt(rank, place)])} << 32 | peerAt(rank, place);
        const auto [last, added] = m_lastOfChannel.try_emplace(channel, m_receiveOf[place]);
        if (!added && last->second > m_receiveOf[place])
            return false;
        last->second = m_receiveOf[place];
    }
    return true;
}

/// What the operations of a rank wait for, as ExplicitPlan orders them. False: for something that is none of its operations.
bool Pairing::waits(std::size_t rank, Earlier& earlier)
{
    const std::uint32_t first = m_body.rankBegin[rank];
    earlier.begin.assign(m_places, 0);
    earlier.count.assign(m_places, 0);
    earlier.places.clear();
    std::fill(m_lastOfLane.begin(), m_lastOfLane.end(), -1);
    for (std::uint32_t op = first; op < first + m_places; ++op) {
        checkStop(m_stop);
        const auto begin = static_cast<std::ptrdiff_t>(earlier.places.size());
        for (std::uint32_t i = m_body.dependBegin[op]; i < m_body.dependBegin[op + 1]; ++i) {
            const std::uint32_t other = m_body.depends[i];
            if (other < first || other >= first + m_places)
                return false;
            earlier.places.push_back(m_placeOf[other]);
        }
        if (const std::int32_t lane = m_body.lane[op]; lane >= 0) {
            if (at(lane) >= m_lastOfLane.size())
                m_lastOfLane.resize(at(lane) + 1, -1);
            if (const std::int64_t last = std::exchange(m_lastOfLane[at(lane)], op); last >= 0)
                earlier.places.push_back(m_placeOf[at(last)]);
        }
        if (m_body.isFused(op)) {
            if (op == first)
                return false;
            earlier.places.push_back(m_placeOf[op - 1]);
        }
        if (earlier.places.end() - earlier.places.begin() - begin > 1) {
            std::sort(earlier.places.begin() + begin, earlier.places.end());
            earlier.places.erase(std::unique(earlier.places.begin() + begin, earlier.places.end()), earlier.places.end());
        }
        earlier.begin[m_placeOf[op]] = static_cast<std::uint32_t>(begin);
        earlier.count[m_placeOf[op]] = static_cast<std::uint32_t>(earlier.places.end() - earlier.places.begin() - begin);
    }
    return true;
}

bool isSame(const Earlier& a, const Earlier& b)
{
    if (a.count != b.count)
        return false;
    for (std::size_t place = 0; place < a.begin.size(); ++place) {
        const auto first = a.places.begin() + a.begin[place];
        if (!std::equal(first, first + a.count[place], b.places.begin() + b.begin[place]))
            return false;
    }
    return true;
}

/// Do the sends of two places go to the same peer from every rank?
bool Pairing::sameMove(std::size_t a, std::size_t b) const
{
    for (std::size_t rank = 0; rank < m_ranks; ++rank) {
        if (peerAt(rank, a) != peerAt(rank, b))
            return false;
    }
    return true;
}

/// ExplicitPlan::moves of the operations of rank 0.
std::vector<std::int32_t> Pairing::moves() const
{
    std::vector<std::int32_t> moves(m_places, -1);
    std::vector<std::size_t> known; // Places, one for each way to go.
    std::multimap<std::size_t, std::size_t> byDigest; // Index into `known`.
    for (std::size_t place = 0; place < m_first[kReceives]; ++place) {
        if (m_isTurned[place])
            continue;
        checkStop(m_stop);
        std::size_t digest = 0;
        for (std::size_t rank = 0; rank < m_ranks; ++rank)
            digest = (digest ^ peerAt(rank, place)) * 0x9e3779b97f4a7c15U;
        const auto [first, last] = byDigest.equal_range(digest);
        const auto found = std::find_if(first, last, [&](const auto& entry) { return sameMove(known[entry.second], place); });
        moves[opAt(0, place)] = static_cast<std::int32_t>(found == last ? known.size() : found->second);
        if (found == last) {
            byDigest.emplace(digest, known.size());
            known.push_back(place);
        }
    }
    return moves;
}

template <typename Value>
std::vector<Value> firstOf(const std::vector<Value>& column, std::size_t count)
{
    return std::vector<Value>(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(std::min(count, column.size())));
}

/// The operations of rank 0, with what a run asks of them.
ProgramPtr Pairing::ofRankZero() const
{
    ExplicitBody one;
    one.rankBegin = {0, static_cast<std::uint32_t>(m_places)};
    one.kind = firstOf(m_body.kind, m_places);
    one.peer = firstOf(m_body.peer, m_places);
    one.connection = firstOf(m_body.connection, m_places);
    one.lane = firstOf(m_body.lane, m_places);
    one.chunk = firstOf(m_body.chunk, m_places);
    one.count = firstOf(m_body.count, m_places);
    one.bytes = firstOf(m_body.bytes, m_places);
    one.duration = firstOf(m_body.duration, m_places);
    one.sourceBuffer = firstOf(m_body.sourceBuffer, m_places);
    one.targetBuffer = firstOf(m_body.targetBuffer, m_places);
    one.sourceOffset = firstOf(m_body.sourceOffset, m_places);
    one.targetOffset = firstOf(m_body.targetOffset, m_places);
    one.step = firstOf(m_body.step, m_places);
    one.slot = firstOf(m_body.slot, m_places);
    one.sourceId = firstOf(m_body.sourceId, m_places);
    one.dependBegin = firstOf(m_body.dependBegin, m_places + 1);
    one.depends = firstOf(m_body.depends, one.dependBegin.back());
    one.fused = firstOf(m_body.fused, m_places);
    one.tags = firstOf(m_body.tags, m_places);
    one.chunkWeights = m_body.chunkWeights;
    Program program;
    program.op = m_program.op;
    program.ranks = 1; // Engines ask for it only to tell how much there is to do.
    program.chunks = m_program.chunks;
    program.root = m_program.root;
    program.protocol = m_program.protocol;
    program.name = m_program.name;
    program.provenance = m_program.provenance;
    program.body = std::move(one);
    return std::make_shared<const Program>(std::move(program));
}

Result<FoldedProgram> Pairing::run()
{
    if (m_ranks < 2)
        return noSymmetry("a program has one position");
    if (Status status = checkKinds(); !status)
        return std::move(status).error();
    if (Status status = placeOperations(); !status)
        return std::move(status).error();
    for (std::size_t rank = 1; rank < m_ranks; ++rank) {
        if (Status status = compareColumns(rank); !status)
            return std::move(status).error();
    }
    if (Status status = pairUp(); !status)
        return std::move(status).error();
    m_isTurned.assign(m_first[kReceives], true);
    for (std::size_t rank = 0; rank < m_ranks; ++rank) {
        if (Status status = comparePairs(rank); !status)
            return std::move(status).error();
    }
    FoldedProgram folded;
    folded.turned = std::find(m_isTurned.begin(), m_isTurned.end(), false) == m_isTurned.end();
    Earlier ofZero;
    Earlier ofRank;
    for (std::size_t rank = 0; rank < m_ranks; ++rank) {
        if (!folded.turned && !inOrder(rank))
            return differs(rank, "has its messages received in another order than they are sent");
        if (!waits(rank, rank == 0 ? ofZero : ofRank) || (rank > 0 && !isSame(ofZero, ofRank)))
            return differs(rank, "waits for other operations than position 0");
    }
    for (std::size_t op = 0; op < m_places; ++op)
        folded.absoluteSizes = folded.absoluteSizes && (m_body.kind[op] != OpKind::Send || m_body.bytesOf(op) >= 0);
    folded.program = ofRankZero();
    std::vector<std::int32_t> pairs(m_places, -1);
    for (std::size_t place = 0; place < m_first[kReceives]; ++place) {
        pairs[opAt(0, place)] = static_cast<std::int32_t>(opAt(0, m_receiveOf[place]));
        pairs[opAt(0, m_receiveOf[place])] = static_cast<std::int32_t>(opAt(0, place));
    }
    auto operations = std::make_shared<events::ExplicitPlan>(folded.program->asExplicit(), std::move(pairs));
    operations->moves = moves();
    folded.operations = std::move(operations);
    return folded;
}

} // namespace

Result<FoldedProgram> foldProgram(const Program& program, const std::stop_token& stop)
{
    return Pairing(program, stop).run();
}

const Result<FoldedProgram>& FoldedPrograms::of(const ProgramPtr& program, const std::stop_token& stop)
{
    const std::lock_guard lock(m_mutex);
    const auto known = m_known.find(program);
    return known != m_known.end() ? known->second : m_known.emplace(program, foldProgram(*program, stop)).first->second;
}

} // namespace fabricscope
