#include "tests/unit/support/cases/astracase.h"
#include "tests/unit/support/testprogram.h"

#include <QTest>

#include <algorithm>

using namespace fabricscope;
using namespace fabricscope::test;

/// 395 collectives measured with the three back ends of the reference.
class AstraCollectivesTest : public QObject {
    Q_OBJECT

private slots:
    void firstAndLastRankFinishWhenTheReferenceSays_data();
    void firstAndLastRankFinishWhenTheReferenceSays();
};

void AstraCollectivesTest::firstAndLastRankFinishWhenTheReferenceSays_data()
{
    QTest::addColumn<QStringList>("cells");
    const auto rows = csvRows("astra_collectives.csv");
    QCOMPARE(rows.size(), std::size_t{395});
    for (const auto& row : rows) {
        QStringList cells;
        for (const std::string& cell : row)
            cells << QString::fromStdString(cell);
        QTest::addRow("%s %s %s %s", row[0].c_str(), row[1].c_str(), row[4].c_str(), row[11].c_str()) << cells;
    }
}

void AstraCollectivesTest::firstAndLastRankFinishWhenTheReferenceSays()
{
    QFETCH(QStringList, cells);
    std::vector<std::string> row;
    for (const QString& cell : cells)
        row.push_back(cell.toStdString());
    AstraCase run(row[1], row[2], row[3]);
    run.model = row[13] == "unaware" ? Model::AstraUnaware : Model::AstraAware;
    const CollectiveOp op = collectiveNamed(row[11]);
    run.use(op, row[4]);
    run.system.splits = std::stoll(row[5]);
    run.system.localBandwidthAware = row[6] == "localBWAware";
    run.system.activeChunks = std::stoll(row[7]);
    run.system.endpointDelayNs = std::stoll(row[8]);
    run.system.localMemoryGBps = std::stod(row[9]);
    run.system.queuesPerDimension = std::stoll(row[10]);
    run.runCollective(op, std::stoll(row[12]));

    const auto record = run.run();

    QVERIFY2(record, record ? "" : record.error().text().c_str());
    QVERIFY(record.value().complete);
    const std::vector<std::int64_t> finish = finishPerRank(record.value());
    QCOMPARE(*std::max_element(finish.begin(), finish.end()), std::stoll(row[15]));
    QCOMPARE(*std::min_element(finish.begin(), finish.end()), std::stoll(row[14]));
}

FABRICSCOPE_TEST(AstraCollectivesTest)
#include "tst_astra_collectives.moc"
