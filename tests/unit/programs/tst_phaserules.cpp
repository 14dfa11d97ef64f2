#include "core/program/nativerule.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

using namespace fabricscope;

namespace {

struct Kind {
    PhaseKind kind;
    Algorithm algorithm;
    bool minus;
};

std::vector<Kind> kinds()
{
    std::vector<Kind> list;
    for (const PhaseKind kind : {PhaseKind::ReduceScatter, PhaseKind::AllGather, PhaseKind::AllToAll}) {
        list.push_back({kind, Algorithm::Ring, false});
        list.push_back({kind, Algorithm::Ring, true});
        list.push_back({kind, Algorithm::Direct, false});
    }
    list.push_back({PhaseKind::ReduceScatter, Algorithm::HalvingDoubling, false});
    list.push_back({PhaseKind::AllGather, Algorithm::HalvingDoubling, false});
    list.push_back({PhaseKind::AllReduce, Algorithm::DoubleBinaryTree, false});
    list.push_back({PhaseKind::AllGather, Algorithm::Bruck, false});
    list.push_back({PhaseKind::ReduceScatter, Algorithm::Circulant, false});
    list.push_back({PhaseKind::AllGather, Algorithm::Circulant, false});
    return list;
}

PhaseRules rulesOf(const Kind& kind, int n)
{
    return PhaseRules({kind.kind, kind.algorithm, 0, 0, kind.minus}, n);
}

/// What a block of one member holds: how often the contribution of every member is in it.
using Sum = std::vector<int>;
/// All-to-all: (source, target) blocks that a member has in its hands.
using Blocks = std::set<std::pair<int, int>>;

int modulo(int value, int n)
{
    return ((value % n) + n) % n;
}

/// The blocks a message carries, written out from the table of phaserules.h block by block.
std::vector<int> blocksOf(const Kind& kind, int n, int sender, const PhaseRules::Message& message)
{
    const int sign = kind.minus ? -1 : 1;
    int m = 0;
    while ((2 << m) <= n)
        ++m;
    const int core = 1 << m;
    const bool scatters = kind.kind == PhaseKind::ReduceScatter;
    std::vector<int> blocks;
    if (kind.algorithm == Algorithm::Ring)
        return {modulo(sender - sign * (message.step + (scatters ? 1 : 0)), n)};
    if (kind.algorithm == Algorithm::Direct)
        return {scatters ? message.peer : sender};
    if (kind.algorithm == Algorithm::Circulant && scatters) {
        int row = n; // Sums from the own block on that are left; the last power of two below is how far the others go.
        int distance = 1;
        for (int step = 0; step <= message.step; ++step) {
            row = step == 0 ? n : distance;
            for (distance = 1; distance * 2 < row;)
                distance *= 2;
        }
        for (int ahead = distance; ahead < row; ++ahead)
            blocks.push_back((sender + ahead) % n);
        return blocks;
    }
    if (kind.algorithm == Algorithm::Bruck || kind.algorithm == Algorithm::Circulant) {
        for (int i = 0; i < std::min(1 << message.step, n - (1 << message.step)); ++i)
            blocks.push_back((sender + i) % n);
        return blocks;
    }
    const bool folded = core != n;
    for (int block = 0; block < n; ++block) {
        bool carried = false;
        if (folded && message.step == 0)
            carried = scatters || block == sender;
        else if (folded && message.step == m + 1)
            carried = scatters ? block == message.peer : block != message.peer;
        else {
            const int round = folded ? message.step - 1 : message.step;
            const int bits = scatters ? round + 1 : m - round;
            const int reference = scatters ? message.peer : sender;
            carried = ((block % core) ^ reference) % (1 << bits) == 0;
        }
        if (carried)
            blocks.push_back(block);
    }
    return blocks;
}

/// Runs a phase with one message at a time, each as soon as its needs are met; nothing but needs() decides.
/// Returns false when it stops early. `apply(sender, message)` moves the contents as they are at the time of sending.
template <typename Apply>
bool execute(const PhaseRules& rules, std::int64_t held, Apply apply)
{
    const int n = rules.extent();
    std::vector<std::vector<bool>> received(static_cast<std::size_t>(n));
    std::vector<std::vector<bool>> sent(static_cast<std::size_t>(n));
    int left = 0;
    for (int r = 0; r < n; ++r) {
        received[static_cast<std::size_t>(r)].resize(static_cast<std::size_t>(rules.receiveCount(r)));
        sent[static_cast<std::size_t>(r)].resize(static_cast<std::size_t>(rules.sendCount(r)));
        left += rules.sendCount(r);
    }
    bool moved = true;
    while (left > 0 && moved) {
        moved = false;
        for (int r = n - 1; r >= 0; --r) { // Against the ring, so that nothing works by luck of the order.
            for (int i = rules.sendCount(r) - 1; i >= 0; --i) {
                if (sent[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)])
                    continue;
                const PhaseRules::Needs needs = rules.needs(r, i);
                bool met = true;
                for (int k = 0; k < needs.count; ++k)
                    met = met && received[static_cast<std::size_t>(r)][static_cast<std::size_t>(needs.first + k * needs.stride)];
                if (!met)
                    continue;
                const PhaseRules::Message message = rules.send(r, i, held);
                apply(r, message);
                sent[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)] = true;
                received[static_cast<std::size_t>(message.peer)][static_cast<std::size_t>(rules.receiveIndex(message.peer, message.step, message.slot))] = true;
                --left;
                moved = true;
            }
        }
    }
    return left == 0;
}

