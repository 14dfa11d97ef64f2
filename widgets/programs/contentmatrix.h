#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

namespace fabricscope {

class ProgramPlayer;

/// Who holds what when the step on show is over: a row per rank, a column per chunk of its buffers. Filled from the bottom by contributions,
/// with a tick where the collective asks for just that, those the step has written framed. More than 64 rows or columns become blocks with their mean.
class ProgramMatrix : public QWidget
{
    Q_OBJECT
public:
    static constexpr int kMostCells = 64;
    /// A program of more places is not looked through at every step.
    static constexpr std::uint32_t kMostPlaces = 4'000'000;

    explicit ProgramMatrix(QWidget* parent = nullptr);

    void setPlayer(ProgramPlayer* player);

    int rows() const;
    int columns() const;
    /// "Rank 3, chunk i5: 2 of 8 contributions".
    QString cellText(int row, int column) const;
    QRectF cellRect(int row, int column) const;

    QSize minimumSizeHint() const override { return {200, 120}; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    struct Cell {
        double share = 0;       ///< Of the contributions of a complete chunk.
        bool exists = false;
        bool complete = false;
        bool changed = false;
        int contributions = -1; ///< Of a single chunk.
    };

    bool isShown() const;
    void refresh();
    Cell cell(int row, int column) const;
    int wanted() const; ///< Contributions of a complete chunk.
    double bufferGap(int column) const;
    double side() const;
    QPointF origin() const;
    QPoint cellAt(const QPointF& point) const;
    void setFocusedCell(QPoint cell);

    ProgramPlayer* m_player = nullptr;
    Theme m_theme;
    int m_ranksPerRow = 1;
    int m_chunksPerColumn = 1;
    QPoint m_focus;
};

} // namespace fabricscope
