#include "widgets/workload/shardview.h"

#include "core/base/index.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kShardRow = 46;
constexpr double kShardCell = 38;
constexpr double kShardGap = 6;
constexpr double kShardMargin = 12;
constexpr double kLeastCell = 70;
constexpr double kMostName = 190;
constexpr std::size_t kMeasuredRows = 400; ///< Names of so many rows decide how wide the column is.

} // namespace

ShardView::ShardView(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Sharding of tensors"));
    followTheme(this, &ShardView::setTheme);
}

void ShardView::setTheme(const Theme& theme)
{
    m_theme = theme;
    measure();
    update();
}

void ShardView::setShard(ShardDesignPtr shard, const QString& why)
{
    const QString current = m_row >= 0 ? m_rows[at(m_row)].name : QString();
    m_shard = std::move(shard);
    m_rows = m_shard ? sharded::rowsOf(*m_shard) : std::vector<ShardRow>();
    m_why = why;
    m_hover = {};
    const auto same = std::ranges::find(m_rows, current, &ShardRow::name);
    m_row = same == m_rows.end() || current.isEmpty() ? -1 : static_cast<int>(same - m_rows.begin());
    m_dim = m_row < 0 ? -1 : std::min(m_dim, static_cast<int>(m_rows[at(m_row)].cells.size()) - 1);
    measure();
    findPath();
    update();
    emit currentChanged();
}

/// Columns wide enough for what is in them.
void ShardView::measure()
{
    const QFontMetricsF names(m_theme.font(TextStyle::BodyStrong));
    const QFontMetricsF notes(m_theme.font(TextStyle::Label));
    const QFontMetricsF axes(m_theme.font(TextStyle::BodyStrong));
    m_nameWidth = 0;
    m_cellWidth = m_theme.scaled(kLeastCell);
    m_noteWidth = m_theme.scaled(60);
    m_mostDims = 0;
    for (std::size_t r = 0; r < std::min(m_rows.size(), kMeasuredRows); ++r) {
        m_nameWidth = std::max(m_nameWidth, names.horizontalAdvance(m_rows[r].name));
        m_noteWidth = std::max(m_noteWidth, notes.horizontalAdvance(m_rows[r].note));
        for (const ShardRow::Cell& cell : m_rows[r].cells)
            m_cellWidth = std::max({m_cellWidth, notes.horizontalAdvance(cell.size) + m_theme.scaled(16), axes.horizontalAdvance(cell.axes) + m_theme.scaled(16)});
    }
    for (const ShardRow& row : m_rows)
        m_mostDims = std::max(m_mostDims, row.cells.size());
    m_nameWidth = std::min(m_nameWidth, static_cast<double>(m_theme.scaled(kMostName))) + m_theme.scaled(kShardMargin);
    updateGeometry();
}

QSize ShardView::sizeHint() const
{
    const double gap = m_theme.scaled(kShardGap);
    const double wide = m_theme.scaled(kShardMargin) * 2 + m_nameWidth + static_cast<double>(m_mostDims) * (m_cellWidth + gap) + m_noteWidth;
    const double high = static_cast<double>(m_rows.size()) * m_theme.scaled(kShardRow) + m_theme.scaled(kShardMargin);
    constexpr double kMostPixels = 8'000'000; // A widget has fewer than 2^24.
    return {static_cast<int>(wide), static_cast<int>(std::clamp(high, 120.0, kMostPixels))};
}

QRectF ShardView::cellRect(int row, int dim) const
{
    const double x = m_theme.scaled(kShardMargin) + m_nameWidth + dim * (m_cellWidth + m_theme.scaled(kShardGap));
    const double height = m_theme.scaled(kShardCell);
    return {x, row * static_cast<double>(m_theme.scaled(kShardRow)) + m_theme.scaled(kShardGap), m_cellWidth, height};
}

ShardView::Place ShardView::placeAt(const QPointF& point) const
{
    const int row = static_cast<int>(point.y()) / std::max(1, m_theme.scaled(kShardRow));
    if (row < 0 || row >= static_cast<int>(m_rows.size()))
        return {};
    for (int dim = 0; dim < static_cast<int>(m_rows[at(row)].cells.size()); ++dim) {
        if (cellRect(row, dim).contains(point))
            return {row, dim};
    }
    return {};
}

ShardView::Place ShardView::placeOf(TensorId inProgram, std::size_t dim) const
{
    const auto row = std::ranges::find(m_rows, inProgram, &ShardRow::inProgram);
    return row == m_rows.end() ? Place{} : Place{static_cast<int>(row - m_rows.begin()), static_cast<int>(dim)};
}

