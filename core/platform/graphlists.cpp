#include "core/platform/graphlists.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fabricscope {

NodeList::NodeList(std::span<const ExplicitNode> nodes)
{
    for (const ExplicitNode& node : nodes)
        push_back(node);
}

NodeList NodeList::generated(std::int64_t npus, std::int64_t switches, bool npusForward, Namer namer)
{
    NodeList list;
    list.m_shared = std::make_shared<Shared>();
    list.m_shared->size = static_cast<std::size_t>(npus + switches);
    if (npus > 0)
        list.m_shared->runs.push_back({static_cast<std::size_t>(npus), NodeKind::Npu, npusForward});
    if (switches > 0)
        list.m_shared->runs.push_back({list.m_shared->size, NodeKind::Switch, true});
    list.m_shared->namer = std::move(namer);
    return list;
}

const NodeList::Run& NodeList::runOf(std::size_t node) const
{
    assert(node < size());
    const std::vector<Run>& runs = m_shared->runs;
    return *std::upper_bound(runs.begin(), runs.end(), node, [](std::size_t number, const Run& run) { return number < run.end; });
}

std::string NodeList::name(std::size_t node) const
{
    assert(node < size());
    return m_shared->namer ? m_shared->namer(static_cast<NodeId>(node)) : m_shared->names[node];
}

const ExplicitNode NodeList::operator[](std::size_t node) const
{
    const Run& run = runOf(node);
    const SwitchOffload* const own = offload(node);
    const auto limit = crossbars().find(node);
    return {name(node), run.kind, own ? std::optional(*own) : std::nullopt, run.forwards, limit != crossbars().end() ? std::optional(limit->second) : std::nullopt};
}

const SwitchOffload* NodeList::offload(std::size_t node) const
{
    const auto found = offloads().find(node);
    return found == offloads().end() ? nullptr : &found->second;
}

const std::map<std::size_t, SwitchOffload>& NodeList::offloads() const
{
    static const std::map<std::size_t, SwitchOffload> kNone;
    return m_shared ? m_shared->offloads : kNone;
}

const std::map<std::size_t, Quantity>& NodeList::crossbars() const
{
    static const std::map<std::size_t, Quantity> kNone;
    return m_shared ? m_shared->crossbars : kNone;
}

std::int64_t NodeList::count(NodeKind kind) const
{
    std::size_t found = 0;
    std::size_t begin = 0;
    for (const Run& run : m_shared ? m_shared->runs : std::vector<Run>()) {
        found += run.kind == kind ? run.end - begin : 0;
        begin = run.end;
    }
    return static_cast<std::int64_t>(found);
}

bool NodeList::allForward() const
{
    return !m_shared || std::all_of(m_shared->runs.begin(), m_shared->runs.end(), [](const Run& run) { return run.forwards; });
}

NodeList::Shared& NodeList::own()
{
    if (!m_shared)
        m_shared = std::make_shared<Shared>();
    else if (m_shared.use_count() > 1)
        m_shared = std::make_shared<Shared>(*m_shared);
    if (const Namer namer = std::exchange(m_shared->namer, nullptr)) {
        for (std::size_t node = 0; node < m_shared->size; ++node)
            m_shared->names.push_back(namer(static_cast<NodeId>(node)));
    }
    return *m_shared;
}

void NodeList::push_back(ExplicitNode node)
{
    Shared& shared = own();
    if (node.offload)
        shared.offloads.emplace(shared.size, *node.offload);
    if (node.crossbar)
        shared.crossbars.emplace(shared.size, *node.crossbar);
    shared.names.push_back(std::move(node.name));
    ++shared.size;
    if (shared.runs.empty() || shared.runs.back().kind != node.kind || shared.runs.back().forwards != node.forwards)
        shared.runs.push_back({shared.size, node.kind, node.forwards});
    shared.runs.back().end = shared.size;
}

void NodeList::reserve(std::size_t nodes)
{
    own().names.reserve(nodes);
}

bool operator==(const NodeList& a, const NodeList& b)
{
    if (a.m_shared == b.m_shared || a.size() != b.size())
        return a.size() == b.size();
    if (a.empty())
        return true;
    if (a.m_shared->runs != b.m_shared->runs || a.m_shared->offloads != b.m_shared->offloads || a.m_shared->crossbars != b.m_shared->crossbars)
        return false;
    for (std::size_t node = 0; node < a.size(); ++node) {
        if (a.name(node) != b.name(node))
            return false;
    }
    return true;
}

LinkList::LinkList(std::span<const ExplicitLink> links)
{
    if (!links.empty())
        reserve(links.size());
    for (const ExplicitLink& link : links)
        push_back(link);
}

const ExplicitLink LinkList::operator[](std::size_t link) const
{
    assert(link < size());
    const Figures& figures = m_shared->figures[m_shared->kind[link]];
    return {m_shared->from[link], m_shared->to[link], figures.bandwidth, figures.latency};
}

std::span<const LinkList::Figures> LinkList::figures() const
{
    return m_shared ? std::span<const Figures>(m_shared->figures) : std::span<const Figures>();
}

std::span<const NodeId> LinkList::from() const
{
    return m_shared ? std::span<const NodeId>(m_shared->from) : std::span<const NodeId>();
}

std::span<const NodeId> LinkList::to() const
{
    return m_shared ? std::span<const NodeId>(m_shared->to) : std::span<const NodeId>();
}

LinkList::Shared& LinkList::own()
{
    if (!m_shared)
        m_shared = std::make_shared<Shared>();
    else if (m_shared.use_count() > 1)
        m_shared = std::make_shared<Shared>(*m_shared);
    return *m_shared;
}

std::uint32_t LinkList::kindOf(const Figures& figures)
{
    std::vector<Figures>& known = own().figures;
    // From the last: links of one kind mostly follow one another.
    for (std::size_t i = known.size(); i > 0 && known.size() - i < kMostSought; --i) {
        if (known[i - 1] == figures)
            return static_cast<std::uint32_t>(i - 1);
    }
    known.push_back(figures);
    return static_cast<std::uint32_t>(known.size() - 1);
}

void LinkList::add(NodeId from, NodeId to, std::uint32_t kind)
{
    Shared& shared = own();
    assert(kind < shared.figures.size());
    shared.from.push_back(from);
    shared.to.push_back(to);
    shared.kind.push_back(kind);
}

void LinkList::push_back(const ExplicitLink& link)
{
    add(link.from, link.to, kindOf({link.bandwidth, link.latency}));
}

void LinkList::reserve(std::size_t links)
{
    Shared& shared = own();
    shared.from.reserve(links);
    shared.to.reserve(links);
    shared.kind.reserve(links);
}

bool operator==(const LinkList& a, const LinkList& b)
{
    if (a.m_shared == b.m_shared || a.size() != b.size())
        return a.size() == b.size();
    if (a.empty())
        return true;
    for (std::size_t link = 0; link < a.size(); ++link) {
        if (a.from(link) != b.from(link) || a.to(link) != b.to(link))
            return false;
        const LinkList::Figures& first = a.m_shared->figures[a.figuresOf(link)];
        const LinkList::Figures& second = b.m_shared->figures[b.figuresOf(link)];
        if (&first != &second && !(first == second))
            return false;
    }
    return true;
}

} // namespace fabricscope
