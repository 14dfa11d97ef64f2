#include "widgets/workload/pipelinechart.h"

#include "core/base/index.h"
#include "core/draw/nicestep.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kRowHeight = 22;
constexpr double kBarHeight = 18;
constexpr double kHeadHeight = 44;
constexpr double kFootHeight = 24;
constexpr double kNameWidth = 76;
constexpr double kMemoryWidth = 222;
constexpr double kLeastWidth = 3; ///< Narrower operations become columns.
constexpr double kNumberWidth = 14;
constexpr double kShortestShare = 1e-6; ///< Of the makespan, that can be zoomed to.

/// A share of the memory bar, left to right.
struct MemoryPart {
    std::int64_t bytes;
    QColor color;
    Qt::BrushStyle pattern;
};

} // namespace

PipelineChart::PipelineChart(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Pipeline over time"));
    followTheme(this, &PipelineChart::setTheme);
    describe();
}

void PipelineChart::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void PipelineChart::setDrawing(std::shared_ptr<const PipelineDrawing> drawing, const QString& why)
{
    const bool sameRows = drawing && m_drawing && drawing->orders.ranks.size() == m_drawing->orders.ranks.size();
    m_drawing = std::move(drawing);
    m_why = why;
    if (!sameRows) {
        m_begin = 0;
        m_end = 1;
        m_row = m_place = -1;
    } else if (m_row >= 0) {
        m_place = std::min(m_place, static_cast<int>(m_drawing->orders.ranks[at(m_row)].size()) - 1);
    }
    describe();
    updateGeometry();
    update();
}

int PipelineChart::rowCount() const
{
    return m_drawing ? static_cast<int>(m_drawing->orders.ranks.size()) : 0;
}

QRectF PipelineChart::plot() const
{
    const double left = m_theme.scaled(kNameWidth);
    const double memory = m_drawing && !m_drawing->memory.empty() ? m_theme.scaled(kMemoryWidth) : m_theme.scaled(12);
    return {left, static_cast<double>(m_theme.scaled(kHeadHeight)), std::max(1.0, width() - left - memory), std::max(0.0, rowCount() * static_cast<double>(m_theme.scaled(kRowHeight)))};
}

QRectF PipelineChart::rowRect(int row) const
{
    const double height = m_theme.scaled(kRowHeight);
    return {0, plot().top() + row * height, static_cast<double>(width()), height};
}

double PipelineChart::xOf(std::int64_t ps) const
{
    const QRectF place = plot();
    const double whole = static_cast<double>(std::max<std::int64_t>(m_drawing->times.makespan, 1));
    return place.left() + place.width() * (static_cast<double>(ps) / whole - m_begin) / (m_end - m_begin);
}

QRectF PipelineChart::operationRect(int row, int place) const
{
    const PipelineTimes::Span& span = m_drawing->times.operations[at(row)][at(place)];
    const double height = m_theme.scaled(kBarHeight);
    const double left = xOf(span.start);
    return {left, rowRect(row).center().y() - height / 2, xOf(span.end) - left, height};
}

double PipelineChart::memoryScale() const
{
    std::int64_t most = m_drawing->capacity;
    for (const RowMemory& row : m_drawing->memory)
        most = std::max(most, row.peak);
    const double room = m_theme.scaled(kMemoryWidth) - m_theme.scaled(12) - QFontMetricsF(m_theme.font(TextStyle::Label)).horizontalAdvance(QStringLiteral("000.0 GB"));
    return most > 0 ? std::max(room, 1.0) / static_cast<double>(most) : 0;
}

QRectF PipelineChart::memoryRect(int row) const
{
    const double height = m_theme.scaled(kBarHeight) * 0.7;
    const RowMemory& memory = m_drawing->memory[at(row)];
    return {plot().right() + m_theme.scaled(12), rowRect(row).center().y() - height / 2, static_cast<double>(memory.peak) * memoryScale(), height};
}

int PipelineChart::firstBehind(int row, std::int64_t ps) const
{
    const auto& spans = m_drawing->times.operations[at(row)];
    const auto found = std::lower_bound(spans.begin(), spans.end(), ps, [](const PipelineTimes::Span& span, std::int64_t time) { return span.end <= time; });
    return static_cast<int>(found - spans.begin());
}

