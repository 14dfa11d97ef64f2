#include "core/sharding/partition/reshard.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr int kMostMoves = 200;

std::int64_t ceilShare(std::int64_t bytes, std::int64_t times, std::int64_t parts)
{
    // bytes stays below 2^51, times and parts below 2^25: whole parts first.
    return bytes / parts * times + (bytes % parts * times + parts - 1) / parts;
}

/// Looks for the next move until both layouts are the same.
class Resharder {
public:
    Resharder(const TensorShape& shape, std::int64_t elementBytes, const Layout& from, const Layout& to) : m_shape(shape), m_bytes(elementBytes), m_now(from), m_to(to) {}

    std::vector<ReshardMove> run()
    {
        while (slice() || scatter()) {
        }
        reduce();
        for (int i = 0; m_now.dims != m_to.dims && i < kMostMoves; ++i) {
            if (!slice() && !permute() && !exchange(true) && !exchange(false) && !gatherUnwanted() && !gather())
                gatherAll();
        }
        return std::move(m_moves);
    }

private:
    std::int64_t localBytes(const Layout& layout) const { return elementsOf(localShape(m_shape, layout)) * m_bytes; }
    bool aligned(std::size_t dim, const AxisList& fewer, const AxisList& more) const { return partsAlign(m_shape[dim], shardsOf(fewer), shardsOf(more)); }

    void push(ReshardMove move)
    {
        m_now = move.after;
        m_moves.push_back(std::move(move));
    }

    /// What follows in the wanted list of a dim; empty where the present list is no beginning of it.
    AxisList missing(std::size_t d) const { return isPrefix(m_now.dims[d], m_to.dims[d]) ? withoutPrefix(m_to.dims[d], m_now.dims[d]) : AxisList{}; }

    /// Axes only the wanted layout uses: local.
    bool slice()
    {
        const AxisList used = axesOf(m_now);
        for (std::size_t d = 0; d < m_shape.size(); ++d) {
            AxisList taken;
            for (const AxisPart& part : missing(d)) {
                if (overlap(used, part))
                    break;
                taken.push_back(part);
            }
            const AxisList list = appended(m_now.dims[d], taken);
            if (taken.empty() || !aligned(d, m_now.dims[d], list))
                continue;
            ReshardMove move{StepKind::Slice, taken, static_cast<std::int32_t>(d), 0, m_now, localBytes(m_now), 0, {}};
            move.after.dims[d] = list;
            push(std::move(move));
            return true;
        }
        return false;
    }

    static bool covered(const AxisList& list, const AxisPart& part)
    {
        return std::ranges::any_of(list, [&](const AxisPart& own) { return own.axis == part.axis && part.pre % own.pre == 0 && own.pre * own.size % (part.pre * part.size) == 0; });
    }

    AxisList toReduce() const { return without(m_now.unreduced, m_to.unreduced); }

    bool scatter()
    {
        const AxisList open = toReduce();
        for (std::size_t d = 0; d < m_shape.size() && !open.empty(); ++d) {
            AxisList taken;
            for (const AxisPart& part : missing(d)) {
                if (!covered(open, part))
                    break;
                taken.push_back(part);
            }
            const AxisList list = appended(m_now.dims[d], taken);
            if (taken.empty() || !aligned(d, m_now.dims[d], list))
                continue;
            ReshardMove move{StepKind::ReduceScatter, taken, static_cast<std::int32_t>(d), 0, m_now, localBytes(m_now), 0, {}};
            move.after.dims[d] = list;
            move.after.unreduced = joined(without(m_now.unreduced, taken));
            const std::int64_t shards = shardsOf(taken);
            move.sent = localBytes(move.after) * (shards - 1);
            move.runnerUp = RunnerUp{"all_reduce", {}, ceilShare(move.bytes, 2 * (shards - 1), shards)};
            push(std::move(move));
            return true;
        }
        return false;
    }

    void reduce()
    {
        const AxisList open = toReduce();
        if (open.empty())
            return;
        ReshardMove move{StepKind::AllReduce, joined(open), 0, 0, m_now, localBytes(m_now), 0, {}};
        move.after.unreduced = joined(without(m_now.unreduced, open));
        move.sent = ceilShare(move.bytes, 2 * (shardsOf(open) - 1), shardsOf(open));
        move.runnerUp = RunnerUp{"all_gather", {}, move.bytes * (shardsOf(open) - 1)}; // Of all partial results, added up by everybody.
        push(std::move(move));
    }

