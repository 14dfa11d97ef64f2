#include "core/base/index.h"
#include "core/generate/generate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using enum CollectiveOp;

constexpr std::int64_t kLatency = 500'000;  ///< Of a link, ps.
constexpr std::int64_t kPsPerByte = 10;     ///< 100 GB/s: no duration is rounded.
constexpr std::int64_t kBytes = 80'640;     ///< 2^8 * 3^2 * 5 * 7: divides evenly by all that is used.

/// "FullyConnected(8)" with the rate and latency above.
PlatformSpec evenPlatform(const std::string& topology, std::size_t dimensions)
{
    PlatformSpec spec = astraPlatform(topology, std::vector<double>(dimensions, 1), std::vector<double>(dimensions, 1));
    for (Dimension& dimension : spec.dimensions) {
        dimension.bandwidth = {1e12 / static_cast<double>(kPsPerByte), "B/s", Measure::Bandwidth};
        dimension.latency = {static_cast<double>(kLatency), "ps", Measure::Time};
    }
    return spec;
}

std::int64_t finishOf(PlatformSpec platform, const ProgramPtr& program, std::int64_t bytes, Model model)
{
    LinksScenario scenario(std::move(platform));
    scenario.model = model;
    const std::vector<std::int32_t> axes = program->isTemplate() ? program->asTemplate().axes : std::vector<std::int32_t>{program->ranks};
    for (std::int32_t rank = 0; rank < program->ranks; ++rank)
        scenario.collective(rank, 0, bytes, program, axes);
    const LinksRun run = runLinks(scenario.build());
    return run.record.complete ? run.record.finish.ps : -1;
}

GenerateRequest requestOf(std::string key, CollectiveOp op, std::vector<std::int32_t> axes, std::int32_t chunks = 1, std::int32_t radix = 2, std::int32_t rings = 0)
{
    GenerateRequest request;
    request.algorithm = std::move(key);
    request.op = op;
    request.axes = std::move(axes);
    request.chunks = chunks;
    request.radix = radix;
    request.rings = rings;
    return request;
}

std::int32_t productOf(const std::vector<std::int32_t>& axes)
{
    std::int32_t product = 1;
    for (const std::int32_t extent : axes)
        product *= extent;
    return product;
}

/// A program and its closed form as multiples: `alphas` of the latency of a message (L on the clique, 2 L on the switch) and `share` of the
/// time of the whole vector on a link.
struct Form {
    GenerateRequest request;
    double cliqueAlphas;
    double cliqueShare;
    double switchAlphas;
    double switchShare;
};

Form same(GenerateRequest request, double alphas, double share)
{
    return {std::move(request), alphas, share, alphas, share};
}

