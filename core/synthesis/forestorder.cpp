#include "core/synthesis/forestorder.h"

#include "core/base/index.h"
#include "core/base/quantity.h"
#include "core/bounds/maxflow.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

namespace fabricscope {

namespace {

/// What sends wait for in one tree: alike for all its pieces.
struct TreeShape {
    std::vector<std::int32_t> step;                   ///< By edge: edges before it.
    std::vector<std::int32_t> left;                   ///< By edge: edges on the longest way from its beginning to the end.
    std::vector<std::int32_t> needed;                 ///< By edge: edges that bring what it sends.
    std::vector<std::vector<std::uint32_t>> followers; ///< By edge: those that need it.
};

TreeShape shapeOf(const Forest::Tree& tree, bool up)
{
    const std::size_t count = tree.edges.size();
    TreeShape shape{std::vector<std::int32_t>(count, 0), std::vector<std::int32_t>(count, 1), std::vector<std::int32_t>(count, 0), std::vector<std::vector<std::uint32_t>>(count)};
    std::vector<std::uint32_t> parent(count, ForestSend::kNone);
    std::map<std::int32_t, std::uint32_t> reachedBy;
    for (std::size_t i = 0; i < count; ++i) {
        const auto edge = static_cast<std::uint32_t>(i);
        const auto before = reachedBy.find(tree.edges[i].from);
        if (before != reachedBy.end()) {
            parent[i] = before->second;
            shape.step[i] = shape.step[before->second] + 1;
            shape.followers[up ? edge : before->second].push_back(up ? before->second : edge);
            ++shape.needed[up ? before->second : edge];
        }
        reachedBy[tree.edges[i].to] = edge;
    }
    for (std::size_t i = count; i-- > 0;) {
        if (parent[i] != ForestSend::kNone)
            shape.left[parent[i]] = std::max(shape.left[parent[i]], shape.left[i] + 1);
    }
    if (up) {
        const std::int32_t deepest = *std::max_element(shape.step.begin(), shape.step.end());
        for (std::size_t i = 0; i < count; ++i) {
            shape.left[i] = shape.step[i] + 1;
            shape.step[i] = deepest - shape.step[i];
        }
    }
    return shape;
}

class SendOrder {
public:
    SendOrder(const SynthesisGraph& graph, const std::vector<ForestPiece>& pieces)
        : m_graph(graph), m_pieces(pieces), m_links(graph.links.size()), m_downOf(pieces.size())
    {
        for (const ForestPiece& piece : pieces) {
            m_begin.push_back(m_needed.size());
            TreeShape& shape = m_shapes[piece.tree];
            if (shape.step.empty())
                shape = shapeOf(*piece.tree, piece.up);
            m_shapeOf.push_back(&shape);
            m_needed.insert(m_needed.end(), shape.needed.begin(), shape.needed.end());
        }
        m_readyAt.assign(m_needed.size(), 0);
        joinAtRoots();
    }

    std::vector<ForestSend> order(const std::stop_token& stop);

private:
    /// By what goes first: up before down, then round (less d), then tree, then piece and edge.
    using Waiting = std::tuple<bool, std::int32_t, std::int32_t, std::uint32_t, std::uint32_t, std::int64_t>; // ..., ready at
    struct Link {
        std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
        std::int64_t freeAt = 0;
        std::uint32_t last = ForestSend::kNone;
        bool touched = false;
    };
    /// Something happens to a link: it is free, or (piece and edge) a send gets ready.
    struct Event {
        std::int64_t time = 0;
        std::size_t number = 0; ///< In order of making.
        std::uint32_t piece = ForestSend::kNone;
        std::uint32_t edge = 0; ///< Or the link that is free.
        friend bool operator>(const Event& a, const Event& b) { return std::tie(a.time, a.number) > std::tie(b.time, b.number); }
    };

