#include "core/draw/canvasitems.h"



#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kOpenFrom = 64;   ///< A group of a large platform opens from this side on.
constexpr double kNodeArea = 230;  ///< ... and when every NPU gets this many square pixels: fewer than 10,000 on a large screen.
constexpr double kTile = 14;       ///< Groups smaller than this share a glyph of this side.
constexpr int kBundle = 8;
constexpr double kBundleStep = 3;
constexpr int kChordsUpTo = 16;
constexpr int kPortsUpTo = 64;

struct Links {
    LinkId base = 0;
    std::int32_t ports = 0;
    Shape shape = Shape::Ring;
    std::int32_t size = 1;

    Links(const Platform& platform, int dimension)
    {
        const Dimension& from = platform.dimensions()[static_cast<std::size_t>(dimension)];
        shape = from.shape;
        size = from.size;
        ports = shape == Shape::Switch ? 2 : from.linksPerNpu();
        base = platform.ringLink(static_cast<std::size_t>(dimension), 0, RingDirection::Plus).value_or(0);
    }
    LinkId of(std::int64_t npu, std::int32_t port) const { return base + npu * ports + port; }
};

class Builder {
public:
    Builder(const PlatformLayout& layout, const CanvasTransform& transform, const RectF& view)
        : m_layout(layout), m_platform(layout.platform()), m_transform(transform), m_view(view.adjusted(-8, -8, 8, 8))
    {
    }

    CanvasItems build()
    {
        m_items.pitch = PlatformLayout::kPitch * m_transform.scale;
        m_items.nodeSide = m_items.pitch >= 90 ? 44 : m_items.pitch >= 40 ? 20 : std::min(8.0, std::max(m_items.pitch < 4 ? 1.0 : 2.0, std::floor(m_items.pitch * 0.45)));
        m_large = m_platform.npuCount() > kGroupsAbove;
        if (m_layout.isExplicit()) {
            m_items.layers.resize(1);
            explicitGraph();
        } else if (m_layout.levels().empty()) {
            m_items.nodes.push_back({m_transform.map(m_layout.npuCentre(0)), 0});
        } else {
            m_items.layers.resize(m_layout.levels().size() + 1);
            for (CanvasLayer& layer : m_items.layers)
                layer.lines.resize(m_platform.dimensions().size());
            block(m_layout.levels().size() - 1, PointF(0, 0), 0);
        }
        return std::move(m_items);
    }

private:
    using Level = PlatformLayout::Level;

    /// What is drawn of a block's inside goes to this layer; its frame to the one before.
    CanvasLayer& layer(std::size_t level) { return m_items.layers[m_layout.levels().size() - 1 - level]; }

    bool visible(const RectF& scene) const { return m_transform.map(scene).intersects(m_view); }

    /// Children whose cells, widened by one cell, meet the view; in no particular order.
    std::vector<int> inView(const Level& level, PointF origin) const
    {
        std::vector<int> found;
        if (level.circle) {
            for (int child = 0; child < level.count; ++child)
                found.push_back(child);
            return found;
        }
        const PointF low = m_transform.inverse(m_view.topLeft()) - origin;
        const PointF high = m_transform.inverse(m_view.bottomRight()) - origin;
        const double stepX = level.child.width() + level.gap;
        const double stepY = level.child.height() + level.gap + level.band;
        const auto from = [](double value, double step) { return std::max(0, static_cast<int>(std::floor(std::max(value / step, 0.0))) - 2); };
        const auto to = [](double value, double step, int cells) { return static_cast<int>(std::clamp(std::ceil(value / step) + 2, 0.0, double(cells))); };
        for (int row = from(low.y(), stepY); row < to(high.y(), stepY, level.rows); ++row)
            for (int column = from(low.x(), stepX); column < to(high.x(), stepX, level.columns); ++column)
                if (const int child = m_layout.childInCell(level, column, row); child >= 0)
                    found.push_back(child);
        return found;
    }

