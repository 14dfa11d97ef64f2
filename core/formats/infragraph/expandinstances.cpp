#include "core/formats/infragraph/expandinstances.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/formats/infragraph/paths.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

/// Leaves of one copy of every device; nested ones by recursion.
std::vector<std::int64_t> leafCounts(const InfraDocument& document)
{
    std::vector<std::int64_t> counts(document.devices.size(), -1);
    const auto count = [&](auto&& self, std::int32_t device) -> std::int64_t {
        std::int64_t& known = counts[at(device)];
        if (known >= 0)
            return known;
        std::int64_t sum = 0;
        for (const InfraComponent& component : document.devices[at(device)].components) {
            const std::int64_t each = component.choice == InfraChoice::Device ? self(self, document.deviceIndex(component.name)) : 1;
            sum = cappedSum(sum, cappedProduct(std::max(component.count, 0), each));
        }
        return known = sum;
    };
    for (std::size_t device = 0; device < counts.size(); ++device)
        count(count, static_cast<std::int32_t>(device));
    return counts;
}

std::int64_t pairCount(InfraScheme scheme, std::int64_t a, std::int64_t b)
{
    return scheme == InfraScheme::ManyToMany ? cappedProduct(a, b) : std::min(a, b);
}

/// Where the components of every device begin among its leaves.
struct Layout {
    std::vector<std::vector<std::int64_t>> offsets; // by device and component
    std::vector<std::vector<std::int64_t>> strides;
};

Layout layoutOf(const InfraDocument& document, const std::vector<std::int64_t>& counts)
{
    Layout layout;
    for (const InfraDevice& device : document.devices) {
        std::int64_t offset = 0;
        auto& offsets = layout.offsets.emplace_back();
        auto& strides = layout.strides.emplace_back();
        for (const InfraComponent& component : device.components) {
            offsets.push_back(offset);
            strides.push_back(component.choice == InfraChoice::Device ? counts[at(document.deviceIndex(component.name))] : 1);
            offset = cappedSum(offset, cappedProduct(std::max(component.count, 0), strides.back()));
        }
    }
    return layout;
}

/// The leaves a path stands for, relative to the device it starts in.
std::vector<std::int64_t> leavesOf(const Layout& layout, const InfraPath& path, const std::stop_token& stop)
{
    std::vector<std::int64_t> list{0};
    for (const InfraPathPart& part : path.parts) {
        std::vector<std::int64_t> next;
        next.reserve(list.size() * at(part.indices.length));
        const std::int64_t offset = layout.offsets[at(part.device)][at(part.component)];
        const std::int64_t stride = layout.strides[at(part.device)][at(part.component)];
        for (const std::int64_t base : list) {
            checkStop(stop);
            for (std::int64_t i = 0; i < part.indices.length; ++i)
                next.push_back(base + offset + (part.indices.first + i * part.indices.step) * stride);
        }
        list = std::move(next);
    }
    return list;
}

Error toError(const InfraPathProblem& problem, const InfraEndpoint& endpoint)
{
    return {ErrorCode::InvalidInput, problem.message, endpoint.place, problem.expected};
}

template <typename Resolve>
auto resolved(Resolve resolve, const InfraEndpoint& endpoint) -> Result<std::decay_t<decltype(*resolve(std::declval<std::vector<InfraPathProblem>&>()))>>
{
    std::vector<InfraPathProblem> problems;
    auto found = resolve(problems);
    if (found)
        return *std::move(found);
    return toError(problems.back(), endpoint);
}

} // namespace

class InfraExpander {
public:
    InfraExpander(const InfraDocument& document, const std::stop_token& stop)
        : m_stop(stop)
        , m_document(document)
        , m_counts(leafCounts(document))
        , m_layout(layoutOf(document, m_counts))
    {
        m_out.m_document = &document;
    }

