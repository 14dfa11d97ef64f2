#include "core/base/axes.h"
#include "core/base/index.h"
#include "core/base/integers.h"
#include "core/platform/offload.h"
#include "core/program/nativerule.h"
#include "core/scenario/broadcastlayout.h"
#include "core/scenario/chunkorders.h"
#include "core/scenario/groupshape.h"
#include "core/scenario/lowering.h"
#include "core/scenario/standardrules.h"

namespace fabricscope {

namespace {

bool hasTemplate(CollectiveOp op)
{
    return op == CollectiveOp::AllReduce || op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllGather || op == CollectiveOp::AllToAll
        || op == CollectiveOp::Broadcast;
}

/// What the setting says about one axis of the group.
AlgorithmChoice choiceFor(const Platform& platform, const Placement& placement, const GroupShape& shape, std::size_t axis, CollectiveOp op, const CollectiveSetting& setting,
                          const StandardRules* standard)
{
    AlgorithmChoice choice;
    const auto& given = setting.algorithms;
    const std::int32_t place = shape.levels ? static_cast<std::int32_t>(axis) : shape.dimensionOfAxis[axis];
    if (given.size() == 1)
        choice = given[0];
    else if (place >= 0 && static_cast<std::size_t>(place) < given.size())
        choice = given[at(place)];
    if (choice.automatic)
        choice.algorithm = standard ? standard->along(platform, placement, shape, axis, op, setting.chunks) : usualAlgorithm(platform, shape, axis, op);
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

Status checkAlgorithms(CollectiveOp op, const std::vector<AlgorithmChoice>& choices)
{
    for (std::size_t axis = 0; axis < choices.size(); ++axis) {
        const NativeRule& rule = nativeRule(choices[axis].algorithm);
        const bool last = axis + 1 == choices.size();
        if (rule.does(op, last))
            continue;
        std::vector<std::string_view> others;
        for (const NativeRule* const other : nativeRules()) {
            if (other->does(op, last))
                others.push_back(other->key);
        }
        std::string message = std::string(rule.key) + " cannot do " + std::string(collectiveKey(op));
        if (rule.does(op, true))
            message += " in dimension " + std::to_string(axis) + " of " + std::to_string(choices.size());
        if (!rule.limit.empty())
            message += ": " + std::string(rule.limit);
        return Error{ErrorCode::Unsupported, std::move(message), {}, listedWords(others, "or")};
    }
    return {};
}

/// Does the last axis do an all-reduce in one phase?
bool wholeOnTop(CollectiveOp op, const std::vector<AlgorithmChoice>& choices)
{
    return op == CollectiveOp::AllReduce && nativeRule(choices.back().algorithm).allReduce;
}

/// The phases of a chunk that goes through the axes in this order; gathers go through it backwards.
std::vector<PhaseTemplate> phasesFor(CollectiveOp op, const std::vector<std::int32_t>& order, const std::vector<AlgorithmChoice>& choices)
{
    std::vector<PhaseTemplate> phases;
    const auto add = [&](PhaseKind kind, std::int32_t axis) {
        phases.push_back({kind, choices[at(axis)].algorithm, axis, choices[at(axis)].window, false});
        phases.back().window = windowOf(phases.back());
    };
    if (op == CollectiveOp::AllToAll) {
        for (const std::int32_t axis : order)
            add(PhaseKind::AllToAll, axis);
        return phases;
    }
    if (op == CollectiveOp::Broadcast) {
        for (std::size_t i = order.size(); i-- > 0;)
            add(PhaseKind::Broadcast, order[i]);
        return phases;
    }
    // All-reduce: reduce-scatter up, all-gather down; a tree or a switch does both at the top.
    const bool whole = wholeOnTop(op, choices);
    const std::size_t scattered = order.size() - (whole ? 1 : 0);
    for (std::size_t i = 0; op != CollectiveOp::AllGather && i < scattered; ++i)
        add(PhaseKind::ReduceScatter, order[i]);
    if (whole)
        add(PhaseKind::AllReduce, order.back());
    for (std::size_t i = scattered; op != CollectiveOp::ReduceScatter && i-- > 0;)
        add(PhaseKind::AllGather, order[i]);
    return phases;
}

Result<TemplateBody> templateFor(CollectiveOp op, const std::vector<std::int32_t>& extents, const std::vector<AlgorithmChoice>& choices,
                                 const ChunkOrders& orders)
{
    TemplateBody body;
    body.axes = extents;
    body.phases = phasesFor(op, orders.orders[0], choices);
    for (std::size_t order = 1; order < orders.orders.size(); ++order)
        body.orders.push_back(phasesFor(op, orders.orders[order], choices));
    if (!body.orders.empty()) { // one order with equal chunks is the plain form
        body.orderOfChunk = orders.orderOfChunk;
        body.chunkWeights = orders.weights;
    }
    return body;
}

/// Every other chunk goes the other way round a ring; of an odd number each is cut in two.
void sendBothWays(Program& program)
{
    TemplateBody& body = std::get<TemplateBody>(program.body);
    if (program.chunks % 2 != 0)
        program.chunks *= 2;
    body.orders.push_back(body.phases);
    for (PhaseTemplate& phase : body.orders.back())
        phase.minus = true;
    for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk)
        body.orderOfChunk.push_back(static_cast<std::uint16_t>(chunk % 2));
    program.name += ", both ways";
}

/// Can the switches do what in_network asks of them?
Status checkSwitches(const Platform& platform, const Placement& placement, const GroupShape& shape, CollectiveOp op, const std::vector<AlgorithmChoice>& choices)
{
    for (std::size_t axis = 0; axis < choices.size(); ++axis) {
        if (nativeRule(choices[axis].algorithm).sequence != Sequence::InSwitch)
            continue;
        // All lines of the axis lie along one dimension; of a group without a product the members tell.
        std::vector<NodeId> members;
        const std::int32_t stride = strideOf(shape.layout.extents, static_cast<std::int64_t>(axis));
        for (std::int32_t r = 0; r < shape.layout.extents[axis]; ++r)
            members.push_back(placement.nodeOf(shape.layout.rankAt(r * stride)));
        const auto found = offloadSwitchOf(platform, members);
        if (!found)
            return found.error();
        if (op != CollectiveOp::AllGather && op != CollectiveOp::Broadcast && !offloadOf(platform, found.value()).reduction) {
            return Error{ErrorCode::Unsupported, "in_network: the switch has no rate of reduction", {}, "in_network: {reduction: 400 GB/s} at the switch"};
        }
    }
    return {};
}

/// Links along a level: what a member has of the largest flow there, and latencies of the way to its neighbour.
AxisLinks linksOf(const Platform& platform, const Placement& placement, const GroupShape& shape, const LevelFinder& finder, std::size_t axis)
{
    std::vector<NodeId> members(shape.levels->order.size());
    for (std::size_t position = 0; position < members.size(); ++position)
        members[at(shape.levels->order[position])] = placement.nodeOf(shape.layout.rankAt(static_cast<std::int32_t>(position)));
    const std::int32_t stride = strideOf(shape.layout.extents, static_cast<std::int64_t>(axis));
    AxisLinks links;
    const std::optional<Shape> joined = shape.levels->used[axis].shape;
    links.shape = joined.value_or(Shape::Switch);
    Dimension along;
    along.shape = links.shape;
    along.size = shape.layout.extents[axis];
    links.rate = std::max<std::int64_t>(finder.rate(*shape.levels, members, axis) / along.linksPerNpu(), 1);
    std::vector<LinkId> way;
    platform.route(placement.nodeOf(shape.layout.rankAt(0)), placement.nodeOf(shape.layout.rankAt(stride)), way);
    for (const LinkId link : way)
        links.hopLatency += platform.latency(link).ps;
    links.hopLatency /= links.shape == Shape::Switch ? 2 : 1;
    return links;
}

/// Orders of the chunks; a tree stays at the top.
Result<ChunkOrders> ordersFor(const Platform& platform, const Placement& placement, const GroupShape& shape, const LevelFinder* finder, CollectiveOp op, std::int64_t bytes, std::int32_t chunks,
                              const std::vector<AlgorithmChoice>& choices, DimensionScheduler scheduler)
{
    const auto axes = static_cast<std::int32_t>(choices.size());
    if (op == CollectiveOp::AllToAll || op == CollectiveOp::Broadcast)
        scheduler = DimensionScheduler::Baseline;
    const PhaseKind kind = op == CollectiveOp::AllGather ? PhaseKind::AllGather : PhaseKind::ReduceScatter;
    const std::int32_t ordered = axes - (wholeOnTop(op, choices) ? 1 : 0);
    std::vector<AxisLoad> loads;
    for (std::int32_t axis = 0; scheduler != DimensionScheduler::Baseline && axis < ordered; ++axis) {
        const auto i = static_cast<std::size_t>(axis);
        const PhaseTemplate phase{kind, choices[i].algorithm, axis, 0, false};
        loads.push_back(shape.levels ? axisLoad(phase, shape.layout.extents[i], linksOf(platform, placement, shape, *finder, i))
                                     : axisLoad(phase, shape.layout.extents[i], platform, shape.dimensionOfAxis[i]));
    }
    if (loads.size() < 2) { // nothing to choose
        ChunkOrders plain;
        plain.orders.emplace_back();
        for (std::int32_t axis = 0; axis < axes; ++axis)
            plain.orders[0].push_back(axis);
        return plain;
    }
    auto orders = orderChunks(scheduler, loads, bytes / chunks, chunks);
    for (std::int32_t axis = ordered; orders && axis < axes; ++axis) {
        for (std::vector<std::int32_t>& order : orders.value().orders)
            order.push_back(axis);
    }
    return orders;
}

} // namespace

Result<PlannedCollective> planCollective(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group,
                                         CollectiveOp op, std::int64_t bytes, const CollectiveSetting& setting, bool flat, DimensionScheduler scheduler,
                                         const LevelFinder* finder, const StandardRules* standard)
{
    if (!hasTemplate(op))
        return Error{ErrorCode::Unsupported, "no native algorithm for " + std::string(collectiveKey(op)), {},
                     "all_reduce, reduce_scatter, all_gather, all_to_all or broadcast"};
    GroupShape shape = groupShape(platform, placement, family, group, flat, finderFor(finder, op, setting.algorithms.size()));
    if (op == CollectiveOp::Broadcast)
        shape.layout = startingAt(std::move(shape.layout), static_cast<std::int32_t>(family.member(group, 0)));
    PlannedCollective planned{nullptr, shape.layout, shape.levels};
    if (planned.layout.size() <= 1 || bytes == 0)
        return planned;

    const std::size_t dimensions = shape.levels ? shape.levels->used.size() : platform.dimensions().size();
    if (setting.algorithms.size() > 1 && setting.algorithms.size() != dimensions && !flat) {
        return invalidInput("the list of algorithms has " + std::to_string(setting.algorithms.size()) + " entries for " + std::to_string(dimensions)
                                + (!shape.levels ? " dimensions" : dimensions == 1 ? " level of the group" : " levels of the group: " + shape.levels->text()),
                            {}, shape.levels ? "one algorithm, or one per level" : "one algorithm, or one per dimension");
    }
    std::vector<AlgorithmChoice> choices;
    for (std::size_t axis = 0; axis < shape.dimensionOfAxis.size(); ++axis)
        choices.push_back(choiceFor(platform, placement, shape, axis, op, setting, standard));
    if (Status status = checkAlgorithms(op, choices); !status)
        return std::move(status).error();
    if (Status status = checkSwitches(platform, placement, shape, op, choices); !status)
        return std::move(status).error();
    const auto orders = ordersFor(platform, placement, shape, finder, op, bytes, setting.chunks, choices, scheduler);
    if (!orders)
        return orders.error();
    auto body = templateFor(op, planned.layout.extents, choices, orders.value());
    if (!body)
        return std::move(body).error();

    Program program;
    program.op = op;
    program.ranks = planned.layout.size();
    program.chunks = setting.chunks;
    program.window = setting.window;
    program.name = programName(choices);
    if (!orders.value().orderOfChunk.empty())
        program.name += ", " + std::string(keyOf(kDimensionSchedulers, scheduler));
    program.provenance = "native";
    program.body = std::move(body).value();
    if (standard && choices.size() == 1 && choices.front().automatic && setting.window == 0 && standard->goesBothWays(platform, placement, shape, op))
        sendBothWays(program);
    planned.program = std::make_shared<const Program>(std::move(program));
    return planned;
}

} // namespace fabricscope
