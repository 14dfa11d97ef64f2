// A fat tree of 128 hosts with 8 accelerators each as an InfraGraph document: read, checked and expanded, and made a platform; the baseline
// reads the same text as YAML only. Then the default all-reduce of 512 to 8,192 GPUs, from the text to the result. A design of nodes and links likewise,
// its text read as YAML (the baseline: by yaml-cpp), then all of it.
#include "core/design/design.h"
#include "core/formats/fabricload.h"
#include "core/formats/infragraph/expandinstances.h"
#include "core/formats/infragraph/importer.h"
#include "core/yaml/tree.h"
#include "tests/bench/wholecommand.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <utility>

using namespace fabricscope;

namespace {

std::string endpoint(const char* key, const std::string& instance, const std::string& component)
{
    return std::string("  ") + key + ":\n    component: " + component + "\n    instance: " + instance + "\n";
}

std::string indexed(const char* name, std::int64_t index)
{
    return std::string(name) + '[' + std::to_string(index) + ']';
}

std::string switchOf(const std::string& name, std::int64_t ports)
{
    return "- name: " + name + "\n  components: [{name: asic, count: 1, choice: cpu}, {name: port, count: " + std::to_string(ports)
        + ", choice: port}]\n  links: [{name: ic}]\n  edges: [{ep1: {component: asic}, ep2: {component: port}, scheme: many2many, link: ic}]\n";
}

/// One rule per cable, as the blueprints of the project write them: a cable of every GPU's host to a leaf of 32, as many from the leaves to 32 spines.
std::string fatTree(std::int64_t gpus = 1024)
{
    const std::int64_t leaves = gpus / 32;
    std::string text = "devices:\n- name: dgx\n  components:\n"
                       "  - {name: cpu, count: 2, choice: cpu}\n  - {name: xpu, count: 8, choice: xpu}\n  - {name: nvsw, count: 4, choice: switch}\n"
                       "  - {name: pciesw, count: 8, choice: switch}\n  - {name: nic, count: 8, choice: nic}\n"
                       "  links: [{name: fabric}, {name: nvlink, description: nvlink_4}, {name: pcie, description: PCIE_GEN5 x16}]\n  edges:\n"
                       "  - {ep1: {component: cpu}, ep2: {component: cpu}, scheme: many2many, link: fabric}\n"
                       "  - {ep1: {component: xpu}, ep2: {component: nvsw}, scheme: many2many, link: nvlink}\n"
                       "  - {ep1: {component: xpu}, ep2: {component: pciesw}, scheme: one2one, link: pcie}\n"
                       "  - {ep1: {component: nic}, ep2: {component: pciesw}, scheme: one2one, link: pcie}\n"
                       "  - {ep1: {component: 'cpu[0]'}, ep2: {component: 'pciesw[0:4]'}, scheme: many2many, link: pcie}\n"
                       "  - {ep1: {component: 'cpu[1]'}, ep2: {component: 'pciesw[4:8]'}, scheme: many2many, link: pcie}\n"
        + switchOf("leaf", 64) + switchOf("spine", std::max<std::int64_t>(64, leaves))
        + "links:\n- name: eth\n  physical:\n    bandwidth:\n      choice: gigabits_per_second\n      gigabits_per_second: 400\n"
          "instances: [{name: dgx, device: dgx, count: " + std::to_string(gpus / 8) + "}, {name: leaf, device: leaf, count: " + std::to_string(leaves)
        + "}, {name: spine, device: spine, count: 32}]\nedges:\n";
    for (std::int64_t cable = 0; cable < gpus; ++cable) {
        text += "- link: eth\n  scheme: one2one\n" + endpoint("ep1", indexed("dgx", cable / 8), indexed("nic", cable % 8))
            + endpoint("ep2", indexed("leaf", cable / 32), indexed("port", cable % 32));
        text += "- link: eth\n  scheme: one2one\n" + endpoint("ep1", indexed("leaf", cable / 32), indexed("port", 32 + cable % 32))
            + endpoint("ep2", indexed("spine", cable % 32), indexed("port", cable / 32));
    }
    return text;
}

void yamlOnly(benchmark::State& state)
{
    const std::string text = fatTree();
    for (auto _ : state)
        benchmark::DoNotOptimize(YamlDocument::parse(text, "bench"));
}

void expand(benchmark::State& state)
{
    const std::string text = fatTree();
    std::int64_t edges = 0;
    for (auto _ : state) {
        const InfraReading reading = inspectInfraGraph(text, "bench");
        const auto graph = expandInfraGraph(reading.document);
        edges = static_cast<std::int64_t>(graph.value().edges().size());
        benchmark::DoNotOptimize(graph);
    }
    state.counters["edges"] = static_cast<double>(edges);
    state.counters["GPUs"] = 1024;
}

void toPlatform(benchmark::State& state)
{
    const std::string text = fatTree();
    for (auto _ : state) {
        const InfraReading reading = inspectInfraGraph(text, "bench");
        Diagnostics diagnostics;
        benchmark::DoNotOptimize(platformFromInfraGraph(reading.document, {}, diagnostics));
    }
    state.counters["GPUs"] = 1024;
}

void defaultAllReduce(benchmark::State& state)
{
    const std::string text = fatTree(state.range(0));
    bench::wholeCommand(state, [&text]() -> Result<LoadedDesign> {
        LoadedDesign loaded;
        auto fabric = readFabric(text, "bench", FabricKind::InfraGraph, {}, loaded.diagnostics);
        if (!fabric)
            return std::move(fabric).error();
        loaded.design.platform = std::make_shared<const PlatformSpec>(std::move(fabric).value().spec);
        loaded.design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, {64, "MiB", Measure::Size}});
        return loaded;
    });
}