    Result<InfraExpansion> run()
    {
        placeNodes();
        m_deviceEdges.resize(m_document.devices.size());
        m_done.resize(m_document.devices.size(), false);
        for (std::size_t instance = 0; instance < m_document.instances.size(); ++instance) {
            const std::int32_t device = m_out.m_instanceDevice[instance];
            if (Status status = expandDevice(device); !status)
                return std::move(status).error();
            const std::int64_t length = m_counts[at(device)];
            for (std::int32_t copy = 0; copy < m_document.instances[instance].count; ++copy) {
                checkStop(m_stop);
                const std::int64_t base = m_out.m_instanceFirst[instance] + copy * length;
                for (const RawEdge& edge : m_deviceEdges[at(device)])
                    add(base + edge.a, base + edge.b, edge.link, -1);
            }
        }
        for (std::size_t i = 0; i < m_document.rules.size(); ++i) {
            if (Status status = expandInstanceRule(static_cast<std::int32_t>(i)); !status)
                return std::move(status).error();
        }
        join();
        return std::move(m_out);
    }

private:
    struct RawEdge {
        std::int32_t a = 0;
        std::int32_t b = 0;
        std::int32_t link = 0;
        std::int32_t rule = -1;
    };

    bool holdsAccelerator(std::int32_t device) const
    {
        const auto& components = m_document.devices[at(device)].components;
        return std::any_of(components.begin(), components.end(), [this](const InfraComponent& component) {
            return component.count > 0 && (component.choice == InfraChoice::Xpu || (component.choice == InfraChoice::Device && holdsAccelerator(m_document.deviceIndex(component.name))));
        });
    }

    void listLeaves(std::int32_t device, const std::string& prefix, std::int32_t nested, std::size_t nestedLength, std::int32_t& nextNested, std::vector<InfraLeaf>& out)
    {
        const auto& components = m_document.devices[at(device)].components;
        for (std::size_t c = 0; c < components.size(); ++c) {
            const InfraComponent& component = components[c];
            const std::int32_t inner = component.choice == InfraChoice::Device ? m_document.deviceIndex(component.name) : -1;
            const bool closed = inner >= 0 && nested < 0 && !holdsAccelerator(inner);
            for (std::int32_t k = 0; k < component.count; ++k) {
                checkStop(m_stop);
                const std::string path = prefix + component.name + '.' + std::to_string(k);
                if (inner < 0)
                    out.push_back({path, device, static_cast<std::int32_t>(c), nested, nestedLength});
                else if (closed)
                    listLeaves(inner, path + '.', nextNested++, path.size(), nextNested, out);
                else
                    listLeaves(inner, path + '.', nested, nestedLength, nextNested, out);
            }
        }
    }

    void placeNodes()
    {
        m_out.m_leaves.resize(m_document.devices.size());
        std::int64_t next = 0;
        for (const InfraInstance& instance : m_document.instances) {
            checkStop(m_stop);
            const std::int32_t device = m_document.deviceIndex(instance.device);
            if (m_out.m_leaves[at(device)].empty() && instance.count > 0) {
                std::int32_t nested = 0;
                listLeaves(device, "", -1, 0, nested, m_out.m_leaves[at(device)]);
            }
            m_out.m_instanceDevice.push_back(device);
            m_out.m_instanceFirst.push_back(static_cast<std::int32_t>(next));
            next += m_counts[at(device)] * std::max(instance.count, 0);
        }
        m_out.m_instanceFirst.push_back(static_cast<std::int32_t>(next));
        m_out.m_nodes = static_cast<std::int32_t>(next);
    }

    std::int32_t linkUse(std::int32_t device, const std::string& name)
    {
        const auto [found, added] = m_linkNumbers.try_emplace({device, name}, static_cast<std::int32_t>(m_out.m_links.size()));
        if (added) {
            const auto& list = device < 0 ? m_document.links : m_document.devices[at(device)].links;
            const auto link = std::find_if(list.rbegin(), list.rend(), [&](const InfraLink& known) { return known.name == name; });
            m_out.m_links.push_back({name, device, link == list.rend() ? nullptr : &*link});
        }
        return found->second;
    }

