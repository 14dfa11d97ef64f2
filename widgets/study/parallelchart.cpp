#include "widgets/study/parallelchart.h"

#include "core/base/index.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kParallelMargin = 48; ///< Beside the first and the last axis.
constexpr double kParallelNear = 8;   ///< Pixels the pointer may miss an axis or a line.
constexpr double kParallelEnd = 2;    ///< Pixels from an end of an axis that are the end: no value is left out by a pixel.
constexpr double kParallelBegins = 4; ///< Pixels from where the button went down.
constexpr double kIntervalStep = 0.05; ///< Of an axis, by a key.

bool hasAxis(const std::vector<VariantAxis>& axes, const VariantAxis& axis)
{
    return std::any_of(axes.begin(), axes.end(), [&](const VariantAxis& other) { return other.isSame(axis); });
}

/// Parameters that are varied, as the study has them, then what is sought.
std::vector<VariantAxis> axesAtFirst(const VariantColumns& columns)
{
    std::vector<VariantAxis> parameters;
    std::vector<VariantAxis> sought;
    for (const VariantColumn& column : columns.columns) {
        if (!column.axis().figure && column.labels().size() != 1)
            parameters.push_back(column.axis());
        else if (column.axis().isObjective)
            sought.push_back(column.axis());
    }
    std::sort(parameters.begin(), parameters.end(), [](const VariantAxis& a, const VariantAxis& b) { return a.parameter < b.parameter; });
    parameters.insert(parameters.end(), sought.begin(), sought.end());
    return parameters;
}

} // namespace

ParallelChart::ParallelChart(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Parallel axes"));
    followTheme(this, &ParallelChart::setTheme);
    describe();
}

void ParallelChart::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    redraw();
}

void ParallelChart::redraw()
{
    m_isOld = true;
    m_stop.request_stop(); // What is being drawn is not wanted.
    update();
}

void ParallelChart::setColumns(const VariantColumnsPtr& columns)
{
    m_columns = columns;
    const bool same = !m_axes.empty() && columns && std::all_of(m_axes.begin(), m_axes.end(), [&](const VariantAxis& axis) {
        const VariantColumn* const column = columns->find(axis);
        return column && column->axis().name == axis.name;
    });
    if (!same) {
        m_axes = columns ? axesAtFirst(*columns) : std::vector<VariantAxis>();
        m_inverted.clear();
        m_axis = 0;
        emit axesChanged();
    }
    if (!rowOf(m_hovered))
        m_hovered = -1;
    m_inside.reset();
    describe();
    redraw();
}

void ParallelChart::setBrush(const VariantBrush& brush, BrushedRows inside)
{
    m_brush = brush;
    m_inside = std::move(inside);
    describe();
    redraw();
}

void ParallelChart::setColour(const std::optional<VariantAxis>& axis)
{
    m_colour = axis;
    redraw();
}

void ParallelChart::setCurrent(qint64 id)
{
    m_current = id;
    describe();
    update();
}

bool ParallelChart::isInverted(const VariantAxis& axis) const
{
    return hasAxis(m_inverted, axis);
}

void ParallelChart::setShown(const VariantAxis& axis, bool shown)
{
    if (hasAxis(m_axes, axis) == shown)
        return;
    if (shown)
        m_axes.push_back(axis);
    else
        std::erase_if(m_axes, [&](const VariantAxis& other) { return other.isSame(axis); });
    m_axis = std::min(m_axis, m_axes.empty() ? 0 : m_axes.size() - 1);
    describe();
    redraw();
    emit axesChanged();
}

void ParallelChart::moveAxis(std::size_t from, std::size_t to)
{
    if (from >= m_axes.size() || to >= m_axes.size() || from == to)
        return;
    const VariantAxis axis = m_axes[from];
    m_axes.erase(m_axes.begin() + static_cast<std::ptrdiff_t>(from));
    m_axes.insert(m_axes.begin() + static_cast<std::ptrdiff_t>(to), axis);
    m_axis = to;
    describe();
    redraw();
    emit axesChanged();
}

void ParallelChart::invertAxis(std::size_t axis)
{
    if (axis >= m_axes.size())
        return;
    if (isInverted(m_axes[axis]))
        std::erase_if(m_inverted, [&](const VariantAxis& other) { return other.isSame(m_axes[axis]); });
    else
        m_inverted.push_back(m_axes[axis]);
    describe();
    redraw();
}

double ParallelChart::placeOf(std::size_t axis) const
{
    const double margin = m_theme.scaled(kParallelMargin);
    const auto gaps = static_cast<double>(std::max<std::size_t>(m_axes.size(), 2) - 1);
    return std::round(margin + (width() - 2 * margin) * static_cast<double>(axis) / gaps);
}

