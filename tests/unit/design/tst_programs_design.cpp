#include "core/design/design.h"
#include "core/design/edits/edits.h"
#include "core/formats/programload.h"
#include "core/generate/generate.h"
#include "core/programio/programjson.h"
#include "core/run/programfile.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace fabricscope;

namespace {

const char* const kHead = "fabricscope: 1\n"
                          "platform: {dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]}\n"
                          "workload: {collective: all_reduce, size: 1 MiB}\n";

LoadedDesign read(const std::string& collectives, const std::string& folder = {})
{
    auto loaded = readDesignText(kHead + collectives, folder + (folder.empty() ? "" : "/") + "design.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value();
}

Error refused(const std::string& collectives)
{
    const auto loaded = readDesignText(kHead + collectives, "design.yaml");
    return loaded ? Error{ErrorCode::Internal, "it was read", {}, {}} : loaded.error();
}

void write(const QTemporaryDir& folder, const char* name, const std::string& text)
{
    std::ofstream(folder.filePath(QString::fromLatin1(name)).toStdString()) << text;
}

} // namespace

class ProgramsDesignTest : public QObject {
    Q_OBJECT

private slots:
    void readsEveryWayToNameAProgram()
    {
        const Design design = read("collectives:\n"
                                   "  default: {algorithm: auto, candidates: [{program: a.xml}, {script: b.lua, parameters: {k: 2.5}}], slots: protocol}\n"
                                   "  rules:\n"
                                   "    - {op: all_reduce, program: ring.xml, chunks: 2, slots: 3}\n"
                                   "    - {op: all_gather, node: [4, 9], script: mine.lua, parameters: {instances: 2}}\n"
                                   "    - {op: all_to_all, node: 7, synthesis: {method: greedy, seed: 3, tries: 2, pieces: 4}}\n"
                                   "    - {algorithm: standard}\n")
                                  .design;
        const CollectiveSetting& usual = design.collectives.defaults;
        QVERIFY(usual.program.choose);
        QCOMPARE(usual.program.receiveSlots, kProtocolSlots);
        QCOMPARE(usual.program.candidates.size(), std::size_t{2});
        QCOMPARE(usual.program.candidates[1].parameters.at("k"), 2.5);
        QCOMPARE(usual.chunks, 4);
        const auto& rules = design.collectives.rules;
        QCOMPARE(rules[0].program.program.at(0), (ProgramSource{ProgramSource::Kind::File, "ring.xml", {}, 2, 1, 8, 1}));
        QCOMPARE(rules[0].program.receiveSlots, 3);
        QCOMPARE(*rules[0].chunks, 2);
        QCOMPARE(rules[1].nodes, (std::vector<std::int64_t>{4, 9}));
        QCOMPARE(rules[1].program.program.at(0).kind, ProgramSource::Kind::Script);
        QCOMPARE(rules[2].nodes, (std::vector<std::int64_t>{7}));
        QCOMPARE(rules[2].program.program.at(0), (ProgramSource{ProgramSource::Kind::Synthesis, "greedy", {}, 2, 3, 2, 4}));
        QVERIFY(rules[3].algorithms && rules[3].algorithms->empty() && !rules[3].program.choose);
    }

    void aProgramIsOnePartUnlessToldOtherwise()
    {
        QCOMPARE(read("collectives: {default: {program: a.xml}}\n").design.collectives.defaults.chunks, 1);
        QCOMPARE(read("collectives: {default: {program: a.xml, chunks: 3}}\n").design.collectives.defaults.chunks, 3);
        QCOMPARE(read("collectives: {default: {algorithm: ring}}\n").design.collectives.defaults.chunks, 4);
    }

    void aProgramIsReadFromJsonAsFromXml()
    {
        const QTemporaryDir folder;
        GenerateRequest request;
        request.algorithm = "swing";
        request.op = CollectiveOp::AllReduce;
        request.axes = {4};
        const Result<ProgramPtr> generated = generateProgram(request);
        QVERIFY2(generated, generated ? "" : generated.error().text().c_str());
        std::vector<std::int64_t> finish;
        for (const char* name : {"own.xml", "own.json"}) {
            const auto notes = writeProgramFile(generated.value(), folder.filePath(QString::fromLatin1(name)).toStdString());
            QVERIFY2(notes, notes ? "" : notes.error().text().c_str());
            const Design design = read(std::string("collectives: {rules: [{op: all_reduce, program: ") + name + ", chunks: 1}]}\n", folder.path().toStdString()).design;
            QVERIFY(validate(design).empty());
            const Result<ScenarioPtr> scenario = prepare(design);
            QVERIFY2(scenario, scenario ? "" : scenario.error().text().c_str());
            QCOMPARE(scenario.value()->structure->instances.front().program->ranks, 4);
            const auto record = simulate(*scenario.value(), {});
            QVERIFY2(record, record ? "" : record.error().text().c_str());
            finish.push_back(record.value().finish.ps);
        }
        QCOMPARE(finish[0], finish[1]);

        // Broken JSON is told with its file.
        write(folder, "own.json", "{\"fabricscope_program\": 1, ");
        const auto broken = prepare(read("collectives: {rules: [{op: all_reduce, program: own.json}]}\n", folder.path().toStdString()).design);
        QVERIFY(!broken);
        QVERIFY2(broken.error().text().find("own.json") != std::string::npos, broken.error().text().c_str());
    }

