// Thread blocks of execution plans of MSCCL++: which signal a put belongs to, connections, semaphores, barriers, operations cut in parts, rings of waits.
#include "tests/unit/programs/mscclppplans.h"
#include "core/base/index.h"
#include "tests/unit/support/testprogram.h"

using namespace fabricscope;
using namespace fabricscope::test;

class TestMscclppBlocks : public QObject {
    Q_OBJECT

private slots:
    void putsBelongToTheNextSignalToTheirRank();
    void portPutsBelongToTheirChannel();
    void threadBlocksOnOneChannelHaveConnectionsOfTheirOwn();
    void semaphoresOrderThreadBlocks();
    void semaphoresOfSeveralThreadBlocksAreTakenWhole();
    void sharedOperationsAreCut();
    void scratchMemoryThatCuttingMakesTooLargeIsRefused();
    void pipelinesRunOnce();
    void ringsOfWaitsAndMissingWaitsAreFoundByTheVerifier();
    void barriersOfThousandsAreRefused();
};

void TestMscclppBlocks::putsBelongToTheNextSignalToTheirRank()
{
    // Two channels to the other rank; the put names none, its signal goes over the second: in the same thread block, behind a barrier and
    // behind a semaphore.
    const Op put = data("put", {here("i", 0)}, {there(0, 0)}, "memory");
    const Op tell = message("signal", {1});
    const std::vector<std::vector<std::vector<Op>>> ways{{{put, tell}}, {{put, PlanText::barrier(0, 2)}, {PlanText::barrier(0, 2), tell}},
        {{put, PlanText::semaphore("sem_release", {0})}, {PlanText::semaphore("sem_acquire", {0}), tell}}};
    for (const auto& blocks : ways) {
        PlanText plan = mesh(2, "allgather", 1, 2, 0, {"o"});
        plan.ranks[0].memory = {1, 1};
        plan.ranks[0].semaphores = {0};
        plan.ranks[0].blocks = blocks;
        plan.ranks[0].blocks[0].insert(plan.ranks[0].blocks[0].begin(), data("copy", {here("i", 0)}, {here("o", 0)}));
        plan.ranks[1].memory = {0, 0};
        plan.ranks[1].blocks = {{data("copy", {here("i", 0)}, {here("o", 1)}), message("wait", {1})}};
        // The other way, so that it is an all-gather.
        plan.ranks[1].blocks[0].push_back(data("put", {here("i", 0)}, {there(0, 1)}, "memory"));
        plan.ranks[1].blocks[0].push_back(message("signal", {0}));
        plan.ranks[0].blocks.back().push_back(message("wait", {0}));
        QCOMPARE(objection(plan), QString());
        const ExplicitBody body = read(plan)->asExplicit();
        for (std::uint32_t op = 0; op < body.size(); ++op) {
            if (body.kind[op] == OpKind::Put || body.kind[op] == OpKind::Signal)
                QCOMPARE(body.connection[op], op < body.rankBegin[1] ? 2 : 0);
        }
    }
}

void TestMscclppBlocks::portPutsBelongToTheirChannel()
{
    // A put on port channel 1; a signal on memory comes first, one on port channel 0 next: neither tells of it.
    PlanText plan = mesh(2, "allgather", 1, 2, 0, {"o"});
    for (int rank = 0; rank < 2; ++rank) {
        PlanText::Rank& own = plan.ranks[at(rank)];
        own.port = {1 - rank, 1 - rank};
        const Op put = on({1}, data("put", {here("i", 0)}, {there(0, rank)}, "port"));
        own.blocks = {{data("copy", {here("i", 0)}, {here("o", rank)}), put, message("signal", {0}), message("signal", {0}, "port"), message("signal", {1}, "port"), message("wait", {0}),
            message("wait", {0}, "port"), message("wait", {1}, "port")}};
    }
    QCOMPARE(objection(plan), QString());
    const ExplicitBody body = read(plan)->asExplicit();
    QCOMPARE(body.kind[1], OpKind::Put);
    QCOMPARE(body.connection[1], 3);
    // With signal and flush: the channel of the operation.
    for (int rank = 0; rank < 2; ++rank) {
        const Op put = on({1}, data("pwsf", {here("i", 0)}, {there(0, rank)}, "port"));
        plan.ranks[at(rank)].blocks = {{data("copy", {here("i", 0)}, {here("o", rank)}), put, message("flush", {1}, "port"), message("wait", {1}, "port")}};
    }
    QCOMPARE(objection(plan), QString());
}

