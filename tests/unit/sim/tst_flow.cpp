#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/fattree.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/cases/randomcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kNs = kPsPerNs;
constexpr std::int64_t kRate = 53'687'091'200; ///< 50 GB/s of an ASTRA-sim file.
constexpr std::int64_t kL = 500 * kNs;

/// x bytes at rate / share, rounded up.
std::int64_t sending(std::int64_t bytes, std::int64_t share = 1)
{
    return mulDivCeil(bytes * share, kPsPerSecond, kRate);
}

LinksScenario flowOn(const std::string& topology)
{
    LinksScenario scenario(astraPlatform(topology, {50}, {500}));
    scenario.model = Model::Flow;
    return scenario;
}

struct Run {
    RunRecord record;
    std::vector<MessageRecord> messages;
};

Run run(const Scenario& scenario)
{
    Run result;
    RunOptions options;
    options.messageDigest = true;
    options.message = [&result](const MessageRecord& message) { result.messages.push_back(message); };
    Result<RunRecord> record = simulate(scenario, options);
    if (!record)
        qFatal("%s", record.error().message.c_str());
    result.record = std::move(record).value();
    return result;
}

std::int64_t doneAt(const Run& run, std::int32_t source, std::int32_t target, std::int32_t number = 0)
{
    for (const MessageRecord& message : run.messages) {
        if (message.source == source && message.target == target && message.chunk == number)
            return message.donePs;
    }
    return -1;
}

void transfer(LinksScenario& scenario, std::int32_t source, std::int32_t target, std::int64_t bytes, std::uint32_t tag = 0)
{
    scenario.send(source, target, bytes, tag);
    scenario.receive(target, source, bytes, tag);
}

std::int64_t collective(LinksScenario scenario, CollectiveOp op, std::int64_t bytes, Algorithm algorithm, std::int32_t chunks = 1)
{
    scenario.collectiveByAll(op, bytes, {algorithm}, chunks);
    return run(scenario.build()).record.finish.ps;
}

/// Two levels: four switches with four NPUs each, every one with a trunk of half the rate of its NPUs to a fifth; 40 messages at once.
CaseSpec oversubscribed(std::uint64_t seed)
{
    constexpr std::int32_t kNpus = 16;
    Random random(seed);
    CaseSpec spec;
    spec.nodes.assign(kNpus, NodeKind::Npu);
    spec.nodes.insert(spec.nodes.end(), 5, NodeKind::Switch);
    const std::int64_t rate = 10'000'000'000 + random.below(40'000'000'000);
    const std::int64_t latency = 100'000 + random.below(900'000);
    const auto both = [&](NodeId a, NodeId b, std::int64_t linkRate) {
        spec.links.push_back({a, b, linkRate, latency});
        spec.links.push_back({b, a, linkRate, latency});
    };
    for (NodeId npu = 0; npu < kNpus; ++npu)
        both(npu, kNpus + npu / 4, rate);
    for (NodeId leaf = 0; leaf < 4; ++leaf)
        both(kNpus + leaf, kNpus + 4, 2 * rate);
    spec.tasks.resize(kNpus);
    for (std::uint32_t message = 0; message < 40; ++message) {
        const auto source = static_cast<std::int32_t>(random.below(kNpus));
        const auto target = static_cast<std::int32_t>((source + 1 + random.below(kNpus - 1)) % kNpus);
        CaseSpec::Task send;
        send.kind = TaskKind::Send;
        send.bytes = kMiB + random.below(15 * kMiB);
        send.peer = target;
        send.tag = message;
        CaseSpec::Task receive = send;
        receive.kind = TaskKind::Receive;
        receive.peer = source;
        spec.tasks[static_cast<std::size_t>(source)].push_back(send);
        spec.tasks[static_cast<std::size_t>(target)].push_back(receive);
    }
    std::vector<std::int32_t> world;
    for (std::int32_t rank = 0; rank < kNpus; ++rank)
        world.push_back(rank);
    spec.jobs.push_back(world);
    spec.families.push_back({{world}, {}});
    return spec;
}

Scenario built(const CaseSpec& spec)
{
    Result<Scenario> scenario = build(spec);
    if (!scenario)
        qFatal("%s", scenario.error().message.c_str());
    return std::move(scenario).value();
}

} // namespace

