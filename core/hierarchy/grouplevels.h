#pragma once

#include "core/platform/platform.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

class LevelGraph;    // levelgraph.h
struct UnevenLevels; // unevenlevels.h

/// The levels a group of NPUs has on a graph of nodes and links (manual: collectives 5.5): hosts, units of hosts, all. Plain value.
struct GroupLevels {
    /// What a level joins: blocks of the level below, the lowest single NPUs.
    struct Found {
        std::string name;        ///< Of a block of this level: "host", "unit", "all"; where coordinates are declared their names, the last "all".
        std::int32_t extent = 1; ///< Blocks below in one of this level.
        std::int64_t block = 1;  ///< NPUs of one block below: |B|.
        std::int64_t cut = 0;    ///< Bytes/s of the largest flow from one block below to the rest of the group; 0 where there is one level.
        bool kept = true;        ///< The border to the level below stays; of the lowest always.
        friend bool operator==(const Found&, const Found&) = default;
    };
    /// What a collective has phases for: levels above a border that stays, with those above it that do not.
    struct Used {
        std::string name;
        std::int32_t extent = 1;
        /// What joins the NPUs of one line: links between neighbours (Ring) or all (FullyConnected), or one switch; absent: a network of switches.
        std::optional<Shape> shape{};
        friend bool operator==(const Used&, const Used&) = default;
    };
    std::vector<Found> found;        ///< From below; their product is the number of members. None of extent 1 but for a group of one.
    std::vector<Used> used;
    std::vector<std::int32_t> order; ///< Place among the members, by position: the lowest level is the fastest.
    bool declared = false;           ///< The levels are coordinates of a generator or blueprint, or of a product of rings, switches and full meshes.
    /// Partners far off are as good as near ones: the NPUs are joined by switches in tiers, as leaves and spines, and no border between levels stays because
    /// blocks have as many cables up as below; or there are planes of switches alone.
    bool evenTiers = false;
    bool noRails = false;            ///< Hosts have no partners one to one: they are by index.
    /// Levels of blocks that differ in size, where they have more than these have; then these are one level. All-reduce, reduce-scatter and all-gather go by them. Else null.
    std::shared_ptr<const UnevenLevels> uneven{};

    bool isFlat() const { return used.size() < 2; }
    /// "8 x 128 (host, all)".
    std::string text() const;
};

/// Finds levels. Safe to share between threads.
class LevelFinder {
public:
    /// O(nodes + links). Here and below `stop` is looked at, and StopRequested thrown. \pre platform.isExplicit().
    explicit LevelFinder(const Platform& platform, std::stop_token stop = {});
    ~LevelFinder();
    LevelFinder(const LevelFinder&) = delete;
    LevelFinder& operator=(const LevelFinder&) = delete;

    /// Levels of a group: its declared coordinates where it is a box in them, else by rule, or with blocks that differ in size (unevenlevels.h). The same members once more: remembered.
    /// \pre different NPUs, none removed. O(links) for each level found and a max-flow over the switches; by rule also O(links) for every set of NPUs with the
    /// same switches.
    std::shared_ptr<const GroupLevels> find(std::span<const NodeId> members) const;

    /// The rule, whatever is declared:
    /// 1. hosts: rates falling, the lowest left out, components of links of at least that rate; the first that part the group, not into single NPUs, and into
    ///    equal parts (else there are no levels);
    /// 2. rails: the partner of an NPU in another host is the only one nearest to it without those links. One to one from the first host to another: they
    ///    are the order within hosts. Where all are equally near, as in another unit, by index, and from the first such host on; else by index too, with `noRails`;
    /// 3. units: distances along a rail, rising, the greatest left out: those within one must be disjoint cliques of one size, the same on all rails, else no more;
    /// 4. use: the border above blocks B' stays where cut(B') |B| < cut(B) |B'|, B being the blocks below those.
    GroupLevels byRule(std::span<const NodeId> members) const;

    /// The graph is a product of rings, full meshes and switches, written out or joined by a generator: its levels are dimensions in all but the name.
    bool isProduct() const { return m_isProduct; }

    /// Bytes/s of one NPU of a group along a level: of the largest flow from a block below to those beside it, shared by its NPUs. \pre levels of these members.
    std::int64_t rate(const GroupLevels& levels, std::span<const NodeId> members, std::size_t used) const;

private:
    /// Levels as declared; false: the group is no box.
    bool byCoordinates(std::span<const NodeId> members, GroupLevels& levels) const;
    /// byRule(), or one level beside which uneven ones stand.
    GroupLevels byRuleOrUneven(std::span<const NodeId> members) const;
    /// Step 4. \pre found and order are there.
    void use(std::span<const NodeId> members, GroupLevels& levels) const;

    std::vector<NpuAxis> m_axes;  ///< Declared coordinates.
    bool m_isProduct = false;
    bool m_hasTiers = false;
    std::unique_ptr<const LevelGraph> m_graph;
    mutable std::mutex m_mutex;
    mutable std::map<std::vector<NodeId>, std::shared_ptr<const GroupLevels>> m_known;
};

} // namespace fabricscope
