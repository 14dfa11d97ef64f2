// Studies: constraints by hand, samplings by their closed forms, the front by brute force, what a store survives.
#include "core/base/stop.h"
#include "core/study/constraint.h"
#include "core/study/parametershares.h"
#include "core/study/paretofront.h"
#include "core/study/spacerun.h"
#include "core/study/tabletext.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>
#include <random>
#include <set>

using namespace fabricscope;

namespace {

constexpr const char* kStudy = R"(fabricscope: 1
name: two figures
study:
  base:
    platform:
      dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]
    workload: {collective: all_reduce, size: 1 MiB}
    collectives: {default: {algorithm: ring, chunks: 1}}
    model: {name: ideal}
  parameters:
    - {name: rate, field: platform.dimensions.0.bandwidth, values: [25 GB/s, 50 GB/s, 100 GB/s]}
    - {name: delay, field: platform.dimensions.0.latency, range: [1 us, 4 us], points: 4}
  constraints: ["delay <= 3 us"]
  objectives: [{minimise: step_time}, {report: npus}]
)";

std::optional<NamedValue> kindOf(std::string_view name)
{
    if (name == "tp" || name == "pp")
        return NamedValue{false, Measure::Count, {}, {}};
    if (name == "part")
        return NamedValue{true, Measure::Count, {}, {}};
    const auto figure = pointFigureNamed(name);
    return figure ? std::optional(NamedValue{false, rowOf(*figure).measure, {}, {}}) : std::nullopt;
}

/// tp 8, pp 4, part "h100", memory 80 GB, 5 us; the cost is not known.
NamedValue knownValue(std::string_view name)
{
    if (name == "tp")
        return {false, Measure::Count, 8, {}};
    if (name == "pp")
        return {false, Measure::Count, 4, {}};
    if (name == "part")
        return {true, Measure::Count, {}, "h100"};
    if (name == "memory_peak")
        return {false, Measure::Size, 80e9, {}};
    if (name == "step_time")
        return {false, Measure::Time, 5e6, {}};
    return {};
}

} // namespace

class SpaceTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string file(const char* name, const std::string& text) const
    {
        const QString path = m_folder.filePath(QString::fromUtf8(name));
        QFile out(path);
        if (!out.open(QIODevice::WriteOnly) || out.write(text.data(), static_cast<qint64>(text.size())) < 0)
            qFatal("cannot write");
        return path.toStdString();
    }
    std::string path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }

    StudySpec spec(const std::string& text, const std::vector<FieldOverride>& sets = {}) const
    {
        Result<StudySpec> read = readStudy(file("s.yaml", text), sets);
        if (!read)
            qFatal("%s", read.error().text().c_str());
        return std::move(read).value();
    }

    std::string refusal(const std::string& text) const
    {
        const Result<StudySpec> read = readStudy(file("s.yaml", text), {});
        return read ? std::string() : read.error().text();
    }

    static std::string changed(std::string text, const std::string& from, const std::string& to)
    {
        const std::size_t at = text.find(from);
        if (at == std::string::npos)
            qFatal("%s is not there", from.c_str());
        return text.replace(at, from.size(), to);
    }

    /// The table as CSV, of a store of that name.
    std::string tableText(const StudySpec& space, const char* store, SpaceRunOptions options, StudyProgress& progress) const
    {
        Result<RunStore> opened = RunStore::open(path(store), RunStore::Access::Write);
        if (!opened)
            qFatal("%s", opened.error().text().c_str());
        PointRunner runner(space, "test");
        const Result<StudyTable> table = runSpace(space, runner, opened.value(), options, progress, {});
        if (!table)
            qFatal("%s", table.error().text().c_str());
        return tableCsv(space, table.value());
    }

