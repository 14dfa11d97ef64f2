#pragma once

#include <QObject>

class QWidget;

namespace fabricscope {

/// Text fields of Qt claim the keys of undo and redo also when they have nothing to undo, and nothing happens. With this object a field
/// takes them only while it has something to take back; else they are the shortcuts of the window. Holds for every text field, spin box
/// and editable list of one window, also those made later.
class UndoKeys : public QObject
{
    Q_OBJECT
public:
    explicit UndoKeys(QWidget* window);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* m_window;
};

} // namespace fabricscope