double PipelineChart::bubbleShare() const
{
    if (!m_drawing || m_drawing->times.makespan <= 0 || m_drawing->times.busy.empty())
        return 0;
    double waits = 0;
    for (std::size_t rank = 0; rank < m_drawing->times.busy.size(); ++rank)
        waits += static_cast<double>(m_drawing->times.bubble(static_cast<std::int32_t>(rank)));
    return waits / static_cast<double>(m_drawing->times.makespan) / static_cast<double>(m_drawing->times.busy.size());
}

QString PipelineChart::operationName(const PipelineOperation& operation) const
{
    const auto pass = [](const PipelinePass& one) { return tr("stage %1, micro-batch %2").arg(one.stage).arg(one.microBatch); };
    switch (operation.kind) {
    case PipelineOperation::Kind::Forward:
        return tr("forward of %1").arg(pass(operation.pass));
    case PipelineOperation::Kind::Backward:
        return tr("backward (inputs) of %1").arg(pass(operation.pass));
    case PipelineOperation::Kind::Weight:
        return tr("backward (weights) of %1").arg(pass(operation.pass));
    case PipelineOperation::Kind::FullBackward:
        return tr("backward of %1").arg(pass(operation.pass));
    case PipelineOperation::Kind::Pair:
        break;
    }
    return tr("forward of %1 beside backward of %2").arg(pass(operation.pass), pass(operation.other));
}

QString PipelineChart::memoryText(int row) const
{
    const RowMemory& memory = m_drawing->memory[at(row)];
    QString text = texts::bytes(memory.peak);
    if (m_drawing->capacity > 0 && memory.peak > m_drawing->capacity)
        text += tr(", needs %1 less").arg(texts::bytes(memory.peak - m_drawing->capacity));
    return text;
}

QString PipelineChart::footText() const
{
    if (!m_drawing)
        return m_why;
    if (m_row < 0)
        return m_drawing->foot;
    const QString name = m_drawing->names.value(m_row);
    if (m_place < 0)
        return tr("%1 waits %2 in all.").arg(name, texts::time({m_drawing->times.bubble(m_row)}));
    const PipelineTimes::Span& span = m_drawing->times.operations[at(m_row)][at(m_place)];
    return tr("%1: %2, %3 from %4").arg(name, operationName(m_drawing->orders.ranks[at(m_row)][at(m_place)]), texts::time({span.end - span.start}), texts::time({span.start}));
}

void PipelineChart::describe()
{
    QStringList said;
    if (m_drawing) {
        said.append(tr("%1, %2 rows, %3 in all, ranks wait %4 of it").arg(m_drawing->title).arg(rowCount()).arg(texts::time({m_drawing->times.makespan}), texts::percent(bubbleShare())));
        if (m_row >= 0 && !m_drawing->memory.empty())
            said.append(tr("memory of this row: %1").arg(memoryText(m_row)));
    }
    said.append(footText());
    setAccessibleDescription(said.join(QStringLiteral("; ")));
}

void PipelineChart::setCurrent(int row, int place)
{
    if (rowCount() == 0)
        return;
    const int before = m_row;
    m_row = std::clamp(row, -1, rowCount() - 1);
    m_place = m_row < 0 ? -1 : std::clamp(place, -1, static_cast<int>(m_drawing->orders.ranks[at(m_row)].size()) - 1);
    if (m_place >= 0) {
        // What is walked to is seen.
        const PipelineTimes::Span& span = m_drawing->times.operations[at(m_row)][at(m_place)];
        const double whole = static_cast<double>(std::max<std::int64_t>(m_drawing->times.makespan, 1));
        const double shown = m_end - m_begin;
        if (static_cast<double>(span.start) / whole < m_begin)
            showRange(static_cast<double>(span.start) / whole, static_cast<double>(span.start) / whole + shown);
        else if (static_cast<double>(span.end) / whole > m_end)
            showRange(static_cast<double>(span.end) / whole - shown, static_cast<double>(span.end) / whole);
    }
    describe();
    update();
    if (m_row != before)
        emit rowChanged(m_row);
}

void PipelineChart::showRange(double begin, double end)
{
    const double length = std::clamp(end - begin, kShortestShare, 1.0);
    m_begin = std::clamp(begin, 0.0, 1.0 - length);
    m_end = m_begin + length;
    update();
}

