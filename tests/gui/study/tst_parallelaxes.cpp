// Designs of a study as lines over axes side by side: places, brush, order, colours, keys, and the picture of many.
#include "core/base/index.h"
#include "core/study/spacerun.h"
#include "tests/gui/support/variantsstage.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/tablemodel.h"
#include "widgets/base/valuerows.h"
#include "widgets/results/table.h"
#include "widgets/study/parallelchart.h"
#include "widgets/study/parallelpicture.h"
#include "widgets/study/tradeoffchart.h"

#include <QComboBox>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace fabricscope;
using namespace fabricscope::test;

class ParallelAxesTest : public QObject, protected VariantsStage
{
    Q_OBJECT
private slots:
    void init() { begin(); }
    void cleanup() { m_page.reset(); }

    void V4_valuesStandWhereTheyBelong()
    {
        const VariantAxis axis{QStringLiteral("rate"), Measure::Count, std::nullopt, 0};
        // Few values are evenly spread, whatever they are.
        const VariantColumn few(axis, {2, 0, 1}, {1, 2, 100}, {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
        QCOMPARE(few.value(0), 100.0);
        QVERIFY(std::abs(few.partOf(1) - 1.0 / 6) < 1e-12 && std::abs(few.partOf(2) - 0.5) < 1e-12 && std::abs(few.partOf(100) - 5.0 / 6) < 1e-12);
        QVERIFY(std::abs(few.partOf(51) - 4.0 / 6) < 1e-12); // Half way from 2 to 100.
        // To scale up to fifty times, from there on by powers.
        const VariantColumn linear(axis, {1, 50, 20});
        QVERIFY(std::abs(linear.partOf(20) - 19.0 / 49) < 1e-12);
        const VariantColumn powers(axis, {1, std::numeric_limits<double>::quiet_NaN(), 100});
        QVERIFY(std::abs(powers.partOf(10) - 0.5) < 1e-12);
        for (const VariantColumn* column : {&few, &linear, &powers}) {
            for (const double part : {0.0, 0.1, 0.5, 0.77, 1.0})
                QVERIFY(std::abs(column->partOf(column->valueAt(part)) - part) < 1e-9);
        }
        const VariantColumn same(axis, std::vector<double>{7, 7});
        QCOMPARE(same.partOf(7), 0.5);
    }

    void V4_designsAreLinesOverParametersAndObjectives()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(runAll());
        ParallelChart& chart = *m_page->parallel();
        QVERIFY(chart.isVisible());
        QStringList names;
        for (const VariantAxis& axis : chart.axes())
            names.append(axis.name);
        QCOMPARE(names, (QStringList{QStringLiteral("ranks"), QStringLiteral("rate"), QStringLiteral("Step time"), QStringLiteral("NPUs")}));
        // The larger rate is above; the shortest of all steps below, to scale.
        QVERIFY(chart.positionOf(1, 1).y() < chart.positionOf(1, 0).y());
        const double perPs = (chart.positionOf(2, 1).y() - chart.positionOf(2, 4).y()) / (closedForm(4) - closedForm(1));
        QVERIFY(perPs > 0);
        QVERIFY(std::abs((chart.positionOf(2, 1).y() - chart.positionOf(2, 2).y()) / perPs / (closedForm(2) - closedForm(1)) - 1) < 0.01);
        QVERIFY2(chart.accessibleDescription().startsWith(QStringLiteral("4 axes, 6 designs; axis 1 of 4: ranks from 2 to 16")), qPrintable(chart.accessibleDescription()));
        // The pointer chooses the design whose line it is on, in all views.
        QTest::mouseClick(&chart, Qt::LeftButton, {}, ((chart.positionOf(2, 5) + chart.positionOf(3, 5)) / 2).toPoint());
        QCOMPARE(m_page->selected(), qint64{5});
        QCOMPARE(m_page->table()->selectedId(), qint64{5});
        QCOMPARE(m_page->chart()->current(), qint64{5});
        m_page->table()->selectId(3);
        m_page->select(3);
        QCOMPARE(chart.current(), qint64{3});
    }

    void V4_anIntervalOfAnAxisFiltersAllViews()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(runAll());
        m_page->choice()->setCurrentIndex(1);
        ParallelChart& chart = *m_page->parallel();
        // Rates above the middle: one of two.
        const QRectF rate = chart.axisArea(1);
        drag(chart, {rate.center().x(), rate.top() + 2}, {rate.center().x(), rate.center().y() - 6});
        QCOMPARE(idsOfTable(), (std::vector<qint64>{1, 3, 5}));
        QCOMPARE(m_page->choice()->tabText(1), QStringLiteral("Brushed 3"));
        QCOMPARE(m_page->brushed()->rows().size(), std::size_t{1});
        QCOMPARE(m_page->brushed()->rows()[0].value, QStringLiteral("100 GB/s"));
        // And steps that are not the shortest.
        const QRectF step = chart.axisArea(2);
        const double between = (chart.positionOf(2, 3).y() + chart.positionOf(2, 5).y()) / 2;
        drag(chart, {step.center().x(), step.top()}, {step.center().x(), between});
        QCOMPARE(idsOfTable(), (std::vector<qint64>{5}));
        // Over the points it is a brush of one side, and one drawn there is one of two axes here.
        QVERIFY(m_page->chart()->brush() && std::isinf(m_page->chart()->brush()->right));
        QTest::mouseClick(&chart, Qt::LeftButton, {}, QPoint(static_cast<int>(rate.center().x()), static_cast<int>(rate.bottom()) - 3));
        QCOMPARE(idsOfTable(), (std::vector<qint64>{0, 2, 4, 5}));
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Escape);
        QVERIFY(m_page->brush().isEmpty() && !m_page->chart()->brush());
        QCOMPARE(idsOfTable().size(), std::size_t{6});
        TradeoffChart& points = *m_page->chart();
        drag(points, points.positionOf(3) - QPointF(20, 20), points.positionOf(3) + QPointF(20, 20));
        QCOMPARE(idsOfTable(), (std::vector<qint64>{3}));
        QVERIFY(chart.brush().of(chart.axes()[2]) && chart.brush().of(chart.axes()[3]));
    }

    void V4_theKeyboardAloneSuffices()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(runAll());
        m_page->choice()->setCurrentIndex(1);
        ParallelChart& chart = *m_page->parallel();
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Right);
        QTest::keyClick(&chart, Qt::Key_Right);
        QCOMPARE(chart.currentAxis(), std::size_t{2});
        // From the shortest step to the longest: of these designs each quick one is ahead of the slow one of its size.
        std::vector<qint64> order{0, 1, 2, 3, 4, 5};
        std::sort(order.begin(), order.end(), [](qint64 a, qint64 b) { return closedForm(at(a)) < closedForm(at(b)); });
        QTest::keyClick(&chart, Qt::Key_End);
        for (const qint64 expected : order) {
            QCOMPARE(m_page->selected(), expected);
            QTest::keyClick(&chart, Qt::Key_Up);
        }
        QCOMPARE(m_page->selected(), order.back());
        QTest::keyClick(&chart, Qt::Key_Home);
        QCOMPARE(m_page->selected(), order.back());
        QTest::keyClick(&chart, Qt::Key_Down);
        QCOMPARE(m_page->selected(), order[4]);
        // An interval around it grows until it has all.
        const double range = closedForm(at(order[5])) - closedForm(at(order[0]));
        for (int step = 0; step < 25; ++step) {
            QTest::keyClick(&chart, Qt::Key_Up, Qt::ShiftModifier);
            const double wide = (0.025 + 0.05 * step) * range + 1;
            std::vector<qint64> expected;
            for (const qint64 id : {0, 1, 2, 3, 4, 5}) {
                if (std::abs(closedForm(at(id)) - closedForm(at(order[4]))) <= wide)
                    expected.push_back(id);
            }
            QCOMPARE(idsOfTable(), expected);
        }
        QTest::keyClick(&chart, Qt::Key_Escape);
        QVERIFY(m_page->brush().isEmpty());
        const QSignalSpy opened(m_page.get(), &VariantsPage::designWanted);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(opened.size(), 1);
    }

    void V4_axesAreMovedTurnedOverAndTakenAway()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(runAll());
        ParallelChart& chart = *m_page->parallel();
        const auto names = [&] {
            QStringList all;
            for (const VariantAxis& axis : chart.axes())
                all.append(axis.name);
            return all.join(QLatin1Char(' '));
        };
        drag(chart, chart.nameArea(2).center(), chart.nameArea(0).center());
        QCOMPARE(names(), QStringLiteral("Step time ranks rate NPUs"));
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(names(), QStringLiteral("ranks Step time rate NPUs"));
        const double before = chart.positionOf(1, 1).y();
        QTest::mouseDClick(&chart, Qt::LeftButton, {}, chart.nameArea(1).center().toPoint());
        QVERIFY(chart.isInverted(chart.axes()[1]));
        const QRectF area = chart.axisArea(1);
        QVERIFY(std::abs(chart.positionOf(1, 1).y() - (area.top() + area.bottom() - before)) < 1e-6);
        QTest::keyClick(&chart, Qt::Key_I);
        QVERIFY(!chart.isInverted(chart.axes()[1]));
        QTest::keyClick(&chart, Qt::Key_Delete);
        QCOMPARE(names(), QStringLiteral("ranks rate NPUs"));
    }

    /// Against all lines one by one: nothing is painted beside them, and nothing of them is missing.
    void V4_thePictureOfManyHasTheirLines()
    {
        const VariantAxis axis{QStringLiteral("x"), Measure::Count, std::nullopt, 0};
        std::mt19937 random(7);
        auto table = std::make_shared<StudyTable>();
        std::vector<double> left;
        std::vector<double> right;
        for (int i = 0; i < 600; ++i) {
            table->rows.push_back({i, StudyTableRow::State::Done, {}, {}, {}});
            left.push_back((i % 2 == 0 ? 0.0 : 0.8) + 0.01 * static_cast<double>(random() % 20));
            right.push_back(left.back());
        }
        left[0] = right[0] = 0;
        left[1] = right[1] = 1;
        std::vector<char> inside(600, 0);
        for (std::size_t i = 0; i < 600; i += 2)
            inside[i] = 1; // Those below.
        ParallelLines lines;
        lines.columns = std::make_shared<const VariantColumns>(table, std::vector<VariantColumn>{VariantColumn(axis, left), VariantColumn(axis, right)}, 2);
        lines.sides = {{0, false, 10}, {1, true, 110}};
        lines.inside = std::make_shared<const std::vector<char>>(inside);
        lines.top = 20;
        lines.height = 160;
        lines.size = {120, 200};
        const QImage picture = parallelPicture(lines);
        const QColor view = lines.theme.color(Role::View);
        const auto isPainted = [&](int x, int y) { return picture.pixel(x, y) != view.rgb(); };
        for (int x = 10; x < 110; ++x) {
            std::vector<double> nearest(200, 1000);
            for (std::size_t i = 0; i < 600; ++i) {
                const double from = 20 + 160 * (1 - left[i]);
                const double here = from + (20 + 160 * right[i] - from) * (x - 10) / 100.0;
                bool found = false;
                // A bin is 2 px, and a steep line goes through 1.6 px in a column.
                for (int y = static_cast<int>(here) - 3; y <= static_cast<int>(here) + 3; ++y)
                    found = found || isPainted(x, y);
                QVERIFY2(found, qPrintable(QStringLiteral("line %1 lacks column %2").arg(i).arg(x)));
                for (int y = 0; y < 200; ++y)
                    nearest[at(y)] = std::min(nearest[at(y)], std::abs(here - y));
            }
            for (int y = 0; y < 200; ++y)
                QVERIFY2(!isPainted(x, y) || nearest[at(y)] <= 3.5, qPrintable(QStringLiteral("%1,%2 is %3 from a line").arg(x).arg(y).arg(nearest[at(y)])));
        }
        // What is brushed is above, and coloured by a column where that is asked for.
        QVERIFY(qBlue(picture.pixel(15, 160)) > qRed(picture.pixel(15, 160)) + 20);
        lines.colour = 0;
        const QRgb hot = parallelPicture(lines).pixel(15, 160);
        QVERIFY(hot != picture.pixel(15, 160));
        QCOMPARE(parallelPicture(lines), parallelPicture(lines));
    }

    /// Where there is no room for both, lines stand in the place of points.
    void V4_linesAreShownAndHidden()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(m_page->axesButton()->isChecked() && m_page->parallel()->isVisible() && m_page->chart()->isVisible());
        m_page->resize(900, 560);
        QTRY_VERIFY(!m_page->parallel()->isVisible() && m_page->chart()->isVisible());
        m_page->axesButton()->click();
        QTRY_VERIFY(m_page->parallel()->isVisible() && !m_page->chart()->isVisible());
        QVERIFY(m_page->parallel()->hasFocus());
        m_page->axesButton()->click();
        QTRY_VERIFY(!m_page->parallel()->isVisible() && m_page->chart()->isVisible());
        QVERIFY(m_page->chart()->hasFocus());
    }

    void V4_whatIsBrushedIsColouredByAnObjective()
    {
        QVERIFY(openText(kSwitches));
        QVERIFY(runAll());
        ParallelChart& chart = *m_page->parallel();
        m_page->select(-1);
        const QPoint between = ((chart.positionOf(2, 2) + chart.positionOf(3, 2)) / 2).toPoint(); // Not on the front.
        const QRgb one = chart.grab().toImage().pixel(between);
        m_page->colour()->setCurrentIndex(m_page->colour()->findText(QStringLiteral("Step time")));
        QVERIFY(chart.grab().toImage().pixel(between) != one);
    }

private:
    static void drag(QWidget& widget, const QPointF& from, const QPointF& to)
    {
        QTest::mousePress(&widget, Qt::LeftButton, {}, from.toPoint());
        QTest::mouseMove(&widget, ((from + to) / 2).toPoint());
        QTest::mouseMove(&widget, to.toPoint());
        QTest::mouseRelease(&widget, Qt::LeftButton, {}, to.toPoint());
    }
    std::vector<qint64> idsOfTable() const
    {
        std::vector<qint64> ids;
        const auto* const model = m_page->table()->view()->model();
        for (int row = 0; row < model->rowCount(); ++row)
            ids.push_back(model->index(row, 0).data(TableModel::IdRole).toLongLong());
        std::sort(ids.begin(), ids.end());
        return ids;
    }
};

FABRICSCOPE_GUI_TEST(ParallelAxesTest)
#include "tst_parallelaxes.moc"
