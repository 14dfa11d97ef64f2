#include "widgets/autosave.h"

#include "core/report/outputfile.h"
#include "widgets/userfolders.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <csignal>

namespace fabricscope {

namespace {

constexpr int kVersion = 1;
const QString kPattern = QStringLiteral("autosave-*.side");

/// When a process started, in ticks since the machine did: with the id it names a process for good. Empty: no such process, or no /proc.
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

QString folderOr(const QString& folder)
{
    return folder.isEmpty() ? stateFolder() : folder;
}

/// One line of JSON about the document, then its bytes as they are.
std::optional<Recoverable> read(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QJsonObject head = QJsonDocument::fromJson(file.readLine()).object();
    if (head[QStringLiteral("fabricscope_autosave")].toInt() != kVersion)
        return std::nullopt;
    if (isRunning(static_cast<qint64>(head[QStringLiteral("process")].toDouble()), head[QStringLiteral("started")].toString()))
        return std::nullopt;
    Recoverable entry;
    entry.sideFile = path;
    entry.saved = QDateTime::fromString(head[QStringLiteral("saved")].toString(), Qt::ISODateWithMs);
    entry.state.path = head[QStringLiteral("path")].toString();
    entry.state.name = head[QStringLiteral("name")].toString();
    entry.state.folder = head[QStringLiteral("folder")].toString();
    entry.state.text = file.readAll().toStdString();
    entry.state.modified = true;
    return entry;
}

} // namespace

Autosave::Autosave(Source source, const QString& folder, QObject* parent)
    : QObject(parent)
    , m_source(std::move(source))
{
    static int count = 0;
    m_file = QDir(folderOr(folder)).filePath(QStringLiteral("autosave-%1-%2.side").arg(QCoreApplication::applicationPid()).arg(++count));
    connect(&m_timer, &QTimer::timeout, this, [this] { tick(); });
    m_timer.start(kIntervalMs);
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
    const QJsonObject head{{QStringLiteral("fabricscope_autosave"), kVersion},
                           {QStringLiteral("process"), static_cast<double>(QCoreApplication::applicationPid())},
                           {QStringLiteral("started"), startOf(QCoreApplication::applicationPid())},
                           {QStringLiteral("saved"), QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs)},
                           {QStringLiteral("path"), state.path},
                           {QStringLiteral("name"), state.name},
                           {QStringLiteral("folder"), state.folder}};
    const std::string content = QJsonDocument(head).toJson(QJsonDocument::Compact).toStdString() + '\n' + state.text;
    return writeOutputFile(QFile::encodeName(m_file).toStdString(), content);
}

void Autosave::discard()
{
    m_kept = false;
    QFile::remove(m_file);
}

Status Autosave::keep()
{
    Status status = saveNow();
    m_kept = static_cast<bool>(status);
    return status;
}

void Autosave::tick()
{
    const Status status = saveNow();
    if (!status && !m_failing)
        emit failed(QString::fromStdString(status.error().text()));
    m_failing = !status;
}

std::vector<Recoverable> Autosave::recoverable(const QString& folder)
{
    std::vector<Recoverable> out;
    const QDir state(folderOr(folder));
    for (const QString& name : state.entryList({kPattern}, QDir::Files))
        if (std::optional<Recoverable> entry = read(state.filePath(name)))
            out.push_back(std::move(*entry));
    std::stable_sort(out.begin(), out.end(), [](const Recoverable& a, const Recoverable& b) { return a.saved > b.saved; });
    return out;
}

void Autosave::remove(const Recoverable& entry)
{
    QFile::remove(entry.sideFile);
}

} // namespace fabricscope
