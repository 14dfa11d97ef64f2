// Random programs and random legal steps give the same results when they are executed; each condition is needed.
#include "core/base/index.h"
#include "core/transform/executeprogram.h"
#include "core/transform/layoutrules.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/kernelshape.h"
#include "tests/unit/support/cases/tensorcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <map>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;
using namespace fabricscope::transform;

namespace {

QByteArray told(const TensorProgram& before, const TensorProgram& after, const std::string& why)
{
    return QByteArray::fromStdString(why + "\nbefore: " + canonicalText(before) + "\nafter: " + canonicalText(after));
}

} // namespace

class TestTransformRandom : public QObject {
    Q_OBJECT

private slots:
    void randomLegalStepsKeepTheResult();
    void everyStepCanBeUndone();
    void aProgramThatDoesSomethingElseIsCaught();
    void everyConditionIsNeeded();
};

void TestTransformRandom::randomLegalStepsKeepTheResult()
{
    std::map<StepKind, int> taken;
    int sequences = 0;
    for (const std::uint64_t seed : Seeds(1, 500)) {
        std::mt19937_64 random(seed);
        const TensorProgram first = randomProgram(random);
        TensorProgram now = first;
        int steps = 0;
        for (int tries = 0; tries < 400 && steps < 12; ++tries) {
            const ScheduleStep step = randomStep(now, random);
            const Rewritten made = applyStep(now, step);
            if (!std::holds_alternative<TensorProgram>(made))
                continue;
            ++taken[step.kind];
            ++steps;
            const TensorProgram& after = std::get<TensorProgram>(made);
            const auto compared = compareRuns(first, after);
            QVERIFY2(compared, compared ? "" : told(now, after, step.text() + ": " + compared.error().text()).constData());
            QVERIFY2(compared.value().equal, told(now, after, step.text() + ": " + compared.value().difference).constData());
            const std::string wrong = wrongKernel(after);
            QVERIFY2(wrong.empty(), told(now, after, step.text() + ": " + wrong).constData());
            now = after;
        }
        sequences += steps >= 3;
    }
    QVERIFY2(sequences >= cases(200), QByteArray::number(sequences).constData());
    for (const StepKind kind : {StepKind::Split, StepKind::Reorder, StepKind::AsSlice, StepKind::Fuse, StepKind::Overlap, StepKind::Dead})
        QVERIFY2(taken[kind] >= (kind == StepKind::Dead || kind == StepKind::AsSlice ? 1 : 10), (std::string(keyOf(kTransformSteps, kind)) + ' ' + std::to_string(taken[kind])).c_str());
}

void TestTransformRandom::everyStepCanBeUndone()
{
    for (const std::uint64_t seed : Seeds(1000, 60)) {
        std::mt19937_64 random(seed);
        StepHistory history(randomProgram(random));
        std::vector<std::string> texts{canonicalText(history.program())};
        for (int tries = 0; tries < 200; ++tries) {
            if (!history.apply(randomStep(history.program(), random)))
                texts.push_back(canonicalText(history.program()));
        }
        // What was written down replays.
        StepHistory again(history.first());
        for (const ScheduleStep& step : history.applied())
            QVERIFY(!again.apply(parseStep(step.text()).value()));
        QCOMPARE(canonicalText(again.program()), texts.back());
        while (texts.size() > 1) {
            texts.pop_back();
            QVERIFY(history.undo());
            QCOMPARE(canonicalText(history.program()), texts.back());
        }
        QVERIFY(!history.undo());
    }
}

void TestTransformRandom::aProgramThatDoesSomethingElseIsCaught()
{
    // A stage of a random program changed a little: whoever reads it must notice.
    int caught = 0;
    int changed = 0;
    for (const std::uint64_t seed : Seeds(2000, 300)) {
        std::mt19937_64 random(seed);
        const TensorProgram program = randomProgram(random);
        TensorProgram wrong = program;
        Stage* const stage = wrong.stage(wrong.outputs.front());
        if (stage->op == Op::Expr || stage->op == Op::Update) {
            ExprNode number;
            number.number = 1.001;
            number.word = "1.001";
            ExprNode product;
            product.kind = ExprNode::Kind::Multiply;
            product.left = static_cast<std::int32_t>(stage->expr.nodes.size()) - 1;
            product.right = product.left + 1;
            stage->expr.nodes.push_back(number);
            stage->expr.nodes.push_back(product);
        } else if (stage->op == Op::Dropout) {
            ++stage->seed;
        } else if (stage->op == Op::ReduceScatter && wrong.ranks > 1) {
            stage->join = stage->join == Join::Max ? Join::Min : Join::Max;
        } else {
            continue;
        }
        ++changed;
        const auto compared = compareRuns(program, wrong);
        QVERIFY(compared);
        caught += !compared.value().equal;
    }
    // Two dropout masks of few elements may be alike by chance.
    QVERIFY(changed > 0 && caught * 100 >= changed * 97);
}

void TestTransformRandom::everyConditionIsNeeded()
{
    // Without one condition steps pass that change the result, or leave a program that cannot run.
    std::map<Condition, int> broken;
    const std::set<Condition> watched{Condition::Convex, Condition::NoLocal, Condition::Unused, Condition::IndexWise};
    for (const std::uint64_t seed : Seeds(3000, 500)) {
        std::mt19937_64 random(seed);
        const TensorProgram first = randomProgram(random);
        TensorProgram now = first;
        for (int tries = 0; tries < 120; ++tries) {
            const ScheduleStep step = randomStep(now, random);
            const Rewritten made = applyStep(now, step);
            if (const auto* const legal = std::get_if<TensorProgram>(&made)) {
                now = *legal;
                continue;
            }
            const Condition condition = std::get<Refusal>(made).condition;
            if (!watched.contains(condition))
                continue;
            const Rewritten without = applyStep(now, step, {condition});
            if (const auto* const refusal = std::get_if<Refusal>(&without)) {
                broken[condition] += refusal->condition != condition || condition == Condition::Convex;
                continue;
            }
            const auto compared = compareRuns(first, std::get<TensorProgram>(without));
            broken[condition] += !compared || !compared.value().equal;
        }
    }
    for (const Condition condition : watched)
        QVERIFY2(broken[condition] > 0, std::string(keyOf(kConditions, condition)).c_str());
}

FABRICSCOPE_TEST(TestTransformRandom)
#include "tst_transform_random.moc"
