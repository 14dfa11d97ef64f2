#pragma once

#include "core/trace/etnode.h"

#include <string>
#include <vector>

namespace fabricscope::cli {

/// A trace in the JSON form of Chakra's jsonizer (manual: formats 3.4): objects one after the other, first the metadata,
/// then the nodes; keys in camelCase, 64-bit numbers as texts, enumerations by name. Readable by this program's reader.
std::string etJson(const EtMetadata& metadata, const std::vector<EtNode>& nodes);

} // namespace fabricscope::cli
