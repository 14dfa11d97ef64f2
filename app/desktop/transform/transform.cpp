// Joins the Transform workspace to the rest of the window.
#include "app/desktop/filecommands.h"
#include "app/desktop/workspace.h"
#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/design/document.h"
#include "widgets/transform/rewritefiles.h"
#include "widgets/transform/rewritepage.h"
#include "widgets/transform/rewriterows.h"

#include <QAction>
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QSettings>
#include <QTimer>

#include <utility>

namespace fabricscope {

namespace {

const QString kLastFile = QStringLiteral("transform/file");

class TransformPage : public Workspace
{
    Q_DECLARE_TR_FUNCTIONS(fabricscope::TransformPage)
public:
    explicit TransformPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_page(new RewritePage)
    {
        RewriteDocument* const document = m_page->document();
        m_files = new RewriteFiles(document, &m_desk);
        connect(document, &RewriteDocument::opened, this, &TransformPage::endWarning);
        connect(m_files, &RewriteFiles::failed, this, [this](const Error& error) { m_desk.showFailure(error); });
        connect(m_files, &RewriteFiles::saved, this, [this](const QString& name) { m_desk.say(tr("Saved %1").arg(name)); });
        connect(m_files, &RewriteFiles::noticed, this, [this](const QString& text) {
            m_warned = true;
            m_desk.warn(text);
        });
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
        connect(m_page, &RewritePage::exampleChosen, this, &TransformPage::openExample);
        connect(m_page, &RewritePage::exportWanted, this, &TransformPage::exportSchedule);
        connect(&m_desk.files(), &FileCommands::transformOpened, this, &TransformPage::open);
        connectCommands();
        m_page->setOpenAction(tr("Part of the step…"), [this] { choosePart(); });
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
        on("transform.part", [this] { choosePart(); });
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
        if (m_files->open(path) || m_files->isRecovering())
            m_desk.setWorkspace(QStringLiteral("transform"));
    }

    void openExample(const QString& text, const QString& name)
    {
        if (m_files->isRecovering())
            return m_desk.say(tr("Recovered steps are being opened."));
        if (m_files->mayClose())
            m_page->document()->openText(text.toStdString(), name);
    }

    /// Parts of the step of the design that is open.
    void choosePart()
    {
        m_desk.setWorkspace(QStringLiteral("transform"));
        if (m_files->isRecovering())
            return m_desk.say(tr("Recovered steps are being opened."));
        auto* const menu = new QMenu(&m_desk);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->setAccessibleName(tr("Parts of the step"));
        const std::pair<transform::ModelPart, QString> parts[] = {{transform::ModelPart::Optimizer, tr("Gradients and optimizer")},
                                                                  {transform::ModelPart::Attention, tr("Output of attention")},
                                                                  {transform::ModelPart::Mlp, tr("Output of the feed-forward part")},
                                                                  {transform::ModelPart::PipelineBoundary, tr("Boundary of the pipeline")}};
        for (const auto& [part, text] : parts) {
            menu->addAction(text, this, [this, kind = part] {
                if (m_files->mayClose())
                    m_page->document()->openPart(m_desk.document().design(), kind);
            });
        }
        const Theme& theme = AppTheme::global().theme();
        menu->popup(m_page->mapToGlobal(QPoint(theme.scaled(12), theme.scaled(32))));
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
        {"view.transform", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Tra&nsform"), "Ctrl+8", QT_TRANSLATE_NOOP("fabricscope::Commands", "Split, reorder, slice, fuse and overlap computations and collectives"), "transform", true},
    };
    static constexpr CommandRow kCommands[] = {
        {"transform.search", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Search sche&dules"), "Ctrl+Alt+Q", QT_TRANSLATE_NOOP("fabricscope::Commands", "Look for the fastest schedule of the program in Transform, or stop looking"), "sweep"},
        {"transform.part", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Part of the ste&p…"), "Ctrl+Alt+C", QT_TRANSLATE_NOOP("fabricscope::Commands", "Cut a part out of the step of the design's plan and transform it; the whole step is simulated with it"), "fuse"},
        {"transform.export", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Export schedu&le…"), "Ctrl+Alt+Z", QT_TRANSLATE_NOOP("fabricscope::Commands", "Write the steps taken in Transform as a file that fabricscope-cli replays"), "export"},
    };
    return {"transform", [](Desk& desk) -> Workspace* { return new TransformPage(desk); }, kShow, kCommands};
}

} // namespace fabricscope
