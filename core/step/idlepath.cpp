#include "core/step/idlepath.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Rate M of the reducer of one node; 0: reductions take no time.
std::int64_t reducerRate(const Scenario& scenario, NodeId node)
{
    std::int64_t rate = scenario.params->reducerRate ? scenario.params->reducerRate->bytesPerSecond : 0;
    for (const NpuOverride& change : scenario.structure->platform.spec().npuOverrides) {
        if (change.node == node && change.memoryBandwidth)
            rate = toBandwidth(*change.memoryBandwidth).bytesPerSecond;
    }
    return rate;
}

std::int64_t reductionTime(std::int64_t bytes, std::int32_t buffers, std::int64_t rate)
{
    if (rate <= 0)
        return 0;
    __extension__ using Wide = __int128;
    const Wide work = Wide{bytes} * (buffers + 2) * kPsPerSecond;
    const Wide speed = Wide{buffers} * rate;
    return static_cast<std::int64_t>((work + speed - 1) / speed);
}

/// One of the places a message passes: the end of the work committed to it, and what all bytes up to the last piece cost there.
struct Server {
    std::int64_t committed = 0;
    std::int64_t charged = 0;

    /// Serves the next piece, with which everything so far costs `total`.
    std::int64_t serve(std::int64_t from, std::int64_t total)
    {
        committed = std::max(committed, from) + total - charged;
        charged = total;
        return committed;
    }
};

} // namespace

IdlePath idlePath(const Scenario& scenario, NodeId source, NodeId target, std::int64_t bytes, std::int32_t reduceBuffers)
{
    const Structure& structure = *scenario.structure;
    const CostTable& costs = *scenario.costs;
    IdlePath path;
    if (source == target)
        return path;
    structure.platform.route(source, target, path.route);
    std::vector<ResourceClass> classes;
    for (const LinkId link : path.route) {
        classes.push_back(structure.classOf(link));
        path.latency += costs.latency(classes.back());
        const std::int64_t rate = scenario.params->linkRate[static_cast<std::size_t>(classes.back())].bytesPerSecond;
        path.slowestRate = path.slowestRate == 0 ? rate : std::min(path.slowestRate, rate);
    }

    const bool ideal = scenario.model == Model::Ideal;
    const std::int64_t piece = ideal ? bytes : scenario.params->pieceBytes;
    const bool injects = costs.hasInjection() && !ideal;
    const bool ejects = costs.hasEjection() && !ideal;
    const std::int64_t reducer = reduceBuffers > 0 ? reducerRate(scenario, target) : 0;
    std::vector<Server> links(classes.size());
    Server injection;
    Server ejection;
    Server reduction;
    for (std::int64_t begin = 0; begin < bytes; begin += piece) {
        const std::int64_t sofar = std::min(begin + piece, bytes);
        const std::int64_t start = links[0].committed;
        std::int64_t head = start;
        std::int64_t tail = start;
        for (std::size_t hop = 0; hop < classes.size(); ++hop) {
            const std::int64_t latency = costs.latency(classes[hop]);
            tail = std::max(links[hop].serve(head, costs.occupancy(classes[hop], sofar)), tail) + latency;
            head += latency;
            if (hop == 0 && injects)
                tail = std::max(tail, injection.serve(start, costs.injection(sofar)) + latency);
        }
        if (ejects)
            tail = std::max(tail, ejection.serve(head, costs.ejection(sofar)));
        path.arrival = tail;
        path.done = reducer > 0 ? std::max(tail, reduction.serve(head, reductionTime(sofar, reduceBuffers, reducer))) : tail;
    }
    path.ownLink = links[0].committed;
    return path;
}

} // namespace fabricscope
