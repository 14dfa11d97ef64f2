#pragma once

#include "widgets/base/background.h"

#include <QObject>
#include <QTimer>

#include <stop_token>
#include <utility>

namespace fabricscope {

/// A search beside the window on a thread of its own, one at a time; how far it is is looked at 30 times a second.
class SearchRunner : public QObject
{
    Q_OBJECT
public:
    /// Stops a search and waits for its end.
    ~SearchRunner() override;

    /// The search ends soon, with what it has or as Cancelled.
    void stop();
    bool isBusy() const { return m_busy; }

    static constexpr int kPollMs = 33;

signals:
    void failed(const fabricscope::Error& error);

protected:
    explicit SearchRunner(QObject* parent);

    /// `work` is given a stop token; its answer goes to `done`, or failed() tells why there is none.
    /// \pre !isBusy()
    template <class Work, class Done>
    void begin(Work work, Done done)
    {
        Q_ASSERT(!m_busy);
        m_stop = std::stop_source();
        m_busy = true;
        m_timer.start();
        inBackground(
            this, [work = std::move(work), stop = m_stop.get_token()]() mutable { return work(stop); },
            [this, done = std::move(done)](const auto& answer) {
                poll();
                m_timer.stop();
                m_busy = false;
                if (answer)
                    done(answer.value());
                else
                    emit failed(answer.error());
            },
            m_thread);
    }
    /// Tells what is new of the search.
    virtual void poll() = 0;

private:
    BackgroundThreads m_thread{1};
    QTimer m_timer;
    std::stop_source m_stop;
    bool m_busy = false;
};

} // namespace fabricscope
