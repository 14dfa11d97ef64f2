// Painting the timeline at 1600x1200 (16 ms at most) with 1 and 10 million intervals, at several zooms;
// the baseline asks every interval in turn, as a view without prefix sums would.
#include "core/record/timelinesource.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "widgets/timeline/view.h"

#include <QApplication>
#include <QImage>
#include <QPainter>

#include <benchmark/benchmark.h>

#include <map>

using namespace fabricscope;

namespace {

QApplication& application()
{
    static int argc = 1;
    static char name[] = "bench_timeline";
    static char* argv[] = {name, nullptr};
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    static QApplication instance(argc, argv);
    return instance;
}

const test::SyntheticRun& run(std::int64_t intervals)
{
    static std::map<std::int64_t, test::SyntheticRun> runs;
    auto found = runs.find(intervals);
    if (found == runs.end())
        found = runs.emplace(intervals, test::manyIntervals(intervals, 16)).first;
    return found->second;
}

TimelineSourcePtr source(std::int64_t intervals)
{
    static std::map<std::int64_t, TimelineSourcePtr> sources;
    TimelineSourcePtr& known = sources[intervals];
    if (!known)
        known = TimelineSource::create(run(intervals).record, run(intervals).workload);
    return known;
}

/// range(0): intervals; range(1): zoom, the visible range is the run / 10^zoom.
void paint(benchmark::State& state)
{
    application();
    TimelineView view;
    view.resize(1600, 1200);
    view.setSource(source(state.range(0)));
    for (int group = 0; group < 16; ++group)
        view.setGroupOpen(group, true);
    view.show();
    std::int64_t span = view.source()->finish().ps;
    for (std::int64_t i = 0; i < state.range(1); ++i)
        span /= 10;
    QImage image(1600, 1200, QImage::Format_RGB32);
    std::int64_t begin = view.source()->finish().ps / 3;
    for (auto _ : state) {
        // Another range every time: nothing is answered from the last frame.
        begin += span / 50;
        if (begin + span > view.source()->finish().ps)
            begin = 0;
        view.setVisibleRange({begin, begin + span});
        QPainter painter(&image);
        view.paintOn(painter, 1);
    }
    state.counters["limit_ms"] = 16;
}
BENCHMARK(paint)->Unit(benchmark::kMillisecond)->ArgsProduct({{1'000'000, 10'000'000}, {0, 1, 2, 3, 4, 5}});

/// A frame that only moves the crosshair: the layer is kept.
void paintCrosshair(benchmark::State& state)
{
    application();
    TimelineView view;
    view.resize(1600, 1200);
    view.setSource(source(1'000'000));
    view.show();
    view.grab();
    for (auto _ : state) {
        view.viewport()->update();
        benchmark::DoNotOptimize(view.grab());
    }
}
BENCHMARK(paintCrosshair)->Unit(benchmark::kMillisecond);

void build(benchmark::State& state)
{
    const test::SyntheticRun& input = run(state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(TimelineSource::create(input.record, input.workload));
}
BENCHMARK(build)->Unit(benchmark::kMillisecond)->Arg(1'000'000)->Arg(10'000'000);

void queryAll(benchmark::State& state)
{
    const TimelineSourcePtr from = source(state.range(0));
    std::vector<TimelineBucket> pixels(1600);
    for (auto _ : state)
        for (std::size_t track = 0; track < from->tracks().size(); ++track) {
            from->buckets(track, SimTime{0}, from->finish(), pixels);
            benchmark::DoNotOptimize(pixels.data());
        }
}
BENCHMARK(queryAll)->Unit(benchmark::kMillisecond)->Arg(1'000'000)->Arg(10'000'000);

void baselineEveryInterval(benchmark::State& state)
{
    const TimelineSourcePtr from = source(state.range(0));
    std::vector<std::int64_t> busy(1600);
    const double scale = 1600.0 / static_cast<double>(from->finish().ps + 1);
    for (auto _ : state)
        for (std::size_t track = 0; track < from->tracks().size(); ++track) {
            std::fill(busy.begin(), busy.end(), 0);
            for (std::int32_t i = 0; i < from->intervalCount(track); ++i) {
                const TimelineInterval at = from->interval(track, i);
                busy[static_cast<std::size_t>(static_cast<double>(at.beginPs) * scale)] += at.endPs - at.beginPs;
            }
            benchmark::DoNotOptimize(busy.data());
        }
}
BENCHMARK(baselineEveryInterval)->Unit(benchmark::kMillisecond)->Arg(1'000'000)->Arg(10'000'000);

} // namespace
