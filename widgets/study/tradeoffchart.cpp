#include "widgets/study/tradeoffchart.h"

#include "core/report/accuracyfigures.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/hoverbox.h"
#include "widgets/base/texts.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kTradeoffLogAbove = 50; ///< Largest to smallest.
constexpr int kTradeoffTicks = 6;
constexpr double kTradeoffDot = 3;
constexpr double kTradeoffFaint = 2;
constexpr std::size_t kTradeoffMany = 20'000;
constexpr double kTradeoffRing = 4;
constexpr double kTradeoffAlike = 6;
constexpr double kTradeoffChosen = 7;
constexpr double kTradeoffNear = 10; ///< Pixels the pointer may miss a point.
constexpr double kBrushBegins = 6;   ///< Pixels from where the button went down.
constexpr double kBrushStep = 0.05;  ///< Of an axis, by a key.

/// 1, 2 or 5 times a power of ten.
double roundTick(double span, int most)
{
    const double raw = span / most;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= raw * (1 - 1e-9))
            return factor * power;
    }
    return 10 * power;
}

/// As many decimals as the ticks differ in; of a logarithmic axis as many as the tick needs.
QString tickLabel(double value, double gap)
{
    const int decimals = gap >= 1 ? 0 : std::min(9, static_cast<int>(std::ceil(-std::log10(gap) - 1e-9)));
    return texts::number(value, decimals);
}

} // namespace

double TradeoffChart::Scale::partOf(double value) const
{
    const auto scaled = [this](double of) { return log ? std::log10(std::max(of, 1e-300)) : of; };
    return (scaled(value) - scaled(least)) / std::max(1e-300, scaled(most) - scaled(least));
}

double TradeoffChart::Scale::valueAt(double part) const
{
    return log ? std::pow(10.0, std::log10(least) + part * (std::log10(most) - std::log10(least))) : least + part * (most - least);
}

std::vector<double> TradeoffChart::Scale::ticks(int count) const
{
    std::vector<double> found;
    const double divisor = axis.unit(most).divisor;
    if (log) {
        const double decades = std::log10(most / least);
        const int every = std::max(1, static_cast<int>(std::ceil(decades / count)));
        for (double power = std::pow(10.0, std::ceil(std::log10(least / divisor))); power <= most / divisor; power *= std::pow(10.0, every))
            found.push_back(power * divisor);
        return found;
    }
    const double step = roundTick((most - least) / divisor, count);
    for (double tick = std::ceil(least / divisor / step - 1e-9); tick * step <= most / divisor * (1 + 1e-12); ++tick)
        found.push_back(tick * step * divisor);
    return found;
}

TradeoffChart::Scale TradeoffChart::scaleOf(const VariantAxis& axis, double least, double most)
{
    Scale scale;
    scale.axis = axis;
    scale.log = least > 0 && most / least > kTradeoffLogAbove;
    if (scale.log) {
        scale.least = least / 1.3;
        scale.most = most * 1.3;
        return scale;
    }
    double room = (most - least) * 0.06;
    if (room <= 0)
        room = most != 0 ? std::abs(most) * 0.1 : 1;
    scale.least = least >= 0 ? std::max(0.0, least - room) : least - room;
    scale.most = most + room;
    return scale;
}

TradeoffChart::TradeoffChart(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Trade-off"));
    followTheme(this, &TradeoffChart::setTheme);
    describe();
}

void TradeoffChart::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    redraw();
}

void TradeoffChart::setEmptyText(const QString& text)
{
    m_emptyText = text;
    describe();
    update();
}

void TradeoffChart::redraw()
{
    m_layer = {};
    update();
}

