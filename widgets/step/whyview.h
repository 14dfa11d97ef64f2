#pragma once

#include "core/step/collectivereplay.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <vector>

class QGridLayout;
class QLabel;
class QPainter;

namespace fabricscope {

class StepPlayer;

/// Takes the time of the selected move apart: stacked bar, a row per part, and their sum. Shown in ns with three decimals, which is exact:
/// the shown parts add up to the shown sum.
class MoveWhyPanel : public QWidget
{
    Q_OBJECT
public:
    explicit MoveWhyPanel(QWidget* parent = nullptr);

    void setPlayer(StepPlayer* player);

    /// State of the move at the time of the player, for a chip: "in flight".
    QString stateText() const;

signals:
    void stateChanged();
    /// The time of the move is to be shown on the timeline.
    void showOnTimelineRequested();

private:
    void setTheme(const Theme& theme);

    class Bar;
    class Mark;
    /// One row as shown.
    struct Row {
        enum class Kind { Waiting, Sending, Latency, Reduction };
        Kind kind = Kind::Waiting;
        QString label;
        QString value; ///< Nanoseconds.
        std::int64_t ps = 0;
    };
    void refresh();
    QString title() const;   ///< "37 → 101, chunk part 3".
    QString span() const;    ///< "97.372 to 228.201 µs".
    QString sumText() const; ///< "130 829.120 ns".
    static void paintPart(QPainter& painter, const QRectF& rect, Row::Kind kind, const Theme& theme, const QColor& phase);

    StepPlayer* m_player = nullptr;
    Theme m_theme;
    std::vector<Row> m_rows;
    QLabel* m_title;
    QLabel* m_span;
    Bar* m_bar;
    std::vector<Mark*> m_marks;
    std::vector<QLabel*> m_labels;
    std::vector<QLabel*> m_values;
    QLabel* m_sumLabel;
    QLabel* m_sum;
    QLabel* m_note;
    QLabel* m_empty;
    QWidget* m_content;
};

} // namespace fabricscope
