#include "app/desktop/viewheader.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/chip.h"

#include <QHBoxLayout>
#include <QLabel>

namespace fabricscope {

ViewHeader::ViewHeader(const QString& title, QWidget* parent)
    : QWidget(parent), m_beside(new QHBoxLayout), m_controls(new QHBoxLayout), m_title(new QLabel(title, this)), m_chip(new QLabel(this))
{
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 8, 0);
    row->setSpacing(8);
    row->addWidget(m_title);
    row->addWidget(m_chip);
    m_chip->hide();
    m_beside->setContentsMargins(12, 0, 0, 0);
    m_beside->setSpacing(12);
    row->addLayout(m_beside);
    row->addStretch(1);
    m_controls->setSpacing(6);
    row->addLayout(m_controls);
    followTheme(this, &ViewHeader::setTheme);
}

void ViewHeader::setTheme(const Theme& theme)
{
    setFixedHeight(theme.scaled(34));
    m_title->setFont(theme.font(TextStyle::BodyStrong));
    m_chip->setFixedHeight(theme.scaled(20));
}

void ViewHeader::setTitle(const QString& title)
{
    m_title->setText(title);
}

void ViewHeader::setChip(const char* kind, const QString& text, const QString& explanation)
{
    m_chip->setVisible(!text.isEmpty());
    m_chip->setToolTip(explanation);
    if (!text.isEmpty())
        fabricscope::setChip(*m_chip, kind, text);
}

QString ViewHeader::chip() const
{
    return m_chip->isHidden() ? QString() : m_chip->text();
}

void ViewHeader::addBeside(QWidget* widget)
{
    m_beside->addWidget(widget);
}

void ViewHeader::addControl(QWidget* widget)
{
    m_controls->addWidget(widget);
}

} // namespace fabricscope
