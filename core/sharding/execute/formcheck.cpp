#include "core/sharding/execute/programcheck.h"

#include "core/sharding/execute/opkernels.h"

#include <algorithm>

namespace fabricscope {

namespace {

class ProgramChecker {
public:
    ProgramChecker(const PartitionedProgram& program, const ExecutionLimits& limits) : m_program(program), m_limits(limits), m_grid(program.mesh) {}

    Status check()
    {
        for (const ProgramValue& value : m_program.values) {
            if (Status fine = checkValue(value); !fine)
                return fine;
        }
        m_made.assign(m_program.values.size(), 0);
        for (std::size_t i = 0; i < m_program.steps.size(); ++i) {
            if (Status fine = checkStep(m_program.steps[i], i); !fine)
                return fine;
        }
        if (m_program.finals.size() != m_program.graph.tensors.size())
            return broken("finals", "has " + std::to_string(m_program.finals.size()) + " entries, the graph " + std::to_string(m_program.graph.tensors.size()) + " tensors");
        for (std::size_t t = 0; t < m_program.finals.size(); ++t) {
            const ValueId id = m_program.finals[t];
            const GraphTensor& tensor = m_program.graph.tensors[t];
            if (id < 0 ? tensor.producer >= 0 : !isValue(id) || !m_made[static_cast<std::size_t>(id)] || m_program.value(id).tensor != static_cast<TensorId>(t))
                return broken("tensor " + tensor.name, "ends in no value of its own");
        }
        return {};
    }

private:
    static Error broken(const std::string& where, const std::string& what) { return Error{ErrorCode::Internal, "partitioned program: " + where + ": " + what, {}, {}}; }
    bool isValue(ValueId id) const { return id >= 0 && static_cast<std::size_t>(id) < m_program.values.size(); }

    Status checkValue(const ProgramValue& value)
    {
        const std::string where = "value " + value.name;
        if (value.tensor < 0 || static_cast<std::size_t>(value.tensor) >= m_program.graph.tensors.size() || value.shape != m_program.graph.tensor(value.tensor).shape)
            return broken(where, "is not of the shape of a tensor");
        const std::size_t dims = value.shape.size();
        if (value.layout.dims.size() != dims || value.local.size() != dims || (!value.windows.empty() && value.windows.size() != dims))
            return broken(where, "does not have " + std::to_string(dims) + " dims everywhere");
        std::vector<const AxisList*> lists = {&value.layout.unreduced};
        for (const AxisList& list : value.layout.dims)
            lists.push_back(&list);
        if (!m_grid.isValid(lists))
            return broken(where, "uses an axis twice, or none of the mesh");
        std::int64_t elements = 1;
        for (std::size_t d = 0; d < dims; ++d) {
            const bool window = !value.windows.empty() && value.windows[d];
            const std::int64_t shards = m_grid.count(value.layout.dims[d]);
            const std::int64_t expected = window ? value.windows[d]->length : (value.shape[d] + shards - 1) / shards;
            if (value.local[d] != expected || expected < 1)
                return broken(where, "dim " + std::to_string(d) + " of the arrays is " + std::to_string(value.local[d]) + ", not " + std::to_string(expected));
            if (value.local[d] > m_limits.elements * 64 / elements)
                return large("an array of " + value.name, m_limits.elements * 64, "elements");
            elements *= value.local[d];
        }
        m_memory += elements * m_grid.devices();
        return m_memory > m_limits.memory ? large("the arrays of all devices, at " + value.name + ",", m_limits.memory, "elements together") : Status();
    }

    static Error large(const std::string& what, std::int64_t most, const std::string& unit)
    {
        return Error{ErrorCode::Unsupported, what + " are too large to be run on every device", {}, "at most " + std::to_string(most) + " " + unit};
    }

