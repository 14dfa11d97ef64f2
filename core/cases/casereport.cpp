#include "core/cases/casereport.h"

#include "core/draw/drawing.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::size_t kMostFigures = 4; ///< In a row below the answer.

std::string numberMark(std::size_t number)
{
    return " [" + std::to_string(number + 1) + ']';
}

/// Bars from 0 on, one below the other, the value of each behind it.
Drawing barsDrawing(const StudiedCase& studied, const CaseFindings& findings, const CaseTable& table)
{
    constexpr double kWidth = 720;
    constexpr double kRow = 22;
    constexpr double kBar = 14;
    constexpr double kText = 11;
    double labels = 0;
    double values = 0;
    double most = 0;
    const auto label = [&](std::size_t bar) { return studied.numbers[bar].about; };
    const auto value = [&](std::size_t bar) { return findings.values[bar].text + numberMark(bar); };
    Drawing drawing;
    drawing.title = table.title;
    for (const std::size_t bar : table.bars) {
        labels = std::max(labels, textWidth(label(bar), kText));
        values = std::max(values, textWidth(value(bar), kText));
        most = std::max(most, findings.values[bar].number);
        drawing.description += (drawing.description.empty() ? "" : "; ") + label(bar) + ' ' + findings.values[bar].text;
    }
    drawing.size = SizeF(kWidth, kRow * static_cast<double>(table.bars.size()));
    const double left = labels + 12;
    const double room = std::max(kWidth - left - values - 12, 40.0);
    for (std::size_t i = 0; i < table.bars.size(); ++i) {
        const std::size_t bar = table.bars[i];
        const double top = kRow * static_cast<double>(i) + (kRow - kBar) / 2;
        const double width = most > 0 ? std::max(findings.values[bar].number, 0.0) / most * room : 0;
        drawing.text(PointF(labels, top + kBar - 3), label(bar), kText, Tone::Text2, TextShape::Anchor::Right);
        drawing.box(RectF(left, top, std::max(width, 1.0), kBar), 0, DrawColor::dimension(0));
        drawing.text(PointF(left + width + 8, top + kBar - 3), value(bar), kText, Tone::Text);
    }
    drawing.line(PointF(left, 0), PointF(left, drawing.size.height()), {Tone::Line2});
    return drawing;
}

class CaseReport {
public:
    CaseReport(const StudiedCase& studied, const CaseFindings& findings, const std::vector<StoredRun>& runs) : m_case(studied), m_findings(findings), m_runs(runs) {}

    ReportContent write(const std::vector<CaseFile>& files, const std::string& program)
    {
        m_content.kind = "Fabricscope case study";
        m_content.title = m_case.title;
        m_content.question = m_case.question;
        if (!m_case.found.empty() && m_case.found != m_findings.answer)
            m_content.notice = "The case was written with another answer: " + m_case.found;
        m_content.answerLead = filledText(m_case.answer, m_findings, true);
        m_content.program = program;
        keyFigures();
        for (const CaseTable& table : m_case.tables)
            tableSection(table);
        publishedSection();
        if (!m_case.notes.empty())
            section("Assumptions and what is left out").blocks.emplace_back(ReportList{m_case.notes});
        numbersSection();
        runsSection();
        ReportSection& inputs = section("Exact inputs");
        for (const CaseFile& file : files) {
            inputs.blocks.emplace_back(ReportText{file.name});
            inputs.blocks.emplace_back(ReportCode{file.text});
        }
        return std::move(m_content);
    }

private:
    ReportSection& section(const std::string& title)
    {
        m_content.sections.push_back({ReportPart::Results, title, false, true, {}});
        return m_content.sections.back();
    }

    void keyFigures()
    {
        for (const CaseText::Piece& piece : m_case.answer.pieces) {
            if (!piece.number || m_content.figures.size() == kMostFigures || m_case.numbers[*piece.number].unit == CaseUnit::Word)
                continue;
            m_content.figures.push_back({m_case.numbers[*piece.number].about, m_findings.values[*piece.number].text, "number" + numberMark(*piece.number)});
        }
    }

