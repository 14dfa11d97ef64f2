#pragma once

#include "widgets/base/theme.h"
#include "widgets/study/parallelpicture.h"
#include "widgets/study/variantcolumns.h"

#include <QImage>
#include <QString>
#include <QWidget>

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Designs as lines over axes side by side: parameters and objectives at first. Dragging along an axis brushes an interval of it, dragging its name moves it, a double click on the name turns it
/// over. Left and Right go to an axis, with Ctrl they move it; I turns it over, Delete takes it away. Up and Down walk the designs along it, Home and End go to its ends; Shift with Up grows an
/// interval around the chosen design, with Down it shrinks, Alt moves it, Escape takes it away. Return takes the chosen design.
class ParallelChart : public QWidget
{
    Q_OBJECT
public:
    explicit ParallelChart(QWidget* parent = nullptr);

    /// Axes that are on show stay so, where the study is the same one.
    void setColumns(const VariantColumnsPtr& columns);
    void setBrush(const VariantBrush& brush, BrushedRows inside);
    const VariantBrush& brush() const { return m_brush; }
    /// What is brushed is coloured by its values of this axis; none: by one colour.
    void setColour(const std::optional<VariantAxis>& axis);
    /// Does not signal. Unknown: none.
    void setCurrent(qint64 id);
    qint64 current() const { return m_current; }
    void setDescriber(std::function<QString(qint64 id)> describer) { m_describer = std::move(describer); }

    /// On show, from the left.
    const std::vector<VariantAxis>& axes() const { return m_axes; }
    bool isInverted(const VariantAxis& axis) const;
    void setShown(const VariantAxis& axis, bool shown);
    void moveAxis(std::size_t from, std::size_t to);
    void invertAxis(std::size_t axis);
    std::size_t currentAxis() const { return m_axis; }
    QPointF positionOf(std::size_t axis, qint64 id) const;
    QRectF nameArea(std::size_t axis) const;
    /// Of the axis, from above.
    QRectF axisArea(std::size_t axis) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void chosen(qint64 id);
    void activated(qint64 id);
    /// brush() is wanted to be this.
    void brushWanted(const fabricscope::VariantBrush& brush);
    /// axes() are others, or in another order.
    void axesChanged();

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
    /// What the pressed button does.
    enum class Drag { None, Interval, Name };

    void setTheme(const Theme& theme);
    void redraw();
    void describe();
    ParallelLines lines() const;
    double placeOf(std::size_t axis) const;
    std::optional<std::size_t> axisNear(const QPointF& position) const;
    std::optional<std::size_t> rowOf(qint64 id) const;
    std::optional<std::size_t> rowNear(const QPointF& position) const;
    std::size_t columnOf(std::size_t axis) const;
    void choose(qint64 id);
    void goToAxis(std::size_t axis);
    void walk(int by);
    void goToEnd(bool top);
    /// From one height to another on the axis; the value that is nearest where there are few.
    VariantInterval intervalBetween(std::size_t axis, double from, double to) const;
    void setInterval(std::size_t axis, const std::optional<VariantInterval>& interval);
    void growInterval(int by, bool move);
    bool takeAxisKey(QKeyEvent& event);
    /// Those of an axis, of all where it has none.
    void endInterval();
    /// In parallelpainting.cpp.
    void askForPicture();
    void paintAxis(QPainter& painter, std::size_t axis) const;
    void paintLabels(QPainter& painter, std::size_t axis) const;
    void paintInterval(QPainter& painter, std::size_t axis) const;
    void paintLines(QPainter& painter) const;
    void paintHovered(QPainter& painter) const;

    VariantColumnsPtr m_columns;
    std::vector<VariantAxis> m_axes;
    std::vector<VariantAxis> m_inverted;
    VariantBrush m_brush;
    BrushedRows m_inside;
    std::optional<VariantAxis> m_colour;
    std::function<QString(qint64)> m_describer;
    qint64 m_current = -1;
    qint64 m_hovered = -1;
    std::size_t m_axis = 0; ///< That keys are for.
    Drag m_drag = Drag::None;
    QPointF m_pressed;
    QPointF m_pointer;
    QImage m_picture;
    bool m_isOld = true;      ///< The picture.
    bool m_isDrawing = false; ///< On another thread.
    std::stop_source m_stop;
    Theme m_theme;
};

} // namespace fabricscope
