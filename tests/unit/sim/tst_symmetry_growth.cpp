// The symmetry engine takes the same for every collective, however many came before. Counted in bytes that are allocated, not in time.
#include "core/choose/choose.h"
#include "core/design/design.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/allocations.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <atomic>

namespace {

std::atomic<std::int64_t> allocatedBytes{0};

void onAllocation(std::size_t size)
{
    allocatedBytes += static_cast<std::int64_t>(size);
}

} // namespace

using namespace fabricscope;

class SymmetryGrowthTest : public QObject {
    Q_OBJECT
private slots:
    void fourTimesAsManyRingsTakeFourTimesAsMuch_data()
    {
        QTest::addColumn<QString>("model");
        QTest::newRow("links") << QStringLiteral("links");
        QTest::newRow("ideal") << QStringLiteral("ideal");
    }
    void fourTimesAsManyRingsTakeFourTimesAsMuch()
    {
        QFETCH(QString, model);
        const auto bytesOf = [&](int rings) {
            const std::string text = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 256, bandwidth: 50 GB/s, latency: 500 ns}\n"
                                     "workload:\n  steps:\n    - repeat: " + std::to_string(rings)
                                     + "\n      steps:\n        - {collective: all_reduce, size: 1 MiB}\ncollectives: {default: {chunks: 4}}\nmodel: {name: "
                                     + model.toStdString() + "}\n";
            const Result<LoadedDesign> loaded = readDesignText(text, "growth.yaml");
            if (!loaded)
                qFatal("%s", loaded.error().text().c_str());
            const Result<ScenarioPtr> scenario = prepareChosen(loaded.value().design, 1);
            if (!scenario)
                qFatal("%s", scenario.error().text().c_str());
            RunOptions options;
            options.engine = EngineChoice::Symmetry; // It looks for periods of every ring.
            const std::int64_t before = allocatedBytes;
            const Result<RunRecord> record = simulate(*scenario.value(), options, {});
            if (!record)
                qFatal("%s", record.error().text().c_str());
            return allocatedBytes - before;
        };
        const std::int64_t some = bytesOf(1000);
        const std::int64_t more = bytesOf(4000);
        // Linear is 4, what is sorted or kept in maps has a logarithm; something that goes over all that came before is near 16.
        QVERIFY2(more < 5 * some, (std::to_string(some) + " bytes, " + std::to_string(more)).c_str());
    }
};

FABRICSCOPE_TEST(SymmetryGrowthTest)
#include "tst_symmetry_growth.moc"
