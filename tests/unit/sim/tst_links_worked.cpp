#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kKiB = 1 << 10;
constexpr std::int64_t kB = 50LL << 30; ///< "50 GB/s" of an ASTRA-sim file, in bytes/s.

/// Deliveries in ascending order, ps.
std::vector<std::int64_t> deliveries(const LinksScenario& scenario)
{
    std::vector<std::int64_t> times;
    for (const MessageRecord& message : runLinks(scenario.build()).messages)
        times.push_back(message.donePs);
    std::sort(times.begin(), times.end());
    return times;
}

/// Exact figure in ns against a result in ps: every duration of the longest chain was rounded up by less than one ps.
bool isRounded(double exactNs, std::int64_t ps, int durations)
{
    const double difference = static_cast<double>(ps) - exactNs * 1000;
    return difference > -0.01 && difference < durations + 0.01;
}

void sendReceive(LinksScenario& scenario, std::int32_t from, std::int32_t to, std::int64_t bytes)
{
    scenario.send(from, to, bytes);
    scenario.receive(to, from, bytes);
}

/// One send in a group of its own: a stream.
ProgramPtr oneSend(std::int64_t bytes)
{
    auto program = std::make_shared<Program>();
    program->op = CollectiveOp::Custom;
    program->ranks = 2;
    ExplicitBody body;
    body.rankBegin = {0, 1, 2};
    body.kind = {OpKind::Send, OpKind::Receive};
    body.peer = {1, 0};
    body.connection = {0, 0};
    body.lane = {-1, -1};
    body.chunk = {-1, -1};
    body.count = {0, 0};
    body.bytes = {bytes, bytes};
    body.duration = {0, 0};
    body.sourceBuffer = {BufferKind::Input, BufferKind::Input};
    body.targetBuffer = {BufferKind::Output, BufferKind::Output};
    body.sourceOffset = {0, 0};
    body.targetOffset = {0, 0};
    body.step = {0, 0};
    body.slot = {0, 0};
    body.sourceId = {1, 2};
    body.dependBegin = {0, 0, 0};
    program->body = std::move(body);
    return program;
}

std::int64_t finishOf(const LinksScenario& scenario)
{
    const LinksRun run = runLinks(scenario.build());
    if (!run.record.complete)
        return -1;
    return run.record.finish.ps;
}

ExplicitLink link(NodeId from, NodeId to, double gib)
{
    return {from, to, astraBandwidth(gib), astraLatency(500)};
}

} // namespace

/// The table "Worked numbers" of the physical semantics: B = 50 GiB/s, L = 500 ns, M = 1600 GB/s unless said.
class LinksWorkedTest : public QObject {
    Q_OBJECT

private slots:
    void messageCrossesARing()
    {
        LinksScenario one(astraPlatform("Ring(8)", {50}, {500}));
        sendReceive(one, 0, 1, kMiB);
        LinksScenario three(astraPlatform("Ring(8)", {50}, {500}));
        sendReceive(three, 0, 3, kMiB);

        QCOMPARE(finishOf(one), 20'031'250);
        QCOMPARE(finishOf(three), 21'031'250);
    }

    void messageCrossesASwitch()
    {
        LinksScenario scenario(astraPlatform("Switch(4)", {50}, {500}));
        sendReceive(scenario, 2, 0, kMiB);

        QCOMPARE(finishOf(scenario), 20'531'250);
    }

    void sendersShareTheDownLink()
    {
        LinksScenario scenario(astraPlatform("Switch(4)", {50}, {500}));
        for (const int rank : {1, 2, 3})
            sendReceive(scenario, rank, 0, kMiB);

        const auto times = deliveries(scenario);

        QCOMPARE(times.size(), std::size_t{3});
        QVERIFY(isRounded(49828.125, times[0], 2));
        QVERIFY(isRounded(54710.9375, times[1], 2));
        QCOMPARE(times[2], 59'593'750);
    }

    void privateLinksDoNotShare()
    {
        LinksScenario scenario(astraPlatform("FullyConnected(4)", {50}, {500}));
        for (const int rank : {1, 2, 3})
            sendReceive(scenario, rank, 0, kMiB);

        QCOMPARE(deliveries(scenario), (std::vector<std::int64_t>{20'031'250, 20'031'250, 20'031'250}));
    }

