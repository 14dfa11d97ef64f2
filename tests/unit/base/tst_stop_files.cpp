// Whatever reads or writes files hears a stop at every moment (support/stopmoments.h): platforms, programs, traces, saved runs, reports.
#include "core/base/index.h"
#include "core/base/jsontext.h"
#include "core/base/stop.h"
#include "core/formats/infragraph/reduce.h"
#include "core/generate/generate.h"
#include "core/program/onesided.h"
#include "core/programio/mscclpp.h"
#include "core/programio/mscclwriter.h"
#include "core/programio/mscclxml.h"
#include "core/programio/programjson.h"
#include "core/programio/programtraces.h"
#include "core/report/html.h"
#include "core/report/runfile.h"
#include "core/report/runtext.h"
#include "core/report/timeline.h"
#include "core/trace/etfile.h"
#include "core/trace/lint.h"
#include "core/workload/traceworkload.h"
#include "core/yaml/tree.h"
#include "tests/unit/support/cases/plantext.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "tests/unit/support/cases/tracefiles.h"
#include "tests/unit/support/stopmoments.h"
#include "tests/unit/support/testprogram.h"

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

std::string yamlNodes(int count)
{
    std::string text = "platform:\n  nodes:\n";
    for (int i = 0; i < count; ++i)
        text += "    - {name: a node with a long name " + std::to_string(i) + ", kind: npu}\n";
    return text;
}

/// yaml-cpp tells nothing of a list in brackets before its end, as all of it might be a key.
std::string yamlBrackets(int count)
{
    std::string text = "list: [0";
    for (int i = 1; i < count; ++i)
        text += ", " + std::to_string(i);
    return text + "]\n";
}

/// `hosts` machines of 8 accelerators and a switch, all joined to one switch.
std::string infraGraph(int hosts)
{
    std::string text = "devices:\n- name: host\n  components: [{name: xpu, count: 8, choice: xpu}, {name: sw, count: 1, choice: switch}]\n"
                       "  links: [{name: nvlink, description: nvlink_4}]\n  edges:\n"
                       "  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: nvlink}\n"
                       "- name: core\n  components: [{name: asic, count: 1, choice: switch}]\n  links: []\n  edges: []\n"
                       "links: [{name: eth}]\ninstances: [{name: host, device: host, count: "
        + std::to_string(hosts) + "}, {name: core, device: core, count: 1}]\nedges:\n";
    for (int host = 0; host < hosts; ++host)
        text += "- {ep1: {instance: 'host[" + std::to_string(host) + "]', component: sw}, ep2: {instance: core, component: asic}, scheme: many2many, link: eth}\n";
    return text;
}

ProgramPtr generated(const char* algorithm, CollectiveOp op, std::int32_t ranks)
{
    GenerateRequest request;
    request.algorithm = algorithm;
    request.op = op;
    request.axes = {ranks};
    Result<ProgramPtr> program = generateProgram(request);
    if (!program)
        qFatal("%s", program.error().text().c_str());
    return program.value();
}

ProgramPtr ring(std::int32_t ranks)
{
    return expandTemplate(generated("ring", CollectiveOp::AllReduce, ranks)).value();
}

/// Every rank copies from its neighbour, again and again.
std::string plan(int ranks, int rounds)
{
    PlanText out;
    out.ranks.resize(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        PlanText::Rank& own = out.ranks[at(rank)];
        own.input = 1;
        own.output = ranks;
        own.memory = {(rank + 1) % ranks, (rank + ranks - 1) % ranks};
        own.buffers = {{(rank + 1) % ranks, "o"}};
        own.blocks.emplace_back();
        for (int i = 0; i < rounds; ++i) {
            own.blocks[0].push_back(PlanText::data("put", {PlanText::here("i", 0)}, {PlanText::there(0, rank)}, "memory"));
            own.blocks[0].push_back(PlanText::message("signal", {0}));
            own.blocks[0].push_back(PlanText::message("wait", {1}));
        }
    }
    return out.document().dump();
}

/// Ranks that compute, reduce and send to the next.
std::vector<std::vector<EtNode>> traceNodes(int ranks, int rounds)
{
    std::vector<std::vector<EtNode>> out(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        for (int i = 0; i < rounds; ++i) {
            const auto first = static_cast<std::uint64_t>(i) * 4;
            std::vector<EtNode>& own = out[at(rank)];
            own.push_back(compNode(first, 3));
            own.push_back(collNode(first + 1, EtCommType::AllReduce, 1 << 20, {first}));
            own.push_back(sendNode(first + 2, (rank + 1) % ranks, i, 4096, {first + 1}));
            own.push_back(recvNode(first + 3, (rank + ranks - 1) % ranks, i, 4096, {first + 1}));
        }
    }
    return out;
}

