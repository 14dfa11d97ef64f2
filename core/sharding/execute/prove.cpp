#include "core/sharding/execute/prove.h"

#include "core/base/seededhash.h"
#include "core/sharding/execute/exchanges.h"
#include "core/sharding/execute/opkernels.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// The arrays of an input; padding is poison.
DeviceArrays inputArrays(const DeviceGrid& grid, const ProgramValue& value, const DenseTensor& whole, std::uint64_t seed)
{
    const auto strides = rowMajorStrides(value.shape);
    const Layout& layout = value.layout;
    const std::int64_t parts = grid.count(layout.unreduced);
    DeviceArrays arrays;
    for (std::int64_t position = 0; position < grid.devices(); ++position) {
        DenseTensor array(value.local, Exact::poison());
        const std::int64_t own = grid.index(layout.unreduced, position);
        std::size_t i = 0;
        for (Odometer at(value.local, {}); !at.done(); at.next(), ++i) {
            std::int64_t place = 0;
            bool held = true;
            for (std::size_t d = 0; d < strides.size(); ++d) {
                const std::int64_t index = startOf(grid, value, d, position) + at.index()[d];
                held = held && index >= 0 && index < value.shape[d];
                place += index * strides[d];
            }
            if (!held)
                continue;
            const Exact element = whole.values[static_cast<std::size_t>(place)];
            // Partial values: drawn for all but one member, which holds what joins them to the element.
            const auto drawn = [&](std::int64_t member) { return static_cast<std::int64_t>(seededHash(seed ^ 0x9a57, {place, member}) % 41) - 20; };
            Exact mine = element;
            const std::int64_t last = layout.reduce == ReduceKind::Sum ? parts - 1 : place % parts;
            if (own != last)
                mine = layout.reduce == ReduceKind::Sum ? Exact(drawn(own)) : layout.reduce == ReduceKind::Max ? lowerOf(element, Exact(drawn(own))) : higherOf(element, Exact(drawn(own)));
            else if (layout.reduce == ReduceKind::Sum)
                for (std::int64_t member = 0; member < last; ++member)
                    mine = mine - Exact(drawn(member));
            array.values[i] = mine;
        }
        arrays.push_back(std::move(array));
    }
    return arrays;
}

class ProvingRun {
public:
    ProvingRun(const PartitionedProgram& program, const std::vector<DenseTensor>& whole, std::uint64_t seed, const std::stop_token& stop)
        : m_program(program), m_whole(whole), m_seed(seed), m_stop(stop), m_grid(program.mesh), m_values(program.values.size()), m_uses(program.values.size(), 0), m_unfinished(program.values.size(), 0)
    {
        for (const ProgramStep& step : program.steps) {
            for (const ValueId in : step.in)
                ++m_uses[static_cast<std::size_t>(in)];
            // Of an op that takes several steps (sums of windows) only the last result is its tensor.
            const TensorId made = program.value(step.out).tensor;
            for (const ValueId in : step.kind == StepKind::Local ? step.in : std::vector<ValueId>{}) {
                if (program.value(in).tensor == made)
                    m_unfinished[static_cast<std::size_t>(in)] = 1;
            }
        }
    }

    Result<ExecutionProof> run()
    {
        for (std::size_t i = 0; i < m_program.steps.size(); ++i) {
            checkStop(m_stop);
            const ProgramStep& step = m_program.steps[i];
            Result<DeviceArrays> made = runStep(step);
            if (!made)
                return Error{made.error().code, "step " + std::to_string(i) + " of the partitioned program: " + made.error().message, made.error().place, made.error().expected};
            DeviceArrays& arrays = m_values[static_cast<std::size_t>(step.out)];
            arrays = std::move(made).value();
            if (!m_unfinished[static_cast<std::size_t>(step.out)] && !compare(m_program.value(step.out), arrays, i))
                return m_proof;
            for (const ValueId in : step.in) {
                if (--m_uses[static_cast<std::size_t>(in)] == 0)
                    m_values[static_cast<std::size_t>(in)].clear();
            }
        }
        return m_proof;
    }

private:
    const DeviceArrays& arraysOf(ValueId id) const { return m_values[static_cast<std::size_t>(id)]; }

    Result<DeviceArrays> runStep(const ProgramStep& step)
    {
        const ProgramValue& to = m_program.value(step.out);
        if (step.kind == StepKind::Input)
            return inputArrays(m_grid, to, m_whole[static_cast<std::size_t>(to.tensor)], m_seed);
        if (step.kind == StepKind::Local)
            return runLocal(step, to);
        return runExchange({m_grid, step, m_program.value(step.in[0]), to, arraysOf(step.in[0])});
    }

    OpFrame frameOf(const ProgramStep& step, const ProgramValue& to, std::int64_t position) const
    {
        OpFrame frame;
        frame.meanCount = step.wholeCount;
        if (step.local.kind == GraphOpKind::Dropout) {
            frame.whole = to.shape;
            for (std::size_t d = 0; d < to.shape.size(); ++d)
                frame.offset.push_back(startOf(m_grid, to, d, position));
        }
        if (step.local.kind == GraphOpKind::Gather || step.local.kind == GraphOpKind::ScatterAdd) {
            const ProgramValue& table = step.local.kind == GraphOpKind::Gather ? m_program.value(step.in[0]) : to;
            const auto dim = static_cast<std::size_t>(step.local.dim);
            frame.rows = table.shape[dim];
            frame.firstRow = startOf(m_grid, table, dim, position);
        }
        return frame;
    }

