#include "core/sharding/stablehlo/unusedops.h"

#include <vector>

namespace fabricscope::mlir {

namespace {

/// Which tensors nothing needs.
std::vector<char> unusedOf(const OpGraph& graph, const std::set<TensorId>& candidates, const std::set<TensorId>& kept)
{
    std::vector<int> uses(graph.tensors.size(), 0);
    for (const GraphOp& op : graph.ops) {
        for (const TensorId input : op.inputs)
            ++uses[static_cast<std::size_t>(input)];
    }
    std::vector<char> gone(graph.tensors.size(), 0);
    std::vector<TensorId> open(candidates.begin(), candidates.end());
    while (!open.empty()) {
        const TensorId tensor = open.back();
        open.pop_back();
        if (tensor < 0 || uses[static_cast<std::size_t>(tensor)] > 0 || kept.contains(tensor) || gone[static_cast<std::size_t>(tensor)])
            continue;
        gone[static_cast<std::size_t>(tensor)] = 1;
        if (const OpId producer = graph.tensor(tensor).producer; producer >= 0) {
            for (const TensorId input : graph.op(producer).inputs) {
                --uses[static_cast<std::size_t>(input)];
                open.push_back(input);
            }
        }
    }
    return gone;
}

} // namespace

void dropUnused(ShardProblem& problem, const std::set<TensorId>& candidates, const std::set<TensorId>& kept)
{
    std::set<TensorId> needed = kept;
    for (const TensorAnnotation& note : problem.annotations)
        needed.insert(note.tensor);
    for (const std::vector<TensorId>& group : problem.groups)
        needed.insert(group.begin(), group.end());
    const std::vector<char> gone = unusedOf(problem.graph, candidates, needed);
    OpGraph graph;
    std::vector<TensorId> now(problem.graph.tensors.size(), -1);
    for (std::size_t t = 0; t < now.size(); ++t) {
        const GraphTensor& tensor = problem.graph.tensors[t];
        if (gone[t])
            continue;
        if (tensor.producer < 0) {
            now[t] = graph.addInput(tensor).value();
            continue;
        }
        GraphOp op = problem.graph.op(tensor.producer);
        op.type = tensor.type;
        for (TensorId& input : op.inputs)
            input = now[static_cast<std::size_t>(input)];
        now[t] = graph.addOp(std::move(op)).value(); // It was added before, with the same operands.
    }
    for (TensorAnnotation& note : problem.annotations)
        note.tensor = now[static_cast<std::size_t>(note.tensor)];
    for (std::vector<TensorId>& group : problem.groups) {
        for (TensorId& tensor : group)
            tensor = now[static_cast<std::size_t>(tensor)];
    }
    problem.graph = std::move(graph);
}

} // namespace fabricscope::mlir
