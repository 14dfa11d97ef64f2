#pragma once

#include "core/sim/components/answer.h"
#include "core/sim/components/localplaces.h"

#include <span>
#include <stop_token>

namespace fabricscope::events {

/// Answers single collectives with the event engine: a scenario of nothing but the collective, whose members come one by one.
class CollectiveRunner {
public:
    /// `state`: the run whose collectives are to be answered; only its machine is looked at.
    explicit CollectiveRunner(const EngineState& state)
        : m_state(state)
    {
    }

    /// \param entries by position, ps from the first one, which is 0.
    /// \param records fill CollectiveAnswer::records.
    /// Errors: those of simulateEvents(). O(messages of the collective), not of the machine after the first time.
    Result<CollectiveAnswerPtr> answer(const Run& run, const GroupPlaces& places, std::span<const std::int64_t> entries, bool records,
                                       const std::stop_token& stop);

private:
    const EngineState& m_state;
    std::vector<Endpoint> m_endpoints; ///< Of all nodes, idle between two answers.
};

/// Why the exits cannot be used apart from all else; empty: they can. \param entries, exits by position.
std::string refusalOf(std::span<const std::int64_t> entries, std::span<const std::int64_t> exits);

} // namespace fabricscope::events
