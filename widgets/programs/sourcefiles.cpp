#include "widgets/programs/sourcefiles.h"

#include "core/base/files/textfile.h"
#include "core/formats/programform.h"
#include "core/report/outputfile.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/programs/codeeditor.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTextCursor>

#include <algorithm>

static void initProgramResources() // a static library's resources are not found otherwise; the macro wants to stand outside namespaces
{
    Q_INIT_RESOURCE(programs);
}

namespace fabricscope {

namespace {

const QString kUntitled = QStringLiteral("program.lua");

QString filterText()
{
    return ProgramFiles::tr("Programs (*.lua *.xml *.json);;All files (*)");
}

} // namespace

std::vector<ShippedProgram> shippedPrograms()
{
    initProgramResources();
    std::vector<ShippedProgram> out;
    const QDir folder(QStringLiteral(":/programs"));
    for (const QString& name : folder.entryList(QDir::Files, QDir::Name)) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        ShippedProgram program;
        program.name = name;
        program.text = QString::fromUtf8(file.readAll());
        QString first = program.text.section(QLatin1Char('\n'), 0, 0);
        while (first.startsWith(QLatin1Char('-')) || first.startsWith(QLatin1Char(' ')))
            first.remove(0, 1);
        program.title = first.section(QStringLiteral(": "), 0, 0).section(QStringLiteral(". "), 0, 0);
        while (program.title.endsWith(QLatin1Char('.')))
            program.title.chop(1);
        out.push_back(program);
    }
    return out;
}

bool isProgramFile(const QString& path)
{
    // A file of another name is opened as whatever else it may be.
    const std::string ending = '.' + QFileInfo(path).suffix().toLower().toStdString();
    if (std::none_of(kProgramForms.begin(), kProgramForms.end(), [&ending](const ProgramFormRow& row) { return row.ending == ending; }))
        return false;
    const auto form = programFormOfFile(QFile::encodeName(path).toStdString(), static_cast<std::size_t>(ProgramFiles::kMostBytes));
    return form && *form != ProgramForm::Graphs;
}

ProgramFiles::ProgramFiles(CodeEditor* editor, QWidget* window, const QString& autosaveFolder)
    : DocumentFiles(
          window, [this] { return m_onDisk ? &*m_onDisk : nullptr; }, static_cast<std::size_t>(kMostBytes),
          [this] {
              return AutosaveState{m_editor->toPlainText().toStdString(), m_path, displayName(), m_path.isEmpty() ? QString() : QFileInfo(m_path).absolutePath(), isModified()};
          },
          autosaveFolder.isEmpty() ? QDir(stateFolder()).filePath(QStringLiteral("programs")) : autosaveFolder),
      m_editor(editor), m_name(kUntitled)
{
    connect(&shared(), &SharedFile::sharingChanged, this, &ProgramFiles::changed);
    connect(&shared(), &SharedFile::looked, this, [this](bool gone) {
        if (gone)
            m_editor->document()->setModified(true); // What is here exists nowhere else.
    });
    connect(m_editor->document(), &QTextDocument::contentsChanged, &copies(), &Autosave::release);
    connect(m_editor->document(), &QTextDocument::modificationChanged, this, &ProgramFiles::changed);
}

ProgramFiles::~ProgramFiles() = default;

QString ProgramFiles::displayName() const
{
    return m_path.isEmpty() ? m_name : QFileInfo(m_path).fileName();
}

bool ProgramFiles::isModified() const
{
    return m_editor->document()->isModified();
}

void ProgramFiles::take(const QString& text, const QString& path, const QString& name, bool readOnly)
{
    m_path = path;
    m_onDisk.reset();
    m_name = name;
    m_dosLines = text.contains(QStringLiteral("\r\n"));
    m_editor->setPlainText(QString(text).remove(QLatin1Char('\r'))); // Nothing of the text before can be brought back.
    m_editor->document()->setModified(false);
    copies().discard();
    shared().follow(m_path, readOnly);
    emit changed();
}

