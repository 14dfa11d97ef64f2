#include "core/platform/fabric/figures.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

namespace fabricscope {

namespace {

/// Neighbours of every node; one entry per cable.
struct Graph {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> neighbours;
    std::int64_t npus = 0;
    NpuForwarding forwarding = NpuForwarding::None;

    explicit Graph(const Fabric& fabric, const std::stop_token& stop) : begin(at(fabric.nodes()) + 1), npus(fabric.npus()), forwarding(fabric.forwarding())
    {
        const std::vector<FabricCable>& cables = fabric.cables(stop);
        for (const FabricCable& cable : cables) {
            ++begin[at(cable.lower.node) + 1];
            ++begin[at(cable.upper.node) + 1];
        }
        for (std::size_t i = 1; i < begin.size(); ++i)
            begin[i] += begin[i - 1];
        neighbours.resize(2 * cables.size());
        std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
        for (const FabricCable& cable : cables) {
            neighbours[at(next[at(cable.lower.node)]++)] = cable.upper.node;
            neighbours[at(next[at(cable.upper.node)]++)] = cable.lower.node;
        }
    }
    std::span<const std::int32_t> of(std::int64_t node) const
    {
        return std::span(neighbours).subspan(at(begin[at(node)]), at(begin[at(node) + 1] - begin[at(node)]));
    }
    bool isNpu(std::int64_t node) const { return node < npus; }
    /// What came to `node` goes on to some of its neighbours.
    bool passes(std::int64_t node) const { return forwarding == NpuForwarding::All || !isNpu(node); }
    std::int64_t nodes() const { return static_cast<std::int64_t>(begin.size()) - 1; }
};

struct Source {
    std::int32_t npu = 0;
    std::int64_t alike = 1; ///< How many NPUs see what it sees.
};

std::vector<Source> sourcesOf(const Graph& graph, Alike alike, const std::stop_token& stop)
{
    if (alike == Alike::All)
        return {{0, graph.npus}};
    std::vector<Source> sources;
    if (graph.forwarding != NpuForwarding::None) {
        for (std::int64_t i = 0; i < graph.npus; ++i)
            sources.push_back({static_cast<std::int32_t>(i), 1});
        return sources;
    }
    std::map<std::vector<std::int32_t>, std::size_t> seen;
    for (std::int64_t i = 0; i < graph.npus; ++i) {
        if (i % (1 << 12) == 0)
            checkStop(stop);
        std::vector<std::int32_t> key(graph.of(i).begin(), graph.of(i).end());
        std::sort(key.begin(), key.end());
        const auto [entry, isNew] = seen.emplace(std::move(key), sources.size());
        if (isNew)
            sources.push_back({static_cast<std::int32_t>(i), 1});
        else
            ++sources[entry->second].alike;
    }
    return sources;
}

/// Distances from up to 64 NPUs at once: a bit of a word for each.
class Waves {
public:
    explicit Waves(const Graph& graph) : m_graph(graph), m_seen(at(graph.nodes())), m_front(m_seen.size()), m_next(m_seen.size())
    {
        if (graph.forwarding == NpuForwarding::InHost) {
            m_seenInside.resize(at(graph.npus));
            m_nextInside.resize(m_seenInside.size());
        }
    }

    enum class Outcome : std::uint8_t { Done, NotConnected, TooMuch };

