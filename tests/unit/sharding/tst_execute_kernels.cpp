// What every op computes on whole tensors, against sums written out here with plain integers.
#include "core/sharding/execute/opkernels.h"
#include "core/sharding/execute/wholerun.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kP = 2'147'483'647;
using Numbers = std::vector<std::int64_t>;

std::int64_t inField(std::int64_t x)
{
    return (x % kP + kP) % kP;
}

std::int64_t inverseOf(std::int64_t x)
{
    // Euclid, unlike the power in Exact.
    std::int64_t a = inField(x), b = kP, u = 1, v = 0;
    while (b != 0) {
        const std::int64_t q = a / b;
        a -= q * b;
        u -= q * v;
        std::swap(a, b);
        std::swap(u, v);
    }
    return inField(u);
}

DenseTensor tensorOf(TensorShape shape, const Numbers& numbers)
{
    DenseTensor tensor(std::move(shape));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        tensor.values[i] = Exact(numbers[i]);
    return tensor;
}

Numbers numbersOf(const DenseTensor& tensor)
{
    Numbers numbers;
    for (const Exact value : tensor.values)
        numbers.push_back(value.isPoison() ? 99'999'999'999 : value.centred());
    return numbers;
}

DenseTensor drawn(TensorShape shape, std::mt19937_64& random, std::int64_t most = 9)
{
    DenseTensor tensor(std::move(shape));
    for (Exact& value : tensor.values)
        value = Exact(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * most + 1)) - most);
    return tensor;
}

DenseTensor run(GraphOp op, const std::vector<DenseTensor>& operands, std::optional<TensorShape> shape = {}, const OpFrame& frame = {})
{
    OpGraph graph;
    op.name = "y";
    std::vector<const DenseTensor*> in;
    for (const DenseTensor& operand : operands) {
        op.inputs.push_back(graph.addInput({std::to_string(in.size()), operand.shape, ElementType::Fp32, -1, {}}).value());
        in.push_back(&operand);
    }
    if (!shape) {
        const auto inferred = inferShape(graph, op);
        if (!inferred)
            qFatal("%s", inferred.error().text().c_str());
        shape = inferred.value();
    }
    auto result = computeOp(op, in, *shape, frame, {});
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return result.value();
}

GraphOp opOf(GraphOpKind kind)
{
    GraphOp op;
    op.kind = kind;
    return op;
}

GraphOp along(GraphOpKind kind, std::int64_t dim)
{
    GraphOp op = opOf(kind);
    op.dim = dim;
    return op;
}

const Numbers kSome = {3, -1, 4, -1, 5, -9, 2, 6, -5, 3, 5, 8};

} // namespace

