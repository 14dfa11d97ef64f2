#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fabricscope {

/// Letters to change, put in or leave out on the way from a to b (Levenshtein). O(length of a * length of b).
std::size_t editDistance(std::string_view a, std::string_view b);

/// The candidate a misspelt word most probably means: case, "-" and "_" do not count, else the fewest edits, at most a third of the
/// word's length. Empty when none is near. Ties go to the first candidate. O(sum of the lengths * length of the word).
std::string_view nearestWord(std::string_view word, std::span<const std::string_view> candidates);

/// ", did you mean \"x\"?" or nothing.
std::string didYouMean(std::string_view word, std::span<const std::string_view> candidates);

} // namespace fabricscope
