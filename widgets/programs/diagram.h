#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

namespace fabricscope {

class ProgramPlayer;

/// A program as a grid: a row per rank, a column per step, an arrow per transfer. The step on show is shaded, later ones are faint. The
/// arrow of the line the cursor of the text is in is drawn bold. Steps that do not fit are scrolled to.
///
/// Click or Left and Right choose a step, a click on an arrow tells its line. Above kMostArrows only the step on show is drawn.
class ProgramDiagram : public QWidget
{
    Q_OBJECT
public:
    static constexpr std::size_t kMostArrows = 20'000;

    explicit ProgramDiagram(QWidget* parent = nullptr);

    void setPlayer(ProgramPlayer* player);

    /// Of a step that is in view.
    QRectF columnRect(int step) const;
    double rowY(int rank) const;
    /// Transfer near a point of the widget; nothing: none.
    std::optional<std::uint32_t> transferAt(const QPointF& point) const;
    /// "2 → 3, chunk i5, 3 contributions, line 12".
    QString transferText(std::uint32_t operation) const;
    /// How many steps fit.
    int stepsInView() const;

    QSize minimumSizeHint() const override { return {260, 160}; }
    QSize sizeHint() const override { return {700, 420}; }

signals:
    /// A transfer was clicked or chosen by Enter.
    void operationActivated(quint32 operation);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void reset();
    void showStep();
    void describe();
    double labelWidth() const;
    double headHeight() const;
    double columnWidth() const;
    double rowHeight() const;
    void paintGrid(QPainter& painter);
    void paintTransfers(QPainter& painter, int step, bool faint);
    void paintLocals(QPainter& painter, int step);
    QLineF lineOf(std::uint32_t operation, int step) const;

    ProgramPlayer* m_player = nullptr;
    Theme m_theme;
    int m_first = 0;
    std::vector<std::vector<std::int32_t>> m_localRanks; ///< By step: ranks with work that is no message. Empty where there are too many.
};

} // namespace fabricscope
