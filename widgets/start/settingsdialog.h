#pragma once

#include "widgets/base/theme.h"

#include <QDialog>

#include <functional>
#include <vector>

class QAction;
class QGridLayout;
class QPushButton;
class QToolButton;

namespace fabricscope {

class ActionRegistry;

/// What is set for all designs, each with its usual value, its range and a way back to it. Every change holds at once; Esc closes.
class SettingsDialog : public QDialog
{
    Q_OBJECT
public:
    explicit SettingsDialog(const ActionRegistry& registry, QWidget* parent = nullptr);

    /// What can be set, in the order of the dialog: also how a setting is called where one looks for it.
    static QStringList names();
    /// Of the switch of the window that a row is; empty: of none.
    static QString commandOf(const QString& name);
    /// Gives this one the focus. Unknown: nothing happens.
    void focusOn(const QString& name);
    int rowCount() const { return static_cast<int>(m_rows.size()); }
    void resetAll();

private:
    struct Row {
        QString name;
        QWidget* editor = nullptr;
        QToolButton* reset = nullptr;
        std::function<bool()> isUsual;
        std::function<void()> makeUsual;
        std::function<void()> show; ///< The value there is.
    };

    void setTheme(const Theme& theme);
    void addSection(const QString& title);
    void addRow(Row row);
    void addTheme();
    void addTextSize();
    void addPatterns();
    void addThreads();
    void addAutosave();
    /// A command that is on or off.
    void addSwitch(const char* name, QAction* action);
    void showValues();

    const ActionRegistry& m_registry;
    QGridLayout* m_grid = nullptr;
    QPushButton* m_resetAll = nullptr;
    std::vector<Row> m_rows;
    bool m_showing = false; ///< Editors are being filled: that is no change.
};

} // namespace fabricscope
