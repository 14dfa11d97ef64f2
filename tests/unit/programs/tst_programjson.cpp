// Our own file of a program: nothing is lost, and nothing that could break the rest of the program is let in.
#include "core/formats/programload.h"
#include "core/programio/programjson.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/mscclcorpus.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/oracles/programrun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <fstream>
#include <nlohmann/json.hpp>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

namespace {

bool same(const Program& a, const Program& b)
{
    return a.digest() == b.digest() && a.name == b.name && a.provenance == b.provenance && a.body == b.body;
}

/// An explicit program that uses every column.
Program everything()
{
    Program program = randomProgram(3, 3, 4, 12, true);
    program.name = "all \"of\" it";
    program.op = CollectiveOp::Custom;
    program.protocol = WireProtocol::LL128;
    program.minBytes = 1;
    program.maxBytes = std::int64_t{1} << 50;
    program.root = 2;
    program.conditions = std::make_shared<const Conditions>(allToNext(3, 4, true));
    ExplicitBody& b = std::get<1>(program.body);
    const std::size_t size = b.size();
    b.bytes.assign(size, -1);
    b.bytes[0] = 77;
    b.duration.assign(size, 0);
    b.duration[1] = 12345678901;
    b.slot.assign(size, 0);
    b.slot[2] = -5;
    b.sourceId.assign(size, 0);
    b.sourceId[0] = UINT64_MAX;
    b.startPs.assign(size, -1);
    b.startPs[1] = 99;
    b.routes = {{1, 2, 3}, {}};
    b.route.assign(size, -1);
    b.route[0] = 1;
    b.teams = {{0, 2}};
    b.chunkWeights = {0, 1, 2, 3};
    b.receiveSlots = 4;
    b.tags[0] = {1, 2, 3, 4};
    return program;
}

Program chunkedTemplate()
{
    Program program;
    program.op = CollectiveOp::AllReduce;
    program.ranks = 8;
    program.chunks = 3;
    program.window = 2;
    TemplateBody body;
    body.axes = {4, 2};
    body.phases = {{PhaseKind::ReduceScatter, Algorithm::Ring, 0, 0, true}, {PhaseKind::AllReduce, Algorithm::DoubleBinaryTree, 1, 3, false}};
    body.orders = {{body.phases[1], body.phases[0]}};
    body.orderOfChunk = {0, 1, 0};
    body.chunkWeights = {1, 2, 3};
    program.body = body;
    return program;
}

} // namespace

class TestProgramJson : public QObject {
    Q_OBJECT

private slots:
    void nothingIsLost();
    void randomProgramsComeBack();
    void theCorpusComesBack();
    void mistakesAreNamedWithTheirPlace_data();
    void mistakesAreNamedWithTheirPlace();
    void filesAreRead();
};

void TestProgramJson::nothingIsLost()
{
    for (const Program& program : {everything(), chunkedTemplate()}) {
        const auto again = parseProgramJson(writeProgramJson(program), "a.json");
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QVERIFY(same(program, *again.value()));
        QCOMPARE(writeProgramJson(*again.value()), writeProgramJson(program));
    }
}

void TestProgramJson::randomProgramsComeBack()
{
    for (const std::uint32_t seed : Seeds<std::uint32_t>(0, 1000)) {
        const Program program = randomProgram(seed, 1 + static_cast<int>(seed % 5), 3, static_cast<int>(seed % 25), seed % 3 != 0);
        const auto again = parseProgramJson(writeProgramJson(program), "a.json");
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QVERIFY(same(program, *again.value()));
    }
}

void TestProgramJson::theCorpusComesBack()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    for (const std::string& path : mscclCorpus(shared)) {
        const ProgramPtr program = mscclProgram(path);
        const auto again = parseProgramJson(writeProgramJson(*program), path);
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QVERIFY2(same(*program, *again.value()), path.c_str());
    }
}

