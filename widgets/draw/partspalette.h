#pragma once

#include "core/platform/platform.h"
#include "widgets/base/theme.h"

#include <QPointer>
#include <QToolButton>
#include <QWidget>

#include <vector>

class QLabel;
class QTabWidget;

namespace fabricscope {

class GalleryView;
class GraphCanvas;
class GraphEditor;
class OutlineView;
class QuantityField;

/// A tile of the palette with the key that does the same in its corner.
class KeyTile : public QToolButton
{
    Q_OBJECT
public:
    KeyTile(const QString& text, QChar key, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QChar m_key;
};

/// A part of the palette: a click, or its key, takes it to the page; it can also be dragged there.
class PartTile : public KeyTile
{
    Q_OBJECT
public:
    PartTile(NodeKind kind, const QString& text, QChar key, QWidget* parent = nullptr);
    NodeKind kind() const { return m_kind; }

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    NodeKind m_kind;
    QPoint m_pressed;
};

/// What can be drawn, what new links are like, and whole fabrics and hosts.
class PartsPalette : public QWidget
{
    Q_OBJECT
public:
    PartsPalette(GraphEditor* editor, GraphCanvas* canvas, QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;
    GalleryView* gallery() const { return m_gallery; }
    OutlineView* outline() const { return m_outline; }
    /// The outline comes on show and takes the keys.
    void openOutline();

signals:
    /// A new, empty design is wanted.
    void newRequested();

private:
    QWidget* buildTiles();
    QWidget* buildLinks();
    void setTheme(const Theme& theme);
    void showState();

    Theme m_theme;
    GraphEditor* m_editor;
    GraphCanvas* m_canvas;
    std::vector<std::pair<QToolButton*, const char*>> m_tiles; ///< With their icons.
    QuantityField* m_rate;
    QuantityField* m_latency;
    GalleryView* m_gallery;
    OutlineView* m_outline;
    QTabWidget* m_tabs;
};

} // namespace fabricscope
