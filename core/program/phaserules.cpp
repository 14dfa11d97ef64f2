#include "core/program/phaserules.h"

#include "core/program/nativerule.h"

#include <array>
#include <bit>
#include <cassert>
#include <utility>

namespace fabricscope {

namespace {

__extension__ using Wide = __int128;

std::int32_t modulo(std::int32_t value, std::int32_t n)
{
    value %= n;
    return value < 0 ? value + n : value;
}

/// Bytes of the blocks before block b.
std::int64_t bytesBefore(std::int64_t held, std::int32_t n, std::int32_t b)
{
    return static_cast<std::int64_t>(Wide{held} * b / n);
}

/// Sum of floor((a*i + b) / m) for i = 0..count-1 by exchanging the roles of a and m, as in Euclid's algorithm: O(log m).
Wide floorSum(Wide count, Wide m, Wide a, Wide b)
{
    Wide sum = 0;
    while (count > 0) {
        sum += a / m * (count * (count - 1) / 2) + b / m * count;
        a %= m;
        b %= m;
        const Wide top = a * count + b;
        count = top / m;
        b = top % m;
        std::swap(m, a);
    }
    return sum;
}

/// Bytes of the blocks first, first + stride, ... (`count` of them).
std::int64_t stridedBytes(std::int64_t held, std::int32_t n, std::int32_t first, std::int32_t stride, std::int32_t count)
{
    if (count <= 0)
        return 0;
    if (held % n == 0)
        return held / n * count;
    const Wide slope = Wide{held} * stride;
    const Wide ends = floorSum(count, n, slope, Wide{held} * (first + 1));
    const Wide begins = floorSum(count, n, slope, Wide{held} * first);
    return static_cast<std::int64_t>(ends - begins);
}

// The first of the two trees (manual: collectives 3.3); the second is the first with other roles.

std::int32_t lowestBit(std::int32_t value)
{
    return value & -value;
}

std::int32_t treeParent(std::int32_t role, std::int32_t n)
{
    if (role == 0)
        return -1;
    const std::int32_t bit = lowestBit(role);
    const std::int32_t raised = (role ^ bit) | (bit << 1);
    return raised < n ? raised : role ^ bit;
}

std::int32_t treeDepth(std::int32_t role, std::int32_t n)
{
    std::int32_t depth = 0;
    for (; role != 0; role = treeParent(role, n))
        ++depth;
    return depth;
}

/// The left subtree of the root's only child is perfect, and no node is deeper than its leaves.
std::int32_t deepest(std::int32_t n)
{
    return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(n - 1)));
}

/// Children of a role in ascending order; -1 where there is none.
std::array<std::int32_t, 2> treeChildren(std::int32_t role, std::int32_t n)
{
    if (role == 0)
        return {static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n - 1))), -1};
    const std::int32_t bit = lowestBit(role);
    if (bit == 1)
        return {-1, -1};
    const std::int32_t lower = (role ^ bit) | (bit >> 1);
    for (std::int32_t half = bit >> 1; half > 0; half >>= 1) {
        if ((role | half) < n)
            return {lower, role | half};
    }
    return {lower, -1};
}

std::int32_t roleOf(std::int32_t position, std::int32_t tree, std::int32_t n)
{
    if (tree == 0)
        return position;
    return n % 2 == 0 ? n - 1 - position : (position + 1) % n;
}

std::int32_t positionOfRole(std::int32_t role, std::int32_t tree, std::int32_t n)
{
    if (tree == 0)
        return role;
    return n % 2 == 0 ? n - 1 - role : (role + n - 1) % n;
}

/// Children of a position in one tree, ascending by position.
std::array<std::int32_t, 2> childPositions(std::int32_t position, std::int32_t tree, std::int32_t n)
{
    std::array<std::int32_t, 2> children = treeChildren(roleOf(position, tree, n), n);
    for (std::int32_t& child : children) {
        if (child >= 0)
            child = positionOfRole(child, tree, n);
    }
    if (children[1] >= 0 && children[1] < children[0])
        std::swap(children[0], children[1]);
    return children;
}

std::int32_t childOrdinal(std::int32_t parent, std::int32_t child, std::int32_t tree, std::int32_t n)
{
    return childPositions(parent, tree, n)[0] == child ? 0 : 1;
}

} // namespace

/// At most six messages: up to the parent or from it, and for two children, in two trees.
struct PhaseRules::TreeMessages {
    std::array<Message, 6> list;
    std::int32_t count = 0;

