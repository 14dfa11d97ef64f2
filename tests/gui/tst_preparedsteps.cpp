// Steps that were prepared before are served again where nothing can have changed, and nowhere else.
#include "core/step/collectivelist.h"
#include "sourcedir.h"
#include "tests/gui/stepcase.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/step/chunkworkspace.h"
#include "widgets/step/movefacts.h"
#include "widgets/step/player.h"
#include "widgets/step/preparedsteps.h"

#include <QLabel>
#include <QSignalSpy>
#include <QtTest>

#include <algorithm>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using fabricscope::test::kLongMs;

/// As the window runs it: the number says that it was run here.
RunResultPtr numberedRun(const Result<LoadedDesign>& design, std::int64_t number)
{
    if (!design)
        qFatal("%s", design.error().text().c_str());
    RunDesignOptions options;
    options.number = number;
    auto run = runDesign(std::make_shared<const Design>(design.value().design), design.value().diagnostics, options);
    if (!run)
        qFatal("%s", run.error().text().c_str());
    return run.value();
}

RunResultPtr runExample(const QString& name, std::int64_t number)
{
    return numberedRun(readDesign(std::string(FABRICSCOPE_SOURCE_DIR) + "/resources/examples/" + name.toStdString() + ".yaml"), number);
}

RunResultPtr runText(const std::string& text, std::int64_t number)
{
    return numberedRun(readDesignText(text, "design.yaml"), number);
}

std::string replaced(std::string text, const std::string& what, const std::string& with)
{
    const std::size_t at = text.find(what);
    if (at == std::string::npos)
        qFatal("no %s", what.c_str());
    return text.replace(at, what.size(), with);
}

/// 16 NPUs over three levels, in 8 chunks that need not all go the same way.
const char* const kLevels = R"(fabricscope: 1
platform:
  dimensions:
    - {shape: switch, size: 4, npu_bandwidth: 800 GB/s, latency: 500 ns}
    - {shape: switch, size: 2, npu_bandwidth: 200 GB/s, latency: 500 ns}
    - {shape: switch, size: 2, npu_bandwidth: 100 GB/s, latency: 500 ns}
workload:
  steps:
    - {collective: all_reduce, size: 8 MiB}
    - {collective: all_gather, size: 4 MiB}
    - {collective: reduce_scatter, size: 4 MiB}
    - {collective: all_to_all, size: 1 MiB}
collectives: {default: {algorithm: standard, chunks: 8}}
scheduling: {dimensions: baseline}
)";

auto wordsOf(const ReplayMove& move)
{
    return std::tuple(move.source, move.target, move.chunk, move.phase, move.step, move.slot, move.bytes, move.readyPs, move.leftPs, move.donePs, move.partCount, move.reduces, move.effect);
}

/// What of two replays can be seen differs here; empty: nothing.
QString difference(const CollectiveReplay& a, const CollectiveReplay& b)
{
    if (a.size() != b.size() || a.op() != b.op() || a.bytes() != b.bytes() || a.chunks() != b.chunks() || a.parts() != b.parts() || a.algorithmText() != b.algorithmText())
        return QStringLiteral("the collective");
    if (a.moves().size() != b.moves().size())
        return QStringLiteral("how many moves there are");
    for (std::size_t i = 0; i < a.moves().size(); ++i) {
        const ReplayMove& here = a.moves()[i];
        const ReplayMove& there = b.moves()[i];
        if (wordsOf(here) != wordsOf(there) || !std::ranges::equal(a.partsOf(here), b.partsOf(there)) || !std::ranges::equal(a.waysOf(here), b.waysOf(there)))
            return QStringLiteral("move %1").arg(i);
    }
    for (std::int32_t chunk = 0; chunk < a.chunks(); ++chunk) {
        if (!std::ranges::equal(a.completionOrder(chunk), b.completionOrder(chunk)) || a.steps(chunk).size() != b.steps(chunk).size())
            return QStringLiteral("the order in chunk %1").arg(chunk);
        if (a.initialState(chunk) != b.initialState(chunk) || a.chunkBytes(chunk) != b.chunkBytes(chunk))
            return QStringLiteral("the start of chunk %1").arg(chunk);
    }
    for (std::int32_t position = 0; position < a.size(); ++position) {
        if (a.rankAt(position) != b.rankAt(position) || a.nodeAt(position) != b.nodeAt(position))
            return QStringLiteral("position %1").arg(position);
    }
    return {};
}

