#include "core/trace/lintcross.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/trace/lintorder.h"
#include "core/trace/nodecheck.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace fabricscope {

namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

/// All nodes of all ranks under one number: rank by rank, positions ascending.
class CrossRank {
public:
    CrossRank(const TraceSet& traces, const GroupResolver& groups, const std::vector<std::shared_ptr<const ResolvedDependencies>>& resolved, Findings& findings,
              const std::stop_token& stop)
        : m_stop(stop), m_traces(traces), m_groups(groups), m_resolved(resolved), m_findings(findings)
    {
        m_base.push_back(0);
        for (std::int64_t rank = 0; rank < traces.rankCount(); ++rank)
            m_base.push_back(m_base.back() + traces.rank(rank).size());
    }

    /// Throws StopRequested.
    void run()
    {
        if (m_base.back() >= kNone)
            return;
        gather();
        pairMessages();
        joinCollectives();
        findRing();
        findFreeOrders();
    }

private:
    struct Message {
        std::int64_t source = 0;
        std::int64_t target = 0;
        std::int64_t tag = 0;
        bool receive = false;
        std::uint64_t order = 0; ///< On its rank.
        std::uint32_t node = 0;  ///< Global.

        auto key() const { return std::tie(source, target, tag); }
    };
    struct Call {
        int group = 0;
        std::int64_t op = 0;
        std::uint64_t rank = 0;
        std::uint64_t order = 0;
        std::uint32_t node = 0;
    };
    /// `from` waits for `to`; both on one rank, or members of one collective, or a receive and its send.
    struct Hop {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
    };

    void gather();
    void pairMessages();
    void reportUnpaired(const Message& message);
    void joinCollectives();
    void joinGroup(std::span<const Call> calls);
    std::vector<std::vector<Call>> orderedBySize(const std::vector<std::span<const Call>>& ranks, std::size_t count) const;
    std::string fileOf(std::int64_t rank) const;        ///< " (t.1.et)", or nothing.
    std::string shownFile(std::uint32_t global) const;  ///< "t.1.et, ", or nothing.
    void findRing();
    void findFreeOrders();
    void reportRing(const std::vector<std::uint8_t>& done);
    std::optional<Hop> blockedBy(std::uint32_t event, const std::vector<std::uint8_t>& done) const;

    std::uint32_t rankOf(std::uint32_t global) const { return static_cast<std::uint32_t>(std::upper_bound(m_base.begin(), m_base.end(), global) - m_base.begin() - 1); }
    std::uint32_t positionOf(std::uint32_t global) const { return static_cast<std::uint32_t>(global - m_base[rankOf(global)]); }
    std::uint32_t indexOf(std::uint32_t global) const { return m_resolved[rankOf(global)]->node(positionOf(global)); }
    const RankTrace& traceOf(std::uint32_t global) const { return m_traces.rank(rankOf(global)); }
    std::int64_t value(std::uint32_t global, EtField field) const { return traceOf(global).value(indexOf(global), field); }
    Place place(std::uint32_t global) const { return m_traces.place(rankOf(global), indexOf(global)); }
    std::string describe(std::uint32_t global) const;
    bool isCommunication(std::uint32_t global) const { return traceOf(global).type(indexOf(global)) >= static_cast<std::int32_t>(EtNodeType::Send); }

    const std::stop_token& m_stop;
    const TraceSet& m_traces;
    const GroupResolver& m_groups;
    const std::vector<std::shared_ptr<const ResolvedDependencies>>& m_resolved;
    Findings& m_findings;
    std::vector<std::uint64_t> m_base;
    std::vector<Message> m_messages;
    std::vector<Call> m_calls;
    std::vector<std::uint32_t> m_event;                               ///< Global node -> node that stands for its collective, or itself.
    std::vector<std::uint32_t> m_sendOf;                              ///< Receive -> its send.
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_members;    ///< Event of a collective -> its nodes.
};

