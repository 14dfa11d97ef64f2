#pragma once

#include "core/base/result.h"
#include "core/step/programreplay.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// One thing said about a program while it is written.
struct ProgramIssue {
    Severity severity = Severity::Error;
    std::string rule;                      ///< "V15"; empty: the text itself cannot be read.
    std::string message;
    int line = 0;                          ///< Of the text, from 1; 0: none.
    std::vector<std::uint32_t> operations; ///< Columns it is about.
};

/// All that is known of a program from its text.
struct CheckedProgram {
    ProgramPtr program;                 ///< Null: the text gives none; the issues say why.
    ProgramReplayPtr replay;            ///< Null: it cannot be stepped through, see replayNote.
    std::string replayNote;
    bool outOfMemory = false;           ///< Program or replay are missing for want of memory, not for a fault of the text.
    std::vector<ProgramIssue> issues;   ///< Errors, warnings, notes; of a kind by line.
    bool cancelled = false;             ///< Nothing else here then means anything.
    bool verified = false;              ///< The verifier has looked at it.
    std::string postcondition;          ///< "holds", "fails", "unknown".
    std::int32_t minimumSlots = 0;      ///< Fewest receive slots per connection that finish; 0: not known.
    std::int64_t wastedTransfers = 0;
    bool worksInPlace = false;
    bool worksOutOfPlace = false;
    bool asksForRanks = false;          ///< A script with a parameter "ranks": designs run it in groups of any size.

    std::size_t errors() const;
    bool isValid() const { return program != nullptr && errors() == 0; }
};

/// Reads a program (parseProgram() of the form that programFormOfText() tells), verifies it and makes it ready to be stepped through. Never fails: what is wrong is an issue.
/// Looks at the token every few milliseconds. `name` is for messages; without `verifies` the verifier is left out; `memoryLimit` in bytes, 0:
/// none; `progress` is told how far the verifier is (VerifyOptions::progress).
CheckedProgram checkProgramText(std::string_view text, const std::string& name, std::stop_token stop = {}, bool verifies = true, std::int64_t memoryLimit = 0,
                                const std::function<void(double)>& progress = {});

/// Any program as MSCCL XML; a template is written out. Errors: those of expandTemplate() and writeMsccl().
Result<std::string> programXml(const ProgramPtr& program, const std::stop_token& stop = {});

} // namespace fabricscope
