// Lanes of a program over time, places of the tree of schedules, and what keys do in them.
#include "core/base/index.h"
#include "tests/unit/support/cases/tensorcase.h"
#include "tests/unit/support/testprogram.h"
#include "core/transform/timedschedule.h"
#include "widgets/transform/gainchart.h"
#include "widgets/transform/rewritechart.h"
#include "widgets/transform/scheduletree.h"

#include <QSignalSpy>
#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

const std::string kProduct = R"y(  sizes: {B: 1024, K: 1024, H: 1024}
  tensors:
    x: {shape: [B, K], layout: {sliced: 1}}
    k: {shape: [K, H], layout: sliced}
    r: {shape: [B, H]}
  stages:
    - {name: y, op: matmul, in: [x, k]}
    - {name: s, op: all_reduce, in: [y]}
    - {name: o, op: expr, expr: "s + r"}
  outputs: [o]
)y";

transform::TracedSchedule traced(const std::vector<std::string>& lines)
{
    transform::TransformFile file = transformCase(4, kProduct);
    file.timing.chunks = 8;
    transform::Schedule schedule;
    for (const std::string& line : lines)
        schedule.push_back(transform::parseStep(line).value());
    transform::ScheduleTimer timer(std::move(file));
    auto made = timer.trace(schedule);
    if (!made || made.value().refused)
        qFatal("the steps are refused");
    return std::move(made).value();
}

/// Parents of programs; times fall with the number.
transform::StepSearch searchOf(const std::vector<std::int64_t>& parents, std::size_t best)
{
    transform::StepSearch search;
    for (std::size_t i = 0; i < parents.size(); ++i)
        search.programs.push_back({parents[i], {transform::StepKind::Split, {"s" + std::to_string(i)}, {}}, {static_cast<std::int64_t>(1'000'000 * (i + 1))}, 0});
    search.best = best;
    return search;
}

class RewriteViewsTest : public QObject
{
    Q_OBJECT
private slots:
    void chunksOfAnOverlapAreDrawnOneByOne()
    {
        const transform::TracedSchedule made = traced({"split s", "overlap y s.rs"});
        const transform::TracedProgram& after = made.programs.back();
        const RewriteLanes lanes = lanesOf(after.program, after.times);
        QCOMPARE(lanes.lanes.size(), std::size_t{2});
        const auto chunksOf = [](const RewriteLane& lane, const QString& stage) {
            std::vector<LaneBar> bars;
            for (const LaneBar& bar : lane.bars) {
                if (bar.stage == stage)
                    bars.push_back(bar);
            }
            return bars;
        };
        const std::vector<LaneBar> product = chunksOf(lanes.lanes[0], QStringLiteral("y"));
        const std::vector<LaneBar> scatter = chunksOf(lanes.lanes[1], QStringLiteral("s.rs"));
        QCOMPARE(product.size(), std::size_t{8});
        QCOMPARE(scatter.size(), std::size_t{8});
        for (std::size_t i = 0; i < 8; ++i) {
            QVERIFY(scatter[i].begin >= product[i].end); // A chunk is sent once it is made ...
            QVERIFY(i == 0 || scatter[i].begin >= scatter[i - 1].end);
        }
        QVERIFY(scatter[0].begin < product[7].begin); // ... beside the next ones.
    }

    void exposedIsWhereNothingIsComputed()
    {
        // Product, all-reduce, addition one after the other: all of the all-reduce is exposed.
        const transform::TracedSchedule made = traced({});
        const RewriteLanes lanes = lanesOf(made.programs[0].program, made.programs[0].times);
        QCOMPARE(lanes.exposed.size(), std::size_t{1});
        QCOMPARE(lanes.exposed[0].begin.ps, lanes.lanes[1].bars[0].begin.ps);
        QCOMPARE(lanes.exposed[0].end.ps, lanes.lanes[1].bars[0].end.ps);
        QCOMPARE(lanes.lanes[1].exposed.size(), std::size_t{1});
        QCOMPARE(lanes.lanes[1].exposed[0].end.ps, lanes.lanes[1].bars[0].end.ps);
        QVERIFY(lanes.lanes[0].exposed.empty());
    }

    void parentsStandBesideTheMiddleOfTheirChildren()
    {
        //   0 - 1 - 3
        //       + - 4
        //   + - 2
        const TreePlaces places(searchOf({-1, 0, 0, 1, 1}, 4));
        QCOMPARE(places.boxes().size(), std::size_t{5});
        QCOMPARE(places.columns(), 3);
        QCOMPARE(places.rows(), 3);
        const auto row = [&](std::size_t program) { return places.boxes()[at(places.boxOf(program))].row; };
        QCOMPARE(row(4), 0.0); // The best way runs along the top.
        QCOMPARE(row(3), 1.0);
        QCOMPARE(row(1), 0.5);
        QCOMPARE(row(2), 2.0);
        QCOMPARE(row(0), 1.25);
        for (const std::size_t program : {std::size_t{0}, std::size_t{1}, std::size_t{4}})
            QVERIFY(places.boxes()[at(places.boxOf(program))].best);
    }

