#include "core/verify/phasecheck.h"

#include "core/base/stop.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <initializer_list>
#include <string>
#include <vector>

namespace fabricscope {

namespace {

using Message = PhaseTable::Message;

std::int32_t modulo(std::int64_t value, std::int32_t n)
{
    const auto rest = static_cast<std::int32_t>(value % n);
    return rest < 0 ? rest + n : rest;
}

/// Blocks a message carries: a range around the ring of positions, or those that agree with a position in their low bits.
struct Blocks {
    enum class Kind : std::uint8_t { Range, Agreeing, AllBut } kind = Kind::Range;
    std::int32_t first = 0; ///< Range: first block. Agreeing: the position. AllBut: the block left out.
    std::int32_t count = 1; ///< Range: blocks. Agreeing: bits.
};

/// What is not as it must be stops the check of the phase: one finding says enough.
class PhaseCheck {
public:
    PhaseCheck(const PhaseTable& table, VerifyFindings& findings, const std::stop_token& stop)
        : m_table(table)
        , m_findings(findings)
        , m_stop(stop)
        , m_kind(table.phase().kind)
        , m_n(table.extent())
        , m_log(static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(m_n))) - 1)
        , m_core(std::int32_t{1} << m_log)
    {
    }

    /// Is there a phase of this kind by this algorithm (the precondition of PhaseRules)?
    static bool exists(const PhaseTemplate& phase)
    {
        return (checkOf(phase.algorithm).kinds & setOf({phase.kind})) != 0;
    }

    void run(const ProgressShare& progress)
    {
        const Check& check = checkOf(m_table.phase().algorithm);
        const bool few = check.few || m_kind == PhaseKind::Broadcast;
        for (std::int32_t r = 0; r < m_n && m_good; ++r) {
            if ((r & 1023) == 0)
                progress.tell(static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(m_n));
            checkStop(m_stop);
            const std::int32_t count = m_table.sendCount(r);
            if (check.inSwitch) {
                checkSwitch(r, count);
            } else if (few || r == 0) {
                for (std::int32_t index = 0; index < count && m_good; ++index)
                    checkSend(r, index);
            } else {
                for (const std::int32_t index : {0, r % std::max(count, 1), count - 1}) {
                    if (m_good && index >= 0 && index < count)
                        checkSend(r, index);
                }
            }
            if (!m_good || check.inSwitch)
                continue;
            if (m_kind == PhaseKind::Broadcast)
                checkBroadcast(r);
            else
                (this->*check.position)(r);
        }
        if (m_good && m_kind == PhaseKind::Broadcast && !check.inSwitch)
            checkReach();
    }

private:
    /// What the verifier itself knows of an algorithm; it asks no row of nativerule.h.
    struct Check {
        Algorithm algorithm;
        std::uint32_t kinds; ///< setOf() the phases there are.
        bool few;      ///< Positions have so few messages that all are looked at.
        bool inSwitch; ///< checkSwitch() looks at it, and at its broadcast.
        void (PhaseCheck::*position)(std::int32_t r);
    };

    static constexpr std::uint32_t setOf(std::initializer_list<PhaseKind> kinds)
    {
        std::uint32_t set = 0;
        for (const PhaseKind kind : kinds)
            set |= 1u << static_cast<unsigned>(kind);
        return set;
    }

    static const Check& checkOf(Algorithm algorithm)
    {
        using enum PhaseKind;
        static constexpr std::array kChecks{
            Check{Algorithm::Ring, setOf({ReduceScatter, AllGather, AllToAll, Broadcast}), false, false, &PhaseCheck::checkRing},
            Check{Algorithm::Direct, setOf({ReduceScatter, AllGather, AllToAll, Broadcast}), false, false, &PhaseCheck::checkDirect},
            Check{Algorithm::HalvingDoubling, setOf({ReduceScatter, AllGather}), true, false, &PhaseCheck::checkHalving},
            Check{Algorithm::DoubleBinaryTree, setOf({AllReduce}), true, false, &PhaseCheck::checkTrees},
            Check{Algorithm::InNetwork, setOf({ReduceScatter, AllGather, AllReduce, Broadcast}), false, true, nullptr},
            Check{Algorithm::Bruck, setOf({AllGather}), true, false, &PhaseCheck::checkBruck},
            Check{Algorithm::Circulant, setOf({ReduceScatter, AllGather}), true, false, &PhaseCheck::checkCirculant},
        };
        const auto row = std::find_if(kChecks.begin(), kChecks.end(), [algorithm](const Check& each) { return each.algorithm == algorithm; });
        assert(row != kChecks.end());
        return *row;
    }

