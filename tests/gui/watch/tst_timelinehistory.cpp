#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/timeline/bookmarks.h"
#include "widgets/timeline/view.h"
#include "widgets/timeline/zoomhistory.h"

#include <QtTest>

#include <QWheelEvent>

#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// 1 ms of computing on a view of 1000 px.
std::unique_ptr<TimelineView> shownView()
{
    RunBuilder builder;
    builder.compute("first", 0, 400'000'000);
    builder.compute("second", 600'000'000, 1'000'000'000);
    const SyntheticRun run = oneClass(builder);
    auto view = std::make_unique<TimelineView>();
    view->resize(188 + 12 + 1000, 300);
    view->setSource(TimelineSource::create(run.record, run.workload), run.workload);
    view->show();
    return QTest::qWaitForWindowExposed(view.get()) ? std::move(view) : nullptr;
}

void turnWheel(TimelineView& view, int delta)
{
    const QPointF at(500, 60);
    QWheelEvent event(at, view.viewport()->mapToGlobal(at), {}, QPoint(0, delta), Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(view.viewport(), &event);
}

} // namespace

class TimelineHistoryTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    /// Compared with a list of all that was shown and a place in it.
    void T12_theHistoryGoesBackAndForthAsAListWould()
    {
        for (const std::uint64_t seed : Seeds(2000, 200)) {
            std::mt19937_64 random(seed);
            TimelineZoomHistory history;
            std::vector<TimeRange> shown{{0, 100}};
            std::size_t at = 0;
            history.start(shown[0]);
            for (int i = 0; i < 40; ++i) {
                const auto what = random() % 4;
                if (what == 0) {
                    QCOMPARE(history.canBack(), at > 0);
                    if (at > 0)
                        QVERIFY(history.back() == shown[--at]);
                } else if (what == 1) {
                    QCOMPARE(history.canForward(), at + 1 < shown.size());
                    if (at + 1 < shown.size())
                        QVERIFY(history.forward() == shown[++at]);
                } else {
                    const auto begin = static_cast<std::int64_t>(random() % 3);
                    const TimeRange range{begin, begin + 50};
                    history.visit(range);
                    if (range == shown[at])
                        continue;
                    shown.resize(at + 1);
                    shown.push_back(range);
                    ++at;
                }
            }
        }
    }

    void T12_aDragIsOneStepAndTheNextDragAnother()
    {
        TimelineZoomHistory history;
        history.start({0, 100});
        history.visit({1, 51}, TimelineZoomHistory::Act::Drag);
        history.visit({2, 52}, TimelineZoomHistory::Act::Drag);
        history.endAct();
        history.visit({3, 53}, TimelineZoomHistory::Act::Drag);

        QVERIFY(history.back() == (TimeRange{2, 52}));
        QVERIFY(history.back() == (TimeRange{0, 100}));
        QVERIFY(!history.canBack());
    }

    void T12_onlySoManyStepsAreKept()
    {
        TimelineZoomHistory history;
        history.start({0, 1});
        for (std::int64_t i = 1; i <= 1000; ++i)
            history.visit({i, i + 1});
        std::size_t steps = 0;
        TimeRange last;
        while (history.canBack()) {
            last = history.back();
            ++steps;
        }
        QCOMPARE(steps, TimelineZoomHistory::kMost - 1);
        QVERIFY(last == (TimeRange{1000 - 199, 1000 - 198}));
    }

    void T12_backspaceGoesBackAndShiftBackspaceForth()
    {
        const auto view = shownView();
        QVERIFY(view);
        std::vector<TimeRange> shown{view->visibleRange()};
        for (const Qt::Key key : {Qt::Key_W, Qt::Key_D, Qt::Key_W}) {
            QTest::keyClick(view.get(), key);
            shown.push_back(view->visibleRange());
        }
        turnWheel(*view, 120);
        turnWheel(*view, 120); // Together one step.
        shown.push_back(view->visibleRange());
        view->fitRun();
        shown.push_back(view->visibleRange());

        for (std::size_t i = shown.size() - 1; i-- > 0;) {
            QTest::keyClick(view.get(), Qt::Key_Backspace);
            QVERIFY(view->visibleRange() == shown[i]);
        }
        QTest::keyClick(view.get(), Qt::Key_Backspace); // There is no more.
        QVERIFY(view->visibleRange() == shown.front());
        for (std::size_t i = 1; i < shown.size(); ++i) {
            QTest::keyClick(view.get(), Qt::Key_Backspace, Qt::ShiftModifier);
            QVERIFY(view->visibleRange() == shown[i]);
        }
    }

    void T12_whatWasGoneBackFromIsForgottenByANewStep()
    {
        const auto view = shownView();
        QVERIFY(view);
        QTest::keyClick(view.get(), Qt::Key_W);
        QTest::keyClick(view.get(), Qt::Key_Backspace);
        view->setVisibleRange({0, 500'000'000});
        QTest::keyClick(view.get(), Qt::Key_Backspace, Qt::ShiftModifier);

        QVERIFY(view->visibleRange() == (TimeRange{0, 500'000'000}));
    }

    void bookmarksAreASetThatIsWalkedInARing()
    {
        for (const std::uint64_t seed : Seeds(2000, 200)) {
            std::mt19937_64 random(seed);
            TimelineBookmarks marks;
            std::set<std::int64_t> wanted;
            for (int i = 0; i < 30; ++i) {
                const auto ps = static_cast<std::int64_t>(random() % 20);
                marks.toggle(ps, 0);
                if (!wanted.erase(ps))
                    wanted.insert(ps);
            }
            QVERIFY(std::equal(marks.all().begin(), marks.all().end(), wanted.begin(), wanted.end()));
            for (std::int64_t ps = -1; ps <= 20; ++ps) {
                const auto after = wanted.upper_bound(ps);
                QCOMPARE(marks.after(ps).value_or(-9), wanted.empty() ? -9 : after == wanted.end() ? *wanted.begin() : *after);
                const auto here = wanted.lower_bound(ps);
                QCOMPARE(marks.before(ps).value_or(-9), wanted.empty() ? -9 : here == wanted.begin() ? *wanted.rbegin() : *std::prev(here));
            }
        }
    }

    void aBookmarkIsTakenAwayWithinReachAndTheNearestOfTwo()
    {
        TimelineBookmarks marks;
        marks.set({100, 90, 100, -1});
        QCOMPARE(marks.all(), (std::vector<std::int64_t>{90, 100}));
        marks.toggle(96, 10);
        QCOMPARE(marks.all(), std::vector<std::int64_t>{90});
        marks.toggle(101, 10);
        QCOMPARE(marks.all(), (std::vector<std::int64_t>{90, 101}));
    }

    void keysOfBookmarksBringEachInTurnIntoTheMiddle()
    {
        const auto view = shownView();
        QVERIFY(view);
        view->setBookmarks({300'000'000, 700'000'000});
        view->setVisibleRange({450'000'000, 550'000'000});
        const auto middle = [&view] { return view->visibleRange().beginPs + view->visibleRange().spanPs() / 2; };

        view->nextBookmark();
        QCOMPARE(middle(), 700'000'000);
        view->nextBookmark();
        QCOMPARE(middle(), 300'000'000);
        view->previousBookmark();
        QCOMPARE(middle(), 700'000'000);

        // The whole run cannot move: the crosshair shows which it is, and the next one is still another.
        view->fitRun();
        QList<qint64> told;
        connect(view.get(), &TimelineView::bookmarkReached, view.get(), [&told](qint64 ps) { told.append(ps); });
        view->nextBookmark();
        view->nextBookmark();
        view->nextBookmark();
        QCOMPARE(told.size(), 3);
        QCOMPARE(told[0], told[2]);
        QVERIFY(told[0] != told[1]);
    }

    void aBookmarkIsSetWhereTheSelectionBegins()
    {
        const auto view = shownView();
        QVERIFY(view);
        view->setSelection(TimelineSelection{0, 1});
        view->toggleBookmark();
        QCOMPARE(view->bookmarks(), std::vector<std::int64_t>{600'000'000});
        view->toggleBookmark();
        QVERIFY(view->bookmarks().empty());
    }
};

FABRICSCOPE_GUI_TEST(TimelineHistoryTest)
#include "tst_timelinehistory.moc"
