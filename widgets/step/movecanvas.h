#pragma once

#include "widgets/step/moveroutes.h"
#include "widgets/step/nodelayout.h"
#include "widgets/step/playerview.h"

#include <QImage>

#include <vector>

namespace fabricscope {

/// A move under way with its place on the canvas.
struct StepToken {
    std::uint32_t move = 0;
    QPointF at;
    MoveProgress progress;
};

/// The group of a collective with the links it uses: NPUs with what they hold, chunk tokens on their way at the time of the player,
/// the selected move as a dashed arrow. A click selects an NPU or a move; Up, Down and the others with Ctrl go between NPUs, `.` and `,`
/// between the moves of the step.
class StepCanvas : public PlayerView
{
    Q_OBJECT
public:
    explicit StepCanvas(QWidget* parent = nullptr);

    const StepLayout& stepLayout();
    /// Links the moves of the current step use, ascending.
    const std::vector<LinkId>& activeLinks();
    /// Moves under way that are drawn as tokens; a message that waits behind another one at the same place is not.
    std::vector<StepToken> tokens();
    bool tokensAreDots(const std::vector<StepToken>& shown) const;
    void selectPosition(int position);

    /// "12 of 16" or "4 parts", and how far that is.
    struct Holding {
        double share = 0;
        bool complete = false; ///< The part it owns is complete; counts parts from then on.
        QString text;
    };
    Holding holding(int position) const;

    QSize sizeHint() const override { return {690, 460}; }
    QSize minimumSizeHint() const override { return {300, 160}; }

    static constexpr std::size_t kMaxTokens = 200; ///< More are drawn as dots.

signals:
    /// -1: none.
    void positionSelected(int position);

protected:
    void follow(StepPlayer& player) override;
    void themeChanged() override;
    QString tipAt(const QPoint& position) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void reset();
    void stepHasChanged();
    void describe();
    void layoutNow();
    void drawBase(QPainter& painter);
    const QColor stepColor() const;

    StepLayout m_layout;
    bool m_layoutValid = false;
    std::vector<LinkId> m_usedLinks;
    bool m_usedLinksValid = false;
    std::vector<LinkId> m_activeLinks;
    bool m_activeLinksValid = false;
    std::vector<PartIndex> m_ownPart; ///< By position; -1: none.
    QImage m_base;
    bool m_baseValid = false;
    int m_position = -1;
};

} // namespace fabricscope
