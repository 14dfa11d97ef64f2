#pragma once

#include "core/plan/plansearchspec.h"
#include "widgets/base/theme.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QSpinBox;

namespace fabricscope {

/// What a search of plans tries, as fields: each of what may differ is tried, as in the plan, or given.
class PlanSearchFields : public QWidget
{
    Q_OBJECT
public:
    explicit PlanSearchFields(QWidget* parent = nullptr);

    /// Does not signal.
    void setSpec(const PlanSearchSpec& spec);
    /// Absent: `wrong` says why, and the field is marked.
    std::optional<PlanSearchSpec> spec(QString* wrong) const;
    bool simulate() const;
    void setSimulate(bool on);

    QComboBox* editorOf(PlanVariable variable) const;
    QComboBox* objective() const { return m_objective; }
    QCheckBox* alsoOf(PlanObjective objective) const;
    QSpinBox* top() const { return m_top; }

signals:
    void changed();

private:
    struct Row {
        PlanVariable variable;
        QComboBox* editor;
    };

    void setTheme(const Theme& theme);
    void addVariables(QFormLayout& form);
    void addObjectives(QFormLayout& form);
    void showFirst();

    std::vector<Row> m_rows;
    QComboBox* m_objective;
    std::vector<QCheckBox*> m_also; ///< In the order of kPlanObjectives.
    QSpinBox* m_top;
    QCheckBox* m_simulate;
};

/// `search` of a design as one line of YAML, and back; text that says no search: absent.
std::string planSearchText(const PlanSearchSpec& spec);
std::optional<PlanSearchSpec> planSearchOf(const std::string& text);

} // namespace fabricscope
