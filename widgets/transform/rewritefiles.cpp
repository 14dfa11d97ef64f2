#include "widgets/transform/rewritefiles.h"

#include "core/base/files/textfile.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/transform/rewritedocument.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <utility>

namespace fabricscope {

RewriteFiles::RewriteFiles(RewriteDocument* document, QWidget* window, const QString& autosaveFolder)
    : DocumentFiles(
          window, [document] { return document->knownBytes(); }, RewriteDocument::kMostBytes,
          [document] {
              const QString& path = document->path();
              return AutosaveState{document->copyText(), path, document->displayName(), path.isEmpty() ? QString() : QFileInfo(path).absolutePath(), document->isModified()};
          },
          autosaveFolder.isEmpty() ? copiesFolder() : autosaveFolder),
      m_document(document)
{
    connect(document, &RewriteDocument::opened, this, [this] {
        if (!std::exchange(m_recovering, false))
            copies().discard();
        shared().follow(m_document->path(), std::exchange(m_readOnly, false));
    });
    connect(document, &RewriteDocument::failed, this, &RewriteFiles::giveUpRecovery);
    connect(document, &RewriteDocument::undoChanged, &copies(), &Autosave::release);
    connect(&shared(), &SharedFile::looked, this, [this](bool gone) {
        if (gone)
            m_document->forgetFile(); // What is here exists nowhere else.
    });
}

RewriteFiles::~RewriteFiles() = default;

QString RewriteFiles::copiesFolder()
{
    return QDir(stateFolder()).filePath(QStringLiteral("transform"));
}

bool RewriteFiles::isModified() const
{
    return m_document->isModified();
}

QString RewriteFiles::displayName() const
{
    return m_document->displayName();
}

bool RewriteFiles::open(const QString& given)
{
    if (m_recovering) {
        m_waiting = given;
        return false;
    }
    if (!mayClose())
        return false;
    const QFileInfo file(given);
    const QString path = file.absoluteFilePath();
    const SharedFile::Opening how = shared().beforeOpening(path);
    if (how == SharedFile::Opening::Stop) {
        tellStopped(path);
        return false;
    }
    if (how == SharedFile::Opening::Copy) {
        const auto text = readTextFile(QFile::encodeName(path).toStdString(), RewriteDocument::kMostBytes);
        if (text)
            m_document->openText(text.value(), copyName(file));
        else
            emit failed(text.error());
        return static_cast<bool>(text);
    }
    m_readOnly = how == SharedFile::Opening::ReadOnly;
    m_document->open(path);
    return true;
}

bool RewriteFiles::save()
{
    return m_document->path().isEmpty() ? saveAs() : write(m_document->path());
}

bool RewriteFiles::saveAs()
{
    const QString path = chooseFile(tr("Save the program with its schedule as"), m_document->path().isEmpty() ? m_document->displayName() : m_document->path(), tr("Programs (*.yaml *.yml)"));
    return !path.isEmpty() && write(path);
}

/// What others wrote into the file meanwhile is not written over unasked.
bool RewriteFiles::write(const QString& path)
{
    switch (shared().beforeSaving(path)) {
    case SharedFile::Saving::Write: break;
    case SharedFile::Saving::Elsewhere: return saveAs();
    case SharedFile::Saving::Reload: m_document->open(path); return false;
    case SharedFile::Saving::Stop: return false;
    }
    if (const Status status = m_document->save(path); !status) {
        emit failed(status.error());
        return false;
    }
    copies().discard();
    shared().follow(m_document->path());
    emit saved(m_document->displayName());
    return true;
}

void RewriteFiles::offerRecovery()
{
    offerCopies([this](const Recoverable& entry) {
        m_recovering = true;
        m_readOnly = shared().isOpenElsewhere(entry.state.path);
        m_recovered = connect(m_document, &RewriteDocument::opened, this, [this, entry] { endRecovery(entry); }, Qt::SingleShotConnection);
        m_document->openCopy(entry.state.text, entry.state.path, entry.state.name);
        return true;
    });
}

/// The copy stays until this window has written its own.
void RewriteFiles::endRecovery(const Recoverable& entry)
{
    if (copies().saveNow())
        Autosave::remove(entry);
    const QString waiting = std::exchange(m_waiting, {});
    if (!waiting.isEmpty() && QFileInfo(waiting).absoluteFilePath() != m_document->path())
        emit noticed(tr("%1 was not opened: the recovered steps are on show. Save them, then open it.").arg(QFileInfo(waiting).fileName()));
}

/// It is offered again at the next start.
void RewriteFiles::giveUpRecovery()
{
    if (!std::exchange(m_recovering, false))
        return;
    disconnect(m_recovered);
    m_readOnly = false;
    if (const QString waiting = std::exchange(m_waiting, {}); !waiting.isEmpty())
        open(waiting);
}

} // namespace fabricscope
