#pragma once

#include "core/base/result.h"
#include "core/cases/studiedcase.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <vector>

namespace fabricscope {

/// A number of a case with its value.
struct CaseValue {
    double number = 0;
    std::string text; ///< For people; a word as it is.
};

/// What the runs of a case gave.
struct CaseFindings {
    std::vector<CaseValue> values; ///< Of the numbers, in their order.
    std::string answer;
};

/// The numbers and the answer from what the runs printed: `answers` has the JSON object of each. Errors: InvalidInput, with the line of the number.
Result<CaseFindings> findingsOf(const StudiedCase& studied, std::span<const nlohmann::json> answers);

/// The text with its numbers; `marked`: behind each which one it is, "1.234 ms [3]", counted from 1.
std::string filledText(const CaseText& text, const CaseFindings& findings, bool marked = false);

/// How far the number is from what was published: "within", "+3.1 %". Of a range from its nearer end.
std::string shownDifference(double ours, const PublishedNumber& published);

} // namespace fabricscope
