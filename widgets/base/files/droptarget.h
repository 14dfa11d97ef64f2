#pragma once

#include "widgets/base/theme.h"

#include <QStringList>
#include <QWidget>

class QMimeData;

namespace fabricscope {

/// Lets a whole window take dropped files: while files are dragged over it, a sheet lies over everything and says so.
class DropTarget : public QWidget
{
    Q_OBJECT
public:
    explicit DropTarget(QWidget* window);

    /// Local files and folders of what is dragged; empty: nothing to open.
    static QStringList filesOf(const QMimeData& data);

signals:
    /// All files of one drop, absolute paths.
    void dropped(const QStringList& paths);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void cover(qsizetype files);

    QWidget* m_window;
    Theme m_theme;
    qsizetype m_files = 0;
};

} // namespace fabricscope
