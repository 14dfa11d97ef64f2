#include "core/base/index.h"
#include "core/base/units.h"
#include "core/sim/events/flownetwork.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/fattree.h"
#include "tests/unit/support/oracles/fairshare.h"
#include "tests/unit/support/startflow.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wfree-nonheap-object" // g++ 12 takes the inlined destructor of a vector for one of a part of it.
#endif

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;
constexpr std::int64_t kUs = kPsPerUs;

/// Flows with a start each over bare resources.
struct Traffic {
    struct Flow {
        std::vector<std::int32_t> resources;
        std::int64_t bytes = 0;
        std::int64_t start = 0;
    };
    std::vector<std::int64_t> capacities;
    std::vector<Flow> flows;
};

/// Empty: every flow has a full resource on which nobody is faster, no resource bears more than it can (a unit for each flow is the least), and rates are those of
/// filling everything anew. `rates` by flow, 0: not there.
QString whyNotMaxMin(const FlowNetwork& network, const Traffic& traffic, const std::vector<std::int64_t>& rates)
{
    const std::size_t count = traffic.capacities.size();
    std::vector<std::int64_t> sum(count, 0);
    std::vector<std::int64_t> fastest(count, 0);
    std::vector<std::int64_t> atTop(count, 0);
    std::vector<std::int64_t> flows(count, 0);
    std::vector<std::vector<std::int32_t>> routes(rates.size());
    for (std::size_t flow = 0; flow < rates.size(); ++flow) {
        for (const std::int32_t resource : traffic.flows[flow].resources) {
            const auto r = static_cast<std::size_t>(resource);
            if (rates[flow] == 0)
                continue;
            routes[flow].push_back(resource);
            ++flows[r];
            sum[r] += rates[flow];
            atTop[r] = rates[flow] > fastest[r] ? 1 : atTop[r] + (rates[flow] == fastest[r] ? 1 : 0);
            fastest[r] = std::max(fastest[r], rates[flow]);
        }
    }
    for (std::size_t r = 0; r < count; ++r) {
        const std::int64_t capacity = network.capacity(static_cast<std::int32_t>(r));
        if (sum[r] > std::max(capacity, flows[r]) || network.used(static_cast<std::int32_t>(r)) != sum[r])
            return QString("resource %1 bears %2 of %3").arg(r).arg(sum[r]).arg(capacity);
    }
    for (std::size_t flow = 0; flow < rates.size(); ++flow) {
        const auto& resources = traffic.flows[flow].resources;
        const bool held = std::any_of(resources.begin(), resources.end(), [&](std::int32_t resource) {
            const auto r = static_cast<std::size_t>(resource);
            return rates[flow] == fastest[r] && network.capacity(resource) - sum[r] < atTop[r];
        });
        if (rates[flow] != 0 && !held)
            return QString("flow %1 at %2 could be faster").arg(flow).arg(rates[flow]);
    }
    std::vector<std::int64_t> capacities;
    for (std::size_t r = 0; r < count; ++r)
        capacities.push_back(network.capacity(static_cast<std::int32_t>(r)));
    const std::vector<std::int64_t> anew = wholeShares(capacities, routes);
    for (std::size_t flow = 0; flow < rates.size(); ++flow) {
        if (rates[flow] != anew[flow])
            return QString("flow %1 at %2, filled anew at %3").arg(flow).arg(rates[flow]).arg(anew[flow]);
    }
    return {};
}

