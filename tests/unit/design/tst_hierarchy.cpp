// Levels of groups of NPUs on graphs: what is found, the largest flows out of blocks, and what collectives have phases for. Every row of the rule's table, on
// graphs whose links have rate 1 but where it says otherwise.

#include "core/base/index.h"
#include "core/hierarchy/grouplevels.h"
#include "core/platform/fabric/platformof.h"
#include "tests/unit/support/fabriclines.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <functional>
#include <numeric>
#include <random>

using namespace fabricscope;

namespace {

/// Nodes and links by hand.
class Graph {
public:
    explicit Graph(std::int32_t npus, bool forwards = true)
    {
        for (std::int32_t i = 0; i < npus; ++i)
            m_spec.nodes.push_back({"npu" + std::to_string(i), NodeKind::Npu, {}, forwards});
    }
    NodeId add()
    {
        m_spec.nodes.push_back({"switch" + std::to_string(m_spec.nodes.size()), NodeKind::Switch, {}});
        return static_cast<NodeId>(m_spec.nodes.size() - 1);
    }
    void join(NodeId a, NodeId b, double rate = 1)
    {
        for (const auto& [from, to] : {std::pair{a, b}, {b, a}})
            m_spec.links.push_back({from, to, Quantity{rate, "GB/s", Measure::Bandwidth}, Quantity{500, "ns", Measure::Time}});
    }
    Platform platform() const { return Platform::create(m_spec).value(); }

private:
    PlatformSpec m_spec;
};

/// Hosts of `rails` NPUs at a switch of nine times the rate, `hosts` of them in each of `units`; leaf r of a unit takes NPU r of its hosts, `leafOf` says otherwise.
/// Leaf j goes up by cable k to spine k mod `spines`; 0: none.
Graph rails(std::int32_t units, std::int32_t hosts, std::int32_t rails, std::int32_t spines, std::int32_t up, const std::function<std::int32_t(std::int32_t host, std::int32_t npu)>& leafOf = {})
{
    Graph graph(units * hosts * rails, spines == 0);
    for (std::int32_t host = 0; host < units * hosts; ++host) {
        const NodeId centre = graph.add();
        for (std::int32_t i = 0; i < rails; ++i)
            graph.join(host * rails + i, centre, 9);
    }
    std::vector<NodeId> leaves;
    for (std::int32_t i = 0; i < units * rails; ++i)
        leaves.push_back(graph.add());
    for (std::int32_t host = 0; host < units * hosts; ++host) {
        for (std::int32_t i = 0; i < rails; ++i)
            graph.join(host * rails + i, leaves[at(host / hosts * rails + (leafOf ? leafOf(host, i) : i))]);
    }
    std::vector<NodeId> tops;
    for (std::int32_t i = 0; i < spines; ++i)
        tops.push_back(graph.add());
    for (const NodeId leaf : leaves) {
        for (std::int32_t i = 0; i < up && spines > 0; ++i)
            graph.join(leaf, tops[at(i % spines)]);
    }
    return graph;
}

std::vector<NodeId> all(std::int32_t npus)
{
    std::vector<NodeId> out(static_cast<std::size_t>(npus));
    std::iota(out.begin(), out.end(), 0);
    return out;
}

QString joined(const std::vector<std::string>& words, const char* between)
{
    QStringList out;
    for (const std::string& word : words)
        out.append(QString::fromStdString(word));
    return out.join(QLatin1String(between));
}

QString foundText(const GroupLevels& levels)
{
    std::vector<std::string> out;
    for (const GroupLevels::Found& level : levels.found)
        out.push_back(std::to_string(level.extent));
    return joined(out, ",");
}

QString usedText(const GroupLevels& levels)
{
    std::vector<std::string> out;
    for (const GroupLevels::Used& level : levels.used)
        out.push_back(std::to_string(level.extent));
    return joined(out, "x");
}

/// "10/1 4/4 16/16": flow over NPUs of every block that is not the whole group, in units of `rate` bytes/s.
QString cutText(const GroupLevels& levels, std::int64_t rate = 1'000'000'000)
{
    std::vector<std::string> out;
    for (const GroupLevels::Found& level : levels.found)
        out.push_back(std::to_string(level.cut / rate) + '/' + std::to_string(level.block));
    return joined(out, " ");
}

/// "switch 4, axis 0 4, all 4".
QString namedText(const GroupLevels& levels)
{
    std::vector<std::string> out;
    for (const GroupLevels::Found& level : levels.found)
        out.push_back(level.name + ' ' + std::to_string(level.extent));
    return joined(out, ", ");
}

/// Of NPUs first, first + step, ...
std::vector<NodeId> everyFrom(NodeId first, NodeId step, NodeId count)
{
    std::vector<NodeId> out;
    for (NodeId i = 0; i < count; ++i)
        out.push_back(first + i * step);
    return out;
}

Platform generated(const std::string& line, FabricWriting writing = FabricWriting::Nodes, bool declares = false)
{
    const auto fabric = test::fabricOf(line);
    PlatformSpec spec = platformOfFabric(fabric.value(), writing).value();
    if (declares)
        spec.generated.axes = fabric.value().axes();
    return Platform::create(spec).value();
}

/// NPUs along the last axis there is.
std::int64_t lastOf(const Platform& platform)
{
    std::int64_t size = 1;
    for (const NpuAxis& axis : platform.spec().generated.axes)
        size = axis.size > 1 ? axis.size : size;
    return size;
}

struct Row {
    const char* name;
    Platform platform;
    std::vector<NodeId> members; ///< Empty: all.
    const char* found;
    const char* cuts; ///< Empty: not given.
    const char* used;
    bool noRails = false;
    std::int64_t rate = 1'000'000'000;
};

std::vector<NodeId> some(std::int32_t npus, const std::function<bool(NodeId)>& is)
{
    std::vector<NodeId> out;
    for (NodeId npu = 0; npu < npus; ++npu) {
        if (is(npu))
            out.push_back(npu);
    }
    return out;
}

Graph oneSwitch()
{
    Graph graph(16, false);
    for (std::int32_t host = 0; host < 4; ++host) {
        const NodeId centre = graph.add();
        for (std::int32_t i = 0; i < 4; ++i)
            graph.join(host * 4 + i, centre, 9);
    }
    const NodeId top = graph.add();
    for (NodeId npu = 0; npu < 16; ++npu)
        graph.join(npu, top);
    return graph;
}

Graph ring(std::int32_t n, double slow)
{
    Graph graph(n);
    for (NodeId i = 0; i < n; ++i)
        graph.join(i, (i + 1) % n, i == n - 1 ? slow : 1);
    return graph;
}

Graph torus4x4(double first)
{
    Graph graph(16);
    for (NodeId i = 0; i < 16; ++i) {
        graph.join(i, i / 4 * 4 + (i + 1) % 4, first);
        graph.join(i, (i + 4) % 16);
    }
    return graph;
}

constexpr std::int64_t k400 = 50'000'000'000; // 400 Gbit/s

std::vector<Row> table()
{
    std::vector<Row> rows;
    const auto add = [&](Row row) { rows.push_back(std::move(row)); };
    add({"rails 2,4,4 1:1", rails(2, 4, 4, 4, 4).platform(), {}, "4,4,2", "10/1 4/4 16/16", "4x8"});
    add({"rails 2,4,4 2:1", rails(2, 4, 4, 2, 2).platform(), {}, "4,4,2", "10/1 4/4 8/16", "4x4x2"});
    add({"rails 4,2,4,1,1", rails(4, 2, 4, 1, 1).platform(), {}, "4,2,4", "10/1 4/4 4/8", "4x2x4"});
    add({"one NPU a host 2:1", rails(2, 4, 4, 2, 2).platform(), some(32, [](NodeId n) { return n % 4 == 1; }), "4,2", "1/1 2/4", "4x2"});
    add({"half of each host 2:1", rails(2, 4, 4, 2, 2).platform(), some(32, [](NodeId n) { return n % 4 < 2; }), "2,4,2", "10/1 2/2 4/8", "2x4x2"});
    add({"rail-only", rails(1, 4, 4, 0, 0).platform(), {}, "4,4", "10/1 4/4", "4x4"});
    add({"hosts under one switch", oneSwitch().platform(), {}, "4,4", "10/1 4/4", "4x4"});
    add({"one host cabled one rail on", rails(1, 4, 4, 0, 0, [](std::int32_t host, std::int32_t i) { return host == 2 ? (i + 1) % 4 : i; }).platform(), {}, "4,4", "10/1 4/4", "4x4"});
    add({"host 2 NPU 1 on leaf 0", rails(1, 4, 4, 0, 0, [](std::int32_t host, std::int32_t i) { return host == 2 && i == 1 ? 0 : i; }).platform(), {}, "4,4", "10/1 4/4", "4x4", true});
    add({"leaf-spine 4x4 1:1", generated("npu / leaf_spine 4,4,4,4"), {}, "4,4", "1/1 4/4", "16", false, k400});
    add({"leaf-spine 4x4 2:1", generated("npu / leaf_spine 4,4,2,2"), {}, "4,4", "1/1 2/4", "4x4", false, k400});
    add({"fat tree 4", generated("npu / fat_tree 4"), {}, "2,2,4", "1/1 2/2 4/4", "16", false, k400});
    add({"clos 4,4,2", generated("npu / clos m 4,4,2 w 1,2,2"), {}, "4,4,2", "1/1 2/4 4/16", "4x4x2", false, k400});
    add({"torus 4x4, axis 0 twice as fast", torus4x4(2).platform(), {}, "4,4", "6/1 8/4", "4x4"});
    add({"dragonfly+ 2,2,2,1", generated("npu / dragonfly_plus 2,2,2,1"), {}, "2,2,3", "1/1 2/2 2/4", "4x3", false, k400});
    // What must stay flat.
    add({"cube mesh", generated("npu / cube_mesh"), {}, "8", "", "8"});
    add({"ring with a slow link", ring(8, 0.5).platform(), {}, "8", "", "8"});
    add({"ring", ring(6, 1).platform(), {}, "6", "", "6"});
    add({"torus 4x4", torus4x4(1).platform(), {}, "16", "", "16"});
    add({"torus 8x4x4", generated("npu / torus 8x4x4"), {}, "128", "", "128"});
    add({"hypercube 4", generated("npu / hypercube 4"), {}, "16", "", "16"});
    add({"full 8", generated("npu / full 8"), {}, "8", "", "8"});
    add({"planes", generated("npu x8 / switch planes 4"), {}, "8", "", "8"});
    add({"dragonfly 2,4,2", generated("npu / dragonfly 2,4,2 groups 5"), {}, "2,20", "", "40"});
    add({"dragonfly 1,2,1", generated("npu / dragonfly 1,2,1"), {}, "6", "", "6"});
    add({"hyperx 4x4 T2", generated("npu / hyperx 4x4 npus 2"), {}, "2,16", "", "32"});
    return rows;
}

} // namespace

class TestHierarchy : public QObject {
    Q_OBJECT

private slots:
    void everyRowOfTheTable()
    {
        for (const Row& row : table()) {
            const LevelFinder finder(row.platform);
            const std::vector<NodeId> members = row.members.empty() ? all(row.platform.npuCount()) : row.members;
            const GroupLevels levels = finder.byRule(members);
            const auto where = [&](const QString& got) { return QString::fromUtf8(row.name) + ": " + got; };
            QCOMPARE(where(foundText(levels)), where(QString::fromUtf8(row.found)));
            QCOMPARE(where(usedText(levels)), where(QString::fromUtf8(row.used)));
            QCOMPARE(where(QString::number(levels.noRails)), where(QString::number(row.noRails)));
            if (row.cuts[0] != '\0')
                QCOMPARE(where(cutText(levels, row.rate)), where(QString::fromUtf8(row.cuts)));
            std::vector<std::int32_t> sorted = levels.order;
            std::sort(sorted.begin(), sorted.end());
            QCOMPARE(sorted, all(static_cast<std::int32_t>(members.size())));
        }
    }

