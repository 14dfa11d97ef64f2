// InfraGraph documents: the corpus with its published counts and digests, the strict rules broken one by one, writing and reading back.
#include "core/formats/infragraph/expandinstances.h"
#include "core/formats/infragraph/infragraph.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/infratext.h"
#include "tests/unit/support/testprogram.h"

#include <QCryptographicHash>
#include <QtTest/QtTest>

#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// One row of the tables in the README of the corpus.
struct Listed {
    const char* file;
    int devices;
    int instances; ///< Copies of all instances.
    int rules;
    int nodes;
    int edges;
    int between;   ///< Edges between instances.
    int parts;
    int degree;
    const char* digest;
};

constexpr Listed kListed[] = {
    {"clos_fat_tree_2tier_r16_dgx_h100.yaml", 2, 40, 281, 936, 1632, 256, 1, 16, "200e2a2c764f8278945018140d5c834ba72baab9abd7e0b625d4eddadd6841da"},
    {"clos_fat_tree_3tier_r4_server.json", 2, 28, 55, 164, 192, 48, 1, 5, "3c829a1f03ef6203290276242ae951602e6dd7b1154f6421a4f0ec83fff29c56"},
    {"closfabric.yaml", 2, 11, 23, 151, 164, 20, 1, 16, "fef23df18b9aff6a9b56e627072e83fc0a08bc810f76272bad106086c630b08b"},
    {"dgx2h_lstopo.yaml", 1, 1, 180, 181, 180, 0, 1, 7, "85b32244bcf77115cead2fbe4ff70e11fa480c159e6d8eead5228074f8489e9f"},
    {"dgx_a100_nccl_annotated.json", 1, 1, 111, 74, 125, 0, 1, 8, "bdefce5b182eb14901aa75119d0d23392303657f1668133c362fe0cab53ec447"},
    {"dgx_cx5_qsfp_composed.yaml", 3, 1, 22, 65, 94, 0, 1, 9, "cffb004af8c80550c673f4ce62ae4e5c3b7b0712431342fac46a0e57618c2b47"},
    {"dgx_h100_device_only.yaml", 1, 1, 24, 33, 62, 0, 1, 9, "1058b11ca04311a2fe08f3e0215169fa53457fe6e25a6c2bcdff6f1cca2af1df"},
    {"dragonfly_a4p2h2_server.yaml", 2, 72, 169, 900, 1026, 162, 1, 16, "333d3824ddef934b155c2a46a68aee6682c5114878526d3354cbc558e1c4271c"},
    {"handwritten_slices_units.yaml", 2, 4, 9, 60, 66, 4, 1, 5, "41c0eec3a743ffa28abfb0fa3e4ce35e5645b1cd376c4f2e443eb99dcaf861c8"},
    {"ironwood_rack_4x4x4.yaml", 1, 1, 288, 128, 288, 0, 1, 7, "cb9589ee6d5fd5e6636d7d7d3039bfee7d8204b68ebbc62ffba8cdfbef2f7617"},
    {"two_dgx1_no_fabric.yaml", 1, 2, 23, 44, 74, 0, 2, 5, "698cb8061d1c985e842d037fd30b5aee9ae10d0edf5817d42589a15c17786895"},
};

std::string contentOf(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::string sha256(const std::string& text)
{
    return QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha256).toHex().toStdString();
}

std::string said(const Diagnostics& diagnostics)
{
    std::string out;
    for (const Diagnostic& found : diagnostics)
        out += found.text() + '\n';
    return out;
}

InfraDocument documentOf(const std::string& text)
{
    const InfraReading reading = inspectInfraGraph(text, "g.yaml");
    if (!reading.sound)
        qFatal("%s", said(reading.diagnostics).c_str());
    return reading.document;
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        qFatal("the text has no \"%s\"", from.c_str());
    return text.replace(at, from.size(), to);
}

