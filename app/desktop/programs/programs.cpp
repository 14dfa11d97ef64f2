#include "app/desktop/programs/programs.h"

#include "widgets/base/files/sharedfile.h"
#include "widgets/design/document.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/programs/synthesispanel.h"

namespace fabricscope {

ProgramsPage::ProgramsPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_programs(new ProgramWorkspace)
{
    connectPrograms();
    connectSynthesis();
    connect(m_programs, &ProgramWorkspace::shown, this, &Workspace::ready);
    for (const auto signal : {&QPlainTextEdit::undoAvailable, &QPlainTextEdit::redoAvailable})
        connect(m_programs->editor(), signal, this, &Workspace::undoChanged);
    ProgramFiles* files = m_programs->files();
    connect(&files->shared(), &SharedFile::diskChanged, this, [this, files](DiskState state) { m_desk.showDiskState(state, QStringLiteral("program"), files->displayName()); });
}

QWidget* ProgramsPage::page()
{
    return m_programs;
}

void ProgramsPage::activate()
{
    m_programs->begin();
    m_programs->editor()->setFocus();
}

void ProgramsPage::comeOnShow()
{
    m_desk.setWorkspace(QStringLiteral("programs"));
}

void ProgramsPage::showDesign()
{
    const DesignDocument& document = m_desk.document();
    const std::optional<Platform>& platform = document.platform();
    m_programs->synthesis()->setPlatform(platform ? document.design()->platform : nullptr, platform ? platform->npuCount() : 0, document.displayName());
}

/// A program has an undo of its own, that of its text.
std::optional<Workspace::UndoTarget> ProgramsPage::undoTarget() const
{
    CodeEditor* editor = m_programs->editor();
    const QTextDocument& text = *editor->document();
    return UndoTarget{text.isUndoAvailable(), text.isRedoAvailable(), [editor] { editor->undo(); }, [editor] { editor->redo(); }};
}

bool ProgramsPage::save()
{
    m_programs->files()->save();
    return true;
}

bool ProgramsPage::saveAs()
{
    m_programs->files()->saveAs();
    return true;
}

bool ProgramsPage::mayEnd()
{
    return m_programs->files()->mayEnd();
}

void ProgramsPage::finish()
{
    m_programs->files()->finish();
}

void ProgramsPage::keepForRecovery()
{
    m_programs->files()->keepForRecovery();
}

void ProgramsPage::offerRecovery()
{
    m_programs->files()->offerRecovery();
}

bool ProgramsPage::followLink(const QString& link)
{
    ProgramFiles& files = *m_programs->files();
    if (link == QStringLiteral("program:reload"))
        files.reload();
    else if (link == QStringLiteral("program:keep"))
        files.shared().keepMine();
    else if (link == QStringLiteral("program:save"))
        files.save();
    else
        return false;
    return true;
}

} // namespace fabricscope
