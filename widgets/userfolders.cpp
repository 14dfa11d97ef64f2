#include "widgets/userfolders.h"

#include <QDir>
#include <QStandardPaths>

namespace fabricscope {

namespace {

QString home()
{
    return qEnvironmentVariable("FABRICSCOPE_HOME");
}

} // namespace

QString stateFolder()
{
    if (!home().isEmpty())
        return QDir(home()).filePath(QStringLiteral("state"));
    // Qt 6.4 does not know the state folder of the XDG rules, which ignore relative paths.
    const QString given = qEnvironmentVariable("XDG_STATE_HOME");
    const QString base = QDir::isAbsolutePath(given) ? given : QDir::home().filePath(QStringLiteral(".local/state"));
    return QDir(base).filePath(QStringLiteral("fabricscope"));
}

std::unique_ptr<QSettings> openSettings()
{
    const QString folder = home().isEmpty() ? QDir(QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation)).filePath(QStringLiteral("fabricscope")) : home();
    return std::make_unique<QSettings>(QDir(folder).filePath(QStringLiteral("fabricscope.ini")), QSettings::IniFormat);
}

} // namespace fabricscope
