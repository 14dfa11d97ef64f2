#include "core/report/html.h"

#include "core/report/jsonwriter.h"
#include "core/report/outputfile.h"
#include "core/report/runtext.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::size_t kShownClasses = 40;
constexpr std::int64_t kBarWidth = 400; // px for the whole length

constexpr std::string_view kStyle = R"(<style>
:root { --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --ground: #ffffff; --compute: #0072b2; --comm: #e69f00; --other: #b8c0c8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa4af; --line: #3d444d; --ground: #14181d; --compute: #56b4e9; --comm: #f0b64a; --other: #565f69; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.big { font-size: 2.4rem; font-weight: 600; margin: .5rem 0 0; } .soft { color: var(--soft); }
table { border-collapse: collapse; } th { text-align: left; font-weight: 500; color: var(--soft); }
td, th { padding: .2rem 1rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: middle; } td.n { text-align: right; font-variant-numeric: tabular-nums; }
.compute { fill: var(--compute); } .comm { fill: var(--comm); } .other { fill: var(--other); } .frame { fill: none; stroke: var(--line); }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; }
</style>
)";

std::string escaped(std::string_view text)
{
    std::string out;
    // Through the JSON form, so that bytes which are not UTF-8 cannot reach the page.
    const std::string safe = jsonString(text);
    for (std::size_t i = 1; i + 1 < safe.size(); ++i) {
        char c = safe[i];
        if (c == '\\') {
            c = safe[++i];
            if (c == 'u') {
                i += 4;
                continue;
            }
            if (c == 'n' || c == 't')
                c = ' ';
        }
        switch (c) {
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '&':
            out += "&amp;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string cell(std::string_view text, bool number = true)
{
    return (number ? "<td class=\"n\">" : "<td>") + escaped(text) + "</td>";
}

/// Pixels of part / (count * whole), 0..kBarWidth.
std::int64_t pixels(std::int64_t part, std::int64_t count, std::int64_t whole)
{
    __extension__ using Wide = __int128;
    const Wide total = Wide{count} * whole;
    return total <= 0 ? 0 : static_cast<std::int64_t>(std::min<Wide>(Wide{part} * kBarWidth / total, kBarWidth));
}

struct Part {
    std::string_view style;
    std::int64_t width = 0;
};

std::string bar(std::string_view label, std::initializer_list<Part> parts)
{
    std::string out = "<svg width=\"" + std::to_string(kBarWidth) + "\" height=\"16\" role=\"img\" aria-label=\"" + escaped(label) + "\"><title>"
        + escaped(label) + "</title>";
    std::int64_t x = 0;
    for (const Part& part : parts) {
        const std::int64_t width = std::min(part.width, kBarWidth - x);
        if (width > 0)
            out += "<rect class=\"" + std::string(part.style) + "\" x=\"" + std::to_string(x) + "\" width=\"" + std::to_string(width) + "\" height=\"16\"/>";
        x += std::max<std::int64_t>(width, 0);
    }
    return out + "<rect class=\"frame\" x=\"0.5\" y=\"0.5\" width=\"" + std::to_string(kBarWidth - 1) + "\" height=\"15\"/></svg>";
}

std::string dimensionsSection(const RunSummary& summary)
{
    const RunRecord& record = *summary.record;
    if (record.dimensions.empty())
        return {};
    std::string out = "<h2>Fabric</h2>\n<table><tr><th>Dimension</th><th>per link</th><th>per NPU</th><th>latency</th><th>traffic</th><th>busy</th>"
                      "<th>busiest link</th><th></th></tr>\n";
    for (std::size_t i = 0; i < record.dimensions.size(); ++i) {
        const DimensionUse& use = record.dimensions[i];
        const DimensionFigures figures = i < summary.dimensions.size() ? summary.dimensions[i] : DimensionFigures{};
        const std::string busy = percentText(use.busyPs, use.links, record.finish.ps);
        out += "<tr>" + cell(use.name, false) + cell(figures.linkBandwidth) + cell(figures.npuBandwidth) + cell(figures.latency) + cell(showBytes({use.bytes}))
            + cell(busy) + cell(use.peakLinkPs == 0 && use.busyPs > 0 ? "unknown" : percentText(use.peakLinkPs, 1, record.finish.ps)) + "<td>"
            + bar(use.name + " busy " + busy, {{"comm", pixels(use.busyPs, use.links, record.finish.ps)}}) + "</td></tr>\n";
    }
    return out + "</table>\n";
}

std::string ranksSection(const RunRecord& record)
{
    std::string out = "<h2>Ranks</h2>\n<p class=\"soft\"><span class=\"key\" style=\"background: var(--compute)\"></span>compute"
                      "<span class=\"key\" style=\"background: var(--comm)\"></span>exposed communication"
                      "<span class=\"key\" style=\"background: var(--other)\"></span>neither</p>\n"
                      "<table><tr><th>Ranks</th><th>finish</th><th>compute</th><th>comm</th><th>exposed</th><th></th></tr>\n";
    const std::vector<RankClass> rows = resultRows(record);
    std::vector<const RankClass*> classes;
    for (const RankClass& row : rows)
        classes.push_back(&row);
    std::stable_sort(classes.begin(), classes.end(), [](const RankClass* a, const RankClass* b) { return a->times.finish > b->times.finish; });
    const std::size_t shown = std::min(classes.size(), kShownClasses);
    for (std::size_t i = 0; i < shown; ++i) {
        const RankTimes& times = classes[i]->times;
        const std::int64_t compute = pixels(times.compute.ps, 1, record.finish.ps);
        const std::int64_t exposed = pixels(times.exposedComm.ps, 1, record.finish.ps);
        const std::int64_t whole = pixels(times.finish.ps, 1, record.finish.ps);
        const std::string name = ranksText(classes[i]->ranks);
        out += "<tr>" + cell(name, false) + cell(times.finished ? showTime(times.finish) : "never") + cell(showTime(times.compute)) + cell(showTime(times.comm))
            + cell(showTime(times.exposedComm)) + "<td>"
            + bar(name + " compute " + showTime(times.compute) + ", exposed communication " + showTime(times.exposedComm),
                  {{"compute", compute}, {"comm", exposed}, {"other", whole - compute - exposed}})
            + "</td></tr>\n";
    }
    out += "</table>\n";
    if (classes.size() > shown)
        out += "<p class=\"soft\">The slowest " + std::to_string(shown) + " of " + std::to_string(classes.size()) + " classes of ranks.</p>\n";
    return out;
}

std::string listSection(std::string_view title, const std::vector<std::string>& texts)
{
    if (texts.empty())
        return {};
    std::string out = "<h2>" + std::string(title) + "</h2>\n<ul>\n";
    for (const std::string& text : texts)
        out += "<li>" + escaped(text) + "</li>\n";
    return out + "</ul>\n";
}

std::string parametersSection(const RunSummary& summary)
{
    if (summary.parameters.empty())
        return {};
    std::string out = "<h2>Values</h2>\n<table><tr><th>Value</th><th></th><th>source</th></tr>\n";
    for (const Parameter& parameter : summary.parameters)
        out += "<tr>" + cell(parameter.name, false) + cell(parameter.value) + cell(parameter.source + (parameter.assumed ? " (assumed)" : ""), false) + "</tr>\n";
    return out + "</table>\n";
}

} // namespace

std::string reportHtml(const RunSummary& summary)
{
    const RunRecord& record = *summary.record;
    const std::string title = summary.name.empty() ? "Fabricscope run" : summary.name;
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
        + escaped(title) + "</title>\n" + std::string(kStyle) + "</head>\n<body>\n<h1>" + escaped(title) + "</h1>\n";
    if (!summary.notes.empty())
        out += "<p class=\"soft\">" + escaped(summary.notes) + "</p>\n";
    if (record.complete) {
        out += "<p class=\"big\">" + escaped(showTime(record.finish)) + "</p>\n<p class=\"soft\">step time, " + nsText(record.finish) + " ns";
        if (record.lowerBound)
            out += "; lower bound " + escaped(showTime(*record.lowerBound));
        out += "</p>\n";
    } else {
        out += "<p class=\"big\">never ends</p>\n<ul>\n";
        for (const Wait& wait : record.waits)
            out += "<li>rank " + std::to_string(wait.rank) + ", " + escaped(wait.task) + ": " + escaped(wait.reason) + "</li>\n";
        out += "</ul>\n";
    }
    out += "<table>\n";
    const auto fact = [&](std::string_view name, const std::string& value) {
        if (!value.empty())
            out += "<tr><th>" + std::string(name) + "</th>" + cell(value, false) + "</tr>\n";
    };
    fact("Workload", summary.workload);
    if (summary.collective)
        fact("Collective", summary.collective->op + ", " + showBytes({summary.collective->bytes}) + " on the large side, " + showBytes({summary.collective->shard()})
                 + " per rank's shard, " + std::to_string(summary.collective->ranks) + " ranks");
    fact("Model", std::string(modelName(record.model)) + ' ' + record.version);
    fact("Design hash", summary.designHash);
    fact("Fingerprint", record.fingerprint.hex());
    out += "</table>\n" + dimensionsSection(summary) + ranksSection(record) + listSection("Warnings", warningsOf(summary))
        + listSection("Assumed", assumptionsOf(summary)) + parametersSection(summary);
    return out + "</body>\n</html>\n";
}

Status checkReportName(const std::string& path)
{
    if (path.ends_with(".html") || path.ends_with(".htm"))
        return {};
    Error error{ErrorCode::Usage, "the ending of " + path + " names no kind of report", {}, ".html"};
    if (path.ends_with(".pdf"))
        error.message = "PDF reports need the desktop program; an .html report prints well from a browser";
    error.place.field = "--report";
    return error;
}

Status writeReport(const std::string& path, const RunSummary& summary)
{
    if (Status name = checkReportName(path); !name)
        return name;
    return writeOutputFile(path, reportHtml(summary));
}

} // namespace fabricscope
