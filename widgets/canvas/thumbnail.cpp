#include "widgets/canvas/thumbnail.h"

#include "widgets/base/apptheme.h"
#include "widgets/canvas/platformcanvas.h"

#include <QPainter>

namespace fabricscope {

namespace {

constexpr int kHead = 34; ///< By so much the room above a drawing is larger than that below, for a legend that a thumbnail has not.

} // namespace

QPixmap platformThumbnail(const Result<PlatformSpec>& spec, QSize size, double ratio, double shrink)
{
    if (size.isEmpty())
        return {};
    QPixmap picture(size * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(AppTheme::global().theme().color(Role::View));
    auto platform = spec ? Platform::create(spec.value()) : Result<Platform>(spec.error());
    if (!platform)
        return picture;
    PlatformCanvas canvas;
    canvas.resize(size * shrink + QSize(0, kHead));
    canvas.setPlatform(std::move(platform).value());
    canvas.fit();
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(1 / shrink, 1 / shrink);
    painter.translate(0, -kHead);
    canvas.paintOn(painter);
    return picture;
}

} // namespace fabricscope
