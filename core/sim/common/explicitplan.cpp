#include "core/sim/common/explicitplan.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace fabricscope::events {

namespace {

/// One end of a message, as it is matched: by (source, target, connection), then in the order of the columns.
struct End {
    std::int32_t source;
    std::int32_t target;
    std::int32_t connection;
    std::int32_t route;
    std::uint32_t operation;

    auto channel() const { return std::tie(source, target, connection); }
};

bool before(const End& a, const End& b)
{
    return std::tie(a.source, a.target, a.connection, a.operation) < std::tie(b.source, b.target, b.connection, b.operation);
}

/// Ends that arrive sorted by the rank that runs them. Programs are regular: most are in order, or nearly, once they are grouped by source.
void sortEnds(std::vector<End>& ends, std::size_t ranks)
{
    std::vector<std::uint32_t> begin(ranks + 1, 0);
    for (const End& end : ends)
        ++begin[static_cast<std::size_t>(end.source) + 1];
    for (std::size_t r = 0; r < ranks; ++r)
        begin[r + 1] += begin[r];
    std::vector<End> grouped(ends.size());
    std::vector<std::uint32_t> place(begin.begin(), begin.end() - 1);
    for (const End& end : ends)
        grouped[place[static_cast<std::size_t>(end.source)]++] = end;
    for (std::size_t r = 0; r < ranks; ++r) {
        const auto first = grouped.begin() + begin[r];
        const auto last = grouped.begin() + begin[r + 1];
        if (!std::is_sorted(first, last, before))
            std::sort(first, last, before);
    }
    ends = std::move(grouped);
}

/// The latest operation of every lane of one rank.
class LastOfLane {
public:
    /// Makes `operation` the latest; returns the one before, -1: none.
    std::int64_t exchange(std::int32_t lane, std::uint32_t operation)
    {
        constexpr std::int32_t kDense = 4096;
        if (lane >= kDense) {
            const auto [found, added] = m_far.try_emplace(lane, operation);
            return added ? -1 : std::int64_t{std::exchange(found->second, operation)};
        }
        if (static_cast<std::size_t>(lane) >= m_near.size())
            m_near.resize(static_cast<std::size_t>(lane) + 1, -1);
        return std::exchange(m_near[static_cast<std::size_t>(lane)], std::int64_t{operation});
    }
    void clear()
    {
        std::fill(m_near.begin(), m_near.end(), -1);
        m_far.clear();
    }

private:
    std::vector<std::int64_t> m_near;
    std::unordered_map<std::int32_t, std::uint32_t> m_far;
};

/// The last operation of the fused group that `operation` is in.
std::uint32_t endOfGroup(const ExplicitBody& body, std::uint32_t operation)
{
    while (operation + 1 < body.size() && body.isFused(operation + 1))
        ++operation;
    return operation;
}

} // namespace

ExplicitPlan::ExplicitPlan(const ExplicitBody& body)
{
    rank.resize(body.size());
    for (std::size_t r = 0; r + 1 < body.rankBegin.size(); ++r)
        std::fill(rank.begin() + body.rankBegin[r], rank.begin() + body.rankBegin[r + 1], static_cast<std::int32_t>(r));
    pairUp(body);
    order(body);
    if (!body.teams.empty())
        countTeamParts(body);
}

ExplicitPlan::ExplicitPlan(const ExplicitBody& body, std::vector<std::int32_t> pairs)
    : partner(std::move(pairs))
    , way(body.size(), -1)
    , rank(body.size(), 0)
{
    std::unordered_map<std::int32_t, std::int32_t> wayTo;
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        if (body.kind[op] != OpKind::Send)
            continue;
        const auto [found, added] = wayTo.try_emplace(body.peer[op], wayCount);
        wayCount += added ? 1 : 0;
        way[op] = found->second;
    }
    order(body);
}

void ExplicitPlan::countTeamParts(const ExplicitBody& body)
{
    teamParts.assign(body.rankBegin.size() - 1, 0);
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        const bool sums = body.kind[op] == OpKind::SwitchReduce;
        if ((!sums && body.kind[op] != OpKind::SwitchMulticast) || body.sourceBuffer[op] == BufferKind::Fused)
            continue;
        const bool copies = !sums || body.passesSumOn(op);
        for (const std::int32_t member : body.teams[static_cast<std::size_t>(body.peer[op])])
            teamParts[static_cast<std::size_t>(member)] += (sums || member == rank[op] ? 1 : 0) + (copies ? 1 : 0);
    }
}