    /// Whether the NPUs of a group of a large platform are drawn one by one.
    static bool opens(const RectF& pixels, std::int64_t nodes)
    {
        return std::min(pixels.width(), pixels.height()) >= kOpenFrom && pixels.width() * pixels.height() >= kNodeArea * static_cast<double>(nodes);
    }

    void block(std::size_t index, PointF origin, std::int64_t first)
    {
        const Level& level = m_layout.levels()[index];
        const RectF area(origin, level.size);
        if (!visible(area))
            return;
        const double childSide = std::min(level.child.width(), level.child.height()) * m_transform.scale;
        if (index == 0 && m_large && !opens(m_transform.map(area), level.count)) {
            tiles(index, origin, first);
            return;
        }
        if (index > 0 && m_large && childSide < kTile) {
            bars(index, origin, first);
            tiles(index, origin, first);
            return;
        }
        connections(index, origin, first);
        for (const int child : inView(level, origin)) {
            const RectF rect = m_layout.childRect(level, child).translated(origin);
            if (!visible(rect))
                continue;
            const std::int64_t node = first + child * level.childNodes;
            if (index == 0)
                m_items.nodes.push_back({m_transform.map(rect.center()), static_cast<NodeId>(node)});
            else
                childBlock(index, child, rect, node);
        }
    }

    void childBlock(std::size_t index, int child, const RectF& rect, std::int64_t node)
    {
        const Level& level = m_layout.levels()[index];
        const Level& inner = m_layout.levels()[index - 1];
        const RectF pixels = m_transform.map(rect);
        if (index == 1 && m_large && !opens(pixels, level.childNodes)) {
            CanvasLayer::Disc disc{pixels.adjusted(2, 2, -2, -2), static_cast<NodeId>(node), level.childNodes, inner.dimension, true, inner.circle, CanvasLayer::Name::None};
            disc.name = pixels.width() > 44 ? CanvasLayer::Name::Range : CanvasLayer::Name::None;
            layer(index).discs.push_back(disc);
            return;
        }
        if (inner.circle) {
            CanvasLayer::Disc disc{pixels.adjusted(2, 2, -2, -2), static_cast<NodeId>(node), level.childNodes, inner.dimension, false, true, CanvasLayer::Name::None};
            disc.name = pixels.width() >= 56 ? CanvasLayer::Name::Range : CanvasLayer::Name::None;
            layer(index).discs.push_back(disc);
        } else {
            const bool top = index + 1 == m_layout.levels().size();
            layer(index).frames.push_back({pixels, static_cast<NodeId>(node), level.childNodes, top && index > 1 ? child : -1, inner.caption * m_transform.scale});
        }
        block(index - 1, rect.topLeft(), node);
    }