    void fail(std::string_view rule, std::int32_t r, const std::string& what)
    {
        m_good = false;
        const PhaseTemplate& phase = m_table.phase();
        m_findings.add(rule, Severity::Error, std::string(algorithmKey(phase.algorithm)) + ' ' + std::string(phaseKey(phase.kind)) + " on axis "
                           + std::to_string(phase.axis) + " (" + std::to_string(m_n) + " positions): position " + std::to_string(r) + ' ' + what, {}, r);
    }

    std::int32_t sign() const { return m_table.phase().minus ? -1 : 1; }

    /// Position q is that of a core rank, or that rank's extra.
    bool contains(const Blocks& blocks, std::int32_t block) const
    {
        switch (blocks.kind) {
        case Blocks::Kind::Range:
            return modulo(std::int64_t{block} - blocks.first, m_n) < blocks.count;
        case Blocks::Kind::AllBut:
            return block != blocks.first;
        case Blocks::Kind::Agreeing:
            break;
        }
        return (((block % m_core) ^ blocks.first) & ((std::int32_t{1} << blocks.count) - 1)) == 0;
    }

    std::int64_t countOf(const Blocks& blocks) const
    {
        if (blocks.kind == Blocks::Kind::Range)
            return blocks.count;
        if (blocks.kind == Blocks::Kind::AllBut)
            return m_n - 1;
        const std::int32_t stride = std::int32_t{1} << blocks.count;
        const std::int32_t first = blocks.first & (stride - 1);
        const std::int32_t extras = m_n - m_core;
        return m_core / stride + (extras > first ? (extras - first - 1) / stride + 1 : 0);
    }

    /// Sizes tell what a message carries: with n bytes held every block has one; with h < n bytes only the blocks ceil(j n / h) - 1 have one.
    template <typename Carries>
    bool carries(const Carries& bytesOf, const Blocks& blocks, bool fewBytes = true) const
    {
        if (bytesOf(m_n) != countOf(blocks))
            return false;
        for (const std::int64_t held : {1, 2, 3, 7}) {
            if (held >= m_n || !fewBytes)
                break;
            std::int64_t expected = 0;
            for (std::int64_t j = 1; j <= held; ++j)
                expected += contains(blocks, static_cast<std::int32_t>((j * m_n + held - 1) / held - 1)) ? 1 : 0;
            if (bytesOf(held) != expected)
                return false;
        }
        return true;
    }

    void expectBlocks(std::int32_t r, std::int32_t index, const Blocks& blocks)
    {
        checkStop(m_stop);
        // The sizes of strided blocks take long where they are unequal. Halving-doubling is the same at every position up to an exclusive or of
        // all positions and blocks, so which blocks they are is looked at for some positions, how many for all.
        const bool fewBytes = blocks.kind == Blocks::Kind::Range || m_n <= 1024 || r < 16 || r >= m_n - 16 || r % 1021 == 0;
        if (!carries([&](std::int64_t held) { return m_table.send(r, index, held).bytes; }, blocks, fewBytes))
            fail("V16", r, "sends other blocks than it must in message " + std::to_string(index));
    }

    void expectWhole(std::int32_t r, std::int32_t index, bool lowHalf, bool highHalf)
    {
        for (const std::int64_t held : {2, 7, 1000}) {
            const std::int64_t expected = (lowHalf ? held / 2 : 0) + (highHalf ? held - held / 2 : 0);
            if (m_good && m_table.send(r, index, held).bytes != expected)
                fail("V16", r, "sends another part than it must in message " + std::to_string(index));
        }
    }

    /// The receives a send waits for, in ascending order.
    std::vector<std::int32_t> needsOf(std::int32_t r, std::int32_t index) const
    {
        const PhaseTable::Needs needs = m_table.needs(r, index);
        std::vector<std::int32_t> list;
        for (std::int32_t i = 0; i < needs.count && i < m_n + 4; ++i)
            list.push_back(needs.first + i * needs.stride);
        return list;
    }

    /// Is every one of the first `count` receives among those the send waits for? Needs no list: halving-doubling asks for every message.
    bool waitsForFirst(std::int32_t r, std::int32_t index, std::int32_t count) const
    {
        const PhaseTable::Needs needs = m_table.needs(r, index);
        return count == 0 || (needs.first == 0 && needs.count >= count && (needs.stride == 1 || needs.count == 1));
    }

