#include "core/sim/simulate.h"
#include "core/sim/symmetry/symmetricrun.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

class Dice {
public:
    explicit Dice(std::uint64_t seed) : m_random(seed) {}
    std::int64_t operator()(std::int64_t least, std::int64_t most)
    {
        return least + static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(most - least + 1));
    }

private:
    std::mt19937_64 m_random;
};

/// Of the scenario folded, with these shortcuts only.
RunRecord runFolded(const Scenario& scenario, const events::Shortcuts& shortcuts)
{
    const Result<FoldedScenario> folded = foldScenario(scenario);
    Result<RunRecord> record = folded ? simulateFolded(folded.value(), {}, {}, shortcuts) : folded.error();
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return std::move(record).value();
}

RunRecord periodRun(const Scenario& scenario, EngineChoice engine)
{
    RunOptions options;
    options.engine = engine;
    Result<RunRecord> record = simulate(scenario, options);
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return std::move(record).value();
}

/// Rings long enough to repeat themselves: one or two dimensions, several chunks in flight, pieces, reducers, budgets, overheads, and
/// computations that end in between.
CaseSpec longRing(std::uint64_t seed)
{
    Dice pick(seed);
    const bool two = pick(0, 3) == 0;
    std::vector<CaseSpec::Dim> dims;
    std::vector<std::int32_t> extents;
    std::int64_t members = 1;
    for (int d = 0; d < (two ? 2 : 1); ++d) {
        CaseSpec::Dim dim;
        dim.shape = static_cast<Shape>(pick(0, 2));
        dim.size = static_cast<std::int32_t>(two ? (d == 0 ? pick(2, 5) : pick(24, 40)) : pick(24, 96));
        dim.rate = pick(1, 40) * 1'000'000'000;
        dim.latencyPs = pick(0, 4) == 0 ? 1 : pick(1, 3'000'000);
        dims.push_back(dim);
        extents.push_back(dim.size);
        members *= dim.size;
    }
    const std::int64_t chunks = pick(1, 7);
    const CollectiveOp ops[] = {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter};
    const CollectiveOp op = ops[pick(0, 2)];
    const std::int64_t block = pick(0, 2) == 0 ? pick(1, 64) : pick(1, 100'000);
    CaseSpec spec = worldCollective(dims, op, block * members * chunks, static_cast<std::int32_t>(chunks),
                                    standardBody(op, extents, std::vector<Algorithm>(extents.size(), Algorithm::Ring)));
    if (pick(0, 3) == 0)
        spec.model = Model::Ideal;
    if (pick(0, 1) == 0)
        spec.reducerRate = pick(1, 200) * 1'000'000'000;
    if (pick(0, 4) == 0)
        spec.injection = pick(1, 40) * 1'000'000'000;
    if (pick(0, 4) == 0)
        spec.ejection = pick(1, 40) * 1'000'000'000;
    if (pick(0, 2) == 0)
        spec.endpointDelayPs = pick(1, 2'000'000);
    spec.pieceBytes = pick(0, 1) == 0 ? 256 * 1024 : pick(1000, 20'000);
    if (pick(0, 2) == 0)
        spec.families[0].calls[0].window = static_cast<std::int32_t>(pick(1, chunks));
    if (pick(0, 2) == 0) { // Something that ends while the ring turns.
        CaseSpec::Task compute;
        compute.durationPs = pick(1, 200'000'000);
        for (std::vector<CaseSpec::Task>& tasks : spec.tasks)
            tasks.push_back(compute);
    }
    return spec;
}

} // namespace

class TestSymmetryPeriod : public QObject {
    Q_OBJECT

private slots:
    void ringsThatRepeatThemselvesEqualTheEventEngine()
    {
        int fewer = 0;
        const int count = cases(400);
        for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count); ++seed) {
            const CaseSpec spec = longRing(seed);
            const Scenario scenario = sharedBuild(spec);
            const RunRecord truth = periodRun(scenario, EngineChoice::Events);
            const RunRecord answer = periodRun(scenario, EngineChoice::Symmetry);
            QCOMPARE(answer.engines.front().engine, std::string("symmetry"));
            const std::string found = difference(answer, truth);
            QVERIFY2(found.empty(), ("seed " + std::to_string(seed) + ": " + found + '\n' + spec.text()).c_str());
            fewer += answer.events * spec.rankCount() * 2 < truth.events ? 1 : 0;
        }
        QVERIFY2(fewer > count / 4, std::to_string(fewer).c_str()); // Periods were passed over.
    }

    void ringAllToAllsEqualTheEventEngine()
    {
        Dice pick(7);
        for (int i = 0; i < cases(300); ++i) {
            const auto n = static_cast<std::int32_t>(pick(3, 40));
            const std::int64_t chunks = pick(0, 3) == 0 ? pick(2, 4) : 1;
            CaseSpec spec = worldCollective({{static_cast<Shape>(pick(0, 2)), n, pick(1, 40) * 1'000'000'000, pick(1, 2'000'000)}}, CollectiveOp::AllToAll,
                                            pick(1, 20'000) * n * chunks, static_cast<std::int32_t>(chunks), standardBody(CollectiveOp::AllToAll, {n}, {Algorithm::Ring}));
            spec.pieceBytes = pick(1000, 20'000);
            spec.endpointDelayPs = pick(0, 1) * pick(1, 1'000'000);
            if (pick(0, 3) == 0)
                spec.model = Model::Ideal;
            if (pick(0, 5) == 0)
                spec.injection = pick(1, 40) * 1'000'000'000;
            const Scenario scenario = sharedBuild(spec);
            const std::string found = difference(periodRun(scenario, EngineChoice::Symmetry), periodRun(scenario, EngineChoice::Events));
            QVERIFY2(found.empty(), (found + '\n' + spec.text()).c_str());
        }
    }

    /// Each alone, all and none: the same record, from fewer events where there was something to pass over.
    void everyShortcutGivesWhatFollowingEveryStepGives()
    {
        constexpr events::Shortcuts kAlone[] = {{true, false, false}, {false, true, false}, {false, false, true}};
        int fewer[3] = {};
        for (const std::uint64_t seed : Seeds(9000, 60, 30)) {
            CaseSpec spec = longRing(seed);
            if (seed % 3 == 0) {
                Dice pick(seed);
                const auto n = static_cast<std::int32_t>(pick(8, 40));
                spec = worldCollective({{Shape::Ring, n, pick(1, 40) * 1'000'000'000, pick(1, 2'000'000)}}, CollectiveOp::AllToAll, pick(1, 20'000) * n, 1,
                                       standardBody(CollectiveOp::AllToAll, {n}, {Algorithm::Ring}));
            }
            const Scenario scenario = sharedBuild(spec);
            const RunRecord plain = runFolded(scenario, {false, false, false});
            const RunRecord all = runFolded(scenario, {});
            QVERIFY2(difference(all, plain).empty(), (difference(all, plain) + '\n' + spec.text()).c_str());
            QVERIFY(all.events <= plain.events);
            for (std::size_t i = 0; i < std::size(kAlone); ++i) {
                const RunRecord record = runFolded(scenario, kAlone[i]);
                const std::string found = difference(record, plain);
                QVERIFY2(found.empty(), ("shortcut " + std::to_string(i) + ": " + found + '\n' + spec.text()).c_str());
                QVERIFY(record.events <= plain.events);
                fewer[i] += record.events < plain.events ? 1 : 0;
            }
        }
        for (const int met : fewer)
            QVERIFY2(met > 0, std::to_string(met).c_str());
    }

    // c chunks of an all-gather in a ring of n share a link that is never idle when c D >= L + D: (n - 1) c messages of D each, and the
    // latency of the last one.
    void theClosedFormOfManyChunks()
    {
        constexpr std::int32_t n = 4096;
        constexpr std::int32_t chunks = 8;
        const CaseSpec spec = worldCollective({{Shape::Ring, n, 10'000'000'000, 500'000}}, CollectiveOp::AllGather, std::int64_t{n} * chunks * 1000, chunks,
                                              standardBody(CollectiveOp::AllGather, {n}, {Algorithm::Ring}));
        const RunRecord record = periodRun(sharedBuild(spec), EngineChoice::Symmetry);
        constexpr std::int64_t each = 100'000; // 1000 B at 10 GB/s
        static_assert(chunks * each >= 500'000 + each);
        QCOMPARE(record.finish.ps, std::int64_t{n - 1} * chunks * each + 500'000);
        QVERIFY2(record.events < 4000, std::to_string(record.events).c_str());
    }
};

FABRICSCOPE_TEST(TestSymmetryPeriod)
#include "tst_symmetry_period.moc"
