#pragma once

#include "core/language/script.h"
#include "core/program/program.h"
#include "core/verify/verify.h"

#include <optional>
#include <string>

namespace fabricscope::cli {

/// What `program` says of a program.
struct ProgramFacts {
    ProgramPtr program;
    std::vector<ScriptParameter> parameters; ///< Of a script.
    Diagnostics notes;                       ///< Of a script.
    Verification verification;
    std::int32_t steps = -1;                 ///< Columns of its picture; -1: a template too large to write out.
    double leastSent = -1;                   ///< Bytes a rank sends as a share of the large side: the rank that sends least ...
    double mostSent = -1;                    ///< ... and most. -1: as above.
};

/// `expanded`: the program with all its transfers, null where they are too many.
ProgramFacts programFacts(ProgramPtr program, const ProgramPtr& expanded, std::stop_token stop);

std::string programText(const ProgramFacts& facts);
std::string programJson(const ProgramFacts& facts);

/// Generators and what they take.
std::string generatorTable();
std::string generatorJson();

} // namespace fabricscope::cli
