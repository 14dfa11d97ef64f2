#include "widgets/base/fuzzy.h"

#include <algorithm>
#include <vector>

namespace fabricscope {

namespace {

constexpr int kNone = -1'000'000;

bool startsWord(const QString& text, qsizetype at)
{
    if (at == 0)
        return true;
    const QChar before = text[at - 1];
    return !before.isLetterOrNumber() || (before.isLower() && text[at].isUpper()) || (before.isLetter() && text[at].isDigit());
}

/// Best sum over all ways to find the letters of `word` in `text`, row by row.
int bestMatch(const QString& word, const QString& text)
{
    const auto length = static_cast<std::size_t>(text.size());
    std::vector<int> ending(length, 0); // best score with the last letter matched at this place
    for (qsizetype letter = 0; letter < word.size(); ++letter) {
        std::vector<int> next(length, kNone);
        int before = letter == 0 ? 0 : kNone; // best of all places left of the last one
        for (std::size_t at = 0; at < length; ++at) {
            const auto place = static_cast<qsizetype>(at);
            if (word[letter].toCaseFolded() == text[place].toCaseFolded()) {
                const int here = 1 + (startsWord(text, place) ? 8 : 0);
                const int inRow = letter > 0 && at > 0 && ending[at - 1] > kNone ? ending[at - 1] + here + 9 : kNone;
                const int apart = before > kNone ? before + here : kNone;
                next[at] = std::max(inRow, apart);
            }
            if (letter > 0)
                before = std::max(before, ending[at]);
        }
        ending = std::move(next);
    }
    return length == 0 ? kNone : *std::max_element(ending.begin(), ending.end());
}

} // namespace

std::optional<int> fuzzyScore(const QString& typed, const QString& text)
{
    int sum = 0;
    for (const QString& word : typed.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const int score = bestMatch(word, text);
        if (score <= 0)
            return std::nullopt;
        sum += score;
    }
    return sum * 256 - static_cast<int>(std::min<qsizetype>(text.size(), 255));
}

} // namespace fabricscope
