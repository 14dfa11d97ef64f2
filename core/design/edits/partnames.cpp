#include "core/design/edits/partnames.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <unordered_map>

namespace fabricscope {

namespace {

const YamlPath kNpuOverrides{"platform", "overrides", "npus"};
const YamlPath kLinkOverrides{"platform", "overrides", "links"};

/// "*" stands for any letters.
bool fitsPattern(std::string_view pattern, std::string_view name)
{
    std::size_t star = pattern.find('*');
    if (star == std::string_view::npos)
        return pattern == name;
    if (!name.starts_with(pattern.substr(0, star)))
        return false;
    name.remove_prefix(star);
    for (std::size_t next = pattern.find('*', star + 1); next != std::string_view::npos; star = next, next = pattern.find('*', star + 1)) {
        const std::string_view part = pattern.substr(star + 1, next - star - 1);
        const std::size_t found = name.find(part);
        if (found == std::string_view::npos)
            return false;
        name.remove_prefix(found + part.size());
    }
    return name.ends_with(pattern.substr(star + 1));
}

std::optional<std::int64_t> wholeIn(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0 ? std::nullopt : std::optional(value);
}

/// As overrides tell numbers of NPUs from names.
bool isNpuNumber(std::string_view text) { return text.find_first_not_of("-0123456789") == std::string_view::npos; }

/// Names of several links: "leaf3<>spine5", "unit*.leaf3>spine*#2".
struct LinkPattern {
    std::string a;
    std::string b;
    bool both = false;
    std::int64_t parallel = 0; ///< Which of those side by side; 0: all.
    std::string text() const { return a + (both ? "<>" : ">") + b + (parallel > 0 ? '#' + std::to_string(parallel) : std::string()); }
};

bool isLinkPattern(std::string_view name) { return name.find("<>") != std::string_view::npos || name.find('*') != std::string_view::npos; }

std::optional<LinkPattern> linkPattern(const std::string& name)
{
    LinkPattern out;
    const std::size_t hash = name.rfind('#');
    const std::string ends = name.substr(0, hash);
    out.parallel = hash == std::string::npos ? 0 : wholeIn(std::string_view(name).substr(hash + 1)).value_or(-1);
    out.both = name.find("<>") != std::string::npos;
    const std::size_t arrow = ends.find(out.both ? "<>" : ">");
    if (arrow == std::string::npos || out.parallel < 0 || (hash != std::string::npos && out.parallel == 0))
        return std::nullopt;
    out.a = ends.substr(0, arrow);
    out.b = ends.substr(arrow + (out.both ? 2 : 1));
    return out;
}

using Numbers = std::vector<std::size_t>;

/// What names mean in a graph, errors and all: linknames.h says it for platforms that have none.
class NamedParts {
public:
    explicit NamedParts(const GraphText& graph) : m_graph(graph)
    {
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            if (!graph.nodes[i].name.empty())
                m_nodes.emplace(graph.nodes[i].name, i); // Of two with one name the first has the links.
        }
        for (const GraphText::Link& link : graph.links) {
            m_firstOf.push_back(m_links.size());
            const auto from = node(link.from);
            const auto to = node(link.to);
            if (!from || !to)
                continue;
            add(*from, *to);
            if (link.eachWay)
                add(*to, *from);
        }
        m_firstOf.push_back(m_links.size());
    }

    std::optional<std::size_t> node(const std::string& name) const
    {
        const auto found = m_nodes.find(name);
        return found == m_nodes.end() ? std::nullopt : std::optional(found->second);
    }
    const std::string& nodeName(std::size_t node) const { return m_graph.nodes[node].name; }
    Numbers npus(const std::string& pattern) const
    {
        Numbers out;
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
            if (m_graph.nodes[i].kind == NodeKind::Npu && fitsPattern(pattern, nodeName(i)))
                out.push_back(i);
        }
        return out;
    }

    std::size_t linkCount() const { return m_links.size(); }
    const std::string& linkName(std::size_t link) const { return m_links[link].name; }
    std::size_t from(std::size_t link) const { return m_links[link].from; }
    bool areJoined(std::size_t from, std::size_t to) const { return m_parallel.contains({from, to}); }
    /// The first of an item, and behind those of the last item the number of all.
    std::size_t firstOf(std::size_t item) const { return m_firstOf[item]; }
    /// Overrides name several at once, all else one.
    Numbers links(const std::string& name, bool several) const
    {
        if (several && isLinkPattern(name)) {
            const auto pattern = linkPattern(name);
            return pattern ? linksOf(*pattern) : Numbers();
        }
        auto found = m_named.find(name);
        if (found == m_named.end() && name.ends_with("#1"))
            found = m_named.find(name.substr(0, name.size() - 2));
        return found == m_named.end() ? Numbers() : Numbers{found->second};
    }

private:
    struct Link {
        std::size_t from;
        std::size_t to;
        std::int64_t parallel;
        std::string name;
    };

