#include "core/formats/infragraph/nodeoverrides.h"

#include "core/base/index.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace fabricscope {

namespace {

template <typename Key, typename Value>
const Value* lookUp(const std::vector<std::pair<Key, Value>>& list, const Key& key)
{
    const auto found = std::lower_bound(list.begin(), list.end(), key, [](const auto& entry, const Key& wanted) { return entry.first < wanted; });
    return found == list.end() || found->first != key ? nullptr : &found->second;
}

/// Sorted by key; of several the last one stays.
template <typename Key, typename Value>
void settle(std::vector<std::pair<Key, Value>>& list)
{
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i + 1 < list.size() && list[i + 1].first == list[i].first)
            continue;
        if (kept != i)
            list[kept] = std::move(list[i]);
        ++kept;
    }
    list.resize(kept);
}

/// "100 Gbps" taken apart.
std::optional<std::pair<double, std::string>> numberAndUnit(std::string_view text)
{
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{} || !std::isfinite(value) || value < 0)
        return std::nullopt;
    std::string_view unit = text.substr(static_cast<std::size_t>(read.ptr - text.data()));
    while (!unit.empty() && unit.front() == ' ')
        unit.remove_prefix(1);
    return std::pair{value, std::string(unit)};
}

} // namespace

InfraOverrides::InfraOverrides(const InfraDocument& document, const InfraExpansion& graph, const std::stop_token& stop)
    : m_stop(stop)
    , m_document(document)
    , m_graph(graph)
{
}

/// Dotted ids as they are; "host[0]xpu[1]" becomes "host.0.xpu.1".
std::int32_t InfraOverrides::nodeOf(const std::string& selector) const
{
    if (selector.find('.') != std::string::npos || selector.find('[') == std::string::npos)
        return m_graph.find(selector);
    std::string dotted;
    for (const char c : selector) {
        if (c == '[' || c == ']')
            dotted += '.';
        else
            dotted += c;
    }
    if (!dotted.empty() && dotted.back() == '.')
        dotted.pop_back();
    return m_graph.find(dotted);
}

bool InfraOverrides::isPrefix(const std::string& selector) const
{
    const std::string wanted = selector + '.';
    for (std::size_t i = 0; i < m_document.instances.size(); ++i) {
        if (!wanted.starts_with(m_document.instances[i].name + '.'))
            continue;
        const auto instance = static_cast<std::int32_t>(i);
        for (std::int32_t copy = 0; copy < m_document.instances[i].count; ++copy) {
            checkStop(m_stop);
            const std::int32_t first = m_graph.firstNode(instance, copy);
            if (m_graph.copyLength(instance) == 0)
                break;
            const std::string box = m_document.instances[i].name + '.' + std::to_string(copy) + '.';
            if (box.starts_with(wanted))
                return true;
            if (!wanted.starts_with(box))
                continue;
            for (std::int32_t node = first; node < first + m_graph.copyLength(instance); ++node) {
                if ((box + m_graph.leaf(node).path).starts_with(wanted))
                    return true;
            }
        }
    }
    return false;
}

Status InfraOverrides::readFigure(const InfraAnnotation& annotation, const InfraAttribute& attribute, Figures& out) const
{
    const auto refuse = [&](const char* expected) {
        return invalidInput(quotedText(attribute.value) + " is no " + attribute.name, annotation.place, expected);
    };
    std::string value = attribute.value;
    if (attribute.name == "link_bandwidth_gbps")
        value += " Gbps";
    else if (attribute.name == "link_latency_ms")
        value += " ms";
    const auto read = numberAndUnit(value);
    const std::string number = read ? value.substr(0, value.find_first_not_of("0123456789.eE+-")) : std::string();
    if (attribute.name == "bandwidth" || attribute.name == "link_bandwidth_gbps") {
        constexpr const char* kExpected = "a value above 0 in Gbps, GBps or GT/s";
        constexpr std::array<const char*, 3> kUnits{"Gbps", "GBps", "GT/s"};
        if (!read || !(read->first > 0))
            return refuse(kExpected);
        const auto unit = std::find(kUnits.begin(), kUnits.end(), read->second);
        if (unit == kUnits.end())
            return refuse(kExpected);
        out.bandwidth = InfraBandwidth{static_cast<InfraBandwidth::Unit>(unit - kUnits.begin()), read->first, number};
    } else if (attribute.name == "latency" || attribute.name == "link_latency_ms") {
        constexpr const char* kExpected = "a value in ms, us or ns";
        constexpr std::array<const char*, 3> kUnits{"ms", "us", "ns"};
        if (!read)
            return refuse(kExpected);
        const auto unit = std::find(kUnits.begin(), kUnits.end(), read->second);
        if (unit == kUnits.end())
            return refuse(kExpected);
        out.latency = InfraLatency{static_cast<InfraLatency::Unit>(unit - kUnits.begin()), read->first, number};
    }
    return {};
}

