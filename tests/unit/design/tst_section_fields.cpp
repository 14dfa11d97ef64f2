// What a section says of its fields once is what it reads, writes, checks and what the reference shows.
#include "core/design/computeconfig.h"
#include "core/design/file/sectionfields.h"
#include "core/design/networkconfig.h"
#include "core/design/schedulingconfig.h"
#include "core/platform/fabric/fabricform.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QFile>
#include <QtTest>

using namespace fabricscope;

namespace {

struct Made {
    enum class Colour : std::uint8_t { Red, Green };
    Colour colour = Colour::Red;
    std::int32_t count = 0;
    double loss = 0.5;
};
constexpr std::array<std::pair<std::string_view, Made::Colour>, 2> kColours{{{"red", Made::Colour::Red}, {"green", Made::Colour::Green}}};

const SectionFields<Made>& madeFields()
{
    static const SectionFields<Made> fields{
        wordField("colour", &Made::colour, kColours, "of all"),
        {"inside", "what is in it", {}, {}, {}, {wholeField("count", &Made::count, 1, 9, "how many"), lossField("loss", &Made::loss, "of it")}},
    };
    return fields;
}

/// What reading says; "": it reads.
template <class Config>
std::string readInto(Config& made, const std::string& text, const SectionFields<Config>& fields)
{
    const auto document = YamlDocument::parse(text, "made.yaml");
    if (!document)
        return document.error().text();
    FieldContext context(document.value());
    readFields(context, document.value().root(), "made", fields, made);
    return context.hasErrors() ? context.firstError()->text() : std::string();
}

} // namespace

class SectionFieldsTest : public QObject {
    Q_OBJECT

private slots:
    void whatIsReadIsWrittenAgain()
    {
        Made made;
        QCOMPARE(readInto(made, "colour: green\ninside: {count: 3, loss: 0.25}\n", madeFields()), std::string());
        QVERIFY(made.colour == Made::Colour::Green);
        QCOMPARE(made.count, 3);
        QCOMPARE(made.loss, 0.25);
        Made again;
        QCOMPARE(readInto(again, renderYaml(fieldsTree(madeFields(), made), false), madeFields()), std::string());
        QVERIFY(again.colour == made.colour && again.count == made.count && again.loss == made.loss);
    }

    void everyKeyOfAFaultIsReadAndWritten()
    {
        for (const std::string text : {"link: d0 0>1\nat: 100 us\nuntil: 2 ms\nfactor: 1/2\n", "npu: 3\nat: 0 ns\nfailed: true\n", "npu: 0\nat: 1 s\nbandwidth: 5 GB/s\n"}) {
            FaultConfig fault;
            QCOMPARE(readInto(fault, text, faultFields()), std::string());
            std::string written;
            for (const YamlEntry& entry : fieldsTree(faultFields(), fault).entries)
                written += entry.key + ": " + entry.value.text + '\n';
            QCOMPARE(QString::fromStdString(written), QString::fromStdString(text));
        }
        FaultConfig fault;
        for (const char* const wrong : {"link: a>b\n", "at: 1 GB\n", "at: 1 us\nnpu: -1\n", "at: 1 us\nfactor: 2/1\n", "at: 1 us\nfailed: perhaps\n", "at: 1 us\nfrom: 2 us\n"})
            QVERIFY2(!readInto(fault, wrong, faultFields()).empty(), wrong);
    }

    /// An entry with every key comes back letter by letter, an empty one empty.
    void everyKeyOfAProtocolIsReadAndWritten()
    {
        const std::string text = "preset: LL\nmin_size: 1 KiB\nmax_size: 64 KiB\ndimension: 1\nlatency: 2 us\nefficiency: 120/128\nslots: 8\nslot_size: 600 KiB\n"
                                 "transfer: get\nsignal: false\nhandshake: true\ncontrol_size: 64 B\n";
        ProtocolConfig protocol;
        QCOMPARE(readInto(protocol, text, protocolFields()), std::string());
        std::string written;
        for (const YamlEntry& entry : fieldsTree(protocolFields(), protocol).entries)
            written += entry.key + ": " + entry.value.text + '\n';
        QCOMPARE(QString::fromStdString(written), QString::fromStdString(text));
        QCOMPARE(protocolFields().size(), std::size_t{12});
        QVERIFY(protocol.get == true && protocol.signal == false && protocol.slotCount == 8 && protocol.efficiency == std::pair(std::int64_t{120}, std::int64_t{128}));
        QVERIFY(fieldsTree(protocolFields(), ProtocolConfig{}).entries.empty());
        for (const char* const wrong : {"slots: -1\n", "efficiency: 3/2\n", "transfer: push\n", "preset: LL256\n", "slot: 8\n", "latency: 2 KiB\n"})
            QVERIFY2(!readInto(protocol, wrong, protocolFields()).empty(), wrong);
    }

