#pragma once

#include "core/record/runrecord.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

/// A collective of a run, to choose from. Collectives of the other groups of a family are entries of their own; `family` and `call`
/// are equal where the groups of a family run the same call, so that a view can fold them.
struct InstanceRun {
    std::int32_t instance = 0;     ///< Index into Structure::instances.
    std::string name;              ///< Of its task on the first member; empty: the task has none.
    CollectiveOp op = CollectiveOp::AllReduce;
    FamilyId family = 0;
    std::string familyName;        ///< Empty: the group of all ranks.
    std::int64_t group = 0;        ///< Inside the family.
    std::int32_t call = 0;         ///< Number of the collective inside its group, from 0.
    std::string ranks;             ///< Of the group: "0-7".
    std::int32_t size = 0;         ///< Members.
    std::int64_t bytes = 0;        ///< Large side.
    std::int32_t chunks = 0;       ///< 0: it sends no messages.
    std::string algorithm;         ///< Name of its program; empty: it has none.
    std::int64_t beginPs = -1;     ///< First issue; -1: nobody has issued it, or task times were not kept.
    std::int64_t endPs = -1;       ///< Last end; -1: not ended on every member.
    bool steppable = false;        ///< CollectiveReplay::create() can be asked for it.
};

/// Every collective of a run by (beginPs, instance), those never issued last. Empty under the astra-* models, whose engine keeps no
/// instances. O(instances + ranks * families + tasks of the classes * groups a class is in).
/// Told to stop: throws StopRequested (stop.h).
std::vector<InstanceRun> collectivesOf(const Scenario& scenario, const RunRecord& record, const std::stop_token& stop = {});

} // namespace fabricscope
