// Several jobs on one platform: where they run, that they meet only at links, and what is said of each.
#include "core/base/index.h"
#include "core/design/joinjobs.h"
#include "core/report/runjson.h"
#include "core/report/runtext.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include <cstring>
#include <set>

using namespace fabricscope;

namespace {

const std::string kSwitch = "fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: 8, bandwidth: 1 GB/s, latency: 10 ns}]}\n"
                            "collectives: {default: {algorithm: direct, chunks: 1}}\n";

Design read(const std::string& text)
{
    auto loaded = readDesignText(text, "d.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

RunSummary run(const Design& design, int threads = 1)
{
    auto scenario = prepare(design, threads);
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    auto record = simulate(*scenario.value(), {});
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return summarise(design, *scenario.value(), std::make_shared<const RunRecord>(std::move(record).value()));
}

std::string problem(const std::string& text)
{
    auto loaded = readDesignText(text, "d.yaml");
    if (!loaded)
        return loaded.error().text();
    for (const Diagnostic& entry : validate(loaded.value().design))
        if (entry.severity == Severity::Error)
            return entry.text();
    return {};
}

bool has(const std::string& text, std::initializer_list<const char*> parts)
{
    return std::all_of(parts.begin(), parts.end(), [&](const char* part) { return text.find(part) != std::string::npos; });
}

} // namespace

class JobsTest : public QObject {
    Q_OBJECT

private slots:
    void jobsThatShareNoLinkDoNotMeet()
    {
        // Direct all-reduce between two over a switch: 2 (2 L + 1000 / 2 ns) and the like.
        const Design design = read(kSwitch + "workload:\n  jobs:\n"
                                             "    - {name: small, ranks: 2, collective: all_reduce, size: 1000 B}\n"
                                             "    - {name: large, nodes: [7, 3], collective: all_reduce, size: 4000 B}\n");
        const RunSummary both = run(design);
        QCOMPARE(both.jobs.size(), std::size_t{2});
        QCOMPARE(both.jobs[0].finish.ps, std::int64_t{2 * 520'000});
        QCOMPARE(both.jobs[1].finish.ps, std::int64_t{2 * 2'020'000});
        QCOMPARE(both.jobs[1].name, std::string("large"));
        QCOMPARE(both.record->finish.ps, both.jobs[1].finish.ps);
        for (const RankClass& row : both.record->classes)
            QCOMPARE(row.job, row.ranks.contains(0) || row.ranks.contains(1) ? 0 : 1);
        QCOMPARE(run(onlyJob(design, "small").value()).jobs[0].finish.ps, both.jobs[0].finish.ps);
        QCOMPARE(run(onlyJob(design, "1").value()).jobs[0].finish.ps, both.jobs[1].finish.ps);
    }

    void interferenceIsVisible()
    {
        // Job x: ranks on nodes 0 and 4, job y on 1 and 5 of a mesh of two switches whose long way is dimension 1: x's messages cross nothing
        // of y's. On a ring, both go through the same links: 0 -> 2 and 1 -> 3.
        const std::string ring = "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 8, bandwidth: 1 GB/s, latency: 10 ns}]}\n";
        const std::string job = "steps: [{send: 100000 B, to: 1, ranks: \"0\", after: []}, {receive: 100000 B, from: 0, ranks: \"1\", after: []}]}\n";
        const Design design = read(ring + "workload:\n  jobs:\n    - {name: x, nodes: [0, 2], " + job + "    - {name: y, nodes: [1, 3], " + job);
        const RunSummary both = run(design);
        // Alone: two hops and 100 us. Together y's message holds the link 1 -> 2 first, since x's head comes 10 ns later.
        for (const char* name : {"x", "y"})
            QCOMPARE(run(onlyJob(design, name).value()).record->finish.ps, std::int64_t{100'020'000});
        QCOMPARE(both.jobs[1].finish.ps, std::int64_t{100'020'000});
        QCOMPARE(both.jobs[0].finish.ps, std::int64_t{100'000'000 + 100'000'000 + 10'000});
    }

    void groupsOfAJobSpanItsOwnRanks()
    {
        const std::string grid = "fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: 4, bandwidth: 1 GB/s, latency: 10 ns}, {shape: switch, size: 2, bandwidth: 1 GB/s, latency: 10 ns}]}\n"
                                 "collectives: {default: {algorithm: direct, chunks: 1}}\n";
        // Job a has columns 0 and 1 of both rows, job b the others; groups along dimension 1 have two members.
        const std::string work = "groups: [{name: up, dimensions: [1]}], steps: [{collective: all_reduce, size: 1000 B, group: up}]}\n";
        const Design design = read(grid + "workload:\n  jobs:\n    - {name: a, nodes: [0, 1, 4, 5], " + work + "    - {name: b, nodes: [2, 3, 6, 7], " + work);
        const auto scenario = prepare(design);
        QVERIFY(scenario);
        QCOMPARE(scenario.value()->structure->instances.size(), std::size_t{4});
        for (const CollectiveInstance& instance : scenario.value()->structure->instances) {
            const GroupLayout& layout = scenario.value()->structure->layouts[at(instance.layout)];
            QCOMPARE(layout.size(), 2);
            const Placement& placement = scenario.value()->structure->placement;
            QCOMPARE(placement.jobOf(layout.rankAt(0)), placement.jobOf(layout.rankAt(1)));
            QCOMPARE(placement.nodeOf(layout.rankAt(1)) - placement.nodeOf(layout.rankAt(0)), 4);
        }
        for (const JobFigures& job : run(design).jobs)
            QCOMPARE(job.finish.ps, std::int64_t{2 * 520'000});
    }

    void peersAreThoseOfTheJob()
    {
        const std::string work = "steps: [{send: 500 B, to: 1, ranks: \"0\", after: []}, {receive: 500 B, from: 0, ranks: \"1\", after: []}, {send: 700 B, to: +2, ranks: 0-1, after: [], tag: 3}, "
                                 "{receive: 700 B, from: -2, ranks: 2-3, after: [], tag: 3}]}\n";
        const Design design = read(kSwitch + "workload:\n  jobs:\n    - {ranks: 4, " + work + "    - {ranks: 4, first_node: 4, " + work);
        const RunSummary both = run(design);
        QVERIFY(both.record->complete);
        QCOMPARE(both.jobs[0].name, std::string("job 0"));
        QCOMPARE(both.jobs[0].finish.ps, both.jobs[1].finish.ps);
        const auto scenario = prepare(design);
        RunOptions options;
        std::set<std::pair<std::int32_t, std::int32_t>> seen;
        options.message = [&](const MessageRecord& message) { seen.insert({message.source, message.target}); };
        QVERIFY(simulate(*scenario.value(), options));
        QCOMPARE(seen, (std::set<std::pair<std::int32_t, std::int32_t>>{{0, 1}, {0, 2}, {1, 3}, {4, 5}, {4, 6}, {5, 7}}));
    }

    void everyResultNamesTheJobs()
    {
        const Design design = read(kSwitch + "workload:\n  jobs:\n    - {name: train, ranks: 4, collective: all_reduce, size: 1000 B}\n    - {name: serve, ranks: 2, first_node: 5, steps: [{compute: 3 us}]}\n");
        const RunSummary summary = run(design);
        const auto json = nlohmann::json::parse(runJson(summary, {}, RankRows::Classes));
        const auto& jobs = json["result"]["jobs"];
        QCOMPARE(jobs.size(), std::size_t{2});
        QCOMPARE(jobs[0]["name"].get<std::string>(), std::string("train"));
        QCOMPARE(jobs[1]["ranks"].get<int>(), 2);
        QCOMPARE(jobs[1]["finish_ns"].get<int>(), 3000);
        for (const auto& row : json["result"]["ranks"])
            QCOMPARE(row["job"].get<int>(), row["ranks"].get<std::string>().starts_with("4") ? 1 : 0);
        const std::string text = runText(summary, {}, RankRows::Classes);
        QVERIFY(has(text, {"Job train", "Job serve", "3 us"}));
        // One job without a name is nothing to talk about.
        QVERIFY(run(read(kSwitch + "workload: {collective: all_reduce, size: 1 KiB}\n")).jobs.empty());
    }

    void writtenDesignsReadBackTheSame()
    {
        const std::string text = kSwitch + "workload:\n  jobs:\n    - {name: train, ranks: 2, stride: 2, collective: all_reduce, size: 1000 B}\n"
                                           "    - {name: serve, nodes: [1, 3], steps: [{compute: 3 us, priority: 4}]}\n";
        const Design design = read(text);
        const Design again = read(writeDesign(design));
        QCOMPARE(designHash(again).hex(), designHash(design).hex());
        QCOMPARE(run(again).record->fingerprint.hex(), run(design).record->fingerprint.hex());
        std::set<std::string> hashes{designHash(design).hex()};
        for (const auto& [from, to] : {std::pair{"stride: 2", "stride: 4"}, {"[1, 3]", "[3, 1]"}, {"3 us", "4 us"}, {"1000 B", "1001 B"}, {"priority: 4", "priority: 5"}}) {
            std::string changed = text;
            changed.replace(changed.find(from), std::strlen(from), to);
            hashes.insert(designHash(read(changed)).hex());
        }
        QCOMPARE(hashes.size(), std::size_t{6});
    }

    void sameBytesOnAnyNumberOfThreads()
    {
        const Design design = read(kSwitch + "workload:\n  jobs:\n    - {ranks: 4, collective: all_reduce, size: 1 MiB}\n    - {ranks: 4, first_node: 4, collective: all_to_all, size: 1 MiB}\n"
                                             "scheduling: {inside: smallest_first, order: explicit, units: {communication: 2}}\n");
        const std::string one = runJson(run(design, 1), {}, RankRows::All);
        for (const int threads : {2, 8})
            QCOMPARE(runJson(run(design, threads), {}, RankRows::All), one);
    }

    void mistakesAreNamedWithTheirPlace()
    {
        const std::string jobs = kSwitch + "workload:\n  jobs:\n";
        QVERIFY(has(problem(jobs + "    - {name: a, collective: all_reduce, size: 1 B}\n"), {"d.yaml:6", "ranks"}));
        QVERIFY(has(problem(jobs + "    - {ranks: 2}\n"), {"d.yaml:6", "nothing says what runs"}));
        QVERIFY(has(problem(jobs + "    - {ranks: 2, rank: 3, collective: all_reduce, size: 1 B}\n"), {"d.yaml:6", "rank"}));
        QVERIFY(has(problem(jobs + "    - {name: a, ranks: 2, collective: all_reduce, size: 1 B}\n    - {name: a, ranks: 2, first_node: 2, collective: all_reduce, size: 1 B}\n"), {"d.yaml:7", "second job"}));
        QVERIFY(has(problem(jobs + "    - {ranks: 2, collective: all_reduce, size: 1 B}\n    - {ranks: 2, first_node: 1, collective: all_reduce, size: 1 B}\n"), {"d.yaml:7", "used twice"}));
        QVERIFY(has(problem(jobs + "    - {ranks: 9, collective: all_reduce, size: 1 B}\n"), {"d.yaml:6", "9 ranks"}));
        QVERIFY(has(problem(jobs + "    - {ranks: 2, steps: [{send: 1 B, to: 5, ranks: \"0\"}]}\n"), {"d.yaml:6"}));
        QVERIFY(has(problem(kSwitch + "workload: {jobs: []}\n"), {"d.yaml:4", "no jobs"}));
        QVERIFY(has(problem(kSwitch + "workload: {jobs: [{ranks: 2, collective: all_reduce, size: 1 B}]}\nmodel: {name: astra-unaware}\n"), {"one job"}));
        std::string twice = jobs + "    - {ranks: 2, collective: all_reduce, size: 1 B}\n";
        twice.replace(twice.find("}]}\ncoll"), 3, "}], placement: {jobs: [{ranks: 2}]}}");
        QVERIFY(has(problem(twice), {"platform.placement"}));
        QVERIFY(!onlyJob(read(jobs + "    - {name: a, ranks: 2, collective: all_reduce, size: 1 B}\n"), "b"));
        QVERIFY(!onlyJob(read(kSwitch + "workload: {collective: all_reduce, size: 1 B}\n"), "0"));
    }
};

FABRICSCOPE_TEST(JobsTest)
#include "tst_jobs.moc"
