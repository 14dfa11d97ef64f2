// The search of plans in the whole window: how one comes there, what Compare and the document get of it, and that a session keeps it.
#include "app/desktop/resulthistory.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/compare/designsworkspace.h"
#include "widgets/design/document.h"
#include "widgets/workload/planpage.h"
#include "widgets/workload/plansearchfields.h"
#include "widgets/workload/plansearchpanel.h"

#include <QFile>
#include <QMenuBar>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr int kSearchMs = 60'000;

constexpr const char* kSmallPlan = R"(fabricscope: 1
name: Small  # kept
platform:
  npu: {peak: 10 TFLOP/s, memory_bandwidth: 500 GB/s, memory: 2 GiB}
  dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}, {shape: switch, size: 2, bandwidth: 5 GB/s, latency: 5 us}]
workload:
  model:
    transformer: {layers: 4, hidden: 512, heads: 8, vocab: 1024, seq: 256}
    train: {global_batch: 16, micro_batch: 1}
  plan: {mesh: {axes: [tp], shape: [8]}, framework: 0 B}
search: {vary: [tensor, pipeline, data, micro_batch], top: 3}
)";

} // namespace

class WindowPlanSearchTest : public QObject
{
    Q_OBJECT
    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    PlanSearchPanel& panel() { return part<PlanSearchPanel>(*m_window); }
    QAction& command(const char* id) { return *m_window->commands().action(QString::fromLatin1(id)); }

    void openFile()
    {
        const QString path = m_home.filePath(QStringLiteral("small.yaml"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(kSmallPlan);
        file.close();
        m_window->files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kSearchMs);
    }

    void startAgain()
    {
        m_window->close();
        m_window = shownWindow({1280, 800});
        QVERIFY(m_window);
        m_window->restoreSession();
    }

private slots:
    void initTestCase() { useOwnHome(m_home); }

    void init()
    {
        openSettings()->remove(QStringLiteral("compare/set"));
        openSettings()->remove(QStringLiteral("workload/search"));
        m_window = shownWindow({1280, 800});
        QVERIFY(m_window);
        m_window->restoreSession();
    }

    void cleanup()
    {
        if (m_window)
            m_window->close();
        m_window.reset();
    }

    void aPlanThatIsFoundIsPinnedAndOpened()
    {
        openFile();
        command("view.workload").trigger();
        auto& page = part<PlanPage>(*m_window);
        QVERIFY(page.isVisible());
        // The result of the run is beside the estimate.
        QTRY_VERIFY(page.simulated()->isVisible());
        page.searchButton()->click();
        QVERIFY(panel().isVisible() && !page.isVisible());
        panel().startButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(panel().answer() && panel().isSettled(), kSearchMs);
        const std::int64_t best = panel().answer()->result.plans[0].simulated->ps;

        panel().pinButton()->click();
        command("view.compare").trigger();
        auto& compare = part<CompareWorkspace>(*m_window);
        QTRY_COMPARE_WITH_TIMEOUT(compare.runs().size(), std::size_t{2}, kSearchMs);
        const auto runs = compare.runs();
        QVERIFY(std::any_of(runs.begin(), runs.end(), [&](const NamedRun& named) { return named.name.startsWith(QStringLiteral("Plan 1")) && named.run->record().finish.ps == best; }));

        command("workload.search").trigger();
        QVERIFY(panel().isVisible());
        panel().openButton()->click();
        QVERIFY(m_window->document().file().isEmpty());
        QVERIFY2(m_window->document().displayName().contains(QStringLiteral("plan-1")), qPrintable(m_window->document().displayName()));
        QVERIFY(m_window->document().text().find("# kept") != std::string::npos);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy() && m_window->history().current()->record().finish.ps == best, kSearchMs);
    }

    /// A letter that opens a menu as well does neither.
    void lettersOfButtonsAreThoseOfNoMenu()
    {
        for (const QPushButton* button : {panel().startButton(), panel().useButton(), panel().openButton(), panel().pinButton()}) {
            const QKeySequence letter = QKeySequence::mnemonic(button->text());
            QVERIFY(!letter.isEmpty());
            for (const QAction* menu : m_window->menuBar()->actions())
                QVERIFY2(QKeySequence::mnemonic(menu->text()) != letter, qPrintable(button->text() + menu->text()));
        }
    }

    void theNextSessionGoesOn()
    {
        openFile();
        command("workload.search").trigger();
        panel().fields()->top()->setValue(2);
        panel().startButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(panel().answer() && panel().isSettled(), kSearchMs);
        startAgain();
        m_window->files().openPaths({m_home.filePath(QStringLiteral("small.yaml"))});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kSearchMs);
        QCOMPARE(panel().fields()->top()->value(), 2);
        QVERIFY(!panel().answer()); // Nobody looks.
        command("view.workload").trigger();
        QVERIFY(panel().isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(panel().answer() && panel().isSettled(), kSearchMs);
        QCOMPARE(panel().answer()->result.plans.size(), std::size_t{2});
    }
};

FABRICSCOPE_GUI_TEST(WindowPlanSearchTest)
#include "tst_window_plansearch.moc"
