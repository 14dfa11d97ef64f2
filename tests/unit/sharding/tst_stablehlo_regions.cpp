// What StableHLO programs are made of besides ops: named computations, composites, loops, branches, groups of tensors that lie alike.
#include "core/sharding/execute/prove.h"
#include "core/sharding/execute/wholerun.h"
#include "core/sharding/partition/partition.h"
#include "core/sharding/stablehlo/readstablehlo.h"
#include "hloprograms.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

const std::string kMesh = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n";

/// Function main of %a, which lies as `sharding` says, and %b, both [8, 16], to such a tensor.
std::string mainOf(const std::string& ops, const std::string& sharding = R"([{"x"}, {}])")
{
    return kMesh + "func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, " + sharding + ">}, %b: tensor<8x16xf32>) -> tensor<8x16xf32> {\n" + ops + "}\n";
}

/// "x, -" of a tensor after propagation, once the partitioned program is proved to be equal.
QString provedLayout(const ShardProblem& problem, const std::string& name)
{
    const auto plan = partition(problem);
    const auto id = problem.graph.find(name);
    if (!plan || !id)
        return plan ? "no tensor" : QString::fromStdString(plan.error().text());
    const auto proof = proveByExecution(problem.graph, plan.value().program);
    if (!proof || !proof.value().equal())
        return proof ? "not equal" : QString::fromStdString(proof.error().text());
    return QString::fromStdString(layoutText(problem.mesh, {plan.value().propagated[static_cast<std::size_t>(*id)], {}, ReduceKind::Sum}));
}

/// Values of a tensor when the graph is run whole.
std::vector<Exact> valuesIn(const std::string& text, const std::string& name)
{
    const ShardProblem problem = hloProblem(text);
    const auto ran = runWhole(problem.graph, 7);
    const auto id = problem.graph.find(name);
    if (!ran || !id)
        qFatal("%s", ran ? ("no tensor " + name).c_str() : ran.error().text().c_str());
    return ran.value()[static_cast<std::size_t>(*id)].values;
}

QString refusalOf(const std::string& text)
{
    const auto problem = readStableHloText(text, "case.mlir");
    return problem ? QString() : QString::fromStdString(problem.error().text());
}

} // namespace

class StableHloRegionsTest : public QObject {
    Q_OBJECT

private slots:
    void aGroupLiesAlike()
    {
        const std::string ops = "  %0 = stablehlo.tanh %a : tensor<8x16xf32>\n  %1 = stablehlo.tanh %b : tensor<8x16xf32>\n";
        const std::string end = "  return %1 : tensor<8x16xf32>\n";
        QCOMPARE(provedLayout(hloProblem(mainOf(ops + end)), "%b"), "[-, -]");
        for (const std::string id : {"sdy.sharding_group %0 group_id=3 : tensor<8x16xf32>\n  sdy.sharding_group %1 group_id = 3 : tensor<8x16xf32>\n",
                 "\"sdy.sharding_group\"(%0) <{group_id = 3 : i64}> : (tensor<8x16xf32>) -> ()\n  \"sdy.sharding_group\"(%1) <{group_id = 3 : i64}> : (tensor<8x16xf32>) -> ()\n",
                 // Two that share a tensor are one.
                 "sdy.sharding_group %0 group_id=3 : tensor<8x16xf32>\n  sdy.sharding_group %1 group_id=4 : tensor<8x16xf32>\n  sdy.sharding_group %0 group_id=4 : tensor<8x16xf32>\n"}) {
            const ShardProblem problem = hloProblem(mainOf(ops + "  " + id + end));
            QCOMPARE(problem.groups.size(), std::size_t{1});
            QCOMPARE(provedLayout(problem, "%1"), "[x, -]");
            QCOMPARE(provedLayout(problem, "%b"), "[x, -]");
        }
    }

