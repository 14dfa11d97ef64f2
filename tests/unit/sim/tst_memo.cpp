// Answers that are used again: what is kept and forgotten, and the engines memo and auto on designs with one defect.
#include "core/base/index.h"
#include "core/sim/simulate.h"
#include "core/sim/components/memo.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/perturbed.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <thread>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr Defect kDefects[] = {Defect::SlowLink, Defect::LateLink, Defect::SlowNpu, Defect::SlowReducer, Defect::LongerTask, Defect::ExtraTask};

Result<RunRecord> memoRun(const Scenario& scenario, EngineChoice engine)
{
    RunOptions options;
    options.engine = engine;
    return simulate(scenario, options);
}

/// Compares an engine with the event engine on symmetric designs with one defect; runs by first engine, "refused" and "wrong".
std::map<std::string, int> perturbedRuns(EngineChoice engine, std::uint64_t firstSeed, int count)
{
    std::map<std::string, int> runs;
    for (int i = 0; i < cases(count); ++i) {
        const std::uint64_t seed = firstSeed + static_cast<std::uint64_t>(i);
        const Defect defect = kDefects[seed % std::size(kDefects)];
        std::string what;
        const CaseSpec spec = seed % 2 == 0 ? perturbed(symmetricCase(seed, {}), seed, defect, &what) : layeredCase(seed, defect);
        const Scenario scenario = sharedBuild(spec);
        const Result<RunRecord> answer = memoRun(scenario, engine);
        if (!answer) {
            ++runs[answer.error().code == ErrorCode::Unsupported && engine != EngineChoice::Auto ? "refused" : "wrong"];
            continue;
        }
        ++runs[answer.value().engines.front().engine];
        const Result<RunRecord> truth = memoRun(scenario, EngineChoice::Events);
        const std::string found = truth ? difference(answer.value(), truth.value()) : truth.error().text();
        if (!found.empty()) {
            qWarning("seed %llu, %s: %s\n%s", static_cast<unsigned long long>(seed), what.c_str(), found.c_str(), spec.text().c_str());
            ++runs["wrong"];
            break;
        }
    }
    for (const auto& [engineName, number] : runs)
        qInfo("%s: %d", engineName.c_str(), number);
    return runs;
}

events::CollectiveAnswerPtr answerOf(std::int64_t messages)
{
    auto answer = std::make_shared<events::CollectiveAnswer>();
    answer->messages = messages;
    return answer;
}

} // namespace

class TestMemo : public QObject {
    Q_OBJECT

private slots:
    void answersAreFoundByTheirKey()
    {
        events::Memo memo(1 << 20);
        QVERIFY(!memo.find({1, 2}));
        memo.keep({1, 2}, answerOf(7), [](const auto&) { QFAIL("nothing has to go"); });
        memo.keep({1, 3}, answerOf(8), [](const auto&) { QFAIL("nothing has to go"); });
        QVERIFY(memo.find({1, 2}));
        QCOMPARE(memo.find({1, 2})->answer->messages, 7);
        QCOMPARE(memo.find({1, 3})->answer->messages, 8);
        QVERIFY(!memo.find({2, 2}));
    }

    void usesAtOneInstantAreCountedTogether()
    {
        events::Memo::Kept kept;
        kept.use(5);
        kept.use(5);
        kept.use(9);
        QCOMPARE(kept.uses.size(), std::size_t{2});
        QCOMPARE(kept.uses[0], (std::pair<std::int64_t, std::int64_t>{5, 2}));
        QCOMPARE(kept.uses[1], (std::pair<std::int64_t, std::int64_t>{9, 1}));
    }

    void theOldestIsForgottenAndHandedOver()
    {
        const std::int64_t each = answerOf(1)->bytes();
        events::Memo memo(2 * each);
        std::vector<std::int64_t> gone;
        const auto forgotten = [&](const events::Memo::Kept& kept) {
            for (const auto& [start, times] : kept.uses)
                gone.push_back(start * 100 + times);
        };
        memo.keep({0, 1}, answerOf(1), forgotten).use(3);
        memo.keep({0, 2}, answerOf(2), forgotten).use(4);
        QVERIFY(gone.empty());
        memo.keep({0, 3}, answerOf(3), forgotten);
        QCOMPARE(gone, std::vector<std::int64_t>{301});
        QVERIFY(!memo.find({0, 1}));
        QVERIFY(memo.find({0, 2}));
        QCOMPARE(memo.bytes(), 2 * each);
    }

    // One link, NPU or task of a random symmetric design is changed.
    void autoEqualsTheEventEngineWithOneDefect()
    {
        auto runs = perturbedRuns(EngineChoice::Auto, 30'000'000, 2400);
        QCOMPARE(runs["wrong"], 0);
        QVERIFY(runs["memo"] > cases(200));
    }

    void memoEqualsTheEventEngineWithOneDefectOrRefuses()
    {
        auto runs = perturbedRuns(EngineChoice::Memo, 31'000'000, 1800);
        QCOMPARE(runs["wrong"], 0);
        QVERIFY(runs["memo"] > cases(200));
        QVERIFY(runs["refused"] > 0);
    }

    // A defect that nobody notices (a reducer of the same speed, a link that is not used) may leave all NPUs alike; none that is set does.
    void symmetryEqualsTheEventEngineWithOneDefectOrRefuses()
    {
        auto runs = perturbedRuns(EngineChoice::Symmetry, 32'000'000, 1800);
        QCOMPARE(runs["wrong"], 0);
        QVERIFY(runs["refused"] > cases(1200));
    }

    void eightThreadsGetTheSameRecords()
    {
        for (const int threads : {1, 2, 8}) {
            std::vector<std::string> found(static_cast<std::size_t>(threads));
            std::vector<std::thread> workers;
            for (int number = 0; number < threads; ++number) {
                workers.emplace_back([&found, number] {
                    for (std::uint64_t seed = 33'000'000; seed < 33'000'000 + static_cast<std::uint64_t>(cases(40)); ++seed) {
                        const Scenario scenario = sharedBuild(layeredCase(seed, Defect::SlowLink));
                        const Result<RunRecord> one = memoRun(scenario, EngineChoice::Auto);
                        const Result<RunRecord> truth = memoRun(scenario, EngineChoice::Events);
                        if (!one || !truth || !difference(one.value(), truth.value()).empty())
                            found[at(number)] += ' ' + std::to_string(seed);
                    }
                });
            }
            for (std::thread& worker : workers)
                worker.join();
            for (const std::string& text : found)
                QCOMPARE(text, std::string());
        }
    }

    void partialRecordsAreCutAndGoForward()
    {
        const Scenario scenario = sharedBuild(layeredCase(34'000'001, Defect::SlowLink));
        RunOptions options;
        options.engine = EngineChoice::Memo;
        std::int64_t last = -1;
        options.partial = [&](RunRecord record) {
            QVERIFY(record.cutAt.has_value());
            QVERIFY(record.cutAt->ps >= last);
            last = record.cutAt->ps;
        };
        QVERIFY(simulate(scenario, options));
    }
};

FABRICSCOPE_TEST(TestMemo)
#include "tst_memo.moc"
