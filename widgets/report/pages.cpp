#include "widgets/report/pages.h"

#include "core/base/index.h"
#include "core/report/outputfile.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/theme.h"
#include "widgets/report/pieces.h"

#include <QBuffer>
#include <QFontMetricsF>
#include <QPageLayout>
#include <QPainter>
#include <QPdfWriter>

#include <algorithm>

namespace fabricscope {

namespace {

/// The writer of Qt puts the time of day into the file; the same number of blanks keeps all offsets.
void removeDates(QByteArray& pdf)
{
    for (const char* const key : {"/CreationDate", "/ModDate"}) {
        for (qsizetype at = 0; (at = pdf.indexOf(key, at)) >= 0;) {
            const qsizetype end = pdf.indexOf(')', at);
            if (end < 0)
                break;
            for (qsizetype i = at; i <= end; ++i)
                pdf[i] = ' ';
            at = end;
        }
    }
}

} // namespace

QSizeF paperSize(ReportPaper paper)
{
    return paper == ReportPaper::Letter ? QSizeF(6120, 7920) : QSizeF(5953, 8419);
}

ReportPages::ReportPages(ReportContent content)
    : m_content(std::move(content)), m_sectionPages(std::make_shared<std::vector<int>>()), m_pieces(reportPieces(m_content, m_sectionPages))
{
    paginate();
}

void ReportPages::paginate()
{
    m_pages.assign(1, {});
    m_sectionPages->assign(m_content.shownSections().size(), 0);
    m_sectionTops.assign(m_sectionPages->size(), 0);
    const double contentEnd = paper().height() - kReportFoot - kReportFootLine;
    double y = kReportTop;
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        const ReportPiece& piece = m_pieces[i];
        // A heading or a head of a table takes what follows with it.
        double needed = piece.height;
        for (std::size_t next = i; m_pieces[next].withNext && next + 1 < m_pieces.size(); ++next)
            needed += m_pieces[next + 1].before + m_pieces[next + 1].height;
        const bool first = m_pages.back().empty();
        if (!first && y + piece.before + needed > contentEnd) {
            m_pages.emplace_back();
            y = kReportTop;
        }
        const bool top = m_pages.back().empty();
        Placed placed{i, 0, top && piece.head != nullptr};
        if (placed.repeatsHead)
            y += piece.head->height;
        else if (!top)
            y += piece.before;
        placed.y = y;
        y += piece.height;
        if (piece.section >= 0) {
            const int page = static_cast<int>(m_pages.size()) - 1;
            // A pair of halves begins on one page.
            for (std::size_t section = at(piece.section); section < std::min(at(piece.section) + 2, m_sectionPages->size()); ++section) {
                (*m_sectionPages)[section] = page;
                m_sectionTops[section] = placed.y;
            }
        }
        m_pages.back().push_back(placed);
    }
}

std::vector<ReportLink> ReportPages::links() const
{
    constexpr double kAbove = 60; // What a heading has above it where the reader goes.
    std::vector<ReportLink> links;
    for (std::size_t page = 0; page < m_pages.size(); ++page) {
        for (const Placed& placed : m_pages[page]) {
            const ReportPiece& piece = m_pieces[placed.piece];
            if (piece.leadsTo < 0)
                continue;
            const QRectF area(kReportSide, placed.y, paper().width() - 2 * kReportSide, piece.height);
            links.push_back({static_cast<int>(page), area, (*m_sectionPages)[at(piece.leadsTo)], std::max(m_sectionTops[at(piece.leadsTo)] - kAbove, 0.0)});
        }
    }
    return links;
}

void ReportPages::paintPage(QPainter& painter, int page) const
{
    painter.save();
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.fillRect(QRectF(QPointF(0, 0), paper()), Qt::white);
    for (const Placed& placed : m_pages[at(page)]) {
        const ReportPiece& piece = m_pieces[placed.piece];
        if (placed.repeatsHead)
            piece.head->paint(painter, QPointF(kReportSide, placed.y - piece.head->height));
        piece.paint(painter, QPointF(kReportSide, placed.y));
    }
    const Theme theme;
    const QFont font = reportFont(7.75);
    const QFontMetricsF metrics(font);
    const double line = paper().height() - kReportFoot - metrics.height() - 40;
    painter.setPen(QPen(theme.color(Role::Line), 5));
    painter.drawLine(QPointF(kReportSide, line), QPointF(paper().width() - kReportSide, line));
    painter.setPen(theme.color(Role::Text2));
    painter.setFont(font);
    const double base = paper().height() - kReportFoot - metrics.descent();
    painter.drawText(QPointF(kReportSide, base), texts::shown(m_content.foot()));
    const QString number = QStringLiteral("Page %1 of %2").arg(page + 1).arg(pageCount());
    painter.drawText(QPointF(paper().width() - kReportSide - metrics.horizontalAdvance(number), base), number);
    painter.restore();
}

Status writePdf(const QString& path, const ReportContent& content)
{
    const ReportPages pages(content);
    QByteArray pdf;
    {
        QBuffer buffer(&pdf);
        buffer.open(QIODevice::WriteOnly);
        QPdfWriter writer(&buffer);
        writer.setResolution(720);
        writer.setPageLayout(QPageLayout(QPageSize(content.paper == ReportPaper::Letter ? QPageSize::Letter : QPageSize::A4), QPageLayout::Portrait, QMarginsF(0, 0, 0, 0)));
        writer.setTitle(texts::shown(content.title));
        writer.setCreator(QString::fromStdString(content.program));
        QPainter painter(&writer);
        for (int page = 0; page < pages.pageCount(); ++page) {
            if (page > 0)
                writer.newPage();
            pages.paintPage(painter, page);
        }
    }
    removeDates(pdf);
    pdf = withPdfLinks(pdf, pages.links());
    return writeOutputFile(path.toStdString(), std::string_view(pdf.constData(), static_cast<std::size_t>(pdf.size())));
}

} // namespace fabricscope
