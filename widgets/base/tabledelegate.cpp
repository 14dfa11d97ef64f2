#include "widgets/base/tabledelegate.h"

#include "widgets/base/tablemodel.h"

#include <QApplication>
#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr double kBarWidth = 72;
constexpr double kBarHeight = 6;
constexpr double kChipWidth = 24;
constexpr double kChipHeight = 16;
constexpr double kPadding = 6;

} // namespace

int TableDelegate::extraWidth(int look) const
{
    switch (static_cast<TableColumn::Look>(look)) {
    case TableColumn::Look::ShareBar: return m_theme.scaled(kBarWidth + kPadding);
    case TableColumn::Look::Chip: return m_theme.scaled(kPadding);
    default: return 0;
    }
}

void TableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto look = static_cast<TableColumn::Look>(index.data(TableModel::LookRole).toInt());
    if (look != TableColumn::Look::Chip && look != TableColumn::Look::ShareBar) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem plain = option;
    initStyleOption(&plain, index);
    const QString text = plain.text;
    if (look == TableColumn::Look::Chip)
        plain.text.clear();
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &plain, painter, option.widget);
    if (text.isEmpty())
        return;

    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    const double padding = m_theme.scaled(kPadding);
    if (look == TableColumn::Look::Chip) {
        const int dimension = index.data(TableModel::DimensionRole).toInt();
        const QColor fill = m_theme.dimension(dimension);
        const QSizeF size(m_theme.scaled(kChipWidth), m_theme.scaled(kChipHeight));
        const QRectF chip(option.rect.left() + padding, option.rect.center().y() + 0.5 - size.height() / 2, size.width(), size.height());
        if (dimension >= Theme::kDimensionColors)
            painter->setPen(QPen(m_theme.ink(fill), 1, Qt::DashLine));
        painter->setBrush(fill);
        painter->drawRoundedRect(chip, 3, 3);
        painter->setFont(m_theme.font(TextStyle::LabelStrong));
        painter->setPen(m_theme.ink(fill));
        painter->drawText(chip, Qt::AlignCenter, text);
    } else {
        const double share = std::clamp(index.data(TableModel::ShareRole).toDouble(), 0.0, 1.0);
        const double width = m_theme.scaled(kBarWidth);
        const double height = m_theme.scaled(kBarHeight);
        // Beside the widest number a column of shares has, so that the bars of all rows stand in one line.
        const double number = std::max(plain.fontMetrics.horizontalAdvance(QStringLiteral("100.0")), plain.fontMetrics.horizontalAdvance(text));
        const QRectF bar(option.rect.right() - number - 2.5 * padding - width, option.rect.center().y() + 0.5 - height / 2, width, height);
        painter->setBrush(m_theme.color(Role::Line));
        painter->drawRoundedRect(bar, 1.5, 1.5);
        if (share > 0) {
            painter->setBrush(m_theme.heat(Theme::heatBucket(share)));
            painter->drawRoundedRect(QRectF(bar.topLeft(), QSizeF(std::max(1.0, width * share), height)), 1.5, 1.5);
        }
    }
    painter->restore();
}

} // namespace fabricscope
