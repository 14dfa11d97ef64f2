#pragma once

#include <QString>

#include <optional>

namespace fabricscope {

/// How well `text` answers what was typed: every letter of `typed` occurs in it in this order, letter case aside. Higher is better: letters
/// at the start of words and letters in a row count more, and of equal ones the shorter text wins. Blanks in `typed` split it into
/// words, which may match in any order. Nothing: no match. O(length of typed x length of text).
std::optional<int> fuzzyScore(const QString& typed, const QString& text);

} // namespace fabricscope
