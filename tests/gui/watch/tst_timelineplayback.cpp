// The time cursor of the timeline by mouse and keys, and what plays it.
#include "tests/gui/support/named.h"
#include "tests/gui/support/smallrun.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/timeline/playbackbar.h"
#include "widgets/timeline/view.h"

#include <QtTest>

#include <QAbstractButton>
#include <QComboBox>
#include <QSignalSpy>
#include <QToolButton>
#include <QVBoxLayout>

#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr int kPatienceMs = 120'000;
constexpr std::int64_t kPsPerMicro = 1'000'000;

} // namespace

/// A run of 1,000 us on 1,000 pixels (smallrun.h), below its bar.
class TimelinePlaybackTest : public QObject
{
    Q_OBJECT

    SyntheticRun m_run = smallRun();
    TimelineSourcePtr m_source = TimelineSource::create(m_run.record, m_run.workload);
    std::unique_ptr<QWidget> m_stage;
    TimelineView* m_view = nullptr;
    TimelinePlaybackBar* m_bar = nullptr;

    TimelinePlayback& playback() { return m_bar->playback(); }
    std::int64_t cursorUs() { return m_view->timeCursor().value_or(-kPsPerMicro) / kPsPerMicro; }

private slots:
    void init()
    {
        QLocale::setDefault(QLocale::c());
        m_stage = std::make_unique<QWidget>();
        m_view = new TimelineView;
        m_bar = new TimelinePlaybackBar(m_view);
        auto* column = new QVBoxLayout(m_stage.get());
        column->setContentsMargins(0, 0, 0, 0);
        column->addWidget(m_bar);
        column->addWidget(m_view, 1);
        m_stage->resize(188 + 12 + 1000, 400);
        m_view->setSource(m_source);
        m_stage->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_stage.get()));
        m_view->setFocus();
        QCOMPARE(m_view->timeGeometry().width, 1000.0);
    }

    void cleanup() { m_stage.reset(); }

    void T14_aClickOnTheRulerPutsTheTimeCursorThere()
    {
        QVERIFY(!m_view->timeCursor());
        QSignalSpy spy(m_view, &TimelineView::timeCursorChanged);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(188 + 250, 8));
        QCOMPARE(spy.size(), 1);
        QVERIFY(std::abs(*m_view->timeCursor() - 250 * kPsPerMicro) <= kPsPerMicro);
        QVERIFY(m_bar->isHidden()); // It would move the ruler away from under the pointer.
        // A click on a row selects, and leaves it where it is.
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(188 + 700, 60));
        QCOMPARE(spy.size(), 1);
        QTest::keyClick(m_view, Qt::Key_Escape);
        QVERIFY(!m_view->timeCursor());
        QCOMPARE(spy.size(), 2);
    }

    void T14_keysMoveTheTimeCursor()
    {
        QTest::keyClick(m_view, Qt::Key_Right);
        QCOMPARE(cursorUs(), 0);
        QTest::keyClick(m_view, Qt::Key_Right);
        QCOMPARE(cursorUs(), 10);
        QTest::keyClick(m_view, Qt::Key_Left);
        QTest::keyClick(m_view, Qt::Key_Left);
        QCOMPARE(cursorUs(), 0);
        QTest::keyClick(m_view, Qt::Key_End);
        QCOMPARE(cursorUs(), 1000);
        m_view->setVisibleRange({200 * kPsPerMicro, 400 * kPsPerMicro});
        QTest::keyClick(m_view, Qt::Key_Left);
        QCOMPARE(cursorUs(), 400); // Into what is on show first.
        QTest::keyClick(m_view, Qt::Key_Left);
        QCOMPARE(cursorUs(), 398);
        QTest::keyClick(m_view, Qt::Key_Home);
        QCOMPARE(cursorUs(), 200);
        m_view->setTimeCursor(-5);
        QCOMPARE(cursorUs(), 0);
        m_view->setTimeCursor(5000 * kPsPerMicro);
        QCOMPARE(cursorUs(), 1000);
    }

    void T14_theTimeCursorOutlastsRunsThatReachIt()
    {
        m_view->setTimeCursor(900 * kPsPerMicro);
        m_view->setSource(m_source);
        QCOMPARE(cursorUs(), 900);
        RunBuilder builder;
        builder.compute("short", 0, 100 * kPsPerMicro);
        const SyntheticRun other = oneClass(builder);
        m_view->setSource(TimelineSource::create(other.record, other.workload));
        QVERIFY(!m_view->timeCursor());
        m_view->setSource(nullptr);
        m_view->setTimeCursor(1);
        QVERIFY(!m_view->timeCursor());
    }

    void T15_theRunTakesTenSecondsAndStopsAtItsEnd()
    {
        playback().play();
        QVERIFY(playback().isPlaying() && m_bar->isVisible());
        QCOMPARE(cursorUs(), 0);
        playback().advance(2.5);
        QCOMPARE(cursorUs(), 250);
        QCOMPARE(m_bar->state(), QStringLiteral("0.250\u202Fms of 1.000\u202Fms"));
        named<QComboBox>(*m_bar, "Speed of playback").setCurrentIndex(0);
        QCOMPARE(playback().speed(), 0.25);
        playback().advance(4);
        QCOMPARE(cursorUs(), 350);
        named<QComboBox>(*m_bar, "Speed of playback").setCurrentIndex(4);
        QCOMPARE(playback().speed(), 4.0);
        playback().advance(1);
        QCOMPARE(cursorUs(), 750);
        playback().advance(1);
        QCOMPARE(*m_view->timeCursor(), 1000 * kPsPerMicro);
        QVERIFY(!playback().isPlaying());
        // Once more from the begin.
        playback().play();
        QCOMPARE(cursorUs(), 0);
    }

    void T15_theClockPlaysItToTheEnd()
    {
        playback().setSpeed(50);
        playback().play();
        QTRY_VERIFY_WITH_TIMEOUT(!playback().isPlaying(), kPatienceMs);
        QCOMPARE(*m_view->timeCursor(), 1000 * kPsPerMicro);
    }

    void T15_whatIsOnShowIsPlayed()
    {
        m_view->setTimeCursor(900 * kPsPerMicro);
        m_view->setVisibleRange({200 * kPsPerMicro, 400 * kPsPerMicro});
        playback().play();
        QCOMPARE(cursorUs(), 200);
        playback().advance(5);
        QCOMPARE(cursorUs(), 300);
        // Half as much takes as long.
        m_view->setVisibleRange({250 * kPsPerMicro, 350 * kPsPerMicro});
        playback().advance(1);
        QCOMPARE(cursorUs(), 310);
        playback().advance(100);
        QCOMPARE(cursorUs(), 350);
        QVERIFY(!playback().isPlaying());
        playback().back();
        QCOMPARE(cursorUs(), 349);
        playback().forward();
        QCOMPARE(cursorUs(), 350);
    }

    /// However the time is cut up, no picosecond is lost.
    void T15_manySmallStepsComeAsFarAsOne()
    {
        for (const std::uint64_t seed : Seeds(1500, 100)) {
            std::mt19937_64 random(seed);
            const auto begin = static_cast<std::int64_t>(random() % 1000);
            m_view->setVisibleRange({begin, begin + 2000 + static_cast<std::int64_t>(random() % 100'000)});
            const TimeRange visible = m_view->visibleRange();
            playback().pause();
            m_view->setTimeCursor(std::nullopt);
            playback().play();
            double seconds = 0;
            for (int i = 0; i < 300; ++i) {
                const double part = static_cast<double>(random() % 1000) / 1000 * 0.03;
                seconds += part;
                playback().advance(part);
            }
            const double expected = static_cast<double>(visible.beginPs) + seconds / 10 * static_cast<double>(visible.spanPs());
            QVERIFY(std::abs(static_cast<double>(*m_view->timeCursor()) - expected) <= 1.001);
        }
    }

    void T15_spacePlaysAndPausesInTheBar()
    {
        playback().play();
        playback().pause();
        QVERIFY(m_bar->isVisible());
        QAbstractButton& play = named<QToolButton>(*m_bar, "Play");
        play.setFocus(Qt::TabFocusReason);
        QTest::keyClick(&play, Qt::Key_Space);
        QVERIFY(playback().isPlaying());
        QCOMPARE(play.accessibleName(), QStringLiteral("Pause"));
        QTest::keyClick(&play, Qt::Key_Space);
        QVERIFY(!playback().isPlaying());
        // Every part can be reached and says what it is.
        for (const QWidget* part : m_bar->findChildren<QWidget*>()) {
            const auto* button = qobject_cast<const QAbstractButton*>(part);
            if (!button && !qobject_cast<const QComboBox*>(part))
                continue;
            QVERIFY(part->focusPolicy() & Qt::TabFocus);
            QVERIFY(!part->accessibleName().isEmpty() || (button && !button->text().isEmpty()));
        }
    }

    void T15_escapeEndsPlaybackAndTakesTheCursorAway()
    {
        playback().play();
        QAbstractButton& play = named<QToolButton>(*m_bar, "Pause");
        play.setFocus();
        QTest::keyClick(&play, Qt::Key_Escape);
        QVERIFY(!playback().isPlaying() && !m_view->timeCursor() && m_bar->isHidden());
        playback().play();
        QTest::keyClick(m_view, Qt::Key_Escape);
        QVERIFY(!playback().isPlaying() && !m_view->timeCursor() && m_bar->isHidden());
        playback().play();
        named<QToolButton>(*m_bar, "Whole run").click();
        QVERIFY(!playback().isPlaying() && !m_view->timeCursor() && m_bar->isHidden());
        // Without a run there is nothing to play.
        m_view->setSource(nullptr);
        playback().togglePlay();
        QVERIFY(!playback().isPlaying());
        playback().forward();
        QVERIFY(!m_view->timeCursor());
    }
};

FABRICSCOPE_GUI_TEST(TimelinePlaybackTest)
#include "tst_timelineplayback.moc"
