// Lower bounds by the levels of a group on a graph: cuts of hosts and units by hand, and never above what a run takes.
#include "core/base/index.h"
#include "core/bounds/bounds.h"
#include "core/hierarchy/boundlevels.h"
#include "core/hierarchy/findrails.h"
#include "core/platform/topologytext.h"
#include "core/report/collectivebounds.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Two units of four hosts of four NPUs at a switch of 450 GB/s; four leaves a unit, each with four cables of 50 GB/s down and two up.
constexpr const char* kLeveledPod = "Switch(4,450GB/s,1us) / rails 2,4,4,2,2 50GB/s 1us";
constexpr std::int64_t kLeveledUs = 1'000'000;

PlatformSpec leveledSpec(const std::string& line)
{
    auto spec = parseTopologyText(line, {}, {});
    if (!spec)
        qFatal("%s", spec.error().text().c_str());
    return std::move(spec).value();
}

std::vector<NodeId> leveledGroup(std::int64_t first, std::int64_t end)
{
    std::vector<NodeId> npus(static_cast<std::size_t>(end - first));
    std::iota(npus.begin(), npus.end(), static_cast<NodeId>(first));
    return npus;
}

std::vector<BoundLevel> levelsOfGroup(const Platform& platform, const std::vector<NodeId>& members)
{
    const auto found = LevelFinder(platform).find(members);
    return boundLevels(found->used, found->order);
}

/// Without a search for the narrowest cut, as on larger graphs, unless `maxWork` says more.
CollectiveBound leveledBound(const Platform& platform, const std::vector<NodeId>& members, CollectiveOp op, std::int64_t bytes,
                             const std::vector<BoundLevel>& levels, std::int64_t maxWork = 0)
{
    return collectiveBound(platform, members, op, bytes, 0, BoundScope::Platform, {}, maxWork, levels).value();
}

/// A run of one collective of a design, on a platform that need not be one of its own.
ScenarioPtr leveledRun(const PlatformSpec& platform, const std::string& workload, const std::string& more)
{
    auto loaded = readDesignText("fabricscope: 1\nplatform: {topology: \"Ring(2, 50 GB/s, 1 us)\"}\nworkload: " + workload + '\n' + more, "made.yaml");
    if (!loaded)
        qFatal("%s: %s", (workload + ' ' + more).c_str(), loaded.error().text().c_str());
    Design design = std::move(loaded.value().design);
    design.platform = std::make_shared<const PlatformSpec>(platform);
    const auto scenario = prepare(design);
    if (!scenario)
        qFatal("%s: %s", (workload + ' ' + more).c_str(), scenario.error().text().c_str());
    return scenario.value();
}

/// Hosts of a random number of NPUs, some with a switch and some with links in a ring; each NPU or only some have cables, to leaves of their rail or of the host; random
/// cables from leaves to spines, at least one. NPUs pass on or do not.
PlatformSpec randomHosts(std::mt19937_64& random)
{
    const auto pick = [&random](std::int64_t low, std::int64_t high) { return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)); };
    PlatformSpec spec;
    const auto join = [&](std::int64_t a, std::int64_t b, std::int64_t rate) {
        const double ns = static_cast<double>(pick(1, 4) * 250);
        for (const auto& [from, to] : {std::pair{a, b}, {b, a}})
            spec.links.push_back({static_cast<NodeId>(from), static_cast<NodeId>(to), Quantity{static_cast<double>(rate), "GB/s", Measure::Bandwidth}, Quantity{ns, "ns", Measure::Time}});
    };
    const std::int64_t hosts = pick(2, 6);
    const std::int64_t size = pick(2, 4);
    const bool forwards = pick(0, 1) == 0;
    for (std::int64_t npu = 0; npu < hosts * size; ++npu)
        spec.nodes.push_back({"npu" + std::to_string(npu), NodeKind::Npu, {}, forwards});
    const auto addSwitch = [&] {
        spec.nodes.push_back({"switch" + std::to_string(spec.nodes.size()), NodeKind::Switch, {}});
        return static_cast<std::int64_t>(spec.nodes.size()) - 1;
    };
    for (std::int64_t host = 0; host < hosts; ++host) {
        const std::int64_t centre = addSwitch();
        for (std::int64_t i = 0; i < size; ++i)
            join(host * size + i, centre, pick(100, 120));
    }
    const std::int64_t rails = pick(0, 1) == 0 ? size : 1;
    const std::int64_t perUnit = pick(1, hosts);
    std::vector<std::int64_t> leaves;
    for (std::int64_t unit = 0; unit * perUnit < hosts; ++unit) {
        for (std::int64_t rail = 0; rail < rails; ++rail)
            leaves.push_back(addSwitch());
    }
    for (std::int64_t npu = 0; npu < hosts * size; ++npu) {
        const std::int64_t host = npu / size;
        join(npu, leaves[at(host / perUnit * rails + npu % size % rails)], pick(10, 50));
    }
    std::vector<std::int64_t> spines{addSwitch()};
    if (pick(0, 1) == 0)
        spines.push_back(addSwitch());
    for (const std::int64_t leaf : leaves) {
        for (const std::int64_t spine : spines)
            join(leaf, spine, pick(5, 60));
    }
    return spec;
}

} // namespace

