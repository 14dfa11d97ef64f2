// Schedules in GOAL: what is read, what becomes of it, what is refused where, and writing as the way back.
#include "core/workload/goalreader.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

GoalSchedule scheduleOf(const std::string& text, Diagnostics* found = nullptr)
{
    Diagnostics diagnostics;
    auto schedule = readGoalSchedule(text, "a.goal", diagnostics);
    if (!schedule)
        qFatal("%s", schedule.error().text().c_str());
    if (found)
        *found = diagnostics;
    return std::move(schedule).value();
}

std::string refusalOf(const std::string& text)
{
    Diagnostics diagnostics;
    const auto schedule = readGoalSchedule(text, "a.goal", diagnostics);
    if (!schedule)
        return schedule.error().text();
    const auto workload = workloadOfGoal(schedule.value(), "a.goal", diagnostics);
    return workload ? std::string() : workload.error().text();
}

WorkloadPtr workloadOf(const std::string& text, Diagnostics* found = nullptr)
{
    Diagnostics diagnostics;
    auto workload = workloadOfGoal(scheduleOf(text), "a.goal", diagnostics);
    if (!workload)
        qFatal("%s", workload.error().text().c_str());
    if (found)
        *found = diagnostics;
    return std::move(workload).value();
}

/// Names of what a task waits for.
std::set<std::string> waitsOf(const RankGraph& graph, const std::string& name)
{
    std::set<std::string> names;
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        for (const TaskIndex before : graph.name(task) == name ? graph.dependencies(task) : std::span<const TaskIndex>())
            names.insert(std::string(graph.name(before)));
    }
    return names;
}

using Names = std::set<std::string>;

GoalSchedule randomSchedule(std::mt19937_64& random)
{
    GoalSchedule schedule;
    schedule.ranks.resize(1 + random() % 4);
    for (GoalRank& rank : schedule.ranks) {
        const std::size_t ops = random() % 9;
        for (std::size_t op = 0; op < ops; ++op) {
            GoalOp made;
            made.kind = static_cast<GoalOp::Kind>(random() % 3);
            made.cpu = static_cast<std::int32_t>(random() % 3);
            made.size = static_cast<std::int64_t>(random() % 1'000'000);
            if (made.kind != GoalOp::Kind::Calc) {
                made.peer = static_cast<std::int32_t>(random() % schedule.ranks.size());
                made.tag = static_cast<std::uint32_t>(random() % 5);
            }
            rank.ops.push_back(made);
            for (std::size_t before = 0; before < op; ++before) {
                if (random() % 3 == 0)
                    rank.needs.push_back({static_cast<std::uint32_t>(op), static_cast<std::uint32_t>(before), random() % 4 == 0});
            }
        }
    }
    return schedule;
}

} // namespace

class GoalScheduleTest : public QObject {
    Q_OBJECT

private slots:
    void operationsAreReadInEveryForm()
    {
        const GoalSchedule schedule = scheduleOf("// made by hand\nnum_ranks 3 /* of\nthree */ rank 1 { l1: calc 1500 cpu 2\n  recv 8b from 2 tag 7\r\n\n}\nrank 0 {\nb: send 1048576b to 1 tag 4 cpu 1 nic 3\n"
                                                  "a: calc 0 // nothing\nb requires a\nb irequires a }\nrank 2 {}\n");
        QCOMPARE(schedule.ranks.size(), std::size_t{3});
        const GoalRank& first = schedule.ranks[0];
        QVERIFY(first.ops.size() == 2 && first.needs.size() == 2 && first.labels == (std::vector<std::string>{"b", "a"}));
        QVERIFY(first.ops[0].kind == GoalOp::Kind::Send && first.ops[0].size == 1'048'576 && first.ops[0].peer == 1 && first.ops[0].tag == 4 && first.ops[0].cpu == 1);
        QVERIFY(first.needs[0].op == 0 && first.needs[0].needed == 1 && !first.needs[0].start && first.needs[1].start);
        const GoalRank& second = schedule.ranks[1];
        QVERIFY(second.ops[0].kind == GoalOp::Kind::Calc && second.ops[0].size == 1500 && second.ops[0].cpu == 2);
        QVERIFY(second.ops[1].kind == GoalOp::Kind::Receive && second.ops[1].peer == 2 && second.ops[1].tag == 7 && second.ops[1].line == 4);
        QVERIFY(schedule.ranks[2].ops.empty());
    }

