// Every answer in JSON is as the JSON Schema says that the program prints and installs, of every command and every exit code; the manual names every key of it.
#include "tests/unit/support/answercheck.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

namespace {

const QString kResources = QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/");

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A command and the exit code it ends with; EXAMPLES stands for the folder of the examples.
struct AnsweringLine {
    const char* line;
    int exit = 0;
};

constexpr AnsweringLine kLines[] = {
    {"simulate A.yaml"},
    {"simulate P.yaml --ranks all"},
    {"simulate A.yaml --seeds 2"},
    {"simulate jobs.yaml"},
    {"simulate stuck.yaml", 3},
    {"simulate warned.yaml --strict", 1},
    {"simulate missing.yaml", 2},
    {"simulate A.yaml --save none/a.run", 5},
    {"simulate EXAMPLES/moe-remote-memory.yaml"},
    {"simulate EXAMPLES/two-level-hgx.yaml"},
    {"simulate EXAMPLES/plan/serve-llama-70b.yaml"},
    {"simulate EXAMPLES/place/unequal-npus.yaml"},
    {"collective --topology Ring(8) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --algorithm auto"},
    {"collective --topology Ring(4)_Ring(2) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --model astra-unaware"},
    {"collective --topology Ring(8) --bandwidth 50 --latency 500 --collective all_reduce --sizes 1MiB,1GiB"},
    {"collective --topology Switch(4096) --bandwidth 50 --latency 500 --collective all_to_all --algorithm direct --size 1GiB --engine events --memory-limit 64MiB", 6},
    {"report a.run"},
    {"report P.yaml"},
    {"tune A.yaml --collective all_reduce --sizes 1KiB,1MiB"},
    {"step A.yaml"},
    {"step A.yaml --instance 0"},
    {"step ring.xml --at 2"},
    {"synthesize A.yaml --size 1MiB --tries 1"},
    {"synthesize A.yaml --size 1MiB --tries 1 --collective broadcast"},
    {"verify ring.xml --slots 1,2"},
    {"verify broken.xml", 1},
    {"lint A.yaml"},
    {"lint loose", 1},
    {"compare A.yaml B.yaml"},
    {"compare A.yaml B.yaml P.yaml"},
    {"compare A.yaml --models links,flow"},
    {"explain A.yaml --confirm"},
    {"explain P.yaml --rank 1"},
    {"explain A.yaml --tree --ranges"},
    {"plan P.yaml"},
    {"plan EXAMPLES/plan/serve-llama-70b.yaml"},
    {"plan search P.yaml --top 2 --objective step_time --objective memory"},
    {"plan search P.yaml --top 2 --objective energy --objective npus --estimate", 2},
    {"plan search EXAMPLES/plan/serve-llama-70b.yaml --top 1"},
    {"study run study.yaml"},
    {"study run search.yaml"},
    {"study run halving.yaml"},
    {"study run saltelli.yaml"},
    {"study run seeds.yaml"},
    {"case question.yaml"},
    {"study status study.yaml"},
    {"study export study.yaml --out table.csv"},
    {"study merge study.yaml study.sqlite --store all.sqlite"},
    {"generate P.yaml --out trace"},
    {"validate in-node-rings"},
    {"validate --kind gemm --rows gemm.csv"},
    {"validate --kind collectives --rows rings.csv --fabric hgx-h100-8"},
    {"calibrate rings.csv --out fitted.yaml"},
    {"program --algorithm ring --axes 4"},
    {"program --algorithm k_nomial --op broadcast --axes 9 --radix 3"},
    {"program --script EXAMPLES/programs/allreduce_ring.lua"},
    {"program list"},
    {"subsets EXAMPLES/dgx1-trees.yaml"},
    {"fabric A.yaml"},
    {"fabric --line hgx-h100\tx32\t/\trails\t64p\t400G\tx4\t/\tspine\t2:1"},
    {"fabric EXAMPLES/dragonfly.yaml"},
    {"model show deepseek-v3"},
    {"model show deepseek-v3 --mode decode --batch 8"},
    {"model show resnet50"},
    {"model list"},
    {"presets"},
    {"examples"},
    {"fabric"},
    {"place EXAMPLES/place/mlp.yaml"},
    {"place --table EXAMPLES/place/mlp.yaml"},
    {"shard EXAMPLES/shard/megatron.yaml --run"},
    {"shard EXAMPLES/shard/spatial.yaml"},
    {"shard EXAMPLES/shard/experts.yaml --simulate --platform hgx-h100-8"},
    {"transform EXAMPLES/transform/adam.yaml --run"},
    {"transform EXAMPLES/transform/adam.yaml --tune"},
    {"transform EXAMPLES/transform/adam.yaml --apply wrong.schedule", 2},
    {"nonsense", 2},
};

QStringList wordsOf(const char* line)
{
    QStringList words;
    for (QString word : QString::fromUtf8(line).split(QLatin1Char(' ')))
        words << word.replace(QLatin1String("EXAMPLES"), kResources + QStringLiteral("examples")).replace(QLatin1Char('\t'), QLatin1Char(' '));
    return words;
}

/// The commands that answer in JSON, as the program knows them.
QStringList answeringCommands()
{
    return QString::fromUtf8(runCli("schema --commands").out).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

/// "model_show" of a line that begins with "model show"; empty: no command.
QString definitionOf(const QStringList& words, const QStringList& commands)
{
    for (const QString& name : {words.mid(0, 2).join(QLatin1Char(' ')), words.first()}) {
        if (commands.contains(name))
            return QString(name).replace(QLatin1Char(' '), QLatin1Char('_'));
    }
    return {};
}

/// Keys, choices and names of definitions of the schema.
struct SchemaWords {
    QSet<QString> keys;
    QSet<QString> values;

    void add(const json& part)
    {
        if (!part.is_structured())
            return;
        for (const auto& [name, value] : part.items()) {
            if (part.is_object() && name == "properties") {
                for (const auto& [key, inner] : value.items())
                    keys.insert(QString::fromStdString(key));
            }
            if (part.is_object() && (name == "enum")) {
                for (const json& word : value)
                    values.insert(word.is_string() ? QString::fromStdString(word.get<std::string>()) : QString());
            }
            add(value);
        }
    }
};

} // namespace

class CliSchemaTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    bool write(const char* name, const QByteArray& text) const { return writeFile(m_folder.filePath(QString::fromUtf8(name)), text); }

private slots:
    void initTestCase()
    {
        const QByteArray work = "workload: {collective: all_reduce, size: 1 MiB}\n";
        QVERIFY(write("A.yaml", "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\n" + work));
        QVERIFY(write("B.yaml", "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 100 GB/s, latency: 1 us}\n" + work));
        QVERIFY(write("warned.yaml", "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\nmodel: {name: ideal}\nnetwork: {protocol: LL}\n" + work));
        QVERIFY(write("jobs.yaml", "fabricscope: 1\nplatform: {topology: Ring(8), bandwidth: 50 GB/s, latency: 1 us}\nworkload:\n  jobs:\n"
                                   "    - {name: one, ranks: 4, first_node: 0, collective: all_reduce, size: 1 MiB}\n    - {name: two, nodes: [4, 5, 6, 7], collective: all_reduce, size: 1 MiB}\n"));
        QVERIFY(write("P.yaml", "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}, {shape: ring, size: 2, bandwidth: 50 GB/s, latency: 1 us}]\n"
                                "  npu: {memory_bandwidth: 1.2 TB/s, peak: 300 TFLOP/s, memory: 80 GB}\nworkload:\n  model: {family: transformer, transformer: {layers: 4, hidden: 256, heads: 4, vocab: 1000, seq: 64}, train: {global_batch: 8}}\n"
                                "  plan: {mesh: {axes: [dp, tp], shape: [2, 4]}}\n"));
        QVERIFY(write("stuck.yaml", "fabricscope: 1\nplatform: {topology: Ring(2), bandwidth: 1 GB/s, latency: 500 ns}\nworkload:\n  steps:\n"
                                    "    - {receive: 1 KiB, from: 1, tag: 1, ranks: \"0\"}\n    - {send: 1 KiB, to: 1, tag: 2, ranks: \"0\"}\n"
                                    "    - {receive: 1 KiB, from: 0, tag: 2, ranks: \"1\"}\n    - {send: 1 KiB, to: 0, tag: 1, ranks: \"1\"}\n"));
        QVERIFY(write("gemm.csv", "gpu,kind,m,n,k,time_us\nA100,GEMM fp16,8192,8192,8192,4333.9\n"));
        QVERIFY(write("rings.csv", "gpus,nodes,collective,bytes,time_us\n4,1,all_reduce,65536,40\n4,1,all_reduce,1048576,60\n4,1,all_reduce,16777216,300\n4,1,all_reduce,67108864,1000\n"));
        QVERIFY(write("wrong.schedule", "split nothing\n"));
        QByteArray study = contentOf(kResources + QStringLiteral("examples/study/rail-bandwidth.yaml"));
        QVERIFY(write("study.yaml", study.replace("../", (kResources + QStringLiteral("examples/")).toUtf8())));
        const QByteArray varied = "fabricscope: 1\nstudy:\n  base:\n    platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\n    workload: {collective: all_reduce, size: 1 MiB}\n";
        const QByteArray rates = varied + "  parameters:\n    - {name: rate, field: platform.dimensions.0.bandwidth, range: [10 GB/s, 100 GB/s], points: 8}\n    - {name: latency, field: platform.dimensions.0.latency, range: [1 us, 8 us], points: 8}\n"
                                          "  objectives: [{minimise: step_time}]\n  sampling: ";
        QVERIFY(write("search.yaml", rates + "{search: nsga2, budget: 10, seed: 1}\n"));
        QVERIFY(write("halving.yaml", rates + "{search: successive_halving, budget: 4, seed: 1}\n"));
        QVERIFY(write("saltelli.yaml", rates + "{kind: saltelli, points: 8}\n"));
        QVERIFY(write("seeds.yaml", varied + "    network: {jitter: {latency: {distribution: exponential, deviation: 1}}}\n"
                                             "  parameters: [{name: seed, field: network.seed, values: [1, 2, 3, 4]}]\n  objectives: [{minimise: step_time}]\n"));
        QVERIFY(write("question.yaml", "fabricscope: 1\nname: A ring\ncase:\n  question: How long?\n  files: [A.yaml]\n  runs: [{name: ring, command: simulate, on: A.yaml}]\n"
                                       "  numbers:\n    - {name: time, run: ring, value: finish_ns, unit: ns}\n    - {name: model, run: ring, value: model, unit: word}\n    - {name: twice, formula: 2 * time, unit: ns}\n"
                                       "  answer: \"{time} under {model}\"\n  published: [{what: a ring, value: 30000, ours: time, source: somebody}]\n  notes: [assumed]\n"));
        QVERIFY(write("loose.0.et", traceBytes({collectiveNode(1, 0, 1 << 20, {99})})));
        for (const char* const line : {"simulate A.yaml --save a.run", "program --algorithm ring --axes 4 --out ring.xml"})
            QCOMPARE(runCli(wordsOf(line), m_folder.path()).exit, 0);
        QByteArray program = contentOf(m_folder.filePath(QStringLiteral("ring.xml")));
        const qsizetype receive = program.indexOf("type=\"r");
        QVERIFY(receive > 0);
        QVERIFY(write("broken.xml", program.replace(receive, program.indexOf('"', receive + 6) + 1 - receive, "type=\"nop\"")));
    }

