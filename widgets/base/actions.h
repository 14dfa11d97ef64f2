#pragma once

#include "widgets/base/theme.h"

#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QObject>
#include <QString>
#include <QStringList>

#include <vector>

namespace fabricscope {

/// What a command is before it is an action.
struct Command {
    QString id;                    ///< "file.open": unique; the key in settings and in tests.
    QString menu;                  ///< Group in the shortcut sheet: "File".
    QString text;                  ///< With mnemonic: "&Open…".
    QList<QKeySequence> shortcuts; ///< The first one is shown.
    QString statusTip;
    QString icon;                  ///< Name for icon(): "open".
    bool checkable = false;
};

/// Every command of the program as an action; the one place that knows ids, shortcuts and icons. Owns its actions.
/// A registered action works as soon as a widget has it by QWidget::addActions().
class ActionRegistry : public QObject
{
    Q_OBJECT
public:
    explicit ActionRegistry(QObject* parent = nullptr);

    /// Null when the id is empty or taken, or a shortcut is taken; problems() then says so.
    QAction* add(const Command& command);
    /// Null: no such command.
    QAction* action(const QString& id) const { return m_byId.value(id); }
    /// In the order of registration.
    const std::vector<QAction*>& actions() const { return m_actions; }
    int count() const { return static_cast<int>(m_actions.size()); }
    /// Menus in the order of their first command.
    QStringList menus() const;
    std::vector<QAction*> inMenu(const QString& menu) const;

    static QString idOf(const QAction& action);
    static QString menuOf(const QAction& action);
    /// The text without mnemonic and ellipsis.
    static QString plainText(const QAction& action);

    /// What keeps the registry from being complete: refused commands, and commands without text, shortcut, status tip or icon.
    QStringList problems() const;

    /// Enabled and disabled commands that answer what was typed, best first; all of them for an empty text.
    std::vector<QAction*> search(const QString& typed) const;

private:
    /// Draws the icons anew.
    void setTheme(const Theme& theme);

    Theme m_theme;
    std::vector<QAction*> m_actions;
    QHash<QString, QAction*> m_byId;
    QStringList m_refused;
};

} // namespace fabricscope
