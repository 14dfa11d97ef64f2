#include "core/draw/platformfigure.h"
#include "core/draw/platformscale.h"

#include "core/draw/canvasitems.h"
#include "core/draw/numbertext.h"

#include <array>

namespace fabricscope {

namespace {

using Anchor = TextShape::Anchor;

constexpr double kMargin = 12;
constexpr double kMostScale = 2;
constexpr double kCallout = 22;         ///< Height of a box that names a link.
constexpr std::size_t kNamedLinks = 3;  ///< More overridden links are drawn without a box.
constexpr std::size_t kFewNodes = 512;  ///< Up to here NPUs have round corners, one shape each.

class Figure {
public:
    Figure(const Platform& platform, const PlatformHeat& heat, const PlatformFigureOptions& options, double most = kMostScale)
        : m_layout(platform), m_platform(m_layout.platform()), m_heat(heat), m_options(options), m_most(most)
    {
    }

    double scale() const
    {
        const SizeF scene = m_layout.size();
        return std::min({(m_options.width - 2 * kMargin) / scene.width(), (m_options.mostHeight - top() - kMargin) / scene.height(), m_most});
    }

    Drawing draw()
    {
        const bool named = namesLinks();
        const double top = this->top();
        const SizeF scene = m_layout.size();
        const double scale = this->scale();
        m_transform = {scale, PointF((m_options.width - scene.width() * scale) / 2, top)};
        m_drawing.size = SizeF(m_options.width, std::ceil(top + scene.height() * scale + kMargin));
        const RectF all(PointF(0, 0), m_drawing.size);
        m_items = canvasItems(m_layout, m_transform, all);
        m_drawing.title = "Platform";
        m_drawing.description = platformSentence(m_platform);
        m_drawing.box(all.adjusted(0.5, 0.5, -0.5, -0.5), 0, Tone::View, DrawPen{Tone::Line});
        for (std::size_t i = 0; i < m_items.layers.size(); ++i)
            layer(m_items.layers[i]);
        names();
        nodes();
        for (const auto& [at, text] : m_names)
            m_drawing.text(PointF(at.x(), at.y() + 3.4), text, 9.5, Tone::Text, Anchor::Middle);
        if (m_items.pitch >= 6)
            overridden(named);
        return std::move(m_drawing);
    }

private:
    bool namesLinks() const
    {
        const auto& overrides = m_platform.spec().linkOverrides;
        return !overrides.empty() && overrides.size() <= kNamedLinks;
    }
    double top() const { return kMargin + (namesLinks() ? kCallout + 14 : 0); }

    double shareOf(const CanvasLine& line, int dimension) const
    {
        const double share = m_heat.link(line.forward, dimension);
        return line.backward >= 0 ? std::max(share, m_heat.link(line.backward, dimension)) : share;
    }

    bool byHeat() const { return !m_options.dimensionColors && !m_heat.empty(); }

    void lines(const CanvasLayer& layer)
    {
        const auto& levels = m_layout.levels();
        for (std::size_t d = 0; d < layer.lines.size(); ++d) {
            if (layer.lines[d].empty())
                continue;
            const auto dimension = static_cast<int>(d);
            const bool chords = !levels.empty() && levels[0].kind == PlatformLayout::Kind::FullyConnected && levels[0].dimension == dimension;
            const double most = std::max(0.7, 1.6 * m_transform.scale);
            m_drawing.begin("links d" + std::to_string(d));
            if (!byHeat()) {
                LinesShape shape;
                shape.pen = {m_options.dimensionColors ? DrawColor::dimension(dimension) : DrawColor(Tone::Outline), chords ? 0.7 : std::min(1.0, most)};
                for (const CanvasLine& line : layer.lines[d])
                    shape.lines.push_back(line.line);
                m_drawing.add(std::move(shape));
            } else {
                std::array<std::vector<LineF>, kHeatBucketCount> buckets;
                for (const CanvasLine& line : layer.lines[d])
                    buckets[static_cast<std::size_t>(heatBucketOf(shareOf(line, dimension)))].push_back(line.line);
                for (int b = 0; b < kHeatBucketCount; ++b) {
                    const double width = chords ? 0.7 : std::min(heatLineWidth(b), most);
                    m_drawing.add(LinesShape{std::move(buckets[static_cast<std::size_t>(b)]), {DrawColor::heatOf(b), width, chords ? 0.75 : 1.0}});
                }
            }
            m_drawing.end();
        }
    }

