// Case studies: what is refused with which place, formulas, numbers out of results, and a report in which every number says where it is from.
#include "core/cases/casereport.h"
#include "core/cases/readcase.h"
#include "core/design/file/readdesign.h"
#include "core/report/html.h"
#include "core/run/inputkind.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QtTest/QtTest>
#include <nlohmann/json.hpp>

using namespace fabricscope;

namespace {

constexpr const char* kCase = R"(fabricscope: 1
name: Two rings
case:
  question: Which is faster?
  files: [A.yaml]
  runs:
    - {name: slow, about: Slow, command: simulate, on: A.yaml}
    - {name: fast, about: Fast, command: simulate, on: A.yaml, set: {platform.bandwidth: 100 GB/s}, options: {model: links}}
  numbers:
    - {name: slow_time, about: Slow ring, run: slow, value: finish_ns, unit: ns}
    - {name: fast_time, about: Fast ring, run: fast, value: ranks.kind=last.finish_ns, unit: ns}
    - {name: gain, about: Gain, formula: slow_time / fast_time, unit: times}
    - {name: best, least: [slow_time, fast_time]}
  answer: "The {best} takes {fast_time}, {gain} as fast."
  tables:
    - {title: Times, columns: [Ring, Time], bars: [slow_time, fast_time], rows: [[slow, "{slow_time}"], [fast, "{fast_time}"]]}
  published:
    - {what: A gain, value: 1.5, to: 2.5, ours: gain, source: Somebody}
    - {what: Another, value: 2.5, ours: gain, source: Somebody else, remark: of other rings}
  notes: [Assumed rates.]
)";

Result<StudiedCase> caseOf(const std::string& text)
{
    const Result<YamlDocument> document = YamlDocument::parse(text, "c.yaml");
    return document ? readCase(document.value()) : Result<StudiedCase>(document.error());
}

std::vector<nlohmann::json> answers()
{
    return {nlohmann::json::parse(R"({"result": {"finish_ns": 3000, "ranks": []}})"),
            nlohmann::json::parse(R"({"result": {"finish_ns": 9, "ranks": [{"kind": "first", "finish_ns": 1}, {"kind": "last", "finish_ns": 1500.5}]}})")};
}

std::optional<double> computed(const std::string& text)
{
    const auto formula = CaseFormula::parse(text, [](std::string_view name) { return name == "a" ? std::optional<std::size_t>(0) : name == "b" ? std::optional<std::size_t>(1) : std::nullopt; });
    const std::vector<double> values{6, 4};
    return formula ? formula.value().value(values) : std::nullopt;
}

} // namespace

class CaseFileTest : public QObject {
    Q_OBJECT

private slots:
    void formulasFollowTheRulesOfArithmetic()
    {
        QCOMPARE(computed("a + b * 2"), std::optional(14.0));
        QCOMPARE(computed("(a + b) * 2"), std::optional(20.0));
        QCOMPARE(computed("a - b - 1"), std::optional(1.0));
        QCOMPARE(computed("a / b / 3"), std::optional(0.5));
        QCOMPARE(computed("-a + -(b - 1.5)"), std::optional(-8.5));
        QCOMPARE(computed("max(a, b, 7) - min(b, a)"), std::optional(3.0));
        QVERIFY(!computed("a / (b - 4)"));
    }

    void wrongFormulasSayWhere_data()
    {
        QTest::addColumn<QString>("formula");
        QTest::addColumn<QString>("where");
        QTest::newRow("nothing") << "" << "character 1: a number is missing";
        QTest::newRow("an operator alone") << "a +" << "character 4: a number is missing";
        QTest::newRow("no operator") << "a b" << "character 3: nothing can stand here";
        QTest::newRow("an open bracket") << "(a + b" << "character 7: a bracket is not closed";
        QTest::newRow("no such number") << "a + other" << "character 5: there is no number \"other\" above";
        QTest::newRow("too deep") << QString(100, QLatin1Char('(')) + "a" << "too many brackets";
    }
    void wrongFormulasSayWhere()
    {
        QFETCH(QString, formula);
        QFETCH(QString, where);
        const auto parsed = CaseFormula::parse(formula.toStdString(), [](std::string_view name) { return name.size() == 1 ? std::optional<std::size_t>(0) : std::nullopt; });
        QVERIFY(!parsed);
        QVERIFY2(QString::fromStdString(parsed.error().message).contains(where), parsed.error().message.c_str());
    }