/// Collects messages and collectives in an order in which each rank can run them.
void CrossRank::gather()
{
    for (std::int64_t rank = 0; rank < m_traces.rankCount(); ++rank) {
        const RankTrace& trace = m_traces.rank(rank);
        const ResolvedDependencies& resolved = *m_resolved[at(rank)];
        std::vector<int> groupOf(trace.groupNames().size());
        std::transform(trace.groupNames().begin(), trace.groupNames().end(), groupOf.begin(), [&](const std::string& name) { return m_groups.resolve(trace, name); });
        const int unnamed = m_groups.resolve(trace, {});
        std::uint64_t order = 0;
        for (const std::uint32_t position : executionOrder(resolved, m_stop)) {
            checkStop(m_stop);
            const std::uint32_t node = resolved.node(position);
            const auto global = static_cast<std::uint32_t>(m_base[at(rank)] + position);
            const std::int32_t type = trace.type(node);
            if (type < static_cast<std::int32_t>(EtNodeType::Send) || type > static_cast<std::int32_t>(EtNodeType::Collective) || trace.onHost(node))
                continue;
            ++order;
            if (type == static_cast<std::int32_t>(EtNodeType::Collective)) {
                const std::int64_t op = trace.value(node, EtField::CommType, -1);
                const int group = trace.has(node, EtField::PgName) ? groupOf[at(trace.value(node, EtField::PgName))] : unnamed;
                if (op >= 0 && group != GroupResolver::kUnknown && m_groups.isMember(group, rank))
                    m_calls.push_back({group, op, static_cast<std::uint64_t>(rank), order, global});
                continue;
            }
            const bool receive = type == static_cast<std::int32_t>(EtNodeType::Receive);
            const std::int64_t peer = peerOf(trace, node);
            if (peer >= 0 && peer < m_traces.rankCount() && peer != rank && trace.has(node, EtField::CommTag))
                m_messages.push_back({receive ? peer : rank, receive ? rank : peer, trace.value(node, EtField::CommTag), receive, order, global});
        }
    }
}

void CrossRank::reportUnpaired(const Message& message)
{
    checkStop(m_stop);
    const std::string from = std::to_string(message.source);
    const std::string to = std::to_string(message.target);
    const std::string tag = std::to_string(message.tag);
    if (message.receive)
        m_findings.add(Severity::Error, "unpaired-recv", [&] { return "rank " + to + " waits for a message from rank " + from + " with tag " + tag + " that rank " + from + " never sends"; },
            [&] { return place(message.node); });
    else
        m_findings.add(Severity::Warning, "unpaired-send", [&] { return "rank " + from + " sends to rank " + to + " with tag " + tag + ", but rank " + to + " never receives it"; },
            [&] { return place(message.node); });
}

void CrossRank::pairMessages()
{
    m_sendOf.assign(m_base.back(), kNone);
    sortUntilStopped(m_messages, [](const Message& a, const Message& b) {
        return std::tie(a.source, a.target, a.tag, a.receive, a.order) < std::tie(b.source, b.target, b.tag, b.receive, b.order);
    }, m_stop);
    for (auto begin = m_messages.begin(); begin != m_messages.end();) {
        const auto end = std::find_if(begin, m_messages.end(), [&](const Message& m) { return m.key() != begin->key(); });
        auto send = begin;
        const auto sendsEnd = std::find_if(begin, end, [](const Message& m) { return m.receive; });
        auto receive = sendsEnd;
        for (; send != sendsEnd && receive != end; ++send, ++receive) {
            checkStop(m_stop);
            m_sendOf[receive->node] = send->node;
            const std::int64_t sent = value(send->node, EtField::CommSize);
            const std::int64_t received = value(receive->node, EtField::CommSize);
            if (sent != received)
                m_findings.add(Severity::Error, "message-size", [&] {
                    return "rank " + std::to_string(receive->target) + " receives " + std::to_string(received) + " bytes where rank " + std::to_string(send->source) + " (" + shownFile(send->node) + "node "
                        + std::to_string(traceOf(send->node).id(indexOf(send->node))) + ") sends " + std::to_string(sent);
                }, [&] { return place(receive->node); });
        }
        std::for_each(send, sendsEnd, [this](const Message& m) { reportUnpaired(m); });
        std::for_each(receive, end, [this](const Message& m) { reportUnpaired(m); });
        begin = end;
    }
    m_messages.clear();
}

