// What a section says of its fields once is what it reads, writes, checks and what the reference shows.
#include "core/design/computeconfig.h"
#include "core/design/file/costsection.h"
#include "core/design/file/graphsection.h"
#include "core/design/file/overridesection.h"
#include "core/design/file/plansection.h"
#include "core/design/file/searchsection.h"
#include "core/design/file/sectionfields.h"
#include "core/design/networkconfig.h"
#include "core/design/schedulingconfig.h"
#include "core/formats/linkcompletion.h"
#include "core/plan/planspec.h"
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

/// A text read and written again, or what is wrong with it.
template <class Config>
QString again(const std::string& text, const SectionFields<Config>& fields, Config config)
{
    const std::string said = readInto(config, text, fields);
    return QString::fromStdString(said.empty() ? renderYaml(fieldsTree(fields, config), false) : said);
}

/// The text itself, as trees are written.
QString inLines(const std::string& text)
{
    const auto document = YamlDocument::parse(text, "made.yaml");
    return QString::fromStdString(document ? renderYaml(document.value().root(), false) : document.error().text());
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
        for (const std::string text : {"seed: 7\nrouting: {policy: ecmp, per: message}\nprotocols: [{preset: LL}]\nfaults: [{npu: 3, at: 1 us, failed: true}]\n"
                                       "jitter: {compute: {distribution: uniform, deviation: 0.5}, occupancy: {distribution: exponential, deviation: 1}}\n",
                                       "routing: {policy: dimension_order, order: [1, 0]}\njitter: {latency: {distribution: normal, deviation: 0.25}}\n",
                                       "routing: {policy: table, routes: [{from: a, to: b, via: [s]}, {from: b, to: a, links: [b>s, s>a]}], next_hops: [{to: b, link: a>s}]}\n"}) {
            NetworkConfig network;
            QCOMPARE(QString::fromStdString(readInto(network, text, networkFields())), QString());
            QCOMPARE(QString::fromStdString(renderYaml(fieldsTree(networkFields(), network), false)), inLines(text));
        }
        const std::string text = "efficiency: {interpolation: linear, operations: [{up_to: 1 GFLOP, share: 0.5}], bytes: [{share: 1}], kinds: [{name: a, bytes: [{share: 0.5}]}]}\n"
                                 "kernels: {machine: h100-fsdp, start: 3 us, share: 0.7, attention_share: 0.5, memory_share: 0.85, traffic: 2.5, units: 132, fp8_peak: 1979 TFLOP/s, fp32_peak: 67 TFLOP/s, layer: 1 ms}\n"
                                 "memory: {follow: false}\nslowdown: {sm_share: 0.1, bandwidth_share: 0, most_share: 0.5, reducer_loss: 0}\n";
        ComputeConfig compute;
        QCOMPARE(QString::fromStdString(readInto(compute, text, computeFields())), QString());
        QCOMPARE(QString::fromStdString(renderYaml(fieldsTree(computeFields(), compute), false)), inLines(text));
        for (const auto& [wrong, part] : {std::pair{"routing: {per: stream}\n", "policy"}, {"routing: {policy: spray, per: stream}\n", "made.routing.per"}, {"routing: {policy: table, routes: [{from: a, to: b}]}\n", "made.routing.routes[0]"},
                                          {"routing: {policy: table, next_hops: [{to: b}]}\n", "link"}, {"jitter: {latency: {distribution: normal}}\n", "deviation"}, {"protocol: LL\nprotocols: [LL]\n", "made.protocols"},
                                          {"faults: [{at: 1 us, failed: true}]\n", "made.faults[0]"}, {"jitter: {speed: {}}\n", "speed"}}) {
            NetworkConfig network;
            const std::string said = readInto(network, wrong, networkFields());
            QVERIFY2(said.find(part) != std::string::npos, (wrong + said).c_str());
        }
    }

    void everyKeyOfCostsIsReadAndWritten()
    {
        const std::string text = "host: {price: 310000, power: 10200, mtbf: 126391, source: quote}\nnpu: {price: 27500}\nswitch: {power: 747}\ncable: {mtbf: 600500}\ncables: plain\nlength: 20\nfacility: 50000\npue: 1.25\n"
                                 "electricity: 0.08\nlife: 4\nrepair: 0.02\nsoftware_mtbf: 20.57\nreroute: true\n"
                                 "checkpoint: {time: 60 s, restart: 600 s, interval: 1200 s}\n";
        CostConfig costs;
        QCOMPARE(QString::fromStdString(readInto(costs, text, costFields())), QString());
        QCOMPARE(QString::fromStdString(renderYaml(fieldsTree(costFields(), costs), false)), inLines(text));
        QVERIFY(fieldsTree(costFields(), CostConfig{}).entries.empty());
        for (const auto& [wrong, part] : {std::pair{"host: {price: -1}\n", "made.host.price"}, {"pue: 0.9\n", "made.pue"}, {"pue: 11\n", "made.pue"}, {"switch: {watts: 3}\n", "power"}, {"cables: long\n", "by_length"},
                                          {"checkpoint: {time: 60}\n", "made.checkpoint.time"}, {"life: 0\n", "made.life"}, {"reroute: perhaps\n", "made.reroute"}}) {
            CostConfig read;
            const std::string said = readInto(read, wrong, costFields());
            QVERIFY2(said.find(part) != std::string::npos, (wrong + said).c_str());
        }
    }

    /// Every key of dimensions, nodes, NPUs and places of jobs.
    void everyKeyOfThePlatformIsReadAndWritten()
    {
        for (const std::string text : {"shape: ring\nsize: 4\nbandwidth: 50 GB/s\nlatency: 500 ns\n", "shape: fully_connected\nsize: 8\nnpu_bandwidth: 450 GB/s\nlatency: 1 us\n",
                                       "shape: switch\nsize: 2\nbandwidth: 1 GB/s\nlatency: 0 ns\nin_network: {reduction: 1 GB/s, multicast: 2 GB/s, buffer: 1 MiB, latency: 200 ns}\n",
                                       "shape: switch\nsize: 2\nbandwidth: 1 GB/s\nlatency: 0 ns\ncrossbar: 51.2 Tbit/s\n"})
            QCOMPARE(again(text, dimensionFields(false), Dimension{}), inLines(text));
        for (const std::string text : {"name: a\n", "name: s\nkind: switch\nin_network: {reduction: 1 GB/s, latency: 0 ns}\n", "name: t\nkind: switch\ncrossbar: 51.2 Tbit/s\n", "name: m\nkind: memory\n"})
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

    void everyKeyOfLinksIsReadAndWritten()
    {
        for (const std::string text : {"between: [a, b]\nbandwidth: 1 GB/s\nlatency: 1 us\n", "from: a\nto: b\nbandwidth: 1 GB/s\nlatency: 1 us\n"})
            QCOMPARE(again(text, linkFields(), ListedLink{}), inLines(text));
        for (const auto& [wrong, part] : {std::pair{"bandwidth: 1 GB/s\nlatency: 1 us\n", "the ends of the link are not clear"}, {"between: [a, b]\nto: b\nbandwidth: 1 GB/s\nlatency: 1 us\n", "the ends of the link are not clear"},
                                          {"between: [a]\nbandwidth: 1 GB/s\nlatency: 1 us\n", "two ends"}, {"between: [a, {b: c}]\nbandwidth: 1 GB/s\nlatency: 1 us\n", "made.between[1]"}, {"from: a\nbandwidth: 1 GB/s\nlatency: 1 us\n", "\"to\" is missing"},
                                          {"between: [a, b]\nlatency: 1 us\n", "\"bandwidth\" is missing"}, {"between: [a, b]\nbandwidth: 1 us\nlatency: 1 us\n", "made.bandwidth"}})
            QVERIFY2(again(wrong, linkFields(), ListedLink{}).contains(QString::fromUtf8(part)), wrong);
        for (const std::string text : {"link: a<>b\nbandwidth: 1 GB/s\nlatency: 1 us\nremoved: true\n", "link: d0 0>1\n"})
            QCOMPARE(again(text, linkOverrideFields(), NamedLinkChange{}), inLines(text));
        for (const auto& [wrong, part] : {std::pair{"removed: true\n", "\"link\" is missing"}, {"link: a>b\nremoved: perhaps\n", "made.removed"}, {"link: a>b\nspeed: 2\n", "speed"}})
            QVERIFY2(again(wrong, linkOverrideFields(), NamedLinkChange{}).contains(QString::fromUtf8(part)), wrong);
        const std::string figures = "bandwidth: 1 GB/s\nlatency: 1 us\nbytes_per_transfer: 1.97\n";
        QCOMPARE(again(figures, linkFigureFields(), LinkCompletion{}), inLines(figures));
        QVERIFY(again("bytes_per_transfer: 0\n", linkFigureFields(), LinkCompletion{}).contains(QStringLiteral("made.bytes_per_transfer")));
    }

    void everyKeyOfRemoteMemoryIsReadAndWritten()
    {
        for (const std::string text : {"kind: per_node\nlatency: 7 ns\nbandwidth: 25 GB/s\nnodes: 2\nnpus_per_node: 4\n", "kind: pool\nlatency: 0 ns\nbandwidth: 1 GB/s\n"})
            QCOMPARE(again(text, remoteMemoryFields(), RemoteMemory{}), inLines(text));
        const std::string stages = "kind: hierarchical\nnpus_per_node: 4\nin_node: {count: 2, bandwidth: 1 GB/s, latency: 1 ns}\nout_node: {count: 3, bandwidth: 2 GB/s, latency: 2 ns}\n"
                                   "groups: {count: 4, bandwidth: 3 GB/s, latency: 3 ns}\nspread: home\n";
        for (const std::string& text : {stages, stages + "piece: 256 KiB\n"})
            QCOMPARE(again(text, memoryPoolFields(), RemoteMemory{}), inLines(text));
        for (const auto& [wrong, part] : {std::pair{"latency: 1 us\nbandwidth: 1 GB/s\n", "\"kind\" is missing"}, {"kind: per_npu\nlatency: 1500 ps\n", "a whole number of nanoseconds"}, {"kind: pool\nbandwidth: 0.5 GB/s\n", "a whole number of GB/s"},
                                          {"kind: pool\nnodes: 0\n", "made.nodes"}, {"kind: swap\n", "unknown value"}})
            QVERIFY2(again(wrong, remoteMemoryFields(), RemoteMemory{}).contains(QString::fromUtf8(part)), wrong);
        // What a file may say and yet cannot be is told by the check of the same row.
        std::vector<std::string> told;
        const auto check = [&told](const char* changed) {
            RemoteMemory memory;
            readInto(memory, "kind: hierarchical\nnpus_per_node: 4\nin_node: {bandwidth: 1 GB/s}\nout_node: {bandwidth: 1 GB/s}\ngroups: {bandwidth: 1 GB/s}\n", memoryPoolFields());
            std::string_view(changed) == "npus" ? void(memory.npusPerNode = 0) : void(memory.pool->groups.latency.value = -1);
            checkFields<RemoteMemory>(memoryPoolFields(), memory, [&](const std::string& key, const std::string&, const std::string&) { told.push_back(key); });
        };
        check("npus");
        check("groups");
        QCOMPARE(told, (std::vector<std::string>{"npus_per_node", "groups.latency"}));
    }

    /// Every key of traces, collectives, groups and of every kind of step.
    void everyKeyOfAWorkloadIsReadAndWritten()
    {
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

    /// With every key, and as little as possible.
    void everyKeyOfAPlanIsReadAndWritten()
    {
        const std::string whole = "mesh: {axes: [d, p, t, c], shape: [2, 2, 2, 1], order: [c, d, p, t], device_order: [7, 6, 5, 4, 3, 2, 1, 0]}\n"
                                  "data: {axis: d, zero: 3, bucket_mb: 12.5, overlap: false, unit: 2, prefetch: 3, reshard: false, shard: 2}\n"
                                  "tensor: {axis: t, sequence_parallel: true, vocabulary_parallel: false}\n"
                                  "pipeline: {axis: p, schedule: interleaved, virtual: 3, micro_batches: 8, send: 1 MiB,\n"
                                  "  times: [{forward: 1 ms, backward: 2 ms}, {forward: 1 ms, backward: 1 ms, weight: 1 ms, together: 3 ms}], layers: [1, 2]}\n"
                                  "expert: {axis: e, inside: d, degree: 2, dispatch: dropless, imbalance: 1.25}\ncontext: {axis: c, kind: ulysses}\nrecompute: full\nframework: 2 GiB\n";
        for (const std::string& text : {whole, std::string("mesh: {axes: [dp], shape: [8], order: column_major}\n"), std::string("mesh: {axes: [dp], shape: [8]}\ndata: {}\ntensor: {}\npipeline: {}\nexpert: {}\ncontext: {}\nrecompute: selective\n")})
            QCOMPARE(again(text, planFields(), PlanSpec{}), inLines(text));
        constexpr const char* kMesh = "mesh: {axes: [a], shape: [1]}\n";
        PlanSpec plan;
        QCOMPARE(readInto(plan, whole, planFields()), std::string());
        QVERIFY(plan.pipeline->schedule == PipelineSchedule::Interleaved && plan.pipeline->times.size() == 2 && plan.data->bucketMb == 12.5 && plan.mesh.slowestFirst.front() == "c");
        for (const auto& [wrong, part] : {std::pair{"{}\n", "\"mesh\" is missing"}, {"mesh: {axes: [a]}\n", "\"shape\" is missing"}, {"mesh: {axes: [a], shape: [0]}\n", "made.mesh.shape[0]"}, {"mesh: {axes: [a], shape: [1], order: rows}\n", "made.mesh.order"},
                                          {"data: {zero: 4}\n", "made.data.zero"}, {"data: {bucket_mb: -1}\n", "made.data.bucket_mb"}, {"pipeline: {schedule: 2f2b}\n", "made.pipeline.schedule"}, {"pipeline: {times: [{forward: 1 ms}]}\n", "\"backward\" is missing"},
                                          {"pipeline: {send: 1 ms}\n", "made.pipeline.send"}, {"expert: {dispatch: mask}\n", "made.expert.dispatch"}, {"recompute: some\n", "made.recompute"}, {"tensors: {}\n", "tensors"}})
            QVERIFY2(again(std::string(wrong).find("mesh") == 0 || wrong[0] == '{' ? wrong : std::string(kMesh) + wrong, planFields(), PlanSpec{}).contains(QString::fromUtf8(part)), wrong);
        plan.data->bucketMb = 0;
        plan.expert->imbalance = 0.5;
        std::vector<std::string> told;
        checkFields<PlanSpec>(planFields(), plan, [&](const std::string& key, const std::string&, const std::string&) { told.push_back(key); });
        QCOMPARE(told, (std::vector<std::string>{"data.bucket_mb", "expert.imbalance"}));
    }

    void everyKeyOfCollectivesIsReadAndWritten()
    {
        for (const std::string text : {"default: {algorithm: [ring, direct4], slots: 3, chunks: 2, window: 1}\nactive_chunks: 3\nqueues: 2\noptimization: localBWAware\n",
                                       "default: {program: a.xml, slots: protocol, chunks: 1}\n", "default: {algorithm: bruck, radix: 4, chunks: 5}\n",
                                       "default: {algorithm: auto, candidates: [{script: a.lua, parameters: {k: 2}}, {synthesis: {method: trees}}], chunks: 4}\n",
                                       "default: {algorithm: auto, candidates: [{algorithm: k_nomial, radix: 4}, {program: a.xml}, {algorithm: swing}], chunks: 4}\n",
                                       "default: {script: a.lua, parameters: {k: 2}, slots: 3, chunks: 1}\n", "rules: [{op: all_reduce, group: '*', slots: 2}, {group: '*', program: a.xml, chunks: 2}]\n",
                                       "rules: [{op: all_gather, group: tp, min_size: 1 KiB, max_size: 2 KiB, node: [3, 4], algorithm: ring, chunks: 7, window: 2}, {group: '*', slots: 4}]\n"}) {
            CollectiveConfig config;
            QCOMPARE(QString::fromStdString(readInto(config, text, collectivesFields())), QString());
            QCOMPARE(QString::fromStdString(renderYaml(fieldsTree(collectivesFields(), config), false)), inLines(text));
        }
        // One node without its list; compared, what is usual is written, too.
        CollectiveConfig config;
        QCOMPARE(QString::fromStdString(readInto(config, "rules: [{node: 12}]\n", collectivesFields())), QString());
        QCOMPARE(config.rules.at(0).nodes, (std::vector<std::int64_t>{12}));
        QCOMPARE(QString::fromStdString(renderYaml(fieldsTree(collectivesFields(), CollectiveConfig{}, {DesignForm::Canonical}), false)),
                 inLines("default: {algorithm: auto, chunks: 4, window: 0}\nactive_chunks: 1\nqueues: 1\noptimization: baseline\n"));
        QVERIFY(fieldsTree(collectivesFields(), CollectiveConfig{}).entries.empty());
        for (const auto& [wrong, place] : {std::pair{"default: {chunks: 0}\n", "made.default.chunks"}, {"rules: [{node: []}]\n", "made.rules[0].node"}, {"rules: [{node: [x]}]\n", "made.rules[0].node[0]"},
                                           {"rules: [{min_size: 1 ns}]\n", "made.rules[0].min_size"},
                                           {"default: {program: a.xml, script: b.lua}\n", "made.default.program"}, {"default: {program: a.xml, radix: 3}\n", "made.default.radix"},
                                           {"default: {algorithm: auto, candidates: [{program: a.xml, radix: 3}]}\n", "made.default.candidates[0].radix"},
                                           {"default: {algorithm: auto, candidates: [{algorithm: swing, radix: 3}]}\n", "made.default.candidates[0].radix"},
                                           {"default: {algorithm: auto, candidates: [{slots: 3}]}\n", "made.default.candidates[0].slots"},
                                           {"default: {algorithm: auto, candidates: [{program: a.xml, script: b.lua}]}\n", "made.default.candidates[0]"}, {"queues: 0\n", "made.queues"}, {"default: {windows: 1}\n", "made.default"}}) {
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
        QCOMPARE(again("{}", DesignForm::Canonical), QStringLiteral("name: links\nversion: physical/4\nendpoint_delay: 0 ns\nrendezvous: false\nroofline: true\n"));
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
        QCOMPARE(shown, 14);
    }

    void everyKeyOfALevelIsReadAndWritten()
    {
        std::string text = "name: leaf\njoin: rails\ncount: 3\nradix: 64\ncrossbar: 51.2 Tbit/s\nbandwidth: 50 GB/s\nlatency: 1 us\ncable: 5 m\noversubscription: 2:1\n";
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

    void theReferenceShowsEverySection()
    {
        QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/reference.yaml"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
        for (const auto& field : designFields()) {
            const bool found = std::any_of(lines.begin(), lines.end(), [&](const QString& line) {
                return line.startsWith(QString::fromStdString(field.key) + QLatin1Char(':')) && line.contains(QString::fromStdString(field.text));
            });
            QVERIFY2(found, field.key.c_str());
        }
        QCOMPARE(designFields().size(), std::size_t{13});
    }

    void aSynthesisSaysItsSeedWhereOneIsUsed()
    {
        for (const char* text : {"method: greedy\nseed: 7\ntries: 3\npieces: 2\n", "method: trees\n", "method: trees\npieces: 4\n"})
            QCOMPARE(again(text, synthesisFields(), ProgramSource{}), inLines(text));
        for (const auto& [wrong, part] : {std::pair{"method: trees\nseed: 7\n", "seed is not used by trees"}, {"method: greedy\ntries: 0\n", "made.tries"}, {"method: lucky\n", "unknown value"}, {"seeds: 1\n", "unknown key"}})
            QVERIFY2(again(wrong, synthesisFields(), ProgramSource{}).contains(QString::fromUtf8(part)), wrong);
        ProgramSource made{ProgramSource::Kind::Synthesis, "trees", {}, 2, 1, 8, 1};
        QCOMPARE(QString::fromStdString(renderYaml(fieldsTree(synthesisFields(), made, {DesignForm::Canonical}), false)), inLines("method: trees\nseed: 1\ntries: 8\npieces: 1\n"));
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
        rows("platform", platformFields(), rows);
        rows("platform.fabric", fabricFormFields(), rows);
        rows("platform.remote_memory", memoryFileFields(), rows);
        rows("collectives", systemFields(), rows);
        rows("collectives.default", synthesisFields(), rows);
        auto candidates = candidateFields();
        std::erase_if(candidates, [](const auto& field) { return field.key == "synthesis"; }); // Of the default, in the lines above.
        rows("collectives.default.candidates", candidates, rows);
        rows("scheduling", schedulingFields(), rows);
        rows("platform.dimensions", dimensionFields(false), rows);
        rows("platform.dimensions", offloadFields(), rows);
        rows("platform.nodes", nodeFields(), rows);
        rows("platform.links", linkFields(), rows);
        rows("platform.copies", copiesFields(), rows);
        rows("platform.link_figures", linkFigureFields(), rows);
        rows("platform.npu", npuFields(), rows);
        rows("platform.budgets", budgetFields(), rows);
        rows("platform.overrides.npus", npuOverrideFields(), rows);
        rows("platform.overrides.links", linkOverrideFields(), rows);
        rows("platform.remote_memory", remoteMemoryFields(), rows);
        SectionFields<RemoteMemory> pool = memoryPoolFields();
        std::erase_if(pool, [](const auto& field) { return field.key == "kind"; }); // Its words are those above.
        rows("platform.remote_memory", pool, rows);
        rows("platform.remote_memory.in_node", poolStageFields(), rows);
        rows("platform.placement", placementFields(), rows);
        rows("platform.placement.jobs", placedJobFields(), rows);
        rows("workload", traceFields(), rows);
        rows("workload", stepsFields(), rows);
        rows("workload", collectiveFields(), rows);
        rows("workload.plan", planFields(), rows);
        rows("workload.plan.mesh", planMeshFields(), rows);
        rows("workload.plan.data", dataPlanFields(), rows);
        rows("workload.plan.tensor", tensorPlanFields(), rows);
        rows("workload.plan.pipeline", pipelinePlanFields(), rows);
        rows("workload.plan.pipeline", stageTimesFields(), rows);
        rows("workload.plan.expert", expertPlanFields(), rows);
        rows("workload.plan.context", contextPlanFields(), rows);
        rows("workload.plan.inference", inferencePlanFields(), rows);
        rows("search", planSearchFields(), rows);
        rows("search.fixed", fixedPlanFields(), rows);
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
        rows("compute.kernels", kernelFields(), rows);
        rows("compute.slowdown", slowdownFields(), rows);
        rows("accuracy", accuracyFields(), rows);
        rows("compute.memory", memoryFields(), rows);
        rows("compute.memory.resident", residentFields(), rows);
        rows("compute.efficiency.kinds", kindFields(), rows);
        rows("compute.efficiency.operations", pointFields(Measure::Operations), rows);
        rows("compute.efficiency.bytes", pointFields(Measure::Size), rows);
        rows("network.protocols", protocolFields(), rows);
        rows("network.faults", faultFields(), rows);
        rows("costs", costFields(), rows);
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
