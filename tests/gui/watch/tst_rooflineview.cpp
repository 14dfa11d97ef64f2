// Rooflines of a run: where points and roofs are drawn, what pointer and keys do, and the same as a table.
#include "tests/gui/support/patience.h"
#include "tests/gui/support/runresults.h"
#include "tests/gui/support/withtheme.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/tablemodel.h"
#include "widgets/report/viewexport.h"
#include "widgets/results/rooflinechart.h"
#include "widgets/results/rooflinetable.h"
#include "widgets/results/rooflineview.h"
#include "widgets/results/table.h"

#include <QtTest>

#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using fabricscope::test::kLongMs;

/// Two NPUs of 1 TFLOP/s and 100 GB/s: 100 FLOP per byte at the peak, 1 below the memory (100 GFLOP/s), and one that says no bytes. Each sends 2000 B over a link of
/// 1 GB/s and 500 ns in 2.5 us: 800 MB/s.
const char* const kRoofed = "fabricscope: 1\nplatform:\n  topology: FullyConnected(2)\n  bandwidth: 1 GB/s\n  latency: 500 ns\n  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s}\nworkload:\n  steps:\n"
                            "    - {compute: 10 GFLOP, bytes: 100 MB, name: dense}\n    - {compute: 1 GFLOP, bytes: 1 GB, name: update}\n    - {compute: 1 GFLOP, name: unsaid}\n"
                            "    - {collective: all_gather, size: 4000 B, name: sum}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n";

void showRoofs(RooflineView& view, const RunResultPtr& result)
{
    view.resize(1000, 260);
    view.setResult(result);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QTRY_VERIFY_WITH_TIMEOUT(!view.isWorking(), kLongMs);
}

QString plainSpaces(QString text)
{
    return text.replace(QChar(0x202F), QLatin1Char(' '));
}

} // namespace

class RooflineViewTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    /// Equal factors are equally far apart; the corner is at 10 FLOP per byte; points on the roof lie on its line.
    void R9_pointsAndRoofsStandWhereTheirValuesAre()
    {
        RooflineView view;
        showRoofs(view, runText(kRoofed));
        RooflineChart& chart = view.compute();
        QCOMPARE(chart.points().size(), std::size_t{3});
        QCOMPARE(chart.points()[0].name, QStringLiteral("update"));
        QCOMPARE(chart.points()[1].name, QStringLiteral("dense"));
        QCOMPARE(chart.points()[2].name, QStringLiteral("unsaid"));
        QCOMPARE(chart.roofs().size(), std::size_t{1});
        QCOMPARE(chart.roofs()[0].slope, 1e11);
        QCOMPARE(chart.roofs()[0].flat, 1e12);
        QVERIFY(std::abs(chart.placeOf(1, 1e11).x() - 2 * chart.placeOf(10, 1e11).x() + chart.placeOf(100, 1e11).x()) < 0.01);
        QVERIFY(std::abs(chart.placeOf(1, 1e10).y() - 2 * chart.placeOf(1, 1e11).y() + chart.placeOf(1, 1e12).y()) < 0.01);
        const QPolygonF roof = chart.roofLine(0);
        QCOMPARE(roof.size(), 3);
        QVERIFY((roof[1] - chart.placeOf(10, 1e12)).manhattanLength() < 0.01);
        QVERIFY(std::abs(chart.positionOf(chart.points()[1].id).y() - roof[1].y()) < 0.01);
        // On the slope: as far above the first corner as to its right, in parts of the line.
        const QPointF update = chart.positionOf(chart.points()[0].id);
        const double along = (update.x() - roof[0].x()) / (roof[1].x() - roof[0].x());
        QVERIFY(std::abs(update.y() - (roof[0].y() + along * (roof[1].y() - roof[0].y()))) < 0.01);
        // Without bytes it stands right of the axis.
        QVERIFY(chart.positionOf(chart.points()[2].id).x() > chart.placeOf(100, 1e12).x());
        QVERIFY(chart.positionOf(chart.points()[2].id).x() < chart.width());

        RooflineChart& network = view.network();
        QCOMPARE(network.points().size(), std::size_t{1});
        QCOMPARE(network.points()[0].x, 2000.0);
        QCOMPARE(network.points()[0].y, 8e8);
        QCOMPARE(network.roofs()[0].flat, 1e9);
        QCOMPARE(network.roofs()[0].slope, 1e12 / 500'000);
        QVERIFY(network.positionOf(network.points()[0].id).y() > network.roofLine(0).last().y());
    }

    void R9_whatBindsAPointIsNamed()
    {
        RooflineView view;
        showRoofs(view, runText(kRoofed));
        QCOMPARE(plainSpaces(view.compute().points()[0].about), QStringLiteral("update\n100 GFLOP/s of 100 GFLOP/s, 100.0 %: memory\n1.00 FLOP/byte\n2 tasks of ranks 0–1, 10.000 ms on average"));
        QVERIFY(plainSpaces(view.compute().points()[1].about).contains(QStringLiteral("1 TFLOP/s of 1 TFLOP/s, 100.0 %: peak")));
        QVERIFY(plainSpaces(view.network().points()[0].about).contains(QStringLiteral("800.0 MB/s of 1.0 GB/s, 80.0 %: bandwidth")));
        QVERIFY(view.network().roofs()[0].slopeName.contains(QStringLiteral("latency")));
    }

    void R9_pointerAndKeysChooseAPoint()
    {
        RooflineView view;
        showRoofs(view, runText(kRoofed));
        RooflineChart& chart = view.compute();
        QSignalSpy tasks(&view, &RooflineView::taskChosen);
        QSignalSpy collectives(&view, &RooflineView::collectiveChosen);
        QSignalSpy opened(&view, &RooflineView::collectiveActivated);
        QTest::mouseClick(&chart, Qt::LeftButton, Qt::NoModifier, chart.positionOf(chart.points()[1].id).toPoint());
        QCOMPARE(chart.current(), chart.points()[1].id);
        QCOMPARE(tasks.count(), 1);
        QCOMPARE(tasks[0][0].toInt(), 0);
        QCOMPARE(tasks[0][1].toInt(), 0); // "dense" is the first task.
        QTest::keyClick(&chart, Qt::Key_Left);
        QCOMPARE(tasks[1][1].toInt(), 1);
        QTest::keyClick(&chart, Qt::Key_End);
        QCOMPARE(tasks[2][1].toInt(), 2);
        QTest::keyClick(&chart, Qt::Key_Right); // There is no further one.
        QCOMPARE(chart.current(), chart.points()[2].id);
        QTest::keyClick(&chart, Qt::Key_Home);
        QCOMPARE(chart.accessibleDescription(), chart.points()[0].about);
        // Beside all points a click chooses none.
        const auto before = tasks.count();
        QTest::mouseClick(&chart, Qt::LeftButton, Qt::NoModifier, QPoint(2, 2));
        QCOMPARE(tasks.count(), before);
        QTest::keyClick(&view.network(), Qt::Key_Right);
        QCOMPARE(collectives.count(), 1);
        QCOMPARE(collectives[0][0].toLongLong(), 0);
        QCOMPARE(chart.current(), -1); // One point of both.
        QTest::keyClick(&view.network(), Qt::Key_Return);
        QCOMPARE(opened.count(), 1);
    }

    void R9_theSameStandsInATable()
    {
        RooflineView view;
        showRoofs(view, runText(kRoofed));
        view.tableButton()->click();
        QVERIFY(view.isTableShown());
        const QAbstractItemModel* const model = view.table().view()->model();
        QCOMPARE(model->rowCount(), 4);
        QCOMPARE(model->index(0, 0).data().toString(), QStringLiteral("dense"));
        QCOMPARE(model->index(0, 1).data(TableModel::SortRole).toDouble(), 1e12);
        QCOMPARE(model->index(1, 4).data().toString(), QStringLiteral("memory"));
        QVERIFY(model->index(2, 5).data().toString().isEmpty());
        QCOMPARE(model->index(3, 1).data(TableModel::SortRole).toDouble(), 8e8);
        QCOMPARE(model->index(3, 3).data(TableModel::ShareRole).toDouble(), 0.8);
        QSignalSpy tasks(&view, &RooflineView::taskChosen);
        view.table().view()->setCurrentIndex(model->index(1, 0));
        QCOMPARE(tasks.count(), 1);
        QCOMPARE(view.compute().current(), 1);
    }

    /// In any of these rooms labels overlap neither one another nor the edge.
    void R9_labelsHaveRoomOfTheirOwn()
    {
        for (const double size : {13.0, 20.0}) {
            const WithTheme theme(Theme(Theme::Mode::Dark, size));
            RooflineView view;
            showRoofs(view, runExample("two-level-hgx.yaml"));
            for (RooflineChart* const chart : {&view.compute(), &view.network()}) {
                const auto labels = chart->labels();
                QVERIFY(!labels.empty());
                for (std::size_t i = 0; i < labels.size(); ++i) {
                    QVERIFY(QRectF(chart->rect()).contains(labels[i].second));
                    for (std::size_t j = 0; j < i; ++j)
                        QVERIFY(!labels[i].second.intersects(labels[j].second));
                }
            }
        }
    }

    void R9_aChartIsAViewThatCanBeExported()
    {
        RooflineView view;
        showRoofs(view, runText(kRoofed));
        QCOMPARE(viewAround(&view.compute()), &view.compute());
        const QByteArray svg = svgOfView(view.compute());
        QVERIFY(svg.contains("<polyline") && svg.contains("FLOP per byte of memory"));
    }

    /// 4000 B over 1 GB/s and 500 ns are there after 4.5 us; two at once share the link, the second after 8.5 us. One point, which leads to the slower of its sends.
    void R9_messagesBetweenRanksArePoints()
    {
        RooflineView view;
        showRoofs(view, runText("fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 1 GB/s, latency: 500 ns}\nworkload:\n  steps:\n"
                                "    - {send: 4000 B, to: 1, tag: 1, ranks: \"0\", name: grad 1, after: []}\n    - {send: 4000 B, to: 1, tag: 2, ranks: \"0\", name: grad 2, after: []}\n"
                                "    - {receive: 4000 B, from: 0, tag: 1, ranks: \"1\", after: []}\n    - {receive: 4000 B, from: 0, tag: 2, ranks: \"1\", after: []}\n"));
        const RooflineChart& network = view.network();
        QCOMPARE(network.points().size(), std::size_t{1});
        QCOMPARE(network.points()[0].x, 4000.0);
        QCOMPARE(network.points()[0].y, 4000 / 4.5e-6);
        QCOMPARE(network.points()[0].low, 4000 / 8.5e-6);
        QCOMPARE(network.roofs()[0].flat, 1e9);
        QVERIFY(plainSpaces(network.points()[0].about).startsWith(QStringLiteral("grad of 4 kB\n888.9 MB/s of 1.0 GB/s, 88.9 %: bandwidth\n")));
        QSignalSpy tasks(&view, &RooflineView::taskChosen);
        view.network().setFocus();
        QTest::mouseClick(&view.network(), Qt::LeftButton, Qt::NoModifier, network.positionOf(network.points()[0].id).toPoint());
        QCOMPARE(tasks.count(), 1);
        QCOMPARE(tasks[0], (QList<QVariant>{0, 1})); // "grad 2".
        view.setTableShown(true);
        QCOMPARE(view.table().view()->model()->rowCount(), 1);
    }

    void R9_whereThereIsNothingThatIsSaid()
    {
        RooflineView view;
        showRoofs(view, nullptr);
        QCOMPARE(view.compute().accessibleDescription(), QStringLiteral("Nothing has run yet."));
        showRoofs(view, runText("fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 1 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MB}\nmodel: {name: ideal}\n"));
        QCOMPARE(view.compute().accessibleDescription(), QStringLiteral("No computation says its FLOP."));
        QCOMPARE(view.network().accessibleDescription(), QStringLiteral("There is no roof under ideal, which does not keep all traffic to the rates of the links; links and flow do."));
        view.setTableShown(true);
        QCOMPARE(view.table().view()->model()->rowCount(), 0);
    }
};

FABRICSCOPE_GUI_TEST(RooflineViewTest)
#include "tst_rooflineview.moc"
