#include "core/scenario/standardrules.h"

#include "core/base/integers.h"
#include "core/design/design.h"
#include "core/design/modelversions.h"
#include "core/scenario/stepcosts.h"

#include <vector>

namespace fabricscope {

namespace {

/// Reduces or gathers, so that what is weighed here is what it does.
bool isGathering(CollectiveOp op)
{
    return op == CollectiveOp::AllReduce || op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllGather;
}

/// One network of links of any kind; leaves and spines are no such, partners far off are as good there as near ones.
bool isIrregular(const GroupShape& shape)
{
    return shape.levels && shape.levels->used.size() == 1 && !shape.levels->used.front().shape && !shape.levels->evenTiers;
}

} // namespace

Algorithm usualAlgorithm(const Platform& platform, const GroupShape& shape, std::size_t axis, CollectiveOp op)
{
    const std::optional<Shape> joined = shape.shapeOf(platform, axis);
    if (joined)
        return automaticAlgorithm(*joined, op);
    // Networks: steps that double are as good for bytes and far better for latency, but not for other numbers than powers of two, nor where
    // neighbours are better partners than those far off.
    const bool network = shape.levels && (shape.levels->used.size() > 1 || shape.levels->evenTiers);
    const bool doubles = network && isPowerOfTwo(shape.layout.extents[axis]);
    return automaticAlgorithm(doubles ? Shape::Switch : Shape::Ring, op);
}

Algorithm StandardRules::along(const Platform& platform, const Placement& placement, const GroupShape& shape, std::size_t axis, CollectiveOp op, std::int32_t chunks) const
{
    const Algorithm usual = usualAlgorithm(platform, shape, axis, op);
    if (m_rules < kBandwidthRules || !isGathering(op))
        return usual;
    if (usual == Algorithm::HalvingDoubling && !isPowerOfTwo(shape.layout.extents[axis]))
        return Algorithm::Circulant; // Nothing is folded: the least bytes in as few steps.
    if (isIrregular(shape) && shape.layout.size() <= kMostWeighed)
        return lightest(platform, placement, shape, op, chunks);
    return usual;
}

bool StandardRules::goesBothWays(const Platform& platform, const Placement& placement, const GroupShape& shape, CollectiveOp op) const
{
    if (m_rules < kBandwidthRules || !isGathering(op) || shape.layout.extents.size() != 1 || shape.layout.size() < 3 || platform.hasRemovals())
        return false;
    const std::int32_t dimension = shape.dimensionOfAxis.front();
    if (!shape.levels) {
        return dimension >= 0 && platform.dimensions()[static_cast<std::size_t>(dimension)].shape == Shape::Ring
            && platform.dimensions()[static_cast<std::size_t>(dimension)].size == shape.layout.size();
    }
    if (shape.levels->used.front().shape != Shape::Ring)
        return false;
    // Levels call a line a ring too: what goes round it comes back over all its links.
    std::vector<LinkId> closing;
    const NodeId first = placement.nodeOf(shape.layout.rankAt(0));
    const NodeId last = placement.nodeOf(shape.layout.rankAt(shape.layout.size() - 1));
    platform.route(last, first, closing);
    platform.route(first, last, closing);
    return closing.size() == 2;
}

/// The one with the least to do on the fullest links; a ring, unless another is surely better: messages that meet take longer than the links alone tell.
Algorithm StandardRules::lightest(const Platform& platform, const Placement& placement, const GroupShape& shape, CollectiveOp op, std::int32_t chunks) const
{
    const auto [known, isNew] = m_weighed.try_emplace({shape.levels, op, chunks}, Algorithm::Ring);
    if (!isNew)
        return known->second;
    if (!m_ways)
        m_ways = std::make_unique<const BalancedWays>(platform);
    std::vector<NodeId> nodes;
    for (std::int32_t position = 0; position < shape.layout.size(); ++position)
        nodes.push_back(placement.nodeOf(shape.layout.rankAt(position)));
    constexpr double kSurely = 1.25;
    const auto costOf = [&](Algorithm algorithm) { return costsOfRule(algorithm, op, nodes, platform, *m_ways).largePsPerByte(chunks); };
    double least = costOf(Algorithm::Ring) / kSurely;
    for (const Algorithm algorithm : {Algorithm::Direct, isPowerOfTwo(shape.layout.size()) ? Algorithm::HalvingDoubling : Algorithm::Circulant}) {
        if (const double cost = costOf(algorithm); cost < least) {
            least = cost;
            known->second = algorithm;
        }
    }
    return known->second;
}

} // namespace fabricscope
