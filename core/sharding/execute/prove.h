#pragma once

#include "core/sharding/execute/programcheck.h"

#include <optional>
#include <stop_token>
#include <string>

namespace fabricscope {

/// First element in which a device differs from the whole run.
struct ExecutionDifference {
    std::string tensor;
    std::vector<std::int64_t> index; ///< In the whole tensor.
    std::int32_t device = 0;         ///< With Mesh::deviceOrder; of partial values the first of the group.
    std::string found;               ///< "poison": padding, or what no device held.
    std::string expected;
    std::size_t step = 0; ///< Of the program, that made the value.
    std::string text(const PartitionedProgram& program) const;
};

struct ExecutionProof {
    std::optional<ExecutionDifference> difference;
    std::int64_t values = 0;   ///< Versions of tensors compared.
    std::int64_t elements = 0; ///< Elements compared, on all devices.

    bool equal() const { return !difference; }
    operator bool() const { return equal(); }
};

/// Runs the graph whole and the program on every device, each with its own arrays and collectives, on small integers (inputElement()), and compares. Not only final tensors: every
/// version a step makes must be, element by element, the part of the tensor its layout says, partial ones when joined over their unreduced axes. Padding is poison until a step
/// writes it. Partial inputs are drawn so that they join to the input. Numbers: exactnumber.h.
/// Errors: Unsupported (too large: ExecutionLimits), Internal (the program is not well formed, or an op does not fit its operands), Cancelled. O(steps of the ops on all devices).
Result<ExecutionProof> proveByExecution(const PartitionedProgram& program, const std::stop_token& stop = {}, std::uint64_t seed = 0, const ExecutionLimits& limits = {});

} // namespace fabricscope
