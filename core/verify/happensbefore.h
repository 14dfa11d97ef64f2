#pragma once

#include "core/verify/schedule.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// Is one operation over before another begins, whatever the speeds? By program order, dependencies and messages (also through other ranks);
/// not by the back-pressure of full connections.
class HappensBefore {
public:
    /// The references must outlive this. A search throws StopRequested.
    HappensBefore(const ExplicitBody& body, const Lanes& lanes, const Connections& connections, const Schedule& schedule, const std::stop_token& stop);

    enum class Answer : std::uint8_t { Yes, No, Unknown };

    /// \pre a was scheduled before b, both are groups or operations. Same lane or a direct dependency: at once. Else a search backwards from b
    /// through what was scheduled after a. Unknown: all searches together have taken more than kMostVisits.
    Answer before(OpIndex a, OpIndex b);

    /// The same where `a` has written to memory of rank `target` over there: that is done when a signal behind it, to that rank and on the same
    /// connection, has been waited for.
    Answer writtenBefore(OpIndex a, std::int32_t target, OpIndex b);

private:
    static constexpr std::int64_t kMostVisits = std::int64_t{1} << 28;

    bool isDirect(OpIndex a, OpIndex b) const;
    /// `target` < 0: without signals.
    Answer search(OpIndex a, OpIndex b, std::int32_t target);

    const ExplicitBody& m_body;
    const Lanes& m_lanes;
    const Connections& m_connections;
    const Schedule& m_schedule;
    const std::stop_token& m_stop;
    std::vector<std::uint32_t> m_seen[2];   ///< By group: number of the last search that came there; the second once a signal has been passed.
    std::uint32_t m_search = 0;
    std::vector<std::pair<OpIndex, bool>> m_stack;
    std::int64_t m_visits = 0;
};

} // namespace fabricscope
