// What every step does, and every refusal with its condition, stage and tensor.
#include "core/transform/executeprogram.h"
#include "core/transform/layoutrules.h"
#include "core/transform/scheduleedits.h"
#include "core/transform/stagegraph.h"
#include "tests/unit/support/cases/kernelshape.h"
#include "tests/unit/support/cases/tensorcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <map>

using namespace fabricscope;
using namespace fabricscope::test;
using namespace fabricscope::transform;

namespace {

const std::string kAdam = R"y(  sizes: {N: 64}
  tensors:
    g: {shape: [N], layout: local}
    w: {shape: [N]}
    m: {shape: [N]}
    v: {shape: [N]}
  stages:
    - {name: s, op: all_reduce, in: [g]}
    - {name: m1, op: update, target: m, expr: "0.9*m + 0.1*s"}
    - {name: v1, op: update, target: v, expr: "0.99*v + 0.01*s*s"}
    - {name: w1, op: update, target: w, expr: "w - 0.1*m1/(sqrt(v1) + 1e-8)"}
  outputs: [w1]
)y";

/// One of everything that steps refuse.
const std::string kMixed = R"y(  sizes: {N: 64, K: 16}
  tensors:
    g: {shape: [N], layout: local}
    h: {shape: [N], layout: local}
    w: {shape: [N]}
    x: {shape: [N, K], layout: local}
    y: {shape: [N, K]}
    z: {shape: [K, K]}
  stages:
    - {name: s, op: all_reduce, in: [g]}
    - {name: s2, op: all_reduce, in: [h]}
    - {name: a, op: expr, expr: "s + 1"}
    - {name: n, op: norm, in: [a]}
    - {name: b, op: expr, expr: "a/n"}
    - {name: d, op: expr, expr: "s - g"}
    - {name: w1, op: update, target: w, expr: "w - 0.1*b"}
    - {name: r, op: all_reduce, in: [x]}
    - {name: l, op: layer_norm, in: [r], dim: 0}
    - {name: p, op: matmul, in: [r, z]}
    - {name: q, op: expr, expr: "r*y"}
    - {name: e, op: reduce, in: [q], kind: max}
    - {name: u2, op: expr, expr: "s2*2"}
    - {name: ds, op: slice, in: [w1]}
    - {name: o, op: expr, expr: "ds + a"}
    - {name: rn, op: reduce, in: [g]}
    - {name: ra, op: all_reduce, in: [rn]}
  outputs: [w1, d, l, p, e, u2, o, b, ra]
)y";

const std::string kSends = R"y(  sizes: {N: 64}
  tensors:
    g: {shape: [N], layout: local}
    c: {shape: [N]}
    k: {shape: [N]}
  stages:
    - {name: s, op: all_reduce, in: [g]}
    - {name: a, op: expr, expr: "s + c"}
    - {name: t, op: send, in: [a]}
    - {name: t2, op: send, in: [c]}
    - {name: f, op: expr, expr: "t*c"}
    - {name: f2, op: expr, expr: "t2 + 1"}
    - {name: j, op: expr, expr: "f + f2"}
    - {name: k1, op: update, target: k, expr: "k + t"}
    - {name: q, op: send, in: [g]}
    - {name: q1, op: expr, expr: "q*2"}
    - {name: lg, op: expr, expr: "g*2"}
    - {name: lt, op: send, in: [lg]}
  outputs: [j, k1, q1, lt]
)y";

/// One reader of m takes its slice, the other all of it.
const std::string kSlices = R"y(  tensors:
    g: {shape: [64], layout: local}
    m: {shape: [64]}
  stages:
    - {name: a, op: slice, in: [m]}
    - {name: u, op: expr, expr: "a*2"}
    - {name: d, op: expr, expr: "g + m"}
  outputs: [u, d]
)y";