    /// Children too small to be told apart: neighbouring cells share a glyph.
    void tiles(std::size_t index, PointF origin, std::int64_t first)
    {
        const Level& level = m_layout.levels()[index];
        if (level.circle) { // at most eight: one glyph for all
            const RectF pixels = m_transform.map(RectF(origin, level.size));
            layer(index).discs.push_back({pixels.adjusted(1, 1, -1, -1), static_cast<NodeId>(first), level.childNodes * level.count, level.dimension, true, true, CanvasLayer::Name::None});
            return;
        }
        const double stepX = (level.child.width() + level.gap) * m_transform.scale;
        const double stepY = (level.child.height() + level.gap + level.band) * m_transform.scale;
        const int wide = std::max(1, static_cast<int>(std::ceil(kTile / stepX)));
        const int high = std::max(1, static_cast<int>(std::ceil(kTile / stepY)));
        // Only the tiles in view; the grid is regular.
        const PointF from = m_transform.map(origin + PointF(level.padding, level.padding + level.band));
        const auto range = [](double low, double high_, double start, double step, int cells, int per) {
            const int begin = std::clamp(static_cast<int>(std::floor((low - start) / step)), 0, cells) / per * per;
            const int end = std::clamp(static_cast<int>(std::ceil((high_ - start) / step)), 0, cells);
            return std::pair(begin, end);
        };
        const auto [c0, c1] = range(m_view.left(), m_view.right(), from.x(), stepX, level.columns, wide);
        const auto [r0, r1] = range(m_view.top(), m_view.bottom(), from.y(), stepY, level.rows, high);
        for (int row = r0; row < r1; row += high)
            for (int column = c0; column < c1; column += wide) {
                int child = -1;
                for (int k = 0; k < wide * high && child < 0; ++k)
                    child = m_layout.childInCell(level, column + k % wide, row + k / wide);
                if (child < 0)
                    continue;
                const double gap = level.gap * m_transform.scale;
                const RectF pixels(from.x() + column * stepX, from.y() + row * stepY, std::min(wide, level.columns - column) * stepX - gap,
                                    std::min(high, level.rows - row) * stepY - gap - level.band * m_transform.scale);
                layer(index).discs.push_back({pixels.adjusted(1, 1, -1, -1), static_cast<NodeId>(first + child * level.childNodes),
                                              level.childNodes * wide * high, level.dimension, true, wide * high == 1 && index == 1 && m_layout.levels()[0].circle, CanvasLayer::Name::None});
            }
    }

    void line(std::size_t index, int dimension, PointF a, PointF b, LinkId forward, LinkId backward)
    {
        layer(index).lines[static_cast<std::size_t>(dimension)].push_back({LineF(m_transform.map(a), m_transform.map(b)), forward, backward});
    }

    /// Links between two neighbouring children, as at most eight parallel lines; line i stands for its share of the links.
    void bundle(std::size_t index, int dimension, const RectF& one, const RectF& two, std::int64_t firstOne, std::int64_t firstTwo, std::int32_t port,
                std::int32_t portBack)
    {
        const Level& level = m_layout.levels()[index];
        const Links links(m_platform, dimension);
        const LineF axis(one.center(), two.center());
        if (axis.length() == 0)
            return;
        const int lines = bundleLines(level.childNodes);
        const PointF across(-axis.dy() / axis.length(), axis.dx() / axis.length());
        for (int i = 0; i < lines; ++i) {
            const PointF shift = across * ((i - (lines - 1) / 2.0) * kBundleStep);
            const std::int64_t member = level.childNodes * i / lines;
            line(index, dimension, axis.p1() + shift, axis.p2() + shift, links.of(firstOne + member, port),
                 portBack < 0 ? -1 : links.of(firstTwo + member, portBack));
        }
    }

    int bundleLines(std::int64_t links) const
    {
        // Lines nearer than a pixel and a half to each other are one line.
        const auto room = static_cast<int>(std::floor((kBundle - 1) * kBundleStep * m_transform.scale / 1.5)) + 1;
        return static_cast<int>(std::clamp<std::int64_t>(links, 1, std::clamp(room, 1, kBundle)));
    }

