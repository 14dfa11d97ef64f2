#include "core/formats/infragraph/importer.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/formats/assumedlinks.h"
#include "core/formats/infragraph/expandinstances.h"
#include "core/formats/infragraph/nodeoverrides.h"
#include "core/formats/infragraph/reduce.h"

#include <algorithm>
#include <map>
#include <set>

namespace fabricscope {

namespace {

bool hasWord(const std::string& text, std::string_view word)
{
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
    return lower.find(word) != std::string::npos;
}

std::string quantityUnit(InfraBandwidth::Unit unit)
{
    return unit == InfraBandwidth::Unit::GigabitsPerSecond ? "Gbit/s" : "GB/s";
}

Quantity scaled(const Quantity& quantity, double factor)
{
    Quantity out = quantity;
    out.value *= factor;
    return out;
}

class Importer {
public:
    Importer(const InfraDocument& document, const InfraExpansion& graph, const LinkCompletions& completions, Diagnostics& diagnostics, const std::stop_token& stop)
        : m_stop(stop)
        , m_document(document)
        , m_graph(graph)
        , m_completions(completions)
        , m_diagnostics(diagnostics)
        , m_overrides(document, graph, stop)
    {
    }

    Result<PlatformSpec> run()
    {
        if (Status status = m_overrides.read(m_diagnostics); !status)
            return std::move(status).error();
        const InfraReduction reduced = reduceInfraGraph(m_document, m_graph, [this](const InfraEdge& edge) { return hasFigures(edge); }, m_stop);
        if (reduced.accelerators.empty())
            return invalidInput("the document holds no accelerator (xpu)", place(), "at least one component of choice xpu");
        for (const std::string& line : reduced.remarks)
            m_diagnostics.push_back(note("infragraph-reduced", line, place()));
        countScaleUpEdges(reduced);

        PlatformSpec spec;
        spec.name = m_document.name;
        addNodes(reduced, spec);
        if (Status status = addLinks(reduced, spec); !status)
            return std::move(status).error();
        for (const auto& [name, completion] : m_completions) {
            if (!m_usedCompletions.contains(name))
                m_diagnostics.push_back(warning("unused-completion", "no link of the platform is called \"" + name + "\": its figures are not used", place()));
        }
        spec.source = "InfraGraph";
        if (!m_assumed.empty()) {
            spec.source += "; assumed: ";
            for (std::size_t i = 0; i < m_assumed.size(); ++i)
                spec.source += (i > 0 ? "; " : "") + m_assumed[i];
        }
        if (auto platform = Platform::create(spec, m_stop); !platform) {
            checkStop(m_stop);
            Error error = std::move(platform).error();
            error.message = "the document describes no platform that can be simulated: " + error.message;
            error.place = place();
            return error;
        }
        return spec;
    }

private:
    Place place() const
    {
        Place out;
        out.file = m_document.file;
        return out;
    }

    bool hasFigures(const InfraEdge& edge) const
    {
        return edge.bandwidth >= 0 || m_completions.contains(m_graph.links()[at(edge.link)].name);
    }

    /// NPUs first, by rank; then the switches in the order of the document.
    void addNodes(const InfraReduction& reduced, PlatformSpec& spec)
    {
        std::vector<std::int32_t> npus = reduced.accelerators;
        const auto ranks = m_overrides.ranks(m_graph.nodeCount());
        std::vector<std::pair<std::int64_t, std::int32_t>> order;
        std::set<std::int64_t> seen;
        std::string why = "the rank annotations are no permutation of 0 to " + std::to_string(npus.size() - 1);
        for (const std::int32_t group : npus) {
            checkStop(m_stop);
            const std::int64_t rank = ranks[at(reduced.groups[at(group)].node)];
            if (seen.contains(rank))
                why = "rank " + std::to_string(rank) + " is given to two NPUs";
            if (rank >= 0 && rank < static_cast<std::int64_t>(npus.size()) && seen.insert(rank).second)
                order.emplace_back(rank, group);
        }
        const bool annotated = std::any_of(ranks.begin(), ranks.end(), [](std::int64_t rank) { return rank >= 0; });
        if (order.size() == npus.size()) {
            std::sort(order.begin(), order.end());
            for (std::size_t i = 0; i < order.size(); ++i)
                npus[i] = order[i].second;
        } else if (annotated) {
            m_diagnostics.push_back(warning("infragraph-ranks", why + ": ranks follow the order of the document", place()));
        }
        m_number.assign(reduced.groups.size(), -1);
        for (const std::int32_t group : npus)
            addNode(reduced.groups[at(group)], group, spec);
        for (std::size_t group = 0; group < reduced.groups.size(); ++group) {
            if (reduced.groups[group].kept && m_number[group] < 0)
                addNode(reduced.groups[group], static_cast<std::int32_t>(group), spec);
        }
    }

