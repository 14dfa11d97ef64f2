#include "widgets/report/viewexport.h"

#include "core/report/outputfile.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/timeline/view.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QBuffer>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <QPalette>
#include <QSvgGenerator>
#include <QWidget>

#include <functional>

namespace fabricscope {

namespace {

using Paint = std::function<void(QPainter&, double ratio)>;

QImage asImage(QSize size, double ratio, const Paint& paint)
{
    QImage image(size * ratio, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    image.fill(QGuiApplication::palette().color(QPalette::Base)); // A view may leave its edge, where scroll bars stand, unpainted.
    QPainter painter(&image);
    paint(painter, ratio);
    painter.end();
    return image;
}

QByteArray asPng(QSize size, double ratio, const Paint& paint)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    asImage(size, ratio, paint).save(&buffer, "PNG");
    return bytes;
}

/// The canvas and the timeline paint all of themselves as shapes.
Paint paintOf(QWidget& view)
{
    if (auto* const canvas = qobject_cast<PlatformCanvas*>(&view))
        return [canvas](QPainter& painter, double) { canvas->paintOn(painter); };
    if (auto* const timeline = qobject_cast<TimelineView*>(&view))
        return [timeline](QPainter& painter, double ratio) { timeline->paintOn(painter, ratio); };
    return [&view](QPainter& painter, double) { view.render(&painter); };
}

QByteArray asSvg(QSize size, const QString& title, const Paint& paint)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(title);
    generator.setDescription(QStringLiteral("Fabricscope"));
    QPainter painter(&generator);
    paint(painter, 1);
    painter.end();
    return bytes;
}

Status write(const QString& path, QSize size, double ratio, const QString& title, const Paint& paint)
{
    const bool png = path.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive);
    if (!png && !path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive))
        return Error{ErrorCode::Usage, "the ending of " + path.toStdString() + " names no kind of picture", {}, ".png or .svg"};
    if (Status status = checkExportTarget(path); !status)
        return status;
    const QByteArray bytes = png ? asPng(size, ratio, paint) : asSvg(size, title, paint);
    return writeOutputFile(path.toStdString(), std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

} // namespace

Status exportView(PlatformCanvas& canvas, const QString& path, double ratio)
{
    return exportAnyView(canvas, path, ratio);
}

Status exportView(TimelineView& timeline, const QString& path, double ratio)
{
    return exportAnyView(timeline, path, ratio);
}

Status exportAnyView(QWidget& view, const QString& path, double ratio)
{
    return write(path, view.size(), ratio, view.accessibleName(), paintOf(view));
}

QImage imageOfView(QWidget& view, double ratio)
{
    return asImage(view.size(), ratio, paintOf(view));
}

QByteArray svgOfView(QWidget& view)
{
    return asSvg(view.size(), view.accessibleName(), paintOf(view));
}

QWidget* viewAround(QWidget* widget)
{
    for (; widget && !widget->isWindow(); widget = widget->parentWidget()) {
        if (qobject_cast<TimelineView*>(widget))
            return widget;
        // Controls, lists and texts have a role of their own for assistive tools.
        if (widget->focusPolicy() == Qt::NoFocus || widget->accessibleName().isEmpty() || qobject_cast<QAbstractScrollArea*>(widget))
            continue;
        const QAccessibleInterface* const known = QAccessible::queryAccessibleInterface(widget);
        if (known && known->role() == QAccessible::Client)
            return widget;
    }
    return nullptr;
}

} // namespace fabricscope
