#include "tests/unit/sim/innetworkruns.h"
#include "core/base/index.h"
#include "tests/unit/support/testprogram.h"

using namespace fabricscope;
using namespace fabricscope::test;

class TestInNetwork : public QObject {
    Q_OBJECT

private slots:
    void aloneItTakesTwoLinksTheSwitchAndTheSlowestRate();
    void everyLinkCarriesAnAllReduceOnce();
    void aBufferLetsSoManyPiecesThroughPerRoundTrip();
    void aLargerBufferIsNeverSlowerAndInTheEndAsFastAsNone();
    void groupsOnOneSwitchAgreeWithTheStraightLineModel_data();
    void groupsOnOneSwitchAgreeWithTheStraightLineModel();
    void overARingAndASwitchTheSwitchDoesTheTop();
    void aSwitchOfAGraphReducesToo();
    void itBeatsDirectWhereTheReducerIsFast();
    void broadcastsHaveTheirClosedForms();
    void whatCannotBeDoneIsRefusedInWords_data();
    void whatCannotBeDoneIsRefusedInWords();
    void theKeysAreReadWrittenHashedAndKept();
    void aSwitchThatHasNothingToDoIsReported();
};

void TestInNetwork::aloneItTakesTwoLinksTheSwitchAndTheSlowestRate()
{
    // 2 L + Z + H / min(B, R, M) + o; H / B of 1 MiB at 100 GB/s is 10.48576 us, at 50 GB/s 20.97152 us.
    One one;
    QCOMPARE(one.finish(), 2 * 500'000 + 200'000 + 10'485'760);
    one.delay = 30'000;
    QCOMPARE(one.finish(), 30'000 + 2 * 500'000 + 200'000 + 10'485'760);
    one.delay = 0;
    one.offload = "reduction: 50 GB/s, latency: 200 ns";
    QCOMPARE(one.finish(), 2 * 500'000 + 200'000 + 20'971'520);
    one.offload = "reduction: 400 GB/s, multicast: 50 GB/s";
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 20'971'520); // A latency of 0 counts as 1 ps.
    one.op = "reduce_scatter"; // Copies nothing.
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 10'485'760);
    one.op = "all_gather"; // What comes down decides: all of it; M takes in 1 MiB too.
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 20'971'520);
    one.op = "broadcast";
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 20'971'520);
    one.offload = "multicast: 400 GB/s";
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 10'485'760);
    one.op = "all_gather";
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 10'485'760);
    one.model = "ideal"; // One block of 256 KiB, no link ever busy.
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 2'621'440);
    one.op = "broadcast";
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 10'485'760);
}

void TestInNetwork::everyLinkCarriesAnAllReduceOnce()
{
    One one;
    one.n = 8;
    const auto check = [&](const std::string& op, std::int64_t up, std::int64_t down) {
        one.op = op;
        const RunRecord record = runOf(one.text());
        QCOMPARE(record.links.size(), std::size_t{16});
        for (const LinkUse& use : record.links)
            QCOMPARE(use.bytes, use.link % 2 == 0 ? up : down);
    };
    check("all_reduce", 1 << 20, 1 << 20);
    check("reduce_scatter", 1 << 20, 1 << 17);
    check("all_gather", 1 << 17, 1 << 20);
    one.op = "broadcast";
    const RunRecord record = runOf(one.text());
    QCOMPARE(record.links.size(), std::size_t{9}); // One up-link, eight down-links.
    for (const LinkUse& use : record.links)
        QCOMPARE(use.bytes, std::int64_t{1} << 20);
}

