// Where parts of a drawing stand: snapping, alignment, layouts. Without widgets.
#include "tests/unit/support/testprogram.h"
#include "widgets/draw/graphpicture.h"
#include "widgets/draw/snapping.h"

#include <QtTest>

#include <array>

using namespace fabricscope;

class tst_drawinggeometry : public QObject
{
    Q_OBJECT
private slots:
    void snappingTakesEdgesBeforeTheGrid()
    {
        const RectF moved(100, 53, 48, 48); // Middle 124, 77.
        Snapped alone = snapRect(moved, {});
        QVERIFY(alone.guides.empty());
        QCOMPARE(moved.center().x() + alone.shift.x(), 128.0); // 124 is half way; away from zero.
        QCOMPARE(moved.center().y() + alone.shift.y(), 80.0);
        const RectF other(97, 300, 80, 48); // Left edge 3 away; middle 137 is 13 away.
        Snapped beside = snapRect(moved, std::array{other});
        QCOMPARE(beside.guides.size(), std::size_t{1});
        QVERIFY(beside.guides[0].vertical);
        QCOMPARE(beside.guides[0].at, 97.0);
        QCOMPARE(beside.shift.x(), -3.0);
        QCOMPARE(snapRect(moved, std::array{RectF(93, 300, 80, 48)}).guides.size(), std::size_t{0}); // 7 away.
        QCOMPARE(snapRect(moved, std::array{RectF(94, 300, 80, 48)}).guides.size(), std::size_t{1}); // 6 away.
    }

    void alignmentAndDistribution()
    {
        const std::array rects{RectF(0, 0, 10, 10), RectF(50, 5, 30, 10), RectF(100, 40, 10, 10)};
        const auto check = [&](Alignment how, std::array<double, 3> wanted, bool across) {
            const std::vector<PointF> shifts = alignShifts(rects, how);
            for (std::size_t i = 0; i < rects.size(); ++i)
                QCOMPARE(across ? shifts[i].x() : shifts[i].y(), wanted[i]);
        };
        check(Alignment::Left, {0, -50, -100}, true);
        check(Alignment::Right, {100, 30, 0}, true);
        check(Alignment::Centre, {50, -10, -50}, true); // All reach from 0 to 110.
        check(Alignment::Top, {0, -5, -40}, false);
        check(Alignment::Bottom, {40, 35, 0}, false);
        const std::vector<PointF> across = distributeShifts(rects, true); // Middles 5, 65, 105: the one between to 55.
        QCOMPARE(across[0].x(), 0.0);
        QCOMPARE(across[1].x(), -10.0);
        QCOMPARE(across[2].x(), 0.0);
    }

    void layoutsPutNoNodeOnAnother_data()
    {
        QTest::addColumn<int>("layout");
        QTest::newRow("levels") << int(GraphLayout::Levels);
        QTest::newRow("ring") << int(GraphLayout::Ring);
        QTest::newRow("grid") << int(GraphLayout::Grid);
        QTest::newRow("plan") << int(GraphLayout::Plan);
    }

    void layoutsPutNoNodeOnAnother()
    {
        QFETCH(int, layout);
        GraphText graph;
        for (int i = 0; i < 100; ++i)
            graph.nodes.push_back({"npu" + std::to_string(i), NodeKind::Npu, {}});
        for (int leaf = 0; leaf < 10; ++leaf) {
            graph.nodes.push_back({"leaf" + std::to_string(leaf), NodeKind::Switch, {}});
            for (int i = 0; i < 10; ++i)
                graph.links.push_back({"npu" + std::to_string(leaf * 10 + i), "leaf" + std::to_string(leaf), true, "1 GB/s", "1 us"});
            graph.links.push_back({"leaf" + std::to_string(leaf), "spine", true, "1 GB/s", "1 us"});
        }
        graph.nodes.push_back({"spine", NodeKind::Switch, {}});
        graph.nodes.push_back({"alone", NodeKind::Memory, {}});
        GraphPicture picture(graph);
        picture.setPlaces(layOut(graph, static_cast<GraphLayout>(layout)));
        for (std::size_t a = 0; a < picture.count(); ++a) {
            for (std::size_t b = a + 1; b < picture.count(); ++b) {
                const RectF one = picture.rectOf(a);
                const RectF two = picture.rectOf(b);
                QVERIFY2(one.right() <= two.left() || two.right() <= one.left() || one.bottom() <= two.top() || two.bottom() <= one.top(),
                         qPrintable(QString::fromStdString(graph.nodes[a].name + " on " + graph.nodes[b].name)));
            }
        }
        if (static_cast<GraphLayout>(layout) == GraphLayout::Levels) {
            const auto y = [&](std::size_t node) { return picture.places()[node].y; };
            QVERIFY(y(0) > y(100) && y(100) > y(110) && y(110) > y(111)); // NPUs, leaves, the spine, what is joined to nothing.
        }
    }

    /// Either way round, and however many links there are.
    void whatIsJoinedIsKnownByItsEnds()
    {
        GraphText graph;
        graph.nodes = {{"a", NodeKind::Npu, {}}, {"b", NodeKind::Npu, {}}, {"c", NodeKind::Npu, {}}};
        graph.links = {{"c", "a", false, "1 GB/s", "1 us"}, {"a", "c", true, "1 GB/s", "1 us"}, {"b", "gone", true, "1 GB/s", "1 us"}};
        const GraphPicture picture(graph);
        QVERIFY(picture.isJoined(0, 2) && picture.isJoined(2, 0));
        QVERIFY(!picture.isJoined(0, 1) && !picture.isJoined(1, 2) && !picture.isJoined(1, 1));
        QCOMPARE(picture.bundles().size(), std::size_t{1});
    }

    /// Nodes without a place never stand on those that have one.
    void whatHasNoPlaceStandsBelowWhatHas()
    {
        GraphText graph;
        graph.nodes = {{"a", NodeKind::Npu, DrawnAt{0, 0}}, {"b", NodeKind::Npu, DrawnAt{0, 500}}, {"c", NodeKind::Npu, {}}, {"d", NodeKind::Switch, {}}};
        const GraphPicture picture(graph);
        for (const std::size_t node : {2U, 3U})
            QVERIFY(picture.rectOf(node).top() > picture.rectOf(1).bottom());
        QCOMPARE(picture.unplaced().size(), std::size_t{2});
    }
};

FABRICSCOPE_GUI_TEST(tst_drawinggeometry)
#include "tst_drawinggeometry.moc"