    void whatContradictsItsGroupIsLaidAsTheGroup()
    {
        const ShardProblem problem = hloProblem(mainOf("  %0 = sdy.sharding_constraint %b <@mesh, [{}, {\"y\"}]> : tensor<8x16xf32>\n  sdy.sharding_group %a group_id=0 : tensor<8x16xf32>\n"
                                                          "  sdy.sharding_group %0 group_id=0 : tensor<8x16xf32>\n  %1 = stablehlo.add %0, %a : tensor<8x16xf32>\n  return %1 : tensor<8x16xf32>\n"));
        QCOMPARE(provedLayout(problem, "%0"), "[-, y]");
        QCOMPARE(provedLayout(problem, "sdy.sharding_group.%0.group"), "[x, -]");
        QCOMPARE(provedLayout(problem, "%1"), "[x, -]");
        QCOMPARE(problem.notes.size(), std::size_t{1});
        QVERIFY(problem.notes[0].text().find("a copy of it lies as the group") != std::string::npos);
    }

    void aNamedComputationIsItsBody()
    {
        const std::string plain = mainOf("  %2 = stablehlo.multiply %a, %a : tensor<8x16xf32>\n  return %2 : tensor<8x16xf32>\n");
        const std::string region = " (%c: tensor<8x16xf32>) {\n    %2 = stablehlo.multiply %c, %c : tensor<8x16xf32>\n    sdy.return %2 : tensor<8x16xf32>\n  } {at = \"host\"} : (tensor<8x16xf32>) -> tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n";
        const std::string named = mainOf("  %0 = sdy.named_computation<\"square\">(%a)" + region);
        QVERIFY(valuesIn(named, "%0:%2") == valuesIn(plain, "%2"));
        QCOMPARE(provedLayout(hloProblem(named), "%0:%2"), "[x, -]");
        const ShardProblem given = hloProblem(mainOf("  %0 = sdy.named_computation<\"square\">(%a) in_shardings=[<@mesh, [{}, {\"y\"}]>] out_shardings=[<@mesh, [{\"y\"}, {}]>]" + region));
        QCOMPARE(provedLayout(given, "%0.in#0"), "[-, y]");
        QCOMPARE(provedLayout(given, "%0#0"), "[y, -]");
        const std::string generic = mainOf("  %0 = \"sdy.named_computation\"(%a) <{name = \"square\"}> ({\n  ^bb0(%c: tensor<8x16xf32>):\n    %2 = stablehlo.multiply %c, %c : tensor<8x16xf32>\n    sdy.return %2 : tensor<8x16xf32>\n  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n");
        QVERIFY(valuesIn(generic, "%0:%2") == valuesIn(plain, "%2"));
    }

    void aCompositeIsItsDecomposition()
    {
        const std::string function = "func.func private @square.impl(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {\n  %0 = stablehlo.multiply %a, %a : tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n}\n";
        const std::vector<Exact> wanted = valuesIn(mainOf("  %2 = stablehlo.multiply %a, %a : tensor<8x16xf32>\n  return %2 : tensor<8x16xf32>\n"), "%2");
        for (const std::string op : {"stablehlo.composite \"my.square\" %a {composite_attributes = {n = 2 : i64}, decomposition = @square.impl, version = 1 : i32}", "\"stablehlo.composite\"(%a) <{name = \"my.square\", decomposition = @square.impl}>"}) {
            const std::string text = mainOf("  %0 = " + op + " : (tensor<8x16xf32>) -> tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n") + function;
            QVERIFY(valuesIn(text, "square.impl.1:%0") == wanted);
            QCOMPARE(provedLayout(hloProblem(text), "square.impl.1:%0"), "[x, -]");
        }
    }