    void bars(const CanvasLayer& layer)
    {
        for (const CanvasLayer::Bar& bar : layer.bars) {
            if (bar.rect.height() < 3) {
                m_drawing.box(bar.rect, 0, Tone::Outline);
                continue;
            }
            const bool high = bar.rect.height() >= 15;
            m_drawing.box(bar.rect, std::min(4.0, bar.rect.height() / 2), high ? Tone::Panel : Tone::View, DrawPen{high ? Tone::Line2 : Tone::Outline});
            if (bar.labelled) {
                const RectF chip(bar.rect.left() + 8, bar.rect.center().y() - 7, 24, 14);
                const DrawColor fill = DrawColor::dimension(bar.dimension);
                m_drawing.box(chip, 3, fill);
                m_drawing.text({chip.center().x(), chip.center().y() + 3.8}, "D" + std::to_string(bar.dimension), 10.5, fill.ink(), Anchor::Middle, true);
                m_drawing.text({chip.right() + 6, bar.rect.center().y() + 3.8}, bar.switches == 1 ? "1 switch" : numbertext::count(bar.switches) + " switches", 10.5, Tone::Text2);
            }
            const auto base = m_platform.ringLink(static_cast<std::size_t>(bar.dimension), 0, RingDirection::Plus);
            for (std::size_t i = 0; i < bar.ports.size(); ++i) {
                DrawColor color = m_options.dimensionColors ? DrawColor::dimension(bar.dimension) : DrawColor(Tone::Outline);
                if (base && byHeat())
                    color = DrawColor::heat(m_heat.link(*base + 2 * (bar.first + static_cast<LinkId>(i)), bar.dimension));
                m_drawing.box(bar.ports[i], 2, Tone::View, DrawPen{color, 1.3});
            }
        }
    }

    void discs(const CanvasLayer& layer)
    {
        std::array<BoxesShape, kHeatBucketCount> small;
        for (const CanvasLayer::Disc& disc : layer.discs) {
            if (!disc.closed) {
                if (disc.round)
                    m_drawing.add(CircleShape{disc.rect.center(), disc.rect.width() / 2, Tone::View, DrawPen{Tone::Line2}});
                else
                    m_drawing.box(disc.rect, 6, Tone::View, DrawPen{Tone::Line2});
                continue;
            }
            const auto [mean, most] = m_heat.group(m_platform, disc.first, disc.nodes, disc.dimension);
            const DrawColor fill = byHeat() ? DrawColor::heat(mean) : DrawColor(Tone::Outline);
            if (disc.rect.width() < 20) {
                BoxesShape& shape = small[static_cast<std::size_t>(byHeat() ? heatBucketOf(mean) : 0)];
                shape.fill = fill;
                shape.rects.push_back(disc.rect);
                continue;
            }
            const double barHeight = byHeat() ? 3 : 0;
            const RectF body = disc.rect.adjusted(0, 0, 0, barHeight > 0 ? -barHeight - 3 : 0);
            if (disc.round)
                m_drawing.add(CircleShape{body.center(), std::min(body.width(), body.height()) / 2, fill, {}});
            else
                m_drawing.box(body, 3, fill);
            if (barHeight > 0) {
                const RectF bar(body.left(), disc.rect.bottom() - barHeight, body.width(), barHeight);
                m_drawing.box(bar, 0, Tone::Line);
                m_drawing.box(RectF(bar.left(), bar.top(), bar.width() * std::min(1.0, most), barHeight), 0, DrawColor::heat(most));
            }
            const std::string name = nameOf(disc);
            if (!name.empty() && textWidth(name, 10.5) + 8 < body.width())
                m_drawing.text({body.center().x(), body.center().y() + 3.8}, name, 10.5, fill.ink(), Anchor::Middle);
        }
        for (BoxesShape& shape : small)
            if (!shape.rects.empty())
                m_drawing.add(std::move(shape));
    }

