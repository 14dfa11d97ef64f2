#pragma once

#include "core/base/result.h"
#include "core/report/reportchoice.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <array>
#include <memory>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QStandardItem;
class QStandardItemModel;
class QTimer;
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

    /// Sections switched off, the paper and a typed question stay from one content to the next. `whole`: false when parts of it are still being made; it
    /// cannot be exported by the buttons then.
    void setContent(ReportContent content, bool whole = true);
    /// A part that was still being made does not come: its section says why, and the rest is whole.
    void leaveOut(ReportPart part, const std::string& why);
    void clear(); ///< No result yet: of another document, of which nothing was asked and nothing left out.
    /// What is shown, as it would be exported; empty title: nothing yet.
    const ReportContent& content() const { return m_content; }

    /// Sections, question and paper as they are set, by a user or setChoice().
    ReportChoice choice() const;
    void setChoice(const ReportChoice& choice);

    /// Writes .html or .pdf. Errors: Usage (another ending), NotWritable.
    Status exportTo(const QString& path) const;
    /// Name offered for a new file, without its folder: the name of the design and the ending.
    QString suggestedName(const QString& suffix) const;

signals:
    /// The user chose other sections, another question or paper.
    void choiceChanged();
    /// After an export from the buttons: the file, or what went wrong.
    void exported(const QString& path);
    void exportFailed(const QString& message);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setUpChoice();
    void layOutSide();
    void connectControls();
    void setTheme(const Theme& theme);
    void rebuildPages();
    void rebuildTree();
    void switchSection(const QStandardItem& item);
    void showSection(int part);
    void takeQuestion();
    void showZoom();
    void zoomBy(double factor);
    void fitWidth();
    void askFor(const QString& suffix, const QString& filter);

    ReportContent m_content;
    std::array<bool, kReportPartCount> m_shown;
    std::string m_notes; ///< The question the content came with.
    std::shared_ptr<const ReportPages> m_pages;
    Theme m_theme;
    QStandardItemModel* m_model;
    QLineEdit* m_question;
    QComboBox* m_paper;
    QTimer* m_pause;         ///< Pages follow typing when it pauses.
    QTreeView* m_tree;
    QWidget* m_side;
    QLabel* m_questionHeading;
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
    bool m_whole = true;
    bool m_filling = false; ///< The tree is being filled; its changes are ours.
};

} // namespace fabricscope
