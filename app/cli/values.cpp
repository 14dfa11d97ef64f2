#include "app/cli/values.h"

#include <algorithm>

namespace fabricscope::cli {

std::vector<std::string> commaSeparated(const std::string& text)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::string part = text.substr(begin, end - begin);
        part.erase(0, part.find_first_not_of(" \t"));
        part.erase(part.find_last_not_of(" \t") + 1);
        parts.push_back(std::move(part));
        begin = end + 1;
    }
    return parts;
}

} // namespace fabricscope::cli
