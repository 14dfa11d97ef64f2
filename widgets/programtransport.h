#pragma once

#include "widgets/theme.h"

#include <QWidget>

class QLabel;
class QSlider;
class QToolButton;

namespace fabricscope {

class ProgramPlayer;

/// First, back, forward, last and a slider over the steps of a program.
class ProgramTransport : public QWidget
{
    Q_OBJECT
public:
    explicit ProgramTransport(ProgramPlayer* player, QWidget* parent = nullptr);
    void setTheme(const Theme& theme);
    QString stepText() const;
    QSlider* slider() const { return m_slider; }

private:
    void refresh();

    ProgramPlayer* m_player;
    QToolButton* m_first;
    QToolButton* m_back;
    QToolButton* m_forward;
    QToolButton* m_last;
    QLabel* m_step;
    QLabel* m_transfers;
    QSlider* m_slider;
};

} // namespace fabricscope
