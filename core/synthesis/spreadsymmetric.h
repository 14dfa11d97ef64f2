#pragma once

#include "core/synthesis/transferplan.h"
#include "core/synthesis/translations.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace fabricscope {

/// A chunk of rank 0 that reaches rank `element` over a link of `generator`.
struct SymmetricTransfer {
    std::int32_t generator = 0;
    std::int32_t element = 0;
    std::int32_t chunk = 0;
    std::int64_t startPs = 0;
    std::int64_t endPs = 0;
};

/// Schedule of the chunks of rank 0; every rank does the same, moved along. In the order of the ends.
struct SymmetricPlan {
    std::vector<SymmetricTransfer> transfers;
    std::int64_t finishPs = 0;
};

/// All-gather on a graph with translations, `chunks` per rank. Every generator is a machine that brings one (element, chunk) at a time;
/// at each moment the machines that may finish are matched with as many distinct ones as possible (manual: synthesis 4, look-ahead:
/// what a machine brings is decided when it is there, from what its start had when it left). `attempt` chooses the order of preference.
/// Absent: halted, or longer than `cutoffPs`. O(chunks * ranks * generators * candidates looked at).
std::optional<SymmetricPlan> planSymmetric(const Translations& group, const std::vector<std::int64_t>& timePs, std::int32_t chunks, std::uint64_t seed,
                                           std::uint32_t attempt, const std::atomic<std::int64_t>& cutoffPs, const Halt& halt);

/// The transfers of all ranks. Items are rank * chunks + chunk.
TransferPlan expand(const SymmetricPlan& plan, const Translations& group, std::int32_t chunks);

} // namespace fabricscope
