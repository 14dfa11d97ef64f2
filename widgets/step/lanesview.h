#pragma once

#include "core/step/collectivereplay.h"
#include "widgets/step/playerview.h"
#include "widgets/timeline/geometry.h"

#include <QColor>

#include <vector>

namespace fabricscope {

/// What happens over the time of a chunk: a lane per dimension with its steps, one for the link on which the selected move leaves, one for
/// what its target receives. A click or drag sets the time; Page Up and Page Down go by a hundredth.
class StepLanes : public PlayerView
{
    Q_OBJECT
public:
    explicit StepLanes(QWidget* parent = nullptr);

    struct Span {
        std::int64_t beginPs = 0;
        std::int64_t endPs = 0;
        QString text;
        QColor color;
        int step = -1;      ///< >= 0: a step of the chunk.
        bool other = false; ///< Of another chunk.
        bool marked = false;
        bool tick = false;  ///< Drawn at least 2 px wide, without a text.
    };
    struct Lane {
        QString label;
        std::vector<Span> spans;
    };
    const std::vector<Lane>& lanes() const { return m_lanes; }
    double xOf(std::int64_t ps) const;
    std::int64_t timeAt(double x) const;

    QSize sizeHint() const override { return {690, theme().scaled(112)}; }
    QSize minimumSizeHint() const override;

protected:
    void follow(StepPlayer& player) override;
    void themeChanged() override;
    QString tipAt(const QPoint& position) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void rebuild();
    void addDimensions();
    void addSourceLink();
    void addTarget();
    void layoutTime();
    void describe();
    QString linkText(LinkId link) const;
    QRectF laneRect(int lane) const;
    void paintLane(QPainter& painter, int lane);

    TimelineGeometry m_geometry; ///< Times since the start of the collective.
    std::vector<Lane> m_lanes;
};

} // namespace fabricscope
