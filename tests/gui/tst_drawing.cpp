// Drawing a platform: every act through mouse and keys, as one undoable edit of the document.
#include "tests/gui/support/drawingstage.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/design/issuesmodel.h"
#include "widgets/draw/fabricworkspace.h"
#include "widgets/draw/fabricbar.h"
#include "widgets/draw/graphcanvas.h"
#include "widgets/draw/partspalette.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

using namespace fabricscope;
using test::kSquare;
using test::Stage;

namespace {

void enter(QLineEdit& field, const char* text)
{
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, QString::fromLatin1(text));
    QTest::keyClick(&field, Qt::Key_Return);
}

} // namespace

class tst_drawing : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { AppTheme::global().set(Theme(Theme::Mode::Light, 13)); }

    void E6_aPartOfThePaletteIsClickedAndPut()
    {
        Stage stage;
        QTest::mouseClick(&test::named<PartTile>(stage.draw, "Put an NPU (N)"), Qt::LeftButton);
        QVERIFY(stage.canvas().isPlacing());
        stage.click(stage.pixel(205, 203)); // No edge or middle within 6: the grid of 8.
        QVERIFY(!stage.canvas().isPlacing());
        QCOMPARE(stage.graph().nodes.size(), std::size_t{6});
        QCOMPARE(stage.graph().nodes[4].name, std::string("npu4")); // Behind the last NPU.
        QVERIFY(stage.graph().nodes[4].at == (DrawnAt{208, 200}));
        QCOMPARE(stage.selected(), std::set<std::size_t>{4});
        QCOMPARE(stage.edits(), 1);
        QVERIFY(QString::fromStdString(stage.document.text()).contains(QStringLiteral("# above\n")));
        stage.checkUndo(kSquare);
    }

    void E6_aPartIsDraggedFromThePaletteToThePage()
    {
        Stage stage;
        QMimeData data;
        data.setData(QString::fromLatin1(kPartMime), partData(NodeKind::Memory));
        const QPoint to = stage.pixel(-120, -124);
        QDragEnterEvent enters(to, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&stage.canvas(), &enters);
        QVERIFY(enters.isAccepted());
        QDropEvent drop(to, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&stage.canvas(), &drop);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{6});
        QVERIFY(stage.graph().nodes[5].kind == NodeKind::Memory);
        QVERIFY(stage.graph().nodes[5].at == (DrawnAt{-120, -128})); // In line with the switch.
        QCOMPARE(stage.edits(), 1);
        // Something else is not taken.
        QMimeData text;
        text.setText(QStringLiteral("npu"));
        QDragEnterEvent other(to, Qt::CopyAction, &text, Qt::LeftButton, Qt::NoModifier);
        other.ignore();
        QCoreApplication::sendEvent(&stage.canvas(), &other);
        QVERIFY(!stage.canvas().isPlacing());
    }

    void E6_partsAndLinksByKeysAlone()
    {
        Stage stage(DrawWorkspace::emptyDesign().toStdString());
        for (const Qt::Key key : {Qt::Key_N, Qt::Key_N, Qt::Key_X}) {
            stage.key(key);
            QVERIFY(stage.canvas().isPlacing());
            for (int i = 0; i < (stage.graph().nodes.size() == 1 ? 4 : 0); ++i)
                stage.key(Qt::Key_Right); // 32 each.
            for (int i = 0; i < (key == Qt::Key_X ? 4 : 0); ++i)
                stage.key(Qt::Key_Up);
            stage.key(Qt::Key_Return);
        }
        QCOMPARE(stage.graph().nodes.size(), std::size_t{3});
        QCOMPARE(stage.graph().nodes[1].at->x - stage.graph().nodes[0].at->x, 128);
        // From the NPUs to the switch: a link from each.
        stage.editor().select({0, 1});
        stage.key(Qt::Key_K);
        QVERIFY(stage.canvas().isLinking());
        stage.key(Qt::Key_Tab);
        QVERIFY2(stage.canvas().callout().contains(QStringLiteral("2 × 400\u202fGbit/s, 1\u202fµs")), qPrintable(stage.canvas().callout()));
        stage.key(Qt::Key_Up);
        stage.key(Qt::Key_Return);
        QCOMPARE(stage.graph().links.size(), std::size_t{2});
        QVERIFY(stage.graph().links[1].from == "npu1" && stage.graph().links[1].to == "switch0" && stage.graph().links[1].eachWay);
        QVERIFY(!stage.document.hasErrors());
        QCOMPARE(stage.document.platform()->npuCount(), 2);
        // Esc takes back what is under way, then the selection.
        stage.key(Qt::Key_N);
        stage.key(Qt::Key_Escape);
        QVERIFY(!stage.canvas().isPlacing() && stage.editor().hasSelection());
        stage.key(Qt::Key_Escape);
        QVERIFY(!stage.editor().hasSelection());
        QCOMPARE(stage.edits(), 4);
        stage.checkUndo(DrawWorkspace::emptyDesign().toStdString());
    }

    void E6_aLinkIsDraggedFromAPort()
    {
        Stage stage;
        enter(test::named<QLineEdit>(stage.draw, "Rate of new links"), "200 Gbit/s");
        stage.canvas().setFocus();
        stage.move(stage.at(2), Qt::NoModifier, Qt::NoButton);
        stage.drag(stage.port(2, 1), stage.at(3), Qt::NoModifier, false);
        QVERIFY(stage.canvas().isLinking());
        QVERIFY2(stage.canvas().callout().contains(QStringLiteral("1 × 200\u202fGbit/s, 1\u202fµs\nnpu2 → npu3")), qPrintable(stage.canvas().callout()));
        QTest::mouseRelease(&stage.canvas(), Qt::LeftButton, Qt::NoModifier, stage.at(3));
        QCOMPARE(stage.graph().links.size(), std::size_t{3});
        QVERIFY(stage.graph().links[2].from == "npu2" && stage.graph().links[2].to == "npu3" && stage.graph().links[2].bandwidth == "200 Gbit/s");
        QCOMPARE(stage.editor().bundles().size(), std::size_t{1}); // The new link is selected.
        // On the page, on itself, and where there is one: nothing.
        QSignalSpy refused(&stage.editor(), &GraphEditor::refused);
        stage.move(stage.at(0), Qt::NoModifier, Qt::NoButton);
        stage.drag(stage.port(0, 3), stage.pixel(-200, 40));
        QCOMPARE(stage.graph().links.size(), std::size_t{3});
        stage.drag(stage.port(0, 0), stage.at(4));
        QCOMPARE(stage.graph().links.size(), std::size_t{3});
        QCOMPARE(refused.size(), 1);
        // With Shift another one beside it, as one bundle.
        stage.drag(stage.port(0, 0), stage.at(4), Qt::ShiftModifier);
        QCOMPARE(stage.graph().links.size(), std::size_t{4});
        QCOMPARE(stage.editor().picture().bundles().size(), std::size_t{3});
        stage.checkUndo(kSquare);
    }

    void E6_aRubberBandTakesWhatLiesInsideOrIsTouched()
    {
        Stage stage;
        // To the right: only what lies inside.
        stage.drag(stage.pixel(-40, -40), stage.pixel(110, 40));
        QCOMPARE(stage.selected(), std::set<std::size_t>{0});
        // To the left: what is touched.
        stage.drag(stage.pixel(110, 40), stage.pixel(-40, -40));
        QCOMPARE(stage.selected(), (std::set<std::size_t>{0, 1}));
        stage.drag(stage.pixel(-40, 56), stage.pixel(140, 140), Qt::ShiftModifier);
        QCOMPARE(stage.selected(), (std::set<std::size_t>{0, 1, 2, 3}));
        stage.drag(stage.pixel(60, -40), stage.pixel(140, 140), Qt::AltModifier);
        QCOMPARE(stage.selected(), (std::set<std::size_t>{0, 2}));
        stage.click(stage.at(1), Qt::ShiftModifier);
        QCOMPARE(stage.selected(), (std::set<std::size_t>{0, 1, 2}));
        stage.click(stage.at(1), Qt::ShiftModifier);
        QCOMPARE(stage.selected(), (std::set<std::size_t>{0, 2}));
        QTest::mouseDClick(&stage.canvas(), Qt::LeftButton, Qt::NoModifier, stage.at(1));
        QCOMPARE(stage.selected(), (std::set<std::size_t>{0, 1, 2, 3}));
        stage.key(Qt::Key_A, Qt::ControlModifier);
        QCOMPARE(stage.selected().size(), std::size_t{5});
        stage.click(stage.pixel(-150, 150));
        QVERIFY(!stage.editor().hasSelection());
        QCOMPARE(stage.edits(), 0);
    }

    void E6_partsAreMovedOnTheGridOrOffIt()
    {
        Stage stage;
        const double scale = stage.canvas().zoom();
        const PointF before = stage.canvas().transform().offset;
        stage.editor().select({0, 2});
        stage.drag(stage.at(0), stage.at(0) + QPoint(-81, 51));
        QVERIFY(stage.graph().nodes[0].at == (DrawnAt{-80, 48}));
        QVERIFY(stage.graph().nodes[2].at == (DrawnAt{-80, 144}));
        QCOMPARE(stage.edits(), 1);
        stage.drag(stage.at(4), stage.at(4) + QPoint(-211, 13), Qt::AltModifier);
        QVERIFY(stage.graph().nodes[4].at == (DrawnAt{48 - 211, -128 + 13}));
        // What is edited moves, not the page.
        QCOMPARE(stage.canvas().zoom(), scale);
        QCOMPARE(stage.canvas().transform().offset.x(), before.x());
        // Esc takes the gesture back.
        const std::string text = stage.document.text();
        stage.drag(stage.at(1), stage.at(1) + QPoint(100, 100), Qt::NoModifier, false);
        stage.key(Qt::Key_Escape);
        QTest::mouseRelease(&stage.canvas(), Qt::LeftButton, Qt::NoModifier, stage.at(1) + QPoint(100, 100));
        QCOMPARE(stage.document.text(), text);
        stage.checkUndo(kSquare);
    }

    void E6_nudgesJoinIntoOneStep()
    {
        Stage stage;
        stage.editor().select({3});
        stage.key(Qt::Key_Right, Qt::ControlModifier);
        stage.key(Qt::Key_Right, Qt::ControlModifier);
        stage.key(Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(stage.graph().nodes[3].at == (DrawnAt{96 + 16, 97}));
        QCOMPARE(stage.edits(), 1);
        stage.document.undoStack().undo();
        QCOMPARE(stage.document.text(), kSquare);
        QCOMPARE(stage.selected(), std::set<std::size_t>{3}); // Selection outlives edits.
    }

    void E6_arrowsGoToTheNeighbour()
    {
        Stage stage;
        stage.key(Qt::Key_Right); // Nothing is selected: the first part.
        QCOMPARE(stage.selected(), std::set<std::size_t>{0});
        stage.key(Qt::Key_Right);
        QCOMPARE(stage.selected(), std::set<std::size_t>{1});
        stage.key(Qt::Key_Down);
        QCOMPARE(stage.selected(), std::set<std::size_t>{3});
        stage.key(Qt::Key_Down);
        QCOMPARE(stage.selected(), std::set<std::size_t>{3});
        QVERIFY(stage.canvas().accessibleDescription().contains(QStringLiteral("npu3")));
    }

    void E6_duplicateTakesLinksAlong()
    {
        Stage stage;
        stage.editor().select({0, 1});
        stage.editor().duplicate();
        QCOMPARE(stage.graph().nodes.size(), std::size_t{7});
        QCOMPARE(stage.selected(), (std::set<std::size_t>{4, 5}));
        QVERIFY(stage.graph().nodes[4].at == (DrawnAt{176, 0})); // From -24 to 120 wide, and 32 between.
        QCOMPARE(stage.graph().links.size(), std::size_t{4});
        QVERIFY(stage.graph().links[2].from == "npu4" && stage.graph().links[2].to == "switch0" && stage.graph().links[2].bandwidth == "50 GB/s");
        QCOMPARE(stage.edits(), 1);
        stage.checkUndo(kSquare);
    }

    void E6_copyAndPasteAsYaml()
    {
        Stage stage;
        stage.editor().select({0, 4});
        stage.key(Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("nodes:\n  - {name: npu0, at: [0, 0]}\n  - {name: switch0, kind: switch, at: [48, -128]}\nlinks:\n"
                                                                   "  - {between: [npu0, switch0], bandwidth: 50 GB/s, latency: 1 us}\n"));
        stage.key(Qt::Key_V, Qt::ControlModifier);
        stage.key(Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{9});
        QCOMPARE(stage.graph().links.size(), std::size_t{4});
        // Beside npu1, which ends at 120, and the next beside the copy of the switch, which ends at 264; 32 between, and the box begins at -24.
        QVERIFY(stage.graph().nodes[4].at == (DrawnAt{176, 0}) && stage.graph().nodes[5].at == (DrawnAt{320, 0}));
        QCOMPARE(stage.edits(), 2);
        stage.key(Qt::Key_X, Qt::ControlModifier);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{7});
        QApplication::clipboard()->setText(QStringLiteral("no nodes"));
        QSignalSpy refused(&stage.editor(), &GraphEditor::refused);
        stage.key(Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(refused.size(), 1);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{7});
        stage.checkUndo(kSquare);
    }

    void E6_pastedPlacesThatAreNoneAreLeftOutOfAccount()
    {
        for (const char* place : {"nan, 0", "0, inf", "1e300, 0", "left, [0]", "0"}) {
            Stage stage;
            QApplication::clipboard()->setText(QStringLiteral("nodes: [{name: odd, at: [%1]}, {name: npu9, at: [0, 0]}]").arg(QLatin1String(place)));
            stage.key(Qt::Key_V, Qt::ControlModifier);
            QCOMPARE(stage.graph().nodes.size(), std::size_t{7});
            QVERIFY2(!stage.graph().nodes[4].at && stage.graph().nodes[5].at == (DrawnAt{176, 0}), place); // As without it.
        }
    }

    void E6_deleteTakesPartsWithTheirLinks()
    {
        Stage stage;
        stage.click(stage.at(4));
        QTest::mouseClick(&test::named<QPushButton>(stage.draw, "Delete"), Qt::LeftButton);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{4});
        QCOMPARE(stage.graph().links.size(), std::size_t{0});
        stage.document.undoStack().undo();
        QCOMPARE(stage.document.text(), kSquare);
        // A link by itself: half way between its ends.
        stage.click((stage.at(1) + stage.at(4)) / 2);
        QCOMPARE(stage.editor().bundles().size(), std::size_t{1});
        stage.canvas().setFocus();
        stage.key(Qt::Key_Delete);
        QCOMPARE(stage.graph().links.size(), std::size_t{1});
        QCOMPARE(stage.graph().links[0].from, std::string("npu0"));
        stage.checkUndo(kSquare);
    }

    void E6_alignAndDistributeByTheirMenus()
    {
        Stage stage;
        const auto choose = [&](const char* button, const char* entry) {
            for (QAction* action : test::named<QPushButton>(stage.draw, button).menu()->actions()) {
                if (action->text() == QString::fromLatin1(entry))
                    action->trigger();
            }
        };
        stage.editor().select({0, 1, 4});
        choose("Align", "Bottom"); // Lower edges at 24: the switch's middle comes to 0.
        QVERIFY(stage.graph().nodes[4].at == (DrawnAt{48, 0}));
        choose("Align", "Left"); // Left edge of the npu0: -24; the switch is 80 wide.
        QVERIFY(stage.graph().nodes[4].at == (DrawnAt{16, 0}) && stage.graph().nodes[1].at == (DrawnAt{0, 0}));
        QCOMPARE(stage.edits(), 2);
        stage.document.undoStack().setIndex(0);
        stage.editor().select({0, 1, 3});
        stage.editor().move({0, 0});
        choose("Distribute", "Down"); // 0, 0, 96: the one between to 48.
        QVERIFY(stage.graph().nodes[1].at == (DrawnAt{96, 48}));
    }

    void E9_aLayoutIsChosenAndCorrectedByHand()
    {
        Stage stage;
        auto& layouts = test::named<QComboBox>(stage.draw, "Layout");
        layouts.setCurrentIndex(layouts.findText(QStringLiteral("Grid")));
        emit layouts.activated(layouts.currentIndex());
        QCOMPARE(stage.edits(), 1);
        const DrawnAt first = *stage.graph().nodes[0].at;
        const DrawnAt third = *stage.graph().nodes[2].at;
        QVERIFY(third.y == first.y && third.x - first.x == 192); // Three in a row, 96 apart.
        stage.drag(stage.at(0), stage.at(0) + QPoint(0, -80));
        QVERIFY(stage.graph().nodes[0].at->y < first.y);
        QVERIFY(*stage.graph().nodes[2].at == third);
        stage.checkUndo(kSquare);
    }

    /// A file without places: the first edit keeps everything where it is seen.
    void E6_whatHasNoPlaceStaysWhereItIsSeen()
    {
        Stage stage("fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: s, kind: switch}]\n  links: [{between: [a, s], bandwidth: 1 GB/s, latency: 1 us}]\n"
                    "workload: {collective: all_reduce, size: 1 MiB}\n");
        const std::vector<DrawnAt> seen = stage.editor().picture().places();
        stage.editor().select({1});
        stage.key(Qt::Key_K);
        for (int parts = 0; parts < 3 && !stage.canvas().callout().contains(QStringLiteral("b → s")); ++parts)
            stage.key(Qt::Key_Tab);
        QVERIFY(stage.canvas().isLinking());
        stage.key(Qt::Key_Return);
        QCOMPARE(stage.graph().links.size(), std::size_t{2});
        QVERIFY(stage.editor().picture().places() == seen);
        QVERIFY(stage.editor().picture().unplaced().empty());
    }

    void D2_namesAndFiguresAreFields()
    {
        Stage stage;
        stage.click(stage.at(0));
        auto& name = test::named<QLineEdit>(stage.draw, "Name of the part");
        name.setFocus();
        name.selectAll();
        QTest::keyClicks(&name, QStringLiteral("gpu A"));
        QTest::keyClick(&name, Qt::Key_Return);
        QCOMPARE(stage.graph().nodes[0].name, std::string("gpu A"));
        QCOMPARE(stage.graph().links[0].from, std::string("gpu A"));
        QCOMPARE(stage.selected(), std::set<std::size_t>{0});
        // The name of another is refused, and the field says what there is.
        QSignalSpy refused(&stage.editor(), &GraphEditor::refused);
        name.selectAll();
        QTest::keyClicks(&name, QStringLiteral("npu1"));
        QTest::keyClick(&name, Qt::Key_Return);
        QCOMPARE(refused.size(), 1);
        QCOMPARE(name.text(), QStringLiteral("gpu A"));
        // Two links that differ: mixed, with their values; one for both.
        stage.click((stage.at(0) + stage.at(4)) / 2);
        stage.click((stage.at(1) + stage.at(4)) / 2, Qt::ShiftModifier);
        QCOMPARE(stage.editor().selectedLinks(), (std::vector<std::size_t>{0, 1}));
        QCOMPARE(test::tagged<QLabel>(stage.draw, "rates").text(), QStringLiteral("mixed: 50 GB/s, 100 GB/s"));
        QVERIFY(test::tagged<QLabel>(stage.draw, "latencies").isHidden());
        QLineEdit& rate = test::named<QLineEdit>(stage.draw, "Rate of the selected links");
        const int before = stage.edits();
        enter(rate, "75 GB/s");
        QVERIFY(stage.graph().links[0].bandwidth == "75 GB/s" && stage.graph().links[1].bandwidth == "75 GB/s");
        QCOMPARE(stage.edits(), before + 1);
        QVERIFY(test::tagged<QLabel>(stage.draw, "rates").isHidden());
        QVERIFY(QString::fromStdString(stage.document.text()).contains(QStringLiteral("# slow\n")));
        stage.checkUndo(kSquare);
    }

    void D3_anIssueOfADrawingSelectsItsPart()
    {
        Stage stage;
        QVERIFY(stage.document.edit(QStringLiteral("bad"), [](YamlDocument& yaml) { return yaml.set("platform.links[1].latency", std::string("fast")); }));
        auto& issues = test::part<IssuesView>(stage.draw);
        QVERIFY(!issues.isHidden() && issues.issues()->rowCount() > 0);
        issues.setFocus();
        issues.setCurrentIndex(issues.issues()->index(0, 0));
        QTest::keyClick(&issues, Qt::Key_Return);
        QCOMPARE(stage.editor().selectedLinks(), std::vector<std::size_t>{1});
    }

    /// Typed text and drawing are views of one document; text that is none keeps the last picture, and nothing is drawn on it.
    void E7_theTextIsDrawnAsItIsTyped()
    {
        Stage stage;
        std::string text = kSquare;
        text.replace(text.find("[96, 96]"), 8, "[196, 96]");
        QVERIFY(stage.document.editText(QStringLiteral("typed"), text));
        QVERIFY(stage.graph().nodes[3].at == (DrawnAt{196, 96}));
        QVERIFY(stage.document.editText(QStringLiteral("typed"), text + "broken: ["));
        QCOMPARE(stage.graph().nodes.size(), std::size_t{5});
        QSignalSpy refused(&stage.editor(), &GraphEditor::refused);
        stage.editor().select({0});
        stage.key(Qt::Key_Delete);
        QCOMPARE(refused.size(), 1);
        QCOMPARE(stage.document.text(), text + "broken: [");
    }

    void D4_anotherFabricIsWrittenOutAsParts()
    {
        const std::string pod = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}   # rail\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        Stage stage(pod);
        QVERIFY(!stage.canvas().isVisible());
        QTest::mouseClick(&test::named<QPushButton>(stage.draw, "Write out as nodes and links"), Qt::LeftButton);
        QVERIFY(stage.canvas().isVisible());
        QCOMPARE(std::ranges::count_if(stage.graph().nodes, [](const GraphText::Node& node) { return node.kind == NodeKind::Npu; }), std::ptrdiff_t{4});
        QCOMPARE(stage.document.design()->platform->links.size(), std::size_t{8}); // Up and down between each and the switch.
        QVERIFY(!stage.document.hasErrors());
        QCOMPARE(stage.edits(), 1);
        stage.checkUndo(pod);
    }

    /// The platform on show is that of the text before: it must not take the place of what is being corrected.
    void D4_aFabricThatCannotBeReadIsNotWrittenOut()
    {
        Stage stage("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        QVERIFY(stage.document.edit(QStringLiteral("bad"), [](YamlDocument& yaml) { return yaml.set("platform.dimensions[0].size", std::string("many")); }));
        QVERIFY(stage.document.platform());
        const std::string bad = stage.document.text();
        QSignalSpy refused(&stage.draw, &DrawWorkspace::refused);
        QTest::mouseClick(&test::named<QPushButton>(stage.draw, "Write out as nodes and links"), Qt::LeftButton);
        QCOMPARE(refused.size(), 1);
        QCOMPARE(stage.document.text(), bad);
    }

    /// 400 parts, and a link between each two: 400 x 399 / 2.
    void D4_aFabricOfTooManyLinksIsNotWrittenOut()
    {
        const std::string mesh = "fabricscope: 1\nplatform:\n  topology: \"npu / full 400\"\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        Stage stage(mesh);
        QVERIFY(!stage.document.hasErrors());
        QSignalSpy refused(&stage.draw, &DrawWorkspace::refused);
        QTest::mouseClick(&test::named<QPushButton>(stage.draw, "Write out as nodes and links"), Qt::LeftButton);
        QCOMPARE(refused.size(), 1);
        QVERIFY2(refused.front().front().toString().contains(texts::count(79800) + QStringLiteral(" links")), qPrintable(refused.front().front().toString()));
        QCOMPARE(stage.document.text(), mesh);
    }

    /// 8 of a host x 32 x 4 = 1,024 on 8 leaves in each of 4 units; of the 64 ports of a leaf 32 down and 16 up at 2:1, so 4 x 8 x 16 = 512 cables up
    /// to 512 / 64 = 8 spines: 32 + 8 switches beside the one of each of 128 hosts, and 1,024 cables inside hosts, 1,024 to leaves, 512 above.
    void D5_aRailFabricOf1024FromAnEmptyDesignInFewActs()
    {
        const std::string empty = DrawWorkspace::emptyDesign().toStdString(); // Act 1: New empty design.
        Stage stage(empty);
        const QString line = QStringLiteral("hgx-h100 x32 / rails 64p 400G x4 / spine 2:1");
        stage.key(Qt::Key_Slash); // Act 2.
        auto& field = test::named<QLineEdit>(stage.draw, "Fabric in one line");
        QVERIFY(field.hasFocus());
        QStringList seen;
        for (const QChar& typed : line) { // Act 3: a typed field.
            QTest::keyClicks(&field, QString(typed));
            seen.append(test::part<FabricBar>(stage.draw).figures());
        }
        const QString& last = seen.back();
        QVERIFY2(last.contains(texts::count(1024) + QStringLiteral(" NPUs")), qPrintable(last));
        QVERIFY(seen.contains(QString()) == false);
        QCOMPARE(stage.edits(), 0);
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(stage.edits(), 1);
        QVERIFY(!stage.document.hasErrors());
        QCOMPARE(stage.document.platform()->npuCount(), 1024);
        QVERIFY2(last.startsWith(QStringLiteral("%1 NPUs, 168 switches, %2 cables").arg(texts::count(1024), texts::count(2560))), qPrintable(last));
        const PlatformSpec& drawn = *stage.document.design()->platform;
        std::vector<std::size_t> leaves;
        int spines = 0;
        for (std::size_t node = 0; node < drawn.nodes.size(); ++node) {
            const std::string name = drawn.nodes.name(node);
            if (name.find("leaf") != std::string::npos)
                leaves.push_back(node);
            spines += name.find("spine") != std::string::npos ? 1 : 0;
        }
        QCOMPARE(leaves.size(), std::size_t{32});
        QCOMPARE(spines, 8);
        QCOMPARE(drawn.nodes.size(), std::size_t{1024 + 168});
        QCOMPARE(drawn.links.size(), std::size_t{2 * 2560}); // One each way.
        int ports = 0; // Of one leaf: 32 down and 16 up, in and out.
        for (const ExplicitLink& link : drawn.links) {
            if (link.from != static_cast<NodeId>(leaves.front()) && link.to != static_cast<NodeId>(leaves.front()))
                continue;
            ++ports;
            QCOMPARE(link.bandwidth.text(), std::string("400 Gbit/s"));
        }
        QCOMPARE(ports, 2 * (32 + 16));
        QTRY_VERIFY(test::part<FabricBar>(stage.draw).figures().contains(QStringLiteral("diameter")));
        stage.checkUndo(empty);
    }

    void D5_aLineThatCannotBeReadChangesNothing()
    {
        Stage stage;
        stage.draw.openLine();
        auto& bar = test::part<FabricBar>(stage.draw);
        QTest::keyClicks(bar.line(), QStringLiteral("npu x16 / leaf 24p 400G x8 / spine 0:1"));
        QVERIFY(!bar.figures().isEmpty() && !bar.figures().contains(QStringLiteral("NPUs,")));
        QTest::keyClick(bar.line(), Qt::Key_Return);
        QCOMPARE(stage.edits(), 0);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{5});
        QTest::keyClick(bar.line(), Qt::Key_Escape);
        QVERIFY(bar.line()->text().isEmpty());
        QVERIFY(stage.canvas().hasFocus());
    }

    void E6_theWheelZoomsAtThePointerAndThePageIsPanned()
    {
        Stage stage;
        const QPointF at(200, 180);
        const PointF before = stage.canvas().transform().inverse(at);
        QWheelEvent wheel(at, stage.canvas().mapToGlobal(at), {}, QPoint(0, 240), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&stage.canvas(), &wheel);
        QVERIFY(stage.canvas().zoom() > 1.5);
        const PointF after = stage.canvas().transform().inverse(at);
        QVERIFY(std::abs(after.x() - before.x()) < 0.01 && std::abs(after.y() - before.y()) < 0.01);
        const PointF offset = stage.canvas().transform().offset;
        QTest::mousePress(&stage.canvas(), Qt::MiddleButton, Qt::NoModifier, QPoint(100, 100));
        stage.move(QPoint(130, 80), Qt::NoModifier, Qt::MiddleButton);
        QTest::mouseRelease(&stage.canvas(), Qt::MiddleButton, Qt::NoModifier, QPoint(130, 80));
        QCOMPARE(stage.canvas().transform().offset.x(), offset.x() + 30);
        QCOMPARE(stage.canvas().transform().offset.y(), offset.y() - 20);
        stage.key(Qt::Key_0, Qt::ControlModifier);
        QVERIFY(stage.canvas().rect().contains(stage.at(0)) && stage.canvas().rect().contains(stage.at(4)));
        QCOMPARE(stage.edits(), 0);
    }

    /// Parts have the colours of the theme, words beside the pointer grow with the text, and no word of the panels is cut.
    void A6_itIsDrawnInBothThemesAtAnySizeOfText()
    {
        Stage stage;
        stage.editor().select({0, 4});
        stage.key(Qt::Key_K);
        const auto cut = [&]() -> QString {
            for (const QAbstractButton* button : stage.draw.findChildren<QAbstractButton*>()) {
                if (button->isVisible() && button->width() < button->minimumSizeHint().width())
                    return button->text() + button->accessibleName();
            }
            for (const QLabel* label : stage.draw.findChildren<QLabel*>()) {
                if (label->isVisible() && label->width() < label->minimumSizeHint().width())
                    return label->text();
            }
            return {};
        };
        std::vector<int> areas; // Of the words beside the pointer.
        for (const auto& [mode, pixels] : {std::pair{Theme::Mode::Light, 13.0}, {Theme::Mode::Dark, 10.0}, {Theme::Mode::Dark, 18.0}}) {
            AppTheme::global().set(Theme(mode, pixels));
            QCoreApplication::processEvents();
            const QImage picture = stage.canvas().grab().toImage();
            const Theme& theme = AppTheme::global().theme();
            QCOMPARE(picture.pixelColor(stage.at(2) - QPoint(15, 15)), theme.activity(Activity::Compute)); // Inside of a part, beside its name.
            const auto shows = [&](QPoint from, const QColor& color) {
                for (int x = 0; x < 6; ++x) {
                    if (picture.pixelColor(from + QPoint(x, 0)) == color)
                        return true;
                }
                return false;
            };
            QVERIFY(shows(stage.at(4) - QPoint(46, 0), theme.color(Role::Text))); // The frame of one that is selected.
            QVERIFY(shows(stage.pixel(-150, 5), theme.color(Role::View)));        // The page between dots of its grid.
            areas.push_back(0);
            for (int y = 0; y < picture.height(); ++y) {
                for (int x = 0; x < picture.width(); ++x)
                    areas.back() += picture.pixelColor(x, y) == theme.color(Role::Raised) ? 1 : 0;
            }
            QTRY_COMPARE(cut(), QString());
        }
        QVERIFY2(areas[1] > 500 && areas[2] > areas[1] * 3 / 2, qPrintable(QStringLiteral("%1, %2").arg(areas[1]).arg(areas[2])));
    }
};

FABRICSCOPE_GUI_TEST(tst_drawing)
#include "tst_drawing.moc"
