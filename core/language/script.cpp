#include "core/language/script.h"

#include "core/language/scriptbuild.h"
#include "core/language/scriptloops.h"
#include "core/language/scriptwords.h"

#include <algorithm>
#include <array>
#include <clocale>
#include <cmath>
#include <cstdio>

namespace fabricscope {

namespace {

constexpr std::size_t kMostText = std::size_t{4} << 20;

/// Numbers with points, whatever the language of the desktop; for this thread only.
class PlainNumbers {
public:
    PlainNumbers()
        : m_plain(newlocale(LC_ALL_MASK, "C", nullptr))
        , m_before(m_plain ? uselocale(m_plain) : nullptr)
    {
    }
    ~PlainNumbers()
    {
        if (!m_plain)
            return;
        uselocale(m_before);
        freelocale(m_plain);
    }
    PlainNumbers(const PlainNumbers&) = delete;
    PlainNumbers& operator=(const PlainNumbers&) = delete;

private:
    locale_t m_plain;
    locale_t m_before;
};

std::string numberText(double value)
{
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.14g", value);
    return text.data();
}

std::string provenanceOf(const ScriptRequest& request, const std::vector<ScriptParameter>& parameters)
{
    std::string out = "script " + request.name;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        out += (i == 0 ? " with " : ", ") + parameters[i].name + " = " + numberText(parameters[i].value);
    return out;
}

Error placed(Error error, const ScriptRequest& request)
{
    error.place.file = request.name;
    return error;
}

void noteUnused(const ScriptRequest& request, ScriptRun& run)
{
    for (const auto& [name, value] : request.parameters) {
        const std::string& wanted = name;
        if (std::any_of(run.parameters.begin(), run.parameters.end(), [&](const ScriptParameter& one) { return one.name == wanted; }))
            continue;
        run.notes.push_back(warning("parameter", "The script has no parameter '" + name + "'"));
    }
}

Result<Script> compile(const ScriptRequest& request)
{
    if (request.text.size() > kMostText)
        return placed(invalidInput("The script is longer than 4 MiB"), request);
    if (const int line = findVarargs(request.text); line > 0) {
        Error error = invalidInput("'...' is not part of this language", {}, "a table");
        error.place.line = line;
        return placed(std::move(error), request);
    }
    const PlainNumbers plain;
    ScriptBudget budget(request.limits.instructions, request.limits.memoryBytes, request.stop);
    ScriptRun run(request, budget);
    {
        LuaState state(budget, &run);
        if (!state.run(request.text, &installScriptWords)) {
            const LuaState::Failure& failure = state.failure();
            Error error{failure.code, failure.message, {}, failure.expected};
            if (!failure.context.empty())
                error.message += " (" + failure.context + ")";
            error.place.line = failure.line;
            return placed(std::move(error), request);
        }
    }
    if (!run.trace.begun())
        return placed(invalidInput("The script makes no collective", {}, "collective(\"all_reduce\", {ranks = 8, chunks = 8})"), request);
    Result<Diagnostics> findings = run.trace.checkEnd();
    if (!findings)
        return placed(std::move(findings).error(), request);
    noteUnused(request, run);
    run.notes.insert(run.notes.end(), findings.value().begin(), findings.value().end());
    for (Diagnostic& diagnostic : run.notes)
        diagnostic.place.file = request.name;
    Result<ProgramPtr> program = buildProgram(run.trace, provenanceOf(request, run.parameters));
    if (!program)
        return placed(std::move(program).error(), request);
    return Script{std::move(program).value(), std::move(run.notes), std::move(run.parameters), std::move(run.phases)};
}

} // namespace

Result<Script> compileScript(const ScriptRequest& request)
{
    try {
        return compile(request);
    } catch (const std::bad_alloc&) {
        return placed(Error{ErrorCode::MemoryLimit, "There is no memory for the script", {}, {}}, request);
    }
}

} // namespace fabricscope
