#pragma once

#include "core/base/keytable.h"
#include "core/cases/caseformula.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// What a number counts, which decides how it is shown.
enum class CaseUnit : std::uint8_t { Nanoseconds, Seconds, Bytes, BytesPerSecond, Count, Share, Times, Dollars, Watts, Hours, TokensPerSecond, Word };

constexpr KeyTable<CaseUnit, 12> kCaseUnitKeys{{{"ns", CaseUnit::Nanoseconds}, {"s", CaseUnit::Seconds}, {"bytes", CaseUnit::Bytes}, {"bytes_per_s", CaseUnit::BytesPerSecond},
                                                {"count", CaseUnit::Count}, {"share", CaseUnit::Share}, {"times", CaseUnit::Times}, {"dollars", CaseUnit::Dollars},
                                                {"watts", CaseUnit::Watts}, {"hours", CaseUnit::Hours}, {"tokens_per_s", CaseUnit::TokensPerSecond}, {"word", CaseUnit::Word}}};

/// For people: "1.234 ms", "34.6 %", "3.651 M$".
std::string shownNumber(double value, CaseUnit unit);

/// A command that is run; what it printed is kept.
struct CaseRun {
    std::string name;
    std::string about;                ///< "Rails, spine 4:1"; may be empty.
    std::vector<std::string> command; ///< {"plan", "search"}.
    std::vector<std::string> files;   ///< Names of files of the case.
    std::vector<std::pair<std::string, std::string>> sets;    ///< Field of the design, value.
    std::vector<std::pair<std::string, std::string>> options; ///< "--top", "3"; a flag has no value.
    int line = 0;                     ///< In the file of the case.

    /// Behind the program's name; `folder`: in front of the files, with its slash, or empty.
    std::vector<std::string> arguments(const std::string& folder = {}) const;
    /// As it is typed in the folder of the case.
    std::string commandLine() const;
};

/// A number of the answer: read from a run, computed from others, or which of others is the least or the most.
struct CaseNumber {
    std::string name;
    std::string about; ///< "Step, rails 4:1"; what the report calls it.
    CaseUnit unit = CaseUnit::Count;
    std::optional<std::size_t> run{};
    std::string value;                     ///< Where in the result of the run: "ranks.0.finish_ns".
    std::optional<CaseFormula> formula{};
    std::vector<std::size_t> least;        ///< Which of them is the least: its `about`. \pre unit is Word
    int line = 0;
};

/// Text with numbers in it.
struct CaseText {
    struct Piece {
        std::string text;
        std::optional<std::size_t> number{}; ///< Stands behind the text.
    };
    std::vector<Piece> pieces;
};

struct CaseTable {
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<CaseText>> rows; ///< As many cells as columns.
    std::vector<std::size_t> bars;           ///< Numbers drawn as bars above it, all of one unit.
    std::string note;
};

/// What others found, beside what we do.
struct PublishedNumber {
    std::string what;
    double least = 0;
    double most = 0;   ///< As `least`, but for a range.
    std::size_t ours = 0;
    std::string source;
    std::string remark; ///< Why the two differ.
};

/// A question and how it is answered: what is run, which numbers of it count, and what is said with them (manual: cases).
struct StudiedCase {
    std::string file;
    std::string text;                 ///< Of the file.
    std::string title;
    std::string question;
    std::vector<std::string> files;   ///< Beside the case.
    std::vector<CaseRun> runs;
    std::vector<CaseNumber> numbers;  ///< Those that others use stand before them.
    CaseText answer;
    std::string found;                ///< The answer as it was when the case was written; may be empty.
    std::vector<CaseTable> tables;
    std::vector<PublishedNumber> published;
    std::vector<std::string> notes;   ///< What was assumed, left out, or differs from what was published.
};

} // namespace fabricscope