class TestFlow : public QObject {
    Q_OBJECT

private slots:
    void aMessageAloneTakesLatenciesAndItsSize();
    void messagesThatShareALinkShareItsRate();
    void messagesOfOnePairFollowEachOther();
    void collectivesHaveTheirClosedForms();
    void reductionsShareTheReducer();
    void budgetsAreShared();
    void useOfLinksIsWhatTheyCarry();
    void aRingOfWaitsIsReported();
    void sweepAndMemoDoNotFollowFlows();
    void randomCasesDoWhatLinksDoesInOtherTimes();
    void anyNumberOfThreadsGivesTheSame();
    void linksIsNearFlowOnOversubscribedFabricsOrSaysSo();
};

void TestFlow::aMessageAloneTakesLatenciesAndItsSize()
{
    LinksScenario ring = flowOn("Ring(8)");
    transfer(ring, 0, 1, kMiB);
    QCOMPARE(run(ring.build()).record.finish.ps, kL + sending(kMiB));
    LinksScenario far = flowOn("Ring(8)");
    transfer(far, 0, 3, kMiB);
    QCOMPARE(run(far.build()).record.finish.ps, 3 * kL + sending(kMiB));
    LinksScenario corner(astraPlatform("Ring(2)_FullyConnected(8)_Switch(4)", {200, 100, 50}, {50, 500, 2000}));
    corner.model = Model::Flow;
    transfer(corner, 0, 63, kMiB);
    QCOMPARE(run(corner.build()).record.finish.ps, (50 + 500 + 4000) * kNs + sending(kMiB));
    LinksScenario late = flowOn("Ring(8)");
    late.endpointDelayPs = 10 * kNs;
    transfer(late, 0, 1, kMiB);
    QCOMPARE(run(late.build()).record.finish.ps, 10 * kNs + kL + sending(kMiB));
}

void TestFlow::messagesThatShareALinkShareItsRate()
{
    LinksScenario fan = flowOn("Switch(4)"); // Three senders into one down-link: all at the same instant.
    for (const std::int32_t source : {1, 2, 3})
        transfer(fan, source, 0, kMiB);
    const Run in = run(fan.build());
    for (const std::int32_t source : {1, 2, 3})
        QCOMPARE(doneAt(in, source, 0), 2 * kL + sending(kMiB, 3));

    LinksScenario ring = flowOn("Ring(8)"); // 0 to 1 and 0 to 2 share the first link; the first ends and the second has it alone.
    transfer(ring, 0, 1, kMiB);
    transfer(ring, 0, 2, 2 * kMiB);
    const Run out = run(ring.build());
    QCOMPARE(doneAt(out, 0, 1), kL + sending(kMiB, 2));
    QCOMPARE(doneAt(out, 0, 2), 2 * kL + sending(kMiB, 3));
}

void TestFlow::messagesOfOnePairFollowEachOther()
{
    LinksScenario pair = flowOn("Ring(8)");
    transfer(pair, 0, 1, kMiB);
    transfer(pair, 0, 1, kMiB);
    const Run one = run(pair.build());
    QCOMPARE(doneAt(one, 0, 1, 0), kL + sending(kMiB));
    QCOMPARE(doneAt(one, 0, 1, 1), kL + 2 * sending(kMiB));
}

void TestFlow::collectivesHaveTheirClosedForms()
{
    constexpr std::int64_t x = kMiB / 8;
    QCOMPARE(collective(flowOn("Ring(8)"), CollectiveOp::AllReduce, kMiB, Algorithm::Ring), 14 * (kL + sending(x)));
    QCOMPARE(collective(flowOn("Switch(8)"), CollectiveOp::AllReduce, kMiB, Algorithm::Ring), 14 * (2 * kL + sending(x)));
    QCOMPARE(collective(flowOn("FullyConnected(8)"), CollectiveOp::AllReduce, kMiB, Algorithm::Direct), 2 * (kL + sending(x)));
    QCOMPARE(collective(flowOn("Switch(8)"), CollectiveOp::AllReduce, kMiB, Algorithm::Direct), 2 * (2 * kL + sending(x, 7)));
    QCOMPARE(collective(flowOn("Switch(8)"), CollectiveOp::AllToAll, kMiB, Algorithm::Direct), 2 * kL + sending(x, 7));
    QCOMPARE(collective(flowOn("Ring(8)"), CollectiveOp::AllGather, kMiB, Algorithm::Ring), 7 * (kL + sending(x)));
    // Four chunks follow each other on the connection to the neighbour: the links are never idle.
    const std::int64_t chunked = collective(flowOn("Ring(8)"), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 4);
    QCOMPARE(chunked, 14 * 4 * sending(x / 4) + kL);
}