    void programsAreWrittenInTheFormTheirNameSays()
    {
        const QTemporaryDir folder;
        GenerateRequest request;
        request.algorithm = "swing";
        request.op = CollectiveOp::AllReduce;
        request.axes = {4};
        const ProgramPtr program = generateProgram(request).value();
        const auto path = [&folder](const char* name) { return folder.filePath(QString::fromLatin1(name)).toStdString(); };
        QVERIFY(writeProgramFile(program, path("a.json")));
        Diagnostics findings;
        QVERIFY(loadProgram(path("a.json"), findings).value().program->digest() == program->digest());
        QVERIFY(writeProgramFile(program, path("a.et"), 4096));
        for (int rank = 0; rank < 4; ++rank)
            QVERIFY(QFile::exists(folder.filePath(QStringLiteral("a.%1.et").arg(rank))));
        const auto other = writeProgramFile(program, path("a.txt"));
        QVERIFY(!other);
        QVERIFY(other.error().code == ErrorCode::Usage);
        const Result<ProgramText> text = programAsText(program);
        QVERIFY(text);
        QCOMPARE(text.value().ending, std::string(".xml"));
        // Unequal chunks: XML has no words for them.
        auto weighted = std::make_shared<Program>(*expandTemplate(program).value());
        auto& body = std::get<ExplicitBody>(weighted->body);
        body.chunkWeights.assign(static_cast<std::size_t>(weighted->chunks), 1);
        body.chunkWeights.front() = 3;
        const Result<ProgramText> json = programAsText(weighted);
        QVERIFY(json);
        QCOMPARE(json.value().ending, std::string(".json"));
        QVERIFY(parseProgramJson(json.value().text, "x").value()->digest() == weighted->digest());
        QVERIFY(!writeProgramFile(weighted, path("b.xml")));
    }

    void scriptsMayStandInTheDesign()
    {
        const Design design = read("collectives:\n  default:\n    script: |\n      -- Rails\n      collective(\"all_reduce\", {ranks = 4})\n").design;
        const ProgramSource& source = design.collectives.defaults.program.program.at(0);
        QVERIFY(source.isInline());
        QVERIFY(!source.hasFile());
        QCOMPARE(programSourceText(source), std::string("Rails"));
        QVERIFY(validate(design).empty());
    }

    void writesBackWhatItRead()
    {
        const std::string text = "collectives:\n"
                                 "  default: {algorithm: auto, candidates: [{program: a.xml}, {script: b.lua, parameters: {k: 2.5}}, {synthesis: {seed: 2}}], slots: protocol, chunks: 2}\n"
                                 "  rules:\n"
                                 "    - {op: all_reduce, node: [4, 9], program: ring.xml, chunks: 2, slots: 3}\n"
                                 "    - {script: \"-- Two\\nlines\", parameters: {instances: 2}}\n"
                                 "    - {group: world, synthesis: {method: greedy, seed: 3, tries: 2, pieces: 4}}\n"
                                 "    - {op: broadcast, synthesis: {method: trees, pieces: 2}}\n"
                                 "    - {op: all_gather, synthesis: {method: auto, tries: 2}}\n"
                                 "    - {algorithm: standard}\n"
                                 "    - {algorithm: [standard]}\n";
        const Design design = read(text).design;
        const auto again = readDesignText(writeDesign(design), "design.yaml");
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QCOMPARE(again.value().design.collectives, design.collectives);
        QCOMPARE(designHash(again.value().design), designHash(design));
    }

