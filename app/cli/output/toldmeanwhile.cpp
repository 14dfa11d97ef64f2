#include "app/cli/output/toldmeanwhile.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace fabricscope::cli {

ToldMeanwhile::ToldMeanwhile(ProgressTeller& teller, std::function<ShownProgress()> now)
{
    if (!teller.isShown())
        return;
    m_thread = std::jthread([&teller, now = std::move(now)](const std::stop_token& stop) {
        constexpr auto kBetween = std::chrono::milliseconds(100);
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        while (!ended.wait_for(lock, stop, kBetween, [&] { return stop.stop_requested(); }))
            teller.tell(now());
    });
}

} // namespace fabricscope::cli