    void connections(std::size_t index, PointF origin, std::int64_t first)
    {
        const Level& level = m_layout.levels()[index];
        const auto rect = [&](int child) { return m_layout.childRect(level, child).translated(origin); };
        const auto node = [&](int child) { return first + child * level.childNodes; };
        switch (level.kind) {
        case PlatformLayout::Kind::Ring: {
            const Links links(m_platform, level.dimension);
            for (const int child : inView(level, origin)) {
                if (level.count == 2 && child == 1)
                    continue; // one link each way
                const int other = (child + 1) % level.count;
                const RectF a = rect(child);
                const RectF b = rect(other);
                if (visible(a.united(b)))
                    bundle(index, level.dimension, a, b, node(child), node(other), 0, links.ports == 2 ? 1 : 0);
            }
            break;
        }
        case PlatformLayout::Kind::Torus: torus(index, origin, first); break;
        case PlatformLayout::Kind::FullyConnected: {
            const Links links(m_platform, level.dimension);
            const int limit = index == 0 ? kChordsUpTo : 8;
            const double side = std::min(level.size.width(), level.size.height()) * m_transform.scale;
            if (level.count > limit || side < 28)
                break;
            for (int one = 0; one < level.count; ++one)
                for (int two = one + 1; two < level.count; ++two)
                    bundle(index, level.dimension, rect(one), rect(two), node(one), node(two), two - one - 1, level.count - (two - one) - 1);
            break;
        }
        case PlatformLayout::Kind::Switch:
            trunks(index, origin, first);
            bars(index, origin, first);
            break;
        }
        if (level.kind == PlatformLayout::Kind::FullyConnected && index == 0 && level.count > kChordsUpTo && m_layout.levels().size() == 1) {
            const RectF pixels = m_transform.map(RectF(origin, level.size));
            layer(index).discs.push_back({pixels.adjusted(2, 2, -2, -2), static_cast<NodeId>(first), level.count, level.dimension, false, level.circle, CanvasLayer::Name::Count});
        }
    }

    void torus(std::size_t index, PointF origin, std::int64_t first)
    {
        const Level& level = m_layout.levels()[index];
        int second = level.dimension + 1;
        while (m_platform.dimensions()[static_cast<std::size_t>(second)].size <= 1)
            ++second;
        const double stub = index == 0 ? 7 : 10;
        const Links across(m_platform, level.dimension);
        const Links down(m_platform, second);
        for (const int child : inView(level, origin)) {
            const int column = child % level.columns;
            const int row = child / level.columns;
            const RectF a = m_layout.childRect(level, child).translated(origin);
            if (!visible(a.adjusted(-level.gap, -level.gap, a.width() + level.gap, a.height() + level.gap)))
                continue;
            const std::int64_t node = first + child * level.childNodes;
            const std::int64_t right = first + (column + 1 < level.columns ? child + 1 : child + 1 - level.columns) * level.childNodes;
            const std::int64_t below = first + (row + 1 < level.rows ? child + level.columns : column) * level.childNodes;
            if (column + 1 < level.columns)
                bundle(index, level.dimension, a, a.translated(a.width() + level.gap, 0), node, right, 0, 1);
            else
                line(index, level.dimension, a.center(), PointF(a.right() + stub, a.center().y()), across.of(node, 0), across.of(right, 1));
            if (column == 0)
                line(index, level.dimension, PointF(a.left() - stub, a.center().y()), a.center(), across.of(node, 1), -1);
            if (row + 1 < level.rows)
                bundle(index, second, a, a.translated(0, a.height() + level.gap + level.band), node, below, 0, 1);
            else
                line(index, second, a.center(), PointF(a.center().x(), a.bottom() + stub), down.of(node, 0), down.of(below, 1));
            if (row == 0)
                line(index, second, PointF(a.center().x(), a.top() - stub), a.center(), down.of(node, 1), -1);
        }
    }

    RectF barRect(const Level& level, PointF origin, int row) const
    {
        const int inRow = std::min(level.columns, level.count - row * level.columns);
        const RectF firstChild = m_layout.childRect(level, row * level.columns).translated(origin);
        const RectF lastChild = m_layout.childRect(level, row * level.columns + inRow - 1).translated(origin);
        return {firstChild.left() + 2, firstChild.top() - level.band, lastChild.right() - firstChild.left() - 4, level.bar};
    }

