#include "widgets/transform/rewriterows.h"

#include "core/base/index.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/icons.h"
#include "widgets/base/showntexts.h"

#include <QDropEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTextLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kRowLeft = 12;
constexpr double kRowBracketWidth = 10;
constexpr double kRowNumberWidth = 26;
constexpr double kRowMarkWidth = 20;
constexpr double kRowRight = 12;
constexpr double kRowPadding = 3;

/// Draws RewriteRow; details wrap, at most three lines.
class RewriteRowDelegate : public QStyledItemDelegate
{
public:
    RewriteRowDelegate(RewriteRows* list, const Theme* theme) : QStyledItemDelegate(list), m_list(list), m_theme(theme) {} // The list takes no delegate as its own.

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override
    {
        const RewriteRow& row = m_list->rows()[at(index.row())];
        const QFontMetricsF title(m_theme->font(TextStyle::Body));
        double height = title.height() + 2 * m_theme->scaled(kRowPadding);
        if (!row.detail.isEmpty())
            height += detailHeight(row);
        return {m_list->viewport()->width(), static_cast<int>(std::ceil(height))};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const RewriteRow& row = m_list->rows()[at(index.row())];
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        const QRectF area = option.rect;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (selected)
            painter->fillRect(area, m_theme->color(m_list->hasFocus() ? Role::Sel : Role::Hover));
        paintBracket(*painter, area, row);
        const double left = area.left() + textLeft(row);
        const double top = area.top() + m_theme->scaled(kRowPadding);
        const double line = QFontMetricsF(m_theme->font(TextStyle::Body)).height();
        paintMark(*painter, row, QRectF(left - m_theme->scaled(kRowMarkWidth), top, m_theme->scaled(kRowMarkWidth), line));
        const double valueLeft = paintValue(*painter, row, QRectF(left, top, area.right() - m_theme->scaled(kRowRight) - left, line));
        painter->setFont(m_theme->font(TextStyle::Body));
        painter->setPen(m_theme->color(row.refused ? Role::Text2 : Role::Text));
        const QFontMetricsF metrics(painter->font());
        painter->drawText(QRectF(left, top, valueLeft - left, line), Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(row.title, Qt::ElideMiddle, valueLeft - left));
        painter->setPen(m_theme->color(selected ? Role::Text2 : Role::Text3));
        paintDetail(*painter, row, QPointF(left, top + line));
        if (selected && m_list->hasFocus()) {
            painter->setPen(QPen(m_theme->color(Role::Accent), 2));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(area.adjusted(1, 1, -1, -1));
        }
        painter->restore();
    }

private:
    double textLeft(const RewriteRow& row) const
    {
        const double bracket = row.bracket == RewriteRow::Bracket::None && row.number.isEmpty() ? 0 : kRowBracketWidth;
        return m_theme->scaled(kRowLeft + bracket + (row.number.isEmpty() ? 0 : kRowNumberWidth) + kRowMarkWidth);
    }

    double detailWidth(const RewriteRow& row) const { return std::max(20.0, m_list->viewport()->width() - textLeft(row) - m_theme->scaled(kRowRight)); }

