#pragma once

#include "core/platform/platform.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope::test {

/// Explicit graphs (manual: synthesis 7), and plain ones. Latencies 1 ps where nothing is said.
class GraphMaker {
public:
    /// Nodes "gpu0".. and then "switch0"..
    GraphMaker(std::int32_t npus, std::int32_t switches);
    void oneWay(std::int32_t from, std::int32_t to, double gigabytesPerSecond, double latencyNs = 0);
    void bothWays(std::int32_t a, std::int32_t b, double gigabytesPerSecond, double latencyNs = 0);
    const PlatformSpec& spec() const { return m_spec; }
    Platform platform() const;

private:
    PlatformSpec m_spec;
};

/// The 8 GPUs of a DGX-1: with double links (V, 25 GB/s a link) or without (P, 20 GB/s).
Platform dgx1(bool v100);
/// Chassis of 8 GPUs: 2 joined directly, or 4 by a switch. manual: synthesis 7.
Platform ndv2(std::int32_t chassis);
/// Two chassis of 16 GPUs on a switch each. manual: synthesis 7.
Platform dgx2Pair();
/// manual: synthesis 7.
Platform a100(std::int32_t nodes);
Platform mi250(std::int32_t nodes);
/// Grid without wrap-around, `sides[0]` fastest.
Platform mesh(const std::vector<std::int32_t>& sides, double gigabytesPerSecond, double latencyNs);
/// NPUs in all of them.
std::vector<NodeId> allNpus(const Platform& platform);

} // namespace fabricscope::test
