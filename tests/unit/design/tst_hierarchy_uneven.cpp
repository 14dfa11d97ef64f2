// Groups whose levels have blocks of different size: what is found, times by hand, and NPUs taken from pods, leaves and groups at random.
#include "tests/unit/support/cases/networkcase.h" // first: its WideCount is local, that of fabrics is not

#include "core/base/index.h"
#include "core/design/fabricdesign.h"
#include "core/hierarchy/unevenlevels.h"
#include "core/platform/fabric/platformof.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/fabriclines.h"
#include "tests/unit/support/testprogram.h"
#include "tests/unit/support/verified.h"

#include <QtTest/QtTest>

#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A fabric by its line, without some NPUs.
PlatformSpec fabricWithout(const std::string& line, const std::vector<NodeId>& removed)
{
    PlatformSpec spec = platformOfForm(parseFabricForm(line).value()).value();
    for (const NodeId npu : removed) {
        NpuOverride change;
        change.node = npu;
        change.removed = true;
        spec.npuOverrides.push_back(change);
    }
    return spec;
}

ScenarioPtr ready(PlatformSpec platform, const std::string& workload, const std::string& more = {})
{
    Design design = readDesignText("fabricscope: 1\nplatform: {topology: \"Ring(2, 50 GB/s, 1 us)\"}\nworkload: " + workload + '\n' + more, "made.yaml").value().design;
    design.platform = std::make_shared<const PlatformSpec>(std::move(platform));
    const auto scenario = prepare(design);
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    return scenario.value();
}

std::int64_t endOf(const ScenarioPtr& scenario)
{
    return simulate(*scenario, {}).value().finish.ps;
}

QString saidBy(const ScenarioPtr& scenario, const char* rule)
{
    QStringList said;
    for (const Diagnostic& one : scenario->diagnostics) {
        if (one.rule == rule)
            said.append(QString::fromStdString(one.message));
    }
    return said.join(QStringLiteral("; "));
}

const Program& firstProgram(const ScenarioPtr& scenario)
{
    return *scenario->structure->instances[0].program;
}

/// Hosts of so many NPUs at a switch of 9 GB/s each, `joined`: all under one switch of 1 GB/s, which is the last node; 500 ns a link.
PlatformSpec hostsUnderOneSwitch(const std::vector<int>& sizes, bool joined = true)
{
    PlatformSpec spec;
    const int npus = std::accumulate(sizes.begin(), sizes.end(), 0);
    for (int npu = 0; npu < npus; ++npu)
        spec.nodes.push_back({"npu" + std::to_string(npu), NodeKind::Npu});
    const auto join = [&](NodeId a, NodeId b, double rate) {
        for (const auto& [from, to] : {std::pair{a, b}, {b, a}})
            spec.links.push_back({from, to, {rate, "GB/s", Measure::Bandwidth}, {500, "ns", Measure::Time}});
    };
    NodeId first = 0;
    for (const int size : sizes) {
        const auto centre = static_cast<NodeId>(spec.nodes.size());
        spec.nodes.push_back({"host" + std::to_string(centre), NodeKind::Switch});
        for (NodeId npu = first; npu < first + size; ++npu)
            join(npu, centre, 9);
        first += size;
    }
    spec.nodes.push_back({"top", NodeKind::Switch});
    for (NodeId npu = 0; joined && npu < npus; ++npu)
        join(npu, static_cast<NodeId>(spec.nodes.size() - 1), 1);
    return spec;
}

std::shared_ptr<const GroupLevels> levelsOf(const PlatformSpec& spec, const std::vector<NodeId>& without = {})
{
    const Platform platform = Platform::create(spec).value();
    std::vector<NodeId> members;
    for (NodeId npu = 0; npu < platform.npuCount(); ++npu) {
        if (std::find(without.begin(), without.end(), npu) == without.end())
            members.push_back(npu);
    }
    return LevelFinder(platform).find(members);
}

QString unevenText(const GroupLevels& levels)
{
    return levels.uneven ? QString::fromStdString(levels.uneven->text()) : QStringLiteral("none");
}

} // namespace

