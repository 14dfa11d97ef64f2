#include "tests/unit/support/cases/astracase.h"
#include "tests/unit/support/testprogram.h"

#include <QTest>

#include <algorithm>

using namespace fabricscope;
using namespace fabricscope::test;

/// Runs of 2 to 16,384 NPUs measured with the reference; the largest have 33 million messages.
class AstraScalingTest : public QObject {
    Q_OBJECT

private slots:
    void largeRunsFinishWhenTheReferenceSays_data();
    void largeRunsFinishWhenTheReferenceSays();
};

void AstraScalingTest::largeRunsFinishWhenTheReferenceSays_data()
{
    QTest::addColumn<QStringList>("cells");
    const auto rows = csvRows("astra_scaling.csv");
    QCOMPARE(rows.size(), std::size_t{92});
    for (const auto& row : rows) {
        QStringList cells;
        for (const std::string& cell : row)
            cells << QString::fromStdString(cell);
        QTest::addRow("%s", row[0].c_str()) << cells;
    }
}

void AstraScalingTest::largeRunsFinishWhenTheReferenceSays()
{
    QFETCH(QStringList, cells);
    std::vector<std::string> row;
    for (const QString& cell : cells)
        row.push_back(cell.toStdString());
    AstraCase run(row[1], row[2], row[3]);
    run.model = row[8] == "unaware" ? Model::AstraUnaware : Model::AstraAware;
    run.useForAll(row[4].find("halving") == std::string::npos || row[6] == "all_reduce" ? row[4] : "ring");
    run.system.splits = std::stoll(row[5]);
    run.system.localBandwidthAware = true;
    run.system.localMemoryGBps = 1600;
    if (row[6] == "none") {
        RankTasks tasks;
        tasks.compute(1);
        run.ranks = {tasks};
    } else {
        run.runCollective(collectiveNamed(row[6]), std::stoll(row[7]));
    }

    const auto record = run.run();

    QVERIFY2(record, record ? "" : record.error().text().c_str());
    QVERIFY(record.value().complete);
    const std::vector<std::int64_t> finish = finishPerRank(record.value());
    QCOMPARE(*std::max_element(finish.begin(), finish.end()), std::stoll(row[10]));
    QCOMPARE(*std::min_element(finish.begin(), finish.end()), std::stoll(row[9]));
}

FABRICSCOPE_TEST(AstraScalingTest)
#include "tst_astra_scaling.moc"