    /// Three turns of x + exp(a), counted as jax.lax.fori_loop does, in both forms.
    void aLoopIsItsTurns()
    {
        const std::string counter = "  %zero = stablehlo.constant dense<0> : tensor<i32>\n  %one = stablehlo.constant dense<1> : tensor<i32>\n  %three = stablehlo.constant dense<3> : tensor<i32>\n";
        const std::string condition = "    %1 = stablehlo.compare  LT, %i, %three,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %1 : tensor<i1>\n";
        const std::string turn = "    %1 = stablehlo.exponential %a : tensor<8x16xf32>\n    %2 = stablehlo.add %x, %1 : tensor<8x16xf32>\n    %3 = stablehlo.add %i, %one : tensor<i32>\n    stablehlo.return %3, %2 : tensor<i32>, tensor<8x16xf32>\n";
        const std::string end = "  return %0#1 : tensor<8x16xf32>\n";
        const std::string pretty = counter + "  %0:2 = stablehlo.while(%i = %zero, %x = %b) : tensor<i32>, tensor<8x16xf32> attributes {at = \"host\"}\n  cond {\n" + condition + "  } do {\n" + turn + "  }\n" + end;
        const std::string arguments = "  ^bb0(%i: tensor<i32>, %x: tensor<8x16xf32>):\n";
        const std::string generic = counter + "  %0:2 = \"stablehlo.while\"(%zero, %b) ({\n" + arguments + condition + "  }, {\n" + arguments + turn + "  }) : (tensor<i32>, tensor<8x16xf32>) -> (tensor<i32>, tensor<8x16xf32>)\n" + end;
        const std::vector<Exact> wanted = valuesIn(mainOf("  %0 = stablehlo.exponential %a : tensor<8x16xf32>\n  %1 = stablehlo.add %b, %0 : tensor<8x16xf32>\n  %2 = stablehlo.add %1, %0 : tensor<8x16xf32>\n  %3 = stablehlo.add %2, %0 : tensor<8x16xf32>\n  return %3 : tensor<8x16xf32>\n"), "%3");
        for (const std::string& ops : {pretty, generic}) {
            QVERIFY(valuesIn(mainOf(ops), "%0.2:%2") == wanted);
            const ShardProblem problem = hloProblem(mainOf(ops));
            QVERIFY(!problem.graph.find("%0.3:%2")); // Three turns are all.
            QCOMPARE(problem.groups.size(), std::size_t{1});
            QCOMPARE(problem.groups[0].size(), std::size_t{4}); // What goes in and what each turn hands on.
            for (const char* name : {"%0.%x", "%0.0:%2", "%0.1:%2", "%0.2:%2"})
                QCOMPARE(provedLayout(problem, name), "[x, -]");
        }
    }

    /// What a loop carries has one layout, that of the constraint inside, also where it goes in.
    void whatALoopCarriesLiesAlike()
    {
        const ShardProblem problem = hloProblem(mainOf("  %zero = stablehlo.constant dense<0> : tensor<i32>\n  %one = stablehlo.constant dense<1> : tensor<i32>\n  %two = stablehlo.constant dense<2> : tensor<i32>\n"
                                                          "  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<8x16xf32>\n  cond {\n    %1 = stablehlo.compare  LT, %i, %two,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %1 : tensor<i1>\n  } do {\n"
                                                          "    %1 = stablehlo.tanh %x : tensor<8x16xf32>\n    %2 = sdy.sharding_constraint %1 <@mesh, [{\"y\"}, {}]> : tensor<8x16xf32>\n    %3 = stablehlo.add %i, %one : tensor<i32>\n    stablehlo.return %3, %2 : tensor<i32>, tensor<8x16xf32>\n  }\n"
                                                          "  return %0#1 : tensor<8x16xf32>\n", R"([{?}, {?}])"));
        QCOMPARE(problem.groups.size(), std::size_t{1});
        const auto plan = partition(problem);
        QVERIFY(plan);
        const auto& lies = plan.value().propagated;
        for (const TensorId tensor : problem.groups[0])
            QVERIFY(lies[static_cast<std::size_t>(tensor)] == lies[static_cast<std::size_t>(problem.groups[0][0])]);
        QCOMPARE(provedLayout(problem, "%0.%x"), "[y, -]");
    }