void CrossRank::joinCollectives()
{
    m_event.resize(m_base.back());
    std::iota(m_event.begin(), m_event.end(), 0U);
    sortUntilStopped(m_calls, [](const Call& a, const Call& b) { return std::tie(a.group, a.op, a.rank, a.order) < std::tie(b.group, b.op, b.rank, b.order); }, m_stop);
    for (std::size_t begin = 0; begin < m_calls.size();) {
        std::size_t end = begin;
        while (end < m_calls.size() && m_calls[end].group == m_calls[begin].group && m_calls[end].op == m_calls[begin].op)
            ++end;
        joinGroup(std::span(m_calls).subspan(begin, end - begin));
        begin = end;
    }
}

/// Where the members call the same sizes in different orders, the calls of each by size, as a run matches them; else nothing.
std::vector<std::vector<CrossRank::Call>> CrossRank::orderedBySize(const std::vector<std::span<const Call>>& ranks, std::size_t count) const
{
    const auto sizeOf = [this](const Call& call) { return value(call.node, EtField::CommSize); };
    const auto same = [&](const std::span<const Call>& own) {
        return own.size() == ranks.front().size() && std::equal(own.begin(), own.end(), ranks.front().begin(), [&](const Call& a, const Call& b) { return sizeOf(a) == sizeOf(b); });
    };
    if (count == 0 || std::all_of(ranks.begin(), ranks.end(), same))
        return {};
    std::vector<std::vector<Call>> sorted;
    for (const std::span<const Call>& own : ranks) {
        checkStop(m_stop);
        sorted.emplace_back(own.begin(), own.end());
        sortUntilStopped(sorted.back(), [&](const Call& a, const Call& b) { return sizeOf(a) < sizeOf(b); }, m_stop);
        const bool fits = sorted.back().size() == sorted.front().size()
            && std::equal(sorted.back().begin(), sorted.back().end(), sorted.front().begin(), [&](const Call& a, const Call& b) { return sizeOf(a) == sizeOf(b); });
        if (!fits)
            return {};
    }
    return sorted;
}

std::string CrossRank::fileOf(std::int64_t rank) const
{
    const std::string file = rank >= 0 && rank < m_traces.rankCount() ? m_traces.file(rank) : std::string();
    return file.empty() ? file : " (" + file + ')';
}

std::string CrossRank::shownFile(std::uint32_t global) const
{
    const std::string file = m_traces.file(rankOf(global));
    return file.empty() ? file : file + ", ";
}

/// All calls of one operation in one group, rank by rank: the k-th of every member are one collective.
void CrossRank::joinGroup(std::span<const Call> calls)
{
    std::vector<std::span<const Call>> ranks;
    for (std::size_t begin = 0; begin < calls.size();) {
        std::size_t end = begin;
        while (end < calls.size() && calls[end].rank == calls[begin].rank)
            ++end;
        ranks.push_back(calls.subspan(begin, end - begin));
        begin = end;
    }
    const int group = calls.front().group;
    const std::string name = group == GroupResolver::kWorld ? std::string("all ranks") : "group \"" + m_groups.groups()[at(group)].id + '"';
    const std::string op(etCommTypeName(calls.front().op));
    const auto longest = std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    auto shortest = std::min_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); })->size();
    if (static_cast<std::int64_t>(ranks.size()) < m_groups.size(group))
        shortest = 0;
    if (shortest < longest->size()) {
        std::int64_t lacking = -1;
        for (std::int64_t i = 0; i < m_groups.size(group) && lacking < 0; ++i) {
            checkStop(m_stop);
            const std::int64_t member = group == GroupResolver::kWorld ? i : m_groups.groups()[at(group)].ranks[at(i)];
            const auto own = std::find_if(ranks.begin(), ranks.end(), [member](const auto& r) { return static_cast<std::int64_t>(r.front().rank) == member; });
            if ((own == ranks.end() ? 0 : own->size()) == shortest)
                lacking = member;
        }
        m_findings.add(Severity::Error, "collective-count", [&] {
            return "rank " + std::to_string(longest->front().rank) + " issues " + std::to_string(longest->size()) + ' ' + op + " in " + name + ", but rank " + std::to_string(lacking) + fileOf(lacking) + " issues " + std::to_string(shortest)
                + "; this one is not met";
        }, [&] { return place((*longest)[shortest].node); });
    }
    const std::vector<std::vector<Call>> bySize = orderedBySize(ranks, shortest);
    for (std::size_t r = 0; r < bySize.size(); ++r)
        ranks[r] = bySize[r];
    for (std::size_t k = 0; k < shortest; ++k) {
        const std::uint32_t event = ranks.front()[k].node;
        auto& members = m_members[event];
        const std::int64_t size = value(event, EtField::CommSize);
        for (const auto& rank : ranks) {
            checkStop(m_stop);
            m_event[rank[k].node] = event;
            members.push_back(rank[k].node);
            if (const std::int64_t other = value(rank[k].node, EtField::CommSize); other != size)
                m_findings.add(Severity::Error, "collective-size", [&] {
                    return "the members of a " + op + " in " + name + " do not agree on comm_size: " + std::to_string(size) + " on rank " + std::to_string(ranks.front()[k].rank) + " ("
                        + shownFile(event) + "node " + std::to_string(traceOf(event).id(indexOf(event))) + "), " + std::to_string(other) + " here";
                }, [&] { return place(rank[k].node); });
        }
    }
}

