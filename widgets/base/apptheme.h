#pragma once

#include "widgets/base/theme.h"

#include <QObject>

namespace fabricscope {

/// The theme of the application: one object, which widgets listen to. See followTheme().
class AppTheme : public QObject
{
    Q_OBJECT
public:
    static AppTheme& global();

    const Theme& theme() const { return m_theme; }
    /// Styles the application, where there is one with widgets, then tells whoever follows: first made, first told.
    void set(const Theme& theme);

signals:
    void changed(const fabricscope::Theme& theme);

private:
    AppTheme() = default;
    Theme m_theme;
};

/// Has `receiver` take the theme there is now, and every later one. For the end of a constructor: its parts, made before, are told before it.
template <class Receiver, class Owner>
void followTheme(Receiver* receiver, void (Owner::*take)(const Theme&))
{
    QObject::connect(&AppTheme::global(), &AppTheme::changed, receiver, take);
    (receiver->*take)(AppTheme::global().theme());
}

} // namespace fabricscope