    /// jax.lax.scan: a layer's weights are those of its turn, a result is kept of every turn.
    void aScanTakesAndKeepsALayerPerTurn()
    {
        const std::string head = kMesh + "func.func @main(%w: tensor<3x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {\"y\"}]>}, %a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> tensor<3x8x4xf32> {\n";
        const std::string product = "stablehlo.dot_general ";
        const std::string types = ", contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>\n";
        const std::string scan = head + "  %zero = stablehlo.constant dense<0> : tensor<i32>\n  %cst = stablehlo.constant dense<0.0> : tensor<f32>\n  %kept = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>\n"
            "  %0:4 = stablehlo.while(%i = %zero, %x = %a, %ys = %kept, %all = %w) : tensor<i32>, tensor<8x4xf32>, tensor<3x8x4xf32>, tensor<3x4x4xf32>\n  cond {\n    %n = stablehlo.constant dense<3> : tensor<i32>\n    %1 = stablehlo.compare  LT, %i, %n,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %1 : tensor<i1>\n  } do {\n"
            "    %c = stablehlo.constant dense<0> : tensor<i32>\n    %1 = stablehlo.compare  LT, %i, %c,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    %n = stablehlo.constant dense<3> : tensor<i32>\n    %2 = stablehlo.add %i, %n : tensor<i32>\n    %3 = stablehlo.select %1, %2, %i : tensor<i1>, tensor<i32>\n"
            "    %4 = stablehlo.dynamic_slice %all, %3, %c, %c, sizes = [1, 4, 4] : (tensor<3x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>\n    %5 = stablehlo.reshape %4 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>\n    %6 = " + product + "%x, %5" + types
            + "    %7 = stablehlo.broadcast_in_dim %6, dims = [1, 2] : (tensor<8x4xf32>) -> tensor<1x8x4xf32>\n    %8 = stablehlo.dynamic_update_slice %ys, %7, %3, %c, %c : (tensor<3x8x4xf32>, tensor<1x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x4xf32>\n"
              "    %one = stablehlo.constant dense<1> : tensor<i32>\n    %9 = stablehlo.add %i, %one : tensor<i32>\n    stablehlo.return %9, %6, %8, %all : tensor<i32>, tensor<8x4xf32>, tensor<3x8x4xf32>, tensor<3x4x4xf32>\n  }\n  return %0#2 : tensor<3x8x4xf32>\n}\n";
        std::string byHand = head;
        std::string kept;
        for (int layer = 0; layer < 3; ++layer) {
            const std::string n = std::to_string(layer);
            byHand += "  %s" + n + " = stablehlo.slice %w [" + n + ":" + std::to_string(layer + 1) + ", 0:4, 0:4] : (tensor<3x4x4xf32>) -> tensor<1x4x4xf32>\n  %r" + n + " = stablehlo.reshape %s" + n + " : (tensor<1x4x4xf32>) -> tensor<4x4xf32>\n  %p" + n + " = " + product
                + (layer ? "%p" + std::to_string(layer - 1) : "%a") + ", %r" + n + types + "  %y" + n + " = stablehlo.reshape %p" + n + " : (tensor<8x4xf32>) -> tensor<1x8x4xf32>\n";
            kept += (layer ? ", %y" : "%y") + n;
        }
        byHand += "  %out = stablehlo.concatenate " + kept + ", dim = 0 : (tensor<1x8x4xf32>, tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<3x8x4xf32>\n  return %out : tensor<3x8x4xf32>\n}\n";
        QVERIFY(valuesIn(scan, "%0.2:%8") == valuesIn(byHand, "%out"));
        QVERIFY(provedLayout(hloProblem(scan), "%0.2:%8").startsWith("["));
    }

