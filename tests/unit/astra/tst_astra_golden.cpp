#include "tests/unit/support/cases/astracase.h"
#include "core/base/index.h"
#include "tests/unit/support/cases/goldencase.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>

using namespace fabricscope;
using namespace fabricscope::test;

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
        const nlohmann::json& run = m_rows[at(row)];
        QTest::addRow("%d %s %s %s", row, run["backend"].get<std::string>().c_str(), run["collective"].get<std::string>().c_str(),
                      run["implementation"].dump().c_str())
            << row;
    }
}

void AstraGoldenTest::everyRankFinishesWhenTheReferenceSays()
{
    QFETCH(int, row);
    const nlohmann::json& expected = m_rows[at(row)];

    const auto record = goldenCase(expected).run();

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

FABRICSCOPE_TEST(AstraGoldenTest)
#include "tst_astra_golden.moc"
