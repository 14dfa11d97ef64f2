#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

namespace fabricscope {

/// Limits of a script; what exceeds them is an error with its line, never a hang.
struct ScriptLimits {
    std::int64_t instructions = 200'000'000;
    std::int64_t memoryBytes = std::int64_t{512} << 20;
    std::int64_t operations = 8'000'000;
};

struct ScriptRequest {
    std::string_view text;
    std::string name = "script.lua";               ///< For messages.
    std::map<std::string, double> parameters;      ///< Values for the script's `param(name, default)`.
    ScriptLimits limits{};
    std::stop_token stop{};
};

/// A collective written in the language of section "Programs" of the README: Lua 5.4 without files, modules or clocks.
struct Script {
    ProgramPtr program;
    Diagnostics notes;      ///< Warnings with lines: parameters that are not used, output of print().
};

/// Runs the script and makes its program. ExplicitBody::sourceId is the line a transfer was written on. Deterministic.
/// Errors: Place::line is the line of the script; Cancelled.
Result<Script> compileScript(const ScriptRequest& request);

} // namespace fabricscope
