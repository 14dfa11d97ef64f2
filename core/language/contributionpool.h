#pragma once

#include "core/program/conditions.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricscope {

/// Values of chunks, shared and counted. A value is a multiset of contributions, held as runs of neighbouring ranks: the sums of rings
/// and trees are one or two runs however many ranks they hold.
class ContributionPool {
public:
    using Id = std::uint32_t;
    static constexpr Id kUndefined = 0;

    /// Contributions of ranks [first, end), each of its input `index`, each once.
    struct Run {
        std::int32_t index = 0;
        std::int32_t first = 0;
        std::int32_t end = 0;
        friend auto operator<=>(const Run&, const Run&) = default;
    };

    ContributionPool() : m_entries(1) {}

    /// The value {(rank, index)}, with one holder.
    Id single(const Contribution& one);
    /// One more holder, one holder less. Undefined is free.
    void keep(Id id);
    void drop(Id id);

    /// The union of two values, with one holder. Unless `allowTwice`, a contribution that is in both leaves no
    /// value and is stored in `clash`.
    /// O(runs of both).
    std::optional<Id> unite(Id a, Id b, bool allowTwice, Contribution& clash);

    /// Ascending by (index, first).
    std::span<const Run> runs(Id id) const;
    /// Contributions, each as often as it is there.
    std::int64_t count(Id id) const;
    /// Bytes held.
    std::int64_t bytes() const { return m_bytes; }

    /// "the sum of ranks 0 to 3, chunk 2"; long lists are cut.
    std::string text(Id id) const;

private:
    struct Entry {
        std::uint32_t holders = 0;
        std::uint32_t size = 0;
        Run one;                     ///< Where size is 1 ...
        std::unique_ptr<Run[]> many; ///< ... and where it is more.
    };

    Id add(std::span<const Run> runs);

    std::vector<Entry> m_entries; ///< 0 is the undefined value.
    std::vector<Id> m_unused;
    std::vector<Run> m_merged; ///< For unite().
    std::int64_t m_bytes = 0;
};

} // namespace fabricscope
