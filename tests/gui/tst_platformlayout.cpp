#include "core/draw/canvasitems.h"
#include "core/draw/platformlayout.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QSet>

#include <cmath>

using namespace fabricscope;

namespace {

Dimension dimension(Shape shape, int size)
{
    return {shape, size, Quantity{50, "GB/s", Measure::Bandwidth}, false, Quantity{1, "us", Measure::Time}};
}

Platform platformOf(std::vector<Dimension> dimensions)
{
    PlatformSpec spec;
    spec.dimensions = std::move(dimensions);
    auto platform = Platform::create(std::move(spec));
    Q_ASSERT(platform);
    return std::move(platform).value();
}

CanvasItems itemsOf(const PlatformLayout& layout, double scale)
{
    return canvasItems(layout, {scale, {0, 0}}, QRectF(QPointF(0, 0), layout.size() * scale));
}

/// Everything that is painted but lines.
std::size_t withoutLines(const CanvasItems& items)
{
    std::size_t count = items.nodes.size();
    for (const CanvasLayer& layer : items.layers)
        count += layer.frames.size() + layer.bars.size() + layer.discs.size() + layer.pills.size();
    return count;
}

} // namespace

class PlatformLayoutTest : public QObject
{
    Q_OBJECT
private slots:
    void everyNpuHasItsOwnPlaceInsideTheWhole_data()
    {
        QTest::addColumn<QVector<QPair<int, int>>>("dimensions");
        const int ring = static_cast<int>(Shape::Ring);
        const int full = static_cast<int>(Shape::FullyConnected);
        const int star = static_cast<int>(Shape::Switch);
        using List = QVector<QPair<int, int>>;
        QTest::newRow("one NPU") << List{{ring, 1}};
        QTest::newRow("ring of two") << List{{ring, 2}};
        QTest::newRow("odd ring") << List{{ring, 7}};
        QTest::newRow("large ring") << List{{ring, 1001}};
        QTest::newRow("switch") << List{{star, 13}};
        QTest::newRow("clique") << List{{full, 8}};
        QTest::newRow("large clique") << List{{full, 100}};
        QTest::newRow("torus") << List{{ring, 5}, {ring, 4}};
        QTest::newRow("three-dimensional torus") << List{{ring, 4}, {ring, 4}, {ring, 4}};
        QTest::newRow("two-tier pod") << List{{full, 8}, {ring, 4}, {star, 4}};
        QTest::newRow("a dimension of one between") << List{{full, 4}, {ring, 1}, {star, 6}};
        QTest::newRow("cliques of switches") << List{{star, 4}, {full, 9}, {ring, 3}};
    }
    void everyNpuHasItsOwnPlaceInsideTheWhole()
    {
        using List = QVector<QPair<int, int>>;
        QFETCH(List, dimensions);
        std::vector<Dimension> list;
        for (const auto& [shape, size] : dimensions)
            list.push_back(dimension(static_cast<Shape>(shape), size));
        const Platform platform = platformOf(std::move(list));
        const PlatformLayout layout(platform);
        const QRectF whole(QPointF(0, 0), layout.size());
        QSet<QPair<int, int>> places;
        for (NodeId npu = 0; npu < platform.npuCount(); ++npu) {
            const QPointF centre = layout.npuCentre(npu);
            QVERIFY(whole.contains(centre));
            places.insert({qRound(centre.x() / 4), qRound(centre.y() / 4)});
            const auto found = layout.nodeAt(centre, 2);
            QVERIFY(found.has_value());
            QCOMPARE(*found, npu);
        }
        QCOMPARE(places.size(), platform.npuCount());
    }

    void neighboursOnARingAreNeighboursOnThePage()
    {
        for (const int size : {4, 6, 8, 16, 36, 64}) {
            const PlatformLayout layout(platformOf({dimension(Shape::Ring, size)}));
            for (NodeId npu = 0; npu < size; ++npu) {
                const QPointF d = layout.npuCentre(npu) - layout.npuCentre((npu + 1) % size);
                QVERIFY(std::hypot(d.x(), d.y()) < 1.01 * PlatformLayout::kPitch * 2);
            }
        }
    }

