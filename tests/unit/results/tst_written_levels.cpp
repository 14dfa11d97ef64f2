// Levels of groups in results: in the JSON of a run and its warnings, and kept in a saved run.
#include "core/design/design.h"
#include "core/report/runfile.h"
#include "core/report/runjson.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string>

using namespace fabricscope;

namespace {

/// Four hosts of four NPUs at a switch of 450 GB/s each; NPU i of a host at leaf i with 50 GB/s, but for `strayed`, which is at leaf 0.
std::string fourHostsDesign(int strayed)
{
    const auto number = [](int n) { return std::to_string(n); };
    std::string yaml = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (int npu = 0; npu < 16; ++npu)
        yaml += "    - {name: gpu" + number(npu) + "}\n";
    for (const char* const kind : {"host", "leaf"}) {
        for (int i = 0; i < 4; ++i)
            yaml += std::string("    - {name: ") + kind + number(i) + ", kind: switch}\n";
    }
    yaml += "  links:\n";
    for (int npu = 0; npu < 16; ++npu) {
        yaml += "    - {between: [gpu" + number(npu) + ", host" + number(npu / 4) + "], bandwidth: 450 GB/s, latency: 500 ns}\n";
        yaml += "    - {between: [gpu" + number(npu) + ", leaf" + number(npu == strayed ? 0 : npu % 4) + "], bandwidth: 50 GB/s, latency: 500 ns}\n";
    }
    return yaml + "workload: {collective: all_reduce, size: 1 MiB}\n";
}

RunSummary summaryOfRun(const std::string& yaml)
{
    const auto loaded = readDesignText(yaml, "made.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    const auto scenario = prepare(loaded.value().design);
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    auto record = simulate(*scenario.value(), {});
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return summarise(loaded.value().design, *scenario.value(), std::make_shared<const RunRecord>(std::move(record).value()));
}

std::ptrdiff_t entriesOf(const RunSummary& summary, const std::string& rule, Severity severity)
{
    return std::count_if(summary.diagnostics.begin(), summary.diagnostics.end(), [&](const Diagnostic& entry) { return entry.rule == rule && entry.severity == severity; });
}

nlohmann::json resultOf(const RunSummary& summary)
{
    return nlohmann::json::parse(runJson(summary, {}, RankRows::Classes)).at("result");
}

/// Warnings of a result that say that there are no rails.
int withoutRails(const nlohmann::json& result)
{
    int count = 0;
    for (const nlohmann::json& warning : result.at("warnings"))
        count += warning.get<std::string>().find("no rails") != std::string::npos ? 1 : 0;
    return count;
}

} // namespace

class TestWrittenLevels : public QObject {
    Q_OBJECT

private slots:
    /// Four leaves of four NPUs, with one cable up for two of them: 4 x 4, as declared. The row of the only collective names them; a saved run keeps them, and what is read from it is
    /// written alike.
    void levelsAreInTheJsonAndInSavedRuns()
    {
        const auto levels = nlohmann::json::parse(R"([{"name": "leaf", "extent": 4}, {"name": "all", "extent": 4}])");
        const RunSummary summary = summaryOfRun("fabricscope: 1\nplatform: {topology: \"npu / leaf_spine 4,4,2,2 50GB/s 1us\"}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        const nlohmann::json rows = resultOf(summary).at("collective_bounds");
        QCOMPARE(rows.size(), std::size_t{1});
        QCOMPARE(rows[0].at("levels"), levels);
        QCOMPARE(entriesOf(summary, "levels", Severity::Note), std::ptrdiff_t{1});

        const std::string text = runFileText(summary, {});
        QCOMPARE(nlohmann::json::parse(text).at("design").at("collective_bounds").at(0).at("levels"), levels);
        const Result<SavedRun> read = readRunText(text, "made.run");
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(read.value().summary.collectiveBounds.size(), std::size_t{1});
        QVERIFY(read.value().summary.collectiveBounds[0].levels == (std::vector<GroupLevelRow>{{"leaf", 4}, {"all", 4}}));
        QVERIFY(read.value().summary.collectiveBounds == summary.collectiveBounds);
        QCOMPARE(resultOf(read.value().summary).at("collective_bounds"), rows);
        QCOMPARE(runFileText(read.value().summary, read.value().cost), text);
    }

    /// A network with as many cables up as down is flat, and dimensions have numbers.
    void flatGroupsAndDimensionsHaveNone()
    {
        for (const char* const topology : {"npu / leaf_spine 4,4,4,4 50GB/s 1us", "Ring(4, 50 GB/s, 1 us)_Switch(2, 50 GB/s, 1 us)"}) {
            const RunSummary summary = summaryOfRun(std::string("fabricscope: 1\nplatform: {topology: \"") + topology + "\"}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
            const nlohmann::json rows = resultOf(summary).at("collective_bounds");
            QCOMPARE(rows.size(), std::size_t{1});
            QVERIFY2(!rows[0].contains("levels"), topology);
            QCOMPARE(entriesOf(summary, "levels", Severity::Note), std::ptrdiff_t{0});
            const Result<SavedRun> read = readRunText(runFileText(summary, {}), "made.run");
            QVERIFY(read && read.value().summary.collectiveBounds[0].levels.empty());
        }
    }

    /// NPU 1 of host 2 at leaf 0, beside NPU 0: NPU 0 of another host has two nearest there. The result says so once, as a warning, and so does a saved run.
    void hostsWithoutRailsAreSaidByTheResult()
    {
        const RunSummary strayed = summaryOfRun(fourHostsDesign(9));
        QCOMPARE(entriesOf(strayed, "no-rails", Severity::Warning), std::ptrdiff_t{1});
        QCOMPARE(withoutRails(resultOf(strayed)), 1);
        QCOMPARE(resultOf(strayed).at("collective_bounds")[0].at("levels"), nlohmann::json::parse(R"([{"name": "host", "extent": 4}, {"name": "all", "extent": 4}])"));
        const Result<SavedRun> read = readRunText(runFileText(strayed, {}), "made.run");
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(entriesOf(read.value().summary, "no-rails", Severity::Warning), std::ptrdiff_t{1});

        const RunSummary straight = summaryOfRun(fourHostsDesign(-1));
        QCOMPARE(entriesOf(straight, "no-rails", Severity::Warning), std::ptrdiff_t{0});
        QCOMPARE(withoutRails(resultOf(straight)), 0);
    }
};

FABRICSCOPE_TEST(TestWrittenLevels)
#include "tst_written_levels.moc"