    /// Letter by letter again, and in the right place what is wrong.
    void everyKeyOfTheTablesOfComputeIsReadAndWritten()
    {
        const auto again = [](const std::string& text, const auto& fields, auto config) {
            const std::string said = readInto(config, text, fields);
            return said.empty() ? renderYaml(fieldsTree(fields, config), false) : said;
        };
        const auto inLines = [](const std::string& text) { // How a tree is written does not matter here.
            const auto document = YamlDocument::parse(text, "made.yaml");
            return document ? renderYaml(document.value().root(), false) : document.error().text();
        };
        for (const std::string text : {"up_to: 1 GFLOP\nshare: 0.25\n", "share: 1\n"})
            QCOMPARE(again(text, pointFields(Measure::Operations), EfficiencyPoint{}), inLines(text));
        const std::string kind = "name: \"*gemm*\"\noperations: [{up_to: 1 GFLOP, share: 0.5}, {share: 0.75}]\nbytes: [{share: 0.5}]\n";
        QCOMPARE(again(kind, kindFields(), EfficiencyKind{}), inLines(kind));
        const std::string memory = "follow: false\nresident: [{name: a, bytes: 14 GB}, {name: b, bytes: 1 KiB, ranks: 0-7}]\n";
        QCOMPARE(again(memory, memoryFields(), MemoryConfig{}), inLines(memory));
        QCOMPARE(again("resident: 2 GB\n", memoryFields(), MemoryConfig{}), inLines("follow: true\nresident: [{name: resident, bytes: 2 GB}]\n"));

        const auto said = [](const char* text) {
            MemoryConfig config;
            return readInto(config, text, memoryFields());
        };
        for (const auto& [text, place] : {std::pair{"resident: [{bytes: 1 GB, ranks: 7-x}]\n", "made.resident[0].ranks"}, {"resident: [{bytes: 1 GB}, {name: b}]\n", "made.resident[1]"}, {"resident: 2 ns\n", "made.resident"},
                                          {"resident: [{bytes: 1 GB, rank: 7}]\n", "rank"}})
            QVERIFY2(said(text).find(place) != std::string::npos, said(text).c_str());
        MemoryConfig config;
        config.resident = {{"a", Quantity{1, "GB", Measure::Size}, {}}, {"b", Quantity{100, "PB", Measure::Size}, {}}};
        std::vector<std::string> wrong;
        checkFields<MemoryConfig>(memoryFields(), config, [&](const std::string& key, const std::string& message, const std::string&) { wrong.push_back(key + ": " + message); });
        QCOMPARE(wrong, std::vector<std::string>{"resident[1].bytes: not a size"});
    }

