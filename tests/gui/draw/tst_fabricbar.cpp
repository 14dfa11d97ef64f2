// The line of a fabric while it is typed, and what it says of a drawing.
#include "tests/gui/support/drawingstage.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/draw/fabricbar.h"

#include <QLineEdit>
#include <QtTest>

using namespace fabricscope;
using test::Stage;

namespace {

QString typedInto(Stage& stage, const QString& text)
{
    auto& bar = test::part<FabricBar>(stage.draw);
    stage.draw.openLine();
    QTest::keyClicks(bar.line(), text);
    return bar.figures();
}

bool isRed(Stage& stage)
{
    return test::part<FabricBar>(stage.draw).line()->property("state").toString() == QLatin1String("error");
}

} // namespace

class tst_fabricbar : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { AppTheme::global().set(Theme(Theme::Mode::Light, 13)); }

    void D5_anUnknownPartIsNamedWithThoseLikeIt()
    {
        Stage stage;
        const QString text = typedInto(stage, QStringLiteral("banana x4"));
        QVERIFY2(text.startsWith(QStringLiteral("there is no part \"banana\"")) && text.contains(QStringLiteral("a preset such as ")), qPrintable(text));
        QVERIFY(isRed(stage));
        QTest::keyClick(test::part<FabricBar>(stage.draw).line(), Qt::Key_Escape);
        QVERIFY(!isRed(stage));
    }

    void D5_aLineThatIsOnlyBegunIsNoErrorYet_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("hint");
        QTest::newRow("first letter") << QStringLiteral("n") << QStringLiteral("xN, then /");
        QTest::newRow("part") << QStringLiteral("npu x16") << QStringLiteral("xN, then /");
        QTest::newRow("slash") << QStringLiteral("npu x16 / ") << QStringLiteral("rails 64p");
        QTest::newRow("second slash") << QStringLiteral("npu x16 / leaf 24p 400G x8 / ") << QStringLiteral("spine 2:1");
    }
    void D5_aLineThatIsOnlyBegunIsNoErrorYet()
    {
        QFETCH(const QString, line);
        QFETCH(const QString, hint);
        Stage stage;
        const QString text = typedInto(stage, line);
        QVERIFY2(text.startsWith(QStringLiteral("Next: ")) && text.contains(hint), qPrintable(text));
        QVERIFY(!isRed(stage));
        QTest::keyClick(test::part<FabricBar>(stage.draw).line(), Qt::Key_Return); // Now it is one.
        QVERIFY(isRed(stage));
        QCOMPARE(stage.edits(), 0);
    }

    /// Two NPUs on a switch, with a memory at it: 2 cables among NPUs and switches, and the farthest 2 links apart.
    void D7_aMemoryIsLeftOutOfTheFiguresAndSaidToBe()
    {
        Stage stage("fabricscope: 1\n"
                    "platform:\n"
                    "  nodes: [{name: a}, {name: b}, {name: s, kind: switch}, {name: m, kind: memory}]\n"
                    "  links:\n"
                    "    - {between: [a, s], bandwidth: 50 GB/s, latency: 1 us}\n"
                    "    - {between: [b, s], bandwidth: 50 GB/s, latency: 1 us}\n"
                    "    - {between: [m, s], bandwidth: 50 GB/s, latency: 1 us}\n"
                    "workload: {collective: all_reduce, size: 1 MiB}\n");
        QTRY_VERIFY(test::part<FabricBar>(stage.draw).figures().contains(QStringLiteral("diameter 2 links")));
        const QString text = test::part<FabricBar>(stage.draw).figures();
        QVERIFY2(text.startsWith(QStringLiteral("2 NPUs, 1 switch, 2 cables")) && text.endsWith(QStringLiteral(", without the memory")), qPrintable(text));
    }

    void D7_aDrawingWithoutFiguresSaysWhy()
    {
        Stage stage("fabricscope: 1\n"
                    "platform:\n"
                    "  nodes: [{name: a}, {name: b}]\n"
                    "  links: [{from: a, to: b, bandwidth: 50 GB/s, latency: 1 us}, {from: b, to: a, bandwidth: 25 GB/s, latency: 1 us}]\n"
                    "workload: {collective: all_reduce, size: 1 MiB}\n");
        QTRY_COMPARE(test::part<FabricBar>(stage.draw).figures(), QStringLiteral("No figures: links between the same nodes differ by direction"));
        QVERIFY(!isRed(stage));
    }
};

FABRICSCOPE_GUI_TEST(tst_fabricbar)
#include "tst_fabricbar.moc"
