#include "app/cli/output/verifyoutput.h"

#include "app/cli/values.h"
#include "core/base/showntext.h"
#include "core/report/jsonwriter.h"

#include <algorithm>
#include <cstdio>

namespace fabricscope::cli {

namespace {

std::string_view severityKey(Severity severity)
{
    return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

std::string_view bufferKey(BufferKind buffer)
{
    return buffer == BufferKind::Input ? "input" : buffer == BufferKind::Output ? "output" : "scratch";
}

} // namespace

void VerifyReport::addFindings(const Diagnostics& diagnostics)
{
    std::vector<VerifyFinding> all;
    for (const Diagnostic& diagnostic : diagnostics) {
        VerifyFinding finding;
        finding.rule = diagnostic.rule;
        finding.severity = diagnostic.severity;
        finding.message = diagnostic.message + (diagnostic.expected.empty() ? "" : " (expected " + diagnostic.expected + ')');
        if (!diagnostic.place.empty())
            finding.message = diagnostic.place.text() + ": " + finding.message;
        finding.rank = static_cast<std::int32_t>(diagnostic.place.rank);
        int lane = -1;
        int step = -1;
        std::sscanf(diagnostic.place.field.c_str(), "tb %d, step %d", &lane, &step); // NOLINT: no number leaves -1.
        finding.lane = lane;
        finding.step = step;
        all.push_back(std::move(finding));
    }
    std::move(verification.findings.begin(), verification.findings.end(), std::back_inserter(all));
    std::stable_sort(all.begin(), all.end(), [](const VerifyFinding& a, const VerifyFinding& b) { return a.severity > b.severity; });
    verification.findings = std::move(all);
}

std::int64_t VerifyReport::count(Severity severity) const
{
    return std::count_if(verification.findings.begin(), verification.findings.end(), [&](const VerifyFinding& finding) { return finding.severity == severity; });
}

std::uint64_t VerifyReport::lineOf(std::uint32_t operation) const
{
    if (!hasLines || !program || program->isTemplate() || operation >= program->asExplicit().size())
        return 0;
    return program->asExplicit().sourceIdOf(operation);
}

std::string VerifyReport::text() const
{
    std::string out = isValid() ? "valid" : "invalid";
    if (program) {
        out += ": " + std::string(collectiveKey(program->op)) + " of " + counted(program->ranks, "rank") + ", " + counted(program->chunks, "chunk") + ", "
            + counted(verification.operations, "operation") + ", " + counted(verification.transfers, "transfer") + "; postcondition "
            + std::string(postconditionKey(verification.postcondition));
        if (verification.worksInPlace || verification.worksOutOfPlace)
            out += verification.worksInPlace ? verification.worksOutOfPlace ? "; in and out of place" : "; in place" : "; out of place";
    }
    out += '\n';
    if (verification.minimumSlots > 0)
        out += "slots per connection: " + std::to_string(verification.minimumSlots) + (verification.minimumSlots == 1 ? " is" : " are") + " needed\n";
    for (const SlotResult& one : verification.slotResults)
        out += "with " + counted(one.count, "slot") + ": " + (one.finishes ? "finishes" : "deadlock") + '\n';
    if (verification.wastedTransfers > 0)
        out += counted(verification.wastedTransfers, "wasted transfer") + '\n';
    for (const VerifyFinding& finding : verification.findings) {
        out += std::string(severityKey(finding.severity)) + " [" + finding.rule + "]: " + shownText(finding.message);
        std::string lines;
        for (std::size_t i = 0; i < std::min<std::size_t>(finding.operations.size(), 8); ++i) {
            if (const std::uint64_t line = lineOf(finding.operations[i]); line > 0)
                lines += (lines.empty() ? " [line " : ", ") + std::to_string(line);
        }
        out += lines + (lines.empty() ? "\n" : "]\n");
    }
    if (verification.suppressed > 0)
        out += std::to_string(verification.suppressed) + " more of the same rules\n";
    return out;
}

std::string VerifyReport::json() const
{
    JsonWriter json;
    json.beginObject();
    json.member("schema", 1);
    json.key("result");
    json.beginObject();
    json.member("verdict", isValid() ? "valid" : "invalid");
    json.member("postcondition", postconditionKey(verification.postcondition));
    if (program) {
        json.member("collective", collectiveKey(program->op));
        json.member("name", program->name);
        json.member("ranks", program->ranks);
        json.member("chunks", program->chunks);
    }
    for (const auto& [key, value] : {std::pair{"operations", verification.operations}, {"transfers", verification.transfers},
                                     {"wasted_transfers", verification.wastedTransfers}}) {
        json.member(key, value);
    }
    json.member("in_place", verification.worksInPlace);
    json.member("out_of_place", verification.worksOutOfPlace);
    json.key("slots");
    json.beginArray();
    for (const SlotResult& one : verification.slotResults) {
        json.beginCompactObject();
        json.member("slots", one.count);
        json.member("finishes", one.finishes);
        json.endObject();
    }
    json.endArray();
    json.key("minimum_slots");
    verification.minimumSlots > 0 ? json.integer(verification.minimumSlots) : json.null();
    for (const auto& [key, severity] : {std::pair{"errors", Severity::Error}, {"warnings", Severity::Warning}, {"notes", Severity::Note}}) {
        json.member(key, count(severity));
    }
    json.member("suppressed", verification.suppressed);
    json.key("findings");
    json.beginArray();
    for (const VerifyFinding& finding : verification.findings) {
        json.beginObject();
        json.member("rule", finding.rule);
        json.member("severity", severityKey(finding.severity));
        json.member("message", finding.message);
        const auto orNull = [&](const char* key, std::int32_t value) {
            json.key(key);
            value >= 0 ? json.integer(value) : json.null();
        };
        orNull("rank", finding.rank);
        orNull("lane", finding.lane);
        orNull("step", finding.step);
        json.key("buffer");
        finding.buffer == BufferKind::None || finding.buffer == BufferKind::Fused ? json.null() : json.string(bufferKey(finding.buffer));
        orNull("chunk", finding.chunk);
        json.key("operations");
        json.beginCompactArray();
        for (const std::uint32_t operation : finding.operations)
            json.integer(operation);
        json.endArray();
        if (!finding.operations.empty() && lineOf(finding.operations.front()) > 0) {
            json.key("lines");
            json.beginCompactArray();
            for (const std::uint32_t operation : finding.operations)
                json.integer(static_cast<std::int64_t>(lineOf(operation)));
            json.endArray();
        }
        json.endObject();
    }
    json.endArray();
    json.endObject();
    json.endObject();
    return json.text();
}

} // namespace fabricscope::cli