    void addNode(const InfraGroup& group, std::int32_t number, PlatformSpec& spec)
    {
        checkStop(m_stop);
        m_number[at(number)] = static_cast<NodeId>(spec.nodes.size());
        const std::string given = m_overrides.nameOf(group.node);
        spec.nodes.push_back({given.empty() ? group.name : given, group.kind});
    }

    LinkMedium classOf(const InfraReduction& reduced, const InfraCable& cable) const
    {
        const InfraLinkUse& use = m_graph.links()[at(cable.link)];
        const std::string words = use.name + ' ' + (use.link ? use.link->description : std::string());
        if (cable.betweenInstances)
            return LinkMedium::Network;
        if (hasWord(words, "pci"))
            return LinkMedium::Pcie;
        const auto isProcessor = [&](std::int32_t group) { return reduced.groups[at(group)].choice == InfraChoice::Cpu; };
        if (isProcessor(cable.a) && isProcessor(cable.b))
            return LinkMedium::Processor;
        return LinkMedium::ScaleUp;
    }

    /// How many scale-up cables of each kind an accelerator has: its NVLinks are shared out among them.
    void countScaleUpEdges(const InfraReduction& reduced)
    {
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> perNode;
        for (const InfraCable& cable : reduced.cables) {
            checkStop(m_stop);
            for (const std::int32_t end : {cable.a, cable.b}) {
                if (reduced.groups[at(end)].kind == NodeKind::Npu) {
                    std::int32_t& count = perNode[{end, cable.link}];
                    count += cable.planes;
                    std::int32_t& most = m_cablesPerNpu[cable.link];
                    most = std::max(most, count);
                }
            }
        }
    }

    struct Figures {
        Quantity bandwidth;
        Quantity latency;
    };

    Result<Quantity> bandwidthOf(const InfraReduction& reduced, const InfraCable& cable, LinkMedium medium, std::string& assumed)
    {
        const InfraLinkUse& use = m_graph.links()[at(cable.link)];
        const auto completion = m_completions.find(use.name);
        if (completion != m_completions.end()) {
            m_usedCompletions.insert(use.name);
            if (completion->second.bandwidth)
                return scaled(*completion->second.bandwidth, cable.planes);
        }
        std::optional<InfraBandwidth> given;
        if (cable.bandwidth >= 0)
            given = m_graph.links()[at(cable.bandwidth)].link->bandwidth;
        if (auto changed = m_overrides.bandwidth(cable.edge))
            given = std::move(changed);
        if (given && given->unit == InfraBandwidth::Unit::GigatransfersPerSecond) {
            if (completion == m_completions.end() || !completion->second.bytesPerTransfer) {
                return invalidInput("the link " + use.name + " has " + given->label() + ", and nothing says how many bytes a transfer carries", use.link ? use.link->place : place(),
                                    "link_figures: {" + use.name + ": {bytes_per_transfer: ...}} or {bandwidth: ...}");
            }
            return Quantity{given->value * *completion->second.bytesPerTransfer * cable.planes, "GB/s", Measure::Bandwidth};
        }
        if (given) {
            auto read = parseQuantity(given->text + ' ' + quantityUnit(given->unit), Measure::Bandwidth);
            if (!read)
                return invalidInput("the bandwidth " + given->label() + " of the link " + use.name + " cannot be used: " + read.error().message, use.link ? use.link->place : place(), read.error().expected);
            return scaled(read.value(), cable.planes);
        }
        return scaled(assumedBandwidth(reduced, cable, medium, assumed), cable.planes);
    }

