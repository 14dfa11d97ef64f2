// Every phase hears a stop at every moment: the stop is requested at the k-th allocation of the work, for many k, and what is allocated
// from there on is counted. So the amount of work after a stop is measured without a clock, and without the help of the work itself.
#include "core/choose/choose.h"
#include "core/choose/synthesize.h"
#include "core/choose/tune.h"
#include "core/design/design.h"
#include "core/generate/generate.h"
#include "core/language/script.h"
#include "core/run/rundesign.h"
#include "core/run/seeds.h"
#include "core/step/collectivereplay.h"
#include "core/step/programcheck.h"
#include "core/verify/verify.h"

#include <QtTest/QtTest>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <stop_token>

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> allocations{0};
std::atomic<std::int64_t> stopAt{-1};
std::stop_source* toStop = nullptr;

void count()
{
    if (!counting.load(std::memory_order_relaxed))
        return;
    if (++allocations == stopAt.load(std::memory_order_relaxed))
        toStop->request_stop(); // Allocates nothing.
}

void* allocate(std::size_t size)
{
    count();
    if (void* const memory = std::malloc(size > 0 ? size : 1))
        return memory;
    throw std::bad_alloc();
}

} // namespace

void* operator new(std::size_t size)
{
    return allocate(size);
}
void* operator new[](std::size_t size)
{
    return allocate(size);
}
// Those too, as a sanitizer has its own, whose memory free() must not get.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    count();
    return std::malloc(size > 0 ? size : 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept
{
    count();
    return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept
{
    std::free(memory);
}

using namespace fabricscope;

namespace {

/// True: it ended as stopped. False: it was done.
using Work = std::function<bool(const std::stop_token&)>;

template <typename T>
bool wasStopped(const Result<T>& result)
{
    if (!result && result.error().code != ErrorCode::Cancelled)
        qFatal("%s", result.error().text().c_str());
    return !result;
}

struct Outcome {
    bool stopped = false;
    std::int64_t all = 0;   ///< Allocations of the work.
    std::int64_t after = 0; ///< Of these, from the stop on.
};

/// `at`: the allocation at which the stop is requested; -1: never.
Outcome run(const Work& work, std::int64_t at)
{
    std::stop_source source;
    toStop = &source;
    allocations = 0;
    stopAt = at;
    counting = true;
    const bool stopped = work(source.get_token());
    counting = false;
    toStop = nullptr;
    const std::int64_t all = allocations;
    return {stopped, all, at < 0 ? 0 : all - at};
}

/// An allocation takes about 100 ns with what is done around it: some 15 ms, far below the 0.2 s a program has to end.
constexpr std::int64_t kMostAfter = 150'000;
constexpr int kMoments = 8;

void checkEveryMoment(const Work& work, bool finishesWhatIsFound = false)
{
    const Outcome whole = run(work, -1);
    QVERIFY(!whole.stopped);
    QVERIFY2(whole.all > kMoments, "this work is too little to be stopped");
    std::int64_t most = 0;
    for (int k = 0; k <= kMoments; ++k) {
        const std::int64_t at = std::max<std::int64_t>(1, whole.all * k / (kMoments + 1));
        const Outcome outcome = run(work, at);
        most = std::max(most, outcome.after);
        const std::string where = "stopped at allocation " + std::to_string(at) + " of " + std::to_string(whole.all) + ": " + std::to_string(outcome.after)
                                  + " more" + (outcome.stopped ? "" : ", and it went on to its end");
        QVERIFY2(outcome.after <= kMostAfter, where.c_str());
        // Near its end the work may be done before it looks again.
        QVERIFY2(outcome.stopped || finishesWhatIsFound || whole.all - at <= kMostAfter, where.c_str());
    }
    qInfo("%lld allocations, at most %lld after a stop", static_cast<long long>(whole.all), static_cast<long long>(most));
}

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
        for (const char* const model : {"links", "ideal", "flow", "astra-unaware"})
            QTest::addRow("%s", model) << QString::fromStdString(trainingText(model, 60)) << static_cast<int>(EngineChoice::Auto);
        QTest::newRow("events") << QString::fromStdString(trainingText("links", 60)) << static_cast<int>(EngineChoice::Events);
        QTest::newRow("graph") << QString::fromStdString(graphText(300)) << static_cast<int>(EngineChoice::Auto);
        QTest::newRow("many tasks") << QString::fromStdString(trainingText("links", 1500)) << static_cast<int>(EngineChoice::Auto);
    }
    void aRunHearsIt()
    {
        QFETCH(QString, text);
        QFETCH(int, engine);
        const auto design = std::make_shared<const Design>(designOf(text.toStdString()));
        RunDesignOptions options;
        options.threads = 1;
        options.engine = static_cast<EngineChoice>(engine);
        options.taskTimes = true;
        checkEveryMoment([&](const std::stop_token& stop) { return wasStopped(runDesign(design, {}, options, stop)); });
    }

    void theChoiceOfAlgorithmsHearsIt()
    {
        std::string text = trainingText("links", 1);
        text += "collectives: {default: {algorithm: auto}}\n";
        const Design design = designOf(text);
        checkEveryMoment([&](const std::stop_token& stop) { return wasStopped(prepareChosen(design, 1, stop)); });
        TuneRequest request;
        request.op = CollectiveOp::AllReduce;
        request.sizes = {1 << 16};
        request.threads = 1;
        checkEveryMoment([&](const std::stop_token& stop) {
            request.stop = stop;
            return wasStopped(tuneSizes(design, request));
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
        checkEveryMoment([&](const std::stop_token& stop) {
            VerifyOptions options;
            options.stop = stop;
            return verify(*program.value(), options).cancelled;
        });
    }

    void synthesisHearsIt_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("side");
        QTest::newRow("greedy") << QStringLiteral("greedy") << 8;
        QTest::newRow("trees") << QStringLiteral("trees") << 3;
        QTest::newRow("forest") << QStringLiteral("forest") << 3;
    }
    void synthesisHearsIt()
    {
        QFETCH(QString, method);
        QFETCH(int, side);
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
        checkEveryMoment(
            [&](const std::stop_token& stop) {
                search.options.stop = stop;
                return wasStopped(searchProgram(graph.value(), search));
            },
            true);
    }

    void scriptsAndStepsHearIt()
    {
        checkEveryMoment([&](const std::stop_token& stop) {
            ScriptRequest request;
            request.text = "collective('all_reduce', {ranks = 2})\nlocal t = {}\nfor i = 1, 300000 do t[i % 100] = 'x' .. i end";
            request.stop = stop;
            const Result<Script> script = compileScript(request);
            return !script && stop.stop_requested();
        });
        const Result<ScenarioPtr> scenario = prepareChosen(designOf(trainingText("links", 1)), 1);
        QVERIFY(scenario);
        checkEveryMoment([&](const std::stop_token& stop) { return wasStopped(CollectiveReplay::create(scenario.value(), 0, 0, stop)); });
    }
};

QTEST_APPLESS_MAIN(StopTest)
#include "tst_stop.moc"
