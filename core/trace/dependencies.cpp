#include "core/trace/dependencies.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace fabricscope {

namespace {

constexpr std::uint32_t kAbsent = 0xffffffffU;

/// From node id to position; a table where ids are dense, else binary search.
class IdMap {
public:
    IdMap(const RankTrace& trace, const std::vector<std::uint32_t>& order, const std::stop_token& stop)
    {
        const std::uint32_t count = trace.size();
        m_ids.reserve(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            checkStop(stop);
            m_ids.push_back(trace.id(order.empty() ? i : order[i]));
        }
        if (count == 0 || m_ids.back() - m_ids.front() > std::uint64_t{count} * 4 + 1024)
            return;
        m_table.assign(static_cast<std::size_t>(m_ids.back() - m_ids.front()) + 1, kAbsent);
        checkStop(stop);
        for (std::uint32_t i = count; i-- > 0;) // the first of several nodes of one id
            m_table[m_ids[i] - m_ids.front()] = i;
    }

    std::uint32_t find(std::uint64_t id) const
    {
        if (m_ids.empty() || id < m_ids.front() || id > m_ids.back())
            return kAbsent;
        if (!m_table.empty())
            return m_table[id - m_ids.front()];
        const auto found = std::lower_bound(m_ids.begin(), m_ids.end(), id);
        return *found == id ? static_cast<std::uint32_t>(found - m_ids.begin()) : kAbsent;
    }

    const std::vector<std::uint64_t>& ids() const { return m_ids; }

private:
    std::vector<std::uint64_t> m_ids;
    std::vector<std::uint32_t> m_table;
};

void count(ResolvedDependencies& resolved, DependencyFault kind, std::uint32_t node, std::uint64_t other)
{
    auto& entry = resolved.faults[at(kind)];
    if (++entry.count <= 3)
        entry.first.push_back({node, other});
}

/// Who waits for whom, the other way round.
struct Children {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> list;

    Children(const std::vector<std::uint32_t>& dependBegin, const std::vector<std::uint32_t>& depends, const std::stop_token& stop)
        : begin(dependBegin.size() + 1, 0), list(depends.size())
    {
        for (const std::uint32_t parent : depends) {
            checkStop(stop);
            ++begin[parent + 2];
        }
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        for (std::uint32_t child = 0; child + 1 < dependBegin.size(); ++child) {
            checkStop(stop);
            for (std::uint32_t e = dependBegin[child]; e < dependBegin[child + 1]; ++e)
                list[begin[depends[e] + 1]++] = child;
        }
    }
};

std::vector<std::uint32_t> orderOf(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& depends, const std::stop_token& stop)
{
    const auto size = static_cast<std::uint32_t>(begin.size() - 1);
    const Children children(begin, depends, stop);
    std::vector<std::uint32_t> open(size);
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < size; ++i) {
        open[i] = begin[i + 1] - begin[i];
        if (open[i] == 0)
            ready.push(i);
    }
    std::vector<std::uint32_t> order;
    order.reserve(size);
    while (!ready.empty()) {
        checkStop(stop);
        const std::uint32_t node = ready.top();
        ready.pop();
        order.push_back(node);
        for (std::uint32_t c = children.begin[node]; c < children.begin[node + 1]; ++c) {
            if (--open[children.list[c]] == 0)
                ready.push(children.list[c]);
        }
    }
    return order;
}

/// One ring among the nodes that no order reaches: every such node waits for another of them.
std::vector<std::uint32_t> findRing(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& depends, const std::vector<std::uint32_t>& order,
                                    const std::stop_token& stop)
{
    const std::size_t size = begin.size() - 1;
    std::vector<std::uint8_t> state(size, 0); // 1: can run, 2: on the path
    for (const std::uint32_t node : order)
        state[node] = 1;
    const auto start = std::find(state.begin(), state.end(), std::uint8_t{0});
    if (start == state.end())
        return {};
    std::vector<std::uint32_t> path;
    for (auto node = static_cast<std::uint32_t>(start - state.begin()); ; ) {
        checkStop(stop);
        if (state[node] == 2) {
            path.erase(path.begin(), std::find(path.begin(), path.end(), node));
            return path;
        }
        state[node] = 2;
        path.push_back(node);
        const auto next = std::find_if(depends.begin() + begin[node], depends.begin() + begin[node + 1], [&state](std::uint32_t d) { return state[d] != 1; });
        node = *next;
    }
}

