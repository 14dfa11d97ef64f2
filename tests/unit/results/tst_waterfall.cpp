// What differs between two designs, and what each difference is worth, one after the other.
#include "core/design/file/readdesign.h"
#include "core/insight/waterfall.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/mixeddesign.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <QDir>
#include <QTemporaryDir>
#include <fstream>
#include <map>
#include <numeric>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// 1 MiB all-reduce over a ring of eight, as in tst_cli_compare.
std::string ringText(const std::string& bandwidth, const std::string& latency, const std::string& delay, const std::string& more = {})
{
    return "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 8, bandwidth: " + bandwidth + ", latency: " + latency
        + "}\n  npu: {memory_bandwidth: 1600 GB/s}\nworkload:\n  steps:\n    - {collective: all_reduce, size: 1 MiB}\n"
          "collectives: {default: {algorithm: ring, chunks: 1}}\nmodel: {name: links, endpoint_delay: "
        + delay + "}\n" + more;
}

Design read(const std::string& text, const std::string& file = {}, const std::vector<FieldOverride>& overrides = {})
{
    auto loaded = readDesignText(text, file, overrides);
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return loaded.value().design;
}

/// The run of a design without any of what is tested here; null: it cannot be run.
RunResultPtr runOf(const Design& design)
{
    RunDesignOptions options;
    options.taskTimes = false;
    const auto result = runDesign(std::make_shared<const Design>(design), {}, options);
    return result ? result.value() : nullptr;
}

std::int64_t finishOf(const Design& design)
{
    const RunResultPtr run = runOf(design);
    return run && run->record().complete ? run->record().finish.ps : -1;
}

Waterfall waterfallOf(const Design& a, const Design& b, const std::vector<std::size_t>& order = {})
{
    const RunResultPtr runA = runOf(a);
    const RunResultPtr runB = runOf(b);
    auto result = waterfall(DesignChanges::between(a, b), runA->record(), runB->record(), order, {});
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return result.value();
}

/// Everything that must hold of any waterfall; the reason why not.
QString brokenRule(const Waterfall& result, std::size_t changes)
{
    if (result.items.size() != changes)
        return "not one item for each change";
    SimTime at = result.a;
    std::int64_t sum = 0;
    std::vector<bool> seen(changes);
    for (const WaterfallItem& item : result.items) {
        if (item.from != at)
            return "an item does not start where the one before ends";
        if (!item.apart && item.delta().ps != 0)
            return "a change that was not made by itself has a value";
        if (item.change >= changes || seen[item.change])
            return "a change twice";
        seen[item.change] = true;
        at = item.to;
        sum += item.delta().ps;
    }
    return at == result.b && sum == result.b.ps - result.a.ps ? QString() : "the items do not add up";
}

std::vector<std::string> fieldsOf(const DesignChanges& changes)
{
    std::vector<std::string> fields;
    for (const DesignChange& change : changes.rows())
        fields.push_back(change.field);
    return fields;
}

LoadedDesign allApplied(const DesignChanges& changes)
{
    std::vector<std::size_t> all(changes.rows().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return changes.applied(all);
}

using Fields = std::vector<std::string>;

} // namespace

