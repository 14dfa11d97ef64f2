#include "core/base/index.h"
#include "core/choose/choose.h"
#include "core/program/operationbytes.h"
#include "core/language/script.h"
#include "core/program/programbuilder.h"
#include "core/programio/programtraces.h"
#include "core/scenario/programruns.h"
#include "core/sim/common/explicitplan.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// A ring all-reduce as a script; every rank one lane.
const char* const kRing = "-- Ring\n"
                          "collective(\"all_reduce\", {ranks = param(\"ranks\", 4), chunks = param(\"ranks\", 4)})\n"
                          "local sum = {}\n"
                          "for c = 0, ranks() - 1 do sum[c] = chunk(c, \"input\", c) end\n"
                          "for s = 1, ranks() - 1 do\n"
                          "  for c = 0, ranks() - 1 do sum[c] = chunk((c + s) % ranks(), \"input\", c):reduce(sum[c], {step = s - 1}) end\n"
                          "end\n"
                          "for s = 0, ranks() - 2 do\n"
                          "  for c = 0, ranks() - 1 do sum[c] = sum[c]:copy((c + s) % ranks(), \"input\", c, {step = ranks() - 1 + s}) end\n"
                          "end\n";

std::string designText(const std::string& size, const std::string& collectives, const std::string& model = "links", const char* shape = "ring", int ranks = 4)
{
    return "fabricscope: 1\nplatform: {dimensions: [{shape: " + std::string(shape) + ", size: " + std::to_string(ranks)
        + ", bandwidth: 64 GiB/s, latency: 500 ns}]}\nworkload: {collective: all_reduce, size: " + size + "}\ncollectives: " + collectives + "\nmodel: {name: " + model + "}\n";
}