void TradeoffChart::setPoints(std::vector<Point> points, const VariantAxis& x, const VariantAxis& y)
{
    m_points = std::move(points);
    m_inside.reset(); // It was one of other rows.
    std::sort(m_points.begin(), m_points.end(), [](const Point& a, const Point& b) { return std::tuple(a.x, a.y, a.id) < std::tuple(b.x, b.y, b.id); });
    if (!m_points.empty()) {
        const auto [low, high] = std::minmax_element(m_points.begin(), m_points.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
        m_x = scaleOf(x, m_points.front().x, m_points.back().x);
        m_y = scaleOf(y, low->y, high->y);
    }
    if (!pointOf(m_hovered))
        m_hovered = -1;
    redraw();
    setCurrent(m_current);
}

const TradeoffChart::Point* TradeoffChart::pointOf(qint64 id) const
{
    const auto found = std::find_if(m_points.begin(), m_points.end(), [id](const Point& point) { return point.id == id; });
    return found == m_points.end() ? nullptr : &*found;
}

/// A design that is not among the points stays chosen: other axes may have it.
void TradeoffChart::setCurrent(qint64 id)
{
    m_current = id;
    describe();
    update();
}

QRectF TradeoffChart::plot() const
{
    const QFontMetricsF metrics(m_theme.font(TextStyle::Label));
    const double left = metrics.horizontalAdvance(QStringLiteral("00000.00")) + m_theme.scaled(12);
    const double top = metrics.height() + m_theme.scaled(10);
    const double below = 2 * metrics.height() + m_theme.scaled(12);
    return {left, top, std::max(20.0, width() - left - m_theme.scaled(18)), std::max(20.0, height() - top - below)};
}

QPointF TradeoffChart::place(const Point& point) const
{
    const QRectF area = plot();
    return {area.left() + area.width() * m_x.partOf(point.x), area.bottom() - area.height() * m_y.partOf(point.y)};
}

QPointF TradeoffChart::positionOf(qint64 id) const
{
    const Point* const point = pointOf(id);
    return point ? place(*point) : QPointF();
}

QPolygonF TradeoffChart::frontLine() const
{
    // Between two of the front the one that is worse in x is not there yet: the line keeps the y of the better one.
    const bool moreIsBetter = m_x.axis.sense == StudyObjective::Sense::Maximise;
    QPolygonF line;
    for (const Point& point : m_points) {
        if (!point.front)
            continue;
        const QPointF here = place(point);
        if (!line.isEmpty())
            line << (moreIsBetter ? QPointF(line.last().x(), here.y()) : QPointF(here.x(), line.last().y()));
        line << here;
    }
    return line;
}

QSize TradeoffChart::sizeHint() const
{
    return {m_theme.scaled(560), m_theme.scaled(300)};
}

QSize TradeoffChart::minimumSizeHint() const
{
    return {m_theme.scaled(240), m_theme.scaled(150)};
}

void TradeoffChart::choose(qint64 id)
{
    setCurrent(id);
    emit chosen(id);
}

const TradeoffChart::Point* TradeoffChart::nearestTo(const QPointF& position) const
{
    const Point* nearest = nullptr;
    double best = m_theme.scaled(kTradeoffNear);
    for (const Point& point : m_points) {
        const QPointF away = place(point) - position;
        const double distance = std::hypot(away.x(), away.y());
        if (distance < best || (distance == best && point.front)) {
            best = distance;
            nearest = &point;
        }
    }
    return nearest;
}

void TradeoffChart::mouseMoveEvent(QMouseEvent* event)
{
    if (m_pressed && (m_drawing || (event->position() - *m_pressed).manhattanLength() > kBrushBegins)) {
        m_drawing = true;
        m_hovered = -1;
        setBrushedArea(QRectF(*m_pressed, event->position()).normalized() & plot());
        return update();
    }
    const Point* const point = nearestTo(event->position());
    const qint64 now = point ? point->id : -1;
    if (std::exchange(m_hovered, now) != now)
        update();
}

void TradeoffChart::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    if (std::exchange(m_hovered, -1) != -1)
        update();
}

void TradeoffChart::mouseReleaseEvent(QMouseEvent* event)
{
    m_pressed.reset();
    if (std::exchange(m_drawing, false))
        emit brushed();
    QWidget::mouseReleaseEvent(event);
}

void TradeoffChart::setBrush(const std::optional<Brush>& brush)
{
    m_brush = brush;
    update();
}

void TradeoffChart::setInside(const BrushedRows& inside)
{
    if (m_inside == inside)
        return;
    m_inside = inside;
    redraw();
}

