#include "app/desktop/exploreview.h"
#include "app/desktop/tablespanel.h"
#include "app/desktop/timelinetools.h"
#include "app/desktop/windowsession.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/design/document.h"
#include "widgets/results/inspector.h"
#include "widgets/results/rooflinechart.h"
#include "widgets/results/rooflineview.h"
#include "widgets/results/timecharts.h"
#include "widgets/start/commandpalette.h"
#include "widgets/timeline/findbar.h"
#include "widgets/timeline/view.h"

#include <QToolButton>
#include <QtTest>

#include <QDockWidget>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QLineEdit>
#include <QListView>
#include <QSettings>
#include <QSignalSpy>

#include <random>

using namespace fabricscope;

namespace {

using fabricscope::test::kLongMs;

/// Two ranks that compute, pass a message on and reduce.
const char* const kDesign = R"(fabricscope: 1
name: Pipeline of two
platform:
  dimensions:
    - {shape: ring, size: 2, bandwidth: 50 GB/s, latency: 1 us}
workload:
  steps:
    - {compute: 100 us, ranks: 0, name: make tokens}
    - {compute: 250 us, ranks: 1, name: slow start}
    - {collective: all_reduce, size: 2 MB, name: sum of gradients, after: [make tokens, slow start]}
    - {compute: 50 us, name: use tokens, after: sum of gradients}
collectives:
  default: {algorithm: ring, chunks: 1}
)";

} // namespace

class WatchTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;
    QString m_file;

    TimelineView& timeline() { return test::part<ExploreView>(*m_window).timeline(); }
    QAction& command(const char* id) { return *m_window->commands().action(QString::fromLatin1(id)); }
    QString write(const QString& name, const QByteArray& design = kDesign)
    {
        const QString path = m_home.filePath(name);
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(design) > 0 ? path : QString();
    }
    void open(const QString& path)
    {
        m_window->files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy() && m_window->document().file() == path, kLongMs);
    }
    /// The one interval of this name on the timeline of rank `rank`.
    TimelineSelection place(const char* name, std::int64_t rank)
    {
        const TimelineSource& source = *timeline().source();
        for (std::size_t track = 0; track < source.tracks().size(); ++track)
            for (std::int32_t i = 0; i < source.intervalCount(track); ++i)
                if (source.tracks()[track].rankClass == source.classOf(rank) && source.event(track, i).name == name)
                    return {track, i};
        return {source.tracks().size(), -1};
    }
    QStringList palette(const QString& typed)
    {
        CommandPalette& palette = test::part<CommandPalette>(*m_window);
        palette.open(CommandPalette::Scope::Elements, typed);
        const QAbstractItemModel* lines = palette.findChild<QListView*>()->model();
        QStringList titles;
        for (int row = 0; row < lines->rowCount(); ++row)
            titles.append(lines->index(row, 0).data().toString());
        return titles;
    }
    /// The last step of the design has another name, and the timeline shows it.
    void rename(const std::string& name)
    {
        QVERIFY(m_window->document().edit(QStringLiteral("name"), [&name](YamlDocument& yaml) { return yaml.set("workload.steps[3].name", name); }));
        waitFor(name.c_str());
    }
    void waitFor(const char* name) { QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy() && place(name, 1).index >= 0, kLongMs); }
    /// Takes the line that is current.
    void enter() { QTest::keyClick(test::part<CommandPalette>(*m_window).findChild<QLineEdit*>(), Qt::Key_Return); }