class BoundsLevelsTest : public QObject {
    Q_OBJECT

private slots:
    /// 32 shards of 1 MB, x = 20 us for one over a cable. What crosses the cut of a host has 4 cables and 2 us, of a unit 8 cables and 4 us, of an NPU 450 + 50 GB/s
    /// and 2 us.
    void hostsAndUnitsOfAPodBindByHand_data()
    {
        QTest::addColumn<int>("op");
        QTest::addColumn<qint64>("bandwidth"); // us
        QTest::addColumn<qint64>("time");
        QTest::addColumn<qint64>("single");    // by the links of single NPUs
        QTest::addColumn<QString>("cut");
        // 28 shards enter a host over 4 cables; 16 a unit over 8 would be 2 x; 31 an NPU over ten times a cable 3.1 x.
        QTest::newRow("all-gather") << static_cast<int>(CollectiveOp::AllGather) << qint64{140} << qint64{142} << qint64{62} << "host of unit0.host0.gpu0 | rest";
        // As many leave it.
        QTest::newRow("reduce-scatter") << static_cast<int>(CollectiveOp::ReduceScatter) << qint64{140} << qint64{142} << qint64{62} << "host of unit0.host0.gpu0 | rest";
        // 2 (8 - 1) times 32 shards leave all hosts together over 8 x 4 cables: 14 x; two units 2 x 32 over 2 x 8: 4 x; NPUs 2 x 31 x 32 over 32 x 10: 6.2 x.
        QTest::newRow("all-reduce") << static_cast<int>(CollectiveOp::AllReduce) << qint64{280} << qint64{282} << qint64{124} << "links of every host";
        // 16 x 16 shards from unit to unit over 8 cables: 32 x; 4 x 28 from a host over 4: 28 x.
        QTest::newRow("all-to-all") << static_cast<int>(CollectiveOp::AllToAll) << qint64{640} << qint64{644} << qint64{62} << "unit of unit0.host0.gpu0 | rest";
    }
    void hostsAndUnitsOfAPodBindByHand()
    {
        QFETCH(int, op);
        QFETCH(qint64, bandwidth);
        QFETCH(qint64, time);
        QFETCH(qint64, single);
        QFETCH(QString, cut);
        const Platform pod = Platform::create(leveledSpec(kLeveledPod)).value();
        const std::vector<NodeId> members = leveledGroup(0, 32);
        const std::vector<BoundLevel> levels = levelsOfGroup(pod, members);
        QCOMPARE(levels.size(), std::size_t{2});
        QCOMPARE(levels[0].name, std::string("host"));
        QCOMPARE(levels[1].name, std::string("unit"));
        const auto kind = static_cast<CollectiveOp>(op);
        const CollectiveBound without = leveledBound(pod, members, kind, 32'000'000, {});
        QCOMPARE(without.bandwidthPs, single * kLeveledUs);
        const CollectiveBound with = leveledBound(pod, members, kind, 32'000'000, levels);
        QCOMPARE(with.bandwidthPs, bandwidth * kLeveledUs);
        QCOMPARE(with.timePs, time * kLeveledUs);
        QCOMPARE(QString::fromStdString(with.cut), cut);
        QVERIFY(!with.exact);
        // A search finds no narrower cut.
        const CollectiveBound searched = leveledBound(pod, members, kind, 32'000'000, levels, kBoundWork);
        QCOMPARE(searched.bandwidthPs, bandwidth * kLeveledUs);
        QCOMPARE(searched.exact, kind != CollectiveOp::AllToAll);
    }

