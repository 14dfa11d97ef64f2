#pragma once

#include "core/draw/canvasitems.h"
#include "widgets/base/theme.h"
#include "widgets/draw/grapheditor.h"

#include <QPixmap>
#include <QWidget>

#include <optional>
#include <set>
#include <vector>

namespace fabricscope {

/// Part of a palette that is being dragged: what QMimeData carries it as.
constexpr const char* kPartMime = "application/x-fabricscope-part";
QByteArray partData(NodeKind kind);
std::optional<NodeKind> partOf(const QByteArray& data);

/// The page on which a graph is drawn: graphcanvas.cpp, graphparts.cpp, graphkeys.cpp, graphpainting.cpp.
///
/// Mouse: the wheel zooms at the pointer, the middle button (or Space and a drag) pans; a click selects, Shift adds; a drag on the page is a rubber band, to the right of
/// what lies inside, to the left of what is touched (Shift adds, Alt takes away); a drag of a part moves what is selected, with Alt off the grid; a drag from one of
/// the four ports of a part draws a link, from each that is selected; a double click selects all alike.
/// Keys: N, X, M put an NPU, a switch, a memory (arrows, Return); K draws a link (arrows and Return where it begins, unless that is selected; Tab or arrows to its end, Return); arrows go to the neighbour, Ctrl and arrows move
/// by 8, with Shift by 1; Delete, Ctrl+D, Ctrl+C, Ctrl+X, Ctrl+V, Ctrl+A; Return enters the copy of a blueprint that is selected; + - Ctrl+0; / types the fabric; Esc takes back the gesture under way, else clears the selection, else leaves the copy.
/// Ctrl, Alt and a click select a part of one copy to be changed there alone.
class GraphCanvas : public QWidget
{
    Q_OBJECT
public:
    explicit GraphCanvas(GraphEditor* editor, QWidget* parent = nullptr);

    const CanvasTransform& transform() const { return m_transform; }
    double zoom() const { return m_transform.scale; }
    void fit();
    void zoomAt(double factor, QPointF pixel);
    /// Moves the page where this is not in sight.
    void reveal(PointF scene);
    /// A part follows the pointer, or the arrow keys, until it is put.
    void beginPart(NodeKind kind);
    /// A link is drawn from what is selected, or from the part clicked next.
    void beginLink();
    bool isPlacing() const { return m_gesture == Gesture::Part; }
    bool isLinking() const { return m_gesture == Gesture::Link; }
    /// What stands beside the pointer while something is drawn; empty: nothing.
    QString callout() const;
    /// What stands at the part or link under the pointer; empty: there is none.
    QString hoverText() const;
    /// Middle of a part, and its port to the right, top, ..., in pixels of the widget.
    QPointF pixelOf(std::size_t node) const;
    QPointF portPixel(std::size_t node, int port) const;

    void paintOn(QPainter& painter);
    QSize sizeHint() const override { return {900, 500}; }
    QSize minimumSizeHint() const override { return {240, 160}; }

signals:
    void zoomChanged(double scale);
    /// In scene pixels, for the strip at the bottom; empty: the pointer is elsewhere.
    void pointerMoved(const QString& text);
    /// The fabric is to be typed.
    void lineRequested();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    enum class Gesture : std::uint8_t { None, Press, Pan, Band, Move, Part, Link };
    static constexpr double kLineReach = 5; ///< Pixels a pointer may miss a link by.
    static constexpr std::size_t kMostGuides = 400; ///< Parts that one is put in line with: those in sight.

    void setTheme(const Theme& theme);
    void setGesture(Gesture gesture);
    void cancelGesture();
    CanvasTransform fitted() const;
    void setTransform(const CanvasTransform& transform);
    void pictureChanged();
    void tellSelection();
    QPointF scene(QPointF pixel) const { return m_transform.inverse(pixel); }
    QRectF viewOf(const RectF& rect) const { return m_transform.map(rect); }
    double portReach() const;
    std::optional<std::size_t> portAt(QPointF pixel) const;
    std::vector<std::size_t> linkSources() const;
    void pressAlone(std::size_t node);
    void beginBand(Qt::KeyboardModifiers modifiers);
    void aim(QPointF pixel, Qt::KeyboardModifiers modifiers);
    void putPart(bool more);
    void finishLink(std::size_t to, bool parallel);
    void chooseTarget(int dx, int dy);
    void nextTarget(bool back);
    void go(int dx, int dy);
    void updateMove(Qt::KeyboardModifiers modifiers);
    bool partKey(const QKeyEvent& event);
    bool linkKey(const QKeyEvent& event);
    bool commandKey(const QKeyEvent& event);
    std::set<std::size_t> banded() const;
    QRectF band() const;
    bool isFitted() const;

    /// What of the drawing is painted: all but what is selected, and moves with it, is painted once.
    enum class Share : std::uint8_t { Still, Moving };
    bool isMoving(std::size_t node) const { return m_moving[node]; }
    bool isPainted(bool moving, Share share) const { return moving == (share == Share::Moving); }
    void paintStill(QPainter& painter);
    void paintGrid(QPainter& painter) const;
    void paintLinks(QPainter& painter, Share share) const;
    void paintNodes(QPainter& painter, Share share) const;
    void paintOverrides(QPainter& painter, Share share) const;
    void paintCopies(QPainter& painter, Share share) const;
    void paintHover(QPainter& painter) const;
    QString labelOf(std::size_t node) const;
    void paintVeil(QPainter& painter) const;
    QRectF frameOf(const std::vector<std::size_t>& nodes) const;
    void noteMoving();
    void paintPorts(QPainter& painter) const;
    void paintNode(QPainter& painter, const QRectF& rect, NodeKind kind, const QString& name, bool selected, bool hovered) const;
    void paintNewLinks(QPainter& painter) const;
    void paintGesture(QPainter& painter) const;
    void paintCallout(QPainter& painter, QPointF at, const QString& text) const;
    void paintMinimap(QPainter& painter) const;
    QPointF shiftOf(std::size_t node) const;

    GraphEditor* m_editor;
    Theme m_theme;
    CanvasTransform m_transform{1, PointF(400, 300)};
    bool m_fit = true;           ///< The whole is shown; a resize keeps it so.
    Gesture m_gesture = Gesture::None;
    QPointF m_pressed;           ///< Pixels.
    QPointF m_pointer;
    QPointF m_pressedOffset;
    bool m_space = false;
    std::size_t m_hover = 0;     ///< Number of a node; count(): none.
    std::size_t m_hoverBundle = 0;
    std::set<std::size_t> m_bandBase; ///< Selected before the band,
    std::set<std::size_t> m_bandBundles;
    Qt::KeyboardModifiers m_bandKeys;
    PointF m_shift;              ///< Of what is being moved, scene.
    std::vector<SnapGuide> m_guides;
    NodeKind m_part = NodeKind::Npu;
    PointF m_place;              ///< Where the part would be put, scene.
    std::vector<std::size_t> m_from;  ///< Where links being drawn begin.
    std::size_t m_target = 0;         ///< Their end, chosen by key or under the pointer; count(): none.
    bool m_byKey = false;
    bool m_keyboardFocus = false;
    std::vector<bool> m_moving; ///< By node: it is moved with what is selected,
    std::vector<bool> m_beside; ///< or joined to such a one.
    QPixmap m_still;            ///< All that does not move with what is selected; null: to be painted.
};

} // namespace fabricscope