private slots:
    void initTestCase()
    {
        test::useOwnHome(m_home);
        m_file = write(QStringLiteral("two.yaml"));
        QVERIFY(!m_file.isEmpty());
    }

    void init()
    {
        m_window = test::shownWindow({1600, 1000});
        QVERIFY(m_window);
        open(m_file);
    }

    void cleanup() { m_window.reset(); }

    void T9_rowsOfTheTimelineArePinnedHiddenAndFilteredByKeys()
    {
        timeline().setSelection(place("slow start", 1));
        const QString key = timeline().currentRow();
        timeline().setFocus();
        QTRY_VERIFY_WITH_TIMEOUT(timeline().hasFocus(), kLongMs);

        QTest::keyClick(&timeline(), Qt::Key_P, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(timeline().arrangement().isPinned(key));
        QTest::keyClick(&timeline(), Qt::Key_K, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(timeline().arrangement().isHidden(key));
        QVERIFY(test::named<QToolButton>(*m_window, "1 hidden, show them").isVisible());
        command("timeline.showAll").trigger();
        QVERIFY(!timeline().arrangement().isHidden(key));

        QTest::keyClick(&timeline(), Qt::Key_F, Qt::ControlModifier | Qt::AltModifier);
        QLineEdit& filter = test::named<QLineEdit>(*m_window, "Filter rows");
        QTRY_VERIFY_WITH_TIMEOUT(filter.hasFocus(), kLongMs);
        QTest::keyClicks(&filter, QStringLiteral("busy"));
        QCOMPARE(timeline().rows().filter(), QStringLiteral("busy"));
        QTest::keyClick(&filter, Qt::Key_Escape);
        QCOMPARE(timeline().rows().filter(), QString());
        QTRY_VERIFY_WITH_TIMEOUT(timeline().hasFocus(), kLongMs);
    }

    void findGoesThroughTheTasksOfAName()
    {
        timeline().setFocus();
        command("timeline.find").trigger();
        TimelineFindBar& bar = test::part<TimelineFindBar>(*m_window);
        QVERIFY(bar.isVisible());
        QLineEdit& field = test::named<QLineEdit>(bar, "Find tasks by name");
        QTest::keyClicks(&field, QStringLiteral("TOKENS"));
        QTRY_VERIFY_WITH_TIMEOUT(!bar.isSearching() && timeline().selection(), kLongMs);
        // "make tokens" of rank 0, "use tokens" of both ranks.
        QCOMPARE(bar.state(), QStringLiteral("1 of 3"));
        QVERIFY(timeline().selection() == place("make tokens", 0));
        command("timeline.findNext").trigger();
        QCOMPARE(bar.state(), QStringLiteral("2 of 3"));
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(bar.state(), QStringLiteral("3 of 3"));
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(bar.state(), QStringLiteral("1 of 3"));
        QTest::keyClick(&field, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(bar.state(), QStringLiteral("3 of 3"));
        command("timeline.findPrevious").trigger();
        QCOMPARE(bar.state(), QStringLiteral("2 of 3"));

        field.setText(QStringLiteral("none such"));
        QTRY_VERIFY_WITH_TIMEOUT(!bar.isSearching(), kLongMs);
        QCOMPARE(bar.state(), QStringLiteral("No match"));
        QTest::keyClick(&field, Qt::Key_Escape);
        QVERIFY(!bar.isVisible());
    }

    void T10_predecessorsAreGoneToByCommand()
    {
        timeline().setSelection(place("use tokens", 1));
        command("timeline.predecessor").trigger();
        QVERIFY(timeline().selection() == place("sum of gradients", 1));
        command("timeline.predecessor").trigger();
        QVERIFY(timeline().selection() == place("slow start", 1));
        command("timeline.successor").trigger();
        QVERIFY(timeline().selection() == place("sum of gradients", 1));
    }

    void A8_goToFindsElementsTasksDimensionsFilesAndSettings()
    {
        QCOMPARE(palette(QStringLiteral("1")).first(), QStringLiteral("NPU 1"));
        enter();
        QCOMPARE(test::part<ExploreView>(*m_window).canvas().selection().node, 1);

        QVERIFY(palette(QStringLiteral("d0 0>1")).contains(QStringLiteral("d0 0>1")));
        enter();
        QCOMPARE(test::part<ExploreView>(*m_window).canvas().selection().kind, CanvasElement::Kind::Link);

        m_window->setWorkspace(QStringLiteral("step"));
        QCOMPARE(palette(QStringLiteral("gradients")).first(), QStringLiteral("sum of gradients"));
        enter();
        QCOMPARE(m_window->workspace(), QStringLiteral("explore"));
        QCOMPARE(timeline().source()->event(timeline().selection()->track, timeline().selection()->index).name, std::string("sum of gradients"));

        QVERIFY(palette(QStringLiteral("D0 ring")).contains(QStringLiteral("D0 Ring, 2 NPUs")));
        QVERIFY(palette(QStringLiteral("two.yaml")).contains(QStringLiteral("two.yaml")));

        const bool dark = AppTheme::global().theme().isDark();
        QCOMPARE(palette(QStringLiteral("dark theme")).first(), QStringLiteral("Dark theme"));
        enter();
        QCOMPARE(AppTheme::global().theme().isDark(), !dark);
        command("view.dark").trigger();
        QVERIFY(palette(QString()).isEmpty());
    }

    void A8_aSettingIsThereOnceAmongCommands()
    {
        CommandPalette& palette = test::part<CommandPalette>(*m_window);
        palette.open(CommandPalette::Scope::All, QStringLiteral("dark theme"));
        const QAbstractItemModel* lines = palette.findChild<QListView*>()->model();
        int found = 0;
        for (int row = 0; row < lines->rowCount(); ++row)
            found += lines->index(row, 0).data().toString() == QStringLiteral("Dark theme") ? 1 : 0;
        QCOMPARE(found, 1);
        palette.hide();
    }

    void A9_backAndForwardWalkSelectionAndWorkspace()
    {
        PlatformCanvas& canvas = test::part<ExploreView>(*m_window).canvas();
        const auto inspected = [this] { return test::part<Inspector>(*m_window).selection().value_or(SelectionDetails()).title; };
        m_window->selectNpu(1, nullptr);
        const QString ofNpu = inspected();
        timeline().setSelection(place("slow start", 1));
        const QString ofTask = inspected();
        m_window->setWorkspace(QStringLiteral("step"));
        m_window->selectNpu(0, nullptr);

        command("edit.back").trigger();
        QCOMPARE(m_window->workspace(), QStringLiteral("step"));
        QCOMPARE(inspected(), ofTask);
        command("edit.back").trigger();
        QCOMPARE(m_window->workspace(), QStringLiteral("explore"));
        QVERIFY(timeline().selection() == place("slow start", 1));
        command("edit.back").trigger();
        QCOMPARE(inspected(), ofNpu);
        QCOMPARE(canvas.selection().node, 1);
        command("edit.forward").trigger();
        QCOMPARE(inspected(), ofTask);
        command("edit.forward").trigger();
        command("edit.forward").trigger();
        QCOMPARE(m_window->workspace(), QStringLiteral("step"));
        QCOMPARE(canvas.selection().node, 0);
        command("edit.forward").trigger(); // There is no more.
        QCOMPARE(canvas.selection().node, 0);
    }

    void A9_backPassesOverATaskWhoseNumberIsNowThatOfAnother()
    {
        PlatformCanvas& canvas = test::part<ExploreView>(*m_window).canvas();
        m_window->selectNpu(0, nullptr);
        timeline().setSelection(place("use tokens", 1));
        m_window->selectNpu(1, nullptr);
        rename("spend tokens"); // The platform is drawn anew, and nothing is selected on it.
        command("edit.back").trigger();
        QCOMPARE(canvas.selection().node, 1);
        command("edit.back").trigger();
        QCOMPARE(canvas.selection().kind, CanvasElement::Kind::Node);
        QCOMPARE(canvas.selection().node, 0);
    }

    void A9_forwardStaysWhereItIsUntilTheTaskIsThereAgain()
    {
        const TimelineSelection task = place("use tokens", 1);
        timeline().setSelection(task);
        command("edit.back").trigger();
        QVERIFY(!timeline().selection());
        rename("spend tokens");
        command("edit.forward").trigger();
        QVERIFY(!timeline().selection());
        m_window->document().undoStack().undo();
        waitFor("use tokens");
        command("edit.forward").trigger();
        QVERIFY(timeline().selection() == task);
    }

    void A9_aSelectedTaskIsMarkedOnThePlatformAndItsCollectiveIsWhatStepOpens()
    {
        timeline().setSelection(place("slow start", 1));
        QCOMPARE(test::part<ExploreView>(*m_window).canvas().selection().node, 1);
        QCOMPARE(test::part<Inspector>(*m_window).selection()->title, QStringLiteral("slow start"));

        timeline().setSelection(place("sum of gradients", 0));
        QSignalSpy asked(m_window.get(), &Desk::stepThroughRequested);
        command("run.stepThrough").trigger();
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].toLongLong(), test::part<Inspector>(*m_window).selection()->instance);
    }

    void R8_aTimeOfAChartIsGoneToOnTheTimeline()
    {
        TablesPanel& tables = test::part<TablesPanel>(*m_window);
        tables.showTab(TablesPanel::Charts);
        tables.showCharts(TablesPanel::OverTime);
        TimeCharts& charts = tables.timeCharts();
        QTRY_VERIFY_WITH_TIMEOUT(!charts.isWorking() && !charts.ranks().shares().parts.empty(), kLongMs);
        timeline().fitRun();
        const TimeRange run = timeline().timeGeometry().run;
        for (ShareChart* chart : {&charts.ranks(), &charts.links()}) {
            timeline().fitRun();
            const QRectF plot = chart->plot();
            QTest::mouseClick(chart, Qt::LeftButton, Qt::NoModifier, QPointF(plot.left() + plot.width() / 2, plot.center().y()).toPoint());
            const TimeRange seen = timeline().visibleRange();
            const std::int64_t middle = (run.beginPs + run.endPs) / 2;
            QVERIFY(seen.spanPs() < run.spanPs() / 4);
            QVERIFY(seen.beginPs < middle && middle < seen.endPs);
            // The next time stays as near.
            QTest::mouseClick(chart, Qt::LeftButton, Qt::NoModifier, QPointF(plot.left() + plot.width() / 4, plot.center().y()).toPoint());
            QCOMPARE(timeline().visibleRange().spanPs(), seen.spanPs());
            QVERIFY(timeline().visibleRange().endPs < middle);
            timeline().zoomBack();
            QVERIFY(timeline().visibleRange() == seen);
        }
        tables.showCharts(TablesPanel::Totals);
        tables.showTab(TablesPanel::Ranks);
    }

    /// The one collective of the run is the one point of its kind.
    void R9_aPointOfTheRooflineIsShownOnTheTimeline()
    {
        TablesPanel& tables = test::part<TablesPanel>(*m_window);
        tables.showTab(TablesPanel::Charts);
        tables.showCharts(TablesPanel::Rooflines);
        RooflineChart& network = tables.rooflines().network();
        QTRY_VERIFY_WITH_TIMEOUT(!tables.rooflines().isWorking() && network.points().size() == 1, kLongMs);
        timeline().setSelection(std::nullopt);
        network.setFocus();
        QTest::mouseClick(&network, Qt::LeftButton, Qt::NoModifier, network.positionOf(network.points().front().id).toPoint());
        QVERIFY(timeline().selection().has_value());
        QCOMPARE(test::part<Inspector>(*m_window).selection()->title, QStringLiteral("sum of gradients"));
        QSignalSpy asked(m_window.get(), &Desk::stepThroughRequested);
        QTest::keyClick(&network, Qt::Key_Return);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].toLongLong(), 0);
        command("view.explore").trigger();
        tables.showCharts(TablesPanel::Totals);
        tables.showTab(TablesPanel::Ranks);
    }

    void F6_aSessionIsReadAsItWasWritten()
    {
        for (const std::uint64_t seed : test::Seeds(500, 50)) {
            std::mt19937_64 random(seed);
            DesignSession session;
            for (QStringList* list : {&session.rows.pinned, &session.rows.hidden, &session.rows.order})
                for (auto i = random() % 4; i > 0; --i)
                    list->append(QStringLiteral("row %1").arg(i));
            for (auto i = random() % 4; i > 0; --i)
                session.bookmarks.push_back(static_cast<std::int64_t>(random() >> 1));
            const auto begin = static_cast<std::int64_t>(random() >> 2);
            if (random() % 2)
                session.visible = TimeRange{begin, begin + 1 + static_cast<std::int64_t>(random() >> 2)};
            if (random() % 2 == 0)
                session.cursor = static_cast<std::int64_t>(random() >> 1);
            QVERIFY(DesignSession::fromJson(session.toJson()) == session);
        }
        QVERIFY(DesignSession::fromJson({{QStringLiteral("visible_ps"), QJsonArray{QStringLiteral("9"), QStringLiteral("3")}}, {QStringLiteral("rows"), 4}}).isPlain());
    }

    void F6_onlySoManySessionsAreKeptAndPlainOnesAreNone()
    {
        DesignSession session;
        session.bookmarks = {7};
        for (int i = 0; i <= kMostSessions; ++i)
            keepSession(QStringLiteral("/designs/%1.yaml").arg(i), session);
        QVERIFY(keptSession(QStringLiteral("/designs/0.yaml")).isPlain());
        QVERIFY(keptSession(QStringLiteral("/designs/1.yaml")) == session);
        keepSession(QStringLiteral("/designs/1.yaml"), {});
        QVERIFY(keptSession(QStringLiteral("/designs/1.yaml")).isPlain());
        keepSession({}, session);
        QVERIFY(keptSession({}).isPlain());
        for (int i = 0; i <= kMostSessions; ++i)
            keepSession(QStringLiteral("/designs/%1.yaml").arg(i), {});
    }

    void F6_rowsBookmarksAndZoomComeBackWithTheDesign()
    {
        const QString other = write(QStringLiteral("other.yaml"));
        timeline().setSelection(place("slow start", 1));
        const QString key = timeline().currentRow();
        command("timeline.pin").trigger();
        timeline().setBookmarks({123'456'789});
        timeline().setVisibleRange({50'000'000, 150'000'000});
        const TimeRange seen = timeline().visibleRange();
        timeline().setTimeCursor(70'000'000);

        open(other);
        QVERIFY(!timeline().timeCursor());
        QVERIFY(!timeline().arrangement().isPinned(key));
        QVERIFY(timeline().bookmarks().empty());
        QVERIFY(timeline().visibleRange() == timeline().timeGeometry().run);

        m_window->close();
        m_window = test::shownWindow({1600, 1000});
        QVERIFY(m_window);
        open(m_file);
        QVERIFY(timeline().arrangement().isPinned(key));
        QCOMPARE(timeline().bookmarks(), std::vector<std::int64_t>{123'456'789});
        QVERIFY(timeline().visibleRange() == seen);
        QVERIFY(timeline().timeCursor() == std::optional<std::int64_t>(70'000'000));
    }

    void F6_aRangeIsKeptForARunThatDoesNotCome()
    {
        const QString other = write(QStringLiteral("other.yaml"));
        const QString later = write(QStringLiteral("later.yaml"));
        open(later);
        timeline().setVisibleRange({50'000'000, 150'000'000});
        const TimeRange seen = timeline().visibleRange();
        open(other);

        write(QStringLiteral("later.yaml"), QByteArray(kDesign).replace("50 GB/s", "0 GB/s"));
        m_window->files().openPaths({later});
        QTRY_COMPARE_WITH_TIMEOUT(m_window->document().file(), later, kLongMs);
        QVERIFY(m_window->document().hasErrors());
        QVERIFY(!m_window->history().current());
        open(other);

        write(QStringLiteral("later.yaml"));
        open(later);
        QVERIFY(timeline().visibleRange() == seen);
    }

    void F6_panelsComeBackAsTheyWere()
    {
        command("view.tables").setChecked(false);
        auto* inspector = m_window->findChild<QDockWidget*>(QStringLiteral("inspectorDock"));
        m_window->resizeDocks({inspector}, {inspector->width() + 60}, Qt::Horizontal);
        QVERIFY(test::settles(*m_window, kLongMs));
        const int width = inspector->width();
        m_window->setWorkspace(QStringLiteral("report"));
        m_window->close();

        m_window = test::shownWindow({1600, 1000});
        QVERIFY(m_window);
        open(m_file);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->findChild<QDockWidget*>(QStringLiteral("inspectorDock"))->width(), width, kLongMs);
        QVERIFY(!command("view.tables").isChecked());
        QVERIFY(m_window->findChild<QDockWidget*>(QStringLiteral("tablesDock"))->isHidden());
        command("view.tables").setChecked(true);
        m_window->resetLayout();
        m_window->close(); // As at first, for the tests that follow.
        m_window = test::shownWindow({1600, 1000});
    }

    void F6_panelsThatWereNeverOnShowAreNotKept()
    {
        openSettings()->remove(QStringLiteral("window/docks"));
        m_window = test::shownWindow({1600, 1000});
        QVERIFY(m_window);
        QVERIFY(test::settles(*m_window, kLongMs));
        QCOMPARE(m_window->workspace(), QStringLiteral("start"));
        m_window->close();
        QVERIFY(openSettings()->value(QStringLiteral("window/docks")).toByteArray().isEmpty());
    }

    void F6_aLayoutResetBesideExploreIsKept()
    {
        command("view.tables").setChecked(false);
        m_window->setWorkspace(QStringLiteral("report"));
        command("view.reset").trigger();
        m_window->close();

        m_window = test::shownWindow({1600, 1000});
        QVERIFY(m_window);
        open(m_file);
        QVERIFY(test::settles(*m_window, kLongMs));
        QVERIFY(command("view.tables").isChecked());
    }

    /// Neither a window made narrow after Explore was left nor a narrow one that only showed Start takes them away.
    void F6_panelsOfAWideWindowOutlastANarrowOne()
    {
        command("view.tables").setChecked(false);
        m_window->setWorkspace(QStringLiteral("report"));
        m_window->resize(1100, 1000);
        QVERIFY(test::settles(*m_window, kLongMs));
        QVERIFY(m_window->width() < 1200);
        m_window->close();
        m_window = test::shownWindow({1100, 1000});
        QVERIFY(m_window);
        QVERIFY(test::settles(*m_window, kLongMs));
        m_window->close();

        m_window = test::shownWindow({1600, 1000});
        QVERIFY(m_window);
        open(m_file);
        QTRY_VERIFY_WITH_TIMEOUT(!command("view.tables").isChecked(), kLongMs);
        m_window->resetLayout();
        m_window->close(); // As at first, for the tests that follow.
        m_window = test::shownWindow({1600, 1000});
    }

    void panelsKeepTheirWidthBetweenWorkspaces()
    {
        const QSize before = m_window->size();
        m_window->resize(1600, 1000);
        auto* design = m_window->findChild<QDockWidget*>(QStringLiteral("designDock"));
        auto* inspector = m_window->findChild<QDockWidget*>(QStringLiteral("inspectorDock"));
        auto* tables = m_window->findChild<QDockWidget*>(QStringLiteral("tablesDock"));
        m_window->resizeDocks({design, inspector}, {design->width() + 40, 360}, Qt::Horizontal);
        QVERIFY(test::settles(*m_window, kLongMs));
        const auto sizes = [&] { return QList<int>{design->width(), inspector->width(), tables->height()}; };
        const QList<int> wanted = sizes();
        // One after the other from Explore: a page that needs much room takes it from panels only where they are still there.
        for (const QString& key : workspaceKeys()) {
            m_window->setWorkspace(key);
            QVERIFY(test::settles(*m_window, kLongMs));
            m_window->setWorkspace(QStringLiteral("explore"));
            QVERIFY(test::settles(*m_window, kLongMs));
            QCOMPARE(sizes(), wanted);
        }
        m_window->resize(before);
        QVERIFY(test::settles(*m_window, kLongMs));
    }
};

FABRICSCOPE_GUI_TEST(WatchTest)
#include "tst_window_watch.moc"
