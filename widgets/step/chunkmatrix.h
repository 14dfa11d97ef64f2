#pragma once

#include "core/step/collectivereplay.h"
#include "widgets/step/playerview.h"

namespace fabricscope {

/// Who holds what: a row per rank of the group, a column per part of the chunk, at the time of the player.
///
/// Passed on: a dot. Partial: filled from the bottom by contributions, with their number where the rank will own the part. Complete: full
/// with a tick. The selected move's source is framed dashed, its target solid. Up to 64 x 64 cells, fewer where there
/// is no room for as many; beyond, rows and columns are taken together and show the mean share, and the legend says how many. Arrow keys move the focused cell, Enter selects the move of the step that carries it.
class OwnershipMatrix : public PlayerView
{
    Q_OBJECT
public:
    explicit OwnershipMatrix(QWidget* parent = nullptr);

    enum class Look { Empty, PassedOn, Partial, Complete };
    /// One drawn cell: a rank and part, or a block of them.
    struct Cell {
        Look look = Look::Empty;
        double share = 0;          ///< Contributions of what is complete, 0..1; the mean of a block.
        std::int32_t number = -1;  ///< Shown contributions; -1: none.
    };
    int rows() const;
    int columns() const;
    Cell cell(int row, int column) const;
    /// "NPU 101, part 3: 8 of 16 contributions".
    QString cellText(int row, int column) const;
    QRectF cellRect(int row, int column) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {240, 140}; }

    static constexpr int kMaxCells = 64; ///< In a row or column.

protected:
    void follow(StepPlayer& player) override;
    void themeChanged() override;
    QString tipAt(const QPoint& position) override;
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void reset();
    void takeTogether();
    QPointF cellsFrom() const;
    void layoutCells();
    void paintCells(QPainter& painter);
    void paintCaptions(QPainter& painter);
    void paintFrames(QPainter& painter);
    void paintLegend(QPainter& painter);
    QPoint cellAt(const QPointF& position) const; ///< (-1, -1): none.
    void selectMoveOf(QPoint cell);
    void setFocusedCell(QPoint cell); ///< x: column, y: row.
    QString rowName(int row) const;
    double rowGap(int row) const;

    int m_ranksPerRow = 1;
    int m_partsPerColumn = 1;
    int m_pod = 0;             ///< Rows between gaps; 0: none.
    double m_side = 22;
    QPointF m_origin;
    QPoint m_focus{0, 0};      ///< Column and row,
    QPoint m_focused{0, 0};    ///< and the part and rank they were chosen for, which stay when more or fewer are taken together.
    bool m_layoutValid = false;
};

} // namespace fabricscope
