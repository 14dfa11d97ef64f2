#include "widgets/step/paneheader.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/chip.h"
#include "widgets/base/elidedlabel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace fabricscope {

StepHeader::StepHeader(const QString& title, QWidget* parent) : QWidget(parent)
{
    setAccessibleName(title);
    m_row = new QHBoxLayout(this);
    m_row->setContentsMargins(12, 0, 12, 0);
    m_row->setSpacing(8);
    m_title = new ElidedLabel;
    m_title->setText(title);
    m_hint = new ElidedLabel;
    m_hint->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // What the title leaves.
    m_hint->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_hint->setProperty("role", QStringLiteral("hint"));
    m_chip = new QLabel;
    m_chip->setAlignment(Qt::AlignCenter);
    m_chip->hide();
    m_row->addWidget(m_title);
    m_row->addWidget(m_hint, 1);
    m_row->addWidget(m_chip);
    followTheme(this, &StepHeader::setTheme);
}

void StepHeader::setTheme(const Theme& theme)
{
    m_theme = theme;
    setFixedHeight(theme.scaled(32));
    m_title->setFont(theme.font(TextStyle::BodyStrong));
    m_chip->setFixedHeight(theme.scaled(21));
    update();
}

void StepHeader::setTitle(const QString& title)
{
    m_title->setText(title);
    setAccessibleName(title);
}

void StepHeader::setHint(const QString& hint)
{
    m_hint->setText(hint);
}

void StepHeader::setChip(const char* kind, const QString& text)
{
    fabricscope::setChip(*m_chip, kind, text);
    m_chip->setVisible(!text.isEmpty());
}

QString StepHeader::title() const
{
    return m_title->text();
}

QString StepHeader::hint() const
{
    return m_hint->text();
}

QString StepHeader::chip() const
{
    return m_chip->text();
}

void StepHeader::addControl(QWidget* widget)
{
    m_row->addWidget(widget);
}

void StepHeader::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::Panel));
    painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.color(Role::Line));
}

} // namespace fabricscope
