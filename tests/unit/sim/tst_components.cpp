// Runs cut into collectives against the event engine: the same record, message by message, and the shares it claims.
#include "core/sim/components/components.h"
#include "core/sim/common/linkbusy.h"
#include "core/sim/events/events.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/perturbed.h"
#include "tests/unit/support/cases/randomcase.h"
#include "tests/unit/support/cases/shrinkcase.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

RunRecord byEvents(const Scenario& scenario)
{
    RunOptions options;
    options.messageDigest = true;
    Result<RunRecord> record = simulateEvents(scenario, options, {});
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return std::move(record).value();
}

Result<RunRecord> byComponents(const Scenario& scenario, const ComponentOptions& components)
{
    RunOptions options;
    options.messageDigest = true;
    return simulateComponents(scenario, options, components, {});
}

std::int64_t messagesOf(const RunRecord& record, const std::string& engine)
{
    const auto found = std::find_if(record.engines.begin(), record.engines.end(), [&](const EngineShare& share) { return share.engine == engine; });
    return found == record.engines.end() ? 0 : found->messages;
}

std::int64_t allMessages(const RunRecord& record)
{
    return std::accumulate(record.engines.begin(), record.engines.end(), std::int64_t{0}, [](std::int64_t sum, const EngineShare& share) { return sum + share.messages; });
}

/// What is wrong about a run in components; empty: nothing. A refusal is nothing.
std::string wrong(const CaseSpec& spec, const ComponentOptions& components, std::map<std::string, std::int64_t>* messages = nullptr)
{
    const Scenario scenario = sharedBuild(spec);
    const RunRecord truth = byEvents(scenario);
    const Result<RunRecord> answer = byComponents(scenario, components);
    if (!answer) {
        if (answer.error().code != ErrorCode::Unsupported)
            return answer.error().text();
        if (messages)
            ++(*messages)["refused"];
        return {};
    }
    if (const std::string found = difference(answer.value(), truth); !found.empty())
        return found;
    if (!(answer.value().messages.value() == truth.messages.value()) || answer.value().messages.count() != truth.messages.count())
        return "messages";
    if (allMessages(answer.value()) != allMessages(truth))
        return "shares that are not all messages";
    if (!components.memo && messagesOf(answer.value(), "memo") > 0)
        return "a memo that is off";
    for (const EngineShare& share : answer.value().engines) {
        if (messages)
            (*messages)[share.engine] += share.messages;
    }
    return {};
}

/// Runs many cases; messages by engine and "refused" runs. Fails the test at the first wrong case, shrunken.
template <typename MakeCase>
std::map<std::string, std::int64_t> compareMany(std::uint64_t firstSeed, int count, const ComponentOptions& components, const MakeCase& makeCase)
{
    std::map<std::string, std::int64_t> messages;
    for (int i = 0; i < cases(count); ++i) {
        const std::uint64_t seed = firstSeed + static_cast<std::uint64_t>(i);
        const CaseSpec spec = makeCase(seed);
        if (wrong(spec, components, &messages).empty())
            continue;
        const CaseSpec small = shrink(spec, [&](const CaseSpec& each) { return !wrong(each, components).empty(); });
        qWarning("seed %llu: %s\n%s", static_cast<unsigned long long>(seed), wrong(small, components).c_str(), small.text().c_str());
        messages["wrong"] = 1;
        break;
    }
    for (const auto& [engine, number] : messages)
        qInfo("%s: %lld", engine.c_str(), static_cast<long long>(number));
    return messages;
}

} // namespace

class TestComponents : public QObject {
    Q_OBJECT

private slots:
    void anyRandomCaseIsTheSameOrRefused()
    {
        // Overlapping groups, point-to-point messages, several jobs: what meets runs beside the boxes.
        auto messages = compareMany(10'000'000, 1500, {}, [](std::uint64_t seed) { return randomCase(seed, {}); });
        QCOMPARE(messages["wrong"], 0);
        QVERIFY(messages["events"] > 0);
        RandomLimits limits;
        limits.ties = true;
        messages = compareMany(11'000'000, 1000, {}, [&](std::uint64_t seed) { return randomCase(seed, limits); });
        QCOMPARE(messages["wrong"], 0);
        limits.grid = true;
        messages = compareMany(12'000'000, 1000, {}, [&](std::uint64_t seed) { return randomCase(seed, limits); });
        QCOMPARE(messages["wrong"], 0);
    }

    void rareFeaturesAreTheSameOrRefused()
    {
        RandomLimits limits;
        limits.odd = true;
        limits.maxNpus = 9;
        auto messages = compareMany(13'000'000, 1000, {}, [&](std::uint64_t seed) { return randomCase(seed, limits); });
        QCOMPARE(messages["wrong"], 0);
        limits = {};
        limits.explicitPrograms = true;
        messages = compareMany(14'000'000, 800, {}, [&](std::uint64_t seed) { return randomCase(seed, limits); });
        QCOMPARE(messages["wrong"], 0);
        limits = {};
        limits.explicitGraph = true;
        messages = compareMany(15'000'000, 800, {}, [&](std::uint64_t seed) { return randomCase(seed, limits); });
        QCOMPARE(messages["wrong"], 0);
    }

