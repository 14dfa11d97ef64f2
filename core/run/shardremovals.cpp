#include "core/base/stop.h"
#include "core/run/simulateshard.h"
#include "core/sharding/propagationpath.h"

#include <algorithm>
#include <map>
#include <set>

namespace fabricscope {

namespace {

constexpr std::size_t kMostTries = 24;
constexpr std::size_t kMostKept = 3;

/// Kind, tensor and axes: what makes a collective the same one in another program.
std::string identityOf(const PartitionedProgram& program, const ProgramStep& step)
{
    return std::string(wordOf(step.kind)) + ' ' + program.value(step.out).name + ' ' + axesText(program.mesh, step.axes) + (step.backward ? " backward" : "");
}

std::string listText(const Mesh& mesh, const std::vector<AxisList>& dims)
{
    return layoutText(mesh, Layout{dims, {}, ReduceKind::Sum});
}

/// Changes of one annotation at a tensor, for one collective.
class RemovalTries {
public:
    RemovalTries(const ShardProblem& problem, const ShardPlan& plan, std::size_t step) : m_problem(problem), m_plan(plan), m_step(plan.program.steps[step]), m_index(step)
    {
        const OpGraph& graph = plan.program.graph;
        const TensorId moved = plan.program.value(m_step.out).tensor;
        around(graph.tensor(moved).name);
        // Who needs it, and who makes it: partial sums are of that.
        std::vector<TensorId> near;
        for (const OpId op : {m_step.op, graph.tensor(moved).producer}) {
            if (op < 0)
                continue;
            near.insert(near.end(), graph.op(op).inputs.begin(), graph.op(op).inputs.end());
            near.push_back(graph.op(op).output);
        }
        for (const TensorId tensor : near)
            around(graph.tensor(tensor).name);
        if (const std::size_t of = m_step.cause.annotation.rfind(' '); of != std::string::npos)
            around(m_step.cause.annotation.substr(of + 1));
        for (const TensorId tensor : near)
            originOf(tensor);
    }

    std::vector<ShardRemoval> take() { return std::move(m_tries); }

private:
    /// The annotated tensors from which the axes came to a tensor.
    void originOf(TensorId tensor)
    {
        const std::vector<AxisList>& dims = m_plan.propagated[static_cast<std::size_t>(tensor)];
        for (std::size_t d = 0; d < dims.size(); ++d) {
            for (const AxisPart& part : m_step.axes) {
                if (const auto path = propagationPath(m_problem, m_plan, tensor, d, part); path && !path->empty())
                    around(m_plan.program.graph.tensor(path->front().from).name);
            }
        }
    }

    void around(std::string name)
    {
        if (name.starts_with("grad "))
            name = name.substr(5);
        const auto id = m_problem.graph.find(name);
        const auto own = m_plan.program.graph.find(name);
        if (!id || !own || !m_seen.insert(*id).second)
            return;
        const std::vector<AxisList>& now = m_plan.propagated[static_cast<std::size_t>(*own)];
        const TensorAnnotation* note = m_problem.annotationOf(*id);
        if (note && note->unreduced.empty())
            add(*id, std::nullopt, "drop the annotation of " + name);
        std::vector<AxisList> bare = now;
        for (AxisList& axes : bare)
            axes = without(axes, m_step.axes);
        if (bare != now || !note)
            add(*id, bare, {});
        const TensorShape& shape = m_problem.graph.tensor(*id).shape;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            std::vector<AxisList> moved = bare;
            moved[d] = joined(appended(moved[d], m_step.axes));
            if (moved != now && shape[d] >= shardsOf(moved[d]))
                add(*id, moved, {});
        }
    }

    void add(TensorId id, const std::optional<std::vector<AxisList>>& dims, std::string text)
    {
        const TensorAnnotation* const note = m_problem.annotationOf(id);
        const auto taken = [&](const AxisList& axes) { return note && overlap(axes, note->unreduced); };
        if (m_tries.size() >= kMostTries || (dims && std::ranges::any_of(*dims, taken)))
            return;
        ShardRemoval change;
        change.step = m_index;
        change.tensor = id;
        if (dims) {
            TensorAnnotation made = note ? *note : TensorAnnotation();
            made.tensor = id;
            made.dims = *dims;
            made.closed.assign(dims->size(), 1); // As said, and no further.
            made.priority.resize(dims->size(), 0);
            for (const AxisList& list : *dims)
                made.replicated = without(made.replicated, list);
            change.note = std::move(made);
            text = "annotate " + m_problem.graph.tensor(id).name + " as " + listText(m_problem.mesh, *dims) + ", closed";
        }
        change.text = std::move(text);
        m_tries.push_back(std::move(change));
    }

    const ShardProblem& m_problem;
    const ShardPlan& m_plan;
    const ProgramStep& m_step;
    std::size_t m_index;
    std::set<TensorId> m_seen;
    std::vector<ShardRemoval> m_tries;
};

ShardProblem withChange(ShardProblem problem, const ShardRemoval& change)
{
    std::erase_if(problem.annotations, [&](const TensorAnnotation& note) { return note.tensor == change.tensor; });
    if (change.note)
        problem.annotations.push_back(*change.note);
    return problem;
}

/// Tries one change: false: the collective stays.
bool tryChange(const Design& platform, const ShardProblem& problem, const std::string& identity, const ShardLowering& how, const std::stop_token& stop, ShardRemoval& change)
{
    const auto plan = partition(withChange(problem, change), stop);
    if (!plan)
        return false;
    const PartitionedProgram& program = plan.value().program;
    if (std::ranges::any_of(program.steps, [&](const ProgramStep& step) { return isCollective(step.kind) && identityOf(program, step) == identity; }))
        return false;
    const auto times = simulateSharding(platform, program, how, stop);
    if (times)
        change.finishPs = times.value().finishPs;
    else
        change.problem = times.error().message;
    return true;
}

} // namespace

Result<std::vector<ShardRemoval>> shardRemovals(const Design& platform, const ShardProblem& problem, const ShardPlan& plan, const ShardTimes& times, const ShardLowering& how, std::size_t most,
    const std::stop_token& stop)
{
    std::vector<std::size_t> slowest;
    for (std::size_t s = 0; s < plan.program.steps.size(); ++s) {
        if (isCollective(plan.program.steps[s].kind) && plan.program.steps[s].kind != StepKind::Slice && times.stepPs[s] > 0)
            slowest.push_back(s);
    }
    std::ranges::stable_sort(slowest, [&](std::size_t a, std::size_t b) { return times.stepPs[a] > times.stepPs[b]; });
    slowest.resize(std::min(slowest.size(), most));
    return untilStopped([&]() -> Result<std::vector<ShardRemoval>> {
        std::vector<ShardRemoval> all;
        for (const std::size_t s : slowest) {
            std::vector<ShardRemoval> found;
            const std::string identity = identityOf(plan.program, plan.program.steps[s]);
            for (ShardRemoval& change : RemovalTries(problem, plan, s).take()) {
                checkStop(stop);
                if (tryChange(platform, problem, identity, how, stop, change))
                    found.push_back(std::move(change));
            }
            std::ranges::stable_sort(found, {}, [](const ShardRemoval& change) { return change.finishPs < 0 ? INT64_MAX : change.finishPs; });
            found.resize(std::min(found.size(), kMostKept));
            all.insert(all.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
        }
        return all;
    });
}

} // namespace fabricscope
