// Collectives that another algorithm would shorten, in the diagnosis of a run.
#include "core/choose/choose.h"
#include "core/design/file/readdesign.h"
#include "core/insight/explain.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>

using namespace fabricscope;

namespace {

const std::string kGiB = "workload: {collective: all_reduce, size: 1 GiB}\n";

std::string onFabric(const std::string& topology)
{
    return "fabricscope: 1\nplatform: {topology: \"" + topology + "\", bandwidth: 50 GB/s, latency: 500 ns}\n";
}

std::shared_ptr<const Design> designOf(const std::string& text)
{
    auto loaded = readDesignText(text, {});
    return loaded ? std::make_shared<const Design>(std::move(loaded).value().design) : nullptr;
}

/// The sentences about collectives, of a run that may be changed as the command does.
std::vector<DiagnosisItem> slowOf(const std::string& text, bool confirm = false)
{
    ExplainOptions options;
    options.confirm = confirm;
    options.accepts = [&text](const std::string& path, const std::string& value) { return static_cast<bool>(readDesignText(text, {}, {{path, value}})); };
    const auto design = designOf(text);
    if (!design)
        qFatal("not a design: %s", text.c_str());
    const auto explanation = explainDesign(design, {}, {}, options);
    if (!explanation)
        qFatal("%s", explanation.error().text().c_str());
    std::vector<DiagnosisItem> items = explanation.value().diagnosis;
    std::erase_if(items, [](const DiagnosisItem& item) { return item.kind != "algorithm"; });
    return items;
}

std::int64_t finishOf(const std::string& text)
{
    const auto scenario = prepareChosen(*designOf(text));
    const auto record = scenario ? simulate(*scenario.value()) : Result<RunRecord>(scenario.error());
    return record ? record.value().finish.ps : -1;
}

} // namespace

class SlowCollectivesTest : public QObject {
    Q_OBJECT

private slots:
    /// Rings of a torus take turns, one way round: the first alone sends 2 (4 - 1) / 4 GiB over one link, 32.212 ms, the others less beside it. All six links of an NPU
    /// at once could send its 2 (64 - 1) / 64 GiB in 7.046 ms.
    void namesWhatATorusCouldDo()
    {
        const std::string text = onFabric("Ring(4)_Ring(4)_Ring(4)") + kGiB;
        const std::int64_t finish = finishOf(text);
        const auto bytes = static_cast<double>(std::int64_t{1} << 30);
        const double least = 2 * 63.0 / 64 * bytes / 300e9 * 1e12;
        const std::vector<DiagnosisItem> items = slowOf(text, true);
        QCOMPARE(items.size(), std::size_t{1});
        QCOMPARE(items.front().ps, finish);
        const auto gain = static_cast<double>(items.front().gainPs);
        QVERIFY(gain <= static_cast<double>(finish) - least && gain > static_cast<double>(finish) - 1.001 * least);
        QVERIFY2(items.front().text.starts_with("all_reduce of 1 GiB by ring x ring x ring takes 32.213 ms (100.0 %), where no algorithm takes less than 7.047 ms"), items.front().text.c_str());
        QCOMPARE(editText(items.front()), std::string("--set collectives.default.algorithm=auto"));
        const std::int64_t chosen = finishOf(text + "collectives: {default: {algorithm: auto}}\n");
        QVERIFY(chosen > 0);
        QCOMPARE(items.front().confirmedPs.value_or(-1), finish - chosen);
        QVERIFY(*items.front().confirmedPs > items.front().gainPs * 9 / 10);
    }

    /// Each to each over links of their own is as fast as it can be; chosen by `auto` nothing else is to be had.
    void saysNothingWhereNothingIsFaster()
    {
        QVERIFY(slowOf(onFabric("FullyConnected(8)") + kGiB).empty());
        QVERIFY(slowOf(onFabric("Ring(8)") + kGiB).empty());
        QVERIFY(slowOf(onFabric("Ring(4)_Switch(8)") + kGiB + "collectives: {default: {algorithm: auto}}\n").empty());
        // What is hidden behind computing is not on the path.
        QVERIFY(slowOf(onFabric("Ring(4)_Ring(4)") + "workload: {steps: [{compute: 100 ms}, {collective: all_reduce, size: 1 MiB, after: []}]}\n").empty());
        QVERIFY(slowOf(onFabric("Ring(4)_Ring(4)") + kGiB + "model: {name: astra-unaware}\n").empty());
    }

    /// Times of alike ones count together, each against its bound, the largest gain first.
    void addsUpAlikeOnes()
    {
        const std::string steps = "workload: {steps: [{repeat: 3, steps: [{collective: all_reduce, size: 64 MiB}]}, {collective: all_gather, size: 128 MiB}]}\n";
        const std::string text = onFabric("Ring(4)_Ring(4)") + steps;
        const std::vector<DiagnosisItem> items = slowOf(text);
        QCOMPARE(items.size(), std::size_t{2});
        QVERIFY2(items.front().text.starts_with("3 x all_reduce of 64 MiB by ring x ring take "), items.front().text.c_str());
        QVERIFY2(items.back().text.starts_with("all_gather of 128 MiB by ring x ring takes "), items.back().text.c_str());
        QCOMPARE(items.front().ps + items.back().ps, finishOf(text));
        QVERIFY(items.front().gainPs >= items.back().gainPs);
    }

    /// One algorithm for all would take the place of what a rule says of some: nothing is proposed.
    void leavesRulesAlone()
    {
        const std::string ruled = onFabric("Ring(4)_Ring(4)") + kGiB + "collectives: {rules: [{op: all_reduce, algorithm: ring}]}\n";
        const std::vector<DiagnosisItem> items = slowOf(ruled, true);
        QCOMPARE(items.size(), std::size_t{1});
        QVERIFY(items.front().field.empty() && !items.front().confirmedPs);
        const std::vector<DiagnosisItem> named = slowOf(onFabric("Ring(4)_Ring(4)") + kGiB + "collectives: {default: {algorithm: ring}}\n");
        QCOMPARE(named.size(), std::size_t{1});
        QCOMPARE(named.front().value, std::string("auto"));
    }
};

FABRICSCOPE_TEST(SlowCollectivesTest)
#include "tst_slowcollectives.moc"
