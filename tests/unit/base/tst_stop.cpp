// Every phase of a run hears a stop at every moment (support/stopmoments.h).
#include "core/base/stop.h"
#include "core/choose/choose.h"
#include "core/choose/synthesizer.h"
#include "core/choose/tuner.h"
#include "core/design/design.h"
#include "core/generate/generate.h"
#include "core/language/script.h"
#include "core/programio/programjson.h"
#include "core/run/rundesign.h"
#include "core/run/seeds.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "core/step/collectivelist.h"
#include "core/step/collectivereplay.h"
#include "core/step/replaychecks.h"
#include "core/verify/verify.h"
#include "tests/unit/support/stopmoments.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <fstream>

using namespace fabricscope;

namespace {

Design designOf(const std::string& text)
{
    Result<LoadedDesign> loaded = readDesignText(text, "stop.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

/// Several dimensions, tasks that wait for each other, messages.
std::string trainingText(const std::string& model, int steps)
{
    return "fabricscope: 1\nname: stop\nplatform:\n  dimensions:\n    - {shape: ring, size: 8, bandwidth: 50 GB/s, latency: 500 ns}\n"
           "    - {shape: switch, size: 4, bandwidth: 25 GB/s, latency: 1 us}\nworkload:\n  steps:\n    - repeat: "
        + std::to_string(steps)
        + "\n      steps:\n        - {compute: 3 us}\n        - {collective: all_reduce, size: 1 MiB}\n        - {collective: all_gather, size: 300 KiB}\nmodel: {name: "
        + model + "}\n";
}

/// A ring of `npus` with chords, every link written out.
std::string graphText(int npus)
{
    std::string text = "fabricscope: 1\nname: graph\nplatform:\n  nodes:\n";
    for (int i = 0; i < npus; ++i)
        text += "    - {name: n" + std::to_string(i) + ", kind: npu}\n";
    text += "  links:\n";
    for (int i = 0; i < npus; ++i) {
        for (const int step : {1, npus - 1, 7, 31})
            text += "    - {from: n" + std::to_string(i) + ", to: n" + std::to_string((i + step) % npus) + ", bandwidth: 50 GB/s, latency: 500 ns}\n";
    }
    return text + "workload:\n  steps:\n    - {collective: all_reduce, size: 1 MiB}\n";
}

ProgramPtr generated(const char* algorithm, CollectiveOp op, std::int32_t ranks)
{
    GenerateRequest request;
    request.algorithm = algorithm;
    request.op = op;
    request.axes = {ranks};
    Result<ProgramPtr> program = generateProgram(request);
    if (!program)
        qFatal("%s", program.error().text().c_str());
    return program.value();
}

} // namespace

class StopTest : public QObject {
    Q_OBJECT
private slots:
    void aRunHearsIt_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("engine");
        QTest::addColumn<int>("mostAfter");
        for (const char* const model : {"links", "ideal", "flow", "astra-unaware"})
            QTest::addRow("%s", model) << QString::fromStdString(trainingText(model, 200)) << static_cast<int>(EngineChoice::Auto) << 400;
        QTest::newRow("events") << QString::fromStdString(trainingText("links", 60)) << static_cast<int>(EngineChoice::Events) << 400;
        QTest::newRow("graph") << QString::fromStdString(graphText(300)) << static_cast<int>(EngineChoice::Auto) << 400;
        QTest::newRow("events on a graph") << QString::fromStdString(graphText(300)) << static_cast<int>(EngineChoice::Events) << 400;
        QTest::newRow("many tasks") << QString::fromStdString(trainingText("links", 1000)) << static_cast<int>(EngineChoice::Auto) << 400;
    }
    void aRunHearsIt()
    {
        QFETCH(QString, text);
        QFETCH(int, engine);
        QFETCH(int, mostAfter);
        const auto design = std::make_shared<const Design>(designOf(text.toStdString()));
        RunDesignOptions options;
        options.threads = 1;
        options.engine = static_cast<EngineChoice>(engine);
        options.taskTimes = true;
        checkHeardWithin(mostAfter, [&](const std::stop_token& stop) { return wasStopped(runDesign(design, {}, options, stop)); });
    }

    /// All ranks ask for a way to all others in one instant: it is heard between two of them.
    void aSearchForWaysHearsIt()
    {
        constexpr std::int64_t kNpus = 200;
        const auto design = std::make_shared<const Design>(designOf(graphText(kNpus) + "collectives: {default: {algorithm: direct}}\n"));
        const Result<ScenarioPtr> scenario = prepareChosen(*design, 1);
        QVERIFY(scenario);
        const Work work = [&](const std::stop_token& stop) {
            // Prepared anew, as a platform keeps the ways it has found.
            const Result<ScenarioPtr> fresh = lower(*design, Platform::create(*design->platform).value(), scenario.value()->structure->workload);
            RunOptions options;
            options.engine = EngineChoice::Events;
            return wasStopped(simulate(*fresh.value(), options, stop));
        };
        const Outcome whole = run(work, -1);
        QVERIFY(!whole.stopped);
        // The engine notes a way for each of the 39,800 pairs. Of what is prepared before and taken down behind, and of the step at hand, there is far less.
        for (const std::int64_t part : {40, 50, 60, 70}) {
            const Outcome outcome = run(work, whole.all * part / 100);
            QVERIFY(outcome.stopped);
            QVERIFY2(outcome.after <= kNpus * 5, std::to_string(outcome.after).c_str());
        }
    }

    void theChoiceOfAlgorithmsHearsIt()
    {
        std::string text = trainingText("links", 1);
        text += "collectives: {default: {algorithm: auto}}\n";
        const Design design = designOf(text);
        // A candidate is left while it is written out, too.
        constexpr std::int64_t kOfACandidate = 3'000;
        checkHeardWithin(kOfACandidate, [&](const std::stop_token& stop) { return wasStopped(prepareChosen(design, 1, stop)); });
        TuneRequest request;
        request.op = CollectiveOp::AllReduce;
        request.sizes = {1 << 16, 1 << 18};
        request.threads = 1;
        checkHeardWithin(kOfACandidate, [&](const std::stop_token& stop) {
            request.stop = stop;
            return wasStopped(tuneSizes(design, request));
        });
    }

    /// A program of a design is read and looked at before anything runs.
    void aProgramFileHearsIt()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("ring.json")).toStdString();
        const ProgramPtr program = expandTemplate(generated("ring", CollectiveOp::AllReduce, 64)).value();
        std::ofstream(path) << writeProgramJson(*program);
        const Design design = designOf("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 64, bandwidth: 50 GB/s, latency: 500 ns}\n"
                                       "workload: {collective: all_reduce, size: 1000001 B}\ncollectives: {default: {program: \"" + path + "\"}}\n");
        checkHeardWithin(1000, [&](const std::stop_token& stop) { return wasStopped(prepareChosen(design, 1, stop)); });
        const Result<ScenarioPtr> scenario = prepareChosen(design, 1);
        QVERIFY(scenario);
        checkHeardWithin(2500, [&](const std::stop_token& stop) { return wasStopped(CollectiveReplay::create(scenario.value(), 0, 0, stop)); });
    }

    void theListOfCollectivesHearsIt()
    {
        const Result<ScenarioPtr> scenario = prepareChosen(designOf(trainingText("links", 2000)), 1);
        QVERIFY(scenario);
        RunOptions options;
        options.taskTimes = true;
        const Result<RunRecord> record = simulate(*scenario.value(), options);
        QVERIFY(record);
        checkHeardWithin(100, [&](const std::stop_token& stop) {
            return wasStopped(untilStopped([&]() -> Result<std::vector<InstanceRun>> { return collectivesOf(*scenario.value(), record.value(), stop); }));
        });
    }

    void theVerifierHearsIt_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<int>("ranks");
        QTest::newRow("ring") << QStringLiteral("ring") << 256;
        QTest::newRow("direct") << QStringLiteral("direct") << 128;
    }
    void theVerifierHearsIt()
    {
        QFETCH(QString, algorithm);
        QFETCH(int, ranks);
        const Result<ProgramPtr> program = expandTemplate(generated(algorithm.toUtf8().constData(), CollectiveOp::AllReduce, ranks));
        QVERIFY(program);
        checkHeardWithin(20, [&](const std::stop_token& stop) { // It allocates seldom, and little of its work shows.
            VerifyOptions options;
            options.stop = stop;
            return verify(*program.value(), options).cancelled;
        });
    }

    void synthesisHearsIt_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("side");
        QTest::addColumn<int>("mostAfter");
        QTest::newRow("greedy") << QStringLiteral("greedy") << 8 << 0;
        QTest::newRow("trees") << QStringLiteral("trees") << 3 << 0;
        QTest::newRow("forest") << QStringLiteral("forest") << 3 << 900;
    }
    void synthesisHearsIt()
    {
        QFETCH(QString, method);
        QFETCH(int, side);
        QFETCH(int, mostAfter);
        const std::string extent = std::to_string(side);
        const Design design = designOf("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: " + extent
                                       + ", bandwidth: 50 GB/s, latency: 500 ns}\n    - {shape: ring, size: " + extent + ", bandwidth: 20 GB/s, latency: 1 us}\n");
        const Result<Platform> platform = Platform::create(*design.platform);
        QVERIFY(platform);
        std::vector<NodeId> members;
        for (NodeId npu = 0; npu < platform.value().npuCount(); ++npu)
            members.push_back(npu);
        const Result<SynthesisGraph> graph = synthesisGraph(platform.value(), members);
        QVERIFY(graph);
        SynthesisSearch search;
        search.method = method.toStdString();
        search.options.bytes = 1 << 24;
        search.options.tries = 3;
        if (method == QStringLiteral("trees"))
            search.options.op = CollectiveOp::AllReduce;
        const Work work = [&](const std::stop_token& stop) {
            search.options.stop = stop;
            return wasStopped(searchProgram(graph.value(), search));
        };
        if (mostAfter > 0)
            checkHeardWithin(mostAfter, work);
        else // What these prepare and write out is not much smaller than all they do.
            checkEveryMoment(work, true);
    }

    void scriptsAndStepsHearIt()
    {
        // Lua allocates with malloc; of what is counted nearly all comes after it, so a script that ran to its end shows.
        checkEveryMoment([&](const std::stop_token& stop) {
            ScriptRequest request;
            request.text = "collective('all_reduce', {ranks = 2})\nlocal t = {}\nfor i = 1, 300000 do t[i % 100] = 'x' .. i end";
            request.stop = stop;
            const Result<Script> script = compileScript(request);
            return !script && stop.stop_requested();
        }, false, 50);
        const Result<ScenarioPtr> scenario = prepareChosen(designOf(trainingText("links", 1) + "collectives: {default: {chunks: 64}}\n"), 1);
        QVERIFY(scenario);
        checkHeardWithin(620, [&](const std::stop_token& stop) { return wasStopped(CollectiveReplay::create(scenario.value(), 0, 0, stop)); });
    }
};

FABRICSCOPE_TEST(StopTest)
#include "tst_stop.moc"
