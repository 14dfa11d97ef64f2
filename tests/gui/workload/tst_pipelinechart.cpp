// The chart of a pipeline: where operations stand, what keys do, what is said.
#include "tests/unit/support/testprogram.h"
#include "widgets/workload/pipelinechart.h"

#include <QSignalSpy>
#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

constexpr std::int64_t kMicrosecond = 1'000'000;

/// Forward 1 us, backward 2 us, as one operation.
std::shared_ptr<const PipelineDrawing> oneForwardOneBackward(std::int32_t ranks, std::int64_t microBatches)
{
    auto drawing = std::make_shared<PipelineDrawing>();
    PipelineShape shape;
    shape.ranks = ranks;
    shape.microBatches = microBatches;
    drawing->orders = pipelineOrders(shape).value();
    const StageTicks ticks{kMicrosecond, kMicrosecond, kMicrosecond, -1};
    drawing->times = pipelineTimes(drawing->orders, std::vector<StageTicks>(static_cast<std::size_t>(ranks), ticks), 0).value();
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        drawing->names.append(QStringLiteral("Stage %1").arg(rank));
        drawing->memory.push_back({10'000'000'000, 5'000'000'000, 15'000'000'000, 10'000'000'000 * (ranks - rank), 0, 30'000'000'000 + 10'000'000'000 * (ranks - rank)});
    }
    drawing->capacity = 60'000'000'000;
    drawing->title = QStringLiteral("Pipeline, 1F1B");
    drawing->foot = QStringLiteral("The sum in words");
    return drawing;
}

