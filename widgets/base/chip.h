#pragma once

class QLabel;
class QString;

namespace fabricscope {

/// Makes \p label a chip of \p kind ("ok", "warn", "err", "info") that says \p text, and has the style look at it again.
void setChip(QLabel& label, const char* kind, const QString& text);

} // namespace fabricscope