    /// Every key of the sections network and compute: of every policy, every draw, every part.
    void everyKeyOfNetworkAndComputeIsReadAndWritten()
    {
        const auto inLines = [](const std::string& text) {
            const auto document = YamlDocument::parse(text, "made.yaml");
            return document ? renderYaml(document.value().root(), false) : document.error().text();
        };
        for (const std::string text : {"seed: 7\nrouting: {policy: ecmp, per: message}\nprotocols: [{preset: LL}]\nfaults: [{npu: 3, at: 1 us, failed: true}]\n"
                                       "jitter: {compute: {distribution: uniform, deviation: 0.5}, occupancy: {distribution: exponential, deviation: 1}}\n",
                                       "routing: {policy: dimension_order, order: [1, 0]}\njitter: {latency: {distribution: normal, deviation: 0.25}}\n",
                                       "routing: {policy: table, routes: [{from: a, to: b, via: [s]}, {from: b, to: a, links: [b>s, s>a]}], next_hops: [{to: b, link: a>s}]}\n"}) {
            NetworkConfig network;
            QCOMPARE(QString::fromStdString(readInto(network, text, networkFields())), QString());
            QCOMPARE(QString::fromStdString(renderYaml(fieldsTree(networkFields(), network), false)), QString::fromStdString(inLines(text)));
        }
        const std::string text = "efficiency: {interpolation: linear, operations: [{up_to: 1 GFLOP, share: 0.5}], bytes: [{share: 1}], kinds: [{name: a, bytes: [{share: 0.5}]}]}\n"
                                 "memory: {follow: false}\nslowdown: {sm_share: 0.1, bandwidth_share: 0, most_share: 0.5, reducer_loss: 0}\n";
        ComputeConfig compute;
        QCOMPARE(QString::fromStdString(readInto(compute, text, computeFields())), QString());
        QCOMPARE(QString::fromStdString(renderYaml(fieldsTree(computeFields(), compute), false)), QString::fromStdString(inLines(text)));
        for (const auto& [wrong, part] : {std::pair{"routing: {per: stream}\n", "policy"}, {"routing: {policy: spray, per: stream}\n", "made.routing.per"}, {"routing: {policy: table, routes: [{from: a, to: b}]}\n", "made.routing.routes[0]"},
                                          {"routing: {policy: table, next_hops: [{to: b}]}\n", "link"}, {"jitter: {latency: {distribution: normal}}\n", "deviation"}, {"protocol: LL\nprotocols: [LL]\n", "made.protocols"},
                                          {"faults: [{at: 1 us, failed: true}]\n", "made.faults[0]"}, {"jitter: {speed: {}}\n", "speed"}}) {
            NetworkConfig network;
            const std::string said = readInto(network, wrong, networkFields());
            QVERIFY2(said.find(part) != std::string::npos, (wrong + said).c_str());
        }
    }