void TradeoffChart::setErrors(double xPct, double yPct)
{
    m_xError = xPct;
    m_yError = yPct;
    update();
}

bool TradeoffChart::isAlike(const Point& point) const
{
    const Point* const chosen = pointOf(m_current);
    return chosen && (m_xError > 0 || m_yError > 0) && isAlike(point, *chosen);
}

bool TradeoffChart::isAlike(const Point& point, const Point& chosen) const
{
    return point.id != chosen.id && point.feasible && (m_xError <= 0 || isWithinError(point.x, chosen.x, m_xError)) && (m_yError <= 0 || isWithinError(point.y, chosen.y, m_yError));
}

/// What cannot be told from the chosen point: a band across the plot along each axis that has an error.
void TradeoffChart::paintAlike(QPainter& painter) const
{
    const Point* const chosen = pointOf(m_current);
    if (!chosen || (m_xError <= 0 && m_yError <= 0))
        return;
    QRectF band = plot();
    const auto across = [&](double x) { return plot().left() + plot().width() * std::clamp(m_x.partOf(x), 0.0, 1.0); };
    const auto up = [&](double y) { return plot().bottom() - plot().height() * std::clamp(m_y.partOf(y), 0.0, 1.0); };
    if (m_xError > 0) {
        band.setLeft(across(chosen->x / (1 + m_xError / 100)));
        band.setRight(across(chosen->x * (1 + m_xError / 100)));
    }
    if (m_yError > 0) {
        band.setTop(up(chosen->y * (1 + m_yError / 100)));
        band.setBottom(up(chosen->y / (1 + m_yError / 100)));
    }
    QColor shade = m_theme.color(Role::Text2);
    shade.setAlphaF(0.12F);
    painter.fillRect(band, shade);
    if (m_points.size() > kTradeoffMany)
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.color(Role::Text2), 1.5));
    for (const Point& point : m_points) {
        if (isAlike(point, *chosen))
            painter.drawEllipse(place(point), kTradeoffAlike, kTradeoffAlike);
    }
}

QRectF TradeoffChart::brushedArea() const
{
    const QRectF area = plot();
    const auto corner = [&](double x, double y) {
        return QPointF(area.left() + area.width() * m_x.partOf(std::clamp(x, m_x.least, m_x.most)), area.bottom() - area.height() * m_y.partOf(std::clamp(y, m_y.least, m_y.most)));
    };
    return QRectF(corner(m_brush->left, m_brush->high), corner(m_brush->right, m_brush->low)).normalized();
}

void TradeoffChart::setBrushedArea(const QRectF& area)
{
    const QRectF whole = plot();
    const auto across = [&](double x) { return m_x.valueAt((x - whole.left()) / whole.width()); };
    const auto up = [&](double y) { return m_y.valueAt((whole.bottom() - y) / whole.height()); };
    m_brush = Brush{across(area.left()), across(area.right()), up(area.bottom()), up(area.top())};
}

void TradeoffChart::growBrush(int across, int up)
{
    const Point* const point = pointOf(m_current);
    if (!m_brush && !point)
        return;
    const QRectF whole = plot();
    const QPointF step(whole.width() * kBrushStep, whole.height() * kBrushStep);
    if (!m_brush) {
        const QPointF here = place(*point);
        setBrushedArea(QRectF(here - step, here + step));
        emit brushed();
        return;
    }
    const QRectF area = brushedArea().adjusted(-across * step.x(), -up * step.y(), across * step.x(), up * step.y());
    if (area.width() <= 0 || area.height() <= 0)
        m_brush.reset();
    else
        setBrushedArea(area);
    update();
    emit brushed();
}

bool TradeoffChart::takeShiftedKey(int key)
{
    switch (key) {
    case Qt::Key_Left: growBrush(-1, 0); return true;
    case Qt::Key_Right: growBrush(1, 0); return true;
    case Qt::Key_Down: growBrush(0, -1); return true;
    case Qt::Key_Up: growBrush(0, 1); return true;
    default: return false;
    }
}