QRectF ParallelChart::axisArea(std::size_t axis) const
{
    const double name = QFontMetricsF(m_theme.font(TextStyle::LabelStrong)).height();
    const double label = QFontMetricsF(m_theme.font(TextStyle::Label)).height();
    const double top = name + label + m_theme.scaled(8);
    const double wide = m_theme.scaled(8);
    return {placeOf(axis) - wide / 2, top, wide, std::max(20.0, height() - top - label - m_theme.scaled(6))};
}

QRectF ParallelChart::nameArea(std::size_t axis) const
{
    const double gap = m_axes.size() > 1 ? placeOf(1) - placeOf(0) : width();
    const bool isAtEdge = axis == 0 || axis + 1 == m_axes.size();
    const double wide = std::min(gap, isAtEdge ? 2.0 * m_theme.scaled(kParallelMargin) : gap) - 4;
    return QRectF(placeOf(axis) - wide / 2, m_theme.scaled(2), wide, QFontMetricsF(m_theme.font(TextStyle::LabelStrong)).height());
}

std::size_t ParallelChart::columnOf(std::size_t axis) const
{
    return at(m_columns->find(m_axes[axis]) - m_columns->columns.data());
}

ParallelLines ParallelChart::lines() const
{
    ParallelLines lines;
    lines.columns = m_columns;
    for (std::size_t i = 0; i < m_axes.size(); ++i)
        lines.sides.push_back({columnOf(i), isInverted(m_axes[i]), placeOf(i)});
    lines.inside = m_inside;
    if (const VariantColumn* const colour = m_colour ? m_columns->find(*m_colour) : nullptr)
        lines.colour = at(colour - m_columns->columns.data());
    const QRectF area = axisArea(0);
    lines.top = area.top();
    lines.height = area.height();
    lines.size = size();
    lines.ratio = devicePixelRatioF();
    lines.theme = m_theme;
    return lines;
}

QPointF ParallelChart::positionOf(std::size_t axis, qint64 id) const
{
    const std::optional<std::size_t> row = rowOf(id);
    const ParallelLines now = lines();
    return row ? QPointF(now.sides[axis].x, now.yOfRow(now.sides[axis], *row)) : QPointF();
}

QSize ParallelChart::sizeHint() const
{
    return {m_theme.scaled(560), m_theme.scaled(190)};
}

QSize ParallelChart::minimumSizeHint() const
{
    return {m_theme.scaled(240), m_theme.scaled(120)};
}

std::optional<std::size_t> ParallelChart::rowOf(qint64 id) const
{
    if (!m_columns)
        return std::nullopt;
    const std::vector<StudyTableRow>& rows = m_columns->table->rows;
    const auto found = std::lower_bound(rows.begin(), rows.end(), id, [](const StudyTableRow& row, qint64 of) { return row.number < of; });
    return found == rows.end() || found->number != id ? std::nullopt : std::optional(at(found - rows.begin()));
}

std::optional<std::size_t> ParallelChart::axisNear(const QPointF& position) const
{
    for (std::size_t i = 0; i < m_axes.size(); ++i) {
        if (std::abs(position.x() - placeOf(i)) <= m_theme.scaled(kParallelNear))
            return i;
    }
    return std::nullopt;
}

/// Of what is brushed the line that passes nearest.
std::optional<std::size_t> ParallelChart::rowNear(const QPointF& position) const
{
    std::optional<std::size_t> nearest;
    if (!m_columns || m_axes.size() < 2 || position.x() < placeOf(0) || position.x() > placeOf(m_axes.size() - 1))
        return nearest;
    const ParallelLines now = lines();
    std::size_t right = 1;
    while (right + 1 < m_axes.size() && now.sides[right].x < position.x())
        ++right;
    const ParallelLines::Side& a = now.sides[right - 1];
    const ParallelLines::Side& b = now.sides[right];
    const double share = (position.x() - a.x) / (b.x - a.x);
    double best = m_theme.scaled(kParallelNear);
    for (const std::size_t row : m_columns->done) {
        if (!now.isBrushed(row))
            continue;
        const double begin = now.yOfRow(a, row);
        const double away = std::abs(begin + share * (now.yOfRow(b, row) - begin) - position.y());
        if (away < best) { // Not where it has no value.
            best = away;
            nearest = row;
        }
    }
    return nearest;
}

void ParallelChart::choose(qint64 id)
{
    setCurrent(id);
    emit chosen(id);
}

void ParallelChart::goToAxis(std::size_t axis)
{
    m_axis = axis;
    describe();
    update();
}