    void trunks(std::size_t index, PointF origin, std::int64_t first)
    {
        const Level& level = m_layout.levels()[index];
        const Links links(m_platform, level.dimension);
        for (const int child : inView(level, origin)) {
            const RectF rect = m_layout.childRect(level, child).translated(origin);
            const RectF bar = barRect(level, origin, child / level.columns);
            if (!visible(rect.united(RectF(rect.left(), bar.top(), rect.width(), 1))))
                continue;
            const std::int64_t node = first + child * level.childNodes;
            const int lines = bundleLines(level.childNodes);
            const double end = index == 0 ? rect.center().y() : rect.top() + 2;
            for (int i = 0; i < lines; ++i) {
                const double x = rect.center().x() + (i - (lines - 1) / 2.0) * kBundleStep;
                const std::int64_t member = node + level.childNodes * i / lines;
                line(index, level.dimension, PointF(x, end), PointF(x, bar.bottom()), links.of(member, 0), links.of(member, 1));
            }
            if (index > 0 && level.band * m_transform.scale > 40) {
                std::int64_t odd = 0;
                for (const LinkOverride& entry : m_platform.spec().linkOverrides) {
                    const std::int64_t local = entry.link - links.base;
                    const std::int64_t owner = local / 2;
                    odd += local >= 0 && owner >= node && owner < node + level.childNodes ? 1 : 0;
                }
                layer(index).pills.push_back({m_transform.map(PointF(rect.center().x(), (rect.top() + bar.bottom()) / 2)), level.childNodes, odd});
            }
        }
    }

    void bars(std::size_t index, PointF origin, std::int64_t first)
    {
        const Level& level = m_layout.levels()[index];
        if (level.kind != PlatformLayout::Kind::Switch)
            return;
        for (int row = 0; row < level.rows; ++row) {
            CanvasLayer::Bar bar;
            bar.rect = m_transform.map(barRect(level, origin, row));
            if (bar.rect.top() > m_view.bottom() || (row + 1 < level.rows && bar.rect.bottom() + (level.child.height() + level.gap + level.band) * m_transform.scale < m_view.top()))
                continue;
            bar.dimension = level.dimension;
            bar.switches = level.childNodes;
            bar.first = static_cast<NodeId>(first);
            bar.labelled = index > 0 && row == 0 && bar.rect.height() >= 15 && bar.rect.width() >= 140;
            if (index > 0 && row == 0 && level.childNodes <= kPortsUpTo) {
                // To the right of chip and label; the ports in the order of their first NPU.
                const double from = bar.rect.left() + (bar.labelled ? 120 : 8);
                const double step = (bar.rect.right() - 12 - from) / static_cast<double>(level.childNodes);
                const double side = std::min(10.0, std::min(step * 0.7, bar.rect.height() * 0.5));
                if (side >= 2)
                    for (std::int64_t i = 0; i < level.childNodes; ++i)
                        bar.ports.emplace_back(from + step * (static_cast<double>(i) + 0.5) - side / 2, bar.rect.center().y() - side / 2, side, side);
            }
            layer(index).bars.push_back(std::move(bar));
            if (row > 0) {
                // The same switches: a spine joins the bars.
                const RectF above = barRect(level, origin, row - 1);
                const RectF here = barRect(level, origin, row);
                const double x = here.left() - std::min(6.0, level.padding / 2);
                const Links links(m_platform, level.dimension);
                line(index, level.dimension, PointF(x, above.center().y()), PointF(x, here.center().y()), links.of(first, 0), -1);
                line(index, level.dimension, PointF(x, above.center().y()), PointF(above.left(), above.center().y()), links.of(first, 0), -1);
                line(index, level.dimension, PointF(x, here.center().y()), PointF(here.left(), here.center().y()), links.of(first, 0), -1);
            }
        }
    }

