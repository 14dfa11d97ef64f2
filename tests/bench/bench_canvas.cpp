// The platform canvas at 1600x1200 (full repaint of 4096 nodes 50 ms, one recoloured frame 25 ms at most), and 2^20 NPUs.
// The baseline draws the same lines one by one, changing the pen for each.
#include "widgets/canvas/platformcanvas.h"

#include <QApplication>
#include <QImage>
#include <QPainter>

#include <benchmark/benchmark.h>

using namespace fabricscope;

namespace {

QApplication& application()
{
    static int argc = 1;
    static char name[] = "bench_canvas";
    static char* argv[] = {name, nullptr};
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    static QApplication instance(argc, argv);
    return instance;
}

Platform platformNumber(std::int64_t number)
{
    const auto dimension = [](Shape shape, int size) {
        return Dimension{shape, size, Quantity{50, "GB/s", Measure::Bandwidth}, false, Quantity{1, "us", Measure::Time}};
    };
    PlatformSpec spec;
    switch (number) {
    case 0: spec.dimensions = {dimension(Shape::Ring, 64), dimension(Shape::Ring, 64)}; break;
    case 1: spec.dimensions = {dimension(Shape::FullyConnected, 16), dimension(Shape::Ring, 16), dimension(Shape::Switch, 16)}; break;
    case 2: spec.dimensions = {dimension(Shape::Switch, 8), dimension(Shape::Switch, 512)}; break;
    default: spec.dimensions = {dimension(Shape::FullyConnected, 8), dimension(Shape::Ring, 128), dimension(Shape::Switch, 1024)}; break;
    }
    return Platform::create(spec).value();
}

PlatformHeat heat(const Platform& platform, std::uint64_t seed)
{
    std::vector<float> shares(static_cast<std::size_t>(platform.linkCount()));
    for (std::size_t i = 0; i < shares.size(); ++i)
        shares[i] = static_cast<float>((i * 2654435761U + seed * 40503U) >> 7 & 1023) / 1023.0F;
    return PlatformHeat::ofLinks(std::move(shares));
}

void fullRepaint(benchmark::State& state)
{
    application();
    const Platform platform = platformNumber(state.range(0));
    PlatformCanvas canvas;
    canvas.resize(1600, 1200);
    canvas.setPlatform(platform);
    canvas.setHeat(heat(platform, 1), QStringLiteral("link busy"));
    canvas.show();
    QImage image(1600, 1200, QImage::Format_RGB32);
    for (auto _ : state) {
        // Items are built again and everything is painted, as after a zoom.
        canvas.fit();
        QPainter painter(&image);
        canvas.paintOn(painter);
    }
    state.counters["limit_ms"] = 50;
    state.counters["lines"] = static_cast<double>(canvas.items().lineCount());
}
BENCHMARK(fullRepaint)->Unit(benchmark::kMillisecond)->DenseRange(0, 3);

void recolour(benchmark::State& state)
{
    application();
    const Platform platform = platformNumber(state.range(0));
    PlatformCanvas canvas;
    canvas.resize(1600, 1200);
    canvas.setPlatform(platform);
    canvas.show();
    const PlatformHeat frames[] = {heat(platform, 1), heat(platform, 2)};
    QImage image(1600, 1200, QImage::Format_RGB32);
    std::size_t frame = 0;
    for (auto _ : state) {
        canvas.setHeat(frames[frame++ % 2], QStringLiteral("link busy"));
        QPainter painter(&image);
        canvas.paintOn(painter);
    }
    state.counters["limit_ms"] = 25;
}
BENCHMARK(recolour)->Unit(benchmark::kMillisecond)->DenseRange(0, 2);

/// What a move of the time cursor costs at 4,096 links, all listed and busy at other times: their heat at the instant, and a repaint.
void heatAtTime(benchmark::State& state)
{
    application();
    PlatformSpec spec;
    spec.dimensions = {{Shape::Ring, 32, Quantity{50, "GB/s", Measure::Bandwidth}, false, Quantity{1, "us", Measure::Time}},
                       {Shape::Ring, 32, Quantity{50, "GB/s", Measure::Bandwidth}, false, Quantity{1, "us", Measure::Time}}};
    const Platform platform = Platform::create(spec).value();
    constexpr std::int64_t kFinish = 1'000'000'000;
    RunRecord record;
    record.finish = SimTime{kFinish};
    record.allLinks = true;
    record.dimensions.resize(2);
    for (LinkId link = 0; link < platform.linkCount(); ++link) {
        DimensionUse& use = record.dimensions[static_cast<std::size_t>(platform.linkInfo(link).dimension)];
        const std::int64_t begin = link * 200'000;
        use.busy.add(begin, begin + 100'000'000);
        use.busyPs += 100'000'000;
        ++use.links;
        record.links.push_back({link, 1, 1, 100'000'000});
    }
    const LinksOverTime links(platform, record);
    PlatformCanvas canvas;
    canvas.resize(1600, 1200);
    canvas.setPlatform(platform);
    canvas.show();
    QImage image(1600, 1200, QImage::Format_RGB32);
    std::int64_t ps = 0;
    for (auto _ : state) {
        ps = (ps + 2'000'000) % kFinish;
        canvas.setHeat(PlatformHeat::inWindow(links, *links.windowAt(SimTime{ps})), QStringLiteral("link busy"));
        QPainter painter(&image);
        canvas.paintOn(painter);
    }
    state.counters["limit_ms"] = 16;
    state.counters["links"] = static_cast<double>(links.carriers().size());
}
BENCHMARK(heatAtTime)->Unit(benchmark::kMillisecond);

void baselinePenPerLine(benchmark::State& state)
{
    application();
    const Platform platform = platformNumber(state.range(0));
    PlatformCanvas canvas;
    canvas.resize(1600, 1200);
    canvas.setPlatform(platform);
    canvas.show();
    const PlatformHeat shares = heat(platform, 1);
    const Theme theme;
    QImage image(1600, 1200, QImage::Format_RGB32);
    for (auto _ : state) {
        QPainter painter(&image);
        painter.fillRect(image.rect(), theme.color(Role::View));
        for (const CanvasLayer& layer : canvas.items().layers)
            for (std::size_t d = 0; d < layer.lines.size(); ++d)
                for (const CanvasLine& line : layer.lines[d]) {
                    painter.setPen(QPen(theme.heat(Theme::heatBucket(shares.link(line.forward, static_cast<int>(d)))), 1));
                    painter.drawLine(line.line);
                }
    }
}
BENCHMARK(baselinePenPerLine)->Unit(benchmark::kMillisecond)->DenseRange(0, 2);

} // namespace