void TestFlow::reductionsShareTheReducer()
{
    constexpr std::int64_t x = kMiB / 8;
    constexpr std::int64_t slow = 50'000'000'000;
    LinksScenario ring = flowOn("Ring(8)");
    ring.reducerRate = slow;
    QCOMPARE(collective(ring, CollectiveOp::AllReduce, kMiB, Algorithm::Ring), 7 * (kL + mulDivCeil(3 * x, kPsPerSecond, slow)) + 7 * (kL + sending(x)));
    LinksScenario direct = flowOn("FullyConnected(8)"); // Seven buffers, 9/7 x each, share M.
    direct.reducerRate = slow;
    QCOMPARE(collective(direct, CollectiveOp::AllReduce, kMiB, Algorithm::Direct), kL + mulDivCeil(9 * x, kPsPerSecond, slow) + kL + sending(x));
    LinksScenario fast = flowOn("Ring(8)");
    fast.reducerRate = 1'600'000'000'000;
    QCOMPARE(collective(fast, CollectiveOp::AllReduce, kMiB, Algorithm::Ring), 14 * (kL + sending(x)));
}

void TestFlow::budgetsAreShared()
{
    constexpr std::int64_t x = kMiB / 8;
    LinksScenario out = flowOn("FullyConnected(8)"); // Half of what the seven links of the sender carry.
    out.injection = 7 * kRate / 2;
    LinksScenario in = flowOn("FullyConnected(8)");
    in.ejection = 7 * kRate / 2;
    for (std::int32_t peer = 1; peer < 8; ++peer) {
        transfer(out, 0, peer, x);
        transfer(in, peer, 0, x);
    }
    QCOMPARE(run(out.build()).record.finish.ps, kL + sending(x, 2));
    QCOMPARE(run(in.build()).record.finish.ps, kL + sending(x, 2));
}

void TestFlow::useOfLinksIsWhatTheyCarry()
{
    LinksScenario fan = flowOn("Switch(4)");
    for (const std::int32_t source : {1, 2, 3})
        transfer(fan, source, 0, kMiB);
    const RunRecord record = run(fan.build()).record;
    QCOMPARE(record.dimensions.size(), std::size_t{1});
    QCOMPARE(record.dimensions[0].messages, 6);
    QCOMPARE(record.dimensions[0].bytes, 6 * kMiB);
    QCOMPARE(record.dimensions[0].busyPs, 6 * sending(kMiB));
    QCOMPARE(record.dimensions[0].peakLinkPs, 3 * sending(kMiB));
    QCOMPARE(record.dimensions[0].busy.total(), 6 * sending(kMiB));
    QCOMPARE(record.engines.front().engine, std::string("events"));
    QCOMPARE(record.version, std::string("flow/1"));
}

void TestFlow::aRingOfWaitsIsReported()
{
    LinksScenario scenario = flowOn("Ring(2)");
    for (const std::int32_t rank : {0, 1}) {
        const TaskIndex receive = scenario.receive(rank, 1 - rank, kMiB);
        scenario.send(rank, 1 - rank, kMiB, 0, {receive});
    }
    const RunRecord record = run(scenario.build()).record;
    QVERIFY(!record.complete);
    QCOMPARE(record.waits.size(), std::size_t{2});
}

void TestFlow::sweepAndMemoDoNotFollowFlows()
{
    LinksScenario scenario = flowOn("Ring(4)");
    transfer(scenario, 0, 1, kMiB);
    for (const EngineChoice choice : {EngineChoice::Sweep, EngineChoice::Memo}) {
        RunOptions options;
        options.engine = choice;
        const Result<RunRecord> record = simulate(scenario.build(), options);
        QVERIFY(!record);
        QVERIFY(record.error().message.find("only the engines symmetry and events follow") != std::string::npos);
    }
}