/// The closed forms. p ranks, y = M/p. What differs from the textbook: a message pays its latency once however long it is queued, and the
/// next may leave when it has left; so pipelines pay K - 1 times the bytes of a chunk, not K - 1 times alpha too; and on the switch several
/// messages of one rank share its link, each behind the other (offsets hold as long as alpha is longer than those before, which these sizes keep).
std::vector<Form> forms()
{
    std::vector<Form> list;
    const auto add = [&list](Form form) { list.push_back(std::move(form)); };
    // R1: every step one message of y. Both halves of an all-reduce.
    add(same(requestOf("ring", AllReduce, {8}), 14, 14.0 / 8));
    add(same(requestOf("ring", AllReduce, {7}), 12, 12.0 / 7));
    add(same(requestOf("ring", ReduceScatter, {8}), 7, 7.0 / 8));
    add(same(requestOf("ring", AllGather, {5}), 4, 4.0 / 5));
    // R2 halves: y/2 each way; on the switch the second way is y/2 behind.
    add({requestOf("bidirectional_ring", AllReduce, {8}), 14, 14.0 / 16, 14, 15.0 / 16});
    // R2 whole: ceil((p-1)/2) steps; on the switch an odd number has both ways in the last step.
    add(same(requestOf("bidirectional_ring_whole", AllGather, {8}), 4, 4.0 / 8));
    add({requestOf("bidirectional_ring_whole", AllGather, {7}), 3, 3.0 / 7, 3, 4.0 / 7});
    add({requestOf("bidirectional_ring_whole", ReduceScatter, {7}), 3, 3.0 / 7, 3, 4.0 / 7});
    // R3 several rings: R parts on links of their own; on the switch R - 1 parts behind each other.
    add({requestOf("multi_ring", AllReduce, {5}, 1, 2, 4), 8, 8.0 / 20, 8, 11.0 / 20});
    add({requestOf("multi_ring", AllGather, {8}, 1, 2, 2), 7, 7.0 / 16, 7, 8.0 / 16});
    // R3 on the torus written as a clique: 2q = 4 rings.
    add({requestOf("hamiltonian_rings", AllGather, {3, 3}), 8, 8.0 / 36, 8, 11.0 / 36});
    // T4: two phases; the p - 1 messages of a rank have links of their own, or share one.
    add({requestOf("direct", AllReduce, {8}), 2, 2.0 / 8, 2, 14.0 / 8});
    add({requestOf("direct", ReduceScatter, {6}), 1, 1.0 / 6, 1, 5.0 / 6});
    add({requestOf("direct", AllToAll, {8}), 1, 1.0 / 8, 1, 7.0 / 8});
    add({requestOf("direct_one_phase", AllReduce, {6}), 1, 1, 1, 5});
    // L2; folding 6 ranks: H to the partner, halves of 3 blocks, then 1 block to the peer and 1 back to the extra (behind it on the switch).
    add(same(requestOf("halving_doubling", AllReduce, {8}), 6, 14.0 / 8));
    add(same(requestOf("halving_doubling", AllGather, {16}), 4, 15.0 / 16));
    add({requestOf("halving_doubling", ReduceScatter, {6}), 3, 10.0 / 6, 3, 11.0 / 6});
    // L1, L3.
    add(same(requestOf("recursive_doubling", AllReduce, {8}), 3, 3));
    add(same(requestOf("recursive_doubling", AllReduce, {2}), 1, 1));
    add(same(requestOf("recursive_doubling", AllGather, {16}), 4, 15.0 / 16));
    // L4; with 6 ranks the second and third message leave together. Radix 3: two messages a round.
    add(same(requestOf("bruck", AllGather, {8}), 3, 7.0 / 8));
    add(same(requestOf("bruck", AllGather, {7}), 3, 6.0 / 7));
    add({requestOf("bruck", AllGather, {6}), 2, 3.0 / 6, 2, 5.0 / 6});
    add({requestOf("bruck", AllGather, {9}, 1, 3), 2, 4.0 / 9, 2, 8.0 / 9});
    // L5.
    add(same(requestOf("bruck", AllToAll, {8}), 3, 12.0 / 8));
    add({requestOf("bruck", AllToAll, {9}, 1, 3), 2, 6.0 / 9, 2, 12.0 / 9});
    // T1: the k - 1 messages of a round on links of their own, or on one.
    for (const CollectiveOp op : {Broadcast, Reduce}) {
        add(same(requestOf("k_nomial", op, {8}), 3, 3));
        add({requestOf("k_nomial", op, {9}, 1, 3), 2, 2, 2, 4});
    }
    add({requestOf("k_nomial", Broadcast, {6}), 2, 2, 2, 3});
    for (const CollectiveOp op : {Gather, Scatter}) {
        add(same(requestOf("k_nomial", op, {8}), 3, 7.0 / 8));
        add({requestOf("k_nomial", op, {9}, 1, 3), 2, 4.0 / 9, 2, 8.0 / 9});
    }
    // T2: p - 1 hops, K - 1 chunks behind; the binary tree sends every chunk twice, on one link or two.
    for (const CollectiveOp op : {Broadcast, Reduce}) {
        add(same(requestOf("chain", op, {8}, 1), 7, 7));
        add(same(requestOf("chain", op, {8}, 4), 7, 10.0 / 4));
        add({requestOf("binary_tree", op, {7}, 1), 2, 2, 2, 4});
        add({requestOf("binary_tree", op, {15}, 4), 3, 6.0 / 4, 3, 12.0 / 4});
    }
    // van de Geijn on 4 ranks: 3 hops round; 4 blocks through the last link, 6 out of the root's port.
    add({requestOf("scatter_allgather", Broadcast, {4}), 3, 4.0 / 4, 3, 6.0 / 4});
    // T6 with direct nodes of 4 and a ring of 2; H2.
    add({requestOf("hierarchical", AllReduce, {4, 2}), 4, 2 * (1.0 / 4 + 1.0 / 8), 4, 2 * (3.0 / 4 + 1.0 / 8)});
    add(same(requestOf("blueconnect", AllReduce, {3, 2, 2}), 2 * 4.0, 2 * (2.0 / 3 + 1.0 / 6 + 1.0 / 12)));
    add(same(requestOf("blueconnect", AllReduce, {12}), 2 * 4.0, 2 * (1.0 / 2 + 1.0 / 4 + 2.0 / 12)));
    // H4: parts of M/4 (M/2), behind each other on the switch by the first of the messages.
    add({requestOf("torus_bucket", AllReduce, {3, 3}), 8, 2 * (2.0 / 12 + 2.0 / 36), 8, 2 * (2.0 / 12 + 2.0 / 36) + 3.0 / 12});
    add({requestOf("torus_bucket_one_way", AllReduce, {3, 3}), 8, 2 * (2.0 / 6 + 2.0 / 18), 8, 2 * (2.0 / 6 + 2.0 / 18) + 1.0 / 6});
    // L6: as L2 and L1 where nothing is shared. Mirrored: M/2 each way; on the switch the second is its first message, M/4, behind.
    add(same(requestOf("swing", AllReduce, {8}), 6, 14.0 / 8));
    add(same(requestOf("swing", ReduceScatter, {4, 4}), 4, 15.0 / 16));
    add(same(requestOf("swing_latency", AllReduce, {8}), 3, 3));
    add({requestOf("swing_mirrored", AllReduce, {8}), 6, 7.0 / 8, 6, 7.0 / 8 + 1.0 / 4});
    // 4b, G x N = 4 x 2. Two steps, clique: N - 1 blocks, then G. Switch: p - 1 blocks out of one port.
    add({requestOf("two_step", AllToAll, {4, 2}), 2, 5.0 / 8, 2, 7.0 / 8});
    // Three steps, 2 x 2: G, G * G and G blocks.
    add(same(requestOf("three_step", AllToAll, {2, 2}), 3, 8.0 / 4));
    // To next, 4 x 2: three messages of M/G on links of their own. One port: a part waits for the whole message its carrier gets from its
    // neighbour (G + 1 parts), crosses (1), and G - 2 such parts come home behind each other after the first: 2 G of them.
    add({requestOf("alltonext", Custom, {4, 2}), 3, 3.0 / 4, 3, 8.0 / 4});
    return list;
}

} // namespace

