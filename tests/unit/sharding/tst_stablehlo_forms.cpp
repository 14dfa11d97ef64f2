// Forms of a program that mean the same: names of types and shardings, meshes inside of shardings, tuples; barriers; loops whose length is said from outside.
#include "core/sharding/execute/prove.h"
#include "core/sharding/execute/wholerun.h"
#include "core/sharding/partition/partition.h"
#include "hloprograms.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Every tensor with its dims and where it lies in the end: "%0 [4, 8] [x, -]".
QStringList tensorsOf(const ShardProblem& problem)
{
    QStringList lines;
    const auto plan = partition(problem);
    for (std::size_t t = 0; t < problem.graph.tensors.size(); ++t) {
        const GraphTensor& tensor = problem.graph.tensors[t];
        lines << QString::fromStdString(tensor.name + " " + shapeText(tensor.shape) + " " + layoutText(problem.mesh, {plan.value().propagated[t], {}, ReduceKind::Sum}));
    }
    return lines;
}

QString layoutIn(const ShardProblem& problem, const char* name)
{
    const auto plan = partition(problem);
    return QString::fromStdString(layoutText(problem.mesh, {plan.value().propagated[static_cast<std::size_t>(*problem.graph.find(name))], {}, ReduceKind::Sum}));
}

bool isFormProved(const ShardProblem& problem)
{
    const auto plan = partition(problem);
    const auto proof = plan ? proveByExecution(problem.graph, plan.value().program) : Result<ExecutionProof>(plan.error());
    return proof && proof.value().equal();
}

std::string product(const std::string& head, const std::string& x, const std::string& sharding)
{
    return head + "func.func @main(%x: " + x + " {sdy.sharding = " + sharding + "}, %w: tensor<32x8xf32>) -> tensor<16x8xf32> {\n  %0 = stablehlo.add %x, %x : " + x + "\n  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (" + x + ", tensor<32x8xf32>) -> tensor<16x8xf32>\n  return %1 : tensor<16x8xf32>\n}\n";
}

/// A loop that doubles its tensor until a sum of it is at least 100, or `length` times where that is not empty.
std::string doubling(const std::string& length)
{
    const std::string condition = length.empty() ? "      %s = stablehlo.reduce(%a init: %f) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>\n      %l = stablehlo.constant dense<1.0e+02> : tensor<f32>\n      %p = stablehlo.compare  LT, %s, %l,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                                                 : "      %l = stablehlo.constant dense<" + length + "> : tensor<i32>\n      %p = stablehlo.compare  LT, %i, %l,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n";
    return "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> tensor<4x6xf32> {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
           "  %0:2 = stablehlo.while(%i = %c, %a = %x) : tensor<i32>, tensor<4x6xf32>\n    cond {\n" + condition + "      stablehlo.return %p : tensor<i1>\n    } do {\n      %one = stablehlo.constant dense<1> : tensor<i32>\n      %n = stablehlo.add %i, %one : tensor<i32>\n      %d = stablehlo.add %a, %a : tensor<4x6xf32>\n"
           "      stablehlo.return %n, %d : tensor<i32>, tensor<4x6xf32>\n    }\n  return %0#1 : tensor<4x6xf32>\n}\n";
}

} // namespace

class StableHloFormsTest : public QObject {
    Q_OBJECT

private slots:
    void namesStandForTypesAndShardings()
    {
        const std::string mesh = "sdy.mesh @mesh = <[\"a\"=4, \"b\"=2]>\n";
        const QStringList plain = tensorsOf(hloProblem(product(mesh, "tensor<16x32xf32>", "#sdy.sharding<@mesh, [{\"a\"}, {\"b\"}]>")));
        QVERIFY(plain.contains(QStringLiteral("%0 [16, 32] [a, b]")));
        QCOMPARE(tensorsOf(hloProblem(product("!t = tensor<16x32xf32>\n#s = #sdy.sharding<@mesh, [{\"a\"}, {\"b\"}]>\n" + mesh, "!t", "#s"))), plain);
        QCOMPARE(tensorsOf(hloProblem(product("", "tensor<16x32xf32>", "#sdy.sharding<mesh<[\"a\"=4, \"b\"=2]>, [{\"a\"}, {\"b\"}]>"))), plain);
        const auto unknown = readStableHloText(product(mesh, "!u", "#sdy.sharding<@mesh, [{}, {}]>"), "case.mlir");
        QVERIFY(!unknown && unknown.error().place.line == 2);
        const auto other = readStableHloText(product(mesh, "tensor<16x32xf32>", "#sdy.sharding<mesh<[\"a\"=2]>, [{\"a\"}, {}]>"), "case.mlir");
        QVERIFY(!other && QString::fromStdString(other.error().text()).contains(QStringLiteral("has other axes than the first")));
    }

