// What is chosen where the user leaves the choice to the program.
#include "core/design/design.h"

#include <bit>

namespace fabricscope {

std::optional<AstraCollective> configuredCollective(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::AllReduce:
        return AstraCollective::AllReduce;
    case CollectiveOp::AllGather:
        return AstraCollective::AllGather;
    case CollectiveOp::ReduceScatter:
        return AstraCollective::ReduceScatter;
    case CollectiveOp::AllToAll:
        return AstraCollective::AllToAll;
    default:
        return std::nullopt;
    }
}

Algorithm automaticAlgorithm(Shape shape, CollectiveOp op)
{
    if (op == CollectiveOp::AllToAll)
        return Algorithm::Direct;
    if (op == CollectiveOp::Broadcast)
        return shape == Shape::FullyConnected ? Algorithm::Direct : Algorithm::Ring;
    switch (shape) {
    case Shape::Ring:
        return Algorithm::Ring;
    case Shape::FullyConnected:
        return Algorithm::Direct;
    case Shape::Switch:
        break;
    }
    return Algorithm::HalvingDoubling;
}

AstraAlgorithm automaticAstraAlgorithm(const Dimension& dimension, CollectiveOp op)
{
    AstraAlgorithm choice;
    choice.algorithm = automaticAlgorithm(dimension.shape, op);
    if (choice.algorithm == Algorithm::HalvingDoubling && !std::has_single_bit(static_cast<std::uint32_t>(dimension.size)))
        choice.algorithm = Algorithm::Direct;
    return choice;
}

} // namespace fabricscope