void TestMscclppBlocks::threadBlocksOnOneChannelHaveConnectionsOfTheirOwn()
{
    PlanText plan = mesh(2, "allgather", 1, 2, 0, {"o"});
    for (int rank = 0; rank < 2; ++rank) {
        plan.ranks[at(rank)].semaphores = {0};
        plan.ranks[at(rank)].blocks
            = {{message("rlxsignal", {0}), message("rlxwait", {0}), data("copy", {here("i", 0)}, {here("o", rank)}), PlanText::semaphore("sem_release", {0})},
                {PlanText::semaphore("sem_acquire", {0}), data("put", {here("i", 0)}, {there(0, rank)}, "memory"), message("signal", {0}), message("wait", {0})}};
    }
    QCOMPARE(objection(plan), QString());
    // Without an order between the two nobody knows which wait takes which signal.
    plan.ranks[0].blocks[1].erase(plan.ranks[0].blocks[1].begin());
    const auto refused = parsed(plan);
    QVERIFY(!refused);
    QVERIFY2(refused.error().code == ErrorCode::Unsupported && refused.error().message.find("in no order") != std::string::npos, refused.error().text().c_str());
    QVERIFY(refused.error().place.field.starts_with("gpus[0].threadblocks["));
}

void TestMscclppBlocks::semaphoresOrderThreadBlocks()
{
    PlanText plan = mesh(2, "allgather", 1, 2, 1, {});
    plan.ranks[0].semaphores = {0, 1};
    plan.ranks[0].blocks = {{PlanText::semaphore("sem_acquire", {0}), data("copy", {here("s", 0)}, {here("o", 0)})},
        {PlanText::semaphore("sem_acquire", {1}), data("copy", {here("i", 0)}, {here("s", 0)}), PlanText::semaphore("sem_release", {0})}};
    const ProgramPtr program = read(plan);
    const ExplicitBody& body = program->asExplicit();
    // Semaphore 1 begins with 1: nothing is waited for. Block 0 waits for the copy of block 1.
    QCOMPARE(body.lane, (std::vector<std::int32_t>{1, 0}));
    QCOMPARE(body.depends, (std::vector<std::uint32_t>{0}));
    for (std::uint32_t seed = 0; seed < 8; ++seed)
        QCOMPARE(cell(runProgram(*program, seed, false), 0, BufferKind::Output, 0), of({{0, 0}}));
}

void TestMscclppBlocks::semaphoresOfSeveralThreadBlocksAreTakenWhole()
{
    const Op take = PlanText::semaphore("sem_acquire", {0});
    const Op give = PlanText::semaphore("sem_release", {0});
    PlanText plan = mesh(2, "allgather", 1, 2, 2, {});
    plan.ranks[0].semaphores = {0};
    plan.ranks[0].blocks = {{take, take, data("copy", {here("s", 1)}, {here("o", 0)})}, {data("copy", {here("i", 0)}, {here("s", 0)}), give}, {data("copy", {here("i", 0)}, {here("s", 1)}), give}};
    QCOMPARE(read(plan)->asExplicit().depends, (std::vector<std::uint32_t>{0, 1}));
    // Something between the two acquires: which of the releases comes first is not known.
    plan.ranks[0].blocks[0].insert(plan.ranks[0].blocks[0].begin() + 1, data("copy", {here("i", 0)}, {here("o", 1)}));
    const auto refused = parsed(plan);
    QVERIFY(!refused);
    QVERIFY2(refused.error().code == ErrorCode::Unsupported, refused.error().text().c_str());
    QCOMPARE(refused.error().place.field, std::string("gpus[0].threadblocks[0].ops[0]"));
}

void TestMscclppBlocks::sharedOperationsAreCut()
{
    // Three thread blocks share a put of one chunk, two share one of two chunks: chunks are cut in three.
    PlanText plan = mesh(2, "allgather", 1, 2, 0, {"o"});
    for (int rank = 0; rank < 2; ++rank) {
        std::vector<std::vector<Op>> blocks;
        for (int part = 0; part < 3; ++part) {
            std::vector<Op> ops{PlanText::shared(data("copy", {here("i", 0)}, {here("o", rank)}), part, 3), PlanText::shared(data("put", {here("i", 0)}, {there(0, rank)}, "memory"), part, 3),
                PlanText::barrier(0, 3)};
            if (part == 0)
                ops.insert(ops.end(), {message("signal", {0}), message("wait", {0})});
            blocks.push_back(ops);
        }
        plan.ranks[at(rank)].blocks = blocks;
    }
    QCOMPARE(objection(plan), QString());
    const ProgramPtr program = read(plan);
    QCOMPARE(program->chunks, 6);
    const ExplicitBody& body = program->asExplicit();
    QCOMPARE(body.buffers[0], (BufferSizes{3, 6, 0}));
    std::vector<std::int32_t> offsets;
    for (std::uint32_t op = body.rankBegin[1]; op < body.rankBegin[2]; ++op) {
        if (body.kind[op] == OpKind::Put) {
            QCOMPARE(body.count[op], 1);
            offsets.push_back(body.targetOffset[op]);
        }
    }
    QCOMPARE(offsets, (std::vector<std::int32_t>{3, 4, 5}));
}

