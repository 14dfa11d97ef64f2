#pragma once

#include "core/base/result.h"

#include <functional>
#include <memory>

namespace fabricscope {

/// A thread was refused: for want of memory, or because the user may not have more processes. The document is as it was.
Error noThread();

/// Threads for work beside the window. They are started when there is work for them, and stay. Unlike QThreadPool it tells when there is no thread for a
/// piece of work; there that piece is lost, and whoever waits for the pool waits for ever.
class BackgroundThreads {
public:
    using Work = std::function<void()>;

    explicit BackgroundThreads(int most);
    ~BackgroundThreads(); ///< Waits for all work.
    BackgroundThreads(const BackgroundThreads&) = delete;
    BackgroundThreads& operator=(const BackgroundThreads&) = delete;

    /// One thread per core. Whoever ends the application waits for its work first.
    static BackgroundThreads& global();

    /// Has `work`, which must not throw, done on a thread, in the order of the calls. False: there is no thread and none can be started; `work` is not done.
    [[nodiscard]] bool start(Work work);
    /// All work given so far is done.
    void waitForDone();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace fabricscope
