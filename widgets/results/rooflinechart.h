#pragma once

#include "widgets/base/theme.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace fabricscope {

/// What one kind of device allows: y = min(x * slope, flat). 0: nothing is known of that part.
struct RooflineRoof {
    double slope = 0;
    double flat = 0;
    QString slopeName; ///< Beside the sloped part: "3.35 TB/s".
    QString flatName;  ///< Above the flat one: "400 TFLOP/s".
};

struct RooflinePoint {
    qint64 id = -1;
    QString name;
    double x = 0;            ///< 0: not known; it stands in a strip of its own, right of the axis.
    double y = 0;
    double low = 0;          ///< Down to here reach others of its kind; 0: none.
    std::size_t roof = 0;    ///< Its number; that of none: it has none.
    QColor color;
    QString about;           ///< What it is, a line each.
};

/// Rates over intensities, both logarithmic, below what devices allow: a roofline. Left and Right walk the points by x, Home and End go to the ends, Return takes the
/// chosen one; the pointer over a point says what it is, a click chooses it. The roof of the chosen point, or of that under the pointer, stands out. What paints
/// is in rooflinepainting.cpp.
class RooflineChart : public QWidget
{
    Q_OBJECT
public:
    struct Axis {
        QString title;
        std::function<QString(double)> text; ///< Of a power of ten, with its unit.
    };

    static constexpr double kDot = 4;                ///< Radius of a point, pixels.
    static constexpr std::size_t kMostLabels = 100;  ///< Of more points none has one.

    explicit RooflineChart(const QString& title, QWidget* parent = nullptr);

    void setAxes(Axis x, Axis y);
    /// `empty`: what is said where there are no points. A point that is gone is no longer chosen.
    void setContent(std::vector<RooflinePoint> points, std::vector<RooflineRoof> roofs, const QString& empty);
    const std::vector<RooflinePoint>& points() const { return m_points; } ///< By x, those without one last.
    const std::vector<RooflineRoof>& roofs() const { return m_roofs; }
    /// Does not signal. Unknown: none.
    void setCurrent(qint64 id);
    qint64 current() const { return m_current; }
    qint64 hovered() const { return m_hovered; } ///< Under the pointer; -1: none.
    /// In widget coordinates; of x 0 in the strip.
    QPointF placeOf(double x, double y) const;
    QPointF positionOf(qint64 id) const;
    /// Where a roof is drawn, from the left; its corner is one of the points.
    QPolygonF roofLine(std::size_t roof) const;
    /// Labels that have room, with their points.
    std::vector<std::pair<qint64, QRectF>> labels() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void chosen(qint64 id);
    void activated(qint64 id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    /// Powers of ten from one to the other.
    struct Range {
        double least = 1;
        double most = 10;
        double partOf(double value) const;
        std::vector<double> ticks(int most) const;
    };
    static Range rangeOf(const std::vector<double>& values);

    void setTheme(const Theme& theme);
    void setRanges();
    void measure();
    const RooflinePoint* pointOf(qint64 id) const;
    const RooflinePoint* nearestTo(const QPointF& position) const;
    const RooflinePoint* shown() const; ///< Under the pointer, else the chosen one.
    void choose(qint64 id);
    void walk(int by);
    void describe();
    bool hasStrip() const;
    bool isLow() const; ///< There is no room for a title below the axis: it is in the head.
    /// Where the names of the parts of a roof stand; empty: it has no such part.
    QRectF flatNameRect(std::size_t roof) const;
    QRectF slopeNameRect(std::size_t roof) const;
    QRectF plot() const;  ///< Between the axes.
    QRectF strip() const; ///< Of points without x; empty: there are none.
    void paintHead(QPainter& painter) const;
    void paintAxes(QPainter& painter) const;
    void paintRoof(QPainter& painter, std::size_t roof, bool strong) const;
    void paintPoints(QPainter& painter) const;
    void paintAbout(QPainter& painter) const;

    QString m_title;
    QString m_empty;
    Axis m_xAxis;
    Axis m_yAxis;
    std::vector<RooflinePoint> m_points;
    std::vector<RooflineRoof> m_roofs;
    Range m_x;
    Range m_y;
    double m_left = 0;  ///< Room for the labels of the axis,
    double m_right = 0; ///< and for points without x.
    qint64 m_current = -1;
    qint64 m_hovered = -1;
    Theme m_theme;
};

} // namespace fabricscope