class TestHierarchyUneven : public QObject {
    Q_OBJECT

private slots:
    /// The levels are those of the box that is left when gaps are filled; a border stays where the largest blocks have less cut for each NPU.
    void gapsKeepTheLevelsOfTheBox_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<std::vector<NodeId>>("without");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* line, const std::vector<NodeId>& without, const char* expected) { QTest::newRow(name) << QString::fromUtf8(line) << without << QString::fromUtf8(expected); };
        row("one GPU of a pod", "hgx-h100 x12 / rails 64p 400G", {29}, "7 to 8 x 12 (host, all)");
        row("three GPUs, two of one host", "hgx-h100 x12 / rails 64p 400G", {29, 30, 90}, "6 to 8 x 12 (host, all)");
        row("units stay at 2:1", "hgx-h100 x4 / rails 64p 400G x2 / spine 2:1", {40}, "7 to 8 x 4 x 2 (host, unit, all)");
        row("a whole host of a unit", "hgx-h100 x4 / rails 64p 400G x2 / spine 2:1", {8, 9, 10, 11, 12, 13, 14, 15}, "none"); // 8 x 7 (host, all), by the rule for equal hosts.
        row("leaves at 2:1", "npu / leaf_spine 4,4,2,2", {6}, "3 to 4 x 4 (leaf, all)");
        row("three tiers", "npu / clos m 4,4,2 w 1,2,2", {6}, "3 to 4 x 4 x 2 (leaf, spine, all)");
        row("groups of a dragonfly", "npu / dragonfly 4,4,2 groups 5", {6}, "15 to 16 x 5 (group, all)");
        row("tiers without a border, 2^k slots", "npu / fat_tree 4", {6}, "15 to 16 (all)");
        row("no tiers, no border", "npu / dragonfly 2,4,2 groups 5", {6}, "none");
        row("more than a quarter is missing", "npu / leaf_spine 4,4,2,2", {6, 7, 8, 15}, "none");
        row("nothing is missing", "hgx-h100 x12 / rails 64p 400G", {}, "none");
        row("an equal part of each host", "hgx-h100 x2 / rails 64p 400G", {1, 9}, "none");
    }
    void gapsKeepTheLevelsOfTheBox()
    {
        QFETCH(const QString, line);
        QFETCH(const std::vector<NodeId>, without);
        QFETCH(const QString, expected);
        // Not in the group, or not on the platform.
        const auto group = levelsOf(fabricWithout(line.toStdString(), {}), without);
        QCOMPARE(unevenText(*group), expected);
        QCOMPARE(unevenText(*levelsOf(fabricWithout(line.toStdString(), without), without)), expected);
        if (!group->uneven)
            return;
        std::vector<std::int32_t> sorted = group->uneven->order;
        std::sort(sorted.begin(), sorted.end());
        std::vector<std::int32_t> all(sorted.size());
        std::iota(all.begin(), all.end(), 0);
        QCOMPARE(sorted, all);
        QVERIFY(std::is_sorted(group->uneven->places.begin(), group->uneven->places.end()));
        QVERIFY(std::adjacent_find(group->uneven->places.begin(), group->uneven->places.end()) == group->uneven->places.end());
    }

    /// Nothing is declared: hosts are what the faster links join. Their columns are rails, where there are some.
    void hostsOfAGraphAreFoundByTheirLinks()
    {
        const auto levels = levelsOf(hostsUnderOneSwitch({4, 3, 4}));
        QCOMPARE(unevenText(*levels), QStringLiteral("3 to 4 x 3 (host, all)"));
        QCOMPARE(levels->uneven->small.size(), std::size_t{1});
        QCOMPARE(levels->uneven->small[0].first, 4);
        // Rails: three hosts of three at leaf switches, the second host has no NPU at leaf 1.
        PlatformSpec spec = hostsUnderOneSwitch({3, 2, 3}, false);
        const std::vector<int> leafOf{0, 1, 2, 0, 2, 0, 1, 2};
        const auto firstLeaf = static_cast<NodeId>(spec.nodes.size());
        for (int leaf = 0; leaf < 3; ++leaf)
            spec.nodes.push_back({"leaf" + std::to_string(leaf), NodeKind::Switch});
        const auto top = static_cast<NodeId>(firstLeaf - 1);
        const auto join = [&](NodeId a, NodeId b) {
            for (const auto& [from, to] : {std::pair{a, b}, {b, a}})
                spec.links.push_back({from, to, {1, "GB/s", Measure::Bandwidth}, {500, "ns", Measure::Time}});
        };
        for (NodeId npu = 0; npu < 8; ++npu)
            join(npu, firstLeaf + leafOf[at(npu)]);
        for (int leaf = 0; leaf < 3; ++leaf)
            join(firstLeaf + leaf, top);
        const auto railed = levelsOf(spec);
        QCOMPARE(unevenText(*railed), QStringLiteral("2 to 3 x 3 (host, all)"));
        // By rail, then by host: those at leaf 0, those at leaf 1 (none in host 1), those at leaf 2.
        QCOMPARE(railed->uneven->order, (std::vector<std::int32_t>{0, 3, 5, 1, 6, 2, 4, 7}));
        QCOMPARE(railed->uneven->places, (std::vector<std::int32_t>{0, 1, 2, 3, 5, 6, 7, 8}));
    }

    /// Hosts of 2, 2 and 1 NPUs, all-gather of 5 blocks of 9 kB, all pairs at once on both levels. The NPU that is alone gets four blocks over its cable of 1 GB/s: two links of
    /// 500 ns and 4 x 9 us. The others get one or two so, and then at most three at 9 GB/s, 1 us and 3 us: 23 us, earlier.
    void timeByHand()
    {
        const auto run = ready(hostsUnderOneSwitch({2, 2, 1}), "{collective: all_gather, size: 45 kB}", "collectives: {default: {algorithm: [direct, direct], chunks: 1}}\n");
        QCOMPARE(QString::fromStdString(firstProgram(run).name), QStringLiteral("direct x direct"));
        QCOMPARE(saidBy(run, "levels"), QStringLiteral("group all: 1 to 2 x 3 (host, all)"));
        QCOMPARE(endOf(run), std::int64_t{37'000'000});
    }

    /// The warning names the small blocks by their first ranks, or says why one level stays.
    void warningsNameWhatIsUneven()
    {
        const std::string workload = "{collective: all_reduce, size: 1 MiB}";
        const PlatformSpec pod = fabricWithout("hgx-h100 x12 / rails 64p 400G", {29, 30, 90});
        QCOMPARE(saidBy(ready(pod, workload), "uneven-levels"),
                 QStringLiteral("group all: levels of different size: host of rank 24 6 of 8, host of rank 86 7 of 8; what NPUs that are missing would do is shared by those beside them"));
        const auto flat = [&](const char* setting, const char* work = "{collective: all_reduce, size: 1 MiB}") { return saidBy(ready(pod, work, std::string("collectives: {default: {") + setting + "}}\n"), "uneven-levels"); };
        QVERIFY(flat("algorithm: double_binary_tree").endsWith(QStringLiteral(": double_binary_tree needs blocks of one size")));
        QVERIFY(flat("algorithm: bruck_gather", "{collective: all_gather, size: 1 MiB}").endsWith(QStringLiteral(": bruck_gather needs blocks of one size")));
        QVERIFY(flat("window: 2").endsWith(QStringLiteral(": a window needs blocks of one size")));
        QVERIFY(flat("chunks: 1", "{collective: broadcast, size: 1 MiB}").endsWith(QStringLiteral("it is no all-reduce, reduce-scatter or all-gather")));
        QCOMPARE(flat("chunks: 1", "{collective: all_to_all, size: 1 MiB}"), QString());
        QVERIFY(saidBy(ready(fabricWithout("npu / leaf_spine 4,4,2,2", {6}), "{collective: all_reduce, size: 1 GiB}"), "uneven-levels").endsWith(QStringLiteral("not be faster than a ring over all members by a quarter, as estimated")));
        // Equal hosts of which one is missing have the levels they have by the rule, and a list of two goes along them.
        const PlatformSpec seven = fabricWithout("hgx-h100 x4 / rails 64p 400G x2 / spine 2:1", {8, 9, 10, 11, 12, 13, 14, 15});
        const auto listed = ready(seven, workload, "collectives: {default: {algorithm: [direct, ring]}}\n");
        QVERIFY(firstProgram(listed).isTemplate());
        QCOMPARE(saidBy(listed, "uneven-levels"), QString());
        // A list says so for each level; what cannot go along them is refused.
        Design design = readDesignText("fabricscope: 1\nplatform: {topology: \"Ring(2, 50 GB/s, 1 us)\"}\nworkload: " + workload + "\ncollectives: {default: {algorithm: [direct, double_binary_tree]}}\n", "made.yaml").value().design;
        design.platform = std::make_shared<const PlatformSpec>(pod);
        const auto refused = prepare(design);
        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("double_binary_tree cannot go along levels of different size: 6 to 8 x 12 (host, all)") != std::string::npos, refused.error().text().c_str());
    }

    /// The NPU that is missing costs what its part is, not the levels: between the whole pod's time and a third more, and a tenth of a ring over all.
    void aPodLosesItsShareNotItsLevels()
    {
        const std::string workload = "{collective: all_reduce, size: 1 MiB}";
        const std::int64_t whole = endOf(ready(fabricWithout("hgx-h100 x12 / rails 64p 400G", {}), workload));
        const std::int64_t less = endOf(ready(fabricWithout("hgx-h100 x12 / rails 64p 400G", {29}), workload));
        const std::int64_t ring = endOf(ready(fabricWithout("hgx-h100 x12 / rails 64p 400G", {29}), workload, "collectives: {default: {window: 4}}\n"));
        QVERIFY2(less < whole * 4 / 3, std::to_string(less).c_str());
        QVERIFY2(less * 8 < ring, std::to_string(ring).c_str());
    }

    /// NPUs and whole hosts taken at random: programs are right, whatever is left, and no more than a twentieth slower than the ring over all they would have had.
    void neverMuchSlowerThanARing()
    {
        const std::array<std::pair<const char*, NodeId>, 7> kFabrics{{{"hgx-h100 x4 / rails 64p 400G", 32}, {"hgx-h100 x2 / rails 64p 400G x2 / spine 2:1", 32}, {"npu / leaf_spine 4,4,2,2", 16},
                                                                     {"npu / clos m 4,4,2 w 1,2,2", 32}, {"npu / dragonfly 4,4,2 groups 5", 80}, {"npu / dragonfly_plus 2,2,2,1", 12}, {"npu / fat_tree 4", 16}}};
        std::mt19937_64 random(seeded(17));
        const auto draw = [&random](int first, int last) { return first + static_cast<int>(random() % static_cast<std::uint64_t>(last - first + 1)); };
        int byLevels = 0;
        for (int round = 0; round < cases(40); ++round) {
            const auto& [line, npus] = kFabrics[random() % kFabrics.size()];
            std::vector<NodeId> removed;
            const bool host = line[0] == 'h' && draw(0, 2) == 0;
            for (int i = 0, first = draw(0, npus / 8 - 1) * 8; host && i < 8; ++i)
                removed.push_back(first + i);
            for (int more = draw(host ? 0 : 1, 3); more > 0; --more) {
                const NodeId npu = draw(0, npus - 1);
                if (std::find(removed.begin(), removed.end(), npu) == removed.end())
                    removed.push_back(npu);
            }
            std::sort(removed.begin(), removed.end());
            const std::string op = std::array{"all_reduce", "all_gather", "reduce_scatter"}[random() % 3];
            const std::string workload = "{collective: " + op + ", size: " + std::array{"64 KiB", "4 MiB", "64 MiB", "1 GiB"}[random() % 4] + '}';
            const auto run = ready(fabricWithout(line, removed), workload);
            const auto ring = ready(fabricWithout(line, removed), workload, "collectives: {default: {algorithm: ring, window: 4}}\n");
            std::string where = line + (' ' + workload) + " without";
            for (const NodeId npu : removed)
                where += ' ' + std::to_string(npu);
            if (firstProgram(run).isTemplate())
                continue; // A box, or a ring already.
            ++byLevels;
            QCOMPARE(QString::fromStdString(where + verifierObjects(firstProgram(run))), QString::fromStdString(where));
            QVERIFY2(!saidBy(run, "uneven-levels").isEmpty(), where.c_str());
            const std::int64_t time = endOf(run);
            QVERIFY2(time * 20 <= endOf(ring) * 21, (where + ": " + std::to_string(time) + " instead of " + std::to_string(endOf(ring))).c_str());
        }
        if (cases(40) >= 40) // Fewer may all be boxes, or rings.
            QVERIFY(byLevels > 0);
    }
};

FABRICSCOPE_TEST(TestHierarchyUneven)

#include "tst_hierarchy_uneven.moc"
