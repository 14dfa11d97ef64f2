#include "core/insight/explaintext.h"

#include "core/base/index.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/insight/limits/rooflinetext.h"
#include "core/insight/whytree.h"
#include "core/report/runjson.h"
#include "core/report/runtext.h"
#include "core/report/textcolumns.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::size_t kRowsShown = 12;
constexpr std::size_t kChildrenShown = 5;

std::int64_t lengthOf(const Explanation& explanation)
{
    return explanation.path.toPs - explanation.path.fromPs;
}

std::string diagnosisLines(const Explanation& explanation)
{
    std::string text;
    std::size_t number = 0;
    for (const DiagnosisItem& item : explanation.diagnosis) {
        text += "  " + std::to_string(++number) + ". " + item.text + '\n';
        text += "     shown by " + item.evidence + (item.field.empty() ? std::string() : "; try " + editText(item)) + '\n';
        if (item.confirmedPs)
            text += "     simulated again so: saves " + showTime({*item.confirmedPs}) + " (predicted " + showTime({item.gainPs}) + ")\n";
    }
    return text;
}

std::string blameTable(const Explanation& explanation, const std::stop_token& stop)
{
    TextColumns table({"Kind", "Task", "Resource", "Parameter", "time", "share"}, 4, stop);
    const std::int64_t whole = lengthOf(explanation);
    const std::vector<BlameRow> rows = withoutNodes(explanation.blame);
    std::int64_t left = whole;
    for (std::size_t i = 0; i < std::min(kRowsShown, rows.size()); ++i) {
        const BlameRow& row = rows[i];
        left -= row.ps;
        const std::string task = shownText(row.name, 40) + (row.name.empty() ? "rank " : " of rank ") + std::to_string(row.rank);
        table.add({causeText(row.cause), task, shownText(row.resource, 40), shownText(row.parameterName, 40), showTime({row.ps}), percentText(row.ps, 1, whole)});
    }
    std::string text = table.text();
    if (rows.size() > kRowsShown)
        text += "  " + std::to_string(rows.size() - kRowsShown) + " rows more with " + showTime({left}) + ": --json has all of them\n";
    return text;
}

/// "-14 % to +50 %".
std::string rangeText(const ParameterEffect& effect)
{
    if (!effect.range)
        return {};
    return '-' + std::to_string(effect.range->less) + " % to +" + std::to_string(effect.range->more) + " %";
}

std::string parameterTable(const Explanation& explanation, const std::stop_token& stop)
{
    const bool ranges = std::any_of(explanation.parameters.begin(), explanation.parameters.end(), [](const ParameterEffect& effect) { return effect.range.has_value(); });
    std::vector<std::string> titles{"Parameter", "value", "on the path", "10 % faster", "twice as fast", "simulated"};
    if (ranges)
        titles.emplace_back("the line holds");
    TextColumns table(titles, 2, stop);
    for (const ParameterEffect& effect : explanation.parameters) {
        std::vector<std::string> cells{shownText(effect.name, 50), effect.value, showTime({effect.ps}), "-" + showTime({effect.tenthPs()}), "-" + showTime({effect.gainPs}),
                                       effect.confirmedPs ? (*effect.confirmedPs < 0 ? "+" + showTime({-*effect.confirmedPs}) : "-" + showTime({*effect.confirmedPs})) : std::string()};
        if (ranges)
            cells.push_back(rangeText(effect));
        table.add(cells);
    }
    return table.text();
}

/// Its children, longest first, each with its own.
void addChildren(const WhyNode& node, std::size_t depth, std::int64_t whole, std::string& text)
{
    std::int64_t left = node.ps;
    const std::size_t shown = std::min(kChildrenShown, node.children.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const WhyNode& child = node.children[i];
        left -= child.ps;
        text += std::string(2 + 2 * depth, ' ') + showTime({child.ps}) + "  " + percentText(child.ps, 1, whole) + "  " + shownText(child.name, 60) + '\n';
        addChildren(child, depth + 1, whole, text);
    }
    if (shown < node.children.size())
        text += std::string(2 + 2 * depth, ' ') + showTime({left}) + "  " + percentText(left, 1, whole) + "  " + std::to_string(node.children.size() - shown) + " more\n";
}

