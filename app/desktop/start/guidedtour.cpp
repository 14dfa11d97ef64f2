#include "app/desktop/start/guidedtour.h"

#include "app/desktop/workspace.h"
#include "widgets/base/actions.h"
#include "widgets/start/tourcard.h"

#include <QAction>
#include <QCoreApplication>

#include <utility>
#include <vector>

namespace fabricscope {

namespace {

/// Nothing of it changes the design: that is for who takes the tour.
struct StopRow {
    const char* title;
    const char* text;
    const char* workspace; ///< Command that leads there, ...
    const char* first;     ///< ... and one that is done the first time: going back would take away what was tried; null: none.
};

constexpr StopRow kStops[] = {
    {QT_TRANSLATE_NOOP("fabricscope::Tour", "A design that has run"),
     QT_TRANSLATE_NOOP("fabricscope::Tour", "This is the example of two levels: at the left the design, in the middle the platform and what every rank did, at the right how long a step takes and what of it is communication. It runs by itself, and again after every edit."), "view.explore", "help.tour"},
    {QT_TRANSLATE_NOOP("fabricscope::Tour", "Change a number"),
     QT_TRANSLATE_NOOP("fabricscope::Tour", "Select a dimension at the left and drag its bandwidth, or type 100 GB/s. The run follows, and at the right stands what the change was worth. Ctrl+Z takes it back."), "view.explore", nullptr},
    {QT_TRANSLATE_NOOP("fabricscope::Tour", "Look at the timeline"),
     QT_TRANSLATE_NOOP("fabricscope::Tour", "Click an interval to see what it is. W and S zoom, A and D move, C shows the critical path, Ctrl+F finds a task by its name. The colours of the platform follow the pointer."), "view.explore", "view.fitTimeline"},
    {QT_TRANSLATE_NOOP("fabricscope::Tour", "Follow a collective"),
     QT_TRANSLATE_NOOP("fabricscope::Tour", "Here a collective moves step by step: Right and Left go on and back, Space plays. Below stands why a move begins when it does."), "view.step", nullptr},
    {QT_TRANSLATE_NOOP("fabricscope::Tour", "Draw a fabric"),
     QT_TRANSLATE_NOOP("fabricscope::Tour", "Platforms are drawn, typed in one line or taken from a gallery; figures such as cables and bisection follow at each key."), "view.draw", nullptr},
    {QT_TRANSLATE_NOOP("fabricscope::Tour", "Compare designs"),
     QT_TRANSLATE_NOOP("fabricscope::Tour", "Two to four designs stand side by side, with what each difference is worth. Ctrl+B in Explore pins the one on show."), "view.compare", nullptr},
    {QT_TRANSLATE_NOOP("fabricscope::Tour", "Study many of them"),
     QT_TRANSLATE_NOOP("fabricscope::Tour", "A study varies fields of a design and runs all variants; open the one that comes with the program and press Run. Brush the points or an axis, and a point opens as a design."), "view.study", nullptr},
    {QT_TRANSLATE_NOOP("fabricscope::Tour", "Take it along"),
     QT_TRANSLATE_NOOP("fabricscope::Tour", "The report is written as PDF or HTML with Ctrl+E. Ctrl+Shift+P finds any command, ? lists all keys, F1 opens the manual."), "view.report", nullptr},
};

QString tourWords(const char* text)
{
    return QCoreApplication::translate("fabricscope::Tour", text);
}

} // namespace

void startGuidedTour(Desk& desk)
{
    if (auto* const under = desk.findChild<TourCard*>(QString(), Qt::FindDirectChildrenOnly))
        return under->goTo(under->stop() + 1);
    const auto act = [&desk](const char* command) {
        QAction* const action = desk.commands().action(QString::fromLatin1(command));
        if (action && action->isEnabled() && !(action->isCheckable() && action->isChecked())) // A workspace that is on show stays so.
            action->trigger();
    };
    std::vector<TourStop> stops;
    for (const StopRow& row : kStops) {
        stops.push_back({tourWords(row.title), tourWords(row.text), [act, row, first = true]() mutable {
                             act(row.workspace);
                             if (std::exchange(first, false) && row.first)
                                 act(row.first);
                         }});
    }
    const QAction* const guide = desk.commands().action(QStringLiteral("help.guide"));
    new TourCard(std::move(stops), tourWords(QT_TRANSLATE_NOOP("fabricscope::Tour", "%1 goes on.")).arg(guide->shortcut().toString(QKeySequence::NativeText)), &desk);
}

} // namespace fabricscope
