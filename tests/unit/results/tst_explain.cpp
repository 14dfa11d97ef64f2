// Critical paths, blame, what the finish hangs on, and what is said of it.
#include "core/design/file/readdesign.h"
#include "core/insight/collectivealone.h"
#include "core/insight/effectrange.h"
#include "core/insight/explain.h"
#include "core/report/planfigures.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/mixeddesign.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>
#include <numeric>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

std::shared_ptr<const Design> designOf(const std::string& text)
{
    auto loaded = readDesignText(text, {});
    return loaded ? std::make_shared<const Design>(std::move(loaded).value().design) : nullptr;
}

Explanation explained(const std::string& text, const ExplainSubject& subject = {}, const ExplainOptions& options = {})
{
    const auto design = designOf(text);
    if (!design)
        qFatal("not a design: %s", text.c_str());
    auto result = explainDesign(design, {}, subject, options);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return std::move(result).value();
}

std::int64_t sumOf(const std::vector<BlameRow>& blame)
{
    return std::accumulate(blame.begin(), blame.end(), std::int64_t{0}, [](std::int64_t sum, const BlameRow& row) { return sum + row.ps; });
}

std::int64_t blamed(const Explanation& explanation, PathCause cause, const std::string& resource = {})
{
    std::int64_t sum = 0;
    for (const BlameRow& row : explanation.blame)
        sum += row.cause == cause && (resource.empty() || row.resource == resource) ? row.ps : 0;
    return sum;
}

/// What must hold of any explanation; the reason why not.
QString brokenRule(const Explanation& explanation)
{
    const CriticalPath& path = explanation.path;
    std::int64_t at = path.fromPs;
    for (const PathPiece& piece : path.pieces) {
        if (piece.beginPs != at || piece.endPs <= piece.beginPs)
            return QStringLiteral("the path has a gap at %1 ps").arg(at);
        at = piece.endPs;
    }
    if (at != path.toPs)
        return QStringLiteral("the path ends at %1 ps, not at %2").arg(at).arg(path.toPs);
    if (sumOf(explanation.blame) != path.toPs - path.fromPs)
        return QStringLiteral("rows add up to %1 ps").arg(sumOf(explanation.blame));
    for (const BlameRow& row : explanation.blame) {
        if (row.ps <= 0 || row.resource.empty())
            return QStringLiteral("a row of nothing, or for nothing");
    }
    return {};
}

const char* const kRing = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 500 ns}\n";
const char* const kAllReduce = "workload: {collective: all_reduce, size: 4000 B}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n";

/// Two leaves with two NPUs each below `spines` spines; links of 1 B/ns and 100 ns.
std::string leaves(int spines)
{
    std::string nodes = "fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: c}, {name: d}, {name: left, kind: switch}, {name: right, kind: switch}";
    std::string links = "  links:\n";
    const auto link = [&](const std::string& from, const std::string& to) { links += "    - {between: [" + from + ", " + to + "], bandwidth: 1 GB/s, latency: 100 ns}\n"; };
    link("a", "left");
    link("b", "left");
    link("c", "right");
    link("d", "right");
    for (int spine = 0; spine < spines; ++spine) {
        const std::string name = "spine" + std::to_string(spine);
        nodes += ", {name: " + name + ", kind: switch}";
        link("left", name);
        link(name, "right");
    }
    return nodes + "]\n" + links;
}

/// a sends 1000 B to c while b sends as much to d.
const char* const kTwoSends = "workload:\n  steps:\n"
                              "    - {send: 1000 B, to: 2, tag: 1, ranks: \"0\", name: first job}\n    - {receive: 1000 B, from: 0, tag: 1, ranks: \"2\", name: first job in}\n"
                              "    - {send: 1000 B, to: 3, tag: 2, ranks: \"1\", name: second job}\n    - {receive: 1000 B, from: 1, tag: 2, ranks: \"3\", name: second job in}\n";

