#pragma once

#include "core/base/quantity.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <functional>
#include <string>
#include <utility>
#include <vector>

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace fabricscope {

class BlueprintPanel;
class GraphEditor;
class QuantityField;
class StepHeader;

/// What is selected on the page, its values, and how it is put in line; with nothing selected, what there is in all. Fields write to the document.
class SelectionPanel : public QWidget
{
    Q_OBJECT
public:
    explicit SelectionPanel(GraphEditor* editor, QWidget* parent = nullptr);

    BlueprintPanel* blueprint() const { return m_blueprint; }

private:
    void setTheme(const Theme& theme);
    void showSelection();
    void showFigure(QuantityField* field, QLabel* beside, Measure measure);
    void showCrossbar();
    /// The one value there is, that they differ, or that there is none.
    void showValues(QuantityField* field, QLabel* beside, const std::vector<std::string>& values);
    void buildCrossbar();
    void buildFigures();
    void buildOverrides();
    void buildArrange();
    void showOverrides();
    void addRow(QGridLayout* rows, int row, QLabel* label, QWidget* field);
    QPushButton* addMenu(const QString& text, const std::vector<std::pair<QString, std::function<void()>>>& entries);

    GraphEditor* m_editor;
    StepHeader* m_header;
    QLabel* m_counts;
    QWidget* m_nameRow;
    QLineEdit* m_name;
    QWidget* m_figures;
    QuantityField* m_rate;
    QuantityField* m_latency;
    QLabel* m_rates;
    QLabel* m_latencies;
    QWidget* m_switches;
    QuantityField* m_crossbar;
    QLabel* m_crossbars;
    QPushButton* m_anyNumber;
    QWidget* m_overrides;
    QLabel* m_overridden;
    QPushButton* m_reset;
    BlueprintPanel* m_blueprint;
    QWidget* m_arrange;
    QPushButton* m_align;
    QPushButton* m_distribute;
    QPushButton* m_duplicate;
    QPushButton* m_delete;
};

} // namespace fabricscope
