// Removed links and NPUs: which way messages take then, what is refused, and what the runs say.
#include "core/base/index.h"
#include "core/design/design.h"
#include "core/design/steps/steps.h"
#include "core/scenario/lowering.h"
#include "core/sim/events/events.h"
#include "core/sim/simulate.h"
#include "core/trace/etwriter.h"
#include "core/trace/schema.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/randomcase.h"
#include "tests/unit/support/oracles/bruteforce.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

PlatformSpec fabric(const std::vector<std::pair<Shape, std::int32_t>>& dimensions)
{
    PlatformSpec spec;
    for (const auto& [shape, size] : dimensions)
        spec.dimensions.push_back({shape, size, {50, "GB/s", Measure::Bandwidth}, false, {500, "ns", Measure::Time}});
    return spec;
}

/// The link of this name on the whole fabric, without looking names up in the code under test.
LinkId linkCalled(PlatformSpec spec, const std::string& name)
{
    spec.linkOverrides.clear();
    spec.npuOverrides.clear();
    const auto platform = Platform::create(std::move(spec));
    for (LinkId link = 0; platform && link < platform.value().linkCount(); ++link) {
        if (platform.value().linkName(link) == name)
            return link;
    }
    qFatal("no link %s", name.c_str());
}

PlatformSpec without(PlatformSpec spec, const std::vector<std::string>& links, const std::vector<NodeId>& npus = {})
{
    for (const std::string& name : links) {
        LinkOverride change;
        change.link = linkCalled(spec, name);
        change.removed = true;
        spec.linkOverrides.push_back(change);
    }
    for (const NodeId npu : npus) {
        NpuOverride change;
        change.node = npu;
        change.removed = true;
        spec.npuOverrides.push_back(change);
    }
    return spec;
}

Platform made(const PlatformSpec& spec)
{
    auto platform = Platform::create(spec);
    if (!platform)
        qFatal("%s", platform.error().text().c_str());
    return std::move(platform).value();
}

std::string way(const Platform& platform, NodeId from, NodeId to, RingDirection rings = RingDirection::Shorter)
{
    std::vector<LinkId> links;
    platform.route(from, to, links, rings);
    std::string text;
    for (const LinkId link : links)
        text += (text.empty() ? "" : ", ") + platform.linkName(link);
    return text;
}

/// Message and field of the refusal.
std::string refusal(const PlatformSpec& spec)
{
    const auto platform = Platform::create(spec);
    return platform ? "accepted" : platform.error().message + " | " + platform.error().place.field;
}

PlatformSpec graph(std::int32_t npus, bool withSwitch, const std::vector<std::pair<NodeId, NodeId>>& pairs)
{
    PlatformSpec spec;
    for (std::int32_t i = 0; i < npus; ++i)
        spec.nodes.push_back({"g" + std::to_string(i), NodeKind::Npu});
    if (withSwitch)
        spec.nodes.push_back({"sw", NodeKind::Switch});
    for (const auto& [a, b] : pairs) {
        spec.links.push_back({a, b, {50, "GB/s", Measure::Bandwidth}, {500, "ns", Measure::Time}});
        spec.links.push_back({b, a, {50, "GB/s", Measure::Bandwidth}, {500, "ns", Measure::Time}});
    }
    return spec;
}

std::string ringDesign(const std::string& overrides, const std::string& workload, const std::string& rest = "")
{
    return "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n" + overrides + workload + rest;
}

const std::string kBroken = "  overrides:\n    links:\n      - {link: \"d0 3>0\", removed: true}\n";

Design read(const std::string& text)
{
    auto loaded = readDesignText(text, "d.yaml");
    if (!loaded)
        qFatal("%s\n%s", loaded.error().text().c_str(), text.c_str());
    return std::move(loaded).value().design;
}

RunRecord run(const Design& design)
{
    auto scenario = prepare(design);
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    auto record = simulate(*scenario.value(), {}, {});
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return std::move(record).value();
}

std::string refusedRun(const Design& design)
{
    const auto scenario = prepare(design);
    return scenario ? "accepted" : scenario.error().message;
}

