#include "widgets/step/playerview.h"

#include "widgets/base/apptheme.h"
#include "widgets/step/chunkpaint.h"
#include "widgets/step/player.h"

#include <QFocusEvent>
#include <QHelpEvent>
#include <QToolTip>

namespace fabricscope {

PlayerView::PlayerView(const QString& name, QWidget* parent) : QWidget(parent)
{
    setAccessibleName(name);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    followTheme(this, &PlayerView::setTheme);
}

void PlayerView::setPlayer(StepPlayer* player)
{
    if (m_player)
        m_player->disconnect(this);
    m_player = player;
    follow(*player);
}

void PlayerView::setTheme(const Theme& theme)
{
    m_theme = theme;
    themeChanged();
    updateGeometry();
    update();
}

void PlayerView::paintFocus(QPainter& painter) const
{
    if (m_keyboardFocus)
        steppaint::focusRing(painter, rect(), m_theme);
}

bool PlayerView::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = tipAt(help->pos());
        if (tip.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), tip, this);
        return true;
    }
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        m_keyboardFocus = event->type() == QEvent::FocusIn && (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason);
        update();
    }
    return QWidget::event(event);
}

} // namespace fabricscope
