#pragma once

#include "core/record/timeshares.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <optional>

namespace fabricscope {

/// Parts of a whole over time, one on the other: a column per stretch of the run. The pointer, or Left and Right, put a mark whose time and shares stand
/// beside the title; a click or Return goes to that time.
class ShareChart : public QWidget
{
    Q_OBJECT
public:
    explicit ShareChart(const QString& title, QWidget* parent = nullptr);

    /// `empty`: what is said where there are no parts.
    void setShares(TimeShares shares, const QString& empty);
    const TimeShares& shares() const { return m_shares; }
    /// Where the columns stand.
    QRectF plot() const;
    /// Height of a share over the ground of the plot, in pixels.
    double heightOf(double share) const { return share / m_top * plot().height(); }
    QColor colorOf(std::size_t part) const;
    /// Time and shares at the mark; empty without one.
    QString reading() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void timeActivated(qint64 ps);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void setMark(std::optional<std::size_t> column);
    void say();
    std::optional<std::size_t> columnAt(const QPointF& position) const;
    void paintAxes(QPainter& painter) const;
    void paintColumns(QPainter& painter) const;
    void paintHead(QPainter& painter) const;

    QString m_title;
    QString m_empty;
    QString m_said; ///< For who cannot see it: what there is, without a mark.
    TimeShares m_shares;
    double m_top = 1; ///< Share at the upper end.
    std::optional<std::size_t> m_mark;
    Theme m_theme;
};

} // namespace fabricscope
