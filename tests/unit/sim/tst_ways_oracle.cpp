// Random graphs, policies and failures: the event engine against an oracle that knows neither its routers nor its queues, message by message; and what no rule may break.
#include "core/base/index.h"
#include "core/base/seededhash.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/routepolicies.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/oracles/wayoracle.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <map>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::array kPolicies{RoutePolicy::Shortest, RoutePolicy::Ecmp, RoutePolicy::Balanced, RoutePolicy::Spray, RoutePolicy::Valiant, RoutePolicy::LeastQueued, RoutePolicy::Adaptive, RoutePolicy::UpDown};

int below(std::mt19937_64& dice, int n)
{
    return static_cast<int>(dice() % static_cast<std::uint64_t>(n));
}

/// Hosts of a few NPUs at a switch with network cards, or NPUs with cards of their own, which hang at leaves below spines, where there is more than one.
template<typename Cable>
void addHosts(WayCase& made, std::mt19937_64& dice, const Cable& cable)
{
    const bool own = below(dice, 2) == 0;
    const int hosts = 2 + below(dice, 3);
    const int npus = hosts * (own ? 1 : 1 + below(dice, 2));
    const int cards = 1 + below(dice, 2);
    const int leaves = 1 + below(dice, 2);
    made.isSwitch.assign(static_cast<std::size_t>(npus), false);
    const auto addSwitch = [&] {
        made.isSwitch.push_back(true);
        return static_cast<int>(made.isSwitch.size()) - 1;
    };
    for (int leaf = 0; leaf < leaves; ++leaf)
        addSwitch();
    for (int host = 0; host < hosts; ++host) {
        const int end = own ? host : addSwitch();
        for (int npu = host * npus / hosts; !own && npu < (host + 1) * npus / hosts; ++npu)
            cable(npu, end);
        for (int card = 0; card < cards; ++card) {
            const int number = addSwitch();
            cable(end, number);
            cable(number, npus + (below(dice, 4) == 0 ? card : host) % leaves);
        }
    }
    for (int spines = leaves > 1 ? 1 + below(dice, 3) : 0; spines > 0; --spines) {
        const int spine = addSwitch();
        for (int leaf = 0; leaf < leaves; ++leaf)
            cable(npus + leaf, spine);
    }
}

PlatformSpec generatedBy(const std::string& line)
{
    const FabricForm form = parseFabricForm(line).value();
    PlatformSpec spec = platformOfFabric(fabricOfForm(form).value(), FabricWriting::Nodes).value();
    spec.generated.form = std::make_shared<const FabricForm>(normalForm(form));
    return spec;
}

/// A dragonfly: its generator declares groups, which ways go by.
void addGroups(WayCase& made, std::mt19937_64& dice)
{
    const int p = 1 + below(dice, 2);
    const int a = 1 + below(dice, 3);
    const int h = 1 + below(dice, 2);
    const int groups = 2 + below(dice, std::min(3, a * h));
    made.line = "npu / dragonfly " + std::to_string(p) + ',' + std::to_string(a) + ',' + std::to_string(h) + " groups " + std::to_string(groups);
    const PlatformSpec spec = generatedBy(made.line);
    const int npus = groups * a * p;
    for (int node = 0; node < static_cast<int>(spec.nodes.size()); ++node) {
        made.isSwitch.push_back(node >= npus);
        made.group.push_back(node < npus ? node / (a * p) : (node - npus) / a);
    }
    for (const ExplicitLink& link : spec.links)
        made.links.push_back({link.from, link.to, below(dice, 4) == 0 ? 500'000'000 : 1'000'000'000, below(dice, 4) == 0 ? 1 : 100'000});
}

