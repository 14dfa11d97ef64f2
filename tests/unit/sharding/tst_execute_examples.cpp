// The proof by execution of the shipped examples, and what it refuses.
#include "core/sharding/execute/prove.h"
#include "core/sharding/partition/partition.h"
#include "sourcedir.h"
#include "tests/unit/support/cases/sharddefects.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <QDir>
#include <QFile>

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
        for (const QString& name : files) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const PartitionedProgram program = programOf(file.readAll().toStdString());
            if (!checkRunnable(program.graph)) {
                QVERIFY2(!proveByExecution(program), qPrintable(name)); // As large as published.
                continue;
            }
            const auto proof = proveByExecution(program);
            QVERIFY2(proof && proof.value().equal(), qPrintable(name));
            QVERIFY(proof.value().values > 2 && proof.value().elements > 100);
            ++proven;
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
        QVERIFY(proven >= 3);
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
