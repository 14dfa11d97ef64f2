// Explicit programs of which one rank is followed for all: every field of the record is that of the event engine, and what is not alike is left to it.
#include "core/base/index.h"
#include "core/generate/generate.h"
#include "core/sim/simulate.h"
#include "core/sim/symmetry/foldprogram.h"
#include "core/sim/symmetry/symmetricrun.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

Result<RunRecord> programsRun(const Scenario& scenario, EngineChoice engine)
{
    RunOptions options;
    options.engine = engine;
    return simulate(scenario, options);
}

/// A program in which every rank does the same: at every step all compute, or all send to where a shift or any other permutation of the ranks says.
class AlikeProgram {
public:
    /// \param chunks the vector is cut in; 0: sizes of their own
    AlikeProgram(std::uint64_t seed, std::int32_t ranks, bool anyPermutation, std::int32_t chunks)
        : m_random(seed), m_ranks(ranks), m_anyPermutation(anyPermutation), m_chunks(chunks)
    {
    }

    std::vector<CaseSpec::Op> run()
    {
        const std::int64_t steps = pick(1, 9);
        const std::int64_t style = pick(0, 2); // Few lengths and keys: many ties.
        for (std::int64_t step = 0; step < steps; ++step) {
            if (chance(20))
                addComputation(style);
            else
                addTransfer(step, style);
        }
        return std::move(m_ops);
    }

private:
    std::int64_t pick(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(std::int64_t percent) { return pick(1, 100) <= percent; }

    /// Indices of the operations of one place, by rank.
    using Place = std::vector<std::size_t>;

    void addOp(Place& place, CaseSpec::Op op, const std::vector<std::size_t>& needs)
    {
        for (const std::size_t need : needs)
            op.depends.push_back(m_places[need][at(op.position)]);
        place[at(op.position)] = m_ops.size();
        m_ops.push_back(std::move(op));
    }

    std::vector<std::size_t> someEarlier()
    {
        std::vector<std::size_t> needs;
        for (std::size_t place = 0; place < m_places.size(); ++place) {
            if (chance(30))
                needs.push_back(place);
        }
        return needs;
    }

    void addComputation(std::int64_t style)
    {
        CaseSpec::Op op;
        op.kind = OpKind::Compute;
        op.duration = style == 0 ? pick(0, 2) * 20'000 : pick(0, 100'000);
        op.lane = chance(30) ? static_cast<std::int32_t>(pick(6, 7)) : -1;
        const auto needs = someEarlier();
        Place place(at(m_ranks));
        for (op.position = 0; op.position < m_ranks; ++op.position)
            addOp(place, op, needs);
        m_places.push_back(std::move(place));
    }

    std::vector<std::int32_t> targets()
    {
        std::vector<std::int32_t> to(at(m_ranks));
        const auto shift = static_cast<std::int32_t>(pick(1, m_ranks - 1));
        for (std::int32_t rank = 0; rank < m_ranks; ++rank)
            to[at(rank)] = (rank + shift) % m_ranks;
        while (m_anyPermutation && chance(70)) {
            std::shuffle(to.begin(), to.end(), m_random);
            for (std::int32_t rank = 0; rank < m_ranks; ++rank) { // Nobody sends to itself.
                if (to[at(rank)] == rank)
                    std::swap(to[at(rank)], to[at((rank + 1) % m_ranks)]);
            }
            for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
                if (to[at(rank)] == rank)
                    return targets();
            }
            break;
        }
        return to;
    }

    void addTransfer(std::int64_t step, std::int64_t style)
    {
        const bool again = !m_lastTargets.empty() && chance(30);
        const std::vector<std::int32_t> to = again ? m_lastTargets : targets();
        m_lastTargets = to;
        CaseSpec::Op send;
        send.kind = OpKind::Send;
        send.connection = static_cast<std::int32_t>(pick(0, 1));
        send.lane = chance(50) ? static_cast<std::int32_t>(pick(0, 2)) : -1;
        send.step = style == 0 ? 0 : static_cast<std::int32_t>(chance(50) ? step : pick(0, 3));
        send.slot = chance(30) ? static_cast<std::int32_t>(pick(0, 2)) : 0;
        if (m_chunks > 0) {
            send.chunk = static_cast<std::int32_t>(pick(0, m_chunks - 1));
            send.count = static_cast<std::int32_t>(pick(1, m_chunks - send.chunk));
            send.bytes = -1;
        } else {
            send.bytes = style == 0 ? 2000 : chance(5) ? 0 : pick(1, 6000);
        }
        CaseSpec::Op receive = send;
        receive.kind = chance(50) ? OpKind::ReceiveReduce : OpKind::Receive;
        receive.lane = chance(50) ? static_cast<std::int32_t>(pick(3, 5)) : -1;
        const auto ofSend = someEarlier();
        const auto ofReceive = someEarlier();
        Place sends(at(m_ranks));
        Place others(at(m_ranks));
        std::vector<std::int32_t> order(at(m_ranks)); // Whether a rank's send or receive is written first differs from rank to rank.
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), m_random);
        for (const std::int32_t rank : order) {
            send.transfer = receive.transfer = m_transfers++;
            send.position = receive.peer = rank;
            receive.position = send.peer = to[at(rank)];
            addOp(sends, send, ofSend);
            addOp(others, receive, ofReceive);
        }
        m_places.push_back(std::move(sends));
        m_places.push_back(std::move(others));
    }

    std::mt19937_64 m_random;
    std::int32_t m_ranks;
    bool m_anyPermutation;
    std::int32_t m_chunks;
    std::vector<CaseSpec::Op> m_ops;
    std::vector<Place> m_places;
    std::vector<std::int32_t> m_lastTargets;
    std::int32_t m_transfers = 0;
};

