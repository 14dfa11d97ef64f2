// Ops of StableHLO that become several of the graph: padding of all kinds, windows, slices whose place is computed, elements of lines of a batch. What the graph computes is what the words of StableHLO say.
#include "core/sharding/execute/prove.h"
#include "core/sharding/execute/wholerun.h"
#include "core/sharding/partition/partition.h"
#include "core/sharding/stablehlo/readstablehlo.h"
#include "hloprograms.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

std::string listText(const std::vector<std::int64_t>& list, const char* between = ", ")
{
    std::string text;
    for (const std::int64_t number : list)
        text += (text.empty() ? "" : between) + std::to_string(number);
    return text;
}

std::string tensorText(const TensorShape& shape, const char* element = "f32")
{
    return "tensor<" + (shape.empty() ? std::string() : listText(shape, "x") + "x") + element + ">";
}

/// A tensor as it was run, by name.
DenseTensor ranTensor(const ShardProblem& problem, const std::string& name)
{
    const auto ran = runWhole(problem.graph, 3);
    const auto id = problem.graph.find(name);
    if (!ran || !id)
        qFatal("%s", ran ? ("no tensor " + name).c_str() : ran.error().text().c_str());
    return ran.value()[static_cast<std::size_t>(*id)];
}

bool isProved(const ShardProblem& problem)
{
    const auto plan = partition(problem);
    const auto proof = plan ? proveByExecution(problem.graph, plan.value().program) : Result<ExecutionProof>(plan.error());
    return proof && proof.value().equal();
}

std::size_t flatIndex(const TensorShape& shape, const TensorShape& index)
{
    std::int64_t at = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
        at = at * shape[d] + index[d];
    return static_cast<std::size_t>(at);
}

/// Calls `visit` with every index of a shape.
template <typename Visit>
void forEachIndex(const TensorShape& shape, const Visit& visit)
{
    const std::int64_t count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    for (std::int64_t flat = 0; flat < count; ++flat) {
        TensorShape index(shape.size());
        std::int64_t rest = flat;
        for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
            index[d] = rest % shape[d];
        visit(index);
    }
}

/// A mesh of one axis, the dim of an argument that lies along it.
std::string alongAxis(std::size_t dims, std::size_t dim)
{
    std::string text;
    for (std::size_t d = 0; d < dims; ++d)
        text += std::string(d ? ", " : "") + (d == dim ? "{\"x\"}" : "{?}");
    return " {sdy.sharding = #sdy.sharding<@mesh, [" + text + "]>}";
}

const std::string kAxis = "sdy.mesh @mesh = <[\"x\"=3]>\n";

} // namespace

class StableHloMovesTest : public QObject {
    Q_OBJECT

private slots:
    /// StableHLO: element i of the operand goes to low + i * (interior + 1); everything else is the padding.
    void paddingOfAllKindsPutsElementsWhereTheyGo()
    {
        for (const std::uint64_t seed : Seeds(41, cases(60))) {
            std::mt19937_64 random(seed);
            const auto draw = [&](int from, int to) { return std::uniform_int_distribution<std::int64_t>(from, to)(random); };
            const auto rank = static_cast<std::size_t>(draw(1, 3));
            TensorShape shape, made, low, high, between;
            for (std::size_t d = 0; d < rank; ++d) {
                shape.push_back(draw(2, 6));
                between.push_back(draw(0, 2));
                const std::int64_t spaced = shape[d] + (shape[d] - 1) * between[d];
                low.push_back(draw(-static_cast<int>(spaced - 1) / 2, 3));
                high.push_back(draw(-static_cast<int>(spaced - 1) / 2, 3));
                made.push_back(low[d] + spaced + high[d]);
            }
            const std::string text = kAxis + "func.func @main(%a: " + tensorText(shape) + alongAxis(rank, static_cast<std::size_t>(draw(0, static_cast<int>(rank) - 1))) + ") -> " + tensorText(made) + " {\n  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = stablehlo.pad %a, %c, low = ["
                + listText(low) + "], high = [" + listText(high) + "], interior = [" + listText(between) + "] : (" + tensorText(shape) + ", tensor<f32>) -> " + tensorText(made) + "\n  return %0 : " + tensorText(made) + "\n}\n";
            const ShardProblem problem = hloProblem(text);
            const DenseTensor operand = ranTensor(problem, "%a");
            const DenseTensor result = ranTensor(problem, "%0");
            QVERIFY(result.shape == made);
            forEachIndex(made, [&](const TensorShape& index) {
                Exact wanted{};
                TensorShape from(rank);
                bool there = true;
                for (std::size_t d = 0; d < rank; ++d) {
                    const std::int64_t at = index[d] - low[d];
                    there = there && at >= 0 && at % (between[d] + 1) == 0 && at / (between[d] + 1) < shape[d];
                    from[d] = at / (between[d] + 1);
                }
                if (there)
                    wanted = operand.values[flatIndex(shape, from)];
                QVERIFY2(result.values[flatIndex(made, index)] == wanted, text.c_str());
            });
            QVERIFY2(isProved(problem), text.c_str());
        }
    }

