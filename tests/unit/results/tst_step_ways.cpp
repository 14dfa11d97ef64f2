// The time of a move is taken apart along the links it took, whatever sent it there: draws, tables, failures, parts.
#include "core/step/collectivereplay.h"
#include "core/step/idlepath.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/cases/stepcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kUs = 1'000'000;

/// Leaves with NPUs, all joined to all spines; every link has its own rate, and those of a spine may be much slower.
PlatformSpec leavesAndSpines(std::mt19937_64& dice, int leaves, int perLeaf, int spines)
{
    const auto rate = [&dice](double least, double most) {
        return Quantity{least + static_cast<double>(dice() % 1000) / 1000 * (most - least), "GB/s", Measure::Bandwidth};
    };
    const auto latency = [&dice] { return Quantity{static_cast<double>(1 + dice() % 900), "ns", Measure::Time}; };
    PlatformSpec spec;
    const int npus = leaves * perLeaf;
    for (int node = 0; node < npus + leaves + spines; ++node)
        spec.nodes.push_back({(node < npus ? "gpu" : node < npus + leaves ? "leaf" : "spine") + std::to_string(node), node < npus ? NodeKind::Npu : NodeKind::Switch});
    const auto join = [&](int a, int b, const Quantity& there, const Quantity& back) {
        spec.links.push_back({a, b, there, latency()});
        spec.links.push_back({b, a, back, latency()});
    };
    for (int npu = 0; npu < npus; ++npu)
        join(npu, npus + npu / perLeaf, rate(20, 60), rate(20, 60));
    for (int leaf = npus; leaf < npus + leaves; ++leaf) {
        for (int spine = npus + leaves; spine < npus + leaves + spines; ++spine)
            join(leaf, spine, rate(2, 90), rate(2, 90));
    }
    return spec;
}

NetworkParams drawing(bool perMessage, std::uint64_t seed)
{
    NetworkParams network;
    network.seed = seed;
    network.routing.emplace();
    network.routing->policy = RoutePolicy::Ecmp;
    network.routing->perMessage = perMessage;
    return network;
}

/// Failures, for a while or for good where another spine is left, and rates below those of the links.
std::vector<LinkFault> randomFaults(std::mt19937_64& dice, const Scenario& scenario, std::int64_t finish)
{
    std::vector<LinkFault> faults;
    const auto links = static_cast<std::uint64_t>(scenario.structure->platform.linkCount());
    std::vector<bool> slowed(links, false);
    for (std::uint64_t i = 0; i < 1 + dice() % 6; ++i) {
        const auto link = static_cast<LinkId>(dice() % links);
        const auto at = static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(finish));
        const SimTime until{at + 1 + static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(finish))};
        if (dice() % 3 > 0) {
            faults.push_back({link, SimTime{at}, until, 0, i});
        } else if (!slowed[static_cast<std::size_t>(link)]) {
            slowed[static_cast<std::size_t>(link)] = true;
            faults.push_back({link, SimTime{at}, until, scenario.structure->platform.bandwidth(link).bytesPerSecond / 3, i});
        }
    }
    return faults;
}