/// Strongly connected components, numbered; iterative (Tarjan 1972), since chains are a million nodes long.
std::vector<std::uint32_t> components(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& depends, const std::stop_token& stop)
{
    const auto size = static_cast<std::uint32_t>(begin.size() - 1);
    std::vector<std::uint32_t> number(size, kAbsent);
    std::vector<std::uint32_t> low(size, 0);
    std::vector<std::uint32_t> component(size, kAbsent);
    std::vector<std::uint32_t> stack;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> calls; // node, next edge
    std::uint32_t next = 0;
    std::uint32_t found = 0;
    for (std::uint32_t root = 0; root < size; ++root) {
        if (number[root] != kAbsent)
            continue;
        calls.emplace_back(root, begin[root]);
        while (!calls.empty()) {
            checkStop(stop);
            auto& [node, edge] = calls.back();
            if (edge == begin[node] && number[node] == kAbsent) {
                number[node] = low[node] = next++;
                stack.push_back(node);
            }
            if (edge < begin[node + 1]) {
                const std::uint32_t to = depends[edge++];
                if (number[to] == kAbsent)
                    calls.emplace_back(to, begin[to]);
                else if (component[to] == kAbsent)
                    low[node] = std::min(low[node], number[to]);
                continue;
            }
            const std::uint32_t done = node;
            if (low[done] == number[done]) {
                std::uint32_t member = 0;
                do {
                    member = stack.back();
                    stack.pop_back();
                    component[member] = found;
                } while (member != done);
                ++found;
            }
            calls.pop_back();
            if (!calls.empty())
                low[calls.back().first] = std::min(low[calls.back().first], low[done]);
        }
    }
    return component;
}

/// Adds a node's entries, ascending and once each. An entry that stood there more than once, else kAbsent.
std::uint32_t append(std::vector<std::uint32_t>& all, std::vector<std::uint32_t>& entries)
{
    std::uint32_t repeated = kAbsent;
    if (entries.size() > 1) {
        std::sort(entries.begin(), entries.end());
        if (const auto twice = std::adjacent_find(entries.begin(), entries.end()); twice != entries.end()) {
            repeated = *twice;
            entries.erase(std::unique(twice, entries.end()), entries.end());
        }
    }
    all.insert(all.end(), entries.begin(), entries.end());
    entries.clear();
    return repeated;
}

/// Joins two sets of dependencies per node.
void merge(std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& depends, const std::vector<std::uint32_t>& otherBegin, const std::vector<std::uint32_t>& other,
           const std::stop_token& stop)
{
    std::vector<std::uint32_t> all;
    all.reserve(depends.size() + other.size());
    std::vector<std::uint32_t> newBegin(begin.size(), 0);
    std::vector<std::uint32_t> entries;
    for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
        checkStop(stop);
        entries.assign(depends.begin() + begin[i], depends.begin() + begin[i + 1]);
        entries.insert(entries.end(), other.begin() + otherBegin[i], other.begin() + otherBegin[i + 1]);
        append(all, entries);
        newBegin[i + 1] = static_cast<std::uint32_t>(all.size());
    }
    begin = std::move(newBegin);
    depends = std::move(all);
}

struct Edges {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> depends;
    bool ascending = true;
};

Edges controlEdges(const RankTrace& trace, const IdMap& ids, ResolvedDependencies& resolved, const std::stop_token& stop)
{
    Edges edges;
    edges.begin.reserve(trace.size() + std::size_t{1});
    edges.begin.push_back(0);
    std::vector<std::uint32_t> entries;
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
        checkStop(stop);
        for (const std::uint64_t id : trace.ctrlDependencies(resolved.node(i))) {
            const std::uint32_t parent = ids.find(id);
            if (parent == kAbsent) {
                count(resolved, DependencyFault::DanglingCtrl, i, id);
            } else if (parent == i) {
                count(resolved, DependencyFault::SelfCtrl, i, id);
            } else {
                entries.push_back(parent);
                edges.ascending = edges.ascending && parent < i;
            }
        }
        if (const std::uint32_t twice = append(edges.depends, entries); twice != kAbsent)
            count(resolved, DependencyFault::Repeated, i, ids.ids()[twice]);
        edges.begin.push_back(static_cast<std::uint32_t>(edges.depends.size()));
    }
    return edges;
}

