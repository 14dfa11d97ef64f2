#pragma once

#include "core/draw/platformheat.h"
#include "core/platform/platform.h"
#include "widgets/base/theme.h"
#include "widgets/canvas/platformpainter.h"

#include <QImage>
#include <QWidget>

#include <optional>

namespace fabricscope {

/// Drawing of a platform: dimensions inside each other with NPUs and links, coloured by utilisation. Zooms, pans, hovers, selects.
///
/// The wheel zooms at the pointer, a drag pans, a double click opens a group. `+` and `-` zoom, arrows go to the neighbouring NPU,
/// Ctrl+0 fits, Esc clears the selection. More than 4096 NPUs are drawn as groups that open on zoom.
class PlatformCanvas : public QWidget
{
    Q_OBJECT
public:
    explicit PlatformCanvas(QWidget* parent = nullptr);

    void setPlatform(std::optional<Platform> platform);
    const PlatformLayout* layoutOfPlatform() const { return m_layout ? &*m_layout : nullptr; }
    /// Colours; what the shares mean stands in the legend ("link busy, whole run").
    void setHeat(PlatformHeat heat, const QString& meaning, const HeatScale& scale = {});
    const HeatScale& heatScale() const { return m_scale; }
    const PlatformHeat& heat() const { return m_heat; }
    /// Other words for the same colours: the drawing is not made again.
    void setHeatMeaning(const QString& meaning);
    const QString& heatMeaning() const { return m_meaning; }
    void setColor(CanvasColor color);

    const CanvasElement& selection() const { return m_selection; }
    void setSelection(const CanvasElement& element);
    const CanvasElement& hovered() const { return m_hover; }
    const CanvasTransform& transform() const { return m_transform; }
    const CanvasItems& items();
    double zoom() const { return m_transform.scale; }
    void fit();
    /// Shows a scene rectangle in the middle.
    void zoomTo(const QRectF& scene);
    void zoomAt(double factor, QPointF pixel);
    CanvasElement elementAt(QPointF pixel);

    /// Draws the whole view as it stands on any device (image, SVG, printer).
    void paintOn(QPainter& painter);
    QSize sizeHint() const override { return {900, 400}; }
    QSize minimumSizeHint() const override { return {240, 160}; }

signals:
    void selectionChanged(const fabricscope::CanvasElement& element);
    void hoverChanged(const fabricscope::CanvasElement& element);
    void zoomChanged(double scale);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void setTheme(const Theme& theme);
    CanvasTransform fitted(const QRectF& scene) const;
    void setTransform(const CanvasTransform& transform);
    void setHover(const CanvasElement& element);
    void redraw();
    CanvasPainter painterFor();
    void paintOverlay(QPainter& painter);
    void paintMinimap(QPainter& painter);
    bool isFitted() const;

    std::optional<PlatformLayout> m_layout;
    PlatformHeat m_heat;
    QString m_meaning;
    HeatScale m_scale;
    Theme m_theme;
    CanvasColor m_color = CanvasColor::Heat;
    CanvasTransform m_transform;
    CanvasItems m_items;
    bool m_itemsValid = false;
    QImage m_layer;
    bool m_layerValid = false;
    QImage m_minimap;
    CanvasElement m_selection;
    CanvasElement m_hover;
    QPointF m_pressed;
    QPointF m_pressedOffset;
    bool m_panning = false;
    bool m_moved = false;
    bool m_fit = true; ///< The whole is shown; a resize keeps it so.
    bool m_keyboardFocus = false;
};

} // namespace fabricscope
