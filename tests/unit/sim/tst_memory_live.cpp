#include "core/design/computeconfig.h"
#include "core/record/memoryuse.h"
#include "core/report/runfile.h"
#include "core/report/runtext.h"
#include "core/scenario/lowering.h"
#include "core/sim/common/livememory.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/tracefiles.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include <map>
#include <random>

using namespace fabricscope;

namespace {

constexpr std::int64_t kMB = 1'000'000;

std::string design(const std::string& steps, const std::string& memory = {}, const std::string& npu = "memory: 10 MB", const std::string& more = {})
{
    return "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 ns}]\n  npu: {memory_bandwidth: 1 TB/s, " + npu + "}\n" + more
           + (memory.empty() ? std::string() : "compute: {memory: {" + memory + "}}\n") + "workload:\n  steps:\n" + steps;
}

Design read(const std::string& text)
{
    auto loaded = readDesignText(text, "test.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

struct Run {
    ScenarioPtr scenario;
    RunRecord record;
    RunSummary summary;
};

Run simulated(const std::string& text, RunOptions options = {})
{
    const Design given = read(text);
    auto scenario = prepare(given);
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    auto record = simulate(*scenario.value(), options);
    if (!record)
        qFatal("%s", record.error().text().c_str());
    Run run{scenario.value(), std::move(record).value(), {}};
    run.summary = summarise(given, *run.scenario, std::make_shared<const RunRecord>(run.record));
    return run;
}

/// Live bytes of the only class of ranks.
MemoryUse::Class only(const std::string& text)
{
    const Run run = simulated(text);
    if (!run.record.memory || run.record.memory->classes.size() != 1)
        qFatal("not one class of memory");
    return run.record.memory->classes.front();
}

std::string shape(const MemoryUse::Class& use)
{
    std::string text;
    for (const MemoryUse::Point& point : use.timeline)
        text += std::to_string(point.ps / kPsPerUs) + ":" + std::to_string(point.bytes / kMB) + " ";
    return text;
}

bool has(const Diagnostics& diagnostics, const std::string& rule)
{
    return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& entry) { return entry.rule == rule; });
}

} // namespace

class MemoryLiveTest : public QObject {
    Q_OBJECT

private slots:
    void anOutputStaysUntilItsLastUserEnds()
    {
        // a: 0-1 us, b: 1-3, c: 3-6. a's output waits for b (the step after it), b's for c, c's for nobody.
        const auto use = only(design("    - {compute: 1 us, output: 1 MB}\n    - {compute: 2 us, output: 2 MB}\n    - {compute: 3 us, output: 4 MB}\n"));
        QCOMPARE(shape(use), std::string("0:1 1:3 3:6 6:4 "));
        QCOMPARE(use.peakBytes, 6 * kMB);
        QCOMPARE(use.peakPs, 3 * kPsPerUs);
        QCOMPARE(use.capacity.value_or(0), 10 * kMB);
        QCOMPARE(use.overPs, -1);
    }

    void usesKeepIt()
    {
        const auto use = only(design("    - {compute: 1 us, output: 1 MB, name: a}\n    - {compute: 2 us, scratch: 3 MB}\n    - {compute: 4 us, uses: a}\n    - {compute: 8 us}\n"));
        QCOMPARE(shape(use), std::string("0:1 1:4 3:1 7:0 "));
        QCOMPARE(use.tensors.size(), std::size_t{2});
        QCOMPARE(use.tensors[0].name, std::string("compute (scratch)"));
        QCOMPARE(use.tensors[1].name, std::string("a"));
    }

    void usesAreWaitedFor()
    {
        const Run run = simulated(design("    - {compute: 5 us, output: 1 MB, name: a, after: []}\n    - {collective: all_reduce, size: 0 B, uses: a, after: [], name: g}\n"));
        QCOMPARE(run.record.classes[0].tasks->issuePs[1], 5 * kPsPerUs);
    }

