#include "app/desktop/runcontroller.h"

#include "core/run/memorylimit.h"
#include "widgets/base/background.h"
#include "widgets/base/files/usersettings.h"

#include <utility>

namespace fabricscope {

RunController::RunController(QObject* parent)
    : QObject(parent), m_memoryLimit(defaultMemoryLimit())
{
    constexpr int kPollMs = 33;
    m_poll.setInterval(kPollMs);
    connect(&m_poll, &QTimer::timeout, this, &RunController::poll);
    m_grace.setSingleShot(true);
    connect(&m_grace, &QTimer::timeout, this, [this] {
        const std::lock_guard lock(m_mutex);
        if (m_waiting)
            m_running.request_stop();
    });
}

RunController::~RunController()
{
    m_thread.request_stop();
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.reset();
        m_running.request_stop();
    }
    m_wake.notify_all();
    if (m_thread.joinable())
        m_thread.join();
}

std::int64_t RunController::start(std::shared_ptr<const Design> design, Diagnostics noticed)
{
    Job job{++m_requested, std::move(design), std::move(noticed), EngineChoice::Auto, m_memoryLimit, {}};
    bool wait = false;
    std::optional<Job> overtaken;
    {
        const std::lock_guard lock(m_mutex);
        overtaken = std::exchange(m_waiting, std::move(job));
        wait = m_isRunning;
    }
    m_wake.notify_all();
    if (!m_thread.joinable()) {
        try {
            m_thread = std::jthread([this](const std::stop_token& quit) { work(quit); });
        } catch (const std::system_error&) { // Tried again with the next job.
            QMetaObject::invokeMethod(this, [this, number = m_requested] { refused(number); }, Qt::QueuedConnection);
        }
    }
    if (wait && !m_grace.isActive())
        m_grace.start(kGraceMs);
    m_poll.start();
    if (overtaken)
        emit gone(overtaken->number);
    emit started(m_requested);
    return m_requested;
}

void RunController::cancel()
{
    std::optional<Job> waiting;
    {
        const std::lock_guard lock(m_mutex);
        waiting = std::exchange(m_waiting, std::nullopt);
        if (m_isRunning)
            m_running.request_stop();
        else
            m_ended = m_requested;
    }
    if (waiting)
        emit gone(waiting->number);
    if (!isBusy()) {
        m_poll.stop();
        emit idle();
    }
}

void RunController::work(const std::stop_token& quit)
{
    for (;;) {
        Job job;
        {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait(lock, quit, [this] { return m_waiting.has_value(); }))
                return;
            job = std::move(*m_waiting);
            m_waiting.reset();
            m_running = job.stop;
            m_isRunning = true;
        }
        // The place of the answer is there before the run takes all memory there is.
        auto result = std::make_shared<std::optional<Result<RunResultPtr>>>();
        result->emplace(attempted([&] { return run(job); }));
        {
            const std::lock_guard lock(m_mutex);
            m_isRunning = false;
        }
        postPatiently([&] {
            QMetaObject::invokeMethod(this, [this, number = job.number, result] { end(number, **result); }, Qt::QueuedConnection);
        });
    }
}

Result<RunResultPtr> RunController::run(const Job& job)
{
    RunSnapshot snapshot;
    snapshot.number = job.number;
    RunDesignOptions options;
    options.number = job.number;
    options.engine = job.engine;
    options.memoryLimit = job.memoryLimit;
    options.threads = UserSettings::runThreads();
    options.progress = [&](const RunProgress& progress) {
        snapshot.progress = progress;
        m_slot.publish(snapshot);
    };
    options.partial = [&](RunResultPtr part) {
        snapshot.partial = std::move(part);
        m_slot.publish(snapshot);
    };
    return runDesign(job.design, job.noticed, options, job.stop.get_token());
}

/// There was no thread for a job.
void RunController::refused(std::int64_t number)
{
    {
        const std::lock_guard lock(m_mutex);
        if (!m_waiting || m_waiting->number != number)
            return; // Cancelled, or replaced by another that has a thread or was refused itself.
        m_waiting.reset();
    }
    end(number, noThread());
}

void RunController::poll()
{
    const std::optional<RunSnapshot> snapshot = m_slot.take();
    if (!snapshot || snapshot->number <= m_ended)
        return;
    emit progressed(snapshot->progress);
    if (snapshot->partial && snapshot->partial != m_part) {
        m_part = snapshot->partial;
        if (m_part->number > m_told)
            emit partial(m_part);
    }
}

void RunController::end(std::int64_t number, const Result<RunResultPtr>& result)
{
    poll(); // The last part of a cancelled run may still be in the slot.
    m_ended = std::max(m_ended, number);
    const RunResultPtr part = m_part && m_part->number == number ? m_part : nullptr;
    m_part.reset();
    bool waiting = false;
    {
        const std::lock_guard lock(m_mutex);
        waiting = m_waiting.has_value() || m_isRunning;
    }
    if (!waiting)
        m_ended = m_requested;
    if (result) {
        m_told = number;
        emit finished(result.value());
    } else if (result.error().code == ErrorCode::Cancelled) {
        // A run that was stopped for a newer one is nobody's loss.
        if (number == m_requested || !waiting)
            emit cancelled(part);
    } else if (number == m_requested) {
        emit failed(result.error());
    }
    emit gone(number);
    if (!isBusy()) {
        m_poll.stop();
        emit idle();
    } else if (waiting) {
        const std::lock_guard lock(m_mutex);
        if (m_waiting)
            m_grace.start(kGraceMs);
    }
}

} // namespace fabricscope
