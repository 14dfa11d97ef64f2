#include "core/base/index.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/cases/sweepcase.h"
#include "tests/unit/support/draw.h"
#include "tests/unit/support/recorddifference.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <array>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

Result<RunRecord> recordOf(const Scenario& scenario, EngineChoice engine, bool digest)
{
    RunOptions options;
    options.engine = engine;
    options.messageDigest = digest;
    options.busyOverTime = digest;
    return simulate(scenario, options);
}

/// How the sweep differs from the event engine, message by message and, without anybody who looks at messages, in all else; absent: it gives the run back.
std::optional<std::string> differenceOfSweep(const Scenario& scenario)
{
    const Result<RunRecord> answer = recordOf(scenario, EngineChoice::Sweep, true);
    if (!answer && answer.error().code == ErrorCode::Unsupported)
        return std::nullopt;
    Result<RunRecord> truth = recordOf(scenario, EngineChoice::Events, true);
    if (!answer || !truth)
        return (answer ? truth : answer).error().text();
    if (answer.value().messages.count() == 0)
        return "no digest";
    if (std::string found = difference(answer.value(), truth.value()); !found.empty())
        return found;
    const Result<RunRecord> unobserved = recordOf(scenario, EngineChoice::Sweep, false);
    if (!unobserved)
        return unobserved.error().text();
    truth.value().messages = {};
    for (DimensionUse& use : truth.value().dimensions)
        use.busy = {};
    return difference(unobserved.value(), truth.value());
}

/// Rates of some links that belong to no switch change once or twice, in the course of the run and at instants at which pieces are taken.
std::vector<LinkFault> changesOf(const Scenario& scenario, std::uint64_t seed, bool equal)
{
    Draw draw(seed);
    const std::int64_t end = recordOf(scenario, EngineChoice::Auto, false).value().finish.ps;
    const std::int64_t grid = equal ? (draw.oneIn(2) ? 1'000'000 : 1000) : 1;
    const Platform& platform = scenario.structure->platform;
    std::map<LinkId, std::int64_t> after; // When the last change of a link has passed.
    std::vector<LinkFault> faults;
    for (std::int64_t left = draw.from(1, 4); left > 0; --left) {
        LinkFault fault;
        fault.link = draw.from(0, platform.linkCount() - 1);
        std::int64_t& known = after[fault.link];
        if (known > end || platform.dimensions()[at(platform.linkInfo(fault.link).dimension)].shape == Shape::Switch)
            continue;
        fault.at.ps = (known + draw.from(0, end) / draw.from(1, 3)) / grid * grid;
        fault.at.ps = std::max(fault.at.ps, known);
        fault.rate = equal ? (draw.oneIn(2) ? 500'000'000 : 2'000'000'000) : draw.from(200'000'000, 9'000'000'000);
        known = INT64_MAX;
        if (!draw.oneIn(3))
            known = fault.at.ps + grid * draw.from(1, std::max<std::int64_t>(1, end / grid / 2));
        if (known < INT64_MAX)
            fault.until = SimTime{known};
        faults.push_back(fault);
    }
    return faults;
}

/// The case on links so fast that everything takes a few ps: what is drawn often brings messages to a place at one instant, and in another order.
CaseSpec squeezed(CaseSpec spec)
{
    constexpr std::int64_t kFaster = 500'000;
    for (CaseSpec::Dim& dim : spec.dims) {
        dim.rate *= kFaster;
        dim.latencyPs = 2 + dim.latencyPs / 200;
    }
    for (CaseSpec::Override& link : spec.overrides) {
        link.rate *= kFaster;
        link.latencyPs = 2 + link.latencyPs / 200;
    }
    spec.endpointDelayPs = std::min<std::int64_t>(spec.endpointDelayPs, 1);
    return spec;
}

NetworkParams jitterOf(std::uint64_t seed)
{
    Draw draw(seed);
    const auto table = [&] {
        const JitterShape shape = std::array{JitterShape::Uniform, JitterShape::Normal, JitterShape::Lognormal, JitterShape::Exponential}[at(draw.below(4))];
        return JitterTable({shape, std::array{0.05, 0.2, 0.3}[at(draw.below(3))]});
    };
    NetworkParams network;
    network.seed = seed;
    if (!draw.oneIn(4))
        network.latency = table();
    if (draw.oneIn(3) || network.latency.empty())
        network.occupancy = table();
    return network;
}

} // namespace

