// A generated fabric as levels with handles: every release is one edit of its line.
#include "tests/gui/support/named.h"
#include "tests/gui/support/withtheme.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/draw/fabricworkspace.h"
#include "widgets/draw/levelsview.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

using namespace fabricscope;

namespace {

constexpr int kPatienceMs = 60'000; ///< On a loaded machine.
/// 8 of a host x 32 on 8 leaves of 64 ports, four units, 32 ports down and 16 up.
const char* const kRails = "hgx-h100 x32 / rails 64p 400G x4 / spine 2:1";

struct Stage {
    DesignDocument document;
    DrawWorkspace draw;

    explicit Stage(const std::string& line = kRails)
    {
        const Status status = document.setText("fabricscope: 1\nplatform:\n  topology: \"" + line + "\"   # ours\nworkload: {collective: all_reduce, size: 1 MiB}\n", QStringLiteral("rails.yaml"));
        Q_ASSERT(status);
        draw.setDocument(&document);
        QObject::connect(&document, &DesignDocument::changed, &draw, &DrawWorkspace::showDesign);
        draw.resize(1280, 760);
        draw.show();
        draw.activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(&draw));
    }
    LevelsView& view() { return test::part<LevelsView>(draw); }
    std::string line() { return document.yaml()->find("platform.topology")->text; }
    CountHandle& count(const char* name) { return test::named<CountHandle>(draw, name); }
    void drag(LevelHandle& handle, QPoint by, Qt::KeyboardModifiers modifiers = Qt::NoModifier, bool release = true)
    {
        const QPoint from = handle.rect().center();
        QTest::mousePress(&handle, Qt::LeftButton, modifiers, from);
        for (const QPoint& to : {from + by / 2, from + by}) {
            QMouseEvent event(QEvent::MouseMove, to, handle.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, modifiers);
            QCoreApplication::sendEvent(&handle, &event);
        }
        if (release)
            QTest::mouseRelease(&handle, Qt::LeftButton, modifiers, from + by);
    }
};

} // namespace