void TestMscclppBlocks::scratchMemoryThatCuttingMakesTooLargeIsRefused()
{
    // The last chunk of the memory of rank 1, cut in 4,096: its number is more than an int holds.
    PlanText plan = mesh(2, "allgather", 1, 2, 1, {"s"});
    plan.ranks[1].scratch = 1 << 20;
    plan.ranks[0].blocks = {{PlanText::shared(data("put", {here("i", 0)}, {there(0, (1 << 20) - 1)}, "memory"), 0, 4096)}};

    const auto refused = parsed(plan);

    QVERIFY(!refused);
    QCOMPARE(refused.error().place.field, std::string("gpus[1].scratch_chunks"));
}

void TestMscclppBlocks::pipelinesRunOnce()
{
    PlanText plan = mesh(2, "allgather", 1, 2, 0, {"o"});
    PlanText flat = plan;
    for (int rank = 0; rank < 2; ++rank) {
        const std::vector<Op> ops{data("copy", {here("i", 0)}, {here("o", rank)}), data("put", {here("i", 0)}, {there(0, rank)}, "memory"), message("signal", {0}), message("wait", {0})};
        flat.ranks[at(rank)].blocks = {ops};
        plan.ranks[at(rank)].blocks = {{PlanText::pipeline(ops, 1 << 20)}};
    }
    QCOMPARE(objection(plan), QString());
    QVERIFY(read(plan)->asExplicit() == read(flat)->asExplicit());
}

void TestMscclppBlocks::ringsOfWaitsAndMissingWaitsAreFoundByTheVerifier()
{
    PlanText plan = mesh(2, "allgather", 1, 2, 0, {"o"});
    for (int rank = 0; rank < 2; ++rank) {
        const std::vector<Op> ops{message("wait", {0}), data("copy", {here("i", 0)}, {here("o", rank)}), data("put", {here("i", 0)}, {there(0, rank)}, "memory"), message("signal", {0})};
        plan.ranks[at(rank)].blocks = {ops};
    }
    const auto found = [](const PlanText& text, const char* rule) {
        const Verification verified = verify(*read(text));
        for (const VerifyFinding& finding : verified.findings) {
            if (finding.rule == rule && finding.severity == Severity::Error)
                return finding.message;
        }
        return std::string();
    };
    const std::string ring = found(plan, "V12");
    QVERIFY2(ring.find("rank 0") != std::string::npos && ring.find("rank 1") != std::string::npos, ring.c_str());
    plan.ranks[1].blocks[0].erase(plan.ranks[1].blocks[0].begin());
    const std::string missing = found(plan, "V7");
    QVERIFY2(missing.find("from rank 0 to rank 1") != std::string::npos, missing.c_str());
}

void TestMscclppBlocks::barriersOfThousandsAreRefused()
{
    // Each of n thread blocks would wait for all others: n^2 dependencies for 2 n operations.
    const auto plan = [](int blocks) {
        PlanText text = mesh(2, "allgather", 1, 2, 0, {});
        for (int block = 0; block < blocks; ++block)
            text.ranks[0].blocks.push_back({data("copy", {here("i", 0)}, {here("o", 0)}), PlanText::barrier(0, blocks)});
        return text;
    };
    QVERIFY(parsed(plan(100)));
    const auto refused = parsed(plan(2000));
    QVERIFY(!refused);
    QVERIFY2(refused.error().code == ErrorCode::Unsupported && refused.error().message.find("dependencies") != std::string::npos, refused.error().text().c_str());
    QCOMPARE(refused.error().place.field, std::string("gpus[0].threadblocks[0].ops[1]"));
    const auto many = parsed(plan(5000));
    QVERIFY(!many);
    QVERIFY2(many.error().message.find("5000 thread blocks") != std::string::npos, many.error().text().c_str());
}

FABRICSCOPE_TEST(TestMscclppBlocks)
#include "tst_mscclpp_blocks.moc"
