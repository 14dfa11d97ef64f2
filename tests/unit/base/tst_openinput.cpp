#include "core/design/file/astrainputs.h"
#include "core/plan/plangraph.h"
#include "core/plan/planspec.h"
#include "core/report/runfile.h"
#include "core/run/inputkind.h"
#include "core/run/inputfiles.h"
#include "core/run/openinput.h"
#include "core/run/rundesign.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/runs.h"
#include "tests/unit/support/cases/tracefiles.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

const char* const kNetwork = "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n";
const char* const kSystem = "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10, \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 4,\n"
                            " \"all-reduce-implementation\": [\"ring\"], \"collective-optimization\": \"baseline\"}\n";
const char* const kMemory = "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n";
const char* const kGroups = "{\"1\": [0, 1], \"2\": [2, 3]}\n";
const char* const kDesign = "# A remark first\nfabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}\n";

/// A folder of small inputs; files appear as they are asked for.
class Folder {
public:
    std::string path(const std::string& name) const { return m_dir.filePath(QString::fromStdString(name)).toStdString(); }
    std::string write(const std::string& name, const std::string& content) const
    {
        writeBytes(path(name), content);
        return path(name);
    }
    /// Traces of one all-reduce and one compute node; the group of rank r is "1" or "2" when `groups`.
    std::string traces(const std::string& prefix, int ranks, bool groups = false) const
    {
        for (int rank = 0; rank < ranks; ++rank) {
            const std::string group = groups ? (rank < 2 ? "1" : "2") : "";
            write(prefix + "." + std::to_string(rank) + ".et", etBytes({"0.0.4", {}}, {compNode(1, 100), collNode(2, EtCommType::AllReduce, 1 << 20, {1}, group)}));
        }
        return path(prefix);
    }
    std::string root() const { return m_dir.path().toStdString(); }

private:
    QTemporaryDir m_dir;
};

std::string contentOf(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::int64_t finishOf(const Design& design)
{
    const auto run = runDesign(std::make_shared<const Design>(design), {}, {});
    return run ? run.value()->record().finish.ps : -1;
}

/// Finish of the text that opening made, saved in a folder far from its inputs.
std::int64_t finishOf(const OpenedInput& opened, Model model)
{
    auto read = readDesignText(opened.text, "/elsewhere/" + opened.suggestedName);
    if (!read)
        return -2;
    read.value().design.model.model = model;
    return finishOf(read.value().design);
}

bool assumes(const OpenedInput& opened, const std::string& word)
{
    return std::any_of(opened.diagnostics.begin(), opened.diagnostics.end(),
                       [&](const Diagnostic& found) { return found.rule == "assumed" && found.message.find(word) != std::string::npos; });
}

QString errorOf(const std::vector<std::string>& paths)
{
    const auto opened = openInputs(paths);
    return opened ? QString() : QString::fromStdString(opened.error().text());
}

} // namespace

