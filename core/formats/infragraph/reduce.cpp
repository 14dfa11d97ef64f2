#include "core/formats/infragraph/reduce.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace fabricscope {

namespace {

bool soundsLikeSwitch(const InfraComponent& component)
{
    std::string lower = component.customType;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
    return component.choice == InfraChoice::Switch || lower.find("switch") != std::string::npos;
}

class Reducer {
public:
    Reducer(const InfraDocument& document, const InfraExpansion& graph, const std::function<bool(const InfraEdge&)>& hasFigures, const std::stop_token& stop)
        : m_stop(stop)
        , m_document(document)
        , m_graph(graph)
        , m_hasFigures(hasFigures)
        , m_parent(at(graph.nodeCount()))
    {
        std::iota(m_parent.begin(), m_parent.end(), 0);
    }

    InfraReduction run()
    {
        uniteBoxes();
        unitePorts();
        makeGroups();
        makeCables();
        dropDeadEnds();
        dropProcessors();
        joinRows();
        joinPlanes();
        collect();
        return std::move(m_out);
    }

private:
    std::int32_t root(std::int32_t node)
    {
        while (m_parent[at(node)] != node)
            node = m_parent[at(node)] = m_parent[at(m_parent[at(node)])];
        return node;
    }
    /// The smaller number leads.
    void unite(std::int32_t a, std::int32_t b)
    {
        const std::int32_t first = root(a);
        const std::int32_t second = root(b);
        m_parent[at(std::max(first, second))] = std::min(first, second);
    }

    /// Switch boxes, and cards in hosts.
    void uniteBoxes()
    {
        for (std::size_t i = 0; i < m_document.instances.size(); ++i) {
            const auto instance = static_cast<std::int32_t>(i);
            const std::int32_t copies = std::max(m_document.instances[i].count, 0);
            const std::int32_t length = m_graph.copyLength(instance);
            if (copies == 0 || length == 0)
                continue;
            const std::int32_t first = m_graph.firstNode(instance, 0);
            bool host = false;
            for (std::int32_t k = 0; k < length && !host; ++k)
                host = m_graph.component(first + k).choice == InfraChoice::Xpu;
            for (std::int32_t copy = 0; copy < copies; ++copy) {
                checkStop(m_stop);
                const std::int32_t base = m_graph.firstNode(instance, copy);
                std::map<std::int32_t, std::int32_t> cards;
                for (std::int32_t k = 0; k < length; ++k) {
                    const std::int32_t nested = m_graph.leaf(first + k).nested;
                    if (!host)
                        unite(base, base + k);
                    else if (nested >= 0)
                        unite(cards.try_emplace(nested, base + k).first->second, base + k);
                }
            }
        }
    }

    bool isPort(std::int32_t node) const { return m_graph.component(node).choice == InfraChoice::Port && m_graph.leaf(node).nested < 0; }

    void unitePorts()
    {
        std::map<std::int32_t, std::vector<const InfraEdge*>> inside;
        for (const InfraEdge& edge : m_graph.edges()) {
            checkStop(m_stop);
            if (edge.instanceRule >= 0 || root(edge.a) == root(edge.b))
                continue;
            for (const std::int32_t end : {edge.a, edge.b}) {
                if (isPort(end))
                    inside[end].push_back(&edge);
            }
        }
        for (const auto& [port, edges] : inside) {
            if (edges.size() == 1 && !m_hasFigures(*edges[0]))
                unite(edges[0]->a, edges[0]->b);
        }
    }

    void makeGroups()
    {
        m_group.assign(at(m_graph.nodeCount()), -1);
        for (std::int32_t node = 0; node < m_graph.nodeCount(); ++node) {
            checkStop(m_stop);
            const std::int32_t leader = root(node);
            if (m_group[at(leader)] < 0) {
                m_group[at(leader)] = static_cast<std::int32_t>(m_out.groups.size());
                m_out.groups.push_back({leader, {}, NodeKind::Switch, InfraChoice::Port, true});
                m_sizes.push_back(0);
                m_onlyMemory.push_back(true);
            }
            m_group[at(node)] = m_group[at(leader)];
            InfraGroup& group = m_out.groups[at(m_group[at(node)])];
            const InfraChoice choice = m_graph.component(node).choice;
            m_onlyMemory[at(m_group[at(node)])] = m_onlyMemory[at(m_group[at(node)])] && (choice == InfraChoice::Memory || choice == InfraChoice::Port);
            const auto weight = [](InfraChoice of) { return of == InfraChoice::Xpu ? 3 : of == InfraChoice::Nic ? 2 : of == InfraChoice::Port ? 0 : 1; };
            if (m_sizes[at(m_group[at(node)])]++ == 0 || weight(choice) > weight(group.choice)) {
                group.node = node;
                group.choice = choice;
            }
        }
        for (std::size_t i = 0; i < m_out.groups.size(); ++i) {
            checkStop(m_stop);
            InfraGroup& group = m_out.groups[i];
            const InfraLeaf& leaf = m_graph.leaf(group.node);
            const std::int32_t instance = m_graph.instanceOf(group.node);
            const std::string box = m_document.instances[at(instance)].name + '.' + std::to_string(m_graph.copyOf(group.node));
            const InfraComponent& component = m_graph.component(group.node);
            const bool whole = m_sizes[i] == m_graph.copyLength(instance) && group.choice != InfraChoice::Xpu;
            group.kind = group.choice == InfraChoice::Xpu ? NodeKind::Npu : group.choice == InfraChoice::Memory && m_onlyMemory[i] ? NodeKind::Memory : NodeKind::Switch;
            group.name = whole ? box : leaf.nested >= 0 ? box + '.' + leaf.path.substr(0, leaf.nestedLength) : box + '.' + leaf.path;
            if (whole)
                group.choice = InfraChoice::Switch;
            else if (leaf.nested >= 0)
                group.choice = InfraChoice::Nic;
            else if (soundsLikeSwitch(component))
                group.choice = InfraChoice::Switch;
            if (group.kind == NodeKind::Npu)
                m_out.accelerators.push_back(static_cast<std::int32_t>(i));
        }
    }

