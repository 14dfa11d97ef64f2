#pragma once

#include "core/platform/platform.h"
#include "widgets/base/theme.h"

#include <QPointer>
#include <QToolButton>
#include <QWidget>

#include <vector>

class QLabel;

namespace fabricscope {

class GraphCanvas;
class GraphEditor;
class QuantityField;

/// A part of the palette: a click, or its key, takes it to the page; it can also be dragged there.
class PartTile : public QToolButton
{
    Q_OBJECT
public:
    PartTile(NodeKind kind, const QString& text, QWidget* parent = nullptr);
    NodeKind kind() const { return m_kind; }

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    NodeKind m_kind;
    QPoint m_pressed;
};

/// What can be drawn, and what new links are like.
class PartsPalette : public QWidget
{
    Q_OBJECT
public:
    PartsPalette(GraphEditor* editor, GraphCanvas* canvas, QWidget* parent = nullptr);

signals:
    /// A new, empty design is wanted.
    void newRequested();

private:
    void setTheme(const Theme& theme);
    void showState();

    GraphEditor* m_editor;
    GraphCanvas* m_canvas;
    std::vector<std::pair<QToolButton*, const char*>> m_tiles; ///< With their icons.
    QuantityField* m_rate;
    QuantityField* m_latency;
};

} // namespace fabricscope
