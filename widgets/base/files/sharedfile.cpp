#include "widgets/base/files/sharedfile.h"

#include "core/base/digest.h"
#include "core/base/files/textfile.h"
#include "widgets/base/files/openfiles.h"
#include "widgets/base/showntexts.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <sys/stat.h>

namespace fabricscope {

namespace {

/// Compares the bytes on disk with `known`. Opens regular files only, so it waits for nobody. O(bytes), less when the length differs.
DiskState compared(const QString& path, const std::string& known)
{
    const std::string name = QFile::encodeName(path).toStdString();
    struct stat info {};
    if (::stat(name.c_str(), &info) != 0)
        return errno == EACCES ? DiskState::Unreadable : DiskState::Gone;
    if (!S_ISREG(info.st_mode))
        return DiskState::NotAFile;
    if (static_cast<std::size_t>(info.st_size) != known.size())
        return DiskState::Changed;
    const auto text = readTextFile(name, known.size() + 1);
    if (!text)
        return DiskState::Unreadable;
    return text.value() == known ? DiskState::Same : DiskState::Changed;
}

} // namespace

SharedFile::SharedFile(Known known, std::size_t mostBytes, Ask ask, QObject* parent)
    : QObject(parent), m_known(std::move(known)), m_mostBytes(mostBytes), m_ask(std::move(ask)), m_open(new OpenFiles({}, this))
{
    connect(m_open, &OpenFiles::changed, this, &SharedFile::lookAround);
    constexpr int kMomentMs = 200;
    m_look.setSingleShot(true);
    m_look.setInterval(kMomentMs);
    connect(&m_look, &QTimer::timeout, this, &SharedFile::check);
    for (const auto signal : {&QFileSystemWatcher::fileChanged, &QFileSystemWatcher::directoryChanged})
        connect(&m_watcher, signal, &m_look, qOverload<>(&QTimer::start));
}

SharedFile::~SharedFile() = default;

bool SharedFile::isOpenElsewhere(const QString& path) const
{
    return !m_open->others(path).empty();
}

SharedFile::Opening SharedFile::beforeOpening(const QString& path)
{
    const auto others = m_open->others(path);
    if (others.empty())
        return Opening::Here;
    const int answer = m_ask(tr("Open in another window"),
                             tr("%1 is open in another window (process %2). What is saved there is not seen here.").arg(texts::shown(QFileInfo(path).fileName())).arg(others.front().process),
                             {{QMessageBox::Open, tr("Open read-only")}, {QMessageBox::Apply, tr("Open a copy")}, {QMessageBox::Cancel, {}}}, QMessageBox::Open);
    return answer == QMessageBox::Open ? Opening::ReadOnly : answer == QMessageBox::Apply ? Opening::Copy : Opening::Stop;
}

/// Writing over a file that others have changed, or still have open, is never done unasked.
SharedFile::Saving SharedFile::beforeSaving(const QString& path)
{
    const bool own = path == m_path;
    const QString name = texts::shown(QFileInfo(path).fileName());
    if (const auto others = m_open->others(path); !others.empty() && (!own || m_readOnly)) {
        const int answer = m_ask(tr("Open in another window"), tr("%1 is open in another window (process %2). Saving here would take away what is saved there.").arg(name).arg(others.front().process),
                                 {{QMessageBox::SaveAll, tr("Save elsewhere…")}, {QMessageBox::Save, tr("Overwrite")}, {QMessageBox::Cancel, {}}}, QMessageBox::SaveAll);
        if (answer != QMessageBox::Save)
            return answer == QMessageBox::SaveAll ? Saving::Elsewhere : Saving::Stop;
    }
    const std::string* known = m_known();
    if (!own || !known)
        return Saving::Write;
    QString question;
    bool canReload = false;
    switch (compared(path, *known)) {
    case DiskState::Same: return Saving::Write;
    case DiskState::Changed:
        question = tr("%1 has changed on disk since it was read here. Saving would take that change away.").arg(name);
        canReload = true;
        break;
    case DiskState::Gone: question = tr("%1 was deleted or moved since it was read here. Save it there again?").arg(name); break;
    case DiskState::Unreadable: question = tr("%1 can no longer be read, so nobody knows whether it has changed.").arg(name); break;
    case DiskState::NotAFile: question = tr("%1 is no ordinary file any more.").arg(texts::shown(path)); break;
    }
    std::vector<AnswerChoice> choices{{QMessageBox::SaveAll, tr("Save elsewhere…")}, {QMessageBox::Save, {}}, {QMessageBox::Cancel, {}}};
    if (canReload)
        choices = {{QMessageBox::SaveAll, tr("Save elsewhere…")}, {QMessageBox::Reset, tr("Reload")}, {QMessageBox::Save, tr("Overwrite")}, {QMessageBox::Cancel, {}}};
    switch (m_ask(tr("Changed on disk"), question, choices, QMessageBox::SaveAll)) {
    case QMessageBox::Save: return Saving::Write;
    case QMessageBox::SaveAll: return Saving::Elsewhere;
    case QMessageBox::Reset: return Saving::Reload;
    default: return Saving::Stop;
    }
}

void SharedFile::follow(const QString& path, bool readOnly)
{
    const QStringList watched = m_watcher.files() + m_watcher.directories();
    if (!watched.isEmpty())
        m_watcher.removePaths(watched);
    m_path = path;
    m_readOnly = readOnly && !path.isEmpty();
    m_open->claim(m_path, m_readOnly);
    const bool amiss = m_disk != DiskState::Same;
    m_disk = DiskState::Same;
    m_seenOnDisk.clear();
    if (!m_path.isEmpty()) {
        // The folder too: most programs write a new file and give it the old name.
        m_watcher.addPath(QFileInfo(m_path).absolutePath());
        if (QFileInfo(m_path).isFile())
            m_watcher.addPath(m_path);
    }
    lookAround();
    if (amiss)
        emit diskChanged(m_disk);
    emit sharingChanged();
}

void SharedFile::check()
{
    const std::string* known = m_known();
    if (m_path.isEmpty() || !known)
        return;
    if (m_watcher.files().isEmpty() && QFileInfo(m_path).isFile())
        m_watcher.addPath(m_path);
    const DiskState now = compared(m_path, *known);
    emit looked(now == DiskState::Gone || now == DiskState::NotAFile);
    std::string seen;
    if (now == DiskState::Changed) {
        const auto content = readTextFile(QFile::encodeName(m_path).toStdString(), m_mostBytes);
        seen = content ? digestOf(content.value()).hex() : std::string("too large");
    }
    const bool told = seen.empty() ? now == m_disk : seen == m_seenOnDisk;
    m_seenOnDisk = seen;
    if (told)
        return;
    m_disk = now;
    emit diskChanged(now);
}

void SharedFile::keepMine()
{
    m_disk = DiskState::Same; // As far as anybody wants to hear; saving looks again.
    emit diskChanged(m_disk);
}

void SharedFile::lookAround()
{
    const auto elsewhere = static_cast<int>(m_open->others(m_path).size());
    if (elsewhere == m_elsewhere)
        return;
    m_elsewhere = elsewhere;
    emit sharingChanged();
}

} // namespace fabricscope