/// Runs everything as far as it goes, a collective when all its members can; what is left waits in a ring.
void CrossRank::findRing()
{
    const std::size_t size = m_event.size();
    std::vector<std::uint32_t> open(size, 0);
    std::vector<std::uint64_t> begin(size + 2, 0);
    const auto forEdges = [&](auto&& use) {
        for (std::size_t rank = 0; rank + 1 < m_base.size(); ++rank) {
            const ResolvedDependencies& resolved = *m_resolved[rank];
            for (std::uint32_t position = 0; position + 1 < resolved.begin.size(); ++position) {
                checkStop(m_stop);
                const auto global = static_cast<std::uint32_t>(m_base[rank] + position);
                for (const std::uint32_t parent : resolved.of(position))
                    use(m_event[m_base[rank] + parent], m_event[global]);
                if (m_sendOf[global] != kNone)
                    use(m_event[m_sendOf[global]], m_event[global]);
            }
        }
    };
    forEdges([&](std::uint32_t parent, std::uint32_t child) {
        ++begin[parent + std::size_t{2}];
        ++open[child];
    });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> children(begin.back());
    forEdges([&](std::uint32_t parent, std::uint32_t child) { children[begin[parent + std::size_t{1}]++] = child; });

    std::vector<std::uint8_t> done(size, 0);
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < size; ++i) {
        if (open[i] == 0 && m_event[i] == i)
            ready.push_back(i);
    }
    while (!ready.empty()) {
        checkStop(m_stop);
        const std::uint32_t event = ready.back();
        ready.pop_back();
        done[event] = 1;
        for (std::uint64_t c = begin[event]; c < begin[event + std::size_t{1}]; ++c) {
            if (--open[children[c]] == 0)
                ready.push_back(children[c]);
        }
    }
    reportRing(done);
}

void CrossRank::findFreeOrders()
{
    if (m_findings.count("collective-order") + m_findings.count("message-order") > 0)
        return; // They surely wait.
    constexpr std::uint64_t kMostWork = std::uint64_t{1} << 27; // A fraction of a second.
    std::uint64_t work = kMostWork;
    std::erase_if(m_calls, [this](const Call& call) { return !m_members.contains(m_event[call.node]); });
    sortUntilStopped(m_calls, [](const Call& a, const Call& b) { return std::tie(a.group, a.rank, a.order) < std::tie(b.group, b.rank, b.order); }, m_stop);
    const auto describeOn = [this](std::int64_t rank, std::uint32_t position) { return describe(static_cast<std::uint32_t>(m_base[at(rank)] + position)); };
    for (std::size_t begin = 0; begin < m_calls.size();) {
        std::vector<MemberCall> calls;
        std::size_t end = begin;
        for (; end < m_calls.size() && m_calls[end].group == m_calls[begin].group; ++end) {
            checkStop(m_stop);
            calls.push_back({static_cast<std::int64_t>(m_calls[end].rank), positionOf(m_calls[end].node), m_event[m_calls[end].node]});
        }
        const int group = m_calls[begin].group;
        const std::string name = group == GroupResolver::kWorld ? std::string("all ranks") : "group \"" + m_groups.groups()[at(group)].id + '"';
        lintCallOrders(calls, name, m_traces, m_resolved, describeOn, work, m_stop, m_findings);
        begin = end;
    }
}

