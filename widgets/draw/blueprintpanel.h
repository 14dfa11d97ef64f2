#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

class QCheckBox;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace fabricscope {

class GraphEditor;
class StepHeader;

/// The blueprint of what is selected: its name, how many copies, whether one copy alone is changed; of parts that are in none, the button that makes one of them.
class BlueprintPanel : public QWidget
{
    Q_OBJECT
public:
    explicit BlueprintPanel(GraphEditor* editor, QWidget* parent = nullptr);
    /// The focus goes to the number of copies.
    void takeFocus();

private:
    void showBlueprint();

    GraphEditor* m_editor;
    StepHeader* m_header;
    QWidget* m_fields;
    QLineEdit* m_name;
    QSpinBox* m_count;
    QCheckBox* m_onlyThis;
    QPushButton* m_enter;
    QPushButton* m_ungroup;
    QPushButton* m_group;
};

/// Says that every change is made in all copies, while one is entered, or in one alone. It lies over the page, and takes the mouse there.
class BlueprintBanner : public QWidget
{
    Q_OBJECT
public:
    explicit BlueprintBanner(GraphEditor* editor, QWidget* parent = nullptr);

private:
    void showState();

    GraphEditor* m_editor;
    class ElidedLabel* m_text;
    QPushButton* m_leave;
};

} // namespace fabricscope
