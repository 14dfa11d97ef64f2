#include "widgets/base/apptheme.h"

#include <QApplication>

namespace fabricscope {

AppTheme& AppTheme::global()
{
    static AppTheme theme;
    return theme;
}

void AppTheme::set(const Theme& theme)
{
    m_theme = theme;
    if (auto* application = qobject_cast<QApplication*>(QCoreApplication::instance()))
        m_theme.apply(*application);
    emit changed(m_theme);
}

} // namespace fabricscope
