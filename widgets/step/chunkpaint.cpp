#include "widgets/step/chunkpaint.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>

#include <cmath>

namespace fabricscope::steppaint {

QSizeF dimensionChipSize(const Theme& theme, const QString& name)
{
    const double words = QFontMetricsF(theme.font(TextStyle::LabelStrong)).horizontalAdvance(name) + theme.scaled(8);
    return QSizeF(std::max<double>(theme.scaled(24), words), theme.scaled(16));
}

void dimensionChip(QPainter& painter, const QRectF& rect, int dimension, const Theme& theme, const QString& name)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme.font(TextStyle::LabelStrong));
    if (dimension < 0) {
        painter.setPen(QPen(theme.color(Role::Outline), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setPen(theme.color(Role::Text2));
        painter.drawText(rect, Qt::AlignCenter, QCoreApplication::translate("StepPaint", "all"));
    } else {
        const QColor fill = theme.dimension(dimension);
        painter.setPen(dimension < Theme::kDimensionColors ? QPen(Qt::NoPen) : QPen(theme.color(Role::Text), 1, Qt::DashLine));
        painter.setBrush(fill);
        painter.drawRoundedRect(rect, 3, 3);
        painter.setPen(theme.ink(fill));
        painter.drawText(rect, Qt::AlignCenter, name.isEmpty() ? QStringLiteral("D%1").arg(dimension) : painter.fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(rect.width())));
    }
    painter.restore();
}

void waiting(QPainter& painter, const QRectF& rect, const Theme& theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(rect);
    painter.setPen(QPen(theme.color(Role::Wait), 1.5));
    for (double x = rect.left() - rect.height(); x < rect.right(); x += 6)
        painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height(), rect.top()));
    painter.setPen(QPen(theme.color(Role::Wait), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    painter.restore();
}

void focusRing(QPainter& painter, const QRectF& rect, const Theme& theme)
{
    painter.save();
    painter.setPen(QPen(theme.color(Role::Accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(1, 1, -1, -1));
    painter.restore();
}

void paintIcon(QPainter& painter, Icon icon, const QRectF& rect, const QColor& color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(rect.topLeft());
    painter.scale(rect.width() / 16, rect.height() / 16);
    painter.setPen(QPen(color, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const auto triangle = [](double left, double right) { return QPolygonF({QPointF(left, 4), QPointF(right, 8), QPointF(left, 12)}); };
    switch (icon) {
    case Icon::First:
        painter.drawLine(QPointF(4, 4), QPointF(4, 12));
        painter.drawPolygon(triangle(12, 6.5));
        break;
    case Icon::Back: painter.drawPolygon(triangle(10.5, 5.5)); break;
    case Icon::Forward: painter.drawPolygon(triangle(5.5, 10.5)); break;
    case Icon::Last:
        painter.drawLine(QPointF(12, 4), QPointF(12, 12));
        painter.drawPolygon(triangle(4, 9.5));
        break;
    case Icon::Play:
        painter.setBrush(color);
        painter.drawPolygon(QPolygonF({QPointF(5, 3.5), QPointF(12.5, 8), QPointF(5, 12.5)}));
        break;
    case Icon::Pause:
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRect(QRectF(4, 3, 3, 10));
        painter.drawRect(QRectF(9, 3, 3, 10));
        break;
    case Icon::Export:
        painter.drawPolyline(QPolygonF({QPointF(3, 9.5), QPointF(3, 13.5), QPointF(13, 13.5), QPointF(13, 9.5)}));
        painter.drawLine(QPointF(8, 10.5), QPointF(8, 2.5));
        painter.drawPolyline(QPolygonF({QPointF(5, 5.5), QPointF(8, 2.5), QPointF(11, 5.5)}));
        break;
    case Icon::Tick: painter.drawPolyline(QPolygonF({QPointF(3.5, 8.5), QPointF(6.5, 11.5), QPointF(12.5, 4.5)})); break;
    }
    painter.restore();
}

QIcon icon(Icon kind, const QColor& color, int size)
{
    QIcon result;
    for (const double ratio : {1.0, 1.5, 2.0}) {
        QPixmap pixmap(static_cast<int>(std::lround(size * ratio)), static_cast<int>(std::lround(size * ratio)));
        pixmap.setDevicePixelRatio(ratio);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paintIcon(painter, kind, QRectF(0, 0, size, size), color);
        painter.end();
        result.addPixmap(pixmap);
    }
    return result;
}

} // namespace fabricscope::steppaint
