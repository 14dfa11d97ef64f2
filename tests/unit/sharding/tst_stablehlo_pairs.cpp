// Ops of StableHLO that order elements: which comparisons are understood, and several tensors that go together (argsort, argmax, indices of top_k).
#include "core/sharding/execute/prove.h"
#include "core/sharding/partition/partition.h"
#include "core/sharding/stablehlo/readstablehlo.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A program over %a, [8, 16], whose columns lie along "y".
std::string pairsProgram(const std::string& ops, const std::string& result)
{
    return "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\nfunc.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"y\"}]>}) -> " + result + " {\n" + ops + "}\n";
}

std::string sortBy(const std::string& comparison)
{
    return pairsProgram("  %0 = \"stablehlo.sort\"(%a) <{dimension = 0 : i64, is_stable = true}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n" + comparison
                            + "    stablehlo.return %s : tensor<i1>\n  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n",
        "tensor<8x16xf32>");
}

std::string compareText(const std::string& name, const std::string& direction, const std::string& a, const std::string& b)
{
    return "    " + name + " = stablehlo.compare  " + direction + ", " + a + ", " + b + ",  TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n";
}

/// The largest of each row and where it stands, as jnp.argmax prints it; `better` and `tie`: which values and indices go before others.
std::string argumentOf(const std::string& better, const std::string& tie, const std::string& least)
{
    return pairsProgram("  %i = stablehlo.iota dim = 1 : tensor<8x16xi32>\n  %v = stablehlo.constant dense<" + least + "> : tensor<f32>\n  %c = stablehlo.constant dense<0> : tensor<i32>\n"
                        "  %0:2 = stablehlo.reduce(%a init: %v), (%i init: %c) across dimensions = [1] : (tensor<8x16xf32>, tensor<8x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)\n"
                        "   reducer(%p: tensor<f32>, %q: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>)  {\n    %1 = stablehlo.compare  " + better + ", %p, %q,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                        "    %2 = stablehlo.compare  NE, %p, %p,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    %3 = stablehlo.or %1, %2 : tensor<i1>\n    %4 = stablehlo.compare  EQ, %p, %q,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                        "    %5 = stablehlo.compare  " + tie + ", %m, %n,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    %6 = stablehlo.and %4, %5 : tensor<i1>\n    %7 = stablehlo.or %3, %6 : tensor<i1>\n"
                        "    %8 = stablehlo.select %3, %p, %q : tensor<i1>, tensor<f32>\n    %9 = stablehlo.select %7, %m, %n : tensor<i1>, tensor<i32>\n    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>\n  }\n  return %0#1 : tensor<8xi32>\n",
        "tensor<8xi32>");
}

/// "sort; reverse": words of the ops of a program that is proved by execution; else what is said instead.
QString provedOps(const std::string& text)
{
    const auto problem = readStableHloText(text, "case.mlir");
    if (!problem)
        return QString::fromStdString(problem.error().text());
    const auto plan = partition(problem.value());
    const auto proof = plan ? proveByExecution(problem.value().graph, plan.value().program) : Result<ExecutionProof>(plan.error());
    if (!proof || !proof.value().equal())
        return proof ? "not equal" : QString::fromStdString(proof.error().text());
    QStringList words;
    for (const GraphOp& op : problem.value().graph.ops)
        words << QString::fromStdString(std::string(wordOf(op.kind)) + (op.kind == GraphOpKind::Map ? " " + op.function : std::string()));
    return words.join("; ");
}

/// Bytes a device sends.
std::int64_t sentBytes(const std::string& text)
{
    const auto problem = readStableHloText(text, "case.mlir");
    const auto plan = partition(problem.value());
    std::int64_t sent = 0;
    for (const ProgramStep& step : plan.value().program.steps)
        sent += isCollective(step.kind) ? step.sent : 0;
    return sent;
}

} // namespace

