#include "app/desktop/undokeys.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextDocument>
#include <QTextEdit>
#include <QWidget>

#include <functional>
#include <optional>

namespace fabricscope {

namespace {

/// What a field can do with the keys.
struct Field {
    bool canUndo = false;
    bool canRedo = false;
    std::function<void()> undo;
    std::function<void()> redo;
};

template<typename Edit>
Field fieldOf(Edit* edit, bool canUndo, bool canRedo)
{
    const bool editable = !edit->isReadOnly() && edit->isEnabled();
    return {editable && canUndo, editable && canRedo, [edit] { edit->undo(); }, [edit] { edit->redo(); }};
}

std::optional<Field> fieldAt(QWidget* widget)
{
    QWidget* inside = widget;
    if (auto* combo = qobject_cast<QComboBox*>(widget))
        inside = combo->lineEdit();
    else if (qobject_cast<QAbstractSpinBox*>(widget))
        inside = widget->findChild<QLineEdit*>();
    if (auto* line = qobject_cast<QLineEdit*>(inside))
        return fieldOf(line, line->isUndoAvailable(), line->isRedoAvailable());
    if (auto* plain = qobject_cast<QPlainTextEdit*>(inside))
        return fieldOf(plain, plain->document()->isUndoAvailable(), plain->document()->isRedoAvailable());
    if (auto* rich = qobject_cast<QTextEdit*>(inside))
        return fieldOf(rich, rich->document()->isUndoAvailable(), rich->document()->isRedoAvailable());
    return std::nullopt;
}

bool isUndo(const QKeyEvent& key)
{
    return key.matches(QKeySequence::Undo) || key.keyCombination() == (Qt::ControlModifier | Qt::Key_Z);
}

bool isRedo(const QKeyEvent& key)
{
    return key.matches(QKeySequence::Redo) || key.keyCombination() == (Qt::ControlModifier | Qt::ShiftModifier | Qt::Key_Z)
        || key.keyCombination() == (Qt::ControlModifier | Qt::Key_Y);
}

} // namespace

UndoKeys::UndoKeys(QWidget* window) : QObject(window), m_window(window)
{
    QCoreApplication::instance()->installEventFilter(this);
}

bool UndoKeys::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
        return false;
    const auto* key = static_cast<const QKeyEvent*>(event);
    const bool undo = isUndo(*key);
    if (!undo && !isRedo(*key))
        return false;
    auto* widget = qobject_cast<QWidget*>(watched);
    if (!widget || widget->window() != m_window)
        return false;
    const std::optional<Field> field = fieldAt(widget);
    if (!field)
        return false;
    const bool own = undo ? field->canUndo : field->canRedo;
    if (event->type() == QEvent::ShortcutOverride) {
        event->setAccepted(own);
        return true; // The field itself would claim the keys in any case.
    }
    if (!own)
        return false;
    undo ? field->undo() : field->redo();
    event->accept();
    return true;
}

} // namespace fabricscope
