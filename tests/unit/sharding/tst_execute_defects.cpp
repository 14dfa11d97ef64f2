// Would the proof by execution see a mistake of the partitioner? Each seeded defect is put into programs of random problems.
#include "core/sharding/execute/prove.h"
#include "core/sharding/partition/partition.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/shardcase.h"
#include "tests/unit/support/cases/sharddefects.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

struct DefectCount {
    int made = 0;
    int caught = 0;
    std::uint64_t missedAt = 0; ///< Seed of the last that was not.
};

} // namespace

class TestExecuteDefects : public QObject {
    Q_OBJECT

private slots:
    void everySeededDefectIsCaught()
    {
        const auto defects = shardDefects();
        QVERIFY(defects.size() >= 20);
        const char* const only = std::getenv("FABRICSCOPE_DEFECT");
        std::vector<DefectCount> counts(defects.size());
        for (const std::uint64_t seed : Seeds(700'000, 6000, 600)) {
            if (!only && std::ranges::all_of(counts, [](const DefectCount& count) { return count.made >= 60; }))
                continue;
            const auto plan = partition(drawnShard(seed));
            if (!plan)
                continue; // A gradient that is refused (tst_execute_random).
            for (std::size_t n = 0; n < defects.size(); ++n) {
                if (only ? std::atoi(only) != static_cast<int>(n) + 1 : counts[n].made >= 60)
                    continue;
                PartitionedProgram broken = plan.value().program;
                if (!defects[n].apply(broken))
                    continue;
                const auto proof = proveByExecution(broken, {}, seed);
                const bool caught = !proof || !proof.value().equal();
                ++counts[n].made;
                counts[n].caught += caught;
                counts[n].missedAt = caught ? counts[n].missedAt : seed;
                if (only && caught && counts[n].caught < 4)
                    std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), proof ? proof.value().difference->text(broken).c_str() : proof.error().text().c_str());
            }
        }
        for (std::size_t n = 0; n < defects.size(); ++n) {
            if (only && std::atoi(only) != static_cast<int>(n) + 1)
                continue;
            std::fprintf(stderr, "defect %2zu, %s: caught in %d of %d programs", n + 1, std::string(defects[n].name).c_str(), counts[n].caught, counts[n].made);
            std::fprintf(stderr, counts[n].caught < counts[n].made ? ", missed at seed %llu\n" : "\n", static_cast<unsigned long long>(counts[n].missedAt));
        }
        for (std::size_t n = 0; n < defects.size(); ++n) {
            if (only && std::atoi(only) != static_cast<int>(n) + 1)
                continue;
            // A defect may change nothing: what is masked, or filled, is not always read.
            QVERIFY2(counts[n].made >= cases(10), std::string(defects[n].name).c_str());
            QVERIFY2(2 * counts[n].caught > counts[n].made, std::string(defects[n].name).c_str());
        }
    }
};

FABRICSCOPE_TEST(TestExecuteDefects)
#include "tst_execute_defects.moc"
