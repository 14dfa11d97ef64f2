// Topology dumps of NCCL as platforms. Speeds by hand: NVLink figures of data sheets, PCI Express = GT/s x lanes x coding / 8.
#include "core/formats/nccl/systemtopology.h"
#include "core/design/design.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <fstream>
#include <map>

using namespace fabricscope;

namespace {

std::string gpu(int number, const char* busid, int rank, int capability, const std::string& links)
{
    return "      <pci busid=\"" + std::string(busid) + "\" class=\"0x030200\" vendor=\"0x10de\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">\n        <gpu dev=\"" + std::to_string(number)
        + "\" sm=\"" + std::to_string(capability) + "\" rank=\"" + std::to_string(rank) + "\" gdr=\"1\">\n" + links + "        </gpu>\n      </pci>\n";
}

std::string nvlink(const char* target, int count, const char* tclass)
{
    return "          <nvlink target=\"" + std::string(target) + "\" count=\"" + std::to_string(count) + "\" tclass=\"" + tclass + "\"/>\n";
}

std::string bridge(const char* busid, const std::string& inside)
{
    return "    <pci busid=\"" + std::string(busid) + "\" class=\"0x060400\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">\n" + inside + "    </pci>\n";
}

std::string cpu(int number, const std::string& inside)
{
    return "  <cpu host_hash=\"0x1\" numaid=\"" + std::to_string(number) + "\" affinity=\"ff\" arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"143\" modelid=\"49\">\n" + inside + "  </cpu>\n";
}

std::string nic(const char* busid, const char* name, int megabits)
{
    return "      <pci busid=\"" + std::string(busid) + "\" class=\"0x020700\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">\n        <nic>\n          <net name=\"" + name + "\" dev=\"0\" speed=\""
        + std::to_string(megabits) + "\" port=\"1\" latency=\"0.000000\" guid=\"0x1\" maxconn=\"131072\" gdr=\"1\"/>\n        </nic>\n      </pci>\n";
}

std::string machine(const std::string& inside)
{
    return "<system version=\"1\">\n" + inside + "</system>\n";
}

const std::string kSwitched = nvlink("0000:c4:00.0", 2, "0x068000") + nvlink("0000:c5:00.0", 2, "0x068000");

/// Two domains with two A100 each: four NVLinks of each GPU to two NVSwitches; a card and a lone bridge in the first domain. Ranks run backwards.
std::string switched()
{
    return machine(cpu(0, bridge("0000:01:00.0", gpu(0, "0000:07:00.0", 3, 80, kSwitched) + gpu(1, "0000:08:00.0", 2, 80, kSwitched) + nic("0000:0a:00.0", "mlx5_0", 200000)))
                   + cpu(1, bridge("0000:41:00.0", gpu(2, "0000:47:00.0", 1, 80, kSwitched)) + bridge("0000:42:00.0", gpu(3, "0000:48:00.0", 0, 80, kSwitched))) + cpu(2, ""));
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        qFatal("the text has no \"%s\"", from.c_str());
    return text.replace(at, from.size(), to);
}

/// Links as "from>to": "rate B/s, latency ps".
std::map<std::string, std::string> linksOf(const PlatformSpec& spec)
{
    std::map<std::string, std::string> out;
    for (const ExplicitLink& link : spec.links)
        out[spec.nodes[static_cast<std::size_t>(link.from)].name + '>' + spec.nodes[static_cast<std::size_t>(link.to)].name] =
            std::to_string(toBandwidth(link.bandwidth).bytesPerSecond) + " B/s, " + std::to_string(toSimTime(link.latency).ps) + " ps";
    return out;
}

PlatformSpec specOf(const std::string& text, const LinkCompletions& completions = {}, Diagnostics* found = nullptr)
{
    Diagnostics diagnostics;
    auto spec = readNcclTopology(text, "topo.xml", completions, diagnostics);
    if (!spec)
        qFatal("%s", spec.error().text().c_str());
    if (found)
        *found = diagnostics;
    return std::move(spec).value();
}

std::vector<std::string> namesOf(const PlatformSpec& spec)
{
    std::vector<std::string> out;
    for (const ExplicitNode& node : spec.nodes)
        out.push_back(node.name);
    return out;
}

} // namespace

