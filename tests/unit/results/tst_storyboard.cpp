// Pictures of the steps of a collective, and of the use of links over time.
#include "core/base/index.h"
#include "core/design/file/readdesign.h"
#include "core/draw/svg.h"
#include "core/draw/utilisationfigure.h"
#include "core/report/storyboardcards.h"
#include "core/run/rundesign.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <random>
#include <set>
#include <string>

using namespace fabricscope;

namespace {

RunResultPtr ringRun(int ranks, const std::string& more = {})
{
    const std::string text = "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: " + std::to_string(ranks) + ", bandwidth: 50 GB/s, latency: 1 us}]}\n"
        "workload: {collective: all_reduce, size: 4 MiB}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n" + more;
    auto loaded = readDesignText(text, "ring.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    auto run = runDesign(std::make_shared<const Design>(std::move(loaded.value().design)), loaded.value().diagnostics, {});
    if (!run)
        qFatal("%s", run.error().text().c_str());
    return run.value();
}

StoryboardSource storyboardOfRing(int ranks)
{
    const RunResultPtr run = ringRun(ranks);
    return storyboardOf(run->scenario, run->record());
}

/// Groups of a drawing with their names, and how many lines each has.
std::vector<std::pair<std::string, std::size_t>> groupsOf(const Drawing& drawing)
{
    std::vector<std::pair<std::string, std::size_t>> groups;
    for (const DrawShape& shape : drawing.shapes) {
        if (const auto* mark = std::get_if<GroupMark>(&shape); mark && !mark->name.empty())
            groups.emplace_back(mark->name, 0);
        else if (const auto* lines = std::get_if<LinesShape>(&shape); lines && !groups.empty())
            groups.back().second += lines->lines.size();
    }
    return groups;
}

} // namespace

class StoryboardTest : public QObject
{
    Q_OBJECT

private slots:
    /// A ring all-reduce of n ranks has n - 1 steps that reduce and n - 1 that gather, all between neighbours.
    void C6_aShortCollectiveHasAPictureForEachStep()
    {
        for (const int ranks : {2, 4, 8}) {
            const StoryboardSource source = storyboardOfRing(ranks);
            QVERIFY2(source.replay, source.note.c_str());
            const std::vector<StoryboardCard> cards = storyboardCards(*source.replay);
            QCOMPARE(cards.size(), static_cast<std::size_t>(2 * (ranks - 1)));
            const auto groups = groupsOf(storyboardFigure(*source.replay, cards));
            QCOMPARE(groups.size(), cards.size());
            for (std::size_t i = 0; i < groups.size(); ++i) {
                QCOMPARE(groups[i].first, "step " + std::to_string(i + 1));
                QCOMPARE(groups[i].second, static_cast<std::size_t>(ranks == 2 ? 1 : ranks)); // the pairs of neighbours
                QCOMPARE(cards[i].count, 1);
            }
        }
    }

    void aLongCollectiveHasAPictureForEachClassOfSteps()
    {
        for (const int ranks : {10, 24, 40}) {
            const StoryboardSource source = storyboardOfRing(ranks);
            QVERIFY2(source.replay, source.note.c_str());
            const std::vector<StoryboardCard> cards = storyboardCards(*source.replay);
            QCOMPARE(cards.size(), std::size_t{2}); // steps that reduce, steps that gather
            for (const StoryboardCard& card : cards)
                QCOMPARE(card.count, ranks - 1);
            QCOMPARE(cards[1].first, ranks - 1);
            const std::string last = std::to_string(ranks - 1);
            const auto groups = groupsOf(storyboardFigure(*source.replay, cards));
            QCOMPARE(groups[0].first, "steps 1-" + last);
            QCOMPARE(groups[1].first, "steps " + std::to_string(ranks) + '-' + std::to_string(2 * (ranks - 1)));
        }
    }

    void cardsHoldEveryStepOnce_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<int>("ranks");
        for (const char* const algorithm : {"ring", "halving_doubling", "direct", "double_binary_tree"})
            for (const int ranks : {4, 16, 32})
                QTest::addRow("%s %d", algorithm, ranks) << QString::fromUtf8(algorithm) << ranks;
    }
    void cardsHoldEveryStepOnce()
    {
        QFETCH(QString, algorithm);
        QFETCH(int, ranks);
        const std::string text = "fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: " + std::to_string(ranks)
            + ", bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_reduce, size: 4 MiB}\ncollectives: {default: {algorithm: " + algorithm.toStdString() + ", chunks: 2}}\n";
        auto loaded = readDesignText(text, "switch.yaml");
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        const auto run = runDesign(std::make_shared<const Design>(std::move(loaded.value().design)), loaded.value().diagnostics, {});
        QVERIFY2(run, run ? "" : run.error().text().c_str());
        const StoryboardSource source = storyboardOf(run.value()->scenario, run.value()->record());
        QVERIFY2(source.replay, source.note.c_str());
        const auto steps = source.replay->steps(0);
        const std::vector<StoryboardCard> cards = storyboardCards(*source.replay);
        std::int32_t next = 0;
        for (const StoryboardCard& card : cards) {
            QCOMPARE(card.first, next);
            next += card.count;
            // Steps of a card are of one kind, and the card lasts from the first to the last of them.
            std::int64_t end = 0;
            for (std::int32_t i = card.first; i < card.first + card.count; ++i) {
                QVERIFY(steps[at(i)].kind == steps[at(card.first)].kind);
                QCOMPARE(steps[at(i)].moveCount, steps[at(card.first)].moveCount);
                end = std::max(end, steps[at(i)].endPs);
            }
            QCOMPARE(card.beginPs, steps[at(card.first)].beginPs - source.replay->beginPs());
            QCOMPARE(card.endPs, end - source.replay->beginPs());
        }
        QCOMPARE(static_cast<std::size_t>(next), steps.size());
    }

