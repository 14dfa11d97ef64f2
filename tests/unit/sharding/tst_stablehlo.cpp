// StableHLO programs: the same answers as the graphs written as files, shardings in both notations, what is refused.
#include "core/sharding/execute/prove.h"
#include "core/sharding/partition/partition.h"
#include "core/sharding/stablehlo/readstablehlo.h"
#include "core/sharding/stablehlo/tilings.h"
#include "hloprograms.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

ShardProblem problemIn(const std::string& text)
{
    auto problem = readShardInput(text, "case");
    if (!problem)
        qFatal("%s", problem.error().text().c_str());
    return std::move(problem).value();
}

/// "all_reduce x,y 2048" of all that communicates, without names of tensors.
QString movedBy(const PartitionedProgram& program)
{
    QStringList all;
    for (const ProgramStep& step : program.steps) {
        if (isCollective(step.kind) && step.kind != StepKind::Slice)
            all << QString::fromStdString(std::string(wordOf(step.kind)) + " " + std::to_string(step.sent));
    }
    return all.join("; ");
}

/// Layout of a tensor after propagation: "[x, -]".
QString layoutOf(const ShardProblem& problem, const std::string& name)
{
    const auto plan = partition(problem);
    const auto id = problem.graph.find(name);
    if (!plan || !id)
        return plan ? "no tensor" : QString::fromStdString(plan.error().text());
    QStringList dims;
    for (const AxisList& list : plan.value().propagated[static_cast<std::size_t>(*id)])
        dims << (list.empty() ? "-" : QString::fromStdString(axesText(problem.mesh, list)));
    return dims.join(" | ");
}

/// A program of one argument that is returned, with a sharding.
std::string annotated(const std::string& type, const std::string& sharding, const std::string& mesh = {})
{
    return mesh + "func.func @main(%arg0: tensor<" + type + "> {" + sharding + "}) -> tensor<" + type + "> {\n  return %arg0 : tensor<" + type + ">\n}\n";
}

std::string tiled(const std::string& type, const std::string& sharding)
{
    return annotated(type, "mhlo.sharding = \"" + sharding + "\"");
}

/// A program of one op: arguments %a and %b, result %0.
std::string oneOp(const std::string& op, const std::string& a = "4x6xf32", const std::string& b = "6x8xf32", const std::string& result = "4x8xf32")
{
    return "func.func @main(%a: tensor<" + a + ">, %b: tensor<" + b + ">) -> tensor<" + result + "> {\n  %c = stablehlo.constant dense<0.0> : tensor<f32>  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>\n  %0 = " + op + " -> tensor<" + result
        + ">\n  return %0 : tensor<" + result + ">\n}\n";
}

} // namespace