    /// Adds up what is at most so many nodes and neighbours to look at.
    Outcome run(std::span<const Source> sources, std::int64_t most, const std::stop_token& stop)
    {
        std::fill(m_seen.begin(), m_seen.end(), 0);
        std::fill(m_front.begin(), m_front.end(), 0);
        std::fill(m_seenInside.begin(), m_seenInside.end(), 0);
        WideCount reached = 0;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            m_front[at(sources[i].npu)] |= std::uint64_t{1} << i;
            m_seen[at(sources[i].npu)] |= std::uint64_t{1} << i;
            if (inHost())
                m_seenInside[at(sources[i].npu)] |= std::uint64_t{1} << i;
        }
        const bool equal = std::all_of(sources.begin(), sources.end(), [&](const Source& source) { return source.alike == sources.front().alike; });
        bool any = true;
        for (std::int64_t distance = 1; any; ++distance) {
            checkStop(stop);
            const std::int64_t pass = 2 * m_graph.nodes() + static_cast<std::int64_t>(m_graph.neighbours.size());
            if (pass > most)
                return Outcome::TooMuch;
            m_looked += pass;
            most -= pass;
            any = false;
            std::fill(m_next.begin(), m_next.end(), 0);
            std::fill(m_nextInside.begin(), m_nextInside.end(), 0);
            for (std::int64_t node = 0; node < m_graph.nodes(); ++node) {
                const std::uint64_t front = m_front[at(node)];
                if (front == 0)
                    continue;
                if (inHost() && m_graph.isNpu(node)) {
                    leaveNpu(node, front, distance == 1);
                    continue;
                }
                for (const std::int32_t neighbour : m_graph.of(node))
                    m_next[at(neighbour)] |= front;
            }
            for (std::int64_t node = 0; node < m_graph.nodes(); ++node) {
                std::uint64_t fresh = (m_next[at(node)] | (inHost() && m_graph.isNpu(node) ? m_nextInside[at(node)] : 0)) & ~m_seen[at(node)];
                m_seen[at(node)] |= fresh;
                m_front[at(node)] = inHost() && m_graph.isNpu(node) ? freshInside(node) : m_graph.passes(node) ? fresh : 0;
                any = any || m_front[at(node)] != 0;
                if (node >= m_graph.npus || fresh == 0)
                    continue;
                m_diameter = std::max(m_diameter, distance);
                WideCount weight = 0;
                if (equal)
                    weight = WideCount{std::popcount(fresh)} * sources.front().alike;
                for (; !equal && fresh != 0; fresh &= fresh - 1)
                    weight += sources[at(std::countr_zero(fresh))].alike;
                reached += weight;
                m_sum += weight * distance;
            }
        }
        WideCount wanted = 0;
        for (const Source& source : sources)
            wanted += WideCount{source.alike} * (m_graph.npus - 1);
        return reached == wanted ? Outcome::Done : Outcome::NotConnected;
    }
    std::int64_t looked() const { return m_looked; }
    std::int64_t diameter() const { return m_diameter; }
    WideCount sum() const { return m_sum; }

private:
    bool inHost() const { return !m_seenInside.empty(); }
    /// From an NPU to its siblings, from the one that sends also into the network.
    void leaveNpu(std::int64_t npu, std::uint64_t front, bool sends)
    {
        for (const std::int32_t neighbour : m_graph.of(npu)) {
            if (m_graph.isNpu(neighbour))
                m_nextInside[at(neighbour)] |= front;
            else if (sends)
                m_next[at(neighbour)] |= front;
        }
    }
    /// What came over cables of the host goes on there, also where it came sooner from the network.
    std::uint64_t freshInside(std::int64_t npu)
    {
        const std::uint64_t fresh = m_nextInside[at(npu)] & ~m_seenInside[at(npu)];
        m_seenInside[at(npu)] |= fresh;
        return fresh;
    }

