#pragma once

#include "widgets/base/theme.h"

#include <QDialog>

class QScrollArea;

namespace fabricscope {

class ActionRegistry;

/// Every command with its shortcuts, grouped by menu, as the registry has them. Esc closes it.
class ShortcutSheet : public QDialog
{
    Q_OBJECT
public:
    ShortcutSheet(const ActionRegistry& registry, const Theme& theme, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// Commands shown.
    int rowCount() const { return m_rows; }

private:
    void build();

    const ActionRegistry& m_registry;
    Theme m_theme;
    QScrollArea* m_scroll = nullptr;
    int m_rows = 0;
};

} // namespace fabricscope
