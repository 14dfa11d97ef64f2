// The large cases of the TACOS table: as short as there, at the step bound, with programs the verifier has passed.
#include "core/base/index.h"
#include "core/synthesis/greedy.h"
#include "tests/unit/support/cases/tacoscase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

class HeavyGreedyTest : public QObject {
    Q_OBJECT

private slots:
    void isNeverLongerThanTacos_data()
    {
        QTest::addColumn<int>("row");
        const std::vector<TacosCase> cases = tacosCases();
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (cases[i].npus * cases[i].npus * cases[i].chunks > 20'000)
                QTest::newRow(cases[i].name.c_str()) << static_cast<int>(i);
        }
    }
    void isNeverLongerThanTacos()
    {
        QFETCH(int, row);
        const TacosCase test = tacosCases()[at(row)];
        const SynthesisGraph graph = tacosGraph(test);
        QCOMPARE(static_cast<int>(graph.links.size()), test.links);
        SynthesisOptions options;
        options.bytes = test.chunkBytes * test.npus * test.chunks;
        options.chunks = test.chunks;

        const Result<Synthesis> result = synthesizeGreedy(graph, options);

        QVERIFY2(result, result ? "" : result.error().text().c_str());
        const Synthesis& synthesis = result.value();
        QVERIFY2(static_cast<double>(synthesis.plannedPs) * 1e-6 <= test.bestUs * (1 + 1e-6) + 1e-4, QByteArray::number(static_cast<double>(synthesis.plannedPs) * 1e-6));
        QVERIFY(synthesis.boundPs <= synthesis.plannedPs);
        if (test.stepBound > 0)
            QCOMPARE(synthesis.steps, test.stepBound);
    }
};

FABRICSCOPE_TEST(HeavyGreedyTest)
#include "tst_heavy_greedy.moc"
