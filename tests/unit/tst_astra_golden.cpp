#include "tests/unit/support/astracase.h"
#include "tests/unit/support/corpus.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

template <typename T>
std::string joined(const nlohmann::json& list)
{
    std::string text;
    for (const auto& item : list) {
        if (!text.empty())
            text += '|';
        if constexpr (std::is_same_v<T, std::string>)
            text += item.template get<std::string>();
        else
            text += std::to_string(item.template get<T>());
    }
    return text;
}

AstraCase caseOf(const nlohmann::json& row)
{
    std::string topology;
    for (std::size_t k = 0; k < row["topology"].size(); ++k)
        topology += (k > 0 ? " x " : "") + row["topology"][k].get<std::string>() + '(' + std::to_string(row["npus_count"][k].get<int>()) + ')';
    AstraCase run(topology, joined<double>(row["bandwidth"]), joined<double>(row["latency"]));
    run.model = row["backend"] == "congestion_aware" ? Model::AstraAware : Model::AstraUnaware;
    run.useForAll(joined<std::string>(row["implementation"]));
    run.system.splits = row["preferred_dataset_splits"];
    run.system.activeChunks = row["active_chunks_per_dimension"];
    run.system.queuesPerDimension = row["num_queues_per_dim"];
    run.system.localBandwidthAware = row["collective_optimization"] == "localBWAware";
    run.system.endpointDelayNs = row["endpoint_delay"];
    run.system.localMemoryGBps = row["local_mem_bw"];
    const CollectiveOp op = collectiveNamed(row["collective"]);
    const std::int64_t size = row["comm_size"];

    std::set<std::int64_t> members;
    if (row.contains("group")) {
        run.groups.push_back(row["group"].get<std::vector<std::int64_t>>());
        members.insert(run.groups.back().begin(), run.groups.back().end());
    }
    for (std::int32_t rank = 0; rank < run.npus(); ++rank) {
        RankTasks tasks;
        RankTasks::After after;
        if (row.contains("start_ns_per_rank"))
            after = {tasks.compute(row["start_ns_per_rank"][static_cast<std::size_t>(rank)].get<std::int64_t>() / 1000)};
        if (members.empty() || members.contains(rank)) {
            const auto count = members.empty() ? run.npus() : static_cast<std::int32_t>(members.size());
            const TaskIndex task = tasks.collective(op, size, count, after, members.empty() ? 0 : 1);
            if (row.contains("involved_dim")) {
                std::uint32_t mask = 0;
                for (std::size_t k = 0; k < row["involved_dim"].size(); ++k)
                    mask |= row["involved_dim"][k].get<bool>() ? 1U << k : 0U;
                tasks.setInvolved(task, mask);
            }
        }
        run.ranks.push_back(tasks);
    }
    return run;
}

} // namespace

/// The 222 collectives measured with the reference: every rank of every run, to the nanosecond.
class AstraGoldenTest : public QObject {
    Q_OBJECT

private slots:
    void everyRankFinishesWhenTheReferenceSays_data();
    void everyRankFinishesWhenTheReferenceSays();

private:
    nlohmann::json m_rows;
};

void AstraGoldenTest::everyRankFinishesWhenTheReferenceSays_data()
{
    std::ifstream file(goldenFile("golden_collectives.json"));
    m_rows = nlohmann::json::parse(file);
    QCOMPARE(m_rows.size(), std::size_t{222});
    QTest::addColumn<int>("row");
    for (int row = 0; row < static_cast<int>(m_rows.size()); ++row) {
        const nlohmann::json& run = m_rows[static_cast<std::size_t>(row)];
        QTest::addRow("%d %s %s %s", row, run["backend"].get<std::string>().c_str(), run["collective"].get<std::string>().c_str(),
                      joined<std::string>(run["implementation"]).c_str())
            << row;
    }
}

void AstraGoldenTest::everyRankFinishesWhenTheReferenceSays()
{
    QFETCH(int, row);
    const nlohmann::json& expected = m_rows[static_cast<std::size_t>(row)];

    const auto record = caseOf(expected).run();

    QVERIFY2(record, record ? "" : record.error().text().c_str());
    QVERIFY(record.value().complete);
    const std::vector<std::int64_t> finish = finishPerRank(record.value());
    const nlohmann::json& times = expected["finish_ns"];
    if (times.is_object()) {
        for (const auto& [rank, time] : times.items())
            QCOMPARE(finish[std::stoul(rank)], time.get<std::int64_t>());
        return;
    }
    for (std::size_t rank = 0; rank < finish.size(); ++rank) {
        const bool takesPart = !expected.contains("group") || finish[rank] > 0;
        if (takesPart)
            QCOMPARE(finish[rank], times.get<std::int64_t>());
    }
    QCOMPARE(record.value().finish.ps, times.get<std::int64_t>() * 1000);
}

QTEST_GUILESS_MAIN(AstraGoldenTest)
#include "tst_astra_golden.moc"
