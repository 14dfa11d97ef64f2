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
    explicit ShortcutSheet(const ActionRegistry& registry, QWidget* parent = nullptr);

    /// Commands shown.
    int rowCount() const { return m_rows; }

private:
    void setTheme(const Theme& theme);
    void build();

    const ActionRegistry& m_registry;
    Theme m_theme;
    QScrollArea* m_scroll = nullptr;
    int m_rows = 0;
};

} // namespace fabricscope
