#include "app/desktop/filecommands.h"

#include "core/base/digest.h"
#include "core/base/textfile.h"
#include "widgets/autosave.h"
#include "widgets/background.h"
#include "widgets/designdocument.h"
#include "widgets/openfiles.h"
#include "widgets/programfiles.h"
#include "widgets/recentfiles.h"
#include "widgets/showntexts.h"
#include "widgets/templates.h"
#include "widgets/userfolders.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPushButton>

#include <thread>
#include <utility>

namespace fabricscope {

namespace {

QString text(const std::string& utf8)
{
    return QString::fromStdString(utf8);
}

} // namespace

FileCommands::FileCommands(DesignDocument& document, QWidget* window)
    : QObject(window), m_document(document), m_window(window), m_recent(new RecentFiles(this)), m_open(new OpenFiles({}, this))
{
    m_autosave = new Autosave(
        [this] {
            return AutosaveState{m_document.text(), m_document.file(), m_document.displayName(), m_document.folder(), m_document.isModified()};
        },
        {}, this);
    connect(&m_document, &DesignDocument::changed, m_autosave, &Autosave::release);
    connect(m_autosave, &Autosave::failed, this, [this](const QString& message) { emit noticed(tr("No automatic copy could be written: %1").arg(message)); });
    connect(&m_document, &DesignDocument::fileChanged, this, &FileCommands::watchFile);
    connect(m_open, &OpenFiles::changed, this, &FileCommands::lookAround);
    constexpr int kMomentMs = 200;
    m_look.setSingleShot(true);
    m_look.setInterval(kMomentMs);
    connect(&m_look, &QTimer::timeout, this, &FileCommands::checkDisk);
    for (const auto signal : {&QFileSystemWatcher::fileChanged, &QFileSystemWatcher::directoryChanged})
        connect(&m_watcher, signal, &m_look, qOverload<>(&QTimer::start));
}

int FileCommands::ask(const QString& title, const QString& question, std::initializer_list<Choice> choices, QMessageBox::StandardButton usual)
{
    if (m_decide)
        return m_decide(question);
    QMessageBox box(QMessageBox::Question, title, question, QMessageBox::NoButton, m_window);
    box.setTextFormat(Qt::PlainText);
    for (const Choice& choice : choices) {
        QPushButton* button = box.addButton(choice.button);
        if (!choice.text.isEmpty())
            button->setText(choice.text);
    }
    box.setDefaultButton(usual);
    return box.exec();
}

bool FileCommands::mayClose()
{
    if (!m_document.isModified())
        return true;
    const int answer = ask(tr("Unsaved changes"), tr("%1 has unsaved changes. Save them?").arg(texts::shown(m_document.displayName())),
                           {{QMessageBox::Save, {}}, {QMessageBox::Discard, {}}, {QMessageBox::Cancel, {}}}, QMessageBox::Save);
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
        openFile(text(input.path));
        return;
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

/// The text of a file as a document of its own, which has no file yet.
Status FileCommands::openCopy(const QString& path)
{
    auto read = readTextFile(QFile::encodeName(path).toStdString(), YamlDocument::kMaxBytes);
    if (!read)
        return std::move(read).error();
    const QFileInfo file(path);
    return m_document.setText(std::move(read).value(), tr("%1 copy.%2").arg(file.completeBaseName(), file.suffix()), file.absolutePath());
}

/// A file another window has open is not written to from two sides.
void FileCommands::openFile(const QString& path)
{
    bool readOnly = false;
    bool copy = false;
    if (const auto others = m_open->others(path); !others.empty()) {
        const int answer = ask(tr("Open in another window"),
                               tr("%1 is open in another window (process %2). What is saved there is not seen here.").arg(texts::shown(QFileInfo(path).fileName())).arg(others.front().process),
                               {{QMessageBox::Open, tr("Open read-only")}, {QMessageBox::Apply, tr("Open a copy")}, {QMessageBox::Cancel, {}}}, QMessageBox::Open);
        readOnly = answer == QMessageBox::Open;
        copy = answer == QMessageBox::Apply;
        if (!readOnly && !copy)
            return;
    }
    const bool before = std::exchange(m_readOnly, readOnly);
    if (const Status status = copy ? openCopy(path) : m_document.open(path); !status) {
        m_readOnly = before;
        emit failed(status.error());
        return;
    }
    m_recent->add(path);
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
    return m_document.hasFile() ? saveTo(m_document.file()) : saveAs();
}

bool FileCommands::saveAs()
{
    QString path;
    if (m_chooseFile) {
        path = m_chooseFile();
    } else {
        const QString start = m_document.hasFile() ? m_document.file() : m_document.displayName();
        path = QFileDialog::getSaveFileName(m_window, tr("Save the design as"), start, tr("Designs (*.yaml *.yml)"));
    }
    return !path.isEmpty() && saveTo(path);
}

/// Writing over a file that others have changed, or still have open, is never done unasked.
FileCommands::Saving FileCommands::beforeSaving(const QString& path)
{
    const bool own = path == m_document.file();
    const QString name = QFileInfo(path).fileName();
    if (const auto others = m_open->others(path); !others.empty() && (!own || m_readOnly)) {
        const int answer = ask(tr("Open in another window"), tr("%1 is open in another window (process %2). Saving here would take away what is saved there.").arg(name).arg(others.front().process),
                               {{QMessageBox::SaveAll, tr("Save elsewhere…")}, {QMessageBox::Save, tr("Overwrite")}, {QMessageBox::Cancel, {}}}, QMessageBox::SaveAll);
        if (answer != QMessageBox::Save)
            return answer == QMessageBox::SaveAll ? Saving::Elsewhere : Saving::Stop;
    }
    if (!own || !m_document.savedText())
        return Saving::Write;
    QString question;
    bool canReload = false;
    switch (fabricscope::diskState(path, *m_document.savedText())) {
    case DiskState::Same: return Saving::Write;
    case DiskState::Changed:
        question = tr("%1 has changed on disk since it was read here. Saving would take that change away.").arg(name);
        canReload = true;
        break;
    case DiskState::Gone: question = tr("%1 was deleted or moved since it was read here. Save it there again?").arg(name); break;
    case DiskState::Unreadable: question = tr("%1 can no longer be read, so nobody knows whether it has changed.").arg(name); break;
    case DiskState::NotAFile: question = tr("%1 is no ordinary file any more.").arg(path); break;
    }
    int answer = 0;
    if (canReload)
        answer = ask(tr("Changed on disk"), question, {{QMessageBox::SaveAll, tr("Save elsewhere…")}, {QMessageBox::Reset, tr("Reload")}, {QMessageBox::Save, tr("Overwrite")}, {QMessageBox::Cancel, {}}}, QMessageBox::SaveAll);
    else
        answer = ask(tr("Changed on disk"), question, {{QMessageBox::SaveAll, tr("Save elsewhere…")}, {QMessageBox::Save, {}}, {QMessageBox::Cancel, {}}}, QMessageBox::SaveAll);
    return answer == QMessageBox::Save ? Saving::Write : answer == QMessageBox::SaveAll ? Saving::Elsewhere : answer == QMessageBox::Reset ? Saving::Reload : Saving::Stop;
}

bool FileCommands::saveTo(const QString& path)
{
    switch (beforeSaving(path)) {
    case Saving::Write: return write(path);
    case Saving::Elsewhere: return saveAs();
    case Saving::Reload: reload(); return !m_document.isModified();
    case Saving::Stop: break;
    }
    return false;
}

bool FileCommands::write(const QString& path)
{
    if (const Status status = m_document.saveAs(path); !status) {
        Error error = status.error();
        error.message = tr("Not saved: %1. The old file is unchanged.").arg(text(error.message)).toStdString();
        emit failed(error);
        return false;
    }
    m_readOnly = false;
    watchFile();
    m_recent->add(m_document.file());
    m_autosave->discard();
    emit saved(path);
    return true;
}

void FileCommands::reload()
{
    if (const Status status = m_document.reload(); !status)
        emit failed(status.error());
    checkDisk();
}

void FileCommands::keepMine()
{
    m_disk = DiskState::Same; // As far as anybody wants to hear; saving looks again.
    emit diskChanged(m_disk);
}

/// Follows the file of the document: what becomes of it on disk, and who else has it open.
void FileCommands::watchFile()
{
    const QStringList watched = m_watcher.files() + m_watcher.directories();
    if (!watched.isEmpty())
        m_watcher.removePaths(watched);
    m_readOnly = m_readOnly && m_document.hasFile();
    m_open->claim(m_document.file(), m_readOnly);
    m_disk = DiskState::Same;
    m_seenOnDisk.clear();
    if (m_document.hasFile()) {
        // The folder too: most programs write a new file and give it the old name.
        m_watcher.addPath(QFileInfo(m_document.file()).absolutePath());
        if (QFileInfo(m_document.file()).isFile())
            m_watcher.addPath(m_document.file());
    }
    lookAround();
    emit sharingChanged();
}

void FileCommands::checkDisk()
{
    if (!m_document.hasFile() || !m_document.savedText())
        return;
    if (m_watcher.files().isEmpty() && QFileInfo(m_document.file()).isFile())
        m_watcher.addPath(m_document.file());
    const DiskState now = fabricscope::diskState(m_document.file(), *m_document.savedText());
    m_document.setFileGone(now == DiskState::Gone || now == DiskState::NotAFile);
    std::string seen;
    if (now == DiskState::Changed) {
        const auto content = readTextFile(QFile::encodeName(m_document.file()).toStdString(), YamlDocument::kMaxBytes);
        seen = content ? digestOf(content.value()).hex() : std::string("too large");
    }
    const bool told = seen.empty() ? now == m_disk : seen == m_seenOnDisk;
    m_seenOnDisk = seen;
    if (told)
        return;
    m_disk = now;
    emit diskChanged(now);
}

void FileCommands::lookAround()
{
    const auto elsewhere = static_cast<int>(m_open->others(m_document.file()).size());
    if (elsewhere == m_elsewhere)
        return;
    m_elsewhere = elsewhere;
    emit sharingChanged();
}

bool FileCommands::offerRecovery()
{
    // Those of programs too: one sentence for all.
    const QStringList aside = Autosave::putAsideUnreadable() + Autosave::putAsideUnreadable(QDir(stateFolder()).filePath(QStringLiteral("programs")));
    if (!aside.isEmpty())
        emit noticed(aside.size() == 1 ? tr("An automatic copy of an earlier session could not be read. It is kept as %1.").arg(aside.front())
                                       : tr("%1 automatic copies of earlier sessions could not be read. They are kept in %2.").arg(aside.size()).arg(QFileInfo(aside.front()).path()));
    for (const Recoverable& entry : Autosave::recoverable()) {
        const QString when = QLocale().toString(entry.saved.toLocalTime(), QLocale::ShortFormat);
        const int answer = ask(tr("Recover unsaved changes"), tr("%1 was not saved before the program ended. Its last automatic copy is from %2. Open it?").arg(entry.state.name, when),
                               {{QMessageBox::Open, {}}, {QMessageBox::Discard, {}}, {QMessageBox::Cancel, tr("Ask me later")}}, QMessageBox::Open);
        if (answer == QMessageBox::Cancel)
            continue; // Asked again at the next start.
        if (answer == QMessageBox::Open) {
            if (const Status status = recover(entry.state); !status) {
                emit failed(status.error());
                continue;
            }
            // From now on the copy of this process stands in for the old one.
            if (m_autosave->saveNow())
                Autosave::remove(entry);
            emit opened();
            return true; // One window shows one document; others are offered at the next start.
        }
        Autosave::remove(entry);
    }
    return false;
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
