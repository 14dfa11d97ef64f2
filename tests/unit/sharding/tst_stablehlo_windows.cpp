// Convolutions over one to three dims with groups of channels or of the batch, as sums written out; ops on whole matrices and lines, of which only the batch is cut.
#include "core/sharding/execute/prove.h"
#include "core/sharding/execute/wholerun.h"
#include "core/sharding/partition/partition.h"
#include "hloprograms.h"
#include "tests/unit/sharding/flatplace.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

std::string numbersText(const std::vector<std::int64_t>& list, const char* between = ", ")
{
    std::string text;
    for (const std::int64_t number : list)
        text += (text.empty() ? "" : between) + std::to_string(number);
    return text;
}

std::string floatsText(const TensorShape& shape)
{
    return "tensor<" + numbersText(shape, "x") + "xf32>";
}

PartitionedProgram programOfProblem(const ShardProblem& problem)
{
    auto plan = partition(problem);
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    return std::move(plan).value().program;
}

bool givesTheSame(const ShardProblem& problem, const PartitionedProgram& program)
{
    const auto proof = proveByExecution(problem.graph, program);
    return proof && proof.value().equal();
}

QString movedIn(const PartitionedProgram& program)
{
    QStringList words;
    for (const ProgramStep& step : program.steps) {
        if (isCollective(step.kind) && step.sent > 0)
            words << QString::fromStdString(std::string(wordOf(step.kind)) + " " + program.value(step.out).name + " " + std::to_string(step.sent));
    }
    return words.join("; ");
}

/// A drawn convolution; operands have their dims in a drawn order.
struct DrawnConvolution {
    std::size_t spatial = 1;
    std::int64_t features = 1, batches = 1; ///< Groups.
    std::vector<std::int64_t> stride, low, high, dilation;
    TensorShape x, kernel, y;                        ///< [b, spatial, f], [spatial, i, o], [b, spatial, f].
    std::vector<std::size_t> xOrder, kernelOrder, yOrder; ///< Which of those dims stands where.

    explicit DrawnConvolution(std::mt19937_64& random)
    {
        const auto draw = [&](std::int64_t from, std::int64_t to) { return std::uniform_int_distribution<std::int64_t>(from, to)(random); };
        spatial = static_cast<std::size_t>(draw(1, 3));
        (draw(0, 1) == 0 ? features : batches) = draw(1, 2);
        const std::int64_t images = draw(1, 2), channels = draw(1, 2);
        x.push_back(images * batches);
        y.push_back(images);
        for (std::size_t d = 0; d < spatial; ++d) {
            kernel.push_back(draw(1, 3));
            stride.push_back(draw(1, 2));
            low.push_back(draw(0, 1));
            high.push_back(draw(0, 1));
            dilation.push_back(draw(1, 2));
            x.push_back(draw(5, 6));
            y.push_back((x.back() + low[d] + high[d] - dilation[d] * (kernel[d] - 1) - 1) / stride[d] + 1);
        }
        x.push_back(channels * features);
        kernel.push_back(channels);
        kernel.push_back(features * batches * draw(1, 2));
        y.push_back(kernel.back());
        for (std::vector<std::size_t>* const order : {&xOrder, &kernelOrder, &yOrder}) {
            order->resize(spatial + 2);
            std::iota(order->begin(), order->end(), std::size_t{0});
            if (draw(0, 1))
                std::shuffle(order->begin(), order->end(), random);
        }
    }

    static TensorShape ordered(const TensorShape& list, const std::vector<std::size_t>& order)
    {
        TensorShape made;
        for (const std::size_t d : order)
            made.push_back(list[d]);
        return made;
    }

    std::string letters(const std::vector<std::size_t>& order, bool ofKernel) const
    {
        std::string text;
        for (const std::size_t d : order) {
            const bool front = !ofKernel && d == 0;
            const std::size_t at = ofKernel ? d : d - 1;
            text += (text.empty() ? "" : ", ") + (front ? std::string("b") : at < spatial ? std::to_string(at) : !ofKernel ? "f" : at == spatial ? "i" : "o");
        }
        return "[" + text + "]";
    }