    void tasksWaitForWhatTheScheduleSays()
    {
        Diagnostics found;
        const WorkloadPtr workload = workloadOf("num_ranks 2\nrank 0 {\nd: calc 5\nc: calc 4\nb: send 8b to 1 tag 0\na: calc 2500\nc requires b\nb requires a\nd irequires c\nd requires a\n}\nrank 1 {\nr: recv 8b from 0 tag 0\nh: calc 7 cpu 1\n}\n", &found);
        const RankGraph& graph = workload->graph(0);
        QCOMPARE(waitsOf(graph, "a"), Names());
        QCOMPARE(waitsOf(graph, "b"), Names{"a"});
        QCOMPARE(waitsOf(graph, "c"), Names{"b"});
        QCOMPARE(waitsOf(graph, "d"), (Names{"a", "b"})); // As c begins.
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            for (const TaskIndex before : graph.dependencies(task))
                QVERIFY(before < task); // As engines want it.
            if (graph.name(task) == "a")
                QCOMPARE(graph.durationPs[at(task)], std::int64_t{2'500'000});
        }
        const RankGraph& second = workload->graph(1);
        QVERIFY(second.kind[0] == TaskKind::Receive && second.peerRank(0, 1) == 0 && second.bytes[0] == 8);
        QVERIFY(second.has(1, TaskFlag::kHost) && second.durationPs[1] == 7000);
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].rule, std::string("goal-irequires"));
    }

    void ringsOfRanksShareTheirTasks()
    {
        std::string text = "num_ranks 8\n";
        for (int rank = 0; rank < 8; ++rank)
            text += "rank " + std::to_string(rank) + " {\ns: send 8b to " + std::to_string((rank + 1) % 8) + " tag 1\nr: recv 8b from " + std::to_string((rank + 7) % 8) + " tag 1\n}\n";
        Diagnostics found;
        const WorkloadPtr workload = workloadOf(text, &found);
        QVERIFY(workload->graphs.size() <= 3); // Where the ring closes the differences are others.
        QVERIFY(found.empty());
    }

    void whatIsOddIsSaid()
    {
        Diagnostics found;
        scheduleOf("num_ranks 2\nrank 0 { }\n", &found);
        QVERIFY(found.size() == 1 && found[0].message.find("1 of 2 ranks have no block") != std::string::npos);
        workloadOf("num_ranks 2\nrank 0 { send 8b to 1 tag 1\n}\nrank 1 { recv 8b from 0 tag 2\n}\n", &found);
        QVERIFY(found.size() == 1 && found[0].rule == "unpaired-send");
        workloadOf("num_ranks 1\nrank 0 { calc 1 cpu 1\ncalc 1 cpu 2\n}\n", &found);
        QVERIFY(found.size() == 1 && found[0].rule == "goal-cpus");
    }

    void whatIsWrongIsSaidWithItsPlace()
    {
        const std::string head = "num_ranks 2\nrank 0 {\n";
        const std::pair<std::string, const char*> cases[] = {
            {"rank 0 {}", "a.goal:1:1: \"rank\" (expected num_ranks"},
            {"num_ranks 0", "a.goal:1:11: ranks 0 (expected 1 to"},
            {"num_ranks 99999999999999999999", "a.goal:1:11: ranks 99999999999999999999"},
            {head + "calc 1 tag 3\n}", "a.goal:3:8: \"tag\" stands behind an operation (expected cpu and a number"},
            {head + "l1: calc -5\n}", "a.goal:3:10: calc -5 (expected 0 to"},
            {head + "l1: send 8 to 1\n}", "a.goal:3:12: \"to\" (expected bytes as 8b)"},
            {head + "l1: send 8b from 1\n}", "a.goal:3:13: \"from\" (expected to and a rank)"},
            {head + "l1: send 8b to 2\n}", "a.goal:3:16: to 2 (expected 0 to 1)"},
            {head + "l1: recv 8b from -1\n}", "a.goal:3:18: a receive from any rank"},
            {head + "l1: recv 8b from 1 tag -1\n}", "a.goal:3:24: a message of any tag"},
            {head + "l1: calc 1\nl1: calc 2\n}", "a.goal:4:1: the label \"l1\" stands there twice"},
            {head + "l1: calc 1\nl1 requires l2\n}", "a.goal:4:13: there is no operation \"l2\" in this rank"},
            {head + "l1: calc 1\nl1 needs l2\n}", "a.goal:4:4: \"needs\" (expected \":\", requires or irequires"},
            {head + "l1: calc 1 l2: calc 2\n}", "a.goal:3:12: \"l2\" stands behind an operation"},
            {head + "l1: calc 1\n", "a.goal:4:1: the file ends (expected an operation, a label or })"},
            {head + "}\nrank 0 {}", "a.goal:4:1: rank 0 stands there twice"},
            {head + "}\nrank 2 {}", "a.goal:4:6: rank 2 (expected 0 to 1)"},
            {head + "a: calc 1\nb: calc 1\nc: calc 1\na requires b\nb requires a\nc requires a\n}", "waits for itself"},
            {head + "a: calc 1\na requires a\n}", "a.goal:3, rank 0: \"a\" waits for itself"},
        };
        for (const auto& [text, said] : cases) {
            const std::string refusal = refusalOf(text);
            QVERIFY2(refusal.find(said) != std::string::npos, (text + "\n" + refusal).c_str());
        }
        const std::string circle = refusalOf(cases[std::size(cases) - 2].first);
        QVERIFY2(circle.find("\"c\"") == std::string::npos, circle.c_str()); // c only waits for the circle.
    }

    void writingIsTheWayBack()
    {
        std::mt19937_64 random(seeded(41));
        for (int i = 0; i < cases(300); ++i) {
            const GoalSchedule schedule = randomSchedule(random);
            const std::string text = goalText(schedule);
            QVERIFY(isGoalSchedule(text));
            const GoalSchedule read = scheduleOf(text);
            QCOMPARE(read.ranks.size(), schedule.ranks.size());
            for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
                const auto same = [](const GoalOp& a, const GoalOp& b) { return a.kind == b.kind && a.cpu == b.cpu && a.size == b.size && a.peer == b.peer && a.tag == b.tag; };
                QVERIFY(std::ranges::equal(read.ranks[rank].ops, schedule.ranks[rank].ops, same));
                const auto equal = [](const GoalNeed& a, const GoalNeed& b) { return a.op == b.op && a.needed == b.needed && a.start == b.start; };
                QVERIFY(std::ranges::equal(read.ranks[rank].needs, schedule.ranks[rank].needs, equal));
            }
        }
    }

    void aFileIsKnownByItsBeginning()
    {
        for (const char* text : {"num_ranks 16\n", "\n// made\n/* by\nhand */ num_ranks\t4 rank 0 {"})
            QVERIFY2(isGoalSchedule(text), text);
        for (const char* text : {"", "num_ranks", "num_ranks: 4", "num_rankss 4", "// num_ranks 4", "/* num_ranks 4", "rank 0 {"})
            QVERIFY2(!isGoalSchedule(text), text);
    }
};

FABRICSCOPE_TEST(GoalScheduleTest)
#include "tst_goalschedule.moc"
