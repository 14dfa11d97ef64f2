#pragma once

#include "widgets/base/theme.h"
#include "widgets/compare/runner.h"

#include <QWidget>

#include <memory>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QTabWidget;

namespace fabricscope {

class CompareCard;
class ComparedTimelines;
class ResultTable;
class TableModel;
class TimelineLegend;
class WaterfallView;
class WhyPane;

/// Two to four designs side by side: what was pinned, what files were added, and the result of the design that is open, which follows its edits. Cards, one
/// time axis, figures with differences, and a waterfall over the fields that differ.
class CompareWorkspace : public QWidget
{
    Q_OBJECT
public:
    explicit CompareWorkspace(QWidget* parent = nullptr);

    /// The result of the design that is open; null: none. What was pinned or added stays.
    void setCurrent(const RunResultPtr& run, const QString& name);
    /// Keeps the current result, whatever is opened or edited later. False: there is none, it is kept already, or there are four.
    bool pinCurrent();
    /// What all is compared with in the window, the current result, is kept and the baseline here too. False: there is none, or there are four.
    bool pinBaseline();
    /// What only pinBaseline() keeps goes again.
    void unpinBaseline();
    /// Runs the designs of the files and adds them; what is too much is said.
    void addFiles(const QStringList& paths);
    /// The same for a design that is a text. False: there are four.
    bool addDesign(DesignSource source);
    /// A and B change places, and with them what the baseline is.
    void swapFirst();
    void setBaseline(std::size_t number);
    /// What is open was given before the files that are added: it is A and the baseline, and they come after it. Nothing is open: nothing happens.
    void putCurrentFirst();
    void remove(std::size_t number);
    /// What is compared but what only follows the open design, and what is still to be run. In keptdesigns.cpp, as restore().
    KeptComparison kept() const;
    /// Runs what an earlier session kept, behind what is here, as far as there is room. What cannot be run any more keeps its place with the reason.
    void restore(const KeptComparison& kept);

    /// Runs that are compared, A first.
    std::vector<NamedRun> runs() const;
    std::size_t baseline() const { return m_baseline; }
    /// Of the runs on show; null: not compared yet, or fewer than two.
    const std::shared_ptr<const DesignSet>& set() const { return m_set; }
    ComparisonRunner* runner() const { return m_runner; }
    std::vector<CompareCard*> cards() const;
    ResultTable* figures() const { return m_figures; }
    WaterfallView* waterfall() const;
    /// Another order of the fields, or means over orders: the designs between are run again, while the waterfalls before stay on show.
    void chooseWaterfall(const WaterfallChoice& choice);
    const WaterfallChoice& waterfallChoice() const { return m_choice; }
    ComparedTimelines* timelines() const { return m_timelines; }

signals:
    /// Something was done, or is to be known.
    void statusText(const QString& text);
    void refused(const QString& text);
    void addRequested();
    /// set() is another, or there is none any more.
    void setChanged();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Entry {
        QString name;
        RunResultPtr run; ///< Null: could not be run.
        QString message;
        bool current = false;
        bool asBaseline = false; ///< Only pinBaseline() put it here.
        bool first = false;      ///< What is added comes after it, though it is what is open.
        DesignSource source{};   ///< Of a file, or of an earlier session; without a name: what it takes is in the run.
    };

    void setTheme(const Theme& theme);
    void connectRunner();
    QWidget* makeHead();
    QWidget* makeLegend();
    QWidget* makeLower();
    void addEntry(Entry entry);
    /// Of a file; without a name of the comparison.
    void takeFailure(const QString& name, const Error& error, const DesignSource& source);
    /// Entries on show in their order: those with a run first. What is open is not shown a second time while it is what was pinned.
    std::vector<std::size_t> shown() const;
    std::size_t pinned() const;
    /// Null: there is none.
    RunResultPtr baselineRun() const;
    /// The baseline is this run, wherever it stands now. False: it is not there.
    bool keepBaseline(const RunResultPtr& run);
    void refresh();
    void showCards();
    void showTimelines();
    void showSet();
    void showFigures();
    void showFields();
    void showWhy();
    /// The waterfalls that were asked for do not come: those on show are wanted.
    void giveUpChoice();
    void showProgress(int done, int of);
    QStringList fieldsOf(std::size_t run) const;

    ComparisonRunner* m_runner;
    std::vector<Entry> m_entries;
    std::size_t m_baseline = 0;
    bool m_baselineToCome = false; ///< Of the session that is restored, unless another is chosen before.
    std::shared_ptr<const DesignSet> m_set;
    WaterfallChoice m_choice;
    WaterfallChoice m_shownChoice; ///< Of m_set.
    QString m_failure; ///< Why the runs on show could not be compared; empty: they were, or are yet to be.
    QLabel* m_count;
    QLabel* m_progress;
    QLabel* m_caution;
    QPushButton* m_add;
    QPushButton* m_swap;
    QPushButton* m_stop;
    QStackedWidget* m_stack;
    QHBoxLayout* m_cards;
    TimelineLegend* m_legend;
    ComparedTimelines* m_timelines;
    QTabWidget* m_tabs;
    TableModel* m_figureModel;
    TableModel* m_fieldModel;
    ResultTable* m_figures;
    ResultTable* m_fields;
    WhyPane* m_why;
};

} // namespace fabricscope
