#include "widgets/base/files/droptarget.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/icons.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QPainter>
#include <QUrl>

namespace fabricscope {

DropTarget::DropTarget(QWidget* window)
    : QWidget(window)
    , m_window(window)
{
    setAccessibleName(tr("Drop files to open them"));
    setAcceptDrops(true);
    window->setAcceptDrops(true);
    hide();
    // Fields inside the window take drops of text themselves; files are seen here before they reach one.
    qApp->installEventFilter(this);
    followTheme(this, &DropTarget::setTheme);
}

void DropTarget::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

QStringList DropTarget::filesOf(const QMimeData& data)
{
    QStringList paths;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile())
            paths += url.toLocalFile();
    return paths;
}

void DropTarget::cover(qsizetype files)
{
    m_files = files;
    setGeometry(m_window->rect());
    raise();
    show();
    update();
}

bool DropTarget::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_window && event->type() == QEvent::Resize && isVisible())
        setGeometry(m_window->rect());
    const bool enters = event->type() == QEvent::DragEnter;
    if ((enters || event->type() == QEvent::Drop) && watched != this && watched->isWidgetType() && static_cast<QWidget*>(watched)->window() == m_window) {
        auto* drop = static_cast<QDropEvent*>(event);
        const QStringList paths = filesOf(*drop->mimeData());
        if (!paths.isEmpty()) {
            drop->acceptProposedAction();
            if (enters) {
                cover(paths.size());
            } else {
                hide();
                emit dropped(paths);
            }
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void DropTarget::dragEnterEvent(QDragEnterEvent* event)
{
    const QStringList paths = filesOf(*event->mimeData());
    if (paths.isEmpty())
        return;
    cover(paths.size());
    event->acceptProposedAction();
}

void DropTarget::dragMoveEvent(QDragMoveEvent* event)
{
    event->acceptProposedAction();
}

void DropTarget::dragLeaveEvent(QDragLeaveEvent*)
{
    hide();
}

void DropTarget::dropEvent(QDropEvent* event)
{
    hide();
    const QStringList paths = filesOf(*event->mimeData());
    if (paths.isEmpty())
        return;
    event->acceptProposedAction();
    emit dropped(paths);
}

void DropTarget::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor veil = m_theme.color(Role::Panel);
    veil.setAlphaF(0.92F);
    painter.fillRect(rect(), veil);
    const int inset = m_theme.scaled(16);
    painter.setPen(QPen(m_theme.color(Role::Accent), 2, Qt::DashLine));
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), 6, 6);

    const int side = m_theme.scaled(24);
    const QPoint middle = rect().center();
    icon("open", IconColors::plain(m_theme.color(Role::Accent))).paint(&painter, QRect(middle.x() - side / 2, middle.y() - 2 * side, side, side));
    QRect line(inset, middle.y() - side / 2, width() - 2 * inset, m_theme.scaled(28));
    painter.setFont(m_theme.font(TextStyle::Title));
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(line, Qt::AlignCenter, m_files == 1 ? tr("Drop the file to open it") : tr("Drop %1 files to open them").arg(m_files));
    line.translate(0, m_theme.scaled(32));
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.setPen(m_theme.color(Role::Text2));
    painter.drawText(line, Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, tr("Designs, saved runs, ASTRA-sim inputs, Chakra traces"));
}

} // namespace fabricscope