class TestSweepNetwork : public QObject {
    Q_OBJECT

private slots:
    void ratesThatChangeEqualTheEventEngine()
    {
        int swept = 0;
        for (const std::uint64_t seed : Seeds(700'000, 180)) {
            SweepLimits limits;
            limits.equal = seed % 2 == 0;
            limits.uneven = seed % 5 == 0;
            const auto plain = build(sweepCase(seed, limits));
            QVERIFY(plain);
            const std::vector<LinkFault> changes = changesOf(plain.value(), seed, limits.equal);
            if (changes.empty())
                continue;
            const Scenario scenario = withNetwork(plain.value(), {}, changes);
            const std::optional<std::string> found = differenceOfSweep(scenario);
            QVERIFY2(!found || found->empty(), found->c_str());
            swept += found ? 1 : 0;
        }
        QCOMPARE_GE(swept, cases(90));
    }

    void drawnDelaysEqualTheEventEngine()
    {
        int swept = 0;
        int tied = 0;
        for (const std::uint64_t seed : Seeds(800'000, 180)) {
            SweepLimits limits;
            limits.equal = seed % 2 == 0;
            limits.uneven = seed % 5 == 0;
            CaseSpec spec = sweepCase(seed, limits);
            LinkId npus = 1;
            for (CaseSpec::Dim& dim : spec.dims) {
                dim.shape = dim.shape == Shape::Switch ? Shape::Ring : dim.shape;
                npus *= dim.size;
            }
            std::erase_if(spec.overrides, [&](const CaseSpec::Override& entry) { return entry.link >= npus; }); // There may be fewer links now.
            const auto plain = build(limits.equal ? squeezed(spec) : spec);
            QVERIFY(plain);
            const std::optional<std::string> found = differenceOfSweep(withNetwork(plain.value(), jitterOf(seed)));
            QVERIFY2(!found || found->empty(), found->c_str());
            swept += found ? 1 : 0;
            tied += found && limits.equal ? 1 : 0;
        }
        QCOMPARE_GE(swept, cases(100));
        QCOMPARE_GE(tied, cases(45));
    }

    /// One ring of 4, 1 MiB a message, so 4 pieces of 262,144 ns at 1 B/ns.
    void aPieceTakesTheRateOfTheInstantThatTakesIt()
    {
        const auto stepTime = [](const std::string& faults, EngineChoice engine) {
            return simulated("fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 1 GB/s, latency: 100 ns}\nworkload: {collective: all_gather, size: 4 MiB}\n"
                             "collectives: {default: {algorithm: ring}}\nnetwork: {faults: [" + faults + "]}\n", engine).finish.ps;
        };
        // The first two pieces at 0 and 262,144 ns, the others at half the rate; they are what the last hop over the link waits for.
        const std::string halved = "{link: \"d0 0>1\", at: 500 us, factor: 1/2}";
        QCOMPARE(stepTime(halved, EngineChoice::Sweep), stepTime(halved, EngineChoice::Events));
        // Pieces at 0 to 786,432 ns, of which the third and fourth take twice as long: 1,572,864 ns, then two whole messages at half the rate and three latencies.
        QCOMPARE(stepTime(halved, EngineChoice::Sweep), (1'572'864 + 2 * 2'097'152 + 100) * std::int64_t{1000});
    }

    void whatElseTheNetworkDoesIsLeftToTheEventEngine()
    {
        const auto refused = [](const std::string& topology, const std::string& network) {
            const Scenario scenario = scenarioOf("fabricscope: 1\nplatform: {topology: " + topology + ", bandwidth: 1 GB/s, latency: 100 ns}\n"
                                                 "workload: {collective: all_gather, size: 4 MiB}\ncollectives: {default: {algorithm: ring}}\nnetwork: {" + network + "}\n");
            const Result<RunRecord> answer = recordOf(scenario, EngineChoice::Sweep, false);
            return answer ? std::string() : answer.error().message;
        };
        QVERIFY(refused("Ring(4)", "faults: [{link: \"d0 0>1\", at: 5 us, failed: true}]").find("network") != std::string::npos);
        QVERIFY(refused("Ring(4)", "launch: 1 us").find("network") != std::string::npos);
        QVERIFY(refused("Ring(4)", "jitter: {compute: {distribution: uniform, deviation: 0.1}}").find("network") != std::string::npos);
        QVERIFY(refused("Switch(4)", "jitter: {latency: {distribution: uniform, deviation: 0.1}}").find("of a switch are drawn") != std::string::npos);
        QVERIFY(refused("Switch(4)", "faults: [{link: \"d0 0>switch\", at: 5 us, factor: 1/2}]").find("link of a switch") != std::string::npos);
    }
};

FABRICSCOPE_TEST(TestSweepNetwork)
#include "tst_sweep_network.moc"
