// Charts over time: what they paint, column by column, and where a click and the keys go.
#include "tests/gui/support/patience.h"
#include "tests/gui/support/pictures.h"
#include "tests/gui/support/runresults.h"
#include "tests/gui/support/withtheme.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/results/timecharts.h"

#include <QtTest>

#include <QComboBox>
#include <QSignalSpy>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using fabricscope::test::kLongMs;
constexpr std::int64_t kUs = 1'000'000;

/// On show with a run, and done.
void show(TimeCharts& charts, const RunResultPtr& result)
{
    charts.resize(900, 220);
    charts.setResult(result);
    charts.show();
    QVERIFY(QTest::qWaitForWindowExposed(&charts));
    QTRY_VERIFY_WITH_TIMEOUT(!charts.isWorking(), kLongMs);
}

const TimeShares::Part& partNamed(const ShareChart& chart, const char* name)
{
    for (const TimeShares::Part& part : chart.shares().parts)
        if (part.name == name)
            return part;
    throw std::runtime_error(name);
}

double meanOf(const TimeShares::Part& part)
{
    double sum = 0;
    for (const double share : part.shares)
        sum += share;
    return sum / static_cast<double>(part.shares.size());
}

QPoint placeOf(const ShareChart& chart, double share)
{
    const QRectF plot = chart.plot();
    return QPointF(plot.left() + plot.width() * share, plot.center().y()).toPoint();
}

} // namespace

class TimeChartsTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    /// 292 us; rank 0 computes 100 and ends at 291, rank 1 computes 250 (runresults.h).
    void R8_sharesAreThoseOfTheRun()
    {
        TimeCharts charts;
        show(charts, runText(kTwoRanks));
        QVERIFY(std::abs(meanOf(partNamed(charts.ranks(), "Compute")) - 350.0 / 2 / 292) < 1e-6);
        QVERIFY(std::abs(meanOf(partNamed(charts.ranks(), "Exposed communication")) - (191.0 + 42.0) / 2 / 292) < 1e-6);
        charts.classChoice()->setCurrentIndex(2);
        QTRY_VERIFY_WITH_TIMEOUT(!charts.isWorking(), kLongMs);
        QVERIFY(std::abs(meanOf(partNamed(charts.ranks(), "Compute")) - 250.0 / 292) < 1e-6);
        // Four messages of 20 us.
        const RunRecord& record = runText(kTwoRanks)->record();
        const auto links = static_cast<double>(record.dimensions.front().links);
        QVERIFY(std::abs(meanOf(charts.links().shares().parts.front()) - 80.0 / 292 / links) < 0.002);
    }

    /// In the middle of every column that is one kind alone, what is painted has its colour; above it there is the ground.
    void R8_columnsArePaintedOneOnTheOther()
    {
        TimeCharts charts;
        show(charts, runExample("two-level-hgx.yaml"));
        for (ShareChart* chart : {&charts.links(), &charts.ranks()}) {
            const TimeShares& shares = chart->shares();
            QVERIFY(shares.parts.size() >= 2);
            QTest::mouseMove(chart, QPoint(1, 1)); // No mark.
            const QImage picture = chart->grab().toImage();
            const QRectF plot = chart->plot();
            int seen = 0;
            for (std::size_t column = 0; column < shares.columns; ++column) {
                const double x = plot.left() + plot.width() * (static_cast<double>(column) + 0.5) / static_cast<double>(shares.columns);
                double sum = 0;
                for (std::size_t part = 0; part < shares.parts.size(); ++part) {
                    const double low = chart->heightOf(sum);
                    sum += shares.parts[part].shares[column];
                    const double high = chart->heightOf(sum);
                    if (high - low < 4)
                        continue;
                    ++seen;
                    const QPoint at(static_cast<int>(x), static_cast<int>(plot.bottom() - (low + high) / 2));
                    QVERIFY2(picture.pixelColor(at) == chart->colorOf(part), qPrintable(QStringLiteral("column %1, part %2").arg(column).arg(part)));
                }
            }
            QVERIFY(seen > 20);
        }
    }

    void R8_aClickGoesToItsTime()
    {
        TimeCharts charts;
        show(charts, runText(kTwoRanks));
        QSignalSpy activated(&charts, &TimeCharts::timeActivated);
        for (ShareChart* chart : {&charts.links(), &charts.ranks()}) {
            activated.clear();
            QTest::mouseClick(chart, Qt::LeftButton, Qt::NoModifier, placeOf(*chart, 0.75));
            QCOMPARE(activated.size(), 1);
            QVERIFY(std::abs(activated.front().front().toLongLong() - 219 * kUs) < 3 * kUs); // Of 292; a column is 1.14.
            QVERIFY2(chart->reading().startsWith(QStringLiteral("21")), qPrintable(chart->reading()));
            // Beside the columns nothing happens.
            QTest::mouseClick(chart, Qt::LeftButton, Qt::NoModifier, QPoint(2, chart->height() / 2));
            QCOMPARE(activated.size(), 1);
        }
    }

    void R8_keysWalkTheColumns()
    {
        TimeCharts charts;
        show(charts, runText(kTwoRanks));
        ShareChart& chart = charts.ranks();
        QSignalSpy activated(&charts, &TimeCharts::timeActivated);
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(activated.size(), 0); // No mark yet.
        QTest::keyClick(&chart, Qt::Key_Right);
        QTest::keyClick(&chart, Qt::Key_Right);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(activated.takeFirst().front().toLongLong(), chart.shares().timeOf(1));
        QVERIFY(!chart.reading().isEmpty());
        QCOMPARE(chart.accessibleDescription(), chart.reading());
        QTest::keyClick(&chart, Qt::Key_End);
        QTest::keyClick(&chart, Qt::Key_Right);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(activated.takeFirst().front().toLongLong(), chart.shares().timeOf(TimeCharts::kColumns - 1));
        QTest::keyClick(&chart, Qt::Key_Home);
        QTest::keyClick(&chart, Qt::Key_Left);
        QVERIFY2(chart.reading().contains(QStringLiteral("Compute 100.0")), qPrintable(chart.reading()));
    }

    /// Where nobody looks nothing is worked out; without a run, and where links are not followed, it says so.
    void withoutARunItSaysSo()
    {
        TimeCharts charts;
        charts.setResult(runText(kTwoRanks));
        QVERIFY(!charts.isWorking() && charts.ranks().shares().parts.empty());
        show(charts, nullptr);
        for (ShareChart* chart : {&charts.links(), &charts.ranks()}) {
            QVERIFY(chart->shares().parts.empty());
            QCOMPARE(chart->accessibleDescription(), QStringLiteral("Nothing has run yet."));
            QSignalSpy activated(chart, &ShareChart::timeActivated);
            QTest::mouseClick(chart, Qt::LeftButton, Qt::NoModifier, placeOf(*chart, 0.5));
            QTest::keyClick(chart, Qt::Key_Right);
            QTest::keyClick(chart, Qt::Key_Return);
            QVERIFY(activated.isEmpty());
        }
        QVERIFY(!charts.classChoice()->isEnabled());
    }

    void theClassChosenStaysWithTheNextRun()
    {
        TimeCharts charts;
        show(charts, runText(kTwoRanks));
        charts.classChoice()->setCurrentIndex(2);
        const QString chosen = charts.classChoice()->currentText();
        charts.setResult(runText(kTwoRanks));
        QCOMPARE(charts.classChoice()->currentText(), chosen);
        QTRY_VERIFY_WITH_TIMEOUT(!charts.isWorking(), kLongMs);
        QVERIFY(std::abs(meanOf(partNamed(charts.ranks(), "Compute")) - 250.0 / 292) < 1e-6);
        charts.setResult(runExample("two-level-hgx.yaml")); // None of its classes is rank 1 alone.
        QCOMPARE(charts.classChoice()->currentIndex(), 0);
        charts.setResult(runText(kTwoRanks));
        QCOMPARE(charts.classChoice()->currentText(), chosen);
        charts.classChoice()->setCurrentIndex(0);
        charts.setResult(runText(kTwoRanks));
        QCOMPARE(charts.classChoice()->currentIndex(), 0);
    }

    /// Links of a graph belong to no dimension.
    void linksOfAGraphHaveTheirName()
    {
        TimeCharts charts;
        show(charts, runText("fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}]\n  links: [{between: [a, b], bandwidth: 50 GB/s, latency: 1 us}]\n"
                             "workload: {collective: all_reduce, size: 2 MB}\n"));
        QTest::keyClick(&charts.links(), Qt::Key_Right);
        QVERIFY2(charts.links().reading().contains(QStringLiteral("links ")), qPrintable(charts.links().reading()));
    }

    /// Up to the end of the clock, some 106 days.
    void theLongestRunIsDrawn()
    {
        TimeShares shares;
        shares.endPs = 9'000'000'000'000'000'000;
        shares.columns = 3;
        shares.parts.push_back({"Compute", -1, Activity::Compute, {0.25, 0.5, 1}});
        ShareChart chart(QStringLiteral("Ranks over time"));
        chart.resize(600, 200);
        chart.setShares(std::move(shares), {});
        QVERIFY(chart.grab().toImage().pixelColor(QPointF(chart.plot().right() - 5, chart.plot().center().y()).toPoint()) == chart.colorOf(0));
        // The mark goes with the parts.
        QTest::keyClick(&chart, Qt::Key_Right);
        QVERIFY(!chart.reading().isEmpty());
        chart.setShares({}, QStringLiteral("nothing"));
        QVERIFY(chart.reading().isEmpty());
        QCOMPARE(chart.accessibleDescription(), QStringLiteral("nothing"));
    }
};

FABRICSCOPE_GUI_TEST(TimeChartsTest)
#include "tst_timecharts.moc"