    void makeCables()
    {
        m_cablesOf.resize(m_out.groups.size());
        for (std::size_t i = 0; i < m_graph.edges().size(); ++i) {
            checkStop(m_stop);
            const InfraEdge& edge = m_graph.edges()[i];
            const std::int32_t a = m_group[at(edge.a)];
            const std::int32_t b = m_group[at(edge.b)];
            if (a != b)
                addCable({a, b, edge.link, edge.bandwidth, edge.latency, i, edge.instanceRule >= 0, 1, {}});
        }
    }

    void addCable(InfraCable cable)
    {
        m_cablesOf[at(cable.a)].push_back(m_cables.size());
        m_cablesOf[at(cable.b)].push_back(m_cables.size());
        m_cables.push_back(std::move(cable));
        m_gone.push_back(false);
    }
    std::int32_t otherEnd(std::size_t cable, std::int32_t group) const { return m_cables[cable].a == group ? m_cables[cable].b : m_cables[cable].a; }
    std::vector<std::size_t> cablesOf(std::int32_t group) const
    {
        std::vector<std::size_t> out;
        for (const std::size_t cable : m_cablesOf[at(group)]) {
            if (!m_gone[cable])
                out.push_back(cable);
        }
        return out;
    }
    void dropGroup(std::int32_t group)
    {
        m_out.groups[at(group)].kept = false;
        for (const std::size_t cable : m_cablesOf[at(group)])
            m_gone[cable] = true;
    }

    void dropDeadEnds()
    {
        std::int64_t dropped = 0;
        std::vector<std::int32_t> degree(m_out.groups.size());
        std::vector<std::int32_t> queue;
        for (std::size_t i = 0; i < degree.size(); ++i) {
            checkStop(m_stop);
            degree[i] = static_cast<std::int32_t>(cablesOf(static_cast<std::int32_t>(i)).size());
            if (m_out.groups[i].kept && degree[i] <= 1 && m_out.groups[i].kind != NodeKind::Npu)
                queue.push_back(static_cast<std::int32_t>(i));
        }
        for (std::size_t head = 0; head < queue.size(); ++head) {
            checkStop(m_stop);
            const std::int32_t group = queue[head];
            ++dropped;
            for (const std::size_t cable : cablesOf(group)) {
                const std::int32_t other = otherEnd(cable, group);
                if (--degree[at(other)] == 1 && m_out.groups[at(other)].kind != NodeKind::Npu)
                    queue.push_back(other);
            }
            dropGroup(group);
        }
        if (dropped > 0 && m_out.remarks.empty())
            m_out.remarks.push_back(std::to_string(dropped) + (dropped == 1 ? " part that leads" : " parts that lead") + " nowhere (unused ports and network cards, memory, storage) left out");
    }

    /// Messages go through processors only where there is no other way between the accelerators.
    void dropProcessors()
    {
        const auto isProcessor = [this](std::int32_t group) { return m_out.groups[at(group)].kept && m_out.groups[at(group)].choice == InfraChoice::Cpu; };
        std::int64_t processors = 0;
        for (std::size_t i = 0; i < m_out.groups.size(); ++i)
            processors += isProcessor(static_cast<std::int32_t>(i)) ? 1 : 0;
        if (processors == 0 || m_out.accelerators.empty())
            return;
        std::vector<bool> seen(m_out.groups.size(), false);
        std::vector<std::int32_t> queue{m_out.accelerators[0]};
        seen[at(queue[0])] = true;
        for (std::size_t head = 0; head < queue.size(); ++head) {
            checkStop(m_stop);
            for (const std::size_t cable : cablesOf(queue[head])) {
                const std::int32_t other = otherEnd(cable, queue[head]);
                if (seen[at(other)] || isProcessor(other) || m_out.groups[at(other)].kind == NodeKind::Memory)
                    continue;
                seen[at(other)] = true;
                queue.push_back(other);
            }
        }
        if (!std::all_of(m_out.accelerators.begin(), m_out.accelerators.end(), [&](std::int32_t group) { return seen[at(group)]; }))
            return;
        for (std::size_t i = 0; i < m_out.groups.size(); ++i) {
            if (isProcessor(static_cast<std::int32_t>(i)))
                dropGroup(static_cast<std::int32_t>(i));
        }
        m_out.remarks.push_back(std::to_string(processors) + (processors == 1 ? " processor" : " processors") + " left out: the accelerators reach each other without");
        dropDeadEnds();
    }

