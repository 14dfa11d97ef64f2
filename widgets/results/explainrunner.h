#pragma once

#include "core/insight/explain.h"
#include "widgets/base/backgroundthreads.h"
#include "widgets/timeline/criticalsteps.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Why a run on show takes as long as it takes.
struct ExplainedRun {
    RunResultPtr of;           ///< The run on show; that of the explanation is the same design again.
    Explanation explanation;
    std::shared_ptr<const std::vector<PathStep>> steps; ///< On the timeline of `of`; never null.
    bool ranged = false;       ///< Ranges of the sensitivities were looked for, as far as they can be.
};
using ExplainedRunPtr = std::shared_ptr<const ExplainedRun>;

/// Explains runs beside the window, one at a time; the newest counts, older ones are stopped.
class ExplainRunner : public QObject
{
    Q_OBJECT
public:
    explicit ExplainRunner(QObject* parent = nullptr);
    ~ExplainRunner() override; ///< Stops what runs and waits for its end.

    /// Simulates the design of `run` once more and goes back along its critical path; answers by explained(), then, when the ranges of sensitivities are
    /// known, once more; or by failed(). `text`, `file`: of the design, for edits that it can take. \pre the run is complete
    void explain(const RunResultPtr& run, std::string text, std::string file);
    /// Nothing is answered any more.
    void cancel();
    bool isBusy() const { return m_busy; }
    /// What was asked for last; null: nothing yet.
    const RunResultPtr& run() const { return m_run; }
    /// Until all that was begun has ended, stopped or not; its answers are still to be delivered.
    void waitForThreads() { m_threads.waitForDone(); }

signals:
    void explained(const fabricscope::ExplainedRunPtr& run);
    void failed(const fabricscope::Error& error);
    /// 0 to 1 of simulating and going back; then of the ranges, `ranging`.
    void progressed(double share, bool ranging);
    void busyChanged(bool busy);

private:
    struct Shares;

    void findRanges(const ExplainedRunPtr& run);
    void end();
    void poll();

    std::stop_source m_stop;
    std::shared_ptr<Shares> m_shares; ///< Of the newest.
    QTimer m_poll;
    RunResultPtr m_run;
    int m_number = 0;
    bool m_busy = false;
    BackgroundThreads m_threads{1};
};

} // namespace fabricscope

Q_DECLARE_METATYPE(fabricscope::ExplainedRunPtr)