/// To the next design along the axis, of those that are brushed.
void ParallelChart::walk(int by)
{
    const ParallelLines now = lines();
    const ParallelLines::Side& side = now.sides[m_axis];
    const VariantColumn& column = m_columns->columns[side.column];
    const double up = side.inverted ? -by : by;
    const auto keyOf = [&](std::size_t row) { return std::tuple(up * column.value(row), by * static_cast<qint64>(row)); };
    const std::optional<std::size_t> from = rowOf(m_current);
    const bool known = from && !std::isnan(column.value(*from));
    std::optional<std::size_t> next;
    for (const std::size_t row : m_columns->done) {
        if (!now.isBrushed(row) || std::isnan(column.value(row)))
            continue;
        if ((!known || keyOf(row) > keyOf(*from)) && (!next || keyOf(row) < keyOf(*next)))
            next = row;
    }
    if (next)
        choose(m_columns->table->rows[*next].number);
}

void ParallelChart::goToEnd(bool top)
{
    m_current = -1;
    walk(top ? -1 : 1);
}

VariantInterval ParallelChart::intervalBetween(std::size_t axis, double from, double to) const
{
    const ParallelLines now = lines();
    const ParallelLines::Side& side = now.sides[axis];
    const double a = now.valueAt(side, from);
    const double b = now.valueAt(side, to);
    return {std::min(a, b), std::max(a, b)};
}

void ParallelChart::setInterval(std::size_t axis, const std::optional<VariantInterval>& interval)
{
    VariantBrush brush = m_brush;
    brush.remove(m_axes[axis]);
    if (interval)
        brush.set(m_axes[axis], *interval);
    emit brushWanted(brush);
}

/// By a value where there are few, else by a step of the axis. One that is no more is taken away.
void ParallelChart::growInterval(int by, bool move)
{
    const ParallelLines now = lines();
    const ParallelLines::Side& side = now.sides[m_axis];
    const VariantColumn& column = m_columns->columns[side.column];
    const double step = column.labels().empty() ? kIntervalStep : 1.0 / static_cast<double>(column.labels().size());
    const VariantInterval* const old = m_brush.of(m_axes[m_axis]);
    if (!old) {
        const std::optional<std::size_t> row = rowOf(m_current);
        if (move || by < 0 || !row || std::isnan(column.value(*row)))
            return;
        const double middle = column.partOf(column.value(*row));
        return setInterval(m_axis, VariantInterval{column.valueAt(middle - step / 2), column.valueAt(middle + step / 2)});
    }
    const double along = side.inverted ? -by : by;
    const double low = column.partOf(std::max(old->low, column.valueAt(0))) + step * (move ? along : -by);
    const double high = column.partOf(std::min(old->high, column.valueAt(1))) + step * (move ? along : by);
    if (high <= low)
        return setInterval(m_axis, std::nullopt);
    if (!move || (low > -step && high < 1 + step))
        setInterval(m_axis, VariantInterval{column.valueAt(std::max(low, -step)), column.valueAt(std::min(high, 1 + step))});
}

void ParallelChart::endInterval()
{
    if (m_brush.of(m_axes[m_axis]))
        return setInterval(m_axis, std::nullopt);
    emit brushWanted({});
}

void ParallelChart::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_columns)
        return;
    m_pressed = m_pointer = event->position();
    for (std::size_t i = 0; i < m_axes.size(); ++i) {
        if (nameArea(i).contains(m_pressed)) {
            m_drag = Drag::Name;
            return goToAxis(i);
        }
    }
    if (const auto axis = axisNear(m_pressed)) {
        m_drag = Drag::Interval;
        return goToAxis(*axis);
    }
    if (const auto row = rowNear(m_pressed))
        choose(m_columns->table->rows[*row].number);
}

void ParallelChart::mouseMoveEvent(QMouseEvent* event)
{
    m_pointer = event->position();
    if (m_drag == Drag::None) {
        const bool name = std::any_of(m_axes.begin(), m_axes.end(), [&](const VariantAxis& axis) { return nameArea(at(&axis - m_axes.data())).contains(m_pointer); });
        setCursor(name ? Qt::OpenHandCursor : m_columns && axisNear(m_pointer) ? Qt::SizeVerCursor : Qt::ArrowCursor);
        const auto row = rowNear(m_pointer);
        const qint64 now = row ? m_columns->table->rows[*row].number : -1;
        if (std::exchange(m_hovered, now) != now)
            update();
        return;
    }
    m_hovered = -1;
    if (m_drag == Drag::Interval && std::abs(m_pointer.y() - m_pressed.y()) > kParallelBegins) {
        const QRectF area = axisArea(m_axis);
        const auto onAxis = [&](double y) { return y < area.top() + kParallelEnd ? area.top() : y > area.bottom() - kParallelEnd ? area.bottom() : y; };
        setInterval(m_axis, intervalBetween(m_axis, onAxis(m_pressed.y()), onAxis(m_pointer.y())));
    }
    update();
}

