#pragma once

#include <optional>
#include <thread>

namespace fabricscope::test {

/// What `work` answers on a thread of its own. packaging/tsan.supp leaves out every race with a frame of Qt in a stack, and those of the main thread have some.
template <typename Work>
auto apart(const Work& work)
{
    std::optional<decltype(work())> answer;
    std::jthread([&] { answer.emplace(work()); }).join();
    return *std::move(answer);
}

} // namespace fabricscope::test
