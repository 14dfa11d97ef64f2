#include "widgets/workload/planscatter.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/tablecontent.h"
#include "widgets/base/texts.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kLogAbove = 50; ///< Largest to smallest.
constexpr int kMostTicks = 6;
constexpr double kDot = 3;
constexpr double kFrontRing = 4;
constexpr double kChosenRing = 7;
constexpr double kNear = 12; ///< Pixels a click may miss a point.

/// 1, 2 or 5 times a power of ten.
double roundStep(double span, int most)
{
    const double raw = span / most;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= raw)
            return factor * power;
    }
    return 10 * power;
}

QString tickText(double value, double divisor, double step)
{
    const double shown = step / divisor;
    const int decimals = shown >= 1 ? 0 : std::min(6, static_cast<int>(std::ceil(-std::log10(shown) - 1e-9)));
    return texts::number(value / divisor, decimals);
}

} // namespace

double PlanScatter::Axis::partOf(double value) const
{
    const auto scaled = [this](double of) { return log ? std::log10(std::max(of, 1.0)) : of; };
    return (scaled(value) - scaled(least)) / std::max(1e-12, scaled(most) - scaled(least));
}

std::vector<double> PlanScatter::Axis::ticks(int count) const
{
    std::vector<double> found;
    if (log) {
        for (double power = std::pow(10.0, std::ceil(std::log10(least))); power <= most; power *= 10)
            found.push_back(power);
        return found;
    }
    const double step = roundStep(most - least, count);
    for (double tick = std::ceil(least / step - 1e-9) * step; tick <= most * (1 + 1e-12); tick += step)
        found.push_back(tick);
    return found;
}

/// `always`: a value that is to be seen besides, unless the points would be crowded at one side for it; 0: none.
PlanScatter::Axis PlanScatter::axisOf(double least, double most, double always)
{
    Axis axis;
    if (always > 0 && always < 3 * most)
        most = std::max(most, always);
    axis.log = least > 0 && most / least > kLogAbove;
    if (axis.log) {
        axis.least = least / 1.3;
        axis.most = most * 1.3;
        return axis;
    }
    const double room = std::max((most - least) * 0.08, most * 0.01);
    axis.least = std::max(0.0, least - room);
    axis.most = std::max(most + room, axis.least + 1);
    return axis;
}

PlanScatter::PlanScatter(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Step against memory"));
    followTheme(this, &PlanScatter::setTheme);
    describe();
}

void PlanScatter::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void PlanScatter::setPoints(std::vector<Point> points, std::int64_t capacity)
{
    m_points = std::move(points);
    m_capacity = capacity;
    std::sort(m_points.begin(), m_points.end(), [](const Point& a, const Point& b) { return std::pair(a.memory, a.step) < std::pair(b.memory, b.step); });
    if (!m_points.empty()) {
        const auto [low, high] = std::minmax_element(m_points.begin(), m_points.end(), [](const Point& a, const Point& b) { return a.step < b.step; });
        m_step = axisOf(static_cast<double>(low->step), static_cast<double>(high->step), 0);
        m_memory = axisOf(static_cast<double>(m_points.front().memory), static_cast<double>(m_points.back().memory), static_cast<double>(capacity));
    }
    setCurrent(m_current);
}

void PlanScatter::setCurrent(std::int64_t id)
{
    const bool known = std::any_of(m_points.begin(), m_points.end(), [id](const Point& point) { return point.id == id; });
    m_current = known ? id : -1;
    describe();
    update();
}

QRectF PlanScatter::plot() const
{
    const QFontMetricsF metrics(m_theme.font(TextStyle::Label));
    const double left = metrics.horizontalAdvance(QStringLiteral("00000.000")) + m_theme.scaled(12);
    const double top = metrics.height() + m_theme.scaled(10);
    const double below = 2 * metrics.height() + m_theme.scaled(12);
    return {left, top, std::max(20.0, width() - left - m_theme.scaled(18)), std::max(20.0, height() - top - below)};
}

QPointF PlanScatter::place(const Point& point) const
{
    const QRectF area = plot();
    return {area.left() + area.width() * m_memory.partOf(static_cast<double>(point.memory)), area.bottom() - area.height() * m_step.partOf(static_cast<double>(point.step))};
}

