#pragma once

#include "app/desktop/goto.h"

#include <QString>

#include <functional>
#include <vector>

class QWidget;

namespace fabricscope {

class ActionRegistry;

/// Settings on a page are its widgets with this property; they are known by their accessible names.
inline constexpr const char* kSettingProperty = "setting";

/// Settings of a page. Opening one calls `show`, which brings the page, then makes the widget visible where it is scrolled away or on a tab, and gives it
/// the focus.
std::vector<GoToSetting> settingsOfPage(const QWidget& page, const QString& where, const std::function<void()>& show);

/// Fields of a design that a panel has editors for; `focus` goes to one by its name ("collectives.default.chunks").
std::vector<GoToSetting> settingsOfDesign(const QString& where, const std::function<void(const QString& field)>& focus);

/// Those of the dialog; each opens it, `where` being what it is called.
std::vector<GoToSetting> settingsOfDialog(const ActionRegistry& registry, const QString& where, QWidget* window);
/// The dialog of settings of this window; the one that is open already comes to the front. `name`: what has the focus then; empty: the first.
void openSettingsDialog(const ActionRegistry& registry, QWidget* window, const QString& name = {});

} // namespace fabricscope
