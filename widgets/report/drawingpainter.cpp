#include "widgets/report/drawingpainter.h"

#include "widgets/base/showntexts.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

namespace fabricscope {

namespace {

constexpr int kTextPixels = 100; ///< Texts are painted at this size and scaled, so that sizes need not be whole.

class Painting {
public:
    Painting(QPainter& painter, QFont font, bool dark) : m_painter(painter), m_font(std::move(font)), m_dark(dark) { m_font.setPixelSize(kTextPixels); }

    void paint(const BoxShape& shape)
    {
        setPen(shape.pen);
        setBrush(shape.fill, 1);
        if (shape.radius > 0)
            m_painter.drawRoundedRect(shape.rect, shape.radius, shape.radius);
        else
            m_painter.drawRect(shape.rect);
    }

    void paint(const BoxesShape& shape)
    {
        const QColor color = colorOf(shape.fill);
        for (const RectF& rect : shape.rects)
            m_painter.fillRect(rect, color);
    }

    void paint(const LinesShape& shape)
    {
        setPen(shape.pen);
        QVector<QLineF> lines;
        lines.reserve(static_cast<qsizetype>(shape.lines.size()));
        for (const LineF& line : shape.lines)
            lines.append(line);
        m_painter.drawLines(lines);
    }

    void paint(const PathShape& shape)
    {
        setPen(shape.pen);
        setBrush(shape.fill, shape.opacity);
        QPolygonF points;
        for (const PointF& point : shape.points)
            points.append(point);
        if (shape.closed)
            m_painter.drawPolygon(points);
        else
            m_painter.drawPolyline(points);
    }

    void paint(const CircleShape& shape)
    {
        setPen(shape.pen);
        setBrush(shape.fill, 1);
        m_painter.drawEllipse(shape.centre, shape.radius, shape.radius);
    }

    void paint(const HatchShape& shape) { paint(LinesShape{hatchLines(shape), shape.pen}); }

    void paint(const TextShape& shape)
    {
        QFont font = m_font;
        font.setWeight(shape.strong ? QFont::DemiBold : QFont::Normal);
        const QString text = texts::shown(shape.text);
        const double width = QFontMetricsF(font).horizontalAdvance(text);
        const double left = shape.anchor == TextShape::Anchor::Left ? 0 : shape.anchor == TextShape::Anchor::Right ? -width : -width / 2;
        m_painter.save();
        m_painter.translate(shape.at);
        m_painter.scale(shape.size / kTextPixels, shape.size / kTextPixels);
        m_painter.setFont(font);
        m_painter.setPen(colorOf(shape.color));
        m_painter.drawText(QPointF(left, 0), text);
        m_painter.restore();
    }

    void paint(const GroupMark&) {}

private:
    QColor colorOf(const DrawColor& token) const { return QColor::fromRgb(token.rgb(m_dark)); }

    void setPen(const std::optional<DrawPen>& pen)
    {
        if (!pen) {
            m_painter.setPen(Qt::NoPen);
            return;
        }
        QColor color = colorOf(pen->color);
        color.setAlphaF(static_cast<float>(pen->opacity));
        QPen made(color, pen->width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
        if (pen->dash > 0)
            made.setDashPattern({pen->dash / pen->width, pen->dash / pen->width});
        m_painter.setPen(made);
    }

    void setBrush(const std::optional<DrawColor>& fill, double opacity)
    {
        if (!fill) {
            m_painter.setBrush(Qt::NoBrush);
            return;
        }
        QColor color = colorOf(*fill);
        color.setAlphaF(static_cast<float>(opacity));
        m_painter.setBrush(color);
    }

    QPainter& m_painter;
    QFont m_font;
    bool m_dark;
};

} // namespace

void paintDrawing(QPainter& painter, const Drawing& drawing, const QRectF& target, const QFont& font, bool dark)
{
    if (drawing.size.width() <= 0 || drawing.size.height() <= 0)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double scale = std::min(target.width() / drawing.size.width(), target.height() / drawing.size.height());
    painter.translate(target.topLeft());
    painter.scale(scale, scale);
    Painting painting(painter, font, dark);
    for (const DrawShape& shape : drawing.shapes)
        std::visit([&painting](const auto& one) { painting.paint(one); }, shape);
    painter.restore();
}

} // namespace fabricscope
