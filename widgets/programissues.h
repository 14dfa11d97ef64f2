#pragma once

#include "widgets/programchecker.h"
#include "widgets/theme.h"

#include <QAbstractTableModel>
#include <QTableView>

namespace fabricscope {

/// What the check of a program says: rule, line, message; errors first.
class ProgramIssuesModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Rule, Line, Message, ColumnCount };

    explicit ProgramIssuesModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
    /// Null: nothing.
    void setProgram(CheckedProgramPtr program);
    void setTheme(const Theme& theme);
    const ProgramIssue& issue(int row) const { return m_program->issues[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    CheckedProgramPtr m_program;
    Theme m_theme;
};

/// The list of findings; a click, Enter or next() leads to the line.
class ProgramIssuesView : public QTableView
{
    Q_OBJECT
public:
    explicit ProgramIssuesView(QWidget* parent = nullptr);
    ProgramIssuesModel* issues() const { return m_issues; }
    void setTheme(const Theme& theme);
    /// Goes to the finding after the selected one. False: there are none.
    bool next();

signals:
    /// Row of the model.
    void activatedIssue(int row);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    ProgramIssuesModel* m_issues;
    Theme m_theme;
};

} // namespace fabricscope
