// Ranks of a graph that stand for others (graphrun.h): the answer is that of the event engine in every field, whatever differs between ranks falls to it.
#include "tests/unit/support/cases/networkcase.h"

#include "core/base/index.h"
#include "core/platform/balancedways.h"
#include "core/sim/simulate.h"
#include "core/sim/symmetry/graphclasses.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/draw.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Fabrics of every kind that has a graph of its own, with units, rails, parallel cables, uneven spines, cables slower or as fast as the hosts.
constexpr std::array kLines{
    "npu / leaf_spine 4,4,4,4 400G 1us", "npu / leaf_spine 4,4,2,4 400G 1us", "npu / leaf_spine 4,4,2,2 400G 1us", "npu / leaf_spine 2,8,4,8 400G 500ns", "npu / leaf_spine 4,4,3,4 400G 1us",
    "npu x4 / leaf 400G 1us x4 / spine 32p 2:1", "npu x8 / leaf 400G 1us x2 / spine up 2 switches 2", "npu / fat_tree 4 400G 1us", "npu / clos m 4,4,2 w 1,2,2 400G 1us", "npu / rails 2,4,4,4,4 400G 1us",
    "npu / rails 2,4,4,2,2 400G 1us", "npu / rails 4,2,4,1,1 400G 1us", "Switch(4, 450 GB/s, 1 us) x4 / rails 8p 400G 1us x2 / spine 1:1", "Switch(4, 450 GB/s, 1 us) x4 / rails 8p 400G 1us x2 / spine 2:1",
    "Switch(4, 50 GB/s, 1 us) x4 / rails 8p 400G 1us x4 / spine 16p 1:1", "Switch(2, 50 GB/s, 1 us) x2 / rails 8p 400G 1us x2 / spine x2 / core", "FullyConnected(4, 100 GB/s, 1 us) x4 / rails 8p 400G 1us x2 / spine 1:1",
    "Switch(4, 450 GB/s, 1 us) x4 / rails_only", "npu / dragonfly 1,2,1 100G 1us", "npu / dragonfly 2,4,2 groups 3 100G 1us", "npu / hyperx 3x3 npus 3 100G 1us", "npu / nvl72", "npu / cube_mesh", "npu / expander 16,4,2 seed 1 100G 1us"};

/// `axes` of a family of groups over so many ranks: runs of a divisor, or every so many.
std::string groupsOf(int ranks, Draw& draw)
{
    std::vector<int> divisors;
    for (int d = 2; d < ranks; ++d) {
        if (ranks % d == 0)
            divisors.push_back(d);
    }
    if (divisors.empty())
        return "[{size: " + std::to_string(ranks) + ", stride: 1}]";
    const int size = divisors[at(draw.below(static_cast<int>(divisors.size())))];
    return "[{size: " + std::to_string(size) + ", stride: " + std::to_string(draw.below(2) == 0 ? 1 : ranks / size) + "}]";
}

int ranksOf(const std::string& line)
{
    return scenarioOf("fabricscope: 1\nplatform: {topology: \"" + line + "\"}\nworkload: {steps: [{compute: 1 us}]}\n").structure->workload->rankCount;
}

