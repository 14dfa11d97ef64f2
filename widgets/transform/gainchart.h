#pragma once

#include "core/base/units.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <vector>

namespace fabricscope {

/// What each step of a schedule brings, one below the other: every bar begins where the one before ends. Up and Down walk, Return shows the step.
class GainChart : public QWidget
{
    Q_OBJECT
public:
    struct Row {
        QString step;
        SimTime time; ///< Of the program after it.
    };

    explicit GainChart(QWidget* parent = nullptr);

    /// `before`: time of the program as written.
    void setSteps(SimTime before, std::vector<Row> rows);
    /// A step, from 0; -1: none. Does not signal.
    void setCurrent(int step);
    int current() const { return m_current; }

    /// Of "Before" (0), of a step (from 1), of "After" (the last). In widget coordinates.
    QRectF barRect(int row) const;
    int rowCount() const { return m_rows.empty() ? 0 : static_cast<int>(m_rows.size()) + 2; }
    /// Where the axis begins; 0: whole bars are drawn.
    SimTime axisBegin() const;
    /// Exact sum of the gains.
    SimTime sum() const;
    int heightForAll() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void stepChosen(int step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QRectF rowRect(int row) const;
    QRectF plot() const;
    double figureWidth() const;
    double xOf(SimTime time) const;
    SimTime timeBefore(int row) const;
    SimTime timeAfter(int row) const;
    void choose(int step);
    void paintRow(QPainter& painter, int row) const;
    void paintTicks(QPainter& painter) const;
    void describe();

    SimTime m_before;
    std::vector<Row> m_rows;
    int m_current = -1;
    Theme m_theme;
};

} // namespace fabricscope
