#include "widgets/step/nodelayout.h"

#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fabricscope {

namespace {

constexpr double kFullBox = 44;
constexpr double kToken = 20; ///< Room for a token between a switch and a box.

double distance(const QPointF& a, const QPointF& b)
{
    return std::hypot(a.x() - b.x(), a.y() - b.y());
}

QPolygonF shifted(QPolygonF line, double by)
{
    if (line.size() < 2)
        return line;
    const QPointF along = line.back() - line.front();
    const double length = std::hypot(along.x(), along.y());
    if (length > 0)
        line.translate(QPointF(-along.y(), along.x()) * (by / length));
    return line;
}

/// The line between two boxes, from edge to edge.
QPolygonF between(const QRectF& from, const QRectF& to)
{
    const QPointF a = from.center();
    const QPointF b = to.center();
    const double length = distance(a, b);
    if (length <= 0)
        return {};
    const auto edge = [&](const QRectF& box) {
        const double dx = std::abs(b.x() - a.x()) / length;
        const double dy = std::abs(b.y() - a.y()) / length;
        return std::min(dx > 0 ? box.width() / 2 / dx : 1e9, dy > 0 ? box.height() / 2 / dy : 1e9);
    };
    const QPointF unit = (b - a) / length;
    return QPolygonF({a + unit * edge(from), b - unit * edge(to)});
}

/// \p count points of an ellipse at equal distances along it, the first at the top, then clockwise.
std::vector<QPointF> alongEllipse(const QPointF& centre, double radiusX, double radiusY, int count)
{
    constexpr int kPieces = 2048;
    const auto at = [&](int piece) {
        const double angle = 2 * std::numbers::pi * piece / kPieces - std::numbers::pi / 2;
        return centre + QPointF(radiusX * std::cos(angle), radiusY * std::sin(angle));
    };
    std::vector<double> length(kPieces + 1, 0.0);
    for (int piece = 1; piece <= kPieces; ++piece)
        length[static_cast<std::size_t>(piece)] = length[static_cast<std::size_t>(piece - 1)] + distance(at(piece - 1), at(piece));
    std::vector<QPointF> points;
    for (int i = 0; i < count; ++i) {
        const auto reached = std::lower_bound(length.begin(), length.end(), length.back() * i / count);
        points.push_back(at(static_cast<int>(reached - length.begin())));
    }
    return points;
}

} // namespace

StepLayout::StepLayout(const CollectiveReplay& replay, const QRectF& area, double scale) : m_platform(&replay.scenario().structure->platform)
{
    const int count = replay.size();
    if (count == 0 || area.width() < 40 || area.height() < 40)
        return;
    m_gap = 4 * scale;
    m_nodes.resize(static_cast<std::size_t>(count));
    m_boxes.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        m_nodes[static_cast<std::size_t>(i)] = replay.nodeAt(i);
        m_positions.emplace(replay.nodeAt(i), i);
    }

    std::vector<int> active;
    std::int64_t product = 1;
    if (!m_platform->isExplicit()) {
        const std::size_t dimensions = m_platform->dimensions().size();
        m_place.resize(dimensions);
        m_count.resize(dimensions);
        for (std::size_t d = 0; d < dimensions; ++d) {
            std::vector<int> coordinates;
            for (const NodeId node : m_nodes)
                coordinates.push_back(m_platform->coordinate(node, d));
            std::vector<int> distinct = coordinates;
            std::sort(distinct.begin(), distinct.end());
            distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
            m_count[d] = static_cast<int>(distinct.size());
            for (const int coordinate : coordinates)
                m_place[d].push_back(static_cast<int>(std::lower_bound(distinct.begin(), distinct.end(), coordinate) - distinct.begin()));
            if (m_count[d] > 1) {
                active.push_back(static_cast<int>(d));
                product *= m_count[d];
            }
        }
    }
    const bool isProduct = !active.empty() && product == count;
    if (count > kMaxBoxes)
        squares(area);
    else if (isProduct && active.size() == 1 && m_platform->dimensions()[static_cast<std::size_t>(active[0])].shape == Shape::Ring)
        closedTrack(area, scale);
    else if (isProduct && (active.size() > 1 || m_platform->dimensions()[static_cast<std::size_t>(active[0])].shape == Shape::Switch))
        gridOf(active, area, scale);
    else
        circle(area, scale);
    if (m_platform->isExplicit() && m_kind == Kind::Circle)
        explicitSwitches(replay);
}