    void add(const Message& message) { list[static_cast<std::size_t>(count++)] = message; }
    void sort()
    {
        const auto before = [](const Message& a, const Message& b) { return a.step != b.step ? a.step < b.step : a.slot < b.slot; };
        for (std::int32_t i = 1; i < count; ++i) {
            for (auto at = static_cast<std::size_t>(i); at > 0 && before(list[at], list[at - 1]); --at)
                std::swap(list[at], list[at - 1]);
        }
    }
};

PhaseRules::PhaseRules(const PhaseTemplate& phase, std::int32_t extent)
    : m_phase(phase)
    , m_extent(extent)
    , m_rule(&nativeRule(phase.algorithm))
    , m_log(static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(extent))) - 1)
    , m_core(std::int32_t{1} << m_log)
{
    assert(extent > 1);
    assert(m_rule->does(phase.kind));
}

/// Bytes of the (super) blocks that agree with `position` in the low `bits` bits.
std::int64_t PhaseRules::agreeingBytes(std::int64_t held, std::int32_t position, std::int32_t bits) const
{
    const std::int32_t stride = std::int32_t{1} << bits;
    const std::int32_t first = position & (stride - 1);
    std::int64_t bytes = stridedBytes(held, m_extent, first, stride, m_core / stride);
    if (folded()) {
        const std::int32_t extras = m_extent - m_core;
        const std::int32_t count = extras > first ? (extras - first - 1) / stride + 1 : 0;
        bytes += stridedBytes(held, m_extent, m_core + first, stride, count);
    }
    return bytes;
}

PhaseRules::Message PhaseRules::ringMessage(std::int32_t sender, std::int32_t step, std::int64_t held) const
{
    const std::int32_t n = m_extent;
    const std::int32_t sign = m_phase.minus ? -1 : 1;
    Message message;
    message.peer = modulo(sender + sign, n);
    message.step = step;
    switch (m_phase.kind) {
    case PhaseKind::ReduceScatter:
        message.bytes = blockBytes(held, n, modulo(sender - sign * (step + 1), n));
        message.reduces = true;
        message.needsOwn = true;
        break;
    case PhaseKind::AllGather:
        message.bytes = blockBytes(held, n, modulo(sender - sign * step, n));
        message.needsOwn = step == 0;
        message.forwardOnly = step > 0;
        break;
    case PhaseKind::Broadcast:
        message.bytes = held;
        message.needsOwn = step == 0;
        message.forwardOnly = step > 0;
        break;
    default: {
        const std::int32_t count = n - 1 - step;
        message.bytes = rangeBytes(held, m_phase.minus ? modulo(sender - count, n) : modulo(sender + 1, n), count);
        message.needsOwn = true;
    }
    }
    return message;
}

PhaseRules::Message PhaseRules::directMessage(std::int32_t sender, std::int32_t slot, std::int64_t held) const
{
    Message message;
    message.peer = modulo(sender + slot, m_extent);
    message.slot = slot;
    message.bytes = m_phase.kind == PhaseKind::Broadcast ? held : blockBytes(held, m_extent, m_phase.kind == PhaseKind::AllGather ? sender : message.peer);
    message.reduces = m_phase.kind == PhaseKind::ReduceScatter;
    message.k = message.reduces ? m_extent - 1 : 1;
    message.needsOwn = true;
    return message;
}

std::int32_t PhaseRules::halvingPeer(std::int32_t r, std::int32_t step) const
{
    if (folded()) {
        if (step == 0 || step == m_log + 1)
            return r < m_core ? r + m_core : r - m_core;
        --step;
    }
    const std::int32_t bit = m_phase.kind == PhaseKind::ReduceScatter ? step : m_log - 1 - step;
    return r ^ (std::int32_t{1} << bit);
}

PhaseRules::Message PhaseRules::halvingMessage(std::int32_t sender, std::int32_t step, std::int64_t held) const
{
    const bool scatters = m_phase.kind == PhaseKind::ReduceScatter;
    Message message;
    message.peer = halvingPeer(sender, step);
    message.step = step;
    message.needsOwn = true;
    if (folded() && step == 0) { // An extra hands over what it has.
        message.bytes = scatters ? held : blockBytes(held, m_extent, sender);
        message.reduces = scatters;
    } else if (folded() && step == m_log + 1) { // ... and gets its result back.
        const std::int64_t block = blockBytes(held, m_extent, message.peer);
        message.bytes = scatters ? block : held - block;
    } else {
        const std::int32_t round = folded() ? step - 1 : step;
        const std::int32_t bits = scatters ? round + 1 : m_log - round;
        message.bytes = agreeingBytes(held, scatters ? message.peer : sender, bits);
        message.reduces = scatters;
    }
    return message;
}

