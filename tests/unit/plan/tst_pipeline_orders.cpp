// Orders of pipelines, their refusals and the times that dependencies alone give them.
#include "core/plan/pipeline/timing.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <array>
#include <map>
#include <random>
#include <set>
#include <tuple>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Schedule = PipelineSchedule;
constexpr std::array kAll{Schedule::GPipe, Schedule::OneForwardOneBackward, Schedule::Interleaved, Schedule::ZeroBubbleH1,
                          Schedule::ZeroBubbleH2, Schedule::ZeroBubbleV, Schedule::DualPipe, Schedule::DualPipeV};

PipelineShape shapeOf(Schedule schedule, std::int32_t p, std::int64_t m, std::int32_t v = 2)
{
    return {schedule, p, m, schedule == Schedule::Interleaved ? v : 1, 0};
}

PipelineOrders ordersOf(const PipelineShape& shape)
{
    auto orders = pipelineOrders(shape);
    if (!orders)
        qFatal("%s", orders.error().text().c_str());
    return orders.value();
}

/// Every rank needs `whole` for one micro-batch of all its stages.
std::vector<StageTicks> equalStages(const PipelineShape& shape, const StageTicks& whole)
{
    const std::int32_t parts = shape.schedule == Schedule::DualPipe ? 1 : shape.stagesPerRank();
    std::vector<StageTicks> stages;
    for (std::int32_t stage = 0; stage < shape.stages(); ++stage)
        stages.push_back(chunkTicks(whole, stage / shape.ranks, parts));
    return stages;
}

PipelineTimes timesOf(const PipelineShape& shape, const StageTicks& whole, std::int64_t latency = 0)
{
    auto times = pipelineTimes(ordersOf(shape), equalStages(shape, whole), latency);
    if (!times)
        qFatal("%s", times.error().text().c_str());
    return times.value();
}

using Key = std::tuple<int, std::int32_t, std::int32_t, std::int32_t>; // 0 forward, 1 backward, 2 weight; direction, stage, micro-batch

/// What an operation finishes.
std::vector<Key> madeBy(const PipelineOperation& operation)
{
    using Kind = PipelineOperation::Kind;
    const auto key = [](int part, const PipelinePass& pass) { return Key{part, pass.direction, pass.stage, pass.microBatch}; };
    switch (operation.kind) {
    case Kind::Forward: return {key(0, operation.pass)};
    case Kind::Backward: return {key(1, operation.pass)};
    case Kind::Weight: return {key(2, operation.pass)};
    case Kind::FullBackward: return {key(1, operation.pass), key(2, operation.pass)};
    case Kind::Pair: return {key(0, operation.pass), key(1, operation.other), key(2, operation.other)};
    }
    return {};
}

/// The end of the run by going round and round until nothing more can run; -1: it never ends. Quadratic, and nothing in common with pipelineTimes().
std::int64_t plainEnd(const PipelineOrders& orders, const std::vector<StageTicks>& stages, std::int64_t latency)
{
    std::map<Key, std::pair<std::int64_t, std::size_t>> made;
    std::vector<std::size_t> next(orders.ranks.size());
    std::vector<std::int64_t> free(orders.ranks.size());
    const std::int32_t last = orders.shape.stages() - 1;
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < orders.ranks.size(); ++rank) {
            if (next[rank] == orders.ranks[rank].size())
                continue;
            const PipelineOperation& operation = orders.ranks[rank][next[rank]];
            const std::vector<Key> own = madeBy(operation);
            std::vector<Key> needs;
            for (const auto& [part, direction, stage, microBatch] : own) {
                if (part == 0 && stage > 0)
                    needs.push_back({0, direction, stage - 1, microBatch});
                if (part == 1)
                    needs.push_back({0, direction, stage, microBatch});
                if (part == 1 && stage < last)
                    needs.push_back({1, direction, stage + 1, microBatch});
                if (part == 2 && operation.kind == PipelineOperation::Kind::Weight)
                    needs.push_back({1, direction, stage, microBatch});
            }
            std::int64_t start = free[rank];
            bool ready = true;
            for (const Key& need : needs) {
                const auto found = made.find(need);
                ready = ready && found != made.end();
                if (ready)
                    start = std::max(start, found->second.first + (found->second.second == rank ? 0 : latency));
            }
            if (!ready)
                continue;
            free[rank] = start + operationTicks(operation, stages);
            for (const Key& key : own)
                made[key] = {free[rank], rank};
            ++next[rank];
            moved = true;
        }
    }
    for (std::size_t rank = 0; rank < orders.ranks.size(); ++rank) {
        if (next[rank] != orders.ranks[rank].size())
            return -1;
    }
    return *std::max_element(free.begin(), free.end());
}

