#pragma once

#include "core/sim/components/answer.h"

#include "core/base/digest.h"

#include <deque>
#include <functional>
#include <unordered_map>

namespace fabricscope::events {

/// What a collective does is decided by what it is (program, size, places of its group) and when its members enter, measured from the
/// first entry, as long as it shares nothing with anything else. The memo keeps such answers by a digest of both.
/// A run that finds an answer and one that works it out again come to the same result, so what is forgotten matters only for speed.
class Memo {
public:
    /// \param mostBytes when the answers take more than this, the oldest are forgotten.
    explicit Memo(std::int64_t mostBytes) : m_mostBytes(mostBytes) {}

    /// An answer and the starts (first entries, ps) it was used for since the last time this was asked: (start, times).
    struct Kept {
        CollectiveAnswerPtr answer;
        std::vector<std::pair<std::int64_t, std::int64_t>> uses;

        void use(std::int64_t startPs)
        {
            if (!uses.empty() && uses.back().first == startPs)
                ++uses.back().second;
            else
                uses.emplace_back(startPs, 1);
        }
    };
    /// Null when there is none. The pointer is good until the next keep().
    Kept* find(const Digest& key)
    {
        const auto found = m_kept.find(key);
        return found == m_kept.end() ? nullptr : &found->second;
    }
    /// Keeps an answer; `forgotten` gets everything that has to go for it, so that its uses are not lost.
    Kept& keep(const Digest& key, CollectiveAnswerPtr answer, const std::function<void(const Kept&)>& forgotten);
    /// All that is kept, oldest first.
    void forEach(const std::function<void(const Kept&)>& see) const;
    std::int64_t bytes() const { return m_bytes; }

private:
    struct Hash {
        std::size_t operator()(const Digest& digest) const { return static_cast<std::size_t>(digest.low); }
    };
    std::int64_t m_mostBytes;
    std::int64_t m_bytes = 0;
    std::unordered_map<Digest, Kept, Hash> m_kept;
    std::deque<Digest> m_order;
};

} // namespace fabricscope::events