/// The bytes of a file that can be edited here; absent: failed() said why not.
std::optional<std::string> ProgramFiles::read(const QString& path)
{
    const auto refuse = [&](ErrorCode code, const QString& message) {
        Error error{code, message.toStdString(), {}, {}};
        error.place.file = path.toStdString();
        emit failed(error);
        return std::nullopt;
    };
    if (QFileInfo(path).isFile() && QFileInfo(path).size() > kMostBytes)
        return refuse(ErrorCode::Unsupported, tr("%1 MiB are more than is edited here; fabricscope-cli reads it").arg(QFileInfo(path).size() >> 20));
    auto bytes = readTextFile(QFile::encodeName(path).toStdString(), static_cast<std::size_t>(kMostBytes));
    if (!bytes) {
        emit failed(bytes.error());
        return std::nullopt;
    }
    if (bytes.value().find('\0') != std::string::npos)
        return refuse(ErrorCode::InvalidInput, tr("this is no text"));
    return std::move(bytes).value();
}

bool ProgramFiles::open(const QString& given)
{
    const std::optional<std::string> bytes = read(given);
    if (!bytes || !mayClose())
        return false;
    const QFileInfo file(given);
    const QString path = file.absoluteFilePath();
    const SharedFile::Opening how = shared().beforeOpening(path);
    if (how == SharedFile::Opening::Stop) {
        tellStopped(path);
        return false;
    }
    if (how == SharedFile::Opening::Copy) {
        take(QString::fromStdString(*bytes), {}, copyName(file));
        return true;
    }
    take(QString::fromStdString(*bytes), path, file.fileName(), how == SharedFile::Opening::ReadOnly);
    m_onDisk = *bytes;
    return true;
}

bool ProgramFiles::reload()
{
    const std::optional<std::string> bytes = read(m_path);
    if (!bytes)
        return false;
    const QString text = QString::fromStdString(*bytes);
    m_dosLines = text.contains(QStringLiteral("\r\n"));
    QTextCursor cursor(m_editor->document());
    cursor.select(QTextCursor::Document);
    cursor.insertText(QString(text).remove(QLatin1Char('\r')));
    m_onDisk = *bytes;
    m_editor->document()->setModified(false);
    copies().discard();
    shared().check();
    emit changed();
    return true;
}

bool ProgramFiles::showText(const QString& text, const QString& suggestedName)
{
    if (!mayClose())
        return false;
    take(text, {}, suggestedName);
    return true;
}

bool ProgramFiles::save()
{
    return m_path.isEmpty() ? saveAs() : write(m_path);
}

bool ProgramFiles::saveAs()
{
    const QString path = chooseFile(tr("Save the program as"), m_path.isEmpty() ? m_name : m_path, filterText());
    return !path.isEmpty() && write(path);
}

bool ProgramFiles::write(const QString& given)
{
    const QString path = QFileInfo(given).absoluteFilePath();
    switch (shared().beforeSaving(path)) {
    case SharedFile::Saving::Write: break;
    case SharedFile::Saving::Elsewhere: return saveAs();
    case SharedFile::Saving::Reload: return reload();
    case SharedFile::Saving::Stop: return false;
    }
    const bool own = !m_path.isEmpty() && path == m_path;
    if (const Status status = own ? checkSaveTarget(path) : checkProgramTarget(path); !status) {
        emit failed(status.error());
        return false;
    }
    QString text = m_editor->toPlainText();
    if (m_dosLines)
        text.replace(QLatin1Char('\n'), QStringLiteral("\r\n"));
    if (const Status status = writeOutputFile(QFile::encodeName(path).toStdString(), text.toStdString()); !status) {
        tellNotSaved(status.error());
        return false;
    }
    m_path = path;
    m_onDisk = text.toStdString();
    m_editor->document()->setModified(false);
    copies().discard();
    shared().follow(m_path);
    emit changed();
    return true;
}

void ProgramFiles::offerRecovery()
{
    offerCopies([this](const Recoverable& entry) {
        take(QString::fromStdString(entry.state.text), entry.state.path, entry.state.name, shared().isOpenElsewhere(entry.state.path));
        if (const auto onDisk = readTextFile(QFile::encodeName(m_path).toStdString(), static_cast<std::size_t>(kMostBytes)); !m_path.isEmpty() && onDisk)
            m_onDisk = onDisk.value();
        m_editor->document()->setModified(true);
        if (copies().saveNow())
            Autosave::remove(entry);
        return true;
    });
}

} // namespace fabricscope
