#pragma once

#include "widgets/base/tablemodel.h"
#include "widgets/base/theme.h"
#include "widgets/workload/plansearchrunner.h"

#include <QJsonObject>
#include <QWidget>

#include <optional>
#include <stop_token>
#include <string>

class QLabel;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QSplitter;
class QToolButton;

namespace fabricscope {

class DesignDocument;
class PlanScatter;
class PlanSearchFields;
class ResultTable;
class StepHeader;

/// Searches the best plans for the model of the design in the background, lists them, and says why they are the best. What is searched starts as `search` of the design says.
class PlanSearchPanel : public QWidget
{
    Q_OBJECT
public:
    explicit PlanSearchPanel(QWidget* parent = nullptr);
    ~PlanSearchPanel() override;

    /// Not owned.
    void setDocument(DesignDocument* document);
    /// The newest answer; null: none.
    const PlanAnswerPtr& answer() const { return m_answer; }
    bool isBusy() const { return m_runner.isBusy(); }
    /// Nothing is searched, or looked at.
    bool isSettled() const { return !isBusy() && !m_comparing && !m_runsWhenSeen; }

    PlanSearchFields* fields() const { return m_fields; }
    PlanScatter* scatter() const { return m_scatter; }
    ResultTable* plans() const { return m_plans; }
    ResultTable* parts() const { return m_parts; }
    QPushButton* startButton() const { return m_start; }
    QPushButton* useButton() const { return m_use; }
    QPushButton* openButton() const { return m_open; }
    QPushButton* pinButton() const { return m_pin; }
    QPushButton* keepButton() const { return m_keep; }
    QString stateText() const;
    /// Of the row that is chosen: its index, or planned::kOwnPlan; -1: none.
    qint64 chosen() const;

    /// What is searched, for the next session, and whether it was. restore() searches again as soon as somebody looks.
    QJsonObject kept() const;
    void restore(const QJsonObject& kept);

signals:
    void backRequested();
    void said(const QString& text);
    void refused(const QString& text);
    /// The design with the plan that is chosen, as a text.
    void openRequested(const QByteArray& text, const QString& suggestedName, const QString& folder);
    void pinRequested(const QString& name, const QString& file, const QByteArray& text);
    /// A search has ended.
    void settled();

protected:
    void showEvent(QShowEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QWidget* makeSide();
    QWidget* makeResult();
    void connectAll();
    void readDesign();
    void forget();
    void check();
    void startOrStop();
    void showMoment(const PlanSearchMoment& moment);
    void take(const PlanAnswerPtr& answer);
    void fail(const Error& error);
    void choose(qint64 id);
    void showParts();
    void endComparison();
    void compareDesign();
    void showState(const QString& text, bool isError = false);
    QString answerText() const;
    QString countsText() const;
    void usePlan();
    std::optional<std::string> textWithPlan();
    void openPlan();
    void pinPlan();
    void keepSearch();

    Theme m_theme;
    PlanSearchRunner m_runner{this};
    DesignDocument* m_document = nullptr;
    PlanAnswerPtr m_answer;
    std::string m_designSearch; ///< `search` of the design as it was taken.
    int m_number = 0;           ///< Of the newest comparison with the design.
    std::stop_source m_comparisonStop; ///< Of that.
    bool m_comparing = false;
    bool m_comparesWhenSeen = false;
    bool m_outdated = false;    ///< The design has changed in more than its plan since.
    bool m_runsWhenSeen = false;
    bool m_dropped = false;     ///< What is being searched belongs to another design.
    TableModel m_planModel;
    TableModel m_partModel;
    StepHeader* m_head;
    QToolButton* m_back;
    QSplitter* m_split;
    QSplitter* m_lower;
    PlanSearchFields* m_fields;
    QScrollArea* m_side = nullptr;
    QLabel* m_note;
    QPushButton* m_start;
    QPushButton* m_keep;
    QProgressBar* m_progress;
    QLabel* m_state;
    QLabel* m_counts;
    ResultTable* m_plans;
    PlanScatter* m_scatter;
    QLabel* m_why;
    ResultTable* m_parts;
    QPushButton* m_use;
    QPushButton* m_open;
    QPushButton* m_pin;
};

} // namespace fabricscope
