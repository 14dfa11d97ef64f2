// Which figures a fabric lacks, by kind of link and node, and giving them all at once.
#include "core/design/design.h"
#include "core/design/edits/missingfigures.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <QTemporaryDir>
#include <fstream>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using KindOf = MissingFigures::Of;
using FigureKeys = std::vector<std::string>;

/// Two GPUs of a leaf without rates, one of them without a latency; the leaf to a spine with both.
const char* const kLackingText = "fabricscope: 1\nplatform:\n  nodes: [{name: gpu0}, {name: gpu1}, {name: leaf0, kind: switch}, {name: spine0, kind: switch}]\n  links:\n"
                                 "    - {between: [gpu0, leaf0], latency: 1 us}   # near\n"
                                 "    - {between: [gpu1, leaf0]}\n"
                                 "    - {between: [leaf0, spine0], bandwidth: 10 GB/s, latency: 3 us}\n"
                                 "workload: {collective: all_reduce, size: 1 MiB}\n";

/// Two accelerators on a switch and on PCI Express, no figure given.
const char* const kInfraText = "devices:\n- name: host\n  components:\n  - {name: xpu, count: 2, choice: xpu}\n  - {name: nvsw, count: 1, choice: switch}\n"
                               "  links: [{name: nvlink, description: nvlink_3}]\n"
                               "  edges:\n  - {ep1: {component: xpu}, ep2: {component: nvsw}, scheme: many2many, link: nvlink}\n"
                               "instances: [{name: host, device: host, count: 1}]\n";

YamlDocument lackingDocument(const std::string& text)
{
    Result<YamlDocument> yaml = YamlDocument::parse(text);
    if (!yaml)
        qFatal("%s", yaml.error().text().c_str());
    return std::move(yaml).value();
}

std::vector<MissingFigures> missingIn(const std::string& text, const std::string& file = {})
{
    const YamlDocument yaml = lackingDocument(text);
    return missingFigures(yaml, graphText(yaml), inspectDesignText(text, file).diagnostics);
}

Quantity quantityOf(const char* text, Measure measure)
{
    return parseQuantity(text, measure).value();
}

} // namespace

class MissingFiguresTest : public QObject {
    Q_OBJECT

private slots:
    void linksThatLackFiguresAreListedByTheKindOfTheirEnds()
    {
        const std::vector<MissingFigures> rows = missingIn(kLackingText);
        QCOMPARE(rows.size(), std::size_t{2});
        QVERIFY(rows[0].of == KindOf::Links);
        QCOMPARE(rows[0].kind, std::string("gpu* to leaf*"));
        QCOMPARE(rows[0].links, (std::vector<std::size_t>{0, 1}));
        QCOMPARE(rows[0].keys, (FigureKeys{"bandwidth", "latency"}));
        QVERIFY(rows[1].of == KindOf::Npus);
        QCOMPARE(rows[1].keys, (FigureKeys{"peak", "memory_bandwidth"}));
    }

    void oneValueForEachKindCompletesTheDesign()
    {
        YamlDocument yaml = lackingDocument(kLackingText);
        const std::vector<MissingFigures> rows = missingIn(kLackingText);
        const std::vector<GivenFigures> given{{rows[0], {{"bandwidth", quantityOf("50 GB/s", Measure::Bandwidth)}, {"latency", quantityOf("2 us", Measure::Time)}}},
                                              {rows[1], {{"peak", quantityOf("989 TFLOP/s", Measure::ComputeRate)}}}};
        QVERIFY(edits::completeFigures(yaml, given));
        const GraphText graph = graphText(yaml);
        QCOMPARE(graph.links[0].bandwidth, std::string("50 GB/s"));
        QCOMPARE(graph.links[0].latency, std::string("1 us")); // Was there.
        QCOMPARE(graph.links[1].latency, std::string("2 us"));
        QCOMPARE(graph.links[2].bandwidth, std::string("10 GB/s"));
        QCOMPARE(yaml.find("platform.npu.peak")->text, std::string("989 TFLOP/s"));
        QVERIFY(yaml.text().find("# near\n") != std::string::npos);
        QVERIFY(missingIn(yaml.text()).empty()); // Peaks of NPUs alone are no list.
        const auto read = readDesignText(yaml.text(), {});
        QVERIFY2(read, read ? "" : read.error().text().c_str());
    }

