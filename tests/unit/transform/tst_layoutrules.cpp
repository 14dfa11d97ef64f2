// Every row of the table of layouts, valid and invalid, and what reading a file refuses.
#include "tests/unit/support/cases/tensorcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;
using namespace fabricscope::transform;

namespace {

/// One stage over tensors of all layouts: L local, R replicated, S sliced(0), C sliced(1), each [8, 8]; bias B [8]; H half precision.
std::string oneStage(const std::string& stage)
{
    return "  scalars: {two: 2}\n  tensors:\n"
           "    L: {shape: [8, 8], layout: local}\n    R: {shape: [8, 8], layout: replicated}\n    S: {shape: [8, 8], layout: sliced}\n"
           "    C: {shape: [8, 8], layout: {sliced: 1}}\n    B: {shape: [8], layout: replicated}\n    BS: {shape: [8], layout: sliced}\n"
           "    H: {shape: [8, 8], dtype: fp16, layout: replicated}\n    N: {shape: [4, 8], layout: replicated}\n    X: {shape: [2, 4, 4, 8], layout: sliced}\n    K: {shape: [3, 3, 8, 8], layout: replicated}\n"
           "  stages:\n    - {name: y, " + stage + "}\n  outputs: [y]\n";
}

Result<TransformFile> readStage(const std::string& stage, int groups = 1)
{
    return readTransformText(transformText(4, oneStage(stage), groups), "case.yaml");
}

} // namespace

class TestLayoutRules : public QObject {
    Q_OBJECT

private slots:
    void layoutsAreInferred_data();
    void layoutsAreInferred();
    void brokenRulesNameOperandFoundAndExpected_data();
    void brokenRulesNameOperandFoundAndExpected();
    void aNormOfASliceGetsAScalarAllReduce();
    void aSendGoesToTheNextGroupOnly();
    void slicesOfAWholeTensorMustBeGathered();
    void mistakesInFilesNameTheirPlace_data();
    void mistakesInFilesNameTheirPlace();
};

void TestLayoutRules::layoutsAreInferred_data()
{
    QTest::addColumn<QString>("stage");
    QTest::addColumn<QString>("layout");
    QTest::addColumn<QString>("shape");
    const auto row = [](const char* stage, const char* layout, const char* shape = "[8, 8]") { QTest::newRow(stage) << stage << layout << shape; };
    row("op: expr, expr: two*L", "local");
    row("op: expr, expr: two*R", "replicated");
    row("op: expr, expr: two*S", "sliced(0)");
    row("op: expr, expr: S + S*S", "sliced(0)");
    row("op: expr, expr: R + S", "sliced(0)");
    row("op: expr, expr: R + C", "sliced(1)");
    row("op: expr, expr: L + R", "local");
    row("op: expr, expr: R + B", "replicated");
    row("op: expr, expr: S + B", "sliced(0)");
    row("op: expr, expr: R + BS", "sliced(1)"); // lines up with the last dimension
    row("op: expr, expr: C + BS", "sliced(1)");
    row("op: expr, expr: fp32(H) + S", "sliced(0)");
    row("op: dropout, in: [C], rate: 0.5, seed: 3", "sliced(1)");
    row("op: matmul, in: [L, R]", "local");
    row("op: matmul, in: [R, L]", "local");
    row("op: matmul, in: [R, R]", "replicated");
    row("op: matmul, in: [S, R]", "sliced(0)");
    row("op: matmul, in: [R, C]", "sliced(1)");
    row("op: matmul, in: [C, S]", "local");
    row("op: matmul, in: [N, R]", "replicated", "[4, 8]");
    row("op: conv, in: [X, K], pad: 1", "sliced(0)", "[2, 4, 4, 8]");
    row("op: conv, in: [X, K], stride: 2, pad: 1", "sliced(0)", "[2, 2, 2, 8]");
    row("op: all_reduce, in: [L]", "replicated");
    row("op: reduce_scatter, in: [L]", "sliced(0)");
    row("op: reduce_scatter, in: [L], dim: 1", "sliced(1)");
    row("op: all_gather, in: [C]", "replicated");
    row("op: slice, in: [R]", "sliced(0)");
    row("op: reduce, in: [L], root: 1", "local");
    row("op: broadcast, in: [L], root: 1", "replicated");
    row("op: norm, in: [R]", "replicated", "[]");
    row("op: norm, in: [L]", "local", "[]");
    row("op: norm, in: [S]", "local", "[]"); // of the slice; y.ar makes it whole
    row("op: reduce, in: [R], kind: max", "replicated", "[]");
    row("op: layer_norm, in: [S], dim: 1", "sliced(0)");
    row("op: layer_norm, in: [R], dim: 0", "replicated");
    row("op: update, target: R, expr: R + 1", "replicated");
    row("op: update, target: S, expr: S + R", "sliced(0)");
    row("op: update, target: L, expr: L + R", "local");
}

