// Switches that pass on no more than so many bytes per second over all their ports: times by hand, what no run may break, and who follows them.
#include "core/base/index.h"
#include "core/bounds/bounds.h"
#include "core/design/design.h"
#include "core/platform/topologytext.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/draw.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kNano = 1000;      ///< ps
constexpr std::int64_t kMebi = 1 << 20;
constexpr std::int64_t kGiga = 1'000'000'000;

/// A graph of `npus` NPUs, then of switches, each with its limit in GB/s or none.
struct Made {
    Made(int npus, const std::vector<std::optional<double>>& switches)
    {
        for (int i = 0; i < npus; ++i)
            spec.nodes.push_back({"n" + std::to_string(i), NodeKind::Npu});
        for (std::size_t i = 0; i < switches.size(); ++i) {
            ExplicitNode node{"s" + std::to_string(i), NodeKind::Switch};
            if (switches[i])
                node.crossbar = Quantity{*switches[i], "GB/s", Measure::Bandwidth};
            spec.nodes.push_back(node);
        }
    }
    void cable(NodeId a, NodeId b, double gigabytes, double ns)
    {
        const Quantity rate{gigabytes, "GB/s", Measure::Bandwidth};
        const Quantity latency{ns, "ns", Measure::Time};
        spec.links.push_back({a, b, rate, latency});
        spec.links.push_back({b, a, rate, latency});
    }

    PlatformSpec spec;
};

/// Every NPU below one switch.
PlatformSpec star(int npus, std::optional<double> crossbar, double gigabytes, double ns)
{
    Made made(npus, {crossbar});
    for (NodeId npu = 0; npu < npus; ++npu)
        made.cable(npu, npus, gigabytes, ns);
    return made.spec;
}

/// The same as a dimension, and more of them.
PlatformSpec switches(const std::vector<std::pair<int, std::optional<double>>>& sizes, double gigabytes, double ns)
{
    PlatformSpec spec;
    for (const auto& [size, crossbar] : sizes) {
        Dimension dimension{Shape::Switch, size, {gigabytes, "GB/s", Measure::Bandwidth}, false, {ns, "ns", Measure::Time}};
        if (crossbar)
            dimension.crossbar = Quantity{*crossbar, "GB/s", Measure::Bandwidth};
        spec.dimensions.push_back(dimension);
    }
    return spec;
}

/// Leaves of two NPUs below one spine, links of 4 GB/s and 100 ns.
PlatformSpec leavesAndSpine(int leaves, std::optional<double> leaf, std::optional<double> spine)
{
    std::vector<std::optional<double>> limits(static_cast<std::size_t>(leaves), leaf);
    limits.push_back(spine);
    Made made(2 * leaves, limits);
    for (NodeId npu = 0; npu < 2 * leaves; ++npu)
        made.cable(npu, 2 * leaves + npu / 2, 4, 100);
    for (NodeId i = 0; i < leaves; ++i)
        made.cable(2 * leaves + i, 3 * leaves, 4, 100);
    return made.spec;
}

struct Transfer {
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::int64_t bytes = 0;
};

/// When each transfer, all of them begun at 0, is there, ps.
std::vector<std::int64_t> ends(const PlatformSpec& spec, const std::vector<Transfer>& transfers, Model model = Model::Links)
{
    LinksScenario scenario(spec);
    scenario.model = model;
    for (std::uint32_t i = 0; i < transfers.size(); ++i) {
        scenario.send(transfers[i].from, transfers[i].to, transfers[i].bytes, i);
        scenario.receive(transfers[i].to, transfers[i].from, transfers[i].bytes, i);
    }
    std::vector<std::int64_t> done;
    const LinksRun run = runLinks(scenario.build());
    for (const Transfer& transfer : transfers) {
        for (const MessageRecord& message : run.messages) {
            if (message.source == transfer.from && message.target == transfer.to)
                done.push_back(message.donePs);
        }
    }
    return done;
}

using Times = std::vector<std::int64_t>;

/// Four NPUs below a switch of which `crossbar` says more, and what is done on them.
std::string starDesign(const std::string& crossbar, const std::string& rest)
{
    std::string text = "fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: c}, {name: d}, {name: s, kind: switch" + crossbar + "}]\n  links:\n";
    for (const char* const npu : {"a", "b", "c", "d"})
        text += std::string("    - {between: [") + npu + ", s], bandwidth: 50 GB/s, latency: 500 ns}\n";
    return text + rest;
}

