#include "core/scenario/scenario.h"

#include "core/base/index.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace fabricscope {

std::int32_t GroupLayout::size() const
{
    if (!list.empty())
        return static_cast<std::int32_t>(list.size());
    std::int32_t product = 1;
    for (const std::int32_t extent : extents)
        product *= extent;
    return product;
}

std::int32_t GroupLayout::rankAt(std::int32_t position) const
{
    if (!list.empty())
        return list[at(position)];
    std::int64_t rank = base;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        rank += position % extents[axis] * strides[axis];
        position /= extents[axis];
    }
    return static_cast<std::int32_t>(rank);
}

std::int32_t GroupLayout::positionOf(std::int32_t rank) const
{
    if (!list.empty()) {
        const auto found = std::find(list.begin(), list.end(), rank);
        return found == list.end() ? -1 : static_cast<std::int32_t>(found - list.begin());
    }

    // Strides of different axes do not overlap, so the widest axis can be taken off first.
    std::vector<std::size_t> order(extents.size());
    for (std::size_t axis = 0; axis < order.size(); ++axis)
        order[axis] = axis;
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
    std::int64_t rest = rank - base;
    std::vector<std::int64_t> coordinates(extents.size(), 0);
    for (const std::size_t axis : order) {
        if (rest < 0 || strides[axis] <= 0)
            return -1;
        coordinates[axis] = std::min<std::int64_t>(rest / strides[axis], extents[axis] - 1);
        rest -= coordinates[axis] * strides[axis];
    }
    if (rest != 0)
        return -1;
    std::int64_t position = 0;
    std::int64_t weight = 1;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        position += coordinates[axis] * weight;
        weight *= extents[axis];
    }
    return static_cast<std::int32_t>(position);
}

std::int32_t Structure::instanceOf(std::int32_t rank, TaskIndex task) const
{
    const RankGraph& graph = workload->graph(rank);
    const auto family = static_cast<std::size_t>(graph.family[at(task)]);
    if (ordinalsOfRank.empty() || family >= instanceBase.size())
        return -1;
    const Ordinals& ordinals = ordinalsOfRank[ordinalsOfRank.size() == 1 ? 0 : static_cast<std::size_t>(rank)];
    if (!ordinals || static_cast<std::size_t>(task) >= ordinals->size())
        return -1;
    const std::int32_t ordinal = (*ordinals)[at(task)];
    if (ordinal < 0)
        return -1;
    const GroupFamily::Membership membership = workload->families[family].membership(rank);
    if (membership.size == 0)
        return -1;
    return instanceBase[family][at(membership.group)] + ordinal;
}

ResourceClass Structure::classOf(LinkId link) const
{
    const auto dimensions = static_cast<ResourceClass>(platform.dimensions().size());
    if (platform.isExplicit() && figureClasses == 0)
        return dimensions + static_cast<ResourceClass>(link);
    if (!classedLinks.empty()) {
        const auto found = std::lower_bound(classedLinks.begin(), classedLinks.end(), link);
        if (found != classedLinks.end() && *found == link)
            return dimensions + figureClasses + static_cast<ResourceClass>(found - classedLinks.begin());
    }
    if (platform.isExplicit())
        return dimensions + static_cast<ResourceClass>(platform.spec().links.figuresOf(static_cast<std::size_t>(link)));
    return platform.linkInfo(link).dimension;
}

CostTable::Rate::Rate(std::int64_t bytesPerSecond) : m_rate(bytesPerSecond)
{
    if (bytesPerSecond <= 0)
        return;
    const std::int64_t common = std::gcd(kPsPerSecond, bytesPerSecond);
    m_ps = kPsPerSecond / common;
    m_bytes = bytesPerSecond / common;
    m_narrow = (INT64_MAX - m_bytes) / m_ps; // Rounding up adds m_bytes first.
}

CostTable::CostTable(const Params& params)
    : m_injection(params.injection ? params.injection->bytesPerSecond : 0), m_ejection(params.ejection ? params.ejection->bytesPerSecond : 0)
{
    assert(params.linkRate.size() == params.linkLatency.size());
    for (const Bandwidth rate : params.linkRate)
        m_links.emplace_back(rate.bytesPerSecond);
    for (const SimTime latency : params.linkLatency)
        m_latency.push_back(std::max<std::int64_t>(latency.ps, 1)); // No cycle of events may take no time.
    for (const auto& [node, rate] : params.crossbars)
        m_crossbars.emplace_back(rate.bytesPerSecond);
    m_reducer = params.reducerRate ? params.reducerRate->bytesPerSecond : 0;
}

std::int64_t CostTable::reduction(std::int64_t bytes, std::int32_t k) const
{
    if (m_reducer <= 0)
        return 0;
    __extension__ using Wide = __int128;
    const Wide work = Wide{bytes} * (k + 2) * kPsPerSecond;
    const Wide rate = Wide{k} * m_reducer;
    return static_cast<std::int64_t>((work + rate - 1) / rate);
}

} // namespace fabricscope
