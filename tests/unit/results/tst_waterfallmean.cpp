// What each difference of two designs is worth as the mean over orders of carrying them over.
#include "core/design/file/readdesign.h"
#include "core/insight/designset.h"
#include "core/insight/waterfallmean.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <numeric>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// An all-reduce over a ring of eight: 14 (10 ns + latency + size / 8 / bandwidth), each step up to picoseconds.
std::string ringOfEightText(const char* size, const char* bandwidth, const char* latency = "500 ns", const char* delay = "10 ns", const char* chunks = "1")
{
    return std::string("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 8, bandwidth: ") + bandwidth + ", latency: " + latency
        + "}\n  npu: {memory_bandwidth: 1600 GB/s}\nworkload:\n  steps:\n    - {collective: all_reduce, size: " + size
        + "}\ncollectives: {default: {algorithm: ring, chunks: " + chunks + "}}\nmodel: {name: links, endpoint_delay: " + delay + "}\n";
}

Design designOfText(const std::string& text)
{
    auto loaded = readDesignText(text, {}, {});
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return loaded.value().design;
}

RunResultPtr completeRunOf(const Design& design)
{
    RunDesignOptions options;
    options.taskTimes = false;
    const auto result = runDesign(std::make_shared<const Design>(design), {}, options);
    return result && result.value()->record().complete ? result.value() : nullptr;
}

Waterfall meanOf(const Design& a, const Design& b, const std::vector<std::size_t>& order = {})
{
    const RunResultPtr runA = completeRunOf(a);
    const RunResultPtr runB = completeRunOf(b);
    auto result = meanWaterfall(DesignChanges::between(a, b), runA->record(), runB->record(), order, {});
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return result.value();
}

/// By the number of the change.
std::map<std::size_t, std::int64_t> deltasOf(const Waterfall& made)
{
    std::map<std::size_t, std::int64_t> deltas;
    for (const WaterfallItem& item : made.items)
        deltas[item.change] = item.delta().ps;
    return deltas;
}

bool addsUp(const Waterfall& made)
{
    SimTime at = made.a;
    for (const WaterfallItem& item : made.items) {
        if (item.from != at)
            return false;
        at = item.to;
    }
    return at == made.b;
}

} // namespace

class WaterfallMeanTest : public QObject {
    Q_OBJECT

private slots:
    void twoFieldsThatDependOnEachOtherShareWhatTheyDoTogether()
    {
        // Of a step, in ps: 128 KiB at 50 GiB/s take 2441407, at 100 GiB/s 1220704; 384 KiB take 7324219 and 3662110.
        const Design a = designOfText(ringOfEightText("1 MiB", "50 GiB/s"));
        const Design b = designOfText(ringOfEightText("3 MiB", "100 GiB/s"));
        const DesignChanges changes = DesignChanges::between(a, b);
        QCOMPARE(changes.rows().size(), std::size_t{2});
        QCOMPARE(changes.rows()[0].field, std::string("platform.dimensions[0].bandwidth"));
        const Waterfall made = meanOf(a, b);
        QVERIFY(made.mean && made.mean.all);
        QCOMPARE(made.mean.orders, 2);
        QCOMPARE(made.mean.withoutTime, 0);
        QCOMPARE(made.items[0].delta().ps, 14 * ((1'220'704 - 2'441'407) + (3'662'110 - 7'324'219)) / 2);
        QCOMPARE(made.items[1].delta().ps, 14 * ((7'324'219 - 2'441'407) + (3'662'110 - 1'220'704)) / 2);
        QVERIFY(addsUp(made));
        QCOMPARE((made.b - made.a).ps, 14 * (3'662'110 - 2'441'407));
    }

    void meansDoNotDependOnWhereAFieldStands()
    {
        const Design a = designOfText(ringOfEightText("1 MiB", "50 GiB/s"));
        const Design b = designOfText(ringOfEightText("3 MiB", "100 GiB/s", "650 ns"));
        const Waterfall made = meanOf(a, b);
        const Waterfall other = meanOf(a, b, {2, 0, 1});
        QCOMPARE(other.items[0].change, std::size_t{2});
        QVERIFY(addsUp(made) && addsUp(other));
        QCOMPARE(deltasOf(other), deltasOf(made));
        const Waterfall moved = inOrder(made, {2, 0, 1});
        QCOMPARE(moved.items[0].change, std::size_t{2});
        QVERIFY(addsUp(moved));
        QCOMPARE(deltasOf(moved), deltasOf(made));
        QCOMPARE(moved.mean.orders, 6);
        QCOMPARE(made.mean.orders, 6);
    }