class TestExecuteKernels : public QObject {
    Q_OBJECT

private slots:
    void numbersAreAFieldWithTheOrderOfSmallIntegers()
    {
        std::mt19937_64 random(seeded(1));
        for (int i = 0; i < 2000; ++i) {
            const auto a = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(kP));
            const auto b = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(kP));
            QCOMPARE(Exact(a) + Exact(b), Exact(inField(a + b)));
            QCOMPARE(Exact(a) - Exact(b), Exact(inField(a - b)));
            QCOMPARE(Exact(a) * Exact(b), Exact(a * b % kP));
            QCOMPARE(Exact(a).inverse(), Exact(inverseOf(a)));
            QCOMPARE(lower(Exact(a % 1000 - 500), Exact(b % 1000 - 500)), a % 1000 < b % 1000);
        }
        QCOMPARE(Exact(-7).centred(), -7);
        QCOMPARE(Exact(-7).below(5), std::int64_t{3});
        QVERIFY(Exact(0).inverse().isZero());
        QVERIFY(lower(Exact::least(), Exact(-1'000'000'000)) && lower(Exact(1'000'000'000), Exact::greatest()));
    }

    void poisonSpoilsEverythingThatIsComputedFromIt()
    {
        const Exact p = Exact::poison();
        for (const Exact x : {p + Exact(1), Exact(0) * p, -p, p - p, p.inverse(), higherOf(p, Exact(3)), lowerOf(Exact(3), p), ofUnary(GraphOpKind::Gelu, p), ofUnary(GraphOpKind::Relu, p),
                 derivativeOf(GraphOpKind::Relu, p), derivativeOf(GraphOpKind::Copy, p), inverseRoot(p)})
            QVERIFY(x.isPoison());
        DenseTensor x = tensorOf({2, 3}, {1, 2, 3, 4, 5, 6});
        x.values[4] = p;
        for (const GraphOpKind kind : {GraphOpKind::Softmax, GraphOpKind::LayerNorm, GraphOpKind::Sort}) {
            const DenseTensor y = run(along(kind, 1), {x});
            QVERIFY(!y.values[0].isPoison() && !y.values[2].isPoison() && y.values[3].isPoison() && y.values[5].isPoison());
        }
        // An id that is poison may mean any row.
        DenseTensor ids = tensorOf({2}, {1, 0});
        ids.values[1] = p;
        const DenseTensor added = run(along(GraphOpKind::ScatterAdd, 0), {tensorOf({3}, {1, 2, 3}), ids, tensorOf({2}, {10, 0})});
        QCOMPARE(numbersOf(added), (Numbers{1, 12, 3}));
        QVERIFY(run(along(GraphOpKind::ScatterAdd, 0), {tensorOf({3}, {1, 2, 3}), ids, tensorOf({2}, {10, 1})}).values[0].isPoison());
        QVERIFY(run(along(GraphOpKind::Gather, 0), {tensorOf({3}, {1, 2, 3}), ids}).values[1].isPoison());
    }

    void productsAreSumsOverLettersThatVanish()
    {
        std::mt19937_64 random(seeded(2));
        for (int i = 0; i < 20; ++i) {
            const std::int64_t m = 1 + static_cast<std::int64_t>(random() % 4), k = 1 + static_cast<std::int64_t>(random() % 4), n = 1 + static_cast<std::int64_t>(random() % 4);
            const DenseTensor a = drawn({m, k}, random), b = drawn({k, n, 2}, random), c = drawn({2, m}, random);
            GraphOp op = opOf(GraphOpKind::Einsum);
            op.letters = {"mk", "knz", "zm", "nm"};
            const DenseTensor y = run(op, {a, b, c});
            QCOMPARE(y.shape, (TensorShape{n, m}));
            for (std::int64_t r = 0; r < n; ++r) {
                for (std::int64_t s = 0; s < m; ++s) {
                    std::int64_t sum = 0;
                    for (std::int64_t t = 0; t < k; ++t)
                        for (std::int64_t z = 0; z < 2; ++z)
                            sum += std::int64_t{a.values[static_cast<std::size_t>(s * k + t)].centred()} * b.values[static_cast<std::size_t>((t * n + r) * 2 + z)].centred()
                                * c.values[static_cast<std::size_t>(z * m + s)].centred();
                    QCOMPARE(std::int64_t{y.values[static_cast<std::size_t>(r * m + s)].centred()}, sum);
                }
            }
        }
    }

    void elementwiseOpsRepeatDimsOfSizeOne()
    {
        const DenseTensor a = tensorOf({2, 1, 2}, {1, -2, 3, 4}), b = tensorOf({3, 1}, {10, 0, -3});
        QCOMPARE(numbersOf(run(opOf(GraphOpKind::Add), {a, b})), (Numbers{11, 8, 1, -2, -2, -5, 13, 14, 3, 4, 0, 1}));
        QCOMPARE(numbersOf(run(opOf(GraphOpKind::Sub), {b, a})), (Numbers{9, 12, -1, 2, -4, -1, 7, 6, -3, -4, -6, -7}));
        QCOMPARE(numbersOf(run(opOf(GraphOpKind::Mul), {a, b})), (Numbers{10, -20, 0, 0, -3, 6, 30, 40, 0, 0, -9, -12}));
        QCOMPARE(numbersOf(run(opOf(GraphOpKind::Max), {a, b})), (Numbers{10, 10, 1, 0, 1, -2, 10, 10, 3, 4, 3, 4}));
        QCOMPARE(numbersOf(run(opOf(GraphOpKind::Min), {a, b})), (Numbers{1, -2, 0, -2, -3, -3, 3, 4, 0, 0, -3, -3}));
        QCOMPARE(numbersOf(run(opOf(GraphOpKind::Div), {tensorOf({3}, {12, -35, 8}), tensorOf({3}, {4, 5, 0})})), (Numbers{3, -7, 0}));
        QCOMPARE(numbersOf(run(opOf(GraphOpKind::Select), {tensorOf({3}, {0, 5, -1}), tensorOf({1}, {7}), tensorOf({3}, {1, 2, 3})})), (Numbers{1, 7, 7}));
        QCOMPARE(numbersOf(run(opOf(GraphOpKind::Relu), {tensorOf({3}, {0, 5, -1})})), (Numbers{0, 5, 0}));
        QCOMPARE(numbersOf(run(opOf(GraphOpKind::Neg), {tensorOf({3}, {0, 5, -1})})), (Numbers{0, -5, 1}));
        for (const GraphOpKind kind : {GraphOpKind::Gelu, GraphOpKind::Silu, GraphOpKind::Tanh, GraphOpKind::Sqrt}) {
            const Numbers y = numbersOf(run(opOf(kind), {tensorOf({4}, {0, 1, 2, 1})}));
            QVERIFY(y[0] == 0 && y[1] == y[3] && y[1] != y[2]);
        }
    }

    void dropoutLooksAtTheIndexInTheWholeTensor()
    {
        GraphOp op = opOf(GraphOpKind::Dropout);
        op.rate = 0.5;
        op.seed = 11;
        const DenseTensor x(TensorShape{20, 30}, Exact(1));
        const DenseTensor whole = run(op, {x});
        std::int64_t kept = 0;
        for (const std::int64_t v : numbersOf(whole))
            kept += v;
        QVERIFY(kept > 230 && kept < 370); // 300 expected, deviation 12.
        const DenseTensor part = run(op, {DenseTensor({5, 10}, Exact(1))}, {}, {{20, 30}, {10, 20}, 0, 0, 0});
        for (std::size_t r = 0; r < 5; ++r)
            for (std::size_t c = 0; c < 10; ++c)
                QCOMPARE(part.values[r * 10 + c], whole.values[(10 + r) * 30 + 20 + c]);
    }

    void movingOpsTakeEachElementFromItsPlace()
    {
        const DenseTensor x = tensorOf({3, 4}, kSome);
        GraphOp op = opOf(GraphOpKind::Reshape);
        op.shape = {2, 6};
        QCOMPARE(numbersOf(run(op, {x})), kSome);
        op = opOf(GraphOpKind::Transpose);
        op.dims = {1, 0};
        QCOMPARE(numbersOf(run(op, {x})), (Numbers{3, 5, -5, -1, -9, 3, 4, 2, 5, -1, 6, 8}));
        op = opOf(GraphOpKind::Broadcast);
        op.shape = {2, 3, 2};
        op.dims = {1};
        QCOMPARE(numbersOf(run(op, {tensorOf({3}, {7, 8, 9})})), (Numbers{7, 7, 8, 8, 9, 9, 7, 7, 8, 8, 9, 9}));
        op = opOf(GraphOpKind::Slice);
        op.starts = {0, 1};
        op.limits = {3, 4};
        op.strides = {2, 2};
        QCOMPARE(numbersOf(run(op, {x})), (Numbers{-1, -1, 3, 8}));
        op = opOf(GraphOpKind::Pad);
        op.low = {1, 0};
        op.high = {0, 2};
        QCOMPARE(numbersOf(run(op, {tensorOf({2, 2}, {1, 2, 3, 4})})), (Numbers{0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0}));
        QCOMPARE(numbersOf(run(along(GraphOpKind::Concat, 1), {tensorOf({2, 2}, {1, 2, 3, 4}), tensorOf({2, 1}, {8, 9})})), (Numbers{1, 2, 8, 3, 4, 9}));
        op = opOf(GraphOpKind::Reverse);
        op.dims = {1};
        QCOMPARE(numbersOf(run(op, {tensorOf({2, 3}, {1, 2, 3, 4, 5, 6})})), (Numbers{3, 2, 1, 6, 5, 4}));
    }

    void reductionsGoOverTheDimsThatVanish()
    {
        const DenseTensor x = tensorOf({3, 4}, kSome);
        GraphOp op = opOf(GraphOpKind::Reduce);
        op.dims = {1};
        QCOMPARE(numbersOf(run(op, {x})), (Numbers{5, 4, 11}));
        op.reduce = ReduceKind::Max;
        QCOMPARE(numbersOf(run(op, {x})), (Numbers{4, 6, 8}));
        op.reduce = ReduceKind::Min;
        QCOMPARE(numbersOf(run(op, {x})), (Numbers{-1, -9, -5}));
        op.reduce = ReduceKind::Product;
        QCOMPARE(numbersOf(run(op, {x})), (Numbers{12, -540, -600}));
        op.dims = {0, 1};
        op.reduce = ReduceKind::Mean;
        QCOMPARE(run(op, {x}).values[0], Exact(20) * Exact(inverseOf(12)));
        QCOMPARE(run(op, {x}, {}, {{}, {}, 4, 0, 0}).values[0], Exact(5));
    }

    void rowsAreLookedUpModuloTheTable()
    {
        const DenseTensor table = tensorOf({3, 2}, {1, 2, 3, 4, 5, 6});
        QCOMPARE(numbersOf(run(along(GraphOpKind::Gather, 0), {table, tensorOf({2, 2}, {2, 0, 4, -1})})), (Numbers{5, 6, 1, 2, 3, 4, 5, 6}));
        QCOMPARE(numbersOf(run(along(GraphOpKind::Gather, 1), {table, tensorOf({3}, {1, 1, 0})})), (Numbers{2, 2, 1, 4, 4, 3, 6, 6, 5}));
        // Rows 3 to 5 of a table of 7.
        QCOMPARE(numbersOf(run(along(GraphOpKind::Gather, 0), {table, tensorOf({3}, {3, 9, 12})}, {}, {{}, {}, 0, 7, 3})), (Numbers{1, 2, 0, 0, 5, 6}));
        QCOMPARE(numbersOf(run(along(GraphOpKind::ScatterAdd, 0), {table, tensorOf({3}, {2, 2, 3}), tensorOf({3, 2}, {10, 20, 100, 200, 1000, 2000})})),
            (Numbers{1001, 2002, 3, 4, 115, 226}));
        GraphOp op = along(GraphOpKind::ScatterAdd, 1);
        op.size = 2;
        QCOMPARE(numbersOf(run(op, {tensorOf({3}, {1, 0, 1}), tensorOf({2, 3}, {1, 2, 3, 4, 5, 6})})), (Numbers{2, 4, 5, 10}));
    }

    /// Rows 1 and 0 of the first of two tables, 2 and 2 of the second; elements of a line of each batch.
    void everyBatchHasRowsAndIdsOfItsOwn()
    {
        const DenseTensor tables = tensorOf({2, 3, 2}, {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60});
        const DenseTensor ids = tensorOf({2, 2}, {1, 0, 2, 2});
        GraphOp gather = along(GraphOpKind::Gather, 1);
        gather.batch = 1;
        QCOMPARE(numbersOf(run(gather, {tables, ids})), (Numbers{3, 4, 1, 2, 50, 60, 50, 60}));
        gather.dim = 2; // Behind a dim that is of no batch.
        QCOMPARE(numbersOf(run(gather, {tables, tensorOf({2, 1}, {1, 0})})), (Numbers{2, 4, 6, 10, 30, 50}));
        GraphOp scatter = along(GraphOpKind::ScatterAdd, 1);
        scatter.batch = 1;
        QCOMPARE(numbersOf(run(scatter, {tables, ids, tensorOf({2, 2, 2}, {100, 200, 300, 400, 1000, 2000, 3000, 4000})})), (Numbers{301, 402, 103, 204, 5, 6, 10, 20, 30, 40, 4050, 6060}));
    }

    /// Updates 7 and -7 of row 2, then 5 of row 0.
    void updatesAreJoinedAsTheOpSays()
    {
        const auto joined = [](ReduceKind kind) {
            GraphOp op = along(GraphOpKind::ScatterAdd, 0);
            op.reduce = kind;
            return numbersOf(run(op, {tensorOf({3}, {1, 2, 3}), tensorOf({3}, {2, 2, 0}), tensorOf({3}, {7, -7, 5})}));
        };
        QCOMPARE(joined(ReduceKind::Max), (Numbers{5, 2, 7}));
        QCOMPARE(joined(ReduceKind::Min), (Numbers{1, 2, -7}));
        QCOMPARE(joined(ReduceKind::Product), (Numbers{5, 2, -147}));
        QCOMPARE(joined(ReduceKind::Last), (Numbers{5, 2, -7}));
        GraphOp op = along(GraphOpKind::ScatterAdd, 0);
        op.reduce = ReduceKind::Last;
        DenseTensor unknown = tensorOf({1}, {0});
        unknown.values[0] = Exact::poison();
        QVERIFY(run(op, {tensorOf({2}, {1, 2}), unknown, tensorOf({1}, {0})}).values[1].isPoison()); // Even 0 would replace something.
    }

    void linesAreSortedSummedAndNormalised()
    {
        const DenseTensor x = tensorOf({2, 2, 3}, kSome); // 3 -1 4 / -1 5 -9 // 2 6 -5 / 3 5 8
        QCOMPARE(numbersOf(run(along(GraphOpKind::Sort, 2), {x})), (Numbers{-1, 3, 4, -9, -1, 5, -5, 2, 6, 3, 5, 8}));
        GraphOp top = along(GraphOpKind::TopK, 2);
        top.k = 2;
        QCOMPARE(numbersOf(run(top, {x})), (Numbers{4, 3, 5, -1, 6, 2, 8, 5}));
        QCOMPARE(numbersOf(run(along(GraphOpKind::CumSum, 1), {x})), (Numbers{3, -1, 4, 2, 4, -5, 2, 6, -5, 5, 11, 3}));
        GraphOp scan = along(GraphOpKind::CumSum, 1);
        scan.reduce = ReduceKind::Max;
        QCOMPARE(numbersOf(run(scan, {x})), (Numbers{3, -1, 4, 3, 5, 4, 2, 6, -5, 3, 6, 8}));
        scan.reduce = ReduceKind::Product;
        QCOMPARE(numbersOf(run(scan, {x})), (Numbers{3, -1, 4, -3, -5, -36, 2, 6, -5, 6, 30, -40}));
        const DenseTensor soft = run(along(GraphOpKind::Softmax, 0), {x});
        for (std::size_t i = 0; i < 6; ++i) {
            const Exact e = ofUnary(GraphOpKind::Exp, x.values[i]), f = ofUnary(GraphOpKind::Exp, x.values[i + 6]);
            QCOMPARE(soft.values[i] * (e + f), e);
            QCOMPARE(soft.values[i] + soft.values[i + 6], Exact(1));
        }
        const DenseTensor norm = run(along(GraphOpKind::LayerNorm, 2), {x});
        // 3, -1, 4: mean 2, variance (1 + 9 + 4) / 3.
        const Exact scale = inverseRoot(Exact(14) * Exact(inverseOf(3)));
        QCOMPARE(norm.values[0], scale);
        QCOMPARE(norm.values[1], Exact(-3) * scale);
        QCOMPARE(norm.values[2], Exact(2) * scale);
    }

    void gradientsOfLinesFollowTheirFormulas()
    {
        const DenseTensor x = tensorOf({1, 4}, {2, 7, 2, -1}), dy = tensorOf({1, 4}, {10, 20, 30, 40});
        QCOMPARE(numbersOf(run(along(GraphOpKind::SortGrad, 1), {x, dy})), (Numbers{20, 40, 30, 10})); // Sorted: -1, first 2, second 2, 7.
        GraphOp top = along(GraphOpKind::TopKGrad, 1);
        QCOMPARE(numbersOf(run(top, {x, tensorOf({1, 2}, {10, 20})}, TensorShape{1, 4})), (Numbers{20, 10, 0, 0}));
        QCOMPARE(numbersOf(run(along(GraphOpKind::SoftmaxGrad, 1), {x, dy})), // sum of y * dy = 20 + 140 + 60 - 40 = 180
            (Numbers{2 * -170, 7 * -160, 2 * -150, -1 * -140}));
        // 1, -1: mean 0, variance 1; y = r, -r; dx = r * (dy - mean - y * mean(y dy)).
        const Exact r = inverseRoot(Exact(1));
        const DenseTensor dx = run(along(GraphOpKind::LayerNormGrad, 0), {tensorOf({2}, {1, -1}), tensorOf({2}, {6, 2})});
        QCOMPARE(dx.values[0], r * (Exact(2) - r * r * Exact(2)));
        QCOMPARE(dx.values[1], -dx.values[0]);
    }

    void gradientsOfChoicesPassWhatWasTaken()
    {
        const DenseTensor a = tensorOf({4}, {1, 5, 3, 3}), b = tensorOf({4}, {2, 4, 3, 9}), dy = tensorOf({4}, {10, 20, 30, 40});
        const auto grad = [&](GraphOpKind of, int side, const std::vector<DenseTensor>& in) {
            GraphOp op = opOf(GraphOpKind::ChoiceGrad);
            op.of = of;
            op.side = side;
            return numbersOf(run(op, in));
        };
        QCOMPARE(grad(GraphOpKind::Max, 0, {a, b, dy}), (Numbers{0, 20, 30, 0}));
        QCOMPARE(grad(GraphOpKind::Max, 1, {a, b, dy}), (Numbers{10, 0, 0, 40}));
        QCOMPARE(grad(GraphOpKind::Min, 0, {a, b, dy}), (Numbers{10, 0, 30, 40}));
        QCOMPARE(grad(GraphOpKind::Min, 1, {a, b, dy}), (Numbers{0, 20, 0, 0}));
        QCOMPARE(grad(GraphOpKind::Reduce, 0, {a, b, dy}), (Numbers{0, 0, 30, 0}));
        const DenseTensor p = tensorOf({4}, {0, 1, -1, 0});
        QCOMPARE(grad(GraphOpKind::Select, 0, {p, dy}), (Numbers{0, 20, 30, 0}));
        QCOMPARE(grad(GraphOpKind::Select, 1, {p, dy}), (Numbers{10, 0, 0, 40}));
        GraphOp unary = opOf(GraphOpKind::UnaryGrad);
        unary.of = GraphOpKind::Relu;
        QCOMPARE(numbersOf(run(unary, {tensorOf({3}, {0, 2, -2}), tensorOf({3}, {5, 6, 7})})), (Numbers{0, 6, 0}));
    }

    void convolutionsAndTheirGradientsSumOverWindows()
    {
        std::mt19937_64 random(seeded(3));
        for (int round = 0; round < 30; ++round) {
            const auto draw = [&](int low, int high) { return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)); };
            GraphOp op = opOf(GraphOpKind::Conv);
            op.groups = draw(1, 2);
            const std::int64_t ci = draw(1, 2) * op.groups, co = draw(1, 2) * op.groups;
            op.windows = {{draw(1, 3), draw(1, 2), draw(0, 2), draw(0, 2), draw(1, 2)}, {draw(1, 2), draw(1, 3), draw(0, 1), draw(0, 1), 1}};
            const DenseTensor x = drawn({2, draw(5, 7), draw(3, 5), ci}, random), k = drawn({op.windows[0].size, op.windows[1].size, ci / op.groups, co}, random);
            const DenseTensor y = run(op, {x, k});
            const DenseTensor dy = drawn(y.shape, random);
            DenseTensor sumY(y.shape), sumX(x.shape), sumK(k.shape);
            for (std::int64_t n = 0; n < 2; ++n)
                for (std::int64_t h = 0; h < x.shape[1]; ++h)
                    for (std::int64_t w = 0; w < x.shape[2]; ++w)
                        for (std::int64_t i = 0; i < y.shape[1]; ++i)
                            for (std::int64_t j = 0; j < y.shape[2]; ++j)
                                for (std::int64_t c = 0; c < ci; ++c)
                                    for (std::int64_t d = 0; d < co; ++d) {
                                        const std::int64_t th = h + op.windows[0].padLow - i * op.windows[0].stride, tw = w + op.windows[1].padLow - j * op.windows[1].stride;
                                        if (th < 0 || tw < 0 || th % op.windows[0].dilation != 0 || th / op.windows[0].dilation >= k.shape[0] || tw >= k.shape[1] || c / k.shape[2] != d / (co / op.groups))
                                            continue;
                                        const auto atX = static_cast<std::size_t>(((n * x.shape[1] + h) * x.shape[2] + w) * ci + c);
                                        const auto atK = static_cast<std::size_t>(((th / op.windows[0].dilation * k.shape[1] + tw) * k.shape[2] + c % k.shape[2]) * co + d);
                                        const auto atY = static_cast<std::size_t>(((n * y.shape[1] + i) * y.shape[2] + j) * co + d);
                                        sumY.values[atY] += x.values[atX] * k.values[atK];
                                        sumX.values[atX] += dy.values[atY] * k.values[atK];
                                        sumK.values[atK] += x.values[atX] * dy.values[atY];
                                    }
            QCOMPARE(numbersOf(y), numbersOf(sumY));
            op.kind = GraphOpKind::ConvInputGrad;
            op.shape = x.shape;
            QCOMPARE(numbersOf(run(op, {dy, k})), numbersOf(sumX));
            op.kind = GraphOpKind::ConvKernelGrad;
            op.shape = k.shape;
            QCOMPARE(numbersOf(run(op, {x, dy})), numbersOf(sumK));
        }
    }

    void poolingJoinsWindowsAndItsGradientGoesBack()
    {
        // One row of 5, windows of 3 with stride 2 and padding 1 on the left: [., 3, 7], [7, 7, 2], and the last element 1 in none but padHigh.
        GraphOp op = opOf(GraphOpKind::Pool);
        op.windows = {{1, 1, 0, 0, 1}, {3, 2, 1, 1, 1}};
        const DenseTensor x = tensorOf({1, 1, 5, 1}, {3, 7, 7, 2, -1}), dy = tensorOf({1, 1, 3, 1}, {10, 20, 30});
        const auto both = [&](ReduceKind kind) {
            op.reduce = kind;
            op.kind = GraphOpKind::Pool;
            Numbers y = numbersOf(run(op, {x}));
            op.kind = GraphOpKind::PoolGrad;
            for (const std::int64_t v : numbersOf(run(op, {x, dy})))
                y.push_back(v);
            return y;
        };
        QCOMPARE(both(ReduceKind::Sum), (Numbers{10, 16, 1, 10, 30, 20, 50, 30}));
        QCOMPARE(both(ReduceKind::Max), (Numbers{7, 7, 2, 0, 30, 0, 30, 0})); // The first of equal ones.
        QCOMPARE(both(ReduceKind::Min), (Numbers{3, 2, -1, 10, 0, 0, 20, 30}));
        op.kind = GraphOpKind::Pool;
        op.reduce = ReduceKind::Mean;
        QCOMPARE(run(op, {x}).values[0], Exact(10) * Exact(inverseOf(3))); // Padding counts as zeros.
    }

    void operandsThatDoNotFitAreErrors()
    {
        const DenseTensor a(TensorShape{2, 3}), b(TensorShape{2});
        GraphOp op = opOf(GraphOpKind::Add);
        QVERIFY(!computeOp(op, {&a, &b}, {2, 3}, {}, {}));
        op = along(GraphOpKind::SortGrad, 1);
        QVERIFY(!computeOp(op, {&a, &b}, {2, 3}, {}, {}));
        op = opOf(GraphOpKind::Relu);
        QVERIFY(!computeOp(op, {&a}, {3, 2}, {}, {}));
        op = opOf(GraphOpKind::ConvInputGrad);
        op.shape = {1, 2, 2, 1};
        const DenseTensor four(TensorShape{1, 2, 2, 1});
        op.windows = {{1, 1, 0, 0, 1}, {2, 1, 0, 0, 1}};
        QVERIFY(!computeOp(op, {&four, &four}, {1, 2, 2, 1}, {}, {}));
    }

    void graphsThatAreTooLargeAreRefusedWithTheLimit()
    {
        OpGraph graph;
        QVERIFY(graph.addInput({"big", {1025, 1024}, ElementType::Fp32, -1, {}}));
        auto refused = runWhole(graph, 0);
        QVERIFY(!refused && refused.error().code == ErrorCode::Unsupported);
        QVERIFY(refused.error().text().find("big") != std::string::npos && refused.error().text().find("1048576") != std::string::npos);
        OpGraph product;
        QVERIFY(product.addInput({"a", {1024, 1024}, ElementType::Fp32, -1, {}}));
        for (const char* name : {"y0", "y1", "y2", "y3", "y4", "y5"}) {
            GraphOp op = opOf(GraphOpKind::Einsum);
            op.name = name;
            op.inputs = {0, 0};
            op.letters = {"mk", "kn", "mn"};
            QVERIFY(product.addOp(op));
        }
        refused = runWhole(product, 0); // 2^31 steps each.
        QVERIFY(!refused && refused.error().text().find("op y4") != std::string::npos && refused.error().text().find("8589934592") != std::string::npos);
        std::stop_source stop;
        stop.request_stop();
        OpGraph small;
        QVERIFY(small.addInput({"a", {4}, ElementType::Fp32, -1, {}}));
        GraphOp relu = opOf(GraphOpKind::Relu);
        relu.name = "r";
        relu.inputs = {0};
        QVERIFY(small.addOp(relu));
        QVERIFY(runWhole(small, 0));
        const auto stopped = runWhole(small, 0, stop.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }

    void inputsDependOnNameAndSeedAlone()
    {
        const GraphTensor a{"a", {200}, ElementType::Fp32, -1, {}}, b{"b", {200}, ElementType::Fp32, -1, {}}, ids{"a", {200}, ElementType::Int32, -1, {}};
        QVERIFY(inputOf(a, 1) == inputOf(a, 1));
        QVERIFY(!(inputOf(a, 1) == inputOf(a, 2)) && !(inputOf(a, 1) == inputOf(b, 1)));
        const Numbers numbers = numbersOf(inputOf(a, 1)), whole = numbersOf(inputOf(ids, 1));
        QVERIFY(*std::ranges::min_element(numbers) == -20 && *std::ranges::max_element(numbers) == 20);
        QVERIFY(*std::ranges::min_element(whole) >= 0 && *std::ranges::max_element(whole) < 100);
    }
};

FABRICSCOPE_TEST(TestExecuteKernels)
#include "tst_execute_kernels.moc"
