#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace fabricscope {

/// Instants a person marked, in picoseconds, ascending and each once. No widget.
class TimelineBookmarks {
public:
    static constexpr std::size_t kMost = 1000; ///< Of more, further ones are not taken.

    const std::vector<std::int64_t>& all() const { return m_all; }
    /// Of a file: in any order; negative ones are left out.
    void set(std::vector<std::int64_t> all);
    /// Marks an instant; one that is marked within `reachPs` of it is taken away instead: the nearest.
    void toggle(std::int64_t ps, std::int64_t reachPs);
    /// The next one after an instant, else the first; the last one before, else the last. Nothing: there are none.
    std::optional<std::int64_t> after(std::int64_t ps) const;
    std::optional<std::int64_t> before(std::int64_t ps) const;

private:
    std::vector<std::int64_t> m_all;
};

} // namespace fabricscope
