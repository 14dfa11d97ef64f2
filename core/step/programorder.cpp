#include "core/step/programorder.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::size_t kLook = std::size_t{1} << 16; // Operations between two looks at the stop token.

bool givesMessage(OpKind kind)
{
    return kind == OpKind::Send || kind == OpKind::Signal;
}

bool takesMessage(OpKind kind)
{
    return receives(kind) || kind == OpKind::Wait;
}

/// One end of a message, found by whom it is exchanged with.
struct End {
    std::int32_t peer = 0;
    std::int32_t connection = 0;
    bool data = true; ///< Send or receive; else signal or wait.
    std::uint32_t operation = 0;

    auto channel() const { return std::tie(peer, connection, data); }
};

/// The ends of one rank by (peer, connection, kind, operation).
std::vector<End> endsOf(const ExplicitBody& body, std::size_t rank, bool giving)
{
    std::vector<End> ends;
    for (std::uint32_t op = body.rankBegin[rank]; op < body.rankBegin[rank + 1]; ++op) {
        const OpKind kind = body.kind[op];
        if (giving ? givesMessage(kind) : takesMessage(kind))
            ends.push_back({body.peer[op], body.connection[op], kind == OpKind::Send || receives(kind), op});
    }
    std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.channel() < b.channel(); });
    return ends;
}

/// Pairs up messages. slotAfter, where `slots` is not 0: the receive that frees the slot of a send.
void pairUp(const ExplicitBody& body, std::int32_t slots, std::vector<std::uint32_t>& partner, std::vector<std::uint32_t>& slotAfter)
{
    const auto ranks = static_cast<std::size_t>(body.rankCount());
    partner.assign(body.size(), kNoOperation);
    if (slots > 0)
        slotAfter.assign(body.size(), kNoOperation);
    std::vector<std::vector<End>> taking(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank)
        taking[rank] = endsOf(body, rank, false);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::vector<End> giving = endsOf(body, rank, true);
        for (std::size_t first = 0; first < giving.size();) {
            std::size_t end = first + 1;
            while (end < giving.size() && giving[end].channel() == giving[first].channel())
                ++end;
            const std::int32_t peer = giving[first].peer;
            if (peer >= 0 && static_cast<std::size_t>(peer) < ranks) {
                const std::vector<End>& others = taking[at(peer)];
                const End wanted{static_cast<std::int32_t>(rank), giving[first].connection, giving[first].data, 0};
                const auto range = std::equal_range(others.begin(), others.end(), wanted, [](const End& a, const End& b) { return a.channel() < b.channel(); });
                const auto met = static_cast<std::size_t>(range.second - range.first);
                for (std::size_t k = 0; k < end - first; ++k) {
                    const std::uint32_t give = giving[first + k].operation;
                    if (k < met) {
                        const std::uint32_t take = (range.first + static_cast<std::ptrdiff_t>(k))->operation;
                        partner[give] = take;
                        partner[take] = give;
                    }
                    if (slots > 0 && giving[first].data && k >= static_cast<std::size_t>(slots) && k - static_cast<std::size_t>(slots) < met)
                        slotAfter[give] = (range.first + static_cast<std::ptrdiff_t>(k - static_cast<std::size_t>(slots)))->operation;
                }
            }
            first = end;
        }
    }
}

} // namespace

std::string_view waitKindKey(WaitKind kind)
{
    switch (kind) {
    case WaitKind::Data:
        return "data";
    case WaitKind::Lane:
        return "lane";
    case WaitKind::Message:
        return "message";
    case WaitKind::Slot:
        break;
    }
    return "slot";
}

std::vector<std::uint32_t> messagePartners(const ExplicitBody& body)
{
    std::vector<std::uint32_t> partner;
    std::vector<std::uint32_t> slotAfter;
    pairUp(body, 0, partner, slotAfter);
    return partner;
}

