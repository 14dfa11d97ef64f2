// Gradients of op graphs, by exact execution: Euler's theorem. Of y homogeneous of degree d in x, <grad x, x> = d <grad y, y>, whatever the gradient of y is.
#include "core/model/graph/gradients.h"
#include "core/sharding/execute/prove.h"
#include "core/sharding/execute/wholerun.h"
#include "core/sharding/partition/partition.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

ShardProblem problemOf(const std::string& tensors, const std::string& ops, const std::string& more = "  mesh: {x: 2}\n")
{
    auto problem = readShardText("fabricscope: 1\nshard:\n" + more + "  tensors: {" + tensors + "}\n  ops: [" + ops + "]\n", "case.yaml");
    if (!problem)
        qFatal("%s", problem.error().text().c_str());
    return std::move(problem).value();
}

Exact dot(const DenseTensor& a, const DenseTensor& b)
{
    Exact sum;
    for (std::size_t i = 0; i < a.values.size(); ++i)
        sum += a.values[i] * b.values[i];
    return sum;
}

} // namespace

class TestShardGradients : public QObject {
    Q_OBJECT

private slots:
    void gradientsFollowEulersTheorem_data()
    {
        QTest::addColumn<QString>("tensors");
        QTest::addColumn<QString>("ops"); // The last makes y.
        QTest::addColumn<QString>("of");
        QTest::addColumn<int>("degree");
        const auto row = [](const char* name, const char* tensors, const char* ops, const char* of, int degree = 1) { QTest::newRow(name) << tensors << ops << of << degree; };
        row("einsum, left", "x: [3, 4], w: [4, 5]", "{name: y, op: einsum, eq: \"mk,kn->mn\", in: [x, w]}", "x");
        row("einsum, right", "x: [3, 4], w: [4, 5]", "{name: y, op: einsum, eq: \"mk,kn->nm\", in: [x, w]}", "w");
        row("einsum that sums a letter of one operand", "x: [3, 4, 2], w: [4, 5]", "{name: y, op: einsum, eq: \"mkj,kn->mn\", in: [x, w]}", "x");
        row("einsum of three", "x: [3, 4], w: [4, 5], v: [5, 3]", "{name: y, op: einsum, eq: \"mk,kn,nm->m\", in: [x, w, v]}", "w");
        row("einsum squared", "x: [3, 3]", "{name: y, op: einsum, eq: \"mk,kn->mn\", in: [x, x]}", "x", 2);
        row("mul", "x: [3, 4], b: [4]", "{name: y, op: mul, in: [x, b]}", "x");
        row("mul by what is repeated", "x: [3, 4], b: [4]", "{name: y, op: mul, in: [x, b]}", "b");
        row("mul by a column", "x: [3, 4], b: [3, 1]", "{name: y, op: mul, in: [x, b]}", "b");
        row("div", "x: [3, 4], b: [4]", "{name: y, op: div, in: [x, b]}", "x");
        row("divisor", "x: [3, 4], b: [4]", "{name: y, op: div, in: [x, b]}", "b", -1);
        row("sums and differences", "x: [3, 4], b: [4]", "{name: p, op: mul, in: [x, b]}, {name: q, op: sub, in: [x, p]}, {name: r, op: neg, in: [q]}, {name: y, op: add, in: [r, p]}", "x");
        row("relu, max, min", "x: [6, 7]", "{name: n, op: neg, in: [x]}, {name: a, op: relu, in: [n]}, {name: b, op: max, in: [a, x]}, {name: y, op: min, in: [b, n]}", "x");
        row("select", "x: [6, 7], p: [6, 7]", "{name: n, op: neg, in: [x]}, {name: y, op: select, in: [p, x, n]}", "x");
        row("dropout, cast, copy", "x: [6, 7]", "{name: a, op: dropout, in: [x], seed: 3, rate: 0.5}, {name: b, op: cast, in: [a], dtype: bf16}, {name: y, op: copy, in: [b]}", "x");
        row("reshape, transpose", "x: [6, 4]", "{name: a, op: reshape, in: [x], shape: [2, 3, 4]}, {name: y, op: transpose, in: [a], perm: [2, 0, 1]}", "x");
        row("broadcast", "x: [6, 1]", "{name: y, op: broadcast, in: [x], shape: [2, 6, 5], dims: [1, 2]}", "x");
        row("slice, pad", "x: [6, 4]", "{name: a, op: slice, in: [x], starts: [1, 0], limits: [5, 3]}, {name: y, op: pad, in: [a], low: [0, 2], high: [1, 0]}", "x");
        row("slice with strides", "x: [11, 4, 9]", "{name: y, op: slice, in: [x], starts: [1, 0, 2], limits: [9, 4, 8], strides: [3, 1, 5]}", "x");
        row("slice of one element with a stride", "x: [5]", "{name: y, op: slice, in: [x], starts: [2], limits: [3], strides: [4]}", "x");
        row("mean", "x: [3, 4, 5]", "{name: y, op: reduce, in: [x], dims: [0, 2], kind: mean}", "x");
        row("concat, reverse", "x: [3, 4]", "{name: a, op: neg, in: [x]}, {name: b, op: concat, in: [a, x, x], dim: 1}, {name: y, op: reverse, in: [b], dims: [1]}", "x");
        row("reduce", "x: [3, 4, 5]", "{name: y, op: reduce, in: [x], dims: [0, 2], kind: sum}", "x");
        row("cumsum", "x: [3, 4]", "{name: y, op: cumsum, in: [x], dim: 1}", "x");
        row("sort, top_k", "x: [3, 9]", "{name: a, op: sort, in: [x], dim: 1}, {name: y, op: top_k, in: [a], dim: 1, k: 4}", "x");
        row("gather", "x: [7, 4], ids: [5]", "{name: y, op: gather, in: [x, ids], dim: 0}", "x");
        row("scatter_add, updates", "x: [5, 4], ids: [5]", "{name: y, op: scatter_add, in: [ids, x], size: 7}", "x");
        row("scatter_add, base", "x: [7, 4], ids: [5], u: [4, 5]", "{name: t, op: einsum, eq: \"vm,mi->im\", in: [x, u]}, {name: y, op: scatter_add, in: [x, ids, t]}", "x");
        row("conv, input", "x: [2, 7, 6, 4], k: [3, 2, 2, 6]",
            "{name: y, op: conv, in: [x, k], window: [3, 2], stride: [2, 1], pad: [[1, 0], [1, 1]], dilation: [1, 2], groups: 2}", "x");
        row("conv, kernel", "x: [2, 7, 6, 4], k: [3, 2, 2, 6]",
            "{name: y, op: conv, in: [x, k], window: [3, 2], stride: [2, 1], pad: [[1, 0], [1, 1]], dilation: [1, 2], groups: 2}", "k");
        row("pool", "x: [2, 6, 6, 3]", "{name: a, op: pool, in: [x], window: [2, 3], kind: sum}, {name: y, op: pool, in: [a], window: [2, 1], stride: [1, 1], kind: max}", "x");
    }
    void gradientsFollowEulersTheorem()
    {
        QFETCH(QString, tensors);
        QFETCH(QString, ops);
        QFETCH(QString, of);
        QFETCH(int, degree);
        const ShardProblem problem = problemOf(tensors.toStdString(), ops.toStdString());
        const auto backward = withGradients(problem.graph);
        QVERIFY2(backward, backward ? "" : backward.error().text().c_str());
        const OpGraph& graph = backward.value().graph;
        const TensorId x = *graph.find(of.toStdString());
        const TensorId y = *graph.find("y");
        const TensorId gx = backward.value().gradients[static_cast<std::size_t>(x)];
        const TensorId gy = backward.value().gradients[static_cast<std::size_t>(y)];
        QVERIFY(gx >= 0 && gy >= 0);
        QCOMPARE(graph.tensor(gx).shape, graph.tensor(x).shape);
        for (const std::uint64_t seed : std::initializer_list<std::uint64_t>{1, 2, 3}) {
            const auto run = runWhole(graph, seed);
            QVERIFY2(run, run ? "" : run.error().text().c_str());
            const auto at = [&](TensorId id) -> const DenseTensor& { return run.value()[static_cast<std::size_t>(id)]; };
            QCOMPARE(dot(at(gx), at(x)).text(), (dot(at(gy), at(y)) * Exact(degree)).text());
        }
    }