    void backwardUsesForwardInReverse()
    {
        // Three layers forward, three backward: the peak is at the end of the forward part, and every backward step frees the latest.
        const auto use = only(design("    - repeat: 3\n      steps: [{compute: 1 us, output: 2 MB, name: fwd}]\n    - repeat: 3\n      steps: [{compute: 2 us, uses: fwd}]\n"));
        QCOMPARE(shape(use), std::string("0:2 1:4 2:6 5:4 7:2 9:0 "));
        QCOMPARE(use.tensors.size(), std::size_t{1});
        QCOMPARE(use.tensors[0].count, 3);
        QCOMPARE(use.tensors[0].bytes, 6 * kMB);
    }

    void residentBytesAreAlwaysThere()
    {
        const std::string steps = "    - {compute: 1 us, scratch: 1 MB}\n";
        const auto use = only(design(steps, "resident: 5 MB"));
        QCOMPARE(use.residentBytes, 5 * kMB);
        QCOMPARE(shape(use), std::string("0:6 1:5 "));
        const Run run = simulated(design(steps, "resident: [{name: parameters, bytes: 2 MB}, {name: optimizer, bytes: 3 MB, ranks: 0-1}]"));
        QCOMPARE(run.record.memory->classes.size(), std::size_t{2});
        QCOMPARE(run.record.memory->classes[0].ranks.text(), std::string("0-1"));
        QCOMPARE(run.record.memory->classes[0].peakBytes, 6 * kMB);
        QCOMPARE(run.record.memory->classes[1].ranks.text(), std::string("2-3"));
        QCOMPARE(run.record.memory->classes[1].peakBytes, 3 * kMB);
    }

    void outOfMemoryNamesTimeRankAndTensors()
    {
        const std::string steps = "    - {compute: 1 us, output: 3 MB, name: small, after: []}\n    - {compute: 2 us, output: 6 MB, name: large, after: [], ranks: 0-2}\n"
                                  "    - {compute: 1 us, name: last, uses: small}\n    - {compute: 1 us, uses: large, ranks: 0-2}\n";
        const Run run = simulated(design(steps, "resident: [{name: parameters, bytes: 2 MB}]"));
        const MemoryUse::Class& use = run.record.memory->classes[0];
        QCOMPARE(use.ranks.text(), std::string("0-2"));
        QCOMPARE(use.overPs, kPsPerUs); // small from 0, large from 1 us: 11 MB
        QCOMPARE(use.overBytes, 11 * kMB);
        QCOMPARE(use.tensors[0].name, std::string("large"));
        QCOMPARE(use.tensors[1].name, std::string("small"));
        QCOMPARE(use.tensors[2].name, std::string("parameters"));
        const auto found = std::find_if(run.record.diagnostics.begin(), run.record.diagnostics.end(), [](const Diagnostic& entry) { return entry.rule == "out-of-memory"; });
        QVERIFY(found != run.record.diagnostics.end());
        QVERIFY(found->severity == Severity::Warning);
        QVERIFY2(found->message.starts_with("ranks 0-2: out of memory at 1 us, 11 MB of 10 MB: large 6 MB, small 3 MB, parameters 2 MB"), found->message.c_str());
        QVERIFY(run.record.complete);
        const std::string text = runText(run.summary, {}, RankRows::Classes);
        QVERIFY2(text.find("Memory, fullest first") != std::string::npos && text.find("11 MB of 10 MB") != std::string::npos, text.c_str());
        // Exactly full is not too full; memory of one NPU may be larger.
        QVERIFY(!has(simulated(design(steps, "resident: 1 MB")).record.diagnostics, "out-of-memory"));
        const Run large = simulated(design(steps, "resident: 2 MB", "memory: 10 MB", "  overrides: {npus: [{npu: 0, memory: 20 MB}, {npu: 2, memory: 12 MB}]}\n"));
        const auto over = std::find_if(large.record.diagnostics.begin(), large.record.diagnostics.end(), [](const Diagnostic& entry) { return entry.rule == "out-of-memory"; });
        QVERIFY(over != large.record.diagnostics.end() && over->message.starts_with("rank 1: "));
    }

    void everyEngineFollowsMemory()
    {
        const std::string text = design("    - {compute: 3 us, output: 1 MB}\n    - {collective: all_reduce, size: 64 KB, output: 2 MB}\n    - {compute: 1 us}\n");
        RunOptions options;
        options.taskTimes = false;
        const Run fast = simulated(text, options);
        QVERIFY(fast.record.engines[0].engine != "events");
        QVERIFY(!fast.record.classes[0].tasks);
        options.engine = EngineChoice::Events;
        const Run events = simulated(text, options);
        QVERIFY(*fast.record.memory == *events.record.memory);
    }

