#include "core/cases/casefindings.h"

#include "core/base/decimal.h"
#include "core/yaml/tree.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace fabricscope {

namespace {

/// The value of a key, the row of a number, or of KEY=VALUE the first row that has it; null: there is none.
const nlohmann::json* stepInto(const nlohmann::json& part, const std::string& step)
{
    if (part.is_object()) {
        const auto found = part.find(step);
        return found == part.end() ? nullptr : &*found;
    }
    if (!part.is_array())
        return nullptr;
    if (const std::size_t equals = step.find('='); equals != std::string::npos) {
        const std::string key = step.substr(0, equals);
        const std::string wanted = step.substr(equals + 1);
        for (const nlohmann::json& row : part) {
            if (!row.is_object() || !row.contains(key))
                continue;
            if (const nlohmann::json& value = row.at(key); (value.is_string() ? value.get<std::string>() : value.dump()) == wanted)
                return &row;
        }
        return nullptr;
    }
    constexpr std::size_t kMostDigits = 9;
    if (step.empty() || step.size() > kMostDigits || step.find_first_not_of("0123456789") != std::string::npos)
        return nullptr;
    const std::size_t row = std::stoul(step);
    return row < part.size() ? &part[row] : nullptr;
}

Error errorOf(const StudiedCase& studied, const CaseNumber& number, std::size_t index, std::string_view key, std::string message, std::string expected = {})
{
    Error error = invalidInput(std::move(message), {}, std::move(expected));
    error.place.file = studied.file;
    error.place.line = number.line;
    error.place.field = "case.numbers[" + std::to_string(index) + "]." + std::string(key);
    return error;
}

class Finder {
public:
    Finder(const StudiedCase& studied, std::span<const nlohmann::json> answers) : m_case(studied), m_answers(answers) {}

    Result<CaseFindings> find()
    {
        for (std::size_t i = 0; i < m_case.numbers.size(); ++i) {
            const CaseNumber& number = m_case.numbers[i];
            Result<CaseValue> value = number.run ? read(i) : number.formula ? compute(i) : leastOf(number);
            if (!value)
                return value.error();
            m_numbers.push_back(value.value().number);
            m_findings.values.push_back(std::move(value).value());
        }
        m_findings.answer = filledText(m_case.answer, m_findings);
        return std::move(m_findings);
    }

private:
    Result<CaseValue> read(std::size_t index) const
    {
        const CaseNumber& number = m_case.numbers[index];
        const nlohmann::json& answer = m_answers[*number.run];
        const Result<YamlPath> path = parseYamlPath(number.value);
        const nlohmann::json* part = stepInto(answer, "result");
        for (std::size_t i = 0; path && part && i < path.value().size(); ++i)
            part = stepInto(*part, path.value()[i]);
        const std::string run = "run \"" + m_case.runs[*number.run].name + "\"";
        if (!part)
            return errorOf(m_case, number, index, "value", "the result of " + run + " has no " + number.value);
        if (number.unit == CaseUnit::Word)
            return part->is_structured() ? Result<CaseValue>(errorOf(m_case, number, index, "value", number.value + " of " + run + " is no word"))
                                         : CaseValue{0, part->is_string() ? part->get<std::string>() : part->dump()};
        if (!part->is_number())
            return errorOf(m_case, number, index, "value", number.value + " of " + run + " is no number", "unit: word, or another value");
        return CaseValue{part->get<double>(), shownNumber(part->get<double>(), number.unit)};
    }

    Result<CaseValue> compute(std::size_t index) const
    {
        const CaseNumber& number = m_case.numbers[index];
        const std::optional<double> value = number.formula->value(m_numbers);
        if (!value)
            return errorOf(m_case, number, index, "formula", "\"" + number.formula->text() + "\" gives no finite number");
        return CaseValue{*value, shownNumber(*value, number.unit)};
    }

    Result<CaseValue> leastOf(const CaseNumber& number) const
    {
        const auto least = std::min_element(number.least.begin(), number.least.end(), [this](std::size_t a, std::size_t b) { return m_numbers[a] < m_numbers[b]; });
        return CaseValue{0, m_case.numbers[*least].about};
    }

    const StudiedCase& m_case;
    std::span<const nlohmann::json> m_answers;
    std::vector<double> m_numbers;
    CaseFindings m_findings;
};

} // namespace

Result<CaseFindings> findingsOf(const StudiedCase& studied, std::span<const nlohmann::json> answers)
{
    return Finder(studied, answers).find();
}

std::string filledText(const CaseText& text, const CaseFindings& findings, bool marked)
{
    std::string out;
    for (const CaseText::Piece& piece : text.pieces) {
        out += piece.text;
        if (!piece.number)
            continue;
        out += findings.values[*piece.number].text;
        if (marked)
            out += " [" + std::to_string(*piece.number + 1) + ']';
    }
    return out;
}

std::string shownDifference(double ours, const PublishedNumber& published)
{
    if (ours >= published.least && ours <= published.most)
        return published.least < published.most ? "within" : "0.0 %";
    const double near = ours < published.least ? published.least : published.most;
    if (near == 0)
        return "";
    const auto tenths = static_cast<std::int64_t>(std::llround((ours / near - 1) * 1000));
    return (tenths > 0 ? "+" : "") + fixedDecimal(tenths, 1) + " %";
}

} // namespace fabricscope
