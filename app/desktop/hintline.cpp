#include "app/desktop/hintline.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/icons.h"
#include "widgets/base/showntexts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QStyle>
#include <QToolButton>

namespace fabricscope {

namespace {

struct Look {
    const char* banner;
    const char* icon;
    Role color;
};

Look lookOf(Severity severity)
{
    switch (severity) {
    case Severity::Error: return {"err", "error", Role::Err};
    case Severity::Warning: return {"warn", "warning", Role::Warn};
    case Severity::Note: break;
    }
    return {"info", "info", Role::Accent};
}

} // namespace

HintLine::HintLine(QWidget* parent)
    : QFrame(parent), m_icon(new QLabel), m_text(new QLabel), m_close(new QToolButton), m_reading(new QLabel), m_bar(new QProgressBar)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 2, 8, 2);
    row->setSpacing(8);
    m_text->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_text->setWordWrap(true);
    connect(m_text, &QLabel::linkActivated, this, &HintLine::linkActivated);
    m_reading->setObjectName(QStringLiteral("reading"));
    m_reading->setTextFormat(Qt::RichText);
    m_reading->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(m_reading, &QLabel::linkActivated, this, &HintLine::linkActivated);
    m_bar->setRange(0, 0); // Nobody knows how far it is.
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Reading"));
    row->addWidget(m_reading, 0, Qt::AlignVCenter);
    row->addWidget(m_bar, 1, Qt::AlignVCenter);
    row->addWidget(m_icon, 0, Qt::AlignVCenter);
    row->addWidget(m_text, 1);
    m_close->setText(tr("Dismiss"));
    m_close->setProperty("flat", true);
    connect(m_close, &QToolButton::clicked, this, [this] { setText({}); });
    row->addWidget(m_close, 0, Qt::AlignVCenter);
    followTheme(this, &HintLine::setTheme);
    showParts();
}

void HintLine::setText(const QString& text)
{
    say(Severity::Note, text, Qt::RichText);
}

void HintLine::setProblem(Severity severity, const QString& text)
{
    say(severity, text, Qt::PlainText);
}

void HintLine::say(Severity severity, const QString& text, Qt::TextFormat format)
{
    m_severity = severity;
    m_text->setTextFormat(format);
    const QString harmless = texts::shown(text);
    m_text->setText(harmless);
    m_text->setAccessibleName(severity == Severity::Error ? tr("Error: %1").arg(harmless) : severity == Severity::Warning ? tr("Warning: %1").arg(harmless) : QString());
    m_said = !text.isEmpty();
    restyle();
    showParts();
}

void HintLine::setReading(const QString& what)
{
    m_isReading = !what.isEmpty();
    m_reading->setText(tr("Reading %1 <a href=\"reading:cancel\">Cancel</a>").arg(texts::shown(what).toHtmlEscaped()));
    showParts();
}

void HintLine::showParts()
{
    m_reading->setVisible(m_isReading);
    m_bar->setVisible(m_isReading);
    m_icon->setVisible(!m_isReading);
    m_text->setVisible(!m_isReading);
    m_close->setVisible(m_dismissable && !m_isReading);
    setVisible(hasText());
}

void HintLine::setDismissable(bool dismissable)
{
    m_dismissable = dismissable;
    m_close->setVisible(dismissable && !m_isReading);
}

QString HintLine::text() const
{
    return m_text->text();
}

void HintLine::setTheme(const Theme& theme)
{
    m_theme = theme;
    restyle();
    // Links keep the colours they had when the text was set.
    for (QLabel* label : {m_text, m_reading}) {
        const QString text = label->text();
        label->clear();
        label->setText(text);
    }
}

void HintLine::restyle()
{
    const Look look = lookOf(m_severity);
    if (property("banner").toString() != QLatin1String(look.banner)) {
        setProperty("banner", QString::fromLatin1(look.banner));
        style()->unpolish(this);
        style()->polish(this);
    }
    const int size = m_theme.scaled(16);
    m_icon->setPixmap(icon(QLatin1String(look.icon), IconColors::plain(m_theme.color(look.color))).pixmap(QSize(size, size), devicePixelRatioF()));
    m_icon->setAccessibleName(m_severity == Severity::Error ? tr("Error") : m_severity == Severity::Warning ? tr("Warning") : tr("Hint"));
}

} // namespace fabricscope