    void tableSection(const CaseTable& table)
    {
        ReportSection& made = section(table.title);
        if (!table.bars.empty())
            made.blocks.emplace_back(ReportFigure{barsDrawing(m_case, m_findings, table), {}, ++m_figures, table.title});
        ReportTable shown;
        shown.note = table.note;
        for (const std::string& column : table.columns)
            shown.columns.push_back({column, !shown.columns.empty(), 1});
        for (const auto& row : table.rows) {
            std::vector<ReportCell> cells;
            for (const CaseText& cell : row)
                cells.emplace_back(filledText(cell, m_findings, true));
            shown.rows.push_back(std::move(cells));
        }
        made.blocks.emplace_back(std::move(shown));
    }

    void publishedSection()
    {
        if (m_case.published.empty())
            return;
        ReportTable table;
        table.columns = {{"What", false, 3}, {"Published", true, 1}, {"Here", true, 1}, {"Difference", true, 1}, {"Source", false, 3}};
        std::vector<std::string> remarks;
        for (const PublishedNumber& row : m_case.published) {
            const CaseUnit unit = m_case.numbers[row.ours].unit;
            const std::string range = row.most > row.least ? shownNumber(row.least, unit) + " to " + shownNumber(row.most, unit) : shownNumber(row.least, unit);
            table.rows.push_back({row.what, range, m_findings.values[row.ours].text + numberMark(row.ours), shownDifference(m_findings.values[row.ours].number, row), row.source});
            if (!row.remark.empty())
                remarks.push_back(row.what + ": " + row.remark);
        }
        ReportSection& made = section("Published numbers beside ours");
        made.blocks.emplace_back(std::move(table));
        if (!remarks.empty())
            made.blocks.emplace_back(ReportList{std::move(remarks)});
    }

    std::string originOf(const CaseNumber& number) const
    {
        if (number.run)
            return m_runs[*number.run].file + ": result." + number.value;
        std::string out = number.formula ? number.formula->text() : "the least of";
        std::string of;
        for (const std::size_t used : number.formula ? number.formula->uses() : number.least)
            of += (of.empty() ? "" : ", ") + m_case.numbers[used].name + numberMark(used);
        return out + (number.formula ? (of.empty() ? "" : "  with " + of) : ' ' + of);
    }

    void numbersSection()
    {
        ReportTable table;
        table.columns = {{"", true, 0.3}, {"Number", false, 2}, {"Value", true, 1}, {"From", false, 4}};
        for (std::size_t i = 0; i < m_case.numbers.size(); ++i)
            table.rows.push_back({'[' + std::to_string(i + 1) + ']', m_case.numbers[i].about, m_findings.values[i].text, originOf(m_case.numbers[i])});
        table.note = "A file and where in it the number stands, or what it is computed from.";
        section("Where every number comes from").blocks.emplace_back(std::move(table));
    }

    void runsSection()
    {
        ReportTable table;
        table.columns = {{"Kept in", false, 1}, {"What", false, 1.5}, {"To repeat it in the folder of the case", false, 4}};
        std::vector<std::string> warnings;
        for (std::size_t i = 0; i < m_case.runs.size(); ++i) {
            table.rows.push_back({m_runs[i].file, m_case.runs[i].about, m_case.runs[i].commandLine()});
            for (const std::string& warning : m_runs[i].warnings)
                warnings.push_back(m_runs[i].file + ": " + warning);
        }
        ReportSection& made = section("Runs");
        made.blocks.emplace_back(std::move(table));
        if (warnings.empty())
            return;
        made.blocks.emplace_back(ReportText{"Warnings of the runs:"});
        made.blocks.emplace_back(ReportList{std::move(warnings)});
    }

    const StudiedCase& m_case;
    const CaseFindings& m_findings;
    const std::vector<StoredRun>& m_runs;
    ReportContent m_content;
    int m_figures = 0;
};

} // namespace

ReportContent caseReport(const StudiedCase& studied, const CaseFindings& findings, const std::vector<StoredRun>& runs, const std::vector<CaseFile>& files, const std::string& program)
{
    return CaseReport(studied, findings, runs).write(files, program);
}

} // namespace fabricscope