/// Asks a loader and waits for its answer; one replay in all cases of a loader that has it.
LoadedSteps loadedBy(StepLoader& loader, const RunResultPtr& run, std::int32_t instance)
{
    QSignalSpy loaded(&loader, &StepLoader::loaded);
    loader.load(run, instance);
    if (!QTest::qWaitFor([&] { return !loaded.isEmpty(); }, kLongMs))
        qFatal("collective %d was not prepared", instance);
    return loaded.front().front().value<LoadedSteps>();
}

/// As the loader asks: what is surely of this run, else what is if the programs are the same.
bool isServed(PreparedSteps& prepared, const RunResult& run, std::int32_t instance)
{
    if (prepared.find(run, instance))
        return true;
    const auto like = prepared.findLike(run, instance);
    return like && like->program == programDigest(*run.scenario, instance);
}

std::vector<std::int32_t> steppable(const RunResult& run, std::size_t most)
{
    std::vector<std::int32_t> instances;
    for (const InstanceRun& each : collectivesOf(*run.scenario, run.record())) {
        if (each.steppable && instances.size() < most)
            instances.push_back(each.instance);
    }
    return instances;
}

} // namespace

class PreparedStepsTest : public QObject
{
    Q_OBJECT

private slots:
    void whatIsServedAgainIsWhatWouldBePreparedAnew_data()
    {
        QTest::addColumn<RunResultPtr>("first");
        QTest::addColumn<RunResultPtr>("again");
        for (const char* name : {"two-level-hgx", "ring-torus", "pipeline", "memory-pool", "dgx1-trees", "failing-link", "slow-link", "programs-networks", "unequal-groups", "reference", "collective-comparison"})
            QTest::newRow(name) << runExample(QString::fromLatin1(name), 1) << runExample(QString::fromLatin1(name), 2);
        for (const char* policy : {"baseline", "themis", "local_bw", "exact"}) {
            const std::string text = replaced(kLevels, "dimensions: baseline", std::string("dimensions: ") + policy);
            QTest::newRow(policy) << runText(text, 1) << runText(text, 2);
        }
    }

    /// Its own run and another of the same design are served without simulating: it is the very replay.
    void whatIsServedAgainIsWhatWouldBePreparedAnew()
    {
        QFETCH(RunResultPtr, first);
        QFETCH(RunResultPtr, again);
        StepLoader loader;
        const std::vector<std::int32_t> instances = steppable(*again, 6);
        QVERIFY(!instances.empty());
        std::vector<LoadedSteps> before;
        for (const std::int32_t instance : instances)
            before.push_back(loadedBy(loader, first, instance));
        for (std::size_t i = 0; i < instances.size(); ++i) {
            for (const RunResultPtr& run : {first, again}) {
                const LoadedSteps served = loadedBy(loader, run, instances[i]);
                QCOMPARE(served.replay, before[i].replay);
                const auto fresh = CollectiveReplay::create(run->scenario, instances[i]);
                QVERIFY(fresh);
                QCOMPARE(difference(*served.replay, *fresh.value()), QString());
                QCOMPARE(served.verified, verifySteps(fresh.value()));
            }
        }
    }

    void anEditedDesignIsNotServedOldMoves_data()
    {
        QTest::addColumn<std::string>("what");
        QTest::addColumn<std::string>("with");
        QTest::addColumn<bool>("differs");
        QTest::newRow("rate") << std::string("100 GB/s") << std::string("50 GB/s") << true;
        QTest::newRow("latency") << std::string("latency: 500 ns") << std::string("latency: 2 us") << true;
        QTest::newRow("size of the collective") << std::string("8 MiB") << std::string("16 MiB") << true;
        QTest::newRow("size of the group") << std::string("size: 4") << std::string("size: 8") << true;
        QTest::newRow("algorithm") << std::string("standard") << std::string("ring") << true;
        QTest::newRow("chunks") << std::string("chunks: 8") << std::string("chunks: 4") << true;
        QTest::newRow("policy") << std::string("dimensions: baseline") << std::string("dimensions: themis") << true;
        QTest::newRow("something after it") << std::string("all_gather, size: 4 MiB") << std::string("all_gather, size: 8 MiB") << false;
    }

