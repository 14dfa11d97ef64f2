// What `standard` runs from physical/4 on, and that nothing listed is faster by a tenth at 1 GiB (manual: collectives 5.7).
#include "core/choose/choose.h"
#include "core/design/file/readdesign.h"
#include "core/platform/presets.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "core/step/collectivereplay.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <array>
#include <map>

using namespace fabricscope;

namespace {

constexpr double kGiB = 1 << 30;
constexpr double kRate = 50e9;

const std::string kReduceGiB = "workload: {collective: all_reduce, size: 1 GiB}\n";

std::string onTopology(const std::string& topology)
{
    return "fabricscope: 1\nplatform: {topology: \"" + topology + "\", bandwidth: 50 GB/s, latency: 500 ns}\n" + kReduceGiB;
}

std::string onPreset(const std::string& preset)
{
    return "fabricscope: 1\nplatform: {preset: " + preset + "}\n" + kReduceGiB;
}

ScenarioPtr scenarioOf(const std::string& text)
{
    auto read = readDesignText(text, "design.yaml");
    const Result<ScenarioPtr> scenario = read ? prepare(read.value().design) : Result<ScenarioPtr>(read.error());
    if (!scenario)
        qWarning("%s\n%s", scenario.error().text().c_str(), text.c_str());
    return scenario ? scenario.value() : nullptr;
}

std::string ran(const std::string& text)
{
    const ScenarioPtr scenario = scenarioOf(text);
    return scenario ? scenario->structure->instances.front().program->name : std::string();
}

/// Seconds; negative: it cannot run.
double secondsOf(const std::string& text, EngineChoice engine = EngineChoice::Auto)
{
    const ScenarioPtr scenario = scenarioOf(text);
    RunOptions options;
    options.engine = engine;
    const Result<RunRecord> record = scenario ? simulate(*scenario, options) : Result<RunRecord>(Error{ErrorCode::Internal, {}, {}, {}});
    return record ? static_cast<double>(record.value().finish.ps) * 1e-12 : -1;
}

std::string byAlgorithm(const std::string& algorithm, int chunks)
{
    return "collectives: {default: {algorithm: " + algorithm + ", chunks: " + std::to_string(chunks) + "}}\n";
}

/// No all-reduce is faster: every NPU has 2 (n - 1) / n of the bytes to send, over all its links.
double leastSeconds(int npus, double ratePerNpu)
{
    return 2 * (npus - 1) * kGiB / npus / ratePerNpu;
}

} // namespace

class StandardAlgorithmsTest : public QObject {
    Q_OBJECT

private slots:
    void isNearTheLeastTimeOnEveryShape()
    {
        for (int npus = 2; npus <= 16; ++npus) {
            const std::string size = '(' + std::to_string(npus) + ')';
            const std::array<std::pair<const char*, double>, 3> shapes{{{"Ring", npus == 2 ? kRate : 2 * kRate}, {"FullyConnected", (npus - 1) * kRate}, {"Switch", kRate}}};
            for (const auto& [shape, rate] : shapes) {
                for (const int chunks : {1, 4}) {
                    const double took = secondsOf(onTopology(shape + size) + byAlgorithm("standard", chunks));
                    QVERIFY2(took >= leastSeconds(npus, rate) && took < 1.1 * leastSeconds(npus, rate), qPrintable(QStringLiteral("%1(%2), %3 chunks: %4 s").arg(shape).arg(npus).arg(chunks).arg(took)));
                }
                for (const char* const model : {"ideal", "flow"}) {
                    if (npus > 8)
                        break;
                    const double took = secondsOf(onTopology(shape + size) + "model: {name: " + model + "}\n");
                    QVERIFY2(took > 0 && took < 1.1 * leastSeconds(npus, rate), qPrintable(QStringLiteral("%1(%2), %3: %4 s").arg(shape).arg(npus).arg(model).arg(took)));
                }
            }
        }
    }

