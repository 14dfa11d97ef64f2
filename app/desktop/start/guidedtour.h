#pragma once

namespace fabricscope {

class Desk;

/// Leads through the program in five minutes, beginning with the two-level example. One that is under way goes on: its key leads through all of it, wherever the focus is.
void startGuidedTour(Desk& desk);

} // namespace fabricscope