PhaseRules::TreeMessages PhaseRules::treeSends(std::int32_t r, std::int64_t held) const
{
    const std::int32_t n = m_extent;
    const std::int32_t depthOfDeepest = deepest(n);
    TreeMessages messages;
    for (std::int32_t tree = 0; tree < 2; ++tree) {
        const std::int64_t bytes = tree == 0 ? held / 2 : held - held / 2;
        const std::int32_t role = roleOf(r, tree, n);
        const std::int32_t depth = treeDepth(role, n);
        if (role != 0) {
            Message up;
            up.peer = positionOfRole(treeParent(role, n), tree, n);
            up.step = depthOfDeepest - depth;
            up.slot = tree + 2 * childOrdinal(up.peer, r, tree, n);
            up.bytes = bytes;
            up.reduces = true;
            up.needsOwn = true;
            messages.add(up);
        }
        const auto children = childPositions(r, tree, n);
        for (std::int32_t ordinal = 0; ordinal < 2; ++ordinal) {
            const std::int32_t child = children[static_cast<std::size_t>(ordinal)];
            if (child < 0)
                continue;
            Message down;
            down.peer = child;
            down.step = depthOfDeepest + depth;
            down.slot = tree + 2 * ordinal;
            down.bytes = bytes;
            down.needsOwn = role == 0;
            messages.add(down);
        }
    }
    messages.sort();
    return messages;
}

PhaseRules::TreeMessages PhaseRules::treeReceives(std::int32_t r, std::int64_t held) const
{
    const std::int32_t n = m_extent;
    const std::int32_t depthOfDeepest = deepest(n);
    TreeMessages messages;
    for (std::int32_t tree = 0; tree < 2; ++tree) {
        const std::int64_t bytes = tree == 0 ? held / 2 : held - held / 2;
        const std::int32_t role = roleOf(r, tree, n);
        const std::int32_t depth = treeDepth(role, n);
        const auto children = childPositions(r, tree, n);
        for (std::int32_t ordinal = 0; ordinal < 2; ++ordinal) {
            const std::int32_t child = children[static_cast<std::size_t>(ordinal)];
            if (child < 0)
                continue;
            Message up;
            up.peer = child;
            up.step = depthOfDeepest - depth - 1;
            up.slot = tree + 2 * ordinal;
            up.bytes = bytes;
            up.reduces = true;
            up.needsOwn = true;
            messages.add(up);
        }
        if (role != 0) {
            Message down;
            down.peer = positionOfRole(treeParent(role, n), tree, n);
            down.step = depthOfDeepest + depth - 1;
            down.slot = tree + 2 * childOrdinal(down.peer, r, tree, n);
            down.bytes = bytes;
            down.needsOwn = roleOf(down.peer, tree, n) == 0;
            messages.add(down);
        }
    }
    messages.sort();
    return messages;
}

/// What the operation of a block, or the only one, carries.
std::int64_t PhaseRules::switchBytes(std::int32_t block, std::int64_t held) const
{
    const bool cut = m_phase.kind == PhaseKind::ReduceScatter || m_phase.kind == PhaseKind::AllGather;
    return cut ? blockBytes(held, m_extent, block) : held;
}

std::int32_t PhaseRules::sendCount(std::int32_t r) const
{
    if (m_rule->sendCount)
        return m_rule->sendCount(*this, r);
    if (m_phase.algorithm == Algorithm::InNetwork)
        return m_phase.kind == PhaseKind::ReduceScatter ? m_extent : (m_phase.kind != PhaseKind::Broadcast || r == 0 ? 1 : 0);
    if (m_phase.kind == PhaseKind::Broadcast)
        return m_phase.algorithm == Algorithm::Direct ? (r == 0 ? m_extent - 1 : 0) : (isLast(r) ? 0 : 1);
    switch (m_phase.algorithm) {
    case Algorithm::Ring:
    case Algorithm::Direct:
        return m_extent - 1;
    case Algorithm::HalvingDoubling:
        return r >= m_core ? 1 : m_log + (hasExtra(r) ? 1 : 0);
    default: // The double binary tree.
        break;
    }
    return treeSends(r, 0).count;
}