    static std::string nameOf(const CanvasLayer::Disc& disc)
    {
        switch (disc.name) {
        case CanvasLayer::Name::Range: return numbertext::range(disc.first, disc.nodes);
        case CanvasLayer::Name::Count: return numbertext::count(disc.nodes);
        case CanvasLayer::Name::None: break;
        }
        return {};
    }

    void layer(const CanvasLayer& layer)
    {
        lines(layer);
        for (const CanvasLayer::Frame& frame : layer.frames) {
            m_drawing.box(frame.rect, 6, Tone::Stripe, DrawPen{Tone::Line2});
            if (frame.captionHeight < 10 || frame.rect.width() <= 48)
                continue;
            const std::string caption = frame.pod >= 0 ? "Pod " + std::to_string(frame.pod) : numbertext::range(frame.first, frame.nodes);
            m_drawing.text({frame.rect.center().x(), frame.rect.bottom() - frame.captionHeight / 2 + 2}, caption, 11, Tone::Text2, Anchor::Middle);
        }
        bars(layer);
        discs(layer);
        for (const CanvasLayer::Pill& pill : layer.pills) {
            const std::string text = pill.odd > 0 ? numbertext::count(pill.links - pill.odd) + " of " + numbertext::count(pill.links) : numbertext::count(pill.links) + " links";
            const double width = textWidth(text, 10) + 12;
            m_drawing.box(RectF(pill.centre.x() - width / 2, pill.centre.y() - 8, width, 16), 8, Tone::View, DrawPen{Tone::Line2});
            m_drawing.text({pill.centre.x(), pill.centre.y() + 3.6}, text, 10, Tone::Text2, Anchor::Middle);
        }
    }

    /// Names of open groups: plates over their chords now, the texts above the NPUs later.
    void names()
    {
        if (m_items.nodeSide >= 20)
            return;
        for (const CanvasLayer& layer : m_items.layers)
            for (const CanvasLayer::Disc& disc : layer.discs) {
                const std::string name = disc.closed ? std::string() : nameOf(disc);
                if (name.empty())
                    continue;
                const double width = textWidth(name, 9.5) + 2;
                m_drawing.box(RectF(disc.rect.center().x() - width / 2, disc.rect.center().y() - 6, width, 12), 2, Tone::View);
                m_names.emplace_back(disc.rect.center(), name);
            }
    }

    bool isSwitch(NodeId node) const { return m_platform.isExplicit() && m_platform.spec().nodes.kind(static_cast<std::size_t>(node)) != NodeKind::Npu; }

    void nodes()
    {
        const double side = m_items.nodeSide;
        const DrawColor compute = DrawColor::activity(Activity::Compute);
        m_drawing.begin("npus");
        BoxesShape many{{}, compute};
        for (const CanvasNode& node : m_items.nodes) {
            const RectF rect(node.centre.x() - side / 2, node.centre.y() - side / 2, side, side);
            if (isSwitch(node.node))
                continue;
            if (m_items.nodes.size() > kFewNodes) {
                many.rects.push_back(rect);
                continue;
            }
            m_drawing.box(rect, side >= 20 ? 5 : 1.5, compute);
            if (side >= 20)
                m_drawing.text({node.centre.x(), node.centre.y() + 4}, std::to_string(node.node), 11, compute.ink(), Anchor::Middle);
        }
        if (!many.rects.empty())
            m_drawing.add(std::move(many));
        m_drawing.end();
        if (!m_platform.isExplicit())
            return;
        m_drawing.begin("switches");
        for (const CanvasNode& node : m_items.nodes)
            if (isSwitch(node.node))
                m_drawing.box(RectF(node.centre.x() - side, node.centre.y() - side / 2, 2 * side, side), 3, Tone::Panel, DrawPen{Tone::Outline, 1.5});
        m_drawing.end();
    }

    void diamond(PointF centre, double radius)
    {
        PathShape shape;
        shape.points = {centre + PointF(0, -radius), centre + PointF(radius, 0), centre + PointF(0, radius), centre + PointF(-radius, 0)};
        shape.closed = true;
        shape.fill = Tone::View;
        shape.pen = DrawPen{Tone::Warn, 2};
        m_drawing.add(std::move(shape));
    }

