#pragma once

#include "core/program/conditions.h"
#include "core/program/program.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace fabricscope {

/// Number of a value in ChunkValues; 0: undefined.
using ValueIndex = std::uint32_t;

/// The values chunks take while a program runs: multisets of contributions (conditions.h), each made from two others or put in at the
/// start. A value keeps how many contributions it has, a 64-bit fingerprint (the sum of hashes, so the order of summing does not matter;
/// two different values are alike with probability 2^-64), and where it came from, so that the exact multiset can be had.
/// 24 bytes per value; a value that is only copied is not made again.
class ChunkValues {
public:
    static constexpr ValueIndex kUndefined = 0;
    /// From here on contributions are no longer counted exactly.
    static constexpr std::int32_t kManyContributions = INT32_MAX;

    ChunkValues() { m_values.emplace_back(); }

    /// Rank's input `index` alone. Asked twice, made twice.
    ValueIndex input(const Contribution& contribution);
    /// Of undefined and a value: the value.
    ValueIndex sum(ValueIndex a, ValueIndex b);
    /// Values with these fingerprints count as complete from now on. O(n log n).
    void setComplete(std::vector<std::uint64_t> fingerprints);

    std::size_t size() const { return m_values.size(); }
    std::int32_t contributions(ValueIndex value) const { return m_values[value].count; }
    std::uint64_t fingerprint(ValueIndex value) const { return m_values[value].fingerprint; }
    /// Is it a value the collective asks for somewhere?
    bool isComplete(ValueIndex value) const { return m_values[value].complete; }
    /// The multiset, ascending, with how often each is in it. O(values it was made of * log).
    std::vector<std::pair<Contribution, std::int64_t>> exact(ValueIndex value) const;

    static std::uint64_t hashOf(const Contribution& contribution);

private:
    struct Value {
        std::uint64_t fingerprint = 0;
        std::uint32_t first = 0;  // A leaf: rank and index; else the two values.
        std::uint32_t second = 0;
        std::int32_t count = 0;
        bool leaf = false;
        bool complete = false;
    };

    ValueIndex add(Value value);

    std::vector<Value> m_values;
    std::vector<std::uint64_t> m_complete; // Ascending.
};

} // namespace fabricscope