    std::string text(const std::string& sharding) const
    {
        const std::string a = floatsText(ordered(x, xOrder)), k = floatsText(ordered(kernel, kernelOrder)), r = floatsText(ordered(y, yOrder));
        std::string pads;
        for (std::size_t d = 0; d < spatial; ++d)
            pads += (d ? ", [" : "[") + std::to_string(low[d]) + ", " + std::to_string(high[d]) + "]";
        return "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%a: " + a + sharding + ", %k: " + k + ") -> " + r + " {\n  %0 = stablehlo.convolution(%a, %k) dim_numbers = " + letters(xOrder, false) + "x" + letters(kernelOrder, true) + "->" + letters(yOrder, false)
            + ", window = {stride = [" + numbersText(stride) + "], pad = [" + pads + "], rhs_dilate = [" + numbersText(dilation) + "]} {batch_group_count = " + std::to_string(batches) + " : i64, feature_group_count = " + std::to_string(features) + " : i64} : (" + a + ", " + k
            + ") -> " + r + "\n  return %0 : " + r + "\n}\n";
    }

    /// Element `at` of [b, spatial, f], as StableHLO defines it: of each group by itself, one behind the other along the results' features.
    Exact element(const TensorShape& at, const DenseTensor& a, const DenseTensor& k) const
    {
        const std::int64_t channels = kernel[spatial];
        const std::int64_t group = at.back() / (y.back() / (features * batches));
        Exact sum;
        for (std::int64_t tap = 0; tap < elementsOf({kernel.begin(), kernel.begin() + static_cast<std::ptrdiff_t>(spatial)}) * channels; ++tap) {
            TensorShape in = indexOf({kernel.begin(), kernel.end() - 1}, tap);
            TensorShape from = {at[0] + (batches > 1 ? group * y[0] : 0)};
            bool inside = true;
            for (std::size_t d = 0; d < spatial; ++d) {
                from.push_back(at[d + 1] * stride[d] - low[d] + in[d] * dilation[d]);
                inside = inside && from.back() >= 0 && from.back() < x[d + 1];
            }
            if (!inside)
                continue;
            from.push_back(in.back() + (features > 1 ? group * channels : 0));
            in.push_back(at.back());
            sum += a.values[flatPlace(ordered(x, xOrder), ordered(from, xOrder))] * k.values[flatPlace(ordered(kernel, kernelOrder), ordered(in, kernelOrder))];
        }
        return sum;
    }
};

} // namespace

class StableHloWindowsTest : public QObject {
    Q_OBJECT

private slots:
    void convolutionsAreSumsOverTheirWindows()
    {
        for (const std::uint64_t seed : Seeds(71, cases(60))) {
            std::mt19937_64 random(seed);
            const DrawnConvolution drawn(random);
            const std::size_t cut = random() % (drawn.spatial + 2);
            std::string sharding;
            for (std::size_t d = 0; d < drawn.spatial + 2; ++d)
                sharding += std::string(d ? ", " : "") + (d == cut ? "{\"x\"}" : "{?}");
            const std::string text = drawn.text(" {sdy.sharding = #sdy.sharding<@mesh, [" + sharding + "]>}");
            const ShardProblem problem = hloProblem(text);
            const auto ran = runWhole(problem.graph, 3).value();
            const auto valueOf = [&](const char* name) { return ran[static_cast<std::size_t>(*problem.graph.find(name))]; };
            const DenseTensor a = valueOf("%a"), k = valueOf("%k"), result = valueOf("%0");
            for (std::int64_t flat = 0; flat < elementsOf(drawn.y); ++flat) {
                const TensorShape at = indexOf(drawn.y, flat);
                QVERIFY2(result.values[flatPlace(DrawnConvolution::ordered(drawn.y, drawn.yOrder), DrawnConvolution::ordered(at, drawn.yOrder))] == drawn.element(at, a, k), text.c_str());
            }
            QVERIFY2(givesTheSame(problem, programOfProblem(problem)), text.c_str());
        }
    }