/// NPUs, switches and cables: a random tree with more of them, or leaves below spines, or hosts with network cards, or a dragonfly, or NPUs alone. Few rates and latencies, so that
/// instants meet.
void addGraph(WayCase& made, std::mt19937_64& dice)
{
    const int kind = below(dice, 7);
    const auto cable = [&](int a, int b) {
        const std::int64_t rate = below(dice, 4) == 0 ? 500'000'000 : 1'000'000'000;
        const std::int64_t latency = below(dice, 4) == 0 ? 1 : 100'000;
        made.links.push_back({a, b, rate, latency});
        made.links.push_back({b, a, rate, latency});
    };
    if (kind < 2) {
        const int leaves = 2 + below(dice, 3);
        const int down = 1 + below(dice, 3);
        const int spines = 1 + below(dice, 3);
        const int npus = leaves * down;
        made.isSwitch.assign(static_cast<std::size_t>(npus + leaves + spines), true);
        std::fill_n(made.isSwitch.begin(), npus, false);
        for (int npu = 0; npu < npus; ++npu)
            cable(npu, npus + npu / down);
        for (int leaf = 0; leaf < leaves; ++leaf) {
            for (int up = 0; up < spines * (kind + 1); ++up)
                cable(npus + leaf, npus + leaves + up % spines);
        }
        return;
    }
    if (kind == 5) {
        addHosts(made, dice, cable);
        return;
    }
    if (kind == 6) {
        addGroups(made, dice);
        return;
    }
    const int npus = 2 + below(dice, 6);
    const int switches = kind == 2 ? 0 : 1 + below(dice, 5);
    made.isSwitch.assign(static_cast<std::size_t>(npus + switches), true);
    std::fill_n(made.isSwitch.begin(), npus, false);
    // Switches among themselves first, so that NPUs need not hand on; sometimes they have to.
    const auto other = [&](int node) { return node == npus ? -1 : node > npus ? npus + below(dice, node - npus) : switches > 0 && below(dice, 5) > 0 ? npus + below(dice, switches) : node > 0 ? below(dice, node) : switches > 0 ? npus : -1; };
    for (int node = 0; node < npus + switches; ++node) {
        if (const int end = other(node); end >= 0 && end != node)
            cable(node, end);
    }
    for (int more = below(dice, 10); more > 0; --more) {
        const int a = below(dice, npus + switches);
        const int b = below(dice, npus + switches);
        if (a != b)
            cable(a, b);
    }
}

WayCase randomWays(std::uint64_t seed)
{
    std::mt19937_64 dice(seed);
    WayCase made;
    addGraph(made, dice);
    const int npus = static_cast<int>(std::count(made.isSwitch.begin(), made.isSwitch.end(), false));
    made.policy = kPolicies[dice() % kPolicies.size()];
    made.seed = dice() % 1000;
    made.pieceBytes = 1000;
    std::map<int, std::pair<std::int64_t, int>> last; // By NPU: when its last send is ready, and its tasks.
    std::map<std::pair<int, int>, int> tags;
    for (int sends = 2 + below(dice, 14); sends > 0; --sends) {
        WayCase::Send send;
        send.from = below(dice, npus);
        send.to = (send.from + 1 + below(dice, npus - 1)) % npus;
        send.bytes = 1 + below(dice, 3) * 500 + below(dice, 2) * 2999;
        auto& [ready, task] = last[send.from];
        ready += 1 + below(dice, 5) * 500'000;
        send.ready = ready;
        send.tag = tags[{send.from, send.to}]++;
        send.task = 2 * task++ + 1; // Behind its computation.
        made.sends.push_back(send);
    }
    if (below(dice, 3) > 0) {
        for (int failures = 1 + below(dice, 3); failures > 0; --failures) {
            WayCase::Failure failure;
            failure.link = below(dice, static_cast<int>(made.links.size()));
            failure.at = below(dice, 12) * 500'000 + below(dice, 3);
            failure.until = below(dice, 3) == 0 ? -1 : failure.at + 1 + below(dice, 12) * 500'000;
            made.failures.push_back(failure);
        }
    }
    return made;
}