void PipelineChart::zoom(double factor, double share)
{
    const double length = (m_end - m_begin) * factor;
    const double middle = m_begin + (m_end - m_begin) * share;
    showRange(middle - length * share, middle + length * (1 - share));
}

QSize PipelineChart::sizeHint() const
{
    return {m_theme.scaled(720), m_theme.scaled(kHeadHeight) + std::max(rowCount(), 3) * m_theme.scaled(kRowHeight) + m_theme.scaled(kFootHeight)};
}

QSize PipelineChart::minimumSizeHint() const
{
    return {m_theme.scaled(420), sizeHint().height()};
}

void PipelineChart::mousePressEvent(QMouseEvent* event)
{
    const QPointF position = event->position();
    for (int row = 0; row < rowCount(); ++row) {
        if (!rowRect(row).contains(position))
            continue;
        const QRectF place = plot();
        const double share = m_begin + (m_end - m_begin) * (position.x() - place.left()) / place.width();
        const int found = firstBehind(row, static_cast<std::int64_t>(share * static_cast<double>(m_drawing->times.makespan)));
        const bool hit = position.x() >= place.left() && position.x() < place.right() && found < static_cast<int>(m_drawing->times.operations[at(row)].size())
                         && operationRect(row, found).contains(QPointF(position.x(), rowRect(row).center().y()));
        return setCurrent(row, hit ? found : -1);
    }
    setCurrent(-1, -1);
}

void PipelineChart::wheelEvent(QWheelEvent* event)
{
    if (!m_drawing || !event->modifiers().testFlag(Qt::ControlModifier))
        return event->ignore();
    const QRectF place = plot();
    zoom(std::pow(0.998, event->angleDelta().y()), std::clamp((event->position().x() - place.left()) / place.width(), 0.0, 1.0));
    event->accept();
}

bool PipelineChart::moveCurrent(int key)
{
    if (rowCount() == 0)
        return false;
    const int row = std::max(m_row, 0);
    const int last = static_cast<int>(m_drawing->orders.ranks[at(row)].size()) - 1;
    switch (key) {
    case Qt::Key_Right:
        setCurrent(row, std::min(m_place + 1, last));
        return true;
    case Qt::Key_Left:
        setCurrent(row, m_place < 0 ? last : std::max(m_place - 1, 0));
        return true;
    case Qt::Key_Home:
        setCurrent(row, 0);
        return true;
    case Qt::Key_End:
        setCurrent(row, last);
        return true;
    case Qt::Key_Down:
    case Qt::Key_Up: {
        const int next = m_row < 0 ? 0 : m_row + (key == Qt::Key_Down ? 1 : -1);
        if (next < 0 || next >= rowCount())
            return true;
        // The operation that runs at the same time.
        const int place = m_place < 0 || m_row < 0 ? -1 : firstBehind(next, m_drawing->times.operations[at(m_row)][at(m_place)].start);
        setCurrent(next, place);
        return true;
    }
    default:
        return false;
    }
}

void PipelineChart::keyPressEvent(QKeyEvent* event)
{
    const double step = (m_end - m_begin) / 4;
    if (m_drawing && event->key() == Qt::Key_0 && event->modifiers() == Qt::ControlModifier)
        return showRange(0, 1);
    if (!m_drawing || event->modifiers() != Qt::NoModifier)
        return QWidget::keyPressEvent(event);
    if (moveCurrent(event->key()))
        return;
    if (event->key() == Qt::Key_W)
        zoom(0.5, 0.5);
    else if (event->key() == Qt::Key_S)
        zoom(2, 0.5);
    else if (event->key() == Qt::Key_A)
        showRange(m_begin - step, m_end - step);
    else if (event->key() == Qt::Key_D)
        showRange(m_begin + step, m_end + step);
    else if (event->key() == Qt::Key_Escape && m_row >= 0)
        setCurrent(-1, -1);
    else
        QWidget::keyPressEvent(event);
}

void PipelineChart::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    if (!m_drawing) {
        const int margin = m_theme.scaled(12);
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect().adjusted(margin, margin, -margin, -margin), Qt::AlignCenter | Qt::TextWordWrap, m_why);
    } else {
        paintHead(painter);
        for (int row = 0; row < rowCount(); ++row) {
            if (!rowRect(row).intersects(event->rect()))
                continue;
            paintRow(painter, row);
            if (!m_drawing->memory.empty())
                paintMemory(painter, row);
        }
        const int margin = m_theme.scaled(12);
        const QRectF below(margin, plot().bottom(), width() - 2 * margin, m_theme.scaled(kFootHeight));
        const QFont font = m_theme.font(TextStyle::Label);
        painter.setFont(font);
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, QFontMetrics(font).elidedText(footText(), Qt::ElideRight, static_cast<int>(below.width())));
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

