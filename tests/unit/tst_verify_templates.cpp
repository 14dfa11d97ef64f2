// The verifier on templates: what the planner makes is right at every size; wrong sequences and wrong rules are named.
#include "core/verify/phasecheck.h"
#include "core/verify/verify.h"

#include <QtTest>

using namespace fabricscope;

namespace {

using Message = PhaseTable::Message;

constexpr Algorithm kCutting[] = {Algorithm::Ring, Algorithm::Direct, Algorithm::HalvingDoubling, Algorithm::InNetwork};

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
                        const bool halving = algorithm == Algorithm::HalvingDoubling;
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
            for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::Direct, Algorithm::HalvingDoubling, Algorithm::DoubleBinaryTree}) {
                for (const PhaseKind kind : {PhaseKind::ReduceScatter, PhaseKind::AllGather, PhaseKind::AllReduce}) {
                    if ((kind == PhaseKind::AllReduce) != (algorithm == Algorithm::DoubleBinaryTree))
                        continue;
                    const PhaseTemplate phase{kind, algorithm, 0, 0, false};
                    QVERIFY(!finds(PhaseTable(phase, n)));
                    for (const std::int32_t r : {0, 1, n - 1}) {
                        const PhaseTable right(phase, n);
                        for (std::int32_t index = 0; index < right.sendCount(r); ++index) {
                            // Shift-equivariant rules are looked at in full for position 0 only.
                            const bool sampled = r == 0 || algorithm == Algorithm::HalvingDoubling || algorithm == Algorithm::DoubleBinaryTree || index == 0
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
};

QTEST_APPLESS_MAIN(TestVerifyTemplates)
#include "tst_verify_templates.moc"
