// Programs operation by operation: what every place holds, forward and back, against an interpreter of this test; order, steps and waits.
#include "core/program/programbuilder.h"
#include "core/step/collectivereplay.h"
#include "core/step/programreplay.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/anyprogram.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Place = ProgramBuilder::Place;
using Multiset = std::vector<Contribution>;
/// (rank, buffer, index), input and output under one name where they are one memory.
using Memory = std::map<std::tuple<std::int32_t, BufferKind, std::int32_t>, Multiset>;

std::tuple<std::int32_t, BufferKind, std::int32_t> cellOf(const Program& program, std::int32_t rank, BufferKind buffer, std::int32_t index)
{
    if (program.inPlace && buffer == BufferKind::Input) {
        const std::int32_t output = outputOfInput(program.op, program.ranks, program.chunks, rank, index, program.root);
        if (output >= 0)
            return {rank, BufferKind::Output, output};
    }
    return {rank, buffer, index};
}

Memory atStart(const Program& program)
{
    Memory memory;
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        for (std::int32_t index = 0; index < program.asExplicit().buffers[static_cast<std::size_t>(rank)].input; ++index) {
            if (program.op == CollectiveOp::Custom || definedAtStart(program.op, program.ranks, program.chunks, rank, index, program.root))
                memory[cellOf(program, rank, BufferKind::Input, index)] = {{rank, index}};
        }
    }
    return memory;
}

std::int32_t rankOf(const ExplicitBody& body, std::uint32_t op)
{
    std::int32_t rank = 0;
    while (body.rankBegin[static_cast<std::size_t>(rank) + 1] <= op)
        ++rank;
    return rank;
}

/// Carries operations out one after the other as explicitbody.h tells them, with multisets written out.
class Interpreter {
public:
    explicit Interpreter(const Program& program)
        : m_program(program)
        , m_body(program.asExplicit())
        , m_memory(atStart(program))
    {
        std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> channels;
        for (std::uint32_t op = 0; op < m_body.size(); ++op) {
            if (m_body.kind[op] == OpKind::Send)
                channels[{rankOf(m_body, op), m_body.peer[op], m_body.connection[op]}].first.push_back(op);
            if (receives(m_body.kind[op]))
                channels[{m_body.peer[op], rankOf(m_body, op), m_body.connection[op]}].second.push_back(op);
        }
        for (const auto& [channel, ends] : channels) {
            for (std::size_t k = 0; k < ends.second.size(); ++k)
                m_sendOf[ends.second[k]] = ends.first[k];
        }
    }

    void run(std::uint32_t op, std::uint32_t beforeInLane)
    {
        const std::int32_t rank = rankOf(m_body, op);
        std::vector<Multiset> values;
        for (std::int32_t i = 0; i < m_body.count[op]; ++i) {
            const Multiset source = get(rank, m_body.sourceBuffer[op], m_body.sourceOffset[op] + i);
            const auto message = [&] { return m_made[m_sendOf[op]]; };
            switch (m_body.kind[op]) {
            case OpKind::Send:
                values.push_back(m_body.sourceBuffer[op] == BufferKind::Fused ? m_made[beforeInLane][static_cast<std::size_t>(i)] : source);
                break;
            case OpKind::Receive:
                values.push_back(message()[static_cast<std::size_t>(i)]);
                break;
            case OpKind::ReceiveReduce:
                values.push_back(joined(message()[static_cast<std::size_t>(i)], source));
                break;
            case OpKind::Reduce:
                values.push_back(joined(get(rank, m_body.targetBuffer[op], m_body.targetOffset[op] + i), source));
                break;
            case OpKind::SwitchReduce: {
                Multiset sum;
                for (const std::int32_t member : m_body.teams[static_cast<std::size_t>(m_body.peer[op])])
                    sum = joined(sum, get(member, m_body.sourceBuffer[op], m_body.sourceOffset[op] + i));
                values.push_back(sum);
                break;
            }
            case OpKind::SwitchMulticast:
                values.push_back(m_body.sourceBuffer[op] == BufferKind::Fused ? m_made[op - 1][static_cast<std::size_t>(i)] : source);
                break;
            case OpKind::Copy:
            case OpKind::Put:
                values.push_back(source);
                break;
            default:
                break;
            }
        }
        m_made[op] = values;
        if (m_body.kind[op] == OpKind::Send)
            return;
        std::vector<std::int32_t> targets{m_body.kind[op] == OpKind::Put ? m_body.peer[op] : rank};
        if (m_body.kind[op] == OpKind::SwitchMulticast)
            targets = m_body.teams[static_cast<std::size_t>(m_body.peer[op])];
        for (const std::int32_t target : targets) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                const BufferKind buffer = m_body.targetBuffer[op];
                if (buffer == BufferKind::Input || buffer == BufferKind::Output || buffer == BufferKind::Scratch)
                    m_memory[cellOf(m_program, target, buffer, m_body.targetOffset[op] + static_cast<std::int32_t>(i))] = values[i];
            }
        }
    }
    Multiset get(std::int32_t rank, BufferKind buffer, std::int32_t index) const
    {
        const auto found = m_memory.find(cellOf(m_program, rank, buffer, index));
        return found == m_memory.end() ? Multiset{} : found->second;
    }

