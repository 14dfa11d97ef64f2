#pragma once

#include "core/sim/common/linkbusy.h"
#include "core/sim/events/enginestate.h"

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope::events {

/// What a collective does in a run in which some ranks stand for others, as long as it shares nothing with anything else. Times in ps from the first entry.
struct FoldedAnswer {
    struct LinkWork {
        std::int32_t link = 0; ///< As Routes of the whole run numbers them.
        std::int64_t messages = 0;
        std::int64_t bytes = 0;
        std::int64_t busy = 0;
        std::int64_t first = INT64_MAX; ///< Begin of the first work; `end` of the last.
        std::int64_t end = 0;
    };
    /// Work of reducer and budgets of one node.
    struct EndpointWork {
        NodeId node = 0;
        std::int64_t firstIn = 0; ///< First arrival at the reducer or the ejection budget; endIn: of their last work.
        std::int64_t endIn = 0;
        std::int64_t firstOut = 0; ///< Injection budget.
        std::int64_t endOut = 0;
    };
    std::vector<std::int64_t> exits;  ///< By position; of members that are not simulated -1.
    std::vector<LinkWork> links;      ///< Those in use.
    std::vector<EndpointWork> endpoints;
    std::vector<BusySteps> busy;      ///< By dimension as Network::busy().
    std::int64_t messages = 0;
    std::int64_t pieces = 0;
    std::int64_t events = 0;
    bool usable = true;               ///< False: it cannot stand for the collective inside a run.
};

/// Runs the collective alone in an engine that is folded alike. \param entries by position, from the first one, which is 0; of members that are simulated.
/// \param endpoints of all nodes, idle; kept for the next time. Errors: those of the engine. O(messages of the members that are simulated + ranks).
Result<FoldedAnswer> foldedAnswer(EngineState& state, const Run& run, std::span<const std::int64_t> entries, std::vector<Endpoint>& endpoints, const std::stop_token& stop);

/// Is the rank at that place of a group simulated itself?
bool isSimulated(const Plan& plan, std::int32_t position);

} // namespace fabricscope::events
