// Every workload of the corpus through the whole chain: files, design, scenario, run.
#include "core/design/file/astrainputs.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace fabricscope;
namespace fs = std::filesystem;

namespace {

using Row = std::map<std::string, std::string>;

/// invariants.csv has no quoted cells.
std::map<std::string, Row> readInvariants(const std::string& file)
{
    std::map<std::string, Row> rows;
    std::ifstream in(file);
    std::string line;
    std::vector<std::string> head;
    while (std::getline(in, line)) {
        std::vector<std::string> cells;
        std::istringstream split(line);
        for (std::string cell; std::getline(split, cell, ',');)
            cells.push_back(cell);
        if (head.empty()) {
            head = cells;
            continue;
        }
        Row row;
        for (std::size_t i = 0; i < cells.size(); ++i)
            row[head[i]] = cells[i];
        rows[cells[0]] = row;
    }
    return rows;
}

struct Ran {
    std::string error; ///< Why there is no record.
    RunRecord record;
    AstraSystem system;
};

Ran run(const fs::path& folder, const std::string& prefix, const std::string& configuration, Model model)
{
    AstraInputs inputs;
    inputs.network = (folder / ("network_" + configuration + ".yml")).string();
    inputs.system = (folder / ("system_" + configuration + ".json")).string();
    inputs.memory = fs::exists(folder / "memory.json") ? (folder / "memory.json").string() : std::string();
    inputs.workload = (folder / prefix).string();
    if (fs::exists(folder / "comm_group.json"))
        inputs.commGroups = (folder / "comm_group.json").string();
    auto loaded = designFromAstra(inputs);
    if (!loaded)
        return {loaded.error().text(), {}, {}};
    loaded.value().design.model.model = model;
    const auto scenario = prepare(loaded.value().design);
    if (!scenario)
        return {scenario.error().text(), {}, {}};
    auto record = simulate(*scenario.value());
    if (!record)
        return {record.error().text(), {}, {}};
    return {{}, std::move(record).value(), *loaded.value().design.astra};
}

} // namespace