    void whatIsMisspeltIsToldWithLineAndField_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("field");
        const auto row = [](const char* name, const char* from, const char* to, int line, const char* field) { QTest::newRow(name) << QByteArray(from) << QByteArray(to) << line << field; };
        row("a key", "question:", "questoin:", 4, "case.questoin");
        row("a command that writes", "command: simulate, on: A.yaml}", "command: convert, on: A.yaml}", 7, "case.runs[0].command");
        row("a file outside", "files: [A.yaml]", "files: [A.yaml, ../B.yaml]", 5, "case.files[1]");
        row("a file that the case writes", "files: [A.yaml]", "files: [A.yaml, fast.json]", 5, "case.files[1]");
        row("a file that is not listed", "command: simulate, on: A.yaml}", "command: simulate, on: B.yaml}", 7, "case.runs[0].on");
        row("two files for one", "command: simulate, on: A.yaml}", "command: simulate, on: [A.yaml, A.yaml]}", 7, "case.runs[0].on");
        row("an option that writes", "options: {model: links}", "options: {save: x.run}", 8, "case.runs[1].options.save");
        row("a name twice", "name: fast, about: Fast,", "name: slow, about: Fast,", 8, "case.runs[1].name");
        row("a name that is none", "name: fast, about: Fast,", "name: ../fast, about: Fast,", 8, "case.runs[1].name");
        row("a unit", "value: finish_ns, unit: ns", "value: finish_ns, unit: us", 10, "case.numbers[0].unit");
        row("a run that is not there", "run: slow, value", "run: slwo, value", 10, "case.numbers[0].run");
        row("two origins", "formula: slow_time", "run: slow, formula: slow_time", 12, "case.numbers[2]");
        row("a formula", "slow_time / fast_time", "slow_time / later", 12, "case.numbers[2].formula");
        row("a number that stands below", "slow_time / fast_time", "slow_time / gain", 12, "case.numbers[2].formula");
        row("a number in the answer", "{fast_time}, {gain}", "{fast_time}, {gian}", 14, "case.answer");
        row("a bracket in the answer", "{gain} as fast", "{gain as fast", 14, "case.answer");
        row("a row of a table", "[slow, \"{slow_time}\"]", "[slow]", 16, "case.tables[0].rows[0]");
        row("a word as a bar", "bars: [slow_time, fast_time]", "bars: [slow_time, best]", 16, "case.tables[0].bars[1]");
        row("bars of two units", "bars: [slow_time, fast_time]", "bars: [slow_time, gain]", 16, "case.tables[0].bars[1]");
        row("no source", ", source: Somebody}", "}", 18, "case.published[0]");
    }
    void whatIsMisspeltIsToldWithLineAndField()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(int, line);
        QFETCH(QString, field);
        QByteArray text(kCase);
        const qsizetype at = text.indexOf(from);
        QVERIFY(at >= 0);
        const auto read = caseOf(text.replace(at, from.size(), to).toStdString());
        QVERIFY(!read);
        QCOMPARE(QString::fromStdString(read.error().place.file), QStringLiteral("c.yaml"));
        QVERIFY2(read.error().place.field == field.toStdString() && read.error().place.line == line, read.error().text().c_str());
        QVERIFY(!read.error().message.empty());
    }

    void aRunIsTheCommandLineThatRepeatsIt()
    {
        const auto read = caseOf(kCase);
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(QString::fromStdString(read.value().runs[1].commandLine()), QStringLiteral("fabricscope-cli simulate A.yaml --set 'platform.bandwidth=100 GB/s' --model links --json"));
        QCOMPARE(read.value().runs[1].arguments("/tmp/x/")[1], std::string("/tmp/x/A.yaml"));
    }

    void numbersComeOutOfTheResultsAndTheAnswerOutOfThem()
    {
        const auto read = caseOf(kCase);
        QVERIFY(read);
        const auto found = findingsOf(read.value(), answers());
        QVERIFY2(found, found ? "" : found.error().text().c_str());
        QCOMPARE(found.value().values[1].number, 1500.5);
        QCOMPARE(found.value().values[2].number, 3000 / 1500.5);
        QCOMPARE(QString::fromStdString(found.value().answer), QStringLiteral("The Fast ring takes 1.501 us, 2.00 times as fast."));
        QCOMPARE(QString::fromStdString(shownDifference(found.value().values[2].number, read.value().published[0])), QStringLiteral("within"));
        QCOMPARE(QString::fromStdString(shownDifference(found.value().values[2].number, read.value().published[1])), QStringLiteral("-20.0 %"));

        std::vector<nlohmann::json> changed = answers();
        changed[0]["result"]["finish_ns"] = 1000;
        QCOMPARE(QString::fromStdString(findingsOf(read.value(), changed).value().answer), QStringLiteral("The Slow ring takes 1.501 us, 0.67 times as fast."));
    }

    void whatAResultDoesNotHaveIsToldWithTheLineOfItsNumber()
    {
        const auto read = caseOf(kCase);
        QVERIFY(read);
        std::vector<nlohmann::json> changed = answers();
        changed[1]["result"]["ranks"][1]["kind"] = "middle";
        const auto lacking = findingsOf(read.value(), changed);
        QVERIFY(!lacking);
        QCOMPARE(lacking.error().place.line, 11);
        QCOMPARE(lacking.error().place.field, std::string("case.numbers[1].value"));
        changed = answers();
        changed[0]["result"]["finish_ns"] = nullptr;
        QCOMPARE(findingsOf(read.value(), changed).error().place.line, 10);
        changed = answers();
        changed[1]["result"]["ranks"][1]["finish_ns"] = 0;
        QCOMPARE(findingsOf(read.value(), changed).error().place.field, std::string("case.numbers[2].formula"));
    }

    void everyNumberOfTheReportSaysWhereItIsFrom()
    {
        const auto read = caseOf(kCase);
        QVERIFY(read);
        const auto found = findingsOf(read.value(), answers());
        QVERIFY(found);
        const std::vector<StoredRun> runs{{"slow.json", "{}", {}}, {"fast.json", "{}", {"odd <rate>"}}};
        const QString page = QString::fromStdString(reportHtml(caseReport(read.value(), found.value(), runs, {{"c.yaml", kCase}, {"A.yaml", "fabricscope: 1\n"}}, "Fabricscope 1")));
        for (const char* const words : {"Fabricscope case study", "The Fast ring [4] takes 1.501 us [2], 2.00 times [3] as fast.", "fast.json: result.ranks.kind=last.finish_ns",
                                        "slow_time / fast_time  with slow_time [1], fast_time [2]", "the least of slow_time [1], fast_time [2]",
                                        "fabricscope-cli simulate A.yaml --set &#39;platform.bandwidth=100 GB/s&#39; --model links --json", "1.50 times to 2.50 times", "Another: of other rings",
                                        "fast.json: odd &lt;rate&gt;", "Assumed rates."})
            QVERIFY2(page.contains(QString::fromUtf8(words)) || page.contains(QString::fromUtf8(words).replace(QLatin1String("&#39;"), QLatin1String("'"))), words);
        QVERIFY(!page.contains(QLatin1String("written with another answer")));
    }

    void anAnswerThatIsNoLongerTheOneThatShipsIsSaid()
    {
        const auto read = caseOf(std::string(kCase) + "  found: The Slow ring wins.\n");
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        const auto found = findingsOf(read.value(), answers());
        const ReportContent content = caseReport(read.value(), found.value(), {{"slow.json", "", {}}, {"fast.json", "", {}}}, {}, "Fabricscope 1");
        QCOMPARE(QString::fromStdString(content.notice), QStringLiteral("The case was written with another answer: The Slow ring wins."));
    }

    void everyShippedCaseAndEveryDesignOfItsRunsIsSound_data()
    {
        QTest::addColumn<QString>("folder");
        const QDir cases(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/cases"));
        for (const QString& name : cases.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            QTest::newRow(qPrintable(name)) << cases.filePath(name);
    }
    void everyShippedCaseAndEveryDesignOfItsRunsIsSound()
    {
        QFETCH(QString, folder);
        const auto contentOf = [&](const QString& name) {
            QFile file(folder + QLatin1Char('/') + name);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const auto read = caseOf(contentOf(QStringLiteral("case.yaml")).toStdString());
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        const StudiedCase& studied = read.value();
        QVERIFY(!studied.title.empty() && studied.question.ends_with('?') && !studied.found.empty() && !studied.tables.empty() && !studied.notes.empty());
        QSet<QString> named{QStringLiteral("case.yaml")};
        for (const std::string& file : studied.files)
            named.insert(QString::fromStdString(file));
        const QStringList there = QDir(folder).entryList(QDir::Files);
        QCOMPARE(named, QSet<QString>(there.begin(), there.end()));
        for (const CaseRun& run : studied.runs) {
            for (const std::string& file : run.files) {
                const QByteArray text = contentOf(QString::fromStdString(file));
                if (inputKindOf(file, text.toStdString()) != InputKind::Design)
                    continue;
                std::vector<FieldOverride> sets;
                for (const auto& [field, value] : run.sets)
                    sets.push_back({field, value});
                const auto design = readDesign((folder + QLatin1Char('/')).toStdString() + file, sets);
                QVERIFY2(design, design ? "" : (run.name + ": " + design.error().text()).c_str());
            }
        }
    }
};

FABRICSCOPE_TEST(CaseFileTest)
#include "tst_case_file.moc"