class WaterfallTest : public QObject {
    Q_OBJECT

private slots:
    void threeFieldsAreWorthWhatTheFormulaSays()
    {
        // 14 (e + L + x / B) with x = 128 KiB: x / 50 GiB/s = 2441.40625 ns, x / 100 GiB/s = 1220.703125 ns, both up to picoseconds.
        const Design a = read(ringText("50 GiB/s", "500 ns", "10 ns"));
        const Design b = read(ringText("100 GiB/s", "650 ns", "0 ns"));
        const DesignChanges changes = DesignChanges::between(a, b);
        QCOMPARE(fieldsOf(changes), (Fields{"platform.dimensions[0].bandwidth", "platform.dimensions[0].latency", "model.endpoint_delay"}));
        QCOMPARE(changes.rows()[0].a, std::string("50 GiB/s"));
        QCOMPARE(changes.rows()[0].b, std::string("100 GiB/s"));
        QCOMPARE(changes.rows()[2].b, std::string("0 ns")); // Left out of the file, as that is usual.
        QVERIFY(!changes.hasOtherWorkload() && !changes.hasOtherModel());
        const Waterfall result = waterfallOf(a, b);
        QCOMPARE(brokenRule(result, 3), QString());
        QCOMPARE(result.a.ps, 14 * (10'000 + 500'000 + 2'441'407));
        QCOMPARE(result.items[0].delta().ps, 14 * (1'220'704 - 2'441'407));
        QCOMPARE(result.items[1].delta().ps, 14 * 150'000);
        QCOMPARE(result.items[2].delta().ps, -14 * 10'000);
        QCOMPARE(result.b.ps, 14 * (650'000 + 1'220'704));
    }

    void whatIsKnownOfTheAccuracyIsNoChange()
    {
        const Design measured = read(ringText("50 GiB/s", "500 ns", "10 ns", "accuracy: {error: 7, source: a log}\n"));
        const Design unmeasured = read(ringText("100 GiB/s", "500 ns", "10 ns"));
        QCOMPARE(fieldsOf(DesignChanges::between(measured, unmeasured)), Fields{"platform.dimensions[0].bandwidth"});
        const Design other = read(ringText("50 GiB/s", "500 ns", "10 ns", "accuracy: {error: 9, source: another}\n"));
        QCOMPARE(fieldsOf(DesignChanges::between(measured, other)), Fields());
    }

    void anotherOrderAddsUpToTheSame()
    {
        const Design a = read(ringText("50 GiB/s", "500 ns", "10 ns"));
        const Design b = read(ringText("100 GiB/s", "650 ns", "0 ns"));
        const Waterfall result = waterfallOf(a, b, {2, 0, 1});
        QCOMPARE(brokenRule(result, 3), QString());
        QCOMPARE(result.items[0].change, std::size_t{2});
        QCOMPARE(result.items[0].delta().ps, -14 * 10'000);
        const Waterfall back = waterfallOf(b, a);
        QCOMPARE(brokenRule(back, 3), QString());
        QCOMPARE(back.items[0].delta().ps, 14 * (2'441'407 - 1'220'704));
    }

    void everyStepIsTheDesignWithTheFieldsSet()
    {
        // The designs between are read again with the fields as overrides: another way to the same.
        const std::vector<FieldOverride> overrides{{"platform.dimensions.0.bandwidth", "80 GB/s"}, {"platform.dimensions.0.size", "6"}, {"collectives.default.chunks", "4"},
                                                   {"network.seed", "7"},                          {"model.roofline", "false"},        {"platform.npu.memory_bandwidth", "40 GB/s"}};
        for (const std::uint64_t seed : Seeds(8200, 12)) {
            std::vector<FieldOverride> chosen;
            for (std::size_t i = 0; i < overrides.size(); ++i) {
                if ((seed * 2654435761u >> (i + 3)) % 2 == 0)
                    chosen.push_back(overrides[i]);
            }
            const std::string text = ringText("50 GiB/s", "500 ns", "10 ns", "network: {seed: 1, jitter: {latency: {distribution: uniform, deviation: 0.2}}}\n");
            const Design a = read(text);
            const Design b = read(text, {}, chosen);
            const DesignChanges changes = DesignChanges::between(a, b);
            QCOMPARE(changes.rows().size(), chosen.size());
            const Waterfall result = waterfallOf(a, b);
            QCOMPARE(brokenRule(result, chosen.size()), QString());
            std::vector<FieldOverride> made;
            for (const WaterfallItem& item : result.items) {
                const DesignChange& change = changes.rows()[item.change];
                made.push_back({change.field, change.b});
                QVERIFY(item.apart);
                QCOMPARE(item.to.ps, finishOf(read(text, {}, made)));
            }
        }
    }

    void anyTwoDesignsAddUp()
    {
        int compared = 0;
        int apart = 0;
        int together = 0;
        for (const std::uint64_t seed : Seeds(7000, 60, 20)) {
            const Design a = read(mixedDesign(seed, {}));
            const Design b = read(mixedDesign(seed + 100'000, {}));
            const RunResultPtr runA = runOf(a);
            const RunResultPtr runB = runOf(b);
            const DesignChanges changes = DesignChanges::between(a, b);
            QCOMPARE(designHash(allApplied(changes).design).hex(), designHash(b).hex());
            QCOMPARE(designHash(changes.applied({}).design).hex(), designHash(a).hex());
            QCOMPARE(fieldsOf(DesignChanges::between(a, a)), Fields());
            if (!runA || !runB || !runA->record().complete || !runB->record().complete)
                continue;
            const auto result = waterfall(changes, runA->record(), runB->record(), {}, {});
            QVERIFY2(result, result ? "" : result.error().text().c_str());
            QCOMPARE(brokenRule(result.value(), changes.rows().size()), QString());
            ++compared;
            for (const WaterfallItem& item : result.value().items)
                ++(item.apart ? apart : together);
        }
        QVERIFY2(compared >= cases(20, 5) && apart > 0 && together > 0, qPrintable(QString("%1 compared, %2 items apart, %3 not").arg(compared).arg(apart).arg(together)));
    }

    void whatCannotBeRunIsContainedInTheNext()
    {
        // Without its bandwidth the dimension cannot be read; a ring of eight gives each NPU two links out.
        const Design a = read(ringText("50 GB/s", "500 ns", "0 ns"));
        std::string text = ringText("25 GB/s", "500 ns", "0 ns");
        text.replace(text.find("bandwidth"), 9, "npu_bandwidth");
        const Design b = read(text);
        const DesignChanges changes = DesignChanges::between(a, b);
        QCOMPARE(fieldsOf(changes), (Fields{"platform.dimensions[0].bandwidth", "platform.dimensions[0].npu_bandwidth"}));
        const Waterfall result = waterfallOf(a, b);
        QCOMPARE(brokenRule(result, 2), QString());
        QVERIFY(!result.items[0].apart && result.items[1].apart);
        QVERIFY2(QString::fromStdString(result.items[0].why).contains("bandwidth"), result.items[0].why.c_str());
        QVERIFY(result.items[1].why.empty());
        QCOMPARE(result.items[1].delta().ps, result.b.ps - result.a.ps);
    }

    void whatHasNoTimeBetweenSaysWhatHappened()
    {
        // The engine memo does not follow jitter, and it is asked for.
        const auto jittered = [](const char* latency, const char* deviation) {
            return read(ringText("50 GiB/s", latency, "10 ns", std::string("network: {seed: 1, jitter: {latency: {distribution: uniform, deviation: ") + deviation + "}}}\n"));
        };
        const Design a = jittered("500 ns", "0.2");
        const Design b = jittered("600 ns", "0.1");
        const DesignChanges changes = DesignChanges::between(a, b);
        WaterfallOptions options;
        options.engine = EngineChoice::Memo;
        const auto result = waterfall(changes, runOf(a)->record(), runOf(b)->record(), {}, options);
        QVERIFY(result);
        QCOMPARE(brokenRule(result.value(), 2), QString());
        QVERIFY(!result.value().items[0].apart);
        QVERIFY2(QString::fromStdString(result.value().items[0].why).contains("event engine only"), result.value().items[0].why.c_str());
    }

    void workloadsAreExchangedAsAWhole()
    {
        const std::string text = ringText("50 GiB/s", "500 ns", "10 ns");
        std::string other = text;
        other.replace(other.find("all_reduce, size: 1 MiB"), 23, "all_gather, size: 2 MiB");
        const Design a = read(text);
        const Design b = read(other, {}, {{"platform.dimensions.0.latency", "1 us"}});
        const DesignChanges changes = DesignChanges::between(a, b);
        QCOMPARE(fieldsOf(changes), (Fields{"platform.dimensions[0].latency", "workload"}));
        QVERIFY(changes.hasOtherWorkload() && !changes.hasOtherModel() && changes.rows()[1].whole);
        const Waterfall result = waterfallOf(a, b);
        QCOMPARE(brokenRule(result, 2), QString());
        // All-gather of 2 MiB: 7 steps of 256 KiB, 4882.8125 ns each.
        QCOMPARE(result.items[1].to.ps, 7 * (10'000 + 1'000'000 + 4'882'813));
        QCOMPARE(result.items[0].delta().ps, 14 * 500'000);
    }

    void aModelGoesWithItsVersion()
    {
        const std::string text = ringText("50 GiB/s", "500 ns", "10 ns");
        const Design a = read(text, {}, {{"model.version", "physical/1"}});
        const Design b = read(text, {}, {{"model.name", "astra-unaware"}});
        const DesignChanges changes = DesignChanges::between(a, b);
        QCOMPARE(fieldsOf(changes), (Fields{"model.name"}));
        QVERIFY(changes.hasOtherModel());
        const Waterfall result = waterfallOf(a, b);
        QCOMPARE(brokenRule(result, 1), QString());
        QCOMPARE(result.b.ps, 43'025'000); // tst_reconcile
    }

    void aLevelMoreIsOneChange()
    {
        const Design a = read(ringText("50 GiB/s", "500 ns", "10 ns"));
        std::string text = ringText("50 GiB/s", "500 ns", "10 ns");
        text.insert(text.find("  npu:"), "    - {shape: switch, size: 2, bandwidth: 25 GB/s, latency: 1 us}\n");
        QCOMPARE(fieldsOf(DesignChanges::between(a, read(text))), (Fields{"platform.dimensions"}));
    }

    void manyDifferencesCountBySection()
    {
        const auto manySteps = [](int count, const char* bandwidth) {
            std::string overrides = "  overrides:\n    links:\n";
            for (int i = 0; i < count; ++i)
                overrides += "      - {link: \"d0 " + std::to_string(i) + ">" + std::to_string(i + 1) + "\", bandwidth: " + bandwidth + ", latency: " + (bandwidth[0] == '9' ? "1" : "2") + " us}\n";
            std::string text = ringText("50 GiB/s", "500 ns", "10 ns");
            text.replace(text.find("size: 8"), 7, "size: 32");
            return text.insert(text.find("workload:"), overrides);
        };
        const Design a = read(manySteps(20, "9 GB/s"));
        const Design b = read(manySteps(20, "8 GB/s"), {}, {{"model.endpoint_delay", "20 ns"}});
        const DesignChanges changes = DesignChanges::between(a, b);
        QCOMPARE(fieldsOf(changes), (Fields{"platform", "model"}));
        QCOMPARE(changes.rows()[0].paths.size(), std::size_t{40});
        QCOMPARE(brokenRule(waterfallOf(a, b), 2), QString());
    }

    void filesAreFoundFromBothFolders()
    {
        const QTemporaryDir folder;
        const std::string root = folder.path().toStdString();
        const std::string script = "-- all to all\nfor r = 0, ranks - 1 do end\n";
        for (const char* const name : {"one", "two"})
            QVERIFY(QDir(folder.path()).mkdir(QString::fromLatin1(name)));
        std::ofstream(root + "/two/mine.lua") << script;
        const std::string text = ringText("50 GiB/s", "500 ns", "10 ns");
        std::string other = text;
        other.replace(other.find("algorithm: ring"), 15, "script: mine.lua");
        const Design a = read(text, root + "/one/a.yaml");
        const Design b = read(other, root + "/two/b.yaml");
        const LoadedDesign made = allApplied(DesignChanges::between(a, b));
        QVERIFY(!made.design.collectives.defaults.program.program.empty());
        const std::string opened = made.design.resolve(made.design.collectives.defaults.program.program[0].text);
        QCOMPARE(QFileInfo(QString::fromStdString(opened)).canonicalFilePath(), QFileInfo(folder.filePath("two/mine.lua")).canonicalFilePath());
        QCOMPARE(designHash(made.design).hex(), designHash(b).hex());
    }

    void progressCountsRunsAndAStopIsObeyed()
    {
        const Design a = read(ringText("50 GiB/s", "500 ns", "10 ns"));
        const Design b = read(ringText("100 GiB/s", "650 ns", "0 ns"));
        const DesignChanges changes = DesignChanges::between(a, b);
        const RunResultPtr runA = runOf(a);
        const RunResultPtr runB = runOf(b);
        std::stop_source source;
        std::vector<std::pair<int, int>> told;
        WaterfallOptions options;
        options.progress = [&](int done, int of) { told.emplace_back(done, of); };
        QVERIFY(waterfall(changes, runA->record(), runB->record(), {}, options, source.get_token()));
        QCOMPARE(told, (std::vector<std::pair<int, int>>{{1, 2}, {2, 2}}));
        options.progress = [&](int, int) { source.request_stop(); };
        const auto stopped = waterfall(changes, runA->record(), runB->record(), {}, options, source.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }

    void whatNeverEndsHasNoWaterfall()
    {
        const Design a = read(ringText("50 GiB/s", "500 ns", "10 ns"));
        std::string text = ringText("50 GiB/s", "500 ns", "10 ns");
        // Both receive before they send.
        text.replace(text.find("    - {collective: all_reduce, size: 1 MiB}"), 43,
                     "    - {receive: 1 kB, from: 1, ranks: 0}\n    - {send: 1 kB, to: 1, ranks: 0}\n    - {receive: 1 kB, from: 0, ranks: 1}\n    - {send: 1 kB, to: 0, ranks: 1}");
        const RunResultPtr stuck = runOf(read(text));
        QVERIFY(stuck && !stuck->record().complete);
        const auto result = waterfall(DesignChanges::between(a, read(text)), runOf(a)->record(), stuck->record(), {}, {});
        QVERIFY(!result && result.error().code == ErrorCode::Stuck);
    }
};

FABRICSCOPE_TEST(WaterfallTest)
#include "tst_waterfall.moc"
