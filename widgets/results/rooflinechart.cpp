#include "widgets/results/rooflinechart.h"

#include "widgets/base/apptheme.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kRooflineNear = 10; ///< Pixels the pointer may miss a point.
constexpr double kRooflineRoom = 2;  ///< Beyond the outermost values, times.

} // namespace

double RooflineChart::Range::partOf(double value) const
{
    return std::log10(value / least) / std::log10(most / least);
}

/// At most so many, but at least every decade where that is less.
std::vector<double> RooflineChart::Range::ticks(int count) const
{
    const int first = static_cast<int>(std::ceil(std::log10(least) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(most) + 1e-9));
    const int every = std::max(1, static_cast<int>(std::ceil((last - first + 1) / static_cast<double>(std::max(count, 1)))));
    std::vector<double> found;
    for (int power = first; power <= last; power += every)
        found.push_back(std::pow(10.0, power));
    return found;
}

/// With room beyond them, and a decade at least.
RooflineChart::Range RooflineChart::rangeOf(const std::vector<double>& values)
{
    Range range;
    if (values.empty())
        return range;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    range.least = *least / kRooflineRoom;
    range.most = *most * kRooflineRoom;
    if (const double missing = 10 / (range.most / range.least); missing > 1) {
        range.least /= std::sqrt(missing);
        range.most *= std::sqrt(missing);
    }
    return range;
}

RooflineChart::RooflineChart(const QString& title, QWidget* parent) : QWidget(parent), m_title(title)
{
    setAccessibleName(title);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    followTheme(this, &RooflineChart::setTheme);
}

void RooflineChart::setTheme(const Theme& theme)
{
    m_theme = theme;
    measure();
    updateGeometry();
    update();
}

void RooflineChart::setAxes(Axis x, Axis y)
{
    m_xAxis = std::move(x);
    m_yAxis = std::move(y);
    measure();
    update();
}

void RooflineChart::setContent(std::vector<RooflinePoint> points, std::vector<RooflineRoof> roofs, const QString& empty)
{
    m_points = std::move(points);
    m_roofs = std::move(roofs);
    m_empty = empty;
    std::stable_sort(m_points.begin(), m_points.end(), [](const RooflinePoint& a, const RooflinePoint& b) {
        return (a.x <= 0) != (b.x <= 0) ? b.x <= 0 : a.x < b.x;
    });
    setRanges();
    measure();
    m_hovered = -1;
    setCurrent(m_current);
}

void RooflineChart::setRanges()
{
    std::vector<double> across;
    std::vector<double> up;
    for (const RooflinePoint& point : m_points) {
        if (point.x > 0)
            across.push_back(point.x);
        up.push_back(point.y);
        if (point.low > 0)
            up.push_back(point.low);
    }
    for (const RooflineRoof& roof : m_roofs) {
        if (roof.slope > 0 && roof.flat > 0)
            across.push_back(roof.flat / roof.slope);
        if (roof.flat > 0)
            up.push_back(roof.flat);
    }
    m_x = rangeOf(across);
    m_y = rangeOf(up);
}

const RooflinePoint* RooflineChart::pointOf(qint64 id) const
{
    const auto found = std::find_if(m_points.begin(), m_points.end(), [id](const RooflinePoint& point) { return id >= 0 && point.id == id; });
    return found == m_points.end() ? nullptr : &*found;
}

const RooflinePoint* RooflineChart::shown() const
{
    const RooflinePoint* const hovered = pointOf(m_hovered);
    return hovered ? hovered : pointOf(m_current);
}

void RooflineChart::setCurrent(qint64 id)
{
    m_current = pointOf(id) ? id : -1;
    describe();
    update();
}

/// For who cannot see it: the chosen point, or what there is.
void RooflineChart::describe()
{
    QStringList names;
    for (const RooflinePoint& point : m_points)
        names.append(point.name);
    const RooflinePoint* const point = pointOf(m_current);
    setAccessibleDescription(point ? point->about : names.isEmpty() ? m_empty : tr("From the left: %1").arg(names.join(QStringLiteral(", "))));
}

bool RooflineChart::hasStrip() const
{
    return std::any_of(m_points.begin(), m_points.end(), [](const RooflinePoint& point) { return point.x <= 0; });
}

bool RooflineChart::isLow() const
{
    constexpr double kHigh = 150;
    return height() < m_theme.scaled(kHigh);
}

