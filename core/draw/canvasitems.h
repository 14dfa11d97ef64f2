#pragma once

#include "core/draw/platformlayout.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// Scene to pixels: pixel = scene * scale + offset.
struct CanvasTransform {
    double scale = 1;
    PointF offset;

    PointF map(PointF scene) const { return scene * scale + offset; }
    RectF map(const RectF& scene) const { return {map(scene.topLeft()), scene.size() * scale}; }
    PointF inverse(PointF pixel) const { return (pixel - offset) / scale; }
};

/// A line on the page: one link each way, or one of the lines of a bundle. Colour comes later, from the heat of the link.
struct CanvasLine {
    LineF line;
    LinkId forward = -1;
    LinkId backward = -1; ///< -1: none.
};

/// Things of one depth, painted in this order: lines, then what covers their ends.
struct CanvasLayer {
    struct Frame {
        RectF rect;
        NodeId first = 0;        ///< NPUs in it.
        std::int64_t nodes = 1;
        std::int32_t pod = -1;   ///< Number of an outermost group; -1: its NPUs name it.
        double captionHeight = 0;
    };
    /// What is written on a group when there is room.
    enum class Name : std::uint8_t { None, Range, Count };
    struct Disc {            ///< A group of NPUs; as a glyph when closed.
        RectF rect;
        NodeId first = 0;
        std::int64_t nodes = 1;
        int dimension = -1;
        bool closed = false; ///< Filled with the heat of the group.
        bool round = true;
        Name name = Name::None;
    };
    struct Bar {             ///< Switches of a dimension.
        RectF rect;
        int dimension = 0;
        std::int64_t switches = 1;
        NodeId first = 0;
        bool labelled = false;
        std::vector<RectF> ports; ///< One per switch, or empty.
    };
    struct Pill {
        PointF centre;
        std::int64_t links = 0; ///< Of the bundle,
        std::int64_t odd = 0;   ///< of which these are drawn on their own.
    };
    std::vector<std::vector<CanvasLine>> lines; ///< By dimension (explicit links: 0).
    std::vector<Frame> frames;
    std::vector<Bar> bars;
    std::vector<Disc> discs;
    std::vector<Pill> pills;
};

struct CanvasNode {
    PointF centre;
    NodeId node = 0;
};

/// What is to be painted for one view of a platform, in pixels.
struct CanvasItems {
    std::vector<CanvasLayer> layers; ///< Outermost first.
    std::vector<CanvasNode> nodes;
    double nodeSide = 8;
    double pitch = 20;               ///< Pixels per NPU.
    std::size_t lineCount() const;
};

/// More NPUs than this are drawn as groups until zoomed in.
constexpr std::int64_t kGroupsAbove = 4096;

/// Items that meet `view` (pixels). O(what is visible): groups too small to read become one glyph, or share one.
CanvasItems canvasItems(const PlatformLayout& layout, const CanvasTransform& transform, const RectF& view);

/// Lines from NPU to NPU or switch along which one link is drawn on its own, in pixels.
std::vector<PointF> canvasRoute(const PlatformLayout& layout, const CanvasTransform& transform, LinkId link);

} // namespace fabricscope
