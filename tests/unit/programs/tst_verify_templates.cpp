// The verifier on templates: what the planner makes is right at every size; wrong sequences and wrong rules are named.
#include "core/verify/phasecheck.h"
#include "core/verify/verify.h"
#include "core/verify/windowcheck.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>
#include <random>

using namespace fabricscope;

namespace {

using Message = PhaseTable::Message;

constexpr Algorithm kCutting[] = {Algorithm::Ring, Algorithm::Direct, Algorithm::HalvingDoubling, Algorithm::Circulant, Algorithm::InNetwork};

QByteArray said(const Verification& result)
{
    QByteArray text;
    for (const VerifyFinding& finding : result.findings)
        text += QByteArray::fromStdString(finding.rule + " " + finding.message + "\n");
    return text;
}

Program program(CollectiveOp op, std::vector<std::int32_t> axes, std::vector<PhaseTemplate> phases)
{
    Program out;
    out.op = op;
    out.ranks = 1;
    for (const std::int32_t extent : axes)
        out.ranks *= extent;
    TemplateBody body;
    body.axes = std::move(axes);
    body.phases = std::move(phases);
    out.body = std::move(body);
    return out;
}

/// Reduce-scatter up, all-gather down.
Program allReduce(const std::vector<std::int32_t>& axes, Algorithm algorithm)
{
    std::vector<PhaseTemplate> phases;
    for (std::int32_t axis = 0; axis < static_cast<std::int32_t>(axes.size()); ++axis)
        phases.push_back({PhaseKind::ReduceScatter, algorithm, axis, 0, false});
    for (auto axis = static_cast<std::int32_t>(axes.size()); axis-- > 0;)
        phases.push_back({PhaseKind::AllGather, algorithm, axis, 0, false});
    return program(CollectiveOp::AllReduce, axes, phases);
}

/// A table in which one thing is wrong.
class WrongTable : public PhaseTable {
public:
    enum class Fault { Block, Peer, Early, NoReduce, Lost, Waits };
    WrongTable(const PhaseTemplate& phase, std::int32_t extent, Fault fault, std::int32_t r, std::int32_t index)
        : PhaseTable(phase, extent), m_fault(fault), m_r(r), m_index(index) {}