class GenerateTimesTest : public QObject {
    Q_OBJECT

private slots:
    void closedForms_data()
    {
        QTest::addColumn<int>("form");
        QTest::addColumn<bool>("onSwitch");
        const std::vector<Form> list = forms();
        for (std::size_t i = 0; i < list.size(); ++i) {
            const GenerateRequest& request = list[i].request;
            for (const bool onSwitch : {false, true})
                QTest::addRow("%s %s %d x%d on %s", request.algorithm.c_str(), std::string(collectiveKey(request.op)).c_str(), productOf(request.axes), request.chunks,
                              onSwitch ? "switch" : "clique")
                    << static_cast<int>(i) << onSwitch;
        }
    }
    /// To the picosecond: sizes divide, and no duration is rounded. Endpoint delay 0, reducers without limit.
    void closedForms()
    {
        QFETCH(int, form);
        QFETCH(bool, onSwitch);
        const Form entry = forms()[at(form)];
        const auto program = generateProgram(entry.request);
        QVERIFY2(program, program ? "" : program.error().text().c_str());
        const double alphas = onSwitch ? 2 * entry.switchAlphas : entry.cliqueAlphas;
        const double share = onSwitch ? entry.switchShare : entry.cliqueShare;
        const std::string topology = (onSwitch ? "Switch(" : "FullyConnected(") + std::to_string(productOf(entry.request.axes)) + ")";

        const std::int64_t finish = finishOf(evenPlatform(topology, 1), program.value(), kBytes, Model::Links);

        const double expected = alphas * static_cast<double>(kLatency) + share * static_cast<double>(kBytes * kPsPerByte);
        QCOMPARE(finish, static_cast<std::int64_t>(std::llround(expected)));
    }

    /// T3 on the clique: up and down the deepest path, half of the vector a message.
    void doubleTreeOnTheClique()
    {
        for (const int ranks : {2, 4, 8, 16}) {
            const auto program = generateProgram(requestOf("double_binary_tree", AllReduce, {ranks}));
            const auto depth = static_cast<std::int64_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));

            const std::int64_t finish = finishOf(evenPlatform("FullyConnected(" + std::to_string(ranks) + ")", 1), program.value(), kBytes, Model::Links);

