// Stepping through collectives on the command line.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

namespace {

/// Four NPUs on a ring of 1 GB/s, 500 ns: one all-reduce after 1 us of computing, then an all-gather.
const char* const kDesign = "fabricscope: 1\n"
                            "name: four\n"
                            "platform:\n"
                            "  dimensions:\n"
                            "    - {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 500 ns}\n"
                            "workload:\n"
                            "  steps:\n"
                            "    - {compute: 1 us}\n"
                            "    - {collective: all_reduce, size: 4000 B, name: gradients}\n"
                            "    - {collective: all_gather, size: 4000 B, name: weights}\n"
                            "collectives:\n"
                            "  default: {algorithm: ring, chunks: 1}\n"
                            "model: {name: links}\n";

} // namespace

class TestCliStep : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        m_design = m_folder.filePath(QStringLiteral("four.yaml"));
        QVERIFY(writeFile(m_design, kDesign));
    }
    void stepsThroughPlansAndOurJson()
    {
        // Two ranks put their chunk to each other and say so.
        std::string gpus;
        for (int rank = 0; rank < 2; ++rank) {
            const std::string other = std::to_string(1 - rank);
            const std::string own = std::to_string(rank);
            gpus += (rank == 0 ? "" : ",") + std::string("{\"id\": ") + own + ", \"input_chunks\": 1, \"output_chunks\": 2, \"scratch_chunks\": 0, \"channels\": [{\"channel_type\": \"memory\", \"connected_to\": ["
                + other + "]}], \"remote_buffers\": [{\"rank\": " + other + ", \"type\": \"o\"}], \"threadblocks\": [{\"id\": 0, \"channels\": [{\"channel_type\": \"memory\", \"channel_ids\": [0]}], "
                + "\"remote_buffer_refs\": [{\"access_channel_type\": \"memory\", \"remote_buffer_ids\": [0]}], \"ops\": [{\"name\": \"put\", \"src_buff\": [{\"type\": \"o\", \"index\": " + own
                + ", \"size\": 1}], \"dst_buff\": [{\"buffer_id\": 0, \"index\": " + own + ", \"size\": 1}], \"channel_type\": \"memory\"}, {\"name\": \"signal\", \"channel_ids\": [0], \"channel_type\": \"memory\"}, "
                + "{\"name\": \"wait\", \"channel_ids\": [0], \"channel_type\": \"memory\"}]}]}";
        }
        const QByteArray plan = QByteArray::fromStdString("{\"name\": \"two\", \"collective\": \"allgather\", \"protocol\": \"Simple\", \"inplace\": true, \"gpus\": [" + gpus + "]}");
        const QString file = m_folder.filePath(QStringLiteral("plan.json"));
        QVERIFY(writeFile(file, plan));
        const CliResult steps = runCli({QStringLiteral("step"), file});
        QVERIFY2(steps.exit == 0, steps.err);
        QVERIFY2(steps.out.contains("2 ranks") || steps.out.contains("all_gather"), steps.out);
        // The same as our JSON.
        const QString ours = m_folder.filePath(QStringLiteral("ours.json"));
        QVERIFY(runCli({QStringLiteral("convert"), file, ours}).exit == 0);
        const CliResult again = runCli({QStringLiteral("step"), ours});
        QVERIFY2(again.exit == 0, again.err);
        // What is wrong is named with its place.
        QByteArray broken = plan;
        broken.replace("\"signal\"", "\"dance\"");
        QVERIFY(writeFile(file, broken));
        const CliResult refused = runCli({QStringLiteral("step"), file});
        QCOMPARE(refused.exit, 2);
        QVERIFY2(refused.err.contains("gpus[0].threadblocks[0].ops[1].name") && refused.err.contains("dance"), refused.err);
    }
    void listsTheCollectives()
    {
        const CliResult text = step({});
        QVERIFY2(text.exit == 0, text.err);
        QVERIFY(text.out.contains("gradients") && text.out.contains("weights") && text.out.contains("0-3"));

        const json list = jsonOf(step({QStringLiteral("--json")}))["collectives"];
        QCOMPARE(list.size(), std::size_t{2});
        QCOMPARE(list[0]["name"].get<std::string>(), std::string("gradients"));
        QCOMPARE(list[0]["collective"].get<std::string>(), std::string("all_reduce"));
        QCOMPARE(list[0]["bytes"].get<int>(), 4000);
        QCOMPARE(list[0]["begin_ns"].get<double>(), 1000.0);
        QCOMPARE(list[0]["end_ns"].get<double>(), 1000.0 + 6 * 1500); // Six steps of 1000 bytes.
        QCOMPARE(list[1]["begin_ns"].get<double>(), 10'000.0);
        QCOMPARE(list[1]["end_ns"].get<double>(), 10'000.0 + 3 * 1500);
        QVERIFY(list[1]["steppable"].get<bool>());
    }
    /// Two ranks swap their parts in one step; then each holds both.
    void stepsThroughPrograms()
    {
        const QString path = m_folder.filePath(QStringLiteral("swap.lua"));
        QVERIFY(writeFile(path, "collective(\"all_gather\", {ranks = 2})\n"
                                "for r = 0, 1 do chunk(r, \"input\", 0):copy(1 - r, \"output\", r) end\n"));
        const auto steps = [&](QStringList flags) { return runCli(QStringList{QStringLiteral("step"), path} + flags); };
        const CliResult text = steps({});
        QVERIFY2(text.exit == 0, text.err);
        QVERIFY(text.out.contains("all_gather over 2 ranks") && text.out.contains("Step 1 of 1: 2 transfers") && text.out.contains("0>1") && text.out.contains("line 2"));
        const json start = jsonOf(steps({QStringLiteral("--json"), QStringLiteral("--at"), QStringLiteral("0")}));
        QCOMPARE(start["state"].size(), std::size_t{2});
        const json end = jsonOf(steps({QStringLiteral("--json"), QStringLiteral("--at"), QStringLiteral("1")}));
        QCOMPARE(end["state"].size(), std::size_t{4});
        for (const json& place : end["state"])
            QVERIFY(place["complete"].get<bool>());
        QCOMPARE(end["state"][1]["contributions"][0].get<std::string>(), std::string("1:0"));
        QVERIFY(end["finishes"].get<bool>());
        QCOMPARE(steps({QStringLiteral("--at"), QStringLiteral("2")}).exit, 2);
        QVERIFY(writeFile(path, "collective(\"all_gather\", {ranks = 2})\nnonsense(\n"));
        const CliResult bad = steps({});
        QCOMPARE(bad.exit, 2);
        QVERIFY2(bad.err.contains("swap.lua:"), bad.err);
    }
    void C5_showsEveryMoveAndWhyItTakesItsTime()
    {
        const CliResult result = step({QStringLiteral("--instance"), QStringLiteral("0"), QStringLiteral("--json")});
        QVERIFY2(result.exit == 0, result.err);
        const json replay = jsonOf(result);
        QCOMPARE(replay["parts"].get<int>(), 4);
        QCOMPARE(replay["steps"].size(), std::size_t{6});
        for (std::size_t k = 0; k < 6; ++k) {
            const json& now = replay["steps"][k];
            QCOMPARE(now["kind"].get<std::string>(), std::string(k < 3 ? "reduce_scatter" : "all_gather"));
            QCOMPARE(now["dimension"].get<int>(), 0);
            QCOMPARE(now["begin_ns"].get<double>(), 1000.0 + 1500.0 * static_cast<double>(k));
            QCOMPARE(now["moves"].size(), std::size_t{4});
            for (const json& move : now["moves"]) {
                const int from = move["from"].get<int>();
                QCOMPARE(move["to"].get<int>(), (from + 1) % 4);
                QCOMPARE(move["parts"].size(), std::size_t{1});
                QCOMPARE(move["parts"][0].get<int>(), (from + 7 - static_cast<int>(k)) % 4);
                QCOMPARE(move["serialisation_ns"].get<double>(), 1000.0);
                QCOMPARE(move["latency_ns"].get<double>(), 500.0);
                QCOMPARE(move["waiting_ns"].get<double>(), 0.0);
                QCOMPARE(move["waiting_ns"].get<double>() + move["serialisation_ns"].get<double>() + move["latency_ns"].get<double>()
                             + move["reduction_ns"].get<double>(),
                         move["done_ns"].get<double>() - move["ready_ns"].get<double>());
                QVERIFY(move["waited_for"].is_null());
                QCOMPARE(move["route"].size(), std::size_t{1});
            }
        }
        const CliResult text = step({QStringLiteral("--instance"), QStringLiteral("0")});
        QVERIFY(text.out.contains("Step 6 of 6: all gather on D0"));
        QVERIFY(text.out.contains("ring on D0"));
    }
    void foldsGroupsThatDoTheSame()
    {
        const QString path = m_folder.filePath(QStringLiteral("pairs.yaml"));
        QByteArray design(kDesign);
        design.replace("shape: ring, size: 4, bandwidth: 1 GB/s, latency: 500 ns}\n",
                       "shape: ring, size: 2, bandwidth: 1 GB/s, latency: 500 ns}\n    - {shape: switch, size: 3, bandwidth: 1 GB/s, latency: 500 ns}\n");
        design.replace("  steps:\n", "  groups:\n    - {name: pair, dimensions: [0]}\n  steps:\n");
        design.replace("name: gradients}", "name: gradients, group: pair}");
        QVERIFY(writeFile(path, design));
        const CliResult text = runCli(QStringList{QStringLiteral("step"), path});
        QVERIFY2(text.exit == 0, text.err);
        QVERIFY2(text.out.contains("0-1 and 2 groups alike"), text.out);
        const json list = jsonOf(runCli(QStringList{QStringLiteral("step"), path, QStringLiteral("--json")}))["collectives"];
        QCOMPARE(list.size(), std::size_t{4}); // Three pairs, then all.
        QCOMPARE(list[2]["family"].get<std::string>(), std::string("pair"));
        QCOMPARE(list[2]["ranks"].get<std::string>(), std::string("4-5"));
        QCOMPARE(list[2]["call"].get<int>(), list[0]["call"].get<int>());
        QCOMPARE(list[3]["members"].get<int>(), 6);
    }
    void namesTheMoveThatHeldTheLink()
    {
        // Direct through a switch: the second and third message of a rank wait for the first.
        const QString path = m_folder.filePath(QStringLiteral("switch.yaml"));
        QByteArray design(kDesign);
        design.replace("shape: ring", "shape: switch");
        design.replace("algorithm: ring", "algorithm: direct");
        QVERIFY(writeFile(path, design));
        const json replay = jsonOf(runCli(QStringList{QStringLiteral("step"), path, QStringLiteral("--instance"), QStringLiteral("1"), QStringLiteral("--json")}));
        int waits = 0;
        for (const json& move : replay["steps"][0]["moves"]) {
            const int ahead = (move["to"].get<int>() - move["from"].get<int>() + 4) % 4;
            QCOMPARE(move["waiting_ns"].get<double>(), 1000.0 * (ahead - 1));
            if (ahead == 1)
                continue;
            ++waits;
            QCOMPARE(move["waited_for"]["from"].get<int>(), move["from"].get<int>());
            QCOMPARE(move["waited_for"]["to"].get<int>(), (move["from"].get<int>() + 1) % 4);
            QCOMPARE(move["waited_for"]["chunk"].get<int>(), 0);
        }
        QCOMPARE(waits, 8);
    }
    void takesWhatTheWindowOpens()
    {
        // Two ranks that reduce 1 MiB in a trace; the network is the other file.
        for (int rank = 0; rank < 2; ++rank)
            QVERIFY(writeFile(m_folder.filePath(QStringLiteral("two.%1.et").arg(rank)), traceBytes({collectiveNode(7, 0, 1 << 20)})));
        QVERIFY(writeFile(m_folder.filePath(QStringLiteral("net.yml")), "topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n"));
        const CliResult result = runCli(QStringList{QStringLiteral("step"), m_folder.filePath(QStringLiteral("net.yml")), m_folder.filePath(QStringLiteral("two.0.et")),
                                                    QStringLiteral("--model"), QStringLiteral("links"), QStringLiteral("--json")});
        QVERIFY2(result.exit == 0, result.err);
        const json list = jsonOf(result)["collectives"];
        QCOMPARE(list.size(), std::size_t{1});
        QCOMPARE(list[0]["name"].get<std::string>(), std::string("coll7"));
        QCOMPARE(list[0]["members"].get<int>(), 2);
    }
    /// Four hosts of 4 NPUs at a switch each, rails: halving and doubling takes two steps there and back on each level.
    void namesTheLevelsOfAGraph()
    {
        const QString file = m_folder.filePath(QStringLiteral("pod.yaml"));
        QVERIFY(runCli({QStringLiteral("fabric"), QStringLiteral("--line"), QStringLiteral("Switch(4, 450 GB/s, 1 us) x4 / rails_only 50GB/s 1us"), QStringLiteral("--out"), file}).exit == 0);
        const CliResult text = runCli({QStringLiteral("step"), file, QStringLiteral("--instance"), QStringLiteral("0")});
        QVERIFY2(text.exit == 0, text.err);
        for (const char* const line : {"Step 1 of 8: reduce scatter on host,", "Step 3 of 8: reduce scatter on all,", "Step 6 of 8: all gather on all,", "Step 7 of 8: all gather on host,"})
            QVERIFY2(text.out.contains(line), text.out);
        const json steps = jsonOf(runCli({QStringLiteral("step"), file, QStringLiteral("--instance"), QStringLiteral("0"), QStringLiteral("--json")}))["steps"];
        QCOMPARE(steps.size(), std::size_t{8});
        QVERIFY(steps[0]["dimension"].is_null());
        QCOMPARE(steps[0]["level"].get<std::string>(), std::string("host"));
        QCOMPARE(steps[5]["level"].get<std::string>(), std::string("all"));
        const json rows = jsonOf(runCli({QStringLiteral("simulate"), file, QStringLiteral("--json")}))["result"]["collective_bounds"];
        QCOMPARE(rows.size(), std::size_t{1});
        QCOMPARE(rows[0]["levels"], json::parse(R"([{"name": "host", "extent": 4}, {"name": "all", "extent": 4}])"));
        // Dimensions have numbers, and no levels.
        const json plain = jsonOf(runCli({QStringLiteral("step"), m_design, QStringLiteral("--instance"), QStringLiteral("0"), QStringLiteral("--json")}))["steps"];
        QCOMPARE(plain[0]["dimension"].get<int>(), 0);
        QVERIFY(!plain[0].contains("level"));
    }
    void refusesWhatIsNotThere()
    {
        const CliResult instance = step({QStringLiteral("--instance"), QStringLiteral("2")});
        QCOMPARE(instance.exit, 2);
        QVERIFY2(instance.err.contains("there is no collective 2") && instance.err.contains("0 to 1"), instance.err);
        const CliResult chunk = step({QStringLiteral("--instance"), QStringLiteral("1"), QStringLiteral("--chunk"), QStringLiteral("1")});
        QCOMPARE(chunk.exit, 2);
        QVERIFY2(chunk.err.contains("there is no chunk 1"), chunk.err);
        for (const QStringList& more : {QStringList{}, QStringList{QStringLiteral("--instance"), QStringLiteral("0")}}) {
            const CliResult astra = step(QStringList{QStringLiteral("--model"), QStringLiteral("astra-unaware")} + more);
            QCOMPARE(astra.exit, 2);
            QVERIFY2(astra.err.contains("Stepping shows the models links and ideal; run this design under links"), astra.err);
        }
    }

private:
    CliResult step(const QStringList& more) const { return runCli(QStringList{QStringLiteral("step"), m_design} + more); }

    QTemporaryDir m_folder;
    QString m_design;
};

FABRICSCOPE_TEST(TestCliStep)
#include "tst_cli_step.moc"
