#include "core/scenario/chunkorders.h"

#include "core/base/index.h"
#include "core/program/phaserules.h"
#include "core/scenario/minimax.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace fabricscope {

namespace {

using Order = std::vector<std::int32_t>;

Order ascending(std::size_t axes)
{
    Order order(axes);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

ChunkOrders oneOrder(Order order)
{
    ChunkOrders result;
    result.orders.push_back(std::move(order));
    return result;
}

ChunkOrders themis(const std::vector<AxisLoad>& axes, std::int64_t chunkBytes, std::int32_t chunks)
{
    std::vector<std::int64_t> load;
    for (const AxisLoad& axis : axes)
        load.push_back(axis.latency);
    ChunkOrders result = oneOrder(ascending(axes.size()));
    std::map<Order, std::uint16_t> known{{result.orders[0], std::uint16_t{0}}};
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
        Order order = result.orders[0];
        const auto [least, most] = std::minmax_element(load.begin(), load.end());
        const std::int64_t threshold = axes[at(least - load.begin())].of(chunkBytes) / 16;
        if (*most - *least >= threshold)
            std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return load[at(a)] < load[at(b)]; });
        const std::vector<std::int64_t> added = loadsOf(axes, order, chunkBytes);
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            load[axis] += added[axis];
        const auto [entry, isNew] = known.try_emplace(order, static_cast<std::uint16_t>(result.orders.size()));
        if (isNew)
            result.orders.push_back(std::move(order));
        result.orderOfChunk.push_back(entry->second);
    }
    return result;
}

/// So many chunks for every share, at least one each, and the rest where the chunks are largest.
std::vector<std::int32_t> apportion(const std::vector<double>& shares, std::int32_t chunks)
{
    std::vector<std::int32_t> counts(shares.size(), 1);
    for (std::int32_t given = static_cast<std::int32_t>(shares.size()); given < chunks; ++given) {
        std::size_t largest = 0;
        for (std::size_t i = 1; i < shares.size(); ++i) {
            if (shares[i] / counts[i] > shares[largest] / counts[largest])
                largest = i;
        }
        ++counts[largest];
    }
    return counts;
}

ChunkOrders exact(const std::vector<AxisLoad>& axes, std::int64_t bytes, std::int32_t chunks)
{
    std::vector<Order> orders;
    std::vector<std::vector<double>> rows;
    Order order = ascending(axes.size());
    do {
        orders.push_back(order);
        rows.emplace_back();
        for (const std::int64_t load : loadsOf(axes, order, bytes))
            rows.back().push_back(static_cast<double>(load));
    } while (std::next_permutation(order.begin(), order.end()));
    const std::vector<double> weights = minimaxWeights(rows);

    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (weights[i] > 1e-9)
            used.push_back(i);
    }
    std::stable_sort(used.begin(), used.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    used.resize(std::min(used.size(), static_cast<std::size_t>(chunks)));
    std::vector<double> shares;
    for (const std::size_t i : used)
        shares.push_back(weights[i]);
    const std::vector<std::int32_t> counts = apportion(shares, chunks);

    ChunkOrders result;
    std::vector<std::int64_t> weightOf;
    for (std::size_t k = 0; k < used.size(); ++k) {
        result.orders.push_back(orders[used[k]]);
        weightOf.push_back(std::max<std::int64_t>(1, std::llround(std::ldexp(shares[k] / counts[k], 30))));
    }
    std::vector<std::int32_t> given(used.size(), 0);
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) { // the order that is furthest behind its part is next
        std::size_t next = 0;
        for (std::size_t k = 1; k < used.size(); ++k) {
            if ((2 * std::int64_t{given[k]} + 1) * counts[next] < (2 * std::int64_t{given[next]} + 1) * counts[k])
                next = k;
        }
        ++given[next];
        result.orderOfChunk.push_back(static_cast<std::uint16_t>(next));
        result.weights.push_back(weightOf[next]);
    }
    return result;
}

} // namespace