    void isNearTheLeastTimeOfPresets()
    {
        // Products: the dimensions are busy one after the other, or with more chunks at once but doubling steps of all chunks reach the next dimension together; rings of
        // products go one way round, since both ways would be twice the messages or more.
        const QStringList leftOut{"clos-h100-256", "dgx-a100-pod", "w-2d", "conv-3d", "conv-4d", "tpu-v3-1024", "tpu-v4-64", "tpu-v4-4096", "tpu-v5e-256", "tpu-v5p-64", "tpu-v5p-8960", "tpu-v6e-256"};
        int looked = 0;
        for (const PresetInfo& preset : presets()) {
            const std::string name(preset.name);
            if (leftOut.contains(QString::fromStdString(name)))
                continue;
            ++looked;
            const std::string text = onPreset(name);
            const double took = secondsOf(text);
            const auto platform = Platform::create(presetPlatform(name).value());
            double best = 0;
            if (!platform.value().isExplicit()) {
                QCOMPARE(platform.value().dimensions().size(), std::size_t{1});
                best = leastSeconds(platform.value().npuCount(), static_cast<double>(platform.value().dimensions().front().npuBandwidth().bytesPerSecond));
            } else {
                const auto compared = prepareChosen(readDesignText(text + byAlgorithm("auto", 4), "design.yaml").value().design);
                QVERIFY2(compared, compared ? "" : compared.error().text().c_str());
                best = static_cast<double>(compared.value()->choices.front().candidates.front().timePs) * 1e-12;
            }
            QVERIFY2(took < 1.1 * best, qPrintable(QString::fromStdString(name) + QStringLiteral(": %1 s, best %2 s").arg(took).arg(best)));
        }
        QCOMPARE(looked + leftOut.size(), static_cast<qsizetype>(presets().size()));
    }

    /// Older rules keep what they ran, the newest is what runs without a version.
    void versionsKeepWhatTheyRan()
    {
        const auto by = [](const std::string& topology, const char* model, const char* version) { return ran(onTopology(topology) + "model: {name: " + model + ", version: " + version + "}\n"); };
        for (const auto& [model, family] : {std::pair{"links", "physical/"}, {"ideal", "physical/"}, {"flow", "flow/"}}) {
            for (const char* const number : {"1", "2", "3"}) {
                const std::string version = std::string(family) + number;
                QCOMPARE(by("Ring(5)", model, version.c_str()), std::string("ring"));
                QCOMPARE(by("Switch(6)", model, version.c_str()), std::string("halving_doubling"));
            }
            const std::string version = std::string(family) + "4";
            QCOMPARE(by("Ring(5)", model, version.c_str()), std::string("ring, both ways"));
            QCOMPARE(by("Switch(6)", model, version.c_str()), std::string("circulant"));
        }
        QCOMPARE(ran(onTopology("Ring(5)")), std::string("ring, both ways"));
        // By hand, before: the two that are too many of Switch(6) hand all they have to a partner first and get all back last.
        QVERIFY(secondsOf(onTopology("Switch(6)") + "model: {version: physical/3}\n") > 2 * leastSeconds(6, kRate));
        // What is asked for by name stays, and so does what is no lone ring.
        QCOMPARE(ran(onTopology("Ring(5)") + byAlgorithm("ring", 4)), std::string("ring"));
        QCOMPARE(ran(onTopology("Ring(5)") + "collectives: {default: {window: 1}}\n"), std::string("ring"));
        QCOMPARE(ran(onTopology("Ring(2)")), std::string("ring"));
        QCOMPARE(ran(onTopology("Ring(4)_Ring(4)")), std::string("ring x ring"));
        QCOMPARE(ran(onTopology("Switch(8)")), std::string("halving_doubling"));
        QCOMPARE(ran(onTopology("Ring(4)_Switch(6)")), std::string("ring x circulant"));
    }