Status InfraOverrides::read(Diagnostics& diagnostics)
{
    std::size_t lookups = 0;
    for (const InfraAnnotation& annotation : m_document.nodeAnnotations) {
        checkStop(m_stop);
        if (annotation.attributes.empty())
            continue;
        const std::int32_t node = nodeOf(annotation.first);
        // Long lists of prefixes in large graphs are not searched one by one.
        constexpr std::size_t kMostLookups = 10'000;
        if (node < 0 && ++lookups < kMostLookups && !isPrefix(annotation.first))
            return invalidInput(quotedText(annotation.first) + " selects no node", annotation.place, "the id of a node, or of what holds nodes");
        for (const InfraAttribute& attribute : annotation.attributes) {
            if (node < 0)
                continue;
            if (attribute.name == "fabricscope_name")
                m_names.emplace_back(node, attribute.value);
            std::int64_t rank = 0;
            const char* end = attribute.value.data() + attribute.value.size();
            if (attribute.name != "rank")
                continue;
            if (const auto number = std::from_chars(attribute.value.data(), end, rank); number.ec == std::errc{} && number.ptr == end && rank >= 0)
                m_ranks.emplace_back(node, rank);
            else
                diagnostics.push_back(warning("infragraph-ranks", quotedText(attribute.value) + " is no rank", annotation.place));
        }
    }
    for (const InfraAnnotation& annotation : m_document.edgeAnnotations) {
        checkStop(m_stop);
        if (annotation.attributes.empty())
            continue;
        const auto [a, b] = std::minmax({nodeOf(annotation.first), nodeOf(annotation.second)});
        const auto edges = m_graph.edges();
        const auto found = std::lower_bound(edges.begin(), edges.end(), std::pair(a, b), [](const InfraEdge& edge, const std::pair<std::int32_t, std::int32_t>& ends) { return std::pair(edge.a, edge.b) < ends; });
        if (a < 0 || found == edges.end() || found->a != a || found->b != b)
            return invalidInput("there is no edge between " + quotedText(annotation.first) + " and " + quotedText(annotation.second), annotation.place, "two nodes with an edge");
        Figures figures;
        for (const InfraAttribute& attribute : annotation.attributes) {
            if (Status status = readFigure(annotation, attribute, figures); !status)
                return status;
        }
        m_edges.emplace_back(static_cast<std::size_t>(found - edges.begin()), std::move(figures));
    }
    for (const InfraAnnotation& annotation : m_document.linkAnnotations) {
        Figures figures;
        for (const InfraAttribute& attribute : annotation.attributes) {
            if (Status status = readFigure(annotation, attribute, figures); !status)
                return status;
        }
        m_links.emplace_back(annotation.first, std::move(figures));
    }
    settle(m_names);
    settle(m_edges);
    settle(m_links);
    return {};
}

std::vector<std::int64_t> InfraOverrides::ranks(std::int32_t nodes) const
{
    std::vector<std::int64_t> out(static_cast<std::size_t>(nodes), -1);
    for (const auto& [node, rank] : m_ranks)
        out[at(node)] = rank;
    return out;
}

std::string InfraOverrides::nameOf(std::int32_t node) const
{
    const std::string* name = lookUp(m_names, node);
    return name ? *name : std::string();
}

std::optional<InfraBandwidth> InfraOverrides::bandwidth(std::size_t edge) const
{
    if (const Figures* own = lookUp(m_edges, edge); own && own->bandwidth)
        return own->bandwidth;
    const InfraLinkUse& use = m_graph.links()[at(m_graph.edges()[edge].link)];
    const Figures* all = lookUp(m_links, use.name);
    return all ? all->bandwidth : std::nullopt;
}

std::optional<InfraLatency> InfraOverrides::latency(std::size_t edge) const
{
    if (const Figures* own = lookUp(m_edges, edge); own && own->latency)
        return own->latency;
    const InfraLinkUse& use = m_graph.links()[at(m_graph.edges()[edge].link)];
    const Figures* all = lookUp(m_links, use.name);
    return all ? all->latency : std::nullopt;
}

} // namespace fabricscope
