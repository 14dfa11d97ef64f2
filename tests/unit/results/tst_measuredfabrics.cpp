// Fabrics fitted to measured collectives: sums of columns, sets and their halves, logs, and what a log of our own gives back.
#include "core/base/decimal.h"
#include "core/design/file/readdesign.h"
#include "core/measure/calibration.h"
#include "core/measure/librarytable.h"
#include "core/measure/optimizerfit.h"
#include "core/measure/relativefit.h"
#include "core/measure/transferlog.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"
#include "sourcedir.h"

#include <QFile>
#include <QtTest/QtTest>

#include <cmath>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

bool within(double got, double wanted, double share)
{
    return std::abs(got - wanted) <= std::abs(wanted) * share;
}

/// Ring all-reduces of n GPUs: 2 (n - 1) steps of S / n bytes, by hand.
double ringSeconds(int gpus, double bytes, double message, double perByte, double launch = 0)
{
    return launch + 2.0 * (gpus - 1) * (message + bytes / gpus * perByte);
}

std::string csvRow(int gpus, int nodes, const std::string& collective, std::int64_t bytes, double microseconds)
{
    return std::to_string(gpus) + ',' + std::to_string(nodes) + ',' + collective + ',' + std::to_string(bytes) + ',' + decimal(microseconds) + '\n';
}

const std::string kHead = "gpus,nodes,collective,bytes,time_us\n";

Result<std::vector<TransferSet>> setsOf(const std::string& text)
{
    const auto table = readMeasuredRows(text, "rows.csv");
    if (!table)
        return table.error();
    return readTransferSets(table.value());
}

const std::string kLog = R"(# nThread 1 nGpus 1 minBytes 65536 maxBytes 1048576 step: 4(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid  11 on   hosta device  0 [0x07] NVIDIA A100-SXM4-80GB
#  Rank  1 Group  0 Pid  12 on   hosta device  1 [0x0a] NVIDIA A100-SXM4-80GB
#  Rank  2 Group  0 Pid  13 on   hostb device  0 [0x07] NVIDIA A100-SXM4-80GB
#  Rank  3 Group  0 Pid  14 on   hostb device  1 [0x0a] NVIDIA A100-SXM4-80GB
NCCL version 2.18.5+cuda12.2
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
       65536         16384     float     sum      -1    42.50    1.54    2.31      0    41.10    1.59    2.39      0
      262144         65536     float     sum      -1    50.25    5.22    7.83      0    50.00    5.24    7.86      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 5.07
)";

} // namespace

class MeasuredFabricsTest : public QObject {
    Q_OBJECT

private slots:
    void sumsOfColumnsAreFoundExactly()
    {
        std::mt19937 random(71);
        const auto number = [&random](double least, double most) { return std::uniform_real_distribution<>(least, most)(random); };
        for (int k = 0; k < cases(300); ++k) {
            const std::size_t columns = 1 + random() % 4;
            std::vector<double> values;
            for (std::size_t i = 0; i < columns; ++i)
                values.push_back(random() % 5 == 0 ? 0 : std::exp(number(-20, 5)));
            std::vector<std::vector<double>> rows;
            std::vector<double> targets;
            for (std::size_t r = 0; r < columns + 3; ++r) {
                std::vector<double> row;
                double sum = 0;
                for (std::size_t i = 0; i < columns; ++i) {
                    // Every column is a large part of some rows.
                    row.push_back((r % columns == i ? 1 : 0.1) * number(0.5, 2) / (values[i] > 0 ? values[i] : 1));
                    sum += row.back() * values[i];
                }
                if (sum > 0) {
                    rows.push_back(row);
                    targets.push_back(sum);
                }
            }
            if (rows.empty())
                continue;
            const RelativeFit fit = fitRelative(rows, targets);
            QVERIFY2(fit.meanLog < 1e-7, qPrintable(QString::number(fit.meanLog)));
            for (std::size_t i = 0; i < columns && rows.size() == columns + 3; ++i)
                QVERIFY(std::abs(fit.values[i] - values[i]) <= 1e-5 * (values[i] > 0 ? values[i] : 1));
        }
    }

