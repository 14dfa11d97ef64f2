// The whole window (offscreen): start to first paint (1 s), 2^20 NPUs opened, simulated and drawn (2 s), answering during a run (R1: 50 ms) and
// after Stop (R2: 200 ms), a symmetric edit until its result is on show. Baselines: the process without a window; the same without a run.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/design/document.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QImage>
#include <QMessageBox>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>

#include <benchmark/benchmark.h>

using namespace fabricscope;

namespace {

QApplication& application()
{
    static int argc = 1;
    static char name[] = "bench_window";
    static char* argv[] = {name, nullptr};
    static QTemporaryDir home;
    qputenv("FABRICSCOPE_HOME", home.path().toUtf8());
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    static QApplication instance(argc, argv);
    return instance;
}

std::unique_ptr<MainWindow> openedWindow()
{
    auto window = std::make_unique<MainWindow>();
    window->files().setDecide([](const QString&) { return QMessageBox::Discard; });
    window->resize(1600, 1000);
    window->show();
    return window;
}

void openAndRun(MainWindow& window, const QByteArray& text)
{
    QEventLoop loop;
    QObject::connect(&window, &MainWindow::resultShown, &loop, &QEventLoop::quit);
    window.files().openText(text, QStringLiteral("bench.yaml"));
    loop.exec();
}

QByteArray millionNpus(bool run)
{
    return QByteArray("fabricscope: 1\nname: A million\nplatform:\n  dimensions:\n    - {shape: ring, size: 64, bandwidth: 100 GB/s, latency: 500 ns}\n"
                      "    - {shape: ring, size: 128, bandwidth: 50 GB/s, latency: 500 ns}\n    - {shape: ring, size: 128, bandwidth: 50 GB/s, latency: 500 ns}\n"
                      "workload:\n  collective: all_reduce\n  size: ")
        + (run ? "64 MiB" : "0 B") + "\nmodel: {name: links}\n";
}

QByteArray unequalRing()
{
    return "fabricscope: 1\nname: Long\nplatform:\n  dimensions:\n    - {shape: ring, size: 64, bandwidth: 50 GB/s, latency: 500 ns}\n"
           "    - {shape: ring, size: 16, bandwidth: 25 GB/s, latency: 1 us}\n  npu: {memory_bandwidth: 2 TB/s}\n  overrides:\n    links:\n"
           "      - {link: d0 3>4, bandwidth: 12 GB/s}\n"
           "workload:\n  steps:\n    - repeat: 400\n      steps:\n        - {compute: 10 us}\n        - {collective: all_reduce, size: 16 MiB}\n"
           "network: {jitter: {compute: {distribution: uniform, deviation: 0.01}}}\nmodel: {name: links}\n";
}

void startProcess(benchmark::State& state, const QStringList& arguments)
{
    application();
    for (auto _ : state) {
        QProcess process;
        process.start(QStringLiteral(FABRICSCOPE_WINDOW), arguments);
        process.waitForFinished(60'000);
        if (process.exitCode() != 0)
            state.SkipWithError("the program failed");
    }
}

void startToFirstPaint(benchmark::State& state)
{
    startProcess(state, {QStringLiteral("--example"), QStringLiteral("--quit-after-run")});
}
void startWithoutWindow(benchmark::State& state)
{
    startProcess(state, {QStringLiteral("--version")});
}

void openSimulateDraw(benchmark::State& state)
{
    application();
    const auto window = openedWindow();
    for (auto _ : state) {
        openAndRun(*window, millionNpus(state.range(0) == 1));
        const QImage picture = window->grab().toImage();
        benchmark::DoNotOptimize(picture.constBits());
    }
}

/// From the edit to the moment its result is painted; a symmetric design.
void editToNewResult(benchmark::State& state)
{
    application();
    const auto window = openedWindow();
    openAndRun(*window, millionNpus(true));
    int rate = 50;
    for (auto _ : state) {
        rate = rate == 50 ? 60 : 50;
        QEventLoop loop;
        QObject::connect(window.get(), &MainWindow::resultShown, &loop, &QEventLoop::quit);
        const std::string value = std::to_string(rate) + " GB/s";
        const Status edited = window->document().edit(QStringLiteral("rate"), [&](YamlDocument& yaml) { return yaml.set("platform.dimensions[1].bandwidth", value); });
        if (!edited)
            state.SkipWithError("the edit was refused");
        loop.exec();
        window->repaint();
    }
}

/// The longest time the window did not handle events during two seconds of a run, as a counter.
void longestGapDuringRun(benchmark::State& state)
{
    application();
    const auto window = openedWindow();
    double longest = 0;
    for (auto _ : state) {
        window->files().openText(unequalRing(), QStringLiteral("long.yaml"));
        QElapsedTimer whole;
        QElapsedTimer gap;
        whole.start();
        gap.start();
        QTimer timer;
        QEventLoop loop;
        QObject::connect(&timer, &QTimer::timeout, &loop, [&] {
            longest = std::max(longest, static_cast<double>(gap.nsecsElapsed()) / 1e6);
            gap.restart();
            if (whole.elapsed() > 2000)
                loop.quit();
        });
        timer.start(1);
        loop.exec();
    }
    window->runs().cancel();
    state.counters["longest_gap_ms"] = longest;
}

void stopAnswers(benchmark::State& state)
{
    application();
    const auto window = openedWindow();
    for (auto _ : state) {
        state.PauseTiming();
        window->files().openText(unequalRing(), QStringLiteral("long.yaml"));
        QEventLoop running;
        QTimer::singleShot(700, &running, &QEventLoop::quit);
        running.exec();
        state.ResumeTiming();
        QEventLoop loop;
        QObject::connect(&window->runs(), &RunController::idle, &loop, &QEventLoop::quit);
        window->runs().cancel();
        if (window->runs().isBusy())
            loop.exec();
    }
}

BENCHMARK(startToFirstPaint)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);
BENCHMARK(startWithoutWindow)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);
BENCHMARK(openSimulateDraw)->ArgName("run")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(editToNewResult)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(longestGapDuringRun)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);
BENCHMARK(stopAnswers)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

} // namespace