void TradeoffChart::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && !m_points.empty())
        m_pressed = event->position();
    if (const Point* const point = nearestTo(event->position()))
        choose(point->id);
}

void TradeoffChart::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const Point* const point = nearestTo(event->position()))
        emit activated(point->id);
}

/// `by` points on, to an end where that is too far; `all`: not only those of the front.
void TradeoffChart::walk(int by, bool all)
{
    const bool front = !all && std::any_of(m_points.begin(), m_points.end(), [](const Point& point) { return point.front; });
    std::vector<const Point*> way;
    std::ptrdiff_t now = -1;
    const Point* const current = pointOf(m_current);
    for (const Point& point : m_points) {
        if (!front || point.front)
            way.push_back(&point);
        // From a point beside the front: where the way passes it.
        if (current && std::tuple(point.x, point.y, point.id) <= std::tuple(current->x, current->y, current->id))
            now = static_cast<std::ptrdiff_t>(way.size()) - 1;
    }
    const bool beside = current && front && !current->front;
    const std::ptrdiff_t next = !current ? (by < 0 ? std::ptrdiff_t{0} : by == 1 ? std::ptrdiff_t{0} : std::ptrdiff_t{by}) : now + by + (beside && by < 0 ? 1 : 0);
    choose(way[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, static_cast<std::ptrdiff_t>(way.size()) - 1))]->id);
}

