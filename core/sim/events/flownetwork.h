#pragma once

#include "core/base/index.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope {

/// Flows over shared resources at max-min fair rates, in integers (rules of flow/1, flowmodel.h).
///
/// Rates count in units of 1/unitsPerByte() B/s and work in units of 1/(unitsPerByte() 10^12) B, so that rate (units) times time (ps) is
/// work (units) and no part of a byte is ever rounded away. Every resource has a *level*: the least v for which
/// v = floor((capacity - sum of rates below v) / number of flows at v or above), at least 1; none where no v has that. The rate of a flow is
/// the least level of its resources. That is progressive filling of the whole, which fixes levels from the lowest up: so there is one such
/// solution, whatever has been before, and all that is read here depends neither on numbers of flows and resources nor on the order of calls.
///
/// solve() looks only at what a change reaches. Levels are right but for those of touched resources; from the lowest up, each of
/// these gets the level that the rates of its flows elsewhere give it, and what that changes is touched in turn. Rates below the level that has
/// been reached stay, so that no resource is seen twice at one level.
class FlowNetwork {
public:
    __extension__ using Wide = __int128;
    static constexpr std::int64_t kNever = INT64_MAX;
    static constexpr std::int64_t kLastEnd = INT64_MAX / 2; ///< Stands for every later end: the range of the clock.

    /// `fastest`: the highest rate of a resource, B/s; decides unitsPerByte().
    explicit FlowNetwork(std::int64_t fastest);

    /// 720720, which every number up to 16 divides; 5040, 60 or 1 where the fastest resource would leave the range (above 6.4 TB/s,
    /// 0.9 PB/s, 77 PB/s).
    std::int64_t unitsPerByte() const { return m_units; }

    /// \pre bytesPerSecond > 0. Returns the number of the resource, counted from 0.
    std::int32_t addResource(std::int64_t bytesPerSecond);
    std::size_t resourceCount() const { return m_resources.size(); }

    /// A resource of a flow, which takes as much of it as so many flows.
    struct Crossing {
        std::int32_t resource = 0;
        std::int32_t times = 1;
    };
    /// A flow of ceil(bytes * times / parts) over these resources, each named once; it counts from the next solve(). The number is used
    /// again after finish(). \pre bytes > 0, times and parts > 0, crossings not empty.
    std::int32_t start(std::span<const Crossing> crossings, std::int64_t bytes, std::int64_t times = 1, std::int64_t parts = 1);
    /// Takes a flow away. \pre its end was reached, or nobody wants the rest.
    void finish(std::int32_t flow);
    bool isDirty() const { return !m_started.empty() || !m_touched.empty(); }
    /// Brings rates and ends up to date. \pre now is not before the last call, and no end lies before it.
    void solve(std::int64_t now);

    /// From begin to end the flows of a resource have used so much of its capacity.
    struct Use {
        std::int32_t resource = 0;
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::int64_t used = 0; ///< > 0, in units of rates.
    };
    /// From now on every solve() appends the uses that end in it. \pre nothing has started; `uses` outlives it
    void tellUses(std::vector<Use>& uses) { m_uses = &uses; }

    std::int64_t nextEnd() const { return m_heap.empty() ? kNever : m_heap.front().end; } ///< Of the flow that ends first.
    /// Appends the flows that end at nextEnd(), in no defined order. O(their number).
    void firstToEnd(std::vector<std::int32_t>& flows) const;

    std::int64_t rate(std::int32_t flow) const { return m_paths[at(flow)].rate; }
    std::int64_t end(std::int32_t flow) const { return m_flows[at(flow)].end; }
    std::int64_t capacity(std::int32_t resource) const { return m_capacities[at(resource)]; }
    std::int64_t used(std::int32_t resource) const { return static_cast<std::int64_t>(capacity(resource) - m_resources[at(resource)].room); }
    std::int64_t solvedFlows() const { return m_solvedFlows; } ///< Rates set by all solve() so far: what the time depends on.
    std::int64_t bytes() const;                                ///< Memory, about.

private:
    static constexpr std::int64_t kUnset = -1;
    static constexpr std::int64_t kOpen = kNever; ///< Level of a resource that holds nobody back; rate of a flow that none holds back yet.

    /// A flow in the list of a resource.
    struct Entry {
        std::int32_t flow;
        std::int32_t hop;            ///< Of the flow: the resource.
    };
    /// Sums over its flows count each as often as it takes.
    struct alignas(64) Resource {
        Wide room = 0;                ///< What flows with a rate leave.
        std::int64_t level = kOpen;
        std::int64_t held = 0;        ///< Flows at its level.
        std::int64_t open = 0;        ///< Flows without a rate.
        std::int64_t total = 0;       ///< All flows.
        std::int64_t fastestSlow = 0; ///< No flow below its level is faster.
        std::int64_t queued = kNever; ///< Level at which it is to be looked at.
    };
    static_assert(sizeof(Resource) == 64); // What setRate() needs of it in one line of the cache.
    struct Flow {
        Wide left = 0;               ///< At `since`.
        std::int64_t since = 0;
        std::int64_t end = kNever;
        std::int32_t place = -1;     ///< In the heap.
    };
    /// What solve() needs of a flow, in one line of the cache.
    struct alignas(64) Path {
        static constexpr std::size_t kNear = 10;