    void everyLinkDrawnIsTheLinkBetweenItsEnds()
    {
        // Every line of a leaf group must stand for links whose ends are the NPUs at its ends.
        for (const auto& list : {std::vector<Dimension>{dimension(Shape::Ring, 10)}, std::vector<Dimension>{dimension(Shape::FullyConnected, 8)},
                                 std::vector<Dimension>{dimension(Shape::Ring, 5), dimension(Shape::Ring, 6)}}) {
            const Platform platform = platformOf(list);
            const PlatformLayout layout(platform);
            const CanvasItems items = itemsOf(layout, 1);
            int checked = 0;
            for (const CanvasLayer& layer : items.layers)
                for (const auto& lines : layer.lines)
                    for (const CanvasLine& line : lines) {
                        const auto from = layout.nodeAt(line.line.p1(), 2);
                        const auto to = layout.nodeAt(line.line.p2(), 2);
                        if (!from || !to)
                            continue; // a stub of the torus
                        const LinkInfo forward = platform.linkInfo(line.forward);
                        QCOMPARE(forward.from, *from);
                        QCOMPARE(forward.to, *to);
                        const LinkInfo backward = platform.linkInfo(line.backward);
                        QCOMPARE(backward.from, *to);
                        QCOMPARE(backward.to, *from);
                        ++checked;
                    }
            QVERIFY(checked >= platform.npuCount() - 1);
        }
    }

    void aPodShowsItsDimensionsAsTheyAre()
    {
        // FullyConnected(8) x Ring(4) x Switch(4): 16 cliques of 28 chords, 4 rings of 4 bundles of 8 lines, 4 trunks of 8 lines.
        const PlatformLayout layout(platformOf({dimension(Shape::FullyConnected, 8), dimension(Shape::Ring, 4), dimension(Shape::Switch, 4)}));
        const CanvasItems items = itemsOf(layout, 1);

        std::array<std::size_t, 3> lines{};
        std::size_t pills = 0;
        std::size_t ports = 0;
        for (const CanvasLayer& layer : items.layers) {
            for (std::size_t d = 0; d < layer.lines.size(); ++d)
                lines[d] += layer.lines[d].size();
            pills += layer.pills.size();
            for (const auto& bar : layer.bars)
                ports += bar.ports.size();
        }
        QCOMPARE(items.nodes.size(), std::size_t{128});
        QCOMPARE(lines[0], std::size_t{16 * 28});
        QCOMPARE(lines[1], std::size_t{4 * 4 * 8});
        QCOMPARE(lines[2], std::size_t{4 * 8});
        QCOMPARE(pills, std::size_t{4});
        QCOMPARE(ports, std::size_t{32}); // one switch per place in a pod
    }

    void anOverriddenLinkIsSubtractedFromItsBundle()
    {
        PlatformSpec spec;
        spec.dimensions = {dimension(Shape::FullyConnected, 8), dimension(Shape::Ring, 4), dimension(Shape::Switch, 4)};
        const auto plain = Platform::create(spec);
        spec.linkOverrides.push_back({*plain.value().ringLink(2, 37, RingDirection::Plus), Quantity{12.5, "GB/s", Measure::Bandwidth}, std::nullopt});
        const PlatformLayout layout(Platform::create(spec).value());

        std::vector<CanvasLayer::Pill> pills;
        for (const CanvasLayer& layer : itemsOf(layout, 1).layers)
            pills.insert(pills.end(), layer.pills.begin(), layer.pills.end());

        QCOMPARE(pills.size(), std::size_t{4});
        QCOMPARE(pills[0].links, 32);
        QCOMPARE(pills[0].odd, 0);
        QCOMPARE(pills[1].links, 32);
        QCOMPARE(pills[1].odd, 1); // NPU 37 is in pod 1
    }

    void aLinkToASwitchRunsFromItsNpuToItsPort()
    {
        const Platform platform = platformOf({dimension(Shape::FullyConnected, 8), dimension(Shape::Ring, 4), dimension(Shape::Switch, 4)});
        const PlatformLayout layout(platform);

        const auto route = canvasRoute(layout, {1, {0, 0}}, *platform.ringLink(2, 37, RingDirection::Plus));

        QVERIFY(route.size() >= 3);
        QCOMPARE(route.front(), layout.npuCentre(37));
        QRectF port;
        for (const CanvasLayer& layer : itemsOf(layout, 1).layers)
            for (const auto& bar : layer.bars)
                if (bar.ports.size() == 32)
                    port = bar.ports[5]; // 37 is place 5 of pod 1
        QVERIFY(port.adjusted(-0.5, -0.5, 0.5, 0.5).contains(route.back()));
    }

