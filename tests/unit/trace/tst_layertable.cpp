// Workload text of ASTRA-sim 1.0, AICB and SimAI: columns, groups, order of steps, sums.
#include "core/design/steps/layersteps.h"
#include "core/design/steps/steps.h"
#include "core/workload/layertable.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <fstream>
#include <sstream>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

LayerTable tableOf(const std::string& text, Diagnostics* found = nullptr)
{
    Diagnostics diagnostics;
    auto table = readLayerTable(text, "table.txt", diagnostics);
    if (!table)
        qFatal("%s", table.error().text().c_str());
    if (found)
        *found = diagnostics;
    return std::move(table).value();
}

const std::string kHead = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 8 ga: 3 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 25165824.0\n";

/// Rows of a GPT of 40 layers over 8 ranks with sequence parallelism, with the sizes AICB gives them (G13B-M1-C02).
std::string gptTable()
{
    std::string rows = "grad_gather\t-1\t1\tALLGATHER\t3248619520\t1\tNONE\t0\t1\tREDUCESCATTER\t6497239040\t100\n";
    for (int layer = 0; layer < 40; ++layer) {
        for (int block = 0; block < 2; ++block) {
            rows += "column -1 10 ALLGATHER 20971520 11 REDUCESCATTER 20971520 12 NONE 0 100\n";
            rows += "row -1 10 REDUCESCATTER 20971520 11 ALLGATHER 20971520 12 NONE 7 100\n";
        }
    }
    return "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 40 ga: 1 all_gpus: 8\n161\n" + rows;
}

QString stepText(const Step& step)
{
    QString text = step.kind == Step::Kind::Compute ? QString::fromStdString(step.duration->text()) : QString::fromStdString(step.bytes->text() + " in " + step.group);
    return QString::fromStdString(step.name) + ": " + text + (step.after.empty() ? QString() : " after " + QString::fromStdString(step.after[0]));
}

} // namespace

class LayerTableTest : public QObject {
    Q_OBJECT

private slots:
    void columnsAreSummed()
    {
        const LayerTable table = tableOf(gptTable());
        const LayerTable::Sum gathers = table.sum(0, LayerCollective::AllGather);
        QCOMPARE(gathers.count, std::int64_t{81});
        QCOMPARE(gathers.bytes, std::int64_t{4926341120}); // 80 x 20971520 + 3248619520
        QCOMPARE(table.sum(0, LayerCollective::ReduceScatter).bytes, std::int64_t{1677721600});
        QCOMPARE(table.sum(1, LayerCollective::AllGather).count, std::int64_t{80});
        QCOMPARE(table.sum(2, LayerCollective::ReduceScatter).bytes, std::int64_t{6497239040});
        QCOMPARE(table.time(1), std::int64_t{160 * 11 + 1});
    }

