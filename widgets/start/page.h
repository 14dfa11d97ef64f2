#pragma once

#include "widgets/base/theme.h"

#include <QHash>
#include <QScrollArea>

class QAbstractButton;
class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace fabricscope {

class RecentFiles;
class StartRow;
class TemplateCard;
struct ShippedCase;
struct ShippedDesign;

/// What the window shows when nothing is open: templates, recent files, examples, case studies and preset machines in a column in the middle.
class StartPage : public QScrollArea
{
    Q_OBJECT
public:
    /// `recent` may be null; it is followed.
    explicit StartPage(RecentFiles* recent = nullptr, QWidget* parent = nullptr);

    /// What an example gave, and how long simulating it took: "12.824 ms, simulated in 4 ms".
    void setExampleResult(const QString& id, const QString& result);

signals:
    void openPath(const QString& path);
    /// A text that has no file yet.
    void openText(const QString& text, const QString& suggestedName);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QLabel* head(const QString& text);
    StartRow* row(const QString& title, const QString& detail);
    void offer(QAbstractButton& button, const ShippedDesign& design);
    /// A menu of the designs of a case below its row.
    void showDesigns(StartRow& line, const ShippedCase& shipped);
    void fillRecent();
    void arrange();

    RecentFiles* m_recent;
    Theme m_theme;
    QWidget* m_page;
    QWidget* m_column;
    QLabel* m_title;
    QList<QLabel*> m_heads;
    QList<QLabel*> m_answers; ///< Questions and answers of case studies.
    QGridLayout* m_cards;
    QGridLayout* m_presets;
    QVBoxLayout* m_recentRows;
    QLabel* m_recentHead;
    QLabel* m_noRecent;
    QList<TemplateCard*> m_templates;
    QList<StartRow*> m_rows;
    QList<StartRow*> m_presetRows;
    QList<StartRow*> m_recentList;
    QHash<QString, StartRow*> m_examples;
};

} // namespace fabricscope
