#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

class QToolButton;
class QHBoxLayout;

namespace fabricscope {

/// A section with a head that opens and closes it: mouse, Space, Enter.
class Collapsible : public QWidget
{
    Q_OBJECT
public:
    explicit Collapsible(const QString& title, QWidget* parent = nullptr);
    /// Takes the content over; it goes below the head.
    void setContent(QWidget* content);
    /// A widget at the right of the head (a chip, a hint).
    void addToHead(QWidget* widget);
    bool isOpen() const;
    void setOpen(bool open);

private:
    void setTheme(const Theme& theme);
    void restyle();

    QToolButton* m_head;
    QHBoxLayout* m_headRow;
    QWidget* m_content = nullptr;
    Theme m_theme;
};

} // namespace fabricscope