/// A shape that can be.
PipelineShape randomShape(std::mt19937_64& random, Schedule schedule)
{
    const auto upTo = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
    PipelineShape shape{schedule, static_cast<std::int32_t>(upTo(1, 7)), upTo(1, 20), 1, 0};
    if (schedule == Schedule::DualPipe) {
        shape.ranks = 2 * static_cast<std::int32_t>(upTo(1, 4));
        shape.microBatches = 2 * upTo(shape.ranks, shape.ranks + 6);
    } else if (schedule == Schedule::DualPipeV) {
        shape.microBatches = upTo(2 * shape.ranks, 2 * shape.ranks + 7);
    } else if (schedule == Schedule::ZeroBubbleH2) {
        shape.microBatches = upTo(2 * shape.ranks - 1, 2 * shape.ranks + 7);
    } else if (schedule == Schedule::Interleaved) {
        shape.chunks = static_cast<std::int32_t>(upTo(2, 4));
        shape.group = upTo(shape.ranks, shape.ranks + 3);
        shape.microBatches = shape.group * upTo(1, 3) + (upTo(0, 1) == 1 ? upTo(shape.ranks, shape.group) : 0);
    }
    return shape;
}

} // namespace

class TestPipelineOrders : public QObject {
    Q_OBJECT

private slots:
    void valuesOfA4()
    {
        // F = 1, W = 2 as one backward pass; ticks are quarters.
        const StageTicks whole{4, 8, 0, -1};
        QCOMPARE(timesOf(shapeOf(Schedule::GPipe, 4, 8), whole).makespan, 33 * 4);
        QCOMPARE(timesOf(shapeOf(Schedule::OneForwardOneBackward, 4, 8), whole).makespan, 33 * 4);
        QCOMPARE(timesOf(shapeOf(Schedule::Interleaved, 4, 8), whole).makespan, 114); // 28.5
        QCOMPARE(timesOf(shapeOf(Schedule::OneForwardOneBackward, 4, 2), whole).makespan, 15 * 4);
        QCOMPARE(timesOf(shapeOf(Schedule::Interleaved, 8, 64, 3), {3, 6, 0, -1}).makespan, 199 * 3);
        using Peaks = std::vector<std::int64_t>;
        QCOMPARE(peakInFlight(ordersOf(shapeOf(Schedule::GPipe, 4, 8))), (Peaks{8, 8, 8, 8}));
        QCOMPARE(peakInFlight(ordersOf(shapeOf(Schedule::OneForwardOneBackward, 4, 8))), (Peaks{4, 3, 2, 1}));
        QCOMPARE(peakInFlight(ordersOf(shapeOf(Schedule::OneForwardOneBackward, 4, 2))), (Peaks{2, 2, 2, 1}));
    }

    void theTableOfMakespansAndSpans_data()
    {
        QTest::addColumn<int>("schedule");
        QTest::addColumn<QList<double>>("makespans");
        QTest::addColumn<QList<double>>("spans"); // 0: as the makespan
        const auto row = [](const char* name, Schedule schedule, QList<double> makespans, QList<double> spans) {
            QTest::newRow(name) << static_cast<int>(schedule) << makespans << spans;
        };
        row("1f1b", Schedule::OneForwardOneBackward, {33, 69, 66, 690, 88, 37}, {});
        row("interleaved v2", Schedule::Interleaved, {28.5, 58.5, 57, 585, 76, 32}, {});
        row("zb_h1", Schedule::ZeroBubbleH1, {27, 55, 60, 564, 73, 30}, {0, 0, 0, 0, 70, 0});
        row("zb_h2", Schedule::ZeroBubbleH2, {27, 55, 57, 550, 73, 27.75}, {24, 48, 0, 501, 64, -1});
        row("zb_v", Schedule::ZeroBubbleV, {25.5, 51.5, 54, 518.5, 69.5, 28.75}, {24, 48, 0, 494, 65.5, -1});
        row("dualpipe", Schedule::DualPipe, {26, 54, 54, 546, 70, 28.25}, {});
    }
    void theTableOfMakespansAndSpans()
    {
        QFETCH(int, schedule);
        QFETCH(QList<double>, makespans);
        QFETCH(QList<double>, spans);
        struct Column {
            StageTicks whole; // ticks are quarters
            std::int32_t p;
            std::int64_t m;
            std::int64_t latency;
        };
        const Column columns[] = {{{4, 4, 4, -1}, 4, 8, 0}, {{4, 4, 4, -1}, 8, 16, 0}, {{8, 12, 4, -1}, 4, 8, 0}, {{40, 44, 36, -1}, 8, 16, 0}, {{12, 8, 12, -1}, 4, 8, 0}, {{4, 4, 4, -1}, 4, 8, 1}};
        for (qsizetype i = 0; i < makespans.size(); ++i) {
            const Column& column = columns[i];
            const PipelineTimes times = timesOf(shapeOf(static_cast<Schedule>(schedule), column.p, column.m), column.whole, column.latency);
            QCOMPARE(static_cast<double>(times.makespan) / 4, makespans[i]);
            const double span = spans.isEmpty() ? 0 : spans[i];
            if (span >= 0) // the table gives no span where messages take time
                QCOMPARE(static_cast<double>(times.longestSpan()) / 4, span > 0 ? span : makespans[i]);
        }
    }