class NcclTopologyTest : public QObject {
    Q_OBJECT

private slots:
    void nvSwitchesAreOneSwitchAndRanksGiveTheOrder()
    {
        Diagnostics diagnostics;
        const PlatformSpec spec = specOf(switched(), {}, &diagnostics);

        // A domain without devices is left out; bridges with one GPU are part of its link.
        const std::vector<std::string> names{"gpu3", "gpu2", "gpu1", "gpu0", "cpu0", "pci 0000:01:00.0", "mlx5_0", "cpu1", "nvswitch"};
        QCOMPARE(namesOf(spec), names);
        const auto links = linksOf(spec);
        // 4 x 25 GB/s; 16 GT/s x 16 lanes x 128/130 / 8; AMD of family 143: 16 GB/s between domains.
        for (const char* name : {"gpu0>nvswitch", "nvswitch>gpu3"})
            QCOMPARE(links.at(name), std::string("100000000000 B/s, 350000 ps"));
        for (const char* name : {"gpu0>pci 0000:01:00.0", "pci 0000:01:00.0>cpu0", "cpu0>pci 0000:01:00.0", "gpu3>cpu1", "cpu1>gpu2", "mlx5_0>pci 0000:01:00.0"})
            QCOMPARE(links.at(name), std::string("31507692308 B/s, 250000 ps"));
        QCOMPARE(links.at("cpu0>cpu1"), std::string("16000000000 B/s, 100000 ps"));
        QCOMPARE(static_cast<int>(links.size()), 2 * (4 + 4 + 1 + 1 + 1));
        // Accelerators use the switch although PCI Express would be as short for two of them.
        const Platform platform = Platform::create(spec).value();
        for (NodeId from = 0; from < 4; ++from) {
            for (NodeId to = 0; to < 4; ++to) {
                std::vector<LinkId> route;
                platform.route(from, to, route);
                QCOMPARE(static_cast<int>(route.size()), from == to ? 0 : 2);
                for (const LinkId link : route)
                    QVERIFY(platform.linkName(link).find("nvswitch") != std::string::npos);
            }
        }
        int assumed = 0;
        for (const Diagnostic& found : diagnostics)
            assumed += found.rule == "assumed" ? 1 : 0;
        QCOMPARE(assumed, 5); // NVLink, domains, latency of nvswitch, pcie and cpu
        QVERIFY(spec.source.find("1 network port of 200 Gbit/s") != std::string::npos);
        QVERIFY(spec.source.find("compute capability 8.0 carries 25 GB/s") != std::string::npos);
    }

    void peersAreJoinedByTheSumOfTheirLinks()
    {
        const PlatformSpec spec = specOf(machine(cpu(0, bridge("0000:01:00.0", gpu(0, "0000:07:00.0", 0, 70, nvlink("0000:08:00.0", 2, "0x030200")) + gpu(1, "0000:08:00.0", 1, 70, nvlink("0000:07:00.0", 2, "0x030200"))
                                                                                   + gpu(2, "0000:09:00.0", 2, 70, "")))));

        const auto links = linksOf(spec);
        QCOMPARE(links.at("gpu0>gpu1"), std::string("50000000000 B/s, 700000 ps"));
        QCOMPARE(links.at("gpu1>gpu0"), std::string("50000000000 B/s, 700000 ps"));
        QVERIFY(!links.contains("gpu0>gpu2"));
        QVERIFY(spec.source.find("several links between two GPUs count as one") != std::string::npos);
    }

