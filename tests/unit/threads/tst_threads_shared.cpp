// What several threads share: values that write something out when they are first asked for it, rank files read at once, and trees of copies. Run under the
// thread sanitizer.
#include "core/base/index.h"
#include "core/hierarchy/grouplevels.h"
#include "core/platform/balancedways.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "core/trace/etwriter.h"
#include "core/trace/traceset.h"
#include "core/yaml/tree.h"
#include "tests/unit/support/apart.h"
#include "tests/unit/support/cases/tracefiles.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <QTemporaryDir>

#include <latch>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

using namespace fabricscope;

namespace {

constexpr std::ptrdiff_t kAsking = 4;

/// What `ask` answers on each of several threads that begin at once.
template <typename Ask>
auto answers(const Ask& ask)
{
    std::vector<std::optional<decltype(ask())>> given(kAsking);
    std::latch begin(kAsking);
    {
        std::vector<std::jthread> threads;
        for (auto& slot : given) {
            threads.emplace_back([&] {
                begin.arrive_and_wait();
                slot = ask();
            });
        }
    }
    return given;
}

Fabric podOf()
{
    auto fabric = fabricOfLine("npu x16 / leaf 24p 400G x8 / spine 2:1");
    if (!fabric)
        qFatal("%s", fabric.error().text().c_str());
    return std::move(fabric).value();
}

Platform platformOf(const Fabric& fabric)
{
    auto spec = platformOfFabric(fabric, FabricWriting::Nodes);
    if (!spec)
        qFatal("%s", spec.error().text().c_str());
    auto platform = Platform::create(std::move(spec).value());
    if (!platform)
        qFatal("%s", platform.error().text().c_str());
    return std::move(platform).value();
}

} // namespace

class ThreadsSharedTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string path(const std::string& name) const { return m_folder.filePath(QString::fromStdString(name)).toStdString(); }

private slots:
    void cablesAreWrittenOutOnce()
    {
        const Fabric fabric = podOf();
        const auto lists = answers([copy = fabric] { return &copy.cables(); });
        for (const auto& list : lists)
            QVERIFY(*list == &fabric.cables()); // One list for all copies.
        QCOMPARE(fabric.cables().size(), std::size_t{128 + 64});
    }

    void waysAreTheSame_data()
    {
        QTest::addColumn<bool>("balanced");
        QTest::newRow("of the graph") << false;
        QTest::newRow("balanced") << true;
    }
    void waysAreTheSame()
    {
        QFETCH(bool, balanced);
        const auto all = [balanced](const Platform& platform, const BalancedWays& ways) {
            std::vector<LinkId> links;
            for (NodeId from = 0; from < 128; from += 7) {
                for (NodeId to = 0; to < 128; to += 5) {
                    if (from == to)
                        continue;
                    if (balanced)
                        ways.route(from, to, links);
                    else
                        platform.route(from, to, links);
                }
            }
            return links;
        };
        const Platform one = platformOf(podOf());
        const BalancedWays waysOfOne(one);
        const std::vector<LinkId> expected = all(one, waysOfOne);
        QVERIFY(expected.size() > 1000);
        const Platform shared = platformOf(podOf());
        const BalancedWays waysOfShared(shared);
        for (const auto& links : answers([&] { return all(shared, waysOfShared); }))
            QVERIFY(*links == expected);
    }

    void levelsAreTheSame()
    {
        const Platform platform = platformOf(podOf());
        std::vector<NodeId> members(128);
        std::iota(members.begin(), members.end(), 0);
        const LevelFinder alone(platform);
        const auto expected = alone.find(members);
        QCOMPARE(expected->used.size(), std::size_t{2});
        const LevelFinder shared(platform);
        const auto asked = answers([&] {
            const auto levels = shared.find(members);
            return levels->text() + ' ' + std::to_string(shared.rate(*levels, members, 1));
        });
        for (const auto& text : asked)
            QCOMPARE(*text, expected->text() + ' ' + std::to_string(alone.rate(*expected, members, 1)));
    }

    void rankFilesAreReadAtOnce()
    {
        const std::string same = etBytes({"0.0.4", {}}, {test::compNode(1, 5), test::compNode(2, 7, {1})});
        const std::string other = etBytes({"0.0.4", {}}, {test::compNode(1, 6)});
        for (int rank = 0; rank < 24; ++rank) {
            QVERIFY(test::writeBytes(path("many." + std::to_string(rank) + ".et"), rank % 8 == 3 ? other : same));
            QVERIFY(test::writeBytes(path("bad." + std::to_string(rank) + ".et"), rank >= 5 ? std::string() : same));
        }
        const auto set = test::apart([&] { return TraceSet::load(path("many"), {0, 4}); });
        QVERIFY2(set, set ? "" : set.error().text().c_str());
        for (int rank = 0; rank < 24; ++rank)
            QCOMPARE(set.value().shared(rank) == set.value().shared(0), rank % 8 != 3);
        const auto bad = test::apart([&] { return TraceSet::load(path("bad"), {0, 4}); });
        QVERIFY(!bad);
        QCOMPARE(bad.error().place.rank, std::int64_t{5});
    }

    void aTreeBelongsToAllCopiesUntilOneIsOverlaid()
    {
        const auto document = YamlDocument::parse("a: {b: 1, c: [2, 3]}\nd: text\n");
        QVERIFY(document);
        const auto changed = answers([&] {
            YamlDocument copy = document.value();
            const bool done = static_cast<bool>(copy.overlay("a.b", "7", "--set"));
            return done && copy.find("a.b")->text == "7" && document.value().find("a.b")->text == "1";
        });
        for (const auto& well : changed)
            QVERIFY(*well);
    }
};

FABRICSCOPE_TEST(ThreadsSharedTest)
#include "tst_threads_shared.moc"
