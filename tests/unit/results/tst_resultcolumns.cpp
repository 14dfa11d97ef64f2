// Figures of several results side by side.
#include "core/insight/resultcolumns.h"
#include "core/run/rundesign.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/mixeddesign.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <map>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Kind = ResultColumnRow::Kind;

RunResultPtr runOf(const std::string& text)
{
    const auto loaded = readDesignText(text, {});
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    const auto result = runDesign(std::make_shared<const Design>(loaded.value().design), {}, {});
    return result ? result.value() : nullptr;
}

ComparedRun compared(const RunResultPtr& run)
{
    return {&run->summary, run->scenario};
}

const ResultColumnRow* find(const std::vector<ResultColumnRow>& rows, const std::string& key)
{
    for (const ResultColumnRow& row : rows) {
        if (row.key == key)
            return &row;
    }
    return nullptr;
}

std::string pairText(const char* size, const char* compute)
{
    return std::string("fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}]}\nworkload:\n  groups: [{name: tensor, dimensions: [0]}]\n"
                       "  steps:\n    - {compute: ")
        + compute + "}\n    - {collective: all_gather, group: tensor, size: " + size + "}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n";
}

} // namespace

class ResultColumnsTest : public QObject {
    Q_OBJECT

private slots:
    void figuresAreThoseOfTheHand()
    {
        // All-gather of two shards of 1 kB or 2 kB at 1 GB/s: one step of 1 us + 1 or 2 us; compute before it.
        const RunResultPtr a = runOf(pairText("2 kB", "10 us"));
        const RunResultPtr b = runOf(pairText("4 kB", "7 us"));
        const auto rows = resultColumns({compared(a), compared(b)});
        const ResultColumnRow* const compute = find(rows, "part.compute");
        const ResultColumnRow* const gather = find(rows, "part.exposed.all_gather.tensor");
        const ResultColumnRow* const step = find(rows, "step");
        QVERIFY(compute && gather && step);
        QCOMPARE(*compute->values[0], std::int64_t{10'000'000});
        QCOMPARE(*compute->difference(0, 1), std::int64_t{-3'000'000});
        QCOMPARE(*gather->values[0], std::int64_t{2'000'000});
        QCOMPARE(*gather->values[1], std::int64_t{3'000'000});
        QCOMPARE(*step->values[0], std::int64_t{12'000'000});
        QCOMPARE(*step->difference(0, 1), std::int64_t{-2'000'000});
        QCOMPARE(*step->difference(1, 0), std::int64_t{2'000'000});
        // Each of two links is busy for 1 us of 12.
        QCOMPARE(*find(rows, "traffic.0")->values[0], std::int64_t{2'000});
        QCOMPARE(*find(rows, "exposed_comm")->values[1], std::int64_t{3'000'000});
        QCOMPARE(rowName(*gather), std::string("All-gather in tensor, exposed"));
        QCOMPARE(rowName(*find(rows, "busy.0")), std::string("Busy, ") + a->record().dimensions[0].name);
    }

    void partsOfEveryResultAddUpToItsStep()
    {
        int seen = 0;
        for (const std::uint64_t seed : Seeds(4100, 40, 12)) {
            std::vector<RunResultPtr> runs;
            for (std::uint64_t i = 0; i < 3; ++i) {
                if (RunResultPtr run = runOf(mixedDesign(seed + i * 1000, {})))
                    runs.push_back(run);
            }
            std::vector<ComparedRun> given;
            for (const RunResultPtr& run : runs)
                given.push_back(compared(run));
            const auto rows = resultColumns(given);
            std::set<std::string> keys;
            for (const ResultColumnRow& row : rows) {
                QVERIFY2(keys.insert(row.key).second, row.key.c_str());
                QCOMPARE(row.values.size(), runs.size());
                QVERIFY(!rowName(row).empty());
            }
            for (std::size_t i = 0; i < runs.size(); ++i) {
                std::int64_t sum = 0;
                for (const ResultColumnRow& row : rows)
                    sum += row.kind == Kind::Part ? row.values[i].value_or(0) : 0;
                const auto& step = find(rows, "step")->values[i];
                QCOMPARE(step.has_value(), runs[i]->record().complete);
                if (!step)
                    continue;
                QCOMPARE(*step, runs[i]->record().finish.ps);
                QCOMPARE(sum, *step);
                ++seen;
            }
        }
        QVERIFY(seen > 10);
    }

    void whatOneDoesNotHaveHasNoDifference()
    {
        const RunResultPtr a = runOf(pairText("2 kB", "10 us"));
        std::string text = pairText("2 kB", "10 us");
        text.replace(text.find("}]}"), 3, "}, {shape: switch, size: 2, bandwidth: 1 GB/s, latency: 1 us}]}");
        const RunResultPtr b = runOf(text);
        const auto rows = resultColumns({compared(a), compared(b)});
        const ResultColumnRow* const second = find(rows, "busy.1");
        QVERIFY(second && !second->values[0] && second->values[1]);
        QVERIFY(!second->difference(0, 1));
        text = pairText("2 kB", "10 us");
        text.replace(text.find("    - {collective"), std::string("    - {collective: all_gather, group: tensor, size: 2 kB}").size(), // Both receive before they send.
                     "    - {receive: 1 kB, from: 1, ranks: 0}\n    - {send: 1 kB, to: 1, ranks: 0}\n    - {receive: 1 kB, from: 0, ranks: 1}\n    - {send: 1 kB, to: 0, ranks: 1}");
        const RunResultPtr stuck = runOf(text);
        QVERIFY(stuck && !stuck->record().complete);
        const auto more = resultColumns({compared(a), compared(stuck)});
        QVERIFY(!find(more, "step")->values[1] && !find(more, "step")->difference(0, 1));
        QVERIFY(!find(more, "part.compute")->difference(0, 1));
    }
};

FABRICSCOPE_TEST(ResultColumnsTest)
#include "tst_resultcolumns.moc"