    /// What is removed is crossed out.
    void mark(PointF centre, double radius, bool removed)
    {
        if (!removed)
            return diamond(centre, radius);
        for (const double side : {1.0, -1.0}) {
            PathShape line;
            line.points = {centre + PointF(-radius, -radius * side), centre + PointF(radius, radius * side)};
            line.pen = DrawPen{Tone::Err, 2};
            m_drawing.add(std::move(line));
        }
    }

    /// The NPU at the end of an overridden link, above the line.
    void end(NodeId node)
    {
        const double side = m_items.nodeSide + 1;
        const PointF at = m_transform.map(m_layout.npuCentre(node));
        m_drawing.box(RectF(at.x() - side / 2, at.y() - side / 2, side, side), 2, DrawColor::activity(Activity::Compute), DrawPen{Tone::Text, 1.5});
        if (side >= 20)
            m_drawing.text({at.x(), at.y() + 4}, std::to_string(node), 11, DrawColor::activity(Activity::Compute).ink(), Anchor::Middle);
    }

    void callout(PointF anchor, LinkId link, double& from)
    {
        const std::string title = linkText(m_platform, link);
        std::string detail = numbertext::rate(m_platform.bandwidth(link).bytesPerSecond);
        if (!m_heat.empty())
            detail += ", " + numbertext::percent(static_cast<std::int64_t>(m_heat.link(link, m_platform.linkInfo(link).dimension) * 1e6 + 0.5), 1, 1'000'000) + " busy";
        const double titleWidth = textWidth(title, 10.5, true);
        const double width = titleWidth + 8 + textWidth(detail, 10.5) + 18;
        const double left = std::max(std::min(std::max(anchor.x() - width / 2, kMargin), m_options.width - kMargin - width), from);
        if (left + width > m_options.width - 2)
            return; // no room beside the others
        from = left + width + 8;
        const RectF box(std::floor(left) + 0.5, kMargin + 0.5, std::ceil(width), kCallout);
        m_drawing.line({std::clamp(anchor.x(), box.left() + 6, box.right() - 6), box.bottom()}, anchor, DrawPen{Tone::Text2});
        m_drawing.box(box, 4, Tone::Raised, DrawPen{Tone::Line2});
        m_drawing.text({box.left() + 9, box.center().y() + 3.8}, title, 10.5, Tone::Text, Anchor::Left, true);
        m_drawing.text({box.left() + 17 + titleWidth, box.center().y() + 3.8}, detail, 10.5, Tone::Text2);
    }

    void overridden(bool named)
    {
        const PlatformSpec& spec = m_platform.spec();
        if (spec.linkOverrides.empty() && spec.npuOverrides.empty())
            return;
        m_drawing.begin("overrides");
        std::vector<std::pair<PointF, LinkId>> ends;
        for (const LinkOverride& entry : spec.linkOverrides) {
            const std::vector<PointF> route = canvasRoute(m_layout, m_transform, entry.link);
            if (route.size() < 2)
                continue;
            const double share = m_heat.link(entry.link, m_platform.linkInfo(entry.link).dimension);
            PathShape shape;
            shape.points = route;
            shape.pen = DrawPen{Tone::View, 7};
            m_drawing.add(shape);
            shape.pen = DrawPen{byHeat() ? DrawColor::heat(share) : DrawColor(Tone::Outline), std::max(2.5, heatLineWidth(heatBucketOf(share)))};
            m_drawing.add(std::move(shape));
            for (const NodeId node : {m_platform.linkInfo(entry.link).from, m_platform.linkInfo(entry.link).to})
                if (node >= 0 && !isSwitch(node))
                    end(node);
            if (route.size() > 2) {
                m_drawing.box(RectF(route.back().x() - 4.5, route.back().y() - 9, 9, 9), 2, Tone::View, DrawPen{Tone::Text, 1.5});
                ends.emplace_back(PointF(route.back().x(), route.back().y() - 9), entry.link);
            } else {
                ends.emplace_back((route.front() + route.back()) / 2, entry.link);
            }
        }
        for (const LinkOverride& entry : spec.linkOverrides) {
            const std::vector<PointF> route = canvasRoute(m_layout, m_transform, entry.link);
            if (route.size() >= 2)
                mark(route.size() > 2 ? (route[0] + route[1] * 5) / 6 : (route[0] + route[1]) / 2, 5.5, entry.removed);
        }
        for (const NpuOverride& entry : spec.npuOverrides)
            mark(m_transform.map(m_layout.npuCentre(entry.node)), std::max(4.5, m_items.nodeSide / 2), entry.removed);
        std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.first.x() != b.first.x() ? a.first.x() < b.first.x() : a.second < b.second; });
        double from = 0;
        for (const auto& [at, link] : ends)
            if (named)
                callout(at, link, from);
        m_drawing.end();
    }

