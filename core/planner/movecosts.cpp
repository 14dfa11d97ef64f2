#include "core/planner/movecosts.h"

namespace fabricscope {

std::optional<ChargedMove> MoveCosts::one(ShareCollective kind, double bytes) const
{
    if (!m_cluster.time(kind).available)
        return std::nullopt;
    return ChargedMove{{{RatioTerm::Kind::Collective, m_segment, 0, 0, kind, bytes, 0, -1}}, m_ratios.seconds(m_cluster, kind, bytes)};
}

std::optional<ChargedMove> MoveCosts::cheaper(ShareCollective padded, ShareCollective grouped, double bytes) const
{
    auto a = one(padded, bytes);
    auto b = one(grouped, bytes);
    return !a || (b && b->seconds < a->seconds) ? std::move(b) : std::move(a);
}

std::optional<ChargedMove> MoveCosts::move(Property from, Property to, double bytes, bool mirrored) const
{
    const auto gather = [&] { return cheaper(ShareCollective::AllGather, ShareCollective::GroupedAllGather, bytes); };
    const auto scatter = [&] { return cheaper(ShareCollective::ReduceScatter, ShareCollective::GroupedReduceScatter, bytes); };
    std::optional<ChargedMove> there;
    std::optional<ChargedMove> back;
    if (from.isGather() && to.isIdentity()) {
        there = gather();
        back = scatter();
    } else if (from.isReduce() && to.isGather()) {
        there = scatter();
        back = gather();
    } else if (from.isReduce() && to.isIdentity()) {
        there = allReduce(bytes);
    } else if (from.isGather() && to.isGather() && from != to) {
        there = one(ShareCollective::AllToAll, bytes);
    }
    if (!there || !mirrored)
        return there;
    if (!back)
        back = there;
    there->terms.push_back(back->terms.front());
    there->seconds += back->seconds;
    return there;
}

} // namespace fabricscope
