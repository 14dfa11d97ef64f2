#pragma once

#include "widgets/base/theme.h"
#include "widgets/draw/graphpicture.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace fabricscope {

class CanvasEditing;
class DesignDocument;
class ElidedLabel;
class FabricBar;
class GraphCanvas;
class GraphEditor;
class IssuesView;
class LevelsView;
class MissingView;
class PartsPalette;
class PlatformCanvas;
class SelectionPanel;
class StepHeader;

/// Where the fabric of a design is drawn: parts at the left, the page in the middle between the fabric in one line and its issues, what is selected at the right. A fabric that is not written as nodes and
/// links is shown by its levels, or as in Explore, and can be written out as such.
class DrawWorkspace : public QWidget
{
    Q_OBJECT
public:
    explicit DrawWorkspace(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);

    GraphEditor* editor() const { return m_editor; }
    GraphCanvas* canvas() const { return m_canvas; }
    GraphLayout chosenLayout() const;
    /// The design has another fabric, or none. Hidden: it is looked at when it is shown.
    void showDesign();
    /// Puts all parts, or the selected ones, by the layout chosen.
    void layOutAgain();
    /// Makes a blueprint of what is selected; the focus goes to the number of its copies.
    void group();
    /// The focus goes to the fabric in one line.
    void openLine();
    /// The outline comes on show and takes the keys.
    void openOutline();
    /// Gives the focus to what is drawn on.
    void takeFocus();
    /// Puts a fabric or a host of the gallery into the design, as one edit: a fabric takes the place of the one there; a host comes to the parts drawn one by one, with
    /// its middle at `at` of the page (absent: beside them), takes the place of the hosts of levels, else begins a pod: one of it with a leaf for each rail.
    void useSample(const QString& name, std::optional<PointF> at = std::nullopt);
    /// A design with a fabric of the gallery; empty: there is none of this name.
    static QByteArray designOf(const QString& name);
    /// The text a new design starts with.
    static QByteArray emptyDesign();

signals:
    void newRequested();
    /// This text is to be a new design.
    void designRequested(const QByteArray& text, const QString& suggestedName);
    void refused(const QString& message);
    void pointerMoved(const QString& text);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void fitHeader();
    QWidget* makeCentre();
    QWidget* makeRight();
    QWidget* makeMissing();
    QWidget* makeOther();
    void writeOut();
    void showMissing();
    bool hasIssuesToTell() const;
    void showIssue(const QString& field);
    void showZoom();
    void showOther();
    bool showsLevels() const;

    DesignDocument* m_document = nullptr;
    GraphEditor* m_editor;
    GraphCanvas* m_canvas;
    QSplitter* m_outer;
    QSplitter* m_inner;
    StepHeader* m_header;
    QComboBox* m_layout;
    QToolButton* m_again;
    QLabel* m_layoutLabel;
    QLabel* m_zoom;
    std::vector<std::pair<QToolButton*, const char*>> m_buttons;
    QStackedWidget* m_stack;
    QStackedWidget* m_otherStack; ///< Levels, or all NPUs and links.
    LevelsView* m_levels;
    QPushButton* m_asLevels;
    bool m_wantsLevels = true;    ///< Where there are some.
    ElidedLabel* m_otherText;
    PlatformCanvas* m_other;
    CanvasEditing* m_otherEditing;
    QPushButton* m_writeOut;
    bool m_isStale = true;        ///< The design changed while nobody saw it.
    bool m_isSized = false;       ///< From then on dividers stand where the user puts them.
    MissingView* m_missing;       ///< Figures that the fabric lacks.
    IssuesView* m_issues;
    FabricBar* m_line;
    PartsPalette* m_palette;
    SelectionPanel* m_selection;
};

} // namespace fabricscope
