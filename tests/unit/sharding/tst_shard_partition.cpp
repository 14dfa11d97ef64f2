// What partitioned programs move: tables of products and of reshards with closed forms of bytes, halos by counting.
#include "core/sharding/partition/halos.h"
#include "core/sharding/partition/partition.h"
#include "core/sharding/partition/reshard.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

PartitionedProgram programOf(const std::string& body)
{
    auto problem = readShardText("fabricscope: 1\nshard:\n" + body, "case.yaml");
    if (!problem)
        qFatal("%s", problem.error().text().c_str());
    auto plan = partition(problem.value());
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    return std::move(plan).value().program;
}

/// "all_gather b 6144" of all that communicates.
QString moved(const PartitionedProgram& program)
{
    QStringList all;
    for (const ProgramStep& step : program.steps) {
        if (isCollective(step.kind) && step.kind != StepKind::Slice)
            all << QString::fromStdString(std::string(wordOf(step.kind)) + " " + program.value(step.out).name + " " + std::to_string(step.sent));
    }
    return all.join("; ");
}

/// C[64, 128] = A[64, 32] B[32, 128] in bf16 over four devices: |A| = 4096, |B| = 8192, |C| = 16384 bytes.
QString product(const std::string& a, const std::string& b, const std::string& c)
{
    return moved(programOf("  mesh: {x: 4}\n  dtype: bf16\n  tensors: {a: [64, 32], b: [32, 128]}\n  ops: [{name: c, op: einsum, eq: \"mk,kn->mn\", in: [a, b]}]\n"
                           "  annotations: [{tensor: a, dims: " + a + "}, {tensor: b, dims: " + b + "}]\n" + (c.empty() ? "" : "  wanted: {c: " + c + "}\n")));
}

Layout layoutOf(const Mesh& mesh, const std::string& dims, const std::string& unreduced = {})
{
    // One letter per axis, dims separated by commas.
    Layout layout;
    layout.dims.emplace_back();
    const auto part = [&](char c) { return wholeAxis(mesh, c - 'x'); };
    for (const char c : dims) {
        if (c == ',')
            layout.dims.emplace_back();
        else
            layout.dims.back().push_back(part(c));
    }
    for (const char c : unreduced)
        layout.unreduced.push_back(part(c));
    return layout;
}

QString reshard(const TensorShape& shape, const Layout& from, const Layout& to)
{
    QStringList all;
    for (const ReshardMove& move : reshardMoves(shape, 4, from, to))
        all << QString::fromStdString(std::string(wordOf(move.kind)) + " " + std::to_string(move.sent));
    return all.join("; ");
}

} // namespace

class TestShardPartition : public QObject {
    Q_OBJECT

private slots:
    /// Ring: an all-gather or reduce-scatter of n bytes sends 3/4 n over four devices, an all-reduce twice that, an all-to-all 3/4 of what a device holds.
    void productsMoveWhatTheTableSays()
    {
        QCOMPARE(product("[[x], []]", "[[], []]", "[[x], []]"), "");
        QCOMPARE(product("[[], []]", "[[], [x]]", "[[], [x]]"), "");
        QCOMPARE(product("[[], [x]]", "[[x], []]", "[[], []]"), "all_reduce c 24576");
        QCOMPARE(product("[[], [x]]", "[[x], []]", "[[x], []]"), "reduce_scatter c 12288");
        QCOMPARE(product("[[], [x]]", "[[x], []]", "[[], [x]]"), "reduce_scatter c 12288");
        QCOMPARE(product("[[x], []]", "[[], [x]]", ""), "all_gather a 3072");
        QCOMPARE(product("[[x], []]", "[[], [x]]", "[[], [x]]"), "all_gather a 3072");
        QCOMPARE(product("[[x], []]", "[[], [x]]", "[[x], []]"), "all_gather b 6144");
        QCOMPARE(product("[[x], []]", "[[x], []]", "[[x], []]"), "all_gather b 6144");
        QCOMPARE(product("[[], [x]]", "[[], [x]]", "[[], [x]]"), "all_gather a 3072");
    }

    /// Batches: A[8, 16, 32] by b, B[8, 32, 16] by k: each device sends 3/4 of its 2048 bytes of B.
    void anAxisOfABatchMovesTheOtherOperandThere()
    {
        QCOMPARE(moved(programOf("  mesh: {x: 4}\n  dtype: bf16\n  tensors: {a: [8, 16, 32], b: [8, 32, 16]}\n  ops: [{name: c, op: einsum, eq: \"bmk,bkn->bmn\", in: [a, b]}]\n"
                                 "  annotations: [{tensor: a, dims: [[x], [], []]}, {tensor: b, dims: [[], [x], []]}]\n  wanted: {c: [[x], [], []]}\n")),
            "all_to_all b 1536");
    }