    /// Rails of a host that is cabled one on: its NPU i hangs where NPU i + 1 of the others does.
    void railsGoByNearness()
    {
        const Platform platform = rails(1, 4, 4, 0, 0, [](std::int32_t host, std::int32_t i) { return host == 2 ? (i + 1) % 4 : i; }).platform();
        const GroupLevels levels = LevelFinder(platform).byRule(all(16));
        QCOMPARE(levels.order, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 11, 8, 9, 10, 12, 13, 14, 15}));
    }

    /// A generated fabric says where its NPUs are: what is found without is the same, box by box, but where the rule has no way to see it.
    void declaredCoordinatesAreWhatTheRuleFinds()
    {
        for (const char* const line : {"hgx-h100-8 x4 / rails 64p 400G x2 / spine 2:1", "hgx-h100-8 x4 / rails 64p 400G x2 / spine 1:1", "npu / leaf_spine 4,4,2,2", "npu / leaf_spine 4,4,4,4", "npu / clos m 4,4,2 w 1,2,2",
                                       "npu / fat_tree 4", "npu / rails 2,2,2,2,2", "npu / dragonfly_plus 2,2,2,1", "hgx-h100-8 x4 / leaf 400G x2 / spine up 4 switches 2"}) {
            const Platform plain = generated(line);
            const Platform said = generated(line, FabricWriting::Nodes, true);
            const auto n = plain.npuCount();
            for (const auto& members : {all(n), some(n, [](NodeId npu) { return npu % 2 == 0; }), some(n, [&](NodeId npu) { return npu < n / lastOf(said); })}) {
                const auto found = LevelFinder(plain).find(members);
                const auto given = LevelFinder(said).find(members);
                QVERIFY2(given->declared && !found->declared, line);
                QCOMPARE(QString::fromUtf8(line) + usedText(*given), QString::fromUtf8(line) + usedText(*found));
                QCOMPARE(given->order, found->order);
            }
        }
        // Groups of a dragonfly are no cliques of distances, but declared: of 8 global cables of each 6 are used in 4 groups, for 8 NPUs.
        const Platform groups = generated("npu / dragonfly 2,4,2 groups 4", FabricWriting::Nodes, true);
        QCOMPARE(usedText(*LevelFinder(groups).find(all(32))), QStringLiteral("8x4"));
        QCOMPARE(cutText(*LevelFinder(groups).find(all(32)), k400), QStringLiteral("1/1 2/2 6/8"));
    }

    /// A HyperX says which axis its switches are along. Out of a switch of T NPUs go T links at most; out of a row along axis 0 of its S0 T NPUs or the S0 (S1 - 1) K cables
    /// along axis 1; out of a plane likewise. A border stays where a block has fewer links for each NPU than those below: 12/16 < 4/4, but 8/8 is no less than 2/2.
    void axesOfAHyperxAreLevels_data()
    {
        QTest::addColumn<QString>("numbers");
        QTest::addColumn<QString>("found");
        QTest::addColumn<QString>("cuts");
        QTest::addColumn<QString>("used");
        const auto row = [](const char* numbers, const char* found, const char* cuts, const char* used) { QTest::newRow(numbers) << QString::fromUtf8(numbers) << QString::fromUtf8(found) << QString::fromUtf8(cuts) << QString::fromUtf8(used); };
        row("4x4 npus 4", "switch 4, axis 0 4, all 4", "1/1 4/4 12/16", "16 x 4 (axis 0, all)");
        row("4x2 npus 2", "switch 2, axis 0 4, all 2", "1/1 2/2 4/8", "8 x 2 (axis 0, all)");
        row("2x4 npus 4", "switch 4, axis 0 2, all 4", "1/1 4/4 6/8", "8 x 4 (axis 0, all)");
        row("4x4 npus 2", "switch 2, axis 0 4, all 4", "1/1 2/2 8/8", "32 (all)");
        row("4x4 npus 4 parallel 1,2", "switch 4, axis 0 4, all 4", "1/1 4/4 16/16", "64 (all)"); // 24 cables
        row("4x4 npus 4 parallel 2,1", "switch 4, axis 0 4, all 4", "1/1 4/4 12/16", "16 x 4 (axis 0, all)");
        row("2x2x2 npus 3", "switch 3, axis 0 2, axis 1 2, all 2", "1/1 3/3 4/6 4/12", "6 x 2 x 2 (axis 0, axis 1, all)");
    }
    void axesOfAHyperxAreLevels()
    {
        QFETCH(const QString, numbers);
        QFETCH(const QString, found);
        QFETCH(const QString, cuts);
        QFETCH(const QString, used);
        const Platform platform = generated("npu / hyperx " + numbers.toStdString(), FabricWriting::Nodes, true);
        const auto levels = LevelFinder(platform).find(all(platform.npuCount()));
        QVERIFY(levels->declared);
        QCOMPARE(namedText(*levels), found);
        QCOMPARE(cutText(*levels, k400), cuts);
        QCOMPARE(QString::fromStdString(levels->text()), used);
    }

    /// 4 x 4 switches of 4 NPUs.
    void boxesOfAHyperxHaveTheirPart()
    {
        const Platform platform = generated("npu / hyperx 4x4 npus 4", FabricWriting::Nodes, true);
        const LevelFinder finder(platform);
        // One NPU of each switch: out of a row 12 cables, but for 4 NPUs.
        const auto one = finder.find(everyFrom(1, 4, 16));
        QVERIFY(one->declared);
        QCOMPARE(namedText(*one), QStringLiteral("axis 0 4, all 4"));
        QCOMPARE(cutText(*one, k400), QStringLiteral("1/1 4/4"));
        QCOMPARE(usedText(*one), QStringLiteral("16"));
        // A row along axis 0: every switch has 3 cables along it and 3 to the other rows, for 4 NPUs.
        const auto line = finder.find(everyFrom(16, 1, 16));
        QVERIFY(line->declared);
        QCOMPARE(namedText(*line), QStringLiteral("switch 4, all 4"));
        QCOMPARE(cutText(*line, k400), QStringLiteral("1/1 4/4"));
        // The first column.
        const auto upright = finder.find(some(64, [](NodeId npu) { return npu % 16 < 4; }));
        QVERIFY(upright->declared);
        QCOMPARE(namedText(*upright), QStringLiteral("switch 4, all 4"));
        // All, listed backwards: the order is by coordinates.
        const auto backwards = finder.find(everyFrom(63, -1, 64));
        QCOMPARE(usedText(*backwards), QStringLiteral("16x4"));
        QCOMPARE(backwards->order, everyFrom(63, -1, 64));
        // No box: without NPU 0. And nothing tells the axes from each other where nobody declares them.
        QVERIFY(!finder.find(everyFrom(1, 1, 63))->declared);
        const auto undeclared = LevelFinder(generated("npu / hyperx 4x4 npus 4")).find(all(64));
        QVERIFY(!undeclared->declared);
        QCOMPARE(usedText(*undeclared), QStringLiteral("64"));
    }

    void productsWrittenOutHaveTheirDimensions()
    {
        for (const auto& [line, used] : {std::pair{"npu / torus 4x3x2", "4x3x2"}, {"npu / hypercube 4", "2x2x2x2"}, {"npu / full 6", "6"}, {"npu / switch 7", "7"}, {"npu / ring 8", "8"}, {"Switch(4, 450 GB/s, 1 us) x3 / rails_only", "4x3"}, {"Ring(4, 450 GB/s, 1 us) x3 / rails_only", "4x3"}}) {
            const auto levels = LevelFinder(generated(line)).find(all(generated(line).npuCount()));
            QVERIFY(levels->declared);
            QCOMPARE(usedText(*levels), QString::fromUtf8(used));
        }
        QVERIFY(LevelFinder(generated("npu / full 6")).find(all(6))->used[0].shape == Shape::FullyConnected);
        QVERIFY(LevelFinder(generated("npu / switch 7")).find(all(7))->used[0].shape == Shape::Switch);
        QVERIFY(LevelFinder(generated("npu / ring 8")).find(all(8))->used[0].shape == Shape::Ring);
        QVERIFY(!LevelFinder(generated("npu / cube_mesh")).find(all(8))->declared);
        // Double links as one of twice the rate: two full meshes of four, joined one to one, but with links of two kinds along both axes.
        Graph mesh(8);
        for (const auto& [a, b, rate] : {std::tuple{0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1}, {5, 7, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 5, 2}, {2, 3, 2}, {4, 7, 2}, {5, 6, 2}, {6, 7, 2}})
            mesh.join(a, b, rate);
        QCOMPARE(usedText(*LevelFinder(mesh.platform()).find(all(8))), QStringLiteral("8"));
    }

    /// However the members are listed and the nodes are numbered, the levels have the same sizes, and neighbours in a level are the same NPUs.
    void listsInAnyOrderHaveTheSameLevels()
    {
        std::mt19937 random(7);
        for (const Row& row : table()) {
            std::vector<NodeId> members = row.members.empty() ? all(row.platform.npuCount()) : row.members;
            if (row.noRails)
                continue;
            const LevelFinder finder(row.platform);
            std::shuffle(members.begin(), members.end(), random);
            const GroupLevels levels = finder.byRule(members);
            QCOMPARE(QString::fromUtf8(row.name) + usedText(levels), QString::fromUtf8(row.name) + QString::fromUtf8(row.used));
        }
    }

    void pairsAndSingleNpus()
    {
        const Platform platform = rails(2, 4, 4, 2, 2).platform();
        const LevelFinder finder(platform);
        QCOMPARE(usedText(finder.byRule(std::vector<NodeId>{5})), QStringLiteral("1"));
        QCOMPARE(usedText(finder.byRule(std::vector<NodeId>{5, 20})), QStringLiteral("2"));
        // Two of one host and one of another: of different size.
        QCOMPARE(usedText(finder.byRule(std::vector<NodeId>{0, 1, 20})), QStringLiteral("3"));
    }
};

FABRICSCOPE_TEST(TestHierarchy)

#include "tst_hierarchy.moc"