private:
    static Multiset joined(Multiset a, const Multiset& b)
    {
        a.insert(a.end(), b.begin(), b.end());
        std::sort(a.begin(), a.end());
        return a;
    }

    const Program& m_program;
    const ExplicitBody& m_body;
    Memory m_memory;
    std::map<std::uint32_t, std::uint32_t> m_sendOf; ///< By receive, in the order of the columns.
    std::map<std::uint32_t, std::vector<Multiset>> m_made;
};

std::uint32_t beforeInLane(const ExplicitBody& body, std::uint32_t op)
{
    const std::int32_t rank = rankOf(body, op);
    for (std::uint32_t earlier = op; earlier-- > body.rankBegin[static_cast<std::size_t>(rank)];) {
        if (body.lane[op] >= 0 && body.lane[earlier] == body.lane[op])
            return earlier;
    }
    return kNoOperation;
}

Multiset writtenOut(const ChunkValues& values, ValueIndex value)
{
    Multiset out;
    for (const auto& [contribution, times] : values.exact(value))
        out.insert(out.end(), static_cast<std::size_t>(times), contribution);
    return out;
}

/// What the collective asks for at an output; empty: nothing.
Multiset asked(const Program& program, std::int32_t rank, std::int32_t index)
{
    const Required required = requiredAt(program.op, program.ranks, program.chunks, rank, index, program.root);
    Multiset out;
    if (required.kind == Required::Kind::One)
        out.push_back(required.one);
    for (std::int32_t from = 0; required.kind == Required::Kind::AllRanks && from < program.ranks; ++from)
        out.push_back({from, required.one.index});
    return out;
}

/// The state of the cursor against the interpreter after as many operations.
void compareStates(const ProgramCursor& cursor)
{
    const ProgramReplay& replay = cursor.replay();
    Interpreter interpreter(replay.program());
    for (std::size_t i = 0; i < cursor.position(); ++i)
        interpreter.run(replay.sequence()[i], beforeInLane(replay.body(), replay.sequence()[i]));
    for (std::int32_t rank = 0; rank < replay.program().ranks; ++rank) {
        const BufferSizes sizes = replay.body().buffers[static_cast<std::size_t>(rank)];
        const std::pair<BufferKind, std::int32_t> buffers[] = {{BufferKind::Input, sizes.input}, {BufferKind::Output, sizes.output}, {BufferKind::Scratch, sizes.scratch}};
        for (const auto& [buffer, size] : buffers) {
            for (std::int32_t index = 0; index < size; ++index) {
                const PlaceIndex place = replay.places().at(rank, buffer, index);
                QVERIFY(place != kNoPlace);
                const Multiset expected = interpreter.get(rank, buffer, index);
                QCOMPARE(writtenOut(replay.values(), cursor.value(place)), expected);
                QCOMPARE(cursor.contributions(place), static_cast<std::int32_t>(expected.size()));
                if (buffer == BufferKind::Output && replay.program().op != CollectiveOp::Custom)
                    QCOMPARE(cursor.isAsAsked(place), expected == asked(replay.program(), rank, index) && !expected.empty());
            }
        }
    }
    std::vector<std::uint32_t> under;
    for (std::uint32_t op = 0; op < replay.body().size(); ++op) {
        if (replay.body().kind[op] == OpKind::Send && cursor.isDone(op) && !cursor.isDone(replay.order().partner(op)))
            under.push_back(op);
    }
    QCOMPARE(cursor.underWay(), under);
}