    /// Tables [8, 16, 4] of which each of 8 batches has one: cut by batches all is at hand; where rows are cut, partial results of 8 x 2 x 4 elements of 4 bytes are joined.
    void batchesOfRowsStayTogether()
    {
        const auto program = [](const std::string& op, const std::string& dims) {
            return moved(programOf("  mesh: {x: 4}\n  tensors: {t: [8, 16, 4], ids: {shape: [8, 2], dtype: int32}, u: [8, 2, 4]}\n  ops: [" + op + "]\n  annotations: [{tensor: t, dims: " + dims + "}]\n"));
        };
        const std::string rows = "{name: r, op: gather, in: [t, ids], dim: 1, batch: 1}";
        QCOMPARE(program(rows, "[[x], [], []]"), "");
        QCOMPARE(program(rows, "[[], [x], []]"), "all_reduce r 384");
        const std::string put = "{name: r, op: scatter_add, in: [t, ids, u], dim: 1, batch: 1, kind: last}";
        QCOMPARE(program(put, "[[x], [], []]"), "");
        QCOMPARE(program(put, "[[], [x], []]"), ""); // Every device keeps what falls on its rows.
    }

    /// Updates cut by their rows: extremes and sums of the parts are joined (16 x 4 elements of 4 bytes), of overwriting ones the order counts: all go to every device (ids and updates of 8 rows).
    void updatesThatHaveAnOrderAreGathered()
    {
        const auto program = [](const std::string& kind) {
            return moved(programOf("  mesh: {x: 4}\n  tensors: {t: [16, 4], ids: {shape: [8], dtype: int32}, u: [8, 4]}\n  ops: [{name: r, op: scatter_add, in: [t, ids, u], kind: " + kind
                + "}]\n  annotations: [{tensor: u, dims: [[x], []], closed: [0, 1]}, {tensor: ids, dims: [[x]], closed: [0]}, {tensor: t, dims: [[], []], closed: [0, 1]}, {tensor: r, dims: [[], []], closed: [0, 1]}]\n"));
        };
        for (const char* const kind : {"sum", "max", "min"})
            QCOMPARE(program(kind), "all_reduce r 384");
        for (const char* const kind : {"product", "last"})
            QCOMPARE(program(kind), "all_gather ids 24; all_gather u 96");
    }

    void reshardsFollowTheTable()
    {
        const Mesh mesh{{{"x", 4}, {"y", 2}, {"z", 2}}, {}};
        const TensorShape shape = {16, 16}; // 1024 bytes
        const auto way = [&](const char* from, const char* to, const char* unreduced = "") { return reshard(shape, layoutOf(mesh, from, unreduced), layoutOf(mesh, to)); };
        QCOMPARE(way("x,", "x,"), "");
        QCOMPARE(way(",", "x,y"), "slice 0; slice 0");
        QCOMPARE(way("x,", ","), "all_gather 768");
        QCOMPARE(way("xy,", "x,"), "all_gather 128");
        QCOMPARE(way("x,", ",x"), "all_to_all 192");
        QCOMPARE(way("y,", "z,"), "permute 512");
        QCOMPARE(way("y,z", "z,y"), "permute 256");
        QCOMPARE(way("xy,", "yx,"), "permute 128");
        QCOMPARE(way(",", ",", "x"), "all_reduce 1536");
        QCOMPARE(way(",", "x,", "x"), "reduce_scatter 768");
        QCOMPARE(way("y,", "yx,", "x"), "reduce_scatter 384");
        QCOMPARE(way(",", "x,", "xy"), "reduce_scatter 768; all_reduce 256");
        // A slice first makes the all-gather smaller.
        QCOMPARE(way("x,", ",y"), "slice 0; all_gather 384");
    }

    /// 10 rows over 4 = 2 x 2 devices are 3, 3, 3, 1; over 2 they are 5, 5: no part of the finer lies in one of the coarser, so all of the dim is gathered (3 x 3 rows of 4 bytes).
    void partsThatDoNotLineUpAreGatheredWhole()
    {
        const Mesh mesh{{{"x", 2}, {"y", 2}}, {}};
        QCOMPARE(reshard({10}, layoutOf(mesh, "xy"), layoutOf(mesh, "x")), "all_gather 36; slice 0");
        QCOMPARE(reshard({10}, layoutOf(mesh, "x"), layoutOf(mesh, "xy")), "all_gather 20; slice 0");
        QCOMPARE(reshard({12}, layoutOf(mesh, "xy"), layoutOf(mesh, "x")), "all_gather 12");
    }