    void collectives_data()
    {
        QTest::addColumn<QString>("topology");
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("algorithm");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<qint64>("reducer");
        QTest::addColumn<int>("endpointNs");
        QTest::addColumn<double>("exactNs");
        QTest::addColumn<int>("durations");
        const int allReduce = static_cast<int>(CollectiveOp::AllReduce);
        const int allToAll = static_cast<int>(CollectiveOp::AllToAll);
        const int ring = static_cast<int>(Algorithm::Ring);
        const int direct = static_cast<int>(Algorithm::Direct);
        const qint64 fast = 1'600'000'000'000;
        const qint64 slow = 50'000'000'000;
        QTest::newRow("ring on Ring(8)") << "Ring(8)" << allReduce << ring << 1 << fast << 0 << 41179.6875 << 14;
        QTest::newRow("o = 10") << "Ring(8)" << allReduce << ring << 1 << fast << 10 << 41319.6875 << 14;
        QTest::newRow("4 chunks") << "Ring(8)" << allReduce << ring << 4 << fast << 0 << 34679.6875 << 56;
        QTest::newRow("M = 50") << "Ring(8)" << allReduce << ring << 1 << slow << 0 << 7 * (500 + 3 * 131072 / 50.0) + 7 * 2941.40625 << 14;
        QTest::newRow("ring on Switch(8)") << "Switch(8)" << allReduce << ring << 1 << fast << 0 << 48179.6875 << 14;
        QTest::newRow("direct on FC(8)") << "FullyConnected(8)" << allReduce << direct << 1 << fast << 0 << 5882.8125 << 2;
        QTest::newRow("direct on Switch(8)") << "Switch(8)" << allReduce << direct << 1 << fast << 0 << 36179.6875 << 14;
        QTest::newRow("direct on FC(8), M = 50") << "FullyConnected(8)" << allReduce << direct << 1 << slow << 0
                                                  << 500 + 9 * 131072 / 50.0 + 2941.40625 << 8;
        QTest::newRow("all-to-all FC(8)") << "FullyConnected(8)" << allToAll << direct << 1 << fast << 0 << 2941.40625 << 1;
        QTest::newRow("all-to-all Switch(8)") << "Switch(8)" << allToAll << direct << 1 << fast << 0 << 18089.84375 << 7;
        QTest::newRow("all-to-all Ring(8)") << "Ring(8)" << allToAll << direct << 1 << fast << 0 << 24914.0625 << 10;
    }
    void collectives()
    {
        QFETCH(QString, topology);
        QFETCH(int, op);
        QFETCH(int, algorithm);
        QFETCH(int, chunks);
        QFETCH(qint64, reducer);
        QFETCH(int, endpointNs);
        QFETCH(double, exactNs);
        QFETCH(int, durations);
        LinksScenario scenario(astraPlatform(topology.toStdString(), {50}, {500}));
        scenario.reducerRate = reducer;
        scenario.endpointDelayPs = endpointNs * 1000;
        scenario.collectiveByAll(static_cast<CollectiveOp>(op), kMiB, {static_cast<Algorithm>(algorithm)}, chunks);

        const std::int64_t finish = finishOf(scenario);

        QVERIFY2(isRounded(exactNs, finish, durations), qPrintable(QString("%1 ps, exact %2 ns").arg(finish).arg(exactNs)));
    }

    /// The figures the page gives after rounding every duration up to a picosecond.
    void roundedFiguresAreExact()
    {
        LinksScenario whole(astraPlatform("Ring(8)", {50}, {500}));
        whole.reducerRate = 1'600'000'000'000;
        whole.collectiveByAll(CollectiveOp::AllReduce, kMiB, {Algorithm::Ring});
        LinksScenario chunked(astraPlatform("Ring(8)", {50}, {500}));
        chunked.reducerRate = 1'600'000'000'000;
        chunked.collectiveByAll(CollectiveOp::AllReduce, kMiB, {Algorithm::Ring}, 4);

        QCOMPARE(nsText(SimTime{finishOf(whole)}), std::string("41179.698"));
        QCOMPARE(nsText(SimTime{finishOf(chunked)}), std::string("34679.712"));
    }

