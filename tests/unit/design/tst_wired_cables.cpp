// What the cables of generated fabrics say, found from them alone: loads of tori under an all-to-all, sets and distances of slim flies, ports by hand, names of trays.
#include "core/base/index.h"
#include "core/design/design.h"
#include "core/platform/fabric/figures.h"
#include "tests/unit/support/fabriclines.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace fabricscope;
using fabricscope::test::fabricOf;
using fabricscope::test::textOf;
using fabricscope::test::tiersOf;

namespace {

/// Neighbours of each of `count` nodes from `first` on, by the cables between two of them; both ways.
std::vector<std::vector<int>> neighboursByCables(const Fabric& fabric, int first, int count)
{
    std::vector<std::vector<int>> out(static_cast<std::size_t>(count));
    const auto isOne = [&](const PortRef& end) { return end.node >= first && end.node < first + count; };
    for (const FabricCable& cable : fabric.cables()) {
        if (!isOne(cable.lower) || !isOne(cable.upper))
            continue;
        out[at(cable.lower.node - first)].push_back(cable.upper.node - first);
        out[at(cable.upper.node - first)].push_back(cable.lower.node - first);
    }
    return out;
}

/// Messages over links where every NPU of a direct shape sends one to each other, split evenly over all shortest ways.
struct AllToAllLoad {
    double most = 0;
    double least = INFINITY;
    std::int64_t distances = 0; ///< Sum over ordered pairs.
    int diameter = 0;
};

/// For every source the shortest ways to each NPU are counted outwards, and what goes to an NPU and beyond it is shared inwards among those before it, by their ways.
AllToAllLoad allToAllLoad(const Fabric& fabric)
{
    const auto npus = static_cast<int>(fabric.npus());
    const std::vector<std::vector<int>> neighbours = neighboursByCables(fabric, 0, npus);
    std::map<std::pair<int, int>, double> loads;
    AllToAllLoad out;
    for (int source = 0; source < npus; ++source) {
        std::vector<int> distance(static_cast<std::size_t>(npus), -1);
        std::vector<double> ways(static_cast<std::size_t>(npus), 0);
        std::vector<double> beyond(static_cast<std::size_t>(npus), 0);
        std::vector<int> order{source};
        distance[at(source)] = 0;
        ways[at(source)] = 1;
        for (std::size_t head = 0; head < order.size(); ++head) {
            const auto here = static_cast<std::size_t>(order[head]);
            for (const int next : neighbours[here]) {
                const auto there = static_cast<std::size_t>(next);
                if (distance[there] < 0) {
                    distance[there] = distance[here] + 1;
                    order.push_back(next);
                }
                if (distance[there] == distance[here] + 1)
                    ways[there] += ways[here];
            }
        }
        for (std::size_t i = order.size() - 1; i > 0; --i) {
            const auto here = static_cast<std::size_t>(order[i]);
            out.distances += distance[here];
            out.diameter = std::max(out.diameter, distance[here]);
            for (const int before : neighbours[here]) {
                const auto there = static_cast<std::size_t>(before);
                if (distance[there] != distance[here] - 1)
                    continue;
                const double share = (1 + beyond[here]) * ways[there] / ways[here];
                beyond[there] += share;
                loads[{before, order[i]}] += share;
            }
        }
    }
    for (const auto& [link, load] : loads) {
        out.most = std::max(out.most, load);
        out.least = std::min(out.least, load);
    }
    return out;
}

bool joinsPorts(const Fabric& fabric, PortRef lower, PortRef upper)
{
    return std::any_of(fabric.cables().begin(), fabric.cables().end(), [&](const FabricCable& cable) { return cable.lower == lower && cable.upper == upper; });
}

} // namespace