class StableHloTest : public QObject {
    Q_OBJECT

private slots:
    void aProgramGivesTheAnswerOfItsGraph_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("moved");
        // 4 x 8 x 32 elements of 2 bytes, 2 (p - 1) / p of them for p = 2.
        QTest::newRow("two layers") << kHloBlock << kYamlBlock << "all_reduce 2048";
        // 2 x 8 x 16 elements of 4 bytes, 2 (p - 1) / p of them for p = 4.
        QTest::newRow("attention") << kHloAttention << kYamlAttention << "all_reduce 1536";
        // A row of 2 x 8 x 3 elements of 4 bytes to each neighbour.
        QTest::newRow("convolution") << kHloConvolution << kYamlConvolution << "halo_exchange 384";
        // Rows of other devices are masked and summed: 8 x 16 x 16 elements of 4 bytes, p = 4. Each device scatters what is its own.
        QTest::newRow("embedding") << kHloEmbedding << kYamlEmbedding << "all_reduce 12288";
    }
    void aProgramGivesTheAnswerOfItsGraph()
    {
        QFETCH(QString, program);
        QFETCH(QString, graph);
        QFETCH(QString, moved);
        const ShardProblem read = problemIn(program.toStdString());
        const auto plan = partition(read);
        QVERIFY(plan);
        QCOMPARE(movedBy(plan.value().program), moved);
        const auto same = partition(problemIn(graph.toStdString()));
        QVERIFY(same);
        QCOMPARE(movedBy(same.value().program), moved);
        // Ops in the same order with the same layouts; inputs come where the text has them.
        std::vector<std::vector<AxisList>> layouts[2];
        for (const auto& [list, one] : {std::pair{&layouts[0], &plan.value()}, std::pair{&layouts[1], &same.value()}}) {
            for (const GraphOp& op : one->program.graph.ops)
                list->push_back(one->propagated[static_cast<std::size_t>(op.output)]);
        }
        QVERIFY(layouts[0] == layouts[1]);
        const auto proof = proveByExecution(read.graph, plan.value().program);
        QVERIFY(proof && proof.value().equal());
    }

    void aShardingOfShardyIsReadAsItIs_data()
    {
        QTest::addColumn<QString>("sharding");
        QTest::addColumn<QString>("layout");
        QTest::addColumn<QString>("closed");
        QTest::newRow("closed") << "@mesh, [{\"x\"}, {}]" << "x | -" << "11";
        QTest::newRow("open") << "@mesh, [{\"x\", ?}, {?}]" << "x | -" << "00";
        QTest::newRow("two axes") << "@mesh, [{\"y\", \"x\"}, {}]" << "y, x | -" << "11";
        QTest::newRow("sub-axes") << "@mesh, [{\"x\":(1)2}, {\"x\":(2)2}]" << "x:(1)2 | x:(2)2" << "11";
        QTest::newRow("sub-axes that make an axis") << "@mesh, [{\"x\":(1)2, \"x\":(2)2}, {}]" << "x | -" << "11";
        QTest::newRow("priority") << "@mesh, [{\"x\"}p1, {?}p0]" << "x | -" << "10";
        QTest::newRow("inlined mesh") << "mesh<[\"x\"=4, \"y\"=2]>, [{\"x\"}, {}]" << "x | -" << "11";
        QTest::newRow("one device") << "@one, [{}, {}]" << "- | -" << "11";
    }
    void aShardingOfShardyIsReadAsItIs()
    {
        QFETCH(QString, sharding);
        QFETCH(QString, layout);
        QFETCH(QString, closed);
        const ShardProblem problem = problemIn(annotated("8x16xf32", "sdy.sharding = #sdy.sharding<" + sharding.toStdString() + ">", "sdy.mesh @one = <[], device_ids=[0]>\nsdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\n"));
        QCOMPARE(layoutOf(problem, "%arg0"), layout);
        QCOMPARE(problem.annotations.size(), std::size_t{1});
        QString flags;
        for (const char flag : problem.annotations[0].closed)
            flags += flag ? '1' : '0';
        QCOMPARE(flags, closed);
    }

    /// P.UNCONSTRAINED of JAX: a dim of a constraint that may be cut as what is around it wants.
    void aDimThatIsNotSpecifiedStaysOpen()
    {
        const auto program = [](const std::string& config) {
            return problemIn("func.func @main(%a: tensor<8x16xf32> {mhlo.sharding = \"{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}\"}) -> tensor<8x16xf32> {\n  %0 = stablehlo.custom_call @Sharding(%a) {" + config
                             + "mhlo.sharding = \"{devices=[2,1,4]<=[8] last_tile_dim_replicate}\"} : (tensor<8x16xf32>) -> tensor<8x16xf32>\n  return %0 : tensor<8x16xf32>\n}\n");
        };
        QCOMPARE(layoutOf(program("backend_config = \"\", "), "%0"), "axis_0 | -");
        QCOMPARE(layoutOf(program("backend_config = \"unspecified_dims=[1]\", "), "%0"), "axis_0 | axis_1");
    }

    void bytesBehindTheModuleAreSkipped()
    {
        const std::string module = std::string("module @m {\n") + "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %c = stablehlo.constant dense_resource<blob> : tensor<2xf32>\n  %0 = stablehlo.add %a, %c : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n}\n";
        QCOMPARE(problemIn(module + "{-#\n  dialect_resources: {\n    builtin: {\n      blob: \"0x04000000000080\"\n    }\n  }\n#-}\n").graph.ops.size(), std::size_t{1});
        const auto cut = readStableHloText(module + "{-#\n  dialect_resources: {\n", "case.mlir");
        QVERIFY(!cut && QString::fromStdString(cut.error().text()).contains("the resources have no end"));
    }

    void whatIsDrawnIsAnInput()
    {
        const ShardProblem problem = problemIn("sdy.mesh @mesh = <[\"x\"=3]>\nfunc.func @main(%a: tensor<2xui64>, %b: tensor<9x6xui32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> tensor<9x6xf32> {\n"
                                               "  %state, %bits = stablehlo.rng_bit_generator %a, algorithm =  THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<9x6xui32>)\n  %1 = stablehlo.xor %bits, %b : tensor<9x6xui32>\n"
                                               "  %2 = stablehlo.bitcast_convert %1 : (tensor<9x6xui32>) -> tensor<9x6xf32>\n  return %2 : tensor<9x6xf32>\n}\n");
        QCOMPARE(layoutOf(problem, "%state.bits"), "x | -");
        QCOMPARE(layoutOf(problem, "%2"), "x | -");
        QVERIFY(problem.graph.tensor(*problem.graph.find("%state.bits")).producer < 0);
    }

    void whereATensorIsStoredSaysNothingOfDevices()
    {
        for (const char* target : {"LayoutConstraint", "annotate_device_placement"})
            QCOMPARE(problemIn(oneOp(std::string("stablehlo.custom_call @") + target + "(%a) {has_side_effect = true} : (tensor<4x6xf32>)", "4x6xf32", "1xf32", "4x6xf32")).graph.ops.size(), std::size_t{0});
    }

    void axesThatStayAndPartialSumsAreRead()
    {
        const ShardProblem problem = problemIn(annotated("8xf32", "sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={\"x\":(1)2}, unreduced={\"y\"}>", "sdy.mesh @mesh = <[\"x\"=4, \"y\"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>\n"));
        QCOMPARE(axesText(problem.mesh, problem.annotations[0].replicated), std::string("x:(1)2"));
        QCOMPARE(axesText(problem.mesh, problem.annotations[0].unreduced), std::string("y"));
        QCOMPARE(problem.mesh.deviceAt(0), 7);
    }

    /// Which part a device has follows from the notation: position in the (transposed) list, major to minor over the tiles.
    void aTilingPutsPartsWhereItSays_data()
    {
        QTest::addColumn<QString>("sharding");
        QTest::addColumn<QString>("parts"); // Per device: index in dim 0, in dim 1.
        QTest::newRow("iota") << "{devices=[2,4]<=[8]}" << "00 01 02 03 10 11 12 13";
        QTest::newRow("transposed") << "{devices=[4,2]<=[2,4]T(1,0)}" << "00 10 20 30 01 11 21 31";
        QTest::newRow("copies") << "{devices=[2,1,4]<=[8] last_tile_dim_replicate}" << "00 00 00 00 10 10 10 10";
        QTest::newRow("copies, transposed") << "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}" << "00 01 02 03 00 01 02 03";
        QTest::newRow("copies by name") << "{devices=[2,1,4]<=[8] last_tile_dims={replicated}}" << "00 00 00 00 10 10 10 10";
        QTest::newRow("listed") << "{devices=[2,2]0,2,1,3}" << "00 10 01 11";
        QTest::newRow("listed, no order of digits") << "{devices=[4,1]0,1,3,2}" << "00 10 30 20";
        QTest::newRow("a digit over two dims") << "{devices=[3,4]<=[12]}" << "00 01 02 03 10 11 12 13 20 21 22 23";
    }
    void aTilingPutsPartsWhereItSays()
    {
        QFETCH(QString, sharding);
        QFETCH(QString, parts);
        const ShardProblem problem = problemIn(tiled("12x12xf32", sharding.toStdString()));
        QCOMPARE(problem.annotations.size(), std::size_t{1});
        const auto& dims = *problem.annotations[0].dims;
        QStringList found(static_cast<int>(problem.mesh.devices()));
        for (std::int64_t q = 0; q < problem.mesh.devices(); ++q)
            found[problem.mesh.deviceAt(q)] = QString::number(shardIndex(problem.mesh, dims[0], q)) + QString::number(shardIndex(problem.mesh, dims[1], q));
        QCOMPARE(found.join(' '), parts);
    }

    void tilingsOfOneProgramShareAMesh()
    {
        // Cuts at 4 of one and at 2 of the other: axes of 2, 2 and 2.
        const ShardProblem problem = problemIn("func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = \"{devices=[2,4]<=[8]}\"}, %b: tensor<8x8xf32> {mhlo.sharding = \"{devices=[4,2]<=[8]}\"}, "
                                               "%c: tensor<8xf32> {mhlo.sharding = \"{replicated}\"}, %d: tensor<f32> {mhlo.sharding = \"{maximal device=0}\"}) -> tensor<8xf32> {\n  return %c : tensor<8xf32>\n}\n");
        QCOMPARE(problem.mesh.axes.size(), std::size_t{3});
        QCOMPARE(axesText(problem.mesh, (*problem.annotations[0].dims)[1]), std::string("axis_1, axis_2"));
        QCOMPARE(axesText(problem.mesh, (*problem.annotations[1].dims)[0]), std::string("axis_0, axis_1"));
        QCOMPARE(problem.notes.size(), std::size_t{1});
        QCOMPARE(problem.notes[0].rule, std::string("maximal-sharding"));
    }

    /// An annotation goes to what is constrained where nobody else looks at that, else to a copy.
    void aConstraintShardsItsOperandOrACopy()
    {
        const auto program = [](const std::string& line, const std::string& use) {
            return "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {\n  %0 = stablehlo.tanh %arg0 : tensor<8x4xf32>\n  %1 = " + line
                + " : tensor<8x4xf32>\n  %2 = stablehlo.add %1, " + use + " : tensor<8x4xf32>\n  return %2 : tensor<8x4xf32>\n}\n";
        };
        for (const char* const line : {"sdy.sharding_constraint %0 <@mesh, [{\"x\"}, {}]>", "sdy.all_slice [{\"x\"}, {}] %0 out_sharding=<@mesh, [{\"x\"}, {}]>", "sdy.reshard %0 <@mesh, [{\"x\"}, {}]>"}) {
            const ShardProblem alone = problemIn(program(line, "%1"));
            QCOMPARE(alone.graph.ops.size(), std::size_t{2});
            QCOMPARE(alone.annotations[0].tensor, *alone.graph.find("%0"));
            const ShardProblem shared = problemIn(program(line, "%0"));
            QCOMPARE(shared.graph.ops.size(), std::size_t{3});
            QCOMPARE(shared.annotations[0].tensor, *shared.graph.find("%1"));
        }
    }

    void bothFormsOfAnOpAreTheSame_data()
    {
        QTest::addColumn<QString>("pretty");
        QTest::addColumn<QString>("generic");
        const auto row = [](const char* name, const std::string& pretty, const std::string& generic) { QTest::newRow(name) << QString::fromStdString(pretty) << QString::fromStdString(generic); };
        row("dot_general", oneOp("stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x8xf32>)"),
            oneOp("\"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = []}> : (tensor<4x6xf32>, tensor<6x8xf32>)"));
        row("transpose", oneOp("stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>)", "4x6xf32", "1xf32", "6x4xf32"),
            oneOp("\"stablehlo.transpose\"(%a) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<4x6xf32>)", "4x6xf32", "1xf32", "6x4xf32"));
        row("slice", oneOp("stablehlo.slice %a [1:4, 0:6:2] : (tensor<4x6xf32>)", "4x6xf32", "1xf32", "3x3xf32"),
            oneOp("\"stablehlo.slice\"(%a) <{start_indices = array<i64: 1, 0>, limit_indices = array<i64: 4, 6>, strides = array<i64: 1, 2>}> : (tensor<4x6xf32>)", "4x6xf32", "1xf32", "3x3xf32"));
        row("pad", oneOp("stablehlo.pad %a, %c, low = [1, 0], high = [0, 2], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>)", "4x6xf32", "1xf32", "5x8xf32"),
            oneOp("\"stablehlo.pad\"(%a, %c) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 2>, interior_padding = array<i64: 0, 0>}> : (tensor<4x6xf32>, tensor<f32>)", "4x6xf32", "1xf32", "5x8xf32"));
        row("concatenate", oneOp("stablehlo.concatenate %a, %b, dim = 1 : (tensor<4x6xf32>, tensor<4x2xf32>)", "4x6xf32", "4x2xf32"),
            oneOp("\"stablehlo.concatenate\"(%a, %b) <{dimension = 1 : i64}> : (tensor<4x6xf32>, tensor<4x2xf32>)", "4x6xf32", "4x2xf32"));
        row("compare", oneOp("stablehlo.compare  LT, %a, %b,  FLOAT : (tensor<4xf32>, tensor<4xf32>)", "4xf32", "4xf32", "4xi1"),
            oneOp("\"stablehlo.compare\"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xf32>, tensor<4xf32>)", "4xf32", "4xf32", "4xi1"));
        row("reduce", oneOp("stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>)", "4x6xf32", "1xf32", "4xf32"),
            oneOp("\"stablehlo.reduce\"(%a, %c) <{dimensions = array<i64: 1>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.add %x, %y : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : (tensor<4x6xf32>, tensor<f32>)", "4x6xf32", "1xf32", "4xf32"));
        row("convolution", oneOp("stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<2x3x5xf32>)", "2x9x3xf32", "2x3x5xf32", "2x5x5xf32"),
            oneOp("\"stablehlo.convolution\"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<2x3x5xf32>)", "2x9x3xf32", "2x3x5xf32", "2x5x5xf32"));
    }
    void bothFormsOfAnOpAreTheSame()
    {
        QFETCH(QString, pretty);
        QFETCH(QString, generic);
        const ShardProblem a = problemIn(pretty.toStdString());
        const ShardProblem b = problemIn(generic.toStdString());
        QCOMPARE(a.graph.ops.size(), b.graph.ops.size());
        for (std::size_t i = 0; i < a.graph.ops.size(); ++i) {
            const GraphOp& x = a.graph.ops[i];
            const GraphOp& y = b.graph.ops[i];
            QVERIFY(x.kind == y.kind && x.inputs == y.inputs && x.letters == y.letters && x.shape == y.shape && x.dims == y.dims && x.starts == y.starts && x.limits == y.limits && x.strides == y.strides
                    && x.low == y.low && x.high == y.high && x.windows == y.windows && x.dim == y.dim && x.reduce == y.reduce && x.type == y.type);
        }
    }

    void everyOpIsProvedByExecution_data()
    {
        QTest::addColumn<QString>("program");
        const auto row = [](const char* name, const std::string& text) { QTest::newRow(name) << QString::fromStdString(text); };
        const auto sharded = [](const std::string& op, const std::string& a, const std::string& b, const std::string& result) {
            std::string text = oneOp(op, a, b, result);
            return "sdy.mesh @mesh = <[\"x\"=3]>\n" + text.replace(text.find("> {"), 0, "").replace(text.find(">,"), 1, "> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}, {}, {}]>}");
        };
        row("max pooling, channels first", sharded("\"stablehlo.reduce_window\"(%a, %least) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.maximum %x, %y : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : (tensor<5x2x8x6xf32>, tensor<f32>)", "5x2x8x6xf32", "1xf32", "5x2x4x3xf32"));
        row("sum of all before", sharded("\"stablehlo.reduce_window\"(%a, %c) <{window_dimensions = array<i64: 1, 1, 8, 1>, padding = dense<[[0, 0], [0, 0], [7, 0], [0, 0]]> : tensor<4x2xi64>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.add %x, %y : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : (tensor<5x2x8x6xf32>, tensor<f32>)", "5x2x8x6xf32", "1xf32", "5x2x8x6xf32"));
        row("clamp", sharded("stablehlo.clamp %c, %a, %c : (tensor<f32>, tensor<5x2x8x6xf32>, tensor<f32>)", "5x2x8x6xf32", "1xf32", "5x2x8x6xf32"));
        row("falling sort", sharded("\"stablehlo.sort\"(%a) <{dimension = 0 : i64, is_stable = true}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.compare  GT, %x, %y,  TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %s : tensor<i1>\n  }) : (tensor<5x2x8x6xf32>)", "5x2x8x6xf32", "1xf32", "5x2x8x6xf32"));
        row("reduction from a value", sharded("stablehlo.reduce(%a init: %c) applies stablehlo.minimum across dimensions = [0, 2] : (tensor<5x2x8x6xf32>, tensor<f32>)", "5x2x8x6xf32", "1xf32", "2x6xf32"));
        row("gather along the last dim", sharded("\"stablehlo.gather\"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2], collapsed_slice_dims = [3], start_index_map = [3], index_vector_dim = 1>, slice_sizes = array<i64: 5, 2, 8, 1>}> : (tensor<5x2x8x6xf32>, tensor<4xi32>)", "5x2x8x6xf32", "4xi32", "5x2x8x4xf32"));
        row("gather with rows in front", sharded("\"stablehlo.gather\"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 8, 6>}> : (tensor<5x2x8x6xf32>, tensor<4x1xi32>)", "5x2x8x6xf32", "4x1xi32", "2x8x6x4xf32"));
        row("the largest, as JAX prints them", "sdy.mesh @mesh = <[\"x\"=3]>\nfunc.func @main(%a: tensor<5x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}) -> tensor<5x3xf32> {\n"
                                               "  %values, %indices = chlo.top_k(%a, k = 3) : tensor<5x8xf32> -> (tensor<5x3xf32>, tensor<5x3xi32>)\n  return %values : tensor<5x3xf32>\n}\n");
        row("functions without a name here", sharded("stablehlo.power %a, %a : (tensor<5x2x8x6xf32>, tensor<5x2x8x6xf32>)", "5x2x8x6xf32", "1xf32", "5x2x8x6xf32"));
    }
    void everyOpIsProvedByExecution()
    {
        QFETCH(QString, program);
        const ShardProblem problem = problemIn(program.toStdString());
        const auto plan = partition(problem);
        QVERIFY(plan);
        const auto proof = proveByExecution(problem.graph, plan.value().program);
        QVERIFY2(proof, proof ? "" : proof.error().text().c_str());
        QVERIFY(proof.value().equal());
    }

    void whatIsNotReadIsNamedWithItsLine_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const std::string& text, int line, const char* words) { QTest::newRow(name) << QString::fromStdString(text) << line << words; };
        row("an op", oneOp("stablehlo.uniform_quantize %a : (tensor<4x6xf32>)"), 3, "op stablehlo.uniform_quantize is not read");
        row("a loop of nothing", oneOp("stablehlo.while(%x = %a) : (tensor<4x6xf32>)"), 3, "a type is needed here");
        row("a difference of elements", oneOp("stablehlo.reduce(%a init: %c) applies stablehlo.subtract across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>)"), 3, "function that is not read");
        row("a wrong type", oneOp("stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>)", "4x6xf32", "6x8xf32", "4x9xf32"), 3, "comes out as [4, 8]");
        row("dims that do not fit", oneOp("stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<4x6xf32>, tensor<6x8xf32>)"), 3, "letter a has sizes 6 and 8");
        row("a dim twice", oneOp("stablehlo.dot_general %a, %b, contracting_dims = [1, 1] x [0, 1] : (tensor<4x6xf32>, tensor<6x8xf32>)"), 3, "its dims do not fit");
        row("a value that is not there", oneOp("stablehlo.add %a, %z : (tensor<4x6xf32>, tensor<4x6xf32>)"), 3, "%z is not known here");
        row("a call of nothing", oneOp("func.call @f(%a) : (tensor<4x6xf32>)"), 3, "no function is named @f");
        row("another custom call", oneOp("stablehlo.custom_call @xla.sdy.FuncResultSharding(%a) : (tensor<4x6xf32>)", "4x6xf32", "1xf32", "4x6xf32"), 3, "a call of @xla.sdy.FuncResultSharding is not read");
        row("an unknown size", "func.func @main(%a: tensor<?x4xf32>) {\n  return\n}\n", 1, "unknown size");
        row("complex numbers of another size", "func.func @main(%a: tensor<4xcomplex<f16>>) {\n  return\n}\n", 1, "complex<f16>");
        row("an axis that is not there", annotated("8xf32", "sdy.sharding = #sdy.sharding<@mesh, [{\"z\"}]>", "sdy.mesh @mesh = <[\"x\"=4]>\n"), 2, "no axis of the mesh is");
        row("an axis twice", annotated("8x8xf32", "sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"x\"}]>", "sdy.mesh @mesh = <[\"x\"=4]>\n"), 2, "used twice");
        row("a part that is none", annotated("8xf32", "sdy.sharding = #sdy.sharding<@mesh, [{\"x\":(3)2}]>", "sdy.mesh @mesh = <[\"x\"=4]>\n"), 2, "no part of axis x");
        row("too many dims", annotated("8xf32", "sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>", "sdy.mesh @mesh = <[\"x\"=4]>\n"), 2, "has 2 dims");
        row("no such mesh", annotated("8xf32", "sdy.sharding = #sdy.sharding<@other, [{}]>", "sdy.mesh @mesh = <[\"x\"=4]>\n"), 2, "no mesh is named @other");
        row("other devices", tiled("8xf32", "{devices=[4]0,1,2,2}"), 1, "no order of 4");
        row("manual devices", tiled("8xf32", "{devices=[2,4]<=[8] last_tile_dims={manual}}"), 1, "kind manual");
        row("other tiles", tiled("8xf32", "{devices=[2,4]<=[8]}"), 1, "is for 2 dims");
        row("too many devices", tiled("8xf32", "{devices=[100000000]<=[100000000]}"), 1, "tiles cannot be read");
        row("no function", "module {\n}\n", 0, "no function with a body");
        row("no module", "module @m {\n  hello\n}\n", 2, "hello");
    }
    void whatIsNotReadIsNamedWithItsLine()
    {
        QFETCH(QString, program);
        QFETCH(int, line);
        QFETCH(QString, words);
        const auto problem = readStableHloText(program.toStdString(), "case.mlir");
        QVERIFY(!problem);
        const QString said = QString::fromStdString(problem.error().text());
        QVERIFY2(said.contains(words), qPrintable(said));
        QCOMPARE(problem.error().place.line, line);
        QCOMPARE(problem.error().place.file, std::string("case.mlir"));
    }

    void halfAProgramIsAnError()
    {
        for (const std::string text : {kHloBlock, kHloEmbedding}) {
            for (std::size_t length = 0; length + 2 < text.size(); length += 7)
                QVERIFY2(!readStableHloText(text.substr(0, length), "case.mlir"), text.substr(0, length).c_str());
            for (std::size_t at = 0; at < text.size(); at += 5) {
                std::string changed = text;
                changed[at] = "<>{}[]()\"%@#=,:x0"[at % 17];
                static_cast<void>(readStableHloText(changed, "case.mlir"));
            }
        }
    }

    void callsThatCallTwiceEndEarly()
    {
        // 2^40 calls of functions without an op, unless they are counted.
        std::string text = "func.func @f0(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}\n";
        for (int i = 1; i <= 30; ++i) {
            const std::string callee = "@f" + std::to_string(i - 1) + "(%";
            text += "func.func @" + (i == 30 ? std::string("main") : "f" + std::to_string(i)) + "(%a: tensor<f32>) -> tensor<f32> {\n  %0 = call " + callee + "a) : (tensor<f32>) -> tensor<f32>\n  %1 = call " + callee
                + "0) : (tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}\n";
        }
        const auto problem = readStableHloText(text, "case.mlir");
        QVERIFY(!problem);
        QVERIFY(problem.error().text().find("too many ops") != std::string::npos);
        const auto endless = readStableHloText("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = call @main(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n", "case.mlir");
        QVERIFY(!endless);
        QVERIFY(endless.error().text().find("nested too deep") != std::string::npos);
    }

    void meshAndOptionsAreReplaced()
    {
        const auto problem = readStableHloText(kHloBlock, "case.mlir", {{"mesh.x", "8"}, {"shard.options.strategy", "basic"}});
        QVERIFY2(problem, problem ? "" : problem.error().text().c_str());
        QCOMPARE(problem.value().mesh.devices(), std::int64_t{16});
        QVERIFY(!problem.value().options.aggressive);
        QVERIFY(!readStableHloText(kHloBlock, "case.mlir", {{"tensors.x", "8"}}));
        QVERIFY(!readStableHloText(kHloBlock, "case.mlir", {{"options.backwards", "true"}}));
    }

    void aFileOfOursIsNoProgram()
    {
        QVERIFY(!isStableHloText("# module\nfabricscope: 1\nshard: {}\n"));
        QVERIFY(isStableHloText("// Made by hand.\n#loc = loc(unknown)\nmodule {\n}\n"));
        QVERIFY(!isStableHloText("#a comment = of yaml\n"));
    }
};

FABRICSCOPE_TEST(StableHloTest)
#include "tst_stablehlo.moc"
