#include "tests/unit/support/cases/astracase.h"
#include "core/base/index.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Json = nlohmann::json;

template <typename T>
std::string joined(const Json& list)
{
    std::string text;
    for (const Json& item : list) {
        if (!text.empty())
            text += '|';
        if constexpr (std::is_same_v<T, std::string>)
            text += item.get<std::string>();
        else
            text += std::to_string(item.get<T>());
    }
    return text;
}

std::string topologyOf(const Json& row)
{
    std::string text;
    for (std::size_t k = 0; k < row["topology"].size(); ++k)
        text += (k > 0 ? "x" : "") + row["topology"][k].get<std::string>() + '(' + std::to_string(row["npus_count"][k].get<int>()) + ')';
    return text;
}

/// The tasks of one rank: the plan's nodes in order, then the receives that belong to its shifts.
RankTasks tasksOf(const Json& row, const AstraCase& run, std::int32_t rank)
{
    const std::int32_t npus = run.npus();
    const Json& plan = row["plan"];
    std::vector<TaskIndex> receiveOf(plan.size() + 1, -1);
    auto next = static_cast<TaskIndex>(plan.size());
    for (std::size_t i = 0; i < plan.size(); ++i) {
        if (plan[i].contains("shift"))
            receiveOf[i + 1] = next++;
    }
    const auto after = [&](const Json& node) {
        RankTasks::After on;
        for (const Json& id : node.value("after", Json::array())) {
            on.push_back(id.get<TaskIndex>() - 1);
            if (receiveOf[id.get<std::size_t>()] >= 0)
                on.push_back(receiveOf[id.get<std::size_t>()]);
        }
        return on;
    };
    RankTasks tasks;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const Json& node = plan[i];
        if (node.contains("collective")) {
            FamilyId family = 0;
            auto members = npus;
            if (node.value("grouped", false)) {
                const auto& first = run.groups.front();
                family = std::find(first.begin(), first.end(), rank) != first.end() ? 1 : 2;
                members = static_cast<std::int32_t>(run.groups[static_cast<std::size_t>(family) - 1].size());
            }
            const TaskIndex task = tasks.collective(collectiveNamed(node["collective"]), node["size"], members, after(node), family);
            if (node.contains("involved_dim")) {
                std::uint32_t mask = 0;
                for (std::size_t k = 0; k < node["involved_dim"].size(); ++k)
                    mask |= node["involved_dim"][k].get<bool>() ? 1U << k : 0U;
                tasks.setInvolved(task, mask);
            }
        } else if (node.contains("num_ops")) {
            const std::int64_t times = row.value("straggle", false) ? 1 + rank % 3 : 1;
            tasks.operations(node["num_ops"].get<std::int64_t>() * times, node["tensor_size"], after(node), node["duration_micros"]);
        } else {
            tasks.send((rank + node["shift"].get<std::int32_t>()) % npus, node["size"], static_cast<std::uint32_t>(i + 1), after(node));
        }
    }
    for (std::size_t i = 0; i < plan.size(); ++i) {
        if (plan[i].contains("shift"))
            tasks.receive((rank - plan[i]["shift"].get<std::int32_t>() + npus) % npus, plan[i]["size"], static_cast<std::uint32_t>(i + 1),
                          after(plan[i]));
    }
    return tasks;
}

AstraCase caseOf(const Json& row)
{
    AstraCase run(topologyOf(row), joined<double>(row["bandwidth"]), joined<double>(row["latency"]));
    run.model = row["backend"] == "unaware" ? Model::AstraUnaware : Model::AstraAware;
    const Json& system = row["system"];
    run.use(CollectiveOp::AllReduce, joined<std::string>(system["all-reduce-implementation"]));
    run.use(CollectiveOp::AllGather, joined<std::string>(system["all-gather-implementation"]));
    run.use(CollectiveOp::ReduceScatter, joined<std::string>(system["reduce-scatter-implementation"]));
    run.use(CollectiveOp::AllToAll, joined<std::string>(system["all-to-all-implementation"]));
    run.system.splits = system["preferred-dataset-splits"];
    run.system.activeChunks = system["active-chunks-per-dimension"];
    run.system.localBandwidthAware = system["collective-optimization"] == "localBWAware";
    run.system.localMemoryGBps = system["local-mem-bw"];
    run.system.endpointDelayNs = system["endpoint-delay"];
    run.system.endpointDelayGiven = true;
    run.system.roofline = system["roofline-enabled"] == 1;
    run.system.peakTflops = system["peak-perf"];
    run.system.queuesPerDimension = row.value("num-queues-per-dim", 1);
    run.system.injectionScale = row.value("injection-scale", 1.0);
    run.system.rendezvous = row.value("rendezvous-protocol", false);
    for (const Json& group : row.value("groups", Json::array()))
        run.groups.push_back(group.get<std::vector<std::int64_t>>());
    for (std::int32_t rank = 0; rank < run.npus(); ++rank)
        run.ranks.push_back(tasksOf(row, run, rank));
    return run;
}

} // namespace

/// 167 random configurations run by the reference, and the smallest ones found that once differed.
class AstraRandomTest : public QObject {
    Q_OBJECT

private slots:
    void theLastRankFinishesWhenTheReferenceSays_data();
    void theLastRankFinishesWhenTheReferenceSays();
    void theSmallestOnesThatDifferedAreEqual_data();
    void theSmallestOnesThatDifferedAreEqual();

private:
    Json m_rows;
};

