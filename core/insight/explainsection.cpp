#include "core/insight/explainsection.h"

#include "core/draw/numbertext.h"
#include "core/insight/explaintext.h"
#include "core/report/reportsections.h"
#include "core/report/runtext.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::size_t kRowsOnPage = 12;

std::string pathSentence(const Explanation& explanation)
{
    const std::int64_t whole = explanation.path.toPs - explanation.path.fromPs;
    std::string text = "The critical path of " + explanation.subject + " takes " + numbertext::time({whole}) + ": ";
    std::string parts;
    for (const auto& [cause, ps] : causesOf(explanation.path))
        parts += (parts.empty() ? "" : ", ") + causeText(cause) + ' ' + numbertext::time({ps}) + " (" + percentText(ps, 1, whole) + ')';
    text += parts + '.';
    if (explanation.bound)
        text += " No order of it is faster than " + numbertext::time({explanation.bound->ps}) + ": " + explanation.bound->binds + '.';
    for (const std::string& note : explanation.notes)
        text += " Note: " + note + '.';
    return withThinUnits(text);
}

std::string diagnosisSentence(const DiagnosisItem& item)
{
    std::string text = item.text;
    if (item.confirmedPs)
        text += "; simulated again it saves " + showTime({*item.confirmedPs});
    if (!item.field.empty())
        text += " (" + editText(item) + ')';
    return withThinUnits(text + '.');
}

ReportTable blameOnPage(const Explanation& explanation)
{
    const std::int64_t whole = explanation.path.toPs - explanation.path.fromPs;
    ReportTable table;
    table.columns = {{"Kind", false, 1}, {"Task", false, 2}, {"Resource", false, 2}, {"Parameter", false, 2}, {"Time", true, 1}, {"Share", true, 1}};
    std::int64_t left = whole;
    const std::vector<BlameRow> rows = withoutNodes(explanation.blame);
    for (std::size_t i = 0; i < std::min(kRowsOnPage, rows.size()); ++i) {
        const BlameRow& row = rows[i];
        left -= row.ps;
        table.rows.push_back({causeText(row.cause), row.name.empty() ? "rank " + std::to_string(row.rank) : row.name + " of rank " + std::to_string(row.rank), row.resource,
                              row.parameterName, numbertext::time({row.ps}), withThinUnits(percentText(row.ps, 1, whole))});
    }
    if (rows.size() > kRowsOnPage)
        table.note = withThinUnits(std::to_string(rows.size() - kRowsOnPage) + " rows more with " + showTime({left}) + " together.");
    return table;
}

} // namespace

void addExplanation(const Explanation& explanation, ReportContent& content)
{
    for (ReportSection& section : content.sections) {
        if (section.part != ReportPart::Findings)
            continue;
        section.blocks.emplace_back(ReportText{pathSentence(explanation)});
        ReportList list;
        for (const DiagnosisItem& item : explanation.diagnosis)
            list.items.push_back(diagnosisSentence(item));
        if (!list.items.empty())
            section.blocks.emplace_back(std::move(list));
        if (!explanation.blame.empty())
            section.blocks.emplace_back(blameOnPage(explanation));
    }
}

} // namespace fabricscope