class tst_levelsview : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { AppTheme::global().set(Theme(Theme::Mode::Light, 13)); }

    void D6_aFabricOfLevelsIsShownByThem()
    {
        Stage stage;
        QVERIFY(stage.view().isVisible());
        QCOMPARE(stage.view().levels()->npus, std::int64_t{1024});
        QCOMPARE(stage.count("hgx-h100 below each unit of leaf").value(), std::int64_t{32});
        QCOMPARE(stage.count("leaf below each unit of spine").value(), std::int64_t{4});
        QCOMPARE(test::part<PortsHandle>(stage.draw).value(), std::int64_t{16});
        // The whole of it, and back.
        QPushButton& levels = test::named<QPushButton>(stage.draw, "Show all NPUs");
        QTest::mouseClick(&levels, Qt::LeftButton);
        QVERIFY(!stage.view().isVisible());
        QCOMPARE(levels.text(), QStringLiteral("Show levels"));
        QTest::mouseClick(&levels, Qt::LeftButton);
        QVERIFY(stage.view().isVisible());
        // A torus has no levels.
        stage.document.undoStack().clear();
        QVERIFY(stage.document.edit(QStringLiteral("torus"), [](YamlDocument& yaml) { return yaml.set("platform.topology", std::string("npu / torus 4x4")); }));
        QVERIFY(!stage.view().isVisible() && !levels.isVisible());
    }

    /// The count of a level stands at the right of where the words of its ports do, with large text on the same height.
    void D6_wordsOfPortsKeepOffTheCount()
    {
        const test::WithTheme large(Theme(Theme::Mode::Light, 26));
        Stage stage;
        stage.draw.resize(1280, 620);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        const PortsHandle& ports = test::part<PortsHandle>(stage.draw);
        const CountHandle& count = stage.count("leaf below each unit of spine");
        const QRect covered = count.geometry().translated(-ports.pos()) & ports.rect();
        QVERIFY(!covered.isEmpty());
        const QImage drawn = const_cast<PortsHandle&>(ports).grab(covered).toImage(); // The handle alone.
        for (int y = 0; y < drawn.height(); ++y)
            for (int x = 0; x < drawn.width(); ++x)
                QCOMPARE(drawn.pixel(x, y), drawn.pixel(0, 0));
    }

    void D6_aCountIsDraggedToPowersOfTwoAndWithShiftToAny()
    {
        Stage stage;
        CountHandle& units = stage.count("leaf below each unit of spine");
        stage.drag(units, {24, 0}); // One power more.
        QCOMPARE(stage.line(), std::string("hgx-h100 x32 / rails 64p 400G x8 / spine 2:1"));
        QCOMPARE(stage.document.undoStack().count(), 1);
        QCOMPARE(stage.document.platform()->npuCount(), 2048);
        stage.drag(units, {-24, -24}, Qt::ShiftModifier); // Two less.
        QCOMPARE(stage.line(), std::string("hgx-h100 x32 / rails 64p 400G x6 / spine 2:1"));
        QVERIFY(QString::fromStdString(stage.document.text()).contains(QStringLiteral("# ours")));
        stage.document.undoStack().setIndex(0);
        QCOMPARE(stage.line(), std::string(kRails));
        QCOMPARE(units.value(), std::int64_t{4});
    }

    /// As far from 32 as from 4; a count between two powers goes to them.
    void D6_aDragOfACountIsAsLongForManyAsForFew()
    {
        Stage stage("npu x32 / leaf 96p 400G x6 / spine 2:1");
        CountHandle& parts = stage.count("npu below each unit of leaf");
        const auto previewed = [&](CountHandle& handle, int pixels) {
            stage.drag(handle, {pixels, 0}, Qt::NoModifier, false);
            const std::int64_t value = handle.value();
            QTest::keyClick(&handle, Qt::Key_Escape);
            QTest::mouseRelease(&handle, Qt::LeftButton);
            return value;
        };
        QCOMPARE(previewed(parts, 11), std::int64_t{32});
        QCOMPARE(previewed(parts, 24), std::int64_t{64});
        QCOMPARE(previewed(parts, 72), std::int64_t{256});
        QCOMPARE(previewed(parts, -24), std::int64_t{16});
        QCOMPARE(previewed(parts, -600), std::int64_t{1});
        CountHandle& units = stage.count("leaf below each unit of spine");
        QCOMPARE(previewed(units, 24), std::int64_t{8});
        QCOMPARE(previewed(units, -24), std::int64_t{4});
        QCOMPARE(previewed(units, -48), std::int64_t{2});
        QCOMPARE(stage.document.undoStack().count(), 0);
    }

    /// As a list of levels in the file: the same handles, and edits of its lines.
    void D6_levelsWrittenAsAListHaveTheSameHandles()
    {
        Stage stage;
        const std::string list = "fabricscope: 1\nplatform:\n  fabric:\n    of: npu\n    levels:\n      - {name: leaf, join: switch, count: 16, radix: 24, bandwidth: 400 Gbit/s, latency: 1 us}   # ours\n"
                                 "      - {name: spine, join: clos, count: 8, oversubscription: \"2:1\"}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        QVERIFY(stage.document.setText(list, QStringLiteral("levels.yaml")));
        QVERIFY2(!stage.document.hasErrors(), stage.document.issues().empty() ? "" : stage.document.issues().front().message.c_str());
        QVERIFY(stage.view().isVisible());
        QCOMPARE(stage.view().levels()->npus, std::int64_t{128});
        stage.drag(stage.count("leaf below each unit of spine"), {-24, 0}); // One power less.
        QCOMPARE(stage.view().levels()->npus, std::int64_t{64});
        QCOMPARE(stage.document.undoStack().count(), 1);
        std::string wanted = list;
        wanted.replace(wanted.find("count: 8"), 8, "count: 4");
        QCOMPARE(QString::fromStdString(stage.document.text()), QString::fromStdString(wanted));
        stage.document.undoStack().undo();
        QCOMPARE(stage.document.text(), list);
    }

    /// The field is as wide as its line in a window of 1280, and Return without a change leaves the list as it is written.
    void D9_levelsWrittenAsAListHaveTheirLine()
    {
        Stage stage;
        const std::string list = "fabricscope: 1\nplatform:\n  fabric:\n    of: hgx-h100-8\n    levels:\n      - {name: leaf, join: rails, count: 32, radix: 64, bandwidth: 400 Gbit/s}   # ours\n"
                                 "      - {name: spine, join: clos, count: 4, oversubscription: \"2:1\"}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        QVERIFY(stage.document.setText(list, QStringLiteral("levels.yaml")));
        QLineEdit& line = test::named<QLineEdit>(stage.draw, "Fabric in one line");
        QTRY_COMPARE_WITH_TIMEOUT(line.text(), QStringLiteral("hgx-h100-8 x32 / rails 64p 400 Gbit/s x4 / spine 2:1"), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(line.width() >= QFontMetrics(line.font()).horizontalAdvance(line.text()) + 8, kPatienceMs);
        stage.draw.openLine();
        QTest::keyClick(&line, Qt::Key_Return);
        QCOMPARE(stage.document.text(), list);
        QCOMPARE(stage.document.undoStack().count(), 0);
        // Typed otherwise it is the fabric.
        stage.draw.openLine();
        QTest::keyClicks(&line, QStringLiteral("npu / torus 4x4"));
        QTest::keyClick(&line, Qt::Key_Return);
        QCOMPARE(stage.line(), std::string("npu / torus 4x4"));
        stage.document.undoStack().undo();
        QCOMPARE(stage.document.text(), list);
    }

    /// Handles of one design must not edit another.
    void D6_levelsOfADesignThatWasReplacedAreGone()
    {
        Stage stage;
        QVERIFY(stage.view().isVisible());
        QVERIFY(stage.document.setText("fabricscope: 1\nplatform:\n  topology: \"npu x4 / leaf 2p\"\nworkload: {collective: all_reduce, size: 1 MiB}\n", QStringLiteral("bad.yaml")));
        QVERIFY(stage.document.hasErrors());
        QVERIFY(!stage.view().levels());
        QVERIFY(!stage.view().isVisible());
        // But text of the same design that has errors for a moment keeps them.
        QVERIFY(stage.document.setText("fabricscope: 1\nplatform:\n  topology: \"npu x16 / leaf 24p 400G x8 / spine 2:1\"\nworkload: {collective: all_reduce, size: 1 MiB}\n", QStringLiteral("good.yaml")));
        QVERIFY(stage.view().isVisible());
        QVERIFY(stage.document.edit(QStringLiteral("typed"), [](YamlDocument& yaml) { return yaml.set("platform.topology", std::string("npu x4 / leaf 2p")); }));
        QVERIFY(stage.view().isVisible());
    }

    void D6_whatNobodySeesIsReadWhenItIsShown()
    {
        Stage stage;
        stage.draw.hide();
        QVERIFY(stage.document.edit(QStringLiteral("typed"), [](YamlDocument& yaml) { return yaml.set("platform.topology", std::string("hgx-h100 x32 / rails 64p 400G x8 / spine 2:1")); }));
        QCOMPARE(stage.view().levels()->npus, std::int64_t{1024});
        stage.draw.show();
        QCOMPARE(stage.view().levels()->npus, std::int64_t{2048});
        QCOMPARE(test::named<QLineEdit>(stage.draw, "Fabric in one line").text(), QStringLiteral("hgx-h100 x32 / rails 64p 400G x8 / spine 2:1"));
    }

    void D6_whatWouldBeIsToldWhileItIsDraggedAndEscTakesItBack()
    {
        Stage stage;
        CountHandle& units = stage.count("leaf below each unit of spine");
        units.setFocus();
        stage.drag(units, {24, 0}, Qt::NoModifier, false);
        const QLabel& told = test::tagged<QLabel>(stage.draw, "levelsTold");
        QVERIFY(told.isVisible());
        QVERIFY2(told.text().contains(QStringLiteral("%1 → %2 NPUs").arg(texts::count(1024), texts::count(2048))), qPrintable(told.text()));
        QTest::keyClick(&units, Qt::Key_Escape);
        QVERIFY(!told.isVisible());
        QTest::mouseRelease(&units, Qt::LeftButton);
        QCOMPARE(stage.document.undoStack().count(), 0);
        QCOMPARE(units.value(), std::int64_t{4});
    }

    void D6_theDividerOfThePortsSetsTheOversubscription()
    {
        Stage stage;
        PortsHandle& ports = test::part<PortsHandle>(stage.draw);
        stage.drag(ports, {92, 0}); // 6 pixels a port, 16 more are 96: within 6 of 1:1.
        QCOMPARE(stage.line(), std::string("hgx-h100 x32 / rails 64p 400G x4 / spine 1:1"));
        QCOMPARE(ports.value(), std::int64_t{32});
        // By keys: to 2:1, 4:1, and one more port with Shift: 32:9.
        ports.setFocus();
        QTest::keyClick(&ports, Qt::Key_Left);
        QCOMPARE(stage.line(), std::string(kRails));
        QTest::keyClick(&ports, Qt::Key_Left);
        QCOMPARE(stage.line(), std::string("hgx-h100 x32 / rails 64p 400G x4 / spine 4:1"));
        QTest::keyClick(&ports, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(stage.line(), std::string("hgx-h100 x32 / rails 64p 400G x4 / spine 32:9"));
        QCOMPARE(stage.document.undoStack().count(), 4);
    }

    void D6_levelsAreAddedAndTakenAwayByKey()
    {
        Stage stage("npu x16 / leaf 24p 400G x8 / spine 2:1");
        CountHandle& parts = stage.count("npu below each unit of leaf");
        parts.setFocus();
        QTest::keyClick(&parts, Qt::Key_U);
        QCOMPARE(stage.view().levels()->levels.size(), std::size_t{3});
        QCOMPARE(stage.view().levels()->npus, std::int64_t{256});
        QTest::mouseClick(&test::named<QPushButton>(stage.draw, "Remove highest level"), Qt::LeftButton);
        QCOMPARE(stage.line(), std::string("npu x16 / leaf 24p 400G x8 / spine 2:1"));
        QCOMPARE(stage.document.undoStack().count(), 2);
        CountHandle& again = stage.count("npu below each unit of leaf");
        again.setFocus();
        QTest::keyClick(&again, Qt::Key_Slash);
        QVERIFY(test::named<QLineEdit>(stage.draw, "Fabric in one line").hasFocus());
    }

    /// More than a switch has ports for: refused with the reason, and the handle says what there is.
    void D6_whatIsNoFabricIsRefused()
    {
        Stage stage("npu x16 / leaf 24p 400G x8 / spine 2:1");
        QSignalSpy refused(&stage.draw, &DrawWorkspace::refused);
        CountHandle& parts = stage.count("npu below each unit of leaf");
        parts.setFocus();
        QTest::keyClick(&parts, Qt::Key_Up); // 32 on 24 ports.
        QCOMPARE(refused.size(), 1);
        QCOMPARE(stage.document.undoStack().count(), 0);
        QCOMPARE(parts.value(), std::int64_t{16});
    }

    void A6_nothingStandsOverAnotherInEitherTheme()
    {
        Stage stage;
        for (const auto& [mode, pixels] : {std::pair{Theme::Mode::Light, 13.0}, {Theme::Mode::Dark, 18.0}}) {
            AppTheme::global().set(Theme(mode, pixels));
            QCoreApplication::processEvents();
            QList<QWidget*> seen;
            for (QWidget* child : stage.view().findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
                if (child->isVisible())
                    seen.append(child);
            }
            QVERIFY(seen.size() >= 10);
            for (qsizetype i = 0; i < seen.size(); ++i) {
                QVERIFY2(stage.view().rect().contains(seen[i]->geometry()), seen[i]->metaObject()->className());
                for (qsizetype k = i + 1; k < seen.size(); ++k)
                    QVERIFY2(!seen[i]->geometry().intersects(seen[k]->geometry()), seen[i]->metaObject()->className());
            }
            QCOMPARE(stage.view().grab().toImage().pixelColor(1, stage.view().height() - 2), AppTheme::global().theme().color(Role::View));
        }
    }
};

FABRICSCOPE_GUI_TEST(tst_levelsview)
#include "tst_levelsview.moc"
