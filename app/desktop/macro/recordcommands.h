#pragma once

#include "core/base/result.h"

#include <QObject>
#include <QString>

#include <functional>

namespace fabricscope {

class Desk;
class LogPlayer;
class LogRecorder;

/// The commands that record what is done and do it again, with their dialogs.
class RecordCommands : public QObject
{
    Q_OBJECT
public:
    /// To be made before anything answers the commands of the desk. `isAtRest`: as LogPlayer's.
    RecordCommands(Desk& desk, std::function<bool()> isAtRest);

    LogRecorder& recorder() { return *m_recorder; }
    LogPlayer& player() { return *m_player; }
    /// Does what the file says. Errors: as reading it.
    Status replay(const QString& path);

private:
    void record(bool on);
    void replayOrStop();
    void keep();

    Desk& m_desk;
    LogRecorder* m_recorder;
    LogPlayer* m_player;
};

} // namespace fabricscope
