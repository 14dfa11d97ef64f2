#pragma once

#include <string_view>

namespace fabricscope {

/// Style of the HTML report: the light theme, column width of an A4 page, the same on paper.
constexpr std::string_view kReportStyle = R"(@page { size: A4; margin: 14mm 15mm 12mm; }
* { box-sizing: border-box; }
html { background: #ECEFF2; }
body { margin: 0; color: #1B222B; font: 14px/1.45 "Noto Sans", "DejaVu Sans", system-ui, sans-serif; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
main { max-width: 816px; margin: 24px auto; padding: 40px 48px; background: #FFFFFF; }
h1 { font-size: 28px; line-height: 1.2; font-weight: 600; margin: 12px 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 16px; font-weight: 600; margin: 32px 0 8px; break-after: avoid; }
p { margin: 0 0 8px; }
.kind { color: #586370; font-size: 12px; margin: 0 0 16px; }
.question { color: #47525F; font-size: 15px; overflow-wrap: anywhere; }
.notice { background: #FDF3D8; border-left: 3px solid #8A5A00; padding: 8px 16px; margin: 16px 0 0; font-weight: 600; }
.answer { background: #F6F7F9; border-left: 3px solid #1F5FBF; padding: 12px 16px; margin: 16px 0; font-size: 15px; }
.answer p { margin: 0; }
strong { font-weight: 600; }
.figures { display: grid; grid-template-columns: repeat(4, 1fr); gap: 16px; margin: 16px 0; }
.figures div { border-left: 2px solid #C4CBD3; padding-left: 12px; }
dt, dd { margin: 0; font-size: 12.5px; color: #47525F; overflow-wrap: anywhere; }
.value { font-size: 21px; line-height: 1.3; font-weight: 600; color: #1B222B; font-variant-numeric: tabular-nums; }
.shares { margin: 16px 0; break-inside: avoid; }
.shares ul { list-style: none; display: flex; flex-wrap: wrap; gap: 8px 32px; padding: 0; margin: 8px 0 0; }
.shares li { font-size: 12.5px; color: #47525F; font-variant-numeric: tabular-nums; }
.shares li strong { color: #1B222B; }
.shares li svg { vertical-align: -1px; }
.note { color: #586370; font-size: 12px; margin: 6px 0 0; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 32px; align-items: start; }
figure { margin: 0 0 12px; break-inside: avoid; }
figure > svg, .shares > svg { display: block; width: 100%; height: auto; }
figcaption { display: flex; justify-content: space-between; gap: 4px 24px; flex-wrap: wrap; color: #47525F; font-size: 12.5px; margin-top: 6px; }
table { width: 100%; border-collapse: collapse; font-size: 13px; margin: 8px 0 0; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th { text-align: left; font-weight: 400; color: #586370; border-bottom: 1px solid #7D8896; vertical-align: bottom; }
td { border-bottom: 1px solid #D9DEE4; vertical-align: top; }
.long { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
.dense { font-size: 12px; }
td, th { padding: 3px 10px 3px 0; }
.dense td, .dense th { padding-right: 7px; }
td:last-child, th:last-child { padding-right: 0; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
td.n { white-space: nowrap; }
.pair td.n { white-space: normal; }
.warn { color: #8A5600; font-weight: 600; }
.chip { display: inline-block; min-width: 26px; padding: 0 5px; border-radius: 3px; font-size: 11.5px; line-height: 16px; font-weight: 600; text-align: center; }
ul { margin: 8px 0; padding-left: 20px; }
li { overflow-wrap: anywhere; }
pre { font: 11.5px/1.45 "Noto Sans Mono", "DejaVu Sans Mono", monospace; background: #F6F7F9; padding: 12px 16px; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
footer { border-top: 1px solid #D9DEE4; color: #586370; font-size: 12px; margin-top: 40px; padding-top: 8px; }
@media (max-width: 640px) { main { padding: 24px 16px; margin: 0; } .figures { grid-template-columns: 1fr 1fr; } .pair { display: block; } }
@media print { html { background: #FFFFFF; } body { font-size: 9pt; } main { max-width: none; margin: 0; padding: 0; } h1 { font-size: 19pt; } h2 { font-size: 10.5pt; }
table { font-size: 8.25pt; } .dense { font-size: 7.25pt; } .wide { overflow: visible; } .answer { font-size: 9.75pt; } .value { font-size: 13pt; } dt, dd, figcaption, .shares li { font-size: 8pt; } }
)";

} // namespace fabricscope