    void add(std::size_t from, std::size_t to)
    {
        const std::int64_t parallel = ++m_parallel[{from, to}];
        std::string name = nodeName(from) + '>' + nodeName(to) + (parallel > 1 ? '#' + std::to_string(parallel) : std::string());
        m_named.emplace(name, m_links.size());
        m_links.push_back({from, to, parallel, std::move(name)});
    }

    Numbers linksOf(const LinkPattern& pattern) const
    {
        std::vector<bool> a;
        std::vector<bool> b;
        for (const GraphText::Node& node : m_graph.nodes) {
            a.push_back(fitsPattern(pattern.a, node.name));
            b.push_back(fitsPattern(pattern.b, node.name));
        }
        Numbers out;
        for (std::size_t i = 0; i < m_links.size(); ++i) {
            const Link& link = m_links[i];
            if ((pattern.parallel == 0 || pattern.parallel == link.parallel) && ((a[link.from] && b[link.to]) || (pattern.both && b[link.from] && a[link.to])))
                out.push_back(i);
        }
        return out;
    }

    const GraphText& m_graph;
    std::unordered_map<std::string, std::size_t> m_nodes;
    std::vector<Link> m_links; ///< One way each.
    std::vector<std::size_t> m_firstOf;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> m_parallel;
    std::unordered_map<std::string, std::size_t> m_named;
};

/// A name from now on; empty: what it means is gone.
using NewName = Result<std::string>;

class PartsFollower {
public:
    PartsFollower(const YamlDocument& yaml, TextSplices& splices, const PartsChange& change)
        : m_yaml(yaml), m_splices(splices), m_node(change.nodes), m_before(change.before), m_after(change.after)
    {
        for (std::size_t item = 0; item < change.links.size(); ++item) {
            for (std::size_t link = m_before.firstOf(item); link < m_before.firstOf(item + 1); ++link)
                m_link.push_back(change.links[item] < 0 ? -1 : static_cast<std::int64_t>(m_after.firstOf(static_cast<std::size_t>(change.links[item])) + link - m_before.firstOf(item)));
        }
    }

    Status overrides()
    {
        if (Status status = each(kNpuOverrides, [&](const YamlPath& at) { return renamed(at, "npu", &PartsFollower::npuOf); }); !status)
            return status;
        return each(kLinkOverrides, [&](const YamlPath& at) { return renamed(at, "link", &PartsFollower::linksOf); });
    }

    Status jobs(const YamlPath& list)
    {
        return each(list, [&](const YamlPath& at) -> Result<bool> {
            const Status status = m_yaml.find(below(at, "nodes")) ? listedNodes(below(at, "nodes")) : everyNode(at);
            return status ? Result<bool>(true) : status.error();
        });
    }

    Status faults()
    {
        return each({"network", "faults"}, [&](const YamlPath& at) { return m_yaml.find(below(at, "npu")) ? renamed(at, "npu", &PartsFollower::numberOf) : renamed(at, "link", &PartsFollower::linkOf); });
    }

    Status routes()
    {
        if (Status status = each({"network", "routing", "routes"}, [&](const YamlPath& at) { return route(at); }); !status)
            return status;
        return each({"network", "routing", "next_hops"}, [&](const YamlPath& at) -> Result<bool> {
            const std::string link = textOf(*m_yaml.find(at), "link");
            const Numbers old = m_before.links(link, false);
            if (isGone(textOf(*m_yaml.find(at), "to")) || (!old.empty() && m_node[m_before.from(old.front())] < 0))
                return false;
            const Result<bool> stays = renamed(at, "link", &PartsFollower::linkOf);
            if (stays && !stays.value())
                return lost(at, "the next link " + link + " is deleted, and its node is not");
            return stays ? renamed(at, "to", &PartsFollower::nodeOf) : stays;
        });
    }

private:
    static YamlPath below(YamlPath path, const std::string& step)
    {
        path.push_back(step);
        return path;
    }

    Error lost(const YamlPath& at, std::string message) const
    {
        return {ErrorCode::Unsupported, std::move(message), m_yaml.place(*m_yaml.find(at), yamlPathText(at)), "to change that first"};
    }