/// A replicated tensor is written and read in different ways.
const std::string kTwoWays = R"y(  sizes: {N: 64, K: 16}
  tensors:
    x: {shape: [N, K], layout: local}
    y: {shape: [N, K], layout: local}
    c: {shape: [N, K], layout: {sliced: 1}}
    m: {shape: [N, K]}
    k: {shape: [N, K]}
    t: {shape: [N]}
  stages:
    - {name: r, op: all_reduce, in: [x]}
    - {name: e, op: expr, expr: "r + c"}
    - {name: a, op: slice, in: [m]}
    - {name: b, op: slice, in: [m], dim: 1}
    - {name: a1, op: expr, expr: "a*2"}
    - {name: b1, op: expr, expr: "b*2"}
    - {name: ks, op: slice, in: [k]}
    - {name: q, op: reduce_scatter, in: [y]}
    - {name: nt, op: norm, in: [t]}
    - {name: qs, op: expr, expr: "q + 1"}
    - {name: f, op: expr, expr: "q*nt"}
    - {name: nf, op: norm, in: [f]}
    - {name: t1, op: update, target: t, expr: "t + 1"}
  outputs: [e, a1, b1, ks, qs, nf, t, t1]
)y";

/// A norm reads what an update overwrites, chunk by chunk, without waiting for it.
const std::string kOverwritten = R"y(  tensors:
    g: {shape: [64], layout: local}
    w: {shape: [64]}
  stages:
    - {name: s, op: all_reduce, in: [g]}
    - {name: n, op: norm, in: [w]}
    - {name: w1, op: update, target: w, expr: "w - s"}
    - {name: u, op: expr, expr: "w1*n"}
  outputs: [u]
)y";

/// Twice updated, with something in between: AdamW decays weights first.
const std::string kTwice = R"y(  tensors:
    g: {shape: [64], layout: local}
    w: {shape: [64]}
  stages:
    - {name: s, op: all_reduce, in: [g]}
    - {name: w1, op: update, target: w, expr: "w - s"}
    - {name: n, op: norm, in: [w1]}
    - {name: w2, op: update, target: w, expr: "w*0.9"}
    - {name: u, op: expr, expr: "w2/n"}
  outputs: [w2, u]
)y";

/// A step that is refused, and by what.
struct RefusalRow {
    std::string program;
    std::vector<std::string> steps; ///< The last one is refused.
    std::string broken;             ///< Condition, stage and tensor.
    std::string words;
};

