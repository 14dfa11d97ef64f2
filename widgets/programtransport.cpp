#include "widgets/programtransport.h"

#include "widgets/programplayer.h"
#include "widgets/steppaint.h"
#include "widgets/texts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

namespace fabricscope {

ProgramTransport::ProgramTransport(ProgramPlayer* player, QWidget* parent) : QWidget(parent), m_player(player)
{
    setAccessibleName(tr("Steps of the program"));
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(6);
    const auto button = [&](const QString& name, const QString& shortcut, auto method) {
        auto* made = new QToolButton;
        made->setProperty("flat", true);
        made->setAccessibleName(name);
        made->setToolTip(tr("%1 (%2)").arg(name, shortcut));
        connect(made, &QToolButton::clicked, m_player, method);
        row->addWidget(made);
        return made;
    };
    m_first = button(tr("Before the first step"), tr("Home"), &ProgramPlayer::first);
    m_back = button(tr("One step back"), tr("Left"), &ProgramPlayer::back);
    m_forward = button(tr("One step forward"), tr("Right"), &ProgramPlayer::forward);
    m_last = button(tr("After the last step"), tr("End"), &ProgramPlayer::last);
    row->addSpacing(6);
    m_step = new QLabel;
    row->addWidget(m_step);
    m_slider = new QSlider(Qt::Horizontal);
    m_slider->setAccessibleName(tr("Step of the program"));
    m_slider->setMinimumWidth(40);
    row->addWidget(m_slider, 1);
    m_transfers = new QLabel;
    m_transfers->setProperty("role", QStringLiteral("secondary"));
    row->addWidget(m_transfers);
    connect(m_slider, &QSlider::valueChanged, this, [this](int value) { m_player->setStep(value - 1); });
    connect(player, &ProgramPlayer::replayChanged, this, &ProgramTransport::refresh);
    connect(player, &ProgramPlayer::stepChanged, this, &ProgramTransport::refresh);
    setTheme(Theme());
    refresh();
}

void ProgramTransport::setTheme(const Theme& theme)
{
    setFixedHeight(theme.scaled(44));
    m_step->setFont(theme.font(TextStyle::BodyStrong));
    const QColor ink = theme.color(Role::Text);
    const int size = theme.scaled(16);
    const std::pair<QToolButton*, steppaint::Icon> icons[] = {
        {m_first, steppaint::Icon::First}, {m_back, steppaint::Icon::Back}, {m_forward, steppaint::Icon::Forward}, {m_last, steppaint::Icon::Last}};
    for (const auto& [button, icon] : icons) {
        button->setIcon(steppaint::icon(icon, ink, size));
        button->setIconSize({size, size});
        button->setFixedSize(theme.scaled(28), theme.scaled(28));
    }
}

QString ProgramTransport::stepText() const
{
    return m_step->text();
}

void ProgramTransport::refresh()
{
    const int steps = m_player->steps();
    const int step = m_player->step();
    const QSignalBlocker blocker(m_slider);
    m_slider->setRange(0, steps);
    m_slider->setValue(step + 1);
    setEnabled(steps > 0);
    m_first->setEnabled(step >= 0);
    m_back->setEnabled(step >= 0);
    m_forward->setEnabled(step + 1 < steps);
    m_last->setEnabled(step + 1 < steps);
    m_step->setText(steps == 0 ? tr("No steps") : step < 0 ? tr("Start") : tr("Step %1 of %2").arg(step + 1).arg(steps));
    const std::size_t transfers = step >= 0 ? m_player->replay()->transfersOf(step).size() : 0;
    m_transfers->setText(steps == 0 ? QString() : transfers == 1 ? tr("1 transfer") : tr("%1 transfers").arg(texts::count(static_cast<qint64>(transfers))));
}

} // namespace fabricscope
