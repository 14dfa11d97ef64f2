// Chakra traces with the times of a run, read back by the reader of traces: times as in the table of the timeline, dependencies as in the workload, and the linter finds no error.
#include "core/report/timedtraces.h"
#include "core/report/timeline.h"
#include "core/trace/etnodes.h"
#include "core/trace/lint.h"
#include "core/workload/traceworkload.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/mixeddesign.h"
#include "tests/unit/support/completerun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <optional>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

const Workload& workloadOf(const RunResult& run)
{
    return *run.scenario->structure->workload;
}

std::optional<std::int64_t> attribute(const EtNode& node, const std::string& name)
{
    const auto found = std::find_if(node.attributes.begin(), node.attributes.end(), [&](const EtAttribute& entry) { return entry.name == name; });
    return found == node.attributes.end() ? std::nullopt : std::optional(found->integers.at(0));
}

/// Begin and end by rank and node, from the table of the timeline.
using Times = std::map<std::pair<std::int64_t, std::uint64_t>, std::pair<std::int64_t, std::int64_t>>;

Times timesInTable(const RunResult& run)
{
    Times times;
    const QStringList lines = QString::fromStdString(timelineCsv(run.record(), workloadOf(run), RankRows::All)).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    for (const QString& line : lines.mid(1)) {
        // Names, which may hold commas, stand in the middle.
        const QStringList cells = line.split(QLatin1Char(','));
        const auto ps = [&](qsizetype fromEnd) { return static_cast<std::int64_t>(std::llround(cells.at(cells.size() - fromEnd).toDouble() * 1000)); };
        times[{cells.at(0).toLongLong(), cells.at(2).toULongLong()}] = {ps(3), ps(2)};
    }
    return times;
}

/// Of a node against its task; the reason why they differ.
QString wrongNode(const EtNode& node, const RankGraph& graph, TaskIndex task, const Times& times, std::int64_t rank)
{
    const auto known = times.find({rank, graph.sourceId[at(task)]});
    if (known == times.end())
        return QStringLiteral("the timeline does not have it");
    const auto [begin, end] = known->second;
    if (node.name != graph.name(task) || attribute(node, "start_ps") != begin || attribute(node, "duration_ps") != end - begin)
        return QStringLiteral("another name or time");
    if (node.startMicros != static_cast<std::uint64_t>(begin / 1'000'000))
        return QStringLiteral("start_time_micros is %1").arg(node.startMicros);
    const auto off = std::abs(static_cast<std::int64_t>(node.durationMicros) * 1'000'000 - (end - begin));
    if ((node.durationMicros == 0) != (end == begin) || (off > 500'000 && node.durationMicros != 1))
        return QStringLiteral("duration_micros is %1").arg(node.durationMicros);
    std::vector<std::uint64_t> before;
    for (const TaskIndex of : graph.dependencies(task))
        before.push_back(graph.sourceId[at(of)]);
    return node.dataDeps == before && node.ctrlDeps.empty() ? QString() : QStringLiteral("other dependencies");
}

/// All ranks of a written set; the reason why they are not what was run.
QString wrongTraces(const TraceSet& traces, const RunResult& run)
{
    const Times times = timesInTable(run);
    for (std::int32_t rank = 0; rank < workloadOf(run).rankCount; ++rank) {
        const RankGraph& graph = workloadOf(run).graph(rank);
        const auto nodes = readAllNodes(traces.rank(rank), traces.file(rank));
        if (!nodes || nodes.value().size() != at(graph.size()))
            return QStringLiteral("rank %1 has other nodes").arg(rank);
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            if (const QString wrong = wrongNode(nodes.value()[at(task)], graph, task, times, rank); !wrong.isEmpty())
                return QStringLiteral("rank %1, task %2: ").arg(rank).arg(task) + wrong;
        }
    }
    return {};
}

/// Rank 0 computes for 1.5 us and sends 1000 B at 10 B/ns over 500 ns to rank 1.
const char* const kOneMessage = "fabricscope: 1\nplatform: {topology: FullyConnected(2), bandwidth: 10 GB/s, latency: 500 ns}\nworkload:\n  steps:\n"
                                "    - {compute: 1500 ns, ranks: \"0\", name: work}\n    - {send: 1000 B, to: 1, ranks: \"0\", name: out, after: work}\n    - {receive: 1000 B, from: 0, ranks: \"1\", name: in}\n";

} // namespace

