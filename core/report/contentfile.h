#pragma once

#include "core/base/result.h"
#include "core/report/reportcontent.h"

#include <string>
#include <string_view>

namespace fabricscope {

/// A report handed from one program of this package to another, which prints it: all of its content, so that nothing is read, run or searched again. No format to
/// keep: the other program is of the same version.
std::string contentFileText(ReportContent content);
bool looksLikeContentFile(std::string_view text);
/// Error: InvalidInput.
Result<ReportContent> readContentFile(std::string_view text);

} // namespace fabricscope