    /// Cables between units of an eighth of the rate: units bind where hosts did. 16 shards enter one over 8 / 8 of a cable: 16 x; 2 x 32 leave both over two of
    /// them: 32 x.
    void slowSpinesMakeUnitsBind()
    {
        PlatformSpec spec = leveledSpec(kLeveledPod);
        const Platform plain = Platform::create(spec).value();
        for (LinkId link = 0; link < plain.linkCount(); ++link) {
            const LinkInfo info = plain.linkInfo(link);
            if (info.from < plain.npuCount() || info.to < plain.npuCount())
                continue;
            LinkOverride slow;
            slow.link = link;
            slow.bandwidth = Quantity{6.25, "GB/s", Measure::Bandwidth};
            spec.linkOverrides.push_back(slow);
        }
        QCOMPARE(spec.linkOverrides.size(), std::size_t{2 * 8 * 2});
        const Platform pod = Platform::create(spec).value();
        const std::vector<NodeId> members = leveledGroup(0, 32);
        const std::vector<BoundLevel> levels = levelsOfGroup(pod, members);
        QCOMPARE(leveledBound(pod, members, CollectiveOp::AllGather, 32'000'000, levels).timePs, (320 + 4) * kLeveledUs);
        const CollectiveBound reduced = leveledBound(pod, members, CollectiveOp::AllReduce, 32'000'000, levels);
        QCOMPARE(reduced.timePs, (640 + 4) * kLeveledUs);
        QCOMPARE(reduced.bandwidthPs, 640 * kLeveledUs);
    }

    /// Two of four NPUs a host, on rails without spines. The other two may pass on over theirs: 4 cables, not 2. 6 shards enter a host: 1.5 x = 30 us; two of the cables
    /// take 2 us from member to member, two 3 + 1 + 2 us by way of the switches of two hosts: 2 (T - 2) + 2 (T - 6) = 6 x.
    void whatPassesByOthersOfTheHostCounts()
    {
        const Platform rails = Platform::create(leveledSpec("Switch(4,450GB/s,1us) / rails_only 4,4 50GB/s 1us")).value();
        const std::vector<NodeId> members{0, 1, 4, 5, 8, 9, 12, 13};
        const std::vector<BoundLevel> levels = levelsOfGroup(rails, members);
        QCOMPARE(levels.size(), std::size_t{1});
        const CollectiveBound bound = leveledBound(rails, members, CollectiveOp::AllGather, 8'000'000, levels);
        QCOMPARE(bound.bandwidthPs, 30 * kLeveledUs);
        QCOMPARE(bound.timePs, 34 * kLeveledUs);
        QCOMPARE(leveledBound(rails, members, CollectiveOp::AllGather, 8'000'000, levels, kBoundWork).bandwidthPs, 30 * kLeveledUs); // by search too
    }

    /// Any blocks will do: of different size, out of order.
    void blocksNeedNotBeAlike()
    {
        const Platform rails = Platform::create(leveledSpec("Switch(4,450GB/s,1us) / rails_only 4,4 50GB/s 1us")).value();
        const std::vector<NodeId> members = leveledGroup(0, 16);
        BoundLevel level{"part", std::vector<std::int32_t>(16, 0)};
        std::fill(level.blockOf.begin(), level.blockOf.begin() + 4, 1);
        // 12 shards enter the first host over 4 cables, 4 the other three over 12.
        const CollectiveBound bound = leveledBound(rails, members, CollectiveOp::AllGather, 16'000'000, {level});
        QCOMPARE(bound.timePs, (60 + 2) * kLeveledUs);
        QCOMPARE(QString::fromStdString(bound.cut), QStringLiteral("part of host0.gpu0 | rest"));
        // One block is no cut.
        const CollectiveBound whole = leveledBound(rails, members, CollectiveOp::AllGather, 16'000'000, {BoundLevel{"all", std::vector<std::int32_t>(16, 0)}});
        QCOMPARE(whole.timePs, leveledBound(rails, members, CollectiveOp::AllGather, 16'000'000, {}).timePs);
        std::stop_source source;
        source.request_stop();
        QVERIFY(!collectiveBound(rails, members, CollectiveOp::AllGather, 16'000'000, 0, BoundScope::Platform, source.get_token(), 0, std::vector<BoundLevel>{level}));
    }