void StepLayout::gridOf(const std::vector<int>& active, const QRectF& area, double scale)
{
    m_kind = Kind::Grid;
    // The larger dimensions go across, as the area is wider than high; of two alike the lower one goes down.
    std::vector<int> bySize = active;
    std::stable_sort(bySize.begin(), bySize.end(), [&](int a, int b) {
        return m_count[static_cast<std::size_t>(a)] != m_count[static_cast<std::size_t>(b)] ? m_count[static_cast<std::size_t>(a)] > m_count[static_cast<std::size_t>(b)] : a > b;
    });
    m_columns = m_rows = 1;
    for (const int d : bySize) {
        const bool across = m_columns <= 1.3 * m_rows;
        (across ? m_across : m_down).push_back(d);
        (across ? m_columns : m_rows) *= m_count[static_cast<std::size_t>(d)];
    }
    std::sort(m_across.begin(), m_across.end());
    std::sort(m_down.begin(), m_down.end());

    const auto shape = [&](int d) { return m_platform->dimensions()[static_cast<std::size_t>(d)].shape; };
    const auto lineNumber = [&](const std::vector<int>& axes, std::size_t position) {
        int number = 0;
        int weight = 1;
        for (const int d : axes) {
            number += m_place[static_cast<std::size_t>(d)][position] * weight;
            weight *= m_count[static_cast<std::size_t>(d)];
        }
        return number;
    };
    m_column.resize(m_nodes.size());
    m_row.resize(m_nodes.size());
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        m_column[i] = lineNumber(m_across, i);
        m_row[i] = lineNumber(m_down, i);
    }

    // A single switch with many members: rows below one another, each with its own piece of the bar.
    const bool wrapped = active.size() == 1;
    if (wrapped) {
        const int fit = std::max(4, static_cast<int>(area.width() / (64 * scale)));
        m_rows = (m_columns + fit - 1) / fit;
        const int perRow = (m_columns + m_rows - 1) / m_rows;
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            m_row[i] = m_column[i] / perRow;
            m_column[i] %= perRow;
        }
        m_columns = perRow;
    }

    // Bars that lie side by side along one row or column: one for every line of the dimensions further in.
    const auto stack = [&](const std::vector<int>& axes) {
        int bars = 0;
        int inner = 1;
        for (const int d : axes) {
            if (shape(d) == Shape::Switch)
                bars += inner;
            inner *= m_count[static_cast<std::size_t>(d)];
        }
        return bars;
    };
    const int barsAbove = stack(m_across);
    const int barsLeft = stack(m_down);
    const double pitchX = area.width() / m_columns;
    const double pitchY = area.height() / m_rows;
    const bool roomy = pitchY > 84 * scale && pitchX > 60 * scale;
    const double bar = barsAbove <= 1 && roomy ? 12 * scale : 5 * scale;
    const double barLeft = barsLeft <= 1 && roomy ? 12 * scale : 5 * scale;
    const auto band = [&](int bars, double thick, double pitch) { return bars == 0 ? 0.0 : std::min(bars * (thick + 3 * scale) + kToken * scale, pitch * 0.5); };
    const double above = band(barsAbove, bar, pitchY);
    const double left = band(barsLeft, barLeft, pitchX);
    m_side = std::clamp(std::min({kFullBox * scale, (pitchX - left) * 0.72, (pitchY - above) * 0.8}), 4.0, kFullBox * scale);
    // Little more than one box, its switch and a token; a few rows do not drift apart over a tall area.
    const double usedY = std::min(pitchY, m_side + above + 76 * scale);
    const double top = area.top() + (area.height() - usedY * m_rows) / 2;
    const double boxWidth = m_side >= 40 * scale ? m_side * 1.08 : m_side;

    m_columnX.resize(static_cast<std::size_t>(m_columns));
    for (int c = 0; c < m_columns; ++c)
        m_columnX[static_cast<std::size_t>(c)] = area.left() + (c + 0.5) * pitchX + left / 2;
    const auto boxTop = [&](int row) { return top + row * usedY + above + std::max(0.0, (usedY - above - m_side) * 0.2); };
    for (std::size_t i = 0; i < m_boxes.size(); ++i)
        m_boxes[i] = QRectF(m_columnX[static_cast<std::size_t>(m_column[i])] - boxWidth / 2, boxTop(m_row[i]), boxWidth, m_side);

    const auto addBars = [&](const std::vector<int>& axes, bool vertical) {
        int lane = 0;
        int inner = 1;
        for (const int d : axes) {
            const int count = m_count[static_cast<std::size_t>(d)];
            if (shape(d) == Shape::Switch) {
                std::unordered_map<std::int64_t, int> barOfLine;
                for (std::size_t i = 0; i < m_boxes.size(); ++i) {
                    const int cross = vertical ? m_column[i] : m_row[i];
                    const int along = lineNumber(axes, i);
                    const int innerIndex = wrapped ? 0 : along % inner;
                    const int outerIndex = wrapped ? 0 : along / (inner * count);
                    const std::int64_t line = (std::int64_t{cross} * 100000 + innerIndex) * 100000 + outerIndex;
                    const auto [found, isNew] = barOfLine.emplace(line, static_cast<int>(m_bars.size()));
                    const QRectF& box = m_boxes[i];
                    const double shift = (lane + innerIndex) * ((vertical ? barLeft : bar) + 3 * scale);
                    const double thick = vertical ? barLeft : bar;
                    const double margin = 0.24 * (vertical ? m_side : boxWidth);
                    QRectF rect = vertical ? QRectF(box.left() - left + shift, box.top() - margin, thick, box.height() + 2 * margin)
                                           : QRectF(box.left() - margin, box.top() - above + shift, box.width() + 2 * margin, thick);
                    if (isNew)
                        m_bars.push_back({d, static_cast<int>(barOfLine.size()) - 1, rect, vertical, {}});
                    else
                        m_bars[static_cast<std::size_t>(found->second)].rect |= rect;
                    m_barOf[std::int64_t{d} << 32 | static_cast<std::int64_t>(i)] = found->second;
                }
                lane += inner;
            }
            inner *= count;
        }
    };
    addBars(m_across, false);
    addBars(m_down, true);
    for (Bar& each : m_bars) {
        each.joint = each.rect.center();
        if (wrapped && m_rows > 1) {
            each.number = 0;
            each.rect.setLeft(area.left() + 6 * scale);
            each.joint = QPointF(area.left() + 12 * scale, each.rect.center().y());
        }
    }
}