    /// A layer with both kinds of parallelism, forward and backward on 2 x 4 devices; each of the sums of three products is reduced once.
    void aLayerAndItsGradientsArePartitionedRightly()
    {
        const ShardProblem problem = problemOf("x: [4, 2, 8], wq: [8, 4, 2], wk: [8, 4, 2], wv: [8, 4, 2], wo: [4, 2, 8], w1: [8, 16], w2: [16, 8]",
            "{name: q, op: einsum, eq: \"bsm,mnd->bsnd\", in: [x, wq]}, {name: k, op: einsum, eq: \"bsm,mnd->bsnd\", in: [x, wk]}, {name: v, op: einsum, eq: \"bsm,mnd->bsnd\", in: [x, wv]},"
            "{name: s, op: einsum, eq: \"bsnd,btnd->bnst\", in: [q, k]}, {name: p, op: softmax, in: [s], dim: 3}, {name: m, op: einsum, eq: \"bnst,btnd->bsnd\", in: [p, v]},"
            "{name: o, op: einsum, eq: \"bsnd,ndm->bsm\", in: [m, wo]}, {name: x1, op: add, in: [x, o]}, {name: u, op: einsum, eq: \"bsm,mh->bsh\", in: [x1, w1]}, {name: g, op: gelu, in: [u]},"
            "{name: z, op: einsum, eq: \"bsh,hm->bsm\", in: [g, w2]}, {name: y, op: add, in: [x1, z]}",
            "  mesh: {x: 2, y: 4}\n  options: {backward: true}\n  annotations: [{tensor: x, dims: [[x], [], [y]]}, {tensor: wq, dims: [[x], [y], []]}, {tensor: wk, dims: [[x], [y], []]},"
            " {tensor: wv, dims: [[x], [y], []]}, {tensor: wo, dims: [[y], [], [x]]}, {tensor: w1, dims: [[x], [y]]}, {tensor: w2, dims: [[y], [x]]}, {tensor: o, dims: [[x], [], [y]]}, {tensor: z, dims: [[x], [], [y]]}]\n");
        const auto plan = partition(problem);
        QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
        const auto proof = proveByExecution(plan.value().program);
        QVERIFY2(proof, proof ? "" : proof.error().text().c_str());
        QVERIFY2(proof.value().equal(), proof.value().equal() ? "" : proof.value().difference->text(plan.value().program).c_str());
        int scatters = 0;
        for (const ProgramStep& step : plan.value().program.steps)
            scatters += step.backward && step.kind == StepKind::ReduceScatter && step.axes.size() == 1 && step.axes[0].axis == 1;
        QCOMPARE(scatters, 2);
    }