    void repeatedLayersComeOutOfTheMemo()
    {
        std::int64_t memo = 0;
        std::int64_t all = 0;
        for (const Defect defect : {Defect::None, Defect::SlowLink, Defect::LateLink, Defect::SlowNpu, Defect::SlowReducer, Defect::LongerTask, Defect::ExtraTask}) {
            auto messages = compareMany(20'000'000 + 1000 * static_cast<std::uint64_t>(defect), 250, {}, [&](std::uint64_t seed) { return layeredCase(seed, defect); });
            QCOMPARE(messages["wrong"], 0);
            memo += messages["memo"];
            all += messages["memo"] + messages["events"];
        }
        QVERIFY(2 * memo > all);
    }

    void symmetricDesignsAreTheSame()
    {
        auto messages = compareMany(21'000'000, 800, {}, [](std::uint64_t seed) { return symmetricCase(seed, {}); });
        QCOMPARE(messages["wrong"], 0);
        SymmetricLimits limits;
        limits.equal = true;
        messages = compareMany(22'000'000, 800, {}, [&](std::uint64_t seed) { return symmetricCase(seed, limits); });
        QCOMPARE(messages["wrong"], 0);
    }

    void withoutMemoEveryCollectiveIsAnsweredAnew()
    {
        ComponentOptions components;
        components.memo = false;
        auto messages = compareMany(23'000'000, 400, components, [](std::uint64_t seed) { return layeredCase(seed, Defect::SlowLink); });
        QCOMPARE(messages["wrong"], 0);
        QCOMPARE(messages["memo"], 0);
    }

    void aSmallMemoForgetsAndChangesNothing()
    {
        ComponentOptions components;
        components.memoBytes = 2000;
        auto messages = compareMany(24'000'000, 400, components, [](std::uint64_t seed) { return layeredCase(seed, Defect::SlowLink); });
        QCOMPARE(messages["wrong"], 0);
    }

    // Rows 0-3 and 4-7 of Ring(4) x Ring(2), each all-reducing 4 KiB three times with computation between; the links towards +1 of the
    // first row, ports 0 of NPUs 0-3, are slow. Six collectives of 24 messages (4 ranks x 2 x 3 steps): the first of each row is worked
    // out, the other four are known.
    void sharesCountMessages()
    {
        CaseSpec spec = rows(3);
        for (const LinkId link : {0, 2, 4, 6})
            spec.overrides.push_back({link, 10'000'000'000, 500'000});
        for (const bool sweep : {true, false}) {
            ComponentOptions components;
            components.sweep = sweep;
            const Result<RunRecord> record = byComponents(sharedBuild(spec), components);
            QVERIFY(record);
            QCOMPARE(record.value().engines.size(), std::size_t{2});
            QCOMPARE(record.value().engines[0].engine, std::string("memo"));
            QCOMPARE(record.value().engines[0].messages, 4 * 24);
            QCOMPARE(record.value().engines[0].share, 4.0 / 6.0);
            QCOMPARE(record.value().engines[1].engine, std::string(sweep ? "sweep" : "events"));
            QCOMPARE(record.value().engines[1].messages, 2 * 24);
            QCOMPARE(wrong(spec, components), std::string());
        }
    }

    // The same without the slow link: both rows are alike, so one collective is worked out and five are known.
    void groupsThatAreAlikeShareTheirAnswers()
    {
        const Result<RunRecord> record = byComponents(sharedBuild(rows(3)), {});
        QVERIFY(record);
        QCOMPARE(messagesOf(record.value(), "memo"), 5 * 24);
        QCOMPARE(messagesOf(record.value(), "sweep"), 24);
    }

