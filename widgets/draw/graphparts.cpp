// New parts on their way to the page of a graph: from the palette, by key, dragged.
#include "widgets/draw/graphcanvas.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QMimeData>

namespace fabricscope {

namespace {

constexpr std::pair<const char*, NodeKind> kParts[] = {{"npu", NodeKind::Npu}, {"switch", NodeKind::Switch}, {"memory", NodeKind::Memory}};

} // namespace

QByteArray partData(NodeKind kind)
{
    for (const auto& [name, known] : kParts) {
        if (known == kind)
            return name;
    }
    return {};
}

std::optional<NodeKind> partOf(const QByteArray& data)
{
    for (const auto& [name, kind] : kParts) {
        if (data == name)
            return kind;
    }
    return std::nullopt;
}

void GraphCanvas::beginPart(NodeKind kind)
{
    if (!m_editor->canDraw())
        return;
    setFocus();
    m_part = kind;
    m_byKey = !underMouse();
    if (m_byKey) {
        m_place = snapPoint(m_transform.inverse(QRectF(rect()).center()));
        m_pointer = m_transform.map(m_place);
        m_guides.clear();
    } else {
        aim(m_pointer, QApplication::keyboardModifiers());
    }
    setGesture(Gesture::Part);
}

/// The part would be put there: in line with others or on the grid, with Alt just there.
void GraphCanvas::aim(QPointF pixel, Qt::KeyboardModifiers modifiers)
{
    m_guides.clear();
    m_place = m_transform.inverse(pixel);
    if (modifiers & Qt::AltModifier)
        return;
    const SizeF size = GraphPicture::sizeOf(m_part);
    const RectF moved(m_place.x() - size.width() / 2, m_place.y() - size.height() / 2, size.width(), size.height());
    std::vector<RectF> others;
    const GraphPicture& picture = m_editor->picture();
    const RectF sight(m_transform.inverse(QPointF(0, 0)).x(), m_transform.inverse(QPointF(0, 0)).y(), width() / m_transform.scale, height() / m_transform.scale);
    for (const std::size_t node : picture.nodesIn(sight, true)) {
        if (others.size() < kMostGuides)
            others.push_back(picture.rectOf(node));
    }
    const Snapped snapped = snapRect(moved, others, kSnapReach / m_transform.scale);
    m_guides = snapped.guides;
    m_place += snapped.shift;
}

/// `more`: another one follows.
void GraphCanvas::putPart(bool more)
{
    const PointF at = m_place;
    if (!more)
        setGesture(Gesture::None);
    m_guides.clear();
    m_editor->add(m_part, at);
}

void GraphCanvas::dragEnterEvent(QDragEnterEvent* event)
{
    const auto part = partOf(event->mimeData()->data(QString::fromLatin1(kPartMime)));
    if (!part || !m_editor->canDraw())
        return;
    m_part = *part;
    m_byKey = false;
    m_pointer = event->position();
    aim(m_pointer, event->modifiers());
    setGesture(Gesture::Part);
    event->acceptProposedAction();
}

void GraphCanvas::dragMoveEvent(QDragMoveEvent* event)
{
    m_pointer = event->position();
    aim(m_pointer, event->modifiers());
    update();
    event->acceptProposedAction();
}

void GraphCanvas::dragLeaveEvent(QDragLeaveEvent*)
{
    cancelGesture();
}

void GraphCanvas::dropEvent(QDropEvent* event)
{
    if (m_gesture != Gesture::Part)
        return;
    setFocus();
    event->acceptProposedAction();
    aim(event->position(), event->modifiers());
    putPart(false);
}

} // namespace fabricscope