QPointF PlanScatter::positionOf(std::int64_t id) const
{
    const auto found = std::find_if(m_points.begin(), m_points.end(), [id](const Point& point) { return point.id == id; });
    return found == m_points.end() ? QPointF() : place(*found);
}

QPolygonF PlanScatter::frontLine() const
{
    QPolygonF line;
    for (const Point& point : m_points) {
        if (!point.front)
            continue;
        const QPointF at = place(point);
        // With more memory nothing is gained before the next plan that fits.
        if (!line.isEmpty())
            line << QPointF(at.x(), line.last().y());
        line << at;
    }
    return line;
}

QSize PlanScatter::sizeHint() const
{
    return {m_theme.scaled(420), m_theme.scaled(240)};
}

QSize PlanScatter::minimumSizeHint() const
{
    return {m_theme.scaled(220), m_theme.scaled(150)};
}

void PlanScatter::choose(std::size_t index)
{
    setCurrent(m_points[index].id);
    emit chosen(m_current);
}

void PlanScatter::mousePressEvent(QMouseEvent* event)
{
    std::size_t nearest = m_points.size();
    double best = m_theme.scaled(kNear);
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QPointF away = place(m_points[i]) - event->position();
        const double distance = std::hypot(away.x(), away.y());
        if (distance <= best) {
            best = distance;
            nearest = i;
        }
    }
    if (nearest < m_points.size())
        choose(nearest);
}

