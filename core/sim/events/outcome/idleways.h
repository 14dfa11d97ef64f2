#pragma once

#include "core/base/result.h"
#include "core/record/runrecord.h"
#include "core/scenario/scenario.h"
#include "core/sim/events/messageroutes.h"

#include <optional>
#include <span>

namespace fabricscope::events {

/// A warning where links of nodes and links carried nothing although each leads as close to every destination as another of the same node that several
/// pairs of NPUs shared; with examples by name. `used`: links that carried something. Ways that a program names do not count. None where a search
/// would take long (kMostIdleSteps), or where a collective is so small that messages of it may be empty.
/// O(links + destinations of shared links * (nodes + links)).
std::optional<Diagnostic> idleWays(const Scenario& scenario, const Routes& routes, std::span<const LinkId> used);

} // namespace fabricscope::events