const std::string kAllReduce = "workload: {collective: all_reduce, size: 1 MiB}\n";

ScenarioPtr prepared(const std::string& text)
{
    auto loaded = readDesignText(text, "test.yaml");
    if (!loaded)
        qFatal("%s\n%s", loaded.error().text().c_str(), text.c_str());
    auto scenario = prepare(loaded.value().design);
    if (!scenario)
        qFatal("%s\n%s", scenario.error().text().c_str(), text.c_str());
    return scenario.value();
}

Result<RunRecord> run(const std::string& text, EngineChoice engine = EngineChoice::Auto)
{
    RunOptions options;
    options.engine = engine;
    options.messageDigest = true;
    return simulate(*prepared(text), options);
}

bool warns(const Diagnostics& diagnostics, const std::string& rule, const std::string& part)
{
    return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& entry) { return entry.rule == rule && entry.message.find(part) != std::string::npos; });
}

std::string refusal(const std::string& text)
{
    const auto loaded = readDesignText(text, "d.yaml");
    if (!loaded)
        return loaded.error().text();
    const auto scenario = prepare(loaded.value().design);
    return scenario ? std::string() : scenario.error().text();
}

} // namespace

class CrossbarTest : public QObject {
    Q_OBJECT

private slots:
    /// Four NPUs, links of 4 B/ns and 100 ns, a crossbar of 1 B/ns; two sends of 1000 B at once. Both heads are at the switch at 100 ns; its work ends at
    /// 1100 ns for the first and at 2100 ns for the second, 100 ns before they are there. Of max-min fair rates each has half: 2000 ns and both latencies.
    void twoFlowsShareTheCrossbarOfOneSwitch()
    {
        const std::vector<Transfer> sends{{0, 2, 1000}, {1, 3, 1000}};
        QCOMPARE(ends(star(4, 1, 4, 100), sends), (Times{1200 * kNano, 2200 * kNano}));
        QCOMPARE(ends(star(4, {}, 4, 100), sends), (Times{450 * kNano, 450 * kNano}));
        QCOMPARE(ends(star(4, 1, 4, 100), sends, Model::Ideal), (Times{450 * kNano, 450 * kNano}));
        QCOMPARE(ends(star(4, 1, 4, 100), sends, Model::Flow), (Times{2200 * kNano, 2200 * kNano}));
    }

    /// One end of a pair has a link of 0.2 B/ns: under `flow` the other has what it leaves of 1 B/ns, 0.8 B/ns.
    void whatASlowFlowLeavesOfTheCrossbarTheOtherHas()
    {
        Made made(4, {1.0});
        for (NodeId npu = 0; npu < 4; ++npu)
            made.cable(npu, 4, npu == 2 ? 0.2 : 4, 100);
        QCOMPARE(ends(made.spec, {{0, 2, 1000}, {1, 3, 1000}}, Model::Flow), (Times{5200 * kNano, 1450 * kNano}));
    }

    /// A message alone takes its latencies and x / min(B, C), in however many pieces: manual: models 3.5, with the crossbar among the rates.
    void aMessageAloneTakesTheSlowestOfItsRates()
    {
        for (const std::uint64_t seed : Seeds(100, 60)) {
            Draw draw(seed);
            const std::int64_t link = draw.from(10, 100);
            const std::int64_t crossbar = draw.oneIn(2) ? draw.from(1, link) : draw.from(2 * link, 5 * link);
            const std::int64_t bytes = draw.from(1, 3 * kMebi);
            const std::int64_t slowest = std::min(link, crossbar) * kGiga;
            const std::int64_t expected = 2 * 700 * kNano + mulDivCeil(bytes, kPsPerSecond, slowest);
            const PlatformSpec spec = star(2, static_cast<double>(crossbar), static_cast<double>(link), 700);
            QCOMPARE(ends(spec, {{0, 1, bytes}}), Times{expected});
            QCOMPARE(ends(spec, {{0, 1, bytes}}, Model::Flow), Times{expected});
        }
    }

