#pragma once

#include "widgets/base/theme.h"

#include <QStyledItemDelegate>

namespace fabricscope {

/// Paints the cells of a TableModel: dimension chips 24 x 16, share bars 72 x 6 left of their number, the rest as the style does.
class TableDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void setTheme(const Theme& theme) { m_theme = theme; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Width a cell of this look needs beside its text.
    int extraWidth(int look) const;

private:
    Theme m_theme;
};

} // namespace fabricscope
