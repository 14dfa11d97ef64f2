#include "tests/unit/support/cases/anyprogram.h"

#include "core/base/index.h"
#include "core/program/programbuilder.h"

#include <map>
#include <tuple>

namespace fabricscope::test {

ProgramPtr anyProgram(std::mt19937_64& random)
{
    using Place = ProgramBuilder::Place;
    const auto below = [&random](std::int32_t n) { return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(n)); };
    static constexpr CollectiveOp kOps[] = {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll,
                                            CollectiveOp::Broadcast, CollectiveOp::Reduce,    CollectiveOp::Custom};
    const CollectiveOp op = kOps[below(7)];
    const std::int32_t ranks = 2 + below(5);
    const std::int32_t chunks = ranks * (1 + below(2));
    ProgramBuilder builder(op, ranks, chunks, below(ranks));
    builder.header().inPlace = below(2) == 0;
    builder.extras().teams = {{0, ranks - 1}};
    const auto place = [&](std::int32_t rank, std::int32_t count) {
        static constexpr BufferKind kBuffers[] = {BufferKind::Input, BufferKind::Output, BufferKind::Scratch};
        for (;;) {
            const BufferKind buffer = kBuffers[below(3)];
            const BufferSizes& sizes = builder.extras().buffers[at(rank)];
            const std::int32_t size = buffer == BufferKind::Input ? sizes.input : buffer == BufferKind::Output ? sizes.output : 4;
            if (size >= count)
                return Place{rank, buffer, below(size - count + 1)};
        }
    };
    const std::int32_t operations = 5 + below(60);
    std::map<std::tuple<int, int, int>, int> connections;
    for (std::int32_t i = 0; i < operations; ++i) {
        const std::int32_t rank = below(ranks);
        const std::int32_t peer = (rank + 1 + below(ranks - 1)) % ranks;
        const std::int32_t count = 1 + below(2) * below(2);
        const auto laneOf = [&] { return below(4) - 1; };
        ProgramBuilder::Row row;
        row.rank = rank;
        row.count = count;
        row.lane = laneOf();
        const Place a = place(rank, count);
        const Place b = place(rank, count);
        switch (below(8)) {
        case 0:
        case 1:
        case 2: {
            ProgramBuilder::How how;
            how.reduce = below(2) == 0;
            how.connection = below(2);
            how.sendLane = laneOf();
            how.receiveLane = laneOf();
            builder.transfer(a, place(peer, count), count, how);
            break;
        }
        case 3: { // Received, summed and sent on at once: through `peer` to a third rank, in one lane.
            if (ranks < 3)
                break;
            std::int32_t third = below(ranks);
            while (third == rank || third == peer)
                third = below(ranks);
            row.kind = OpKind::Send;
            row.peer = peer;
            row.connection = 7;
            row.sourceBuffer = a.buffer;
            row.sourceOffset = a.offset;
            builder.add(row);
            const Place own = place(peer, count);
            ProgramBuilder::Row middle = row;
            middle.rank = peer;
            middle.kind = below(2) == 0 ? OpKind::ReceiveReduce : OpKind::Receive;
            middle.peer = rank;
            middle.lane = 5;
            middle.sourceBuffer = middle.kind == OpKind::ReceiveReduce ? own.buffer : BufferKind::None;
            middle.sourceOffset = own.offset;
            middle.targetBuffer = below(2) == 0 ? BufferKind::None : own.buffer;
            middle.targetOffset = own.offset;
            builder.add(middle);
            middle.kind = OpKind::Send;
            middle.peer = third;
            middle.sourceBuffer = BufferKind::Fused;
            middle.targetBuffer = BufferKind::None;
            middle.fused = true;
            builder.add(middle);
            const Place end = place(third, count);
            row.rank = third;
            row.kind = OpKind::Receive;
            row.peer = peer;
            row.lane = laneOf();
            row.sourceBuffer = BufferKind::None;
            row.targetBuffer = end.buffer;
            row.targetOffset = end.offset;
            builder.add(row);
            break;
        }
        case 4:
            row.kind = below(2) == 0 ? OpKind::SwitchReduce : OpKind::SwitchMulticast;
            row.rank = 0;
            row.peer = 0; // The team.
            row.count = 1;
            row.sourceBuffer = row.targetBuffer = BufferKind::Input;
            builder.add(row);
            break;
        case 5: {
            const Place there = place(peer, count);
            row.kind = OpKind::Put;
            row.peer = peer;
            row.sourceBuffer = a.buffer;
            row.sourceOffset = a.offset;
            row.targetBuffer = there.buffer;
            row.targetOffset = there.offset;
            builder.add(row);
            row.kind = OpKind::Signal;
            row.sourceBuffer = row.targetBuffer = BufferKind::None;
            builder.add(row);
            std::swap(row.rank, row.peer);
            row.kind = OpKind::Wait;
            builder.add(row);
            break;
        }
        default: {
            ProgramBuilder::How how;
            how.reduce = below(2) == 0;
            how.sendLane = how.receiveLane = laneOf();
            builder.local(a, b, count, how);
        }
        }
    }
    if (below(2) == 0)
        builder.inferDependencies();
    return builder.finish("random", "test");
}

} // namespace fabricscope::test
