#pragma once

#include "widgets/base/theme.h"
#include "widgets/study/variantcolumns.h"

#include <QPixmap>
#include <QPolygonF>
#include <QString>
#include <QWidget>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace fabricscope {

/// Designs as points over two axes, those that no other beats in both joined by steps. Left and Right walk the front, or all points by x where there is none; Ctrl walks
/// all; Home and End go to its ends; Return takes the chosen one. The pointer over a point says what it is, a click chooses it. Dragging draws a brush; Shift with Right and Up
/// grows one around the chosen point, with Left and Down it shrinks; Escape takes it away.
class TradeoffChart : public QWidget
{
    Q_OBJECT
public:
    struct Point {
        std::int64_t id = -1;
        double x = 0;
        double y = 0;
        bool feasible = true;
        bool front = false;
        std::size_t row = 0; ///< Of the table.
    };

    /// From one value to another on both axes.
    struct Brush {
        double left = 0;
        double right = 0;
        double low = 0;
        double high = 0;
        bool holds(double x, double y) const { return x >= left && x <= right && y >= low && y <= high; }
    };

    explicit TradeoffChart(QWidget* parent = nullptr);

    /// The front is joined as the senses of the axes say.
    void setPoints(std::vector<Point> points, const VariantAxis& x, const VariantAxis& y);
    /// Said where there are no points.
    void setEmptyText(const QString& text);
    /// What a point is, a line each.
    void setDescriber(std::function<QString(qint64 id)> describer) { m_describer = std::move(describer); }
    /// Does not signal. Unknown: none.
    void setCurrent(qint64 id);
    qint64 current() const { return m_current; }
    /// Under the pointer; -1: none.
    qint64 hovered() const { return m_hovered; }
    const std::vector<Point>& points() const { return m_points; } ///< By x, then y.
    QPointF positionOf(qint64 id) const;
    /// Absent: none is drawn.
    const std::optional<Brush>& brush() const { return m_brush; }
    /// Does not signal. A side of it that is infinite goes to the edge.
    void setBrush(const std::optional<Brush>& brush);
    /// Other points are faint.
    void setInside(const BrushedRows& inside);
    /// How far off values of each axis are, per cent; 0: they are exact. Points that differ by less from the chosen one are ringed, and what is as near shaded.
    void setErrors(double xPct, double yPct);
    /// Is the point as near to the chosen one, and not itself?
    bool isAlike(const Point& point) const;
    /// Corners of the front, from the left.
    QPolygonF frontLine() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void chosen(qint64 id);
    void activated(qint64 id);
    /// By the pointer or keys, brush() is another.
    void brushed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    /// Values along one side.
    struct Scale {
        VariantAxis axis;
        double least = 0;
        double most = 1;
        bool log = false;
        double partOf(double value) const;
        double valueAt(double part) const;
        std::vector<double> ticks(int most) const;
    };
    static Scale scaleOf(const VariantAxis& axis, double least, double most);

    void setTheme(const Theme& theme);
    void redraw();
    QRectF plot() const;
    QPointF place(const Point& point) const;
    const Point* pointOf(qint64 id) const;
    const Point* nearestTo(const QPointF& position) const;
    void choose(qint64 id);
    void walk(int by, bool all);
    /// By a step to both sides; below none it goes away.
    void growBrush(int across, int up);
    QRectF brushedArea() const;
    void setBrushedArea(const QRectF& area);
    bool takeShiftedKey(int key);
    void describe();
    void paintAxes(QPainter& painter) const;
    void paintPoints(QPainter& painter) const;
    bool isFaint(const Point& point) const { return m_inside && (*m_inside)[point.row] == 0; }
    void paintHovered(QPainter& painter) const;
    void paintAlike(QPainter& painter) const;
    bool isAlike(const Point& point, const Point& chosen) const;

    std::vector<Point> m_points;
    std::function<QString(qint64)> m_describer;
    QString m_emptyText;
    qint64 m_current = -1;
    qint64 m_hovered = -1;
    double m_xError = 0; ///< Per cent.
    double m_yError = 0;
    std::optional<Brush> m_brush;
    BrushedRows m_inside;
    std::optional<QPointF> m_pressed; ///< Where a brush may begin.
    bool m_drawing = false;
    Scale m_x;
    Scale m_y;
    QPixmap m_layer; ///< Axes and points, drawn once.
    Theme m_theme;
};

} // namespace fabricscope