/// Removes the control edges inside a strongly connected component that run against the order of the data dependencies alone;
/// what is left cannot close a ring, and edges between components never do.
void dropClosingEdges(Edges& control, const std::vector<std::uint64_t>& ids, ResolvedDependencies& resolved, const std::stop_token& stop)
{
    std::vector<std::uint32_t> begin = resolved.begin;
    std::vector<std::uint32_t> depends = resolved.depends;
    merge(begin, depends, control.begin, control.depends, stop);
    const std::vector<std::uint32_t> component = components(begin, depends, stop);
    const std::vector<std::uint32_t> order = orderOf(resolved.begin, resolved.depends, stop);
    std::vector<std::uint32_t> rank(begin.size(), 0);
    for (std::uint32_t i = 0; i < order.size(); ++i)
        rank[order[i]] = i;
    Edges kept;
    kept.begin.push_back(0);
    for (std::uint32_t i = 0; i + 1 < control.begin.size(); ++i) {
        checkStop(stop);
        for (std::uint32_t e = control.begin[i]; e < control.begin[i + 1]; ++e) {
            const std::uint32_t parent = control.depends[e];
            if (component[parent] == component[i] && rank[parent] > rank[i]) {
                count(resolved, DependencyFault::CtrlCycle, i, ids[parent]);
                continue;
            }
            kept.depends.push_back(parent);
            kept.ascending = kept.ascending && parent < i;
        }
        kept.begin.push_back(static_cast<std::uint32_t>(kept.depends.size()));
    }
    control = std::move(kept);
}

void lookForRing(ResolvedDependencies& resolved, const std::vector<std::uint64_t>& ids, const std::stop_token& stop)
{
    if (resolved.ascending || !resolved.cycle.empty())
        return;
    const auto order = orderOf(resolved.begin, resolved.depends, stop);
    if (order.size() + 1 == resolved.begin.size())
        return;
    resolved.cycle = findRing(resolved.begin, resolved.depends, order, stop);
    count(resolved, DependencyFault::Cycle, resolved.cycle.front(), ids[resolved.cycle[1 % resolved.cycle.size()]]);
}

} // namespace

ResolvedDependencies resolveDependencies(const RankTrace& trace, CtrlDeps mode, const std::stop_token& stop)
{
    ResolvedDependencies resolved;
    bool sorted = true;
    for (std::uint32_t i = 1; i < trace.size() && sorted; ++i)
        sorted = trace.id(i - 1) <= trace.id(i);
    if (!sorted) {
        resolved.order.resize(trace.size());
        std::iota(resolved.order.begin(), resolved.order.end(), 0U);
        sortUntilStopped(resolved.order, [&trace](std::uint32_t a, std::uint32_t b) { return trace.id(a) < trace.id(b); }, stop);
    }
    const IdMap ids(trace, resolved.order, stop);
    for (std::uint32_t i = 1; i < trace.size(); ++i) {
        if (ids.ids()[i] == ids.ids()[i - 1])
            count(resolved, DependencyFault::DuplicateId, i, ids.ids()[i]);
    }

    resolved.begin.reserve(trace.size() + std::size_t{1});
    resolved.begin.push_back(0);
    resolved.depends.reserve(trace.dataDependencyCount());
    std::vector<std::uint32_t> entries;
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
        checkStop(stop);
        for (const std::uint64_t id : trace.dataDependencies(resolved.node(i))) {
            const std::uint32_t parent = ids.find(id);
            if (parent == kAbsent) {
                count(resolved, DependencyFault::DanglingData, i, id);
                continue;
            }
            entries.push_back(parent);
            resolved.ascending = resolved.ascending && parent < i;
        }
        if (const std::uint32_t twice = append(resolved.depends, entries); twice != kAbsent)
            count(resolved, DependencyFault::Repeated, i, ids.ids()[twice]);
        resolved.begin.push_back(static_cast<std::uint32_t>(resolved.depends.size()));
    }
    lookForRing(resolved, ids.ids(), stop);
    if (mode == CtrlDeps::Ignore || trace.ctrlDependencyCount() == 0)
        return resolved;

    Edges control = controlEdges(trace, ids, resolved, stop);
    if (!resolved.cycle.empty())
        return resolved;
    if (mode == CtrlDeps::Auto && !(resolved.ascending && control.ascending))
        dropClosingEdges(control, ids.ids(), resolved, stop);
    merge(resolved.begin, resolved.depends, control.begin, control.depends, stop);
    resolved.ascending = resolved.ascending && control.ascending;
    lookForRing(resolved, ids.ids(), stop);
    return resolved;
}

std::vector<std::uint32_t> executionOrder(const ResolvedDependencies& resolved, const std::stop_token& stop)
{
    if (!resolved.ascending)
        return orderOf(resolved.begin, resolved.depends, stop);
    std::vector<std::uint32_t> order(resolved.begin.size() - 1);
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

} // namespace fabricscope
