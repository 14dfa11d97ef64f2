// The table of engines: who may follow what, who answers, and that the answer does not depend on it.
#include "core/scenario/taskscheduling.h"
#include "core/sim/engines.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/astracase.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// All-reduces one after the other on a ring of eight; every rank has a task graph of its own, which no rank can stand for.
LinksScenario ringOfEight(int collectives)
{
    LinksScenario scenario(astraPlatform("Ring(8)", {50}, {500}));
    for (std::int32_t rank = 0; rank < 8; ++rank) {
        LinksScenario::Tasks after;
        for (int i = 0; i < collectives; ++i)
            after = {scenario.collective(rank, 0, 8 * kMiB, templateProgram(CollectiveOp::AllReduce, {8}, {Algorithm::Ring}), {8}, after)};
    }
    return scenario;
}

Scenario withScheduling(Scenario scenario)
{
    auto params = std::make_shared<Params>(*scenario.params);
    params->scheduling = std::make_shared<TaskScheduling>();
    scenario.params = params;
    return scenario;
}

Scenario underFlow()
{
    LinksScenario scenario = ringOfEight(2);
    scenario.model = Model::Flow;
    return scenario.build();
}

Scenario astra()
{
    AstraCase machine("Ring(4)", "50", "500");
    machine.use(CollectiveOp::AllReduce, "ring");
    machine.runCollective(CollectiveOp::AllReduce, kMiB);
    return machine.scenario();
}

/// Names of those that apply, in order.
QStringList mayFollow(const Scenario& scenario)
{
    QStringList names;
    for (const RunEngine& engine : engines()) {
        if (engine.applies(scenario))
            names.push_back(QString::fromUtf8(engine.name.data(), static_cast<qsizetype>(engine.name.size())));
    }
    return names;
}

/// Shares of the messages: "sweep", "memo sweep".
std::string answeredBy(const Scenario& scenario, EngineChoice choice = EngineChoice::Auto)
{
    RunOptions options;
    options.engine = choice;
    const Result<RunRecord> record = simulate(scenario, options);
    if (!record)
        return record.error().text();
    std::set<std::string> names;
    for (const EngineShare& share : record.value().engines)
        names.insert(share.engine);
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : " ") + name;
    return text;
}

class TestEngines : public QObject {
    Q_OBJECT
private slots:
    void modelAndParametersSayWhoMayFollow()
    {
        const QStringList all{"symmetry", "sweep", "memo", "events"};
        LinksScenario ring = ringOfEight(1);
        QCOMPARE(mayFollow(ring.build()), all);
        ring.model = Model::Ideal;
        QCOMPARE(mayFollow(ring.build()), all);
        QCOMPARE(mayFollow(withScheduling(ring.build())), QStringList({"symmetry", "events"}));
        QCOMPARE(mayFollow(underFlow()), QStringList({"symmetry", "events"}));
        QCOMPARE(mayFollow(astra()), QStringList{"astra"});
    }

    /// The last engine follows whatever it applies to, so a run that any applies to has an answer.
    void everyModelHasAnEngineThatNeverDeclines()
    {
        QCOMPARE(engines().back().choice, EngineChoice::Events);
        std::set<EngineChoice> forced;
        for (const RunEngine& engine : engines()) {
            if (engine.choice != EngineChoice::Auto)
                QVERIFY2(forced.insert(engine.choice).second, engine.name.data());
        }
        QCOMPARE(forced, (std::set<EngineChoice>{EngineChoice::Memo, EngineChoice::Symmetry, EngineChoice::Sweep, EngineChoice::Events}));
    }

    void theFirstThatFollowsTheRunAnswers()
    {
        QCOMPARE(answeredBy(ringOfEight(1).build()), std::string("sweep")); // One collective of ranks that need not be alike.
        QCOMPARE(answeredBy(ringOfEight(2).build()), std::string("memo sweep")); // The second is the first once more.
        QCOMPARE(answeredBy(withScheduling(ringOfEight(2).build())), std::string("events"));
        QCOMPARE(answeredBy(underFlow()), std::string("events"));
        QCOMPARE(answeredBy(astra()), std::string("symmetry"));
        QCOMPARE(answeredBy(astra(), EngineChoice::Events), std::string("events"));
        QCOMPARE(answeredBy(ringOfEight(1).build(), EngineChoice::Events), std::string("events"));
    }

    void aForcedEngineThatDoesNotFollowSaysWhy()
    {
        for (const EngineChoice choice : {EngineChoice::Memo, EngineChoice::Sweep}) {
            for (const Scenario& scenario : {astra(), underFlow(), withScheduling(ringOfEight(2).build())}) {
                RunOptions options;
                options.engine = choice;
                const Result<RunRecord> record = simulate(scenario, options);
                QVERIFY(!record);
                QCOMPARE(record.error().code, ErrorCode::Unsupported);
                QVERIFY(QString::fromStdString(record.error().text()).contains("events"));
            }
        }
    }

    /// Whatever is forced, the record is that of the event engine, or the engine refuses.
    void everyEngineMakesTheRecordOfTheEventEngine()
    {
        std::set<EngineChoice> answered;
        const auto compare = [&](const Scenario& scenario, std::uint64_t seed) {
            RunOptions options;
            options.engine = EngineChoice::Events;
            const Result<RunRecord> truth = simulate(scenario, options);
            QVERIFY(truth);
            for (const RunEngine& engine : engines()) {
                if (!engine.applies(scenario))
                    continue;
                options.engine = engine.choice;
                const Result<RunRecord> record = simulate(scenario, options);
                if (!record) {
                    QVERIFY2(record.error().code == ErrorCode::Unsupported, record.error().text().c_str());
                    continue;
                }
                if (engine.choice != EngineChoice::Auto) // Nobody forces those.
                    answered.insert(engine.choice);
                const std::string found = difference(record.value(), truth.value());
                QVERIFY2(found.empty(), (std::string(engine.name) + ", seed " + std::to_string(seed) + ": " + found).c_str());
            }
        };
        for (const std::uint64_t seed : Seeds(4000, 60))
            compare(sharedBuild(symmetricCase(seed, {})), seed);
        compare(ringOfEight(1).build(), 0);
        compare(ringOfEight(2).build(), 0);
        QCOMPARE(answered, (std::set<EngineChoice>{EngineChoice::Memo, EngineChoice::Symmetry, EngineChoice::Sweep, EngineChoice::Events}));
    }
};

} // namespace

FABRICSCOPE_TEST(TestEngines)
#include "tst_engines.moc"
