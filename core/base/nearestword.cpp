#include "core/base/nearestword.h"

#include "core/base/keytable.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fabricscope {

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

std::string_view nearestWord(std::string_view word, std::span<const std::string_view> candidates)
{
    if (word.size() > 100)
        return {};
    const std::string wanted = plainWord(word);
    std::size_t best = wanted.size() / 3 + 1;
    std::string_view found;
    for (const std::string_view candidate : candidates) {
        const std::size_t distance = editDistance(wanted, plainWord(candidate));
        if (distance < best) {
            best = distance;
            found = candidate;
        }
    }
    return found;
}

std::string didYouMean(std::string_view word, std::span<const std::string_view> candidates)
{
    const std::string_view found = nearestWord(word, candidates);
    return found.empty() ? std::string{} : ", did you mean \"" + std::string(found) + "\"?";
}

} // namespace fabricscope
