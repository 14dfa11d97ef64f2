#pragma once

#include "core/base/result.h"
#include "core/model/modelspec.h"

#include <string>

namespace fabricscope {

/// A transformer as a model file that readModelFile() reads back as the same. Refuses the other families, which no checkpoint has. O(layers).
Result<std::string> writeModelFile(const ModelSpec& model);

} // namespace fabricscope
