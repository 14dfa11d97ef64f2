#pragma once

#include <QObject>
#include <QPointF>
#include <QPointer>
#include <QTemporaryDir>

class QMimeData;
class QWidget;

namespace fabricscope {

/// Any view of the window is dragged out with Ctrl and Shift held: other programs take it as a picture, as SVG, or as a file of either.
class ViewDrags : public QObject
{
    Q_OBJECT
public:
    explicit ViewDrags(QWidget* window);

    /// What a view is for the clipboard and for whoever it is dropped on. `files`: with a file, which stays as long as this does.
    QMimeData* mimeOf(QWidget& view, bool files) const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* m_window;
    QTemporaryDir m_folder;
    QPointer<QWidget> m_view; ///< Where the button went down.
    QPointF m_pressed;
};

} // namespace fabricscope
