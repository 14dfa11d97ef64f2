#include "tests/gui/support/withtheme.h"
#include "core/base/index.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/pictures.h"
#include "tests/gui/support/runresults.h"
#include "tests/gui/support/smallrun.h"
#include "widgets/base/collapsible.h"
#include "widgets/base/partsbar.h"
#include "widgets/base/valuerows.h"
#include "widgets/results/diagnosis.h"
#include "widgets/results/inspector.h"
#include "widgets/results/section.h"
#include "widgets/timeline/view.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QGraphicsEffect>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

const QString kThin(QChar(0x202F));
const QString kMicro = QString::fromUtf8("µs");

QString withUnit(const char* number, const QString& unit)
{
    return QString::fromUtf8(number) + kThin + unit;
}

QString valueOf(const std::vector<ValueRow>& rows, const QString& label)
{
    for (const ValueRow& row : rows)
        if (row.label == label)
            return row.value;
    return QStringLiteral("no row ") + label;
}

/// "1 234.567" as 1234567.
std::int64_t thousandths(QString text)
{
    text.remove(QChar(0x202F));
    const bool fraction = text.contains(QLatin1Char('.'));
    return text.remove(QLatin1Char('.')).toLongLong() * (fraction ? 1 : 1000);
}

/// The values of all rows but the last add up to the last.
bool addsUp(const std::vector<ValueRow>& rows)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i)
        sum += thousandths(rows[i].value);
    return !rows.empty() && sum == thousandths(rows.back().value);
}

RunResultPtr smallResult()
{
    PlatformSpec spec;
    spec.dimensions = {testDimension(Shape::Ring, 4, 50)};
    return resultOf(smallRun(), spec);
}

RunResultPtr twoRanks(const QString& slow)
{
    return runText(QString::fromUtf8(kTwoRanks).replace(QStringLiteral("250 us"), slow).toStdString());
}

/// The same result with another record.
RunResultPtr changed(const RunResultPtr& result, const std::function<void(RunRecord&)>& change)
{
    auto copy = std::make_shared<RunResult>(*result);
    auto record = std::make_shared<RunRecord>(result->record());
    change(*record);
    copy->summary.record = record;
    return copy;
}

} // namespace

class InspectorTest : public QObject
{
    Q_OBJECT

