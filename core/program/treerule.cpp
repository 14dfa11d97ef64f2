// Double binary tree: half of the data goes up and down one tree, half the other (manual: collectives 3.3; row of the table in phaserules.h).
#include "core/program/treerule.h"

#include "core/base/index.h"
#include "core/base/integers.h"
#include "core/program/nativerule.h"

#include <array>
#include <bit>
#include <utility>

namespace fabricscope {

namespace {

using Message = PhaseRules::Message;

// The first of the two trees; the second is the first with other roles.

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
    return ceilLog(n);
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

/// At most six messages: up to the parent or from it, and for two children, in two trees.
struct TreeMessages {
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

TreeMessages treeSends(std::int32_t n, std::int32_t r, std::int64_t held)
{
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

TreeMessages treeReceives(std::int32_t n, std::int32_t r, std::int64_t held)
{
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

Message treeSend(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held)
{
    return treeSends(rules.extent(), r, held).list[static_cast<std::size_t>(index)];
}

Message treeReceive(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held)
{
    return treeReceives(rules.extent(), r, held).list[static_cast<std::size_t>(index)];
}

std::int32_t treeReceiveIndex(const PhaseRules& rules, std::int32_t r, std::int32_t step, std::int32_t slot)
{
    const TreeMessages messages = treeReceives(rules.extent(), r, 0);
    for (std::int32_t i = 0; i < messages.count; ++i) {
        const Message& message = messages.list[static_cast<std::size_t>(i)];
        if (message.step == step && message.slot == slot)
            return i;
    }
    return -1;
}

PhaseRules::Needs treeNeeds(const PhaseRules& rules, std::int32_t r, std::int32_t index)
{
    const std::int32_t n = rules.extent();
    const Message message = treeSend(rules, r, index, 0);
    const std::int32_t tree = message.slot % 2;
    const bool waitsForChildren = message.reduces || roleOf(r, tree, n) == 0;
    const TreeMessages receives = treeReceives(n, r, 0);
    PhaseRules::Needs needs;
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

} // namespace

std::vector<TreePlace> treePlaces(std::int32_t tree, std::int32_t n)
{
    // A parent has a higher lowest bit than its child, so that one level after another knows its depth.
    std::vector<TreePlace> places(at(n));
    for (std::int32_t bit = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n - 1))); bit > 0; bit >>= 1) {
        for (std::int64_t role = bit; role < n; role += std::int64_t{bit} * 2) {
            TreePlace& place = places[at(positionOfRole(static_cast<std::int32_t>(role), tree, n))];
            place.parent = positionOfRole(treeParent(static_cast<std::int32_t>(role), n), tree, n);
            place.depth = places[at(place.parent)].depth + 1;
        }
    }
    for (std::int32_t position = 0; position < n; ++position) {
        TreePlace& place = places[at(position)];
        place.children = childPositions(position, tree, n);
        if (place.children[1] >= 0)
            places[at(place.children[1])].ordinal = 1;
    }
    return places;
}

constinit const NativeRule nativerows::kDoubleBinaryTree{
    .algorithm = Algorithm::DoubleBinaryTree,
    .key = "double_binary_tree",
    .allReduce = true,
    .inReference = true,
    .tried = true,
    .halves = true,
    .searched = true,
    .limit = "it is an all-reduce and works on the last dimension of a group only",
    .messages = [](std::int32_t n) { return std::int64_t{4} * (n - 1); },
    .mostSends = [](std::int32_t) { return 6; }, // To a parent and two children in each tree.
    .reduces = [](const PhaseTemplate&, std::int32_t n, std::int32_t step) { return step < deepest(n); }, // Up before down.
    .sendCount = [](const PhaseRules& rules, std::int32_t r) { return treeSends(rules.extent(), r, 0).count; },
    .send = treeSend,
    .receiveCount = [](const PhaseRules& rules, std::int32_t r) { return treeReceives(rules.extent(), r, 0).count; },
    .receive = treeReceive,
    .receiveIndex = treeReceiveIndex,
    .needs = treeNeeds,
};

} // namespace fabricscope