std::vector<RefusalRow> refusalRows()
{
    std::vector<RefusalRow> rows;
    const auto row = [&](const std::string& program, const std::vector<std::string>& steps, const char* broken, const char* words) { rows.push_back({program, steps, broken, words}); };
    // condition stage tensor
    row(kAdam, {"split t"}, "exists t", "there is no stage t");
    row(kAdam, {"split w"}, "exists w", "there is no stage w, that is a tensor");
    row(kAdam, {"split m1"}, "kind m1", "m1 is update, not an all_reduce");
    row(kAdam, {"as_slice q"}, "exists  q", "there is no tensor q");
    row(kAdam, {"split s", "split s.rs"}, "kind s.rs", "s.rs is reduce_scatter, not an all_reduce");
    row(kMixed, {"split ra"}, "kind ra rn", "ra joins rn, a single number, which has no slices");
    row(kAdam, {"split s", "fuse {s.rs, s.ag}", "reorder s.ag {m1, v1, w1}"}, "free s.ag", "s.ag is fused already with {s.rs, s.ag}");
    row(kAdam, {"split s", "overlap s.rs s.ag", "fuse {s.rs, s.ag}"}, "free s.rs", "s.rs is overlapped already, in the chain from s.rs");
    row(kAdam, {"overlap s m1", "split s"}, "free s", "s is overlapped already, in the chain from s");
    row(kAdam, {"reorder s {m1}"}, "kind s", "s is all_reduce, not an all_gather or send; split it first");
    row(kAdam, {"split s", "reorder s.rs {m1}"}, "kind s.rs", "s.rs is reduce_scatter, not an all_gather or send");
    row(kAdam, {"split s", "reorder s.ag {w1}"}, "consumes s.ag", "none of {w1} reads s.ag");
    row(kMixed, {"split r", "reorder r.ag {p}"}, "index_wise p", "p is matmul, which does not work element by element along the gathered dimension");
    row(kMixed, {"split r", "reorder r.ag {l}"}, "index_wise l r.ag", "l normalises r.ag over dimension 0, the gathered one");
    row(kMixed, {"split s", "reorder s.ag {a, d}"}, "no_local d g", "d reads g, which is local");
    row(kMixed, {"split s", "reorder s.ag {a, b}"}, "convex n", "a path from s.ag and {a, b} leaves the set through n outside and comes back");
    row(kAdam, {"as_slice m"}, "used_sliced m1 m", "m is read whole, not as a slice, by m1");
    row(kSlices, {"as_slice m"}, "used_sliced d m", "m is read whole, not as a slice, by d");
    row(kAdam, {"as_slice g"}, "kind  g", "g is local, not replicated");
    row(kMixed, {"as_slice z"}, "used_sliced p z", "z is read whole, not as a slice, by p");
    row(kAdam, {"dead m1"}, "kind m1", "m1 is update, not an all_gather");
    row(kAdam, {"split s", "dead s.ag"}, "unused m1 s.ag", "s.ag is used: m1 reads it");
    row(kAdam, {"split s", "reorder s.ag {m1, v1, w1}", "dead m1.ag"}, "unused m1.ag m", "m1.ag is used: it brings the new value of m to all ranks");
    row(kAdam, {"split s", "reorder s.ag {m1, v1, w1}", "dead w1.ag"}, "unused w1.ag w1.ag", "w1.ag is used: it is an output");
    row(kAdam, {"fuse {m1}"}, "kind m1", "{m1} is one kernel already");
    row(kAdam, {"fuse {s, m1}"}, "kind s", "s is a whole all_reduce: split it before it is fused");
    row(kMixed, {"fuse {p, q}"}, "kind p", "p is matmul, neither pointwise nor a reduction");
    row(kMixed, {"fuse {a, b}"}, "convex n", "n is outside of {a, b} and lies on a path between its stages: the fused kernel would wait for itself");
    row(kMixed, {"fuse {a, q}"}, "same_space q", "q goes through [64, 16], a through [64]: not the same iteration space");
    row(kMixed, {"fuse {a, o}"}, "same_layout o", "o is sliced(0), a is replicated: not the same layout");
    row(kMixed, {"split s", "split s2", "fuse {s.rs, s.ag, s2.rs, s2.ag}"}, "one_reduce_scatter s.rs", "the set has 2 reduce_scatters beside s.rs; exactly one is fused with computations and the all_gathers of what lives on");
    row(kMixed, {"split s", "fuse {a, s.ag}"}, "one_reduce_scatter s.ag", "the set has 0 reduce_scatters beside s.ag; exactly one is fused with computations and the all_gathers of what lives on");
    row(kAdam, {"split s", "fuse {s.rs, s.ag, m1}"}, "sliced m1", "m1 is replicated, not sliced: reorder it before it is fused with the collective");
    row(kAdam, {"split s", "reorder s.ag {m1, v1, w1}", "fuse {s.rs, m1, v1, w1, w1.ag}"}, "all_gathers m1.ag m1", "m1 lives on, and its all_gather m1.ag is not in the set");
    row(kMixed, {"split s", "split s2", "reorder s2.ag {u2}", "fuse {s.rs, s.ag, u2.ag}"}, "all_gathers u2.ag u2", "u2.ag gathers u2, which is not in the set");
    row(kSends, {"fuse {t, t2}"}, "one_send t2", "the set has two sends, t and t2");
    row(kSends, {"fuse {t, f}"}, "group f", "f runs in the group behind t");
    row(kSends, {"fuse {lg, lt}"}, "no_local lg", "lg is local, not sliced or replicated");
    row(kSends, {"reorder t {k1}"}, "group k1 k", "k1 updates k, which is in the group behind the send");
    row(kSends, {"reorder t {f, j}"}, "group j f2", "j reads f2, which is only in the group behind the send");
    row(kSends, {"reorder q {q1}"}, "no_local q g", "q sends g, which is local");
    row(kSends, {"split s", "fuse {s.rs, s.ag, t}"}, "one_send t", "t is a send, which is not fused with reduce_scatter and all_gather");
    row(kMixed, {"overlap s r"}, "chain r s", "r reads nothing that the kernel of s makes: no producer and consumer");
    row(kMixed, {"overlap a b"}, "convex n", "n is outside of the chain from a and lies on a path between its kernels");
    row(kMixed, {"overlap n b"}, "chunk_wise n n", "n is not made chunk by chunk, and b needs it");
    row(kMixed, {"split r", "reorder r.ag {q}", "overlap q e"}, "chain e q", "e reads nothing that the kernel of q makes: no producer and consumer");
    row(kMixed, {"overlap r l p"}, "chain p l", "p reads nothing that the kernel of l makes: no producer and consumer");
    row(kMixed, {"split r", "overlap r.ag l"}, "chunk_wise l r.ag", "l cannot work chunk by chunk along the dimension in which r.ag comes");
    row(kTwoWays, {"split r", "reorder r.ag {e}"}, "layouts e", "stage e (expr): operand c is sliced(1) (expected layout sliced(0) or replicated beside the sliced(0) r.rs)");
    row(kTwoWays, {"as_slice m"}, "used_sliced b m", "b needs slices of m along dimension 1, others along 0");
    row(kTwoWays, {"as_slice k"}, "used_sliced ks k", "ks is an output");
    row(kTwoWays, {"as_slice t"}, "used_sliced nt t", "t is read whole, not as a slice, by nt");
    row(kTwoWays, {"fuse {q, qs}", "overlap q qs"}, "chain qs", "qs is in the same kernel as another stage of the chain");
    row(kOverwritten, {"split s", "reorder s.ag {w1, u}", "as_slice w"}, "used_sliced n w", "w is read whole, not as a slice, by n");
    row(kOverwritten, {"split s", "reorder s.ag {w1, n, u}", "fuse {s.rs, n, w1, u, u.ag, w1.ag}"}, "chunk_wise n w", "n needs all of w, which w1 overwrites chunk by chunk in the same kernel");
    row(kTwice, {"split s", "reorder s.ag {w1, n, w2}", "fuse {s.rs, w1, n, w2, w2.ag}"}, "chunk_wise n w", "n needs all of w, which w2 overwrites chunk by chunk in the same kernel");
    row(kMixed, {"fuse {rn, ra}"}, "kind ra", "ra is an all_reduce, and nothing in the set is a reduce_scatter to fuse it with");
    row(kSends, {"fuse {a, t2}"}, "consumes t2 c", "t2 sends c, which is not in the set");
    row(kSends, {"fuse {a, f}"}, "group f", "f runs in group 1, a in group 0");
    row(kSends, {"fuse {s, t}"}, "kind s", "s is a whole all_reduce: split it before it is fused");
    return rows;
}