Result<ProgramOrder> ProgramOrder::create(const Program& program, std::int32_t slots, const std::stop_token& stop)
{
    const ExplicitBody& body = program.asExplicit();
    const std::uint32_t count = body.size();
    const auto cancelled = [] { return Error{ErrorCode::Cancelled, "ordering the program was stopped", {}, {}}; };
    ProgramOrder out;
    out.m_rankBegin = body.rankBegin;
    pairUp(body, slots >= 0 ? slots : body.receiveSlots, out.m_partner, out.m_slotAfter);
    out.m_laneBefore.assign(count, kNoOperation);
    std::vector<std::uint32_t> laneNext(count, kNoOperation);
    std::vector<std::uint32_t> waitsFor(count, 0);
    std::vector<std::uint32_t> followerBegin(std::size_t{count} + 2, 0); // Those that wait for data.
    for (std::size_t rank = 0; rank + 1 < body.rankBegin.size(); ++rank) {
        if (stop.stop_requested())
            return cancelled();
        std::map<std::int32_t, std::uint32_t> last;
        for (std::uint32_t op = body.rankBegin[rank]; op < body.rankBegin[rank + 1]; ++op) {
            if (body.lane[op] < 0)
                continue;
            const auto [entry, isFirst] = last.try_emplace(body.lane[op], op);
            if (isFirst)
                continue;
            out.m_laneBefore[op] = entry->second;
            laneNext[entry->second] = op;
            entry->second = op;
        }
    }
    std::vector<std::uint32_t> slotNext(out.m_slotAfter.empty() ? 0 : count, kNoOperation); // Each receive frees one slot.
    for (std::uint32_t op = 0; op < count; ++op) {
        if (op % kLook == 0 && stop.stop_requested())
            return cancelled();
        for (std::uint32_t i = body.dependBegin[op]; i < body.dependBegin[op + 1]; ++i)
            ++followerBegin[body.depends[i] + 2];
        waitsFor[op] = body.dependBegin[op + 1] - body.dependBegin[op];
        waitsFor[op] += out.m_laneBefore[op] != kNoOperation ? 1 : 0;
        waitsFor[op] += takesMessage(body.kind[op]) ? 1 : 0; // A receive without a send never begins.
        if (out.slotFreedBy(op) != kNoOperation) {
            ++waitsFor[op];
            slotNext[out.m_slotAfter[op]] = op;
        }
    }
    std::partial_sum(followerBegin.begin(), followerBegin.end(), followerBegin.begin());
    std::vector<std::uint32_t> followers(body.depends.size());
    for (std::uint32_t op = 0; op < count; ++op) {
        for (std::uint32_t i = body.dependBegin[op]; i < body.dependBegin[op + 1]; ++i)
            followers[followerBegin[body.depends[i] + 1]++] = op;
    }

    // m_order is the queue too: what is before `next` has been gone over.
    out.m_level.assign(count, 0);
    out.m_order.reserve(count);
    const auto enter = [&](std::uint32_t op) {
        if (waitsFor[op] == 0)
            out.m_order.push_back(op);
    };
    for (std::uint32_t op = 0; op < count; ++op)
        enter(op);
    for (std::size_t next = 0; next < out.m_order.size(); ++next) {
        if (next % kLook == 0 && stop.stop_requested())
            return cancelled();
        const std::uint32_t op = out.m_order[next];
        std::int32_t& level = out.m_level[op];
        level += (level % 2 != 0) != takesMessage(body.kind[op]) ? 1 : 0;
        const auto free = [&](std::uint32_t follower) {
            if (follower == kNoOperation)
                return;
            out.m_level[follower] = std::max(out.m_level[follower], level);
            --waitsFor[follower];
            enter(follower);
        };
        free(laneNext[op]);
        if (givesMessage(body.kind[op]))
            free(out.m_partner[op]);
        if (!slotNext.empty())
            free(slotNext[op]);
        for (std::uint32_t i = followerBegin[op]; i < followerBegin[op + 1]; ++i)
            free(followers[i]);
    }
    return out;
}

std::int32_t ProgramOrder::rankOf(std::uint32_t operation) const
{
    const auto after = std::upper_bound(m_rankBegin.begin(), m_rankBegin.end(), operation);
    return static_cast<std::int32_t>(after - m_rankBegin.begin()) - 1;
}

std::vector<WaitReason> ProgramOrder::reasons(const ExplicitBody& body, std::uint32_t operation) const
{
    std::vector<WaitReason> out;
    for (std::uint32_t i = body.dependBegin[operation]; i < body.dependBegin[operation + 1]; ++i)
        out.push_back({WaitKind::Data, body.depends[i]});
    if (m_laneBefore[operation] != kNoOperation)
        out.push_back({WaitKind::Lane, m_laneBefore[operation]});
    if (takesMessage(body.kind[operation]))
        out.push_back({WaitKind::Message, m_partner[operation]});
    if (slotFreedBy(operation) != kNoOperation)
        out.push_back({WaitKind::Slot, slotFreedBy(operation)});
    return out;
}

} // namespace fabricscope
