#pragma once

#include "core/synthesis/transferplan.h"
#include "core/synthesis/translations.h"

#include <cstdint>

namespace fabricscope {

/// Least time in which every rank can have every item when chunks stay whole: the largest of
/// * the longest shortest path from the home of an item (all-gather without translations on large unequal graphs: of some homes);
/// * for each rank v, and each part S of the graph around it that links faster than a limit join: the least T with
///   sum over links u>v of floor((T - a(u)) / time) >= items from outside S, where a(u) is when the first of those can be at u.
/// The second is the step bound (manual: synthesis 1) where all links are alike (S = {v}), and counts the wait for slow links.
std::int64_t spreadBound(const SpreadTask& task, const Translations* translations);

/// The same for all-to-all with `chunks` per pair: longest shortest path, what every rank sends and receives, and the time all items
/// take on links together.
std::int64_t allToAllBound(const SynthesisGraph& graph, const std::vector<std::int64_t>& timePs, std::int32_t chunks);

/// Shortest times from `source` to all ranks; INT64_MAX: no way.
std::vector<std::int64_t> shortestTimes(const SynthesisGraph& graph, const std::vector<std::int64_t>& timePs,
                                        const std::vector<std::vector<std::int32_t>>& outgoing, std::int32_t source);

/// Links by the rank they leave.
std::vector<std::vector<std::int32_t>> outgoingLinks(const SynthesisGraph& graph);

} // namespace fabricscope
