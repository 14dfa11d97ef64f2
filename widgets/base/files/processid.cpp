#include "widgets/base/files/processid.h"

#include <QFile>

#include <csignal>

namespace fabricscope {

QString startOf(qint64 process)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(process));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    // The name in brackets may hold anything; behind it the start is the 20th field.
    const QByteArray all = file.readAll();
    const QList<QByteArray> fields = all.mid(all.lastIndexOf(')') + 2).split(' ');
    return fields.size() > 19 ? QString::fromLatin1(fields[19]) : QString();
}

bool isRunning(qint64 process, const QString& start)
{
    if (process <= 0)
        return false;
    const QString now = startOf(process);
    if (!now.isEmpty() || QFile::exists(QStringLiteral("/proc/self/stat")))
        return now == start;
    return ::kill(static_cast<pid_t>(process), 0) == 0;
}

} // namespace fabricscope