    /// Every key of dimensions, nodes, NPUs and places of jobs.
    void everyKeyOfThePlatformIsReadAndWritten()
    {
        const auto again = [](const std::string& text, const auto& fields, auto config) {
            const std::string said = readInto(config, text, fields);
            return QString::fromStdString(said.empty() ? renderYaml(fieldsTree(fields, config), false) : said);
        };
        const auto inLines = [](const std::string& text) {
            const auto document = YamlDocument::parse(text, "made.yaml");
            return QString::fromStdString(document ? renderYaml(document.value().root(), false) : document.error().text());
        };
        for (const std::string text : {"shape: ring\nsize: 4\nbandwidth: 50 GB/s\nlatency: 500 ns\n", "shape: fully_connected\nsize: 8\nnpu_bandwidth: 450 GB/s\nlatency: 1 us\n",
                                       "shape: switch\nsize: 2\nbandwidth: 1 GB/s\nlatency: 0 ns\nin_network: {reduction: 1 GB/s, multicast: 2 GB/s, buffer: 1 MiB, latency: 200 ns}\n"})
            QCOMPARE(again(text, dimensionFields(false), Dimension{}), inLines(text));
        for (const std::string text : {"name: a\n", "name: s\nkind: switch\nin_network: {reduction: 1 GB/s, latency: 0 ns}\n", "name: m\nkind: memory\n"})
            QCOMPARE(again(text, nodeFields(), ExplicitNode{}), inLines(text));
        const std::string npu = "npu: 3\nspeed: 0.5\npeak: 900 TFLOP/s\nmemory_bandwidth: 3 TB/s\nmemory: 96 GiB\nremoved: true\n";
        QCOMPARE(again(npu, npuOverrideFields(), NpuOverride{}), inLines(npu));
        QCOMPARE(again("peak: 1 TFLOP/s\nmemory_bandwidth: 3 TB/s\nmemory: 96 GiB\n", npuFields(), NpuSpec{}), inLines("peak: 1 TFLOP/s\nmemory_bandwidth: 3 TB/s\nmemory: 96 GiB\n"));
        QCOMPARE(again("injection: 1 GB/s\nejection: 2 GB/s\n", budgetFields(), NpuSpec{}), inLines("injection: 1 GB/s\nejection: 2 GB/s\n"));
        const std::string jobs = "jobs: [{name: a, ranks: 4, first_node: 2, stride: 3}, {ranks: 1}, {name: b, nodes: [5, 3]}]\n";
        QCOMPARE(again(jobs, placementFields(), Design{}), inLines(jobs));
        QCOMPARE(again("jobs: [{ranks: 2, nodes: [5, 3]}]\n", placementFields(), Design{}), inLines("jobs: [{nodes: [5, 3]}]\n"));
        for (const auto& [wrong, part] : {std::pair{"shape: ring\nsize: 4\nlatency: 1 us\n", "no bandwidth is given"}, {"shape: ring\nsize: 4\nlatency: 1 us\nbandwidth: 1 GB/s\nnpu_bandwidth: 1 GB/s\n", "both"},
                                          {"shape: ring\nbandwidth: 1 GB/s\nlatency: 1 us\n", "\"size\" is missing"}, {"size: 4\nbandwidth: 1 GB/s\nlatency: 1 us\n", "\"shape\" is missing"},
                                          {"shape: ring\nsize: 4\nbandwidth: 1 GB/s\n", "\"latency\" is missing"}, {"shape: ring\nsize: 4\nbandwidth: 1 GB/s\nlatency: 1 us\nin_network: {}\n", "only switches"}}) {
            const QString said = again(wrong, dimensionFields(false), Dimension{});
            QVERIFY2(said.contains(QString::fromUtf8(part)) && said.contains(QStringLiteral("made")), qPrintable(said));
        }
        QCOMPARE(again("shape: ring\nbandwidth: 1 GB/s\nlatency: 1 us\n", dimensionFields(true), Dimension{}), inLines("shape: ring\nsize: 1\nbandwidth: 1 GB/s\nlatency: 1 us\n"));
        for (const auto& [wrong, part] : {std::pair{"jobs: [{name: a}]\n", "\"ranks\" is missing"}, {"jobs: [{ranks: 3, nodes: [1]}]\n", "made.jobs[0].ranks"}, {"jobs: [{stride: 3, nodes: [1]}]\n", "neither"}, {"{}\n", "\"jobs\" is missing"}})
            QVERIFY2(again(wrong, placementFields(), Design{}).contains(QString::fromUtf8(part)), wrong);
    }

