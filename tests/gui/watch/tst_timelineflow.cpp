#include "tests/gui/support/named.h"
#include "tests/gui/support/nothreads.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/timeline/findbar.h"
#include "widgets/timeline/taskflow.h"
#include "widgets/timeline/tasksearch.h"
#include "widgets/timeline/view.h"

#include <QtTest>

#include <QLineEdit>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using fabricscope::test::kLongMs;

/// Takes the place of `depends` of a graph under construction: task by task, what it waits for.
void depend(RankGraph& graph, const std::vector<std::vector<TaskIndex>>& onTasks)
{
    graph.depends.clear();
    graph.dependBegin = {0};
    for (const std::vector<TaskIndex>& of : onTasks) {
        graph.depends.insert(graph.depends.end(), of.begin(), of.end());
        graph.dependBegin.push_back(static_cast<std::uint32_t>(graph.depends.size()));
    }
}

struct Rank {
    std::shared_ptr<RankGraph> graph;
    std::shared_ptr<const TaskTimes> times;
};

Rank rankOf(const RunBuilder& builder)
{
    return {std::make_shared<RankGraph>(*builder.graph()), builder.times()};
}

SyntheticRun runOf(const std::vector<Rank>& ranks, Model model = Model::Links)
{
    auto workload = std::make_shared<Workload>();
    auto record = std::make_shared<RunRecord>();
    record->model = model;
    record->rankCount = workload->rankCount = static_cast<std::int32_t>(ranks.size());
    workload->families.push_back(GroupFamily::world(workload->rankCount));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        workload->graphs.push_back(ranks[i].graph);
        workload->graphOfRank.push_back(static_cast<std::int32_t>(i));
        RankClass of;
        of.ranks = RankSet::single(static_cast<std::int64_t>(i));
        of.tasks = ranks[i].times;
        of.times.finish = SimTime{*std::max_element(ranks[i].times->endPs.begin(), ranks[i].times->endPs.end())};
        record->finish = std::max(record->finish, of.times.finish);
        record->classes.push_back(std::move(of));
    }
    return {record, workload};
}

/// Names of intervals: "rank:task".
std::string nameOf(const TimelineSource& source, const TimelineSelection& at)
{
    return std::to_string(source.classes()[static_cast<std::size_t>(source.tracks()[at.track].rankClass)].ranks.intervals().front().first) + ":" + source.event(at.track, at.index).name;
}

std::vector<std::string> namesOf(const TimelineSource& source, const std::vector<TimelineSelection>& all)
{
    std::vector<std::string> names;
    for (const TimelineSelection& at : all)
        names.push_back(nameOf(source, at));
    return names;
}

/// Rank 0: computes [0, 100), sends twice to rank 1, at 100 and 200. Rank 1: receives both, the second asked for first in the file but issued later,
/// then computes after both. Times in microseconds.
SyntheticRun twoMessages()
{
    constexpr std::int64_t us = 1'000'000;
    RunBuilder sender;
    sender.compute("make", 0, 100 * us);
    sender.send("send one", 1, 1000, 100 * us, 110 * us);
    sender.send("send two", 1, 1000, 200 * us, 210 * us);
    RunBuilder receiver;
    receiver.receive("want two", 0, 1000, 50 * us, 215 * us);
    receiver.receive("want one", 0, 1000, 0, 115 * us);
    receiver.compute("use", 215 * us, 300 * us);
    Rank first = rankOf(sender);
    Rank second = rankOf(receiver);
    depend(*first.graph, {{}, {0}, {0, 1}});
    depend(*second.graph, {{}, {}, {0, 1}});
    return runOf({first, second});
}

TimelineSelection placeOf(const TimelineSource& source, const std::string& name)
{
    for (std::size_t track = 0; track < source.tracks().size(); ++track)
        for (std::int32_t i = 0; i < source.intervalCount(track); ++i)
            if (source.interval(track, i).task >= 0 && nameOf(source, {track, i}) == name)
                return {track, i};
    return {source.tracks().size(), -1};
}