    void aBranchThatIsKnownIsTheOp_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("value");
        QTest::addColumn<int>("branch");
        QTest::newRow("true") << "if" << "i1" << "true" << 0;
        QTest::newRow("false") << "if" << "i1" << "false" << 1;
        QTest::newRow("the first") << "case" << "i32" << "0" << 0;
        QTest::newRow("the second") << "case" << "i32" << "1" << 1;
        QTest::newRow("none: the last") << "case" << "i32" << "7" << 1;
        QTest::newRow("below none: the last") << "case" << "i32" << "-1" << 1;
    }
    void aBranchThatIsKnownIsTheOp()
    {
        QFETCH(const QString, op);
        QFETCH(const QString, type);
        QFETCH(const QString, value);
        QFETCH(const int, branch);
        const ShardProblem problem = hloProblem(mainOf(("  %c = stablehlo.constant dense<" + value + "> : tensor<" + type + ">\n  %0 = \"stablehlo." + op + "\"(%c) ({\n    %1 = stablehlo.exponential %a : tensor<8x16xf32>\n    stablehlo.return %1 : tensor<8x16xf32>\n  }, {\n    %1 = stablehlo.tanh %a : tensor<8x16xf32>\n    stablehlo.return %1 : tensor<8x16xf32>\n"
                                                           "  }) : (tensor<" + type + ">) -> tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n").toStdString()));
        QCOMPARE(problem.graph.ops.size(), std::size_t{1});
        QVERIFY(problem.graph.ops[0].kind == (branch == 0 ? GraphOpKind::Exp : GraphOpKind::Tanh));
        QVERIFY(problem.notes.empty());
    }

    /// Of branches that are not known the results are chosen: by the truth value, the last one for what is no number of a branch.
    void resultsOfBranchesAreChosen()
    {
        const std::string branches = "({\n    stablehlo.return %a, %b : tensor<8x16xf32>, tensor<8x16xf32>\n  }, {\n    %1 = stablehlo.tanh %a : tensor<8x16xf32>\n    stablehlo.return %1, %a : tensor<8x16xf32>, tensor<8x16xf32>\n  })";
        const auto program = [](const std::string& number, const std::string& op) {
            return kMesh + "func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %b: tensor<8x16xf32>, %n: " + number + ") -> tensor<8x16xf32> {\n  %0:2 = " + op + " : (" + number + ") -> (tensor<8x16xf32>, tensor<8x16xf32>)\n  return %0#0 : tensor<8x16xf32>\n}\n";
        };
        const ShardProblem two = hloProblem(program("tensor<i1>", "\"stablehlo.if\"(%n) " + branches));
        const GraphOp& choice = two.graph.op(two.graph.tensor(*two.graph.find("%0.0#0")).producer);
        QVERIFY(choice.kind == GraphOpKind::Select);
        const std::vector<std::string> wanted = {"%n", "%a", "%0.1:%1"};
        for (std::size_t i = 0; i < 3; ++i)
            QCOMPARE(two.graph.tensor(choice.inputs[i]).name, wanted[i]);
        QCOMPARE(provedLayout(two, "%0.0#0"), "[x, -]");
        QCOMPARE(two.notes.size(), std::size_t{1});
        const ShardProblem three = hloProblem(program("tensor<i32>", "\"stablehlo.case\"(%n) " + branches.substr(0, branches.size() - 1) + ", {\n    stablehlo.return %b, %b : tensor<8x16xf32>, tensor<8x16xf32>\n  })"));
        // %n == 0 ? first : (%n == 1 ? second : third)
        const GraphOp& outer = three.graph.op(three.graph.tensor(*three.graph.find("%0.0#0")).producer);
        const GraphOp& inner = three.graph.op(three.graph.tensor(*three.graph.find("%0.1#0")).producer);
        QCOMPARE(three.graph.tensor(outer.inputs[0]).name, std::string("%0.0.taken"));
        QVERIFY(outer.inputs[1] == *three.graph.find("%a") && outer.inputs[2] == *three.graph.find("%0.1#0"));
        QVERIFY(inner.inputs[0] == *three.graph.find("%0.1.taken") && inner.inputs[1] == *three.graph.find("%0.1:%1") && inner.inputs[2] == *three.graph.find("%b"));
        QCOMPARE(provedLayout(three, "%0.0#0"), "[x, -]");
    }

    void whatIsWrongIsNamedWithItsLine_data()
    {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* ops, const char* words) { QTest::newRow(name) << QString::fromUtf8(ops) << QString::fromUtf8(words); };
        row("a group of two shapes", "  %0 = stablehlo.reshape %b : (tensor<8x16xf32>) -> tensor<16x8xf32>\n  sdy.sharding_group %a group_id=3 : tensor<8x16xf32>\n  sdy.sharding_group %0 group_id=3 : tensor<16x8xf32>\n  return %a : tensor<8x16xf32>\n",
            "case.mlir:5:3: op sdy.sharding_group: its group 3 has tensors of another shape than [16, 8]");
        row("a group without a number", "  sdy.sharding_group %a : tensor<8x16xf32>\n  return %a : tensor<8x16xf32>\n", "case.mlir:3:3: op sdy.sharding_group: needs one tensor and its group");
        row("a composite of nothing", "  %0 = stablehlo.composite \"f\" %a {decomposition = @f} : (tensor<8x16xf32>) -> tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n", "case.mlir:3:8: op %0 (stablehlo.composite): no function is named @f");
        row("a computation of other operands", "  %0 = sdy.named_computation<\"f\">(%a, %b) (%c: tensor<8x16xf32>) {\n    sdy.return %c : tensor<8x16xf32>\n  } : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n",
            "case.mlir:3:8: op %0 (sdy.named_computation): has 2 operands");
        row("shardings of others", "  %0 = sdy.named_computation<\"f\">(%a) in_shardings=[] out_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>] (%c: tensor<8x16xf32>) {\n    sdy.return %c : tensor<8x16xf32>\n  } : (tensor<8x16xf32>) -> tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n",
            "case.mlir:3:8: op %0 (sdy.named_computation): out_shardings has 2 shardings");
        const auto loop = [](QString turn) {
            return ("  %z = stablehlo.constant dense<0> : tensor<i32>\n  %0:2 = stablehlo.while(%i = %z, %x = %a) : tensor<i32>, tensor<8x16xf32>\n  cond {\n    %1 = stablehlo.constant dense<true> : tensor<i1>\n    stablehlo.return %1 : tensor<i1>\n  } do {\n    " + turn + "\n  }\n  return %0#1 : tensor<8x16xf32>\n").toStdString();
        };
        row("a loop without end", loop("stablehlo.return %i, %x : tensor<i32>, tensor<8x16xf32>").c_str(), "case.mlir:4:10: op %0 (stablehlo.while): it runs too often");
        row("a turn that returns less", loop("stablehlo.return %i : tensor<i32>").c_str(), "case.mlir:4:10: op %0 (stablehlo.while): has 2 operands");
        row("a turn that returns others", loop("stablehlo.return %i, %i : tensor<i32>, tensor<i32>").c_str(), "case.mlir:4:10: op %0 (stablehlo.while): returns [] as value 1");
        row("a turn that does not return", loop("%3 = stablehlo.tanh %x : tensor<8x16xf32>").c_str(), "case.mlir:4:10: op %0 (stablehlo.while): has 2 operands");
        row("branches of a tensor", "  %0 = \"stablehlo.case\"(%a) ({\n    stablehlo.return %a : tensor<8x16xf32>\n  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n", "case.mlir:3:8: op %0 (stablehlo.case): has 1 operands and 1 branches");
        row("a branch of another type", "  %c = stablehlo.constant dense<0> : tensor<i32>\n  %0 = \"stablehlo.case\"(%c) ({\n    stablehlo.return %c : tensor<i32>\n  }) : (tensor<i32>) -> tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n", "case.mlir:4:8: op %0 (stablehlo.case): branch 0 returns other values");
        row("a loop of unknown length", "  %0:2 = stablehlo.while(%i = %a, %x = %b) : tensor<8x16xf32>, tensor<8x16xf32>\n  cond {\n    %1 = stablehlo.compare  LT, %i, %x,  FLOAT : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xi1>\n    stablehlo.return %1 : tensor<8x16xi1>\n  } do {\n    stablehlo.return %i, %x : tensor<8x16xf32>, tensor<8x16xf32>\n  }\n  return %0#1 : tensor<8x16xf32>\n",
            "case.mlir:3:10: op %0 (stablehlo.while): how often it runs is not known");
        row("a loop with a type less", "  %0:2 = stablehlo.while(%i = %a, %x = %b) : tensor<8x16xf32>\n  cond {\n", "case.mlir:4:3: op stablehlo.while has 2 operands and 1 types");
    }
    void whatIsWrongIsNamedWithItsLine()
    {
        QFETCH(const QString, ops);
        QFETCH(const QString, words);
        const QString found = refusalOf(mainOf(ops.toStdString()));
        QVERIFY2(found.startsWith(words), qPrintable(found));
    }
};

FABRICSCOPE_TEST(StableHloRegionsTest)
#include "tst_stablehlo_regions.moc"
