#pragma once

#include "core/draw/geometry.h"

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace fabricscope {

/// Puts parts by springs along links and repulsion between parts that are near (T. Fruchterman, E. Reingold, "Graph drawing by force-directed placement", 1991, with its
/// grid): from the places given, each step shorter than the one before. The middle of all stays where it is. Same input, same places, unless told to stop, which ends it with
/// the places of the last whole step. `links`: numbers of parts; those that are none, or one part twice, are left out. `shown` is called after every step.
/// Places of parts of one place are told apart by their numbers. O(kForceSteps * (parts + links)) where parts lie apart.
constexpr int kForceSteps = 300;
constexpr std::size_t kMostForced = 2000; ///< Of more parts a picture by forces says nothing, and a step takes too long.
/// \pre at most kMostForced places
std::vector<PointF> forceLayout(std::vector<PointF> places, std::span<const std::pair<std::size_t, std::size_t>> links, const std::stop_token& stop = {},
                                const std::function<void(const std::vector<PointF>&)>& shown = {});

} // namespace fabricscope
