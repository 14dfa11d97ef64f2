#pragma once

#include "core/record/messagerecord.h"
#include "core/sim/common/linkbusy.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fabricscope::events {

/// Which engine found an answer.
enum class AnsweredBy : std::uint8_t { Memo, Symmetry, Sweep, Events };
constexpr std::size_t kAnswerers = 4;

/// What a collective that shares nothing with anything else does, seen from outside. Times in ps from its first entry; members by
/// position, links by their place in GroupPlaces. The same for every group whose places are alike.
struct CollectiveAnswer {
    struct LinkWork {
        std::int32_t place = 0;
        std::int64_t messages = 0;
        std::int64_t bytes = 0;
        std::int64_t busy = 0;
        std::int64_t first = 0; ///< Begin of the first work; `end` of the last.
        std::int64_t end = 0;
    };
    /// Work of reducer and budgets of one member.
    struct EndpointWork {
        std::int32_t position = 0;
        std::int64_t firstIn = 0; ///< First arrival at the reducer or the ejection budget; endIn: of their last work.
        std::int64_t endIn = 0;
        std::int64_t firstOut = 0; ///< Injection budget.
        std::int64_t endOut = 0;
    };
    std::vector<std::int64_t> exits;      ///< By position.
    std::vector<LinkWork> links;          ///< Those in use, ascending.
    std::vector<EndpointWork> endpoints;  ///< Those in use, ascending.
    std::vector<BusySteps> busy;          ///< By dimension as Network::busy().
    std::vector<MessageRecord> records;   ///< Only where asked for: positions for ranks, times from the first entry.
    std::int64_t messages = 0;
    std::int64_t pieces = 0;
    std::int64_t events = 0;
    AnsweredBy by = AnsweredBy::Events;
    std::string refusal;                  ///< Not empty: cannot stand for the collective inside a run, and why.

    std::int64_t bytes() const; ///< Of memory, about. In runcomponent.cpp.
};

using CollectiveAnswerPtr = std::shared_ptr<const CollectiveAnswer>;

} // namespace fabricscope::events
