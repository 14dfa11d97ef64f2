#include "tests/unit/support/oracles/phasemessages.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace fabricscope::test {

namespace {

std::int32_t wrap(std::int32_t value, std::int32_t n)
{
    return ((value % n) + n) % n;
}

/// Collects messages and looks them up again by what the receiver knows of them.
struct List {
    std::vector<PhaseMessage> all;

    PhaseMessage& add(std::int32_t from, std::int32_t to, std::int32_t step, std::int32_t slot, std::int64_t bytes)
    {
        PhaseMessage message;
        message.from = from;
        message.to = to;
        message.step = step;
        message.slot = slot;
        message.bytes = bytes;
        all.push_back(message);
        return all.back();
    }
    /// Every message `to` receives in steps first..last.
    std::vector<std::size_t> receivedBy(std::int32_t to, std::int32_t first, std::int32_t last) const
    {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].to == to && all[i].step >= first && all[i].step <= last)
                found.push_back(i);
        return found;
    }
};

std::vector<PhaseMessage> ring(const PhaseTemplate& phase, std::int32_t n, std::int64_t held)
{
    List list;
    const std::int32_t sign = phase.minus ? -1 : 1;
    for (std::int32_t t = 0; t <= n - 2; ++t) {
        for (std::int32_t r = 0; r < n; ++r) {
            std::int64_t bytes = 0;
            if (phase.kind == PhaseKind::ReduceScatter)
                bytes = evenShare(held, n, wrap(r - sign * (t + 1), n));
            else if (phase.kind == PhaseKind::AllGather)
                bytes = evenShare(held, n, wrap(r - sign * t, n));
            else
                for (std::int32_t ahead = 1; ahead <= n - 1 - t; ++ahead)
                    bytes += evenShare(held, n, wrap(r + sign * ahead, n));
            PhaseMessage& message = list.add(r, wrap(r + sign, n), t, 0, bytes);
            message.reduces = phase.kind == PhaseKind::ReduceScatter;
            message.needsOwn = t == 0 || phase.kind == PhaseKind::AllToAll;
        }
    }
    for (PhaseMessage& message : list.all)
        if (message.step > 0)
            message.needsDone = list.receivedBy(message.from, message.step - 1, message.step - 1);
    return list.all;
}

std::vector<PhaseMessage> direct(const PhaseTemplate& phase, std::int32_t n, std::int64_t held)
{
    List list;
    for (std::int32_t r = 0; r < n; ++r) {
        for (std::int32_t slot = 1; slot < n; ++slot) {
            const std::int32_t peer = wrap(r + slot, n);
            PhaseMessage& message = list.add(r, peer, 0, slot, evenShare(held, n, phase.kind == PhaseKind::AllGather ? r : peer));
            message.reduces = phase.kind == PhaseKind::ReduceScatter;
            message.k = message.reduces ? n - 1 : 1;
            message.needsOwn = true;
            if (phase.window > 0 && slot > phase.window)
                message.needsLeft.push_back(list.all.size() - 1 - static_cast<std::size_t>(phase.window));
        }
    }
    return list.all;
}

/// Any n; with n = 2^m there are no extras and the steps start at 0.
std::vector<PhaseMessage> halvingDoubling(const PhaseTemplate& phase, std::int32_t n, std::int64_t held)
{
    List list;
    const std::int32_t q = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n)));
    const std::int32_t m = std::countr_zero(static_cast<std::uint32_t>(q));
    const bool scatter = phase.kind == PhaseKind::ReduceScatter;
    const bool folded = n != q;
    const std::int32_t base = folded ? 1 : 0;
    const auto agreeing = [&](std::int32_t position, std::int32_t bits) {
        std::int64_t bytes = 0;
        for (std::int32_t block = 0; block < n; ++block) {
            const std::int32_t super = block < q ? block : block - q;
            if (((super ^ position) & ((1 << bits) - 1)) == 0)
                bytes += evenShare(held, n, block);
        }
        return bytes;
    };
    if (folded) {
        for (std::int32_t x = q; x < n; ++x) {
            PhaseMessage& message = list.add(x, x - q, 0, 0, scatter ? held : evenShare(held, n, x));
            message.reduces = scatter;
            message.needsOwn = true;
        }
    }
    for (std::int32_t t = 0; t < m; ++t) {
        const std::int32_t b = scatter ? t : m - 1 - t;
        for (std::int32_t r = 0; r < q; ++r) {
            const std::int32_t peer = r ^ (1 << b);
            const auto needs = list.receivedBy(r, 0, base + t - 1);
            PhaseMessage& message = list.add(r, peer, base + t, 0, agreeing(scatter ? peer : r, b + 1));
            message.reduces = scatter;
            message.needsOwn = !scatter || t == 0;
            message.needsDone = needs;
        }
    }
    if (folded) {
        for (std::int32_t x = q; x < n; ++x) {
            const auto needs = list.receivedBy(x - q, 0, m);
            const std::int64_t block = evenShare(held, n, x);
            PhaseMessage& message = list.add(x - q, x, m + 1, 0, scatter ? block : held - block);
            message.needsOwn = !scatter;
            message.needsDone = needs;
        }
    }
    return list.all;
}

