// Designs of a study over ten parallel axes, 1600 px wide: the picture of all lines after another brush (16 ms), which is drawn beside the window, and what the window itself does for it. The
// baseline draws the lines one by one.
#include "core/base/index.h"
#include "widgets/study/parallelpicture.h"

#include <QGuiApplication>
#include <QPainter>

#include <benchmark/benchmark.h>

#include <random>

using namespace fabricscope;

namespace {

constexpr std::size_t kAxes = 10;

void application()
{
    static int argc = 1;
    static char name[] = "bench_parallel";
    static char* argv[] = {name, nullptr};
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    static QGuiApplication instance(argc, argv);
}

/// Half of the axes have four values.
ParallelLines linesOf(std::int64_t designs)
{
    std::mt19937_64 random(1);
    auto table = std::make_shared<StudyTable>();
    for (std::int64_t i = 0; i < designs; ++i)
        table->rows.push_back({i, StudyTableRow::State::Done, {}, {}, {}});
    std::vector<VariantColumn> columns;
    ParallelLines lines;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
        const VariantAxis is{QStringLiteral("axis"), Measure::Count, std::nullopt, axis};
        if (axis < kAxes / 2) {
            std::vector<std::size_t> places;
            for (std::int64_t i = 0; i < designs; ++i)
                places.push_back(random() % 4);
            columns.emplace_back(is, places, std::vector<double>{1, 2, 3, 4}, std::vector<QString>(4, QStringLiteral("x")));
        } else {
            std::vector<double> values;
            for (std::int64_t i = 0; i < designs; ++i)
                values.push_back(static_cast<double>(random() % 1'000'000));
            columns.emplace_back(is, values);
        }
        lines.sides.push_back({axis, false, 48.0 + 167.0 * static_cast<double>(axis)});
    }
    lines.columns = std::make_shared<const VariantColumns>(table, std::move(columns), kAxes);
    lines.colour = kAxes - 1;
    lines.top = 40;
    lines.height = 200;
    lines.size = {1600, 260};
    return lines;
}

void parallelFrame(benchmark::State& state)
{
    application();
    ParallelLines lines = linesOf(state.range(0));
    double high = 100'000;
    for (auto _ : state) {
        VariantBrush brush;
        brush.set(lines.columns->columns.back().axis(), {0, high});
        high = high > 900'000 ? 100'000 : high + 10'000;
        lines.inside = brushedRows(*lines.columns, brush);
        benchmark::DoNotOptimize(parallelPicture(lines));
    }
    state.counters["limit_ms"] = 16;
}

void parallelBrush(benchmark::State& state)
{
    const ParallelLines lines = linesOf(state.range(0));
    for (auto _ : state) {
        VariantBrush brush;
        brush.set(lines.columns->columns.back().axis(), {0, 500'000});
        benchmark::DoNotOptimize(brushedRows(*lines.columns, brush));
    }
}

void eachLineAlone(benchmark::State& state)
{
    application();
    const ParallelLines lines = linesOf(state.range(0));
    for (auto _ : state) {
        QImage image(lines.size, QImage::Format_RGB32);
        QPainter painter(&image);
        for (std::size_t row = 0; row < at(state.range(0)); ++row) {
            for (const QPolygonF& line : lines.lineOf(row))
                painter.drawPolyline(line);
        }
    }
}

BENCHMARK(parallelFrame)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(parallelBrush)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(eachLineAlone)->Arg(100'000)->Unit(benchmark::kMillisecond);

} // namespace
