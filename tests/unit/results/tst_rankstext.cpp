// Labels of classes of ranks say which ranks they hold.
#include "core/draw/rankstext.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

class tst_rankstext : public QObject
{
    Q_OBJECT
private slots:
    void aLabelSaysWhatTheClassHolds_data()
    {
        QTest::addColumn<QString>("ranks");
        QTest::addColumn<int>("all");
        QTest::addColumn<int>("most");
        QTest::addColumn<QString>("text");
        QTest::newRow("one") << "3" << 8 << 4 << "3";
        QTest::newRow("a run") << "16-31" << 64 << 4 << "16–31";
        QTest::newRow("as many intervals as are listed") << "0-7,16" << 64 << 2 << "0–7, 16";
        QTest::newRow("every eighth") << "2,10,18,26,34" << 64 << 4 << "2, 10, … 34";
        QTest::newRow("runs alike") << "0-3,8-11,16-19,24-27" << 32 << 2 << "0–3, 8–11, … 24–27";
        QTest::newRow("one run longer") << "0-3,8-11,16-20" << 32 << 2 << "0–3, 8–11, … (13)";
        QTest::newRow("one run further") << "0-3,8-11,17-20" << 64 << 2 << "0–3, 8–11, … (12)";
        QTest::newRow("nearly all") << "0-4,6-36,38-127" << 128 << 2 << "all but 5, 37";
        QTest::newRow("all but three of them") << "0-4,6-36,38-68,70-127" << 128 << 3 << "all but 5, 37, 69";
        QTest::newRow("more holes than are listed, at equal distances") << "0-4,6-36,38-68,70-127" << 128 << 2 << "all but 5, 37, … 69";
        QTest::newRow("many of them") << "0-4,6-12,14-20,22-28,30-31" << 32 << 2 << "all but 5, 13, … 29";
        QTest::newRow("more holes than are listed") << "0-4,6-36,38-67,69-127" << 128 << 2 << "0–4, 6–36, … (125)";
        QTest::newRow("half is not nearly all") << "0,2,4,6" << 8 << 3 << "0, 2, … 6";
    }

    void aLabelSaysWhatTheClassHolds()
    {
        QFETCH(QString, ranks);
        QFETCH(int, all);
        QFETCH(int, most);
        QFETCH(QString, text);
        const Result<RankSet> set = RankSet::parse(ranks.toStdString());
        QVERIFY(set);
        QCOMPARE(QString::fromStdString(ranksText(set.value(), all, static_cast<std::size_t>(most))), text);
    }
};

FABRICSCOPE_TEST(tst_rankstext)
#include "tst_rankstext.moc"
