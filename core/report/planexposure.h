#pragma once

#include "core/plan/layout.h"
#include "core/report/planfigures.h"
#include "core/workload/taskgraph.h"

namespace fabricscope {

/// Time of classes of ranks that nothing hides, by what it was for.
class PlanExposure {
public:
    /// All outlive it. \pre every class of the record has task times
    PlanExposure(const PlanLayout& layout, const Workload& workload, const RunRecord& record, const std::stop_token& stop);

    struct Times {
        ExposedTimes exposed{};
        std::int64_t nothing = 0; ///< No computation and no communication in flight, until the end of the run.
        std::int64_t bubble() const { return exposed[static_cast<std::size_t>(PlanTraffic::Bubble)] + nothing; }
    };
    /// Throws StopRequested. O(tasks log tasks).
    Times of(const RankClass& rankClass);

private:
    struct Sent {
        std::uint32_t tag = 0;
        std::int32_t peer = 0;
        TaskIndex task = 0;
        friend auto operator<=>(const Sent&, const Sent&) = default;
    };

    PlanTraffic trafficOf(const RankGraph& graph, TaskIndex task) const;
    /// When the message of a receive was sent; its end where that is not known.
    std::int64_t sentAt(const RankGraph& graph, TaskIndex receive, std::int32_t rank, std::int64_t end);
    const std::vector<Sent>& sendsOf(const RankGraph& graph);

    const PlanLayout& m_layout;
    const Workload& m_workload;
    const RunRecord& m_record;
    const std::stop_token& m_stop;
    std::vector<std::int32_t> m_classOfRank;
    std::vector<std::pair<const RankGraph*, std::vector<Sent>>> m_sends; ///< By graph, as they are asked for.
};

} // namespace fabricscope
