// manual: formats 6.2: what an importer has to refuse although the reference accepts much of it.

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/formats/infragraph/infragraph.h"
#include "core/formats/infragraph/expandinstances.h"
#include "core/base/showntext.h"
#include "core/formats/infragraph/paths.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace fabricscope {

namespace {

class Checker {
public:
    Checker(const InfraDocument& document, Diagnostics& diagnostics, const std::stop_token& stop)
        : m_stop(stop)
        , m_document(document)
        , m_diagnostics(diagnostics)
    {
    }

    void run()
    {
        checkNames();
        checkNesting();
        checkInstances();
        if (m_failed)
            return; // paths need devices that can be followed
        for (std::size_t device = 0; device < m_document.devices.size(); ++device) {
            for (const InfraRule& rule : m_document.devices[device].rules)
                checkRule(rule, static_cast<std::int32_t>(device), m_document.devices[device].links);
        }
        for (const InfraRule& rule : m_document.rules)
            checkRule(rule, -1, m_document.links);
        if (!m_failed)
            checkSize();
        if (!m_failed)
            checkAnnotations();
    }

private:
    void report(Severity severity, const char* rule, const Place& place, std::string message, std::string expected = {})
    {
        Diagnostic found;
        found.severity = severity;
        found.rule = std::string("infragraph-") + rule;
        found.message = std::move(message);
        found.place = place;
        if (found.place.file.empty())
            found.place.file = m_document.file;
        found.expected = std::move(expected);
        m_failed = m_failed || severity == Severity::Error;
        m_diagnostics.push_back(std::move(found));
    }
    void error(const char* rule, const Place& place, std::string message, std::string expected = {}) { report(Severity::Error, rule, place, std::move(message), std::move(expected)); }

    void checkUnique(const auto& list, const char* rule, const std::string& what)
    {
        std::set<std::string_view> seen;
        for (const auto& item : list) {
            checkStop(m_stop);
            if (!seen.insert(item.name).second)
                error(rule, item.place, "a second " + what + " is called \"" + item.name + '"', "different names");
        }
    }

    void checkNames()
    {
        checkUnique(m_document.devices, "duplicate-device", "device");
        checkUnique(m_document.links, "duplicate-link", "link of the infrastructure");
        checkUnique(m_document.instances, "duplicate-instance", "instance");
        for (const InfraDevice& device : m_document.devices) {
            checkUnique(device.components, "duplicate-component", "component of " + device.name);
            checkUnique(device.links, "duplicate-link", "link of " + device.name);
            for (const InfraComponent& component : device.components) {
                if (component.name.find('[') != std::string::npos)
                    report(Severity::Warning, "component-bracket", component.place, "no rule can name \"" + component.name + "\": [ begins an index", "a name without brackets");
            }
        }
    }

    void checkNesting()
    {
        for (const InfraDevice& device : m_document.devices) {
            for (const InfraComponent& component : device.components) {
                checkStop(m_stop);
                if (component.choice == InfraChoice::Device && m_document.deviceIndex(component.name) < 0)
                    error("unknown-device", component.place, "there is no device \"" + component.name + "\": a nested device has the name of its component", "the name of a device");
            }
        }
        if (m_failed)
            return;
        enum class Mark : std::uint8_t { New, Open, Done };
        std::vector<Mark> marks(m_document.devices.size(), Mark::New);
        std::vector<std::int32_t> path;
        constexpr std::size_t kDeepest = 32;
        const auto visit = [&](auto&& self, std::int32_t number) -> bool {
            checkStop(m_stop);
            const auto index = static_cast<std::size_t>(number);
            if (marks[index] == Mark::Done)
                return true;
            path.push_back(number);
            if (marks[index] == Mark::Open || path.size() > kDeepest) {
                std::string way;
                const auto first = std::find(path.begin(), path.end(), number);
                for (auto step = first; step != path.end(); ++step)
                    way += (step == first ? "" : " > ") + m_document.devices[at(*step)].name;
                const bool cycle = marks[index] == Mark::Open;
                error("cycle", m_document.devices[index].place, cycle ? "a device holds itself: " + way : "devices are nested more than 32 deep", cycle ? "devices without a ring" : "at most 32 levels");
                return false;
            }
            marks[index] = Mark::Open;
            for (const InfraComponent& component : m_document.devices[index].components) {
                if (component.choice == InfraChoice::Device && !self(self, m_document.deviceIndex(component.name)))
                    return false;
            }
            marks[index] = Mark::Done;
            path.pop_back();
            return true;
        };
        for (std::size_t device = 0; device < m_document.devices.size(); ++device) {
            if (!visit(visit, static_cast<std::int32_t>(device)))
                return;
        }
    }