private slots:
    void constraintsHold_data()
    {
        QTest::addColumn<int>("holds"); // -1: not known
        for (const auto& [text, holds] : {std::pair{"memory_peak <= 80 GB", 1}, {"memory_peak < 80 GB", 0}, {"memory_peak <= 80 GiB and tp * pp == 32", 1}, {"tp * pp > 32 or step_time < 4 us + 2 us", 1}, {"not tp == 8", 0},
                                          {"tp - pp - 1 == 3", 1}, {"tp / pp / 2 == 1", 1}, {"-(tp + 1) == -9", 1}, {"2 * step_time >= 10000 ns", 1}, {"memory_peak / 40 GB == 2", 1}, {"part == h100", 1}, {"part != \"h100\"", 0},
                                          {"(pp - 4) / (pp - 4) < 5", -1}, {"tp == 8\n  and\tpp == 4\n", 1}, {"cost < 5", -1}, {"cost < 5 and tp == 7", 0}, {"cost < 5 or tp == 8", 1}, {"not (cost < 5)", -1}, {"1 + 2 * 3 == 7 and (1 + 2) * 3 == 9", 1}, {"npus == 1", -1}})
            QTest::newRow(text) << holds;
    }
    void constraintsHold()
    {
        QFETCH(const int, holds);
        const Result<Constraint> condition = Constraint::parse(QTest::currentDataTag(), kindOf);
        QVERIFY2(condition, condition ? "" : condition.error().text().c_str());
        const std::optional<bool> found = condition.value().holds(knownValue);
        QCOMPARE(found ? int{*found} : -1, holds);
    }

    void constraintsAreRefused()
    {
        for (const auto& [text, part] : {std::pair{"memory_peak <= 80", "different things"}, {"memory_peak <= 80 GX", "unknown unit \"GX\" (character 19)"}, {"speed > 1", "\"speed\" is no figure"}, {"tp", "no condition"}, {"tp ==", "too early"},
                                         {"tp == 1 1", "too much"}, {"(tp == 1", "not closed"}, {"memory_peak * memory_peak > 1 GB", "multiplied"}, {"memory_peak / step_time > 1", "different units"}, {"part < h100", "no order"},
                                         {"part == 4", "a word is compared"}, {"tp == 1 and pp", "joins conditions"}, {"tp + (pp == 1) > 2", "takes numbers"}, {"", "too early"}, {"tp = 4", "too much"}}) {
            const Result<Constraint> condition = Constraint::parse(text, kindOf);
            QVERIFY2(!condition && condition.error().text().find(part) != std::string::npos, condition ? text : condition.error().text().c_str());
        }
        QVERIFY(!Constraint::parse(std::string(1000, '(') + "tp == 1", kindOf));
    }

    /// The first varies slowest; a range has both ends and equal steps or factors.
    void aGridIsEveryCombination()
    {
        const StudySpec space = spec(kStudy);
        QCOMPARE(space.designCount(), std::int64_t{12});
        std::vector<std::string> labels;
        for (std::int64_t i = 0; i < 12; ++i) {
            const auto choices = space.choicesOf(i);
            labels.push_back(choices[0].label + "/" + choices[1].label);
        }
        QCOMPARE(labels.front(), std::string("25 GB/s/1 us"));
        QCOMPARE(labels[1], std::string("25 GB/s/2 us"));
        QCOMPARE(labels[4], std::string("50 GB/s/1 us"));
        QCOMPARE(labels.back(), std::string("100 GB/s/4 us"));
        QCOMPARE(std::set<std::string>(labels.begin(), labels.end()).size(), std::size_t{12});
        const StudySpec log = spec(changed(kStudy, "range: [1 us, 4 us], points: 4", "range: [500 ns, 8 us], scale: log, points: 5"));
        for (std::int64_t i = 0; i < 5; ++i)
            QCOMPARE(*log.choicesOf(i)[1].named.number, 5e5 * std::pow(2.0, static_cast<double>(i)));
    }

    /// Every parameter has exactly one design in each of N strata.
    void aLatinHypercubeHasEveryStratumOnce()
    {
        const std::string text = changed(changed(kStudy, ", points: 4}", "}"), "  constraints", "  sampling: {kind: latin_hypercube, points: 60, seed: 3}\n  constraints");
        const StudySpec space = spec(text);
        std::map<std::string, int> rates;
        std::set<int> strata;
        for (std::int64_t i = 0; i < 60; ++i) {
            const auto choices = space.choicesOf(i);
            ++rates[choices[0].label];
            strata.insert(static_cast<int>((*choices[1].named.number - 1e6) / 3e6 * 60));
        }
        QCOMPARE(strata.size(), std::size_t{60});
        QVERIFY(rates == (std::map<std::string, int>{{"25 GB/s", 20}, {"50 GB/s", 20}, {"100 GB/s", 20}}));
        const StudySpec other = spec(text, {{"study.sampling.seed", "4"}});
        QVERIFY(other.choicesOf(0)[1].label != space.choicesOf(0)[1].label);
    }

    /// The sequence of Joe and Kuo as published for three dimensions; in every dimension each 2^k numbers have one in each of 2^k strata.
    void sobolNumbersAreThoseOfTheirTables()
    {
        const std::array<std::array<double, 3>, 6> first{{{0, 0, 0}, {.5, .5, .5}, {.75, .25, .25}, {.25, .75, .75}, {.375, .375, .625}, {.875, .875, .125}}};
        for (std::uint32_t i = 0; i < first.size(); ++i) {
            for (std::size_t dimension = 0; dimension < 3; ++dimension)
                QCOMPARE(sobolNumber(i, dimension, 0), first[i][dimension]);
        }
        for (std::size_t dimension = 0; dimension < kSobolDimensions; ++dimension) {
            for (const std::uint32_t shift : {0U, 0xdeadbeefU}) {
                std::set<int> strata;
                for (std::uint32_t i = 1024; i < 2048; ++i)
                    strata.insert(static_cast<int>(sobolNumber(i, dimension, shift) * 1024));
                QCOMPARE(strata.size(), std::size_t{1024});
            }
        }
    }

    void theFrontIsThatOfBruteForce()
    {
        std::mt19937 random(7);
        for (int round = 0; round < test::cases(300); ++round) {
            const std::size_t columns = 1 + random() % 4;
            std::vector<std::vector<double>> rows(1 + random() % 40);
            for (auto& row : rows) {
                for (std::size_t c = 0; c < columns; ++c)
                    row.push_back(static_cast<double>(random() % 6));
            }
            std::vector<std::size_t> expected;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const bool beaten = std::any_of(rows.begin(), rows.end(), [&](const auto& other) {
                    bool better = false;
                    for (std::size_t c = 0; c < columns; ++c) {
                        if (other[c] > rows[i][c])
                            return false;
                        better |= other[c] < rows[i][c];
                    }
                    return better;
                });
                if (!beaten)
                    expected.push_back(i);
            }
            QCOMPARE(paretoFront(rows), expected);
        }
        QVERIFY(paretoFront({}).empty());
    }

    /// A row of front k has one that beats it in front k - 1, and none in its own or later ones.
    void ranksAreFrontsTakenAway()
    {
        std::mt19937 random(8);
        for (int round = 0; round < test::cases(200); ++round) {
            const std::size_t columns = 1 + random() % 4;
            std::vector<std::vector<double>> rows(1 + random() % 40);
            for (auto& row : rows) {
                for (std::size_t c = 0; c < columns; ++c)
                    row.push_back(static_cast<double>(random() % 6));
            }
            const std::vector<std::int32_t> ranks = frontRanks(rows);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                bool hasBetterBefore = ranks[i] == 0;
                for (std::size_t other = 0; other < rows.size(); ++other) {
                    const bool beaten = beats(rows[other], rows[i]);
                    QVERIFY(!beaten || ranks[other] < ranks[i]);
                    hasBetterBefore = hasBetterBefore || (beaten && ranks[other] == ranks[i] - 1);
                }
                QVERIFY(hasBetterBefore);
            }
        }
        // One front of five points on a line: both ends, then the one with the most room, that at 5 (from 2 to 9), then 2 (from 0 to 5) and 9 (from 5 to 10); the sixth is beaten.
        QCOMPARE(rankedRows({{0, 10}, {2, 8}, {9, 1}, {5, 5}, {11, 11}, {10, 0}}), (std::vector<std::size_t>{0, 5, 3, 1, 2, 4}));
    }

    /// An all-reduce on a ring of four, ideal: 6 steps of 1/4 MiB / rate + delay. Where the delay is above 3 us nothing runs.
    void figuresAreThoseOfTheClosedForm()
    {
        const StudySpec space = spec(kStudy);
        Result<RunStore> store = RunStore::open(path("closed.sqlite"), RunStore::Access::Write);
        QVERIFY(store);
        PointRunner runner(space, "test");
        StudyProgress progress;
        const Result<StudyTable> table = runSpace(space, runner, store.value(), {}, progress, {});
        QVERIFY2(table, table ? "" : table.error().text().c_str());
        QCOMPARE(table.value().count(StudyTableRow::State::Infeasible), std::int64_t{3});
        QCOMPARE(progress.ran, std::int64_t{12});
        for (const StudyTableRow& row : table.value().rows) {
            const double delay = static_cast<double>(1 + row.number % 4) * 1e6;
            if (delay > 3e6) {
                QVERIFY(row.state == StudyTableRow::State::Infeasible && !row.figures[PointFigure::StepTime]);
                QCOMPARE(row.message, std::string("delay <= 3 us"));
                continue;
            }
            const double rate = 25e9 * std::pow(2.0, static_cast<double>(row.number / 4));
            QCOMPARE(*row.figures[PointFigure::StepTime], 6 * (delay + 262144 / rate * 1e12));
            QCOMPARE(*row.figures[PointFigure::Npus], 4.0);
        }
        QCOMPARE(table.value().front, std::vector<std::size_t>{8}); // The fastest links with the least delay.
    }

    /// 6 delay + 6 x 1/4 MiB / rate is a sum: each part has the variance of its own, 6^2 var(1, 2, 3, 4 us) and the other by hand, and nothing is made together.
    void sharesInTheSpreadAreThoseOfTheClosedForm()
    {
        const StudySpec space = spec(changed(kStudy, "delay <= 3 us", "npus == 4"));
        Result<RunStore> store = RunStore::open(path("shares.sqlite"), RunStore::Access::Write);
        PointRunner runner(space, "test");
        StudyProgress progress;
        Result<StudyTable> table = runSpace(space, runner, store.value(), {}, progress, {});
        QVERIFY(table);
        const auto variance = [](const std::vector<double>& values) {
            double sum = 0, squares = 0;
            for (const double value : values) {
                sum += value;
                squares += value * value;
            }
            const auto count = static_cast<double>(values.size());
            return squares / count - sum / count * (sum / count);
        };
        const double ofDelay = variance({6, 12, 18, 24});
        const double ofRate = variance({6 * 262144 / 25e3, 6 * 262144 / 50e3, 6 * 262144 / 100e3}); // us
        std::vector<ParameterShares> shares = parameterShares(space, table.value());
        QCOMPARE(shares.size(), std::size_t{1}); // The number of NPUs is the same for all.
        QVERIFY(std::abs(shares[0].alone[0] - ofRate / (ofRate + ofDelay)) < 1e-6);
        QVERIFY(std::abs(shares[0].alone[1] - ofDelay / (ofRate + ofDelay)) < 1e-6);
        QVERIFY(shares[0].together < 1e-6);
        // The product of signs is made by both together alone.
        const StudySpec square = spec(changed(changed(kStudy, "25 GB/s, 50 GB/s, 100 GB/s", "25 GB/s, 50 GB/s"), "points: 4", "points: 2"));
        StudyTable made;
        for (const double value : {1.0, -1.0, -1.0, 1.0}) {
            made.rows.emplace_back();
            made.rows.back().figures[PointFigure::StepTime] = value;
        }
        shares = parameterShares(square, made);
        QVERIFY(shares.size() == 1 && shares[0].alone == (std::vector<double>{0, 0}) && shares[0].together == 1);
        made.rows[2].figures[PointFigure::StepTime].reset();
        QVERIFY(parameterShares(square, made).empty());
    }

    void theTableDoesNotDependOnThreadsShardsOrInterruptions()
    {
        const StudySpec space = spec(kStudy);
        StudyProgress whole;
        const std::string expected = tableText(space, "one.sqlite", {}, whole);
        StudyProgress threaded;
        SpaceRunOptions threads;
        threads.threads = 4;
        QCOMPARE(tableText(space, "four.sqlite", threads, threaded), expected);
        StudyProgress again;
        QCOMPARE(tableText(space, "four.sqlite", threads, again), expected);
        QCOMPARE(again.ran, std::int64_t{0});
        QCOMPARE(again.found, std::int64_t{12});

        Result<RunStore> merged = RunStore::open(path("merged.sqlite"), RunStore::Access::Write);
        QVERIFY(merged);
        for (std::int64_t i = 1; i <= 3; ++i) {
            SpaceRunOptions shard;
            shard.shard = {i, 3};
            StudyProgress part;
            tableText(space, ("shard" + std::to_string(i)).c_str(), shard, part);
            QCOMPARE(part.ran, std::int64_t{4});
            const Result<RunStore> other = RunStore::open(path(("shard" + std::to_string(i)).c_str()), RunStore::Access::Read);
            QVERIFY(other);
            const auto taken = merged.value().takeFrom(other.value());
            QVERIFY(taken && taken.value() == 4);
        }
        PointRunner runner(space, "test");
        const auto table = tableOf(space, runner, merged.value(), 2, {});
        QVERIFY(table);
        QCOMPARE(tableCsv(space, table.value()), expected);

        // Half of a store is the store of a run that ended early.
        StudyProgress rest;
        QCOMPARE(tableText(space, "shard2", {}, rest), expected);
        QCOMPARE(rest.ran, std::int64_t{8});
        QCOMPARE(rest.found, std::int64_t{4});
    }

    /// Another constraint: what was not simulated and is allowed now runs; what was simulated does not run again.
    void constraintsMayChange()
    {
        StudyProgress first;
        tableText(spec(kStudy), "c.sqlite", {}, first);
        StudyProgress second;
        const std::string text = tableText(spec(changed(kStudy, "3 us", "4 us")), "c.sqlite", {}, second);
        QCOMPARE(second.ran, std::int64_t{3});
        QVERIFY(text.find("infeasible") == std::string::npos);
        StudyProgress third;
        const StudySpec narrow = spec(changed(kStudy, "3 us", "1 us"));
        QCOMPARE(tableText(narrow, "c.sqlite", {}, third).find("open"), std::string::npos);
        QCOMPARE(third.ran, std::int64_t{0});
    }

    void aStopKeepsWhatIsDone()
    {
        const StudySpec space = spec(kStudy);
        Result<RunStore> store = RunStore::open(path("stopped.sqlite"), RunStore::Access::Write);
        PointRunner runner(space, "test");
        std::stop_source stop;
        SpaceRunOptions options;
        options.begun = [&stop](const StudyProgress&) { stop.request_stop(); };
        StudyProgress progress;
        const Result<StudyTable> table = runSpace(space, runner, store.value(), options, progress, stop.get_token());
        QVERIFY(!table && table.error().code == ErrorCode::Cancelled);
        QCOMPARE(progress.ran, std::int64_t{1});
        QCOMPARE(store.value().all().value().size(), std::size_t{1});
    }

    /// A bound is a constraint, and what it asks for is in the table.
    void aBoundIsAConstraintThatIsReported()
    {
        const StudySpec space = spec(changed(kStudy, "{report: npus}", "{bound: \"step_time <= 40 us and npus == 4\"}"));
        QCOMPARE(space.constraints.size(), std::size_t{2});
        QCOMPARE(space.objectives.size(), std::size_t{2});
        QVERIFY(space.objectives[1].figure == PointFigure::Npus && space.objectives[1].sense == StudyObjective::Sense::Report);
        StudyProgress progress;
        const std::string text = tableText(space, "bound.sqlite", {}, progress);
        // 6 (delay + 2^18 B / rate): 1 us at 50 GB/s, 1 to 3 us at 100 GB/s are within 40 us.
        qsizetype done = 0;
        for (std::size_t at = text.find(",done,"); at != std::string::npos; at = text.find(",done,", at + 1))
            ++done;
        QCOMPARE(done, qsizetype{4});
        const std::string said = refusal(changed(kStudy, "{report: npus}", "{bound: npus}"));
        QVERIFY2(said.find("s.yaml:14") != std::string::npos && said.find("no condition") != std::string::npos, said.c_str());
    }

    /// A base in another folder: its places are those of its file.
    void aBaseIsAFileFromTheFolderOfTheStudy()
    {
        QDir(m_folder.path()).mkdir(QStringLiteral("sub"));
        file("sub/base.yaml", "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        const std::string text = "fabricscope: 1\nstudy:\n  base: sub/base.yaml\n  parameters: [{name: size, field: platform.dimensions.0.size, values: [2, 4]}]\n  objectives: [{minimise: step_time}]\n";
        StudyProgress progress;
        QVERIFY(tableText(spec(text), "base.sqlite", {}, progress).find("failed") == std::string::npos);
        file("sub/base.yaml", "fabricscope: 1\nplatform: {dimensions: [{shape: rink, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        const std::string said = refusal(text);
        QVERIFY2(said.find("sub/base.yaml:2:") != std::string::npos && said.find("rink") != std::string::npos, said.c_str());
        const std::string absent = refusal(changed(text, "sub/base.yaml", "sub/bass.yaml"));
        QVERIFY2(absent.find("s.yaml:3:") != std::string::npos && absent.find("sub/bass.yaml: file not found") != std::string::npos, absent.c_str());
    }

    void mistakesAreToldWithTheirLine()
    {
        for (const auto& [from, to, part] : {std::tuple{"25 GB/s", "25 GB/x", "s.yaml:11"}, {"dimensions.0.bandwidth", "dimensions.0.bandwith", "s.yaml:11"}, {"dimensions.0.bandwidth", "dimensions..", "is no field"}, {"1 us, 4 us", "4 us, 1 us", "does not go up"},
                                             {"1 us, 4 us", "1 us, 4 GB", "different things"}, {", points: 4", "", "points"}, {"values: [", "value: [", "value"}, {"name: delay", "name: rate", "already"}, {"name: delay", "name: npus", "name of a figure"}, {"name: delay", "name: not", "joins conditions"}, {"field: platform.dimensions.0.latency", "field: \"platform.dimensions[0].bandwidth\"", "is varied by rate and by delay"},
                                             {"delay <= 3 us", "delay <= 3", "s.yaml:13"}, {"minimise: step_time", "minimise: steptime", "step_time"}, {"minimise: step_time", "least: step_time", "minimise"}, {"25 GB/s, 50", "50 GB/s, 50", "twice"},
                                             {"shape: ring", "shape: rung", "s.yaml:6"}, {"fabricscope: 1\nname", "name", "fabricscope"}, {"  objectives", "  sampling: {kind: sobol}\n  objectives", "points"},
                                             {"  objectives", "  sampling: {points: 3}\n  objectives", "a grid takes"}}) {
            const std::string said = refusal(changed(kStudy, from, to));
            QVERIFY2(said.find(part) != std::string::npos, (std::string(to) + ": " + said).c_str());
        }
        QVERIFY(refusal(changed(kStudy, "points: 4", "points: 1000") + "  sampling: {kind: grid}\n").empty());
    }

    void alternativesAreWholeSections()
    {
        file("other.yaml", "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 8, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_reduce, size: 1 B}\n");
        std::string text = changed(kStudy, "- {name: rate, field: platform.dimensions.0.bandwidth, values: [25 GB/s, 50 GB/s, 100 GB/s]}",
                                   "- {name: platform, alternatives: {eight: {file: other.yaml, section: platform}, host: {preset: hgx-h100-8}, four: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}]}}}");
        text = changed(text, "- {name: delay, field: platform.dimensions.0.latency, range: [1 us, 4 us], points: 4}", "- {name: size, fields: [workload.size], values: [1 MiB, 2 MiB]}");
        const StudySpec space = spec(changed(text, "delay <= 3 us", "platform != four"));
        StudyProgress progress;
        tableText(space, "alternatives.sqlite", {}, progress);
        QCOMPARE(space.designCount(), std::int64_t{6});
        Result<RunStore> store = RunStore::open(path("alternatives.sqlite"), RunStore::Access::Read);
        PointRunner runner(space, "test");
        const auto table = tableOf(space, runner, store.value(), 1, {});
        QVERIFY(table);
        for (const std::size_t row : {0U, 1U, 2U, 3U})
            QCOMPARE(*table.value().rows[row].figures[PointFigure::Npus], 8.0);
        QVERIFY(table.value().rows[4].state == StudyTableRow::State::Infeasible && table.value().rows[5].state == StudyTableRow::State::Infeasible);
        QVERIFY(*table.value().rows[0].figures[PointFigure::StepTime] < *table.value().rows[1].figures[PointFigure::StepTime]);
    }

    /// A word that is none of the values would hold of nothing, or of all.
    void wordsOfConstraintsAreValues()
    {
        const std::string text = changed(changed(kStudy, "values: [25 GB/s, 50 GB/s, 100 GB/s]", "alternatives: {slow: 25 GB/s, fast: 100 GB/s}"), "delay <= 3 us", "rate != slow");
        QVERIFY(refusal(text).empty());
        const std::string said = refusal(changed(text, "rate != slow", "rate != solw"));
        QVERIFY2(said.find("s.yaml:13") != std::string::npos && said.find("\"solw\" is no value of rate") != std::string::npos && said.find("slow") != std::string::npos, said.c_str());
    }

    /// The design inside of the study: with an anchor outside of it, and as --set gives it.
    void aDesignInTheStudyMayComeFromElsewhere()
    {
        const std::string anchored = changed(changed(kStudy, "name: two figures", "notes: &rate 50 GB/s"), "bandwidth: 50 GB/s", "bandwidth: *rate");
        QVERIFY2(refusal(anchored).empty(), refusal(anchored).c_str());
        const StudySpec space = spec(kStudy, {{"study.base", "{platform: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}]}, workload: {collective: all_reduce, size: 2 MiB}, collectives: {default: {algorithm: ring, chunks: 1}}, model: {name: ideal}}"}});
        StudyProgress progress;
        // 6 steps of 1 us and 1/2 MiB / 25 GB/s.
        QVERIFY(tableText(space, "set.sqlite", {}, progress).find("0,25 GB/s,1 us,done," + figureText(PointFigure::StepTime, 6 * (1e6 + 524288 / 25e9 * 1e12))) != std::string::npos);
    }

    /// A section does not undo what is varied in it, wherever it stands.
    void aSectionIsSetBeforeItsFields()
    {
        const StudySpec space = spec(changed(kStudy, "    - {name: delay, field: platform.dimensions.0.latency, range: [1 us, 4 us], points: 4}\n",
                                             "    - {name: delay, field: platform.dimensions.0.latency, values: [1 us, 4 us]}\n    - {name: platform, alternatives: {a: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 9 us}]}}}\n"));
        StudyProgress progress;
        Result<RunStore> store = RunStore::open(path("sections.sqlite"), RunStore::Access::Write);
        PointRunner runner(space, "test");
        const auto table = runSpace(space, runner, store.value(), {}, progress, {});
        QVERIFY(table);
        QCOMPARE(*table.value().rows[0].figures[PointFigure::StepTime], 6 * (1e6 + 262144 / 25e9 * 1e12));
        QVERIFY(table.value().rows[1].state == StudyTableRow::State::Infeasible);
    }

    /// Continuous, but the field takes whole numbers alone: no design could run.
    void aRangeIsTriedBetweenItsEndsToo()
    {
        std::string text = changed(kStudy, "{name: rate, field: platform.dimensions.0.bandwidth, values: [25 GB/s, 50 GB/s, 100 GB/s]}", "{name: size, field: platform.dimensions.0.size, range: [2, 16]}");
        text = changed(text, "  constraints", "  sampling: {kind: sobol, points: 8}\n  constraints");
        QVERIFY(refusal(text).find("s.yaml:11") != std::string::npos);
        text = changed(text, "range: [2, 16]", "values: [2, 16]");
        QVERIFY2(refusal(text).empty(), refusal(text).c_str());
    }

    void pointsOfAllRangesAreBounded()
    {
        QVERIFY(refusal(changed(kStudy, "  constraints", "    - {name: many, field: workload.size, range: [1 MB, 2 MB], points: 999998}\n  constraints")).find("1000000 points") != std::string::npos);
        QVERIFY(refusal(changed(kStudy, "points: 4", "points: 1000000000000")).find("points") != std::string::npos);
    }

    /// Another trace under the same name is another design.
    void whatTracesSayIsPartOfADesign()
    {
        const auto trace = [](const char* size) { return std::string("{\"schema\": \"1\"}\n") + size; };
        file("t.0.json", trace("1"));
        file("t.1.json", trace("2"));
        const StudySpec space = spec(changed(kStudy, "workload: {collective: all_reduce, size: 1 MiB}", "workload: {trace: t}"));
        const auto hashNow = [&space] {
            PointRunner runner(space, "test");
            const auto point = runner.read(0, {});
            if (!point || !point.value().design)
                qFatal("cannot read");
            return point.value().hash;
        };
        const Digest first = hashNow();
        QCOMPARE(hashNow(), first);
        file("t.1.json", trace("3"));
        QVERIFY(hashNow() != first);
        const Digest second = hashNow();
        file("t.2.json", trace("3"));
        QVERIFY(hashNow() != second);
    }

    /// Two names of one design, of which a constraint rules out the first: the other one runs, now and not the next time.
    void aTwinIsNotRuledOut()
    {
        std::string text = changed(kStudy, "    - {name: delay, field: platform.dimensions.0.latency, range: [1 us, 4 us], points: 4}\n", "    - {name: who, field: name, values: [a, b, c]}\n");
        text = changed(text, "delay <= 3 us", "who == b");
        for (const int threads : {1, 4}) {
            SpaceRunOptions options;
            options.threads = threads;
            StudyProgress progress;
            const std::string table = tableText(spec(text), ("twins" + std::to_string(threads)).c_str(), options, progress);
            QVERIFY2(table.find("open") == std::string::npos && table.find("b,done") != std::string::npos, table.c_str());
        }
    }

    /// A constraint on parameters is there to leave out what cannot be: it is no failure.
    void whatNamesRuleOutDoesNotFail()
    {
        const char* const text = R"(fabricscope: 1
study:
  base:
    platform: {dimensions: [{shape: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}]}
    workload: {plan: {mesh: {axes: [dp, pp], shape: [1, 4]}, pipeline: {micro_batches: 4, send: 1 MB, times: [{forward: 1 ms, backward: 2 ms}]}}}
  parameters:
    - {name: dp, field: workload.plan.mesh.shape.0, values: [1, 2, 4]}
    - {name: pp, field: workload.plan.mesh.shape.1, values: [4, 2, 1]}
  constraints: ["dp * pp == 4"]
  objectives: [{minimise: step_time}]
)";
        const auto counted = [](const std::string& table, const char* word) {
            std::size_t count = 0;
            for (std::size_t at = table.find(word); at != std::string::npos; at = table.find(word, at + 1))
                ++count;
            return count;
        };
        const std::string without = changed(text, "dp * pp == 4", "dp >= 1");
        StudyProgress progress;
        const std::string table = tableText(spec(text), "names.sqlite", {}, progress);
        QVERIFY2(counted(table, ",done,") == 3 && counted(table, ",infeasible,") == 6, table.c_str());
        // What was kept as failed is ruled out all the same, and what was ruled out fails where nothing rules it out.
        QCOMPARE(counted(tableText(spec(without), "names.sqlite", {}, progress), ",failed,"), std::size_t{6});
        QCOMPARE(tableText(spec(text), "names.sqlite", {}, progress), table);
        // A search does not try it either.
        for (const char* const search : {"local", "successive_halving"}) {
            const std::string found = tableText(spec(std::string(text) + "  sampling: {search: " + search + ", budget: 9, seed: 1}\n"), (std::string(search) + ".sqlite").c_str(), {}, progress);
            QVERIFY2(counted(found, ",failed,") == 0 && counted(found, ",done,") == 3, found.c_str());
        }
    }

    /// The table is that of a store that is new, whatever was asked for before.
    void theTableDoesNotTellWhatWasAllowedBefore()
    {
        const StudySpec wide = spec(changed(kStudy, "delay <= 3 us", "delay <= 4 us"));
        StudyProgress progress;
        tableText(wide, "before.sqlite", {}, progress);
        const StudySpec narrow = spec(kStudy);
        QCOMPARE(tableText(narrow, "before.sqlite", {}, progress), tableText(narrow, "new.sqlite", {}, progress));
    }

    void aStopEndsTheFront()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_THROWS_EXCEPTION(StopRequested, static_cast<void>(paretoFront({{1, 2}, {2, 1}}, stop.get_token())));
    }
};

FABRICSCOPE_TEST(SpaceTest)
#include "tst_space.moc"
