#include "widgets/report/preview.h"

#include "widgets/base/apptheme.h"
#include "widgets/report/pages.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>

namespace fabricscope {

namespace {
constexpr int kGap = 16;
constexpr double kPixelsPerUnit = 96.0 / 720; ///< A tenth of a point at 96 dots per inch.
} // namespace

ReportPreview::ReportPreview(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Pages of the report"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    followTheme(this, &ReportPreview::setTheme);
}

void ReportPreview::setPages(std::shared_ptr<const ReportPages> pages)
{
    m_pages = std::move(pages);
    const int pageCount = m_pages ? m_pages->pageCount() : 0;
    setAccessibleDescription(pageCount == 0 ? QString() : pageCount == 1 ? tr("1 page") : tr("%1 pages").arg(pageCount));
    resize(sizeHint());
    update();
}

void ReportPreview::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void ReportPreview::setZoom(double zoom)
{
    m_zoom = std::clamp(zoom, 0.25, 4.0);
    resize(sizeHint());
    update();
}

QRect ReportPreview::pageRect(int page) const
{
    const QSize size = ((m_pages ? m_pages->paper() : paperSize(ReportPaper::A4)) * (kPixelsPerUnit * m_zoom)).toSize();
    return {QPoint(kGap, kGap + page * (size.height() + kGap)), size};
}

int ReportPreview::pageTop(int page) const
{
    return pageRect(page).top() - kGap / 2;
}

QSize ReportPreview::sizeHint() const
{
    const QRect last = pageRect(m_pages ? m_pages->pageCount() - 1 : 0);
    return {last.right() + 1 + kGap, last.bottom() + 1 + kGap};
}

void ReportPreview::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.fillRect(event->rect(), m_theme.color(Role::Window));
    if (!m_pages)
        return;
    for (int page = 0; page < m_pages->pageCount(); ++page) {
        const QRect rect = pageRect(page);
        if (!rect.intersects(event->rect()))
            continue;
        painter.save();
        painter.setClipRect(rect);
        painter.translate(rect.topLeft());
        painter.scale(kPixelsPerUnit * m_zoom, kPixelsPerUnit * m_zoom);
        m_pages->paintPage(painter, page);
        painter.restore();
        painter.setPen(QPen(m_theme.color(Role::Line2), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect).adjusted(-0.5, -0.5, 0.5, 0.5));
    }
}

} // namespace fabricscope
