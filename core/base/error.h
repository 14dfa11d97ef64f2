#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// What kind of failure; decides the exit code of the command line (manual: json 2).
enum class ErrorCode : std::uint8_t {
    Usage,        ///< The command line is wrong: exit 2.
    InvalidInput, ///< A file or value is refused: exit 2.
    Unsupported,  ///< Understood, but this program or model cannot do it: exit 2.
    NotReadable,  ///< A file is missing or cannot be read: exit 2.
    Stuck,        ///< The simulation cannot finish (ring of waits): exit 3.
    Cancelled,    ///< The user stopped it: exit 4.
    NotWritable,  ///< An output cannot be written: exit 5.
    MemoryLimit,  ///< Over the memory limit: exit 6.
    Internal      ///< A bug of ours: exit 70.
};

/// Process exit code for `code`.
int exitCode(ErrorCode code);

/// Where in the input something is. Every part is optional.
struct Place {
    std::string file;         ///< As the user named it; empty: not from a file.
    int line = 0;             ///< 1-based; 0: unknown.
    int column = 0;           ///< 1-based; 0: unknown.
    std::int64_t offset = -1; ///< Byte offset in binary files; -1: unknown.
    std::string field;        ///< "platform.dimensions[0].bandwidth", "comm_size", "--size"; may be empty.
    std::int64_t rank = -1;   ///< Rank of a workload; -1: not about one rank.
    std::int64_t node = -1;   ///< Id of a trace node as in the file (printed unsigned); only with `hasNode`.
    bool hasNode = false;

    /// "net.yml:12:3, rank 2, node 5, field comm_size"; empty when nothing is known.
    std::string text() const;
    bool empty() const;
};

/// A failure as a value: what, where, and what was expected instead.
struct Error {
    ErrorCode code = ErrorCode::InvalidInput;
    std::string message;  ///< What is wrong, in words a user can act on; no trailing stop.
    Place place;
    std::string expected; ///< "one of Ring, FullyConnected, Switch"; may be empty.

    /// "PLACE: MESSAGE (expected EXPECTED)".
    std::string text() const;
};

enum class Severity : std::uint8_t { Note, Warning, Error };

/// One thing found in an input or a result. `rule` is stable and short ("dangling-data-dep"), for filters and tests.
struct Diagnostic {
    Severity severity = Severity::Warning;
    std::string rule;
    std::string message;
    Place place;
    std::string expected;

    std::string text() const; ///< "warning: PLACE: MESSAGE (expected EXPECTED) [RULE]".
};

using Diagnostics = std::vector<Diagnostic>;

Diagnostic warning(std::string rule, std::string message, Place place = {});
Diagnostic note(std::string rule, std::string message, Place place = {});
/// The error as an entry of a list of findings, and back.
Diagnostic finding(std::string rule, Error error);
Error toError(const Diagnostic& diagnostic);

/// Shorthand for the most frequent error.
Error invalidInput(std::string message, Place place = {}, std::string expected = {});

} // namespace fabricscope
