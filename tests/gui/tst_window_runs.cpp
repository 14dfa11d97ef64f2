// Runs in the whole window: they happen beside it, show themselves while they go, stop when told, and say what they were made of.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "widgets/base/actions.h"
#include "widgets/design/document.h"
#include "widgets/results/inspector.h"
#include "widgets/timeline/view.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace fabricscope;

namespace {

using fabricscope::test::kLongMs;

/// Many seconds for the event engine: computations last differently on every rank, so nothing repeats and nothing can be shortened.
QByteArray longDesign()
{
    QByteArray text = "fabricscope: 1\nname: Long\nplatform:\n  dimensions:\n    - {shape: ring, size: 64, bandwidth: 50 GB/s, latency: 500 ns}\n"
                      "    - {shape: ring, size: 16, bandwidth: 25 GB/s, latency: 1 us}\n  npu: {memory_bandwidth: 2 TB/s}\n  overrides:\n    links:\n"
                      "      - {link: d0 3>4, bandwidth: 12 GB/s}\n"
                      "workload:\n  steps:\n    - repeat: 400\n      steps:\n        - {compute: 10 us}\n        - {collective: all_reduce, size: 16 MiB}\n"
                      "network: {jitter: {compute: {distribution: uniform, deviation: 0.01}}}\nmodel: {name: links}\n";
    return text;
}

QByteArray shortDesign()
{
    return "fabricscope: 1\nname: Short\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n"
           "workload:\n  collective: all_reduce\n  size: 1 MiB\nmodel: {name: links}\n";
}

} // namespace

class WindowRunsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    void open(const QByteArray& text) { m_window->files().openText(text, QStringLiteral("test.yaml")); }