void StepLayout::closedTrack(const QRectF& area, double scale)
{
    m_kind = Kind::Track;
    const int count = size();
    m_side = kFullBox * scale;
    const QRectF room = area.adjusted(m_side, m_side, -m_side, -m_side);
    const double width = std::min(room.width(), room.height() * (count <= 8 ? 1.25 : 1.9));
    m_trackRect = QRectF(room.center().x() - width / 2, room.top(), width, room.height());
    QPainterPath path;
    path.addRoundedRect(m_trackRect, std::min(width, room.height()) / 2, std::min(width, room.height()) / 2);
    const double pitch = path.length() / count;
    m_side = std::clamp(pitch * 0.6, 5.0, kFullBox * scale);
    // Position 0 at the top left of the straight part, then clockwise in the order of the ring.
    std::vector<int> order(static_cast<std::size_t>(count));
    const std::size_t dimension = static_cast<std::size_t>(std::find_if(m_count.begin(), m_count.end(), [](int n) { return n > 1; }) - m_count.begin());
    const double start = path.percentAtLength(path.length() * 0.5);
    for (int i = 0; i < count; ++i) {
        const double at = std::fmod(start + static_cast<double>(m_place[dimension][static_cast<std::size_t>(i)]) / count, 1.0);
        const QPointF centre = path.pointAtPercent(at);
        const double width2 = m_side >= 40 * scale ? m_side * 1.08 : m_side;
        m_boxes[static_cast<std::size_t>(i)] = QRectF(centre.x() - width2 / 2, centre.y() - m_side / 2, width2, m_side);
    }
}

