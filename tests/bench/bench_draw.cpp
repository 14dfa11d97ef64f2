// Draw at 4,096 parts (128 leaves of 31 NPUs each below one spine, every part with a place): a frame of a drag of 100 parts (median 16 ms, worst 33 ms), what one
// move, one undo take on the thread of the window until the drawing is new, and what 1,000 moves of 100 parts keep for undo (200 MB).
// The baseline paints the same page without a drag.
#include "core/design/edits/graphedits.h"
#include "core/design/fabricdesign.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "widgets/design/document.h"
#include "widgets/draw/graphcanvas.h"
#include "widgets/draw/grapheditor.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <QTest>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

using namespace fabricscope;

namespace {

constexpr int kMoved = 100;

QApplication& application()
{
    static int argc = 1;
    static char name[] = "bench_draw";
    static char* argv[] = {name, nullptr};
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    static QApplication instance(argc, argv);
    return instance;
}

/// Nodes and links of a leaf and spine fabric of 4,096 parts, every one with a place.
std::string drawing()
{
    YamlDocument yaml = YamlDocument::parse("fabricscope: 1\nplatform:\n  nodes: []\nworkload: {collective: all_reduce, size: 64 MiB}\n").value();
    const Fabric fabric = fabricOfLine("npu x31 / leaf 32p 400G x128 / spine 128p up 1 switches 1").value();
    const Status written = edits::writeOutGraph(yaml, platformOfFabric(fabric, FabricWriting::Nodes).value());
    const GraphPicture picture(graphText(yaml));
    NodePlaces places = picture.unplaced();
    const Status placed = edits::placeNodes(yaml, places);
    return written && placed ? yaml.text() : std::string();
}

struct Page {
    QApplication& program = application(); ///< Before any widget.
    DesignDocument document;
    GraphEditor editor;
    GraphCanvas canvas{&editor};

    Page()
    {
        static const std::string text = drawing();
        if (!document.setText(text, QStringLiteral("bench.yaml")))
            std::abort();
        editor.setDocument(&document);
        canvas.resize(1600, 1000);
        canvas.show();
        canvas.fit();
        std::set<std::size_t> nodes;
        for (int i = 0; i < kMoved; ++i)
            nodes.insert(static_cast<std::size_t>(i) * 37);
        editor.select(nodes);
    }

