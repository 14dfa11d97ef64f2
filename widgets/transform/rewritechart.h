#pragma once

#include "widgets/base/theme.h"
#include "widgets/transform/rewritelanes.h"

#include <QWidget>

#include <memory>
#include <utility>
#include <vector>

namespace fabricscope {

/// A program before and after on one axis of time: what is computed, what is sent beside it, what is waited for. Left and Right walk through what runs, Up and Down
/// through lanes; the wheel, W and S zoom, A and D pan, Ctrl+0 shows all.
class RewriteChart : public QWidget
{
    Q_OBJECT
public:
    explicit RewriteChart(QWidget* parent = nullptr);

    /// Null: `why` is said instead.
    void setLanes(std::shared_ptr<const RewriteLanes> before, std::shared_ptr<const RewriteLanes> after, const QString& why = {});
    /// Bars of this stage are framed.
    void setStage(const QString& stage);

    /// A lane of one of both: 0 before, 1 after. In widget coordinates.
    QRectF laneRect(int side, int lane) const;
    QRectF barRect(int side, int lane, int bar) const;
    /// Kinds that are drawn, for the legend.
    std::vector<Activity> kinds() const;
    QString footText() const;
    int heightForAll() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void stageChosen(const QString& stage);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void setTheme(const Theme& theme);
    const RewriteLanes& side(int number) const { return number == 0 ? *m_before : *m_after; }
    double sideTop(int number) const;
    double nameWidth() const;
    QRectF plot() const;
    double xOf(SimTime time) const;
    SimTime longest() const;
    void showRange(double begin, double end);
    void setCurrent(int side, int lane, int bar);
    bool moveCurrent(int key);
    void paintAxis(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;
    void paintSide(QPainter& painter, int number) const;
    void paintSpans(QPainter& painter, const QRectF& lane, const std::vector<LaneSpan>& spans, bool hatch) const;
    void paintBar(QPainter& painter, const QRectF& bar, const LaneBar& what, bool current) const;
    void paintGain(QPainter& painter) const;
    void describe();

    std::shared_ptr<const RewriteLanes> m_before;
    std::shared_ptr<const RewriteLanes> m_after;
    QString m_why;
    QString m_stage;
    double m_begin = 0; ///< Shown part, as shares of the longer program.
    double m_end = 1;
    int m_side = -1;
    int m_lane = 0;
    int m_bar = 0;
    Theme m_theme;
};

} // namespace fabricscope
