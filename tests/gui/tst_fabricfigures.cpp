// What Draw says a fabric is like: the figures of the fabric that is typed, drawn or written, as they are worked out by hand elsewhere.
#include "tests/gui/support/drawingstage.h"
#include "tests/gui/support/patience.h"
#include "core/platform/fabric/parseline.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/draw/fabricbar.h"
#include "widgets/design/issuesmodel.h"
#include "widgets/draw/figuresview.h"

#include <QLabel>
#include <QLineEdit>

using namespace fabricscope;
using test::Stage;

namespace {

QString valueOf(Stage& stage, const QString& label)
{
    auto& view = test::part<FiguresView>(stage.draw);
    if (!view.isVisible())
        return QStringLiteral("hidden");
    for (const ValueRow& row : test::part<ValueRows>(view).rows()) {
        if (row.label.trimmed() == label)
            return row.value;
    }
    return QStringLiteral("no such row");
}

} // namespace

class FabricFiguresTest : public QObject
{
    Q_OBJECT
private slots:
    /// Al-Fares, k = 4: eight edge, eight aggregation and four core switches of four ports; 16 cables a tier, distances 2, 4, 6: 82/15 in the mean.
    void D7_aFatTreeThatIsTypedHasTheFiguresOfItsFormulas()
    {
        Stage stage(DrawWorkspace::emptyDesign().toStdString());
        QVERIFY(!test::part<FiguresView>(stage.draw).isVisible());
        stage.draw.openLine();
        QTest::keyClicks(test::part<FabricBar>(stage.draw).line(), QStringLiteral("npu / fat_tree 4"));
        QCOMPARE(valueOf(stage, QStringLiteral("NPUs")), texts::count(16));
        QTRY_COMPARE(valueOf(stage, QStringLiteral("Bisection")), QStringLiteral("8 cables"));
        QCOMPARE(valueOf(stage, QStringLiteral("Switches, edge")), texts::count(8));
        QCOMPARE(valueOf(stage, QStringLiteral("Switches, core")), texts::count(4));
        QCOMPARE(valueOf(stage, QStringLiteral("ports used")), QStringLiteral("4, 2 up"));
        QCOMPARE(valueOf(stage, QStringLiteral("Cables")), texts::count(48));
        QCOMPARE(valueOf(stage, QStringLiteral("core")), texts::count(16));
        QCOMPARE(valueOf(stage, QStringLiteral("Diameter")), QStringLiteral("6 links"));
        QCOMPARE(valueOf(stage, QStringLiteral("Mean distance")), QStringLiteral("%1 links").arg(texts::number(5.466667, 2)));
        QCOMPARE(valueOf(stage, QStringLiteral("Ways to the farthest")), texts::count(4));
        QCOMPARE(stage.edits(), 0);
    }

    /// Ports that stay free; a line that cannot be read has no figures.
    void D7_freePortsAreCountedAndAWrongLineHasNone()
    {
        Stage stage(DrawWorkspace::emptyDesign().toStdString());
        stage.draw.openLine();
        QLineEdit* line = test::part<FabricBar>(stage.draw).line();
        QTest::keyClicks(line, QStringLiteral("npu x16 / leaf 24p 400G x4 / spine 2:1"));
        QTRY_COMPARE(valueOf(stage, QStringLiteral("Diameter")), QStringLiteral("4 links"));
        QCOMPARE(valueOf(stage, QStringLiteral("ports used")), QStringLiteral("24, 0 free, 8 up")); // 16 down.
        QTest::keyClicks(line, QStringLiteral(" x"));
        QCOMPARE(valueOf(stage, QStringLiteral("Diameter")), QStringLiteral("hidden"));
    }

    /// Levels longer than the field, as one line; ports stand a little to the right, in each line of their words.
    void D7_aLongLineIsShownFromItsBeginning()
    {
        Stage stage("fabricscope: 1\nplatform:\n  topology: \"hgx-h100 x32 / rails 64p 400 Gbit/s 1 us x4 / spine 64p 400 Gbit/s 1 us 2:1\"\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        stage.draw.resize(900, 600);
        const QLineEdit* const line = test::part<FabricBar>(stage.draw).line();
        QVERIFY(line->text().startsWith(QStringLiteral("hgx-h100")));
        QVERIFY(line->fontMetrics().horizontalAdvance(line->text()) > line->width());
        QCOMPARE(line->cursorPosition(), 0);
        int ports = 0;
        for (const QLabel* label : test::part<FiguresView>(stage.draw).findChildren<QLabel*>()) {
            if (!label->text().endsWith(QStringLiteral("ports used")))
                continue;
            ++ports;
            QCOMPARE(label->text(), QStringLiteral("ports used"));
            QVERIFY(label->contentsMargins().left() > 0);
        }
        QVERIFY(ports >= 2);
    }

    /// Of the square two NPUs are joined by a switch; the others go.
    void D7_whatIsDrawnHasFiguresToo()
    {
        Stage stage;
        stage.editor().select({2, 3});
        stage.editor().removeSelected();
        QTRY_COMPARE(valueOf(stage, QStringLiteral("Diameter")), QStringLiteral("2 links"));
        QCOMPARE(valueOf(stage, QStringLiteral("NPUs")), texts::count(2));
        QCOMPARE(valueOf(stage, QStringLiteral("Cables")), texts::count(2));
        QCOMPARE(valueOf(stage, QStringLiteral("Switches")), texts::count(1));
    }

    /// Also where a figure is not known but bounded, the panel needs no more than it has at first.
    void D7_figuresFitInTheirPanelWithLargeText()
    {
        AppTheme::global().set(Theme(Theme::Mode::Light, 17));
        const auto fabric = fabricOfLine("npu x16 / leaf 24p 400G x4 / spine 2:1");
        QVERIFY(fabric);
        FabricFigures found;
        found.diameterAtLeast = 4;
        found.meanSampled = Fraction{7, 2};
        found.sampled = 4096;
        found.bisectionAtMost = Fraction{65536, 1};
        FiguresView view;
        view.setFabric(fabric.value(), found);
        QVERIFY2(view.minimumSizeHint().width() <= AppTheme::global().theme().scaled(280), qPrintable(QString::number(view.minimumSizeHint().width())));
        AppTheme::global().set(Theme(Theme::Mode::Light, 13));
    }

    /// A new design is empty, which is no error; one that says something wrong is one.
    void D1_aNewEmptyPageShowsNoError()
    {
        Stage stage(DrawWorkspace::emptyDesign().toStdString());
        QVERIFY(stage.document.hasErrors());
        QVERIFY(!test::part<IssuesView>(stage.draw).isVisible());
        std::string text = DrawWorkspace::emptyDesign().toStdString();
        text.replace(text.find("64 MiB"), 6, "64 mice");
        QVERIFY(stage.document.editText(QStringLiteral("mice"), text));
        QVERIFY(test::part<IssuesView>(stage.draw).isVisible());
    }

    void countsOfOneAreSingular()
    {
        QCOMPARE(texts::npus(1), QStringLiteral("1 NPU"));
        QCOMPARE(texts::npus(2), QStringLiteral("2 NPUs"));
        QCOMPARE(texts::ranks(1), QStringLiteral("1 rank"));
        QCOMPARE(texts::ranks(0), QStringLiteral("0 ranks"));
        QCOMPARE(texts::switches(1), QStringLiteral("1 switch"));
    }
};

FABRICSCOPE_GUI_TEST(FabricFiguresTest)
#include "tst_fabricfigures.moc"
