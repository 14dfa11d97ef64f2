#include "core/generate/unevenblocks.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/generate/families.h"
#include "core/generate/writer.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>
#include <utility>

namespace fabricscope {

namespace {

/// Neighbouring parts of the vector, by the rank that reduces them, and the rank or block that holds them.
struct Run {
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::int32_t holder = 0;
};

void append(std::vector<Run>& runs, const Run& run)
{
    if (!runs.empty() && runs.back().holder == run.holder && runs.back().end == run.begin)
        runs.back().end = run.end;
    else if (run.begin < run.end)
        runs.push_back(run);
}

/// Calls `visit` with what of the runs is in [begin, end). \pre the runs ascend and cover it.
template <typename Visit>
void within(const std::vector<Run>& runs, std::int32_t begin, std::int32_t end, Visit visit)
{
    auto run = std::upper_bound(runs.begin(), runs.end(), begin, [](std::int32_t part, const Run& one) { return part < one.end; });
    for (; run != runs.end() && run->begin < end; ++run)
        visit(Run{std::max(begin, run->begin), std::min(end, run->end), run->holder});
}

/// A block: those of the level below it is made of, and which rank of it gets what from outside.
struct Block {
    std::vector<std::int32_t> digits;        ///< Of the blocks below, ascending.
    std::vector<std::int32_t> below;         ///< Numbers of those: at level 0 ranks, else among the blocks of that level.
    std::vector<Run> holds;                  ///< All parts, by rank.
    std::vector<std::vector<Run>> partsOf;   ///< By block below: what the whole block holds there; `holder` says nothing.
};

/// One way of parts from a rank to another.
struct Move {
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::int32_t slot = 0;
};

/// Moves that may go at the same time.
struct Step {
    std::int32_t level = 0;
    std::int32_t step = 0;
    std::vector<Move> moves;
};

/// An exchange among `blocks` of them: block `from` sends block `to` what `count` of them, from `from` + `first` on, held before.
/// `send` says whether to go on.
template <typename Send>
void exchange(Algorithm algorithm, std::int32_t blocks, Send send)
{
    if (algorithm == Algorithm::Direct) {
        for (std::int32_t slot = 1; slot < blocks; ++slot) {
            for (std::int32_t from = 0; from < blocks; ++from) {
                if (!send(0, from, (from + slot) % blocks, 0, 1, slot))
                    return;
            }
        }
        return;
    }
    for (std::int32_t step = 0, have = 1; have < blocks; ++step) {
        const bool doubles = algorithm == Algorithm::HalvingDoubling;
        const std::int32_t count = doubles ? std::min(have, blocks - have) : 1;
        for (std::int32_t from = 0; from < blocks; ++from) {
            if (!send(step, from, doubles ? (from + blocks - have) % blocks : (from + 1) % blocks, doubles ? 0 : -step, count, 0))
                return;
        }
        have += count;
    }
}

class BlockGather {
public:
    explicit BlockGather(const UnevenRequest& request) : m_request(request), m_levels(request.extents.size()) {}

    /// Its steps in order. False: too many transfers.
    bool plan()
    {
        std::int32_t above = 1; // slots of the levels above: how many a block of this level has of its own kind
        for (std::size_t level = m_levels; level-- > 0;) {
            m_above.insert(m_above.begin(), above);
            above *= m_request.extents[level];
        }
        std::vector<std::vector<Step>> byLevel(m_levels);
        for (std::size_t level = 0; level < m_levels; ++level) {
            join(level);
            for (Block& block : m_blocks[level]) {
                checkStop(m_request.stop);
                spread(level, block);
            }
            for (const Block& block : m_blocks[level]) {
                checkStop(m_request.stop);
                exchangeIn(level, block, byLevel[level]);
            }
            if (isTooLarge())
                return false;
        }
        for (std::size_t level = m_levels; level-- > 0;)
            std::move(byLevel[level].begin(), byLevel[level].end(), std::back_inserter(m_steps));
        return true;
    }
    const std::vector<Step>& steps() const { return m_steps; }

private:
    bool isTooLarge() const { return m_transfers * (m_request.op == CollectiveOp::AllReduce ? 2 : 1) * m_request.chunks > kMaxUnevenTransfers; }
    std::int32_t ranks() const { return static_cast<std::int32_t>(m_request.places.size()); }

