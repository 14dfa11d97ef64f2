#pragma once

#include "core/run/rundesign.h"
#include "widgets/base/theme.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace fabricscope {

class CardLines;
class PartsBar;

/// What a card says of one design.
struct CardContent {
    std::size_t number = 0;
    QString name;
    RunResultPtr run;            ///< Null: it could not be run, for the reason in `message`.
    QString message;
    RunResultPtr baseline;       ///< Null: this is the baseline.
    SimTime longest;             ///< Of all cards: their bars are to one scale.
    QStringList fields;          ///< What differs from the baseline, "bandwidth 50 GB/s".
    bool current = false;        ///< The result of the design that is open; it has no button to remove it.
};

/// One of the designs that are compared: letter, name, time, change, what differs, its parts.
class CompareCard : public QFrame
{
    Q_OBJECT
public:
    explicit CompareCard(QWidget* parent = nullptr);

    void setContent(const CardContent& content);
    QString timeText() const;
    QString changeText() const;

signals:
    void baselineWanted(std::size_t number);
    void removalWanted(std::size_t number);

private:
    void setTheme(const Theme& theme);
    void setFigures(const CardContent& content);

    QLabel* m_letter;
    QLabel* m_name;
    QLabel* m_time;
    QLabel* m_change;
    CardLines* m_fields;
    PartsBar* m_bar;
    QHBoxLayout* m_scale;
    QToolButton* m_baseline;
    QToolButton* m_remove;
    std::size_t m_number = 0;
};

} // namespace fabricscope
