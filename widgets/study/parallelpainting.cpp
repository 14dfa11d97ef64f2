// What a chart of parallel axes paints: lines as a picture that is kept, above it axes, intervals and what is chosen.
#include "widgets/base/background.h"
#include "widgets/base/hoverbox.h"
#include "widgets/base/texts.h"
#include "widgets/study/parallelchart.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::size_t kMostFrontLines = 300;
constexpr double kLabelGap = 6;

} // namespace

/// Few lines are drawn at once, many on another thread; until those are there the picture before stands.
void ParallelChart::askForPicture()
{
    if (!m_isOld || m_isDrawing)
        return;
    m_isOld = false;
    ParallelLines now = lines();
    if (m_columns->done.size() <= kMostParallelLines) {
        m_picture = parallelPicture(now);
        return;
    }
    m_isDrawing = true;
    m_stop = std::stop_source();
    inBackground(this, [now = std::move(now), stop = m_stop.get_token()] { return parallelPicture(now, stop); }, [this](const Result<QImage>& picture) {
        m_isDrawing = false;
        if (picture && !m_stop.stop_requested())
            m_picture = picture.value();
        update();
    });
}

void ParallelChart::paintAxis(QPainter& painter, std::size_t axis) const
{
    const QRectF area = axisArea(axis);
    const bool current = hasFocus() && axis == m_axis;
    painter.setPen(QPen(m_theme.color(current ? Role::Accent : Role::Outline), current ? 2 : 1));
    painter.drawLine(QPointF(placeOf(axis), area.top()), QPointF(placeOf(axis), area.bottom()));
    const VariantColumn& column = m_columns->columns[columnOf(axis)];
    const bool inverted = isInverted(m_axes[axis]);
    const bool scale = column.labels().empty();
    const ColumnUnit unit = column.axis().unit(column.most());
    QString name = scale && !unit.name.isEmpty() ? unit.title(column.axis().name) : column.axis().name;
    if (inverted)
        name = QStringLiteral("\u2193 ") + name; // Falls upwards.
    painter.setFont(m_theme.font(TextStyle::LabelStrong));
    painter.setPen(m_theme.color(current ? Role::Accent : Role::Text));
    const QRectF box = nameArea(axis);
    painter.drawText(box, Qt::AlignCenter, QFontMetricsF(painter.font()).elidedText(name, Qt::ElideRight, box.width()));
    if (!scale)
        return paintLabels(painter, axis);
    painter.setFont(m_theme.font(TextStyle::Label));
    painter.setPen(m_theme.color(Role::Text2));
    const double tall = QFontMetricsF(painter.font()).height();
    const QString least = column.axis().number(column.least(), unit);
    const QString most = column.axis().number(column.most(), unit);
    painter.drawText(QRectF(box.left(), area.top() - tall - 2, box.width(), tall), Qt::AlignCenter, inverted ? least : most);
    painter.drawText(QRectF(box.left(), area.bottom() + 2, box.width(), tall), Qt::AlignCenter, inverted ? most : least);
}

