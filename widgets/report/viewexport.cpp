#include "widgets/report/viewexport.h"

#include "core/report/outputfile.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/timeline/view.h"

#include <QBuffer>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <QPalette>
#include <QSvgGenerator>

#include <functional>

namespace fabricscope {

namespace {

using Paint = std::function<void(QPainter&, double ratio)>;

QByteArray asPng(QSize size, double ratio, const Paint& paint)
{
    QImage image(size * ratio, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    image.fill(QGuiApplication::palette().color(QPalette::Base)); // A view may leave its edge, where scroll bars stand, unpainted.
    QPainter painter(&image);
    paint(painter, ratio);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
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
    return write(path, canvas.size(), ratio, canvas.accessibleName(), [&](QPainter& painter, double) { canvas.paintOn(painter); });
}

Status exportView(TimelineView& timeline, const QString& path, double ratio)
{
    return write(path, timeline.size(), ratio, timeline.accessibleName(), [&](QPainter& painter, double devicePixelRatio) { timeline.paintOn(painter, devicePixelRatio); });
}

} // namespace fabricscope
