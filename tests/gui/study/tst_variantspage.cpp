// The page of a study: what is shown, run, stopped and kept; points, their table and the one selection.
#include "core/base/index.h"
#include "core/study/spacerun.h"
#include "core/study/tabletext.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/variantsstage.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/tablemodel.h"
#include "widgets/base/valuerows.h"
#include "widgets/results/table.h"
#include "widgets/start/cards.h"
#include "widgets/study/effectschart.h"
#include "widgets/study/tradeoffchart.h"
#include "widgets/study/variantspage.h"
#include "widgets/study/variantsstart.h"
#include "widgets/study/varianttables.h"

#include <QComboBox>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <vector>

using namespace fabricscope;
using namespace fabricscope::test;

class VariantsPageTest : public QObject, protected VariantsStage
{
    Q_OBJECT
private slots:
    void init() { begin(); }
    void cleanup() { m_page.reset(); }

    void V1_aStudyIsShownBeforeItRuns()
    {
        QVERIFY(openText(kSwitches));
        QCOMPARE(m_page->countText(), QStringLiteral("8 designs"));
        QCOMPARE(m_page->parameters()->rows().size(), std::size_t{2});
        QCOMPARE(m_page->parameters()->rows()[0].value, QStringLiteral("2, 4, 8, 16"));
        QCOMPARE(m_page->parameters()->rows()[1].extra, QStringLiteral("2"));
        QVERIFY2(m_page->rateText().startsWith(QStringLiteral("about ")), qPrintable(m_page->rateText()));
        QCOMPARE(m_page->runner()->table()->count(StudyTableRow::State::Open), static_cast<std::int64_t>(kDesigns));
        // Nothing is written before it is run.
        QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("study.sqlite"))));
    }

    void V1_itsDesignsRunBesideTheWindowAndAreKept()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(runAll());
        const StudyTable& table = *m_page->runner()->table();
        QCOMPARE(table.rows.size(), kDesigns);
        for (std::size_t i = 0; i < kDesigns; ++i) {
            const bool feasible = kRanks[i / 2] <= 8;
            QCOMPARE(table.rows[i].state, feasible ? StudyTableRow::State::Done : StudyTableRow::State::Infeasible);
            if (feasible)
                QVERIFY(isClose(table.rows[i].figures[PointFigure::StepTime].value_or(0), closedForm(i)));
        }
        // The faster one of each size.
        QCOMPARE(table.front, (std::vector<std::size_t>{1, 3, 5}));
        QCOMPARE(m_page->countText(), QStringLiteral("8 of 8 designs"));
        QVERIFY(!m_page->runButton()->isEnabled());
        QCOMPARE(m_page->stateLine(), QStringLiteral("6 done, 2 infeasible, 0 failed"));
        // As the command finds them: the same rows in the same file.
        const auto space = readStudy(m_folder->filePath(QStringLiteral("study.yaml")).toStdString(), {});
        QVERIFY(space);
        const auto store = RunStore::open(m_folder->filePath(QStringLiteral("study.sqlite")).toStdString(), RunStore::Access::Read);
        QVERIFY(store);
        PointRunner runner(space.value(), kTestVersion);
        const auto kept = tableOf(space.value(), runner, store.value(), 1, {});
        QVERIFY(kept);
        QCOMPARE(tableCsv(space.value(), kept.value()), tableCsv(space.value(), table));
        // Opened again nothing is left to run.
        makePage();
        QVERIFY(open());
        QCOMPARE(m_page->runner()->table()->front, (std::vector<std::size_t>{1, 3, 5}));
        QVERIFY(!m_page->runButton()->isEnabled());
    }

    void V1_whatIsDoneWhenItIsStoppedDoesNotRunAgain()
    {
        QByteArray text(kSwitches);
        text.replace("values: [50 GB/s, 100 GB/s]", "range: [50 GB/s, 100 GB/s], points: 500");
        QVERIFY(openText(text));
        VariantRunner& runner = *m_page->runner();
        std::int64_t ran = 0;
        connect(&runner, &VariantRunner::progressed, this, [&](const VariantMoment& moment) {
            ran = moment.ran;
            if (ran > 0 && runner.isRunning())
                runner.stop();
        });
        const QSignalSpy ended(&runner, &VariantRunner::ended);
        m_page->runButton()->click();
        QVERIFY(runner.isRunning());
        QCOMPARE(m_page->runButton()->text(), QStringLiteral("Pause"));
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 60'000);
        const std::int64_t all = static_cast<std::int64_t>(runner.table()->rows.size());
        QCOMPARE(all, std::int64_t{2000});
        const std::int64_t left = runner.table()->count(StudyTableRow::State::Open);
        QVERIFY(left > 0 && left < all);
        QCOMPARE(m_page->runButton()->text(), QStringLiteral("Go on"));
        QCOMPARE(ended.front().front().toBool(), true);
        runner.disconnect(this);
        std::int64_t later = 0;
        connect(&runner, &VariantRunner::progressed, this, [&](const VariantMoment& moment) { later = moment.ran; });
        QVERIFY(runAll());
        QCOMPARE(later, left);
        QCOMPARE(m_page->runButton()->text(), QStringLiteral("Run"));
        QCOMPARE(runner.table()->count(StudyTableRow::State::Open), std::int64_t{0});
    }

    void V1_whatIsWrongWithAFileIsSaidAndTheOpenOneStays()
    {
        QVERIFY(openText(kSwitches));
        QByteArray wrong(kSwitches);
        wrong.replace("dimensions.0.size", "dimensions.0.sise");
        write(QStringLiteral("wrong.yaml"), wrong);
        const QSignalSpy failed(m_page.get(), &VariantsPage::failed);
        m_page->openFile(m_folder->filePath(QStringLiteral("wrong.yaml")));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 30'000);
        QVERIFY2(m_page->problemText().contains(QStringLiteral("wrong.yaml:9")), qPrintable(m_page->problemText()));
        QVERIFY(m_page->runner()->study()->file.endsWith(QStringLiteral("study.yaml")));
    }

    void V2_whatTheAccuracyDoesNotTellApartIsMarked()
    {
        // Rings of 4 and 8 take 2 x 3/4 and 2 x 7/8 of the bytes: a sixth apart, less than 20 %. Those of 2 take 2 x 1/2, a half less.
        QByteArray text(kSwitches);
        text.replace("  parameters:", "    accuracy: {error: 20, source: a log}\n  parameters:");
        QVERIFY(openText(text));
        QVERIFY(runAll());
        TradeoffChart& chart = *m_page->chart();
        const auto alike = [&] {
            std::vector<qint64> numbers;
            for (const TradeoffChart::Point& point : chart.points()) {
                if (chart.isAlike(point))
                    numbers.push_back(point.id);
            }
            return numbers;
        };
        const auto said = [&] { return m_page->figures()->rows().back(); };
        QVERIFY(alike().empty()); // Nothing is chosen.
        const auto choose = [&](qint64 number) { emit chart.chosen(number); };
        choose(3); // 4 NPUs at 100 GB/s, as 8 of the same; 2 at 50 GB/s take 2 x 1/2 x 2.
        QCOMPARE(alike(), (std::vector<qint64>{5}));
        QCOMPARE(said().label, QStringLiteral("Not distinguishable"));
        QVERIFY2(said().value.startsWith(QStringLiteral("1 other by step time, 20")), qPrintable(said().value));
        choose(5); // 2 at 50 GB/s take an eighth longer, 4 at 100 GB/s a seventh less.
        QCOMPARE(alike(), (std::vector<qint64>{0, 3}));
        choose(1);
        QVERIFY(alike().empty());
        QVERIFY2(said().value.startsWith(QStringLiteral("0 others by step time")), qPrintable(said().value));
        // NPUs are exact: a difference in them is one.
        m_page->yAxis()->setCurrentText(m_page->xAxis()->currentText());
        choose(3);
        QVERIFY(alike().empty());
        // Nobody measured: nothing is marked, and nothing said.
        QVERIFY(openText(kSwitches));
        QVERIFY(runAll());
        choose(3);
        QVERIFY(alike().empty());
        QVERIFY(said().label != QStringLiteral("Not distinguishable"));
    }

    void V2_pointsAndTheirFrontAreSeen()
    {
        QVERIFY(openText(kSwitches));
        TradeoffChart& chart = *m_page->chart();
        QVERIFY(chart.points().empty());
        QVERIFY(runAll());
        QCOMPARE(m_page->yAxis()->currentText(), QStringLiteral("Step time"));
        QCOMPARE(m_page->xAxis()->currentText(), QStringLiteral("NPUs"));
        // Those that the constraint rules out never ran: they have no time.
        QCOMPARE(chart.points().size(), std::size_t{6});
        QCOMPARE(frontOfChart(), (std::vector<std::int64_t>{1, 3, 5}));
        // More NPUs are to the right, longer steps above.
        for (const std::size_t slow : {std::size_t{0}, std::size_t{2}, std::size_t{4}}) {
            const QPointF a = chart.positionOf(static_cast<qint64>(slow));
            const QPointF b = chart.positionOf(static_cast<qint64>(slow + 1));
            QVERIFY(std::abs(a.x() - b.x()) < 1e-6 && a.y() < b.y());
        }
        QVERIFY(chart.positionOf(1).x() < chart.positionOf(3).x() && chart.positionOf(3).x() < chart.positionOf(5).x());
        // With as many NPUs as that the step takes at least so long: steps that rise where a point is passed.
        const QPolygonF line = chart.frontLine();
        QCOMPARE(line.size(), 5);
        QCOMPARE(line[1], QPointF(line[0].x(), line[2].y()));
        // To scale: the linear axis of time.
        const double perPs = (chart.positionOf(0).y() - chart.positionOf(1).y()) / (closedForm(0) - closedForm(1));
        QVERIFY(std::abs((chart.positionOf(4).y() - chart.positionOf(1).y()) / perPs / (closedForm(4) - closedForm(1)) - 1) < 0.01);
        // A parameter has no better end: no front.
        m_page->xAxis()->setCurrentIndex(m_page->xAxis()->findText(QStringLiteral("rate")));
        QVERIFY(frontOfChart().empty());
        QCOMPARE(chart.points().size(), std::size_t{6});
        QCOMPARE(chart.points().front().x, 50e9);
    }

    void V2_aPointIsHoveredAndChosenAndTheTableFollows()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(runAll());
        TradeoffChart& chart = *m_page->chart();
        m_page->choice()->setCurrentIndex(0);
        QCOMPARE(m_page->table()->view()->model()->rowCount(), 3);
        QTest::mouseMove(&chart, chart.positionOf(3).toPoint());
        QCOMPARE(chart.hovered(), qint64{3});
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.positionOf(3).toPoint());
        QCOMPARE(m_page->selected(), qint64{3});
        QCOMPARE(m_page->table()->selectedId(), qint64{3});
        QVERIFY(chart.accessibleDescription().contains(QStringLiteral("on the front")));
        // One that is not in the table of the front.
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.positionOf(2).toPoint());
        QCOMPARE(m_page->selected(), qint64{2});
        QCOMPARE(m_page->table()->view()->model()->rowCount(), 6);
        QCOMPARE(m_page->table()->selectedId(), qint64{2});
        const auto& rows = m_page->figures()->rows();
        QVERIFY(std::any_of(rows.begin(), rows.end(), [](const ValueRow& row) { return row.label == QStringLiteral("rate") && row.value == QStringLiteral("50 GB/s"); }));
    }

    void V2_theKeyboardAloneSuffices()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(runAll());
        TradeoffChart& chart = *m_page->chart();
        m_page->choice()->setCurrentIndex(1);
        chart.setFocus();
        for (const auto& [key, modifiers, expected] : {std::tuple(Qt::Key_Right, Qt::NoModifier, qint64{1}), {Qt::Key_Right, Qt::NoModifier, qint64{3}}, {Qt::Key_End, Qt::NoModifier, qint64{5}}, {Qt::Key_Right, Qt::NoModifier, qint64{5}}, {Qt::Key_Left, Qt::NoModifier, qint64{3}},
                                                       // All points, by NPUs and then by time: 1 0 3 2 5 4.
                                                       {Qt::Key_Right, Qt::ControlModifier, qint64{2}}, {Qt::Key_Left, Qt::NoModifier, qint64{3}}, {Qt::Key_Home, Qt::NoModifier, qint64{1}}, {Qt::Key_Right, Qt::ControlModifier, qint64{0}}, {Qt::Key_Right, Qt::NoModifier, qint64{3}}}) {
            QTest::keyClick(&chart, key, modifiers);
            QCOMPARE(m_page->selected(), expected);
            QCOMPARE(m_page->table()->selectedId(), expected);
        }
        // And the other way.
        QTableView& view = *m_page->table()->view();
        m_page->table()->sortBy(1, Qt::AscendingOrder);
        view.setFocus();
        view.setCurrentIndex(view.model()->index(0, 0));
        const auto shortest = std::min_element(chart.points().begin(), chart.points().end(), [](const auto& a, const auto& b) { return a.y < b.y; });
        QCOMPARE(m_page->selected(), shortest->id);
        QCOMPARE(chart.current(), shortest->id);
        QTest::keyClick(&view, Qt::Key_Down);
        QVERIFY(m_page->selected() != shortest->id);
        QCOMPARE(chart.current(), m_page->selected());
    }

    void V2_theTableIsFilteredAndSorted()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(runAll());
        ResultTable& table = *m_page->table();
        m_page->choice()->setCurrentIndex(2);
        QCOMPARE(table.view()->model()->rowCount(), 8);
        table.setFilter(QStringLiteral("infeasible"));
        QCOMPARE(table.view()->model()->rowCount(), 2);
        table.setFilter({});
        table.sortBy(1, Qt::DescendingOrder);
        std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
        std::sort(order.begin(), order.end(), [](std::size_t a, std::size_t b) { return closedForm(a) > closedForm(b); });
        for (int row = 0; row < 6; ++row)
            QCOMPARE(table.view()->model()->index(row, 0).data(TableModel::IdRole).toLongLong(), static_cast<qint64>(order[at(row)]));
    }

    /// Of designs that are done: with 2 (n - 1) / n x 16 MiB / rate the mean over three sizes and two rates, each from the closed form.
    void V2_meansOfEachValueAreSeen()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(m_page->effects()->effects().empty());
        QVERIFY(runAll());
        const std::vector<MainEffect>& effects = m_page->effects()->effects();
        QCOMPARE(effects.size(), std::size_t{2});
        // Twice the rate is further apart than 3 or 7 eighths of the bytes over those of two.
        const auto mean = [](const std::vector<std::size_t>& numbers) {
            double sum = 0;
            for (const std::size_t number : numbers)
                sum += closedForm(number) / static_cast<double>(numbers.size());
            return sum;
        };
        const std::vector<double> ofRanks{mean({0, 1}), mean({2, 3}), mean({4, 5})};
        const std::vector<double> ofRate{mean({0, 2, 4}), mean({1, 3, 5})};
        QCOMPARE(effects[0].parameter, ofRanks[2] - ofRanks[0] > ofRate[0] - ofRate[1] ? std::size_t{0} : std::size_t{1});
        for (const MainEffect& effect : effects) {
            const std::vector<double>& expected = effect.parameter == 0 ? ofRanks : ofRate; // The size of 16 is ruled out.
            QCOMPARE(effect.values.size(), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i)
                QVERIFY(isClose(effect.values[i].mean, expected[i]));
        }
        // To scale, more to the right.
        const std::size_t rate = effects[0].parameter == 1 ? 0 : 1;
        QVERIFY(m_page->effects()->positionOf(rate, 0).x() > m_page->effects()->positionOf(rate, 1).x());
        QVERIFY(m_page->effects()->accessibleDescription().contains(QStringLiteral("of 50 GB/s")));
        // Another figure upwards.
        m_page->yAxis()->setCurrentIndex(m_page->yAxis()->findText(QStringLiteral("NPUs")));
        QCOMPARE(m_page->effects()->effects()[0].values[0].mean, 2.0);
    }

    /// Only what is inside of the brush is in the table; drawn with the mouse, or grown by keys; Escape takes it away.
    void V2_aBrushFiltersTheTable()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(runAll());
        TradeoffChart& chart = *m_page->chart();
        const auto rows = [&] { return m_page->table()->view()->model()->rowCount(); };
        m_page->choice()->setCurrentIndex(1);
        QCOMPARE(rows(), 6);
        // Two and four NPUs: from left of the first and above the slowest to right of those with four and below the quickest.
        const double middle = (chart.positionOf(3).x() + chart.positionOf(5).x()) / 2;
        const QPoint from(static_cast<int>(chart.positionOf(1).x()) - 8, static_cast<int>(chart.positionOf(2).y()) - 30);
        const QPoint to(static_cast<int>(middle), static_cast<int>(chart.positionOf(1).y()) + 8);
        QTest::mousePress(&chart, Qt::LeftButton, {}, from);
        QTest::mouseMove(&chart, (from + to) / 2);
        QTest::mouseMove(&chart, to);
        QTest::mouseRelease(&chart, Qt::LeftButton, {}, to);
        QVERIFY(chart.brush());
        QCOMPARE(rows(), 4);
        QCOMPARE(m_page->choice()->tabText(0), QStringLiteral("Front in the brush 2"));
        QCOMPARE(m_page->choice()->tabText(1), QStringLiteral("Brushed 4"));
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Escape);
        QVERIFY(!chart.brush());
        QCOMPARE(rows(), 6);
        QCOMPARE(m_page->choice()->tabText(1), QStringLiteral("Done 6"));
        // By keys: around the chosen point, and on until all are inside.
        QTest::keyClick(&chart, Qt::Key_Home);
        for (int step = 0; step < 25; ++step) {
            QTest::keyClick(&chart, Qt::Key_Right, Qt::ShiftModifier);
            QTest::keyClick(&chart, Qt::Key_Up, Qt::ShiftModifier);
            const auto inside = std::count_if(chart.points().begin(), chart.points().end(), [&](const auto& point) { return chart.brush()->holds(point.x, point.y); });
            QCOMPARE(rows(), static_cast<int>(inside));
            QVERIFY(inside >= 1);
        }
        QCOMPARE(rows(), 6);
        // Another axis has other values.
        m_page->xAxis()->setCurrentIndex(m_page->xAxis()->findText(QStringLiteral("rate")));
        QVERIFY(!chart.brush());
    }

    /// Its rows come as it asks for them; what it decided on is kept, and the front is that of the grid.
    void V1_aSearchRunsAndGoesOn()
    {
        const QByteArray search = QByteArray(kSwitches) + "  sampling: {search: nsga2, budget: 8}\n";
        QVERIFY(openText(search));
        QVERIFY(m_page->runner()->table()->rows.empty());
        QVERIFY(m_page->runButton()->isEnabled());
        QVERIFY(runAll());
        const auto numbers = [this] {
            std::vector<std::int64_t> out;
            for (const std::size_t row : m_page->runner()->table()->front)
                out.push_back(m_page->runner()->table()->rows[row].number);
            return out;
        };
        QCOMPARE(numbers(), (std::vector<std::int64_t>{1, 3, 5}));
        QCOMPARE(m_page->runner()->table()->rows.size(), kDesigns);
        QVERIFY(!m_page->runButton()->isEnabled());
        QCOMPARE(m_page->rateText(), QStringLiteral("the search has ended"));
        m_page->select(5);
        QCOMPARE(m_page->selected(), qint64{5});
        makePage();
        QVERIFY(open());
        QCOMPARE(numbers(), (std::vector<std::int64_t>{1, 3, 5}));
        QVERIFY(!m_page->runButton()->isEnabled());
    }

    void V1_withoutAStudyThoseOfTheProgramAreOffered()
    {
        QVERIFY(!shippedStudies().empty());
        const QSignalSpy chosen(m_page.get(), &VariantsPage::exampleChosen);
        m_page->start()->findChild<StartRow*>(QStringLiteral("rail-bandwidth.yaml"))->click();
        QCOMPARE(chosen.size(), 1);
        QVERIFY(openText(chosen.front().front().toString().toUtf8()));
        QCOMPARE(m_page->countText(), QStringLiteral("24 designs"));
    }

private:
    std::vector<std::int64_t> frontOfChart() const
    {
        std::vector<std::int64_t> ids;
        for (const TradeoffChart::Point& point : m_page->chart()->points()) {
            if (point.front)
                ids.push_back(point.id);
        }
        return ids;
    }
};

FABRICSCOPE_GUI_TEST(VariantsPageTest)
#include "tst_variantspage.moc"