    template <typename Take>
    void pairUp(InfraScheme scheme, const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b, Take take) const
    {
        if (scheme == InfraScheme::ManyToMany) {
            for (const std::int64_t first : a) {
                checkStop(m_stop);
                for (const std::int64_t second : b)
                    take(first, second);
            }
        } else {
            for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
                take(a[i], b[i]);
        }
    }

    static Status checkScheme(const InfraRule& rule)
    {
        if (!rule.scheme)
            return invalidInput("\"scheme\" is missing", rule.place, "one2one or many2many");
        if (*rule.scheme == InfraScheme::Ring)
            return invalidInput("the scheme ring is reserved: the reference cannot expand it", rule.place, "one2one or many2many");
        return {};
    }

    /// All edges inside one copy of a device, those of nested devices included.
    Status expandDevice(std::int32_t device)
    {
        if (m_done[at(device)])
            return {};
        m_done[at(device)] = true;
        std::vector<RawEdge>& out = m_deviceEdges[at(device)];
        const InfraDevice& inside = m_document.devices[at(device)];
        for (const InfraRule& rule : inside.rules) {
            checkStop(m_stop);
            if (Status status = checkScheme(rule); !status)
                return status;
            auto first = resolved([&](auto& problems) { return resolveInfraPath(m_document, device, infraPathText(rule.ep1), problems); }, rule.ep1);
            if (!first)
                return std::move(first).error();
            auto second = resolved([&](auto& problems) { return resolveInfraPath(m_document, device, infraPathText(rule.ep2), problems); }, rule.ep2);
            if (!second)
                return std::move(second).error();
            const std::int32_t link = linkUse(device, rule.link);
            pairUp(*rule.scheme, leavesOf(m_layout, first.value(), m_stop), leavesOf(m_layout, second.value(), m_stop), [&](std::int64_t a, std::int64_t b) {
                if (a != b)
                    out.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), link, -1});
            });
        }
        for (std::size_t c = 0; c < inside.components.size(); ++c) {
            const InfraComponent& component = inside.components[c];
            if (component.choice != InfraChoice::Device)
                continue;
            const std::int32_t inner = m_document.deviceIndex(component.name);
            if (Status status = expandDevice(inner); !status)
                return status;
            for (std::int32_t k = 0; k < component.count; ++k) {
                checkStop(m_stop);
                const std::int64_t base = m_layout.offsets[at(device)][c] + k * m_layout.strides[at(device)][c];
                for (const RawEdge& edge : m_deviceEdges[at(inner)])
                    out.push_back({static_cast<std::int32_t>(base + edge.a), static_cast<std::int32_t>(base + edge.b), edge.link, -1});
            }
        }
        return {};
    }

    Result<std::vector<std::int64_t>> instanceNodes(const InfraEndpoint& endpoint)
    {
        auto instance = resolved([&](auto& problems) { return resolveInfraInstance(m_document, endpoint.prefix, problems); }, endpoint);
        if (!instance)
            return std::move(instance).error();
        const auto [number, copies] = instance.value();
        const std::int32_t device = m_out.m_instanceDevice[at(number)];
        auto path = resolved([&, device = device](auto& problems) { return resolveInfraPath(m_document, device, endpoint.component, problems); }, endpoint);
        if (!path)
            return std::move(path).error();
        const std::vector<std::int64_t> leaves = leavesOf(m_layout, path.value(), m_stop);
        std::vector<std::int64_t> nodes;
        nodes.reserve(leaves.size() * at(copies.length));
        for (std::int64_t i = 0; i < copies.length; ++i) {
            checkStop(m_stop);
            const std::int64_t base = m_out.m_instanceFirst[at(number)] + (copies.first + i * copies.step) * m_counts[at(device)];
            for (const std::int64_t leaf : leaves)
                nodes.push_back(base + leaf);
        }
        return nodes;
    }

    Status expandInstanceRule(std::int32_t number)
    {
        checkStop(m_stop);
        const InfraRule& rule = m_document.rules[at(number)];
        if (Status status = checkScheme(rule); !status)
            return status;
        auto first = instanceNodes(rule.ep1);
        if (!first)
            return std::move(first).error();
        auto second = instanceNodes(rule.ep2);
        if (!second)
            return std::move(second).error();
        const std::int32_t link = linkUse(-1, rule.link);
        pairUp(*rule.scheme, first.value(), second.value(), [&](std::int64_t a, std::int64_t b) { add(a, b, link, number); });
        return {};
    }

    void add(std::int64_t a, std::int64_t b, std::int32_t link, std::int32_t rule)
    {
        if (a != b)
            m_raw.push_back({static_cast<std::int32_t>(std::min(a, b)), static_cast<std::int32_t>(std::max(a, b)), link, rule});
    }

    /// Edges between the same nodes become one.
    void join()
    {
        sortUntilStopped(m_raw, [](const RawEdge& x, const RawEdge& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); }, m_stop);
        for (const RawEdge& raw : m_raw) {
            checkStop(m_stop);
            if (m_out.m_edges.empty() || m_out.m_edges.back().a != raw.a || m_out.m_edges.back().b != raw.b)
                m_out.m_edges.push_back({raw.a, raw.b, raw.link, -1, -1, raw.rule});
            InfraEdge& edge = m_out.m_edges.back();
            edge.link = raw.link;
            edge.instanceRule = raw.rule;
            const InfraLink* link = m_out.m_links[at(raw.link)].link;
            if (link && link->bandwidth)
                edge.bandwidth = raw.link;
            if (link && link->latency)
                edge.latency = raw.link;
        }
    }

    const std::stop_token& m_stop;
    const InfraDocument& m_document;
    std::vector<std::int64_t> m_counts;
    Layout m_layout;
    InfraExpansion m_out;
    std::map<std::pair<std::int32_t, std::string>, std::int32_t> m_linkNumbers;
    std::vector<std::vector<RawEdge>> m_deviceEdges;
    std::vector<bool> m_done;
    std::vector<RawEdge> m_raw;
};

