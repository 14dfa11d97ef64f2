#pragma once

#include "core/platform/platform.h"

#include <QPixmap>

namespace fabricscope {

/// A platform as PlatformCanvas draws it, `shrink` times smaller so that links and NPUs keep their proportions; the page alone where there is no platform, nothing
/// where `size` is empty. `size` in pixels of the widget, `ratio` those of the device to one of them. In the theme of the application.
QPixmap platformThumbnail(const Result<PlatformSpec>& spec, QSize size, double ratio, double shrink);

} // namespace fabricscope
