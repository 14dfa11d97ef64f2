#pragma once

#include "widgets/base/tablemodel.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <stop_token>

class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace fabricscope {

class TableDelegate;

/// A table of a run: filter, sort by header, copy, export. Above kRowsAtOnce rows the filter, the sort and the export run on a worker
/// while the table keeps what it shows.
class ResultTable : public QWidget
{
    Q_OBJECT
public:
    explicit ResultTable(QWidget* parent = nullptr);
    ~ResultTable() override;

    /// What to show; follows its resets, keeping filter, order and selection (by id). Not owned. `name`: for assistive tools and the
    /// suggested file name ("Links").
    void setModel(TableModel* model, const QString& name);
    /// Said where there are no rows at all: "Nothing has run yet."
    void setEmptyText(const QString& text);
    /// Added to the name offered for a file ("-earlier-inputs"); empty: nothing.
    void setFileMark(const QString& mark) { m_fileMark = mark; }
    QString suggestedName() const { return m_name.toLower() + m_fileMark + QStringLiteral(".csv"); }
    void setFilter(const QString& text);
    void sortBy(int column, Qt::SortOrder order); ///< -1: as they come.
    int sortColumn() const { return m_query.sortColumn; }
    Qt::SortOrder sortOrder() const { return m_query.sortOrder; }

    QTableView* view() const { return m_view; }
    QLineEdit* filterField() const { return m_filter; }
    /// The row above the table (note, filter, export); may be moved into another layout.
    QWidget* bar() const { return m_bar; }
    /// A sort or filter is under way on a worker.
    bool isBusy() const { return m_working; }

    /// Selects the row with this id and scrolls to it; -1 or unknown: none. Does not signal.
    void selectId(qint64 id);
    qint64 selectedId() const; ///< Of the current row; -1: none.
    /// Selected rows (none: all) with the shown columns: header, tab-separated, exact values.
    void copySelection() const;
    /// What is shown, in its order, all columns. Answers by exportDone().
    void exportCsv(const QString& path);

    QSize minimumSizeHint() const override;

    static constexpr int kRowsAtOnce = 100'000;
    static constexpr int kLeastFilter = 60;
    static constexpr int kAlwaysShown = 4; ///< Where they do not fit, columns hide from the last to the fifth.

signals:
    void rowSelected(qint64 id);
    void rowActivated(qint64 id);
    /// `error` empty: written.
    void exportDone(const QString& path, const QString& error);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void reorder();
    void present(TableContentPtr content, TableOrder order);
    void fitBar();
    int besideFilter() const; ///< Width of the bar without it.
    void layoutColumns();
    void headerClicked(int section);
    void askForFile();
    void restyle();
    void updateNote();

    TableModel* m_source = nullptr;
    TableModel* m_shown;
    QTableView* m_view;
    TableDelegate* m_delegate;
    QWidget* m_bar;
    QLabel* m_note;
    QLabel* m_empty;
    QLineEdit* m_filter;
    QPushButton* m_export;
    Theme m_theme;
    TableQuery m_query;
    QString m_name;
    QString m_fileMark;
    std::stop_source m_stop;
    QString m_emptyText;
    int m_wanted = 0;
    bool m_working = false;
    bool m_missing = false; ///< There was no memory or no thread to put the rows into their order.
    bool m_restoring = false;
    std::vector<int> m_widths; ///< Wanted, by column.
};

} // namespace fabricscope