    void whatIsLeftOutIsAskedForAgain()
    {
        YamlDocument yaml = lackingDocument(kLackingText);
        const std::vector<MissingFigures> rows = missingIn(kLackingText);
        QVERIFY(edits::completeFigures(yaml, std::vector<GivenFigures>{{rows[0], {{"bandwidth", quantityOf("50 GB/s", Measure::Bandwidth)}}}}));
        const std::vector<MissingFigures> left = missingIn(yaml.text());
        QCOMPARE(left[0].links, std::vector<std::size_t>{1});
        QCOMPARE(left[0].keys, FigureKeys{"latency"});
    }

    void kindsOfLinksOfAnImportedFileAreListedWithWhatIsAssumed()
    {
        const QTemporaryDir folder;
        std::ofstream(folder.filePath("host.yaml").toStdString()) << kInfraText;
        const std::string text = "fabricscope: 1\nplatform: {file: host.yaml, kind: infragraph}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        const std::string file = folder.filePath("d.yaml").toStdString();
        const std::vector<MissingFigures> rows = missingIn(text, file);
        QVERIFY(rows.size() >= 1);
        QVERIFY(rows[0].of == KindOf::File);
        QCOMPARE(rows[0].kind, std::string("nvlink"));
        QCOMPARE(rows[0].keys, (FigureKeys{"bandwidth", "latency"}));
        QVERIFY2(rows[0].taken.find("NVLink 3") != std::string::npos, rows[0].taken.c_str());
        YamlDocument yaml = lackingDocument(text);
        QVERIFY(edits::completeFigures(yaml, std::vector<GivenFigures>{{rows[0], {{"bandwidth", quantityOf("25 GB/s", Measure::Bandwidth)}, {"latency", quantityOf("400 ns", Measure::Time)}}}}));
        QVERIFY(missingIn(yaml.text(), file).empty());
        const auto read = readDesignText(yaml.text(), file);
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(read.value().design.platform->links.size(), std::size_t{4}); // Two accelerators, each way.
    }

    void figuresOfOneKindAreAddedToThoseThatAreThere()
    {
        MissingFigures row;
        row.of = KindOf::File;
        row.kind = "a.b [c]"; // Any name a file gives.
        row.keys = {"latency"};
        YamlDocument yaml = lackingDocument("platform:\n  file: x.yaml\n  link_figures: {eth: {bandwidth: 1 GB/s}}\n");
        QVERIFY(edits::completeFigures(yaml, std::vector<GivenFigures>{{row, {{"latency", quantityOf("3 us", Measure::Time)}}}}));
        const YamlNode* const all = yaml.find("platform.link_figures");
        QVERIFY(all && all->isMap());
        QCOMPARE(all->entries.size(), std::size_t{2});
        QCOMPARE(all->find("eth")->value.find("bandwidth")->value.text, std::string("1 GB/s"));
        QCOMPARE(all->find("a.b [c]")->value.find("latency")->value.text, std::string("3 us"));
    }

    void aTransferOfUnknownSizeAsksForARate()
    {
        Diagnostics found{finding("platform", invalidInput("the link pcie has 32 GT/s, and nothing says how many bytes a transfer carries"))};
        const YamlDocument yaml = lackingDocument("platform: {file: x.yaml}\n");
        const std::vector<MissingFigures> rows = missingFigures(yaml, graphText(yaml), found);
        QCOMPARE(rows[0].kind, std::string("pcie"));
        QCOMPARE(rows[0].keys, FigureKeys{"bandwidth"});
    }

    void linesOfAMachineDumpNameTheirKinds()
    {
        const Diagnostics found{warning("assumed", "an NVLink of compute capability 9.0 carries 25 GB/s each way"), warning("assumed", "a link of kind nvswitch has a latency of 350 ns"),
                                warning("assumed", "NUMA domains are joined with 20 GB/s each way"), warning("assumed", "several links between two GPUs count as one link of their sum")};
        const YamlDocument yaml = lackingDocument("platform: {file: topo.xml, kind: nccl}\n");
        const std::vector<MissingFigures> rows = missingFigures(yaml, graphText(yaml), found);
        QCOMPARE(rows.size(), std::size_t{3}); // With the NPUs.
        QCOMPARE(rows[0].kind, std::string("nvswitch"));
        QCOMPARE(rows[0].keys, (FigureKeys{"bandwidth", "latency"}));
        QCOMPARE(rows[1].kind, std::string("cpu"));
        QCOMPARE(rows[1].keys, FigureKeys{"bandwidth"});
    }
};

FABRICSCOPE_TEST(MissingFiguresTest)
#include "tst_missingfigures.moc"