    /// The lines of the detail, at most three.
    std::vector<QString> detailLines(const RewriteRow& row) const
    {
        constexpr std::size_t kMostLines = 3;
        std::vector<QString> lines;
        const QFont font = m_theme->font(TextStyle::Hint);
        QTextLayout layout(row.detail, font);
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(detailWidth(row));
            lines.push_back(row.detail.mid(line.textStart(), line.textLength()));
        }
        layout.endLayout();
        if (lines.size() > kMostLines) {
            for (std::size_t i = kMostLines; i < lines.size(); ++i)
                lines[kMostLines - 1] += lines[i];
            lines.resize(kMostLines);
            lines.back() = QFontMetricsF(font).elidedText(lines.back(), Qt::ElideRight, detailWidth(row));
        }
        return lines;
    }

    double detailHeight(const RewriteRow& row) const { return static_cast<double>(detailLines(row).size()) * QFontMetricsF(m_theme->font(TextStyle::Hint)).height(); }

    void paintDetail(QPainter& painter, const RewriteRow& row, QPointF from) const
    {
        painter.setFont(m_theme->font(TextStyle::Hint));
        const QFontMetricsF metrics(painter.font());
        for (const QString& line : detailLines(row)) {
            painter.drawText(QPointF(from.x(), from.y() + metrics.ascent()), line);
            from.ry() += metrics.height();
        }
    }

    void paintBracket(QPainter& painter, const QRectF& area, const RewriteRow& row) const
    {
        if (row.bracket == RewriteRow::Bracket::None)
            return;
        const double x = area.left() + m_theme->scaled(kRowLeft) - 4;
        const double arm = m_theme->scaled(5);
        const double top = row.bracketBegins ? area.top() + 5 : area.top();
        const double bottom = row.bracketEnds ? area.bottom() - 5 : area.bottom() + 1;
        painter.setPen(QPen(m_theme->color(row.bracket == RewriteRow::Bracket::Overlapped ? Role::Accent : Role::Outline), 2));
        painter.drawLine(QPointF(x, top), QPointF(x, bottom));
        if (row.bracketBegins)
            painter.drawLine(QPointF(x, top), QPointF(x + arm, top));
        if (row.bracketEnds)
            painter.drawLine(QPointF(x, bottom), QPointF(x + arm, bottom));
    }

    void paintMark(QPainter& painter, const RewriteRow& row, const QRectF& place) const
    {
        const double size = m_theme->scaled(10);
        const QRectF square(place.left(), place.center().y() - size / 2, size, size);
        if (!row.number.isEmpty()) {
            painter.setFont(m_theme->font(TextStyle::Table));
            painter.setPen(m_theme->color(Role::Text3));
            const double width = m_theme->scaled(kRowNumberWidth) - 6;
            painter.drawText(QRectF(place.left() - width - 8, place.top(), width, place.height()), Qt::AlignRight | Qt::AlignVCenter, row.number);
        }
        if (row.swatch) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(m_theme->color(Role::View));
            painter.fillRect(square, m_theme->activity(*row.swatch));
        } else if (row.grip) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(m_theme->color(Role::Text3));
            for (int dot = 0; dot < 6; ++dot)
                painter.drawEllipse(QPointF(place.left() + 2 + 4 * (dot % 2), place.center().y() - 4 + 4 * (dot / 2)), 1.1, 1.1);
        } else if (!row.icon.isEmpty()) {
            const double icon = m_theme->scaled(14);
            fabricscope::icon(row.icon, *m_theme).paint(&painter, QRectF(place.left() - 2, place.center().y() - icon / 2, icon, icon).toRect());
        }
    }

    /// Returns where the title has to end.
    double paintValue(QPainter& painter, const RewriteRow& row, const QRectF& place) const
    {
        QString value = row.value;
        QFont font = m_theme->font(row.refused ? TextStyle::Hint : row.gain != 0 ? TextStyle::BodyStrong : TextStyle::Body);
        QColor color = m_theme->color(row.refused ? Role::Text2 : row.gain < 0 ? Role::Ok : row.gain > 0 ? Role::Err : Role::Text);
        painter.setFont(font);
        painter.setPen(color);
        const double width = value.isEmpty() ? 0 : QFontMetricsF(font).horizontalAdvance(value) + 2;
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, value);
        double left = place.right() - width - m_theme->scaled(8);
        if (row.refused) {
            const double icon = m_theme->scaled(13);
            left -= icon;
            fabricscope::icon(QStringLiteral("locked"), IconColors::plain(m_theme->color(Role::Text2))).paint(&painter, QRectF(left + 4, place.center().y() - icon / 2, icon, icon).toRect());
        }
        return left;
    }

    const RewriteRows* m_list;
    const Theme* m_theme;
};

} // namespace