    /// Four NPUs of 50 GB/s, each sends 1 MiB to the next, in four pieces of 256 KiB: 5242.88 ns each on a link, 2621.44 ns in a crossbar of half of all
    /// ports. Its work never rests from 500 ns on, so the last four pieces, one of each message, are through after 13 to 16 of them. Without: 2L + x/B.
    void fourFlowsAcrossHalfOfThePortsTakeTwiceAsLong()
    {
        const std::vector<Transfer> shift{{0, 1, kMebi}, {1, 2, kMebi}, {2, 3, kMebi}, {3, 0, kMebi}};
        Times done = ends(star(4, 100, 50, 500), shift);
        std::sort(done.begin(), done.end());
        Times expected;
        for (std::int64_t pieces = 13; pieces <= 16; ++pieces)
            expected.push_back(1000 * kNano + pieces * 2'621'440);
        QCOMPARE(done, expected);
        QCOMPARE(ends(star(4, 200, 50, 500), shift), Times(4, 1000 * kNano + 20'971'520)); // All ports together: no limit.
        QCOMPARE(ends(star(4, {}, 50, 500), shift), Times(4, 1000 * kNano + 20'971'520));
        QCOMPARE(ends(star(4, 100, 50, 500), shift, Model::Flow), Times(4, 1000 * kNano + 41'943'040));
    }

    /// 1000 B from each NPU of the first leaf to one of the second; links of 4 B/ns and 100 ns, heads at leaf, spine and leaf at 100, 200 and 300 ns. A spine of
    /// 1 B/ns is done with them at 1200 and 2200 ns, and two more links follow. Then also leaves of 0.5 B/ns: the first is done at 2100 and 4100 ns, what comes
    /// behind it sooner, and three more links follow.
    void leafAndSpine()
    {
        const std::vector<Transfer> sends{{0, 2, 1000}, {1, 3, 1000}};
        QCOMPARE(ends(leavesAndSpine(2, {}, 1), sends), (Times{1400 * kNano, 2400 * kNano}));
        QCOMPARE(ends(leavesAndSpine(2, 0.5, 1), sends), (Times{2000 * kNano + 400 * kNano, 4000 * kNano + 400 * kNano}));
        QCOMPARE(ends(leavesAndSpine(2, {}, 1), sends, Model::Flow), Times(2, 2400 * kNano));
        QCOMPARE(ends(leavesAndSpine(2, 0.5, 1), sends, Model::Flow), Times(2, 4400 * kNano));
        // Below one leaf nothing passes the spine.
        QCOMPARE(ends(leavesAndSpine(2, {}, 1), {{0, 1, 1000}}), Times{450 * kNano});
    }

    /// The four flows from above on a dimension of switches: ports in the order of the NPUs, so the message of NPU i is through after 13 + i pieces.
    void aDimensionOfSwitchesHasOneCrossbarForEachLine()
    {
        const std::vector<Transfer> shift{{0, 1, kMebi}, {1, 2, kMebi}, {2, 3, kMebi}, {3, 0, kMebi}};
        Times expected;
        for (std::int64_t pieces = 13; pieces <= 16; ++pieces)
            expected.push_back(1000 * kNano + pieces * 2'621'440);
        QCOMPARE(ends(switches({{4, 100}}, 50, 500), shift), expected);
        QCOMPARE(ends(switches({{4, 200}}, 50, 500), shift), Times(4, 1000 * kNano + 20'971'520));
        QCOMPARE(ends(switches({{4, 100}}, 50, 500), shift, Model::Ideal), Times(4, 1000 * kNano + 20'971'520));
        QCOMPARE(ends(switches({{4, 100}}, 50, 500), shift, Model::Flow), Times(4, 1000 * kNano + 41'943'040));
        // Two lines of two in each of two dimensions, links of 4 B/ns and 100 ns, limits of 1 B/ns in the second: NPUs 0 and 2 are below one switch of it, 1 and 3 below another.
        const std::vector<Transfer> across{{0, 2, 1000}, {2, 0, 1000}, {1, 3, 1000}};
        QCOMPARE(ends(switches({{2, {}}, {2, 1}}, 4, 100), across), (Times{1200 * kNano, 2200 * kNano, 1200 * kNano}));
        QCOMPARE(ends(switches({{2, 1}, {2, {}}}, 4, 100), across), Times(3, 450 * kNano));
    }