    void saysWhereSomethingIsWrong_data()
    {
        QTest::addColumn<QString>("collectives");
        QTest::addColumn<QString>("field");
        QTest::newRow("two ways") << "collectives: {default: {algorithm: ring, program: a.xml}}\n" << "collectives.default.algorithm";
        QTest::newRow("unknown") << "collectives: {default: {algorithm: rong}}\n" << "collectives.default.algorithm";
        QTest::newRow("candidates without auto") << "collectives: {default: {algorithm: ring, candidates: [{program: a.xml}]}}\n" << "collectives.default.candidates";
        QTest::newRow("empty candidate") << "collectives: {default: {algorithm: auto, candidates: [{}]}}\n" << "collectives.default.candidates[0]";
        QTest::newRow("two in a candidate") << "collectives: {default: {algorithm: auto, candidates: [{program: a, script: b}]}}\n" << "collectives.default.candidates[0]";
        QTest::newRow("parameters of a file") << "collectives: {default: {program: a.xml, parameters: {a: 1}}}\n" << "collectives.default.parameters";
        QTest::newRow("no number") << "collectives: {default: {script: a.lua, parameters: {a: b}}}\n" << "collectives.default.parameters.a";
        QTest::newRow("method") << "collectives: {default: {synthesis: {method: magic}}}\n" << "collectives.default.synthesis.method";
        QTest::newRow("seed of trees") << "collectives: {default: {synthesis: {method: trees, seed: 3}}}\n" << "collectives.default.synthesis.seed";
        QTest::newRow("slots") << "collectives: {rules: [{program: a.xml, slots: many}]}\n" << "collectives.rules[0].slots";
        QTest::newRow("nodes") << "collectives: {rules: [{node: [], algorithm: ring}]}\n" << "collectives.rules[0].node";
        QTest::newRow("radix") << "collectives: {default: {algorithm: ring, radix: 3}}\n" << "collectives.default.radix";
        QTest::newRow("empty path") << "collectives: {default: {program: \"\"}}\n" << "collectives.default.program";
    }

    void saysWhereSomethingIsWrong()
    {
        QFETCH(const QString, collectives);
        QFETCH(const QString, field);
        const Error error = refused(collectives.toStdString());
        QCOMPARE(QString::fromStdString(error.place.field), field);
        QVERIFY(error.place.line > 3 && !error.message.empty());
    }

    void generatorsAreAlgorithmsOfTheWholeGroup()
    {
        const Design design = read("collectives: {default: {algorithm: recursive_doubling, chunks: 2}}\n").design;
        QCOMPARE(design.collectives.defaults.program.program.at(0).kind, ProgramSource::Kind::Generator);
        QVERIFY(design.collectives.defaults.algorithms.empty());
        const Error error = refused("collectives: {default: {algorithm: [recursive_doubling]}}\n");
        QVERIFY(error.message.find("whole group") != std::string::npos);
    }

    void missingFilesAreProblemsWithAPlace()
    {
        const Diagnostics found = validate(read("collectives: {rules: [{program: nowhere.xml}], default: {algorithm: auto, candidates: [{script: gone.lua}]}}\n").design);
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].rule, std::string("program-file"));
        QCOMPARE(found[0].place.field, std::string("collectives.default.candidates[0].script"));
        QCOMPARE(found[1].place.field, std::string("collectives.rules[0].program"));
        QVERIFY(found[1].place.line > 0);
    }

    void contentOfProgramsEntersTheHash()
    {
        const QTemporaryDir folder;
        write(folder, "a.lua", "collective(\"all_reduce\", {ranks = 4})\n");
        write(folder, "b.lua", "collective(\"all_reduce\", {ranks = 4})\n");
        const std::string at = folder.path().toStdString();
        const auto hashOf = [&](const char* script) { return designHash(read(std::string("collectives: {default: {script: ") + script + "}}\n", at).design); };
        const Digest before = hashOf("a.lua");
        QCOMPARE(hashOf("b.lua"), before); // Names do not count.
        write(folder, "a.lua", "collective(\"all_reduce\", {ranks = 4, chunks = 8})\n");
        QVERIFY(!(hashOf("a.lua") == before));
        QVERIFY(!(designHash(read("").design) == before));
    }

    void theStandardAlgorithmsKeepTheirHash()
    {
        const Digest absent = designHash(read("collectives: {default: {chunks: 2}}\n").design);
        QCOMPARE(designHash(read("collectives: {default: {algorithm: standard, chunks: 2}}\n").design), absent);
        QVERIFY(!(designHash(read("collectives: {default: {algorithm: auto, chunks: 2}}\n").design) == absent));
    }

    void astraModelsRefusePrograms()
    {
        const Diagnostics found = validate(read("collectives: {default: {algorithm: recursive_doubling}}\nmodel: {name: astra-unaware}\n").design);
        QVERIFY(!found.empty());
        QCOMPARE(found[0].rule, std::string("astra-program"));
    }
};

FABRICSCOPE_TEST(ProgramsDesignTest)
#include "tst_programs_design.moc"