void writeNode(JsonWriter& json, const WhyNode& node, const std::stop_token& stop)
{
    checkStop(stop);
    json.beginObject();
    json.member("level", whyLevelKey(node.level));
    json.member("name", node.name);
    json.member("ps", node.ps);
    json.key("children");
    json.beginArray();
    for (const WhyNode& child : node.children)
        writeNode(json, child, stop);
    json.endArray();
    json.endObject();
}

void writeBlame(JsonWriter& json, const Explanation& explanation)
{
    json.key("blame");
    json.beginArray();
    for (const BlameRow& row : explanation.blame) {
        json.beginCompactObject();
        json.member("kind", pathCauseKey(row.cause));
        json.member("ps", row.ps);
        json.key("share");
        json.number(shareText(row.ps, lengthOf(explanation)));
        json.member("rank", std::int64_t{row.rank});
        json.key("node");
        row.node ? json.integer(static_cast<std::int64_t>(*row.node)) : json.null();
        json.member("name", row.name);
        json.member("resource", row.resource);
        if (row.link >= 0)
            json.member("link", row.link);
        json.key("parameter");
        row.parameterName.empty() ? json.null() : json.string(row.parameterName);
        if (!row.holder.empty())
            json.member("holder", row.holder);
        json.endObject();
    }
    json.endArray();
}

void writeConfirmed(JsonWriter& json, const std::optional<std::int64_t>& ps)
{
    json.key("confirmed_ps");
    ps ? json.integer(*ps) : json.null();
}

void writeParameters(JsonWriter& json, const Explanation& explanation)
{
    json.key("parameters");
    json.beginArray();
    for (const ParameterEffect& effect : explanation.parameters) {
        json.beginCompactObject();
        json.member("name", effect.name);
        json.member("value", effect.value);
        json.member("ps", effect.ps);
        json.member("d_finish_d_ln_ps", effect.isRate ? -effect.ps : effect.ps);
        json.member("gain_ps", effect.gainPs);
        writeConfirmed(json, effect.confirmedPs);
        json.key("range_percent");
        if (effect.range) {
            json.beginArray();
            json.integer(-effect.range->less);
            json.integer(effect.range->more);
            json.endArray();
        } else {
            json.null();
        }
        if (!effect.field.empty())
            json.member("field", effect.field);
        json.endObject();
    }
    json.endArray();
}

void writeDiagnosis(JsonWriter& json, const Explanation& explanation)
{
    json.key("diagnosis");
    json.beginArray();
    for (const DiagnosisItem& item : explanation.diagnosis) {
        json.beginCompactObject();
        json.member("kind", item.kind);
        json.member("text", item.text);
        json.member("evidence", item.evidence);
        if (!item.field.empty())
            json.member("edit", editText(item));
        json.member("ps", item.ps);
        json.member("gain_ps", item.gainPs);
        writeConfirmed(json, item.confirmedPs);
        json.endObject();
    }
    json.endArray();
}

void writeTexts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts)
{
    json.key(key);
    json.beginArray();
    for (const std::string& text : texts)
        json.string(text);
    json.endArray();
}

} // namespace

std::vector<std::pair<PathCause, std::int64_t>> causesOf(const CriticalPath& path)
{
    std::array<std::int64_t, kPathCauses> sums{};
    for (const PathPiece& piece : path.pieces)
        sums[at(piece.cause)] += piece.ps();
    std::vector<std::pair<PathCause, std::int64_t>> causes;
    for (std::size_t cause = 0; cause < kPathCauses; ++cause) {
        if (sums[cause] > 0)
            causes.emplace_back(static_cast<PathCause>(cause), sums[cause]);
    }
    std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return causes;
}

std::vector<BlameRow> withoutNodes(const std::vector<BlameRow>& blame)
{
    std::map<std::tuple<PathCause, std::int32_t, std::string, std::string, std::string>, std::size_t> known;
    std::vector<BlameRow> rows;
    for (const BlameRow& row : blame) {
        const auto [entry, fresh] = known.try_emplace({row.cause, row.rank, row.name, row.resource, row.parameterName}, rows.size());
        if (fresh)
            rows.push_back(row);
        else
            rows[entry->second].ps += row.ps;
    }
    std::stable_sort(rows.begin(), rows.end(), [](const BlameRow& a, const BlameRow& b) { return a.ps > b.ps; });
    return rows;
}