    /// 16 frames in 4 parts and a window of 3: each device sends a frame of 4 x 4 x 2 elements of 4 bytes to both sides. Halos that are taken one frame off are seen.
    void framesOfAVideoAreSentToTheirNeighbours()
    {
        const std::string type = "tensor<1x16x4x4x2xf32>";
        const ShardProblem problem = hloProblem("sdy.mesh @mesh = <[\"x\"=4]>\nfunc.func @main(%a: " + type + " {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}, {}, {}, {}]>}, %k: tensor<3x3x3x2x2xf32>) -> " + type
                                                + " {\n  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {pad = [[1, 1], [1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (" + type + ", tensor<3x3x3x2x2xf32>) -> " + type
                                                + "\n  return %0 : " + type + "\n}\n");
        PartitionedProgram program = programOfProblem(problem);
        QCOMPARE(movedIn(program), QStringLiteral("halo_exchange %a 256"));
        QVERIFY(givesTheSame(problem, program));
        for (ProgramStep& step : program.steps) {
            if (step.kind == StepKind::HaloExchange)
                ++program.values[static_cast<std::size_t>(step.out)].windows[1]->offset;
        }
        QVERIFY(!givesTheSame(problem, program));
    }

    /// Matrices [8, 6, 6], right sides and lines: cut by their batch nothing moves; cut elsewhere all of them are gathered (3/4 of 8 x 6 x 6 elements of 4 bytes are received).
    void wholeMatricesAreCutByTheirBatchAlone_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QString>("result");
        QTest::newRow("cholesky") << "stablehlo.cholesky %a, lower = true : tensor<8x6x6xf32>" << "tensor<8x6x6xf32>";
        QTest::newRow("triangular_solve") << "\"stablehlo.triangular_solve\"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<8x6x6xf32>, tensor<8x6x2xf32>) -> tensor<8x6x2xf32>" << "tensor<8x6x2xf32>";
        QTest::newRow("fft") << "stablehlo.fft %a, type =  RFFT, length = [6, 6] : (tensor<8x6x6xf32>) -> tensor<8x6x4xcomplex<f32>>" << "tensor<8x6x4xcomplex<f32>>";
        QTest::newRow("generic fft") << "\"stablehlo.fft\"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 6, 6>}> : (tensor<8x6x6xf32>) -> tensor<8x6x4xcomplex<f32>>" << "tensor<8x6x4xcomplex<f32>>";
    }
    void wholeMatricesAreCutByTheirBatchAlone()
    {
        QFETCH(const QString, op);
        QFETCH(const QString, result);
        const auto program = [&](const std::string& lies) {
            return hloProblem("sdy.mesh @mesh = <[\"x\"=4]>\nfunc.func @main(%a: tensor<8x6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, " + lies + ">}, %b: tensor<8x6x2xf32>) -> " + result.toStdString() + " {\n  %0 = " + op.toStdString() + "\n  return %0 : " + result.toStdString() + "\n}\n");
        };
        const ShardProblem batch = program("[{\"x\"}, {}, {}]");
        PartitionedProgram parts = programOfProblem(batch);
        QCOMPARE(movedIn(parts), QString());
        QVERIFY(givesTheSame(batch, parts));
        QCOMPARE(QString::fromStdString(batch.notes.at(0).rule), QStringLiteral("opaque-function"));
        const ShardProblem rows = program("[{}, {\"x\"}, {}]");
        QCOMPARE(movedIn(programOfProblem(rows)), QStringLiteral("all_gather %a 1152")); // 3 x 8 x 2 x 6 x 4 bytes: 6 rows in 4 parts of 2.
        QVERIFY(givesTheSame(rows, programOfProblem(rows)));
        // An op that ran on parts of matrices would not go unseen.
        for (ProgramStep& step : parts.steps) {
            if (step.kind == StepKind::Local && step.local.kind == GraphOpKind::Opaque)
                step.local.batch = 0;
        }
        QVERIFY(!givesTheSame(batch, parts));
    }

    /// A kernel of its own in a program per device runs on what each device has; elsewhere it has all of its operands: 3/4 of 16 x 32 elements of 4 bytes come from the others.
    void callsOfWhatIsNotKnownHaveWholeOperands()
    {
        const auto call = [](const std::string& rows) { return "stablehlo.custom_call @tpu_custom_call(%a, %b) {backend_config = \"\"} : (tensor<" + rows + "x32xf32>, tensor<" + rows + "x32xf32>) -> (tensor<" + rows + "x32xf32>, tensor<" + rows + "xf32>)"; };
        const std::string mesh = "sdy.mesh @mesh = <[\"x\"=4]>\n";
        const std::string types = "tensor<16x32xf32>, tensor<16xf32>";
        const ShardProblem whole = hloProblem(mesh + "func.func @main(%a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %b: tensor<16x32xf32>) -> (" + types + ") {\n  %c = stablehlo.constant dense<7> : tensor<i64>\n"
                                                     "  stablehlo.custom_call @xla_ffi_python_cpu_callback(%c) {has_side_effect = true} : (tensor<i64>) -> ()\n  %0:2 = " + call("16") + "\n  return %0#0, %0#1 : " + types + "\n}\n");
        QCOMPARE(movedIn(programOfProblem(whole)), QStringLiteral("all_gather %a 1536"));
        QVERIFY(givesTheSame(whole, programOfProblem(whole)));
        QCOMPARE(whole.notes.size(), std::size_t{2});
        QVERIFY(whole.notes[1].message.find("@tpu_custom_call") != std::string::npos && whole.notes[1].place.line == 5);
        const ShardProblem each = hloProblem(mesh + "func.func @main(%x: tensor<16x32xf32>, %y: tensor<16x32xf32>) -> (" + types + ") {\n  %0:2 = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{\"x\"}, {}]>, <@mesh, [{\"x\"}, {}]>] out_shardings=[<@mesh, [{\"x\"}, {}]>, <@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%a: tensor<4x32xf32>, %b: tensor<4x32xf32>) {\n    %1:2 = "
                                             + call("4") + "\n    sdy.return %1#0, %1#1 : tensor<4x32xf32>, tensor<4xf32>\n  } : (tensor<16x32xf32>, tensor<16x32xf32>) -> (" + types + ")\n  return %0#0, %0#1 : " + types + "\n}\n");
        QCOMPARE(movedIn(programOfProblem(each)), QString());
        QVERIFY(givesTheSame(each, programOfProblem(each)));
    }

    /// Channels of [4, 3, 2]: mean and variance over the others, and (x - mean) * scale * root + offset, written out.
    void normalisationByTheBatchIsWrittenOut()
    {
        const ShardProblem problem = hloProblem("sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%x: tensor<4x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}, {}]>}, %s: tensor<3xf32>, %o: tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<4x3x2xf32>) {\n"
                                                "  %y, %m, %v = \"stablehlo.batch_norm_training\"(%x, %s, %o) <{epsilon = 1.0e-05 : f32, feature_index = 1 : i64}> : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>)\n"
                                                "  %z = \"stablehlo.batch_norm_inference\"(%x, %s, %o, %m, %v) <{epsilon = 1.0e-05 : f32, feature_index = 1 : i64}> : (tensor<4x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x2xf32>\n  return %y, %z : tensor<4x3x2xf32>, tensor<4x3x2xf32>\n}\n");
        const auto ran = runWhole(problem.graph, 3).value();
        const auto valueOf = [&](const std::string& name) { return ran[static_cast<std::size_t>(*problem.graph.find(name))]; };
        const DenseTensor x = valueOf("%x"), s = valueOf("%s"), o = valueOf("%o"), y = valueOf("%y"), root = valueOf("%y.root");
        const Exact share = Exact(8).inverse();
        for (std::size_t c = 0; c < 3; ++c) {
            Exact mean, variance;
            const auto each = [&](const auto& visit) {
                for (std::size_t b = 0; b < 4; ++b)
                    for (std::size_t w = 0; w < 2; ++w)
                        visit((b * 3 + c) * 2 + w);
            };
            each([&](std::size_t i) { mean += x.values[i] * share; });
            each([&](std::size_t i) { variance += (x.values[i] - mean) * (x.values[i] - mean) * share; });
            QVERIFY(valueOf("%y#1").values[c] == mean && valueOf("%y#2").values[c] == variance);
            each([&](std::size_t i) { QVERIFY(y.values[i] == (x.values[i] - mean) * root.values[c] * s.values[c] + o.values[c]); });
        }
        QVERIFY(valueOf("%z").values == y.values);
        const PartitionedProgram program = programOfProblem(problem);
        QCOMPARE(movedIn(program), QStringLiteral("all_reduce %y#1 12; all_reduce %y#2 12")); // 2 * 1/2 of 3 elements of 4 bytes.
        QVERIFY(givesTheSame(problem, program));
    }

    void anEinsumIsReadByItsLetters()
    {
        const auto program = [](const std::string& config) {
            return readStableHloText("func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<4x5xf32>) -> tensor<2x5x3xf32> {\n  %0 = stablehlo.einsum %a, %b, config = \"" + config + "\" : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x5x3xf32>\n  return %0 : tensor<2x5x3xf32>\n}\n", "case.mlir");
        };
        const auto read = program("bsm,mh->bhs");
        QVERIFY(read);
        QCOMPARE(read.value().graph.ops[0].letters == (std::vector<std::string>{"bsm", "mh", "bhs"}), true);
        for (const char* config : {"bsm->bsm", "bsm,mh", "...m,mh->...h", "bsm,mh->bsh", ""})
            QVERIFY2(!program(config), config);
    }
    void wholeOpsThatDoNotFitAreNamed_data()
    {
        QTest::addColumn<QString>("op");
        QTest::newRow("no square") << "stablehlo.cholesky %b, lower = true : tensor<8x6x2xf32>";
        QTest::newRow("right sides of other rows") << "\"stablehlo.triangular_solve\"(%a, %b) <{left_side = false, lower = true}> : (tensor<8x6x6xf32>, tensor<8x6x2xf32>) -> tensor<8x6x2xf32>";
        QTest::newRow("another length") << "stablehlo.fft %a, type =  RFFT, length = [5] : (tensor<8x6x6xf32>) -> tensor<8x6x4xcomplex<f32>>";
        QTest::newRow("another type") << "stablehlo.fft %a, type =  DCT, length = [6] : (tensor<8x6x6xf32>) -> tensor<8x6x6xf32>";
        QTest::newRow("too many dims") << "stablehlo.fft %a, type =  FFT, length = [8, 8, 6, 6] : (tensor<8x6x6xf32>) -> tensor<8x6x6xf32>";
    }
    void wholeOpsThatDoNotFitAreNamed()
    {
        QFETCH(const QString, op);
        const auto problem = readStableHloText("func.func @main(%a: tensor<8x6x6xf32>, %b: tensor<8x6x2xf32>) -> tensor<8x6x6xf32> {\n  %0 = " + op.toStdString() + "\n  return %a : tensor<8x6x6xf32>\n}\n", "case.mlir");
        QVERIFY(!problem && problem.error().place.line == 2);
    }
};

FABRICSCOPE_TEST(StableHloWindowsTest)
#include "tst_stablehlo_windows.moc"
