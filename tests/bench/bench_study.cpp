// Designs of a study a second on one thread, read, hashed, run and kept; the baseline reads and runs each as the command simulate does. The front of a million points.
#include "core/study/paretofront.h"
#include "core/study/spacerun.h"
#include "tests/bench/wholecommand.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

using namespace fabricscope;

namespace {

constexpr const char* kThreeLevels = R"(    platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}, {shape: fully_connected, size: 4, bandwidth: 50 GB/s, latency: 1 us}, {shape: switch, size: 4, bandwidth: 25 GB/s, latency: 2 us}]}
    workload: {collective: all_reduce, size: 16 MiB}
)";
constexpr const char* kFigures = "    - {name: up, field: platform.dimensions.2.bandwidth, range: [10 GB/s, 100 GB/s], points: 40}\n    - {name: delay, field: platform.dimensions.1.latency, range: [1 us, 8 us], scale: log, points: 25}\n";
constexpr const char* kSizes = "    - {name: wide, field: platform.dimensions.0.size, range: [2, 8], points: 7}\n    - {name: delay, field: platform.dimensions.1.latency, range: [1 us, 8 us], scale: log, points: 25}\n";

/// A file that is not there afterwards.
class StudyFiles {
public:
    explicit StudyFiles(const char* parameters) : m_folder(std::filesystem::temp_directory_path() / ("fabricscope-bench-study-" + std::to_string(std::random_device{}())))
    {
        std::filesystem::create_directories(m_folder);
        std::ofstream(study()) << "fabricscope: 1\nstudy:\n  base:\n" << kThreeLevels << "  parameters:\n" << parameters << "  objectives: [{minimise: step_time}]\n";
    }
    ~StudyFiles() { std::filesystem::remove_all(m_folder); }
    StudyFiles(const StudyFiles&) = delete;
    StudyFiles& operator=(const StudyFiles&) = delete;
    std::string study() const { return (m_folder / "s.yaml").string(); }
    std::string store() { return (m_folder / (std::to_string(m_stores++) + ".sqlite")).string(); }

private:
    std::filesystem::path m_folder;
    int m_stores = 0;
};

void wholeStudy(benchmark::State& state, const char* parameters)
{
    StudyFiles files(parameters);
    const Result<StudySpec> space = readStudy(files.study(), {});
    if (bench::failed(state, space))
        return;
    for (auto _ : state) {
        Result<RunStore> store = RunStore::open(files.store(), RunStore::Access::Write);
        if (bench::failed(state, store))
            return;
        PointRunner runner(space.value(), "bench");
        StudyProgress progress;
        const Result<StudyTable> table = runSpace(space.value(), runner, store.value(), {}, progress, {});
        if (bench::failed(state, table))
            return;
    }
    state.SetItemsProcessed(state.iterations() * space.value().designCount());
}

void figuresChange(benchmark::State& state) { wholeStudy(state, kFigures); }
void sizesChange(benchmark::State& state) { wholeStudy(state, kSizes); }

void eachAlone(benchmark::State& state)
{
    const std::string text = std::string("fabricscope: 1\n") + "platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}, {shape: fully_connected, size: 4, bandwidth: 50 GB/s, latency: 1 us}, "
        "{shape: switch, size: 4, bandwidth: 25 GB/s, latency: 2 us}]}\nworkload: {collective: all_reduce, size: 16 MiB}\n";
    bench::wholeCommand(state, [&] { return readDesignText(text, "bench"); });
    state.SetItemsProcessed(state.iterations());
}

void frontOfAMillion(benchmark::State& state)
{
    std::mt19937_64 random(1);
    std::vector<std::vector<double>> rows(1'000'000);
    for (auto& row : rows) {
        for (std::int64_t i = 0; i < state.range(0); ++i)
            row.push_back(static_cast<double>(random() % 1'000'000));
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(paretoFront(rows));
}

BENCHMARK(figuresChange)->Unit(benchmark::kMillisecond);
BENCHMARK(sizesChange)->Unit(benchmark::kMillisecond);
BENCHMARK(eachAlone)->Arg(1)->Unit(benchmark::kMicrosecond);
BENCHMARK(frontOfAMillion)->Arg(2)->Arg(3)->Arg(4)->Unit(benchmark::kMillisecond);

} // namespace
