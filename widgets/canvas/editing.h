#pragma once

#include "widgets/canvas/platformcanvas.h"
#include "widgets/design/document.h"

#include <QMenu>
#include <QObject>
#include <QPointer>

namespace fabricscope {

/// Editing on the drawn platform: the context menu of an NPU, a link, a group or a switch bar, and its keys. Everything is an undoable
/// edit of the document.
///
/// With an element selected: B bandwidth, L latency, S speed, Del removes or restores, R resets the override, Menu opens the menu.
class CanvasEditing : public QObject
{
    Q_OBJECT
public:
    /// Watches the canvas as long as both live.
    CanvasEditing(PlatformCanvas* canvas, QObject* parent = nullptr);
    void setDocument(DesignDocument* document);
    /// The dimension that dimension commands mean when the element has none; -1: none.
    void setDimension(int dimension) { m_dimension = dimension; }

    /// What can be done with an element; `dimension`: of the bar or disc under the pointer, -1: the element's. Never null; owned by
    /// the caller.
    QMenu* menuFor(const CanvasElement& element, int dimension = -1);
    /// Dimension of the switch bar or disc at a place of the canvas; -1: none.
    int dimensionAt(QPointF pixel);

    enum class Value { Bandwidth, Latency, Speed };
    /// Opens a small field beside the element (or for the whole dimension, when the element is a group or none).
    void change(Value value, const CanvasElement& element, int dimension);

signals:
    /// An edit was refused.
    void refused(const QString& message);
    void dimensionChosen(int dimension);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int dimensionOf(const CanvasElement& element) const;
    void tell(const Status& status);
    void toggleRemoved(const CanvasElement& element);
    void reset(const CanvasElement& element);
    bool key(int key, Qt::KeyboardModifiers modifiers);

    QPointer<PlatformCanvas> m_canvas;
    QPointer<DesignDocument> m_document;
    int m_dimension = -1;
    QPoint m_menuPlace;
};

} // namespace fabricscope
