// Blueprints in Draw: parts that are drawn once and used several times, each act one undoable edit of the document.
#include "tests/gui/support/drawingstage.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/draw/blueprintpanel.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStyleOptionButton>
#include <QWheelEvent>
#include <QtTest>

using namespace fabricscope;
using test::Stage;

namespace {

/// A host of two NPUs and a switch, below a leaf.
const std::string kDrawnHost = "fabricscope: 1   # ours\n"
                               "platform:\n"
                               "  nodes:\n"
                               "    - {name: gpu0, at: [0, 0]}   # first\n"
                               "    - {name: gpu1, at: [96, 0]}\n"
                               "    - {name: sw, kind: switch, at: [48, -128]}   # in it\n"
                               "    - {name: leaf, kind: switch, at: [48, -256]}   # above\n"
                               "  links:\n"
                               "    - {between: [gpu0, sw], bandwidth: 50 GB/s, latency: 1 us}   # left\n"
                               "    - {between: [gpu1, sw], bandwidth: 50 GB/s, latency: 1 us}\n"
                               "    - {between: [sw, leaf], bandwidth: 25 GB/s, latency: 1 us}   # up\n"
                               "workload: {collective: all_reduce, size: 1 MiB}\n";

std::size_t called(Stage& stage, const char* name)
{
    for (std::size_t i = 0; i < stage.graph().nodes.size(); ++i) {
        if (stage.graph().nodes[i].name == name)
            return i;
    }
    qFatal("no node %s", name);
}

/// Three hosts, drawn as a user would.
void makeHosts(Stage& stage, int count = 3)
{
    stage.editor().select({0, 1, 2});
    stage.editor().group();
    auto& copies = test::named<QSpinBox>(stage.draw, "Copies of the blueprint");
    copies.setFocus();
    copies.selectAll();
    QTest::keyClicks(&copies, QString::number(count));
    QTest::keyClick(&copies, Qt::Key_Return);
}

} // namespace