void ShardView::findPath()
{
    const Place shown = m_hover.row >= 0 ? m_hover : Place{m_row, m_dim};
    m_path.reset();
    if (!m_shard || shown.row < 0 || shown.dim < 0)
        return;
    const TensorId tensor = m_rows[at(shown.row)].inProgram;
    const AxisList& axes = m_shard->plan.propagated[at(tensor)][at(shown.dim)];
    if (!axes.empty())
        m_path = propagationPath(*m_shard->problem, m_shard->plan, tensor, at(shown.dim), axes.front());
}

QString ShardView::pathText() const
{
    if (!m_path || !m_shard)
        return {};
    const OpGraph& graph = m_shard->plan.program.graph;
    if (m_path->empty())
        return tr("Given by an annotation.");
    QStringList lines{tr("From %1, dim %2").arg(texts::shown(graph.tensor(m_path->front().from).name)).arg(m_path->front().fromDim)};
    for (const PropagationHop& hop : *m_path)
        lines.append(tr("to %1, dim %2: %3").arg(texts::shown(graph.tensor(hop.to).name)).arg(hop.toDim).arg(texts::shown(hop.rule)));
    return lines.join(QLatin1Char('\n'));
}

void ShardView::setCurrent(int row, int dim)
{
    if (row == m_row && dim == m_dim)
        return;
    m_row = row;
    m_dim = dim;
    findPath();
    update();
    emit currentChanged();
    if (m_row >= 0)
        emit moved();
}

void ShardView::setMarked(std::vector<TensorId> tensors)
{
    m_marked = std::move(tensors);
    update();
}

void ShardView::mousePressEvent(QMouseEvent* event)
{
    const Place place = placeAt(event->position());
    if (event->button() != Qt::LeftButton || place.row < 0)
        return QWidget::mousePressEvent(event);
    setCurrent(place.row, place.dim);
    emit axesWanted(place.row, place.dim, mapToGlobal(cellRect(place.row, place.dim).bottomLeft().toPoint()));
}

void ShardView::mouseMoveEvent(QMouseEvent* event)
{
    const Place place = placeAt(event->position());
    if (place == m_hover)
        return;
    m_hover = place;
    setCursor(place.row >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    findPath();
    update();
    emit currentChanged();
}

void ShardView::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    if (m_hover.row < 0)
        return;
    m_hover = {};
    findPath();
    update();
    emit currentChanged();
}

void ShardView::keyPressEvent(QKeyEvent* event)
{
    const int count = static_cast<int>(m_rows.size());
    if (count == 0 || event->modifiers() != Qt::NoModifier)
        return QWidget::keyPressEvent(event);
    const auto lastDim = [this](int row) { return static_cast<int>(m_rows[at(row)].cells.size()) - 1; };
    const auto toRow = [&](int row) { setCurrent(std::clamp(row, 0, count - 1), std::clamp(m_dim, lastDim(std::clamp(row, 0, count - 1)) < 0 ? -1 : 0, lastDim(std::clamp(row, 0, count - 1)))); };
    switch (event->key()) {
    case Qt::Key_Down:
        return toRow(m_row + 1);
    case Qt::Key_Up:
        return toRow(m_row < 0 ? 0 : m_row - 1);
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (m_row >= 0 && lastDim(m_row) >= 0)
            setCurrent(m_row, std::clamp(m_dim + (event->key() == Qt::Key_Right ? 1 : -1), 0, lastDim(m_row)));
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_row >= 0 && m_dim >= 0)
            emit axesWanted(m_row, m_dim, mapToGlobal(cellRect(m_row, m_dim).bottomLeft().toPoint()));
        return;
    case Qt::Key_Delete:
        if (m_row >= 0)
            emit dropWanted(m_row);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void ShardView::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(event->rect(), m_theme.color(Role::View));
    if (m_rows.empty()) {
        const int margin = m_theme.scaled(kShardMargin);
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect().adjusted(margin, margin, -margin, -margin), Qt::AlignCenter | Qt::TextWordWrap, m_why);
    }
    const int high = std::max(1, m_theme.scaled(kShardRow));
    const int last = std::min(static_cast<int>(m_rows.size()) - 1, event->rect().bottom() / high);
    for (int row = std::max(0, event->rect().top() / high); row <= last; ++row)
        paintRow(painter, row);
    paintPath(painter);
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(m_theme.color(Role::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(visibleRegion().boundingRect().adjusted(0, 0, -1, -1));
    }
}