void addTree(List& list, std::int32_t n, std::int32_t tree, std::int64_t bytes)
{
    const auto roleOf = [&](std::int32_t r) { return tree == 0 ? r : n % 2 == 0 ? n - 1 - r : (r + 1) % n; };
    const auto parentRole = [&](std::int32_t role) {
        const std::int32_t bit = role & -role;
        const std::int32_t raised = (role - bit) | (2 * bit);
        return raised < n ? raised : role - bit;
    };
    std::vector<std::int32_t> positionOf(static_cast<std::size_t>(n));
    for (std::int32_t r = 0; r < n; ++r)
        positionOf[static_cast<std::size_t>(roleOf(r))] = r;
    std::vector<std::vector<std::int32_t>> children(static_cast<std::size_t>(n)); // by position, ascending
    std::vector<std::int32_t> parent(static_cast<std::size_t>(n), -1);
    for (std::int32_t r = 0; r < n; ++r) {
        if (roleOf(r) == 0)
            continue;
        parent[static_cast<std::size_t>(r)] = positionOf[static_cast<std::size_t>(parentRole(roleOf(r)))];
        children[static_cast<std::size_t>(parent[static_cast<std::size_t>(r)])].push_back(r);
    }
    std::vector<std::int32_t> depth(static_cast<std::size_t>(n), 0);
    for (std::int32_t r = 0; r < n; ++r)
        for (std::int32_t at = r; parent[static_cast<std::size_t>(at)] >= 0; at = parent[static_cast<std::size_t>(at)])
            ++depth[static_cast<std::size_t>(r)];
    const std::int32_t deepest = *std::max_element(depth.begin(), depth.end());

    std::vector<std::size_t> up(static_cast<std::size_t>(n)), down(static_cast<std::size_t>(n)); // between r and its parent
    const std::size_t begin = list.all.size();
    for (std::int32_t r = 0; r < n; ++r) {
        const auto& kids = children[static_cast<std::size_t>(r)];
        assert(kids.size() <= 2);
        for (std::size_t i = 0; i < kids.size(); ++i) {
            const std::int32_t child = kids[i];
            const std::int32_t slot = tree + 2 * static_cast<std::int32_t>(i);
            up[static_cast<std::size_t>(child)] = list.all.size();
            PhaseMessage& rising = list.add(child, r, deepest - depth[static_cast<std::size_t>(child)], slot, bytes);
            rising.reduces = true;
            rising.needsOwn = true;
            down[static_cast<std::size_t>(child)] = list.all.size();
            list.add(r, child, deepest + depth[static_cast<std::size_t>(child)] - 1, slot, bytes);
        }
    }
    for (std::size_t i = begin; i < list.all.size(); ++i) {
        PhaseMessage& message = list.all[i];
        const bool fromRoot = parent[static_cast<std::size_t>(message.from)] < 0;
        if (message.reduces || fromRoot)
            for (const std::int32_t child : children[static_cast<std::size_t>(message.from)])
                message.needsDone.push_back(up[static_cast<std::size_t>(child)]);
        else
            message.needsDone.push_back(down[static_cast<std::size_t>(message.from)]);
    }
}

