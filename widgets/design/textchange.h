#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fabricscope {

/// What two texts differ by, as splices: only what differs is kept. Exact for any two texts; small where few lines were changed, added or taken out, and no line was
/// moved; what reaches over more than 8 MiB is kept whole. O(text).
class TextChange {
public:
    TextChange() = default;
    TextChange(const std::string& before, const std::string& after);

    /// The other text of the two.
    std::string applied(const std::string& before) const { return exchanged(before, true); }
    std::string takenBack(const std::string& after) const { return exchanged(after, false); }
    bool isEmpty() const { return m_splices.empty(); }
    /// Bytes it keeps.
    std::size_t bytes() const { return m_removed.size() + m_inserted.size() + m_splices.size() * sizeof(Splice); }

private:
    struct Splice {
        std::size_t gap;      ///< Bytes that stay, since the splice before.
        std::size_t removed;  ///< How many, of m_removed in a row,
        std::size_t inserted; ///< and of m_inserted.
    };
    class Comparison;
    std::string exchanged(const std::string& text, bool forward) const;

    std::string m_removed;
    std::string m_inserted;
    std::vector<Splice> m_splices;
};

} // namespace fabricscope