    void ranksWithEqualTimesAndDifferentTensorsArePartedAgain()
    {
        const Run run = simulated(design("    - {compute: 1 us, scratch: 1 MB, ranks: 0-1}\n    - {compute: 1 us, scratch: 2 MB, ranks: 2-3}\n"));
        QCOMPARE(run.record.memory->classes.size(), std::size_t{2});
        QCOMPARE(run.record.memory->classes[0].peakBytes, kMB);
        QCOMPARE(run.record.memory->classes[1].peakBytes, 2 * kMB);
    }

    void savedRunsKeepIt()
    {
        const Run run = simulated(design("    - {compute: 1 us, output: 7 MB, name: a}\n    - {compute: 2 us, output: 6 MB}\n", "resident: 1 MB"));
        auto again = readRunText(runFileText(run.summary, {}), "x.json");
        QVERIFY2(bool(again), again ? "" : again.error().text().c_str());
        QVERIFY(*again.value().summary.record->memory == *run.record.memory);
        const auto json = nlohmann::json::parse(runJson(run.summary, {}, RankRows::Classes));
        const auto& row = json["result"]["memory"][0];
        QCOMPARE(row["peak_bytes"].get<std::int64_t>(), 14 * kMB);
        QCOMPARE(row["at_ns"].get<std::int64_t>(), 1000);
        QCOMPARE(row["capacity_bytes"].get<std::int64_t>(), 10 * kMB);
        QCOMPARE(row["out_of_memory_ns"].get<std::int64_t>(), 1000);
        QCOMPARE(row["tensors"][0]["name"].get<std::string>(), std::string("a"));
    }

    void longTimelinesKeepTheirPeaks()
    {
        // 2000 rounds of 1 us with a scratch of 1 MB, one of them with 5 MB more.
        const auto use = only(design("    - repeat: 1500\n      steps: [{compute: 1 us, scratch: 1 MB}, {compute: 1 us}]\n    - {compute: 1 us, scratch: 6 MB}\n"
                                     "    - repeat: 499\n      steps: [{compute: 1 us}, {compute: 1 us, scratch: 1 MB}]\n    - {compute: 1 us}\n"));
        QVERIFY(use.timeline.size() <= MemoryUse::kMaxPoints + 1);
        QCOMPARE(use.peakBytes, 6 * kMB);
        std::int64_t most = 0;
        for (std::size_t i = 0; i < use.timeline.size(); ++i) {
            most = std::max(most, use.timeline[i].bytes);
            QVERIFY(i == 0 ? use.timeline[i].ps == 0 : use.timeline[i].ps > use.timeline[i - 1].ps);
        }
        QCOMPARE(most, 6 * kMB);
        QCOMPARE(use.timeline.back().bytes, 0);
    }

