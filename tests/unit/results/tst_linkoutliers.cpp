// Which link of a run stands out, on designs made by hand: only one that is unlike its equals, however busy others are.
#include "core/insight/linkoutliers.h"
#include "tests/gui/support/runresults.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A platform of dimensions with overrides, and what runs on it.
std::string design(const std::string& dimensions, const std::string& overrides, const std::string& workload = "{collective: all_reduce, size: 16 MB}",
                   const std::string& collectives = "{default: {algorithm: ring, chunks: 1}}")
{
    return "fabricscope: 1\nplatform:\n  dimensions:\n" + dimensions + (overrides.empty() ? "" : "  overrides:\n    links:\n" + overrides) + "workload: " + workload
        + "\ncollectives: " + collectives + "\n";
}

std::string ringOf(int size)
{
    return "    - {shape: ring, size: " + std::to_string(size) + ", bandwidth: 50 GB/s, latency: 500 ns}\n";
}

std::string slow(const std::string& link, const std::string& figure = "bandwidth: 10 GB/s")
{
    return "      - {link: \"" + link + "\", " + figure + "}\n";
}

struct Found {
    std::optional<LinkOutlier> outlier;
    std::string name;
};

Found find(const std::string& text)
{
    const RunResultPtr result = runText(text);
    Found found{findLinkOutlier(result->scenario->structure->platform, result->record()), {}};
    if (found.outlier)
        found.name = result->scenario->structure->platform.linkName(found.outlier->link);
    return found;
}

/// n NPUs on one switch, both ways at 50 GB/s but for `odd` (index of the NPU, its rate).
std::string star(int npus, int odd = -1, const std::string& rate = "12.5 GB/s")
{
    std::string text = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (int i = 0; i < npus; ++i)
        text += "    - {name: gpu" + std::to_string(i) + "}\n";
    text += "    - {name: sw, kind: switch}\n  links:\n";
    for (int i = 0; i < npus; ++i)
        text += "    - {between: [gpu" + std::to_string(i) + ", sw], bandwidth: " + (i == odd ? rate : "50 GB/s") + ", latency: 500 ns}\n";
    return text + "workload: {collective: all_reduce, size: 16 MB}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n";
}

/// Two hosts of 4 NPUs: inside over a switch at 200 GB/s, outside over a network card each at 25 GB/s to one leaf.
std::string hosts(const std::string& oddCard = {}, const std::string& oddInside = {})
{
    std::string text = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (int i = 0; i < 8; ++i)
        text += "    - {name: gpu" + std::to_string(i) + "}\n";
    for (int i = 0; i < 8; ++i)
        text += "    - {name: card" + std::to_string(i) + ", kind: switch}\n";
    text += "    - {name: in0, kind: switch}\n    - {name: in1, kind: switch}\n    - {name: leaf, kind: switch}\n  links:\n";
    for (int i = 0; i < 8; ++i) {
        const std::string n = std::to_string(i);
        const std::string card = i == 4 && !oddCard.empty() ? oddCard : "25 GB/s";
        const std::string inside = i == 2 && !oddInside.empty() ? oddInside : "200 GB/s";
        text += "    - {between: [gpu" + n + ", in" + std::to_string(i / 4) + "], bandwidth: " + inside + ", latency: 300 ns}\n";
        text += "    - {between: [gpu" + n + ", card" + n + "], bandwidth: 25 GB/s, latency: 300 ns}\n";
        text += "    - {between: [card" + n + ", leaf], bandwidth: " + card + ", latency: 500 ns}\n";
    }
    return text + "workload: {collective: all_reduce, size: 64 MB}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n";
}

} // namespace

