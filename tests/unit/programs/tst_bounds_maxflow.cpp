#include "core/base/index.h"
#include "core/bounds/maxflow.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>

using namespace fabricscope;

namespace {

struct Arc {
    std::int32_t from;
    std::int32_t to;
    std::int64_t capacity;
};

struct Graph {
    std::int32_t vertices = 0;
    std::vector<Arc> arcs;

    std::int64_t leaving(std::uint32_t set) const
    {
        std::int64_t sum = 0;
        for (const Arc& arc : arcs) {
            if ((set >> arc.from & 1) != 0 && (set >> arc.to & 1) == 0)
                sum += arc.capacity;
        }
        return sum;
    }

    /// By all subsets that hold the source and not the sink.
    std::int64_t narrowestCut(std::int32_t source, std::int32_t sink) const
    {
        std::int64_t least = INT64_MAX;
        for (std::uint32_t set = 0; set < 1U << vertices; ++set) {
            if ((set >> source & 1) != 0 && (set >> sink & 1) == 0)
                least = std::min(least, leaving(set));
        }
        return least;
    }
};

Graph randomGraph(std::mt19937_64& random, std::int64_t scale)
{
    Graph graph;
    graph.vertices = 2 + static_cast<std::int32_t>(random() % 7);
    const std::size_t arcs = random() % (static_cast<std::size_t>(graph.vertices * graph.vertices) + 4);
    const auto any = [&] { return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(graph.vertices)); };
    for (std::size_t i = 0; i < arcs; ++i)
        graph.arcs.push_back({any(), any(), static_cast<std::int64_t>(random() % 12) * scale});
    return graph;
}

template <typename Flow>
MaxFlow<Flow> network(const Graph& graph)
{
    MaxFlow<Flow> flow(graph.vertices);
    for (const Arc& arc : graph.arcs)
        flow.addArc(arc.from, arc.to, arc.capacity);
    return flow;
}

} // namespace

class BoundsMaxFlowTest : public QObject {
    Q_OBJECT

private slots:
    void equalsTheNarrowestCutOfRandomGraphs()
    {
        std::mt19937_64 random(test::seeded(1));
        for (int round = 0; round < test::cases(5000); ++round) {
            const Graph graph = randomGraph(random, 1);
            MaxFlow<std::int64_t> flow = network<std::int64_t>(graph);
            // The same object for several pairs: nothing of one run is left in the next.
            for (std::int32_t sink = 1; sink < std::min(graph.vertices, 3); ++sink) {
                const std::int64_t best = flow.run(0, sink);
                QCOMPARE(best, graph.narrowestCut(0, sink));

                std::uint32_t side = 0;
                for (std::int32_t v = 0; v < graph.vertices; ++v)
                    side |= flow.onSourceSide(v) ? 1U << v : 0U;
                QVERIFY((side & 1) != 0 && (side >> sink & 1) == 0);
                QCOMPARE(graph.leaving(side), best);
            }
        }
    }

    void carriesNoMoreThanTheArcsAndLosesNothing()
    {
        std::mt19937_64 random(test::seeded(2));
        for (int round = 0; round < test::cases(2000); ++round) {
            const Graph graph = randomGraph(random, 1);
            MaxFlow<std::int64_t> flow = network<std::int64_t>(graph);
            const std::int64_t limit = 1 + static_cast<std::int64_t>(random() % 10);
            const std::int64_t total = flow.run(0, 1, limit);
            QCOMPARE(total, std::min(limit, graph.narrowestCut(0, 1)));

            std::vector<std::int64_t> balance(static_cast<std::size_t>(graph.vertices), 0);
            for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
                const std::int64_t carried = flow.flow(static_cast<std::int32_t>(i));
                QVERIFY(carried >= 0 && carried <= graph.arcs[i].capacity);
                balance[at(graph.arcs[i].from)] -= carried;
                balance[at(graph.arcs[i].to)] += carried;
            }
            QCOMPARE(balance[0], -total);
            QCOMPARE(balance[1], total);
            QVERIFY(std::all_of(balance.begin() + 2, balance.end(), [](std::int64_t b) { return b == 0; }));
        }
    }

    void countsBeyondSixtyFourBits()
    {
        std::mt19937_64 random(test::seeded(3));
        for (int round = 0; round < test::cases(500); ++round) {
            const Graph graph = randomGraph(random, 1);
            const WideFlow scale = WideFlow{1} << 90;
            MaxFlow<WideFlow> flow(graph.vertices);
            for (const Arc& arc : graph.arcs)
                flow.addArc(arc.from, arc.to, scale * arc.capacity);
            QVERIFY(flow.run(0, 1) == scale * graph.narrowestCut(0, 1));
        }
    }

    void takesNewCapacities()
    {
        MaxFlow<std::int64_t> flow(4);
        const std::int32_t first = flow.addArc(0, 1, MaxFlow<std::int64_t>::kUnlimited);
        flow.addArc(1, 2, 7);
        const std::int32_t last = flow.addArc(2, 3, 4);
        QCOMPARE(flow.run(0, 3), 4);
        flow.setCapacity(last, 9);
        QCOMPARE(flow.run(0, 3), 7);
        flow.addArc(1, 3, 5);
        QCOMPARE(flow.run(0, 3), 12);
        QCOMPARE(flow.flow(first), 12);
        flow.setCapacity(first, 0);
        QCOMPARE(flow.run(0, 3), 0);
    }

    void endsEarlyWhenAsked()
    {
        std::stop_source source;
        source.request_stop();
        MaxFlow<std::int64_t> flow(2);
        flow.addArc(0, 1, 3);
        QCOMPARE(flow.run(0, 1, 10, source.get_token()), 0);
    }

    void walksLongPathsWithoutRecursion()
    {
        const std::int32_t length = 200'000;
        MaxFlow<std::int64_t> flow(length);
        for (std::int32_t v = 0; v + 1 < length; ++v)
            flow.addArc(v, v + 1, 3 + v % 5);
        QCOMPARE(flow.run(0, length - 1), 3);
    }
};

FABRICSCOPE_TEST(BoundsMaxFlowTest)
#include "tst_bounds_maxflow.moc"
