#include "widgets/draw/graphpicture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace fabricscope {

namespace {

double distanceTo(const LineF& line, PointF point)
{
    const PointF along = line.p2() - line.p1();
    const double length = PointF::dotProduct(along, along);
    const double t = length > 0 ? std::clamp(PointF::dotProduct(point - line.p1(), along) / length, 0.0, 1.0) : 0.0;
    const PointF d = point - (line.p1() + along * t);
    return std::hypot(d.x(), d.y());
}

} // namespace

SizeF GraphPicture::sizeOf(NodeKind kind)
{
    return kind == NodeKind::Npu ? SizeF(48, 48) : SizeF(80, 48);
}

GraphPicture::GraphPicture(GraphText graph) : m_graph(std::move(graph))
{
    const std::size_t nodes = m_graph.nodes.size();
    const bool some = std::ranges::any_of(m_graph.nodes, [](const GraphText::Node& node) { return node.at.has_value(); });
    const bool all = std::ranges::all_of(m_graph.nodes, [](const GraphText::Node& node) { return node.at.has_value(); });
    const bool many = std::ranges::count(m_graph.nodes, NodeKind::Npu, &GraphText::Node::kind) > static_cast<std::ptrdiff_t>(kMostInLevels);
    m_places = all ? std::vector<DrawnAt>(nodes) : layOut(m_graph, many ? GraphLayout::Plan : GraphLayout::Levels);
    std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
    for (const GraphText::Node& node : m_graph.nodes)
        lowest = node.at ? std::max(lowest, node.at->y) : lowest;
    std::int32_t highest = std::numeric_limits<std::int32_t>::max();
    for (std::size_t i = 0; some && i < nodes; ++i)
        highest = m_graph.nodes[i].at ? highest : std::min(highest, m_places[i].y);
    for (std::size_t i = 0; i < nodes; ++i) {
        if (m_graph.nodes[i].at)
            m_places[i] = *m_graph.nodes[i].at;
        else if (some)
            m_places[i].y = std::clamp(m_places[i].y - highest + lowest + 120, -DrawnAt::kFarthest, DrawnAt::kFarthest); // Below what has a place.
    }

    std::unordered_map<std::string, std::size_t> byName;
    for (std::size_t i = 0; i < nodes; ++i)
        byName.emplace(m_graph.nodes[i].name, i);
    for (std::size_t i = 0; i < m_graph.links.size(); ++i) {
        const auto from = byName.find(m_graph.links[i].from);
        const auto to = byName.find(m_graph.links[i].to);
        if (from == byName.end() || to == byName.end() || from->second == to->second)
            continue; // An issue says so.
        const auto ends = std::minmax(from->second, to->second);
        const auto [at, isNew] = m_between.emplace(ends, m_bundles.size());
        if (isNew)
            m_bundles.push_back({ends.first, ends.second, {}});
        m_bundles[at->second].links.push_back(i);
    }
    setPlaces(std::move(m_places));
}

void GraphPicture::setPlaces(std::vector<DrawnAt> places)
{
    m_places = std::move(places);
    if (m_places.empty())
        return;
    RectF around = rectOf(0);
    for (std::size_t i = 1; i < m_places.size(); ++i)
        around = around.united(rectOf(i));
    m_bounds = around;
}

NodePlaces GraphPicture::unplaced() const
{
    NodePlaces places;
    for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
        if (!m_graph.nodes[i].at && !m_graph.nodes[i].name.empty())
            places.emplace_back(i, m_places[i]);
    }
    return places;
}

RectF GraphPicture::rectOf(std::size_t node) const
{
    const SizeF size = sizeOf(m_graph.nodes[node].kind);
    return {m_places[node].x - size.width() / 2, m_places[node].y - size.height() / 2, size.width(), size.height()};
}

LineF GraphPicture::lineOf(const DrawnBundle& bundle) const
{
    return {PointF(m_places[bundle.a].x, m_places[bundle.a].y), PointF(m_places[bundle.b].x, m_places[bundle.b].y)};
}

std::size_t GraphPicture::nodeAt(PointF scene, double slack) const
{
    for (std::size_t i = m_graph.nodes.size(); i-- > 0;) {
        const RectF rect = rectOf(i);
        if (scene.x() >= rect.left() - slack && scene.x() <= rect.right() + slack && scene.y() >= rect.top() - slack && scene.y() <= rect.bottom() + slack)
            return i;
    }
    return count();
}

std::size_t GraphPicture::bundleAt(PointF scene, double reach) const
{
    std::size_t found = m_bundles.size();
    for (std::size_t i = 0; i < m_bundles.size(); ++i) {
        const double away = distanceTo(lineOf(m_bundles[i]), scene);
        if (away < reach) {
            reach = away;
            found = i;
        }
    }
    return found;
}

PointF GraphPicture::portOf(std::size_t node, int port) const
{
    const RectF rect = rectOf(node);
    switch (port) {
    case 0: return {rect.center().x(), rect.top()};
    case 1: return {rect.right(), rect.center().y()};
    case 2: return {rect.center().x(), rect.bottom()};
    default: return {rect.left(), rect.center().y()};
    }
}

std::vector<std::size_t> GraphPicture::nodesIn(const RectF& band, bool touched) const
{
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < count(); ++i) {
        const RectF rect = rectOf(i);
        const bool inside = rect.left() >= band.left() && rect.right() <= band.right() && rect.top() >= band.top() && rect.bottom() <= band.bottom();
        const bool met = rect.left() <= band.right() && rect.right() >= band.left() && rect.top() <= band.bottom() && rect.bottom() >= band.top();
        if (touched ? met : inside)
            found.push_back(i);
    }
    return found;
}

std::size_t GraphPicture::neighbour(std::size_t node, int dx, int dy) const
{
    std::size_t best = count();
    double least = std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < count(); ++i) {
        const double along = (m_places[i].x - m_places[node].x) * double(dx) + (m_places[i].y - m_places[node].y) * double(dy);
        const double aside = std::abs((m_places[i].x - m_places[node].x) * double(dy) - (m_places[i].y - m_places[node].y) * double(dx));
        if (i == node || along <= 0 || aside > 2 * along)
            continue;
        const double cost = along + 2 * aside;
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

} // namespace fabricscope
