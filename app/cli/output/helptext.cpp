#include "app/cli/output/helptext.h"

#include <algorithm>

namespace fabricscope::cli {

namespace {

/// Where what is told begins, behind the name and two blanks or more; of a line without a name its first character.
std::size_t columnOf(std::string_view line)
{
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.find("  ", first);
    return gap == std::string_view::npos ? first : std::min(line.find_first_not_of(' ', gap), line.size());
}

void addLine(std::string_view line, std::size_t width, std::string& out)
{
    const std::size_t column = columnOf(line);
    if (line.size() <= width || column >= width) {
        out.append(line).append(1, '\n');
        return;
    }
    std::string written(line.substr(0, column));
    line.remove_prefix(column);
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());
        const std::string_view word = line.substr(0, end);
        line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
        if (written.size() > column && written.size() + 1 + word.size() > width) {
            out.append(written).append(1, '\n');
            written.assign(column, ' ');
        }
        if (written.size() > column)
            written += ' ';
        written += word;
    }
    out.append(written).append(1, '\n');
}

} // namespace

std::string helpInWidth(std::string_view help, std::size_t width)
{
    std::string out;
    while (!help.empty()) {
        const std::size_t end = std::min(help.find('\n'), help.size());
        addLine(help.substr(0, end), width, out);
        help.remove_prefix(std::min(end + 1, help.size()));
    }
    return out;
}

} // namespace fabricscope::cli
