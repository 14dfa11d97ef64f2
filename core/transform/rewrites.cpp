#include "core/transform/rewrites.h"

#include "core/base/index.h"
#include "core/base/nearestword.h"
#include "core/transform/layoutrules.h"
#include "core/transform/rewritetools.h"

#include <algorithm>

namespace fabricscope::transform {

std::optional<Refusal> refuseUnknown(const TensorProgram& program, const std::string& name)
{
    if (program.stage(name))
        return std::nullopt;
    std::vector<std::string_view> names;
    for (const Stage& stage : program.stages)
        names.push_back(stage.name);
    const bool tensor = program.tensor(name) != nullptr;
    return Refusal{Condition::Exists, name, {}, "there is no stage " + name + (tensor ? ", that is a tensor" : didYouMean(name, names))};
}

std::string overlapOf(const TensorProgram& program, const std::string& name)
{
    for (const auto& chain : program.overlaps) {
        for (const std::string& member : chain) {
            if (const std::int32_t index = program.indexOf(name); index >= 0 && kernelFlags(program, member)[at(index)])
                return chain.front();
        }
    }
    return {};
}

std::optional<Refusal> refuseTaken(const TensorProgram& program, const std::string& name, bool fusedToo)
{
    const Stage* const stage = program.stage(name);
    if (stage && fusedToo && stage->fused != 0)
        return Refusal{Condition::Free, name, {}, name + " is fused already with " + namesOf(program, kernelFlags(program, name))};
    if (const std::string chain = overlapOf(program, name); !chain.empty())
        return Refusal{Condition::Free, name, {}, name + " is overlapped already, in the chain from " + chain};
    return std::nullopt;
}

void replaceReads(TensorProgram& program, const std::string& from, const std::string& to)
{
    for (Stage& stage : program.stages) {
        for (Operand& operand : stage.in)
            operand.name = operand.name == from ? to : operand.name;
    }
    std::replace(program.outputs.begin(), program.outputs.end(), from, to);
}

void removeStage(TensorProgram& program, const std::string& name)
{
    std::erase_if(program.stages, [&](const Stage& stage) { return stage.name == name; });
}

bool isNeeded(const TensorProgram& program, const Stage& stage)
{
    if (program.isOutput(stage.name) || stage.op == Op::Update)
        return true;
    const auto reads = [&](const Stage& other) {
        return std::any_of(other.in.begin(), other.in.end(), [&](const Operand& operand) { return operand.name == stage.name; });
    };
    if (std::any_of(program.stages.begin(), program.stages.end(), reads))
        return true;
    if (stage.op != Op::AllGather)
        return false;
    const Stage* const maker = program.stage(stage.in[0].name);
    return maker && maker->op == Op::Update && program.tensor(maker->target)->value.layout.isReplicated() && !overtakingUpdate(program, *maker);
}

std::string namesOf(const TensorProgram& program, const std::vector<bool>& flags)
{
    std::string text;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        if (flags[i])
            text += (text.empty() ? "" : ", ") + program.stages[i].name;
    }
    return '{' + text + '}';
}

Rewritten finished(TensorProgram program, const std::string& stage)
{
    std::string broken;
    if (Status status = inferLayouts(program, &broken); !status)
        return Refusal{Condition::Layouts, broken, {}, status.error().message + (status.error().expected.empty() ? "" : " (expected " + status.error().expected + ")")};
    if (!sortStages(program))
        return Refusal{Condition::Convex, stage, {}, "the kernels would wait for each other in a ring"};
    return program;
}

Rewritten applyStep(const TensorProgram& program, const ScheduleStep& step, const LeftOut& leftOut)
{
    const std::vector<std::string>& names = step.names;
    switch (step.kind) {
    case StepKind::Split: return splitAllReduce(program, names.front(), leftOut);
    case StepKind::Reorder: return reorderStages(program, names.front(), {names.begin() + 1, names.end()}, leftOut);
    case StepKind::AsSlice: return storeSliced(program, names.front(), leftOut);
    case StepKind::Fuse: return fuseStages(program, names, leftOut);
    case StepKind::Overlap: return overlapKernels(program, names, leftOut);
    case StepKind::Dead: return removeDead(program, names.front(), leftOut);
    }
    return program;
}

std::optional<Refusal> StepHistory::apply(const ScheduleStep& step)
{
    Rewritten made = applyStep(program(), step);
    if (auto* const refusal = std::get_if<Refusal>(&made))
        return std::move(*refusal);
    m_programs.push_back(std::get<TensorProgram>(std::move(made)));
    m_applied.push_back(step);
    return std::nullopt;
}

bool StepHistory::undo()
{
    if (m_applied.empty())
        return false;
    m_programs.pop_back();
    m_applied.pop_back();
    return true;
}

} // namespace fabricscope::transform