    /// The same pod without a GPU: hosts are still blocks. 120 shards enter the host of 7 over 7 cables of 50 GB/s, 119 another over 8; an NPU alone has 126 over ten times a cable.
    /// Shards of 7 x 1.27 MB, cut in 127 parts each by the program: 120 times 1.27 MB at 50 GB/s.
    void resultsKnowTheLevelsOfUnequalHosts()
    {
        PlatformSpec pod = leveledSpec("hgx-h100 x4 / rails 64p 400G x4 / spine 4:1");
        NpuOverride gone;
        gone.node = 5;
        gone.removed = true;
        pod.npuOverrides.push_back(gone);
        const Platform platform = Platform::create(pod).value();
        std::vector<NodeId> members = leveledGroup(0, 128);
        members.erase(members.begin() + 5);
        const auto found = LevelFinder(platform).find(members);
        QVERIFY(found->uneven);
        const std::vector<BoundLevel> levels = boundLevels(*found->uneven);
        QCOMPARE(QString::fromStdString(levels.front().name), QStringLiteral("host"));
        for (std::size_t member = 0; member < members.size(); ++member) {
            QCOMPARE(levels.front().blockOf[member] == levels.front().blockOf[0], members[member] / 8 == 0);
            QCOMPARE(levels.front().blockOf[member] == levels.front().blockOf[40], members[member] / 8 == members[40] / 8);
        }
        const ScenarioPtr scenario = leveledRun(pod, "{collective: all_gather, size: 1129030000 B}", "collectives: {default: {chunks: 1}}\n");
        const auto record = simulate(*scenario, {});
        const auto rows = collectiveBounds(*scenario, record.value()).rows;
        QCOMPARE(rows.size(), std::size_t{1});
        QCOMPARE(rows[0].bandwidth.ps, 120 * kLeveledUs * 127 / 5);
        QVERIFY(rows[0].best >= rows[0].bound);
        QVERIFY2(rows[0].cut.starts_with("unit0.host0.gpu0, "), rows[0].cut.c_str());
    }