std::string traceJson(int nodes)
{
    std::string text = "{\"nodes\": [";
    for (int i = 0; i < nodes; ++i)
        text += (i > 0 ? std::string(",") : std::string()) + "{\"id\": " + std::to_string(i) + ", \"name\": \"a computation with a long name\", \"type\": 4, \"duration_micros\": 3}";
    return text + "]}";
}

/// A run of many tasks, with everything a report shows.
RunSummary summaryOf(const SyntheticRun& run)
{
    RunSummary summary;
    summary.name = "stop";
    summary.designHash = std::string(32, '0');
    summary.record = run.record;
    return summary;
}

/// For work that ends by throwing: its text, or Cancelled.
template <typename Text>
bool textStopped(const Text& text)
{
    return wasStopped(untilStopped([&]() -> Result<std::string> { return text(); }));
}

} // namespace

class StopFilesTest : public QObject {
    Q_OBJECT
private slots:
    void yamlHearsIt_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("nodes") << QString::fromStdString(yamlNodes(2000));
        QTest::newRow("brackets") << QString::fromStdString(yamlBrackets(40'000));
    }
    void yamlHearsIt()
    {
        QFETCH(QString, text);
        const std::string yaml = text.toStdString();
        checkHeardWithin(3000, [&](const std::stop_token& stop) { return wasStopped(YamlDocument::parse(yaml, "a.yaml", stop)); });
    }

    void jsonHearsIt()
    {
        const std::string text = traceJson(5000);
        checkHeardWithin(1000, [&](const std::stop_token& stop) { return wasStopped(parseJson(text, "a.json", stop)); });
    }

    void infraGraphHearsIt()
    {
        const std::string text = infraGraph(400);
        checkHeardWithin(500, [&](const std::stop_token& stop) {
            return wasStopped(untilStopped([&]() -> Result<InfraReading> { return inspectInfraGraph(text, "a.yaml", stop); }));
        });
        const InfraDocument document = inspectInfraGraph(text, "a.yaml").document;
        const InfraExpansion graph = expandInfraGraph(document).value();
        checkHeardWithin(500, [&](const std::stop_token& stop) {
            return wasStopped(untilStopped([&]() -> Result<InfraReduction> { return reduceInfraGraph(document, graph, [](const InfraEdge&) { return false; }, stop); }));
        });
    }

    void templatesWrittenOutHearIt_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("ranks");
        QTest::newRow("ring") << QStringLiteral("ring") << static_cast<int>(CollectiveOp::AllReduce) << 64;
        QTest::newRow("direct all-to-all") << QStringLiteral("direct") << static_cast<int>(CollectiveOp::AllToAll) << 64;
        QTest::newRow("halving-doubling") << QStringLiteral("halving_doubling") << static_cast<int>(CollectiveOp::AllReduce) << 100;
    }
    void templatesWrittenOutHearIt()
    {
        QFETCH(QString, algorithm);
        QFETCH(int, op);
        QFETCH(int, ranks);
        const ProgramPtr program = generated(algorithm.toUtf8().constData(), static_cast<CollectiveOp>(op), ranks);
        QVERIFY(program->isTemplate());
        checkHeardWithin(500, [&](const std::stop_token& stop) { return wasStopped(expandTemplate(program, stop)); });
    }

    void readersOfProgramsHearIt()
    {
        const ProgramPtr program = ring(32);
        const std::string xml = writeMsccl(program).value().text;
        checkHeardWithin(500, [&](const std::stop_token& stop) { return wasStopped(parseMsccl(xml, "a.xml", stop)); });
        const std::string json = writeProgramJson(*program);
        checkHeardWithin(500, [&](const std::stop_token& stop) { return wasStopped(parseProgramJson(json, "a.json", stop)); });
        const std::string executed = plan(8, 100);
        checkHeardWithin(1000, [&](const std::stop_token& stop) { return wasStopped(parseMscclppPlan(executed, "a.json", nullptr, stop)); });
        const std::vector<ProgramTrace> graphs = programTraces(*program, 1 << 20).value();
        checkHeardWithin(500, [&](const std::stop_token& stop) { return wasStopped(programOfTraces(graphs, "a", stop)); });
    }

