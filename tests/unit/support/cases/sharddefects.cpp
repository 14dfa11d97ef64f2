// Mistakes a partitioner could make.
#include "tests/unit/support/cases/sharddefects.h"

#include <algorithm>

namespace fabricscope::test {

namespace {

ProgramValue& valueOf(PartitionedProgram& program, ValueId id)
{
    return program.values[static_cast<std::size_t>(id)];
}

/// Changes all steps of a kind of which the change says it can be made.
template <typename Change>
bool eachStep(PartitionedProgram& program, StepKind kind, Change&& change)
{
    bool any = false;
    for (ProgramStep& step : program.steps) {
        if (step.kind == kind)
            any |= change(step);
    }
    return any;
}

void becomeCopy(ProgramStep& step)
{
    step.kind = StepKind::Local;
    step.local = {};
    step.local.kind = GraphOpKind::Copy;
}

/// Nothing is done where the step stands; its result is said to be what it should be.
template <StepKind kind>
bool forgotten(PartitionedProgram& program)
{
    return eachStep(program, kind, [&](ProgramStep& step) {
        becomeCopy(step);
        return valueOf(program, step.in[0]).local == valueOf(program, step.out).local;
    });
}

template <StepKind kind>
bool reversedAxes(PartitionedProgram& program)
{
    return eachStep(program, kind, [](ProgramStep& step) {
        std::ranges::reverse(step.axes);
        return step.axes.size() > 1;
    });
}

/// The first axis is left out, or half of it.
template <StepKind kind>
bool smallerGroup(PartitionedProgram& program)
{
    return eachStep(program, kind, [](ProgramStep& step) {
        if (step.axes.empty())
            return false;
        AxisPart& first = step.axes.front();
        if (first.size % 2 == 0 && first.size > 2)
            first.size /= 2;
        else
            step.axes.erase(step.axes.begin());
        return true;
    });
}

bool wrongFill(PartitionedProgram& program, StepKind kind)
{
    return eachStep(program, kind, [](ProgramStep& step) {
        step.fill = step.fill == Fill::Zero ? Fill::Highest : Fill::Zero;
        return true;
    });
}

bool wrongMaskFill(PartitionedProgram& program)
{
    return wrongFill(program, StepKind::Mask);
}

bool wrongHaloFill(PartitionedProgram& program)
{
    return wrongFill(program, StepKind::HaloExchange);
}

bool maskOfAnotherDim(PartitionedProgram& program)
{
    return eachStep(program, StepKind::Mask, [&](ProgramStep& step) {
        const auto dims = static_cast<std::int32_t>(valueOf(program, step.out).shape.size());
        step.dim = (step.dim + 1) % dims;
        return dims > 1;
    });
}

/// The reduction also goes over an axis on which the value is whole.
bool largerGroup(PartitionedProgram& program)
{
    return eachStep(program, StepKind::AllReduce, [&](ProgramStep& step) {
        const ProgramValue& from = valueOf(program, step.in[0]);
        const AxisList used = axesOf(from.layout);
        for (std::size_t a = 0; a < program.mesh.axes.size() && from.layout.reduce == ReduceKind::Sum; ++a) {
            const AxisPart axis = wholeAxis(program.mesh, static_cast<std::int32_t>(a));
            if (axis.size > 1 && !overlap(used, axis) && !overlap(step.axes, axis)) {
                step.axes.push_back(axis);
                return true;
            }
        }
        return false;
    });
}

bool reducedTwice(PartitionedProgram& program)
{
    bool any = false;
    std::vector<ProgramStep> steps;
    for (const ProgramStep& step : program.steps) {
        steps.push_back(step);
        const ProgramValue from = step.in.empty() ? ProgramValue() : program.value(step.in[0]);
        if (step.kind != StepKind::AllReduce || from.layout.reduce != ReduceKind::Sum)
            continue;
        any = true;
        ProgramStep again = step;
        program.values.push_back(from);
        steps.back().out = static_cast<ValueId>(program.values.size()) - 1;
        // What the first leaves is not compared: the defect must be seen in what comes of it.
        steps.back().kind = StepKind::AllReduce;
        again.in = {steps.back().out};
        steps.push_back(std::move(again));
    }
    program.steps = std::move(steps);
    return any;
}

/// Partial results are joined by another operation. Not those of an input: its arrays are made to fit its layout, and would be joined rightly.
bool wrongReduction(PartitionedProgram& program)
{
    const auto change = [&](ProgramStep& step) {
        if (std::ranges::any_of(program.steps, [&](const ProgramStep& other) { return other.kind == StepKind::Input && other.out == step.in[0]; }))
            return false;
        Layout& layout = valueOf(program, step.in[0]).layout;
        layout.reduce = layout.reduce == ReduceKind::Max ? ReduceKind::Sum : ReduceKind::Max;
        return true;
    };
    const bool all = eachStep(program, StepKind::AllReduce, change);
    return eachStep(program, StepKind::ReduceScatter, change) || all;
}

bool scatteredUnreduced(PartitionedProgram& program)
{
    return eachStep(program, StepKind::ReduceScatter, [](ProgramStep& step) {
        step.kind = StepKind::Slice;
        return true;
    });
}

bool shiftedWindow(PartitionedProgram& program, StepKind kind)
{
    return eachStep(program, kind, [&](ProgramStep& step) {
        auto& window = valueOf(program, step.out).windows[static_cast<std::size_t>(step.dim)];
        ++window->offset;
        return true;
    });
}

bool shiftedHalo(PartitionedProgram& program)
{
    return shiftedWindow(program, StepKind::HaloExchange);
}

bool shiftedLocalWindow(PartitionedProgram& program)
{
    return shiftedWindow(program, StepKind::Window);
}

bool haloWithoutNeighbours(PartitionedProgram& program)
{
    return eachStep(program, StepKind::HaloExchange, [](ProgramStep& step) {
        step.axes.clear();
        return true;
    });
}

/// Windows lie one element closer than the parts of the result.
bool wrongWindowStep(PartitionedProgram& program)
{
    return eachStep(program, StepKind::HaloExchange, [&](ProgramStep& step) {
        auto& window = valueOf(program, step.out).windows[static_cast<std::size_t>(step.dim)];
        window->step += window->step > 0 ? -1 : 1;
        return true;
    });
}

/// Every device keeps the first part.
bool sliceOfTheFirst(PartitionedProgram& program)
{
    return eachStep(program, StepKind::Slice, [&](ProgramStep& step) {
        const ProgramValue& from = program.value(step.in[0]);
        step.local = {};
        step.local.kind = GraphOpKind::Slice;
        step.local.starts.assign(from.local.size(), 0);
        step.local.strides.assign(from.local.size(), 1);
        step.local.limits = program.value(step.out).local;
        step.kind = StepKind::Local;
        return true;
    });
}

bool meanOfTheParts(PartitionedProgram& program)
{
    return eachStep(program, StepKind::Local, [&](ProgramStep& step) {
        if (step.local.kind != GraphOpKind::Reduce || step.local.reduce != ReduceKind::Mean)
            return false;
        std::int64_t count = 1;
        for (const std::int64_t dim : step.local.dims)
            count *= program.value(step.in[0]).local[static_cast<std::size_t>(dim)];
        return std::exchange(step.wholeCount, count) != count;
    });
}

/// An op leaves partial results and says they are whole.
bool forgottenPartial(PartitionedProgram& program)
{
    return eachStep(program, StepKind::Local, [&](ProgramStep& step) {
        AxisList& unreduced = valueOf(program, step.out).layout.unreduced;
        const bool partial = !unreduced.empty();
        unreduced.clear();
        return partial;
    });
}

/// An op reads what an operand was before its last step, where that has the same array.
bool staleOperand(PartitionedProgram& program)
{
    std::vector<ValueId> before(program.values.size(), -1);
    for (const ProgramStep& step : program.steps) {
        if (step.kind != StepKind::Local && step.kind != StepKind::Input && program.value(step.in[0]).local == program.value(step.out).local)
            before[static_cast<std::size_t>(step.out)] = step.in[0];
    }
    return eachStep(program, StepKind::Local, [&](ProgramStep& step) {
        bool any = false;
        for (ValueId& in : step.in) {
            if (before[static_cast<std::size_t>(in)] < 0)
                continue;
            in = before[static_cast<std::size_t>(in)];
            any = true;
        }
        return any;
    });
}

/// Updates of a table are added where another op is asked for.
bool addedUpdates(PartitionedProgram& program)
{
    return eachStep(program, StepKind::Local, [&](ProgramStep& step) {
        return step.local.kind == GraphOpKind::ScatterAdd && std::exchange(step.local.reduce, ReduceKind::Sum) != ReduceKind::Sum;
    });
}

/// A part of a gathered dim ends up where that of the next device belongs.
bool rolledParts(PartitionedProgram& program)
{
    return eachStep(program, StepKind::AllGather, [&](ProgramStep& step) {
        const ProgramValue& from = program.value(step.in[0]);
        const ProgramValue& to = program.value(step.out);
        const auto dim = static_cast<std::size_t>(step.dim);
        if (from.local[dim] * 2 > to.local[dim])
            return false;
        step.axes = {step.axes.back()};
        return step.axes.front().size > 1 && from.local[dim] * step.axes.front().size < to.local[dim];
    });
}

constexpr ShardDefect kDefects[] = {
    {"a mask is left out", forgotten<StepKind::Mask>},
    {"a mask fills with another identity", wrongMaskFill},
    {"a mask is along another dim", maskOfAnotherDim},
    {"an all-reduce is left out", forgotten<StepKind::AllReduce>},
    {"an all-reduce covers a part of its group", smallerGroup<StepKind::AllReduce>},
    {"an all-reduce covers an axis too many", largerGroup},
    {"an all-reduce is done twice", reducedTwice},
    {"partial results are joined by another operation", wrongReduction},
    {"a reduce-scatter does not reduce", scatteredUnreduced},
    {"a reduce-scatter covers a part of its group", smallerGroup<StepKind::ReduceScatter>},
    {"an all-gather takes axes in reversed order", reversedAxes<StepKind::AllGather>},
    {"an all-gather covers a part of its group", smallerGroup<StepKind::AllGather>},
    {"an all-gather covers its last axis alone", rolledParts},
    {"an all-to-all covers a part of its group", smallerGroup<StepKind::AllToAll>},
    {"a permute is left out", forgotten<StepKind::Permute>},
    {"a halo is shifted by one", shiftedHalo},
    {"a halo is filled with another identity", wrongHaloFill},
    {"a halo is taken from the device's own part", haloWithoutNeighbours},
    {"windows lie one element too close", wrongWindowStep},
    {"a local window is shifted by one", shiftedLocalWindow},
    {"a slice takes the first part everywhere", sliceOfTheFirst},
    {"a whole operand counts on every device of a partial sum", forgotten<StepKind::KeepFirst>},
    {"a mean is divided by the count of its part", meanOfTheParts},
    {"a partial result is taken as whole", forgottenPartial},
    {"an op reads an operand before its last step", staleOperand},
    {"updates are added instead of joined otherwise", addedUpdates},
};

} // namespace

std::span<const ShardDefect> shardDefects()
{
    return kDefects;
}

} // namespace fabricscope::test
