// How shardings spread: examples worked by hand, and rules that hold whatever the graph.
#include "core/sharding/propagate.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

ShardProblem problemOf(const std::string& body, const std::vector<std::pair<std::string, std::string>>& sets = {})
{
    auto problem = readShardText("fabricscope: 1\nshard:\n" + body, "case.yaml", sets);
    if (!problem)
        qFatal("%s", problem.error().text().c_str());
    return std::move(problem).value();
}

/// "a [x, -]; b [-, y]" of all tensors after propagation.
QString spread(const ShardProblem& problem)
{
    const auto dims = propagate(problem.graph, startOf(problem), {problem.options.aggressive, problem.groups}, {});
    QStringList all;
    for (std::size_t t = 0; t < dims.size(); ++t)
        all << QString::fromStdString(problem.graph.tensors[t].name + " " + layoutText(problem.mesh, {dims[t], {}, ReduceKind::Sum}));
    return all.join("; ");
}

QString spread(const std::string& body, const std::vector<std::pair<std::string, std::string>>& sets = {})
{
    return spread(problemOf(body, sets));
}

QString refusal(const std::string& text)
{
    const auto problem = readShardText(text, "case.yaml");
    return problem ? QString() : QString::fromStdString(problem.error().text());
}

} // namespace

class TestShardPropagation : public QObject {
    Q_OBJECT

private slots:
    /// Worked by hand in the description of the merge rule: one agrees, one has a common beginning, one does not.
    void theMergedListIsTheLongestOnWhichAllAgree()
    {
        QCOMPARE(spread("  mesh: {a: 2, b: 2, c: 2, d: 2, e: 2, f: 2, g: 2}\n"
                        "  tensors: {t0: [8, 8, 8], t1: [8, 8, 8]}\n"
                        "  ops: [{name: t2, op: add, in: [t0, t1]}]\n"
                        "  annotations: [{tensor: t0, dims: [[a], [], [f]]}, {tensor: t1, dims: [[a, b], [c, d], [g]]}, {tensor: t2, dims: [[], [c, e], []]}]\n"),
            "t0 [(a, b), c, f]; t1 [(a, b), (c, d), g]; t2 [(a, b), (c, e), -]");
    }

    void tensorsOfAGroupLieAlike()
    {
        const std::string body = "  mesh: {x: 2, y: 2}\n  tensors: {a: [8, 8], b: [8, 8]}\n  ops: [{name: c, op: tanh, in: [a]}, {name: d, op: tanh, in: [b]}]\n";
        ShardProblem problem = problemOf(body + "  annotations: [{tensor: a, dims: [[x], []]}]\n");
        QCOMPARE(spread(problem), "a [x, -]; b [-, -]; c [x, -]; d [-, -]");
        const auto grouped = [&](const std::string& annotations, const char* first, const char* second) {
            problem = problemOf(body + "  annotations: [" + annotations + "]\n");
            problem.groups = {{*problem.graph.find(first), *problem.graph.find(second)}};
            return spread(problem);
        };
        QCOMPARE(grouped("{tensor: a, dims: [[x], []]}", "c", "d"), "a [x, -]; b [x, -]; c [x, -]; d [x, -]");
        QCOMPARE(grouped("{tensor: a, dims: [[x], []]}, {tensor: d, dims: [[], [y]]}", "c", "d"), "a [x, y]; b [x, y]; c [x, y]; d [x, y]");
        // What one of them may not use or have split, none may.
        QCOMPARE(grouped("{tensor: a, dims: [[x], []]}, {tensor: b, dims: [[], []], closed: [0, 1]}", "c", "b"), "a [x, -]; b [-, -]; c [-, -]; d [-, -]");
        QCOMPARE(grouped("{tensor: a, dims: [[x], [y]]}, {tensor: d, replicated: [y]}", "c", "d"), "a [x, y]; b [x, -]; c [x, -]; d [x, -]");
    }

