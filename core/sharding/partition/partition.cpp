#include "core/sharding/partition/partition.h"

#include "core/base/stop.h"
#include "core/sharding/partition/partitioner.h"
#include "core/sharding/propagate.h"

namespace fabricscope {

namespace {

constexpr KeyTable<StepKind, 12> kStepWords = {{{"input", StepKind::Input}, {"local", StepKind::Local}, {"mask", StepKind::Mask}, {"keep_first", StepKind::KeepFirst},
    {"all_reduce", StepKind::AllReduce}, {"reduce_scatter", StepKind::ReduceScatter}, {"all_gather", StepKind::AllGather}, {"all_to_all", StepKind::AllToAll},
    {"permute", StepKind::Permute}, {"halo_exchange", StepKind::HaloExchange}, {"slice", StepKind::Slice}, {"window", StepKind::Window}}};

Result<ShardPlan> partitioned(const ShardProblem& problem, const std::stop_token& stop)
{
    ShardPlan plan;
    PartitionInput input;
    input.problem = &problem;
    input.graph = problem.graph;
    input.forwardOps = problem.graph.ops.size();
    plan.propagated = propagate(problem.graph, startOf(problem), {problem.options.aggressive}, stop);
    const auto users = input.graph.users();
    for (std::size_t t = 0; t < input.graph.tensors.size(); ++t) {
        const TensorAnnotation* note = problem.annotationOf(static_cast<TensorId>(t));
        const WantedLayout* wanted = problem.wantedOf(static_cast<TensorId>(t));
        Layout layout{plan.propagated[t], {}, ReduceKind::Sum};
        if (note && input.graph.tensors[t].producer < 0)
            layout.unreduced = note->unreduced;
        input.propagated.push_back(layout);
        layout.unreduced.clear();
        if (wanted && users[t].empty())
            layout.dims = wanted->dims;
        input.ends.push_back(layout);
        input.fixed.push_back((note && note->dims) || wanted ? 1 : 0);
        input.parameters.push_back(0);
    }
    plan.program = Partitioner(std::move(input), stop).run();
    return plan;
}

} // namespace

std::string_view wordOf(StepKind kind)
{
    return keyOf(kStepWords, kind);
}

bool isCollective(StepKind kind)
{
    return kind >= StepKind::AllReduce && kind <= StepKind::Slice;
}

Result<ShardPlan> partition(const ShardProblem& problem, const std::stop_token& stop)
{
    return untilStopped([&] { return partitioned(problem, stop); });
}

} // namespace fabricscope
