#include "core/base/index.h"
#include "core/workload/groups.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace fabricscope;

namespace {

using Lists = std::vector<std::vector<std::int64_t>>;

/// The members of every group, found by giving each rank its mixed-radix digits: digit i is "inside" when the group spans it.
/// Positions count the inside digits in the order `inside`; groups are in order of their smallest member.
Lists bruteForce(const std::vector<std::int64_t>& radix, const std::vector<std::size_t>& inside, std::int64_t ranks)
{
    std::map<std::vector<std::int64_t>, std::map<std::vector<std::int64_t>, std::int64_t>> groups; // outside digits, reversed -> members
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        std::vector<std::int64_t> digits;
        std::int64_t rest = rank;
        for (const std::int64_t r : radix) {
            digits.push_back(rest % r);
            rest /= r;
        }
        std::vector<std::int64_t> group;
        for (std::size_t i = digits.size(); i-- > 0;) {
            if (std::find(inside.begin(), inside.end(), i) == inside.end())
                group.push_back(digits[i]);
        }
        std::vector<std::int64_t> position;
        for (std::size_t i = inside.size(); i-- > 0;)
            position.push_back(digits[inside[i]]);
        groups[group][position] = rank;
    }
    Lists lists;
    for (const auto& [group, members] : groups) {
        lists.emplace_back();
        for (const auto& [position, rank] : members)
            lists.back().push_back(rank);
    }
    return lists;
}

} // namespace

class GroupsTest : public QObject {
    Q_OBJECT

private slots:
    void theWorldHasEveryRankInOrder()
    {
        const auto world = GroupFamily::world(6);
        QVERIFY(world.isWorld());
        QVERIFY(world.isStrided());
        QCOMPARE(world.groupCount(), 1);
        QCOMPARE(world.groupSize(0), 6);
        QCOMPARE(world.member(0, 4), 4);
        QCOMPARE(world.membership(5).position, 5);
        QCOMPARE(world.membership(6).size, 0);
    }

    void tensorAndDataParallelGroups()
    {
        // 8 ranks, tensor parallel 4: {0..3}, {4..7}; data parallel 2: {0,4}, {1,5}, {2,6}, {3,7}.
        const auto tensor = GroupFamily::strided("tp", {{4, 1}}, 8).value();
        const auto data = GroupFamily::strided("dp", {{2, 4}}, 8).value();
        QCOMPARE(tensor.groupCount(), 2);
        QCOMPARE(tensor.member(1, 2), 6);
        QCOMPARE(data.groupCount(), 4);
        QCOMPARE(data.member(3, 1), 7);
        QCOMPARE(data.membership(6).group, 2);
        QCOMPARE(data.membership(6).position, 1);
        QCOMPARE(data.membership(6).size, 2);
        QCOMPARE(data.name(), std::string("dp"));
    }

    void stridedFamiliesEqualBruteForceLists()
    {
        std::mt19937 random(test::seeded(7));
        for (int round = 0; round < test::cases(300); ++round) {
            std::vector<std::int64_t> radix;
            std::int64_t ranks = 1;
            for (auto count = 1 + random() % 5; count > 0; --count) {
                radix.push_back(1 + static_cast<std::int64_t>(random() % 4));
                ranks *= radix.back();
            }
            std::vector<std::size_t> inside(radix.size());
            std::iota(inside.begin(), inside.end(), 0u);
            std::shuffle(inside.begin(), inside.end(), random);
            inside.resize(random() % (radix.size() + 1));
            std::vector<GroupFamily::Axis> axes;
            for (const std::size_t i : inside)
                axes.push_back({radix[i], std::accumulate(radix.begin(), radix.begin() + static_cast<std::ptrdiff_t>(i), std::int64_t{1}, std::multiplies<>())});
            const Lists expected = bruteForce(radix, inside, ranks);

            const auto result = GroupFamily::strided("g", axes, ranks);
            QVERIFY2(result, result ? "" : result.error().text().c_str());
            const GroupFamily& family = result.value();
            const auto listed = GroupFamily::listed("l", expected, ranks).value();

            QCOMPARE(family.groupCount(), static_cast<std::int64_t>(expected.size()));
            for (std::int64_t g = 0; g < family.groupCount(); ++g) {
                QCOMPARE(family.groupSize(g), static_cast<std::int64_t>(expected[at(g)].size()));
                for (std::int64_t p = 0; p < family.groupSize(g); ++p)
                    QCOMPARE(family.member(g, p), expected[at(g)][at(p)]);
            }
            for (std::int64_t rank = 0; rank < ranks; ++rank) {
                const auto a = family.membership(rank);
                const auto b = listed.membership(rank);
                QCOMPARE(family.member(a.group, a.position), rank);
                QCOMPARE(std::tuple(a.group, a.position, a.size), std::tuple(b.group, b.position, b.size));
            }
        }
    }

    void listsKeepRingOrderAndLeaveRanksOut()
    {
        const auto family = GroupFamily::listed("odd", {{3, 1}, {7}}, 8).value();
        QVERIFY(!family.isStrided());
        QCOMPARE(family.membership(1).position, 1);
        QCOMPARE(family.membership(3).position, 0);
        QCOMPARE(family.membership(7).group, 1);
        QCOMPARE(family.membership(0).size, 0);
        QCOMPARE(family.groupSize(1), 1);
    }

    void refusesAxesThatDoNotTile()
    {
        QVERIFY(!GroupFamily::strided("g", {{3, 1}}, 8));
        QVERIFY(!GroupFamily::strided("g", {{4, 4}}, 8));
        QVERIFY(!GroupFamily::strided("g", {{2, 1}, {2, 1}}, 8));
        QVERIFY(!GroupFamily::strided("g", {{4, 1}, {2, 2}}, 8));
        QVERIFY(!GroupFamily::strided("g", {{2, 3}}, 8)); // stride 3 leaves gaps that 8 ranks do not fill
        QVERIFY(!GroupFamily::strided("g", {{0, 1}}, 8));
        QVERIFY(!GroupFamily::strided("g", {{2, -1}}, 8));
        QVERIFY(!GroupFamily::strided("g", {{INT64_MAX, INT64_MAX}}, 8));
        QVERIFY(!GroupFamily::strided("g", {}, 0));
    }

    void refusesBadLists()
    {
        QVERIFY(!GroupFamily::listed("g", {{0, 1}, {1, 2}}, 4));
        QVERIFY(!GroupFamily::listed("g", {{0, 0}}, 4));
        QVERIFY(!GroupFamily::listed("g", {{4}}, 4));
        QVERIFY(!GroupFamily::listed("g", {{-1}}, 4));
        QVERIFY(!GroupFamily::listed("g", {{}}, 4));
        QVERIFY(!GroupFamily::listed("g", {}, 4));
        const auto error = GroupFamily::listed("dp", {{0, 9}}, 4);
        QCOMPARE(QString::fromStdString(error.error().text()), QString("group \"dp\": rank 9 does not exist (expected 0 to 3)"));
    }
};

FABRICSCOPE_TEST(GroupsTest)
#include "tst_groups.moc"