    /// Takes out those items for which `stays` says no.
    Status each(const YamlPath& list, const std::function<Result<bool>(const YamlPath&)>& stays)
    {
        Numbers gone;
        const auto items = itemsAt(m_yaml, list);
        for (std::size_t i = 0; i < items.size(); ++i) {
            const Result<bool> kept = items[i].isMap() ? stays(itemOf(list, i)) : Result<bool>(true);
            if (!kept)
                return kept.error();
            if (!kept.value())
                gone.push_back(i);
        }
        m_splices.removeItems(list, gone);
        return {};
    }

    /// False: what the key names is gone.
    Result<bool> renamed(const YamlPath& map, const std::string& key, NewName (PartsFollower::*of)(const std::string&, const YamlPath&) const)
    {
        const YamlPath at = key.empty() ? map : below(map, key);
        const YamlNode* node = m_yaml.find(at);
        if (!node || !node->isScalar())
            return true;
        const NewName now = (this->*of)(node->text, at);
        if (!now)
            return now.error();
        if (!now.value().empty() && now.value() != node->text)
            m_splices.setScalar(at, now.value());
        return node->text.empty() || !now.value().empty();
    }

    bool isGone(const std::string& name) const
    {
        const auto node = m_before.node(name);
        return node && m_node[*node] < 0;
    }

    NewName nodeOf(const std::string& name, const YamlPath&) const
    {
        const auto node = m_before.node(name);
        return !node ? name : m_node[*node] < 0 ? std::string() : m_after.nodeName(static_cast<std::size_t>(m_node[*node]));
    }

    NewName numberOf(const std::string& text, const YamlPath&) const
    {
        const auto number = wholeIn(text);
        if (!number || static_cast<std::size_t>(*number) >= m_node.size())
            return text;
        const std::int64_t now = m_node[static_cast<std::size_t>(*number)];
        return now < 0 ? std::string() : std::to_string(now);
    }

    static Numbers kept(const Numbers& old, const std::vector<std::int64_t>& now)
    {
        Numbers out;
        for (const std::size_t number : old) {
            if (now[number] >= 0)
                out.push_back(static_cast<std::size_t>(now[number]));
        }
        return out;
    }

    NewName npuOf(const std::string& name, const YamlPath& at) const
    {
        if (isNpuNumber(name))
            return numberOf(name, at);
        const Numbers old = m_before.npus(name);
        const Numbers now = kept(old, m_node);
        if (old.empty() || now.empty() || m_after.npus(name) == now)
            return old.empty() || !now.empty() ? name : std::string();
        if (now.size() > 1 || name.find('*') != std::string::npos)
            return lost(at, "\"" + name + "\" would mean other NPUs");
        const std::string& called = m_after.nodeName(now.front());
        return isNpuNumber(called) ? std::to_string(now.front()) : called;
    }

    NewName linkOf(const std::string& name, const YamlPath& at) const { return linkName(name, at, false); }
    NewName linksOf(const std::string& name, const YamlPath& at) const { return linkName(name, at, true); }
    NewName linkName(const std::string& name, const YamlPath& at, bool several) const
    {
        const Numbers old = m_before.links(name, several);
        const Numbers now = kept(old, m_link);
        if (old.empty() || now.empty() || m_after.links(name, several) == now)
            return old.empty() || !now.empty() ? name : std::string();
        std::vector<std::string> tried;
        if (now.size() == 1)
            tried.push_back(m_after.linkName(now.front()));
        for (auto pattern = several && isLinkPattern(name) ? linkPattern(name) : std::nullopt; pattern; --pattern->parallel) {
            for (std::string* end : {&pattern->a, &pattern->b})
                *end = nodeOf(*end, at).value();
            tried.push_back(pattern->text());
            if (pattern->parallel < 2)
                break;
        }
        // A name of both ways stays one where it can.
        const auto found = std::find_if(tried.rbegin(), tried.rend(), [&](const std::string& one) { return m_after.links(one, several) == now; });
        return found == tried.rend() ? NewName(lost(at, "\"" + name + "\" would mean other links")) : NewName(*found);
    }

    Status listedNodes(const YamlPath& list)
    {
        const auto items = itemsAt(m_yaml, list);
        for (std::size_t i = 0; i < items.size(); ++i) {
            const Result<bool> stays = renamed(itemOf(list, i), {}, &PartsFollower::numberOf);
            if (!stays)
                return stays.error();
            if (!stays.value())
                return lost(list, "a rank of this job runs on NPU " + items[i].text + ", which is deleted");
        }
        return {};
    }

