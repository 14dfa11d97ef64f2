#include "core/base/index.h"
#include "core/generate/generate.h"
#include "core/generate/hamiltonian.h"
#include "core/generate/swing.h"
#include "core/program/operationbytes.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"
#include "tests/unit/support/verified.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using enum CollectiveOp;

GenerateRequest requestOf(std::string key, CollectiveOp op, std::vector<std::int32_t> axes, std::int32_t chunks = 1, std::int32_t radix = 2)
{
    GenerateRequest request;
    request.algorithm = std::move(key);
    request.op = op;
    request.axes = std::move(axes);
    request.chunks = chunks;
    request.radix = radix;
    return request;
}

ProgramPtr explicitOf(const GenerateRequest& request)
{
    auto program = generateProgram(request);
    if (!program)
        return nullptr;
    auto written = expandTemplate(program.value());
    return written ? written.value() : nullptr;
}

std::int32_t productOf(const std::vector<std::int32_t>& axes)
{
    return std::accumulate(axes.begin(), axes.end(), 1, std::multiplies<>());
}

/// Loads of the links of a bidirectional ring in one step, every rank sending one message the shorter way (antipodal: up).
int heaviestLink(const generate::SwingPeers& peers, int ranks, int step)
{
    std::map<std::pair<int, int>, int> load; // (link, direction)
    for (int rank = 0; rank < ranks; ++rank) {
        const int ahead = (peers.peer(rank, step) - rank + ranks) % ranks;
        const bool up = 2 * ahead <= ranks;
        for (int hop = 0; hop < (up ? ahead : ranks - ahead); ++hop)
            ++load[{(up ? rank + hop : rank - hop + ranks) % ranks, up ? 1 : -1}];
    }
    int most = 0;
    for (const auto& [link, count] : load)
        most = std::max(most, count);
    return most;
}

/// Do the cycles visit every rank once along edges of the torus, and use every edge of it once together?
QString problemOfCycles(const std::vector<std::int32_t>& axes)
{
    const auto cycles = generate::hamiltonianCycles(axes);
    if (cycles.size() != axes.size())
        return "not as many cycles as axes";
    const int ranks = productOf(axes);
    std::set<std::pair<int, int>> edges;
    for (const auto& cycle : cycles) {
        std::set<int> visited(cycle.begin(), cycle.end());
        if (static_cast<int>(cycle.size()) != ranks || static_cast<int>(visited.size()) != ranks)
            return "a cycle does not visit every rank once";
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            const int a = cycle[i];
            const int b = cycle[(i + 1) % cycle.size()];
            int differing = 0;
            int stride = 1;
            for (const int extent : axes) {
                const int distance = std::abs(a / stride % extent - b / stride % extent);
                if (distance != 0)
                    differing += distance == 1 || distance == extent - 1 ? 1 : 2;
                stride *= extent;
            }
            if (differing != 1)
                return "a step of a cycle is no edge";
            if (!edges.emplace(std::min(a, b), std::max(a, b)).second)
                return "an edge is used twice";
        }
    }
    return static_cast<int>(edges.size()) == ranks * static_cast<int>(axes.size()) ? QString() : "an edge is not used";
}

} // namespace

