// A half of the NPUs that few cables join to the others: what a bisection is at most. Nothing says that it is the best.
#include "core/platform/fabric/figures.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostHalvedCables = std::int64_t{1} << 21;
constexpr std::int64_t kLeastLooks = 8; ///< At all nodes and cables, for one half without swaps.
constexpr int kMostSweeps = 16; ///< Of switches to their cheaper side, and of swaps.

class HalfFinder {
public:
    HalfFinder(const Fabric& fabric, const std::stop_token& stop, std::int64_t most) : m_stop(stop), m_npus(fabric.npus()), m_axes(fabric.axes()), m_left(most), m_begin(at(fabric.nodes()) + 1)
    {
        const std::vector<FabricCable>& cables = fabric.cables(stop);
        std::int64_t common = toBandwidth(fabric.networkBandwidth()).bytesPerSecond;
        std::vector<std::int64_t> rates;
        for (const FabricCable& cable : cables) {
            rates.push_back(toBandwidth(fabric.bandwidth(cable)).bytesPerSecond);
            common = std::gcd(common, rates.back());
            ++m_begin[at(cable.lower.node) + 1];
            ++m_begin[at(cable.upper.node) + 1];
        }
        common = std::max<std::int64_t>(common, 1);
        m_network = toBandwidth(fabric.networkBandwidth()).bytesPerSecond / common;
        std::partial_sum(m_begin.begin(), m_begin.end(), m_begin.begin());
        m_edges.resize(2 * cables.size());
        std::vector<std::int64_t> next(m_begin.begin(), m_begin.end() - 1);
        WideCount total = 0;
        for (std::size_t i = 0; i < cables.size(); ++i) {
            const std::int64_t weight = rates[i] / common;
            total += weight;
            m_edges[at(next[at(cables[i].lower.node)]++)] = {cables[i].upper.node, weight};
            m_edges[at(next[at(cables[i].upper.node)]++)] = {cables[i].lower.node, weight};
        }
        m_fits = total <= INT64_MAX / 4 && m_network > 0;
    }
    /// Sums of weights fit, and one half at least may be looked at.
    bool fits() const { return m_fits && kLeastLooks * look() <= m_left; }
    std::int64_t network() const { return m_network; }

    std::int64_t best()
    {
        std::vector<std::int32_t> order(at(m_npus));
        std::iota(order.begin(), order.end(), 0);
        std::int64_t least = std::min(cutOf(order), ownCables());
        for (std::int32_t start = 0, turn = 0; turn < 2 && m_left >= kLeastLooks * look(); ++turn) {
            order = inBreadth(start);
            start = order.back();
            least = std::min(least, cutOf(order));
        }
        std::int64_t stride = 1;
        for (const NpuAxis& axis : m_axes) {
            // Along the last one they lie by their number.
            if (axis.size > 1 && stride * axis.size < m_npus && m_left >= kLeastLooks * look())
                least = std::min(least, cutOf(along(stride, axis.size)));
            stride *= axis.size;
        }
        return least;
    }

private:
    struct Edge {
        std::int32_t to = 0;
        std::int64_t weight = 0;
    };
    std::span<const Edge> of(std::int32_t node) const
    {
        return std::span(m_edges).subspan(at(m_begin[at(node)]), at(m_begin[at(node) + 1] - m_begin[at(node)]));
    }
    std::int32_t nodes() const { return static_cast<std::int32_t>(m_begin.size()) - 1; }
    /// What one look at all costs.
    std::int64_t look() const { return static_cast<std::int64_t>(m_begin.size() + m_edges.size()); }
    bool mayLook()
    {
        m_left -= look();
        return m_left >= 0;
    }