    /// Each send has its receive, and waits only for receives of earlier steps, so that the phase cannot stop.
    void checkSend(std::int32_t r, std::int32_t index)
    {
        checkStop(m_stop);
        const Message sent = m_table.send(r, index, m_n);
        if (sent.peer < 0 || sent.peer >= m_n || sent.peer == r)
            return fail("V4", r, "sends to " + std::to_string(sent.peer));
        const std::int32_t at = m_table.receiveIndex(sent.peer, sent.step, sent.slot);
        if (at < 0 || at >= m_table.receiveCount(sent.peer))
            return fail("V7", r, "sends a message that position " + std::to_string(sent.peer) + " does not receive");
        const Message received = m_table.receive(sent.peer, at, m_n);
        if (received.peer != r || received.step != sent.step || received.slot != sent.slot || received.bytes != sent.bytes || received.reduces != sent.reduces)
            return fail("V7", r, "sends another message than position " + std::to_string(sent.peer) + " receives");
        const PhaseTable::Needs needs = m_table.needs(r, index);
        const std::int32_t last = needs.first + (needs.count - 1) * needs.stride; // Receives are in order of their steps.
        if (needs.count > 0 && (needs.first < 0 || last < needs.first || last >= m_table.receiveCount(r) || m_table.receive(r, last, m_n).step >= sent.step))
            return fail("V12", r, "waits for a later step before message " + std::to_string(index));
        const bool reduces = m_kind == PhaseKind::ReduceScatter || m_kind == PhaseKind::AllReduce;
        if (sent.reduces && !reduces)
            fail("V16", r, "reduces in a phase that does not");
    }

    /// What position r sends in step t of a ring. RS: a block once per step, on its way to its owner. AG: the block that came last. A2A: what
    /// position r - t put in for those ahead.
    Blocks ringBlocks(std::int32_t r, std::int32_t t) const
    {
        switch (m_kind) {
        case PhaseKind::ReduceScatter:
            return {Blocks::Kind::Range, modulo(r - std::int64_t{sign()} * (t + 1), m_n), 1};
        case PhaseKind::AllGather:
            return {Blocks::Kind::Range, modulo(r - std::int64_t{sign()} * t, m_n), 1};
        default: {
            const std::int32_t count = m_n - 1 - t;
            return {Blocks::Kind::Range, sign() > 0 ? modulo(r + 1, m_n) : modulo(r - count, m_n), count};
        }
        }
    }

    /// What comes in step t is what r's neighbour sends, which is what r sends shifted by one position. It must be what r sends next (RS: with
    /// r's own contribution, so that the block has those of t + 2 neighbouring positions then), and in the last step r's own block
    /// (RS), the last one missing (AG) or the last one for r (A2A). Then after n - 1 steps all contributions, blocks or sources are there once.
    void checkRing(std::int32_t r)
    {
        if (m_table.sendCount(r) != m_n - 1 || m_table.receiveCount(r) != m_n - 1)
            return fail("V16", r, "does not send and receive " + std::to_string(m_n - 1) + " messages");
        for (std::int32_t t = 0; t < m_n - 1 && m_good; t += r == 0 || m_n < 4 ? 1 : std::max(1, m_n - 2)) {
            const Message sent = m_table.send(r, t, m_n);
            if (sent.peer != modulo(r + sign(), m_n) || sent.step != t)
                return fail("V16", r, "does not send to its neighbour in step " + std::to_string(t));
            if (sent.reduces != (m_kind == PhaseKind::ReduceScatter))
                return fail("V16", r, "does not reduce as it must in step " + std::to_string(t));
            expectBlocks(r, t, ringBlocks(r, t));
            const bool waits = std::ranges::count(needsOf(r, t), t - 1) == 1;
            if (m_good && ((t > 0 && !waits) || ((t == 0 || m_kind != PhaseKind::AllGather) && !sent.needsOwn)))
                return fail("V14", r, "sends message " + std::to_string(t) + " before its content is there");
            const Blocks came = ringBlocks(modulo(r - sign(), m_n), t);
            const Blocks next = ringBlocks(r, t + 1);
            if (m_kind == PhaseKind::ReduceScatter && came.first != (t + 1 < m_n - 1 ? next.first : r))
                return fail("V16", r, "does not pass on what it has reduced in step " + std::to_string(t));
            if (m_kind == PhaseKind::AllGather && came.first != modulo(r - std::int64_t{sign()} * (t + 1), m_n))
                return fail("V16", r, "does not get a new block in step " + std::to_string(t));
            if (m_kind == PhaseKind::AllToAll && (!contains(came, r) || came.count != next.count + 1))
                return fail("V16", r, "does not get its block of another position in step " + std::to_string(t));
        }
    }

