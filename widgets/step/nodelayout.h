#pragma once

#include "core/base/index.h"
#include "core/step/collectivereplay.h"

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace fabricscope {

/// Where the members of a collective and the links between them are drawn, in pixels of one area. No widget, no painter.
///
/// A group that is a full product of platform dimensions becomes rows and columns: switches are bars along their line, rings lines between
/// neighbours that return beside the row. A single ring is a closed track, a single fully connected dimension a circle. Explicit graphs and
/// irregular groups are a circle, with the switches of explicit graphs in its middle. Above kMaxBoxes members: small squares in a grid.
class StepLayout {
public:
    enum class Kind { Empty, Grid, Track, Circle, Squares };

    /// A switch (or one row of one).
    struct Bar {
        int dimension = -1; ///< -1: switch of an explicit graph.
        int number = 0;     ///< Of the switch inside its dimension, as far as the group has them.
        QRectF rect;
        bool vertical = false;
        QPointF joint;      ///< Where rows of the same switch meet.
    };

    static constexpr int kMaxBoxes = 256;

    StepLayout() = default;
    /// `scale`: of text and boxes, 1 for the 13 px base. O(members * dimensions).
    StepLayout(const CollectiveReplay& replay, const QRectF& area, double scale);

    Kind kind() const { return m_kind; }
    int size() const { return static_cast<int>(m_boxes.size()); }
    const QRectF& box(int position) const { return m_boxes[at(position)]; }
    /// Height of the boxes; 44 (times scale) when there is room.
    double boxSide() const { return m_side; }
    const std::vector<Bar>& bars() const { return m_bars; }
    /// Dimensions along the columns and along the rows, innermost first; a grid only.
    const std::vector<int>& columnDimensions() const { return m_across; }
    const std::vector<int>& rowDimensions() const { return m_down; }
    int columns() const { return m_columns; }
    int rows() const { return m_rows; }
    /// Middle of a column or row.
    double columnX(int column) const { return m_columnX[at(column)]; }

    /// Course of a directed link; empty when an end is not drawn.
    QPolygonF linkPath(LinkId link) const;
    /// Course of a message from box to box along its route; never empty for members.
    QPolygonF movePath(int source, int target, std::span<const LinkId> route) const;
    /// Member under a point, within its box or `reach` around it; -1: none.
    int positionAt(const QPointF& point, double reach = 3) const;
    /// Neighbouring member in a direction (-1, 0, 1 each), or the same.
    int neighbour(int position, int dx, int dy) const;

private:
    void gridOf(const std::vector<int>& active, const QRectF& area, double scale);
    void closedTrack(const QRectF& area, double scale);
    void circle(const QRectF& area, double scale);
    void squares(const QRectF& area);
    void explicitSwitches(const CollectiveReplay& replay);
    QPolygonF hop(const QRectF& from, const QRectF& to, bool vertical, int lane, bool forward) const;
    int positionOf(NodeId node) const;
    int barOf(int dimension, int position) const;

    Kind m_kind = Kind::Empty;
    const Platform* m_platform = nullptr; ///< Of the replay, which outlives the layout.
    std::vector<QRectF> m_boxes;
    std::vector<NodeId> m_nodes;
    std::unordered_map<NodeId, int> m_positions;
    std::vector<Bar> m_bars;
    std::unordered_map<std::int64_t, int> m_barOf; ///< (dimension, position) -> bar.
    std::unordered_map<NodeId, QPointF> m_switches; ///< Explicit graphs.
    std::vector<int> m_across;
    std::vector<int> m_down;
    std::vector<std::vector<int>> m_place;          ///< By dimension of the platform, position: rank among the group's coordinates.
    std::vector<int> m_count;                       ///< Distinct coordinates by dimension.
    std::vector<double> m_columnX;
    std::vector<int> m_column;
    std::vector<int> m_row;
    int m_columns = 0;
    int m_rows = 0;
    double m_side = 0;
    double m_gap = 4; ///< Between the two directions of a link.
    QRectF m_trackRect;
};

} // namespace fabricscope