std::string stagesOf(const TensorProgram& program)
{
    std::string text;
    for (const Stage& stage : program.stages)
        text += (text.empty() ? "" : " ") + stage.name + ':' + stage.value.layout.text();
    return text;
}

} // namespace

class TestTransformSteps : public QObject {
    Q_OBJECT

private slots:
    void theChainOfAdamGivesSlices();
    void splitMakesAReduceScatterAndAnAllGather();
    void reorderGathersWhatLivesOn();
    void aGatherThatOthersReadStays();
    void onlyTheLastUpdateOfATensorIsGathered();
    void normsInAReorderBecomePartial();
    void computationsMoveBeforeASend();
    void refusalsNameConditionStageAndTensor_data();
    void refusalsNameConditionStageAndTensor();
    void everyConditionDroppedOnceIsCaught();
    void withoutAConditionTheResultBreaks_data();
    void withoutAConditionTheResultBreaks();
    void wordsOfASchedule();
    void schedulesAreEditedAndWrittenBack();
    void writingBackKeepsCommentsAndTheForm();
};

void TestTransformSteps::theChainOfAdamGivesSlices()
{
    const TensorProgram program = transformCase(4, kAdam).program;
    const TensorProgram reordered = afterSteps(program, {"split s", "reorder s.ag {m1, v1, w1}"});
    QCOMPARE(reordered.stages.size(), std::size_t{7}); // s.ag is gone, three new ones
    const TensorProgram sliced = afterSteps(reordered, {"as_slice m", "as_slice v"});
    QCOMPARE(stagesOf(sliced), std::string("s.rs:sliced(0) m1:sliced(0) v1:sliced(0) w1:sliced(0) w1.ag:replicated"));
    QCOMPARE(bytesPerRank(sliced.tensor("m")->value, 4), std::int64_t{64}); // 64 elements of 4 bytes over 4 ranks
    QCOMPARE(bytesPerRank(sliced.tensor("w")->value, 4), std::int64_t{256});
    QCOMPARE(sliced.outputs, std::vector<std::string>{"w1.ag"});
    const TensorProgram fused = afterSteps(sliced, {"fuse {s.rs, m1, v1, w1, w1.ag}"});
    QCOMPARE(kernelsOf(fused).size(), std::size_t{1});
    const TensorProgram whole = afterSteps(sliced, {"as_slice w"});
    QCOMPARE(whole.outputs, std::vector<std::string>{"w1"}); // the slice is the output
    QVERIFY(compareRuns(program, whole).value().equal);
}