void TestLayoutRules::layoutsAreInferred()
{
    QFETCH(QString, stage);
    QFETCH(QString, layout);
    QFETCH(QString, shape);
    const auto file = readStage(stage.toStdString());
    QVERIFY2(file, file ? "" : file.error().text().c_str());
    const Stage& made = *file.value().program.stage("y");
    QCOMPARE(QString::fromStdString(made.value.layout.text()), layout);
    QCOMPARE(QString::fromStdString(shapeText(made.value.shape)), shape);
}

void TestLayoutRules::brokenRulesNameOperandFoundAndExpected_data()
{
    QTest::addColumn<QString>("stage");
    QTest::addColumn<QStringList>("words");
    const auto row = [](const char* stage, QStringList words) { QTest::newRow(stage) << stage << words; };
    row("op: expr, expr: L + S", {"stage y (expr)", "operand S is sliced(0)", "expected layout local"});
    row("op: expr, expr: S + C", {"operand C is sliced(1)", "sliced(0) or replicated"});
    row("op: expr, expr: S + BS", {"operand BS is sliced(0)", "sliced(0)"});
    row("op: expr, expr: H + R", {"fp16", "fp32", "cast"});
    row("op: expr, expr: R + N", {"[4, 8]"});
    row("op: matmul, in: [C, R]", {"stage y (matmul)", "operand R is replicated", "sliced(0)"});
    row("op: matmul, in: [R, S]", {"operand R is replicated", "sliced(1)"});
    row("op: matmul, in: [S, C]", {"operand C is sliced(1)", "replicated"});
    row("op: matmul, in: [L, S]", {"operand S is sliced(0)", "local"});
    row("op: matmul, in: [R, H]", {"operand H is fp16", "fp32"});
    row("op: matmul, in: [R, N]", {"operand N has shape [4, 8]"});
    row("op: all_reduce, in: [S]", {"operand S is sliced(0)", "expected layout local"});
    row("op: all_reduce, in: [R]", {"operand R is replicated", "expected layout local"});
    row("op: reduce_scatter, in: [R]", {"operand R is replicated", "local"});
    row("op: all_gather, in: [R]", {"operand R is replicated", "expected layout sliced"});
    row("op: all_gather, in: [L]", {"operand L is local"});
    row("op: slice, in: [L]", {"operand L is local", "replicated"});
    row("op: slice, in: [B], dim: 1", {"dimension 1"});
    row("op: broadcast, in: [S], root: 0", {"operand S is sliced(0)"});
    row("op: reduce, in: [S], root: 0", {"operand S is sliced(0)", "local"});
    row("op: layer_norm, in: [C], dim: 1", {"operand C is sliced(1)", "dimension 1"});
    row("op: update, target: R, expr: R + L", {"new value of R is local", "replicated"});
    row("op: update, target: S, expr: R + 1", {"new value of S is replicated", "sliced(0)"});
    row("op: update, target: R, expr: B + 1", {"shape [8]", "[8, 8]"});
    row("op: update, target: H, expr: R + 1", {"fp32", "fp16"});
    row("op: update, target: R, expr: S + 1", {"R is replicated", "all_gather of y"});
    row("op: send, in: [R]", {"beyond the last group"});
}

void TestLayoutRules::brokenRulesNameOperandFoundAndExpected()
{
    QFETCH(QString, stage);
    QFETCH(QStringList, words);
    const auto file = readStage(stage.toStdString());
    QVERIFY(!file);
    const QString text = QString::fromStdString(file.error().text());
    for (const QString& word : words)
        QVERIFY2(text.contains(word), qPrintable(text));
    QVERIFY2(text.startsWith("case.yaml:"), qPrintable(text));
}

void TestLayoutRules::aNormOfASliceGetsAScalarAllReduce()
{
    const TensorProgram program = transformCase(4, "  tensors:\n    S: {shape: [8], layout: sliced}\n  stages:\n    - {name: n, op: norm, in: [S]}\n    - {name: y, op: expr, expr: S/n}\n  outputs: [y, n]\n").program;
    QCOMPARE(program.stages.size(), std::size_t{3});
    QCOMPARE(program.stages[1].name, std::string("n.ar"));
    QVERIFY(program.stages[1].isScalarAllReduce());
    QCOMPARE(program.stages[1].value.layout.text(), std::string("replicated"));
    QCOMPARE(program.stages[2].in[1].name, std::string("n.ar"));
    QCOMPARE(program.outputs, (std::vector<std::string>{"y", "n.ar"}));
}

void TestLayoutRules::aSendGoesToTheNextGroupOnly()
{
    const auto file = readStage("op: send, in: [R]", 2);
    QVERIFY(file);
    QCOMPARE(file.value().program.stage("y")->value.group, 1);
    const std::string mixed = "  tensors:\n    R: {shape: [8]}\n  stages:\n    - {name: a, op: expr, expr: 2*R}\n    - {name: t, op: send, in: [a]}\n    - {name: y, op: expr, expr: a + t}\n  outputs: [y]\n";
    const auto refused = readTransformText(transformText(4, mixed, 2), "case.yaml");
    QVERIFY(!refused);
    QVERIFY(refused.error().text().find("operand t is in group 1, operand a in group 0") != std::string::npos);
}

