#pragma once

#include "widgets/theme.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;
class QToolButton;

namespace fabricscope {

class StepPlayer;

/// The bar that moves through a collective: first, back, play, forward, last, where it stands, speed, stop at each step, and a slider
/// over the time of the chunk.
class StepTransport : public QWidget
{
    Q_OBJECT
public:
    explicit StepTransport(StepPlayer* player, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    QToolButton* firstButton() const { return m_first; }
    QToolButton* backButton() const { return m_back; }
    QPushButton* playButton() const { return m_play; }
    QToolButton* forwardButton() const { return m_forward; }
    QToolButton* lastButton() const { return m_last; }
    QComboBox* speedBox() const { return m_speed; }
    QToolButton* stopButton() const { return m_stop; }
    QSlider* slider() const { return m_slider; }
    QString stepText() const; ///< "Step 4 of 8".
    QString timeText() const; ///< "180.0 µs of 582.2 µs".

    static constexpr int kSliderSteps = 10'000;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void loadSpeeds();
    void refresh();

    StepPlayer* m_player;
    Theme m_theme;
    QToolButton* m_first;
    QToolButton* m_back;
    QPushButton* m_play;
    QToolButton* m_forward;
    QToolButton* m_last;
    QLabel* m_step;
    QLabel* m_time;
    QComboBox* m_speed;
    QToolButton* m_stop;
    QSlider* m_slider;
    bool m_compact = false; ///< Little width: short texts.
};

} // namespace fabricscope
