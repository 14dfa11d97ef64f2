#pragma once

#include "core/base/result.h"

#include <QString>

namespace fabricscope {

/// Whether the window may write a file of this name: there is none yet, or a regular one. Writing to a pipe or a device may wait for ever, and
/// would keep the window waiting; the command line does it. Error: NotWritable.
Status checkSaveTarget(const QString& path);

} // namespace fabricscope
