// The page of a plan with placement: hap: ratios, stages and baselines that a search beside the window finds.
#include "core/report/placementdrawing.h"
#include "tests/gui/support/heldthreads.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/planpagestage.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/valuerows.h"
#include "widgets/design/document.h"
#include "widgets/results/table.h"
#include "widgets/workload/pipelinechart.h"
#include "widgets/workload/placementchart.h"
#include "widgets/workload/placementview.h"

#include <QAbstractItemModel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest/QtTest>

#include <string>

using namespace fabricscope;

namespace {

std::string placedText(int layers, const std::string& memory = "4 GB")
{
    return R"(fabricscope: 1
platform:
  dimensions: [{shape: switch, size: 4, bandwidth: 12 GB/s, latency: 3 us}]
  npu: {peak: 1 TFLOP/s, memory: )" + memory + R"(}
  overrides: {npus: [{npu: 0, peak: 3 TFLOP/s}, {npu: 2, peak: 3 TFLOP/s}]}
workload:
  model:
    family: transformer
    transformer: {layers: )" + std::to_string(layers) + R"(, hidden: 256, heads: 4, ff: 1024, vocab: 1000, seq: 64}
    train: {global_batch: 32}
    dtype: {param: fp32, act: fp32, grad: fp32}
  plan: {placement: hap}
)";
}

constexpr const char* kMesh = R"(fabricscope: 1
platform:
  dimensions: [{shape: switch, size: 4, bandwidth: 12 GB/s, latency: 3 us}]
  npu: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s, memory: 4 GB}
workload:
  model:
    family: transformer
    transformer: {layers: 4, hidden: 256, heads: 4, ff: 1024, vocab: 1000, seq: 64}
    train: {global_batch: 32, micro_batch: 1}
  plan: {mesh: {axes: [pp], shape: [4]}}
)";

class PlacementViewTest : public QObject, private test::PlanPageStage
{
    Q_OBJECT
private slots:
    void init() { setUp(); }
    void cleanup() { tearDown(); }

    void ratiosStagesAndBaselinesAreShown()
    {
        open(placedText(1));
        QVERIFY(m_page->showsPlacement());
        QCOMPARE(m_page->problemText(), QString());
        const PlacementFigures* const figures = m_page->placement()->figures().get();
        QVERIFY(figures);
        QCOMPARE(figures->devices.size(), std::size_t{2});
        QVERIFY(figures->devices[0].ratio > figures->devices[1].ratio);
        QCOMPARE(m_page->placement()->stages()->stageCount(), static_cast<int>(stagesOf(*figures).size()));
        QCOMPARE(m_page->placement()->stageTable()->view()->model()->rowCount(), m_page->placement()->stages()->stageCount());
        QCOMPARE(m_page->placement()->instructionTable()->view()->model()->rowCount(), static_cast<int>(figures->program.size()));
        // Estimate, four causes, simulated, three baselines, states.
        QCOMPARE(m_page->figures()->rows().size(), std::size_t{10});
        QVERIFY(m_page->figures()->rows()[8].label.startsWith(QStringLiteral("DP-CP")));
        for (const PlacementChart* chart : {m_page->placement()->ratios(), m_page->placement()->stages(), m_page->placement()->programs()}) {
            QVERIFY(!chart->drawing().isEmpty());
            QVERIFY(!chart->accessibleDescription().isEmpty());
        }
    }

    void aStageIsWalkedToClickedAndShownInTheTable()
    {
        open(placedText(1));
        PlacementChart* const chart = m_page->placement()->stages();
        chart->setFocus();
        QTest::keyClick(chart, Qt::Key_End);
        QCOMPARE(chart->currentStage(), chart->stageCount() - 1);
        QCOMPARE(m_page->placement()->stageTable()->selectedId(), qint64{chart->stageCount()});
        QVERIFY2(chart->accessibleDescription().contains(QStringLiteral("stage %1 waits for").arg(chart->stageCount())), qPrintable(chart->accessibleDescription()));
        QTest::mouseClick(chart, Qt::LeftButton, {}, chart->stagePlace(0).center().toPoint());
        QCOMPARE(chart->currentStage(), 0);
        QTest::keyClick(chart, Qt::Key_Escape);
        QCOMPARE(chart->currentStage(), -1);
        m_page->placement()->stageTable()->view()->selectRow(0);
        QCOMPARE(chart->currentStage(), 0);
    }