void TestProgramJson::mistakesAreNamedWithTheirPlace_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("field");
    const auto row = [](const char* pointer, const char* value, const char* field) { QTest::newRow(qPrintable(QString("%1 = %2").arg(pointer, value))) << pointer << value << field; };
    row("/fabricscope_program", "2", "fabricscope_program");
    row("/colour", "1", "colour");
    row("/op", "\"sort\"", "op");
    row("/ranks", "0", "ranks");
    row("/ranks", "3000000", "ranks");
    row("/ranks", "\"3\"", "ranks");
    row("/ranks", "2.5", "ranks");
    row("/ranks", "4", "explicit.rank_begin");
    row("/chunks", "0", "chunks");
    row("/root", "3", "root");
    row("/in_place", "1", "in_place");
    row("/name", "1", "name");
    row("/conditions/before/0", "[0]", "conditions.before[0]");
    row("/conditions/before/0/1", "\"here\"", "conditions.before[0][1]");
    row("/conditions/before/0/3", "[[0, 1], [0, 0]]", "conditions.before[0][3]");
    row("/explicit/kind/0", "\"push\"", "explicit.kind");
    row("/explicit/kind", "[]", "explicit.peer");
    row("/explicit/peer/0", "3", "explicit.peer[0]");
    row("/explicit/peer/0", "-1", "explicit.peer[0]");
    row("/explicit/peer/0", "null", "explicit.peer[0]");
    row("/explicit/peer", "3", "explicit.peer");
    row("/explicit/lane/1", "-2", "explicit.lane[1]");
    row("/explicit/count/1", "-2", "explicit.count[1]");
    row("/explicit/count/1", "99999999999", "explicit.count[1]");
    row("/explicit/count/1", "18446744073709551615", "explicit.count[1]");
    row("/explicit/source_offset/1", "2000000000", "explicit.source_offset[1]");
    row("/explicit/depends", "[9999]", "explicit.depend_begin");
    row("/explicit/depend_begin/0", "1", "explicit.depend_begin");
    row("/explicit/route/0", "2", "explicit.route[0]");
    row("/explicit/fused", "[1]", "explicit.fused");
    row("/explicit/source_buffer/0", "\"fused\"", "explicit.source_buffer[0]");
    row("/explicit/teams/0", "[2, 0]", "explicit.teams[0]");
    row("/explicit/teams/0", "[]", "explicit.teams[0]");
    row("/explicit/buffers/0", "[1, 2]", "explicit.buffers[0]");
    row("/explicit/chunk_weights", "[0, 0, 0, 0]", "explicit.chunk_weights");
    row("/explicit/chunk_weights", "[1]", "explicit.chunk_weights");
    row("/explicit/tags/0", "[1, 2, 3]", "explicit.tags[0]");
    row("/explicit/more", "1", "explicit.more");
    row("/template", "{}", "explicit");
}

void TestProgramJson::mistakesAreNamedWithTheirPlace()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, field);
    Program program = everything();
    json document = json::parse(writeProgramJson(program));
    document[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());

    const auto read = parseProgramJson(document.dump(), "a.json");

    QVERIFY(!read);
    QCOMPARE(QString::fromStdString(read.error().place.field), field);
    QCOMPARE(read.error().place.file, std::string("a.json"));
}

void TestProgramJson::filesAreRead()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.json").toStdString();
    std::ofstream(path) << writeProgramJson(chunkedTemplate());
    Diagnostics findings;
    QVERIFY(same(*loadProgram(path, findings).value().program, chunkedTemplate()));
    QVERIFY(!loadProgram(path + "x", findings));
    for (const char* text : {"", "[]", "3", "{}", "{\"fabricscope_program\": 1}", "{\"fabricscope_program\": 1, \"op\": \"all_reduce\", \"ranks\": 2, \"template\": {\"axes\": [3]}}"})
        QVERIFY2(!parseProgramJson(text, "a.json"), text);
}

FABRICSCOPE_TEST(TestProgramJson)
#include "tst_programjson.moc"
