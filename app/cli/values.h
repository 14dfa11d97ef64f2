#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::cli {

/// A number written with digits alone (and a minus, where Number has one) that Number can hold: "010" is 10, "0x10" none.
template <typename Number>
std::optional<Number> wholeNumber(std::string_view text)
{
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value) : std::nullopt;
}

/// The parts between commas, blanks around them cut off.
std::vector<std::string> commaSeparated(const std::string& text);

} // namespace fabricscope::cli