    /// Peers r + 1 .. r + n - 1, each once: so each position gets one message of each other one, with the block meant for it (RS, A2A) or the
    /// sender's (AG).
    void checkDirect(std::int32_t r)
    {
        const std::int32_t count = m_table.sendCount(r);
        if (count != m_n - 1 || m_table.receiveCount(r) != m_n - 1)
            return fail("V16", r, "does not send to and receive from all others once");
        for (std::int32_t index = 0; index < count && m_good; index += r == 0 ? 1 : std::max(1, count - 1)) {
            const Message sent = m_table.send(r, index, m_n);
            if (sent.peer != modulo(std::int64_t{r} + index + 1, m_n))
                return fail("V16", r, "does not send to all others once");
            if (sent.reduces != (m_kind == PhaseKind::ReduceScatter) || (sent.reduces && sent.k != m_n - 1))
                return fail("V16", r, "does not have message " + std::to_string(index) + " reduced as it must");
            if (!sent.needsOwn)
                return fail("V14", r, "sends message " + std::to_string(index) + " before its own part is there");
            // So a window, which holds a message back until an earlier one of the same position has left, never waits for anybody else.
            if (m_table.needs(r, index).count != 0)
                return fail("V12", r, "waits for others before message " + std::to_string(index) + ", while the window of others waits for it");
            expectBlocks(r, index, {Blocks::Kind::Range, m_kind == PhaseKind::AllGather ? r : sent.peer, 1});
        }
    }

    /// RS: in round b the sums over positions that differ in the bits below b meet those that differ in bit b too: disjoint, and together all that
    /// differ in the bits up to b. What a position hands over are the blocks its peer keeps. AG: the same backwards. Extras put in all they
    /// have before and get theirs after. So every position must change the bits in this order, one a round, and wait for all rounds before.
    void checkHalving(std::int32_t r)
    {
        const bool scatters = m_kind == PhaseKind::ReduceScatter;
        const bool folded = m_core != m_n;
        const bool extra = r >= m_core;
        const bool hasExtra = r < m_n - m_core;
        const std::int32_t count = extra ? 1 : m_log + (hasExtra ? 1 : 0);
        if (m_table.sendCount(r) != count || m_table.receiveCount(r) != count)
            return fail("V16", r, "does not send and receive " + std::to_string(count) + " messages");
        const std::int32_t lead = folded ? 1 : 0; // Steps before the rounds.
        for (std::int32_t index = 0; index < count && m_good; ++index) {
            const Message sent = m_table.send(r, index, m_n);
            if (!sent.needsOwn)
                return fail("V14", r, "sends message " + std::to_string(index) + " before its own part is there");
            if (extra) {
                if (sent.peer != r - m_core || sent.step != 0 || sent.reduces != scatters)
                    return fail("V16", r, "does not hand its part to its partner first");
                expectBlocks(r, index, scatters ? Blocks{Blocks::Kind::Range, 0, m_n} : Blocks{Blocks::Kind::Range, r, 1});
                continue;
            }
            if (!waitsForFirst(r, index, index + (folded && hasExtra ? 1 : 0)))
                return fail("V14", r, "sends message " + std::to_string(index) + " before its content is there");
            if (index == m_log) { // Back to the extra.
                if (sent.peer != r + m_core || sent.reduces)
                    return fail("V16", r, "does not give its partner the result");
                expectBlocks(r, index, scatters ? Blocks{Blocks::Kind::Range, sent.peer, 1} : Blocks{Blocks::Kind::AllBut, sent.peer, 0});
                continue;
            }
            const std::int32_t bit = scatters ? index : m_log - 1 - index;
            if (sent.peer != (r ^ (std::int32_t{1} << bit)) || sent.step != index + lead || sent.reduces != scatters)
                return fail("V16", r, "does not exchange with the position that differs in bit " + std::to_string(bit) + " in round " + std::to_string(index));
            expectBlocks(r, index, {Blocks::Kind::Agreeing, scatters ? sent.peer : r, bit + 1});
        }
    }

