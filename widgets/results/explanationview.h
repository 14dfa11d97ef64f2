#pragma once

#include "widgets/base/theme.h"
#include "widgets/results/explainrunner.h"

#include <QWidget>

#include <vector>

class QFrame;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace fabricscope {

class SensitivityChart;
class ValueRows;

/// Why a run takes as long as it takes: the parts of its critical path with their exact sum, how near it comes to its lower bound and what binds that, what
/// stands out by what it would save, each with one thing to do and the place that shows it, and the sensitivities with their ranges.
class ExplanationView : public QWidget
{
    Q_OBJECT
public:
    explicit ExplanationView(QWidget* parent = nullptr);

    /// Null: nothing is explained; it can be asked for where there is a run.
    void setExplanation(const ExplainedRunPtr& explained);
    const ExplainedRunPtr& explanation() const { return m_explained; }
    void setExplainable(bool can);
    /// An explanation is being made.
    void setBusy(bool busy);
    void setProgress(double share, bool ranging);
    /// In the place of an explanation.
    void setProblem(const QString& text);

signals:
    void explainWanted();
    void stopWanted();
    /// A field of the design and the value to try, as FieldOverride spells them.
    void tryEdit(const QString& field, const QString& value);
    /// A piece of the path is to be shown.
    void showPiece(std::size_t piece);

private:
    struct Item {
        QFrame* frame = nullptr;
        QLabel* text = nullptr;
        QLabel* gain = nullptr;
        QPushButton* act = nullptr;
        QPushButton* show = nullptr;
    };

    void setTheme(const Theme& theme);
    void addState(QVBoxLayout* column);
    Item makeItem(std::size_t number);
    void showItems();
    void showParts();
    void refresh();
    void restyle();

    ExplainedRunPtr m_explained;
    bool m_can = false;
    bool m_busy = false;
    QString m_problem;
    QLabel* m_state;
    QPushButton* m_act;
    QWidget* m_body;
    ValueRows* m_parts;
    QLabel* m_bound;
    QVBoxLayout* m_list;
    std::vector<Item> m_items;
    QLabel* m_sensitivity;
    SensitivityChart* m_chart;
    QLabel* m_notes;
    Theme m_theme;
};

} // namespace fabricscope
