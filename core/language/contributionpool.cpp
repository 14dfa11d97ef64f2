#include "core/language/contributionpool.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

ContributionPool::Id ContributionPool::add(std::span<const Run> runs)
{
    Id id = 0;
    if (m_unused.empty()) {
        id = static_cast<Id>(m_entries.size());
        m_entries.emplace_back();
        m_bytes += static_cast<std::int64_t>(sizeof(Entry));
    } else {
        id = m_unused.back();
        m_unused.pop_back();
    }
    Entry& entry = m_entries[id];
    entry.holders = 1;
    entry.size = static_cast<std::uint32_t>(runs.size());
    entry.one = runs.front();
    if (runs.size() > 1) {
        entry.many = std::make_unique<Run[]>(runs.size());
        std::copy(runs.begin(), runs.end(), entry.many.get());
        m_bytes += static_cast<std::int64_t>(runs.size_bytes());
    }
    return id;
}

ContributionPool::Id ContributionPool::single(const Contribution& one)
{
    const Run run{one.index, one.rank, one.rank + 1};
    return add({&run, 1});
}

void ContributionPool::keep(Id id)
{
    if (id != kUndefined)
        ++m_entries[id].holders;
}

void ContributionPool::drop(Id id)
{
    if (id == kUndefined || --m_entries[id].holders > 0)
        return;
    Entry& entry = m_entries[id];
    if (entry.many) {
        m_bytes -= static_cast<std::int64_t>(entry.size * sizeof(Run));
        entry.many.reset();
    }
    m_unused.push_back(id);
}

std::optional<ContributionPool::Id> ContributionPool::unite(Id a, Id b, bool allowTwice, Contribution& clash)
{
    assert(a != kUndefined && b != kUndefined);
    const std::span<const Run> left = runs(a);
    const std::span<const Run> right = runs(b);
    m_merged.resize(left.size() + right.size());
    std::merge(left.begin(), left.end(), right.begin(), right.end(), m_merged.begin());
    std::size_t last = 0;
    for (std::size_t i = 1; i < m_merged.size(); ++i) {
        const Run next = m_merged[i];
        Run& run = m_merged[last];
        if (next.index == run.index && next.first < run.end) {
            if (!allowTwice) {
                clash = {next.first, next.index};
                return std::nullopt;
            }
        } else if (next.index == run.index && next.first == run.end) {
            run.end = next.end;
            continue;
        }
        m_merged[++last] = next;
    }
    return add({m_merged.data(), last + 1});
}

std::span<const ContributionPool::Run> ContributionPool::runs(Id id) const
{
    const Entry& entry = m_entries[id];
    if (entry.size <= 1)
        return {&entry.one, entry.size};
    return {entry.many.get(), entry.size};
}

std::int64_t ContributionPool::count(Id id) const
{
    std::int64_t sum = 0;
    for (const Run& run : runs(id))
        sum += run.end - run.first;
    return sum;
}

std::string ContributionPool::text(Id id) const
{
    constexpr std::size_t kMost = 6;
    const std::span<const Run> all = runs(id);
    if (all.empty())
        return "nothing";
    std::string out;
    for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
        const Run& run = all[i];
        out += i == 0 ? "" : i + 1 == all.size() ? " and " : ", ";
        out += "chunk " + std::to_string(run.index) + (run.end - run.first == 1 ? " of rank " : " of ranks ") + std::to_string(run.first);
        if (run.end - run.first > 1)
            out += " to " + std::to_string(run.end - 1);
    }
    if (all.size() > kMost)
        out += " and " + std::to_string(all.size() - kMost) + " more";
    return out;
}

} // namespace fabricscope