/// Ring all-reduce in place, chunk c owned by rank c after the reduce-scatter; one lane per rank or none.
ProgramPtr ringAllReduce(std::int32_t n, std::int32_t lane)
{
    ProgramBuilder builder(CollectiveOp::AllReduce, n, n);
    for (std::int32_t step = 0; step < 2 * (n - 1); ++step) {
        for (std::int32_t rank = 0; rank < n; ++rank) {
            const std::int32_t chunk = ((rank - 1 - step) % n + 2 * n) % n;
            ProgramBuilder::How how;
            how.reduce = step < n - 1;
            how.step = step;
            how.sendLane = how.receiveLane = lane;
            const std::int32_t next = (rank + 1) % n;
            builder.transfer({rank, BufferKind::Input, chunk}, {next, BufferKind::Input, chunk}, 1, how);
        }
    }
    builder.inferDependencies();
    return builder.finish("ring", "test");
}

ProgramReplayPtr replayOf(const ProgramPtr& program, std::int32_t receiveSlots = -1)
{
    ProgramReplayOptions options;
    options.receiveSlots = receiveSlots;
    const auto replay = ProgramReplay::create(program, options);
    return replay ? replay.value() : nullptr;
}

} // namespace

class TestStepPrograms : public QObject {
    Q_OBJECT

private slots:
    /// After step s of the reduce-scatter rank r + 1 holds s + 2 contributions to chunk r - 1 - s; then complete chunks go round.
    void stepsOfARingAreItsRounds()
    {
        for (const std::int32_t n : {2, 3, 5, 8}) {
            const ProgramReplayPtr replay = replayOf(ringAllReduce(n, -1));
            QVERIFY(replay && replay->finishes());
            QCOMPARE(replay->steps(), 2 * (n - 1));
            QCOMPARE(replay->transfers(), static_cast<std::size_t>(2 * (n - 1) * n));
            ProgramCursor cursor(replay);
            std::vector<std::int32_t> held(static_cast<std::size_t>(n * n), 1); // rank * n + chunk
            for (std::int32_t step = 0; step < replay->steps(); ++step) {
                QCOMPARE(replay->transfersOf(step).size(), static_cast<std::size_t>(n));
                cursor.seek(replay->endOf(step));
                for (std::int32_t rank = 0; rank < n; ++rank) {
                    const std::int32_t chunk = ((rank - 1 - step) % n + 2 * n) % n;
                    held[static_cast<std::size_t>((rank + 1) % n * n + chunk)] = step < n - 1 ? step + 2 : n;
                }
                for (std::int32_t rank = 0; rank < n; ++rank) {
                    for (std::int32_t chunk = 0; chunk < n; ++chunk) {
                        const PlaceIndex place = replay->places().at(rank, BufferKind::Output, chunk);
                        QCOMPARE(cursor.contributions(place), held[static_cast<std::size_t>(rank * n + chunk)]);
                        QCOMPARE(cursor.isComplete(place), held[static_cast<std::size_t>(rank * n + chunk)] == n);
                    }
                }
            }
            QCOMPARE(cursor.position(), replay->sequence().size());
            QVERIFY(endsAsAsked(replay) == true);
        }
    }

