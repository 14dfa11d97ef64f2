#pragma once

#include "core/run/runslot.h"

#include <QObject>
#include <QTimer>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace fabricscope {

/// Runs designs on the core thread, one at a time, the newest first. The window polls the slot of the running job at 30 Hz; the only
/// queued call is the end of a job. A newer job replaces a waiting one, and stops a running one that has gone on for a while:
/// so short runs all show while a slider moves, and long ones do not pile up.
class RunController : public QObject
{
    Q_OBJECT
public:
    explicit RunController(QObject* parent = nullptr);
    ~RunController() override; ///< Stops what runs and waits for it, at most about 200 ms.

    /// Starts a job; returns its number. `noticed`: what reading the design reported.
    std::int64_t start(std::shared_ptr<const Design> design, Diagnostics noticed);
    /// Stops the running job and forgets a waiting one.
    void cancel();
    bool isBusy() const { return m_requested > m_ended; }
    /// Number of the newest job asked for; 0: none yet.
    std::int64_t newest() const { return m_requested; }
    /// A running job is stopped for a newer one only after this long; ms.
    static constexpr int kGraceMs = 150;

    void setMemoryLimit(std::int64_t bytes) { m_memoryLimit = bytes; }

signals:
    void started(qint64 number);
    /// At most 30 times a second.
    void progressed(const fabricscope::RunProgress& progress);
    /// A first or newer part of a running job.
    void partial(fabricscope::RunResultPtr result);
    /// Results come in ascending order of their numbers; one that a newer job has overtaken is not told.
    void finished(fabricscope::RunResultPtr result);
    void failed(const fabricscope::Error& error);
    /// `part`: what there was; may be null.
    void cancelled(fabricscope::RunResultPtr part);
    /// A job gives nothing more: it has ended one way or the other, which was told before, or was overtaken or cancelled before it began.
    void gone(qint64 number);
    /// The last job has ended, one way or the other.
    void idle();

private:
    struct Job {
        std::int64_t number = 0;
        std::shared_ptr<const Design> design;
        Diagnostics noticed;
        EngineChoice engine = EngineChoice::Auto;
        std::int64_t memoryLimit = 0;
        std::stop_source stop;
    };

    void work(const std::stop_token& quit);
    Result<RunResultPtr> run(const Job& job);
    void end(std::int64_t number, const Result<RunResultPtr>& result);
    void refused(std::int64_t number);
    void poll();

    RunSlot m_slot;
    QTimer m_poll;
    QTimer m_grace;
    std::int64_t m_requested = 0;
    std::int64_t m_ended = 0;     ///< Newest job that has ended or was replaced while waiting.
    std::int64_t m_told = 0;      ///< Newest job whose result was told.
    RunResultPtr m_part;          ///< Newest part of the running job.
    std::int64_t m_memoryLimit = 0;

    std::mutex m_mutex;           ///< Guards the three below.
    std::condition_variable_any m_wake;
    std::optional<Job> m_waiting;
    std::stop_source m_running;   ///< Of the running job.
    bool m_isRunning = false;
    std::jthread m_thread;        ///< Started with the first job. Last: it uses everything above.
};

} // namespace fabricscope

Q_DECLARE_METATYPE(fabricscope::RunResultPtr)
