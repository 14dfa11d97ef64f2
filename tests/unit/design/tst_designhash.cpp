#include "core/design/file/astrainputs.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <filesystem>
#include <fstream>

using namespace fabricscope;

namespace {

const std::string kFlow = "fabricscope: 1\nname: A\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}], npu: {peak: 1 TFLOP/s}}\n"
                          "workload: {collective: all_reduce, size: 1 MiB}\n";
const std::string kBlock = "# The same in other words.\nfabricscope: 1\nnotes: another remark\nmodel:\n  name: links # the usual one\n"
                           "workload:\n  size: '1 MiB'\n  collective: \"all_reduce\"\n"
                           "platform:\n  npu:\n    peak: 1 TFLOP/s\n  dimensions:\n    - latency: 1 us\n      bandwidth: 50 GB/s\n      size: 4\n      shape: ring\n"
                           "collectives: {default: {algorithm: standard, chunks: 4}}\n";

Design read(const std::string& text, const std::string& file = "d.yaml", const std::vector<FieldOverride>& overrides = {})
{
    auto loaded = readDesignText(text, file, overrides);
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

void write(const std::filesystem::path& path, const std::string& content)
{
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
}

const std::string kSystem = R"({"all-reduce-implementation": ["ring"], "preferred-dataset-splits": 4, "endpoint-delay": 10, "active-chunks-per-dimension": 1})";
const std::string kNetwork = "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50.0]\nlatency: [500.0]\n";

} // namespace

class DesignHashTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = std::filesystem::path(m_folder->path().toStdString());
    }

    void wordingDoesNotCount()
    {
        QCOMPARE(designHash(read(kBlock)).hex(), designHash(read(kFlow)).hex());
        QCOMPARE(designHash(read(kFlow, "elsewhere/x.yaml")).hex(), designHash(read(kFlow)).hex());
    }

    void everyValueCounts_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* path, const char* value) { QTest::newRow(path) << QString(path) << QString(value); };
        row("platform.dimensions.0.size", "5");
        row("platform.dimensions.0.shape", "switch");
        row("platform.dimensions.0.bandwidth", "50 GiB/s");
        row("platform.dimensions.0.latency", "1.5 us");
        row("platform.npu.peak", "2 TFLOP/s");
        row("platform.npu.memory_bandwidth", "2 TB/s");
        row("platform.budgets.injection", "9 GB/s");
        row("platform.overrides.npus", "[{npu: 1, speed: 0.5}]");
        row("platform.overrides.links", "[{link: d0 0>1, latency: 1 ns}]");
        row("platform.remote_memory", "{kind: pool, latency: 1 ns, bandwidth: 1 GB/s}");
        row("platform.placement.jobs", "[{ranks: 2}]");
        row("workload.collective", "all_gather");
        row("workload.size", "2 MiB");
        row("collectives.default.chunks", "5");
        row("collectives.default.window", "1");
        row("collectives.default.algorithm", "direct");
        row("collectives.rules", "[{chunks: 2}]");
        row("collectives.active_chunks", "2");
        row("collectives.queues", "2");
        row("collectives.optimization", "localBWAware");
        row("model.name", "ideal");
        row("model.endpoint_delay", "1 ns");
        row("model.rendezvous", "true");
        row("model.roofline", "false");
    }
    void everyValueCounts()
    {
        QFETCH(QString, path);
        QFETCH(QString, value);

        const Design changed = read(kFlow, "d.yaml", {{path.toStdString(), value.toStdString()}});

        QVERIFY(designHash(changed) != designHash(read(kFlow)));
        QCOMPARE(designHash(changed).hex(), designHash(read(kFlow, "d.yaml", {{path.toStdString(), value.toStdString()}})).hex());
    }

    void bareKeysOfStepsCount()
    {
        const std::string start = "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {steps: [{compute: 1 us, name: a}, ";
        const auto hash = [&](const std::string& step) { return designHash(read(start + step + "]}\n")); };

        QVERIFY(hash("{compute: 1 us}") != hash("{compute: 1 us, after: []}"));
        QVERIFY(hash("{compute: 1 us}") != hash("{compute: 1 us, ranks: 0-2}"));
        QVERIFY(hash("{compute: 1 us, after: a}") == hash("{compute: 1 us, after: [a]}"));
    }

    void contentOfTraceFilesCounts()
    {
        const std::string text = "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 2, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {trace: t/step, comm_groups: groups.json}\n";
        const std::string file = (m_path / "d.yaml").string();
        write(m_path / "t/step.0.et", "zero");
        write(m_path / "t/step.1.et", "one");
        write(m_path / "groups.json", "{}");
        const Digest before = designHash(read(text, file));

        QVERIFY(before == designHash(read(text, file)));
        write(m_path / "t/step.2.et", "beyond the two ranks");
        QVERIFY(before == designHash(read(text, file)));
        write(m_path / "t/step.1.et", "eins");
        const Digest rank = designHash(read(text, file));
        QVERIFY(before != rank);
        write(m_path / "groups.json", "{\"1\": [0]}");
        const Digest groups = designHash(read(text, file));
        QVERIFY(rank != groups);
        std::filesystem::remove(m_path / "t/step.1.et");
        QVERIFY(groups != designHash(read(text, file)));
    }

    void theSameFilesInAnotherFolderHashTheSame()
    {
        const std::string text = "fabricscope: 1\nplatform: {file: net.yml, kind: astra-sim}\nworkload: {collective: all_reduce, size: 1 MiB}\ncollectives: {system: sys.json}\n";
        for (const char* folder : {"a", "b"}) {
            write(m_path / folder / "net.yml", kNetwork);
            write(m_path / folder / "sys.json", kSystem);
        }
        const Digest a = designHash(read(text, (m_path / "a/d.yaml").string()));

        QVERIFY(a == designHash(read(text, (m_path / "b/d.yaml").string())));
        write(m_path / "b/net.yml", kNetwork + "# a remark\n");
        QVERIFY(a != designHash(read(text, (m_path / "b/d.yaml").string())));
    }

    void customCollectivesOfSystemFilesCount()
    {
        const std::string text = "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 2, bandwidth: 50 GB/s, latency: 1 us}]}\n"
                                 "workload: {collective: all_reduce, size: 1 MiB}\ncollectives: {system: sys.json}\n";
        const std::string file = (m_path / "d.yaml").string();
        write(m_path / "sys.json", R"({"all-reduce-implementation-custom": ["algo/mine"], "preferred-dataset-splits": 1})");
        write(m_path / "algo/mine.0.et", "x");
        const Digest before = designHash(read(text, file));

        write(m_path / "algo/mine.1.et", "y");

        QVERIFY(before != designHash(read(text, file)));
    }

    void designsFromAstraFiles()
    {
        write(m_path / "net.yml", kNetwork);
        write(m_path / "sys.json", kSystem);
        write(m_path / "mem.json", R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 1000, "remote-mem-bw": 100})");
        AstraInputs inputs;
        inputs.network = (m_path / "net.yml").string();
        inputs.system = (m_path / "sys.json").string();
        inputs.memory = (m_path / "mem.json").string();
        inputs.commGroups = (m_path / "empty/groups.json").string();
        inputs.workload = (m_path / "step").string();
        inputs.queues = 2;
        inputs.injectionScale = 0.5;
        inputs.rendezvous = true;

        const auto loaded = designFromAstra(inputs);

        QVERIFY2(bool(loaded), loaded ? "" : loaded.error().text().c_str());
        const Design& design = loaded.value().design;
        QVERIFY(design.astraUnits);
        // 50 "GB/s" of such a file are 50 * 2^30 bytes a second.
        QCOMPARE(design.platform->dimensions[0].linkBandwidth().bytesPerSecond, std::int64_t{50} << 30);
        QCOMPARE(design.platform->dimensions[0].linkLatency().ps, std::int64_t{500'000});
        QVERIFY(design.astra->queuesPerDimension == 2 && design.astra->injectionScale == 0.5 && design.astra->rendezvous && design.astra->endpointDelayGiven);
        QVERIFY(design.remoteMemory == (RemoteMemory{RemoteMemory::Kind::Pool, 1000, 100, 0, 0}));
        // "empty" in a path does not switch the groups off.
        QCOMPARE(std::get<TraceWorkload>(*design.workload).commGroups, inputs.commGroups);
        QCOMPARE(design.files.size(), std::size_t{3});
        // The model of such a design is links until it is told otherwise: that one knows no queues, and says so.
        for (const Diagnostic& entry : validate(design))
            QVERIFY2(entry.rule == "unused-setting" && entry.message.starts_with("collectives.queues is not used"), entry.text().c_str());
        QCOMPARE(validate(design).size(), std::size_t{1});

        // Written as a design file it means the same.
        const std::string text = writeDesign(design);
        const Design back = read(text, "");
        QVERIFY(*back.platform == *design.platform);
        QVERIFY(*back.astra == *design.astra);
        QVERIFY(back.remoteMemory == design.remoteMemory);
        QVERIFY(std::get<TraceWorkload>(*back.workload) == std::get<TraceWorkload>(*design.workload));
        QVERIFY(back.model.rendezvous);
    }

    void missingAstraFilesAreNamed()
    {
        AstraInputs inputs;
        QVERIFY(designFromAstra(inputs).error().code == ErrorCode::Usage);
        inputs.network = (m_path / "no-net.yml").string();
        inputs.system = (m_path / "no-sys.json").string();
        QVERIFY(designFromAstra(inputs).error().text().find("no-net.yml") != std::string::npos);
        write(m_path / "no-net.yml", kNetwork);
        QVERIFY(designFromAstra(inputs).error().text().find("no-sys.json") != std::string::npos);
        write(m_path / "no-sys.json", kSystem);
        inputs.queues = 0;
        QVERIFY(!designFromAstra(inputs));
    }

    void missingTracesAndGroupsAreFoundWhenLoading()
    {
        write(m_path / "net.yml", kNetwork);
        write(m_path / "sys.json", kSystem);
        write(m_path / "step.0.et", "");
        AstraInputs inputs;
        inputs.network = (m_path / "net.yml").string();
        inputs.system = (m_path / "sys.json").string();
        inputs.workload = (m_path / "step").string();
        const auto loaded = designFromAstra(inputs);
        const auto platform = Platform::create(*loaded.value().design.platform);

        const auto workload = loadWorkload(loaded.value().design, platform.value());

        QVERIFY(!workload);
        QVERIFY2(workload.error().text().find("rank 1") != std::string::npos || workload.error().text().find("step.0.et") != std::string::npos, workload.error().text().c_str());
    }

    void tracesOfTheCorpusLoad()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        AstraInputs inputs;
        write(m_path / "net.yml", kNetwork);
        write(m_path / "sys.json", kSystem);
        inputs.network = (m_path / "net.yml").string();
        inputs.system = (m_path / "sys.json").string();
        inputs.workload = shared + "/corpus/bad_traces/control_good/t";
        const auto loaded = designFromAstra(inputs);
        const auto platform = Platform::create(*loaded.value().design.platform);

        const auto workload = loadWorkload(loaded.value().design, platform.value());

        QVERIFY2(bool(workload), workload ? "" : workload.error().text().c_str());
        QCOMPARE(workload.value().workload->rankCount, 4);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_path;
};

FABRICSCOPE_TEST(DesignHashTest)
#include "tst_designhash.moc"
