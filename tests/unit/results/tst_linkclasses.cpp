// Equal rows of links folded into classes.
#include "core/base/index.h"
#include "core/report/linkclasses.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <random>
#include <set>
#include <tuple>

using namespace fabricscope;

namespace {

std::vector<LinkClass> classesOf(const std::vector<LinkUse>& links, const std::vector<std::string>& names, const std::string& alike = {})
{
    return linkClasses(links, [&](const LinkUse& use) { return LinkFacts{names[at(use.link)], alike}; });
}

} // namespace

class LinkClassesTest : public QObject
{
    Q_OBJECT

private slots:
    void sixteenEqualLinksAreOneRow()
    {
        std::vector<LinkUse> links;
        std::vector<std::string> names;
        for (int i = 0; i < 16; ++i) {
            links.push_back({i, 6, 4096, 1000});
            names.push_back(std::to_string(i) + " \xE2\x86\x92 D0 switch");
        }
        const std::vector<LinkClass> classes = classesOf(links, names);
        QCOMPARE(classes.size(), std::size_t{1});
        QCOMPARE(classes[0].links.size(), std::size_t{16});
        QCOMPARE(classes[0].name, std::string("0\xE2\x80\x93" "15 \xE2\x86\x92 D0 switch"));
    }

    void namesOfGraphsKeepTheirWords()
    {
        const std::vector<std::string> names{"unit0.host0.gpu0 > unit0.leaf0", "unit0.host1.gpu0 > unit0.leaf0", "unit1.host0.gpu4 > unit1.leaf4", "unit0.leaf0 > spine0"};
        const std::vector<LinkClass> classes = classesOf({{0, 1, 8, 9}, {1, 1, 8, 9}, {2, 1, 8, 9}, {3, 1, 8, 9}}, names);
        QCOMPARE(classes.size(), std::size_t{2}); // other words: another class
        QCOMPARE(classes[0].name, std::string("unit0\xE2\x80\x93" "1.host0\xE2\x80\x93" "1.gpu0, 4 > unit0\xE2\x80\x93" "1.leaf0, 4"));
        QCOMPARE(classes[1].name, names[3]);
    }

    void whatDiffersIsNotFolded_data()
    {
        QTest::addColumn<int>("messages");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<int>("busy");
        QTest::newRow("messages") << 2 << 8 << 9;
        QTest::newRow("bytes") << 1 << 7 << 9;
        QTest::newRow("busy") << 1 << 8 << 8;
    }
    void whatDiffersIsNotFolded()
    {
        QFETCH(int, messages);
        QFETCH(int, bytes);
        QFETCH(int, busy);
        QCOMPARE(classesOf({{0, 1, 8, 9}, {1, messages, bytes, busy}}, {"0", "1"}).size(), std::size_t{2});
        QCOMPARE(classesOf({{0, 1, 8, 9}, {1, 1, 8, 9}}, {"0", "1"}).size(), std::size_t{1});
        const std::vector<LinkUse> same{{0, 1, 8, 9}, {1, 1, 8, 9}};
        QCOMPARE(linkClasses(same, [](const LinkUse& use) { return LinkFacts{std::to_string(use.link), std::to_string(use.link)}; }).size(), std::size_t{2});
    }

    void everyLinkIsInOneClassOfLinksLikeIt()
    {
        for (const std::uint64_t seed : test::Seeds(72000, 100)) {
            std::mt19937_64 random(seed);
            std::vector<LinkUse> links;
            std::vector<std::string> names;
            const int count = static_cast<int>(random() % 60 + 1);
            for (int link = 0; link < count; ++link) {
                links.push_back({link, static_cast<std::int64_t>(random() % 2), static_cast<std::int64_t>(random() % 2), static_cast<std::int64_t>(random() % 3)});
                names.push_back((random() % 2 ? "up " : "down ") + std::to_string(random() % 5));
            }
            const std::vector<LinkClass> classes = classesOf(links, names);
            std::set<std::int64_t> seen;
            std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>> kinds;
            std::int64_t before = -1;
            for (const LinkClass& one : classes) {
                QVERIFY(one.links.front().link > before); // in the order of their first
                before = one.links.front().link;
                const auto kindOf = [&](const LinkUse& use) { return std::tuple(use.busyPs, use.bytes, use.messages, names[at(use.link)].starts_with("up")); };
                QVERIFY(kinds.insert(kindOf(one.links.front())).second); // no two classes of a kind
                for (const LinkUse& use : one.links) {
                    QVERIFY(seen.insert(use.link).second);
                    QCOMPARE(kindOf(use), kindOf(one.links.front()));
                }
                if (one.links.size() == 1)
                    QCOMPARE(one.name, names[at(one.links.front().link)]);
            }
            QCOMPARE(seen.size(), links.size());
        }
    }

    void setsOfNumbersAreShort()
    {
        QCOMPARE(numbersText({3}), std::string("3"));
        QCOMPARE(numbersText({0, 1}), std::string("0\xE2\x80\x93" "1"));
        QCOMPARE(numbersText({0, 4, 8}), std::string("0, 4, 8"));
        QCOMPARE(numbersText({0, 8, 16, 24, 32}), std::string("0, 8 \xE2\x80\xA6 32 (5)"));
    }

    void leadingZerosAndLongDigitsAreWords()
    {
        const std::vector<LinkUse> links{{0, 1, 8, 9}, {1, 1, 8, 9}};
        QCOMPARE(classesOf(links, {"gpu007", "gpu008"}).size(), std::size_t{2});
        QCOMPARE(classesOf(links, {"g12345678901234567890", "g12345678901234567891"}).size(), std::size_t{2});
        QCOMPARE(classesOf(links, {"gpu0", "gpu0"}).front().name, std::string("gpu0")); // parallel links
    }
};

FABRICSCOPE_TEST(LinkClassesTest)
#include "tst_linkclasses.moc"
