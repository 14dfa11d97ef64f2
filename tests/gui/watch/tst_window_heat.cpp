// The heat of links in Explore is that of the instant that is looked at, and says so.
#include "app/desktop/exploreview.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/design/document.h"
#include "widgets/timeline/playbackbar.h"
#include "widgets/timeline/view.h"

#include <QtTest>

#include <QFile>
#include <QMouseEvent>

using namespace fabricscope;

namespace {

constexpr int kWaitMs = 120'000;
constexpr std::int64_t kMicro = 1'000'000;

/// The links of one way round are busy in [21 k, 21 k + 20) us, k = 0..5, of 126 us; those of the other never (tst_linksovertime).
const char* const kRingOfFour = R"(fabricscope: 1
name: Ring of four
platform:
  dimensions:
    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}
workload: {collective: all_reduce, size: 4 MB}
collectives: {default: {algorithm: ring, chunks: 1}}
)";

/// One link of the ring is slower than the others: where they wait for it, it alone is busy.
const char* const kSlowLink = R"(fabricscope: 1
name: Ring with a slow link
platform:
  dimensions:
    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}
  overrides:
    links:
      - {link: "d0 1>2", bandwidth: 10 GB/s}
workload: {collective: all_reduce, size: 4 MB}
collectives: {default: {algorithm: ring, chunks: 1}}
)";

/// Two NPUs on one switch.
const char* const kGraphOfTwo = R"(fabricscope: 1
name: Graph of two
platform:
  nodes: [{name: a}, {name: b}, {name: s, kind: switch}]
  links:
    - {between: [a, s], bandwidth: 50 GB/s, latency: 1 us}
    - {between: [b, s], bandwidth: 50 GB/s, latency: 1 us}
workload: {collective: all_reduce, size: 4 MB}
)";

} // namespace

class WindowHeatTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;
    QString m_ring;

    ExploreView& explore() { return test::part<ExploreView>(*m_window); }
    TimelineView& timeline() { return explore().timeline(); }
    PlatformCanvas& canvas() { return explore().canvas(); }
    TimelinePlayback& playback() { return explore().playbackBar().playback(); }
    const RunRecord& record() { return m_window->history().current()->record(); }
    QString write(const QString& name, const char* design)
    {
        const QString path = m_home.filePath(name);
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(design) > 0 ? path : QString();
    }
    void open(const QString& path)
    {
        m_window->files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy() && m_window->document().file() == path, kWaitMs);
    }
    double heatOf(const LinkUse& use) { return canvas().heat().link(use.link, 0); }
    void point(double x)
    {
        const QPointF at(x, 60);
        QMouseEvent move(QEvent::MouseMove, at, timeline().viewport()->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(timeline().viewport(), &move);
    }
    void leave()
    {
        QEvent event(QEvent::Leave);
        QCoreApplication::sendEvent(timeline().viewport(), &event);
    }

private slots:
    void initTestCase()
    {
        test::useOwnHome(m_home);
        m_ring = write(QStringLiteral("ring.yaml"), kRingOfFour);
        QVERIFY(!m_ring.isEmpty());
    }

    void init()
    {
        m_window = test::shownWindow({1600, 1000});
        QVERIFY(m_window);
        open(m_ring);
        leave(); // Wherever the pointer is.
    }

    void cleanup() { m_window.reset(); }

    void T14_theHeatAtATimeIsTheBucketOfTheRecord()
    {
        const BusyPyramid& busy = record().dimensions.front().busy;
        QCOMPARE(record().links.size(), std::size_t{4});
        const Platform& platform = canvas().layoutOfPlatform()->platform();
        int different = 0;
        for (std::int64_t ps = 0; ps < record().finish.ps; ps += 499'979) {
            timeline().setTimeCursor(ps);
            const auto bucket = static_cast<std::size_t>(ps / busy.bucketPs());
            const std::int64_t begin = static_cast<std::int64_t>(bucket) * busy.bucketPs();
            const std::int64_t end = std::min(begin + busy.bucketPs(), record().finish.ps);
            const std::int64_t inBucket = bucket < busy.busyPs().size() ? busy.busyPs()[bucket] : 0;
            const double expected = static_cast<double>(inBucket) / (4.0 * static_cast<double>(end - begin));
            double sum = 0;
            for (LinkId link = 0; link < platform.linkCount(); ++link)
                sum += canvas().heat().link(link, 0);
            QVERIFY(std::abs(sum - 4 * expected) < 1e-9);
            for (const LinkUse& use : record().links)
                QVERIFY(std::abs(heatOf(use) - expected) < 1e-12);
            // In the middle of a step links work all the time, between two not at all.
            const std::int64_t inStep = ps % (21 * kMicro);
            if (inStep > kMicro && inStep < 19 * kMicro)
                QCOMPARE(expected, 1.0);
            else if (inStep > 20 * kMicro + kMicro / 4 && inStep < 21 * kMicro - kMicro / 4)
                QCOMPARE(expected, 0.0);
            different += expected != 1.0 ? 1 : 0;
        }
        QVERIFY(different > 0);
    }

    void T14_theLegendSaysWhichTimeItIs()
    {
        const QString whole = QStringLiteral("link busy, whole run");
        QCOMPARE(canvas().heatMeaning(), whole);
        const double busy = heatOf(record().links.front());
        QVERIFY(std::abs(busy - 120.0 / 126) < 1e-9);
        QVERIFY(!canvas().heat().isMean());
        timeline().setTimeCursor(31 * kMicro + kMicro / 2);
        QCOMPARE(canvas().heatMeaning(), QStringLiteral("link busy at 31.5\u202F\u00B5s, mean by dimension"));
        QVERIFY(canvas().heat().isMean());
        QCOMPARE(heatOf(record().links.front()), 1.0);
        // Another word for the same stretch of time.
        timeline().setTimeCursor(31 * kMicro + kMicro * 48 / 100);
        QCOMPARE(canvas().heatMeaning(), QStringLiteral("link busy at 31.5\u202F\u00B5s, mean by dimension"));
        timeline().setFocus();
        QTest::keyClick(&timeline(), Qt::Key_Escape);
        QCOMPARE(canvas().heatMeaning(), whole);
        QCOMPARE(heatOf(record().links.front()), busy);
        timeline().setTimeCursor(5 * kMicro);
        canvas().setFocus();
        QTest::keyClick(&canvas(), Qt::Key_Escape);
        QVERIFY(!timeline().timeCursor());
        QCOMPARE(canvas().heatMeaning(), whole);
    }

    /// At first the mean of the dimension, then that of every link, which is the same on the whole: found beside the window, once an instant is looked at.
    void T14_everyLinkHasItsOwnHeat()
    {
        open(write(QStringLiteral("slow.yaml"), kSlowLink));
        leave();
        const LinkUse slow = record().links.front(); // The busiest.
        const std::int64_t half = record().finish.ps / 2;
        timeline().setTimeCursor(half);
        QVERIFY(canvas().heat().isMean());
        QTRY_VERIFY_WITH_TIMEOUT(!canvas().heatMeaning().contains(QStringLiteral("mean")), kWaitMs);
        QVERIFY(!canvas().heat().isMean());
        int alone = 0;
        for (std::int64_t ps = 0; ps < record().finish.ps; ps += record().finish.ps / 200) {
            timeline().setTimeCursor(ps);
            double sum = 0;
            double others = 0;
            for (const LinkUse& use : record().links) {
                sum += heatOf(use);
                others += use.link == slow.link ? 0 : heatOf(use);
            }
            const LinksOverTime links(canvas().layoutOfPlatform()->platform(), record());
            const auto window = links.windowAt(SimTime{ps});
            const LinksOverTime::Use use = links.use(0, *window);
            QVERIFY(std::abs(sum - static_cast<double>(use.busyPs) / static_cast<double>(window->endPs - window->beginPs)) < 1e-5);
            alone += heatOf(slow) == 1.0 && others == 0 ? 1 : 0;
        }
        // The six messages of the slow link take 600 us, the eighteen of the other three 360 us at most.
        const double atLeast = 200 * 240.0 * kMicro / static_cast<double>(record().finish.ps) - 10; // Windows at both ends of messages.
        QVERIFY2(alone > atLeast && atLeast > 50, qPrintable(QStringLiteral("%1, %2").arg(alone).arg(atLeast)));
        timeline().setTimeCursor(std::nullopt);
        QCOMPARE(canvas().heatMeaning(), QStringLiteral("link busy, whole run"));
    }

    void T14_theHeatFollowsThePointerUnlessThereIsACursor()
    {
        const TimelineGeometry& geometry = timeline().timeGeometry();
        point(geometry.xOf(31 * kMicro));
        QVERIFY(canvas().heatMeaning().startsWith(QStringLiteral("link busy at 31.0")) || canvas().heatMeaning().startsWith(QStringLiteral("link busy at 30.9")));
        QCOMPARE(heatOf(record().links.front()), 1.0);
        timeline().setTimeCursor(20 * kMicro + kMicro / 2);
        QCOMPARE(heatOf(record().links.front()), 0.0);
        point(geometry.xOf(52 * kMicro));
        QCOMPARE(heatOf(record().links.front()), 0.0);
        timeline().setTimeCursor(std::nullopt);
        QCOMPARE(heatOf(record().links.front()), 1.0);
        leave();
        QCOMPARE(canvas().heatMeaning(), QStringLiteral("link busy, whole run"));
    }

    /// What a graph keeps is the busy time of all its links together, and which of them carried anything.
    void T14_theLegendOfAGraphSaysWhatItIsTheMeanOf()
    {
        timeline().setTimeCursor(40 * kMicro);
        open(write(QStringLiteral("graph.yaml"), kGraphOfTwo));
        QVERIFY(!timeline().timeCursor()); // Of another design.
        leave();
        QCOMPARE(canvas().heatMeaning(), QStringLiteral("link busy, whole run"));
        timeline().setTimeCursor(record().finish.ps / 2);
        QVERIFY2(canvas().heatMeaning().endsWith(QStringLiteral(", mean of links in use")), qPrintable(canvas().heatMeaning()));
    }

    void T15_playbackReachesTheEndAndStops()
    {
        QAction& play = *m_window->commands().action(QStringLiteral("timeline.play"));
        play.trigger();
        QVERIFY(playback().isPlaying());
        QVERIFY(explore().playbackBar().isVisible());
        playback().advance(1);
        QVERIFY(canvas().heatMeaning().startsWith(QStringLiteral("link busy at ")));
        QVERIFY(*timeline().timeCursor() >= 12'600'000);
        playback().advance(10);
        QVERIFY(!playback().isPlaying());
        QCOMPARE(*timeline().timeCursor(), record().finish.ps);
        QCOMPARE(canvas().heatMeaning().section(QLatin1Char(','), 0, 0), QStringLiteral("link busy at 126.00\u202F\u00B5s")); // Of which links: as far as they have been followed by now.
        play.trigger();
        QVERIFY(playback().isPlaying());
        QVERIFY(*timeline().timeCursor() < record().finish.ps / 2);
    }

    void T15_spaceOnThePlatformAndPInTheTimelineToggle()
    {
        m_window->activateWindow();
        canvas().setFocus();
        QTRY_VERIFY_WITH_TIMEOUT(canvas().hasFocus(), kWaitMs);
        QTest::keyClick(&canvas(), Qt::Key_Space);
        QVERIFY(playback().isPlaying());
        QTest::keyClick(&canvas(), Qt::Key_Space);
        QVERIFY(!playback().isPlaying());
        timeline().setFocus();
        QTRY_VERIFY_WITH_TIMEOUT(timeline().hasFocus(), kWaitMs);
        QTest::keyClick(&timeline(), Qt::Key_P);
        QVERIFY(playback().isPlaying());
        QTest::keyClick(&timeline(), Qt::Key_P);
        QVERIFY(!playback().isPlaying());
        const std::vector<QAction*> found = m_window->commands().search(QStringLiteral("play or pause"));
        QVERIFY(!found.empty());
        QCOMPARE(ActionRegistry::idOf(*found.front()), QStringLiteral("timeline.play"));
    }
};

FABRICSCOPE_GUI_TEST(WindowHeatTest)
#include "tst_window_heat.moc"