/// Nothing where the platform is refused: NPUs without a way to each other.
std::optional<Scenario> scenarioOf(WayCase& given)
{
    PlatformSpec spec;
    for (std::size_t node = 0; node < given.isSwitch.size(); ++node) {
        ExplicitNode made{"n" + std::to_string(node), given.isSwitch[node] ? NodeKind::Switch : NodeKind::Npu};
        if (const auto limit = given.crossbars.find(static_cast<int>(node)); limit != given.crossbars.end())
            made.crossbar = Quantity{static_cast<double>(limit->second), "B/s", Measure::Bandwidth};
        spec.nodes.push_back(made);
    }
    for (const WayCase::Link& link : given.links)
        spec.links.push_back({link.from, link.to, {static_cast<double>(link.rate), "B/s", Measure::Bandwidth}, {static_cast<double>(link.latency), "ps", Measure::Time}});
    if (!given.line.empty())
        spec.generated = generatedBy(given.line).generated;
    if (!Platform::create(spec))
        return std::nullopt;
    LinksScenario made(spec);
    made.pieceBytes = given.pieceBytes;
    std::map<int, std::pair<std::int64_t, TaskIndex>> last;
    for (const WayCase::Send& send : given.sends) {
        const auto before = last.find(send.from);
        const LinksScenario::Tasks after = before == last.end() ? LinksScenario::Tasks{} : LinksScenario::Tasks{before->second.second};
        const TaskIndex computed = made.compute(send.from, send.ready - (before == last.end() ? 0 : before->second.first), after);
        last[send.from] = {send.ready, computed};
        made.send(send.from, send.to, send.bytes, static_cast<std::uint32_t>(send.tag), {computed});
    }
    for (const WayCase::Send& send : given.sends)
        made.receive(send.to, send.from, send.bytes, static_cast<std::uint32_t>(send.tag));
    const Scenario plain = made.build();
    given.firstStream = plain.structure->streamCount;
    NetworkParams network;
    network.seed = given.seed;
    network.routing = RoutingRules{};
    network.routing->policy = given.policy;
    network.routing->version = 2;
    std::vector<LinkFault> faults;
    for (std::size_t i = 0; i < given.failures.size(); ++i) {
        LinkFault fault;
        fault.link = given.failures[i].link;
        fault.at = SimTime{given.failures[i].at};
        if (given.failures[i].until >= 0)
            fault.until = SimTime{given.failures[i].until};
        fault.fault = i;
        faults.push_back(fault);
    }
    return withNetwork(plain, std::move(network), faults);
}

std::string textOf(const WayCase& given)
{
    std::string text = given.line + ' ' + std::string(rowOf(given.policy).word) + " seed " + std::to_string(given.seed) + "\nswitches";
    for (std::size_t node = 0; node < given.isSwitch.size(); ++node)
        text += given.isSwitch[node] ? ' ' + std::to_string(node) : "";
    text += "\nlinks";
    for (const auto& link : given.links)
        text += ' ' + std::to_string(link.from) + '>' + std::to_string(link.to) + '@' + std::to_string(link.rate / 500'000'000) + '+' + std::to_string(link.latency);
    for (const auto& [node, rate] : given.crossbars)
        text += "\ncrossbar " + std::to_string(node) + ' ' + std::to_string(rate);
    for (const auto& send : given.sends)
        text += "\nsend " + std::to_string(send.from) + " to " + std::to_string(send.to) + " bytes " + std::to_string(send.bytes) + " at " + std::to_string(send.ready) + " tag " + std::to_string(send.tag);
    for (const auto& failure : given.failures)
        text += "\nfails " + std::to_string(failure.link) + " at " + std::to_string(failure.at) + " until " + std::to_string(failure.until);
    return text;
}

/// When the last message was there, or as late as any that never was may have been on a link.
std::int64_t lastOf(const LinksRun& run)
{
    std::int64_t last = run.record.complete ? 0 : INT64_MAX;
    for (const MessageRecord& message : run.messages)
        last = std::max(last, message.donePs);
    return last;
}

/// What differs; empty: nothing.
std::string difference(const WayCase& given, const WayResult& expected, const LinksRun& run)
{
    std::map<std::tuple<int, int, int>, const MessageRecord*> delivered;
    for (const MessageRecord& message : run.messages)
        delivered[{message.source, message.target, message.phase}] = &message;
    for (std::size_t i = 0; i < given.sends.size(); ++i) {
        const WayCase::Send& send = given.sends[i];
        const auto found = delivered.find({send.from, send.to, send.tag});
        const std::int64_t done = found == delivered.end() ? -1 : found->second->donePs;
        if (done != expected.done[i])
            return "send " + std::to_string(i) + " done " + std::to_string(done) + " expected " + std::to_string(expected.done[i]);
        if (found != delivered.end() && (found->second->leftPs != expected.left[i] || found->second->readyPs != send.ready || found->second->bytes != send.bytes))
            return "send " + std::to_string(i) + " left " + std::to_string(found->second->leftPs) + " expected " + std::to_string(expected.left[i]);
    }
    std::vector<std::int64_t> bytes(given.links.size(), 0);
    for (const LinkUse& use : run.record.links)
        bytes[at(use.link)] = use.bytes;
    for (std::size_t link = 0; link < bytes.size(); ++link) {
        if (bytes[link] != expected.bytes[link])
            return "link " + std::to_string(link) + " bytes " + std::to_string(bytes[link]) + " expected " + std::to_string(expected.bytes[link]);
    }
    return {};
}

} // namespace