class GenerateStructureTest : public QObject {
    Q_OBJECT

private slots:
    void volumes_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<int>("op");
        QTest::addColumn<QList<int>>("axes");
        QTest::addColumn<int>("transfers");
        QTest::addColumn<int>("sent"); ///< Bytes every rank sends, in units of M / p.
        const auto row = [](const char* key, CollectiveOp op, const QList<int>& axes, int transfers, int sent) {
            QTest::addRow("%s %s %d", key, std::string(collectiveKey(op)).c_str(), std::accumulate(axes.begin(), axes.end(), 1, std::multiplies<>()))
                << QString(key) << static_cast<int>(op) << axes << transfers << sent;
        };
        // manual: synthesis 1: reduce-scatter and all-gather p - 1 parts, all-reduce twice that, all-to-all p - 1.
        row("ring", AllReduce, {7}, 7 * 12, 12);
        row("ring", ReduceScatter, {8}, 8 * 7, 7);
        row("bidirectional_ring", AllReduce, {6}, 2 * 6 * 10, 10);
        row("bidirectional_ring_whole", AllGather, {8}, 8 * 7, 7);
        row("bidirectional_ring_whole", AllReduce, {9}, 9 * 16, 16);
        row("multi_ring", AllReduce, {5}, 4 * 5 * 8, 8);
        row("hamiltonian_rings", AllGather, {3, 4}, 4 * 12 * 11, 11);
        row("direct", AllReduce, {8}, 8 * 14, 14);
        row("direct", AllToAll, {8}, 8 * 7, 7);
        row("direct_one_phase", AllReduce, {5}, 5 * 4, 4 * 5);
        row("halving_doubling", AllReduce, {16}, 16 * 8, 30);
        row("recursive_doubling", AllGather, {16}, 16 * 4, 15);
        row("recursive_doubling", AllReduce, {8}, 8 * 3, 3 * 8);
        row("bruck", AllGather, {7}, 7 * 3, 6);
        row("bruck", AllToAll, {8}, 8 * 3, 3 * 4);
        row("blueconnect", AllReduce, {2, 3, 4}, 24 * 2 * (1 + 2 + 3), 46);
        row("torus_bucket", AllReduce, {3, 4}, 4 * 12 * 2 * (2 + 3), 22);
        row("swing", AllReduce, {4, 8}, 32 * 2 * 5, 62);
        row("swing_mirrored", ReduceScatter, {4, 4}, 4 * 16 * 4, 15);
        row("hierarchical", AllReduce, {4, 3}, 12 * 2 * (3 + 2), 22);
    }
    /// As many transfers as the definition has messages, and as many bytes from every rank as the volume says.
    void volumes()
    {
        QFETCH(QString, key);
        QFETCH(int, op);
        QFETCH(QList<int>, axes);
        QFETCH(int, transfers);
        QFETCH(int, sent);
        const ProgramPtr program = explicitOf(requestOf(key.toStdString(), static_cast<CollectiveOp>(op), {axes.begin(), axes.end()}));
        QVERIFY(program);
        const ExplicitBody& body = program->asExplicit();
        constexpr std::int64_t kPart = 5040;
        const OperationBytes bytes(*program, kPart * program->ranks);
        int count = 0;
        for (std::size_t rank = 0; rank + 1 < body.rankBegin.size(); ++rank) {
            std::int64_t sum = 0;
            for (std::uint32_t i = body.rankBegin[rank]; i < body.rankBegin[rank + 1]; ++i) {
                if (body.kind[i] == OpKind::Send) {
                    sum += bytes.of(i);
                    ++count;
                }
            }
            QCOMPARE(sum, kPart * sent);
        }
        QCOMPARE(count, transfers);
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<int>("op");
        QTest::addColumn<QList<int>>("axes");
        QTest::addColumn<QString>("field");
        const auto row = [](const char* key, CollectiveOp op, const QList<int>& axes, const char* field) {
            QTest::addRow("%s %s", key, field) << QString(key) << static_cast<int>(op) << axes << QString(field);
        };
        row("no_such", AllReduce, {8}, "algorithm");
        row("ring", Gather, {8}, "op");
        row("ring", AllReduce, {1, 1}, "axes");
        row("ring", AllReduce, {}, "axes");
        row("ring", AllReduce, {4, -1}, "axes");
        row("ring", AllReduce, {65536, 65536}, "axes");
        row("recursive_doubling", AllReduce, {12}, "axes");
        row("swing", AllReduce, {4, 6}, "axes");
        row("hamiltonian_rings", AllReduce, {16}, "axes");
        row("hamiltonian_rings", AllReduce, {4, 2}, "axes");
        row("hierarchical", AllReduce, {2, 2, 2}, "axes");
        row("blueconnect", AllReduce, {7}, "axes");
        row("torus_bucket", AllReduce, {8}, "axes");
        row("two_step", AllToAll, {8}, "axes");
        row("alltonext", Custom, {2, 2, 2}, "axes");
        row("recursive_doubling", AllReduce, {1 << 20}, "axes"); // Too many transfers.
    }
    void refusals()
    {
        QFETCH(QString, key);
        QFETCH(int, op);
        QFETCH(QList<int>, axes);
        QFETCH(QString, field);
        const auto program = generateProgram(requestOf(key.toStdString(), static_cast<CollectiveOp>(op), {axes.begin(), axes.end()}));

        QVERIFY(!program);
        QCOMPARE(QString::fromStdString(program.error().place.field), field);
        QVERIFY(!program.error().message.empty() && !program.error().expected.empty());
    }
    void refusesNumbersOutOfRange()
    {
        const GenerateRequest good = requestOf("k_nomial", Broadcast, {8});
        QVERIFY(checkGenerate(good));
        const auto fieldOf = [](const GenerateRequest& request) { return QString::fromStdString(checkGenerate(request).error().place.field); };
        GenerateRequest request = good;
        request.chunks = 0;
        QCOMPARE(fieldOf(request), "chunks");
        request = good;
        request.root = 8;
        QCOMPARE(fieldOf(request), "root");
        request = good;
        request.radix = 1;
        QCOMPARE(fieldOf(request), "radix");
        request.radix = 9;
        QCOMPARE(fieldOf(request), "radix");
        request = requestOf("multi_ring", AllReduce, {8});
        request.rings = 5;
        QCOMPARE(fieldOf(request), "rings");
        request = requestOf("direct", Broadcast, {8});
        request.root = 1;
        QCOMPARE(fieldOf(request), "root");
        request = requestOf("hierarchical", AllReduce, {4, 2});
        request.axisAlgorithms = {Algorithm::Ring};
        QCOMPARE(fieldOf(request), "axisAlgorithms");
        request.axisAlgorithms = {Algorithm::DoubleBinaryTree, Algorithm::Ring};
        QCOMPARE(fieldOf(request), "axisAlgorithms");
    }
    void refusesWhatCannotBeWrittenOut()
    {
        auto program = std::make_shared<Program>(*generateProgram(requestOf("ring", AllReduce, {4}, 4)).value());
        program->window = 2;
        QCOMPARE(expandTemplate(program).error().code, ErrorCode::Unsupported);
        QVERIFY(!expandTemplate(generateProgram(requestOf("in_network", AllReduce, {4, 4})).value()));
        QVERIFY(!expandTemplate(generateProgram(requestOf("ring", AllReduce, {65536})).value()));
    }

    void templatesCostNothingAtManyRanks()
    {
        for (const char* key : {"ring", "direct", "halving_doubling", "double_binary_tree", "bidirectional_ring", "in_network"})
            QVERIFY(generateProgram(requestOf(key, AllReduce, {65536})).value()->isTemplate());
        for (const char* key : {"torus_bucket", "blueconnect", "hierarchical"})
            QVERIFY(generateProgram(requestOf(key, AllReduce, {256, 256})).value()->isTemplate());
    }

    /// Every lane has one peer to send to or to receive from, on one connection: what MSCCL XML asks for.
    void lanesHaveOnePeer()
    {
        for (const GeneratorInfo& info : generators()) {
            for (const std::vector<std::int32_t>& axes : {std::vector<std::int32_t>{8}, {4, 4}}) {
                const auto program = generateProgram(requestOf(std::string(info.key), info.ops.front(), axes));
                if (!program || program.value()->isTemplate())
                    continue;
                const ExplicitBody& body = program.value()->asExplicit();
                for (std::size_t rank = 0; rank + 1 < body.rankBegin.size(); ++rank) {
                    std::map<int, std::set<std::tuple<int, int, bool>>> uses;
                    std::map<std::tuple<int, int, bool>, std::set<int>> lanes;
                    for (std::uint32_t i = body.rankBegin[rank]; i < body.rankBegin[rank + 1]; ++i) {
                        QVERIFY(body.lane[i] >= 0);
                        if (body.peer[i] < 0)
                            continue;
                        const std::tuple use{body.peer[i], body.connection[i], body.kind[i] == OpKind::Send};
                        uses[body.lane[i]].insert(use);
                        lanes[use].insert(body.lane[i]);
                    }
                    for (const auto& [lane, of] : uses)
                        QVERIFY(of.size() == 1);
                    for (const auto& [use, of] : lanes)
                        QVERIFY(of.size() == 1);
                }
            }
        }
    }

    void swingPeersExchange()
    {
        for (const std::vector<std::int32_t>& axes : {std::vector<std::int32_t>{64}, {8, 4}, {2, 4, 16}}) {
            for (const bool mirrored : {false, true}) {
                const generate::SwingPeers peers(axes, 0, mirrored);
                for (int rank = 0; rank < productOf(axes); ++rank) {
                    for (int step = 0; step < peers.steps(); ++step) {
                        QVERIFY(peers.peer(rank, step) != rank);
                        QCOMPARE(peers.peer(peers.peer(rank, step), step), rank);
                    }
                }
            }
        }
    }
    /// Most messages on one link of a ring of 32, by step (manual: collectives 4.4).
    void swingLoadsARingLess()
    {
        const generate::SwingPeers peers({32});
        const std::vector<int> expected{1, 1, 2, 3, 6};
        for (int step = 0; step < 5; ++step)
            QCOMPARE(heaviestLink(peers, 32, step), expected[at(step)]);
    }

    void hamiltonianCyclesShareNoEdge()
    {
        for (int k = 3; k <= 12; ++k)
            QCOMPARE(problemOfCycles({k, k}), QString());
        for (int a = 3; a <= 12; ++a) {
            for (int b = 3; b <= 12; ++b)
                QVERIFY2(problemOfCycles({a, b}).isEmpty(), qPrintable(QString("%1 x %2: %3").arg(a).arg(b).arg(problemOfCycles({a, b}))));
        }
        for (const std::vector<std::int32_t>& axes : {std::vector<std::int32_t>{3, 3, 3}, {4, 4, 4}, {3, 4, 5}, {8, 8, 8}, {3, 3, 3, 3}, {5, 3, 6}, {32, 3}, {32, 24}})
            QVERIFY2(problemOfCycles(axes).isEmpty(), qPrintable(problemOfCycles(axes) + QString(" %1").arg(productOf(axes))));
    }

    void verifierAgrees_data()
    {
        QTest::addColumn<QString>("key");
        for (const GeneratorInfo& info : generators())
            QTest::newRow(std::string(info.key).c_str()) << QString::fromStdString(std::string(info.key));
    }
    /// No finding, races included, and no deadlock with one slot.
    void verifierAgrees()
    {
        QFETCH(QString, key);
        const GeneratorInfo* const info = findGenerator(key.toStdString());
        std::mt19937_64 random(seeded(7));
        int verified = 0;
        for (int round = 0; round < cases(400) && verified < cases(8); ++round) {
            GenerateRequest request = requestOf(key.toStdString(), info->ops[random() % info->ops.size()], {}, 1 + static_cast<int>(random() % 3));
            for (std::size_t axes = 1 + random() % 2; axes > 0; --axes)
                request.axes.push_back(random() % 2 == 0 ? 1 << random() % 4 : 2 + static_cast<int>(random() % 5));
            const auto program = generateProgram(request);
            if (!program)
                continue;
            const auto written = expandTemplate(program.value());
            if (!written)
                continue;
            const std::string objection = verifierObjects(*written.value());
            QVERIFY2(objection.empty(), (textOf(request) + objection).c_str());
            ++verified;
        }
        QVERIFY(verified >= cases(3));
    }

private:
    static std::string textOf(const GenerateRequest& request)
    {
        std::string text = request.algorithm + " " + std::string(collectiveKey(request.op));
        for (const std::int32_t extent : request.axes)
            text += " " + std::to_string(extent);
        return text + ", " + std::to_string(request.chunks) + " chunks: ";
    }
};

FABRICSCOPE_TEST(GenerateStructureTest)
#include "tst_generate_structure.moc"
