// Keys and the context menu of the page of a graph.
#include "widgets/draw/graphcanvas.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>

namespace fabricscope {

namespace {
constexpr double kKeyZoom = 1.25;
}

/// Single letters are the canvas's while it has the focus, and Tab while a link is drawn.
bool GraphCanvas::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool letter = key->modifiers() == Qt::NoModifier && key->key() >= Qt::Key_A && key->key() <= Qt::Key_Z;
        if (letter || key->key() == Qt::Key_Escape || key->key() == Qt::Key_Delete) {
            event->accept();
            return true;
        }
    }
    if (event->type() == QEvent::KeyPress && m_gesture == Gesture::Link) {
        auto* key = static_cast<QKeyEvent*>(event);
        if ((key->key() == Qt::Key_Tab || key->key() == Qt::Key_Backtab) && linkKey(*key))
            return true;
    }
    return QWidget::event(event);
}

bool GraphCanvas::partKey(const QKeyEvent& event)
{
    const auto by = [&](int dx, int dy) {
        m_byKey = true;
        m_place = snapPoint(m_place) + PointF(dx, dy) * (event.modifiers() & Qt::ShiftModifier ? kSnapGrid : 4 * kSnapGrid);
        m_pointer = m_transform.map(m_place);
        m_guides.clear();
        update();
    };
    switch (event.key()) {
    case Qt::Key_Left: by(-1, 0); return true;
    case Qt::Key_Right: by(1, 0); return true;
    case Qt::Key_Up: by(0, -1); return true;
    case Qt::Key_Down: by(0, 1); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: putPart(event.modifiers() & Qt::ShiftModifier); return true;
    default: return false;
    }
}

bool GraphCanvas::linkKey(const QKeyEvent& event)
{
    if (m_from.empty()) { // It begins at what is selected by now.
        const bool begins = (event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter) && !m_editor->nodes().empty();
        if (begins) {
            m_from = linkSources();
            nextTarget(false);
        }
        return begins;
    }
    switch (event.key()) {
    case Qt::Key_Left: chooseTarget(-1, 0); return true;
    case Qt::Key_Right: chooseTarget(1, 0); return true;
    case Qt::Key_Up: chooseTarget(0, -1); return true;
    case Qt::Key_Down: chooseTarget(0, 1); return true;
    case Qt::Key_Tab: nextTarget(event.modifiers() & Qt::ShiftModifier); return true;
    case Qt::Key_Backtab: nextTarget(true); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: finishLink(m_target, event.modifiers() & Qt::ShiftModifier); return true;
    default: return false;
    }
}

bool GraphCanvas::commandKey(const QKeyEvent& event)
{
    if (event.matches(QKeySequence::Copy))
        m_editor->copy();
    else if (event.matches(QKeySequence::Cut))
        m_editor->cut();
    else if (event.matches(QKeySequence::Paste))
        m_editor->paste();
    else if (event.matches(QKeySequence::SelectAll))
        m_editor->selectAll();
    else if (event.key() == Qt::Key_Delete || event.key() == Qt::Key_Backspace)
        m_editor->removeSelected();
    else
        return false;
    return true;
}

void GraphCanvas::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) {
        if (m_editor->isForcing())
            m_editor->stopForces(false);
        else if (m_gesture != Gesture::None)
            cancelGesture();
        else if (m_editor->hasSelection())
            m_editor->clearSelection();
        else
            m_editor->leave();
        return;
    }
    if ((m_gesture == Gesture::Part && partKey(*event)) || (m_gesture == Gesture::Link && linkKey(*event)))
        return;
    if (m_gesture == Gesture::Move || m_gesture == Gesture::Band || commandKey(*event))
        return;
    const bool control = event->modifiers() & Qt::ControlModifier;
    const auto arrow = [&](int dx, int dy) {
        if (control)
            m_editor->move(PointF(dx, dy) * (event->modifiers() & Qt::ShiftModifier ? 1.0 : kSnapGrid), true);
        else
            go(dx, dy);
    };
    const QPointF centre = QRectF(rect()).center();
    switch (event->key()) {
    case Qt::Key_Left: arrow(-1, 0); return;
    case Qt::Key_Right: arrow(1, 0); return;
    case Qt::Key_Up: arrow(0, -1); return;
    case Qt::Key_Down: arrow(0, 1); return;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomAt(kKeyZoom, centre); return;
    case Qt::Key_Minus: zoomAt(1 / kKeyZoom, centre); return;
    case Qt::Key_0:
        if (control) {
            fit();
            return;
        }
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (const auto copy = m_editor->selectedCopy()) {
            m_editor->enter(copy->blueprint, copy->copy);
            return;
        }
        break;
    case Qt::Key_Slash: emit lineRequested(); return;
    case Qt::Key_Space:
        m_space = true;
        setCursor(Qt::OpenHandCursor);
        return;
    default: break;
    }
    if (event->modifiers() == Qt::NoModifier) {
        switch (event->key()) {
        case Qt::Key_N: beginPart(NodeKind::Npu); return;
        case Qt::Key_X: beginPart(NodeKind::Switch); return;
        case Qt::Key_M: beginPart(NodeKind::Memory); return;
        case Qt::Key_K: beginLink(); return;
        default: break;
        }
    }
    QWidget::keyPressEvent(event);
}

