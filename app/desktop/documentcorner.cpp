#include "app/desktop/documentcorner.h"

#include <QAction>
#include <QMenuBar>
#include <QStyle>
#include <QStyleOptionMenuItem>

#include <algorithm>

namespace fabricscope {

DocumentCorner::DocumentCorner(QMenuBar* bar) : ElidedLabel(bar), m_bar(bar)
{
    setProperty("role", QStringLiteral("secondary"));
    setContentsMargins(0, 0, 12, 0);
    setAlignment(Qt::AlignVCenter | Qt::AlignRight);
}

QSize DocumentCorner::sizeHint() const
{
    const QSize whole = ElidedLabel::sizeHint();
    return {std::min(whole.width(), roomBesideMenus()), whole.height()};
}

/// As the bar itself counts; a menu it has no room for would be behind an arrow.
int DocumentCorner::roomBesideMenus() const
{
    const QStyle& style = *m_bar->style();
    int taken = 2 * (style.pixelMetric(QStyle::PM_MenuBarHMargin, nullptr, m_bar) + style.pixelMetric(QStyle::PM_MenuBarPanelWidth, nullptr, m_bar));
    for (const QAction* action : m_bar->actions()) {
        QStyleOptionMenuItem item;
        item.initFrom(m_bar);
        item.font = m_bar->font();
        item.text = action->text();
        const QSize letters = QFontMetrics(item.font).size(Qt::TextSingleLine | Qt::TextShowMnemonic, item.text);
        taken += style.sizeFromContents(QStyle::CT_MenuBarItem, &item, letters, m_bar).width() + style.pixelMetric(QStyle::PM_MenuBarItemSpacing, nullptr, m_bar);
    }
    return std::max(0, m_bar->width() - taken);
}

} // namespace fabricscope
