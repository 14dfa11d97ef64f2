#include "widgets/base/collapsible.h"

#include "widgets/base/apptheme.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace fabricscope {

Collapsible::Collapsible(const QString& title, QWidget* parent) : QWidget(parent), m_head(new QToolButton(this)), m_headRow(new QHBoxLayout)
{
    m_head->setText(title);
    m_head->setAccessibleName(title);
    m_head->setProperty("flat", true);
    m_head->setCheckable(false);
    m_head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_head->setArrowType(Qt::DownArrow);
    m_head->setFocusPolicy(Qt::TabFocus);
    m_headRow->addWidget(m_head);
    m_headRow->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(m_headRow);
    connect(m_head, &QToolButton::clicked, this, [this] { setOpen(!isOpen()); });
    followTheme(this, &Collapsible::setTheme);
}

void Collapsible::setContent(QWidget* content)
{
    m_content = content;
    layout()->addWidget(content);
}

void Collapsible::addToHead(QWidget* widget)
{
    m_headRow->addWidget(widget);
}

bool Collapsible::isOpen() const
{
    return m_head->arrowType() == Qt::DownArrow;
}

void Collapsible::setOpen(bool open)
{
    if (open == isOpen())
        return;
    m_head->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    if (m_content)
        m_content->setVisible(open);
}

void Collapsible::setTheme(const Theme& theme)
{
    m_theme = theme;
    restyle();
}

void Collapsible::restyle()
{
    m_head->setFont(m_theme.font(TextStyle::BodyStrong));
    m_headRow->setContentsMargins(m_theme.scaled(6), m_theme.scaled(2), m_theme.scaled(12), m_theme.scaled(2));
}

} // namespace fabricscope