    void theyAreMeansOverEveryOrderToThePicosecond()
    {
        const Design a = designOfText(ringOfEightText("1000001 B", "7 GB/s", "333 ns", "11 ns", "1"));
        const Design b = designOfText(ringOfEightText("3000017 B", "13 GB/s", "777 ns", "5 ns", "3"));
        const DesignChanges changes = DesignChanges::between(a, b);
        const std::size_t count = changes.rows().size();
        QCOMPARE(count, std::size_t{5});
        // Every order by hand, each design between run again.
        std::map<std::vector<std::size_t>, std::int64_t> times;
        const auto timeOf = [&](std::vector<std::size_t> made) {
            std::sort(made.begin(), made.end());
            if (const auto known = times.find(made); known != times.end())
                return known->second;
            const RunResultPtr run = completeRunOf(changes.applied(made).design);
            return times[made] = run ? run->record().finish.ps : -1;
        };
        std::vector<std::int64_t> sums(count);
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        do {
            for (std::size_t i = 0; i < count; ++i) {
                const std::int64_t before = timeOf({order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i)});
                const std::int64_t after = timeOf({order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i) + 1});
                QVERIFY(before > 0 && after > 0);
                sums[order[i]] += after - before;
            }
        } while (std::next_permutation(order.begin(), order.end()));
        const Waterfall made = meanOf(a, b);
        QVERIFY(addsUp(made));
        constexpr std::int64_t kOrders = 120;
        QCOMPARE(made.mean.orders, static_cast<int>(kOrders));
        for (const auto& [change, delta] : deltasOf(made))
            QVERIFY2(std::abs(delta * kOrders - sums[change]) < kOrders, qPrintable(QString("%1: %2").arg(change).arg(delta)));
    }

    void aFieldWithoutATimeCountsWithTheNextOfItsOrder()
    {
        // Either key alone cannot be read: in each of both orders the second has it all.
        const Design a = designOfText(ringOfEightText("1 MiB", "50 GB/s"));
        std::string text = ringOfEightText("1 MiB", "25 GB/s");
        text.replace(text.find("bandwidth"), 9, "npu_bandwidth");
        const Waterfall made = meanOf(a, designOfText(text));
        QVERIFY(made.mean.withoutTime > 0);
        QVERIFY(addsUp(made));
        if (made.mean.withoutTime == 2) {
            const std::int64_t all = (made.b - made.a).ps;
            // An odd picosecond goes to the first.
            QCOMPARE(made.items[0].delta().ps, all - (all >= 0 ? all / 2 : -((1 - all) / 2)));
        }
    }

    void manyFieldsStandAtEachPlaceEquallyOften()
    {
        for (const std::size_t count : {std::size_t{6}, std::size_t{9}, DesignChanges::kMost}) {
            const std::vector<std::vector<std::size_t>> orders = ordersOfMean(count);
            QCOMPARE(orders.size(), 2 * count);
            std::vector<std::vector<int>> often(count, std::vector<int>(count));
            for (const std::vector<std::size_t>& order : orders) {
                QCOMPARE(order.size(), count);
                for (std::size_t place = 0; place < count; ++place)
                    ++often[order[place]][place];
            }
            for (const std::vector<int>& places : often)
                QVERIFY(std::all_of(places.begin(), places.end(), [](int times) { return times == 2; }));
            // Neighbours on a circle: as many beginnings as ends that leave some out.
            QCOMPARE(runsOfMean(count), static_cast<int>(count * (count - 1)));
        }
        QCOMPARE(ordersOfMean(5).size(), std::size_t{120});
        QCOMPARE(runsOfMean(5), 30); // All sets but none and all: 2^5 - 2.
        QCOMPARE(runsOfMean(1), 0);
        QCOMPARE(runsOfMean(0), 0);
    }

    void designsWithoutADifferenceHaveNoItems()
    {
        const Design a = designOfText(ringOfEightText("1 MiB", "50 GiB/s"));
        const Waterfall made = meanOf(a, a);
        QVERIFY(made.items.empty());
        QCOMPARE(made.a, made.b);
    }

    void aComparisonFollowsTheOrderThatIsAskedFor()
    {
        const Design a = designOfText(ringOfEightText("1 MiB", "50 GiB/s"));
        const Design b = designOfText(ringOfEightText("3 MiB", "100 GiB/s", "650 ns"));
        const auto compared = [&](const WaterfallOptions& options) {
            std::vector<ComparedDesign> designs;
            for (const Design& design : {a, b}) {
                const RunResultPtr run = completeRunOf(design);
                designs.push_back({"x", run->design, run->scenario, run->summary, run->cost});
            }
            return compareDesigns(std::move(designs), 0, options);
        };
        WaterfallOptions options;
        const DesignChange size = DesignChanges::between(a, b).rows().back(); // Sections are in the order of the file.
        QCOMPARE(size.section, std::string("workload"));
        options.order = {size.field, "no.such.field", "platform.dimensions[0].latency"};
        int of = 0;
        options.progress = [&](int, int all) { of = all; };
        const auto set = compared(options);
        QVERIFY(set);
        const DesignPath& path = set.value().paths[0];
        std::vector<std::string> fields;
        for (const WaterfallItem& item : path.waterfall->items)
            fields.push_back(path.changes.rows()[item.change].field);
        QCOMPARE(fields, (std::vector<std::string>{size.field, "platform.dimensions[0].latency", "platform.dimensions[0].bandwidth"}));
        // The size alone, at the rate and latency of A.
        QCOMPARE(path.waterfall->items[0].delta().ps, 14 * (7'324'219 - 2'441'407));
        QCOMPARE(of, 2);
        QVERIFY(!path.waterfall->mean);
        options.mean = true;
        const auto means = compared(options);
        QVERIFY(means && means.value().paths[0].waterfall->mean);
        QCOMPARE(of, 6);
        QVERIFY(waterfallsText(means.value()).find("mean of each difference over 6 orders") != std::string::npos);
    }

    void sumsBelowZeroAreOnTheAxis()
    {
        const Waterfall made{{100}, {10}, {{0, {100}, {-450}, true, {}}, {1, {-450}, {10}, true, {}}}, {2, true, 0}};
        QCOMPARE(spanOf(made).low.ps, -450);
        QCOMPARE(spanOf(made).high.ps, 100);
    }
};

FABRICSCOPE_TEST(WaterfallMeanTest)
#include "tst_waterfallmean.moc"