void AstraRandomTest::theLastRankFinishesWhenTheReferenceSays_data()
{
    std::ifstream file(goldenFile("astra_random.json"));
    m_rows = Json::parse(file);
    QCOMPARE(m_rows.size(), std::size_t{167});
    QTest::addColumn<int>("row");
    for (int row = 0; row < static_cast<int>(m_rows.size()); ++row) {
        const Json& run = m_rows[at(row)];
        QTest::addRow("%d %s %s %s", run["seed"].get<int>(), run["backend"].get<std::string>().c_str(), topologyOf(run).c_str(),
                      run["class"].get<std::string>().c_str())
            << row;
    }
}

void AstraRandomTest::theLastRankFinishesWhenTheReferenceSays()
{
    QFETCH(int, row);
    const Json& expected = m_rows[at(row)];

    const auto record = caseOf(expected).run();

    if (expected["class"] == "both-failed") { // The reference stops without an answer; a message says why there is none.
        QVERIFY(!record || !record.value().complete);
        QVERIFY(record ? !record.value().waits.empty() : !record.error().message.empty());
        return;
    }
    QVERIFY2(record, record ? "" : record.error().text().c_str());
    QVERIFY(record.value().complete);
    if (expected["class"] == "equal")
        QCOMPARE(record.value().finish.ps, expected["finish_ns"].get<std::int64_t>() * kPsPerNs);
    else // The reference crashes or hangs where there is an answer.
        QVERIFY(record.value().finish.ps > 0);
}

/// The minimal cases (manual: astra 10): 50 GB/s, 500 ns, endpoint-delay 10, local-mem-bw 1600.
void AstraRandomTest::theSmallestOnesThatDifferedAreEqual_data()
{
    QTest::addColumn<QString>("topology");
    QTest::addColumn<QString>("bandwidth");
    QTest::addColumn<QString>("latency");
    QTest::addColumn<bool>("aware");
    QTest::addColumn<QString>("allReduce"); // All-gather, reduce-scatter: direct.
    QTest::addColumn<QString>("allToAll");
    QTest::addColumn<bool>("localBandwidthAware");
    QTest::addColumn<int>("splits");
    QTest::addColumn<int>("queues");
    QTest::addColumn<QString>("collectives"); // Independent of each other: OP BYTES|OP BYTES
    QTest::addColumn<qint64>("finishNs");

    QTest::addRow("tree in a dimension but the last") << "Ring(4)xRing(4)" << "50|50" << "500|500" << false << "doubleBinaryTree|direct" << "direct" << true << 1 << 1
                                                      << "ALL_REDUCE 1048576" << qint64{166380};
    QTest::addRow("a size that does not halve evenly") << "Switch(256)" << "50" << "500" << false << "halvingDoubling" << "direct" << true << 4 << 1
                                                       << "ALL_REDUCE 1000000" << qint64{102636};
    QTest::addRow("another size that does not") << "Switch(1024)" << "12.5" << "500" << false << "halvingDoubling" << "direct" << true << 4 << 1
                                                << "ALL_REDUCE 4771917" << qint64{994080};
    QTest::addRow("chunks of the next collective start in the other queue first")
        << "Ring(3)" << "50" << "500" << true << "ring" << "direct" << false << 4 << 2 << "ALL_REDUCE 1048576|REDUCE_SCATTER 1048576" << qint64{25636};
    QTest::addRow("an all-gather behind an all-to-all in two queues")
        << "FullyConnected(3)" << "50" << "500" << true << "ring" << "ring" << false << 2 << 2 << "ALL_TO_ALL 1048576|ALL_GATHER 99999" << qint64{15138};
}

void AstraRandomTest::theSmallestOnesThatDifferedAreEqual()
{
    QFETCH(QString, topology);
    QFETCH(QString, bandwidth);
    QFETCH(QString, latency);
    QFETCH(bool, aware);
    QFETCH(QString, allReduce);
    QFETCH(QString, allToAll);
    QFETCH(bool, localBandwidthAware);
    QFETCH(int, splits);
    QFETCH(int, queues);
    QFETCH(QString, collectives);
    QFETCH(qint64, finishNs);
    AstraCase run(topology.toStdString(), bandwidth.toStdString(), latency.toStdString());
    run.model = aware ? Model::AstraAware : Model::AstraUnaware;
    run.useForAll("direct");
    run.use(CollectiveOp::AllReduce, allReduce.toStdString());
    run.use(CollectiveOp::AllToAll, allToAll.toStdString());
    run.system.splits = splits;
    run.system.queuesPerDimension = queues;
    run.system.localBandwidthAware = localBandwidthAware;
    run.system.localMemoryGBps = 1600;
    RankTasks tasks;
    for (const std::string& item : splitText(collectives.toStdString(), '|')) {
        const auto words = splitText(item, ' ');
        tasks.collective(collectiveNamed(words[0]), std::stoll(words[1]), run.npus());
    }
    run.ranks = {tasks};

    const auto record = run.run();

    QVERIFY2(record, record ? "" : record.error().text().c_str());
    QCOMPARE(record.value().finish.ps, finishNs * kPsPerNs);
}

FABRICSCOPE_TEST(AstraRandomTest)
#include "tst_astra_random.moc"
