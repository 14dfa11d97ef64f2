#pragma once

#include "core/base/error.h"
#include "widgets/base/theme.h"
#include "widgets/study/variantcolumns.h"

#include <QWidget>

#include <functional>
#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QMenu;
class QSplitter;
class QStackedWidget;
class QTabBar;
class QToolButton;
class QVBoxLayout;

namespace fabricscope {

class EffectsChart;
class ElidedLabel;
class ParallelChart;
class ResultTable;
class StepHeader;
class TableModel;
class TradeoffChart;
class ValueRows;
class VariantsStart;

/// A study: what is varied and how far its designs have run at the left; as points over two objectives, as lines over all axes and as a table in the middle, with one brush and one selection;
/// the selected one at the right. Space runs and pauses.
class VariantsPage : public QWidget
{
    Q_OBJECT
public:
    /// `version`: see VariantRunner.
    explicit VariantsPage(std::string version, QWidget* parent = nullptr);

    VariantRunner* runner() const { return m_runner; }
    VariantsStart* start() const { return m_start; }
    ResultTable* table() const { return m_table; }
    TradeoffChart* chart() const { return m_chart; }
    EffectsChart* effects() const { return m_effects; }
    ParallelChart* parallel() const { return m_parallel; }
    QToolButton* axesButton() const { return m_axesButton; }
    QComboBox* colour() const { return m_colour; }
    ValueRows* brushed() const { return m_brushed; }
    const VariantBrush& brush() const { return m_brush; }
    void setBrush(const VariantBrush& brush);
    QComboBox* xAxis() const { return m_xAxis; }
    QComboBox* yAxis() const { return m_yAxis; }
    QTabBar* choice() const { return m_choice; }
    QPushButton* openButton() const { return m_open; }
    QPushButton* runButton() const { return m_run; }
    ValueRows* parameters() const { return m_parameters; }
    ValueRows* figures() const { return m_figures; }
    QString countText() const;
    QString rateText() const;
    QString stateLine() const;
    QString problemText() const;

    /// Number of the selected design; -1: none.
    qint64 selected() const { return m_selected; }
    void select(qint64 number);
    void openFile(const QString& file);
    /// \pre a study is open
    void toggleRun();
    /// The whole table as the command writes it.
    Status exportTo(const QString& path) const;
    void setOpenAction(const QString& text, const std::function<void()>& open);

signals:
    void exampleChosen(const QString& text, const QString& name);
    void exportWanted();
    /// This design is to be opened as one of its own.
    void designWanted(qint64 number);
    void failed(const fabricscope::Error& error);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QWidget* makeLeft();
    QWidget* makeRight();
    void addState(QWidget* panel);
    void addBrush(QVBoxLayout* column);
    void connectRunner();
    void showStudy();
    /// These are in variantsviews.cpp.
    QWidget* makeMiddle();
    QWidget* makeCharts();
    QWidget* makeParallel();
    void connectViews();
    void showTable();
    void takeColumns(const VariantColumnsPtr& columns);
    void showRows();
    void showBrush();
    void takeDrawnBrush();
    void showAxes();
    void showChart();
    void showParallelAxes();
    QString describe(qint64 number) const;
    void giveRoom();
    void showState();
    void showSearch(const StudyTable& table);
    void showMoment(const VariantMoment& moment);
    void showSelected();
    /// Row of a number in the table of the study; nothing: unknown.
    std::optional<std::size_t> rowOfNumber(qint64 number) const;

    VariantRunner* m_runner;
    QStackedWidget* m_pages;
    VariantsStart* m_start;
    StepHeader* m_header;
    QLabel* m_count;
    QLabel* m_share;
    QProgressBar* m_bar;
    QLabel* m_rate;
    QLabel* m_states;
    QLabel* m_problem;
    ElidedLabel* m_store;
    QPushButton* m_run;
    QPushButton* m_export;
    StepHeader* m_parametersHeader;
    ValueRows* m_parameters;
    ValueRows* m_objectives;
    ValueRows* m_constraints;
    StepHeader* m_chartHeader;
    QComboBox* m_xAxis;
    QComboBox* m_yAxis;
    TradeoffChart* m_chart;
    StepHeader* m_effectsHeader;
    EffectsChart* m_effects;
    QToolButton* m_axesButton;
    StepHeader* m_parallelHeader;
    QComboBox* m_colour;
    QMenu* m_shownAxes;
    ParallelChart* m_parallel;
    StepHeader* m_brushHeader;
    ValueRows* m_brushed;
    QSplitter* m_charts;
    QSplitter* m_middle;
    QTabBar* m_choice;
    TableModel* m_model;
    ResultTable* m_table;
    StepHeader* m_selectedHeader;
    QLabel* m_headline;
    QLabel* m_headlineOf;
    QLabel* m_message;
    QPushButton* m_open;
    ValueRows* m_figures;
    std::vector<VariantAxis> m_axes; ///< Of the combo boxes.
    VariantColumnsPtr m_columns;     ///< Null: they are being made.
    std::uint64_t m_asked = 0;       ///< For columns.
    VariantBrush m_brush;
    std::vector<VariantAxis> m_drawn; ///< Axes whose intervals were drawn over the points.
    BrushedRows m_inside;
    bool m_isAxesChosen = false; ///< Lines were switched on or off by hand.
    qint64 m_selected = -1;
    Theme m_theme;
};

} // namespace fabricscope