/// Rank 2 computes for 10 us while 0 sends so many bytes to 1: 500 ns and 1 ns for each.
std::string computeBeside(int bytes)
{
    return "fabricscope: 1\nplatform: {topology: FullyConnected(3), bandwidth: 1 GB/s, latency: 500 ns}\nworkload:\n  steps:\n    - {compute: 10 us, ranks: \"2\"}\n    - {send: "
        + std::to_string(bytes) + " B, to: 1, tag: 1, ranks: \"0\"}\n    - {receive: " + std::to_string(bytes) + " B, from: 0, tag: 1, ranks: \"1\"}\n";
}

Explanation withRanges(const std::string& text)
{
    ExplainOptions options;
    options.ranges = true;
    return explained(text, {}, options);
}

const ParameterEffect* effectOf(const Explanation& explanation, PathParameter parameter)
{
    const auto found = std::find_if(explanation.parameters.begin(), explanation.parameters.end(), [&](const ParameterEffect& effect) { return effect.parameter == parameter; });
    return found == explanation.parameters.end() ? nullptr : &*found;
}

/// The finish with a number at so many per cent of what it is; below 0: it could not be simulated.
std::int64_t finishAt(const Explanation& explanation, const ParameterEffect& effect, std::int32_t percent)
{
    const auto changed = withParameter(*explanation.run->scenario, effect.parameter, effect.resourceClass, effect.isRate ? percent / 100.0 : 100.0 / percent);
    const auto record = changed ? simulate(*changed) : Result<RunRecord>(Error{});
    return record ? record.value().finish.ps : -1;
}

bool says(const Explanation& explanation, const std::string& words)
{
    return std::any_of(explanation.diagnosis.begin(), explanation.diagnosis.end(), [&](const DiagnosisItem& item) { return item.text.find(words) != std::string::npos; });
}

} // namespace

class TestExplain : public QObject {
    Q_OBJECT

private slots:
    /// What a run was made of explains it: a placement is not searched again.
    void aRunIsExplainedOfWhatItWasMadeOf()
    {
        const auto design = designOf("fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: 2, bandwidth: 12 GB/s, latency: 3 us}]\n  npu: {peak: 2 TFLOP/s, memory: 16 GB}\n"
                                     "  overrides: {npus: [{npu: 0, peak: 4 TFLOP/s}]}\nworkload:\n  model:\n    family: transformer\n    transformer: {layers: 1, hidden: 32, heads: 2, ff: 64, vocab: 64, seq: 8}\n"
                                     "    train: {global_batch: 4}\n  plan: {placement: hap}\n");
        QVERIFY(design);
        const auto run = runDesign(design, {}, {});
        QVERIFY2(run, run ? "" : run.error().text().c_str());
        ExplainOptions options;
        options.prepared = preparedOf(run.value()->summary, run.value()->scenario);
        const auto again = explainDesign(design, {}, {}, options);
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        const RunResult& made = *again.value().run;
        QCOMPARE(made.scenario, run.value()->scenario);
        QVERIFY(made.summary.plan && made.summary.plan->placement);
        QCOMPARE(made.summary.plan->placement, run.value()->summary.plan->placement);
        QCOMPARE(made.record().finish.ps, run.value()->record().finish.ps);
        // Figures of other plans are those of the run itself.
        RunSummary plain;
        plain.plan = std::make_shared<const PlanFigures>();
        QVERIFY(!preparedOf(plain, run.value()->scenario).placement);
    }

