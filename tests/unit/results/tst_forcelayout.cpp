// Parts put by forces: what the springs and the repulsion say of small pictures, and what is promised of all.
#include "core/draw/forcelayout.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace fabricscope;

namespace {

using SpringLinks = std::vector<std::pair<std::size_t, std::size_t>>;

double partsApart(const PointF& a, const PointF& b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }

} // namespace

class ForceLayoutTest : public QObject
{
    Q_OBJECT
private slots:
    /// Pull d*d/k is push k*k/d at d = k = 112.
    void twoPartsThatAreJoinedRestOneSpringApart()
    {
        for (const double start : {20.0, 300.0}) {
            const std::vector<PointF> places = forceLayout({{0, 0}, {start, 0}}, SpringLinks{{0, 1}});
            QVERIFY2(std::abs(partsApart(places[0], places[1]) - 112) < 2.5, qPrintable(QString::number(partsApart(places[0], places[1])))); // The last step is 2.
            QVERIFY(std::abs(places[0].x() + places[1].x() - start) < 1e-6); // Their middle stays.
        }
    }

    /// Of a ring of four no two stand on one another, all sides are alike, and so are both diagonals.
    void aRingIsDrawnAsOne()
    {
        const std::vector<PointF> p = forceLayout({{0, 0}, {1, 0}, {0, 1}, {2, 2}}, SpringLinks{{0, 1}, {1, 2}, {2, 3}, {3, 0}});
        const double side = partsApart(p[0], p[1]);
        for (const auto& [a, b] : {std::pair{1, 2}, {2, 3}, {3, 0}})
            QVERIFY(std::abs(partsApart(p[static_cast<std::size_t>(a)], p[static_cast<std::size_t>(b)]) - side) < 8);
        QVERIFY(std::abs(partsApart(p[0], p[2]) - partsApart(p[1], p[3])) < 12);
        QVERIFY(partsApart(p[0], p[2]) > 1.3 * side && partsApart(p[0], p[2]) < 1.5 * side);
    }

    void partsOfOnePlaceComeApart()
    {
        const std::vector<PointF> places = forceLayout(std::vector<PointF>(20, PointF(5, 5)), SpringLinks{});
        for (std::size_t i = 0; i < places.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(partsApart(places[i], places[j]) > 48);
        }
    }

    void theSameInputGivesTheSamePlacesAndAStopEndsIt()
    {
        std::mt19937 random(7);
        std::vector<PointF> start;
        SpringLinks links{{3, 3}, {500, 1}}; // No links: left out.
        for (std::size_t i = 0; i < 60; ++i) {
            start.emplace_back(static_cast<double>(random() % 900), static_cast<double>(random() % 900));
            links.emplace_back(i, random() % 60);
        }
        const std::vector<PointF> once = forceLayout(start, links);
        const std::vector<PointF> again = forceLayout(start, links);
        for (std::size_t i = 0; i < start.size(); ++i)
            QVERIFY(partsApart(once[i], again[i]) == 0 && std::isfinite(once[i].x()) && std::isfinite(once[i].y()));
        std::stop_source stop;
        int steps = 0;
        std::vector<PointF> seen;
        const std::vector<PointF> stopped = forceLayout(start, links, stop.get_token(), [&](const std::vector<PointF>& now) {
            seen = now;
            if (++steps == 3)
                stop.request_stop();
        });
        QCOMPARE(steps, 3);
        for (std::size_t i = 0; i < start.size(); ++i)
            QVERIFY(partsApart(stopped[i], seen[i]) == 0);
    }

    void nothingAndOnePartStay()
    {
        QVERIFY(forceLayout({}, SpringLinks{{0, 1}}).empty());
        const std::vector<PointF> one = forceLayout({{3, 4}}, SpringLinks{{0, 0}});
        QVERIFY(partsApart(one[0], {3, 4}) == 0);
    }
};

FABRICSCOPE_TEST(ForceLayoutTest)
#include "tst_forcelayout.moc"