void TestFlow::randomCasesDoWhatLinksDoesInOtherTimes()
{
    int compared = 0;
    for (const std::uint64_t seed : Seeds(0, 600)) {
        RandomLimits limits;
        limits.maxNpus = 16;
        limits.ties = seed % 2 == 0;
        limits.explicitGraph = seed % 3 == 0;
        limits.explicitPrograms = seed % 5 == 0;
        CaseSpec spec = randomCase(seed, limits);
        spec.model = Model::Links;
        const Run links = run(built(spec));
        spec.model = Model::Flow;
        const Scenario scenario = built(spec);
        const Run flow = run(scenario);
        const QByteArray text = QByteArray("seed ") + QByteArray::number(static_cast<qulonglong>(seed));
        if (!flow.record.complete || !links.record.complete)
            continue; // Whether ranks wait for each other may depend on the times.
        ++compared;
        using Key = std::tuple<std::int64_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int64_t>;
        std::map<Key, int> sent;
        for (const MessageRecord& m : links.messages)
            ++sent[{m.instance, m.source, m.target, m.chunk, m.phase, m.step, m.slot, m.bytes}];
        const Platform& platform = scenario.structure->platform;
        std::int64_t lastLeft = 0;
        for (const MessageRecord& m : flow.messages) {
            lastLeft = std::max(lastLeft, m.leftPs);
            --sent[{m.instance, m.source, m.target, m.chunk, m.phase, m.step, m.slot, m.bytes}];
            std::vector<LinkId> route;
            platform.route(scenario.structure->placement.nodeOf(m.source), scenario.structure->placement.nodeOf(m.target), route);
            std::int64_t latency = 0;
            std::int64_t longest = 0;
            for (const LinkId link : route) {
                const ResourceClass resource = scenario.structure->classOf(link);
                latency += scenario.costs->latency(resource);
                longest = std::max(longest, scenario.costs->occupancy(resource, m.bytes));
            }
            QVERIFY2(m.leftPs - m.readyPs >= longest, text);
            QVERIFY2(m.donePs - m.leftPs >= latency, text);
        }
        for (const auto& [key, count] : sent)
            QVERIFY2(count == 0, text);
        for (std::size_t d = 0; d < links.record.dimensions.size(); ++d) {
            QCOMPARE(flow.record.dimensions[d].bytes, links.record.dimensions[d].bytes);
            QCOMPARE(flow.record.dimensions[d].messages, links.record.dimensions[d].messages);
            QCOMPARE(flow.record.dimensions[d].busy.total(), flow.record.dimensions[d].busyPs);
            QVERIFY2(flow.record.dimensions[d].peakLinkPs <= lastLeft + flow.record.dimensions[d].messages, text);
        }
    }
    QVERIFY2(compared > cases(400), qPrintable(QString::number(compared)));
}

void TestFlow::anyNumberOfThreadsGivesTheSame()
{
    std::vector<Scenario> scenarios;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        CaseSpec spec = oversubscribed(seed);
        spec.model = Model::Flow;
        scenarios.push_back(built(spec));
    }
    std::vector<Digest> expected;
    for (const Scenario& scenario : scenarios)
        expected.push_back(run(scenario).record.fingerprint);
    for (const std::size_t threads : {2U, 8U}) {
        std::vector<Digest> found(scenarios.size());
        std::vector<std::thread> pool;
        for (std::size_t thread = 0; thread < threads; ++thread) {
            pool.emplace_back([&, thread] {
                for (std::size_t i = thread; i < scenarios.size(); i += threads)
                    found[i] = run(scenarios[i]).record.fingerprint;
            });
        }
        for (std::thread& thread : pool)
            thread.join();
        QVERIFY(found == expected);
    }
}

void TestFlow::linksIsNearFlowOnOversubscribedFabricsOrSaysSo()
{
    std::vector<double> ratios;
    for (const std::uint64_t seed : Seeds(0, 200)) {
        CaseSpec spec = oversubscribed(seed);
        const RunRecord links = run(built(spec)).record;
        spec.model = Model::Flow;
        const RunRecord flow = run(built(spec)).record;
        const double ratio = static_cast<double>(links.finish.ps) / static_cast<double>(flow.finish.ps);
        const bool warned = std::any_of(links.diagnostics.begin(), links.diagnostics.end(), [](const Diagnostic& entry) { return entry.rule == "order-sensitive"; });
        QVERIFY2(warned || (ratio >= 0.8 && ratio <= 1.1), qPrintable(QString("seed %1: %2").arg(seed).arg(ratio)));
        ratios.push_back(ratio);
    }
    std::sort(ratios.begin(), ratios.end());
    qInfo("links / flow: %.3f, median %.3f, %.3f", ratios.front(), ratios[ratios.size() / 2], ratios.back());
}

FABRICSCOPE_TEST(TestFlow)
#include "tst_flow.moc"
