#pragma once

#include "core/transform/refusal.h"
#include "core/transform/rewrites.h"
#include "core/transform/stagegraph.h"

#include <optional>
#include <string>
#include <vector>

/// What the steps of a schedule share. In rewrites.cpp.
namespace fabricscope::transform {

/// Whether the condition counts.
inline bool counts(Condition condition, const LeftOut& leftOut)
{
    return !leftOut.contains(condition);
}

/// Refusal where there is no such stage, with the nearest name.
std::optional<Refusal> refuseUnknown(const TensorProgram& program, const std::string& name);
/// Refusal where a stage is part of a fused kernel or an overlap.
std::optional<Refusal> refuseTaken(const TensorProgram& program, const std::string& name, bool fusedToo);
/// The name of the overlap chain's first kernel that a stage is in; empty: none.
std::string overlapOf(const TensorProgram& program, const std::string& name);

/// Everything reads `to` instead of `from`, outputs too.
void replaceReads(TensorProgram& program, const std::string& from, const std::string& to);
void removeStage(TensorProgram& program, const std::string& name);
/// Whether the result of a stage is read, is an output, or writes a replicated tensor back that is not overwritten again.
bool isNeeded(const TensorProgram& program, const Stage& stage);

/// Infers layouts and sorts; what does not hold is a refusal.
Rewritten finished(TensorProgram program, const std::string& stage);

/// "a, b and c" of the flagged stages.
std::string namesOf(const TensorProgram& program, const std::vector<bool>& flags);

} // namespace fabricscope::transform
