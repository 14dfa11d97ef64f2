#include "tests/gui/support/smallrun.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "core/base/index.h"
#include "widgets/base/apptheme.h"
#include "widgets/timeline/timetext.h"
#include "widgets/timeline/view.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>

#include <algorithm>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

std::size_t trackNamed(const TimelineSource& source, TimelineTrack::Kind kind, std::int32_t rankClass = 0)
{
    for (std::size_t i = 0; i < source.tracks().size(); ++i)
        if (source.tracks()[i].kind == kind && source.tracks()[i].rankClass == rankClass)
            return i;
    return source.tracks().size();
}

void wheel(TimelineView& view, const QPointF& at, int delta, Qt::KeyboardModifiers modifiers)
{
    QWheelEvent event(at, view.viewport()->mapToGlobal(at), {}, QPoint(0, delta), Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(view.viewport(), &event);
}

QImage picture(TimelineView& view)
{
    QImage image(view.viewport()->size(), QImage::Format_RGB32);
    QPainter painter(&image);
    view.paintOn(painter, 1);
    return image;
}

} // namespace

class TimelineViewTest : public QObject
{
    Q_OBJECT

    SyntheticRun m_run = smallRun();
    TimelineSourcePtr m_source = TimelineSource::create(m_run.record, m_run.workload);
    std::unique_ptr<TimelineView> m_view;
    std::optional<TimeRange> m_range; ///< As the view told it last.
    TimelineSums m_sums;

private slots:
    void init()
    {
        QLocale::setDefault(QLocale::c());
        m_view = std::make_unique<TimelineView>();
        m_view->resize(188 + 12 + 1000, 300);
        m_range.reset();
        connect(m_view.get(), &TimelineView::rangeSelected, this, [this](const TimeRange& range, const TimelineSums& sums) {
            m_range = range;
            m_sums = sums;
        });
        connect(m_view.get(), &TimelineView::rangeCleared, this, [this] { m_range.reset(); });
        m_view->setSource(m_source);
        m_view->show();
        m_view->setFocus();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        QCOMPARE(m_view->timeGeometry().width, 1000.0); // 1 us per pixel
    }

    /// Communication from 0 to 600 us, computing from 200 to 400 us: a pixel of a collapsed row has the colour of what hides the other.
    void T1_aCollapsedRowShowsCommunicationWhereNothingElseRuns()
    {
        RunBuilder builder;
        builder.collective("sum", CollectiveOp::AllReduce, 0, 1 << 20, 0, 600'000'000);
        builder.compute("layer", 200'000'000, 400'000'000);
        const SyntheticRun run = oneClass(builder);
        const TimelineSourcePtr source = TimelineSource::create(run.record, run.workload);
        TimelineRows rows;
        rows.setSource(source);
        rows.setOpen(0, false);
        std::vector<TimelineTrack::Kind> kinds;
        for (const std::size_t track : rows.rows()[0].tracks) {
            if (source->tracks()[track].kind != TimelineTrack::Kind::Waiting)
                kinds.push_back(source->tracks()[track].kind);
        }
        QCOMPARE(kinds, (std::vector{TimelineTrack::Kind::Collective, TimelineTrack::Kind::Compute}));

        m_view->setSource(source);
        m_view->setVisibleRange({0, 600'000'000});
        m_view->setGroupOpen(0, false);
        const TimelineRow& row = m_view->rows().rows()[0];
        QVERIFY(row.kind == TimelineRow::Kind::ClassCollapsed);
        const QImage image = picture(*m_view);
        const int middle = image.height() > 0 ? 22 + row.top + row.height / 2 : 0;
        const auto colourAt = [&](std::int64_t ps) { return image.pixelColor(static_cast<int>(m_view->timeGeometry().xOf(ps)), middle); };
        const Theme& theme = AppTheme::global().theme();
        QCOMPARE(colourAt(100'000'000), theme.activity(Activity::AllReduce));
        QCOMPARE(colourAt(300'000'000), theme.activity(Activity::Compute));
        QCOMPARE(colourAt(500'000'000), theme.activity(Activity::AllReduce));
    }

