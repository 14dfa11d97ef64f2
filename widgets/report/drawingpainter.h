#pragma once

#include "core/draw/drawing.h"

#include <QFont>

class QPainter;
class QRectF;

namespace fabricscope {

/// Paints a drawing into a rectangle, on any paint device; keeps its shape. Texts in the family of `font`.
void paintDrawing(QPainter& painter, const Drawing& drawing, const QRectF& target, const QFont& font, bool dark = false);

} // namespace fabricscope
