#include "widgets/start/tourcard.h"

#include "widgets/base/apptheme.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr int kCardWidth = 360;
constexpr int kCardMargin = 16; ///< To the edges of the window; below, the strip at the bottom stays free.
constexpr int kCardBelow = 44;

} // namespace

TourCard::TourCard(std::vector<TourStop> stops, const QString& hint, QWidget* window) : QFrame(window), m_stops(std::move(stops)), m_hint(hint), m_count(new QLabel), m_title(new QLabel), m_text(new QLabel), m_back(new QPushButton(tr("Back"))), m_next(new QPushButton)
{
    setObjectName(QStringLiteral("tourCard"));
    setAccessibleName(tr("Guided tour"));
    setAttribute(Qt::WA_DeleteOnClose);
    setFocusPolicy(Qt::StrongFocus);
    m_count->setProperty("role", QStringLiteral("hint"));
    m_count->setWordWrap(true);
    m_title->setWordWrap(true);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* const end = new QPushButton(tr("End tour"));
    auto* const buttons = new QHBoxLayout;
    buttons->addWidget(end);
    buttons->addStretch();
    buttons->addWidget(m_back);
    buttons->addWidget(m_next);
    auto* const column = new QVBoxLayout(this);
    for (QLabel* label : {m_count, m_title, m_text})
        column->addWidget(label);
    column->addStretch(); // What is left over stands above the buttons, not between lines.
    column->addLayout(buttons);
    connect(end, &QPushButton::clicked, this, &QWidget::close);
    connect(m_back, &QPushButton::clicked, this, [this] { goTo(m_stop - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { goTo(m_stop + 1); });
    window->installEventFilter(this);
    qApp->installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { keepFocus(now); });
    followTheme(this, &TourCard::setTheme);
    goTo(0);
}

void TourCard::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_title->setFont(theme.font(TextStyle::Title));
    setStyleSheet(QStringLiteral("#tourCard{background:%1;border:1px solid %2;border-radius:4px}").arg(theme.color(Role::Raised).name(), theme.color(Role::Accent).name()));
    place();
}

void TourCard::goTo(int stop)
{
    if (stop >= stopCount()) {
        close();
        return;
    }
    m_stop = std::max(stop, 0);
    const TourStop& now = m_stops[static_cast<std::size_t>(m_stop)];
    m_count->setText(tr("Guided tour, %1 of %2. %3").arg(m_stop + 1).arg(stopCount()).arg(m_hint));
    m_title->setText(now.title);
    m_text->setText(now.text);
    m_back->setEnabled(m_stop > 0);
    m_next->setText(m_stop + 1 < stopCount() ? tr("Next") : tr("Done"));
    setAccessibleDescription(now.title + QStringLiteral(": ") + now.text);
    if (now.show)
        now.show();
    show();
    place();
    raise();
    m_next->setFocus(Qt::OtherFocusReason); // Return goes on, whatever the stop gave the focus to.
    m_untouched = true;
}

void TourCard::keepFocus(const QWidget* now)
{
    if (m_untouched && isVisible() && now && now->window() == window() && !isAncestorOf(now))
        m_next->setFocus(Qt::OtherFocusReason);
}

void TourCard::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Escape: close(); return;
    case Qt::Key_Right: return goTo(m_stop + 1);
    case Qt::Key_Left: return goTo(m_stop - 1);
    default: QFrame::keyPressEvent(event);
    }
}

bool TourCard::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize)
        place();
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::KeyPress || event->type() == QEvent::Shortcut)
        m_untouched = false;
    return QFrame::eventFilter(watched, event);
}

/// In the lower right corner, where what is explained leaves most room.
void TourCard::place()
{
    const QSize room = parentWidget()->size();
    const int wide = std::min(m_theme.scaled(kCardWidth), room.width() - 2 * kCardMargin);
    setFixedWidth(wide);
    const int tall = std::max(sizeHint().height(), layout()->totalHeightForWidth(wide));
    setGeometry(room.width() - wide - kCardMargin, std::max(kCardMargin, room.height() - tall - m_theme.scaled(kCardBelow)), wide, tall);
}

} // namespace fabricscope
