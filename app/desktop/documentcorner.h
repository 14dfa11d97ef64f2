#pragma once

#include "widgets/base/elidedlabel.h"

class QMenuBar;

namespace fabricscope {

/// What is open, in the right corner of the menu bar; it gives way before a menu does.
class DocumentCorner : public ElidedLabel
{
    Q_OBJECT
public:
    explicit DocumentCorner(QMenuBar* bar);

    QSize sizeHint() const override;

private:
    int roomBesideMenus() const;

    QMenuBar* m_bar;
};

} // namespace fabricscope
