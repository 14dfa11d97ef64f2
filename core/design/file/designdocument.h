#pragma once

#include "core/design/design.h"
#include "core/yaml/tree.h"

#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// A field that is given another value, and where that stands: Place::file of errors about it.
struct PlacedField {
    FieldOverride change;
    std::string origin;
};

/// readDesignText() of a text that was parsed already, with these fields. `changed`: the document they are set in, a copy of one that stays. In reader.cpp.
Result<LoadedDesign> readDesignDocument(YamlDocument& changed, const std::vector<PlacedField>& fields, const std::stop_token& stop);

} // namespace fabricscope
