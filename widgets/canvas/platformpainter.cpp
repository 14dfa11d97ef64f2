#include "widgets/canvas/platformpainter.h"

#include "core/base/index.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

constexpr std::size_t kSmoothLimit = 2000; ///< More shapes than this are drawn without antialiasing.

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope", text);
}

QPen linePen(const QColor& color, double width, bool smooth)
{
    QPen pen(color, smooth ? width : std::max(1.0, std::floor(width)));
    pen.setCapStyle(Qt::FlatCap);
    return pen;
}

void diamond(QPainter& painter, QPointF centre, double radius, const Theme& theme)
{
    const QPointF corners[] = {centre + QPointF(0, -radius), centre + QPointF(radius, 0), centre + QPointF(0, radius), centre + QPointF(-radius, 0)};
    painter.setPen(QPen(theme.color(Role::Warn), 2, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.setBrush(theme.color(Role::View));
    painter.drawPolygon(corners, 4);
}

/// Something removed: a cross on a patch that lets what is below shine through at 45 %.
void cross(QPainter& painter, QPointF centre, double radius, const Theme& theme)
{
    QColor veil = theme.color(Role::View);
    veil.setAlphaF(0.55F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(veil);
    painter.drawEllipse(centre, radius + 2, radius + 2);
    painter.setPen(QPen(theme.color(Role::Err), 2, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(centre + QPointF(-radius, -radius), centre + QPointF(radius, radius));
    painter.drawLine(centre + QPointF(-radius, radius), centre + QPointF(radius, -radius));
}

QString rangeText(std::int64_t first, std::int64_t count)
{
    return count == 1 ? QString::number(first) : QStringLiteral("%1\u2013%2").arg(first).arg(first + count - 1);
}

QString nameOf(const CanvasLayer::Disc& disc)
{
    switch (disc.name) {
    case CanvasLayer::Name::Range: return rangeText(disc.first, disc.nodes);
    case CanvasLayer::Name::Count: return texts::count(disc.nodes);
    case CanvasLayer::Name::None: break;
    }
    return {};
}

QString captionOf(const CanvasLayer::Frame& frame)
{
    return frame.pod >= 0 ? tr("Pod %1").arg(frame.pod) : rangeText(frame.first, frame.nodes);
}

QString textOf(const CanvasLayer::Pill& pill)
{
    if (pill.odd > 0)
        return tr("%1 of %2").arg(texts::count(pill.links - pill.odd), texts::count(pill.links));
    return tr("%1 links").arg(texts::count(pill.links));
}

/// The route of a link in points of a painter.
QPolygonF routeOf(const PlatformLayout& layout, const CanvasTransform& transform, LinkId link)
{
    QPolygonF route;
    for (const PointF& point : canvasRoute(layout, transform, link))
        route.append(point);
    return route;
}

QString shapeText(Shape shape)
{
    switch (shape) {
    case Shape::Ring: return tr("ring");
    case Shape::FullyConnected: return tr("fully connected");
    case Shape::Switch: return tr("switch");
    }
    return {};
}

} // namespace

int CanvasPainter::bucket(const CanvasLine& line, int dimension) const
{
    double share = m_heat.link(line.forward, dimension);
    if (line.backward >= 0)
        share = std::max(share, m_heat.link(line.backward, dimension));
    return Theme::heatBucket(share);
}

void CanvasPainter::paintLines(QPainter& painter, const CanvasLayer& layer) const
{
    // One pen per bucket: the change of pen is what costs.
    std::array<std::vector<QLineF>, Theme::kHeatBuckets> buckets;
    const std::size_t total = m_items.lineCount();
    const bool smooth = total <= kSmoothLimit;
    painter.setRenderHint(QPainter::Antialiasing, smooth);
    for (std::size_t dimension = 0; dimension < layer.lines.size(); ++dimension) {
        if (layer.lines[dimension].empty())
            continue;
        for (auto& bucket : buckets)
            bucket.clear();
        const auto& levels = m_layout.levels();
        const bool chords = smooth && !levels.empty() && levels[0].kind == PlatformLayout::Kind::FullyConnected && levels[0].dimension == static_cast<int>(dimension);
        if (m_color == CanvasColor::Dimension || m_heat.empty()) {
            for (const CanvasLine& line : layer.lines[dimension])
                buckets[0].push_back(line.line);
            painter.setPen(linePen(m_color == CanvasColor::Dimension ? m_theme.dimension(static_cast<int>(dimension)) : m_theme.color(Role::Outline), 1, smooth));
            painter.drawLines(buckets[0].data(), static_cast<int>(buckets[0].size()));
            continue;
        }
        for (const CanvasLine& line : layer.lines[dimension])
            buckets[at(bucket(line, static_cast<int>(dimension)))].push_back(line.line);
        for (int b = 0; b < Theme::kHeatBuckets; ++b) {
            const auto& lines = buckets[at(b)];
            if (lines.empty())
                continue;
            // Wide pens are slow on many lines, and dense lines leave no room for them.
            double width = lines.size() > 500 ? 1 : std::min(Theme::heatWidth(b), std::max(1.0, 1.6 * m_transform.scale));
            QColor color = m_theme.heat(b);
            if (chords) {
                width = 0.7;
                color.setAlphaF(0.75F);
            }
            painter.setPen(linePen(color, width, smooth));
            painter.drawLines(lines.data(), static_cast<int>(lines.size()));
        }
    }
}

void CanvasPainter::paintDiscs(QPainter& painter, const CanvasLayer& layer) const
{
    const bool smooth = layer.discs.size() <= kSmoothLimit;
    const QFont font = m_theme.font(TextStyle::Label);
    const QFontMetricsF metrics(font);
    for (const CanvasLayer::Disc& disc : layer.discs) {
        if (disc.closed) {
            const auto [mean, most] = m_heat.group(m_layout.platform(), disc.first, disc.nodes, disc.dimension);
            const QColor fill = m_heat.empty() ? m_theme.color(Role::Outline) : m_theme.heat(Theme::heatBucket(mean));
            painter.setRenderHint(QPainter::Antialiasing, smooth);
            painter.setPen(Qt::NoPen);
            if (!smooth || disc.rect.width() < 6) {
                painter.fillRect(disc.rect, fill);
                continue;
            }
            painter.setBrush(fill);
            const double barHeight = disc.rect.height() >= 20 ? 3 : 0;
            const QRectF body = disc.rect.adjusted(0, 0, 0, barHeight > 0 ? -barHeight - 3 : 0);
            if (disc.round) {
                const double side = std::min(body.width(), body.height());
                painter.drawEllipse(QRectF(body.center().x() - side / 2, body.center().y() - side / 2, side, side));
            } else {
                painter.drawRoundedRect(body, 3, 3);
            }
            if (barHeight > 0) {
                const QRectF bar(body.left(), disc.rect.bottom() - barHeight, body.width(), barHeight);
                painter.fillRect(bar, m_theme.color(Role::Line));
                painter.fillRect(QRectF(bar.topLeft(), QSizeF(bar.width() * std::min(1.0, most), barHeight)), m_theme.heat(Theme::heatBucket(most)));
            }
            const QString name = nameOf(disc);
            if (!name.isEmpty() && metrics.horizontalAdvance(name) + 8 < body.width()) {
                painter.setFont(font);
                painter.setPen(m_theme.ink(fill));
                painter.drawText(body, Qt::AlignCenter, name);
            }
            continue;
        }
        painter.setRenderHint(QPainter::Antialiasing, smooth);
        painter.setPen(QPen(m_theme.color(Role::Line2), 1));
        painter.setBrush(m_theme.color(Role::View));
        if (disc.round)
            painter.drawEllipse(disc.rect);
        else
            painter.drawRoundedRect(disc.rect, 6, 6);
    }
}

void CanvasPainter::paintBars(QPainter& painter, const CanvasLayer& layer) const
{
    for (const CanvasLayer::Bar& bar : layer.bars) {
        const bool smooth = layer.bars.size() <= kSmoothLimit;
        painter.setRenderHint(QPainter::Antialiasing, smooth);
        const double radius = std::min(4.0, bar.rect.height() / 2);
        if (bar.rect.height() < 3) {
            painter.fillRect(bar.rect, m_theme.color(Role::Outline));
            continue;
        }
        painter.setPen(QPen(m_theme.color(bar.rect.height() >= 15 ? Role::Line2 : Role::Outline), 1));
        painter.setBrush(m_theme.color(bar.rect.height() >= 15 ? Role::Panel : Role::View));
        painter.drawRoundedRect(bar.rect, radius, radius);
        if (bar.labelled) {
            const QString dimension = QStringLiteral("D%1").arg(bar.dimension);
            const QSizeF inked = QFontMetricsF(m_theme.font(TextStyle::LabelStrong)).size(0, dimension);
            const QSizeF room(std::max(24.0, inked.width() + 8), std::min(std::max(16.0, inked.height()), bar.rect.height() - 2));
            const QRectF chip(QPointF(bar.rect.left() + 8, bar.rect.center().y() - room.height() / 2), room);
            const QColor fill = m_theme.dimension(bar.dimension);
            painter.setPen(Qt::NoPen);
            painter.setBrush(fill);
            painter.drawRoundedRect(chip, 3, 3);
            painter.setFont(m_theme.font(TextStyle::LabelStrong));
            painter.setPen(m_theme.ink(fill));
            painter.drawText(chip, Qt::AlignCenter, dimension);
            painter.setFont(m_theme.font(TextStyle::Hint));
            painter.setPen(m_theme.color(Role::Text2));
            const double end = bar.ports.empty() ? bar.rect.right() : bar.ports.front().left();
            const QRectF place(chip.right() + 6, bar.rect.top(), std::max(0.0, end - chip.right() - 12), bar.rect.height());
            const QString count = bar.switches == 1 ? tr("1 switch") : tr("%1 switches").arg(texts::count(bar.switches));
            painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(count, Qt::ElideRight, static_cast<int>(place.width())));
        }
        const auto base = m_layout.platform().ringLink(static_cast<std::size_t>(bar.dimension), 0, RingDirection::Plus);
        for (std::size_t i = 0; i < bar.ports.size(); ++i) {
            // A switch is as hot as its hottest port among the children.
            QColor color = m_theme.color(Role::Outline);
            if (base && !m_heat.empty() && m_color == CanvasColor::Heat)
                color = m_theme.heat(Theme::heatBucket(m_heat.link(*base + 2 * (bar.first + static_cast<LinkId>(i)), bar.dimension)));
            else if (m_color == CanvasColor::Dimension)
                color = m_theme.dimension(bar.dimension);
            painter.setPen(QPen(color, 1.5));
            painter.setBrush(m_theme.color(Role::View));
            painter.drawRoundedRect(bar.ports[i], 2, 2);
        }
    }
}

void CanvasPainter::paintNodes(QPainter& painter) const
{
    const double side = m_items.nodeSide;
    const Platform& platform = m_layout.platform();
    const QColor fill = m_theme.activity(Activity::Compute);
    const bool big = side >= 20;
    const bool smooth = m_items.nodes.size() <= kSmoothLimit && side >= 6;
    painter.setRenderHint(QPainter::Antialiasing, smooth);
    const QFont font = m_theme.font(side >= 44 ? TextStyle::BodyStrong : TextStyle::Label);
    painter.setFont(font);
    for (const CanvasNode& node : m_items.nodes) {
        QRectF rect(node.centre.x() - side / 2, node.centre.y() - side / 2, side, side);
        const bool isSwitch = m_layout.isExplicit() && platform.spec().nodes.kind(static_cast<std::size_t>(node.node)) != NodeKind::Npu;
        if (isSwitch) {
            rect.adjust(-side / 2, 0, side / 2, 0);
            painter.setPen(QPen(m_theme.color(Role::Outline), 1.5));
            painter.setBrush(m_theme.color(Role::Panel));
            painter.drawRoundedRect(rect, 3, 3);
            continue;
        }
        if (!smooth) {
            // Whole pixels: thousands of equal squares must look equal.
            painter.fillRect(QRect(qRound(rect.left()), qRound(rect.top()), qRound(side), qRound(side)), fill);
            continue;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(rect, side >= 20 ? 5 : 2, side >= 20 ? 5 : 2);
        if (!big)
            continue;
        painter.setPen(m_theme.ink(fill));
        painter.drawText(rect, Qt::AlignCenter, QString::number(node.node));
    }
}

void CanvasPainter::paint(QPainter& painter) const
{
    const QFont captionFont = m_theme.font(TextStyle::Hint);
    const QFont labelFont = m_theme.font(TextStyle::Label);
    for (std::size_t i = 0; i < m_items.layers.size(); ++i) {
        const CanvasLayer& layer = m_items.layers[i];
        paintLines(painter, layer);
        const bool smooth = layer.frames.size() <= kSmoothLimit;
        painter.setRenderHint(QPainter::Antialiasing, smooth);
        for (const CanvasLayer::Frame& frame : layer.frames) {
            painter.setPen(QPen(m_theme.color(Role::Line2), 1));
            painter.setBrush(m_theme.color(Role::Stripe));
            painter.drawRoundedRect(frame.rect, 6, 6);
            if (frame.captionHeight >= 10 && frame.rect.width() > 60) {
                painter.setFont(captionFont);
                painter.setPen(m_theme.color(Role::Text2));
                painter.drawText(QRectF(frame.rect.left(), frame.rect.bottom() - frame.captionHeight - 2, frame.rect.width(), frame.captionHeight), Qt::AlignCenter, captionOf(frame));
            }
        }
        paintBars(painter, layer);
        paintDiscs(painter, layer);
        painter.setFont(labelFont);
        const QFontMetricsF metrics(labelFont);
        painter.setRenderHint(QPainter::Antialiasing);
        for (const CanvasLayer::Pill& pill : layer.pills) {
            const QString text = textOf(pill);
            const double width = metrics.horizontalAdvance(text) + 14;
            const QRectF rect(pill.centre.x() - width / 2, pill.centre.y() - 9, width, 18);
            painter.setPen(QPen(m_theme.color(Role::Line2), 1));
            painter.setBrush(m_theme.color(Role::View));
            painter.drawRoundedRect(rect, 9, 9);
            painter.setPen(m_theme.color(Role::Text2));
            painter.drawText(rect, Qt::AlignCenter, text);
        }
    }

    // Names of open groups stand over their chords, on a plate of the view's colour, which no NPU may lose a corner to.
    painter.setFont(labelFont);
    const QFontMetricsF metrics(labelFont);
    const auto eachName = [&](const auto& draw) {
        if (m_items.nodeSide >= 20)
            return;
        for (const CanvasLayer& layer : m_items.layers)
            for (const CanvasLayer::Disc& disc : layer.discs)
                if (const QString name = disc.closed ? QString() : nameOf(disc); !name.isEmpty()) {
                    const double width = metrics.horizontalAdvance(name) + 6;
                    draw(QRectF(disc.rect.center().x() - width / 2, disc.rect.center().y() - 8, width, 16), name);
                }
    };
    eachName([&](const QRectF& plate, const QString&) { painter.fillRect(plate, m_theme.color(Role::View)); });
    paintNodes(painter);
    painter.setFont(labelFont);
    painter.setPen(m_theme.color(Role::Text));
    eachName([&](const QRectF& plate, const QString& text) { painter.drawText(plate, Qt::AlignCenter, text); });
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void CanvasPainter::paintRoute(QPainter& painter, LinkId link, bool selected) const
{
    const QPolygonF route = routeOf(m_layout, m_transform, link);
    if (route.size() < 2)
        return;
    const int dimension = m_layout.platform().linkInfo(link).dimension;
    const int bucket = Theme::heatBucket(m_heat.link(link, dimension));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.color(Role::View), 7, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.drawPolyline(route.data(), static_cast<int>(route.size()));
    const QColor color = m_heat.empty() ? m_theme.color(Role::Outline) : m_theme.heat(bucket);
    painter.setPen(QPen(color, selected ? 4 : std::max(2.0, Theme::heatWidth(bucket)), Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.drawPolyline(route.data(), static_cast<int>(route.size()));
}

void CanvasPainter::paintOverrides(QPainter& painter) const
{
    if (m_items.pitch < 6)
        return;
    for (const LinkOverride& entry : m_layout.platform().spec().linkOverrides) {
        painter.setOpacity(m_layout.platform().isRemoved(entry.link) ? 0.45 : 1);
        paintRoute(painter, entry.link, false);
    }
    painter.setOpacity(1);
}

void CanvasPainter::paintDiamonds(QPainter& painter) const
{
    if (m_items.pitch < 6)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    for (const LinkOverride& entry : m_layout.platform().spec().linkOverrides) {
        const QPolygonF route = routeOf(m_layout, m_transform, entry.link);
        if (route.size() >= 2)
            (entry.removed ? cross : diamond)(painter, route.size() > 2 ? (route[0] + route[1] * 5) / 6 : (route[0] + route[1]) / 2, entry.removed ? 5 : 6, m_theme);
    }
    for (const NpuOverride& entry : m_layout.platform().spec().npuOverrides)
        (entry.removed ? cross : diamond)(painter, m_transform.map(m_layout.npuCentre(entry.node)), std::max(5.0, m_items.nodeSide / 2), m_theme);
}

QRectF CanvasPainter::elementRect(const CanvasElement& element) const
{
    if (element.kind == CanvasElement::Kind::Node) {
        const double side = m_items.nodeSide + 4;
        const QPointF centre = m_transform.map(m_layout.npuCentre(element.node));
        const bool isSwitch = m_layout.isExplicit() && m_layout.platform().spec().nodes.kind(static_cast<std::size_t>(element.node)) != NodeKind::Npu;
        return {centre.x() - (isSwitch ? side : side / 2), centre.y() - side / 2, isSwitch ? 2 * side : side, side};
    }
    if (element.kind == CanvasElement::Kind::Group)
        for (const CanvasLayer& layer : m_items.layers)
            for (const CanvasLayer::Disc& disc : layer.discs)
                if (disc.first == element.node && disc.nodes == element.nodes)
                    return disc.rect;
    return {};
}

void CanvasPainter::paintElement(QPainter& painter, const CanvasElement& element, bool selected) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    if (element.kind == CanvasElement::Kind::Link) {
        paintRoute(painter, element.link, selected);
        if (selected) {
            const LinkInfo info = m_layout.platform().linkInfo(element.link);
            for (const NodeId node : {info.from, info.to})
                if (node >= 0)
                    paintElement(painter, {CanvasElement::Kind::Node, node, -1, 0}, true);
            const QPolygonF route = routeOf(m_layout, m_transform, element.link);
            if (route.size() > 2) {
                // The switch's own port.
                painter.setPen(QPen(m_theme.color(Role::Text), 2));
                painter.setBrush(m_theme.color(Role::View));
                painter.drawRoundedRect(QRectF(route.back().x() - 5, route.back().y() - 10, 10, 10), 2, 2);
            }
        }
        return;
    }
    const QRectF rect = elementRect(element);
    if (rect.isNull())
        return;
    if (selected && element.kind == CanvasElement::Kind::Node && !m_layout.isExplicit()) {
        const QColor fill = m_theme.activity(Activity::Compute);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 2, 2);
        if (m_items.nodeSide >= 20) {
            painter.setFont(m_theme.font(m_items.nodeSide >= 44 ? TextStyle::BodyStrong : TextStyle::Label));
            painter.setPen(m_theme.ink(fill));
            painter.drawText(rect, Qt::AlignCenter, QString::number(element.node));
        }
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.color(Role::Text), selected ? 2 : 1));
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
}

std::pair<QString, QString> CanvasPainter::describe(const PlatformLayout& layout, const PlatformHeat& heat, const HeatScale& scale, const CanvasElement& element)
{
    const Platform& platform = layout.platform();
    const auto nodeName = [&](NodeId node) {
        if (layout.isExplicit() && !platform.spec().nodes.name(static_cast<std::size_t>(node)).empty())
            return texts::shown(platform.spec().nodes.name(static_cast<std::size_t>(node)));
        return QString::number(node);
    };
    switch (element.kind) {
    case CanvasElement::Kind::Node: {
        const bool isSwitch = layout.isExplicit() && platform.spec().nodes.kind(static_cast<std::size_t>(element.node)) == NodeKind::Switch;
        QString detail;
        if (!layout.isExplicit()) {
            QStringList parts;
            for (std::size_t d = 0; d < platform.dimensions().size(); ++d)
                parts << QStringLiteral("D%1\u202F%2").arg(d).arg(platform.coordinate(element.node, d));
            detail = parts.join(QStringLiteral(", "));
        }
        if (!isSwitch && platform.isNpuRemoved(element.node))
            detail = tr("removed");
        return {isSwitch ? tr("Switch %1").arg(nodeName(element.node)) : tr("NPU %1").arg(nodeName(element.node)), detail};
    }
    case CanvasElement::Kind::Link: {
        const LinkInfo info = platform.linkInfo(element.link);
        const auto end = [&](NodeId node) { return node >= 0 ? nodeName(node) : tr("D%1 switch").arg(info.dimension); };
        QString detail = texts::rate(static_cast<double>(platform.bandwidth(element.link).bytesPerSecond));
        if (platform.isRemoved(element.link))
            detail = tr("removed");
        else if (!heat.empty() && !scale.what.isEmpty())
            detail += QStringLiteral(", ") + scale.what.arg(texts::time({std::llround(heat.link(element.link, info.dimension) * static_cast<double>(scale.most.ps))}));
        else if (!heat.empty())
            detail += QStringLiteral(", ") + (heat.isMean() ? tr("%1 busy on the mean") : tr("%1 busy")).arg(texts::percent(heat.link(element.link, info.dimension)));
        return {QStringLiteral("%1 \u2192 %2").arg(end(info.from), end(info.to)), detail};
    }
    case CanvasElement::Kind::Group: {
        QString detail;
        if (!layout.levels().empty()) {
            const Dimension& inner = platform.dimensions()[at(layout.levels().front().dimension)];
            detail = tr("%1 of %2").arg(shapeText(inner.shape), texts::count(inner.size));
        }
        return {tr("NPU %1\u2013%2").arg(element.node).arg(element.node + element.nodes - 1), detail};
    }
    case CanvasElement::Kind::None: break;
    }
    return {};
}

void CanvasPainter::paintCallout(QPainter& painter, const CanvasElement& element, const QRectF& view) const
{
    const auto [title, detail] = describe(m_layout, m_heat, m_scale, element);
    if (title.isEmpty())
        return;
    QPointF anchor;
    if (element.kind == CanvasElement::Kind::Link) {
        const QPolygonF route = routeOf(m_layout, m_transform, element.link);
        anchor = route.size() > 2 ? route.back() - QPointF(0, 6) : (route.front() + route.back()) / 2;
    } else {
        anchor = QPointF(elementRect(element).center().x(), elementRect(element).top());
    }
    if (!view.contains(anchor))
        return;
    const QFont strong = m_theme.font(TextStyle::Section);
    const QFont plain = m_theme.font(TextStyle::Hint);
    const double titleWidth = QFontMetricsF(strong).horizontalAdvance(title);
    const double width = titleWidth + (detail.isEmpty() ? 0 : 10 + QFontMetricsF(plain).horizontalAdvance(detail)) + 20;
    QRectF box(anchor.x() - width / 2, anchor.y() - 14 - 24, width, 24);
    if (box.top() < view.top() + 4)
        box.moveTop(anchor.y() + 20);
    box.moveLeft(std::clamp(box.left(), view.left() + 4, std::max(view.left() + 4, view.right() - width - 4)));
    box = QRectF(std::floor(box.left()) + 0.5, std::floor(box.top()) + 0.5, box.width(), box.height());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.color(Role::Text2), 1));
    const double x = std::clamp(anchor.x(), box.left() + 8, box.right() - 8);
    painter.drawLine(QPointF(x, box.top() < anchor.y() ? box.bottom() : box.top()), anchor);
    painter.setPen(QPen(m_theme.color(Role::Line2), 1));
    painter.setBrush(m_theme.color(Role::Raised));
    painter.drawRoundedRect(box, 4, 4);
    painter.setFont(strong);
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(box.adjusted(10, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, title);
    painter.setFont(plain);
    painter.setPen(m_theme.color(Role::Text2));
    painter.drawText(box.adjusted(20 + titleWidth, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, detail);
}

void CanvasPainter::paintLegend(QPainter& painter, const QRectF& view, const QString& meaning) const
{
    if (m_heat.empty() || m_color != CanvasColor::Heat || view.width() < 360)
        return;
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(painter.font());
    const bool isTime = !m_scale.what.isEmpty();
    const QString low = isTime ? QStringLiteral("0") : texts::percent(0, 0);
    const QString high = isTime ? texts::time(m_scale.most) : texts::percent(1, 0);
    // The words between the ends decide how wide it is.
    constexpr double kBlock = 24;
    const double gap = metrics.horizontalAdvance(QLatin1Char('0'));
    const double words = metrics.horizontalAdvance(meaning) + 2 * (std::max(metrics.horizontalAdvance(low), metrics.horizontalAdvance(high)) + gap);
    const double block = std::clamp(std::ceil(words / Theme::kHeatBuckets), kBlock, std::max(kBlock, std::floor((view.width() - 32) / Theme::kHeatBuckets)));
    const double width = block * Theme::kHeatBuckets;
    const double height = std::ceil(metrics.height());
    const double left = std::round(view.right() - width - 16);
    const double top = view.top() + 8;
    painter.setRenderHint(QPainter::Antialiasing, false);
    QColor plate = m_theme.color(Role::View);
    plate.setAlphaF(0.88F);
    painter.fillRect(QRectF(left - 6, top - 4, width + 12, height + 16), plate);
    for (int b = 0; b < Theme::kHeatBuckets; ++b)
        painter.fillRect(QRectF(left + b * block, top, block - 1, 8), m_theme.heat(b));
    painter.setPen(m_theme.color(Role::Text3));
    const QRectF line(left, top + 10, width, height);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, low);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, high);
    painter.drawText(line, Qt::AlignCenter, meaning);
}

} // namespace fabricscope
