// fabricscope-cli fabric: keys and numbers of its answer, refusals, what is listed.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace fabricscope::test;

namespace {

CliResult figuresOf(const char* line, const char* more = "--json")
{
    QStringList arguments{QStringLiteral("fabric"), QStringLiteral("--line"), QString::fromUtf8(line)};
    if (*more)
        arguments << QString::fromUtf8(more);
    return runCli(arguments);
}

} // namespace

class CliFabricTest : public QObject {
    Q_OBJECT

private slots:
    /// 4 units of 32 hosts of 8, 2:1: 32 leaves of 32 down, 16 up and 16 free ports, 8 spines, 1024 cables inside hosts and 1536 between.
    void aPodHasTheFiguresOfItsReference()
    {
        const CliResult run = figuresOf("hgx-h100 x32 / rails 64p 400G x4 / spine 2:1");
        QCOMPARE(run.exit, 0);
        QVERIFY2(run.err.isEmpty(), run.err.constData());
        const auto json = jsonOf(run);
        QCOMPARE(json["schema"].get<int>(), 1);
        const auto& result = json["result"];
        QCOMPARE(result["npus"].get<int>(), 1024);
        QVERIFY(result["switches"] == nlohmann::json({128, 32, 8}));
        QCOMPARE(result["cables"].get<int>(), 1024 + 1536);
        QCOMPARE(result["cables_inside"].get<int>(), 1024);
        QCOMPARE(result["diameter"].get<int>(), 4);
        QCOMPARE(result["mean_distance"].get<double>(), 3.925708700); // 4016/1023
        QCOMPARE(result["mean_distance_exact"].get<std::string>(), std::string("4016/1023"));
        QCOMPARE(result["bisection"].get<int>(), 256);
        QCOMPARE(result["bisection_by"].get<std::string>(), std::string("formula"));
        QCOMPARE(result["ways"].get<int>(), 32); // 8 spines, 2 cables to each and 2 back.
        QVERIFY(result["warnings"].empty());
        QCOMPARE(result["tiers"][1]["ports_used"].get<int>(), 48);
        QCOMPARE(result["tiers"][1]["ports_up"].get<int>(), 16);
        QCOMPARE(result["tiers"][1]["ports_free"].get<int>(), 16);
    }

    void whatIsNotKnownIsNull()
    {
        const auto result = jsonOf(figuresOf("npu / dragonfly 4,8,4 100G"))["result"];
        QCOMPARE(result["npus"].get<int>(), 1056);
        QVERIFY(result["bisection"].is_null() && result["bisection_by"].is_null());
        QVERIFY(result["switches"] == nlohmann::json({264}));
        QVERIFY(jsonOf(figuresOf("npu / ring 5"))["result"]["switches"].empty());
    }

    void unevenSpinesAreSaidAndStrict()
    {
        const CliResult run = figuresOf("npu x16 / leaf 24p 400G x8 / spine 2:1");
        QCOMPARE(run.exit, 0);
        QVERIFY2(run.err.contains("8 cables up from each switch do not divide among 3:") && run.err.contains("[uneven-spines]"), run.err.constData());
        QCOMPARE(jsonOf(run)["result"]["warnings"].size(), std::size_t{1});
        QCOMPARE(figuresOf("npu x16 / leaf 24p 400G x8 / spine 2:1", "--strict").exit, 1);
        QCOMPARE(figuresOf("npu / torus 4x4", "--strict").exit, 0);
        QCOMPARE(figuresOf("npu / dragonfly 4,8,4 100G", "--strict").exit, 1); // No bisection.
    }

    void theTableSaysWhatTheJsonSays()
    {
        const QByteArray text = figuresOf("npu / leaf_spine 4,4,4,4 12p", "").out;
        for (const char* const words : {"NPUs              16\n", "leaf              4 switches, 8 ports used (4 up), 4 free\n", "diameter          4 links\n", "mean distance     18/5 = 3.6\n",
                                        "bisection         8 cables\n", "ways              4 from NPU 0"})
            QVERIFY2(text.contains(words), text.constData());
        QVERIFY(figuresOf("npu / tpu_v4 16x16x16", "").out.contains("48 optical switches of 128 ports"));
    }