void StepLayout::circle(const QRectF& area, double scale)
{
    m_kind = Kind::Circle;
    const int count = size();
    const double radiusY = std::max(10.0, area.height() / 2 - 30 * scale);
    const double widest = std::max(10.0, area.width() / 2 - 40 * scale);
    // Nearly a circle, wider where boxes of full size need it.
    const double needed = count * kFullBox * scale / 0.6 / std::numbers::pi - radiusY;
    const double radiusX = std::min(widest, std::max(needed, radiusY * 1.35));
    const std::vector<QPointF> centres = alongEllipse(area.center(), radiusX, radiusY, count);
    double apart = 2 * radiusY;
    for (std::size_t i = 0; i < centres.size(); ++i) {
        const QPointF step = centres[(i + 1) % centres.size()] - centres[i];
        if (count > 1)
            apart = std::min(apart, std::max(std::abs(step.x()), std::abs(step.y())));
    }
    m_side = std::clamp(apart * 0.7, 4.0, kFullBox * scale);
    const double width = m_side >= 40 * scale ? m_side * 1.08 : m_side;
    for (std::size_t i = 0; i < centres.size(); ++i)
        m_boxes[i] = QRectF(centres[i].x() - width / 2, centres[i].y() - m_side / 2, width, m_side);
}

void StepLayout::squares(const QRectF& area)
{
    m_kind = Kind::Squares;
    const int count = size();
    m_columns = std::max(1, static_cast<int>(std::ceil(std::sqrt(count * area.width() / area.height()))));
    m_rows = (count + m_columns - 1) / m_columns;
    const double pitch = std::min(area.width() / m_columns, area.height() / m_rows);
    m_side = std::max(1.0, pitch - (pitch > 4 ? 2 : 0));
    const QPointF origin = area.center() - QPointF(pitch * m_columns, pitch * m_rows) / 2;
    for (int i = 0; i < count; ++i)
        m_boxes[static_cast<std::size_t>(i)] = QRectF(origin + QPointF(i % m_columns, i / m_columns) * pitch, QSizeF(m_side, m_side));
}

void StepLayout::explicitSwitches(const CollectiveReplay& replay)
{
    // Switches near the members they serve: the mean of the neighbours' places, pulled to the middle.
    const NodeList& nodes = replay.scenario().structure->platform.spec().nodes;
    std::unordered_map<NodeId, std::pair<QPointF, int>> sums;
    for (const ExplicitLink& link : replay.scenario().structure->platform.spec().links) {
        const int member = positionOf(link.from);
        if (member >= 0 && nodes.kind(static_cast<std::size_t>(link.to)) == NodeKind::Switch) {
            auto& [sum, count] = sums[link.to];
            sum += box(member).center();
            ++count;
        }
    }
    QPointF middle;
    for (const QRectF& each : m_boxes)
        middle += each.center() / static_cast<double>(m_boxes.size());
    std::vector<NodeId> served;
    for (const auto& [node, sum] : sums)
        served.push_back(node);
    std::sort(served.begin(), served.end());
    for (std::size_t i = 0; i < served.size(); ++i) {
        QPointF at = sums[served[i]].first / sums[served[i]].second;
        at = middle + (at - middle) * 0.6;
        // Several switches that serve everybody would lie on one another.
        if (distance(at, middle) < m_side && served.size() > 1)
            at = middle + QPointF((static_cast<double>(i) - (static_cast<double>(served.size()) - 1) / 2) * m_side, 0);
        m_switches[served[i]] = at;
        m_bars.push_back({-1, static_cast<int>(served[i]), QRectF(at.x() - m_side * 0.35, at.y() - m_side * 0.15, m_side * 0.7, m_side * 0.3), false, at});
    }
}

