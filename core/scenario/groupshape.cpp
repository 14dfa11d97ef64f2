#include "core/scenario/groupshape.h"

#include <algorithm>
#include <optional>

namespace fabricscope {

namespace {

GroupShape wholeMachine(const Platform& platform)
{
    GroupShape shape;
    for (std::size_t d = 0; d < platform.dimensions().size(); ++d) {
        if (platform.dimensions()[d].size == 1)
            continue;
        shape.layout.extents.push_back(platform.dimensions()[d].size);
        shape.layout.strides.push_back(platform.stride(d));
        shape.dimensionOfAxis.push_back(static_cast<std::int32_t>(d));
    }
    return shape;
}

/// A group of a strided family whose axes are whole dimensions, without looking at its members.
std::optional<GroupShape> wholeDimensions(const Platform& platform, const GroupFamily& family, std::int64_t group)
{
    const auto dimensions = platform.dimensions();
    std::vector<bool> used(dimensions.size(), false);
    for (const GroupFamily::Axis& axis : family.axes()) {
        std::int64_t covered = 1; // an axis may span several dimensions
        for (std::size_t d = 0; d < dimensions.size() && covered < axis.size; ++d) {
            if (dimensions[d].size == 1 || platform.stride(d) != axis.stride * covered)
                continue;
            used[d] = true;
            covered *= dimensions[d].size;
        }
        if (covered != axis.size)
            return std::nullopt;
    }
    GroupShape shape;
    shape.layout.base = family.member(group, 0);
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        if (!used[d])
            continue;
        shape.layout.extents.push_back(dimensions[d].size);
        shape.layout.strides.push_back(platform.stride(d));
        shape.dimensionOfAxis.push_back(static_cast<std::int32_t>(d));
    }
    return shape;
}

std::vector<std::int32_t> membersOf(const GroupFamily& family, std::int64_t group)
{
    const std::int64_t size = family.groupSize(group);
    std::vector<std::int32_t> members(static_cast<std::size_t>(size));
    for (std::int64_t position = 0; position < size; ++position)
        members[static_cast<std::size_t>(position)] = static_cast<std::int32_t>(family.member(group, position));
    return members;
}

GroupShape oneAxis(std::vector<std::int32_t> members)
{
    GroupShape shape;
    shape.layout.extents = {static_cast<std::int32_t>(members.size())};
    shape.dimensionOfAxis = {-1};
    shape.layout.list = std::move(members);
    return shape;
}

/// Replaces the list by base and strides when the ranks are an affine function of the coordinates.
void dropListIfAffine(GroupLayout& layout)
{
    std::vector<std::int64_t> strides;
    std::size_t step = 1;
    for (const std::int32_t extent : layout.extents) {
        strides.push_back(layout.list[step] - layout.list[0]);
        step *= static_cast<std::size_t>(extent);
    }
    GroupLayout affine{layout.list[0], layout.extents, strides, {}};
    for (std::size_t position = 0; position < layout.list.size(); ++position) {
        if (affine.rankAt(static_cast<std::int32_t>(position)) != layout.list[position])
            return;
    }
    affine.levels = std::move(layout.levels);
    layout = std::move(affine);
}

GroupShape alongLevels(const LevelFinder& finder, const Placement& placement, const std::vector<std::int32_t>& members)
{
    std::vector<NodeId> nodes;
    for (const std::int32_t rank : members)
        nodes.push_back(placement.nodeOf(rank));
    GroupShape shape;
    shape.levels = finder.find(nodes);
    for (const GroupLevels::Used& level : shape.levels->used) {
        shape.layout.extents.push_back(level.extent);
        shape.dimensionOfAxis.push_back(-1);
        if (!shape.levels->isFlat())
            shape.layout.levels.push_back(level.name);
    }
    for (const std::int32_t place : shape.levels->order)
        shape.layout.list.push_back(members[static_cast<std::size_t>(place)]);
    if (shape.layout.extents.size() > 1)
        dropListIfAffine(shape.layout);
    return shape;
}

} // namespace

std::optional<Shape> GroupShape::shapeOf(const Platform& platform, std::size_t axis) const
{
    if (levels)
        return levels->used[axis].shape;
    const std::int32_t dimension = dimensionOfAxis[axis];
    return dimension < 0 ? Shape::Ring : platform.dimensions()[static_cast<std::size_t>(dimension)].shape;
}

const LevelFinder* finderFor(const LevelFinder* finder, CollectiveOp op, std::size_t algorithms)
{
    return finder && op == CollectiveOp::AllToAll && !finder->isProduct() && algorithms < 2 ? nullptr : finder;
}

GroupShape groupShape(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group, bool flat, const LevelFinder* finder)
{
    const bool gridPossible = !platform.isExplicit() && !flat;
    if (gridPossible && family.isWorld() && placement.isIdentity() && placement.rankCount() == platform.npuCount())
        return wholeMachine(platform);
    if (gridPossible && family.isStrided() && family.groupSize(group) > 1 && placement.isIdentity() && placement.rankCount() == platform.npuCount()) {
        if (auto shape = wholeDimensions(platform, family, group))
            return std::move(*shape);
    }

    std::vector<std::int32_t> members = membersOf(family, group);
    if (finder && platform.isExplicit() && !flat && members.size() > 1)
        return alongLevels(*finder, placement, members);
    if (!gridPossible || members.size() < 2)
        return oneAxis(std::move(members));

    const std::size_t dimensions = platform.dimensions().size();
    std::vector<std::vector<std::int32_t>> used(dimensions); // sorted coordinates of the members
    for (std::size_t d = 0; d < dimensions; ++d) {
        for (const std::int32_t rank : members)
            used[d].push_back(platform.coordinate(placement.nodeOf(rank), d));
        std::sort(used[d].begin(), used[d].end());
        used[d].erase(std::unique(used[d].begin(), used[d].end()), used[d].end());
    }
    std::size_t product = 1;
    for (const auto& coordinates : used)
        product = std::min(product * coordinates.size(), members.size() + 1); // saturates above the only interesting value
    if (product != members.size())
        return oneAxis(std::move(members));

    GroupShape shape;
    for (std::size_t d = 0; d < dimensions; ++d) {
        if (used[d].size() == 1)
            continue;
        shape.layout.extents.push_back(static_cast<std::int32_t>(used[d].size()));
        shape.dimensionOfAxis.push_back(static_cast<std::int32_t>(d));
    }
    shape.layout.list.resize(members.size());
    for (const std::int32_t rank : members) {
        std::size_t position = 0;
        std::size_t step = 1;
        for (const std::int32_t d : shape.dimensionOfAxis) {
            const auto& coordinates = used[static_cast<std::size_t>(d)];
            const auto at = std::lower_bound(coordinates.begin(), coordinates.end(),
                                             platform.coordinate(placement.nodeOf(rank), static_cast<std::size_t>(d)));
            position += static_cast<std::size_t>(at - coordinates.begin()) * step;
            step *= coordinates.size();
        }
        shape.layout.list[position] = rank;
    }
    dropListIfAffine(shape.layout);
    return shape;
}

} // namespace fabricscope
