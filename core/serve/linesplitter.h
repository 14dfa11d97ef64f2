#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace fabricscope {

/// Turns bytes as they arrive into lines, none longer than `most`. O(bytes), at most `most` of them are kept.
class LineSplitter {
public:
    /// A line without its end, and whether it is all of it: of one that is too long the text is empty.
    using Take = std::function<void(std::string line, bool whole)>;

    explicit LineSplitter(std::size_t most) : m_most(most) {}

    /// Hands the lines that end in `bytes` to `take`, in order. Empty lines are left out.
    void add(std::string_view bytes, const Take& take);
    /// The end of all bytes: what stands behind the last end of a line is a line too.
    void finish(const Take& take);

private:
    void hand(const Take& take);

    std::size_t m_most;
    std::string m_line;
    bool m_tooLong = false;
};

} // namespace fabricscope
