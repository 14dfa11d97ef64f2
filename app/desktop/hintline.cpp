#include "app/desktop/hintline.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace fabricscope {

HintLine::HintLine(QWidget* parent) : QFrame(parent), m_text(new QLabel)
{
    setProperty("banner", QStringLiteral("info"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 2, 8, 2);
    m_text->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(m_text, &QLabel::linkActivated, this, &HintLine::linkActivated);
    row->addWidget(m_text, 1);
    auto* close = new QToolButton;
    close->setText(tr("Dismiss"));
    close->setProperty("flat", true);
    connect(close, &QToolButton::clicked, this, [this] { setText({}); });
    row->addWidget(close);
    hide();
}

void HintLine::setText(const QString& text)
{
    m_text->setText(text);
    m_said = !text.isEmpty();
    setVisible(!text.isEmpty());
}

} // namespace fabricscope
