// fabricscope-cli validate and calibrate: what they print, JSON, files and exit codes.
#include "core/platform/presetreached.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Ring all-reduces of 8 GPUs in microseconds: 14 steps of 2 us and an eighth of the bytes at 100 GB/s.
double ringUs(double bytes)
{
    return 14 * (2 + bytes / 8 / 1e5);
}

QByteArray csv()
{
    QByteArray text = "table,system,gpus,nodes,collective,bytes,time_us\n";
    for (qint64 bytes = 1 << 16; bytes <= 1 << 28; bytes *= 4)
        text += "T1,mine,8,1,all_reduce," + QByteArray::number(bytes) + ',' + QByteArray::number(ringUs(static_cast<double>(bytes)), 'g', 12) + '\n';
    return text + "T1,mine,2,2,send_recv,1048576,30\n";
}

QByteArray log()
{
    QByteArray text = "# nThread 1 nGpus 8 minBytes 65536 maxBytes 268435456\n#  size count type redop root time algbw busbw #wrong\n";
    for (qint64 bytes = 1 << 16; bytes <= 1 << 28; bytes *= 4)
        text += QByteArray::number(bytes) + " 1 float sum -1 " + QByteArray::number(ringUs(static_cast<double>(bytes)), 'f', 2) + " 0 0 0\n";
    return text;
}

} // namespace

class CliValidateTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    bool write(const char* name, const QByteArray& text) const
    {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    }
    QByteArray read(const char* name) const
    {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    CliResult run(const char* line) const { return runCli(QString::fromLatin1(line).split(' '), m_folder.path()); }

private slots:
    void init()
    {
        QVERIFY(m_folder.isValid());
        QVERIFY(write("rows.csv", csv()));
        QVERIFY(write("all_reduce.log", log()));
    }

    void rowsOfCollectivesAreFittedAndScored()
    {
        const CliResult result = run("validate --kind collectives --rows rows.csv --json");
        QVERIFY2(result.exit == 0, result.err.constData());
        const auto json = nlohmann::json::parse(result.out.toStdString())["result"];
        QCOMPARE(json["sets"].size(), std::size_t{3}); // All, the collectives, the message.
        QVERIFY(json["sets"][0]["set"] == "rows");
        const auto& rings = json["sets"][1];
        // 7 sizes: four are fitted, three score, all on the line.
        QCOMPARE(rings["rows"].get<int>(), 3);
        QCOMPARE(rings["fitted_rows"].get<int>(), 4);
        QCOMPARE(rings["fitted"].get<int>(), 2);
        QVERIFY(rings["error_pct"].get<double>() < 0.05);
        QVERIFY(rings["below_1MiB_pct"].get<double>() < 0.05 && rings["to_64MiB_pct"].get<double>() < 0.05 && rings["above_pct"].is_null());
        // A message alone is fitted, nothing scores.
        QVERIFY(json["sets"][2]["rows"] == 0 && json["sets"][2]["error_pct"].is_null());
        QCOMPARE(json["rows"].size(), std::size_t{8});
        QVERIFY(json["rows"][0]["gpus"] == "8" && json["rows"][0]["fitted"] == true && !json["rows"][1].contains("fitted"));
        QVERIFY(std::abs(json["rows"][1]["predicted"].get<double>() / (ringUs(1 << 18) * 1e-6) - 1) < 1e-3);
    }

    void aFabricIsTakenAsItIs()
    {
        const CliResult result = run("validate --kind collectives --rows rows.csv --fabric dgx-a100-8 --json");
        QVERIFY2(result.exit == 0, result.err.constData());
        const auto json = nlohmann::json::parse(result.out.toStdString())["result"];
        QVERIFY(json["sets"][0]["fitted"] == 0 && json["sets"][0]["rows"] == 7);
        // Two nodes are more than the preset has.
        QVERIFY(json["rows"][7]["predicted"].is_null() && !json["rows"][7]["reason"].get<std::string>().empty());
        // As `collective` says for the same platform: a design of our own, by hand.
        QVERIFY(write("mine.yaml", "fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: 8, bandwidth: 100 GB/s, latency: 1 us}]}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n"));
        const CliResult own = run("validate --kind collectives --rows rows.csv --fabric mine.yaml --json");
        QVERIFY2(own.exit == 0, own.err.constData());
        QVERIFY(nlohmann::json::parse(own.out.toStdString())["result"]["sets"][1]["error_pct"].get<double>() < 0.01);
    }

    /// Where nothing scores there is no error of 0 %.
    void noRowsHaveNoError()
    {
        QVERIFY(write("other.csv", "gpu,kind,m,n,k,time_us\nA100,other,1,1,1,1\n"));
        const CliResult result = run("validate --kind gemm --rows other.csv");
        QCOMPARE(result.exit, 0);
        QVERIFY2(result.out.contains("not known") && !result.out.contains(" %"), result.out.constData());
    }

    void setsOfTheTable()
    {
        const CliResult result = run("validate point-to-point megatron-2022 --json");
        QVERIFY2(result.exit == 0, result.err.constData());
        const auto json = nlohmann::json::parse(result.out.toStdString())["result"];
        // Four sets of messages of seven rows, of which four are fitted; eight steps.
        QVERIFY(json["sets"][0]["set"] == "point-to-point");
        QCOMPARE(json["sets"].size(), std::size_t{6});
        QCOMPARE(json["sets"][0]["rows"].get<int>(), 12);
        QCOMPARE(json["sets"][0]["fitted_rows"].get<int>(), 16);
        QVERIFY(json["sets"][0]["error_pct"].get<double>() < 6); // The floor of messages.
        QVERIFY(json["sets"][5]["set"] == "megatron-2022" && json["sets"][5]["rows"] == 8 && json["sets"][5]["fitted"] == 0);
        const CliResult text = run("validate point-to-point");
        QVERIFY(text.out.contains("fitted numbers") && text.out.contains("DGX H100, two GPUs, two nodes"));
    }

    void productsOfEachGpuAreScored()
    {
        const CliResult result = run("validate gemm --json");
        QVERIFY2(result.exit == 0, result.err.constData());
        const auto sets = nlohmann::json::parse(result.out.toStdString())["result"]["sets"];
        QCOMPARE(sets.size(), std::size_t{4});
        // The logarithm of the error is a mean over rows: that of all is that of the parts.
        double sum = 0;
        int rows = 0;
        for (std::size_t i = 1; i < sets.size(); ++i) {
            const int of = sets[i]["rows"].get<int>();
            sum += of * std::log1p(sets[i]["error_pct"].get<double>() / 100);
            rows += of;
            QCOMPARE(sets[i]["fitted_rows"].get<int>(), 3);
        }
        QCOMPARE(rows, sets[0]["rows"].get<int>());
        QVERIFY(std::abs(std::expm1(sum / rows) * 100 - sets[0]["error_pct"].get<double>()) < 1e-3);
        QVERIFY(sets[3]["set"] == "H200 141GB" && sets[3]["rows"] == 6 && sets[3]["error_pct"].get<double>() < 6); // The floor of products.
        QVERIFY(run("validate gemm").out.contains("  H200 141GB"));
    }

    void productsRunInWavesOfTiles()
    {
        QVERIFY(write("gemm.csv", "gpu,kind,m,n,k,time_us\nA100-SXM4-80GB,GEMM fp16,1024,1024,1024,17.99\nH100 80GB HBM3,GEMM fp8,4096,4096,4096,112.94\nH100 80GB HBM3,HBM copy,,,,1\n"));
        const CliResult result = run("validate --kind gemm --rows gemm.csv --json");
        QVERIFY2(result.exit == 0, result.err.constData());
        const auto json = nlohmann::json::parse(result.out.toStdString())["result"];
        QCOMPARE(json["rows"].size(), std::size_t{2});
        // 64 tiles of 128 x 128 on 108 units are one wave, 1,024 on 132 are eight; 256 bytes more along k; a start.
        const double small = 1.75e-6 + 2.0 * 128 * 128 * (1024 + 128) * 108 / (312e12 * 0.805);
        const double large = 3.5e-6 + 8 * 2.0 * 128 * 128 * (4096 + 256) * 132 / (1978e12 * 0.7);
        QVERIFY2(std::abs(json["rows"][0]["predicted"].get<double>() / small - 1) < 1e-5, result.out.constData());
        QVERIFY2(std::abs(json["rows"][1]["predicted"].get<double>() / large - 1) < 1e-5, result.out.constData());
    }

    void aPresetAtTheRatesThatAreReached()
    {
        QVERIFY(write("reached.yaml", "fabricscope: 1\nplatform: {preset: dgx-a100-8, rates: reached}\nworkload: {collective: all_reduce, size: 1 GiB}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n"));
        const CliResult run8 = run("simulate reached.yaml --json");
        QVERIFY2(run8.exit == 0, run8.err.constData());
        // The start, 14 steps up and down a link, seven quarters of the bytes.
        const double expected = 44553.521 + 14 * 2 * 609.939 + 1.75 * 1073741824 / 210.233101;
        QVERIFY2(std::abs(nlohmann::json::parse(run8.out.toStdString())["result"]["finish_ns"].get<double>() / expected - 1) < 1e-6, run8.out.constData());
        // A start of the design's own stands.
        const CliResult own = run("simulate reached.yaml --json --set network.launch=10us");
        QVERIFY2(own.exit == 0, own.err.constData());
        QVERIFY(std::abs(nlohmann::json::parse(own.out.toStdString())["result"]["finish_ns"].get<double>() / (expected - 34553.521) - 1) < 1e-6);
        QVERIFY(write("unknown.yaml", "fabricscope: 1\nplatform: {preset: dgx-2, rates: reached}\nworkload: {collective: all_reduce, size: 1 GiB}\n"));
        const CliResult unknown = run("simulate unknown.yaml");
        QVERIFY(unknown.exit == 2 && unknown.err.contains("platform.rates") && unknown.err.contains("dgx-a100-8"));
        QVERIFY(write("alone.yaml", "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us, rates: reached}\nworkload: {collective: all_reduce, size: 1 GiB}\n"));
        const CliResult alone = run("simulate alone.yaml");
        QVERIFY(alone.exit == 2 && alone.err.contains("platform.rates") && alone.err.contains("belongs to a preset"));
    }

    /// By the rates of the wire what the set `presets` has of that GPU, by those that are reached what `other-sites` has.
    void presetsBringTheErrorThatTheTableHas()
    {
        const CliResult table = run("validate presets other-sites --json");
        QVERIFY2(table.exit == 0, table.err.constData());
        const auto sets = nlohmann::json::parse(table.out.toStdString())["result"]["sets"];
        const auto pooled = [&](const std::vector<std::string>& parts) {
            double logs = 0;
            double rows = 0;
            for (const auto& set : sets) {
                if (std::none_of(parts.begin(), parts.end(), [&](const std::string& part) { return set["set"].get<std::string>().starts_with(part); }))
                    continue;
                rows += set["rows"].get<double>();
                logs += set["rows"].get<double>() * std::log1p(set["error_pct"].get<double>() / 100);
            }
            return std::expm1(logs / rows) * 100;
        };
        const std::vector<std::tuple<const char*, std::vector<std::string>, std::vector<std::string>>> expected{
            {"dgx-a100-8", {"T1 Azure ND A100", "T5 DGX A100"}, {"A100 at"}},
            {"hgx-h100-8", {"T1 Azure ND H100", "T5 DGX H100"}, {"H100, H200 at"}},
            {"hgx-h200-8", {"T1 Azure ND H200"}, {"H100, H200 at"}},
            {"clos-h100-256", {"T1 Azure ND H100", "T5 DGX H100"}, {"H100, H200 at"}}};
        for (const auto& [preset, wire, reached] : expected) {
            const PresetReached* const claimed = presetReached(preset);
            QVERIFY2(std::abs(claimed->wireErrorPct - pooled(wire)) < 0.7, qPrintable(QString::number(pooled(wire))));
            QVERIFY2(std::abs(claimed->errorPct - pooled(reached)) < 0.07, qPrintable(QString::number(pooled(reached))));
        }
        QVERIFY(write("wire.yaml", "fabricscope: 1\nplatform: {preset: dgx-a100-8}\nworkload: {collective: all_reduce, size: 16 GiB}\n"));
        const CliResult wire = run("simulate wire.yaml");
        QVERIFY2(wire.out.contains("Accuracy        161 % off, measured for 1 KiB to 8 GiB, 2 to 8 ranks"), wire.out.constData());
        QVERIFY2(wire.out.contains("a collective of 16 GiB, larger than any that was measured") || wire.err.contains("a collective of 16 GiB, larger than any that was measured"), wire.out.constData());
        QVERIFY(run("simulate wire.yaml --set platform.rates=reached").out.contains("Accuracy        13.7 % off"));
    }

    void tpusAreValidated()
    {
        QVERIFY(write("tpu.csv", "name,L,M,H,N x D,gated,seq,batch,\"cores, mesh\",~tokens/s\nsmall,4,1024,4096,8x128,no,512,16,\"8 (2,4)\",~10 000\n"));
        const CliResult result = run("validate --kind tpu --rows tpu.csv --json");
        QVERIFY2(result.exit == 0, result.err.constData());
        const auto json = nlohmann::json::parse(result.out.toStdString())["result"];
        QVERIFY(std::abs(json["rows"][0]["measured"].get<double>() - 16.0 * 512 / 10000) < 1e-6);
        // 72 B s L h^2 (1 + s / 6h + V / 12 h L) FLOP, all of it done again, on 8 cores of 61.5 TFLOP/s: no less, and not ten times that.
        const double flops = 96.0 * 16 * 512 * 4 * 1024 * 1024 * (1 + 512 / 6144.0 + 32000 / (12.0 * 1024 * 4) * 0.75);
        const double least = flops / (8 * 61.5e12);
        QVERIFY2(json["rows"][0]["predicted"].is_number(), result.out.constData());
        const double predicted = json["rows"][0]["predicted"].get<double>();
        QVERIFY2(predicted > least * 0.95 && predicted < least * 10, QByteArray::number(predicted / least).constData());
    }

    void aLogBecomesAFabric()
    {
        const CliResult result = run("calibrate all_reduce.log --out fabric.yaml --json");
        QVERIFY2(result.exit == 0, result.err.constData());
        const auto json = nlohmann::json::parse(result.out.toStdString())["result"];
        QVERIFY(std::abs(json["fitted"][0]["message_ns"].get<double>() - 2000) < 10);
        QVERIFY(std::abs(json["fitted"][0]["bandwidth"].get<double>() / 100e9 - 1) < 1e-3);
        QVERIFY(json["error_pct"].get<double>() < 0.05 && json["residuals"].size() == 7 && json["range"]["from"] == 65536);
        const QByteArray fabric = read("fabric.yaml");
        QVERIFY(fabric.contains("# Calibrated from all_reduce.log") && fabric.contains("Measured: all_reduce of 64 KiB to 256 MiB, 8 GPUs"));
        // It runs, and takes what was measured: 64 MiB.
        const CliResult simulated = run("simulate fabric.yaml --json");
        QVERIFY2(simulated.exit == 0, simulated.err.constData());
        const double finish = nlohmann::json::parse(simulated.out.toStdString())["result"]["finish_ns"].get<double>();
        QVERIFY(std::abs(finish / 1e3 / ringUs(1 << 26) - 1) < 1e-3);
        // And is a fabric for validate.
        const CliResult validated = run("validate --kind collectives --rows rows.csv --fabric fabric.yaml --json");
        QVERIFY(nlohmann::json::parse(validated.out.toStdString())["result"]["sets"][1]["error_pct"].get<double>() < 0.1);
    }

    /// A picture, and what is fastest on the fabric as a table and as programs that are right.
    void aLogBecomesAPictureAndProgramsToo()
    {
        const CliResult result = run("calibrate all_reduce.log --out fabric.yaml --plot plot.svg --tuner tuner.csv --programs best");
        QVERIFY2(result.exit == 0, result.err.constData());
        const QByteArray plot = read("plot.svg");
        QVERIFY(plot.contains("<svg") && plot.contains("all_reduce, 8 GPUs: 0 % off"));
        QCOMPARE(plot.count("<circle"), 7 + 1); // A row each, and the legend.
        const QByteArray table = read("tuner.csv");
        QVERIFY2(table.startsWith("# times on this fabric are 0"), table.constData());
        QVERIFY2(table.contains("allreduce,65536,") && table.contains(",268435456,"), table.constData());
        // The same as tune says of the fabric.
        const CliResult tuned = run("tune fabric.yaml --collective all_reduce --sizes 64KiB..256MiB --out again.csv --programs again --json");
        QVERIFY2(tuned.exit == 0, tuned.err.constData());
        QCOMPARE(read("again.csv"), table);
        const auto choices = nlohmann::json::parse(tuned.out.toStdString())["choices"];
        std::string before;
        int programs = 0;
        for (const auto& choice : choices) {
            if (choice["chosen"] == before)
                continue;
            before = choice["chosen"];
            const QString name = QStringLiteral("best.all_reduce.%1.xml").arg(choice["size_bytes"].get<qint64>());
            QVERIFY2(QFile::exists(m_folder.filePath(name)), qPrintable(name));
            QCOMPARE(read(qPrintable(QString(name).replace(QLatin1String("best"), QLatin1String("again")))), read(qPrintable(name)));
            const CliResult verified = run(("verify " + name.toStdString()).c_str());
            QVERIFY2(verified.exit == 0, verified.out.constData());
            ++programs;
        }
        QCOMPARE(static_cast<int>(QDir(m_folder.path()).entryList({QStringLiteral("best.*.xml")}).size()), programs);
    }

    void whatIsWrongIsNamed_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* line, int exit, const char* says) { QTest::newRow(line) << QByteArray(line) << exit << QByteArray(says); };
        row("validate nothing", 2, "in-node");
        row("validate --kind dances --rows rows.csv", 2, "--kind");
        row("validate --kind collectives", 2, "--rows");
        row("validate --rows rows.csv", 2, "--kind");
        row("validate gemm --kind gemm --rows rows.csv", 2, "--kind");
        row("validate --kind gemm --rows rows.csv --fabric dgx-a100-8", 2, "--fabric");
        row("validate --kind collectives --rows rows.csv --fabric no-such", 2, "no-such");
        row("validate --kind collectives --rows missing.csv", 2, "missing.csv");
        row("validate --kind optimizer --rows rows.csv", 2, "implementation");
        row("validate --kind tpu --rows rows.csv", 2, "rows.csv:1");
        row("calibrate missing.log --out fabric.yaml", 2, "missing.log");
        row("calibrate all_reduce.log", 2, "--out");
        row("calibrate broken.log --out new.yaml", 2, "broken.log:2");
        row("calibrate all_reduce.log --out all_reduce.log", 2, "--out");
        row("calibrate all_reduce.log --out no/such/folder.yaml", 5, "folder.yaml");
        row("calibrate all_reduce.log --out fabric.yaml --plot fabric.yaml", 2, "--plot");
        row("calibrate all_reduce.log --out fabric.yaml --plot no/such/plot.svg", 5, "plot.svg");
        row("calibrate all_reduce.log --out fabric.yaml --tuner no/such/table.csv", 5, "table.csv");
        row("calibrate all_reduce.log --out fabric.yaml --programs no/such/best", 5, "best.all_reduce.65536.xml");
    }
    void whatIsWrongIsNamed()
    {
        QFETCH(QByteArray, line);
        QFETCH(int, exit);
        QFETCH(QByteArray, says);
        QVERIFY(write("broken.log", "# nThread 1 nGpus 8\n1024 256 float sum -1 5.0 0.0 0.0\n"));
        const CliResult result = run(line.constData());
        QCOMPARE(result.exit, exit);
        QVERIFY2(result.err.contains(says), result.err.constData());
        QVERIFY(result.out.isEmpty() && !QFile::exists(m_folder.filePath(QStringLiteral("new.yaml"))));
    }
};

FABRICSCOPE_TEST(CliValidateTest)
#include "tst_cli_validate.moc"