void TestTransformSteps::splitMakesAReduceScatterAndAnAllGather()
{
    const TensorProgram made = afterSteps(transformCase(4, kAdam).program, {"split s"});
    QCOMPARE(made.stages[0].name, std::string("s.rs"));
    QCOMPARE(made.stages[1].name, std::string("s.ag"));
    QCOMPARE(made.stages[2].in[1].name, std::string("s.ag"));
}

void TestTransformSteps::reorderGathersWhatLivesOn()
{
    // a is read by o outside, b by w1 outside; n is a number and is not gathered.
    const TensorProgram made = afterSteps(transformCase(4, kMixed).program, {"split s", "reorder s.ag {a, n, b}"});
    QVERIFY(made.stage("a.ag") && made.stage("b.ag") && !made.stage("n.ag"));
    QCOMPARE(made.stage("o")->in[1].name, std::string("a.ag"));
    QCOMPARE(made.stage("w1")->in[1].name, std::string("b.ag"));
}

void TestTransformSteps::aGatherThatOthersReadStays()
{
    const TensorProgram made = afterSteps(transformCase(4, kMixed).program, {"split s", "reorder s.ag {a, n, b}"});
    QVERIFY(made.stage("s.ag")); // d reads it
    QCOMPARE(made.stage("d")->in[0].name, std::string("s.ag"));
}

void TestTransformSteps::onlyTheLastUpdateOfATensorIsGathered()
{
    const TensorProgram program = transformCase(4, kTwice).program;
    const TensorProgram made = afterSteps(program, {"split s", "reorder s.ag {w1, n, w2}"});
    QVERIFY(made.stage("w2.ag") && !made.stage("w1.ag"));
    QVERIFY(compareRuns(program, made).value().equal);
    // What is outside needs the first one whole; without it the tensor is not the same everywhere.
    const TensorProgram apart = afterSteps(program, {"split s", "reorder s.ag {w1}"});
    QVERIFY(apart.stage("w1.ag") && !apart.stage("w2.ag"));
    QVERIFY(compareRuns(program, apart).value().equal);
    TensorProgram missing = made;
    missing.stages.erase(missing.stages.begin() + missing.indexOf("w2.ag"));
    std::replace(missing.outputs.begin(), missing.outputs.end(), std::string("w2.ag"), std::string("w2"));
    const auto refused = inferLayouts(missing);
    QVERIFY(!refused && refused.error().text().find("w2") != std::string::npos);
}