    /// Every key of traces, collectives, groups and of every kind of step.
    void everyKeyOfAWorkloadIsReadAndWritten()
    {
        const auto again = [](const std::string& text, const auto& fields, auto config) {
            const std::string said = readInto(config, text, fields);
            return QString::fromStdString(said.empty() ? renderYaml(fieldsTree(fields, config), false) : said);
        };
        const auto inLines = [](const std::string& text) {
            const auto document = YamlDocument::parse(text, "made.yaml");
            return QString::fromStdString(document ? renderYaml(document.value().root(), false) : document.error().text());
        };
        for (const std::string text : {"trace: a/b\n", "trace: a/b\ncomm_groups: g.json\nctrl_deps: ignore\nbytes_per_element: 2\n"})
            QCOMPARE(again(text, traceFields(), TraceWorkload{}), inLines(text));
        QCOMPARE(again("collective: broadcast\nsize: 1 MiB\n", collectiveFields(), SingleCollective{}), inLines("collective: broadcast\nsize: 1 MiB\n"));
        const std::string steps = "groups: [{name: a, dimensions: [0, 1]}, {name: b, axes: [{size: 2, stride: 4}]}, {name: c, lists: [[0, 7], [3]]}]\n"
                                  "steps: [{compute: 1 us, operations: 1 GFLOP, bytes: 1 GB, name: x, output: 1 MiB, scratch: 2 MiB, ranks: 0-6, priority: -2}, {compute: 2 TFLOP, after: x, uses: x},\n"
                                  "  {collective: all_reduce, size: 1 MiB, group: a, after: []}, {send: 1 MiB, to: +4, tag: 5, after: [x, x]}, {receive: 1 MiB, from: -4}, {load: 1 B, gather: a}, {store: 2 B},\n"
                                  "  {repeat: 3, steps: [{compute: 1 us}, {repeat: 2, steps: [{store: 1 B}]}]}]\n";
        QCOMPARE(again(steps, stepsFields(), StepsWorkload{}), inLines(steps));
        for (const auto& [wrong, part] : {std::pair{"steps: [{name: a}]\n", "nothing says what this step does"}, {"steps: [{send: 1 B, load: 1 B}]\n", "more than one thing"}, {"steps: [{send: 1 B}]\n", "\"to\" is missing"},
                                          {"steps: [{send: 1 B, to: x}]\n", "made.steps[0].to"}, {"steps: [{compute: 1 GFLOP, operations: 1 GFLOP}]\n", "twice"}, {"steps: [{collective: reduce, size: 1 B}]\n", "collective"},
                                          {"steps: [{collective: all_reduce}]\n", "\"size\" is missing"}, {"steps: [{store: 1 B, gather: a}]\n", "gather"}, {"steps: [{repeat: 2}]\n", "\"steps\" is missing"},
                                          {"steps: [{repeat: 2, steps: [{load: 1 s}]}]\n", "made.steps[0].steps[0].load"}, {"groups: [{name: a}]\n", "made.groups[0]"}, {"groups: [{name: a, lists: [0]}]\n", "made.groups[0].lists[0]"}})
            QVERIFY2(again(wrong, stepsFields(), StepsWorkload{}).contains(QString::fromUtf8(part)), wrong);
        // The hash has the content of the files: their names are not in it, and what decides the result is, usual or not.
        QCOMPARE(QString::fromStdString(renderYaml(fieldsTree(traceFields(), TraceWorkload{"a/b", "g.json"}, {DesignForm::Canonical}), false)),
                 inLines("trace: files\ncomm_groups: file\nctrl_deps: auto\nbytes_per_element: 1\n"));
    }

    void everyKeyOfCollectivesIsReadAndWritten()
    {
        const auto inLines = [](const std::string& text) {
            const auto document = YamlDocument::parse(text, "made.yaml");
            return document ? renderYaml(document.value().root(), false) : document.error().text();
        };
        for (const std::string text : {"default: {algorithm: [ring, direct4], slots: 3, chunks: 2, window: 1}\nactive_chunks: 3\nqueues: 2\noptimization: localBWAware\n",
                                       "default: {program: a.xml, slots: protocol, chunks: 1}\n", "default: {algorithm: bruck, radix: 4, chunks: 5}\n",
                                       "default: {algorithm: auto, candidates: [{script: a.lua, parameters: {k: 2}}, {synthesis: {method: trees}}], chunks: 4}\n",
                                       "rules: [{op: all_gather, group: tp, min_size: 1 KiB, max_size: 2 KiB, node: [3, 4], algorithm: ring, chunks: 7, window: 2}, {group: '*', slots: 4}]\n"}) {
            CollectiveConfig config;
            QCOMPARE(QString::fromStdString(readInto(config, text, collectivesFields())), QString());
            QCOMPARE(QString::fromStdString(renderYaml(fieldsTree(collectivesFields(), config), false)), QString::fromStdString(inLines(text)));
        }
        // One node without its list; compared, what is usual is written, too.
        CollectiveConfig config;
        QCOMPARE(QString::fromStdString(readInto(config, "rules: [{node: 12}]\n", collectivesFields())), QString());
        QCOMPARE(config.rules.at(0).nodes, (std::vector<std::int64_t>{12}));
        QCOMPARE(QString::fromStdString(renderYaml(fieldsTree(collectivesFields(), CollectiveConfig{}, {DesignForm::Canonical}), false)),
                 QString::fromStdString(inLines("default: {algorithm: auto, chunks: 4, window: 0}\nactive_chunks: 1\nqueues: 1\noptimization: baseline\n")));
        QVERIFY(fieldsTree(collectivesFields(), CollectiveConfig{}).entries.empty());
        for (const auto& [wrong, place] : {std::pair{"default: {chunks: 0}\n", "made.default.chunks"}, {"rules: [{node: []}]\n", "made.rules[0].node"}, {"rules: [{node: [x]}]\n", "made.rules[0].node[0]"},
                                           {"rules: [{min_size: 1 ns}]\n", "made.rules[0].min_size"}, {"queues: 0\n", "made.queues"}, {"default: {windows: 1}\n", "made.default"}}) {
            CollectiveConfig read;
            const std::string said = readInto(read, wrong, collectivesFields());
            QVERIFY2(said.find(place) != std::string::npos, said.c_str());
        }
    }

