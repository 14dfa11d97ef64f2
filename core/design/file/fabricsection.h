#pragma once

#include "core/design/file/reader.h"
#include "core/platform/fabric/fabricform.h"

#include <map>

namespace fabricscope {

/// Blueprints of a platform by their names.
using Blueprints = std::map<std::string, std::shared_ptr<const PlatformSpec>, std::less<>>;

/// `fabric: {of, levels}`: what stands at the places of a generated fabric, and what joins them, from below. Writes the fabric out into `spec`.
void readGeneratedFabric(DesignReading& reading, const MapReader& map, const Blueprints& blueprints, PlatformSpec& spec);

/// The section again. \pre spec.generated has a form.
YamlNode generatedFabricTree(const FabricForm& form);

} // namespace fabricscope
