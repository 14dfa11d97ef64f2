// Layouts of a drawing: as a plan of the machine room, and by forces on another thread.
#include "tests/gui/support/drawingstage.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"

#include <QComboBox>
#include <QToolButton>
#include <QtTest>

#include <cmath>

using namespace fabricscope;
using test::kSquare;
using test::Stage;

namespace {

void choose(Stage& stage, const char* layout)
{
    auto& layouts = test::named<QComboBox>(stage.draw, "Layout");
    layouts.setCurrentIndex(layouts.findText(QString::fromUtf8(layout)));
    emit layouts.activated(layouts.currentIndex());
}

/// Hosts of four NPUs on a switch each, and two spines over them.
std::string threeHosts()
{
    std::string nodes;
    std::string links;
    for (int npu = 0; npu < 12; ++npu) {
        nodes += "    - {name: npu" + std::to_string(npu) + "}\n";
        links += "    - {between: [npu" + std::to_string(npu) + ", host" + std::to_string(npu / 4) + "], bandwidth: 50 GB/s, latency: 1 us}\n";
    }
    for (int host = 0; host < 3; ++host) {
        nodes += "    - {name: host" + std::to_string(host) + ", kind: switch}\n";
        for (int spine = 0; spine < 2; ++spine)
            links += "    - {between: [host" + std::to_string(host) + ", spine" + std::to_string(spine) + "], bandwidth: 50 GB/s, latency: 1 us}\n";
    }
    return "fabricscope: 1\nplatform:\n  nodes:\n" + nodes + "    - {name: spine0, kind: switch}\n    - {name: spine1, kind: switch}\n  links:\n" + links + "workload: {collective: all_reduce, size: 1 MiB}\n";
}

} // namespace

class tst_layouts : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { AppTheme::global().set(Theme(Theme::Mode::Light, 13)); }

    /// NPUs of a host two by two below their switch, no part on another, spines above all.
    void D14_aPlanShowsHostsAsBlocks()
    {
        Stage stage(threeHosts());
        choose(stage, "Plan on levels");
        QCOMPARE(stage.edits(), 1);
        const std::vector<DrawnAt> places = stage.editor().picture().places();
        for (std::size_t host = 0; host < 3; ++host) {
            const DrawnAt* npu = &places[host * 4];
            QVERIFY(npu[0].y == npu[1].y && npu[2].y == npu[3].y && npu[0].x == npu[2].x && npu[1].x == npu[3].x);
            QVERIFY(npu[0].y < npu[2].y && places[12 + host].y < npu[0].y);
            QVERIFY(places[12 + host].x > npu[0].x && places[12 + host].x < npu[1].x);
            QVERIFY(places[15].y < places[12 + host].y && places[15].y == places[16].y);
        }
        for (std::size_t node = 0; node < places.size(); ++node)
            QCOMPARE(stage.editor().picture().nodesIn(stage.editor().picture().rectOf(node), true).size(), std::size_t{1});
    }

    /// Units of a fabric by their names: each has its own leaf above its hosts, and no part of another in its frame.
    void D14_aPlanKeepsUnitsApart()
    {
        GraphText graph;
        for (int unit = 0; unit < 4; ++unit) {
            const std::string prefix = "unit" + std::to_string(unit) + '.';
            for (int npu = 0; npu < 4; ++npu) {
                graph.nodes.push_back({prefix + "host" + std::to_string(npu / 2) + ".gpu" + std::to_string(npu % 2), NodeKind::Npu, {}});
                graph.links.push_back({graph.nodes.back().name, prefix + "leaf0", true, "1 GB/s", "1 us"});
            }
            graph.nodes.push_back({prefix + "leaf0", NodeKind::Switch, {}});
            graph.links.push_back({prefix + "leaf0", "spine0", true, "1 GB/s", "1 us"});
        }
        graph.nodes.push_back({"spine0", NodeKind::Switch, {}});
        const std::vector<DrawnAt> places = layOut(graph, GraphLayout::Plan);
        for (std::size_t unit = 0; unit < 4; ++unit) {
            std::int32_t left = places[unit * 5].x;
            std::int32_t right = left;
            const std::int32_t top = places[unit * 5 + 4].y;
            std::int32_t bottom = top;
            for (std::size_t part = unit * 5; part < unit * 5 + 5; ++part) {
                left = std::min(left, places[part].x);
                right = std::max(right, places[part].x);
                bottom = std::max(bottom, places[part].y);
                QVERIFY(places[part].y >= top);
            }
            for (std::size_t other = 0; other < places.size(); ++other) {
                const bool inside = places[other].x >= left - 48 && places[other].x <= right + 48 && places[other].y >= top - 48 && places[other].y <= bottom + 48;
                QCOMPARE(inside, other / 5 == unit && other < 20);
            }
        }
    }

    void D14_forcesMovePartsAndAreOneEditThatIsKept()
    {
        Stage stage(kSquare);
        choose(stage, "Force");
        QVERIFY(stage.editor().isForcing());
        QCOMPARE(stage.edits(), 0); // On its way it is no edit.
        QTRY_VERIFY_WITH_TIMEOUT(!stage.editor().isForcing(), 20'000);
        QCOMPARE(stage.edits(), 1);
        // Joined: one spring apart, but for what others push.
        const DrawnAt npu = *stage.graph().nodes[0].at;
        const DrawnAt above = *stage.graph().nodes[4].at;
        QVERIFY(std::hypot(npu.x - above.x, npu.y - above.y) < 250);
        QVERIFY(npu.x % 8 == 0 && npu.y % 8 == 0);
        stage.checkUndo(kSquare);
    }

    void D14_forcesAreStoppedOrTakenBack()
    {
        Stage stage(kSquare);
        choose(stage, "Force");
        stage.canvas().setFocus();
        stage.key(Qt::Key_Escape);
        QVERIFY(!stage.editor().isForcing());
        QCOMPARE(stage.edits(), 0);
        QVERIFY(stage.editor().picture().places()[0] == (DrawnAt{0, 0}));
        // A text that changes meanwhile ends it.
        choose(stage, "Force");
        QVERIFY(stage.document.edit(QStringLiteral("size"), [](YamlDocument& yaml) { return yaml.set("workload.size", "2 MiB"); }));
        QVERIFY(!stage.editor().isForcing());
        QVERIFY(stage.editor().picture().places()[0] == (DrawnAt{0, 0}));
        // The button stops, and keeps.
        choose(stage, "Force");
        auto& stop = test::named<QToolButton>(stage.draw, "Stop; parts stay where they are (Esc: as before)");
        QTest::mouseClick(&stop, Qt::LeftButton);
        QVERIFY(!stage.editor().isForcing());
    }

    void D14_tooManyPartsForForcesAreSaid()
    {
        std::string text = "fabricscope: 1\nplatform:\n  nodes:\n";
        for (int npu = 0; npu < 2001; ++npu)
            text += "    - {name: npu" + std::to_string(npu) + "}\n";
        Stage stage(text + "workload: {collective: all_reduce, size: 1 MiB}\n");
        QSignalSpy refused(&stage.draw, &DrawWorkspace::refused);
        choose(stage, "Force");
        QVERIFY(!stage.editor().isForcing());
        QCOMPARE(refused.count(), 1);
        QVERIFY(refused.front().front().toString().contains(QStringLiteral("Use Levels")));
    }
};

FABRICSCOPE_GUI_TEST(tst_layouts)
#include "tst_layouts.moc"
