#include "app/desktop/macro/logplayer.h"

#include "app/desktop/filecommands.h"
#include "app/desktop/workspace.h"
#include "widgets/base/actions.h"
#include "widgets/design/document.h"

#include <QAction>

#include <utility>

namespace fabricscope {

namespace {

constexpr int kPollMs = 20;

} // namespace

LogPlayer::LogPlayer(Desk& desk, std::function<bool()> isAtRest, QObject* parent) : QObject(parent), m_desk(desk), m_isAtRest(std::move(isAtRest))
{
    m_wait.setSingleShot(true);
    connect(&m_wait, &QTimer::timeout, this, &LogPlayer::goOn);
}

void LogPlayer::start(ActionLog log)
{
    m_log = std::move(log);
    m_next = 0;
    m_isPlaying = true;
    m_wait.start(0);
}

void LogPlayer::cancel()
{
    m_isPlaying = false;
    m_wait.stop();
}

void LogPlayer::goOn()
{
    if (!m_isAtRest()) {
        m_wait.start(kPollMs);
        return;
    }
    if (m_next == m_log.steps.size()) {
        m_isPlaying = false;
        emit ended();
        return;
    }
    const Status done = doStep(m_log.steps[m_next]);
    if (!m_isPlaying)
        return; // The step asked something, and meanwhile it was cancelled.
    if (!done) {
        m_isPlaying = false;
        emit failed(done.error());
        return;
    }
    ++m_next;
    emit stepped(static_cast<int>(m_next), static_cast<int>(m_log.steps.size()));
    m_wait.start(0);
}

Status LogPlayer::doStep(const ActionStep& step)
{
    DesignDocument& document = m_desk.document();
    switch (step.kind) {
    case ActionStep::Kind::Open:
        m_desk.files().openPaths({QString::fromStdString(step.what)}); // What cannot be read is said where one looks, and the next steps find another design.
        return {};
    case ActionStep::Kind::Design:
        return replaceText(step);
    case ActionStep::Kind::Set:
    case ActionStep::Kind::Remove: {
        const Status changed = document.edit(tr("macro: %1").arg(QString::fromStdString(step.what)), [&](YamlDocument& yaml) { return applyStep(yaml, step); });
        return changed ? changed : Status(Error{changed.error().code, changed.error().message, step.place, changed.error().expected});
    }
    case ActionStep::Kind::Command:
        break;
    }
    return doCommand(step);
}

Status LogPlayer::doCommand(const ActionStep& step)
{
    QAction* const action = m_desk.commands().action(QString::fromStdString(step.what));
    if (!action)
        return invalidInput("there is no command \"" + step.what + "\"", step.place, "the name of a command, such as view.step");
    if (action->isCheckable() && step.on && action->isChecked() == *step.on)
        return {};
    if (!action->isEnabled())
        return invalidInput("\"" + ActionRegistry::plainText(*action).toStdString() + "\" cannot be done now", step.place, "a command that can");
    action->trigger();
    return {};
}

Status LogPlayer::replaceText(const ActionStep& step)
{
    if (step.what.empty())
        return m_desk.document().editText(tr("macro: text"), step.text);
    if (m_desk.files().openText(QByteArray::fromStdString(step.text), QString::fromStdString(step.what)))
        return {};
    return Error{ErrorCode::Cancelled, "the design on show was kept", step.place, {}};
}

} // namespace fabricscope