    /// 5,120 NPUs below 128 leaves, as nodes and links: the figures of the generator, from the links alone. Rings of one rate have those of a torus at any size.
    void largeMachinesWithoutAGeneratorHaveFigures()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("nodes.yaml"));
        const CliResult written = runCli({QStringLiteral("fabric"), QStringLiteral("--line"), QStringLiteral("npu / leaf_spine 128,40,16,16"), QStringLiteral("--json"), QStringLiteral("--out"), file, QStringLiteral("--nodes")});
        QCOMPARE(written.exit, 0);
        const auto expected = jsonOf(written)["result"];
        QCOMPARE(expected["npus"].get<int>(), 5120);
        const auto read = jsonOf(runCli({QStringLiteral("fabric"), file, QStringLiteral("--json")}))["result"];
        for (const char* const key : {"npus", "cables", "diameter", "mean_distance_exact", "ways"})
            QVERIFY2(read[key] == expected[key], key);
        // 128 leaves with 16 up each: half of 2,048 cables.
        QVERIFY(read["bisection"].is_null());
        QCOMPARE(read["bisection_at_most"].get<int>(), 1024);
        QCOMPARE(expected["bisection"].get<int>(), 1024);
        QVERIFY(!expected.contains("bisection_at_most"));
        QFile design(folder.filePath(QStringLiteral("torus.yaml")));
        QVERIFY(design.open(QIODevice::WriteOnly));
        design.write("fabricscope: 1\nplatform: {topology: \"Ring(64, 50 GB/s, 1 us)_Ring(128, 50 GB/s, 2 us)_Ring(128, 50 GB/s, 1 us)\"}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        design.close();
        const auto torus = jsonOf(runCli({QStringLiteral("fabric"), design.fileName(), QStringLiteral("--json")}))["result"];
        QCOMPARE(torus["family"].get<std::string>(), std::string("torus"));
        QCOMPARE(torus["cables"].get<int>(), 3 << 20);
        QCOMPARE(torus["diameter"].get<int>(), 32 + 64 + 64);
        QCOMPARE(torus["bisection"].get<int>(), 2 * 64 * 128);
    }

    /// 524288 NPUs that pass on data: hours, were they searched.
    void whatTakesTooLongIsNullAndSaid()
    {
        const CliResult run = figuresOf("Ring(1024, 100 GB/s, 1 us) x512 / rails_only");
        QCOMPARE(run.exit, 0);
        QVERIFY2(run.err.contains("[figures-left-out]"), run.err.constData());
        const auto result = jsonOf(run)["result"];
        QCOMPARE(result["npus"].get<int>(), 524288);
        QVERIFY(result["diameter"].is_null() && result["mean_distance"].is_null() && result["bisection"].is_null());
    }

    void whatIsNotValidIsAnErrorOfTheLine()
    {
        const CliResult odd = figuresOf("npu / fat_tree 7");
        QCOMPARE(odd.exit, 2);
        QVERIFY2(isErrorAlone(odd) && odd.err.contains("--line fat_tree.k") && odd.err.contains("even"), odd.err.constData());
        const CliResult ports = figuresOf("npu / hyperx 4x4 npus 2 7p");
        QCOMPARE(ports.exit, 2);
        QVERIFY2(ports.err.contains("--line hyperx") && ports.err.contains("8 of 7 ports"), ports.err.constData());
        const CliResult spines = figuresOf("npu x16 / leaf 24p x8 / spine 24p 2:1 switches 1");
        QCOMPARE(spines.exit, 2);
        QVERIFY2(spines.err.contains("--line: a \"spine\" would use 64 of 24 ports") && !spines.err.contains("leaf_spine"), spines.err.constData());
    }

    /// Lines that made the program crash or never end.
    void hostileLinesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* name, const char* line, const char* words) { QTest::newRow(name) << QByteArray(line) << QByteArray(words); };
        row("units times rails", "Switch(64, 450 GB/s, 1 us) x1 / rails x536870912 / spine 64p x536870912 / core 64p", "x1 to x1048576");
        row("planes", "npu x1 / leaf / spine 1p up 1048576 / core up 1048576 / top up 1048576 / top", "more than 2147483647 cables");
        row("prime number of cables", "npu x1 / leaf x999999937 / spine up 999999937 switches 1 x999999937 / core switches 999999938", "x1 to x1048576");
        row("cables of a host", "FullyConnected(4096, 1 GB/s, 1 us) x2 / leaf", "at most 65536");
    }
    void hostileLinesAreRefused()
    {
        QFETCH(const QByteArray, line);
        QFETCH(const QByteArray, words);
        const CliResult run = figuresOf(line.constData());
        QCOMPARE(run.exit, 2);
        QVERIFY2(isErrorAlone(run) && run.err.contains("--line") && run.err.contains(words), run.err.constData());
    }

    /// A line, the design it is written to and that as nodes and links are one machine: the same figures, and the same time of what is run on it.
    void aLineIsWrittenAsADesignThatRuns()
    {
        QTemporaryDir folder;
        const QString line = QStringLiteral("hgx-h100-8 x2 / rails 64p 400G 1us x2 / spine 2:1 switches 1");
        const auto result = jsonOf(figuresOf(line.toUtf8().constData()))["result"];
        QCOMPARE(result["npus"].get<int>(), 32);
        const CliResult direct = runCli({QStringLiteral("collective"), QStringLiteral("--topology"), line, QStringLiteral("--collective"), QStringLiteral("all_reduce"), QStringLiteral("--size"),
                                         QStringLiteral("64MiB"), QStringLiteral("--chunks"), QStringLiteral("4"), QStringLiteral("--local-mem-bw"), QStringLiteral("3350"), QStringLiteral("--json")});
        QCOMPARE(direct.exit, 0);
        for (const bool nodes : {false, true}) {
            const QString file = folder.filePath(nodes ? QStringLiteral("nodes.yaml") : QStringLiteral("levels.yaml"));
            QStringList arguments{QStringLiteral("fabric"), QStringLiteral("--line"), line, QStringLiteral("--json"), QStringLiteral("--out"), file};
            if (nodes)
                arguments << QStringLiteral("--nodes");
            const CliResult written = runCli(arguments);
            QCOMPARE(written.exit, 0);
            QVERIFY(jsonOf(written)["result"] == result);
            QFile text(file);
            QVERIFY(text.open(QIODevice::ReadOnly));
            const QByteArray yaml = text.readAll();
            QVERIFY2(yaml.contains(nodes ? "  nodes:" : "  fabric:") && !yaml.contains("network:"), yaml.left(400).constData());
            const CliResult figures = runCli({QStringLiteral("fabric"), file, QStringLiteral("--json")});
            QVERIFY2(figures.exit == 0, figures.err.constData());
            const auto again = jsonOf(figures)["result"];
            for (const char* const key : {"npus", "cables", "diameter", "mean_distance_exact", "ways", "bisection"})
                QVERIFY2(again[key] == result[key], key);
            const CliResult run = runCli({QStringLiteral("simulate"), file, QStringLiteral("--json")});
            QVERIFY2(run.exit == 0, run.err.constData());
            QVERIFY(jsonOf(run)["result"]["finish_ns"].get<double>() > 0);
            QVERIFY(jsonOf(run)["result"]["finish_ns"] == jsonOf(direct)["result"]["finish_ns"]);
        }
    }

    void crossbarLimitsAreNotedBesideTheFigures()
    {
        QTemporaryDir folder;
        const auto notedOf = [&folder](const QByteArray& platform, int npus) {
            QFile file(folder.filePath(QStringLiteral("limited.yaml")));
            if (!file.open(QIODevice::WriteOnly))
                qFatal("no file");
            file.write("fabricscope: 1\nplatform:\n" + platform + "workload: {collective: all_reduce, size: 1 MiB}\n");
            file.close();
            const CliResult run = runCli({QStringLiteral("fabric"), file.fileName(), QStringLiteral("--json")});
            return run.exit == 0 && jsonOf(run)["result"]["npus"].get<int>() == npus ? run.err : QByteArray("failed: ") + run.err;
        };
        const auto noted = [&notedOf](const QByteArray& first, const QByteArray& second) {
            return notedOf("  nodes: [{name: a}, {name: b}, {name: s, kind: switch" + first + "}, {name: t, kind: switch" + second + "}]\n  links:\n"
                           "    - {between: [a, s], bandwidth: 50 GB/s, latency: 1 us}\n    - {between: [s, t], bandwidth: 50 GB/s, latency: 1 us}\n    - {between: [t, b], bandwidth: 50 GB/s, latency: 1 us}\n", 2);
        };
        QVERIFY(!noted("", "").contains("crossbar"));
        QVERIFY2(noted(", crossbar: 20 GB/s", "").contains("note: 1 switch passes on no more than 20 GB/s (crossbar)"), noted(", crossbar: 20 GB/s", "").constData());
        QVERIFY(noted(", crossbar: 20 GB/s", ", crossbar: 20 GB/s").contains("note: 2 switches pass on no more than 20 GB/s each (crossbar)"));
        QVERIFY(noted(", crossbar: 1 TB/s", ", crossbar: 20 GB/s").contains("note: 2 switches pass on no more than 20 GB/s to 1 TB/s each (crossbar)"));
        // Of a dimension each line has a switch: 8 NPUs in lines of 4.
        const QByteArray rates = ", bandwidth: 50 GB/s, latency: 1 us";
        const QByteArray lines = notedOf("  dimensions: [{shape: ring, size: 2" + rates + "}, {shape: switch, size: 4" + rates + ", crossbar: 100 GB/s}]\n", 8);
        QVERIFY2(lines.contains("note: 2 switches pass on no more than 100 GB/s each (crossbar)"), lines.constData());
    }

    void whatDoesNotBelongTogetherIsRefused_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* arguments, const char* words) { QTest::newRow(arguments) << QString::fromUtf8(arguments) << QByteArray(words); };
        row("fabric --nodes --line npu/ring4", "--out");
        row("fabric --out a.yaml", "--line");
        row("fabric some.yaml --line npu/ring4", "one of them");
        row("fabric missing.yaml", "missing.yaml");
        row("fabric --strict", "--line");
        row("collective --topology npu/full --collective all_reduce --size 1MiB", "--topology");
        row("collective --topology npu/full --bandwidth 100 --collective all_reduce --size 1MiB", "figures in it");
    }
    void whatDoesNotBelongTogetherIsRefused()
    {
        QFETCH(const QString, arguments);
        QFETCH(const QByteArray, words);
        const CliResult run = runCli(arguments.split(QLatin1Char(' ')));
        QCOMPARE(run.exit, 2);
        QVERIFY2((arguments.contains(QStringLiteral("--json")) ? isErrorAlone(run) : run.out.isEmpty()) && run.err.contains(words), run.err.constData());
    }

    void withoutALineTheFamiliesAreListed()
    {
        const CliResult run = runCli("fabric");
        QCOMPARE(run.exit, 0);
        const CliResult json = runCli("fabric --json");
        QCOMPARE(json.exit, 0);
        const nlohmann::json families = jsonOf(json)["families"];
        for (const char* const name : {"ring", "torus", "mesh", "hypercube", "full", "switch", "leaf_spine", "clos", "fat_tree", "rails", "rails_only", "dragonfly", "dragonfly_plus", "hyperx", "expander",
                                       "slim_fly", "tpu_v4", "twisted_torus", "cube_mesh", "nvl72"}) {
            QVERIFY2(run.out.startsWith(QByteArray(name) + ' ') || run.out.contains('\n' + QByteArray(name) + ' '), name);
            QVERIFY2(std::ranges::count(families, name, [](const nlohmann::json& family) { return family["name"].get<std::string>(); }) == 1, name);
        }
        // A torus is refused without its size and takes any other key as it is usual.
        const auto torus = std::ranges::find(families, "torus", [](const nlohmann::json& family) { return family["name"].get<std::string>(); });
        for (const nlohmann::json& key : (*torus)["parameters"])
            QCOMPARE(key.contains("usual"), key["name"] != "size");
    }
};

FABRICSCOPE_TEST(CliFabricTest)
#include "tst_cli_fabric.moc"
