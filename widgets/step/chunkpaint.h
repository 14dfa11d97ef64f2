#pragma once

#include "widgets/base/theme.h"

#include <QIcon>
#include <QRectF>

class QPainter;

namespace fabricscope {

/// Small things that several views of a collective draw alike.
namespace steppaint {

/// "D2" in the colour of its dimension; a dashed border from the seventh on. -1: draws "all". `name`: of a level of a graph, in its place.
void dimensionChip(QPainter& painter, const QRectF& rect, int dimension, const Theme& theme, const QString& name = {});
QSizeF dimensionChipSize(const Theme& theme, const QString& name = {});
/// Hatch of waiting, with its border.
void waiting(QPainter& painter, const QRectF& rect, const Theme& theme);
/// Focus ring of a painted view: 2 px accent.
void focusRing(QPainter& painter, const QRectF& rect, const Theme& theme);

enum class Icon { First, Back, Play, Pause, Forward, Last, Export, Tick };
/// Outline 1.5 on a 16 grid, play and pause filled; drawn for the ratios 1, 1.5 and 2.
QIcon icon(Icon icon, const QColor& color, int size);
void paintIcon(QPainter& painter, Icon icon, const QRectF& rect, const QColor& color);

} // namespace steppaint

} // namespace fabricscope
