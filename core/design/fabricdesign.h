#pragma once

#include "core/design/design.h"
#include "core/platform/fabric/fabric.h"
#include "core/platform/fabric/fabricform.h"

#include <stop_token>

namespace fabricscope {

/// A design of a fabric that can be run: one all-reduce of 64 MiB.
/// \param nodes as nodes and links instead of the levels of the form.
Result<Design> designOfFabric(const FabricForm& form, bool nodes, const std::stop_token& stop = {});

/// The generated fabric of a platform, or its machine as a fabric of one host where it was not generated: at most 2^20 cables, all with
/// equal links both ways; rings of one rate are a torus at any size. Overrides are left out.
Result<Fabric> fabricOfPlatform(const PlatformSpec& spec);
/// Its NPUs and switches with the links among them; overrides go. The same where it has no memory nodes. O(nodes + links).
PlatformSpec withoutMemories(const PlatformSpec& spec);

} // namespace fabricscope