    Result<DeviceArrays> runLocal(const ProgramStep& step, const ProgramValue& to)
    {
        DeviceArrays result;
        for (std::int64_t position = 0; position < m_grid.devices(); ++position) {
            std::vector<const DenseTensor*> operands;
            for (const ValueId in : step.in)
                operands.push_back(&arraysOf(in)[static_cast<std::size_t>(position)]);
            Result<DenseTensor> array = computeOp(step.local, operands, to.local, frameOf(step, to, position), m_stop);
            if (!array)
                return array.error();
            result.push_back(std::move(array).value());
        }
        return result;
    }

    /// The array of a position; joined with those of its group when it is partial.
    DenseTensor joinedArray(const ProgramValue& value, const DeviceArrays& arrays, std::int64_t position) const
    {
        DenseTensor sum = arrays[static_cast<std::size_t>(position)];
        const auto steps = m_grid.steps(value.layout.unreduced);
        for (std::size_t m = 1; m < steps.size(); ++m) {
            const DenseTensor& other = arrays[static_cast<std::size_t>(position + steps[m])];
            for (std::size_t i = 0; i < sum.values.size(); ++i)
                sum.values[i] = combined(value.layout.reduce, sum.values[i], other.values[i]);
        }
        return sum;
    }

    /// Is what the devices hold what the layout says? Notes the first difference.
    bool compare(const ProgramValue& value, const DeviceArrays& arrays, std::size_t step)
    {
        const DenseTensor& whole = m_whole[static_cast<std::size_t>(value.tensor)];
        ++m_proof.values;
        for (std::int64_t position = 0; position < m_grid.devices(); ++position) {
            if (m_grid.first(value.layout.unreduced, position) != position)
                continue;
            if (value.layout.unreduced.empty() ? !compareArray(value, arrays[static_cast<std::size_t>(position)], whole, position, step)
                                               : !compareArray(value, joinedArray(value, arrays, position), whole, position, step))
                return false;
        }
        return true;
    }

    bool compareArray(const ProgramValue& value, const DenseTensor& array, const DenseTensor& whole, std::int64_t position, std::size_t step)
    {
        const auto wholeStrides = rowMajorStrides(value.shape);
        const auto localStrides = rowMajorStrides(value.local);
        TensorShape held;
        std::vector<std::int64_t> starts;
        std::int64_t wholePlace = 0;
        std::int64_t localPlace = 0;
        for (std::size_t d = 0; d < value.shape.size(); ++d) {
            const std::int64_t start = startOf(m_grid, value, d, position);
            const std::int64_t low = std::max<std::int64_t>(0, -start);
            held.push_back(std::max<std::int64_t>(0, std::min(value.local[d], value.shape[d] - start) - low));
            starts.push_back(start + low);
            wholePlace += (start + low) * wholeStrides[d];
            localPlace += low * localStrides[d];
        }
        for (Odometer at(held, {wholeStrides, localStrides}, {wholePlace, localPlace}); !at.done(); at.next()) {
            const Exact expected = whole.values[static_cast<std::size_t>(at.place(0))];
            const Exact found = array.values[static_cast<std::size_t>(at.place(1))];
            ++m_proof.elements;
            if (found == expected)
                continue;
            ExecutionDifference difference{value.name, at.index(), m_program.mesh.deviceAt(position), found.text(), expected.text(), step};
            for (std::size_t d = 0; d < starts.size(); ++d)
                difference.index[d] += starts[d];
            m_proof.difference = std::move(difference);
            return false;
        }
        return true;
    }

    const PartitionedProgram& m_program;
    const std::vector<DenseTensor>& m_whole;
    const std::uint64_t m_seed;
    const std::stop_token& m_stop;
    DeviceGrid m_grid;
    std::vector<DeviceArrays> m_values;
    std::vector<std::int64_t> m_uses;
    std::vector<char> m_unfinished; ///< Per value: not compared.
    ExecutionProof m_proof;
};

} // namespace

std::string ExecutionDifference::text(const PartitionedProgram& program) const
{
    std::string where;
    for (const std::int64_t i : index)
        where += (where.empty() ? "" : ", ") + std::to_string(i);
    const ProgramStep& made = program.steps[step];
    return "tensor " + tensor + " at [" + where + "] on device " + std::to_string(device) + " is " + found + ", the whole run has " + expected + " (step " + std::to_string(step) + ", "
        + (made.kind == StepKind::Local ? std::string(wordOf(made.local.kind)) : std::string(wordOf(made.kind))) + ")";
}

Result<ExecutionProof> proveByExecution(const PartitionedProgram& program, const std::stop_token& stop, std::uint64_t seed, const ExecutionLimits& limits)
{
    if (Status small = checkRunnable(program.graph, limits); !small)
        return small.error();
    if (Status fine = checkProgram(program, limits); !fine)
        return fine.error();
    const auto whole = runWhole(program.graph, seed, stop, limits);
    if (!whole)
        return whole.error();
    return untilStopped([&]() -> Result<ExecutionProof> { return ProvingRun(program, whole.value(), seed, stop).run(); });
}

} // namespace fabricscope
