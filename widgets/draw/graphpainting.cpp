// What is painted on the page of a graph.
#include "widgets/draw/graphcanvas.h"

#include "widgets/base/icons.h"
#include "widgets/base/texts.h"
#include "widgets/design/quantityinput.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QPaintEvent>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr std::size_t kSmoothLimit = 2000; ///< More shapes than this are drawn without antialiasing.
constexpr double kReadable = 26;           ///< Pixels of a node that a name needs.
constexpr double kDot = 6;                 ///< Below this a node is a filled square.
constexpr int kMinimapWidth = 160;
constexpr int kMinimapHeight = 100;
constexpr double kPortSide = 1.25;         ///< Of what a pointer may miss it by.

/// "3" of "npu3", for a node that its kind names already.
QString shortName(const QString& name, NodeKind kind)
{
    if (kind != NodeKind::Npu)
        return name;
    qsizetype digits = 0;
    while (digits < name.size() && name.at(name.size() - 1 - digits).isDigit())
        ++digits;
    return digits > 0 ? name.right(digits) : name;
}

/// On what an override changes.
void overrideDiamond(QPainter& painter, QPointF centre, const Theme& theme)
{
    constexpr double kRadius = 6;
    painter.setPen(QPen(theme.color(Role::Warn), 2));
    painter.setBrush(theme.color(Role::View));
    painter.drawPolygon(QPolygonF{centre + QPointF(0, -kRadius), centre + QPointF(kRadius, 0), centre + QPointF(0, kRadius), centre + QPointF(-kRadius, 0)});
}

} // namespace

QPointF GraphCanvas::shiftOf(std::size_t node) const
{
    return m_gesture == Gesture::Move && isMoving(node) ? QPointF(m_shift * m_transform.scale) : QPointF();
}

void GraphCanvas::paintGrid(QPainter& painter) const
{
    double pitch = kSnapGrid * 4 * m_transform.scale;
    while (pitch < 16)
        pitch *= 2;
    std::vector<QPointF> dots;
    const double left = std::fmod(m_transform.offset.x(), pitch);
    const double top = std::fmod(m_transform.offset.y(), pitch);
    for (double y = top; y < height(); y += pitch) {
        for (double x = left; x < width(); x += pitch)
            dots.emplace_back(std::round(x), std::round(y));
    }
    painter.setPen(QPen(m_theme.color(Role::Line), 1));
    painter.drawPoints(dots.data(), static_cast<int>(dots.size()));
}

void GraphCanvas::paintLinks(QPainter& painter, Share share) const
{
    const GraphPicture& picture = m_editor->picture();
    const QRectF sight = QRectF(rect()).adjusted(-4, -4, 4, 4);
    std::vector<QLineF> plain;
    std::vector<QLineF> marked;
    std::vector<std::pair<QPointF, qsizetype>> pills;
    for (std::size_t i = 0; i < picture.bundles().size(); ++i) {
        const DrawnBundle& bundle = picture.bundles()[i];
        if (!isPainted(isMoving(bundle.a) || isMoving(bundle.b), share))
            continue;
        const QLineF line(pixelOf(bundle.a) + shiftOf(bundle.a), pixelOf(bundle.b) + shiftOf(bundle.b));
        const QRectF around = QRectF(line.p1(), line.p2()).normalized().adjusted(-1, -1, 1, 1);
        if (!around.intersects(sight))
            continue;
        const bool selected = m_editor->bundles().contains(i);
        (selected ? marked : plain).push_back(line);
        if (bundle.links.size() > 1 && m_transform.scale > 0.5)
            pills.emplace_back(line.center(), static_cast<qsizetype>(bundle.links.size()));
    }
    painter.setRenderHint(QPainter::Antialiasing, plain.size() <= kSmoothLimit);
    painter.setPen(QPen(m_theme.color(Role::Outline), plain.size() <= 500 ? 1.2 : 1));
    painter.drawLines(plain.data(), static_cast<int>(plain.size()));
    painter.setPen(QPen(m_theme.color(Role::Accent), marked.size() <= 500 ? 3 : 1));
    painter.drawLines(marked.data(), static_cast<int>(marked.size()));
    if (pills.empty() || pills.size() > 200)
        return;
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(painter.font());
    for (const auto& [centre, links] : pills) {
        const QString text = tr("%1 links").arg(links);
        QRectF pill(0, 0, metrics.horizontalAdvance(text) + 12, metrics.height() + 2);
        pill.moveCenter(centre);
        painter.setPen(QPen(m_theme.color(Role::Line2), 1));
        painter.setBrush(m_theme.color(Role::View));
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(pill, Qt::AlignCenter, text);
    }
}