    std::int32_t sendCount(std::int32_t r) const override { return PhaseTable::sendCount(r) - (m_fault == Fault::Lost && r == m_r ? 1 : 0); }
    Message send(std::int32_t r, std::int32_t index, std::int64_t held) const override
    {
        Message message = PhaseTable::send(r, index, held);
        if (r != m_r || index != m_index)
            return message;
        if (m_fault == Fault::Block)
            message.bytes = message.bytes > 0 ? 0 : 1;
        if (m_fault == Fault::Peer)
            message.peer = (message.peer + 1) % extent() == r ? (message.peer + 2) % extent() : (message.peer + 1) % extent();
        if (m_fault == Fault::NoReduce)
            message.reduces = !message.reduces;
        if (m_fault == Fault::Early)
            message.needsOwn = message.forwardOnly = false;
        return message;
    }
    Needs needs(std::int32_t r, std::int32_t index) const override
    {
        Needs out = PhaseTable::needs(r, index);
        if (r == m_r && index == m_index && m_fault == Fault::Early)
            out.count = 0;
        if (r == m_r && index == m_index && m_fault == Fault::Waits)
            out = {receiveCount(r) - 1, 1, 1};
        return out;
    }

private:
    Fault m_fault;
    std::int32_t m_r;
    std::int32_t m_index;
};

/// Chunks that are alike and windows of a template, run as phaserules.h says, with phases that take any time: a phase of a chunk may end at a rank when all members
/// of the line have entered it. True: some order of these ends leaves chunks that wait for ever.
bool standsStill(const Program& program, std::mt19937& random)
{
    const TemplateBody& body = program.asTemplate();
    const auto ranks = static_cast<std::size_t>(program.ranks);
    const auto chunks = static_cast<std::size_t>(program.chunks);
    struct At {
        std::size_t phase = 0;
        bool inside = false;
        int since = 0;
    };
    std::vector<At> at(ranks * chunks);
    std::vector<unsigned> priority(at.size()); // Half of the runs favour some chunks on some ranks.
    for (unsigned& one : priority)
        one = static_cast<unsigned>(random());
    const bool favours = random() % 2 == 0;
    const auto phasesOf = [&](std::size_t chunk) -> const std::vector<PhaseTemplate>& { return body.phasesOf(static_cast<std::int32_t>(chunk)); };
    const auto gate = [](const PhaseTemplate& phase) { return std::pair(phase.axis, phase.kind == PhaseKind::AllGather); };
    const auto letIn = [&](std::size_t rank) {
        for (;;) {
            std::size_t best = chunks;
            for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
                const At& one = at[rank * chunks + chunk];
                if (one.inside || one.phase == phasesOf(chunk).size() || (best < chunks && one.since >= at[rank * chunks + best].since))
                    continue;
                int inside = 0;
                for (std::size_t other = 0; other < chunks; ++other) {
                    const At& two = at[rank * chunks + other];
                    inside += two.inside && gate(phasesOf(other)[two.phase]) == gate(phasesOf(chunk)[one.phase]) ? 1 : 0;
                }
                if (program.window == 0 || inside < program.window)
                    best = chunk;
            }
            if (best == chunks)
                return;
            at[rank * chunks + best].inside = true;
        }
    };
    const auto mayEnd = [&](std::size_t rank, std::size_t chunk) {
        const At& one = at[rank * chunks + chunk];
        if (!one.inside)
            return false;
        const auto axis = static_cast<std::size_t>(phasesOf(chunk)[one.phase].axis);
        std::size_t stride = 1;
        for (std::size_t below = 0; below < axis; ++below)
            stride *= static_cast<std::size_t>(body.axes[below]);
        const auto extent = static_cast<std::size_t>(body.axes[axis]);
        const std::size_t first = rank - rank / stride % extent * stride;
        for (std::size_t member = 0; member < extent; ++member) {
            const At& two = at[(first + member * stride) * chunks + chunk];
            if (two.phase < one.phase || (two.phase == one.phase && !two.inside))
                return false;
        }
        return true;
    };
    for (std::size_t rank = 0; rank < ranks; ++rank)
        letIn(rank);
    for (int now = 1;; ++now) {
        std::vector<std::size_t> open;
        bool all = true;
        for (std::size_t i = 0; i < at.size(); ++i) {
            all = all && at[i].phase == phasesOf(i % chunks).size();
            if (mayEnd(i / chunks, i % chunks))
                open.push_back(i);
        }
        if (open.empty())
            return !all;
        std::size_t pick = open[random() % open.size()];
        for (const std::size_t i : open)
            pick = favours && priority[i] > priority[pick] ? i : pick;
        at[pick] = {at[pick].phase + 1, false, now};
        letIn(pick / chunks);
    }
}

bool finds(const PhaseTable& table)
{
    const Program dummy = allReduce({2}, Algorithm::Ring);
    VerifyFindings findings(dummy, 10);
    checkPhase(table, findings, {});
    return findings.errors() > 0;
}

} // namespace

