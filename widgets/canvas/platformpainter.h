#pragma once

#include "core/draw/canvasitems.h"
#include "core/draw/platformheat.h"
#include "widgets/base/theme.h"

#include <QCoreApplication>
#include <QRectF>
#include <QString>

#include <optional>

class QPainter;

namespace fabricscope {

/// A thing on the canvas.
struct CanvasElement {
    enum class Kind { None, Node, Link, Group };
    Kind kind = Kind::None;
    NodeId node = -1;          ///< Node; first NPU of a group.
    LinkId link = -1;
    std::int64_t nodes = 0;    ///< Of a group.

    friend bool operator==(const CanvasElement&, const CanvasElement&) = default;
};

/// What colours mean.
enum class CanvasColor { Heat, Dimension };

/// What a share of 1 stands for, where it is a time.
struct HeatScale {
    SimTime most;
    QString what; ///< "%1 of waiting"; empty: the share is how busy a link is.
    friend bool operator==(const HeatScale&, const HeatScale&) = default;
};

/// Paints canvas items; on any paint device.
class CanvasPainter {
    Q_DECLARE_TR_FUNCTIONS(fabricscope::CanvasPainter)
public:
    CanvasPainter(const PlatformLayout& layout, const CanvasItems& items, const CanvasTransform& transform, const Theme& theme, const PlatformHeat& heat, CanvasColor color,
                  const HeatScale& scale)
        : m_layout(layout), m_items(items), m_transform(transform), m_theme(theme), m_heat(heat), m_color(color), m_scale(scale)
    {
    }

    void paint(QPainter& painter) const;
    /// Overridden links of the platform, taken out of their bundles.
    void paintOverrides(QPainter& painter) const;
    /// Diamonds on what is overridden.
    void paintDiamonds(QPainter& painter) const;
    void paintElement(QPainter& painter, const CanvasElement& element, bool selected) const;
    /// A box beside the element with what it is; kept inside `view`.
    void paintCallout(QPainter& painter, const CanvasElement& element, const QRectF& view) const;
    void paintLegend(QPainter& painter, const QRectF& view, const QString& meaning) const;
    /// "37 → D2 switch", and "12.5 GB/s, 53.4 % busy".
    static std::pair<QString, QString> describe(const PlatformLayout& layout, const PlatformHeat& heat, const HeatScale& scale, const CanvasElement& element);

private:
    void paintLines(QPainter& painter, const CanvasLayer& layer) const;
    void paintNodes(QPainter& painter) const;
    void paintDiscs(QPainter& painter, const CanvasLayer& layer) const;
    void paintBars(QPainter& painter, const CanvasLayer& layer) const;
    void paintRoute(QPainter& painter, LinkId link, bool selected) const;
    int bucket(const CanvasLine& line, int dimension) const;
    QRectF elementRect(const CanvasElement& element) const;

    const PlatformLayout& m_layout;
    const CanvasItems& m_items;
    const CanvasTransform& m_transform;
    const Theme& m_theme;
    const PlatformHeat& m_heat;
    CanvasColor m_color;
    const HeatScale& m_scale;
};

} // namespace fabricscope
