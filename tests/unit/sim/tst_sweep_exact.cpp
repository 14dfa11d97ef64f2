#include "core/base/index.h"
#include "core/sim/simulate.h"
#include "core/sim/sweep/sweep.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/sweepcase.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

Result<RunRecord> sweptRun(const Scenario& scenario, EngineChoice engine)
{
    RunOptions options;
    options.engine = engine;
    options.messageDigest = true;
    return simulate(scenario, options);
}

/// Compares the cases of some seeds on both engines, message by message; returns how many the sweep took, or -1.
int compare(std::uint64_t firstSeed, int count, const SweepLimits& limits)
{
    int swept = 0;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t seed = firstSeed + static_cast<std::uint64_t>(i);
        const CaseSpec spec = sweepCase(seed, limits);
        const Scenario scenario = sharedBuild(spec);
        const Result<RunRecord> answer = sweptRun(scenario, EngineChoice::Sweep);
        if (!answer) {
            if (answer.error().code != ErrorCode::Unsupported || qEnvironmentVariableIsSet("SWEEP_SHOW"))
                qWarning("seed %llu: %s", static_cast<unsigned long long>(seed), answer.error().text().c_str());
            continue;
        }
        ++swept;
        const Result<RunRecord> truth = sweptRun(scenario, EngineChoice::Events);
        if (!truth)
            qFatal("%s", truth.error().text().c_str());
        std::string found = difference(answer.value(), truth.value());
        if (found.empty() && answer.value().messages.count() == 0)
            found = "no digest";
        if (!found.empty()) {
            qWarning("seed %llu: %s\n%s", static_cast<unsigned long long>(seed), found.c_str(), spec.text().c_str());
            return -1;
        }
    }
    return swept;
}

/// Lets every rank compute before the collective, for one of so many durations, which are multiples of `stepPs`. Returns them.
std::vector<std::int64_t> enter(CaseSpec& spec, std::uint64_t seed, std::uint64_t durations, std::int64_t stepPs)
{
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> entries;
    for (auto& tasks : spec.tasks) {
        CaseSpec::Task compute;
        compute.durationPs = static_cast<std::int64_t>(random() % durations) * stepPs;
        entries.push_back(compute.durationPs);
        tasks.push_back(compute);
        tasks.front().depends.push_back(static_cast<TaskIndex>(tasks.size() - 1));
    }
    return entries;
}

/// Of exits and links; empty: none.
std::string outcomeDifference(const CollectiveOutcome& found, const RunRecord& truth)
{
    for (const RankClass& alike : truth.classes) {
        for (const RankSet::Interval& interval : alike.ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank) {
                if (found.exitPs[at(rank)] != alike.times.finish.ps)
                    return "rank " + std::to_string(rank) + " ends at " + std::to_string(found.exitPs[at(rank)]) + ", not " + std::to_string(alike.times.finish.ps);
            }
        }
    }
    if (found.messages != truth.engines.front().messages)
        return "messages";
    std::vector<LinkUse> links = truth.links;
    std::sort(links.begin(), links.end(), [](const LinkUse& a, const LinkUse& b) { return a.link < b.link; });
    const auto same = [](const LinkUse& a, const LinkUse& b) { return a.link == b.link && a.messages == b.messages && a.bytes == b.bytes && a.busyPs == b.busyPs; };
    return std::equal(links.begin(), links.end(), found.links.begin(), found.links.end(), same) ? "" : "links";
}

} // namespace

class TestSweepExact : public QObject {
    Q_OBJECT

private slots:
    void ringsOverUnequalLinksEqualTheEventEngine()
    {
        QCOMPARE_GE(compare(1, cases(1500), {}), cases(1100));
    }