class TestVerifyTemplates : public QObject {
    Q_OBJECT

private slots:
    void acceptsEveryRuleAtManySizes()
    {
        for (std::int32_t n = 2; n <= 67; ++n) {
            for (const Algorithm algorithm : kCutting) {
                for (const bool minus : {false, true}) {
                    if (minus && algorithm != Algorithm::Ring)
                        continue;
                    for (const PhaseKind kind : {PhaseKind::ReduceScatter, PhaseKind::AllGather, PhaseKind::AllToAll, PhaseKind::Broadcast}) {
                        const bool halving = algorithm == Algorithm::HalvingDoubling || algorithm == Algorithm::Circulant;
                        if ((kind == PhaseKind::AllToAll && (halving || algorithm == Algorithm::InNetwork)) || (kind == PhaseKind::Broadcast && halving))
                            continue;
                        const CollectiveOp op = kind == PhaseKind::ReduceScatter ? CollectiveOp::ReduceScatter
                            : kind == PhaseKind::AllGather                       ? CollectiveOp::AllGather
                            : kind == PhaseKind::AllToAll                        ? CollectiveOp::AllToAll
                                                                                 : CollectiveOp::Broadcast;
                        const Verification result = verify(program(op, {n}, {{kind, algorithm, 0, 0, minus}}));
                        QVERIFY2(result.valid && result.postcondition == Postcondition::Holds, said(result));
                    }
                }
            }
            for (const Algorithm algorithm : {Algorithm::DoubleBinaryTree, Algorithm::InNetwork}) {
                const Verification result = verify(program(CollectiveOp::AllReduce, {n}, {{PhaseKind::AllReduce, algorithm, 0, 0, false}}));
                QVERIFY2(result.valid, said(result));
            }
        }
    }
    void countsTransfers()
    {
        const Verification result = verify(allReduce({4, 2}, Algorithm::Ring));
        QVERIFY2(result.valid, said(result));
        QCOMPARE(result.transfers, std::int64_t{2 * (4 * 3 * 2 + 2 * 1 * 4)}); // Two phases an axis, n (n - 1) messages a line.
        QCOMPARE(result.operations, 2 * result.transfers);
    }
    void namesWrongSequences()
    {
        const std::vector<std::int32_t> axes{4, 3};
        const auto rs = [](std::int32_t axis) { return PhaseTemplate{PhaseKind::ReduceScatter, Algorithm::Ring, axis, 0, false}; };
        const auto ag = [](std::int32_t axis) { return PhaseTemplate{PhaseKind::AllGather, Algorithm::Ring, axis, 0, false}; };
        const auto a2a = [](std::int32_t axis) { return PhaseTemplate{PhaseKind::AllToAll, Algorithm::Direct, axis, 0, false}; };
        const auto cast = [](std::int32_t axis) { return PhaseTemplate{PhaseKind::Broadcast, Algorithm::Direct, axis, 0, false}; };
        const PhaseTemplate tree{PhaseKind::AllReduce, Algorithm::DoubleBinaryTree, 1, 0, false};
        const std::vector<std::pair<CollectiveOp, std::vector<PhaseTemplate>>> right = {
            {CollectiveOp::AllReduce, {rs(0), rs(1), ag(1), ag(0)}}, {CollectiveOp::AllReduce, {rs(0), ag(0), rs(1), ag(1)}}, {CollectiveOp::AllReduce, {rs(0), tree, ag(0)}},
            {CollectiveOp::ReduceScatter, {rs(1), rs(0)}}, {CollectiveOp::AllGather, {ag(1), ag(0)}}, {CollectiveOp::AllToAll, {a2a(0), a2a(1)}},
            {CollectiveOp::Broadcast, {cast(1), cast(0)}}};
        for (const auto& [op, phases] : right)
            QVERIFY2(verify(program(op, axes, phases)).valid, said(verify(program(op, axes, phases))));
        const std::vector<std::pair<CollectiveOp, std::vector<PhaseTemplate>>> wrong = {
            {CollectiveOp::AllReduce, {ag(0), ag(1), rs(1), rs(0)}},        // Gathers first.
            {CollectiveOp::AllReduce, {rs(0), ag(0)}},                      // An axis is missing.
            {CollectiveOp::AllReduce, {rs(0), rs(0), ag(0), ag(0)}},        // Sums twice.
            {CollectiveOp::AllReduce, {rs(0), ag(0), rs(0), ag(0)}},
            {CollectiveOp::AllReduce, {rs(0), rs(1), ag(0), ag(1)}},        // Gathers in the wrong order.
            {CollectiveOp::AllReduce, {rs(0), rs(1), ag(1)}},               // Ends scattered.
            {CollectiveOp::AllReduce, {rs(0), tree}},
            {CollectiveOp::AllReduce, {rs(0), rs(1), tree, ag(1), ag(0)}},
            {CollectiveOp::ReduceScatter, {rs(0)}}, {CollectiveOp::ReduceScatter, {rs(0), rs(1), rs(1)}}, {CollectiveOp::AllGather, {ag(0), rs(1)}},
            {CollectiveOp::AllGather, {ag(0), ag(0)}}, {CollectiveOp::AllToAll, {a2a(0)}}, {CollectiveOp::AllToAll, {a2a(0), a2a(1), a2a(0)}},
            {CollectiveOp::Broadcast, {cast(0), cast(1)}}, {CollectiveOp::Broadcast, {cast(1)}}, {CollectiveOp::Reduce, {rs(0), rs(1)}}};
        for (const auto& [op, phases] : wrong) {
            const Verification result = verify(program(op, axes, phases));
            QVERIFY(!result.valid && result.postcondition == Postcondition::Fails);
            QCOMPARE(result.findings[0].rule, std::string("V16"));
        }
    }
    void namesHeadersAndOrdersThatDoNotFit()
    {
        const Program good = allReduce({4, 3}, Algorithm::Direct);
        const auto bad = [&](auto&& change) {
            Program out = good;
            change(out, std::get<0>(out.body));
            return !verify(out).valid;
        };
        QVERIFY(bad([](Program& p, TemplateBody&) { p.ranks = 11; }));
        QVERIFY(bad([](Program& p, TemplateBody&) { p.chunks = 0; }));
        QVERIFY(bad([](Program&, TemplateBody& b) { b.axes = {12, 1}; }));
        QVERIFY(bad([](Program&, TemplateBody& b) { b.phases[0].axis = 2; }));
        QVERIFY(bad([](Program&, TemplateBody& b) { b.phases[0].algorithm = Algorithm::DoubleBinaryTree; }));
        QVERIFY(bad([](Program& p, TemplateBody& b) { p.chunks = 2; b.orderOfChunk = {0, 1}; }));
        QVERIFY(bad([](Program& p, TemplateBody& b) { p.chunks = 2; b.orderOfChunk = {0}; }));
        QVERIFY(bad([](Program& p, TemplateBody& b) { p.chunks = 2; b.orders = {{b.phases[0], b.phases[3]}}; b.orderOfChunk = {0, 1}; }));
        QVERIFY(bad([](Program& p, TemplateBody& b) { p.chunks = 2; b.chunkWeights = {0, 0}; }));
        QVERIFY(bad([](Program& p, TemplateBody& b) { p.chunks = 2; b.chunkWeights = {1}; }));
        // A second order that is right, and one that gathers in the order of the first.
        const auto order = [&](bool right) {
            return !bad([&](Program& p, TemplateBody& b) {
                p.chunks = 2;
                b.orders = {{b.phases[1], b.phases[0], right ? b.phases[3] : b.phases[2], right ? b.phases[2] : b.phases[3]}};
                b.orderOfChunk = {0, 1};
            });
        };
        QVERIFY(order(true));
        QVERIFY(!order(false));
    }
    void findsFaultsInRules()
    {
        using Fault = WrongTable::Fault;
        int faults = 0;
        for (const std::int32_t n : {4, 7, 8, 13}) {
            for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::Direct, Algorithm::HalvingDoubling, Algorithm::Circulant, Algorithm::DoubleBinaryTree}) {
                for (const PhaseKind kind : {PhaseKind::ReduceScatter, PhaseKind::AllGather, PhaseKind::AllReduce}) {
                    if ((kind == PhaseKind::AllReduce) != (algorithm == Algorithm::DoubleBinaryTree))
                        continue;
                    const PhaseTemplate phase{kind, algorithm, 0, 0, false};
                    QVERIFY(!finds(PhaseTable(phase, n)));
                    for (const std::int32_t r : {0, 1, n - 1}) {
                        const PhaseTable right(phase, n);
                        for (std::int32_t index = 0; index < right.sendCount(r); ++index) {
                            // Shift-equivariant rules are looked at in full for position 0 only.
                            const bool sampled = r == 0 || algorithm == Algorithm::HalvingDoubling || algorithm == Algorithm::Circulant || algorithm == Algorithm::DoubleBinaryTree || index == 0
                                || index == right.sendCount(r) - 1;
                            if (!sampled)
                                continue;
                            for (const Fault fault : {Fault::Block, Fault::Peer, Fault::NoReduce, Fault::Lost, Fault::Early, Fault::Waits}) {
                                const PhaseTable::Needs needs = right.needs(r, index);
                                if (fault == Fault::Early && (needs.count == 0 || algorithm == Algorithm::DoubleBinaryTree) && !right.send(r, index, n).needsOwn)
                                    continue;
                                const bool needless = fault == Fault::Waits && needs.count == 1 && needs.first == right.receiveCount(r) - 1;
                                if (needless || (fault == Fault::Waits && index == right.sendCount(r) - 1))
                                    continue; // What it waits for is what it must, or earlier.
                                ++faults;
                                QVERIFY2(finds(WrongTable(phase, n, fault, r, index)),
                                         qPrintable(QStringLiteral("%1 %2 n=%3 r=%4 message %5 fault %6").arg(static_cast<int>(algorithm)).arg(static_cast<int>(kind)).arg(n).arg(r).arg(index).arg(static_cast<int>(fault))));
                            }
                        }
                    }
                }
            }
        }
        QVERIFY(faults > 500);
    }
    void windowsThatCannotStopChunksPassAndOthersAreNamed()
    {
        std::mt19937 random(test::seeded(11));
        int safe = 0;
        int named = 0;
        int stopped = 0;
        int turns = 0;
        for (int k = 0; k < test::cases(900); ++k) {
            std::vector<std::int32_t> axes;
            const std::size_t dimensions = 1 + random() % 3;
            for (std::size_t axis = 0; axis < dimensions; ++axis)
                axes.push_back(static_cast<std::int32_t>(2 + random() % (dimensions == 3 ? 1 : 2)));
            const bool exchange = random() % 3 == 0;
            const auto shuffled = [&] {
                std::vector<std::int32_t> way;
                for (std::size_t axis = 0; axis < dimensions; ++axis)
                    way.push_back(static_cast<std::int32_t>(axis));
                std::shuffle(way.begin(), way.end(), random);
                std::vector<PhaseTemplate> phases;
                for (const std::int32_t axis : way)
                    phases.push_back({exchange ? PhaseKind::AllToAll : PhaseKind::ReduceScatter, Algorithm::Direct, axis, 0, false});
                for (std::size_t i = way.size(); i-- > 0 && !exchange;)
                    phases.push_back({PhaseKind::AllGather, Algorithm::Direct, way[i], 0, false});
                return phases;
            };
            Program subject = program(exchange ? CollectiveOp::AllToAll : CollectiveOp::AllReduce, axes, shuffled());
            subject.chunks = static_cast<std::int32_t>(1 + random() % 6);
            subject.window = static_cast<std::int32_t>(random() % 4);
            TemplateBody& body = std::get<0>(subject.body);
            const auto differ = random() % 6; // Orders of their own, weights, both, or chunks that are alike.
            if (differ == 0 || differ == 2) {
                body.orders = {shuffled()};
                for (std::int32_t chunk = 0; chunk < subject.chunks; ++chunk)
                    body.orderOfChunk.push_back(static_cast<std::uint16_t>(random() % 2));
            }
            for (std::int32_t chunk = 0; chunk < subject.chunks && (differ == 1 || differ == 2); ++chunk)
                body.chunkWeights.push_back(static_cast<std::int64_t>(1 + random() % 9));
            const Verification result = verify(subject);
            QVERIFY2(result.valid, said(result));
            const bool warned = std::any_of(result.findings.begin(), result.findings.end(), [](const VerifyFinding& finding) {
                return finding.rule == "V13" && finding.severity == Severity::Warning;
            });
            if (differ <= 2) { // They take turns, in one order on all ranks (windowturns.h).
                QVERIFY2(!warned, said(result));
                turns += subject.window > 0 && subject.window < subject.chunks ? 1 : 0;
                continue;
            }
            bool stops = false;
            for (int run = 0; run < (warned ? 200 : 40) && !stops; ++run)
                stops = standsStill(subject, random);
            QVERIFY2(warned || !stops, qPrintable(QString::number(k)));
            ++(warned ? named : safe);
            stopped += stops ? 1 : 0;
        }
        qInfo("%d windows pass, %d are named, of which %d are seen to stop; %d have turns", safe, named, stopped, turns);
        QVERIFY(safe > test::cases(100) && stopped > test::cases(50) && turns > test::cases(100));
        QVERIFY(10 * stopped >= 9 * named); // Few runs may miss a stop that is there.
    }
    void windowsOfMessagesAreNotNegative()
    {
        Program subject = allReduce({4, 3}, Algorithm::Direct);
        std::get<0>(subject.body).phases[1].window = 2;
        QVERIFY2(verify(subject).findings.empty(), said(verify(subject)));
        std::get<0>(subject.body).phases[1].window = -1;
        QCOMPARE(verify(subject).findings.at(0).rule, std::string("V1"));
        std::get<0>(subject.body).phases[1].window = 0;
        subject.window = -1;
        QCOMPARE(verify(subject).findings.at(0).rule, std::string("V1"));
    }
    void saysWhereBlocksOfTheVectorEnd()
    {
        std::mt19937 random(test::seeded(12));
        int apart = 0;
        for (int k = 0; k < test::cases(400); ++k) {
            const bool scatters = random() % 2 == 0;
            std::vector<std::int32_t> axes;
            std::vector<std::int32_t> way;
            for (std::size_t axis = 0, dimensions = 1 + random() % 4; axis < dimensions; ++axis) {
                axes.push_back(static_cast<std::int32_t>(2 + random() % 3));
                way.push_back(static_cast<std::int32_t>(axis));
            }
            std::shuffle(way.begin(), way.end(), random);
            std::vector<PhaseTemplate> phases;
            for (const std::int32_t axis : way)
                phases.push_back({scatters ? PhaseKind::ReduceScatter : PhaseKind::AllGather, Algorithm::Ring, axis, 0, false});
            const Program subject = program(scatters ? CollectiveOp::ReduceScatter : CollectiveOp::AllGather, axes, phases);
            if (!scatters)
                std::reverse(way.begin(), way.end());
            // Every rank's part of the vector is cut again and again.
            std::int32_t firstRank = -1;
            std::int32_t firstBlock = -1;
            for (std::int32_t rank = 0; rank < subject.ranks && firstRank < 0; ++rank) {
                std::vector<std::int32_t> position;
                for (std::int32_t rest = rank; position.size() < axes.size(); rest /= axes[position.size() - 1])
                    position.push_back(rest % axes[position.size()]);
                std::int32_t begin = 0;
                std::int32_t size = subject.ranks;
                for (const std::int32_t axis : way) {
                    size /= axes[static_cast<std::size_t>(axis)];
                    begin += size * position[static_cast<std::size_t>(axis)];
                }
                QCOMPARE(size, 1);
                if (begin != rank) {
                    firstRank = rank;
                    firstBlock = begin;
                }
            }
            const Verification result = verify(subject);
            QVERIFY2(result.valid && result.postcondition == Postcondition::Holds, said(result));
            QCOMPARE(result.findings.size(), std::size_t{firstRank < 0 ? 0u : 1u});
            if (firstRank < 0)
                continue;
            ++apart;
            QCOMPARE(result.findings[0].rule, std::string("V16"));
            QCOMPARE(result.findings[0].severity, Severity::Note);
            QCOMPARE(result.findings[0].rank, firstRank);
            const QByteArray words = "block " + QByteArray::number(firstBlock) + " of the vector";
            QVERIFY2(said(result).contains(words), said(result));
        }
        QVERIFY(apart > test::cases(100));
    }
    /// As many orders as a program may have, on 2^20 ranks: what is said of an order must not cost a step for every rank.
    void placesBlocksOfManyOrdersOfManyRanks()
    {
        const auto gather = [](std::int32_t axis) { return PhaseTemplate{PhaseKind::AllGather, Algorithm::Direct, axis, 0, false}; };
        Program subject = program(CollectiveOp::AllGather, {1024, 1024}, {gather(0), gather(1)});
        TemplateBody& body = std::get<0>(subject.body);
        body.orders.assign(65535, body.phases);
        std::swap(body.orders.back()[0], body.orders.back()[1]);
        subject.chunks = 65536;
        for (std::int32_t chunk = 0; chunk < subject.chunks; ++chunk)
            body.orderOfChunk.push_back(static_cast<std::uint16_t>(chunk));
        VerifyFindings findings(subject, 10);
        checkPlacement(subject, findings);
        Verification result;
        findings.moveTo(result);
        // Only the last order gathers along axis 1 first: there rank (1, 0) begins with what comes 1024 blocks after that of rank 0.
        QCOMPARE(result.findings.size(), std::size_t{1});
        QCOMPARE(result.findings[0].rank, 1);
        QVERIFY2(said(result).contains("block 1024 of the vector") && said(result).contains("order 65535"), said(result));
    }
};

FABRICSCOPE_TEST(TestVerifyTemplates)
#include "tst_verify_templates.moc"
