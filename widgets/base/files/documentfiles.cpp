#include "widgets/base/files/documentfiles.h"

#include "core/base/placeof.h"
#include "widgets/base/showntexts.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>

#include <utility>

namespace fabricscope {

DocumentFiles::DocumentFiles(QWidget* window, SharedFile::Known known, std::size_t mostBytes, Autosave::Source state, const QString& folder)
    : QObject(window), m_window(window), m_folder(folder)
{
    m_shared = new SharedFile(std::move(known), mostBytes,
                              [this](const QString& title, const QString& question, const std::vector<AnswerChoice>& choices, QMessageBox::StandardButton usual) { return ask(title, question, choices, usual); }, this);
    m_autosave = new Autosave(std::move(state), folder, this);
}

int DocumentFiles::ask(const QString& title, const QString& question, const std::vector<AnswerChoice>& choices, QMessageBox::StandardButton usual)
{
    return m_decide ? m_decide(question) : askInBox(m_window, title, question, choices, usual);
}

void DocumentFiles::askNobody()
{
    m_asksNobody = true;
    m_decide = [](const QString&) { return QMessageBox::Cancel; };
}

void DocumentFiles::tellStopped(const QString& path)
{
    if (m_asksNobody)
        emit failed({ErrorCode::NotReadable, tr("it is open in another window").toStdString(), placeOfFile(path.toStdString()), tr("a file that no other window has open").toStdString()});
}

bool DocumentFiles::mayClose()
{
    if (!isModified())
        return true;
    const int answer = ask(tr("Unsaved changes"), tr("%1 has unsaved changes. Save them?").arg(texts::shown(displayName())),
                           {{QMessageBox::Save, {}}, {QMessageBox::Discard, {}}, {QMessageBox::Cancel, {}}}, QMessageBox::Save);
    if (answer == QMessageBox::Save)
        return save();
    return answer == QMessageBox::Discard;
}

bool DocumentFiles::mayEnd()
{
    return m_autosave->isKept() || mayClose();
}

bool DocumentFiles::offerCopies(const std::function<bool(const Recoverable& entry)>& open)
{
    for (const Recoverable& entry : Autosave::recoverable(m_folder)) {
        const QString when = QLocale().toString(entry.saved.toLocalTime(), QLocale::ShortFormat);
        const int answer = ask(tr("Recover unsaved changes"), tr("%1 was not saved before the program ended. Its last automatic copy is from %2. Open it?").arg(entry.state.name, when),
                               {{QMessageBox::Open, {}}, {QMessageBox::Discard, {}}, {QMessageBox::Cancel, tr("Ask me later")}}, QMessageBox::Open);
        if (answer == QMessageBox::Open && open(entry))
            return true;
        if (answer != QMessageBox::Open && answer != QMessageBox::Cancel)
            Autosave::remove(entry);
    }
    return false;
}

QString DocumentFiles::chooseFile(const QString& title, const QString& start, const QString& filter)
{
    return m_chooseFile ? m_chooseFile() : QFileDialog::getSaveFileName(m_window, title, start, filter);
}

void DocumentFiles::tellNotSaved(Error error)
{
    error.message = tr("Not saved: %1. The old file is unchanged.").arg(QString::fromStdString(error.message)).toStdString();
    emit failed(error);
}

QString DocumentFiles::copyName(const QFileInfo& file)
{
    return tr("%1 copy.%2").arg(file.completeBaseName(), file.suffix());
}

void DocumentFiles::finish()
{
    if (!m_autosave->isKept())
        m_autosave->discard();
}

void DocumentFiles::keepForRecovery()
{
    if (const Status status = m_autosave->keep(); !status)
        emit failed(status.error());
}

} // namespace fabricscope
