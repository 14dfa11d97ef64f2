// The event engine against the brute-force oracle: thousands of random cases, every message and every task to the picosecond.
#include "core/base/index.h"
#include "core/sim/events/events.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/randomcase.h"
#include "tests/unit/support/cases/shrinkcase.h"
#include "tests/unit/support/oracles/bruteforce.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <numeric>
#include <sstream>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using TaskList = std::vector<std::vector<OracleResult::Task>>;

/// What the engine says, in the oracle's form; messages only with `log`.
OracleResult engineResult(const Scenario& scenario, bool log)
{
    OracleResult result;
    RunOptions options;
    options.messageDigest = true;
    if (log)
        options.message = [&](const MessageRecord& record) { result.messages.push_back(record); };
    const auto run = simulateEvents(scenario, options, {});
    if (!run)
        qFatal("%s", run.error().text().c_str());
    const RunRecord& record = run.value();
    result.complete = record.complete;
    result.digest = record.messages;
    result.tasks.resize(static_cast<std::size_t>(record.rankCount));
    for (const RankClass& each : record.classes) {
        std::vector<OracleResult::Task> tasks;
        for (std::size_t t = 0; each.tasks && t < each.tasks->issuePs.size(); ++t) {
            tasks.push_back({each.tasks->issuePs[t], each.tasks->endPs[t]});
            result.finishPs = std::max(result.finishPs, tasks.back().endPs);
        }
        for (const RankSet::Interval& interval : each.ranks.intervals())
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                result.tasks[at(rank)] = tasks;
    }
    if (record.complete && record.finish.ps != result.finishPs)
        qFatal("finish %lld is not the last end %lld", static_cast<long long>(record.finish.ps), static_cast<long long>(result.finishPs));
    return result;
}

bool same(const OracleResult& a, const OracleResult& b)
{
    return a.complete == b.complete && a.digest.value() == b.digest.value() && a.digest.count() == b.digest.count() && a.tasks == b.tasks;
}

std::string show(const MessageRecord& record)
{
    std::ostringstream out;
    out << "instance " << record.instance << ' ' << record.source << '>' << record.target << " chunk " << record.chunk << " phase " << record.phase << " step "
        << record.step << " slot " << record.slot << ' ' << record.bytes << " B: ready " << record.readyPs << " left " << record.leftPs << " done " << record.donePs;
    return out.str();
}

/// The first few differences, oracle first.
std::string difference(const OracleResult& oracle, const OracleResult& engine)
{
    std::ostringstream out;
    if (oracle.complete != engine.complete)
        out << "complete: oracle " << oracle.complete << ", engine " << engine.complete << '\n';
    for (std::size_t r = 0; r < oracle.tasks.size(); ++r) {
        for (std::size_t t = 0; t < oracle.tasks[r].size(); ++t) {
            const auto& mine = oracle.tasks[r][t];
            const auto other = t < engine.tasks[r].size() ? engine.tasks[r][t] : OracleResult::Task{-2, -2};
            if (!(mine == other))
                out << "rank " << r << " task " << t << ": oracle " << mine.issuePs << ".." << mine.endPs << ", engine " << other.issuePs << ".." << other.endPs << '\n';
        }
    }
    const auto sorted = [](std::vector<MessageRecord> records) {
        std::sort(records.begin(), records.end(), [](const MessageRecord& a, const MessageRecord& b) {
            return std::tuple(a.donePs, a.words()) < std::tuple(b.donePs, b.words());
        });
        return records;
    };
    const auto mine = sorted(oracle.messages);
    const auto other = sorted(engine.messages);
    int shown = 0;
    for (const MessageRecord& record : mine)
        if (shown < 12 && std::none_of(other.begin(), other.end(), [&](const MessageRecord& each) { return each.words() == record.words(); }) && ++shown)
            out << "oracle: " << show(record) << '\n';
    for (const MessageRecord& record : other)
        if (shown < 24 && std::none_of(mine.begin(), mine.end(), [&](const MessageRecord& each) { return each.words() == record.words(); }) && ++shown)
            out << "engine: " << show(record) << '\n';
    return out.str();
}

Scenario scenarioOf(const CaseSpec& spec)
{
    auto scenario = build(spec);
    if (!scenario)
        qFatal("%s\n%s", scenario.error().text().c_str(), spec.text().c_str());
    return std::move(scenario).value();
}

bool differs(const CaseSpec& spec)
{
    const Scenario scenario = scenarioOf(spec);
    return !same(bruteForce(scenario), engineResult(scenario, false));
}

/// Everything about a failing seed: the shrunken case and what differs in it.
std::string explain(std::uint64_t seed, const CaseSpec& spec)
{
    const CaseSpec small = shrink(spec, differs);
    const Scenario scenario = scenarioOf(small);
    return "seed " + std::to_string(seed) + ", shrunken:\n" + small.text() + difference(bruteForce(scenario), engineResult(scenario, true));
}

