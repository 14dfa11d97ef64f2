#pragma once

#include <QByteArray>
#include <QRectF>

#include <vector>

namespace fabricscope {

/// An area of a page that leads to a height of another. Lengths in tenths of a point from the upper left, pages from 0.
struct ReportLink {
    int page = 0;
    QRectF area;
    int target = 0;
    double top = 0; ///< What the reader then shows at the top.
};

/// The file with links on its pages, as an incremental update (PDF 32000-1:2008, 7.5.6 and 12.5.6.5); the writer of Qt knows none inside a file. A file that is not as that
/// writer makes it, or has no such page, stays as it is. O(bytes + links).
QByteArray withPdfLinks(const QByteArray& pdf, const std::vector<ReportLink>& links);

} // namespace fabricscope