    /// Computing from 100 to 500 us before, from 200 to 400 us now; both end at 600 us.
    void T13_theRunBeforeIsAGhost()
    {
        const auto sourceOf = [](std::int64_t begin, std::int64_t end) {
            RunBuilder builder;
            builder.compute("layer", begin, end);
            builder.compute("last", 550'000'000, 600'000'000);
            const SyntheticRun run = oneClass(builder);
            return TimelineSource::create(run.record, run.workload);
        };
        m_view->setSource(sourceOf(200'000'000, 400'000'000));
        m_view->setVisibleRange({0, 600'000'000});
        const QImage alone = picture(*m_view);
        m_view->setPrevious(sourceOf(100'000'000, 500'000'000));
        const QImage both = picture(*m_view);
        const QColor ghost = AppTheme::global().theme().color(Role::Ghost);
        const auto at = [this](std::int64_t ps) { return static_cast<int>(m_view->timeGeometry().xOf(ps)); };
        std::set<int> lines;
        std::set<int> columns;
        for (int y = 0; y < both.height(); ++y) {
            for (int x = 0; x < both.width(); ++x) {
                if (both.pixelColor(x, y) == alone.pixelColor(x, y))
                    continue;
                lines.insert(y);
                columns.insert(x);
            }
        }
        for (const std::int64_t ps : {150'000'000LL, 450'000'000LL}) { // Where nothing is computed now.
            QVERIFY(columns.contains(at(ps)));
            QVERIFY(std::any_of(lines.begin(), lines.end(), [&](int y) { return both.pixelColor(at(ps), y) == ghost; }));
        }
        for (const std::int64_t ps : {50'000'000LL, 525'000'000LL}) // Nor was.
            QVERIFY(!columns.contains(at(ps)));
        m_view->setPrevious(nullptr);
        QCOMPARE(picture(*m_view), alone);
    }