/// Above all that is painted of the parts. A link has its mark a third of the way along it, clear of the count of parallel ones.
void GraphCanvas::paintOverrides(QPainter& painter, Share share) const
{
    const GraphPicture& picture = m_editor->picture();
    const GraphChanges& changes = m_editor->changes();
    if (changes.isEmpty() || m_transform.scale * GraphPicture::sizeOf(NodeKind::Npu).height() < kDot)
        return;
    const QRectF sight = QRectF(rect()).adjusted(-8, -8, 8, 8);
    std::vector<QPointF> marks;
    for (const DrawnBundle& bundle : picture.bundles()) {
        if (isPainted(isMoving(bundle.a) || isMoving(bundle.b), share) && changes.hasBundle(bundle))
            marks.push_back(QLineF(pixelOf(bundle.a) + shiftOf(bundle.a), pixelOf(bundle.b) + shiftOf(bundle.b)).pointAt(1.0 / 3));
    }
    for (std::size_t i = 0; i < picture.count(); ++i) {
        if (isPainted(isMoving(i), share) && changes.hasNpu(i))
            marks.push_back(viewOf(picture.rectOf(i)).translated(shiftOf(i)).topLeft());
    }
    std::erase_if(marks, [&](QPointF mark) { return !sight.contains(mark); });
    painter.setRenderHint(QPainter::Antialiasing, marks.size() <= kSmoothLimit);
    for (const QPointF mark : marks)
        overrideDiamond(painter, mark, m_theme);
}

void GraphCanvas::paintNode(QPainter& painter, const QRectF& rect, NodeKind kind, const QString& name, bool selected, bool hovered) const
{
    const bool npu = kind == NodeKind::Npu;
    const QColor fill = npu ? m_theme.activity(Activity::Compute) : m_theme.color(Role::View);
    if (rect.height() < kDot) {
        painter.fillRect(rect, selected ? m_theme.color(Role::Text) : npu ? fill : m_theme.color(Role::Outline));
        return;
    }
    const double radius = std::min(6.0, rect.height() / 6);
    painter.setPen(npu ? QPen(Qt::NoPen) : QPen(m_theme.color(Role::Outline), 1.5));
    painter.setBrush(fill);
    painter.drawRoundedRect(rect, radius, radius);
    if (rect.height() >= kReadable) {
        const QColor ink = npu ? m_theme.ink(fill) : m_theme.color(Role::Text);
        painter.setFont(m_theme.font(npu ? TextStyle::BodyStrong : TextStyle::Label));
        const QFontMetricsF metrics(painter.font());
        QRectF words = rect.adjusted(3, 0, -3, 0);
        const double side = m_theme.scaled(16);
        if (!npu && rect.height() >= side + metrics.height() + 6) {
            const QRectF mark(rect.center().x() - side / 2, rect.center().y() - (side + metrics.height()) / 2, side, side);
            icon(kind == NodeKind::Switch ? "switch" : "memory", IconColors::plain(m_theme.color(Role::Text2))).paint(&painter, mark.toRect());
            words.setTop(mark.bottom());
            words.setHeight(metrics.height());
        }
        painter.setPen(ink);
        painter.drawText(words, Qt::AlignCenter, metrics.elidedText(shortName(name, kind), Qt::ElideMiddle, words.width()));
    }
    if (selected || hovered) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.color(Role::Text), selected ? 2 : 1));
        painter.drawRoundedRect(rect.adjusted(-3, -3, 3, 3), radius + 2, radius + 2);
    }
}

/// In the frame of a copy, which has its name, a part has what stands behind the dot.
QString GraphCanvas::labelOf(std::size_t node) const
{
    const CopiedParts& copies = m_editor->copies();
    const auto place = copies.isEmpty() ? std::nullopt : copies.placeOf(node);
    return QString::fromStdString(place ? place->part : m_editor->picture().graph().nodes[node].name);
}