/// Runs the traffic; ends by flow. With `check`, stops the test where rates are not max-min fair or bytes get lost.
std::vector<std::int64_t> run(const Traffic& traffic, bool check)
{
    __extension__ using Wide = __int128;
    FlowNetwork network(*std::max_element(traffic.capacities.begin(), traffic.capacities.end()));
    for (const std::int64_t capacity : traffic.capacities)
        network.addResource(capacity);
    std::vector<std::size_t> order(traffic.flows.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return traffic.flows[a].start < traffic.flows[b].start; });
    std::vector<std::int64_t> ends(traffic.flows.size(), -1);
    std::vector<std::int64_t> rates(traffic.flows.size(), 0);
    std::vector<Wide> carried(traffic.flows.size(), 0);
    std::map<std::int32_t, std::size_t> byNumber;
    std::size_t next = 0;
    std::int64_t before = 0;
    std::vector<std::int32_t> ended;
    while (next < order.size() || network.nextEnd() != FlowNetwork::kNever) {
        const std::int64_t start = next < order.size() ? traffic.flows[order[next]].start : FlowNetwork::kNever;
        const std::int64_t now = std::min(start, network.nextEnd());
        for (std::size_t flow = 0; flow < rates.size(); ++flow)
            carried[flow] += Wide{rates[flow]} * (now - before);
        before = now;
        if (network.nextEnd() == now) {
            ended.clear();
            network.firstToEnd(ended);
            for (const std::int32_t number : ended) {
                const std::size_t flow = byNumber.at(number);
                const Wide work = Wide{traffic.flows[flow].bytes} * network.unitsPerByte() * kPsPerSecond;
                if (check && (carried[flow] < work || carried[flow] - rates[flow] >= work))
                    qFatal("flow %d ended with other bytes than it had", static_cast<int>(flow));
                ends[flow] = now;
                rates[flow] = 0;
                byNumber.erase(number);
                network.finish(number);
            }
        }
        for (; next < order.size() && traffic.flows[order[next]].start == now; ++next) {
            const Traffic::Flow& flow = traffic.flows[order[next]];
            byNumber[startFlow(network, flow.resources, flow.bytes)] = order[next];
        }
        network.solve(now);
        for (const auto& [number, flow] : byNumber)
            rates[flow] = network.rate(number);
        if (const QString why = check ? whyNotMaxMin(network, traffic, rates) : QString(); !why.isEmpty())
            qFatal("at %lld ps: %s", static_cast<long long>(now), qPrintable(why));
    }
    return ends;
}

enum class TrafficKind {
    Anything,
    MuchAtOnce, ///< Rates and starts that make many things happen at once.
    EqualRates, ///< Likewise; shares of one rate that leaves a rest, so that levels are equal but for what is rounded away.
    LeastRates, ///< Units so large that resources have few of them, or fewer than flows.
};

/// Up to 30 flows over up to 12 resources.
Traffic randomTraffic(std::uint64_t seed, TrafficKind kind)
{
    Random random(seed);
    Traffic traffic;
    const bool plain = kind != TrafficKind::Anything;
    const std::int64_t resources = 1 + random.below(12);
    for (std::int64_t r = 0; r < resources; ++r) {
        traffic.capacities.push_back(kind == TrafficKind::EqualRates ? 1'000'003
                                     : kind == TrafficKind::LeastRates ? 1 + random.below(40)
                                     : plain ? kGB * (1 + random.below(3)) : kGB + random.below(50 * kGB));
    }
    const std::int64_t flows = 1 + random.below(30);
    for (std::int64_t f = 0; f < flows; ++f) {
        Traffic::Flow flow;
        const std::vector<std::int32_t> order = permutation(static_cast<std::int32_t>(resources), random);
        flow.resources.assign(order.begin(), order.begin() + 1 + random.below(std::min<std::int64_t>(resources, 5)));
        flow.bytes = plain ? 1'000'000 * (1 + random.below(3)) : 1 + random.below(10'000'000);
        flow.start = plain ? 500 * kUs * random.below(3) : random.below(2000 * kUs);
        if (kind == TrafficKind::LeastRates) {
            flow.bytes = 1 + random.below(3);
            flow.start = random.below(4) * kPsPerSecond / 4;
        }
        traffic.flows.push_back(flow);
    }
    if (kind == TrafficKind::LeastRates)
        traffic.capacities.push_back(INT64_MAX); // Nobody uses it.
    return traffic;
}

/// Rates, in B/s, of flows that start together over resources of these rates.
std::vector<double> ratesOf(const std::vector<std::int64_t>& capacities, const std::vector<std::vector<std::int32_t>>& routes)
{
    FlowNetwork network(*std::max_element(capacities.begin(), capacities.end()));
    for (const std::int64_t capacity : capacities)
        network.addResource(capacity);
    std::vector<std::int32_t> flows;
    for (const auto& route : routes)
        flows.push_back(startFlow(network, route, 1000));
    network.solve(0);
    std::vector<double> rates;
    for (const std::int32_t flow : flows)
        rates.push_back(static_cast<double>(network.rate(flow)) / static_cast<double>(network.unitsPerByte()));
    return rates;
}