std::int32_t PhaseRules::receiveCount(std::int32_t r) const
{
    if (m_rule->receiveCount)
        return m_rule->receiveCount(*this, r);
    if (m_phase.algorithm == Algorithm::DoubleBinaryTree)
        return treeReceives(r, 0).count;
    if (m_phase.algorithm == Algorithm::InNetwork)
        return m_phase.kind == PhaseKind::AllGather ? m_extent : 1;
    if (m_phase.kind == PhaseKind::Broadcast)
        return r == 0 ? 0 : 1;
    return sendCount(r); // Each of the others sends as many messages as it receives.
}

PhaseRules::Message PhaseRules::send(std::int32_t r, std::int32_t index, std::int64_t held) const
{
    if (m_rule->send)
        return m_rule->send(*this, r, index, held);
    switch (m_phase.algorithm) {
    case Algorithm::Ring:
        return ringMessage(r, m_phase.kind == PhaseKind::Broadcast ? stepsBehind(r) : index, held);
    case Algorithm::Direct:
        return directMessage(r, index + 1, held);
    case Algorithm::HalvingDoubling:
        return halvingMessage(r, folded() && r < m_core ? index + 1 : index, held);
    case Algorithm::InNetwork: {
        Message message;
        message.peer = -1;
        message.slot = m_phase.kind == PhaseKind::AllGather ? r : index;
        message.bytes = switchBytes(message.slot, held);
        message.needsOwn = true;
        return message;
    }
    default: // The double binary tree.
        break;
    }
    return treeSends(r, held).list[static_cast<std::size_t>(index)];
}

PhaseRules::Message PhaseRules::receive(std::int32_t r, std::int32_t index, std::int64_t held) const
{
    if (m_rule->receive)
        return m_rule->receive(*this, r, index, held);
    Message message;
    std::int32_t sender = 0;
    switch (m_phase.algorithm) {
    case Algorithm::Ring:
        sender = modulo(m_phase.minus ? r + 1 : r - 1, m_extent);
        message = ringMessage(sender, m_phase.kind == PhaseKind::Broadcast ? stepsBehind(sender) : index, held);
        break;
    case Algorithm::Direct:
        sender = m_phase.kind == PhaseKind::Broadcast ? 0 : modulo(r - index - 1, m_extent);
        message = directMessage(sender, modulo(r - sender, m_extent), held);
        break;
    case Algorithm::HalvingDoubling: {
        std::int32_t step = index;
        if (folded())
            step = r >= m_core ? m_log + 1 : index + (hasExtra(r) ? 0 : 1);
        sender = halvingPeer(r, step);
        message = halvingMessage(sender, step, held);
        break;
    }
    case Algorithm::InNetwork:
        message.slot = m_phase.kind == PhaseKind::AllGather ? index : (m_phase.kind == PhaseKind::ReduceScatter ? r : 0);
        message.bytes = switchBytes(message.slot, held);
        sender = -1;
        break;
    default: // The double binary tree.
        return treeReceives(r, held).list[static_cast<std::size_t>(index)];
    }
    message.peer = sender;
    return message;
}

std::int32_t PhaseRules::receiveIndex(std::int32_t r, std::int32_t step, std::int32_t slot) const
{
    if (m_rule->receiveIndex)
        return m_rule->receiveIndex(*this, r, step, slot);
    if (m_phase.kind == PhaseKind::Broadcast)
        return 0;
    switch (m_phase.algorithm) {
    case Algorithm::Ring:
        return step;
    case Algorithm::Direct:
        return slot - 1;
    case Algorithm::HalvingDoubling:
        if (!folded())
            return step;
        return r >= m_core ? 0 : step - (hasExtra(r) ? 0 : 1);
    case Algorithm::InNetwork:
        return m_phase.kind == PhaseKind::AllGather ? slot : 0;
    default: // The double binary tree.
        break;
    }
    const TreeMessages messages = treeReceives(r, 0);
    for (std::int32_t i = 0; i < messages.count; ++i) {
        const Message& message = messages.list[static_cast<std::size_t>(i)];
        if (message.step == step && message.slot == slot)
            return i;
    }
    return -1;
}