void GraphCanvas::paintNodes(QPainter& painter, Share share) const
{
    const GraphPicture& picture = m_editor->picture();
    const QRectF sight = QRectF(rect()).adjusted(-8, -8, 8, 8);
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < picture.count(); ++i) {
        if ((isPainted(isMoving(i), share) || (share == Share::Moving && m_beside[i])) && viewOf(picture.rectOf(i)).translated(shiftOf(i)).intersects(sight))
            seen.push_back(i);
    }
    painter.setRenderHint(QPainter::Antialiasing, seen.size() <= kSmoothLimit);
    for (const std::size_t i : seen) {
        const GraphText::Node& node = picture.graph().nodes[i];
        paintNode(painter, viewOf(picture.rectOf(i)).translated(shiftOf(i)), node.kind, labelOf(i), m_editor->nodes().contains(i), false);
    }
}

/// What is under the pointer, or would be the end of a link, above the picture of all.
void GraphCanvas::paintHover(QPainter& painter) const
{
    const GraphPicture& picture = m_editor->picture();
    const std::size_t node = m_gesture == Gesture::Link ? m_target : m_gesture == Gesture::None ? m_hover : picture.count();
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (m_gesture == Gesture::None && m_hoverBundle < picture.bundles().size()) {
        const DrawnBundle& bundle = picture.bundles()[m_hoverBundle];
        painter.setPen(QPen(m_theme.color(Role::Text), 2));
        painter.drawLine(pixelOf(bundle.a), pixelOf(bundle.b));
        for (const std::size_t end : {bundle.a, bundle.b})
            paintNode(painter, viewOf(picture.rectOf(end)), picture.graph().nodes[end].kind, labelOf(end), m_editor->nodes().contains(end), false);
    }
    if (node < picture.count())
        paintNode(painter, viewOf(picture.rectOf(node)), picture.graph().nodes[node].kind, labelOf(node), m_editor->nodes().contains(node), true);
}

QRectF GraphCanvas::frameOf(const std::vector<std::size_t>& nodes) const
{
    constexpr double kAround = 16; // Scene pixels: clear of the frame of a selected part.
    QRectF box;
    for (const std::size_t node : nodes)
        box |= viewOf(m_editor->picture().rectOf(node)).translated(shiftOf(node));
    const double around = std::max(5.0, kAround * m_transform.scale);
    return box.adjusted(-around, -around, around, around);
}

/// Around each copy of a blueprint, with its name.
void GraphCanvas::paintCopies(QPainter& painter, Share share) const
{
    const CopiedParts& copies = m_editor->copies();
    if (copies.isEmpty() || m_transform.scale * GraphPicture::sizeOf(NodeKind::Npu).height() < 2)
        return;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setFont(m_theme.font(TextStyle::LabelStrong));
    const QFontMetricsF metrics(painter.font());
    for (std::size_t blueprint = 0; blueprint < copies.blueprints().size(); ++blueprint) {
        const PartCopies& said = copies.blueprints()[blueprint];
        for (std::int32_t copy = 0; copy < said.count; ++copy) {
            const std::vector<std::size_t> nodes = copies.nodesOf(blueprint, copy);
            const bool moves = std::ranges::any_of(nodes, [&](std::size_t node) { return isMoving(node); });
            if (nodes.empty() || !isPainted(moves, share))
                continue;
            const QRectF frame = frameOf(nodes);
            if (!frame.adjusted(0, -metrics.height(), 0, 0).intersects(QRectF(rect())))
                continue;
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(m_theme.color(Role::Accent), 1.5, Qt::DashLine));
            painter.drawRoundedRect(frame, 6, 6);
            const QString name = QString::fromStdString(said.of) + QString::number(copy);
            const QString text = copy == 0 ? tr("%1, blueprint × %2").arg(name, texts::count(said.count)) : name;
            if (frame.width() < metrics.horizontalAdvance(name) + 8)
                continue;
            painter.setPen(m_theme.color(Role::Accent));
            painter.drawText(QPointF(frame.left() + 4, frame.top() - 4), metrics.elidedText(text, Qt::ElideRight, std::max(frame.width(), metrics.horizontalAdvance(name) + 2)));
        }
    }
}

