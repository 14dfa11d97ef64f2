#include "core/report/html.h"

#include "core/base/files/outputtarget.h"
#include "core/base/stop.h"
#include "core/draw/numbertext.h"
#include "core/draw/svg.h"
#include "core/report/htmlstyle.h"
#include "core/report/outputfile.h"

#include <algorithm>

namespace fabricscope {

namespace {

std::string hex(const DrawColor& color)
{
    static constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out = "#";
    for (int shift = 20; shift >= 0; shift -= 4)
        out += kDigits[color.rgb(false) >> shift & 0xFU];
    return out;
}

/// The stacked bar of the parts.
Drawing shareBar(const ReportContent& content)
{
    constexpr double kWidth = 720;
    constexpr double kHeight = 18;
    Drawing drawing;
    drawing.size = SizeF(kWidth, kHeight);
    drawing.title = "Parts of the result";
    std::int64_t total = 0;
    for (const ReportShare& share : content.shares) {
        total += share.ps;
        drawing.description += (drawing.description.empty() ? "" : "; ") + share.label + ' ' + share.value;
    }
    std::int64_t before = 0;
    for (const ReportShare& share : content.shares) {
        const double left = static_cast<double>(before) / static_cast<double>(total) * kWidth;
        before += share.ps;
        const double right = static_cast<double>(before) / static_cast<double>(total) * kWidth;
        const RectF rect(left, 0, std::max(right - left - 1, 0.5), kHeight);
        addShare(drawing, rect, share);
    }
    return drawing;
}

constexpr std::size_t kWideColumns = 7; ///< A table of more has smaller type on paper.
constexpr std::size_t kLongWord = 36;   ///< Bytes; digests are shorter and stay whole, names of files may break.

std::size_t longestWord(std::string_view text)
{
    std::size_t longest = 0;
    std::size_t length = 0;
    for (const char c : text) {
        length = c == ' ' || c == '\n' ? 0 : length + 1;
        longest = std::max(longest, length);
    }
    return longest;
}

class Page {
public:
    Page(const ReportContent& content, const std::stop_token& stop) : m_stop(stop), m_content(content) {}

    std::string write()
    {
        m_out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>";
        m_out += xmlEscaped(m_content.title) + "</title>\n<style>\n" + style() + "</style>\n</head>\n<body>\n<main>\n";
        element("p", m_content.kind, "kind");
        element("h1", m_content.title);
        if (!m_content.question.empty())
            element("p", m_content.question, "question");
        if (!m_content.notice.empty())
            element("p", m_content.notice, "notice");
        answer();
        keyFigures();
        shares();
        sections();
        element("footer", m_content.foot());
        return std::move(m_out) + "</main>\n</body>\n</html>\n";
    }

private:
    std::string style() const
    {
        std::string out(kReportStyle);
        constexpr std::string_view kPaper = "size: A4;";
        if (m_content.paper == ReportPaper::Letter)
            out.replace(out.find(kPaper), kPaper.size(), "size: letter;");
        return out;
    }

    void element(const std::string& tag, std::string_view text, std::string_view style = {})
    {
        checkStop(m_stop);
        m_out += '<' + tag + (style.empty() ? "" : " class=\"" + std::string(style) + '"') + '>' + xmlEscaped(text) + "</" + tag + ">\n";
    }

    void list(const std::vector<std::string>& items)
    {
        m_out += "<ul>\n";
        for (const std::string& item : items)
            element("li", item);
        m_out += "</ul>\n";
    }

    void answer()
    {
        m_out += "<div class=\"answer\"><p><strong>" + xmlEscaped(m_content.lead()) + "</strong>";
        if (!m_content.answer.empty())
            m_out += ' ' + xmlEscaped(m_content.answer);
        m_out += "</p>\n";
        if (!m_content.waits.empty())
            list(m_content.waits);
        m_out += "</div>\n";
    }

    void keyFigures()
    {
        if (m_content.figures.empty())
            return;
        m_out += "<dl class=\"figures\">\n";
        for (const ReportKeyFigure& figure : m_content.figures)
            m_out += "<div><dt>" + xmlEscaped(figure.label) + "</dt><dd class=\"value\">" + xmlEscaped(figure.value) + "</dd><dd>" + xmlEscaped(figure.detail) + "</dd></div>\n";
        m_out += "</dl>\n";
    }

    void shares()
    {
        if (m_content.shares.empty())
            return;
        m_out += "<div class=\"shares\">\n" + svgText(shareBar(m_content)) + "\n<ul>\n";
        for (const ReportShare& share : m_content.shares) {
            Drawing key;
            key.size = SizeF(12, 12);
            key.title = share.hatched ? "hatched" : "full";
            addShare(key, RectF(0.5, 0.5, 11, 11), share);
            m_out += "<li>" + svgText(key) + ' ' + xmlEscaped(share.label) + "<br/><strong>" + xmlEscaped(share.value) + "</strong> " + xmlEscaped(share.share) + "</li>\n";
        }
        m_out += "</ul>\n";
        if (!m_content.sharesOf.empty())
            element("p", "Time of " + m_content.sharesOf + ", which finish last.", "note");
        m_out += "</div>\n";
    }

