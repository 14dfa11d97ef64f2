#pragma once

#include "widgets/base/theme.h"

#include <QDialog>

#include <functional>
#include <vector>

class QAction;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace fabricscope {

class ActionRegistry;

/// What is set for all designs, each with its usual value, its range and a way back to it. Every change holds at once. The field at the top leaves those that answer what is typed; Ctrl+F goes
/// there; Esc empties it, then closes.
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
    QLineEdit* searchField() const { return m_search; }
    /// Names of the rows that are on show.
    QStringList shownRows() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row {
        QString name;
        QWidget* editor = nullptr;
        QToolButton* reset = nullptr;
        std::function<bool()> isUsual;
        std::function<void()> makeUsual;
        std::function<void()> show; ///< The value there is.
        QString range;              ///< "13, from 10 to 26 px": the usual value first.
        QLabel* label = nullptr;
        QLabel* hint = nullptr;
        QLabel* section = nullptr;  ///< That it stands in.
    };

    void setTheme(const Theme& theme);
    void addSection(const QString& title);
    void addRow(Row row);
    void addTheme();
    void addTextSize();
    void addPatterns();
    void addLanguage();
    void addThreads();
    void addAutosave();
    /// A command that is on or off.
    void addSwitch(const char* name, QAction* action);
    void showValues();
    void search(const QString& typed);

    const ActionRegistry& m_registry;
    QGridLayout* m_grid = nullptr;
    QLineEdit* m_search = nullptr;
    QLabel* m_nothing = nullptr; ///< Said where no setting answers.
    QLabel* m_section = nullptr; ///< That is being filled.
    QPushButton* m_resetAll = nullptr;
    std::vector<Row> m_rows;
    bool m_showing = false; ///< Editors are being filled: that is no change.
};

} // namespace fabricscope
