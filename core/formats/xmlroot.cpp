#include "core/formats/xmlroot.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::string_view kSpaces = " \t\r\n";

/// What follows `end`; nothing where that does not come.
std::string_view behind(std::string_view text, std::string_view end)
{
    const std::size_t at = text.find(end);
    return at == std::string_view::npos ? std::string_view() : text.substr(at + end.size());
}

/// What follows a document type: its declarations in brackets may hold '>', and so may quoted text and comments.
std::string_view behindDocumentType(std::string_view text)
{
    int brackets = 0;
    while (!text.empty()) {
        if (text.starts_with("<!--")) {
            text = behind(text, "-->");
            continue;
        }
        const char sign = text.front();
        text.remove_prefix(1);
        if (sign == '"' || sign == '\'')
            text = behind(text, std::string_view(&sign, 1));
        else if (sign == '[')
            ++brackets;
        else if (sign == ']')
            --brackets;
        else if (sign == '>' && brackets <= 0)
            return text;
    }
    return text;
}

} // namespace

std::string_view xmlRootName(std::string_view head)
{
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (head.starts_with(kByteOrderMark))
        head.remove_prefix(kByteOrderMark.size());
    for (;;) {
        head.remove_prefix(std::min(head.find_first_not_of(kSpaces), head.size()));
        if (!head.starts_with('<'))
            return {};
        if (head.starts_with("<?"))
            head = behind(head, "?>");
        else if (head.starts_with("<!--"))
            head = behind(head, "-->");
        else if (head.starts_with("<!"))
            head = behindDocumentType(head.substr(1));
        else
            break;
    }
    head.remove_prefix(1);
    return head.substr(0, head.find_first_of(" \t\r\n/>"));
}

} // namespace fabricscope