void TestInNetwork::aBufferLetsSoManyPiecesThroughPerRoundTrip()
{
    // k places of 256 KiB, 2.62144 us each at 100 GB/s; a place is taken for a round trip of 2 * 5 + 1 us + 2.62144 us = 13.62144 us.
    // k pieces start one behind the other, the next k when those have arrived: r rounds take r round trips and the k - 1 pieces of the last.
    One one;
    one.latency = 5'000'000;
    const std::int64_t piece = 2'621'440;
    const std::int64_t roundTrip = 11'000'000 + piece;
    for (const int k : {1, 2, 4}) {
        for (const int rounds : {1, 3, 8}) {
            one.offload = "reduction: 400 GB/s, latency: 1 us, buffer: " + std::to_string(k * kPiece) + " B";
            one.bytes = k * rounds * kPiece;
            QCOMPARE(one.finish(), rounds * roundTrip + (k - 1) * piece);
            one.delay = 700'000; // Paid by every piece.
            QCOMPARE(one.finish(), rounds * (roundTrip + 700'000) + (k - 1) * piece);
            one.delay = 0;
        }
    }
    // A buffer smaller than a piece: pieces of 64 KiB, 0.65536 us.
    one.offload = "reduction: 400 GB/s, latency: 1 us, buffer: 64 KiB";
    one.bytes = 10 * 65'536;
    QCOMPARE(one.finish(), 10 * (11'000'000 + 655'360));
    // A slow reducer: the place is taken for the time of the reducer, not of the link.
    one.offload = "reduction: 50 GB/s, latency: 1 us, buffer: 64 KiB";
    QCOMPARE(one.finish(), 10 * (11'000'000 + 2 * 655'360));
}

void TestInNetwork::aLargerBufferIsNeverSlowerAndInTheEndAsFastAsNone()
{
    std::mt19937_64 random(test::seeded(20251121));
    for (int round = 0; round < test::cases(150); ++round) {
        One one;
        one.n = static_cast<int>(2 + random() % 6);
        one.bandwidth = 262'144'000'000; // 4 KiB take a whole number of picoseconds: nothing rounds.
        one.latency = static_cast<std::int64_t>(random() % 3'000'000 + 1);
        one.bytes = 4096 * static_cast<std::int64_t>(1 + random() % 1200);
        one.op = std::vector<std::string>{"all_reduce", "broadcast"}[random() % 2];
        const std::string rates = "reduction: " + rate(262'144'000'000 >> random() % 3) + ", latency: 100 ns";
        one.offload = rates;
        const std::int64_t unlimited = one.finish();
        std::int64_t before = INT64_MAX;
        for (const std::int64_t buffer : {64 << 10, 256 << 10, 512 << 10, 2 << 20, 64 << 20}) {
            one.offload = rates + ", buffer: " + std::to_string(buffer) + " B";
            const std::int64_t finish = one.finish();
            QVERIFY2(finish <= before && finish >= unlimited, one.text().c_str());
            before = finish;
        }
        QCOMPARE(before, unlimited);
    }
}

void TestInNetwork::groupsOnOneSwitchAgreeWithTheStraightLineModel_data()
{
    QTest::addColumn<bool>("ideal");
    QTest::newRow("links") << false;
    QTest::newRow("ideal") << true;
}

void TestInNetwork::groupsOnOneSwitchAgreeWithTheStraightLineModel()
{
    QFETCH(const bool, ideal);
    std::mt19937_64 random(ideal ? 7 : 4);
    for (int round = 0; round < test::cases(2000); ++round) {
        const Shared shared = randomShared(random, ideal);
        const RunRecord record = runOf(shared.text);
        QVERIFY2(record.complete, shared.text.c_str());
        const SwitchModel::Answer expected = shared.model.answer();
        const std::vector<std::int64_t> finish = finishByRank(record);
        for (std::size_t rank = 0; rank < finish.size(); ++rank) {
            if (finish[rank] != expected.done[rank])
                QFAIL((shared.text + "rank " + std::to_string(rank) + ": " + std::to_string(finish[rank]) + ", expected " + std::to_string(expected.done[rank])).c_str());
        }
        std::vector<std::int64_t> bytes(2 * finish.size(), 0);
        for (const LinkUse& use : record.links)
            bytes[at(use.link)] = use.bytes;
        for (std::size_t rank = 0; rank < finish.size(); ++rank) {
            QCOMPARE(bytes[2 * rank], expected.upBytes[rank]);
            QCOMPARE(bytes[2 * rank + 1], expected.downBytes[rank]);
        }
    }
}

void TestInNetwork::overARingAndASwitchTheSwitchDoesTheTop()
{
    // Ring(4) at 200 GB/s, 100 ns; Switch(4) at 50 GB/s, 500 ns; 4 MiB: three steps of 1 MiB each way on the ring, 1 MiB through the switch.
    const std::string text = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 200 GB/s, latency: 100 ns}\n"
                             "    - {shape: switch, size: 4, bandwidth: 50 GB/s, latency: 500 ns, in_network: {reduction: 100 GB/s, latency: 50 ns}}\n"
                             "workload: {collective: all_reduce, size: 4 MiB}\ncollectives: {default: {algorithm: [ring, in_network], chunks: 1}}\n";
    const std::int64_t ring = 100'000 + duration(1 << 20, 200'000'000'000);
    QCOMPARE(finishOf(text), 6 * ring + 2 * 500'000 + 50'000 + duration(1 << 20, 50'000'000'000));
    const RunRecord record = runOf(text);
    QCOMPARE(record.dimensions[1].bytes, 16 * 2 * (std::int64_t{1} << 20));

    // Below the top: reduce-scatter of 4 MiB on the switch, ring over four NPUs with 1 MiB blocks, all-gather.
    const std::string below = "fabricscope: 1\nplatform:\n  dimensions:\n"
                              "    - {shape: switch, size: 4, bandwidth: 50 GB/s, latency: 500 ns, in_network: {reduction: 100 GB/s, latency: 50 ns}}\n"
                              "    - {shape: ring, size: 4, bandwidth: 200 GB/s, latency: 100 ns}\n"
                              "workload: {collective: all_reduce, size: 4 MiB}\ncollectives: {default: {algorithm: [in_network, ring], chunks: 1}}\n";
    // 4 MiB go up for the sums; the blocks of the positions 0 to 2 are through their rings by then and go up at once, that of position 3 comes
    // 1.05 us and six short steps of a ring later (9 us, less than 1 MiB takes): all four come down one behind the other.
    const std::int64_t mib = duration(1 << 20, 50'000'000'000);
    QCOMPARE(finishOf(below), 4 * mib + 2 * 500'000 + 50'000 + 4 * mib);
}

void TestInNetwork::aSwitchOfAGraphReducesToo()
{
    std::string text = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (int i = 0; i < 4; ++i)
        text += "    - {name: n" + std::to_string(i) + "}\n";
    text += "    - {name: plain, kind: switch}\n    - {name: clever, kind: switch, in_network: {reduction: 400 GB/s, latency: 200 ns}}\n  links:\n";
    for (const char* hub : {"plain", "clever"}) {
        for (int i = 0; i < 4; ++i)
            text += "    - {between: [n" + std::to_string(i) + ", " + hub + "], bandwidth: 100 GB/s, latency: 500 ns}\n";
    }
    const std::string rest = "workload: {collective: all_reduce, size: 1 MiB}\ncollectives: {default: {algorithm: in_network, chunks: 1}}\n";
    QCOMPARE(finishOf(text + rest), 2 * 500'000 + 200'000 + 10'485'760);
    const std::string cut = text + "  overrides:\n    links:\n      - {link: n2>clever, removed: true}\n";
    QVERIFY(errorOf(cut + rest).find("no switch that reduces or copies has links from and to all members") != std::string::npos);
    const std::string some = "workload:\n  groups:\n    - {name: some, lists: [[0, 1, 3]]}\n  steps:\n    - {collective: all_gather, size: 3 MiB, group: some}\n"
                             "collectives: {default: {algorithm: in_network, chunks: 1}}\n";
    QCOMPARE(finishOf(cut + some), 2 * 500'000 + 200'000 + 3 * 10'485'760);
}

void TestInNetwork::itBeatsDirectWhereTheReducerIsFast()
{
    std::mt19937_64 random(test::seeded(99));
    for (int round = 0; round < test::cases(200); ++round) {
        One one;
        one.n = static_cast<int>(2 + random() % 15);
        one.latency = static_cast<std::int64_t>(1000 + random() % 2'000'000);
        one.bytes = static_cast<std::int64_t>(one.n) * static_cast<std::int64_t>(1 + random() % 300'000);
        one.offload = "reduction: 900 GB/s, latency: 1 ns";
        const std::int64_t inside = one.finish();
        one.algorithm = "direct";
        // Direct: two rounds of 2 L and (n-1)/n of the data each.
        const std::int64_t block = one.bytes / one.n;
        QVERIFY(one.finish() >= 2 * (2 * one.latency + duration((one.n - 1) * block, one.bandwidth)));
        QVERIFY(inside < one.finish());
        one.algorithm = "ring";
        QVERIFY(inside < one.finish());
    }
}

void TestInNetwork::broadcastsHaveTheirClosedForms()
{
    const auto text = [](const std::string& dimensions, const std::string& algorithm, std::int64_t bytes, int chunks) {
        return "fabricscope: 1\nplatform:\n  dimensions:\n" + dimensions + "workload: {collective: broadcast, size: " + std::to_string(bytes)
            + " B}\ncollectives: {default: {algorithm: " + algorithm + ", chunks: " + std::to_string(chunks) + "}}\n";
    };
    const std::int64_t mib = duration(1 << 20, 100'000'000'000);
    const auto dimension = [](const char* shape, int size) {
        return "    - {shape: " + std::string(shape) + ", size: " + std::to_string(size) + ", bandwidth: 100 GB/s, latency: 500 ns}\n";
    };
    for (const int n : {2, 3, 5, 8}) {
        for (const int chunks : {1, 4, 7}) {
            // A chain: the last position is n - 1 hops away, chunks follow one another.
            QCOMPARE(finishOf(text(dimension("ring", n), "ring", chunks << 20, chunks)), (n - 1) * (500'000 + mib) + (chunks - 1) * mib);
            QCOMPARE(finishOf(text(dimension("switch", n), "auto", chunks << 20, chunks)), (n - 1) * (1'000'000 + mib) + (chunks - 1) * mib);
            QCOMPARE(finishOf(text(dimension("fully_connected", n), "auto", chunks << 20, chunks)), 500'000 + chunks * mib);
            QCOMPARE(finishOf(text(dimension("switch", n), "direct", chunks << 20, chunks)), 1'000'000 + (n - 1) * chunks * mib);
        }
    }
    // Highest dimension first: a chain of three hops over switches, then two hops on every ring.
    QCOMPARE(finishOf(text(dimension("ring", 3) + dimension("switch", 4), "ring", 1 << 20, 1)), 3 * (1'000'000 + mib) + 2 * (500'000 + mib));
    // Every rank but the first receives everything once.
    const RunRecord record = runOf(text(dimension("ring", 3) + dimension("fully_connected", 4), "auto", 12'345, 4));
    QCOMPARE(record.dimensions[0].bytes + record.dimensions[1].bytes, std::int64_t{11} * 12'345);
}

void TestInNetwork::whatCannotBeDoneIsRefusedInWords_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    One one;
    const auto row = [](const char* name, const std::string& text, const char* words) { QTest::newRow(name) << QString::fromStdString(text) << QString(words); };
    row("ring with in_network", replaced(one.text(), "shape: switch", "shape: ring"), "only switches reduce and copy in the network");
    row("its line", replaced(one.text(), "shape: switch", "shape: ring"), "test.yaml:4");
    const std::string plain = replaced(one.text(), ", in_network: {" + one.offload + "}", "");
    row("switch without", plain, "the switches of dimension 0 neither reduce nor copy");
    row("ring without", replaced(plain, "shape: switch", "shape: ring"), "dimension 0 is a Ring, not a switch");
    row("all-to-all", replaced(one.text(), "all_reduce", "all_to_all"), "in_network cannot do all_to_all: switches reduce and copy");
    row("no reduction", replaced(one.text(), "reduction: 400 GB/s, ", ""), "the switch has no rate of reduction");
    row("small buffer", replaced(one.text(), "latency: 200 ns", "buffer: 4095 B"), "too small a buffer");
    row("rate of 0", replaced(one.text(), "reduction: 400 GB/s", "reduction: 0 GB/s"), "in_network.reduction");
    row("unknown key", replaced(one.text(), "reduction", "reductions"), "unknown key \"reductions\"");
    row("astra", replaced(one.text(), "name: links", "name: astra-aware"), "astra-* models know no switches that reduce or copy");
    row("broadcast under astra", replaced(replaced(replaced(plain, "all_reduce", "broadcast"), "algorithm: in_network", "algorithm: ring"), "name: links", "name: astra-unaware"),
        "astra-* models run no broadcasts");
    row("halving-doubling broadcast", replaced(replaced(plain, "all_reduce", "broadcast"), "algorithm: in_network", "algorithm: halving_doubling"), "halving_doubling cannot do broadcast");
    const std::string grid = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: switch, size: 3, bandwidth: 1 GB/s, latency: 1 ns, in_network: {reduction: 1 GB/s}}\n"
                             "    - {shape: switch, size: 3, bandwidth: 1 GB/s, latency: 1 ns, in_network: {reduction: 1 GB/s}}\n"
                             "workload:\n  groups:\n    - {name: g, lists: [[0, 4, 8]]}\n  steps:\n    - {collective: all_reduce, size: 1 KiB, group: g}\n"
                             "collectives: {default: {algorithm: in_network}}\n";
    row("group over no switch", grid, "share no switch");
}

void TestInNetwork::whatCannotBeDoneIsRefusedInWords()
{
    QFETCH(const QString, text);
    QFETCH(const QString, words);
    const std::string error = errorOf(text.toStdString());
    QVERIFY2(!error.empty(), qPrintable(text));
    QVERIFY2(QString::fromStdString(error).contains(words), error.c_str());
}

void TestInNetwork::theKeysAreReadWrittenHashedAndKept()
{
    One one;
    one.offload = "reduction: 400 GB/s, multicast: 900 GB/s, buffer: 32 MiB, latency: 200 ns";
    const Design design = readDesignText(one.text(), "test.yaml").value().design;
    const auto again = readDesignText(writeDesign(design), "again.yaml");
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QVERIFY(*again.value().design.platform == *design.platform);
    QVERIFY(designHash(again.value().design) == designHash(design));
    std::set<std::string> hashes{designHash(design).hex()};
    for (const char* other : {"reduction: 401 GB/s, multicast: 900 GB/s, buffer: 32 MiB, latency: 200 ns", "reduction: 400 GB/s, buffer: 32 MiB, latency: 200 ns",
                              "reduction: 400 GB/s, multicast: 900 GB/s, buffer: 16 MiB, latency: 200 ns", "reduction: 400 GB/s, multicast: 900 GB/s, buffer: 32 MiB"}) {
        one.offload = other;
        QVERIFY(hashes.insert(designHash(readDesignText(one.text(), "test.yaml").value().design).hex()).second);
    }

    const std::string graph = "fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: s, kind: switch, in_network: {multicast: 1 GB/s, buffer: 1 MiB}}]\n"
                              "  links:\n    - {between: [a, s], bandwidth: 1 GB/s, latency: 1 ns}\n    - {between: [b, s], bandwidth: 1 GB/s, latency: 1 ns}\n"
                              "workload: {collective: all_gather, size: 1 KiB}\n";
    const Design nodes = readDesignText(graph, "test.yaml").value().design;
    QVERIFY(*readDesignText(writeDesign(nodes), "again.yaml").value().design.platform == *nodes.platform);

    one.offload = "reduction: 400 GB/s";
    YamlDocument yaml = YamlDocument::parse(one.text(), "test.yaml").value();
    QVERIFY(edits::setSize(yaml, 0, 8));
    QVERIFY(edits::setLatency(yaml, 0, {7, "ns", Measure::Time}));
    QVERIFY(yaml.text().find("in_network: {reduction: 400 GB/s}") != std::string::npos);
    edits::Dropped dropped;
    QVERIFY(edits::setShape(yaml, 0, Shape::Ring, &dropped));
    QVERIFY(yaml.text().find("in_network: {") == std::string::npos);
    QCOMPARE(dropped, edits::Dropped{"in_network of dimension 0"});
}

void TestInNetwork::aSwitchThatHasNothingToDoIsReported()
{
    One one;
    const auto notes = [&] {
        std::string all;
        const ScenarioPtr scenario = prepared(one.text());
        for (const Diagnostic& each : scenario->diagnostics)
            all += each.message + "\n";
        return all;
    };
    QVERIFY(notes().find("in_network of the platform is not used") == std::string::npos);
    one.algorithm = "ring";
    QVERIFY(notes().find("in_network of the platform is not used: no collective runs by the algorithm in_network") != std::string::npos);
    one.model = "astra-aware";
    QVERIFY(notes().find("in_network of the platform is not used: astra-*") != std::string::npos);
    // Then every engine may run it.
    one.model = "links";
    RunOptions symmetry;
    symmetry.engine = EngineChoice::Symmetry;
    QVERIFY(simulate(*prepared(one.text()), symmetry));
    one.algorithm = "in_network";
    QVERIFY(!simulate(*prepared(one.text()), symmetry));
}

FABRICSCOPE_TEST(TestInNetwork)
#include "tst_innetwork.moc"