    void generatorsHearIt_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<int>("op");
        const auto row = [](const char* algorithm, CollectiveOp op) { QTest::newRow(algorithm) << QString::fromUtf8(algorithm) << static_cast<int>(op); };
        row("recursive_doubling", CollectiveOp::AllReduce);
        row("bruck", CollectiveOp::AllGather);
        row("direct_one_phase", CollectiveOp::AllReduce);
        row("multi_ring", CollectiveOp::AllReduce);
        row("scatter_allgather", CollectiveOp::Broadcast);
        row("swing", CollectiveOp::AllReduce);
        row("two_step", CollectiveOp::AllToAll);
    }
    void generatorsHearIt()
    {
        QFETCH(QString, algorithm);
        QFETCH(int, op);
        GenerateRequest request;
        request.algorithm = algorithm.toStdString();
        request.op = static_cast<CollectiveOp>(op);
        request.axes = {8, 8};
        if (!checkGenerate(request))
            request.axes = {64};
        request.chunks = 8;
        request.rings = 2;
        // Before its first operation a generator makes small tables.
        checkHeardWithin(1200, [&](const std::stop_token& stop) {
            request.stop = stop;
            return wasStopped(generateProgram(request));
        });
    }

    void oneSidedProgramsHearIt()
    {
        const ProgramPtr program = parseMscclppPlan(plan(8, 400), "a.json").value();
        QVERIFY(isOneSided(*program));
        checkHeardWithin(500, [&](const std::stop_token& stop) { return wasStopped(toTwoSided(program, BareSignals::Keep, stop)); });
    }

    void writersOfProgramsHearIt()
    {
        const ProgramPtr program = ring(32);
        // Of a program in JSON all but the tags goes into one text, which seldom grows.
        checkHeardWithin(200, [&](const std::stop_token& stop) { return textStopped([&] { return writeProgramJson(*program, stop); }); });
        checkHeardWithin(1000, [&](const std::stop_token& stop) { return wasStopped(writeMsccl(program, {true, stop})); });
        checkHeardWithin(2000, [&](const std::stop_token& stop) { return wasStopped(programTraces(*program, 1 << 20, stop)); });
    }

    void tracesHearIt()
    {
        const std::string json = traceJson(5000);
        checkHeardWithin(1000, [&](const std::stop_token& stop) { return wasStopped(readTraceJson(json, {}, stop)); });
        const TraceSet traces = traceSet(traceNodes(4, 2000));
        checkHeardWithin(500, [&](const std::stop_token& stop) {
            return wasStopped(untilStopped([&]() -> Result<Diagnostics> { return lintTraces(traces, {}, {CtrlDeps::Auto, 0, 1, stop}); }));
        });
        TraceWorkloadOptions options;
        checkHeardWithin(50, [&](const std::stop_token& stop) {
            options.stop = stop;
            return wasStopped(workloadFromTraces(traces, {}, options));
        });
    }

    void reportsHearIt()
    {
        const SyntheticRun run = manyIntervals(20'000, 1000);
        const RunSummary summary = summaryOf(run);
        const std::string saved = runFileText(summary, {});
        checkHeardWithin(500, [&](const std::stop_token& stop) { return textStopped([&] { return runText(summary, {}, RankRows::All, nullptr, stop); }); });
        checkHeardWithin(250, [&](const std::stop_token& stop) { return textStopped([&] { return runJson(summary, {}, RankRows::All, nullptr, stop); }); });
        checkHeardWithin(500, [&](const std::stop_token& stop) { return textStopped([&] { return runFileText(summary, {}, stop); }); });
        checkHeardWithin(500, [&](const std::stop_token& stop) { return textStopped([&] { return timelineTrace(*run.record, *run.workload, RankRows::All, stop); }); });
        checkHeardWithin(500, [&](const std::stop_token& stop) { return textStopped([&] { return timelineCsv(*run.record, *run.workload, RankRows::All, stop); }); });
        checkHeardWithin(500, [&](const std::stop_token& stop) { return textStopped([&] { return reportHtml(summary, stop); }); });
        checkHeardWithin(500, [&](const std::stop_token& stop) { return wasStopped(readRunText(saved, "a.run", stop)); });
    }
};

FABRICSCOPE_TEST(StopFilesTest)
#include "tst_stop_files.moc"