    void ofManyProgramsTheBestWayAndWhatLiesBesideIt()
    {
        // 0 has 1 and 2; the other 98 are below 2. The best is 1.
        std::vector<std::int64_t> parents{-1, 0, 0};
        while (parents.size() < 101)
            parents.push_back(2);
        const TreePlaces places(searchOf(parents, 1));
        QCOMPARE(places.boxes().size(), std::size_t{3});
        QCOMPARE(places.boxes()[at(places.boxOf(2))].hidden, std::size_t{98});
        QCOMPARE(places.boxOf(50), -1);
    }

    void X3_arrowsWalkTheTree()
    {
        ScheduleTree tree;
        tree.resize(600, 300);
        tree.setSearch(std::make_shared<const transform::StepSearch>(searchOf({-1, 0, 0, 1, 1}, 4)));
        tree.show();
        QVERIFY(QTest::qWaitForWindowExposed(&tree));
        tree.setFocus();
        const QSignalSpy chosen(&tree, &ScheduleTree::programChosen);
        const auto press = [&](Qt::Key key) {
            QTest::keyClick(&tree, key);
            return static_cast<int>(tree.places().boxes()[at(tree.current())].program);
        };
        QCOMPARE(press(Qt::Key_Right), 0);
        QCOMPARE(press(Qt::Key_Right), 1);
        QCOMPARE(press(Qt::Key_Right), 4);
        QCOMPARE(press(Qt::Key_Down), 3);
        QCOMPARE(press(Qt::Key_Left), 1);
        QCOMPARE(press(Qt::Key_Down), 2);
        QTest::keyClick(&tree, Qt::Key_Return);
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen.front().front().toInt(), 2);
    }

    void barsOfTheGainBeginWhereTheOneBeforeEnds()
    {
        GainChart gains;
        gains.resize(800, 240);
        gains.setSteps({100'000'000}, {{QStringLiteral("a"), {80'000'000}}, {QStringLiteral("b"), {90'000'000}}, {QStringLiteral("c"), {40'000'000}}});
        QCOMPARE(gains.rowCount(), 5);
        QCOMPARE(gains.axisBegin().ps, std::int64_t{0}); // 40 of 100: no broken axis.
        QCOMPARE(gains.sum().ps, std::int64_t{-60'000'000});
        const double unit = gains.barRect(0).width() / 100;
        QVERIFY(std::abs(gains.barRect(1).width() - 20 * unit) < 0.01 && std::abs(gains.barRect(2).width() - 10 * unit) < 0.01);
        QVERIFY(std::abs(gains.barRect(1).left() - gains.barRect(2).left()) < 0.01);
        QVERIFY(std::abs(gains.barRect(2).right() - gains.barRect(3).right()) < 0.01);
        QVERIFY(std::abs(gains.barRect(4).width() - 40 * unit) < 0.01);
        gains.setSteps({100'000'000}, {{QStringLiteral("a"), {95'000'000}}});
        QVERIFY(gains.axisBegin().ps > 80'000'000 && gains.axisBegin().ps < 95'000'000);
        gains.show();
        QVERIFY(QTest::qWaitForWindowExposed(&gains));
        const QSignalSpy chosen(&gains, &GainChart::stepChosen);
        QTest::keyClick(&gains, Qt::Key_Down);
        QCOMPARE(gains.current(), 0);
        QCOMPARE(chosen.size(), 1);
    }

    void X1_keysWalkThroughBothTimelines()
    {
        const transform::TracedSchedule made = traced({"split s", "overlap y s.rs"});
        RewriteChart chart;
        chart.resize(900, 400);
        const auto lanes = [&](std::size_t i) { return std::make_shared<const RewriteLanes>(lanesOf(made.programs[i].program, made.programs[i].times)); };
        chart.setLanes(lanes(0), lanes(2));
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        const QSignalSpy chosen(&chart, &RewriteChart::stageChosen);
        QTest::keyClick(&chart, Qt::Key_Right);
        QCOMPARE(chosen.back().front().toString(), QStringLiteral("y"));
        QTest::keyClick(&chart, Qt::Key_Right);
        QVERIFY(chart.footText().contains(QStringLiteral("y 2/8")));
        QTest::keyClick(&chart, Qt::Key_Down);
        QCOMPARE(chosen.back().front().toString(), QStringLiteral("s.rs"));
        QTest::keyClick(&chart, Qt::Key_Up);
        QTest::keyClick(&chart, Qt::Key_Up);
        QCOMPARE(chosen.back().front().toString(), QStringLiteral("s"));
        QVERIFY(chart.footText().startsWith(QStringLiteral("Before")));
    }
};

} // namespace

FABRICSCOPE_GUI_TEST(RewriteViewsTest)
#include "tst_rewriteviews.moc"