    /// Every position has a row of blocks, at first its own. What it sends is the beginning of its row, to the position whose row ends where its own
    /// block is: so that all rows grow without a gap, by what is sent, until they hold all blocks.
    void checkBruck(std::int32_t r)
    {
        std::int32_t have = 1;
        const std::int32_t count = m_table.sendCount(r);
        for (std::int32_t index = 0; index < count && m_good; ++index) {
            const Message sent = m_table.send(r, index, m_n);
            const std::int32_t blocks = std::min(have, m_n - have);
            if (sent.step != index || sent.reduces || sent.peer != modulo(std::int64_t{r} - have, m_n))
                return fail("V16", r, "does not send to the position whose row of blocks ends before its own in round " + std::to_string(index));
            std::int32_t rounds = 0; // After which the row is as long as what is sent.
            for (std::int32_t row = 1; row < blocks; row *= 2)
                ++rounds;
            if (!sent.needsOwn || !waitsForFirst(r, index, rounds))
                return fail("V14", r, "sends message " + std::to_string(index) + " before its content is there");
            expectBlocks(r, index, {Blocks::Kind::Range, r, blocks});
            have += blocks;
        }
        if (m_good && (have != m_n || m_table.receiveCount(r) != count))
            fail("V16", r, "does not get all blocks");
    }

    /// AG: checkBruck(). RS: every position has a row of sums, at first of all blocks, from its own on. What it hands over is the far end of the row, to the position
    /// where that end begins: so that all rows shrink alike until one block is left. A contribution goes as far as its block is, by powers of two, the largest first: one way only.
    void checkCirculant(std::int32_t r)
    {
        if (m_kind == PhaseKind::AllGather)
            return checkBruck(r);
        const std::int32_t count = m_table.sendCount(r);
        std::int32_t have = m_n;
        std::vector<std::int32_t> came; // By step: blocks from the own one on that have been added to.
        for (std::int32_t index = 0; index < count && m_good; ++index) {
            const Message sent = m_table.send(r, index, m_n);
            std::int32_t left = 1;
            while (left * 2 < have)
                left *= 2;
            if (sent.step != index || !sent.reduces || sent.k != 1 || sent.peer != modulo(std::int64_t{r} + left, m_n))
                return fail("V16", r, "does not hand the far end of its row of blocks to the position where that begins in step " + std::to_string(index));
            const std::vector<std::int32_t> waits = needsOf(r, index);
            for (std::int32_t step = 0; step < index; ++step) {
                if (came[static_cast<std::size_t>(step)] > left && std::ranges::count(waits, step) != 1)
                    return fail("V14", r, "sends message " + std::to_string(index) + " before its content is there");
            }
            if (!sent.needsOwn)
                return fail("V14", r, "sends message " + std::to_string(index) + " before its own part is there");
            expectBlocks(r, index, {Blocks::Kind::Range, sent.peer, have - left});
            came.push_back(have - left);
            have = left;
        }
        if (m_good && (have != 1 || m_table.receiveCount(r) != count))
            fail("V16", r, "does not reduce its row to its own block");
    }

    /// In each of two trees: one way up, from all children first; the way down to all children, from above first. That up messages end at one
    /// root and reach everybody is seen by walking up: depths fall, as steps of up messages rise towards the root (checkSend()).
    void checkTrees(std::int32_t r)
    {
        for (std::int32_t tree = 0; tree < 2 && m_good; ++tree) {
            std::vector<std::int32_t> fromChildren;
            std::vector<std::int32_t> children;
            std::int32_t parent = -1;
            std::vector<std::int32_t> fromParent;
            for (std::int32_t index = 0; index < m_table.receiveCount(r); ++index) {
                const Message received = m_table.receive(r, index, 1000);
                if (received.slot % 2 != tree)
                    continue;
                (received.reduces ? fromChildren : fromParent).push_back(index);
                if (received.reduces)
                    children.push_back(received.peer);
                else
                    parent = received.peer;
            }
            std::int32_t ups = 0;
            std::vector<std::int32_t> downs;
            for (std::int32_t index = 0; index < m_table.sendCount(r) && m_good; ++index) {
                const Message sent = m_table.send(r, index, 1000);
                if (sent.slot % 2 != tree)
                    continue;
                expectWhole(r, index, tree == 0, tree == 1);
                const bool up = sent.reduces;
                if (up && (sent.peer != parent || !sent.needsOwn))
                    return fail("V16", r, "does not send up to where the result comes from in tree " + std::to_string(tree));
                ups += up ? 1 : 0;
                if (!up)
                    downs.push_back(sent.peer);
                if (needsOf(r, index) != (up || parent < 0 ? fromChildren : fromParent))
                    return fail("V14", r, "sends message " + std::to_string(index) + " before its content is there");
            }
            std::ranges::sort(children);
            std::ranges::sort(downs);
            const bool root = parent < 0;
            m_roots[static_cast<std::size_t>(tree)] += root ? 1 : 0;
            if (m_good && (children != downs || ups != (root ? 0 : 1) || fromParent.size() != (root ? 0u : 1u)))
                return fail("V16", r, "does not send down to where contributions come from in tree " + std::to_string(tree));
        }
        if (m_good && r == m_n - 1 && (m_roots[0] != 1 || m_roots[1] != 1))
            fail("V16", r, "finds that a tree has more than one root");
    }

