#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QImage>
#include <QString>

class QWidget;

namespace fabricscope {

class PlatformCanvas;
class TimelineView;

/// Writes a view as it stands, as the ending says: .png at `ratio` pixels per logical pixel (1 or 2), .svg as vectors. Equal views give
/// equal bytes. Errors: Usage (another ending), NotWritable.
Status exportView(PlatformCanvas& canvas, const QString& path, double ratio = 1);
Status exportView(TimelineView& timeline, const QString& path, double ratio = 1);
/// Of any view. What it paints from a picture that it keeps is a picture in the SVG too.
Status exportAnyView(QWidget& view, const QString& path, double ratio = 1);
QImage imageOfView(QWidget& view, double ratio = 1);
QByteArray svgOfView(QWidget& view);
/// The view that a widget is or is in: what paints itself, takes the focus and is no control. Null: none.
QWidget* viewAround(QWidget* widget);

} // namespace fabricscope