/// A wait of an event that did not run for another that did not.
std::optional<CrossRank::Hop> CrossRank::blockedBy(std::uint32_t event, const std::vector<std::uint8_t>& done) const
{
    const auto members = m_members.find(event);
    const std::span<const std::uint32_t> nodes = members == m_members.end() ? std::span<const std::uint32_t>(&event, 1) : std::span<const std::uint32_t>(members->second);
    for (const std::uint32_t node : nodes) {
        const std::uint32_t rank = rankOf(node);
        for (const std::uint32_t parent : m_resolved[rank]->of(positionOf(node))) {
            const auto global = static_cast<std::uint32_t>(m_base[rank] + parent);
            if (!done[m_event[global]])
                return Hop{node, global};
        }
        if (m_sendOf[node] != kNone && !done[m_event[m_sendOf[node]]])
            return Hop{node, m_sendOf[node]};
    }
    return std::nullopt;
}

std::string CrossRank::describe(std::uint32_t global) const
{
    const RankTrace& trace = traceOf(global);
    const std::uint32_t node = indexOf(global);
    std::string text = "rank " + std::to_string(rankOf(global)) + " node " + std::to_string(trace.id(node));
    if (trace.type(node) == static_cast<std::int32_t>(EtNodeType::Collective)) {
        text += " (" + std::string(etCommTypeName(trace.value(node, EtField::CommType)));
        const std::string_view group = trace.groupName(node);
        text += group.empty() ? std::string(")") : " in group \"" + std::string(group) + "\")";
    } else if (trace.type(node) == static_cast<std::int32_t>(EtNodeType::Send)) {
        text += " (send to rank " + std::to_string(peerOf(trace, node)) + ')';
    } else if (trace.type(node) == static_cast<std::int32_t>(EtNodeType::Receive)) {
        text += " (receive from rank " + std::to_string(peerOf(trace, node)) + ')';
    }
    return text;
}

void CrossRank::reportRing(const std::vector<std::uint8_t>& done)
{
    std::uint32_t start = 0;
    while (start < done.size() && (done[start] || m_event[start] != start))
        ++start;
    if (start == done.size())
        return;
    // Every event left waits for another one left, so following the waits comes back.
    std::vector<Hop> path;
    std::map<std::uint32_t, std::size_t> seen; // event -> index of the hop that leaves it
    for (std::uint32_t event = start; !seen.contains(event);) {
        checkStop(m_stop);
        const auto hop = blockedBy(event, done);
        if (!hop)
            return;
        seen.emplace(event, path.size());
        path.push_back(*hop);
        event = m_event[hop->to];
    }
    const std::size_t first = seen[m_event[path.back().to]];
    path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(first));
    // Begin at a communication node, and leave out the computations in between.
    const auto communication = std::find_if(path.begin(), path.end(), [this](const Hop& hop) { return isCommunication(hop.from); });
    std::rotate(path.begin(), communication == path.end() ? path.begin() : communication, path.end());
    constexpr std::size_t kShown = 8;
    std::string text = "ranks wait for each other in a ring: ";
    std::size_t shown = 0;
    bool collective = false;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const Hop& hop = path[i];
        collective = collective || m_members.contains(m_event[hop.from]);
        if (!isCommunication(hop.from) && i > 0)
            continue;
        if (++shown > kShown)
            continue;
        const std::uint32_t arrived = path[(i + path.size() - 1) % path.size()].to;
        if (i > 0 && arrived != hop.from)
            text += describe(arrived) + ", which needs " + describe(hop.from) + ", which waits for ";
        else
            text += describe(hop.from) + (i == 0 ? " waits for " : ", which waits for ");
    }
    if (shown > kShown)
        text += "... (" + std::to_string(shown) + " operations) ... ";
    const std::uint32_t last = path.back().to;
    text += describe(last);
    if (last != path.front().from)
        text += ", which needs " + describe(path.front().from);
    m_findings.add(Severity::Error, collective ? "collective-order" : "message-order", [&] { return text; }, [&] { return place(path.front().from); });
}

} // namespace

void lintAcrossRanks(const TraceSet& traces, const GroupResolver& groups, const std::vector<std::shared_ptr<const ResolvedDependencies>>& resolved, Findings& findings,
                     const std::stop_token& stop)
{
    CrossRank(traces, groups, resolved, findings, stop).run();
}

} // namespace fabricscope