    /// One switch as a dimension, as nodes and links and as a line; every NPU sends to another, so that no two meet at a port but in the crossbar.
    void aDimensionIsAsItsGraph()
    {
        int bound = 0;
        for (const std::uint64_t seed : Seeds(8000, 40)) {
            Draw draw(seed);
            const int npus = 2 + draw.below(7);
            const auto link = static_cast<double>(draw.from(10, 60));
            const double crossbar = link * static_cast<double>(draw.from(1, 4 * npus)) / 4;
            const auto latency = static_cast<double>(draw.from(1, 900));
            const int turn = 1 + draw.below(npus - 1);
            std::vector<Transfer> sends;
            for (int npu = 0; npu < npus; ++npu)
                sends.push_back({npu, (npu + turn) % npus, draw.from(1, 2 * kMebi)});
            for (const Model model : {Model::Links, Model::Flow})
                QCOMPARE(ends(switches({{npus, crossbar}}, link, latency), sends, model), ends(star(npus, crossbar, link, latency), sends, model));
            bound += ends(switches({{npus, crossbar}}, link, latency), sends) != ends(switches({{npus, {}}}, link, latency), sends) ? 1 : 0;
        }
        QVERIFY(bound >= cases(20));
        const auto finish = [](const std::string& platform) { return run("fabricscope: 1\nplatform: " + platform + '\n' + kAllReduce).value().finish; };
        const std::string rates = "bandwidth: 50 GB/s, latency: 500 ns";
        const SimTime graph = run(starDesign(", crossbar: 60 GB/s", kAllReduce)).value().finish;
        QCOMPARE(finish("{dimensions: [{shape: switch, size: 4, " + rates + ", crossbar: 60 GB/s}]}"), graph);
        QCOMPARE(finish("{topology: \"Switch(4, 50 GB/s, 500 ns, crossbar 60 GB/s)\"}"), graph);
    }

    /// Only events follow it; the result names the dimension; a design that says it of a ring, or under a model that does not look, hears so with the place.
    void aDimensionSaysWhatItsGraphSays()
    {
        const auto design = [](const std::string& shape, const std::string& rest) {
            return "fabricscope: 1\nplatform:\n  dimensions: [{shape: " + shape + ", size: 4, bandwidth: 50 GB/s, latency: 500 ns, crossbar: 60 GB/s}]\n" + kAllReduce + rest;
        };
        const Result<RunRecord> record = run(design("switch", ""));
        QCOMPARE(record.value().engines.front().engine, std::string("events"));
        QVERIFY(warns(record.value().diagnostics, "crossbar-bound", "the crossbar of a switch of dimension 0 (60 GB/s) held back "));
        QVERIFY(run(design("switch", ""), EngineChoice::Symmetry).error().text().find("crossbars of switches") != std::string::npos);
        QVERIFY2(refusal(design("ring", "")).find("platform.dimensions[0].crossbar") != std::string::npos, refusal(design("ring", "")).c_str());
        for (const std::string model : {"ideal", "astra-unaware", "astra-aware"}) {
            const auto loaded = readDesignText(design("switch", "model: {name: " + model + "}\n"), "test.yaml");
            QVERIFY2(loaded && warns(validate(loaded.value().design), "unused-setting", "platform.dimensions[0].crossbar is not used: "), model.c_str());
        }
        for (const auto& [text, part] : {std::pair{"Ring(4, 50 GB/s, 500 ns, crossbar 1 TB/s)", "a Ring has no switches"}, {"Switch(4, 50 GB/s, 500 ns, crossbar)", "no rate follows"},
                                         {"Switch(4, 50 GB/s, 500 ns, crossbar 1 TB/s, crossbar 2 TB/s)", "two crossbars"}, {"Switch(4, 50 GB/s, 500 ns, crossbar 0 GB/s)", "no rate follows"}}) {
            const Result<PlatformSpec> refused = parseTopologyText(text, {}, {});
            QVERIFY2(!refused && refused.error().text().find(part) != std::string::npos, text);
        }
        QVERIFY(parseTopologyText("Ring(2)_Switch(4, crossbar 1 TB/s)", "50,25", "500,700").value().dimensions[1].crossbar.has_value());
        // As a host its switch keeps it, as groups of unequal size theirs.
        QCOMPARE(Platform::create(parseTopologyText("Switch(2, 450 GB/s, 1 us, crossbar 1 TB/s) x2 / rails 8p x2 / spine", {}, {}).value()).value().spec().nodes.crossbars().size(), std::size_t{4});
        QCOMPARE(parseTopologyText("Switch(2,3, 450 GB/s, 1 us, crossbar 1 TB/s)_Switch(2, 50 GB/s, 1 us)", {}, {}).value().nodes.crossbars().size(), std::size_t{2});
    }