void GraphCanvas::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        m_space = false;
        setCursor(m_gesture == Gesture::Pan ? Qt::ClosedHandCursor : Qt::ArrowCursor);
        return;
    }
    QWidget::keyReleaseEvent(event);
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event)
{
    cancelGesture();
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const GraphPicture& picture = m_editor->picture();
    if (!byKey) {
        const std::size_t node = picture.nodeAt(scene(event->pos()));
        const std::size_t bundle = picture.bundleAt(scene(event->pos()), kLineReach / m_transform.scale);
        if (node < picture.count() && !m_editor->nodes().contains(node))
            m_editor->select({node});
        else if (node >= picture.count() && bundle < picture.bundles().size() && !m_editor->bundles().contains(bundle))
            m_editor->select({}, {bundle});
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(tr("Edit the drawing"));
    const auto add = [&](const QString& text, const QKeySequence& keys, bool possible, auto what) {
        QAction* action = menu->addAction(text);
        if (!keys.isEmpty()) {
            action->setShortcut(keys);
            action->setShortcutContext(Qt::WidgetShortcut); // Shown here; the canvas acts on the keys.
        }
        action->setEnabled(possible && m_editor->canDraw());
        connect(action, &QAction::triggered, this, what);
    };
    const bool nodes = !m_editor->nodes().empty();
    add(tr("Draw a link"), Qt::Key_K, picture.count() > 1, [this] { beginLink(); });
    add(tr("Duplicate with links"), Qt::CTRL | Qt::Key_D, nodes, [this] { m_editor->duplicate(); });
    add(tr("Cut"), QKeySequence::Cut, nodes, [this] { m_editor->cut(); });
    add(tr("Copy as YAML"), QKeySequence::Copy, nodes, [this] { m_editor->copy(); });
    add(tr("Paste"), QKeySequence::Paste, true, [this] { m_editor->paste(); });
    add(tr("Delete"), Qt::Key_Delete, m_editor->hasSelection(), [this] { m_editor->removeSelected(); });
    menu->addSeparator();
    const auto copy = m_editor->selectedCopy();
    add(tr("Group into a blueprint"), Qt::CTRL | Qt::Key_G, nodes && !copy, [this] { m_editor->group(); });
    add(tr("Ungroup"), Qt::CTRL | Qt::SHIFT | Qt::Key_G, copy.has_value(), [this] { m_editor->ungroup(); });
    add(tr("Enter the blueprint"), Qt::Key_Return, copy.has_value(), [this, copy] { m_editor->enter(copy->blueprint, copy->copy); });
    add(tr("Change only this copy"), {}, copy.has_value(), [this] { m_editor->setOnlyThisCopy(true); });
    menu->addSeparator();
    const bool several = m_editor->nodes().size() > 1;
    for (const auto& [text, alignment] : {std::pair{tr("Align left"), Alignment::Left}, {tr("Align centres"), Alignment::Centre}, {tr("Align right"), Alignment::Right},
                                          {tr("Align top"), Alignment::Top}, {tr("Align middles"), Alignment::Middle}, {tr("Align bottom"), Alignment::Bottom}})
        add(text, {}, several, [this, how = alignment] { m_editor->align(how); });
    add(tr("Distribute across"), {}, m_editor->nodes().size() > 2, [this] { m_editor->distribute(true); });
    add(tr("Distribute down"), {}, m_editor->nodes().size() > 2, [this] { m_editor->distribute(false); });
    menu->popup(byKey ? mapToGlobal(rect().center()) : event->globalPos());
}

} // namespace fabricscope