    /// NPUs by their place along an axis, those of one place by their number.
    std::vector<std::int32_t> along(std::int64_t stride, std::int64_t size) const
    {
        std::vector<std::int32_t> order(at(m_npus));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](std::int32_t npu) { return npu / stride % size; });
        return order;
    }

    /// NPUs as a search from one meets them; those it does not meet come last.
    std::vector<std::int32_t> inBreadth(std::int32_t start) const
    {
        std::vector<bool> seen(at(nodes()));
        std::vector<std::int32_t> queue{start};
        std::vector<std::int32_t> order;
        seen[at(start)] = true;
        for (std::size_t i = 0; i < queue.size(); ++i) {
            if (queue[i] < m_npus)
                order.push_back(queue[i]);
            for (const Edge& edge : of(queue[i])) {
                if (!seen[at(edge.to)]) {
                    seen[at(edge.to)] = true;
                    queue.push_back(edge.to);
                }
            }
        }
        for (std::int32_t npu = 0; npu < m_npus; ++npu) {
            if (!seen[at(npu)])
                order.push_back(npu);
        }
        return order;
    }

    /// The cut where all switches stand with the other half: the cables of the NPUs that have the fewest, at most.
    std::int64_t ownCables() const
    {
        std::vector<std::int64_t> weights(at(m_npus));
        for (std::int32_t npu = 0; npu < m_npus; ++npu) {
            for (const Edge& edge : of(npu))
                weights[at(npu)] += edge.weight;
        }
        std::sort(weights.begin(), weights.end());
        return std::accumulate(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(m_npus / 2), std::int64_t{0});
    }

    /// How much less the cut is when the node changes sides.
    std::int64_t gainOf(std::int32_t node) const
    {
        std::int64_t gain = 0;
        for (const Edge& edge : of(node))
            gain += m_side[at(edge.to)] != m_side[at(node)] ? edge.weight : -edge.weight;
        return gain;
    }

    /// Switches, nearest to NPUs first, go to the side of most of what lies below them.
    void placeSwitches()
    {
        std::vector<bool> placed(at(nodes()));
        std::vector<std::int32_t> front(at(m_npus));
        std::iota(front.begin(), front.end(), 0);
        std::vector<std::int64_t> more(at(nodes())); // weight that leads to the half
        while (!front.empty()) {
            checkStop(m_stop);
            for (const std::int32_t node : front)
                placed[at(node)] = true;
            std::vector<std::int32_t> next;
            for (const std::int32_t node : front) {
                for (const Edge& edge : of(node)) {
                    if (placed[at(edge.to)])
                        continue;
                    more[at(edge.to)] += m_side[at(node)] ? edge.weight : -edge.weight;
                    next.push_back(edge.to);
                }
            }
            std::sort(next.begin(), next.end());
            next.erase(std::unique(next.begin(), next.end()), next.end());
            for (const std::int32_t node : next)
                m_side[at(node)] = more[at(node)] > 0;
            front = std::move(next);
        }
    }

    void settleSwitches()
    {
        bool moved = true;
        for (int sweep = 0; moved && sweep < kMostSweeps && mayLook(); ++sweep) {
            checkStop(m_stop);
            moved = false;
            for (auto node = static_cast<std::int32_t>(m_npus); node < nodes(); ++node) {
                if (gainOf(node) > 0) {
                    m_side[at(node)] = !m_side[at(node)];
                    moved = true;
                }
            }
        }
    }

    /// Swaps pairs of NPUs while a swap pays by itself.
    bool swapNpus()
    {
        std::array<std::vector<std::pair<std::int64_t, std::int32_t>>, 2> sides;
        for (std::int32_t npu = 0; npu < m_npus; ++npu)
            sides[m_side[at(npu)] ? 1 : 0].emplace_back(-gainOf(npu), npu);
        for (auto& side : sides)
            std::sort(side.begin(), side.end());
        bool swapped = false;
        for (std::size_t i = 0; i < std::min(sides[0].size(), sides[1].size()) && sides[0][i].first + sides[1][i].first < 0; ++i) {
            const std::int32_t a = sides[0][i].second;
            const std::int32_t b = sides[1][i].second;
            const std::int64_t first = gainOf(a);
            m_side[at(a)] = !m_side[at(a)];
            if (first + gainOf(b) > 0) {
                m_side[at(b)] = !m_side[at(b)];
                swapped = true;
            } else {
                m_side[at(a)] = !m_side[at(a)];
            }
        }
        return swapped;
    }

    std::int64_t cutOf(const std::vector<std::int32_t>& order)
    {
        m_side.assign(at(nodes()), false);
        for (std::size_t i = 0; i < order.size() / 2; ++i)
            m_side[at(order[i])] = true;
        placeSwitches();
        settleSwitches();
        for (int sweep = 0; sweep < kMostSweeps && mayLook() && swapNpus(); ++sweep)
            settleSwitches();
        std::int64_t cut = 0;
        for (std::int32_t node = 0; node < nodes(); ++node) {
            for (const Edge& edge : of(node))
                cut += edge.to > node && m_side[at(edge.to)] != m_side[at(node)] ? edge.weight : 0;
        }
        return cut;
    }

    const std::stop_token& m_stop;
    std::int64_t m_npus;
    std::vector<NpuAxis> m_axes;
    std::int64_t m_left;               ///< May be looked at still.
    std::vector<std::int64_t> m_begin; ///< By node.
    std::vector<Edge> m_edges;
    std::int64_t m_network = 1;        ///< Weight of a cable from an NPU into the network.
    bool m_fits = true;
    std::vector<bool> m_side;          ///< By node; true: the half.
};

} // namespace

std::optional<Fraction> bisectionAtMost(const Fabric& fabric, const std::stop_token& stop, const SearchLimits& limits)
{
    if (fabric.npus() < 2)
        return Fraction{0, 1};
    if (fabric.cableCount() > std::min(kMostHalvedCables, limits.cables) || !fabric.isWirable())
        return std::nullopt;
    HalfFinder finder(fabric, stop, limits.partings);
    return finder.fits() ? std::optional(fraction(finder.best(), finder.network())) : std::nullopt;
}

} // namespace fabricscope
