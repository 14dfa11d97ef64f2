#pragma once

#include "core/run/rundesign.h"
#include "widgets/base/theme.h"
#include "widgets/results/diagnosis.h"
#include "widgets/results/selectiondetails.h"

#include <QScrollArea>

#include <functional>

class QFrame;
class QGraphicsOpacityEffect;
class QLabel;
class QPushButton;

namespace fabricscope {

class Collapsible;
class ExplanationView;
class ResultSection;
class ValueRows;
struct ExplainedRun;

/// The right dock: the result, at most one finding, in its place why the run takes so long where that is known, and what is selected with the reasons for its time. 280 to 400 px wide at the
/// base font; scrolls when it is low.
class Inspector : public QScrollArea
{
    Q_OBJECT
public:
    explicit Inspector(QWidget* parent = nullptr);

    /// `previous` (may be null) is what the change is measured against, `sinceText` the title of the edit between them.
    /// A selected link, NPU or dimension is shown with its new figures; an interval or range stays as it was.
    void setResult(RunResultPtr current, RunResultPtr previous = {}, const QString& sinceText = {});
    const RunResultPtr& result() const { return m_result; }
    /// Of the result on show; it asks for one, and for its end.
    ExplanationView& explanationView() { return *m_explanation; }
    /// Null, or of another result: none.
    void setExplanation(const std::shared_ptr<const ExplainedRun>& explained);
    /// A newer result is being made: chip "Updating", the old one at 60 %.
    void setUpdating(bool updating);
    /// The result belongs to inputs that have changed since: chip "Earlier inputs" instead of "Complete".
    void setOutdated(bool outdated);

    /// `rankClass`, `task` as TimelineSource::interval() and track give them; -1: looked for.
    void showEvent(const TimelineEvent& event, std::int32_t rankClass = -1, TaskIndex task = -1);
    using QScrollArea::showEvent;
    void showLink(LinkId link);
    void showNpu(NodeId npu);
    void showDimension(int dimension);
    void showRange(const TimeRange& range, const TimelineSums& sums);
    void clearSelection();

    const std::optional<SelectionDetails>& selection() const { return m_selection; }
    const std::optional<Finding>& finding() const { return m_finding; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void stepThrough(int instance);
    void showOnTimeline(qint64 rank);
    void selectLink(qint64 link);
    /// A field of the design and the value to try, as FieldOverride spells them.
    void tryEdit(const QString& field, const QString& value);

private:
    void setTheme(const Theme& theme);
    void buildDiagnosis(QWidget* parent);
    void buildSelection();
    void refreshStatus();
    void refreshDiagnosis();
    void refreshSelection();
    void select(std::function<SelectionDetails(const RunResult&)> describe, bool follows);
    void restyle();

    RunResultPtr m_result;
    bool m_updating = false;
    bool m_outdated = false;
    std::optional<Finding> m_finding;
    std::optional<SelectionDetails> m_selection;
    std::function<SelectionDetails(const RunResult&)> m_describe; ///< Again for the next result; empty: it stays.
    Theme m_theme;

    Collapsible* m_resultHead;
    Collapsible* m_explanationHead;
    Collapsible* m_selectionHead;
    ExplanationView* m_explanation;
    ResultSection* m_resultSection;
    QGraphicsOpacityEffect* m_fade;
    QLabel* m_status;
    QFrame* m_diagnosis = nullptr;
    QLabel* m_diagnosisIcon = nullptr;
    QLabel* m_diagnosisTitle = nullptr;
    QLabel* m_diagnosisText = nullptr;
    QPushButton* m_try = nullptr;
    QPushButton* m_show = nullptr;
    QWidget* m_selectionBody = nullptr;
    QLabel* m_selectionMark = nullptr;
    QLabel* m_selectionTitle = nullptr;
    QLabel* m_selectionText = nullptr;
    ValueRows* m_selectionRows = nullptr;
    QWidget* m_why = nullptr;
    QLabel* m_whyTitle = nullptr;
    QLabel* m_whyUnit = nullptr;
    ValueRows* m_whyRows = nullptr;
    QPushButton* m_step = nullptr;
    QPushButton* m_onTimeline = nullptr;
    QFrame* m_rules[2] = {};
};

} // namespace fabricscope
