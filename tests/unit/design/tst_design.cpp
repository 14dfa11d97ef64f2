#include "core/design/design.h"
#include "core/design/file/costsection.h"
#include "core/design/file/searchsection.h"
#include "core/design/linknames.h"
#include "core/design/validate.h"
#include "core/yaml/tree.h"
#include "sourcedir.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/randomdesign.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace fabricscope;
using fabricscope::test::RandomDesign;

namespace {

const std::string kPlatform = "platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}, {shape: switch, size: 2, bandwidth: 25 GB/s, latency: 2 us}]}\n";
const std::string kWorkload = "workload: {collective: all_reduce, size: 1 MiB}\n";

std::string exampleFile(const std::string& name) { return std::string(FABRICSCOPE_SOURCE_DIR) + "/resources/examples/" + name; }

std::string readAll(const std::string& path)
{
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

Design read(const std::string& text, const std::vector<FieldOverride>& overrides = {})
{
    auto loaded = readDesignText(text, "d.yaml", overrides);
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

std::string errorOf(const std::string& text, const std::vector<FieldOverride>& overrides = {})
{
    const auto loaded = readDesignText(text, "d.yaml", overrides);
    return loaded ? std::string("(accepted)") : loaded.error().text();
}

std::string rules(const Diagnostics& diagnostics)
{
    std::string text;
    for (const Diagnostic& entry : diagnostics)
        text += (text.empty() ? "" : " ") + entry.rule;
    return text;
}

bool sameSteps(const std::vector<Step>& a, const std::vector<Step>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Step& x, const Step& y) {
        return x.kind == y.kind && x.name == y.name && x.after == y.after && x.afterGiven == y.afterGiven && x.ranks == y.ranks && x.duration == y.duration
            && x.operations == y.operations && x.bytes == y.bytes && x.op == y.op && x.group == y.group && x.peer == y.peer && x.tag == y.tag && x.times == y.times
            && sameSteps(x.steps, y.steps);
    });
}

bool sameWorkload(const WorkloadSpec& a, const WorkloadSpec& b)
{
    if (a.index() != b.index())
        return false;
    if (const auto* trace = std::get_if<TraceWorkload>(&a))
        return *trace == std::get<TraceWorkload>(b);
    if (const auto* single = std::get_if<SingleCollective>(&a))
        return single->op == std::get<SingleCollective>(b).op && single->size == std::get<SingleCollective>(b).size;
    if (const auto* steps = std::get_if<StepsWorkload>(&a)) {
        const auto& other = std::get<StepsWorkload>(b);
        return std::equal(steps->groups.begin(), steps->groups.end(), other.groups.begin(), other.groups.end(),
                          [](const GroupSpec& x, const GroupSpec& y) { return x.name == y.name && x.dimensions == y.dimensions && x.axes == y.axes && x.lists == y.lists; })
            && sameSteps(steps->steps, other.steps);
    }
    return true;
}

} // namespace

