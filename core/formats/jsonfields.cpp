#include "core/formats/jsonfields.h"

#include "core/base/nearestword.h"
#include "core/base/showntext.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

std::string shown(const nlohmann::json& value)
{
    return value.is_object() ? "an object" : value.is_array() ? "a list" : shownText(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace), kQuotedCharacters);
}

std::string atLeast(double least)
{
    return least > 0 ? "above 0" : "of 0 or more";
}

} // namespace

JsonFields::JsonFields(const JsonDocument& document, Diagnostics& diagnostics)
    : m_document(document)
    , m_diagnostics(diagnostics)
{
    if (!document.root.is_object()) {
        Place place;
        place.file = document.file;
        m_status = invalidInput("not a JSON object", std::move(place), "{ \"key\": value, ... }");
    }
}

const nlohmann::json* JsonFields::value(const std::string& key)
{
    m_asked.insert(key);
    if (!m_document.root.is_object())
        return nullptr;
    const auto found = m_document.root.find(key);
    return found == m_document.root.end() ? nullptr : &*found;
}

bool JsonFields::has(const std::string& key)
{
    return value(key) != nullptr;
}

void JsonFields::refuse(const std::string& key, std::string message, std::string expected, ErrorCode code)
{
    if (!m_status)
        return;
    Error error = invalidInput(std::move(message), m_document.placeOf(key), std::move(expected));
    error.code = code;
    m_status = std::move(error);
}

void JsonFields::warn(const std::string& key, const char* rule, std::string message)
{
    m_diagnostics.push_back(warning(rule, std::move(message), m_document.placeOf(key)));
}

std::int64_t JsonFields::integer(const std::string& key, std::int64_t fallback, std::int64_t least, std::int64_t most)
{
    const auto* found = value(key);
    if (!found)
        return fallback;
    const std::string expected = "a whole number, " + std::to_string(least) + " to " + std::to_string(most);
    if (found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(most)) {
        refuse(key, shown(*found) + " is too large", expected);
        return fallback;
    }
    if (found->is_number_float()) {
        const double number = found->get<double>();
        if (!(number > -1e18 && number < 1e18)) {
            refuse(key, shown(*found) + " is too large", expected);
            return fallback;
        }
        const auto whole = static_cast<std::int64_t>(number);
        if (number < static_cast<double>(least) || whole > most) {
            refuse(key, "the value is " + shown(*found), expected);
            return fallback;
        }
        if (static_cast<double>(whole) != number)
            warn(key, "fraction-dropped", "the fraction of " + shown(*found) + " is dropped, it acts as " + std::to_string(whole));
        return whole;
    }
    if (!found->is_number_integer()) {
        refuse(key, shown(*found) + " is not a number", expected);
        return fallback;
    }
    const auto number = found->get<std::int64_t>();
    if (number < least || number > most) {
        refuse(key, "the value is " + shown(*found), expected);
        return fallback;
    }
    return number;
}

double JsonFields::number(const std::string& key, double fallback, double least)
{
    const auto* found = value(key);
    if (!found)
        return fallback;
    if (!found->is_number() || !std::isfinite(found->get<double>()) || found->get<double>() < least) {
        refuse(key, shown(*found) + " is not a usable number", "a finite number " + atLeast(least));
        return fallback;
    }
    return found->get<double>();
}

bool JsonFields::flag(const std::string& key)
{
    return number(key, 0, std::numeric_limits<double>::lowest()) != 0;
}

std::string JsonFields::text(const std::string& key)
{
    const auto* found = value(key);
    if (!found)
        return {};
    if (!found->is_string()) {
        refuse(key, shown(*found) + " is not a text", "a text in quotes");
        return {};
    }
    return found->get<std::string>();
}

std::string JsonFields::word(const std::string& key, std::span<const std::string_view> allowed)
{
    if (!has(key))
        return {};
    std::string found = text(key);
    if (std::find(allowed.begin(), allowed.end(), found) != allowed.end())
        return found;
    std::string list;
    for (const std::string_view word : allowed)
        list += (list.empty() ? "" : ", ") + std::string(word);
    refuse(key, quotedText(found) + " is not known" + didYouMean(found, allowed), "one of " + list);
    return {};
}

void JsonFields::ignore(std::span<const std::string_view> keys, const char* why)
{
    for (const std::string_view key : keys) {
        if (has(std::string(key)))
            m_diagnostics.push_back(note("key-without-effect", why, m_document.placeOf(std::string(key))));
    }
}

void JsonFields::warnUnknown(std::span<const std::string_view> known)
{
    if (!m_document.root.is_object())
        return;
    constexpr std::size_t kMost = 100; // Finding the place of a key takes a walk over the text.
    std::size_t unknown = 0;
    for (const auto& [key, ignored] : m_document.root.items()) {
        if (!m_asked.contains(key) && ++unknown <= kMost)
            warn(key, "unknown-key", "unknown key is ignored" + didYouMean(key, known));
    }
    if (unknown > kMost)
        warn({}, "unknown-key", std::to_string(unknown - kMost) + " more unknown keys are ignored");
}

} // namespace fabricscope
