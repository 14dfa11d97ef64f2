#include "core/sharding/execute/reducedrun.h"

#include "core/model/graph/opfactors.h"
#include "core/sharding/execute/programcheck.h"
#include "core/sharding/execute/sizeclasses.h"

#include <algorithm>
#include <bit>

namespace fabricscope {

namespace {

/// The op with attributes that fit other shapes. \pre dims that its attributes cut keep their sizes
GraphOp resizedOp(GraphOp op, const GraphTensor& before, const TensorShape& input, const TensorShape& result)
{
    if (op.kind == GraphOpKind::Reshape || op.kind == GraphOpKind::Broadcast || op.kind == GraphOpKind::Opaque)
        op.shape = result;
    if (op.kind == GraphOpKind::ScatterAdd && op.size > 0)
        op.size = result[static_cast<std::size_t>(op.dim)];
    if (op.kind == GraphOpKind::Slice) {
        for (std::size_t d = 0; d < op.limits.size(); ++d)
            op.limits[d] = op.limits[d] == before.shape[d] && input[d] != before.shape[d] ? input[d] : op.limits[d];
    }
    return op;
}

/// The problem with other shapes, by names of tensors: the graph of a program has them in another order.
Result<ShardProblem> resized(const ShardProblem& problem, const OpGraph& graph, const std::vector<TensorShape>& shapes)
{
    const auto shapeOf = [&](const GraphTensor& tensor) {
        const auto id = graph.find(tensor.name);
        return id ? shapes[static_cast<std::size_t>(*id)] : tensor.shape;
    };
    ShardProblem small = problem;
    small.graph = {};
    for (const GraphTensor& tensor : problem.graph.tensors) {
        Result<TensorId> added = TensorId{-1};
        if (tensor.producer < 0) {
            GraphTensor input = tensor;
            input.shape = shapeOf(tensor);
            added = small.graph.addInput(std::move(input));
        } else {
            const GraphOp& op = problem.graph.op(tensor.producer);
            const GraphTensor& first = problem.graph.tensor(op.inputs[0]);
            added = small.graph.addOp(resizedOp(op, first, shapeOf(first), shapeOf(tensor)));
        }
        if (!added)
            return added.error();
    }
    return small;
}

bool sameStep(const PartitionedProgram& a, const ProgramStep& x, const PartitionedProgram& b, const ProgramStep& y)
{
    return x.kind == y.kind && x.axes == y.axes && x.dim == y.dim && x.toDim == y.toDim && x.backward == y.backward && a.value(x.out).name == b.value(y.out).name;
}

/// The first collective of `a` that `b` does not have at its place; "none": it has more.
std::optional<std::string> firstOther(const PartitionedProgram& a, const PartitionedProgram& b)
{
    std::vector<const ProgramStep*> others;
    for (const ProgramStep& step : b.steps) {
        if (isCollective(step.kind))
            others.push_back(&step);
    }
    std::size_t n = 0;
    for (const ProgramStep& step : a.steps) {
        if (!isCollective(step.kind))
            continue;
        if (n == others.size() || !sameStep(a, step, b, *others[n]))
            return std::string(wordOf(step.kind)) + " of " + a.value(step.out).name + " over " + axesText(a.mesh, step.axes);
        ++n;
    }
    return n == others.size() ? std::nullopt : std::optional<std::string>("none");
}

} // namespace

Status checkExecutable(const PartitionedProgram& program, const ExecutionLimits& limits)
{
    if (Status small = checkRunnable(program.graph, limits); !small)
        return small;
    return checkProgram(program, limits);
}

Result<ReducedShard> reducedShard(const ShardProblem& problem, const ShardPlan& plan, const ExecutionLimits& limits, const std::stop_token& stop)
{
    const Status asGiven = checkExecutable(plan.program, limits);
    const SizeClasses classes(plan.program);
    std::string why;
    std::vector<TensorShape> last;
    for (int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(classes.largest()))) / 2; bits >= 0; --bits) {
        const std::vector<TensorShape> shapes = classes.shapes(std::int64_t{1} << (2 * bits));
        if (shapes == last)
            continue;
        last = shapes;
        Result<ShardProblem> small = resized(problem, plan.program.graph, shapes);
        if (!small) { // An op that hangs on its sizes in a way that classes do not know.
            why = small.error().message;
            continue;
        }
        Result<ShardPlan> made = partition(small.value(), stop);
        if (!made)
            return made.error();
        if (const Status fits = checkExecutable(made.value().program, limits); !fits) {
            why = why.empty() ? fits.error().message : why;
            break; // The weaker scales are larger.
        }
        if (const auto other = firstOther(plan.program, made.value().program)) {
            why = "of smaller dims other collectives would be made, first " + *other;
            continue;
        }
        ReducedShard reduced{std::move(small).value(), std::move(made).value(), {}};
        for (std::size_t t = 0; t < problem.graph.tensors.size(); ++t) {
            if (problem.graph.tensors[t].producer < 0 && problem.graph.tensors[t].shape != reduced.problem.graph.tensors[t].shape)
                reduced.inputs.push_back(static_cast<TensorId>(t));
        }
        return reduced;
    }
    Error error = asGiven ? Error{ErrorCode::Unsupported, {}, {}, {}} : asGiven.error();
    error.message += (error.message.empty() ? "" : "; ") + (why.empty() ? std::string("no dim can be made smaller") : why);
    return error;
}

} // namespace fabricscope