    void anotherNumberOfRowsIsOneWarning()
    {
        std::string text = kHead + "839\n";
        for (int i = 0; i < 33; ++i)
            text += "layer" + std::to_string(i) + "\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1\n";
        Diagnostics found;
        QCOMPARE(tableOf(text, &found).rows.size(), std::size_t{33});
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].rule, std::string("layer-count"));
    }

    void headAndGroupsAreRead()
    {
        Diagnostics found;
        const LayerTable table = tableOf(kHead + "1\nmlp -1 5 ALLTOALL_EP 96 6 ALLGATHER_DP_EP 32 7 ALLREDUCE 64 8\n", &found);
        QVERIFY(found.empty());
        QCOMPARE(table.tensor, std::int64_t{2});
        QCOMPARE(table.rounds, std::int64_t{3});
        QCOMPARE(table.sendBytes, std::int64_t{25165824});
        const LayerRow& row = table.rows[0];
        QVERIFY(row.passes[0].group == LayerGroup::Expert && row.passes[0].collective == LayerCollective::AllToAll);
        QVERIFY(row.passes[1].group == LayerGroup::DataExpert && row.passes[2].group == LayerGroup::Data);
        QCOMPARE(row.updateNs, std::int64_t{8});
    }

    void aRowBecomesStepsInTheOrderOfThePasses()
    {
        Diagnostics found;
        const auto made = stepsOfLayers(tableOf(kHead + "2\na -1 5 ALLGATHER 96 6 REDUCESCATTER 96 7 ALLREDUCE 64 8\nb -1 1 ALLTOALL_EP 32 2 NONE 9 3 REDUCESCATTER_DP_EP 16 0\n"), 8, "table.txt", found);
        QVERIFY(made);
        QCOMPARE(made.value().steps.size(), std::size_t{1});
        QCOMPARE(made.value().steps[0].times, 3);
        QStringList steps;
        for (const Step& step : made.value().steps[0].steps)
            steps << stepText(step);
        // The weight gradient's collective and update hold up nothing.
        const QStringList expected = {"a.1 forward: 5 ns", "a.1 forward collective: 96 B in tensor after a.1 forward", "b.2 forward: 1 ns after a.1 forward collective", "b.2 forward collective: 32 B in expert after b.2 forward",
            "b.2 weight gradient: 3 ns after b.2 forward collective", "b.2 weight gradient collective: 16 B in data_expert after b.2 weight gradient", "b.2 input gradient: 2 ns after b.2 weight gradient",
            "a.1 weight gradient: 7 ns after b.2 input gradient", "a.1 weight gradient collective: 64 B in data after a.1 weight gradient", "a.1 update: 8 ns after a.1 weight gradient collective",
            "a.1 input gradient: 6 ns after a.1 weight gradient", "a.1 input gradient collective: 96 B in tensor after a.1 input gradient"};
        QCOMPARE(steps, expected);
        // 8 ranks: pairs of neighbours; of the 4 that are 2 apart, pairs again, and the pairs of those.
        std::map<std::string, std::pair<std::int64_t, std::int64_t>> groups;
        for (const GroupSpec& group : made.value().groups)
            groups[group.name] = {group.axes[0].size, group.axes[0].stride};
        QVERIFY((groups == std::map<std::string, std::pair<std::int64_t, std::int64_t>>{{"tensor", {2, 1}}, {"data", {4, 2}}, {"expert", {2, 2}}, {"data_expert", {2, 4}}}));
    }

    void theExampleOfSimAiIsReadWhole()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        std::ifstream file(shared + "/corpus/import/simai/workload_analytical.txt");
        std::stringstream text;
        text << file.rdbuf();
        QVERIFY(isLayerTable(text.str().substr(0, 4096)));
        Diagnostics found;
        const LayerTable table = tableOf(text.str(), &found);
        QVERIFY(found.empty());
        QCOMPARE(table.rows.size(), std::size_t{24 * 74 + 13});
        QVERIFY(stepsOfLayers(table, 9216, "table.txt", found));
        QCOMPARE(found.size(), std::size_t{1}); // Stages wait for nothing.
        QVERIFY(!stepsOfLayers(table, 9215, "table.txt", found));
    }

    void whatIsWrongIsNamedWithItsLine_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("words");
        const QString head = QString::fromStdString(kHead);
        QTest::newRow("nothing") << "" << 0 << "empty";
        QTest::newRow("policy") << "HYBRID_DLRM 4\n1\n" << 1 << "policy HYBRID_DLRM";
        QTest::newRow("no count") << head + "many\n" << 2 << "number of rows";
        QTest::newRow("no rows") << head + "0\n" << 2 << "no rows";
        QTest::newRow("columns") << head + "1\na -1 5 NONE 0\n" << 3 << "5 columns";
        QTest::newRow("collective") << head + "1\na -1 5 ALLSUM 0 6 NONE 0 7 NONE 0 8\n" << 3 << "column 4 is ALLSUM";
        QTest::newRow("negative") << head + "1\na -1 -5 NONE 0 6 NONE 0 7 NONE 0 8\n" << 3 << "column 3 is -5";
        QTest::newRow("beyond all") << head + "1\na -1 5 ALLREDUCE 99999999999999999999 6 NONE 0 7 NONE 0 8\n" << 3 << "column 5 is";
        QTest::newRow("group of 0") << "DATA model_parallel_NPU_group: 0\n1\n" << 1 << "model_parallel_NPU_group has no number";
    }
    void whatIsWrongIsNamedWithItsLine()
    {
        QFETCH(QString, text);
        QFETCH(int, line);
        QFETCH(QString, words);
        Diagnostics found;
        const auto table = readLayerTable(text.toStdString(), "table.txt", found);
        QVERIFY(!table);
        QVERIFY2(QString::fromStdString(table.error().text()).contains(words), table.error().text().c_str());
        QCOMPARE(table.error().place.line, line);
    }

    void collectivesTheReferenceIgnoresAreSkippedWithAWarning()
    {
        Diagnostics found;
        const LayerTable table = tableOf(kHead + "1\na -1 5 BROADCAST 64 6 ALLREDUCEALLTOALL 64 7 NONE 64 8\n", &found);
        QCOMPARE(found.size(), std::size_t{2});
        for (const LayerPass& pass : table.rows[0].passes)
            QVERIFY(pass.collective == LayerCollective::None && pass.bytes == 0);
    }
};

FABRICSCOPE_TEST(LayerTableTest)
#include "tst_layertable.moc"