    void oneRowThatIsOffDoesNotMoveTheLine()
    {
        // t = 3 + 2 x at six places, and one of three times that: the least sum of |ln| leaves it aside, least squares would not.
        std::vector<std::vector<double>> rows;
        std::vector<double> targets;
        for (const double x : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
            rows.push_back({1, x});
            targets.push_back((3 + 2 * x) * (x == 8 ? 3 : 1));
        }
        const RelativeFit fit = fitRelative(rows, targets);
        QVERIFY(within(fit.values[0], 3, 1e-6));
        QVERIFY(within(fit.values[1], 2, 1e-6));
        QVERIFY(within(fit.meanLog, std::log(3) / 7, 1e-6));
    }

    void halfOfTheRowsFitAndTheOthersScore()
    {
        // By bytes: 1 KiB scores (below 64 KiB); of the others the 1st, 3rd and 5th are fitted. The 2nd is 10 % longer than the line, the 4th 20 % shorter.
        std::string text = kHead;
        const auto seconds = [](std::int64_t bytes) { return ringSeconds(8, static_cast<double>(bytes), 2e-6, 5e-12); };
        const std::vector<std::pair<std::int64_t, double>> rows{{1 << 20, 1.0}, {1 << 10, 2.0}, {1 << 16, 1.0}, {1 << 18, 1.1}, {1 << 26, 1 / 1.2}, {std::int64_t{1} << 30, 1.0}};
        for (const auto& [bytes, factor] : rows)
            text += csvRow(8, 1, "all_reduce", bytes, seconds(bytes) * factor * 1e6);
        const auto sets = setsOf(text);
        QVERIFY2(sets, sets ? "" : sets.error().text().c_str());
        QCOMPARE(sets.value().size(), std::size_t{1});
        FabricFitter fitter({});
        const auto scored = fitAndScore(sets.value(), "all", fitter);
        QVERIFY2(scored, scored ? "" : scored.error().text().c_str());
        const SetScore& score = scored.value().score;
        QCOMPARE(score.fittedRows, std::size_t{3});
        QCOMPARE(score.figures.rows, std::int64_t{3});
        QVERIFY(within(*score.from64KiBPct, (std::sqrt(1.1 * 1.2) - 1) * 100, 1e-3));
        QVERIFY(within(score.figures.errorPct, (std::cbrt(2 * 1.1 * 1.2) - 1) * 100, 1e-3));
        QVERIFY(within(*score.below1MiBPct, (std::sqrt(2 * 1.1) - 1) * 100, 1e-3));
        QVERIFY(within(*score.to64MiBPct, 20, 1e-3));
        QVERIFY(!score.abovePct);
        QCOMPARE(score.fitted, (std::vector<std::string>{"latency", "bandwidth"}));
        for (const PredictedTransfer& row : scored.value().rows)
            QVERIFY(within(*row.predicted, seconds(row.transfer.bytes), 1e-4));
    }

    void ofSeveralNumbersOfGpusTheLaunchIsFound()
    {
        std::string text = kHead;
        for (const int gpus : {2, 4, 8}) {
            for (std::int64_t bytes = 1 << 16; bytes <= 1 << 28; bytes *= 4)
                text += csvRow(gpus, 1, "all_reduce", bytes, ringSeconds(gpus, static_cast<double>(bytes), 1.5e-6, 4e-12, 28e-6) * 1e6);
        }
        const auto rows = readTransferLog(text, "rows.csv");
        QVERIFY(rows);
        const auto calibration = calibrateFabric(rows.value(), {});
        QVERIFY2(calibration, calibration ? "" : calibration.error().text().c_str());
        const FittedFigures& figures = calibration.value().fit.figures;
        QVERIFY(within(figures.launch, 28e-6, 1e-4));
        QVERIFY(within(figures.parts.front().perMessage, 1.5e-6, 1e-3));
        QVERIFY(within(figures.parts.front().perByte, 4e-12, 1e-4));
        QVERIFY(calibration.value().inSample.figures.errorPct < 0.01);
        // The fabric that is written gives these times: 8 GPUs, 64 MiB.
        const std::string written = calibratedDesign(calibration.value(), {"rows.csv"});
        const auto design = readDesignText(written, "fabric.yaml");
        QVERIFY2(design, design ? "" : design.error().text().c_str());
        QVERIFY(validate(design.value().design).empty());
        MeasuredTransfer transfer;
        transfer.gpus = 8;
        transfer.bytes = 1 << 26;
        QVERIFY(within(simulatedSeconds(design.value().design, transfer, {}).value(), ringSeconds(8, 1 << 26, 1.5e-6, 4e-12, 28e-6), 1e-4));
        transfer.gpus = 4;
        QVERIFY(within(simulatedSeconds(design.value().design, transfer, {}).value(), ringSeconds(4, 1 << 26, 1.5e-6, 4e-12, 28e-6), 1e-4));
    }

