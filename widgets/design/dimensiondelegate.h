#pragma once

#include <QStyledItemDelegate>

namespace fabricscope {

class DimensionView;

/// Draws and edits the cells of a DimensionView. Text that cannot be taken keeps the editor open with its reason told.
class DimensionDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    static constexpr int kPadding = 3;

    explicit DimensionDelegate(DimensionView* view);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool eventFilter(QObject* object, QEvent* event) override;

signals:
    void message(const QString& text) const;

private:
    DimensionView* m_view;
};

} // namespace fabricscope