    /// A lone collective of 4 steps each way: launch, ramp (half of it at its size) and latencies of its protocol are rows of their own.
    void whatALibraryTakesHasRowsOfItsOwn()
    {
        const Explanation explanation = explained(std::string(kRing) + "workload: {collective: all_reduce, size: 4000 B}\ncollectives: {default: {algorithm: ring, chunks: 1}, rules: [{op: all_reduce, launch: 30 us, "
                                                                       "ramp: 10 us, ramp_size: 4000 B, protocol: {latency: 1 us, efficiency: 1/2}}]}\n");
        QCOMPARE(brokenRule(explanation), QString());
        // 6 steps of 500 ns, 1 us and 2000 B at 1 B/ns.
        QCOMPARE(explanation.run->record().finish.ps, std::int64_t{35'000'000 + 6 * 3'500'000});
        QCOMPARE(blamed(explanation, PathCause::Launch), std::int64_t{30'000'000});
        QCOMPARE(blamed(explanation, PathCause::Ramp), std::int64_t{5'000'000});
        QCOMPARE(blamed(explanation, PathCause::Protocol), std::int64_t{6'000'000});
        QCOMPARE(blamed(explanation, PathCause::Latency), std::int64_t{3'000'000});
        QCOMPARE(blamed(explanation, PathCause::Serialisation), std::int64_t{12'000'000});
        // Half of the launch saves 15 us, twice the ramp costs 5 us; both are times.
        const ParameterEffect* const launch = effectOf(explanation, PathParameter::Launch);
        const ParameterEffect* const ramp = effectOf(explanation, PathParameter::Ramp);
        QVERIFY(launch && ramp);
        QCOMPARE(launch->name, std::string("launch of collectives by rule 1"));
        QCOMPARE(launch->value, std::string("30 us"));
        QCOMPARE(ramp->name, std::string("ramp of collectives by rule 1"));
        QVERIFY(!launch->isRate && !ramp->isRate);
        QCOMPARE(launch->ps, std::int64_t{30'000'000});
        QCOMPARE(ramp->ps, std::int64_t{5'000'000});
        QCOMPARE(finishAt(explanation, *launch, 50), std::int64_t{41'000'000});
        QCOMPARE(finishAt(explanation, *ramp, 200), std::int64_t{61'000'000});
        QVERIFY2(explanation.diagnosis.front().text.starts_with("the launch of collectives by rule 1 (30 us) bounds 53.6 % of the time (30 us); half of it saves at most 26.8 %"),
                 explanation.diagnosis.front().text.c_str());
    }

    /// 9 us and, by a rule that says nothing of a launch, 15 us: network.launch is before both.
    void theLaunchOfTheDesignIsOneNumber()
    {
        ExplainOptions options;
        options.confirm = true;
        options.ranges = true;
        options.accepts = [](const std::string& path, const std::string&) { return path == "network.launch"; };
        const Explanation explanation = explained(std::string(kRing) + "network: {launch: 10 us}\nworkload:\n  steps:\n    - {collective: all_reduce, size: 4000 B, name: one}\n"
                                                      "    - {collective: all_reduce, size: 8000 B, name: two}\n"
                                                      "collectives: {default: {algorithm: ring, chunks: 1}, rules: [{op: all_reduce, min_size: 5000 B, ramp: 1 us}]}\n", {}, options);
        QCOMPARE(brokenRule(explanation), QString());
        QCOMPARE(explanation.run->record().finish.ps, std::int64_t{9'000'000 + 15'000'000 + 20'000'000 + 1'000'000});
        const ParameterEffect* const launch = effectOf(explanation, PathParameter::Launch);
        QVERIFY(launch);
        QCOMPARE(launch->name, std::string("launch of collectives"));
        QCOMPARE(launch->field, std::string("network.launch"));
        QCOMPARE(launch->ps, std::int64_t{20'000'000});
        QVERIFY(launch->confirmedPs == std::int64_t{10'000'000});
        QVERIFY(launch->range == (EffectRange{EffectRange::kMost, EffectRange::kMost}));
        const auto edit = std::find_if(explanation.diagnosis.begin(), explanation.diagnosis.end(), [](const DiagnosisItem& item) { return item.field == "network.launch"; });
        QVERIFY(edit != explanation.diagnosis.end());
        QCOMPARE(edit->value, std::string("5 us"));
    }

