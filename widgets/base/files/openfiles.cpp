#include "widgets/base/files/openfiles.h"

#include "core/base/files/textfile.h"
#include "widgets/base/files/processid.h"
#include "widgets/base/files/userfolders.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <sys/stat.h>

namespace fabricscope {

namespace {

const QString kEnding = QStringLiteral(".open");

/// Where the links lead; a file that is not there is named by where it would be.
QString canonical(const QString& path)
{
    const QString real = QFileInfo(path).canonicalFilePath();
    return real.isEmpty() ? QFileInfo(path).absoluteFilePath() : real;
}

/// Two names of one file, hard links too.
bool sameFile(const QString& a, const QString& b)
{
    if (a == b)
        return true;
    struct stat one {};
    struct stat other {};
    return ::stat(QFile::encodeName(a).constData(), &one) == 0 && ::stat(QFile::encodeName(b).constData(), &other) == 0 && one.st_dev == other.st_dev
        && one.st_ino == other.st_ino;
}

} // namespace

OpenFiles::OpenFiles(const QString& folder, QObject* parent)
    : QObject(parent), m_folder(folder.isEmpty() ? QDir(stateFolder()).filePath(QStringLiteral("open")) : folder)
{
    static int count = 0;
    m_entry = QDir(m_folder).filePath(QStringLiteral("%1-%2").arg(QCoreApplication::applicationPid()).arg(++count) + kEnding);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, &OpenFiles::changed);
    watch();
}

OpenFiles::~OpenFiles()
{
    m_watcher.disconnect(this);
    claim({});
}

void OpenFiles::watch()
{
    if (m_watcher.directories().isEmpty() && QFileInfo(m_folder).isDir())
        m_watcher.addPath(m_folder);
}

void OpenFiles::claim(const QString& path, bool readOnly)
{
    m_path = path.isEmpty() ? QString() : canonical(path);
    if (m_path.isEmpty()) {
        QFile::remove(m_entry);
        return;
    }
    if (!QDir().mkpath(m_folder))
        return;
    watch();
    const qint64 self = QCoreApplication::applicationPid();
    QSaveFile file(m_entry);
    if (!file.open(QIODevice::WriteOnly))
        return;
    file.write(QJsonDocument(QJsonObject{{QStringLiteral("path"), m_path},
                                         {QStringLiteral("read_only"), readOnly},
                                         {QStringLiteral("process"), static_cast<double>(self)},
                                         {QStringLiteral("started"), startOf(self)}})
                   .toJson(QJsonDocument::Compact));
    file.commit();
}

std::vector<OpenElsewhere> OpenFiles::others(const QString& path) const
{
    std::vector<OpenElsewhere> found;
    if (path.isEmpty())
        return found;
    const QString wanted = canonical(path);
    const QDir folder(m_folder);
    for (const QString& name : folder.entryList({QStringLiteral("*") + kEnding}, QDir::Files, QDir::Name)) {
        const QString entry = folder.filePath(name);
        constexpr std::size_t kMost = 64 * 1024; // A path and three words.
        if (entry == m_entry)
            continue;
        const auto text = readTextFile(QFile::encodeName(entry).toStdString(), kMost);
        if (!text)
            continue;
        const QJsonObject head = QJsonDocument::fromJson(QByteArray::fromStdString(text.value())).object();
        const auto process = static_cast<qint64>(head[QStringLiteral("process")].toDouble());
        if (!isRunning(process, head[QStringLiteral("started")].toString())) {
            QFile::remove(entry);
            continue;
        }
        if (sameFile(head[QStringLiteral("path")].toString(), wanted))
            found.push_back({process, head[QStringLiteral("read_only")].toBool()});
    }
    return found;
}

} // namespace fabricscope
