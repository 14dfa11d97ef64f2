#include "widgets/base/files/autosave.h"

#include "core/base/files/textfile.h"
#include "core/report/outputfile.h"
#include "core/run/sidefile.h"
#include "widgets/base/background.h"
#include "widgets/base/files/processid.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/base/files/usersettings.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>

#include <algorithm>
#include <chrono>

namespace fabricscope {

namespace {

const QString kPattern = QStringLiteral("autosave-*.side");

QString folderOr(const QString& folder)
{
    return folder.isEmpty() ? stateFolder() : folder;
}

/// What a side file is to this process.
enum class Side { Recoverable, Running, Unreadable };

Side read(const QString& path, Recoverable& entry)
{
    constexpr std::size_t kMost = std::size_t{65} << 20; // A document and the line before it.
    const std::string file = QFile::encodeName(path).toStdString();
    const auto bytes = readTextFile(file, kMost);
    if (!bytes)
        return Side::Unreadable;
    auto side = readSideFile(bytes.value(), file);
    if (!side)
        return Side::Unreadable;
    if (isRunning(side.value().process, QString::fromStdString(side.value().started)))
        return Side::Running;
    entry.sideFile = path;
    entry.saved = QDateTime::fromString(QString::fromStdString(side.value().saved), Qt::ISODateWithMs);
    entry.state.path = QString::fromStdString(side.value().path);
    entry.state.name = QString::fromStdString(side.value().name);
    entry.state.folder = QString::fromStdString(side.value().folder);
    entry.state.text = std::move(side.value().text);
    entry.state.modified = true;
    return Side::Recoverable;
}

} // namespace

Autosave::Autosave(Source source, const QString& folder, QObject* parent)
    : QObject(parent)
    , m_source(std::move(source))
{
    static int count = 0;
    m_file = QDir(folderOr(folder)).filePath(QStringLiteral("autosave-%1-%2.side").arg(QCoreApplication::applicationPid()).arg(++count));
    connect(&m_timer, &QTimer::timeout, this, [this] { tick(); });
    static_assert(kIntervalMs == std::chrono::milliseconds(std::chrono::minutes(UserSettings::kAutosaveMinutes.usual)).count());
    m_timer.setParent(this); // And goes wherever this goes.
    const auto follow = [this] { m_timer.setInterval(std::chrono::minutes(UserSettings::value(UserSettings::kAutosaveMinutes))); };
    connect(&UserSettings::global(), &UserSettings::changed, this, follow);
    follow();
    m_timer.start();
}

Autosave::~Autosave()
{
    if (!m_kept)
        discard();
}

Status Autosave::saveNow()
{
    const AutosaveState state = m_source();
    if (!state.modified) {
        discard();
        return {};
    }
    const QString folder = QFileInfo(m_file).path();
    if (!QDir().mkpath(folder)) {
        Place place;
        place.file = folder.toStdString();
        return Error{ErrorCode::NotWritable, "the folder for recovery files cannot be made", place, {}};
    }
    SideFile side;
    side.process = QCoreApplication::applicationPid();
    side.started = startOf(QCoreApplication::applicationPid()).toStdString();
    side.saved = QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toStdString();
    side.path = state.path.toStdString();
    side.name = state.name.toStdString();
    side.folder = state.folder.toStdString();
    side.text = state.text;
    return writeOutputFile(QFile::encodeName(m_file).toStdString(), sideFileText(side));
}

void Autosave::discard()
{
    m_kept = false;
    QFile::remove(m_file);
}

Status Autosave::keep()
{
    Status status = attempted([this] { return saveNow(); });
    m_kept = static_cast<bool>(status);
    return status;
}

void Autosave::tick()
{
    const Status status = attempted([this] { return saveNow(); });
    if (!status && !m_failing)
        emit failed(QString::fromStdString(status.error().text()));
    m_failing = !status;
}

std::vector<Recoverable> Autosave::recoverable(const QString& folder)
{
    std::vector<Recoverable> out;
    const QDir state(folderOr(folder));
    for (const QString& name : state.entryList({kPattern}, QDir::Files))
        if (Recoverable entry; read(state.filePath(name), entry) == Side::Recoverable)
            out.push_back(std::move(entry));
    std::stable_sort(out.begin(), out.end(), [](const Recoverable& a, const Recoverable& b) { return a.saved > b.saved; });
    return out;
}

QStringList Autosave::putAsideUnreadable(const QString& folder)
{
    QStringList moved;
    const QDir state(folderOr(folder));
    const QString aside = state.filePath(QStringLiteral("unreadable"));
    for (const QString& name : state.entryList({kPattern}, QDir::Files)) {
        Recoverable entry;
        if (read(state.filePath(name), entry) != Side::Unreadable || !QDir().mkpath(aside))
            continue;
        QString target = QDir(aside).filePath(name);
        for (int copy = 2; QFile::exists(target); ++copy)
            target = QDir(aside).filePath(QStringLiteral("%1.%2").arg(name).arg(copy));
        if (QFile::rename(state.filePath(name), target))
            moved.append(target);
    }
    return moved;
}

void Autosave::remove(const Recoverable& entry)
{
    QFile::remove(entry.sideFile);
}

} // namespace fabricscope