/// Every position sends the first of the blocks it has, one by one in the order they came; a message waits for those that brought what it has.
std::vector<PhaseMessage> bruck(std::int32_t n, std::int64_t held)
{
    List list;
    for (std::int32_t distance = 1, step = 0; distance < n; distance *= 2, ++step) {
        for (std::int32_t r = 0; r < n; ++r) {
            std::int64_t bytes = 0;
            std::int32_t blocks = 0;
            for (; blocks < distance && distance + blocks < n; ++blocks)
                bytes += evenShare(held, n, wrap(r + blocks, n));
            std::vector<std::size_t> before;
            for (const std::size_t came : list.receivedBy(r, 0, step - 1)) {
                if (wrap(list.all[came].from - r, n) < blocks)
                    before.push_back(came);
            }
            PhaseMessage& message = list.add(r, wrap(r - distance, n), step, 0, bytes);
            message.needsOwn = true;
            message.needsDone = std::move(before);
        }
    }
    return list.all;
}

/// Every position has sums of all blocks, those from its own on; it gives those away that are a power of two or more ahead, the largest power first, until it has one. A message waits
/// for those that have added to what it carries.
std::vector<PhaseMessage> circulantScatter(std::int32_t n, std::int64_t held)
{
    List list;
    std::int32_t distance = 1;
    while (distance * 2 < n)
        distance *= 2;
    for (std::int32_t row = n, step = 0; row > 1; row = distance, distance /= 2, ++step) {
        for (std::int32_t r = 0; r < n; ++r) {
            std::int64_t bytes = 0;
            for (std::int32_t ahead = distance; ahead < row; ++ahead)
                bytes += evenShare(held, n, wrap(r + ahead, n));
            std::vector<std::size_t> before;
            for (const std::size_t came : list.receivedBy(r, 0, step - 1)) {
                const std::int32_t far = wrap(r - list.all[came].from, n); // It brought sums up to twice so far, or to the end of the row.
                if (std::min(far, n - far) > distance)
                    before.push_back(came);
            }
            PhaseMessage& message = list.add(r, wrap(r + distance, n), step, 0, bytes);
            message.reduces = true;
            message.needsOwn = true;
            message.needsDone = std::move(before);
        }
    }
    return list.all;
}

} // namespace

std::int64_t evenShare(std::int64_t total, std::int64_t n, std::int64_t b)
{
    // total = whole * n + rest keeps the products small.
    const std::int64_t whole = total / n;
    const std::int64_t rest = total % n;
    return whole + (b + 1) * rest / n - b * rest / n;
}

std::vector<PhaseMessage> expandPhase(const PhaseTemplate& phase, std::int32_t n, std::int64_t held)
{
    switch (phase.algorithm) {
    case Algorithm::Ring:
        return ring(phase, n, held);
    case Algorithm::Direct:
        return direct(phase, n, held);
    case Algorithm::HalvingDoubling:
        return halvingDoubling(phase, n, held);
    case Algorithm::Bruck:
        return bruck(n, held);
    case Algorithm::Circulant:
        return phase.kind == PhaseKind::ReduceScatter ? circulantScatter(n, held) : bruck(n, held);
    case Algorithm::InNetwork: // Switches do it: no messages between members.
        return {};
    case Algorithm::DoubleBinaryTree:
        break;
    }
    List list;
    addTree(list, n, 0, held / 2);
    addTree(list, n, 1, held - held / 2);
    return list.all;
}

std::int64_t expandHeld(const TemplateBody& body, std::size_t phase, std::int64_t chunk, const std::vector<std::int32_t>& coordinates)
{
    // Axes the chunk is scattered over, outermost cut first. All-gathers without a reduce-scatter before them undo cuts that were there
    // from the start: the last of them the outermost.
    std::vector<std::int32_t> cuts;
    std::vector<std::int32_t> open;
    for (const PhaseTemplate& each : body.phases) {
        if (each.kind == PhaseKind::ReduceScatter)
            open.push_back(each.axis);
        else if (each.kind == PhaseKind::AllGather && !open.empty())
            open.pop_back();
        else if (each.kind == PhaseKind::AllGather)
            cuts.insert(cuts.begin(), each.axis);
    }
    for (std::size_t p = 0; p <= phase; ++p) {
        if (body.phases[p].kind == PhaseKind::AllGather)
            cuts.pop_back();
        else if (body.phases[p].kind == PhaseKind::ReduceScatter && p < phase)
            cuts.push_back(body.phases[p].axis);
    }
    std::int64_t held = chunk;
    for (const std::int32_t axis : cuts)
        held = evenShare(held, body.axes[static_cast<std::size_t>(axis)], coordinates[static_cast<std::size_t>(axis)]);
    return held;
}

} // namespace fabricscope::test