    void bidirectionalSchedulesWithOverlappedPairs()
    {
        QCOMPARE(timesOf(shapeOf(Schedule::DualPipe, 8, 20), {10, 10, 10, -1}).makespan, 660);
        QCOMPARE(timesOf(shapeOf(Schedule::DualPipe, 8, 20), {10, 10, 10, 24}).makespan, 576);
        QCOMPARE(timesOf(shapeOf(Schedule::DualPipeV, 4, 10), {2, 2, 2, -1}).makespan, 66);
    }

    void ordersAsPublished()
    {
        QCOMPARE(orderText(ordersOf(shapeOf(Schedule::ZeroBubbleH1, 4, 8)), 2), std::string("F0 F1 B0 F2 B1 F3 B2 W0 F4 B3 W1 F5 B4 W2 F6 B5 W3 F7 B6 W4 B7 W5 W6 W7"));
        QVERIFY(orderText(ordersOf(shapeOf(Schedule::Interleaved, 4, 8)), 3).starts_with("F3.0 F3.1 F3.2 F3.3 F7.0 BW7.0 F7.1 BW7.1"));
        QCOMPARE(orderText(ordersOf(shapeOf(Schedule::DualPipe, 4, 8)), 0),
                 std::string("Fa0 Fa1 Fa2 Fb0 Bb0 Wb0 Fb1 [Fa3|BWb1] [Fb2|BWa0] BWb2 [Fb3|BWa1] BWb3 Ba2 Wa2 Ba3 Wa3"));
        QCOMPARE(orderText(ordersOf(shapeOf(Schedule::OneForwardOneBackward, 2, 3)), 0), std::string("F0 F1 BW0 F2 BW1 BW2"));
    }

    void peaksAreThoseOfTheLiterature()
    {
        for (const std::int32_t p : {2, 4, 8}) {
            for (const std::int64_t peak : peakInFlight(ordersOf(shapeOf(Schedule::ZeroBubbleH1, p, 2 * p))))
                QCOMPARE(peak, std::int64_t{p});
            for (const std::int64_t peak : peakInFlight(ordersOf(shapeOf(Schedule::ZeroBubbleH2, p, 2 * p))))
                QCOMPARE(peak, std::int64_t{2 * p - 1});
            for (const std::int64_t peak : peakInFlight(ordersOf(shapeOf(Schedule::DualPipe, p, 2 * p))))
                QCOMPARE(peak, std::int64_t{p + 1});
        }
        const auto most = [](Schedule schedule, std::int32_t p) {
            const auto peaks = peakInFlight(ordersOf(shapeOf(schedule, p, 4 * p)));
            return *std::max_element(peaks.begin(), peaks.end());
        };
        QCOMPARE(most(Schedule::ZeroBubbleV, 4), 8);
        QCOMPARE(most(Schedule::DualPipeV, 4), 9);
        QCOMPARE(peakInFlight(ordersOf(shapeOf(Schedule::Interleaved, 4, 8))), (std::vector<std::int64_t>{11, 9, 7, 5}));
    }