/// All but the copy that was entered is there, and not meant.
void GraphCanvas::paintVeil(QPainter& painter) const
{
    const auto& inside = m_editor->inside();
    const std::vector<std::size_t> nodes = inside ? m_editor->copies().nodesOf(inside->blueprint, inside->copy) : std::vector<std::size_t>();
    if (nodes.empty())
        return;
    QPainterPath veiled;
    veiled.setFillRule(Qt::OddEvenFill);
    veiled.addRect(rect());
    veiled.addRoundedRect(frameOf(nodes), 6, 6);
    QColor veil = m_theme.color(Role::View);
    veil.setAlphaF(0.6F);
    painter.fillPath(veiled, veil);
}

/// Where links begin: of the part under the pointer, and of a few that are selected.
void GraphCanvas::paintPorts(QPainter& painter) const
{
    const GraphPicture& picture = m_editor->picture();
    if (m_gesture != Gesture::None || m_transform.scale < 0.35 || !m_editor->canDraw())
        return;
    std::set<std::size_t> ports;
    if (m_hover < picture.count())
        ports.insert(m_hover);
    if (m_editor->nodes().size() <= 16)
        ports.insert(m_editor->nodes().begin(), m_editor->nodes().end());
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(m_theme.color(Role::Accent), 1.5));
    painter.setBrush(m_theme.color(Role::View));
    for (const std::size_t node : ports) {
        for (int port = 0; port < GraphPicture::kPorts; ++port) {
            QRectF square(0, 0, kPortSide * portReach(), kPortSide * portReach());
            square.moveCenter(portPixel(node, port));
            painter.drawRoundedRect(square, 2, 2);
        }
    }
}

QString GraphCanvas::callout() const
{
    const GraphPicture& picture = m_editor->picture();
    if (m_gesture == Gesture::Part)
        return tr("%1 at %2, %3").arg(GraphEditor::kindText(m_part, 1)).arg(std::lround(m_place.x())).arg(std::lround(m_place.y()));
    if (m_gesture == Gesture::Move)
        return tr("%1 by %2, %3").arg(m_editor->selectionText()).arg(std::lround(m_shift.x())).arg(std::lround(m_shift.y()));
    if (m_gesture != Gesture::Link)
        return {};
    if (m_from.empty())
        return tr("Click the part where the link begins, or go to it by arrows and press Return.");
    const auto name = [&](std::size_t node) { return QString::fromStdString(picture.graph().nodes[node].name); };
    const auto links = static_cast<qsizetype>(m_from.size() - (std::ranges::find(m_from, m_target) != m_from.end() && m_from.size() > 1 ? 1 : 0));
    const QString figures = tr("%1 × %2, %3").arg(texts::count(links), quantitytext::text(m_editor->rate()), quantitytext::text(m_editor->latency()));
    const QString from = m_from.size() == 1 ? name(m_from.front()) : m_editor->selectionText();
    if (m_target >= picture.count())
        return figures + QLatin1Char('\n') + tr("from %1").arg(from);
    const QString reason = m_editor->refusal(m_from, m_target, QApplication::keyboardModifiers() & Qt::ShiftModifier);
    return reason.isEmpty() ? figures + QLatin1Char('\n') + QStringLiteral("%1 → %2").arg(from, name(m_target)) : reason;
}

void GraphCanvas::paintCallout(QPainter& painter, QPointF at, const QString& text) const
{
    const QFont strong = m_theme.font(TextStyle::BodyStrong);
    const QFont plain = m_theme.font(TextStyle::Table);
    const QStringList lines = text.split(QLatin1Char('\n'));
    const QFontMetricsF first(strong);
    const QFontMetricsF others(plain);
    double wide = first.horizontalAdvance(lines.front());
    for (const QString& line : lines.mid(1))
        wide = std::max(wide, others.horizontalAdvance(line));
    QRectF box(at + QPointF(16, 16), QSizeF(wide + 20, first.height() + others.height() * static_cast<double>(lines.size() - 1) + 12));
    if (box.right() > width() - 4)
        box.moveRight(std::max(box.width() + 4, at.x() - 16));
    if (box.bottom() > height() - 4)
        box.moveBottom(at.y() - 16);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(m_theme.color(Role::Line2), 1));
    painter.setBrush(m_theme.color(Role::Raised));
    painter.drawRoundedRect(box, 4, 4);
    double y = box.top() + 6;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        painter.setFont(i == 0 ? strong : plain);
        painter.setPen(m_theme.color(i == 0 ? Role::Text : Role::Text2));
        const double high = i == 0 ? first.height() : others.height();
        painter.drawText(QRectF(box.left() + 10, y, wide + 2, high), Qt::AlignLeft | Qt::AlignVCenter, lines[i]);
        y += high;
    }
}

