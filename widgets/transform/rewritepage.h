#pragma once

#include "widgets/base/theme.h"
#include "widgets/transform/rewritedocument.h"

#include <QWidget>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTabBar;
class QTabWidget;

namespace fabricscope {

class GainChart;
class ResultTable;
class RewriteChart;
class RewriteRows;
class RewriteStart;
class ScheduleTree;
class StepHeader;
class TableModel;
class ValueRows;
struct ValueRow;

/// A program of computations and collectives and what its schedule makes of it: stages and applied steps at the left; both timelines, the gain of each step, the schedules
/// that were tried and the tensors in the middle; the result and the steps that could be next at the right.
class RewritePage : public QWidget
{
    Q_OBJECT
public:
    explicit RewritePage(QWidget* parent = nullptr);

    RewriteDocument* document() const { return m_document; }
    RewriteRows* stages() const { return m_stages; }
    RewriteRows* applied() const { return m_applied; }
    RewriteRows* offers() const { return m_offers; }
    RewriteChart* chart() const { return m_chart; }
    GainChart* gains() const { return m_gains; }
    ScheduleTree* tree() const { return m_tree; }
    ResultTable* tensors() const { return m_tensors; }
    QPushButton* searchButton() const { return m_search; }
    QLineEdit* stepField() const { return m_stepField; }
    QPushButton* saveButton() const { return m_save; }
    ValueRows* figures() const { return m_figures; }
    RewriteStart* start() const { return m_start; }
    /// Why the step that the program is a part of is not simulated; empty: it is, or there is none.
    QString stepNote() const;
    QString problemText() const;
    QString headlineText() const;

    /// Where nothing is open: a command that helps, above those of before.
    void setOpenAction(const QString& text, const std::function<void()>& open);
    /// Takes the offer in this row of offers().
    void takeOffer(int row);
    void toggleSearch();
    /// Before (true) or after the schedule.
    void showBefore(bool before);

signals:
    /// A program that comes with the window.
    void exampleChosen(const QString& text, const QString& name);
    void exportWanted();
    void saveWanted();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QWidget* makeLeft();
    QWidget* makeMiddle();
    QWidget* makeRight();
    void makeTree();
    void makeGain();
    void connectDocument();
    void connectViews();
    void arrange();
    void giveRoom();
    void showTraced();
    void showStages();
    void markStage();
    void revealSearch(bool running);
    void showOffers();
    void showSearch();
    void showFigures();
    void addStep(std::vector<ValueRow>& rows) const;
    void showName();
    void showProblem(const QString& text);
    void selectStage(const QString& stage);
    void chooseProgram(int program);
    int shownProgram() const;

    RewriteDocument* m_document;
    QStackedWidget* m_pages;
    RewriteStart* m_start; ///< Where nothing is open.
    StepHeader* m_programHeader;
    QTabBar* m_side;
    QStackedWidget* m_programPages;
    RewriteRows* m_stages;
    QPlainTextEdit* m_text;
    QLabel* m_sum;
    StepHeader* m_appliedHeader;
    RewriteRows* m_applied;
    QLabel* m_appliedSum;
    QPushButton* m_save;
    QPushButton* m_export;
    StepHeader* m_chartHeader;
    RewriteChart* m_chart;
    GainChart* m_gains;
    QWidget* m_gainPane;
    ScheduleTree* m_tree;
    QWidget* m_treePane;
    QLabel* m_searchNote;
    QPushButton* m_search;
    QTabWidget* m_tabs;
    QSplitter* m_middle;
    TableModel* m_tensorModel;
    ResultTable* m_tensors;
    QLabel* m_headline;
    QLabel* m_change;
    QLabel* m_since;
    QLabel* m_problem;
    ValueRows* m_figures;
    QLabel* m_stepNote;
    StepHeader* m_offersHeader;
    RewriteRows* m_offers;
    QLineEdit* m_stepField;
    std::vector<std::size_t> m_offerNumbers;
    std::vector<std::string> m_stageNames;
    std::string m_stage; ///< Selected; empty: none.
    bool m_stacked = false;
    bool m_wasSearching = false;
    bool m_isNew = false; ///< Nothing of what is open was on show yet.
    Theme m_theme;
};

} // namespace fabricscope
