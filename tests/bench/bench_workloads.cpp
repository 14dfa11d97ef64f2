// Whole workloads from their files to the result, on one core.
#include "core/design/design.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace fabricscope;

namespace {

std::string varint(std::uint64_t value)
{
    std::string bytes;
    for (; value > 127; value >>= 7)
        bytes += static_cast<char>((value & 127) | 128);
    return bytes + static_cast<char>(value);
}

std::string text(int field, const std::string& value)
{
    return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(value.size()) + value;
}

std::string number(int field, std::uint64_t value)
{
    return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}

/// Eight ranks of `nodes` compute nodes each that wait for nothing: a folder with traces t.0.et to t.7.et.
class IndependentNodes {
public:
    explicit IndependentNodes(int nodes)
        : m_folder(std::filesystem::temp_directory_path() / ("fabricscope-bench-" + std::to_string(nodes)))
    {
        std::filesystem::create_directories(m_folder);
        for (int rank = 0; rank < 8; ++rank) {
            std::ofstream file(m_folder / ("t." + std::to_string(rank) + ".et"), std::ios::binary);
            const std::string version = text(1, "0.0.4");
            file << varint(version.size()) << version;
            for (int id = 0; id < nodes; ++id) {
                // Durations of 1 to 7 us, other ones on every rank: no rank stands for another.
                const std::string node = number(1, static_cast<std::uint64_t>(id)) + text(2, "comp") + number(3, 4) + number(7, static_cast<std::uint64_t>(1 + (id + rank) % 7));
                file << varint(node.size()) << node;
            }
        }
    }
    ~IndependentNodes() { std::filesystem::remove_all(m_folder); }
    IndependentNodes(const IndependentNodes&) = delete;
    IndependentNodes& operator=(const IndependentNodes&) = delete;
    std::string prefix() const { return (m_folder / "t").string(); }

private:
    std::filesystem::path m_folder;
};

void loadAndSimulate(benchmark::State& state, const std::string& prefix, const std::string& groups, std::vector<std::int32_t> sizes, Model model)
{
    PlatformSpec platform;
    for (const std::int32_t size : sizes)
        platform.dimensions.push_back({Shape::Switch, size, {50, "GB/s", Measure::Bandwidth}, false, {500, "ns", Measure::Time}});
    platform.npu.memoryBandwidth = Quantity{2000, "GB/s", Measure::Bandwidth};
    if (!groups.empty())
        platform.npu.peak = Quantity{900, "TFLOP/s", Measure::ComputeRate}; // Its nodes give operations instead of durations.
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(platform);
    TraceWorkload trace;
    trace.prefix = prefix;
    trace.commGroups = groups;
    design.workload = std::make_shared<const WorkloadSpec>(trace);
    design.model.model = model;
    for (auto _ : state) {
        const auto scenario = prepare(design);
        const auto record = scenario ? simulate(*scenario.value(), {}) : Result<RunRecord>(scenario.error());
        if (!record || !record.value().complete) {
            state.SkipWithError(record ? "the run does not end" : record.error().text().c_str());
            return;
        }
    }
}

/// ASTRA-sim takes 12.9 s for 2,000 nodes and four times that for twice as many.
void independentNodes(benchmark::State& state, Model model)
{
    const IndependentNodes nodes(static_cast<int>(state.range(0)));
    loadAndSimulate(state, nodes.prefix(), {}, {8}, model);
}

/// Traces of one rank each in FABRICSCOPE_TRACE256 (the unpacked 256-rank trace of the corpus), with its group file.
void trace256(benchmark::State& state, Model model)
{
    const char* folder = std::getenv("FABRICSCOPE_TRACE256");
    if (!folder) {
        state.SkipWithError("FABRICSCOPE_TRACE256 names no folder");
        return;
    }
    loadAndSimulate(state, std::string(folder) + "/workload", std::string(folder) + "/comm_group.json", {8, 32}, model);
}

} // namespace

BENCHMARK_CAPTURE(independentNodes, links, Model::Links)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(independentNodes, astra_unaware, Model::AstraUnaware)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trace256, links, Model::Links)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trace256, astra_unaware, Model::AstraUnaware)->Unit(benchmark::kMillisecond);