/// One message of one piece of work or of several, from gpu0 to gpu1 at 1 B/ns and 100 ns a link.
CollectiveReplayPtr messageOverGraph(const std::string& links, std::int64_t bytes, const std::vector<std::pair<std::string, std::int64_t>>& failures)
{
    const auto loaded = readDesignText(graphDesign(links, "", "{send: 1 B, to: 1, ranks: 0}, {receive: 1 B, from: 0, ranks: 1}"), "graph.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    LinksScenario builder(*loaded.value().design.platform);
    const FamilyId pair = builder.addFamily({{0, 1}});
    for (const int rank : {0, 1})
        builder.collective(rank, pair, bytes, oneMessage(bytes, false), {2});
    std::vector<LinkFault> faults;
    for (const auto& [name, at] : failures) {
        for (LinkId link = 0; link < builder.platform().linkCount(); ++link) {
            if (builder.platform().linkName(link) == name)
                faults.push_back({link, SimTime{at}, std::nullopt, 0, faults.size()});
        }
    }
    if (faults.size() != failures.size())
        qFatal("no such link");
    const auto replay = CollectiveReplay::create(std::make_shared<const Scenario>(withNetwork(builder.build(), {}, faults)), 0);
    if (!replay)
        qFatal("%s", replay.error().text().c_str());
    return replay.value();
}

std::string names(const CollectiveReplay& replay, std::span<const LinkId> links)
{
    std::string text;
    for (const LinkId link : links)
        text += (text.empty() ? "" : " ") + replay.scenario().structure->platform.linkName(link);
    return text;
}

/// What the parts of one move must be whatever happened to it. `exact`: no link was ever faster than its platform says.
void checkMove(const CollectiveReplay& replay, std::uint32_t number, bool exact)
{
    const Platform& platform = replay.scenario().structure->platform;
    const ReplayMove& move = replay.moves()[number];
    const MoveWhy why = replay.why(number);
    QCOMPARE(why.duration(), move.donePs - move.readyPs);
    QVERIFY(why.waiting >= 0 && why.serialisation >= 0 && why.latency >= 0 && why.reduction >= 0);
    std::vector<LinkId> usual;
    platform.route(replay.nodeAt(move.source), replay.nodeAt(move.target), usual);
    std::vector<TakenWay> ways(replay.waysOf(move).begin(), replay.waysOf(move).end());
    if (ways.empty())
        ways.push_back({move.bytes, usual});
    QCOMPARE(ways.back().end, move.bytes);
    std::int64_t begin = 0;
    bool shown = false;
    for (const TakenWay& way : ways) {
        QVERIFY(way.end > begin);
        begin = way.end;
        QCOMPARE(platform.linkInfo(way.links.front()).from, replay.nodeAt(move.source));
        QCOMPARE(platform.linkInfo(way.links.back()).to, replay.nodeAt(move.target));
        for (std::size_t hop = 1; hop < way.links.size(); ++hop)
            QCOMPARE(platform.linkInfo(way.links[hop]).from, platform.linkInfo(way.links[hop - 1]).to);
        shown = shown || way.links == why.route;
    }
    QVERIFY(shown);
    if (!exact)
        return;
    // Nothing had to be taken from the other parts: the latency is that of the links, and the slowest of them was not outrun.
    std::int64_t latency = 0;
    for (const LinkId link : why.route)
        latency += platform.latency(link).ps;
    QCOMPARE(why.latency, latency);
    if (ways.size() == 1)
        QVERIFY(why.serialisation >= mulDivCeil(move.bytes, kPsPerSecond, why.slowestRate));
}

} // namespace

class TestStepWays : public QObject {
    Q_OBJECT

private slots:
    void C5_aMoveIsTakenApartAlongTheWayItDrew();
    void C5_aLoneMessageWaitsForNothingOnAnyWay();
    void C5_bytesOfTheWaysAreThoseTheLinksCarried_data();
    void C5_bytesOfTheWaysAreThoseTheLinksCarried();
    void C5_aMessageThatAFailurePartsIsTakenApartOverBothWays();
    void C5_aPieceTurnedAwayKeepsTheLinksItCrossed();
    void C5_bytesAtOnceOverTwoWaysNeedTheirTimeOnEachLink();
};