    void joinRows()
    {
        std::int64_t joined = 0;
        for (std::size_t i = 0; i < m_out.groups.size(); ++i) {
            checkStop(m_stop);
            const InfraGroup& group = m_out.groups[i];
            const bool passive = group.kept && group.kind == NodeKind::Switch && (group.choice == InfraChoice::Custom || group.choice == InfraChoice::Port);
            if (!passive)
                continue;
            const auto number = static_cast<std::int32_t>(i);
            const std::vector<std::size_t> ends = cablesOf(number);
            if (ends.size() != 2 || otherEnd(ends[0], number) == otherEnd(ends[1], number))
                continue;
            InfraCable row = m_cables[ends[0]];
            row.a = otherEnd(ends[0], number);
            row.b = otherEnd(ends[1], number);
            row.betweenInstances = m_cables[ends[0]].betweenInstances || m_cables[ends[1]].betweenInstances;
            row.parts.clear();
            for (const std::size_t end : ends) {
                if (m_cables[end].parts.empty()) {
                    row.parts.push_back(m_out.merged.size());
                    m_out.merged.push_back(m_cables[end]);
                } else {
                    row.parts.insert(row.parts.end(), m_cables[end].parts.begin(), m_cables[end].parts.end());
                }
            }
            dropGroup(number);
            addCable(std::move(row));
            ++joined;
        }
        if (joined > 0)
            m_out.remarks.push_back(std::to_string(joined) + (joined == 1 ? " passive part (slot, bridge, port) joins its" : " passive parts (slots, bridges, ports) join their") + " two links to one");
    }

    /// Switches of one host with the same neighbours behind equal links, at least two of them accelerators; the others, as what manages the switches, are
    /// of the host too.
    void joinPlanes()
    {
        using Ends = std::vector<std::array<std::int32_t, 4>>;
        std::map<std::pair<std::pair<std::int32_t, std::int32_t>, Ends>, std::int32_t> first;
        std::int64_t joined = 0;
        for (std::size_t i = 0; i < m_out.groups.size(); ++i) {
            checkStop(m_stop);
            const InfraGroup& group = m_out.groups[i];
            if (!group.kept || group.kind != NodeKind::Switch || group.choice != InfraChoice::Switch)
                continue;
            Ends ends;
            bool plain = true;
            std::int32_t accelerators = 0;
            for (const std::size_t cable : cablesOf(static_cast<std::int32_t>(i))) {
                const InfraCable& end = m_cables[cable];
                const std::int32_t other = otherEnd(cable, static_cast<std::int32_t>(i));
                plain = plain && end.parts.empty() && !end.betweenInstances;
                accelerators += m_out.groups[at(other)].kind == NodeKind::Npu ? 1 : 0;
                ends.push_back({other, end.link, end.bandwidth, end.latency});
            }
            if (!plain || accelerators < 2)
                continue;
            std::sort(ends.begin(), ends.end());
            const auto [found, added] = first.try_emplace({{m_graph.instanceOf(group.node), m_graph.copyOf(group.node)}, ends}, static_cast<std::int32_t>(i));
            if (added)
                continue;
            for (const std::size_t cable : cablesOf(found->second))
                ++m_cables[cable].planes;
            dropGroup(static_cast<std::int32_t>(i));
            ++joined;
        }
        if (joined > 0)
            dropDeadEnds(); // What managed several may have one neighbour now.
        if (joined > 0)
            m_out.remarks.push_back(std::to_string(joined) + (joined == 1 ? " switch joins" : " switches join") + " the same accelerators as another: counted as one switch with the sum of their links");
    }

    void collect()
    {
        for (std::size_t i = 0; i < m_cables.size(); ++i) {
            checkStop(m_stop);
            if (!m_gone[i])
                m_out.cables.push_back(m_cables[i]);
        }
    }

    const std::stop_token& m_stop;
    const InfraDocument& m_document;
    const InfraExpansion& m_graph;
    const std::function<bool(const InfraEdge&)>& m_hasFigures;
    std::vector<std::int32_t> m_parent;
    std::vector<std::int32_t> m_group; // by node
    std::vector<std::int32_t> m_sizes; // by group
    std::vector<bool> m_onlyMemory;    // and ports
    std::vector<std::vector<std::size_t>> m_cablesOf;
    std::vector<InfraCable> m_cables;
    std::vector<bool> m_gone;
    InfraReduction m_out;
};

} // namespace

InfraReduction reduceInfraGraph(const InfraDocument& document, const InfraExpansion& graph, const std::function<bool(const InfraEdge&)>& hasFigures,
                                const std::stop_token& stop)
{
    return Reducer(document, graph, hasFigures, stop).run();
}

} // namespace fabricscope