/// A sound document that uses every kind of member.
const char* const kSound = "name: pair\n"
                           "devices:\n"
                           "- name: box\n"
                           "  components:\n"
                           "  - {name: gpu, count: 6, choice: xpu}\n"
                           "  - {name: card, count: 2, choice: device}\n"
                           "  - {name: slot, count: 2, choice: custom, custom: {type: slot}}\n"
                           "  links:\n"
                           "  - {name: up, physical: {bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 25}, latency: {choice: ns, ns: 500}}}\n"
                           "  edges:\n"
                           "  - {ep1: {component: 'gpu[0:6:3]'}, ep2: {component: slot}, scheme: one2one, link: up}\n"
                           "  - {ep1: {device: 'card[:]', component: 'port[0]'}, ep2: {component: 'slot[0:2]'}, scheme: one2one, link: up}\n"
                           "- name: card\n"
                           "  components:\n"
                           "  - {name: asic, count: 1, choice: cpu}\n"
                           "  - {name: port, count: 2, choice: port}\n"
                           "  links:\n"
                           "  - {name: wire, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 100}}}\n"
                           "  edges:\n"
                           "  - {ep1: {component: asic}, ep2: {component: port}, scheme: many2many, link: wire}\n"
                           "links:\n"
                           "- {name: eth, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 400}}}\n"
                           "instances:\n"
                           "- {name: host, device: box, count: 2}\n"
                           "edges:\n"
                           "- {ep1: {instance: 'host[0]', component: 'card[0:2].port[1]'}, ep2: {instance: 'host[1]', component: 'card.port[1]'}, scheme: one2one, link: eth}\n";

/// The edges of one device with `gpu` x 6 and `nic` x 3 under one rule, as "0-1 2-3".
std::string pairs(const std::string& rule)
{
    const InfraDocument document = documentOf("devices:\n- name: d\n  components: [{name: gpu, count: 6, choice: xpu}, {name: nic, count: 3, choice: nic}]\n"
                                              "  links: [{name: l}]\n  edges:\n  - {" + rule + ", link: l}\ninstances: [{name: d, device: d, count: 1}]\n");
    const auto graph = expandInfraGraph(document);
    std::string out;
    for (const InfraEdge& edge : graph.value().edges())
        out += (out.empty() ? "" : " ") + graph.value().leaf(edge.a).path + '-' + graph.value().leaf(edge.b).path;
    return out;
}

} // namespace