    void everyAnswerIsAsTheSchemaSays()
    {
        const QStringList commands = answeringCommands();
        QVERIFY(commands.size() >= 29);
        QSet<QString> answered;
        QSet<int> exits;
        json answers = json::array();
        for (const AnsweringLine& each : kLines) {
            const QStringList words = wordsOf(each.line);
            const CliResult result = runCli(words + QStringList{QStringLiteral("--json")}, m_folder.path());
            QVERIFY2(result.exit == each.exit, (QByteArray(each.line) + ": exit " + QByteArray::number(result.exit) + '\n' + result.err).constData());
            const json answer = jsonOf(result);
            QVERIFY2(answer.is_object(), (QByteArray(each.line) + '\n' + result.out).constData());
            const bool failed = answer.contains("error");
            QCOMPARE(failed, isErrorAlone(result));
            const QString definition = failed ? QStringLiteral("error") : definitionOf(words, commands);
            QVERIFY2(!definition.isEmpty(), each.line);
            if (!failed)
                answered.insert(definition);
            exits.insert(result.exit);
            answers.push_back({{"row", each.line}, {"definition", definition.toStdString()}, {"answer", answer}});
        }
        for (const QString& command : commands)
            QVERIFY2(answered.contains(QString(command).replace(QLatin1Char(' '), QLatin1Char('_'))), qPrintable(command + QStringLiteral(" has no row here")));
        for (const int code : {0, 1, 2, 3, 5, 6}) // 4 is below; 70 is a bug.
            QVERIFY2(exits.contains(code), QByteArray::number(code).constData());
        const QStringList problems = schemaProblems(answers);
        if (problems == kNoValidator)
            QSKIP("python3-jsonschema is not installed");
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(QLatin1Char('\n'))));
    }

    void aCancelledCommandAnswersSo()
    {
        QProcess process;
        process.start(QString::fromUtf8(kCliPath), wordsOf("collective --topology Ring(512) --bandwidth 50 --latency 500 --collective all_reduce --size 1GiB --algorithm ring --chunks 256 --engine events --json"));
        QVERIFY(waitUntil(process, [&] { return takesInterrupts(process); }));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 4);
        const CliResult result{4, process.readAllStandardOutput(), {}};
        QVERIFY2(result.out.isEmpty() || isErrorAlone(result), result.out.constData());
    }

    void theSchemaIsStrict()
    {
        const json good = jsonOf(runCli(wordsOf("simulate A.yaml --json"), m_folder.path()));
        QVERIFY(good.is_object());
        json answers = json::array();
        const auto refuse = [&](const char* row, const std::function<void(json&)>& change, const char* definition = "simulate") {
            json answer = good;
            change(answer);
            answers.push_back({{"row", row}, {"definition", definition}, {"answer", std::move(answer)}, {"refused", true}});
        };
        refuse("a key more", [](json& answer) { answer["result"]["more"] = 1; });
        refuse("a key less", [](json& answer) { answer["result"].erase("fingerprint"); });
        refuse("a text for a time", [](json& answer) { answer["result"]["finish_ns"] = "41"; });
        refuse("a time below 0", [](json& answer) { answer["result"]["finish_ns"] = -1; });
        refuse("another schema", [](json& answer) { answer["schema"] = 2; });
        refuse("a key more in a row", [](json& answer) { answer["result"]["ranks"][0]["more"] = 1; });
        refuse("a row of neither rank nor ranks", [](json& answer) { answer["result"]["ranks"][0].erase("ranks"); });
        refuse("another model", [](json& answer) { answer["result"]["model"] = "magic"; });
        refuse("another command", [](json&) {}, "plan");
        refuse("a result for an error", [](json&) {}, "error");
        refuse("a code that is none", [](json& answer) { answer = json::parse(R"({"schema":1,"error":{"code":7,"file":null,"line":null,"field":null,"message":"x","expected":null}})"); }, "error");
        const QStringList problems = schemaProblems(answers);
        if (problems == kNoValidator)
            QSKIP("python3-jsonschema is not installed");
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(QLatin1Char('\n'))));
    }

    /// An object of the schema says of all its keys what they are, and that there are no others; or what all of them are.
    void noObjectOfTheSchemaTakesWhatItDoesNotName()
    {
        int objects = 0;
        const std::function<void(const json&, const std::string&)> look = [&](const json& part, const std::string& way) {
            if (!part.is_structured())
                return;
            if (part.is_object() && part.contains("type") && part["type"] == "object") {
                ++objects;
                QVERIFY2(part.contains("additionalProperties") && part["additionalProperties"] != true, way.c_str());
                for (const json& key : part.value("required", json::array()))
                    QVERIFY2(part["properties"].contains(key.get<std::string>()), (way + ": " + key.get<std::string>()).c_str());
            }
            for (const auto& [name, value] : part.items())
                look(value, way + '/' + name);
        };
        look(json::parse(contentOf(kSchemaFile)), "");
        QVERIFY(objects > 100);
    }

    void theManualNamesEveryKeyAndNoOther()
    {
        const json schema = json::parse(contentOf(kSchemaFile));
        SchemaWords words;
        words.add(schema);
        QVERIFY(words.keys.size() > 400);
        for (const auto& [name, value] : schema["$defs"].items())
            words.values.insert(QString::fromStdString(name));
        QString manual = QString::fromUtf8(contentOf(kResources + QStringLiteral("manual/10-json.md")) + contentOf(kResources + QStringLiteral("manual/24-serve.md")));
        static const QRegularExpression block(QStringLiteral("```.*?```"), QRegularExpression::DotMatchesEverythingOption);
        static const QRegularExpression word(QStringLiteral("`([A-Za-z_0-9]+)`"));
        manual.remove(block);
        QSet<QString> named;
        for (auto match = word.globalMatch(manual); match.hasNext();)
            named.insert(match.next().captured(1));
        QSet<QString> others{QStringLiteral("auto"), QStringLiteral("crossbar"), QStringLiteral("fused"), QStringLiteral("phases"), QStringLiteral("platform"), QStringLiteral("rail_aware"),
                            QStringLiteral("memory_limit"), QStringLiteral("json"), QStringLiteral("quiet"), QStringLiteral("help"), QStringLiteral("serve")};
        for (const QString& command : answeringCommands()) {
            for (const QString& part : command.split(QLatin1Char(' ')))
                others.insert(part);
        }
        const QSet<QString> missing = words.keys - named;
        QVERIFY2(missing.isEmpty(), qPrintable(QStringLiteral("not in the manual: ") + QStringList(missing.values()).join(QLatin1Char(' '))));
        const QSet<QString> extra = named - words.keys - words.values - others;
        QVERIFY2(extra.isEmpty(), qPrintable(QStringLiteral("only in the manual: ") + QStringList(extra.values()).join(QLatin1Char(' '))));
    }

    void theProgramPrintsTheSchemaAndThatOfOneCommand()
    {
        const CliResult all = runCli("schema");
        QCOMPARE(all.exit, 0);
        QCOMPARE(all.out, contentOf(kSchemaFile));
        const json whole = json::parse(all.out);
        for (const QString& command : answeringCommands()) {
            const QString name = QString(command).replace(QLatin1Char(' '), QLatin1Char('_'));
            const json one = jsonOf(runCli(QStringList{QStringLiteral("schema")} + command.split(QLatin1Char(' '))));
            QVERIFY2(one.is_object(), qPrintable(command));
            QCOMPARE(one["anyOf"][0]["$ref"].get<std::string>(), "#/$defs/" + name.toStdString());
            QCOMPARE(one["anyOf"][1]["$ref"].get<std::string>(), std::string("#/$defs/error"));
            // What it refers to is in it, as in the whole.
            const std::string text = one.dump();
            for (std::size_t at = text.find("#/$defs/"); at != std::string::npos; at = text.find("#/$defs/", at + 1)) {
                const std::string referred = text.substr(at + 8, text.find('"', at) - at - 8);
                QVERIFY2(one["$defs"].contains(referred), referred.c_str());
                QCOMPARE(one["$defs"][referred], whole["$defs"][referred]);
            }
        }
        const CliResult none = runCli("schema manual");
        QCOMPARE(none.exit, 2);
        QVERIFY2(none.err.contains("no command \"manual\" answers in JSON") && none.err.contains("model show"), none.err.constData());
        QCOMPARE(runCli("schema presets --commands").exit, 2);
    }
};

FABRICSCOPE_TEST(CliSchemaTest)
#include "tst_cli_schema.moc"
