#include "core/draw/numbertext.h"
#include "core/draw/platformfigure.h"
#include "core/draw/svg.h"
#include "core/report/html.h"
#include "core/report/runfile.h"
#include "core/report/runtext.h"
#include "core/run/rundesign.h"
#include "tests/unit/support/runs.h"
#include "tests/unit/support/testprogram.h"

#include <QRegularExpression>
#include <QXmlStreamReader>
#include <QtTest>

#include <algorithm>
#include <array>
#include <map>
#include <thread>
#include <vector>

using namespace fabricscope;

namespace {

const std::string kPod = R"(fabricscope: 1
name: Pod <8> & "four"
notes: Is 25 GB/s per rail enough?
platform:
  dimensions:
    - {shape: fully_connected, size: 8, bandwidth: 64 GB/s, latency: 700 ns}
    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}
    - {shape: switch, size: 4, bandwidth: 25 GB/s, latency: 2.5 us}
  npu: {memory_bandwidth: 3.35 TB/s}
  overrides:
    links:
      - {link: d2 37>switch, bandwidth: 12.5 GB/s}
workload:
  groups:
    - {name: tensor, dimensions: [0]}
    - {name: data, dimensions: [1, 2]}
  steps:
    - repeat: 3
      steps:
        - {compute: 400 us, name: layer}
        - {collective: all_reduce, size: 16 MiB, group: tensor, name: sum}
    - {collective: all_reduce, size: 32 MiB, group: data, name: gradients}
)";

/// One collective, which has a lower bound.
const std::string kAlone = R"(fabricscope: 1
platform:
  dimensions: [{shape: ring, size: 8, bandwidth: 50 GB/s, latency: 5 us}]
workload: {collective: all_reduce, size: 1 MiB}
)";

RunResultPtr runOf(const std::string& text, const std::string& file = "/home/someone/pods/pod.yaml")
{
    auto loaded = readDesignText(text, file);
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    auto result = runDesign(std::make_shared<const Design>(std::move(loaded.value().design)), loaded.value().diagnostics, {});
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return result.value();
}

ReportSource sourceOf(const RunResult& result)
{
    ReportSource source;
    source.summary = &result.summary;
    source.scenario = result.scenario;
    source.timeline = result.timeline;
    source.designText = kPod;
    return source;
}

bool contains(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

int countOf(const std::string& text, std::string_view part)
{
    int count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
        ++count;
    return count;
}

Platform platformOf(std::vector<std::pair<Shape, int>> dimensions)
{
    PlatformSpec spec;
    for (const auto& [shape, size] : dimensions)
        spec.dimensions.push_back({shape, size, Quantity{50, "GB/s", Measure::Bandwidth}, false, Quantity{1, "us", Measure::Time}});
    return Platform::create(std::move(spec)).value();
}

struct Drawn {
    std::size_t npus = 0;
    std::vector<std::size_t> lines; // by dimension
};

/// Shapes of the named groups of a platform figure.
Drawn countShapes(const Drawing& drawing, std::size_t dimensions)
{
    Drawn drawn;
    drawn.lines.resize(dimensions);
    std::string group;
    for (const DrawShape& shape : drawing.shapes) {
        if (const auto* begin = std::get_if<GroupMark>(&shape))
            group = begin->name;
        else if (const auto* box = std::get_if<BoxShape>(&shape); box && group == "npus")
            ++drawn.npus;
        else if (const auto* boxes = std::get_if<BoxesShape>(&shape); boxes && group == "npus")
            drawn.npus += boxes->rects.size();
        else if (const auto* lines = std::get_if<LinesShape>(&shape); lines && group.starts_with("links d"))
            drawn.lines[static_cast<std::size_t>(std::stoi(group.substr(7)))] += lines->lines.size();
    }
    return drawn;
}

const ReportSection& sectionOf(const ReportContent& content, ReportPart part)
{
    return *std::find_if(content.sections.begin(), content.sections.end(), [part](const ReportSection& section) { return section.part == part; });
}

const ReportTable& tableOf(const ReportSection& section)
{
    for (const ReportBlock& block : section.blocks)
        if (const auto* table = std::get_if<ReportTable>(&block))
            return *table;
    qFatal("no table");
}

/// The value of the row on the command; "none": there is no such row.
std::string commandOf(const ReportSource& source)
{
    const ReportContent content = reportContent(source);
    for (const auto& row : tableOf(sectionOf(content, ReportPart::Inputs)).rows)
        if (row[0].text == "Command")
            return row[1].text;
    return "none";
}

} // namespace