void RooflineChart::measure()
{
    constexpr int kAll = 100;
    const QFontMetricsF metrics(m_theme.font(TextStyle::Label));
    m_left = 0;
    if (m_yAxis.text) {
        for (const double tick : m_y.ticks(kAll))
            m_left = std::max(m_left, metrics.horizontalAdvance(m_yAxis.text(tick)));
    }
    m_left += m_theme.scaled(18);
    m_right = m_theme.scaled(12) + (hasStrip() ? metrics.horizontalAdvance(tr("no bytes")) + m_theme.scaled(16) : 0);
}

QRectF RooflineChart::plot() const
{
    const double tall = QFontMetricsF(m_theme.font(TextStyle::Label)).height();
    const double top = m_theme.scaled(22) + tall;
    return {m_left, top, std::max(20.0, width() - m_left - m_right), std::max(20.0, height() - top - (isLow() ? 1 : 2) * tall - m_theme.scaled(isLow() ? 4 : 8))};
}

QRectF RooflineChart::strip() const
{
    const QRectF area = plot();
    return hasStrip() ? QRectF(area.right() + m_theme.scaled(4), area.top(), width() - area.right() - m_theme.scaled(16), area.height()) : QRectF();
}

QPointF RooflineChart::placeOf(double x, double y) const
{
    const QRectF area = plot();
    const double up = area.bottom() - area.height() * m_y.partOf(y);
    return {x > 0 ? area.left() + area.width() * m_x.partOf(x) : strip().center().x(), up};
}

QPointF RooflineChart::positionOf(qint64 id) const
{
    const RooflinePoint* const point = pointOf(id);
    return point ? placeOf(point->x, point->y) : QPointF();
}

/// Cut at the edges of the plot; above the points without x its flat part goes on.
QPolygonF RooflineChart::roofLine(std::size_t number) const
{
    const RooflineRoof& roof = m_roofs[number];
    const double right = hasStrip() ? strip().right() : plot().right();
    QPolygonF line;
    if (roof.slope > 0) {
        const double begin = std::max(m_x.least, m_y.least / roof.slope);
        const double end = roof.flat > 0 ? roof.flat / roof.slope : std::min(m_x.most, m_y.most / roof.slope);
        if (begin < end)
            line << placeOf(begin, begin * roof.slope) << placeOf(end, end * roof.slope);
    } else if (roof.flat > 0) {
        line << placeOf(m_x.least, roof.flat);
    }
    if (roof.flat > 0)
        line << QPointF(right, placeOf(m_x.most, roof.flat).y());
    return line;
}

QRectF RooflineChart::flatNameRect(std::size_t number) const
{
    const QPolygonF line = roofLine(number);
    if (m_roofs[number].flat <= 0 || line.isEmpty())
        return {};
    const QFontMetricsF metrics(m_theme.font(TextStyle::Label));
    const QSizeF size(metrics.horizontalAdvance(m_roofs[number].flatName) + 2, metrics.height());
    return {QPointF(line.last().x() - size.width() - 2, line.last().y() - size.height() - 1), size};
}

QRectF RooflineChart::slopeNameRect(std::size_t number) const
{
    const QPolygonF line = roofLine(number);
    if (m_roofs[number].slope <= 0 || line.size() < 2)
        return {};
    const QFontMetricsF metrics(m_theme.font(TextStyle::Label));
    const QSizeF size(metrics.horizontalAdvance(m_roofs[number].slopeName) + 2, metrics.height());
    const QPointF middle = (line[0] + line[1]) / 2;
    const double gap = m_theme.scaled(6);
    if (middle.x() - size.width() - gap < plot().left()) // Where there is no room above it.
        return {QPointF(middle.x() + gap, middle.y() + 1), size};
    return {QPointF(middle.x() - size.width() - gap, middle.y() - size.height() - 2), size};
}

