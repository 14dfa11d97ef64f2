// Joins the Compare workspace to the rest of the window.
#include "app/desktop/filecommands.h"
#include "app/desktop/resulthistory.h"
#include "app/desktop/windowsession.h"
#include "app/desktop/workspace.h"
#include "widgets/base/actions.h"
#include "widgets/compare/designsworkspace.h"
#include "widgets/design/document.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QTimer>

#include <optional>
#include <utility>

namespace fabricscope {

namespace {

class ComparePage : public Workspace
{
    Q_DECLARE_TR_FUNCTIONS(fabricscope::ComparePage)
public:
    explicit ComparePage(Desk& desk) : Workspace(&desk), m_desk(desk), m_compare(new CompareWorkspace)
    {
        connect(m_compare, &CompareWorkspace::statusText, this, [this](const QString& text) { m_desk.say(text); });
        connect(m_compare, &CompareWorkspace::refused, this, [this](const QString& text) { m_desk.warn(text); });
        connect(m_compare, &CompareWorkspace::addRequested, this, [this] { addFiles(); });
        connect(m_compare, &CompareWorkspace::setChanged, this, &Workspace::comparisonChanged);
        connect(command("compare.pin"), &QAction::triggered, this, [this] {
            take();
            if (m_compare->pinCurrent())
                m_desk.endProblem();
        });
        // Whoever pins a baseline wants to see it beside what comes next. Another design unpins it in Explore only: here it stays.
        connect(command("run.pin"), &QAction::triggered, this, [this](bool pin) {
            take();
            if (!pin)
                m_compare->unpinBaseline();
            else if (m_compare->pinBaseline())
                m_desk.endProblem();
        });
        connect(&desk.document(), &DesignDocument::replaced, this, [this] { m_openIsBase = false; });
        connect(&desk.files(), &FileCommands::comparisonOpened, this, [this](const QStringList& others) {
            m_last.reset(); // These are to be compared, and nothing else.
            m_desk.setWorkspace(QStringLiteral("compare"));
            m_openIsBase = true;
            m_compare->addFiles(others);
        });
        connect(&desk, &Desk::designPinned, this, [this](const QString& name, const QString& file, const QByteArray& text) {
            restoreLast();
            DesignSource source;
            source.name = name;
            source.file = file;
            source.text = text.toStdString();
            if (m_compare->addDesign(std::move(source)))
                m_desk.say(tr("Pinned for Compare: %1").arg(name));
        });
        connect(command("compare.add"), &QAction::triggered, this, [this] { addFiles(); });
        connect(command("compare.swap"), &QAction::triggered, this, [this] { m_compare->swapFirst(); });
    }

    QWidget* page() override { return m_compare; }

    void activate() override
    {
        m_shown = true;
        restoreLast();
        take();
        m_compare->setFocus();
        QTimer::singleShot(0, this, &Workspace::ready);
    }

    void deactivate() override { m_shown = false; }

    void showRun() override
    {
        // The designs between are not run while nobody looks, nor for what a run has so far.
        if (m_shown && !m_desk.isRunning())
            take();
    }

    bool takeFiles(const QStringList& paths) override
    {
        m_compare->addFiles(paths);
        return true;
    }

    bool needsRun() const override { return false; }

    void restoreSession() override
    {
        m_keeps = true;
        if (KeptComparison last = keptComparison(); !last.designs.empty())
            m_last = std::move(last);
        if (m_shown)
            restoreLast();
    }

    void finish() override { keep(); }
    void keepForRecovery() override { keep(); }

    std::shared_ptr<const DesignSet> comparison() const override { return m_compare->set(); }

private:
    QAction* command(const char* id) { return m_desk.commands().action(QString::fromLatin1(id)); }

    /// Not before somebody looks: the designs are run again.
    void restoreLast()
    {
        if (m_last)
            m_compare->restore(*std::exchange(m_last, std::nullopt));
    }

    void keep()
    {
        if (!m_keeps)
            return;
        KeptComparison kept = m_compare->kept();
        if (m_last) { // Nobody looked: it is still what was compared, behind what has been pinned since.
            const bool alone = kept.designs.empty();
            for (DesignSource source : m_last->designs) {
                source.baseline = source.baseline && alone;
                if (kept.designs.size() < DesignSet::kMost)
                    kept.designs.push_back(std::move(source));
            }
            kept.choice = m_last->choice;
        }
        keepComparison(kept);
    }

    void take()
    {
        const RunResultPtr run = m_desk.history().current();
        const QString name = run && !run->summary.name.empty() ? QString::fromStdString(run->summary.name) : m_desk.document().displayName();
        m_compare->setCurrent(run, name);
        if (run && std::exchange(m_openIsBase, false))
            m_compare->putCurrentFirst();
    }

    void addFiles()
    {
        const QStringList paths = QFileDialog::getOpenFileNames(&m_desk, tr("Add designs to compare"));
        if (paths.isEmpty())
            return;
        m_desk.setWorkspace(QStringLiteral("compare"));
        m_compare->addFiles(paths);
    }

    Desk& m_desk;
    CompareWorkspace* m_compare;
    bool m_shown = false;
    bool m_keeps = false;                   ///< What is compared at the end is kept for the next start.
    std::optional<KeptComparison> m_last{}; ///< Of the session before, not run yet.
    bool m_openIsBase = false; ///< The design that is open was given with others, before them: they are compared with its first result.
};

} // namespace

WorkspaceRow compareWorkspace()
{
    static constexpr CommandRow kShow[] = {
        {"view.compare", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Compare"), "Ctrl+4", QT_TRANSLATE_NOOP("fabricscope::Commands", "See two to four designs side by side, and why they differ"), "compare", true},
    };
    static constexpr CommandRow kCommands[] = {
        {"compare.pin", QT_TRANSLATE_NOOP("fabricscope::Commands", "Compare"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Pin this result for comparing"), "Ctrl+Alt+W", QT_TRANSLATE_NOOP("fabricscope::Commands", "Keep this result beside what is opened or changed later"), "pin"},
        {"compare.add", QT_TRANSLATE_NOOP("fabricscope::Commands", "Compare"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Add designs\u2026"), "Ctrl+Alt+O", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run designs from files and compare them"), "plus"},
        {"compare.swap", QT_TRANSLATE_NOOP("fabricscope::Commands", "Compare"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Swap A and B"), "Ctrl+Alt+V", QT_TRANSLATE_NOOP("fabricscope::Commands", "The first two designs change places, and the baseline with them"), "swap"},
    };
    return {"compare", [](Desk& desk) -> Workspace* { return new ComparePage(desk); }, kShow, kCommands};
}

} // namespace fabricscope