    void anEditedDesignIsNotServedOldMoves()
    {
        QFETCH(std::string, what);
        QFETCH(std::string, with);
        QFETCH(bool, differs);
        const RunResultPtr before = runText(kLevels, 1);
        const RunResultPtr edited = runText(replaced(kLevels, what, with), 2);
        StepLoader loader;
        const LoadedSteps old = loadedBy(loader, before, 0);
        const LoadedSteps shown = loadedBy(loader, edited, 0);
        QVERIFY(shown.replay != old.replay);
        const auto fresh = CollectiveReplay::create(edited->scenario, 0);
        QVERIFY(fresh);
        QCOMPARE(difference(*shown.replay, *fresh.value()), QString());
        QCOMPARE(!difference(*shown.replay, *old.replay).isEmpty(), differs);
        // The edit is taken back and run again.
        QCOMPARE(loadedBy(loader, runText(kLevels, 3), 0).replay, old.replay);
    }

    /// What a run says of itself is not enough: a saved run can say anything, a search with a limit of time can end elsewhere.
    void onlyRunsThatWentTheSameShareSteps()
    {
        const RunResultPtr run = runText(kLevels, 1);
        const RunResultPtr faster = runText(replaced(kLevels, "100 GB/s", "200 GB/s"), 2);
        const RunResultPtr other = runText(replaced(kLevels, "standard", "ring"), 3);
        const auto replay = CollectiveReplay::create(run->scenario, 0);
        QVERIFY(replay);
        PreparedSteps prepared;
        prepared.keep(*run, 0, {replay.value(), true, programDigest(*run->scenario, 0)});
        QVERIFY(prepared.find(*run, 0));
        QVERIFY(!isServed(prepared, *run, 1));

        RunResult sameHash = *faster;
        sameHash.summary.designHash = run->summary.designHash;
        QVERIFY(!isServed(prepared, sameHash, 0)); // Other times.
        RunResult otherProgram = *other;
        otherProgram.summary = run->summary;
        QVERIFY(!isServed(prepared, otherProgram, 0));
        RunResult again = *runText(kLevels, 4);
        QVERIFY(isServed(prepared, again, 0));
        // The answer at once looks at no program: that of another run takes the digests, for which there is another thread.
        QVERIFY(!prepared.find(again, 0));
        again.number = 0; // Read from a file.
        QVERIFY(!isServed(prepared, again, 0));
        prepared.keep(again, 0, {replay.value(), true, programDigest(*again.scenario, 0)});
        QVERIFY(prepared.find(again, 0));
    }

    /// Not by the steps that were prepared, those on show, nor the list of collectives; seen or hidden.
    void aClosedDesignIsKeptByNothing()
    {
        for (const bool seen : {true, false}) {
            StepWorkspace workspace;
            workspace.show();
            RunResultPtr run = runText(kLevels, 1);
            const std::weak_ptr<const Scenario> scenario = run->scenario;
            workspace.setRun(run);
            QTRY_VERIFY_WITH_TIMEOUT(workspace.player()->replay() != nullptr, kLongMs);
            workspace.selectInstance(2);
            QTRY_COMPARE_WITH_TIMEOUT(workspace.player()->replay()->instance(), 2, kLongMs);
            run.reset();
            QVERIFY(!scenario.expired());
            workspace.setVisible(seen);
            workspace.setRun(nullptr);
            QTRY_VERIFY_WITH_TIMEOUT(scenario.expired(), kLongMs);
            QCOMPARE(tagged<QLabel>(workspace, "message").text(), QStringLiteral("Nothing has run yet."));
        }
    }

