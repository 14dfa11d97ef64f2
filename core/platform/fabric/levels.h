#pragma once

#include "core/platform/fabric/fabric.h"
#include "core/platform/fabric/fabricform.h"

#include <memory>
#include <string>
#include <string_view>

namespace fabricscope {

/// The fabric of a form whose joins are levels. Fields of errors: "levels[1].up"; what they advise has been tried.
Result<FabricSpec> fabricOfLevels(const FabricForm& form, std::shared_ptr<const FabricHost> host);

/// What a join says of its switches and cables.
FabricLevel fabricLevelOf(const FabricJoin& join);

/// An error of a key of a level.
Error levelError(std::size_t level, std::string_view key, std::string message, std::string expected);

} // namespace fabricscope