/// A run on one of the lines. `steps`: goes before the other steps; `more`: sections, `inPlatform`: keys of the platform.
std::string designOf(std::uint64_t seed, const std::string& steps = {}, const std::string& more = {}, const std::string& inPlatform = {})
{
    Draw draw(seed);
    const std::string line = draw.of(kLines);
    const int ranks = ranksOf(line);
    std::string text = "fabricscope: 1\nplatform:\n  topology: \"" + line + "\"\n" + inPlatform;
    if (draw.below(3) == 0)
        text += "  npu: {memory_bandwidth: " + draw.of(std::array{"100 GB/s", "3 TB/s"}) + "}\n";
    text += "workload:\n  groups:\n    - {name: a, axes: " + groupsOf(ranks, draw) + "}\n    - {name: b, axes: " + groupsOf(ranks, draw) + "}\n  steps:\n" + steps;
    const int count = 1 + draw.below(3);
    for (int i = 0; i < count; ++i) {
        // Whole blocks for every rank and chunk, mostly.
        const int unit = draw.below(8) == 0 ? 1001 : ranks * ranks * 12 * (1 + draw.below(300));
        text += "    - {collective: " + draw.of(std::array{"all_reduce", "all_reduce", "all_gather", "reduce_scatter", "all_to_all"}) + ", size: " + std::to_string(unit) + " B";
        if (const int group = draw.below(4); group < 2)
            text += group == 0 ? ", group: a" : ", group: b";
        if (i > 0 && draw.below(2) == 0)
            text += ", after: []";
        text += "}\n";
        if (draw.below(3) == 0)
            text += "    - {compute: 3 us}\n";
    }
    text += "collectives:\n  default: {chunks: " + std::to_string(1 + draw.below(4)) + ", algorithm: " + draw.of(std::array{"standard", "ring", "direct", "halving_doubling", "halving_doubling"}) + "}\n  rules:\n    - {op: all_to_all, algorithm: " + draw.of(std::array{"ring", "direct"}) + "}\n";
    const int model = draw.below(6);
    if (model == 0)
        text += "model: {name: ideal}\n";
    else if (model == 1 && more.empty())
        text += "model: {name: flow}\n";
    return text + more;
}

/// 0, 1, ..., mostly with a small change: two exchanged, a run rotated, or all in any order.
std::vector<int> orderOf(int count, Draw& draw)
{
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    const auto some = [&] { return order.begin() + draw.below(count); };
    switch (draw.below(9)) {
    case 0: std::iter_swap(some(), some()); break;
    case 1: std::rotate(order.begin(), some(), order.end()); break;
    case 2: std::rotate(order.begin(), order.begin() + 1, order.begin() + count / 2); break;
    case 3: {
        for (int i = count - 1; i > 0; --i)
            std::iter_swap(order.begin() + i, order.begin() + draw.below(i + 1));
        break;
    }
    default: break;
    }
    return order;
}

std::string listOf(const std::vector<int>& numbers)
{
    std::string text;
    for (const int number : numbers)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return '[' + text + ']';
}

