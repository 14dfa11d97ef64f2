// The proof by execution of the shipped examples, and what it refuses.
#include "core/sharding/execute/prove.h"
#include "core/sharding/execute/reducedrun.h"
#include "core/sharding/partition/partition.h"
#include "sourcedir.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/shardcase.h"
#include "tests/unit/support/cases/sharddefects.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <QDir>
#include <QFile>

#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

PartitionedProgram programOf(const std::string& text, const std::vector<std::pair<std::string, std::string>>& overrides = {})
{
    const auto problem = readShardText(text, "example", overrides);
    if (!problem)
        qFatal("%s", problem.error().text().c_str());
    auto plan = partition(problem.value());
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    return plan.value().program;
}

/// y = x w over one axis, the contracted dim cut: partial products that are joined.
const char* const kProduct = "fabricscope: 1\nshard:\n  mesh: {x: 4}\n  tensors: {x: [6, 10], w: [10, 3]}\n"
                             "  ops:\n    - {name: y, op: einsum, eq: \"mk,kn->mn\", in: [x, w]}\n  annotations:\n    - {tensor: x, dims: [[], [x]]}\n";

} // namespace

class TestExecuteExamples : public QObject {
    Q_OBJECT

private slots:
    void shippedExamplesAreEqualAndNotWithADefect()
    {
        const QDir folder(QString(FABRICSCOPE_SOURCE_DIR) + "/resources/examples/shard");
        const QStringList files = folder.entryList({"*.yaml"});
        QVERIFY(!files.isEmpty());
        int proven = 0;
        int smaller = 0;
        for (const QString& name : files) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const ShardProblem problem = readShardText(file.readAll().toStdString(), name.toStdString()).value();
            const ShardPlan plan = partition(problem).value();
            const bool large = !checkExecutable(plan.program);
            const auto reduced = large ? reducedShard(problem, plan) : ReducedShard{problem, plan, {}};
            QVERIFY2(reduced, qPrintable(name));
            QCOMPARE(!reduced.value().inputs.empty(), large);
            const PartitionedProgram& program = reduced.value().plan.program;
            const auto proof = proveByExecution(reduced.value().problem.graph, program);
            QVERIFY2(proof && proof.value().equal(), qPrintable(name));
            QVERIFY(proof.value().values > 2 && proof.value().elements > 100);
            large ? ++smaller : ++proven;
            int caught = 0;
            for (const ShardDefect& defect : shardDefects()) {
                PartitionedProgram broken = program;
                if (!defect.apply(broken))
                    continue;
                const auto found = proveByExecution(broken);
                caught += !found || !found.value().equal();
            }
            QVERIFY2(caught >= 2, qPrintable(name));
        }
        QVERIFY(proven >= 3 && smaller >= 1);
    }

    /// Whatever is made smaller, the partitioner has the same to do: the collectives as a set, counted here from kind, tensor and axes alone, and the proof holds.
    void smallerDimsKeepTheSetOfCollectives()
    {
        const auto setOf = [](const PartitionedProgram& program) {
            std::multiset<std::string> set;
            for (const ProgramStep& step : program.steps) {
                if (isCollective(step.kind))
                    set.insert(std::string(wordOf(step.kind)) + ' ' + program.value(step.out).name + ' ' + axesText(program.mesh, step.axes));
            }
            return set;
        };
        int made = 0;
        int communicate = 0;
        for (const std::uint64_t seed : Seeds(81'000, 300, 60)) {
            const ShardProblem problem = drawnShard(seed);
            const auto plan = partition(problem);
            if (!plan)
                continue; // A gradient that is refused.
            const auto reduced = reducedShard(problem, plan.value());
            if (!reduced)
                continue; // No scale keeps them; said so.
            made += !reduced.value().inputs.empty();
            communicate += !reduced.value().inputs.empty() && !setOf(plan.value().program).empty();
            QVERIFY2(setOf(plan.value().program) == setOf(reduced.value().plan.program), qPrintable(QString::number(seed)));
            for (const TensorId input : reduced.value().inputs) {
                for (std::size_t d = 0; d < problem.graph.tensor(input).shape.size(); ++d)
                    QVERIFY(reduced.value().problem.graph.tensor(input).shape[d] <= problem.graph.tensor(input).shape[d]);
            }
            const auto proof = proveByExecution(reduced.value().problem.graph, reduced.value().plan.program, {}, seed);
            QVERIFY2(proof && proof.value().equal(), qPrintable(QString::number(seed)));
        }
        QVERIFY2(made >= 10 && communicate >= 5, qPrintable(QString::number(made) + ' ' + QString::number(communicate)));
    }

    /// 10 over 4 is cut into 3, 3, 3 and 1: what takes its place does not divide either, and no part is empty. 6000 = 2 x 3000 after a reshape.
    void unevenPartsStayUnevenAndReshapesFit()
    {
        const ShardProblem problem = readShardText("fabricscope: 1\nshard:\n  mesh: {x: 4, y: 2}\n  tensors: {x: [30002, 6000], w: [6000, 5000]}\n  ops:\n    - {name: t, op: reshape, in: [x], shape: [30002, 2, 3000]}\n"
                                                  "    - {name: y, op: einsum, eq: \"mk,kn->mn\", in: [x, w]}\n  annotations:\n    - {tensor: x, dims: [[x], [y]]}\n", "case").value();
        const ShardPlan plan = partition(problem).value();
        QVERIFY(!checkExecutable(plan.program));
        const auto reduced = reducedShard(problem, plan);
        QVERIFY2(reduced, reduced ? "" : reduced.error().message.c_str());
        const OpGraph& graph = reduced.value().problem.graph;
        const TensorShape x = graph.tensor(*graph.find("x")).shape;
        const TensorShape t = graph.tensor(*graph.find("t")).shape;
        QCOMPARE(x[0] % 4, 2);
        QCOMPARE(x[1] % 2, 0);
        QVERIFY(x[0] < 100 && x[1] < 1000);
        QCOMPARE(t[1] * t[2], x[1]);
        QCOMPARE(graph.tensor(*graph.find("w")).shape[0], x[1]);
        QVERIFY(proveByExecution(graph, reduced.value().plan.program).value().equal());
    }

    /// The first layer of a ResNet: its rows and its window stay, images and channels do not.
    void aKernelKeepsItsWindow()
    {
        const ShardProblem problem = readShardText("fabricscope: 1\nshard:\n  mesh: {b: 2, h: 4}\n  tensors: {x: [8, 96, 96, 64], k: [7, 7, 64, 128]}\n  ops:\n    - {name: y, op: conv, in: [x, k], window: [7, 7], stride: [2, 2], pad: [[3, 3], [3, 3]]}\n"
                                                  "  annotations:\n    - {tensor: x, dims: [[b], [h], [], []]}\n", "case").value();
        const ShardPlan plan = partition(problem).value();
        QVERIFY(!checkExecutable(plan.program));
        const auto reduced = reducedShard(problem, plan);
        QVERIFY2(reduced, reduced ? "" : reduced.error().message.c_str());
        const OpGraph& graph = reduced.value().problem.graph;
        const TensorShape x = graph.tensor(*graph.find("x")).shape;
        const TensorShape k = graph.tensor(*graph.find("k")).shape;
        QVERIFY(x[0] < 8 && x[1] == 96 && x[2] == 96 && x[3] < 64);
        QVERIFY(k[0] == 7 && k[1] == 7 && k[2] == x[3] && k[3] < 128);
        QVERIFY(proveByExecution(graph, reduced.value().plan.program).value().equal());
    }

    void whatCannotBeMadeSmallerIsRefused()
    {
        // A window keeps its dim.
        const ShardProblem problem = readShardText("fabricscope: 1\nshard:\n  mesh: {x: 4}\n  tensors: {x: [2000000]}\n  ops:\n    - {name: y, op: slice, in: [x], dim: 0, start: 1, limit: 1900000}\n"
                                                  "  annotations:\n    - {tensor: x, dims: [[x]]}\n", "case").value();
        const auto reduced = reducedShard(problem, partition(problem).value());
        QVERIFY(!reduced);
        QVERIFY2(reduced.error().code == ErrorCode::Unsupported && reduced.error().message.find("2000000 elements") != std::string::npos, reduced.error().message.c_str());
    }

    void differencesSayWhereAndWhat()
    {
        PartitionedProgram program = programOf(kProduct);
        QVERIFY(proveByExecution(program).value().equal());
        // 10 over 4: parts of 3, 3, 3 and 1; without the masks the last one reads padding.
        QVERIFY(shardDefects()[0].apply(program));
        const auto proof = proveByExecution(program);
        QVERIFY(proof && !proof.value().equal());
        const ExecutionDifference& difference = *proof.value().difference;
        QCOMPARE(QString::fromStdString(difference.tensor), QString("y"));
        QCOMPARE(difference.index, (std::vector<std::int64_t>{0, 0}));
        QCOMPARE(QString::fromStdString(difference.found), QString("poison"));
        const auto whole = runWhole(program.graph, 0);
        QCOMPARE(QString::fromStdString(difference.expected), QString::fromStdString(whole.value()[2].values[0].text()));
        QVERIFY(difference.text(program).find("tensor y at [0, 0] on device 0 is poison") != std::string::npos);
    }

    void aGraphThatIsNotTheOneWrittenIsFound()
    {
        const std::string text = kProduct;
        const auto withOp = [&](const std::string& op) { return text.substr(0, text.find("    - {name: y")) + op + text.substr(text.find("  annotations")); };
        const std::string sums = withOp("    - {name: y, op: einsum, eq: \"mk,kn->mn\", in: [x, w]}\n    - {name: z, op: neg, in: [y]}\n");
        const std::string others = withOp("    - {name: y, op: einsum, eq: \"mk,kn->mn\", in: [x, w]}\n    - {name: z, op: copy, in: [y]}\n");
        const PartitionedProgram program = programOf(sums);
        QVERIFY(proveByExecution(readShardText(sums, "").value().graph, program).value().equal());
        const auto proof = proveByExecution(readShardText(others, "").value().graph, program);
        QVERIFY(proof && !proof.value().equal());
        QVERIFY(proof.value().difference->text(program).find("tensor z at [0, 0] is ") == 0);
        QVERIFY(!proveByExecution(readShardText(sums, "").value().graph, programOf(kProduct))); // It has no z.
    }

    void theNumberOfADeviceFollowsTheOrderOfTheMesh()
    {
        PartitionedProgram program = programOf("fabricscope: 1\nshard:\n  mesh: {x: 4, device_order: [2, 0, 3, 1]}\n  tensors: {x: [8]}\n"
                                               "  ops:\n    - {name: y, op: relu, in: [x]}\n  annotations:\n    - {tensor: x, dims: [[x]]}\n");
        for (ProgramStep& step : program.steps) {
            if (step.kind == StepKind::Local)
                step.local.kind = GraphOpKind::Neg;
        }
        const auto proof = proveByExecution(program);
        QVERIFY(proof && !proof.value().equal());
        const std::int64_t index = proof.value().difference->index[0];
        constexpr std::int32_t kOrder[] = {2, 0, 3, 1};
        QCOMPARE(proof.value().difference->device, kOrder[index / 2]);
    }

    void programsThatAreNotWellFormedAreErrors()
    {
        const PartitionedProgram good = programOf(kProduct);
        const auto refused = [&](auto&& change) {
            PartitionedProgram bad = good;
            change(bad);
            const auto proof = proveByExecution(bad);
            return !proof && proof.error().code == ErrorCode::Internal;
        };
        QVERIFY(refused([](PartitionedProgram& p) { p.steps.back().in[0] = 1000; }));
        QVERIFY(refused([](PartitionedProgram& p) { p.steps.erase(p.steps.begin()); }));
        QVERIFY(refused([](PartitionedProgram& p) { p.steps.push_back(p.steps.back()); }));
        QVERIFY(refused([](PartitionedProgram& p) { p.values[0].local[0] = 2; }));
        QVERIFY(refused([](PartitionedProgram& p) { p.values[0].layout.dims[1].push_back({7, 1, 2}); }));
        QVERIFY(refused([](PartitionedProgram& p) { p.values[0].layout.dims[0] = p.values[0].layout.dims[1]; }));
        QVERIFY(refused([](PartitionedProgram& p) { p.finals.clear(); }));
        QVERIFY(refused([](PartitionedProgram& p) { p.finals[2] = 0; }));
        QVERIFY(refused([](PartitionedProgram& p) { p.mesh.axes[0].size = 0; }));
    }

    void whatIsTooLargeIsRefusedAndStopsAreHeard()
    {
        const auto large = proveByExecution(programOf(kProduct, {{"tensors.x", "[600000, 10]"}}));
        QVERIFY(!large && large.error().code == ErrorCode::Unsupported && large.error().text().find("1048576 elements per tensor") != std::string::npos);
        const auto many = proveByExecution(programOf(kProduct, {{"mesh.x", "100000"}}));
        QVERIFY(!many && many.error().code == ErrorCode::Unsupported && many.error().text().find("devices") != std::string::npos);
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = proveByExecution(programOf(kProduct), stop.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }
};

FABRICSCOPE_TEST(TestExecuteExamples)
#include "tst_execute_examples.moc"
