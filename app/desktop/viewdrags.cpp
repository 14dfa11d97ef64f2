#include "app/desktop/viewdrags.h"

#include "widgets/report/viewexport.h"

#include <QApplication>
#include <QDrag>
#include <QMimeData>
#include <QMouseEvent>
#include <QRegularExpression>
#include <QUrl>
#include <QWidget>

namespace fabricscope {

namespace {

constexpr Qt::KeyboardModifiers kDragKeys = Qt::ControlModifier | Qt::ShiftModifier;
constexpr int kThumbnail = 240; ///< Pixels that go with the pointer.

/// "trade-off.svg".
QString fileNameOf(const QWidget& view)
{
    static const QRegularExpression others(QStringLiteral("[^\\p{L}\\p{N}]+"));
    return view.accessibleName().toLower().replace(others, QStringLiteral("-")) + QStringLiteral(".svg");
}

} // namespace

ViewDrags::ViewDrags(QWidget* window) : QObject(window), m_window(window)
{
    qApp->installEventFilter(this);
}

QMimeData* ViewDrags::mimeOf(QWidget& view, bool files) const
{
    auto* const mime = new QMimeData;
    mime->setImageData(imageOfView(view, 2));
    mime->setData(QStringLiteral("image/svg+xml"), svgOfView(view));
    if (!files || !m_folder.isValid())
        return mime;
    const QString path = m_folder.filePath(fileNameOf(view));
    if (exportAnyView(view, path))
        mime->setUrls({QUrl::fromLocalFile(path)});
    return mime;
}

/// A press with both keys is for the drag alone: the view does not hear of it.
bool ViewDrags::eventFilter(QObject* watched, QEvent* event)
{
    const QEvent::Type type = event->type();
    if (type != QEvent::MouseButtonPress && type != QEvent::MouseMove && type != QEvent::MouseButtonRelease)
        return false;
    auto* const widget = qobject_cast<QWidget*>(watched);
    if (!widget || widget->window() != m_window)
        return false;
    const auto& mouse = static_cast<const QMouseEvent&>(*event);
    if (type == QEvent::MouseButtonPress && mouse.button() == Qt::LeftButton && mouse.modifiers() == kDragKeys) {
        m_view = viewAround(widget);
        m_pressed = mouse.globalPosition();
        return !m_view.isNull();
    }
    if (m_view.isNull())
        return false;
    if (type == QEvent::MouseButtonRelease) {
        m_view.clear();
        return true;
    }
    if ((mouse.globalPosition() - m_pressed).manhattanLength() < QApplication::startDragDistance())
        return true;
    QWidget& view = *m_view;
    m_view.clear();
    auto* const drag = new QDrag(&view);
    drag->setMimeData(mimeOf(view, true));
    drag->setPixmap(QPixmap::fromImage(imageOfView(view).scaled(kThumbnail, kThumbnail, Qt::KeepAspectRatio, Qt::SmoothTransformation)));
    drag->exec(Qt::CopyAction);
    return true;
}

} // namespace fabricscope