/// Cases of one kind.
void compareMany(const RandomLimits& limits, std::uint64_t firstSeed, int count)
{
    count = oracleCases(count);
    firstSeed = seeded(firstSeed);
    std::uint64_t messages = 0;
    int incomplete = 0;
    int failures = 0;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t seed = firstSeed + static_cast<std::uint64_t>(i);
        const CaseSpec spec = randomCase(seed, limits);
        const Scenario scenario = scenarioOf(spec);
        const OracleResult oracle = bruteForce(scenario);
        messages += oracle.digest.count();
        incomplete += oracle.complete ? 0 : 1;
        if (same(oracle, engineResult(scenario, false)))
            continue;
        qWarning("%s", explain(seed, spec).c_str());
        if (++failures == 3)
            break;
    }
    qInfo("%d cases, %llu messages, %d cases that cannot finish", count, static_cast<unsigned long long>(messages), incomplete);
    QCOMPARE(failures, 0);
}

} // namespace

class LinksOracleTest : public QObject {
    Q_OBJECT

private slots:
    void agreesOnRandomFabrics() { compareMany({}, 1'000'000, 2000); }

    void agreesWhereEveryInstantHasTies()
    {
        RandomLimits limits;
        limits.ties = true;
        compareMany(limits, 2'000'000, 1500);
        limits.grid = true;
        compareMany(limits, 2'500'000, 2000);
    }

    void agreesOnExplicitGraphs()
    {
        RandomLimits limits;
        limits.explicitGraph = true;
        compareMany(limits, 3'000'000, 1000);
    }

    void agreesOnSwitchesWithCrossbars()
    {
        RandomLimits limits;
        limits.explicitGraph = true;
        limits.crossbars = true;
        compareMany(limits, 3'300'000, 1000);
        limits.ties = true;
        compareMany(limits, 3'600'000, 700);
        limits.grid = true;
        compareMany(limits, 3'800'000, 700);
    }

    void agreesOnExplicitPrograms()
    {
        RandomLimits limits;
        limits.explicitPrograms = true;
        compareMany(limits, 6'000'000, 1000);
        limits.ties = true;
        compareMany(limits, 7'000'000, 1000);
    }

    void agreesOnAllPartsOfPrograms()
    {
        RandomLimits limits;
        limits.explicitPrograms = true;
        limits.programParts = true;
        compareMany(limits, 9'000'000, 1500);
        limits.ties = true;
        compareMany(limits, 9'500'000, 1000);
        limits.explicitGraph = true;
        compareMany(limits, 9'700'000, 500);
    }

    void agreesOnRareFeatures()
    {
        RandomLimits limits;
        limits.odd = true;
        limits.maxNpus = 9;
        compareMany(limits, 8'000'000, 1500);
    }

    void agreesOnSmallCases()
    {
        RandomLimits limits;
        limits.maxNpus = 5;
        limits.maxTasks = 4;
        compareMany(limits, 4'000'000, 3000);
    }

    void renamingRanksAndTurningTheMachineRenamesTheResults()
    {
        RandomLimits limits;
        limits.plain = true;
        for (std::uint64_t seed = 5'000'000; seed < 5'000'000 + static_cast<std::uint64_t>(cases(400)); ++seed) {
            limits.ties = seed % 2 == 0;
            const CaseSpec spec = randomCase(seed, limits);
            const auto [ranks, nodes] = renaming(seed, spec);
            const OracleResult before = engineResult(scenarioOf(spec), true);
            const OracleResult after = engineResult(scenarioOf(relabel(spec, ranks, nodes)), true);
            for (std::size_t r = 0; r < ranks.size(); ++r)
                QVERIFY2(before.tasks[r] == after.tasks[at(ranks[r])], qPrintable(QString("seed %1").arg(seed)));
            CommutativeDigest renamed;
            for (MessageRecord record : before.messages) {
                record.source = ranks[at(record.source)];
                record.target = ranks[at(record.target)];
                renamed.add(record.words());
            }
            QVERIFY2(renamed.value() == after.digest.value(), qPrintable(QString("seed %1").arg(seed)));
        }
    }

private:
    /// Some other names for the ranks, and a turn of every dimension for the nodes.
    static std::pair<std::vector<std::int32_t>, std::vector<NodeId>> renaming(std::uint64_t seed, const CaseSpec& spec)
    {
        std::vector<std::int32_t> ranks(spec.tasks.size());
        std::iota(ranks.begin(), ranks.end(), 0);
        std::uint64_t state = seed;
        const auto next = [&](std::uint64_t bound) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            return (state >> 33) % bound;
        };
        for (std::size_t i = ranks.size(); i > 1; --i)
            std::swap(ranks[i - 1], ranks[next(i)]);
        std::int32_t npus = 1;
        std::vector<std::int32_t> turns;
        for (const CaseSpec::Dim& dim : spec.dims) {
            npus *= dim.size;
            turns.push_back(static_cast<std::int32_t>(next(static_cast<std::uint64_t>(dim.size))));
        }
        std::vector<NodeId> nodes;
        for (NodeId node = 0; node < npus; ++node) {
            NodeId turned = 0;
            std::int32_t stride = 1;
            for (std::size_t d = 0; d < turns.size(); ++d) {
                turned += (node / stride % spec.dims[d].size + turns[d]) % spec.dims[d].size * stride;
                stride *= spec.dims[d].size;
            }
            nodes.push_back(turned);
        }
        return {ranks, nodes};
    }
};

FABRICSCOPE_TEST(LinksOracleTest)
#include "tst_links_oracle.moc"