class TestWaysOracle : public QObject {
    Q_OBJECT

private slots:
    /// The same ways, with crossbar limits of half of a link to three links at most switches, whatever chooses the ways and while links fail.
    void everyMessageTakesTheTimeOfTheOracleThroughCrossbars()
    {
        std::map<RoutePolicy, int> ran;
        int later = 0;
        for (const std::uint64_t seed : Seeds(90'000, 1200)) {
            WayCase given = randomWays(seed);
            std::mt19937_64 dice(seed);
            for (int node = 0; node < static_cast<int>(given.isSwitch.size()); ++node) {
                if (given.isSwitch[at(node)] && below(dice, 4) > 0)
                    given.crossbars[node] = std::array<std::int64_t, 4>{250'000'000, 500'000'000, 1'000'000'000, 3'000'000'000}[at(below(dice, 4))];
            }
            const std::optional<Scenario> scenario = ::scenarioOf(given);
            if (!scenario)
                continue;
            const WayResult expected = sendOver(given);
            const std::string differs = difference(given, expected, runNetwork(*scenario, given.seed));
            QVERIFY2(differs.empty(), (differs + "\ncase " + std::to_string(seed) + ": " + textOf(given)).c_str());
            ++ran[given.policy];
            given.crossbars.clear();
            later += expected.done != sendOver(given).done ? 1 : 0;
        }
        qInfo("%d cases in which crossbars changed times", later);
        if (cases(1200) >= 600) {
            QVERIFY(std::all_of(kPolicies.begin(), kPolicies.end(), [&](RoutePolicy policy) { return ran[policy] > 50; }));
            QVERIFY(later > 300);
        }
    }

    void everyMessageTakesTheTimeOfTheOracle()
    {
        std::map<RoutePolicy, int> ran;
        int turned = 0;
        int stuck = 0;
        int drawn = 0;
        int ofGroups = 0;
        int passed = 0;
        const std::uint64_t first = seeded(1);
        const int rounds = cases(8000);
        for (int round = 0; round < rounds; ++round) {
            const std::uint64_t seed = first + static_cast<std::uint64_t>(round);
            WayCase given = randomWays(seed);
            const std::optional<Scenario> scenario = ::scenarioOf(given);
            if (!scenario)
                continue;
            const WayResult expected = sendOver(given);
            const LinksRun run = runNetwork(*scenario, given.seed);
            const std::string differs = difference(given, expected, run);
            QVERIFY2(differs.empty(), (differs + "\ncase " + std::to_string(seed) + ": " + textOf(given)).c_str());
            ++ran[given.policy];
            turned += expected.turnedAway;
            drawn += expected.drawn;
            ofGroups += given.group.empty() || given.policy != RoutePolicy::Adaptive ? 0 : expected.drawn;
            passed += expected.passedHosts;
            stuck += std::count(expected.done.begin(), expected.done.end(), -1) > 0 ? 1 : 0;

            // Bytes that went in came out, but for what waits for ever; no link carries more than its rate gives.
            std::map<int, std::int64_t> net;
            for (const LinkUse& use : run.record.links) {
                const WayCase::Link& link = given.links[at(use.link)];
                net[link.from] -= use.bytes;
                net[link.to] += use.bytes;
                QVERIFY(use.bytes * 2000 <= use.busyPs * (link.rate / 500'000'000)); // Bytes in 1000 ps at the rates there are: 1 and 1/2.
                QVERIFY(use.busyPs <= lastOf(run));
            }
            if (run.messages.size() == given.sends.size()) {
                for (const WayCase::Send& send : given.sends) {
                    net[send.from] += send.bytes;
                    net[send.to] -= send.bytes;
                }
                QVERIFY(std::all_of(net.begin(), net.end(), [](const auto& entry) { return entry.second == 0; }));
            }
        }
        qInfo("%d turned away, %d never there, %d not straight by their queues, %d of these by groups, %d nodes of hosts where nothing was settled", turned, stuck, drawn, ofGroups, passed);
        if (cases(8000) >= 4000) {
            for (const RoutePolicy policy : kPolicies)
                QVERIFY(ran[policy] > 300);
            QVERIFY(turned > 100);
            QVERIFY(drawn > 100);
            QVERIFY(ofGroups > 20);
            QVERIFY(passed > 100);
            QVERIFY(stuck > 10);
        }
    }
};

FABRICSCOPE_TEST(TestWaysOracle)
#include "tst_ways_oracle.moc"