class TestWiredCables : public QObject {
    Q_OBJECT

private slots:
    /// Bounds of an all-to-all: the busiest link under an even split over all shortest ways. In a plain torus a link along an axis of d carries N/2 times the mean distance
    /// along it, [d^2/4]/d: N for 8, N/2 for 4. Twisted, every link of all 6N carries the same, so N(N-1) times the mean over 6N, and no split could do with less: of 4 x 4 x 8
    /// 127 * 440/127 / 6 = 220/3 instead of 128, 1.745 times as good; of 4 x 8 x 8 255 * 368/85 / 6 = 184 instead of 256, 1.391 times.
    void twistedToriCarryMore_data()
    {
        QTest::addColumn<QString>("size");
        QTest::addColumn<int>("npus");
        QTest::addColumn<double>("plain");
        QTest::addColumn<double>("twisted");
        QTest::addColumn<QString>("mean");
        QTest::addColumn<double>("better");
        QTest::newRow("4x4x8") << "4x4x8" << 128 << 128.0 << 220.0 / 3 << "440/127" << 1.745;
        QTest::newRow("4x8x8") << "4x8x8" << 256 << 256.0 << 184.0 << "368/85" << 1.391;
    }
    void twistedToriCarryMore()
    {
        QFETCH(const QString, size);
        QFETCH(const int, npus);
        QFETCH(const double, plain);
        QFETCH(const double, twisted);
        QFETCH(const QString, mean);
        QFETCH(const double, better);
        const auto plainTorus = fabricOf("npu / torus " + size.toStdString());
        const auto twistedTorus = fabricOf("npu / twisted_torus " + size.toStdString());
        QVERIFY(plainTorus && twistedTorus);
        QCOMPARE(twistedTorus.value().npus(), npus);
        const AllToAllLoad before = allToAllLoad(plainTorus.value());
        const AllToAllLoad after = allToAllLoad(twistedTorus.value());
        QVERIFY2(std::abs(before.most - plain) < 1e-6, qPrintable(QString::number(before.most)));
        QVERIFY2(std::abs(after.most - twisted) < 1e-6, qPrintable(QString::number(after.most)));
        QVERIFY2(std::abs(after.least - twisted) < 1e-6, qPrintable(QString::number(after.least)));
        QVERIFY2(std::abs(before.most / after.most - better) < 5e-4, qPrintable(QString::number(before.most / after.most)));
        QCOMPARE(after.diameter, 6);
        QCOMPARE(textOf(fraction(after.distances, WideCount{npus} * (npus - 1))), mean);
    }

    /// Differences of neighbours within the two halves: of 5, with 2 as the least primitive root, the even and the odd powers 1, 4 and 2, 3; of 7, with 3, w = 2:
    /// the powers 0, 2, 3, 5 (1, 2, 6, 5) and 1, 3, 4, 6 (3, 6, 4, 1).
    void slimFliesHaveTheirSets_data()
    {
        QTest::addColumn<int>("q");
        QTest::addColumn<QList<int>>("first");
        QTest::addColumn<QList<int>>("second");
        QTest::newRow("5") << 5 << QList<int>{1, 4} << QList<int>{2, 3};
        QTest::newRow("7") << 7 << QList<int>{1, 2, 5, 6} << QList<int>{1, 3, 4, 6};
    }
    void slimFliesHaveTheirSets()
    {
        QFETCH(const int, q);
        QFETCH(const QList<int>, first);
        QFETCH(const QList<int>, second);
        const auto fabric = fabricOf("npu / slim_fly " + std::to_string(q));
        QVERIFY(fabric);
        const auto neighbours = neighboursByCables(fabric.value(), static_cast<int>(fabric.value().npus()), 2 * q * q);
        for (int node = 0; node < 2 * q * q; ++node) {
            // (0, x, y) = x q + y, (1, m, c) = q^2 + m q + c.
            const int half = node / (q * q);
            const int row = node / q % q;
            const int column = node % q;
            QList<int> differences;
            QList<int> across;
            for (const int other : neighbours[at(node)]) {
                if (other / (q * q) != half) {
                    across.append(other);
                    continue;
                }
                QCOMPARE(other / q % q, row);
                differences.append((other % q - column + q) % q);
            }
            std::sort(differences.begin(), differences.end());
            QCOMPARE(differences, half == 0 ? first : second);
            // To one switch of each row of the other half: y = m x + c.
            QList<int> expected;
            for (int line = 0; line < q; ++line)
                expected.append(half == 0 ? q * q + line * q + ((column - line * row) % q + q) % q : line * q + (row * line + column) % q);
            std::sort(across.begin(), across.end());
            QCOMPARE(across, expected);
        }
    }