    void refusalsNameTheNearestThatCan_data()
    {
        QTest::addColumn<int>("schedule");
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("m");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, Schedule schedule, int p, int m, const char* expected) {
            QTest::newRow(name) << static_cast<int>(schedule) << p << m << expected;
        };
        row("dualpipe, ranks odd", Schedule::DualPipe, 3, 12, "2 ranks with 12 micro-batches, or 4 ranks with 12 micro-batches");
        row("dualpipe, ranks odd, few", Schedule::DualPipe, 5, 9, "4 ranks with 8 or 10 micro-batches, or 6 ranks with 12 micro-batches");
        row("dualpipe, one rank", Schedule::DualPipe, 1, 4, "2 ranks with 4 micro-batches");
        row("dualpipe, too few", Schedule::DualPipe, 4, 6, "8 micro-batches");
        row("dualpipe, too few and odd", Schedule::DualPipe, 4, 7, "8 micro-batches");
        row("dualpipe, odd", Schedule::DualPipe, 4, 11, "10 or 12 micro-batches");
        row("dualpipe_v, too few", Schedule::DualPipeV, 4, 7, "8 micro-batches, or 3 ranks");
        row("zb_h2, too few", Schedule::ZeroBubbleH2, 4, 6, "7 micro-batches, or 3 ranks");
        row("interleaved, no multiple", Schedule::Interleaved, 4, 6, "4 or 8 micro-batches");
        row("interleaved, too few", Schedule::Interleaved, 4, 3, "4 micro-batches");
    }
    void refusalsNameTheNearestThatCan()
    {
        QFETCH(int, schedule);
        QFETCH(int, p);
        QFETCH(int, m);
        QFETCH(QString, expected);
        const auto refused = pipelineOrders(shapeOf(static_cast<Schedule>(schedule), p, m));
        QVERIFY(!refused);
        QCOMPARE(QString::fromStdString(refused.error().expected), expected);
        QVERIFY(!refused.error().place.field.empty());
        QVERIFY2(!QString::fromStdString(refused.error().message).contains("batchs"), refused.error().message.c_str());
    }

    void numbersThatNoScheduleHasAreRefused()
    {
        for (const Schedule schedule : kAll) {
            QVERIFY(!pipelineOrders({schedule, 0, 8, 1, 0}));
            QVERIFY(!pipelineOrders({schedule, 4, 0, 1, 0}));
            QVERIFY(!pipelineOrders({schedule, 4, 8, 0, 0}));
            QVERIFY(!pipelineOrders({schedule, 4, 8, 1, -1}));
            QVERIFY(!pipelineOrders({schedule, 2147483646, 9000000000000000000, 2, 0}));
        }
        QVERIFY(!pipelineOrders({Schedule::GPipe, 4, 8, 2, 0}));
        QVERIFY(!pipelineOrders({Schedule::Interleaved, 4, 8, 2, 3}));
        QVERIFY(pipelineOrders({Schedule::ZeroBubbleV, 4, 8, 2, 0}));
    }

    /// Every pass once and on its rank, no waits for ever, and the same end as by a slow run that shares nothing.
    void everyOrderIsCompleteAndRuns()
    {
        std::mt19937_64 random(seeded(1));
        for (int i = 0; i < cases(240); ++i) {
            const PipelineShape shape = randomShape(random, kAll[static_cast<std::size_t>(i) % kAll.size()]);
            const PipelineOrders orders = ordersOf(shape);
            std::set<Key> seen;
            for (std::size_t rank = 0; rank < orders.ranks.size(); ++rank) {
                for (const PipelineOperation& operation : orders.ranks[rank]) {
                    for (const Key& key : madeBy(operation)) {
                        QVERIFY(seen.insert(key).second);
                        QCOMPARE(shape.rankOf(std::get<2>(key), std::get<1>(key)), static_cast<std::int32_t>(rank));
                        QVERIFY(std::get<3>(key) >= 0 && std::get<3>(key) < shape.perDirection());
                    }
                }
            }
            QCOMPARE(static_cast<std::int64_t>(seen.size()), 3 * shape.microBatches * shape.stages());
            std::vector<StageTicks> stages;
            const auto ticks = [&] { return std::uniform_int_distribution<std::int64_t>(0, 20)(random); };
            for (std::int32_t stage = 0; stage < shape.stages(); ++stage)
                stages.push_back({ticks(), ticks(), ticks(), -1});
            const std::int64_t latency = ticks();
            const auto times = pipelineTimes(orders, stages, latency);
            QVERIFY(times);
            QCOMPARE(times.value().makespan, plainEnd(orders, stages, latency));
        }
    }

    void closedForms()
    {
        std::mt19937_64 random(seeded(2));
        const auto upTo = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
        for (int i = 0; i < cases(60); ++i) {
            const auto p = static_cast<std::int32_t>(upTo(1, 8));
            const std::int64_t m = upTo(2 * p, 3 * p + 3);
            // Divisible by 2 and 3, so that chunks are equal.
            const std::int64_t f = 6 * upTo(1, 9);
            const std::int64_t b = 6 * upTo(1, 9);
            // Longer weight gradients leave more than these forms say.
            const std::int64_t w = 6 * upTo(1, f / 6);
            const StageTicks whole{f, b, w, -1};
            const std::int64_t busy = m * (f + b + w);
            const auto bubble = [&](Schedule schedule, std::int64_t count, std::int32_t v = 2) {
                return timesOf(shapeOf(schedule, p, count, v), whole).makespan - count * (f + b + w);
            };
            QCOMPARE(bubble(Schedule::OneForwardOneBackward, m), (p - 1) * (f + b + w));
            QCOMPARE(bubble(Schedule::GPipe, m), (p - 1) * (f + b + w));
            for (const std::int32_t v : {2, 3})
                QCOMPARE(bubble(Schedule::Interleaved, 2 * p, v), (p - 1) * (f + b + w) / v);
            QCOMPARE(bubble(Schedule::ZeroBubbleH1, m), std::max((p - 1) * (f + b - w), (p - 1) * f));
            QCOMPARE(bubble(Schedule::ZeroBubbleH2, m), std::max((p - 1) * (f + b - 2 * w), (p - 1) * f));
            const PipelineTimes h2 = timesOf(shapeOf(Schedule::ZeroBubbleH2, p, m), whole);
            QCOMPARE(h2.longestSpan() - busy, std::max<std::int64_t>((p - 1) * (f + b - 2 * w), 0));
            const StageTicks equal{f, f, f, -1};
            QCOMPARE(timesOf(shapeOf(Schedule::ZeroBubbleV, p, m), equal).makespan - 3 * m * f, (p - 1) * f / 2);
            if (p % 2 == 0) // F = B, a pair is the sum of its parts: (p/2 - 1) (F&B + B + W - 3 W)
                QCOMPARE(timesOf(shapeOf(Schedule::DualPipe, p, 2 * p), {f, f, w, -1}).makespan - 2 * p * (2 * f + w), (p / 2 - 1) * (2 * f + w + f + w - 3 * w));
        }
    }

    void ringsOfWaitsAreFound()
    {
        PipelineOrders orders = ordersOf(shapeOf(Schedule::OneForwardOneBackward, 2, 2));
        std::swap(orders.ranks[0].front(), orders.ranks[0].back()); // the last backward pass first
        const auto times = pipelineTimes(orders, equalStages(orders.shape, {1, 1, 1, -1}), 0);
        QVERIFY(!times);
        QCOMPARE(static_cast<int>(times.error().code), static_cast<int>(ErrorCode::Stuck));
        QVERIFY(times.error().message.find("BW1") != std::string::npos);
    }

    void chunksShareTheWholeWithoutLoss()
    {
        for (std::int64_t whole = 0; whole < 12; ++whole) {
            for (std::int32_t chunks = 1; chunks < 5; ++chunks) {
                std::int64_t sum = 0;
                for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
                    const std::int64_t part = chunkTicks({whole, 0, 0, -1}, chunk, chunks).forward;
                    QVERIFY(part == whole / chunks || part == whole / chunks + 1);
                    sum += part;
                }
                QCOMPARE(sum, whole);
            }
        }
    }

    void timesThatCannotBeAreRefused()
    {
        const PipelineOrders orders = ordersOf(shapeOf(Schedule::GPipe, 2, 2));
        QVERIFY(!pipelineTimes(orders, {}, 0));
        QVERIFY(!pipelineTimes(orders, {{1, 1, 1, -1}, {1, -1, 1, -1}}, 0));
        QVERIFY(!pipelineTimes(orders, {{INT64_MAX, INT64_MAX, 1, -1}, {1, 1, 1, -1}}, 0));
        QVERIFY(!pipelineTimes(orders, {{1, 1, 1, -1}, {1, 1, 1, -1}}, -1));
    }
};

FABRICSCOPE_TEST(TestPipelineOrders)
#include "tst_pipeline_orders.moc"
