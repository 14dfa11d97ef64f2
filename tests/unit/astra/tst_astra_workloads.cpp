#include "tests/unit/support/cases/astracase.h"
#include "tests/unit/support/cases/astraring.h"
#include "tests/unit/support/testprogram.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <map>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr CollectiveOp kAllReduce = CollectiveOp::AllReduce;

using Graph = std::function<void(AstraCase&)>;

/// The same tasks on every rank.
Graph everywhere(const std::function<void(RankTasks&, std::int32_t)>& fill)
{
    return [fill](AstraCase& run) {
        RankTasks tasks;
        fill(tasks, run.npus());
        run.ranks = {tasks};
    };
}

Graph perRank(const std::function<void(RankTasks&, std::int32_t)>& fill)
{
    return [fill](AstraCase& run) {
        for (std::int32_t rank = 0; rank < run.npus(); ++rank) {
            RankTasks tasks;
            fill(tasks, rank);
            run.ranks.push_back(tasks);
        }
    };
}

TaskIndex millisecond(RankTasks& tasks, RankTasks::After after = {})
{
    return tasks.operations(900'000'000'000, 100'000'000, std::move(after));
}

TaskIndex micros(RankTasks& tasks, std::int64_t count, RankTasks::After after = {})
{
    return tasks.operations(900'000'000 * count, 100'000 * count, std::move(after));
}

/// One message; all ranks that have no part in it compute for 1000 ns.
Graph oneMessage(std::int32_t to)
{
    return perRank([to](RankTasks& tasks, std::int32_t rank) {
        if (rank == 0)
            tasks.send(to, kMiB);
        else if (rank == to)
            tasks.receive(0, kMiB);
        else
            micros(tasks, 1);
    });
}

Graph groupsOfAllReduce(std::vector<std::vector<std::int64_t>> groups)
{
    return [groups](AstraCase& run) {
        run.groups = groups;
        for (std::int64_t rank = 0; rank < run.npus(); ++rank) {
            RankTasks tasks;
            for (std::size_t k = 0; k < groups.size(); ++k) {
                if (std::find(groups[k].begin(), groups[k].end(), rank) != groups[k].end())
                    tasks.collective(kAllReduce, 16 * kMiB, static_cast<std::int32_t>(groups[k].size()), {}, static_cast<FamilyId>(k + 1));
            }
            run.ranks.push_back(tasks);
        }
    };
}

Graph remote(RemoteMemory::Kind kind, const Graph& graph)
{
    return [kind, graph](AstraCase& run) {
        run.memory.kind = kind;
        run.memory.latencyNs = 100;
        run.memory.bytesPerNs = 100;
        graph(run);
    };
}

void lateReceive(RankTasks& tasks, std::int32_t rank)
{
    if (rank == 0)
        tasks.send(1, kMiB);
    else if (rank == 1)
        tasks.receive(0, kMiB, 0, {millisecond(tasks)});
    else
        micros(tasks, 1);
}

void dataParallel(RankTasks& tasks, std::int32_t ranks)
{
    TaskIndex last = -1;
    for (int layer = 0; layer < 8; ++layer)
        last = micros(tasks, 100, last < 0 ? RankTasks::After{} : RankTasks::After{last});
    for (int layer = 7; layer >= 0; --layer) {
        last = micros(tasks, 200, {last});
        tasks.collective(kAllReduce, 16 * kMiB, ranks, {last});
    }
}

void shardedDataParallel(RankTasks& tasks, std::int32_t ranks)
{
    TaskIndex last = -1;
    for (int layer = 0; layer < 6; ++layer) {
        const TaskIndex gathered = tasks.collective(CollectiveOp::AllGather, 4 * kMiB, ranks);
        last = micros(tasks, 100, last < 0 ? RankTasks::After{gathered} : RankTasks::After{gathered, last});
    }
    for (int layer = 5; layer >= 0; --layer) {
        const TaskIndex gathered = tasks.collective(CollectiveOp::AllGather, 4 * kMiB, ranks, {last});
        last = micros(tasks, 200, {gathered, last});
        tasks.collective(CollectiveOp::ReduceScatter, 64 * kMiB, ranks, {last});
    }
}

Graph independent(int count)
{
    return everywhere([count](RankTasks& tasks, std::int32_t) {
        for (int k = 0; k < count; ++k)
            micros(tasks, 1);
    });
}

const Graph kComputeThenAllReduceTwice = everywhere([](RankTasks& tasks, std::int32_t ranks) {
    const TaskIndex first = tasks.collective(kAllReduce, 16 * kMiB, ranks, {millisecond(tasks)});
    tasks.collective(kAllReduce, 16 * kMiB, ranks, {millisecond(tasks, {first})});
});

/// What the column `workload` of the measurements says, by id without the letter of the back end.
const std::map<std::string, Graph>& graphs()
{
    static const std::map<std::string, Graph> all = {
        {"W02", everywhere([](RankTasks& tasks, std::int32_t) { tasks.operations(1'000'000'000, 100'000'000); })},
        {"W03", [](AstraCase& run) {
             run.system.roofline = false;
             everywhere([](RankTasks& tasks, std::int32_t) { tasks.compute(5); })(run);
         }},
        {"W05", kComputeThenAllReduceTwice},
        {"W06", everywhere([](RankTasks& tasks, std::int32_t ranks) {
             millisecond(tasks);
             tasks.collective(kAllReduce, 16 * kMiB, ranks);
         })},
        {"W08", groupsOfAllReduce({{0, 1, 2, 3}, {4, 5, 6, 7}})},
        {"W09", groupsOfAllReduce({{0, 2, 4, 6}, {1, 3, 5, 7}})},
        {"W09b", groupsOfAllReduce({{0, 2, 4, 6}, {1, 3, 5, 7}})},
        {"W11", oneMessage(1)},
        {"W12", oneMessage(4)},
        {"W14", oneMessage(5)},
        {"W14b", oneMessage(4)},
        {"W15", remote(RemoteMemory::Kind::PerNpu, everywhere([](RankTasks& tasks, std::int32_t) { tasks.memory(TaskKind::MemoryLoad, 10 * kMiB); }))},
        {"W15b", remote(RemoteMemory::Kind::PerNpu, everywhere([](RankTasks& tasks, std::int32_t) {
                            const TaskIndex loaded = tasks.memory(TaskKind::MemoryLoad, 10 * kMiB);
                            tasks.memory(TaskKind::MemoryStore, 10 * kMiB, {millisecond(tasks, {loaded})});
                        }))},
        {"W15c", remote(RemoteMemory::Kind::Pool, everywhere([](RankTasks& tasks, std::int32_t) { tasks.memory(TaskKind::MemoryLoad, 10 * kMiB); }))},
        {"W17L", everywhere(dataParallel)},
        {"W17F", everywhere(dataParallel)},
        {"W17E", everywhere(dataParallel)},
        {"W18", everywhere([](RankTasks& tasks, std::int32_t ranks) {
             const TaskIndex first = tasks.collective(kAllReduce, 16 * kMiB, ranks);
             tasks.setInvolved(first, 1);
             tasks.setInvolved(tasks.collective(kAllReduce, 8 * kMiB, ranks, {micros(tasks, 100, {first})}), 2);
         })},
        {"W20", everywhere(shardedDataParallel)},
        {"W21", everywhere([](RankTasks& tasks, std::int32_t) { tasks.broadcast(16 * kMiB, 7); })},
        {"W21b", everywhere([](RankTasks& tasks, std::int32_t) { tasks.broadcast(16 * kMiB, 0); })},
        {"W23", everywhere([](RankTasks& tasks, std::int32_t ranks) { tasks.collective(kAllReduce, 16 * kMiB, ranks, {tasks.host(5)}); })},
        {"W24", [](AstraCase& run) {
             run.system.custom[0] = "ring";
             run.customPrograms = {{"ring", chainedRing(8, 131072, 7)}};
             run.system.roofline = false;
             run.runCollective(kAllReduce, kMiB);
         }},
        {"W27", everywhere([](RankTasks& tasks, std::int32_t) {
             TaskIndex last = micros(tasks, 1);
             for (int k = 1; k < 2000; ++k)
                 last = micros(tasks, 1, {last});
         })},
        {"W29_250", independent(250)},
        {"W29_500", independent(500)},
        {"W29_1000", independent(1000)},
        {"W29_2000", independent(2000)},
        {"W30", everywhere([](RankTasks& tasks, std::int32_t ranks) {
             TaskIndex last = tasks.collective(kAllReduce, kMiB, ranks);
             for (int k = 1; k < 1000; ++k)
                 last = tasks.collective(kAllReduce, kMiB, ranks, {last});
         })},
        {"W32", perRank([](RankTasks& tasks, std::int32_t rank) {
             if (rank == 0)
                 tasks.collective(kAllReduce, 16 * kMiB, 8);
             else
                 tasks.collective(kAllReduce, 16 * kMiB, 8, {micros(tasks, 100 * rank)});
         })},
        {"W33", perRank(lateReceive)},
        {"W33r", [](AstraCase& run) {
             run.system.rendezvous = true;
             perRank(lateReceive)(run);
         }},
        {"W35", kComputeThenAllReduceTwice},
        {"W36", everywhere([](RankTasks& tasks, std::int32_t ranks) { tasks.collective(kAllReduce, 16 * kMiB, ranks); })},
        {"W38", everywhere([](RankTasks& tasks, std::int32_t ranks) {
             for (int k = 0; k < 3; ++k)
                 tasks.collective(kAllReduce, 16 * kMiB, ranks);
         })},
        {"W39", groupsOfAllReduce({{0, 2, 4, 6, 1, 3, 5, 7}})},
        {"W41", [](AstraCase& run) {
             run.system.endpointDelayNs = 1000;
             groupsOfAllReduce({{0, 1, 2, 3}, {4, 5, 6, 7}})(run);
         }},
    };
    return all;
}

} // namespace

/// Workloads measured with the reference: times of every rank, and the exposed communication.
class AstraWorkloadsTest : public QObject {
    Q_OBJECT

private slots:
    void everyRankFinishesWhenTheReferenceSays_data();
    void everyRankFinishesWhenTheReferenceSays();
};

void AstraWorkloadsTest::everyRankFinishesWhenTheReferenceSays_data()
{
    QTest::addColumn<QStringList>("cells");
    const auto rows = csvRows("astra_workloads.csv");
    QVERIFY(rows.size() >= 60);
    for (const auto& row : rows) {
        QStringList cells;
        for (const std::string& cell : row)
            cells << QString::fromStdString(cell);
        QTest::addRow("%s", row[0].c_str()) << cells;
    }
}

void AstraWorkloadsTest::everyRankFinishesWhenTheReferenceSays()
{
    QFETCH(QStringList, cells);
    std::vector<std::string> row;
    for (const QString& cell : cells)
        row.push_back(cell.toStdString());
    AstraCase run(row[1], row[2], row[3]);
    run.model = row[5] == "unaware" ? Model::AstraUnaware : Model::AstraAware;
    run.useForAll(row[4]);
    run.system.splits = 4;
    run.system.localBandwidthAware = true;
    run.system.localMemoryGBps = 1600;
    run.system.peakTflops = 900;
    run.system.roofline = true;
    const auto graph = graphs().find(row[0].substr(0, row[0].size() - 1));
    QVERIFY2(graph != graphs().end(), "the row has no graph");
    graph->second(run);

    const auto record = run.run();

    QVERIFY2(record, record ? "" : record.error().text().c_str());
    QVERIFY(record.value().complete);
    const std::vector<std::int64_t> finish = finishPerRank(record.value());
    const std::vector<std::string> expected = splitText(row[6], '|');
    QVERIFY(expected.size() == 1 || expected.size() == finish.size());
    std::int64_t exposed = 0;
    for (std::size_t rank = 0; rank < finish.size(); ++rank) {
        QCOMPARE(finish[rank], std::stoll(expected[expected.size() == 1 ? 0 : rank]));
        exposed = std::max(exposed, timesOf(record.value(), static_cast<std::int32_t>(rank)).exposedComm.ps / kPsPerNs);
    }
    QCOMPARE(exposed, std::stoll(row[7]));
}

FABRICSCOPE_TEST(AstraWorkloadsTest)
#include "tst_astra_workloads.moc"
