#include "core/report/textcolumns.h"

#include "core/base/showntext.h"
#include "core/base/stop.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

TextColumns::TextColumns(std::vector<std::string> header, std::size_t left, std::stop_token stop)
    : m_stop(std::move(stop))
    , m_rows{std::move(header)}
    , m_left(left)
{
}

void TextColumns::add(std::vector<std::string> row)
{
    checkStop(m_stop);
    for (std::string& cell : row)
        cell = shownText(cell);
    m_rows.push_back(std::move(row));
}

std::string TextColumns::text() const
{
    std::vector<std::size_t> widths(m_rows.front().size(), 0);
    for (const auto& row : m_rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : m_rows) {
        checkStop(m_stop);
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths[i] - row[i].size(), ' ');
            line += "  " + (i < m_left ? row[i] + pad : pad + row[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

} // namespace fabricscope