    /// Makes the blocks of a level from those below.
    void join(std::size_t level)
    {
        std::map<std::int32_t, std::int32_t> number; // by the digits of the levels above
        std::vector<Block>& blocks = m_blocks.emplace_back();
        std::vector<std::int32_t> places;
        const auto add = [&](std::int32_t place, std::int32_t below) {
            const auto [entry, isNew] = number.try_emplace(place % m_above[level], static_cast<std::int32_t>(blocks.size()));
            if (isNew) {
                blocks.emplace_back();
                places.push_back(entry->first);
            }
            blocks[at(entry->second)].digits.push_back(place / m_above[level]);
            blocks[at(entry->second)].below.push_back(below);
        };
        if (level == 0) {
            for (std::int32_t rank = 0; rank < ranks(); ++rank)
                add(m_request.places[at(rank)], rank);
        } else {
            // By place, so that digits ascend.
            std::map<std::int32_t, std::int32_t> sorted;
            for (std::size_t i = 0; i < m_places.size(); ++i)
                sorted.emplace(m_places[i], static_cast<std::int32_t>(i));
            for (const auto& [place, below] : sorted)
                add(place, below);
        }
        m_places = std::move(places);
    }

    /// Says who of a block gets which parts: where the slot is a gap the blocks below share them.
    void spread(std::size_t level, Block& block)
    {
        const auto blocks = static_cast<std::int32_t>(block.below.size());
        block.partsOf.resize(block.below.size());
        std::int32_t turn = 0;
        const auto give = [&](std::int32_t below, std::int32_t begin, std::int32_t end) {
            append(block.partsOf[at(below)], {begin, end, 0});
            if (level == 0)
                append(block.holds, {begin, end, block.below[at(below)]});
            else
                within(m_blocks[level - 1][at(block.below[at(below)])].holds, begin, end, [&](const Run& run) { append(block.holds, run); });
        };
        std::int32_t begin = 0;
        for (std::int32_t prefix = 0; begin < ranks(); ++prefix) {
            const auto last = static_cast<std::int64_t>(prefix + 1) * m_above[level];
            const auto end = static_cast<std::int32_t>(std::lower_bound(m_request.places.begin() + begin, m_request.places.end(), last) - m_request.places.begin());
            const std::int32_t digit = prefix % m_request.extents[level];
            const auto found = std::lower_bound(block.digits.begin(), block.digits.end(), digit);
            if (found != block.digits.end() && *found == digit) {
                give(static_cast<std::int32_t>(found - block.digits.begin()), begin, end);
            } else {
                const std::int64_t size = end - begin;
                const auto shares = static_cast<std::int32_t>(std::min<std::int64_t>(blocks, size));
                for (std::int32_t share = 0; share < shares; ++share)
                    give((turn + share) % blocks, begin + static_cast<std::int32_t>(size * share / shares), begin + static_cast<std::int32_t>(size * (share + 1) / shares));
                turn = (turn + shares) % blocks; // the next gap goes on behind
            }
            begin = end;
        }
    }

    const std::vector<Run>& heldBy(std::size_t level, std::int32_t below, std::vector<Run>& alone) const
    {
        if (level > 0)
            return m_blocks[level - 1][at(below)].holds;
        alone = {{0, ranks(), below}};
        return alone;
    }

    void exchangeIn(std::size_t level, const Block& block, std::vector<Step>& steps)
    {
        const auto blocks = static_cast<std::int32_t>(block.below.size());
        exchange(m_request.algorithms[level], blocks, [&](std::int32_t step, std::int32_t from, std::int32_t to, std::int32_t first, std::int32_t count, std::int32_t slot) {
            checkStop(m_request.stop);
            if (isTooLarge())
                return false;
            while (steps.size() <= at(step))
                steps.push_back({static_cast<std::int32_t>(level), static_cast<std::int32_t>(steps.size()), {}});
            std::vector<Run> aloneFrom;
            std::vector<Run> aloneTo;
            const std::vector<Run>& held = heldBy(level, block.below[at(from)], aloneFrom);
            const std::vector<Run>& wanted = heldBy(level, block.below[at(to)], aloneTo);
            std::vector<Move> moves;
            for (std::int32_t i = 0; i < count; ++i) {
                const std::int32_t origin = ((from + first + i) % blocks + blocks) % blocks;
                for (const Run& part : block.partsOf[at(origin)]) {
                    within(held, part.begin, part.end, [&](const Run& has) {
                        within(wanted, has.begin, has.end, [&](const Run& gets) { moves.push_back({has.holder, gets.holder, gets.begin, gets.end, slot}); });
                    });
                }
            }
            addJoined(std::move(moves), steps[at(step)].moves);
            return true;
        });
    }