    /// Counted: which rows each device reads for its outputs, who holds them.
    void halosAreWhatOutputsRead_data()
    {
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("shards");
        QTest::addColumn<int>("window");
        QTest::addColumn<int>("stride");
        QTest::addColumn<int>("low");
        QTest::addColumn<int>("high");
        QTest::addColumn<int>("dilation");
        int row = 0;
        for (const int size : {10, 12, 16, 17, 224}) {
            for (const int shards : {2, 3, 4, 8}) {
                for (const auto& [window, stride, low, high, dilation] : {std::tuple{3, 1, 1, 1, 1}, std::tuple{5, 1, 2, 2, 1}, std::tuple{7, 2, 3, 3, 1}, std::tuple{3, 2, 1, 0, 1}, std::tuple{3, 1, 2, 2, 2}, std::tuple{2, 3, 0, 0, 1}})
                    QTest::addRow("%d", row++) << size << shards << window << stride << low << high << dilation;
            }
        }
    }
    void halosAreWhatOutputsRead()
    {
        QFETCH(int, size);
        QFETCH(int, shards);
        QFETCH(int, window);
        QFETCH(int, stride);
        QFETCH(int, low);
        QFETCH(int, high);
        QFETCH(int, dilation);
        OpGraph graph;
        const TensorId x = graph.addInput({"x", {1, size, 1, 1}, ElementType::Fp32, -1, {}}).value();
        const TensorId k = graph.addInput({"k", {window, 1, 1, 1}, ElementType::Fp32, -1, {}}).value();
        GraphOp conv;
        conv.name = "y";
        conv.kind = GraphOpKind::Conv;
        conv.inputs = {x, k};
        conv.windows = {{window, stride, low, high, dilation}, {}};
        const auto y = graph.addOp(conv);
        QVERIFY(y);
        const auto outputs = static_cast<int>(graph.tensor(y.value()).shape[1]);
        const WindowNeed need = windowNeed(graph, graph.ops[0], 0, 1, shards);
        const std::vector<Halo> halos = halosOf(need);
        std::vector<std::int64_t> sent(static_cast<std::size_t>(shards), 0);
        const int in = (size + shards - 1) / shards;
        const int out = (outputs + shards - 1) / shards;
        for (int j = 0; j < shards; ++j) {
            int first = 1 << 30;
            int last = -(1 << 30);
            for (int o = j * out; o < std::min(outputs, (j + 1) * out); ++o) {
                for (int t = 0; t < window; ++t) {
                    first = std::min(first, o * stride - low + t * dilation);
                    last = std::max(last, o * stride - low + t * dilation);
                }
            }
            if (last < first)
                continue;
            QCOMPARE(halos[static_cast<std::size_t>(j)].left, j * in - first);
            QCOMPARE(halos[static_cast<std::size_t>(j)].right, last + 1 - (j + 1) * in);
            for (int r = std::max(first, 0); r <= std::min(last, size - 1); ++r) {
                if (r / in != j)
                    ++sent[static_cast<std::size_t>(r / in)];
            }
        }
        QCOMPARE(rowsSent(need), sent);
    }

    /// The sum of three partial products is reduced once; each alone would be a reduction.
    void sumsOfPartialSumsAreReducedOnce()
    {
        QCOMPARE(moved(programOf("  mesh: {x: 4}\n  tensors: {a: [8, 16], b: [16, 8], c: [8, 16], d: [16, 8]}\n"
                                 "  ops: [{name: p, op: einsum, eq: \"mk,kn->mn\", in: [a, b]}, {name: q, op: einsum, eq: \"mk,kn->mn\", in: [c, d]}, {name: r, op: einsum, eq: \"mk,kn->mn\", in: [c, b]},\n"
                                 "        {name: s, op: add, in: [p, q]}, {name: t, op: add, in: [s, r]}, {name: u, op: relu, in: [t]}]\n"
                                 "  annotations: [{tensor: a, dims: [[], [x]]}, {tensor: b, dims: [[x], []]}, {tensor: c, dims: [[], [x]]}, {tensor: d, dims: [[x], []]}]\n")),
            "all_reduce t 384");
    }

    /// Neither annotation is changed: one all-to-all between them, and a row of the conflict.
    void conflictingAnnotationsAreBothKept()
    {
        const PartitionedProgram program = programOf("  mesh: {x: 4}\n  tensors: {a: [16, 16]}\n  ops: [{name: c, op: relu, in: [a]}]\n"
                                                     "  annotations: [{tensor: a, dims: [[x], []]}, {tensor: c, dims: [[], [x]]}]\n");
        QCOMPARE(moved(program).count(";"), 0);
        QVERIFY(moved(program).startsWith("all_to_all"));
        QCOMPARE(program.conflicts.size(), std::size_t{1});
        QCOMPARE(program.conflicts[0].from, std::string("a [x, -]"));
        QCOMPARE(program.conflicts[0].to, std::string("c [-, x]"));
    }