Design designOf(const std::string& text, const std::string& folder = {})
{
    auto loaded = readDesignText(text, folder + (folder.empty() ? "" : "/") + "design.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

RunRecord runOf(const Design& design)
{
    const auto scenario = prepareChosen(design);
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    auto record = simulate(*scenario.value());
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return std::move(record).value();
}

Error refused(const Design& design)
{
    const auto scenario = prepareChosen(design);
    return scenario ? Error{ErrorCode::Internal, "it was prepared", {}, {}} : scenario.error();
}

std::string inlineScript(const std::string& more = {})
{
    std::string script = kRing;
    std::string quoted;
    for (const char c : script)
        quoted += c == '\n' ? "\\n" : c == '"' ? "\\\"" : std::string(1, c);
    return "{default: {script: \"" + quoted + "\"" + more + "}}";
}

} // namespace

class ProgramsRunTest : public QObject {
    Q_OBJECT

private slots:
    /// 6 steps of L + x/B with x = S/4 on a ring of 4: the closed form, in all models, and the same as the template's.
    void aScriptTakesTheTimeOfItsRing_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"links", "ideal", "flow"})
            QTest::newRow(model) << model;
    }
    void aScriptTakesTheTimeOfItsRing()
    {
        QFETCH(const QString, model);
        const RunRecord script = runOf(designOf(designText("1 MiB", inlineScript(), model.toStdString())));
        const RunRecord native = runOf(designOf(designText("1 MiB", "{default: {algorithm: ring, chunks: 1}}", model.toStdString())));
        const std::int64_t exact = 6 * (500'000 + static_cast<std::int64_t>(static_cast<double>(kMiB / 4) * 1e12 / (64.0 * 1024 * 1024 * 1024) + 0.999));
        QVERIFY2(std::abs(script.finish.ps - exact) <= 6, qPrintable(QString::number(script.finish.ps)));
        QCOMPARE(script.finish, native.finish);
    }

    /// A design that names the graphs of a program runs the program: with the memory's time for sums, which the nodes do not say, and at any size.
    void graphsOfAProgramRunAsTheProgram()
    {
        const QTemporaryDir folder;
        ScriptRequest request;
        request.text = kRing;
        const auto script = compileScript(request);
        QVERIFY(script);
        QVERIFY(writeProgramTraces(*script.value().program, folder.filePath(QStringLiteral("ring")).toStdString(), 1000));
        for (const char* model : {"links", "ideal", "flow"}) {
            const auto withMemory = [&](const std::string& collectives) {
                std::string text = designText("1 MiB", collectives, model);
                return text.insert(text.find("}]}") + 2, ", npu: {memory_bandwidth: 30 GB/s}");
            };
            const RunRecord graph = runOf(designOf(withMemory("{default: {program: ring}}"), folder.path().toStdString()));
            const RunRecord direct = runOf(designOf(withMemory(inlineScript())));
            QCOMPARE(graph.finish, direct.finish);
            QVERIFY(direct.finish > runOf(designOf(designText("1 MiB", inlineScript(), model))).finish);
        }
    }

    void aScriptGetsTheSizeOfItsGroup()
    {
        const RunRecord script = runOf(designOf(designText("6 MiB", inlineScript(), "links", "ring", 6)));
        const RunRecord native = runOf(designOf(designText("6 MiB", "{default: {algorithm: ring, chunks: 1}}", "links", "ring", 6)));
        QCOMPARE(script.finish, native.finish);
    }

    void sayBothNumbersOfRanks()
    {
        const Error error = refused(designOf(designText("1 MiB", inlineScript(", parameters: {ranks: 3}"))));
        QVERIFY2(error.message.find("3 ranks") != std::string::npos && error.message.find("the group has 4") != std::string::npos, error.text().c_str());
        QCOMPARE(error.place.field, std::string("collectives.default"));
        QVERIFY(error.place.line > 0);
    }

    void refuseAProgramForAnotherCollective()
    {
        std::string text = designText("1 MiB", inlineScript());
        text.replace(text.find("collective: all_reduce"), 22, "collective: all_gather");
        const Error error = refused(designOf(text));
        QVERIFY2(error.message.find("is for all_reduce, the collective is all_gather") != std::string::npos, error.text().c_str());
    }

    void invalidProgramsAreRefusedWithTheirFirstFinding()
    {
        // Rank 0 waits for what nobody sends.
        const QTemporaryDir folder;
        std::ofstream(folder.filePath(QStringLiteral("bad.xml")).toStdString())
            << "<algo name=\"bad\" nchunksperloop=\"2\" nchannels=\"1\" proto=\"Simple\" ngpus=\"2\" coll=\"allreduce\" inplace=\"1\">\n"
               "<gpu id=\"0\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"0\"><tb id=\"0\" send=\"-1\" recv=\"1\" chan=\"0\">\n"
               "<step s=\"0\" type=\"rrc\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/></tb></gpu>\n"
               "<gpu id=\"1\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"0\"></gpu></algo>\n";
        const Error error = refused(designOf(designText("1 MiB", "{default: {program: bad.xml}}", "links", "ring", 2), folder.path().toStdString()));
        QVERIFY2(error.message.starts_with("V"), error.text().c_str());
        QVERIFY(error.place.file.find("bad.xml") != std::string::npos);
    }

    void aProgramOutsideItsSizesLeavesTheRuleToTheNext()
    {
        std::string script = inlineScript();
        script.replace(script.find("chunks = param"), 14, "max_bytes = 1024, chunks = param");
        const auto scenario = prepareChosen(designOf(designText("1 MiB", script)));
        QVERIFY2(scenario, scenario ? "" : scenario.error().text().c_str());
        QVERIFY(scenario.value()->structure->instances[0].program->isTemplate());
        const auto& notes = scenario.value()->diagnostics;
        QVERIFY(std::any_of(notes.begin(), notes.end(), [](const Diagnostic& each) { return each.rule == "program-size"; }));
        const auto small = prepareChosen(designOf(designText("1 KiB", script)));
        QVERIFY(small && !small.value()->structure->instances[0].program->isTemplate());
    }

    /// As many messages and bytes as the template with as many chunks.
    void partsFollowEachOther()
    {
        const RunRecord sliced = runOf(designOf(designText("64 MiB", inlineScript(", chunks: 4"))));
        const RunRecord whole = runOf(designOf(designText("64 MiB", inlineScript())));
        QVERIFY(sliced.finish >= whole.finish); // One lane: the next part begins when the lane has done the one before.
        const RunRecord native = runOf(designOf(designText("64 MiB", "{default: {algorithm: ring, chunks: 4}}")));
        QCOMPARE(sliced.dimensions[0].bytes, native.dimensions[0].bytes);
        QCOMPARE(sliced.dimensions[0].messages, native.dimensions[0].messages);
    }

    void slicesCutChunksWhereTheyStood()
    {
        ProgramBuilder builder(CollectiveOp::AllGather, 2, 2);
        builder.transfer({0, BufferKind::Output, 0}, {1, BufferKind::Output, 0}, 1, {});
        builder.transfer({1, BufferKind::Output, 1}, {0, BufferKind::Output, 1}, 1, {});
        builder.extras().chunkWeights = {1, 3};
        const auto sliced = slicedProgram(builder.finish("exchange", "test"), 3);
        QVERIFY(sliced);
        const ExplicitBody& body = sliced.value()->asExplicit();
        QCOMPARE(sliced.value()->chunks, 6);
        QCOMPARE(body.size(), 12U);
        QCOMPARE(body.chunkWeights, (std::vector<std::int64_t>{1, 1, 1, 3, 3, 3}));
        std::vector<std::int32_t> sent;
        for (std::uint32_t op = 0; op < body.rankBegin[1]; ++op)
            if (body.kind[op] == OpKind::Send)
                sent.push_back(body.sourceOffset[op]);
        QCOMPARE(sent, (std::vector<std::int32_t>{0, 1, 2}));
        const OperationBytes sizes(*sliced.value(), 4800);
        std::int64_t sum = 0;
        for (std::uint32_t op = 0; op < body.size(); ++op)
            sum += body.kind[op] == OpKind::Send ? sizes.of(op) : 0;
        QCOMPARE(sum, std::int64_t{4800});
    }

    void routesMustLeadToTheirReceiver()
    {
        const auto platform = Platform::create(astraPlatform("Ring(4)", {50}, {500}));
        QVERIFY(platform);
        const std::vector<NodeId> members{0, 1, 2, 3};
        const auto linkOf = [&](NodeId from, RingDirection way) { return *platform.value().ringLink(0, from, way); };
        const auto program = [&](std::vector<std::int64_t> way) {
            ProgramBuilder builder(CollectiveOp::AllGather, 4, 4);
            ProgramBuilder::How how;
            how.route = 0;
            builder.transfer({0, BufferKind::Output, 0}, {1, BufferKind::Output, 0}, 1, how);
            builder.extras().routes = {std::move(way)};
            return builder.finish("one", "test");
        };
        const auto check = [&](std::vector<std::int64_t> way) { return bool(checkRunnable(*program(std::move(way)), platform.value(), members)); };
        const LinkId plus0 = linkOf(0, RingDirection::Plus), minus0 = linkOf(0, RingDirection::Minus), minus3 = linkOf(3, RingDirection::Minus), minus2 = linkOf(2, RingDirection::Minus);
        QVERIFY(check({plus0}));
        QVERIFY(check({minus0, minus3, minus2})); // the long way round
        QVERIFY(!check({}));
        QVERIFY(!check({minus0, minus3}));
        QVERIFY(!check({minus3, minus0, minus2}));
        QVERIFY(!check({plus0, 99'999}));
        QVERIFY(!check({linkOf(1, RingDirection::Plus)}));
        QVERIFY(!check({-1}));
    }

    /// The long way round takes three latencies instead of one.
    void aRouteOfItsOwnIsTaken()
    {
        const auto finishOf = [](bool longWay) {
            const Platform platform = Platform::create(astraPlatform("Ring(4)", {50}, {500})).value();
            ProgramBuilder builder(CollectiveOp::Custom, 4, 4);
            ProgramBuilder::How how;
            how.route = longWay ? 0 : -1;
            builder.transfer({0, BufferKind::Input, 0}, {1, BufferKind::Input, 1}, 1, how);
            if (longWay)
                builder.extras().routes = {{*platform.ringLink(0, 0, RingDirection::Minus), *platform.ringLink(0, 3, RingDirection::Minus), *platform.ringLink(0, 2, RingDirection::Minus)}};
            LinksScenario links(astraPlatform("Ring(4)", {50}, {500}));
            const ProgramPtr program = builder.finish("one", "test");
            for (std::int32_t rank = 0; rank < 4; ++rank)
                links.collective(rank, 0, 4096, program, {4});
            return runLinks(links.build()).record.finish.ps;
        };
        QCOMPARE(finishOf(true) - finishOf(false), std::int64_t{1'000'000});
    }

    void plansPairSendsAndReceivesInOrder()
    {
        ProgramBuilder builder(CollectiveOp::Custom, 2, 8);
        std::vector<ProgramBuilder::Transfer> made;
        for (std::int32_t k = 0; k < 6; ++k) {
            ProgramBuilder::How how;
            how.connection = k % 2;
            made.push_back(builder.transfer({0, BufferKind::Input, k}, {1, BufferKind::Input, k}, 1, how));
        }
        builder.extras().receiveSlots = 2;
        const ProgramPtr program = builder.finish("six", "test");
        const events::ExplicitPlan plan(program->asExplicit());
        QCOMPARE(plan.unmatched, std::int64_t{0});
        QCOMPARE(plan.wayCount, 1);
        for (std::int32_t k = 0; k < 6; ++k) {
            QCOMPARE(plan.partner[at(k)], 6 + k);
            QCOMPARE(plan.slotFreedBy[at(k)], k < 4 ? -1 : 6 + k - 4);
        }
    }
};

FABRICSCOPE_TEST(ProgramsRunTest)
#include "tst_programs_run.moc"