    const Graph& m_graph;
    std::vector<std::uint64_t> m_seen;
    std::vector<std::uint64_t> m_front;
    std::vector<std::uint64_t> m_next;
    std::vector<std::uint64_t> m_seenInside; ///< By NPU, of NpuForwarding::InHost: what came from another NPU.
    std::vector<std::uint64_t> m_nextInside;
    std::int64_t m_diameter = 0;
    std::int64_t m_looked = 0;
    WideCount m_sum = 0; ///< Over ordered pairs.
};

/// Absent beyond 63 bits.
std::optional<std::int64_t> waysFromFirst(const Graph& graph)
{
    // Places: nodes, and behind them NPUs that were reached from another NPU of their host, which alone pass on inside it.
    const bool inHost = graph.forwarding == NpuForwarding::InHost;
    const auto nodes = static_cast<std::int32_t>(graph.nodes());
    std::vector<std::int32_t> distance(at(nodes) + (inHost ? at(graph.npus) : 0), -1);
    std::vector<std::uint64_t> ways(distance.size());
    std::vector<std::int32_t> queue{0};
    distance[0] = 0;
    ways[0] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const std::int32_t place = queue[i];
        const std::int32_t node = place < nodes ? place : place - nodes;
        if (place != 0 && place < nodes && !graph.passes(node))
            continue;
        for (const std::int32_t neighbour : graph.of(node)) {
            const bool inside = inHost && graph.isNpu(node) && graph.isNpu(neighbour);
            if ((place >= nodes && !inside) || neighbour == 0)
                continue;
            const std::int32_t next = inside ? nodes + neighbour : neighbour;
            if (distance[at(next)] < 0) {
                distance[at(next)] = distance[at(place)] + 1;
                queue.push_back(next);
            }
            if (distance[at(next)] == distance[at(place)] + 1) {
                const std::uint64_t sum = ways[at(next)] + ways[at(place)];
                ways[at(next)] = sum < ways[at(place)] ? std::numeric_limits<std::uint64_t>::max() : sum;
            }
        }
    }
    std::uint64_t out = 1;
    for (std::int32_t npu = 0, farthest = 0; npu < graph.npus; ++npu) {
        const std::int32_t outside = distance[at(npu)];
        const std::int32_t inside = inHost ? distance[at(nodes + npu)] : -1;
        const std::int32_t least = inside < 0 || (outside >= 0 && outside <= inside) ? outside : inside;
        if (least <= farthest)
            continue;
        farthest = least;
        out = outside == least ? ways[at(npu)] : 0;
        if (inside == least) {
            const std::uint64_t sum = out + ways[at(nodes + npu)];
            out = sum < out ? std::numeric_limits<std::uint64_t>::max() : sum;
        }
    }
    return out > static_cast<std::uint64_t>(INT64_MAX) ? std::nullopt : std::optional(static_cast<std::int64_t>(out));
}

Diagnostic unknownFigures(const char* why)
{
    return warning("figures-left-out", why);
}

/// Cables that a rate is assumed for stand beside cables with a rate of their own, so that a bisection weighs them against each other, and with a quarter or four times of
/// that rate it would be another one.
std::optional<Diagnostic> weighsAssumedRate(const Fabric& fabric, const Fraction& bisection, const std::stop_token& stop, const SearchLimits& limits)
{
    const FabricSpec& spec = fabric.spec();
    if (spec.family == &aloneFamily() || (!spec.levels.empty() && spec.levels.front().bandwidth))
        return std::nullopt;
    // A level stands for a kind of cables; those behind the kinds there are for none.
    const bool hosts = spec.host && !spec.host->cables.empty();
    const std::size_t used = std::min(spec.levels.size(), fabric.kinds().size());
    if (!hosts && std::none_of(spec.levels.begin(), spec.levels.begin() + static_cast<std::ptrdiff_t>(used), [](const FabricLevel& level) { return level.bandwidth.has_value(); }))
        return std::nullopt;
    const Quantity assumed = fabric.networkBandwidth();
    const auto differs = [&](double times) {
        FabricSpec other = spec;
        if (other.levels.empty())
            other.levels.emplace_back();
        other.levels.front().bandwidth = Quantity{assumed.value * times, assumed.unit, assumed.measure};
        const Result<Fabric> made = Fabric::create(std::move(other));
        return made && bisectionByCables(made.value(), stop, limits) != bisection;
    };
    if (!differs(0.25) && !differs(4))
        return std::nullopt;
    Place place;
    place.field = std::string(spec.family->name);
    return warning("assumed-bandwidth", "no rate of the cables from NPUs is given: " + assumed.text() + " assumed, and with another one the bisection is another", place);
}

constexpr std::int64_t kSampledNpus = 64;

/// What distances from some NPUs, evenly spread, say of all. Nothing where even these take too long.
void sampleDistances(const Graph& graph, FabricFigures& out, std::int64_t most, const std::stop_token& stop)
{
    std::vector<Source> sources;
    const std::int64_t count = std::min(kSampledNpus, graph.npus);
    for (std::int64_t i = 0; i < count; ++i)
        sources.push_back({static_cast<std::int32_t>(WideCount{graph.npus} * i / count), 1});
    Waves waves(graph);
    if (waves.run(sources, most, stop) != Waves::Outcome::Done)
        return;
    out.sampled = count;
    out.diameterAtLeast = waves.diameter();
    out.meanSampled = fraction(waves.sum(), WideCount{count} * (graph.npus - 1));
}