using Times = std::vector<std::int64_t>;
using Rates = std::vector<double>;

} // namespace

Q_DECLARE_METATYPE(TrafficKind)

class TestFlowNetwork : public QObject {
    Q_OBJECT

private slots:
    void oneFlowTakesWhatItsSlowestResourceGives();
    void equalFlowsShareEqually();
    void textbookCasesHaveTheirRates();
    void whatAFlowLeavesGoesToTheOthers();
    void aFlowThatGivesWayLetsOthersElsewhereGoFaster();
    void flowsThatEndTogetherEndAtOneInstant();
    void fastResourcesTakeCoarserUnits();
    void ratesAreThoseOfFillingAnewAtEveryInstant_data();
    void ratesAreThoseOfFillingAnewAtEveryInstant();
    void ratesAreThoseOfExactFractions();
    void endsAreThoseOfFullFillingInFloatingPoint();
    void numbersOfFlowsAndResourcesDecideNothing();
    void onlyWhatAChangeReachesIsSolvedAgain();
    void aFlowMayTakeSeveralSharesOfAResource();
    void aFlowOfAFoldedRingIsEachOfTheRing();
};

void TestFlowNetwork::oneFlowTakesWhatItsSlowestResourceGives()
{
    // ceil(10^6 B / 3 GB/s) = 333333333.3.. ps.
    QCOMPARE(run({{10 * kGB, 3 * kGB, 7 * kGB}, {{{0, 1, 2}, 1'000'000, 0}}}, true), Times{333'333'334});
    QCOMPARE(run({{1}, {{{0}, 7, 5}}}, true), Times{7 * kPsPerSecond + 5});
}

void TestFlowNetwork::equalFlowsShareEqually()
{
    for (std::int64_t n = 1; n <= 16; ++n) { // Exact: n divides 720720.
        Traffic traffic{{10 * kGB}, {}};
        for (std::int64_t i = 0; i < n; ++i)
            traffic.flows.push_back({{0}, 1'000'000, 0});
        QCOMPARE(run(traffic, true), Times(static_cast<std::size_t>(n), n * 100 * kUs));
    }
}

void TestFlowNetwork::textbookCasesHaveTheirRates()
{
    // Three flows on two links of 10 and 4: one over both, one on each.
    QCOMPARE(ratesOf({10, 4}, {{0, 1}, {0}, {1}}), (Rates{2, 8, 2}));
    // Parking lot: four links of 12, a long flow, short flows on each, two on the third.
    QCOMPARE(ratesOf({12, 12, 12, 12}, {{0, 1, 2, 3}, {0}, {1}, {2}, {2}, {3}}), (Rates{4, 8, 8, 4, 4, 8}));
    // Fan-in: three links of 10 into one of 12, one of 2.
    QCOMPARE(ratesOf({10, 10, 2, 12}, {{0, 3}, {1, 3}, {2, 3}}), (Rates{5, 5, 2}));
    // Fan-out: one link of 12 to three of 3, 10, 10.
    QCOMPARE(ratesOf({12, 3, 10, 10}, {{0, 1}, {0, 2}, {0, 3}}), (Rates{3, 4.5, 4.5}));
    // 2:1: eight hosts of 6 over a trunk of 24, and one flow that stays below the leaf with the first host.
    QCOMPARE(ratesOf({6, 6, 6, 6, 6, 6, 6, 6, 24}, {{0, 8}, {1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}, {6, 8}, {7, 8}, {0}}),
             (Rates{3, 3, 3, 3, 3, 3, 3, 3, 3}));
}

void TestFlowNetwork::whatAFlowLeavesGoesToTheOthers()
{
    // 10 GB/s; 1 MB and 3 MB from 0: 5 GB/s each until 200 us, then 2 MB alone for 200 us.
    QCOMPARE(run({{10 * kGB}, {{{0}, 1'000'000, 0}, {{0}, 3'000'000, 0}}}, true), (Times{200 * kUs, 400 * kUs}));
    // The second starts at 100 us, when the first has 2 of its 3 MB left; at 300 us it has its 1 MB, and the first has 1 MB left.
    QCOMPARE(run({{10 * kGB}, {{{0}, 3'000'000, 0}, {{0}, 1'000'000, 100 * kUs}}}, true), (Times{400 * kUs, 300 * kUs}));
}