    void twoLevelAllReduce_data()
    {
        QTest::addColumn<int>("chunks");
        QTest::addColumn<QString>("finish");
        QTest::newRow("1 chunk") << 1 << "1515375";
        QTest::newRow("4 chunks") << 4 << "1201406.25";
        QTest::newRow("16 chunks") << 16 << "1121781.385";
    }
    void twoLevelAllReduce()
    {
        QFETCH(int, chunks);
        QFETCH(QString, finish);
        LinksScenario scenario(astraPlatform("Ring(4)_Switch(8)", {100, 50}, {500, 1000}));
        scenario.reducerRate = 1'600'000'000'000;
        scenario.collectiveByAll(CollectiveOp::AllReduce, 64 * kMiB, {Algorithm::Ring}, chunks);

        QCOMPARE(QString::fromStdString(nsText(SimTime{finishOf(scenario)})), finish);
    }

    void streamsTakeTurnsOnOneLink()
    {
        LinksScenario scenario(astraPlatform("Ring(8)", {50}, {500}));
        for (int i = 0; i < 2; ++i) {
            const FamilyId family = scenario.addFamily({{0, 1}});
            for (const int rank : {0, 1})
                scenario.collective(rank, family, kMiB, oneSend(kMiB), {2});
        }

        const auto times = deliveries(scenario);

        QVERIFY(isRounded(34679.6875, times[0], 4));
        QCOMPARE(times[1], 39'562'500);
    }

    void smallMessageWaitsForOnePieceOfAnotherStream()
    {
        LinksScenario scenario(astraPlatform("Ring(8)", {50}, {500}));
        for (const std::int64_t bytes : {64 * kMiB, 4 * kKiB}) {
            const FamilyId family = scenario.addFamily({{0, 1}});
            for (const int rank : {0, 1})
                scenario.collective(rank, family, bytes, oneSend(bytes), {2});
        }

        QVERIFY(isRounded(4882.8125 + 76.2939453125 + 500, deliveries(scenario)[0], 2));
    }

    void fasterTrunkCausesNoStagger()
    {
        PlatformSpec spec;
        spec.nodes = {{"a", NodeKind::Npu}, {"b", NodeKind::Npu}, {"c", NodeKind::Npu}, {"s", NodeKind::Switch}};
        spec.links = {link(0, 3, 50), link(1, 3, 50), link(3, 2, 100), link(2, 3, 100), link(3, 0, 50), link(3, 1, 50)};
        LinksScenario scenario(spec);
        sendReceive(scenario, 0, 2, kMiB);
        sendReceive(scenario, 1, 2, kMiB);

        const auto times = deliveries(scenario);

        QVERIFY(isRounded(20531.25, times[0], 1));
        QVERIFY(isRounded(20531.25, times[1], 1));
    }

    void narrowTrunkIsShared()
    {
        PlatformSpec spec;
        for (int i = 0; i < 16; ++i)
            spec.nodes.push_back({"npu" + std::to_string(i), NodeKind::Npu});
        spec.nodes.push_back({"left", NodeKind::Switch});
        spec.nodes.push_back({"right", NodeKind::Switch});
        for (int i = 0; i < 8; ++i) {
            spec.links.push_back(link(i, 16, 50));
            spec.links.push_back(link(16, i, 50));
            spec.links.push_back(link(17, 8 + i, 50));
            spec.links.push_back(link(8 + i, 17, 50));
        }
        spec.links.push_back(link(16, 17, 200));
        spec.links.push_back(link(17, 16, 200));
        LinksScenario scenario(spec);
        for (int i = 0; i < 8; ++i)
            sendReceive(scenario, i, 8 + i, kMiB);

        QVERIFY(isRounded(40562.5, deliveries(scenario).back(), 8));
    }

