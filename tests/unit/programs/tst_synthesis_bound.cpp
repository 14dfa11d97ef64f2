#include "core/choose/synthesizer.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A fabric of 4 to 8 NPUs with random figures; some links have their own.
PlatformSpec randomFabric(std::mt19937& random)
{
    static const char* const kTopologies[] = {"Ring(5)", "Switch(4)", "FullyConnected(4)", "Ring(3)_Switch(2)", "Ring(8)", "FullyConnected(2)_Ring(3)"};
    const auto below = [&random](std::uint32_t n) { return static_cast<double>(random() % n); };
    const std::size_t topology = random() % std::size(kTopologies);
    std::vector<double> rates{1 + below(80)};
    rates.push_back(1 + below(80));
    std::vector<double> latencies{1 + below(900)};
    latencies.push_back(1 + below(900));
    PlatformSpec spec = astraPlatform(kTopologies[topology], rates, latencies);
    const Platform plain = Platform::create(spec).value();
    for (auto more = random() % 3; more > 0; --more) {
        LinkOverride change;
        change.link = static_cast<LinkId>(random() % static_cast<std::uint32_t>(plain.linkCount()));
        change.bandwidth = astraBandwidth((1 + below(80)) / (random() % 2 == 0 ? 1 : 20));
        change.latency = astraLatency(1 + below(900));
        const auto same = [&](const LinkOverride& other) { return other.link == change.link; };
        if (std::none_of(spec.linkOverrides.begin(), spec.linkOverrides.end(), same))
            spec.linkOverrides.push_back(change);
    }
    return spec;
}

} // namespace

/// What `synthesize` prints as least time is never above the time it reaches, and the plan's never above the plan.
class SynthesisBoundTest : public QObject {
    Q_OBJECT

private slots:
    void theBoundIsNotAboveWhatIsReached_data()
    {
        QTest::addColumn<QString>("method");
        for (const char* method : {"greedy", "trees", "forest"})
            QTest::newRow(method) << QString::fromLatin1(method);
    }

    void theBoundIsNotAboveWhatIsReached()
    {
        QFETCH(QString, method);
        std::mt19937 random(seeded(7));
        int reached = 0;
        for (int turn = 0; turn < cases(60); ++turn) {
            const PlatformSpec spec = randomFabric(random);
            const Platform platform = Platform::create(spec).value();
            std::vector<NodeId> members(static_cast<std::size_t>(platform.npuCount()));
            std::iota(members.begin(), members.end(), 0);
            SynthesisSearch search;
            search.method = method.toStdString();
            search.chunks = {static_cast<std::int32_t>(1 + random() % 4)};
            search.options.op = synthesisOps()[random() % synthesisOps().size()];
            static constexpr std::int64_t kSizes[] = {1, 5, 17, 1000, 100'003, 4'194'304};
            search.options.bytes = kSizes[random() % std::size(kSizes)];
            search.options.root = static_cast<std::int32_t>(random() % members.size());
            const auto graph = synthesisGraph(platform, members);
            QVERIFY(graph);
            const auto found = searchProgram(graph.value(), search);
            if (!found)
                continue; // Not made by this method.
            const Synthesis& synthesis = found.value().synthesis;

            const auto simulated = simulatedTime(spec, synthesis.program, search.options.bytes, 1, {});
            QVERIFY2(simulated, simulated ? "" : simulated.error().text().c_str());
            const auto least = leastTime(platform, members, *synthesis.program, search.options.bytes, {});
            QVERIFY(least);

            const QByteArray what = QStringLiteral("turn %1, %2 of %3 B: %4 above %5 ps").arg(turn).arg(QString::fromStdString(std::string(collectiveKey(search.options.op))))
                                        .arg(search.options.bytes).arg(least.value().ps).arg(simulated.value().ps).toLatin1();
            QVERIFY2(least.value().ps <= simulated.value().ps, what.constData());
            QVERIFY2(synthesis.boundPs <= synthesis.plannedPs, what.constData());
            reached += least.value().ps > 0 ? 1 : 0;
        }
        QVERIFY(reached > cases(5));
    }
};

FABRICSCOPE_TEST(SynthesisBoundTest)
#include "tst_synthesis_bound.moc"
