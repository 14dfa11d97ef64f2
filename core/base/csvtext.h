#pragma once

#include <string>
#include <string_view>

namespace fabricscope {

/// A text as one cell of a CSV file: shownText(), so every record is one line; an apostrophe in front where a spreadsheet would take it for a formula (= + - @,
/// also behind blanks) or would drop an apostrophe of its own; between quotes where it has a comma, a quote or a semicolon. Numbers are written without this.
std::string csvCell(std::string_view text);

/// The same as one of several cells that tabs separate, for the clipboard: between quotes only where it begins with one, which a spreadsheet would take off.
std::string tabCell(std::string_view text);

} // namespace fabricscope
