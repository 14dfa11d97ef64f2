#pragma once

#include "core/sim/events/enginestate.h"

#include <unordered_map>

namespace fabricscope::events {

/// The part of the machine one program uses on one group, in an order that depends on the program only. Two groups with the same digest
/// do the same when they run it with the same entries: the links their messages share, the ports they come by, all rates and latencies
/// agree, and the tie rule (manual: models 3.6) sees nothing else.
struct GroupPlaces {
    Digest digest;                      ///< Of program, links, ports, costs and reducers.
    std::vector<std::int32_t> links;    ///< By place: number of the link in Routes.
    bool usable = true;                 ///< False: messages are not those of the template, or too many pairs to list.
};

/// Places of the plans of a run, worked out once each.
class GroupPlacesCache {
public:
    explicit GroupPlacesCache(EngineState& state)
        : m_state(state)
    {
    }

    /// O(messages of a phase of every member) the first time, then one hash lookup. The reference stays valid.
    const GroupPlaces& of(const Plan& plan);
    /// Digest of a program, computed once.
    Digest digestOf(const Program& program);

private:
    GroupPlaces made(const Plan& plan);

    EngineState& m_state;
    std::unordered_map<const Plan*, GroupPlaces> m_places;
    std::unordered_map<const Program*, Digest> m_programs;
};

} // namespace fabricscope::events