/// Sends and receives of one (source, target, connection) pair up in the order of the columns.
void ExplicitPlan::pairUp(const ExplicitBody& body)
{
    const std::uint32_t count = body.size();
    partner.assign(count, -1);
    way.assign(count, -1);
    std::vector<End> sends;
    std::vector<End> receivers;
    for (std::uint32_t op = 0; op < count; ++op) {
        if (body.kind[op] == OpKind::Send)
            sends.push_back({rank[op], body.peer[op], body.connection[op], body.routeOf(op), op});
        else if (receives(body.kind[op]))
            receivers.push_back({body.peer[op], rank[op], body.connection[op], -1, op});
    }
    const std::size_t ranks = body.rankBegin.size() - 1;
    sortEnds(sends, ranks);
    sortEnds(receivers, ranks);
    if (body.receiveSlots > 0)
        slotFreedBy.assign(count, -1);

    const auto slots = static_cast<std::size_t>(body.receiveSlots);
    std::size_t receive = 0;
    for (std::size_t send = 0; send < sends.size();) {
        std::size_t end = send;
        while (end < sends.size() && sends[end].channel() == sends[send].channel())
            ++end;
        while (receive < receivers.size() && receivers[receive].channel() < sends[send].channel())
            ++receive;
        const std::size_t first = receive;
        while (receive < receivers.size() && receivers[receive].channel() == sends[send].channel())
            ++receive;
        for (std::size_t k = 0; k < std::min(end - send, receive - first); ++k) {
            partner[sends[send + k].operation] = static_cast<std::int32_t>(receivers[first + k].operation);
            partner[receivers[first + k].operation] = static_cast<std::int32_t>(sends[send + k].operation);
        }
        for (std::size_t k = slots; slots > 0 && k < end - send && k - slots < receive - first; ++k)
            slotFreedBy[sends[send + k].operation] = static_cast<std::int32_t>(endOfGroup(body, receivers[first + k - slots].operation));
        send = end;
    }

    // Ways: sends are sorted by source and target; routes of their own are looked up beside.
    std::unordered_map<std::uint64_t, std::int32_t> own; // (target, route), of the source at hand
    for (std::size_t k = 0; k < sends.size(); ++k) {
        const bool newSource = k == 0 || sends[k].source != sends[k - 1].source;
        if (newSource)
            own.clear();
        if (sends[k].route < 0 && !newSource && sends[k - 1].route < 0 && sends[k].target == sends[k - 1].target) {
            way[sends[k].operation] = way[sends[k - 1].operation];
            continue;
        }
        const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(sends[k].target)} << 32 | static_cast<std::uint32_t>(sends[k].route);
        const auto [found, added] = own.try_emplace(key, wayCount);
        wayCount += added ? 1 : 0;
        way[sends[k].operation] = found->second;
    }
    for (std::uint32_t op = 0; op < count; ++op)
        unmatched += (body.kind[op] == OpKind::Send || receives(body.kind[op])) && partner[op] < 0 ? 1 : 0;
}

/// Dependencies of every operation, lanes and fused groups included, each once; then the other way round.
void ExplicitPlan::order(const ExplicitBody& body)
{
    const std::uint32_t count = body.size();
    waitsFor.assign(count, 0);
    nextBegin.assign(std::size_t{count} + 1, 0);
    std::vector<std::uint32_t> earlier; // of all operations, one after another
    earlier.reserve(body.depends.size() + count);
    LastOfLane lanes;
    for (std::uint32_t op = 0; op < count; ++op) {
        if (op == 0 || rank[op] != rank[op - 1])
            lanes.clear();
        const auto own = static_cast<std::ptrdiff_t>(earlier.size());
        earlier.insert(earlier.end(), body.depends.begin() + body.dependBegin[op], body.depends.begin() + body.dependBegin[op + 1]);
        if (const std::int64_t last = body.lane[op] >= 0 ? lanes.exchange(body.lane[op], op) : -1; last >= 0)
            earlier.push_back(static_cast<std::uint32_t>(last));
        if (body.isFused(op))
            earlier.push_back(op - 1);
        if (body.kind[op] == OpKind::SwitchReduce && body.passesSumOn(op)) {
            const auto copy = std::size_t{op} + 1;
            std::copy_if(body.depends.begin() + body.dependBegin[copy], body.depends.begin() + body.dependBegin[copy + 1], std::back_inserter(earlier), [op](std::uint32_t other) { return other != op; });
        }
        if (earlier.end() - earlier.begin() - own > 1) {
            std::sort(earlier.begin() + own, earlier.end());
            earlier.erase(std::unique(earlier.begin() + own, earlier.end()), earlier.end());
        }
        waitsFor[op] = static_cast<std::int32_t>(earlier.end() - earlier.begin() - own);
    }
    for (const std::uint32_t op : earlier)
        ++nextBegin[std::size_t{op} + 1];
    for (std::uint32_t op = 0; op < count; ++op)
        nextBegin[std::size_t{op} + 1] += nextBegin[op];
    next.resize(earlier.size());
    std::vector<std::uint32_t> place(nextBegin.begin(), nextBegin.end() - 1);
    std::size_t at = 0;
    for (std::uint32_t op = 0; op < count; ++op) {
        for (std::int32_t k = 0; k < waitsFor[op]; ++k)
            next[place[earlier[at++]]++] = op;
    }
}

} // namespace fabricscope::events