int StepLayout::positionOf(NodeId node) const
{
    const auto found = m_positions.find(node);
    return found == m_positions.end() ? -1 : found->second;
}

int StepLayout::barOf(int dimension, int position) const
{
    const auto found = m_barOf.find(std::int64_t{dimension} << 32 | position);
    return found == m_barOf.end() ? -1 : found->second;
}

QPolygonF StepLayout::hop(const QRectF& from, const QRectF& to, bool vertical, int lane, bool forward) const
{
    const double side = forward ? -m_gap / 2 : m_gap / 2;
    if (lane == 0) {
        const QPointF a = from.center();
        const QPointF b = to.center();
        if (vertical) {
            const bool down = b.y() > a.y();
            return QPolygonF({QPointF(a.x() + side, down ? from.bottom() : from.top()), QPointF(b.x() + side, down ? to.top() : to.bottom())});
        }
        const bool right = b.x() > a.x();
        return QPolygonF({QPointF(right ? from.right() : from.left(), a.y() + side), QPointF(right ? to.left() : to.right(), b.y() + side)});
    }
    // Past the boxes in between: beside the column, or below the row.
    const double out = m_side * 0.14 + m_gap * (lane + 0.5) + side;
    if (vertical) {
        const double x = std::max(from.right(), to.right()) + out;
        return QPolygonF({QPointF(from.right(), from.center().y() + side), QPointF(x, from.center().y() + side), QPointF(x, to.center().y() + side),
                          QPointF(to.right(), to.center().y() + side)});
    }
    const double y = std::max(from.bottom(), to.bottom()) + out;
    return QPolygonF({QPointF(from.center().x() + side, from.bottom()), QPointF(from.center().x() + side, y), QPointF(to.center().x() + side, y),
                      QPointF(to.center().x() + side, to.bottom())});
}