void TestTransformSteps::normsInAReorderBecomePartial()
{
    const TensorProgram program = transformCase(4, kMixed).program;
    const TensorProgram made = afterSteps(program, {"split s", "reorder s.ag {a, n, b, w1}"});
    QVERIFY(made.stage("n")->partial && made.stage("n.ar"));
    QCOMPARE(made.stage("b")->in[1].name, std::string("n.ar"));
    QVERIFY(compareRuns(program, made).value().equal);
}

void TestTransformSteps::computationsMoveBeforeASend()
{
    const TensorProgram program = transformCase(4, kSends, 2).program;
    const TensorProgram made = afterSteps(program, {"reorder t2 {f2}"});
    QVERIFY(!made.stage("t2") && made.stage("f2.send"));
    QCOMPARE(made.stage("f2")->value.group, 0);
    QCOMPARE(made.stage("f2.send")->value.group, 1);
    QVERIFY(compareRuns(program, made).value().equal);
    const TensorProgram fused = afterSteps(made, {"fuse {f2, f2.send}"});
    QVERIFY(compareRuns(program, fused).value().equal);
}

void TestTransformSteps::refusalsNameConditionStageAndTensor_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("steps");
    QTest::addColumn<QString>("broken");
    QTest::addColumn<QString>("words");
    for (const RefusalRow& row : refusalRows()) {
        QStringList steps;
        for (const std::string& step : row.steps)
            steps.append(QString::fromStdString(step));
        QTest::newRow(qPrintable(steps.join(QStringLiteral("; ")))) << QString::fromStdString(row.program) << steps << QString::fromStdString(row.broken) << QString::fromStdString(row.words);
    }
}

void TestTransformSteps::refusalsNameConditionStageAndTensor()
{
    QFETCH(QString, program);
    QFETCH(QStringList, steps);
    QFETCH(QString, broken);
    QFETCH(QString, words);
    std::vector<std::string> lines;
    for (const QString& step : steps)
        lines.push_back(step.toStdString());
    const Refusal refusal = refusalOf(transformCase(4, program.toStdString(), program.contains("send") ? 2 : 1).program, lines);
    const QString found = QString::fromStdString(std::string(keyOf(kConditions, refusal.condition)) + ' ' + refusal.stage + (refusal.tensor.empty() ? "" : ' ' + refusal.tensor));
    QVERIFY2(found == broken, (found.toStdString() + ": " + refusal.reason).c_str());
    QCOMPARE(QString::fromStdString(refusal.reason), words);
    // The words of the refusal name what breaks it.
    for (const std::string& name : {refusal.stage, refusal.tensor})
        QVERIFY2(refusal.reason.find(name) != std::string::npos, refusal.reason.c_str());
}

/// Without its condition each step is refused by another one or by the rules of layouts, gives another result when it is executed, or leaves a kernel that cannot be. Some conditions
/// are stricter than what one program needs; each is needed by one.
void TestTransformSteps::everyConditionDroppedOnceIsCaught()
{
    std::map<Condition, int> caught;
    for (const RefusalRow& row : refusalRows()) {
        const TensorProgram first = transformCase(4, row.program, row.program.find("send") != std::string::npos ? 2 : 1).program;
        const TensorProgram now = afterSteps(first, {row.steps.begin(), row.steps.end() - 1});
        QVERIFY2(wrongKernel(now).empty(), wrongKernel(now).c_str());
        const ScheduleStep step = parseStep(row.steps.back()).value();
        const Condition condition = std::get<Refusal>(applyStep(now, step)).condition;
        const Rewritten made = applyStep(now, step, {condition});
        if (const auto* const program = std::get_if<TensorProgram>(&made)) {
            const auto compared = compareRuns(first, *program);
            caught[condition] += !compared || !compared.value().equal || !wrongKernel(*program).empty();
        } else {
            ++caught[condition];
        }
    }
    for (const auto& [key, condition] : kConditions)
        QVERIFY2(caught[condition] > 0, std::string(key).c_str());
}

