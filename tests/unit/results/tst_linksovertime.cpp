// How busy links are around an instant, against intervals that are written down or known in closed form.
#include "core/draw/platformheat.h"
#include "core/record/linkseries.h"
#include "core/record/linksovertime.h"
#include "core/run/followlinks.h"
#include "core/run/rundesign.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <stop_token>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using BusyTime = std::pair<std::int64_t, std::int64_t>;
using Window = LinksOverTime::Window;

/// Picoseconds of the window that are within the intervals, looked at one by one.
std::int64_t timeInside(const std::vector<BusyTime>& intervals, const Window& window)
{
    std::int64_t inside = 0;
    for (const auto& [begin, end] : intervals)
        inside += std::max<std::int64_t>(0, std::min(end, window.endPs) - std::max(begin, window.beginPs));
    return inside;
}

Platform ringsOf(std::initializer_list<std::int32_t> sizes)
{
    PlatformSpec spec;
    for (const std::int32_t size : sizes)
        spec.dimensions.push_back({Shape::Ring, size, Quantity{50, "GB/s", Measure::Bandwidth}, false, Quantity{1, "us", Measure::Time}});
    return Platform::create(spec).value();
}

RunResultPtr ranDesign(const char* text)
{
    auto loaded = readDesignText(text, "design.yaml");
    if (!loaded)
        throw std::runtime_error(loaded.error().text());
    auto run = runDesign(std::make_shared<const Design>(std::move(loaded.value().design)), {}, {});
    if (!run)
        throw std::runtime_error(run.error().text());
    return run.value();
}

/// A record whose links are busy at these times, all listed.
RunRecord recordOfLinks(const Platform& platform, const std::vector<std::vector<BusyTime>>& busy, std::int64_t finish)
{
    RunRecord record;
    record.finish = SimTime{finish};
    record.allLinks = true;
    record.dimensions.resize(platform.dimensions().size());
    for (LinkId link = 0; link < platform.linkCount(); ++link) {
        DimensionUse& use = record.dimensions[static_cast<std::size_t>(platform.linkInfo(link).dimension)];
        ++use.links;
        LinkUse own{link, 0, 0, 0};
        for (const auto& [begin, end] : busy[static_cast<std::size_t>(link)]) {
            use.busy.add(begin, end);
            own.busyPs += end - begin;
            ++own.messages;
        }
        use.busyPs += own.busyPs;
        if (own.messages > 0)
            record.links.push_back(own);
    }
    return record;
}

} // namespace

class LinksOverTimeTest : public QObject
{
    Q_OBJECT

private slots:
    /// Ring all-reduce of 4 MB on 4 NPUs in one chunk: 6 steps of 1 MB, each 20 us on the link of one way round and 1 us until it is there. So the 4 links of
    /// that way are busy in [21 k, 21 k + 20) us, k = 0..5, the 4 of the other never, and the run takes 126 us.
    void aRingOfFourByHand()
    {
        const RunResultPtr run = ranDesign("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}\n"
                                     "workload: {collective: all_reduce, size: 4 MB}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n");
        constexpr std::int64_t kUs = 1'000'000;
        QCOMPARE(run->record().finish.ps, 126 * kUs);
        std::vector<BusyTime> busy;
        for (std::int64_t k = 0; k < 6; ++k)
            busy.emplace_back(21 * k * kUs, (21 * k + 20) * kUs);
        const Platform& platform = run->scenario->structure->platform;
        const LinksOverTime links(platform, run->record());
        QVERIFY(links.knowsCarriers());
        QCOMPARE(links.carriers().size(), std::size_t{4});
        int full = 0;
        int none = 0;
        for (std::int64_t ps = 0; ps <= 126 * kUs; ps += 10'007) {
            const auto window = links.windowAt(SimTime{ps});
            QVERIFY(window && window->beginPs <= ps && ps <= window->endPs);
            QVERIFY(window->endPs - window->beginPs <= kUs / 5);
            const std::int64_t inside = timeInside(busy, *window);
            QCOMPARE(links.use(0, *window).busyPs, 4 * inside);
            QCOMPARE(links.use(0, *window).links, std::int64_t{4});
            const double share = static_cast<double>(inside) / static_cast<double>(window->endPs - window->beginPs);
            const PlatformHeat heat = PlatformHeat::inWindow(links, *window);
            QVERIFY(heat.isMean());
            for (NodeId npu = 0; npu < 4; ++npu) {
                const double plus = heat.link(*platform.ringLink(0, npu, RingDirection::Plus), 0);
                const double minus = heat.link(*platform.ringLink(0, npu, RingDirection::Minus), 0);
                QVERIFY(std::abs(std::max(plus, minus) - share) < 1e-12);
                QCOMPARE(std::min(plus, minus), 0.0);
            }
            full += share == 1 ? 1 : 0;
            none += share == 0 ? 1 : 0;
        }
        QVERIFY(full > 1000);
        QVERIFY(none > 100);
    }