/// Title, bubble, the axis of time, and that of the memory.
void PipelineChart::paintHead(QPainter& painter) const
{
    const QRectF place = plot();
    const int margin = m_theme.scaled(12);
    painter.setFont(m_theme.font(TextStyle::Section));
    painter.setPen(m_theme.color(Role::Text2));
    const QRectF upper(margin, m_theme.scaled(4), place.right() - margin, m_theme.scaled(18));
    painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, tr("%1 \u00b7 bubble %2").arg(m_drawing->title, texts::percent(bubbleShare(), 1)));
    if (!m_drawing->memory.empty()) {
        const QString text = m_drawing->capacity > 0 ? tr("Memory of a rank, of %1").arg(texts::bytes(m_drawing->capacity)) : tr("Memory of a rank");
        painter.drawText(QRectF(place.right() + margin, upper.top(), m_theme.scaled(kMemoryWidth) - margin, upper.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(m_theme.font(TextStyle::Label));
    const double whole = static_cast<double>(std::max<std::int64_t>(m_drawing->times.makespan, 1));
    const auto shown = static_cast<std::int64_t>(std::max(1.0, (m_end - m_begin) * whole));
    const std::int64_t step = niceStep(shown, 6);
    double free = 0;
    for (auto i = static_cast<std::int64_t>(m_begin * whole) / step; i <= static_cast<std::int64_t>(m_end * whole) / step; ++i) {
        const double x = xOf(i * step);
        if (x < place.left() - 1)
            continue;
        painter.fillRect(QRectF(std::round(x), place.top() - 4, 1, 4), m_theme.color(Role::Outline));
        const QString text = i == 0 ? QStringLiteral("0") : texts::time({i * step}, 2);
        const double wide = metrics.horizontalAdvance(text);
        const double from = std::clamp(x - wide / 2, place.left(), std::max(place.left(), place.right() - wide));
        if (from < free)
            continue;
        free = from + wide + m_theme.scaled(8);
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(QRectF(from, upper.bottom(), wide + 2, place.top() - upper.bottom() - 4), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

void PipelineChart::paintRow(QPainter& painter, int row) const
{
    const QRectF line = rowRect(row);
    const QRectF place = plot();
    if (row == m_row)
        painter.fillRect(line, m_theme.color(Role::Sel));
    const QFont font = m_theme.font(row == m_row ? TextStyle::BodyStrong : TextStyle::Body);
    const double margin = m_theme.scaled(12);
    painter.setFont(font);
    painter.setPen(m_theme.color(Role::Text));
    const double room = place.left() - margin - 4;
    painter.drawText(QRectF(margin, line.top(), room, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(font).elidedText(m_drawing->names.value(row), Qt::ElideRight, static_cast<int>(room)));
    painter.save();
    painter.setClipRect(QRectF(place.left(), line.top(), place.width(), line.height()));
    // What is not work is a bubble.
    const double height = m_theme.scaled(kBarHeight);
    const double end = std::min(place.right(), xOf(m_drawing->times.makespan));
    painter.fillRect(QRectF(place.left(), line.center().y() - height / 2, std::max(0.0, end - place.left()), height), QBrush(m_theme.color(Role::Wait), Qt::BDiagPattern));
    const auto& spans = m_drawing->times.operations[at(row)];
    const double whole = static_cast<double>(std::max<std::int64_t>(m_drawing->times.makespan, 1));
    const double psPerPixel = whole * (m_end - m_begin) / place.width();
    int number = firstBehind(row, static_cast<std::int64_t>(m_begin * whole));
    while (number < static_cast<int>(spans.size()) && xOf(spans[at(number)].start) < place.right()) {
        const QRectF bar = operationRect(row, number);
        const bool current = row == m_row && number == m_place;
        paintOperation(painter, bar, m_drawing->orders.ranks[at(row)][at(number)], current);
        // Of many within a pixel one is enough.
        const int next = bar.width() < 1 ? firstBehind(row, spans[at(number)].start + static_cast<std::int64_t>(std::max(1.0, psPerPixel))) : number + 1;
        number = std::max(number + 1, next);
    }
    painter.restore();
}

void PipelineChart::paintOperation(QPainter& painter, const QRectF& bar, const PipelineOperation& operation, bool current) const
{
    const QColor color = m_theme.activity(Activity::Compute);
    const bool narrow = bar.width() < kLeastWidth;
    const QRectF drawn = narrow ? QRectF(bar.left(), bar.top(), std::max(bar.width(), 1.0), bar.height()) : bar.adjusted(0.5, 0, -0.5, 0);
    const bool weight = operation.kind == PipelineOperation::Kind::Weight;
    painter.fillRect(drawn, weight ? Theme::mix(m_theme.color(Role::View), color, 0.55) : color);
    if (!narrow && operation.kind != PipelineOperation::Kind::Forward)
        painter.fillRect(QRectF(drawn.left(), drawn.bottom() - 4, drawn.width(), 2), m_theme.color(Role::View));
    if (current) {
        painter.setPen(QPen(m_theme.color(Role::Text), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(drawn.adjusted(1, 1, -1, -1));
    }
    if (bar.width() < m_theme.scaled(kNumberWidth))
        return;
    const QFont font = m_theme.font(TextStyle::Smallest);
    const QString number = operation.kind == PipelineOperation::Kind::Pair ? QStringLiteral("%1|%2").arg(operation.pass.microBatch).arg(operation.other.microBatch)
                                                                            : QString::number(operation.pass.microBatch);
    if (QFontMetricsF(font).horizontalAdvance(number) + 2 > bar.width())
        return;
    painter.setFont(font);
    painter.setPen(m_theme.ink(weight ? Theme::mix(m_theme.color(Role::View), color, 0.55) : color));
    painter.drawText(drawn.adjusted(0, 0, 0, -2), Qt::AlignCenter, number);
}

void PipelineChart::paintMemory(QPainter& painter, int row) const
{
    const RowMemory& memory = m_drawing->memory[at(row)];
    const QRectF bar = memoryRect(row);
    const double scale = memoryScale();
    const bool over = m_drawing->capacity > 0 && memory.peak > m_drawing->capacity;
    const std::array<MemoryPart, 5> parts{{{memory.parameters, m_theme.color(Role::Text3), Qt::SolidPattern},
                                           {memory.gradients, m_theme.color(Role::Text3), Qt::BDiagPattern},
                                           {memory.optimizer, m_theme.color(Role::Text3), Qt::VerPattern},
                                           {memory.activations, m_theme.color(Role::Ghost), Qt::SolidPattern},
                                           {memory.buffers, m_theme.color(Role::Outline), Qt::NoBrush}}};
    double x = bar.left();
    for (const MemoryPart& part : parts) {
        const QRectF piece(x, bar.top(), static_cast<double>(part.bytes) * scale, bar.height());
        x = piece.right();
        if (piece.width() < 0.5)
            continue;
        painter.setPen(part.pattern == Qt::SolidPattern ? QPen(Qt::NoPen) : QPen(part.color, 1));
        painter.setBrush(QBrush(part.color, part.pattern));
        painter.drawRect(piece.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (m_drawing->capacity > 0) {
        const double limit = bar.left() + static_cast<double>(m_drawing->capacity) * scale;
        painter.setPen(QPen(m_theme.color(Role::Critical), 1, Qt::DashLine));
        painter.drawLine(QPointF(limit, rowRect(row).top()), QPointF(limit, rowRect(row).bottom()));
        if (over) {
            painter.setPen(QPen(m_theme.color(Role::Err), 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(QRectF(limit, bar.top(), bar.right() - limit, bar.height()));
        }
    }
    const QFont font = m_theme.font(over ? TextStyle::LabelStrong : TextStyle::Label);
    const QString text = texts::bytes(memory.peak);
    const double wide = QFontMetricsF(font).horizontalAdvance(text) + 2;
    const QRectF place(std::min(bar.right() + 4, width() - wide - 4), bar.top(), wide, bar.height());
    painter.fillRect(place, m_theme.color(row == m_row ? Role::Sel : Role::View)); // The line of the capacity may stand there.
    painter.setFont(font);
    painter.setPen(m_theme.color(over ? Role::Err : Role::Text2));
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, text);
}

} // namespace fabricscope