class ReportPageTest : public QObject
{
    Q_OBJECT

private slots:
    void F5_theSameDesignRunTwiceGivesTheSamePageByteForByte()
    {
        const RunResultPtr one = runOf(kPod);
        const RunResultPtr two = runOf(kPod);

        const std::string page = reportHtml(sourceOf(*one));

        QVERIFY(page.size() > 10'000);
        QVERIFY(page == reportHtml(sourceOf(*one)));
        QVERIFY(page == reportHtml(sourceOf(*two)));
    }

    void F5_twoThreadsMakeTheSamePage()
    {
        const RunResultPtr run = runOf(kPod);
        std::array<std::string, 2> pages;
        {
            std::vector<std::jthread> threads;
            for (std::string& page : pages)
                threads.emplace_back([&page, run] { page = reportHtml(sourceOf(*run)); });
        }
        QVERIFY(pages[0].size() > 10'000);
        QVERIFY(pages[0] == pages[1]);
        QVERIFY(pages[0] == reportHtml(sourceOf(*run)));
    }

    void F5_aSavedRunGivesThePageOfTheRunItself()
    {
        RunResult result = *runOf(kPod);
        result.summary.designText = kPod;
        const auto saved = readRunText(runFileText(result.summary, result.cost), "run.json");
        QVERIFY2(saved, saved ? "" : saved.error().text().c_str());

        QVERIFY(reportHtml(saved.value().summary) == reportHtml(sourceOf(result)));
    }

    void F5_aSavedRunOfAnotherDesignIsToldWithoutAPicture()
    {
        RunResult result = *runOf(kPod);
        result.summary.designText = kPod + "# and a platform:\n";
        result.summary.designHash[0] = result.summary.designHash[0] == '0' ? '1' : '0';

        QVERIFY(!rebuiltScenario(result.summary));
        QVERIFY(contains(reportHtml(result.summary), "no longer matches"));
    }

    void thePageIsWellFormedAndNeedsNothingFromOutside()
    {
        const std::string page = reportHtml(sourceOf(*runOf(kPod)));

        QXmlStreamReader reader(QByteArray::fromStdString(page));
        int figures = 0;
        int scripts = 0;
        while (!reader.atEnd()) {
            if (reader.readNext() != QXmlStreamReader::StartElement)
                continue;
            figures += reader.name() == QLatin1String("figure");
            scripts += reader.name() == QLatin1String("script") || reader.name() == QLatin1String("link") || reader.name() == QLatin1String("img");
            for (const char* const name : {"src", "href", "xlink:href"})
                QVERIFY(!reader.attributes().hasAttribute(QLatin1String(name)));
        }
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QCOMPARE(figures, 4); // platform, timeline, use of the links, storyboard
        QCOMPARE(scripts, 0);
        for (const char* const word : {"http", "url(", "@import", "/home/", "someone"})
            QVERIFY2(!contains(page, word), word);
        QVERIFY(!QString::fromStdString(page).contains(QRegularExpression(QStringLiteral("20[0-9]{2}-[01][0-9]-[0-3][0-9]"))));
    }

    void textsFromOutsideAreEscaped()
    {
        const std::string page = reportHtml(sourceOf(*runOf(kPod)));
        QVERIFY(contains(page, "<h1>Pod &lt;8&gt; &amp; &quot;four&quot;</h1>"));
        QVERIFY(!contains(page, "Pod <8>"));
        QCOMPARE(xmlEscaped("a\x01\xFF<b>\"&\xE2\x82\xAC"), std::string("a\\x01\\xff&lt;b&gt;&quot;&amp;\xE2\x82\xAC"));
    }

    void numbersOnThePageAreThoseOfTheRecord()
    {
        const RunResultPtr result = runOf(kPod);
        const RunRecord& record = result->record();
        const ReportContent content = reportContent(sourceOf(*result));

        QCOMPARE(content.figures[0].value, numbertext::time(record.finish));
        const ReportTable& dimensions = tableOf(sectionOf(content, ReportPart::Platform));
        QCOMPARE(dimensions.rows.size(), record.dimensions.size());
        // Links: 128 * 7, 128 * 2, and 128 * 2 to and from switches, of which the overridden one may be counted on its own.
        QCOMPARE(dimensions.rows[0][6].text, std::string("896"));
        QCOMPARE(dimensions.rows[1][6].text, std::string("256"));
        std::int64_t links = 0;
        for (std::size_t i = 2; i < dimensions.rows.size(); ++i)
            links += std::stoll(dimensions.rows[i][6].text);
        QCOMPARE(links, std::int64_t{256});
        for (std::size_t i = 0; i < dimensions.rows.size(); ++i) {
            const double share = 100.0 * static_cast<double>(record.dimensions[i].busyPs) / (static_cast<double>(record.dimensions[i].links) * static_cast<double>(record.finish.ps));
            QVERIFY(std::abs(std::stod(dimensions.rows[i][7].text) - share) <= 0.0501);
        }
        const ReportTable& ranks = tableOf(sectionOf(content, ReportPart::Results));
        QCOMPARE(ranks.rows.size(), resultRows(record).size());
        QCOMPARE(ranks.rows[0][1].text, numbertext::timeIn(record.finish, record.finish));
        // The busiest link first, and every link by its name.
        const ReportTable& busiest = tableOf(sectionOf(content, ReportPart::Links));
        // Rows of equal links count all links once, the busiest first; the overridden one is equal to none.
        std::int64_t counted = 0;
        for (const auto& row : busiest.rows)
            counted += std::stoll(row[0].text);
        QCOMPARE(counted, static_cast<std::int64_t>(record.links.size()));
        QVERIFY(busiest.rows.size() < record.links.size() / 4);
        QCOMPARE(busiest.rows[0][6].text, numbertext::timeIn({record.links[0].busyPs}, record.finish));
        int alone = 0;
        for (const auto& row : busiest.rows)
            alone += row[0].text == "1" && row[1].text == "37 \xE2\x86\x92 D2 switch" && row[2].text == "12.5\xE2\x80\xAFGB/s";
        QCOMPARE(alone, 1);
        const std::string page = reportHtml(content);
        QVERIFY(contains(page, record.fingerprint.hex()));
        QVERIFY(contains(page, result->summary.designHash));
    }

    void shownPartsAddUpToTheShownStep()
    {
        const RunResultPtr result = runOf(kPod);
        const ReportContent content = reportContent(sourceOf(*result));
        QVERIFY(content.shares.size() >= 3); // compute and two collectives

        std::int64_t exact = 0;
        double shown = 0;
        for (const ReportShare& share : content.shares) {
            exact += share.ps;
            shown += std::stod(share.value);
        }
        QCOMPARE(exact, result->record().finish.ps);
        QVERIFY(std::abs(shown - std::stod(content.figures[0].value)) < 1e-6);
        QVERIFY(contains(content.shares[0].label, "Compute"));
        // Three layers of 400 us.
        QCOMPARE(content.shares[0].ps, std::int64_t{3} * 400 * 1'000'000);
    }

    void theAnswerHasAtMostThreeSentences()
    {
        const ReportContent content = reportContent(sourceOf(*runOf(kPod)));
        const QString answer = QString::fromStdString(content.answerLead + ' ' + content.answer);
        QVERIFY(answer.count(QRegularExpression(QStringLiteral("\\.( |$)"))) <= 3);
        QVERIFY(contains(content.answerLead, content.figures[0].value));
    }

    void theAnswerSaysTheTimeWhatBoundsItAndTheShareOfTheBound()
    {
        const RunResultPtr run = runOf(kAlone);
        const RunRecord& record = run->record();
        const ReportContent content = reportContent(sourceOf(*run));
        QVERIFY(record.lowerBound && *record.lowerBound < record.finish);
        // One collective is no step, and that it is all there is goes without saying.
        QVERIFY2(contains(content.answerLead, "The all-reduce of 1 MiB takes " + numbertext::time(record.finish) + ", and reaches "), content.answerLead.c_str());
        QVERIFY2(!contains(content.answerLead, "bound by") && !contains(content.answer, "Communication"), content.answer.c_str());
        const double reached = 100.0 * static_cast<double>(record.lowerBound->ps) / static_cast<double>(record.finish.ps);
        const QRegularExpressionMatch match = QRegularExpression(QStringLiteral("reaches ([0-9.]+)\u202F% of what the lower bound")).match(QString::fromStdString(content.answerLead));
        QVERIFY2(match.hasMatch(), content.answerLead.c_str());
        QVERIFY(std::abs(match.captured(1).toDouble() - reached) <= 0.0501);
        QCOMPARE(std::count(content.answerLead.begin(), content.answerLead.end(), '\n'), 0);
    }

    void theAnswerOfAStepNamesItsLargestPartAndNoShareTwice()
    {
        // 100 us of compute, then an all-gather over a pair that hides behind nothing: 1 us + 5 MB at 5 GB/s, ten times as long.
        const ReportContent content = reportContent(sourceOf(*runOf("fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 2, bandwidth: 5 GB/s, latency: 1 us}]\nworkload:\n  steps:\n"
                                                                    "    - {compute: 100 us}\n    - {collective: all_gather, size: 10 MB}\n"
                                                                    "collectives: {default: {algorithm: ring, chunks: 1}}\n")));
        const auto largest = std::max_element(content.shares.begin(), content.shares.end(), [](const ReportShare& a, const ReportShare& b) { return a.ps < b.ps; });
        QVERIFY2(contains(content.answerLead, "One step takes "), content.answerLead.c_str());
        QVERIFY2(contains(content.answerLead, ", bound by exposed all-gather (" + largest->share + ")"), content.answerLead.c_str());
        QVERIFY2(contains(content.answer, "Communication that no compute hides takes "), content.answer.c_str());
        QVERIFY2(!contains(content.answer, "(" + largest->share + ")"), content.answer.c_str());
    }

    void findingsSayWhatIsKnown()
    {
        const RunResultPtr run = runOf(kPod);
        const ReportContent content = reportContent(sourceOf(*run));
        const ReportTable& table = tableOf(sectionOf(content, ReportPart::Findings));
        std::map<std::string, int> about;
        for (const auto& row : table.rows)
            ++about[row[0].text];
        QCOMPARE(about["Warning"], static_cast<int>(warningsOf(run->summary).size()));
        QCOMPARE(about["Busiest"], 1);
        QCOMPARE(about["Slowest move"], 1);
        QCOMPARE(about["Idle"], 0); // both groups use their dimensions
        const RunResultPtr alone = runOf(kAlone);
        int bounds = 0;
        const ReportContent one = reportContent(sourceOf(*alone));
        for (const auto& row : tableOf(sectionOf(one, ReportPart::Findings)).rows)
            bounds += row[0].text == "Lower bound" && contains(row[1].text, numbertext::time(*alone->record().lowerBound));
        QCOMPARE(bounds, 1);

        std::string half = kPod;
        half.replace(half.find("dimensions: [1, 2]"), 18, "dimensions: [1]");
        const RunResultPtr without = runOf(half);
        bool idle = false;
        const ReportContent other = reportContent(sourceOf(*without));
        for (const auto& row : tableOf(sectionOf(other, ReportPart::Findings)).rows)
            idle = idle || (row[0].text == "Idle" && row[1].text.starts_with("D2 carries nothing"));
        QVERIFY(idle);
    }

    void exactInputsHoldTheTextAndWhatTellsTheRun()
    {
        const RunResultPtr run = runOf(kPod);
        const ReportContent content = reportContent(sourceOf(*run));
        const ReportSection& inputs = sectionOf(content, ReportPart::Inputs);
        std::map<std::string, std::string> rows;
        for (const auto& row : tableOf(inputs).rows)
            rows[row[0].text] = row[1].text;
        QCOMPARE(rows["Fingerprint"], run->record().fingerprint.hex());
        QCOMPARE(rows["Design hash"], run->summary.designHash);
        QVERIFY(rows["Program"].starts_with("Fabricscope "));
        QCOMPARE(rows["Command"], std::string("fabricscope-cli simulate pod.yaml --model links"));
        const auto* code = std::get_if<ReportCode>(&inputs.blocks.back());
        QVERIFY(code && code->text == kPod);
    }

    void theCommandIsThereWhereItRepeatsTheRun()
    {
        const RunResultPtr blanks = runOf(kAlone, "/home/someone/two pods, new.yaml");
        QCOMPARE(commandOf(sourceOf(*blanks)), std::string("fabricscope-cli simulate 'two pods, new.yaml' --model links"));
        const RunResultPtr quote = runOf(kAlone, "it's $HOME.yaml");
        QCOMPARE(commandOf(sourceOf(*quote)), std::string("fabricscope-cli simulate 'it'\\''s $HOME.yaml' --model links"));
        const RunResultPtr letters = runOf(kAlone, "gr\xC3\xBC\xC3\x9F" "e-1.yaml");
        QCOMPARE(commandOf(sourceOf(*letters)), std::string("fabricscope-cli simulate gr\xC3\xBC\xC3\x9F" "e-1.yaml --model links"));

        // What is drawn depends on a seed, which a report does not know.
        const RunResultPtr drawn = runOf(kAlone + "network: {jitter: {compute: {distribution: uniform, deviation: 0.01}}}\n");
        QCOMPARE(commandOf(sourceOf(*drawn)), std::string("none"));
        // The same text may not be what was run, where the design cannot be built again.
        const RunResultPtr run = runOf(kAlone);
        ReportSource unknown = sourceOf(*run);
        unknown.scenario = nullptr;
        QCOMPARE(commandOf(unknown), std::string("none"));
    }

    void aRunBeforeIsCompared()
    {
        const RunResultPtr now = runOf(kPod);
        std::string slower = kPod;
        slower.replace(slower.find("400 us"), 6, "500 us");
        const RunResultPtr before = runOf(slower);
        ReportSource source = sourceOf(*now);
        source.before = &before->summary;
        source.beforeName = "500 us";

        const ReportContent content = reportContent(source);

        QCOMPARE(content.figures[0].detail, "was " + numbertext::time(before->record().finish) + " at 500 us");
        QCOMPARE(content.figures.back().label, std::string("Change"));
        QVERIFY(content.figures.back().value.starts_with("\xE2\x88\x92")); // shorter
    }

    void sectionsCanBeSwitchedOffAndAreNumberedAnew()
    {
        ReportContent content = reportContent(sourceOf(*runOf(kPod)));
        QVERIFY(contains(reportHtml(content), "<h2>4 \xC2\xA0Timeline</h2>"));
        content.show(ReportPart::Results, false);
        content.show(ReportPart::Inputs, false);

        const std::string page = reportHtml(content);

        QVERIFY(!contains(page, "Results</h2>"));
        QVERIFY(contains(page, "<h2>3 \xC2\xA0Timeline</h2>"));
        QVERIFY(!contains(page, "<pre>"));
        QCOMPARE(countOf(page, "<h2>"), kRunPartCount - 2);
    }

    void assumedValuesAreMarked()
    {
        const RunResultPtr result = runOf(kPod);
        const ReportContent content = reportContent(sourceOf(*result));
        const ReportTable& table = tableOf(sectionOf(content, ReportPart::Assumptions));
        std::size_t assumed = 0;
        for (const Parameter& parameter : result->summary.parameters)
            assumed += parameter.assumed ? 1 : 0;
        std::size_t marked = 0;
        bool override = false;
        for (const auto& row : table.rows) {
            marked += row[2].text.starts_with("assumed") && row[2].look == ReportCell::Look::Warning ? 1 : 0;
            override = override || (row[0].text == "37 \xE2\x86\x92 D2 switch" && row[1].text == "12.5\xE2\x80\xAFGB/s");
        }
        QCOMPARE(marked, assumed);
        QVERIFY(override);
    }

    void theFigureShowsEveryNpuAndLinkOfASmallPlatform_data()
    {
        QTest::addColumn<int>("shape");
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("lines");
        for (const int n : {2, 3, 8, 12})
            QTest::addRow("ring of %d", n) << static_cast<int>(Shape::Ring) << n << (n == 2 ? 1 : n);
        for (const int n : {2, 5, 8, 16})
            QTest::addRow("fully connected %d", n) << static_cast<int>(Shape::FullyConnected) << n << n * (n - 1) / 2;
        for (const int n : {2, 7, 10})
            QTest::addRow("switch of %d", n) << static_cast<int>(Shape::Switch) << n << n;
    }
    void theFigureShowsEveryNpuAndLinkOfASmallPlatform()
    {
        QFETCH(int, shape);
        QFETCH(int, size);
        QFETCH(int, lines);
        const Drawn drawn = countShapes(platformFigure(platformOf({{static_cast<Shape>(shape), size}}), {}), 1);
        QCOMPARE(drawn.npus, static_cast<std::size_t>(size));
        QCOMPARE(drawn.lines[0], static_cast<std::size_t>(lines));
    }

    void theFigureOfAPodShowsItsDimensions()
    {
        const Drawn drawn = countShapes(platformFigure(platformOf({{Shape::FullyConnected, 8}, {Shape::Ring, 4}, {Shape::Switch, 4}}), {}), 3);
        QCOMPARE(drawn.npus, std::size_t{128});
        QCOMPARE(drawn.lines[0], std::size_t{16 * 28});
        QVERIFY(drawn.lines[1] >= 16 && drawn.lines[1] <= 16 * 8 && drawn.lines[1] % 16 == 0); // 16 bundles of at most 8 lines
        QVERIFY(drawn.lines[2] >= 4 && drawn.lines[2] <= 4 * 8 && drawn.lines[2] % 4 == 0);    // 4 trunks
    }

    void aMillionNpusMakeASmallPicture()
    {
        for (const auto& dimensions : {std::vector<std::pair<Shape, int>>{{Shape::FullyConnected, 8}, {Shape::Ring, 128}, {Shape::Switch, 1024}},
                                       std::vector<std::pair<Shape, int>>{{Shape::Ring, 1024}, {Shape::Ring, 1024}}, std::vector<std::pair<Shape, int>>{{Shape::Switch, 1 << 20}}}) {
            const std::string svg = svgText(platformFigure(platformOf(dimensions), {}));
            QVERIFY2(svg.size() < 300'000, std::to_string(svg.size()).c_str());
            QVERIFY(contains(svg, "1\xE2\x80\xAF" "048\xE2\x80\xAF" "576 NPUs"));
        }
    }

    void anSvgFileIsWellFormedAndStatesItsContent()
    {
        const RunResultPtr result = runOf(kPod);
        const Platform& platform = result->scenario->structure->platform;
        const PlatformHeat heat = PlatformHeat::fromRecord(platform, result->record());
        const std::string svg = svgText(platformFigure(platform, heat), {false, true});

        QXmlStreamReader reader(QByteArray::fromStdString(svg));
        QStringList texts;
        while (!reader.atEnd())
            if (reader.readNext() == QXmlStreamReader::StartElement && (reader.name() == QLatin1String("title") || reader.name() == QLatin1String("text")))
                texts << reader.readElementText();
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QCOMPARE(texts.first(), QStringLiteral("Platform"));
        QVERIFY(texts.contains(QStringLiteral("31 of 32"))); // the overridden link is taken out of its bundle
        QVERIFY(texts.contains(QStringLiteral("37 \u2192 D2 switch")));
        // No exponents, no more than two decimals, whatever the locale.
        QVERIFY(!QString::fromStdString(svg).contains(QRegularExpression(QStringLiteral("[0-9]e[-+][0-9]|[0-9]\\.[0-9]{3}"))));
        QVERIFY(svgText(platformFigure(platform, heat), {true, true}) != svg); // dark
    }

    void numbersAreWrittenForPeople_data()
    {
        QTest::addColumn<QString>("shown");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const std::string& shown, const QString& expected) { QTest::newRow(name) << QString::fromStdString(shown) << expected; };
        row("time", numbertext::time({11'314'000'000}), QStringLiteral("11.314\u202Fms"));
        row("just below a unit", numbertext::time({999'999'999}), QStringLiteral("1.000\u202Fms"));
        row("nothing", numbertext::time({0}), QStringLiteral("0\u202Fps"));
        row("negative", numbertext::time({-1'510'000'000}, 1), QStringLiteral("\u22121.5\u202Fms"));
        row("rate", numbertext::rate(64'285'714'285), QStringLiteral("64.3\u202FGB/s"));
        row("whole rate", numbertext::rate(25'000'000'000), QStringLiteral("25\u202FGB/s"));
        row("share", numbertext::percent(1, 3, 1), QStringLiteral("33.3\u202F%"));
        row("groups of three", numbertext::count(1'048'576), QStringLiteral("1\u202F048\u202F576"));
        row("range", numbertext::range(8, 8), QStringLiteral("8\u201315"));
    }
    void numbersAreWrittenForPeople()
    {
        QFETCH(QString, shown);
        QFETCH(QString, expected);
        QCOMPARE(shown, expected);
    }

    void aRunThatNeverEndsSaysWho()
    {
        const std::string page = reportHtml(test::stuckRun());
        QVERIFY(contains(page, "The run cannot finish: 2 ranks wait"));
        QVERIFY(contains(page, "Rank 1, RECV: rank 0 has not sent."));
    }

    void pdfNeedsSomebodyWhoPaintsIt()
    {
        QVERIFY(checkReportName("a.html"));
        QVERIFY(checkReportName("a.pdf", true));
        QVERIFY(contains(checkReportName("a.pdf").error().text(), "desktop program"));
        QVERIFY(contains(checkReportName("a.docx", true).error().text(), ".html or .pdf"));
    }

    void longListsAreCutAndSayHowMuch()
    {
        RunSummary summary = test::smallRun();
        RunRecord record = *summary.record;
        record.links.clear();
        for (int i = 0; i < 500; ++i)
            record.links.push_back({i, 1, 1000, 1'000'000 - i}); // no two alike
        record.allLinks = true;
        summary.record = std::make_shared<const RunRecord>(record);
        ReportSource source;
        source.summary = &summary;

        const ReportTable table = tableOf(sectionOf(reportContent(source), ReportPart::Links));

        QVERIFY(table.rows.size() < 500);
        QVERIFY(contains(table.note, std::to_string(table.rows.size())));
    }
};

FABRICSCOPE_TEST(ReportPageTest)
#include "tst_reportpage.moc"