/// Those being drawn, below the parts as the others.
void GraphCanvas::paintNewLinks(QPainter& painter) const
{
    if (m_gesture != Gesture::Link || m_from.empty())
        return;
    const QPointF to = m_target < m_editor->picture().count() ? pixelOf(m_target) : m_byKey ? pixelOf(m_from.front()) : m_pointer;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(m_theme.color(Role::Accent), 1.5, Qt::DashLine));
    for (const std::size_t node : m_from)
        painter.drawLine(pixelOf(node), to);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void GraphCanvas::paintGesture(QPainter& painter) const
{
    const GraphPicture& picture = m_editor->picture();
    const QColor accent = m_theme.color(Role::Accent);
    painter.setPen(QPen(accent, 1, Qt::DashLine));
    for (const SnapGuide& guide : m_guides) {
        const QPointF at = m_transform.map(PointF(guide.at, guide.at));
        painter.drawLine(guide.vertical ? QLineF(at.x(), 0, at.x(), height()) : QLineF(0, at.y(), width(), at.y()));
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (m_gesture == Gesture::Band) {
        QColor veil = accent;
        veil.setAlphaF(0.1F);
        painter.setBrush(veil);
        painter.setPen(QPen(accent, 1, m_pointer.x() < m_pressed.x() ? Qt::DashLine : Qt::SolidLine));
        painter.drawRect(band());
    } else if (m_gesture == Gesture::Part) {
        const SizeF size = GraphPicture::sizeOf(m_part);
        painter.setOpacity(0.6);
        paintNode(painter, viewOf(RectF(m_place.x() - size.width() / 2, m_place.y() - size.height() / 2, size.width(), size.height())), m_part, GraphEditor::kindText(m_part, 1).section(QLatin1Char(' '), 1), false, true);
        painter.setOpacity(1);
        paintCallout(painter, m_pointer, callout());
    } else if (m_gesture == Gesture::Link) {
        if (!m_from.empty() || !m_byKey)
            paintCallout(painter, m_byKey && m_target < picture.count() ? pixelOf(m_target) : m_pointer, callout());
    } else if (m_gesture == Gesture::Move) {
        paintCallout(painter, m_pointer, callout());
    } else if (m_gesture == Gesture::None && m_hover < picture.count()) {
        paintCallout(painter, viewOf(picture.rectOf(m_hover)).bottomRight() - QPointF(8, 8), hoverText());
    } else if (m_gesture == Gesture::None && m_hoverBundle < picture.bundles().size()) {
        const LineF line = picture.lineOf(picture.bundles()[m_hoverBundle]);
        paintCallout(painter, m_transform.map(line.p1() + (line.p2() - line.p1()) * 0.5), hoverText());
    }
}

QString GraphCanvas::hoverText() const
{
    const GraphPicture& picture = m_editor->picture();
    const GraphChanges& changes = m_editor->changes();
    if (m_hover < picture.count()) {
        const GraphText::Node& node = picture.graph().nodes[m_hover];
        const auto links = std::ranges::count_if(picture.bundles(), [&](const DrawnBundle& bundle) { return bundle.a == m_hover || bundle.b == m_hover; });
        QStringList lines{QString::fromStdString(node.name), tr("%1, joined to %2").arg(GraphEditor::kindText(node.kind, 1).section(QLatin1Char(' '), 1)).arg(links)};
        return (lines + changes.npuTexts(m_hover)).join(QLatin1Char('\n'));
    }
    if (m_hoverBundle >= picture.bundles().size())
        return {};
    const DrawnBundle& bundle = picture.bundles()[m_hoverBundle];
    // The one that is unlike the others is the one to tell of.
    const auto other = std::ranges::find_if(bundle.links, [&](std::size_t link) { return changes.hasLink(link); });
    const bool changed = other != bundle.links.end();
    const std::size_t shown = changed ? *other : bundle.links.front();
    const GraphText::Link& link = picture.graph().links[shown];
    const QString figures = changes.figure(picture.graph(), shown, Measure::Bandwidth) + (changed ? QStringLiteral("\n") : QStringLiteral(", ")) + changes.figure(picture.graph(), shown, Measure::Time);
    QStringList lines{QStringLiteral("%1 %2 %3").arg(QString::fromStdString(link.from), link.eachWay ? QStringLiteral("↔") : QStringLiteral("→"), QString::fromStdString(link.to))};
    if (bundle.links.size() > 1)
        lines.append((changed ? tr("%1 links, one of them %2") : tr("%1 links, the first %2")).arg(bundle.links.size()).arg(figures));
    else
        lines.append(figures);
    if (const QString removal = changes.removal(picture.graph(), shown); !removal.isEmpty())
        lines.append(removal);
    return lines.join(QLatin1Char('\n'));
}

void GraphCanvas::paintMinimap(QPainter& painter) const
{
    const GraphPicture& picture = m_editor->picture();
    const RectF page = picture.bounds();
    const QRectF place(width() - kMinimapWidth - 12, height() - kMinimapHeight - 12, kMinimapWidth, kMinimapHeight);
    const double scale = std::min((kMinimapWidth - 12) / page.width(), (kMinimapHeight - 12) / page.height());
    const CanvasTransform small{scale, PointF(place.center()) - page.center() * scale};
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(m_theme.color(Role::Line2), 1));
    painter.setBrush(m_theme.color(Role::View));
    painter.drawRect(place.adjusted(0, 0, -1, -1));
    std::vector<QRectF> npus;
    std::vector<QRectF> others;
    for (std::size_t i = 0; i < picture.count(); ++i) {
        QRectF dot = small.map(picture.rectOf(i));
        dot.setSize({std::max(dot.width(), 1.0), std::max(dot.height(), 1.0)});
        (picture.graph().nodes[i].kind == NodeKind::Npu ? npus : others).push_back(dot);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.activity(Activity::Compute));
    painter.drawRects(npus.data(), static_cast<int>(npus.size()));
    painter.setBrush(m_theme.color(Role::Outline));
    painter.drawRects(others.data(), static_cast<int>(others.size()));
    const QRectF seen(small.map(m_transform.inverse(QPointF(0, 0))), small.map(m_transform.inverse(QPointF(width(), height()))));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.color(Role::Accent), 1));
    painter.drawRect(seen.intersected(place.adjusted(1, 1, -2, -2)));
}