class CorpusRunsTest : public QObject {
    Q_OBJECT

private slots:
    void everyWorkloadRunsUnderEveryModel_data()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QTest::addColumn<QString>("item");
        QTest::addColumn<QString>("configuration");
        QTest::addColumn<int>("model");
        for (const auto& entry : fs::directory_iterator(shared + "/corpus/chakra")) {
            const std::string name = entry.path().filename().string();
            if (!fs::exists(entry.path() / "workload.0.et"))
                continue;
            for (const char* configuration : {"1d", "nd", "t3d", "astra", "rt", "tpuv4", "dgx_h100"}) {
                if (!fs::exists(entry.path() / ("network_" + std::string(configuration) + ".yml"))
                    || !fs::exists(entry.path() / ("system_" + std::string(configuration) + ".json")))
                    continue;
                for (const Model model : {Model::Links, Model::Ideal, Model::AstraUnaware, Model::AstraAware}) {
                    if (model == Model::AstraAware && std::string(configuration) != "1d")
                        continue;
                    QTest::addRow("%s %s %s", name.c_str(), configuration, std::string(modelName(model)).c_str())
                        << QString::fromStdString(name) << QString::fromLatin1(configuration) << static_cast<int>(model);
                }
            }
        }
    }

    void everyWorkloadRunsUnderEveryModel()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(QString, item);
        QFETCH(QString, configuration);
        QFETCH(int, model);
        const auto kind = static_cast<Model>(model);

        const Ran ran = run(fs::path(shared) / "corpus/chakra" / item.toStdString(), "workload", configuration.toStdString(), kind);

        const bool hangsThePeer = item == "stg_llama70b_32_dp2tp4pp4" || item == "stg_llama405b_32_tp8sp2pp2";
        if (configuration == "dgx_h100" && !ran.error.empty()) {
            // The published file asks for a halving-doubling all-to-all, which does not exist; nothing else may be refused.
            QVERIFY2(ran.error.find("all-to-all") != std::string::npos || ran.error.find("all_to_all") != std::string::npos, ran.error.c_str());
            return;
        }
        if (configuration == "t3d" && isAstra(kind)) {
            // The published system file turns roofline on, the trace has no operation counts: the reference aborts, we say why.
            QVERIFY2(ran.error.find("num_ops") != std::string::npos, ran.error.c_str());
            return;
        }
        QVERIFY2(ran.error.empty(), ran.error.c_str());
        if (!isAstra(kind) || !hangsThePeer)
            QVERIFY2(ran.record.complete, ran.record.waits.empty() ? "no reason given" : ran.record.waits[0].reason.c_str());
        if (hangsThePeer && kind == Model::AstraAware && !ran.record.complete) {
            QVERIFY(!ran.record.waits.empty());
            for (const Wait& wait : ran.record.waits)
                QVERIFY(!wait.reason.empty() && !wait.task.empty());
        }
        if (!ran.record.complete)
            return;

        // No run may beat its own arithmetic: longest chain of operations at peak speed, and the fullest rank.
        const auto rows = readInvariants(shared + "/corpus/chakra/invariants.csv");
        const Row& row = rows.at(item.toStdString());
        if (ran.system.roofline && ran.system.peakTflops > 0) {
            const double peak = ran.system.peakTflops * 1e12;
            const double atLeast = std::max(std::stod(row.at("cp_num_ops_all_ranks")), std::stod(row.at("num_ops_max_rank"))) / peak;
            QVERIFY(static_cast<double>(ran.record.finish.ps) >= atLeast * 1e12 * (1 - 1e-6));
        } else {
            const std::int64_t atLeast = std::stoll(row.at("cp_duration_us_all_ranks"));
            QVERIFY2(ran.record.finish.ps >= microseconds(atLeast).ps, std::to_string(ran.record.finish.ps).c_str());
        }
    }

    void pipelinesThatHangThePeerEndWithTheirRingOfWaits_data()
    {
        QTest::addColumn<QString>("item");
        QTest::newRow("llama 70B") << "stg_llama70b_32_dp2tp4pp4";
        QTest::newRow("llama 405B") << "stg_llama405b_32_tp8sp2pp2";
    }

    void pipelinesThatHangThePeerEndWithTheirRingOfWaits()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(QString, item);
        const fs::path folder = fs::path(shared) / "corpus/chakra" / item.toStdString();

        const Ran physical = run(folder, "workload", "1d", Model::Links);
        const Ran reference = run(folder, "workload", "1d", Model::AstraAware);

        QVERIFY2(physical.error.empty(), physical.error.c_str());
        QVERIFY(physical.record.complete);
        QVERIFY2(reference.error.empty(), reference.error.c_str());
        QVERIFY(!reference.record.complete);
        // Following "waits on" from any stuck rank must come back to a rank already seen: a ring.
        std::map<std::int32_t, std::vector<std::int32_t>> next;
        for (const Wait& wait : reference.record.waits) {
            auto& on = next[wait.rank];
            on.insert(on.end(), wait.onRanks.begin(), wait.onRanks.end());
        }
        QVERIFY(!next.empty());
        std::map<std::int32_t, int> colour;
        bool ring = false;
        const auto visit = [&](auto&& self, std::int32_t rank) -> void {
            colour[rank] = 1;
            for (const std::int32_t other : next[rank]) {
                if (colour[other] == 1)
                    ring = true;
                else if (colour[other] == 0)
                    self(self, other);
            }
            colour[rank] = 2;
        };
        for (const auto& wait : reference.record.waits) {
            if (colour[wait.rank] == 0)
                visit(visit, wait.rank);
        }
        QVERIFY(ring);
    }

    void oneRankTracesRunAsDurationReplayOnOneNpu_data()
    {
        QTest::addColumn<QString>("prefix");
        QTest::addColumn<qint64>("atLeastUs");
        QTest::newRow("host only: has no durations") << "real_host_only_1/host" << qint64{0};
        QTest::newRow("one rank of a larger run") << "real_feeder_1/chakra" << qint64{14294};
    }

    void oneRankTracesRunAsDurationReplayOnOneNpu()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(QString, prefix);
        QFETCH(qint64, atLeastUs);
        PlatformSpec one;
        one.dimensions = {{Shape::Ring, 1, {50, "GB/s", Measure::Bandwidth}, false, {500, "ns", Measure::Time}}};
        Design design;
        design.platform = std::make_shared<const PlatformSpec>(one);
        design.workload = std::make_shared<const WorkloadSpec>(TraceWorkload{shared + "/corpus/chakra/" + prefix.toStdString(), {}, CtrlDeps::Auto, 1});

        const auto scenario = prepare(design);
        QVERIFY2(scenario, scenario ? "" : scenario.error().text().c_str());
        const auto record = simulate(*scenario.value());

        QVERIFY2(record, record ? "" : record.error().text().c_str());
        QVERIFY(record.value().complete);
        QVERIFY(record.value().finish >= microseconds(atLeastUs));
    }

    void collectivesMoveTheBytesTheirTraceAsksFor()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        // Ring of 8, ring all-reduce of 1 MiB: every link in + direction carries 2 * 7/8 MiB.
        const Ran ran = run(fs::path(shared) / "corpus/chakra/micro_all_reduce_8", "workload", "astra", Model::Links);

        QVERIFY2(ran.error.empty(), ran.error.c_str());
        QCOMPARE(ran.record.dimensions.at(0).bytes, std::int64_t{8} * 2 * 7 * (1 << 20) / 8);
    }
};

FABRICSCOPE_TEST(CorpusRunsTest)
#include "tst_heavy_corpus_runs.moc"
