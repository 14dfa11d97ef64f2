// The same scenario gives the same record on any thread and on many at once. Run under the thread sanitizer.
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <thread>

using namespace fabricscope;

namespace {

ScenarioPtr scenario(Model model)
{
    PlatformSpec spec;
    spec.dimensions = {{Shape::FullyConnected, 4, {50, "GB/s", Measure::Bandwidth}, false, {700, "ns", Measure::Time}},
                       {Shape::Ring, 3, {25, "GB/s", Measure::Bandwidth}, false, {1, "us", Measure::Time}}};
    spec.npu.memoryBandwidth = Quantity{1600, "GB/s", Measure::Bandwidth};
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(spec);
    design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, {8, "MiB", Measure::Size}});
    design.model.model = model;
    auto prepared = prepare(design);
    Q_ASSERT(prepared);
    return prepared.value();
}

} // namespace

class ThreadsSimulateTest : public QObject {
    Q_OBJECT

private slots:
    void equalRecordsOnManyThreads_data()
    {
        QTest::addColumn<int>("model");
        for (const Model model : {Model::Links, Model::Ideal, Model::AstraUnaware, Model::AstraAware})
            QTest::addRow("%s", std::string(modelName(model)).c_str()) << static_cast<int>(model);
    }

    void equalRecordsOnManyThreads()
    {
        QFETCH(int, model);
        const ScenarioPtr shared = scenario(static_cast<Model>(model));
        RunOptions options;
        options.messageDigest = true;
        const auto alone = simulate(*shared, options);
        QVERIFY(alone);

        std::vector<std::optional<RunRecord>> records(4);
        {
            std::vector<std::jthread> threads;
            for (auto& slot : records) {
                threads.emplace_back([&slot, &shared, &options] {
                    if (auto record = simulate(*shared, options))
                        slot = std::move(record).value();
                });
            }
        }

        for (const auto& record : records) {
            QVERIFY(record);
            QCOMPARE(record->finish.ps, alone.value().finish.ps);
            QVERIFY(record->fingerprint == alone.value().fingerprint);
            QVERIFY(record->messages.value() == alone.value().messages.value());
        }
    }

    void cancelEndsARunWithItsOwnError()
    {
        const ScenarioPtr shared = scenario(Model::Links);
        std::stop_source stop;
        stop.request_stop();

        const auto record = simulate(*shared, {}, stop.get_token());

        QVERIFY(!record);
        QVERIFY(record.error().code == ErrorCode::Cancelled);
    }
};

FABRICSCOPE_TEST(ThreadsSimulateTest)
#include "tst_threads_simulate.moc"