    void tuplesAreTheirElements()
    {
        const std::string head = "sdy.mesh @mesh = <[\"x\"=4]>\nfunc.func @main(%a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %b: tensor<32x8xf32>) -> ";
        const std::string types = "tuple<tensor<32x8xf32>, tuple<tensor<16x32xf32>>>";
        const ShardProblem problem = hloProblem(head + "(tensor<16x8xf32>, " + types + ") {\n  %0 = stablehlo.tuple %a : tuple<tensor<16x32xf32>>\n  %1 = stablehlo.tuple %b, %0 : " + types + "\n  %2 = stablehlo.optimization_barrier %1 : " + types
                                                + "\n  %3 = stablehlo.get_tuple_element %2[1] : (" + types + ") -> tuple<tensor<16x32xf32>>\n  %4 = \"stablehlo.get_tuple_element\"(%3) <{index = 0 : i32}> : (tuple<tensor<16x32xf32>>) -> tensor<16x32xf32>\n"
                                                  "  %5 = stablehlo.get_tuple_element %2[0] : (" + types + ") -> tensor<32x8xf32>\n  %6 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>\n  return %6, %1 : tensor<16x8xf32>, " + types + "\n}\n");
        QCOMPARE(problem.graph.ops.size(), std::size_t{1});
        QCOMPARE(problem.graph.tensor(problem.graph.ops[0].inputs[0]).name, std::string("%a"));
        QVERIFY(isFormProved(problem));
        const auto said = [&](const std::string& op) {
            const auto read = readStableHloText(head + "tensor<16x32xf32> {\n  %0 = stablehlo.tuple %a, %b : tuple<tensor<16x32xf32>, tensor<32x8xf32>>\n  %1 = " + op + "\n  return %a : tensor<16x32xf32>\n}\n", "case.mlir");
            return read ? QString() : QString::fromStdString(read.error().text());
        };
        QVERIFY(said("stablehlo.get_tuple_element %0[2] : (tuple<tensor<16x32xf32>, tensor<32x8xf32>>) -> tensor<16x32xf32>").contains(QStringLiteral("element 2")));
        QVERIFY(said("stablehlo.get_tuple_element %a[0] : (tensor<16x32xf32>) -> tensor<16x32xf32>").contains(QStringLiteral("of no tuple")));
        QVERIFY(said("stablehlo.negate %0 : tensor<16x32xf32>").contains(QStringLiteral("takes the tuple %0")));
    }

    /// %x lies along x and %y, behind the barrier, along nothing or (backward) the other way round.
    void barriersLetAxesSpreadOneWay_data()
    {
        QTest::addColumn<QString>("direction");
        QTest::addColumn<QString>("behind");
        QTest::addColumn<QString>("before");
        QTest::newRow("none") << "NONE" << "[-, -]" << "[-, -]";
        QTest::newRow("forward") << "FORWARD" << "[x, -]" << "[-, -]";
        QTest::newRow("backward") << "BACKWARD" << "[-, -]" << "[x, -]";
    }
    void barriersLetAxesSpreadOneWay()
    {
        QFETCH(const QString, direction);
        QFETCH(const QString, behind);
        QFETCH(const QString, before);
        const std::string laid = " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}";
        const auto program = [&](const std::string& argument, const std::string& result, const std::string& op) {
            return hloProblem("sdy.mesh @mesh = <[\"x\"=4]>\nfunc.func @main(%x: tensor<16x32xf32>" + argument + ") -> (tensor<16x32xf32>" + result + ") {\n  %0 = stablehlo.tanh %x : tensor<16x32xf32>\n  %1 = " + op
                              + "\n  %2 = stablehlo.exponential %1 : tensor<16x32xf32>\n  return %2 : tensor<16x32xf32>\n}\n");
        };
        const std::string pretty = "sdy.propagation_barrier %0 allowed_direction=" + direction.toStdString() + " : tensor<16x32xf32>";
        const ShardProblem forward = program(laid, "", pretty);
        QCOMPARE(layoutIn(forward, "%1"), behind);
        QCOMPARE(layoutIn(forward, "%0"), QStringLiteral("[x, -]"));
        const ShardProblem backward = program("", laid, pretty);
        QCOMPARE(layoutIn(backward, "%0"), before);
        QCOMPARE(layoutIn(backward, "%1"), QStringLiteral("[x, -]"));
        QVERIFY(isFormProved(forward) && isFormProved(backward));
        const std::string generic = "\"sdy.propagation_barrier\"(%0) <{allowed_direction = #sdy<propagation_direction " + direction.toStdString() + ">}> : (tensor<16x32xf32>) -> tensor<16x32xf32>";
        QCOMPARE(tensorsOf(program("", laid, generic)), tensorsOf(backward));
        const QString flow = direction.toLower();
        const auto yaml = readShardText("fabricscope: 1\nshard:\n  mesh: {x: 4}\n  tensors: {a: [16, 32]}\n  ops: [{name: b, op: copy, in: [a], flow: " + flow.toStdString() + "}]\n  annotations: [{tensor: a, dims: [[x], []]}]\n", "case.yaml");
        QVERIFY(yaml);
        QCOMPARE(layoutIn(yaml.value(), "b"), behind);
    }

    /// Read with options.turns it is the loop that runs so often; without, it is refused with what to say.
    void aLoopWhoseLengthIsComputedRunsAsOftenAsIsSaid()
    {
        const auto refused = readStableHloText(doubling(""), "case.mlir");
        QVERIFY(!refused && QString::fromStdString(refused.error().text()).contains(QStringLiteral("--set options.turns=N")));
        const auto read = readStableHloText(doubling(""), "case.mlir", {{"options.turns", "3"}});
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(std::ranges::any_of(read.value().notes, [](const Diagnostic& note) { return note.message.find("3 turns") != std::string::npos; }));
        const ShardProblem known = hloProblem(doubling("3"));
        const auto valuesOf = [](const ShardProblem& problem, const char* name) { return runWhole(problem.graph, 3).value()[static_cast<std::size_t>(*problem.graph.find(name))].values; };
        QCOMPARE(valuesOf(read.value(), "%0.2:%d") == valuesOf(known, "%0.2:%d"), true);
        QVERIFY(valuesOf(known, "%0.2:%d")[0] == valuesOf(known, "%x")[0] * Exact(8));
        QVERIFY(!read.value().graph.find("%0.3:%d"));
        QCOMPARE(layoutIn(read.value(), "%0.2:%d"), QStringLiteral("[x, -]"));
        QVERIFY(isFormProved(read.value()));
    }
};

FABRICSCOPE_TEST(StableHloFormsTest)
#include "tst_stablehlo_forms.moc"