    /// Every operation comes after all it must wait for, and its level is that of explicit chains.
    void anyOrderKeepsToDependenciesLanesAndMessages()
    {
        std::mt19937_64 random(seeded(1));
        for (int i = 0; i < cases(1000); ++i) {
            const ProgramPtr program = anyProgram(random);
            const ExplicitBody& body = program->asExplicit();
            const ProgramReplayPtr replay = replayOf(program);
            QVERIFY(replay);
            QVERIFY(replay->finishes()); // It was written in an order in which it can be done.
            std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, bool>, std::vector<std::uint32_t>> sends;
            for (std::uint32_t op = 0; op < body.size(); ++op) {
                if (body.kind[op] == OpKind::Send || body.kind[op] == OpKind::Signal)
                    sends[{rankOf(body, op), body.peer[op], body.connection[op], body.kind[op] == OpKind::Send}].push_back(op);
            }
            std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, bool>, std::size_t> met;
            for (std::uint32_t op = 0; op < body.size(); ++op) {
                std::vector<std::uint32_t> before;
                for (std::uint32_t d = body.dependBegin[op]; d < body.dependBegin[op + 1]; ++d)
                    before.push_back(body.depends[d]);
                if (const std::uint32_t lane = beforeInLane(body, op); lane != kNoOperation)
                    before.push_back(lane);
                const bool takes = receives(body.kind[op]) || body.kind[op] == OpKind::Wait;
                if (takes) {
                    const std::tuple channel{body.peer[op], rankOf(body, op), body.connection[op], receives(body.kind[op])};
                    before.push_back(sends[channel][met[channel]++]);
                    QCOMPARE(replay->order().partner(op), before.back());
                }
                std::int32_t level = 0;
                for (const std::uint32_t earlier : before) {
                    QVERIFY(replay->positionOf(earlier) < replay->positionOf(op));
                    level = std::max(level, replay->order().levelOf(earlier));
                }
                level += (level % 2 == 1) != takes ? 1 : 0;
                QCOMPARE(replay->order().levelOf(op), level);
            }
            for (std::size_t at = 1; at < replay->sequence().size(); ++at)
                QVERIFY(replay->when(replay->sequence()[at - 1]) <= replay->when(replay->sequence()[at]));
        }
    }

    void C3_forwardAndBackAreExact()
    {
        std::mt19937_64 random(seeded(2));
        for (int i = 0; i < cases(150); ++i) {
            const ProgramReplayPtr replay = replayOf(anyProgram(random));
            QVERIFY(replay);
            ProgramCursor cursor(replay);
            compareStates(cursor);
            for (int stop = 0; stop < 10; ++stop) {
                cursor.seek(stop == 4 ? 0 : stop == 5 ? SIZE_MAX : random() % (replay->sequence().size() + 1));
                compareStates(cursor);
                if (QTest::currentTestFailed())
                    return;
            }
        }
    }

    void tellsWhichPlacesChanged()
    {
        std::mt19937_64 random(seeded(3));
        for (int i = 0; i < cases(100); ++i) {
            const ProgramReplayPtr replay = replayOf(anyProgram(random));
            ProgramCursor cursor(replay);
            ProgramCursor told(replay);
            std::vector<ValueIndex> state;
            for (PlaceIndex place = 0; place < replay->places().count(); ++place)
                state.push_back(told.value(place));
            std::vector<PlaceIndex> changed;
            for (int stop = 0; stop < 10; ++stop) {
                changed.clear();
                cursor.seek(random() % (replay->sequence().size() + 1), &changed);
                for (const PlaceIndex place : changed)
                    state[place] = cursor.value(place);
                for (PlaceIndex place = 0; place < replay->places().count(); ++place)
                    QCOMPARE(state[place], cursor.value(place));
            }
        }
    }

