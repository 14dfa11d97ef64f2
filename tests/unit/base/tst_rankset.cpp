#include "core/base/rankset.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

class RankSetTest : public QObject {
    Q_OBJECT

private slots:
    void readsAndWritesIntervals()
    {
        const auto set = RankSet::parse("0-7,16");

        QVERIFY(set);
        QCOMPARE(set.value().count(), 9);
        QVERIFY(set.value().contains(16) && !set.value().contains(8));
        QCOMPARE(set.value().text(), std::string("0-7,16"));
    }

    void refusesOverlapsAndNonsense_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"", "a", "3-1", "0-4,4", "1,", "-1", "0--1", "5,3"})
            QTest::newRow(text[0] ? text : "empty") << QString(text);
    }
    void refusesOverlapsAndNonsense()
    {
        QFETCH(QString, text);
        QVERIFY(!RankSet::parse(text.toStdString()));
    }

    void addsInAnyOrder()
    {
        RankSet set;
        for (const std::int64_t rank : {5, 1, 3, 2, 9, 4, 2})
            set.add(rank);
        QCOMPARE(set.text(), std::string("1-5,9"));
    }
};

FABRICSCOPE_TEST(RankSetTest)
#include "tst_rankset.moc"