void searchCables(const Fabric& fabric, Alike alike, FabricFigures& out, const std::stop_token& stop, const SearchLimits& limits)
{
    if (fabric.cableCount() > std::min(limits.cables, kMaxFabricCables)) {
        out.warnings.push_back(unknownFigures("too many cables to search: diameter, mean distance and ways are left out"));
        return;
    }
    if (!fabric.isWirable()) {
        out.warnings.push_back(unknownFigures("too many draws to wire it: diameter, mean distance and ways are left out"));
        return;
    }
    const Graph graph(fabric, stop);
    out.ways = waysFromFirst(graph);
    const bool tooManyWays = !out.ways;
    const std::vector<Source> sources = sourcesOf(graph, alike, stop);
    const auto batches = static_cast<std::int64_t>((sources.size() + 63) / 64);
    Waves waves(graph);
    for (std::size_t first = 0; first < sources.size(); first += 64) {
        // Each batch has its share: one that takes more says so at once, not after hours of others.
        const Waves::Outcome outcome = waves.run(std::span(sources).subspan(first, std::min<std::size_t>(64, sources.size() - first)), limits.distances / batches, stop);
        out.looked = waves.looked();
        if (outcome == Waves::Outcome::TooMuch) {
            sampleDistances(graph, out, limits.distances / 16, stop);
            out.warnings.push_back(unknownFigures(out.sampled > 0 ? "too many NPUs that differ, or too far apart: diameter and mean distance are those from 64 NPUs alone"
                                                                  : "too many NPUs that differ, or too far apart: diameter and mean distance are left out"));
            return;
        }
        if (outcome == Waves::Outcome::NotConnected) {
            out.warnings.push_back(warning("not-connected", "not every NPU reaches every other"));
            out.ways.reset();
            return;
        }
    }
    if (tooManyWays)
        out.warnings.push_back(unknownFigures("more than 2^63 ways: they are left out"));
    out.diameter = waves.diameter();
    out.mean = graph.npus > 1 ? fraction(waves.sum(), WideCount{graph.npus} * (graph.npus - 1)) : Fraction{0, 1};
}

} // namespace

Result<FabricFigures> fabricFigures(const Fabric& fabric, const std::stop_token& stop, const SearchLimits& limits)
{
    try {
        FabricFigures out;
        out.warnings = fabric.warnings();
        const KnownFigures& known = fabric.known();
        if (known.diameter && known.mean) {
            out.diameter = known.diameter;
            out.mean = known.mean;
            out.ways = known.ways;
            if (!known.ways)
                out.warnings.push_back(unknownFigures("more than 2^63 ways: they are left out"));
        } else {
            searchCables(fabric, fabric.alike(), out, stop, limits);
        }
        if (known.bisection && known.bisectionProved) {
            out.bisection = Fraction{*known.bisection, 1};
            out.bisectionKnown = Known::Exact;
        } else if (auto exact = bisectionByCables(fabric, stop, limits)) {
            out.bisection = exact;
            out.bisectionKnown = Known::Exact;
            // A formula counts cables of one rate, whatever that is.
            if (auto weighs = known.bisection ? std::nullopt : weighsAssumedRate(fabric, *exact, stop, limits))
                out.warnings.push_back(*std::move(weighs));
        } else if (known.bisection) {
            out.bisection = Fraction{*known.bisection, 1};
            out.bisectionKnown = Known::Formula;
        } else {
            out.bisectionAtMost = bisectionAtMost(fabric, stop, limits);
            out.warnings.push_back(unknownFigures(out.bisectionAtMost ? "no formula, and too many halves to try: the bisection is that of the best half found, or less"
                                                                      : "no formula, and too many halves to try: the bisection is left out"));
        }
        return out;
    } catch (const StopRequested&) {
        return stoppedError();
    }
}

Result<FabricFigures> figuresByCables(const Fabric& fabric, const std::stop_token& stop)
{
    try {
        FabricFigures out;
        searchCables(fabric, Alike::Attached, out, stop, {});
        out.bisection = bisectionByCables(fabric, stop);
        out.bisectionKnown = out.bisection ? Known::Exact : Known::No;
        return out;
    } catch (const StopRequested&) {
        return stoppedError();
    }
}

} // namespace fabricscope