    /// 8 = 2 x 4 over four devices: the major half of the axis cuts the 2, the minor half the 4.
    void reshapesSplitAxes()
    {
        const std::string body = "  mesh: {x: 4}\n  tensors: {a: [8]}\n  ops: [{name: b, op: reshape, in: [a], shape: [2, 4]}]\n";
        QCOMPARE(spread(body + "  annotations: [{tensor: a, dims: [[x]]}]\n"), "a [x]; b [x:(1)2, x:(2)2]");
        QCOMPARE(spread(body + "  annotations: [{tensor: b, dims: [[\"x:(1)2\"], [\"x:(2)2\"]]}]\n"), "a [x]; b [x:(1)2, x:(2)2]");
        // The 4 alone is cut in strips: no axis of the 8 says so.
        QCOMPARE(spread(body + "  annotations: [{tensor: b, dims: [[], [x]]}]\n"), "a [-]; b [-, x]");
    }

    void contractedFactorsSpreadBetweenOperands()
    {
        QCOMPARE(spread("  mesh: {x: 4, y: 2}\n  tensors: {x: [16, 8, 32], w1: [32, 64], w2: [64, 32]}\n"
                        "  ops: [{name: h, op: einsum, eq: \"bsm,mh->bsh\", in: [x, w1]}, {name: out, op: einsum, eq: \"bsh,hm->bsm\", in: [h, w2]}]\n"
                        "  annotations: [{tensor: x, dims: [[x], [], []]}, {tensor: w1, dims: [[], [y]]}]\n"),
            "x [x, -, -]; w1 [-, y]; w2 [y, -]; h [x, -, y]; out [x, -, -]");
    }

    void basicLeavesConflictsOpenAndAggressiveLetsTheLargestTensorWin()
    {
        const std::string body = "  mesh: {x: 4}\n  tensors: {a: [64, 32], b: [32, 128]}\n  ops: [{name: c, op: einsum, eq: \"mk,kn->mn\", in: [a, b]}]\n"
                                 "  annotations: [{tensor: a, dims: [[x], []]}, {tensor: b, dims: [[], [x]]}]\n";
        QCOMPARE(spread(body), "a [x, -]; b [-, x]; c [-, x]");
        QCOMPARE(spread(body, {{"options.strategy", "basic"}}), "a [x, -]; b [-, x]; c [-, -]");
        QCOMPARE(spread(body, {{"tensors.a", "[512, 32]"}}), "a [x, -]; b [-, x]; c [x, -]");
    }

    /// The combine of a mixture of experts: `back` has x on its experts, so x of the groups passes it by, but reaches the result.
    void aggressivePassesTensorsThatCannotTakeAnAxis()
    {
        const std::string body = "  mesh: {x: 4}\n  tensors: {back: [4, 8, 16], combine: [8, 32, 4]}\n  ops: [{name: y, op: einsum, eq: \"egm,gse->gsm\", in: [back, combine]}]\n"
                                 "  annotations: [{tensor: back, dims: [[x], [], []]}, {tensor: combine, dims: [[x], [], []]}]\n";
        QCOMPARE(spread(body), "back [x, -, -]; combine [x, -, -]; y [x, -, -]");
        QCOMPARE(spread(body, {{"options.strategy", "basic"}}), "back [x, -, -]; combine [x, -, -]; y [-, -, -]");
    }

    void closedDimsAndReplicatedAxesTakeNothing()
    {
        const std::string body = "  mesh: {x: 4, y: 2}\n  tensors: {a: [8, 8]}\n  ops: [{name: b, op: relu, in: [a]}, {name: c, op: exp, in: [b]}]\n";
        QCOMPARE(spread(body + "  annotations: [{tensor: a, dims: [[x], [y]]}]\n"), "a [x, y]; b [x, y]; c [x, y]");
        QCOMPARE(spread(body + "  annotations: [{tensor: a, dims: [[x], [y]]}, {tensor: b, dims: [[], []], closed: [0]}]\n"), "a [x, y]; b [-, y]; c [-, y]");
        QCOMPARE(spread(body + "  annotations: [{tensor: a, dims: [[x], [y]]}, {tensor: b, replicated: [y]}]\n"), "a [x, y]; b [x, -]; c [x, -]");
        // Only the sub-axis that is free.
        QCOMPARE(spread(body + "  annotations: [{tensor: a, dims: [[x], []]}, {tensor: b, replicated: [\"x:(2)2\"]}]\n"), "a [x, -]; b [-, -]; c [-, -]");
    }

