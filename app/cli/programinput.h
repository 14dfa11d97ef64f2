#pragma once

#include "core/base/result.h"
#include "core/generate/generate.h"

#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope::cli {

class Command;

/// Where a command takes a program of a collective from: a file, or a generator.
struct ProgramSource {
    std::string file;
    std::string algorithm;       ///< Of a generator; then no file.
    std::string axes = "8";
    std::string op = "all_reduce";
    std::int32_t chunks = 1;
};

struct ProgramInput {
    ProgramPtr program;          ///< Null: the findings have errors that leave none.
    Diagnostics findings;        ///< Of the reader; lanes and steps stand in Place::field ("tb 3, step 5").
    bool hasLines = false;       ///< ExplicitBody::sourceId are lines of the file.
};

/// FILE, --algorithm, --axes, --op, --chunks.
void addProgramSource(Command& command, ProgramSource& source);

/// What loadProgram() reads, or what a generator makes. Errors: not readable, no such format, usage.
Result<ProgramInput> readProgram(const ProgramSource& source, const std::stop_token& stop);

/// One rank gives or gets all.
constexpr bool hasRoot(CollectiveOp op)
{
    return op == CollectiveOp::Broadcast || op == CollectiveOp::Reduce || op == CollectiveOp::Gather || op == CollectiveOp::Scatter;
}

} // namespace fabricscope::cli