std::string causeText(PathCause cause)
{
    return cause == PathCause::RemoteMemory ? "remote memory" : std::string(pathCauseKey(cause));
}

std::string explanationText(const Explanation& explanation, bool tree, const std::stop_token& stop)
{
    const RunRecord& record = explanation.run->record();
    const std::int64_t whole = lengthOf(explanation);
    std::string text = "Why " + shownText(explanation.subject) + " takes " + showTime({whole}) + " (" + nsText({whole}) + " ns)\n";
    if (explanation.path.fromPs > 0 || explanation.path.toPs < record.finish.ps)
        text += "  from " + showTime({explanation.path.fromPs}) + " to " + showTime({explanation.path.toPs}) + " of a run of " + showTime(record.finish) + '\n';
    if (explanation.bound && explanation.bound->ps > 0 && record.finish.ps > 0)
        text += "  lower bound " + showTime({explanation.bound->ps}) + ", " + percentText(explanation.bound->ps, 1, record.finish.ps) + " of the run: " + explanation.bound->binds + '\n';
    text += "\nCritical path\n";
    TextColumns parts({"Part", "time", "share"}, 1, stop);
    for (const auto& [cause, ps] : causesOf(explanation.path))
        parts.add({causeText(cause), showTime({ps}), percentText(ps, 1, whole)});
    text += parts.text();
    if (!explanation.diagnosis.empty())
        text += "\nDiagnosis\n" + diagnosisLines(explanation);
    if (!explanation.blame.empty())
        text += "\nBlame\n" + blameTable(explanation, stop);
    if (!explanation.parameters.empty())
        text += "\nSensitivity, as long as the path stays the longest\n" + parameterTable(explanation, stop);
    if (const std::string roofline = rooflineText(explanation.roofline, stop); !roofline.empty())
        text += "\nRoofline of the whole run\n" + roofline;
    if (tree) {
        text += "\nWhy, level by level\n";
        addChildren(whyTree(*explanation.run->scenario, explanation.path, explanation.subject, stop), 0, whole, text);
    }
    for (const std::string& note : explanation.notes)
        text += "\nnote: " + note;
    return text + (explanation.notes.empty() ? "" : "\n");
}

std::string explanationJson(const Explanation& explanation, bool tree, const std::stop_token& stop)
{
    const RunRecord& record = explanation.run->record();
    JsonWriter json(stop);
    json.beginObject();
    json.member("schema", std::int64_t{kRunJsonSchema});
    json.key("result");
    json.beginObject();
    json.member("subject", explanation.subject);
    json.member("finish_ps", record.finish.ps);
    json.key("finish_ns");
    json.nanoseconds(record.finish);
    json.member("begin_ps", explanation.path.fromPs);
    json.member("end_ps", explanation.path.toPs);
    json.member("duration_ps", lengthOf(explanation));
    json.member("model", modelName(record.model));
    json.member("version", record.version);
    json.member("design_hash", explanation.run->summary.designHash);
    if (explanation.bound) {
        json.key("lower_bound_ns");
        json.nanoseconds({explanation.bound->ps});
        json.key("lower_bound_share");
        json.number(shareText(explanation.bound->ps, record.finish.ps));
        json.member("lower_bound_binds", explanation.bound->binds);
    }
    json.key("parts");
    json.beginArray();
    for (const auto& [cause, ps] : causesOf(explanation.path)) {
        json.beginCompactObject();
        json.member("kind", pathCauseKey(cause));
        json.member("ps", ps);
        json.endObject();
    }
    json.endArray();
    writeBlame(json, explanation);
    if (tree) {
        json.key("tree");
        writeNode(json, whyTree(*explanation.run->scenario, explanation.path, explanation.subject, stop), stop);
    }
    writeParameters(json, explanation);
    writeDiagnosis(json, explanation);
    writeRoofline(json, explanation.roofline);
    writeTexts(json, "notes", explanation.notes);
    writeTexts(json, "warnings", warningsOf(explanation.run->summary));
    json.endObject();
    json.key("run");
    writeRunCost(json, record, explanation.run->cost);
    json.endObject();
    return json.text();
}

} // namespace fabricscope