    /// Rank 0 sends two messages to rank 1, which takes the second only after a copy, all in one lane per rank.
    void saysWhatAnOperationWaitsFor()
    {
        ProgramBuilder builder(CollectiveOp::Custom, 2, 2);
        ProgramBuilder::How how;
        how.sendLane = how.receiveLane = 0;
        const auto first = builder.transfer({0, BufferKind::Input, 0}, {1, BufferKind::Output, 0}, 1, how);
        ProgramBuilder::How local;
        local.sendLane = 0;
        builder.local({1, BufferKind::Output, 0}, {1, BufferKind::Scratch, 0}, 1, local);
        const auto second = builder.transfer({0, BufferKind::Input, 1}, {1, BufferKind::Output, 1}, 1, how);
        builder.depend(second.receive, first.receive);
        const ProgramPtr program = builder.finish("pair", "test"); // Rank 0: sends 0, 1. Rank 1: receive 2, copy 3, receive 4.
        const ProgramReplayPtr replay = replayOf(program, 1);
        QVERIFY(replay && replay->finishes());
        ProgramCursor cursor(replay);
        QCOMPARE(cursor.next(0), (std::vector<std::uint32_t>{0}));
        QCOMPARE(cursor.next(1), (std::vector<std::uint32_t>{2}));
        QCOMPARE(cursor.waitsFor(0), std::vector<WaitReason>{});
        QCOMPARE(cursor.waitsFor(1), (std::vector<WaitReason>{{WaitKind::Lane, 0}, {WaitKind::Slot, 2}}));
        QCOMPARE(cursor.waitsFor(2), (std::vector<WaitReason>{{WaitKind::Message, 0}}));
        QCOMPARE(cursor.waitsFor(4), (std::vector<WaitReason>{{WaitKind::Data, 2}, {WaitKind::Lane, 3}, {WaitKind::Message, 1}}));
        cursor.seek(1); // The first send: it is under way, and its slot is taken.
        QCOMPARE(cursor.underWay(), (std::vector<std::uint32_t>{0}));
        QCOMPARE(cursor.waitsFor(1), (std::vector<WaitReason>{{WaitKind::Slot, 2}}));
        QCOMPARE(cursor.waitsFor(2), std::vector<WaitReason>{});
        cursor.seek(replay->positionOf(3) + 1);
        QVERIFY(cursor.waitsFor(3).empty());
    }

    /// Both receive before they send, in one lane: nothing can begin. With one slot, three sends before the receives wait too.
    void whatCannotBeDoneIsLeftOut()
    {
        ProgramBuilder builder(CollectiveOp::Custom, 2, 1);
        ProgramBuilder::Row row;
        for (std::int32_t rank = 0; rank < 2; ++rank) {
            row.rank = rank;
            row.peer = 1 - rank;
            row.lane = 0;
            row.kind = OpKind::Receive;
            row.targetBuffer = BufferKind::Output;
            row.sourceBuffer = BufferKind::None;
            builder.add(row);
            row.kind = OpKind::Send;
            row.sourceBuffer = BufferKind::Input;
            row.targetBuffer = BufferKind::None;
            builder.add(row);
        }
        const ProgramReplayPtr stuck = replayOf(builder.finish("stuck", "test"));
        QVERIFY(stuck && !stuck->finishes());
        QVERIFY(stuck->sequence().empty());
        ProgramCursor cursor(stuck);
        QCOMPARE(cursor.waitsFor(0), (std::vector<WaitReason>{{WaitKind::Message, 3}}));
        QCOMPARE(cursor.waitsFor(3), (std::vector<WaitReason>{{WaitKind::Lane, 2}}));

        ProgramBuilder many(CollectiveOp::Custom, 2, 3);
        for (std::int32_t rank = 0; rank < 2; ++rank) {
            for (const bool sends : {true, false}) {
                for (std::int32_t i = 0; i < 3; ++i) {
                    ProgramBuilder::Row each;
                    each.rank = rank;
                    each.peer = 1 - rank;
                    each.lane = 0;
                    each.kind = sends ? OpKind::Send : OpKind::Receive;
                    each.sourceBuffer = sends ? BufferKind::Input : BufferKind::None;
                    each.targetBuffer = sends ? BufferKind::None : BufferKind::Output;
                    each.sourceOffset = each.targetOffset = i;
                    many.add(each);
                }
            }
        }
        const ProgramPtr program = many.finish("exchange", "test");
        QVERIFY(replayOf(program, 0)->finishes());
        QVERIFY(replayOf(program, 3)->finishes());
        const ProgramReplayPtr two = replayOf(program, 2);
        QVERIFY(!two->finishes());
        QCOMPARE(two->sequence().size(), std::size_t{4}); // Two sends of each.
    }

