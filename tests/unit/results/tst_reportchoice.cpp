// Which sections, question and paper a report has.
#include "core/report/reportchoice.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>

using namespace fabricscope;

namespace {

ReportContent emptyContent()
{
    ReportContent content;
    content.question = "What the notes say";
    for (int part = 0; part < kReportPartCount; ++part)
        content.sections.push_back({static_cast<ReportPart>(part), "Section " + std::to_string(part), false, true, {}});
    return content;
}

} // namespace

class ReportChoiceTest : public QObject
{
    Q_OBJECT

private slots:
    void everySectionHasAWordOfItsOwn()
    {
        std::set<std::string> words;
        for (int part = 0; part < kReportPartCount; ++part) {
            const std::string word(reportPartKey(static_cast<ReportPart>(part)));
            QVERIFY(!word.empty());
            words.insert(word);
            const auto read = reportPartsOf(word);
            QVERIFY(read);
            QCOMPARE(read.value().size(), std::size_t{1});
            QCOMPARE(static_cast<int>(read.value().front()), part);
        }
        QCOMPARE(words.size(), static_cast<std::size_t>(kReportPartCount));
        const auto all = reportPartsOf(reportPartKeys());
        QVERIFY(all && all.value().size() == static_cast<std::size_t>(kReportPartCount));
        QVERIFY(reportPartsOf("none") && reportPartsOf("none").value().empty());
    }

    void whatIsWrittenIsReadAgain()
    {
        QCOMPARE(reportPartWords({}), std::string("none"));
        QCOMPARE(reportPartWords({ReportPart::Links, ReportPart::Platform}), std::string("links,platform"));
        for (unsigned set = 0; set < 1U << static_cast<unsigned>(kReportPartCount); ++set) {
            std::vector<ReportPart> parts;
            for (int part = 0; part < kReportPartCount; ++part)
                if ((set >> static_cast<unsigned>(part) & 1U) != 0)
                    parts.push_back(static_cast<ReportPart>(part));
            const auto read = reportPartsOf(reportPartWords(parts));
            QVERIFY(read);
            QVERIFY(read.value() == parts);
        }
    }

    void anyWordsInAnyOrderShowThoseSectionsInTheFixedOrder()
    {
        for (const std::uint64_t seed : test::Seeds(71000, 200)) {
            std::mt19937_64 random(seed);
            std::vector<int> parts(kReportPartCount);
            std::iota(parts.begin(), parts.end(), 0);
            std::shuffle(parts.begin(), parts.end(), random);
            parts.resize(random() % parts.size() + 1);
            std::vector<ReportPart> given;
            for (const int part : parts)
                given.push_back(static_cast<ReportPart>(part));
            auto read = reportPartsOf(reportPartWords(given));
            QVERIFY(read);
            ReportContent content = emptyContent();
            ReportChoice choice;
            choice.sections = std::move(read).value();

            choose(choice, content);

            std::sort(parts.begin(), parts.end());
            std::vector<int> shown;
            for (const ReportSection* section : content.shownSections())
                shown.push_back(static_cast<int>(section->part));
            QCOMPARE(shown, parts);
            QCOMPARE(content.question, std::string("What the notes say"));
        }
    }

    void wordsThatAreNoneAreRefused_data()
    {
        QTest::addColumn<QString>("words");
        for (const char* const words : {"", "plattform", "platform,", ",platform", "platform,,links", "platform,platform", "Platform", "platform links", "none,links"})
            QTest::newRow(*words ? words : "nothing") << QString::fromUtf8(words);
    }
    void wordsThatAreNoneAreRefused()
    {
        QFETCH(QString, words);
        const auto read = reportPartsOf(words.toStdString());
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::Usage);
        QCOMPARE(read.error().place.field, std::string("--sections"));
        QVERIFY(read.error().expected.find("storyboard") != std::string::npos);
    }

    void paperIsA4OrLetter()
    {
        QVERIFY(reportPaperOf("a4").value() == ReportPaper::A4 && reportPaperOf("letter").value() == ReportPaper::Letter);
        QCOMPARE(reportPaperKey(ReportPaper::Letter), std::string_view("letter"));
        QCOMPARE(reportPaperOf("A3").error().place.field, std::string("--paper"));
        ReportContent content = emptyContent();
        ReportChoice choice;
        choice.paper = ReportPaper::Letter;
        choose(choice, content);
        QVERIFY(content.paper == ReportPaper::Letter);
        QCOMPARE(content.shownSections().size(), static_cast<std::size_t>(kReportPartCount));
    }

    void aTypedQuestionReplacesTheNotesAndIsCutBetweenCharacters()
    {
        ReportContent content = emptyContent();
        ReportChoice choice;
        choice.question = "";
        choose(choice, content);
        QVERIFY(content.question.empty());
        // 999 bytes and a character of three, of which the first would still fit.
        choice.question = std::string(kLongestQuestion - 1, 'x') + "\xE2\x82\xAC";
        choose(choice, content);
        QCOMPARE(content.question, std::string(kLongestQuestion - 1, 'x'));
    }
};

FABRICSCOPE_TEST(ReportChoiceTest)
#include "tst_reportchoice.moc"