PhaseRules::Needs PhaseRules::needs(std::int32_t r, std::int32_t index) const
{
    if (m_rule->needs)
        return m_rule->needs(*this, r, index);
    if (m_phase.kind == PhaseKind::Broadcast)
        return r == 0 ? Needs{} : Needs{0, 1};
    switch (m_phase.algorithm) {
    case Algorithm::Ring:
        return index == 0 ? Needs{} : Needs{index - 1, 1};
    case Algorithm::Direct:
    case Algorithm::InNetwork:
        return {};
    case Algorithm::HalvingDoubling:
        if (r >= m_core)
            return {};
        return {0, index + (folded() && hasExtra(r) ? 1 : 0)};
    default: // The double binary tree.
        break;
    }

    const Message message = treeSends(r, 0).list[static_cast<std::size_t>(index)];
    const std::int32_t tree = message.slot % 2;
    const bool waitsForChildren = message.reduces || roleOf(r, tree, m_extent) == 0;
    const TreeMessages receives = treeReceives(r, 0);
    Needs needs;
    for (std::int32_t i = 0; i < receives.count; ++i) {
        const Message& candidate = receives.list[static_cast<std::size_t>(i)];
        if (candidate.slot % 2 != tree || candidate.reduces != waitsForChildren)
            continue;
        if (needs.count == 0)
            needs.first = i;
        else
            needs.stride = i - needs.first;
        ++needs.count;
    }
    return needs;
}

std::int64_t PhaseRules::bytesSent(std::int32_t r, std::int64_t held) const
{
    std::int64_t bytes = 0;
    const std::int32_t count = sendCount(r);
    for (std::int32_t i = 0; i < count; ++i)
        bytes += send(r, i, held).bytes;
    return bytes;
}

std::int64_t blockRangeBytes(std::int64_t held, std::int32_t n, std::int32_t first, std::int32_t count)
{
    const std::int32_t end = first + count;
    if (end <= n)
        return bytesBefore(held, n, end) - bytesBefore(held, n, first);
    return held - bytesBefore(held, n, first) + bytesBefore(held, n, end - n);
}

std::int64_t heldBytes(const TemplateBody& body, std::size_t phase, std::int64_t chunk, std::span<const std::int32_t> coordinates)
{
    return heldBytes(body.axes, body.phases, phase, chunk, coordinates);
}

std::int64_t heldBytes(std::span<const std::int32_t> axes, std::span<const PhaseTemplate> phases, std::size_t phase, std::int64_t chunk,
                       std::span<const std::int32_t> coordinates)
{
    const auto cut = [&](std::int64_t held, std::size_t index) {
        const auto axis = static_cast<std::size_t>(phases[index].axis);
        return blockBytes(held, axes[axis], coordinates[axis]);
    };

    // Phases pair up like brackets: a reduce-scatter opens, the all-gather that undoes it closes.
    // All-gathers without a partner close cuts made before the collective, the last of them the outermost.
    std::vector<std::size_t> unmatched;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        if (phases[i].kind == PhaseKind::ReduceScatter)
            open.push_back(i);
        else if (phases[i].kind == PhaseKind::AllGather && !open.empty())
            open.pop_back();
        else if (phases[i].kind == PhaseKind::AllGather)
            unmatched.push_back(i);
    }

    std::vector<std::int64_t> held{chunk};
    for (std::size_t i = unmatched.size(); i-- > 0;)
        held.push_back(cut(held.back(), unmatched[i]));
    for (std::size_t i = 0; i < phase; ++i) {
        if (phases[i].kind == PhaseKind::ReduceScatter)
            held.push_back(cut(held.back(), i));
        else if (phases[i].kind == PhaseKind::AllGather)
            held.pop_back();
    }
    if (phases[phase].kind == PhaseKind::AllGather)
        held.pop_back();
    return held.back();
}

std::vector<std::int64_t> chunkSizes(const Program& program, std::int64_t bytes)
{
    const std::vector<std::int64_t>& weights = program.asTemplate().chunkWeights;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(program.chunks));
    if (weights.empty()) {
        for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk)
            sizes[static_cast<std::size_t>(chunk)] = blockBytes(bytes, program.chunks, chunk);
        return sizes;
    }
    Wide sum = 0;
    for (const std::int64_t weight : weights)
        sum += weight;
    Wide upTo = 0;
    std::int64_t begin = 0;
    for (std::size_t chunk = 0; chunk < sizes.size(); ++chunk) {
        upTo += weights[chunk];
        const auto end = static_cast<std::int64_t>(bytes * upTo / sum);
        sizes[chunk] = end - begin;
        begin = end;
    }
    return sizes;
}

} // namespace fabricscope
