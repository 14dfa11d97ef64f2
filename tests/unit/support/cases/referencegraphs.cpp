#include "tests/unit/support/cases/referencegraphs.h"

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace fabricscope::test {

GraphMaker::GraphMaker(std::int32_t npus, std::int32_t switches)
{
    for (std::int32_t i = 0; i < npus; ++i)
        m_spec.nodes.push_back({"gpu" + std::to_string(i), NodeKind::Npu, {}});
    for (std::int32_t i = 0; i < switches; ++i)
        m_spec.nodes.push_back({"switch" + std::to_string(i), NodeKind::Switch, {}});
}

void GraphMaker::oneWay(std::int32_t from, std::int32_t to, double gigabytesPerSecond, double latencyNs)
{
    m_spec.links.push_back({from, to, Quantity{gigabytesPerSecond, "GB/s", Measure::Bandwidth}, Quantity{latencyNs, "ns", Measure::Time}});
}

void GraphMaker::bothWays(std::int32_t a, std::int32_t b, double gigabytesPerSecond, double latencyNs)
{
    oneWay(a, b, gigabytesPerSecond, latencyNs);
    oneWay(b, a, gigabytesPerSecond, latencyNs);
}

Platform GraphMaker::platform() const
{
    Result<Platform> platform = Platform::create(m_spec);
    if (!platform) {
        std::fprintf(stderr, "%s\n", platform.error().text().c_str());
        std::abort();
    }
    return std::move(platform).value();
}

namespace {

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

void chassisOfEight(GraphMaker& graph, std::int32_t first)
{
    for (const auto& [a, b] : Pairs{{0, 1}, {0, 4}, {1, 3}, {2, 3}, {2, 6}, {4, 5}, {5, 7}, {6, 7}})
        graph.bothWays(first + a, first + b, 50, 700);
    for (const auto& [a, b] : Pairs{{0, 2}, {0, 3}, {1, 2}, {1, 5}, {3, 7}, {4, 6}, {4, 7}, {5, 6}})
        graph.bothWays(first + a, first + b, 25, 700);
}

} // namespace

Platform dgx1(bool v100)
{
    GraphMaker graph(8, 0);
    const double link = v100 ? 25 : 20;
    for (const auto& [a, b] : Pairs{{0, 1}, {0, 2}, {1, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 6}, {5, 7}})
        graph.bothWays(a, b, link);
    for (const auto& [a, b] : Pairs{{0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {4, 7}, {5, 6}, {6, 7}})
        graph.bothWays(a, b, v100 ? 2 * link : link);
    return graph.platform();
}

Platform ndv2(std::int32_t chassis)
{
    GraphMaker graph(8 * chassis, chassis > 2 ? 1 : 0);
    for (std::int32_t i = 0; i < chassis; ++i)
        chassisOfEight(graph, 8 * i);
    if (chassis == 2) {
        graph.oneWay(0, 8 + 1, 12.5, 1300);
        graph.oneWay(8, 1, 12.5, 1300);
    }
    for (std::int32_t i = 0; chassis > 2 && i < chassis; ++i) {
        graph.oneWay(8 * i, 8 * chassis, 12.5, 1300);
        graph.oneWay(8 * chassis, 8 * i + 1, 12.5, 1300);
    }
    return graph.platform();
}

Platform dgx2Pair()
{
    GraphMaker graph(32, 2);
    for (std::int32_t gpu = 0; gpu < 32; ++gpu)
        graph.bothWays(gpu, 32 + gpu / 16, 125, 350);
    for (std::int32_t i = 0; i < 8; ++i) {
        graph.oneWay(2 * i + 1, 16 + 2 * i, 12.5, 2600);
        graph.oneWay(16 + 2 * i + 1, 2 * i, 12.5, 2600);
    }
    return graph.platform();
}

Platform a100(std::int32_t nodes)
{
    const std::int32_t gpus = 8 * nodes;
    const bool network = nodes > 1;
    GraphMaker graph(gpus, nodes + (network ? gpus + 2 : 0));
    const std::int32_t firstNic = gpus + nodes;
    const std::int32_t firstSpine = firstNic + gpus;
    for (std::int32_t gpu = 0; gpu < gpus; ++gpu) {
        graph.bothWays(gpu, gpus + gpu / 8, 300);
        if (network) {
            graph.bothWays(gpu, firstNic + gpu, 25);
            graph.bothWays(firstNic + gpu, firstSpine + gpu % 2, 25);
        }
    }
    return graph.platform();
}

Platform mi250(std::int32_t nodes)
{
    const std::int32_t gpus = 16 * nodes;
    GraphMaker graph(gpus, nodes > 1 ? 1 : 0);
    for (std::int32_t node = 0; node < nodes; ++node) {
        const auto join = [&](const Pairs& pairs, double weight) {
            for (const auto& pair : pairs)
                graph.bothWays(16 * node + pair.first, 16 * node + pair.second, weight * 50);
        };
        join({{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}, 4);
        join({{0, 4}, {3, 7}, {8, 12}, {11, 15}}, 2);
        join({{0, 8}, {1, 5}, {1, 9}, {1, 10}, {2, 6}, {2, 9}, {2, 10}, {3, 11}, {4, 6}, {5, 6}, {5, 7}, {9, 13}, {10, 14}, {12, 14}, {13, 14}, {13, 15}}, 1);
    }
    for (std::int32_t gpu = 0; nodes > 1 && gpu < gpus; ++gpu)
        graph.bothWays(gpu, gpus, 16);
    return graph.platform();
}

Platform mesh(const std::vector<std::int32_t>& sides, double gigabytesPerSecond, double latencyNs)
{
    std::int32_t npus = 1;
    for (const std::int32_t side : sides)
        npus *= side;
    GraphMaker graph(npus, 0);
    std::int32_t stride = 1;
    for (const std::int32_t side : sides) {
        for (std::int32_t npu = 0; npu < npus; ++npu) {
            if (npu / stride % side + 1 < side)
                graph.bothWays(npu, npu + stride, gigabytesPerSecond, latencyNs);
        }
        stride *= side;
    }
    return graph.platform();
}

std::vector<NodeId> allNpus(const Platform& platform)
{
    std::vector<NodeId> npus(static_cast<std::size_t>(platform.npuCount()));
    std::iota(npus.begin(), npus.end(), 0);
    return npus;
}

} // namespace fabricscope::test
