#pragma once

#include "core/base/error.h"

#include <string>

namespace fabricscope::cli {

/// {"schema": 1, "error": {...}} on one line, as --json answers where there is no result. `code` is that of the process; file, line, field, expected are
/// null where they are not known; column, offset, rank, node are there where they are.
std::string errorJson(const Error& error);

/// What stands under "error" there.
std::string errorObject(const Error& error);

} // namespace fabricscope::cli
