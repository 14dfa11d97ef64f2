#include "core/verify/lanechecks.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <array>
#include <unordered_map>

namespace fabricscope {

namespace {

/// Lanes of the rank at hand by their id: a table for the usual small ids, a map for others.
class LaneTable {
public:
    void clear()
    {
        ++m_stamp;
        m_large.clear();
    }

    /// Index of the lane, `fresh` where it is seen for the first time.
    std::uint32_t find(std::int32_t id, std::uint32_t fresh)
    {
        const auto slot = static_cast<std::size_t>(static_cast<std::int64_t>(id) + 1);
        if (slot >= m_small.size())
            return m_large.try_emplace(id, fresh).first->second;
        Entry& entry = m_small[slot];
        if (entry.stamp != m_stamp)
            entry = {m_stamp, fresh};
        return entry.lane;
    }

private:
    struct Entry {
        std::uint32_t stamp = 0;
        std::uint32_t lane = 0;
    };
    std::array<Entry, 1024> m_small{};
    std::unordered_map<std::int32_t, std::uint32_t> m_large;
    std::uint32_t m_stamp = 0;
};

} // namespace

Lanes::Lanes(const ExplicitBody& body, const std::stop_token& stop)
    : m_laneOf(body.size())
    , m_next(body.size(), kNoOp)
    , m_previous(body.size(), kNoOp)
{
    LaneTable table;
    std::vector<OpIndex> last; // By lane: its latest group.
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        table.clear();
        const OpIndex end = body.rankBegin[static_cast<std::size_t>(rank) + 1];
        for (OpIndex op = body.rankBegin[at(rank)]; op < end; ++op) {
            checkStop(stop);
            const std::int32_t id = body.lane[op];
            const std::uint32_t index = table.find(id, static_cast<std::uint32_t>(m_lanes.size()));
            if (index == m_lanes.size()) {
                m_lanes.push_back({rank, id, kNoOp, 0});
                last.push_back(kNoOp);
            }
            m_laneOf[op] = index;
            if (body.isFused(op))
                continue;
            Lane& lane = m_lanes[index];
            ++lane.groups;
            if (id < 0)
                continue;
            if (lane.first == kNoOp)
                lane.first = op;
            else
                m_next[last[index]] = op;
            m_previous[op] = last[index];
            last[index] = op;
        }
    }
}

} // namespace fabricscope
