#pragma once

#include "core/verify/verify.h"

#include <string>

namespace fabricscope::cli {

/// What `verify` prints: the findings of the reader and of the verifier together.
struct VerifyReport {
    ProgramPtr program;              ///< Null: the reader left none.
    bool hasLines = false;           ///< ExplicitBody::sourceId are lines.
    Verification verification;

    /// Adds the findings of a reader, in their order before those of the verifier of equal severity.
    void addFindings(const Diagnostics& diagnostics);
    bool isValid() const { return program && count(Severity::Error) == 0; }
    bool hasWarnings() const { return count(Severity::Warning) > 0; }

    std::string text() const;
    std::string json() const;

private:
    std::int64_t count(Severity severity) const;
    /// Line of the file an operation comes from; 0: unknown.
    std::uint64_t lineOf(std::uint32_t operation) const;
};

} // namespace fabricscope::cli
