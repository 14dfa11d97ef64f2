#include "core/base/index.h"
#include "core/sim/events/engine.h"
#include "core/sim/events/events.h"
#include "core/sim/events/outcome/runresult.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

/// A random fabric with collectives of several groups, point-to-point messages and computations, all in one run.
struct RandomCase {
    PlatformSpec platform;
    std::int32_t npus = 1;
    std::vector<std::int32_t> start;       ///< Rank -> ns of computation before it begins.
    struct Pair {
        std::int32_t from;
        std::int32_t to;
        std::int64_t bytes;
    };
    std::vector<Pair> pairs;
    struct Collective {
        std::vector<std::int64_t> group;
        CollectiveOp op;
        Algorithm algorithm;
        std::int64_t bytes;
        std::int32_t chunks;
        std::int32_t window;
    };
    std::vector<Collective> collectives;
    std::optional<std::int64_t> reducer;
    std::optional<std::int64_t> injection;
    std::optional<std::int64_t> ejection;
};

RandomCase randomCase(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto pick = [&random](std::int64_t low, std::int64_t high) { return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)); };
    static const char* const kTopologies[] = {"Ring(6)", "Switch(5)", "FullyConnected(4)", "Ring(4)_Switch(3)", "FullyConnected(3)_Ring(3)", "Ring(3)_FullyConnected(2)_Switch(2)"};
    RandomCase entry;
    entry.platform = astraPlatform(kTopologies[pick(0, 5)], {static_cast<double>(pick(10, 80)), static_cast<double>(pick(10, 80)), static_cast<double>(pick(10, 80))},
                                   {static_cast<double>(pick(1, 900)), static_cast<double>(pick(1, 900)), static_cast<double>(pick(1, 900))});
    for (const Dimension& dimension : entry.platform.dimensions)
        entry.npus *= dimension.size;
    for (std::int32_t rank = 0; rank < entry.npus; ++rank)
        entry.start.push_back(static_cast<std::int32_t>(pick(0, 3) * 1000));
    for (std::int64_t i = pick(0, 6); i > 0; --i) {
        const auto from = static_cast<std::int32_t>(pick(0, entry.npus - 1));
        const auto to = static_cast<std::int32_t>(pick(0, entry.npus - 1));
        if (from != to)
            entry.pairs.push_back({from, to, pick(1, 2 * kMiB)});
    }
    for (std::int64_t i = pick(1, 3); i > 0; --i) {
        std::vector<std::int64_t> ranks(static_cast<std::size_t>(entry.npus));
        std::iota(ranks.begin(), ranks.end(), 0);
        std::shuffle(ranks.begin(), ranks.end(), random);
        ranks.resize(static_cast<std::size_t>(pick(2, entry.npus)));
        static const CollectiveOp kOps[] = {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll};
        const CollectiveOp op = kOps[pick(0, 3)];
        Algorithm algorithm = pick(0, 1) == 0 ? Algorithm::Ring : Algorithm::Direct;
        if (op != CollectiveOp::AllToAll && pick(0, 2) == 0)
            algorithm = Algorithm::HalvingDoubling;
        else if (op == CollectiveOp::AllReduce && pick(0, 3) == 0)
            algorithm = Algorithm::DoubleBinaryTree;
        entry.collectives.push_back({ranks, op, algorithm, pick(1, 4 * kMiB), static_cast<std::int32_t>(pick(1, 4)), static_cast<std::int32_t>(pick(0, 2))});
    }
    if (pick(0, 1) == 0)
        entry.reducer = pick(50, 2000) * 1'000'000'000;
    if (pick(0, 2) == 0)
        entry.injection = pick(30, 100) * 1'000'000'000;
    if (pick(0, 2) == 0)
        entry.ejection = pick(30, 100) * 1'000'000'000;
    return entry;
}