/// Is the route a chain of links that are there, from one NPU to the other?
bool isSound(const Platform& platform, NodeId from, NodeId to)
{
    std::vector<LinkId> links;
    platform.route(from, to, links);
    NodeId here = from;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const LinkInfo info = platform.linkInfo(links[i]);
        if (platform.isRemoved(links[i]) || (info.from >= 0 && info.from != here))
            return false;
        if (info.from < 0 && (i == 0 || platform.linkInfo(links[i - 1]).to >= 0))
            return false; // down from a switch that was never gone up to
        if (info.to >= 0)
            here = info.to;
    }
    return here == to;
}

} // namespace

class RemovedTest : public QObject {
    Q_OBJECT

private slots:
    void aRingGoesTheOtherWayRoundABrokenLink()
    {
        const Platform platform = made(without(fabric({{Shape::Ring, 4}}), {"d0 3>0"}));

        QCOMPARE(way(platform, 3, 0), std::string("d0 3>2, d0 2>1, d0 1>0"));
        QCOMPARE(way(platform, 2, 0), std::string("d0 2>1, d0 1>0")); // both ways are as long: + is cut
        QCOMPARE(way(platform, 3, 0, RingDirection::Plus), std::string("d0 3>2, d0 2>1, d0 1>0"));
        QCOMPARE(way(platform, 0, 3), std::string("d0 0>3")); // the link back is still there
        QCOMPARE(way(platform, 0, 2), std::string("d0 0>1, d0 1>2"));
        QVERIFY(platform.hasRemovals());
        QVERIFY(platform.isRemoved(linkCalled(platform.spec(), "d0 3>0")));
        QVERIFY(!platform.isRemoved(linkCalled(platform.spec(), "d0 0>3")));
    }

    void aRemovedNpuTakesItsLinksWithIt()
    {
        const Platform platform = made(without(fabric({{Shape::Ring, 5}}), {}, {2}));

        QCOMPARE(platform.remainingNpus(), 4);
        QVERIFY(platform.isNpuRemoved(2) && !platform.isNpuRemoved(1));
        for (const char* name : {"d0 2>3", "d0 2>1", "d0 1>2", "d0 3>2"})
            QVERIFY2(platform.isRemoved(linkCalled(platform.spec(), name)), name);
        QCOMPARE(way(platform, 1, 3), std::string("d0 1>0, d0 0>4, d0 4>3"));
        QCOMPARE(way(platform, 3, 1), std::string("d0 3>4, d0 4>0, d0 0>1"));
    }

    void fullyConnectedGoesOverTheFirstNeighbourWithBothLinks()
    {
        QCOMPARE(way(made(without(fabric({{Shape::FullyConnected, 4}}), {"d0 1>0"})), 1, 0), std::string("d0 1>2, d0 2>0"));
        QCOMPARE(way(made(without(fabric({{Shape::FullyConnected, 4}}), {"d0 1>0", "d0 2>0"})), 1, 0), std::string("d0 1>3, d0 3>0"));
        QCOMPARE(way(made(without(fabric({{Shape::FullyConnected, 4}}), {"d0 1>0"}, {2})), 1, 0), std::string("d0 1>3, d0 3>0"));
    }

    void dimensionsAreCrossedInAnotherOrderWhereTheTurningNpuIsRemoved()
    {
        // 3 x 3: NPU = x + 3 y. 0 to 4 turns at 1, else at 3.
        const PlatformSpec grid = fabric({{Shape::FullyConnected, 3}, {Shape::FullyConnected, 3}});
        QCOMPARE(way(made(grid), 0, 4), std::string("d0 0>1, d1 1>4"));
        QCOMPARE(way(made(without(grid, {}, {1})), 0, 4), std::string("d1 0>3, d0 3>4"));
        // Neither corner is left: three lines, first found by position.
        const Platform both = made(without(grid, {}, {1, 3}));
        QVERIFY(isSound(both, 0, 4));
        std::vector<LinkId> links;
        both.route(0, 4, links);
        QCOMPARE(links.size(), std::size_t{3});
    }

