#include "widgets/design/dimensiondelegate.h"

#include "widgets/design/dimensiontable.h"
#include "widgets/design/editactions.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QStyle>

namespace fabricscope {

DimensionDelegate::DimensionDelegate(DimensionView* view) : QStyledItemDelegate(view), m_view(view) {}

void DimensionDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme& theme = m_view->theme();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool selected = m_view->selectedDimension() == index.row();
    painter->fillRect(option.rect, theme.color(selected ? Role::Sel : option.state.testFlag(QStyle::State_MouseOver) ? Role::Hover : Role::Panel));
    const QRect rect = option.rect;
    if (index.column() == DimensionModel::Chip) {
        const QColor fill = theme.dimension(index.row());
        const int width = theme.scaled(24);
        const int height = theme.scaled(16);
        const QRectF chip(rect.left() + theme.scaled(8), rect.center().y() - height / 2 + 0.5, width, height);
        painter->setPen(index.row() >= Theme::kDimensionColors ? QPen(theme.ink(fill), 1, Qt::DashLine) : QPen(Qt::NoPen));
        painter->setBrush(fill);
        painter->drawRoundedRect(chip, 3, 3);
        painter->setPen(theme.ink(fill));
        painter->setFont(theme.font(TextStyle::LabelStrong));
        painter->drawText(chip, Qt::AlignCenter, index.data().toString());
        painter->restore();
        return;
    }
    const bool problem = !index.data(DimensionModel::ProblemRole).toString().isEmpty();
    const bool current = m_view->hasFocus() && m_view->currentIndex() == index;
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver) && index.flags().testFlag(Qt::ItemIsEditable) && m_view->indexAt(m_view->viewport()->mapFromGlobal(QCursor::pos())) == index;
    if (problem || current || hovered) {
        painter->setPen(QPen(theme.color(problem ? Role::Err : current ? Role::Accent : Role::Line2), current && !problem ? 1.5 : 1));
        painter->setBrush(hovered && !selected ? QBrush(theme.color(Role::View)) : QBrush(Qt::NoBrush));
        painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 1.5, -0.5, -1.5), 3, 3);
    }
    painter->setFont(theme.font(TextStyle::Table));
    painter->setPen(theme.color(index.data(DimensionModel::DerivedRole).toBool() ? Role::Text3 : Role::Text));
    const int right = index.column() == DimensionModel::Latency ? theme.scaled(6) : 0;
    const QRect inner = rect.adjusted(kPadding, 0, -kPadding - 1 - right, 0);
    const auto alignment = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).value<Qt::Alignment>());
    QString text = index.data().toString();
    if (index.column() == DimensionModel::ShapeColumn && index.data(DimensionModel::ShapeRole).toInt() == static_cast<int>(Shape::FullyConnected)) {
        for (const QString& shorter : {tr("Fully conn."), tr("Full")}) {
            if (painter->fontMetrics().horizontalAdvance(text) > inner.width())
                text = shorter;
        }
    }
    text = painter->fontMetrics().elidedText(text, Qt::ElideRight, inner.width());
    painter->drawText(inner, static_cast<int>(alignment), text);
    painter->restore();
}

QWidget* DimensionDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const
{
    const Theme& theme = m_view->theme();
    const QString name = index.data(Qt::AccessibleTextRole).toString();
    if (index.column() == DimensionModel::ShapeColumn) {
        auto* box = new QComboBox(parent);
        box->setAccessibleName(name);
        box->setFont(theme.font(TextStyle::Table));
        for (const Shape shape : {Shape::Ring, Shape::FullyConnected, Shape::Switch})
            box->addItem(DesignActions::shapeTitle(shape), static_cast<int>(shape));
        connect(box, &QComboBox::activated, this, [this, box] {
            auto* self = const_cast<DimensionDelegate*>(this);
            emit self->commitData(box);
            emit self->closeEditor(box);
        });
        return box;
    }
    auto* edit = new QLineEdit(parent);
    edit->setAccessibleName(name);
    edit->setFont(theme.font(TextStyle::Table));
    edit->setAlignment(Qt::AlignRight);
    edit->setStyleSheet(QStringLiteral("QLineEdit { padding: 0 2px; min-height: 0; }"));
    const int column = index.column();
    connect(edit, &QLineEdit::textEdited, this, [this, edit, column](const QString& text) {
        const QString refusal = DimensionModel::refusal(column, text);
        if (edit->property("state").toString() == QLatin1String("error") && refusal.isEmpty()) {
            edit->setProperty("state", QVariant());
            edit->style()->unpolish(edit);
            edit->style()->polish(edit);
            emit message({});
        }
    });
    return edit;
}

void DimensionDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const
{
    const QVariant value = index.data(Qt::EditRole);
    if (auto* box = qobject_cast<QComboBox*>(editor))
        box->setCurrentIndex(box->findData(value));
    else if (auto* edit = qobject_cast<QLineEdit*>(editor); edit && !edit->isModified())
        edit->setText(value.toString());
}

void DimensionDelegate::setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const
{
    if (const auto* box = qobject_cast<QComboBox*>(editor))
        model->setData(index, box->currentData());
    else if (const auto* edit = qobject_cast<QLineEdit*>(editor))
        model->setData(index, edit->text());
}

void DimensionDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    // A value with its unit is wider than the column: the editor grows to the left.
    QRect rect = option.rect;
    const int wanted = index.column() == DimensionModel::ShapeColumn ? m_view->theme().scaled(130) : m_view->theme().scaled(index.column() == DimensionModel::Size ? 44 : 92);
    if (rect.width() < wanted) {
        const bool grows = index.column() == DimensionModel::ShapeColumn;
        if (grows)
            rect.setRight(rect.left() + wanted);
        else
            rect.setLeft(rect.right() - wanted);
    }
    editor->setGeometry(rect);
}

bool DimensionDelegate::eventFilter(QObject* object, QEvent* event)
{
    auto* edit = qobject_cast<QLineEdit*>(object);
    if (edit && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const bool takes = key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Tab || key == Qt::Key_Backtab;
        const QString refusal = takes ? DimensionModel::refusal(m_view->currentIndex().column(), edit->text()) : QString();
        if (!refusal.isEmpty()) {
            edit->setProperty("state", QStringLiteral("error"));
            edit->style()->unpolish(edit);
            edit->style()->polish(edit);
            emit message(refusal);
            return true;
        }
        if (key == Qt::Key_Escape)
            emit message({});
    }
    return QStyledItemDelegate::eventFilter(object, event);
}

} // namespace fabricscope