    /// Of several chunks of a gather or scatter, where the blocks of one piece do not lie side by side (Writer::chunk).
    bool blocksGoAlone() const { return m_request.op != CollectiveOp::AllReduce && m_request.chunks > 1; }

    /// Neighbouring parts of a pair as one.
    void addJoined(std::vector<Move> moves, std::vector<Move>& out)
    {
        std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return std::tie(a.from, a.to, a.begin) < std::tie(b.from, b.to, b.begin); });
        for (std::size_t i = 0; i < moves.size(); ++i) {
            m_transfers += blocksGoAlone() ? moves[i].end - moves[i].begin : 0;
            if (i > 0 && out.back().from == moves[i].from && out.back().to == moves[i].to && out.back().end == moves[i].begin) {
                out.back().end = moves[i].end;
                continue;
            }
            out.push_back(moves[i]);
            m_transfers += blocksGoAlone() ? 0 : 1;
        }
    }

    const UnevenRequest& m_request;
    std::size_t m_levels;
    std::vector<std::int32_t> m_above;          ///< By level: product of the extents of those above.
    std::vector<std::int32_t> m_places;         ///< Of the blocks of the last level joined: slots of the levels above.
    std::vector<std::vector<Block>> m_blocks;   ///< By level.
    std::vector<Step> m_steps;
    std::int64_t m_transfers = 0;
};

void write(generate::Writer& writer, const UnevenRequest& request, const Step& step, bool reduces, std::int32_t phase, std::int32_t number)
{
    for (const Move& move : step.moves) {
        for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
            std::vector<generate::Writer::Part> parts;
            for (std::int32_t block = move.begin; block < move.end; ++block) {
                const auto spot = request.op == CollectiveOp::AllGather ? writer.output(piece, block) : writer.input(piece, block);
                parts.push_back({spot, spot, writer.chunk(piece, block)});
            }
            const generate::Writer::Where where{.piece = piece, .phase = phase, .step = number, .slot = move.slot, .dimension = step.level};
            writer.send(reduces ? move.to : move.from, reduces ? move.from : move.to, parts, reduces, where);
        }
    }
}

ProgramPtr written(const UnevenRequest& request, const std::vector<Step>& steps)
{
    const auto ranks = static_cast<std::int32_t>(request.places.size());
    const auto levels = static_cast<std::int32_t>(request.extents.size());
    generate::Writer writer(request.op, ranks, request.chunks, ranks);
    writer.heed(request.stop);
    writer.lanes = false;
    std::vector<std::int32_t> stepsOf(request.extents.size(), 0);
    for (const Step& step : steps)
        ++stepsOf[at(step.level)];
    if (generate::hasScatter(request.op)) {
        for (auto step = steps.rbegin(); step != steps.rend(); ++step)
            write(writer, request, *step, true, step->level, stepsOf[at(step->level)] - 1 - step->step);
    }
    if (generate::hasGather(request.op)) {
        const std::int32_t first = generate::hasScatter(request.op) ? levels : 0;
        for (const Step& step : steps)
            write(writer, request, step, false, first + levels - 1 - step.level, step.step);
    }
    return writer.finish(request.name, "native", true, false);
}

} // namespace

Result<ProgramPtr> unevenProgram(const UnevenRequest& request)
{
    assert(request.extents.size() == request.algorithms.size() && !request.extents.empty());
    assert(request.places.size() >= 2 && std::is_sorted(request.places.begin(), request.places.end()));
    return untilStopped([&]() -> Result<ProgramPtr> {
        BlockGather gather(request);
        if (!gather.plan()) {
            return Error{ErrorCode::Unsupported, "by levels of different size the program would have more than " + std::to_string(kMaxUnevenTransfers) + " transfers", {},
                         "fewer NPUs or chunks"};
        }
        return written(request, gather.steps());
    });
}

} // namespace fabricscope
