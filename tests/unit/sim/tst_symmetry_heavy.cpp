#include "core/sim/simulate.h"
#include "core/sim/symmetry/symmetricrun.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

/// Larger machines than tst_symmetry_exact runs.
class TestSymmetryHeavy : public QObject {
    Q_OBJECT

    static void compare(std::uint64_t firstSeed, int count, const SymmetricLimits& limits, int atLeast)
    {
        int folded = 0;
        for (int i = 0; i < cases(count); ++i) {
            const CaseSpec spec = symmetricCase(firstSeed + static_cast<std::uint64_t>(i), limits);
            const Scenario scenario = sharedBuild(spec);
            RunOptions options;
            const auto answer = simulate(scenario, options);
            options.engine = EngineChoice::Events;
            const auto truth = simulate(scenario, options);
            QVERIFY(answer);
            QVERIFY(truth);
            const std::string found = difference(answer.value(), truth.value());
            QVERIFY2(found.empty(), (found + '\n' + spec.text()).c_str());
            folded += answer.value().engines.front().engine == "symmetry" ? 1 : 0;
        }
        QVERIFY(folded >= cases(atLeast));
    }

private slots:
    void upToFiveHundredNpus()
    {
        SymmetricLimits limits;
        limits.maxNpus = 512;
        compare(800'000, 300, limits, 240);
    }

    void upToFiveHundredNpusWithTies()
    {
        SymmetricLimits limits;
        limits.maxNpus = 512;
        limits.equal = true;
        compare(900'000, 300, limits, 240);
    }

    void thousandsOfSmallCases()
    {
        SymmetricLimits limits;
        limits.maxNpus = 16;
        limits.equal = true;
        compare(1'000'000, 10'000, limits, 8'000);
    }
};

FABRICSCOPE_TEST(TestSymmetryHeavy)
#include "tst_symmetry_heavy.moc"