    const PlatformLayout m_layout;
    const Platform& m_platform;
    const PlatformHeat& m_heat;
    const PlatformFigureOptions& m_options;
    const double m_most; ///< Scale.
    CanvasTransform m_transform;
    CanvasItems m_items;
    Drawing m_drawing;
    std::vector<std::pair<PointF, std::string>> m_names;
};

/// What one dimension makes of the NPUs, or of the groups below it.
std::string dimensionWords(const Dimension& dimension, bool innermost)
{
    const std::string size = numbertext::count(dimension.size);
    switch (dimension.shape) {
    case Shape::Ring: return innermost ? "in rings of " + size : size + " of them in a ring";
    case Shape::FullyConnected: return innermost ? "in fully connected groups of " + size : size + " of them fully connected";
    case Shape::Switch: return innermost ? "in groups of " + size + " on a switch" : size + " of them joined by switches";
    }
    return {};
}

} // namespace

Drawing platformFigure(const Platform& platform, const PlatformHeat& heat, const PlatformFigureOptions& options)
{
    return Figure(platform, heat, options).draw();
}

double platformFigureScale(const Platform& platform, const PlatformFigureOptions& options)
{
    const PlatformHeat none;
    return Figure(platform, none, options).scale();
}

Drawing platformFigureAt(const Platform& platform, const PlatformHeat& heat, double scale, const PlatformFigureOptions& options)
{
    return Figure(platform, heat, options, std::min(scale, kMostScale)).draw();
}

Drawing heatLegend()
{
    constexpr double kBlock = 20;
    Drawing drawing;
    drawing.title = "Colours: share of the time a link is busy";
    const std::string low = "0\xE2\x80\xAF%";
    const std::string high = "100\xE2\x80\xAF% busy";
    const double left = textWidth(low, 10.5) + 4;
    drawing.size = SizeF(std::ceil(left + kBlock * kHeatBucketCount + textWidth(high, 10.5) + 6), 14);
    drawing.text({0, 11}, low, 10.5, Tone::Text2);
    for (int b = 0; b < kHeatBucketCount; ++b)
        drawing.box(RectF(left + b * kBlock, 3, kBlock - 2, 8), 0, DrawColor::heatOf(b));
    drawing.text({left + kBlock * kHeatBucketCount + 2, 11}, high, 10.5, Tone::Text2);
    return drawing;
}

std::string linkText(const Platform& platform, LinkId link)
{
    const LinkInfo info = platform.linkInfo(link);
    const auto end = [&](NodeId node) -> std::string {
        if (node < 0)
            return "D" + std::to_string(info.dimension) + " switch";
        const std::string name = platform.isExplicit() ? platform.spec().nodes.name(static_cast<std::size_t>(node)) : std::string();
        return name.empty() ? std::to_string(node) : name;
    };
    return end(info.from) + " \xE2\x86\x92 " + end(info.to);
}

std::string platformSentence(const Platform& platform)
{
    const auto npus = [](std::int64_t count) { return numbertext::count(count) + (count == 1 ? " NPU" : " NPUs"); };
    if (platform.isExplicit()) {
        const auto switches = static_cast<std::int64_t>(platform.spec().nodes.size()) - platform.npuCount();
        return npus(platform.npuCount()) + ", " + numbertext::count(switches) + (switches == 1 ? " switch" : " switches") + " and " + numbertext::count(platform.linkCount())
            + " links as listed in the design.";
    }
    std::string out = npus(platform.npuCount());
    bool innermost = true;
    for (const Dimension& dimension : platform.dimensions()) {
        if (dimension.size <= 1)
            continue;
        out += (innermost ? " " : "; ") + dimensionWords(dimension, innermost);
        innermost = false;
    }
    return out + '.';
}

} // namespace fabricscope
