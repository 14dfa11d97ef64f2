#include "core/step/chunkvalues.h"

#include <algorithm>
#include <functional>
#include <map>

namespace fabricscope {

std::uint64_t ChunkValues::hashOf(const Contribution& contribution)
{
    // splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
    std::uint64_t x = (std::uint64_t{static_cast<std::uint32_t>(contribution.rank)} << 32 | static_cast<std::uint32_t>(contribution.index)) + 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

ValueIndex ChunkValues::add(Value value)
{
    value.complete = std::binary_search(m_complete.begin(), m_complete.end(), value.fingerprint);
    m_values.push_back(value);
    return static_cast<ValueIndex>(m_values.size() - 1);
}

ValueIndex ChunkValues::input(const Contribution& contribution)
{
    Value value;
    value.fingerprint = hashOf(contribution);
    value.first = static_cast<std::uint32_t>(contribution.rank);
    value.second = static_cast<std::uint32_t>(contribution.index);
    value.count = 1;
    value.leaf = true;
    return add(value);
}

ValueIndex ChunkValues::sum(ValueIndex a, ValueIndex b)
{
    if (a == kUndefined || b == kUndefined)
        return a == kUndefined ? b : a;
    Value value;
    value.fingerprint = m_values[a].fingerprint + m_values[b].fingerprint;
    value.first = a;
    value.second = b;
    const std::int64_t count = std::int64_t{m_values[a].count} + m_values[b].count;
    value.count = static_cast<std::int32_t>(std::min<std::int64_t>(count, kManyContributions));
    return add(value);
}

void ChunkValues::setComplete(std::vector<std::uint64_t> fingerprints)
{
    std::sort(fingerprints.begin(), fingerprints.end());
    fingerprints.erase(std::unique(fingerprints.begin(), fingerprints.end()), fingerprints.end());
    m_complete = std::move(fingerprints);
    for (Value& value : m_values)
        value.complete = value.count > 0 && std::binary_search(m_complete.begin(), m_complete.end(), value.fingerprint);
}

std::vector<std::pair<Contribution, std::int64_t>> ChunkValues::exact(ValueIndex value) const
{
    // A value is made of older ones: the youngest that is left gives all it stands for at once.
    std::map<ValueIndex, std::int64_t, std::greater<>> left;
    std::map<Contribution, std::int64_t> found;
    const auto plus = [](std::int64_t& to, std::int64_t more) { to = to > INT64_MAX - more ? INT64_MAX : to + more; };
    if (value != kUndefined)
        left[value] = 1;
    while (!left.empty()) {
        const auto [index, times] = *left.begin();
        left.erase(left.begin());
        const Value& of = m_values[index];
        if (of.leaf) {
            plus(found[{static_cast<std::int32_t>(of.first), static_cast<std::int32_t>(of.second)}], times);
            continue;
        }
        plus(left[of.first], times);
        plus(left[of.second], times);
    }
    return {found.begin(), found.end()};
}

} // namespace fabricscope
