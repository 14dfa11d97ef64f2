#pragma once

#include "core/base/index.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope {

/// Flows over shared resources at max-min fair rates, in integers (rules of flow/1, flowmodel.h).
///
/// Rates count in units of 1/unitsPerByte() B/s and work in units of 1/(unitsPerByte() 10^12) B, so that rate (units) times time (ps) is
/// work (units) and no part of a byte is ever rounded away. A resource is *tight* at level v when its flows of rate v are its fastest, and
/// v = floor((capacity - sum of slower rates) / number of flows at v). After solve() every resource can bear its flows and every flow
/// has a resource that is tight at its rate: max-min fair to less than one unit per flow. That, and all that is read here, depends
/// neither on numbers of flows and resources nor on the order of calls inside one instant.
///
/// solve() looks only at flows whose rate may change: it fills the water for those alone, over what the others leave, then
/// takes in every flow that this leaves without a tight resource or makes too fast for one, until there is none.
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

    /// A flow of ceil(bytes * times / parts) over these resources, each at most once; it counts from the next solve(). The number is used
    /// again after finish(). \pre bytes > 0, times and parts > 0, resources not empty.
    std::int32_t start(std::span<const std::int32_t> resources, std::int64_t bytes, std::int64_t times = 1, std::int64_t parts = 1);
    /// Takes a flow away. \pre its end was reached, or nobody wants the rest.
    void finish(std::int32_t flow);
    bool isDirty() const { return !m_started.empty() || !m_loosened.empty(); }
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

    std::int64_t rate(std::int32_t flow) const { return m_flows[at(flow)].rate; }
    std::int64_t end(std::int32_t flow) const { return m_flows[at(flow)].end; }
    std::int64_t capacity(std::int32_t resource) const { return m_resources[at(resource)].capacity; }
    std::int64_t used(std::int32_t resource) const { return m_resources[at(resource)].used; }
    std::int64_t solvedFlows() const { return m_solvedFlows; } ///< Flows looked at by all solve() so far: what the time depends on.
    std::int64_t bytes() const;                                ///< Memory, about.

private:
    static constexpr std::int64_t kOpen = -1; ///< Level of a resource that holds nobody back.

    /// A flow in the list of a resource; `hop`: the resource is its hop-th.
    struct Entry {
        std::int32_t flow;
        std::int32_t hop;
    };
    struct Resource {
        std::int64_t capacity = 0;
        std::int64_t used = 0;
        std::int64_t level = kOpen;
        std::vector<Entry> flows;
        // While solving.
        std::int64_t base = 0;       ///< What flows outside the set leave.
        std::int64_t room = 0;       ///< What is left of it.
        std::int64_t newLevel = kOpen;
        std::int32_t members = 0;    ///< Flows of the set on it.
        std::int32_t onlyMember = 0; ///< The numbers of all of them, xor: the flow itself where there is one.
        std::int32_t unfixed = 0;
        bool inSet = false;
    };
    struct Flow {
        Wide left = 0;               ///< At `since`.
        std::int64_t since = 0;
        std::int64_t rate = 0;
        std::int64_t end = kNever;
        std::int64_t newRate = 0;
        std::int64_t bound = kNever; ///< Room of the fullest resource on which it is the only one of the set.
        std::int64_t fixedIn = 0;    ///< Pass in which it got newRate.
        std::int32_t first = 0;      ///< Of its hops.
        std::int32_t hops = 0;
        std::int32_t place = -1;     ///< In the heap.
        bool inSet = false;
    };
    struct Hop {
        std::int32_t resource;
        std::int32_t index;          ///< In the list of the resource.
    };
    struct Ending {
        std::int64_t end;
        std::int32_t flow;
    };
    /// When a resource is full; or one on which a flow is the only one of the set.
    struct Filling {
        std::int64_t level;
        std::int32_t resource;       ///< Or ~flow.
    };

    std::span<Hop> hopsOf(const Flow& flow) { return {m_hops.data() + flow.first, static_cast<std::size_t>(flow.hops)}; }
    Flow& flowAt(std::int32_t number) { return m_flows[at(number)]; }
    Resource& resourceAt(std::int32_t number) { return m_resources[at(number)]; }
    struct Told {
        std::int64_t since = 0;
        std::int64_t used = 0;
    };

    void tellChanged(std::int64_t now);
    void take(std::int32_t flow);
    void takeLevel(Resource& resource, std::int64_t level);
    bool isHeld(const Flow& flow);
    void fill();
    void fix(Resource& resource, std::int64_t level);
    void fixFlow(Flow& flow, std::int64_t level);
    bool verify();
    void settleLevel(Resource& resource);
    void adopt(std::int64_t now);
    void place(std::size_t index, Ending ending);
    void siftUp(std::size_t index, Ending ending);
    void siftDown(std::size_t index, Ending ending);
    void reorder(std::int32_t flow);
    void removeEnd(Flow& flow);

    std::int64_t m_units = 1;
    std::vector<Resource> m_resources;
    std::vector<Flow> m_flows;
    std::vector<std::int32_t> m_free;
    std::vector<Hop> m_hops;
    std::vector<std::vector<std::int32_t>> m_freeHops; ///< By number of hops: first hops of what finished flows left.
    std::vector<Ending> m_heap;                        ///< By end.

    std::vector<std::int32_t> m_started;
    std::vector<std::int32_t> m_loosened;   ///< Tight resources a flow has left.
    std::vector<std::int64_t> m_lostLevels; ///< Their levels.
    // While solving.
    std::vector<std::int32_t> m_set;        ///< Flows whose rate may change.
    std::vector<std::int32_t> m_touched;    ///< Their resources.
    std::vector<Filling> m_filling;
    std::vector<std::int32_t> m_ties;
    std::vector<std::int32_t> m_more;
    std::int64_t m_pass = 0;
    std::size_t m_fixed = 0;
    std::int64_t m_solvedFlows = 0;
    // For tellUses().
    std::vector<Use>* m_uses = nullptr;
    std::vector<Told> m_told;               ///< By resource.
    std::vector<std::int32_t> m_changed;    ///< Resources whose use may be another since the last solve().
};

} // namespace fabricscope