    void sections()
    {
        const std::vector<const ReportSection*> shown = m_content.shownSections();
        for (std::size_t i = 0; i < shown.size(); ++i) {
            const bool pair = shown[i]->half && i + 1 < shown.size() && shown[i + 1]->half;
            if (pair)
                m_out += "<div class=\"pair\">\n";
            section(*shown[i], i + 1);
            if (pair) {
                section(*shown[i + 1], i + 2);
                m_out += "</div>\n";
                ++i;
            }
        }
    }

    void section(const ReportSection& section, std::size_t number)
    {
        m_out += "<section>\n";
        element("h2", std::to_string(number) + " \xC2\xA0" + section.title);
        for (const ReportBlock& block : section.blocks)
            std::visit([this](const auto& one) { write(one); }, block);
        m_out += "</section>\n";
    }

    void write(const ReportText& text) { element("p", text.text); }
    void write(const ReportList& items) { list(items.items); }
    void write(const ReportCode& code) { element("pre", code.text); }

    void write(const ReportFigure& figure)
    {
        m_out += "<figure>\n" + svgText(figure.drawing, {.stop = m_stop}) + "\n<figcaption><span><strong>Figure " + std::to_string(figure.number) + ".</strong> " + xmlEscaped(figure.caption) + "</span>";
        if (!figure.legend.isEmpty())
            m_out += svgText(figure.legend, {.stop = m_stop});
        m_out += "</figcaption>\n</figure>\n";
    }

    void write(const ReportTable& table)
    {
        m_out += table.columns.size() > kWideColumns ? "<div class=\"wide\"><table class=\"dense\">\n<thead><tr>" : "<div class=\"wide\"><table>\n<thead><tr>";
        for (const ReportColumn& column : table.columns)
            m_out += (column.number ? "<th class=\"n\">" : "<th>") + xmlEscaped(column.title) + "</th>";
        m_out += "</tr></thead>\n<tbody>\n";
        for (const auto& row : table.rows) {
            checkStop(m_stop);
            m_out += "<tr>";
            for (std::size_t i = 0; i < row.size(); ++i)
                cell(row[i], table.columns[i].number);
            m_out += "</tr>\n";
        }
        m_out += "</tbody>\n</table></div>\n";
        if (!table.note.empty())
            element("p", table.note, "note");
    }

    void cell(const ReportCell& cell, bool number)
    {
        m_out += number ? "<td class=\"n\">" : longestWord(cell.text) > kLongWord ? "<td class=\"long\">" : "<td>";
        const std::string text = xmlEscaped(cell.text);
        switch (cell.look) {
        case ReportCell::Look::Plain: m_out += text; break;
        case ReportCell::Look::Strong: m_out += "<strong>" + text + "</strong>"; break;
        case ReportCell::Look::Warning: m_out += "<span class=\"warn\">" + text + "</span>"; break;
        case ReportCell::Look::Chip: {
            const DrawColor fill = DrawColor::dimension(cell.dimension);
            m_out += "<span class=\"chip\" style=\"background: " + hex(fill) + "; color: " + hex(fill.ink()) + "\">" + text + "</span>";
            break;
        }
        }
        m_out += "</td>";
    }

    const std::stop_token& m_stop;
    const ReportContent& m_content;
    std::string m_out;
};

} // namespace

std::string reportHtml(const ReportContent& content, const std::stop_token& stop)
{
    return Page(content, stop).write();
}

std::string reportHtml(const ReportSource& source, const std::stop_token& stop)
{
    return reportHtml(reportContent(source, stop), stop);
}

std::string reportHtml(const RunSummary& summary, const std::stop_token& stop)
{
    return reportHtml(reportContent(summary, stop), stop);
}

Status checkReportName(const std::string& path, bool pdfPossible)
{
    if (streamOf(path) >= 0 || path.ends_with(".html") || path.ends_with(".htm") || (pdfPossible && path.ends_with(".pdf")))
        return {};
    Error error{ErrorCode::Usage, "the ending of " + path + " names no kind of report", {}, pdfPossible ? ".html or .pdf" : ".html"};
    if (path.ends_with(".pdf"))
        error.message = "PDF reports need the desktop program; an .html report prints well from a browser";
    error.place.field = "--report";
    return error;
}

Status writeReport(const std::string& path, const ReportContent& content, OutputFiles* files, const std::stop_token& stop)
{
    if (Status name = checkReportName(path); !name)
        return name;
    return untilStopped([&] { return writeOutputFile(path, reportHtml(content, stop), files); });
}

Status writeReport(const std::string& path, const ReportSource& source, OutputFiles* files, const std::stop_token& stop)
{
    return untilStopped([&] { return writeReport(path, reportContent(source, stop), files, stop); });
}

Status writeReport(const std::string& path, const RunSummary& summary, OutputFiles* files, const std::stop_token& stop)
{
    if (Status name = checkReportName(path); !name)
        return name;
    return untilStopped([&] { return writeOutputFile(path, reportHtml(summary, stop), files); });
}

} // namespace fabricscope