    void everyKeyOfAModelIsReadAndWritten()
    {
        const auto again = [](const std::string& text, DesignForm form) {
            Design design;
            const std::string said = readInto(design, text, modelFields());
            std::string written;
            for (const YamlEntry& entry : fieldsTree(modelFields(), design, {form}).entries)
                written += entry.key + ": " + entry.value.text + '\n';
            return QString::fromStdString(said.empty() ? written : said);
        };
        const char* const whole = "name: flow\nversion: flow/1\nendpoint_delay: 2 us\nrendezvous: true\nroofline: false\n";
        QCOMPARE(again(whole, DesignForm::File), QString::fromUtf8(whole));
        QCOMPARE(again(whole, DesignForm::Canonical), QString::fromUtf8(whole));
        QCOMPARE(again("{}", DesignForm::File), QStringLiteral("name: links\n"));
        QCOMPARE(again("{}", DesignForm::Canonical), QStringLiteral("name: links\nversion: physical/2\nendpoint_delay: 0 ns\nrendezvous: false\nroofline: true\n"));
        for (const char* const key : {"name: links2\n", "rendezvous: perhaps\n", "endpoint_delay: 1 KiB\n", "roof: true\n"})
            QVERIFY2(again(key, DesignForm::File).contains(QStringLiteral("made")), key);
    }

    /// What stands beside other fabrics is in remarks.
    void theReferenceShowsEveryFieldOfALevel()
    {
        QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/reference.yaml"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
        int shown = 0;
        for (const SectionField<FabricJoin>& field : fabricLevelFields()) {
            if (field.text.empty())
                continue; // A number of a family: fabricscope-cli fabric says what it means.
            const QRegularExpression key(QStringLiteral("\\b%1:").arg(QString::fromStdString(field.key)));
            const bool found = std::any_of(lines.begin(), lines.end(), [&](const QString& line) { return line.contains(key) && line.endsWith(QStringLiteral("# ") + QString::fromStdString(field.text)); });
            QVERIFY2(found, field.key.c_str());
            ++shown;
        }
        QCOMPARE(shown, 13);
    }

    void everyKeyOfALevelIsReadAndWritten()
    {
        std::string text = "name: leaf\njoin: rails\ncount: 3\nradix: 64\nbandwidth: 50 GB/s\nlatency: 1 us\ncable: 5 m\noversubscription: 2:1\n";
        for (const SectionField<FabricJoin>& field : fabricLevelFields()) {
            if (text.find(field.key + ':') == std::string::npos && field.inner.empty())
                text += field.key + ": 7\n";
        }
        FabricJoin level;
        QCOMPARE(readInto(level, text, fabricLevelFields()), std::string());
        std::string written;
        for (const YamlEntry& entry : fieldsTree(fabricLevelFields(), level).entries)
            written += entry.key + ": " + entry.value.text + '\n';
        QCOMPARE(QString::fromStdString(written), QString::fromStdString(text));
        QVERIFY(fieldsTree(fabricLevelFields(), FabricJoin{}).entries.empty());
    }

    void whatCannotBeIsToldWithItsField()
    {
        Made made;
        for (const auto& [text, part] : {std::pair{"colour: blue\n", "colour"}, {"inside: {count: 10}\n", "made.inside.count"}, {"inside: {lost: 1}\n", "loss"}, {"inside: {loss: much}\n", "made.inside.loss"}}) {
            const std::string said = readInto(made, text, madeFields());
            QVERIFY2(said.find(part) != std::string::npos, said.c_str());
        }
        made = Made{Made::Colour::Red, 10, 1.5};
        std::vector<std::string> wrong;
        checkFields<Made>(madeFields(), made, [&](const std::string& key, const std::string& message, const std::string& expected) { wrong.push_back(key + ": " + message + ", " + expected); });
        QCOMPARE(wrong, (std::vector<std::string>{"inside.count: 10 is not possible here, 1 to 9", "inside.loss: not a share that leaves something, 0 or more and below 1"}));
    }