    void tiesEqualTheEventEngine()
    {
        SweepLimits limits;
        limits.equal = true;
        QCOMPARE_GE(compare(100'000, cases(1500), limits), cases(1100));
    }

    void unevenBlocksEqualTheEventEngine()
    {
        SweepLimits limits;
        limits.uneven = true;
        QCOMPARE_GE(compare(200'000, cases(1000), limits), cases(700));
        limits.equal = true;
        QCOMPARE_GE(compare(300'000, cases(500), limits), cases(350));
    }

    /// Without digest and busy time the fast loop runs: everything else must be the same.
    void withoutObserverTheTotalsAreTheSame()
    {
        for (std::uint64_t seed = 400'000; seed < 400'000 + static_cast<std::uint64_t>(cases(1000)); ++seed) {
            SweepLimits limits;
            limits.equal = seed % 2 == 0;
            const Scenario scenario = sharedBuild(sweepCase(seed, limits));
            RunOptions options;
            options.engine = EngineChoice::Sweep;
            options.busyOverTime = false;
            const Result<RunRecord> answer = simulate(scenario, options);
            if (!answer)
                continue;
            options.engine = EngineChoice::Events;
            Result<RunRecord> truth = simulate(scenario, options);
            QVERIFY(truth);
            for (DimensionUse& use : truth.value().dimensions)
                use.busy = {};
            QCOMPARE(difference(answer.value(), truth.value()), std::string());
            QCOMPARE(answer.value().engines.front().engine, std::string("sweep"));
            QCOMPARE(answer.value().engines.front().messages, truth.value().engines.front().messages);
        }
    }

    /// Ranks that enter at times of their own: computations before the collective for the event engine, entries for the sweep.
    void entriesOfTheirOwnEqualTheEventEngine()
    {
        int swept = 0;
        for (std::uint64_t seed = 500'000; seed < 500'000 + static_cast<std::uint64_t>(cases(1000)); ++seed) {
            SweepLimits limits;
            limits.equal = seed % 3 == 0;
            CaseSpec spec = sweepCase(seed, limits);
            const std::vector<std::int64_t> entries = limits.equal ? enter(spec, seed, 5, 1000) : enter(spec, seed, 3'000'000, 1);
            const Scenario scenario = sharedBuild(spec);
            SweepOptions options;
            options.messageDigest = true;
            const auto outcome = sweepCollective(scenario, 0, entries, options, {});
            if (!outcome)
                continue;
            if (!outcome.value()) // Two dimensions wait for each other's present instant: left to the event engine.
                continue;
            ++swept;
            const Result<RunRecord> truth = sweptRun(scenario, EngineChoice::Events);
            QVERIFY(truth);
            const CollectiveOutcome& found = *outcome.value();
            const std::string differs = outcomeDifference(found, truth.value());
            QVERIFY2(differs.empty(), (std::to_string(seed) + ": " + differs + '\n' + spec.text()).c_str());
            QVERIFY2(found.digest.value() == truth.value().messages.value() && found.digest.count() == truth.value().messages.count(),
                     (std::to_string(seed) + '\n' + spec.text()).c_str());
        }
        QCOMPARE_GE(swept, cases(700));
    }

    /// Lines that stand as others stood are not served (linememo.h). Some ranks enter late, so that others are alike but for a span.
    void linesThatAreAlikeEqualTheEventEngine()
    {
        std::int64_t repeats = 0;
        int swept = 0;
        for (const std::uint64_t seed : Seeds(700'000, 1000)) {
            SweepLimits limits;
            limits.equal = seed % 3 == 0;
            limits.alike = true;
            CaseSpec spec = sweepCase(seed, limits);
            const std::vector<std::int64_t> entries = enter(spec, seed, seed % 4 == 0 ? 2 : 1, 700'000);
            const Scenario scenario = sharedBuild(spec);
            SweepOptions options;
            const auto outcome = sweepCollective(scenario, 0, entries, options, {});
            if (!outcome)
                continue;
            options.messageDigest = true; // With it every line is served.
            const auto served = sweepCollective(scenario, 0, entries, options, {});
            QVERIFY(served && served.value().has_value() == outcome.value().has_value());
            if (!outcome.value())
                continue;
            ++swept;
            QCOMPARE(served.value()->repeats, 0);
            repeats += outcome.value()->repeats;
            const Result<RunRecord> truth = sweptRun(scenario, EngineChoice::Events);
            QVERIFY(truth);
            const std::string differs = outcomeDifference(*outcome.value(), truth.value());
            QVERIFY2(differs.empty(), (std::to_string(seed) + ": " + differs + '\n' + spec.text()).c_str());
        }
        QCOMPARE_GE(swept, cases(700));
        QCOMPARE_GE(repeats, cases(8000));
    }

    /// Serving first messages too early breaks the order somewhere; wherever it does, no answer comes back, and where one does it is right.
    void brokenOrdersAreFound()
    {
        int refused = 0;
        int held = 0;
        for (std::uint64_t seed = 600'000; seed < 600'000 + static_cast<std::uint64_t>(cases(400)); ++seed) {
            const Scenario scenario = sharedBuild(sweepCase(seed, {}));
            if (!sweepApplies(scenario, 0))
                continue;
            const std::vector<std::int64_t> entries(static_cast<std::size_t>(scenario.structure->workload->rankCount), 0);
            SweepOptions options;
            options.messageDigest = true;
            const auto truth = sweepCollective(scenario, 0, entries, options, {});
            QVERIFY(truth);
            if (!truth.value())
                continue;
            options.hastePs = 1'000'000'000;
            const auto answer = sweepCollective(scenario, 0, entries, options, {});
            QVERIFY(answer);
            if (!answer.value()) {
                ++refused;
                continue;
            }
            ++held;
            QVERIFY(answer.value()->digest.value() == truth.value()->digest.value());
            QVERIFY(answer.value()->exitPs == truth.value()->exitPs);
        }
        QVERIFY(refused > cases(20));
        QVERIFY(held > cases(20));
    }

    void aSlowLinkKeepsTheSweep()
    {
        // 4 x 4 torus, one link ten times slower.
        CaseSpec spec = worldCollective({{Shape::Ring, 4, 50'000'000'000, 500'000}, {Shape::Ring, 4, 50'000'000'000, 500'000}}, CollectiveOp::AllReduce, 1 << 20, 4,
                                        standardBody(CollectiveOp::AllReduce, {4, 4}, {Algorithm::Ring, Algorithm::Ring}));
        spec.overrides.push_back({2, 5'000'000'000, 500'000});
        const Scenario scenario = sharedBuild(spec);
        const Result<RunRecord> answer = sweptRun(scenario, EngineChoice::Auto);
        QVERIFY(answer);
        QCOMPARE(answer.value().engines.front().engine, std::string("sweep"));
        QCOMPARE(difference(answer.value(), sweptRun(scenario, EngineChoice::Events).value()), std::string());
    }

    void whatItDoesNotFollowIsSaid()
    {
        CaseSpec spec = worldCollective({{Shape::Ring, 4, 50'000'000'000, 500'000}}, CollectiveOp::AllReduce, 1 << 20, 4,
                                        standardBody(CollectiveOp::AllReduce, {4}, {Algorithm::Direct}));
        const Result<RunRecord> answer = sweptRun(sharedBuild(spec), EngineChoice::Sweep);
        QVERIFY(!answer);
        QCOMPARE(answer.error().code, ErrorCode::Unsupported);
        QVERIFY(answer.error().message.find("direct") != std::string::npos);
    }
};

FABRICSCOPE_TEST(TestSweepExact)
#include "tst_sweep_exact.moc"