    void T1_ctrlWheelZoomsAtThePointer()
    {
        const QPointF at(188 + 400, 60);
        const std::int64_t under = m_view->timeGeometry().timeAt(at.x());

        wheel(*m_view, at, 240, Qt::ControlModifier);

        QVERIFY(m_view->visibleRange().spanPs() < 1'000'000'000);
        QVERIFY(std::abs(m_view->timeGeometry().xOf(under) - at.x()) < 1.0);
    }

    void T1_wheelScrollsTracks()
    {
        m_view->resize(1200, 60);
        QVERIFY(m_view->verticalScrollBar()->maximum() > 0);
        const TimeRange before = m_view->visibleRange();

        wheel(*m_view, QPointF(500, 40), -120, Qt::NoModifier);

        QVERIFY(m_view->verticalScrollBar()->value() > 0);
        QVERIFY(m_view->visibleRange() == before);
    }

    void T1_shiftWheelPans()
    {
        m_view->setVisibleRange({400'000'000, 500'000'000});

        wheel(*m_view, QPointF(500, 60), -120, Qt::ShiftModifier);

        QCOMPARE(m_view->visibleRange().beginPs, 410'000'000);
        QCOMPARE(m_view->visibleRange().spanPs(), 100'000'000);
    }

    void T2_keysZoomPanAndFit()
    {
        QTest::keyClick(m_view.get(), Qt::Key_W);
        QCOMPARE(m_view->visibleRange().spanPs(), 666'666'667); // 1 ms / 1.5, around the middle
        QCOMPARE(m_view->visibleRange().beginPs, 166'666'667);

        QTest::keyClick(m_view.get(), Qt::Key_D);
        QCOMPARE(m_view->visibleRange().beginPs, 166'666'667 + 133'333'333);
        QTest::keyClick(m_view.get(), Qt::Key_A);
        QCOMPARE(m_view->visibleRange().beginPs, 166'666'667);
        QTest::keyClick(m_view.get(), Qt::Key_S);
        QVERIFY(std::abs(m_view->visibleRange().spanPs() - 1'000'000'000) <= 1);

        QTest::keyClick(m_view.get(), Qt::Key_W);
        QTest::keyClick(m_view.get(), Qt::Key_0, Qt::ControlModifier);
        QVERIFY(m_view->visibleRange() == (TimeRange{0, 1'000'000'000}));
    }

    void T3_noKeySequenceLeavesTheRunOrPassesOnePicosecondPerPixel()
    {
        std::mt19937 random(seeded(2));
        const Qt::Key keys[] = {Qt::Key_W, Qt::Key_W, Qt::Key_S, Qt::Key_A, Qt::Key_D, Qt::Key_F, Qt::Key_Period, Qt::Key_Comma};
        for (int i = 0; i < cases(1000); ++i) {
            QTest::keyClick(m_view.get(), keys[random() % std::size(keys)]);
            const TimeRange range = m_view->visibleRange();
            QVERIFY(range.beginPs >= 0 && range.endPs <= 1'000'000'000);
            QVERIFY(m_view->timeGeometry().psPerPixel() >= 1.0);
        }
    }

    void T5_aNanosecondInASecondLeavesAMark()
    {
        RunBuilder builder;
        builder.compute("blink", 500'000'000'000, 500'000'001'000);
        builder.compute("end", 999'999'999'000, 1'000'000'000'000);
        const SyntheticRun run = oneClass(builder);
        const auto source = TimelineSource::create(run.record, run.workload);
        m_view->setSource(source);

        const QImage image = picture(*m_view);

        const QRectF bar = m_view->trackRect(trackNamed(*source, TimelineTrack::Kind::Compute));
        const int x = static_cast<int>(m_view->timeGeometry().xOf(500'000'000'000));
        QCOMPARE(image.pixelColor(x, static_cast<int>(bar.bottom()) - 1), Theme().activity(Activity::Compute));
        QVERIFY(image.pixelColor(x + 2, static_cast<int>(bar.bottom()) - 1) != Theme().activity(Activity::Compute));
    }

    void T5_aStretchOfMergedEventsShowsItsCount()
    {
        // 200 pixels with ten events each say how many they are.
        RunBuilder builder;
        for (int i = 0; i < 2000; ++i)
            builder.compute("", i * 100'000, i * 100'000 + 50'000);
        builder.compute("end", 999'000'000, 1'000'000'000);
        const SyntheticRun run = oneClass(builder);
        const auto source = TimelineSource::create(run.record, run.workload);
        m_view->setSource(source);
        const QRectF bar = m_view->trackRect(trackNamed(*source, TimelineTrack::Kind::Compute));

        const QImage image = picture(*m_view);

        // The plate of the count stands in the middle of the stretch, and is of the view's colour with text on it.
        int ink = 0;
        int plate = 0;
        for (int x = 188 + 70; x < 188 + 130; ++x) {
            const QColor color = image.pixelColor(x, static_cast<int>(bar.center().y()));
            plate += color == Theme().color(Role::View) ? 1 : 0;
            ink += color != Theme().color(Role::View) && color != Theme().activity(Activity::Compute) ? 1 : 0;
        }
        QVERIFY(plate > 5);
        QVERIFY(ink > 5);
    }

    void theNoteStandsLeftOfTheRuler()
    {
        const QImage without = picture(*m_view);
        m_view->setNote(QStringLiteral("earlier inputs"));
        const QImage with = picture(*m_view);

        int differ = 0;
        for (int y = 0; y < 22; ++y)
            for (int x = 0; x < 188; ++x)
                differ += with.pixel(x, y) != without.pixel(x, y) ? 1 : 0;
        QVERIFY2(differ > 30, qPrintable(QString::number(differ)));
        m_view->setNote({});
        QVERIFY(picture(*m_view) == without);
    }

    void T6_clickSelectsAndDetailsNameTheEvent()
    {
        const std::size_t track = trackNamed(*m_source, TimelineTrack::Kind::PointToPoint);
        const QRectF bar = m_view->trackRect(track);
        QSignalSpy spy(m_view.get(), &TimelineView::selectionChanged);

        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(188 + 310, static_cast<int>(bar.center().y())));

        QCOMPARE(spy.count(), 1);
        QVERIFY(m_view->selection().has_value());
        const TimelineEvent event = m_source->event(m_view->selection()->track, m_view->selection()->index);
        QCOMPARE(eventTitle(event), QStringLiteral("activations"));
        QMap<QString, QString> details;
        for (const auto& [label, value] : eventDetails(event))
            details.insert(label, value);
        const QString thin(QChar(0x202F));
        QCOMPARE(details.value(QStringLiteral("Kind")), QStringLiteral("Send"));
        QCOMPARE(details.value(QStringLiteral("Start")), QStringLiteral("300.000") + thin + QString::fromUtf8("µs"));
        QCOMPARE(details.value(QStringLiteral("Duration")), QStringLiteral("20.000") + thin + QString::fromUtf8("µs"));
        QCOMPARE(details.value(QStringLiteral("Bytes")), QStringLiteral("1.0") + thin + QStringLiteral("MB"));
        QCOMPARE(details.value(QStringLiteral("Peer")), QStringLiteral("Rank 3"));
        QCOMPARE(details.value(QStringLiteral("Step")), QStringLiteral("1 of 1"));
    }

    void T6_clickOnCollectiveTellsItsOperation()
    {
        const std::size_t track = trackNamed(*m_source, TimelineTrack::Kind::Collective);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(188 + 120, static_cast<int>(m_view->trackRect(track).center().y())));

        QVERIFY(m_view->selection().has_value());
        const auto lines = eventDetails(m_source->event(m_view->selection()->track, m_view->selection()->index));
        QVERIFY(std::find(lines.begin(), lines.end(), TextLine{QStringLiteral("Operation"), QStringLiteral("all_reduce")}) != lines.end());
    }

    void T6_clickBesideEverythingClearsTheSelection()
    {
        const std::size_t track = trackNamed(*m_source, TimelineTrack::Kind::Collective);
        m_view->setSelection(TimelineSelection{track, 0});

        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(188 + 700, static_cast<int>(m_view->trackRect(track).center().y())));

        QVERIFY(!m_view->selection().has_value());
    }

    void T7_rangeOnTheRulerSumsTheSlowestClass()
    {
        QSignalSpy spy(m_view.get(), &TimelineView::rangeSelected);

        QTest::mousePress(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(188 + 50, 10));
        QMouseEvent move(QEvent::MouseMove, QPointF(188 + 310, 10), m_view->viewport()->mapToGlobal(QPointF(188 + 310, 10)), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_view->viewport(), &move);
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(188 + 310, 10));

        // [50, 310) us: compute 50 + 150, all-reduce 50 with all its 8 MB, half of the send: 10 us and 0.5 MB; waiting 50 + 10.
        QCOMPARE(spy.count(), 1);
        QVERIFY(m_range == (TimeRange{50'000'000, 310'000'000}));
        const TimelineSums& sums = m_sums;
        QCOMPARE(sums.duration.ps, 260'000'000);
        QCOMPARE(sums.bytes, 8'500'000);
        QCOMPARE(sums.bytesPerSecond(), 8.5e6 / 260e-6);
        QCOMPARE(sums.busyShare(Activity::Compute), 200.0 / 260);
        QCOMPARE(sums.busyShare(Activity::AllReduce), 50.0 / 260);
        QCOMPARE(sums.busyShare(Activity::SendReceive), 10.0 / 260);
        QCOMPARE(sums.busyShare(Activity::Waiting), 60.0 / 260);
    }

    void T7_shiftDragSelectsARangeToo()
    {
        const int y = static_cast<int>(m_view->trackRect(trackNamed(*m_source, TimelineTrack::Kind::Compute)).center().y());
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, Qt::ShiftModifier, QPoint(188 + 100, y));
        QMouseEvent move(QEvent::MouseMove, QPointF(188 + 150, y), m_view->viewport()->mapToGlobal(QPointF(188 + 150, y)), Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
        QCoreApplication::sendEvent(m_view->viewport(), &move);
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, Qt::ShiftModifier, QPoint(188 + 150, y));

        QCOMPARE(m_sums.bytes, 8'000'000);
        QVERIFY(!m_view->selection().has_value());
    }

    void T8_keysGoAlongTheTrack()
    {
        const std::size_t track = trackNamed(*m_source, TimelineTrack::Kind::Compute);
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QVERIFY(m_view->selection() == (TimelineSelection{track, 0}));
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QCOMPARE(m_view->selection()->index, 2); // the last one stays
        QTest::keyClick(m_view.get(), Qt::Key_Comma);
        QCOMPARE(m_view->selection()->index, 1);

        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QVERIFY(m_view->selection()->track != track);

        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(!m_view->selection().has_value());
    }

    void T8_fCentresAndThenFits()
    {
        const std::size_t track = trackNamed(*m_source, TimelineTrack::Kind::Compute);
        m_view->setVisibleRange({100'000'000, 300'000'000});
        m_view->setSelection(TimelineSelection{track, 1}); // [150, 300) us, middle 225

        QTest::keyClick(m_view.get(), Qt::Key_F);
        QVERIFY(m_view->visibleRange() == (TimeRange{125'000'000, 325'000'000}));

        QTest::keyClick(m_view.get(), Qt::Key_F); // 150 us are 80 % of 187.5 us
        QCOMPARE(m_view->visibleRange().spanPs(), 187'500'000);
        QCOMPARE(m_view->visibleRange().beginPs, 225'000'000 - 93'750'000);
    }

    void escapeClearsTheRange()
    {
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(300, 10));
        QMouseEvent move(QEvent::MouseMove, QPointF(400, 10), m_view->viewport()->mapToGlobal(QPointF(400, 10)), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_view->viewport(), &move);
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(400, 10));
        QVERIFY(m_range.has_value());

        QTest::keyClick(m_view.get(), Qt::Key_Escape);

        QVERIFY(!m_range.has_value());
    }

    void groupsOpenAndCollapseByClick()
    {
        const SyntheticRun run = trainingStep();
        const auto source = TimelineSource::create(run.record, run.workload);
        m_view->setSource(source);
        QVERIFY(m_view->rows().isOpen(1)); // the slowest: ranks 5, 37, 69, 101
        QVERIFY(!m_view->rows().isOpen(0));
        const std::size_t sum = trackNamed(*source, TimelineTrack::Kind::Collective, 0);
        const auto rowOfSum = [&] { return m_view->rows().rows().at(at(m_view->rows().rowOfTrack(sum))); };
        QVERIFY(rowOfSum().kind == TimelineRow::Kind::ClassCollapsed);

        for (const TimelineRow& row : m_view->rows().rows())
            if (row.rankClass == 0) {
                QTest::mouseClick(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(60, 22 + row.top + row.height / 2));
                break;
            }

        QVERIFY(m_view->rows().isOpen(0));
        QVERIFY(rowOfSum().kind == TimelineRow::Kind::Track);
    }

    void rowsNameTheClassesByTheirRanks()
    {
        const SyntheticRun run = trainingStep();
        const auto source = TimelineSource::create(run.record, run.workload);

        QCOMPARE(rankClassName(*source, 0), QStringLiteral("Ranks all but 5, 13, … 125"));
        QCOMPARE(rankClassName(*source, 1), QStringLiteral("Ranks 5, 37, 69, 101"));
        QCOMPARE(rankClassName(*m_source, 0), QStringLiteral("All 4 ranks"));
    }

    void aNewRunOfTheSameShapeKeepsTheVisibleRange()
    {
        m_view->setVisibleRange({100'000'000, 200'000'000});
        const SyntheticRun again = smallRun();

        m_view->setSource(TimelineSource::create(again.record, again.workload));

        QVERIFY(m_view->visibleRange() == (TimeRange{100'000'000, 200'000'000}));
    }

    void A5_viewSaysWhatItIsAndWhatIsSelected()
    {
        QVERIFY(!m_view->accessibleName().isEmpty());
        m_view->setSelection(TimelineSelection{trackNamed(*m_source, TimelineTrack::Kind::Compute), 1});
        QVERIFY(m_view->accessibleDescription().startsWith(QStringLiteral("second")));
        QCOMPARE(m_view->focusPolicy(), Qt::StrongFocus);
    }

    void A7_edgesAreSharpAtEveryRatio_data()
    {
        QTest::addColumn<double>("ratio");
        QTest::newRow("1") << 1.0;
        QTest::newRow("1.5") << 1.5;
        QTest::newRow("2") << 2.0;
    }
    void A7_edgesAreSharpAtEveryRatio()
    {
        QFETCH(double, ratio);
        QImage image(m_view->viewport()->size() * ratio, QImage::Format_RGB32);
        image.setDevicePixelRatio(ratio);
        QPainter painter(&image);
        m_view->paintOn(painter, ratio);
        painter.end();
        const QRectF bar = m_view->trackRect(trackNamed(*m_source, TimelineTrack::Kind::Collective));

        // Across the end of "gradients": fill, then at most one blended pixel, then background.
        const int y = static_cast<int>(bar.center().y() * ratio);
        const QColor fill = Theme().activity(Activity::AllReduce);
        int filled = 0;
        int blended = 0;
        for (int x = static_cast<int>((188 + 145) * ratio); x < static_cast<int>((188 + 154) * ratio); ++x) {
            const QColor color = image.pixelColor(x, y);
            filled += color == fill ? 1 : 0;
            blended += color != fill && color != Theme().color(Role::View) && color != Theme().color(Role::Grid) ? 1 : 0;
        }
        QVERIFY(filled >= static_cast<int>(3 * ratio));
        QVERIFY(blended <= 1);
    }

    void anEmptyViewSaysSo()
    {
        TimelineView empty;
        empty.resize(600, 200);
        empty.show();
        QVERIFY(QTest::qWaitForWindowExposed(&empty));
        QTest::keyClick(&empty, Qt::Key_W);
        QTest::mouseClick(empty.viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(300, 100));
        QVERIFY(!empty.selection().has_value());
    }
};

FABRICSCOPE_GUI_TEST(TimelineViewTest)
#include "tst_timelineview.moc"
