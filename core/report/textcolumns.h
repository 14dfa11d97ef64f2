#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Columns of text, each as wide as its widest cell: a header and rows below it, two blanks before every cell. Told to stop: throws StopRequested (stop.h).
class TextColumns {
public:
    /// \param left so many columns are set left; the others, of numbers, right
    explicit TextColumns(std::vector<std::string> header, std::size_t left = 1, std::stop_token stop = {});
    /// As many cells as the header has; what may be in names is shown harmlessly (showntext.h).
    void add(std::vector<std::string> row);
    /// Lines, none with blanks at its end. O(cells).
    std::string text() const;

private:
    std::stop_token m_stop;
    std::vector<std::vector<std::string>> m_rows;
    std::size_t m_left;
};

} // namespace fabricscope