    void checkInstances()
    {
        for (const InfraInstance& instance : m_document.instances) {
            checkStop(m_stop);
            if (m_document.deviceIndex(instance.device) < 0)
                error("unknown-device", instance.place, "there is no device \"" + instance.device + '"', "the name of a device");
            if (instance.name.find('[') != std::string::npos)
                error("instance-bracket", instance.place, "no rule can name \"" + instance.name + "\": [ begins an index", "a name without brackets");
        }
    }

    /// Length of an endpoint's list; nothing where it has an error.
    std::optional<std::int64_t> lengthOf(const InfraEndpoint& endpoint, std::int32_t device)
    {
        std::vector<InfraPathProblem> problems;
        std::optional<std::int64_t> length;
        std::int64_t copies = 1;
        std::int32_t inside = device;
        bool known = true;
        if (device < 0) {
            const auto instance = resolveInfraInstance(m_document, endpoint.prefix, problems);
            known = instance.has_value();
            if (instance) {
                copies = instance->second.length;
                inside = m_document.deviceIndex(m_document.instances[at(instance->first)].device);
            }
        }
        if (known) {
            const auto path = resolveInfraPath(m_document, inside, device < 0 ? endpoint.component : infraPathText(endpoint), problems);
            if (path)
                length = cappedProduct(copies, path->length);
        }
        for (InfraPathProblem& problem : problems)
            report(problem.severity, problem.rule, endpoint.place, std::move(problem.message), std::move(problem.expected));
        return length;
    }

    void checkRule(const InfraRule& rule, std::int32_t device, const std::vector<InfraLink>& links)
    {
        checkStop(m_stop);
        if (!rule.scheme)
            error("scheme", rule.place, "\"scheme\" is missing", "one2one or many2many");
        else if (*rule.scheme == InfraScheme::Ring)
            error("scheme", rule.place, "the scheme ring is reserved: the reference cannot expand it", "one2one or many2many");
        const auto first = lengthOf(rule.ep1, device);
        const auto second = lengthOf(rule.ep2, device);
        if (first && second && rule.scheme == InfraScheme::OneToOne && *first != *second)
            report(Severity::Warning, "lengths", rule.place, "one2one pairs a list of " + std::to_string(*first) + " with one of " + std::to_string(*second) + ": the rest stays unconnected",
                   "lists of equal length");
        const auto link = std::find_if(links.begin(), links.end(), [&](const InfraLink& known) { return known.name == rule.link; });
        const std::string owner = device < 0 ? "the infrastructure" : m_document.devices[at(device)].name;
        if (link == links.end()) {
            if (m_saidLinks.insert({device, rule.link}).second)
                report(Severity::Warning, "unknown-link", rule.place, owner + " has no link \"" + rule.link + "\": its edges have no bandwidth and no latency", "the name of one of its links");
        } else if (!link->bandwidth && m_saidLinks.insert({device, rule.link}).second) {
            report(Severity::Note, "no-bandwidth", link->place, "the link " + rule.link + " of " + owner + " has no bandwidth: to be completed before a simulation");
        }
    }

    void checkSize()
    {
        const InfraSize size = infraSize(m_document, m_stop);
        const Place place;
        if (size.nodes == 0)
            error("empty", place, "empty infrastructure: it has no node", "instances of devices that hold components");
        if (cappedSum(size.nodes, size.edges) > kMaxInfraElements)
            error("size", place, std::to_string(size.nodes) + " nodes and up to " + std::to_string(size.edges) + " edges", "at most " + std::to_string(kMaxInfraElements) + " together");
    }