    void budgetsLimitWhatAnNpuSends_data()
    {
        QTest::addColumn<double>("share");
        QTest::addColumn<bool>("ejects");
        QTest::addColumn<double>("exactNs");
        for (const bool ejects : {false, true}) {
            const char* side = ejects ? "ejection" : "injection";
            QTest::addRow("%s 7 B", side) << 7.0 << ejects << 2941.40625;
            QTest::addRow("%s 3.5 B", side) << 3.5 << ejects << 5382.8125;
            QTest::addRow("%s B", side) << 1.0 << ejects << 17589.84375;
        }
    }
    void budgetsLimitWhatAnNpuSends()
    {
        QFETCH(double, share);
        QFETCH(bool, ejects);
        QFETCH(double, exactNs);
        LinksScenario scenario(astraPlatform("FullyConnected(8)", {50}, {500}));
        const auto budget = static_cast<std::int64_t>(share * static_cast<double>(kB));
        (ejects ? scenario.ejection : scenario.injection) = budget;
        for (int peer = 1; peer < 8; ++peer)
            sendReceive(scenario, ejects ? peer : 0, ejects ? 0 : peer, 128 * kKiB);

        QVERIFY(isRounded(exactNs, deliveries(scenario).back(), 8));
    }

    void messageCrossesEveryDimension()
    {
        LinksScenario scenario(astraPlatform("Ring(2)_FullyConnected(8)_Switch(4)", {200, 100, 50}, {50, 500, 2000}));
        sendReceive(scenario, 0, 63, kMiB);

        QCOMPARE(finishOf(scenario), 24'081'250);
    }

    void idealNeverWaits()
    {
        LinksScenario scenario(astraPlatform("Switch(4)", {50}, {500}));
        scenario.model = Model::Ideal;
        for (const int rank : {1, 2, 3})
            sendReceive(scenario, rank, 0, kMiB);

        QCOMPARE(deliveries(scenario), (std::vector<std::int64_t>{20'531'250, 20'531'250, 20'531'250}));
    }

    void wholeCollectives_data()
    {
        QTest::addColumn<QString>("text");
        std::ifstream file(goldenFile("physical_cases.json"));
        std::stringstream text;
        text << file.rdbuf();
        const auto cases = nlohmann::json::parse(text.str());
        QCOMPARE(cases.size(), std::size_t{12});
        for (const auto& entry : cases)
            QTest::newRow(entry["id"].get<std::string>().c_str()) << QString::fromStdString(entry.dump());
    }
    void wholeCollectives()
    {
        QFETCH(QString, text);
        const auto entry = nlohmann::json::parse(text.toStdString());
        const auto bandwidths = entry.at("bandwidth_GiBps").get<std::vector<double>>();
        const auto latencies = entry.at("latency_ns").get<std::vector<double>>();
        PlatformSpec spec = astraPlatform(entry.at("topology").get<std::string>(), bandwidths, latencies);
        if (entry.contains("npu_bandwidth_GiBps")) {
            for (std::size_t d = 0; d < spec.dimensions.size(); ++d) {
                spec.dimensions[d].bandwidth = astraBandwidth(entry["npu_bandwidth_GiBps"][d].get<double>());
                spec.dimensions[d].bandwidthIsPerNpu = true;
            }
        }
        std::vector<Algorithm> algorithms;
        for (const auto& name : entry.at("algorithm")) {
            for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::Direct, Algorithm::HalvingDoubling}) {
                if (name.get<std::string>() == algorithmKey(algorithm))
                    algorithms.push_back(algorithm);
            }
        }
        CollectiveOp op = CollectiveOp::AllReduce;
        for (const CollectiveOp candidate : {CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll}) {
            if (entry.at("collective").get<std::string>() == collectiveKey(candidate))
                op = candidate;
        }
        LinksScenario scenario(spec);
        scenario.reducerRate = static_cast<std::int64_t>(entry.at("local_mem_bw_GBps").get<double>() * 1e9);
        scenario.endpointDelayPs = static_cast<std::int64_t>(entry.at("endpoint_delay_ns").get<double>() * 1e3);
        scenario.collectiveByAll(op, entry.at("size_bytes").get<std::int64_t>(), algorithms, entry.at("chunks").get<int>());

        const auto expected = static_cast<std::int64_t>(std::llround(entry.at("finish_ns").get<double>() * 1000));
        QCOMPARE(finishOf(scenario), expected);
    }
};

FABRICSCOPE_TEST(LinksWorkedTest)
#include "tst_links_worked.moc"
