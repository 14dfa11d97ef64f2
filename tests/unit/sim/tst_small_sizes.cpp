#include "core/base/index.h"
#include "core/generate/generate.h"
#include "core/program/programbuilder.h"
#include "core/verify/carriedbytes.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/cases/mscclcorpus.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <numeric>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using enum CollectiveOp;

constexpr std::int64_t kSizes[] = {0, 1, 2, 3, 5, 17, 1000};

/// Bytes all ranks together must receive, however the vector is cut: what is needed and not there at the start.
std::int64_t leastTogether(CollectiveOp op, std::int64_t bytes, std::int32_t ranks)
{
    switch (op) {
    case AllReduce: // Every rank needs something of the others for every byte.
        return bytes * ranks;
    case AllGather:
    case AllToAll:
    case Broadcast:
        return bytes * (ranks - 1);
    default: // Who ends with a byte of a sum needs something of another rank.
        return op == Reduce || op == ReduceScatter ? bytes : 0;
    }
}

std::int32_t productOf(const std::vector<std::int32_t>& axes)
{
    return std::accumulate(axes.begin(), axes.end(), 1, std::multiplies<>());
}

LinksScenario scenarioOf(const ProgramPtr& program, std::int64_t bytes, Model model)
{
    LinksScenario scenario(astraPlatform("FullyConnected(" + std::to_string(program->ranks) + ')', {50}, {500}));
    scenario.model = model;
    const std::vector<std::int32_t> axes = program->isTemplate() ? program->asTemplate().axes : std::vector<std::int32_t>{program->ranks};
    for (std::int32_t rank = 0; rank < program->ranks; ++rank)
        scenario.collective(rank, 0, bytes, program, axes);
    return scenario;
}

std::vector<std::int64_t> receivedBy(const LinksRun& run, std::int32_t ranks)
{
    std::vector<std::int64_t> received(static_cast<std::size_t>(ranks), 0);
    for (const MessageRecord& message : run.messages)
        received[at(message.target)] += message.bytes;
    return received;
}

std::int64_t sum(const std::vector<std::int64_t>& list)
{
    return std::accumulate(list.begin(), list.end(), std::int64_t{0});
}

} // namespace

/// Fewer bytes than ranks, and sizes that do not divide: every byte reaches every rank that needs it.
class SmallSizesTest : public QObject {
    Q_OBJECT

private slots:
    void everyGeneratorBringsEveryByte_data();
    void everyGeneratorBringsEveryByte();
    void bruckAndSwingMoveTheOneByte();
    void sizesFollowWhatIsCarriedNotWhereItLies();
    void theCorpusBringsEveryByte();
};

void SmallSizesTest::everyGeneratorBringsEveryByte_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<int>("op");
    QTest::addColumn<QList<int>>("axes");
    QTest::addColumn<int>("chunks");
    for (const GeneratorInfo& info : generators()) {
        if (info.key == "in_network")
            continue; // Needs switches, which send no messages between ranks.
        for (const CollectiveOp op : info.ops) {
            for (const QList<int>& axes : {QList<int>{2}, QList<int>{5}, QList<int>{16}, QList<int>{3, 4}, QList<int>{4, 4}}) {
                for (const int chunks : {1, 3}) {
                    GenerateRequest request;
                    request.algorithm = info.key;
                    request.op = op;
                    request.axes.assign(axes.begin(), axes.end());
                    request.chunks = chunks;
                    if (!checkGenerate(request))
                        continue;
                    QString shape;
                    for (const int extent : axes)
                        shape += (shape.isEmpty() ? "" : "x") + QString::number(extent);
                    QTest::addRow("%s %s %s, %d chunks", std::string(info.key).c_str(), std::string(collectiveKey(op)).c_str(), qPrintable(shape), chunks)
                        << QString::fromStdString(std::string(info.key)) << static_cast<int>(op) << axes << chunks;
                }
            }
        }
    }
}

