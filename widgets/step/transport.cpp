#include "widgets/step/transport.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/step/movetexts.h"
#include "widgets/step/player.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QToolButton>

#include <cmath>

namespace fabricscope {

StepTransport::StepTransport(StepPlayer* player, QWidget* parent) : TransportBar(tr("Transport"), 48, parent), m_player(player)
{
    addFirst({tr("First step"), tr("Home")});
    addBack({tr("One step back"), tr("Left")});
    m_play = new QPushButton;
    m_play->setProperty("primary", true);
    row()->addWidget(m_play);
    addForward({tr("One step forward"), tr("Right")});
    addLast({tr("Last step, everything arrived"), tr("End")});
    row()->addSpacing(8);
    addStep();
    row()->addSpacing(4);
    m_time = addSecondary();
    addSlider(tr("Time in the collective"));
    slider()->setRange(0, kSliderSteps);
    connect(firstButton(), &QToolButton::clicked, player, &StepPlayer::first);
    connect(backButton(), &QToolButton::clicked, player, &StepPlayer::back);
    connect(m_play, &QPushButton::clicked, player, &StepPlayer::togglePlay);
    connect(forwardButton(), &QToolButton::clicked, player, &StepPlayer::forward);
    connect(lastButton(), &QToolButton::clicked, player, &StepPlayer::last);
    m_speed = new QComboBox;
    m_speed->setAccessibleName(tr("Speed"));
    m_speed->setProperty("setting", true);
    m_speed->setToolTip(tr("Simulated time per second"));
    row()->addWidget(m_speed);
    m_stop = new QToolButton;
    m_stop->setCheckable(true);
    m_stop->setText(tr("Stop at each step"));
    m_stop->setAccessibleName(m_stop->text());
    row()->addWidget(m_stop);

    connect(slider(), &QSlider::valueChanged, this, [this](int value) {
        const double span = static_cast<double>(m_player->endPs() - m_player->beginPs());
        m_player->setTime(m_player->beginPs() + std::llround(span * value / kSliderSteps));
    });
    connect(slider(), &QSlider::sliderPressed, m_player, &StepPlayer::pause);
    connect(m_speed, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index >= 0)
            m_player->setSpeed(m_speed->itemData(index).toDouble());
    });
    connect(m_stop, &QToolButton::toggled, m_player, &StepPlayer::setStopAtSteps);
    connect(player, &StepPlayer::replayChanged, this, [this] {
        loadSpeeds();
        refresh();
    });
    connect(player, &StepPlayer::stepChanged, this, &StepTransport::refresh);
    connect(player, &StepPlayer::timeChanged, this, &StepTransport::refresh);
    connect(player, &StepPlayer::playingChanged, this, &StepTransport::refresh);
    m_speed->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    followTheme(this, &StepTransport::setTheme);
    loadSpeeds();
}

void StepTransport::resizeEvent(QResizeEvent*)
{
    // The title says the step and the lanes the time, too.
    m_time->setVisible(width() >= theme().scaled(570));
    step()->setVisible(width() >= theme().scaled(490));
    // Home and End, the slider and the storyboard lead there, too.
    for (QWidget* end : {firstButton(), lastButton()})
        end->setVisible(width() >= theme().scaled(350));
    const bool compact = width() < theme().scaled(720);
    if (compact == m_compact)
        return;
    m_compact = compact;
    m_stop->setText(compact ? tr("Stop") : tr("Stop at each step"));
    m_stop->setToolTip(compact ? tr("Stop at each step") : QString());
    loadSpeeds();
    refresh();
}

void StepTransport::setTheme(const Theme& theme)
{
    TransportBar::setTheme(theme);
    const int size = theme.scaled(16);
    m_play->setIconSize(QSize(size, size));
    m_play->setFixedSize(theme.scaled(36), theme.scaled(28));
    // A primary button's padding would leave no room for the icon.
    m_play->setStyleSheet(QStringLiteral("padding: 0; min-height: 0;"));
    step()->setMinimumWidth(QFontMetrics(step()->font()).horizontalAdvance(tr("Step %1 of %2").arg(88).arg(88)));
    refresh();
}

void StepTransport::loadSpeeds()
{
    const QSignalBlocker blocker(m_speed);
    m_speed->clear();
    for (const double speed : m_player->speeds()) {
        const SimTime perSecond{std::llround(speed)};
        const double mantissa = speed / std::pow(10.0, std::floor(std::log10(speed)));
        const bool half = std::abs(mantissa - 2.5) < 0.01 && texts::timeIn(perSecond, perSecond, 1).startsWith(texts::number(2.5, 1));
        m_speed->addItem((m_compact ? tr("%1/s") : tr("%1 per second")).arg(texts::timeIn(perSecond, perSecond, half ? 1 : 0)), speed);
        if (speed == m_player->speed())
            m_speed->setCurrentIndex(m_speed->count() - 1);
    }
    if (m_speed->currentIndex() >= 0)
        m_player->setSpeed(m_speed->currentData().toDouble());
}

void StepTransport::refresh()
{
    const bool any = m_player->step() >= 0;
    for (QWidget* widget : std::initializer_list<QWidget*>{firstButton(), backButton(), m_play, forwardButton(), lastButton(), slider(), m_speed, m_stop})
        widget->setEnabled(any);
    const bool playing = m_player->isPlaying();
    m_play->setIcon(steppaint::icon(playing ? steppaint::Icon::Pause : steppaint::Icon::Play, theme().color(Role::OnAccent), theme().scaled(16)));
    m_play->setAccessibleName(playing ? tr("Pause") : tr("Play"));
    m_play->setToolTip(tr("%1 (%2)").arg(m_play->accessibleName(), tr("Space")));
    m_time->setMinimumWidth(QFontMetrics(theme().font(TextStyle::Body)).horizontalAdvance(m_compact ? QStringLiteral("888.8 µs") : tr("%1 of %2").arg(QStringLiteral("888.8 µs"), QStringLiteral("888.8 µs"))));
    step()->setText(any ? tr("Step %1 of %2").arg(m_player->step() + 1).arg(m_player->stepCount()) : tr("No step"));
    const qint64 all = m_player->endPs() - m_player->originPs();
    const QString now = steptexts::moment(m_player->timePs() - m_player->originPs(), all);
    m_time->setText(!any ? QString() : m_compact ? now : tr("%1 of %2").arg(now, steptexts::moment(all, all)));
    const QSignalBlocker blocker(slider());
    const double span = static_cast<double>(m_player->endPs() - m_player->beginPs());
    slider()->setValue(span > 0 ? static_cast<int>(std::llround(static_cast<double>(m_player->timePs() - m_player->beginPs()) / span * kSliderSteps)) : 0);
}

} // namespace fabricscope