    /// A convolution of an operand with zeros between its elements, at the ends less than nothing: as written out by hand.
    void aDilatedOperandIsOneWithZerosBetween()
    {
        const std::string head = kAxis + "func.func @main(%a: tensor<2x5x4x2xf32>" + alongAxis(4, 1) + ", %k: tensor<3x2x2x3xf32>) -> ";
        const std::string numbers = "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = ";
        const std::string groups = " {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (";
        const ShardProblem dilated = hloProblem(head + "tensor<2x8x4x3xf32> {\n  %0 = stablehlo.convolution(%a, %k) " + numbers + "{pad = [[2, -1], [-1, 2]], lhs_dilate = [2, 1]}" + groups
                                                  + "tensor<2x5x4x2xf32>, tensor<3x2x2x3xf32>) -> tensor<2x8x4x3xf32>\n  return %0 : tensor<2x8x4x3xf32>\n}\n");
        const ShardProblem byHand = hloProblem(head + "tensor<2x8x4x3xf32> {\n  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %1 = stablehlo.pad %a, %c, low = [0, 2, -1, 0], high = [0, -1, 2, 0], interior = [0, 1, 0, 0] : (tensor<2x5x4x2xf32>, tensor<f32>) -> tensor<2x10x5x2xf32>\n"
                                                 "  %0 = stablehlo.convolution(%1, %k) " + numbers + "{}" + groups + "tensor<2x10x5x2xf32>, tensor<3x2x2x3xf32>) -> tensor<2x8x4x3xf32>\n  return %0 : tensor<2x8x4x3xf32>\n}\n");
        QVERIFY(ranTensor(dilated, "%0").values == ranTensor(byHand, "%0").values);
        QVERIFY(isProved(dilated));
    }