    /// What is ready no earlier than one instant and there no later than another passed the crossbar between them: never more than its rate allows.
    void noWindowPassesMoreThanTheRate()
    {
        for (const std::uint64_t seed : Seeds(2000, 60)) {
            Draw draw(seed);
            const int npus = 2 + draw.below(5);
            const std::int64_t crossbar = draw.from(1, 60);
            LinksScenario scenario(star(npus, static_cast<double>(crossbar), static_cast<double>(draw.from(10, 50)), static_cast<double>(draw.from(0, 900))));
            scenario.model = draw.oneIn(3) ? Model::Flow : Model::Links;
            for (std::uint32_t i = 0; i < 30; ++i) {
                const int from = draw.below(npus);
                const int to = (from + 1 + draw.below(npus - 1)) % npus;
                const std::int64_t bytes = draw.from(1, draw.oneIn(3) ? kMebi : 20'000);
                const TaskIndex before = scenario.compute(from, draw.from(0, 200) * 100 * kNano);
                scenario.send(from, to, bytes, i, {before});
                scenario.receive(to, from, bytes, i);
            }
            const LinksRun made = runLinks(scenario.build());
            QCOMPARE(made.messages.size(), std::size_t{30});
            for (const MessageRecord& first : made.messages) {
                for (const MessageRecord& last : made.messages) {
                    std::int64_t bytes = 0;
                    for (const MessageRecord& message : made.messages)
                        bytes += message.readyPs >= first.readyPs && message.donePs <= last.donePs ? message.bytes : 0;
                    // B <= C t: bytes, at most 30 MiB, times 1000 ps/ns stay far below 2^63.
                    QVERIFY(bytes == 0 || bytes * 1000 <= crossbar * (last.donePs - first.readyPs));
                }
            }
        }
    }

    /// In any window of the time of a piece no more pieces come to a switch than two of every port.
    void oneAsFastAsAllPortsIsNone()
    {
        for (const std::uint64_t seed : Seeds(3000, 40)) {
            Draw draw(seed);
            const int npus = 3 + draw.below(4);
            std::vector<Transfer> sends;
            std::set<std::pair<int, int>> pairs;
            for (int i = 0; i < 8; ++i) {
                const int from = draw.below(npus);
                const int to = (from + 1 + draw.below(npus - 1)) % npus;
                if (pairs.emplace(from, to).second)
                    sends.push_back({from, to, draw.from(1, 2) * 256 * 1024});
            }
            QCOMPARE(ends(star(npus, 2 * 40.0 * npus, 40, 300), sends), ends(star(npus, {}, 40, 300), sends));
        }
    }

    /// Every engine but that of events is refused or passed over, and says why; without the key all is as it was.
    void onlyTheEventEngineFollowsCrossbars()
    {
        const std::string limited = starDesign(", crossbar: 60 GB/s", kAllReduce);
        const Result<RunRecord> automatic = run(limited);
        const Result<RunRecord> events = run(limited, EngineChoice::Events);
        QVERIFY(automatic && events);
        QVERIFY(automatic.value().fingerprint == events.value().fingerprint && automatic.value().messages.value() == events.value().messages.value());
        QCOMPARE(automatic.value().engines.size(), std::size_t{1});
        QCOMPARE(automatic.value().engines[0].engine, std::string("events"));
        for (const EngineChoice engine : {EngineChoice::Symmetry, EngineChoice::Sweep, EngineChoice::Memo}) {
            const Result<RunRecord> refused = run(limited, engine);
            QVERIFY(!refused);
            QVERIFY2(refused.error().text().find("crossbars of switches") != std::string::npos, refused.error().text().c_str());
        }
        const Result<RunRecord> plain = run(starDesign("", kAllReduce));
        QVERIFY(plain && plain.value().finish < events.value().finish);
    }

    /// A direct all-to-all of as many messages as `direct` takes (70 x 69), one link slower than the others so that no NPU stands for all.
    void anAllToAllOfManyIsNotAnsweredAsAWhole()
    {
        constexpr int kNpus = 70;
        const auto engineOf = [](std::optional<double> crossbar) {
            Made made(kNpus, {crossbar});
            for (NodeId npu = 0; npu < kNpus; ++npu)
                made.cable(npu, kNpus, npu == 0 ? 25 : 50, 500);
            LinksScenario scenario(made.spec);
            for (int rank = 0; rank < kNpus; ++rank)
                scenario.collective(rank, 0, kNpus * 7000, templateProgram(CollectiveOp::AllToAll, {kNpus}, {Algorithm::Direct}), {kNpus});
            return simulate(scenario.build(), {}).value().engines.front().engine;
        };
        QCOMPARE(engineOf({}), std::string("direct"));
        QCOMPARE(engineOf(100), std::string("events"));
    }

    /// The result names the crossbar where it held anything back, and only there.
    void theResultNamesTheCrossbarThatBinds()
    {
        const Result<RunRecord> bound = run(starDesign(", crossbar: 60 GB/s", kAllReduce));
        QVERIFY(bound && warns(bound.value().diagnostics, "crossbar-bound", "the crossbar of \"s\" (60 GB/s) held back "));
        const Result<RunRecord> wide = run(starDesign(", crossbar: 900 GB/s", kAllReduce));
        QVERIFY(wide && !warns(wide.value().diagnostics, "crossbar-bound", ""));
    }

    /// `ideal` and the models of ASTRA-sim do not look at it. The former says so with the place, and keeps its other engines.
    void idealSaysThatItDoesNotLook()
    {
        const std::string limited = starDesign(", crossbar: 1 GB/s", kAllReduce + "model: {name: ideal}\n");
        const auto loaded = readDesignText(limited, "test.yaml");
        QVERIFY(loaded && warns(validate(loaded.value().design), "unused-setting", "platform.nodes[4].crossbar is not used: under ideal nothing is ever occupied"));
        const Result<RunRecord> with = run(limited);
        const Result<RunRecord> without = run(starDesign("", kAllReduce + "model: {name: ideal}\n"));
        QVERIFY(with && without && with.value().fingerprint == without.value().fingerprint);
    }

    void whatCannotBeIsRefusedWithItsPlace()
    {
        for (const auto& [crossbar, part] : {std::pair{"0 GB/s", "0 GB/s cannot be meant"}, {"-3 GB/s", "-3 GB/s"}, {"10 B/s", "10 B/s cannot be meant"}, {"5 ns", "5 ns"}}) {
            const std::string said = refusal(starDesign(std::string(", crossbar: ") + crossbar, kAllReduce));
            QVERIFY2(said.find(part) != std::string::npos && said.find("platform.nodes[4].crossbar") != std::string::npos && said.starts_with("d.yaml:3"), said.c_str());
        }
        std::string onNpu = starDesign("", kAllReduce);
        onNpu.replace(onNpu.find("{name: b}"), 9, "{name: b, crossbar: 1 GB/s}");
        const std::string said = refusal(onNpu);
        QVERIFY2(said.find("only switches have a crossbar") != std::string::npos && said.find("platform.nodes[1].crossbar") != std::string::npos, said.c_str());
        QCOMPARE(Platform::create(star(2, 0.0, 1, 1)).error().place.field, std::string("platform.nodes[2].crossbar"));
        PlatformSpec spec = star(2, {}, 1, 1);
        std::vector<ExplicitNode> nodes(spec.nodes.begin(), spec.nodes.end());
        nodes[0].crossbar = Quantity{1, "GB/s", Measure::Bandwidth};
        spec.nodes = NodeList(nodes);
        QCOMPARE(Platform::create(spec).error().place.field, std::string("platform.nodes[0].crossbar"));
    }

    /// It is written as it was read; designs that differ in it have different hashes; `--set` gives one to a switch of a generated fabric.
    void designsKeepIt()
    {
        const Design limited = readDesignText(starDesign(", crossbar: 51.2 Tbit/s", kAllReduce), "d.yaml").value().design;
        const std::string written = writeDesign(limited);
        QVERIFY2(written.find("crossbar: 51.2 Tbit/s") != std::string::npos, written.c_str());
        const Design again = readDesignText(written, "d.yaml").value().design;
        QVERIFY(again.platform->nodes == limited.platform->nodes);
        const Design plain = readDesignText(starDesign("", kAllReduce), "d.yaml").value().design;
        QVERIFY(!(plain.platform->nodes == limited.platform->nodes) && !(designHash(plain) == designHash(limited)));

        const std::string generated = "fabricscope: 1\nplatform: {topology: \"npu / leaf_spine 2,2,1,2 400G 1us\"}\n" + kAllReduce;
        const auto set = readDesignText(generated, "d.yaml", {{"platform.nodes.6.crossbar", "3 Tbit/s"}});
        QVERIFY2(set, set ? "" : set.error().text().c_str());
        const NodeList& nodes = set.value().design.platform->nodes;
        QVERIFY(nodes.kind(6) == NodeKind::Switch && nodes.crossbars().size() == 1 && nodes.crossbars().contains(6));
    }

    /// One switch whose line says it is the star that says it node by node; so is a network of two tiers in which each tier has its own.
    void linesAndLevelsSayItForEverySwitch()
    {
        const auto generated = [](const std::string& platform) { return "fabricscope: 1\nplatform: " + platform + '\n' + kAllReduce; };
        const Result<RunRecord> star = run(starDesign(", crossbar: 60 GB/s", kAllReduce));
        const Result<RunRecord> line = run(generated("{topology: \"npu / switch 4 50GB/s 500ns crossbar 60GB/s\"}"));
        QVERIFY(star && line);
        QVERIFY(star.value().messages.value() == line.value().messages.value() && star.value().fingerprint == line.value().fingerprint);
        QVERIFY(!(run(starDesign("", kAllReduce)).value().fingerprint == line.value().fingerprint));

        const std::string levels = "{fabric: {of: npu, levels: [{join: switch, name: leaf, count: 4, bandwidth: 50 GB/s, latency: 1 us%1}, {join: clos, count: 2, switches: 2%2}]}}";
        const auto said = [&](const char* leaf, const char* spine) { return QString::fromStdString(levels).arg(QLatin1String(leaf), QLatin1String(spine)).toStdString(); };
        const Result<RunRecord> tiers = run(generated(said(", crossbar: 70 GB/s", ", crossbar: 30 GB/s")));
        const std::vector<FieldOverride> each{{"platform.nodes.8.crossbar", "70 GB/s"}, {"platform.nodes.9.crossbar", "70 GB/s"}, {"platform.nodes.10.crossbar", "30 GB/s"}, {"platform.nodes.11.crossbar", "30 GB/s"}};
        const auto set = readDesignText(generated("{topology: \"npu x4 / leaf 50GB/s 1us x2 / spine switches 2\"}"), "d.yaml", each);
        QVERIFY2(set && tiers, set ? "" : set.error().text().c_str());
        RunOptions options;
        options.messageDigest = true;
        const auto single = simulate(*prepare(set.value().design).value(), options);
        QVERIFY(single && single.value().messages.value() == tiers.value().messages.value() && single.value().fingerprint == tiers.value().fingerprint);

        const Design design = readDesignText(generated(said(", crossbar: 70 GB/s", "")), "d.yaml").value().design;
        const Design again = readDesignText(writeDesign(design), "d.yaml").value().design;
        QVERIFY(again.platform->nodes == design.platform->nodes && designHash(again) == designHash(design));
        QCOMPARE(design.platform->nodes.crossbars().size(), std::size_t{4});
        QVERIFY(!(designHash(design) == designHash(readDesignText(generated(said("", "")), "d.yaml").value().design)));
    }

    /// In a blueprint of a generated fabric it limits every copy: 1 MiB inside of a host takes two links of 500 ns and 1 MiB / 10 GB/s = 104857.6 ns, in four pieces as in one.
    void aBlueprintKeepsItInsideOfAFabric()
    {
        const std::string text = "fabricscope: 1\nplatform:\n  blueprints:\n    - name: box\n      nodes: [{name: a}, {name: b}, {name: s, kind: switch, crossbar: 10 GB/s}]\n"
                                 "      links: [{between: [a, s], bandwidth: 50 GB/s, latency: 500 ns}, {between: [b, s], bandwidth: 50 GB/s, latency: 500 ns}]\n"
                                 "  fabric: {of: box, levels: [{join: rails, count: 2, bandwidth: 50 GB/s, latency: 9 us}]}\n"
                                 "workload:\n  steps:\n    - {send: 1 MiB, to: 3, tag: 1, ranks: \"2\"}\n    - {receive: 1 MiB, from: 2, tag: 1, ranks: \"3\"}\n";
        const Result<RunRecord> record = run(text);
        QVERIFY2(record, record ? "" : record.error().text().c_str());
        QCOMPARE(record.value().finish.ps, std::int64_t{105'857'600});
        QVERIFY(warns(record.value().diagnostics, "crossbar-bound", "the crossbar of \"host1.switch0\" (10 GB/s) held back "));
    }

    /// What a switch sums and copies itself has rates of its own and does not count.
    void whatTheSwitchReducesDoesNotCount()
    {
        const auto design = [](const std::string& more) {
            return starDesign(", in_network: {reduction: 40 GB/s}" + more, kAllReduce + "collectives: {default: {algorithm: in_network}}\n");
        };
        const Result<RunRecord> with = run(design(", crossbar: 1 GB/s"));
        const Result<RunRecord> without = run(design(""));
        QVERIFY(with && without && with.value().fingerprint == without.value().fingerprint);
    }

    /// Pieces that choose by queues pass as others do. Two leaves of 0.5 B/ns, two spines, links of 1 B/ns and 100 ns: the heads of a and b, sent at 0 and at 200 ns,
    /// are at the leaf at 100 and 300 ns, where the work for them ends at 2100 and 4100 ns; three more links. The second leaf begins at 300 ns and is done when their
    /// tails come to it.
    void piecesThatChooseByQueuesPassToo()
    {
        const std::string nodes = "fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: c}, {name: d}, {name: l, kind: switch, crossbar: 0.5 GB/s}, {name: m, kind: switch, crossbar: 0.5 GB/s},"
                                  " {name: s, kind: switch}, {name: t, kind: switch}]\n  links:\n";
        std::string links;
        for (const char* const ends : {"a, l", "b, l", "c, m", "d, m", "l, s", "l, t", "m, s", "m, t"})
            links += std::string("    - {between: [") + ends + "], bandwidth: 1 GB/s, latency: 100 ns}\n";
        const std::string work = "workload:\n  steps:\n    - {send: 1000 B, to: 2, tag: 1, ranks: \"0\"}\n    - {compute: 200 ns, ranks: \"1\"}\n    - {send: 1000 B, to: 3, tag: 2, ranks: \"1\"}\n"
                                 "    - {receive: 1000 B, from: 0, tag: 1, ranks: \"2\"}\n    - {receive: 1000 B, from: 1, tag: 2, ranks: \"3\"}\n";
        for (const char* const policy : {"least_queued", "adaptive", "shortest"}) {
            const Result<RunRecord> record = run(nodes + links + work + "network: {routing: {policy: " + policy + "}}\n");
            QVERIFY2(record, record ? "" : record.error().text().c_str());
            QCOMPARE(record.value().finish.ps, 4400 * kNano);
        }
    }

    /// Four members, three shards of 1 MiB into each: a crossbar of half a link bounds them, one above the links does not. A run takes no less.
    void lowerBoundsKnowTheCrossbar()
    {
        const auto bandwidthPs = [](std::optional<double> crossbar, bool asDimension) {
            const Platform platform = Platform::create(asDimension ? switches({{4, crossbar}}, 50, 500) : star(4, crossbar, 50, 500)).value();
            return collectiveBound(platform, std::vector<NodeId>{0, 1, 2, 3}, CollectiveOp::AllGather, 4 * kMebi).value().bandwidthPs;
        };
        for (const bool asDimension : {false, true}) {
            QCOMPARE(bandwidthPs(25, asDimension), 3 * kMebi * kPsPerSecond / (25 * kGiga));
            QCOMPARE(bandwidthPs({}, asDimension), 3 * kMebi * kPsPerSecond / (50 * kGiga));
            QCOMPARE(bandwidthPs(75, asDimension), bandwidthPs({}, asDimension));
        }
        for (const std::uint64_t seed : Seeds(7000, 40)) {
            Draw draw(seed);
            const int npus = 2 + draw.below(4);
            const PlatformSpec spec = star(npus, static_cast<double>(draw.from(5, 120)), static_cast<double>(draw.from(10, 60)), static_cast<double>(draw.from(1, 900)));
            const CollectiveOp op = std::array{CollectiveOp::AllGather, CollectiveOp::AllReduce, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll}[at(draw.below(4))];
            const Algorithm algorithm = op == CollectiveOp::AllToAll || draw.oneIn(2) ? Algorithm::Direct : Algorithm::Ring;
            const std::int64_t bytes = npus * draw.from(1, 40) * 10'000;
            LinksScenario scenario(spec);
            for (int rank = 0; rank < npus; ++rank)
                scenario.collective(rank, 0, bytes, templateProgram(op, {npus}, {algorithm}), {npus});
            std::vector<NodeId> members(static_cast<std::size_t>(npus));
            std::iota(members.begin(), members.end(), 0);
            const CollectiveBound bound = collectiveBound(scenario.platform(), members, op, bytes).value();
            QVERIFY(bound.timePs > 0 && bound.timePs <= runLinks(scenario.build()).record.finish.ps);
        }
    }
};

FABRICSCOPE_TEST(CrossbarTest)
#include "tst_crossbar.moc"
