#pragma once

#include "core/design/design.h"
#include "core/yaml/fieldreader.h"

#include <stop_token>

namespace fabricscope {

/// readDesign() and readDesignText() of design.h that can be stopped while they read. Errors: also Cancelled.
Result<LoadedDesign> readDesign(const std::string& path, const std::vector<FieldOverride>& overrides, const std::stop_token& stop);
Result<LoadedDesign> readDesignText(const std::string& text, const std::string& file, const std::vector<FieldOverride>& overrides, const std::stop_token& stop);

/// inspectDesignText() of a text that was parsed already. Told to stop: a finding "stopped". In reader.cpp.
LoadedDesign inspectDesign(const YamlDocument& document, const std::stop_token& stop = {});

/// Reads for somebody who wants to know what may stand where; files that are named are not opened. In reader.cpp.
void watchDesign(const YamlDocument& document, FieldWatch& watch);

} // namespace fabricscope
