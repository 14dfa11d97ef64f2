#include "app/desktop/filecommands.h"

#include "widgets/autosave.h"
#include "widgets/background.h"
#include "widgets/designdocument.h"
#include "widgets/programfiles.h"
#include "widgets/recentfiles.h"
#include "widgets/templates.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

#include <thread>

namespace fabricscope {

namespace {

QString text(const std::string& utf8)
{
    return QString::fromStdString(utf8);
}

} // namespace

FileCommands::FileCommands(DesignDocument& document, QWidget* window)
    : QObject(window), m_document(document), m_window(window), m_recent(new RecentFiles(this))
{
    m_autosave = new Autosave(
        [this] {
            return AutosaveState{m_document.text(), m_document.file(), m_document.displayName(), m_document.folder(), m_document.isModified()};
        },
        {}, this);
    connect(&m_document, &DesignDocument::changed, m_autosave, &Autosave::release);
}

int FileCommands::ask(const QString& title, const QString& question, int buttons, int usual)
{
    if (m_decide)
        return m_decide(question);
    QMessageBox box(QMessageBox::Question, title, question, QMessageBox::StandardButtons(buttons), m_window);
    box.setDefaultButton(static_cast<QMessageBox::StandardButton>(usual));
    return box.exec();
}

bool FileCommands::mayClose()
{
    if (!m_document.isModified())
        return true;
    const int answer = ask(tr("Unsaved changes"), tr("%1 has unsaved changes. Save them?").arg(m_document.displayName()),
                           QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
    if (answer == QMessageBox::Save)
        return save();
    return answer == QMessageBox::Discard;
}

bool FileCommands::mayEnd()
{
    return m_autosave->isKept() || mayClose();
}

void FileCommands::openPaths(const QStringList& given)
{
    QStringList paths;
    QString program;
    for (const QString& path : given) {
        if (isProgramFile(path))
            program = path; // One text is edited at a time: the last.
        else
            paths.append(path);
    }
    if (!program.isEmpty())
        emit programOpened(program);
    if (paths.isEmpty() || !mayClose())
        return;
    std::vector<std::string> names;
    for (const QString& path : paths)
        names.push_back(QFileInfo(path).exists() ? QFileInfo(path).absoluteFilePath().toStdString() : path.toStdString());
    const int number = ++m_opening;
    emit busyChanged(true);
    OpenOptions options;
    options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    inBackground(
        this, [names, options] { return openInputs(names, options); },
        [this, number](const Result<OpenedInput>& input) {
            if (number != m_opening)
                return; // Something else was opened meanwhile.
            emit busyChanged(false);
            if (input)
                take(input.value());
            else
                emit failed(input.error());
        });
}

void FileCommands::take(const OpenedInput& input)
{
    switch (input.kind) {
    case OpenedInput::Kind::SavedRun:
        emit runOpened(text(input.path));
        return;
    case OpenedInput::Kind::DesignFile:
        if (const Status status = m_document.open(text(input.path)); !status) {
            emit failed(status.error());
            return;
        }
        m_recent->add(text(input.path));
        break;
    case OpenedInput::Kind::DesignText:
        if (const Status status = m_document.setText(input.text, text(input.suggestedName), text(input.folder), true); !status) {
            emit failed(status.error());
            return;
        }
        break;
    }
    m_autosave->discard();
    emit opened();
}

void FileCommands::openText(const QByteArray& design, const QString& suggestedName)
{
    if (!mayClose())
        return;
    ++m_opening;
    if (const Status status = m_document.setText(design.toStdString(), suggestedName); !status) {
        emit failed(status.error());
        return;
    }
    m_autosave->discard();
    emit opened();
}

void FileCommands::openExample(const QString& id)
{
    for (const ShippedDesign& example : exampleDesigns())
        if (example.id == id)
            openText(QByteArray::fromStdString(example.text), id + QStringLiteral(".yaml"));
}

void FileCommands::openDialog()
{
    const QStringList paths = QFileDialog::getOpenFileNames(m_window, tr("Open"), QFileInfo(m_document.file()).absolutePath(),
                                                            tr("Everything known (*.yaml *.yml *.json *.et *.run *.gz *.lua *.xml);;Designs (*.yaml *.yml);;Programs (*.lua *.xml);;All files (*)"));
    openPaths(paths);
}

bool FileCommands::save()
{
    return m_document.hasFile() ? write(m_document.file()) : saveAs();
}

bool FileCommands::saveAs()
{
    const QString start = m_document.hasFile() ? m_document.file() : m_document.displayName();
    const QString path = QFileDialog::getSaveFileName(m_window, tr("Save the design as"), start, tr("Designs (*.yaml *.yml)"));
    return !path.isEmpty() && write(path);
}

bool FileCommands::write(const QString& path)
{
    if (const Status status = m_document.saveAs(path); !status) {
        Error error = status.error();
        error.message = tr("Not saved: %1. The old file is unchanged.").arg(text(error.message)).toStdString();
        emit failed(error);
        return false;
    }
    m_recent->add(m_document.file());
    m_autosave->discard();
    return true;
}

void FileCommands::offerRecovery()
{
    for (const Recoverable& entry : Autosave::recoverable()) {
        const QString when = QLocale().toString(entry.saved.toLocalTime(), QLocale::ShortFormat);
        const int answer = ask(tr("Recover unsaved changes"), tr("%1 was not saved before the program ended. Its last automatic copy is from %2. Open it?").arg(entry.state.name, when),
                               QMessageBox::Open | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Open);
        if (answer == QMessageBox::Cancel)
            continue; // Asked again at the next start.
        if (answer == QMessageBox::Open) {
            if (const Status status = recover(entry.state); !status) {
                emit failed(status.error());
                continue;
            }
            // From now on the copy of this process stands in for the old one.
            if (const Status status = m_autosave->saveNow(); !status)
                continue;
            Autosave::remove(entry);
            emit opened();
            return; // One window shows one document; others are offered at the next start.
        }
        Autosave::remove(entry);
    }
}

/// Undo leads back to the saved file where there still is one.
Status FileCommands::recover(const AutosaveState& state)
{
    if (!state.path.isEmpty() && m_document.open(state.path))
        return m_document.editText(tr("Recovered changes"), state.text);
    return m_document.setText(state.text, state.name, state.folder, true);
}

void FileCommands::finish()
{
    if (!m_autosave->isKept())
        m_autosave->discard();
}

void FileCommands::keepForRecovery()
{
    if (const Status status = m_autosave->keep(); !status)
        emit failed(status.error());
}

} // namespace fabricscope
