#include "core/scenario/stepcosts.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/program/phaserules.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kPsPerSecond = 1e12;

/// Adds up what messages put on links.
class Load {
public:
    Load(const Platform& platform, const BalancedWays& ways) : m_platform(platform), m_ways(ways) {}

    /// A message of `part` of the bytes of the collective.
    void add(NodeId from, NodeId to, double part)
    {
        m_way.clear();
        m_ways.route(from, to, m_way);
        double latency = 0;
        for (const LinkId link : m_way) {
            m_parts[link] += part;
            m_all[link] += part;
            latency += static_cast<double>(m_platform.latency(link).ps);
        }
        m_latency = std::max(m_latency, latency);
        m_latencies += latency;
    }
    StepCosts::Step take(std::int64_t times)
    {
        const double most = fullestOf(m_parts);
        m_parts.clear();
        m_latencies = 0;
        return {std::exchange(m_latency, 0), most, times};
    }
    double latencies() const { return m_latencies; }
    /// Of all that was added.
    double fullest() const { return fullestOf(m_all); }

private:
    double fullestOf(const std::map<LinkId, double>& parts) const
    {
        double most = 0;
        for (const auto& [link, part] : parts)
            most = std::max(most, part * kPsPerSecond / static_cast<double>(m_platform.bandwidth(link).bytesPerSecond));
        return most;
    }

    const Platform& m_platform;
    const BalancedWays& m_ways;
    std::map<LinkId, double> m_parts; ///< Since take().
    std::map<LinkId, double> m_all;
    std::vector<LinkId> m_way;
    double m_latency = 0;   ///< The longest.
    double m_latencies = 0; ///< All together.
};

} // namespace

double StepCosts::timePs(std::int64_t bytes, std::int32_t chunks) const
{
    double busy = 0;
    double oneChunk = 0;
    for (const Step& step : steps) {
        const double load = step.psPerByte * static_cast<double>(bytes);
        busy += static_cast<double>(step.times) * load;
        oneChunk += static_cast<double>(step.times) * (step.latencyPs + load / chunks);
    }
    return std::max(busy, oneChunk);
}

double StepCosts::largePsPerByte(std::int32_t chunks) const
{
    double stepByStep = 0;
    for (const Step& step : steps)
        stepByStep += static_cast<double>(step.times) * step.psPerByte;
    return fullestPsPerByte + (stepByStep - fullestPsPerByte) / chunks;
}

StepCosts costsOf(const Program& program, std::span<const NodeId> nodes, const Platform& platform, const BalancedWays& ways, const std::stop_token& stop)
{
    struct Message {
        std::int32_t from = 0;
        std::int32_t to = 0;
        std::int32_t chunks = 0;
    };
    const ExplicitBody& body = program.asExplicit();
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Message>> byStep;
    std::int64_t pieces = 1;
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        for (std::size_t op = body.rankBegin[at(rank)]; op < body.rankBegin[at(rank) + 1]; ++op) {
            const OpTags tags = body.tagsOf(op);
            pieces = std::max<std::int64_t>(pieces, tags.instance + 1);
            if (body.kind[op] == OpKind::Send && tags.instance <= 0)
                byStep[{tags.phase, body.step[op]}].push_back({rank, body.peer[op], body.count[op]});
        }
    }
    StepCosts costs;
    Load load(platform, ways);
    const double each = static_cast<double>(pieces) / static_cast<double>(program.chunks);
    for (const auto& [step, messages] : byStep) {
        for (const Message& message : messages) {
            checkStop(stop);
            load.add(nodes[at(message.from)], nodes[at(message.to)], each * message.chunks);
        }
        costs.steps.push_back(load.take(1));
    }
    return costs;
}

StepCosts costsOfRule(Algorithm algorithm, CollectiveOp op, std::span<const NodeId> nodes, const Platform& platform, const BalancedWays& ways)
{
    const auto n = static_cast<std::int32_t>(nodes.size());
    StepCosts costs;
    Load load(platform, ways);
    for (const PhaseKind kind : {PhaseKind::ReduceScatter, PhaseKind::AllGather}) {
        if ((kind == PhaseKind::ReduceScatter && op == CollectiveOp::AllGather) || (kind == PhaseKind::AllGather && op == CollectiveOp::ReduceScatter))
            continue;
        const PhaseRules rules({kind, algorithm, 0, 0, false}, n);
        std::map<std::int32_t, std::vector<std::pair<std::int32_t, PhaseRules::Message>>> byStep;
        for (std::int32_t r = 0; r < n; ++r) {
            for (std::int32_t index = 0; index < rules.sendCount(r); ++index) {
                const PhaseRules::Message message = rules.send(r, index, n); // A byte for each block.
                byStep[message.step].emplace_back(r, message);
            }
        }
        for (const auto& [step, messages] : byStep) {
            for (const auto& [from, message] : messages)
                load.add(nodes[at(from)], nodes[at(message.peer)], static_cast<double>(message.bytes) / n);
            costs.steps.push_back(load.take(1));
        }
    }
    costs.fullestPsPerByte = load.fullest();
    return costs;
}

StepCosts costsOfRing(CollectiveOp op, std::span<const NodeId> nodes, const Platform& platform, const BalancedWays& ways)
{
    Load load(platform, ways);
    const auto n = static_cast<std::int64_t>(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        load.add(nodes[i], nodes[(i + 1) % nodes.size()], 1.0 / static_cast<double>(n));
    // What goes round takes each way in turn, not the longest every time.
    const double each = load.latencies() / static_cast<double>(n);
    StepCosts::Step step = load.take((op == CollectiveOp::AllReduce ? 2 : 1) * (n - 1));
    step.latencyPs = each;
    return {{step}};
}

} // namespace fabricscope
