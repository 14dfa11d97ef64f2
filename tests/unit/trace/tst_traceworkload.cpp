#include "core/workload/customcollective.h"
#include "core/workload/traceworkload.h"
#include "tests/unit/support/cases/tracefiles.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

CommGroups groupsOf(const std::string& text)
{
    return parseCommGroups(text).value();
}

EtNode chunkNode(EtNode node, std::int64_t first, std::int64_t count, std::int64_t total)
{
    node.attributes.pop_back(); // comm_size
    node.attributes.push_back(EtAttribute::integer("msg_chunk_cnt", count, EtKind::Int32));
    node.attributes.push_back(EtAttribute::integer("chunk_offset", first, EtKind::Int32));
    node.attributes.push_back(EtAttribute::integer("total_chunk_cnt", total, EtKind::Int32));
    return node;
}

} // namespace

class TraceWorkloadTest : public QObject {
    Q_OBJECT

private slots:
    void tasksComeInAscendingIdWithResolvedDependencies()
    {
        EtNode comp = compNode(30, 7, {10});
        comp.attributes.push_back(EtAttribute::integer("num_ops", 5));
        comp.attributes.push_back(EtAttribute::integer("tensor_size", 9, EtKind::Uint64));
        const auto traces = traceSet({{comp, collNode(20, EtCommType::AllReduce, 100, {30}), compNode(10, 0)}});

        const auto loaded = workloadFromTraces(traces, {});

        QVERIFY(loaded);
        const RankGraph& graph = loaded.value().workload->graph(0);
        QCOMPARE(graph.sourceId, (std::vector<std::uint64_t>{10, 20, 30}));
        QCOMPARE(graph.dependencies(1).size(), std::size_t{1});
        QCOMPARE(graph.dependencies(1)[0], 2);
        QCOMPARE(graph.dependencies(2)[0], 0);
        QCOMPARE(graph.name(2), std::string_view("node30"));
        QCOMPARE(graph.durationUs[2], std::int64_t{7});
        QCOMPARE(graph.operations[2], std::int64_t{5});
        QCOMPARE(graph.bytes[2], std::int64_t{9});
        QVERIFY(graph.has(2, TaskFlag::kHasOperations) && graph.has(2, TaskFlag::kHasBytes));
        QVERIFY(!graph.has(0, TaskFlag::kHasOperations));
        QVERIFY(graph.kind[1] == TaskKind::Collective);
        QCOMPARE(loaded.value().workload->taskCount(), std::int64_t{3});
    }

    void sizesAreBytesOfTheLargeSide()
    {
        // All-gather: one shard of 100 elements of 2 bytes, group of 3: 600. Others: 200. A message: 200.
        const CommGroups groups = groupsOf("{\"5\": [2, 0, 1]}");
        std::vector<std::vector<EtNode>> ranks;
        for (int rank = 0; rank < 4; ++rank) {
            std::vector<EtNode> nodes{collNode(1, EtCommType::ReduceScatter, 100)};
            if (rank < 3)
                nodes.push_back(collNode(2, EtCommType::AllGather, 100, {}, "5"));
            ranks.push_back(nodes);
        }
        ranks[0].push_back(sendNode(3, 3, 1, 100));
        ranks[3].push_back(recvNode(3, 0, 1, 100));

        const auto loaded = workloadFromTraces(traceSet(ranks), groups, {CtrlDeps::Auto, 2, 4, false});

        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        const Workload& workload = *loaded.value().workload;
        QCOMPARE(workload.graph(0).bytes[0], std::int64_t{200});
        QCOMPARE(workload.graph(0).bytes[1], std::int64_t{600});
        QCOMPARE(workload.graph(0).bytes[2], std::int64_t{200});
        QCOMPARE(workload.families.size(), std::size_t{2});
        QVERIFY(workload.families[0].isWorld());
        QCOMPARE(workload.families[1].name(), std::string("5"));
        QCOMPARE(workload.graph(0).family[1], 1);
        QCOMPARE(workload.families[1].membership(2).position, std::int64_t{0}); // ring order as listed
    }

