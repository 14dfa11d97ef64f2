#include "widgets/programs/operationtransport.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/programs/operationplayer.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

namespace fabricscope {

ProgramTransport::ProgramTransport(ProgramPlayer* player, QWidget* parent) : TransportBar(tr("Steps of the program"), 44, parent), m_player(player)
{
    addFirst({tr("Before the first step"), tr("Alt+Home")});
    addBack({tr("One step back"), tr("Left")});
    addForward({tr("One step forward"), tr("Right")});
    addLast({tr("After the last step"), tr("Alt+End")});
    row()->addSpacing(6);
    addStep();
    addSlider(tr("Step of the program"));
    m_transfers = addSecondary();
    connect(firstButton(), &QToolButton::clicked, player, &ProgramPlayer::first);
    connect(backButton(), &QToolButton::clicked, player, &ProgramPlayer::back);
    connect(forwardButton(), &QToolButton::clicked, player, &ProgramPlayer::forward);
    connect(lastButton(), &QToolButton::clicked, player, &ProgramPlayer::last);
    connect(slider(), &QSlider::valueChanged, this, [this](int value) { m_player->setStep(value - 1); });
    connect(player, &ProgramPlayer::replayChanged, this, &ProgramTransport::refresh);
    connect(player, &ProgramPlayer::stepChanged, this, &ProgramTransport::refresh);
    followTheme(this, &ProgramTransport::setTheme);
    refresh();
}

void ProgramTransport::resizeEvent(QResizeEvent*)
{
    m_transfers->setVisible(width() >= theme().scaled(350)); // The drawing has their arrows.
}

void ProgramTransport::refresh()
{
    const int steps = m_player->steps();
    const int at = m_player->step();
    const QSignalBlocker blocker(slider());
    slider()->setRange(0, steps);
    slider()->setValue(at + 1);
    setEnabled(steps > 0);
    firstButton()->setEnabled(at >= 0);
    backButton()->setEnabled(at >= 0);
    forwardButton()->setEnabled(at + 1 < steps);
    lastButton()->setEnabled(at + 1 < steps);
    step()->setText(steps == 0 ? tr("No steps") : at < 0 ? tr("Start") : tr("Step %1 of %2").arg(at + 1).arg(steps));
    const std::size_t transfers = at >= 0 ? m_player->replay()->transfersOf(at).size() : 0;
    m_transfers->setText(steps == 0 ? QString() : transfers == 1 ? tr("1 transfer") : tr("%1 transfers").arg(texts::count(static_cast<qint64>(transfers))));
}

} // namespace fabricscope
