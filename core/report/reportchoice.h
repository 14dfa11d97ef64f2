#pragma once

#include "core/base/result.h"
#include "core/report/reportcontent.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// What a reader asks of a report besides the run: the same on the command line and in the window.
struct ReportChoice {
    std::optional<std::vector<ReportPart>> sections; ///< In any order, each once; absent: all.
    std::optional<std::string> question;             ///< Absent: the notes of the design.
    ReportPaper paper = ReportPaper::A4;
};

/// "platform", "results", ... : the word of a section for --sections, and in settings.
std::string_view reportPartKey(ReportPart part);
/// "platform,results,...": all words in the order of a report.
std::string reportPartKeys();
/// "a4", "letter".
std::string_view reportPaperKey(ReportPaper paper);

/// Words of these sections between commas, in their order; "none" where there are none. What reportPartsOf() reads.
std::string reportPartWords(const std::vector<ReportPart>& parts);
/// Words of sections between commas; "none" is no section. Errors: Usage (a word that is none, or is there twice, or nothing), field --sections.
Result<std::vector<ReportPart>> reportPartsOf(std::string_view words);
/// Error: Usage, field --paper.
Result<ReportPaper> reportPaperOf(std::string_view word);

/// Longest question in bytes; what is longer is no heading.
constexpr std::size_t kLongestQuestion = 1000;
/// Question, paper and sections of a report as chosen. Sections keep their order. A question longer than kLongestQuestion is cut between characters.
void choose(const ReportChoice& choice, ReportContent& content);

} // namespace fabricscope