void addSizes()
{
    QTest::addColumn<int>("n");
    for (int n = 2; n <= 33; ++n)
        QTest::addRow("n = %d", n) << n;
}

} // namespace

class PhaseRulesTest : public QObject {
    Q_OBJECT

private slots:
    void sendersAndReceiversDescribeTheSameMessages_data() { addSizes(); }
    void sendersAndReceiversDescribeTheSameMessages()
    {
        QFETCH(int, n);
        for (const Kind& kind : kinds()) {
            for (const std::int64_t held : {std::int64_t{0}, std::int64_t{5}, std::int64_t{1000}, std::int64_t{n} * 64, std::int64_t{999'999'999'989}}) {
                const PhaseRules rules = rulesOf(kind, n);
                using Key = std::tuple<int, int, int, int, std::int64_t, bool, int, bool>;
                std::set<Key> sends;
                std::set<Key> receives;
                for (int r = 0; r < n; ++r) {
                    std::pair<int, int> previous{-1, -1};
                    for (int i = 0; i < rules.sendCount(r); ++i) {
                        const auto m = rules.send(r, i, held);
                        QVERIFY(m.peer >= 0 && m.peer < n && m.peer != r && m.bytes >= 0 && m.bytes <= held);
                        QVERIFY(previous < std::make_pair(m.step, m.slot));
                        previous = {m.step, m.slot};
                        QVERIFY(sends.insert({r, m.peer, m.step, m.slot, m.bytes, m.reduces, m.k, m.needsOwn}).second);
                    }
                    previous = {-1, -1};
                    for (int i = 0; i < rules.receiveCount(r); ++i) {
                        const auto m = rules.receive(r, i, held);
                        QVERIFY(previous < std::make_pair(m.step, m.slot));
                        previous = {m.step, m.slot};
                        QCOMPARE(rules.receiveIndex(r, m.step, m.slot), i);
                        QVERIFY(receives.insert({m.peer, r, m.step, m.slot, m.bytes, m.reduces, m.k, m.needsOwn}).second);
                    }
                }
                QVERIFY(sends == receives);
            }
        }
    }

    void reduceScatterLeavesEveryBlockReducedOnceFromEveryone_data() { addSizes(); }
    void reduceScatterLeavesEveryBlockReducedOnceFromEveryone()
    {
        QFETCH(int, n);
        for (const Kind& kind : kinds()) {
            if (kind.kind != PhaseKind::ReduceScatter)
                continue;
            const PhaseRules rules = rulesOf(kind, n);
            std::vector<std::vector<Sum>> memory(static_cast<std::size_t>(n), std::vector<Sum>(static_cast<std::size_t>(n), Sum(static_cast<std::size_t>(n), 0)));
            for (int r = 0; r < n; ++r) {
                for (Sum& block : memory[static_cast<std::size_t>(r)])
                    block[static_cast<std::size_t>(r)] = 1;
            }
            QVERIFY(execute(rules, 1000, [&](int sender, const PhaseRules::Message& message) {
                for (const int block : blocksOf(kind, n, sender, message)) {
                    const Sum& from = memory[static_cast<std::size_t>(sender)][static_cast<std::size_t>(block)];
                    Sum& to = memory[static_cast<std::size_t>(message.peer)][static_cast<std::size_t>(block)];
                    for (std::size_t i = 0; i < to.size(); ++i)
                        to[i] = message.reduces ? to[i] + from[i] : from[i];
                }
            }));
            for (int r = 0; r < n; ++r)
                QVERIFY(memory[static_cast<std::size_t>(r)][static_cast<std::size_t>(r)] == Sum(static_cast<std::size_t>(n), 1));
        }
    }

    void allGatherBringsEveryBlockToEveryone_data() { addSizes(); }
    void allGatherBringsEveryBlockToEveryone()
    {
        QFETCH(int, n);
        for (const Kind& kind : kinds()) {
            if (kind.kind != PhaseKind::AllGather)
                continue;
            const PhaseRules rules = rulesOf(kind, n);
            std::vector<std::set<int>> memory(static_cast<std::size_t>(n));
            for (int r = 0; r < n; ++r)
                memory[static_cast<std::size_t>(r)] = {r};
            bool hadIt = true;
            QVERIFY(execute(rules, 1000, [&](int sender, const PhaseRules::Message& message) {
                for (const int block : blocksOf(kind, n, sender, message)) {
                    hadIt = hadIt && memory[static_cast<std::size_t>(sender)].count(block) == 1;
                    memory[static_cast<std::size_t>(message.peer)].insert(block);
                }
            }));
            QVERIFY(hadIt);
            for (const auto& blocks : memory)
                QCOMPARE(blocks.size(), static_cast<std::size_t>(n));
        }
    }

    void allToAllBringsEveryBlockToItsTarget_data() { addSizes(); }
    void allToAllBringsEveryBlockToItsTarget()
    {
        QFETCH(int, n);
        for (const Kind& kind : kinds()) {
            if (kind.kind != PhaseKind::AllToAll)
                continue;
            const PhaseRules rules = rulesOf(kind, n);
            std::vector<Blocks> memory(static_cast<std::size_t>(n));
            for (int r = 0; r < n; ++r) {
                for (int target = 0; target < n; ++target)
                    memory[static_cast<std::size_t>(r)].insert({r, target});
            }
            bool sizesAgree = true;
            QVERIFY(execute(rules, 1000, [&](int sender, const PhaseRules::Message& message) {
                Blocks carried;
                for (const auto& block : memory[static_cast<std::size_t>(sender)]) {
                    const int sign = kind.minus ? -1 : 1;
                    const int came = modulo(sign * (sender - block.first), n);
                    const int total = modulo(sign * (block.second - block.first), n);
                    if (kind.algorithm == Algorithm::Direct ? block.first == sender && block.second == message.peer : came == message.step && total > came)
                        carried.insert(block);
                }
                // In step t the blocks of one source travel that go on for n-1-t positions.
                if (kind.algorithm == Algorithm::Ring)
                    sizesAgree = sizesAgree && carried.size() == static_cast<std::size_t>(n - 1 - message.step);
                for (const auto& block : carried) {
                    memory[static_cast<std::size_t>(sender)].erase(block);
                    memory[static_cast<std::size_t>(message.peer)].insert(block);
                }
            }));
            QVERIFY(sizesAgree);
            for (int r = 0; r < n; ++r) {
                QCOMPARE(memory[static_cast<std::size_t>(r)].size(), static_cast<std::size_t>(n));
                for (const auto& block : memory[static_cast<std::size_t>(r)])
                    QCOMPARE(block.second, r);
            }
        }
    }

    void treesReduceAndBroadcastBothHalves_data() { addSizes(); }
    void treesReduceAndBroadcastBothHalves()
    {
        QFETCH(int, n);
        const PhaseRules rules = rulesOf({PhaseKind::AllReduce, Algorithm::DoubleBinaryTree, false}, n);
        std::vector<std::array<Sum, 2>> memory(static_cast<std::size_t>(n));
        for (int r = 0; r < n; ++r) {
            for (Sum& half : memory[static_cast<std::size_t>(r)]) {
                half.assign(static_cast<std::size_t>(n), 0);
                half[static_cast<std::size_t>(r)] = 1;
            }
        }
        QVERIFY(execute(rules, 1000, [&](int sender, const PhaseRules::Message& message) {
            const auto tree = static_cast<std::size_t>(message.slot % 2);
            const Sum& from = memory[static_cast<std::size_t>(sender)][tree];
            Sum& to = memory[static_cast<std::size_t>(message.peer)][tree];
            for (std::size_t i = 0; i < to.size(); ++i)
                to[i] = message.reduces ? to[i] + from[i] : from[i];
        }));
        for (const auto& halves : memory) {
            QVERIFY(halves[0] == Sum(static_cast<std::size_t>(n), 1));
            QVERIFY(halves[1] == Sum(static_cast<std::size_t>(n), 1));
        }
    }

    /// Depths from the parents as manual: collectives 3.3 defines them; step 0 belongs to the deepest nodes.
    void treeStepsCountFromTheDeepestNodes_data() { addSizes(); }
    void treeStepsCountFromTheDeepestNodes()
    {
        QFETCH(int, n);
        const auto parentOf = [n](int r) {
            const int bit = r & -r;
            const int raised = (r ^ bit) | (2 * bit);
            return raised < n ? raised : r ^ bit;
        };
        std::vector<int> depth(static_cast<std::size_t>(n), 0);
        for (int r = 1; r < n; ++r) {
            for (int at = r; at != 0; at = parentOf(at))
                ++depth[static_cast<std::size_t>(r)];
        }
        const int deepest = *std::max_element(depth.begin(), depth.end());
        const PhaseRules rules = rulesOf({PhaseKind::AllReduce, Algorithm::DoubleBinaryTree, false}, n);
        for (int r = 1; r < n; ++r) {
            int found = 0;
            for (int i = 0; i < rules.sendCount(r); ++i) {
                const auto message = rules.send(r, i, 1001);
                if (message.slot % 2 != 0)
                    continue;
                QCOMPARE(message.bytes, 500);
                if (message.reduces) {
                    ++found;
                    QCOMPARE(message.peer, parentOf(r));
                    QCOMPARE(message.step, deepest - depth[static_cast<std::size_t>(r)]);
                } else {
                    QCOMPARE(message.step, deepest + depth[static_cast<std::size_t>(r)]);
                }
            }
            QCOMPARE(found, 1);
        }
    }

    /// A message is as large as the blocks it carries, counted one by one.
    void bytesAreThoseOfTheBlocks_data() { addSizes(); }
    void bytesAreThoseOfTheBlocks()
    {
        QFETCH(int, n);
        for (const Kind& kind : kinds()) {
            if (kind.kind == PhaseKind::AllToAll || kind.kind == PhaseKind::AllReduce)
                continue;
            const PhaseRules rules = rulesOf(kind, n);
            for (const std::int64_t held : {std::int64_t{3}, std::int64_t{1000}, std::int64_t{65536}, std::int64_t{123'456'789'012}}) {
                for (int r = 0; r < n; ++r) {
                    for (int i = 0; i < rules.sendCount(r); ++i) {
                        const auto message = rules.send(r, i, held);
                        std::int64_t bytes = 0;
                        for (const int block : blocksOf(kind, n, r, message))
                            bytes += held * (block + 1) / n - held * block / n;
                        QCOMPARE(message.bytes, bytes);
                    }
                }
            }
        }
    }

    /// The row says the same as the table, block by block: in its order of blocks every message is one run.
    void rowsHaveEveryMessageAsOneRunOfBlocks_data() { addSizes(); }
    void rowsHaveEveryMessageAsOneRunOfBlocks()
    {
        QFETCH(int, n);
        for (const Kind& kind : kinds()) {
            if (kind.kind != PhaseKind::ReduceScatter && kind.kind != PhaseKind::AllGather)
                continue;
            const PhaseRules rules = rulesOf(kind, n);
            const NativeRule& row = nativeRule(kind.algorithm);
            std::vector<int> blockAt(static_cast<std::size_t>(n), -1);
            for (int block = 0; block < n; ++block) {
                const int place = row.placeOf(n, block);
                QVERIFY(place >= 0 && place < n && blockAt[static_cast<std::size_t>(place)] < 0);
                blockAt[static_cast<std::size_t>(place)] = block;
            }
            for (int r = 0; r < n; ++r) {
                for (int i = 0; i < rules.sendCount(r); ++i) {
                    const auto message = rules.send(r, i, 1000);
                    const BlockRange run = row.blocks(rules, r, message.step, message.slot);
                    QVERIFY(run.first >= 0 && run.first < n && run.count <= n);
                    std::vector<int> carried;
                    for (int place = 0; place < run.count; ++place)
                        carried.push_back(blockAt[static_cast<std::size_t>((run.first + place) % n)]);
                    std::vector<int> expected = blocksOf(kind, n, r, message);
                    std::sort(carried.begin(), carried.end());
                    std::sort(expected.begin(), expected.end());
                    QCOMPARE(carried, expected);
                    QVERIFY(expected.size() == 1 || row.manyBlocks);
                }
            }
        }
    }

    /// What a send of a gather waits for and has no block of is what the row names: all else follows from the blocks.
    void rowsNameTheReceivesNoBlockTellsOf_data() { addSizes(); }
    void rowsNameTheReceivesNoBlockTellsOf()
    {
        QFETCH(int, n);
        for (const Kind& kind : kinds()) {
            if (kind.kind != PhaseKind::ReduceScatter && kind.kind != PhaseKind::AllGather)
                continue;
            const PhaseRules rules = rulesOf(kind, n);
            const NativeRule& row = nativeRule(kind.algorithm);
            for (int r = 0; r < n; ++r) {
                for (int i = 0; i < rules.sendCount(r); ++i) {
                    const std::vector<int> sent = blocksOf(kind, n, r, rules.send(r, i, 1000));
                    const PhaseRules::Needs needs = rules.needs(r, i);
                    std::vector<int> strange;
                    for (int k = 0; k < needs.count; ++k) {
                        const int receive = needs.first + k * needs.stride;
                        auto came = rules.receive(r, receive, 1000);
                        const int sender = std::exchange(came.peer, r); // As its sender sees it.
                        const std::vector<int> blocks = blocksOf(kind, n, sender, came);
                        if (std::none_of(blocks.begin(), blocks.end(), [&](int block) { return std::count(sent.begin(), sent.end(), block) > 0; }))
                            strange.push_back(receive);
                    }
                    const int named = row.awaits ? row.awaits(rules, r, i) : -1;
                    QCOMPARE(strange, named < 0 ? std::vector<int>() : std::vector<int>{named});
                }
            }
        }
    }

    /// Renumbering as the row says makes position 0 of every position; no position sends more than the row allows.
    void rowsSayHowPositionsAreAlike_data() { addSizes(); }
    void rowsSayHowPositionsAreAlike()
    {
        QFETCH(int, n);
        int unlike = 0;
        for (const Kind& kind : kinds()) {
            const PhaseRules rules = rulesOf(kind, n);
            const NativeRule& row = nativeRule(kind.algorithm);
            const bool xors = row.alike == Likeness::ExclusiveOr;
            bool same = true;
            for (int r = 0; r < n; ++r) {
                QVERIFY(!row.mostSends || (rules.sendCount(r) <= row.mostSends(n) && rules.sendCount(r) <= 31));
                same = same && rules.sendCount(r) == rules.sendCount(0);
                for (int i = 0; i < rules.sendCount(r) && same; ++i) {
                    const auto first = rules.send(0, i, std::int64_t{n} * 8);
                    const auto message = rules.send(r, i, std::int64_t{n} * 8);
                    const int peer = xors ? first.peer ^ r : modulo(first.peer + r, n);
                    same = message.peer == peer && message.step == first.step && message.slot == first.slot && message.bytes == first.bytes;
                }
            }
            const bool expected = row.alike == Likeness::Turned || (xors && (n & (n - 1)) == 0);
            QCOMPARE(same, expected);
            unlike += expected ? 0 : 1;
        }
        QCOMPARE(unlike, (n & (n - 1)) == 0 ? 1 : 3); // Trees; and both phases of halving-doubling.
    }

    void ringAllToAllSendsWhatTheTargetsAheadNeed()
    {
        const PhaseRules rules = rulesOf({PhaseKind::AllToAll, Algorithm::Ring, false}, 5);
        // Blocks of 11 bytes for 5: 2, 2, 2, 2, 3. From position 3: targets 4, 0, 1, 2, then 4, 0, 1, ...
        QCOMPARE(rules.send(3, 0, 11).bytes, 9);
        QCOMPARE(rules.send(3, 1, 11).bytes, 7);
        QCOMPARE(rules.send(3, 2, 11).bytes, 5);
        QCOMPARE(rules.send(3, 3, 11).bytes, 3);
        const PhaseRules back = rulesOf({PhaseKind::AllToAll, Algorithm::Ring, true}, 5);
        // Targets 2, 1, 0, 4, then 2, 1, 0, ...
        QCOMPARE(back.send(3, 0, 11).bytes, 9);
        QCOMPARE(back.send(3, 1, 11).bytes, 6);
    }

    void heldBytesFollowTheBracketsOfThePhases()
    {
        TemplateBody body;
        body.axes = {3, 4};
        body.phases = {{PhaseKind::ReduceScatter, Algorithm::Ring, 0, 0, false},
                       {PhaseKind::ReduceScatter, Algorithm::Ring, 1, 0, false},
                       {PhaseKind::AllGather, Algorithm::Ring, 1, 0, false},
                       {PhaseKind::AllGather, Algorithm::Ring, 0, 0, false}};
        const std::vector<std::int32_t> at{2, 1};
        // 100 bytes: block 2 of 3 is 100 - 66 = 34 bytes.
        QCOMPARE(heldBytes(body, 0, 100, at), 100);
        QCOMPARE(heldBytes(body, 1, 100, at), 34);
        QCOMPARE(heldBytes(body, 2, 100, at), 34);
        QCOMPARE(heldBytes(body, 3, 100, at), 100);

        TemplateBody gather;
        gather.axes = {3, 4};
        gather.phases = {body.phases[2], body.phases[3]};
        QCOMPARE(heldBytes(gather, 0, 100, at), 34);
        QCOMPARE(heldBytes(gather, 1, 100, at), 100);

        TemplateBody exchange;
        exchange.axes = {3, 4};
        exchange.phases = {{PhaseKind::AllToAll, Algorithm::Direct, 0, 0, false}, {PhaseKind::AllToAll, Algorithm::Direct, 1, 0, false}};
        QCOMPARE(heldBytes(exchange, 1, 100, at), 100);

        TemplateBody trees;
        trees.axes = {3, 4};
        trees.phases = {body.phases[0], {PhaseKind::AllReduce, Algorithm::DoubleBinaryTree, 1, 0, false}, body.phases[3]};
        QCOMPARE(heldBytes(trees, 1, 100, at), 34);
        QCOMPARE(heldBytes(trees, 2, 100, at), 100);
    }

    void ownPartIsNeededEverywhereButForForwards()
    {
        const PhaseRules gather = rulesOf({PhaseKind::AllGather, Algorithm::Ring, false}, 4);
        QVERIFY(gather.send(1, 0, 100).needsOwn && !gather.send(1, 0, 100).forwardOnly);
        QVERIFY(!gather.send(1, 1, 100).needsOwn && gather.send(1, 1, 100).forwardOnly);
        const PhaseRules scatter = rulesOf({PhaseKind::ReduceScatter, Algorithm::Direct, false}, 4);
        QCOMPARE(scatter.send(1, 0, 100).k, 3);
        QVERIFY(scatter.send(1, 0, 100).needsOwn);
    }
};

FABRICSCOPE_TEST(PhaseRulesTest)
#include "tst_phaserules.moc"
