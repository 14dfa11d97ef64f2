// Lines that describe fabrics: the machines they mean, what is refused and what stands in place of it, and limits that no line exceeds.
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/figures.h"
#include "core/platform/families/clos.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/fabriclines.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <array>
#include <bit>
#include <random>

using namespace fabricscope;
using fabricscope::test::Seeds;
using fabricscope::test::fabricOf;
using fabricscope::test::textOf;
using fabricscope::test::tiersOf;

class TestFabricLines : public QObject {
    Q_OBJECT

private slots:
    void linesAreTheMachinesTheyDescribe_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("npus");
        QTest::addColumn<QString>("switches");
        QTest::addColumn<int>("between");
        QTest::addColumn<QString>("bisection");
        const auto row = [](const char* line, int npus, const char* switches, int between, const char* bisection) { QTest::newRow(line) << line << npus << switches << between << bisection; };
        // NPUs have 1024 cables of their own; up-cables 2048, 1536 - 1024 more at 2:1 as the reference counts them.
        row("hgx-h100 x32 / rails 64p 400G x4 / spine 1:1", 1024, "128+32+16", 1024 + 1024, "512");
        row("hgx-h100 x32 / rails 64p 400G x4 / spine 2:1", 1024, "128+32+8", 1536, "256");
        row("hgx-h100 x32 / rails 64p 400G x4 / spine 4:1", 1024, "128+32+4", 1280, "128");
        row("npu / torus 4x4x8 50GB/s 1us", 128, "-", 384, "32");
        row("npu / fat_tree 16 400G", 1024, "128+128+64", 3072, "512");
        row("npu / dragonfly 4,8,4 100G", 1056, "264", 2508, "none");
        row("npu x16 / leaf 24p 400G x8 / spine 2:1", 128, "8+3", 192, "*");
        row("npu/torus 4x4x8 50 GB/s 1 us", 128, "-", 384, "32");
        row("npu x72 / switch planes 18", 72, "18", 1296, "648");
        // SuperPODs: units of 32 hosts of 8; leaf 8U, spine 4U to U = 8; beyond spine 8U, core 4U.
        row("hgx-h100 x32 / rails 64p 400G x2 / spine", 512, "64+16+8", 2 * 512, "256");
        row("hgx-h100 x32 / rails 64p 400G x8 / spine", 2048, "256+64+32", 2 * 2048, "1024");
        row("hgx-h100 x32 / rails 64p 400G x16 / spine / core", 4096, "512+128+128+64", 3 * 4096, "none");
        row("hgx-h100 x32 / rails 64p 400G x32 / spine / core", 8192, "1024+256+256+128", 3 * 8192, "none");
        row("hgx-h100 x32 / rails 64p 400G x32 / spine x2 / core", 16384, "2048+512+512+256", 3 * 16384, "none");
        // A100 SuperPOD: 20 hosts of 8 a unit, 40 ports: 7 units have 56 leaves and 28 spines.
        row("dgx-a100 x20 / rails 40p 200G x7 / spine", 1120, "140+56+28", 2 * 1120, "*");
        // Half of each tier's ports up: a fat tree of 4 ports with 4 pods.
        row("npu x2 / leaf 4p x2 / spine x4 / core", 16, "8+8+4", 48, "8");
    }

    void linesAreTheMachinesTheyDescribe()
    {
        QFETCH(QString, line);
        QFETCH(int, npus);
        QFETCH(QString, switches);
        QFETCH(int, between);
        QFETCH(QString, bisection);
        const auto fabric = fabricOf(line.toStdString());
        QVERIFY2(fabric, fabric ? "" : fabric.error().text().c_str());
        QCOMPARE(fabric.value().npus(), npus);
        QCOMPARE(tiersOf(fabric.value()), switches);
        QCOMPARE(fabric.value().cableCount() - fabric.value().cablesInside(), between);
        const auto figures = fabricFigures(fabric.value());
        QVERIFY(figures && figures.value().diameter);
        if (bisection != QLatin1String("*"))
            QCOMPARE(textOf(figures.value().bisection), bisection);
    }

    void portsAreCountedAsTheRadixAsks()
    {
        // 32 leaves: 32 down, 16 up, 16 free of 64.
        const auto pod = fabricOf("hgx-h100 x32 / rails 64p 400G x4 / spine 2:1");
        QVERIFY(pod);
        QCOMPARE(pod.value().tiers()[1].ports, 48);
        QCOMPARE(pod.value().tiers()[1].up, 16);
        QCOMPARE(pod.value().name(8), std::string("unit0.host1.gpu0"));
        QCOMPARE(pod.value().name(1023), std::string("unit3.host31.gpu7"));
        QCOMPARE(pod.value().name(1024 + 128 + 2 * 8 + 3), std::string("unit2.leaf3"));
        QCOMPARE(pod.value().name(1024 + 128 + 32 + 5), std::string("spine5"));
        // Uneven: 16 cables on 3 spines are 6, 5 and 5 ports.
        const auto uneven = fabricOf("npu / leaf_spine 4,4,3,4");
        QVERIFY(uneven);
        std::array<int, 3> ports{};
        for (const FabricCable& cable : uneven.value().cables()) {
            if (cable.kind == 1)
                ++ports[static_cast<std::size_t>(cable.upper.node - 20)];
        }
        QCOMPARE(ports, (std::array{6, 5, 5}));
        QCOMPARE(uneven.value().warnings().size(), std::size_t{1});
        // Four leaves with 6 up on 4 spines: 8 instead of the 12 of an even wiring.
        const auto worse = fabricOf("npu / leaf_spine 4,6,4,6");
        QVERIFY(worse && fabricFigures(worse.value()));
        QCOMPARE(textOf(fabricFigures(worse.value()).value().bisection), QStringLiteral("8"));
        const auto tpu = fabricOf("npu / tpu_v4 16x16x16");
        QVERIFY(tpu);
        QCOMPARE(tpu.value().cableCount(), 12288);
        QCOMPARE(tpu.value().cablesInside(), 64 * 144);
        const auto small = fabricOf("npu / dragonfly 2,4,2 groups 5");
        QVERIFY(small);
        QCOMPARE(small.value().kinds()[2].count, 20);
        QCOMPARE(fabricOf("npu / dragonfly 4,8,4").value().name(1056 + 3 * 8 + 1), std::string("group3.router1"));
    }

    void whatIsNotValidNamesTheNearestThatIs_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* line, const char* words) { QTest::newRow(line) << QString::fromUtf8(line) << QString::fromUtf8(words); };
        row("npu / fat_tree 7", "even: 6 or 8");
        row("npu / dragonfly 2,4,2 groups 10", "a h + 1 = 9");
        row("npu / dragonfly 2,4,2 groups 1", "the nearest is 2");
        row("npu / slim_fly 8", "the nearest is 7");
        row("npu / expander 15,3,1", "degree 2 or 4");
        row("npu / expander 4,4,1", "the nearest is 3");
        row("npu / tpu_v4 4x4x6", "4 or 8");
        row("npu / hypercube 21", "the nearest is 20");
        row("npu / twisted_torus 4x4x4", "4x4x8 or 4x8x8");
        row("npu / hyperx 4x4 npus 2 12p", "");
        row("npu / hyperx 4x4 npus 2 7p", "8 of 7 ports");
        row("npu / leaf_spine 4,4,17,4", "at most 16");
        row("npu / leaf_spine 4,4,8,2", "the nearest is 2");
        row("npu x48 / leaf 64p x8 / spine 1:1", "at most npu x32");
        row("hgx-h100 x33 / rails 64p x4 / spine 2:1", "a multiple of 2: 32 or 34");
        row("hgx-h100 x48 / rails 64p x4 / spine 2:1", "at most hgx-h100 x42");
        row("hgx-h100 / torus 4x4", "npu in place of hgx-h100-8");
        row("hgx-h100 / dragonfly 3,5,1", "88 or 96");
        row("npu x3 / torus 4x4", "x16");
        row("npu / toruss 4x4", "did you mean \"torus\"");
        row("hgx-h10 / rails 1,2,8,1,1", "");
        row("hgx-h200 / rails 1,2,8,1,1", "did you mean \"hgx-h100-8\"");
        row("tpu-v4 / rails 1,2,8,1,1", "2 presets start so");
        row("npu / torus 4x4 wrep 1", "did you mean \"wrap\"");
        row("npu x16 / leaf 24p x8", "a join above");
        row("npu / leaf 24p x8 / spine", "npu xN");
        row("npu x16 / leaf x8 / spine 2:1", "how many switches");
        row("npu x16 / leaf 24p x8 / spin 2:1", "did you mean \"spine\"");
        row("npu / torus 4x4 2:1", "no oversubscription");
        row("npu / torus 0x4", "the nearest is 1");
        row("npu / torus 4x4 50GB/s 60GB/s", "two rates");
        row("npu / torus 4x4 50 parsec", "has no key \"parsec\"");
        row("", "nothing stands before");
        row("npu", "no join");
        row("npu / ", "nothing stands behind");
        row("npu / torus 1048577", "the nearest is 1048576");
        row("npu / torus 2048x1024", "more than 1048576 NPUs");
        // Products of what a line says, level by level.
        row("Switch(64, 450 GB/s, 1 us) x1 / rails x536870912 / spine 64p x536870912 / core 64p", "x1 to x1048576");
        row("Switch(64, 450 GB/s, 1 us) x1 / rails x1048576 / spine 64p x1048576 / core 64p", "more than 1048576 NPUs");
        row("npu x1 / leaf / spine 1p up 536870912 / core up 536870912 / top up 536870912 / top", "\"up\" is one number from 1 to 1048576");
        row("npu x1 / leaf / spine 1p up 1048576 / core up 1048576 / top up 1048576 / top", "more than 2147483647 cables at \"core\"");
        row("npu x1 / leaf x999999937 / spine up 999999937 switches 1 x999999937 / core switches 999999938", "x1 to x1048576");
        row("npu x1 / leaf x1048573 / spine up 1048573 switches 1 x1048573 / core switches 1048573", "more than 2147483647 cables at \"spine\"");
        row("npu x1 / leaf / spine up 1048573 switches 2 / core switches 1", "1048573 cables up do not divide among 2 switches");
        row("npu x1048576 / leaf x1048576 / spine 64p", "more than 1048576 NPUs");
        row("npu x1048576 / leaf 64p / spine 1:1024 / core 1:1024", "of 64 (expected fewer up");
        row("npu x1048576 / leaf / spine 64p 1:1024 / core 1:1024 / top 1:1024", "more than 2147483647 cables at \"core\"");
        row("npu x1048576 / leaf / spine 64p 1:1024 x1024 / core 1:1024", "more than");
        row("npu / leaf_spine 1048576,1,65536,65536", "at most 64");
        // Words that stand twice, or where they mean nothing.
        row("npu x4 / rails x2 / spine 8p separate 2", "\"separate\" is not 2");
        row("npu x4 / rails x2 / spine 8p separate separate", "\"separate\" stands twice");
        row("npu x4 / rails x2 / spine 8p up 2 up 3", "\"up\" stands twice");
        row("npu x4 / leaf 8p 16p x2 / spine", "two numbers of ports: 8p and 16p");
        row("npu x4 / leaf x2 / spine 8p separate", "expected up, switches");
        row("npu x4 / rails x2 / spine 8p x2 / core separate", "expected up, switches");
        row("npu / torus size 4 size 4", "\"size\" stands twice");
        // The nearest that is valid is valid.
        row("npu / twisted_torus 128x128x128", "64x64x128 or 64x128x128");
        row("npu / twisted_torus 64x128x128", "");
        row("npu / dragonfly 1024,1024,1 groups 2", "at most 512");
        row("npu / dragonfly 512,1024,1 groups 2", "");
        row("npu / dragonfly 1,1024,1024 groups 1024", "at most 511");
        row("npu / dragonfly 1,1024,1024 groups 511", "");
        row("npu x16 / hyperx npus 2", "");
        row("npu x15 / hyperx npus 2", "switches of each axis");
        row("npu x16 / hyperx npus 0", "switches of each axis");
        row("hgx-h100 x3 / ring 5", "no number of hgx-h100");
        row("npu / rails 1,65536,1024,1,1", "at most 1024");
        row("npu / rails 2,1024,1024,1,1", "at most 1");
        row("npu / rails 4,2,2,4,1 separate 1", "the nearest is 2");
        row("npu / rails 4,2,2,2,1 separate 1", "");
        row("npu / rails 2,2,2,2,2 pods 2 cores 2 core_up 1", "do not join all pods (expected at most 1)");
        row("npu / rails 2,2,2,2,2 pods 2 cores 1 core_up 1", "");
        row("npu x4 / leaf 1048576p x2 / spine 1024:1", "4 cables down cannot be 1024:1");
        row("npu x1048576 / leaf 1048576p x1 / spine 1024:1", "at most npu x1047552");
        row("npu x1047552 / leaf 1048576p x1 / spine 1024:1", "");
        row("npu / expander 4098,2,1", "3 or more");
        row("npu / expander 4099,3,1", "degree 4");
        row("FullyConnected(4096, 1 GB/s, 1 us) x2 / leaf 8192p", "--line: a host of 8386560 cables (expected at most 65536)");
    }

    void whatIsNotValidNamesTheNearestThatIs()
    {
        QFETCH(QString, line);
        QFETCH(QString, words);
        const auto fabric = fabricOf(line.toStdString());
        if (words.isEmpty()) {
            QVERIFY2(fabric, fabric ? "" : fabric.error().text().c_str());
            return;
        }
        QVERIFY(!fabric);
        QVERIFY2(fabric.error().text().find(words.toStdString()) != std::string::npos, fabric.error().text().c_str());
    }

    void spinesAreJoinedAsFloodingSays()
    {
        for (std::int64_t lower = 1; lower <= 6; ++lower) {
            for (std::int64_t up = 1; up <= 7; ++up) {
                for (std::int64_t spines = 1; spines <= std::min<std::int64_t>(lower * up, 20); ++spines) {
                    // Spines and lower switches as bits; what is reached from spine 0 until nothing new is.
                    std::uint64_t reached = 1;
                    for (bool more = true; more;) {
                        more = false;
                        for (std::int64_t l = 0; l < lower; ++l) {
                            std::uint64_t own = 0;
                            for (std::int64_t j = 0; j < up; ++j)
                                own |= std::uint64_t{1} << (up % spines == 0 ? j % spines : (l * up + j) % spines);
                            if ((own & reached) != 0 && (own & ~reached) != 0) {
                                reached |= own;
                                more = true;
                            }
                        }
                    }
                    const SpineJoin join{lower, up, spines};
                    QVERIFY2(join.connected() == (std::popcount(reached) == spines), qPrintable(QStringLiteral("%1 %2 %3").arg(lower).arg(up).arg(spines)));
                }
            }
        }
    }

    /// `separate 0` below cores: spines of a pod serve all of its rails.
    void separateIsWhatTheLineSays()
    {
        const auto spines = [](const char* line) {
            const auto fabric = fabricOf(line);
            return fabric ? fabric.value().spec().values.one(5) : -1;
        };
        QCOMPARE(spines("npu x4 / rails 8p x2 / spine"), 0);
        QCOMPARE(spines("npu x4 / rails 8p x2 / spine separate"), 1);
        QCOMPARE(spines("npu x4 / rails 8p x2 / spine separate 1"), 1);
        QCOMPARE(spines("npu x4 / rails 8p x2 / spine separate 0"), 0);
        QCOMPARE(spines("npu x4 / rails 8p x2 / spine / core"), 1);
        QCOMPARE(spines("npu x4 / rails 8p x2 / spine separate 0 / core"), 0);
    }

    /// 4 leaves of 4 NPUs, 4 cables up each: halves of two leaves cut 8 cables of 8/9 of the rate. With rates that have no common measure the sums
    /// do not fit in 63 bits and nothing is said.
    void sumsThatDoNotFitAreNotKnown()
    {
        const auto bisection = [](const char* line) {
            const auto fabric = fabricOf(line);
            const auto figures = fabric ? fabricFigures(fabric.value()) : Result<FabricFigures>(fabric.error());
            return figures ? textOf(figures.value().bisection) : QString::fromStdString(figures.error().text());
        };
        QCOMPARE(bisection("npu x4 / leaf 900000000000000000B/s x4 / spine 800000000000000000B/s switches 1"), QStringLiteral("64/9"));
        QCOMPARE(bisection("npu x4 / leaf 900000000GB/s x4 / spine 800000000GB/s switches 1"), QStringLiteral("64/9"));
        QCOMPARE(bisection("npu x512 / leaf 900000000000000000B/s x4 / spine 899999999999999872B/s switches 1"), QStringLiteral("none"));
    }

    /// 524288 NPUs that pass on data, 512 links and more apart: what is looked at stays below the limit, and the figures are left out with a word.
    void whatTakesTooLongIsLeftOut()
    {
        const auto wide = fabricOf("Ring(1024, 100 GB/s, 1 us) x512 / rails_only");
        QVERIFY(wide);
        const auto figures = fabricFigures(wide.value());
        QVERIFY(figures && !figures.value().diameter && !figures.value().mean);
        QVERIFY2(figures.value().looked <= 100'000'000, qPrintable(QString::number(figures.value().looked)));
        QCOMPARE(figures.value().warnings.back().rule, std::string("figures-left-out"));
        // Limits are kept by each of the three searches.
        const auto small = fabricOf("npu / dragonfly 2,4,2 groups 5");
        QVERIFY(small);
        const auto all = fabricFigures(small.value());
        QVERIFY(all && all.value().mean && all.value().bisection && all.value().looked > 0);
        SearchLimits limits;
        limits.distances = all.value().looked - 1;
        QVERIFY(!fabricFigures(small.value(), {}, limits).value().mean);
        limits = {};
        limits.partings = 1000;
        QVERIFY(!fabricFigures(small.value(), {}, limits).value().bisection);
        limits = {};
        limits.cables = 89;
        const auto none = fabricFigures(small.value(), {}, limits);
        QVERIFY(none && !none.value().mean && !none.value().bisection && !none.value().ways);
    }

    /// Wiring stops too, and starts over when it is asked again.
    void stoppedWiringStartsOver()
    {
        for (const char* const line : {"npu / expander 64,8,4 seed 1", "Switch(4, 50 GB/s, 1 us) / leaf_spine 4,4,2,2"}) {
            const auto fabric = fabricOf(line);
            QVERIFY(fabric);
            std::stop_source source;
            source.request_stop();
            QVERIFY_THROWS_EXCEPTION(StopRequested, fabric.value().cables(source.get_token()));
            QCOMPARE(fabricFigures(fabric.value(), source.get_token()).error().code, ErrorCode::Cancelled);
            QCOMPARE(static_cast<std::int64_t>(fabric.value().cables().size()), fabric.value().cableCount());
        }
    }

    /// Whatever stands in a line, it is read or refused, and what is read can be counted and wired.
    void anyLineIsReadOrRefused()
    {
        static const std::vector<std::string> words{"npu", "hgx-h100", "dgx-1v", "Switch(4,50GB/s,1us)", "(", "x4", "x0", "x99999999999", "/", "//", "rails", "leaf", "switch", "spine", "core", "torus", "mesh", "ring", "full",
                                                    "dragonfly", "dragonfly_plus", "hyperx", "expander", "slim_fly", "fat_tree", "clos", "leaf_spine", "rails_only", "nvl72", "tpu_v4", "4", "4,4", "4x4x8", "2,4,2", "2,2,2,2,2", "-1", "1e9",
                                                    "64p", "0p", "400G", "50GB/s", "50", "GB/s", "1us", "2:1", "0:1", "1:", "wrap", "1,0", "groups", "up", "switches", "separate", "npus", "parallel", "seed", "9", "\xff", "999999999", ",", "x"};
        int read = 0;
        for (const std::uint64_t seed : Seeds(900, 6000, 500)) {
            std::mt19937_64 random(seed);
            const auto word = [&] { return words[std::uniform_int_distribution<std::size_t>(0, words.size() - 1)(random)]; };
            std::string line = seed % 2 == 0 ? "npu / " : seed % 3 == 0 ? "npu x4 / leaf 16p x4 / spine " : std::string();
            for (int n = std::uniform_int_distribution<int>(0, 6)(random); n > 0; --n)
                line += word() + (random() % 8 == 0 ? "" : " ");
            const auto fabric = fabricOf(line);
            if (!fabric) {
                QVERIFY2(!fabric.error().message.empty(), line.c_str());
                continue;
            }
            ++read;
            QVERIFY(fabric.value().npus() >= 1 && fabric.value().npus() <= kMaxNpus);
            if (fabric.value().cableCount() <= 20'000)
                QVERIFY2(static_cast<std::int64_t>(fabric.value().cables().size()) == fabric.value().cableCount(), line.c_str());
        }
        QVERIFY2(read >= fabricscope::test::cases(80, 5), qPrintable(QString::number(read)));
    }

    /// Lines of the right form with numbers that no machine has: read or refused, and figures within the limits.
    void hostileNumbersAreReadOrRefused()
    {
        static const std::vector<std::string> parts{"npu", "npu", "hgx-h100", "Switch(64, 450 GB/s, 1 us)", "Ring(1024, 1 GB/s, 1 us)", "Switch(2)_Switch(2)_Switch(2)", "FullyConnected(300, 1 GB/s, 1 us)", "Ring(3,1GB/s,1us)"};
        static const std::vector<std::string> numbers{"0", "1", "2", "2", "3", "4", "5", "7", "8", "64", "100", "1000", "1024", "4096", "65535", "65536", "1048573", "1048576", "1048577", "536870912", "999999937", "1000000000",
                                                      "2147483647", "4294967296", "9223372036854775807", "99999999999999999999"};
        static const std::vector<std::string> rates{"400G", "1B/s", "0.5B/s", "900000000000000000B/s", "899999999999999872B/s", "1bit/s", "0us", "1us", "3GB/s"};
        static const std::vector<std::string> lowest{"rails", "rails", "rails_only", "leaf", "leaf", "switch", "tor"};
        static const std::vector<std::string> upper{"spine", "core", "top", "agg"};
        int read = 0;
        int refused = 0;
        for (const std::uint64_t seed : Seeds(71'000, 5000, 500)) {
            std::mt19937_64 random(seed);
            const auto one = [&](const std::vector<std::string>& list) { return list[random() % list.size()]; };
            const bool tame = random() % 2 == 0;
            const auto number = [&] { return tame && random() % 8 != 0 ? std::to_string(1 + random() % 9) : one(numbers); };
            const auto maybe = [&](unsigned in, const std::string& text) { return random() % in == 0 ? ' ' + text : std::string(); };
            std::string line = one(parts);
            if (random() % 3 != 0) {
                line += " x" + number() + " / " + one(lowest) + maybe(2, (tame ? "64" : number()) + "p") + maybe(3, one(rates));
                for (std::uint64_t more = random() % 4; more > 0; --more) {
                    line += maybe(2, 'x' + number()) + " / " + one(upper) + maybe(3, "up " + number()) + maybe(4, "switches " + number()) + maybe(3, number() + 'p') + maybe(4, number() + ':' + number());
                    line += maybe(6, random() % 2 == 0 ? std::string("separate") : "separate " + number()) + maybe(5, one(rates));
                }
            } else {
                const FabricFamily& family = *fabricFamilies()[random() % fabricFamilies().size()];
                line += maybe(3, 'x' + number()) + " / " + std::string(family.name);
                for (const FamilyKey& key : family.keys) {
                    std::string list = number();
                    for (std::uint64_t more = key.list ? random() % 4 : 0; more > 0; --more)
                        list += ',' + number();
                    if (key.usual.empty() || random() % 2 == 0)
                        line += ' ' + std::string(key.name) + ' ' + list;
                }
                line += maybe(4, number() + 'p') + maybe(4, one(rates));
            }
            const auto fabric = fabricOf(line);
            if (!fabric) {
                ++refused;
                QVERIFY2(!fabric.error().message.empty() && !fabric.error().expected.empty(), line.c_str());
                continue;
            }
            ++read;
            QVERIFY2(fabric.value().npus() >= 1 && fabric.value().npus() <= kMaxNpus && fabric.value().nodes() <= INT32_MAX && fabric.value().cableCount() >= 0, line.c_str());
            const SearchLimits limits{20'000, 400'000, 200'000};
            const auto figures = fabricFigures(fabric.value(), {}, limits);
            QVERIFY2(figures && figures.value().looked <= limits.distances, line.c_str());
            QVERIFY2(!figures.value().bisection || (figures.value().bisection->over >= 0 && figures.value().bisection->under > 0), line.c_str());
            QVERIFY2(!figures.value().mean || figures.value().mean->under > 0, line.c_str());
        }
        QVERIFY2(read >= fabricscope::test::cases(250, 5) && refused >= fabricscope::test::cases(500, 5), qPrintable(QStringLiteral("%1 read, %2 refused").arg(read).arg(refused)));
    }
};

FABRICSCOPE_TEST(TestFabricLines)
#include "tst_fabric_lines.moc"