void TestTransformSteps::withoutAConditionTheResultBreaks_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("steps");
    QTest::addColumn<int>("condition");
    const auto row = [](const std::string& program, QStringList steps, Condition condition) { QTest::newRow(qPrintable(steps.join("; "))) << QString::fromStdString(program) << steps << static_cast<int>(condition); };
    row(kMixed, {"split s", "reorder s.ag {a, d}"}, Condition::NoLocal);
    row(kMixed, {"fuse {a, b}"}, Condition::Convex);
    row(kMixed, {"split r", "reorder r.ag {l}"}, Condition::IndexWise);
    row(kSlices, {"as_slice m"}, Condition::UsedSliced);
    row(kAdam, {"split s", "dead s.ag"}, Condition::Unused);
    row(kAdam, {"split s", "reorder s.ag {m1, v1, w1}", "dead m1.ag"}, Condition::Unused);
}

void TestTransformSteps::withoutAConditionTheResultBreaks()
{
    QFETCH(QString, program);
    QFETCH(QStringList, steps);
    QFETCH(int, condition);
    const TensorProgram first = transformCase(4, program.toStdString()).program;
    std::vector<std::string> before;
    for (const QString& step : steps.mid(0, steps.size() - 1))
        before.push_back(step.toStdString());
    const Rewritten made = applyStep(afterSteps(first, before), parseStep(steps.back().toStdString()).value(), {static_cast<Condition>(condition)});
    if (const auto* const refusal = std::get_if<Refusal>(&made)) { // The rules of layouts or of order catch it.
        QVERIFY(refusal->condition == Condition::Layouts || refusal->condition == Condition::Convex);
        return;
    }
    const auto compared = compareRuns(first, std::get<TensorProgram>(made));
    QVERIFY(!compared || !compared.value().equal);
}

void TestTransformSteps::wordsOfASchedule()
{
    const auto schedule = parseSchedule("# a remark\nsplit s\n\n- \"reorder s.ag {u,w1}\"  # another\n  fuse { a , b }\noverlap y s.rs t\ndead AG\nas_slice m", "x.schedule");
    QVERIFY(schedule);
    std::string text;
    for (const ScheduleStep& step : schedule.value())
        text += step.text() + ';';
    QCOMPARE(text, std::string("split s;reorder s.ag {u, w1};fuse {a, b};overlap y s.rs t;dead AG;as_slice m;"));
    QCOMPARE(schedule.value()[1].place.line, 4);
    for (const auto& [line, words] : std::vector<std::pair<std::string, std::string>>{{"split\n", "x:1:6"}, {"\n  split a b", "x:2:11"}, {"fuse a", "x:1:6"}, {"fuse {a", "not closed"}, {"overlap a", "a name is missing"}, {"reorder a", "a set of stages"}, {"slice a", "no step \"slice\""}, {"fuse {a, a}", "named twice"}}) {
        const auto refused = parseSchedule(line, "x");
        QVERIFY2(!refused, line.c_str());
        QVERIFY2(refused.error().text().find(words) != std::string::npos, refused.error().text().c_str());
    }
}