    void sizesThatOverflowAreRefused()
    {
        const std::int64_t big = std::int64_t{1} << 55;
        QVERIFY(workloadFromTraces(traceSet({{collNode(1, EtCommType::AllReduce, 2 * big)}}), {}));
        const auto shards = workloadFromTraces(traceSet({{collNode(4, EtCommType::AllGather, big)}, {collNode(4, EtCommType::AllGather, big)}, {collNode(4, EtCommType::AllGather, big)}}), {});
        QVERIFY(!shards);
        QCOMPARE(shards.error().place.node, std::int64_t{4});
        QVERIFY(!workloadFromTraces(traceSet({{collNode(1, EtCommType::AllReduce, std::numeric_limits<std::int64_t>::max())}}), {}));
        QVERIFY(!workloadFromTraces(traceSet({{collNode(1, EtCommType::AllReduce, big)}}), {}, {CtrlDeps::Auto, 1 << 20, 0, false}));
    }

    void ringsOfRelativePeersShareOneGraph()
    {
        std::vector<std::vector<EtNode>> ranks;
        for (int rank = 0; rank < 5; ++rank) // no wrap-around: the ends differ
            ranks.push_back(rank == 0 ? std::vector<EtNode>{sendNode(1, 1, 0, 8)} : rank == 4 ? std::vector<EtNode>{recvNode(1, 3, 0, 8)} : std::vector<EtNode>{recvNode(1, rank - 1, 0, 8), sendNode(2, rank + 1, 0, 8, {1})});

        const auto loaded = workloadFromTraces(traceSet(ranks), {});

        QVERIFY(loaded);
        const Workload& workload = *loaded.value().workload;
        QCOMPARE(workload.graphs.size(), std::size_t{3});
        QVERIFY(workload.graphs[1]->peerIsRelative);
        QCOMPARE(workload.graphOfRank, (std::vector<std::int32_t>{0, 1, 1, 1, 2}));
        for (int rank = 1; rank < 4; ++rank) {
            QCOMPARE(workload.graph(rank).peerRank(0, rank), rank - 1);
            QCOMPARE(workload.graph(rank).peerRank(1, rank), rank + 1);
        }
    }

    void oneRootKeepsAbsolutePeers()
    {
        std::vector<std::vector<EtNode>> ranks{{recvNode(1, 1, 0, 8), recvNode(2, 2, 0, 8), recvNode(3, 3, 0, 8)}};
        for (int rank = 1; rank < 4; ++rank)
            ranks.push_back({sendNode(1, 0, 0, 8)});

        const auto loaded = workloadFromTraces(traceSet(ranks), {});

        QVERIFY(loaded);
        QCOMPARE(loaded.value().workload->graphs.size(), std::size_t{2});
        QVERIFY(!loaded.value().workload->graphs[1]->peerIsRelative);
        QCOMPARE(loaded.value().workload->graph(3).peerRank(0, 3), 0);
    }

    void processGroupTablesNameGroups()
    {
        EtNode table;
        table.id = 1;
        table.type = static_cast<std::int32_t>(EtNodeType::Metadata);
        table.inputs.values = "['[{\"pg_name\": \"0\", \"ranks\": []}, {\"pg_name\": \"7\", \"ranks\": [1, 0], \"group_size\": 2}]']";
        const std::vector<EtNode> nodes{table, collNode(2, EtCommType::AllReduce, 8, {}, "7"), collNode(3, EtCommType::AllReduce, 8, {}, "0")};

        const auto loaded = workloadFromTraces(traceSet({nodes, nodes}), {});

        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        const Workload& workload = *loaded.value().workload;
        QCOMPARE(workload.families.size(), std::size_t{2});
        QCOMPARE(workload.families[1].name(), std::string("7"));
        QCOMPARE(workload.families[1].member(0, 0), std::int64_t{1});
        QCOMPARE(workload.graph(0).family[1], 1);
        QCOMPARE(workload.graph(0).family[2], 0);
        QVERIFY(workload.graph(0).kind[0] == TaskKind::Metadata);
    }

    void aListedGroupZeroWinsOverAllRanks()
    {
        const std::vector<EtNode> nodes{collNode(1, EtCommType::AllReduce, 8, {}, "0")};

        const auto listed = workloadFromTraces(traceSet({nodes, nodes}), groupsOf("{\"0\": [1, 0]}"));
        const auto world = workloadFromTraces(traceSet({nodes, nodes}), {});

        QVERIFY(listed && world);
        QCOMPARE(listed.value().workload->graph(0).family[0], 1);
        QCOMPARE(world.value().workload->graph(0).family[0], 0);
    }

