#pragma once

#include "widgets/base/theme.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

class QPainter;

namespace fabricscope {

/// What a chart says of the point under the pointer: a text in a box over all that is drawn.
class HoverBox {
public:
    /// `inside`: the size of the chart, which the box is never wider than.
    HoverBox(const Theme& theme, const QString& text, QSizeF inside);

    QSizeF size() const { return m_box.size(); }
    /// Right of the point and above it, or at the other side where there is no room.
    void moveBeside(QPointF point, double gap);
    void moveTo(QPointF topLeft) { m_box.moveTopLeft(topLeft); }
    void paint(QPainter& painter) const;

private:
    Theme m_theme;
    QString m_text;
    QSizeF m_inside;
    double m_margin;
    QRectF m_box;
};

} // namespace fabricscope
