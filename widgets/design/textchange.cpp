#include "widgets/design/textchange.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace fabricscope {

namespace {

using Pieces = std::vector<std::string_view>;

constexpr std::size_t kMostCompared = std::size_t{8} << 20; ///< Bytes of which some tenths of a second are spent; of more all counts as different.

/// Lines, and items in {} that share one.
Pieces piecesOf(std::string_view text)
{
    Pieces pieces;
    while (!text.empty()) {
        const std::size_t end = text.find_first_of("\n}");
        const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
        pieces.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return pieces;
}

std::size_t commonHead(std::string_view a, std::string_view b)
{
    const std::size_t most = std::min(a.size(), b.size());
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first - a.begin());
}

std::size_t commonTail(std::string_view a, std::string_view b)
{
    const std::size_t most = std::min(a.size(), b.size());
    return static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rbegin() + static_cast<std::ptrdiff_t>(most), b.rbegin()).first - a.rbegin());
}

} // namespace

/// Pieces that stand once in either text hold the two together; what is alike beside them stays, the rest is exchanged.
class TextChange::Comparison {
public:
    Comparison(TextChange& change, std::string_view before, std::string_view after) : m_change(change), m_before(before), m_after(after) {}

    void run()
    {
        const std::size_t head = commonHead(m_before, m_after);
        const std::size_t tail = commonTail(m_before.substr(head), m_after.substr(head));
        const std::string_view old = m_before.substr(head, m_before.size() - head - tail);
        const std::string_view now = m_after.substr(head, m_after.size() - head - tail);
        m_at = m_to = head;
        if (old.empty() || now.empty() || old.size() + now.size() > kMostCompared)
            exchange(old, now);
        else
            compare(piecesOf(old), piecesOf(now));
    }

private:
    void compare(const Pieces& before, const Pieces& after)
    {
        struct Seen {
            std::size_t here = 0;  ///< How often before,
            std::size_t there = 0; ///< how often after,
            std::size_t last = 0;  ///< and where.
        };
        std::unordered_map<std::string_view, Seen> seen;
        for (const std::string_view piece : before)
            ++seen[piece].here;
        for (std::size_t k = 0; k < after.size(); ++k) {
            if (const auto found = seen.find(after[k]); found != seen.end()) {
                ++found->second.there;
                found->second.last = k;
            }
        }
        std::size_t i = 0;
        std::size_t k = 0;
        const auto stay = [&] {
            for (; i < before.size() && k < after.size() && before[i] == after[k]; ++i, ++k) {
                m_at += before[i].size();
                m_to += before[i].size();
            }
        };
        stay();
        for (std::size_t next = i; next < before.size(); next = std::max(next + 1, i)) {
            const Seen& piece = seen.find(before[next])->second;
            if (piece.here != 1 || piece.there != 1 || piece.last < k)
                continue;
            std::size_t from = next;
            std::size_t to = piece.last;
            while (from > i && to > k && before[from - 1] == after[to - 1]) {
                --from;
                --to;
            }
            exchange(before, i, from, after, k, to);
            i = from;
            k = to;
            stay();
        }
        exchange(before, i, before.size(), after, k, after.size());
    }

    /// As many for as many: each for its own.
    void exchange(const Pieces& before, std::size_t i, std::size_t endBefore, const Pieces& after, std::size_t k, std::size_t endAfter)
    {
        if (endBefore - i == endAfter - k) {
            for (; i < endBefore; ++i, ++k)
                exchange(before[i], after[k]);
            return;
        }
        const auto bytes = [](const Pieces& pieces, std::size_t from, std::size_t to) {
            std::size_t sum = 0;
            for (std::size_t each = from; each < to; ++each)
                sum += pieces[each].size();
            return sum;
        };
        exchange(m_before.substr(m_at, bytes(before, i, endBefore)), m_after.substr(m_to, bytes(after, k, endAfter)));
    }

    void exchange(std::string_view old, std::string_view now)
    {
        const std::size_t head = commonHead(old, now);
        const std::size_t tail = commonTail(old.substr(head), now.substr(head));
        const std::string_view removed = old.substr(head, old.size() - head - tail);
        const std::string_view inserted = now.substr(head, now.size() - head - tail);
        if (!removed.empty() || !inserted.empty()) {
            m_change.m_splices.push_back({m_at + head - m_done, removed.size(), inserted.size()});
            m_change.m_removed += removed;
            m_change.m_inserted += inserted;
            m_done = m_at + head + removed.size();
        }
        m_at += old.size();
        m_to += now.size();
    }

    TextChange& m_change;
    std::string_view m_before;
    std::string_view m_after;
    std::size_t m_at = 0;   ///< How far the text before was compared,
    std::size_t m_to = 0;   ///< and the text after.
    std::size_t m_done = 0; ///< End of the last splice in the text before.
};

TextChange::TextChange(const std::string& before, const std::string& after)
{
    Comparison(*this, before, after).run();
    m_removed.shrink_to_fit();
    m_inserted.shrink_to_fit();
    m_splices.shrink_to_fit();
}

std::string TextChange::exchanged(const std::string& text, bool forward) const
{
    const std::string& by = forward ? m_inserted : m_removed;
    std::string result;
    result.reserve(text.size() + by.size());
    std::size_t from = 0;
    std::size_t taken = 0;
    for (const Splice& splice : m_splices) {
        const std::size_t length = forward ? splice.inserted : splice.removed;
        result.append(text, from, splice.gap);
        result.append(by, taken, length);
        from += splice.gap + (forward ? splice.removed : splice.inserted);
        taken += length;
    }
    result.append(text, from);
    return result;
}

} // namespace fabricscope