    void hostCommunicationBecomesHostWork()
    {
        EtNode bare = compNode(2, 9);
        bare.type = static_cast<std::int32_t>(EtNodeType::Collective);
        bare.attributes.front() = EtAttribute::boolean("is_cpu_op", true);

        const auto loaded = workloadFromTraces(traceSet({{bare}}), {});

        QVERIFY(loaded);
        const RankGraph& graph = loaded.value().workload->graph(0);
        QVERIFY(graph.kind[0] == TaskKind::Compute && graph.has(0, TaskFlag::kHost));
        QCOMPARE(graph.durationUs[0], std::int64_t{9});
        QCOMPARE(loaded.value().diagnostics.size(), std::size_t{1});
    }

    void everyCollectiveTypeKeepsItsKind()
    {
        const std::pair<EtCommType, CollectiveOp> pairs[] = {{EtCommType::AllReduce, CollectiveOp::AllReduce}, {EtCommType::Reduce, CollectiveOp::Reduce}, {EtCommType::AllGather, CollectiveOp::AllGather},
            {EtCommType::Gather, CollectiveOp::Gather}, {EtCommType::Scatter, CollectiveOp::Scatter}, {EtCommType::Broadcast, CollectiveOp::Broadcast}, {EtCommType::AllToAll, CollectiveOp::AllToAll},
            {EtCommType::ReduceScatter, CollectiveOp::ReduceScatter}, {EtCommType::ReduceScatterBlock, CollectiveOp::ReduceScatter}, {EtCommType::Barrier, CollectiveOp::Barrier}};
        for (const auto& [type, op] : pairs) {
            const auto loaded = workloadFromTraces(traceSet({{collNode(1, type, 8)}}), {});
            QVERIFY(loaded);
            QVERIFY(loaded.value().workload->graph(0).op[0] == op);
        }
    }

    void rankCountsMustFit()
    {
        const auto traces = traceSet({{compNode(1, 1)}, {compNode(1, 1)}});

        const auto more = workloadFromTraces(traces, {}, {CtrlDeps::Auto, 1, 8, false, false});
        QVERIFY(!more);
        QVERIFY(more.error().message.find("8 NPUs") != std::string::npos && more.error().message.find("2 ranks") != std::string::npos);

        QVERIFY(!workloadFromTraces(traces, {}, {CtrlDeps::Auto, 1, 1, false, false}));
        const auto ignored = workloadFromTraces(traces, {}, {CtrlDeps::Auto, 1, 1, false, true});
        QVERIFY(ignored);
        QVERIFY(findRule(ignored.value().diagnostics, "surplus-ranks"));
        QCOMPARE(ignored.value().workload->rankCount, 1);
    }

    void controlDependenciesFollowTheirSetting()
    {
        EtNode second = compNode(2, 1);
        second.ctrlDeps = {1, 2, 99};
        const auto traces = traceSet({{compNode(1, 1), second}});

        const auto automatic = workloadFromTraces(traces, {});
        QVERIFY(automatic);
        QCOMPARE(automatic.value().workload->graph(0).dependencies(1).size(), std::size_t{1});
        QCOMPARE(automatic.value().diagnostics.size(), std::size_t{2}); // one for the dangling, one for the own id
        const auto ignored = workloadFromTraces(traces, {}, {CtrlDeps::Ignore, 1, 0, false});
        QVERIFY(ignored && ignored.value().workload->graph(0).dependencies(1).empty());
        QVERIFY(!workloadFromTraces(traces, {}, {CtrlDeps::Use, 1, 0, false}));
    }