    Quantity assumedBandwidth(const InfraReduction& reduced, const InfraCable& cable, LinkMedium medium, std::string& assumed) const
    {
        const InfraLinkUse& use = m_graph.links()[at(cable.link)];
        const std::string words = use.name + ' ' + (use.link ? use.link->description : std::string());
        if (medium == LinkMedium::Pcie) {
            const int generation = generationAfter(words, "gen").value_or(4);
            const Quantity rate = pcieBandwidth(pcieTransfers(generation).value_or(16), 16);
            assumed = showBandwidth(toBandwidth(rate)) + " (PCI Express " + std::to_string(generation) + ".0 with 16 lanes)";
            return rate;
        }
        if (medium == LinkMedium::ScaleUp) {
            std::optional<int> generation = generationAfter(words, "nvlink");
            for (const std::int32_t end : {cable.a, cable.b}) {
                const InfraComponent& component = m_graph.component(reduced.groups[at(end)].node);
                if (!generation && reduced.groups[at(end)].kind == NodeKind::Npu)
                    generation = nvlinkGenerationOf(component.name + ' ' + component.description);
            }
            const auto found = m_cablesPerNpu.find(cable.link);
            const std::int32_t cables = found == m_cablesPerNpu.end() ? 1 : found->second;
            const int used = generation && nvlinkPerAccelerator(*generation) ? *generation : 4;
            const Quantity all = *nvlinkPerAccelerator(used);
            const Quantity rate = scaled(all, 1.0 / cables);
            assumed = showBandwidth(toBandwidth(rate)) + " (NVLink " + std::to_string(used) + ": " + showBandwidth(toBandwidth(all)) + " per accelerator, shared by " + std::to_string(cables)
                + (cables == 1 ? " link)" : " links)");
            return rate;
        }
        assumed = "50 GB/s";
        return {50, "GB/s", Measure::Bandwidth};
    }

    Result<Quantity> latencyOf(const InfraReduction& reduced, const InfraCable& cable, LinkMedium medium, std::string& assumed)
    {
        const InfraLinkUse& use = m_graph.links()[at(cable.link)];
        const auto completion = m_completions.find(use.name);
        if (completion != m_completions.end() && completion->second.latency)
            return *completion->second.latency;
        std::optional<InfraLatency> given;
        if (cable.latency >= 0)
            given = m_graph.links()[at(cable.latency)].link->latency;
        if (auto changed = m_overrides.latency(cable.edge))
            given = std::move(changed);
        if (given) {
            auto read = parseQuantity(given->label(), Measure::Time);
            if (read)
                return read;
            return invalidInput("the latency " + given->label() + " of the link " + use.name + " cannot be used: " + read.error().message, use.link ? use.link->place : place(), read.error().expected);
        }
        const bool toSwitch = reduced.groups[at(cable.a)].kind == NodeKind::Switch || reduced.groups[at(cable.b)].kind == NodeKind::Switch;
        const Quantity latency = assumedLatency(medium, toSwitch);
        assumed += (assumed.empty() ? "" : " and ") + latency.text();
        return latency;
    }

    Result<Figures> figuresOf(const InfraReduction& reduced, const InfraCable& cable)
    {
        const LinkMedium medium = classOf(reduced, cable);
        std::string assumed;
        auto bandwidth = bandwidthOf(reduced, cable, medium, assumed);
        if (!bandwidth)
            return std::move(bandwidth).error();
        auto latency = latencyOf(reduced, cable, medium, assumed);
        if (!latency)
            return std::move(latency).error();
        const InfraLinkUse& use = m_graph.links()[at(cable.link)];
        if (!assumed.empty() && m_saidAssumed.insert({cable.link, assumed}).second) {
            const std::string line = use.name + " (" + std::string(linkMediumName(medium)) + "): " + assumed + " a link";
            m_diagnostics.push_back(warning("assumed", line, use.link ? use.link->place : place()));
            m_assumed.push_back(line);
        }
        return Figures{std::move(bandwidth).value(), std::move(latency).value()};
    }

