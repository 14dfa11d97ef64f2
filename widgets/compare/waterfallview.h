#pragma once

#include "core/insight/designset.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <memory>

namespace fabricscope {

/// Why one design takes another time than the baseline: a bar from the time before to the time after each field that differs, one carried over after
/// the other, or the mean over orders. Up and Down walk through them; the values of the current one stand below. Alt+Up, Alt+Down and dragging ask for another place.
class WaterfallView : public QWidget
{
    Q_OBJECT
public:
    explicit WaterfallView(QWidget* parent = nullptr);

    /// Path number `path` of a set. Null: `why` is said instead.
    void setPath(std::shared_ptr<const DesignSet> set, std::size_t path, const QString& why);

    int rowCount() const; ///< Fields, with the baseline above and the other design below them.
    int currentRow() const { return m_current; }
    void setCurrentRow(int row);
    /// Can the field of the current row go so many places down?
    bool canMove(int by) const;
    /// moveWanted(), where it can.
    void askToMove(int by);
    /// Of a row, in widget coordinates.
    QRectF barRect(int row) const;
    QString nameText(int row) const;
    /// As it stands there: cut where it is too wide, but told apart from the others.
    QString shownName(int row) const;
    QString changeText(int row) const;
    QString timeText(int row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void currentRowChanged();
    /// The field of this number among those of the path is to go so many places down; below 0: up. It can.
    void moveWanted(std::size_t change, int by);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void setTheme(const Theme& theme);
    const DesignPath* path() const;
    /// Null: of the two designs.
    const WaterfallItem* itemOf(int row) const;
    SimTime from(int row) const;
    SimTime to(int row) const;
    QRectF rowRect(int row) const;
    QString explanation() const;
    QString fieldsText() const;
    QFont nameFont(int row) const;
    /// The field that is dragged goes before this row; below 0: nothing is dragged, or it stays.
    int dropBefore(const QPointF& position) const;
    void paintDrop(QPainter& painter) const;
    double columnWidth() const;
    double xOf(SimTime time) const;
    void paintRow(QPainter& painter, int row) const;
    void describe();

    std::shared_ptr<const DesignSet> m_set;
    std::size_t m_path = 0;
    QString m_why;
    SimTime m_low;  ///< Left end of the axis: what all times have in common is left out.
    SimTime m_high;
    int m_current = -1;
    bool m_pressed = false; ///< On the current row.
    int m_drop = -1;        ///< dropBefore() of the drag.
    Theme m_theme;
};

} // namespace fabricscope
