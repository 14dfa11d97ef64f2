// Shares of parameters in the spread of a figure, by sampling, against closed forms: Ishigami, Sobol's g, a sum of two figures of a platform.
#include "core/study/maineffects.h"
#include "core/study/parametershares.h"
#include "core/study/saltelli.h"
#include "core/study/spacerun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

using namespace fabricscope;

namespace {

using Output = std::function<double(const std::vector<double>&)>;

/// Rows at A, B, and A with one input of B, from the Sobol sequence.
std::vector<double> sampledOutputs(std::size_t dimensions, std::uint32_t rows, const Output& output)
{
    std::vector<double> out;
    for (std::uint32_t row = 0; row < rows; ++row) {
        std::vector<double> a;
        std::vector<double> b;
        for (std::size_t i = 0; i < dimensions; ++i) {
            a.push_back(sobolNumber(row, i, 0));
            b.push_back(sobolNumber(row, dimensions + i, 0));
        }
        out.push_back(output(a));
        out.push_back(output(b));
        for (std::size_t i = 0; i < dimensions; ++i) {
            std::vector<double> mixed = a;
            mixed[i] = b[i];
            out.push_back(output(mixed));
        }
    }
    return out;
}

/// Near enough, and inside of its interval, which is no wider than it has to be: some 1 / sqrt(N) of N rows.
bool agrees(const ResampledShare& found, double expected, std::size_t rows)
{
    const double room = 8 / std::sqrt(static_cast<double>(rows));
    if (std::abs(found.value - expected) < room / 8 && found.low <= expected && expected <= found.high && found.high - found.low < room)
        return true;
    qWarning("%.4f (%.4f to %.4f) instead of %.4f", found.value, found.low, found.high, expected);
    return false;
}

constexpr double kPi = 3.14159265358979323846;
constexpr std::uint32_t kSampledRows = 4096;

} // namespace

class SensitivityTest : public QObject {
    Q_OBJECT

private slots:
    /// sin x1 + a sin^2 x2 + b x3^4 sin x1 on (-pi, pi): V1 = (1 + b pi^4 / 5)^2 / 2, V2 = a^2 / 8, V13 = b^2 pi^8 (1/18 - 1/50), nothing else.
    void ishigamiIsThatOfItsClosedForm()
    {
        constexpr double a = 7;
        constexpr double b = 0.1;
        const double v1 = std::pow(1 + b * std::pow(kPi, 4) / 5, 2) / 2;
        const double v2 = a * a / 8;
        const double v13 = b * b * std::pow(kPi, 8) * (1.0 / 18 - 1.0 / 50);
        const double all = v1 + v2 + v13;
        const auto shares = varianceShares(sampledOutputs(3, kSampledRows, [](const std::vector<double>& x) {
            const auto at = [&x](std::size_t i) { return kPi * (2 * x[i] - 1); };
            return std::sin(at(0)) + a * std::pow(std::sin(at(1)), 2) + b * std::pow(at(2), 4) * std::sin(at(0));
        }), 3, 1);
        QVERIFY(shares);
        const double first[] = {v1 / all, v2 / all, 0};
        const double total[] = {(v1 + v13) / all, v2 / all, v13 / all};
        for (std::size_t i = 0; i < 3; ++i) {
            QVERIFY(agrees(shares->first[i], first[i], kSampledRows));
            QVERIFY(agrees(shares->total[i], total[i], kSampledRows));
        }
    }