    /// Sums over windows of tensors of one to four dims, wherever the windows are; elements beyond the ends count nothing.
    void windowsMoveOverTheirDims()
    {
        for (const std::uint64_t seed : Seeds(47, cases(60))) {
            std::mt19937_64 random(seed);
            const auto draw = [&](std::int64_t from, std::int64_t to) { return std::uniform_int_distribution<std::int64_t>(from, to)(random); };
            const auto rank = static_cast<std::size_t>(draw(1, 4));
            TensorShape shape, made, size, stride, dilation;
            std::vector<std::int64_t> low;
            std::string pad;
            std::int64_t moving = draw(std::max<std::int64_t>(1, static_cast<std::int64_t>(rank) - 2), 2);
            for (std::size_t d = 0; d < rank; ++d) {
                const bool moves = moving > 0 && draw(0, static_cast<std::int64_t>(rank - d) - 1) < moving;
                moving -= moves ? 1 : 0;
                shape.push_back(draw(3, 7));
                size.push_back(moves ? draw(2, 3) : 1);
                stride.push_back(moves ? draw(1, 2) : 1);
                dilation.push_back(moves ? draw(1, 1 + (size[d] == 2 ? 1 : 0)) : 1);
                low.push_back(moves ? draw(0, 2) : 0);
                const std::int64_t high = moves ? draw(0, 2) : 0;
                pad += (d ? ", [" : "[") + std::to_string(low[d]) + ", " + std::to_string(high) + "]";
                made.push_back((shape[d] + low[d] + high - dilation[d] * (size[d] - 1) - 1) / stride[d] + 1);
            }
            const std::string text = kAxis + "func.func @main(%a: " + tensorText(shape) + alongAxis(rank, static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(rank) - 1))) + ") -> " + tensorText(made) + " {\n  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = \"stablehlo.reduce_window\"(%a, %c) <{window_dimensions = array<i64: "
                + listText(size) + ">, window_strides = array<i64: " + listText(stride) + ">, window_dilations = array<i64: " + listText(dilation) + ">, padding = dense<[" + pad + "]> : tensor<" + std::to_string(rank) + "x2xi64>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.add %x, %y : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : ("
                + tensorText(shape) + ", tensor<f32>) -> " + tensorText(made) + "\n  return %0 : " + tensorText(made) + "\n}\n";
            const ShardProblem problem = hloProblem(text);
            const DenseTensor operand = ranTensor(problem, "%a");
            const DenseTensor result = ranTensor(problem, "%0");
            QVERIFY(result.shape == made);
            forEachIndex(made, [&](const TensorShape& index) {
                Exact wanted{};
                forEachIndex(size, [&](const TensorShape& tap) {
                    TensorShape from(rank);
                    bool there = true;
                    for (std::size_t d = 0; d < rank; ++d) {
                        from[d] = index[d] * stride[d] - low[d] + tap[d] * dilation[d];
                        there = there && from[d] >= 0 && from[d] < shape[d];
                    }
                    if (there)
                        wanted += operand.values[flatIndex(shape, from)];
                });
                QVERIFY2(result.values[flatIndex(made, index)] == wanted, text.c_str());
            });
            QVERIFY2(isProved(problem), text.c_str());
        }
    }

    /// The gradient of pooling by maximum, channels first: one element of each window gets what comes back.
    void theLargestOfEachWindowIsGivenItsSource()
    {
        const ShardProblem problem = hloProblem(kAxis + "func.func @main(%a: tensor<2x3x4x6xf32>" + alongAxis(4, 1) + ", %s: tensor<2x3x2x3xf32>) -> tensor<2x3x4x6xf32> {\n  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
                                                          "  %0 = \"stablehlo.select_and_scatter\"(%a, %s, %c) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %1 = stablehlo.compare  GE, %x, %y,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %1 : tensor<i1>\n  }, {\n"
                                                          "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %1 = stablehlo.add %x, %y : tensor<f32>\n    stablehlo.return %1 : tensor<f32>\n  }) : (tensor<2x3x4x6xf32>, tensor<2x3x2x3xf32>, tensor<f32>) -> tensor<2x3x4x6xf32>\n  return %0 : tensor<2x3x4x6xf32>\n}\n");
        const DenseTensor source = ranTensor(problem, "%s");
        const DenseTensor result = ranTensor(problem, "%0");
        forEachIndex({2, 3, 2, 3}, [&](const TensorShape& window) {
            Exact sum{};
            int given = 0;
            for (const std::int64_t h : {0, 1}) {
                for (const std::int64_t w : {0, 1}) {
                    const Exact value = result.values[flatIndex({2, 3, 4, 6}, {window[0], window[1], 2 * window[2] + h, 2 * window[3] + w})];
                    sum += value;
                    given += value == Exact{} ? 0 : 1;
                }
            }
            const Exact wanted = source.values[flatIndex({2, 3, 2, 3}, window)];
            QVERIFY(sum == wanted && given == (wanted == Exact{} ? 0 : 1));
        });
        QVERIFY(isProved(problem));
    }

    void anUpdateAtAKnownPlaceReplacesWhatIsThere()
    {
        for (const std::uint64_t seed : Seeds(43, cases(60))) {
            std::mt19937_64 random(seed);
            const auto draw = [&](std::int64_t from, std::int64_t to) { return std::uniform_int_distribution<std::int64_t>(from, to)(random); };
            const auto rank = static_cast<std::size_t>(draw(1, 3));
            TensorShape shape, sizes, starts, places;
            std::string constants, names, types;
            for (std::size_t d = 0; d < rank; ++d) {
                shape.push_back(draw(1, 6));
                sizes.push_back(draw(1, shape[d]));
                starts.push_back(draw(-2, 7));
                places.push_back(std::clamp<std::int64_t>(starts[d], 0, shape[d] - sizes[d])); // StableHLO moves it into the tensor.
                constants += "  %c" + std::to_string(d) + " = stablehlo.constant dense<" + std::to_string(starts[d]) + "> : tensor<i32>\n";
                names += ", %c" + std::to_string(d);
                types += ", tensor<i32>";
            }
            const std::string whole = tensorText(shape);
            const std::string part = tensorText(sizes);
            const std::string text = kAxis + "func.func @main(%a: " + whole + alongAxis(rank, 0) + ", %u: " + part + ") -> (" + whole + ", " + part + ") {\n" + constants + "  %0 = stablehlo.dynamic_update_slice %a, %u" + names + " : (" + whole + ", " + part + types + ") -> " + whole
                + "\n  %1 = stablehlo.dynamic_slice %0" + names + ", sizes = [" + listText(sizes) + "] : (" + whole + types + ") -> " + part + "\n  return %0, %1 : " + whole + ", " + part + "\n}\n";
            const ShardProblem problem = hloProblem(text);
            const DenseTensor operand = ranTensor(problem, "%a");
            const DenseTensor update = ranTensor(problem, "%u");
            const DenseTensor result = ranTensor(problem, "%0");
            forEachIndex(shape, [&](const TensorShape& index) {
                TensorShape in(rank);
                bool inside = true;
                for (std::size_t d = 0; d < rank; ++d) {
                    in[d] = index[d] - places[d];
                    inside = inside && in[d] >= 0 && in[d] < sizes[d];
                }
                const Exact wanted = inside ? update.values[flatIndex(sizes, in)] : operand.values[flatIndex(shape, index)];
                QVERIFY2(result.values[flatIndex(shape, index)] == wanted, text.c_str());
            });
            QVERIFY2(ranTensor(problem, "%1").values == update.values, text.c_str()); // What was put there is what is taken from there.
            QVERIFY2(isProved(problem), text.c_str());
        }
    }

    /// Where the place is computed, the graph names rows by ids; the interpreter gives those any values, so it is the ops that are compared.
    void aSliceAtAComputedPlaceGathersRows()
    {
        const ShardProblem problem = hloProblem(kAxis + "func.func @main(%a: tensor<6x9x4xf32>" + alongAxis(3, 1) + ", %i: tensor<i32>) -> tensor<6x2x4xf32> {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n"
                                                          "  %0 = stablehlo.dynamic_slice %a, %c, %i, %c, sizes = [6, 2, 4] : (tensor<6x9x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x2x4xf32>\n  return %0 : tensor<6x2x4xf32>\n}\n");
        const DenseTensor ids = ranTensor(problem, "%0.dim1.ids");
        const DenseTensor steps = ranTensor(problem, "%0.dim1.ids.steps");
        const DenseTensor start = ranTensor(problem, "%0.start1");
        QCOMPARE(ids.shape, TensorShape{2});
        QVERIFY(ids.values[0] == steps.values[0] + start.values[0] && ids.values[1] == steps.values[1] + start.values[0]);
        const GraphOp& op = problem.graph.op(problem.graph.tensor(*problem.graph.find("%0")).producer);
        QVERIFY(op.kind == GraphOpKind::Gather && op.dim == 1 && op.inputs[0] == *problem.graph.find("%a"));
        QVERIFY(isProved(problem));
    }

    void anUpdateAtAComputedPlaceStaysWhereItsTensorLies()
    {
        const ShardProblem problem = hloProblem(kAxis + "func.func @main(%a: tensor<6x9xf32>" + alongAxis(2, 1) + ", %u: tensor<2x3xf32>, %i: tensor<i32>) -> tensor<6x9xf32> {\n  %c = stablehlo.constant dense<1> : tensor<i32>\n"
                                                          "  %0 = stablehlo.dynamic_update_slice %a, %u, %c, %i : (tensor<6x9xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<6x9xf32>\n  return %0 : tensor<6x9xf32>\n}\n");
        const GraphOp& op = problem.graph.op(problem.graph.tensor(*problem.graph.find("%0")).producer);
        QVERIFY(op.kind == GraphOpKind::Select && problem.graph.tensor(op.inputs[1]).name == "%0.placed1" && problem.graph.tensor(op.inputs[2]).name == "%a");
        // Rows 1 and 2 of what is placed hold the update, columns by ids modulo their number.
        const DenseTensor placed = ranTensor(problem, "%0.placed1");
        const DenseTensor padded = ranTensor(problem, "%0.padded");
        const DenseTensor update = ranTensor(problem, "%u");
        QCOMPARE(padded.shape, (TensorShape{6, 3}));
        forEachIndex({6, 3}, [&](const TensorShape& index) {
            const bool inside = index[0] == 1 || index[0] == 2;
            QVERIFY(padded.values[flatIndex({6, 3}, index)] == (inside ? update.values[flatIndex({2, 3}, {index[0] - 1, index[1]})] : Exact{}));
        });
        QCOMPARE(placed.shape, (TensorShape{6, 9}));
        const auto plan = partition(problem);
        QVERIFY(plan);
        for (const ProgramStep& step : plan.value().program.steps)
            QVERIFY(!isCollective(step.kind) || step.sent == 0);
        QVERIFY(isProved(problem));
    }

    /// take_along_axis and its gradient. The batch lies along the axis and is the last dim of the ids: layouts follow it, and nothing is sent. Cut along the lines, each part gives what it has.
    void elementsOfLinesStayWithTheirBatch()
    {
        const std::string fields = "index_vector_dim = 3>, indices_are_sorted = false";
        const auto program = [&](const std::string& lies) {
            return hloProblem(kAxis + "func.func @main(%t: tensor<6x9x5xf32> {sdy.sharding = #sdy.sharding<@mesh, " + lies + ">}, %i: tensor<4x5x6x1xi32>, %u: tensor<4x5x6xf32>) -> (tensor<4x5x6xf32>, tensor<6x9x5xf32>) {\n"
                                "  %0 = \"stablehlo.gather\"(%t, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0, 2], start_indices_batching_dims = [2, 1], start_index_map = [1], " + fields + ", slice_sizes = array<i64: 1, 1, 1>}> : (tensor<6x9x5xf32>, tensor<4x5x6x1xi32>) -> tensor<4x5x6xf32>\n"
                                "  %1 = \"stablehlo.scatter\"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0, 2], scatter_indices_batching_dims = [2, 1], scatter_dims_to_operand_dims = [1], " + fields + ", unique_indices = false}> ({\n"
                                "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %9 = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %9 : tensor<f32>\n  }) : (tensor<6x9x5xf32>, tensor<4x5x6x1xi32>, tensor<4x5x6xf32>) -> tensor<6x9x5xf32>\n  return %0, %1 : tensor<4x5x6xf32>, tensor<6x9x5xf32>\n}\n");
        };
        const auto lies = [](const ShardProblem& problem, const char* name) {
            const auto plan = partition(problem);
            return QString::fromStdString(layoutText(problem.mesh, {plan.value().propagated[static_cast<std::size_t>(*problem.graph.find(name))], {}, ReduceKind::Sum}));
        };
        const auto sent = [](const ShardProblem& problem) {
            QStringList words;
            const auto plan = partition(problem);
            for (const ProgramStep& step : plan.value().program.steps) {
                if (isCollective(step.kind) && step.sent > 0)
                    words << QString::fromStdString(std::string(wordOf(step.kind)) + " " + std::to_string(step.sent));
            }
            return words.join("; ");
        };
        const ShardProblem batch = program(R"([{"x"}, {}, {}])");
        for (const char* name : {"%0", "%u"})
            QCOMPARE(lies(batch, name), "[-, -, x]");
        QCOMPARE(lies(batch, "%i"), "[-, -, x, -]");
        QCOMPARE(lies(batch, "%1"), "[x, -, -]");
        QCOMPARE(sent(batch), "");
        QVERIFY(isProved(batch));
        const ShardProblem line = program(R"([{}, {"x"}, {}])");
        QCOMPARE(lies(line, "%1"), "[-, x, -]");
        QCOMPARE(sent(line), "all_reduce 640"); // 2 (3 - 1) / 3 of 4 x 5 x 6 elements of 4 bytes.
        QVERIFY(isProved(line));
    }

    void whatDoesNotFitIsNamedWithItsLine_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* op, const char* words) { QTest::newRow(name) << QString::fromUtf8(op) << QString::fromUtf8(words); };
        row("too few starts", "stablehlo.dynamic_slice %a, %i, sizes = [1, 1] : (tensor<4x6xf32>, tensor<i32>) -> tensor<4x6xf32>", "needs one start and one size per dim of [4, 6]");
        row("a slice that is larger", "stablehlo.dynamic_slice %a, %i, %i, sizes = [5, 1] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>", "size 5 does not fit [4, 6]");
        row("a start that is a tensor", "stablehlo.dynamic_slice %a, %a, %i, sizes = [1, 1] : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<1x1xf32>", "start 0 is [4, 6]");
        row("an update of other dims", "stablehlo.dynamic_update_slice %a, %i, %i, %i : (tensor<4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>", "needs one start and one size per dim of [4, 6]");
        row("nothing left", "stablehlo.pad %a, %c, low = [-2, 0], high = [-2, 0], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>", "dim 0 has no elements from 2 to 2");
        row("zeros between of less dims", "stablehlo.pad %a, %c, low = [0, 0], high = [0, 0], interior = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>", "interior has 1 entries");
        row("zeros beyond all limits", "stablehlo.pad %a, %c, low = [0, 0], high = [0, 0], interior = [9223372036854775807, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>", "zeros between elements of [4, 6] are not possible");
        row("less than no zeros", "stablehlo.pad %a, %c, low = [0, 0], high = [0, 0], interior = [-1, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>", "-1 zeros between elements");
        row("windows over three dims", "\"stablehlo.reduce_window\"(%b, %c) <{window_dimensions = array<i64: 2, 2, 2>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.add %x, %y : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<3x5x7xf32>", "windows over 3 dims of [4, 6, 8] are not read");
        row("windows that begin with another value", "\"stablehlo.reduce_window\"(%a, %c) <{window_dimensions = array<i64: 1, 2>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.maximum %x, %y : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x5xf32>", "its initial value is not read");
        row("the last of equal ones", "\"stablehlo.select_and_scatter\"(%a, %a, %c) <{window_dimensions = array<i64: 1, 1>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.compare  GT, %x, %y,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %s : tensor<i1>\n  }, {\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.add %x, %y : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>",
            "selects or scatters by functions that are not read");
        row("ends beyond all limits", "stablehlo.pad %a, %c, low = [-9223372036854775808, 0], high = [0, 0], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>", "dim 0 has no elements from 4 to 4");
    }
    void whatDoesNotFitIsNamedWithItsLine()
    {
        QFETCH(const QString, op);
        QFETCH(const QString, words);
        const auto problem = readStableHloText("func.func @main(%a: tensor<4x6xf32>, %i: tensor<i32>, %b: tensor<4x6x8xf32>) -> tensor<4x6xf32> {\n  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = " + op.toStdString() + "\n  return %a : tensor<4x6xf32>\n}\n", "case.mlir");
        QVERIFY(!problem);
        const QString said = QString::fromStdString(problem.error().text());
        QVERIFY2(said.contains(words) && said.startsWith(QStringLiteral("case.mlir:3:")), qPrintable(said));
    }
};

FABRICSCOPE_TEST(StableHloMovesTest)
#include "tst_stablehlo_moves.moc"