void TestTransformSteps::schedulesAreEditedAndWrittenBack()
{
    const TransformFile file = transformCase(4, kAdam);
    const Schedule all = parseSchedule("split s\nreorder s.ag {m1, v1, w1}\nas_slice m\nas_slice v", "x").value();
    // Without the reorder nothing is read in slices; the slices of m and v do not depend on each other.
    QCOMPARE(scheduleText(withoutStep(file.program, all, 1)), std::string("split s\n"));
    QCOMPARE(scheduleText(withoutStep(file.program, all, 2)), std::string("split s\nreorder s.ag {m1, v1, w1}\nas_slice v\n"));
    const EditedSchedule moved = withMovedStep(file.program, all, 3, 2);
    QCOMPARE(scheduleText(std::get<Schedule>(moved)), std::string("split s\nreorder s.ag {m1, v1, w1}\nas_slice v\nas_slice m\n"));
    QCOMPARE(std::get<RefusedStep>(withMovedStep(file.program, all, 0, 1)).step, std::size_t{1});
    QCOMPARE(std::get<RefusedStep>(withStep(file.program, all, parseStep("split s").value())).step, std::size_t{5});
    // Whatever the file had; everything else stays.
    const std::string text = transformText(4, kAdam) + "  # last\n";
    for (const char* const before : {"", "  schedule: []\n", "  schedule: [split s]\n", "  schedule:\n    - split s  # first\n    - \"dead s.ag\"\n"}) {
        for (const Schedule& schedule : {all, Schedule(all.begin(), all.begin() + 1), Schedule()}) {
            const auto made = withScheduleText(text + before, "x.yaml", schedule);
            QVERIFY2(made, made ? "" : made.error().text().c_str());
            QVERIFY(made.value().find("# last") != std::string::npos);
            const auto read = readTransformText(made.value(), "x.yaml");
            QVERIFY2(read, read ? "" : read.error().text().c_str());
            QCOMPARE(scheduleText(read.value().schedule), scheduleText(schedule));
        }
    }
}

void TestTransformSteps::writingBackKeepsCommentsAndTheForm()
{
    const auto edited = [](const std::string& list, const std::string& steps) {
        const auto made = withScheduleText("transform:\n" + list, "x.yaml", parseSchedule(steps, "x").value());
        return made ? made.value().substr(11) : made.error().text();
    };
    const std::string list = "  schedule:  # of last week\n    # first things\n    - split s  # why\n\n    # as slices\n    - \"reorder s.ag {u,w}\"\n    - dead a # b\n  # end\n  ranks: 4\n";
    QCOMPARE(edited(list, "split s\nreorder s.ag {u, w}\ndead a"), list);
    const auto replaced = [&](const std::string& what, const std::string& by) {
        std::string text = list;
        return text.replace(text.find(what), what.size(), by);
    };
    // A step more behind the others, and between.
    QCOMPARE(edited(list, "split s\nreorder s.ag {u, w}\ndead a\nas_slice m"), replaced("# b\n", "# b\n    - as_slice m\n"));
    QCOMPARE(edited(list, "split s\nas_slice m\nreorder s.ag {u, w}\ndead a"), replaced("# why\n", "# why\n    - as_slice m\n"));
    // One that goes takes its own comment with it, and no other.
    QCOMPARE(edited(list, "split s\nreorder s.ag {u, w}"), replaced("    - dead a # b\n", ""));
    QCOMPARE(edited(list, "split s\ndead a"), replaced("    - \"reorder s.ag {u,w}\"\n", ""));
    // One that moves has it with it.
    const std::string reorder = "\n    # as slices\n    - \"reorder s.ag {u,w}\"\n";
    QCOMPARE(edited(list, "split s\ndead a\nreorder s.ag {u, w}"), replaced(reorder + "    - dead a # b\n", "    - dead a # b\n" + reorder));
    QCOMPARE(edited(list, ""), std::string("  schedule: []  # of last week\n    # first things\n\n    # as slices\n  # end\n  ranks: 4\n"));
    // Line ends, and a last line without one.
    QCOMPARE(edited("  schedule:\r\n  - split s # a\r\n  - dead b", "split s\ndead b\ndead c"), std::string("  schedule:\r\n  - split s # a\r\n  - dead b\n  - dead c\n"));
    // A list in [] stays one.
    QCOMPARE(edited("  schedule: [\n    'split s',  # why\n    dead b,\n  ]\n", "split s\ndead c\ndead d"), std::string("  schedule: [\n    'split s',  # why\n    dead c, dead d,\n  ]\n"));
    QCOMPARE(edited("  schedule: [\n    split s,  # why\n    dead b,\n    dead c,\n  ]\n", "split s\ndead c"), std::string("  schedule: [\n    split s,  # why\n    dead c,\n  ]\n"));
}

FABRICSCOPE_TEST(TestTransformSteps)
#include "tst_transform_steps.moc"