    /// The product of (|4 x - 2| + a) / (1 + a): Vi = 1 / (3 (1 + a)^2), V = product of (1 + Vi) - 1.
    void sobolsGIsThatOfItsClosedForm()
    {
        const std::vector<double> a{0, 1, 4.5, 9, 99, 99};
        double all = 1;
        for (const double of : a)
            all *= 1 + 1 / (3 * (1 + of) * (1 + of));
        // A large constant in front changes no share.
        const auto shares = varianceShares(sampledOutputs(6, kSampledRows, [&a](const std::vector<double>& x) {
            double product = 1;
            for (std::size_t i = 0; i < a.size(); ++i)
                product *= (std::abs(4 * x[i] - 2) + a[i]) / (1 + a[i]);
            return 1e6 + product;
        }), 6, 2);
        QVERIFY(shares);
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double own = 1 / (3 * (1 + a[i]) * (1 + a[i]));
            QVERIFY(agrees(shares->first[i], own / (all - 1), kSampledRows));
            QVERIFY(agrees(shares->total[i], own * all / (1 + own) / (all - 1), kSampledRows));
        }
    }

    void whatHasNoSpreadHasNoShares()
    {
        QVERIFY(!varianceShares({}, 2, 0));
        QVERIFY(!varianceShares(std::vector<double>{1, 2, 3, 4}, 2, 0));
        // Means of many times 0.1 are not 0.1.
        for (const std::size_t rows : {std::size_t{3}, std::size_t{7}, std::size_t{49}, std::size_t{300}}) {
            for (const double value : {0.1, 4.0, 1e9 / 3})
                QVERIFY(!varianceShares(std::vector<double>(4 * rows, value), 2, 0));
        }
        StudySpec grid;
        grid.parameters.resize(1);
        grid.parameters[0].choices.resize(300);
        grid.objectives = {{StudyObjective::Sense::Report, PointFigure::Npus, {}}};
        StudyTable table;
        table.rows.resize(300);
        for (StudyTableRow& row : table.rows)
            row.figures[PointFigure::Npus] = 4;
        QVERIFY(parameterShares(grid, table).empty());
        const std::vector<double> outputs = sampledOutputs(2, 64, [](const std::vector<double>& x) { return x[0]; });
        const auto one = varianceShares(outputs, 2, 7);
        const auto same = varianceShares(outputs, 2, 7);
        const auto other = varianceShares(outputs, 2, 8);
        QVERIFY(one && same && other);
        QCOMPARE(one->first[0].low, same->first[0].low);
        QVERIFY(one->first[0].low != other->first[0].low && one->first[0].value == other->first[0].value);
        QVERIFY(one->first[1].value == 0 && one->total[1].value == 0 && one->total[1].high == 0);
    }

    /// By hand: a rate of 25 GB/s in designs of 4 and 8, of 50 GB/s in one of 2, and one that failed; delays of 1 us in 4, 2; of 2 us in 8. Nothing of a third value that no design has.
    void meansOfEachValueByHand()
    {
        StudySpec space;
        space.parameters.resize(3);
        const auto choices = [](const std::vector<std::string>& labels) {
            std::vector<ParameterChoice> out;
            for (const std::string& label : labels)
                out.push_back({label, label, {}, {}});
            return out;
        };
        space.parameters[0].choices = choices({"25 GB/s", "50 GB/s", "100 GB/s"});
        space.parameters[1].choices = choices({"1 us", "2 us"});
        space.parameters[2].choices = choices({"ring"});
        StudyTable table;
        for (const auto& [rate, delay, value, state] : {std::tuple{"25 GB/s", "1 us", 4.0, StudyTableRow::State::Done}, {"25 GB/s", "2 us", 8.0, StudyTableRow::State::Done}, {"50 GB/s", "1 us", 2.0, StudyTableRow::State::Done},
                                                        {"50 GB/s", "2 us", 99.0, StudyTableRow::State::Failed}}) {
            StudyTableRow& row = table.rows.emplace_back();
            row.state = state;
            row.labels = {rate, delay, "ring"};
            row.figures[PointFigure::StepTime] = value;
        }
        const std::vector<MainEffect> effects = mainEffects(space, table, PointFigure::StepTime);
        QCOMPARE(effects.size(), std::size_t{2}); // One value has no effect.
        // 8 - 3 is more than 6 - 2.
        QCOMPARE(effects[0].parameter, std::size_t{1});
        QVERIFY(effects[0].values.size() == 2 && effects[0].values[0].mean == 3 && effects[0].values[1].mean == 8);
        QVERIFY(effects[1].values.size() == 2 && effects[1].values[0].mean == 6 && effects[1].values[0].designs == 2 && effects[1].values[1].mean == 2 && effects[1].values[1].label == "50 GB/s");
        QVERIFY(mainEffects(space, table, PointFigure::Cost).empty());
    }

    /// A ring of four, ideal: 6 delay + 6 x 1/4 MiB / rate, so rate and delay make nothing together. With u from 0 to 1, delay = 1 + 3 u us: variance 36 x 9/12 us^2. 10^6 / rate
    /// between 25 and 100 GB/s: E(1/r) = ln 4 / 75, E(1/r^2) = (1/25 - 1/100) / 75.
    void studiesAreSampledAndShared()
    {
        const std::string text = "fabricscope: 1\nstudy:\n  base:\n    platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\n    workload: {collective: all_reduce, size: 1 MiB}\n"
                                 "    collectives: {default: {algorithm: ring, chunks: 1}}\n    model: {name: ideal}\n  parameters:\n"
                                 "    - {name: rate, field: platform.dimensions.0.bandwidth, range: [25 GB/s, 100 GB/s]}\n    - {name: delay, field: platform.dimensions.0.latency, range: [1 us, 4 us]}\n"
                                 "  objectives: [{minimise: step_time}, {report: npus}]\n  sampling: {kind: saltelli, points: 512}\n";
        const Result<StudySpec> space = readStudyText(text, "s.yaml", {});
        QVERIFY2(space, space ? "" : space.error().text().c_str());
        QCOMPARE(space.value().designCount(), std::int64_t{2048});
        // A row: A, B, the rate of B with the delay of A, and the other way round.
        const auto labels = [&](std::int64_t number) {
            const auto choices = space.value().choicesOf(number);
            return std::pair(choices[0].label, choices[1].label);
        };
        QCOMPARE(labels(22), std::pair(labels(21).first, labels(20).second));
        QCOMPARE(labels(23), std::pair(labels(20).first, labels(21).second));
        QVERIFY(labels(20) != labels(24));
        QTemporaryDir folder;
        Result<RunStore> store = RunStore::open(folder.filePath(QStringLiteral("s.sqlite")).toStdString(), RunStore::Access::Write);
        PointRunner runner(space.value(), "test");
        StudyProgress progress;
        const Result<StudyTable> table = runSpace(space.value(), runner, store.value(), {}, progress, {});
        QVERIFY(table);
        const std::vector<SampledShares> shares = sampledShares(space.value(), table.value());
        QCOMPARE(shares.size(), std::size_t{1});
        QCOMPARE(shares[0].rows, std::int64_t{512});
        const double ofDelay = 36.0 * 9 / 12;
        const double mean = std::log(4.0) / 75;
        const double ofRate = std::pow(6 * 262.144, 2) * ((1.0 / 25 - 1.0 / 100) / 75 - mean * mean); // us^2; 262.144 us GB/s.
        for (const auto& [of, expected] : {std::pair{0, ofRate / (ofRate + ofDelay)}, {1, ofDelay / (ofRate + ofDelay)}}) {
            QVERIFY(agrees(shares[0].shares.first[static_cast<std::size_t>(of)], expected, 512));
            QVERIFY(agrees(shares[0].shares.total[static_cast<std::size_t>(of)], expected, 512));
        }
        QVERIFY(parameterShares(space.value(), table.value()).empty());
        const std::string said = sharesText(space.value(), table.value());
        QVERIFY2(said.starts_with("spread of step_time over 512 rows, alone and in all: rate "), said.c_str());
        const auto refused = readStudyText(text.substr(0, text.rfind("points")) + "points: 8, search: successive_halving, budget: 3}\n", "s.yaml", {});
        QVERIFY(!refused && refused.error().text().find("s.yaml:12:") != std::string::npos);
    }
};

FABRICSCOPE_TEST(SensitivityTest)

#include "tst_sensitivity.moc"