    void theLongestCollectiveIsShown()
    {
        const std::string text = R"(fabricscope: 1
platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}
workload:
  steps:
    - {collective: all_gather, size: 1 MiB, name: small}
    - {collective: reduce_scatter, size: 64 MiB, name: large}
    - {collective: all_gather, size: 2 MiB, name: last}
)";
        auto loaded = readDesignText(text, "three.yaml");
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        const auto run = runDesign(std::make_shared<const Design>(std::move(loaded.value().design)), loaded.value().diagnostics, {});
        QVERIFY(run);
        const StoryboardSource source = storyboardOf(run.value()->scenario, run.value()->record());
        QVERIFY2(source.replay, source.note.c_str());
        QCOMPARE(source.name, std::string("Reduce-scatter \"large\" of 67.1\xE2\x80\xAFMB by ranks 0-3"));
        QVERIFY(source.replay->op() == CollectiveOp::ReduceScatter);
    }

    void whatCannotBeShownSaysWhy()
    {
        const RunResultPtr run = ringRun(4);
        QVERIFY(storyboardOf(nullptr, run->record()).note.find("design") != std::string::npos);
        RunRecord many = run->record();
        many.dimensions[0].messages = kMostStoryboardHops + 1;
        QVERIFY(!storyboardOf(run->scenario, many).replay);
        QVERIFY(storyboardOf(run->scenario, many).note.find("million") != std::string::npos);
        many.dimensions[0].messages = kMostStoryboardHops;
        QVERIFY(storyboardOf(run->scenario, many).replay);
        const RunResultPtr astra = ringRun(4, "model: {name: astra-unaware}\n");
        const StoryboardSource none = storyboardOf(astra->scenario, astra->record());
        QVERIFY(!none.replay);
        QVERIFY(none.note.ends_with('.'));
    }

    /// Buckets of random busy intervals: shares times lengths add up to what the links were busy.
    void useOverTimeAddsUpToTheBusyTime()
    {
        for (const std::uint64_t seed : test::Seeds(73000, 100)) {
            std::mt19937_64 random(seed);
            DimensionUse use;
            use.links = static_cast<std::int64_t>(random() % 7 + 1);
            const auto finish = static_cast<std::int64_t>(random() % 3'000'000 + 1);
            for (std::int64_t link = 0; link < use.links; ++link) {
                const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(finish));
                const std::int64_t end = begin + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(finish - begin + 1));
                use.busy.add(begin, end);
                use.busyPs += end - begin;
            }
            const auto points = utilisationOf(use, SimTime{finish}, random() % 300 + 1);
            if (use.busyPs == 0) {
                QVERIFY(points.empty());
                continue;
            }
            double sum = 0;
            std::int64_t next = 0;
            for (const UtilisationPoint& point : points) {
                QCOMPARE(point.beginPs, next);
                QVERIFY(point.endPs > point.beginPs);
                next = point.endPs;
                QVERIFY(point.share >= 0 && point.share <= 1 + 1e-9);
                sum += point.share * static_cast<double>(point.endPs - point.beginPs) * static_cast<double>(use.links);
            }
            QCOMPARE(next, finish);
            QVERIFY(std::abs(sum - static_cast<double>(use.busyPs)) < 1e-6 * static_cast<double>(use.busyPs) + 1);
        }
    }

    /// One link of two busy for the first half: a quarter of all, and half of the first half.
    void halfOfTheLinksForHalfOfTheTime()
    {
        DimensionUse use;
        use.links = 2;
        use.busy.add(0, 1 << 20);
        use.busyPs = 1 << 20;
        const auto points = utilisationOf(use, SimTime{2 << 20}, 2);
        QCOMPARE(points.size(), std::size_t{2});
        QCOMPARE(points[0].share, 0.5);
        QCOMPARE(points[1].share, 0.0);
        const Drawing drawing = utilisationFigure({{&use, "D0", 0}}, SimTime{2 << 20});
        QVERIFY(drawing.description.find("D0 mean 25.0") != std::string::npos);
        QVERIFY(svgText(drawing) == svgText(utilisationFigure({{&use, "D0", 0}}, SimTime{2 << 20})));
        use.busy = {};
        QVERIFY(utilisationOf(use, SimTime{2 << 20}, 2).empty());
        const Drawing without = utilisationFigure({{&use, "D0", 0}}, SimTime{2 << 20});
        QVERIFY(svgText(without).find("not followed over time") != std::string::npos);
    }
};

FABRICSCOPE_TEST(StoryboardTest)
#include "tst_storyboard.moc"