/// The case with rank r called newRank[r] and placed on the same node as before.
LinksScenario scenarioOf(const RandomCase& entry, const std::vector<std::int32_t>& newRank, Model model = Model::Links)
{
    LinksScenario scenario(entry.platform);
    scenario.model = model;
    scenario.reducerRate = entry.reducer;
    scenario.injection = entry.injection;
    scenario.ejection = entry.ejection;
    Placement::Job job;
    job.ranks = entry.npus;
    job.nodes.resize(static_cast<std::size_t>(entry.npus));
    for (std::int32_t rank = 0; rank < entry.npus; ++rank)
        job.nodes[at(newRank[at(rank)])] = rank;
    scenario.jobs = {job};
    const auto renamed = [&newRank](std::int64_t rank) { return newRank[at(rank)]; };
    for (std::int32_t rank = 0; rank < entry.npus; ++rank)
        scenario.compute(renamed(rank), entry.start[at(rank)] * 1000LL);
    std::uint32_t tag = 0;
    for (const auto& pair : entry.pairs) {
        scenario.send(renamed(pair.from), renamed(pair.to), pair.bytes, tag, {0});
        scenario.receive(renamed(pair.to), renamed(pair.from), pair.bytes, tag++, {0});
    }
    for (const auto& collective : entry.collectives) {
        std::vector<std::int64_t> members;
        for (const std::int64_t rank : collective.group)
            members.push_back(renamed(rank));
        const FamilyId family = scenario.addFamily({members});
        const auto size = static_cast<std::int32_t>(members.size());
        const ProgramPtr program = templateProgram(collective.op, {size}, {collective.algorithm}, collective.chunks, collective.window);
        for (const std::int64_t member : members)
            scenario.collective(static_cast<std::int32_t>(member), family, collective.bytes, program, {size}, {0});
    }
    return scenario;
}

std::vector<std::int32_t> identity(std::int32_t count)
{
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

void addSeeds()
{
    QTest::addColumn<quint64>("seed");
    for (quint64 seed = 1; seed <= cases<quint64>(60); ++seed)
        QTest::addRow("seed %d", static_cast<int>(seed)) << seed;
}

} // namespace

class LinksPropertiesTest : public QObject {
    Q_OBJECT

private slots:
    void everyLinkCarriesExactlyTheBytesRoutedOverIt_data() { addSeeds(); }
    void everyLinkCarriesExactlyTheBytesRoutedOverIt()
    {
        QFETCH(quint64, seed);
        const RandomCase entry = randomCase(seed);
        const Scenario scenario = scenarioOf(entry, identity(entry.npus)).build();

        const LinksRun run = runLinks(scenario);

        QVERIFY(run.record.complete);
        std::map<LinkId, std::int64_t> expected;
        std::vector<LinkId> route;
        for (const MessageRecord& message : run.messages) {
            route.clear();
            scenario.structure->platform.route(scenario.structure->placement.nodeOf(message.source), scenario.structure->placement.nodeOf(message.target), route);
            for (const LinkId link : route)
                expected[link] += message.bytes;
        }
        std::map<LinkId, std::int64_t> carried;
        std::int64_t total = 0;
        for (const LinkUse& use : run.record.links)
            carried[use.link] = use.bytes;
        for (const DimensionUse& use : run.record.dimensions) {
            total += use.bytes;
            QCOMPARE(use.busy.total(), use.busyPs);
        }
        QVERIFY(carried == expected);
        QCOMPARE(total, std::accumulate(expected.begin(), expected.end(), std::int64_t{0}, [](std::int64_t sum, const auto& item) { return sum + item.second; }));
    }

