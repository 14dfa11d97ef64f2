#pragma once

#include "core/base/index.h"

#include <cstdint>
#include <vector>

namespace fabricscope::test {

/// A three-level fat tree of switches with k ports (k even): k^3/4 hosts, k pods, 3 k^3 / 2 directed links, all of one rate.
/// Links are numbered: up from hosts, down to hosts, up from edge switches, down to them, up from aggregation switches, down to them.
class FatTree {
public:
    explicit FatTree(std::int32_t k) : m_half(k / 2), m_hosts(k * k * k / 4) {}

    std::int32_t hosts() const { return m_hosts; }
    std::int32_t links() const { return 6 * m_hosts; }

    /// The links from one host to another; `choice` decides among the equal ways.
    std::vector<std::int32_t> route(std::int32_t source, std::int32_t target, std::uint64_t choice) const
    {
        const std::int32_t edge = source / m_half;
        const std::int32_t targetEdge = target / m_half;
        std::vector<std::int32_t> links{source};
        if (edge != targetEdge) {
            const auto aggregation = static_cast<std::int32_t>(choice % static_cast<std::uint64_t>(m_half));
            const auto core = static_cast<std::int32_t>(choice / static_cast<std::uint64_t>(m_half) % static_cast<std::uint64_t>(m_half));
            const std::int32_t pod = edge / m_half;
            const std::int32_t targetPod = targetEdge / m_half;
            links.push_back(2 * m_hosts + edge * m_half + aggregation);
            if (pod != targetPod) {
                links.push_back(4 * m_hosts + (pod * m_half + aggregation) * m_half + core);
                links.push_back(5 * m_hosts + (targetPod * m_half + aggregation) * m_half + core);
            }
            links.push_back(3 * m_hosts + targetEdge * m_half + aggregation);
        }
        links.push_back(m_hosts + target);
        return links;
    }

private:
    std::int32_t m_half;
    std::int32_t m_hosts;
};

/// Numbers that are the same on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : m_state(seed * 0x9e3779b97f4a7c15ULL + 0x632be59bd9b4e019ULL) {}
    std::uint64_t next()
    {
        m_state += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = m_state;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
        return z ^ z >> 31;
    }
    /// 0..bound-1.
    std::int64_t below(std::int64_t bound) { return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound)); }

private:
    std::uint64_t m_state;
};

/// A permutation of 0..count-1.
inline std::vector<std::int32_t> permutation(std::int32_t count, Random& random)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(count));
    for (std::int32_t i = 0; i < count; ++i) {
        const auto j = static_cast<std::size_t>(random.below(i + 1));
        order[at(i)] = order[j];
        order[j] = i;
    }
    return order;
}

} // namespace fabricscope::test