        std::int64_t rate = 0;                     ///< 0: it has just started.
        std::int64_t before = kUnset;              ///< The rate before solve(), where that has set another.
        std::int32_t first = 0;                    ///< Of its hops.
        std::int32_t hops = 0;
        std::array<std::int32_t, kNear> near = {}; ///< Its resources, where they are few.

        bool isNear() const { return hops <= static_cast<std::int32_t>(kNear); }
    };
    static_assert(sizeof(Path) == 64);
    /// The list of a resource: those at its level first.
    struct List {
        std::vector<Entry> flows;
        std::size_t held = 0;
        bool isTouched = false;
    };
    struct Ending {
        std::int64_t end;
        std::int32_t flow;
    };
    struct Queued {
        std::int64_t level;
        std::int32_t resource;
    };
    struct Demand {
        std::int64_t rate;           ///< That other resources leave it.
        Entry of;
    };
    struct Told {
        std::int64_t since = 0;
        std::int64_t used = 0;
    };

    /// Calls visit(resource, times, hop) for every hop.
    template <typename Visit>
    void forEachHop(const Path& path, Visit&& visit) const
    {
        const std::int32_t* const resources = path.isNear() ? path.near.data() : m_hops.data() + path.first;
        for (std::int32_t hop = 0; hop < path.hops; ++hop)
            visit(resources[hop], timesOf(path.first + hop), path.first + hop);
    }
    std::int32_t timesOf(std::int32_t hop) const { return m_times.empty() ? 1 : m_times[at(hop)]; }
    Flow& flowAt(std::int32_t number) { return m_flows[at(number)]; }
    Resource& resourceAt(std::int32_t number) { return m_resources[at(number)]; }

    // In flowlevels.cpp.
    static std::int64_t share(Wide room, std::int64_t flows);
    static Wide roomOf(const Resource& resource);
    void join(std::int32_t flow);
    void sweep();
    void queueTouched();
    void queue(std::int32_t resource, std::int64_t level);
    std::int64_t lowestLevel(const Resource& resource) const;
    std::int64_t levelOf(std::int32_t resource);
    std::int64_t filled(Wide room, std::int64_t level) const;
    void settle(std::int32_t resource);
    void lower(std::int32_t resource, std::int64_t level);
    void raise(std::int32_t resource, std::int64_t least);
    void setRate(std::int32_t flow, std::int64_t rate, std::int32_t except);
    void meet(std::int32_t resource, std::int32_t times, std::int32_t hop, std::int64_t rate);
    void touch(std::int32_t resource);

    void keepHops(Path& path, std::span<const Crossing> crossings);
    void swapEntries(std::int32_t resource, std::size_t a, std::size_t b);
    void hold(std::int32_t resource, std::int32_t hop);
    void letGo(std::int32_t resource, std::int32_t hop);
    void leave(std::int32_t resource, std::int32_t hop);
    void tellChanged(std::int64_t now);
    void adopt(std::int64_t now);
    void place(std::size_t index, Ending ending);
    void siftUp(std::size_t index, Ending ending);
    void siftDown(std::size_t index, Ending ending);
    void reorder(std::int32_t flow);
    void removeEnd(Flow& flow);

    std::int64_t m_units = 1;
    std::vector<Resource> m_resources;
    std::vector<std::int64_t> m_capacities;            ///< By resource, as the next.
    std::vector<List> m_lists;
    std::vector<Flow> m_flows;
    std::vector<std::int32_t> m_free;
    std::vector<Path> m_paths;                         ///< By flow.
    std::vector<std::int32_t> m_hops;                  ///< Resources, of flows that do not have them near.
    std::vector<std::int32_t> m_times;                 ///< By hop; empty: each takes all of its resources once.
    std::vector<std::int32_t> m_indices;               ///< By hop: in the list of its resource.
    std::vector<std::vector<std::int32_t>> m_freeHops; ///< By number of hops: first hops of what finished flows left.
    std::vector<Ending> m_heap;                        ///< By end.

    std::vector<std::int32_t> m_started;
    std::vector<std::int32_t> m_touched;    ///< Resources whose level may be wrong.
    // While solving.
    std::int64_t m_level = 0;               ///< That has been reached.
    std::vector<Queued> m_queue;
    std::vector<Demand> m_demands;
    std::vector<std::int32_t> m_set;        ///< Flows whose rate was set.
    std::int64_t m_solvedFlows = 0;
    // For tellUses().
    std::vector<Use>* m_uses = nullptr;
    std::vector<Told> m_told;               ///< By resource.
    std::vector<std::int32_t> m_changed;    ///< Resources whose use may be another since the last solve().
};

} // namespace fabricscope
