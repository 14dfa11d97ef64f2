#pragma once

#include <QString>

namespace fabricscope {

/// When a process started, in ticks since the machine did: with the id it names a process for good. Empty: no such process, or no /proc.
QString startOf(qint64 process);

/// The process that had this id and start still runs. Files that name their process are stale once it does not.
bool isRunning(qint64 process, const QString& start);

} // namespace fabricscope
