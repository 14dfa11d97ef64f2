#include "core/transform/rewrites.h"

#include "core/base/index.h"
#include "core/base/nearestword.h"
#include "core/transform/rewritetools.h"

#include <algorithm>

namespace fabricscope::transform {

namespace {

std::optional<Refusal> refuseUnknownTensor(const TensorProgram& program, const std::string& name)
{
    if (program.tensor(name))
        return std::nullopt;
    std::vector<std::string_view> names;
    for (const Tensor& tensor : program.tensors)
        names.push_back(tensor.name);
    return Refusal{Condition::Exists, {}, name, "there is no tensor " + name + (program.stage(name) ? ", that is a stage" : didYouMean(name, names))};
}

/// Why the tensor cannot be stored in slices; else the dimension of all its slices.
std::variant<std::int32_t, Refusal> sliceDim(const TensorProgram& program, const std::string& name, const LeftOut& leftOut)
{
    std::optional<std::int32_t> dim;
    const bool strict = counts(Condition::UsedSliced, leftOut);
    const auto use = [&](const Stage& stage, std::optional<std::int32_t> along, const std::string& what) -> std::optional<Refusal> {
        if (!along) {
            if (strict)
                return Refusal{Condition::UsedSliced, stage.name, name, what};
            return std::nullopt;
        }
        if (dim && *dim != *along)
            return Refusal{Condition::UsedSliced, stage.name, name, stage.name + " needs slices of " + name + " along dimension " + std::to_string(*along) + ", others along " + std::to_string(*dim)};
        dim = along;
        return std::nullopt;
    };
    for (const Stage& stage : program.stages) {
        for (const Operand& operand : stage.in) {
            if (operand.name != name)
                continue;
            const std::optional<std::int32_t> along = stage.op == Op::Slice ? std::optional(stage.dim) : operand.slice;
            if (auto refusal = use(stage, along, name + " is read whole, not as a slice, by " + stage.name))
                return *refusal;
        }
        if (stage.op != Op::Update || stage.target != name)
            continue;
        const Layout made = stage.value.layout;
        if (auto refusal = use(stage, made.isSliced() ? std::optional(made.dim) : std::nullopt, stage.name + " makes the new " + name + " whole (" + made.text() + "), not as a slice"))
            return *refusal;
    }
    if (program.isOutput(name) && strict)
        return Refusal{Condition::UsedSliced, {}, name, name + " is an output, whole"};
    if (!dim)
        return Refusal{Condition::UsedSliced, {}, name, "nothing reads or updates a slice of " + name};
    return *dim;
}

/// The all-gathers that brought updates of the tensor to all ranks go where nothing reads them.
void dropGathers(TensorProgram& program, const std::string& name)
{
    std::vector<std::pair<std::string, std::string>> dropped;
    for (const Stage& gather : program.stages) {
        const Stage* const update = gather.op == Op::AllGather ? program.stage(gather.in[0].name) : nullptr;
        if (!update || update->op != Op::Update || update->target != name)
            continue;
        const bool read = std::any_of(program.stages.begin(), program.stages.end(), [&](const Stage& stage) {
            return std::any_of(stage.in.begin(), stage.in.end(), [&](const Operand& operand) { return operand.name == gather.name; });
        });
        if (!read)
            dropped.emplace_back(gather.name, update->name);
    }
    for (const auto& [gather, update] : dropped) {
        removeStage(program, gather);
        std::replace(program.outputs.begin(), program.outputs.end(), gather, update);
    }
}

} // namespace

Rewritten storeSliced(const TensorProgram& program, const std::string& name, const LeftOut& leftOut)
{
    if (auto unknown = refuseUnknownTensor(program, name))
        return *unknown;
    const Layout now = program.tensor(name)->value.layout;
    if (!now.isReplicated())
        return Refusal{Condition::Kind, {}, name, name + " is " + now.text() + ", not replicated"};
    const auto found = sliceDim(program, name, leftOut);
    if (const auto* const refusal = std::get_if<Refusal>(&found))
        return *refusal;
    for (const Stage& stage : program.stages) {
        const Stage* const update = stage.op == Op::AllGather ? program.stage(stage.in[0].name) : nullptr;
        if (update && update->op == Op::Update && update->target == name) {
            if (auto taken = refuseTaken(program, stage.name, true); taken && counts(Condition::Free, leftOut))
                return *taken;
        }
    }
    TensorProgram made = program;
    made.tensor(name)->value.layout = Layout::sliced(std::get<std::int32_t>(found));
    std::vector<std::string> slices;
    for (Stage& stage : made.stages) {
        for (Operand& operand : stage.in) {
            if (operand.name != name)
                continue;
            operand.slice.reset();
            if (stage.op == Op::Slice)
                slices.push_back(stage.name);
        }
    }
    for (const std::string& slice : slices) {
        if (made.isOutput(slice))
            return Refusal{Condition::UsedSliced, slice, name, slice + " is an output"};
        if (auto taken = refuseTaken(made, slice, true))
            return *taken;
        removeStage(made, slice);
        replaceReads(made, slice, name);
    }
    dropGathers(made, name);
    return finished(std::move(made), name);
}

Rewritten removeDead(const TensorProgram& program, const std::string& name, const LeftOut& leftOut)
{
    if (auto unknown = refuseUnknown(program, name))
        return *unknown;
    const Stage& stage = *program.stage(name);
    if (stage.op != Op::AllGather)
        return Refusal{Condition::Kind, name, {}, name + " is " + opText(stage.op) + ", not an all_gather"};
    if (auto taken = refuseTaken(program, name, true); taken && counts(Condition::Free, leftOut))
        return *taken;
    if (counts(Condition::Unused, leftOut) && isNeeded(program, stage)) {
        for (const Stage& reader : program.stages) {
            for (const Operand& operand : reader.in) {
                if (operand.name == name)
                    return Refusal{Condition::Unused, reader.name, name, name + " is used: " + reader.name + " reads it"};
            }
        }
        if (program.isOutput(name))
            return Refusal{Condition::Unused, name, name, name + " is used: it is an output"};
        const std::string& target = program.stage(stage.in[0].name)->target;
        return Refusal{Condition::Unused, name, target, name + " is used: it brings the new value of " + target + " to all ranks"};
    }
    TensorProgram made = program;
    removeStage(made, name);
    return finished(std::move(made), name);
}

} // namespace fabricscope::transform
