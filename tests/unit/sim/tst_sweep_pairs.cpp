#include "core/base/index.h"
#include "core/sim/simulate.h"
#include "core/sim/sweep/sweep.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/sweepcase.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/draw.h"
#include "tests/unit/support/recorddifference.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A direct reduce-scatter or all-reduce between NPUs with links to each other, some with figures of their own.
CaseSpec pairCase(std::uint64_t seed)
{
    Draw draw(seed);
    const bool equal = draw.oneIn(2);
    const auto npus = static_cast<std::int32_t>(draw.from(2, 9));
    const auto chunks = static_cast<std::int32_t>(draw.from(1, 5));
    const std::int64_t rate = equal ? 1'000'000'000 : draw.from(1'000'000'000, 9'000'000'000);
    const CaseSpec::Dim dim{Shape::FullyConnected, npus, rate, equal ? 1000 * draw.from(0, 2) : draw.from(0, 300'000)};
    const std::int64_t bytes = std::int64_t{npus} * chunks * (equal ? 1000 : draw.from(1, 4000));
    const CollectiveOp op = draw.oneIn(3) ? CollectiveOp::ReduceScatter : CollectiveOp::AllReduce;
    CaseSpec spec = worldCollective({dim}, op, draw.oneIn(3) ? bytes + draw.from(0, bytes) : bytes, chunks, standardBody(op, {npus}, {Algorithm::Direct}));
    spec.model = draw.oneIn(4) ? Model::Ideal : Model::Links;
    spec.pieceBytes = draw.oneIn(2) ? 700 : 256 * 1024;
    spec.endpointDelayPs = draw.oneIn(3) ? 1000 * draw.from(1, 20) : 0;
    for (LinkId link = draw.from(0, 3); link < std::int64_t{npus} * (npus - 1); link += draw.from(1, 20))
        spec.overrides.push_back({link, equal ? 500'000'000 : draw.from(200'000'000, 5'000'000'000), equal ? 1000 * draw.from(0, 2) : draw.from(0, 400'000)});
    return spec;
}

Result<RunRecord> recordOf(const Scenario& scenario, EngineChoice engine)
{
    RunOptions options;
    options.engine = engine;
    options.messageDigest = true;
    return simulate(scenario, options);
}

} // namespace

class TestSweepPairs : public QObject {
    Q_OBJECT

private slots:
    void directPhasesOverLinksOfTheirOwnEqualTheEventEngine()
    {
        for (const std::uint64_t seed : Seeds(900'000, 1000)) {
            const auto scenario = build(pairCase(seed));
            QVERIFY(scenario);
            const Result<RunRecord> answer = recordOf(scenario.value(), EngineChoice::Sweep);
            QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
            QVERIFY(answer.value().messages.count() > 0);
            QCOMPARE(difference(answer.value(), recordOf(scenario.value(), EngineChoice::Events).value()), std::string());
        }
    }

    /// Ranks that enter at times of their own: computations before the collective for the event engine.
    void entriesOfTheirOwnEqualTheEventEngine()
    {
        int swept = 0;
        for (const std::uint64_t seed : Seeds(910'000, 500)) {
            CaseSpec spec = pairCase(seed);
            Draw draw(seed);
            std::vector<std::int64_t> entries;
            for (auto& tasks : spec.tasks) {
                CaseSpec::Task compute;
                compute.durationPs = seed % 2 == 0 ? 1000 * draw.from(0, 2000) : draw.from(0, 3'000'000);
                entries.push_back(compute.durationPs);
                tasks.push_back(compute);
                tasks.front().depends.push_back(static_cast<TaskIndex>(tasks.size() - 1));
            }
            const auto scenario = build(spec);
            QVERIFY(scenario);
            SweepOptions options;
            options.messageDigest = true;
            const auto outcome = sweepCollective(scenario.value(), 0, entries, options, {});
            QVERIFY(outcome);
            if (!outcome.value()) // A part is there before its owner.
                continue;
            ++swept;
            const RunRecord truth = recordOf(scenario.value(), EngineChoice::Events).value();
            QVERIFY(outcome.value()->digest.value() == truth.messages.value());
            for (const RankClass& alike : truth.classes) {
                for (const RankSet::Interval& interval : alike.ranks.intervals()) {
                    for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                        QCOMPARE(outcome.value()->exitPs[at(rank)], alike.times.finish.ps);
                }
            }
        }
        QCOMPARE_GE(swept, cases(180));
    }

    /// Eight blocks of 1000 B at 1 B/ns and 100 ns; over one link at half the rate.
    void aSlowLinkDelaysWhatFollowsFromIt()
    {
        CaseSpec spec = worldCollective({{Shape::FullyConnected, 8, 1'000'000'000, 100'000}}, CollectiveOp::AllReduce, 8000, 1,
                                        standardBody(CollectiveOp::AllReduce, {8}, {Algorithm::Direct}));
        spec.overrides.push_back({0, 500'000'000, 100'000});
        const auto answer = recordOf(build(spec).value(), EngineChoice::Auto);
        QVERIFY(answer);
        QCOMPARE(answer.value().engines.front().engine, std::string("sweep"));
        // The slow link serves its first message until 2000 ns and, ready at 1100, its second from then to 4000; 100 more.
        QCOMPARE(answer.value().finish.ps, std::int64_t{4'100'000});
    }

    void otherLinksAreRefused()
    {
        const CaseSpec spec = worldCollective({{Shape::Ring, 4, 1'000'000'000, 100'000}}, CollectiveOp::AllReduce, 8000, 1,
                                              standardBody(CollectiveOp::AllReduce, {4}, {Algorithm::Direct}));
        QVERIFY(!sweepApplies(build(spec).value(), 0));
    }
};

FABRICSCOPE_TEST(TestSweepPairs)
#include "tst_sweep_pairs.moc"
