// Which edits leave the design as it is because they only move what is drawn.
#include "core/design/edits/drawnelsewhere.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <string>

using namespace fabricscope;

class DrawnElsewhereTest : public QObject
{
    Q_OBJECT
private slots:
    void whatDiffersOnlyInPlacesIsTheSameDesign_data()
    {
        QTest::addColumn<QString>("after");
        QTest::addColumn<bool>("same");
        QTest::newRow("moved") << "[{name: a, at: [9, -2]}, {name: b}]" << true;
        QTest::newRow("placed") << "[{name: a, at: [1, 2]}, {at: [0, 0], name: b}]" << true;
        QTest::newRow("no longer placed") << "[{name: a}, {name: b}]" << true;
        QTest::newRow("the farthest") << "[{name: a, at: [1000000, -1000000]}, {name: b}]" << true;
        QTest::newRow("farther") << "[{name: a, at: [1000001, 0]}, {name: b}]" << false;
        QTest::newRow("no whole number") << "[{name: a, at: [1.5, 0]}, {name: b}]" << false;
        QTest::newRow("a number that only a quantity is") << "[{name: a, at: [4k, 0]}, {name: b}]" << false;
        QTest::newRow("three numbers") << "[{name: a, at: [1, 2, 3]}, {name: b}]" << false;
        QTest::newRow("no list") << "[{name: a, at: 7}, {name: b}]" << false;
        QTest::newRow("another name") << "[{name: c, at: [1, 2]}, {name: b}]" << false;
        QTest::newRow("another kind") << "[{name: a, at: [1, 2], kind: switch}, {name: b}]" << false;
        QTest::newRow("one more") << "[{name: a, at: [1, 2]}, {name: b}, {name: c}]" << false;
        QTest::newRow("one less") << "[{name: a, at: [1, 2]}]" << false;
        QTest::newRow("other order") << "[{name: b}, {name: a, at: [1, 2]}]" << false;
    }

    void whatDiffersOnlyInPlacesIsTheSameDesign()
    {
        QFETCH(const QString, after);
        QFETCH(const bool, same);
        const auto design = [](const std::string& nodes, const char* rest = "workload: {at: [1, 2]}") {
            return YamlDocument::parse("platform:\n  nodes: " + nodes + "\n  links: []\n" + rest + "\n").value();
        };
        const YamlDocument before = design("[{name: a, at: [1, 2]}, {name: b}]");
        QCOMPARE(differOnlyInPlaces(before.root(), design(after.toStdString()).root()), same);
        QCOMPARE(differOnlyInPlaces(design(after.toStdString()).root(), before.root()), same); // A wrong place that is mended is an error less.
        QVERIFY(!differOnlyInPlaces(before.root(), design(after.toStdString(), "workload: {at: [1, 3]}").root()));
        QVERIFY(!differOnlyInPlaces(before.root(), design(after.toStdString(), "workload: {at: [1, 2]}\nname: x").root()));
    }
};

FABRICSCOPE_TEST(DrawnElsewhereTest)
#include "tst_drawnelsewhere.moc"