/// A symmetric case in which some collectives of groups along one axis are explicit programs instead; true: there are any.
bool writeOut(CaseSpec& spec, std::uint64_t seed, bool anyPermutation)
{
    std::mt19937_64 random(seed);
    bool any = false;
    for (CaseSpec::Family& family : spec.families) {
        for (CaseSpec::Call& call : family.calls) {
            if (call.body.size() != 1 || call.bytes == 0 || random() % 4 == 0)
                continue;
            const auto [size, body] = *call.body.begin();
            if (body.axes.size() != 1)
                continue;
            call.body.clear();
            call.ops[size] = AlikeProgram(random(), size, anyPermutation, random() % 2 == 0 ? call.chunks : 0).run();
            any = true;
        }
    }
    return any;
}

/// Equal programs of different groups are one, as loading a design leaves it.
Scenario withSharedPrograms(const CaseSpec& spec)
{
    Scenario scenario = sharedBuild(spec);
    auto structure = std::make_shared<Structure>(*scenario.structure);
    std::vector<ProgramPtr> known;
    for (CollectiveInstance& instance : structure->instances) {
        if (!instance.program || instance.program->isTemplate())
            continue;
        const auto found = std::find_if(known.begin(), known.end(), [&](const ProgramPtr& other) {
            return other->chunks == instance.program->chunks && other->asExplicit() == instance.program->asExplicit();
        });
        if (found == known.end())
            known.push_back(instance.program);
        else
            instance.program = *found;
    }
    scenario.structure = std::move(structure);
    return scenario;
}

/// One collective of all ranks of one dimension by a program.
Scenario scenarioOf(Shape shape, const ProgramPtr& program, std::int64_t bytes, std::uint64_t seed)
{
    SymmetricLimits limits;
    limits.families = false;
    const CaseSpec machine = symmetricCase(seed, limits);
    CaseSpec spec = worldCollective({{shape, program->ranks, 3'000'000'000 + static_cast<std::int64_t>(seed % 7), static_cast<std::int64_t>(seed % 5) * 9'000}}, program->op, bytes, 1,
                                    standardBody(program->op, {program->ranks}, {Algorithm::Ring}));
    spec.model = machine.model;
    spec.reducerRate = machine.reducerRate;
    spec.injection = machine.injection;
    spec.ejection = machine.ejection;
    spec.endpointDelayPs = machine.endpointDelayPs;
    spec.pieceBytes = machine.pieceBytes;
    Scenario scenario = sharedBuild(spec);
    auto structure = std::make_shared<Structure>(*scenario.structure);
    structure->instances.front().program = program;
    structure->layouts = {{0, {program->ranks}, {1}, {}}};
    structure->instances.front().layout = 0;
    scenario.structure = std::move(structure);
    return scenario;
}

} // namespace

class TestSymmetryPrograms : public QObject {
    Q_OBJECT

