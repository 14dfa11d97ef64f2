// Searches of studies: their fronts are those of the whole grid, their tables do not depend on threads or interruptions, and what they leave out is beaten.
#include "core/study/paretofront.h"
#include "core/study/spacerun.h"
#include "core/study/tabletext.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <array>
#include <random>
#include <set>

using namespace fabricscope;

namespace {

/// `parameters`, `constraints`, `sampling` are lines of their own.
std::string studyText(const std::string& parameters, const std::string& constraints, const std::string& objectives, const std::string& sampling)
{
    return "fabricscope: 1\nstudy:\n  base:\n    platform:\n      dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}, {shape: switch, size: 2, bandwidth: 25 GB/s, latency: 2 us}]\n"
           "    workload: {collective: all_reduce, size: 1 MiB}\n  parameters:\n" + parameters + "  constraints: [" + constraints + "]\n  objectives: [" + objectives + "]\n" + sampling;
}

constexpr const char* kSearched = "    - {name: rate, field: platform.dimensions.0.bandwidth, values: [25 GB/s, 50 GB/s, 100 GB/s, 200 GB/s]}\n    - {name: delay, field: platform.dimensions.0.latency, range: [1 us, 8 us], points: 8}\n"
                                  "    - {name: wide, field: platform.dimensions.0.size, values: [2, 4, 8]}\n    - {name: algorithm, field: collectives.default.algorithm, values: [ring, direct]}\n";
constexpr const char* kTwo = "{minimise: step_time}, {maximise: npus}";

std::string searchLine(const std::string& kind, int budget, int seed = 1)
{
    return "  sampling: {search: " + kind + ", budget: " + std::to_string(budget) + ", seed: " + std::to_string(seed) + "}\n";
}

} // namespace

class SearchRunTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_stores = 0;

    std::string path(const std::string& name) const { return m_folder.filePath(QString::fromStdString(name)).toStdString(); }

    StudySpec spec(const std::string& text) const
    {
        Result<StudySpec> read = readStudyText(text, path("s.yaml"), {});
        if (!read)
            qFatal("%s\n%s", read.error().text().c_str(), text.c_str());
        return std::move(read).value();
    }

    StudyTable run(const StudySpec& space, const std::string& store, int threads, StudyProgress& progress) const
    {
        Result<RunStore> opened = RunStore::open(path(store), RunStore::Access::Write);
        PointRunner runner(space, "test");
        SpaceRunOptions options;
        options.threads = threads;
        Result<StudyTable> table = runSpace(space, runner, opened.value(), options, progress, {});
        if (!table)
            qFatal("%s", table.error().text().c_str());
        return std::move(table).value();
    }
    StudyTable fresh(const StudySpec& space, int threads = 1)
    {
        StudyProgress progress;
        return run(space, "store" + std::to_string(m_stores++) + ".sqlite", threads, progress);
    }

    static std::set<std::int64_t> frontNumbers(const StudyTable& table)
    {
        std::set<std::int64_t> numbers;
        for (const std::size_t row : table.front)
            numbers.insert(table.rows[row].number);
        return numbers;
    }