void TestLayoutRules::slicesOfAWholeTensorMustBeGathered()
{
    const TensorProgram program = transformCase(4, "  tensors:\n    R: {shape: [8]}\n    S: {shape: [8], layout: sliced}\n  stages:\n    - {name: u, op: update, target: R, expr: R + S}\n"
                                                   "    - {name: y, op: all_gather, in: [u]}\n  outputs: [y]\n").program;
    QCOMPARE(program.stage("u")->value.layout.text(), std::string("sliced(0)"));
}

void TestLayoutRules::mistakesInFilesNameTheirPlace_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<QStringList>("words");
    const QString tensors = "  sizes: {N: 8}\n  tensors: {g: {shape: [N], layout: local}}\n";
    const QString good = tensors + "  stages: [{name: s, op: all_reduce, in: [g]}]\n  outputs: [s]\n";
    const auto row = [](const char* name, const QString& body, QStringList words) { QTest::newRow(name) << body << words; };
    // The body begins in line 5.
    row("unknown key", good + "  option: {}\n", {"case.yaml:9:3", "unknown key \"option\"", "nearest: options"});
    row("unknown op", tensors + "  stages: [{name: s, op: all_redjuce, in: [g]}]\n  outputs: [s]\n", {"case.yaml:7:", "op", "nearest: all_reduce"});
    row("unknown input", tensors + "  stages: [{name: s, op: all_reduce, in: [gg]}]\n  outputs: [s]\n", {"case.yaml:7:43", "\"gg\" is no tensor"});
    row("key of another op", tensors + "  stages: [{name: s, op: all_reduce, in: [g], rate: 0.1}]\n  outputs: [s]\n", {"\"rate\" is not used with op all_reduce"});
    row("two inputs", tensors + "  stages: [{name: s, op: all_reduce, in: [g, g]}]\n  outputs: [s]\n", {"reads 1 tensor"});
    row("name twice", tensors + "  stages: [{name: g, op: all_reduce, in: [g]}]\n  outputs: [g]\n", {"\"g\" is used twice"});
    row("expression", tensors + "  stages: [{name: s, op: expr, expr: \"g + * 2\"}]\n  outputs: [s]\n", {"case.yaml:7:43", "not expected here"});
    row("name in an expression", tensors + "  stages: [{name: s, op: expr, expr: \"g + q\"}]\n  outputs: [s]\n", {"case.yaml:7:43", "\"q\" is no scalar"});
    row("function", tensors + "  stages: [{name: s, op: expr, expr: \"sin(g)\"}]\n  outputs: [s]\n", {"no function \"sin\""});
    row("size", "  tensors: {g: {shape: [M], layout: local}}\n  stages: [{name: s, op: all_reduce, in: [g]}]\n  outputs: [s]\n", {"\"M\" is no size", "transform.tensors.g.shape[0]"});
    row("size 0", "  sizes: {N: 0}\n  tensors: {g: {shape: [N], layout: local}}\n  stages: [{name: s, op: all_reduce, in: [g]}]\n  outputs: [s]\n", {"out of range"});
    row("too large", "  sizes: {N: 1000000000000}\n  tensors: {g: {shape: [N, N], layout: local}}\n  stages: [{name: s, op: all_reduce, in: [g]}]\n  outputs: [s]\n", {"too large", "2^44"});
    row("layout", "  tensors: {g: {shape: [8], layout: locale}}\n  stages: [{name: s, op: all_reduce, in: [g]}]\n  outputs: [s]\n", {"unknown layout \"locale\""});
    row("sliced dimension", "  tensors: {g: {shape: [8], layout: {sliced: 1}}}\n  stages: [{name: s, op: all_gather, in: [g]}]\n  outputs: [s]\n", {"dimension 1 is not there"});
    row("no outputs", tensors + "  stages: [{name: s, op: all_reduce, in: [g]}]\n", {"\"outputs\" is missing"});
    row("output", tensors + "  stages: [{name: s, op: all_reduce, in: [g]}]\n  outputs: [t]\n", {"\"t\" is no tensor and no stage"});
    row("step", good + "  schedule: [\"split s\", \"fused {s}\"]\n", {"case.yaml:9:", "no step \"fused\"", "did you mean \"fuse\""});
    row("may_slice", good + "  may_slice: [z]\n", {"\"z\" is no tensor"});
    row("efficiency", good + "  collectives: {efficiency: {tree: 1.5}}\n", {"transform.collectives.efficiency.tree", "out of range"});
    row("algorithm", good + "  collectives: {default: {algorithm: rings}}\n", {"case.yaml:9:", "transform.collectives.default"});
    row("channels", good + "  options: {channels: 80}\n", {"all 80 SMs"});
}

void TestLayoutRules::mistakesInFilesNameTheirPlace()
{
    QFETCH(QString, body);
    QFETCH(QStringList, words);
    const auto file = readTransformText(transformText(4, body.toStdString()), "case.yaml");
    QVERIFY(!file);
    const QString text = QString::fromStdString(file.error().text());
    for (const QString& word : words)
        QVERIFY2(text.contains(word), qPrintable(text));
}

FABRICSCOPE_TEST(TestLayoutRules)
#include "tst_layoutrules.moc"