private slots:
    void initTestCase()
    {
        test::useOwnHome(m_home);
    }

    void init()
    {
        m_window = test::shownWindow({1280, 800});
        QVERIFY(m_window);
    }

    void cleanup() { m_window.reset(); }

    void R1_theWindowGoesOnWhileARunGoesOn()
    {
        open(longDesign());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->runs().isBusy(), kLongMs);
        // Events of the window are handled between the events of the run: a hundred ticks come while it runs.
        int ticks = 0;
        QTimer timer;
        connect(&timer, &QTimer::timeout, this, [&ticks] { ++ticks; });
        timer.start(5);
        QTRY_VERIFY_WITH_TIMEOUT(ticks >= 100, kLongMs);
        QVERIFY2(m_window->runs().isBusy(), "the run is over too early to show anything");
        // And an edit is taken at once.
        const Status edited = m_window->document().edit(QStringLiteral("name"), [](YamlDocument& yaml) { return yaml.set("name", std::string("Edited")); });
        QVERIFY(edited);
        QCOMPARE(m_window->document().design()->name, std::string("Edited"));
        m_window->runs().cancel();
    }

    void R2_aLongRunShowsProgressAndPartsThenStopsWithWhatThereIs()
    {
        QSignalSpy progress(&m_window->runs(), &RunController::progressed);
        QSignalSpy parts(&m_window->runs(), &RunController::partial);
        QSignalSpy cancelled(&m_window->runs(), &RunController::cancelled);
        open(longDesign());
        QTRY_VERIFY_WITH_TIMEOUT(parts.count() >= 2, kLongMs);
        QVERIFY(progress.count() >= 2);
        const auto newest = progress.last().first().value<RunProgress>();
        QVERIFY(newest.share > 0 && newest.share < 1);
        QVERIFY(newest.events > 0);
        QVERIFY(newest.eventsPerSecond > 0);

        // What there is so far is on show: the timeline ends where the simulation is.
        const RunResultPtr part = m_window->history().shown();
        QVERIFY(part && part->isPartial());
        QVERIFY(test::part<ExploreView>(*m_window).timeline().source());
        QCOMPARE(test::part<ExploreView>(*m_window).timeline().source()->finish(), part->record().finish);
        QVERIFY(!m_window->history().current());

        m_window->commands().action(QStringLiteral("run.stop"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(cancelled.count() == 1, kLongMs);
        QVERIFY(!m_window->runs().isBusy());
        const auto last = cancelled.first().first().value<RunResultPtr>();
        QVERIFY(last && last->isPartial());
        QCOMPARE(m_window->history().shown(), last);
        QVERIFY2(last->record().cutAt->ps >= part->record().cutAt->ps, "the last part reaches at least as far");
    }

    void R2_stoppedTwiceIsStoppedOnce()
    {
        QSignalSpy idle(&m_window->runs(), &RunController::idle);
        open(longDesign());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->runs().isBusy(), kLongMs);
        m_window->runs().cancel();
        m_window->runs().cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), kLongMs);
        open(shortDesign());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current(), kLongMs);
    }

    void R3_theSameDesignGivesTheSameFingerprintAndSaysWhatItIsOf()
    {
        open(shortDesign());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current(), kLongMs);
        const RunResultPtr first = m_window->history().current();
        QSignalSpy shown(m_window.get(), &MainWindow::resultShown);
        m_window->commands().action(QStringLiteral("run.start"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(shown.count() == 1, kLongMs);
        const RunResultPtr second = m_window->history().current();
        QVERIFY(first != second);
        QCOMPARE(second->record().fingerprint, first->record().fingerprint);
        QCOMPARE(second->summary.designHash, first->summary.designHash);
        QCOMPARE(first->record().version, std::string("physical/4"));
        QVERIFY(!first->summary.designHash.empty());
        // Running the same again compares with nothing.
        QVERIFY(!m_window->history().previous());
    }

    void newResultsOfAnEditStandBesideTheOldOnes()
    {
        open(shortDesign());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current(), kLongMs);
        const RunResultPtr before = m_window->history().current();
        const Status edited = m_window->document().edit(QStringLiteral("D0 bandwidth 100 GB/s"), [](YamlDocument& yaml) { return yaml.set("platform.dimensions[0].bandwidth", std::string("100 GB/s")); });
        QVERIFY(edited);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() != before, kLongMs);
        QCOMPARE(m_window->history().previous(), before);
        QCOMPARE(m_window->history().since(), QStringLiteral("since D0 bandwidth was 50\u202FGB/s"));
        // Six messages of 128 KiB one after the other, each way round: 6 (D + L) with D = 131072 / 50 GB/s, and half of D at twice the rate.
        QCOMPARE(before->record().finish.ps - m_window->history().current()->record().finish.ps, 6 * (2'621'440 - 1'310'720));
    }

    void aPinnedResultStaysTheOneToCompareWith()
    {
        open(shortDesign());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current(), kLongMs);
        const RunResultPtr pinned = m_window->history().current();
        m_window->commands().action(QStringLiteral("run.pin"))->trigger();
        for (const char* rate : {"60 GB/s", "70 GB/s"}) {
            const RunResultPtr before = m_window->history().current();
            const Status edited = m_window->document().edit(QString::fromLatin1(rate), [rate](YamlDocument& yaml) { return yaml.set("platform.dimensions[0].bandwidth", std::string(rate)); });
            QVERIFY(edited);
            QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() != before, kLongMs);
            QCOMPARE(m_window->history().previous(), pinned);
        }
    }

    void aDesignWithAnErrorKeepsTheLastPictureAndSaysWhy()
    {
        open(shortDesign());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current(), kLongMs);
        const RunResultPtr before = m_window->history().current();
        const Status edited = m_window->document().edit(QStringLiteral("bandwidth 0"), [](YamlDocument& yaml) { return yaml.set("platform.dimensions[0].bandwidth", std::string("0 GB/s")); });
        QVERIFY(edited);
        QVERIFY(m_window->document().hasErrors());
        QCOMPARE(m_window->history().current(), before);
        QVERIFY(!m_window->runs().isBusy());
        m_window->document().undoStack().undo();
        QVERIFY(!m_window->document().hasErrors());
    }

    void closingWhileARunGoesOnEndsIt()
    {
        open(longDesign());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->runs().isBusy(), kLongMs);
        QElapsedTimer clock;
        clock.start();
        m_window.reset();
        QVERIFY2(clock.elapsed() < kLongMs, "the window waits for the whole run");
    }
};

FABRICSCOPE_GUI_TEST(WindowRunsTest)
#include "tst_window_runs.moc"