    void randomStepsAgreeWithAPlainCount()
    {
        // Every rank runs the same random chain of steps; live bytes are counted afresh at every instant from the times of the tasks and the rules.
        std::mt19937_64 random(test::seeded(9));
        const auto pick = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
        for (int round = 0; round < test::cases(1000); ++round) {
            struct Plain {
                std::int64_t output = 0;
                std::int64_t scratch = 0;
                std::vector<int> uses;
                std::vector<int> after;
            };
            std::vector<Plain> plain;
            std::string steps;
            const int count = static_cast<int>(pick(1, 9));
            for (int s = 0; s < count; ++s) {
                Plain step;
                step.output = pick(0, 2) * kMB;
                step.scratch = pick(0, 2) == 0 ? kMB : 0;
                steps += "    - {compute: " + std::to_string(pick(1, 5)) + " us, name: s" + std::to_string(s) + ", output: " + std::to_string(step.output) + " B, scratch: "
                         + std::to_string(step.scratch) + " B, after: [";
                for (int other = 0; other < s; ++other) {
                    if (pick(0, 3) == 0) {
                        steps += (step.after.empty() ? "s" : ", s") + std::to_string(other);
                        step.after.push_back(other);
                    }
                }
                steps += "], uses: [";
                for (int other = 0; other < s; ++other) {
                    if (pick(0, 4) == 0) {
                        steps += (step.uses.empty() ? "s" : ", s") + std::to_string(other);
                        step.uses.push_back(other);
                    }
                }
                steps += "]}\n";
                plain.push_back(std::move(step));
            }
            const Run run = simulated(design(steps, "resident: 1 MB"));
            const TaskTimes& times = *run.record.classes[0].tasks;
            std::map<std::int64_t, std::int64_t> live;
            for (const auto* list : {&times.issuePs, &times.endPs}) {
                for (const std::int64_t ps : *list)
                    live[ps] = kMB;
            }
            live[0] = kMB;
            for (auto& [ps, bytes] : live) {
                for (std::size_t s = 0; s < plain.size(); ++s) {
                    if (times.issuePs[s] <= ps && ps < times.endPs[s])
                        bytes += plain[s].scratch;
                    std::int64_t end = -1;
                    bool used = false;
                    for (const Plain& other : plain)
                        used |= std::find(other.uses.begin(), other.uses.end(), static_cast<int>(s)) != other.uses.end();
                    for (std::size_t other = 0; other < plain.size(); ++other) {
                        const std::vector<int>& users = used ? plain[other].uses : plain[other].after;
                        if (std::find(users.begin(), users.end(), static_cast<int>(s)) != users.end())
                            end = std::max(end, times.endPs[other]);
                    }
                    if (times.issuePs[s] <= ps && (end < 0 || ps < end))
                        bytes += plain[s].output;
                }
            }
            const MemoryUse::Class& use = run.record.memory->classes.front();
            std::int64_t peak = 0;
            std::int64_t peakPs = 0;
            std::size_t point = 0;
            for (const auto& [ps, bytes] : live) {
                while (point + 1 < use.timeline.size() && use.timeline[point + 1].ps <= ps)
                    ++point;
                QCOMPARE(use.timeline[point].bytes, bytes);
                if (bytes > peak) {
                    peak = bytes;
                    peakPs = ps;
                }
            }
            QCOMPARE(use.peakBytes, peak);
            QCOMPARE(use.peakPs, peakPs);
        }
    }

    void tensorsOfTracesAreFollowed()
    {
        QTemporaryDir folder;
        const std::string prefix = folder.path().toStdString() + "/t";
        const auto listed = [](const char* name, std::vector<std::string> list) {
            EtAttribute attribute;
            attribute.name = name;
            attribute.kind = EtKind::StringList;
            attribute.strings = std::move(list);
            return attribute;
        };
        const auto text = [&](bool follow) {
            return "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 ns}], npu: {memory: 6 MB}}\nworkload: {trace: " + prefix + "}\n"
                   + (follow ? "compute: {memory: {follow: true}}\n" : "");
        };
        std::vector<EtNode> nodes{test::compNode(0, 1), test::compNode(1, 2, {0}), test::compNode(2, 3, {1})};
        nodes[0].attributes.push_back(listed("inputs", {"w", "3000000"}));
        nodes[0].attributes.push_back(listed("outputs", {"x", "1000000", "y", "2000000"}));
        nodes[1].attributes.push_back(listed("inputs", {"x", "1000000"}));
        nodes[1].attributes.push_back(listed("outputs", {"z", "4000000", "nothing", "0"}));
        nodes[2].attributes.push_back(listed("inputs", {"y", "2000000"}));
        for (const char* rank : {".0.et", ".1.et"})
            QVERIFY(test::writeBytes(prefix + rank, etBytes({}, nodes)));
        // w is there from the start and until node 0 ends, x until node 1 ends, y until node 2 does; nobody takes z.
        const auto use = only(text(true));
        QCOMPARE(use.ranks.text(), std::string("0-1"));
        QCOMPARE(shape(use), std::string("0:6 1:7 3:6 6:4 "));
        QCOMPARE(use.overPs, kPsPerUs);
        QCOMPARE(use.tensors[0].name, std::string("z"));
        QVERIFY(!simulated(text(false)).record.memory);

        nodes[1].attributes.back().strings.pop_back();
        QVERIFY(test::writeBytes(prefix + ".1.et", etBytes({}, nodes)));
        const auto broken = prepare(read(text(true)));
        QVERIFY(!broken);
        QVERIFY2(broken.error().text().find("rank 1, node 1, outputs") != std::string::npos, broken.error().text().c_str());

        for (EtNode& node : nodes)
            std::erase_if(node.attributes, [](const EtAttribute& attribute) { return attribute.name == "inputs" || attribute.name == "outputs"; });
        for (const char* rank : {".0.et", ".1.et"})
            QVERIFY(test::writeBytes(prefix + rank, etBytes({}, nodes)));
        const Run bare = simulated(text(true));
        const auto found = std::find_if(bare.record.diagnostics.begin(), bare.record.diagnostics.end(), [](const Diagnostic& entry) { return entry.rule == "memory-not-followed"; });
        QVERIFY(found != bare.record.diagnostics.end() && found->message.find("the trace names no tensors") != std::string::npos);
    }