    /// By a search from every switch.
    void switchesOfSlimFliesAreTwoApart()
    {
        for (const int q : {3, 5, 7, 11, 13}) {
            const auto fabric = fabricOf("npu / slim_fly " + std::to_string(q) + " npus 1");
            QVERIFY(fabric);
            const int switches = 2 * q * q;
            QCOMPARE(fabric.value().npus(), switches);
            const auto neighbours = neighboursByCables(fabric.value(), switches, switches);
            for (int from = 0; from < switches; ++from) {
                const std::vector<int>& near = neighbours[at(from)];
                QCOMPARE(static_cast<int>(near.size()), q % 4 == 1 ? (3 * q - 1) / 2 : (3 * q + 1) / 2);
                std::set<int> reached(near.begin(), near.end());
                QCOMPARE(reached.size(), near.size());
                QVERIFY(!reached.contains(from));
                for (const int middle : near)
                    reached.insert(neighbours[at(middle)].begin(), neighbours[at(middle)].end());
                QCOMPARE(static_cast<int>(reached.size()), switches); // Itself, by there and back, too.
            }
        }
    }

    /// 7 cables to other switches (2 + 5) and ceil(7 / 2) = 4 NPUs, counted at every switch.
    void switchesOfASlimFlyOfFiveHaveElevenPorts()
    {
        const auto fabric = fabricOf("npu / slim_fly 5");
        QVERIFY(fabric);
        QCOMPARE(tiersOf(fabric.value()), QStringLiteral("50"));
        QCOMPARE(fabric.value().tiers()[0].ports, 11);
        std::map<int, std::set<int>> ports;
        for (const FabricCable& cable : fabric.value().cables()) {
            for (const PortRef& end : {cable.lower, cable.upper}) {
                if (end.node >= fabric.value().npus())
                    ports[end.node].insert(end.port);
            }
        }
        QCOMPARE(ports.size(), std::size_t{50});
        for (const auto& [node, used] : ports) {
            QCOMPARE(used.size(), std::size_t{11});
            QCOMPARE(*used.rbegin(), 10);
        }
    }

