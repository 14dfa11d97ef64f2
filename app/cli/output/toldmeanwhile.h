#pragma once

#include "app/cli/output/progressteller.h"

#include <functional>
#include <thread>

namespace fabricscope::cli {

/// Tells how far something is that has nothing to tell it with but a state others may look at: for as long as this lives, a thread of its own asks `now` a few
/// times a second. No thread where nobody sees it.
class ToldMeanwhile {
public:
    ToldMeanwhile(ProgressTeller& teller, std::function<ShownProgress()> now);

private:
    std::jthread m_thread;
};

} // namespace fabricscope::cli
