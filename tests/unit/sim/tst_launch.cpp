// network.launch: the time from the issue of a collective to its begin.
#include "core/design/file/readdesign.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

constexpr std::int64_t kUs = 1'000'000;

std::string designOfLaunch(const std::string& launch, const std::string& steps, const std::string& model = "links")
{
    return "fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}]\n  npu: {peak: 100 TFLOP/s}\ncollectives: {default: {algorithm: ring, chunks: 1}}\nmodel: {name: " + model + "}\n"
        + (launch.empty() ? "" : "network: {launch: " + launch + "}\n") + "workload: {steps: [" + steps + "]}\n";
}

Result<RunRecord> ranLaunched(const std::string& text, EngineChoice engine = EngineChoice::Auto)
{
    const auto loaded = readDesignText(text, "launch.yaml");
    if (!loaded)
        return loaded.error();
    const auto scenario = prepare(loaded.value().design);
    if (!scenario)
        return scenario.error();
    RunOptions options;
    options.engine = engine;
    return simulate(*scenario.value(), options);
}

std::int64_t launchedFinish(const std::string& text)
{
    const auto record = ranLaunched(text);
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return record.value().finish.ps;
}

} // namespace

class TestLaunch : public QObject {
    Q_OBJECT

private slots:
    void aCollectiveTakesItsLaunchLonger_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* const model : {"links", "ideal", "flow"})
            QTest::newRow(model) << QString::fromLatin1(model);
    }
    void aCollectiveTakesItsLaunchLonger()
    {
        QFETCH(QString, model);
        const std::string name = model.toStdString();
        const std::string one = "{collective: all_reduce, size: 4 MB}";
        // A ring of 4: 6 steps of 1 MB at 100 GB/s (10 us) over two links of 1 us.
        QCOMPARE(launchedFinish(designOfLaunch("", one, name)), 72 * kUs);
        QCOMPARE(launchedFinish(designOfLaunch("0 us", one, name)), 72 * kUs);
        QCOMPARE(launchedFinish(designOfLaunch("29 us", one, name)), (72 + 29) * kUs);
        // Those that follow one another pay each; a message pays nothing.
        QCOMPARE(launchedFinish(designOfLaunch("29 us", one + ", " + one, name)), 2 * (72 + 29) * kUs);
        QCOMPARE(launchedFinish(designOfLaunch("29 us", "{send: 1 MB, to: 1, ranks: 0}, {receive: 1 MB, from: 0, ranks: 1}", name)), 12 * kUs);
    }

    void launchesHideBehindWhatGoesOn()
    {
        const std::string one = "{collective: all_reduce, size: 4 MB, after: []}";
        // Issued together, one after the other in their group: the second has started up while the first goes on.
        QCOMPARE(launchedFinish(designOfLaunch("29 us", one + ", " + one)), (29 + 2 * 72) * kUs);
        // The NPU computes meanwhile.
        QCOMPARE(launchedFinish(designOfLaunch("29 us", "{compute: 80 us}, " + one)), (29 + 72) * kUs);
        QCOMPARE(launchedFinish(designOfLaunch("29 us", "{compute: 300 us}, " + one)), 300 * kUs);
        // Units of communication are taken from the issue on: one unit, one after the other, launches too.
        const std::string units = designOfLaunch("29 us", one + ", " + one) + "scheduling: {units: {communication: 1}}\n";
        QCOMPARE(launchedFinish(units), 2 * (29 + 72) * kUs);
    }

    void theRecordCountsTheLaunchAsCommunication()
    {
        const auto record = ranLaunched(designOfLaunch("29 us", "{collective: all_reduce, size: 4 MB}"));
        QVERIFY(record);
        QCOMPARE(record.value().classes.front().times.comm.ps, (29 + 72) * kUs);
        QCOMPARE(record.value().classes.front().times.exposedComm.ps, (29 + 72) * kUs);
    }

    void enginesThatLeaveOutEventsRefuseIt()
    {
        const std::string text = designOfLaunch("29 us", "{collective: all_reduce, size: 4 MB}");
        for (const EngineChoice engine : {EngineChoice::Sweep, EngineChoice::Memo}) {
            const auto record = ranLaunched(text, engine);
            QVERIFY(!record);
            QVERIFY(record.error().code == ErrorCode::Unsupported);
        }
    }

    void otherModelsAndValuesAreTold()
    {
        const auto astra = readDesignText(designOfLaunch("29 us", "{collective: all_reduce, size: 4 MB}", "astra-aware"), "launch.yaml");
        QVERIFY(astra);
        const auto scenario = prepare(astra.value().design);
        QVERIFY2(scenario, scenario ? "" : scenario.error().text().c_str());
        const auto& notes = scenario.value()->diagnostics;
        QVERIFY(std::any_of(notes.begin(), notes.end(), [](const Diagnostic& note) { return note.message.find("network.launch is not used") != std::string::npos; }));
        QVERIFY(!readDesignText(designOfLaunch("12 GB", "{collective: all_reduce, size: 4 MB}"), "launch.yaml"));
        const auto negative = readDesignText(designOfLaunch("-1 us", "{collective: all_reduce, size: 4 MB}"), "launch.yaml");
        QVERIFY(!negative || !validate(negative.value().design).empty());
        // A design without a launch is written, and hashed, as before.
        const auto plain = readDesignText(designOfLaunch("", "{collective: all_reduce, size: 4 MB}"), "launch.yaml");
        QVERIFY(writeDesign(plain.value().design).find("launch") == std::string::npos);
        const auto launched = readDesignText(designOfLaunch("29 us", "{collective: all_reduce, size: 4 MB}"), "launch.yaml");
        QVERIFY(writeDesign(launched.value().design).find("launch: 29 us") != std::string::npos);
        QVERIFY(designHash(launched.value().design) != designHash(plain.value().design));
    }
};

FABRICSCOPE_TEST(TestLaunch)
#include "tst_launch.moc"