RewriteRows::RewriteRows(const QString& name, QWidget* parent) : QListWidget(parent)
{
    setAccessibleName(name);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    setUniformItemSizes(false);
    setItemDelegate(new RewriteRowDelegate(this, &m_theme));
    connect(this, &QListWidget::itemDoubleClicked, this, [this](QListWidgetItem* item) { emit chosen(row(item)); });
    followTheme(this, &RewriteRows::setTheme);
}

void RewriteRows::setTheme(const Theme& theme)
{
    m_theme = theme;
    scheduleDelayedItemsLayout();
    viewport()->update();
}

void RewriteRows::setMovable(bool movable)
{
    setDragDropMode(movable ? InternalMove : NoDragDrop);
    setDefaultDropAction(Qt::MoveAction);
}

void RewriteRows::setRows(std::vector<RewriteRow> rows, const QString& whenEmpty)
{
    m_whenEmpty = whenEmpty;
    if (rows == m_rows) {
        viewport()->update();
        return;
    }
    const int current = currentRow();
    const QSignalBlocker quiet(this);
    clear();
    m_rows = std::move(rows);
    for (const RewriteRow& row : m_rows) {
        // For assistive tools and for typing a name; painted by the delegate.
        auto* const item = new QListWidgetItem(this);
        item->setData(Qt::AccessibleTextRole, QStringLiteral("%1, %2 %3").arg(row.title, row.detail, row.value));
        item->setData(Qt::DisplayRole, row.title);
        if (row.refused)
            item->setToolTip(texts::toolTip(row.detail));
    }
    setCurrentRow(std::min(current, count() - 1));
}

int RewriteRows::contentHeight() const
{
    int height = 0;
    for (int i = 0; i < count(); ++i)
        height += std::max(sizeHintForRow(i), 0);
    return height;
}

void RewriteRows::keyPressEvent(QKeyEvent* event)
{
    const int row = currentRow();
    const int key = event->key();
    const bool alt = event->modifiers().testFlag(Qt::AltModifier);
    if (row >= 0 && (key == Qt::Key_Return || key == Qt::Key_Enter))
        emit chosen(row);
    else if (row >= 0 && (key == Qt::Key_Delete || key == Qt::Key_Backspace))
        emit removed(row);
    else if (row >= 0 && alt && key == Qt::Key_Up && row > 0)
        emit moved(row, row - 1);
    else if (row >= 0 && alt && key == Qt::Key_Down && row + 1 < count())
        emit moved(row, row + 1);
    else if (key == Qt::Key_T && event->modifiers() == Qt::NoModifier)
        event->ignore(); // Of the page.
    else
        QListWidget::keyPressEvent(event);
}

/// The list itself stays: its owner decides whether the row may stand there.
void RewriteRows::dropEvent(QDropEvent* event)
{
    const int from = currentRow();
    const QListWidgetItem* const target = itemAt(event->position().toPoint());
    int to = target ? row(target) : count() - 1;
    if (target && from >= 0) {
        const bool below = event->position().y() > visualItemRect(target).center().y();
        to += below && to < from ? 1 : !below && to > from ? -1 : 0;
    }
    event->setDropAction(Qt::IgnoreAction);
    event->accept();
    if (event->source() == this && from >= 0 && to != from)
        emit moved(from, to);
}

void RewriteRows::resizeEvent(QResizeEvent* event)
{
    QListWidget::resizeEvent(event);
    scheduleDelayedItemsLayout(); // Details wrap anew.
}

void RewriteRows::paintEvent(QPaintEvent* event)
{
    QListWidget::paintEvent(event);
    if (!m_rows.empty() || m_whenEmpty.isEmpty())
        return;
    QPainter painter(viewport());
    painter.setFont(m_theme.font(TextStyle::Hint));
    painter.setPen(m_theme.color(Role::Text2));
    painter.drawText(viewport()->rect().adjusted(12, 6, -12, -6), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_whenEmpty);
}

} // namespace fabricscope