void SmallSizesTest::everyGeneratorBringsEveryByte()
{
    QFETCH(QString, key);
    QFETCH(int, op);
    QFETCH(QList<int>, axes);
    QFETCH(int, chunks);
    GenerateRequest request;
    request.algorithm = key.toStdString();
    request.op = static_cast<CollectiveOp>(op);
    request.axes.assign(axes.begin(), axes.end());
    request.chunks = chunks;
    const auto made = generateProgram(request);
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    const ProgramPtr program = made.value();
    const auto written = expandTemplate(program);
    QVERIFY2(written, written ? "" : written.error().text().c_str());
    const std::int32_t ranks = productOf(request.axes);

    for (const std::int64_t bytes : kSizes) {
        const std::int64_t least = leastTogether(request.op, bytes, ranks);
        std::vector<std::int64_t> received;
        for (const Model model : {Model::Links, Model::Ideal, Model::Flow}) {
            const LinksRun run = runLinks(scenarioOf(program, bytes, model).build());
            QVERIFY(run.record.complete);
            const std::vector<std::int64_t> now = receivedBy(run, ranks);
            QVERIFY2(sum(now) >= least, qPrintable(QStringLiteral("%1 B: %2 of %3 bytes").arg(bytes).arg(sum(now)).arg(least)));
            QCOMPARE(run.record.finish.ps > 0, sum(now) > 0);
            if (request.op == AllReduce)
                QVERIFY(*std::min_element(now.begin(), now.end()) >= bytes);
            if (model == Model::Links)
                received = now;
            QCOMPARE(now, received);
        }
        if (!program->isTemplate())
            continue;
        // The same program operation by operation; where the vector is cut more than once, and in halving-doubling, its blocks lie elsewhere.
        const std::vector<std::int64_t> same = receivedBy(runLinks(scenarioOf(written.value(), bytes, Model::Links).build()), ranks);
        QVERIFY(sum(same) >= least);
        QVERIFY(request.op != AllReduce || *std::min_element(same.begin(), same.end()) >= bytes);
        if (program->chunks == 1 && program->asTemplate().axes.size() == 1 && request.algorithm != "halving_doubling")
            QCOMPARE(same, received);
    }
}

/// The byte of 1 B lies in the last of 16 blocks. Bruck's all-gather doubles who has it: 15 receive it once. Swing's reduce-scatter sums up a
/// tree of the 16 ranks, and its all-gather goes the tree back: 15 bytes each way.
void SmallSizesTest::bruckAndSwingMoveTheOneByte()
{
    const auto carried = [](const char* key, CollectiveOp op) {
        GenerateRequest request;
        request.algorithm = key;
        request.op = op;
        request.axes = {16};
        const LinksRun run = runLinks(scenarioOf(generateProgram(request).value(), 1, Model::Links).build());
        return sum(receivedBy(run, 16));
    };
    QCOMPARE(carried("bruck", AllGather), std::int64_t{15});
    QCOMPARE(carried("swing", ReduceScatter), std::int64_t{15});
    QCOMPARE(carried("swing", AllGather), std::int64_t{15});
    QCOMPARE(carried("swing", AllReduce), std::int64_t{30});
    // 15 ranks send the block of rank 15 on its way; distance d takes as many hops as d has bits set: 1+1+2+1+2+2+3+1+2+2+3+2+3+3+4 = 32.
    QCOMPARE(carried("bruck", AllToAll), std::int64_t{32});
}

/// Rank 0 keeps its two chunks in scratch the other way round and sends the first from there. Of 3 bytes, chunk 0 has 1 and chunk 1 has 2.
void SmallSizesTest::sizesFollowWhatIsCarriedNotWhereItLies()
{
    ProgramBuilder builder(Broadcast, 2, 2);
    builder.local({0, BufferKind::Input, 0}, {0, BufferKind::Scratch, 1}, 1, {});
    builder.local({0, BufferKind::Input, 1}, {0, BufferKind::Scratch, 0}, 1, {});
    builder.transfer({0, BufferKind::Scratch, 0}, {1, BufferKind::Output, 1}, 1, {});
    builder.transfer({0, BufferKind::Scratch, 1}, {1, BufferKind::Output, 0}, 1, {});
    builder.inferDependencies();
    const ProgramPtr program = builder.finish("crossed", "test");

    const OperationBytes sizes = carriedBytes(*program, 3);
    std::vector<std::int64_t> sent;
    for (std::uint32_t op = 0; op < program->asExplicit().size(); ++op) {
        if (program->asExplicit().kind[op] == OpKind::Send)
            sent.push_back(sizes.of(op));
    }
    QCOMPARE(sent, (std::vector<std::int64_t>{2, 1}));
}

/// Programs of others, which keep blocks in scratch in orders of their own.
void SmallSizesTest::theCorpusBringsEveryByte()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    int checked = 0;
    for (const std::string& path : mscclCorpus(shared)) {
        const ProgramPtr program = mscclProgram(path);
        if (program->asExplicit().size() > 5000 || program->ranks < 2)
            continue;
        for (const std::int64_t bytes : {1, 3, 1000}) {
            const LinksRun run = runLinks(scenarioOf(program, bytes, Model::Links).build());
            QVERIFY(run.record.complete);
            const std::vector<std::int64_t> received = receivedBy(run, program->ranks);
            const std::int64_t least = leastTogether(program->op, bytes, program->ranks);
            QVERIFY2(sum(received) >= least, (path + ": " + std::to_string(sum(received)) + " of " + std::to_string(least) + " bytes").c_str());
            QVERIFY2(program->op != AllReduce || *std::min_element(received.begin(), received.end()) >= bytes, path.c_str());
        }
        ++checked;
    }
    QVERIFY(checked > 10);
}

FABRICSCOPE_TEST(SmallSizesTest)
#include "tst_small_sizes.moc"