    /// Was it folded? Whether or not, the answer is that of the event engine.
    static bool comparesEqual(const Scenario& scenario, const std::string& what)
    {
        const Result<RunRecord> truth = programsRun(scenario, EngineChoice::Events);
        const Result<RunRecord> answer = programsRun(scenario, EngineChoice::Symmetry);
        if (!truth)
            qFatal("%s\n%s", truth.error().text().c_str(), what.c_str());
        if (!answer && answer.error().code != ErrorCode::Unsupported)
            qFatal("%s\n%s", answer.error().text().c_str(), what.c_str());
        if (!answer)
            return false;
        if (const std::string found = difference(answer.value(), truth.value()); !found.empty())
            qFatal("%s\n%s", found.c_str(), what.c_str());
        if (answer.value().engines.front().messages != truth.value().engines.front().messages)
            qFatal("messages\n%s", what.c_str());
        return true;
    }

    static int compareRandom(std::uint64_t first, int count, bool anyPermutation)
    {
        int folded = 0;
        for (const std::uint64_t seed : Seeds(first, count)) {
            SymmetricLimits limits;
            limits.equal = seed % 2 == 0;
            CaseSpec spec = symmetricCase(seed, limits);
            if (writeOut(spec, seed, anyPermutation))
                folded += comparesEqual(withSharedPrograms(spec), spec.text()) ? 1 : 0;
        }
        return folded;
    }

private slots:
    void shiftedProgramsEqualTheEventEngine() { QCOMPARE_GE(compareRandom(1, 1500, false), cases(500)); }

