// Two models of one design and what each rule between them is worth. Worked numbers: manual: models 6, manual: astra 6.2.
#include "sourcedir.h"
#include "core/base/stop.h"
#include "core/design/networkconfig.h"
#include "core/insight/difference.h"
#include "core/insight/reconcile.h"
#include "core/scenario/lowering.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <filesystem>
#include <map>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

std::shared_ptr<Design> collectiveDesign(PlatformSpec platform, CollectiveOp op, std::int64_t bytes, Algorithm algorithm, std::int32_t chunks, double memoryGBps,
                                         double delayNs)
{
    platform.npu.memoryBandwidth = Quantity{memoryGBps, "GB/s", Measure::Bandwidth};
    auto design = std::make_shared<Design>();
    design->platform = std::make_shared<const PlatformSpec>(std::move(platform));
    design->workload = std::make_shared<const WorkloadSpec>(SingleCollective{op, {static_cast<double>(bytes), "B", Measure::Size}});
    design->collectives.defaults.algorithms = {{false, algorithm, 0}};
    design->collectives.defaults.chunks = chunks;
    design->collectives.activeChunks = chunks;
    design->model.endpointDelay = Quantity{delayNs, "ns", Measure::Time};
    return design;
}

PlatformSpec ring8()
{
    return astraPlatform("Ring(8)", {50}, {500});
}

Reconciliation reconciled(const std::shared_ptr<const Design>& design, Model a, Model b)
{
    auto result = reconcile(design, {}, a, b, {});
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return std::move(result).value();
}

std::map<std::string, std::int64_t> deltas(const Reconciliation& result)
{
    std::map<std::string, std::int64_t> found;
    for (const ReconcileItem& item : result.items)
        found[item.rule] = item.delta().ps;
    return found;
}

/// Everything that must hold of any reconciliation; the reason why not.
QString brokenRule(const Reconciliation& result)
{
    SimTime at = result.a->record().finish;
    std::int64_t sum = 0;
    std::set<std::string> rules;
    for (const ReconcileItem& item : result.items) {
        if (item.from != at)
            return QString("%1 does not start where the item before ends").arg(QString::fromStdString(item.rule));
        if (!item.apart && item.delta().ps != 0)
            return "a rule that was not switched has a value";
        if (item.apart == (item.explanation.find("contained in: ") != std::string::npos))
            return "an item that contains another must be named";
        if (item.name.empty() || item.explanation.empty() || !rules.insert(item.rule).second)
            return "an item without name, or twice";
        at = item.to;
        sum += item.delta().ps;
    }
    if (at != result.b->record().finish)
        return "the last item does not end at B";
    if (sum != result.difference().ps || sum != result.b->record().finish.ps - result.a->record().finish.ps)
        return "the items do not add up";
    return {};
}

} // namespace

