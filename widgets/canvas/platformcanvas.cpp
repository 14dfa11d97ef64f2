#include "widgets/canvas/platformcanvas.h"

#include "widgets/base/apptheme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {
constexpr double kMargin = 16;
constexpr double kTop = 50;        ///< Room for legend and callout above the drawing.
constexpr double kMostScale = 8;
constexpr double kLineReach = 4;   ///< Pixels a pointer may miss a link by.
constexpr int kMinimapWidth = 160;
constexpr int kMinimapHeight = 100;

double distance(PointF point, const LineF& line)
{
    const PointF along = line.p2() - line.p1();
    const double length = PointF::dotProduct(along, along);
    const double t = length > 0 ? std::clamp(PointF::dotProduct(point - line.p1(), along) / length, 0.0, 1.0) : 0.0;
    const PointF d = point - (line.p1() + along * t);
    return std::hypot(d.x(), d.y());
}
} // namespace

PlatformCanvas::PlatformCanvas(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Platform"));
    setAccessibleDescription(tr("Drawing of the platform"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    followTheme(this, &PlatformCanvas::setTheme);
}

void PlatformCanvas::setPlatform(std::optional<Platform> platform)
{
    // Copies of one platform share what it is made of: an edit elsewhere in the design leaves the layout as it is.
    if (!platform)
        m_layout.reset();
    else if (!m_layout || &m_layout->platform().spec() != &platform->spec())
        m_layout.emplace(*platform);
    m_heat = {};
    m_minimap = {};
    setSelection({});
    setHover({});
    fit();
    redraw();
}

void PlatformCanvas::setHeat(PlatformHeat heat, const QString& meaning, const HeatScale& scale)
{
    m_heat = std::move(heat);
    m_scale = scale;
    m_meaning = meaning;
    m_layerValid = false;
    m_minimap = {};
    update();
}

void PlatformCanvas::setHeatMeaning(const QString& meaning)
{
    if (meaning == m_meaning)
        return;
    m_meaning = meaning;
    update();
}

void PlatformCanvas::setColor(CanvasColor color)
{
    m_color = color;
    m_minimap = {};
    m_layerValid = false;
    update();
}

void PlatformCanvas::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_minimap = {};
    m_layerValid = false;
    update();
}

void PlatformCanvas::redraw()
{
    m_itemsValid = false;
    m_layerValid = false;
    update();
}

CanvasTransform PlatformCanvas::fitted(const QRectF& scene) const
{
    const QRectF room = QRectF(rect()).adjusted(kMargin, kTop, -kMargin, -kMargin);
    const double scale = std::clamp(std::min(room.width() / std::max(scene.width(), 1.0), room.height() / std::max(scene.height(), 1.0)), 1e-6, 2.5);
    return {scale, room.center() - scene.center() * scale};
}

void PlatformCanvas::fit()
{
    m_fit = true;
    if (m_layout)
        setTransform(fitted(QRectF(QPointF(0, 0), m_layout->size())));
}

bool PlatformCanvas::isFitted() const
{
    return m_layout && m_transform.scale <= fitted(QRectF(QPointF(0, 0), m_layout->size())).scale * 1.02;
}

void PlatformCanvas::setTransform(const CanvasTransform& transform)
{
    const bool scaled = transform.scale != m_transform.scale;
    m_transform = transform;
    redraw();
    if (scaled)
        emit zoomChanged(transform.scale);
}

void PlatformCanvas::zoomTo(const QRectF& scene)
{
    m_fit = false;
    setTransform(fitted(scene));
}

void PlatformCanvas::zoomAt(double factor, QPointF pixel)
{
    if (!m_layout)
        return;
    m_fit = false;
    const double least = fitted(QRectF(QPointF(0, 0), m_layout->size())).scale * 0.5;
    const double scale = std::clamp(m_transform.scale * factor, least, kMostScale);
    const QPointF scene = m_transform.inverse(pixel);
    setTransform({scale, pixel - scene * scale});
}

const CanvasItems& PlatformCanvas::items()
{
    if (!m_itemsValid) {
        m_items = m_layout ? canvasItems(*m_layout, m_transform, QRectF(rect())) : CanvasItems{};
        m_itemsValid = true;
    }
    return m_items;
}

void PlatformCanvas::setSelection(const CanvasElement& element)
{
    if (m_selection == element)
        return;
    m_selection = element;
    if (m_layout && element.kind != CanvasElement::Kind::None) {
        const auto [title, detail] = CanvasPainter::describe(*m_layout, m_heat, m_scale, element);
        setAccessibleDescription(detail.isEmpty() ? title : tr("%1, %2").arg(title, detail));
    } else {
        setAccessibleDescription(tr("Drawing of the platform"));
    }
    update();
    emit selectionChanged(m_selection);
}

void PlatformCanvas::setHover(const CanvasElement& element)
{
    if (m_hover == element)
        return;
    m_hover = element;
    update();
    emit hoverChanged(m_hover);
}

CanvasElement PlatformCanvas::elementAt(QPointF pixel)
{
    if (!m_layout)
        return {};
    const CanvasItems& all = items();
    // NPUs that are drawn, then closed groups, then links.
    if (!all.nodes.empty()) {
        const double reach = std::max(all.nodeSide / 2, 4.0);
        const auto node = m_layout->nodeAt(m_transform.inverse(pixel), reach / m_transform.scale);
        if (node && all.pitch >= 3)
            return {CanvasElement::Kind::Node, *node, -1, 0};
    }
    for (auto layer = all.layers.rbegin(); layer != all.layers.rend(); ++layer)
        for (const CanvasLayer::Disc& disc : layer->discs)
            if (disc.closed && disc.rect.contains(pixel))
                return {CanvasElement::Kind::Group, disc.first, -1, disc.nodes};
    const auto& overrides = m_layout->platform().spec().linkOverrides;
    double best = kLineReach;
    CanvasElement found;
    for (const LinkOverride& entry : overrides) {
        const std::vector<PointF> route = canvasRoute(*m_layout, m_transform, entry.link);
        for (std::size_t i = 0; i + 1 < route.size(); ++i) {
            const double d = distance(pixel, LineF(route[i], route[i + 1]));
            if (d < best) {
                best = d;
                found = {CanvasElement::Kind::Link, -1, entry.link, 0};
            }
        }
    }
    if (found.kind != CanvasElement::Kind::None)
        return found;
    for (auto layer = all.layers.rbegin(); layer != all.layers.rend(); ++layer)
        for (const auto& lines : layer->lines)
            for (const CanvasLine& line : lines) {
                const double d = distance(pixel, line.line);
                if (d < best) {
                    best = d;
                    found = {CanvasElement::Kind::Link, -1, line.forward, 0};
                }
            }
    return found;
}

CanvasPainter PlatformCanvas::painterFor()
{
    return {*m_layout, items(), m_transform, m_theme, m_heat, m_color, m_scale};
}

void PlatformCanvas::paintOverlay(QPainter& painter)
{
    const CanvasPainter canvas = painterFor();
    canvas.paintOverrides(painter);
    if (m_hover.kind != CanvasElement::Kind::None && !(m_hover == m_selection))
        canvas.paintElement(painter, m_hover, false);
    if (m_selection.kind != CanvasElement::Kind::None)
        canvas.paintElement(painter, m_selection, true);
    canvas.paintDiamonds(painter);
    canvas.paintLegend(painter, rect(), m_meaning);
    if (!isFitted())
        paintMinimap(painter);
    const CanvasElement& told = m_hover.kind != CanvasElement::Kind::None ? m_hover : m_selection;
    if (told.kind != CanvasElement::Kind::None)
        canvas.paintCallout(painter, told, rect());
}

void PlatformCanvas::paintMinimap(QPainter& painter)
{
    const QSizeF scene = m_layout->size();
    const double scale = std::min((kMinimapWidth - 8) / scene.width(), (kMinimapHeight - 8) / scene.height());
    const CanvasTransform small{scale, QPointF(4 + (kMinimapWidth - 8 - scene.width() * scale) / 2, 4 + (kMinimapHeight - 8 - scene.height() * scale) / 2)};
    const double ratio = devicePixelRatioF();
    if (m_minimap.isNull() || m_minimap.devicePixelRatio() != ratio) {
        m_minimap = QImage(QSize(kMinimapWidth, kMinimapHeight) * ratio, QImage::Format_RGB32);
        m_minimap.setDevicePixelRatio(ratio);
        m_minimap.fill(m_theme.color(Role::View));
        QPainter inner(&m_minimap);
        const CanvasItems all = canvasItems(*m_layout, small, QRectF(0, 0, kMinimapWidth, kMinimapHeight));
        CanvasPainter(*m_layout, all, small, m_theme, m_heat, m_color, m_scale).paint(inner);
    }
    const QRectF place(width() - kMinimapWidth - 12, height() - kMinimapHeight - 12, kMinimapWidth, kMinimapHeight);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.drawImage(place.topLeft(), m_minimap);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.color(Role::Line2), 1));
    painter.drawRect(place.adjusted(0, 0, -1, -1));
    const QRectF seen(small.map(m_transform.inverse(QPointF(0, 0))) + place.topLeft(), small.map(m_transform.inverse(QPointF(width(), height()))) + place.topLeft());
    painter.setPen(QPen(m_theme.color(Role::Accent), 1));
    painter.drawRect(seen.intersected(place.adjusted(1, 1, -2, -2)));
}

