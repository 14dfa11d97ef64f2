#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace fabricscope {

/// A logarithmic slider for a positive number: a decade is 96 px, so its ends depend on its width and follow the value. A tick shows
/// the value before, common values are detents. Arrow keys step, Page Up and Page Down step by ten, Esc while dragging returns the
/// value at which the drag began. A value of 0 stands at the left end.
class LogSlider : public QWidget
{
    Q_OBJECT
public:
    static constexpr double kDecade = 96; ///< Logical px at the 13 px base.

    explicit LogSlider(QWidget* parent = nullptr);

    /// Keeps the ends while the value fits between them.
    void setValue(double value);
    double value() const { return m_value; }
    /// The previous value; absent: no tick.
    void setGhost(std::optional<double> value);
    std::optional<double> ghost() const { return m_ghost; }
    void setDetents(std::vector<double> values) { m_detents = std::move(values); }
    /// Text of a value for accessibility and the tooltip while dragging.
    void setUnit(const QString& unit);

    /// Middle of the handle for a value, in px from the left; clamped to the track.
    double position(double value) const;
    /// Value at a place of the track, rounded to steps of 2 to 5 %.
    double valueAt(double x) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// The user moved to another value; several until finished() are one change.
    void moved(double value);
    void finished();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void setTheme(const Theme& theme);
    double margin() const;
    double decade() const;
    void keepInside();
    void moveTo(double value);
    void finish();

    Theme m_theme;
    QString m_unit;
    double m_value = 1;
    double m_left = -0.5; ///< Logarithm of the value at the left end of the track.
    bool m_placed = false;
    std::optional<double> m_ghost;
    std::vector<double> m_detents;
    bool m_dragging = false;
    bool m_changing = false;
    double m_start = 1;
    double m_grab = 0; ///< Pointer minus handle at the press.
};

} // namespace fabricscope
