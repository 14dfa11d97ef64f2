#include "core/base/error.h"
#include "core/base/showntext.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

class ShownTextTest : public QObject {
    Q_OBJECT

private slots:
    void plainTextOfAnyScriptStaysAsItIs()
    {
        for (const std::string text : {"", "rail 3 \"fast\" \\ 50 GB/s", "Knoten Süd-Ost", "节点", "می‌خواهم", "👩‍💻"})
            QCOMPARE(shownText(text), text);
    }

    void whatActsOrHidesBecomesAVisibleEscape_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");

        QTest::newRow("terminal escape") << QByteArray("\x1b[31mred") << QByteArray("\\x1b[31mred");
        QTest::newRow("line ends") << QByteArray("a\r\n\tb") << QByteArray("a\\r\\n\\tb");
        QTest::newRow("nul") << QByteArray("a\0b", 3) << QByteArray("a\\x00b");
        QTest::newRow("delete") << QByteArray("\x7f") << QByteArray("\\x7f");
        QTest::newRow("C1 control sequence introducer") << QByteArray("\xc2\x9b" "2J") << QByteArray("\\u009b2J");
        QTest::newRow("right-to-left override") << QByteArray("a\xe2\x80\xae" "b") << QByteArray("a\\u202eb");
        QTest::newRow("isolate") << QByteArray("\xe2\x81\xa6") << QByteArray("\\u2066");
        QTest::newRow("marks") << QByteArray("\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c") << QByteArray("\\u200e\\u200f\\u061c");
        QTest::newRow("line separator") << QByteArray("\xe2\x80\xa8") << QByteArray("\\u2028");
        QTest::newRow("byte-order mark") << QByteArray("\xef\xbb\xbf") << QByteArray("\\ufeff");
        QTest::newRow("tag") << QByteArray("\xf3\xa0\x81\x81") << QByteArray("\\U000e0041");
        QTest::newRow("lone byte") << QByteArray("\xff") << QByteArray("\\xff");
        QTest::newRow("cut sequence") << QByteArray("\xe2\x82") << QByteArray("\\xe2\\x82");
        QTest::newRow("overlong") << QByteArray("\xc0\xaf") << QByteArray("\\xc0\\xaf");
        QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << QByteArray("\\xed\\xa0\\x80");
        QTest::newRow("beyond Unicode") << QByteArray("\xf4\x90\x80\x80") << QByteArray("\\xf4\\x90\\x80\\x80");
    }
    void whatActsOrHidesBecomesAVisibleEscape()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, shown);
        QCOMPARE(QByteArray::fromStdString(shownText(text.toStdString())), shown);
    }

    void longTextIsCutBetweenCharacters_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("most");
        QTest::addColumn<QString>("shown");

        QTest::newRow("fits") << "abcde" << 5 << "abcde";
        QTest::newRow("one too many") << "abcdef" << 5 << "abcd…";
        QTest::newRow("characters, not bytes") << "äöüäöü" << 5 << "äöüä…";
        QTest::newRow("an escape counts as it is written and is never split") << "ab\x1b" "c" << 5 << "ab…";
        QTest::newRow("an escape that fits") << "a\x1b" << 5 << "a\\x1b";
        QTest::newRow("room for the ellipsis only") << "ab" << 1 << "…";
        QTest::newRow("no room") << "ab" << 0 << "";
    }
    void longTextIsCutBetweenCharacters()
    {
        QFETCH(QString, text);
        QFETCH(int, most);
        QFETCH(QString, shown);
        QCOMPARE(QString::fromStdString(shownText(text.toStdString(), static_cast<std::size_t>(most))), shown);
    }

    void aQuotedMegabyteIsSixtyCharactersLong()
    {
        const QString quoted = QString::fromStdString(quotedText(std::string(1 << 20, 'x')));
        QCOMPARE(quoted, QLatin1Char('"') + QString(59, QLatin1Char('x')) + QString::fromUtf8("…\""));
    }

    void aMessageKeepsItsEndWhereAQuotationInItIsCut()
    {
        const std::string name(100'000, 'n');
        QCOMPARE(QString::fromStdString(shownMessage("the key \"" + name + "\" appears twice")),
                 QStringLiteral("the key \"") + QString(199, QLatin1Char('n')) + QString::fromUtf8("…\" appears twice"));
        QCOMPARE(QString::fromStdString(shownMessage(name)), QString(999, QLatin1Char('n')) + QString::fromUtf8("…"));
        QCOMPARE(shownMessage("\x1b[2J is no key"), std::string("\\x1b[2J is no key"));
        QVERIFY(shownMessage(std::string(100'000, '"')).size() < 1'010);
        QCOMPARE(shownMessage("plain \"text\""), std::string("plain \"text\""));
    }

    void errorsAndFindingsAreCutHoweverTheyWereMade()
    {
        const std::string name(100'000, '\x1b');
        Place place;
        place.file = name;
        place.field = name;
        Error error;
        error.message = name;
        error.expected = name;
        error.place = place;
        QVERIFY(error.text().size() < 7'000);
        QVERIFY(error.text().find('\x1b') == std::string::npos);
        QVERIFY(invalidInput(name, {}, name).message.size() < 1'010);
        QVERIFY(warning("rule", name).message.size() < 1'010);
        QVERIFY(note("rule", name).message.size() < 1'010);
        QVERIFY(finding("rule", error).message.size() < 1'010);
        Diagnostic diagnostic;
        diagnostic.message = name;
        QVERIFY(diagnostic.text().size() < 1'100);
    }

    /// The 1,112,064 characters of Unicode are valid, and nothing else of up to four bytes starting with those lead bytes.
    void everyCharacterOfUnicodeIsKnownAndNoSurrogate()
    {
        int valid = 0;
        for (int first = 0; first < 256; ++first) {
            for (int second = 0; second < 256; ++second) {
                const char bytes[] = {static_cast<char>(first), static_cast<char>(second), '\x80', '\x80'};
                const std::size_t length = utf8Length(std::string_view(bytes, 4));
                valid += length == 0 ? 0 : length == 1 ? (second == 0 ? 1 : 0) : length == 2 ? 1 : length == 3 ? 64 : 64 * 64;
            }
        }
        QCOMPARE(valid, 0x110000 - 0x800);
    }
};

FABRICSCOPE_TEST(ShownTextTest)
#include "tst_showntext.moc"