QPolygonF StepLayout::linkPath(LinkId link) const
{
    if (m_kind == Kind::Empty || m_kind == Kind::Squares)
        return {};
    const LinkInfo info = m_platform->linkInfo(link);
    const int from = positionOf(info.from);
    const int to = positionOf(info.to);
    if (info.dimension < 0) {
        const auto place = [&](NodeId node, int position) -> std::optional<QRectF> {
            if (position >= 0)
                return box(position);
            const auto found = m_switches.find(node);
            return found == m_switches.end() ? std::nullopt : std::optional(QRectF(found->second - QPointF(1, 1), QSizeF(2, 2)));
        };
        const auto a = place(info.from, from);
        const auto b = place(info.to, to);
        return a && b ? shifted(between(*a, *b), m_gap / 2) : QPolygonF();
    }
    const Shape shape = m_platform->dimensions()[static_cast<std::size_t>(info.dimension)].shape;
    if (shape == Shape::Switch) {
        const int member = positionOf(info.owner);
        const int index = member < 0 ? -1 : barOf(info.dimension, member);
        if (index < 0)
            return {};
        const Bar& bar = m_bars[static_cast<std::size_t>(index)];
        const bool up = info.port == 0;
        const QRectF& of = box(member);
        const double shift = (up ? -1 : 1) * m_gap;
        QPolygonF path = bar.vertical ? QPolygonF({QPointF(of.left(), of.center().y() + shift), QPointF(bar.rect.center().x(), of.center().y() + shift)})
                                      : QPolygonF({QPointF(of.center().x() + shift, of.top()), QPointF(of.center().x() + shift, bar.rect.center().y())});
        if (!up)
            std::reverse(path.begin(), path.end());
        return path;
    }
    if (from < 0 || to < 0)
        return {};
    if (m_kind == Kind::Track) {
        QPainterPath track;
        const double radius = std::min(m_trackRect.width(), m_trackRect.height()) / 2;
        const double out = info.port == 0 ? m_gap / 2 : -m_gap / 2;
        track.addRoundedRect(m_trackRect.adjusted(-out, -out, out, out), radius + out, radius + out);
        const std::size_t dimension = static_cast<std::size_t>(info.dimension);
        const int count = m_count[dimension];
        const int a = m_place[dimension][static_cast<std::size_t>(from)];
        const int b = m_place[dimension][static_cast<std::size_t>(to)];
        const bool plus = (a + 1) % count == b && !(count == 2 && info.port == 1);
        const double start = track.percentAtLength(track.length() * 0.5);
        QPolygonF path;
        constexpr int kSamples = 24;
        for (int i = 0; i <= kSamples; ++i) {
            double at = start + (a + (plus ? 1.0 : -1.0) * i / kSamples) / count;
            at -= std::floor(at);
            const QPointF point = track.pointAtPercent(at);
            if (!box(from).contains(point) && !box(to).contains(point))
                path += point;
        }
        return path;
    }
    if (m_kind == Kind::Circle)
        return shifted(between(box(from), box(to)), m_gap / 2);
    const std::size_t f = static_cast<std::size_t>(from);
    const std::size_t t = static_cast<std::size_t>(to);
    const bool vertical = m_column[f] == m_column[t];
    const int apart = vertical ? std::abs(m_row[f] - m_row[t]) : std::abs(m_column[f] - m_column[t]);
    const bool forward = vertical ? m_row[f] < m_row[t] : m_column[f] < m_column[t];
    return hop(box(from), box(to), vertical, apart == 1 ? 0 : std::min(apart, 6), forward);
}

QPolygonF StepLayout::movePath(int source, int target, std::span<const LinkId> route) const
{
    QPolygonF path;
    if (m_kind == Kind::Empty || source >= size() || target >= size())
        return path;
    int lastBar = -1;
    for (const LinkId link : route) {
        QPolygonF piece = linkPath(link);
        if (piece.isEmpty()) {
            path.clear();
            break;
        }
        const LinkInfo info = m_platform->linkInfo(link);
        const bool onSwitch = info.dimension >= 0 && m_platform->dimensions()[static_cast<std::size_t>(info.dimension)].shape == Shape::Switch;
        const int bar = onSwitch ? barOf(info.dimension, positionOf(info.owner)) : -1;
        if (onSwitch && info.port == 1 && lastBar >= 0 && bar != lastBar) {
            path += m_bars[static_cast<std::size_t>(lastBar)].joint;
            path += m_bars[static_cast<std::size_t>(bar)].joint;
        }
        lastBar = bar;
        path += piece;
    }
    if (path.size() < 2)
        path = m_kind == Kind::Squares ? QPolygonF({box(source).center(), box(target).center()}) : between(box(source), box(target));
    return path;
}

int StepLayout::positionAt(const QPointF& point, double reach) const
{
    for (int i = 0; i < size(); ++i)
        if (box(i).adjusted(-reach, -reach, reach, reach).contains(point))
            return i;
    return -1;
}

int StepLayout::neighbour(int position, int dx, int dy) const
{
    if (position < 0 || position >= size())
        return size() > 0 ? 0 : -1;
    const QPointF from = box(position).center();
    int best = position;
    double bestCost = 1e18;
    for (int i = 0; i < size(); ++i) {
        const QPointF to = box(i).center() - from;
        const double along = to.x() * dx + to.y() * dy;
        const double aside = std::abs(to.x() * dy) + std::abs(to.y() * dx);
        if (along > 0.5 && along + 3 * aside < bestCost) {
            bestCost = along + 3 * aside;
            best = i;
        }
    }
    return best;
}

} // namespace fabricscope
