// The timeline of a run for Perfetto, read again as viewers read it: slices nest, flows pair and lie on slices, counters go forward in time.
#include "core/report/timeline.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/mixeddesign.h"
#include "tests/unit/support/completerun.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

namespace {

struct ReadSlice {
    std::string name;
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
struct ReadEnd {
    std::pair<std::int64_t, std::int64_t> thread;
    std::int64_t ps = 0;
};
struct ReadFlow {
    std::vector<ReadEnd> from;
    std::vector<ReadEnd> to;
};
/// A file of trace events, as far as this program writes them.
struct ReadTrace {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<ReadSlice>> threads; ///< By process and thread.
    std::map<std::int64_t, ReadFlow> flows;
    std::map<std::string, std::vector<std::pair<std::int64_t, double>>> counters;
};

/// Microseconds with up to six decimals.
std::int64_t picoseconds(const json& number)
{
    return std::llround(number.get<double>() * 1e6);
}

ReadTrace readTrace(const std::string& text)
{
    ReadTrace trace;
    const json document = json::parse(text);
    for (const json& event : document.at("traceEvents")) {
        const std::string phase = event.at("ph");
        const std::int64_t pid = event.at("pid");
        if (phase == "M")
            continue;
        const std::int64_t ps = picoseconds(event.at("ts"));
        if (phase == "X")
            trace.threads[{pid, event.at("tid")}].push_back({event.at("name"), ps, ps + picoseconds(event.at("dur"))});
        else if (phase == "s" || phase == "f")
            (phase == "s" ? trace.flows[event.at("id")].from : trace.flows[event.at("id")].to).push_back({{pid, event.at("tid")}, ps});
        else if (phase == "C")
            trace.counters[event.at("name")].emplace_back(ps, event.at("args").begin().value().get<double>());
        else
            qFatal("no phase %s is known", phase.c_str());
    }
    return trace;
}

const ReadSlice* sliceAt(const ReadTrace& trace, const ReadEnd& end)
{
    const auto thread = trace.threads.find(end.thread);
    if (thread == trace.threads.end())
        return nullptr;
    const ReadSlice* found = nullptr; // Where one ends and the next begins the next is meant.
    for (const ReadSlice& slice : thread->second) {
        if (slice.begin <= end.ps && end.ps <= slice.end && (!found || slice.begin > found->begin))
            found = &slice;
    }
    return found;
}

/// What must hold of any file of trace events; the reason why not.
QString brokenRule(ReadTrace& trace)
{
    for (auto& [thread, slices] : trace.threads) {
        std::stable_sort(slices.begin(), slices.end(), [](const ReadSlice& a, const ReadSlice& b) { return a.begin < b.begin; });
        std::vector<std::int64_t> open;
        for (const ReadSlice& slice : slices) {
            while (!open.empty() && open.back() <= slice.begin)
                open.pop_back();
            if (!open.empty() && slice.end > open.back())
                return QStringLiteral("a slice ends at %1 ps, behind the one it lies in").arg(slice.end);
            open.push_back(slice.end);
        }
    }
    for (const auto& [id, flow] : trace.flows) {
        if (flow.from.size() != 1 || flow.to.size() != 1)
            return QStringLiteral("flow %1 has %2 begins and %3 ends").arg(id).arg(flow.from.size()).arg(flow.to.size());
        if (flow.to[0].ps < flow.from[0].ps)
            return QStringLiteral("flow %1 goes back in time").arg(id);
        if (!sliceAt(trace, flow.from[0]) || !sliceAt(trace, flow.to[0]))
            return QStringLiteral("flow %1 has an end on no slice").arg(id);
    }
    for (const auto& [name, values] : trace.counters) {
        for (std::size_t i = 1; i < values.size(); ++i) {
            if (values[i].first <= values[i - 1].first)
                return QStringLiteral("counter %1 stands still at %2 ps").arg(QString::fromStdString(name)).arg(values[i].first);
        }
    }
    return {};
}

std::string traceOf(const RunResult& run, RankRows rows)
{
    return timelineTrace(run.record(), *run.scenario->structure->workload, rows);
}

/// Three stages, four micro-batches; eight messages of 1000 B at 10 B/ns.
const char* const kPipeline = "fabricscope: 1\nplatform: {topology: FullyConnected(3), bandwidth: 10 GB/s, latency: 500 ns}\nworkload:\n  steps:\n    - repeat: 4\n      steps:\n"
                              "        - {receive: 1000 B, from: -1, ranks: 1-2, name: input, after: input}\n        - {compute: 1 us, ranks: 0-2, name: work, after: [input, work]}\n"
                              "        - {send: 1000 B, to: +1, ranks: 0-1, name: output, after: work}\n";

} // namespace

class TestTraceEvents : public QObject {
    Q_OBJECT

private slots:
    /// Each message leaves a send of one stage and ends on a receive of the next; the k-th of each meets the k-th.
    void flowsGoFromSendsToTheirReceives()
    {
        const RunResultPtr run = completeRun(kPipeline);
        QVERIFY(run);
        ReadTrace trace = readTrace(traceOf(*run, RankRows::All));
        QCOMPARE(brokenRule(trace), QString());
        QCOMPARE(trace.flows.size(), std::size_t{8});
        std::map<std::int64_t, std::int64_t> sent;
        std::map<std::int64_t, std::int64_t> last;
        for (const auto& [id, flow] : trace.flows) {
            const std::int64_t from = flow.from[0].thread.first;
            QCOMPARE(flow.to[0].thread.first, from + 1);
            QCOMPARE(sliceAt(trace, flow.from[0])->name, std::string("output"));
            QCOMPARE(sliceAt(trace, flow.to[0])->name, std::string("input"));
            QVERIFY(flow.to[0].ps >= last[from]);
            last[from] = flow.to[0].ps;
            ++sent[from];
        }
        QCOMPARE(sent, (std::map<std::int64_t, std::int64_t>{{0, 4}, {1, 4}}));
    }
    /// 8 x 100 ns on six links, whatever the buckets are; at the end nothing is busy.
    void countersAddUpToTheBusyTime()
    {
        const RunResultPtr run = completeRun(kPipeline);
        QVERIFY(run);
        const ReadTrace trace = readTrace(traceOf(*run, RankRows::All));
        QCOMPARE(trace.counters.size(), std::size_t{1});
        const auto& [name, values] = *trace.counters.begin();
        QVERIFY2(name.starts_with("busy: "), name.c_str());
        double busy = 0;
        for (std::size_t i = 1; i < values.size(); ++i)
            busy += values[i - 1].second / 100 * static_cast<double>(values[i].first - values[i - 1].first);
        const double finish = static_cast<double>(run->record().finish.ps);
        QVERIFY2(std::abs(busy * 6 - 800'000) <= 6 * 0.00005 * finish, qPrintable(QString::number(busy * 6)));
        QCOMPARE(values.back().second, 0.0);
    }
    /// Classes of ranks: flows of the first rank of each, and still one end each.
    void everyRandomTraceCanBeRead()
    {
        int flows = 0;
        int counters = 0;
        for (const std::uint64_t seed : Seeds(7400, 60, 8)) {
            const RunResultPtr run = completeRun(mixedDesign(seed, {seed % 2 == 0 ? "links" : "astra-aware", {}, false}));
            if (!run)
                continue;
            for (const RankRows rows : {RankRows::Classes, RankRows::All}) {
                ReadTrace trace = readTrace(traceOf(*run, rows));
                QVERIFY2(brokenRule(trace).isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(brokenRule(trace))));
                flows += static_cast<int>(trace.flows.size());
                counters += static_cast<int>(trace.counters.size());
            }
        }
        QVERIFY2(flows > 0 && counters > 0, qPrintable(QStringLiteral("%1 flows, %2 counters").arg(flows).arg(counters)));
    }
};

FABRICSCOPE_TEST(TestTraceEvents)
#include "tst_traceevents.moc"