    void twoProtocolsAreFound()
    {
        // Messages up to 128 KiB at 1 us and 20 GB/s, larger ones at 5 us and 100 GB/s: one line is far from both.
        std::string text = kHead;
        for (std::int64_t bytes = 1 << 16; bytes <= 1 << 26; bytes *= 2) {
            const bool small = bytes / 8 <= 128 * 1024;
            text += csvRow(8, 1, "all_reduce", bytes, ringSeconds(8, static_cast<double>(bytes), small ? 1e-6 : 5e-6, small ? 5e-11 : 1e-11) * 1e6);
        }
        const auto calibration = calibrateFabric(readTransferLog(text, "rows.csv").value(), {});
        QVERIFY2(calibration, calibration ? "" : calibration.error().text().c_str());
        const auto& parts = calibration.value().fit.figures.parts;
        QCOMPARE(parts.size(), std::size_t{2});
        QVERIFY(parts[0].upTo >= 128 * 1024 && parts[0].upTo < 256 * 1024);
        QVERIFY(within(parts[0].perMessage, 1e-6, 1e-2) && within(parts[0].perByte, 5e-11, 1e-3));
        // The design that is written says the same as the fit: a small and a large size, 512 KiB and 32 MiB.
        const auto design = readDesignText(calibratedDesign(calibration.value(), {"rows.csv"}), "fabric.yaml");
        QVERIFY2(design, design ? "" : design.error().text().c_str());
        QVERIFY(validate(design.value().design).empty());
        for (const auto& [bytes, seconds] : {std::pair{std::int64_t{1} << 19, ringSeconds(8, 1 << 19, 1e-6, 5e-11)}, {std::int64_t{1} << 25, ringSeconds(8, 1 << 25, 5e-6, 1e-11)}}) {
            MeasuredTransfer transfer;
            transfer.gpus = 8;
            transfer.bytes = bytes;
            QVERIFY(within(simulatedSeconds(design.value().design, transfer, {}).value(), seconds, 1e-2));
        }
        QVERIFY(within(parts[1].perMessage, 5e-6, 1e-2) && within(parts[1].perByte, 1e-11, 1e-3));
        QVERIFY(calibration.value().inSample.figures.errorPct < 0.1);
    }

    /// 16 A100 on two nodes, by hand. Trees: LL 6.8 + 2 (7 x 0.6 + 5) = 25.2 us at 22.5 / 2 GB/s, LL128 14 + 2 (7 x 1.25 + 8.5) = 48.5 us at 0.92 x 192 x 120/128 / 2 GB/s; rings, 26 steps inside and 4
    /// between: LL128 14 + 26 x 1.9 + 4 x 4 = 79.4 us at 0.92 x 192 x 16/30 GB/s, Simple 8.4 + 26 x 3.4 + 4 x 14 = 152.8 us at 192 x 16/30 GB/s. Each up to where its line crosses the next one.
    void waysOfALibrarysTableAreThoseOfItsConstants()
    {
        const std::vector<LibraryWay> ways = libraryWays(libraryConstants().front(), 16, 2);
        struct Expected {
            std::string_view algorithm, protocol;
            double latency, perByte;
        };
        const std::vector<Expected> expected{{"tree", "LL", 25.2e-6, 2 / 22.5e9}, {"tree", "LL128", 48.5e-6, 2 / 165.6e9}, {"ring", "LL128", 79.4e-6, 1.875 / 176.64e9}, {"ring", "Simple", 152.8e-6, 1.875 / 192e9}};
        QCOMPARE(ways.size(), expected.size());
        for (std::size_t i = 0; i < ways.size(); ++i) {
            QCOMPARE(ways[i].algorithm, expected[i].algorithm);
            QCOMPARE(ways[i].protocol, expected[i].protocol);
            QVERIFY(within(ways[i].latency, expected[i].latency, 1e-9));
            QVERIFY(within(ways[i].perByte, expected[i].perByte, 1e-9));
            if (i + 1 < ways.size())
                QVERIFY(within(static_cast<double>(ways[i].upTo), (expected[i + 1].latency - expected[i].latency) / (expected[i].perByte - expected[i + 1].perByte), 1e-4));
        }
        // Of every size the way taken is the one of the least time of all that are, and they follow one another.
        for (const LibraryConstants& constants : libraryConstants()) {
            for (const auto& [gpus, nodes] : {std::pair{2, 1}, {5, 1}, {8, 1}, {8, 2}, {64, 8}}) {
                const std::vector<LibraryWay> all = libraryWays(constants, gpus, nodes);
                QCOMPARE(all.back().upTo, std::int64_t{INT64_MAX});
                for (double bytes = 1; bytes < 1e12; bytes *= 3) {
                    const auto taken = std::find_if(all.begin(), all.end(), [bytes](const LibraryWay& way) { return bytes <= static_cast<double>(way.upTo); });
                    for (const LibraryWay& way : all)
                        QVERIFY(taken->seconds(bytes) <= way.seconds(bytes) * (1 + 1e-12));
                }
            }
        }
    }