    /// Of a job with a first node and a stride.
    Status everyNode(const YamlPath& job)
    {
        const auto given = [&](const char* key, std::int64_t usual) { return wholeIn(textOf(*m_yaml.find(job), key)).value_or(usual); };
        const std::int64_t ranks = given("ranks", 1);
        const std::int64_t stride = std::max<std::int64_t>(given("stride", 1), 1);
        const auto count = static_cast<std::int64_t>(m_node.size());
        std::vector<std::int64_t> now;
        for (std::int64_t node = given("first_node", 0); node < count && static_cast<std::int64_t>(now.size()) < ranks; node += stride) {
            now.push_back(m_node[static_cast<std::size_t>(node)]);
            if (now.back() < 0)
                return lost(job, "a rank of this job runs on NPU " + std::to_string(node) + ", which is deleted");
        }
        for (std::size_t i = 2; i < now.size(); ++i) {
            if (now[i] - now[i - 1] != now[1] - now[0])
                return lost(job, "the NPUs of this job would be no longer at equal distances");
        }
        for (const auto& [key, value] : {std::pair{"first_node", now.empty() ? -1 : now[0]}, {"stride", now.size() < 2 ? -1 : now[1] - now[0]}}) {
            const YamlNode* node = m_yaml.find(below(job, key)); // Without one it is 0, or 1, and stays so.
            if (node && value >= 0 && node->text != std::to_string(value))
                m_splices.setScalar(below(job, key), std::to_string(value));
        }
        return {};
    }

    Result<bool> route(const YamlPath& at)
    {
        const YamlNode& map = *m_yaml.find(at);
        std::vector<std::string> way{textOf(map, "from")};
        for (const YamlNode& item : itemsAt(m_yaml, below(at, "via")))
            way.push_back(item.text);
        way.push_back(textOf(map, "to"));
        if (isGone(way.front()) || isGone(way.back()))
            return false;
        for (std::size_t i = 1; i < way.size() && !map.find("links"); ++i) {
            const auto from = m_before.node(way[i - 1]);
            const auto to = m_before.node(way[i]);
            if (!from || !to || !m_before.areJoined(*from, *to))
                continue;
            if (m_node[*from] < 0 || m_node[*to] < 0 || !m_after.areJoined(static_cast<std::size_t>(m_node[*from]), static_cast<std::size_t>(m_node[*to])))
                return lost(at, "this way goes from " + way[i - 1] + " to " + way[i] + ", which would not be joined");
        }
        for (const char* key : {"via", "links"}) {
            const YamlPath list = below(at, key);
            const auto items = itemsAt(m_yaml, list);
            for (std::size_t i = 0; i < items.size(); ++i) {
                const Result<bool> stays = renamed(itemOf(list, i), {}, *key == 'v' ? &PartsFollower::nodeOf : &PartsFollower::linkOf);
                if (!stays)
                    return stays;
                if (!stays.value())
                    return lost(at, "this way goes over " + items[i].text + ", which is deleted");
            }
        }
        for (const char* key : {"from", "to"}) {
            if (const Result<bool> stays = renamed(at, key, &PartsFollower::nodeOf); !stays)
                return stays;
        }
        return true;
    }

    const YamlDocument& m_yaml;
    TextSplices& m_splices;
    const std::vector<std::int64_t>& m_node;
    NamedParts m_before;
    NamedParts m_after;
    std::vector<std::int64_t> m_link; ///< As m_node, of links one way.
};

} // namespace

Status followParts(const YamlDocument& yaml, TextSplices& splices, const PartsChange& change)
{
    PartsFollower follower(yaml, splices, change);
    if (Status status = follower.overrides(); !status)
        return status;
    for (const YamlPath& list : {YamlPath{"platform", "placement", "jobs"}, YamlPath{"workload", "jobs"}}) {
        if (Status status = follower.jobs(list); !status)
            return status;
    }
    if (Status status = follower.faults(); !status)
        return status;
    return follower.routes();
}

const YamlNode* otherNpu(const YamlDocument& yaml, const GraphText& before, const GraphText& after)
{
    const NamedParts old(before);
    const NamedParts now(after);
    for (const YamlNode& item : itemsAt(yaml, kNpuOverrides)) {
        const std::string name = textOf(item, "npu");
        if (!isNpuNumber(name) && old.npus(name) != now.npus(name))
            return &item;
    }
    return nullptr;
}

} // namespace fabricscope
