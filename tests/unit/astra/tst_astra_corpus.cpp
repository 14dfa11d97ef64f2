#include "core/design/file/astrainputs.h"
#include "core/scenario/lowering.h"
#include "core/sim/astra/systemrun.h"
#include "tests/unit/support/cases/astracase.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Runs a folder of the corpus with two of its configuration files.
Result<RunRecord> runFolder(const std::string& folder, const std::string& network, const std::string& system, Model model,
                            const std::string& workload = "workload")
{
    AstraInputs inputs;
    inputs.network = folder + '/' + network;
    inputs.system = folder + '/' + system;
    inputs.memory = folder + "/memory.json";
    inputs.workload = folder + '/' + workload;
    if (std::filesystem::exists(folder + "/comm_group.json"))
        inputs.commGroups = folder + "/comm_group.json";
    auto design = designFromAstra(inputs);
    if (!design)
        return std::move(design).error();
    design.value().design.model.model = model;
    auto scenario = prepare(design.value().design);
    if (!scenario)
        return std::move(scenario).error();
    return simulateAstra(*scenario.value(), {}, {});
}

std::int64_t finishNs(const Result<RunRecord>& record)
{
    return record && record.value().complete ? record.value().finish.ps / kPsPerNs : -1;
}

} // namespace

/// Third-party traces with the numbers published for them.
class AstraCorpusTest : public QObject {
    Q_OBJECT

private slots:
    void publishedTimesAreReproduced();
    void hgxRunsEqualTheReference_data();
    void hgxRunsEqualTheReference();
    void pipelinesThatHangTheReferenceEndWithTheirRing_data();
    void pipelinesThatHangTheReferenceEndWithTheirRing();
    void soundTracesEnd_data();
    void soundTracesEnd();
};

void AstraCorpusTest::publishedTimesAreReproduced()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    const std::string chakra = shared + "/corpus/chakra/";
    for (const Model model : {Model::AstraUnaware, Model::AstraAware}) {
        QCOMPARE(finishNs(runFolder(chakra + "micro_all_reduce_8", "network_rt.yml", "system_rt.json", model)), 117780);
        QCOMPARE(finishNs(runFolder(chakra + "micro_all_reduce_8", "network_astra.yml", "system_astra.json", model)), 64440);
        QCOMPARE(finishNs(runFolder(chakra + "custom_ring_allreduce_8", "network_astra.yml", "system_custom.json", model)), 90174);
    }
}

void AstraCorpusTest::hgxRunsEqualTheReference_data()
{
    QTest::addColumn<int>("gpus");
    QTest::addColumn<QString>("bytes");
    QTest::addColumn<qint64>("awareNs");
    QTest::addColumn<qint64>("unawareNs");
    FABRICSCOPE_NEEDS_SHARED(shared);
    std::ifstream file(shared + "/corpus/chakra/hgx_h100_validated/measured_allreduce.csv");
    for (std::string line; std::getline(file, line);) {
        const std::vector<std::string> cells = splitText(line, ',');
        if (cells.size() < 9 || !cells[0].starts_with("HGX"))
            continue;
        QTest::addRow("%s GPUs, %s bytes", cells[1].c_str(), cells[3].c_str())
            << std::stoi(cells[1]) << QString::fromStdString(cells[3]) << qint64{std::llround(1000 * std::stod(cells[7]))}
            << qint64{std::llround(1000 * std::stod(cells[8]))};
    }
}

void AstraCorpusTest::hgxRunsEqualTheReference()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    QFETCH(int, gpus);
    QFETCH(QString, bytes);
    QFETCH(qint64, awareNs);
    QFETCH(qint64, unawareNs);
    const std::string folder = shared + "/corpus/chakra/hgx_h100_validated";
    const std::string network = "network_HGX-H100-validated" + (gpus == 8 ? std::string() : '_' + std::to_string(gpus) + "gpu") + ".yml";
    const std::string workload = "allreduce_" + std::to_string(gpus) + "gpu_" + bytes.toStdString() + "/workload";

    QCOMPARE(finishNs(runFolder(folder, network, "system_HGX-H100-validated.json", Model::AstraAware, workload)), awareNs);
    QCOMPARE(finishNs(runFolder(folder, network, "system_HGX-H100-validated.json", Model::AstraUnaware, workload)), unawareNs);
}

void AstraCorpusTest::pipelinesThatHangTheReferenceEndWithTheirRing_data()
{
    QTest::addColumn<QString>("name");
    QTest::addRow("llama70b") << "stg_llama70b_32_dp2tp4pp4";
    QTest::addRow("llama405b") << "stg_llama405b_32_tp8sp2pp2";
}

void AstraCorpusTest::pipelinesThatHangTheReferenceEndWithTheirRing()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    QFETCH(QString, name);
    const auto record = runFolder(shared + "/corpus/chakra/" + name.toStdString(), "network_1d.yml", "system_1d.json", Model::AstraAware);

    QVERIFY2(record, record ? "" : record.error().text().c_str());
    QVERIFY(!record.value().complete);
    QCOMPARE(record.value().waits.size(), std::size_t{32});
    // The ring comes first: every entry waits for the next one, until one waits for the first.
    const std::vector<Wait>& waits = record.value().waits;
    std::size_t length = 0;
    for (std::size_t k = 0; k < waits.size() && length == 0; ++k) {
        const std::vector<std::int32_t>& on = waits[k].onRanks;
        if (std::find(on.begin(), on.end(), waits.front().rank) != on.end() && k > 0)
            length = k + 1;
        else
            QVERIFY(k + 1 < waits.size() && std::find(on.begin(), on.end(), waits[k + 1].rank) != on.end());
    }
    QVERIFY(length >= 2);
    for (const Wait& wait : waits) {
        QVERIFY(!wait.task.empty());
        QVERIFY(!wait.reason.empty());
    }
}

void AstraCorpusTest::soundTracesEnd_data()
{
    QTest::addColumn<QString>("folder");
    FABRICSCOPE_NEEDS_SHARED(shared);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(shared + "/corpus/chakra")) {
        if (std::filesystem::exists(entry.path() / "network_nd.yml"))
            names.push_back(entry.path().string());
    }
    std::sort(names.begin(), names.end());
    QVERIFY(names.size() >= 12);
    for (const std::string& name : names)
        QTest::addRow("%s", std::filesystem::path(name).filename().c_str()) << QString::fromStdString(name);
}

void AstraCorpusTest::soundTracesEnd()
{
    QFETCH(QString, folder);
    for (const Model model : {Model::AstraUnaware, Model::AstraAware}) {
        const auto record = runFolder(folder.toStdString(), "network_nd.yml", "system_nd.json", model);
        QVERIFY2(record, record ? "" : record.error().text().c_str());
        QVERIFY(record.value().complete);
        QVERIFY(record.value().finish.ps > 0);
        QCOMPARE(record.value().finishOrder.size(), static_cast<std::size_t>(record.value().rankCount));
    }
}

FABRICSCOPE_TEST(AstraCorpusTest)
#include "tst_astra_corpus.moc"
