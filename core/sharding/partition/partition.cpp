#include "core/sharding/partition/partition.h"

#include "core/base/stop.h"
#include "core/model/graph/gradients.h"
#include "core/sharding/partition/partitioner.h"
#include "core/sharding/partition/splittopk.h"
#include "core/sharding/propagate.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

/// Which inputs are parameters: those without a dim that goes through to the first dim of the last result, which is the batch.
std::vector<char> parametersOf(const OpGraph& graph)
{
    std::vector<std::size_t> first(graph.tensors.size() + 1, 0);
    for (std::size_t t = 0; t < graph.tensors.size(); ++t)
        first[t + 1] = first[t] + graph.tensors[t].shape.size();
    std::vector<std::size_t> parent(first.back());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&parent](std::size_t node) {
        while (parent[node] != node)
            node = parent[node] = parent[parent[node]];
        return node;
    };
    std::optional<std::size_t> batch;
    for (const GraphOp& op : graph.ops) {
        const OpFactors rule = factorsOf(graph, op);
        std::vector<std::optional<std::size_t>> holder(rule.factors.size());
        for (std::size_t t = 0; t < rule.dims.size(); ++t) {
            const auto id = static_cast<std::size_t>(t < op.inputs.size() ? op.inputs[t] : op.output);
            for (std::size_t d = 0; d < rule.dims[t].size(); ++d) {
                for (const int factor : rule.dims[t][d]) {
                    auto& known = holder[static_cast<std::size_t>(factor)];
                    if (known && rule.factors[static_cast<std::size_t>(factor)].type != FactorType::Reduction)
                        parent[root(first[id] + d)] = root(*known);
                    known = first[id] + d;
                }
            }
        }
        if (!graph.tensor(op.output).shape.empty())
            batch = first[static_cast<std::size_t>(op.output)];
    }
    std::vector<char> parameters(graph.tensors.size(), 0);
    for (std::size_t t = 0; t < graph.tensors.size() && batch; ++t) {
        bool data = graph.tensors[t].producer >= 0;
        for (std::size_t d = 0; d < graph.tensors[t].shape.size(); ++d)
            data |= root(first[t] + d) == root(*batch);
        parameters[t] = data ? 0 : 1;
    }
    return parameters;
}

/// Gradients lie as what they are gradients of; what is between gets what spreads to it.
std::vector<std::vector<AxisList>> backwardShardings(const BackwardGraph& backward, const std::vector<std::vector<AxisList>>& forward, const ShardOptions& options, const std::stop_token& stop)
{
    std::vector<PropagationStart> start;
    for (std::size_t t = 0; t < backward.graph.tensors.size(); ++t) {
        const std::size_t dims = backward.graph.tensors[t].shape.size();
        const std::size_t source = t < forward.size() ? t : backward.like[t] >= 0 ? static_cast<std::size_t>(backward.like[t]) : forward.size();
        const bool known = source < forward.size();
        start.push_back({known ? forward[source] : std::vector<AxisList>(dims), std::vector<char>(dims, known ? 1 : 0), std::vector<int>(dims, 0), {}});
    }
    return propagate(backward.graph, start, {options.aggressive}, stop);
}

/// Halos have a row per part.
Status checkParts(const OpGraph& graph, const std::vector<std::vector<AxisList>>& dims)
{
    constexpr std::int64_t kMostParts = 1 << 16;
    for (const GraphOp& op : graph.ops) {
        const OpFactors rule = factorsOf(graph, op);
        for (std::size_t t = 0; t < rule.dims.size(); ++t) {
            const TensorId id = t < op.inputs.size() ? op.inputs[t] : op.output;
            for (std::size_t d = 0; d < rule.dims[t].size(); ++d) {
                const bool permuted = std::ranges::any_of(rule.dims[t][d], [&](int f) { return rule.factors[static_cast<std::size_t>(f)].type == FactorType::Permutation; });
                if (permuted && shardsOf(dims[static_cast<std::size_t>(id)][d]) > kMostParts)
                    return Error{ErrorCode::Unsupported, "op " + op.name + ": dim " + std::to_string(d) + " of " + graph.tensor(id).name + " is cut into too many parts for halos", op.place, "at most 65536"};
            }
        }
    }
    return {};
}

/// What is said of each tensor of the graph, how it lies and how it ends. `users`: of the forward graph.
void fillLayouts(const ShardProblem& problem, const std::vector<std::vector<AxisList>>& propagated, const std::vector<std::vector<OpId>>& users, PartitionInput& input)
{
    input.annotations.assign(input.graph.tensors.size(), nullptr);
    input.wanted.assign(input.graph.tensors.size(), nullptr);
    for (const TensorAnnotation& note : problem.annotations)
        input.annotations[static_cast<std::size_t>(note.tensor)] = &note;
    for (const WantedLayout& wanted : problem.wanted)
        input.wanted[static_cast<std::size_t>(wanted.tensor)] = &wanted;
    for (std::size_t t = 0; t < input.graph.tensors.size(); ++t) {
        const TensorAnnotation* note = input.annotations[t];
        const WantedLayout* wanted = input.wanted[t];
        Layout layout{propagated[t], {}, ReduceKind::Sum};
        if (note && input.graph.tensors[t].producer < 0)
            layout.unreduced = note->unreduced;
        input.propagated.push_back(layout);
        layout.unreduced.clear();
        if (wanted && t < users.size() && users[t].empty())
            layout.dims = wanted->dims;
        input.ends.push_back(layout);
        input.fixed.push_back((note && note->dims) || wanted ? 1 : 0);
    }
}

Result<ShardPlan> partitioned(const ShardProblem& given, const std::stop_token& stop)
{
    ShardPlan plan;
    plan.propagated = propagate(given.graph, startOf(given), {given.options.aggressive, given.groups}, stop);
    std::vector<char> fresh;
    const std::optional<ShardProblem> split = withSplitTopK(given, plan.propagated, fresh);
    const ShardProblem& problem = split ? *split : given;
    if (split) {
        std::vector<PropagationStart> start;
        for (std::size_t t = 0; t < fresh.size(); ++t) {
            const std::size_t dims = plan.propagated[t].size();
            start.push_back({plan.propagated[t], std::vector<char>(dims, fresh[t] ? 0 : 1), std::vector<int>(dims, 0), {}});
        }
        plan.propagated = propagate(problem.graph, start, {problem.options.aggressive}, stop);
    }
    if (Status status = checkParts(problem.graph, plan.propagated); !status)
        return status.error();
    PartitionInput input;
    input.problem = &problem;
    input.graph = problem.graph;
    input.forwardOps = problem.graph.ops.size();
    input.parameters = parametersOf(problem.graph);
    const auto users = input.graph.users();
    if (problem.options.backward) {
        Result<BackwardGraph> backward = withGradients(problem.graph);
        if (!backward)
            return backward.error();
        plan.propagated = backwardShardings(backward.value(), plan.propagated, problem.options, stop);
        input.graph = std::move(backward.value().graph);
        input.gradients = std::move(backward.value().gradients);
        input.parameters.resize(input.graph.tensors.size(), 0);
    }
    fillLayouts(problem, plan.propagated, users, input);
    plan.program = Partitioner(std::move(input), stop).run();
    return plan;
}

} // namespace

Result<ShardPlan> partition(const ShardProblem& problem, const std::stop_token& stop)
{
    return untilStopped([&] { return partitioned(problem, stop); });
}

} // namespace fabricscope
