#include "core/choose/leasttime.h"

#include "core/base/units.h"
#include "core/program/phaserules.h"

#include <algorithm>
#include <limits>

namespace fabricscope {

namespace {

constexpr LinkId kMostLinks = 1 << 20;
/// Blocks differ by a byte and times are rounded to ps: with blocks this large both stay far below the share that is taken off a bound.
constexpr double kLeastBlock = 1024;
constexpr double kCertain = 0.99;

} // namespace

LeastTime::LeastTime(Model model, const Platform& platform, const Params& params)
    : m_platform(platform)
    , m_applies((model == Model::Links || model == Model::Flow) && !platform.isExplicit() && !params.network && platform.linkCount() <= kMostLinks)
{
}

bool LeastTime::add(NodeId from, NodeId to, double bytes)
{
    m_way.clear();
    m_platform.route(from, to, m_way);
    for (const LinkId link : m_way) {
        double& load = m_load[static_cast<std::size_t>(link)];
        load += bytes * m_psPerByte[static_cast<std::size_t>(link)];
        m_most = std::max(m_most, load);
    }
    return m_most * kCertain <= m_enough;
}

double LeastTime::hopPs(NodeId from, NodeId to, double bytes)
{
    m_way.clear();
    m_platform.route(from, to, m_way);
    double latency = 0;
    double slowest = 0;
    for (const LinkId link : m_way) {
        latency += static_cast<double>(m_platform.latency(link).ps);
        slowest = std::max(slowest, m_psPerByte[static_cast<std::size_t>(link)]);
    }
    return latency + slowest * bytes;
}

std::int64_t LeastTime::found(double chainPs) const
{
    const double least = std::max(chainPs, m_most) * kCertain;
    return least >= 1e18 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(least);
}

void LeastTime::begin(std::int64_t enoughPs)
{
    if (m_psPerByte.empty()) {
        for (LinkId link = 0; link < m_platform.linkCount(); ++link)
            m_psPerByte.push_back(static_cast<double>(kPsPerSecond) / static_cast<double>(std::max<std::int64_t>(1, m_platform.bandwidth(link).bytesPerSecond)));
    }
    m_load.assign(m_psPerByte.size(), 0);
    m_most = 0;
    m_enough = static_cast<double>(enoughPs);
}

std::int64_t LeastTime::ofGenerator(const GenerateRequest& request, const std::vector<NodeId>& nodes, std::int64_t bytes, std::int64_t enoughPs)
{
    if (!m_applies)
        return 0;
    begin(enoughPs);
    const auto node = [&](std::int32_t position) { return nodes[static_cast<std::size_t>(position)]; };
    const auto size = static_cast<double>(bytes);
    double chainPs = 0;
    TrafficSink sink;
    sink.chain = [&](std::span<const TrafficHop> hops) {
        double sum = 0;
        for (const TrafficHop& hop : hops) // A block that may have no byte is no message.
            sum += hop.part * size >= 1 ? hopPs(node(hop.from), node(hop.to), hop.part * size - 1) : 0;
        chainPs = std::max(chainPs, sum);
    };
    const bool large = size / static_cast<double>(nodes.size()) / request.chunks >= kLeastBlock;
    sink.flow = [&](const TrafficHop& flow) {
        return large && chainPs * kCertain <= m_enough && add(node(flow.from), node(flow.to), flow.part * size);
    };
    if (!generatedTraffic(request, sink))
        return 0;
    return found(chainPs);
}

std::int64_t LeastTime::ofTemplate(const Program& program, const GroupLayout& layout, const Placement& placement, std::int64_t bytes, std::int64_t enoughPs)
{
    const TemplateBody& body = program.asTemplate();
    if (!m_applies || !body.orders.empty() || bytes / program.ranks / program.chunks < static_cast<std::int64_t>(kLeastBlock))
        return 0;
    for (const PhaseTemplate& phase : body.phases) {
        if (phase.algorithm == Algorithm::InNetwork || phase.kind == PhaseKind::Broadcast)
            return 0;
    }
    begin(enoughPs);
    const std::vector<std::int32_t> origin(body.axes.size(), 0);
    for (std::size_t number = 0; number < body.phases.size(); ++number) {
        const PhaseTemplate& phase = body.phases[number];
        const auto axis = static_cast<std::size_t>(phase.axis);
        const std::int32_t extent = body.axes[axis];
        const std::int64_t held = heldBytes(body.axes, body.phases, number, bytes, origin);
        std::int32_t stride = 1;
        for (std::size_t lower = 0; lower < axis; ++lower)
            stride *= body.axes[lower];
        const auto node = [&](std::int32_t position) { return placement.nodeOf(layout.rankAt(position * stride)); };
        const PhaseRules rules(phase, extent);
        for (std::int32_t r = 0; r < extent; ++r) {
            for (std::int32_t index = 0; index < rules.sendCount(r); ++index) {
                const PhaseRules::Message message = rules.send(r, index, held);
                if (!add(node(r), node(message.peer), static_cast<double>(message.bytes)))
                    return found(0);
            }
        }
    }
    return found(0);
}

} // namespace fabricscope
