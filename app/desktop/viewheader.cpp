#include "app/desktop/viewheader.h"

#include <QHBoxLayout>
#include <QLabel>

namespace fabricscope {

ViewHeader::ViewHeader(const QString& title, QWidget* parent)
    : QWidget(parent), m_beside(new QHBoxLayout), m_controls(new QHBoxLayout), m_title(new QLabel(title, this))
{
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 8, 0);
    row->setSpacing(8);
    row->addWidget(m_title);
    m_beside->setContentsMargins(12, 0, 0, 0);
    m_beside->setSpacing(12);
    row->addLayout(m_beside);
    row->addStretch(1);
    m_controls->setSpacing(6);
    row->addLayout(m_controls);
    setTheme(Theme());
}

void ViewHeader::setTheme(const Theme& theme)
{
    setFixedHeight(theme.scaled(34));
    m_title->setFont(theme.font(TextStyle::BodyStrong));
}

void ViewHeader::setTitle(const QString& title)
{
    m_title->setText(title);
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