    void otherPermutationsEqualTheEventEngineOrAreLeftToIt() { QCOMPARE_GE(compareRandom(40'000, 1500, true), cases(150)); }

    /// One operation of one rank is changed.
    void nearlySymmetricProgramsAreLeftToTheEventEngine()
    {
        int changed = 0;
        int folded = 0;
        for (const std::uint64_t seed : Seeds(80'000, 1000)) {
            CaseSpec spec = symmetricCase(seed, {});
            if (!writeOut(spec, seed, seed % 3 == 0))
                continue;
            std::mt19937_64 random(seed);
            bool done = false;
            for (CaseSpec::Family& family : spec.families) {
                for (CaseSpec::Call& call : family.calls) {
                    if (call.ops.empty() || done || random() % 2 == 0)
                        continue;
                    std::vector<CaseSpec::Op>& ops = call.ops.begin()->second;
                    CaseSpec::Op& op = ops[random() % ops.size()];
                    const auto way = random() % 4;
                    if (op.kind == OpKind::Compute)
                        op.duration += 1;
                    else if (way == 0 && op.kind == OpKind::Send)
                        op.step += 1;
                    else if (way == 1 && op.kind == OpKind::Send)
                        op.slot += 1;
                    else if (way == 2 && op.kind == OpKind::Send && op.bytes >= 0)
                        op.bytes += 1;
                    else if (!op.depends.empty())
                        op.depends.pop_back();
                    else
                        continue;
                    done = true;
                }
            }
            if (!done)
                continue;
            ++changed;
            folded += comparesEqual(withSharedPrograms(spec), spec.text()) ? 1 : 0;
        }
        QCOMPARE_GE(changed, cases(150));
        QVERIFY(folded <= changed / 4); // Where what it no longer waits for comes before something else that it waits for.
    }

    void generatedProgramsEqualTheEventEngine()
    {
        int folded = 0;
        for (const std::uint64_t seed : Seeds(120'000, 400)) {
            std::mt19937_64 random(seed);
            GenerateRequest request;
            const GeneratorInfo& row = generators()[random() % generators().size()];
            request.algorithm = row.key;
            request.op = row.ops[random() % row.ops.size()];
            request.axes = {static_cast<std::int32_t>(2 + random() % 15)};
            request.chunks = static_cast<std::int32_t>(1 + random() % 3);
            auto program = generateProgram(request);
            if (program)
                program = expandTemplate(program.value());
            if (!program || program.value()->isTemplate() || !program.value()->asExplicit().teams.empty())
                continue;
            const auto shape = static_cast<Shape>(random() % 3);
            const std::int64_t bytes = std::int64_t{program.value()->chunks} * (1 + static_cast<std::int64_t>(random() % 900)) + (random() % 4 == 0 ? 1 : 0);
            folded += comparesEqual(scenarioOf(shape, program.value(), bytes, seed), request.algorithm + ' ' + std::to_string(request.axes.front())) ? 1 : 0;
        }
        QCOMPARE_GE(folded, cases(50));
    }

    void ringsOfDifferentStridesFold()
    {
        for (const char* const algorithm : {"multi_ring", "bidirectional_ring_whole"}) {
            for (const Shape shape : {Shape::Ring, Shape::Switch, Shape::FullyConnected}) {
                for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter}) {
                    GenerateRequest request;
                    request.algorithm = algorithm;
                    request.op = op;
                    request.axes = {9};
                    const ProgramPtr program = generateProgram(request).value();
                    QVERIFY(comparesEqual(scenarioOf(shape, program, std::int64_t{program->chunks} * 700, 7), algorithm));
                    QVERIFY(!comparesEqual(scenarioOf(shape, program, std::int64_t{program->chunks} * 700 + 1, 7), algorithm));
                }
            }
        }
    }

    /// Rank 1 sends to 2 and 3 to 0, as 0 sends to 1 and 2 to 3: every rank sends and receives once at each step, but 0 and 2 are never met from the same side.
    void exchangesOfPairsFoldOnASwitchOnly()
    {
        GenerateRequest request;
        request.algorithm = "recursive_doubling";
        request.axes = {8};
        const ProgramPtr program = expandTemplate(generateProgram(request).value()).value();
        const auto folded = foldProgram(*program);
        QVERIFY(folded);
        QVERIFY(!folded.value().turned);
        QVERIFY(comparesEqual(scenarioOf(Shape::Switch, program, std::int64_t{program->chunks} * 700, 1), "switch"));
        QVERIFY(!comparesEqual(scenarioOf(Shape::Ring, program, std::int64_t{program->chunks} * 700, 1), "ring"));
    }

    /// Receives written in the other order than the sends: where both of a rank go to one, they pair up crosswise, which they do not from rank 0.
    void messagesOfOneConnectionThatPairUpDifferently()
    {
        const std::vector<std::vector<std::int32_t>> targets{{1, 0, 3, 2}, {2, 0, 3, 1}};
        CaseSpec spec = worldCollective({{Shape::Switch, 4, 50'000'000'000, 500'000}}, CollectiveOp::AllReduce, 64'000, 1, {});
        std::vector<CaseSpec::Op> ops;
        for (const OpKind kind : {OpKind::Send, OpKind::Receive}) {
            for (const std::size_t which : kind == OpKind::Send ? std::array<std::size_t, 2>{0, 1} : std::array<std::size_t, 2>{1, 0}) {
                for (std::int32_t rank = 0; rank < 4; ++rank) {
                    CaseSpec::Op op;
                    const std::int32_t target = targets[which][static_cast<std::size_t>(rank)];
                    op.kind = kind;
                    op.position = kind == OpKind::Send ? rank : target;
                    op.peer = kind == OpKind::Send ? target : rank;
                    op.bytes = which == 0 ? 1000 : 50'000;
                    op.transfer = static_cast<std::int32_t>(which) * 4 + rank;
                    ops.push_back(op);
                }
            }
        }
        spec.families[0].calls[0].body.clear();
        spec.families[0].calls[0].ops[4] = ops;
        const Scenario scenario = sharedBuild(spec);
        const auto folded = foldProgram(*scenario.structure->instances.front().program);
        QVERIFY(!folded);
        QVERIFY2(folded.error().message.find("received in another order") != std::string::npos, folded.error().message.c_str());
        QVERIFY(!comparesEqual(scenario, spec.text()));
    }

    void messagesAreLeftToTheEventEngine()
    {
        GenerateRequest request;
        request.algorithm = "multi_ring";
        request.axes = {8};
        const ProgramPtr program = generateProgram(request).value();
        const Scenario scenario = scenarioOf(Shape::Switch, program, std::int64_t{program->chunks} * 700, 3);
        const auto folded = foldScenario(scenario);
        QVERIFY(folded);
        RunOptions options;
        options.message = [](const MessageRecord&) {};
        const auto record = simulateFolded(folded.value(), options, {});
        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::Unsupported);
    }
};

FABRICSCOPE_TEST(TestSymmetryPrograms)
#include "tst_symmetry_programs.moc"
