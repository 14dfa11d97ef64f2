#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

namespace fabricscope {

/// Gives the text of a widget a font and a colour of the theme.
inline void ink(QWidget& widget, const Theme& theme, TextStyle style, Role role)
{
    widget.setFont(theme.font(style));
    QPalette colors = widget.palette();
    colors.setColor(QPalette::WindowText, theme.color(role));
    widget.setPalette(colors);
}

} // namespace fabricscope