class InfraGraphTest : public QObject {
    Q_OBJECT

private slots:
    void theCorpusExpandsToTheListedCountsAndDigests_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < std::size(kListed); ++i)
            QTest::newRow(kListed[i].file) << static_cast<int>(i);
    }
    void theCorpusExpandsToTheListedCountsAndDigests()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(int, index);
        const Listed& listed = kListed[index];
        const std::string path = shared + "/corpus/infragraph/" + listed.file;

        const InfraReading reading = inspectInfraGraph(contentOf(path), path);

        QVERIFY2(reading.sound, said(reading.diagnostics).c_str());
        const InfraDocument& document = reading.document;
        QCOMPARE(static_cast<int>(document.devices.size()), listed.devices);
        int instances = 0;
        for (const InfraInstance& instance : document.instances)
            instances += instance.count;
        QCOMPARE(instances, listed.instances);
        std::size_t rules = document.rules.size();
        for (const InfraDevice& device : document.devices)
            rules += device.rules.size();
        QCOMPARE(static_cast<int>(rules), listed.rules);

        const auto expanded = expandInfraGraph(document);
        QVERIFY2(bool(expanded), expanded ? "" : expanded.error().text().c_str());
        const InfraExpansion& graph = expanded.value();
        QCOMPARE(graph.nodeCount(), listed.nodes);
        QCOMPARE(static_cast<int>(graph.edges().size()), listed.edges);
        QCOMPARE(static_cast<int>(std::count_if(graph.edges().begin(), graph.edges().end(), [](const InfraEdge& edge) { return edge.instanceRule >= 0; })), listed.between);
        std::vector<int> degree(static_cast<std::size_t>(graph.nodeCount()), 0);
        std::vector<int> label(degree.size());
        std::iota(label.begin(), label.end(), 0);
        for (const InfraEdge& edge : graph.edges()) {
            ++degree[static_cast<std::size_t>(edge.a)];
            ++degree[static_cast<std::size_t>(edge.b)];
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (const InfraEdge& edge : graph.edges()) {
                int& a = label[static_cast<std::size_t>(edge.a)];
                int& b = label[static_cast<std::size_t>(edge.b)];
                changed = changed || a != b;
                a = b = std::min(a, b);
            }
        }
        QCOMPARE(static_cast<int>(std::set<int>(label.begin(), label.end()).size()), listed.parts);
        QCOMPARE(*std::max_element(degree.begin(), degree.end()), listed.degree);
        QCOMPARE(QString::fromStdString(sha256(canonicalText(graph))), QString(listed.digest));
        for (int node = 0; node < graph.nodeCount(); ++node)
            QCOMPARE(graph.find(graph.name(node)), node);
    }

    void writingAndReadingBackKeepsTheExpansion_data() { theCorpusExpandsToTheListedCountsAndDigests_data(); }
    void writingAndReadingBackKeepsTheExpansion()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(int, index);
        Diagnostics diagnostics;
        const auto first = loadInfraGraph(shared + "/corpus/infragraph/" + kListed[index].file, diagnostics);
        const std::string written = writeInfraGraph(first.value());

        const InfraReading again = inspectInfraGraph(written, "written.yaml");

        QVERIFY2(again.sound, said(again.diagnostics).c_str());
        QCOMPARE(QString::fromStdString(sha256(canonicalText(expandInfraGraph(again.document).value()))), QString(kListed[index].digest));
        QCOMPARE(writeInfraGraph(again.document), written);
        QCOMPARE(again.document.nodeAnnotations.size(), first.value().nodeAnnotations.size());
    }

    void numbersAndUnitsStayAsWritten()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        Diagnostics diagnostics;
        const auto document = loadInfraGraph(shared + "/corpus/infragraph/handwritten_slices_units.yaml", diagnostics);

        const auto graph = expandInfraGraph(document.value());

        // The README: edges by link with bandwidth and latency.
        std::map<std::string, int> counts;
        for (const InfraEdge& edge : graph.value().edges()) {
            const auto& links = graph.value().links();
            const std::string rate = edge.bandwidth < 0 ? "-" : links[static_cast<std::size_t>(edge.bandwidth)].link->bandwidth->label();
            const std::string delay = edge.latency < 0 ? "-" : links[static_cast<std::size_t>(edge.latency)].link->latency->label();
            ++counts[links[static_cast<std::size_t>(edge.link)].name + ' ' + rate + ' ' + delay];
        }
        const std::map<std::string, int> listed{{"eth 400 Gbps 0.001 ms", 4}, {"ic - -", 5}, {"mem - -", 18}, {"pcie 32 GT/s 0.5 us", 18}, {"up 450 GBps 250 ns", 21}};
        QCOMPARE(counts, listed);
    }

    void theLastSuchMemberOfAUnionCounts()
    {
        const InfraDocument document = documentOf(replaced(kSound, "{choice: gigabytes_per_second, gigabytes_per_second: 25}", "{gigabytes_per_second: 25, gigabits_per_second: 80}"));

        QCOMPARE(document.devices[0].links[0].bandwidth->label(), std::string("80 Gbps"));
    }

    void slicesStandForTheIndicesOfTheFormat_data()
    {
        QTest::addColumn<QString>("rule");
        QTest::addColumn<QString>("edges");
        // manual: formats 6.1.
        QTest::newRow("bare name") << "ep1: {component: gpu}, ep2: {component: nic}, scheme: one2one" << "gpu.0-nic.0 gpu.1-nic.1 gpu.2-nic.2";
        QTest::newRow("one index") << "ep1: {component: 'gpu[4]'}, ep2: {component: 'nic[2]'}, scheme: one2one" << "gpu.4-nic.2";
        QTest::newRow("step") << "ep1: {component: 'gpu[::2]'}, ep2: {component: 'nic[:]'}, scheme: one2one" << "gpu.0-nic.0 gpu.2-nic.1 gpu.4-nic.2";
        QTest::newRow("from, step") << "ep1: {component: 'gpu[1::2]'}, ep2: {component: 'nic[1]'}, scheme: many2many" << "gpu.1-nic.1 gpu.3-nic.1 gpu.5-nic.1";
        QTest::newRow("to") << "ep1: {component: 'gpu[:2]'}, ep2: {component: 'nic[0]'}, scheme: many2many" << "gpu.0-nic.0 gpu.1-nic.0";
        QTest::newRow("down") << "ep1: {component: 'gpu[4:1:-1]'}, ep2: {component: nic}, scheme: one2one" << "gpu.2-nic.2 gpu.3-nic.1 gpu.4-nic.0";
        QTest::newRow("clique") << "ep1: {component: nic}, ep2: {component: nic}, scheme: many2many" << "nic.0-nic.1 nic.0-nic.2 nic.1-nic.2";
        QTest::newRow("itself") << "ep1: {component: nic}, ep2: {component: nic}, scheme: one2one" << "";
    }
    void slicesStandForTheIndicesOfTheFormat()
    {
        QFETCH(QString, rule);
        QFETCH(QString, edges);

        QCOMPARE(QString::fromStdString(pairs(rule.toStdString())), edges);
    }

    void nestedPathsAndInstancesAreOrderedEarlierPartSlowest()
    {
        const InfraDocument document = documentOf(kSound);
        const auto graph = expandInfraGraph(document);

        // 2 x (6 gpu + 2 x 3 in the cards + 2 slots); 2 x (2 + 2 + 4) inside and 2 cables.
        QCOMPARE(graph.value().nodeCount(), 28);
        QCOMPARE(static_cast<int>(graph.value().edges().size()), 18);
        const std::string text = canonicalText(graph.value());
        QVERIFY(text.find("host.0.card.1.port.1 host.1.card.1.port.1 eth\n") != std::string::npos);
        QVERIFY(text.find("host.0.card.1.port.0 host.0.slot.1 up\n") != std::string::npos);
        QVERIFY(text.find("host.1.card.0.asic.0 host.1.card.0.port.1 wire\n") != std::string::npos);
        QVERIFY(text.find("host.0.gpu.3 host.0.slot.1 up\n") != std::string::npos);
    }

    void aLaterRuleGivesTheNameAndKeepsNumbersItHasNot()
    {
        const InfraDocument document = documentOf("devices:\n- name: d\n  components: [{name: a, count: 2, choice: xpu}]\n  links:\n"
                                                       "  - {name: first, physical: {bandwidth: {gigabits_per_second: 10}, latency: {ns: 5}}}\n"
                                                       "  - {name: second, physical: {latency: {ns: 7}}}\n"
                                                       "  edges:\n  - {ep1: {component: 'a[0]'}, ep2: {component: 'a[1]'}, scheme: one2one, link: first}\n"
                                                       "  - {ep1: {component: 'a[1]'}, ep2: {component: 'a[0]'}, scheme: one2one, link: second}\n"
                                                       "instances: [{name: d, device: d, count: 1}]\n");

        const auto graph = expandInfraGraph(document);

        QCOMPARE(static_cast<int>(graph.value().edges().size()), 1);
        const InfraEdge& edge = graph.value().edges()[0];
        const auto& links = graph.value().links();
        QCOMPARE(links[static_cast<std::size_t>(edge.link)].name, std::string("second"));
        QCOMPARE(links[static_cast<std::size_t>(edge.bandwidth)].link->bandwidth->label(), std::string("10 Gbps"));
        QCOMPARE(links[static_cast<std::size_t>(edge.latency)].link->latency->label(), std::string("7 ns"));
    }

    void theSoundDocumentHasNoErrorAndNoWarning()
    {
        for (const Diagnostic& found : inspectInfraGraph(kSound, "g.yaml").diagnostics)
            QVERIFY2(found.severity == Severity::Note, found.text().c_str());
    }

    void everyStrictRuleFindsItsBreach_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<bool>("error");
        QTest::addColumn<int>("line");
        const auto row = [](const char* name, const char* from, const char* to, const char* rule, bool error, int line) {
            QTest::newRow(name) << QString(from) << QString(to) << QString("infragraph-") + rule << error << line;
        };
        row("no components", "  components:\n  - {name: asic, count: 1, choice: cpu}\n  - {name: port, count: 2, choice: port}\n", "", "missing-field", true, 13);
        row("no count", "count: 6, ", "", "missing-field", true, 5);
        row("no choice", ", choice: xpu", "", "missing-field", true, 5);
        row("no end", "ep2: {component: port}, ", "", "missing-field", true, 20);
        row("no link in a rule", ", link: wire", "", "missing-field", true, 20);
        row("no device of an instance", "device: box, ", "", "missing-field", true, 24);
        row("unknown choice", "choice: xpu", "choice: tpu", "value", true, 5);
        row("unknown scheme", "scheme: many2many", "scheme: all2all", "value", true, 20);
        row("unknown unit", "choice: ns, ns: 500", "choice: ps, ps: 500", "value", true, 9);
        row("count as text", "count: 6", "count: \"6\"", "type", true, 5);
        row("count with fraction", "count: 6", "count: 6.5", "type", true, 5);
        row("bandwidth as text", "gigabits_per_second: 400", "gigabits_per_second: \"400\"", "type", true, 22);
        row("bandwidth zero", "gigabits_per_second: 400", "gigabits_per_second: 0", "rate", true, 22);
        row("bandwidth negative", "gigabits_per_second: 400", "gigabits_per_second: -4", "rate", true, 22);
        row("bad name", "name: eth", "name: eth+1", "name", true, 22);
        row("name that is a number", "name: eth", "name: 5", "type", true, 22);
        row("name that is a truth value", "name: eth", "name: no", "type", true, 22);
        row("name with exponent", "name: eth", "name: 1e3", "type", true, 22);
        row("no scheme", "scheme: many2many, ", "", "scheme", true, 20);
        row("ring", "scheme: many2many", "scheme: ring", "scheme", true, 20);
        row("unknown instance", "instance: 'host[0]'", "instance: 'hots[0]'", "unknown-instance", true, 26);
        row("unknown device", "device: box", "device: crate", "unknown-device", true, 24);
        row("unknown nested device", "- name: card\n", "- name: kard\n", "unknown-device", true, 6);
        row("device in itself", "{name: asic, count: 1, choice: cpu}", "{name: box, count: 1, choice: device}", "cycle", true, 3);
        row("unknown component", "{component: asic}", "{component: azic}", "unknown-component", true, 20);
        row("component with a blank", "'gpu[0:6:3]'", "'gpu [0:6:3]'", "unknown-component", true, 11);
        row("index beyond the count", "component: 'port[0]'", "component: 'port[2]'", "index", true, 12);
        row("negative index", "component: 'port[0]'", "component: 'port[-1]'", "index", true, 12);
        row("slice beyond the count", "gpu[0:6:3]", "gpu[0:8:4]", "index", true, 11);
        row("instance beyond the count", "host[1]", "host[2]", "index", true, 26);
        row("no bracket at the end", "gpu[0:6:3]", "gpu[0", "slice", true, 11);
        row("empty brackets", "gpu[0:6:3]", "gpu[]", "slice", true, 11);
        row("list of indices", "gpu[0:6:3]", "gpu[0,3]", "slice", true, 11);
        row("down without bounds", "gpu[0:6:3]", "gpu[::-3]", "slice", true, 11);
        row("empty slice", "gpu[0:6:3]", "gpu[2:2]", "slice", false, 11);
        row("lists of different length", "gpu[0:6:3]", "gpu[0:6:2]", "lengths", false, 11);
        row("unknown link", "link: eth", "link: ether", "unknown-link", false, 26);
        row("link without bandwidth", "physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 100}}", "description: x", "no-bandwidth", false, 18);
        row("two devices", "- name: card\n", "- name: box\n", "duplicate-device", true, 13);
        row("two components", "name: slot, count: 2", "name: gpu, count: 2", "duplicate-component", true, 7);
        row("two links", "links:\n- {name: eth", "links:\n- {name: eth}\n- {name: eth", "duplicate-link", true, 23);
        row("two instances", "instances:\n", "instances:\n- {name: host, device: card, count: 1}\n", "duplicate-instance", true, 25);
        row("bracket in an instance", "- {name: host,", "- {name: 'ho[1]', device: card, count: 1}\n- {name: host,", "instance-bracket", true, 24);
        row("custom without type", ", custom: {type: slot}", "", "custom-type", false, 7);
        row("ends at a nested device", "device: 'card[:]', component: 'port[0]'", "component: 'card[:]'", "endpoint-device", true, 12);
        row("several cables in a port", "component: 'card.port[1]'}, scheme: one2one", "component: 'card.port[1]'}, scheme: many2many", "port", false, 0);
        row("isolated nodes", "", "", "isolated", false, 0);
        row("several parts", "count: 2}\nedges", "count: 3}\nedges", "parts", false, 0);
        row("unknown member", "name: pair\n", "name: pair\nversion: 3\n", "unknown-member", false, 2);
        row("too large", "count: 2}\nedges", "count: 2000000}\nedges", "size", true, 0);
        row("nothing to expand", "device: box, count: 2}\nedges:\n- {ep1: {instance: 'host[0]', component: 'card[0:2].port[1]'}, ep2: {instance: 'host[1]', component: 'card.port[1]'}, scheme: one2one, link: eth}\n",
            "device: box, count: 0}\n", "empty", true, 0);
    }
    void everyStrictRuleFindsItsBreach()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, rule);
        QFETCH(bool, error);
        QFETCH(int, line);

        const InfraReading reading = inspectInfraGraph(from.isEmpty() ? std::string(kSound) : replaced(kSound, from.toStdString(), to.toStdString()), "g.yaml");

        const auto found = std::find_if(reading.diagnostics.begin(), reading.diagnostics.end(), [&](const Diagnostic& entry) { return entry.rule == rule.toStdString(); });
        QVERIFY2(found != reading.diagnostics.end(), said(reading.diagnostics).c_str());
        QCOMPARE(found->severity == Severity::Error, error);
        QCOMPARE(reading.sound, !error);
        QCOMPARE(found->place.file, std::string("g.yaml"));
        QVERIFY2(found->place.line == line, found->text().c_str());
    }

    void otherDocumentsAreRefusedInWords_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("rule");
        QTest::newRow("empty") << "" << "empty";
        QTest::newRow("annotations alone") << "nodes: []\n" << "annotation-only";
        QTest::newRow("node-link") << "directed: false\nmultigraph: false\nnodes: []\nedges: []\n" << "expanded";
        QTest::newRow("pre-standard") << "inventory: {devices: []}\nconnections: [a.b.c]\n" << "pre-standard";
        QTest::newRow("combined, empty") << "infrastructure: {}\n" << "empty";
        QTest::newRow("no mapping") << "[1, 2]\n" << "type";
        QTest::newRow("no YAML") << "devices: [\n" << "syntax";
        QTest::newRow("unknown annotated node") << (std::string("annotations: {nodes: [{name: rack.0.gpu.0, attributes: [{attribute: rank, value: '0'}]}]}\ninfrastructure:\n  devices: [{name: d, "
                                                    "components: [{name: gpu, count: 1, choice: xpu}], links: [], edges: []}]\n  instances: [{name: d, device: d, count: 1}]\n")).c_str() << "annotation";
    }
    void otherDocumentsAreRefusedInWords()
    {
        QFETCH(QString, text);
        QFETCH(QString, rule);

        const InfraReading reading = inspectInfraGraph(text.toStdString(), "g.yaml");

        QVERIFY(!reading.sound);
        QVERIFY2(reading.diagnostics.back().rule == "infragraph-" + rule.toStdString(), said(reading.diagnostics).c_str());
        Diagnostics none;
        QCOMPARE(readInfraGraph(text.toStdString(), "g.yaml", none).error().place.file, std::string("g.yaml"));
    }

    void jsonWithTabsIsReadToo()
    {
        const InfraReading reading = inspectInfraGraph("{\n\t\"devices\": [{\"name\": \"d\", \"components\": [{\"name\": \"x\", \"count\": 1, \"choice\": \"xpu\"}], \"links\": [], \"edges\": []}],\n"
                                                       "\t\"instances\": [{\"name\": \"d\", \"device\": \"d\", \"count\": 3}]\n}\n", "g.json");

        QVERIFY2(reading.sound, said(reading.diagnostics).c_str());
        QCOMPARE(expandInfraGraph(reading.document).value().nodeCount(), 3);
    }
};

FABRICSCOPE_TEST(InfraGraphTest)
#include "tst_infragraph.moc"