    void whatIsNotFollowedIsSaid()
    {
        const std::string steps = "    - {compute: 1 us}\n";
        const Run sizeOnly = simulated(design(steps));
        QVERIFY(!sizeOnly.record.memory);
        QVERIFY(has(sizeOnly.record.diagnostics, "memory-not-followed"));
        QVERIFY(has(simulated(design(steps, "follow: true")).record.diagnostics, "memory-not-followed"));
        const Run off = simulated(design("    - {compute: 1 us, output: 20 MB}\n", "follow: false"));
        QVERIFY(!off.record.memory && !has(off.record.diagnostics, "out-of-memory"));
        QVERIFY(has(validate(read(design(steps, "follow: false, resident: 1 MB"))), "unused-setting"));
    }

    void designsReadBack()
    {
        const std::string text = design("    - {compute: 1 us, name: a, output: 1 MB, scratch: 2 MB}\n    - {compute: 2 us, uses: a}\n    - {compute: 2 us, uses: [a], after: a}\n",
                                        "resident: [{name: parameters, bytes: 2 MB}, {name: optimizer, bytes: 3 MB, ranks: 0-1}]");
        const Design first = read(text);
        const Design again = read(writeDesign(first));
        QVERIFY(*again.compute == *first.compute);
        QCOMPARE(designHash(again).hex(), designHash(first).hex());
        const auto& steps = std::get<StepsWorkload>(*again.workload).steps;
        QCOMPARE(steps[0].output->text(), std::string("1 MB"));
        QCOMPARE(steps[0].scratch->text(), std::string("2 MB"));
        QCOMPARE(steps[2].uses, std::vector<std::string>{"a"});
        for (const auto& [path, value] : {std::pair("workload.steps.0.output", "2 MB"), {"workload.steps.0.scratch", "3 MB"}, {"compute.memory.resident.0.bytes", "4 MB"}})
            QVERIFY2(designHash(readDesignText(text, "test.yaml", {{path, value}}).value().design).hex() != designHash(first).hex(), path);
    }

    void refusalsSayWhy()
    {
        const auto problem = [](const std::string& steps) {
            auto loaded = readDesignText(design(steps), "test.yaml");
            if (!loaded)
                return loaded.error().text();
            std::string text;
            for (const Diagnostic& entry : validate(loaded.value().design))
                text += entry.text();
            return text;
        };
        QCOMPARE(problem("    - {compute: 1 us, name: a, output: 1 MB}\n    - {compute: 1 us, uses: a}\n"), std::string());
        QVERIFY(problem("    - {compute: 1 us, uses: b}\n    - {compute: 1 us, name: b}\n").find("comes later") != std::string::npos);
        QVERIFY(problem("    - {compute: 1 us, uses: c}\n").find("no step is called \"c\"") != std::string::npos);
        QVERIFY(problem("    - {compute: 1 us, output: 1 us}\n").find("test.yaml:7") != std::string::npos);
        QVERIFY(problem("    - {repeat: 2, output: 1 MB, steps: [{compute: 1 us}]}\n").find("output") != std::string::npos);
    }
};

FABRICSCOPE_TEST(MemoryLiveTest)
#include "tst_memory_live.moc"