    void anEditSearchesAgainAndOtherPlansHaveTheirPage()
    {
        open(placedText(1));
        const std::size_t before = m_page->placement()->figures()->program.size();
        QVERIFY(m_document->setText(placedText(2), QStringLiteral("plan.yaml")));
        QTRY_VERIFY(m_page->isSettled() && m_page->placement()->figures() && m_page->placement()->figures()->program.size() > before);
        QVERIFY(m_document->setText(kMesh, QStringLiteral("plan.yaml")));
        QTRY_VERIFY(m_page->isSettled() && m_page->chart()->rowCount() == 4);
        QVERIFY(!m_page->showsPlacement());
        QVERIFY(!m_page->placement()->figures());
        QVERIFY(m_document->setText(placedText(1), QStringLiteral("plan.yaml")));
        QTRY_VERIFY(m_page->isSettled() && m_page->placement()->figures());
        QVERIFY(m_page->showsPlacement());
    }

    void whatDoesNotFitIsSaidOnce()
    {
        open(placedText(1, "1.075 GB")); // A GiB is for libraries.
        QVERIFY(m_page->showsPlacement());
        QVERIFY2(m_page->problemText().contains(QStringLiteral("short by")), qPrintable(m_page->problemText()));
        QVERIFY(!m_page->placement()->figures());
        QSignalSpy again(m_page.get(), &PlanPage::settled);
        QCoreApplication::processEvents();
        QVERIFY(m_page->isSettled()); // Nor is it searched for again.
        QCOMPARE(again.count(), 0);
        QVERIFY(m_document->setText(placedText(1), QStringLiteral("plan.yaml")));
        QTRY_VERIFY(m_page->isSettled() && m_page->placement()->figures());
        QCOMPARE(m_page->problemText(), QString());
    }

    /// What a search finds says nothing of a text that has an error since.
    void anErrorStaysOnShowThoughASearchWasUnderWay()
    {
        const std::string text = placedText(96);
        QVERIFY(m_document->setText(text, QStringLiteral("d.yaml")));
        m_page->setDocument(m_document.get());
        m_page->show();
        QTRY_VERIFY(m_page->placement()->isWorking());
        std::string wrong = text;
        wrong.replace(wrong.find("placement: hap"), 14, "placement: hup");
        QVERIFY(m_document->setText(wrong, QStringLiteral("d.yaml")));
        QVERIFY(m_document->hasErrors());
        QTRY_VERIFY2(m_page->problemText().contains(QStringLiteral("hup")), qPrintable(m_page->problemText()));
        QVERIFY(!m_page->placement()->isWorking());
        QVERIFY(m_document->setText(text, QStringLiteral("d.yaml")));
        QTRY_VERIFY(m_page->placement()->isWorking());
        QCOMPARE(m_page->problemText(), QString());
    }

    /// A search of minutes: there is a line that says how far it is, and a button that ends it at once.
    void aLongSearchShowsItselfAndIsStopped()
    {
        QVERIFY(m_document->setText(placedText(96), QStringLiteral("plan.yaml")));
        m_page->setDocument(m_document.get());
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        QTRY_VERIFY(m_page->placement()->isWorking());
        QTRY_VERIFY(!m_page->placement()->stateText().isEmpty());
        QVERIFY(m_page->placement()->stopButton()->isVisible());
        QSignalSpy settled(m_page.get(), &PlanPage::settled);
        m_page->placement()->stopButton()->click();
        QCOMPARE(settled.count(), 1);
        QVERIFY(!m_page->placement()->isWorking());
        QVERIFY2(m_page->placement()->stateText().startsWith(QStringLiteral("Stopped")), qPrintable(m_page->placement()->stateText()));
        QCOMPARE(m_page->placement()->stopButton()->text(), QStringLiteral("Search"));
        m_page->placement()->stopButton()->click();
        QVERIFY(m_page->placement()->isWorking());
    }

    /// Short work has the other threads, and a search does not wait for it.
    void aSearchHasAThreadOfItsOwn()
    {
        QVERIFY(m_document->setText(placedText(1), QStringLiteral("plan.yaml")));
        const test::HeldThreads held;
        QVERIFY(held.areHeld());
        PlacementView view;
        view.setDesign(m_document->design());
        QTRY_VERIFY_WITH_TIMEOUT(view.figures(), 60000);
    }

    void picturesGrowWithTheLetters()
    {
        open(placedText(1));
        const int before = m_page->placement()->ratios()->sizeHint().height();
        AppTheme::global().set(Theme(Theme::Mode::Dark, 26));
        QVERIFY(std::abs(m_page->placement()->ratios()->sizeHint().height() - 2 * before) <= 2);
    }
};

} // namespace

FABRICSCOPE_GUI_TEST(PlacementViewTest)
#include "tst_placementview.moc"
