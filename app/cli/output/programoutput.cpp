#include "app/cli/output/programoutput.h"

#include "app/cli/programinput.h"
#include "core/base/index.h"
#include "core/base/showntext.h"
#include "core/draw/programcolumns.h"
#include "core/generate/generate.h"
#include "core/program/operationbytes.h"
#include "core/report/runjson.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace fabricscope::cli {

namespace {

std::string ratioText(double value)
{
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.4g", value);
    return text.data();
}

void line(std::string& out, std::string_view name, const std::string& value)
{
    std::string label(name);
    label.resize(15, ' ');
    out += label + shownText(value) + '\n'; // Names may hold anything, also ends of lines.
}

std::string opsText(const GeneratorInfo& generator)
{
    std::string out;
    for (const CollectiveOp op : generator.ops)
        out += (out.empty() ? "" : ", ") + std::string(collectiveKey(op));
    return out;
}

} // namespace

ProgramFacts programFacts(ProgramPtr program, const ProgramPtr& expanded, std::stop_token stop)
{
    ProgramFacts out;
    VerifyOptions options;
    options.mostFindings = 20;
    options.stop = std::move(stop);
    out.verification = verify(*program, options);
    out.program = std::move(program);
    if (!expanded)
        return out;
    out.steps = programColumns(*expanded).columns;
    constexpr std::int64_t kSize = std::int64_t{1} << 40; // Large enough that rounding to bytes does not show.
    const ExplicitBody& body = expanded->asExplicit();
    const OperationBytes bytes(*expanded, kSize);
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        double sent = 0;
        for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            if (body.kind[op] == OpKind::Send || body.kind[op] == OpKind::Put)
                sent += static_cast<double>(bytes.of(op)) / static_cast<double>(kSize);
        }
        out.leastSent = rank == 0 ? sent : std::min(out.leastSent, sent);
        out.mostSent = std::max(out.mostSent, sent);
    }
    return out;
}

std::string programText(const ProgramFacts& facts)
{
    const Program& program = *facts.program;
    const Verification& verification = facts.verification;
    std::string out;
    line(out, "Program", program.name + " (" + program.provenance + ")");
    line(out, "Collective", std::string(collectiveKey(program.op)) + " of " + std::to_string(program.ranks) + " ranks in " + std::to_string(program.chunks) + " chunks" +
                                (hasRoot(program.op) ? ", root " + std::to_string(program.root) : "") +
                                (program.isTemplate() ? ", as template" : ""));
    line(out, "Transfers", std::to_string(verification.transfers) + " (" + std::to_string(verification.operations) + " operations)");
    if (facts.steps >= 0) {
        line(out, "Steps", std::to_string(facts.steps));
        line(out, "Sent by a rank", ratioText(facts.leastSent) == ratioText(facts.mostSent) ? ratioText(facts.mostSent) + " of the size"
                                                                     : ratioText(facts.leastSent) + " to " + ratioText(facts.mostSent) + " of the size");
    }
    for (const ScriptParameter& parameter : facts.parameters)
        line(out, "Parameter", parameter.name + " = " + ratioText(parameter.value) + " (usually " + ratioText(parameter.usual) + ")");
    line(out, "Verifier", std::string(verification.valid ? "valid" : "invalid") + ", postcondition " + std::string(postconditionKey(verification.postcondition)) +
                              (verification.minimumSlots > 0 ? ", needs " + std::to_string(verification.minimumSlots) + (verification.minimumSlots == 1 ? " slot" : " slots") : ""));
    for (const VerifyFinding& finding : verification.findings) {
        if (finding.severity != Severity::Note)
            line(out, "  " + finding.rule, finding.message);
    }
    return out;
}

std::string programJson(const ProgramFacts& facts)
{
    const Program& program = *facts.program;
    const Verification& verification = facts.verification;
    JsonWriter json;
    const auto text = [&](std::string_view key, std::string_view value) {
        json.member(key, value);
    };
    const auto integer = [&](std::string_view key, std::int64_t value) {
        json.member(key, value);
    };
    json.beginObject();
    integer("schema", kRunJsonSchema);
    text("name", program.name);
    text("provenance", program.provenance);
    text("collective", collectiveKey(program.op));
    integer("ranks", program.ranks);
    if (hasRoot(program.op))
        integer("root", program.root);
    integer("chunks", program.chunks);
    text("form", program.isTemplate() ? "template" : "explicit");
    integer("operations", verification.operations);
    integer("transfers", verification.transfers);
    if (facts.steps >= 0) {
        integer("steps", facts.steps);
        json.key("least_sent_share");
        json.number(ratioText(facts.leastSent));
        json.key("most_sent_share");
        json.number(ratioText(facts.mostSent));
    }
    text("verdict", verification.valid ? "valid" : "invalid");
    text("postcondition", postconditionKey(verification.postcondition));
    integer("minimum_slots", verification.minimumSlots);
    json.key("findings");
    json.beginArray();
    for (const VerifyFinding& finding : verification.findings) {
        json.beginObject();
        text("rule", finding.rule);
        text("message", finding.message);
        json.endObject();
    }
    json.endArray();
    json.key("parameters");
    json.beginArray();
    for (const ScriptParameter& parameter : facts.parameters) {
        json.beginObject();
        text("name", parameter.name);
        json.key("value");
        json.number(ratioText(parameter.value));
        json.key("default");
        json.number(ratioText(parameter.usual));
        json.endObject();
    }
    json.endArray();
    json.key("notes");
    json.beginArray();
    for (const Diagnostic& note : facts.notes) {
        json.beginObject();
        text("rule", note.rule);
        integer("line", note.place.line);
        text("message", note.message);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.text();
}

std::string generatorTable()
{
    std::size_t width = 0;
    for (const GeneratorInfo& generator : generators())
        width = std::max(width, generator.key.size());
    std::string out;
    for (const GeneratorInfo& generator : generators()) {
        std::string name(generator.key);
        name.resize(width + 2, ' ');
        out += name + std::string(generator.title) + ": " + opsText(generator) + "; " + std::string(generator.sizes) + '\n';
    }
    return out;
}

std::string generatorJson()
{
    JsonWriter json;
    json.beginObject();
    json.member("schema", kRunJsonSchema);
    json.key("result");
    json.beginArray();
    for (const GeneratorInfo& generator : generators()) {
        json.beginObject();
        for (const auto& [key, value] : {std::pair{"algorithm", generator.key}, {"title", generator.title}, {"source", generator.source}, {"sizes", generator.sizes}}) {
            json.member(key, value);
        }
        json.key("collectives");
        json.beginArray();
        for (const CollectiveOp op : generator.ops)
            json.string(collectiveKey(op));
        json.endArray();
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.text();
}

} // namespace fabricscope::cli
