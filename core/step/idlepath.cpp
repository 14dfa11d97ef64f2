#include "core/step/idlepath.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>

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

/// What a message needs at each place it passes.
class Costs {
public:
    Costs(const Scenario& scenario, NodeId target, std::int32_t reduceBuffers)
        : m_scenario(scenario)
        , m_table(*scenario.costs)
        , m_buffers(reduceBuffers)
        , m_reducer(reduceBuffers > 0 ? reducerRate(scenario, target) : 0)
    {
    }

    const CostTable& table() const { return m_table; }
    ResourceClass classOf(LinkId link) const { return m_scenario.structure->classOf(link); }
    bool isIdeal() const { return m_scenario.model == Model::Ideal; }
    bool injects() const { return m_table.hasInjection() && !isIdeal(); }
    bool ejects() const { return m_table.hasEjection() && !isIdeal(); }
    bool reduces() const { return m_reducer > 0; }
    std::int64_t rate(LinkId link) const { return m_scenario.params->linkRate[at(classOf(link))].bytesPerSecond; }
    std::int64_t latency(LinkId link) const { return m_table.latency(classOf(link)); }
    std::int64_t latency(std::span<const LinkId> links) const
    {
        std::int64_t sum = 0;
        for (const LinkId link : links)
            sum += latency(link);
        return sum;
    }
    std::int64_t occupancy(LinkId link, std::int64_t bytes) const { return m_table.occupancy(classOf(link), bytes); }
    std::int64_t injection(std::int64_t bytes) const { return m_table.injection(bytes); }
    std::int64_t ejection(std::int64_t bytes) const { return m_table.ejection(bytes); }
    std::int64_t reduction(std::int64_t bytes) const { return reductionTime(bytes, m_buffers, m_reducer); }

private:
    const Scenario& m_scenario;
    const CostTable& m_table;
    std::int32_t m_buffers;
    std::int64_t m_reducer;
};

/// All bytes go over path.route: piece after piece.
void goOneWay(const Costs& costs, std::int64_t bytes, std::int64_t piece, IdlePath& path)
{
    std::vector<ResourceClass> classes;
    for (const LinkId link : path.route)
        classes.push_back(costs.classOf(link));
    std::vector<Server> links(classes.size());
    Server injection;
    Server ejection;
    Server reduction;
    for (std::int64_t begin = 0; begin < bytes; begin += piece) {
        const std::int64_t sofar = std::min(begin + piece, bytes);
        const std::int64_t start = links[0].committed;
        std::int64_t head = start;
        std::int64_t tail = start;
        for (std::size_t hop = 0; hop < links.size(); ++hop) {
            const std::int64_t latency = costs.table().latency(classes[hop]);
            tail = std::max(links[hop].serve(head, costs.table().occupancy(classes[hop], sofar)), tail) + latency;
            head += latency;
            if (hop == 0 && costs.injects())
                tail = std::max(tail, injection.serve(start, costs.injection(sofar)) + latency);
        }
        if (costs.ejects())
            tail = std::max(tail, ejection.serve(head, costs.ejection(sofar)));
        path.arrival = tail;
        path.done = costs.reduces() ? std::max(tail, reduction.serve(head, costs.reduction(sofar))) : tail;
    }
    path.ownLink = links[0].committed;
}

/// Bytes [begin, end) of a message and the links they cross.
struct Share {
    std::int64_t begin;
    std::int64_t end;
    std::span<const LinkId> links;
};

/// No order of their bytes gets these shares there earlier: every place they pass works off all they bring, not before the first head can be there, and
/// from there the last byte has a way to go.
void needAtLeast(const Costs& costs, std::span<const Share> shares, IdlePath& path)
{
    struct Work {
        std::int64_t before = INT64_MAX; ///< Shortest way to the link ...
        std::int64_t after = INT64_MAX;  ///< ... and from its begin to the end.
        std::int64_t work = 0;
        bool own = false;
    };
    std::map<LinkId, Work> links;
    std::int64_t shortest = INT64_MAX;
    std::int64_t injected = 0;
    std::int64_t ejected = 0;
    std::int64_t reduced = 0;
    const auto share = [](const Share& of, auto&& cost) { return cost(of.end) - cost(of.begin); };
    for (const Share& part : shares) {
        const std::int64_t all = costs.latency(part.links);
        shortest = std::min(shortest, all);
        injected += costs.injects() ? share(part, [&](std::int64_t bytes) { return costs.injection(bytes); }) : 0;
        ejected += costs.ejects() ? share(part, [&](std::int64_t bytes) { return costs.ejection(bytes); }) : 0;
        reduced += costs.reduces() ? share(part, [&](std::int64_t bytes) { return costs.reduction(bytes); }) : 0;
        std::int64_t before = 0;
        for (const LinkId link : part.links) {
            Work& work = links[link];
            work.own = work.own || link == part.links.front();
            work.before = std::min(work.before, before);
            work.after = std::min(work.after, all - before);
            work.work += share(part, [&](std::int64_t bytes) { return costs.occupancy(link, bytes); });
            before += costs.latency(link);
        }
    }
    path.arrival = std::max({path.arrival, shortest + injected, shortest + ejected});
    for (const auto& [link, work] : links) {
        path.arrival = std::max(path.arrival, work.before + work.work + work.after);
        if (work.own)
            path.ownLink = std::max(path.ownLink, work.work);
    }
    path.done = std::max({path.done, path.arrival, shortest + reduced});
}

/// The way that most of the bytes take.
std::vector<LinkId> widestOf(std::span<const TakenWay> ways)
{
    std::map<std::vector<LinkId>, std::int64_t> bytes;
    std::int64_t begin = 0;
    for (const TakenWay& way : ways) {
        bytes[way.links] += way.end - begin;
        begin = way.end;
    }
    const TakenWay* widest = &ways.front();
    for (const TakenWay& way : ways) {
        if (bytes[way.links] > bytes[widest->links])
            widest = &way;
    }
    return widest->links;
}

} // namespace

IdlePath idlePath(const Scenario& scenario, NodeId source, NodeId target, std::int64_t bytes, std::int32_t reduceBuffers, std::span<const TakenWay> ways)
{
    IdlePath path;
    if (source == target)
        return path;
    if (ways.empty())
        scenario.structure->platform.route(source, target, path.route);
    else
        path.route = widestOf(ways);
    const Costs costs(scenario, target, reduceBuffers);
    path.latency = costs.latency(path.route);
    for (const LinkId link : path.route)
        path.slowestRate = path.slowestRate == 0 ? costs.rate(link) : std::min(path.slowestRate, costs.rate(link));
    if (ways.size() <= 1) {
        goOneWay(costs, bytes, costs.isIdeal() ? bytes : scenario.params->pieceBytes, path);
        return path;
    }
    std::vector<Share> shares;
    for (const TakenWay& way : ways)
        shares.push_back({shares.empty() ? 0 : shares.back().end, way.end, way.links});
    needAtLeast(costs, shares, path);
    for (const Share& share : shares)
        needAtLeast(costs, std::span(&share, 1), path);
    return path;
}

} // namespace fabricscope
