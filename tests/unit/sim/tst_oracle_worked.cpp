// The brute-force oracle against the worked numbers (manual: models 6) and against physical_cases.json: both were computed with exact
// fractions by scripts that know nothing of this program.
#include "tests/unit/support/cases/randomcase.h"
#include "core/base/index.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/oracles/bruteforce.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kB = 53'687'091'200; // 50 GiB/s
constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kLatency = 500'000;
constexpr std::int64_t kReducer = 1'600'000'000'000;

CaseSpec::Dim dim(Shape shape, std::int32_t size, std::int64_t rate = kB, std::int64_t latency = kLatency)
{
    return {shape, size, rate, latency};
}

/// A machine without work.
CaseSpec idle(std::vector<CaseSpec::Dim> dims)
{
    CaseSpec spec = worldCollective(std::move(dims), CollectiveOp::AllReduce, 0, 1, {});
    spec.families[0].calls.clear();
    for (auto& tasks : spec.tasks)
        tasks.clear();
    spec.reducerRate = kReducer;
    return spec;
}

/// A message as a send and a receive task.
void addMessage(CaseSpec& spec, std::int32_t source, std::int32_t target, std::int64_t bytes, std::uint32_t tag = 0)
{
    CaseSpec::Task task;
    task.kind = TaskKind::Send;
    task.peer = target;
    task.bytes = bytes;
    task.tag = tag;
    spec.tasks[at(source)].push_back(task);
    task.kind = TaskKind::Receive;
    task.peer = source;
    spec.tasks[at(target)].push_back(task);
}

OracleResult run(const CaseSpec& spec)
{
    const auto scenario = build(spec);
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    return bruteForce(scenario.value());
}

/// End of every message, ascending.
std::vector<std::int64_t> deliveries(const CaseSpec& spec)
{
    std::vector<std::int64_t> ends;
    for (const MessageRecord& record : run(spec).messages)
        ends.push_back(record.donePs);
    std::sort(ends.begin(), ends.end());
    return ends;
}

CaseSpec collective(Shape shape, std::int32_t ranks, CollectiveOp op, Algorithm algorithm, std::int32_t chunks = 1)
{
    CaseSpec spec = worldCollective({dim(shape, ranks)}, op, kMiB, chunks, standardBody(op, {ranks}, {algorithm}));
    spec.reducerRate = kReducer;
    return spec;
}

/// An explicit machine: `npus` NPUs, then switches.
CaseSpec graph(std::int32_t npus, std::int32_t switches, std::vector<CaseSpec::Link> links)
{
    CaseSpec spec = idle({dim(Shape::Ring, npus)});
    spec.dims.clear();
    spec.nodes.assign(static_cast<std::size_t>(npus), NodeKind::Npu);
    spec.nodes.insert(spec.nodes.end(), static_cast<std::size_t>(switches), NodeKind::Switch);
    spec.links = std::move(links);
    return spec;
}

using Ends = std::vector<std::int64_t>;

} // namespace

class OracleWorkedTest : public QObject {
    Q_OBJECT

private slots:
    void singleMessagesTakeLatencyPerHopAndTheirSizeOnce()
    {
        CaseSpec ring = idle({dim(Shape::Ring, 8)});
        addMessage(ring, 0, 1, kMiB);
        QCOMPARE(deliveries(ring), Ends{20'031'250});

        CaseSpec three = idle({dim(Shape::Ring, 8)});
        addMessage(three, 0, 3, kMiB);
        QCOMPARE(deliveries(three), Ends{21'031'250});

        CaseSpec star = idle({dim(Shape::Switch, 8)});
        addMessage(star, 0, 5, kMiB);
        QCOMPARE(deliveries(star), Ends{20'531'250});

        CaseSpec corner = idle({dim(Shape::Ring, 2, 4 * kB, 50'000), dim(Shape::FullyConnected, 8, 2 * kB, 500'000), dim(Shape::Switch, 4, kB, 2'000'000)});
        addMessage(corner, 0, 63, kMiB);
        QCOMPARE(deliveries(corner), Ends{24'081'250});
    }

    void threeSendersShareTheDownLinkOfASwitch()
    {
        CaseSpec star = idle({dim(Shape::Switch, 4)});
        CaseSpec mesh = idle({dim(Shape::FullyConnected, 4)});
        for (std::int32_t source = 1; source < 4; ++source) {
            addMessage(star, source, 0, kMiB);
            addMessage(mesh, source, 0, kMiB);
        }
        // 49828.125, 54710.9375, 59593.75; the quarter messages are 4882812.5 ps long, the first three rounded up in turn.
        QCOMPARE(deliveries(star), (Ends{49'828'126, 54'710'938, 59'593'750}));
        QCOMPARE(deliveries(mesh), (Ends{20'031'250, 20'031'250, 20'031'250}));
    }