void PlatformCanvas::paintOn(QPainter& painter)
{
    painter.fillRect(rect(), m_theme.color(Role::View));
    if (!m_layout)
        return;
    painterFor().paint(painter);
    paintOverlay(painter);
}

void PlatformCanvas::paintEvent(QPaintEvent*)
{
    const double ratio = devicePixelRatioF();
    const QSize pixels = size() * ratio;
    QPainter painter(this);
    if (!m_layout) {
        painter.fillRect(rect(), m_theme.color(Role::View));
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect(), Qt::AlignCenter, tr("No platform yet."));
        return;
    }
    if (!m_layerValid || m_layer.size() != pixels) {
        if (m_layer.size() != pixels)
            m_layer = QImage(pixels, QImage::Format_RGB32);
        m_layer.setDevicePixelRatio(ratio);
        m_layer.fill(m_theme.color(Role::View));
        QPainter layer(&m_layer);
        painterFor().paint(layer);
        m_layerValid = true;
    }
    painter.drawImage(QPointF(0, 0), m_layer);
    paintOverlay(painter);
    if (m_keyboardFocus) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void PlatformCanvas::resizeEvent(QResizeEvent*)
{
    if (m_fit)
        fit();
    redraw();
}

void PlatformCanvas::wheelEvent(QWheelEvent* event)
{
    zoomAt(std::pow(1.25, event->angleDelta().y() / 120.0), event->position());
    event->accept();
}

