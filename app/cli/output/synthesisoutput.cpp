#include "app/cli/output/synthesisoutput.h"

#include "app/cli/programinput.h"
#include "app/cli/values.h"
#include "core/base/showntext.h"
#include "core/report/runjson.h"

namespace fabricscope::cli {

namespace {

std::string microseconds(std::int64_t ps)
{
    return withDecimals(static_cast<double>(ps) * 1e-6, 3) + " us";
}

/// Of the plan's bound: 1 is optimal by its rules, chunks staying whole.
double share(const Synthesis& synthesis)
{
    return synthesis.plannedPs > 0 ? static_cast<double>(synthesis.boundPs) / static_cast<double>(synthesis.plannedPs) : 0;
}

std::int64_t transfersOf(const Program& program)
{
    std::int64_t count = 0;
    for (const OpKind kind : program.asExplicit().kind)
        count += kind == OpKind::Send || kind == OpKind::Put ? 1 : 0;
    return count;
}

} // namespace

std::string synthesisText(const SynthesisReport& report)
{
    const Synthesis& found = report.synthesis;
    std::string out;
    const auto line = [&](const std::string& name, const std::string& value) { out += name + std::string(14 - name.size(), ' ') + shownText(value) + '\n'; };
    line("collective", std::string(collectiveKey(report.op)) + ", " + std::to_string(report.bytes) + " B, " + std::to_string(report.chunks)
             + (report.chunks == 1 ? " chunk" : " chunks") + (hasRoot(report.op) ? ", root " + std::to_string(report.root) : ""));
    line("platform", std::to_string(report.ranks) + " ranks, " + std::to_string(report.links) + " links");
    line("method", report.method + ", seed " + std::to_string(found.seed) + (found.note.empty() ? "" : ": " + found.note));
    line("planned", microseconds(found.plannedPs) + (found.cutShort ? ", best so far" : ""));
    if (found.boundPs > 0)
        line("plan at best", microseconds(found.boundPs) + " by the same rules, share " + withDecimals(100 * share(found), 1) + " %" + (found.optimal ? ", optimal" : ""));
    if (found.steps > 0)
        line("steps", std::to_string(found.steps));
    line("transfers", std::to_string(transfersOf(*found.program)));
    line("verified", "valid, the postcondition holds");
    line("under links", report.simulated ? microseconds(report.simulated->ps) : "not simulated");
    if (report.bound.ps > 0) {
        std::string text = microseconds(report.bound.ps) + " under links, whatever the program";
        if (report.simulated && report.simulated->ps > 0)
            text += ", share " + withDecimals(100 * static_cast<double>(report.bound.ps) / static_cast<double>(report.simulated->ps), 1) + " %";
        line("bound", text);
    }
    if (!report.file.empty())
        line("written", report.file);
    return out;
}

std::string synthesisJson(const SynthesisReport& report)
{
    const Synthesis& found = report.synthesis;
    JsonWriter json;
    json.beginObject();
    const auto text = [&](std::string_view name, std::string_view value) {
        json.member(name, value);
    };
    const auto integer = [&](std::string_view name, std::int64_t value) {
        json.member(name, value);
    };
    const auto flag = [&](std::string_view name, bool value) {
        json.member(name, value);
    };
    integer("schema", kRunJsonSchema);
    text("collective", collectiveKey(report.op));
    if (hasRoot(report.op))
        integer("root", report.root);
    integer("bytes", report.bytes);
    integer("chunks", report.chunks);
    integer("ranks", report.ranks);
    integer("links", static_cast<std::int64_t>(report.links));
    text("method", report.method);
    text("seed", std::to_string(found.seed));
    json.key("planned_ns");
    json.nanoseconds({found.plannedPs});
    json.key("planned_bound_ns");
    found.boundPs > 0 ? json.nanoseconds({found.boundPs}) : json.null();
    json.key("share");
    found.boundPs > 0 ? json.number(withDecimals(share(found), 6)) : json.null();
    flag("optimal", found.optimal);
    flag("cut_short", found.cutShort);
    integer("steps", found.steps);
    integer("transfers", transfersOf(*found.program));
    text("verdict", "valid");
    text("postcondition", "holds");
    json.key("simulated_ns");
    report.simulated ? json.nanoseconds(*report.simulated) : json.null();
    json.key("bound_ns");
    report.bound.ps > 0 ? json.nanoseconds(report.bound) : json.null();
    text("note", found.note);
    text("file", report.file);
    json.endObject();
    return json.text() + '\n';
}

} // namespace fabricscope::cli