    /// Two rings with intervals drawn at random for some of their links: every window has what they have inside of it, to the picosecond.
    void randomIntervalsAddUpInEveryWindow()
    {
        const Platform platform = ringsOf({4, 8});
        for (const std::uint64_t seed : Seeds(1300, 60)) {
            std::mt19937_64 random(seed);
            const std::int64_t finish = 1 + static_cast<std::int64_t>(random() % (std::uint64_t{1} << (4 + random() % 40)));
            std::vector<std::vector<BusyTime>> busy(static_cast<std::size_t>(platform.linkCount()));
            std::vector<std::vector<BusyTime>> byDimension(2);
            for (LinkId link = 0; link < platform.linkCount(); ++link) {
                std::int64_t at = 0;
                for (auto count = random() % 4; count > 0 && at < finish; --count) {
                    const std::int64_t begin = at + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(finish - at));
                    at = begin + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(finish - begin));
                    busy[static_cast<std::size_t>(link)].emplace_back(begin, at);
                    byDimension[static_cast<std::size_t>(platform.linkInfo(link).dimension)].emplace_back(begin, at);
                }
            }
            const RunRecord record = recordOfLinks(platform, busy, finish);
            const LinksOverTime links(platform, record);
            QCOMPARE(links.dimensions(), std::size_t{2});
            std::vector<std::int64_t> total(2, 0);
            for (std::int64_t begin = 0; begin < finish;) {
                const auto window = links.windowAt(SimTime{begin});
                QVERIFY(window && window->beginPs == begin && window->endPs > begin && window->endPs <= finish);
                QVERIFY(links.windowAt(SimTime{begin + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(window->endPs - begin))}) == window);
                for (std::size_t d = 0; d < 2; ++d) {
                    QCOMPARE(links.use(d, *window).busyPs, timeInside(byDimension[d], *window));
                    total[d] += timeInside(byDimension[d], *window);
                }
                begin = window->endPs;
            }
            for (std::size_t d = 0; d < 2; ++d)
                QCOMPARE(total[d], record.dimensions[d].busyPs);
            QVERIFY(links.windowAt(SimTime{finish}) == links.windowAt(SimTime{finish - 1}));
            QVERIFY(!links.windowAt(SimTime{finish + 1}));
            QVERIFY(!links.windowAt(SimTime{-1}));
        }
    }

    /// More links carry something than a record lists: the mean is that of all of them.
    void whereLinksAreLeftOutTheMeanIsOfAll()
    {
        const Platform platform = ringsOf({4});
        std::vector<std::vector<BusyTime>> busy(8);
        busy[0] = {{0, 1024}};
        busy[1] = {{0, 512}};
        RunRecord record = recordOfLinks(platform, busy, 2048);
        const LinksOverTime all(platform, record);
        const Window first{0, 1024};
        QVERIFY(all.windowAt(SimTime{5}) == first);
        QCOMPARE(all.share(0, first), 0.75);
        QCOMPARE(PlatformHeat::inWindow(all, first).link(0, 0), 0.75);
        QCOMPARE(PlatformHeat::inWindow(all, first).link(2, 0), 0.0);
        record.links.pop_back();
        record.allLinks = false;
        const LinksOverTime some(platform, record);
        QCOMPARE(some.share(0, first), 1.5 / 8);
        for (LinkId link = 0; link < 8; ++link)
            QCOMPARE(PlatformHeat::inWindow(some, first).link(link, 0), 1.5 / 8);
        QCOMPARE(some.share(0, {1024, 2048}), 0.0);
    }

    /// Nobody followed the links; nothing was to be followed; a link carries more than it can.
    void whatIsNotKnownIsNotSaid()
    {
        const Platform platform = ringsOf({4});
        RunRecord record = recordOfLinks(platform, std::vector<std::vector<BusyTime>>(8), 1000);
        QVERIFY(LinksOverTime(platform, record).windowAt(SimTime{500}));
        QCOMPARE(LinksOverTime(platform, record).share(0, {0, 1000}), 0.0);
        record.dimensions[0].busyPs = 100;
        QVERIFY(!LinksOverTime(platform, record).windowAt(SimTime{500}));
        QVERIFY(!LinksOverTime().windowAt(SimTime{0}));
        record.links = {{0, 1, 1, 2000}};
        record.dimensions[0].busyPs = 2000;
        record.dimensions[0].busy.add(0, 1000);
        record.dimensions[0].busy.add(0, 1000);
        QCOMPARE(LinksOverTime(platform, record).share(0, {0, 1000}), 1.0);
    }

    /// Links by themselves, with intervals drawn at random: every window of each has what they have inside of it; a link that is a copy of another shares its series.
    void everyLinkHasItsOwnSeries()
    {
        for (const std::uint64_t seed : Seeds(1300, 40)) {
            std::mt19937_64 random(seed);
            const std::int64_t width = 1 + static_cast<std::int64_t>(random() % 5000);
            const std::int64_t finish = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(width * 1000));
            LinkSeries series(width, finish);
            std::vector<std::vector<BusyTime>> busy(12);
            for (std::size_t link = 0; link < 8; ++link) {
                for (auto count = random() % 4; count > 0; --count) {
                    const std::int64_t begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(finish));
                    busy[link].emplace_back(begin, begin + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(finish - begin)));
                }
                busy[link + 4] = busy[link]; // 4 to 7 are drawn anew, 8 to 11 are as 4 to 7.
            }
            std::set<std::vector<BusyTime>> different;
            for (std::size_t link = 0; link < busy.size(); ++link) {
                for (const auto& [begin, end] : busy[link])
                    series.add(static_cast<LinkId>(link), begin, end);
                std::vector<BusyTime> sorted = busy[link];
                std::sort(sorted.begin(), sorted.end());
                if (!sorted.empty())
                    different.insert(sorted);
            }
            series.share();
            QVERIFY(series.kinds() <= different.size());
            for (std::int64_t begin = 0; begin < finish; begin += width) {
                const Window window{begin, std::min(begin + width, finish)};
                const std::vector<float> shares = series.shares(window, 12);
                for (std::size_t link = 0; link < busy.size(); ++link) {
                    const std::int64_t inside = timeInside(busy[link], window);
                    const auto own = series.busyOf(static_cast<LinkId>(link));
                    QCOMPARE(own.empty(), busy[link].empty());
                    QCOMPARE(own.empty() ? 0 : own[static_cast<std::size_t>(begin / width)], inside);
                    const double share = std::min(1.0, static_cast<double>(inside) / static_cast<double>(window.endPs - window.beginPs));
                    QCOMPARE(shares[link], static_cast<float>(share));
                }
            }
        }
    }

    /// The ring of four by hand, link by link: four series that are one, and four links without any.
    void followedLinksOfARingByHand()
    {
        const RunResultPtr run = ranDesign("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}\n"
                                     "workload: {collective: all_reduce, size: 4 MB}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n");
        constexpr std::int64_t kUs = 1'000'000;
        std::vector<BusyTime> busy;
        for (std::int64_t k = 0; k < 6; ++k)
            busy.emplace_back(21 * k * kUs, (21 * k + 20) * kUs);
        QVERIFY(canFollowLinks(*run));
        const auto series = followLinks(*run);
        QVERIFY2(series, series ? "" : series.error().text().c_str());
        QCOMPARE(series.value()->links(), std::size_t{4});
        QCOMPARE(series.value()->kinds(), std::size_t{1});
        const LinksOverTime links(run->scenario->structure->platform, run->record());
        for (std::int64_t ps = 0; ps <= 126 * kUs; ps += 499'979) {
            const Window window = *links.windowAt(SimTime{ps});
            const std::vector<float> shares = series.value()->shares(window, 8);
            const auto busyLinks = std::count_if(shares.begin(), shares.end(), [](float share) { return share > 0; });
            const double share = static_cast<double>(timeInside(busy, window)) / static_cast<double>(window.endPs - window.beginPs);
            QCOMPARE(static_cast<int>(busyLinks), share > 0 ? 4 : 0);
            QCOMPARE(*std::max_element(shares.begin(), shares.end()), static_cast<float>(share));
        }
    }

    /// Two flows share the link into NPU 0 until the shorter one has ended: what either sender has of its own is at half its rate, then one at all of it.
    void followedLinksUnderFlowHaveTheirRateAtEachInstant()
    {
        const RunResultPtr run = ranDesign("fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: c}, {name: s, kind: switch}]\n  links:\n"
                                           "    - {between: [a, s], bandwidth: 50 GB/s, latency: 1 us}\n    - {between: [b, s], bandwidth: 50 GB/s, latency: 1 us}\n    - {between: [c, s], bandwidth: 50 GB/s, latency: 1 us}\n"
                                           "workload:\n  steps:\n    - {send: 1 MB, to: 0, ranks: 1, name: short}\n    - {send: 3 MB, to: 0, tag: 1, ranks: 2, name: long}\n"
                                           "    - {receive: 1 MB, from: 1, ranks: 0, name: first}\n    - {receive: 3 MB, from: 2, tag: 1, ranks: 0, name: second, after: []}\nmodel: {name: flow}\n");
        // 1 MB at 25 GB/s: 40 us; the long one has 2 MB left then, at 50 GB/s: 40 us more.
        constexpr std::int64_t kUs = 1'000'000;
        QVERIFY(canFollowLinks(*run));
        const auto series = followLinks(*run);
        QVERIFY2(series, series ? "" : series.error().text().c_str());
        const Platform& platform = run->scenario->structure->platform;
        const LinksOverTime links(platform, run->record());
        const auto shareAt = [&](NodeId from, NodeId to, std::int64_t ps) {
            const Window window = *links.windowAt(SimTime{ps});
            const std::vector<float> shares = series.value()->shares(window, platform.linkCount());
            for (LinkId link = 0; link < platform.linkCount(); ++link) {
                if (platform.linkInfo(link).from == from && platform.linkInfo(link).to == to)
                    return shares[static_cast<std::size_t>(link)];
            }
            return -1.0F;
        };
        for (std::int64_t us = 2; us < 78; us += 4) {
            const bool shared = us < 40;
            QVERIFY(std::abs(shareAt(1, 3, us * kUs) - (shared ? 0.5F : 0.0F)) < 1e-4F);
            QVERIFY(std::abs(shareAt(2, 3, us * kUs) - (shared ? 0.5F : 1.0F)) < 1e-4F);
            QVERIFY(std::abs(shareAt(3, 0, us * kUs) - 1.0F) < 1e-4F);
            QCOMPARE(shareAt(0, 3, us * kUs), 0.0F);
        }
        for (const LinkUse& use : run->record().links) {
            const auto own = series.value()->busyOf(use.link);
            QVERIFY(std::abs(std::accumulate(own.begin(), own.end(), std::int64_t{0}) - use.busyPs) <= 4); // Rounded once for each rate.
        }
    }

    void whatIsFollowedAgreesWithTheRecord_data()
    {
        QTest::addColumn<QByteArray>("design");
        const QByteArray slow = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}\n    - {shape: switch, size: 2, bandwidth: 25 GB/s, latency: 2 us}\n"
                                "  overrides:\n    links:\n      - {link: \"d0 1>2\", bandwidth: 10 GB/s}\nworkload: {collective: all_reduce, size: 4 MB}\ncollectives: {default: {algorithm: ring, chunks: 2}}\nmodel: {name: ";
        const QByteArray alike = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: fully_connected, size: 8, bandwidth: 50 GB/s, latency: 700 ns}\n    - {shape: ring, size: 4, bandwidth: 25 GB/s, latency: 2 us}\n"
                                 "workload: {collective: all_reduce, size: 16 MB}\nmodel: {name: ";
        for (const char* model : {"links", "ideal"}) {
            QTest::addRow("one slow link, %s", model) << slow + model + "}\n";
            QTest::addRow("all alike, %s", model) << alike + model + "}\n";
        }
        const QByteArray tree = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n    - {shape: switch, size: 4, bandwidth: 25 GB/s, latency: 1 us}\n"
                                "workload: {collective: all_to_all, size: 1 MB}\nmodel: {name: astra-aware}\n";
        QTest::newRow("all alike, astra-aware") << alike + "astra-aware}\n";
        QTest::newRow("switches, astra-aware") << tree;
    }
    /// Whatever engine made the run: the total of every link is that of the record, and the links of a dimension add up to its busy time in every window.
    void whatIsFollowedAgreesWithTheRecord()
    {
        QFETCH(QByteArray, design);
        const RunResultPtr run = ranDesign(design.constData());
        QVERIFY(canFollowLinks(*run));
        const auto series = followLinks(*run);
        QVERIFY2(series, series ? "" : series.error().text().c_str());
        const Platform& platform = run->scenario->structure->platform;
        const LinksOverTime links(platform, run->record());
        std::vector<std::vector<std::int64_t>> byDimension(links.dimensions(), std::vector<std::int64_t>(BusyPyramid::kBuckets, 0));
        QCOMPARE(series.value()->links(), run->record().links.size());
        for (const LinkUse& use : run->record().links) {
            const auto own = series.value()->busyOf(use.link);
            QCOMPARE(std::accumulate(own.begin(), own.end(), std::int64_t{0}), use.busyPs);
            const auto dimension = static_cast<std::size_t>(std::max(platform.linkInfo(use.link).dimension, 0));
            for (std::size_t window = 0; window < own.size(); ++window)
                byDimension[dimension][window] += own[window];
        }
        std::size_t number = 0;
        for (std::int64_t begin = 0; begin < run->record().finish.ps; ++number) {
            const Window window = *links.windowAt(SimTime{begin});
            for (std::size_t d = 0; d < links.dimensions(); ++d)
                QCOMPARE(byDimension[d][number], links.use(d, window).busyPs);
            begin = window.endPs;
        }
    }

    /// A run of a model without such intervals, one that was cut, and one with links left out are not followed; a follower that is told to stop says so.
    void whatCannotBeFollowedIsNotTried()
    {
        const char* const ring = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 4 MB}\nmodel: {name: %1}\n";
        for (const char* model : {"astra-unaware"})
            QVERIFY(!canFollowLinks(*ranDesign(QString::fromLatin1(ring).arg(QLatin1StringView(model)).toStdString().c_str())));
        const RunResultPtr run = ranDesign(QString::fromLatin1(ring).arg(QStringLiteral("links")).toStdString().c_str());
        QVERIFY(canFollowLinks(*run));
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = followLinks(*run, stop.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
        auto changed = [&run](auto change) {
            auto record = std::make_shared<RunRecord>(run->record());
            change(*record);
            RunResult other = *run;
            other.summary.record = record;
            return canFollowLinks(other);
        };
        QVERIFY(!changed([](RunRecord& record) { record.allLinks = false; }));
        QVERIFY(!changed([](RunRecord& record) { record.cutAt = record.finish; }));
        QVERIFY(!changed([](RunRecord& record) { record.links.front().messages = kMostCrossings + 1; }));
    }

    /// A run that was cut is known up to there.
    void aCutRunIsKnownUpToTheCut()
    {
        const Platform platform = ringsOf({4});
        std::vector<std::vector<BusyTime>> busy(8);
        busy[0] = {{0, 5000}};
        RunRecord record = recordOfLinks(platform, busy, 5000);
        record.complete = false;
        record.cutAt = SimTime{5000};
        const LinksOverTime links(platform, record);
        QVERIFY(links.windowAt(SimTime{5000}) && !links.windowAt(SimTime{5001}));
        QCOMPARE(links.windowAt(SimTime{5000})->endPs, std::int64_t{5000});
    }
};

FABRICSCOPE_TEST(LinksOverTimeTest)
#include "tst_linksovertime.moc"