/// NPUs of hosts below switches of their place or of their hosts, these below spines: wired, placed and grouped evenly but for a change or two.
std::string nearlyEvenOf(std::uint64_t seed)
{
    Draw draw(seed);
    const int ranks = 4 * static_cast<int>(draw.from(2, 4));
    const int leaves = draw.oneIn(2) ? 2 : 4;
    const int spines = static_cast<int>(draw.from(1, 2));
    const bool byHost = draw.oneIn(2);
    std::string text = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (int npu = 0; npu < ranks; ++npu)
        text += "    - {name: n" + std::to_string(npu) + "}\n";
    for (int leaf = 0; leaf < leaves; ++leaf)
        text += "    - {name: l" + std::to_string(leaf) + ", kind: switch}\n";
    for (int spine = 0; spine < spines; ++spine)
        text += "    - {name: s" + std::to_string(spine) + ", kind: switch}\n";
    text += "  links:\n";
    const auto link = [&](const std::string& from, const std::string& to, const char* rate) { text += "    - {between: [" + from + ", " + to + "], bandwidth: " + rate + ", latency: 1 us}\n"; };
    const std::vector<int> wired = orderOf(ranks, draw);
    const int moved = draw.oneIn(4) ? draw.below(ranks) : -1;
    for (int npu = 0; npu < ranks; ++npu) {
        const int place = wired[at(npu)];
        const int leaf = byHost ? place * leaves / ranks : place % leaves;
        link("n" + std::to_string(npu), "l" + std::to_string(npu == moved ? 0 : leaf), "50 GB/s");
    }
    const char* const up = draw.oneIn(2) ? "50 GB/s" : "100 GB/s";
    for (int leaf = 0; leaf < leaves; ++leaf) {
        for (int spine = 0; spine < spines; ++spine)
            link("l" + std::to_string(leaf), "s" + std::to_string(spine), up);
    }
    text += "  placement: {jobs: [{name: job, ranks: " + std::to_string(ranks) + ", nodes: " + listOf(orderOf(ranks, draw)) + "}]}\n";
    const std::vector<int> members = orderOf(ranks, draw);
    const int size = ranks % 3 == 0 && draw.oneIn(2) ? 3 : draw.oneIn(2) ? 4 : ranks / 2;
    const int stride = draw.oneIn(2) ? 1 : ranks / size;
    text += "workload:\n  groups:\n    - {name: a, lists: [";
    for (int group = 0; group < ranks / size; ++group) {
        std::vector<int> list;
        for (int position = 0; position < size; ++position)
            list.push_back(members[at(stride == 1 ? group * size + position : group + position * stride)]);
        text += (group > 0 ? ", " : "") + listOf(list);
    }
    text += "]}\n  steps:\n";
    for (std::int64_t step = draw.from(1, 3); step > 0; --step) {
        text += "    - {collective: " + draw.of(std::array{"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}) + ", size: " + std::to_string(ranks * ranks * draw.from(1, 3000)) + " B"
            + (draw.oneIn(2) ? ", group: a" : "") + (draw.oneIn(3) ? ", after: []" : "") + "}\n";
    }
    // Trees want a group of one level.
    const bool flat = draw.oneIn(3);
    if (flat)
        text += "model: {version: physical/1}\n";
    return text + "collectives:\n  default: {chunks: " + std::to_string(draw.from(1, 3)) + ", algorithm: " + draw.of(std::array{"standard", "ring", "direct", "halving_doubling", "halving_doubling"})
        + "}\n  rules:\n    - {op: all_reduce, algorithm: " + (flat && draw.oneIn(2) ? "double_binary_tree" : draw.of(std::array{"ring", "direct", "halving_doubling"})) + "}\n    - {op: all_gather, algorithm: "
        + draw.of(std::array{"bruck_gather", "ring", "direct", "halving_doubling"}) + "}\n    - {op: all_to_all, algorithm: " + draw.of(std::array{"ring", "direct"}) + "}\n";
}

RunRecord runWith(const Scenario& scenario, EngineChoice engine, const std::string& text)
{
    RunOptions options;
    options.engine = engine;
    Result<RunRecord> record = simulate(scenario, options);
    if (!record)
        qFatal("%s\n%s", record.error().text().c_str(), text.c_str());
    return std::move(record).value();
}

/// A name that stands for this link alone: of several side by side the first would stand for all of them, which may be alike among each other.
std::string oneLink(const Platform& platform, LinkId link)
{
    const std::string name = platform.linkName(link);
    return name.find('#') == std::string::npos ? name + "#1" : name;
}

bool isFolded(const RunRecord& record)
{
    return record.engines.front().engine == "symmetry";
}

/// The same with nodes and links that are listed one by one, and each link in a class of its own.
Scenario listedOneByOne(const Scenario& scenario)
{
    PlatformSpec spec = scenario.structure->platform.spec();
    spec.nodes = NodeList(std::vector<ExplicitNode>(spec.nodes.begin(), spec.nodes.end()));
    spec.links = LinkList(std::vector<ExplicitLink>(spec.links.begin(), spec.links.end()));
    auto structure = std::make_shared<Structure>(*scenario.structure);
    structure->platform = Platform::create(std::move(spec)).value();
    structure->figureClasses = 0;
    structure->classedLinks.resize(static_cast<std::size_t>(structure->platform.linkCount()));
    std::iota(structure->classedLinks.begin(), structure->classedLinks.end(), 0);
    auto params = std::make_shared<Params>(*scenario.params);
    params->linkRate.clear();
    params->linkLatency.clear();
    for (LinkId link = 0; link < structure->platform.linkCount(); ++link) {
        params->linkRate.push_back(structure->platform.bandwidth(link));
        params->linkLatency.push_back(structure->platform.latency(link));
    }
    Scenario listed = scenario;
    listed.structure = std::move(structure);
    listed.costs = std::make_shared<const CostTable>(*params);
    listed.params = std::move(params);
    return listed;
}

/// Empty, or where the engines differ.
std::string differenceOf(const std::string& text, bool& folded)
{
    const Scenario scenario = scenarioOf(text);
    const RunRecord answer = runWith(scenario, EngineChoice::Auto, text);
    folded = isFolded(answer);
    return difference(answer, runWith(scenario, EngineChoice::Events, text));
}

} // namespace

class TestSymmetryGraphs : public QObject {
    Q_OBJECT

private slots:
    void collectivesOnGraphsEqualTheEventEngine()
    {
        int taken = 0;
        for (const std::uint64_t seed : Seeds(1, 500)) {
            const std::string text = designOf(seed);
            bool folded = false;
            const std::string found = differenceOf(text, folded);
            QVERIFY2(found.empty(), (found + '\n' + text).c_str());
            taken += folded ? 1 : 0;
        }
        qInfo("%d folded", taken);
        QVERIFY(taken > cases(150));
    }

    /// Fabrics are counts: names made on demand, links in classes by their figures, with slow links in some. Written out it is the same run.
    void countsEqualWhatIsListed()
    {
        int taken = 0;
        for (const std::uint64_t seed : Seeds(20'000, 150)) {
            const std::string plain = designOf(seed);
            const Platform platform = scenarioOf(plain).structure->platform;
            if (!platform.isExplicit())
                continue;
            Draw draw(seed + 1'000'000);
            const std::string link = platform.linkName(draw.below(static_cast<int>(platform.linkCount())));
            const std::string text = draw.oneIn(3) ? designOf(seed, {}, {}, "  overrides: {links: [{link: \"" + link + "\", bandwidth: 3 GB/s, latency: 2 us}]}\n") : plain;
            const Scenario counted = scenarioOf(text);
            const Scenario listed = listedOneByOne(counted);
            QVERIFY(counted.params->linkRate.size() < listed.params->linkRate.size());
            const RunRecord answer = runWith(counted, EngineChoice::Auto, text);
            for (const EngineChoice engine : {EngineChoice::Auto, EngineChoice::Events}) {
                const std::string found = difference(answer, runWith(listed, engine, text));
                QVERIFY2(found.empty(), (found + '\n' + text).c_str());
            }
            taken += isFolded(answer) ? 1 : 0;
        }
        QVERIFY(taken > cases(20));
    }

    void whatIsNearlyEvenEqualsTheEventEngine()
    {
        int taken = 0;
        for (const std::uint64_t seed : Seeds(80'000, 2'500)) {
            const std::string text = nearlyEvenOf(seed);
            bool folded = false;
            const std::string found = differenceOf(text, folded);
            QVERIFY2(found.empty(), (found + '\n' + text).c_str());
            taken += folded ? 1 : 0;
        }
        qInfo("%d folded", taken);
        QVERIFY(taken > cases(200));
    }

    /// Each of these is on one rank or link, or depends on what happened before.
    void whatDiffersFallsToTheEventEngine()
    {
        int tried = 0;
        for (const std::uint64_t seed : Seeds(50'000, 150)) {
            const std::string plain = designOf(seed);
            const Scenario scenario = scenarioOf(plain);
            const RunRecord alike = runWith(scenario, EngineChoice::Auto, plain);
            const Platform& platform = scenario.structure->platform;
            if (!isFolded(alike) || !platform.isExplicit() || alike.links.empty())
                continue;
            ++tried;
            Draw draw(seed + 1'000'000);
            const std::string link = oneLink(platform, alike.links[at(draw.below(static_cast<int>(alike.links.size())))].link);
            const std::string rank = std::to_string(draw.below(scenario.structure->workload->rankCount));
            const std::string npu = platform.spec().nodes[at(draw.below(platform.npuCount()))].name;
            for (const std::string& text : {designOf(seed, {}, {}, "  overrides: {links: [{link: \"" + link + "\", bandwidth: 3 GB/s}]}\n"),
                                            designOf(seed, {}, {}, "  overrides: {links: [{link: \"" + link + "\", latency: 7 us}]}\n"),
                                            designOf(seed, {}, {}, "  overrides: {npus: [{npu: " + npu + ", speed: 0.5}]}\n"),
                                            designOf(seed, "    - {compute: 5 us, ranks: \"" + rank + "\"}\n"),
                                            designOf(seed, {}, "network: {routing: {policy: spray}}\n")}) {
                bool folded = true;
                const std::string found = differenceOf(text, folded);
                QVERIFY2(found.empty(), (found + '\n' + text).c_str());
                QVERIFY2(!folded, text.c_str());
            }
        }
        QVERIFY(tried > cases(30));
    }

    /// Ranks placed on a fabric in any order: runs of numbers say nothing, colours find who is alike. A single difference falls to the event engine.
    void whoIsAlikeIsFoundInAnyOrder()
    {
        int taken = 0;
        int tried = 0;
        for (const std::uint64_t seed : Seeds(120'000, 300)) {
            Draw draw(seed);
            const std::string line = draw.of(kLines);
            const int ranks = ranksOf(line);
            std::vector<int> nodes(static_cast<std::size_t>(ranks));
            std::iota(nodes.begin(), nodes.end(), 0);
            for (int i = ranks - 1; i > 0; --i)
                std::swap(nodes[at(i)], nodes[at(draw.below(i + 1))]);
            const std::string op = draw.of(std::array{"all_reduce", "all_gather", "reduce_scatter"});
            const std::string algorithm = draw.of(std::array{"standard", "ring", "direct", "halving_doubling"});
            const auto with = [&](const std::string& inPlatform) {
                return "fabricscope: 1\nplatform:\n  topology: \"" + line + "\"\n" + inPlatform + "  placement: {jobs: [{name: job, ranks: " + std::to_string(ranks) + ", nodes: " + listOf(nodes)
                    + "}]}\nworkload: {collective: " + op + ", size: " + std::to_string(ranks * ranks * 120) + " B}\ncollectives: {default: {algorithm: " + algorithm + ", chunks: 2}}\n";
            };
            bool folded = false;
            const std::string found = differenceOf(with({}), folded);
            QVERIFY2(found.empty(), (found + '\n' + with({})).c_str());
            taken += folded ? 1 : 0;
            const Scenario scenario = scenarioOf(with({}));
            const Platform& platform = scenario.structure->platform;
            const RunRecord alike = runWith(scenario, EngineChoice::Auto, with({}));
            if (!folded || !platform.isExplicit() || alike.links.empty())
                continue;
            ++tried;
            const std::string link = oneLink(platform, alike.links[at(draw.below(static_cast<int>(alike.links.size())))].link);
            const std::string slow = with("  overrides: {links: [{link: \"" + link + "\", bandwidth: 3 GB/s}]}\n");
            const std::string differs = differenceOf(slow, folded);
            QVERIFY2(differs.empty(), (differs + '\n' + slow).c_str());
            QVERIFY2(!folded, slow.c_str());
        }
        qInfo("%d folded, %d made to differ", taken, tried);
        QVERIFY(taken > cases(100));
        QVERIFY(tried > cases(60));
    }

    /// Two units of four hosts of four: by levels every NPU does the same as those of other rails, and with one level of hosts and units as that of the other unit too.
    void anyOrderFoldsAsMuch()
    {
        const auto copies = [](const std::string& placement) {
            return foldGraph(scenarioOf("fabricscope: 1\nplatform:\n  topology: \"Switch(4, 450 GB/s, 1 us) x4 / rails 8p 400G 1us x2 / spine 1:1\"\n" + placement
                                        + "workload: {collective: all_reduce, size: 1 MiB}\ncollectives: {default: {chunks: 1}}\n")).value().copies;
        };
        std::vector<int> nodes(32);
        for (int rank = 0; rank < 32; ++rank)
            nodes[at(rank)] = rank * 13 % 32;
        std::swap(nodes[3], nodes[17]);
        std::swap(nodes[5], nodes[30]);
        const int asListed = copies({});
        QVERIFY(asListed > 1);
        QCOMPARE(copies("  placement: {jobs: [{name: job, ranks: 32, nodes: " + listOf(nodes) + "}]}\n"), asListed);
    }

    /// Two units of four hosts on four rails: rings along the rails cross the units at the last host of each, so one host of each place in a unit is left of four rails
    /// and two units; rings of all NPUs change the rail at the end of every host, alike everywhere.
    void howManyStandForAll()
    {
        const std::string pod = "fabricscope: 1\nplatform: {topology: \"Switch(4, 450 GB/s, 1 us) x4 / rails 8p 400G 1us x2 / spine 1:1\"}\n";
        const auto copies = [&](const std::string& workload) {
            return foldGraph(scenarioOf(pod + "workload: " + workload + "\ncollectives: {default: {algorithm: ring, chunks: 1}}\n")).value().copies;
        };
        QCOMPARE(copies("{groups: [{name: rail, axes: [{size: 8, stride: 4}]}], steps: [{collective: all_reduce, size: 1 MiB, group: rail}]}"), 8);
        QCOMPARE(copies("{groups: [{name: host, axes: [{size: 4, stride: 1}]}], steps: [{collective: all_reduce, size: 1 MiB, group: host}]}"), 32);
        QCOMPARE(copies("{collective: all_reduce, size: 1 MiB}"), 8);
    }

    /// A router that is asked for few ways to a destination looks only as far as they reach; asked more often it finds all distances: the ways are the same.
    /// Written out, the default of the rules is no other policy; one with a draw, or of the rules before, is.
    void theDefaultPolicyFoldsAlsoWhereItIsWritten()
    {
        const std::string plain = "fabricscope: 1\nplatform: {topology: \"hgx-h100 x8 / rails 64p 400G x4 / spine 2:1\"}\nworkload: {collective: all_reduce, size: 16 MiB}\n";
        const auto with = [&](const std::string& more) { return runWith(scenarioOf(plain + more), EngineChoice::Auto, plain + more); };
        const RunRecord alike = with("");
        QVERIFY(isFolded(alike));
        QVERIFY(isFolded(with("network: {routing: {policy: balanced}}\n")));
        QCOMPARE(with("network: {routing: {policy: balanced}}\n").fingerprint.hex(), alike.fingerprint.hex());
        QVERIFY(!isFolded(with("network: {routing: {policy: spray}}\n")));
        QVERIFY(!isFolded(with("network: {routing: {policy: balanced}}\nmodel: {version: physical/1}\n")));
    }

    void waysThatAreAskedForOnceAreThoseOfAllDistances()
    {
        for (const char* const line : kLines) {
            const Scenario scenario = scenarioOf(std::string("fabricscope: 1\nplatform: {topology: \"") + line + "\"}\nworkload: {steps: [{compute: 1 us}]}\n");
            const Platform& platform = scenario.structure->platform;
            if (!platform.isExplicit())
                continue;
            const auto graph = makeFabricGraph(platform);
            const RoutingRules rules = BalancedWays::rules();
            Router often(platform, rules, graph, 0);
            std::vector<LinkId> links;
            for (NodeId to = 0; to < std::min(platform.npuCount(), 12); ++to) {
                for (LinkId time = 0; time <= graph->linkCount() + 1; ++time) { // Each looks at a link at least.
                    links.clear();
                    often.route((to + 1) % platform.npuCount(), to, RouteFlow{}, links);
                }
                for (NodeId from = 0; from < platform.npuCount(); ++from) {
                    Router once(platform, rules, graph, 0);
                    std::vector<LinkId> first;
                    std::vector<LinkId> second;
                    QVERIFY(once.route(from, to, RouteFlow{}, first) && often.route(from, to, RouteFlow{}, second));
                    QVERIFY2(first == second, line);
                }
            }
        }
    }

    /// Told to tell of every message, the run is left to the event engine; forced, it is refused with the reason.
    void whatIsRefusedSaysWhy()
    {
        const Scenario scenario = scenarioOf("fabricscope: 1\nplatform: {topology: \"npu / leaf_spine 4,4,4,4 400G 1us\"}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        RunOptions options;
        std::int64_t messages = 0;
        options.message = [&](const MessageRecord&) { ++messages; };
        const Result<RunRecord> told = simulate(scenario, options);
        QVERIFY(told && told.value().engines.front().engine == "events" && messages > 0);
        options.engine = EngineChoice::Symmetry;
        QVERIFY(simulate(scenario, options).error().message.find("does not tell of messages") != std::string::npos);
    }
};

FABRICSCOPE_TEST(TestSymmetryGraphs)
#include "tst_symmetry_graphs.moc"