void TestFlowNetwork::aFlowThatGivesWayLetsOthersElsewhereGoFaster()
{
    // a alone on a link of 10, c alone on one of 4; then b over both: b and c have 2 each, so a has 8. When c has ended, b has 4 and a 6.
    FlowNetwork network(10);
    const std::vector<std::int32_t> ten{network.addResource(10)};
    const std::vector<std::int32_t> four{network.addResource(4)};
    const std::vector<std::int32_t> both{0, 1};
    const std::int64_t u = network.unitsPerByte();
    const std::int32_t a = startFlow(network, ten, 1'000'000);
    const std::int32_t c = startFlow(network, four, 20);
    network.solve(0);
    QCOMPARE(network.rate(a), 10 * u);
    QCOMPARE(network.rate(c), 4 * u);
    const std::int32_t b = startFlow(network, both, 1'000'000);
    network.solve(kPsPerSecond); // c has 16 left.
    QCOMPARE((Times{network.rate(a), network.rate(b), network.rate(c)}), (Times{8 * u, 2 * u, 2 * u}));
    QCOMPARE(network.nextEnd(), 9 * kPsPerSecond);
    network.finish(c);
    network.solve(9 * kPsPerSecond);
    QCOMPARE((Times{network.rate(a), network.rate(b)}), (Times{6 * u, 4 * u}));
}

void TestFlowNetwork::flowsThatEndTogetherEndAtOneInstant()
{
    FlowNetwork network(kGB);
    const std::vector<std::int32_t> route{network.addResource(kGB)};
    for (int i = 0; i < 7; ++i)
        startFlow(network, route, 5000);
    startFlow(network, route, 5001);
    network.solve(0);
    std::vector<std::int32_t> ended;
    network.firstToEnd(ended);
    std::sort(ended.begin(), ended.end());
    QCOMPARE(ended, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6}));
    QCOMPARE(network.nextEnd(), 40 * kUs);
}

void TestFlowNetwork::fastResourcesTakeCoarserUnits()
{
    QCOMPARE(FlowNetwork(1).unitsPerByte(), 720720);
    QCOMPARE(FlowNetwork(6'398'000'000'000).unitsPerByte(), 720720); // 2^62 / 720720 = 6.3988.. 10^12
    QCOMPARE(FlowNetwork(6'399'000'000'000).unitsPerByte(), 5040);
    QCOMPARE(FlowNetwork(INT64_MAX).unitsPerByte(), 1);
    // No rate is 0, so that everything ends: two flows on a resource of 1 B/s next to the fastest there can be.
    const Traffic traffic{{1, INT64_MAX}, {{{0}, 3, 0}, {{0, 1}, 3, 0}}};
    QCOMPARE(run(traffic, false), (Times{3 * kPsPerSecond, 3 * kPsPerSecond}));
}

void TestFlowNetwork::ratesAreThoseOfFillingAnewAtEveryInstant_data()
{
    QTest::addColumn<TrafficKind>("kind");
    QTest::newRow("anything") << TrafficKind::Anything;
    QTest::newRow("much at once") << TrafficKind::MuchAtOnce;
    QTest::newRow("equal rates with a rest") << TrafficKind::EqualRates;
    QTest::newRow("least rates") << TrafficKind::LeastRates;
}

void TestFlowNetwork::ratesAreThoseOfFillingAnewAtEveryInstant()
{
    QFETCH(const TrafficKind, kind);
    for (const std::uint64_t seed : Seeds(0, 1500)) {
        const Traffic traffic = randomTraffic(seed, kind);
        const Times ends = run(traffic, true);
        for (std::size_t flow = 0; flow < ends.size(); ++flow) {
            std::int64_t slowest = INT64_MAX;
            for (const std::int32_t resource : traffic.flows[flow].resources)
                slowest = std::min(slowest, traffic.capacities[at(resource)]);
            QVERIFY(ends[flow] - traffic.flows[flow].start >= mulDivCeil(traffic.flows[flow].bytes, kPsPerSecond, slowest));
        }
    }
}