Result<InfraExpansion> expandInfraGraph(const InfraDocument& document, const std::stop_token& stop)
{
    return untilStopped([&]() -> Result<InfraExpansion> {
        Diagnostics structure;
        checkInfraGraph(document, structure, stop);
        for (const Diagnostic& found : structure) {
            if (found.severity == Severity::Error)
                return toError(found);
        }
        return InfraExpander(document, stop).run();
    });
}

InfraSize infraSize(const InfraDocument& document, const std::stop_token& stop)
{
    const std::vector<std::int64_t> counts = leafCounts(document);
    std::vector<std::int64_t> edges(document.devices.size(), -1);
    const auto ends = [&](std::int32_t device, const InfraEndpoint& endpoint, bool instance) -> std::int64_t {
        checkStop(stop);
        std::vector<InfraPathProblem> problems;
        std::int64_t copies = 1;
        if (instance) {
            const auto found = resolveInfraInstance(document, endpoint.prefix, problems);
            if (!found)
                return 0;
            copies = found->second.length;
            device = document.deviceIndex(document.instances[at(found->first)].device);
        }
        const auto path = resolveInfraPath(document, device, instance ? endpoint.component : infraPathText(endpoint), problems);
        return path ? cappedProduct(copies, path->length) : 0;
    };
    const auto inside = [&](auto&& self, std::int32_t device) -> std::int64_t {
        std::int64_t& known = edges[at(device)];
        if (known >= 0)
            return known;
        std::int64_t sum = 0;
        for (const InfraRule& rule : document.devices[at(device)].rules)
            sum = cappedSum(sum, pairCount(rule.scheme.value_or(InfraScheme::OneToOne), ends(device, rule.ep1, false), ends(device, rule.ep2, false)));
        for (const InfraComponent& component : document.devices[at(device)].components) {
            if (component.choice == InfraChoice::Device)
                sum = cappedSum(sum, cappedProduct(std::max(component.count, 0), self(self, document.deviceIndex(component.name))));
        }
        return known = sum;
    };
    InfraSize size;
    for (const InfraInstance& instance : document.instances) {
        const std::int32_t device = document.deviceIndex(instance.device);
        size.nodes = cappedSum(size.nodes, cappedProduct(std::max(instance.count, 0), counts[at(device)]));
        size.edges = cappedSum(size.edges, cappedProduct(std::max(instance.count, 0), inside(inside, device)));
    }
    for (const InfraRule& rule : document.rules)
        size.edges = cappedSum(size.edges, pairCount(rule.scheme.value_or(InfraScheme::OneToOne), ends(-1, rule.ep1, true), ends(-1, rule.ep2, true)));
    return size;
}

