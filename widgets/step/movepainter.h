#pragma once

#include "widgets/step/movecanvas.h"

#include <QCoreApplication>

class QPainter;

namespace fabricscope {

/// Draws parts of the canvas of a collective. Knows colours and shapes, no state.
class StepCanvasPainter
{
    Q_DECLARE_TR_FUNCTIONS(fabricscope::StepCanvasPainter)
public:
    StepCanvasPainter(QPainter& painter, const StepLayout& layout, const Theme& theme);

    void captions(const Platform& platform);
    void bars(const std::vector<int>& activeDimensions, int highlighted);
    void links(const std::vector<LinkId>& links, const QColor& color, double width);
    void boxes(const CollectiveReplay& replay, const std::vector<StepCanvas::Holding>& holdings, const QColor& color, int source, int target, int selected);
    /// `small`: dots.
    void token(const QPointF& at, const QString& text, const QColor& color, bool hollow, bool small, bool selected);
    void arrow(const QPolygonF& path);
    /// A callout near a point that hides as little as it can.
    void callout(const QPointF& near, const QRectF& area, const QString& title, const QString& text);

private:
    QPainter& m_painter;
    const StepLayout& m_layout;
    const Theme& m_theme;
};

/// The point at a share of the length of a line.
QPointF pointAlong(const QPolygonF& line, double share);

} // namespace fabricscope
