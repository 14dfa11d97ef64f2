#pragma once

#include "widgets/step/transportbar.h"

class QComboBox;
class QPushButton;

namespace fabricscope {

class StepPlayer;

/// The bar that moves through a collective: first, back, play, forward, last, where it stands, speed, stop at each step, and a slider
/// over the time of the chunk.
class StepTransport : public TransportBar
{
    Q_OBJECT
public:
    explicit StepTransport(StepPlayer* player, QWidget* parent = nullptr);

    static constexpr int kSliderSteps = 10'000;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void loadSpeeds();
    void refresh();

    StepPlayer* m_player;
    QPushButton* m_play;
    QLabel* m_time;
    QComboBox* m_speed;
    QToolButton* m_stop;
    bool m_compact = false; ///< Little width: short texts.
};

} // namespace fabricscope
