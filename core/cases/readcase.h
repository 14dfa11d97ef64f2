#pragma once

#include "core/base/result.h"
#include "core/cases/studiedcase.h"
#include "core/yaml/tree.h"

#include <stop_token>

namespace fabricscope {

/// Understands the file of a case (manual: cases 2). Errors: InvalidInput, with line and field. Whether its files and the fields of their designs are there
/// is not looked at. Told to stop: throws StopRequested (stop.h).
Result<StudiedCase> readCase(const YamlDocument& document, const std::stop_token& stop = {});

} // namespace fabricscope