    /// 4 units of 4 hosts of 8 GPUs, 4 cables down and 1 up at each of 8 leaves: too many links for a search with a result. x = 20 971.52 ns for a shard of 1 MiB.
    void resultsKnowTheLevelsOfTheirGroups()
    {
        const PlatformSpec pod = leveledSpec("hgx-h100 x4 / rails 64p 400G x4 / spine 4:1");
        const auto bound = [&](const std::string& op) {
            const ScenarioPtr scenario = leveledRun(pod, "{collective: " + op + ", size: 128 MiB}", "collectives: {default: {chunks: 1}}\n");
            const auto record = simulate(*scenario, {});
            const auto rows = collectiveBounds(*scenario, record.value()).rows;
            if (rows.size() != 1 || rows[0].best < rows[0].bound)
                qFatal("%s: %zu rows", op.c_str(), rows.size());
            return rows[0];
        };
        // All hosts: 2 x 15 x 128 shards over 16 x 8 cables, 30 x; four units 2 x 3 x 128 over 4 x 8, 24 x; NPUs 2 x 127 over ten times a cable each, 25.4 x.
        const CollectiveBoundRow reduced = bound("all_reduce");
        QCOMPARE(reduced.bandwidth.ps, 629'145'600);
        QCOMPARE(reduced.cut, std::string("links of every host"));
        // 32 x 96 shards leave a unit over 8 cables: 384 x; 8 x 120 a host over 8: 120 x.
        const CollectiveBoundRow exchanged = bound("all_to_all");
        QCOMPARE(exchanged.bandwidth.ps, 8'053'063'680);
        QCOMPARE(exchanged.cut, std::string("unit of unit0.host0.gpu0 | rest"));
    }

    void noRunIsFasterThanTheBoundByLevels()
    {
        static constexpr std::array kLines{
            kLeveledPod, "Switch(2,200GB/s,1us) / rails 3,2,2,1,1 50GB/s 1us", "Switch(4,450GB/s,1us) / rails_only 4,4 50GB/s 1us", "npu / leaf_spine 4,4,2,2 50GB/s 1us",
            "npu / leaf_spine 3,4,2,4 50GB/s 1us", "npu / fat_tree 4 50GB/s 1us", "npu / dragonfly 1,2,1 50GB/s 1us", "npu / dragonfly_plus 1,2,2,1 50GB/s 1us",
            "npu / hyperx 3x3 50GB/s 1us npus 2", "Ring(4,100GB/s,1us) x3 / rails_only 50GB/s 1us", "hgx-h100 x2 / rails 64p 400G x2 / spine 2:1"};
        static constexpr std::array kOps{std::pair{CollectiveOp::AllReduce, "all_reduce"}, std::pair{CollectiveOp::AllGather, "all_gather"},
                                         std::pair{CollectiveOp::ReduceScatter, "reduce_scatter"}, std::pair{CollectiveOp::AllToAll, "all_to_all"},
                                         std::pair{CollectiveOp::Broadcast, "broadcast"}};
        static constexpr std::array kRoutes{"shortest", "balanced", "ecmp", "spray", "valiant", "rail_aware"};
        int leveled = 0;
        int tighter = 0;
        double best = 0;
        for (const std::uint64_t seed : Seeds(0, 150, 15)) {
            std::mt19937_64 random(seed);
            const auto pick = [&random](std::int64_t low, std::int64_t high) { return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)); };
            const auto line = static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(kLines.size()) + 5));
            PlatformSpec spec = line < kLines.size() ? leveledSpec(kLines[line]) : randomHosts(random);
            const Platform plain = Platform::create(spec).value();
            for (std::int64_t changes = pick(0, 1) == 0 ? 0 : pick(1, 8); changes > 0; --changes) {
                LinkOverride change;
                change.link = pick(0, plain.linkCount() - 1);
                change.bandwidth = Quantity{static_cast<double>(pick(4, 100)), "GB/s", Measure::Bandwidth};
                if (std::none_of(spec.linkOverrides.begin(), spec.linkOverrides.end(), [&](const LinkOverride& other) { return other.link == change.link; }))
                    spec.linkOverrides.push_back(change);
            }
            std::vector<NodeId> group = leveledGroup(0, plain.npuCount());
            const std::int64_t part = pick(0, 3);
            if (part == 1) // every second NPU, so of every host
                std::erase_if(group, [](NodeId npu) { return npu % 2 != 0; });
            if (part == 2) { // any
                std::shuffle(group.begin(), group.end(), random);
                group.resize(static_cast<std::size_t>(pick(2, static_cast<std::int64_t>(group.size()))));
            }
            std::string list;
            for (const NodeId npu : group)
                list += (list.empty() ? "" : ", ") + std::to_string(npu);
            const auto [op, word] = kOps[at(pick(0, 4))];
            const std::int64_t bytes = static_cast<std::int64_t>(group.size()) * 12 * pick(1, 100'000); // whole bytes in every block of one to three chunks
            static constexpr std::array kAlgorithms{"standard", "ring", "direct"};
            const std::int64_t algorithm = op == CollectiveOp::AllToAll || op == CollectiveOp::Broadcast ? 0 : pick(0, 2);
            const std::int64_t chunks = pick(1, 3);
            std::string more = "collectives: {default: {algorithm: " + std::string(kAlgorithms[at(algorithm)]) + ", chunks: " + std::to_string(chunks) + "}}\n";
            const std::int64_t lastRoute = plain.isExplicit() && findRails(plain) ? 5 : 4;
            more += "network: {routing: {policy: " + std::string(kRoutes[at(pick(0, lastRoute))]) + "}}\n";
            if (op != CollectiveOp::Broadcast && pick(0, 2) == 0)
                more += "model: {name: flow}\n";
            const std::string workload = "{groups: [{name: some, lists: [[" + list + "]]}], steps: [{collective: " + word + ", size: " + std::to_string(bytes)
                + " B, group: some}]}";
            const std::string what = std::to_string(seed) + ": " + (line < kLines.size() ? kLines[line] : "hosts") + ' ' + workload + ' ' + more;
            const ScenarioPtr scenario = leveledRun(spec, workload, more);
            const auto record = simulate(*scenario, {});
            QVERIFY2(record, (what + (record ? "" : record.error().text())).c_str());
            const std::int64_t finish = record.value().finish.ps;
            const Platform platform = Platform::create(spec).value();
            for (const CollectiveBoundRow& row : collectiveBounds(*scenario, record.value()).rows)
                QVERIFY2(row.bound <= row.best, (what + "bound " + std::to_string(row.bound.ps) + ", simulated " + std::to_string(row.best.ps) + ", " + row.cut).c_str());
            if (!platform.isExplicit())
                continue;
            const std::vector<BoundLevel> levels = levelsOfGroup(platform, group);
            leveled += levels.empty() ? 0 : 1;
            for (const std::int64_t work : {std::int64_t{0}, kBoundWork}) {
                const CollectiveBound without = leveledBound(platform, group, op, bytes, {}, work);
                const CollectiveBound with = leveledBound(platform, group, op, bytes, levels, work);
                QVERIFY2(with.timePs <= finish, (what + "bound " + std::to_string(with.timePs) + ", simulated " + std::to_string(finish) + ", " + with.cut).c_str());
                QVERIFY2(with.timePs >= without.timePs && with.bandwidthPs >= without.bandwidthPs && with.latencyPs == without.latencyPs, what.c_str());
                QVERIFY2(!without.exact || with.bandwidthPs == without.bandwidthPs, what.c_str()); // no cut is narrower than the narrowest
                tighter += with.timePs > without.timePs ? 1 : 0;
                best = std::max(best, static_cast<double>(with.timePs) / static_cast<double>(finish));
            }
        }
        QVERIFY(leveled >= cases(20) && tighter >= cases(10));
        QVERIFY(best > 0.5);
    }
};

FABRICSCOPE_TEST(BoundsLevelsTest)
#include "tst_bounds_levels.moc"
