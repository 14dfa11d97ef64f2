#pragma once

#include "core/insight/reconcile.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <memory>

namespace fabricscope {

/// Why two models of one design differ: both times, and a waterfall with one bar per rule from the time of the first to that of the
/// second. Up and Down walk through the rules; what the current one says stands below.
class ReconcileView : public QWidget
{
    Q_OBJECT
public:
    explicit ReconcileView(QWidget* parent = nullptr);

    /// Null: nothing to show yet.
    void setReconciliation(std::shared_ptr<const Reconciliation> result);
    const std::shared_ptr<const Reconciliation>& reconciliation() const { return m_result; }

    int rowCount() const; ///< Rules; the sum is a row of its own below them.
    int currentRow() const { return m_current; } ///< -1: none.
    void setCurrentRow(int row);
    /// Of a rule, or with rowCount() of the sum; in widget coordinates.
    QRectF rowRect(int row) const;
    /// The floating bar of a rule, or with rowCount() of the sum; at least 1.5 px wide where the value is not zero.
    QRectF barRect(int row) const;
    /// "▲ +6.881 ms"; "0" for a rule that changes nothing.
    QString valueText(int row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

Q_SIGNALS:
    void currentRowChanged(int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QString nameText(int row) const;
    QString explanationText(int row) const;
    QString deltaText(SimTime delta) const;
    SimTime from(int row) const;
    SimTime to(int row) const;
    double xOf(SimTime time) const;
    int headHeight() const;
    int rowHeight() const;
    int nameWidth() const;
    int valueWidth() const;
    int rowAt(QPointF position) const;
    QRectF explanationRect() const;
    void paintHead(QPainter& painter) const;
    void paintRow(QPainter& painter, int row) const;
    void describe();

    std::shared_ptr<const Reconciliation> m_result;
    SimTime m_low;  ///< Of all times on the way.
    SimTime m_high;
    int m_current = -1;
    Theme m_theme;
};

} // namespace fabricscope