void TradeoffChart::keyPressEvent(QKeyEvent* event)
{
    if (m_points.empty())
        return QWidget::keyPressEvent(event);
    if (event->modifiers() == Qt::ShiftModifier && takeShiftedKey(event->key()))
        return;
    if (event->key() == Qt::Key_Escape && (m_brush || m_inside)) {
        setBrush(std::nullopt);
        emit brushed();
        return;
    }
    const bool all = event->modifiers() == Qt::ControlModifier;
    const int most = static_cast<int>(m_points.size());
    switch (event->key()) {
    case Qt::Key_Left: return walk(-1, all);
    case Qt::Key_Right: return walk(1, all);
    case Qt::Key_Home: return walk(-most, all);
    case Qt::Key_End: return walk(most, all);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (pointOf(m_current))
            emit activated(m_current);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void TradeoffChart::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void TradeoffChart::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

void TradeoffChart::describe()
{
    if (m_points.empty())
        return setAccessibleDescription(m_emptyText);
    if (!pointOf(m_current) || !m_describer)
        return setAccessibleDescription(tr("%1 designs, %2 over %3").arg(texts::count(static_cast<std::int64_t>(m_points.size())), m_y.axis.name, m_x.axis.name));
    setAccessibleDescription(m_describer(m_current).replace(QLatin1Char('\n'), QStringLiteral(", ")));
}

void TradeoffChart::paintAxes(QPainter& painter) const
{
    const QRectF area = plot();
    const ColumnUnit across = m_x.axis.unit(m_x.most);
    const ColumnUnit up = m_y.axis.unit(m_y.most);
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(painter.font());
    const double tall = metrics.height();
    const auto gapOf = [](const Scale& scale, const std::vector<double>& ticks, double tick, double divisor) {
        return (scale.log || ticks.size() < 2 ? tick : ticks[1] - ticks[0]) / divisor;
    };
    const std::vector<double> rows = m_y.ticks(std::clamp(static_cast<int>(area.height() / (2.2 * tall)), 2, kTradeoffTicks));
    for (const double tick : rows) {
        const double y = area.bottom() - area.height() * m_y.partOf(tick);
        painter.setPen(m_theme.color(Role::Grid));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(m_theme.color(Role::Text3));
        painter.drawText(QRectF(0, y - tall, area.left() - m_theme.scaled(6), 2 * tall), Qt::AlignRight | Qt::AlignVCenter, tickLabel(tick / up.divisor, gapOf(m_y, rows, tick, up.divisor)));
    }
    const std::vector<double> columns = m_x.ticks(std::clamp(static_cast<int>(area.width() / (7 * tall)), 2, kTradeoffTicks));
    painter.setPen(m_theme.color(Role::Text3));
    for (const double tick : columns) {
        const double x = area.left() + area.width() * m_x.partOf(tick);
        painter.drawText(QRectF(x - 4 * tall, area.bottom() + m_theme.scaled(2), 8 * tall, tall), Qt::AlignCenter, tickLabel(tick / across.divisor, gapOf(m_x, columns, tick, across.divisor)));
    }
    painter.setPen(m_theme.color(Role::Outline));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.setPen(m_theme.color(Role::Text3));
    painter.drawText(QRectF(m_theme.scaled(12), 0, area.width(), area.top() - m_theme.scaled(4)), Qt::AlignLeft | Qt::AlignVCenter, up.title(m_y.axis.name));
    painter.drawText(QRectF(area.left(), area.bottom() + m_theme.scaled(4) + tall, area.width(), tall), Qt::AlignRight | Qt::AlignVCenter, across.title(m_x.axis.name));
}

void TradeoffChart::paintPoints(QPainter& painter) const
{
    constexpr double kCross = 2.5;
    const QColor other = m_theme.color(Role::Outline);
    const QColor faint = m_theme.color(Role::Ghost);
    for (const Point& point : m_points) {
        const QPointF here = place(point);
        if (!point.feasible) {
            painter.setPen(QPen(m_theme.color(Role::Ghost), 1));
            painter.drawLine(here + QPointF(-kCross, -kCross), here + QPointF(kCross, kCross));
            painter.drawLine(here + QPointF(-kCross, kCross), here + QPointF(kCross, -kCross));
            continue;
        }
        if (point.front)
            continue;
        const QColor& colour = isFaint(point) ? faint : other;
        if (m_points.size() > kTradeoffMany) { // One by one, circles would take longer than anyone waits.
            painter.fillRect(QRectF(here.x() - 1, here.y() - 1, 2, 2), colour);
            continue;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawEllipse(here, isFaint(point) ? kTradeoffFaint : kTradeoffDot, isFaint(point) ? kTradeoffFaint : kTradeoffDot);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.color(Role::Critical), 1.5));
    painter.drawPolyline(frontLine());
    for (const Point& point : m_points) {
        painter.setBrush(m_theme.color(isFaint(point) ? Role::View : Role::Accent));
        if (point.front)
            painter.drawEllipse(place(point), kTradeoffRing, kTradeoffRing);
    }
}

void TradeoffChart::paintHovered(QPainter& painter) const
{
    const Point* const point = pointOf(m_hovered >= 0 ? m_hovered : hasFocus() ? m_current : -1);
    if (!point || !m_describer)
        return;
    HoverBox box(m_theme, m_describer(point->id), size());
    box.moveBeside(place(*point), m_theme.scaled(kTradeoffChosen + 6));
    box.paint(painter);
}

void TradeoffChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    redraw();
}

void TradeoffChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (m_points.empty()) {
        painter.fillRect(rect(), m_theme.color(Role::View));
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect().adjusted(24, 12, -24, -12), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    if (m_layer.isNull()) {
        const double ratio = devicePixelRatioF();
        m_layer = QPixmap((QSizeF(size()) * ratio).toSize());
        m_layer.setDevicePixelRatio(ratio);
        m_layer.fill(m_theme.color(Role::View));
        QPainter layer(&m_layer);
        layer.setRenderHint(QPainter::Antialiasing);
        paintAxes(layer);
        paintPoints(layer);
    }
    painter.drawPixmap(0, 0, m_layer);
    painter.setRenderHint(QPainter::Antialiasing);
    paintAlike(painter);
    if (m_brush) {
        QColor inside = m_theme.color(Role::Accent);
        painter.setPen(QPen(inside, 1));
        inside.setAlphaF(0.12F);
        painter.setBrush(inside);
        painter.drawRect(brushedArea() & plot());
    }
    if (const Point* const point = pointOf(m_current)) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.color(hasFocus() ? Role::Accent : Role::Text), 2));
        painter.drawEllipse(place(*point), kTradeoffChosen, kTradeoffChosen);
    }
    paintHovered(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

} // namespace fabricscope