void PlanScatter::keyPressEvent(QKeyEvent* event)
{
    if (m_points.empty())
        return QWidget::keyPressEvent(event);
    const auto found = std::find_if(m_points.begin(), m_points.end(), [this](const Point& point) { return point.id == m_current; });
    const bool none = found == m_points.end();
    const std::size_t now = none ? 0 : static_cast<std::size_t>(found - m_points.begin());
    switch (event->key()) {
    case Qt::Key_Left: return choose(none || now == 0 ? 0 : now - 1);
    case Qt::Key_Right: return choose(none ? 0 : std::min(now + 1, m_points.size() - 1));
    case Qt::Key_Home: return choose(0);
    case Qt::Key_End: return choose(m_points.size() - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!none)
            emit activated(m_current);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void PlanScatter::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void PlanScatter::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

void PlanScatter::describe()
{
    const auto found = std::find_if(m_points.begin(), m_points.end(), [this](const Point& point) { return point.id == m_current; });
    if (m_points.empty())
        return setAccessibleDescription(tr("No plan yet."));
    if (found == m_points.end())
        return setAccessibleDescription(tr("%1 plans").arg(m_points.size()));
    const QString text = tr("%1: %2, %3").arg(found->name, texts::time({found->step}), texts::bytes(found->memory));
    setAccessibleDescription(found->front ? tr("%1, on the front").arg(text) : text);
}

void PlanScatter::paintAxes(QPainter& painter) const
{
    const QRectF area = plot();
    const ColumnUnit time = ColumnUnit::ofTime(static_cast<std::int64_t>(m_step.most));
    const ColumnUnit bytes = ColumnUnit::ofBytes(static_cast<std::int64_t>(m_memory.most));
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(painter.font());
    const double tall = metrics.height();
    const int rows = std::clamp(static_cast<int>(area.height() / (2.2 * tall)), 2, kMostTicks);
    const int columns = std::clamp(static_cast<int>(area.width() / (7 * tall)), 2, kMostTicks);
    const std::vector<double> steps = m_step.ticks(rows);
    const double stepGap = steps.size() > 1 && !m_step.log ? steps[1] - steps[0] : time.divisor;
    for (const double tick : steps) {
        const double y = area.bottom() - area.height() * m_step.partOf(tick);
        painter.setPen(m_theme.color(Role::Grid));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(m_theme.color(Role::Text3));
        painter.drawText(QRectF(0, y - tall, area.left() - m_theme.scaled(6), 2 * tall), Qt::AlignRight | Qt::AlignVCenter, tickText(tick, time.divisor, stepGap));
    }
    const std::vector<double> sizes = m_memory.ticks(columns);
    const double sizeGap = sizes.size() > 1 && !m_memory.log ? sizes[1] - sizes[0] : bytes.divisor;
    painter.setPen(m_theme.color(Role::Text3));
    for (const double tick : sizes) {
        const double x = area.left() + area.width() * m_memory.partOf(tick);
        painter.drawText(QRectF(x - 4 * tall, area.bottom() + m_theme.scaled(2), 8 * tall, tall), Qt::AlignCenter, tickText(tick, bytes.divisor, sizeGap));
    }
    painter.setPen(m_theme.color(Role::Outline));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.setPen(m_theme.color(Role::Text3));
    painter.drawText(QRectF(m_theme.scaled(12), 0, area.width(), area.top() - m_theme.scaled(4)), Qt::AlignLeft | Qt::AlignVCenter, time.title(tr("Step")));
    painter.drawText(QRectF(area.left(), area.bottom() + m_theme.scaled(4) + tall, area.width(), tall), Qt::AlignRight | Qt::AlignVCenter, bytes.title(tr("Memory of the fullest rank")));
    const double limit = m_memory.partOf(static_cast<double>(m_capacity));
    if (m_capacity <= 0 || limit < 0 || limit > 1)
        return;
    const double x = area.left() + area.width() * limit;
    QPen dashed(m_theme.color(Role::Critical), 1);
    dashed.setStyle(Qt::DashLine);
    painter.setPen(dashed);
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter.setPen(m_theme.color(Role::Text2));
    painter.drawText(QRectF(x - 20 * tall, 0, 20 * tall, area.top() - m_theme.scaled(4)), Qt::AlignRight | Qt::AlignVCenter, tr("an NPU has %1").arg(texts::bytes(m_capacity)));
}

void PlanScatter::paintPoint(QPainter& painter, const Point& point) const
{
    const QPointF at = place(point);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.color(point.own ? Role::Text : Role::Accent));
    painter.drawEllipse(at, kDot, kDot);
    painter.setBrush(Qt::NoBrush);
    if (point.front) {
        painter.setPen(QPen(m_theme.color(Role::Critical), 1.5));
        painter.drawEllipse(at, kFrontRing + 0.5, kFrontRing + 0.5);
    }
    if (point.own) {
        painter.setPen(QPen(m_theme.color(Role::Text), 1.5));
        const double tall = m_theme.scaled(14);
        painter.drawLine(at, at - QPointF(0, tall));
        painter.setBrush(m_theme.color(Role::Text));
        painter.drawPolygon(QPolygonF({at - QPointF(0, tall), at - QPointF(-m_theme.scaled(8), tall - 3), at - QPointF(0, tall - 6)}));
        painter.setBrush(Qt::NoBrush);
    }
    if (point.id != m_current)
        return;
    painter.setPen(QPen(m_theme.color(hasFocus() ? Role::Accent : Role::Text), 2));
    painter.drawEllipse(at, kChosenRing, kChosenRing);
    painter.setFont(m_theme.font(TextStyle::LabelStrong));
    painter.setPen(m_theme.color(Role::Text));
    const double wide = QFontMetricsF(painter.font()).horizontalAdvance(point.name);
    const double gap = m_theme.scaled(kChosenRing + 5);
    const bool toTheLeft = at.x() + gap + wide > width();
    const QRectF label(toTheLeft ? at.x() - gap - wide - 4 : at.x() + gap, at.y() - m_theme.scaled(24), wide + 4, m_theme.scaled(20)); // Above: neighbours of the front lie beside it.
    painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, point.name);
}

void PlanScatter::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    if (m_points.empty()) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect().adjusted(24, 12, -24, -12), Qt::AlignCenter | Qt::TextWordWrap, tr("Plans stand here by step and memory once they are found."));
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    paintAxes(painter);
    painter.setPen(QPen(m_theme.color(Role::Critical), 1.5));
    painter.drawPolyline(frontLine());
    for (const Point& point : m_points) {
        if (point.id != m_current)
            paintPoint(painter, point);
    }
    for (const Point& point : m_points) {
        if (point.id == m_current)
            paintPoint(painter, point);
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.color(Role::Accent), 1));
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

} // namespace fabricscope
