#pragma once

#include "core/design/model.h"
#include "widgets/base/actions.h"

#include <QToolBar>

class QComboBox;
class QFrame;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace fabricscope {

class CommandPalette;
class PaletteField;

/// Workspaces, undo, Run, model, search and export in one row; a 2 px progress line along its lower edge.
class MainToolBar : public QToolBar
{
    Q_OBJECT
public:
    MainToolBar(ActionRegistry& registry, CommandPalette& palette, QWidget* parent = nullptr);

    void setModel(Model model);
    /// While busy Run is Stop. `share` 0..1 fills the line; negative: no line yet.
    void setBusy(bool busy, double share = -1);
    void setRunnable(bool runnable);

signals:
    void modelChosen(fabricscope::Model model);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QToolButton* iconButton(const QString& id);
    void fillModels();
    QLayout* makeWorkspaces();
    QToolButton* segment(const QString& id, const char* place);
    QPushButton* labelled(const QString& id);
    void placeLine();
    void fitLabels();
    void setLabels(bool labels);
    void fitSegments();
    /// Which workspaces stand there by name; the others are icons. Close: all, with little room beside the names.
    enum class Named { All, Close, Shown, None };
    void nameSegments(Named named);
    bool barFits();

    ActionRegistry& m_registry;
    QWidget* m_bar = nullptr; ///< Over the whole tool bar.
    QLayout* m_workspaces = nullptr; ///< Of m_segments.
    Theme m_theme;
    QPushButton* m_run;
    QComboBox* m_model;
    QLabel* m_live;
    PaletteField* m_search;
    QPushButton* m_pin;
    QPushButton* m_export;
    QProgressBar* m_line;
    std::vector<QToolButton*> m_segments; ///< Of workspaces.
    std::vector<QToolButton*> m_iconButtons;
    std::vector<QFrame*> m_rules;
    bool m_busy = false;
};

} // namespace fabricscope

Q_DECLARE_METATYPE(fabricscope::Model)
