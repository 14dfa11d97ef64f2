#include "widgets/timeline/findbar.h"

#include "core/base/stop.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/background.h"
#include "widgets/base/icons.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/timeline/view.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <cstdlib>

namespace fabricscope {

TimelineFindBar::TimelineFindBar(TimelineView* view, QWidget* parent) : QWidget(parent), m_view(view), m_field(new QLineEdit(this)), m_state(new QLabel(this))
{
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Find tasks"));
    m_field->setPlaceholderText(tr("Find tasks by name"));
    m_field->setAccessibleName(m_field->placeholderText());
    m_state->setProperty("role", QStringLiteral("secondary"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(6);
    row->addWidget(m_field, 1);
    row->addWidget(m_state);
    const auto addButton = [&](const QString& text, const QString& iconName, auto what) {
        auto* button = new QToolButton(this);
        button->setProperty("flat", true);
        button->setToolTip(text);
        button->setAccessibleName(text);
        connect(button, &QToolButton::clicked, this, what);
        row->addWidget(button);
        m_buttons.emplace_back(button, iconName);
    };
    addButton(tr("Previous match (Shift+F3)"), QStringLiteral("back"), [this] { previous(); });
    addButton(tr("Next match (F3)"), QStringLiteral("forward"), [this] { next(); });
    auto* close = new QToolButton(this);
    close->setText(tr("Close"));
    close->setProperty("flat", true);
    close->setToolTip(tr("Close (Esc)"));
    connect(close, &QToolButton::clicked, this, [this] { leave(); });
    row->addWidget(close);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, [this] { search(Then::Go); });
    connect(m_view, &TimelineView::selectionChanged, this, &TimelineFindBar::showState);
    followTheme(this, &TimelineFindBar::setTheme);
    hide();
}

TimelineFindBar::~TimelineFindBar()
{
    m_stop.request_stop();
}

void TimelineFindBar::setTheme(const Theme& theme)
{
    m_state->setMinimumWidth(theme.scaled(72));
    for (const auto& [button, name] : m_buttons) {
        button->setIcon(icon(name, theme));
        button->setFixedSize(theme.scaled(24), theme.scaled(24));
    }
}

void TimelineFindBar::setRun(TimelineSourcePtr source, WorkloadPtr workload)
{
    m_source = std::move(source);
    m_workload = std::move(workload);
    // What was asked for and not answered yet is answered of this run; else runs come by themselves, and must not move what one looks at.
    const bool owed = m_searching && (m_then == Then::Go || m_steps != 0);
    if (owed || isVisibleTo(parentWidget()))
        search(owed ? m_then : Then::Count, owed ? m_steps : 0);
    else
        forget();
    showState();
}

void TimelineFindBar::open()
{
    show();
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
    if (m_matches.count() == 0 && !m_field->text().isEmpty() && !m_searching)
        search(Then::Count);
}

void TimelineFindBar::leave()
{
    hide();
    m_view->setFocus();
}

void TimelineFindBar::forget()
{
    m_stop.request_stop();
    m_matches = TimelineMatches();
    m_error.clear();
    m_searching = false;
    m_steps = 0;
    ++m_asked;
}

void TimelineFindBar::search(Then then, int steps)
{
    forget();
    m_stop = std::stop_source();
    m_then = then;
    m_steps = steps;
    m_searching = m_source && m_workload && !m_field->text().isEmpty();
    showState();
    if (!m_searching)
        return;
    const auto work = [source = m_source, workload = m_workload, text = m_field->text().toStdString(), stop = m_stop.get_token()] {
        return untilStopped([&]() -> Result<TimelineMatches> { return TimelineMatches::find(source, workload, text, stop); });
    };
    inBackground(this, work, [this, asked = m_asked](Result<TimelineMatches> found) {
        if (asked == m_asked)
            showFound(std::move(found));
    });
}

void TimelineFindBar::showFound(Result<TimelineMatches> found)
{
    m_searching = false;
    if (found)
        m_matches = std::move(found.value());
    else
        m_error = texts::shown(found.error().message);
    // The first to be seen is the one at the selection or behind it.
    const auto& at = m_view->selection();
    const int steps = m_steps;
    if (m_then == Then::Go && m_matches.count() > 0 && (!at || m_matches.numberOf(*at) == 0))
        select(at ? m_matches.next(*at) : m_matches.from(m_view->visibleRange().beginPs));
    for (int i = 0; i < std::abs(steps); ++i)
        step(steps);
    showState();
}

void TimelineFindBar::select(const std::optional<TimelineSelection>& match)
{
    if (match)
        m_view->reveal(*match);
}

void TimelineFindBar::step(int by)
{
    if (m_matches.count() == 0)
        return;
    const auto& at = m_view->selection();
    if (!at)
        select(m_matches.from(m_view->visibleRange().beginPs));
    else
        select(by > 0 ? m_matches.next(*at) : m_matches.previous(*at));
}

void TimelineFindBar::next()
{
    if (m_field->text().isEmpty())
        return open();
    if (m_searching)
        ++m_steps;
    else if (m_matches.count() == 0 && m_source)
        search(Then::Go); // Of a run that came while the strip was closed.
    else
        step(1);
}

void TimelineFindBar::previous()
{
    if (m_field->text().isEmpty())
        return open();
    if (m_searching)
        --m_steps;
    else if (m_matches.count() == 0 && m_source)
        search(Then::Go);
    else
        step(-1);
}

QString TimelineFindBar::state() const
{
    return m_state->text();
}

void TimelineFindBar::showState()
{
    QString text;
    if (m_searching)
        text = tr("Searching");
    else if (m_field->text().isEmpty() || !m_source)
        text.clear();
    else if (!m_error.isEmpty())
        text = m_error;
    else if (m_matches.count() == 0)
        text = tr("No match");
    else if (const std::int64_t number = m_view->selection() ? m_matches.numberOf(*m_view->selection()) : 0; number > 0)
        text = tr("%1 of %2").arg(texts::count(number), texts::count(m_matches.count()));
    else
        text = m_matches.count() == 1 ? tr("1 match") : tr("%1 matches").arg(texts::count(m_matches.count()));
    m_state->setText(text);
    m_state->setToolTip(m_error.isEmpty() ? QString() : texts::toolTip(m_error)); // It may be longer than its place.
}

bool TimelineFindBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<const QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape) {
            leave();
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            key->modifiers().testFlag(Qt::ShiftModifier) ? previous() : next();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace fabricscope