void ParallelChart::mouseReleaseEvent(QMouseEvent* event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (drag == Drag::Name && std::abs(event->position().x() - m_pressed.x()) > kParallelBegins) {
        const double gap = m_axes.size() > 1 ? placeOf(1) - placeOf(0) : 1;
        const double place = std::round((event->position().x() - placeOf(0)) / gap);
        moveAxis(m_axis, static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(m_axes.size() - 1))));
    } else if (drag == Drag::Interval && std::abs(event->position().y() - m_pressed.y()) <= kParallelBegins) {
        // A click on an axis: outside of its interval it ends that, else it chooses a design.
        const VariantInterval* const interval = m_brush.of(m_axes[m_axis]);
        if (interval && !interval->holds(lines().valueAt(lines().sides[m_axis], m_pressed.y())))
            setInterval(m_axis, std::nullopt);
        else if (const auto row = rowNear(m_pressed))
            choose(m_columns->table->rows[*row].number);
    }
    update();
}

void ParallelChart::mouseDoubleClickEvent(QMouseEvent* event)
{
    for (std::size_t i = 0; i < m_axes.size(); ++i) {
        if (nameArea(i).contains(event->position()))
            return invertAxis(i);
    }
    if (const auto row = rowNear(event->position()))
        emit activated(m_columns->table->rows[*row].number);
}

void ParallelChart::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    if (std::exchange(m_hovered, -1) != -1)
        update();
}

/// Keys that are for the axis rather than for a design.
bool ParallelChart::takeAxisKey(QKeyEvent& event)
{
    const bool move = event.modifiers() == Qt::ControlModifier;
    const bool plain = event.modifiers() == Qt::NoModifier;
    if (event.key() == Qt::Key_Left && (plain || move)) {
        if (m_axis > 0)
            move ? moveAxis(m_axis, m_axis - 1) : goToAxis(m_axis - 1);
    } else if (event.key() == Qt::Key_Right && (plain || move)) {
        if (m_axis + 1 < m_axes.size())
            move ? moveAxis(m_axis, m_axis + 1) : goToAxis(m_axis + 1);
    } else if (event.key() == Qt::Key_I && plain) {
        invertAxis(m_axis);
    } else if (event.key() == Qt::Key_Delete && plain) {
        if (m_axes.size() > 2)
            setShown(VariantAxis(m_axes[m_axis]), false);
    } else if (event.key() == Qt::Key_Escape && !m_brush.isEmpty()) {
        endInterval();
    } else {
        return false;
    }
    return true;
}

void ParallelChart::keyPressEvent(QKeyEvent* event)
{
    if (!m_columns || m_axes.empty())
        return QWidget::keyPressEvent(event);
    if (takeAxisKey(*event))
        return;
    const bool grow = event->modifiers() == Qt::ShiftModifier;
    const bool shift = event->modifiers() == Qt::AltModifier;
    switch (event->key()) {
    case Qt::Key_Up: return grow || shift ? growInterval(1, shift) : walk(1);
    case Qt::Key_Down: return grow || shift ? growInterval(-1, shift) : walk(-1);
    case Qt::Key_Home: return goToEnd(true);
    case Qt::Key_End: return goToEnd(false);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (rowOf(m_current))
            emit activated(m_current);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void ParallelChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    redraw();
}

void ParallelChart::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void ParallelChart::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

/// How many there are and are brushed, what the axis of the keys says, and the chosen design.
void ParallelChart::describe()
{
    if (!m_columns || m_axes.empty())
        return setAccessibleDescription(tr("Designs have not run yet."));
    const auto count = [](auto number) { return texts::count(static_cast<std::int64_t>(number)); };
    const std::vector<std::uint32_t>& rows = m_columns->done;
    QStringList parts{tr("%1 axes, %2 designs").arg(count(m_axes.size()), count(rows.size()))};
    if (!m_brush.isEmpty())
        parts += tr("%1 in the brush").arg(count(std::count_if(rows.begin(), rows.end(), [&](std::size_t row) { return !m_inside || (*m_inside)[row] != 0; })));
    const VariantColumn& column = m_columns->columns[columnOf(m_axis)];
    parts += tr("axis %1 of %2: %3 from %4 to %5").arg(count(m_axis + 1), count(m_axes.size()), m_axes[m_axis].name, column.text(column.least()), column.text(column.most()));
    if (isInverted(m_axes[m_axis]))
        parts += tr("turned over");
    if (const VariantInterval* const interval = m_brush.of(m_axes[m_axis]))
        parts += tr("brushed %1").arg(column.text(*interval));
    if (m_describer && rowOf(m_current))
        parts += m_describer(m_current).replace(QLatin1Char('\n'), QStringLiteral(", "));
    setAccessibleDescription(parts.join(QStringLiteral("; ")));
}

} // namespace fabricscope