class LinkOutliersTest : public QObject
{
    Q_OBJECT

private slots:
    void nothingStandsOutAmongEquals_data()
    {
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const std::string& text) { QTest::newRow(name) << QString::fromStdString(text); };
        row("ring", design(ringOf(8), ""));
        row("ring one way round, the other idle", design(ringOf(8), "", "{steps: [{collective: all_gather, size: 64 MB}]}"));
        row("two rings", design(ringOf(4) + ringOf(4), ""));
        row("fully connected", design("    - {shape: fully_connected, size: 8, npu_bandwidth: 350 GB/s, latency: 500 ns}\n", "", "{collective: all_to_all, size: 16 MB}", "{}"));
        row("switch", design("    - {shape: switch, size: 8, bandwidth: 50 GB/s, latency: 500 ns}\n", ""));
        // Half of a ring at half the rate: there are no usual links.
        row("half of a ring is slow", design(ringOf(8), slow("d0 0>1") + slow("d0 2>3") + slow("d0 4>5") + slow("d0 6>7")));
        row("all of a ring is slow", design(ringOf(4), slow("d0 0>1") + slow("d0 1>2") + slow("d0 2>3") + slow("d0 3>0")));
        // Two links one after the other: nobody knows which one is the usual one.
        row("two links", design("    - {shape: switch, size: 2, bandwidth: 50 GB/s, latency: 500 ns}\n", slow("d0 0>switch")));
        // Half of the NPUs work, the other half hardly: their links differ for a reason.
        row("half of a dimension works", design("    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n    - {shape: ring, size: 2, bandwidth: 50 GB/s, latency: 500 ns}\n", "",
                                                "{groups: [{name: a, lists: [[0, 1, 2, 3], [4, 5, 6, 7]]}], steps: [{collective: all_reduce, size: 64 MB, group: a, ranks: 0-3}, {collective: all_reduce, size: 2 MB, group: a, ranks: 4-7}]}"));
        row("star", star(8));
        row("hosts with network cards", hosts());
        // A slow link that carries little costs nothing worth a word.
        row("slow and idle", design(ringOf(4) + ringOf(4), slow("d1 0>4", "bandwidth: 49 GB/s")));
    }

    void nothingStandsOutAmongEquals()
    {
        QFETCH(QString, text);
        const Found found = find(text.toStdString());
        QVERIFY2(!found.outlier, found.name.c_str());
    }

    void theSlowLinkIsFound_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("link");
        QTest::addColumn<double>("usual"); // GB/s
        const auto row = [](const char* name, const std::string& text, const char* link, double usual) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromLatin1(link) << usual;
        };
        row("ring", design(ringOf(8), slow("d0 2>3")), "d0 2>3", 50);
        row("smallest ring that has a majority", design(ringOf(3), slow("d0 2>0")), "d0 2>0", 50);
        row("up-link of a switch", design("    - {shape: switch, size: 8, bandwidth: 50 GB/s, latency: 500 ns}\n", slow("d0 5>switch")), "d0 5>switch", 50);
        row("down-link of a switch", design("    - {shape: switch, size: 8, bandwidth: 50 GB/s, latency: 500 ns}\n", slow("d0 switch>5")), "d0 switch>5", 50);
        row("fully connected", design("    - {shape: fully_connected, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n", slow("d0 1>3"), "{collective: all_to_all, size: 64 MB}", "{}"), "d0 1>3", 50);
        // The links of dimension 1 are slower and busier, but so are all of them.
        row("not the busiest", design("    - {shape: ring, size: 4, bandwidth: 200 GB/s, latency: 500 ns}\n    - {shape: ring, size: 4, bandwidth: 10 GB/s, latency: 500 ns}\n", slow("d0 1>2", "bandwidth: 40 GB/s")), "d0 1>2", 200);
        // Two slow ones: the worse.
        row("the worse of two", design(ringOf(16), slow("d0 3>4", "bandwidth: 25 GB/s") + slow("d0 9>10", "bandwidth: 5 GB/s")), "d0 9>10", 50);
        row("most of a ring was changed alike", design(ringOf(8), slow("d0 0>1", "bandwidth: 40 GB/s") + slow("d0 1>2", "bandwidth: 40 GB/s") + slow("d0 2>3", "bandwidth: 40 GB/s") + slow("d0 3>4", "bandwidth: 40 GB/s")
                                                                      + slow("d0 4>5", "bandwidth: 40 GB/s") + slow("d0 5>6", "bandwidth: 40 GB/s") + slow("d0 6>7", "bandwidth: 10 GB/s")), "d0 6>7", 40);
        row("star", star(8, 3), "gpu3>sw", 50);
        row("network card", hosts("5 GB/s"), "card4>leaf", 25);
        row("inside a host", hosts({}, "15 GB/s"), "gpu2>in0", 200);
    }

    void theSlowLinkIsFound()
    {
        QFETCH(QString, text);
        QFETCH(QString, link);
        QFETCH(double, usual);
        const Found found = find(text.toStdString());
        QVERIFY(found.outlier);
        // Of a cable that is slow both ways either one will do.
        const std::string back = link.section(QLatin1Char('>'), 1).toStdString() + '>' + link.section(QLatin1Char('>'), 0, 0).toStdString();
        QVERIFY2(found.name == link.toStdString() || found.name == back, found.name.c_str());
        QCOMPARE(found.outlier->kind, LinkOutlier::Kind::Rate);
        QCOMPARE(found.outlier->usualRate.bytesPerSecond, static_cast<std::int64_t>(usual * 1e9));
    }

    void itsCostIsWhatItIsBusyForMore()
    {
        // Ring of 4, all-reduce of 4 MB in one chunk: 6 messages of 1 MB over every + link; 20 us each at 50 GB/s, 100 us at 10 GB/s.
        const Found found = find(design(ringOf(4), slow("d0 2>3"), "{collective: all_reduce, size: 4 MB}"));
        QVERIFY(found.outlier);
        QCOMPARE(found.outlier->busyPs, 600'000'000);
        QCOMPARE(found.outlier->costPs, 480'000'000);
        QCOMPARE(found.outlier->usualBusyPs.value_or(-1), 120'000'000);
        QCOMPARE(found.outlier->equals, 3);
        QCOMPARE(found.outlier->alike, 0);
    }

    void aLongLatencyIsFound()
    {
        const Found found = find(design(ringOf(8), slow("d0 2>3", "latency: 50 us"), "{collective: all_reduce, size: 1 MB}"));
        QVERIFY(found.outlier);
        QCOMPARE(found.name, std::string("d0 2>3"));
        QCOMPARE(found.outlier->kind, LinkOutlier::Kind::Latency);
        QCOMPARE(found.outlier->usualLatency.ps, 500'000);
        // 14 messages, each 49.5 us later.
        QCOMPARE(found.outlier->costPs, 14 * 49'500'000);
    }

    void aLinkWithMoreToCarryIsFoundAmongThoseInUse()
    {
        // Eight pairs of neighbours send on a ring of 16, rank 6 twenty times as much.
        std::string steps;
        for (int i = 0; i < 16; i += 2)
            steps += (i ? ", {send: " : "{send: ") + std::string(i == 6 ? "80" : "4") + " MB, to: +1, ranks: " + std::to_string(i) + ", name: s" + std::to_string(i) + "}, {receive: "
                + (i == 6 ? "80" : "4") + " MB, from: -1, ranks: " + std::to_string(i + 1) + ", name: r" + std::to_string(i) + "}";
        const Found found = find(design(ringOf(16), "", "{steps: [" + steps + "]}", "{}"));
        QVERIFY(found.outlier);
        QCOMPARE(found.name, std::string("d0 6>7"));
        QCOMPARE(found.outlier->kind, LinkOutlier::Kind::Load);
        QCOMPARE(found.outlier->equals, 7);
    }
};

FABRICSCOPE_TEST(LinkOutliersTest)
#include "tst_linkoutliers.moc"
