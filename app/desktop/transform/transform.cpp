// Joins the Transform workspace to the rest of the window.
#include "app/desktop/filecommands.h"
#include "app/desktop/workspace.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/transform/rewritefiles.h"
#include "widgets/transform/rewritepage.h"
#include "widgets/transform/rewriterows.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <QTimer>

#include <utility>

namespace fabricscope {

namespace {

const QString kLastFile = QStringLiteral("transform/file");

class TransformPage : public Workspace
{
public:
    explicit TransformPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_page(new RewritePage)
    {
        RewriteDocument* const document = m_page->document();
        m_files = new RewriteFiles(document, &m_desk);
        connect(document, &RewriteDocument::opened, this, &TransformPage::endWarning);
        connect(m_files, &RewriteFiles::failed, this, [this](const Error& error) { m_desk.showFailure(error); });
        connect(m_files, &RewriteFiles::saved, this, [this](const QString& name) { m_desk.say(tr("Saved %1").arg(name)); });
        connect(&m_files->shared(), &SharedFile::sharingChanged, this, &Workspace::undoChanged);
        connect(document, &RewriteDocument::undoChanged, this, &Workspace::undoChanged);
        connect(document, &RewriteDocument::settled, this, &TransformPage::tellReady);
        connect(document, &RewriteDocument::refused, this, [this](const QString& text) {
            m_warned = true;
            m_desk.warn(text);
        });
        connect(document, &RewriteDocument::failed, this, [this](const Error& error) { m_desk.showFailure(error); });
        connect(document, &RewriteDocument::shown, this, [this] { m_desk.endProblem(); });
        connect(m_page, &RewritePage::saveWanted, this, [this] { save(); });
        connect(m_page, &RewritePage::exportWanted, this, &TransformPage::exportSchedule);
        connect(&m_desk.files(), &FileCommands::transformOpened, this, &TransformPage::open);
        connectCommands();
        m_page->setOpenAction(tr("Open…"), [this] { m_desk.files().openDialog(); });
    }

    QWidget* page() override { return m_page; }
    void activate() override
    {
        m_page->stages()->setFocus();
        QTimer::singleShot(0, this, &TransformPage::tellReady);
    }
    std::optional<UndoTarget> undoTarget() const override
    {
        RewriteDocument* const document = m_page->document();
        return UndoTarget{document->canUndo(), document->canRedo(), [document] { document->undo(); }, [document] { document->redo(); }};
    }
    std::optional<ShownFile> shownFile() const override
    {
        const RewriteDocument& document = *m_page->document();
        if (!document.isOpen())
            return std::nullopt;
        return ShownFile{document.displayName(), document.isModified(), m_files->shared().isReadOnly(), m_files->shared().openElsewhere()};
    }
    bool save() override
    {
        if (!m_page->document()->isOpen())
            return false;
        m_files->save();
        return true;
    }
    bool saveAs() override
    {
        if (!m_page->document()->isOpen())
            return false;
        m_files->saveAs();
        return true;
    }
    bool mayEnd() override { return m_files->mayEnd(); }
    void finish() override
    {
        keepFile();
        m_files->finish();
    }
    void keepForRecovery() override
    {
        keepFile();
        m_files->keepForRecovery();
    }
    void offerRecovery() override { m_files->offerRecovery(); }
    /// The file comes back, quietly: one that is gone or unreadable by now does not.
    void restoreSession() override
    {
        const QString path = openSettings()->value(kLastFile).toString();
        if (!m_page->document()->isSettled() || m_page->document()->isOpen() || path.isEmpty() || !isTransformFile(path) || m_files->shared().isOpenElsewhere(path))
            return;
        m_page->document()->open(path);
    }
    bool needsRun() const override { return false; }

private:
    void connectCommands()
    {
        const auto on = [this](const char* id, auto what) { connect(m_desk.commands().action(QString::fromLatin1(id)), &QAction::triggered, this, what); };
        on("transform.search", [this] {
            m_desk.setWorkspace(QStringLiteral("transform"));
            m_page->toggleSearch();
        });
        on("transform.export", [this] {
            m_desk.setWorkspace(QStringLiteral("transform"));
            exportSchedule();
        });
    }

    void tellReady()
    {
        if (m_page->document()->isSettled())
            emit ready();
    }

    void open(const QString& path)
    {
        if (m_files->open(path))
            m_desk.setWorkspace(QStringLiteral("transform"));
    }

    /// For restoreSession().
    void keepFile()
    {
        if (const QString& path = m_page->document()->path(); path.isEmpty())
            openSettings()->remove(kLastFile);
        else
            openSettings()->setValue(kLastFile, path);
    }

    /// A refusal is over once another file is open.
    void endWarning()
    {
        if (std::exchange(m_warned, false))
            m_desk.warn({});
    }

    void exportSchedule()
    {
        const RewriteDocument& document = *m_page->document();
        if (!document.isOpen())
            return m_desk.say(tr("No program is open."));
        const QString name = QFileInfo(document.displayName()).completeBaseName() + QStringLiteral(".schedule");
        const QString path = QFileDialog::getSaveFileName(&m_desk, tr("Export the schedule"), name, tr("Schedules (*.schedule *.txt);;All files (*)"));
        if (path.isEmpty())
            return;
        if (const Status status = document.exportSchedule(path); !status)
            m_desk.showFailure(status.error());
        else
            m_desk.say(tr("Exported %1: fabricscope-cli transform FILE --apply %1").arg(QFileInfo(path).fileName()));
    }

    Desk& m_desk;
    RewritePage* m_page;
    RewriteFiles* m_files = nullptr;
    bool m_warned = false;
};

} // namespace

WorkspaceRow transformWorkspace()
{
    static constexpr CommandRow kShow[] = {
        {"view.transform", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Transfor&m"), "Ctrl+8", QT_TRANSLATE_NOOP("fabricscope::Commands", "Split, reorder, slice, fuse and overlap computations and collectives"), "transform", true},
    };
    static constexpr CommandRow kCommands[] = {
        {"transform.search", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Search sche&dules"), "Ctrl+Alt+Q", QT_TRANSLATE_NOOP("fabricscope::Commands", "Look for the fastest schedule of the program in Transform, or stop looking"), "sweep"},
        {"transform.export", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Export sched&ule…"), "Ctrl+Alt+Z", QT_TRANSLATE_NOOP("fabricscope::Commands", "Write the steps taken in Transform as a file that fabricscope-cli replays"), "export"},
    };
    return {"transform", [](Desk& desk) -> Workspace* { return new TransformPage(desk); }, kShow, kCommands};
}

} // namespace fabricscope
