#pragma once

#include "core/design/edits/graphedits.h"
#include "core/draw/geometry.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// How nodes are put that nobody has put yet.
enum class GraphLayout : std::uint8_t { Levels, Ring, Grid, Plan };

/// Places for all nodes of a graph (graphlayouts.cpp): middles, in scene pixels. Same graph, same places. O((nodes + links) log nodes).
/// Levels: NPUs below, each switch and memory above by its links to the nearest NPU. Ring: on one circle. Grid: rows from the upper left.
/// Plan: as a machine room is seen from above: NPUs of one switch as a block with what only they have, blocks in rows, all that joins blocks above.
std::vector<DrawnAt> layOut(const GraphText& graph, GraphLayout layout);

/// Links between two nodes, however many and whichever way: one line on the page.
struct DrawnBundle {
    std::size_t a = 0;               ///< Numbers of nodes; a < b.
    std::size_t b = 0;
    std::vector<std::size_t> links;  ///< Numbers of items of `platform.links`.
};

/// An explicit graph as it stands on the page: geometry only, in scene pixels.
class GraphPicture {
public:
    GraphPicture() = default;
    /// Nodes without a place are put by the usual layout of the whole graph: levels, or with more NPUs than a row of them can be read a plan; those that would cover one another where others have a place, beside these.
    explicit GraphPicture(GraphText graph);
    static constexpr std::size_t kMostInLevels = 64;

    const GraphText& graph() const { return m_graph; }
    std::size_t count() const { return m_graph.nodes.size(); }
    bool isEmpty() const { return m_graph.nodes.empty(); }
    const std::vector<DrawnAt>& places() const { return m_places; }
    /// Shows nodes elsewhere, until the text is read again. \pre one for each node
    void setPlaces(std::vector<DrawnAt> places);
    /// Of every node that the file gives no place: where it stands now.
    NodePlaces unplaced() const;
    const std::vector<DrawnBundle>& bundles() const { return m_bundles; }
    /// Is there a link between the two, whichever way? O(log bundles).
    bool isJoined(std::size_t a, std::size_t b) const { return m_between.contains(std::minmax(a, b)); }

    static SizeF sizeOf(NodeKind kind);
    RectF rectOf(std::size_t node) const;
    /// Around everything; empty: a page of its own.
    RectF bounds() const { return m_bounds; }
    LineF lineOf(const DrawnBundle& bundle) const;

    /// The topmost node there; count(): none. O(nodes).
    std::size_t nodeAt(PointF scene, double slack = 0) const;
    /// The nearest bundle within `reach`; bundles().size(): none. O(bundles).
    std::size_t bundleAt(PointF scene, double reach) const;
    /// Middles of the four sides, where links are drawn from.
    static constexpr int kPorts = 4;
    PointF portOf(std::size_t node, int port) const;

    /// Nodes in a rubber band: those that lie inside, or where `touched` those that it touches.
    std::vector<std::size_t> nodesIn(const RectF& band, bool touched) const;
    /// The nearest node in a direction, (1, 0) being to the right; count(): none. O(nodes).
    std::size_t neighbour(std::size_t node, int dx, int dy) const;

private:
    GraphText m_graph;
    std::vector<DrawnAt> m_places;
    std::vector<DrawnBundle> m_bundles;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> m_between; ///< Their numbers by their ends.
    RectF m_bounds{0, 0, 640, 400};
};

} // namespace fabricscope
