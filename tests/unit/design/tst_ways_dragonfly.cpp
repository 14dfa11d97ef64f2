// Loads of dragonflies by counting ways: every NPU to the next group, every NPU to all, and which dragonflies are said to be unbalanced.
#include "core/base/index.h"
#include "core/base/seededhash.h"
#include "core/platform/fabric/figures.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "tests/unit/support/fabriclines.h"
#include "tests/unit/support/routed.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace fabricscope;

namespace {

/// Figures of a dragonfly with all its groups; NPUs come first, then the routers, both group by group.
struct DragonflySize {
    int p = 1;
    int a = 1;
    int h = 1;

    int groups() const { return a * h + 1; }
    int groupNpus() const { return a * p; }
    NodeId npus() const { return groups() * groupNpus(); }
    int groupOf(NodeId node) const { return node < npus() ? node / groupNpus() : (node - npus()) / a; }
    std::string line() const { return "npu / dragonfly " + std::to_string(p) + ',' + std::to_string(a) + ',' + std::to_string(h); }
};

constexpr std::uint64_t kDragonflySeed = 11;

test::Routed dragonflyWays(const DragonflySize& size, RoutePolicy policy)
{
    return test::Routed(platformOfForm(parseFabricForm(size.line()).value()).value(), policy, kDragonflySeed, 2);
}

enum class DragonflyLink { Own, Local, Global };

DragonflyLink dragonflyLink(const test::Routed& routed, const DragonflySize& size, LinkId link)
{
    const NodeId from = routed.graph->from(link);
    const NodeId to = routed.graph->to(link);
    if (from < size.npus() || to < size.npus())
        return DragonflyLink::Own;
    return size.groupOf(from) == size.groupOf(to) ? DragonflyLink::Local : DragonflyLink::Global;
}

} // namespace

class TestWaysDragonfly : public QObject {
    Q_OBJECT

private slots:
    /// Every NPU of group G sends to the NPU of its place in group G+1 at the rate of a link. Straight, all a p flows share the one cable between the groups, so each may
    /// have 1/(a p) of its rate. By each of the g-2 other groups alike, the cable from G to M carries a p / (g-2) of what G sends (first leg) and as much of what M-1
    /// sends to M by G (second leg). A link inside of a group carries no more than p h of the source group, p h of the group of the destination and the a p of one pair
    /// of groups for which this is the one between, all over g-2: as much again where a = 2h. So the share is (g-2) / (2 a p).
    void everyGroupToTheNext_data()
    {
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("a");
        QTest::addColumn<int>("h");
        QTest::addColumn<int>("straight"); // 1 / this
        QTest::addColumn<int>("over");
        QTest::addColumn<int>("under");
        QTest::newRow("3,6,3") << 3 << 6 << 3 << 18 << 17 << 36;
        QTest::newRow("4,8,4") << 4 << 8 << 4 << 32 << 31 << 64;
    }
    void everyGroupToTheNext()
    {
        QFETCH(const int, p);
        QFETCH(const int, a);
        QFETCH(const int, h);
        QFETCH(const int, straight);
        QFETCH(const int, over);
        QFETCH(const int, under);
        const DragonflySize size{p, a, h};
        const int g = size.groups();
        const auto nextOf = [&](NodeId npu) { return (npu + size.groupNpus()) % size.npus(); };

        test::Routed shortest = dragonflyWays(size, RoutePolicy::Shortest);
        QCOMPARE(shortest.platform.npuCount(), size.npus());
        std::map<LinkId, int> direct;
        for (NodeId npu = 0; npu < size.npus(); ++npu) {
            for (const LinkId link : shortest.way(npu, nextOf(npu)))
                ++direct[link];
        }
        QCOMPARE(test::busiest(direct), straight);

        test::Routed valiant = dragonflyWays(size, RoutePolicy::Valiant);
        std::map<LinkId, int> flows; // Each 1/(g-2) of a rate.
        for (NodeId npu = 0; npu < size.npus(); ++npu) {
            const int own = size.groupOf(npu);
            const int other = (own + 1) % g;
            std::vector<int> between;
            for (int group = 0; group < g; ++group) {
                if (group != own && group != other)
                    between.push_back(group);
            }
            // Messages in turn, until every group between has been drawn; of each the first message counts.
            std::vector<bool> met(between.size(), false);
            std::size_t left = met.size();
            for (std::int64_t message = 0; left > 0; ++message) {
                const std::size_t drawn = seededHash(kDragonflySeed, {npu, nextOf(npu), 0, message, -1}) % between.size();
                if (met[drawn])
                    continue;
                met[drawn] = true;
                --left;
                std::vector<int> groups{own};
                const std::vector<LinkId> way = valiant.way(npu, nextOf(npu), 0, static_cast<std::uint64_t>(message));
                for (const LinkId link : way) {
                    ++flows[link];
                    if (size.groupOf(valiant.graph->to(link)) != groups.back())
                        groups.push_back(size.groupOf(valiant.graph->to(link)));
                }
                QCOMPARE(groups, (std::vector<int>{own, between[drawn], other}));
                QCOMPARE(valiant.graph->to(way.back()), nextOf(npu));
            }
        }
        // Every NPU may send (g-2) / most of its rate.
        QCOMPARE((g - 2) * under, test::busiest(flows) * over);
        // Every cable between groups carries so much but the g straight ones, which nothing takes.
        int globals = 0;
        for (const auto& [link, count] : flows) {
            const bool global = dragonflyLink(valiant, size, link) == DragonflyLink::Global;
            QVERIFY(!global || count == 2 * size.groupNpus());
            globals += global ? 1 : 0;
        }
        QCOMPARE(globals, g * (g - 2));
    }

