// Tables of measurements, predictions for their rows, and how far off these are.
#include "core/measure/rowpredictions.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"
#include "sourcedir.h"

#include <QFile>
#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace fabricscope;

namespace {

std::vector<PredictedRow> predicted(MeasuredKind kind, const std::string& text)
{
    const auto table = readMeasuredRows(text, "rows.csv");
    if (!table)
        qFatal("%s", table.error().text().c_str());
    const auto rows = predictRows(kind, table.value(), {});
    if (!rows)
        qFatal("%s", rows.error().text().c_str());
    return rows.value();
}

int refusedLine(MeasuredKind kind, const std::string& text)
{
    const auto table = readMeasuredRows(text, "rows.csv");
    if (!table)
        return table.error().place.line;
    const auto rows = predictRows(kind, table.value(), {});
    return rows ? 0 : rows.error().place.line;
}

bool isNear(double got, double wanted)
{
    return std::abs(got - wanted) <= std::abs(wanted) * 1e-9;
}

const std::string kGpt = "params_b,gpus,global_batch,micro_batch,hidden,heads,layers,seq,tp,dp,pp,iter_ms\n";

} // namespace

class ValidationTest : public QObject {
    Q_OBJECT

private slots:
    void errorsAreThoseOfTheirDefinitions()
    {
        // Twice, half and right: sqrt[3](2 x 2 x 1) - 1; (1 + 0.5 + 0) / 3; of three pairs (1, 2), (2, 1), (3, 3) two are in order.
        const ErrorFigures figures = errorFigures({{2, 1}, {1, 2}, {3, 3}});
        QCOMPARE(figures.rows, std::int64_t{3});
        QVERIFY(isNear(figures.errorPct, (std::cbrt(4.0) - 1) * 100));
        QVERIFY(isNear(figures.mapePct, 50));
        QVERIFY(isNear(figures.kendallTau, 1.0 / 3));
        QCOMPARE(errorFigures({}).rows, std::int64_t{0});
        QCOMPARE(errorFigures({{1, 1}, {1, 2}}).kendallTau, 0.0); // Nothing but ties.
    }