    void explicitGraph()
    {
        const PlatformSpec& spec = m_platform.spec();
        const auto& at = m_layout.positions();
        CanvasLayer& only = m_items.layers[0];
        only.lines.resize(1);
        only.lines[0].reserve(spec.links.size());
        for (std::size_t i = 0; i < spec.links.size(); ++i) {
            const PointF a = m_transform.map(at[static_cast<std::size_t>(spec.links.from(i))]);
            const PointF b = m_transform.map(at[static_cast<std::size_t>(spec.links.to(i))]);
            if (m_view.intersects(RectF(a, b).normalized().adjusted(-1, -1, 1, 1)))
                only.lines[0].push_back({LineF(a, b), static_cast<LinkId>(i), -1});
        }
        m_items.pitch = 28 * m_transform.scale;
        m_items.nodeSide = m_items.pitch >= 90 ? 44 : m_items.pitch >= 40 ? 20 : std::min(10.0, std::max(2.0, m_items.pitch * 0.5));
        for (std::size_t i = 0; i < at.size(); ++i)
            if (m_view.contains(m_transform.map(at[i])))
                m_items.nodes.push_back({m_transform.map(at[i]), static_cast<NodeId>(i)});
    }

    const PlatformLayout& m_layout;
    const Platform& m_platform;
    CanvasTransform m_transform;
    RectF m_view;
    bool m_large = false;
    CanvasItems m_items;
};

} // namespace

std::size_t CanvasItems::lineCount() const
{
    std::size_t count = 0;
    for (const CanvasLayer& layer : layers)
        for (const auto& lines : layer.lines)
            count += lines.size();
    return count;
}

CanvasItems canvasItems(const PlatformLayout& layout, const CanvasTransform& transform, const RectF& view)
{
    return Builder(layout, transform, view).build();
}

std::vector<PointF> canvasRoute(const PlatformLayout& layout, const CanvasTransform& transform, LinkId link)
{
    const Platform& platform = layout.platform();
    const LinkInfo info = platform.linkInfo(link);
    if (layout.isExplicit())
        return {transform.map(layout.npuCentre(info.from)), transform.map(layout.npuCentre(info.to))};
    const PointF start = transform.map(layout.npuCentre(info.from >= 0 ? info.from : info.to));
    if (info.from >= 0 && info.to >= 0)
        return {start, transform.map(layout.npuCentre(info.to))};

    // Up to the switch: straight out of the group, along its trunk, then to the switch's own port on the bar.
    const auto& levels = layout.levels();
    std::size_t index = 0;
    while (index < levels.size() && levels[index].dimension != info.dimension)
        ++index;
    if (index == levels.size())
        return {start};
    const PlatformLayout::Level& level = levels[index];
    const NodeId npu = info.owner;
    const PointF origin = layout.blockOrigin(index, npu);
    const int child = static_cast<int>(npu / level.childNodes % level.count);
    const RectF rect = layout.childRect(level, child).translated(origin);
    const double barBottom = rect.top() - level.band + level.bar;
    if (index == 0)
        return {start, transform.map(PointF(rect.center().x(), barBottom))};
    std::vector<PointF> route{start, PointF(start.x(), transform.map(PointF(0, rect.top() - 12)).y())};
    // The port of the switch among those of the bar in the same row.
    const std::int64_t port = npu % level.childNodes;
    const std::int64_t firstNode = npu / (level.childNodes * level.count) * (level.childNodes * level.count);
    const RectF around(transform.map(origin), level.size * transform.scale);
    double x = start.x();
    double y = transform.map(PointF(0, barBottom)).y();
    for (const CanvasLayer& layer : canvasItems(layout, transform, around).layers)
        for (const CanvasLayer::Bar& bar : layer.bars)
            if (bar.dimension == info.dimension && bar.first == firstNode && !bar.ports.empty()) {
                x = bar.ports[static_cast<std::size_t>(port)].center().x();
                if (bar.rect.bottom() <= y + 1)
                    y = bar.ports[static_cast<std::size_t>(port)].bottom();
            }
    const double corner = (route.back().y() + transform.map(PointF(0, barBottom)).y()) / 2;
    route.back() = PointF(start.x(), corner);
    route.emplace_back(x, corner);
    route.emplace_back(x, y);
    return route;
}

} // namespace fabricscope
