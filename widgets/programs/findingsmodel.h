#pragma once

#include "widgets/base/findingsview.h"
#include "core/base/index.h"
#include "widgets/programs/checker.h"

#include <QAbstractTableModel>

namespace fabricscope {

/// What the check of a program says: rule, line, message; errors first.
class ProgramIssuesModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Rule, Line, Message, ColumnCount };

    explicit ProgramIssuesModel(QObject* parent = nullptr);
    /// Null: nothing.
    void setProgram(CheckedProgramPtr program);
    const ProgramIssue& issue(int row) const { return m_program->issues[at(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    void setTheme(const Theme& theme);

    CheckedProgramPtr m_program;
    Theme m_theme;
};

/// The list of findings; a click, Enter or next() leads to the line.
class ProgramIssuesView : public FindingsView
{
    Q_OBJECT
public:
    explicit ProgramIssuesView(QWidget* parent = nullptr);
    ProgramIssuesModel* issues() const { return m_issues; }
    /// Goes to the finding after the selected one. False: there are none.
    bool next();

signals:
    /// Row of the model.
    void activatedIssue(int row);

protected:
    int columnWidth(int column, int viewWidth) const override;

private:
    ProgramIssuesModel* m_issues;
};

} // namespace fabricscope
