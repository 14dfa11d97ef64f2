#pragma once

#include "core/base/index.h"
#include "core/base/result.h"
#include "core/sim/sweep/sweep.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope::sweep {

/// A reduce-scatter, alone or before its all-gather, in direct phases between NPUs of which every two have links of their own.
///
/// A link serves one sender and one receiver. So what it serves is known in order: the chunks of the reduce-scatter, ready when the sender enters, then
/// those of the all-gather as the sender's own parts get ready. These get ready in the order of chunks, because every link delivers in that order. The
/// ends of the first half are maxima over all senders, and the second half follows from them, link by link: no queue and nothing per message is kept.
class PairSweep {
public:
    /// Errors: Unsupported, naming the first thing that stands in the way; Cancelled. O(pairs).
    static Result<PairSweep> plan(const Scenario& scenario, std::int32_t instance, const std::stop_token& stop = {});

    std::int32_t size() const { return m_size; }
    std::int32_t rankOf(std::int32_t position) const { return m_ranks[at(position)]; }
    /// As sweepCollective(). O(pairs * chunks).
    Result<std::optional<CollectiveOutcome>> run(std::span<const std::int64_t> entriesPs, const SweepOptions& options, const std::stop_token& stop) const;

private:
    class Pass;
    PairSweep(const Scenario& scenario, std::int32_t instance);
    Status lay(const std::stop_token& stop);
    std::size_t pair(std::int32_t source, std::int32_t target) const { return static_cast<std::size_t>(source) * static_cast<std::size_t>(m_size) + static_cast<std::size_t>(target); }
    /// Block `block` of a chunk.
    std::int64_t bytesOf(std::int32_t chunk, std::int32_t block) const;

    const Scenario* m_scenario;
    const CollectiveInstance* m_instance;
    std::int32_t m_number;
    std::int32_t m_size = 0;
    std::int32_t m_chunks = 0;
    bool m_gathers = false;          ///< An all-gather follows.
    std::vector<std::int32_t> m_ranks;
    std::vector<LinkId> m_links;     ///< By pair.
};

} // namespace fabricscope::sweep
