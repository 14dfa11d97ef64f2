#pragma once

#include "widgets/base/theme.h"

#include <QAnyStringView>
#include <QIcon>
#include <QStringList>

namespace fabricscope {

/// The colours an icon of the family is drawn in. Icons have one colour at a time and never change meaning with it.
struct IconColors {
    QColor normal;
    QColor disabled;
    QColor checked; ///< While QIcon::On.

    /// Text, disabled text, accent.
    static IconColors of(const Theme& theme);
    /// On the filled button: Run, Stop.
    static IconColors onAccent(const Theme& theme);
    /// One colour in every state, as for ok, warning and error.
    static IconColors plain(const QColor& color) { return {color, color, color}; }
};

/// An icon of the family in resources/icons by the name of its file without ending: "critical-path". Drawn as vectors at the size and
/// device ratio asked for. Null for a name that does not exist.
QIcon icon(QAnyStringView name, const Theme& theme);
QIcon icon(QAnyStringView name, const IconColors& colors);

/// Every name, sorted.
QStringList iconNames();

/// The program's own icon; up to 24 px a simpler drawing.
QIcon applicationIcon();

} // namespace fabricscope
