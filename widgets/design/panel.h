#pragma once

#include "widgets/base/theme.h"
#include "widgets/design/dimensionsliders.h"
#include "widgets/design/dimensiontable.h"
#include "widgets/design/document.h"
#include "widgets/design/elementeditor.h"
#include "widgets/design/factsheet.h"
#include "widgets/design/overridesmodel.h"
#include "widgets/design/yamlview.h"

#include <QFrame>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

namespace fabricscope {

/// The design as a dock: table or text, sliders of the selected dimension, the selected NPU or link, overrides, NPU, workload,
/// collectives and question. Everything edits the document. For widths from 304.
class DesignPanel : public QWidget
{
    Q_OBJECT
public:
    explicit DesignPanel(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);

    int selectedDimension() const { return m_table->view()->selectedDimension(); }
    void selectDimension(int dimension);
    /// Shows an NPU or a link with its figures; its dimension is selected too.
    void selectNpu(NodeId npu);
    void selectLink(LinkId link);
    void clearElement();
    /// Puts the focus into the editor of a field ("platform.dimensions[0].bandwidth"); where there is none, into the text at the line
    /// of the field, or at `line` when that is known better.
    void focusField(const QString& field, int line = 0);
    void showText(bool text);

    QSize sizeHint() const override { return {352, 700}; }

signals:
    void dimensionSelected(int dimension);
    /// Chosen in the overrides; the other is -1.
    void elementSelected(fabricscope::NodeId npu, fabricscope::LinkId link);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QWidget* section(const QString& title, QWidget* content, QLabel** count = nullptr);
    QFrame* rule();
    void makeOverrides();
    void update();
    void layoutOverrides();

    QPointer<DesignDocument> m_document;
    Theme m_theme;
    QLabel* m_title;
    QToolButton* m_tableButton;
    QToolButton* m_textButton;
    QLabel* m_banner;
    QStackedWidget* m_pages;
    QScrollArea* m_scroll;
    DimensionTable* m_table;
    DimensionSliders* m_sliders;
    QFrame* m_slidersRule;
    ElementEditor* m_element;
    QFrame* m_elementRule;
    QTableView* m_overrides;
    OverridesModel* m_overridesModel;
    QWidget* m_overridesSection = nullptr;
    QLabel* m_overridesCount = nullptr;
    NpuFacts* m_npu;
    WorkloadFacts* m_workload;
    CollectiveFacts* m_collectives;
    QuestionEdit* m_question;
    YamlView* m_yaml;
    std::vector<QLabel*> m_sectionTitles;
};

} // namespace fabricscope
