#include "core/report/reportchoice.h"

#include "core/base/keytable.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr KeyTable<ReportPart, kReportPartCount> kParts{{{"platform", ReportPart::Platform}, {"results", ReportPart::Results}, {"placement", ReportPart::Placement}, {"comparison", ReportPart::Comparison},
    {"links", ReportPart::Links}, {"timeline", ReportPart::Timeline}, {"utilisation", ReportPart::Utilisation}, {"storyboard", ReportPart::Storyboard},
    {"findings", ReportPart::Findings}, {"assumptions", ReportPart::Assumptions}, {"method", ReportPart::Method}, {"inputs", ReportPart::Inputs}}};
constexpr KeyTable<ReportPaper, 2> kPapers{{{"a4", ReportPaper::A4}, {"letter", ReportPaper::Letter}}};
constexpr std::string_view kNone = "none";

Error usage(std::string message, const char* field, std::string expected)
{
    Error error{ErrorCode::Usage, std::move(message), {}, std::move(expected)};
    error.place.field = field;
    return error;
}

bool startsCharacter(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

} // namespace

std::string_view reportPartKey(ReportPart part)
{
    return keyOf(kParts, part);
}

std::string reportPartKeys()
{
    std::string out;
    for (const auto& [key, part] : kParts)
        out += (out.empty() ? "" : ",") + std::string(key);
    return out;
}

std::string_view reportPaperKey(ReportPaper paper)
{
    return keyOf(kPapers, paper);
}

std::string reportPartWords(const std::vector<ReportPart>& parts)
{
    if (parts.empty())
        return std::string(kNone);
    std::string words;
    for (const ReportPart part : parts)
        words += (words.empty() ? "" : ",") + std::string(reportPartKey(part));
    return words;
}

Result<std::vector<ReportPart>> reportPartsOf(std::string_view words)
{
    std::vector<ReportPart> parts;
    if (words == kNone)
        return parts;
    const std::string expected = "words between commas of " + reportPartKeys() + ", or none";
    for (std::size_t at = 0; at <= words.size();) {
        const std::size_t end = std::min(words.find(',', at), words.size());
        const std::string_view word = words.substr(at, end - at);
        const std::optional<ReportPart> part = valueOf(kParts, word);
        if (!part)
            return usage("\"" + std::string(word) + "\" is no section of a report", "--sections", expected);
        if (std::find(parts.begin(), parts.end(), *part) != parts.end())
            return usage("\"" + std::string(word) + "\" is there twice", "--sections", expected);
        parts.push_back(*part);
        at = end + 1;
    }
    return parts;
}

Result<ReportPaper> reportPaperOf(std::string_view word)
{
    if (const std::optional<ReportPaper> paper = valueOf(kPapers, word))
        return *paper;
    return usage("\"" + std::string(word) + "\" is no paper", "--paper", "a4 or letter");
}

void choose(const ReportChoice& choice, ReportContent& content)
{
    content.paper = choice.paper;
    if (choice.question) {
        std::size_t end = std::min(choice.question->size(), kLongestQuestion);
        while (end < choice.question->size() && end > 0 && !startsCharacter((*choice.question)[end]))
            --end;
        content.question = choice.question->substr(0, end);
    }
    if (!choice.sections)
        return;
    for (ReportSection& section : content.sections)
        section.shown = std::find(choice.sections->begin(), choice.sections->end(), section.part) != choice.sections->end();
}

} // namespace fabricscope