void ShardView::paintRow(QPainter& painter, int row) const
{
    const ShardRow& shown = m_rows[at(row)];
    const double high = m_theme.scaled(kShardRow);
    const double margin = m_theme.scaled(kShardMargin);
    const QRectF line(0, row * high, width(), high);
    if (row == m_row)
        painter.fillRect(line, m_theme.color(Role::Sel));
    else if (std::ranges::count(m_marked, shown.tensor) > 0)
        painter.fillRect(line, m_theme.color(Role::InfoBg));
    const QFont font = m_theme.font(shown.annotated ? TextStyle::BodyStrong : TextStyle::Body);
    painter.setFont(font);
    painter.setPen(m_theme.color(Role::Text));
    const double room = m_nameWidth - margin;
    painter.drawText(QRectF(margin, line.top(), room, high), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(font).elidedText(shown.name, Qt::ElideMiddle, room));
    for (std::size_t d = 0; d < shown.cells.size(); ++d)
        paintCell(painter, shown, shown.cells[d], cellRect(row, static_cast<int>(d)), row == m_row && static_cast<int>(d) == m_dim);
    painter.setFont(m_theme.font(TextStyle::Label));
    painter.setPen(m_theme.color(shown.conflict ? Role::Err : Role::Text2));
    const double from = cellRect(row, static_cast<int>(m_mostDims)).left();
    painter.drawText(QRectF(from, line.top(), width() - from, high), Qt::AlignLeft | Qt::AlignVCenter, shown.note);
}

void ShardView::paintCell(QPainter& painter, const ShardRow& row, const ShardRow::Cell& cell, const QRectF& box, bool current) const
{
    const bool cut = !cell.axes.isEmpty();
    QPen frame(m_theme.color(row.conflict && cut ? Role::Err : cell.given ? Role::Text : cut ? Role::Outline : Role::Line2), (row.conflict && cut) || cell.given ? 1.5 : 1);
    if (cut && !cell.given)
        frame.setDashPattern({4, 3});
    painter.setPen(frame);
    painter.setBrush(m_theme.color(Role::View));
    const double inset = 0.75;
    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), 4, 4);
    if (current) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box.adjusted(-2, -2, 2, 2), 5, 5);
    }
    const double pad = m_theme.scaled(8);
    const QRectF upper(box.left() + pad, box.top() + m_theme.scaled(3), box.width() - 2 * pad + 2, box.height() / 2 - m_theme.scaled(3));
    painter.setFont(m_theme.font(TextStyle::Label));
    painter.setPen(m_theme.color(Role::Text2));
    painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, cell.size);
    const QRectF lower(upper.left(), box.center().y(), upper.width(), box.height() / 2 - m_theme.scaled(3));
    const QFont font = m_theme.font(cut ? TextStyle::BodyStrong : TextStyle::Label);
    painter.setFont(font);
    painter.setPen(m_theme.color(cut ? Role::Text : Role::Text2));
    painter.drawText(lower, Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(font).elidedText(cut ? cell.axes : tr("whole"), Qt::ElideRight, lower.width()));
}

/// From cell to cell: a curve with a dot at the start and an arrow at the end.
void ShardView::paintPath(QPainter& painter) const
{
    if (!m_path)
        return;
    const QColor color = m_theme.color(Role::Accent);
    for (const PropagationHop& hop : *m_path) {
        const Place from = placeOf(hop.from, hop.fromDim);
        const Place to = placeOf(hop.to, hop.toDim);
        if (from.row < 0 || to.row < 0)
            continue;
        const bool down = from.row < to.row;
        const QRectF a = cellRect(from.row, from.dim);
        const QRectF b = cellRect(to.row, to.dim);
        const double shift = a.width() * 0.72;
        const QPointF start(a.left() + shift, down ? a.bottom() : a.top());
        const QPointF end(b.left() + shift, down ? b.top() : b.bottom());
        const double bend = std::max(8.0, std::abs(end.y() - start.y()) * 0.4) * (down ? 1 : -1);
        // Over several rows it goes round the cells between, not through them.
        const double side = std::abs(from.row - to.row) > 1 && from.dim == to.dim ? a.width() * 0.5 : 0;
        QPainterPath curve(start);
        curve.cubicTo(start + QPointF(side, bend), end + QPointF(side, -bend), end);
        painter.setPen(QPen(color, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(curve);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawEllipse(start, 3, 3);
        const double tip = down ? -6 : 6;
        painter.drawPolygon(QPolygonF{end, end + QPointF(-4, tip), end + QPointF(4, tip)});
    }
}

} // namespace fabricscope