    void checkBroadcast(std::int32_t r)
    {
        if (m_reach.empty())
            m_reach.assign(static_cast<std::size_t>(m_n), -1);
        for (std::int32_t index = 0; index < m_table.sendCount(r) && m_good; ++index) {
            const Message sent = m_table.send(r, index, 1000);
            expectWhole(r, index, true, true);
            std::int32_t& from = m_reach[static_cast<std::size_t>(sent.peer)];
            if (sent.peer == 0 || from >= 0)
                return fail("V16", r, "sends to position " + std::to_string(sent.peer) + ", which has the data already");
            from = r;
            if (r == 0 ? !sent.needsOwn : needsOf(r, index) != std::vector<std::int32_t>{0})
                return fail("V14", r, "sends message " + std::to_string(index) + " before its content is there");
        }
    }

    /// Everybody has one sender; following the senders ends at position 0 because steps fall (checkSend()).
    void checkReach()
    {
        for (std::int32_t r = 1; r < m_n; ++r) {
            checkStop(m_stop);
            if (m_reach.empty() || m_reach[static_cast<std::size_t>(r)] < 0)
                return fail("V16", r, "gets no data");
        }
    }

    /// Table of innetwork.h: what goes up and comes down.
    void checkSwitch(std::int32_t r, std::int32_t count)
    {
        const bool scatters = m_kind == PhaseKind::ReduceScatter;
        const bool gathers = m_kind == PhaseKind::AllGather;
        const std::int32_t up = scatters ? m_n : m_kind == PhaseKind::Broadcast && r != 0 ? 0 : 1;
        if (count != up || m_table.receiveCount(r) != (gathers ? m_n : 1))
            return fail("V16", r, "does not take part in every operation of the switch once");
        const auto sample = [&](std::int32_t messages, auto&& look) {
            for (std::int32_t index = 0; index < messages && m_good; index += r == 0 || messages < 3 ? 1 : std::max(1, messages / 2 - 1))
                look(index);
        };
        sample(count, [&](std::int32_t index) {
            const Message sent = m_table.send(r, index, m_n);
            if (sent.peer != -1 || !sent.needsOwn || sent.slot != (scatters ? index : gathers ? r : 0))
                return fail("V16", r, "does not send operation " + std::to_string(index) + " to the switch when its own part is there");
            if (scatters || gathers)
                expectBlocks(r, index, {Blocks::Kind::Range, sent.slot, 1});
            else
                expectWhole(r, index, true, true);
        });
        sample(m_table.receiveCount(r), [&](std::int32_t index) {
            const std::int32_t block = scatters ? r : index;
            const auto bytesOf = [&](std::int64_t held) { return m_table.receive(r, index, held).bytes; };
            const bool right = scatters || gathers ? carries(bytesOf, {Blocks::Kind::Range, block, 1}) : bytesOf(1000) == 1000;
            if (!right || m_table.receive(r, index, m_n).slot != (scatters ? r : gathers ? index : 0))
                fail("V16", r, "does not get what it must of operation " + std::to_string(index) + " of the switch");
        });
    }

    const PhaseTable& m_table;
    VerifyFindings& m_findings;
    const std::stop_token& m_stop;
    PhaseKind m_kind;
    std::int32_t m_n;
    std::int32_t m_log;
    std::int32_t m_core;
    bool m_good = true;
    std::array<std::int32_t, 2> m_roots{};
    std::vector<std::int32_t> m_reach; ///< Broadcast: by position, who sends to it; -1: nobody yet.
};

} // namespace

bool existsPhase(const PhaseTemplate& phase)
{
    return PhaseCheck::exists(phase);
}

void checkPhase(const PhaseTable& table, VerifyFindings& findings, const std::stop_token& stop, const ProgressShare& progress)
{
    PhaseCheck(table, findings, stop).run(progress);
}

} // namespace fabricscope