/// Leaves and spines, 256 hosts a leaf: 16,384, 32,768 and 65,536 cables.
std::string cables(std::int64_t leaves)
{
    constexpr std::int64_t kSpines = 256;
    std::string nodes = "fabricscope: 1\nplatform:\n  nodes:\n";
    std::string switches;
    std::string links = "  links:\n";
    const auto join = [&](const std::string& a, const std::string& b) { links += "    - {between: [" + a + ", " + b + "], bandwidth: 50 GB/s, latency: 500 ns}\n"; };
    for (std::int64_t leaf = 0; leaf < leaves; ++leaf) {
        const std::string name = "l" + std::to_string(leaf);
        switches += "    - {name: " + name + ", kind: switch}\n";
        for (std::int64_t host = 0; host < kSpines; ++host) {
            const std::string npu = "g" + std::to_string(leaf * kSpines + host);
            nodes += "    - {name: " + npu + "}\n";
            join(npu, name);
            join(name, "s" + std::to_string(host));
        }
    }
    for (std::int64_t spine = 0; spine < kSpines; ++spine)
        switches += "    - {name: s" + std::to_string(spine) + ", kind: switch}\n";
    return nodes + switches + links;
}

void cablesAsYaml(benchmark::State& state)
{
    const std::string text = cables(state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(YamlDocument::parse(text, "bench"));
    state.SetComplexityN(state.range(0));
}

/// A comment that is not ASCII leaves the text to yaml-cpp.
void cablesByYamlCpp(benchmark::State& state)
{
    const std::string text = cables(state.range(0)) + "# \xc2\xb5\n";
    for (auto _ : state)
        benchmark::DoNotOptimize(YamlDocument::parse(text, "bench"));
    state.SetComplexityN(state.range(0));
}

void cablesAsDesign(benchmark::State& state)
{
    const std::string text = cables(state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(readDesignText(text, "bench"));
    state.SetComplexityN(state.range(0));
}

BENCHMARK(cablesByYamlCpp)->Arg(32)->Arg(64)->Arg(128)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(cablesAsYaml)->Arg(32)->Arg(64)->Arg(128)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(cablesAsDesign)->Arg(32)->Arg(64)->Arg(128)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(yamlOnly)->Unit(benchmark::kMillisecond);
BENCHMARK(expand)->Unit(benchmark::kMillisecond);
BENCHMARK(toPlatform)->Unit(benchmark::kMillisecond);
BENCHMARK(defaultAllReduce)->Arg(512)->Arg(2048)->Arg(8192)->Complexity()->Unit(benchmark::kMillisecond);

} // namespace
