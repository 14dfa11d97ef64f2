// Random graphs, meshes and annotations: the partitioned program must give what the whole graph gives.
#include "core/sharding/execute/prove.h"
#include "core/sharding/partition/partition.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/shardcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Why the problem fails; empty: it does not.
std::string failureOf(const ShardProblem& problem, std::uint64_t seed)
{
    const auto read = readShardText(shardText(problem), "case");
    if (!read)
        return "not read: " + read.error().text();
    const auto plan = partition(read.value());
    if (!plan && problem.options.backward && plan.error().message.find("not derived") != std::string::npos) {
        ShardProblem forward = problem; // Some gradients are refused.
        forward.options.backward = false;
        return failureOf(forward, seed);
    }
    if (!plan)
        return "not partitioned: " + plan.error().text();
    const PartitionedProgram& program = plan.value().program;
    const auto proof = proveByExecution(program, {}, seed);
    if (!proof)
        return "not run: " + proof.error().text();
    if (!proof.value().equal())
        return proof.value().difference->text(program);
    for (const WantedLayout& wanted : read.value().wanted) {
        const auto tensor = program.graph.find(read.value().graph.tensor(wanted.tensor).name);
        const ValueId id = tensor ? program.finals[static_cast<std::size_t>(*tensor)] : -1;
        if (id < 0 || program.value(id).layout.dims != wanted.dims || !program.value(id).layout.unreduced.empty() || !program.value(id).windows.empty())
            return "layout wanted of " + read.value().graph.tensor(wanted.tensor).name + " is not what it ends in";
    }
    return {};
}

/// Class of a failure: its text without numbers, so that shrinking does not end with another.
std::string classOf(const std::string& failure)
{
    return failure.substr(0, failure.find(' ', failure.find(' ') + 1));
}

} // namespace

class TestExecuteRandom : public QObject {
    Q_OBJECT

private slots:
    void partitionedProgramsGiveWhatWholeGraphsGive()
    {
        int shown = 0;
        int failed = 0;
        for (const std::uint64_t seed : Seeds(5000, 4000, 200)) {
            const ShardProblem problem = drawnShard(seed);
            const std::string failure = failureOf(problem, seed);
            if (failure.empty())
                continue;
            ++failed;
            if (++shown > 4)
                continue;
            const ShardProblem least = shrunkShard(problem, [&](const ShardProblem& less) { return classOf(failureOf(less, seed)) == classOf(failure); });
            std::fprintf(stderr, "seed %llu: %s\n%s\n", static_cast<unsigned long long>(seed), failureOf(least, seed).c_str(), shardText(least).c_str());
        }
        QCOMPARE(failed, 0);
    }
};

FABRICSCOPE_TEST(TestExecuteRandom)
#include "tst_execute_random.moc"
