#pragma once

#include "core/base/result.h"
#include "core/report/reportcontent.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <array>
#include <memory>

class QLabel;
class QPushButton;
class QScrollArea;
class QStandardItemModel;
class QToolButton;
class QTreeView;

namespace fabricscope {

class ReportPages;
class ReportPreview;

/// The report of a result: which sections it has at the left, its pages at the right, export.
class ReportWorkspace : public QWidget
{
    Q_OBJECT
public:
    explicit ReportWorkspace(QWidget* parent = nullptr);

    /// Sections switched off stay off from one content to the next.
    void setContent(ReportContent content);
    void clear(); ///< No result yet.
    /// What is shown, as it would be exported; empty title: nothing yet.
    const ReportContent& content() const { return m_content; }

    /// Writes .html or .pdf. Errors: Usage (another ending), NotWritable.
    Status exportTo(const QString& path) const;
    /// Name offered for a new file, without its folder: the name of the design and the ending.
    QString suggestedName(const QString& suffix) const;

signals:
    /// After an export from the buttons: the file, or what went wrong.
    void exported(const QString& path);
    void exportFailed(const QString& message);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void rebuildPages();
    void rebuildTree();
    void showZoom();
    void zoomBy(double factor);
    void fitWidth();
    void askFor(const QString& suffix, const QString& filter);

    ReportContent m_content;
    std::array<bool, kReportPartCount> m_shown;
    std::shared_ptr<const ReportPages> m_pages;
    Theme m_theme;
    QStandardItemModel* m_model;
    QTreeView* m_tree;
    QWidget* m_side;
    QLabel* m_heading;
    QLabel* m_count;
    QLabel* m_zoomLabel;
    QLabel* m_empty;
    QPushButton* m_html;
    QPushButton* m_pdf;
    QToolButton* m_zoomIn;
    QToolButton* m_zoomOut;
    QToolButton* m_fit;
    QScrollArea* m_scroll;
    ReportPreview* m_preview;
    bool m_fitted = true;
    bool m_filling = false; ///< The tree is being filled; its changes are ours.
};

} // namespace fabricscope
