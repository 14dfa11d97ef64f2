// Figures that nobody can mean are refused with field, value and range; under astra-* they are computed with and warned of.
#include "core/design/design.h"
#include "core/formats/nccl/systemtopology.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

using namespace fabricscope;

namespace {

std::string designText(const std::string& bandwidth, const std::string& latency, const std::string& rest = {}, const std::string& model = "links")
{
    return "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: " + bandwidth + ", latency: " + latency + "}\n" + rest
        + "workload: {collective: all_reduce, size: 1 MiB}\nmodel: {name: " + model + "}\n";
}

/// What validate() finds under the rule.
Diagnostics found(const std::string& text)
{
    const auto loaded = readDesignText(text, "d.yaml");
    if (!loaded)
        return {finding("unreadable", loaded.error())};
    Diagnostics all = validate(loaded.value().design);
    std::erase_if(all, [](const Diagnostic& entry) { return entry.rule != "value-range" && entry.rule != "platform-dimension"; });
    return all;
}

} // namespace

class TestValueRanges : public QObject {
    Q_OBJECT

private slots:
    void absurdFiguresAreRefusedWithFieldValueAndRange_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("range");
        const auto add = [](const char* name, const std::string& text, const char* field, const char* value, const char* range) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(field) << QString::fromUtf8(value) << QString::fromUtf8(range);
        };
        add("no bandwidth to speak of", designText("1e-30 GB/s", "1 us"), "platform.dimensions[0].bandwidth", "1e-30 GB/s", "1 kB/s");
        add("a byte a second", designText("1 B/s", "1 us"), "platform.dimensions[0].bandwidth", "1 B/s", "1 kB/s");
        add("a latency of a day", designText("50 GB/s", "1440 min"), "platform.dimensions[0].latency", "1440 min", "100 s");
        add("memory of a byte", designText("50 GB/s", "1 us", "  npu: {memory: 1 B}\n"), "platform.npu.memory", "1 B", "1 kB");
        add("a slow NPU", designText("50 GB/s", "1 us", "  npu: {peak: 1e-9 TFLOP/s}\n"), "platform.npu.peak", "TFLOP/s", "1 MFLOP/s");
        add("slow memory", designText("50 GB/s", "1 us", "  npu: {memory_bandwidth: 1e-12 GB/s}\n"), "platform.npu.memory_bandwidth", "GB/s", "1 kB/s");
        add("a slow budget", designText("50 GB/s", "1 us", "  budgets: {injection: 5 B/s}\n"), "platform.budgets.injection", "5 B/s", "1 kB/s");
        add("an override", designText("50 GB/s", "1 us", "  overrides: {links: [{link: \"d0 1>2\", bandwidth: 2 B/s}]}\n"), "platform.overrides.links[0].bandwidth", "2 B/s", "1 kB/s");
        add("a link of a graph",
            "fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}]\n  links: [{between: [a, b], bandwidth: 1e-30 GB/s, latency: 1 us}]\nworkload: {collective: all_reduce, size: 1 MiB}\n",
            "platform.links[0].bandwidth", "1e-30 GB/s", "1 kB/s");
    }

    void absurdFiguresAreRefusedWithFieldValueAndRange()
    {
        QFETCH(QString, text);
        QFETCH(QString, field);
        QFETCH(QString, value);
        QFETCH(QString, range);
        const Diagnostics all = found(text.toStdString());
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().severity, Severity::Error);
        const QString said = QString::fromStdString(all.front().text());
        QVERIFY2(said.contains(field) && said.contains(value) && said.contains(range), qPrintable(said));
    }

    void theEndsOfARangeAreInIt()
    {
        QCOMPARE(found(designText("1 kB/s", "100 s")).size(), std::size_t{0});
        QCOMPARE(found(designText("1e9 GB/s", "0 ns")).size(), std::size_t{0});
        QCOMPARE(found(designText("0.999 kB/s", "1 us")).size(), std::size_t{1});
        QCOMPARE(found(designText("50 GB/s", "100.001 s")).size(), std::size_t{1});
    }

    void underTheModelsOfAstraTheyAreWarnedOf()
    {
        const Diagnostics all = found(designText("1 B/s", "1 us", {}, "astra-unaware"));
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().severity, Severity::Warning);
    }

    void whatStandsTwiceInAGraphIsRefusedOrStated_data()
    {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("second");
        QTest::addColumn<QString>("said");
        QTest::addColumn<bool>("refused");
        const QString nodes = QStringLiteral("{name: a}, {name: b}");
        QTest::newRow("a link twice") << nodes << "between: [a, b]" << "d.yaml:6:2, platform.links[1]: a second link from \"a\" to \"b\": both are taken, side by side" << false;
        QTest::newRow("the other way round") << nodes << "between: [b, a]" << "a second link from \"b\" to \"a\"" << false;
        QTest::newRow("one way of a pair") << nodes << "from: b, to: a" << "a second link from \"b\" to \"a\"" << false;
        QTest::newRow("a self-link") << nodes << "between: [a, a]" << "the link ends at the node where it starts" << true;
        QTest::newRow("an unknown end") << nodes << "between: [a, c]" << "there is no node \"c\"" << true;
        QTest::newRow("a node twice") << "{name: a}, {name: b}, {name: a}" << "between: [b, a]" << "a second node is called \"a\"" << true;
        QTest::newRow("a switch of the name") << "{name: a}, {name: b}, {name: b, kind: switch}" << "between: [b, a]" << "a second node is called \"b\"" << true;
    }

    void whatStandsTwiceInAGraphIsRefusedOrStated()
    {
        QFETCH(QString, nodes);
        QFETCH(QString, second);
        QFETCH(QString, said);
        QFETCH(bool, refused);
        const QString link = QStringLiteral(", bandwidth: 50 GB/s, latency: 1 us}");
        const QString text = QStringLiteral("fabricscope: 1\nplatform:\n  nodes: [") + nodes + QStringLiteral("]\n  links:\n    [{between: [a, b]") + link + QStringLiteral(",\n {") + second + link
            + QStringLiteral("]\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        const auto loaded = readDesignText(text.toStdString(), "d.yaml");
        Diagnostics all = loaded ? loaded.value().diagnostics : Diagnostics{finding("unreadable", loaded.error())};
        if (loaded) {
            for (const Diagnostic& entry : validate(loaded.value().design))
                all.push_back(entry);
        }
        QString found;
        bool errors = false;
        for (const Diagnostic& entry : all) {
            found += QString::fromStdString(entry.text()) + QLatin1Char('\n');
            errors = errors || entry.severity == Severity::Error;
        }
        QVERIFY2(found.contains(said), qPrintable(found));
        QCOMPARE(errors, refused);
    }

    void aDumpWithARankTwiceOrBelowZeroIsRefused_data()
    {
        QTest::addColumn<QString>("second");
        QTest::addColumn<QString>("said");
        QTest::newRow("twice") << "dev=\"1\" sm=\"90\" rank=\"0\"" << "rank";
        QTest::newRow("below zero") << "dev=\"1\" sm=\"90\" rank=\"-3\"" << "-3";
        QTest::newRow("one device twice") << "dev=\"0\" sm=\"90\" rank=\"1\"" << "dev";
        QTest::newRow("good") << "dev=\"1\" sm=\"90\" rank=\"1\"" << "";
    }

    void aDumpWithARankTwiceOrBelowZeroIsRefused()
    {
        QFETCH(QString, second);
        QFETCH(QString, said);
        const QString pci = QStringLiteral("<pci busid=\"0000:0%1:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><gpu %2/></pci>");
        const QString text = QStringLiteral("<system version=\"1\"><cpu numaid=\"0\" affinity=\"ff\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">")
            + pci.arg(1).arg(QStringLiteral("dev=\"0\" sm=\"90\" rank=\"0\"")) + pci.arg(2).arg(second) + QStringLiteral("</cpu></system>");
        Diagnostics diagnostics;
        const auto spec = readNcclTopology(text.toStdString(), "topo.xml", {}, diagnostics);
        if (said.isEmpty()) {
            QVERIFY2(spec, spec ? "" : spec.error().text().c_str());
            return;
        }
        QVERIFY(!spec);
        const QString message = QString::fromStdString(spec.error().text());
        QVERIFY2(message.contains(said) && message.contains(QStringLiteral("topo.xml:1")), qPrintable(message));
    }
};

FABRICSCOPE_TEST(TestValueRanges)
#include "tst_valueranges.moc"
