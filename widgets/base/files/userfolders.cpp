#include "widgets/base/files/userfolders.h"

#include "core/base/files/temporaryname.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

namespace fabricscope {

namespace {

QString home()
{
    return qEnvironmentVariable("FABRICSCOPE_HOME");
}

QString settingsFile()
{
    const QString folder = home().isEmpty() ? QDir(QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation)).filePath(QStringLiteral("fabricscope")) : home();
    return QDir(folder).filePath(QStringLiteral("fabricscope.ini"));
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
    return std::make_unique<QSettings>(settingsFile(), QSettings::IniFormat);
}

void removeHalfWrittenFiles()
{
    const QDir state(stateFolder());
    for (const QString& folder : {state.path(), state.filePath(QStringLiteral("programs"))})
        removeStaleTemporaries(QFile::encodeName(folder).toStdString());
    // Qt names its own after the file, and does not say who writes: a day is longer than any writing.
    const auto removeQtsOwn = [](const QDir& folder, const QString& of) {
        static const QRegularExpression ending(QStringLiteral("\\.[A-Za-z0-9]{6}$"));
        const QDateTime yesterday = QDateTime::currentDateTimeUtc().addDays(-1);
        for (const QFileInfo& file : folder.entryInfoList({of + QStringLiteral(".??????")}, QDir::Files | QDir::NoSymLinks | QDir::Hidden)) {
            if (ending.match(file.fileName()).hasMatch() && file.lastModified().toUTC() < yesterday)
                QFile::remove(file.filePath());
        }
    };
    const QFileInfo settings(settingsFile());
    removeQtsOwn(settings.dir(), settings.fileName());
    removeQtsOwn(QDir(state.filePath(QStringLiteral("open"))), QStringLiteral("*.open"));
}

} // namespace fabricscope
