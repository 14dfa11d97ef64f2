#pragma once

#include "widgets/base/theme.h"

#include <QString>
#include <QWidget>

#include <cstdint>
#include <vector>

namespace fabricscope {

/// Plans as points: memory of the fullest rank to the right, step upwards. Those that no other beats in both are joined by steps. Left and Right walk the points by memory, Return takes the
/// one with the ring, a click chooses.
class PlanScatter : public QWidget
{
    Q_OBJECT
public:
    struct Point {
        std::int64_t id = -1;
        QString name;            ///< "Plan 3".
        std::int64_t memory = 0; ///< Bytes.
        std::int64_t step = 0;   ///< Picoseconds.
        bool front = false;
        bool own = false;        ///< Of the design: with a flag.
    };

    explicit PlanScatter(QWidget* parent = nullptr);

    /// `capacity`: bytes of an NPU; 0: not known.
    void setPoints(std::vector<Point> points, std::int64_t capacity);
    /// Does not signal. Unknown: none.
    void setCurrent(std::int64_t id);
    std::int64_t current() const { return m_current; }
    const std::vector<Point>& points() const { return m_points; } ///< By memory, then step.
    QPointF positionOf(std::int64_t id) const;
    /// Corners of the front, from the left.
    QPolygonF frontLine() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void chosen(qint64 id);
    void activated(qint64 id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    /// Values along one side, in the unit of its title.
    struct Axis {
        double least = 0;
        double most = 1;
        bool log = false;
        double partOf(double value) const;
        std::vector<double> ticks(int most) const;
    };
    static Axis axisOf(double least, double most, double always);

    void setTheme(const Theme& theme);
    QRectF plot() const;
    QPointF place(const Point& point) const;
    void choose(std::size_t index);
    void describe();
    void paintAxes(QPainter& painter) const;
    void paintPoint(QPainter& painter, const Point& point) const;

    std::vector<Point> m_points;
    std::int64_t m_capacity = 0;
    std::int64_t m_current = -1;
    Axis m_memory;
    Axis m_step;
    Theme m_theme;
};

} // namespace fabricscope
