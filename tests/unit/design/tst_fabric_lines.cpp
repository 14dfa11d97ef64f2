// Lines that describe fabrics: the machines they mean, what is refused and what stands in place of it, and limits that no line exceeds.
#include "core/base/index.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/figures.h"
#include "core/platform/families/clos.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/fabriclines.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <array>
#include <bit>
#include <map>
#include <random>
#include <regex>

using namespace fabricscope;
using fabricscope::test::Seeds;
using fabricscope::test::fabricOf;
using fabricscope::test::textOf;
using fabricscope::test::tiersOf;

namespace {

/// Warnings of a line and its figures with this code, as text.
std::vector<std::string> warningsOf(const std::string& line, const std::string& code)
{
    const auto fabric = fabricOf(line);
    const auto figures = fabric ? fabricFigures(fabric.value()) : Result<FabricFigures>(fabric.error());
    if (!figures)
        return {figures.error().text()};
    std::vector<std::string> out;
    for (const Diagnostic& entry : figures.value().warnings) {
        if (entry.text().find('[' + code + ']') != std::string::npos)
            out.push_back(entry.text());
    }
    return out;
}

/// A line of levels by its words.
struct Words {
    std::string part;
    std::int64_t each = 1; ///< NPUs of the part.
    std::int64_t times = 1;
    std::string lowest;
    std::int64_t radix = 0;
    std::int64_t lowestTimes = 1;
    std::string up; ///< At the spine: oversubscription or `up`.
    std::int64_t spineRadix = 0;
    std::int64_t switches = 0;
    std::string core;

