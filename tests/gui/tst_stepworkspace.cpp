#include "tests/gui/support/patience.h"
#include "tests/gui/support/withtheme.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/pictures.h"
#include "tests/gui/stepcase.h"
#include "widgets/step/movecanvas.h"
#include "widgets/step/movefacts.h"
#include "widgets/step/lanesview.h"
#include "widgets/step/movelists.h"
#include "widgets/step/chunkmatrix.h"
#include "widgets/step/storyboard.h"
#include "widgets/step/transport.h"
#include "widgets/step/whyview.h"
#include "widgets/base/backgroundthreads.h"
#include "widgets/step/chunkworkspace.h"
#include "tests/unit/support/testprogram.h"

#include <QAbstractItemModelTester>
#include <QAbstractButton>
#include <QAccessible>
#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTableView>
#include <QToolButton>

using namespace fabricscope;
using namespace fabricscope::test;

class StepWorkspaceTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<StepWorkspace> m_workspace;

    /// Every answer under way has come, also those that nobody waits for.
    static void deliverAnswers()
    {
        BackgroundThreads::global().waitForDone();
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents();
    }

    void open()
    {
        m_workspace = std::make_unique<StepWorkspace>();
        m_workspace->resize(1400, 900);
        m_workspace->show();
        m_workspace->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_workspace.get()));
    }
    void openRing(int chunks = 1)
    {
        open();
        m_workspace->showSteps(stepsOf(allReduce(Shape::Ring, 4, Algorithm::Ring, chunks)));
        part<StepCanvas>(*m_workspace).setFocus();
    }
    void openRun(const RunResultPtr& run)
    {
        open();
        m_workspace->setRun(run);
        QTRY_VERIFY2_WITH_TIMEOUT(m_workspace->player()->replay() != nullptr, qPrintable(message()), 20000);
    }

    /// Sentence in the middle; empty while steps are shown.
    QString message() const
    {
        const QLabel& label = tagged<QLabel>(*m_workspace, "message");
        return label.isVisibleTo(m_workspace.get()) ? label.text() : QString();
    }
    QTableView& stepTable() const { return named<QTableView>(*m_workspace, "Steps of the chunk"); }
    QTableView& moveTable() const { return named<QTableView>(*m_workspace, "Moves of the step"); }
    QAbstractButton& cardOfStep(int step) const
    {
        for (auto* card : part<Storyboard>(*m_workspace).findChildren<QAbstractButton*>())
            if (card->accessibleName().startsWith(QStringLiteral("Step %1,").arg(step)))
                return *card;
        qFatal("no card of step %d", step);
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void cleanup() { m_workspace.reset(); }

    void C1_keysWorkWhereverTheFocusIs()
    {
        openRing();
        StepPlayer& player = *m_workspace->player();
        const QList<QWidget*> places{&part<StepCanvas>(*m_workspace), &stepTable(), &moveTable(), &part<StepLanes>(*m_workspace), &part<QSlider>(part<StepTransport>(*m_workspace))};
        for (QWidget* place : places) {
            place->setFocus();
            QTest::keyClick(place, Qt::Key_Home);
            QCOMPARE(player.step(), 0);
            QTest::keyClick(place, Qt::Key_Right);
            QTest::keyClick(place, Qt::Key_Right);
            QCOMPARE(player.step(), 2);
            QCOMPARE(part<StepTransport>(*m_workspace).stepText(), QStringLiteral("Step 3 of 6"));
            QTest::keyClick(place, Qt::Key_Left);
            QCOMPARE(player.step(), 1);
            QTest::keyClick(place, Qt::Key_End);
            QCOMPARE(player.step(), 5);
            QVERIFY(player.timePs() == player.endPs());
            // From the end back: first to the start of the last step.
            QTest::keyClick(place, Qt::Key_Left);
            QCOMPARE(player.step(), 5);
            QCOMPARE(player.timePs(), 5 * (kSendPs + kHopPs));
            QTest::keyClick(place, Qt::Key_Space);
            QVERIFY(player.isPlaying());
            QTest::keyClick(place, Qt::Key_Space);
            QVERIFY(!player.isPlaying());
        }
    }

    void C1_buttonsDoWhatTheKeysDo()
    {
        openRing();
        StepPlayer& player = *m_workspace->player();
        const StepTransport& transport = part<StepTransport>(*m_workspace);
        QToolButton& last = named<QToolButton>(transport, "Last step, everything arrived");
        QToolButton& back = named<QToolButton>(transport, "One step back");
        QPushButton& play = part<QPushButton>(transport);
        last.click();
        QVERIFY(player.timePs() == player.endPs());
        back.click();
        back.click();
        QCOMPARE(player.step(), 4);
        named<QToolButton>(transport, "One step forward").click();
        QCOMPARE(player.step(), 5);
        named<QToolButton>(transport, "First step").click();
        QCOMPARE(player.step(), 0);
        QCOMPARE(play.accessibleName(), QStringLiteral("Play"));
        play.click();
        QVERIFY(player.isPlaying());
        QCOMPARE(play.accessibleName(), QStringLiteral("Pause"));
        play.click();
        QVERIFY(!player.isPlaying());
    }

    void C1_spaceStillPressesTheFocusedButton()
    {
        openRing();
        QToolButton& last = named<QToolButton>(part<StepTransport>(*m_workspace), "Last step, everything arrived");
        last.setFocus();
        QTest::keyClick(&last, Qt::Key_Space);
        QVERIFY(m_workspace->player()->timePs() == m_workspace->player()->endPs());
        QVERIFY(!m_workspace->player()->isPlaying());
    }

    void C1_theSliderGoesOverTheTimeOfTheChunk()
    {
        openRing();
        StepPlayer& player = *m_workspace->player();
        QSlider& slider = part<QSlider>(part<StepTransport>(*m_workspace));
        slider.setValue(StepTransport::kSliderSteps / 2);
        // Half of six equal steps: the fourth begins.
        QCOMPARE(player.timePs(), 3 * (kSendPs + kHopPs));
        QCOMPARE(player.step(), 3);
        slider.setValue(StepTransport::kSliderSteps);
        QVERIFY(player.timePs() == player.endPs());
        player.setStep(1);
        QCOMPARE(slider.value(), qRound(StepTransport::kSliderSteps / 6.0));
    }

    void C1_playGoesAtTheChosenSpeedAndStopsWhereAsked()
    {
        openRing();
        StepPlayer& player = *m_workspace->player();
        const qint64 each = kSendPs + kHopPs;
        player.setSpeed(1e9); // 1 ms of the collective in a second.
        player.advance(0.25);
        QCOMPARE(player.timePs(), qint64{250'000'000});
        player.advance(1.0);
        QCOMPARE(player.timePs(), qint64{1'250'000'000});
        QCOMPARE(player.step(), 1);

        named<QToolButton>(part<StepTransport>(*m_workspace), QStringLiteral("Stop at each step")).click();
        QTest::keyClick(&part<StepCanvas>(*m_workspace), Qt::Key_Space);
        QVERIFY(player.isPlaying());
        player.advance(100);
        QVERIFY(!player.isPlaying());
        QCOMPARE(player.timePs(), 2 * each);
        QCOMPARE(player.step(), 2);

        named<QToolButton>(part<StepTransport>(*m_workspace), QStringLiteral("Stop at each step")).click();
        player.play();
        player.advance(100);
        QVERIFY(!player.isPlaying());
        QCOMPARE(player.timePs(), 6 * each);
        // From the end it plays again from the start.
        player.play();
        QCOMPARE(player.step(), 0);
        player.pause();
    }

    void C1_speedsSuitTheLengthOfTheChunk()
    {
        openRing();
        m_workspace->resize(1800, 900);
        QTRY_COMPARE(m_workspace->width(), 1800);
        const QComboBox& box = named<QComboBox>(part<StepTransport>(*m_workspace), QStringLiteral("Speed"));
        QVERIFY(box.count() >= 4);
        // 6.297 ms in 10 to 25 s.
        QCOMPARE(box.currentText().replace(QChar(0x202F), QLatin1Char(' ')), QStringLiteral("500 µs per second"));
        QCOMPARE(m_workspace->player()->speed(), 5e8);
        // Little width: short texts, the same speed.
        m_workspace->resize(1200, 700);
        QTRY_COMPARE(box.currentText().replace(QChar(0x202F), QLatin1Char(' ')), QStringLiteral("500 µs/s"));
        QCOMPARE(m_workspace->player()->speed(), 5e8);
    }

    void arrowsInTheMatrixMoveItsCellNotTheStep()
    {
        openRing();
        OwnershipMatrix& matrix = part<OwnershipMatrix>(*m_workspace);
        matrix.setFocus();
        QTest::keyClick(&matrix, Qt::Key_Right);
        QTest::keyClick(&matrix, Qt::Key_Down);
        QCOMPARE(matrix.accessibleDescription(), QStringLiteral("NPU 1, part 1: 1 of 4 contributions"));
        QCOMPARE(m_workspace->player()->step(), 0);
        QTest::keyClick(&matrix, Qt::Key_End);
        QCOMPARE(m_workspace->player()->step(), 5);
    }

    void tablesFollowThePlayerAndLeadIt()
    {
        openRing();
        const StepTableModel& steps = part<StepTableModel>(*m_workspace);
        const MoveTableModel& moves = part<MoveTableModel>(*m_workspace);
        StepPlayer& player = *m_workspace->player();
        player.setStep(4);
        QCOMPARE(stepTable().currentIndex().row(), 4);
        QTest::mouseClick(stepTable().viewport(), Qt::LeftButton, Qt::NoModifier, stepTable().visualRect(steps.index(2, 1)).center());
        QCOMPARE(player.step(), 2);
        QTest::mouseClick(moveTable().viewport(), Qt::LeftButton, Qt::NoModifier, moveTable().visualRect(moves.index(3, 0)).center());
        QCOMPARE(player.selectedMove(), qint64{2 * 4 + 3});
        player.selectMove(2 * 4 + 1);
        QCOMPARE(moveTable().currentIndex().row(), 1);
        cardOfStep(6).click();
        QCOMPARE(player.step(), 5);
        QCOMPARE(stepTable().currentIndex().row(), 5);
    }

    void aClickOnTheLanesSetsTheTime()
    {
        openRing();
        StepLanes& lanes = part<StepLanes>(*m_workspace);
        const qint64 wanted = 2 * (kSendPs + kHopPs) + kSendPs / 2;
        QTest::mouseClick(&lanes, Qt::LeftButton, Qt::NoModifier, QPoint(qRound(lanes.xOf(wanted)), lanes.height() - 10));
        QCOMPARE(m_workspace->player()->step(), 2);
        QVERIFY(std::abs(m_workspace->player()->timePs() - wanted) < kSendPs / 20);
        QCOMPARE(lanes.lanes().size(), std::size_t{3}); // Dimension, link of the source, what the target receives.
        QCOMPARE(lanes.lanes()[0].label, QStringLiteral("D0, 4 links"));
        QCOMPARE(lanes.lanes()[0].spans.size(), std::size_t{6});
    }

    void modelsPassTheTester()
    {
        openRing(2);
        QAbstractItemModelTester steps(&part<StepTableModel>(*m_workspace), QAbstractItemModelTester::FailureReportingMode::Fatal);
        QAbstractItemModelTester moves(&part<MoveTableModel>(*m_workspace), QAbstractItemModelTester::FailureReportingMode::Fatal);
        m_workspace->player()->setChunk(1);
        m_workspace->player()->last();
        m_workspace->player()->first();
        m_workspace->showSteps(stepsOf(allReduce(Shape::Switch, 4, Algorithm::Direct)));
        QCOMPARE(part<MoveTableModel>(*m_workspace).rowCount(), 12);
        m_workspace->setRun(nullptr);
        QCOMPARE(part<StepTableModel>(*m_workspace).rowCount(), 0);
        QCOMPARE(part<MoveTableModel>(*m_workspace).rowCount(), 0);
    }

    void A5_everyWidgetThatTakesTheFocusHasAName()
    {
        openRun(runOf(kPod));
        int focusable = 0;
        for (QWidget* widget : m_workspace->findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus)
                continue;
            QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(widget);
            QVERIFY(accessible);
            QVERIFY2(!accessible->text(QAccessible::Name).isEmpty(), widget->metaObject()->className());
            ++focusable;
        }
        QVERIFY(focusable > 15);
        QVERIFY(part<StepCanvas>(*m_workspace).accessibleDescription().startsWith(QStringLiteral("Step 1 of ")));
    }

    void aRunOffersItsCollectivesAndPreparesTheFirst()
    {
        openRun(runOf(kPod));
        StepFacts& facts = part<StepFacts>(*m_workspace);
        QCOMPARE(named<QComboBox>(facts, "Collective to step through").count(), 2);
        QVERIFY(named<QComboBox>(facts, "Collective to step through").itemText(0).startsWith(QStringLiteral("gradient sum")));
        QCOMPARE(named<QComboBox>(facts, "Group of the collective").count(), 8); // Eight NPUs of a box, each with its own group.
        QCOMPARE(facts.collectives().size(), std::size_t{16});
        QCOMPARE(m_workspace->player()->replay()->size(), 16);
        QCOMPARE(m_workspace->player()->replay()->chunks(), 4);
        QCOMPARE(m_workspace->player()->stepCount(), 8); // 3 ring steps, 1 direct, and back.
        QVERIFY(named<QLabel>(facts, QStringLiteral("✓ Verified")).isVisible());
        QVERIFY(message().isEmpty());

        QSignalSpy moves(m_workspace.get(), &StepWorkspace::moveSelected);
        named<QComboBox>(facts, "Collective to step through").setCurrentIndex(1);
        QTRY_COMPARE_WITH_TIMEOUT(m_workspace->player()->replay()->bytes(), 12 * kBlock, 20000);
        QVERIFY(!moves.isEmpty());
        m_workspace->selectInstance(facts.collectives().front().instance);
        QTRY_COMPARE_WITH_TIMEOUT(m_workspace->player()->replay()->bytes(), 48 * kBlock, 20000);
    }

    void theStepAndChunkStayWhenTheDesignRunsAgain()
    {
        openRun(runOf(kPod));
        m_workspace->player()->setChunk(2);
        m_workspace->player()->setStep(3);
        const CollectiveReplayPtr before = m_workspace->player()->replay();
        std::string faster = kPod;
        faster.replace(faster.find("25 GB/s"), 7, "50 GB/s");
        m_workspace->setRun(runOf(faster));
        QTRY_VERIFY_WITH_TIMEOUT(m_workspace->player()->replay() != before, 20000);
        QCOMPARE(m_workspace->player()->chunk(), 2);
        QCOMPARE(m_workspace->player()->step(), 3);
    }

    void nothingIsPreparedWhileTheWorkspaceIsHidden()
    {
        StepWorkspace workspace;
        workspace.setRun(runOf(kPod));
        QVERIFY(!workspace.loader()->isLoading());
        deliverAnswers();
        QVERIFY(!workspace.player()->replay());
        workspace.show();
        QTRY_VERIFY_WITH_TIMEOUT(workspace.player()->replay() != nullptr, 20000);
    }

    void olderAnswersAreDropped()
    {
        StepLoader loader;
        QSignalSpy loaded(&loader, &StepLoader::loaded);
        QSignalSpy canceled(&loader, &StepLoader::canceled);
        const auto runOfScenario = [](const ScenarioPtr& scenario) {
            auto run = std::make_shared<RunResult>();
            run->scenario = scenario;
            return run;
        };
        const RunResultPtr first = runOfScenario(allReduce(Shape::Ring, 4, Algorithm::Ring));
        const RunResultPtr second = runOfScenario(allReduce(Shape::Ring, 5, Algorithm::Ring));
        loader.load(first, 0);
        loader.load(second, 0);
        QTRY_COMPARE_WITH_TIMEOUT(loaded.count(), 1, 20000);
        deliverAnswers();
        QCOMPARE(loaded.count(), 1);
        QCOMPARE(canceled.count(), 0); // Nor does the one before it tell that it was stopped.
        QCOMPARE(loaded.front().front().value<LoadedSteps>().replay->size(), 5);

        loader.load(first, 0);
        loader.cancel();
        QCOMPARE(canceled.count(), 1);
        deliverAnswers();
        QCOMPARE(loaded.count(), 1);
        QCOMPARE(canceled.count(), 1);
    }

    void runsWithoutStepsSaySoAndOfferOneThing()
    {
        open();
        QCOMPARE(message(), QStringLiteral("Nothing has run yet."));
        QSignalSpy run(m_workspace.get(), &StepWorkspace::runRequested);
        named<QPushButton>(*m_workspace, QStringLiteral("Run")).click();
        QCOMPARE(run.count(), 1);

        m_workspace->setRun(runOf("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}\n"
                                  "workload:\n  steps:\n    - {compute: 1 ms}\n"));
        QTRY_COMPARE(message(), QStringLiteral("This run has no collective that sends messages."));
        QVERIFY(named<QPushButton>(*m_workspace, QStringLiteral("Run again")).isVisibleTo(m_workspace.get()));

        m_workspace->setRun(runOf("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 1, bandwidth: 50 GB/s, latency: 1 us}\n"
                                  "workload: {collective: all_reduce, size: 1 MiB}\n"));
        QTRY_COMPARE(message(), QStringLiteral("This run has one rank: it has nothing to exchange."));
        for (const QPushButton* button : m_workspace->findChildren<QPushButton*>())
            QVERIFY(button->text() != QStringLiteral("Run again") || !button->isVisibleTo(m_workspace.get()));

        std::string astra = kPod;
        astra += "model: {name: astra-unaware}\n";
        m_workspace->setRun(runOf(astra));
        QTRY_VERIFY(message().startsWith(QStringLiteral("Stepping shows the models links and ideal")));
        QSignalSpy links(m_workspace.get(), &StepWorkspace::linksModelRequested);
        named<QPushButton>(*m_workspace, QStringLiteral("Run under links")).click();
        QCOMPARE(links.count(), 1);
    }

    /// Saves pictures to look at into the folder $FABRICSCOPE_PICTURES.
    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        const RunResultPtr pod = runOf(kPod);
        const auto save = [&](const QString& name, const RunResultPtr& run, Theme::Mode mode, QSize size, double base, double ratio, int step, double share) {
            const Theme theme(mode, base);
            const test::WithTheme themed(theme);
            StepWorkspace workspace;
            workspace.resize(size);
            workspace.show();
            workspace.setRun(run);
            QTRY_VERIFY_WITH_TIMEOUT(workspace.player()->replay() != nullptr, 60000);
            workspace.player()->setStep(step);
            const ReplayStep* at = workspace.player()->currentStep();
            workspace.player()->setTime(at->beginPs + static_cast<qint64>(static_cast<double>(at->endPs - at->beginPs) * share));
            deliverAnswers();
            QImage image(size * ratio, QImage::Format_RGB32);
            image.setDevicePixelRatio(ratio);
            image.fill(theme.color(Role::Window));
            workspace.render(&image);
            QVERIFY(image.save(folder + QLatin1Char('/') + name + QStringLiteral(".png")));
        };
        save(QStringLiteral("step_light"), pod, Theme::Mode::Light, QSize(1600, 888), 13, 1, 3, 0.4);
        save(QStringLiteral("step_dark"), pod, Theme::Mode::Dark, QSize(1600, 888), 13, 1, 3, 0.4);
        if (qEnvironmentVariableIsSet("FABRICSCOPE_PICTURES_FEW"))
            return;
        save(QStringLiteral("step_gather"), pod, Theme::Mode::Light, QSize(1600, 888), 13, 1, 5, 0.4);
        save(QStringLiteral("step_small"), pod, Theme::Mode::Light, QSize(1280, 700), 13, 1, 1, 0.5);
        save(QStringLiteral("step_least"), pod, Theme::Mode::Dark, QSize(1024, 540), 13, 1, 1, 0.5);
        save(QStringLiteral("step_2x"), pod, Theme::Mode::Light, QSize(1280, 700), 13, 2, 3, 0.3);
        save(QStringLiteral("step_large_text"), pod, Theme::Mode::Light, QSize(1600, 888), 19.5, 1, 3, 0.4);
        save(QStringLiteral("step_wide"), pod, Theme::Mode::Dark, QSize(2560, 1328), 13, 1, 3, 0.4);
        const auto one = [](const std::string& dimensions, const std::string& algorithm, const std::string& op = "all_reduce") {
            return runOf("fabricscope: 1\nplatform:\n  dimensions:\n" + dimensions + "  npu: {memory_bandwidth: 2 TB/s}\nworkload:\n  collective: " + op + "\n  size: 64 MiB\ncollectives:\n  default: {algorithm: "
                         + algorithm + ", chunks: 2}\n");
        };
        const auto dimension = [](const std::string& shape, int size) { return "    - {shape: " + shape + ", size: " + std::to_string(size) + ", bandwidth: 50 GB/s, latency: 1 us}\n"; };
        save(QStringLiteral("step_ring8"), one(dimension("ring", 8), "ring"), Theme::Mode::Light, QSize(1600, 888), 13, 1, 4, 0.5);
        save(QStringLiteral("step_full8"), one(dimension("fully_connected", 8), "direct"), Theme::Mode::Light, QSize(1600, 888), 13, 1, 0, 0.5);
        save(QStringLiteral("step_switch16"), one(dimension("switch", 16), "halving_doubling"), Theme::Mode::Light, QSize(1600, 888), 13, 1, 2, 0.5);
        save(QStringLiteral("step_torus"), one(dimension("ring", 4) + dimension("ring", 4) + dimension("ring", 4), "ring"), Theme::Mode::Light, QSize(1600, 888), 13, 1, 4, 0.5);
        save(QStringLiteral("step_hgx"), one(dimension("switch", 8) + dimension("switch", 4), "auto"), Theme::Mode::Dark, QSize(1600, 888), 13, 1, 2, 0.5);
        save(QStringLiteral("step_alltoall"), one(dimension("switch", 8), "direct", "all_to_all"), Theme::Mode::Light, QSize(1600, 888), 13, 1, 0, 0.5);
        save(QStringLiteral("step_512"), one(dimension("switch", 8) + dimension("switch", 64), "halving_doubling"), Theme::Mode::Light, QSize(1600, 888), 13, 1, 4, 0.5);
    }
};

FABRICSCOPE_GUI_TEST(StepWorkspaceTest)
#include "tst_stepworkspace.moc"