void TestStepWays::C5_aMoveIsTakenApartAlongTheWayItDrew()
{
    // Eight messages of 1 MB each way, over the switch each of them draws: 100 us by the first, which the shortest way would take, 10 us by the second.
    // Those of one rank that draw the same switch leave one after the other.
    const auto scenario = std::make_shared<const Scenario>(scenarioOf(
        "fabricscope: 1\nplatform:\n  nodes:\n    - {name: a}\n    - {name: b}\n    - {name: slow, kind: switch}\n    - {name: fast, kind: switch}\n  links:\n"
        "    - {between: [a, slow], bandwidth: 10 GB/s, latency: 500 ns}\n    - {between: [slow, b], bandwidth: 10 GB/s, latency: 500 ns}\n"
        "    - {between: [a, fast], bandwidth: 100 GB/s, latency: 500 ns}\n    - {between: [fast, b], bandwidth: 100 GB/s, latency: 500 ns}\n"
        "workload: {collective: all_gather, size: 16 MB}\ncollectives: {default: {algorithm: direct, chunks: 8}}\n"
        "network: {seed: 1, routing: {policy: ecmp, per: message}}\n"
        "model: {name: links, version: physical/1}\n")); // From 2 on the NPUs would leave the slow switch alone.
    const auto replay = CollectiveReplay::create(scenario, 0);
    QVERIFY(replay);
    QCOMPARE(replay.value()->moves().size(), std::size_t{16});
    const Platform& platform = scenario->structure->platform;
    std::map<std::pair<std::int32_t, std::int64_t>, std::vector<std::int64_t>> waits; // By source and serialisation.
    for (std::uint32_t number = 0; number < 16; ++number) {
        const MoveWhy why = replay.value()->why(number);
        QCOMPARE(why.hops, 2);
        QCOMPARE(why.latency, kUs);
        QCOMPARE(why.slowestRate, platform.bandwidth(why.route.front()).bytesPerSecond);
        QCOMPARE(why.serialisation, why.slowestRate == 10'000'000'000 ? 100 * kUs : 10 * kUs);
        QCOMPARE(why.waitedFor >= 0, why.waiting > 0);
        waits[{replay.value()->moves()[number].source, why.serialisation}].push_back(why.waiting);
    }
    QCOMPARE(waits.size(), std::size_t{4}); // Both ways from both ranks.
    for (auto& [link, list] : waits) {
        std::sort(list.begin(), list.end());
        for (std::size_t before = 0; before < list.size(); ++before)
            QCOMPARE(list[before], static_cast<std::int64_t>(before) * link.second);
    }
}

void TestStepWays::C5_aLoneMessageWaitsForNothingOnAnyWay()
{
    int unusual = 0;
    for (const std::uint64_t seed : Seeds(100, 300)) {
        std::mt19937_64 dice(seed);
        LinksScenario builder(leavesAndSpines(dice, 2, 2, 3));
        const std::int64_t bytes = 1 + static_cast<std::int64_t>(dice() % (3 << 20));
        if (dice() % 4 == 0)
            builder.model = Model::Ideal;
        if (dice() % 3 == 0)
            builder.injection = 1'000'000'000 + static_cast<std::int64_t>(dice() % 60'000'000'000);
        if (dice() % 3 == 0)
            builder.ejection = 1'000'000'000 + static_cast<std::int64_t>(dice() % 60'000'000'000);
        builder.reducerRate = 10'000'000'000;
        const bool reduces = dice() % 2 == 0;
        const FamilyId pair = builder.addFamily({{0, 3}});
        for (const int rank : {0, 3})
            builder.collective(rank, pair, bytes, oneMessage(bytes, reduces), {2});
        Scenario scenario = withNetwork(builder.build(), drawing(true, seed));
        if (seed % 2 == 0) { // A failure later than all of this: messages go in parts then.
            std::vector<LinkFault> late{{0, SimTime{900'000 * kUs}, std::nullopt, 0, 0}};
            scenario = withNetwork(builder.build(), drawing(true, seed), late);
        }
        const auto replay = CollectiveReplay::create(std::make_shared<const Scenario>(scenario), 0);
        QVERIFY(replay);
        QCOMPARE(replay.value()->moves().size(), std::size_t{1});
        QCOMPARE(replay.value()->why(0).waiting, std::int64_t{0});
        checkMove(*replay.value(), 0, true);
        if (QTest::currentTestFailed())
            return;
        unusual += replay.value()->waysOf(replay.value()->moves()[0]).empty() ? 0 : 1;
    }
    QVERIFY(unusual > cases(100)); // Two of three.
}

void TestStepWays::C5_bytesOfTheWaysAreThoseTheLinksCarried_data()
{
    QTest::addColumn<bool>("perMessage");
    QTest::addColumn<bool>("faulty");
    QTest::addColumn<bool>("jittered");
    QTest::addColumn<bool>("slotted");
    QTest::newRow("drawn by stream") << false << false << false << false;
    QTest::newRow("drawn by message") << true << false << false << false;
    QTest::newRow("faults") << false << true << false << false;
    QTest::newRow("drawn by message, faults") << true << true << false << false;
    QTest::newRow("drawn by message, faults, jitter") << true << true << true << false;
    QTest::newRow("drawn by message, faults, slots") << true << true << false << true;
}

void TestStepWays::C5_bytesOfTheWaysAreThoseTheLinksCarried()
{
    QFETCH(bool, perMessage);
    QFETCH(bool, faulty);
    QFETCH(bool, jittered);
    QFETCH(bool, slotted);
    int unusual = 0;
    int parted = 0;
    int waited = 0;
    for (const std::uint64_t seed : Seeds(500, 120, 30)) {
        std::mt19937_64 dice(seed);
        LinksScenario builder(leavesAndSpines(dice, 2 + static_cast<int>(dice() % 2), 2 + static_cast<int>(dice() % 2), 2 + static_cast<int>(dice() % 2)));
        if (dice() % 3 == 0)
            builder.injection = 40'000'000'000;
        if (dice() % 2 == 0)
            builder.reducerRate = 20'000'000'000;
        const std::int32_t npus = builder.platform().npuCount();
        static constexpr CollectiveOp kOps[] = {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter};
        const ProgramPtr program = templateProgram(kOps[dice() % 3], {npus}, {dice() % 2 == 0 ? Algorithm::Direct : Algorithm::Ring}, 1 + static_cast<int>(dice() % 3));
        const std::int64_t bytes = 1 + static_cast<std::int64_t>(dice() % (12 << 20));
        for (std::int32_t rank = 0; rank < npus; ++rank)
            builder.collective(rank, 0, bytes, program, {npus});
        const Scenario plain = builder.build();
        NetworkParams network = perMessage || !faulty ? drawing(perMessage, seed) : NetworkParams{};
        if (jittered) {
            network.latency = JitterTable({JitterShape::Exponential, 0.5});
            network.occupancy = JitterTable({JitterShape::Uniform, 0.3});
        }
        if (slotted) {
            network.protocols.emplace_back();
            network.protocols.back().slotCount = 2;
            network.protocols.back().slotBytes = 100'000;
        }
        const std::int64_t finish = runNetwork(withNetwork(plain, network)).record.finish.ps + 1;
        const auto scenario = std::make_shared<const Scenario>(withNetwork(plain, network, faulty ? randomFaults(dice, plain, finish) : std::vector<LinkFault>()));
        const RunRecord record = runNetwork(*scenario).record;
        QVERIFY(record.complete);
        const auto made = CollectiveReplay::create(scenario, 0);
        QVERIFY(made);
        const CollectiveReplay& replay = *made.value();
        std::map<LinkId, std::int64_t> carried;
        for (std::uint32_t number = 0; number < replay.moves().size(); ++number) {
            checkMove(replay, number, !jittered);
            if (QTest::currentTestFailed())
                return;
            const ReplayMove& move = replay.moves()[number];
            const std::span<const TakenWay> ways = replay.waysOf(move);
            std::vector<LinkId> usual;
            if (ways.empty())
                scenario->structure->platform.route(replay.nodeAt(move.source), replay.nodeAt(move.target), usual);
            for (const LinkId link : usual)
                carried[link] += move.bytes;
            std::int64_t begin = 0;
            for (const TakenWay& way : ways) {
                for (const LinkId link : way.links)
                    carried[link] += way.end - begin;
                begin = way.end;
            }
            unusual += ways.empty() ? 0 : 1;
            parted += ways.size() > 1 ? 1 : 0;
            waited += replay.why(number).waiting > 0 ? 1 : 0;
            if (!jittered) {
                const IdlePath idle = idlePath(*scenario, replay.nodeAt(move.source), replay.nodeAt(move.target), move.bytes, 0, ways);
                QVERIFY(idle.arrival <= move.donePs - move.readyPs);
            }
        }
        std::map<LinkId, std::int64_t> used;
        for (const LinkUse& use : record.links)
            used[use.link] = use.bytes;
        std::erase_if(used, [](const auto& entry) { return entry.second == 0; });
        QVERIFY(carried == used);
    }
    QVERIFY(unusual > cases(perMessage || !faulty ? 300 : 60)); // A failure alone only turns away what meets it.
    QVERIFY(waited > cases(300));
    QVERIFY(parted > (faulty ? cases(3, 0) : -1));
}

void TestStepWays::C5_aMessageThatAFailurePartsIsTakenApartOverBothWays()
{
    // 1 MiB in four pieces of 262.144 us. gpu0>s0 fails at 500 us, when two have been picked: the others begin there over s1, for which each half needs
    // 524.288 us, at one time if nothing had failed. What is left of the 500 + 524.288 us is waiting.
    const CollectiveReplayPtr apart = messageOverGraph("gpu0-s0 gpu0-s1 s0-gpu1 s1-gpu1", 1 << 20, {{"gpu0>s0", 500 * kUs}});
    const ReplayMove& move = apart->moves()[0];
    QCOMPARE(move.donePs - move.readyPs, 500 * kUs + 524'288'000 + 200'000);
    QCOMPARE(apart->waysOf(move).size(), std::size_t{2});
    QCOMPARE(apart->waysOf(move)[0].end, std::int64_t{1 << 19});
    QCOMPARE(names(*apart, apart->waysOf(move)[0].links), std::string("gpu0>s0 s0>gpu1"));
    QCOMPARE(names(*apart, apart->waysOf(move)[1].links), std::string("gpu0>s1 s1>gpu1"));
    const MoveWhy why = apart->why(0);
    QCOMPARE(why.latency, std::int64_t{200'000});
    QCOMPARE(why.serialisation, std::int64_t{524'288'000});
    QCOMPARE(why.waiting, 500 * kUs);

    // Behind a first link that both halves share nothing is lost: it never stands still.
    const CollectiveReplayPtr behind = messageOverGraph("gpu0-s0 s0-s1 s1-s3 s0-s2 s2-s3 s3-gpu1", 1 << 20, {{"s0>s1", 500 * kUs}});
    QCOMPARE(behind->waysOf(behind->moves()[0]).size(), std::size_t{2});
    const MoveWhy shared = behind->why(0);
    QCOMPARE(names(*behind, shared.route), std::string("gpu0>s0 s0>s1 s1>s3 s3>gpu1"));
    QCOMPARE(shared.latency, std::int64_t{400'000});
    QCOMPARE(shared.serialisation, std::int64_t{1'048'576'000});
    QCOMPARE(shared.waiting, std::int64_t{0});
}

void TestStepWays::C5_aPieceTurnedAwayKeepsTheLinksItCrossed()
{
    // One piece, its head at s1 after 200 ns, where s1>s3 has failed 50 ns before: back over s0 to s2. Six links of 100 ns and 100 us.
    const CollectiveReplayPtr replay = messageOverGraph("gpu0-s0 s0-s1 s1-s3 s0-s2 s2-s3 s3-gpu1", 100'000, {{"s1>s3", 150'000}});
    const MoveWhy why = replay->why(0);
    QCOMPARE(names(*replay, why.route), std::string("gpu0>s0 s0>s1 s1>s0 s0>s2 s2>s3 s3>gpu1"));
    QCOMPARE(why.hops, 6);
    QCOMPARE(why.latency, std::int64_t{600'000});
    QCOMPARE(why.serialisation, 100 * kUs);
    QCOMPARE(why.waiting, std::int64_t{0});
}

void TestStepWays::C5_bytesAtOnceOverTwoWaysNeedTheirTimeOnEachLink()
{
    // Links of 1 B/ns and 100 ns. 1000 B over s0 and 3000 B over s1 share the link into gpu1 only behind s2: 4000 ns there, behind two links and itself.
    const CollectiveReplayPtr replay = messageOverGraph("gpu0-s0 gpu0-s1 s0-s2 s1-s2 s2-gpu1", 4000, {});
    const Platform& platform = replay->scenario().structure->platform;
    std::map<std::string, LinkId> link;
    for (LinkId number = 0; number < platform.linkCount(); ++number)
        link[platform.linkName(number)] = number;
    const std::vector<TakenWay> ways{{1000, {link["gpu0>s0"], link["s0>s2"], link["s2>gpu1"]}}, {4000, {link["gpu0>s1"], link["s1>s2"], link["s2>gpu1"]}}};
    const IdlePath path = idlePath(replay->scenario(), 0, 1, 4000, 0, ways);
    QCOMPARE(path.arrival, std::int64_t{4'300'000});
    QCOMPARE(path.done, path.arrival);
    QCOMPARE(path.latency, std::int64_t{300'000});
    QCOMPARE(path.ownLink, std::int64_t{3'000'000});
    QCOMPARE(names(*replay, path.route), std::string("gpu0>s1 s1>s2 s2>gpu1"));
}

FABRICSCOPE_TEST(TestStepWays)
#include "tst_step_ways.moc"
