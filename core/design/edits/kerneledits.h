#pragma once

#include "core/yaml/tree.h"

#include <string>
#include <string_view>

namespace fabricscope::edits {

/// Edits of `compute.kernels` as splices of the text.

/// Ops of plans are no kernels.
Status dropKernels(YamlDocument& yaml);
/// The terms of a machine ("h200"), but for those that the text says; empty: those alone.
Status setKernelMachine(YamlDocument& yaml, std::string_view machine);
/// A term by its key ("share"); empty: not said any more. Errors: a value that is not possible there.
Status setKernelTerm(YamlDocument& yaml, std::string_view key, const std::string& value);

} // namespace fabricscope::edits