    RunResultPtr m_two = runText(kTwoRanks);
    std::unique_ptr<Inspector> m_inspector;

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        AppTheme::global().set(Theme());
    }

    void init()
    {
        m_inspector = std::make_unique<Inspector>();
        m_inspector->resize(320, 700);
        m_inspector->show();
    }

    void anEmptyInspectorSaysThatNothingHasRun()
    {
        QVERIFY(tagged<QLabel>(*m_inspector, "headline").text().contains(QStringLiteral("Nothing has run yet")));
        QVERIFY(!tagged<QLabel>(*m_inspector, "status").isVisible());
        m_inspector->showLink(0);
        QVERIFY(!m_inspector->selection().has_value());
    }

    void headlineAndPartsAreThoseOfTheRun()
    {
        m_inspector->setResult(m_two);

        QCOMPARE(tagged<QLabel>(*m_inspector, "headline").accessibleName(), withUnit("292.000", kMicro) + QStringLiteral(" one training step"));
        QCOMPARE(tagged<QLabel>(*m_inspector, "status").text(), QStringLiteral("Complete"));
        // Rank 1 is the last: 250 us of compute, then 42 us of all-reduce.
        const std::vector<ValueRow>& rows = tagged<ValueRows>(part<ResultSection>(*m_inspector), "parts").rows();
        QCOMPARE(rows[0].label, QStringLiteral("Compute"));
        QCOMPARE(rows[0].value, QStringLiteral("250.000"));
        QCOMPARE(rows[0].extra, withUnit("85.6", QStringLiteral("%")));
        QCOMPARE(rows[1].label, QStringLiteral("All-reduce, exposed"));
        QCOMPARE(rows[1].value, QStringLiteral("42.000"));
        QVERIFY(rows[1].hatched);
        const std::vector<PartsBar::Part>& bar = part<PartsBar>(part<ResultSection>(*m_inspector)).parts();
        QCOMPARE(bar.size(), std::size_t{2});
        QCOMPARE(bar[0].amount + bar[1].amount, 292'000'000);
    }

    void aSingleCollectiveIsCalledByItsName()
    {
        m_inspector->setResult(runText(kOddLink));
        QVERIFY(tagged<QLabel>(*m_inspector, "headline").accessibleName().endsWith(QStringLiteral("one all-reduce")));
    }

    void shownPartsAddUpToTheShownHeadline()
    {
        for (const char* name : {"pipeline.yaml", "two-level-hgx.yaml", "memory-pool.yaml", "slow-link.yaml"}) {
            const RunResultPtr result = runExample(name);
            m_inspector->setResult(result);
            const ResultParts parts = resultParts(result->record(), *result->scenario->structure->workload, slowestClass(result->record()));
            std::int64_t exact = 0;
            std::int64_t shown = 0;
            for (std::size_t i = 0; i < parts.parts.size(); ++i) {
                exact += parts.parts[i].ps;
                shown += thousandths(tagged<ValueRows>(part<ResultSection>(*m_inspector), "parts").rows()[i].value);
            }
            QCOMPARE(exact, result->record().finish.ps);
            const QString headline = tagged<QLabel>(*m_inspector, "headline").accessibleName();
            QCOMPARE(shown, thousandths(headline.left(headline.lastIndexOf(QRegularExpression(QStringLiteral("[0-9]"))) + 1)));
        }
    }

    void theChangeIsSaidAbsoluteThenRelativeAndSinceWhat()
    {
        // 250 us to 200 us: 292 us to 242 us, -50 us, -17.1 %.
        m_inspector->setResult(twoRanks(QStringLiteral("200 us")), m_two, QStringLiteral("since compute was 250 us"));
        QLabel* chip = &tagged<QLabel>(*m_inspector, "delta");
        QCOMPARE(chip->text(), QString::fromUtf8("▼ ") + withUnit("50.000", kMicro) + QString::fromUtf8(" (−17.1") + kThin + QStringLiteral("%)"));
        QCOMPARE(chip->property("chip").toString(), QStringLiteral("ok"));
        QCOMPARE(tagged<QLabel>(*m_inspector, "since").text(), QStringLiteral("since compute was 250 us"));

        m_inspector->setResult(m_two, twoRanks(QStringLiteral("200 us")), {});
        QVERIFY(chip->text().startsWith(QString::fromUtf8("▲ ")));
        QVERIFY(chip->text().contains(QStringLiteral("+20.7"))); // 50 / 242
        QCOMPARE(chip->property("chip").toString(), QStringLiteral("err"));

        m_inspector->setResult(m_two, m_two, {});
        QCOMPARE(chip->text(), QStringLiteral("No change"));
        m_inspector->setResult(m_two);
        QVERIFY(!chip->isVisible());
    }

    void R2_partialResultsAreMarked()
    {
        m_inspector->setResult(changed(m_two, [](RunRecord& record) {
            record.cutAt = SimTime{4'200'000'000};
            record.complete = false;
        }));
        QCOMPARE(tagged<QLabel>(*m_inspector, "status").text(), QStringLiteral("Partial to ") + withUnit("4.2", QStringLiteral("ms")));
        m_inspector->setUpdating(true);
        QCOMPARE(tagged<QLabel>(*m_inspector, "status").text(), QStringLiteral("Updating"));
        QVERIFY(part<ResultSection>(*m_inspector).graphicsEffect()->isEnabled());
        m_inspector->setUpdating(false);
        QVERIFY(!part<ResultSection>(*m_inspector).graphicsEffect()->isEnabled());
    }

    void aStuckRunNamesTheRing()
    {
        m_inspector->setResult(changed(m_two, [](RunRecord& record) {
            record.complete = false;
            record.waits = {{4, 0, "SEND 'a'", "rank 7 has not received", {7}}, {7, 0, "SEND 'b'", "rank 4 has not received", {4}}};
        }));
        QCOMPARE(tagged<QLabel>(*m_inspector, "status").text(), QStringLiteral("Stuck"));
        QVERIFY(m_inspector->finding().has_value());
        QCOMPARE(m_inspector->finding()->title, QStringLiteral("The run cannot finish"));
        QVERIFY(m_inspector->finding()->text.startsWith(QStringLiteral("Rank 4 and rank 7 wait for each other.")));
    }

    void theRingOfWaitsLeavesOutWhoOnlyHangsOnIt()
    {
        RunRecord record;
        record.waits = {{9, 0, "", "", {2}}, {2, 0, "", "", {5}}, {5, 0, "", "", {3}}, {3, 0, "", "", {2}}};
        QVERIFY((waitRing(record) == std::vector<std::int32_t>{2, 5, 3}));
        record.waits = {{9, 0, "", "", {2}}, {2, 0, "", "", {}}};
        QVERIFY((waitRing(record) == std::vector<std::int32_t>{9, 2}));
        record.waits.clear();
        QVERIFY(waitRing(record).empty());
    }

    void aSlowLinkIsFoundAndItsUsualRateOffered()
    {
        const RunResultPtr result = runText(kOddLink);
        m_inspector->setResult(result);

        QVERIFY(m_inspector->finding().has_value());
        const Finding& finding = *m_inspector->finding();
        QCOMPARE(finding.title, QStringLiteral("One slow link sets the finish"));
        QCOMPARE(finding.tryField, QStringLiteral("platform.overrides.links.0.bandwidth"));
        QCOMPARE(finding.tryValue, QStringLiteral("50 GB/s"));
        QCOMPARE(result->scenario->structure->platform.linkName(finding.link), std::string("d0 2>3"));
        // Busy 6 * 80 us; its equals, the other 3 + links, 6 * 20 us. The - links are never busy and no equals.
        const double finish = static_cast<double>(result->record().finish.ps);
        QVERIFY(finding.text.contains(QString::number(480e6 / finish * 100, 'f', 1)));
        QVERIFY(finding.text.contains(QString::number(120e6 / finish * 100, 'f', 1)));

        QSignalSpy tried(m_inspector.get(), &Inspector::tryEdit);
        QSignalSpy shown(m_inspector.get(), &Inspector::selectLink);
        for (QPushButton* button : m_inspector->findChildren<QPushButton*>())
            if (button->isVisible())
                QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(tried.count(), 1);
        QCOMPARE(tried.at(0).at(1).toString(), QStringLiteral("50 GB/s"));
        QCOMPARE(shown.count(), 1);
        QCOMPARE(shown.at(0).at(0).toLongLong(), finding.link);
    }

    void aSlowRankIsFoundAmongThoseWithTheSameTasks()
    {
        const RunResultPtr result = runText(R"(fabricscope: 1
platform:
  dimensions:
    - {shape: ring, size: 8, bandwidth: 50 GB/s, latency: 1 us}
  npu: {peak: 1 TFLOP/s}
  overrides:
    npus:
      - {npu: 3, speed: 0.5}
workload:
  steps:
    - {compute: 1 ms, name: work}
    - {collective: all_reduce, size: 1 MB, name: sum, after: work}
)");
        const std::optional<Finding> finding = diagnose(*result);
        QVERIFY(finding.has_value());
        QCOMPARE(finding->title, QStringLiteral("Rank 3 is slower than the others"));
        QVERIFY(finding->text.contains(withUnit("2.000", QStringLiteral("ms"))));
        QVERIFY(finding->text.contains(withUnit("1.000", QStringLiteral("ms"))));
        QVERIFY(finding->text.contains(QStringLiteral("+") + withUnit("100.0", QStringLiteral("%"))));
    }

    void exposedCommunicationIsFoundByItsShare()
    {
        // With 50 us for rank 1, rank 0 is the last: 100 us of compute, 42 of 142 us are exposed. With 250 us, 42 of 292 us.
        const RunResultPtr result = twoRanks(QStringLiteral("50 us"));
        const std::optional<Finding> finding = diagnose(*result);
        QVERIFY(finding.has_value());
        QCOMPARE(finding->title, QStringLiteral("Communication is exposed: ") + withUnit("30", QStringLiteral("%")) + QStringLiteral(" of the step"));
        QVERIFY(!diagnose(*m_two).has_value());
        m_inspector->setResult(result);
        QVERIFY(m_inspector->finding().has_value());
        m_inspector->setResult(smallResult()); // exposed communication is not in the made-up record
        QVERIFY(!m_inspector->finding().has_value());
    }

    void T6_aClickOnTheTimelineShowsTheIntervalHere()
    {
        const RunResultPtr result = smallResult();
        m_inspector->setResult(result);
        TimelineView view;
        view.resize(188 + 12 + 1000, 300); // 1 us per pixel
        view.setSource(result->timeline);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        connect(&view, &TimelineView::selectionChanged, m_inspector.get(), [&] {
            if (view.selection()) {
                const TimelineTrack& track = result->timeline->tracks()[view.selection()->track];
                m_inspector->showEvent(result->timeline->event(view.selection()->track, view.selection()->index), track.rankClass,
                                       result->timeline->interval(view.selection()->track, view.selection()->index).task);
            }
        });
        const auto clickTrack = [&](TimelineTrack::Kind kind, int us) {
            for (std::size_t track = 0; track < result->timeline->tracks().size(); ++track)
                if (result->timeline->tracks()[track].kind == kind)
                    QTest::mouseClick(view.viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(188 + us, static_cast<int>(view.trackRect(track).center().y())));
        };

        clickTrack(TimelineTrack::Kind::PointToPoint, 310);
        const std::vector<ValueRow>& rows = tagged<ValueRows>(*m_inspector, "selection").rows();
        QCOMPARE(m_inspector->selection()->title, QStringLiteral("activations"));
        QCOMPARE(valueOf(rows, QStringLiteral("Kind")), QStringLiteral("Send"));
        QCOMPARE(valueOf(rows, QStringLiteral("Start")), withUnit("300.000", kMicro));
        QCOMPARE(valueOf(rows, QStringLiteral("Duration")), withUnit("20.000", kMicro));
        QCOMPARE(valueOf(rows, QStringLiteral("Bytes")), withUnit("1.0", QStringLiteral("MB")));
        QCOMPARE(valueOf(rows, QStringLiteral("Peer")), QStringLiteral("Rank 3"));
        QCOMPARE(valueOf(rows, QStringLiteral("Step")), QStringLiteral("1 of 1"));

        clickTrack(TimelineTrack::Kind::Collective, 120);
        QCOMPARE(m_inspector->selection()->title, QStringLiteral("gradients"));
        QCOMPARE(valueOf(rows, QStringLiteral("Operation")), QStringLiteral("all_reduce"));
        QCOMPARE(valueOf(rows, QStringLiteral("Start")), withUnit("100.000", kMicro));
        QCOMPARE(valueOf(rows, QStringLiteral("Bytes")), withUnit("8.0", QStringLiteral("MB")));
        QVERIFY(m_inspector->selection()->subtitle.contains(QString::fromUtf8("Ranks 0–3")));

        m_inspector->clearSelection();
        QVERIFY(!tagged<ValueRows>(*m_inspector, "selection").isVisible());
    }

    void T6_whyOfACollectiveAddsUpExactly()
    {
        m_inspector->setResult(m_two);
        const TimelineSource& source = *m_two->timeline;
        for (std::size_t track = 0; track < source.tracks().size(); ++track) {
            if (source.tracks()[track].kind != TimelineTrack::Kind::Collective)
                continue;
            m_inspector->showEvent(source.event(track, 0), source.tracks()[track].rankClass, source.interval(track, 0).task);
            const SelectionDetails& shown = *m_inspector->selection();
            const bool first = m_two->record().classes[at(source.tracks()[track].rankClass)].ranks.contains(0);
            QCOMPARE(shown.whyTitle, QStringLiteral("Why ") + withUnit(first ? "191.000" : "42.000", kMicro));
            QCOMPARE(shown.whyUnit, kMicro);
            QCOMPARE(shown.why.front().value, first ? QStringLiteral("150.000") : QStringLiteral("0.000"));
            QCOMPARE(valueOf(shown.why, QStringLiteral("Transfer")), first ? QStringLiteral("41.000") : QStringLiteral("42.000"));
            QVERIFY(addsUp(tagged<ValueRows>(*m_inspector, "why").rows()));
            QCOMPARE(shown.instance, 0);
            QVERIFY(shown.subtitle.contains(QStringLiteral("Ring on D0, 1 chunk")));
        }
        QSignalSpy stepped(m_inspector.get(), &Inspector::stepThrough);
        for (QPushButton* button : m_inspector->findChildren<QPushButton*>())
            if (button->isVisible() && button->text() == QStringLiteral("Step through"))
                QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(stepped.count(), 1);
        QCOMPARE(stepped.at(0).at(0).toInt(), 0);
    }

    void T6_anIntervalIsFoundByItsTimesAlone()
    {
        m_inspector->setResult(m_two);
        const TimelineSource& source = *m_two->timeline;
        for (std::size_t track = 0; track < source.tracks().size(); ++track)
            if (source.tracks()[track].kind == TimelineTrack::Kind::Collective && m_two->record().classes[at(source.tracks()[track].rankClass)].ranks.contains(0))
                m_inspector->showEvent(source.event(track, 0));
        QCOMPARE(m_inspector->selection()->rank, 0);
        QCOMPARE(m_inspector->selection()->why.front().value, QStringLiteral("150.000"));
    }

    void everyCollectiveOfTheExamplesAddsUp()
    {
        for (const char* name : {"pipeline.yaml", "two-level-hgx.yaml"}) {
            const RunResultPtr result = runExample(name);
            const TimelineSource& source = *result->timeline;
            int seen = 0;
            for (std::size_t track = 0; track < source.tracks().size(); ++track) {
                if (source.tracks()[track].kind != TimelineTrack::Kind::Collective)
                    continue;
                for (std::int32_t i = 0; i < std::min(source.intervalCount(track), 20); ++i, ++seen) {
                    const TimelineEvent event = source.event(track, i);
                    const SelectionDetails details = eventDetailsOf(*result, event, source.tracks()[track].rankClass, source.interval(track, i).task);
                    QVERIFY(addsUp(details.why));
                    std::int64_t scale = 1;
                    for (const auto& [unit, ps] : {std::pair{QStringLiteral("ms"), 1'000'000LL}, std::pair{kMicro, 1'000LL}, std::pair{QStringLiteral("ns"), 1LL}})
                        if (details.whyUnit == unit)
                            scale = ps;
                    QCOMPARE(thousandths(details.why.back().value) * scale, (event.end - event.issue).ps);
                }
            }
            QVERIFY(seen > 4);
        }
    }

    void exactRowsTakeTheUnitThatShowsEveryDigit()
    {
        QCOMPARE(exactRows({{QStringLiteral("a"), 2'000'000'000}, {QStringLiteral("b"), 500'000'000}}, QStringLiteral("s")).unit, QStringLiteral("ms"));
        const ExactRows micro = exactRows({{QStringLiteral("a"), 2'000'000'000}, {QStringLiteral("b"), 543'205'000}}, QStringLiteral("s"));
        QCOMPARE(micro.unit, kMicro);
        QCOMPARE(micro.rows.back().value, QStringLiteral("2") + kThin + QStringLiteral("543.205"));
        const ExactRows nano = exactRows({{QStringLiteral("a"), 2'000'000'000}, {QStringLiteral("b"), 1}}, QStringLiteral("s"));
        QCOMPARE(nano.unit, QStringLiteral("ns"));
        QCOMPARE(nano.rows.back().value, QStringLiteral("2") + kThin + QStringLiteral("000") + kThin + QStringLiteral("000.001"));
        QCOMPARE(exactRows({{QStringLiteral("a"), 7}}, QStringLiteral("s")).unit, QStringLiteral("ps"));
    }

    void T7_aRangeShowsItsSumsHere()
    {
        const RunResultPtr result = smallResult();
        m_inspector->setResult(result);
        TimelineView view;
        view.resize(188 + 12 + 1000, 300);
        view.setSource(result->timeline);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        connect(&view, &TimelineView::rangeSelected, m_inspector.get(), &Inspector::showRange);

        QTest::mousePress(view.viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(188 + 50, 10));
        QMouseEvent move(QEvent::MouseMove, QPointF(188 + 310, 10), view.viewport()->mapToGlobal(QPointF(188 + 310, 10)), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(view.viewport(), &move);
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(188 + 310, 10));

        // [50, 310) us: 200 us compute, 8 MB in 50 us and half of 1 MB in 10 us; 8.5 MB / 260 us = 32.7 GB/s.
        const std::vector<ValueRow>& rows = tagged<ValueRows>(*m_inspector, "selection").rows();
        QCOMPARE(valueOf(rows, QStringLiteral("Duration")), withUnit("260.000", kMicro));
        QCOMPARE(valueOf(rows, QStringLiteral("Bytes")), withUnit("8.5", QStringLiteral("MB")));
        QCOMPARE(valueOf(rows, QStringLiteral("Mean bandwidth")), withUnit("32.7", QStringLiteral("GB/s")));
        QCOMPARE(valueOf(rows, QStringLiteral("Compute")), withUnit("76.9", QStringLiteral("%")));
        QCOMPARE(valueOf(rows, QStringLiteral("All-reduce")), withUnit("19.2", QStringLiteral("%")));
        QCOMPARE(valueOf(rows, QStringLiteral("Send and receive")), withUnit("3.8", QStringLiteral("%")));
    }

    void linksNpusAndDimensionsTellTheirFigures()
    {
        const RunResultPtr result = runText(kOddLink);
        m_inspector->setResult(result);
        const std::vector<ValueRow>& rows = tagged<ValueRows>(*m_inspector, "selection").rows();

        m_inspector->showLink(result->record().links.front().link);
        QCOMPARE(m_inspector->selection()->title, QString::fromUtf8("2 → 3"));
        QCOMPARE(valueOf(rows, QStringLiteral("Bandwidth")), withUnit("12.500", QStringLiteral("GB/s")));
        QCOMPARE(valueOf(rows, QStringLiteral("Latency")), withUnit("1.000", kMicro));
        QCOMPARE(valueOf(rows, QStringLiteral("Busy")), withUnit("480.000", kMicro));
        QCOMPARE(valueOf(rows, QStringLiteral("Bytes")), withUnit("6.0", QStringLiteral("MB")));

        m_inspector->showDimension(0);
        QCOMPARE(m_inspector->selection()->title, QStringLiteral("D0 Ring, 4 NPUs"));
        QCOMPARE(valueOf(rows, QStringLiteral("Links")), QStringLiteral("8"));
        QCOMPARE(valueOf(rows, QStringLiteral("Bandwidth per NPU")), withUnit("100.000", QStringLiteral("GB/s")));

        m_inspector->showNpu(2);
        QCOMPARE(m_inspector->selection()->title, QStringLiteral("NPU 2"));
        QCOMPARE(valueOf(rows, QStringLiteral("Speed")), withUnit("100", QStringLiteral("%")));
        QCOMPARE(valueOf(rows, QStringLiteral("Peak")), QStringLiteral("not given"));
        m_inspector->showNpu(99);
        QVERIFY(!m_inspector->selection().has_value());
    }

    void aSelectedLinkFollowsTheNextResult()
    {
        const RunResultPtr slow = runText(kOddLink);
        m_inspector->setResult(slow);
        m_inspector->showLink(slow->record().links.front().link);
        m_inspector->setResult(runText(QString::fromUtf8(kOddLink).replace(QStringLiteral("12.5"), QStringLiteral("25")).toStdString()), slow);
        QCOMPARE(valueOf(tagged<ValueRows>(*m_inspector, "selection").rows(), QStringLiteral("Bandwidth")), withUnit("25.000", QStringLiteral("GB/s")));
        QCOMPARE(valueOf(tagged<ValueRows>(*m_inspector, "selection").rows(), QStringLiteral("Busy")), withUnit("240.000", kMicro)); // 6 * 40 us
    }

    void sectionsCloseByKeyboard()
    {
        m_inspector->setResult(m_two);
        auto* section = m_inspector->findChild<Collapsible*>();
        QVERIFY(part<ResultSection>(*m_inspector).isVisible());
        auto* head = section->findChild<QToolButton*>();
        head->setFocus();
        QTest::keyClick(head, Qt::Key_Space);
        QVERIFY(!part<ResultSection>(*m_inspector).isVisible());
        QTest::keyClick(head, Qt::Key_Space);
        QVERIFY(part<ResultSection>(*m_inspector).isVisible());
    }

    void A6_nothingIsWiderThanTheDockAtAnyWidthAndFont_data()
    {
        QTest::addColumn<double>("base");
        QTest::addColumn<int>("width");
        for (const double base : {13.0, 19.5})
            for (const int width : {280, 320, 400})
                QTest::addRow("%g px, %d", base, width) << base << width;
    }
    void A6_nothingIsWiderThanTheDockAtAnyWidthAndFont()
    {
        QFETCH(double, base);
        QFETCH(int, width);
        const Theme theme(Theme::Mode::Light, base);
        const test::WithTheme themed(theme);
        m_inspector->resize(theme.scaled(width), 500);
        m_inspector->setResult(runText(kOddLink), m_two, QStringLiteral("since D2 bandwidth was 20 GB/s"));
        m_inspector->showLink(4);
        QCoreApplication::processEvents();
        QVERIFY2(m_inspector->widget()->width() <= m_inspector->viewport()->width(),
                 qPrintable(QStringLiteral("%1 > %2").arg(m_inspector->widget()->width()).arg(m_inspector->viewport()->width())));
        for (const QLabel* label : m_inspector->findChildren<QLabel*>()) {
            if (!label->isVisible() || label->text().isEmpty() || label->wordWrap())
                continue;
            QVERIFY2(label->width() >= label->sizeHint().width(), qPrintable(label->text()));
        }
    }

    void A5_everyVisibleControlHasAName()
    {
        m_inspector->setResult(runText(kOddLink), m_two, QStringLiteral("x"));
        m_inspector->showNpu(1);
        for (const QPushButton* button : m_inspector->findChildren<QPushButton*>())
            if (button->isVisible())
                QVERIFY(!button->text().isEmpty() && (button->focusPolicy() & Qt::TabFocus));
        for (QWidget* widget : m_inspector->findChildren<QWidget*>()) {
            const auto* label = qobject_cast<QLabel*>(widget);
            if (widget->isVisible() && ((label && label->text().isEmpty() && !label->pixmap(Qt::ReturnByValue).isNull()) || qobject_cast<PartsBar*>(widget)))
                QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
        }
        QVERIFY(part<PartsBar>(part<ResultSection>(*m_inspector)).accessibleDescription().contains(QStringLiteral("All-reduce")));
    }

    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        QDir().mkpath(folder);
        const RunResultPtr slow = runText(kOddLink);
        const RunResultPtr pipeline = runExample("pipeline.yaml");
        const RunResultPtr hgx = runExample("two-level-hgx.yaml");
        for (const double base : {13.0, 19.5})
            for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
                const Theme theme(mode, base);
                const test::WithTheme themed(theme);
                const QString suffix = QStringLiteral("_%1_%2").arg(theme.isDark() ? QStringLiteral("dark") : QStringLiteral("light")).arg(base);
                for (const int width : {280, 320, 400}) {
                    Inspector inspector;
                    inspector.resize(theme.scaled(width), theme.scaled(760));
                    inspector.setResult(hgx, pipeline, QStringLiteral("D2 bandwidth 20 GB/s"));
                    const TimelineSource& source = *hgx->timeline;
                    for (std::size_t track = 0; track < source.tracks().size(); ++track)
                        if (source.tracks()[track].kind == TimelineTrack::Kind::Collective)
                            inspector.showEvent(source.event(track, 0), source.tracks()[track].rankClass, source.interval(track, 0).task);
                    inspector.show();
                    QCoreApplication::processEvents();
                    inspector.grab().save(QStringLiteral("%1/inspector%2_%3.png").arg(folder, suffix).arg(width));
                    inspector.setResult(slow, hgx, QStringLiteral("Overrides: 2 to 3"));
                    inspector.showLink(4);
                    QCoreApplication::processEvents();
                    inspector.grab().save(QStringLiteral("%1/inspector_slow%2_%3.png").arg(folder, suffix).arg(width));
                }
            }
    }
};

FABRICSCOPE_GUI_TEST(InspectorTest)
#include "tst_inspector.moc"