    /// The time in which all bytes of a link fit is a lower bound of the last delivery over it, counted from the first readiness.
    void noLinkIsFasterThanItsRate_data() { addSeeds(); }
    void noLinkIsFasterThanItsRate()
    {
        QFETCH(quint64, seed);
        const RandomCase entry = randomCase(seed);
        const Scenario scenario = scenarioOf(entry, identity(entry.npus)).build();
        const Platform& platform = scenario.structure->platform;

        const LinksRun run = runLinks(scenario);

        // In every interval that begins at a readiness: bytes of messages that are ready and delivered inside it fit at the rate.
        std::map<LinkId, std::vector<const MessageRecord*>> byLink;
        std::vector<LinkId> route;
        for (const MessageRecord& message : run.messages) {
            route.clear();
            platform.route(scenario.structure->placement.nodeOf(message.source), scenario.structure->placement.nodeOf(message.target), route);
            std::int64_t latency = 0;
            std::int64_t slowest = 0;
            for (const LinkId link : route) {
                byLink[link].push_back(&message);
                latency += platform.latency(link).ps;
                slowest = std::max(slowest, serialisationDelay({message.bytes}, platform.bandwidth(link)).ps);
            }
            QVERIFY(message.donePs >= message.readyPs + latency + slowest);
            QVERIFY(message.leftPs >= message.readyPs + serialisationDelay({message.bytes}, platform.bandwidth(route.front())).ps);
        }
        for (const auto& [link, messages] : byLink) {
            for (const MessageRecord* first : messages) {
                for (const MessageRecord* last : messages) {
                    std::int64_t bytes = 0;
                    for (const MessageRecord* message : messages)
                        bytes += message->readyPs >= first->readyPs && message->donePs <= last->donePs ? message->bytes : 0;
                    if (bytes > 0)
                        QVERIFY(last->donePs - first->readyPs >= serialisationDelay({bytes}, platform.bandwidth(link)).ps);
                }
            }
        }
    }

    /// Messages of one NPU over its own link never overlap there: between leaving times the bytes fit at the rate.
    void ownLinksServeOneByteAtATime_data() { addSeeds(); }
    void ownLinksServeOneByteAtATime()
    {
        QFETCH(quint64, seed);
        const RandomCase entry = randomCase(seed);
        const Scenario scenario = scenarioOf(entry, identity(entry.npus)).build();
        const Platform& platform = scenario.structure->platform;

        const LinksRun run = runLinks(scenario);

        std::map<LinkId, std::vector<const MessageRecord*>> byLink;
        std::vector<LinkId> route;
        for (const MessageRecord& message : run.messages) {
            route.clear();
            platform.route(scenario.structure->placement.nodeOf(message.source), scenario.structure->placement.nodeOf(message.target), route);
            byLink[route.front()].push_back(&message);
        }
        for (auto& [link, messages] : byLink) {
            std::sort(messages.begin(), messages.end(), [](const auto* a, const auto* b) { return a->leftPs < b->leftPs; });
            for (std::size_t i = 1; i < messages.size(); ++i) {
                QVERIFY(messages[i]->leftPs > messages[i - 1]->leftPs);
                // The last piece of a message is served after everything that left before it.
                const std::int64_t last = (messages[i]->bytes - 1) % scenario.params->pieceBytes + 1;
                const std::int64_t whole = serialisationDelay({messages[i]->bytes}, platform.bandwidth(link)).ps;
                const std::int64_t before = serialisationDelay({messages[i]->bytes - last}, platform.bandwidth(link)).ps;
                QVERIFY(messages[i]->leftPs - messages[i - 1]->leftPs >= whole - before);
            }
        }
    }

    void idealIsNeverSlowerForOneCollective_data() { addSeeds(); }
    void idealIsNeverSlowerForOneCollective()
    {
        QFETCH(quint64, seed);
        const RandomCase entry = randomCase(seed);

        const LinksRun shared = runLinks(scenarioOf(entry, identity(entry.npus)).build());
        const LinksRun ideal = runLinks(scenarioOf(entry, identity(entry.npus), Model::Ideal).build());

        QVERIFY(ideal.record.complete);
        QCOMPARE(ideal.messages.size(), shared.messages.size());
        QVERIFY(ideal.record.finish <= shared.record.finish);
    }