class DesignTest : public QObject {
    Q_OBJECT

private slots:
    void readsThePlatform()
    {
        const Design design = read("fabricscope: 1\nname: A\nnotes: B\nplatform:\n  name: F\n  source: S\n  dimensions:\n"
                                   "    - {shape: fully_connected, size: 8, npu_bandwidth: 450 GB/s, latency: 700 ns}\n"
                                   "    - shape: switch\n      size: 4\n      bandwidth: 400 Gbit/s\n      latency: 2.5 us\n"
                                   "  npu: {peak: 989 TFLOP/s, memory_bandwidth: 3.35 TB/s, memory: 80 GiB}\n"
                                   "  budgets: {injection: 500 GB/s, ejection: 400 GB/s}\n"
                                   "  overrides:\n    links: [{link: d0 9>12, bandwidth: 1 GB/s}, {link: d1 switch>30, latency: 9 us}]\n"
                                   "    npus: [{npu: 3, speed: 0.5}]\n"
                                   "  remote_memory: {kind: pool, latency: 1.5 us, bandwidth: 0.1 TB/s}\n"
                                   "  placement: {jobs: [{name: j, ranks: 4, first_node: 1, stride: 2}]}\n"
                                       + kWorkload);

        const PlatformSpec& spec = *design.platform;
        QCOMPARE(design.name, std::string("A"));
        QCOMPARE(spec.dimensions.size(), std::size_t{2});
        QVERIFY(spec.dimensions[0].bandwidthIsPerNpu && !spec.dimensions[1].bandwidthIsPerNpu);
        QCOMPARE(spec.dimensions[1].bandwidth.text(), std::string("400 Gbit/s"));
        QCOMPARE(spec.npu.injection->text(), std::string("500 GB/s"));
        const Platform platform = Platform::create(spec).value();
        QCOMPARE(platform.linkName(spec.linkOverrides[0].link), std::string("d0 9>12"));
        QCOMPARE(platform.bandwidth(spec.linkOverrides[0].link).bytesPerSecond, std::int64_t{1'000'000'000});
        QCOMPARE(platform.linkName(spec.linkOverrides[1].link), std::string("d1 switch>30"));
        QCOMPARE(*spec.npuOverrides[0].speed, 0.5);
        QVERIFY(design.remoteMemory == (RemoteMemory{RemoteMemory::Kind::Pool, 1500, 100, 0, 0}));
        QVERIFY(design.jobs == (std::vector<Placement::Job>{{"j", 4, 1, 2, {}}}));
    }

    void readsNodesAndLinks()
    {
        const Design design = read("fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: s, kind: switch}]\n"
                                   "  links:\n    - {between: [a, s], bandwidth: 1 GB/s, latency: 1 ns}\n"
                                   "    - {from: b, to: s, bandwidth: 2 GB/s, latency: 2 ns}\n    - {from: s, to: b, bandwidth: 3 GB/s, latency: 3 ns}\n"
                                   "  overrides: {links: [{link: s>b, bandwidth: 4 GB/s}]}\n"
                                       + kWorkload);

        const auto& links = design.platform->links;
        QCOMPARE(links.size(), std::size_t{4});
        QVERIFY(links[0].from == 0 && links[0].to == 2 && links[1].from == 2 && links[1].to == 0);
        QVERIFY(links[2].from == 1 && links[2].to == 2 && links[3].from == 2 && links[3].to == 1);
        QCOMPARE(Platform::create(*design.platform).value().bandwidth(design.platform->linkOverrides[0].link).bytesPerSecond, std::int64_t{4'000'000'000});
    }

    void aliasesAndWindowsLineEndsAreFine()
    {
        const Design design = read("fabricscope: 1\r\nplatform:\r\n  dimensions:\r\n    - &level {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}\r\n    - *level\r\n"
                                   "workload: {collective: all_reduce, size: 1 MiB}\r\n");

        QCOMPARE(design.platform->dimensions.size(), std::size_t{2});
        QVERIFY(design.platform->dimensions[0] == design.platform->dimensions[1]);
        QVERIFY(validate(design).empty());
    }

    void readsPresets()
    {
        const Design design = read("fabricscope: 1\nplatform: {preset: hgx-h100-8, npu: {peak: 500 TFLOP/s}}\n" + kWorkload);

        QCOMPARE(Platform::create(*design.platform).value().npuCount(), 8);
        QCOMPARE(design.platform->npu.peak->text(), std::string("500 TFLOP/s"));
        QVERIFY(design.platform->npu.memoryBandwidth);
        QCOMPARE(design.platformOrigin, std::string("preset hgx-h100-8"));
    }

    void readsCollectivesAndModel()
    {
        const Design design = read("fabricscope: 1\n" + kPlatform + kWorkload
                                   + "collectives:\n  default: {algorithm: [ring, direct4], chunks: 16, window: 2}\n"
                                     "  rules: [{op: all_reduce, group: \"*\", max_size: 1 MiB, algorithm: [direct, halving_doubling]}, {algorithm: auto}]\n"
                                     "  active_chunks: 3\n  queues: 2\n  optimization: localBWAware\n"
                                     "model: {name: astra-unaware, version: astra/2, endpoint_delay: 10 ns, rendezvous: true, roofline: false}\n");

        const CollectiveConfig& config = design.collectives;
        QVERIFY(config.defaults.algorithms == (std::vector<AlgorithmChoice>{{false, Algorithm::Ring, 0}, {false, Algorithm::Direct, 4}}));
        QVERIFY(config.defaults.chunks == 16 && config.defaults.window == 2);
        QCOMPARE(config.rules.size(), std::size_t{2});
        QVERIFY(*config.rules[0].op == CollectiveOp::AllReduce && config.rules[0].maxSize->text() == "1 MiB" && config.rules[0].algorithms->size() == 2);
        QVERIFY(config.rules[1].algorithms && config.rules[1].algorithms->empty());
        QVERIFY(config.activeChunks == 3 && config.queuesPerDimension == 2 && config.localBandwidthAware);
        QVERIFY(design.model.model == Model::AstraUnaware && design.model.rendezvous && !design.model.roofline);
        QCOMPARE(design.model.endpointDelay.text(), std::string("10 ns"));
    }

    void readsTraceWorkloads()
    {
        const Design design = read("fabricscope: 1\n" + kPlatform + "workload: {trace: traces/step, comm_groups: groups.json, ctrl_deps: ignore, bytes_per_element: 2}\n");

        QVERIFY(std::get<TraceWorkload>(*design.workload) == (TraceWorkload{"traces/step", "groups.json", CtrlDeps::Ignore, 2}));
    }

    void everyKeyOfTheDesignPageIsAccepted()
    {
        const Design design = read("fabricscope: 1\nname: Two-level HGX pod\nnotes: what question this design answers\nplatform:\n  dimensions:\n"
                                   "    - {shape: fully_connected, size: 8, npu_bandwidth: 450 GB/s, latency: 700 ns}\n"
                                   "    - {shape: switch, size: 4, bandwidth: 50 GB/s, latency: 2.5 us}\n"
                                   "  npu: {peak: 989 TFLOP/s, memory_bandwidth: 3.35 TB/s, memory: 80 GiB}\n"
                                   "workload:\n  trace: traces/step\n  comm_groups: groups.json\n"
                                   "collectives:\n  default: {algorithm: auto, chunks: 4}\n"
                                   "  rules: [{op: all_reduce, group: \"*\", max_size: 1 MiB, algorithm: [direct, halving_doubling]}]\n"
                                   "model: {name: links, version: physical/1, endpoint_delay: 0 ns}\n");

        QCOMPARE(rules(validate(design)), std::string());
    }

    void examplesLoadAndAreSound_data()
    {
        QTest::addColumn<QString>("file");
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(exampleFile(""))) {
            if (entry.path().extension() != ".yaml")
                continue;
            QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
            ++count;
        }
        QVERIFY(count >= 6);
    }
    void examplesLoadAndAreSound()
    {
        QFETCH(QString, file);

        const auto loaded = readDesign(file.toStdString());

        QVERIFY2(bool(loaded), loaded ? "" : loaded.error().text().c_str());
        for (const Diagnostic& entry : validate(loaded.value().design))
            QFAIL(entry.text().c_str());
        const auto platform = Platform::create(*loaded.value().design.platform);
        const auto workload = loadWorkload(loaded.value().design, platform.value());
        QVERIFY2(bool(workload), workload ? "" : workload.error().text().c_str());
        QVERIFY(workload.value().workload->taskCount() > 0);
    }

    void theReferenceShowsEveryKey()
    {
        // Taken from the reader's own lists: each unknown key names the known ones.
        const std::string reference = readAll(exampleFile("reference.yaml"));
        const std::vector<std::string> probes{
            "fabricscope: 1\nx: 1\n",
            "fabricscope: 1\nplatform: {x: 1}\n",
            "fabricscope: 1\nplatform: {dimensions: [{x: 1}]}\n",
            "fabricscope: 1\nplatform: {npu: {x: 1}}\n",
            "fabricscope: 1\nplatform: {budgets: {x: 1}}\n",
            "fabricscope: 1\nplatform: {nodes: [{x: 1}], links: [{x: 1}]}\n",
            "fabricscope: 1\nplatform: {overrides: {x: 1, links: [{x: 1}], npus: [{x: 1}]}}\n",
            "fabricscope: 1\nplatform: {remote_memory: {x: 1}}\n",
            "fabricscope: 1\nplatform: {placement: {x: 1, jobs: [{x: 1}]}}\n",
            "fabricscope: 1\nplatform: {}\nworkload: {x: 1}\n",
            "fabricscope: 1\nplatform: {}\nworkload: {groups: [{x: 1}, {axes: [{x: 1}]}], steps: [{x: 1}, {compute: 1 us, x: 1}, {collective: all_reduce, x: 1}, {send: 1 B, x: 1}, {receive: 1 B, x: 1}]}\n",
            "fabricscope: 1\nplatform: {}\ncollectives: {x: 1, default: {x: 1}, rules: [{x: 1}]}\n",
            "fabricscope: 1\nplatform: {}\ncompute: {x: 1, efficiency: {x: 1, operations: [{x: 1}], kinds: [{x: 1}]}, memory: {x: 1, resident: [{x: 1}]}, slowdown: {x: 1}}\n",
            "fabricscope: 1\nplatform: {remote_memory: {kind: hierarchical, x: 1, groups: {x: 1}}}\nworkload: {steps: [{load: 1 B, x: 1}]}\n",
            "fabricscope: 1\nplatform: {}\nmodel: {x: 1}\n"};
        int keys = 0;
        for (const std::string& probe : probes) {
            int found = 0;
            for (const Diagnostic& entry : inspectDesignText(probe, "d.yaml", {}, false).diagnostics) {
                if (entry.message != "unknown key \"x\"")
                    continue;
                ++found;
                std::string list = entry.expected.substr(std::string("one of ").size());
                list = list.substr(0, list.find(';'));
                std::istringstream words(list);
                for (std::string word; std::getline(words, word, ',');) {
                    word = word.substr(word.find_first_not_of(' '));
                    QVERIFY2(reference.find(word + ":") != std::string::npos, word.c_str());
                    ++keys;
                }
            }
            QVERIFY2(found > 0, probe.c_str());
        }
        QVERIFY(keys > 80);
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& text, const char* says) { QTest::newRow(name) << QString::fromStdString(text) << QString(says); };
        row("empty", "", "the file is empty");
        row("blanks only", " \n\n", "the file is empty");
        row("remarks only", "# nothing yet\n", "the design is empty");
        row("no version", kPlatform, "\"fabricscope\" is missing");
        row("newer version", "fabricscope: 2\n", "d.yaml:1:14, fabricscope: this design is of format version 2 (expected version 1)");
        row("no platform", "fabricscope: 1\n", "\"platform\" is missing");
        row("misspelt key", "fabricscope: 1\nplattform: {}\n", "d.yaml:2:1, plattform: unknown key \"plattform\"");
        row("nearest key", "fabricscope: 1\nplattform: {}\n", "nearest: platform");
        row("key without value", "fabricscope: 1\n" + kPlatform + "model: {name: }\n", "d.yaml:3:15, model.name: no value");
        row("no unit", "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50, latency: 1 us}]}\n", "platform.dimensions[0].bandwidth");
        row("wrong unit", "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB, latency: 1 us}]}\n", "d.yaml:2:59, platform.dimensions[0].bandwidth");
        row("unknown shape", "fabricscope: 1\nplatform: {dimensions: [{shape: rings, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\n", "unknown value \"rings\" (expected one of ring, fully_connected, switch; nearest: ring)");
        row("size zero", "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 0, bandwidth: 50 GB/s, latency: 1 us}]}\n", "a whole number from 1 to 1048576");
        row("two bandwidths", "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, npu_bandwidth: 1 GB/s, latency: 1 us}]}\n", "both \"bandwidth\" and \"npu_bandwidth\"");
        row("no bandwidth", "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, latency: 1 us}]}\n", "no bandwidth is given");
        row("no latency", "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s}]}\n", "\"latency\" is missing");
        row("nothing says the fabric", "fabricscope: 1\nplatform: {name: x}\n", "nothing says what the fabric is");
        row("two fabrics", "fabricscope: 1\nplatform: {preset: hgx-h100-8, dimensions: []}\n", "dimensions and preset are given together");
        row("unknown preset", "fabricscope: 1\nplatform: {preset: hgx}\n", "d.yaml:2:20");
        row("infragraph", "fabricscope: 1\nplatform: {file: a.yaml, kind: infragraph}\n", "a.yaml: file not found");
        row("missing file", "fabricscope: 1\nplatform: {file: no-such.yml, kind: astra-sim}\n", "no-such.yml");
        row("unknown node", "fabricscope: 1\nplatform: {nodes: [{name: a}, {name: b}], links: [{between: [a, c], bandwidth: 1 GB/s, latency: 1 ns}]}\n", "there is no node \"c\"");
        row("unknown link", "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}]\n  overrides: {links: [{link: d0 0>2, bandwidth: 1 GB/s}]}\n", "there is no link \"d0 0>2\"");
        row("fraction of a nanosecond", "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}]\n  remote_memory: {kind: pool, latency: 0.5 ns, bandwidth: 1 GB/s}\n", "a whole number of nanoseconds");
        row("two workloads", "fabricscope: 1\n" + kPlatform + "workload: {trace: a, steps: []}\n", "trace and steps are given together");
        row("no workload kind", "fabricscope: 1\n" + kPlatform + "workload: {groups: []}\n", "nothing says what runs");
        row("no jobs", "fabricscope: 1\n" + kPlatform + "workload: {jobs: []}\n", "there are no jobs");
        row("key of another workload", "fabricscope: 1\n" + kPlatform + "workload: {trace: a, size: 1 B}\n", "unknown key \"size\"");
        row("two things in a step", "fabricscope: 1\n" + kPlatform + "workload: {steps: [{compute: 1 us, load: 1 B}]}\n", "more than one thing");
        row("nothing in a step", "fabricscope: 1\n" + kPlatform + "workload: {steps: [{name: x}]}\n", "nothing says what this step does");
        row("step is text", "fabricscope: 1\n" + kPlatform + "workload: {steps: [compute]}\n", "a mapping is needed here");
        row("collective without an algorithm", "fabricscope: 1\n" + kPlatform + "workload: {collective: scatter, size: 1 B}\n", "unknown value \"scatter\" (expected one of all_reduce, all_gather, reduce_scatter, all_to_all, broadcast");
        row("collective without size", "fabricscope: 1\n" + kPlatform + "workload: {steps: [{collective: all_reduce}]}\n", "\"size\" is missing");
        row("bad peer", "fabricscope: 1\n" + kPlatform + "workload: {steps: [{send: 1 B, to: next}]}\n", "a rank such as 3");
        row("bad ranks", "fabricscope: 1\n" + kPlatform + "workload: {steps: [{compute: 1 us, ranks: 3-1}]}\n", "workload.steps[0].ranks");
        row("unknown algorithm", "fabricscope: 1\n" + kPlatform + kWorkload + "collectives: {default: {algorithm: rings}}\n", "unknown algorithm \"rings\"");
        row("no chunks", "fabricscope: 1\n" + kPlatform + kWorkload + "collectives: {default: {chunks: 0}}\n", "a whole number from 1");
        row("scale without system", "fabricscope: 1\n" + kPlatform + kWorkload + "collectives: {injection_scale: 2}\n", "there is none");
        row("root is a list", "- a\n", "a mapping is needed here");
    }
    void refusals()
    {
        QFETCH(QString, text);
        QFETCH(QString, says);

        const std::string error = errorOf(text.toStdString());

        QVERIFY2(error.find(says.toStdString()) != std::string::npos, error.c_str());
    }

    void everyProblemIsReportedWhileTyping()
    {
        const auto loaded = inspectDesignText("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: rung, size: 4, bandwidth: 1, latency: 1 us}\nmodell: {}\n", "d.yaml", {}, false);

        QCOMPARE(loaded.diagnostics.size(), std::size_t{3});
        std::vector<int> lines;
        for (const Diagnostic& entry : loaded.diagnostics)
            lines.push_back(entry.place.line);
        std::sort(lines.begin(), lines.end());
        QCOMPARE(lines, (std::vector<int>{4, 4, 5}));
        QVERIFY(loaded.design.platform); // what can be read is there
    }

    void overridesReplaceAndCreateFields()
    {
        const std::string text = "fabricscope: 1\n" + kPlatform + kWorkload;
        const Design design = read(text, {{"platform.dimensions.0.bandwidth", "100 GB/s"},
                                          {"platform.dimensions[1].size", "8"},
                                          {"model.name", "ideal"},
                                          {"collectives.default.algorithm", "[ring, direct]"},
                                          {"workload.size", "2 MiB"}});

        QCOMPARE(design.platform->dimensions[0].bandwidth.text(), std::string("100 GB/s"));
        QCOMPARE(design.platform->dimensions[1].size, 8);
        QVERIFY(design.model.model == Model::Ideal);
        QCOMPARE(design.collectives.defaults.algorithms.size(), std::size_t{2});
        QCOMPARE(std::get<SingleCollective>(*design.workload).size.text(), std::string("2 MiB"));
    }

    void errorsOfOverridesNameTheOption()
    {
        const std::string text = "fabricscope: 1\n" + kPlatform + kWorkload;

        QVERIFY(errorOf(text, {{"platform.dimensions.0.bandwidth", "100"}}).starts_with("--set platform.dimensions.0.bandwidth"));
        QVERIFY(errorOf(text, {{"platform.dimensions.7.bandwidth", "100 GB/s"}}).starts_with("--set platform.dimensions.7.bandwidth"));
        QVERIFY(errorOf(text, {{"platform.dimension.0.size", "4"}}).find("unknown key \"dimension\"") != std::string::npos);
        QVERIFY(errorOf(text, {{"", "4"}}).find("is not a path") != std::string::npos);
        // An override does not move the lines of the rest.
        QVERIFY(errorOf(text + "modell: {}\n", {{"model.name", "ideal"}}).starts_with("d.yaml:4:1"));
    }

    void pathsStartAtTheDesignsFolder()
    {
        Design design;
        design.folder = "a/b";
        QCOMPARE(design.resolve("c/d"), std::string("a/b/c/d"));
        QCOMPARE(design.resolve("/c/d"), std::string("/c/d"));
        design.folder.clear();
        QCOMPARE(design.resolve("c/d"), std::string("c/d"));
    }

    void validateReportsEverythingWithItsPlace()
    {
        const Design design = read("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 0 GB/s, latency: 1 us}\n"
                                   "    - {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1000 s}\n"
                                   "workload: {steps: [{load: 1 MiB}]}\n"
                                   "collectives:\n  rules:\n    - {min_size: 2 MiB, max_size: 1 MiB, group: g}\n"
                                   "model: {version: physical/9}\n");

        const Diagnostics found = validate(design);

        QCOMPARE(rules(found), std::string("platform-dimension platform-dimension rule-sizes rule-group model-version remote-memory-missing"));
        QCOMPARE(found[0].place.text(), std::string("d.yaml:4:41, platform.dimensions[0].bandwidth"));
        QCOMPARE(found[1].place.line, 5);
        QCOMPARE(found[2].place.line, 9);
        QCOMPARE(found[4].place.text(), std::string("d.yaml:10:18, model.version"));
        QCOMPARE(found[5].place.line, 6);
    }

    void validateKnowsWhatModelsCannotDo()
    {
        const std::string lists = "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}, {shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}, "
                                  "{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}]}\n" + kWorkload + "collectives: {default: {algorithm: [ring, ring]}}\n";
        const std::string graph = "fabricscope: 1\nplatform: {nodes: [{name: a}, {name: b}], links: [{between: [a, b], bandwidth: 1 GB/s, latency: 1 ns}]}\n" + kWorkload;

        QCOMPARE(rules(validate(read(lists))), std::string("algorithms-per-dimension"));
        const Diagnostics kept = validate(read(lists + "model: {name: astra-unaware}\n"));
        QCOMPARE(rules(kept), std::string("algorithms-fewer-than-dimensions"));
        QVERIFY(kept[0].severity == Severity::Warning);
        QCOMPARE(rules(validate(read(graph))), std::string());
        QCOMPARE(rules(validate(read(graph + "model: {name: astra-unaware}\n"))), std::string("astra-needs-dimensions"));
    }

    void validateChecksPlacementAndMemory()
    {
        const std::string start = "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}]\n";

        QCOMPARE(rules(validate(read(start + "  placement: {jobs: [{ranks: 5}]}\n" + kWorkload))), std::string("placement"));
        QCOMPARE(rules(validate(read(start + "  placement: {jobs: [{ranks: 1}, {ranks: 1, first_node: 1}]}\n" + kWorkload))), std::string("several-jobs"));
        QCOMPARE(rules(validate(read(start + "  remote_memory: {kind: per_node, latency: 1 ns, bandwidth: 1 GB/s, nodes: 1, npus_per_node: 2}\n" + kWorkload))), std::string("remote-memory"));
        QCOMPARE(rules(validate(read(start + "  overrides: {npus: [{npu: 9, speed: 2}]}\n" + kWorkload))), std::string("platform"));
        QCOMPARE(validate(read(start + "  overrides: {npus: [{npu: 9, speed: 2}]}\n" + kWorkload))[0].place.line, 4);
        QCOMPARE(rules(validate(read(start))), std::string("workload-missing"));
    }

    /// Designs built in memory are written and read back as the same design, and writing that gives the same text.
    /// A platform that comes in is taken where it is that of the design, and never otherwise.
    void validateTakesAPlatformOfTheSameSpec()
    {
        const Design design = readDesignText("fabricscope: 1\nplatform: {topology: \"Ring(4)\", bandwidth: 50 GiB/s, latency: 500 ns}\nworkload: {collective: all_reduce, size: 1 MiB}\n", "a.yaml").value().design;
        std::optional<Platform> made;
        QVERIFY(validate(design, {}, made).empty());
        QVERIFY(made && made->spec() == *design.platform);
        const Platform first = *made;
        QVERIFY(validate(design, {}, made).empty());
        QVERIFY(made && &made->spec() == &first.spec());

        Design other = design;
        PlatformSpec changed = *design.platform;
        changed.dimensions.front().size = 8;
        other.platform = std::make_shared<const PlatformSpec>(changed);
        QVERIFY(validate(other, {}, made).empty());
        QVERIFY(made && made->spec() == changed && made->npuCount() == 8);
        changed.dimensions.front().size = 0;
        other.platform = std::make_shared<const PlatformSpec>(changed);
        QVERIFY(!validate(other, {}, made).empty());
        QVERIFY(!made);
    }

    void writtenDesignsReadBackEqual()
    {
        RandomDesign random(4711);
        for (int i = 0; i < test::cases(600); ++i) {
            const Design design = random.next();

            const std::string text = writeDesign(design);

            auto loaded = readDesignText(text, "");
            QVERIFY2(bool(loaded), loaded ? "" : (loaded.error().text() + "\n" + text).c_str());
            const Design& back = loaded.value().design;
            QVERIFY2(back.name == design.name && back.notes == design.notes, text.c_str());
            QVERIFY2(*back.platform == *design.platform, text.c_str());
            QVERIFY2(back.jobs == design.jobs || (design.jobs.size() == 1 && back.jobs[0].nodes == design.jobs[0].nodes), text.c_str());
            QVERIFY2(back.remoteMemory == design.remoteMemory, text.c_str());
            QVERIFY2(back.collectives == design.collectives, text.c_str());
            QVERIFY2(sameWorkload(*back.workload, *design.workload), text.c_str());
            QVERIFY(back.model.model == design.model.model && back.model.version == design.model.version && back.model.rendezvous == design.model.rendezvous
                    && back.model.roofline == design.model.roofline && back.model.endpointDelay == design.model.endpointDelay);
            QCOMPARE(writeDesign(back), text);
        }
    }

    /// What decides no result and no Design holds stays too, as far as its file or --set gave it. It is no part of the hash.
    void writtenDesignsKeepCostsAndSearch()
    {
        const std::string bare = "fabricscope: 1\n" + kPlatform + kWorkload;
        const std::string text = bare + "search: {vary: [tensor, pipeline]} # a remark\ncosts:\n  npu: {price: 1000, power: 700}\n  checkpoint: {time: 30 s}\n";
        const auto loaded = readDesignText(text, "d.yaml", {{"costs.pue", "1.2"}});
        QVERIFY2(bool(loaded), loaded ? "" : loaded.error().text().c_str());
        Design design = loaded.value().design;
        design.name = "another";
        const std::string written = writeDesign(design);
        const auto original = YamlDocument::parse(text, "d.yaml");
        const auto document = YamlDocument::parse(written, "w.yaml");
        QVERIFY(original && document);
        const auto costs = readCosts(document.value());
        QVERIFY2(costs && costs.value(), written.c_str());
        QVERIFY(costs.value()->npu.price == 1000 && costs.value()->npu.power == 700 && costs.value()->pue == 1.2 && costs.value()->checkpoint.time);
        QVERIFY(readPlanSearch(document.value()).value() == readPlanSearch(original.value()).value());
        QVERIFY(!(readPlanSearch(document.value()).value() == PlanSearchSpec{}));
        QCOMPARE(writeDesign(readDesignText(written, "w.yaml").value().design), written);
        QCOMPARE(designHash(design).hex(), designHash(readDesignText(bare, "b.yaml").value().design).hex());
        QVERIFY(writeDesign(readDesignText(bare, "b.yaml").value().design).find("costs") == std::string::npos);
    }

    void everyLinkIsFoundByItsName()
    {
        PlatformSpec spec;
        const Quantity rate{1, "GB/s", Measure::Bandwidth};
        const Quantity delay{1, "ns", Measure::Time};
        spec.dimensions = {{Shape::Ring, 3, rate, false, delay}, {Shape::Switch, 2, rate, false, delay}, {Shape::FullyConnected, 4, rate, false, delay}, {Shape::Ring, 2, rate, false, delay}};
        const Platform platform = Platform::create(spec).value();

        for (LinkId link = 0; link < platform.linkCount(); ++link)
            QCOMPARE(findLink(platform, platform.linkName(link)), std::optional(link));
        for (const char* name : {"", "d0", "d9 0>1", "d0 0>99", "d0 0>switch", "d1 switch>switch", "d2 0>0", "d-1 0>1", "d0 0", "x0 0>1"})
            QVERIFY2(!findLink(platform, name), name);

        // Three links from a to s, one from b: the first of several has a name without a number, and one with.
        PlatformSpec graph;
        graph.nodes = {{"a", NodeKind::Npu}, {"b", NodeKind::Npu}, {"s", NodeKind::Switch}};
        for (const NodeId npu : {0, 0, 1, 0}) {
            graph.links.push_back({npu, 2, rate, delay});
            graph.links.push_back({2, npu, rate, delay});
        }
        const Platform parallel = Platform::create(graph).value();
        for (const auto& [name, link] : {std::pair{"a>s", 0}, {"a>s#1", 0}, {"a>s#2", 2}, {"a>s#3", 6}, {"b>s", 4}, {"b>s#1", 4}, {"s>a#3", 7}})
            QCOMPARE(findLink(parallel, name), std::optional(LinkId{link}));
        for (const char* name : {"a>s#0", "a>s#4", "b>s#2", "a>s#1#1", "a>b#1", "#1", "a>s#"})
            QVERIFY2(!findLink(parallel, name), name);
    }
};

FABRICSCOPE_TEST(DesignTest)
#include "tst_design.moc"