void TestFlowNetwork::ratesAreThoseOfExactFractions()
{
    for (const std::uint64_t seed : Seeds(0, 2000)) {
        Random random(seed);
        const std::int64_t resources = 1 + random.below(6);
        std::vector<std::int64_t> capacities;
        FlowNetwork network(20'000'000);
        for (std::int64_t r = 0; r < resources; ++r) {
            capacities.push_back(1'000'000 * (1 + random.below(20)));
            network.addResource(capacities.back());
        }
        std::vector<std::vector<std::int32_t>> routes;
        std::vector<std::int32_t> flows;
        const std::int64_t count = 1 + random.below(10);
        for (std::int64_t f = 0; f < count; ++f) {
            const std::vector<std::int32_t> order = permutation(static_cast<std::int32_t>(resources), random);
            routes.emplace_back(order.begin(), order.begin() + 1 + random.below(std::min<std::int64_t>(resources, 4)));
            flows.push_back(startFlow(network, routes.back(), 1'000'000'000));
            if (random.below(3) == 0)
                network.solve(f + 1);
        }
        network.solve(count + 1);
        const std::vector<Fraction> exact = fairShares(capacities, routes);
        for (std::size_t f = 0; f < flows.size(); ++f) {
            // Rounding down takes less than a unit from each flow; what it leaves others is at most that of all flows.
            const double units = exact[f].value() * static_cast<double>(network.unitsPerByte());
            QVERIFY2(std::fabs(static_cast<double>(network.rate(flows[f])) - units) <= 20,
                     qPrintable(QString("seed %1 flow %2: %3, not %4").arg(seed).arg(f).arg(network.rate(flows[f])).arg(units, 0, 'f', 3)));
        }
    }
}

void TestFlowNetwork::endsAreThoseOfFullFillingInFloatingPoint()
{
    for (const std::uint64_t seed : Seeds(0, 1000)) {
        const Traffic traffic = randomTraffic(seed, seed % 2 == 0 ? TrafficKind::MuchAtOnce : TrafficKind::Anything);
        const Times ends = run(traffic, false);
        std::vector<FluidFlow> flows;
        for (const Traffic::Flow& flow : traffic.flows)
            flows.push_back({flow.resources, static_cast<long double>(flow.bytes), static_cast<long double>(flow.start)});
        const std::vector<long double> expected = fluidEnds(traffic.capacities, flows);
        for (std::size_t f = 0; f < ends.size(); ++f) {
            // Every end before may be up to 1 ps late and leave that much to others.
            QVERIFY2(std::fabs(static_cast<double>(expected[f] - static_cast<long double>(ends[f]))) <= 60,
                     qPrintable(QString("seed %1 flow %2: %3, not %4").arg(seed).arg(f).arg(ends[f]).arg(static_cast<double>(expected[f]), 0, 'f', 3)));
        }
    }
}

void TestFlowNetwork::numbersOfFlowsAndResourcesDecideNothing()
{
    for (const std::uint64_t seed : Seeds(0, 1500)) {
        const Traffic traffic = randomTraffic(seed, seed % 2 == 0 ? TrafficKind::MuchAtOnce : TrafficKind::Anything);
        const Times ends = run(traffic, false);
        Random random(seed + 1'000'000);
        const std::vector<std::int32_t> resourceNames = permutation(static_cast<std::int32_t>(traffic.capacities.size()), random);
        const std::vector<std::int32_t> flowNames = permutation(static_cast<std::int32_t>(traffic.flows.size()), random);
        Traffic renamed{Times(traffic.capacities.size()), std::vector<Traffic::Flow>(traffic.flows.size())};
        for (std::size_t r = 0; r < resourceNames.size(); ++r)
            renamed.capacities[at(resourceNames[r])] = traffic.capacities[r];
        for (std::size_t f = 0; f < flowNames.size(); ++f) {
            Traffic::Flow& flow = renamed.flows[at(flowNames[f])];
            flow = traffic.flows[f];
            for (std::int32_t& resource : flow.resources)
                resource = resourceNames[at(resource)];
            std::reverse(flow.resources.begin(), flow.resources.end());
        }
        const Times again = run(renamed, false);
        for (std::size_t f = 0; f < ends.size(); ++f)
            QVERIFY2(again[at(flowNames[f])] == ends[f], qPrintable(QString("seed %1 flow %2").arg(seed).arg(f)));
    }
}

void TestFlowNetwork::onlyWhatAChangeReachesIsSolvedAgain()
{
    // A thousand pairs of flows on links of their own: the end of one flow concerns one other.
    FlowNetwork network(kGB);
    std::vector<std::int32_t> first;
    for (std::int32_t link = 0; link < 1000; ++link) {
        const std::vector<std::int32_t> route{network.addResource(kGB)};
        first.push_back(startFlow(network, route, 1000 + link));
        startFlow(network, route, 1'000'000);
    }
    network.solve(0);
    const std::int64_t before = network.solvedFlows();
    QCOMPARE(before, 2000);
    QCOMPARE(network.nextEnd(), 2 * kUs);
    network.finish(first[0]);
    network.solve(2 * kUs);
    QCOMPARE(network.solvedFlows() - before, 1);
}

void TestFlowNetwork::aFlowMayTakeSeveralSharesOfAResource()
{
    // 12 for three shares of a and one of b, whose other link leaves it 2: a gets 10 / 3.
    FlowNetwork network(12);
    const std::int32_t wide = network.addResource(12);
    const std::int32_t narrow = network.addResource(2);
    const FlowNetwork::Crossing thrice{wide, 3};
    const FlowNetwork::Crossing both[] = {{wide, 1}, {narrow, 1}};
    const std::int32_t a = network.start({&thrice, 1}, 10);
    const std::int32_t b = network.start(both, 1000);
    network.solve(0);
    QCOMPARE(network.rate(a), 10 * network.unitsPerByte() / 3);
    QCOMPARE(network.rate(b), 2 * network.unitsPerByte());
    QCOMPARE(network.used(wide), 12 * network.unitsPerByte());
    QCOMPARE(network.nextEnd(), 3 * kPsPerSecond);
    network.finish(a);
    network.solve(3 * kPsPerSecond);
    QCOMPARE(network.used(wide), 2 * network.unitsPerByte());
}

/// Every node of a ring sends to the nodes at some distances, over all links between, and over a budget of its own; the folded ring has one node.
void TestFlowNetwork::aFlowOfAFoldedRingIsEachOfTheRing()
{
    for (const std::uint64_t seed : Seeds(0, 300)) {
        Random random(seed);
        const auto nodes = static_cast<std::int32_t>(2 + random.below(12));
        const std::int64_t rate = kGB + random.below(3) * 1'000'003;
        const std::int64_t budget = kGB + random.below(3 * kGB);
        Traffic ring{Times(static_cast<std::size_t>(nodes), rate), {}};
        ring.capacities.resize(static_cast<std::size_t>(2 * nodes), budget);
        FlowNetwork one(std::max(rate, budget));
        one.addResource(rate);
        one.addResource(budget);
        std::map<std::int32_t, std::size_t> kindOf;
        const auto kinds = static_cast<std::size_t>(1 + random.below(6));
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            const auto hops = static_cast<std::int32_t>(1 + random.below(nodes - 1));
            const std::int64_t bytes = 1'000'000 * (1 + random.below(3));
            for (std::int32_t node = 0; node < nodes; ++node) {
                Traffic::Flow flow{{nodes + node}, bytes, 0};
                for (std::int32_t hop = 0; hop < hops; ++hop)
                    flow.resources.push_back((node + hop) % nodes);
                ring.flows.push_back(flow);
            }
            const FlowNetwork::Crossing crossings[] = {{0, hops}, {1, 1}};
            kindOf[one.start(crossings, bytes)] = kind;
        }
        const Times expected = run(ring, false);
        std::vector<std::int32_t> ended;
        for (std::int64_t now = 0; one.isDirty();) {
            one.solve(now);
            now = one.nextEnd();
            ended.clear();
            one.firstToEnd(ended);
            for (const std::int32_t flow : ended) {
                const std::size_t first = kindOf.at(flow) * static_cast<std::size_t>(nodes);
                for (std::int32_t node = 0; node < nodes; ++node)
                    QCOMPARE(expected[first + static_cast<std::size_t>(node)], now);
                one.finish(flow);
                kindOf.erase(flow);
            }
        }
        QVERIFY(kindOf.empty());
    }
}

FABRICSCOPE_TEST(TestFlowNetwork)
#include "tst_flownetwork.moc"
