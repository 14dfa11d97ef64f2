// The page and its gestures by mouse; new parts are in graphparts.cpp, keys and the menu in graphkeys.cpp, what is painted in graphpainting.cpp.
#include "widgets/draw/graphcanvas.h"

#include "widgets/base/apptheme.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kMargin = 48;
constexpr double kMostScale = 8;
constexpr double kLeastScale = 0.01;
constexpr double kStep = 1.25;
constexpr double kPortReach = 8;   ///< Half of a hit area of 16 pixels.

} // namespace

GraphCanvas::GraphCanvas(GraphEditor* editor, QWidget* parent) : QWidget(parent), m_editor(editor)
{
    setAccessibleName(tr("Drawing"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAcceptDrops(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(editor, &GraphEditor::changed, this, &GraphCanvas::pictureChanged);
    connect(editor, &GraphEditor::replaced, this, &GraphCanvas::fit);
    connect(editor, &GraphEditor::selectionChanged, this, &GraphCanvas::tellSelection);
    connect(editor, &GraphEditor::insideChanged, this, &GraphCanvas::tellSelection);
    connect(editor, &GraphEditor::placesShown, this, [this] {
        m_still = {};
        m_fit ? fit() : update();
    });
    connect(editor, &GraphEditor::defaultsChanged, this, qOverload<>(&QWidget::update));
    connect(editor, &GraphEditor::putBeside, this, [this] {
        QRectF box;
        for (const std::size_t node : m_editor->nodes())
            box |= viewOf(m_editor->picture().rectOf(node));
        if (!box.isEmpty())
            reveal(scene(box.center()));
    });
    followTheme(this, &GraphCanvas::setTheme);
    tellSelection();
}

void GraphCanvas::setTheme(const Theme& theme)
{
    m_theme = theme;
    // Words first stand on a page that is shown whole when a drag begins: to find and open their fonts then would take longer than its frame.
    for (const TextStyle style : {TextStyle::BodyStrong, TextStyle::Table, TextStyle::Label, TextStyle::LabelStrong})
        static_cast<void>(QFontMetricsF(theme.font(style)).horizontalAdvance(QLatin1Char('0')));
    m_still = {};
    update();
}

/// Zoom and place stay where they are when something is edited; a graph that comes from elsewhere is shown whole.
void GraphCanvas::pictureChanged()
{
    const std::size_t count = m_editor->picture().count();
    if (m_gesture == Gesture::Link || m_gesture == Gesture::Move || m_gesture == Gesture::Band)
        setGesture(Gesture::None); // Its numbers are those of the old picture; what is selected is so by name.
    noteMoving();
    m_hover = count;
    m_hoverBundle = m_editor->picture().bundles().size();
    m_target = count;
    if (isVisible())
        m_fit = false; // What is edited stays where it is, also where an issue takes room below.
    update();
}

void GraphCanvas::tellSelection()
{
    const QString what = m_editor->selectionText();
    const QString all = m_editor->picture().isEmpty() ? tr("An empty page. N puts an NPU, X a switch, M a memory, K draws a link.")
                                                     : tr("Drawing of %n nodes", nullptr, static_cast<int>(m_editor->picture().count()));
    QString names;
    if (m_editor->nodes().size() == 1)
        names = QString::fromStdString(m_editor->picture().graph().nodes[*m_editor->nodes().begin()].name) + QStringLiteral(", ");
    noteMoving();
    setAccessibleDescription(what.isEmpty() ? all : tr("Selected: %1%2").arg(names, what));
    update();
}

/// What a drag of the selection takes along. Selection and picture change before they are painted.
void GraphCanvas::noteMoving()
{
    const GraphPicture& picture = m_editor->picture();
    m_still = {};
    m_moving.assign(picture.count(), false);
    m_beside.assign(picture.count(), false);
    for (const std::size_t node : m_editor->movedNodes())
        m_moving[node] = true;
    for (const DrawnBundle& bundle : picture.bundles()) {
        m_beside[bundle.a] = m_beside[bundle.a] || m_moving[bundle.b];
        m_beside[bundle.b] = m_beside[bundle.b] || m_moving[bundle.a];
    }
}

CanvasTransform GraphCanvas::fitted() const
{
    const RectF page = m_editor->picture().bounds();
    const QRectF room = QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, -kMargin);
    const double scale = m_editor->picture().isEmpty() ? 1.0 : std::clamp(std::min(room.width() / std::max(page.width(), 1.0), room.height() / std::max(page.height(), 1.0)), kLeastScale, 1.0);
    return {scale, PointF(QRectF(rect()).center()) - page.center() * scale};
}

bool GraphCanvas::isFitted() const
{
    const QRectF shown = viewOf(m_editor->picture().bounds());
    return QRectF(rect()).contains(shown);
}

void GraphCanvas::fit()
{
    m_fit = true;
    setTransform(fitted());
}

void GraphCanvas::setTransform(const CanvasTransform& transform)
{
    const bool scaled = transform.scale != m_transform.scale;
    m_transform = transform;
    m_still = {};
    if (m_gesture == Gesture::Part && m_byKey)
        m_pointer = m_transform.map(m_place);
    else if (m_gesture == Gesture::Part)
        aim(m_pointer, QApplication::keyboardModifiers());
    update();
    if (scaled)
        emit zoomChanged(transform.scale);
}

void GraphCanvas::zoomAt(double factor, QPointF pixel)
{
    m_fit = false;
    const double scale = std::clamp(m_transform.scale * factor, kLeastScale, kMostScale);
    const PointF fixed = m_transform.inverse(pixel);
    setTransform({scale, PointF(pixel) - fixed * scale});
}

void GraphCanvas::reveal(PointF scene)
{
    const QPointF at = m_transform.map(scene);
    if (QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, -kMargin).contains(at))
        return;
    m_fit = false;
    setTransform({m_transform.scale, m_transform.offset + PointF(QRectF(rect()).center() - at)});
}

QPointF GraphCanvas::pixelOf(std::size_t node) const
{
    return m_transform.map(m_editor->picture().rectOf(node).center());
}

QPointF GraphCanvas::portPixel(std::size_t node, int port) const
{
    return m_transform.map(m_editor->picture().portOf(node, port));
}

void GraphCanvas::setGesture(Gesture gesture)
{
    m_gesture = gesture;
    if (gesture == Gesture::None) {
        m_guides.clear();
        m_shift = {};
        m_from.clear();
        m_byKey = false;
    }
    setCursor(gesture == Gesture::Pan ? Qt::ClosedHandCursor : gesture == Gesture::Part || gesture == Gesture::Link ? Qt::CrossCursor : Qt::ArrowCursor);
    update();
}

void GraphCanvas::cancelGesture()
{
    if (m_gesture == Gesture::Band)
        m_editor->select(m_bandBase, m_bandBundles);
    setGesture(Gesture::None);
}

void GraphCanvas::beginLink()
{
    if (!m_editor->canDraw() || m_editor->picture().count() < 2)
        return;
    setFocus();
    m_from.assign(m_editor->nodes().begin(), m_editor->nodes().end());
    m_target = m_editor->picture().count();
    m_byKey = !m_from.empty();
    const bool ready = m_byKey;
    setGesture(Gesture::Link);
    if (ready)
        nextTarget(false);
}

/// Of one port a link begins at its node; of a selection at each.
std::vector<std::size_t> GraphCanvas::linkSources() const
{
    return {m_editor->nodes().begin(), m_editor->nodes().end()};
}

/// Half of the side of the area of a port: where parts are small, most of one still moves it.
double GraphCanvas::portReach() const
{
    return std::min(kPortReach, GraphPicture::sizeOf(NodeKind::Npu).height() / 2 * m_transform.scale / 3);
}

/// The part whose port is there.
std::optional<std::size_t> GraphCanvas::portAt(QPointF pixel) const
{
    const GraphPicture& picture = m_editor->picture();
    if (m_transform.scale < 0.35 || !m_editor->canDraw())
        return std::nullopt; // Too small to hit.
    const double reach = portReach();
    const auto at = [&](std::size_t node) -> std::optional<std::size_t> {
        for (int port = 0; port < GraphPicture::kPorts; ++port) {
            const QPointF away = portPixel(node, port) - pixel;
            if (std::max(std::abs(away.x()), std::abs(away.y())) <= reach)
                return node;
        }
        return std::nullopt;
    };
    if (m_hover < picture.count()) {
        if (const auto found = at(m_hover))
            return found;
    }
    if (m_editor->nodes().size() <= kMostGuides) {
        for (const std::size_t node : m_editor->nodes()) {
            if (const auto found = at(node))
                return found;
        }
    }
    return std::nullopt;
}

void GraphCanvas::finishLink(std::size_t to, bool parallel)
{
    const std::vector<std::size_t> from = m_from;
    setGesture(Gesture::None);
    if (!from.empty() && to < m_editor->picture().count())
        m_editor->link(from, to, parallel);
}

/// The part in a direction, as the end of the link.
void GraphCanvas::chooseTarget(int dx, int dy)
{
    const GraphPicture& picture = m_editor->picture();
    const std::size_t count = picture.count();
    if (count == 0 || m_from.empty())
        return;
    m_byKey = true;
    const std::size_t next = picture.neighbour(m_target < count ? m_target : m_from.front(), dx, dy);
    m_target = next < count ? next : m_target;
    update();
}

/// The next part a link may end at, in the order of the file.
void GraphCanvas::nextTarget(bool back)
{
    const std::size_t count = m_editor->picture().count();
    if (count == 0 || m_from.empty())
        return;
    m_byKey = true;
    std::size_t next = m_target < count ? m_target : m_from.front();
    for (std::size_t tries = 0; tries < count; ++tries) {
        next = (next + (back ? count - 1 : 1)) % count;
        if (m_editor->refusal(m_from, next, false).isEmpty())
            break;
    }
    m_target = next;
    update();
}

/// To the neighbour in a direction, or to the first part.
void GraphCanvas::go(int dx, int dy)
{
    const GraphPicture& picture = m_editor->picture();
    if (picture.isEmpty())
        return;
    const std::size_t next = m_editor->nodes().empty() ? 0 : picture.neighbour(*m_editor->nodes().begin(), dx, dy);
    if (next >= picture.count())
        return;
    m_editor->select({next});
    reveal(picture.rectOf(next).center());
}

QRectF GraphCanvas::band() const
{
    return QRectF(m_pressed, m_pointer).normalized();
}

std::set<std::size_t> GraphCanvas::banded() const
{
    const QRectF pixels = band();
    const RectF area(scene(pixels.topLeft()).x(), scene(pixels.topLeft()).y(), pixels.width() / m_transform.scale, pixels.height() / m_transform.scale);
    const std::vector<std::size_t> met = m_editor->picture().nodesIn(area, m_pointer.x() < m_pressed.x());
    if (m_bandKeys & Qt::AltModifier) {
        std::set<std::size_t> left = m_bandBase;
        for (const std::size_t node : met)
            left.erase(node);
        return left;
    }
    std::set<std::size_t> all = m_bandKeys & Qt::ShiftModifier ? m_bandBase : std::set<std::size_t>();
    all.insert(met.begin(), met.end());
    return all;
}

void GraphCanvas::updateMove(Qt::KeyboardModifiers modifiers)
{
    const GraphPicture& picture = m_editor->picture();
    m_shift = PointF(m_pointer - m_pressed) / m_transform.scale;
    m_guides.clear();
    if (!(modifiers & Qt::AltModifier) && !m_editor->nodes().empty()) {
        // The part that was taken is put in line; the others come with it.
        const std::size_t taken = m_target < picture.count() ? m_target : *m_editor->nodes().begin();
        RectF moved = picture.rectOf(taken);
        moved = RectF(moved.left() + m_shift.x(), moved.top() + m_shift.y(), moved.width(), moved.height());
        std::vector<RectF> others;
        const QPointF corner = scene(QPointF(0, 0));
        const RectF sight(corner.x(), corner.y(), width() / m_transform.scale, height() / m_transform.scale);
        for (const std::size_t node : picture.nodesIn(sight, true)) {
            if (!m_editor->nodes().contains(node) && others.size() < kMostGuides)
                others.push_back(picture.rectOf(node));
        }
        const Snapped snapped = snapRect(moved, others, kSnapReach / m_transform.scale);
        m_shift += snapped.shift;
        m_guides = snapped.guides;
    }
    update();
}

/// A part or link is to be changed in its copy of a blueprint only.
void GraphCanvas::pressAlone(std::size_t node)
{
    const GraphPicture& picture = m_editor->picture();
    const std::size_t bundle = picture.bundleAt(scene(m_pointer), kLineReach / m_transform.scale);
    if (node < picture.count())
        m_editor->select({node});
    else if (bundle < picture.bundles().size())
        m_editor->select({}, {bundle});
    m_editor->setOnlyThisCopy(true);
    m_target = node;
    setGesture(node < picture.count() ? Gesture::Press : Gesture::None);
}

void GraphCanvas::beginBand(Qt::KeyboardModifiers modifiers)
{
    m_bandBase = m_editor->nodes();
    m_bandBundles = m_editor->bundles();
    m_bandKeys = modifiers;
    if (!(m_bandKeys & (Qt::ShiftModifier | Qt::AltModifier)))
        m_editor->clearSelection();
    setGesture(Gesture::Band);
}

void GraphCanvas::mousePressEvent(QMouseEvent* event)
{
    m_pressed = m_pointer = event->position();
    if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && m_space)) {
        m_pressedOffset = m_transform.offset;
        setGesture(Gesture::Pan);
        return;
    }
    if (event->button() != Qt::LeftButton)
        return;
    const GraphPicture& picture = m_editor->picture();
    const std::size_t node = picture.nodeAt(scene(m_pointer));
    if (m_gesture == Gesture::Part) {
        aim(m_pointer, event->modifiers());
        putPart(event->modifiers() & Qt::ShiftModifier);
        return;
    }
    if (m_gesture == Gesture::Link) {
        if (m_from.empty() && node < picture.count()) {
            m_from = m_editor->nodes().contains(node) ? linkSources() : std::vector<std::size_t>{node};
            update();
            return;
        }
        finishLink(node, event->modifiers() & Qt::ShiftModifier);
        return;
    }
    if (const auto port = portAt(m_pointer)) {
        m_from = m_editor->nodes().contains(*port) ? linkSources() : std::vector<std::size_t>{*port};
        m_target = picture.count();
        setGesture(Gesture::Link);
        return;
    }
    const bool alone = (event->modifiers() & Qt::ControlModifier) && (event->modifiers() & Qt::AltModifier);
    const bool add = !alone && event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier);
    if (alone)
        return pressAlone(node);
    if (node < picture.count()) {
        std::set<std::size_t> nodes = m_editor->nodes();
        if (add && nodes.erase(node) == 0)
            nodes.insert(node);
        if (add)
            m_editor->select(nodes, m_editor->bundles());
        else if (!nodes.contains(node))
            m_editor->select({node});
        m_target = node;
        setGesture(m_editor->nodes().contains(node) ? Gesture::Press : Gesture::None);
        return;
    }
    const std::size_t bundle = picture.bundleAt(scene(m_pointer), kLineReach / m_transform.scale);
    if (bundle < picture.bundles().size()) {
        std::set<std::size_t> bundles = add ? m_editor->bundles() : std::set<std::size_t>();
        if (bundles.erase(bundle) == 0)
            bundles.insert(bundle);
        m_editor->select(add ? m_editor->nodes() : std::set<std::size_t>(), bundles);
        return;
    }
    beginBand(event->modifiers());
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event)
{
    m_pointer = event->position();
    const GraphPicture& picture = m_editor->picture();
    const QPointF at = scene(m_pointer);
    emit pointerMoved(QStringLiteral("x %1, y %2").arg(std::lround(at.x())).arg(std::lround(at.y())));
    switch (m_gesture) {
    case Gesture::Pan:
        m_fit = false;
        setTransform({m_transform.scale, PointF(m_pressedOffset + m_pointer - m_pressed)});
        return;
    case Gesture::Band:
        m_editor->select(banded(), m_bandKeys & (Qt::ShiftModifier | Qt::AltModifier) ? m_bandBundles : std::set<std::size_t>());
        return;
    case Gesture::Press:
        if ((m_pointer - m_pressed).manhattanLength() < QApplication::startDragDistance() || !m_editor->canDraw())
            return;
        setGesture(Gesture::Move);
        [[fallthrough]];
    case Gesture::Move:
        updateMove(event->modifiers());
        return;
    case Gesture::Part:
        m_byKey = false;
        aim(m_pointer, event->modifiers());
        update();
        return;
    case Gesture::Link:
        m_byKey = false;
        m_target = picture.nodeAt(at, kPortReach / m_transform.scale);
        update();
        return;
    case Gesture::None:
        break;
    }
    // Ports stand out of their part.
    const std::size_t node = m_hover < picture.count() && portAt(m_pointer) ? m_hover : picture.nodeAt(at);
    const std::size_t bundle = node < picture.count() ? picture.bundles().size() : picture.bundleAt(at, kLineReach / m_transform.scale);
    if (node != m_hover || bundle != m_hoverBundle) {
        m_hover = node;
        m_hoverBundle = bundle;
        update();
    }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    m_pointer = event->position();
    switch (m_gesture) {
    case Gesture::Move: {
        updateMove(event->modifiers());
        const PointF shift = m_shift;
        setGesture(Gesture::None);
        m_editor->move(shift);
        break;
    }
    case Gesture::Link:
        // A click on a port begins a link that the next click ends; a drag ends where it is let go.
        if (!m_from.empty() && (m_pointer - m_pressed).manhattanLength() >= QApplication::startDragDistance())
            finishLink(m_editor->picture().nodeAt(scene(m_pointer), kPortReach / m_transform.scale), event->modifiers() & Qt::ShiftModifier);
        break;
    case Gesture::Press:
        if (!(event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier)) && m_target < m_editor->picture().count() && m_editor->nodes() != std::set{m_target})
            m_editor->select({m_target}); // Of several that were selected, the one that was clicked.
        setGesture(Gesture::None);
        break;
    case Gesture::Pan:
    case Gesture::Band:
        setGesture(Gesture::None);
        break;
    case Gesture::Part:
    case Gesture::None:
        break;
    }
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    const std::size_t node = m_editor->picture().nodeAt(scene(event->position()));
    if (event->button() == Qt::LeftButton && node < m_editor->picture().count()) {
        setGesture(Gesture::None);
        m_editor->selectAlike(node);
        return;
    }
    // On the page of a copy it is entered.
    const CopiedParts& copies = m_editor->copies();
    for (std::size_t blueprint = 0; blueprint < copies.blueprints().size(); ++blueprint) {
        for (std::int32_t copy = 0; copy < copies.blueprints()[blueprint].count; ++copy) {
            const std::vector<std::size_t> nodes = copies.nodesOf(blueprint, copy);
            if (event->button() != Qt::LeftButton || nodes.empty() || !frameOf(nodes).contains(event->position()))
                continue;
            setGesture(Gesture::None);
            m_editor->enter(blueprint, copy);
            return;
        }
    }
}

void GraphCanvas::leaveEvent(QEvent*)
{
    m_hover = m_editor->picture().count();
    m_hoverBundle = m_editor->picture().bundles().size();
    emit pointerMoved({});
    update();
}

void GraphCanvas::wheelEvent(QWheelEvent* event)
{
    zoomAt(std::pow(kStep, event->angleDelta().y() / 120.0), event->position());
    event->accept();
}

void GraphCanvas::resizeEvent(QResizeEvent*)
{
    if (m_fit)
        fit();
}

void GraphCanvas::focusInEvent(QFocusEvent* event)
{
    m_keyboardFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason || event->reason() == Qt::ShortcutFocusReason;
    update();
}

void GraphCanvas::focusOutEvent(QFocusEvent* event)
{
    const bool byTab = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    if (byTab && m_gesture != Gesture::None)
        cancelGesture(); // Keys that would end it go elsewhere now.
    m_keyboardFocus = false;
    m_space = false;
    update();
}

} // namespace fabricscope