    /// Every other chunk goes the other way, and no chunk more than before where they are even in number.
    void ringsShareTheirChunksBetweenBothWays()
    {
        for (const auto& [chunks, expected] : {std::pair{1, 2}, {3, 6}, {4, 4}}) {
            const ScenarioPtr scenario = scenarioOf(onTopology("Ring(5)") + byAlgorithm("standard", chunks));
            const Program& program = *scenario->structure->instances.front().program;
            QCOMPARE(program.chunks, expected);
            for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
                for (const PhaseTemplate& phase : program.asTemplate().phasesOf(chunk))
                    QCOMPARE(phase.minus, chunk % 2 == 1);
            }
        }
    }

    /// Stepping has the parts of every chunk, whichever way round it goes: sums of all in the end, each contribution once.
    void steppingShowsThePartsOfBothWays()
    {
        const int npus = 5;
        const auto replay = CollectiveReplay::create(scenarioOf(onTopology("Ring(5)") + byAlgorithm("standard", 4)), 0);
        QVERIFY2(replay, replay ? "" : replay.error().message.c_str());
        const CollectiveReplay& shown = *replay.value();
        QCOMPARE(static_cast<int>(shown.parts()), npus);
        for (std::int32_t chunk = 0; chunk < 4; ++chunk) {
            std::map<std::pair<int, int>, int> held; // Contributions by (position, part).
            for (int position = 0; position < npus; ++position) {
                for (int part = 0; part < npus; ++part)
                    held[{position, part}] = 1;
            }
            for (const std::uint32_t number : shown.completionOrder(chunk)) {
                const ReplayMove& move = shown.moves()[number];
                QCOMPARE(static_cast<int>(move.target), (move.source + (chunk % 2 == 0 ? 1 : npus - 1)) % npus);
                for (const PartIndex part : shown.partsOf(move))
                    held[{move.target, part}] = held[{move.source, part}] + (move.reduces ? held[{move.target, part}] : 0);
            }
            for (const auto& [where, contributions] : held)
                QCOMPARE(contributions, npus);
        }
    }

    /// A line written node by node is walked over and back, whichever way round: only what is closed goes both ways. So do a dimension and its drawing.
    void ringsOfNodesAndLinks()
    {
        const auto drawn = [](int npus, bool closed) {
            std::string nodes;
            std::string links;
            for (int i = 0; i < npus; ++i) {
                nodes += (i > 0 ? ", " : "") + std::string("{name: g") + std::to_string(i) + "}";
                if (i + 1 < npus || closed)
                    links += (i > 0 ? ", " : "") + std::string("{between: [g") + std::to_string(i) + ", g" + std::to_string((i + 1) % npus) + "], bandwidth: 50 GB/s, latency: 500 ns}";
            }
            return "fabricscope: 1\nplatform: {nodes: [" + nodes + "], links: [" + links + "]}\n" + kReduceGiB;
        };
        QCOMPARE(ran(drawn(6, true)), std::string("ring, both ways"));
        QCOMPARE(ran(drawn(6, false)), std::string("ring"));
        QCOMPARE(secondsOf(drawn(6, true)), secondsOf(onTopology("Ring(6)")));
    }

    /// What one NPU stands for, lines of messages and events are the same answer.
    void enginesAgree()
    {
        for (const char* const topology : {"Ring(7)", "Ring(8)", "Switch(6)", "Switch(7)"}) {
            for (const int chunks : {1, 4}) {
                std::string text = onTopology(topology) + byAlgorithm("standard", chunks);
                text.replace(text.find("1 GiB"), 5, "6881280 B"); // 2^16 x 3 x 5 x 7: cut evenly by all of them.
                const double expected = secondsOf(text, EngineChoice::Events);
                QVERIFY(expected > 0);
                QCOMPARE(secondsOf(text, EngineChoice::Symmetry), expected);
                if (text.find("Ring") != std::string::npos)
                    QCOMPARE(secondsOf(text, EngineChoice::Sweep), expected);
            }
        }
    }

    /// The hybrid cube mesh of NDv2: links of 25 and 50 GB/s, so that a ring in listed order crosses single links several times. Few chunks wait for the fullest link of every step.
    void weighsIrregularGraphs()
    {
        QCOMPARE(ran(onPreset("ndv2")), std::string("halving_doubling"));
        QCOMPARE(ran(onPreset("dgx-1v")), std::string("halving_doubling"));
        QCOMPARE(ran(onPreset("dgx-1v") + byAlgorithm("standard", 1)), std::string("direct"));
        QCOMPARE(ran(onPreset("ndv2") + "model: {version: physical/3}\n"), std::string("ring"));
    }
};

FABRICSCOPE_TEST(StandardAlgorithmsTest)
#include "tst_standard_algorithms.moc"