/// Beside their places; of those that would lie on each other only some.
void ParallelChart::paintLabels(QPainter& painter, std::size_t axis) const
{
    const ParallelLines now = lines();
    const VariantColumn& column = m_columns->columns[now.sides[axis].column];
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(painter.font());
    const std::size_t count = column.labels().size();
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(metrics.height() * static_cast<double>(count) / now.height)));
    const double room = (m_axes.size() > 1 ? placeOf(1) - placeOf(0) : width()) - m_theme.scaled(2 * kLabelGap);
    const bool last = axis + 1 == m_axes.size();
    for (std::size_t i = 0; i < count; i += every) {
        const double y = now.yOf(now.sides[axis], column.valueAt((static_cast<double>(i) + 0.5) / static_cast<double>(count)));
        const QString text = metrics.elidedText(column.labels()[i], Qt::ElideRight, last ? m_theme.scaled(42) : std::min(room, 2.0 * m_theme.scaled(42)));
        const double wide = metrics.horizontalAdvance(text) + 4;
        const QRectF box(placeOf(axis) + m_theme.scaled(4), y - metrics.height() / 2, wide, metrics.height());
        QColor behind = m_theme.color(Role::View);
        behind.setAlphaF(0.8F);
        painter.fillRect(box, behind);
        painter.setPen(m_theme.color(Role::Text));
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

void ParallelChart::paintInterval(QPainter& painter, std::size_t axis) const
{
    const VariantInterval* const interval = m_brush.of(m_axes[axis]);
    if (!interval)
        return;
    const ParallelLines now = lines();
    const QRectF area = axisArea(axis);
    const double a = std::clamp(now.yOf(now.sides[axis], interval->low), area.top(), area.bottom());
    const double b = std::clamp(now.yOf(now.sides[axis], interval->high), area.top(), area.bottom());
    QColor inside = m_theme.color(Role::Accent);
    painter.setPen(QPen(inside, 1));
    inside.setAlphaF(0.3F);
    painter.setBrush(inside);
    const QRectF band(area.left(), std::min(a, b), area.width(), std::max(2.0, std::abs(a - b)));
    painter.drawRect(band);
    painter.setBrush(m_theme.color(Role::View));
    for (const double y : {band.top(), band.bottom()})
        painter.drawRect(QRectF(band.left() - 1, y - 2, band.width() + 2, 4));
}

/// The front, what is under the pointer and what is chosen.
void ParallelChart::paintLines(QPainter& painter) const
{
    const ParallelLines now = lines();
    const auto draw = [&](std::size_t row, const QPen& pen) {
        painter.setPen(pen);
        for (const QPolygonF& line : now.lineOf(row))
            painter.drawPolyline(line);
    };
    painter.setBrush(Qt::NoBrush);
    const std::vector<std::size_t>& front = m_columns->table->front;
    for (std::size_t i = 0; i < std::min(front.size(), kMostFrontLines); ++i) {
        if (now.isBrushed(front[i]))
            draw(front[i], QPen(m_theme.color(Role::Critical), 1.5));
    }
    for (const qint64 id : {m_hovered, m_current}) {
        const auto row = rowOf(id);
        if (!row)
            continue;
        draw(*row, QPen(m_theme.color(Role::View), 5));
        draw(*row, QPen(m_theme.color(Role::Accent), id == m_current ? 2.5 : 1.5));
        painter.setBrush(m_theme.color(Role::View));
        painter.setPen(QPen(m_theme.color(Role::Accent), 1.5));
        for (const QPolygonF& line : now.lineOf(*row)) {
            for (const QPointF& point : line)
                painter.drawEllipse(point, 3.5, 3.5);
        }
        painter.setBrush(Qt::NoBrush);
    }
}

void ParallelChart::paintHovered(QPainter& painter) const
{
    const auto row = rowOf(m_hovered);
    if (!row || !m_describer || m_drag != Drag::None)
        return;
    HoverBox box(m_theme, m_describer(m_hovered), size());
    const double gap = m_theme.scaled(12);
    const double left = m_pointer.x() + gap + box.size().width() <= width() ? m_pointer.x() + gap : m_pointer.x() - gap - box.size().width();
    box.moveTo({left, std::clamp(m_pointer.y() - box.size().height() / 2, 1.0, std::max(1.0, height() - box.size().height() - 1))});
    box.paint(painter);
}

void ParallelChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    if (!m_columns || m_axes.empty() || m_columns->done.empty()) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect().adjusted(24, 12, -24, -12), Qt::AlignCenter | Qt::TextWordWrap, tr("Lines stand here once designs have run."));
        return;
    }
    askForPicture();
    if (m_picture.deviceIndependentSize().toSize() == size())
        painter.drawImage(0, 0, m_picture);
    painter.setRenderHint(QPainter::Antialiasing);
    paintLines(painter);
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis) {
        paintAxis(painter, axis);
        paintInterval(painter, axis);
    }
    if (m_drag == Drag::Name && std::abs(m_pointer.x() - m_pressed.x()) > 4) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 2, Qt::DashLine));
        painter.drawLine(QPointF(m_pointer.x(), axisArea(0).top()), QPointF(m_pointer.x(), axisArea(0).bottom()));
    }
    paintHovered(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

} // namespace fabricscope
