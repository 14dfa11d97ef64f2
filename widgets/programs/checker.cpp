#include "widgets/programs/checker.h"

#include "widgets/base/background.h"

namespace fabricscope {

namespace {

/// A check that ended by an error of its own says so where findings are.
CheckedProgramPtr notChecked(const Error& error)
{
    auto program = std::make_shared<CheckedProgram>();
    ProgramIssue issue;
    issue.severity = Severity::Error;
    issue.message = error.message;
    program->issues.push_back(issue);
    return program;
}

} // namespace

ProgramChecker::ProgramChecker(QObject* parent) : QObject(parent)
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    m_slow.setSingleShot(true);
    m_slow.setInterval(kSlowMs);
    connect(&m_pause, &QTimer::timeout, this, &ProgramChecker::checkNow);
    m_poll.setInterval(kPollMs);
    connect(&m_slow, &QTimer::timeout, this, [this] {
        m_poll.start();
        emit slow();
    });
    connect(&m_poll, &QTimer::timeout, this, [this] { emit progressed(m_share->load(std::memory_order_relaxed)); });
}

ProgramChecker::~ProgramChecker()
{
    m_stop.request_stop();
}

void ProgramChecker::setText(const QString& text, const QString& name)
{
    m_text = text;
    m_name = name;
    m_stop.request_stop(); // Its answer would be about another text.
    m_pause.start();
}

void ProgramChecker::checkNow()
{
    m_pause.stop();
    m_stop.request_stop();
    m_stop = std::stop_source();
    m_running = true;
    const qint64 number = ++m_number;
    m_share = std::make_shared<std::atomic<double>>(0);
    m_poll.stop();
    m_slow.start();
    emit started();
    inBackground(
        this,
        [text = m_text.toStdString(), name = m_name.toStdString(), stop = m_stop.get_token(), told = m_share]() -> CheckedProgramPtr {
            const auto tell = [told](double share) { told->store(share, std::memory_order_relaxed); };
            return std::make_shared<const CheckedProgram>(checkProgramText(text, name, stop, true, 0, tell));
        },
        [this, number](const Result<CheckedProgramPtr>& answer) {
            if (number != m_number)
                return;
            m_running = false;
            m_slow.stop();
            m_poll.stop();
            const CheckedProgramPtr program = answer ? answer.value() : notChecked(answer.error());
            if (!program->cancelled)
                emit checked(program);
            else if (!m_pause.isActive())
                emit stopped();
        });
}

void ProgramChecker::cancel()
{
    const bool was = isBusy();
    m_pause.stop();
    m_slow.stop();
    m_poll.stop();
    m_stop.request_stop();
    ++m_number;
    m_running = false;
    if (was)
        emit stopped();
}

} // namespace fabricscope