    /// Both annotations want axis x, on different dims of the same tensor between them: who comes first has it.
    void lowerPrioritiesSpreadFirst()
    {
        const std::string body = "  mesh: {x: 4}\n  tensors: {a: [8, 8]}\n  ops: [{name: b, op: relu, in: [a]}, {name: c, op: exp, in: [b]}]\n  annotations: ";
        QCOMPARE(spread(body + "[{tensor: a, dims: [[x], []], priority: 1}, {tensor: c, dims: [[], [x]], priority: 0}]\n"), "a [x, -]; b [-, x]; c [-, x]");
        QCOMPARE(spread(body + "[{tensor: a, dims: [[x], []], priority: 0}, {tensor: c, dims: [[], [x]], priority: 1}]\n"), "a [x, -]; b [x, -]; c [-, x]");
    }

    void nothingPassesWhatNeedsReplication()
    {
        QCOMPARE(spread("  mesh: {x: 4, y: 2}\n  tensors: {a: [8, 8]}\n  ops: [{name: b, op: sort, in: [a], dim: 1}]\n  annotations: [{tensor: a, dims: [[x], [y]]}]\n"), "a [x, y]; b [x, -]");
    }

    /// A larger graph, drawn; whatever was annotated is a beginning of what comes out, and no axis stands twice in a tensor.
    void annotationsAreOnlyRefined()
    {
        const ShardProblem problem = problemOf("  mesh: {x: 2, y: 3, z: 2}\n  tensors: {a: [12, 6, 4], w: [4, 6], v: [6, 12]}\n"
                                               "  ops:\n    - {name: b, op: einsum, eq: \"ijk,kl->ijl\", in: [a, w]}\n    - {name: c, op: transpose, in: [b], perm: [2, 0, 1]}\n"
                                               "    - {name: d, op: reshape, in: [c], shape: [6, 72]}\n    - {name: e, op: einsum, eq: \"lq,lm->qm\", in: [d, v]}\n"
                                               "  annotations: [{tensor: a, dims: [[x], [y], []]}, {tensor: w, dims: [[], [y]]}, {tensor: e, dims: [[z], [x]]}]\n");
        const auto dims = propagate(problem.graph, startOf(problem), {}, {});
        for (std::size_t t = 0; t < dims.size(); ++t) {
            AxisList used;
            for (std::size_t d = 0; d < dims[t].size(); ++d) {
                for (const AxisPart& part : dims[t][d]) {
                    QVERIFY(!overlap(used, part));
                    used.push_back(part);
                }
                if (const TensorAnnotation* note = problem.annotationOf(static_cast<TensorId>(t)))
                    QVERIFY(isPrefix((*note->dims)[d], dims[t][d]));
            }
        }
    }

    void filesThatSayWrongThingsAreRefusedAtTheirPlace()
    {
        const std::string head = "fabricscope: 1\nshard:\n  mesh: {x: 4}\n  tensors: {a: [8, 8]}\n";
        QCOMPARE(refusal(head + "  ops: [{name: b, op: relu, in: [q]}]\n"), "case.yaml:5:34, shard.ops[0].in[0]: no tensor is named q (expected an input, or an op further up)");
        QVERIFY(refusal(head + "  ops: [{name: b, op: relux, in: [a]}]\n").contains("unknown op \"relux\""));
        QVERIFY(refusal(head + "  annotations: [{tensor: a, dims: [[x], [x]]}]\n").contains("axis x is used twice"));
        QVERIFY(refusal(head + "  annotations: [{tensor: a, dims: [[x]]}]\n").contains("2 lists"));
        QVERIFY(refusal(head + "  annotations: [{tensor: a, dims: [[w], []]}]\n").contains("no axis is named w"));
        QVERIFY(refusal(head + "  annotations: [{tensor: a, dims: [[\"x:(3)2\"], []]}]\n").contains("is no part of axis x"));
        QVERIFY(refusal(head + "  ops: [{name: b, op: einsum, eq: \"ij,jk->ik\", in: [a]}]\n").contains("operands"));
        QVERIFY(refusal(head + "  ops: [{name: b, op: reshape, in: [a], shape: [3, 4]}]\n").contains("64 elements"));
        QVERIFY(refusal(head + "  wantd: {}\n").contains("wanted"));
        QVERIFY(refusal("fabricscope: 1\nshard:\n  mesh: {x: 40000, y: 40000}\n  tensors: {a: [8]}\n").contains("2^24"));
    }
};

FABRICSCOPE_TEST(TestShardPropagation)
#include "tst_shard_propagation.moc"