private slots:
    /// With a budget for all of them the front is that of the grid, and what was pruned is beaten there and as slow as its bound says.
    void theFrontIsThatOfTheGrid()
    {
        std::mt19937 random(3);
        std::int64_t byBounds = 0;
        std::int64_t byConstraints = 0;
        for (int round = 0; round < test::cases(12); ++round) {
            std::string parameters;
            const auto pick = [&](const char* all, std::size_t count) {
                const QStringList values = QString::fromUtf8(all).split(QLatin1Char('|'));
                QStringList some;
                for (std::size_t i = 0; i < count; ++i)
                    some.append(values[static_cast<qsizetype>((random() % 2 + i) % static_cast<std::size_t>(values.size()))]);
                some.removeDuplicates();
                return some.join(QStringLiteral(", ")).toStdString();
            };
            parameters += "    - {name: rate, field: platform.dimensions.0.bandwidth, values: [" + pick("10 GB/s|50 GB/s|100 GB/s|400 GB/s", 3) + "]}\n";
            parameters += "    - {name: wide, field: platform.dimensions.0.size, values: [" + pick("2|3|4|8", 3) + "]}\n";
            parameters += "    - {name: delay, field: platform.dimensions.1.latency, values: [" + pick("500 ns|2 us|30 us", 3) + "]}\n";
            if (random() % 2 == 0)
                parameters += "    - {name: algorithm, field: collectives.default.algorithm, values: [" + pick("ring|direct|halving_doubling", 2) + "]}\n";
            const std::string constraints = std::array{"\"npus <= 6\"", "\"step_time >= 30 us\"", ""}[static_cast<std::size_t>(round % 3)];
            const std::string objectives = random() % 2 == 0 ? std::string(kTwo) : "{minimise: step_time}, {minimise: npus}, {report: communication_time}";
            const StudySpec grid = spec(studyText(parameters, constraints, objectives, ""));
            const StudyTable whole = fresh(grid);
            for (const char* const kind : {"nsga2", "local", "successive_halving"}) {
                const StudySpec space = spec(studyText(parameters, constraints, objectives, searchLine(kind, static_cast<int>(grid.designCount()), round)));
                const StudyTable found = fresh(space);
                QCOMPARE(frontNumbers(found), frontNumbers(whole));
                QVERIFY(found.search);
                byBounds += found.search->byBounds;
                byConstraints += found.search->byConstraints;
                QCOMPARE(found.count(StudyTableRow::State::Pruned), found.search->byBounds);
                for (const StudyTableRow& row : found.rows) {
                    const StudyTableRow& real = whole.rows[static_cast<std::size_t>(row.number)];
                    if (row.state != StudyTableRow::State::Pruned) {
                        QVERIFY(row == real);
                        continue;
                    }
                    const auto values = soughtOf(grid, real.figures);
                    QVERIFY(values);
                    QVERIFY(std::any_of(whole.front.begin(), whole.front.end(), [&](std::size_t by) { return beats(*soughtOf(grid, whole.rows[by].figures), *values); }));
                    const std::string least = "step_time is at least ";
                    QVERIFY2(row.message.starts_with(least), row.message.c_str());
                    QVERIFY(std::stod(row.message.substr(least.size())) * 1000 <= *real.figures[PointFigure::StepTime]);
                }
            }
        }
        QVERIFY(byBounds > 0);
        QVERIFY(byConstraints > 0);
    }

    /// Of 16 designs with a budget of 1 the middle rung has sqrt(16 x 1) = 4. More bytes a second and less delay are better under every model, so the last is 200 GB/s with 1 us:
    /// rate 3 of 4, delay 0 of 4, number 3 x 4 + 0.
    void halvingByHand()
    {
        const std::string parameters = "    - {name: rate, field: platform.dimensions.0.bandwidth, values: [25 GB/s, 50 GB/s, 100 GB/s, 200 GB/s]}\n    - {name: delay, field: platform.dimensions.0.latency, range: [1 us, 8 us], points: 4}\n";
        const StudyTable one = fresh(spec(studyText(parameters, "", "{minimise: step_time}", searchLine("successive_halving", 1))));
        QCOMPARE(one.search->rungs, (std::vector<SearchTally::Rung>{{"bound", 16}, {"ideal", 4}, {"links", 1}}));
        QCOMPARE(frontNumbers(one), std::set<std::int64_t>{12});
        QCOMPARE(one.rows.size(), std::size_t{1});
        // Of the 12 that a constraint leaves, with a budget of 3: sqrt(12 x 3) = 6.
        const StudyTable three = fresh(spec(studyText(parameters, "\"delay <= 6 us\"", "{minimise: step_time}", searchLine("successive_halving", 3))));
        QCOMPARE(three.search->rungs, (std::vector<SearchTally::Rung>{{"bound", 16}, {"ideal", 6}, {"links", 3}}));
        QCOMPARE(three.search->byConstraints, std::int64_t{4});
        QCOMPARE(frontNumbers(three), std::set<std::int64_t>{12});
        // Under `ideal` there is no rung between.
        const std::string ideal = studyText(parameters, "", "{minimise: step_time}", searchLine("successive_halving", 1));
        const std::size_t workload = ideal.find("    workload:");
        const StudyTable two = fresh(spec(std::string(ideal).insert(workload, "    model: {name: ideal}\n")));
        QCOMPARE(two.search->rungs, (std::vector<SearchTally::Rung>{{"bound", 16}, {"ideal", 1}}));
        // Points of a sampling are halved as well.
        const StudyTable sampled = fresh(spec(studyText(parameters, "", "{minimise: step_time}", "  sampling: {kind: sobol, points: 9, search: successive_halving, budget: 4}\n")));
        QCOMPARE(sampled.search->rungs, (std::vector<SearchTally::Rung>{{"bound", 9}, {"ideal", 6}, {"links", 4}}));
    }

    void theTableDoesNotDependOnThreadsOrInterruptions_data()
    {
        QTest::addColumn<QString>("kind");
        for (const char* const kind : {"nsga2", "local", "successive_halving"})
            QTest::newRow(kind) << QString::fromUtf8(kind);
    }
    void theTableDoesNotDependOnThreadsOrInterruptions()
    {
        QFETCH(const QString, kind);
        const StudySpec space = spec(studyText(kSearched, "\"npus >= 8\"", kTwo, searchLine(kind.toStdString(), 60)));
        StudyProgress progress;
        const StudyTable table = run(space, kind.toStdString(), 1, progress);
        const std::string expected = tableCsv(space, table);
        QVERIFY(progress.ran >= table.search->simulated && progress.found == 0);
        QVERIFY(table.search->simulated <= 60);
        for (const int threads : {2, 4})
            QCOMPARE(tableCsv(space, fresh(space, threads)), expected);
        // Again: nothing runs.
        StudyProgress again;
        QCOMPARE(tableCsv(space, run(space, kind.toStdString(), 2, again)), expected);
        QCOMPARE(again.ran, std::int64_t{0});
        QCOMPARE(again.found, progress.ran);
        // What is kept says the same without running.
        PointRunner runner(space, "test");
        Result<RunStore> kept = RunStore::open(path(kind.toStdString()), RunStore::Access::Read);
        const Result<StudyTable> looked = tableOf(space, runner, kept.value(), 2, {});
        QVERIFY(looked);
        QCOMPARE(tableCsv(space, looked.value()), expected);
        QVERIFY(looked.value().search->whole);
        // Stopped after the first round.
        Result<RunStore> half = RunStore::open(path("half-" + kind.toStdString()), RunStore::Access::Write);
        std::stop_source stop;
        SpaceRunOptions options;
        options.threads = 2;
        options.begun = [&stop](const StudyProgress&) { stop.request_stop(); };
        StudyProgress part;
        const Result<StudyTable> ended = runSpace(space, runner, half.value(), options, part, stop.get_token());
        QVERIFY(!ended && ended.error().code == ErrorCode::Cancelled);
        QVERIFY(part.ran > 0 && part.ran < progress.ran);
        QCOMPARE(static_cast<std::int64_t>(half.value().all().value().size()), part.ran);
        PointRunner looking(space, "test");
        const Result<StudyTable> begun = tableOf(space, looking, half.value(), 1, {});
        QVERIFY(begun && !begun.value().search->whole);
        StudyProgress rest;
        QCOMPARE(tableCsv(space, run(space, "half-" + kind.toStdString(), 4, rest)), expected);
        QCOMPARE(rest.ran, progress.ran - part.ran);
    }

    /// What shards of the grid keep, a search finds.
    void storesOfShardsAreFound()
    {
        Result<RunStore> store = RunStore::open(path("parts.sqlite"), RunStore::Access::Write);
        const StudySpec grid = spec(studyText(kSearched, "", kTwo, ""));
        for (std::int64_t i = 1; i <= 2; ++i) {
            Result<RunStore> part = RunStore::open(path("part" + std::to_string(i)), RunStore::Access::Write);
            PointRunner runner(grid, "test");
            SpaceRunOptions options;
            options.shard = {i, 2};
            StudyProgress progress;
            QVERIFY(runSpace(grid, runner, part.value(), options, progress, {}));
            QVERIFY(store.value().takeFrom(part.value()));
        }
        StudyProgress progress;
        const StudyTable table = run(spec(studyText(kSearched, "", kTwo, searchLine("nsga2", 50))), "parts.sqlite", 2, progress);
        QCOMPARE(progress.ran, std::int64_t{0});
        QCOMPARE(table.search->simulated, std::int64_t{50});
    }

    /// A grid of 10^12 designs, of which none is made that is not looked at.
    void gridsMayBeLargerThanAnyTable()
    {
        std::string parameters;
        for (const char* const field : {"0.bandwidth", "1.bandwidth"})
            parameters += "    - {name: rate" + std::string(field, 1) + ", field: platform.dimensions." + field + ", range: [10 GB/s, 500 GB/s], points: 1000}\n";
        for (const char* const field : {"0.latency", "1.latency"})
            parameters += "    - {name: delay" + std::string(field, 1) + ", field: platform.dimensions." + field + ", range: [1 us, 9 us], points: 1000}\n";
        const StudySpec space = spec(studyText(parameters, "", "{minimise: step_time}", searchLine("local", 2500)));
        QCOMPARE(space.designCount(), std::int64_t{1'000'000'000'000});
        const StudyTable table = fresh(space);
        QCOMPARE(table.front.size(), std::size_t{1});
        // The fastest links with the least delay.
        QCOMPARE(table.rows[table.front.front()].number, std::int64_t{999'999'000'000});
    }

    void mistakesAreToldWithTheirLine()
    {
        const auto refusal = [&](const std::string& sampling, const std::string& objectives) {
            const Result<StudySpec> read = readStudyText(studyText("    - {name: rate, field: platform.dimensions.0.bandwidth, values: [25 GB/s, 50 GB/s]}\n", "", objectives, "  sampling: {" + sampling + "}\n"), "s.yaml", {});
            return read ? std::string() : read.error().text();
        };
        for (const auto& [sampling, place, part] : {std::tuple{"search: nsga, budget: 5", "s.yaml:11:", "nsga2"}, {"search: nsga2", "s.yaml:11:", "\"budget\" is missing"}, {"search: nsga2, budget: 0", "s.yaml:11:", "study.sampling.budget"},
                                                    {"search: local, budget: x", "s.yaml:11:", "study.sampling.budget"}, {"budget: 5", "s.yaml:11:", "belongs to a search"}, {"search: nsga2, budget: 5, points: 3", "s.yaml:11:", "study.sampling.points"},
                                                    {"kind: sobol, points: 8, search: nsga2, budget: 5", "s.yaml:11:", "successive_halving"}, {"kind: sobol, search: successive_halving, budget: 5", "s.yaml:11:", "\"points\" is missing"}}) {
            const std::string said = refusal(sampling, kTwo);
            QVERIFY2(said.find(place) != std::string::npos && said.find(part) != std::string::npos, (std::string(sampling) + ": " + said).c_str());
        }
        const std::string said = refusal("search: nsga2, budget: 5", "{report: step_time}");
        QVERIFY2(said.find("s.yaml:10:") != std::string::npos && said.find("looks for the best") != std::string::npos, said.c_str());
        QCOMPARE(refusal("search: local, budget: 5, seed: 7, kind: grid", kTwo), std::string());
    }
};

FABRICSCOPE_TEST(SearchRunTest)

#include "tst_searchrun.moc"
