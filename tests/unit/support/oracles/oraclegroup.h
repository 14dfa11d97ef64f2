#pragma once

#include "core/scenario/scenario.h"
#include "core/scenario/taskscheduling.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace fabricscope::test {

/// The collectives of one communicator group.
struct OracleGroup {
    std::vector<int> order;                       ///< Instances in run order.
    std::map<int, std::set<std::int32_t>> issuers; ///< Ranks that have issued an instance.
    std::vector<int> complete;                    ///< Issued by the last member in this instant.
    std::map<std::int32_t, std::size_t> entered;  ///< Per rank: so many of `order` have been entered.
    std::set<int> known;                          ///< Issued by somebody.
    std::vector<int> fresh;                       ///< Known, not in `order` yet.
    std::map<std::int32_t, std::size_t> finished; ///< Per rank: so many of `order` are done.

    /// Collectives all members have issued move forward past those nobody has entered, as the order says.
    void overtake(const std::vector<CollectiveInstance>& instances, TaskOrder taskOrder);
};

} // namespace fabricscope::test