    void collectivesTakeTheirClosedForms_data()
    {
        QTest::addColumn<int>("shape");
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("algorithm");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<qint64>("overhead");
        QTest::addColumn<qint64>("reducer");
        QTest::addColumn<qint64>("finish");
        const auto row = [](const char* name, Shape shape, CollectiveOp op, Algorithm algorithm, int chunks, qint64 overhead, qint64 reducer, qint64 finish) {
            QTest::newRow(name) << static_cast<int>(shape) << static_cast<int>(op) << static_cast<int>(algorithm) << chunks << overhead << reducer << finish;
        };
        const qint64 x = 2'441'407; // 128 KiB / B, rounded up
        const qint64 l = kLatency;
        using enum Shape;
        using enum CollectiveOp;
        using A = Algorithm;
        row("ring on Ring", Ring, AllReduce, A::Ring, 1, 0, kReducer, 14 * (l + x));
        row("ring on Ring, overhead", Ring, AllReduce, A::Ring, 1, 10'000, kReducer, 14 * (l + x + 10'000));
        row("ring on Ring, 4 chunks", Ring, AllReduce, A::Ring, 4, 0, kReducer, 34'679'712);
        row("ring on Ring, slow memory", Ring, AllReduce, A::Ring, 1, 0, 50'000'000'000, 7 * (l + 7'864'320) + 7 * (l + x));
        row("ring on Switch", Switch, AllReduce, A::Ring, 1, 0, kReducer, 14 * (2 * l + x));
        row("direct on FullyConnected", FullyConnected, AllReduce, A::Direct, 1, 0, kReducer, 2 * (l + x));
        row("direct on Switch", Switch, AllReduce, A::Direct, 1, 0, kReducer, 2 * (2 * l + 7 * x));
        row("direct on FullyConnected, slow memory", FullyConnected, AllReduce, A::Direct, 1, 0, 50'000'000'000, l + 7 * 3'370'423 + l + x);
        row("all-to-all on FullyConnected", FullyConnected, AllToAll, A::Direct, 1, 0, kReducer, l + x);
        row("all-to-all on Switch", Switch, AllToAll, A::Direct, 1, 0, kReducer, 2 * l + 7 * x);
        row("all-to-all on Ring", Ring, AllToAll, A::Direct, 1, 0, kReducer, l + 10 * x);
    }
    void collectivesTakeTheirClosedForms()
    {
        QFETCH(int, shape);
        QFETCH(int, op);
        QFETCH(int, algorithm);
        QFETCH(int, chunks);
        QFETCH(qint64, overhead);
        QFETCH(qint64, reducer);
        QFETCH(qint64, finish);
        CaseSpec spec = collective(static_cast<Shape>(shape), 8, static_cast<CollectiveOp>(op), static_cast<Algorithm>(algorithm), chunks);
        spec.endpointDelayPs = overhead;
        spec.reducerRate = reducer;
        const OracleResult result = run(spec);
        QVERIFY(result.complete);
        QCOMPARE(result.finishPs, finish);
    }

    void streamsTakeTurnsOnALink()
    {
        // An all-gather of two ranks is one message of another stream each way.
        CaseSpec equal = worldCollective({dim(Shape::Ring, 2)}, CollectiveOp::AllGather, 2 * kMiB, 1, standardBody(CollectiveOp::AllGather, {2}, {Algorithm::Ring}));
        addMessage(equal, 0, 1, kMiB);
        QCOMPARE(deliveries(equal), (Ends{20'031'250, 34'679'688, 39'562'500}));

        CaseSpec small = worldCollective({dim(Shape::Ring, 2)}, CollectiveOp::AllGather, 128 * kMiB, 1, standardBody(CollectiveOp::AllGather, {2}, {Algorithm::Ring}));
        addMessage(small, 0, 1, 4096, 1);
        QCOMPARE(deliveries(small).front(), std::int64_t{4'882'813 + 76'294 + 500'000});
    }

    void aTrunkOfEnoughBandwidthDelaysNobody()
    {
        const auto link = [](NodeId from, NodeId to, std::int64_t rate) { return CaseSpec::Link{from, to, rate, kLatency}; };
        std::vector<CaseSpec::Link> links{link(0, 3, kB), link(1, 3, kB), link(3, 2, 2 * kB), link(2, 3, kB), link(3, 0, kB), link(3, 1, kB)};
        CaseSpec two = graph(3, 1, links);
        addMessage(two, 0, 2, kMiB);
        addMessage(two, 1, 2, kMiB);
        QCOMPARE(deliveries(two), (Ends{20'531'250, 20'531'250}));

        links.clear();
        for (NodeId i = 0; i < 8; ++i) {
            links.push_back(link(i, 16, kB));
            links.push_back(link(17, 8 + i, kB));
            links.push_back(link(8 + i, 17, kB));
            links.push_back(link(16, i, kB));
        }
        links.push_back(link(16, 17, 4 * kB));
        links.push_back(link(17, 16, 4 * kB));
        CaseSpec eight = graph(16, 2, links);
        for (std::int32_t i = 0; i < 8; ++i)
            addMessage(eight, i, 8 + i, kMiB);
        // 3 L and eight messages of 1 MiB / 4B = 4882812.5 ps, each rounded up.
        QCOMPARE(deliveries(eight).back(), std::int64_t{3 * kLatency + 8 * 4'882'813});
    }

    void budgetsLimitAllLinksOfAnNpuTogether_data()
    {
        QTest::addColumn<qint64>("rate");
        QTest::addColumn<qint64>("last");
        QTest::newRow("7 B") << qint64{7 * kB} << qint64{kLatency + 2'441'407};
        QTest::newRow("3.5 B") << qint64{kB * 7 / 2} << qint64{kLatency + 7 * 697'545};
        QTest::newRow("B") << qint64{kB} << qint64{kLatency + 7 * 2'441'407};
    }
    void budgetsLimitAllLinksOfAnNpuTogether()
    {
        QFETCH(qint64, rate);
        QFETCH(qint64, last);
        CaseSpec out = idle({dim(Shape::FullyConnected, 8)});
        CaseSpec in = out;
        for (std::int32_t peer = 1; peer < 8; ++peer) {
            addMessage(out, 0, peer, 128 * 1024);
            addMessage(in, peer, 0, 128 * 1024);
        }
        out.injection = rate;
        in.ejection = rate;
        QVERIFY2(std::abs(deliveries(out).back() - last) <= 7, qPrintable(QString::number(deliveries(out).back())));
        QCOMPARE(deliveries(in).back(), deliveries(out).back());
    }

    void hierarchicalAllReducePipelinesItsChunks_data()
    {
        QTest::addColumn<int>("chunks");
        QTest::addColumn<qint64>("finish");
        QTest::addColumn<qint64>("slack"); // one rounding per message of the longest chain
        QTest::newRow("1 chunk") << 1 << qint64{1'515'375'000} << qint64{20};
        QTest::newRow("4 chunks") << 4 << qint64{1'201'406'250} << qint64{80};
        QTest::newRow("16 chunks") << 16 << qint64{1'121'781'385} << qint64{0};
    }
    void hierarchicalAllReducePipelinesItsChunks()
    {
        QFETCH(int, chunks);
        QFETCH(qint64, finish);
        QFETCH(qint64, slack);
        CaseSpec spec = worldCollective({dim(Shape::Ring, 4, 2 * kB), dim(Shape::Switch, 8, kB, 1'000'000)}, CollectiveOp::AllReduce, 64 * kMiB, chunks,
            standardBody(CollectiveOp::AllReduce, {4, 8}, {Algorithm::Ring}));
        spec.reducerRate = kReducer;
        const std::int64_t end = run(spec).finishPs;
        QVERIFY2(end >= finish && end <= finish + slack, qPrintable(QString::number(end)));
    }

    void idealGivesEveryMessageItsUnloadedTime()
    {
        CaseSpec star = idle({dim(Shape::Switch, 4)});
        star.model = Model::Ideal;
        for (std::int32_t source = 1; source < 4; ++source)
            addMessage(star, source, 0, kMiB);
        QCOMPARE(deliveries(star), (Ends{20'531'250, 20'531'250, 20'531'250}));
    }

    void wholeCollectivesFinishAsTheReferenceScriptSays()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        std::ifstream file(shared + "/formats/physical_cases.json");
        const nlohmann::json cases = nlohmann::json::parse(file);
        QCOMPARE(cases.size(), std::size_t{12});
        for (const auto& each : cases) {
            std::vector<CaseSpec::Dim> dims;
            std::vector<std::int32_t> extents;
            std::istringstream names(each["topology"].get<std::string>());
            for (std::string name; std::getline(names, name, '_');) {
                const Shape shape = name[0] == 'R' ? Shape::Ring : name[0] == 'F' ? Shape::FullyConnected : Shape::Switch;
                extents.push_back(std::stoi(name.substr(name.find('(') + 1)));
                const std::size_t d = dims.size();
                dims.push_back(dim(shape, extents.back(), std::llround(each["bandwidth_GiBps"][d].get<double>() * 1073741824.0),
                    each["latency_ns"][d].get<std::int64_t>() * 1000));
            }
            std::vector<Algorithm> algorithms;
            for (const std::string key : each["algorithm"])
                algorithms.push_back(key == "ring" ? Algorithm::Ring : key == "direct" ? Algorithm::Direct : Algorithm::HalvingDoubling);
            CollectiveOp op = CollectiveOp::AllReduce;
            for (const CollectiveOp known : {CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll})
                if (collectiveKey(known) == each["collective"].get<std::string>())
                    op = known;
            CaseSpec spec = worldCollective(dims, op, each["size_bytes"], each["chunks"], standardBody(op, extents, algorithms));
            spec.endpointDelayPs = each["endpoint_delay_ns"].get<std::int64_t>() * 1000;
            spec.reducerRate = each["local_mem_bw_GBps"].get<std::int64_t>() * 1'000'000'000;
            const std::int64_t finish = run(spec).finishPs;
            const auto expected = std::llround(each["finish_ns"].get<double>() * 1000);
            QVERIFY2(finish == expected, qPrintable(QString("%1: %2 instead of %3").arg(each["id"].get<std::string>().c_str()).arg(finish).arg(expected)));
        }
    }
};

FABRICSCOPE_TEST(OracleWorkedTest)
#include "tst_oracle_worked.moc"