    void E8_itemsStayUnderTenThousandAtEveryZoom_data()
    {
        QTest::addColumn<QVector<QPair<int, int>>>("dimensions");
        using List = QVector<QPair<int, int>>;
        const int ring = static_cast<int>(Shape::Ring);
        const int full = static_cast<int>(Shape::FullyConnected);
        const int star = static_cast<int>(Shape::Switch);
        QTest::newRow("groups on rings on switches") << List{{full, 8}, {ring, 128}, {star, 1024}};
        QTest::newRow("one torus") << List{{ring, 1024}, {ring, 1024}};
        QTest::newRow("one ring") << List{{ring, 1 << 20}};
        QTest::newRow("switch of cliques") << List{{full, 64}, {star, 16384}};
        QTest::newRow("one switch") << List{{star, 1 << 20}};
        QTest::newRow("just above the limit") << List{{full, 8}, {ring, 8}, {star, 65}};
    }
    void E8_itemsStayUnderTenThousandAtEveryZoom()
    {
        using List = QVector<QPair<int, int>>;
        QFETCH(List, dimensions);
        std::vector<Dimension> list;
        for (const auto& [shape, size] : dimensions)
            list.push_back(dimension(static_cast<Shape>(shape), size));
        const PlatformLayout layout(platformOf(std::move(list)));
        const QRectF view(0, 0, 1600, 1200);
        const double fit = std::min(view.width() / layout.size().width(), view.height() / layout.size().height());
        for (double scale = fit; scale < 4; scale *= 1.3) {
            const QPointF centre(layout.size().width() * 0.37, layout.size().height() * 0.61);
            const CanvasItems items = canvasItems(layout, {scale, view.center() - centre * scale}, view);
            const std::size_t count = withoutLines(items);
            QVERIFY2(count < 10'000, qPrintable(QStringLiteral("%1 items at %2").arg(count).arg(scale)));
            QVERIFY2(items.lineCount() < 60'000, qPrintable(QStringLiteral("%1 lines at %2").arg(items.lineCount()).arg(scale)));
        }
        QVERIFY(withoutLines(canvasItems(layout, {fit, {0, 0}}, view)) > 0);
    }

    void everyNpuUpTo4096IsDrawn()
    {
        for (const auto& list : {std::vector<Dimension>{dimension(Shape::Ring, 64), dimension(Shape::Ring, 64)},
                                 std::vector<Dimension>{dimension(Shape::FullyConnected, 8), dimension(Shape::Ring, 8), dimension(Shape::Switch, 64)}}) {
            const PlatformLayout layout(platformOf(list));
            const double fit = std::min(1600 / layout.size().width(), 1200 / layout.size().height());

            const CanvasItems items = itemsOf(layout, fit);

            QCOMPARE(items.nodes.size(), std::size_t{4096});
        }
    }

    void switchesOfAGraphStandAboveWhatTheyServe()
    {
        PlatformSpec spec;
        for (int i = 0; i < 8; ++i)
            spec.nodes.push_back({std::string("gpu").append(std::to_string(i)), NodeKind::Npu});
        for (int i = 0; i < 3; ++i)
            spec.nodes.push_back({std::string("switch").append(std::to_string(i)), NodeKind::Switch});
        const auto both = [&spec](int a, int b) {
            for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
                spec.links.push_back({from, to, Quantity{50, "GB/s", Measure::Bandwidth}, Quantity{1, "us", Measure::Time}});
        };
        for (int i = 0; i < 8; ++i)
            both(i, 8 + i / 4);
        both(8, 10);
        both(9, 10);
        const PlatformLayout layout(Platform::create(spec).value());

        for (int i = 0; i < 8; ++i)
            QVERIFY(layout.npuCentre(i).y() > layout.npuCentre(8 + i / 4).y());
        QVERIFY(layout.npuCentre(10).y() < layout.npuCentre(8).y());
        QCOMPARE(itemsOf(layout, 1).lineCount(), spec.links.size());
    }
};

FABRICSCOPE_GUI_TEST(PlatformLayoutTest)
#include "tst_platformlayout.moc"