class tst_blueprints : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { AppTheme::global().set(Theme(Theme::Mode::Light, 13)); }

    void D12_aSelectionBecomesABlueprintWithACount()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage);
        QCOMPARE(stage.edits(), 2);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{10});
        QCOMPARE(stage.editor().copies().blueprints(), (std::vector<PartCopies>{{"host", 3}}));
        QVERIFY(!stage.document.hasErrors());
        QCOMPARE(stage.document.platform()->npuCount(), 6);
        QVERIFY(QString::fromStdString(stage.document.text()).contains(QStringLiteral("# in it\n")));
        // Beside the first, on nothing.
        for (std::size_t node = 0; node < stage.graph().nodes.size(); ++node)
            QCOMPARE(stage.editor().picture().nodesIn(stage.editor().picture().rectOf(node), true).size(), std::size_t{1});
        // The same parts are selected as before, also after undo.
        QCOMPARE(stage.selected(), (std::set<std::size_t>{called(stage, "host0.gpu0"), called(stage, "host0.gpu1"), called(stage, "host0.sw")}));
        stage.checkUndo(kDrawnHost);
        stage.document.undoStack().setIndex(0);
        QCOMPARE(stage.selected(), (std::set<std::size_t>{0, 1, 2}));
    }

    void D12_whatIsDoneToOneCopyIsDoneToAllInOneStep()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage);
        const int before = stage.edits();
        // Moved by the mouse: all alike move.
        const DrawnAt other = *stage.graph().nodes[called(stage, "host2.gpu1")].at;
        stage.editor().clearSelection();
        const QPoint from = stage.at(called(stage, "host1.gpu1"));
        stage.drag(from, from + (stage.pixel(0, 64) - stage.pixel(0, 0)), Qt::AltModifier);
        const DrawnAt now = *stage.graph().nodes[called(stage, "host2.gpu1")].at;
        QVERIFY(now.x == other.x && std::abs(now.y - other.y - 64) <= 2);
        // A rate.
        const std::size_t a = called(stage, "host1.gpu0");
        std::size_t bundle = 0;
        while (stage.editor().picture().bundles()[bundle].a != a)
            ++bundle;
        stage.editor().select({}, {bundle});
        stage.editor().setSelectedRate({75, "GB/s", Measure::Bandwidth});
        QCOMPARE(std::ranges::count(stage.graph().links, std::string("75 GB/s"), &GraphText::Link::bandwidth), 3);
        // A name, a link, and at last the part.
        stage.editor().rename(called(stage, "host0.gpu0"), QStringLiteral("left"));
        static_cast<void>(called(stage, "host2.left"));
        stage.editor().link({called(stage, "host1.left")}, called(stage, "leaf"));
        QCOMPARE(stage.graph().links.size(), std::size_t{12});
        stage.editor().select({called(stage, "host2.left")});
        stage.key(Qt::Key_Delete);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{7});
        QCOMPARE(stage.edits(), before + 5);
        stage.checkUndo(kDrawnHost);
    }

    void D12_aWholeCopyIsMovedDuplicatedAndDeletedByItself()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage);
        const auto copy = [&](int number) {
            const std::vector<std::size_t> nodes = stage.editor().copies().nodesOf(0, number);
            return std::set<std::size_t>(nodes.begin(), nodes.end());
        };
        const DrawnAt first = *stage.graph().nodes[called(stage, "host0.sw")].at;
        stage.editor().select(copy(1));
        stage.editor().move({0, 80});
        QVERIFY(*stage.graph().nodes[called(stage, "host0.sw")].at == first);
        stage.editor().duplicate();
        QCOMPARE(stage.editor().copies().blueprints()[0].count, 4);
        stage.editor().select(copy(0));
        stage.key(Qt::Key_Delete);
        QCOMPARE(stage.editor().copies().blueprints()[0].count, 3);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{10});
        QVERIFY(!stage.document.hasErrors());
    }

    void D12_aCopyIsEnteredAndNewPartsBelongToAll()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage);
        auto& banner = *stage.draw.findChild<QWidget*>(QStringLiteral("blueprintBanner"));
        QVERIFY(!banner.isVisible());
        stage.canvas().setFocus();
        stage.editor().select({called(stage, "host1.gpu0")});
        stage.key(Qt::Key_Return);
        QVERIFY(stage.editor().inside() && stage.editor().inside()->copy == 1);
        QVERIFY(banner.isVisible());
        stage.key(Qt::Key_M);
        stage.key(Qt::Key_Return);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{13});
        QCOMPARE(stage.selected(), std::set<std::size_t>{called(stage, "host1.memory0")});
        static_cast<void>(called(stage, "host2.memory0"));
        // Esc clears the selection, then leaves; what comes then is in no copy.
        stage.key(Qt::Key_Escape);
        stage.key(Qt::Key_Escape);
        QVERIFY(!stage.editor().inside() && !banner.isVisible());
        stage.key(Qt::Key_M);
        stage.key(Qt::Key_Return);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{14});
        static_cast<void>(called(stage, "memory0"));
    }

    void D12_oneCopyAloneIsChangedByOverrides()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage);
        const std::size_t a = called(stage, "host1.gpu0");
        std::size_t bundle = 0;
        while (stage.editor().picture().bundles()[bundle].a != a)
            ++bundle;
        const QPoint on = (stage.canvas().pixelOf(a) * 0.6 + stage.canvas().pixelOf(called(stage, "host1.sw")) * 0.4).toPoint();
        stage.click(on, Qt::ControlModifier | Qt::AltModifier);
        QCOMPARE(stage.editor().bundles(), std::set<std::size_t>{bundle});
        QVERIFY(stage.editor().isOnlyThisCopy());
        stage.editor().setSelectedRate({10, "GB/s", Measure::Bandwidth});
        QCOMPARE(std::ranges::count(stage.graph().links, std::string("10 GB/s"), &GraphText::Link::bandwidth), 0);
        QVERIFY(QString::fromStdString(stage.document.text()).contains(QStringLiteral("host1.gpu0>host1.sw")));
        QVERIFY(stage.editor().changes().hasBundle(stage.editor().picture().bundles()[bundle]));
        QVERIFY(stage.editor().isOnlyThisCopy()); // Until something else is selected.
        // Reset to blueprint.
        stage.editor().resetSelected();
        QVERIFY(!QString::fromStdString(stage.document.text()).contains(QStringLiteral("overrides")));
        stage.editor().clearSelection();
        QVERIFY(!stage.editor().isOnlyThisCopy());
    }

    void D12_theCrossbarIsThatOfEveryCopy()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage);
        const int edits = stage.edits();
        const auto limited = [&] { return std::ranges::count(stage.graph().nodes, std::string("1 TB/s"), &GraphText::Node::crossbar); };
        stage.editor().select({called(stage, "host1.sw")});
        stage.editor().setSelectedCrossbar(Quantity{1, "TB/s", Measure::Bandwidth});
        QCOMPARE(limited(), 3);
        QVERIFY(stage.graph().nodes[called(stage, "leaf")].crossbar.empty()); // Of no copy.
        QCOMPARE(stage.edits(), edits + 1);
        stage.editor().setCopies(4);
        QCOMPARE(stage.graph().nodes[called(stage, "host3.sw")].crossbar, std::string("1 TB/s"));
        stage.editor().setSelectedCrossbar(std::nullopt);
        QCOMPARE(limited(), 0);
        stage.editor().select({called(stage, "leaf")});
        stage.editor().setSelectedCrossbar(Quantity{1, "TB/s", Measure::Bandwidth});
        QCOMPARE(limited(), 1);
    }

    void D12_whatIsTheSameInEveryCopyIsNotChangedInOne()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage);
        QSignalSpy refused(&stage.draw, &DrawWorkspace::refused);
        const std::string text = stage.document.text();
        stage.editor().select({called(stage, "host1.sw")});
        stage.editor().setOnlyThisCopy(true);
        stage.editor().rename(called(stage, "host1.sw"), QStringLiteral("tor"));
        QCOMPARE(refused.count(), 1);
        stage.editor().setSelectedCrossbar(Quantity{1, "TB/s", Measure::Bandwidth});
        QCOMPARE(refused.count(), 2);
        QCOMPARE(QString::fromStdString(stage.document.text()), QString::fromStdString(text));
        QVERIFY(stage.editor().isOnlyThisCopy());
        stage.editor().setOnlyThisCopy(false);
        stage.editor().rename(called(stage, "host1.sw"), QStringLiteral("tor"));
        QCOMPARE(refused.count(), 2);
        static_cast<void>(called(stage, "host2.tor"));
    }

    /// A click on one copy alone, or going into one, shows the banner: the page stays under the pointer.
    void D12_theBannerLiesOverThePage()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage);
        stage.canvas().fit();
        QCoreApplication::processEvents();
        const QRect page(stage.canvas().mapTo(&stage.draw, QPoint(0, 0)), stage.canvas().size());
        const QPoint part = stage.at(called(stage, "host1.gpu0"));
        const auto isStill = [&] {
            QCoreApplication::processEvents();
            return QRect(stage.canvas().mapTo(&stage.draw, QPoint(0, 0)), stage.canvas().size()) == page && stage.at(called(stage, "host1.gpu0")) == part;
        };
        auto& banner = *stage.draw.findChild<QWidget*>(QStringLiteral("blueprintBanner"));
        QVERIFY(!banner.isVisible());
        stage.click(part, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(stage.editor().isOnlyThisCopy());
        QVERIFY(isStill() && banner.isVisible());
        // Nothing below the banner is pressed.
        QTest::mouseClick(&banner, Qt::LeftButton);
        QVERIFY(stage.editor().isOnlyThisCopy() && banner.isVisible());
        stage.editor().enter(0, 1);
        stage.editor().clearSelection();
        QVERIFY(isStill() && banner.isVisible());
        stage.editor().leave();
        QVERIFY(isStill() && !banner.isVisible());
    }

    /// Each goes once by the shift of all, also where several copies of a part are named.
    void D12_partsNamedInSeveralCopiesAreMovedOnceInAll()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage, 40);
        std::vector<DrawnAt> before = stage.editor().picture().places();
        stage.editor().selectAlike(called(stage, "host7.gpu0"));
        QCOMPARE(stage.selected().size(), std::size_t{80});
        stage.editor().move({16, 24});
        for (std::size_t node = 0; node < before.size(); ++node) {
            const bool npu = stage.graph().nodes[node].kind == NodeKind::Npu;
            QVERIFY(stage.editor().picture().places()[node] == (npu ? DrawnAt{before[node].x + 16, before[node].y + 24} : before[node]));
        }
        // Links of several copies, too.
        std::set<std::size_t> bundles;
        for (std::size_t bundle = 0; bundle < stage.editor().picture().bundles().size(); ++bundle) {
            if (stage.editor().picture().bundles()[bundle].b == called(stage, "leaf") && bundles.size() < 5)
                bundles.insert(bundle);
        }
        stage.editor().select({}, bundles);
        stage.editor().setSelectedRate({75, "GB/s", Measure::Bandwidth});
        QCOMPARE(std::ranges::count(stage.graph().links, std::string("75 GB/s"), &GraphText::Link::bandwidth), 40);
    }

    /// On its way over the panel the wheel changes nothing.
    void D12_theWheelCountsCopiesWithTheKeysOnly()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage);
        auto& copies = test::named<QSpinBox>(stage.draw, "Copies of the blueprint");
        const auto wheel = [&] {
            const QPointF middle = copies.rect().center();
            QWheelEvent event(middle, copies.mapToGlobal(middle), QPoint(), QPoint(0, 120), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(&copies, &event);
        };
        stage.canvas().setFocus();
        wheel();
        QCOMPARE(stage.editor().copies().blueprints()[0].count, 3);
        copies.setFocus();
        wheel();
        QCOMPARE(stage.editor().copies().blueprints()[0].count, 4);
    }

    void D12_theBoxOfOneCopyHasAFrameInEveryTheme()
    {
        for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            AppTheme::global().set(Theme(mode, 13));
            Stage stage(kDrawnHost);
            makeHosts(stage);
            auto& box = *stage.draw.findChild<BlueprintPanel*>()->findChild<QCheckBox*>();
            QVERIFY(box.isVisible() && !box.isChecked());
            QStyleOptionButton option;
            option.initFrom(&box);
            const QRect square = box.style()->subElementRect(QStyle::SE_CheckBoxIndicator, &option, &box);
            const QColor frame = box.grab().toImage().pixelColor(square.left(), square.center().y());
            QVERIFY2(Theme::contrast(frame, AppTheme::global().theme().color(Role::Panel)) >= 1.5, qPrintable(frame.name()));
        }
    }

    void D12_anUngroupedBlueprintIsParts()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage);
        auto& panel = *stage.draw.findChild<BlueprintPanel*>();
        QVERIFY(panel.isVisible());
        QTest::mouseClick(&test::named<QPushButton>(panel, "Ungroup"), Qt::LeftButton);
        QVERIFY(stage.editor().copies().isEmpty());
        QVERIFY(!QString::fromStdString(stage.document.text()).contains(QStringLiteral("copies")));
        const std::size_t parts = stage.graph().nodes.size();
        stage.editor().select({called(stage, "host1.gpu0")});
        stage.key(Qt::Key_Delete);
        QCOMPARE(stage.graph().nodes.size(), parts - 1);
    }

    void D12_whatCannotBeGroupedIsSaid()
    {
        Stage stage(kDrawnHost);
        makeHosts(stage);
        QSignalSpy refused(&stage.draw, &DrawWorkspace::refused);
        const int edits = stage.edits();
        stage.editor().select({called(stage, "leaf"), called(stage, "host0.gpu0")});
        stage.editor().group();
        stage.editor().clearSelection();
        stage.editor().group();
        stage.editor().select({called(stage, "host0.gpu0")});
        stage.editor().setCopies(4000);
        stage.editor().renameBlueprint(QStringLiteral("host 2"));
        QCOMPARE(refused.count(), 4);
        QCOMPARE(stage.edits(), edits);
    }
};

FABRICSCOPE_GUI_TEST(tst_blueprints)
#include "tst_blueprints.moc"