/// Below their points, where no roof is, else beside or above them; those without room are left out: the table has all names.
std::vector<std::pair<qint64, QRectF>> RooflineChart::labels() const
{
    std::vector<std::pair<qint64, QRectF>> found;
    if (m_points.size() > kMostLabels)
        return found;
    const QFontMetricsF metrics(m_theme.font(TextStyle::Label));
    const QRectF area = plot();
    const QRectF all(area.left() + 1, area.top() - metrics.height(), width() - area.left() - 2, area.height() + metrics.height());
    const double gap = m_theme.scaled(kDot + 3);
    std::vector<QRectF> taken;
    for (const RooflinePoint& point : m_points)
        taken.emplace_back(placeOf(point.x, point.y) - QPointF(kDot, kDot), QSizeF(2 * kDot, 2 * kDot));
    if (m_roofs.size() == 1) // Of several only one has names, now and then.
        taken.insert(taken.end(), {flatNameRect(0), slopeNameRect(0)});
    for (const RooflinePoint& point : m_points) {
        const QPointF here = placeOf(point.x, point.y);
        const QSizeF size(metrics.horizontalAdvance(point.name), metrics.height());
        const double right = here.x() + gap;
        const double left = here.x() - gap - size.width();
        const double middle = here.x() - size.width() / 2;
        for (const QPointF corner : {QPointF(right, here.y() + 2), QPointF(middle, here.y() + gap), QPointF(left, here.y() + 2), QPointF(here.x() - size.width(), here.y() + gap),
                                     QPointF(right, here.y() - size.height() - 1), QPointF(left, here.y() - size.height() - 1), QPointF(middle, here.y() - gap - size.height())}) {
            const QRectF box(corner, size);
            if (!all.contains(box) || std::any_of(taken.begin(), taken.end(), [&box](const QRectF& other) { return other.intersects(box); }))
                continue;
            taken.push_back(box);
            found.emplace_back(point.id, box);
            break;
        }
    }
    return found;
}

void RooflineChart::choose(qint64 id)
{
    setCurrent(id);
    emit chosen(id);
}

const RooflinePoint* RooflineChart::nearestTo(const QPointF& position) const
{
    const RooflinePoint* nearest = nullptr;
    double best = m_theme.scaled(kRooflineNear);
    for (const RooflinePoint& point : m_points) {
        const QPointF away = placeOf(point.x, point.y) - position;
        if (const double distance = std::hypot(away.x(), away.y()); distance < best) {
            best = distance;
            nearest = &point;
        }
    }
    return nearest;
}

void RooflineChart::mouseMoveEvent(QMouseEvent* event)
{
    const RooflinePoint* const point = nearestTo(event->position());
    setCursor(point ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (const qint64 now = point ? point->id : -1; std::exchange(m_hovered, now) != now)
        update();
}

void RooflineChart::mousePressEvent(QMouseEvent* event)
{
    const RooflinePoint* const point = nearestTo(event->position());
    if (event->button() != Qt::LeftButton || !point)
        return QWidget::mousePressEvent(event);
    choose(point->id);
}

void RooflineChart::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const RooflinePoint* const point = nearestTo(event->position()))
        emit activated(point->id);
}

void RooflineChart::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    if (std::exchange(m_hovered, -1) != -1)
        update();
}

void RooflineChart::walk(int by)
{
    const auto here = std::find_if(m_points.begin(), m_points.end(), [this](const RooflinePoint& point) { return m_current >= 0 && point.id == m_current; });
    const auto count = static_cast<std::ptrdiff_t>(m_points.size());
    const std::ptrdiff_t from = here != m_points.end() ? here - m_points.begin() : by > 0 ? -1 : count;
    choose(m_points[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(from + by, 0, count - 1))].id);
}

void RooflineChart::keyPressEvent(QKeyEvent* event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (m_points.empty())
        QWidget::keyPressEvent(event);
    else if (event->key() == Qt::Key_Left)
        walk(-1);
    else if (event->key() == Qt::Key_Right)
        walk(1);
    else if (event->key() == Qt::Key_Home)
        choose(m_points.front().id);
    else if (event->key() == Qt::Key_End)
        choose(m_points.back().id);
    else if (enter && m_current >= 0)
        emit activated(m_current);
    else
        QWidget::keyPressEvent(event);
}

void RooflineChart::focusInEvent(QFocusEvent*)
{
    update();
}

void RooflineChart::focusOutEvent(QFocusEvent*)
{
    update();
}

QSize RooflineChart::sizeHint() const
{
    return {m_theme.scaled(340), m_theme.scaled(188)};
}

QSize RooflineChart::minimumSizeHint() const
{
    return {m_theme.scaled(200), m_theme.scaled(120)};
}

} // namespace fabricscope
