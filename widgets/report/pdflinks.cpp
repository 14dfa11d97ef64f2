#include "widgets/report/pdflinks.h"

#include <QString>

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

/// A page as the writer of Qt writes it: an object with a list of annotations of its own.
struct PdfPage {
    int object = 0;
    int annotations = 0;
    double height = 0; ///< Points.
};

/// The number behind a word that is looked for from `from` up to `end`; -1: there is none.
double numberBehind(const QByteArray& pdf, const char* word, qsizetype from, qsizetype end)
{
    const qsizetype at = pdf.indexOf(word, from);
    if (at < 0 || at >= end)
        return -1;
    qsizetype first = at + static_cast<qsizetype>(qstrlen(word));
    while (first < end && pdf[first] == ' ')
        ++first;
    qsizetype last = first;
    while (last < end && (QChar::isDigit(static_cast<uint>(pdf[last])) || pdf[last] == '.'))
        ++last;
    bool isNumber = false;
    const double number = pdf.mid(first, last - first).toDouble(&isNumber);
    return isNumber ? number : -1;
}

std::vector<PdfPage> pagesOf(const QByteArray& pdf)
{
    std::vector<PdfPage> pages;
    const QByteArray head = "\n<<\n/Type /Page\n";
    for (qsizetype at = 0; (at = pdf.indexOf(head, at)) >= 0; at += head.size()) {
        const qsizetype line = pdf.lastIndexOf('\n', at - 1) + 1; // "6 0 obj"
        const qsizetype end = pdf.indexOf("endobj", at);
        PdfPage page;
        page.object = pdf.mid(line, pdf.indexOf(' ', line) - line).toInt();
        page.annotations = static_cast<int>(numberBehind(pdf, "/Annots", at, end));
        page.height = numberBehind(pdf, "/MediaBox [0 0 ", at, end) > 0 ? pdf.mid(pdf.indexOf("/MediaBox", at)).split(']').front().split(' ').last().toDouble() : -1;
        if (page.object <= 0 || page.annotations <= 0 || page.height <= 0)
            return {};
        pages.push_back(page);
    }
    return pages;
}

QByteArray pointsText(double tenths)
{
    return QByteArray::number(tenths / 10, 'f', 1);
}

QByteArray annotationText(const ReportLink& link, const std::vector<PdfPage>& pages)
{
    const double height = pages[static_cast<std::size_t>(link.page)].height * 10;
    const PdfPage& target = pages[static_cast<std::size_t>(link.target)];
    return "<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect [" + pointsText(link.area.left()) + ' ' + pointsText(height - link.area.bottom()) + ' ' + pointsText(link.area.right()) + ' '
        + pointsText(height - link.area.top()) + "] /Dest [" + QByteArray::number(target.object) + " 0 R /XYZ null " + pointsText(target.height * 10 - link.top) + " null] >>";
}

} // namespace

QByteArray withPdfLinks(const QByteArray& pdf, const std::vector<ReportLink>& links)
{
    const std::vector<PdfPage> pages = pagesOf(pdf);
    const auto isPage = [&](int page) { return page >= 0 && static_cast<std::size_t>(page) < pages.size(); };
    const qsizetype trailer = pdf.lastIndexOf("trailer\n");
    const qsizetype start = pdf.lastIndexOf("startxref\n");
    const double size = trailer < 0 ? -1 : numberBehind(pdf, "/Size", trailer, pdf.size());
    const double info = trailer < 0 ? -1 : numberBehind(pdf, "/Info", trailer, pdf.size());
    const double root = trailer < 0 ? -1 : numberBehind(pdf, "/Root", trailer, pdf.size());
    const double before = start < 0 ? -1 : numberBehind(pdf, "startxref\n", start, pdf.size());
    if (links.empty() || size <= 0 || info <= 0 || root <= 0 || before <= 0 || !std::ranges::all_of(links, [&](const ReportLink& link) { return isPage(link.page) && isPage(link.target); }))
        return pdf;
    std::map<int, QByteArray> objects; // By number of the list of annotations.
    for (const ReportLink& link : links)
        objects[pages[static_cast<std::size_t>(link.page)].annotations] += annotationText(link, pages) + '\n';
    QByteArray out = pdf;
    if (!out.endsWith('\n'))
        out += '\n';
    QByteArray table = "xref\n";
    for (const auto& [number, annotations] : objects) {
        table += QByteArray::number(number) + " 1\n" + QByteArray::number(out.size()).rightJustified(10, '0') + " 00000 n \n";
        out += QByteArray::number(number) + " 0 obj\n[\n" + annotations + "]\nendobj\n";
    }
    const qsizetype at = out.size();
    const auto reference = [](double number) { return QByteArray::number(static_cast<qlonglong>(number)) + " 0 R\n"; };
    return out + table + "trailer\n<<\n/Size " + QByteArray::number(static_cast<qlonglong>(size)) + "\n/Info " + reference(info) + "/Root " + reference(root) + "/Prev "
        + QByteArray::number(static_cast<qlonglong>(before)) + "\n>>\nstartxref\n" + QByteArray::number(at) + "\n%%EOF\n";
}

} // namespace fabricscope