    /// Results depend on where ranks are and what they do, never on their numbers.
    void renamingRanksRenamesTheResult_data() { addSeeds(); }
    void renamingRanksRenamesTheResult()
    {
        QFETCH(quint64, seed);
        const RandomCase entry = randomCase(seed);
        std::vector<std::int32_t> newRank = identity(entry.npus);
        std::mt19937_64 random(seed);
        std::shuffle(newRank.begin(), newRank.end(), random);

        LinksRun plain = runLinks(scenarioOf(entry, identity(entry.npus)).build());
        const LinksRun renamed = runLinks(scenarioOf(entry, newRank).build());

        CommutativeDigest expected;
        for (MessageRecord message : plain.messages) {
            message.source = newRank[at(message.source)];
            message.target = newRank[at(message.target)];
            expected.add(message.words());
        }
        QVERIFY(renamed.record.messages.value() == expected.value());
        QVERIFY(renamed.record.finish == plain.record.finish);
    }

    /// Queues are compared with one another in tst_eventqueue; what they hand over at once, they hand over in any order.
    void theOrderInsideAnInstantDoesNotMatter_data() { addSeeds(); }
    void theOrderInsideAnInstantDoesNotMatter()
    {
        QFETCH(quint64, seed);
        const RandomCase entry = randomCase(seed);
        const Scenario scenario = scenarioOf(entry, identity(entry.npus)).build();
        RunOptions options;
        options.messageDigest = true;

        events::Engine shuffled(scenario, options);
        shuffled.agenda.shuffle(seed);
        QVERIFY(shuffled.build() && shuffled.run({}));
        const RunRecord inAnyOrder = events::recordOf(shuffled, false, {}).value();
        const auto asQueued = simulateEvents(scenario, options, {});

        QVERIFY(asQueued);
        QVERIFY(inAnyOrder.messages.value() == asQueued.value().messages.value());
        QVERIFY(inAnyOrder.fingerprint == asQueued.value().fingerprint);
    }

    void receiveWithoutSendIsNamed()
    {
        LinksScenario scenario(astraPlatform("Ring(4)", {50}, {500}));
        scenario.receive(0, 1, 100);
        scenario.receive(1, 0, 100);
        scenario.send(0, 1, 100, 0, {0});
        scenario.send(1, 0, 100, 0, {0});

        const auto record = simulateEvents(scenario.build(), {}, {});

        QVERIFY(record);
        QVERIFY(!record.value().complete);
        QCOMPARE(record.value().waits.size(), std::size_t{2});
        QCOMPARE(record.value().waits[0].rank, 0);
        QCOMPARE(record.value().waits[0].onRanks, std::vector<std::int32_t>{1});
        QVERIFY(QString::fromStdString(record.value().waits[0].task).contains("receive from rank 1"));
        QVERIFY(QString::fromStdString(record.value().waits[0].reason).contains("rank 1 has not sent"));
    }

    void collectiveWaitsForTheMemberThatNeverCalls()
    {
        LinksScenario scenario(astraPlatform("Ring(4)", {50}, {500}));
        const ProgramPtr program = templateProgram(CollectiveOp::AllReduce, {4}, {Algorithm::Ring});
        for (const int rank : {0, 1, 3})
            scenario.collective(rank, 0, kMiB, program, {4});

        const auto record = simulateEvents(scenario.build(), {}, {});

        QVERIFY(record && !record.value().complete);
        QCOMPARE(record.value().waits.size(), std::size_t{3});
        for (const Wait& wait : record.value().waits)
            QCOMPARE(wait.onRanks, std::vector<std::int32_t>{2});
        QVERIFY(QString::fromStdString(record.value().waits[0].reason).contains("rank 2 has not entered; rank 2 has finished"));
    }

