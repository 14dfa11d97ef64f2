#pragma once

#include "core/base/index.h"
#include "core/platform/declarednodes.h"
#include "core/platform/explicitgraph.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace fabricscope {

/// Straight ways from group to group of a dragonfly: inside of a group to where a cable to the other begins, and over that. Never through a third group, which may be
/// as short. Belongs to one router; not for several threads.
class GroupWays {
public:
    using Open = std::function<bool(LinkId)>;

    /// Both must outlive it. \pre declared.hasGroups()
    GroupWays(const ExplicitGraph& graph, const DeclaredNodes& declared);

    /// -1: a switch inside of a host.
    std::int32_t groupOf(NodeId node) const { return m_declared.group[at(node)]; }
    std::int32_t count() const { return m_declared.groups; }
    /// Appends the open links of a node that lead one link closer to a cable to the group, or over it, in order of ports. None: the node is there, or there is no such
    /// way. O(links of the node) once asked for two groups since forget(), else O(links of a group).
    void choices(NodeId node, std::int32_t group, const Open& open, std::vector<LinkId>& links);
    /// Appends the first way from `node` to where it lands in the group, which `node` is then; false, and nothing of both changed, when there is none.
    bool append(NodeId& node, std::int32_t group, const Open& open, std::vector<LinkId>& links);
    /// Other links are open from now on.
    void forget() { m_left.clear(); }

private:
    /// Links left from each member of a group until another is entered.
    const std::vector<std::int32_t>& left(std::int32_t own, std::int32_t group, const Open& open);
    bool enters(LinkId link, std::int32_t group) const;

    const ExplicitGraph& m_graph;
    const DeclaredNodes& m_declared;
    std::vector<std::vector<NodeId>> m_members; ///< By group.
    std::vector<std::size_t> m_place;           ///< By node: among its group.
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> m_left;
};

} // namespace fabricscope
