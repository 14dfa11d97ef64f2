// Joins the Transform workspace to the rest of the window.
#include "app/desktop/filecommands.h"
#include "app/desktop/workspace.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/sharedfile.h"
#include "widgets/base/question.h"
#include "widgets/transform/rewritepage.h"
#include "widgets/transform/rewriterows.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QTimer>

#include <utility>
#include <vector>

namespace fabricscope {

namespace {

class TransformPage : public Workspace
{
public:
    explicit TransformPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_page(new RewritePage)
    {
        RewriteDocument* const document = m_page->document();
        m_shared = new SharedFile([document] { return document->knownBytes(); }, RewriteDocument::kMostBytes,
                                  [this](const QString& title, const QString& question, const std::vector<AnswerChoice>& choices, QMessageBox::StandardButton usual) {
                                      return askInBox(&m_desk, title, question, choices, usual);
                                  },
                                  this);
        connect(document, &RewriteDocument::opened, this, [this, document] {
            m_shared->follow(document->path());
            endWarning();
        });
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
    bool save() override
    {
        const RewriteDocument& document = *m_page->document();
        if (!document.isOpen())
            return false;
        return document.path().isEmpty() ? saveAs() : saveTo(document.path());
    }
    bool saveAs() override
    {
        const RewriteDocument& document = *m_page->document();
        if (!document.isOpen())
            return false;
        const QString path = QFileDialog::getSaveFileName(&m_desk, tr("Save the program with its schedule as"), document.path().isEmpty() ? document.displayName() : document.path(), tr("Programs (*.yaml *.yml)"));
        if (!path.isEmpty())
            saveTo(path);
        return true;
    }
    bool mayEnd() override { return mayLeave(); }
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
        if (!mayLeave())
            return;
        m_desk.setWorkspace(QStringLiteral("transform"));
        m_page->document()->open(path);
    }

    /// Asks about a schedule that is in no file.
    bool mayLeave()
    {
        const RewriteDocument& document = *m_page->document();
        if (!document.isModified())
            return true;
        const int answer = askInBox(&m_desk, tr("Unsaved schedule"), tr("The schedule of %1 has changes that are in no file.").arg(document.displayName()),
                                    {{QMessageBox::Save, {}}, {QMessageBox::Discard, {}}, {QMessageBox::Cancel, {}}}, QMessageBox::Save);
        if (answer == QMessageBox::Save)
            save();
        return answer == QMessageBox::Discard || (answer == QMessageBox::Save && !document.isModified());
    }

    /// What others wrote into the file meanwhile is not written over unasked.
    bool saveTo(const QString& path)
    {
        switch (m_shared->beforeSaving(path)) {
        case SharedFile::Saving::Write: write(path); break;
        case SharedFile::Saving::Elsewhere: return saveAs();
        case SharedFile::Saving::Reload: m_page->document()->open(path); break;
        case SharedFile::Saving::Stop: break;
        }
        return true;
    }

    void write(const QString& path)
    {
        RewriteDocument& document = *m_page->document();
        if (const Status status = document.save(path); !status)
            return m_desk.showFailure(status.error());
        m_shared->follow(document.path());
        m_desk.say(tr("Saved %1").arg(QFileInfo(path).fileName()));
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
    SharedFile* m_shared = nullptr;
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