    /// One link each way. Fast ways between accelerators come first, because a route takes the first of equally short ones.
    Status addLinks(const InfraReduction& reduced, PlatformSpec& spec)
    {
        std::int64_t leftOut = 0;
        SwitchLinks toSwitches;
        std::vector<std::pair<int, std::size_t>> order;
        for (std::size_t i = 0; i < reduced.cables.size(); ++i) {
            checkStop(m_stop);
            const InfraCable& cable = reduced.cables[i];
            const bool processor = reduced.groups[at(cable.a)].choice == InfraChoice::Cpu || reduced.groups[at(cable.b)].choice == InfraChoice::Cpu;
            order.emplace_back(processor ? 2 : classOf(reduced, cable) == LinkMedium::Pcie ? 1 : 0, i);
        }
        std::sort(order.begin(), order.end());
        for (const auto& [rank, index] : order) {
            checkStop(m_stop);
            const InfraCable& cable = reduced.cables[index];
            Figures sum;
            bool first = true;
            for (const std::size_t part : cable.parts.empty() ? std::vector<std::size_t>{index} : cable.parts) {
                const InfraCable& one = cable.parts.empty() ? cable : reduced.merged[part];
                auto figures = figuresOf(reduced, one);
                if (!figures)
                    return std::move(figures).error();
                if (first) {
                    sum = std::move(figures).value();
                    first = false;
                    continue;
                }
                // Links one behind the other: as fast as the slowest, as late as all together.
                if (toBandwidth(figures.value().bandwidth) < toBandwidth(sum.bandwidth))
                    sum.bandwidth = figures.value().bandwidth;
                const SimTime total = toSimTime(sum.latency) + toSimTime(figures.value().latency);
                sum.latency = {static_cast<double>(total.ps) / 1e3, "ns", Measure::Time};
            }
            const NodeId a = m_number[at(cable.a)];
            const NodeId b = m_number[at(cable.b)];
            // As one link it would count as shorter than the switch, which the parts of the row are not.
            if (rank == 1 && !cable.parts.empty() && haveFasterSwitch(toSwitches, a, b, toBandwidth(sum.bandwidth))) {
                ++leftOut;
                continue;
            }
            spec.links.push_back({a, b, sum.bandwidth, sum.latency});
            spec.links.push_back({b, a, sum.bandwidth, sum.latency});
            for (const auto& [npu, node] : {std::pair{a, b}, {b, a}}) {
                if (rank == 0 && !cable.betweenInstances && spec.nodes.kind(at(npu)) == NodeKind::Npu && spec.nodes.kind(at(node)) == NodeKind::Switch) {
                    Bandwidth& slowest = toSwitches[npu].try_emplace(node, toBandwidth(sum.bandwidth)).first->second;
                    slowest = std::min(slowest, toBandwidth(sum.bandwidth));
                }
            }
        }
        if (leftOut > 0)
            m_diagnostics.push_back(note("infragraph-reduced", std::to_string(leftOut) + " ways over PCI Express between two accelerators left out: a faster switch joins them", place()));
        return {};
    }

    /// Of accelerators to switches of their host that are not of PCI Express, the slowest of each pair.
    using SwitchLinks = std::map<NodeId, std::map<NodeId, Bandwidth>>;

    /// Two nodes have links to one switch that are faster than this.
    static bool haveFasterSwitch(const SwitchLinks& links, NodeId a, NodeId b, Bandwidth than)
    {
        const auto ofA = links.find(a);
        const auto ofB = links.find(b);
        return ofA != links.end() && ofB != links.end() && std::ranges::any_of(ofA->second, [&](const auto& one) {
            const auto other = ofB->second.find(one.first);
            return one.second > than && other != ofB->second.end() && other->second > than;
        });
    }

    const std::stop_token& m_stop;
    const InfraDocument& m_document;
    const InfraExpansion& m_graph;
    const LinkCompletions& m_completions;
    Diagnostics& m_diagnostics;
    InfraOverrides m_overrides;
    std::vector<NodeId> m_number; // by group
    std::map<std::int32_t, std::int32_t> m_cablesPerNpu;
    std::set<std::string> m_usedCompletions;
    std::set<std::pair<std::int32_t, std::string>> m_saidAssumed;
    std::vector<std::string> m_assumed;
};

} // namespace

Result<PlatformSpec> platformFromInfraGraph(const InfraDocument& document, const LinkCompletions& completions, Diagnostics& diagnostics,
                                            const std::stop_token& stop)
{
    const auto graph = expandInfraGraph(document, stop);
    if (!graph)
        return graph.error();
    return untilStopped([&] { return Importer(document, graph.value(), completions, diagnostics, stop).run(); });
}

} // namespace fabricscope
