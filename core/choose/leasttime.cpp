#include "core/choose/leasttime.h"

#include "core/base/axes.h"
#include "core/base/units.h"
#include "core/program/phaserules.h"

#include <algorithm>
#include <limits>

namespace fabricscope {

namespace {

constexpr LinkId kMostLinks = 1 << 20;
/// Blocks differ by a byte (times are rounded up): with blocks this large that is far below the most that is taken off a bound.
constexpr double kLeastBlock = 1024;
constexpr double kMostOff = 0.01;

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
    double after = 0; // What is sent last over the fullest link must still arrive.
    for (auto link = m_way.rbegin(); link != m_way.rend(); ++link) {
        const auto at = static_cast<std::size_t>(*link);
        after += static_cast<double>(m_platform.latency(*link).ps);
        m_load[at] += bytes * m_psPerByte[at];
        m_after[at] = m_after[at] == 0 ? after : std::min(m_after[at], after);
        m_most = std::max(m_most, m_load[at]);
    }
    m_cut = m_most * m_certain > m_enough; // Then there may be shorter ways that were not looked at.
    return !m_cut;
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
    double least = chainPs;
    for (std::size_t link = 0; link < m_load.size(); ++link)
        least = std::max(least, m_load[link] > 0 ? m_load[link] * m_certain + (m_cut ? 0 : m_after[link]) : 0);
    return least >= 1e18 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(least);
}

void LeastTime::begin(std::int64_t enoughPs, double off)
{
    if (m_psPerByte.empty()) {
        for (LinkId link = 0; link < m_platform.linkCount(); ++link)
            m_psPerByte.push_back(static_cast<double>(kPsPerSecond) / static_cast<double>(std::max<std::int64_t>(1, m_platform.bandwidth(link).bytesPerSecond)));
    }
    m_load.assign(m_psPerByte.size(), 0);
    m_after.assign(m_psPerByte.size(), 0);
    m_certain = 1 - std::min(kMostOff, off);
    m_most = 0;
    m_cut = false;
    m_enough = static_cast<double>(enoughPs);
}

std::int64_t LeastTime::ofGenerator(const GenerateRequest& request, const std::vector<NodeId>& nodes, std::int64_t bytes, std::int64_t enoughPs)
{
    if (!m_applies)
        return 0;
    const auto size = static_cast<double>(bytes);
    const auto ranks = static_cast<double>(nodes.size());
    begin(enoughPs, ranks * ranks * request.chunks / size); // There are no more blocks.
    const auto node = [&](std::int32_t position) { return nodes[static_cast<std::size_t>(position)]; };
    double chainPs = 0;
    TrafficSink sink;
    sink.chain = [&](std::span<const TrafficHop> hops) {
        double sum = 0;
        for (const TrafficHop& hop : hops) // A block that may have no byte is no message.
            sum += hop.part * size >= 1 ? hopPs(node(hop.from), node(hop.to), hop.part * size - 1) : 0;
        chainPs = std::max(chainPs, sum);
    };
    const bool large = size / ranks / request.chunks >= kLeastBlock;
    sink.flow = [&](const TrafficHop& flow) {
        return large && chainPs <= m_enough && add(node(flow.from), node(flow.to), flow.part * size);
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
    begin(enoughPs, 4.0 * program.ranks * program.chunks / static_cast<double>(bytes)); // As many bytes as messages of a rank.
    const std::vector<std::int32_t> origin(body.axes.size(), 0);
    for (std::size_t number = 0; number < body.phases.size(); ++number) {
        const PhaseTemplate& phase = body.phases[number];
        const auto axis = static_cast<std::size_t>(phase.axis);
        const std::int32_t extent = body.axes[axis];
        const std::int64_t held = heldBytes(body.axes, body.phases, number, bytes, origin);
        const std::int32_t stride = strideOf(body.axes, phase.axis);
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