class TestTimedTraces : public QObject {
    Q_OBJECT

private slots:
    void timesByHand()
    {
        const RunResultPtr run = completeRun(kOneMessage);
        QVERIFY(run);
        const std::vector<EtNode> first = timedTraces(run->record(), workloadOf(*run)).nodesOf(0);
        const std::vector<EtNode> second = timedTraces(run->record(), workloadOf(*run)).nodesOf(1);
        QCOMPARE(first.size(), std::size_t{2});
        QCOMPARE(first[0].name, std::string("work"));
        QCOMPARE(first[0].startMicros, std::uint64_t{0});
        QCOMPARE(first[0].durationMicros, std::uint64_t{2});
        QVERIFY(attribute(first[0], "duration_ps") == 1'500'000);
        QCOMPARE(first[1].startMicros, std::uint64_t{1});
        QVERIFY(attribute(first[1], "start_ps") == 1'500'000);
        QCOMPARE(first[1].dataDeps, std::vector<std::uint64_t>{first[0].id});
        // Waits from the start on for 1500 + 500 + 100 ns.
        QCOMPARE(second.size(), std::size_t{1});
        QVERIFY(attribute(second[0], "start_ps") == 0);
        QVERIFY(attribute(second[0], "duration_ps") == 2'100'000);
        QCOMPARE(second[0].durationMicros, std::uint64_t{2});
    }

    void whatNeverEndedHasNoDuration()
    {
        const RunResultPtr run = completeRun(kOneMessage);
        QVERIFY(run);
        RunRecord open = run->record();
        QVERIFY(timedTraces(open, workloadOf(*run)).notes().empty());
        for (RankClass& ranks : open.classes) {
            auto times = std::make_shared<TaskTimes>(*ranks.tasks);
            if (ranks.ranks.contains(0)) {
                times->endPs = {-1, -1};
                times->issuePs[1] = -1;
            }
            ranks.tasks = std::move(times);
        }
        const ExportedTraces traces = timedTraces(open, workloadOf(*run));
        const std::vector<EtNode> nodes = traces.nodesOf(0);
        QVERIFY(attribute(nodes[0], "start_ps") == 0);
        QVERIFY(!attribute(nodes[1], "start_ps"));
        for (const EtNode& node : nodes) {
            QCOMPARE(node.durationMicros, std::uint64_t{0});
            QVERIFY(!attribute(node, "duration_ps"));
        }
        QCOMPARE(traces.notes().size(), std::size_t{1});
        QVERIFY2(traces.notes().front().message.starts_with("2 tasks never ended"), traces.notes().front().message.c_str());
    }

    void randomRunsReadBack_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"links", "flow", "astra-aware"})
            QTest::newRow(model) << QString::fromLatin1(model);
    }
    void randomRunsReadBack()
    {
        QFETCH(const QString, model);
        int read = 0;
        int grouped = 0;
        for (const std::uint64_t seed : Seeds(7500, 20, 12)) {
            const RunResultPtr run = completeRun(mixedDesign(seed, {model.toStdString(), {}, false}));
            if (!run)
                continue;
            QTemporaryDir folder;
            const std::string prefix = folder.filePath(QStringLiteral("run")).toStdString();
            const auto notes = writeTimedTraces(prefix, run->record(), workloadOf(*run));
            QVERIFY2(notes, notes ? "" : notes.error().text().c_str());
            const auto traces = TraceSet::load(prefix, {workloadOf(*run).rankCount});
            QVERIFY2(traces, traces ? "" : traces.error().text().c_str());
            const QString wrong = wrongTraces(traces.value(), *run);
            QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("seed %1, ").arg(seed) + wrong));
            const bool hasGroups = QFile::exists(folder.filePath(QStringLiteral("run.json")));
            const auto groups = hasGroups ? readCommGroups(prefix + ".json") : Result<CommGroups>(CommGroups{});
            QVERIFY(groups);
            for (const Diagnostic& found : lintTraces(traces.value(), groups.value()))
                QVERIFY2(found.severity != Severity::Error, qPrintable(QStringLiteral("seed %1: ").arg(seed) + QString::fromStdString(found.text())));
            const auto again = workloadFromTraces(traces.value(), groups.value());
            QVERIFY2(again, again ? "" : again.error().text().c_str());
            QCOMPARE(again.value().workload->taskCount(), workloadOf(*run).taskCount());
            ++read;
            grouped += hasGroups ? 1 : 0;
        }
        QVERIFY2(read >= cases(3, 1), qPrintable(QString::number(read)));
        QVERIFY(grouped >= cases(1, 0));
    }
};

FABRICSCOPE_TEST(TestTimedTraces)
#include "tst_timedtraces.moc"
