// Joins the Study workspace to the rest of the window.
#include "app/desktop/filecommands.h"
#include "app/desktop/workspace.h"
#include "app/version.h"
#include "core/report/outputfile.h"
#include "core/study/pointtext.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/study/tradeoffchart.h"
#include "widgets/study/variantspage.h"

#include <QAction>
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <QTimer>

namespace fabricscope {

namespace {

const QString kLastStudy = QStringLiteral("study/file");

class StudyPage : public Workspace
{
    Q_DECLARE_TR_FUNCTIONS(fabricscope::StudyPage)
public:
    explicit StudyPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_page(new VariantsPage(std::string("fabricscope ") + kVersion + " " + kCommit))
    {
        connect(m_page, &VariantsPage::failed, this, [this](const Error& error) { m_desk.showFailure(error); });
        connect(m_page, &VariantsPage::exampleChosen, this, &StudyPage::openExample);
        connect(m_page, &VariantsPage::exportWanted, this, &StudyPage::exportTable);
        connect(m_page, &VariantsPage::designWanted, this, &StudyPage::openDesign);
        connect(m_page->runner(), &VariantRunner::opened, this, [this] { m_desk.endProblem(); });
        connect(m_page->runner(), &VariantRunner::stateChanged, this, &StudyPage::tellReady);
        connect(m_page->runner(), &VariantRunner::ended, this, [this](bool stopped) { m_desk.say(stopped ? tr("The study was stopped; what is done is kept.") : tr("All designs of the study are kept.")); });
        connect(&m_desk.files(), &FileCommands::studyOpened, this, &StudyPage::open);
        m_page->setOpenAction(tr("Open…"), [this] { m_desk.files().openDialog(); });
        const auto on = [this](const char* id, auto what) { connect(m_desk.commands().action(QString::fromLatin1(id)), &QAction::triggered, this, what); };
        on("study.run", [this] {
            m_desk.setWorkspace(QStringLiteral("study"));
            if (m_page->runner()->study())
                m_page->toggleRun();
            else
                m_desk.say(tr("No study is open."));
        });
        on("study.design", [this] {
            if (m_page->selected() < 0)
                return m_desk.say(tr("No design of a study is selected."));
            openDesign(m_page->selected());
        });
        on("study.export", [this] {
            m_desk.setWorkspace(QStringLiteral("study"));
            exportTable();
        });
    }

    QWidget* page() override { return m_page; }
    void activate() override
    {
        if (m_page->runner()->study())
            m_page->chart()->setFocus();
        QTimer::singleShot(0, this, &StudyPage::tellReady);
    }
    bool needsRun() const override { return false; }
    bool isSettled() const override { return m_page->runner()->isSettled(); }
    void finish() override { keepFile(); }
    void keepForRecovery() override { keepFile(); }
    /// The study comes back with what is kept of it, quietly: one that is gone by now does not.
    void restoreSession() override
    {
        const QString path = openSettings()->value(kLastStudy).toString();
        if (!path.isEmpty() && isStudyFile(path) && m_page->runner()->isSettled() && !m_page->runner()->study())
            m_page->openFile(path);
    }

private:
    void tellReady()
    {
        if (m_page->runner()->isSettled())
            emit ready();
    }

    void open(const QString& path)
    {
        m_desk.setWorkspace(QStringLiteral("study"));
        m_page->openFile(path);
    }

    /// As a file of the user's, which its store stands beside; one that was opened before is what it became since.
    void openExample(const QString& text, const QString& name)
    {
        const QDir folder(QDir(stateFolder()).filePath(QStringLiteral("studies")));
        const QString path = folder.filePath(name);
        if (!QFileInfo::exists(path)) {
            QDir().mkpath(folder.path());
            if (const Status status = writeOutputFile(QFile::encodeName(path).toStdString(), text.toStdString()); !status)
                return m_desk.showFailure(status.error());
        }
        m_page->openFile(path);
    }

    /// A document without a file, as from an example; changes of the one that is open are asked about.
    void openDesign(qint64 number)
    {
        const StudySpec& space = m_page->runner()->study()->space;
        const Result<std::string> text = pointText(space, number);
        if (!text)
            return m_desk.showFailure(text.error());
        const QFileInfo study(m_page->runner()->study()->file);
        const QFileInfo base(QFile::decodeName(QByteArray::fromStdString(space.base.file())));
        const QString name = QStringLiteral("%1-%2.yaml").arg(study.completeBaseName()).arg(number);
        if (m_desk.files().openText(QByteArray::fromStdString(text.value()), name, base.absolutePath()))
            m_desk.setWorkspace(QStringLiteral("explore"));
    }

    void exportTable()
    {
        const VariedStudyPtr& study = m_page->runner()->study();
        if (!study)
            return m_desk.say(tr("No study is open."));
        const QString path = QFileDialog::getSaveFileName(&m_desk, tr("Export the designs of the study"), QFileInfo(study->file).completeBaseName() + QStringLiteral(".csv"), tr("Tables (*.csv);;Lines of JSON (*.jsonl);;All files (*)"));
        if (path.isEmpty())
            return;
        if (const Status status = m_page->exportTo(path); !status)
            m_desk.showFailure(status.error());
        else
            m_desk.say(tr("Exported %1").arg(QFileInfo(path).fileName()));
    }

    /// For restoreSession().
    void keepFile()
    {
        if (const VariedStudyPtr& study = m_page->runner()->study())
            openSettings()->setValue(kLastStudy, study->file);
        else
            openSettings()->remove(kLastStudy);
    }

    Desk& m_desk;
    VariantsPage* m_page;
};

} // namespace

WorkspaceRow studyWorkspace()
{
    static constexpr CommandRow kShow[] = {
        {"view.study", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "St&udy"), "Ctrl+9", QT_TRANSLATE_NOOP("fabricscope::Commands", "Vary a design, run all variants, find those that no other beats"), "study", true},
    };
    static constexpr CommandRow kCommands[] = {
        {"study.run", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Ru&n study"), "Ctrl+Shift+R", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run the designs of the study that are not kept yet, or stop"), "run"},
        {"study.design", QT_TRANSLATE_NOOP("fabricscope::Commands", "File"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Open design of stud&y"), "Ctrl+Shift+U", QT_TRANSLATE_NOOP("fabricscope::Commands", "Open the selected design of the study as a document of its own"), "open"},
        {"study.export", QT_TRANSLATE_NOOP("fabricscope::Commands", "File"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Export st&udy…"), "Ctrl+Shift+X", QT_TRANSLATE_NOOP("fabricscope::Commands", "Write all designs of the study as CSV or lines of JSON"), "export"},
    };
    return {"study", [](Desk& desk) -> Workspace* { return new StudyPage(desk); }, kShow, kCommands};
}

} // namespace fabricscope
