#include "tests/gui/support/patience.h"
#include "tests/gui/support/withtheme.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/pictures.h"
#include "tests/gui/support/runresults.h"
#include "widgets/results/utilisationcharts.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QChartView>
#include <QStackedBarSeries>
#include <QValueAxis>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

QChart* dimensionChart(const UtilisationCharts& charts)
{
    return named<QChartView>(charts, "Busy share by dimension").chart();
}

QChart* classChart(const UtilisationCharts& charts)
{
    return named<QChartView>(charts, "Time by class of ranks").chart();
}

QStackedBarSeries* barsOf(const QChart* chart)
{
    return chart->series().size() == 1 ? qobject_cast<QStackedBarSeries*>(chart->series().constFirst()) : nullptr;
}

QStringList categoriesOf(const QChart* chart)
{
    return qobject_cast<QBarCategoryAxis*>(chart->axes(Qt::Horizontal).constFirst())->categories();
}

QBarSet* setNamed(const QStackedBarSeries* bars, const QString& name)
{
    for (QBarSet* set : bars->barSets())
        if (set->label() == name)
            return set;
    return nullptr;
}

RunResultPtr withClasses(int count)
{
    auto record = std::make_shared<RunRecord>();
    record->rankCount = count;
    record->finish = SimTime{std::int64_t{count} * 1'000'000'000};
    for (int c = 0; c < count; ++c) {
        RankClass& entry = record->classes.emplace_back();
        entry.ranks = RankSet::single(c);
        entry.times.finish = SimTime{std::int64_t{c + 1} * 1'000'000'000};
        entry.times.compute = SimTime{500'000'000};
    }
    auto workload = std::make_shared<Workload>();
    workload->rankCount = count;
    workload->families.push_back(GroupFamily::world(count));
    workload->graphs.push_back(std::make_shared<RankGraph>());
    PlatformSpec spec;
    spec.dimensions = {testDimension(Shape::Switch, count, 50)};
    return resultOf({record, workload}, spec);
}

} // namespace

class UtilisationChartsTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void busySharesEqualTheRecord()
    {
        const RunResultPtr result = runExample("two-level-hgx.yaml");
        UtilisationCharts charts;
        charts.setResult(result);

        const RunRecord& record = result->record();
        QStackedBarSeries* bars = barsOf(dimensionChart(charts));
        QVERIFY(bars);
        QCOMPARE(bars->count(), static_cast<int>(record.dimensions.size()));
        QVERIFY(bars->count() >= 2);
        for (std::size_t d = 0; d < record.dimensions.size(); ++d) {
            const DimensionUse& use = record.dimensions[d];
            QBarSet* set = setNamed(bars, QStringLiteral("D%1").arg(d));
            QVERIFY(set);
            for (int category = 0; category < bars->count(); ++category) {
                const double expected = static_cast<double>(use.busyPs) / (static_cast<double>(use.links) * static_cast<double>(record.finish.ps)) * 100;
                QCOMPARE(set->at(category), category == static_cast<int>(d) ? expected : 0.0);
            }
        }
    }

    void timesOfClassesAddUpToTheRun()
    {
        const RunResultPtr result = runText(kTwoRanks);
        UtilisationCharts charts;
        charts.setResult(result);

        QStackedBarSeries* bars = barsOf(classChart(charts));
        QCOMPARE(categoriesOf(classChart(charts)), (QStringList{QStringLiteral("0"), QStringLiteral("1")}));
        // In µs: rank 0 computes 100 of 292, rank 1 250.
        QCOMPARE(setNamed(bars, QStringLiteral("Compute"))->at(0), 100.0);
        QCOMPARE(setNamed(bars, QStringLiteral("Compute"))->at(1), 250.0);
        QCOMPARE(setNamed(bars, QStringLiteral("Exposed communication"))->at(0), 191.0);
        QCOMPARE(setNamed(bars, QStringLiteral("Exposed communication"))->at(1), 42.0);
        QCOMPARE(setNamed(bars, QStringLiteral("Memory"))->at(0), 0.0);
        QCOMPARE(setNamed(bars, QStringLiteral("Waiting or idle"))->at(0), 1.0); // done at 291
        QCOMPARE(setNamed(bars, QStringLiteral("Waiting or idle"))->at(1), 0.0);
    }

    void ranksThatFinishEarlyAreIdleToTheEnd()
    {
        const RunResultPtr result = withClasses(4);
        UtilisationCharts charts;
        charts.setResult(result);
        QStackedBarSeries* bars = barsOf(classChart(charts));
        for (int c = 0; c < 4; ++c) { // in ms, of 4
            QCOMPARE(setNamed(bars, QStringLiteral("Compute"))->at(c), 0.5);
            QCOMPARE(setNamed(bars, QStringLiteral("Waiting or idle"))->at(c), 3.5);
        }
    }

    void ofManyClassesTheSlowestAreShown()
    {
        const RunResultPtr result = withClasses(200);
        UtilisationCharts charts;
        charts.setResult(result);
        const QStringList categories = categoriesOf(classChart(charts));
        QCOMPARE(categories.size(), UtilisationCharts::kMostCategories);
        QCOMPARE(categories.first(), QStringLiteral("72")); // 200 - 128
        QCOMPARE(categories.last(), QStringLiteral("199"));
    }

    void R2_manyPartsAreDrawnAFewTimesASecondAndNothingPilesUp()
    {
        const RunResultPtr result = runExample("pipeline.yaml");
        UtilisationCharts charts;
        charts.resize(680, 188);
        charts.show();
        charts.setResult(result);
        const QObject* first = barsOf(classChart(charts));
        const auto objects = classChart(charts)->findChildren<QObject*>().size();
        for (int i = 0; i < 50; ++i)
            charts.setResult(result);
        QCOMPARE(static_cast<const QObject*>(barsOf(classChart(charts))), first); // the pause is not over
        const RunResultPtr last = runText(kTwoRanks);
        charts.setResult(last);
        QTRY_COMPARE(categoriesOf(classChart(charts)).size(), 2); // the last one is drawn in the end
        for (int round = 0; round < 8; ++round)
            const test::WithTheme themed(Theme(round % 2 == 0 ? Theme::Mode::Dark : Theme::Mode::Light));
        QCOMPARE(classChart(charts)->series().size(), 1);
        QCOMPARE(classChart(charts)->axes().size(), 2);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QVERIFY(classChart(charts)->findChildren<QObject*>().size() <= objects);
    }

    void anEmptyChartHasNoBars()
    {
        UtilisationCharts charts;
        charts.setResult({});
        QCOMPARE(barsOf(dimensionChart(charts))->count(), 0);
        QCOMPARE(categoriesOf(classChart(charts)).size(), 0);
    }

    void A3_colorsAreThoseOfTheTheme()
    {
        UtilisationCharts charts;
        charts.setResult(runText(kTwoRanks));
        for (const auto mode : {Theme::Mode::Dark, Theme::Mode::Light}) {
            const Theme theme(mode);
            const test::WithTheme themed(theme);
            QCOMPARE(classChart(charts)->backgroundBrush().color(), theme.color(Role::View));
            QCOMPARE(setNamed(barsOf(classChart(charts)), QStringLiteral("Compute"))->brush().color(), theme.activity(Activity::Compute));
            QCOMPARE(setNamed(barsOf(dimensionChart(charts)), QStringLiteral("D0"))->brush().color(), theme.dimension(0));
            QVERIFY(qobject_cast<QValueAxis*>(classChart(charts)->axes(Qt::Vertical).constFirst())->tickCount() <= 6);
        }
    }

    void A5_chartsSayTheirValues()
    {
        UtilisationCharts charts;
        charts.setResult(runText(kTwoRanks));
        const auto views = charts.findChildren<QChartView*>();
        QCOMPARE(views.size(), 2);
        for (const QChartView* view : views)
            QVERIFY(!view->accessibleName().isEmpty());
        QStringList texts;
        for (const QChartView* view : views)
            texts.append(view->accessibleDescription());
        QVERIFY(texts.join(QLatin1Char(' ')).contains(QStringLiteral("Compute 100.000")));
        QVERIFY(texts.join(QLatin1Char(' ')).contains(QStringLiteral("D0: D0 ")));
    }

    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        QDir().mkpath(folder);
        for (const double base : {13.0, 19.5})
            for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
                const Theme theme(mode, base);
                const test::WithTheme themed(theme);
                for (const QSize size : {QSize(680, 188), QSize(1760, 260), QSize(320, 420)}) {
                    UtilisationCharts charts;
                    charts.resize(size);
                    charts.show();
                    charts.setResult(runExample("pipeline.yaml"));
                    QCoreApplication::processEvents();
                    charts.grab().save(QStringLiteral("%1/charts_%2_%3_%4.png").arg(folder, theme.isDark() ? QStringLiteral("dark") : QStringLiteral("light")).arg(base).arg(size.width()));
                }
            }
    }
};

FABRICSCOPE_GUI_TEST(UtilisationChartsTest)
#include "tst_utilisationcharts.moc"
