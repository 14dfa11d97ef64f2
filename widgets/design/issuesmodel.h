#pragma once

#include "widgets/base/findingsview.h"
#include "widgets/design/document.h"

#include <QAbstractTableModel>
#include <QPointer>

namespace fabricscope {

/// What was found in the design and in its last run: errors first, the design's before the run's. Equal findings stand once.
class IssuesModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Message, Location, ColumnCount };
    enum Role { SeverityRole = Qt::UserRole, ///< int: Severity.
                FieldRole,                   ///< QString: field of the design; may be empty.
                LineRole };                  ///< int: line of the design's text; 0: elsewhere.

    explicit IssuesModel(QObject* parent = nullptr);
    void setDocument(DesignDocument* document);
    /// Of the last run; they stay until the next one.
    void setRunDiagnostics(Diagnostics diagnostics);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    int count(Severity severity) const;

signals:
    /// For the number on the tab: errors and warnings.
    void countChanged(int issues);

private:
    void setTheme(const Theme& theme);
    void read();

    QPointer<DesignDocument> m_document;
    Diagnostics m_run;
    Diagnostics m_rows;
    Theme m_theme;
};

/// The list of issues; Enter or a double click goes to the field.
class IssuesView : public FindingsView
{
    Q_OBJECT
public:
    explicit IssuesView(QWidget* parent = nullptr);
    IssuesModel* issues() const { return m_issues; }

signals:
    /// `line` is 0 where the issue is not in the design's text.
    void issueActivated(const QString& field, int line);

protected:
    int columnWidth(int column, int viewWidth) const override;

private:
    IssuesModel* m_issues;
};

} // namespace fabricscope