    /// Rows 1, 4 and 7 of 11 get the gradient of y, all others 0; of a mean of four every element gets a quarter.
    void stridesAndMeansGoBackToTheirPlaces()
    {
        const auto backward = withGradients(problemOf("x: [11]", "{name: y, op: slice, in: [x], starts: [1], limits: [9], strides: [3]}").graph).value();
        const auto run = runWhole(backward.graph, 7).value();
        const auto at = [&](const BackwardGraph& of, const auto& values, const char* name) -> const DenseTensor& { return values[static_cast<std::size_t>(of.gradients[static_cast<std::size_t>(*of.graph.find(name))])]; };
        const DenseTensor& gx = at(backward, run, "x");
        const DenseTensor& gy = at(backward, run, "y");
        for (std::size_t i = 0; i < 11; ++i)
            QCOMPARE(gx.values[i].text(), (i % 3 == 1 && i < 8 ? gy.values[i / 3] : Exact(0)).text());
        const auto mean = withGradients(problemOf("x: [2, 4]", "{name: y, op: reduce, in: [x], dims: [1], kind: mean}").graph).value();
        const auto means = runWhole(mean.graph, 7).value();
        for (std::size_t i = 0; i < 8; ++i)
            QCOMPARE((at(mean, means, "x").values[i] * Exact(4)).text(), at(mean, means, "y").values[i / 4].text());
    }

    /// Rows cut over x, every third of them taken, joined by a mean: what lies between the slice and its gradient has more dims.
    void stridesAndMeansArePartitioned()
    {
        for (const char* dims : {"[[x], []]", "[[], [x]]", "[[x], [y]]"}) {
            const ShardProblem problem = problemOf("x: [22, 8]", "{name: s, op: slice, in: [x], starts: [1, 0], limits: [20, 8], strides: [3, 2]}, {name: y, op: reduce, in: [s], dims: [1], kind: mean}",
                std::string("  mesh: {x: 2, y: 2}\n  options: {backward: true}\n  annotations: [{tensor: x, dims: ") + dims + "}]\n");
            const auto plan = partition(problem);
            QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
            const auto proof = proveByExecution(problem.graph, plan.value().program);
            QVERIFY2(proof && proof.value().equal(), dims);
        }
    }

    void gradientsThatAreNotDerivedAreRefused()
    {
        const auto backward = withGradients(problemOf("x: [1, 4, 4, 1]", "{name: y, op: pool, in: [x], window: [2, 2], kind: min}").graph);
        QVERIFY(!backward && backward.error().message.find("minimum") != std::string::npos);
    }
};

FABRICSCOPE_TEST(TestShardGradients)
#include "tst_shard_gradients.moc"