/// Many tasks of several names in several classes, some of them at equal times.
SyntheticRun namedTasks(std::mt19937_64& random)
{
    static const char* const kNames[] = {"Forward layer", "backward LAYER", "all-reduce", "", "f", "Optimizer step", "lay er"};
    std::vector<Rank> ranks;
    for (int rank = 0; rank < 3; ++rank) {
        RunBuilder builder;
        std::int64_t at = 0;
        for (int i = 0; i < 20; ++i) {
            const auto length = static_cast<std::int64_t>(random() % 3);
            const std::string name = std::string(kNames[random() % 7]) + (random() % 2 ? "" : std::to_string(random() % 4));
            if (random() % 2)
                builder.compute(name, at, at + length);
            else
                builder.collective(name, CollectiveOp::AllReduce, 0, 100, at, at + length + static_cast<std::int64_t>(random() % 4));
            at += length;
        }
        ranks.push_back(rankOf(builder));
    }
    return runOf(ranks);
}

} // namespace

class TimelineFlowTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    /// First: the threads of the program stay once they are there.
    void findSaysWhyItCouldNotLook()
    {
        const SyntheticRun run = twoMessages();
        TimelineView view;
        TimelineFindBar bar(&view);
        bar.setRun(TimelineSource::create(run.record, run.workload), run.workload);
        bar.open();
        QLineEdit& field = named<QLineEdit>(bar, "Find tasks by name");
        {
            const NoThreads none;
            field.setText(QStringLiteral("send"));
            QTRY_VERIFY_WITH_TIMEOUT(!bar.isSearching(), kLongMs);
            QVERIFY2(bar.state().contains(QStringLiteral("no thread can be started")), qPrintable(bar.state()));
        }
        field.setText(QStringLiteral("none such"));
        QTRY_VERIFY_WITH_TIMEOUT(!bar.isSearching(), kLongMs);
        QCOMPARE(bar.state(), QStringLiteral("No match"));
    }

    void aNewRunIsSearchedWithoutMovingWhatIsSelected()
    {
        const SyntheticRun run = twoMessages();
        const auto source = TimelineSource::create(run.record, run.workload);
        TimelineView view;
        view.resize(800, 300);
        view.setSource(source, run.workload);
        TimelineFindBar bar(&view);
        bar.setRun(source, run.workload);
        bar.open();
        named<QLineEdit>(bar, "Find tasks by name").setText(QStringLiteral("send"));
        QTRY_VERIFY_WITH_TIMEOUT(!bar.isSearching(), kLongMs);
        QVERIFY(view.selection() == placeOf(*source, "0:send one"));
        TimelineArrangement arrangement;
        arrangement.setHidden(view.rows().keyOfTrack(view.selection()->track), true);
        view.setArrangement(arrangement);
        view.setSelection(placeOf(*source, "0:make"));

        const auto again = TimelineSource::create(run.record, run.workload);
        view.setSource(again, run.workload);
        bar.setRun(again, run.workload);
        QTRY_VERIFY_WITH_TIMEOUT(!bar.isSearching(), kLongMs);
        QCOMPARE(bar.state(), QStringLiteral("2 matches"));
        QVERIFY(view.selection() == placeOf(*again, "0:make"));
        QVERIFY(view.arrangement() == arrangement);

        bar.next();
        QVERIFY(view.selection() == placeOf(*again, "0:send one"));
        QCOMPARE(bar.state(), QStringLiteral("1 of 2"));
    }

    /// What is typed while a run comes is gone to in that run.
    void whatIsTypedWhileARunComesIsGoneTo()
    {
        const SyntheticRun run = twoMessages();
        const auto source = TimelineSource::create(run.record, run.workload);
        TimelineView view;
        view.setSource(source, run.workload);
        TimelineFindBar bar(&view);
        bar.setRun(source, run.workload);
        bar.open();
        named<QLineEdit>(bar, "Find tasks by name").setText(QStringLiteral("send"));
        QVERIFY(bar.isSearching()); // Answers come with the next turn of the event loop at the earliest.
        bar.next();
        bar.setRun(source, run.workload);
        QTRY_VERIFY_WITH_TIMEOUT(!bar.isSearching(), kLongMs);
        QVERIFY(view.selection() == placeOf(*source, "0:send two"));
    }

    void T10_aSendMeetsItsReceiveInTheOrderOfIssueAndNotOfTheFile()
    {
        const SyntheticRun run = twoMessages();
        const auto source = TimelineSource::create(run.record, run.workload);
        const auto flow = [&](const char* name) { return timelineFlow(*source, *run.workload, placeOf(*source, name)); };

        QCOMPARE(nameOf(*source, flow("0:send one").partner.value()), "1:want one");
        QCOMPARE(nameOf(*source, flow("0:send two").partner.value()), "1:want two");
        QCOMPARE(nameOf(*source, flow("1:want two").partner.value()), "0:send two");
        QVERIFY(!flow("0:make").partner);
    }

    /// Manual: astra 4.
    void T10_underAstraMessagesAreAlsoToldApartByTheirSize()
    {
        constexpr std::int64_t us = 1'000'000;
        RunBuilder sender;
        sender.send("send small", 1, 1000, 100 * us, 110 * us);
        sender.send("send large", 1, 2000, 200 * us, 210 * us);
        RunBuilder receiver;
        receiver.receive("want large", 0, 2000, 0, 215 * us);
        receiver.receive("want small", 0, 1000, 50 * us, 115 * us);
        for (const auto& [model, partner] : {std::pair(Model::Links, "1:want large"), {Model::AstraAware, "1:want small"}, {Model::AstraUnaware, "1:want small"}}) {
            const SyntheticRun run = runOf({rankOf(sender), rankOf(receiver)}, model);
            const auto source = TimelineSource::create(run.record, run.workload);
            const TimelineFlow flow = timelineFlow(*source, *run.workload, placeOf(*source, "0:send small"));
            QCOMPARE(nameOf(*source, flow.partner.value()), partner);
            QVERIFY(timelineFlow(*source, *run.workload, *flow.partner).partner == placeOf(*source, "0:send small"));
        }
    }

    void T10_predecessorsEndLastFirstAndSuccessorsBeginFirstFirst()
    {
        const SyntheticRun run = twoMessages();
        const auto source = TimelineSource::create(run.record, run.workload);
        const auto flow = [&](const char* name) { return timelineFlow(*source, *run.workload, placeOf(*source, name)); };

        QCOMPARE(namesOf(*source, flow("1:use").before), (std::vector<std::string>{"1:want two", "1:want one"}));
        QCOMPARE(namesOf(*source, flow("0:send two").before), (std::vector<std::string>{"0:send one", "0:make"}));
        QCOMPARE(namesOf(*source, flow("0:make").after), (std::vector<std::string>{"0:send one", "0:send two"}));
        QCOMPARE(namesOf(*source, flow("1:want one").before), std::vector<std::string>{"0:send one"});
        QCOMPARE(namesOf(*source, flow("0:send one").after), (std::vector<std::string>{"1:want one", "0:send two"})); // Wanted from the start on.
    }

    /// Tasks that take no time are on no track. Compared with all ways through the graph.
    void T10_tasksWithoutAnIntervalAreLookedThrough()
    {
        int through = 0;
        for (const std::uint64_t seed : Seeds(300, 30)) {
            std::mt19937_64 random(seed);
            constexpr int kTasks = 14;
            RunBuilder builder;
            std::int64_t at = 0;
            for (int i = 0; i < kTasks; ++i, at += 10)
                builder.compute(std::to_string(i), at, at + 10);
            Rank rank = rankOf(builder);
            std::vector<std::vector<TaskIndex>> before(kTasks);
            for (int i = 0; i < kTasks; ++i) {
                if (random() % 3 == 0)
                    rank.graph->kind[static_cast<std::size_t>(i)] = TaskKind::Metadata;
                for (int j = 0; j < i; ++j)
                    if (random() % 4 == 0)
                        before[static_cast<std::size_t>(i)].push_back(j);
            }
            depend(*rank.graph, before);
            const SyntheticRun run = runOf({rank});
            const auto source = TimelineSource::create(run.record, run.workload);
            const auto isShown = [&](int task) { return rank.graph->kind[static_cast<std::size_t>(task)] != TaskKind::Metadata; };
            std::vector<std::set<std::string>> wantedBefore(kTasks);
            std::vector<std::set<std::string>> wantedAfter(kTasks);
            const std::function<void(int, int)> walk = [&](int start, int task) {
                for (const TaskIndex next : before[static_cast<std::size_t>(task)]) {
                    if (!isShown(next)) {
                        walk(start, next);
                        ++through;
                        continue;
                    }
                    wantedBefore[static_cast<std::size_t>(start)].insert("0:" + std::to_string(next));
                    wantedAfter[static_cast<std::size_t>(next)].insert("0:" + std::to_string(start));
                }
            };
            for (int i = 0; i < kTasks; ++i)
                if (isShown(i))
                    walk(i, i);
            for (int i = 0; i < kTasks; ++i) {
                if (!isShown(i))
                    continue;
                const TimelineFlow flow = timelineFlow(*source, *run.workload, placeOf(*source, "0:" + std::to_string(i)));
                const auto asSet = [&](const std::vector<TimelineSelection>& all) {
                    const auto names = namesOf(*source, all);
                    return std::set<std::string>(names.begin(), names.end());
                };
                QVERIFY(asSet(flow.before) == wantedBefore[static_cast<std::size_t>(i)]);
                QVERIFY(asSet(flow.after) == wantedAfter[static_cast<std::size_t>(i)]);
                QCOMPARE(flow.before.size(), wantedBefore[static_cast<std::size_t>(i)].size());
            }
        }
        QVERIFY(through > 0);
    }

    void T10_everyShownTaskIsFoundAgain()
    {
        for (const std::uint64_t seed : Seeds(200, 20)) {
            std::mt19937_64 random(seed);
            const SyntheticRun run = namedTasks(random);
            const auto source = TimelineSource::create(run.record, run.workload);
            for (std::size_t track = 0; track < source->tracks().size(); ++track)
                for (std::int32_t i = 0; i < source->intervalCount(track); ++i) {
                    const TaskIndex task = source->interval(track, i).task;
                    if (task >= 0)
                        QVERIFY(intervalOfTask(*source, source->tracks()[track].rankClass, task) == (TimelineSelection{track, i}));
                }
        }
    }

    void T10_arrowsGoFromEndToBeginAndOfAMessageToItsArrival()
    {
        const SyntheticRun run = twoMessages();
        const auto source = TimelineSource::create(run.record, run.workload);
        TimelineView view;
        view.resize(188 + 12 + 300, 300); // 1 us per pixel
        view.setSource(source, run.workload);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.setGroupOpen(source->classOf(0), true);
        view.setGroupOpen(source->classOf(1), true);
        view.setSelection(placeOf(*source, "0:send two"));

        const std::vector<FlowArrow> arrows = view.arrows();

        QCOMPARE(arrows.size(), 3U); // From "send one", from "make", to "want two".
        QCOMPARE(arrows[0].from.x(), 188.0 + 110);
        QCOMPARE(arrows[0].to.x(), 188.0 + 200);
        QCOMPARE(arrows[1].from.x(), 188.0 + 100);
        QVERIFY(arrows[2].message);
        QCOMPARE(arrows[2].from.x(), 188.0 + 200);
        QCOMPARE(arrows[2].to.x(), 188.0 + 215);
        QCOMPARE(arrows[2].to.y(), view.trackRect(placeOf(*source, "1:want two").track).center().y());
        view.setArrowsShown(false);
        QVERIFY(view.arrows().empty());
    }

    void T10_commandsJumpAlongTheFlow()
    {
        const SyntheticRun run = twoMessages();
        const auto source = TimelineSource::create(run.record, run.workload);
        TimelineView view;
        view.resize(800, 300);
        view.setSource(source, run.workload);
        for (int group = 0; group < 2; ++group)
            view.setGroupOpen(group, false); // What is gone to is opened.
        view.setSelection(placeOf(*source, "1:use"));

        view.goToPredecessor();
        QVERIFY(view.selection() == placeOf(*source, "1:want two"));
        view.goToPartner();
        QVERIFY(view.selection() == placeOf(*source, "0:send two"));
        view.goToPredecessor();
        view.goToPredecessor();
        QVERIFY(view.selection() == placeOf(*source, "0:make"));
        view.goToPredecessor(); // Nothing was waited for.
        QVERIFY(view.selection() == placeOf(*source, "0:make"));
        view.goToSuccessor();
        QVERIFY(view.selection() == placeOf(*source, "0:send one"));
    }

    void T10_withoutAWorkloadThereAreNoArrows()
    {
        const SyntheticRun run = twoMessages();
        TimelineView view;
        view.setSource(TimelineSource::create(run.record, run.workload));
        view.setSelection(TimelineSelection{0, 0});

        QVERIFY(view.flow() == TimelineFlow{});
        QVERIFY(view.arrows().empty());
    }

    /// Compared with the sorted list of all intervals whose name, in small letters, contains the text.
    void findGoesThroughAllNamesInTheOrderOfTime()
    {
        for (const std::uint64_t seed : Seeds(200, 20)) {
            std::mt19937_64 random(seed);
            const SyntheticRun run = namedTasks(random);
            const auto source = TimelineSource::create(run.record, run.workload);
            for (const char* const text : {"LAYER", "layer2", "f", "step", "none such", "e"}) {
                std::vector<std::tuple<std::int64_t, std::size_t, std::int32_t>> wanted;
                std::vector<TimelineSelection> all;
                for (std::size_t track = 0; track < source->tracks().size(); ++track)
                    for (std::int32_t i = 0; i < source->intervalCount(track); ++i) {
                        all.push_back({track, i});
                        const QString name = QString::fromStdString(source->event(track, i).name);
                        if (source->interval(track, i).task >= 0 && name.contains(QLatin1String(text), Qt::CaseInsensitive))
                            wanted.emplace_back(source->interval(track, i).beginPs, track, i);
                    }
                std::sort(wanted.begin(), wanted.end());
                const TimelineMatches matches = TimelineMatches::find(source, run.workload, text);
                QCOMPARE(matches.count(), static_cast<std::int64_t>(wanted.size()));
                const auto placeAt = [&](std::size_t i) { return TimelineSelection{std::get<1>(wanted[i]), std::get<2>(wanted[i])}; };
                if (wanted.empty()) {
                    QVERIFY(!matches.from(0) && !matches.next(all.front()) && !matches.previous(all.front()));
                    continue;
                }
                for (std::size_t i = 0; i < wanted.size(); ++i) {
                    QCOMPARE(matches.numberOf(placeAt(i)), static_cast<std::int64_t>(i) + 1);
                    QVERIFY(matches.next(placeAt(i)) == placeAt((i + 1) % wanted.size()));
                    QVERIFY(matches.previous(placeAt((i + 1) % wanted.size())) == placeAt(i));
                }
                for (const TimelineSelection& at : all) {
                    const auto key = std::tuple(source->interval(at.track, at.index).beginPs, at.track, at.index);
                    const auto next = static_cast<std::size_t>(std::upper_bound(wanted.begin(), wanted.end(), key) - wanted.begin());
                    QVERIFY(matches.next(at) == placeAt(next % wanted.size()));
                    if (!std::binary_search(wanted.begin(), wanted.end(), key))
                        QCOMPARE(matches.numberOf(at), 0);
                    const auto first = std::find_if(wanted.begin(), wanted.end(), [&](const auto& one) { return std::get<0>(one) >= std::get<0>(key); });
                    QVERIFY(matches.from(std::get<0>(key)) == placeAt(first == wanted.end() ? 0 : static_cast<std::size_t>(first - wanted.begin())));
                }
            }
        }
    }

    void namesOfALongRunAreLookedForOnEveryTrack()
    {
        RunBuilder many;
        for (int i = 0; i < 50; ++i)
            many.compute("step", 10 * i, 10 * i + 5);
        many.compute("end", 500, 505);
        RunBuilder few;
        few.compute("rare", 0, 5);
        const SyntheticRun run = runOf({rankOf(many), rankOf(few)});
        const auto source = TimelineSource::create(run.record, run.workload);
        const auto found = [&](std::int64_t budget, std::size_t most = 8) {
            std::vector<std::string> names;
            for (const NamedTask& task : namedTasks(*source, *run.workload, "E", most, budget))
                names.push_back(task.name);
            return names;
        };
        // Of 52 intervals.
        QCOMPARE(found(52), (std::vector<std::string>{"step", "end", "rare"}));
        QCOMPARE(found(51), (std::vector<std::string>{"step", "rare"}));
        QCOMPARE(found(2), (std::vector<std::string>{"step", "rare"}));
        QCOMPARE(found(0), std::vector<std::string>());
        QCOMPARE(found(52, 1), std::vector<std::string>{"step"});
    }

    void waitingTakesNoPartOfTheSearchForNames()
    {
        RunBuilder first;
        RunBuilder second;
        for (int i = 0; i < 10; ++i) {
            first.collective("sum", CollectiveOp::AllReduce, 0, 100, 10 * i, 10 * i + 5);
            second.collective(i < 9 ? "sum" : "last", CollectiveOp::AllReduce, 0, 100, 10 * i, 10 * i + 5);
        }
        const SyntheticRun run = runOf({rankOf(first), rankOf(second)});
        const auto source = TimelineSource::create(run.record, run.workload);
        QVERIFY(std::any_of(source->tracks().begin(), source->tracks().end(), [](const TimelineTrack& track) { return track.kind == TimelineTrack::Kind::Waiting; }));
        QCOMPARE(namedTasks(*source, *run.workload, "last", 8, 20).size(), 1U);
    }

    void anEmptyTextFindsNothing()
    {
        const SyntheticRun run = twoMessages();
        QCOMPARE(TimelineMatches::find(TimelineSource::create(run.record, run.workload), run.workload, "").count(), 0);
    }
};

FABRICSCOPE_GUI_TEST(TimelineFlowTest)
#include "tst_timelineflow.moc"
