#pragma once

#include "widgets/base/theme.h"
#include "widgets/timeline/playback.h"

#include <QWidget>

#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QToolButton;

namespace fabricscope {

class TimelineView;

/// The strip above a timeline that plays its run: back, play, forward, where the time cursor stands, speed. It shows itself when playing begins; Esc and Close
/// take it away with the cursor, and give the keyboard back to the timeline.
class TimelinePlaybackBar : public QWidget
{
    Q_OBJECT
public:
    explicit TimelinePlaybackBar(TimelineView* view, QWidget* parent = nullptr);

    TimelinePlayback& playback() { return m_playback; }
    /// "6.200 ms of 12.824 ms"; empty without a cursor.
    QString state() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QToolButton* addButton(const QString& iconName, const QString& text, const QString& tip);
    void showPlaying(bool playing);
    void showTime();
    void leave();

    TimelineView* m_view;
    TimelinePlayback m_playback;
    QToolButton* m_play = nullptr;
    QLabel* m_time;
    QComboBox* m_speed;
    Theme m_theme;
    std::vector<std::pair<QToolButton*, QString>> m_buttons; ///< With their icons.
};

} // namespace fabricscope
