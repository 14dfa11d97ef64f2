// Whatever is done with a design before it runs hears a stop at every moment (support/stopmoments.h): its platform, its checks, its hash, its text.
#include "core/base/stop.h"
#include "core/design/design.h"
#include "core/formats/infragraph/exporter.h"
#include "core/formats/infragraph/infragraph.h"
#include "tests/unit/support/stopmoments.h"
#include "tests/unit/support/testprogram.h"

#include <algorithm>

using namespace fabricscope;

namespace {

/// A ring of `npus` with chords, every link written out; every other link is slower by an override.
std::string graphText(int npus)
{
    std::string text = "fabricscope: 1\nname: graph\nplatform:\n  nodes:\n";
    for (int i = 0; i < npus; ++i)
        text += "    - {name: n" + std::to_string(i) + ", kind: npu}\n";
    text += "  links:\n";
    for (int i = 0; i < npus; ++i) {
        for (const int step : {1, npus - 1, 7, 31})
            text += "    - {from: n" + std::to_string(i) + ", to: n" + std::to_string((i + step) % npus) + ", bandwidth: 50 GB/s, latency: 500 ns}\n";
    }
    text += "  overrides:\n    links:\n";
    for (int i = 0; i < npus; ++i) {
        for (const int step : {1, 7})
            text += "      - {link: n" + std::to_string(i) + ">n" + std::to_string((i + step) % npus) + ", bandwidth: 25 GB/s}\n";
    }
    return text + "workload:\n  steps:\n    - {collective: all_reduce, size: 1 MiB}\n";
}

/// Steps with names, each behind the one before it.
std::string stepsText(int steps)
{
    std::string text = "fabricscope: 1\nname: steps\nplatform:\n  dimensions:\n    - {shape: ring, size: 8, bandwidth: 50 GB/s, latency: 500 ns}\nworkload:\n  steps:\n";
    for (int i = 0; i < steps; ++i) {
        text += "    - {collective: all_reduce, size: 1 MiB, name: a step with a long name " + std::to_string(i);
        text += (i > 0 ? ", after: a step with a long name " + std::to_string(i - 1) : std::string()) + "}\n";
    }
    return text;
}

Design designOf(const std::string& text)
{
    Result<LoadedDesign> loaded = readDesignText(text, "stop.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

/// For work that ends by throwing.
template <typename Value>
bool hasStopped(const Value& value)
{
    return wasStopped(untilStopped([&]() -> Result<decltype(value())> { return value(); }));
}

} // namespace

class StopDesignsTest : public QObject {
    Q_OBJECT
private slots:
    void aPlatformHearsIt()
    {
        const Design design = designOf(graphText(600));
        const PlatformSpec& spec = *design.platform;
        checkHeardWithin(200, [&](const std::stop_token& stop) { return wasStopped(Platform::create(spec, stop)); });
        PlatformSpec torus;
        torus.dimensions.assign(2, designOf(stepsText(1)).platform->dimensions[0]);
        constexpr std::int32_t kSide = 512;
        torus.dimensions[0].size = torus.dimensions[1].size = kSide;
        for (std::int32_t i = 0; i < kSide; ++i) { // One NPU of every line.
            NpuOverride& change = torus.npuOverrides.emplace_back();
            change.node = i * kSide + i;
            change.removed = true;
        }
        checkHeardWithin(200, [&](const std::stop_token& stop) { return wasStopped(Platform::create(torus, stop)); });
    }

    void designsHearIt_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("graph") << QString::fromStdString(graphText(600));
        QTest::newRow("steps") << QString::fromStdString(stepsText(1500));
    }
    void designsHearIt()
    {
        QFETCH(QString, text);
        const std::string yaml = text.toStdString();
        const Design design = designOf(yaml);
        checkHeardWithin(500, [&](const std::stop_token& stop) { return hasStopped([&] { return validate(design, stop); }); });
        checkHeardWithin(500, [&](const std::stop_token& stop) { return hasStopped([&] { return designHash(design, stop); }); });
        checkHeardWithin(500, [&](const std::stop_token& stop) { return hasStopped([&] { return writeDesign(design, stop); }); });
        checkHeardWithin(3000, [&](const std::stop_token& stop) {
            const LoadedDesign read = inspectDesignText(yaml, "a.yaml", {}, true, stop);
            return std::any_of(read.diagnostics.begin(), read.diagnostics.end(), [](const Diagnostic& found) { return found.message == stoppedError().message; });
        });
    }

    void aPlatformAsInfraGraphHearsIt()
    {
        const Design design = designOf(graphText(600));
        checkHeardWithin(500, [&](const std::stop_token& stop) {
            Diagnostics notes;
            return wasStopped(infraGraphOf(*design.platform, notes, stop));
        });
        Diagnostics notes;
        const InfraDocument document = infraGraphOf(*design.platform, notes).value();
        checkHeardWithin(500, [&](const std::stop_token& stop) { return hasStopped([&] { return writeInfraGraph(document, stop); }); });
    }
};

FABRICSCOPE_TEST(StopDesignsTest)
#include "tst_stop_designs.moc"
