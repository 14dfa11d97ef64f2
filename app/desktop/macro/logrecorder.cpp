#include "app/desktop/macro/logrecorder.h"

#include "app/desktop/workspace.h"
#include "widgets/base/actions.h"
#include "widgets/design/document.h"

#include <QAction>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::size_t kMostFields = 8; ///< A change of more is kept as the text it led to.

/// What asks first, and what is about the macro or the program itself.
bool isNoted(const QAction& action)
{
    const QString id = ActionRegistry::idOf(action);
    return !action.text().endsWith(QChar(0x2026)) && !id.startsWith(QStringLiteral("macro.")) && !id.startsWith(QStringLiteral("help.")) && id != QStringLiteral("file.quit");
}

} // namespace

LogRecorder::LogRecorder(Desk& desk, QObject* parent) : QObject(parent), m_desk(desk)
{
    for (const QAction* action : desk.commands().actions())
        connect(action, &QAction::triggered, this, [this, action](bool on) { noteCommand(*action, on); });
    connect(&desk.document(), &DesignDocument::replaced, this, &LogRecorder::noteOpened);
    connect(&desk.document(), &DesignDocument::changed, this, &LogRecorder::noteChanged);
}

void LogRecorder::start()
{
    m_log = {};
    m_inCommand = false;
    m_isRecording = true;
    remember();
}

ActionLog LogRecorder::stop()
{
    m_isRecording = false;
    m_yaml.reset();
    return std::exchange(m_log, {});
}

void LogRecorder::noteCommand(const QAction& action, bool on)
{
    if (!m_isRecording || !isNoted(action))
        return;
    ActionStep step;
    step.what = ActionRegistry::idOf(action).toStdString();
    if (action.isCheckable())
        step.on = on;
    m_log.steps.push_back(std::move(step));
    m_inCommand = true;
    QTimer::singleShot(0, this, [this] { m_inCommand = false; });
}

/// What the command comes to is written down instead of it: done again it would be done twice.
void LogRecorder::dropCommand()
{
    if (std::exchange(m_inCommand, false))
        m_log.steps.pop_back();
}

void LogRecorder::noteOpened()
{
    if (!m_isRecording)
        return;
    dropCommand();
    const DesignDocument& document = m_desk.document();
    ActionStep step;
    step.kind = document.hasFile() ? ActionStep::Kind::Open : ActionStep::Kind::Design;
    step.what = (document.hasFile() ? document.file() : document.displayName()).toStdString();
    if (!document.hasFile())
        step.text = document.text();
    m_log.steps.push_back(std::move(step));
    remember();
}

void LogRecorder::noteChanged()
{
    const DesignDocument& document = m_desk.document();
    if (!m_isRecording || document.isReading() || document.text() == m_text)
        return;
    dropCommand();
    const auto fields = m_yaml && document.yaml() ? fieldSteps(*m_yaml, *document.yaml(), kMostFields) : std::nullopt;
    if (fields) {
        for (const ActionStep& step : *fields)
            addStep(step);
    } else {
        ActionStep step;
        step.kind = ActionStep::Kind::Design;
        step.text = document.text();
        addStep(std::move(step));
    }
    remember();
}

/// A field that is set again and again, as by dragging, is set once; so is a text that is typed.
void LogRecorder::addStep(ActionStep step)
{
    const bool again = !m_log.steps.empty() && m_log.steps.back().kind == step.kind && m_log.steps.back().what == step.what && step.kind != ActionStep::Kind::Remove;
    const bool named = step.kind == ActionStep::Kind::Design && !m_log.steps.empty() && m_log.steps.back().kind == step.kind;
    if (named)
        step.what = m_log.steps.back().what; // A new design that is typed on is opened with the text it came to.
    if (again || named)
        m_log.steps.back() = std::move(step);
    else
        m_log.steps.push_back(std::move(step));
}

void LogRecorder::remember()
{
    const DesignDocument& document = m_desk.document();
    m_text = document.text();
    m_yaml = document.yaml() ? std::optional(*document.yaml()) : std::nullopt;
}

} // namespace fabricscope
