#pragma once

#include "widgets/base/backgroundthreads.h"

#include <QSemaphore>
#include <QThread>

#include <memory>

namespace fabricscope::test {

/// While it lives, work beside the window that is begun later does not begin: each of the global threads waits. Nothing may wait for that work meanwhile.
class HeldThreads
{
public:
    HeldThreads()
    {
        for (int i = 0; i < m_count; ++i)
            if (BackgroundThreads::global().start([hold = m_hold] { hold->acquire(); }))
                ++m_held;
    }
    ~HeldThreads() { m_hold->release(m_held); }
    HeldThreads(const HeldThreads&) = delete;
    HeldThreads& operator=(const HeldThreads&) = delete;

    /// All of them wait.
    bool areHeld() const { return m_held == m_count; }

private:
    std::shared_ptr<QSemaphore> m_hold = std::make_shared<QSemaphore>();
    int m_count = QThread::idealThreadCount(); ///< As many as there are.
    int m_held = 0;
};

} // namespace fabricscope::test