    void aCustomCollectiveOfBytes()
    {
        const auto traces = traceSet({{sendNode(4, 1, 3, 100), compNode(5, 7, {4}), compNode(6, 0, {5})}, {recvNode(9, 0, 3, 100)}});

        const auto program = customProgramFromTraces(traces, CollectiveOp::AllReduce);

        QVERIFY2(program, program ? "" : program.error().text().c_str());
        QCOMPARE(program.value()->ranks, 2);
        const ExplicitBody& body = program.value()->asExplicit();
        QCOMPARE(body.rankBegin, (std::vector<std::uint32_t>{0, 3, 4}));
        QVERIFY(body.kind[0] == OpKind::Send && body.kind[1] == OpKind::Compute && body.kind[3] == OpKind::Receive);
        QCOMPARE(body.peer, (std::vector<std::int32_t>{1, -1, -1, 0}));
        QCOMPARE(body.connection[0], 3);
        QCOMPARE(body.bytes[0], std::int64_t{100});
        QCOMPARE(body.duration, (std::vector<std::int64_t>{0, 7'000'000, 1'000, 0})); // ps; 0 us runs 1 ns
        QCOMPARE(body.dependBegin, (std::vector<std::uint32_t>{0, 0, 1, 2, 2}));
        QCOMPARE(body.depends, (std::vector<std::uint32_t>{0, 1}));
        QCOMPARE(body.sourceId[3], std::uint64_t{9});
    }

    void aCustomCollectiveOfChunks()
    {
        const auto traces = traceSet({{chunkNode(sendNode(1, 1, 0, 0), 2, 3, 8)}, {chunkNode(recvNode(1, 0, 0, 0), 2, 3, 8)}});

        const auto program = customProgramFromTraces(traces);

        QVERIFY2(program, program ? "" : program.error().text().c_str());
        QCOMPARE(program.value()->chunks, 8);
        QCOMPARE(program.value()->asExplicit().bytes[0], std::int64_t{-1});
        QCOMPARE(program.value()->asExplicit().chunk[0], 2);
        QCOMPARE(program.value()->asExplicit().count[0], 3);
    }

    void customCollectivesMustPairUp()
    {
        QVERIFY(!customProgramFromTraces(traceSet({{sendNode(1, 1, 3, 100)}, {recvNode(1, 0, 4, 100)}})));
        QVERIFY(!customProgramFromTraces(traceSet({{sendNode(1, 1, 3, 100)}, {recvNode(1, 0, 3, 101)}})));
        QVERIFY(!customProgramFromTraces(traceSet({{sendNode(1, 2, 3, 100)}, {recvNode(1, 0, 3, 100)}})));
        QVERIFY(!customProgramFromTraces(traceSet({{collNode(1, EtCommType::AllReduce, 3)}})));
    }

    void theShippedRingIsRead()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);

        const auto program = readCustomProgram(shared + "/corpus/chakra/custom_ring_allreduce_8/algorithm/custom_allreduce");

        QVERIFY2(program, program ? "" : program.error().text().c_str());
        // Per rank 14 sends of 128 KiB to the next rank, 14 receives, 7 reductions of 7 us (the corpus README).
        const ExplicitBody& body = program.value()->asExplicit();
        QCOMPARE(program.value()->ranks, 8);
        QCOMPARE(body.size(), 280U);
        QCOMPARE(std::count(body.kind.begin(), body.kind.end(), OpKind::Send), 112);
        for (std::uint32_t i = 0; i < body.size(); ++i) {
            const std::int32_t rank = static_cast<std::int32_t>(i / 35);
            if (body.kind[i] == OpKind::Send)
                QCOMPARE(body.peer[i], (rank + 1) % 8);
            if (body.kind[i] == OpKind::Compute)
                QCOMPARE(body.durationOf(i), std::int64_t{7'000'000});
            else
                QCOMPARE(body.bytes[i], std::int64_t{131072});
        }
    }

    /// Symbolic tensor graphs count elements of what the producer holds, and have placeholders without size: one all-gather of 100 elements over 4 members is 800 bytes of 16-bit numbers.
    void elementsOfSymbolicTensorGraphsBecomeBytes()
    {
        EtNode placeholder = compNode(1, 0);
        placeholder.attributes = {EtAttribute::boolean("is_cpu_op", false), EtAttribute::integer("num_ops", 0), EtAttribute::integer("tensor_size", 0), EtAttribute::text("op_type", "PLACEHOLDER")};
        std::vector<std::vector<EtNode>> ranks(4);
        for (std::size_t r = 0; r < 4; ++r)
            ranks[r] = {placeholder, collNode(2, EtCommType::AllGather, 100, {1}, "7"), collNode(3, EtCommType::ReduceScatter, 100, {2}, "7"), collNode(4, EtCommType::AllReduce, 100, {3}, "7"), sendNode(5, static_cast<std::int64_t>((r + 1) % 4), 1, 100, {4}),
                        recvNode(6, static_cast<std::int64_t>((r + 3) % 4), 1, 100, {4})};
        TraceWorkloadOptions options;
        options.bytesPerElement = 2;
        const auto read = workloadFromTraces(traceSet(ranks), groupsOf(R"({"7": [0, 1, 2, 3]})"), options);
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        const RankGraph& graph = read.value().workload->graph(0);
        QCOMPARE(graph.bytes[1], std::int64_t{100 * 4 * 2});
        for (std::size_t task = 2; task < 6; ++task)
            QCOMPARE(graph.bytes[task], std::int64_t{100 * 2});
        QCOMPARE(graph.operations[0], std::int64_t{0});
    }
};

FABRICSCOPE_TEST(TraceWorkloadTest)
#include "tst_traceworkload.moc"