    std::string text() const
    {
        const auto number = [](const char* before, std::int64_t n, const char* behind) { return n > 0 ? before + std::to_string(n) + behind : std::string(); };
        return part + number(" x", times, " / ") + lowest + number(" ", radix, "p") + " 400G" + number(" x", lowestTimes, " / spine") + number(" ", spineRadix, "p") + up + number(" switches ", switches, "") + core;
    }
};

} // namespace

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
        // Four up of each spine leave four of its eight ports for the 16 cables from its leaves.
        row("npu x4 / leaf 8p x4 / spine 8p x2 / core up 4", 32, "8+8+4", 32 + 32 + 32, "16");
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
                ++ports[at(cable.upper.node - 20)];
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
        row("hgx-h101 / rails 1,2,8,1,1", "did you mean \"hgx-h100-8\"");
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
        row("banana x4", "there is no part \"banana\"");
        row("npuu", "there is no part \"npuu\", did you mean \"npu\"?");
        row("dgx-h10 / leaf", "a preset such as dgx-");
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
        // Multiples are of whole hosts, and of what the ports allow.
        row("hgx-h100 x5 / leaf 64p x2 / spine 3:1", "a multiple of 24: 24 or 48, hgx-h100 x3 or x6");
        row("npu x28 / rails 8p 400G x6 / spine 5:4", "another oversubscription, or switches of more ports");
        row("dgx-1v x4 / rails 8p 25GB/s x2 / spine", "16p at \"spine\"");
        row("dgx-1v x4 / rails 8p 25GB/s x2 / spine 16p", "");
        row("npu x1 / leaf 1p x2 / spine", "needs 1 port down and 1 up");
        row("npu / rails 4,2,2,1,2 separate 1", "1 spine for 2 sets");
        row("npu / ring 8 parallel 2", "no axis of 8 is 2");
        row("npu / torus 4x4 parallel 2", "no axis of 4x4 is 2");
        row("npu / ring 2 parallel 2", "");
        row("npu / torus 2x4 parallel 2", "");
        row("npu / mesh 3x2 parallel 2", "");
        // What a line does not name is no place in it.
        row("npu x16 / leaf 24p x8 / spine 24p 2:1 switches 1", "--line: a \"spine\" would use 64 of 24 ports");
        row("hgx-h100 x4 / rails 8p x2 / spine switches 3 separate", "--line: 3 spines for 8 sets");
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

    /// What an error advises is accepted.
    void adviceIsAccepted()
    {
        const auto one = [](std::mt19937_64& random, std::initializer_list<const char*> list) { return std::string(*(list.begin() + static_cast<std::ptrdiff_t>(random() % list.size()))); };
        std::map<std::string, int> followed;
        // Making one takes longer than all else of a case.
        const std::regex atMost("at most \\S+ x(\\d+)");
        const std::regex multiple("a multiple of \\d+: (\\d+)( or (\\d+))?");
        const std::regex times("\"(leaf|rails)\" x(\\d+)( or x(\\d+))?");
        const std::regex ports("switches of (\\d+) port"), spinePorts("(\\d+)p at \"spine\""), switches("switches (\\d+)");
        for (const std::uint64_t seed : Seeds(5, 3000, 300)) {
            std::mt19937_64 random(seed);
            const auto draw = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
            Words words;
            words.part = one(random, {"npu", "hgx-h100", "dgx-1v", "Switch(6,50GB/s,1us)", "Ring(3,50GB/s,1us)"});
            words.each = words.part == "npu" ? 1 : words.part[0] == 'S' ? 6 : words.part[0] == 'R' ? 3 : 8;
            words.times = draw(1, 60);
            words.lowest = one(random, {"leaf", "rails"});
            words.radix = std::stoi(one(random, {"8", "16", "24", "32", "64"}));
            words.lowestTimes = draw(1, 12);
            words.up = std::array{std::string(), ' ' + std::to_string(draw(1, 5)) + ':' + std::to_string(draw(1, 4)), " up " + std::to_string(draw(1, 20))}[random() % 3];
            words.spineRadix = random() % 3 == 0 ? words.radix * draw(1, 2) : 0;
            words.switches = random() % 6 == 0 ? draw(1, 40) : 0;
            if (random() % 4 == 0)
                words.core = " x" + std::to_string(draw(1, 4)) + " / core" + std::array{std::string(), std::string(" 2:1"), " up " + std::to_string(draw(1, 8))}[random() % 3];
            const auto refused = fabricOf(words.text());
            if (refused)
                continue;
            const std::string advice = refused.error().expected;
            const auto follow = [&](const char* kind, const Words& changed) {
                ++followed[kind];
                const auto fabric = fabricOf(changed.text());
                const std::string said = words.text() + "\n  " + refused.error().text() + "\n  " + changed.text() + "\n  ";
                QVERIFY2(fabric, (said + (fabric ? "" : fabric.error().text())).c_str());
            };
            std::smatch found;
            Words changed = words;
            if (std::regex_search(advice, found, atMost)) {
                changed.times = std::stoll(found[1]);
                follow("at most", changed);
            }
            if (std::regex_search(advice, found, multiple)) {
                for (const std::size_t i : {1U, 3U}) {
                    if (!found[i].matched)
                        continue;
                    const std::int64_t each = words.lowest == "leaf" ? words.each : 1;
                    QVERIFY2(std::stoll(found[i]) % each == 0, (words.text() + ": " + advice).c_str());
                    changed = words;
                    changed.times = std::stoll(found[i]) / each;
                    follow("a multiple of", changed);
                }
            }
            if (std::regex_search(advice, found, times)) {
                for (const std::size_t i : {2U, 4U}) {
                    changed = words;
                    changed.lowestTimes = found[i].matched ? std::stoll(found[i]) : 0;
                    if (changed.lowestTimes > 0)
                        follow("times", changed);
                }
            }
            changed = words;
            if (refused.error().message.find("would use") == std::string::npos && std::regex_search(advice, found, ports)) {
                changed.radix = std::stoll(found[1]);
                follow("switches of", changed);
            }
            changed = words;
            if (std::regex_search(advice, found, spinePorts)) {
                changed.spineRadix = std::stoll(found[1]);
                follow("p at", changed);
            }
            changed = words;
            if (std::regex_search(advice, found, switches)) {
                changed.switches = std::stoll(found[1]);
                follow("switches", changed);
            }
            if (QTest::currentTestFailed())
                return;
        }
        for (const auto& [kind, least] : std::map<std::string, int>{{"at most", 300}, {"a multiple of", 60}, {"switches of", 300}, {"p at", 8}, {"switches", 3}, {"times", 3}})
            QVERIFY2(followed[kind] >= fabricscope::test::cases(least, 0), qPrintable(QString::fromStdString(kind) + ' ' + QString::number(followed[kind])));
    }

    /// 24 cables of 4 leaves fit 4 spines of 6 ports down, but 6 cables of a leaf do not divide among 4.
    void spinesThatAreRoundedAreSaid()
    {
        const auto said = warningsOf("npu x6 / leaf 12p x4 / spine x2 / core", "rounded-switches");
        QCOMPARE(said.size(), std::size_t{1});
        QVERIFY2(said[0].find("\"spine\": 4 switches would") != std::string::npos && said[0].find("6 switches taken") != std::string::npos, said[0].c_str());
        QVERIFY(warningsOf("npu x6 / leaf 12p x4 / spine switches 6 x2 / core", "rounded-switches").empty());
        // 128 spines of 32 cables up to 64 cores: each reaches half of them.
        const auto cores = warningsOf("hgx-h100 x32 / rails 64p 400G x16 / spine / core", "uneven-spines");
        QCOMPARE(cores.size(), std::size_t{1});
        QVERIFY2(cores[0].find("32 cables up from each switch do not divide among 64") != std::string::npos, cores[0].c_str());
        QVERIFY(warningsOf("npu x4 / rails x8 / spine switches 4 / core switches 4", "uneven-spines").empty());
    }

    /// A rate that nobody gave is said where another one gives another bisection: with what stands for "@" given as 400, and as 100 or 1600 Gbit/s.
    void assumedRatesAreSaidWhereTheyWeigh()
    {
        int changed = 0;
        for (const char* const line : {"npu x16 / leaf 24p@ x8 / spine 24p 200G 2:1", "npu x4 / leaf 8p@ x2 / spine 400G", "hgx-h100 x3 / leaf 64p@", "hgx-h100 x1 / leaf 64p@", "npu x16 / leaf 24p@ x8 / spine 24p 2:1", "npu / torus 4x4@",
                                       "hgx-h100 x4 / leaf_spine 2,16,2,2@", "hgx-h100 x4 / leaf 64p@", "hgx-h100 x2 / rails 64p@ x2 / spine", "hgx-h100 x4 / rails 64p@ x2 / spine 2:1"}) {
            const auto with = [&](const std::string& rate) { return QString::fromUtf8(line).replace("@", QString::fromStdString(rate)).toStdString(); };
            const auto bisection = [&](const std::string& rate) { return fabricFigures(fabricOf(with(rate)).value()).value().bisection; };
            QVERIFY2(bisection(" 400G").has_value(), line);
            const bool changes = bisection(" 400G") != bisection(" 100G") || bisection(" 400G") != bisection(" 1600G");
            const auto said = warningsOf(with(""), "assumed-bandwidth");
            QVERIFY2(said.size() == (changes ? 1 : 0), line);
            QVERIFY2(!changes || said[0].find("400 Gbit/s assumed") != std::string::npos, line);
            QVERIFY2(warningsOf(with(" 400G"), "assumed-bandwidth").empty(), line);
            changed += changes ? 1 : 0;
        }
        QVERIFY(changed > 2);
        // Nor where nothing is searched: a bisection that is left out depends on nothing.
        QVERIFY(warningsOf("hgx-h100-8 x3 / rails 64p x5 / spine 3:1", "assumed-bandwidth").empty());
    }

    /// 82 million draws through 250 neighbours each are not begun; what is not known for other reasons is said too.
    void figuresThatAreLeftOutAreSaid()
    {
        const auto drawn = warningsOf("npu / expander 65536,250,1", "figures-left-out");
        QVERIFY2(!drawn.empty() && drawn[0].find("draws") != std::string::npos, drawn.empty() ? "" : drawn[0].c_str());
        QVERIFY(!fabricOf("npu / expander 65536,250,1").value().isWirable());
        QVERIFY(warningsOf("npu / expander 16,4,2 seed 1", "figures-left-out").empty());
        for (const auto& [line, words] : {std::pair{"npu / dragonfly 2,4,2", "the bisection"}, {"npu / mesh 1024x1024", "ways"}}) {
            const auto said = warningsOf(line, "figures-left-out");
            QVERIFY2(said.size() == 1 && said[0].find(words) != std::string::npos, line);
        }
    }

    /// "50 GB/s" behind a key that may stand alone is a rate, not its number.
    void figuresBehindKeysAreFigures()
    {
        const auto spec = fabricSpecOf(parseFabricForm("npu x4 / rails x2 / spine 8p separate 50 GB/s").value());
        QVERIFY2(spec, spec ? "" : spec.error().text().c_str());
        QCOMPARE(spec.value().values.one(5), 1);
        QVERIFY(spec.value().levels[1].bandwidth);
        QCOMPARE(toBandwidth(*spec.value().levels[1].bandwidth).bytesPerSecond, 50'000'000'000);
        QCOMPARE(fabricSpecOf(parseFabricForm("npu x4 / rails x2 / spine 8p separate 0 50 GB/s").value()).value().values.one(5), 0);
    }

    void fractionsThatDoNotFitKeepAnUnder()
    {
        QCOMPARE(fraction(WideCount{1} << 64, 3).under, 1);
        QCOMPARE(fraction(12, 8), (Fraction{3, 2}));
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
        QVERIFY(none && !none.value().mean && !none.value().bisection && !none.value().ways && !none.value().bisectionAtMost);
        // One look is at 60 nodes and twice 90 cables; eight are wanted.
        limits = {};
        limits.partings = 1000;
        QVERIFY(!fabricFigures(small.value(), {}, limits).value().bisectionAtMost);
        limits.partings = 2000;
        QVERIFY(fabricFigures(small.value(), {}, limits).value().bisectionAtMost);
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
