#pragma once

namespace fabricscope::events {

/// What a folded run may pass over (fastforward.h). The record is the same with each of them off; only how many events it takes differs.
struct Shortcuts {
    bool quietSteps = true;
    bool shrinkingSteps = true;
    bool periods = true;
};

} // namespace fabricscope::events
