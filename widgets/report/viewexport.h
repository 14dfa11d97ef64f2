#pragma once

#include "core/base/result.h"

#include <QString>

namespace fabricscope {

class PlatformCanvas;
class TimelineView;

/// Writes a view as it stands, as the ending says: .png at `ratio` pixels per logical pixel (1 or 2), .svg as vectors. Equal views give
/// equal bytes. Errors: Usage (another ending), NotWritable.
Status exportView(PlatformCanvas& canvas, const QString& path, double ratio = 1);
Status exportView(TimelineView& timeline, const QString& path, double ratio = 1);

} // namespace fabricscope