std::int32_t InfraExpansion::instanceOf(std::int32_t node) const
{
    return static_cast<std::int32_t>(std::upper_bound(m_instanceFirst.begin(), m_instanceFirst.end(), node) - m_instanceFirst.begin()) - 1;
}

std::int32_t InfraExpansion::copyLength(std::int32_t instance) const
{
    return static_cast<std::int32_t>(m_leaves[at(m_instanceDevice[at(instance)])].size());
}

std::int32_t InfraExpansion::copyOf(std::int32_t node) const
{
    const std::int32_t instance = instanceOf(node);
    return (node - m_instanceFirst[at(instance)]) / copyLength(instance);
}

std::int32_t InfraExpansion::firstNode(std::int32_t instance, std::int32_t copy) const
{
    return m_instanceFirst[at(instance)] + copy * copyLength(instance);
}

const InfraLeaf& InfraExpansion::leaf(std::int32_t node) const
{
    const std::int32_t instance = instanceOf(node);
    return m_leaves[at(m_instanceDevice[at(instance)])][at((node - m_instanceFirst[at(instance)]) % copyLength(instance))];
}

const InfraComponent& InfraExpansion::component(std::int32_t node) const
{
    const InfraLeaf& found = leaf(node);
    return m_document->devices[at(found.device)].components[at(found.component)];
}

std::string InfraExpansion::name(std::int32_t node) const
{
    return m_document->instances[at(instanceOf(node))].name + '.' + std::to_string(copyOf(node)) + '.' + leaf(node).path;
}

std::int32_t InfraExpansion::find(std::string_view text) const
{
    const std::size_t dot = text.find('.');
    const std::size_t second = dot == std::string_view::npos ? dot : text.find('.', dot + 1);
    if (second == std::string_view::npos)
        return -1;
    const auto& instances = m_document->instances;
    const auto found = std::find_if(instances.begin(), instances.end(), [&](const InfraInstance& instance) { return instance.name == text.substr(0, dot); });
    if (found == instances.end())
        return -1;
    const auto instance = static_cast<std::int32_t>(found - instances.begin());
    std::int64_t copy = 0;
    for (const char c : text.substr(dot + 1, second - dot - 1)) {
        if (c < '0' || c > '9' || (copy = copy * 10 + (c - '0')) >= found->count)
            return -1;
    }
    if (text[dot + 1] == '0' && second != dot + 2)
        return -1;
    const auto& leaves = m_leaves[at(m_instanceDevice[at(instance)])];
    const auto leafFound = std::find_if(leaves.begin(), leaves.end(), [&](const InfraLeaf& known) { return known.path == text.substr(second + 1); });
    return leafFound == leaves.end() || second == dot + 1 ? -1 : firstNode(instance, static_cast<std::int32_t>(copy)) + static_cast<std::int32_t>(leafFound - leaves.begin());
}

} // namespace fabricscope