    /// Every key with its words stands in the example that `examples reference` prints, in its section.
    void theReferenceShowsEveryField_data()
    {
        QTest::addColumn<QString>("section");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("text");
        const auto rows = [](const char* section, const auto& fields, const auto& self) -> void {
            for (const auto& field : fields) {
                QTest::addRow("%s.%s", section, field.key.c_str()) << QString::fromUtf8(section) << QString::fromStdString(field.key) << QString::fromStdString(field.text);
                self(section, field.inner, self);
            }
        };
        rows("scheduling", schedulingFields(), rows);
        rows("platform.dimensions", dimensionFields(false), rows);
        rows("platform.dimensions", offloadFields(), rows);
        rows("platform.nodes", nodeFields(), rows);
        rows("platform.npu", npuFields(), rows);
        rows("platform.budgets", budgetFields(), rows);
        rows("platform.overrides.npus", npuOverrideFields(), rows);
        rows("platform.placement", placementFields(), rows);
        rows("platform.placement.jobs", placedJobFields(), rows);
        rows("workload", traceFields(), rows);
        rows("workload", stepsFields(), rows);
        rows("workload", collectiveFields(), rows);
        rows("workload.groups", groupFields(), rows);
        for (const auto& [key, kind] : kStepKinds)
            rows("workload.steps", stepFields(kind), rows);
        rows("collectives", collectivesFields(), rows);
        rows("collectives.default", settingFields(), rows);
        SectionFields<CollectiveRule> rules = ruleFields();
        std::erase_if(rules, [](const auto& field) { return std::ranges::any_of(settingFields(), [&](const auto& of) { return of.key == field.key; }); });
        rows("collectives.rules", rules, rows); // All keys of the default may stand there, too.
        rows("model", modelFields(), rows);
        rows("network", networkFields(), rows);
        rows("network.routing", routingFields(), rows);
        rows("compute", computeFields(), rows);
        rows("compute.slowdown", slowdownFields(), rows);
        rows("compute.memory", memoryFields(), rows);
        rows("compute.memory.resident", residentFields(), rows);
        rows("compute.efficiency.kinds", kindFields(), rows);
        rows("compute.efficiency.operations", pointFields(Measure::Operations), rows);
        rows("compute.efficiency.bytes", pointFields(Measure::Size), rows);
        rows("network.protocols", protocolFields(), rows);
        rows("network.faults", faultFields(), rows);
    }
    void theReferenceShowsEveryField()
    {
        QFETCH(const QString, section);
        QFETCH(const QString, key);
        QFETCH(const QString, text);
        QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/reference.yaml"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
        qsizetype line = 0;
        static const QRegularExpression before(QStringLiteral("^[ #]*(- )?")); // What stands in a remark is shown, too.
        const auto indent = [](const QString& of) { return before.match(of).capturedLength(); };
        for (const QString& part : section.split(QLatin1Char('.'))) {
            const bool outermost = line == 0;
            while (line < lines.size() && (!lines[line].mid(indent(lines[line])).startsWith(part + QLatin1Char(':')) || (outermost && indent(lines[line]) > 0)))
                ++line;
        }
        QVERIFY2(line < lines.size(), "no such section");
        const qsizetype outer = indent(lines[line]);
        const auto shown = [&](const QString& in) { return in.contains(QRegularExpression(QStringLiteral("\\b%1:").arg(key))) && in.contains(text); };
        bool found = shown(lines[line]); // A list may stand in its line.
        for (++line; line < lines.size() && !lines[line].trimmed().isEmpty() && indent(lines[line]) > outer; ++line)
            found |= shown(lines[line]);
        QVERIFY2(found, "not with these words in its section");
    }
};

FABRICSCOPE_TEST(SectionFieldsTest)
#include "tst_section_fields.moc"
