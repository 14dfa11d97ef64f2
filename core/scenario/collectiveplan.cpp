#include "core/scenario/groupshape.h"
#include "core/scenario/lowering.h"

namespace fabricscope {

namespace {

bool hasTemplate(CollectiveOp op)
{
    return op == CollectiveOp::AllReduce || op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllGather || op == CollectiveOp::AllToAll;
}

/// A group that is no product of coordinate sets has one axis of no shape: a ring in listed order.
Algorithm naturalAlgorithm(const Platform& platform, std::int32_t dimension, CollectiveOp op)
{
    return automaticAlgorithm(dimension < 0 ? Shape::Ring : platform.dimensions()[static_cast<std::size_t>(dimension)].shape, op);
}

/// What the setting says about one axis of the group.
AlgorithmChoice choiceFor(const Platform& platform, std::int32_t dimension, CollectiveOp op, const CollectiveSetting& setting)
{
    AlgorithmChoice choice;
    const auto& given = setting.algorithms;
    if (given.size() == 1)
        choice = given[0];
    else if (dimension >= 0 && static_cast<std::size_t>(dimension) < given.size())
        choice = given[static_cast<std::size_t>(dimension)];
    if (choice.automatic)
        choice.algorithm = naturalAlgorithm(platform, dimension, op);
    return choice;
}

std::string programName(const std::vector<AlgorithmChoice>& choices)
{
    std::string name;
    for (const AlgorithmChoice& choice : choices) {
        if (!name.empty())
            name += " x ";
        name += algorithmKey(choice.algorithm);
        if (choice.window > 0)
            name += " (window " + std::to_string(choice.window) + ')';
    }
    return name;
}

Result<TemplateBody> templateFor(CollectiveOp op, const std::vector<std::int32_t>& extents, const std::vector<AlgorithmChoice>& choices)
{
    TemplateBody body;
    body.axes = extents;
    const auto axes = static_cast<std::int32_t>(extents.size());
    for (std::int32_t axis = 0; axis < axes; ++axis) {
        const Algorithm algorithm = choices[static_cast<std::size_t>(axis)].algorithm;
        if (algorithm == Algorithm::HalvingDoubling && op == CollectiveOp::AllToAll)
            return Error{ErrorCode::Unsupported, "halving_doubling cannot do an all-to-all", {}, "ring or direct"};
        if (algorithm == Algorithm::DoubleBinaryTree && (op != CollectiveOp::AllReduce || axis + 1 != axes))
            return Error{ErrorCode::Unsupported, "double_binary_tree is an all-reduce and works on the last dimension of a group only", {},
                         "ring, direct or halving_doubling"};
    }
    const auto add = [&](PhaseKind kind, std::int32_t axis) {
        const AlgorithmChoice& choice = choices[static_cast<std::size_t>(axis)];
        body.phases.push_back({kind, choice.algorithm, axis, choice.algorithm == Algorithm::Direct ? choice.window : 0, false});
    };
    switch (op) {
    case CollectiveOp::AllToAll:
        for (std::int32_t axis = 0; axis < axes; ++axis)
            add(PhaseKind::AllToAll, axis);
        break;
    case CollectiveOp::ReduceScatter:
        for (std::int32_t axis = 0; axis < axes; ++axis)
            add(PhaseKind::ReduceScatter, axis);
        break;
    case CollectiveOp::AllGather:
        for (std::int32_t axis = axes; axis-- > 0;)
            add(PhaseKind::AllGather, axis);
        break;
    default: { // all-reduce: reduce-scatter up, all-gather down; a tree does both at the top
        const bool tree = choices.back().algorithm == Algorithm::DoubleBinaryTree;
        const std::int32_t scattered = tree ? axes - 1 : axes;
        for (std::int32_t axis = 0; axis < scattered; ++axis)
            add(PhaseKind::ReduceScatter, axis);
        if (tree)
            add(PhaseKind::AllReduce, axes - 1);
        for (std::int32_t axis = scattered; axis-- > 0;)
            add(PhaseKind::AllGather, axis);
        break;
    }
    }
    return body;
}

} // namespace

Result<PlannedCollective> planCollective(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group,
                                         CollectiveOp op, std::int64_t bytes, const CollectiveSetting& setting, bool flat)
{
    if (!hasTemplate(op))
        return Error{ErrorCode::Unsupported, "no native algorithm for " + std::string(collectiveKey(op)), {},
                     "all_reduce, reduce_scatter, all_gather or all_to_all"};
    GroupShape shape = groupShape(platform, placement, family, group, flat);
    PlannedCollective planned{nullptr, std::move(shape.layout)};
    if (planned.layout.size() <= 1 || bytes == 0)
        return planned;

    const std::size_t dimensions = platform.dimensions().size();
    if (setting.algorithms.size() > 1 && setting.algorithms.size() != dimensions && !flat) {
        return invalidInput("the list of algorithms has " + std::to_string(setting.algorithms.size()) + " entries for " + std::to_string(dimensions)
                                + " dimensions",
                            {}, "one algorithm, or one per dimension");
    }
    std::vector<AlgorithmChoice> choices;
    for (const std::int32_t dimension : shape.dimensionOfAxis)
        choices.push_back(choiceFor(platform, dimension, op, setting));
    auto body = templateFor(op, planned.layout.extents, choices);
    if (!body)
        return std::move(body).error();

    Program program;
    program.op = op;
    program.ranks = planned.layout.size();
    program.chunks = setting.chunks;
    program.window = setting.window;
    program.name = programName(choices);
    program.provenance = "native";
    program.body = std::move(body).value();
    planned.program = std::make_shared<const Program>(std::move(program));
    return planned;
}

} // namespace fabricscope
