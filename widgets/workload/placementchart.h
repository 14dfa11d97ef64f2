#pragma once

#include "core/draw/drawing.h"
#include "core/report/placementfigures.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace fabricscope {

/// One picture of a placement: ratios by kind of device, the program as stages over time, or what it is compared with. Of the stages Left and Right, Home and End
/// walk, a click chooses, Escape drops.
class PlacementChart : public QWidget
{
    Q_OBJECT
public:
    enum class Kind : std::uint8_t { Ratios, Stages, Programs };

    explicit PlacementChart(Kind kind, QWidget* parent = nullptr);

    /// Null: nothing is drawn.
    void setFigures(std::shared_ptr<const PlacementFigures> figures);
    /// Index among stagesOf(); -1: none. Does not signal.
    void setCurrentStage(int stage);
    int currentStage() const { return m_current; }
    int stageCount() const { return static_cast<int>(m_stages.size()); }
    /// In widget coordinates. \pre kind is Stages, 0 <= stage < stageCount()
    QRectF stagePlace(int stage) const;
    /// As painted at this size.
    Drawing drawing() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void stageChosen(int stage);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void choose(int stage);
    void describe();
    double scale() const { return m_theme.basePixels() / kDrawnBase; }
    Drawing drawingOf(double width) const;

    static constexpr double kDrawnBase = 13; ///< Pixels of letters for which lengths of drawings are meant.

    Kind m_kind;
    std::shared_ptr<const PlacementFigures> m_figures;
    std::vector<PlacedStage> m_stages;
    int m_current = -1;
    Theme m_theme;
};

} // namespace fabricscope
