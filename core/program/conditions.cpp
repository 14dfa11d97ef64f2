#include "core/program/conditions.h"

#include <cassert>

namespace fabricscope {

namespace {

bool gathers(CollectiveOp op)
{
    return op == CollectiveOp::AllGather || op == CollectiveOp::Gather;
}

bool scatters(CollectiveOp op)
{
    return op == CollectiveOp::ReduceScatter || op == CollectiveOp::Scatter;
}

/// Does only the root have an input?
bool rootGives(CollectiveOp op)
{
    return op == CollectiveOp::Broadcast || op == CollectiveOp::Scatter;
}

/// Does only the root have an output?
bool rootTakes(CollectiveOp op)
{
    return op == CollectiveOp::Reduce || op == CollectiveOp::Gather;
}

} // namespace

BufferSizes contractSizes(CollectiveOp op, std::int32_t ranks, std::int32_t chunks, std::int32_t rank, std::int32_t root)
{
    BufferSizes sizes;
    sizes.input = gathers(op) ? chunks / ranks : chunks;
    sizes.output = scatters(op) ? chunks / ranks : chunks;
    // Generators address the buffers of every rank alike, so those a rooted collective does not use are only left out where they are big.
    if (op == CollectiveOp::Gather && rank != root)
        sizes.output = 0;
    if (op == CollectiveOp::Scatter && rank != root)
        sizes.input = 0;
    return sizes;
}

bool definedAtStart(CollectiveOp op, std::int32_t ranks, std::int32_t chunks, std::int32_t rank, std::int32_t index, std::int32_t root)
{
    if (op == CollectiveOp::Custom || (rootGives(op) && rank != root))
        return false;
    return index >= 0 && index < contractSizes(op, ranks, chunks, rank, root).input;
}

Required requiredAt(CollectiveOp op, std::int32_t ranks, std::int32_t chunks, std::int32_t rank, std::int32_t index, std::int32_t root)
{
    if (index < 0 || index >= contractSizes(op, ranks, chunks, rank, root).output || (rootTakes(op) && rank != root))
        return {};
    const std::int32_t share = chunks / ranks;
    switch (op) {
    case CollectiveOp::AllReduce:
    case CollectiveOp::Reduce:
        return {Required::Kind::AllRanks, {0, index}};
    case CollectiveOp::ReduceScatter:
        return {Required::Kind::AllRanks, {0, rank * share + index}};
    case CollectiveOp::AllGather:
    case CollectiveOp::Gather:
        return {Required::Kind::One, {index / share, index % share}};
    case CollectiveOp::AllToAll:
        return {Required::Kind::One, {index / share, rank * share + index % share}};
    case CollectiveOp::Broadcast:
        return {Required::Kind::One, {root, index}};
    case CollectiveOp::Scatter:
        return {Required::Kind::One, {root, rank * share + index}};
    case CollectiveOp::Barrier:
    case CollectiveOp::Custom:
        break;
    }
    return {};
}

std::int32_t outputOfInput(CollectiveOp op, std::int32_t ranks, std::int32_t chunks, std::int32_t rank, std::int32_t index, std::int32_t root)
{
    const std::int32_t share = chunks / ranks;
    std::int32_t output = index;
    switch (op) {
    case CollectiveOp::AllGather:
    case CollectiveOp::Gather:
        output = rank * share + index;
        break;
    case CollectiveOp::ReduceScatter:
    case CollectiveOp::Scatter:
        output = index - rank * share;
        break;
    case CollectiveOp::Custom:
    case CollectiveOp::Barrier:
        return -1;
    default:
        break;
    }
    return output >= 0 && output < contractSizes(op, ranks, chunks, rank, root).output ? output : -1;
}

Conditions allToNext(std::int32_t ranks, std::int32_t chunks, bool forward)
{
    assert(ranks >= 2 && chunks >= 1);
    Conditions out;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        const bool gives = forward ? rank + 1 < ranks : rank > 0;
        const bool takes = forward ? rank > 0 : rank + 1 < ranks;
        for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
            if (gives)
                out.before.push_back({rank, BufferKind::Input, chunk, {{rank, chunk}}});
            if (takes)
                out.after.push_back({rank, BufferKind::Output, chunk, {{forward ? rank - 1 : rank + 1, chunk}}});
        }
    }
    return out;
}

} // namespace fabricscope
