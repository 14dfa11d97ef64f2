// The design as a tree beside the page: what is selected in one is selected in the other.
#include "tests/gui/support/drawingstage.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/draw/levelsview.h"
#include "widgets/draw/outlineview.h"

#include <QApplication>
#include <QtTest>

using namespace fabricscope;
using test::kSquare;
using test::Stage;

namespace {

struct Outline {
    Stage& stage;
    OutlineView& view;

    explicit Outline(Stage& of) : stage(of), view(*of.draw.findChild<OutlineView*>()) { stage.draw.openOutline(); }
    /// Texts of rows below a row, or of the highest.
    QStringList texts(const QTreeWidgetItem* above = nullptr)
    {
        QStringList out;
        const QTreeWidgetItem* root = above ? above : view.invisibleRootItem();
        for (int i = 0; i < root->childCount(); ++i)
            out.append(root->child(i)->text(0) + (root->child(i)->text(1).isEmpty() ? QString() : QLatin1Char(' ') + root->child(i)->text(1)));
        return out;
    }
    QTreeWidgetItem& row(const char* text)
    {
        const auto found = view.findItems(QString::fromUtf8(text), Qt::MatchExactly | Qt::MatchRecursive, 0);
        if (found.isEmpty())
            qFatal("no row %s", text);
        return *found.front();
    }
};

} // namespace

class tst_outline : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { AppTheme::global().set(Theme(Theme::Mode::Light, 13)); }

    void D13_partsAndBlueprintsAreRowsAndSelectionGoesBothWays()
    {
        Stage stage(kSquare);
        Outline outline(stage);
        QVERIFY(outline.view.isVisible() && outline.view.hasFocus());
        QCOMPARE(outline.texts(), (QStringList{QStringLiteral("NPUs 4"), QStringLiteral("Switches 1")}));
        QCOMPARE(outline.texts(&outline.row("NPUs")).size(), 4);
        // From here to the page, by keys.
        outline.view.setCurrentItem(&outline.row("npu2"));
        QCOMPARE(stage.selected(), std::set<std::size_t>{2});
        QTest::keyClick(&outline.view, Qt::Key_Down);
        QCOMPARE(stage.selected(), std::set<std::size_t>{3});
        outline.view.setCurrentItem(&outline.row("NPUs"));
        QCOMPARE(stage.selected(), (std::set<std::size_t>{0, 1, 2, 3}));
        // And back.
        stage.editor().select({1, 4});
        QVERIFY(outline.row("npu1").isSelected() && outline.row("switch0").isSelected());
        QCOMPARE(outline.view.selectedItems().size(), 2);
        QCOMPARE(stage.selected(), (std::set<std::size_t>{1, 4}));
        // Return goes to the page.
        QTest::keyClick(&outline.view, Qt::Key_Return);
        QVERIFY(stage.canvas().hasFocus());
    }

    void D13_blueprintsCopiesAndSingleOverrides()
    {
        std::string joined = kSquare;
        joined.insert(joined.find("workload:"), "    - {between: [npu2, switch0], bandwidth: 50 GB/s, latency: 1 us}\n    - {between: [npu3, switch0], bandwidth: 50 GB/s, latency: 1 us}\n");
        Stage stage(joined);
        Outline outline(stage);
        stage.editor().select({0, 1, 4});
        stage.editor().group();
        stage.editor().setCopies(3);
        QCOMPARE(outline.texts(), (QStringList{QStringLiteral("host, blueprint × 3"), QStringLiteral("NPUs 2")}));
        QCOMPARE(outline.texts(&outline.row("host, blueprint")), (QStringList{QStringLiteral("npu0"), QStringLiteral("npu1"), QStringLiteral("switch0"), QStringLiteral("Copies 3")}));
        outline.view.setCurrentItem(&outline.row("host1"));
        QCOMPARE(stage.selected().size(), std::size_t{3});
        emit outline.view.itemActivated(&outline.row("host1"), 0);
        QVERIFY(stage.editor().inside() && stage.editor().inside()->copy == 1);
        // A part of any copy is the part of the blueprint.
        const std::vector<std::size_t> alike = stage.editor().copies().alike(stage.editor().copies().nodesOf(0, 0).front());
        stage.editor().select({alike.back()});
        QVERIFY(outline.row("npu0").isSelected());
        // What is changed alone has a row that selects it.
        std::size_t bundle = 0;
        stage.editor().select({}, {bundle});
        stage.editor().setOnlyThisCopy(true);
        stage.editor().setSelectedRate({7, "GB/s", Measure::Bandwidth});
        QCOMPARE(outline.texts().last(), QStringLiteral("Changed alone"));
        QCOMPARE(outline.texts(&outline.row("Changed alone")).size(), 1);
        stage.editor().clearSelection();
        outline.view.setCurrentItem(outline.row("Changed alone").child(0));
        QCOMPARE(stage.editor().bundles(), std::set<std::size_t>{bundle});
        // A row that was closed stays so.
        outline.row("NPUs").setExpanded(false);
        stage.editor().leave();
        stage.editor().add(NodeKind::Npu, {400, 400});
        QVERIFY(!outline.row("NPUs").isExpanded() && outline.row("host, blueprint").isExpanded());
    }

    void D13_levelsOfAFabricAndTheirHandles()
    {
        Stage stage("fabricscope: 1\nplatform:\n  topology: \"hgx-h100-8 x32 / rails 64p 400G x4 / spine 2:1\"\n  overrides: {links: [{link: \"unit1.leaf3>spine0\", bandwidth: 200 Gbit/s}]}\n"
                    "workload: {collective: all_reduce, size: 1 MiB}\n");
        Outline outline(stage);
        QCOMPARE(outline.view.topLevelItemCount(), 2);
        QVERIFY(outline.view.topLevelItem(0)->text(0).startsWith(QStringLiteral("spine")));
        QCOMPARE(outline.row("hgx-h100-8").text(1), QStringLiteral("× 128"));
        QCOMPARE(outline.texts(&outline.row("Changed alone")), QStringList{QStringLiteral("unit1.leaf3>spine0 ◆")});
        auto& levels = *stage.draw.findChild<LevelsView*>();
        emit outline.view.itemActivated(&outline.row("hgx-h100-8"), 0);
        const auto counts = levels.findChildren<CountHandle*>();
        QVERIFY(std::ranges::any_of(counts, [](const CountHandle* handle) { return handle->hasFocus(); }));
        outline.view.setCurrentItem(outline.view.topLevelItem(0));
        levels.focusLevel(1);
        QCOMPARE(outline.view.currentItem()->text(0), QStringLiteral("leaf"));
    }
};

FABRICSCOPE_GUI_TEST(tst_outline)
#include "tst_outline.moc"