    /// Six messages of 1000 B queue up on the link of a tenth of the rate, which never rests: 60,000 ns, and the latency of the last.
    void blamesTheSlowLinkOfARing()
    {
        const std::string slow = std::string(kRing) + "  overrides: {links: [{link: d0 0>1, bandwidth: 100 MB/s}]}\n" + kAllReduce;
        const Explanation explanation = explained(slow);
        QCOMPARE(explanation.run->record().finish.ps, std::int64_t{60'500'000});
        QCOMPARE(brokenRule(explanation), QString());
        QCOMPARE(blamed(explanation, PathCause::Serialisation, "link d0 0>1"), std::int64_t{60'000'000});
        QCOMPARE(blamed(explanation, PathCause::Latency), std::int64_t{500'000});
        QVERIFY(!explanation.diagnosis.empty());
        QVERIFY2(explanation.diagnosis.front().text.starts_with("the link d0 0>1 bandwidth (100 MB/s) bounds 99.2 % of the time"), explanation.diagnosis.front().text.c_str());
        // Mended, the whole dimension bounds the time: the top sentence is another.
        const Explanation mended = explained(std::string(kRing) + kAllReduce);
        QCOMPARE(mended.run->record().finish.ps, std::int64_t{6 * (1'000'000 + 500'000)});
        QVERIFY2(mended.diagnosis.front().text.starts_with("the dimension 0 bandwidth (Ring, 1 GB/s) bounds 66.7 % of the time (6 us)"), mended.diagnosis.front().text.c_str());
        QCOMPARE(blamed(mended, PathCause::Latency), std::int64_t{3'000'000});
    }
    /// Both cross the one spine: the second is served there when the first is through. 4 L + 2 x / B.
    void blamesTheOtherJobOnASharedLink()
    {
        const Explanation explanation = explained(leaves(1) + kTwoSends);
        QCOMPARE(explanation.run->record().finish.ps, std::int64_t{2'400'000});
        QCOMPARE(brokenRule(explanation), QString());
        QCOMPARE(blamed(explanation, PathCause::Waiting), std::int64_t{1'000'000});
        QCOMPARE(blamed(explanation, PathCause::Serialisation), std::int64_t{1'000'000});
        QCOMPARE(blamed(explanation, PathCause::Latency), std::int64_t{400'000});
        QVERIFY(says(explanation, "waits 1 us (41.7 %) for link left>spine0") || says(explanation, "waits 1 us (41.7 %) for link spine0>right"));
    }
    /// By two spines, of which the shortest ways use one.
    void namesIdleSpines()
    {
        const Explanation idle = explained(leaves(2) + kTwoSends + "network: {routing: {policy: shortest}}\n");
        QCOMPARE(idle.run->record().finish.ps, std::int64_t{2'400'000});
        QVERIFY(says(idle, "1 of 2 switches with 4 links carry nothing"));
        const Explanation used = explained(leaves(2) + kTwoSends + "network: {routing: {policy: balanced}}\n");
        QCOMPARE(used.run->record().finish.ps, std::int64_t{1'400'000});
        QVERIFY(!says(used, "carry nothing"));
    }
    /// Three stages, four micro-batches: the second stage takes 3 us for each, the others 1 us. It works from 1.6 us on without a rest:
    /// 1 + (L + x / B) + 4 x 3 + (L + x / B) + 1.
    void blamesTheSlowStageOfAPipeline()
    {
        const Explanation explanation = explained("fabricscope: 1\nplatform: {topology: FullyConnected(3), bandwidth: 10 GB/s, latency: 500 ns}\nworkload:\n  steps:\n    - repeat: 4\n      steps:\n"
                                                  "        - {receive: 1000 B, from: -1, ranks: 1-2, name: input, after: input}\n"
                                                  "        - {compute: 1 us, ranks: \"0,2\", name: quick, after: [input, quick]}\n        - {compute: 3 us, ranks: \"1\", name: slow, after: [input, slow]}\n"
                                                  "        - {send: 1000 B, to: +1, ranks: 0-1, name: output, after: [quick, slow]}\n");
        QCOMPARE(explanation.run->record().finish.ps, std::int64_t{1'000'000 + 600'000 + 12'000'000 + 600'000 + 1'000'000});
        QCOMPARE(brokenRule(explanation), QString());
        QCOMPARE(blamed(explanation, PathCause::Compute, "NPU 1"), std::int64_t{12'000'000});
        // No order of it is faster: the chain over all three stages is the bound.
        QVERIFY(explanation.bound);
        QCOMPARE(explanation.bound->ps, explanation.run->record().finish.ps);
        QCOMPARE(blamed(explanation, PathCause::Compute, "NPU 0"), std::int64_t{1'000'000});
        QVERIFY(says(explanation, "for rank 1, which computes 12 us, they 4 us on average"));
    }
    /// Rank 1 begins at 250 us. Rank 0 has sent it half of the sum by 121 us, which waits for it and decides nothing: 250 + 2 (x / B + L) = 292 us.
    void blamesALateMemberAndNotTheLink()
    {
        const std::string text = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 2, bandwidth: 50 GB/s, latency: 1 us}\nworkload:\n  steps:\n"
                                 "    - {compute: 100 us, ranks: \"0\", name: quick}\n    - {compute: 250 us, ranks: \"1\", name: slow}\n"
                                 "    - {collective: all_reduce, size: 2 MB, name: sum, after: [quick, slow]}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n";
        for (const char* const model : {"links", "ideal", "flow"}) {
            const Explanation explanation = explained(text + "model: {name: " + model + "}\n");
            QCOMPARE(brokenRule(explanation), QString());
            QCOMPARE(explanation.run->record().finish.ps, std::int64_t{292'000'000});
            QCOMPARE(blamed(explanation, PathCause::Compute, "NPU 1"), std::int64_t{250'000'000});
            QCOMPARE(blamed(explanation, PathCause::Serialisation), std::int64_t{40'000'000});
            QCOMPARE(blamed(explanation, PathCause::Latency), std::int64_t{2'000'000});
        }
    }
    void explainsARankToTheEndOfTheRun()
    {
        const std::string text = "fabricscope: 1\nplatform: {topology: FullyConnected(3), bandwidth: 10 GB/s, latency: 500 ns}\nworkload:\n  steps:\n"
                                 "    - {compute: 2 us, ranks: \"0\"}\n    - {compute: 5 us, ranks: 1-2}\n";
        ExplainSubject subject;
        subject.rank = 0;
        const Explanation rank = explained(text, subject);
        QCOMPARE(brokenRule(rank), QString());
        QCOMPARE(rank.path.toPs, std::int64_t{5'000'000});
        QCOMPARE(blamed(rank, PathCause::Compute), std::int64_t{2'000'000});
        QCOMPARE(blamed(rank, PathCause::Idle), std::int64_t{3'000'000});
        subject.rank = 3;
        const auto none = explainDesign(designOf(text), {}, subject, {});
        QVERIFY(!none);
        QCOMPARE(none.error().place.field, std::string("--rank"));
    }
    /// The second of two collectives of a group alone: 6 (L + x / B), as the first.
    void explainsOneCollective()
    {
        ExplainSubject subject;
        subject.collective = 1;
        const Explanation explanation = explained(std::string(kRing) + "workload:\n  steps:\n    - {collective: all_reduce, size: 4000 B, name: one}\n"
                                                  "    - {collective: all_reduce, size: 8000 B, name: two}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n", subject);
        QCOMPARE(brokenRule(explanation), QString());
        QCOMPARE(explanation.path.fromPs, std::int64_t{9'000'000});
        QCOMPARE(explanation.path.toPs - explanation.path.fromPs, std::int64_t{15'000'000});
        QCOMPARE(blamed(explanation, PathCause::Serialisation), std::int64_t{12'000'000});
    }
    /// Two chunks of six messages of 500 B each: a step takes 500 ns of latency and 500 ns of each chunk, the second ends 500 ns after the first.
    void explainsAChunkOfACollective()
    {
        const std::string text = std::string(kRing) + "workload:\n  steps:\n    - {compute: 1 us}\n    - {collective: all_reduce, size: 4000 B}\ncollectives: {default: {algorithm: ring, chunks: 2}}\n";
        for (const std::int32_t chunk : {0, 1}) {
            ExplainSubject subject;
            subject.collective = 0;
            subject.chunk = chunk;
            const Explanation explanation = explained(text, subject);
            QCOMPARE(brokenRule(explanation), QString());
            QCOMPARE(explanation.path.fromPs, std::int64_t{1'000'000});
            QCOMPARE(explanation.path.toPs - explanation.path.fromPs, std::int64_t{6'000'000 + 500'000 * chunk});
            QCOMPARE(blamed(explanation, PathCause::Latency), std::int64_t{3'000'000});
            QCOMPARE(blamed(explanation, PathCause::Serialisation), std::int64_t{3'000'000 + 500'000 * chunk});
            QVERIFY2(explanation.subject.starts_with("chunk " + std::to_string(chunk) + " of collective 0 ("), explanation.subject.c_str());
        }
        ExplainSubject none;
        none.collective = 0;
        none.chunk = 2;
        const auto refused = explainDesign(designOf(text), {}, none, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().place.field, std::string("--chunk"));
        QCOMPARE(refused.error().expected, std::string("0 to 1"));
    }
    /// A collective simulated alone takes what it takes in a run of nothing else.
    void simulatesACollectiveAlone()
    {
        const auto design = designOf(std::string(kRing) + kAllReduce);
        const auto prepared = prepare(*design);
        QVERIFY(prepared);
        const Scenario& scenario = *prepared.value();
        const auto alone = simulate(collectiveAlone(scenario, 0));
        QVERIFY(alone);
        QCOMPARE(alone.value().finish.ps, std::int64_t{9'000'000});
        // In place of the whole collective it leaves the sums as they are.
        const auto record = simulate(scenario);
        QVERIFY(record);
        const CriticalPath whole = criticalPath(scenario, record.value(), MessageLog(0), *lastTask(scenario, record.value()));
        QCOMPARE(whole.pieces.size(), std::size_t{1});
        QCOMPARE(whole.pieces.front().cause, PathCause::Transfer);
        AlonePaths paths(scenario, {});
        const CriticalPath refined = paths.refined(whole);
        QCOMPARE(paths.refinedCount(), std::int64_t{1});
        std::int64_t sum = 0;
        std::int64_t latency = 0;
        for (const PathPiece& piece : refined.pieces) {
            sum += piece.ps();
            latency += piece.cause == PathCause::Latency ? piece.ps() : 0;
        }
        QCOMPARE(sum, std::int64_t{9'000'000});
        QCOMPARE(latency, std::int64_t{3'000'000});
    }
    /// A thousandth more of a rate: where as much less changes the finish as much the other way, no other path is as long, and the change is what the path says.
    void effectsEqualFiniteDifferences()
    {
        int compared = 0;
        for (const std::uint64_t seed : Seeds(7200, 120, 12)) {
            const auto design = designOf(mixedDesign(seed, {seed % 2 == 0 ? "links" : "ideal", {}, false}));
            const auto result = design ? explainDesign(design, {}, {}, {}) : Result<Explanation>(Error{});
            if (!result || blamed(result.value(), PathCause::Waiting) > 0 || blamed(result.value(), PathCause::Turn) > 0 || blamed(result.value(), PathCause::Slowed) > 0)
                continue;
            const std::int64_t finish = result.value().run->record().finish.ps;
            for (const ParameterEffect& effect : result.value().parameters) {
                constexpr double kMore = 1.001;
                const auto faster = withParameter(*result.value().run->scenario, effect.parameter, effect.resourceClass, kMore);
                const auto slower = withParameter(*result.value().run->scenario, effect.parameter, effect.resourceClass, 1 / kMore);
                if (!faster || !slower || effect.ps < 100'000'000)
                    continue;
                const auto less = simulate(*faster);
                const auto more = simulate(*slower);
                QVERIFY(less && more);
                const auto won = static_cast<double>(finish - less.value().finish.ps);
                const auto lost = static_cast<double>(more.value().finish.ps - finish);
                if (std::abs(won - lost) > 0.01 * std::max(won, lost))
                    continue; // A kink.
                const double expected = static_cast<double>(effect.ps) * (1 - 1 / kMore);
                QVERIFY2(std::abs(won - expected) <= 0.02 * expected, qPrintable(QStringLiteral("seed %1, %2: %3 ps, the path says %4").arg(seed).arg(QString::fromStdString(effect.name)).arg(won).arg(expected)));
                ++compared;
            }
        }
        QVERIFY2(compared >= cases(10, 1), qPrintable(QString::number(compared)));
    }
    /// The same for what a library takes to start collectives, in designs with rules of one.
    void startsEqualFiniteDifferences()
    {
        int compared = 0;
        for (const std::uint64_t seed : Seeds(7250, 40, 10)) {
            const auto design = designOf(mixedDesign(seed, {seed % 2 == 0 ? "links" : "ideal", {}, false, true}));
            const auto result = design ? explainDesign(design, {}, {}, {}) : Result<Explanation>(Error{});
            if (!result)
                continue;
            const std::int64_t finish = result.value().run->record().finish.ps;
            for (const ParameterEffect& effect : result.value().parameters) {
                if (effect.parameter != PathParameter::Launch && effect.parameter != PathParameter::Ramp)
                    continue;
                const std::int64_t less = finishAt(result.value(), effect, 99);
                const std::int64_t more = finishAt(result.value(), effect, 101);
                QVERIFY(less >= 0 && more >= 0);
                if (std::abs(finish - less - (more - finish)) > 10)
                    continue; // A kink.
                QVERIFY2(std::abs(finish - less - effect.ps / 100) <= 10 + effect.ps / 100'000, qPrintable(QStringLiteral("seed %1, %2: %3 ps, the path says %4").arg(seed).arg(QString::fromStdString(effect.name)).arg(finish - less).arg(effect.ps / 100)));
                ++compared;
            }
        }
        QVERIFY2(compared >= cases(5, 1), qPrintable(QString::number(compared)));
    }
    /// 10 us of computing beside a message of 8 us: computing may become a fifth quicker before the message takes longer.
    void rangeOfComputingEndsWhereTheMessageIsAsLong()
    {
        const Explanation explanation = withRanges(computeBeside(7500));
        const ParameterEffect* const computing = effectOf(explanation, PathParameter::ComputeTime);
        QVERIFY(computing && computing->range);
        QCOMPARE(computing->range->less, 20);
        QCOMPARE(computing->range->more, EffectRange::kMost);
        for (std::int32_t percent = 80; percent <= 150; percent += 10)
            QCOMPARE(finishAt(explanation, *computing, percent), percent * std::int64_t{100'000});
        QCOMPARE(finishAt(explanation, *computing, 79), std::int64_t{8'000'000});
    }
    /// A message of 0.5 + 11.5 us beside computing of 10 us: 0.5 + 11.5 / m = 10 at m = 1.2105.
    void rangeOfARateEndsWhereTheComputingIsAsLong()
    {
        const Explanation explanation = withRanges(computeBeside(11500));
        const ParameterEffect* const rate = effectOf(explanation, PathParameter::LinkRate);
        QVERIFY(rate && rate->range);
        QCOMPARE(rate->range->less, EffectRange::kMost);
        QCOMPARE(rate->range->more, 21);
        QCOMPARE(finishAt(explanation, *rate, 50), std::int64_t{500'000 + 2 * 11'500'000});
        QVERIFY(std::abs(finishAt(explanation, *rate, 121) - (500'000 + 11'500'000 * std::int64_t{100} / 121)) <= 1);
        QCOMPARE(finishAt(explanation, *rate, 122), std::int64_t{10'000'000});
        const ParameterEffect* const latency = effectOf(explanation, PathParameter::LinkLatency);
        QVERIFY(latency && latency->range);
        QCOMPARE(*latency->range, (EffectRange{EffectRange::kMost, EffectRange::kMost}));
        // Of a part of the run nothing is looked for.
        ExplainSubject subject;
        subject.rank = 1;
        ExplainOptions options;
        options.ranges = true;
        for (const ParameterEffect& effect : explained(computeBeside(11500), subject, options).parameters)
            QVERIFY(!effect.range);
    }
    /// Of random designs: at the ends of a range and half way the finish is on the line, one per cent beyond an end it is not.
    void rangesEqualFiniteDifferences()
    {
        int inside = 0;
        int beyond = 0;
        for (const std::uint64_t seed : Seeds(7300, 40, 6)) {
            const auto design = designOf(mixedDesign(seed, {seed % 2 == 0 ? "links" : "ideal", {}, false}));
            ExplainOptions options;
            options.ranges = true;
            options.mostConfirmed = 2;
            const auto result = design ? explainDesign(design, {}, {}, options) : Result<Explanation>(Error{});
            if (!result)
                continue;
            const Explanation& explanation = result.value();
            for (const ParameterEffect& effect : explanation.parameters) {
                if (!effect.range)
                    continue;
                const auto off = [&](std::int32_t percent) {
                    const double share = effect.isRate ? 100.0 / percent : percent / 100.0;
                    const double line = static_cast<double>(explanation.run->record().finish.ps) + static_cast<double>(effect.ps) * (share - 1);
                    return std::abs(static_cast<double>(finishAt(explanation, effect, percent)) - line);
                };
                const double allowed = static_cast<double>(explanation.path.pieces.size()) + 1 + static_cast<double>(effect.ps) / 1e6;
                for (const std::int32_t percent : {100 - effect.range->less, 100 + effect.range->more}) {
                    QVERIFY2(off(percent) <= allowed, qPrintable(QStringLiteral("seed %1, %2 at %3 %").arg(seed).arg(QString::fromStdString(effect.name)).arg(percent)));
                    ++inside;
                }
                if (effect.range->more < EffectRange::kMost) {
                    QVERIFY2(off(101 + effect.range->more) > allowed - 2, qPrintable(QStringLiteral("seed %1, %2").arg(seed).arg(QString::fromStdString(effect.name))));
                    ++beyond;
                }
            }
        }
        QVERIFY2(inside >= cases(20, 2) && beyond >= cases(2, 0), qPrintable(QStringLiteral("%1 inside, %2 beyond").arg(inside).arg(beyond)));
    }
    void addsUpInRandomDesigns_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<bool>("library");
        for (const char* model : {"links", "ideal", "flow", "astra-unaware", "astra-aware"})
            QTest::newRow(model) << QString::fromLatin1(model) << false;
        for (const char* model : {"links", "ideal", "flow"})
            QTest::addRow("%s, rules of a library", model) << QString::fromLatin1(model) << true;
    }
    void addsUpInRandomDesigns()
    {
        QFETCH(const QString, model);
        QFETCH(const bool, library);
        int explainedCount = 0;
        int launched = 0;
        for (const std::uint64_t seed : Seeds(9100, library ? 40 : 120, library ? 20 : 40)) {
            const auto design = designOf(mixedDesign(seed, {model.toStdString(), {}, false, library}));
            const auto result = design ? explainDesign(design, {}, {}, {}) : Result<Explanation>(Error{});
            if (!result)
                continue;
            ++explainedCount;
            launched += blamed(result.value(), PathCause::Launch) > 0 ? 1 : 0;
            QVERIFY2(brokenRule(result.value()).isEmpty(), qPrintable(QStringLiteral("seed %1: ").arg(seed) + brokenRule(result.value())));
            QCOMPARE(result.value().path.fromPs, std::int64_t{0});
            QVERIFY2(!result.value().bound || result.value().bound->ps <= result.value().run->record().finish.ps, qPrintable(QStringLiteral("seed %1: the bound is more than the run").arg(seed)));
            QCOMPARE(result.value().path.toPs, result.value().run->record().finish.ps);
            ExplainSubject subject;
            subject.rank = static_cast<std::int32_t>(seed % static_cast<std::uint64_t>(result.value().run->scenario->structure->workload->rankCount));
            const auto rank = explainDesign(design, {}, subject, {});
            QVERIFY(rank);
            QVERIFY2(brokenRule(rank.value()).isEmpty(), qPrintable(QStringLiteral("seed %1, a rank: ").arg(seed) + brokenRule(rank.value())));
        }
        QVERIFY2(explainedCount >= cases(10, 1), qPrintable(QString::number(explainedCount)));
        QVERIFY2(library ? launched >= cases(5, 1) : launched == 0, qPrintable(QString::number(launched)));
    }
};

FABRICSCOPE_TEST(TestExplain)
#include "tst_explain.moc"