class StableHloPairsTest : public QObject {
    Q_OBJECT

private slots:
    void aComparisonIsUnderstoodByWhatItSays_data()
    {
        QTest::addColumn<QString>("comparison");
        QTest::addColumn<QString>("ops");
        const auto row = [](const char* name, const std::string& comparison, const char* ops) { QTest::newRow(name) << QString::fromStdString(comparison) << ops; };
        const std::string zero = "    %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n    %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>\n";
        /// Zeros of both signs and what is no number are made alike, as jax.lax.sort does.
        const auto alike = [](const std::string& of, const std::string& made) {
            return compareText(made + "0", "EQ", of, "%z") + "    " + made + "1 = stablehlo.select " + made + "0, %z, " + of + " : tensor<i1>, tensor<f32>\n" + compareText(made + "2", "NE", of, of) + "    " + made + " = stablehlo.select " + made + "2, %nan, " + made
                + "1 : tensor<i1>, tensor<f32>\n";
        };
        row("rising", compareText("%s", "LT", "%x", "%y"), "sort");
        row("falling", compareText("%s", "GT", "%x", "%y"), "sort; reverse");
        row("rising, the other way round", compareText("%s", "GT", "%y", "%x"), "sort");
        row("falling, as JAX prints it", zero + alike("%x", "%p") + alike("%y", "%q") + compareText("%s", "GT", "%p", "%q"), "sort; reverse");
        row("falling by negation", "    %p = stablehlo.negate %x : tensor<f32>\n    %q = stablehlo.negate %y : tensor<f32>\n" + compareText("%s", "LT", "%p", "%q"), "sort; reverse");
        const char* const refused = "case.mlir:3:8: op %0 (stablehlo.sort): its comparison is not read (expected elements rising or falling)";
        row("by magnitude", "    %p = stablehlo.abs %x : tensor<f32>\n    %q = stablehlo.abs %y : tensor<f32>\n" + compareText("%s", "LT", "%p", "%q"), refused);
        row("by a function that is not computed", "    %p = stablehlo.cosine %x : tensor<f32>\n" + compareText("%s", "LT", "%p", "%y"), refused);
        row("equal ones first", compareText("%s", "EQ", "%x", "%y"), refused);
        row("without a comparison", "    %s = stablehlo.constant dense<true> : tensor<i1>\n", refused);
    }
    void aComparisonIsUnderstoodByWhatItSays()
    {
        QFETCH(const QString, comparison);
        QFETCH(const QString, ops);
        QCOMPARE(provedOps(sortBy(comparison.toStdString())), ops);
    }

    void tensorsThatAreSortedTogetherGoTogether()
    {
        const auto sort = [](const std::string& comparison) {
            return pairsProgram("  %i = stablehlo.iota dim = 1 : tensor<8x16xi32>\n  %0:2 = \"stablehlo.sort\"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %m: tensor<i32>, %n: tensor<i32>):\n" + comparison
                                    + "    stablehlo.return %s : tensor<i1>\n  }) : (tensor<8x16xf32>, tensor<8x16xi32>) -> (tensor<8x16xf32>, tensor<8x16xi32>)\n  return %0#1 : tensor<8x16xi32>\n",
                "tensor<8x16xi32>");
        };
        for (const char* direction : {"LT", "GT"})
            QCOMPARE(provedOps(sort(compareText("%s", direction, "%x", "%y"))), "map pack; sort; map unpack 0; map unpack 1");
        QVERIFY(provedOps(sort("    %s = stablehlo.compare  LT, %m, %n,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n")).endsWith("its comparison is not read (expected the first tensor rising or falling)"));
    }

    void theLargestAndItsPlaceGoTogether()
    {
        const char* const ops = "map pack; reduce; map unpack 0; map unpack 1";
        QCOMPARE(provedOps(argumentOf("GT", "LT", "0xFF800000")), ops);
        QCOMPARE(provedOps(argumentOf("LT", "LT", "0x7F800000")), ops);
        // Eight pairs of 8 bytes, reduced over four devices: 2 (4 - 1) / 4 of 64 bytes.
        QCOMPARE(sentBytes(argumentOf("GT", "LT", "0xFF800000")), std::int64_t{96});
        QVERIFY(provedOps(argumentOf("GT", "LT", "0.0")).contains("its initial value is not read"));
        // Of equal ones the one that stands first among the operands: that hangs on the order in which pairs are joined.
        QVERIFY(provedOps(argumentOf("GT", "EQ", "0xFF800000")).contains("several tensors at once is not read"));
        QVERIFY(provedOps(argumentOf("EQ", "LT", "0xFF800000")).contains("several tensors at once is not read"));
    }

    void indicesOfTheLargestAreReadWhereTheyAreUsed()
    {
        const auto top = [](const std::string& returned, const std::string& type) { return pairsProgram("  %values, %indices = chlo.top_k(%a, k = 3) : tensor<8x16xf32> -> (tensor<8x3xf32>, tensor<8x3xi32>)\n  return " + returned + " : " + type + "\n", type); };
        QCOMPARE(provedOps(top("%values", "tensor<8x3xf32>")), "top_k");
        QCOMPARE(provedOps(top("%indices", "tensor<8x3xi32>")), "map pack; top_k; map unpack 0; map unpack 1");
        const auto called = [](const std::string& largest, const std::string& type, const std::string& index) {
            return pairsProgram("  %0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 3 : i64, largest = " + largest + "}, mhlo.version = 1 : i64} : (tensor<8x16xf32>) -> (tensor<8x3xf32>, tensor<8x3xi32>)\n  return %0#" + index + " : " + type + "\n", type);
        };
        QCOMPARE(provedOps(called("true", "tensor<8x3xi32>", "1")), "map pack; top_k; map unpack 0; map unpack 1");
        QCOMPARE(provedOps(called("true", "tensor<8x3xf32>", "0")), "top_k");
        QVERIFY(provedOps(called("false", "tensor<8x3xf32>", "0")).contains("the least are not read"));
        // Three candidates of each of four devices, pairs of 8 bytes in eight rows: each device gets those of three others.
        QCOMPARE(sentBytes(top("%indices", "tensor<8x3xi32>")), std::int64_t{3 * 3 * 8 * 8});
    }
};

FABRICSCOPE_TEST(StableHloPairsTest)
#include "tst_stablehlo_pairs.moc"
