#pragma once

#include "widgets/base/theme.h"
#include "widgets/step/nodelayout.h"

#include <QLineF>
#include <QWidget>

#include <vector>

class QHBoxLayout;
class QPushButton;
class QScrollArea;

namespace fabricscope {

class StepHeader;
class StepPlayer;

/// The lines a step draws on a thumbnail of its group, in the unit square.
struct StepThumbnail {
    std::vector<QPointF> members;
    std::vector<QLineF> others; ///< Lines of the other steps.
    std::vector<QLineF> active;

    static constexpr int kMaxMembers = 256; ///< More: every n-th.
    static constexpr std::size_t kMaxLines = 600;
};

/// A card per step of the chunk: number, the links it uses on the group, its duration. Cards are buttons; the current one has a frame.
class Storyboard : public QWidget
{
    Q_OBJECT
public:
    explicit Storyboard(StepPlayer* player, QWidget* parent = nullptr);

    /// The whole storyboard as SVG: one `g` element per step and no others. The same storyboard gives the same bytes. False with a reason when the
    /// file cannot be written.
    bool exportSvg(const QString& path, QString* reason = nullptr) const;

    /// More steps than cards: every card stands for several steps.
    static constexpr int kMaxCards = 256;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void setTheme(const Theme& theme);

    class Card;
    class Legend;
    void rebuild();
    void followStep();
    void askForFile();
    std::vector<QLineF> linesOf(int step) const;
    StepThumbnail thumbnail(int step) const;
    QByteArray toSvg() const;

    StepPlayer* m_player;
    Theme m_theme;
    StepHeader* m_head;
    Legend* m_legend;
    QPushButton* m_export;
    QScrollArea* m_scroll;
    QHBoxLayout* m_row;
    std::vector<Card*> m_cards;
    std::vector<QPointF> m_places; ///< Of the members, unit square.
    std::vector<QLineF> m_allLines;
    int m_stepsPerCard = 1;
};

} // namespace fabricscope
