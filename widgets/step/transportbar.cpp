#include "widgets/step/transportbar.h"

#include "widgets/base/apptheme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QToolButton>

namespace fabricscope {

TransportBar::TransportBar(const QString& name, int height, QWidget* parent) : QWidget(parent), m_height(height), m_row(new QHBoxLayout(this))
{
    setAccessibleName(name);
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    m_row->setContentsMargins(12, 0, 12, 0);
    m_row->setSpacing(6);
}

QToolButton* TransportBar::addMove(steppaint::Icon icon, const Move& move)
{
    auto* button = new QToolButton;
    button->setProperty("flat", true);
    button->setAccessibleName(move.name);
    button->setToolTip(tr("%1 (%2)").arg(move.name, move.keys));
    m_row->addWidget(button);
    m_moves.emplace_back(button, icon);
    return button;
}

QLabel* TransportBar::addStep()
{
    m_step = new QLabel;
    m_row->addWidget(m_step);
    return m_step;
}

QLabel* TransportBar::addSecondary()
{
    auto* label = new QLabel;
    label->setProperty("role", QStringLiteral("secondary"));
    m_row->addWidget(label);
    return label;
}

void TransportBar::addSlider(const QString& name)
{
    m_slider = new QSlider(Qt::Horizontal);
    m_slider->setAccessibleName(name);
    m_slider->setMinimumWidth(40);
    m_row->addWidget(m_slider, 1);
}

void TransportBar::setTheme(const Theme& theme)
{
    m_theme = theme;
    setFixedHeight(theme.scaled(m_height));
    if (m_step)
        m_step->setFont(theme.font(TextStyle::BodyStrong));
    const int size = theme.scaled(16);
    for (const auto& [button, icon] : m_moves) {
        button->setIcon(steppaint::icon(icon, theme.color(Role::Text), size));
        button->setIconSize({size, size});
        button->setFixedSize(theme.scaled(28), theme.scaled(28));
    }
}

QString TransportBar::stepText() const
{
    return m_step ? m_step->text() : QString();
}

} // namespace fabricscope
