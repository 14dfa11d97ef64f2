#pragma once

#include "core/design/design.h"
#include "core/model/kernelterms.h"

#include <optional>
#include <string>

namespace fabricscope {

struct KernelConfig; // computeconfig.h

/// The terms of its machine, and what it says itself.
KernelTerms kernelTerms(const KernelConfig& config);

/// Why kernels would time nothing of a design, in words; empty: they time the ops of its plan.
std::string whyNoKernels(const Design& design);

/// What the ops of the plan of a design are timed by; nothing: operations and bytes.
std::optional<NpuKernels> planKernels(const Design& design);

/// For lists of assumptions: the terms, and what those of a machine were fitted to.
std::string planKernelsText(const KernelConfig& config);

} // namespace fabricscope
