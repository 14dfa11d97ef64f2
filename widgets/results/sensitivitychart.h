#pragma once

#include "core/insight/explain.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <vector>

namespace fabricscope {

/// What each number of a design saves when it is 10 % faster, as bars, and below each the range in which that holds, from 50 % less to 50 % more of the
/// number. Up and Down walk through the rows for assistive tools.
class SensitivityChart : public QWidget
{
    Q_OBJECT
public:
    explicit SensitivityChart(QWidget* parent = nullptr);

    /// The largest effects; `ranged`: those without a range have none.
    void setEffects(std::vector<ParameterEffect> effects, bool ranged);
    int rowCount() const { return static_cast<int>(m_effects.size()); }
    int currentRow() const { return m_current; }
    void setCurrentRow(int row);
    /// "D0 bandwidth".
    QString nameText(int row) const;
    /// "▼ 76.9 µs".
    QString gainText(int row) const;
    /// "−14 % to +50 %".
    QString rangeText(int row) const;
    /// Of a row, in widget coordinates.
    QRectF barRect(int row) const;
    /// Where the line holds; empty: not known.
    QRectF rangeRect(int row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void describe();
    QRectF rowRect(int row) const;
    QRectF axisRect(int row) const; ///< Of bars and ranges.
    void paintRow(QPainter& painter, int row) const;

    std::vector<ParameterEffect> m_effects;
    bool m_ranged = false;
    int m_current = -1;
    Theme m_theme;
};

} // namespace fabricscope