/// Thousands of parts that stay where they are cost a frame nothing: it is their picture, below those that are selected. It is kept from before a drag begins.
void GraphCanvas::paintStill(QPainter& painter)
{
    const double ratio = painter.device()->devicePixelRatioF();
    const QSize pixels = size() * ratio;
    if (m_still.size() != pixels) {
        m_still = QPixmap(pixels);
        m_still.setDevicePixelRatio(ratio);
        m_still.fill(m_theme.color(Role::View));
        QPainter still(&m_still);
        paintGrid(still);
        paintLinks(still, Share::Still);
        paintNodes(still, Share::Still);
        paintOverrides(still, Share::Still);
        paintCopies(still, Share::Still);
    }
    painter.drawPixmap(0, 0, m_still);
}

void GraphCanvas::paintOn(QPainter& painter)
{
    paintStill(painter);
    paintLinks(painter, Share::Moving);
    paintNewLinks(painter);
    paintNodes(painter, Share::Moving);
    paintOverrides(painter, Share::Moving);
    paintCopies(painter, Share::Moving);
    paintVeil(painter);
    if (m_gesture != Gesture::Move) {
        paintHover(painter);
        paintPorts(painter);
    }
    if (m_editor->picture().isEmpty() && m_gesture != Gesture::Part) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap, m_editor->canDraw() ? tr("Drop a host or a fabric of the gallery here, type / and a fabric, or put parts: N an NPU, X a switch, M a memory.") : tr("The text of the design has errors. Correct it before anything is drawn."));
    }
    if (!m_editor->picture().isEmpty() && !isFitted())
        paintMinimap(painter);
    paintGesture(painter);
}

void GraphCanvas::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintOn(painter);
    if (m_keyboardFocus) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

} // namespace fabricscope
