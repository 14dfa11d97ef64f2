#pragma once

namespace fabricscope {

class ActionRegistry;

/// A command as tables name it. Texts are marked QT_TRANSLATE_NOOP("fabricscope::Commands", ...).
struct CommandRow {
    const char* id;
    const char* menu;
    const char* text;
    const char* shortcuts; ///< Portable form, separated by "; ".
    const char* statusTip;
    const char* icon;
    bool checkable = false;
};

/// Registers every command of the window and its workspaces. Which object answers them is that of MainWindow or of the workspace.
void registerCommands(ActionRegistry& registry);

} // namespace fabricscope