class ReconcileTest : public QObject {
    Q_OBJECT

private slots:
    void anAllReduceOnARingIsTakenApartAsByHand()
    {
        // 1 MiB in one chunk over 8 NPUs: 14 steps of x = 128 KiB; x / 50 GiB/s = 2441.40625 ns, up to 2441.407 in picoseconds.
        // links: 14 (10 + 500 + 2441.407); reductions of 3x / 1600 GB/s = 245.76 ns hide behind the link.
        // astra-unaware: e + 14 (T + e) + 7 R with T = floor(2941.40625), R = 3 floor(81.92), e = 10: 43025.
        const auto design = collectiveDesign(ring8(), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 1, 1600, 10);
        const Reconciliation result = reconciled(design, Model::Links, Model::AstraUnaware);
        QCOMPARE(result.a->record().finish.ps, 14 * (10'000 + 500'000 + 2'441'407));
        QCOMPARE(result.b->record().finish.ps, 43'025'000);
        QCOMPARE(brokenRule(result), QString());
        const std::map<std::string, std::int64_t> expected{
            {"endpoint-delay", -14 * 10'000},
            {"launch", 0},
            {"network", 0},
            {"npu-overrides", 0},
            {"reduction", 0},
            {"budgets", 0},
            {"algorithms", 0},
            {"chunk-rounding", 0},
            {"active-chunks", 0},
            {"sharing", 0},
            {"rounding", 14 * (2'941'406 - 2'941'407)}, // Links rounds a time up, astra-* down.
            {"ends", 0},
            {"remainders", 0},
            {"ring-all-to-all", 0},
            {"shared-places", 0},
            {"shared-queues", 0},
            {"one-transfer", 0},
            {"whole-nanoseconds", 14 * (2'941'000 - 2'941'406)},
            {"compute", 0},
            {"dimensions", 0},
            {"all-reduce-per-dimension", 0},
            {"astra-reduction", 7 * 3 * 81'000},
            {"astra-endpoint-delay", 15 * 10'000},
        };
        QCOMPARE(deltas(result), expected);
    }

    /// What a crossbar costs is what the run takes longer by it: no rule is switched before it that an all-gather of one chunk hangs on.
    void aCrossbarIsARuleThatAstraDoesNotHave()
    {
        PlatformSpec platform = astraPlatform("Switch(4)", {50}, {500});
        const Reconciliation free = reconciled(collectiveDesign(platform, CollectiveOp::AllGather, kMiB, Algorithm::Ring, 1, 1600, 0), Model::Links, Model::AstraUnaware);
        platform.dimensions[0].crossbar = Quantity{60, "GB/s", Measure::Bandwidth};
        const Reconciliation limited = reconciled(collectiveDesign(platform, CollectiveOp::AllGather, kMiB, Algorithm::Ring, 1, 1600, 0), Model::Links, Model::AstraUnaware);
        const std::int64_t costs = free.a->record().finish.ps - limited.a->record().finish.ps;
        QVERIFY(costs < 0);
        QCOMPARE(deltas(limited)["budgets"], costs);
        QCOMPARE(deltas(free)["budgets"], std::int64_t{0});
        QCOMPARE(brokenRule(limited), QString());
    }

    void parallelChunksAreThePhantomBandwidth()
    {
        // Four chunks at once: on links they share the link, 34679.712 ns (worked numbers); without sharing 14 (L + 32 KiB / B).
        const auto design = collectiveDesign(ring8(), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 4, 1600, 0);
        const Reconciliation result = reconciled(design, Model::Links, Model::AstraUnaware);
        QCOMPARE(brokenRule(result), QString());
        QCOMPARE(result.a->record().finish.ps, 34'679'712);
        // e = 0: 14 floor(1110.35) + 7 * 3 floor(20.48).
        QCOMPARE(result.b->record().finish.ps, 14 * 1'110'000 + 7 * 60'000);
        auto found = deltas(result);
        QCOMPARE(found["sharing"], 14 * (500'000 + 610'352) - 34'679'712);
        QCOMPARE(found["rounding"], -14);
        QCOMPARE(found["whole-nanoseconds"], 14 * (1'110'000 - 1'110'351));
        QCOMPARE(found["astra-reduction"], 7 * 60'000);
        QCOMPARE(found["endpoint-delay"], 0);
    }

    void aSlowReducerIsWorthItsFormula()
    {
        // M = 50 GB/s: 7 (L + 3x/M) + 7 (L + x/B) = 79140.08 ns; without the reducer 14 (L + x/B).
        const auto design = collectiveDesign(ring8(), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 1, 50, 0);
        const Reconciliation result = reconciled(design, Model::Links, Model::AstraUnaware);
        QCOMPARE(brokenRule(result), QString());
        auto found = deltas(result);
        QCOMPARE(found["reduction"], -7 * (7'864'320 - 2'441'407));
        // R = 3 floor(131072 / 50).
        QCOMPARE(found["astra-reduction"], 7 * 3 * 2'621'000);
    }

    void aMessageOverThreeDimensionsDoesNotPayTwoOfThem()
    {
        // Corner to corner on [2,8,4]: links 50 + 500 + 4000 + x / 50 GiB/s; astra-unaware pays floor(50 + x / 200 GiB/s) only.
        PlatformSpec platform = astraPlatform("Ring(2)_FullyConnected(8)_Switch(4)", {200, 100, 50}, {50, 500, 2000});
        auto design = collectiveDesign(platform, CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 1, 1600, 0);
        StepsWorkload work;
        const std::int32_t corner = 1 + 2 * 4 + 16 * 2;
        Step send;
        send.kind = Step::Kind::Send;
        send.ranks = RankSet::single(0);
        send.peer = std::to_string(corner);
        send.bytes = Quantity{1, "MiB", Measure::Size};
        Step receive = send;
        receive.kind = Step::Kind::Receive;
        receive.ranks = RankSet::single(corner);
        receive.peer = "0";
        work.steps = {send, receive};
        design->workload = std::make_shared<const WorkloadSpec>(work);
        const Reconciliation result = reconciled(design, Model::Links, Model::AstraUnaware);
        QCOMPARE(brokenRule(result), QString());
        QCOMPARE(result.a->record().finish.ps, 24'081'250);
        QCOMPARE(result.b->record().finish.ps, 4'932'000);
        auto found = deltas(result);
        QCOMPARE(found["dimensions"], 4'932'000 - 24'081'000);
        QCOMPARE(found["whole-nanoseconds"], -250);
        QVERIFY(!found.contains("rest"));
    }

    void chunksThatDoNotDivideCountInFull()
    {
        // 1 MiB in 3 chunks: the reference makes 4 of 349525 bytes, of which 8 blocks of 43690 are moved.
        auto design = collectiveDesign(ring8(), CollectiveOp::ReduceScatter, kMiB, Algorithm::Direct, 3, 1600, 0);
        design->platform = std::make_shared<const PlatformSpec>(astraPlatform("FullyConnected(8)", {50}, {500}));
        design->collectives.activeChunks = 4;
        const Reconciliation result = reconciled(design, Model::Links, Model::AstraUnaware);
        QCOMPARE(brokenRule(result), QString());
        // Private links: the bytes of a block per link, then the latency; rounding per chunk, one piece each.
        const auto time = [](std::int64_t bytes) { return mulDivCeil(bytes, kPsPerSecond, 50 * (std::int64_t{1} << 30)); };
        // The largest block of each of the three chunks, for the slowest pair, is 43691 bytes at most.
        const std::int64_t before = result.a->record().finish.ps;
        QVERIFY(before <= 500'000 + 3 * time(43'691) && before >= 500'000 + 3 * time(43'690));
        auto found = deltas(result);
        QCOMPARE(found["chunk-rounding"], 500'000 + 4 * time(43'690) - before);
        QCOMPARE(found["sharing"], -3 * time(43'690));
    }

    void theMirrorImageHasTheSameItemsTheOtherWayRound()
    {
        const auto design = collectiveDesign(ring8(), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 4, 1600, 10);
        const Reconciliation there = reconciled(design, Model::Links, Model::AstraUnaware);
        const Reconciliation back = reconciled(design, Model::AstraUnaware, Model::Links);
        QCOMPARE(brokenRule(back), QString());
        QCOMPARE(back.items.size(), there.items.size());
        for (std::size_t i = 0; i < there.items.size(); ++i) {
            const ReconcileItem& mirrored = back.items[there.items.size() - 1 - i];
            QCOMPARE(mirrored.rule, there.items[i].rule);
            QCOMPARE(mirrored.delta().ps, -there.items[i].delta().ps);
        }
    }

    void operationsWithoutBytesAreTheComputeItem()
    {
        // 100 GFLOP at 400 TFLOP/s take 250 us; under the roofline of ASTRA-sim nothing, because no bytes are given. 6.7 GB at
        // 3350 GB/s take 2 ms; with 1 GFLOP the reference takes the same.
        auto design = collectiveDesign(ring8(), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 1, 3350, 0);
        PlatformSpec spec = *design->platform;
        spec.npu.peak = Quantity{400, "TFLOP/s", Measure::ComputeRate};
        design->platform = std::make_shared<const PlatformSpec>(spec);
        StepsWorkload work;
        Step first;
        first.kind = Step::Kind::Compute;
        first.operations = Quantity{100, "GFLOP", Measure::Operations};
        Step second = first;
        second.operations = Quantity{1, "GFLOP", Measure::Operations};
        second.bytes = Quantity{6.7, "GB", Measure::Size};
        work.steps = {first, second};
        design->workload = std::make_shared<const WorkloadSpec>(work);
        const Reconciliation result = reconciled(design, Model::Links, Model::AstraUnaware);
        QCOMPARE(brokenRule(result), QString());
        QCOMPARE(result.a->record().finish.ps, 2'250'000'000);
        QCOMPARE(result.b->record().finish.ps, 2'000'000'000);
        auto found = deltas(result);
        QCOMPARE(found["compute"], -250'000'000);
        QVERIFY(!found.contains("rest"));
    }

    /// 8 ranks behind a switch, blocks of 32 KiB: 7 messages of 7 to 1 blocks on links, 28 of one block in ASTRA-sim. 21 times two latencies.
    void anAllToAllByARingIsPassedOnBlockByBlock()
    {
        const auto design = collectiveDesign(astraPlatform("Switch(8)", {50}, {500}), CollectiveOp::AllToAll, kMiB / 4, Algorithm::Ring, 1, 1600, 0);
        const Reconciliation result = reconciled(design, Model::Links, Model::AstraUnaware);
        QCOMPARE(brokenRule(result), QString());
        auto found = deltas(result);
        QVERIFY(!found.contains("rest"));
        QVERIFY(std::abs(found["ring-all-to-all"] - 21'000'000) <= 28);
    }

    /// A launch that ASTRA-sim does not know, by the section and by a rule.
    void theLaunchOfALibraryIsAnItem()
    {
        auto design = collectiveDesign(ring8(), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 1, 1600, 0);
        NetworkConfig network;
        network.launch = Quantity{30, "us", Measure::Time};
        design->network = std::make_shared<const NetworkConfig>(network);
        const Reconciliation result = reconciled(design, Model::Links, Model::AstraUnaware);
        QCOMPARE(brokenRule(result), QString());
        auto found = deltas(result);
        QCOMPARE(found["launch"], -30'000'000);
        QCOMPARE(found["network"], 0);
        QVERIFY(!found.contains("rest"));
    }

    /// 1 MB in one chunk over 4 x 4: 250,000 B are one quarter, 62,500 B a sixteenth; of 1,000,013 B the first dimension sends 250,003 B and the second 62,500 B.
    void eachDimensionDropsARemainderOfItsOwn()
    {
        auto design = collectiveDesign(astraPlatform("Ring(4)_Ring(4)", {50, 50}, {500, 500}), CollectiveOp::ReduceScatter, 1'000'013, Algorithm::Ring, 1, 1600, 0);
        const Reconciliation result = reconciled(design, Model::Links, Model::AstraUnaware);
        QCOMPARE(brokenRule(result), QString());
        auto found = deltas(result);
        QVERIFY(!found.contains("rest"));
        // Three bytes, three steps, at 53.6870912 B/ns: 167.6 ps.
        QVERIFY2(std::abs(found["remainders"] - 168) <= 3, qPrintable(QString::number(found["remainders"])));
    }

    /// Of the designs that come with the program every difference has a name. Large ones are made small.
    void nothingIsLeftInTheExamples()
    {
        const std::vector<FieldOverride> mesh{{"workload.plan.mesh.shape", "[2, 2, 4]"}, {"platform.dimensions.1.size", "2"}, {"workload.model.train.global_batch", "4"}, {"workload.model.transformer.layers", "2"}};
        const std::map<std::string, std::vector<FieldOverride>> smaller{
            {"gpt3-175b.yaml", mesh},
            {"llama-405b.yaml", mesh},
            {"deepseek-v3.yaml",
             {{"workload.plan.mesh.shape", "[2, 4]"}, {"platform.dimensions.0.size", "4"}, {"platform.dimensions.1.size", "2"}, {"workload.model.train.global_batch", "8"},
              {"workload.plan.expert.degree", "4"}, {"workload.model.transformer.layers", "4"}}},
            {"mixtral-experts.yaml", {{"workload.plan.mesh.shape", "[2, 4]"}, {"platform.dimensions.1.size", "2"}, {"workload.model.transformer.layers", "2"}}},
            {"themis.yaml", {{"collectives.default.chunks", "4"}, {"platform.dimensions.0.size", "4"}, {"platform.dimensions.1.size", "4"}, {"platform.dimensions.2.size", "4"}}}};
        int compared = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(FABRICSCOPE_SOURCE_DIR "/resources/examples")) {
            if (entry.path().extension() != ".yaml")
                continue;
            const std::string name = entry.path().filename().string();
            const auto sets = smaller.find(name);
            const auto loaded = readDesign(entry.path().string(), sets == smaller.end() ? std::vector<FieldOverride>{} : sets->second);
            QVERIFY2(loaded || sets == smaller.end(), loaded ? "" : loaded.error().text().c_str());
            if (!loaded)
                continue; // Another kind of file.
            const auto design = std::make_shared<const Design>(loaded.value().design);
            for (const Model other : {Model::AstraUnaware, Model::AstraAware}) {
                Design there = *design;
                there.model.model = other;
                const Diagnostics refused = validate(there);
                if (std::any_of(refused.begin(), refused.end(), [](const Diagnostic& found) { return found.severity == Severity::Error; }))
                    break; // What ASTRA-sim does not have.
                const auto result = reconcile(design, {}, Model::Links, other, {});
                if (!result)
                    break;
                ++compared;
                QVERIFY2(brokenRule(result.value()).isEmpty(), name.c_str());
                QVERIFY2(!deltas(result.value()).contains("rest"), qPrintable(QStringLiteral("%1: %2 ps").arg(QString::fromStdString(name)).arg(deltas(result.value())["rest"])));
            }
        }
        QVERIFY2(compared >= 26, qPrintable(QString::number(compared)));
    }

    void linksAndIdealDifferInOneRule()
    {
        const auto design = collectiveDesign(ring8(), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 4, 1600, 0);
        const Reconciliation result = reconciled(design, Model::Links, Model::Ideal);
        QCOMPARE(result.items.size(), std::size_t{1});
        QCOMPARE(result.items[0].rule, std::string("sharing"));
        QCOMPARE(brokenRule(result), QString());
        QVERIFY(reconciled(design, Model::Links, Model::Links).items.empty());
    }

    void theTwoReferenceNetworksAreTakenApart()
    {
        // Message of 1 MiB over three hops of a ring, alone: unaware floor(1500 + 19531.25), aware 3 floor(20031.25): forwarding only.
        auto design = collectiveDesign(ring8(), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 1, 1600, 0);
        StepsWorkload work;
        Step send;
        send.kind = Step::Kind::Send;
        send.ranks = RankSet::single(0);
        send.peer = "3";
        send.bytes = Quantity{1, "MiB", Measure::Size};
        Step receive = send;
        receive.kind = Step::Kind::Receive;
        receive.ranks = RankSet::single(3);
        receive.peer = "0";
        work.steps = {send, receive};
        design->workload = std::make_shared<const WorkloadSpec>(work);
        const Reconciliation result = reconciled(design, Model::AstraUnaware, Model::AstraAware);
        QCOMPARE(brokenRule(result), QString());
        QCOMPARE(result.a->record().finish.ps, 21'031'000);
        const std::map<std::string, std::int64_t> expected{{"dimensions", 0}, {"forwarding", 60'093'000 - 21'031'000}, {"sharing", 0}};
        QCOMPARE(deltas(result), expected);
    }

    void orderIsStatedAndStable()
    {
        QStringList rules;
        for (const ReconcileItem& item : reconcileOrder(Model::Links, Model::AstraUnaware))
            rules << QString::fromStdString(item.rule);
        QCOMPARE(rules.join(' '), QString("endpoint-delay launch network npu-overrides reduction budgets algorithms chunk-rounding active-chunks sharing rest rounding ends remainders "
                                          "ring-all-to-all shared-places shared-queues one-transfer "
                                          "whole-nanoseconds compute dimensions all-reduce-per-dimension astra-reduction astra-endpoint-delay"));
        const auto design = collectiveDesign(ring8(), CollectiveOp::AllToAll, kMiB, Algorithm::Direct, 2, 1600, 5);
        for (const Model a : {Model::Links, Model::Ideal, Model::AstraUnaware, Model::AstraAware}) {
            for (const Model b : {Model::Links, Model::Ideal, Model::AstraUnaware, Model::AstraAware}) {
                auto order = reconcileOrder(a, b);
                const Reconciliation result = reconciled(design, a, b);
                if (!deltas(result).contains("rest"))
                    std::erase_if(order, [](const ReconcileItem& item) { return item.rule == "rest"; });
                QCOMPARE(result.items.size(), order.size());
                for (std::size_t i = 0; i < order.size(); ++i)
                    QCOMPARE(result.items[i].rule, order[i].rule);
                QCOMPARE(brokenRule(result), QString());
            }
        }
    }

    void itemsOfRandomDesignsAddUp_data()
    {
        QTest::addColumn<int>("a");
        QTest::addColumn<int>("b");
        QTest::newRow("links to astra-unaware") << static_cast<int>(Model::Links) << static_cast<int>(Model::AstraUnaware);
        QTest::newRow("astra-aware to links") << static_cast<int>(Model::AstraAware) << static_cast<int>(Model::Links);
        QTest::newRow("ideal to astra-unaware") << static_cast<int>(Model::Ideal) << static_cast<int>(Model::AstraUnaware);
        QTest::newRow("ideal to astra-aware") << static_cast<int>(Model::Ideal) << static_cast<int>(Model::AstraAware);
        QTest::newRow("astra-aware to astra-unaware") << static_cast<int>(Model::AstraAware) << static_cast<int>(Model::AstraUnaware);
        QTest::newRow("ideal to links") << static_cast<int>(Model::Ideal) << static_cast<int>(Model::Links);
    }

    void itemsOfRandomDesignsAddUp()
    {
        QFETCH(int, a);
        QFETCH(int, b);
        int compared = 0;
        for (const std::uint64_t seed : Seeds(1, 120)) {
            const auto design = randomDesign(seed);
            const auto result = reconcile(design, {}, static_cast<Model>(a), static_cast<Model>(b), {});
            if (!result) {
                // Only what one of the two models cannot run at all.
                QVERIFY2(result.error().message.starts_with("under "), result.error().text().c_str());
                continue;
            }
            ++compared;
            QVERIFY2(brokenRule(result.value()).isEmpty(), qPrintable(QString("seed %1: %2").arg(seed).arg(brokenRule(result.value()))));
            Design own = *design;
            own.model.model = static_cast<Model>(a);
            QCOMPARE(result.value().a->record().finish.ps, simulate(*prepare(own).value()).value().finish.ps);
            own.model.model = static_cast<Model>(b);
            QCOMPARE(result.value().b->record().finish.ps, simulate(*prepare(own).value()).value().finish.ps);
        }
        QVERIFY2(compared >= cases(90), qPrintable(QString::number(compared)));
    }

    void aModelThatRefusesTheDesignIsNamed()
    {
        auto design = collectiveDesign(ring8(), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 1, 1600, 0);
        PlatformSpec spec = *design->platform;
        spec.linkOverrides.push_back({0, Quantity{1, "GB/s", Measure::Bandwidth}, {}});
        design->platform = std::make_shared<const PlatformSpec>(spec);
        const auto result = reconcile(design, {}, Model::Links, Model::AstraUnaware, {});
        QVERIFY(!result);
        QVERIFY(result.error().code == ErrorCode::Unsupported);
        QVERIFY2(result.error().message.starts_with("under astra-unaware: "), result.error().message.c_str());
        QVERIFY(reconcile(design, {}, Model::Links, Model::Ideal, {}));
    }

    void aStoppedReconciliationSaysSo()
    {
        const auto design = collectiveDesign(ring8(), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 4, 1600, 10);
        for (int after = 0; after < 12; ++after) {
            std::stop_source stop;
            int calls = 0;
            ReconcileOptions options;
            options.engine = EngineChoice::Events;
            options.progress = [&](int done, int of) {
                QVERIFY(done >= 1 && done <= of);
                if (++calls > after)
                    stop.request_stop();
            };
            const auto result = reconcile(design, {}, Model::Links, Model::AstraUnaware, options, stop.get_token());
            QVERIFY(!result || calls > 10);
            if (!result)
                QVERIFY(result.error().code == ErrorCode::Cancelled);
        }
    }

    void theDifferenceOfTwoResultsNamesRanksAndDimensions()
    {
        RunRecord a;
        a.finish = SimTime{1000};
        RunRecord b;
        b.finish = SimTime{1500};
        const auto classOf = [](std::int64_t first, std::int64_t count, std::int64_t finish) {
            RankClass entry;
            entry.ranks = RankSet::range(first, count);
            entry.times.finish = SimTime{finish};
            return entry;
        };
        a.classes = {classOf(0, 4, 1000), classOf(4, 4, 900)};
        b.classes = {classOf(0, 2, 1500), classOf(2, 4, 1400)};
        DimensionUse use;
        use.name = "dimension 0, Ring(8)";
        use.links = 10;
        use.busyPs = 5000;
        use.bytes = 64;
        a.dimensions = {use};
        use.busyPs = 3000;
        b.dimensions = {use, use};
        const RunDifference difference = differenceOf(a, b);
        QCOMPARE(difference.delta().ps, 500);
        QCOMPARE(difference.relative(), 0.5);
        QCOMPARE(difference.dimensions.size(), std::size_t{2});
        QCOMPARE(*difference.dimensions[0].busyShareA, 0.5);
        QCOMPARE(*difference.dimensions[0].busyShareB, 0.2);
        QVERIFY(!difference.dimensions[1].busyShareA);
        QCOMPARE(difference.dimensions[1].nameA, std::string());
        // Ranks 0-1, 2-3, 4-5 and, only in A, 6-7.
        QCOMPARE(difference.classes.size(), std::size_t{4});
        const std::int64_t expected[4][3] = {{0, 1000, 1500}, {2, 1000, 1400}, {4, 900, 1400}, {6, 900, -1}};
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(difference.classes[i].ranks.text(), std::to_string(expected[i][0]) + '-' + std::to_string(expected[i][0] + 1));
            QCOMPARE(difference.classes[i].a->finish.ps, expected[i][1]);
            QCOMPARE(difference.classes[i].b ? difference.classes[i].b->finish.ps : -1, expected[i][2]);
        }
    }

    void differingFieldsAreNamedAsInTheFile()
    {
        const auto a = collectiveDesign(astraPlatform("Ring(8)_Switch(2)", {50, 25}, {500, 500}), CollectiveOp::AllReduce, kMiB, Algorithm::Ring, 1, 1600, 0);
        auto b = std::make_shared<Design>(*a);
        QVERIFY(differingFields(*a, *b).empty());
        PlatformSpec spec = *b->platform;
        spec.dimensions[1].bandwidth = Quantity{100, "GB/s", Measure::Bandwidth};
        b->platform = std::make_shared<const PlatformSpec>(spec);
        b->collectives.defaults.chunks = 8;
        b->notes = "not a value";
        const auto fields = differingFields(*a, *b);
        QCOMPARE(fields.size(), std::size_t{2});
        QCOMPARE(fields[0].field, std::string("platform.dimensions[1].bandwidth"));
        QVERIFY2(fields[0].b.find("100") != std::string::npos, fields[0].b.c_str());
        QVERIFY2(fields[1].field.find("chunks") != std::string::npos, fields[1].field.c_str());
        QCOMPARE(fields[1].b, std::string("8"));
        *b = *a;
        b->collectives.defaults.program.choose = true;
        QCOMPARE(differingFields(*a, *b).front().b, std::string("auto"));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_THROWS_EXCEPTION(StopRequested, differingFields(*a, *b, stop.get_token()));
    }

private:
    /// A small design of one collective, or of steps with groups, computations and messages.
    static std::shared_ptr<const Design> randomDesign(std::uint64_t seed)
    {
        std::mt19937_64 random(seed);
        const auto pick = [&random](std::int64_t low, std::int64_t high) { return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)); };
        static const char* const kTopologies[] = {"Ring(6)", "Switch(4)", "FullyConnected(4)", "Ring(4)_Switch(2)", "FullyConnected(3)_Ring(3)", "Ring(2)_FullyConnected(2)_Switch(2)"};
        PlatformSpec platform = astraPlatform(kTopologies[pick(0, 5)], {static_cast<double>(pick(10, 80)), static_cast<double>(pick(10, 80)), static_cast<double>(pick(10, 80))},
                                              {static_cast<double>(pick(1, 900)), static_cast<double>(pick(1, 900)), static_cast<double>(pick(1, 900))});
        static const CollectiveOp kOps[] = {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll};
        static const Algorithm kAlgorithms[] = {Algorithm::Ring, Algorithm::Direct};
        std::int32_t npus = 1;
        for (const Dimension& dimension : platform.dimensions)
            npus *= dimension.size;
        if (pick(0, 3) == 0)
            platform.npu.injection = platform.npu.ejection = Quantity{static_cast<double>(pick(20, 90)), "GB/s", Measure::Bandwidth};
        if (pick(0, 4) == 0)
            platform.npuOverrides.push_back({static_cast<NodeId>(pick(0, npus - 1)), 0.5, {}, {}});
        auto design = collectiveDesign(platform, kOps[pick(0, 3)], pick(1000, 300'000), kAlgorithms[pick(0, 1)], static_cast<std::int32_t>(pick(1, 5)),
                                       static_cast<double>(pick(20, 2000)), static_cast<double>(pick(0, 30)));
        if (pick(0, 2) == 0)
            design->collectives.defaults.algorithms.clear();
        design->collectives.activeChunks = pick(1, 4);
        design->collectives.queuesPerDimension = pick(1, 2);
        design->collectives.localBandwidthAware = pick(0, 1) == 0;
        if (pick(0, 1) == 0)
            return design;
        StepsWorkload work;
        GroupSpec pairs;
        pairs.name = "pairs";
        std::vector<std::int64_t> half;
        for (std::int32_t rank = 0; rank < npus; rank += 2)
            half.push_back(rank);
        std::vector<std::int64_t> rest;
        for (std::int32_t rank = 1; rank < npus; rank += 2)
            rest.push_back(rank);
        pairs.lists = {half, rest};
        work.groups = {pairs};
        for (std::int64_t i = pick(2, 5); i > 0; --i) {
            Step step;
            step.name = "step" + std::to_string(i);
            step.afterGiven = pick(0, 2) == 0;
            switch (pick(0, 2)) {
            case 0:
                step.kind = Step::Kind::Compute;
                step.duration = Quantity{static_cast<double>(pick(1, 5000)), "ns", Measure::Time};
                break;
            default:
                step.kind = Step::Kind::Collective;
                step.op = kOps[pick(0, 3)];
                step.group = pick(0, 1) == 0 ? "pairs" : "";
                step.bytes = Quantity{static_cast<double>(pick(1000, 100'000)), "B", Measure::Size};
                break;
            }
            work.steps.push_back(step);
        }
        Step send;
        send.kind = Step::Kind::Send;
        send.ranks = RankSet::single(0);
        send.peer = std::to_string(npus - 1);
        send.bytes = Quantity{static_cast<double>(pick(1, 500'000)), "B", Measure::Size};
        Step receive = send;
        receive.kind = Step::Kind::Receive;
        receive.ranks = RankSet::single(npus - 1);
        receive.peer = "0";
        work.steps.push_back(send);
        work.steps.push_back(receive);
        design->workload = std::make_shared<const WorkloadSpec>(work);
        return design;
    }
};

FABRICSCOPE_TEST(ReconcileTest)
#include "tst_reconcile.moc"