    void checkAnnotations()
    {
        if (m_document.nodeAnnotations.empty() && m_document.edgeAnnotations.empty() && m_document.linkAnnotations.empty())
            return;
        for (const InfraAnnotation& annotation : m_document.nodeAnnotations) {
            checkStop(m_stop);
            if (!annotation.attributes.empty())
                checkSelector(annotation.first, annotation.place);
        }
        std::set<std::string_view> links;
        for (const InfraLink& link : m_document.links)
            links.insert(link.name);
        for (const InfraDevice& device : m_document.devices) {
            for (const InfraLink& link : device.links)
                links.insert(link.name);
        }
        for (const InfraAnnotation& annotation : m_document.linkAnnotations) {
            checkStop(m_stop);
            if (!links.contains(annotation.first))
                report(Severity::Warning, "annotation", annotation.place, "no link is called \"" + annotation.first + "\": ignored", "the name of a link");
        }
    }

    /// The instance of a selector exists; deeper parts are looked up in the expansion.
    void checkSelector(const std::string& selector, const Place& place)
    {
        const std::string instance = selector.substr(0, selector.find_first_of(".["));
        const bool known = std::any_of(m_document.instances.begin(), m_document.instances.end(), [&](const InfraInstance& other) { return other.name == instance; });
        if (!known)
            error("annotation", place, quotedText(selector) + " selects no node: there is no instance " + quotedText(instance), "the id of a node, or of what holds nodes");
    }

    const std::stop_token& m_stop;
    const InfraDocument& m_document;
    Diagnostics& m_diagnostics;
    std::set<std::pair<std::int32_t, std::string>> m_saidLinks;
    bool m_failed = false;
};

} // namespace

void checkInfraGraph(const InfraDocument& document, Diagnostics& diagnostics, const std::stop_token& stop)
{
    Checker(document, diagnostics, stop).run();
}

void checkInfraExpansion(const InfraDocument& document, Diagnostics& diagnostics, const std::stop_token& stop)
{
    const auto expanded = expandInfraGraph(document, stop);
    checkStop(stop);
    if (!expanded)
        return;
    const InfraExpansion& graph = expanded.value();
    const auto count = static_cast<std::size_t>(graph.nodeCount());
    std::vector<std::int32_t> part(count);
    std::iota(part.begin(), part.end(), 0);
    const auto root = [&part](std::int32_t node) {
        while (part[at(node)] != node)
            node = part[at(node)] = part[at(part[at(node)])];
        return node;
    };
    std::vector<std::int32_t> degree(count, 0);
    std::vector<std::int32_t> cables(count, 0); // of rules between instances
    for (const InfraEdge& edge : graph.edges()) {
        checkStop(stop);
        for (const std::int32_t end : {edge.a, edge.b}) {
            ++degree[at(end)];
            cables[at(end)] += edge.instanceRule >= 0 ? 1 : 0;
        }
        part[at(root(edge.b))] = root(edge.a);
    }
    Place place;
    place.file = document.file;
    std::int32_t isolated = 0;
    std::int32_t parts = 0;
    std::int32_t shared = 0;
    std::int32_t firstIsolated = -1;
    std::int32_t firstShared = -1;
    for (std::int32_t node = 0; node < graph.nodeCount(); ++node) {
        checkStop(stop);
        const auto index = static_cast<std::size_t>(node);
        if (degree[index] == 0 && isolated++ == 0)
            firstIsolated = node;
        parts += part[index] == node ? 1 : 0;
        if (cables[index] > 1 && graph.component(node).choice == InfraChoice::Port && shared++ == 0)
            firstShared = node;
    }
    if (isolated > 0)
        diagnostics.push_back(note("infragraph-isolated", std::to_string(isolated) + (isolated == 1 ? " node has" : " nodes have") + " no edge; the first is " + graph.name(firstIsolated), place));
    if (parts - isolated > 1)
        diagnostics.push_back(note("infragraph-parts", "the graph falls into " + std::to_string(parts - isolated) + " connected parts", place));
    if (shared > 0)
        diagnostics.push_back(warning("infragraph-port", std::to_string(shared) + (shared == 1 ? " port has" : " ports have") + " several cables; the first is " + graph.name(firstShared), place));
}

} // namespace fabricscope
