#include "widgets/timeline/playbackbar.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/icons.h"
#include "widgets/base/texts.h"
#include "widgets/timeline/view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>

namespace fabricscope {

TimelinePlaybackBar::TimelinePlaybackBar(TimelineView* view, QWidget* parent)
    : QWidget(parent), m_view(view), m_playback(view), m_time(new QLabel(this)), m_speed(new QComboBox(this))
{
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Playback"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(6);
    QToolButton* back = addButton(QStringLiteral("back"), tr("Cursor back"), tr("Cursor back (Left in the timeline)"));
    m_play = addButton(QStringLiteral("play"), tr("Play"), {});
    QToolButton* forward = addButton(QStringLiteral("forward"), tr("Cursor forward"), tr("Cursor forward (Right in the timeline)"));
    for (QToolButton* button : {back, m_play, forward})
        row->addWidget(button);
    m_time->setProperty("role", QStringLiteral("secondary"));
    m_time->setTextFormat(Qt::PlainText);
    m_time->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // Its words change with every frame: they move nothing.
    row->addWidget(m_time, 1);
    for (const double speed : TimelinePlayback::speeds()) {
        m_speed->addItem(texts::number(speed, speed < 1 ? 2 : 0) + QChar(0xD7), speed);
        if (speed == m_playback.speed())
            m_speed->setCurrentIndex(m_speed->count() - 1);
    }
    m_speed->setAccessibleName(tr("Speed of playback"));
    m_speed->setProperty("setting", true);
    m_speed->setToolTip(tr("At 1× what is on show takes %1 s").arg(texts::number(TimelinePlayback::kSeconds, 0)));
    row->addWidget(m_speed);
    auto* close = new QToolButton(this);
    close->setText(tr("Whole run"));
    close->setProperty("flat", true);
    close->setToolTip(tr("Take the time cursor away: links show the whole run again (Esc)"));
    row->addWidget(close);
    connect(back, &QToolButton::clicked, &m_playback, &TimelinePlayback::back);
    connect(m_play, &QToolButton::clicked, &m_playback, &TimelinePlayback::togglePlay);
    connect(forward, &QToolButton::clicked, &m_playback, &TimelinePlayback::forward);
    connect(close, &QToolButton::clicked, this, &TimelinePlaybackBar::leave);
    connect(m_speed, &QComboBox::currentIndexChanged, this, [this] { m_playback.setSpeed(m_speed->currentData().toDouble()); });
    connect(&m_playback, &TimelinePlayback::playingChanged, this, &TimelinePlaybackBar::showPlaying);
    connect(m_view, &TimelineView::timeCursorChanged, this, &TimelinePlaybackBar::showTime);
    followTheme(this, &TimelinePlaybackBar::setTheme);
    hide();
}

QToolButton* TimelinePlaybackBar::addButton(const QString& iconName, const QString& text, const QString& tip)
{
    auto* button = new QToolButton(this);
    button->setProperty("flat", true);
    button->setAccessibleName(text);
    button->setToolTip(tip);
    m_buttons.emplace_back(button, iconName);
    return button;
}

void TimelinePlaybackBar::setTheme(const Theme& theme)
{
    m_theme = theme;
    for (const auto& [button, name] : m_buttons) {
        button->setIcon(icon(name, theme));
        button->setFixedSize(theme.scaled(24), theme.scaled(24));
    }
    showPlaying(m_playback.isPlaying());
}

void TimelinePlaybackBar::showPlaying(bool playing)
{
    if (playing)
        show();
    m_play->setIcon(icon(playing ? QStringLiteral("pause") : QStringLiteral("play"), m_theme));
    m_play->setAccessibleName(playing ? tr("Pause") : tr("Play"));
    m_play->setToolTip(tr("%1 (P in the timeline)").arg(m_play->accessibleName()));
}

void TimelinePlaybackBar::showTime()
{
    if (!m_view->timeCursor())
        hide(); // Wherever it was taken away.
    m_time->setText(state());
}

QString TimelinePlaybackBar::state() const
{
    if (!m_view->timeCursor() || !m_view->source())
        return {};
    const SimTime finish = m_view->source()->finish();
    return tr("%1 of %2").arg(texts::timeIn(SimTime{*m_view->timeCursor()}, finish, 3), texts::time(finish));
}

void TimelinePlaybackBar::leave()
{
    m_view->setFocus();
    m_view->setTimeCursor(std::nullopt);
}

void TimelinePlaybackBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        leave();
    else
        QWidget::keyPressEvent(event);
}

} // namespace fabricscope