class OpenInputTest : public QObject
{
    Q_OBJECT

private slots:
    void filesAreToldByTheirContentNotTheirName_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<int>("kind");
        const auto row = [](const char* name, const QByteArray& content, InputKind kind) { QTest::newRow(name) << content << static_cast<int>(kind); };
        row("design", kDesign, InputKind::Design);
        row("design without version", "platform:\n  dimensions: []\n", InputKind::Design);
        row("network", kNetwork, InputKind::AstraNetwork);
        row("network in braces", "{topology: [Ring], npus_count: [4], bandwidth: [50], latency: [1]}", InputKind::AstraNetwork);
        row("system", kSystem, InputKind::AstraSystem);
        row("system cut off", QByteArray(kSystem).left(60), InputKind::AstraSystem);
        row("memory", kMemory, InputKind::AstraMemory);
        row("groups", kGroups, InputKind::CommGroups);
        row("groups cut off", "{\"g\": [0, 1", InputKind::CommGroups);
        row("saved run", QByteArray::fromStdString(runFileText(smallRun(), {})).left(4096), InputKind::SavedRun);
        row("topology", "Ring(4)_Switch(8)\n100,50\n", InputKind::TopologyText);
        row("InfraGraph", "# A remark\ndevices:\n- name: d\n  components: []\ninstances: []\n", InputKind::InfraGraph);
        row("InfraGraph device", "components:\n- {name: x, count: 1, choice: xpu}\nname: d\n", InputKind::InfraGraph);
        row("InfraGraph in JSON", "{\"infrastructure\": {\"devices\": []}, \"annotations\": {}}", InputKind::InfraGraph);
        row("NCCL dump", "<system version=\"1\">\n</system>\n", InputKind::NcclTopology);
        row("other XML", "<algo name=\"x\"/>\n", InputKind::Unknown);
        row("empty", "", InputKind::Unknown);
        row("prose", "Dear reader: nothing here.\n", InputKind::Unknown);
        row("other JSON", "{\"name\": \"x\", \"list\": [1]}", InputKind::Unknown);
        row("picture", QByteArray("\x89PNG\r\n\x1a\n\0\0", 10), InputKind::Unknown);
    }
    void filesAreToldByTheirContentNotTheirName()
    {
        QFETCH(QByteArray, content);
        QFETCH(int, kind);
        for (const char* name : {"file", "file.txt", "network.yml", "system.json"})
            QCOMPARE(static_cast<int>(inputKindOf(name, content.toStdString())), kind);
    }

    void platformFilesBecomeDesigns()
    {
        Folder folder;
        const std::string graph = folder.write("rack.yaml", "devices:\n- name: d\n  components: [{name: x, count: 4, choice: xpu}]\n"
                                                            "  links: [{name: l, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 500}}}]\n"
                                                            "  edges: [{ep1: {component: x}, ep2: {component: x}, scheme: many2many, link: l}]\ninstances: [{name: d, device: d, count: 1}]\n");
        const std::string dump = folder.write("topo.xml", "<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"1\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"0\" sm=\"80\"/></pci>"
                                                          "<pci busid=\"2\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"1\" sm=\"80\"/></pci></cpu></system>\n");

        const auto ofGraph = openInputs({graph});
        const auto ofDump = openInputs({dump, folder.traces("step", 2) + ".0.et"});

        QVERIFY2(bool(ofGraph), ofGraph ? "" : ofGraph.error().text().c_str());
        QCOMPARE(ofGraph.value().suggestedName, std::string("rack.yaml"));
        QVERIFY(!assumes(ofGraph.value(), "link"));
        QVERIFY(finishOf(ofGraph.value(), Model::Links) > 0);
        QVERIFY2(bool(ofDump), ofDump ? "" : ofDump.error().text().c_str());
        QVERIFY(assumes(ofDump.value(), "latency"));
        QVERIFY(finishOf(ofDump.value(), Model::Links) > 0);
        const QString both = errorOf({graph, dump});
        QVERIFY2(both.contains("an InfraGraph document and a topology dump of NCCL both describe the platform"), qPrintable(both));
    }

    void aTracesNameSaysPrefixAndRank()
    {
        const auto name = traceNameOf("step.v2.12.et");
        QVERIFY(name.has_value());
        QCOMPARE(name->prefix, std::string("step.v2"));
        QCOMPARE(name->rank, std::int64_t{12});
        QVERIFY(traceNameOf("w.3.et.gz") && traceNameOf("w.3.json"));
        for (const char* other : {"w.et", "w.x.et", ".3.et", "w.03.et", "w.3.txt", "w.-3.et"})
            QVERIFY2(!traceNameOf(other), other);
    }

    void F1_aDesignOpensAsItsFile()
    {
        const Folder folder;
        const std::string path = folder.write("mine.txt", kDesign);
        const auto opened = openInputs({path});
        QVERIFY(opened);
        QCOMPARE(static_cast<int>(opened.value().kind), static_cast<int>(OpenedInput::Kind::DesignFile));
        QCOMPARE(opened.value().path, path);
        QVERIFY(opened.value().text.empty());
    }

    void F1_aSavedRunOpensAsARun()
    {
        const Folder folder;
        const auto opened = openInputs({folder.write("run.json", runFileText(smallRun(), {}))});
        QVERIFY(opened);
        QCOMPARE(static_cast<int>(opened.value().kind), static_cast<int>(OpenedInput::Kind::SavedRun));
    }

    void F1_astraInputsGiveTheNumbersOfTheCommandLine_data()
    {
        QTest::addColumn<int>("model");
        for (const Model model : {Model::AstraUnaware, Model::AstraAware, Model::Links, Model::Ideal})
            QTest::newRow(std::string(modelName(model)).c_str()) << static_cast<int>(model);
    }
    void F1_astraInputsGiveTheNumbersOfTheCommandLine()
    {
        QFETCH(int, model);
        const Folder folder;
        AstraInputs inputs;
        inputs.network = folder.write("a.dat", kNetwork);
        inputs.system = folder.write("b.dat", kSystem);
        inputs.memory = folder.write("c.dat", kMemory);
        inputs.commGroups = folder.write("d.dat", kGroups);
        inputs.workload = folder.traces("w", 4, true);
        // In any order, the traces by any one of them.
        const auto opened = openInputs({folder.path("w.2.et"), inputs.commGroups, inputs.memory, inputs.system, inputs.network});
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        QCOMPARE(opened.value().suggestedName, std::string("w.yaml"));
        auto direct = designFromAstra(inputs);
        QVERIFY(direct);
        direct.value().design.model.model = static_cast<Model>(model);
        const std::int64_t wanted = finishOf(direct.value().design);
        QVERIFY(wanted > 0);
        QCOMPARE(finishOf(opened.value(), static_cast<Model>(model)), wanted);
    }

    void F1_theCorpusOpensToTheNumbersOfTheCommandLine_data()
    {
        QTest::addColumn<QString>("network");
        QTest::addColumn<QString>("system");
        QTest::addColumn<QString>("memory");
        QTest::addColumn<QString>("groups");
        QTest::addColumn<QString>("prefix");
        const auto row = [](const char* folder, const char* network, const char* system, const char* groups, const char* prefix) {
            const QString at = QStringLiteral("corpus/chakra/%1/").arg(QLatin1String(folder));
            QTest::newRow(folder) << at + QLatin1String(network) << at + QLatin1String(system) << at + QLatin1String("memory.json")
                                  << (*groups ? at + QLatin1String(groups) : QString()) << at + QLatin1String(prefix);
        };
        row("micro_all_reduce_8", "network_1d.yml", "system_1d.json", "", "workload");
        row("groups_torus3d_8", "network_t3d.yml", "system_t3d.json", "comm_group.json", "workload");
        row("stg_gpt_tiny_4", "network_1d.yml", "system_1d.json", "comm_group.json", "workload");
        row("hgx_h100_validated", "network_HGX-H100-validated.yml", "system_HGX-H100-validated.json", "", "allreduce_8gpu_1048576/workload");
    }
    void F1_theCorpusOpensToTheNumbersOfTheCommandLine()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(QString, network);
        QFETCH(QString, system);
        QFETCH(QString, memory);
        QFETCH(QString, groups);
        QFETCH(QString, prefix);
        const auto at = [&](const QString& file) { return file.isEmpty() ? std::string() : shared + "/" + file.toStdString(); };
        AstraInputs inputs;
        inputs.network = at(network);
        inputs.system = at(system);
        inputs.memory = std::filesystem::exists(at(memory)) ? at(memory) : "";
        inputs.commGroups = at(groups);
        inputs.workload = at(prefix);
        std::vector<std::string> paths{inputs.network, inputs.system, inputs.workload + ".0.et"};
        for (const std::string& more : {inputs.memory, inputs.commGroups})
            if (!more.empty())
                paths.push_back(more);
        const auto opened = openInputs(paths);
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        auto direct = designFromAstra(inputs);
        QVERIFY2(direct, direct ? "" : direct.error().text().c_str());
        for (const Model model : {Model::AstraUnaware, Model::Links}) {
            direct.value().design.model.model = model;
            const std::int64_t wanted = finishOf(direct.value().design);
            // The astra models refuse the group "0" of one of the inputs, here and there.
            QVERIFY(wanted > 0 || (isAstra(model) && inputs.network.find("torus3d") != std::string::npos));
            QCOMPARE(finishOf(opened.value(), model), wanted);
        }
    }

    void tracesAloneGetOneSwitchForAsManyNpusAndRun()
    {
        const Folder folder;
        folder.traces("w", 6);
        const auto opened = openInputs({folder.path("w.0.et")});
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        QVERIFY(assumes(opened.value(), "one switch"));
        QVERIFY(!assumes(opened.value(), "TFLOP/s")); // its computing has durations
        const auto read = readDesignText(opened.value().text, opened.value().folder + "/x.yaml");
        QVERIFY(read);
        const Design& design = read.value().design;
        QCOMPARE(design.platform->dimensions.size(), std::size_t{1});
        QCOMPARE(design.platform->dimensions[0].size, 6);
        QVERIFY(design.platform->dimensions[0].shape == Shape::Switch);
        QVERIFY(design.notes.find("Assumed") != std::string::npos);
        // 100 us of computing come first.
        QVERIFY(finishOf(opened.value(), Model::Links) > 100'000'000);
    }

    void tracesThatCountOperationsGetAnAssumedNpu()
    {
        const Folder folder;
        for (int rank = 0; rank < 2; ++rank) {
            EtNode node = compNode(1, 0);
            node.attributes.push_back(EtAttribute::integer("num_ops", 400'000'000'000));
            node.attributes.push_back(EtAttribute::integer("tensor_size", 1));
            folder.write("w." + std::to_string(rank) + ".et", etBytes({"0.0.4", {}}, {node}));
        }
        const auto opened = openInputs({folder.root()});
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        QVERIFY(assumes(opened.value(), "400 TFLOP/s"));
        // 4e11 operations at 4e14 a second: 1 ms.
        QCOMPARE(finishOf(opened.value(), Model::Links), std::int64_t{1'000'000'000});
    }

    void theGroupsBesideATraceAreTakenAndSaid()
    {
        const Folder folder;
        folder.traces("w", 4, true);
        folder.write("comm_group.json", kGroups);
        const auto opened = openInputs({folder.path("w.0.et")});
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        QVERIFY(findRule(opened.value().diagnostics, "groups-beside"));
        QVERIFY(finishOf(opened.value(), Model::Links) > 0);
    }

    void aFolderOpensAllThatIsInIt()
    {
        const Folder folder;
        folder.traces("w", 4);
        folder.write("net.yml", kNetwork);
        folder.write("sys.json", kSystem);
        folder.write("README.md", "Notes.\n");
        folder.write("backup.tar.gz", "\x1f\x8b\x08 packed by somebody");
        const auto opened = openInputs({folder.root()});
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        QCOMPARE(opened.value().folder, folder.root());
        QVERIFY(!assumes(opened.value(), ""));
        QVERIFY(finishOf(opened.value(), Model::AstraUnaware) > 0);
    }

    void aNetworkOrATopologyAloneRunsOneAllReduce_data()
    {
        QTest::addColumn<QString>("given");
        QTest::newRow("network") << QStringLiteral("net.yml");
        QTest::newRow("topology in a file") << QStringLiteral("topology.txt");
        QTest::newRow("topology in words") << QString();
    }
    void aNetworkOrATopologyAloneRunsOneAllReduce()
    {
        QFETCH(QString, given);
        const Folder folder;
        folder.write("net.yml", kNetwork);
        folder.write("topology.txt", "Ring(4)_Switch(2)\n100 GB/s, 50 GB/s\n1 us, 2 us\n");
        const auto opened = openInputs({given.isEmpty() ? std::string("Ring(4)_Switch(2)") : folder.path(given.toStdString())});
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        QVERIFY(assumes(opened.value(), "all-reduce"));
        QCOMPARE(assumes(opened.value(), "50 GB/s"), given.isEmpty());
        QVERIFY(finishOf(opened.value(), Model::Links) > 0);
    }

    void F4_whatDoesNotGoTogetherIsSaidInWords_data()
    {
        QTest::addColumn<QStringList>("files");
        QTest::addColumn<QStringList>("words");
        const auto row = [](const char* name, const QString& files, const QString& words) {
            QTest::newRow(name) << files.split(QLatin1Char(' ')) << words.split(QLatin1Char('|'));
        };
        row("missing", QStringLiteral("nothing.yaml"), QStringLiteral("nothing.yaml|no such file"));
        row("unknown", QStringLiteral("prose.txt"), QStringLiteral("prose.txt|Chakra traces"));
        row("two networks", QStringLiteral("net.yml net2.yml sys.json"), QStringLiteral("2 network files|net.yml, net2.yml"));
        row("two traces", QStringLiteral("w.0.et v.0.et"), QStringLiteral("2 sets of traces"));
        row("design and network", QStringLiteral("design.yaml net.yml"), QStringLiteral("design.yaml|together"));
        row("system alone", QStringLiteral("sys.json"), QStringLiteral("sys.json|network file"));
        row("groups alone", QStringLiteral("groups.json"), QStringLiteral("groups.json|traces"));
        row("groups and network", QStringLiteral("groups.json net.yml"), QStringLiteral("groups.json|traces"));
        row("network cut off", QStringLiteral("cut.yml"), QStringLiteral("cut.yml:4|not valid YAML"));
        row("system cut off", QStringLiteral("net.yml cut.json"), QStringLiteral("cut.json:1"));
        row("too few traces", QStringLiteral("net.yml v.0.et"), QStringLiteral("rank 2|missing"));
        row("gap in the traces", QStringLiteral("u.3.et"), QStringLiteral("u.1.et|missing"));
        row("trace without rank", QStringLiteral("packed"), QStringLiteral("packed|rank|workload.0.et"));
        row("topology with a bad size", QStringLiteral("bad-topology.txt"), QStringLiteral("bad-topology.txt:1"));
    }
    void F4_whatDoesNotGoTogetherIsSaidInWords()
    {
        QFETCH(QStringList, files);
        QFETCH(QStringList, words);
        const Folder folder;
        folder.write("prose.txt", "Dear reader: nothing here.\n");
        folder.write("net.yml", kNetwork);
        folder.write("net2.yml", kNetwork);
        folder.write("sys.json", kSystem);
        folder.write("groups.json", kGroups);
        folder.write("design.yaml", kDesign);
        folder.write("cut.yml", "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0, \n");
        folder.write("cut.json", "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": ");
        folder.write("packed", "\x1f\x8b\x08 not really");
        folder.write("bad-topology.txt", "Ring(four)\n");
        folder.traces("w", 4);
        folder.traces("v", 2);
        folder.traces("u", 4);
        std::filesystem::remove(folder.path("u.1.et"));
        std::vector<std::string> paths;
        for (const QString& file : files)
            paths.push_back(folder.path(file.toStdString()));
        const QString error = errorOf(paths);
        for (const QString& word : words)
            QVERIFY2(error.contains(word), qPrintable(word + QStringLiteral(" is not in: ") + error));
    }

    void F4_brokenTracesAreRefusedWithTheirPlace_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("level");
        const auto shared = sharedFolder();
        if (!shared) {
            QTest::newRow("no shared folder") << QString() << QString();
            return;
        }
        QFile file(QString::fromStdString(*shared + "/corpus/bad_traces/expected.csv"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        file.readLine();
        while (!file.atEnd()) {
            const QList<QByteArray> fields = file.readLine().split(',');
            QTest::newRow(fields[0].constData()) << QString::fromUtf8(fields[0]) << QString::fromUtf8(fields[1]);
        }
    }
    void F4_brokenTracesAreRefusedWithTheirPlace()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(QString, name);
        QFETCH(QString, level);
        const auto opened = openInputs({shared + "/corpus/bad_traces/" + name.toStdString()});
        if (level == QLatin1String("OK") || level == QLatin1String("WARN")) {
            QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
            QVERIFY(finishOf(opened.value(), Model::Links) > 0);
            return;
        }
        // This reader understands the old schema, and a run that stops says so itself.
        if (level == QLatin1String("DEADLOCK") || name == QLatin1String("schema_0_0_1"))
            return;
        QVERIFY(!opened);
        const Error& error = opened.error();
        QVERIFY2(!error.place.file.empty() || error.place.rank >= 0, error.text().c_str());
        QVERIFY2(error.place.rank >= 0 || error.place.line > 0 || error.place.offset >= 0, error.text().c_str());
    }

    void everyExampleOfTheProgramIsADesign()
    {
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(FABRICSCOPE_SOURCE_DIR "/resources/examples")) {
            if (!entry.is_regular_file())
                continue; // Folders hold what examples name.
            const auto opened = openInputs({entry.path().string()});
            QVERIFY2(bool(opened), opened ? "" : opened.error().text().c_str());
            QCOMPARE(static_cast<int>(opened.value().kind), static_cast<int>(OpenedInput::Kind::DesignFile));
            ++count;
        }
        QVERIFY(count >= 5);
    }

    /// What other commands read is told by its content, and whoever opens it is told which.
    void filesOfOtherCommandsAreNamedWithTheCommand()
    {
        int count = 0;
        for (const auto& [folder, kind] : {std::pair{"shard", InputKind::ShardFile}, {"transform", InputKind::TransformFile}, {"place", InputKind::PlaceFile}}) {
            for (const auto& entry : std::filesystem::directory_iterator(std::string(FABRICSCOPE_SOURCE_DIR "/resources/examples/") + folder)) {
                const std::string content = contentOf(entry.path().string());
                if (entry.path().extension() == ".lua" || content.find("\nplatform:") != std::string::npos)
                    continue; // A script, and a design.
                const InputKind wanted = entry.path().extension() == ".mlir" ? InputKind::StableHlo : kind;
                QCOMPARE(static_cast<int>(inputKindOf("x", content)), static_cast<int>(wanted));
                ++count;
                InputFiles files;
                const Status status = files.add(entry.path().string());
                if (wanted == InputKind::ShardFile) {
                    QVERIFY2(bool(status), status ? "" : status.error().text().c_str());
                    continue;
                }
                QVERIFY(!status && status.error().text().find("read by the command " + std::string(folder)) != std::string::npos);
            }
        }
        QVERIFY(count >= 14);
    }

    void everyGraphToShardOpensAsADesignOnRingsAlongItsAxes()
    {
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(FABRICSCOPE_SOURCE_DIR "/resources/examples/shard")) {
            if (entry.path().extension() != ".yaml")
                continue;
            ++count;
            const auto opened = openInputs({entry.path().string()});
            QVERIFY2(bool(opened), opened ? "" : opened.error().text().c_str());
            QCOMPARE(static_cast<int>(opened.value().kind), static_cast<int>(OpenedInput::Kind::DesignText));
            const auto read = readDesignText(opened.value().text, opened.value().folder + "/x.yaml");
            QVERIFY2(bool(read), read ? "" : read.error().text().c_str());
            for (const Diagnostic& found : validate(read.value().design))
                QVERIFY2(found.severity != Severity::Error, found.message.c_str());
            const auto* const planned = std::get_if<PlannedWorkload>(read.value().design.workload.get());
            QVERIFY(planned && planned->plan->graph);
            // The last axis of the mesh is the first dimension.
            std::vector<std::int64_t> sizes, axes;
            for (const Dimension& dimension : read.value().design.platform->dimensions) {
                QCOMPARE(static_cast<int>(dimension.shape), static_cast<int>(Shape::Ring));
                sizes.push_back(dimension.size);
            }
            for (const MeshAxis& axis : planned->plan->graph->problem.mesh.axes)
                axes.insert(axes.begin(), axis.size);
            QCOMPARE(sizes, axes);
        }
        QVERIFY(count >= 4);
    }

    void aGraphToShardIsOpenedByItself()
    {
        const Folder folder;
        const std::string graph = folder.write("graph.yaml", "fabricscope: 1\nshard: {mesh: {x: 2}, tensors: {a: [4]}, annotations: [{tensor: a, dims: [[x]]}]}\n");
        const auto together = openInputs({graph, folder.write("network.yml", kNetwork)});
        QVERIFY(!together);
        QVERIFY2(together.error().message == "a graph to shard cannot be opened together with other inputs", together.error().text().c_str());
        const auto broken = openInputs({folder.write("broken.yaml", "fabricscope: 1\nshard: {mesh: {x: 2}, tensors: {a: [4]}, annotations: [{tensor: b, dims: [[x]]}]}\n")});
        QVERIFY(!broken);
        QVERIFY2(broken.error().place.line == 2 && !broken.error().place.file.empty(), broken.error().text().c_str());
    }
};

FABRICSCOPE_TEST(OpenInputTest)
#include "tst_openinput.moc"
