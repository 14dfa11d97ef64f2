#include "core/serve/linesplitter.h"

#include <utility>

namespace fabricscope {

void LineSplitter::add(std::string_view bytes, const Take& take)
{
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view part = bytes.substr(0, end);
        if (m_tooLong || part.size() > m_most - m_line.size()) {
            m_tooLong = true;
            m_line = {};
        } else {
            m_line += part;
        }
        if (end == std::string_view::npos)
            return;
        hand(take);
        bytes.remove_prefix(end + 1);
    }
}

void LineSplitter::finish(const Take& take)
{
    hand(take);
}

void LineSplitter::hand(const Take& take)
{
    if (m_line.ends_with('\r'))
        m_line.pop_back();
    const bool whole = !std::exchange(m_tooLong, false);
    std::string line = std::exchange(m_line, {});
    if (!whole || line.find_first_not_of(" \t") != std::string::npos)
        take(std::move(line), whole);
}

} // namespace fabricscope
