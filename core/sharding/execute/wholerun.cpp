#include "core/sharding/execute/wholerun.h"

#include "core/base/seededhash.h"
#include "core/sharding/execute/opkernels.h"

#include <algorithm>

namespace fabricscope {

namespace {

Error tooMuch(std::string message, const Place& place, std::string expected)
{
    return Error{ErrorCode::Unsupported, std::move(message), place, std::move(expected)};
}

} // namespace

Status checkRunnable(const OpGraph& graph, const ExecutionLimits& limits)
{
    std::int64_t memory = 0;
    for (const GraphTensor& tensor : graph.tensors) {
        const std::int64_t elements = elementsOf(tensor.shape);
        if (elements > limits.elements)
            return tooMuch("tensor " + tensor.name + " " + shapeText(tensor.shape) + " has " + std::to_string(elements) + " elements, too many to be run", tensor.place,
                "at most " + std::to_string(limits.elements) + " elements per tensor");
        memory += elements;
        if (memory > limits.memory)
            return tooMuch("the tensors of the graph have too many elements together to be run", tensor.place, "at most " + std::to_string(limits.memory));
    }
    std::int64_t steps = 0;
    for (const GraphOp& op : graph.ops) {
        std::vector<TensorShape> shapes;
        for (const TensorId input : op.inputs)
            shapes.push_back(graph.tensor(input).shape);
        steps = std::min(limits.steps + 1, steps + std::min(limits.steps + 1, stepsOf(op, shapes, graph.tensor(op.output).shape)));
        if (steps > limits.steps)
            return tooMuch("running the graph takes too many steps, at op " + op.name, op.place, "at most " + std::to_string(limits.steps) + " products and the like");
    }
    return {};
}

DenseTensor inputOf(const GraphTensor& tensor, std::uint64_t seed)
{
    DenseTensor input(tensor.shape);
    if (tensor.number) {
        std::ranges::fill(input.values, Exact(*tensor.number));
        return input;
    }
    if (tensor.counts >= 0) {
        for (Odometer at(tensor.shape, {rowMajorStrides(tensor.shape)}); !at.done(); at.next())
            input.values[static_cast<std::size_t>(at.place(0))] = Exact(at.index()[static_cast<std::size_t>(tensor.counts)]);
        return input;
    }
    std::uint64_t name = 0;
    for (const char c : tensor.name)
        name = mixedBits(name ^ static_cast<unsigned char>(c));
    for (std::size_t i = 0; i < input.values.size(); ++i)
        input.values[i] = inputElement(name, seed, tensor.type, static_cast<std::int64_t>(i));
    return input;
}

Result<std::vector<DenseTensor>> runWhole(const OpGraph& graph, std::uint64_t seed, const std::stop_token& stop, const ExecutionLimits& limits)
{
    if (Status small = checkRunnable(graph, limits); !small)
        return small.error();
    return untilStopped([&]() -> Result<std::vector<DenseTensor>> {
        std::vector<DenseTensor> tensors(graph.tensors.size());
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            if (graph.tensors[i].producer < 0)
                tensors[i] = inputOf(graph.tensors[i], seed);
        }
        for (const GraphOp& op : graph.ops) {
            std::vector<const DenseTensor*> operands;
            for (const TensorId input : op.inputs)
                operands.push_back(&tensors[static_cast<std::size_t>(input)]);
            Result<DenseTensor> result = computeOp(op, operands, graph.tensor(op.output).shape, {}, stop);
            if (!result)
                return result.error();
            tensors[static_cast<std::size_t>(op.output)] = std::move(result).value();
        }
        return tensors;
    });
}

} // namespace fabricscope
