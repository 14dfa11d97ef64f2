#include "core/base/csvtext.h"

#include "core/base/showntext.h"

namespace fabricscope {

namespace {

/// shownText() that no spreadsheet computes.
std::string harmless(std::string_view text)
{
    std::string cell = shownText(text);
    // Programs skip blanks, also wide ones, in front of what they compute, and take the wide forms of = + - @ for the narrow ones.
    std::string_view rest = cell;
    for (bool blank = true; blank;) {
        blank = false;
        for (const std::string_view space : {" ", "\xC2\xA0", "\xE3\x80\x80"}) {
            if (rest.starts_with(space)) {
                rest.remove_prefix(space.size());
                blank = true;
            }
        }
    }
    bool formula = cell.starts_with('\'') || text.starts_with('\t') || text.starts_with('\r');
    for (const std::string_view sign : {"=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"})
        formula = formula || rest.starts_with(sign);
    if (formula)
        cell.insert(0, 1, '\'');
    return cell;
}

std::string quoted(std::string_view cell)
{
    std::string out = "\"";
    for (const char c : cell) {
        if (c == '"')
            out += '"';
        out += c;
    }
    return out += '"';
}

} // namespace

std::string csvCell(std::string_view text)
{
    std::string cell = harmless(text);
    return cell.find_first_of(",\";") == std::string::npos ? cell : quoted(cell);
}

std::string tabCell(std::string_view text)
{
    std::string cell = harmless(text);
    return cell.starts_with('"') ? quoted(cell) : cell;
}

} // namespace fabricscope