    void joinAtRoots();
    void arrived(std::uint32_t piece, std::uint32_t edge, std::int64_t there);
    static std::int32_t ownLink(const ForestPiece& piece, std::uint32_t edge)
    {
        const std::vector<std::int32_t>& links = piece.tree->edges[edge].links;
        return piece.up ? links.back() : links.front();
    }
    void push(std::int64_t time, std::uint32_t piece, std::uint32_t edge) { m_events.push({time, m_pushed++, piece, edge}); }
    void touch(std::int32_t link)
    {
        Link& touched = m_links[at(link)];
        if (!std::exchange(touched.touched, true))
            m_touched.push_back(link);
    }
    void pick(std::int32_t link, std::int64_t now);
    static constexpr std::int64_t kEnd = std::int64_t{1} << 61; ///< Times stop here: none of the sums below overflows.
    /// When a send that starts now is there.
    std::int64_t delivery(const ForestPiece& piece, const Forest::Edge& edge, std::int64_t now);
    std::int64_t duration(const ForestPiece& piece, std::int32_t link) const
    {
        return static_cast<std::int64_t>(std::min<WideFlow>(WideFlow{piece.bytes} * kPsPerSecond / m_graph.links[at(link)].bytesPerSecond, kEnd));
    }

    const SynthesisGraph& m_graph;
    const std::vector<ForestPiece>& m_pieces;
    std::map<const Forest::Tree*, TreeShape> m_shapes;
    std::vector<const TreeShape*> m_shapeOf; ///< By piece.
    std::vector<std::size_t> m_begin;        ///< By piece, into m_needed.
    std::vector<std::int32_t> m_needed;      ///< By send: what it still needs.
    std::vector<std::int64_t> m_readyAt;     ///< By send: when the last of that is there, so far.
    std::vector<Link> m_links;
    std::vector<std::vector<std::uint32_t>> m_downOf; ///< By piece that goes up: those that go down with some of its chunks.
    std::vector<std::int32_t> m_touched;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
    std::size_t m_pushed = 0;
    std::vector<ForestSend> m_result;
};

std::int64_t SendOrder::delivery(const ForestPiece& piece, const Forest::Edge& edge, std::int64_t now)
{
    std::int64_t head = now;
    std::int64_t tail = now;
    for (std::size_t hop = 0; hop < edge.links.size(); ++hop) {
        const std::int32_t number = edge.links[piece.up ? edge.links.size() - 1 - hop : hop];
        Link& link = m_links[at(number)];
        link.freeAt = std::min(std::max(link.freeAt, head) + duration(piece, number), kEnd);
        const std::int64_t latency = std::min(m_graph.links[at(number)].latencyPs, kEnd);
        tail = std::min(std::max(link.freeAt, tail) + latency, kEnd);
        head = std::min(head + latency, kEnd);
    }
    return tail;
}

/// A free link takes the first of what waits.
void SendOrder::pick(std::int32_t own, std::int64_t now)
{
    Link& link = m_links[at(own)];
    if (link.freeAt > now || link.waiting.empty())
        return;
    const Waiting first = link.waiting.top();
    link.waiting.pop();
    const std::uint32_t piece = std::get<3>(first);
    const std::uint32_t edge = std::get<4>(first);
    const TreeShape& shape = *m_shapeOf[piece];
    ForestSend send{piece, edge, shape.step[edge], ForestSend::kNone};
    if (std::get<5>(first) < now)
        send.behind = link.last;
    link.last = static_cast<std::uint32_t>(m_result.size());
    m_result.push_back(send);

    const std::int64_t there = delivery(m_pieces[piece], m_pieces[piece].tree->edges[edge], now);
    push(link.freeAt, ForestSend::kNone, static_cast<std::uint32_t>(own));
    for (const std::uint32_t follower : shape.followers[edge])
        arrived(piece, follower, there);
    if (!m_downOf[piece].empty() && m_pieces[piece].tree->edges[edge].from == m_pieces[piece].tree->root) {
        for (const std::uint32_t down : m_downOf[piece]) {
            const Forest::Tree& tree = *m_pieces[down].tree;
            for (std::size_t edgeAtRoot = 0; edgeAtRoot < tree.edges.size(); ++edgeAtRoot) {
                if (tree.edges[edgeAtRoot].from == tree.root)
                    arrived(down, static_cast<std::uint32_t>(edgeAtRoot), there);
            }
        }
    }
}

/// Something that a send needs will be there at `there`.
void SendOrder::arrived(std::uint32_t piece, std::uint32_t edge, std::int64_t there)
{
    const std::size_t number = m_begin[piece] + edge;
    m_readyAt[number] = std::max(m_readyAt[number], there);
    if (--m_needed[number] == 0)
        push(m_readyAt[number], piece, edge);
}

/// What goes down from a root waits for every last edge of what comes up to it with the same chunks.
void SendOrder::joinAtRoots()
{
    const auto edgesAtRoot = [](const Forest::Tree& tree) {
        return static_cast<std::int32_t>(std::count_if(tree.edges.begin(), tree.edges.end(), [&](const Forest::Edge& edge) { return edge.from == tree.root; }));
    };
    std::map<std::int32_t, std::uint32_t> downAt; // By first chunk.
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        if (!m_pieces[i].up && m_pieces[i].count > 0)
            downAt.emplace(m_pieces[i].first, static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        const ForestPiece& up = m_pieces[i];
        if (!up.up || downAt.empty())
            continue;
        const std::int32_t last = edgesAtRoot(*up.tree);
        auto down = downAt.upper_bound(up.first);
        for (down = down == downAt.begin() ? down : std::prev(down); down != downAt.end() && down->first < up.first + up.count; ++down) {
            const ForestPiece& piece = m_pieces[down->second];
            if (piece.first + piece.count <= up.first)
                continue;
            m_downOf[i].push_back(down->second);
            for (std::size_t edge = 0; edge < piece.tree->edges.size(); ++edge) {
                if (piece.tree->edges[edge].from == piece.tree->root)
                    m_needed[m_begin[down->second] + edge] += last;
            }
        }
    }
}

std::vector<ForestSend> SendOrder::order(const std::stop_token& stop)
{
    for (std::size_t piece = 0; piece < m_pieces.size(); ++piece) {
        for (std::size_t edge = 0; edge < m_pieces[piece].tree->edges.size(); ++edge) {
            if (m_needed[m_begin[piece] + edge] == 0)
                push(0, static_cast<std::uint32_t>(piece), static_cast<std::uint32_t>(edge));
        }
    }
    m_result.reserve(m_needed.size());
    while (!m_events.empty() && !stop.stop_requested()) {
        const std::int64_t now = m_events.top().time;
        for (; !m_events.empty() && m_events.top().time == now; m_events.pop()) {
            const Event event = m_events.top();
            if (event.piece == ForestSend::kNone) {
                touch(static_cast<std::int32_t>(event.edge));
                continue;
            }
            const ForestPiece& piece = m_pieces[event.piece];
            const std::int32_t link = ownLink(piece, event.edge);
            m_links[at(link)].waiting.emplace(!piece.up, piece.turn - m_shapeOf[event.piece]->left[event.edge], piece.number, event.piece, event.edge, now);
            touch(link);
        }
        std::sort(m_touched.begin(), m_touched.end());
        for (const std::int32_t link : std::exchange(m_touched, {})) {
            m_links[at(link)].touched = false;
            pick(link, now);
        }
    }
    return std::move(m_result);
}

} // namespace

std::vector<ForestSend> orderSends(const SynthesisGraph& graph, const std::vector<ForestPiece>& pieces, const std::stop_token& stop)
{
    return SendOrder(graph, pieces).order(stop);
}

} // namespace fabricscope