    /// By hand: node.port of the lower end, node.port of the upper.
    void portsOfTallNetworks_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<QString>("cables");
        const auto row = [](const char* line, int nodes, const char* cables) { QTest::newRow(line) << QString::fromUtf8(line) << nodes << QString::fromUtf8(cables); };
        // m = 2,3,2, w = 1,2,2, p = 2,1,2: 12 NPUs, leaves 12 + (a3 a2) of 6, spines 18 + (a3 b2) of 4, cores 22 + (b2 b3) of 4. An NPU has ports t < 2, a leaf 4 down and
        // port 4 + b2 up, a spine 3 down and port 3 + 2 b3 + t up.
        // NPU 7 is a1 = 1 below leaf a2 = 0 of a3 = 1: to leaf 3 at ports 2 a1 + t. Leaf (1, 0) is number 3, (1, 2) number 5, (0, 1) number 1: port a2 of the spine.
        // Spine 21 is (1, 1): cores (1, b3) at ports 2 a3 + t.
        row("npu / clos 2,3,2 1,2,2 2,1,2", 26,
            "0.0-12.0 0.1-12.1 7.0-15.2 7.1-15.3 15.4-20.0 15.5-21.0 17.5-21.2 13.4-18.1 18.3-22.0 18.4-22.1 18.5-23.0 18.6-23.1 21.3-24.2 21.4-24.3 21.5-25.2 21.6-25.3");
        // m = 2,2,2, w = 2,2,1, p = 1,2,3: 8 NPUs with two ports, leaves 8 + (a3 a2 b1) of 8, spines 16 + (a3 b1 b2) of 8, cores 24 + (b1 b2) of 4.
        // NPU 5 is (1, 0, 1): leaves (1, 0, b1) are 4 and 5, port a1. Leaf 13 is (1, 0, 1): port 2 + 2 b2 + t, spines (1, 1, b2) are 6 and 7, port 2 a2 + t. Leaf 14 is (1, 1, 0).
        // Spine 22 is (1, 1, 0): port 4 + t, core (1, 0) is 2, port 3 a3 + t.
        row("npu / clos 2,2,2 2,2,1 1,2,3", 28, "5.0-12.1 5.1-13.1 13.2-22.0 13.3-22.1 13.4-23.0 13.5-23.1 14.2-20.2 14.5-21.3 22.4-26.3 22.5-26.4 22.6-26.5");
        // 4 units in 2 pods, 2 hosts of 2 NPUs each, 2 cables up from a leaf, 2 spines for each rail of a pod, 2 cables up from a spine to 2 cores. Leaves 16 + 2 unit + rail, spines
        // 24 + 2 (2 pod + rail) + s, cores from 32. Leaf l = unit in the pod has port 2 + j up, to spine j of its set at port l; a spine port 2 + j up, to core j at its number.
        // NPU 13 is unit 3, host 0, rail 1; NPU 11 unit 2, host 1, rail 1.
        row("npu / rails 4,2,2,8,2 separate 1 pods 2 cores 2 core_up 2", 34,
            "13.0-23.0 11.0-21.1 21.2-30.0 21.3-31.0 23.2-30.1 23.3-31.1 16.2-24.0 16.3-25.0 18.3-25.1 17.2-26.0 20.2-28.0 30.2-32.6 30.3-33.6 24.2-32.0 25.3-33.1");
        // 4 cables up from a leaf to 2 spines of a set: p = 2, spine [j/2] at port 2 l + j mod 2, behind which the spine has its ports 4 and 5 up.
        row("npu / rails 4,2,2,8,4 separate 1 pods 2 cores 2 core_up 2", 34, "21.2-30.0 21.3-30.1 21.4-31.0 21.5-31.1 23.2-30.2 23.5-31.3 30.4-32.6 30.5-33.6");
    }
    void portsOfTallNetworks()
    {
        QFETCH(const QString, line);
        QFETCH(const int, nodes);
        QFETCH(const QString, cables);
        const auto fabric = fabricOf(line.toStdString());
        QVERIFY2(fabric, fabric ? "" : fabric.error().text().c_str());
        QCOMPARE(fabric.value().nodes(), nodes);
        const auto end = [](const QString& text) { return PortRef{text.section('.', 0, 0).toInt(), text.section('.', 1, 1).toInt()}; };
        for (const QString& cable : cables.split(' '))
            QVERIFY2(joinsPorts(fabric.value(), end(cable.section('-', 0, 0)), end(cable.section('-', 1, 1))), qPrintable(cable));
    }

    /// 18 trays of 4 NPUs, 9 of 2 switches; overrides name them.
    void traysOfAnNvl72HaveNames()
    {
        const auto fabric = fabricOf("npu / nvl72");
        QVERIFY(fabric);
        QCOMPARE(fabric.value().nodes(), 90);
        for (const auto& [node, name] : {std::pair{0, "tray0.gpu0"}, {3, "tray0.gpu3"}, {4, "tray1.gpu0"}, {71, "tray17.gpu3"}, {72, "switchtray0.switch0"}, {73, "switchtray0.switch1"}, {74, "switchtray1.switch0"},
                                         {89, "switchtray8.switch1"}})
            QCOMPARE(fabric.value().name(node), std::string(name));

        const auto changed = [](const std::string& overrides) {
            const auto loaded = readDesignText("fabricscope: 1\nplatform: {topology: \"npu / nvl72 50GB/s 1us\", overrides: {" + overrides + "}}\nworkload: {collective: all_reduce, size: 1 MiB}\n", "made.yaml");
            if (!loaded)
                return loaded.error().text();
            const Platform platform = Platform::create(*loaded.value().design.platform).value();
            std::string names;
            for (const LinkOverride& change : platform.spec().linkOverrides)
                names += platform.linkName(change.link) + ' ';
            for (const NpuOverride& change : platform.spec().npuOverrides)
                names += platform.spec().nodes.name(static_cast<std::size_t>(change.node)) + ' ';
            return names;
        };
        QCOMPARE(changed("links: [{link: \"tray0.gpu0<>switchtray0.switch0\", bandwidth: 25 GB/s}]"), std::string("tray0.gpu0>switchtray0.switch0 switchtray0.switch0>tray0.gpu0 "));
        QCOMPARE(changed("links: [{link: \"tray17.gpu*>switchtray8.switch1\", bandwidth: 25 GB/s}]"),
                 std::string("tray17.gpu0>switchtray8.switch1 tray17.gpu1>switchtray8.switch1 tray17.gpu2>switchtray8.switch1 tray17.gpu3>switchtray8.switch1 "));
        QCOMPARE(changed("npus: [{npu: tray17.gpu3, speed: 0.5}]"), std::string("tray17.gpu3 "));
        QVERIFY(changed("npus: [{npu: tray18.gpu0, speed: 0.5}]").find("there is no NPU") != std::string::npos);
    }
};

FABRICSCOPE_TEST(TestWiredCables)
#include "tst_wired_cables.moc"