    /// Parts of 48 bytes go to one other, then 3/4 of 96 bytes are exchanged; gathered whole and cut again it would be 336 bytes.
    void whatIsWantedNowhereIsGatheredFirst()
    {
        for (const char* dims : {"[[x], [y]]", "[[x, y], []]"}) {
            QCOMPARE(moved(programOf(std::string("  mesh: {x: 4, y: 2}\n  tensors: {a: [8, 12]}\n  ops: []\n  annotations: [{tensor: a, dims: ") + dims + "}]\n  wanted: {a: [[], [x]]}\n")),
                "all_gather a 48; all_to_all a 72");
        }
    }

    void rowsOfATableAreMaskedAndSummed()
    {
        // Each device holds a quarter of the rows: ids elsewhere give zero, and 2 * 3/4 of 6 x 8 x 4 bytes are sent.
        QCOMPARE(moved(programOf("  mesh: {x: 4}\n  tensors: {table: [32, 8], ids: [6]}\n  ops: [{name: e, op: gather, in: [table, ids], dim: 0}]\n  annotations: [{tensor: table, dims: [[x], []]}]\n")),
            "all_reduce e 288");
    }

    void whatCannotRunOnPartsIsGatheredFirst()
    {
        QCOMPARE(moved(programOf("  mesh: {x: 4}\n  tensors: {a: [16, 16]}\n  ops: [{name: s, op: sort, in: [a], dim: 1}]\n  annotations: [{tensor: a, dims: [[], [x]]}]\n")), "all_gather a 768");
    }

    /// The two largest of each of four parts: 3 x 2 x 3 rows of 4 bytes are sent instead of 3 x 4 x 3.
    void topKGathersCandidates()
    {
        QCOMPARE(moved(programOf("  mesh: {x: 4}\n  tensors: {a: [3, 16]}\n  ops: [{name: s, op: top_k, in: [a], dim: 1, k: 2}]\n  annotations: [{tensor: a, dims: [[], [x]]}]\n")), "all_gather s.candidates 72");
    }

    /// Experts over x, the inside of an expert over y, tokens over x: with both factors at once an all-to-all of 3/4 of 4 x 2 x 8 x 8 x 4 bytes; with one the weights are gathered.
    void nestedOpsAreCutByTwoFactors()
    {
        const std::string body = "  mesh: {x: 4, y: 2}\n  tensors: {a: [4, 8, 8, 8], w: [4, 8, 16]}\n  ops: [{name: h, op: einsum, eq: \"egcm,emh->egch\", in: [a, w]}]\n"
                                 "  annotations: [{tensor: a, dims: [[], [x], [], []]}, {tensor: w, dims: [[x], [], [y]]}, {tensor: h, dims: [[x], [], [], [y]]}]\n";
        QCOMPARE(moved(programOf(body)), "all_to_all a 1536");
        const QString alone = moved(programOf(body + "  options: {nested: false}\n"));
        QVERIFY2(alone != "all_to_all a 1536" && !alone.isEmpty(), qPrintable(alone));
    }

    void windowedEinsumsMoveShardsInALoop()
    {
        const PartitionedProgram program = programOf("  mesh: {x: 4}\n  tensors: {a: [64, 32], b: [32, 128]}\n  ops: [{name: c, op: einsum, eq: \"mk,kn->mn\", in: [a, b]}]\n"
                                                     "  annotations: [{tensor: a, dims: [[x], []]}, {tensor: b, dims: [[], [x]]}]\n  options: {windowed_einsum: true}\n");
        QVERIFY(std::ranges::any_of(program.steps, [](const ProgramStep& step) { return step.kind == StepKind::AllGather && step.looped; }));
    }

    void halosThatReachFarAreGathered()
    {
        const auto conv = [](int size, int window) {
            return moved(programOf("  mesh: {x: 4}\n  tensors: {a: [1, " + std::to_string(size) + ", 1, 1], k: [" + std::to_string(window) + ", 1, 1, 1]}\n  ops: [{name: y, op: conv, in: [a, k], window: ["
                + std::to_string(window) + ", 1], pad: [[" + std::to_string(window / 2) + ", " + std::to_string(window / 2) + "], [0, 0]]}]\n  annotations: [{tensor: a, dims: [[], [x], [], []]}]\n"));
        };
        QCOMPARE(conv(16, 9), "halo_exchange a 32");  // 4 rows to either neighbour
        QCOMPARE(conv(16, 13), "all_gather a 48");    // 6 rows of parts of 4
    }
};

FABRICSCOPE_TEST(TestShardPartition)
#include "tst_shard_partition.moc"