class PipelineChartTest : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        m_chart = std::make_unique<PipelineChart>();
        m_chart->resize(1100, 260);
        m_chart->setDrawing(oneForwardOneBackward(4, 8));
        m_chart->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_chart.get()));
        m_chart->setFocus();
    }

    void cleanup() { m_chart.reset(); }

    /// (m + p - 1)(F + W) = 11 * 3; every rank works 24 of 33.
    void theBubbleIsWhatRanksWait()
    {
        QCOMPARE(m_chart->rowCount(), 4);
        QVERIFY(std::abs(m_chart->bubbleShare() - 9.0 / 33.0) < 1e-9);
    }

    void operationsStandWhereTheyRun()
    {
        // The first forward pass of stage 1 begins where that of stage 0 ends, and the last backward pass of stage 0 ends at the right edge of all.
        QVERIFY(std::abs(m_chart->operationRect(1, 0).left() - m_chart->operationRect(0, 0).right()) < 1e-6);
        const double oneUnit = m_chart->operationRect(0, 0).width();
        const QRectF last = m_chart->operationRect(0, 15);
        QVERIFY(std::abs(last.right() - m_chart->operationRect(0, 0).left() - 33 * oneUnit) < 1e-3);
        QVERIFY(std::abs(last.width() - 2 * oneUnit) < 1e-6);
        QVERIFY(m_chart->operationRect(3, 0).top() > m_chart->operationRect(2, 0).bottom());
    }

    void P2_keysWalkThroughOperationsAndRows()
    {
        const QSignalSpy rows(m_chart.get(), &PipelineChart::rowChanged);
        QCOMPARE(m_chart->footText(), QStringLiteral("The sum in words"));
        QTest::keyClick(m_chart.get(), Qt::Key_Right);
        QCOMPARE(m_chart->currentRow(), 0);
        QCOMPARE(m_chart->currentPlace(), 0);
        QVERIFY(m_chart->footText().contains(QStringLiteral("forward of stage 0, micro-batch 0")));
        QTest::keyClick(m_chart.get(), Qt::Key_End);
        QCOMPARE(m_chart->currentPlace(), 15);
        QVERIFY(m_chart->footText().contains(QStringLiteral("backward of stage 0, micro-batch 7")));
        QTest::keyClick(m_chart.get(), Qt::Key_Down);
        QCOMPARE(m_chart->currentRow(), 1);
        QTest::keyClick(m_chart.get(), Qt::Key_Up);
        QTest::keyClick(m_chart.get(), Qt::Key_Home);
        QCOMPARE(m_chart->currentPlace(), 0);
        QCOMPARE(rows.size(), 3);
        QTest::keyClick(m_chart.get(), Qt::Key_Escape);
        QCOMPARE(m_chart->currentRow(), -1);
    }

    void P2_aClickTakesWhatIsThere()
    {
        QTest::mouseClick(m_chart.get(), Qt::LeftButton, Qt::NoModifier, m_chart->operationRect(2, 1).center().toPoint());
        QCOMPARE(m_chart->currentRow(), 2);
        QCOMPARE(m_chart->currentPlace(), 1);
        // Stage 3 waits for three forward passes: there is nothing at its start.
        const QPoint bubble(qRound(m_chart->operationRect(0, 0).center().x()), qRound(m_chart->operationRect(3, 0).center().y()));
        QTest::mouseClick(m_chart.get(), Qt::LeftButton, Qt::NoModifier, bubble);
        QCOMPARE(m_chart->currentRow(), 3);
        QCOMPARE(m_chart->currentPlace(), -1);
        QVERIFY(m_chart->footText().contains(QStringLiteral("waits")));
    }

    void zoomKeepsTheMiddleAndWalkingScrolls()
    {
        const double whole = m_chart->operationRect(0, 0).width();
        QTest::keyClick(m_chart.get(), Qt::Key_W);
        QVERIFY(std::abs(m_chart->operationRect(0, 0).width() - 2 * whole) < 1e-6);
        QTest::keyClick(m_chart.get(), Qt::Key_Right);
        // What is walked to is seen.
        QVERIFY(m_chart->operationRect(0, 0).left() > 0);
        QTest::keyClick(m_chart.get(), Qt::Key_0, Qt::ControlModifier);
        QVERIFY(std::abs(m_chart->operationRect(0, 0).width() - whole) < 1e-6);
    }

    void P2_memoryBeyondAnNpuIsSaid()
    {
        QVERIFY(m_chart->memoryRect(0).width() > m_chart->memoryRect(3).width());
        // 70 of 60 GB on the first stage, 40 on the last.
        m_chart->setCurrent(0, -1);
        QVERIFY2(m_chart->accessibleDescription().contains(QStringLiteral("needs 10")), qPrintable(m_chart->accessibleDescription()));
        m_chart->setCurrent(3, -1);
        QVERIFY(!m_chart->accessibleDescription().contains(QStringLiteral("needs")));
    }

    void thousandsOfOperationsAreDrawnInEveryTheme()
    {
        m_chart->setDrawing(oneForwardOneBackward(16, 512));
        const QImage drawn = m_chart->grab().toImage();
        QVERIFY(!drawn.isNull());
        QCOMPARE(m_chart->currentRow(), -1);
        const double center = m_chart->operationRect(0, 500).center().x();
        const QColor pixel = drawn.pixelColor(qRound(center * drawn.devicePixelRatio()), qRound(m_chart->operationRect(0, 500).center().y() * drawn.devicePixelRatio()));
        QVERIFY(pixel != drawn.pixelColor(2, drawn.height() - 2));
    }

    void withoutAPipelineItSaysWhy()
    {
        m_chart->setDrawing(nullptr, QStringLiteral("There is no plan."));
        QCOMPARE(m_chart->rowCount(), 0);
        QVERIFY(m_chart->accessibleDescription().contains(QStringLiteral("There is no plan.")));
        QTest::keyClick(m_chart.get(), Qt::Key_Right);
        QCOMPARE(m_chart->currentRow(), -1);
    }

private:
    std::unique_ptr<PipelineChart> m_chart;
};

} // namespace

FABRICSCOPE_GUI_TEST(PipelineChartTest)
#include "tst_pipelinechart.moc"