    /// Until the text on show was read.
    void settle()
    {
        if (!QTest::qWaitFor([&] { return !document.isReading(); }, 60'000))
            std::abort();
    }
};

double milliseconds(const QElapsedTimer& timer)
{
    return static_cast<double>(timer.nsecsElapsed()) * 1e-6;
}

void addTimes(benchmark::State& state, std::vector<double> times)
{
    std::ranges::sort(times);
    state.counters["median_ms"] = times[times.size() / 2];
    state.counters["worst_ms"] = times.back();
}

double residentMegabytes()
{
    std::ifstream file("/proc/self/statm");
    double total = 0;
    double resident = 0;
    file >> total >> resident;
    return resident * 4096 / 1e6;
}

void paintAlone(benchmark::State& state)
{
    Page page;
    QImage image(1600, 1000, QImage::Format_RGB32);
    for (auto _ : state) {
        QPainter painter(&image);
        page.canvas.paintOn(painter);
    }
    state.counters["parts"] = static_cast<double>(page.editor.picture().count());
    state.counters["links"] = static_cast<double>(page.editor.picture().bundles().size());
}
BENCHMARK(paintAlone)->Unit(benchmark::kMillisecond);

/// The pointer moves, the page is painted. `zoomed`: at 100 %, else the whole of it.
void dragFrame(benchmark::State& state)
{
    Page page;
    if (state.range(0) != 0)
        page.canvas.zoomAt(1 / page.canvas.zoom(), page.canvas.pixelOf(0));
    QImage image(1600, 1000, QImage::Format_RGB32);
    const QPoint from = page.canvas.pixelOf(0).toPoint();
    {
        QPainter painter(&image); // The page was on show with what is selected before it is dragged.
        page.canvas.paintOn(painter);
    }
    QTest::mousePress(&page.canvas, Qt::LeftButton, Qt::NoModifier, from);
    std::vector<double> times;
    int step = 0;
    for (auto _ : state) {
        QElapsedTimer timer;
        timer.start();
        const QPoint to = from + QPoint(40 + step % 200, 40 + step % 100);
        ++step;
        QMouseEvent event(QEvent::MouseMove, to, page.canvas.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&page.canvas, &event);
        QPainter painter(&image);
        page.canvas.paintOn(painter);
        painter.end();
        times.push_back(milliseconds(timer));
    }
    state.counters["limit_median_ms"] = 16;
    state.counters["limit_worst_ms"] = 33;
    addTimes(state, std::move(times));
}
BENCHMARK(dragFrame)->Unit(benchmark::kMillisecond)->Arg(0)->Arg(1);

/// From the release of the mouse until the drawing is that of the new text.
void moveParts(benchmark::State& state)
{
    Page page;
    std::vector<double> times;
    double by = 8;
    for (auto _ : state) {
        QElapsedTimer timer;
        timer.start();
        page.editor.move({by, 0});
        times.push_back(milliseconds(timer));
        by = -by;
        state.PauseTiming();
        page.settle();
        state.ResumeTiming();
    }
    state.counters["bytes"] = static_cast<double>(page.document.text().size());
    addTimes(state, std::move(times));
}
BENCHMARK(moveParts)->Unit(benchmark::kMillisecond);

void undoMove(benchmark::State& state)
{
    Page page;
    std::vector<double> times;
    for (auto _ : state) {
        state.PauseTiming();
        page.editor.move({8, 0});
        page.settle();
        state.ResumeTiming();
        QElapsedTimer timer;
        timer.start();
        page.document.undoStack().undo();
        times.push_back(milliseconds(timer));
        state.PauseTiming();
        page.settle();
        state.ResumeTiming();
    }
    addTimes(state, std::move(times));
}
BENCHMARK(undoMove)->Unit(benchmark::kMillisecond);

/// 1,000 moves of 100 parts: what the program holds more than before.
void thousandUndos(benchmark::State& state)
{
    Page page;
    for (auto _ : state) {
        const double before = residentMegabytes();
        for (int i = 0; i < 1000; ++i) {
            page.editor.move({i % 2 == 0 ? 8.0 : -8.0, 0});
            page.settle();
        }
        state.counters["MB"] = residentMegabytes() - before;
    }
    state.counters["limit_MB"] = 200;
    state.counters["steps"] = page.document.undoStack().count();
}
BENCHMARK(thousandUndos)->Unit(benchmark::kSecond)->Iterations(1);

/// 700 copies of a host of eight NPUs and a switch: all its NPUs are selected, then moved by a key.
void moveCopies(benchmark::State& state)
{
    Page page;
    std::string text = "fabricscope: 1\nplatform:\n  nodes:\n";
    std::string links = "  links:\n";
    for (int host = 0; host < 700; ++host) {
        const std::string name = "host" + std::to_string(host);
        text += "    - {name: " + name + ".sw, kind: switch, at: [" + std::to_string(host * 800) + ", -128]}\n";
        for (int npu = 0; npu < 8; ++npu) {
            text += "    - {name: " + name + ".gpu" + std::to_string(npu) + ", at: [" + std::to_string(host * 800 + npu * 96) + ", 0]}\n";
            links += "    - {between: [" + name + ".gpu" + std::to_string(npu) + ", " + name + ".sw], bandwidth: 50 GB/s, latency: 1 us}\n";
        }
    }
    if (!page.document.setText(text + links + "  copies: [{of: host, count: 700}]\nworkload: {collective: all_reduce, size: 64 MiB}\n", QStringLiteral("copies.yaml")))
        std::abort();
    page.settle();
    std::vector<double> selected;
    std::vector<double> moved;
    for (auto _ : state) {
        page.editor.select({});
        QElapsedTimer timer;
        timer.start();
        page.editor.selectAlike(1);
        selected.push_back(milliseconds(timer));
        timer.restart();
        page.editor.move({8, 0});
        moved.push_back(milliseconds(timer));
        page.settle();
    }
    std::ranges::sort(selected);
    state.counters["select_ms"] = selected[selected.size() / 2];
    addTimes(state, std::move(moved));
}
BENCHMARK(moveCopies)->Unit(benchmark::kMillisecond)->Iterations(5);

} // namespace