    /// Every NPU sends as much to each of the N-1 others, straight from group to group: in units of 1/(N-1) of its rate a cable between two groups carries the (a p)^2 pairs
    /// across; a link inside of one the p^2 pairs of its routers, p NPUs at its beginning to the h groups of a p NPUs behind its end, and as much the other way: p^2 + 2 p h a p.
    /// 2,4,2: 64/71 and (4 + 64)/71. 4,8,4: 1024/1055 and (16 + 1024)/1055 = 208/211. The fewest links of all are sometimes two cables by a third group, which is not meant:
    /// as the router goes straight under `adaptive`.
    void everyNpuToAll_data()
    {
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("a");
        QTest::addColumn<int>("h");
        QTest::addColumn<QString>("global");
        QTest::addColumn<QString>("local");
        QTest::newRow("2,4,2") << 2 << 4 << 2 << "64/71" << "68/71";
        QTest::newRow("4,8,4") << 4 << 8 << 4 << "1024/1055" << "208/211";
    }
    void everyNpuToAll()
    {
        QFETCH(const int, p);
        QFETCH(const int, a);
        QFETCH(const int, h);
        QFETCH(const QString, global);
        QFETCH(const QString, local);
        const DragonflySize size{p, a, h};
        test::Routed routed = dragonflyWays(size, RoutePolicy::Adaptive);
        const NodeId npus = size.npus();
        const NodeId routers = npus / p;
        std::vector<std::int64_t> pairs(static_cast<std::size_t>(routed.graph->linkCount()), 0);
        // Between two routers all NPUs of both go alike, which the first and last of them stand for: p^2 ordered pairs.
        for (NodeId from = 0; from < routers; ++from) {
            for (NodeId to = 0; to < routers; ++to) {
                if (from == to)
                    continue;
                const std::vector<LinkId> way = routed.way(from * p, to * p);
                QVERIFY(way.size() >= 3);
                if (from % 8 == to % 7) {
                    const std::vector<LinkId> last = routed.way(from * p + p - 1, to * p + p - 1);
                    QVERIFY(std::equal(way.begin() + 1, way.end() - 1, last.begin() + 1, last.end() - 1));
                }
                for (auto link = way.begin() + 1; link != way.end() - 1; ++link)
                    pairs[at(*link)] += std::int64_t{p} * p;
            }
        }
        int globals = 0;
        int locals = 0;
        for (LinkId link = 0; link < routed.graph->linkCount(); ++link) {
            const DragonflyLink kind = dragonflyLink(routed, size, link);
            if (kind == DragonflyLink::Own)
                continue;
            const Fraction load = fraction(pairs[at(link)], npus - 1);
            QCOMPARE(test::textOf(load), kind == DragonflyLink::Global ? global : local);
            ++(kind == DragonflyLink::Global ? globals : locals);
        }
        QCOMPARE(globals, size.groups() * (size.groups() - 1));
        QCOMPARE(locals, size.groups() * a * (a - 1));
    }

    void unbalancedIsSaidOfThoseThatAre()
    {
        int balanced = 0;
        for (int p = 1; p <= 5; ++p) {
            for (int a = 1; a <= 10; ++a) {
                for (int h = 1; h <= 5; ++h) {
                    const auto fabric = test::fabricOf("npu / dragonfly " + std::to_string(p) + ',' + std::to_string(a) + ',' + std::to_string(h) + " groups 2");
                    QVERIFY2(fabric, fabric ? "" : fabric.error().text().c_str());
                    const Diagnostics& said = fabric.value().warnings();
                    const auto count = std::count_if(said.begin(), said.end(), [](const Diagnostic& entry) { return entry.rule == "unbalanced-dragonfly" && entry.severity == Severity::Warning; });
                    const bool isBalanced = a == 2 * p && a == 2 * h;
                    QCOMPARE(count, std::ptrdiff_t{isBalanced ? 0 : 1});
                    balanced += isBalanced ? 1 : 0;
                }
            }
        }
        QCOMPARE(balanced, 5); // 1,2,1 to 5,10,5
        // Nor of other families that have groups.
        const auto plus = test::fabricOf("npu / dragonfly_plus 1,2,3,1");
        QVERIFY(plus && std::none_of(plus.value().warnings().begin(), plus.value().warnings().end(), [](const Diagnostic& entry) { return entry.rule == "unbalanced-dragonfly"; }));
        // Whoever asks for the figures is told too.
        const auto told = [](const char* line) {
            const auto figures = fabricFigures(test::fabricOf(line).value());
            const Diagnostics& warnings = figures.value().warnings;
            return std::any_of(warnings.begin(), warnings.end(), [](const Diagnostic& entry) { return entry.rule == "unbalanced-dragonfly"; });
        };
        QVERIFY(told("npu / dragonfly 1,3,1"));
        QVERIFY(!told("npu / dragonfly 1,2,1"));
    }
};

FABRICSCOPE_TEST(TestWaysDragonfly)
#include "tst_ways_dragonfly.moc"
