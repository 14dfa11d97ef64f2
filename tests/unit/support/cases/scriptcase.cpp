#include "tests/unit/support/cases/scriptcase.h"

#include "core/base/files/textfile.h"
#include "core/base/index.h"
#include "tests/unit/support/oracles/programrun.h"
#include "sourcedir.h"

#include <array>

namespace fabricscope::test {

Result<Script> compileText(std::string_view text, const std::map<std::string, double>& parameters)
{
    ScriptRequest request;
    request.text = text;
    request.name = "t.lua";
    request.parameters = parameters;
    request.limits = {2'000'000, std::int64_t{32} << 20, 200'000};
    return compileScript(request);
}

std::string scriptError(std::string_view text)
{
    const Result<Script> script = compileText(text);
    if (script)
        return {};
    const Error& error = script.error();
    return std::to_string(error.place.line) + ": " + error.message + (error.expected.empty() ? "" : " (expected " + error.expected + ")");
}

std::string scriptNotes(const Script& script, std::string_view rule)
{
    std::string out;
    for (const Diagnostic& note : script.notes) {
        if (note.rule == rule)
            out += (out.empty() ? "" : "\n") + std::to_string(note.place.line) + ": " + note.message;
    }
    return out;
}

std::string operationText(const Program& program)
{
    constexpr std::array kKinds{"send", "receive", "add", "copy", "reduce", "compute", "put", "signal", "wait", "switch-reduce", "multicast"};
    constexpr std::array kBuffers{"i", "o", "s", "-", "f"};
    const ExplicitBody& body = program.asExplicit();
    std::string out;
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            out += std::to_string(rank) + " " + kKinds[at(body.kind[op])];
            if (body.peer[op] >= 0)
                out += " " + std::to_string(body.peer[op]) + "@" + std::to_string(body.connection[op]);
            const auto place = [&](BufferKind buffer, std::int32_t offset) {
                return buffer == BufferKind::None ? std::string() : std::string(" ") + kBuffers[at(buffer)] + std::to_string(offset);
            };
            out += place(body.sourceBuffer[op], body.sourceOffset[op]) + " >" + place(body.targetBuffer[op], body.targetOffset[op]);
            out += " x" + std::to_string(body.count[op]) + '\n';
        }
    }
    return out;
}

std::string wrongResult(const Program& program)
{
    for (const bool aliased : {true, false}) {
        if (aliased ? !program.inPlace : !program.outOfPlace)
            continue;
        for (const int slots : {0, 1}) {
            for (std::uint32_t seed = 1; seed <= 3; ++seed) {
                const ProgramRun run = runProgram(program, seed, aliased, slots);
                const std::string how = std::string(aliased ? " in place" : " out of place") + " with " + std::to_string(slots) + " slots";
                if (!run.finished)
                    return "does not finish" + how;
                if (!run.fault.empty())
                    return run.fault + how;
                if (!meetsContract(program, run.memory, aliased))
                    return "breaks the contract" + how;
                if (program.conditions) {
                    for (const ChunkValue& must : program.conditions->after) {
                        const auto found = run.memory.find({must.rank, must.buffer, must.index});
                        if (found == run.memory.end() || found->second != must.value)
                            return "breaks an expectation" + how;
                    }
                }
            }
        }
    }
    return {};
}

std::string exampleFolder()
{
    return std::string(FABRICSCOPE_SOURCE_DIR) + "/resources/examples/programs";
}

std::string exampleScript(const std::string& name)
{
    Result<std::string> text = readTextFile(exampleFolder() + '/' + name + ".lua");
    return text ? std::move(text).value() : std::string();
}

} // namespace fabricscope::test