    void aScaledTableOfALibraryIsFound()
    {
        // Start 20 us, latencies 0.8 and bytes 1.1 of the table; above 256 MiB bytes 0.7 of it.
        const std::vector<LibraryWay> ways = libraryWays(libraryConstants().front(), 16, 2);
        const auto seconds = [&](std::int64_t bytes) {
            const auto way = std::find_if(ways.begin(), ways.end(), [bytes](const LibraryWay& each) { return bytes <= each.upTo; });
            return 20e-6 + 0.8 * way->latency + (bytes > (1 << 28) ? 0.7 : 1.1) * way->perByte * static_cast<double>(bytes);
        };
        std::string text = kHead;
        for (std::int64_t bytes = 1 << 16; bytes <= std::int64_t{1} << 32; bytes *= 2)
            text += csvRow(16, 2, "all_reduce", bytes, seconds(bytes) * 1e6);
        const auto calibration = calibrateFabric(readTransferLog(text, "rows.csv").value(), {});
        QVERIFY2(calibration, calibration ? "" : calibration.error().text().c_str());
        QVERIFY2(calibration.value().inSample.figures.errorPct < 0.1, qPrintable(QString::number(calibration.value().inSample.figures.errorPct)));
        QVERIFY(within(calibration.value().fit.figures.launch, 20e-6, 1e-2));
        // The design that is written chooses as the table does: one size of each way.
        const auto design = readDesignText(calibratedDesign(calibration.value(), {"rows.csv"}), "fabric.yaml");
        QVERIFY2(design, design ? "" : design.error().text().c_str());
        QVERIFY(validate(design.value().design).empty());
        for (const std::int64_t bytes : {std::int64_t{100'000}, std::int64_t{1} << 22, std::int64_t{1} << 25, std::int64_t{1} << 27}) {
            MeasuredTransfer transfer;
            transfer.gpus = 16;
            transfer.nodes = 2;
            transfer.bytes = bytes;
            const auto simulated = simulatedSeconds(design.value().design, transfer, {});
            QVERIFY2(simulated, simulated ? "" : simulated.error().text().c_str());
            QVERIFY2(within(simulated.value(), seconds(bytes), 2e-3), qPrintable(QString::number(simulated.value() / seconds(bytes))));
        }
    }

    void aSimulatedLogGivesTheFabricBack()
    {
        std::mt19937 random(72);
        const auto number = [&random](double least, double most) { return std::exp(std::uniform_real_distribution<>(std::log(least), std::log(most))(random)); };
        for (int k = 0; k < cases(20); ++k) {
            const int gpus = static_cast<int>(2 + random() % 7);
            const double latency = number(0.2e-6, 10e-6);
            const double rate = number(5e9, 900e9);
            const bool launched = random() % 2 == 0;
            const double launch = launched ? number(5e-6, 50e-6) : 0;
            const bool gather = random() % 2 == 0;
            FittedFigures truth;
            truth.launch = launch;
            truth.parts = {{INT64_MAX, 2 * latency, 1 / rate}};
            std::string log = "# nThread 1 nGpus " + std::to_string(gpus) + " minBytes 65536\n# " + std::string(gather ? "all_gather" : "all_reduce") + "_perf\n";
            std::vector<MeasuredTransfer> rows;
            for (const int used : launched ? std::vector<int>{gpus, gpus + 3} : std::vector<int>{gpus}) {
                const auto fabric = fabricDesign(truth, used, 1);
                QVERIFY2(fabric, fabric ? "" : fabric.error().text().c_str());
                log = "# nThread 1 nGpus " + std::to_string(used) + " minBytes 65536\n# " + std::string(gather ? "all_gather" : "all_reduce") + "_perf\n";
                for (std::int64_t bytes = 1 << 16; bytes <= 1 << 30; bytes *= 4) {
                    MeasuredTransfer transfer;
                    transfer.gpus = used;
                    transfer.op = gather ? CollectiveOp::AllGather : CollectiveOp::AllReduce;
                    transfer.bytes = bytes;
                    const auto seconds = simulatedSeconds(fabric.value(), transfer, {});
                    QVERIFY2(seconds, seconds ? "" : seconds.error().text().c_str());
                    log += std::to_string(bytes) + " " + std::to_string(bytes / 4) + " float none -1 " + QByteArray::number(seconds.value() * 1e6, 'f', 4).toStdString() + " 0.00 0.00 0\n";
                }
                const auto read = readTransferLog(log, "run.log");
                QVERIFY2(read, read ? "" : read.error().text().c_str());
                rows.insert(rows.end(), read.value().begin(), read.value().end());
            }
            const auto calibration = calibrateFabric(rows, {});
            QVERIFY2(calibration, calibration ? "" : calibration.error().text().c_str());
            const FittedFigures& found = calibration.value().fit.figures;
            const QString told = QStringLiteral("case %1: %2 GPUs, %3 s, %4 B/s, launch %5 s").arg(k).arg(gpus).arg(latency).arg(rate).arg(launch);
            QCOMPARE(found.parts.size(), std::size_t{1});
            QVERIFY2(within(found.parts.front().perMessage, 2 * latency, 0.01), qPrintable(told));
            QVERIFY2(within(found.parts.front().perByte, 1 / rate, 0.005), qPrintable(told));
            QVERIFY2(launched ? within(found.launch, launch, 0.01) : found.launch == 0, qPrintable(told));
            QVERIFY(calibration.value().inSample.figures.errorPct < 0.05);
        }
    }

    void nodesHaveANetworkOfTheirOwn()
    {
        // Rows of one node and of two: the ring inside of a node of 4, then between the nodes; by hand 3 steps of S/4 there and back, between them 1 of S/8 each way.
        std::string text = kHead;
        for (std::int64_t bytes = 1 << 16; bytes <= 1 << 28; bytes *= 4) {
            const auto size = static_cast<double>(bytes);
            const double inside = 2 * 3 * (2e-6 + size / 4 * 5e-12);
            text += csvRow(4, 1, "all_reduce", bytes, inside * 1e6);
            text += csvRow(8, 2, "all_reduce", bytes, (inside + 2 * (7e-6 + size / 8 * 4e-11)) * 1e6);
        }
        const auto calibration = calibrateFabric(readTransferLog(text, "rows.csv").value(), {});
        QVERIFY2(calibration, calibration ? "" : calibration.error().text().c_str());
        const FittedFigures& figures = calibration.value().fit.figures;
        QVERIFY(figures.hasNetwork);
        QCOMPARE(calibration.value().gpus, 8);
        QCOMPARE(calibration.value().nodes, 2);
        QVERIFY(calibration.value().inSample.figures.errorPct < 0.1);
        QVERIFY(within(figures.networkPerByte, 4e-11, 0.01));
        QVERIFY(within(figures.parts.front().perByte, 5e-12, 0.01));
    }

    void logsOfNcclTestsAreRead()
    {
        const auto rows = readTransferLog(kLog, "all_reduce.log");
        QVERIFY2(rows, rows ? "" : rows.error().text().c_str());
        QCOMPARE(rows.value().size(), std::size_t{2});
        QCOMPARE(rows.value()[1].bytes, std::int64_t{262144});
        QVERIFY(within(rows.value()[1].seconds, 50.25e-6, 1e-9));
        QCOMPARE(rows.value()[1].gpus, 4);
        QCOMPARE(rows.value()[1].nodes, 2);
        // Without a name: busbw / algbw = 1.5 = 2 x 3/4 and a sum.
        const auto unnamed = readTransferLog(kLog, "run.log");
        QVERIFY(unnamed);
        QVERIFY(unnamed.value()[0].op == CollectiveOp::AllReduce);
        // The program in the log says more than the name of the file, and mpirun may tag lines.
        std::string tagged;
        for (const QByteArray& line : QByteArray::fromStdString("# ./build/reduce_scatter_perf -b 64K\n" + kLog).split('\n'))
            tagged += "[1,0]<stdout>:" + line.toStdString() + "\r\n";
        const auto scattered = readTransferLog(tagged, "all_reduce.log");
        QVERIFY2(scattered, scattered ? "" : scattered.error().text().c_str());
        QVERIFY(scattered.value()[0].op == CollectiveOp::ReduceScatter);
        // Every rank sends to the next: one message, between hosts where there are two.
        const auto sent = readTransferLog(kLog, "sendrecv_perf.log");
        QVERIFY(sent && sent.value()[0].message && sent.value()[0].gpus == 2 && sent.value()[0].nodes == 2);
        // Older versions have no column root.
        const auto older = readTransferLog("# nThread 1 nGpus 4\n#       size         count    type   redop     time   algbw   busbw  error\n 1048576 262144 float sum 85.58 12.25 22.97 1e-06\n", "all_reduce.log");
        QVERIFY(older);
        QVERIFY(within(older.value()[0].seconds, 85.58e-6, 1e-9));
    }

    /// busbw / algbw is 2 (n - 1)/n, with two decimals of each: 1.875 are 16 ranks, 2.81 / 1.5 may be 15, 16 or 17.
    void ranksOfAnUnnamedLogAreSureOrRefused()
    {
        const std::string head = "# nThread 1 nGpus 1\n";
        const auto sure = readTransferLog(head + "1048576 262144 float sum -1 50.0 100.00 187.50 0\n", "all_reduce.log");
        QVERIFY(sure && sure.value().front().gpus == 16);
        const auto unsure = readTransferLog(head + "1048576 262144 float sum -1 50.0 1.50 2.81 0\n", "all_reduce.log");
        QVERIFY(!unsure && unsure.error().place.line == 2);
    }

    /// As spreadsheets write it.
    void aMarkOfUtf8IsNoPartOfAColumn()
    {
        const auto rows = readTransferLog("\xEF\xBB\xBF" + kHead + "8,1,all_reduce,1024,5\n", "rows.csv");
        QVERIFY2(rows, rows ? "" : rows.error().text().c_str());
    }

    void brokenLogsNameTheirLine()
    {
        const auto lineOf = [](const std::string& text, const std::string& file = "run.log") {
            const auto rows = readTransferLog(text, file);
            return rows ? 0 : rows.error().place.line;
        };
        QVERIFY(!readTransferLog("", "run.log"));
        QVERIFY(!readTransferLog("no rows here\n", "run.log"));
        QCOMPARE(lineOf("# nThread 1 nGpus 8\n1024 256 float sum -1 N/A 0.0 0.0\n", "all_reduce.log"), 2);
        QCOMPARE(lineOf("# nThread 1 nGpus 8\n1024 256 float sum -1 5.0 0.0 0.0\n"), 2); // Which collective?
        QCOMPARE(lineOf("1024 256 float sum -1 5.0 0.0 0.0\n", "all_reduce.log"), 1);    // How many ranks?
        QCOMPARE(lineOf("# nThread 1 nGpus 8\n1024 256 float sum -1 -5.0 0.0 0.0\n", "all_reduce.log"), 2);
        QCOMPARE(lineOf(kHead + "8,3,all_reduce,1024,5\n"), 2);
        QCOMPARE(lineOf(kHead + "8,1,all_reduce,1024,5\n8,1,dance,1024,5\n"), 3);
        QCOMPARE(lineOf(kHead + "8,1,send_recv,1024,5\n"), 2);
        QCOMPARE(lineOf(kHead + "8,1,all_reduce,1024.5,5\n"), 2);
        QCOMPARE(lineOf(kHead + "8,1,all_reduce,1024,0\n"), 2);
        QCOMPARE(lineOf(kHead + "1,1,all_reduce,1024,5\n"), 2);
        QCOMPARE(lineOf(kHead + "8,1,all_reduce,1024,1e-300\n"), 2);
        QCOMPARE(lineOf("# nThread 1 nGpus 8\n1024 256 float sum -1 1e-300 0.0 0.0\n", "all_reduce.log"), 2);
        QCOMPARE(lineOf("# nThread 1 nGpus 8\n9223372036854775807 256 float sum -1 5.0 0.0 0.0\n", "all_reduce.log"), 2);
        // More ranks than are fitted, by threads and by their lines.
        QCOMPARE(lineOf("# nThread 1024 nGpus 1024\n1024 256 float sum -1 5.0 0.0 0.0\n", "all_reduce.log"), 2);
        std::string many = "# nThread 1 nGpus 1\n";
        for (int rank = 0; rank < 1032; ++rank)
            many += "#  Rank  " + std::to_string(rank) + " Pid 1 on host" + std::to_string(rank / 8) + " device 0\n";
        QCOMPARE(lineOf(many + "1024 256 float sum -1 5.0 0.0 0.0\n", "all_reduce.log"), 1034);
        // A program whose collective is not fitted is not the one before it.
        QCOMPARE(lineOf("# all_reduce_perf\n# nThread 1 nGpus 8\n1024 256 float sum -1 5.0 0.0 0.0\n# gather_perf\n1024 256 float none -1 5.0 0.0 0.0\n"), 5);
    }

    void shippedFabricsAreFittedToTheMeasuredRows_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("gpus");
        QTest::newRow("A100") << QStringLiteral("a100") << QStringList{QStringLiteral("A100"), QStringLiteral("a100")};
        QTest::newRow("H100, H200") << QStringLiteral("h100") << QStringList{QStringLiteral("H100"), QStringLiteral("H200")};
    }
    void shippedFabricsAreFittedToTheMeasuredRows()
    {
        QFETCH(QString, name);
        QFETCH(QStringList, gpus);
        std::vector<MeasuredTransfer> rows;
        for (const char* const file : {"collectives", "in-node-rings"}) {
            QFile table(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/measured/%1.csv").arg(QString::fromLatin1(file)));
            QVERIFY(table.open(QIODevice::ReadOnly));
            const auto sets = setsOf(table.readAll().toStdString());
            QVERIFY(sets);
            for (const TransferSet& set : sets.value()) {
                const bool own = std::any_of(gpus.begin(), gpus.end(), [&set](const QString& gpu) { return set.name.find(gpu.toStdString()) != std::string::npos; });
                if (own && set.rows.front().nodes == 1 && !set.rows.front().message)
                    rows.insert(rows.end(), set.rows.begin(), set.rows.end());
            }
        }
        const auto calibration = calibrateFabric(rows, {});
        QVERIFY2(calibration, calibration ? "" : calibration.error().text().c_str());
        const auto shipped = readDesign((QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/fabrics/") + name + QStringLiteral(".yaml")).toStdString());
        QVERIFY2(shipped, shipped ? "" : shipped.error().text().c_str());
        for (const PredictedTransfer& row : calibration.value().rows) {
            if (row.transfer.bytes <= 1 << 26) // Larger ones are many pieces.
                QVERIFY(within(simulatedSeconds(shipped.value().design, row.transfer, {}).value(), *row.predicted, 1e-4));
        }
        QVERIFY(calibration.value().inSample.figures.errorPct < 12.5);
    }

    void optimiserStepsBesideTheCollectiveAreAdded()
    {
        // A ring of 128 at 4 us a step and 80 GB/s; apart 28 bytes of every element at 792 GB/s come on top.
        std::string text = "implementation,nccl_algo,elements,iter_ms\n";
        const auto milliseconds = [](std::int64_t elements, bool apart) {
            return (ringSeconds(128, 4.0 * static_cast<double>(elements), 4e-6, 1 / 80e9) + (apart ? static_cast<double>(elements) * 28 / 792e9 : 0)) * 1e3;
        };
        for (std::int64_t elements = 1 << 16; elements <= 1 << 24; elements *= 4) {
            text += "fused,Ring," + std::to_string(elements) + ',' + decimal(milliseconds(elements, false)) + '\n';
            text += "allreduce_then_adam,Ring," + std::to_string(elements) + ',' + decimal(milliseconds(elements, true)) + '\n';
        }
        const auto sets = fitOptimizer(readMeasuredRows(text, "rows.csv").value(), {});
        QVERIFY2(sets, sets ? "" : sets.error().text().c_str());
        QCOMPARE(sets.value().size(), std::size_t{2});
        for (const ScoredSet& set : sets.value()) {
            QCOMPARE(set.rows.size(), std::size_t{5});
            QVERIFY2(set.score.figures.errorPct < 0.2, qPrintable(QString::number(set.score.figures.errorPct)));
        }
    }
};

FABRICSCOPE_TEST(MeasuredFabricsTest)
#include "tst_measuredfabrics.moc"
