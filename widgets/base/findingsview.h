#pragma once

#include "core/base/error.h"
#include "widgets/base/theme.h"

#include <QIcon>
#include <QString>
#include <QTableView>

namespace fabricscope {

/// "Error", "Warning", "Note".
QString severityText(Severity severity);
/// Told apart by shape as well as by colour.
QIcon severityIcon(Severity severity, const Theme& theme);

/// A list of what was found, one row each: the last column takes the room that is left. A finding is activated by Enter and by the pointer. A text
/// stands in the middle of an empty list.
class FindingsView : public QTableView
{
    Q_OBJECT
signals:
    void findingActivated(const QModelIndex& index);

protected:
    enum class Pointer { Click, DoubleClick };
    /// `name`: for assistive tools. The column `wide` takes the room that the others leave.
    FindingsView(const QString& name, const QString& emptyText, Pointer pointer, int wide, QWidget* parent);
    /// Of the other columns, in a view of this width.
    virtual int columnWidth(int column, int viewWidth) const = 0;
    void setTheme(const Theme& theme);
    const Theme& theme() const { return m_theme; }

    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_emptyText;
    int m_wide;
    Theme m_theme;
};

} // namespace fabricscope
