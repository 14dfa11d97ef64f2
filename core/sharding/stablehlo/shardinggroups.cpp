#include "core/sharding/stablehlo/shardinggroups.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

bool sayTheSame(const TensorAnnotation& a, const TensorAnnotation& b)
{
    return a.dims == b.dims && a.closed == b.closed && a.priority == b.priority && a.replicated == b.replicated && a.unreduced == b.unreduced;
}

/// Open dims without axes leave everything to the others.
bool saysSomething(const TensorAnnotation& note)
{
    const bool axes = note.dims && std::ranges::any_of(*note.dims, [](const AxisList& list) { return !list.empty(); });
    return axes || std::ranges::count(note.closed, char{0}) != std::ssize(note.closed) || !note.replicated.empty() || !note.unreduced.empty();
}

} // namespace

bool ShardingGroups::join(const std::string& group, TensorId tensor, const TensorShape& shape, const TensorAnnotation* note)
{
    const auto [known, fresh] = m_byName.emplace(group, m_groups.size());
    if (fresh)
        m_groups.push_back({{}, shape, std::nullopt});
    Group& into = m_groups[known->second];
    if (into.shape != shape)
        return false;
    if (const auto other = m_groupOf.find(tensor); other != m_groupOf.end())
        return other->second == known->second || merge(other->second, known->second);
    if (note && saysSomething(*note)) {
        if (into.note && !sayTheSame(*into.note, *note))
            return false;
        into.note = *note;
    }
    into.tensors.push_back(tensor);
    m_groupOf.emplace(tensor, known->second);
    return true;
}

bool ShardingGroups::merge(std::size_t from, std::size_t into)
{
    Group& source = m_groups[from];
    Group& target = m_groups[into];
    if (source.note && target.note && !sayTheSame(*source.note, *target.note))
        return false;
    if (!target.note)
        target.note = source.note;
    for (const TensorId tensor : source.tensors)
        m_groupOf[tensor] = into;
    target.tensors.insert(target.tensors.end(), source.tensors.begin(), source.tensors.end());
    source = {};
    for (auto& [name, index] : m_byName)
        index = index == from ? into : index;
    return true;
}

std::vector<std::vector<TensorId>> ShardingGroups::all() const
{
    std::vector<std::vector<TensorId>> groups;
    for (const Group& group : m_groups) {
        if (group.tensors.size() < 2)
            continue;
        groups.push_back(group.tensors);
        std::ranges::sort(groups.back());
    }
    return groups;
}

} // namespace fabricscope::mlir
