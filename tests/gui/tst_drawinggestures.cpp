// Gestures on the page of a drawing: how they end, what they keep, where parts will be put.
#include "tests/gui/support/drawingstage.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/design/document.h"
#include "widgets/design/issuesmodel.h"
#include "widgets/draw/fabricworkspace.h"
#include "widgets/draw/fabricbar.h"
#include "widgets/draw/graphcanvas.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QSplitter>
#include <QTimer>
#include <QtTest>

#include <cstdlib>
#include <set>
#include <string>

using namespace fabricscope;
using test::kSquare;
using test::Stage;

class tst_drawinggestures : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { AppTheme::global().set(Theme(Theme::Mode::Light, 13)); }

    /// Numbers of parts change under the band: what was selected before it is not taken for what has its number now.
    void E6_undoDuringARubberBandSelectsNothingElse()
    {
        Stage stage;
        stage.key(Qt::Key_N);
        stage.key(Qt::Key_Return);
        QCOMPARE(stage.selected(), std::set<std::size_t>{4}); // The switch has number 5, and 4 without the part.
        stage.drag(stage.pixel(-150, 150), stage.pixel(-140, 160), Qt::NoModifier, false);
        stage.document.undoStack().undo();
        QVERIFY(!stage.editor().hasSelection());
        stage.move(stage.pixel(150, -200));
        QTest::mouseRelease(&stage.canvas(), Qt::LeftButton, Qt::NoModifier, stage.pixel(150, -200));
        QVERIFY(!stage.editor().hasSelection());
        QCOMPARE(stage.document.text(), kSquare);
    }

    /// All that stands still is painted once: at every moment of a drag nothing is left behind, nothing is missing, and what is moved takes its links along.
    void D9_aDragShowsWhatMovesWhereItIsAndAllElseWhereItWas()
    {
        Stage stage;
        const QColor npu = AppTheme::global().theme().activity(Activity::Compute);
        const QColor page = AppTheme::global().theme().color(Role::View);
        const auto colorAt = [&](double x, double y) { return stage.canvas().grab().toImage().pixelColor(stage.pixel(x - 15, y - 15)); }; // Beside the name.
        stage.editor().select({3});
        stage.drag(stage.at(3), stage.pixel(192, 160), Qt::AltModifier, false);
        QCOMPARE(colorAt(192, 160), npu);
        QCOMPARE(colorAt(96, 96), page);
        stage.move(stage.pixel(256, 128), Qt::AltModifier); // The next frame.
        QCOMPARE(colorAt(256, 128), npu);
        QCOMPARE(colorAt(192, 160), page);
        for (const auto& [x, y] : {std::pair{0, 0}, {96, 0}, {0, 96}})
            QCOMPARE(colorAt(x, y), npu);
        stage.canvas().zoomAt(1.25, stage.at(0)); // Still dragged, at another zoom.
        for (const auto& [x, y] : {std::pair{0, 0}, {96, 0}, {0, 96}})
            QCOMPARE(colorAt(x, y), npu);
        stage.key(Qt::Key_Escape);
        QCOMPARE(colorAt(96, 96), npu);
        QCOMPARE(stage.edits(), 0);
    }

    void E6_aDesignOfFewerPartsDuringAGestureIsHarmless_data()
    {
        QTest::addColumn<int>("gesture");
        for (const char* gesture : {"band", "move", "link", "part"})
            QTest::newRow(gesture) << static_cast<int>(gesture[0]);
    }

    void E6_aDesignOfFewerPartsDuringAGestureIsHarmless()
    {
        QFETCH(int, gesture);
        Stage stage;
        stage.editor().select({3, 4});
        if (gesture == 'b')
            stage.drag(stage.pixel(-150, 150), stage.pixel(-140, 160), Qt::ShiftModifier, false);
        else if (gesture == 'm')
            stage.drag(stage.at(4), stage.at(4) + QPoint(30, 30), Qt::NoModifier, false);
        else
            stage.key(gesture == 'l' ? Qt::Key_K : Qt::Key_N);
        const std::string small = "fabricscope: 1\nplatform:\n  nodes:\n    - {name: other, at: [0, 0]}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        QVERIFY(stage.document.editText(QStringLiteral("reload"), small));
        QVERIFY(!stage.editor().hasSelection());
        QVERIFY(!stage.canvas().isLinking());
        stage.move(QPoint(50, 50));
        QTest::mouseRelease(&stage.canvas(), Qt::LeftButton, Qt::NoModifier, QPoint(50, 50));
        QVERIFY(!stage.canvas().grab().isNull());
        stage.key(Qt::Key_Escape);
        QCOMPARE(stage.document.text(), small);
    }

    void E6_aBandKeepsLinksAndEscBringsAllBack()
    {
        Stage stage;
        stage.click((stage.at(0) + stage.at(4)) / 2);
        QCOMPARE(stage.editor().bundles(), std::set<std::size_t>{0});
        stage.drag(stage.pixel(-40, 56), stage.pixel(140, 140), Qt::ShiftModifier);
        QCOMPARE(stage.selected(), (std::set<std::size_t>{2, 3}));
        QCOMPARE(stage.editor().bundles(), std::set<std::size_t>{0});
        stage.drag(stage.pixel(-40, -40), stage.pixel(140, 40), Qt::NoModifier, false);
        QCOMPARE(stage.selected(), (std::set<std::size_t>{0, 1}));
        QVERIFY(stage.editor().bundles().empty());
        stage.key(Qt::Key_Escape);
        QTest::mouseRelease(&stage.canvas(), Qt::LeftButton, Qt::NoModifier, stage.pixel(140, 40));
        QCOMPARE(stage.selected(), (std::set<std::size_t>{2, 3}));
        QCOMPARE(stage.editor().bundles(), std::set<std::size_t>{0});
    }

    /// Esc does not reach a page without the focus.
    void E6_tabOutOfThePageEndsTheGesture()
    {
        Stage stage;
        stage.key(Qt::Key_N);
        QVERIFY(stage.canvas().isPlacing());
        stage.key(Qt::Key_Tab);
        QVERIFY(!stage.canvas().hasFocus());
        QVERIFY(!stage.canvas().isPlacing());
        stage.canvas().setFocus();
        stage.key(Qt::Key_K); // From nothing: no end to go to.
        QVERIFY(stage.canvas().isLinking());
        stage.key(Qt::Key_Backtab, Qt::ShiftModifier);
        QVERIFY(!stage.canvas().hasFocus());
        QVERIFY(!stage.canvas().isLinking());
        QCOMPARE(stage.edits(), 0);
    }

    void E6_endsOfALinkAreGoneThroughBothWays()
    {
        Stage stage;
        stage.editor().select({0});
        stage.key(Qt::Key_K);
        QVERIFY2(stage.canvas().callout().contains(QStringLiteral("npu0 → npu1")), qPrintable(stage.canvas().callout()));
        stage.key(Qt::Key_Tab);
        QVERIFY2(stage.canvas().callout().contains(QStringLiteral("npu0 → npu2")), qPrintable(stage.canvas().callout()));
        stage.key(Qt::Key_Backtab, Qt::ShiftModifier);
        stage.key(Qt::Key_Backtab, Qt::ShiftModifier); // Past itself, and the switch, which it is joined to.
        QVERIFY2(stage.canvas().callout().contains(QStringLiteral("npu0 → npu3")), qPrintable(stage.canvas().callout()));
        QVERIFY(stage.canvas().hasFocus());
    }

    void E6_aLinkFromNothingBeginsAtWhatArrowsAndReturnChoose()
    {
        Stage stage;
        stage.key(Qt::Key_K);
        stage.key(Qt::Key_Return); // Nothing is there yet.
        QVERIFY(stage.canvas().isLinking());
        stage.key(Qt::Key_Right); // The first part.
        stage.key(Qt::Key_Down);
        QCOMPARE(stage.selected(), std::set<std::size_t>{2});
        stage.key(Qt::Key_Return);
        QVERIFY(stage.canvas().isLinking());
        stage.key(Qt::Key_Up);
        stage.key(Qt::Key_Return);
        QVERIFY(!stage.canvas().isLinking());
        QCOMPARE(stage.graph().links.size(), std::size_t{3});
        QCOMPARE(stage.graph().links[2].from, std::string("npu2"));
        stage.checkUndo(kSquare);
    }

    /// At 40 % a part is 19 pixels wide: its ports leave the middle free.
    void E6_smallPartsAreMovedByTheirMiddleAndLinkedByTheirPorts()
    {
        Stage stage;
        stage.canvas().zoomAt(0.4 / stage.canvas().zoom(), QRectF(stage.canvas().rect()).center());
        stage.drag(stage.at(0) + QPoint(4, 0), stage.at(0) + QPoint(-60, 0));
        QVERIFY(!stage.canvas().isLinking());
        QCOMPARE(stage.graph().links.size(), std::size_t{2});
        QVERIFY(stage.graph().nodes[0].at->x < -100);
        stage.drag(stage.port(2, 1), stage.at(3));
        QCOMPARE(stage.graph().links.size(), std::size_t{3});
        stage.checkUndo(kSquare);
    }

    /// What stands beside the pointer is where the part comes to: on the grid, in line with another, with Alt anywhere, and by keys.
    void E6_aPartIsPutWhereItIsShown_data()
    {
        QTest::addColumn<QPoint>("at");
        QTest::addColumn<bool>("alt");
        QTest::newRow("grid") << QPoint(205, 203) << false;
        QTest::newRow("in line") << QPoint(45, -211) << false;
        QTest::newRow("anywhere") << QPoint(205, 203) << true;
    }

    void E6_aPartIsPutWhereItIsShown()
    {
        QFETCH(QPoint, at);
        QFETCH(bool, alt);
        const Qt::KeyboardModifiers keys = alt ? Qt::AltModifier : Qt::NoModifier;
        Stage stage;
        stage.key(Qt::Key_N);
        stage.move(stage.pixel(at.x(), at.y()), keys, Qt::NoButton);
        const QString shown = stage.canvas().callout();
        QTest::mouseClick(&stage.canvas(), Qt::LeftButton, keys, stage.pixel(at.x(), at.y()));
        QCOMPARE(stage.graph().nodes.size(), std::size_t{6});
        const DrawnAt put = *stage.graph().nodes[4].at;
        QCOMPARE(shown, QStringLiteral("1 NPU at %1, %2").arg(put.x).arg(put.y));
        if (alt)
            QVERIFY(std::abs(put.x - at.x()) <= 1 && std::abs(put.y - at.y()) <= 1);
        else
            QVERIFY(put == (at.x() == 45 ? DrawnAt{48, -208} : DrawnAt{208, 200}));
    }

    void E6_aPartPutByKeysComesWhereItIsShown()
    {
        std::string text = kSquare;
        text.replace(text.find("[96, 0]"), 7, "[99, 0]");
        text.replace(text.find("[96, 96]"), 8, "[99, 96]");
        Stage stage(text);
        stage.key(Qt::Key_N); // In the middle of the page, on the grid: 48, -16.
        for (int i = 0; i < 6; ++i)
            stage.key(Qt::Key_Right, Qt::ShiftModifier); // 8 each: to 96, 3 from being in line.
        const QString shown = stage.canvas().callout();
        stage.key(Qt::Key_Return);
        const DrawnAt put = *stage.graph().nodes[4].at;
        QCOMPARE(shown, QStringLiteral("1 NPU at %1, %2").arg(put.x).arg(put.y));
        QVERIFY(put == (DrawnAt{96, -16}));
    }

    /// A part whose place cannot be written keeps no other from being drawn, moved, linked or deleted.
    void E6_aPartThatCannotBePlacedIsInTheWayOfNothing()
    {
        Stage stage("fabricscope: 1\nplatform:\n  nodes:\n    - {name: npu0, at: [0, 0]}\n    - name: npu1\n      at:\n    - {name: npu2}\n  links:\n"
                    "    - {between: [npu0, npu1], bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        QSignalSpy refused(&stage.editor(), &GraphEditor::refused);
        stage.editor().select({0});
        stage.editor().move({8, 0});
        stage.editor().add(NodeKind::Npu, {200, 200});
        stage.editor().link({3}, 2);
        QVERIFY2(refused.isEmpty(), refused.isEmpty() ? "" : qPrintable(refused.front().front().toString()));
        QCOMPARE(stage.edits(), 3);
        QVERIFY(stage.graph().nodes[0].at == (DrawnAt{8, 0}));
        QVERIFY(stage.graph().nodes[2].at.has_value()); // Where it was seen.
        stage.editor().select({3});
        stage.editor().removeSelected();
        QCOMPARE(stage.graph().nodes.size(), std::size_t{3});
        QVERIFY(refused.isEmpty());
    }

    /// What is put beside the others may be out of sight: the page goes there, and stays where it is when it need not.
    void E6_whatIsPastedOrDuplicatedComesIntoSight()
    {
        Stage stage;
        stage.canvas().zoomAt(3 / stage.canvas().zoom(), stage.canvas().pixelOf(0)); // What comes beside the square is beyond the page.
        stage.editor().select({1, 3});
        stage.key(Qt::Key_C, Qt::ControlModifier);
        const auto inSight = [&] { return stage.canvas().rect().contains(stage.at(*stage.selected().begin())); };
        stage.key(Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{7});
        QCOMPARE(stage.selected().size(), std::size_t{2});
        QVERIFY(inSight());
        stage.key(Qt::Key_D, Qt::ControlModifier);
        QVERIFY(inSight());
        const double zoom = stage.canvas().zoom();
        stage.canvas().zoomAt(0.25 / zoom, QRectF(stage.canvas().rect()).center()); // All is in sight.
        const PointF corner = stage.canvas().transform().offset;
        stage.editor().select({0});
        stage.editor().duplicate();
        QVERIFY(stage.canvas().transform().offset.x() == corner.x() && stage.canvas().transform().offset.y() == corner.y());
    }

    void E6_nudgesAfterAPauseAreAnotherStep()
    {
        Stage stage;
        stage.editor().select({3});
        auto& nudges = test::tagged<QTimer>(stage.editor(), "nudges");
        stage.key(Qt::Key_Right, Qt::ControlModifier);
        QVERIFY(nudges.isActive());
        QCOMPARE(nudges.interval(), 1000);
        stage.key(Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(stage.edits(), 1);
        nudges.start(0); // The pause, made short.
        QTRY_VERIFY(!nudges.isActive());
        stage.key(Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(stage.edits(), 2);
    }

    /// The field keeps the focus while the name changes, and the part stays selected when that is undone.
    void D2_aRenamedPartStaysSelectedAndItsFieldAtHand()
    {
        Stage stage;
        stage.click(stage.at(0));
        auto& name = test::named<QLineEdit>(stage.draw, "Name of the part");
        int lost = 0;
        connect(&stage.editor(), &GraphEditor::selectionChanged, this, [&] { lost += stage.editor().hasSelection() ? 0 : 1; });
        name.setFocus();
        name.selectAll();
        QTest::keyClicks(&name, QStringLiteral("gpu"));
        QTest::keyClick(&name, Qt::Key_Return);
        QCOMPARE(stage.graph().nodes[0].name, std::string("gpu"));
        QCOMPARE(lost, 0);
        QVERIFY(name.isVisible() && name.hasFocus());
        QCOMPARE(name.text(), QStringLiteral("gpu"));
        stage.document.undoStack().undo();
        QCOMPARE(stage.document.text(), kSquare);
        QCOMPARE(stage.selected(), std::set<std::size_t>{0});
        stage.document.undoStack().redo();
        QCOMPARE(stage.selected(), std::set<std::size_t>{0});
    }

    void D3_anIssueIsShownAlsoWhereItIsOutOfSight()
    {
        Stage stage;
        QVERIFY(stage.document.edit(QStringLiteral("bad"), [](YamlDocument& yaml) { return yaml.set("platform.links[1].latency", std::string("fast")); }));
        stage.canvas().zoomAt(8 / stage.canvas().zoom(), stage.at(2));
        QVERIFY(!stage.canvas().rect().contains((stage.at(1) + stage.at(4)) / 2));
        auto& issues = test::part<IssuesView>(stage.draw);
        issues.setFocus();
        issues.setCurrentIndex(issues.issues()->index(0, 0));
        QTest::keyClick(&issues, Qt::Key_Return);
        QCOMPARE(stage.editor().selectedLinks(), std::vector<std::size_t>{1});
        QVERIFY(stage.canvas().rect().contains((stage.at(1) + stage.at(4)) / 2));
    }

    void D5_aLineThatIsLeftIsNotTheDesigns()
    {
        Stage stage;
        auto& bar = test::part<FabricBar>(stage.draw);
        stage.draw.openLine();
        QTest::keyClicks(bar.line(), QStringLiteral("npu / ring 4"));
        QVERIFY(bar.line()->isModified());
        stage.canvas().setFocus();
        QCOMPARE(bar.line()->text(), QString());
        QCOMPARE(stage.edits(), 0);
    }

    /// A large text is read on another thread after undo: it has no errors for that.
    void E7_aTextThatIsBeingReadIsNotSaidToHaveErrors()
    {
        Stage stage(kSquare + "# " + std::string(DesignDocument::kReadAtOnceBytes, '-') + "\n");
        stage.editor().select({3});
        stage.editor().move({8, 0});
        stage.document.undoStack().undo();
        QVERIFY(stage.document.isReading());
        QSignalSpy refused(&stage.editor(), &GraphEditor::refused);
        stage.key(Qt::Key_Delete);
        QCOMPARE(refused.size(), 1);
        QVERIFY2(refused.front().front().toString().contains(QStringLiteral("still being read")), qPrintable(refused.front().front().toString()));
        QTRY_VERIFY(!stage.document.isReading());
        stage.key(Qt::Key_Delete);
        QCOMPARE(refused.size(), 1);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{4});
    }

    /// Another design whose text is none: the drawing of the one before is not its own.
    void E7_nothingIsLeftOfADesignThatWasReplaced()
    {
        Stage stage;
        stage.editor().select({0});
        QVERIFY(stage.document.setText("broken: [", QStringLiteral("broken.yaml")));
        QVERIFY(stage.editor().picture().isEmpty());
        QVERIFY(!stage.editor().hasSelection() && !stage.editor().canDraw());
        QVERIFY(!stage.canvas().grab().isNull());
        QVERIFY(stage.document.setText(kSquare, QStringLiteral("square.yaml")));
        QCOMPARE(stage.graph().nodes.size(), std::size_t{5});
        QVERIFY(!stage.editor().hasSelection());
    }

    void A6_anotherThemeLeavesDividersWhereTheyAre()
    {
        Stage stage;
        auto& columns = test::named<QSplitter>(stage.draw, "Parts, drawing and selection");
        QList<int> sizes = columns.sizes();
        sizes[0] += 60;
        sizes[1] -= 60;
        columns.setSizes(sizes);
        QCOMPARE(columns.sizes(), sizes);
        AppTheme::global().set(Theme(Theme::Mode::Dark, 13));
        QCoreApplication::processEvents();
        QCOMPARE(columns.sizes(), sizes);
    }
};

FABRICSCOPE_GUI_TEST(tst_drawinggestures)
#include "tst_drawinggestures.moc"