    void speedsFollowTheComputeCapability_data()
    {
        QTest::addColumn<int>("capability");
        QTest::addColumn<qint64>("expected"); // of one link
        QTest::newRow("P100") << 60 << qint64{20'000'000'000};
        QTest::newRow("V100") << 70 << qint64{25'000'000'000};
        QTest::newRow("A100") << 80 << qint64{25'000'000'000};
        QTest::newRow("A6000") << 86 << qint64{14'062'500'000};
        QTest::newRow("H100") << 90 << qint64{25'000'000'000};
        QTest::newRow("B200") << 100 << qint64{50'000'000'000};
    }
    void speedsFollowTheComputeCapability()
    {
        QFETCH(int, capability);
        QFETCH(qint64, expected);
        const std::string links = nvlink("0000:c4:00.0", 1, "0x068000");

        const PlatformSpec spec = specOf(machine(cpu(0, bridge("0000:01:00.0", gpu(0, "0000:07:00.0", 0, capability, links) + gpu(1, "0000:08:00.0", 1, capability, links)))));

        QCOMPARE(linksOf(spec).at("gpu0>nvswitch"), std::to_string(expected) + " B/s, 350000 ps");
    }

    void pciExpressIsTransfersTimesLanesTimesCoding_data()
    {
        QTest::addColumn<QString>("speed");
        QTest::addColumn<QString>("width");
        QTest::addColumn<qint64>("expected");
        QTest::newRow("1.0 x16, 8b/10b") << "2.5 GT/s PCIe" << "16" << qint64{4'000'000'000};
        QTest::newRow("3.0 x8") << "8.0 GT/s PCIe" << "8" << qint64{7'876'923'077};
        QTest::newRow("5.0 x16, older kernel") << "32 GT/s" << "16" << qint64{63'015'384'615};
        QTest::newRow("no speed: 8 GT/s") << "" << "16" << qint64{15'753'846'154};
        QTest::newRow("no width: 16 lanes") << "16.0 GT/s PCIe" << "0" << qint64{31'507'692'308};
    }
    void pciExpressIsTransfersTimesLanesTimesCoding()
    {
        QFETCH(QString, speed);
        QFETCH(QString, width);
        QFETCH(qint64, expected);
        std::string one = gpu(0, "0000:07:00.0", 0, 80, "");
        one = replaced(one, "link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"", "link_speed=\"" + speed.toStdString() + "\" link_width=\"" + width.toStdString() + "\"");

        const PlatformSpec spec = specOf(machine(cpu(0, one + gpu(1, "0000:08:00.0", 1, 80, ""))));

        QCOMPARE(linksOf(spec).at("gpu0>cpu0"), std::to_string(expected) + " B/s, 250000 ps");
    }

    void figuresOfTheUserReplaceAssumptions()
    {
        LinkCompletions completions;
        completions["nvswitch"] = {parseQuantity("20.6 GB/s", Measure::Bandwidth).value(), parseQuantity("400 ns", Measure::Time).value(), std::nullopt};
        completions["cpu"] = {parseQuantity("30 GB/s", Measure::Bandwidth).value(), parseQuantity("90 ns", Measure::Time).value(), std::nullopt};
        completions["pcie"] = {std::nullopt, parseQuantity("100 ns", Measure::Time).value(), std::nullopt};
        completions["nvlink"] = {std::nullopt, parseQuantity("100 ns", Measure::Time).value(), std::nullopt};
        Diagnostics diagnostics;

        const auto links = linksOf(specOf(switched(), completions, &diagnostics));

        QCOMPARE(links.at("gpu0>nvswitch"), std::string("82400000000 B/s, 400000 ps"));
        QCOMPARE(links.at("cpu1>cpu0"), std::string("30000000000 B/s, 90000 ps"));
        QCOMPARE(links.at("gpu3>cpu1"), std::string("31507692308 B/s, 100000 ps"));
        QCOMPARE(static_cast<int>(diagnostics.size()), 1);
        QVERIFY2(diagnostics[0].message.find("no link of kind \"nvlink\"") != std::string::npos, diagnostics[0].text().c_str());
    }

    void processorsMayHaveLinksOfTheirOwn()
    {
        const std::string c2c = "          <c2c bw=\"45000\" count=\"10\"/>\n";

        const auto links = linksOf(specOf(machine(cpu(0, gpu(0, "0000:07:00.0", 0, 90, c2c)) + cpu(1, gpu(1, "0000:08:00.0", 1, 90, c2c)))));

        QCOMPARE(links.at("gpu0>cpu0"), std::string("31507692308 B/s, 250000 ps")); // the later of two parallel links
        const PlatformSpec spec = specOf(machine(cpu(0, gpu(0, "0000:07:00.0", 0, 90, c2c)) + cpu(1, gpu(1, "0000:08:00.0", 1, 90, c2c))));
        QCOMPARE(toBandwidth(spec.links[0].bandwidth).bytesPerSecond, std::int64_t{450'000'000'000});
        QCOMPARE(static_cast<int>(spec.links.size()), 2 * (2 + 2 + 1)); // kept apart
    }

    void linksOutOfTheDumpAreSaid()
    {
        Diagnostics diagnostics;
        specOf(machine(cpu(0, gpu(0, "0000:07:00.0", 0, 80, nvlink("0000:99:00.0", 4, "0x030200")) + gpu(1, "0000:08:00.0", 1, 80, ""))), {}, &diagnostics);

        QVERIFY(std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& found) { return found.rule == "nccl-peer" && found.place.line == 5; }));
    }

    void damagedDumpsAreRefusedWithLineAndAttribute_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& text, const char* says) { QTest::newRow(name) << QString::fromStdString(text) << QString(says); };
        row("empty", "", "topo.xml:1:1: not valid XML");
        row("cut off", switched().substr(0, 300), "not valid XML");
        row("other XML", "<algo name=\"x\"/>\n", "not a topology dump of NCCL (expected a \"system\" element; NCCL and RCCL write one");
        row("no GPU", machine(cpu(0, "")), "the machine has no GPU");
        row("no capability", replaced(switched(), " sm=\"80\"", ""), "topo.xml:5:10, sm: the attribute is missing");
        row("capability", replaced(switched(), "sm=\"80\"", "sm=\"8.0\""), "sm: \"8.0\" is no whole number");
        row("count", replaced(switched(), "count=\"2\"", "count=\"0\""), "count: 0 links (expected 1 to 1024)");
        row("no count", replaced(switched(), "count=\"2\"", ""), "count: the attribute is missing");
        std::string deep;
        std::string close;
        for (int i = 0; i < 100; ++i) {
            deep += "<pci busid=\"x\" link_speed=\"8 GT/s\" link_width=\"1\">";
            close += "</pci>";
        }
        row("deep", machine(cpu(0, deep + gpu(0, "a", 0, 80, "") + close)), "nested too deeply");
    }
    void damagedDumpsAreRefusedWithLineAndAttribute()
    {
        QFETCH(QString, text);
        QFETCH(QString, says);
        Diagnostics diagnostics;

        const auto result = readNcclTopology(text.toStdString(), "topo.xml", {}, diagnostics);

        QVERIFY(!result);
        QVERIFY2(result.error().text().find(says.toStdString()) != std::string::npos, result.error().text().c_str());
    }

    void aDesignMayNameADump()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("topo.xml").toStdString();
        std::ofstream(path) << switched();

        const auto loaded = readDesignText("fabricscope: 1\nplatform:\n  file: topo.xml\n  kind: nccl\n  link_figures: {nvswitch: {latency: 500 ns}}\n"
                                           "  overrides: {links: [{link: gpu0>nvswitch, bandwidth: 10 GB/s}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n",
                                           folder.filePath("d.yaml").toStdString());

        QVERIFY2(bool(loaded), loaded ? "" : loaded.error().text().c_str());
        const Design& design = loaded.value().design;
        QCOMPARE(design.platformOrigin, std::string("topo.xml (NCCL)"));
        QCOMPARE(linksOf(*design.platform).at("gpu3>nvswitch"), std::string("100000000000 B/s, 500000 ps"));
        QCOMPARE(static_cast<int>(design.platform->linkOverrides.size()), 1);
        QCOMPARE(static_cast<int>(design.files.size()), 1); // part of the hash
        // What is written reads back as the same platform.
        const auto again = readDesignText(writeDesign(design), "again.yaml");
        QVERIFY2(bool(again), again ? "" : again.error().text().c_str());
        QVERIFY(again.value().design.platform->links == design.platform->links);
    }
};

FABRICSCOPE_TEST(NcclTopologyTest)
#include "tst_nccltopology.moc"
