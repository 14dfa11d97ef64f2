#include "widgets/base/backgroundthreads.h"

#include <QCoreApplication>
#include <QThread>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace fabricscope {

Error noThread()
{
    return Error{ErrorCode::MemoryLimit, "no thread can be started for this: there is not enough memory, or too many processes run", {}, {}};
}

struct BackgroundThreads::State {
    std::mutex mutex; ///< Guards all below.
    std::condition_variable wake;
    std::condition_variable done;
    std::deque<Work> waiting;
    std::vector<std::thread> threads;
    std::size_t most = 1;
    std::size_t busy = 0;
    bool ending = false;

    void work()
    {
        std::unique_lock lock(mutex);
        for (;;) {
            wake.wait(lock, [this] { return ending || !waiting.empty(); });
            if (waiting.empty())
                return;
            Work work = std::move(waiting.front());
            waiting.pop_front();
            ++busy;
            lock.unlock();
            work();
            work = nullptr; // What it holds may be wanted by whoever waits.
            lock.lock();
            --busy;
            if (busy == 0 && waiting.empty())
                done.notify_all();
        }
    }
};

BackgroundThreads::BackgroundThreads(int most) : m_state(std::make_unique<State>())
{
    m_state->most = static_cast<std::size_t>(std::max(1, most));
    m_state->threads.reserve(m_state->most);
}

BackgroundThreads::~BackgroundThreads()
{
    {
        const std::lock_guard lock(m_state->mutex);
        m_state->ending = true;
    }
    m_state->wake.notify_all();
    for (std::thread& thread : m_state->threads)
        thread.join();
}

BackgroundThreads& BackgroundThreads::global()
{
    static BackgroundThreads threads(QThread::idealThreadCount());
    // Answers go to the application. A new one (tests) waits again.
    static const QCoreApplication* waitsFor = nullptr;
    if (waitsFor != QCoreApplication::instance()) {
        waitsFor = QCoreApplication::instance();
        qAddPostRoutine([] {
            waitsFor = nullptr;
            threads.waitForDone();
        });
    }
    return threads;
}

bool BackgroundThreads::start(Work work)
{
    State& state = *m_state;
    {
        const std::lock_guard lock(state.mutex);
        state.waiting.push_back(std::move(work));
        if (state.threads.size() < state.most && state.busy + state.waiting.size() > state.threads.size()) {
            try {
                state.threads.emplace_back([&state] { state.work(); });
            } catch (const std::exception&) { // Those that there are do it later.
                if (state.threads.empty()) {
                    state.waiting.pop_back();
                    return false;
                }
            }
        }
    }
    state.wake.notify_one();
    return true;
}

void BackgroundThreads::waitForDone()
{
    std::unique_lock lock(m_state->mutex);
    m_state->done.wait(lock, [this] { return m_state->busy == 0 && m_state->waiting.empty(); });
}

} // namespace fabricscope
