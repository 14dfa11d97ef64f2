// Generators whose programs are templates: they cost nothing at 65,536 ranks.
#include "core/base/index.h"
#include "core/generate/families.h"
#include "core/program/nativerule.h"

#include <algorithm>

namespace fabricscope::generate {

namespace {

using Phases = std::vector<PhaseTemplate>;

/// Reduce-scatter over the axes in `order`, all-gather back; one half, or all-to-all up. \param algorithms by axis.
Phases phasesOver(CollectiveOp op, const std::vector<std::int32_t>& order, const std::vector<Algorithm>& algorithms, bool minus)
{
    Phases phases;
    const auto add = [&](PhaseKind kind, std::int32_t axis) {
        const Algorithm algorithm = algorithms[at(axis)];
        phases.push_back({kind, algorithm, axis, 0, minus && algorithm == Algorithm::Ring});
    };
    const auto last = order.back();
    // An all-reduce of a switch or of two trees is one phase: that of the last axis.
    const bool whole = op == CollectiveOp::AllReduce && nativeRule(algorithms[at(last)]).allReduce;
    if (op == CollectiveOp::AllToAll || op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllReduce) {
        for (const std::int32_t axis : order) {
            if (whole && axis == last)
                add(PhaseKind::AllReduce, axis);
            else
                add(op == CollectiveOp::AllToAll ? PhaseKind::AllToAll : PhaseKind::ReduceScatter, axis);
        }
    }
    if (op == CollectiveOp::AllGather || op == CollectiveOp::AllReduce) {
        for (std::size_t i = order.size(); i-- > 0;) {
            if (!whole || order[i] != last)
                add(PhaseKind::AllGather, order[i]);
        }
    }
    if (op == CollectiveOp::Broadcast) {
        for (std::size_t i = order.size(); i-- > 0;)
            add(PhaseKind::Broadcast, order[i]);
    }
    return phases;
}

std::vector<std::int32_t> ascending(std::size_t count)
{
    std::vector<std::int32_t> order;
    for (std::size_t i = 0; i < count; ++i)
        order.push_back(static_cast<std::int32_t>(i));
    return order;
}

ProgramPtr finish(const GenerateRequest& request, TemplateBody body, std::int32_t chunks)
{
    auto program = std::make_shared<Program>();
    program->op = request.op;
    program->ranks = ranksOf(request);
    program->chunks = chunks;
    program->name = nameOf(request);
    program->provenance = provenanceOf(request);
    program->body = std::move(body);
    return program;
}

ProgramPtr uniform(const GenerateRequest& request, std::vector<std::int32_t> axes, const std::vector<Algorithm>& algorithms)
{
    TemplateBody body;
    body.axes = std::move(axes);
    body.phases = phasesOver(request.op, ascending(body.axes.size()), algorithms, false);
    return finish(request, std::move(body), request.chunks);
}

template <Algorithm algorithm>
ProgramPtr makeUniform(const GenerateRequest& request)
{
    const auto axes = axesOf(request);
    return uniform(request, axes, std::vector<Algorithm>(axes.size(), algorithm));
}

/// One group of all ranks.
ProgramPtr makeTrees(const GenerateRequest& request)
{
    return uniform(request, {ranksOf(request)}, {Algorithm::DoubleBinaryTree});
}

Status checkRootZero(const GenerateRequest& request)
{
    if (request.root != 0)
        return refusal("root", "root " + std::to_string(request.root), "0, the rank at position 0");
    return {};
}

/// What the axes use: the request's choice, else `usual`. Axes of extent 1 are left out.
std::vector<Algorithm> chosen(const GenerateRequest& request, const std::vector<Algorithm>& usual)
{
    std::vector<Algorithm> algorithms;
    for (std::size_t i = 0; i < request.axes.size(); ++i) {
        if (request.axes[i] > 1)
            algorithms.push_back(request.axisAlgorithms.empty() ? usual[std::min(i, usual.size() - 1)] : request.axisAlgorithms[i]);
    }
    return algorithms;
}

Status checkChosen(const GenerateRequest& request)
{
    const std::vector<Algorithm> algorithms = chosen(request, {Algorithm::Ring});
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
        const bool lastOfAllReduce = request.op == CollectiveOp::AllReduce && i + 1 == algorithms.size();
        if (algorithms[i] == Algorithm::DoubleBinaryTree && !lastOfAllReduce)
            return refusal("axisAlgorithms", "a double binary tree on an axis that is not the last of an all-reduce", "ring, direct, halving_doubling, in_network");
    }
    return {};
}

Status checkTwoAxes(const GenerateRequest& request)
{
    if (axesOf(request).size() != 2)
        return refusal("axes", std::to_string(axesOf(request).size()) + " axes of more than one rank", "two: the ranks of a node, and the nodes");
    return checkChosen(request);
}

ProgramPtr makeHierarchical(const GenerateRequest& request)
{
    return uniform(request, axesOf(request), chosen(request, {Algorithm::Direct, Algorithm::Ring}));
}

/// Prime factors, ascending.
std::vector<std::int32_t> factorsOf(std::int32_t value)
{
    std::vector<std::int32_t> factors;
    for (std::int32_t factor = 2; factor * factor <= value; ++factor) {
        for (; value % factor == 0; value /= factor)
            factors.push_back(factor);
    }
    if (value > 1)
        factors.push_back(value);
    return factors;
}

Status checkBlueConnect(const GenerateRequest& request)
{
    const auto axes = axesOf(request);
    if (axes.size() == 1 && factorsOf(axes.front()).size() < 2)
        return refusal("axes", "one axis of " + std::to_string(axes.front()) + " ranks", "two or more axes, or one whose size is a product");
    if (axes.size() == 1 && !request.axisAlgorithms.empty())
        return refusal("axisAlgorithms", "algorithms for an axis that is taken apart", "none, or two or more axes");
    return checkChosen(request);
}

ProgramPtr makeBlueConnect(const GenerateRequest& request)
{
    const auto axes = axesOf(request);
    if (axes.size() > 1)
        return uniform(request, axes, chosen(request, {Algorithm::Ring}));
    const auto factors = factorsOf(axes.front());
    return uniform(request, factors, std::vector<Algorithm>(factors.size(), Algorithm::Ring));
}

/// Chunks of the request in as many parts as there are orders, part k through order k.
ProgramPtr inOrders(const GenerateRequest& request, const std::vector<Phases>& orders)
{
    TemplateBody body;
    body.axes = axesOf(request);
    body.phases = orders.front();
    body.orders.assign(orders.begin() + 1, orders.end());
    const auto parts = static_cast<std::int32_t>(orders.size());
    for (std::int32_t chunk = 0; chunk < request.chunks * parts; ++chunk)
        body.orderOfChunk.push_back(static_cast<std::uint16_t>(chunk % parts));
    return finish(request, std::move(body), request.chunks * parts);
}

ProgramPtr makeBidirectional(const GenerateRequest& request)
{
    const std::size_t count = axesOf(request).size();
    const std::vector<Algorithm> rings(count, Algorithm::Ring);
    return inOrders(request, {phasesOver(request.op, ascending(count), rings, false), phasesOver(request.op, ascending(count), rings, true)});
}

Status checkTorus(const GenerateRequest& request)
{
    if (axesOf(request).size() < 2)
        return refusal("axes", "one axis of more than one rank", "two or more axes");
    return {};
}

template <bool bothWays>
ProgramPtr makeBucket(const GenerateRequest& request)
{
    const std::size_t count = axesOf(request).size();
    const std::vector<Algorithm> rings(count, Algorithm::Ring);
    std::vector<Phases> orders;
    for (std::size_t first = 0; first < count; ++first) {
        std::vector<std::int32_t> order = ascending(count);
        std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first), order.end());
        orders.push_back(phasesOver(request.op, order, rings, false));
        if (bothWays)
            orders.push_back(phasesOver(request.op, order, rings, true));
    }
    return inOrders(request, orders);
}

} // namespace

const Maker kRing{nullptr, nullptr, makeUniform<Algorithm::Ring>};
const Maker kDirect{checkRootZero, nullptr, makeUniform<Algorithm::Direct>};
const Maker kHalvingDoubling{nullptr, nullptr, makeUniform<Algorithm::HalvingDoubling>};
const Maker kInNetwork{checkRootZero, nullptr, makeUniform<Algorithm::InNetwork>};
const Maker kDoubleBinaryTree{nullptr, nullptr, makeTrees};
const Maker kHierarchical{checkTwoAxes, nullptr, makeHierarchical};
const Maker kBlueConnect{checkBlueConnect, nullptr, makeBlueConnect};
const Maker kBidirectionalRing{nullptr, nullptr, makeBidirectional};
const Maker kTorusBucket{checkTorus, nullptr, makeBucket<true>};
const Maker kTorusBucketOneWay{checkTorus, nullptr, makeBucket<false>};

} // namespace fabricscope::generate