    Status checkStep(const ProgramStep& step, std::size_t number)
    {
        const std::string where = "step " + std::to_string(number);
        if (!isValue(step.out) || m_made[static_cast<std::size_t>(step.out)]++)
            return broken(where, "makes no value, or one that was made before");
        for (const ValueId in : step.in) {
            if (!isValue(in) || !m_made[static_cast<std::size_t>(in)] || in == step.out)
                return broken(where, "reads a value that was not made before");
        }
        if (step.kind == StepKind::Input)
            return step.in.empty() && m_program.graph.tensor(m_program.value(step.out).tensor).producer < 0 ? Status() : broken(where, "is an input with operands, or of no input of the graph");
        if (step.in.empty())
            return broken(where, "has no operand");
        return step.kind == StepKind::Local ? checkLocal(step, where) : checkExchange(step, where);
    }

    Status checkLocal(const ProgramStep& step, const std::string& where)
    {
        std::vector<TensorShape> shapes;
        for (const ValueId in : step.in)
            shapes.push_back(m_program.value(in).local);
        const std::int64_t steps = stepsOf(step.local, shapes, m_program.value(step.out).local);
        if (steps > m_limits.steps / m_grid.devices())
            return large(where + ", op " + step.local.name + ",", m_limits.steps, "steps");
        m_steps += steps * m_grid.devices();
        if (m_steps > m_limits.steps)
            return large(where + ", op " + step.local.name + ", and those before", m_limits.steps, "steps");
        const bool rows = step.local.kind == GraphOpKind::Gather || step.local.kind == GraphOpKind::ScatterAdd;
        const TensorShape& table = step.local.kind == GraphOpKind::Gather ? shapes[0] : m_program.value(step.out).local;
        if (rows && (step.local.dim < 0 || step.local.dim >= static_cast<std::int64_t>(table.size())))
            return broken(where, "looks up along no dim");
        return {};
    }

    Status checkExchange(const ProgramStep& step, const std::string& where)
    {
        const ProgramValue& from = m_program.value(step.in[0]);
        const ProgramValue& to = m_program.value(step.out);
        if (step.in.size() != 1 || from.tensor != to.tensor)
            return broken(where, "joins different tensors");
        const auto dims = static_cast<std::int32_t>(from.shape.size());
        const bool cuts = step.kind != StepKind::KeepFirst && step.kind != StepKind::AllReduce && step.kind != StepKind::Permute;
        if (cuts && (step.dim < 0 || step.dim >= dims))
            return broken(where, "has no dim");
        if (step.kind == StepKind::AllToAll && (step.toDim < 0 || step.toDim >= dims || step.toDim == step.dim))
            return broken(where, "has no second dim");
        if (step.kind != StepKind::Permute && !m_grid.isValid({&step.axes})) // Those of a permute say what changes, and are not used.
            return broken(where, "uses axes that the mesh has not");
        const bool reshapes = cuts && step.kind != StepKind::Mask;
        for (std::size_t d = 0; d < from.local.size(); ++d) {
            const auto dim = static_cast<std::int32_t>(d);
            const bool free = reshapes && (dim == step.dim || (step.kind == StepKind::AllToAll && dim == step.toDim));
            if (!free && from.local[d] != to.local[d])
                return broken(where, "changes dim " + std::to_string(d) + " of the arrays");
        }
        return {};
    }

    const PartitionedProgram& m_program;
    const ExecutionLimits& m_limits;
    DeviceGrid m_grid;
    std::vector<char> m_made;
    std::int64_t m_memory = 0;
    std::int64_t m_steps = 0;
};

} // namespace

Status checkProgram(const PartitionedProgram& program, const ExecutionLimits& limits)
{
    constexpr std::int64_t kMostDevices = std::int64_t{1} << 16;
    std::int64_t devices = 1;
    for (const MeshAxis& axis : program.mesh.axes) {
        if (axis.size < 1)
            return Error{ErrorCode::Internal, "mesh axis " + axis.name + " has size " + std::to_string(axis.size), {}, {}};
        if (axis.size > kMostDevices / devices)
            return Error{ErrorCode::Unsupported, "the mesh has too many devices to run on each", {}, "at most " + std::to_string(kMostDevices)};
        devices *= axis.size;
    }
    return ProgramChecker(program, limits).check();
}

} // namespace fabricscope