void PlatformCanvas::keyPressEvent(QKeyEvent* event)
{
    const QPointF centre = QRectF(rect()).center();
    const auto go = [&](int step) {
        if (!m_layout)
            return;
        const NodeId last = m_layout->platform().npuCount() - 1;
        const NodeId from = m_selection.kind == CanvasElement::Kind::Node ? m_selection.node : (step > 0 ? -1 : 1);
        setSelection({CanvasElement::Kind::Node, std::clamp(from + step, 0, last), -1, 0});
        const QPointF at = m_transform.map(m_layout->npuCentre(m_selection.node));
        if (!rect().contains(at.toPoint()))
            setTransform({m_transform.scale, m_transform.offset + centre - at});
    };
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomAt(1.25, centre); break;
    case Qt::Key_Minus: zoomAt(0.8, centre); break;
    case Qt::Key_0:
        if (!(event->modifiers() & Qt::ControlModifier)) {
            QWidget::keyPressEvent(event);
            return;
        }
        fit();
        break;
    case Qt::Key_Right: go(1); break;
    case Qt::Key_Left: go(-1); break;
    case Qt::Key_Down:
    case Qt::Key_Up: {
        const int jump = m_layout && !m_layout->levels().empty() ? static_cast<int>(m_layout->levels().front().count) : 1;
        go(event->key() == Qt::Key_Down ? jump : -jump);
        break;
    }
    case Qt::Key_Escape: setSelection({}); break;
    default: QWidget::keyPressEvent(event); return;
    }
    event->accept();
}

void PlatformCanvas::mousePressEvent(QMouseEvent* event)
{
    m_keyboardFocus = false;
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    m_pressed = event->position();
    m_pressedOffset = m_transform.offset;
    m_panning = true;
    m_moved = false;
}

void PlatformCanvas::mouseMoveEvent(QMouseEvent* event)
{
    if (m_panning && (event->buttons() & (Qt::LeftButton | Qt::MiddleButton))) {
        const QPointF moved = event->position() - m_pressed;
        if (!m_moved && std::hypot(moved.x(), moved.y()) < 4)
            return;
        m_moved = true;
        m_fit = false;
        setTransform({m_transform.scale, m_pressedOffset + moved});
        return;
    }
    setHover(elementAt(event->position()));
}

void PlatformCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_panning && !m_moved && event->button() == Qt::LeftButton)
        setSelection(elementAt(event->position()));
    m_panning = false;
}

void PlatformCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    const CanvasElement element = elementAt(event->position());
    if (!m_layout || element.kind != CanvasElement::Kind::Group || m_layout->levels().empty())
        return;
    // The lowest level that holds the whole glyph; its block fills the view, so that the group opens.
    std::size_t level = 0;
    while (level + 1 < m_layout->levels().size() && m_layout->levels()[level].childNodes * m_layout->levels()[level].count < element.nodes)
        ++level;
    zoomTo(QRectF(m_layout->blockOrigin(level, element.node), m_layout->levels()[level].size));
}

void PlatformCanvas::leaveEvent(QEvent*)
{
    setHover({});
}

void PlatformCanvas::focusInEvent(QFocusEvent* event)
{
    m_keyboardFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason || event->reason() == Qt::ShortcutFocusReason;
    update();
}

void PlatformCanvas::focusOutEvent(QFocusEvent*)
{
    m_keyboardFocus = false;
    update();
}

} // namespace fabricscope