    // A row all-reduces while all ranks do: they share links, so a strict run names both, and a lenient one runs both by events.
    void collectivesThatMeetAreNamedOrLeftToTheEventEngine()
    {
        const CaseSpec spec = rowsBesideAll(1, 8192);
        ComponentOptions strict;
        strict.strict = true;
        const Scenario scenario = sharedBuild(spec);
        const Result<RunRecord> refused = byComponents(scenario, strict);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::Unsupported);
        QVERIFY(QString::fromStdString(refused.error().message).contains("all_reduce 0 of group 0"));
        QVERIFY(QString::fromStdString(refused.error().message).contains("at the same time"));
        const Result<RunRecord> lenient = byComponents(scenario, {});
        QVERIFY(lenient);
        QCOMPARE(messagesOf(lenient.value(), "events"), allMessages(lenient.value()));
        QCOMPARE(wrong(spec, {}), std::string());
    }

    // Beside eight collectives of the rows, one after another: those that begin when that of all is through are wholes all the same.
    void whatMeetsLeavesTheOthersOfItsKindAsWholes()
    {
        const CaseSpec spec = rowsBesideAll(8, 8192);
        const Scenario scenario = sharedBuild(spec);
        const Result<RunRecord> record = byComponents(scenario, {});
        QVERIFY(record);
        QVERIFY(messagesOf(record.value(), "events") > 0);
        QVERIFY2(messagesOf(record.value(), "memo") > allMessages(record.value()) / 4, qPrintable(QString::number(messagesOf(record.value(), "memo"))));
        QCOMPARE(wrong(spec, {}), std::string());
        ComponentOptions forgetful;
        forgetful.memo = false;
        QCOMPARE(wrong(spec, forgetful), std::string());
    }

    void aStopEndsTheRun()
    {
        std::stop_source source;
        source.request_stop();
        const Result<RunRecord> record = simulateComponents(sharedBuild(rows(3)), {}, {}, source.get_token());
        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::Cancelled);
    }

    // Random intervals of random links added up one by one and as steps.
    void busySumsEqualSingleIntervals()
    {
        std::mt19937_64 random(seeded(5));
        for (int round = 0; round < cases(300); ++round) {
            std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
            for (std::uint64_t i = random() % 20; i > 0; --i) {
                const auto begin = static_cast<std::int64_t>(random() % 5000);
                intervals.emplace_back(begin, begin + static_cast<std::int64_t>(random() % 3000));
            }
            BusyPyramid expected;
            BusyPyramid before;
            events::BusySum sum;
            std::vector<std::pair<std::int64_t, std::int64_t>> used = intervals;
            const events::BusySteps steps = events::BusySteps::of(used);
            for (std::uint64_t i = random() % 5; i > 0; --i) {
                const auto start = static_cast<std::int64_t>(random() % (1 << 22));
                const auto times = static_cast<std::int64_t>(1 + random() % 3);
                sum.add(steps, start, times);
                for (std::int64_t time = 0; time < times; ++time) {
                    for (const auto& [begin, end] : intervals)
                        expected.add(start + begin, start + end);
                }
            }
            for (std::uint64_t i = random() % 3; i > 0; --i) {
                const auto begin = static_cast<std::int64_t>(random() % (1 << 23));
                before.add(begin, begin + 700);
                expected.add(begin, begin + 700);
            }
            const BusyPyramid made = sum.with(before);
            QCOMPARE(made.bucketPs(), expected.bucketPs());
            QVERIFY(made.busyPs() == expected.busyPs());
            QCOMPARE(made.total(), expected.total());
        }
    }

private:
    /// Two rows of four in a Ring(4) x Ring(2), each all-reducing 4 KiB by a ring `times` times, 1 us of computation before each.
    static CaseSpec rows(int times)
    {
        CaseSpec spec;
        spec.dims = {{Shape::Ring, 4, 50'000'000'000, 500'000}, {Shape::Ring, 2, 50'000'000'000, 500'000}};
        spec.jobs = {{0, 1, 2, 3, 4, 5, 6, 7}};
        spec.families.resize(2);
        spec.families[0].groups = {{0, 1, 2, 3, 4, 5, 6, 7}};
        spec.families[1].groups = {{0, 1, 2, 3}, {4, 5, 6, 7}};
        std::vector<CaseSpec::Task> tasks;
        for (int i = 0; i < times; ++i) {
            CaseSpec::Call call;
            call.bytes = 4096;
            call.body[4] = standardBody(CollectiveOp::AllReduce, {4}, {Algorithm::Ring});
            spec.families[1].calls.push_back(call);
            CaseSpec::Task compute;
            compute.durationPs = 1'000'000;
            if (i > 0)
                compute.depends = {2 * i - 1};
            tasks.push_back(compute);
            CaseSpec::Task collective;
            collective.kind = TaskKind::Collective;
            collective.family = 1;
            collective.call = i;
            collective.depends = {2 * i};
            tasks.push_back(collective);
        }
        spec.tasks.assign(8, tasks);
        return spec;
    }

    /// The same, and all eight all-reduce `bytes` from the start.
    static CaseSpec rowsBesideAll(int times, std::int64_t bytes)
    {
        CaseSpec spec = rows(times);
        CaseSpec::Call all;
        all.bytes = bytes;
        all.body[8] = standardBody(CollectiveOp::AllReduce, {8}, {Algorithm::Ring});
        spec.families[0].calls.push_back(all);
        for (std::vector<CaseSpec::Task>& tasks : spec.tasks) {
            CaseSpec::Task task;
            task.kind = TaskKind::Collective;
            tasks.push_back(task); // Depends on nothing: begins with the first.
        }
        return spec;
    }
};

FABRICSCOPE_TEST(TestComponents)
#include "tst_components.moc"