    void differentSizesOnBothSidesAreAnError()
    {
        LinksScenario scenario(astraPlatform("Ring(4)", {50}, {500}));
        scenario.send(0, 1, 100, 7);
        scenario.receive(1, 0, 99, 7);

        const auto record = simulateEvents(scenario.build(), {}, {});

        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::InvalidInput);
        QVERIFY(QString::fromStdString(record.error().text()).contains("99") && QString::fromStdString(record.error().text()).contains("100"));
    }

    void computeAndCommunicationOverlap()
    {
        LinksScenario scenario(astraPlatform("Ring(4)", {50}, {500}));
        scenario.compute(0, 10'000'000);
        scenario.send(0, 1, kMiB);
        scenario.receive(1, 0, kMiB);

        const auto record = simulateEvents(scenario.build(), {}, {});

        QVERIFY(record);
        const auto& classes = record.value().classes;
        QCOMPARE(classes[0].times.compute, microseconds(10));
        QCOMPARE(classes[0].times.comm, SimTime{19'531'250}); // Until the buffer is free.
        QCOMPARE(classes[0].times.exposedComm, SimTime{9'531'250});
        QCOMPARE(classes[1].times.comm, SimTime{20'031'250});
    }

    void ranksWithEqualTimesFormOneClass()
    {
        LinksScenario scenario(astraPlatform("Ring(8)", {50}, {500}));
        scenario.collectiveByAll(CollectiveOp::AllReduce, kMiB, {Algorithm::Ring});

        const auto record = simulateEvents(scenario.build(), {}, {});

        QVERIFY(record);
        QCOMPARE(record.value().classes.size(), std::size_t{1});
        QCOMPARE(record.value().classes[0].ranks.text(), std::string("0-7"));
        QCOMPARE(record.value().dimensions[0].links, 16);
        QCOMPARE(record.value().dimensions[0].messages, 8 * 14);
    }

    void stopsWhenAskedTo()
    {
        LinksScenario scenario(astraPlatform("Ring(64)", {50}, {500}));
        scenario.collectiveByAll(CollectiveOp::AllReduce, 64 * kMiB, {Algorithm::Ring}, 4);
        std::stop_source source;
        source.request_stop();

        const auto record = simulateEvents(scenario.build(), {}, source.get_token());

        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::Cancelled);
    }

    void refusesToOutgrowTheMemoryLimit()
    {
        LinksScenario scenario(astraPlatform("Ring(64)", {50}, {500}));
        scenario.collectiveByAll(CollectiveOp::AllReduce, 64 * kMiB, {Algorithm::Ring}, 4);
        RunOptions options;
        options.memoryLimit = 4096;

        const auto record = simulateEvents(scenario.build(), options, {});

        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::MemoryLimit);
    }

    void enginesOfLaterVersionsAreRefused()
    {
        LinksScenario scenario(astraPlatform("Ring(4)", {50}, {500}));
        scenario.compute(0, 1000);
        RunOptions options;
        options.engine = EngineChoice::Sweep;

        const auto record = simulate(scenario.build(), options);

        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::Unsupported);
    }

    void sharedRemoteMemoryServesOneRequestAtATime()
    {
        LinksScenario scenario(astraPlatform("Ring(4)", {50}, {500}));
        scenario.remoteMemory.kind = RemoteMemory::Kind::Pool;
        scenario.remoteMemory.latencyNs = 100;
        scenario.remoteMemory.bytesPerNs = 10;
        for (int rank = 0; rank < 4; ++rank)
            scenario.load(rank, 1000);

        const auto pool = simulateEvents(scenario.build(), {}, {});
        scenario.remoteMemory.kind = RemoteMemory::Kind::PerNpu;
        const auto own = simulateEvents(scenario.build(), {}, {});

        QVERIFY(pool && own);
        QCOMPARE(pool.value().finish, nanoseconds(800)); // Four times 100 ns + 1000 B / 10 B/ns.
        QCOMPARE(own.value().finish, nanoseconds(200));
    }

    void rendezvousWaitsForTheReceive()
    {
        LinksScenario scenario(astraPlatform("Ring(4)", {50}, {500}));
        scenario.rendezvous = true;
        scenario.endpointDelayPs = 10'000;
        scenario.send(0, 1, kMiB);
        const TaskIndex before = scenario.compute(1, 3'000'000);
        scenario.receive(1, 0, kMiB, 0, {before});

        const LinksRun run = runLinks(scenario.build());

        // Posted at 3 us, known 500 ns later, then o, the transfer and the latency.
        QCOMPARE(run.messages[0].readyPs, 3'510'000);
        QCOMPARE(run.messages[0].donePs, 3'510'000 + 20'031'250);
    }
};

FABRICSCOPE_TEST(LinksPropertiesTest)
#include "tst_links_properties.moc"