    /// Tau-b by its definition over all pairs.
    void ordersAreComparedAsByAllPairs()
    {
        std::mt19937 random(5);
        for (int round = 0; round < test::cases(200); ++round) {
            std::vector<std::pair<double, double>> pairs(random() % 60);
            for (auto& [first, second] : pairs) {
                first = 1 + static_cast<double>(random() % 12);
                second = 1 + static_cast<double>(random() % 12);
            }
            std::int64_t order = 0, firsts = 0, seconds = 0;
            for (std::size_t i = 0; i < pairs.size(); ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    const int a = (pairs[i].first > pairs[j].first) - (pairs[i].first < pairs[j].first);
                    const int b = (pairs[i].second > pairs[j].second) - (pairs[i].second < pairs[j].second);
                    order += a * b;
                    firsts += a * a;
                    seconds += b * b;
                }
            }
            const double expected = firsts > 0 && seconds > 0 ? static_cast<double>(order) / std::sqrt(static_cast<double>(firsts) * static_cast<double>(seconds)) : 0;
            QVERIFY(std::abs(errorFigures(pairs).kendallTau - expected) < 1e-12);
        }
        // As many rows as a table may have, in order but for each two; by all pairs that took a quarter of a minute.
        std::vector<std::pair<double, double>> many;
        for (int i = 0; i < 100'000; ++i)
            many.emplace_back(1 + (i ^ 1), 1 + i);
        QVERIFY(isNear(errorFigures(many).kendallTau, 1 - 2.0 / 99'999));
    }

    void theBestOfAModelIsChosenAmongItsRows()
    {
        // a: predicted best is the second, measured 12 where 10 is the best: 20 % over; of the three pairs of rows one is in order, tau (1 - 2) / 3. b: one row.
        const std::vector<RankedModel> models = rankedModels({{"a", {3, 10}}, {"b", {1, 5}}, {"a", {2, 12}}, {"a", {4, 11}}});
        QCOMPARE(models.size(), 2U);
        QCOMPARE(models[0].rows, 3);
        QVERIFY(isNear(models[0].overBestPct, 20));
        QVERIFY(isNear(models[0].kendallTau, -1.0 / 3));
        QCOMPARE(models[1].overBestPct, 0.0);
        QCOMPARE(models[1].kendallTau, 0.0);
    }

    void measuredPlansAreChosenWell()
    {
        QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/tests/golden/gpt_a100_multinode.csv"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto table = readMeasuredRows(file.readAll().toStdString(), "gpt_a100_multinode.csv");
        QVERIFY(table);
        std::vector<std::pair<std::string, std::pair<double, double>>> named;
        const auto rows = predictRows(MeasuredKind::Gpt, table.value(), {});
        QVERIFY(rows);
        for (const PredictedRow& row : rows.value()) {
            QVERIFY2(row.predicted, row.reason.c_str());
            named.emplace_back(table.value().cell(table.value().rows[row.row], "params_b"), std::pair(*row.predicted, row.measured));
        }
        const std::vector<RankedModel> models = rankedModels(named);
        QCOMPARE(models.size(), 4U);
        for (const RankedModel& model : models)
            qInfo("%s B: %lld plans, %.2f %% over the best, Kendall tau %.3f", model.model.c_str(), static_cast<long long>(model.rows), model.overBestPct, model.kendallTau);
        QVERIFY(std::count_if(models.begin(), models.end(), [](const RankedModel& model) { return model.overBestPct <= 5; }) >= 3);
    }

    void cellsMayStandBetweenQuotes()
    {
        const auto table = readMeasuredRows("a,b\r\n\"x, \"\"y\"\"\",2\n\nz,3\n", "t.csv");
        QVERIFY(table);
        QCOMPARE(table.value().rows.size(), std::size_t{2});
        QCOMPARE(table.value().cell(table.value().rows[0], "a"), std::string("x, \"y\""));
        QCOMPARE(table.value().rows[1].line, 4);
        QCOMPARE(*table.value().number(table.value().rows[1], "b"), 3.0);
        QVERIFY(!table.value().number(table.value().rows[1], "a"));
    }

    void aProductTakesItsShareOfThePeak()
    {
        const auto rows = predicted(MeasuredKind::Gemm, "gpu,kind,m,n,k,time_us\nA100,GEMM fp16,8192,8192,8192,4333.9\nA100,HBM copy,,,,\nH100,GEMM fp8,1024,1024,1024,7.83\nB9,GEMM fp16,8,8,8,1\nH200,GEMM fp8,1024,1024,1024,7.38\n");
        QCOMPARE(rows.size(), std::size_t{4});
        // 64 x 64 tiles of 128 x 128 on 108 units are 38 waves; a tile is as deep as k and 256 bytes. 64 tiles are one.
        QVERIFY(isNear(*rows[0].predicted, 1.75e-6 + 38 * 2.0 * 128 * 128 * (8192 + 128) * 108 / (312e12 * 0.805)));
        QVERIFY(isNear(rows[0].measured, 4333.9e-6));
        QVERIFY(isNear(*rows[1].predicted, 3.5e-6 + 2.0 * 128 * 128 * (1024 + 256) * 132 / (2 * 989e12 * 0.7)));
        QVERIFY(isNear(*rows[3].predicted, 3.4e-6 + 2.0 * 128 * 128 * (1024 + 256) * 132 / (2 * 989e12 * 0.702)));
        QCOMPARE(rows[1].row, std::size_t{2});
        QVERIFY(!rows[2].predicted && !rows[2].reason.empty());
    }

    void aStepTakesAtLeastItsFlops()
    {
        // 4 layers of 2048: 72 B s L h^2 (1 + s / 6h + V / 12hL) FLOP on 2 GPUs, with all of it done again where parameters are named.
        const double h = 2048;
        const double flops = 72.0 * 8 * 1024 * 4 * h * h * (1 + 1024 / (6 * h) + 50257 / (12 * h * 4));
        const auto rows = predicted(MeasuredKind::Gpt, kGpt + ",2,8,4,2048,16,4,1024,1,2,1,50\n1.0,2,8,4,2048,16,4,1024,1,2,1,50\n");
        QVERIFY(*rows[0].predicted > flops / (2 * 312e12) && *rows[0].predicted < flops / (2 * 312e12) * 4);
        QVERIFY(*rows[1].predicted > *rows[0].predicted * 1.1);
        QVERIFY(isNear(rows[0].measured, 0.05));
    }

    void whatCannotBePredictedSaysWhy()
    {
        const auto rows = predicted(MeasuredKind::Gpt, kGpt + ",2,8,4,1024,15,4,1024,2,1,1,50\n");
        QVERIFY(!rows[0].predicted && !rows[0].reason.empty());
        const auto named = predicted(MeasuredKind::Megatron, "gpu,model,gpus,global_batch,micro_batch,seq,tokens_per_s_per_gpu\nDGX H100,NOBODY_1B,8,128,1,2048,1000\n");
        QVERIFY(!named[0].predicted);
        QVERIFY(isNear(named[0].measured, 128 * 2048 / 8000.0));
    }

    void brokenTablesNameTheirLine()
    {
        QCOMPARE(refusedLine(MeasuredKind::Gpt, "gpus,iter_ms\n2,3\n"), 1);
        QCOMPARE(refusedLine(MeasuredKind::Gpt, kGpt + ",2,8,4,1024,16,4,1024,1,2,1,50\n,2,8,4,many,16,4,1024,1,2,1,50\n"), 3);
        QCOMPARE(refusedLine(MeasuredKind::Gpt, kGpt + ",2,8,4,1024,16,4,1024,1,2,1,-5\n"), 2);
        QCOMPARE(refusedLine(MeasuredKind::Gemm, "gpu,kind,m,n,k,time_us\nA100,GEMM,1\n"), 2);
        QCOMPARE(refusedLine(MeasuredKind::Gemm, "gpu,kind\n\"open,2\n"), 2);
        QVERIFY(!readMeasuredRows("", "t.csv"));
        QVERIFY(!readMeasuredRows("a,b\n", "t.csv"));
    }
};

FABRICSCOPE_TEST(ValidationTest)
#include "tst_validation.moc"