            QCOMPARE(finish, 2 * depth * (kLatency + kBytes / 2 * kPsPerByte));
        }
    }

    /// T3 on the switch, p = 2^m ranks, h half of the vector, a = 2 L: every rank is inside one tree and a leaf of the other. Up, a rank has the halves of its
    /// two children behind each other on its port, m - 1 times, and the root that of its one child: (m - 1) (a + 2 h) + a + h. Down the same, to the
    /// second child each time: 2 m a + (4 m - 2) h. Where a >= 4 m h the hops of the trees keep clear of each other: a rank passes its part of
    /// one tree on at another hop than it gets that of the other.
    void doubleTreeOnTheSwitch()
    {
        for (const int m : {1, 2, 3, 4, 5}) {
            const int ranks = 1 << m;
            const auto program = generateProgram(requestOf("double_binary_tree", AllReduce, {ranks}));
            for (const std::int64_t bytes : {2, 640, 9'600}) {
                const std::int64_t half = bytes / 2 * kPsPerByte;
                QVERIFY(2 * kLatency >= 4 * m * half);

                const std::int64_t finish = finishOf(evenPlatform("Switch(" + std::to_string(ranks) + ")", 1), program.value(), bytes, Model::Links);

                QCOMPARE(finish, 2 * m * 2 * kLatency + (4 * m - 2) * half);
            }
        }
    }

    /// The bandwidth bound of a torus: all links work in Hamiltonian rings and in buckets.
    void toriOnTheirOwnLinks()
    {
        const std::int64_t whole = kBytes * kPsPerByte;
        const auto rings = generateProgram(requestOf("hamiltonian_rings", AllReduce, {3, 3}));
        const auto buckets = generateProgram(requestOf("torus_bucket", AllReduce, {3, 3}));

        QCOMPARE(finishOf(evenPlatform("Ring(3)_Ring(3)", 2), rings.value(), kBytes, Model::Links), 16 * kLatency + 16 * whole / 36);
        QCOMPARE(finishOf(evenPlatform("Ring(3)_Ring(3)", 2), buckets.value(), kBytes, Model::Links), 8 * kLatency + 2 * (2 * whole / 12 + 2 * whole / 36));
    }

    /// Three ranks by halving-doubling on a switch, 2 the extra of 0; H the time of the vector on a link, a = 2 L of a message.
    /// Reduce-scatter: down to 0 come H from 2, then 2 H / 3 from 1: a + H and a + 5 H / 3. Block 1 leaves 0 at the first of these, block 2 at the
    /// second: 1 has its block at 2 a + 4 H / 3, 2 at 2 a + 2 H. All-gather: 0 gets block 1 at 3 a + 5 H / 3 and block 2 at 3 a + 7 H / 3. Blocks 0 and 2
    /// to 1 leave then, and behind them 0 and 1 to the extra: not before, though all they carry was there (2 H / 3 less in all).
    /// The end: 4 a + 7 H / 3 + 4 H / 3.
    void theExtraWaitsForItsOwnBlock()
    {
        auto program = std::make_shared<Program>();
        program->op = AllReduce;
        program->ranks = 3;
        program->chunks = 1;
        TemplateBody body;
        body.axes = {3};
        body.phases = {{PhaseKind::ReduceScatter, Algorithm::HalvingDoubling, 0}, {PhaseKind::AllGather, Algorithm::HalvingDoubling, 0}};
        program->body = body;
        const std::int64_t whole = kBytes * kPsPerByte;
        const std::int64_t expected = 8 * kLatency + 11 * whole / 3;
        QCOMPARE(finishOf(evenPlatform("Switch(3)", 1), program, kBytes, Model::Links), expected);
        QCOMPARE(finishOf(evenPlatform("Switch(3)", 1), expandTemplate(program).value(), kBytes, Model::Links), expected);
    }

    /// Random templates of any kind: written out they take exactly as long.
    void writtenOutTheyTakeAsLong()
    {
        std::mt19937_64 random(seeded(5));
        const auto draw = [&random](int first, int last) { return first + static_cast<int>(random() % static_cast<std::uint64_t>(last - first + 1)); };
        for (int round = 0; round < cases(300); ++round) {
            std::vector<std::int32_t> axes;
            std::string topology;
            const int count = draw(1, 3);
            for (int i = 0; i < count; ++i) {
                const int extent = draw(2, count == 1 ? 13 : 5);
                axes.push_back(extent);
                topology += (i > 0 ? "_" : "") + std::string(draw(0, 2) == 0 ? "Ring(" : (draw(0, 1) ? "Switch(" : "FullyConnected(")) + std::to_string(extent) + ")";
            }
            auto program = std::make_shared<Program>();
            program->op = std::vector{AllReduce, ReduceScatter, AllGather, AllToAll, Broadcast}[at(draw(0, 4))];
            program->ranks = productOf(axes);
            program->chunks = draw(1, 4);
            TemplateBody body;
            body.axes = axes;
            const auto phasesOf = [&](bool minus) {
                std::vector<PhaseTemplate> phases;
                std::vector<std::int32_t> order;
                for (int axis = 0; axis < count; ++axis)
                    order.push_back(axis);
                if (program->op != AllToAll && program->op != Broadcast)
                    std::shuffle(order.begin(), order.end(), random);
                const auto algorithm = [&] { return std::vector{Algorithm::Ring, Algorithm::Direct, Algorithm::HalvingDoubling}[at(draw(0, program->op == AllToAll || program->op == Broadcast ? 1 : 2))]; };
                const bool tree = program->op == AllReduce && body.phases.empty() && body.orders.empty() && program->chunks % 2 == 1 && draw(0, 1) == 0;
                const auto add = [&](PhaseKind kind, std::int32_t axis) {
                    const Algorithm chosen = kind == PhaseKind::AllReduce ? Algorithm::DoubleBinaryTree : algorithm();
                    const bool windowed = chosen == Algorithm::Direct && kind != PhaseKind::Broadcast && draw(0, 3) == 0;
                    phases.push_back({kind, chosen, axis, windowed ? draw(1, 3) : 0, minus && chosen == Algorithm::Ring});
                };
                if (program->op == AllToAll || program->op == ReduceScatter || program->op == AllReduce) {
                    for (const std::int32_t axis : order)
                        add(tree && axis == order.back() ? PhaseKind::AllReduce : (program->op == AllToAll ? PhaseKind::AllToAll : PhaseKind::ReduceScatter), axis);
                }
                for (std::size_t i = order.size(); i-- > 0;) {
                    if (program->op == Broadcast)
                        add(PhaseKind::Broadcast, order[i]);
                    else if (program->op == AllGather || (program->op == AllReduce && !(tree && i + 1 == order.size())))
                        add(PhaseKind::AllGather, order[i]);
                }
                return phases;
            };
            body.phases = phasesOf(false);
            const bool tree = std::any_of(body.phases.begin(), body.phases.end(), [](const PhaseTemplate& phase) { return phase.kind == PhaseKind::AllReduce; });
            if (program->chunks > 1 && !tree && program->op != AllToAll && program->op != Broadcast && draw(0, 1)) {
                body.orders.push_back(phasesOf(true));
                for (int chunk = 0; chunk < program->chunks; ++chunk)
                    body.orderOfChunk.push_back(static_cast<std::uint16_t>(chunk % 2));
            }
            std::int64_t weights = program->chunks;
            if (program->chunks > 1 && program->op == AllReduce && draw(0, 2) == 0) { // Else a message may be written block by block.
                weights = 0;
                for (int chunk = 0; chunk < program->chunks; ++chunk) {
                    body.chunkWeights.push_back(draw(1, 4));
                    weights += body.chunkWeights.back();
                }
            }
            program->body = body;
            const auto written = expandTemplate(program);
            QVERIFY2(written, written ? "" : written.error().text().c_str());
            const std::int64_t bytes = 2 * weights * program->ranks * draw(1, 5000);
            for (const Model model : {Model::Links, Model::Ideal}) {
                const PlatformSpec platform = evenPlatform(topology, static_cast<std::size_t>(count));

                const std::int64_t ofTemplate = finishOf(platform, program, bytes, model);
                const std::int64_t ofExplicit = finishOf(platform, written.value(), bytes, model);

                std::string phases;
                for (const PhaseTemplate& phase : body.phases)
                    phases += " " + std::string(phaseKey(phase.kind)) + ":" + std::string(algorithmKey(phase.algorithm)) + "@" + std::to_string(phase.axis) + "w" + std::to_string(phase.window);
                QVERIFY2(ofTemplate == ofExplicit,
                         qPrintable(QString("round %1, %2 %3, %4 chunks, %5 bytes:%6: %7 written out %8")
                                        .arg(round)
                                        .arg(QString::fromStdString(topology), QString::fromStdString(std::string(collectiveKey(program->op))))
                                        .arg(program->chunks)
                                        .arg(bytes)
                                        .arg(QString::fromStdString(phases))
                                        .arg(ofTemplate)
                                        .arg(ofExplicit)));
            }
        }
    }
};

FABRICSCOPE_TEST(GenerateTimesTest)
#include "tst_generate_times.moc"
