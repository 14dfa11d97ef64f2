#pragma once

#include "core/base/result.h"
#include "core/report/reportcontent.h"
#include "widgets/report/pdflinks.h"

#include <QFont>
#include <QPointF>
#include <QSizeF>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

class QPainter;

namespace fabricscope {

/// Something of a page that is not split: a line of text, a row of a table, a figure. Lengths as in ReportPages.
struct ReportPiece {
    double before = 0;         ///< Room above; none at the top of a page.
    double height = 0;
    bool withNext = false;     ///< Not the last of a page.
    std::shared_ptr<const ReportPiece> head; ///< Repeated when the piece is the first of a page.
    std::function<void(QPainter&, QPointF)> paint;
    int section = -1;          ///< Heading of this shown section.
    int leadsTo = -1;          ///< A click goes to this shown section.
};

/// Size in tenths of a point.
QSizeF paperSize(ReportPaper paper);

/// A report on pages of its paper. Lengths are tenths of a point (1/720 inch), so sizes of type need not be rounded much. Always light.
class ReportPages {
public:
    explicit ReportPages(ReportContent content);

    const ReportContent& content() const { return m_content; }
    int pageCount() const { return static_cast<int>(m_pages.size()); }
    /// Paints one page with its foot; the painter's unit is a tenth of a point, its origin the corner of the paper.
    void paintPage(QPainter& painter, int page) const;
    /// Of the shown sections: the page each begins on.
    const std::vector<int>& sectionPages() const { return *m_sectionPages; }

    /// From the contents to the sections.
    std::vector<ReportLink> links() const;

    QSizeF paper() const { return paperSize(m_content.paper); }

private:
    struct Placed {
        std::size_t piece = 0;
        double y = 0;
        bool repeatsHead = false;
    };

    void paginate();

    ReportContent m_content;
    std::shared_ptr<std::vector<int>> m_sectionPages; ///< Also read by the contents.
    std::vector<double> m_sectionTops; ///< Of the same sections, on their pages.
    std::vector<ReportPiece> m_pieces;
    std::vector<std::vector<Placed>> m_pages;
};

/// The pages as PDF; no dates, so equal content gives equal files on one machine. Error: NotWritable.
Status writePdf(const QString& path, const ReportContent& content);

} // namespace fabricscope