    void countsDoubleContributionsAndLargeSums()
    {
        ProgramBuilder builder(CollectiveOp::AllReduce, 2, 1);
        ProgramBuilder::How how;
        how.reduce = true;
        how.sendLane = how.receiveLane = 0;
        for (int i = 0; i < 40; ++i) // Twice what there is, again and again.
            builder.local({0, BufferKind::Input, 0}, {0, BufferKind::Input, 0}, 1, how);
        const ProgramReplayPtr replay = replayOf(builder.finish("doubles", "test"));
        QVERIFY(replay);
        ProgramCursor cursor(replay);
        const PlaceIndex place = replay->places().at(0, BufferKind::Input, 0);
        cursor.seek(3);
        QCOMPARE(cursor.contributions(place), 8);
        cursor.seek(SIZE_MAX);
        QCOMPARE(cursor.contributions(place), ChunkValues::kManyContributions);
        const auto exact = replay->values().exact(cursor.value(place));
        QCOMPARE(exact.size(), std::size_t{1});
        QCOMPARE(exact[0].second, std::int64_t{1} << 40);
        QVERIFY(!cursor.isComplete(place));
    }

    /// The same program in a run: every place holds what it held logically after the operations that the messages of the run say are done.
    void followsARun()
    {
        for (const std::int32_t n : {3, 4, 6}) {
            const ProgramPtr program = ringAllReduce(n, -1);
            LinksScenario builder(astraPlatform("Ring(" + std::to_string(n) + ")", {50}, {500}));
            builder.reducerRate = 1'600'000'000'000;
            std::vector<std::int64_t> all;
            for (std::int64_t rank = 0; rank < n; ++rank)
                all.push_back(rank);
            const FamilyId family = builder.addFamily({all});
            for (std::int32_t rank = 0; rank < n; ++rank)
                builder.collective(rank, family, n * 4096, program, {n});
            const auto made = CollectiveReplay::create(std::make_shared<const Scenario>(builder.build()), 0);
            QVERIFY2(made, made ? "" : made.error().message.c_str());
            const CollectiveReplay& replay = *made.value();
            QVERIFY(replay.program() && replay.program()->finishes());
            QCOMPARE(replay.parts(), n);
            QCOMPARE(replay.complete(), n);
            QCOMPARE(replay.moves().size(), static_cast<std::size_t>(2 * (n - 1) * n));
            ReplayCursor cursor(made.value(), 0);
            std::vector<std::int64_t> times;
            for (const ReplayMove& move : replay.moves())
                times.insert(times.end(), {move.donePs, move.donePs - 1});
            std::mt19937_64 random(seeded(4));
            std::shuffle(times.begin(), times.end(), random);
            for (const std::int64_t time : times) {
                cursor.setTime(time);
                // In a ring the value of a chunk only grows at its receiver: the last message that has arrived tells it.
                std::vector<std::int32_t> held(static_cast<std::size_t>(n * n), 1);
                for (std::uint32_t number = 0; number < replay.moves().size(); ++number) {
                    const ReplayMove& move = replay.moves()[number];
                    const std::uint32_t op = replay.operationOf(number);
                    if (move.donePs > time)
                        continue;
                    std::int32_t& cell = held[static_cast<std::size_t>(move.target * n + program->asExplicit().sourceOffset[op])];
                    cell = std::max(cell, std::min(program->asExplicit().step[op] + 2, n));
                }
                for (std::int32_t position = 0; position < n; ++position) {
                    for (std::int32_t chunk = 0; chunk < n; ++chunk)
                        QCOMPARE(cursor.part(position, chunk).contributions, held[static_cast<std::size_t>(position * n + chunk)]);
                }
            }
        }
    }

    void cancelsAndKeepsToLimits()
    {
        const ProgramPtr program = ringAllReduce(4, -1);
        std::stop_source source;
        source.request_stop();
        ProgramReplayOptions options;
        options.stop = source.get_token();
        const auto stopped = ProgramReplay::create(program, options);
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
        options.stop = {};
        options.memoryLimit = 100;
        const auto limited = ProgramReplay::create(program, options);
        QVERIFY(!limited && limited.error().code == ErrorCode::MemoryLimit);
        Program shape;
        shape.body = TemplateBody{};
        const auto refused = ProgramReplay::create(std::make_shared<const Program>(shape), {});
        QVERIFY(!refused && refused.error().code == ErrorCode::Unsupported);
    }
};

FABRICSCOPE_TEST(TestStepPrograms)
#include "tst_step_programs.moc"