    void explicitGraphsTakeTheShortestWayThatIsLeft()
    {
        // A ring of four through NPUs, and one switch over 0 and 2.
        const PlatformSpec spec = graph(4, true, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {2, 4}});
        QCOMPARE(way(made(spec), 0, 2), std::string("g0>g1, g1>g2"));
        QCOMPARE(way(made(without(spec, {"g1>g2"})), 0, 2), std::string("g0>g3, g3>g2"));
        QCOMPARE(way(made(without(spec, {}, {1, 3})), 0, 2), std::string("g0>sw, sw>g2"));
        QCOMPARE(way(made(without(spec, {"g0>g1"})), 0, 1), std::string("g0>g3, g3>g2, g2>g1"));
        QCOMPARE(way(made(without(spec, {"g0>g1"})), 1, 0), std::string("g1>g0"));
    }

    void whatCannotBeReachedIsRefusedInWords()
    {
        using S = Shape;
        const std::string link = " | platform.link_overrides[0].removed";
        QCOMPARE(refusal(without(fabric({{S::Ring, 2}, {S::Switch, 4}}), {"d1 3>switch"})),
                 "NPU 3 has no way to NPU 1 in dimension 1 once d1 3>switch is removed" + link);
        QCOMPARE(refusal(without(fabric({{S::Switch, 4}}), {"d0 switch>2"})), "NPU 0 has no way to NPU 2 in dimension 0 once d0 switch>2 is removed" + link);
        QCOMPARE(refusal(without(fabric({{S::Ring, 2}}), {"d0 1>0"})), "NPU 1 has no way to NPU 0 in dimension 0 once d0 1>0 is removed" + link);
        QCOMPARE(refusal(without(fabric({{S::FullyConnected, 2}}), {"d0 1>0"})), "NPU 1 has no way to NPU 0 in dimension 0 once d0 1>0 is removed" + link);
        QCOMPARE(refusal(without(fabric({{S::Ring, 4}}), {"d0 3>0", "d0 3>2"})), "NPU 3 has no way to NPU 0 in dimension 0 once d0 3>0 is removed" + link);
        // + is cut behind 1, - behind 3: 1 reaches 0 and, the other way, 3, but not 2.
        QCOMPARE(refusal(without(fabric({{S::Ring, 4}}), {"d0 1>2", "d0 3>2"})), "NPU 0 has no way to NPU 2 in dimension 0 once d0 1>2 is removed" + link);
        QCOMPARE(refusal(without(fabric({{S::Ring, 6}}), {}, {1, 4})),
                 std::string("NPU 0 has no way to NPU 2 in dimension 0 once NPU 1 is removed | platform.npu_overrides[0].removed"));
        QCOMPARE(refusal(without(fabric({{S::Ring, 2}}), {}, {1, 0})), std::string("no NPU is left once NPU 0 is removed | platform.npu_overrides[1].removed"));
        // 2 x 2 with two opposite corners gone.
        QCOMPARE(refusal(without(fabric({{S::Ring, 2}, {S::Switch, 2}}), {}, {0, 3})),
                 std::string("NPU 1 has no way to NPU 2 once 2 NPUs are removed | platform.npu_overrides[1].removed"));
        QCOMPARE(refusal(without(graph(3, false, {{0, 1}, {1, 2}}), {}, {1})), std::string("g0 has no way to g2 once g1 is removed | platform.npu_overrides[0].removed"));
        QCOMPARE(refusal(without(graph(3, false, {{0, 1}, {1, 2}, {2, 0}}), {"g0>g1", "g2>g1"})),
                 std::string("g0 has no way to g1 once g2>g1 is removed | platform.link_overrides[1].removed"));
    }

    void whatIsLeftAloneNeedsNoWay()
    {
        // The only other NPU on the ring of two goes: its links may be missing too.
        QCOMPARE(refusal(without(fabric({{Shape::Ring, 2}}), {"d0 1>0"}, {1})), std::string("accepted"));
        QCOMPARE(refusal(without(fabric({{Shape::Switch, 3}}), {"d0 1>switch"}, {1})), std::string("accepted"));
        QCOMPARE(refusal(without(graph(3, false, {{0, 1}, {1, 2}}), {"g2>g1"}, {2})), std::string("accepted"));
        QCOMPARE(refusal(without(fabric({{Shape::Ring, 6}}), {}, {1, 2})), std::string("accepted"));
    }

    /// create() accepts exactly those removals that leave inside each line a way between all; every route then is sound.
    void acceptedPlatformsHaveSoundRoutesBetweenAllPairs()
    {
        std::mt19937 random(seeded(7));
        const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
        int accepted = 0;
        int refused = 0;
        for (int i = 0; i < cases(600); ++i) {
            std::vector<std::pair<Shape, std::int32_t>> dimensions;
            for (std::int64_t d = 0; d <= below(3); ++d)
                dimensions.emplace_back(static_cast<Shape>(below(3)), static_cast<std::int32_t>(1 + below(5)));
            PlatformSpec spec = fabric(dimensions);
            const Platform whole = made(spec);
            for (LinkId link = 0; link < whole.linkCount(); ++link) {
                if (below(whole.linkCount()) < 2)
                    spec.linkOverrides.push_back({link, {}, {}, true});
            }
            for (NodeId npu = 0; npu < whole.npuCount(); ++npu) {
                if (below(whole.npuCount()) < 1)
                    spec.npuOverrides.push_back({npu, {}, {}, {}, true});
            }
            const auto platform = Platform::create(spec);
            ++(platform ? accepted : refused);
            if (!platform)
                continue;
            for (NodeId a = 0; a < whole.npuCount(); ++a) {
                for (NodeId b = 0; b < whole.npuCount(); ++b) {
                    if (!platform.value().isNpuRemoved(a) && !platform.value().isNpuRemoved(b))
                        QVERIFY(isSound(platform.value(), a, b));
                }
            }
        }
        QVERIFY(accepted > cases(100) && refused > cases(50));
    }

    void ringsAreRefusedExactlyWhenBothWaysOfAPairAreCut()
    {
        for (std::int32_t size = 2; size <= 4; ++size) {
            const Platform whole = made(fabric({{Shape::Ring, size}}));
            const auto count = static_cast<std::uint32_t>(whole.linkCount());
            for (std::uint32_t mask = 0; mask < (1U << count); ++mask) {
                PlatformSpec spec = whole.spec();
                for (std::uint32_t link = 0; link < count; ++link) {
                    if ((mask >> link & 1U) != 0)
                        spec.linkOverrides.push_back({static_cast<LinkId>(link), {}, {}, true});
                }
                bool expected = true;
                for (NodeId a = 0; a < size; ++a) {
                    for (NodeId b = 0; b < size; ++b) {
                        bool any = a == b;
                        for (const RingDirection direction : {RingDirection::Plus, RingDirection::Minus}) {
                            std::vector<LinkId> links;
                            whole.route(a, b, links, direction);
                            any = any || std::none_of(links.begin(), links.end(), [&](LinkId link) { return (mask >> link & 1U) != 0; });
                        }
                        expected = expected && any;
                    }
                }
                QCOMPARE(static_cast<bool>(Platform::create(spec)), expected);
            }
        }
    }

    void aMessageOnTheDetourTakesThreeLatencies()
    {
        const std::string workload = "workload:\n  steps:\n    - {send: 1 MB, to: \"0\", ranks: \"3\"}\n    - {receive: 1 MB, from: \"3\", ranks: \"0\"}\nmodel: {name: links}\n";
        // 1 MB at 50 GB/s is 20 us, and 500 ns per link.
        QCOMPARE(run(read(ringDesign("", workload))).finish.ps, std::int64_t{20'500'000});
        const RunRecord record = run(read(ringDesign(kBroken, workload)));
        QCOMPARE(record.finish.ps, std::int64_t{21'500'000});
        std::vector<LinkId> used;
        for (const auto& link : record.links)
            used.push_back(link.link);
        std::sort(used.begin(), used.end());
        std::vector<LinkId> expected;
        for (const char* name : {"d0 3>2", "d0 2>1", "d0 1>0"})
            expected.push_back(linkCalled(fabric({{Shape::Ring, 4}}), name));
        std::sort(expected.begin(), expected.end());
        QCOMPARE(used, expected);
    }

    void theDetourIsNotedAndSlowsTheCollective()
    {
        const std::string workload = "workload: {collective: all_reduce, size: 4 MB}\n";
        const auto scenario = prepare(read(ringDesign(kBroken, workload)));
        QVERIFY(scenario);
        const Diagnostics& notes = scenario.value()->diagnostics;
        QCOMPARE(std::count_if(notes.begin(), notes.end(), [](const Diagnostic& entry) {
            return entry.message == "d0 3>0 is removed: 1 neighbour message goes the other way round";
        }), std::ptrdiff_t{1});
        QVERIFY(run(read(ringDesign(kBroken, workload))).finish > run(read(ringDesign("", workload))).finish);
        QVERIFY(run(read(ringDesign(kBroken, workload, "model: {name: ideal}\n"))).finish > run(read(ringDesign("", workload, "model: {name: ideal}\n"))).finish);
    }

    void ranksRunOnTheNpusThatAreLeft()
    {
        const Platform platform = made(without(fabric({{Shape::FullyConnected, 4}}), {}, {1}));
        const Placement placement = Placement::onRemaining(platform, 3);
        QCOMPARE(placement.nodeOf(0), 0);
        QCOMPARE(placement.nodeOf(1), 2);
        QCOMPARE(placement.nodeOf(2), 3);
        QVERIFY(!placement.isIdentity());
        QVERIFY(Placement::onRemaining(made(without(fabric({{Shape::FullyConnected, 4}}), {}, {3})), 3).isIdentity());
        QVERIFY(Placement::onRemaining(made(fabric({{Shape::Ring, 4}})), 3) == Placement::identity(3));

        const std::string gone = "  overrides:\n    npus:\n      - {npu: 1, removed: true}\n";
        const Design design = read(ringDesign(gone, "workload: {collective: all_reduce, size: 4 MB}\n"));
        const auto scenario = prepare(design);
        QVERIFY(scenario);
        QCOMPARE(scenario.value()->structure->workload->rankCount, 3);
        QVERIFY(run(design).complete);
        QVERIFY(run(read(ringDesign(gone, "workload: {collective: all_reduce, size: 4 MB}\n", "model: {name: ideal}\n"))).complete);
    }

    void workloadsThatNeedMoreAreRefused()
    {
        const Design whole = read(ringDesign("", "workload: {collective: all_reduce, size: 4 MB}\n"));
        const auto workload = workloadFromCollective(std::get<SingleCollective>(*whole.workload), 4);
        const auto lowered = lower(whole, made(without(fabric({{Shape::Ring, 4}}), {}, {1})), workload.value());
        QVERIFY(!lowered);
        QCOMPARE(lowered.error().message, std::string("4 ranks need 4 NPUs; 3 are left"));

        const std::string placed = "  overrides:\n    npus:\n      - {npu: 1, removed: true}\n  placement:\n    jobs:\n      - {ranks: 2}\n";
        QCOMPARE(refusedRun(read(ringDesign(placed, "workload: {collective: all_reduce, size: 4 MB}\n"))), std::string("rank 1 is on NPU 1, which is removed"));
        const std::string apart = "  overrides:\n    npus:\n      - {npu: 1, removed: true}\n  placement:\n    jobs:\n      - {ranks: 2, stride: 2}\n";
        QCOMPARE(refusedRun(read(ringDesign(apart, "workload: {collective: all_reduce, size: 4 MB}\n"))), std::string("accepted"));
    }

    void tracesOfMoreRanksThanNpusAreRefused()
    {
        QTemporaryDir folder;
        EtNode node;
        node.id = 1;
        node.name = "work";
        node.type = static_cast<std::int32_t>(EtNodeType::Comp);
        node.durationMicros = 7;
        const std::string prefix = folder.filePath("t").toStdString();
        const auto writeRank = [&](int rank) {
            auto writer = EtWriter::create(prefix + '.' + std::to_string(rank) + ".et", {});
            return writer && writer.value().add(node) && writer.value().finish();
        };
        QVERIFY(writeRank(0) && writeRank(1) && writeRank(2));
        const std::string workload = "workload: {trace: " + prefix + "}\n";
        const std::string gone = "  overrides:\n    npus:\n      - {npu: 1, removed: true}\n";
        QCOMPARE(run(read(ringDesign(gone, workload))).finish.ps, std::int64_t{7'000'000});
        QVERIFY(writeRank(3));
        QCOMPARE(refusedRun(read(ringDesign(gone, workload))), std::string("4 ranks need 4 NPUs; 3 are left"));
        QCOMPARE(refusedRun(read(ringDesign("", workload))), std::string("accepted"));
    }

    void groupsAlongDimensionsHaveTheMembersThatAreLeft()
    {
        // 2 x 3, NPU = x + 2 y, without NPUs 1 and 5: ranks 0..3 on NPUs 0, 2, 3, 4.
        const Platform platform = made(without(fabric({{Shape::FullyConnected, 2}, {Shape::FullyConnected, 3}}), {}, {1, 5}));
        const Placement placement = Placement::onRemaining(platform, 4);
        GroupSpec spec;
        spec.name = "rows";
        spec.dimensions = {0};
        using Lists = std::vector<std::vector<std::int64_t>>;
        QCOMPARE(groupFamily(spec, platform, placement).value().lists(), (Lists{{0}, {1, 2}, {3}}));
        spec.dimensions = {1};
        QCOMPARE(groupFamily(spec, platform, placement).value().lists(), (Lists{{0, 1, 3}, {2}}));
        spec.dimensions = {1, 0}; // position: y first
        QCOMPARE(groupFamily(spec, platform, placement).value().lists(), (Lists{{0, 1, 3, 2}}));

        const std::string text = "fabricscope: 1\nplatform:\n  dimensions:\n"
                                 "    - {shape: fully_connected, size: 2, bandwidth: 50 GB/s, latency: 500 ns}\n"
                                 "    - {shape: fully_connected, size: 3, bandwidth: 50 GB/s, latency: 500 ns}\n"
                                 "  overrides:\n    npus:\n      - {npu: 1, removed: true}\n      - {npu: 5, removed: true}\n"
                                 "workload:\n  groups:\n    - {name: rows, dimensions: [0]}\n  steps:\n    - {collective: all_gather, size: 2 MB, group: rows}\n";
        // The only group of two: each sends its half, 1 MB in 20 us and 500 ns, over its one link. Groups of one do nothing.
        QCOMPARE(run(read(text)).finish.ps, std::int64_t{20'500'000});
    }

    void theFileSaysRemovedAndIsReadBack()
    {
        const std::string overrides = "  overrides:\n    links:\n      - {link: \"d0 3>0\", removed: true, bandwidth: 25 GB/s}\n      - {link: \"d0 0>3\", removed: false, latency: 1 us}\n"
                                      "    npus:\n      - {npu: 2, speed: 0.5}\n";
        const std::string workload = "workload: {collective: all_reduce, size: 4 MB}\n";
        const Design design = read(ringDesign(overrides, workload));
        QVERIFY(design.platform->linkOverrides[0].removed && !design.platform->linkOverrides[1].removed && !design.platform->npuOverrides[0].removed);
        const Design again = read(writeDesign(design));
        QVERIFY(*again.platform == *design.platform);

        const Design npu = read(ringDesign("  overrides:\n    npus:\n      - {npu: 1, removed: true}\n", workload));
        QVERIFY(npu.platform->npuOverrides[0].removed);
        QVERIFY(*read(writeDesign(npu)).platform == *npu.platform);

        QVERIFY(!readDesignText(ringDesign("  overrides:\n    npus:\n      - {npu: 1, removed: 3}\n", workload), "d.yaml"));
        QVERIFY(!readDesignText(ringDesign("  overrides:\n    links:\n      - {link: \"d0 3>0\", removed: gone}\n", workload), "d.yaml"));
    }

    void removalChangesTheHash()
    {
        const std::string workload = "workload: {collective: all_reduce, size: 4 MB}\n";
        const auto hash = [&](const std::string& overrides) { return designHash(read(ringDesign(overrides, workload))).hex(); };
        const std::string link = "  overrides:\n    links:\n      - {link: \"d0 3>0\", latency: 1 us";
        const std::string npu = "  overrides:\n    npus:\n      - {npu: 1, speed: 0.5";
        QVERIFY(hash(link + "}\n") != hash(link + ", removed: true}\n"));
        QCOMPARE(hash(link + ", removed: false}\n"), hash(link + "}\n"));
        QVERIFY(hash(npu + "}\n") != hash(npu + ", removed: true}\n"));
    }

    void impossibleRemovalsAreReportedAtTheirLine()
    {
        const std::string text = ringDesign("  overrides:\n    links:\n      - {link: \"d0 3>0\", removed: true}\n      - {link: \"d0 3>2\", removed: true}\n",
                                            "workload: {collective: all_reduce, size: 4 MB}\n");
        const Diagnostics found = validate(inspectDesignText(text, "d.yaml").design);
        QCOMPARE(found.size(), std::size_t{1});
        QVERIFY(found[0].severity == Severity::Error);
        QCOMPARE(found[0].message, std::string("NPU 3 has no way to NPU 0 in dimension 0 once d0 3>0 is removed"));
        QCOMPARE(found[0].place.line, 7); // of the first override
    }

    void theOtherModelsSayThatTheyKnowNoRemovals()
    {
        for (const char* model : {"astra-aware", "astra-unaware"}) {
            const auto loaded = readDesignText(ringDesign(kBroken, "workload: {collective: all_reduce, size: 4 MB}\n", std::string("model: {name: ") + model + "}\n"), "d.yaml");
            QVERIFY(loaded);
            QCOMPARE(refusedRun(loaded.value().design), std::string("astra-* models have no removed links or NPUs"));
        }
    }

    void theSymmetryEngineRefusesRemovals()
    {
        const auto scenario = prepare(read(ringDesign(kBroken, "workload: {collective: all_reduce, size: 4 MB}\n")));
        RunOptions options;
        options.engine = EngineChoice::Symmetry;
        const auto record = simulate(*scenario.value(), options, {});
        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::Unsupported);
        QVERIFY(record.error().text().find("d0 3>0 is removed") != std::string::npos);
    }

    void theEngineAgreesWithTheOracleOnDetours()
    {
        std::mt19937 random(seeded(11));
        int compared = 0;
        int detours = 0;
        for (std::uint64_t seed = 1; seed <= cases<std::uint64_t>(700) && compared < cases(300); ++seed) {
            RandomLimits limits;
            limits.maxNpus = 12;
            limits.ties = seed % 2 == 0;
            limits.explicitGraph = seed % 5 == 0;
            auto built = build(randomCase(40'000'000 + seed, limits));
            QVERIFY(built);
            Scenario scenario = std::move(built).value();
            const Platform whole = scenario.structure->platform;
            const Placement placement = scenario.structure->placement;
            PlatformSpec spec = whole.spec();
            std::vector<bool> busy(static_cast<std::size_t>(whole.npuCount()), false);
            for (std::int32_t rank = 0; rank < placement.rankCount(); ++rank)
                busy[at(placement.nodeOf(rank))] = true;
            for (NodeId node = 0; node < whole.npuCount(); ++node) {
                const bool known = std::any_of(spec.npuOverrides.begin(), spec.npuOverrides.end(), [&](const NpuOverride& change) { return change.node == node; });
                if (!busy[at(node)] && !known && random() % 2 == 0)
                    spec.npuOverrides.push_back({node, {}, {}, {}, true});
            }
            for (int i = 0; i < 3 && whole.linkCount() > 0; ++i) {
                const auto link = static_cast<LinkId>(random() % static_cast<std::uint64_t>(whole.linkCount()));
                const auto known = std::find_if(spec.linkOverrides.begin(), spec.linkOverrides.end(), [&](const LinkOverride& change) { return change.link == link; });
                if (known != spec.linkOverrides.end())
                    known->removed = true;
                else
                    spec.linkOverrides.push_back({link, {}, {}, true});
                auto platform = Platform::create(spec);
                if (!platform) // one link less, then
                    break;
                auto structure = std::make_shared<Structure>(*scenario.structure);
                structure->platform = std::move(platform).value();
                scenario.structure = std::move(structure);
            }
            const Platform& platform = scenario.structure->platform;
            if (!platform.hasRemovals())
                continue;
            ++compared;
            for (std::int32_t a = 0; a < placement.rankCount(); ++a) {
                std::vector<LinkId> before;
                std::vector<LinkId> after;
                whole.route(placement.nodeOf(a), placement.nodeOf((a + 1) % placement.rankCount()), before);
                platform.route(placement.nodeOf(a), placement.nodeOf((a + 1) % placement.rankCount()), after);
                detours += before != after ? 1 : 0;
            }
            const OracleResult oracle = bruteForce(scenario);
            RunOptions options;
            options.messageDigest = true;
            const auto record = simulateEvents(scenario, options, {});
            QVERIFY2(record, std::to_string(seed).c_str());
            QCOMPARE(record.value().complete, oracle.complete);
            QCOMPARE(record.value().messages.count(), oracle.digest.count());
            QVERIFY2(record.value().messages.value() == oracle.digest.value(), std::to_string(seed).c_str());
            if (oracle.complete)
                QCOMPARE(record.value().finish.ps, oracle.finishPs);
        }
        qInfo("%d cases, %d neighbour routes changed", compared, detours);
        QVERIFY(compared >= cases(200));
        QVERIFY(detours >= cases(100));
    }
};

FABRICSCOPE_TEST(RemovedTest)
#include "tst_removed.moc"
