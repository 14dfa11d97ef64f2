#include "app/desktop/macro/recordcommands.h"

#include "app/desktop/macro/logplayer.h"
#include "app/desktop/macro/logrecorder.h"
#include "app/desktop/workspace.h"
#include "core/base/files/outputfiles.h"
#include "core/base/files/textfile.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/savetarget.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>

#include <utility>

namespace fabricscope {

RecordCommands::RecordCommands(Desk& desk, std::function<bool()> isAtRest)
    : QObject(&desk), m_desk(desk), m_recorder(new LogRecorder(desk, this)), m_player(new LogPlayer(desk, std::move(isAtRest), this))
{
    const auto on = [&desk, this](const char* id, auto what) { connect(desk.commands().action(QString::fromLatin1(id)), &QAction::triggered, this, what); };
    on("macro.record", &RecordCommands::record);
    on("macro.replay", [this] { replayOrStop(); });
    const QAction* const again = desk.commands().action(QStringLiteral("macro.replay"));
    connect(m_player, &LogPlayer::stepped, this, [this, again](int done, int all) {
        m_desk.say(tr("Macro: step %1 of %2. %3 stops it.").arg(done).arg(all).arg(again->shortcut().toString(QKeySequence::NativeText)));
    });
    connect(m_player, &LogPlayer::ended, this, [this] { m_desk.say(tr("Macro: done.")); });
    connect(m_player, &LogPlayer::failed, this, [this](const Error& error) { m_desk.showFailure(error); });
}

Status RecordCommands::replay(const QString& path)
{
    const Result<std::string> text = readTextFile(path.toStdString());
    if (!text)
        return text.error();
    Result<ActionLog> log = readActionLog(text.value(), path.toStdString());
    if (!log)
        return log.error();
    m_player->start(std::move(log).value());
    return {};
}

void RecordCommands::record(bool on)
{
    if (on) {
        m_recorder->start();
        m_desk.say(tr("Recording: commands and changes of the design. The same command ends it."));
        return;
    }
    keep();
}

void RecordCommands::keep()
{
    const ActionLog log = m_recorder->stop();
    if (log.steps.empty())
        return m_desk.say(tr("Nothing was done, so there is no macro."));
    const QString path = QFileDialog::getSaveFileName(&m_desk, tr("Save macro"), QStringLiteral("macro.yaml"), tr("Macros (*.yaml)"));
    if (path.isEmpty())
        return m_desk.say(tr("The macro was not kept."));
    Status written = checkExportTarget(path);
    OutputFiles files;
    if (written)
        written = files.write(path.toStdString(), actionLogText(log, QFileInfo(path).absolutePath().toStdString()));
    if (written)
        written = files.commit();
    if (!written)
        return m_desk.showFailure(written.error());
    m_desk.endProblem();
    m_desk.say(tr("Macro of %1 steps written: %2").arg(log.steps.size()).arg(path));
}

void RecordCommands::replayOrStop()
{
    if (m_player->isPlaying()) {
        m_player->cancel();
        return m_desk.say(tr("Macro: stopped."));
    }
    const QString path = QFileDialog::getOpenFileName(&m_desk, tr("Replay macro"), {}, tr("Macros (*.yaml)"));
    if (path.isEmpty())
        return;
    if (const Status read = replay(path); !read)
        m_desk.showFailure(read.error());
}

} // namespace fabricscope
