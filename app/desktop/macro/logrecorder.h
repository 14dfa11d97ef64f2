#pragma once

#include "app/desktop/macro/actionlog.h"

#include <QObject>

class QAction;

namespace fabricscope {

class Desk;

/// Writes down what is done in the window: commands, designs that are opened, and what changes in the text of the design, whoever changes it. A command that
/// changes the design is written down as what it changed; one that asks something first (its text ends in "…"), as what came of it.
class LogRecorder : public QObject
{
    Q_OBJECT
public:
    /// To be made before anything answers the commands of the desk: it hears of them first.
    LogRecorder(Desk& desk, QObject* parent);

    bool isRecording() const { return m_isRecording; }
    void start();
    /// What was done since start().
    ActionLog stop();

private:
    void noteCommand(const QAction& action, bool on);
    void noteOpened();
    void noteChanged();
    void dropCommand();
    void addStep(ActionStep step);
    void remember();

    Desk& m_desk;
    ActionLog m_log;
    bool m_isRecording = false;
    bool m_inCommand = false; ///< The last step is a command that is still being done.
    std::string m_text;       ///< Of the design, as the log leads to it, ...
    std::optional<YamlDocument> m_yaml; ///< ... and its tree; nothing: it is no YAML.
};

} // namespace fabricscope
