// The table of NCCL's example tuner plugin. What a line means to the plugin is restated here from its published reader: fields split at commas,
// lines that start with '#' skipped, the first line whose collective, closed size range, nodes and ranks fit decides.
#include "core/programio/nccltuner.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <sstream>

using namespace fabricscope;

namespace {

std::string chosen(const std::string& table, const std::string& collective, std::int64_t bytes, int nodes, int ranks)
{
    std::stringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        std::vector<std::string> fields;
        std::stringstream parts(line);
        for (std::string field; std::getline(parts, field, ',');)
            fields.push_back(field);
        if (fields.size() != 10)
            qFatal("not ten fields: %s", line.c_str());
        const auto fits = [&](std::size_t field, int value) { return fields[field] == "-1" || std::stoi(fields[field]) == value; };
        if (fields[0] == collective && bytes >= std::stoll(fields[1]) && bytes <= std::stoll(fields[2]) && fits(6, nodes) && fits(7, ranks))
            return fields[3] + '/' + fields[4] + '/' + fields[5];
    }
    return "none";
}

TunerRow row(std::int64_t least, std::int64_t most, TunerAlgorithm algorithm, WireProtocol protocol, int channels)
{
    TunerRow out;
    out.minBytes = least;
    out.maxBytes = most;
    out.algorithm = algorithm;
    out.protocol = protocol;
    out.channels = channels;
    out.nodes = 2;
    out.ranks = 16;
    return out;
}

} // namespace

class TestNcclTuner : public QObject {
    Q_OBJECT

private slots:
    void thePluginFindsTheBestOfEverySize();
    void neighboursThatSayTheSameAreOneLine();
    void whatThePluginWouldMisreadIsRefused();
    void algorithmsHaveTheNamesOfThePlugin();
};

void TestNcclTuner::thePluginFindsTheBestOfEverySize()
{
    std::vector<TunerRow> rows{row(65537, 1 << 20, TunerAlgorithm::Ring, WireProtocol::LL128, 8), row(0, 65536, TunerAlgorithm::Tree, WireProtocol::LL, 2),
        row((1 << 20) + 1, std::int64_t{1} << 40, TunerAlgorithm::Ring, WireProtocol::Any, -1)};
    rows.push_back(row(0, 4096, TunerAlgorithm::Nvls, WireProtocol::Simple, 4));
    rows.back().op = CollectiveOp::ReduceScatter;
    rows.back().nodes = rows.back().ranks = -1;

    const auto table = writeTunerTable(rows);

    QVERIFY(table);
    QCOMPARE(chosen(table.value(), "allreduce", 0, 2, 16), std::string("tree/ll/2"));
    QCOMPARE(chosen(table.value(), "allreduce", 65536, 2, 16), std::string("tree/ll/2"));
    QCOMPARE(chosen(table.value(), "allreduce", 65537, 2, 16), std::string("ring/ll128/8"));
    QCOMPARE(chosen(table.value(), "allreduce", 1 << 30, 2, 16), std::string("ring/simple/-1"));
    QCOMPARE(chosen(table.value(), "allreduce", 65537, 1, 16), std::string("none"));
    QCOMPARE(chosen(table.value(), "reducescatter", 4096, 7, 56), std::string("nvls/simple/4"));
}

void TestNcclTuner::neighboursThatSayTheSameAreOneLine()
{
    const auto table = writeTunerTable({row(0, 9, TunerAlgorithm::Tree, WireProtocol::LL, 2), row(10, 99, TunerAlgorithm::Tree, WireProtocol::LL, 2), row(101, 200, TunerAlgorithm::Tree, WireProtocol::LL, 2)});
    QVERIFY(table);
    QCOMPARE(table.value(), std::string("# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff\n"
                                        "allreduce,0,99,tree,ll,2,2,16,-1,-1\nallreduce,101,200,tree,ll,2,2,16,-1,-1\n"));
}

void TestNcclTuner::whatThePluginWouldMisreadIsRefused()
{
    TunerRow other = row(0, 10, TunerAlgorithm::Ring, WireProtocol::LL, 1);
    other.op = CollectiveOp::AllToAll;
    QVERIFY(!writeTunerTable({other}));
    QVERIFY(!writeTunerTable({row(10, 9, TunerAlgorithm::Ring, WireProtocol::LL, 1)}));
    QVERIFY(!writeTunerTable({row(-1, 9, TunerAlgorithm::Ring, WireProtocol::LL, 1)}));
    QVERIFY(!writeTunerTable({row(0, 9, TunerAlgorithm::Ring, WireProtocol::LL, 0)}));
    QVERIFY(!writeTunerTable({row(0, 10, TunerAlgorithm::Ring, WireProtocol::LL, 1), row(10, 20, TunerAlgorithm::Tree, WireProtocol::LL, 1)}));
    QVERIFY(writeTunerTable({}));
}

void TestNcclTuner::algorithmsHaveTheNamesOfThePlugin()
{
    for (const char* name : {"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"})
        QCOMPARE(std::string(tunerAlgorithmKey(*tunerAlgorithmOf(name))), std::string(name));
    QCOMPARE(tunerAlgorithmOf("double_binary_tree"), std::optional(TunerAlgorithm::Tree));
    QVERIFY(!tunerAlgorithmOf("swing"));
}

FABRICSCOPE_TEST(TestNcclTuner)
#include "tst_nccltuner.moc"