    void whatWasPreparedIsGivenBackWhereMemoryIsWanted()
    {
        StepLoader loader;
        RunResultPtr run = runText(kLevels, 1);
        const std::weak_ptr<const Scenario> scenario = run->scenario;
        loadedBy(loader, run, 0);
        run.reset();
        QCoreApplication::processEvents();
        QVERIFY(!scenario.expired());
        loader.forget();
        QTRY_VERIFY_WITH_TIMEOUT(scenario.expired(), kLongMs);
    }

    void memoryIsBounded()
    {
        const RunResultPtr run = runText(kLevels, 1);
        std::vector<CollectiveReplayPtr> replays;
        for (std::int32_t instance = 0; instance < 4; ++instance) {
            auto replay = CollectiveReplay::create(run->scenario, instance);
            QVERIFY(replay);
            replays.push_back(replay.value());
            QVERIFY(replay.value()->memory() >= static_cast<std::int64_t>(replay.value()->moves().size() * sizeof(ReplayMove)));
        }
        // Room for the first two.
        const std::int64_t room = replays[0]->memory() + replays[1]->memory();
        PreparedSteps prepared(room);
        prepared.keep(*run, 0, {replays[0], true});
        prepared.keep(*run, 1, {replays[1], true});
        QCOMPARE(prepared.bytes(), room);
        QVERIFY(prepared.find(*run, 0)); // So the other is the one that goes.
        prepared.keep(*run, 2, {replays[2], true});
        QVERIFY(prepared.bytes() <= room);
        QVERIFY(prepared.find(*run, 0));
        QVERIFY(!prepared.find(*run, 1));
        QVERIFY(prepared.find(*run, 2));
        // What alone is too large is not held, and takes nobody's place.
        PreparedSteps small(replays[0]->memory() - 1);
        small.keep(*run, 1, {replays[1], true});
        small.keep(*run, 0, {replays[0], true});
        QVERIFY(!small.find(*run, 0));
        QVERIFY(small.find(*run, 1));

        // Nor are more runs held than there is a use for.
        PreparedSteps runs;
        std::vector<std::weak_ptr<const Scenario>> scenarios;
        for (int number = 1; number <= 6; ++number) {
            const RunResultPtr each = runText(replaced(kLevels, "8 MiB", std::to_string(number) + " MiB"), number);
            scenarios.push_back(each->scenario);
            const auto replay = CollectiveReplay::create(each->scenario, 0);
            QVERIFY(replay);
            runs.keep(*each, 0, {replay.value(), true});
        }
        QCOMPARE(std::count_if(scenarios.begin(), scenarios.end(), [](const auto& scenario) { return !scenario.expired(); }), std::ptrdiff_t{PreparedSteps::kMostRuns});
        QVERIFY(!scenarios.back().expired());
    }

    void goingBackToACollectiveShowsWhatWasShown()
    {
        StepWorkspace workspace;
        workspace.show();
        workspace.setRun(runText(kLevels, 1));
        QTRY_VERIFY_WITH_TIMEOUT(workspace.player()->replay() != nullptr, kLongMs);
        const CollectiveReplayPtr first = workspace.player()->replay();
        QCOMPARE(first->instance(), 0);
        workspace.selectInstance(2);
        QTRY_COMPARE_WITH_TIMEOUT(workspace.player()->replay()->instance(), 2, kLongMs);
        workspace.selectInstance(0);
        QTRY_COMPARE_WITH_TIMEOUT(workspace.player()->replay(), first, kLongMs);
        QVERIFY(!workspace.loader()->isLoading());
        // Cancelled before it is told: as if it had been prepared.
        QSignalSpy canceled(workspace.loader(), &StepLoader::canceled);
        workspace.selectInstance(2);
        workspace.loader()->cancel();
        QCOMPARE(canceled.count(), 1);
        QCoreApplication::processEvents();
        QCOMPARE(workspace.player()->replay(), first);
    }
};

FABRICSCOPE_GUI_TEST(PreparedStepsTest)
#include "tst_preparedsteps.moc"