    /// Dims with as many shards as wanted, by other axes.
    bool permute()
    {
        std::vector<std::size_t> changed;
        ReshardMove move{StepKind::Permute, {}, 0, 0, m_now, localBytes(m_now), localBytes(m_now), {}};
        AxisList staying = m_now.unreduced;
        std::int64_t shards = 1;
        for (std::size_t d = 0; d < m_shape.size(); ++d) {
            if (m_now.dims[d] != m_to.dims[d] && shardsOf(m_now.dims[d]) == shardsOf(m_to.dims[d])) {
                changed.push_back(d);
                move.after.dims[d] = m_to.dims[d];
                shards *= shardsOf(m_to.dims[d]);
            } else {
                staying.insert(staying.end(), m_now.dims[d].begin(), m_now.dims[d].end());
            }
        }
        for (const std::size_t d : changed) {
            if (overlap(staying, m_to.dims[d]))
                return false;
            for (const bool after : {false, true}) {
                for (const AxisPart& part : without((after ? m_to : m_now).dims[d], move.axes))
                    move.axes.push_back(part);
            }
        }
        if (changed.empty())
            return false;
        move.dim = static_cast<std::int32_t>(changed.front());
        move.runnerUp = RunnerUp{"all_gather", {}, move.bytes * (shards - 1)};
        push(std::move(move));
        return true;
    }

    /// Axes at the end of one dim that another wants next (`inOrder`) or somewhere.
    bool exchange(bool inOrder)
    {
        for (std::size_t i = 0; i < m_shape.size(); ++i) {
            const AxisList surplus = withoutPrefix(m_now.dims[i], commonPrefix(m_now.dims[i], m_to.dims[i]));
            for (std::size_t from = 0; from < surplus.size(); ++from) {
                const AxisList moved(surplus.begin() + static_cast<std::ptrdiff_t>(from), surplus.end());
                for (std::size_t j = 0; j < m_shape.size(); ++j) {
                    const AxisList next = missing(j);
                    const bool fits = inOrder ? isPrefix(moved, next) : std::ranges::all_of(moved, [&](const AxisPart& part) { return covered(next, part); });
                    if (i != j && fits && !next.empty() && tryExchange(i, j, moved))
                        return true;
                }
            }
        }
        return false;
    }

    bool tryExchange(std::size_t i, std::size_t j, const AxisList& moved)
    {
        ReshardMove move{StepKind::AllToAll, moved, static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), m_now, localBytes(m_now), 0, {}};
        move.after.dims[i] = joined(without(m_now.dims[i], moved));
        move.after.dims[j] = appended(m_now.dims[j], moved);
        if (!aligned(i, move.after.dims[i], m_now.dims[i]) || !aligned(j, m_now.dims[j], move.after.dims[j]))
            return false;
        const std::int64_t shards = shardsOf(moved);
        move.sent = ceilShare(move.bytes, shards - 1, shards);
        move.runnerUp = RunnerUp{"all_gather", {}, move.bytes * (shards - 1)};
        push(std::move(move));
        return true;
    }

    void gatherDim(std::size_t d, const AxisList& kept)
    {
        ReshardMove move{StepKind::AllGather, withoutPrefix(m_now.dims[d], kept), static_cast<std::int32_t>(d), 0, m_now, 0, 0, {}};
        move.after.dims[d] = kept;
        const std::int64_t shards = shardsOf(move.axes);
        move.bytes = localBytes(m_now) * shards;
        move.sent = localBytes(m_now) * (shards - 1);
        move.runnerUp = RunnerUp{"all_reduce", {}, 2 * move.sent}; // Of the whole with zeros where a device has nothing.
        push(std::move(move));
    }

    /// Axes at the end of a dim that no dim is to have, before those that another dim may still get by an exchange.
    bool gatherUnwanted()
    {
        const AxisList wanted = axesOf(m_to);
        for (std::size_t d = 0; d < m_shape.size(); ++d) {
            const std::size_t common = commonPrefix(m_now.dims[d], m_to.dims[d]).size();
            AxisList kept = m_now.dims[d];
            while (kept.size() > common && !overlap(wanted, kept.back()))
                kept.pop_back();
            if (kept == m_now.dims[d] || !aligned(d, kept, m_now.dims[d]))
                continue;
            gatherDim(d, kept);
            return true;
        }
        return false;
    }

    bool gather()
    {
        for (std::size_t d = 0; d < m_shape.size(); ++d) {
            const AxisList kept = commonPrefix(m_now.dims[d], m_to.dims[d]);
            if (kept == m_now.dims[d])
                continue;
            gatherDim(d, aligned(d, kept, m_now.dims[d]) ? kept : AxisList{});
            return true;
        }
        return false;
    }

    /// Where parts do not line up: everything of one dim that is not as wanted.
    void gatherAll()
    {
        for (std::size_t d = 0; d < m_shape.size(); ++d) {
            if (m_now.dims[d] != m_to.dims[d] && !m_now.dims[d].empty())
                return gatherDim(d, {});
        }
    }

    const TensorShape& m_shape;
    std::int64_t m_bytes;
    Layout m_now;
    const Layout& m_to;
    std::vector<ReshardMove> m_moves;
};

} // namespace

std::vector<ReshardMove> reshardMoves(const TensorShape& shape, std::int64_t elementBytes, const Layout& from, const Layout& to)
{
    return Resharder(shape, elementBytes, from, to).run();
}

std::int64_t sentBy(const std::vector<ReshardMove>& moves)
{
    std::int64_t sum = 0;
    for (const ReshardMove& move : moves)
        sum += move.sent;
    return sum;
}

} // namespace fabricscope