std::int64_t AxisLoad::of(std::int64_t held) const
{
    return bytes > 0 ? mulDivCeil(held, ps, bytes) : 0;
}

AxisLoad axisLoad(const PhaseTemplate& phase, std::int32_t extent, const AxisLinks& links)
{
    const PhaseRules rules(phase, extent);
    const Shape shape = links.shape;
    AxisLoad load;
    load.extent = extent;
    load.bytes = std::int64_t{extent} << 20;
    std::int64_t forward = 0;  // byte hops of a ring
    std::int64_t backward = 0;
    std::int64_t toOne = 0;
    std::int64_t sum = 0;
    std::map<std::int32_t, std::int64_t> toPeer;
    std::map<std::int32_t, std::int64_t> hopsOfStep;
    for (std::int32_t index = 0; index < rules.sendCount(0); ++index) {
        const PhaseRules::Message message = rules.send(0, index, load.bytes);
        const bool ahead = message.peer <= extent - message.peer;
        const std::int64_t hops = ahead ? message.peer : extent - message.peer;
        (ahead ? forward : backward) += message.bytes * hops;
        sum += message.bytes;
        toOne = std::max(toOne, toPeer[message.peer] += message.bytes);
        std::int64_t& most = hopsOfStep[message.step];
        most = std::max(most, shape == Shape::Ring ? hops : shape == Shape::Switch ? 2 : 1);
    }
    const std::int64_t busiest = shape == Shape::Ring ? std::max(forward, backward) : shape == Shape::FullyConnected ? toOne : sum;
    load.ps = links.rate > 0 ? mulDivCeil(busiest, kPsPerSecond, links.rate) : busiest;
    for (const auto& [step, hops] : hopsOfStep)
        load.latency += hops * links.hopLatency;
    return load;
}

AxisLoad axisLoad(const PhaseTemplate& phase, std::int32_t extent, const Platform& platform, std::int32_t dimension)
{
    if (dimension < 0)
        return axisLoad(phase, extent, AxisLinks{});
    const Dimension& along = platform.dimensions()[at(dimension)];
    return axisLoad(phase, extent, {along.shape, along.linkBandwidth().bytesPerSecond, along.linkLatency().ps});
}

std::vector<std::int64_t> loadsOf(const std::vector<AxisLoad>& axes, const std::vector<std::int32_t>& order, std::int64_t bytes)
{
    std::vector<std::int64_t> loads(axes.size());
    for (const std::int32_t axis : order) {
        const AxisLoad& load = axes[at(axis)];
        loads[at(axis)] = load.of(bytes);
        bytes = (bytes + load.extent - 1) / load.extent;
    }
    return loads;
}

Result<ChunkOrders> orderChunks(DimensionScheduler scheduler, const std::vector<AxisLoad>& axes, std::int64_t chunkBytes, std::int32_t chunks)
{
    Order order = ascending(axes.size());
    switch (scheduler) {
    case DimensionScheduler::Baseline:
        break;
    case DimensionScheduler::LocalBandwidth: {
        // n-1/n of what is held goes over the busiest link of a switch: times n/(n-1) this is what its bandwidth would take for all.
        const auto perByte = [&](std::int32_t axis) {
            const AxisLoad& load = axes[at(axis)];
            return mulDivCeil(load.of(std::int64_t{1} << 40), load.extent, load.extent - 1);
        };
        std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return perByte(a) < perByte(b); });
        break;
    }
    case DimensionScheduler::Themis:
        return themis(axes, chunkBytes, chunks);
    case DimensionScheduler::Exact:
        if (axes.size() > kMostExactAxes) {
            return Error{ErrorCode::Unsupported, "scheduling.dimensions: exact tries all orders of the dimensions of a group, and " + std::to_string(axes.size()) + " are too many", {},
                         "at most " + std::to_string(kMostExactAxes) + " dimensions, or themis"};
        }
        return exact(axes, std::max<std::int64_t>(chunkBytes, 1) * chunks, chunks);
    }
    return oneOrder(std::move(order));
}

} // namespace fabricscope
