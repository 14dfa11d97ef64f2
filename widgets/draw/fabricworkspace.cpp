#include "widgets/draw/fabricworkspace.h"

#include "core/design/edits/fabricedits.h"
#include "core/design/edits/partcopies.h"
#include "core/design/fabricdesign.h"
#include "core/platform/fabric/samples.h"
#include "core/platform/fabric/platformof.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/elidedlabel.h"
#include "widgets/base/icons.h"
#include "widgets/base/texts.h"
#include "widgets/canvas/editing.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/design/document.h"
#include "widgets/design/editactions.h"
#include "widgets/design/issuesmodel.h"
#include "widgets/draw/blueprintpanel.h"
#include "widgets/draw/fabricbar.h"
#include "widgets/draw/figuresview.h"
#include "widgets/draw/gallery.h"
#include "widgets/draw/graphcanvas.h"
#include "widgets/draw/levelsview.h"
#include "widgets/draw/missingview.h"
#include "widgets/draw/outlineview.h"
#include "widgets/draw/partspalette.h"
#include "widgets/draw/selectionpanel.h"
#include "widgets/step/paneheader.h"

#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr int kForce = -1; ///< Of the layouts: by forces, on another thread.
constexpr std::int64_t kMostNodesWrittenOut = 8192; ///< More are no drawing any more.
constexpr std::int64_t kMostCablesWrittenOut = 65536;

QVBoxLayout* plainColumn(QWidget* place)
{
    auto* column = new QVBoxLayout(place);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

} // namespace

DrawWorkspace::DrawWorkspace(QWidget* parent)
    : QWidget(parent), m_editor(new GraphEditor(this)), m_canvas(new GraphCanvas(m_editor)), m_outer(new QSplitter(Qt::Horizontal)), m_inner(new QSplitter(Qt::Vertical)),
      m_line(new FabricBar), m_palette(new PartsPalette(m_editor, m_canvas)), m_selection(new SelectionPanel(m_editor))
{
    setAccessibleName(tr("Draw"));
    m_outer->setAccessibleName(tr("Parts, drawing and selection"));
    m_inner->setAccessibleName(tr("Drawing and issues"));
    m_outer->setChildrenCollapsible(false);
    m_inner->setChildrenCollapsible(false);
    m_outer->addWidget(m_palette);
    m_outer->addWidget(makeCentre());
    m_outer->addWidget(makeRight());
    m_outer->setStretchFactor(1, 1);
    plainColumn(this)->addWidget(m_outer);
    connect(m_palette, &PartsPalette::newRequested, this, &DrawWorkspace::newRequested);
    connect(m_palette->gallery(), &GalleryView::useRequested, this, [this](const QString& name) { useSample(name); });
    connect(m_palette->gallery(), &GalleryView::newRequested, this, [this](const QString& name) { emit designRequested(designOf(name), name + QStringLiteral(".yaml")); });
    OutlineView* outline = m_palette->outline();
    connect(outline, &OutlineView::activatedSelection, this, [this] {
        if (!m_editor->nodes().empty())
            m_canvas->reveal(m_editor->picture().rectOf(*m_editor->nodes().begin()).center());
        takeFocus();
    });
    connect(outline, &OutlineView::levelActivated, m_levels, &LevelsView::focusLevel);
    connect(m_levels, &LevelsView::levelFocused, outline, &OutlineView::showLevel);
    setAcceptDrops(true);
    connect(m_editor, &GraphEditor::refused, this, &DrawWorkspace::refused);
    connect(m_canvas, &GraphCanvas::pointerMoved, this, &DrawWorkspace::pointerMoved);
    connect(m_canvas, &GraphCanvas::lineRequested, this, &DrawWorkspace::openLine);
    connect(m_line, &FabricBar::left, this, &DrawWorkspace::takeFocus);
    connect(m_otherEditing, &CanvasEditing::refused, this, &DrawWorkspace::refused);
    followTheme(this, &DrawWorkspace::setTheme);
}

/// What is selected, and below it what the fabric is like.
QWidget* DrawWorkspace::makeRight()
{
    auto* place = new QWidget;
    place->setProperty("surface", QStringLiteral("panel"));
    QVBoxLayout* column = plainColumn(place);
    auto* figures = new FiguresView;
    column->addWidget(m_selection, 1);
    column->addWidget(figures);
    connect(m_line, &FabricBar::fabricShown, figures, &FiguresView::setFabric);
    connect(m_line, &FabricBar::fabricHidden, figures, &FiguresView::clear);
    auto* scroll = new QScrollArea;
    scroll->setWidget(place);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(tr("Selection and figures"));
    return scroll;
}

QWidget* DrawWorkspace::makeCentre()
{
    auto* place = new QWidget;
    QVBoxLayout* column = plainColumn(place);
    m_header = new StepHeader(tr("Platform"));
    m_layout = new QComboBox;
    for (const auto& [text, layout] : {std::pair{tr("Levels"), GraphLayout::Levels}, {tr("Ring"), GraphLayout::Ring}, {tr("Grid"), GraphLayout::Grid}, {tr("Plan on levels"), GraphLayout::Plan}})
        m_layout->addItem(text, static_cast<int>(layout));
    m_layout->addItem(tr("Force"), kForce);
    m_layout->setAccessibleName(tr("Layout"));
    m_layout->setToolTip(tr("How parts are put; two or more that are selected by themselves"));
    connect(m_layout, &QComboBox::activated, this, [this] { layOutAgain(); });
    const auto button = [this](const char* iconName, const QString& tip) {
        auto* made = new QToolButton;
        made->setProperty("flat", true);
        made->setToolTip(tip);
        made->setAccessibleName(tip);
        m_buttons.emplace_back(made, iconName);
        return made;
    };
    m_again = button("layout", tr("Lay out again (Ctrl+Alt+L)"));
    QToolButton* out = button("minus", tr("Zoom out of the drawing"));
    QToolButton* in = button("plus", tr("Zoom into the drawing"));
    QToolButton* fit = button("fit", tr("Fit the drawing"));
    m_zoom = new QLabel;
    m_zoom->setProperty("role", QStringLiteral("secondary"));
    m_zoom->setAlignment(Qt::AlignCenter);
    constexpr double kStep = 1.25;
    const auto zoom = [this](double factor) {
        const bool graph = m_stack->currentWidget() == m_canvas;
        const QPointF centre = QRectF(graph ? m_canvas->rect() : m_other->rect()).center();
        graph ? m_canvas->zoomAt(factor, centre) : m_other->zoomAt(factor, centre);
    };
    connect(m_again, &QToolButton::clicked, this, [this] { m_editor->isForcing() ? m_editor->stopForces() : layOutAgain(); });
    connect(m_editor, &GraphEditor::forcingChanged, this, [this] {
        const bool forcing = m_editor->isForcing();
        const auto again = std::ranges::find(m_buttons, m_again, &std::pair<QToolButton*, const char*>::first);
        again->second = forcing ? "stop" : "layout";
        m_again->setIcon(icon(again->second, AppTheme::global().theme()));
        m_again->setToolTip(forcing ? tr("Stop; parts stay where they are (Esc: as before)") : tr("Lay out again (Ctrl+Alt+L)"));
        m_again->setAccessibleName(m_again->toolTip());
    });
    connect(out, &QToolButton::clicked, this, [zoom] { zoom(1 / kStep); });
    connect(in, &QToolButton::clicked, this, [zoom] { zoom(kStep); });
    connect(fit, &QToolButton::clicked, this, [this] { m_stack->currentWidget() == m_canvas ? m_canvas->fit() : m_other->fit(); });
    m_layoutLabel = new QLabel(tr("Layout"));
    m_layoutLabel->setProperty("role", QStringLiteral("secondary"));
    for (QWidget* control : std::initializer_list<QWidget*>{m_layoutLabel, m_layout, m_again, out, m_zoom, in, fit})
        m_header->addControl(control);

    m_stack = new QStackedWidget;
    m_stack->addWidget(m_canvas);
    QVBoxLayout* over = plainColumn(m_canvas); // What comes and goes lies over the page: it stays where it is under the pointer.
    over->addWidget(new BlueprintBanner(m_editor));
    over->addStretch(1);
    m_stack->addWidget(makeOther());
    connect(m_canvas, &GraphCanvas::zoomChanged, this, &DrawWorkspace::showZoom);
    connect(m_other, &PlatformCanvas::zoomChanged, this, &DrawWorkspace::showZoom);
    m_issues = new IssuesView;
    m_issues->setAccessibleName(tr("Issues of the drawing"));
    connect(m_issues, &IssuesView::issueActivated, this, [this](const QString& field, int) { showIssue(field); });
    connect(m_issues->issues(), &IssuesModel::countChanged, this, [this] { m_issues->setVisible(hasIssuesToTell()); });
    auto* top = new QWidget;
    QVBoxLayout* upper = plainColumn(top);
    upper->addWidget(m_header);
    upper->addWidget(m_line);
    upper->addWidget(m_stack, 1);
    upper->addWidget(makeMissing());
    m_inner->addWidget(top);
    m_inner->addWidget(m_issues);
    m_inner->setStretchFactor(0, 1);
    column->addWidget(m_inner);
    return place;
}

QWidget* DrawWorkspace::makeMissing()
{
    m_missing = new MissingView;
    connect(m_missing, &MissingView::completed, this, [this](const std::vector<GivenFigures>& given) {
        const Status status = m_document ? m_document->edit(tr("complete the missing numbers"), [&](YamlDocument& yaml) { return edits::completeFigures(yaml, given); }) : Status();
        if (!status)
            emit refused(DesignActions::errorText(status.error()));
    });
    return m_missing;
}

/// A fabric that is written as something else.
QWidget* DrawWorkspace::makeOther()
{
    auto* place = new QWidget;
    QVBoxLayout* column = plainColumn(place);
    auto* strip = new QWidget;
    strip->setProperty("surface", QStringLiteral("panel"));
    strip->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(12, 6, 12, 6);
    row->setSpacing(8);
    m_otherText = new ElidedLabel;
    m_otherText->setProperty("role", QStringLiteral("secondary"));
    m_asLevels = new QPushButton;
    connect(m_asLevels, &QPushButton::clicked, this, [this] {
        m_wantsLevels = !m_wantsLevels;
        showOther();
    });
    m_writeOut = new QPushButton(tr("Write out as nodes and links"));
    connect(m_writeOut, &QPushButton::clicked, this, &DrawWorkspace::writeOut);
    row->addWidget(m_otherText, 1);
    row->addWidget(m_asLevels);
    row->addWidget(m_writeOut);
    m_other = new PlatformCanvas;
    m_other->setColor(CanvasColor::Dimension);
    m_otherEditing = new CanvasEditing(m_other, this);
    m_levels = new LevelsView;
    m_otherStack = new QStackedWidget;
    m_otherStack->addWidget(m_levels);
    m_otherStack->addWidget(m_other);
    connect(m_levels, &LevelsView::refused, this, &DrawWorkspace::refused);
    connect(m_levels, &LevelsView::lineRequested, this, &DrawWorkspace::openLine);
    column->addWidget(strip);
    column->addWidget(m_otherStack, 1);
    return place;
}

void DrawWorkspace::setTheme(const Theme& theme)
{
    for (const auto& [button, name] : m_buttons) {
        button->setIcon(icon(name, theme));
        button->setIconSize({theme.scaled(16), theme.scaled(16)});
        button->setMinimumSize(theme.scaled(20), theme.scaled(20));
    }
    m_zoom->setMinimumWidth(theme.scaled(48));
    fitHeader();
    m_issues->setMinimumHeight(theme.scaled(72));
    if (std::exchange(m_isSized, true))
        return;
    m_inner->setSizes({theme.scaled(600), theme.scaled(110)});
    m_outer->setSizes({theme.scaled(304), theme.scaled(900), theme.scaled(280)});
}

/// Where large text leaves the selection less than it needs, the choice of a layout goes without its word.
void DrawWorkspace::fitHeader()
{
    m_layoutLabel->setVisible(width() >= AppTheme::global().theme().scaled(1000));
}

void DrawWorkspace::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitHeader();
}

void DrawWorkspace::setDocument(DesignDocument* document)
{
    m_document = document;
    m_editor->setDocument(document);
    m_otherEditing->setDocument(document);
    m_line->setDocument(document);
    m_levels->setDocument(document);
    m_issues->issues()->setDocument(document);
    m_issues->setVisible(hasIssuesToTell());
    showDesign();
}

/// That nothing is drawn is no mistake of a new design: the page says how to begin.
bool DrawWorkspace::hasIssuesToTell() const
{
    const IssuesModel& issues = *m_issues->issues();
    const bool isNew = m_document && !m_document->hasFile() && m_document->design()->platform && m_document->design()->platform->nodes.empty() && m_document->design()->platform->dimensions.empty();
    const bool ofEmptiness = issues.rowCount() == 1 && issues.index(0, 0).data(IssuesModel::FieldRole).toString() == QStringLiteral("platform");
    return issues.rowCount() > 0 && !(isNew && ofEmptiness);
}

void DrawWorkspace::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_isStale)
        showDesign();
}

void DrawWorkspace::showDesign()
{
    m_isStale = !m_document || !isVisible();
    if (m_isStale)
        return;
    const bool other = m_editor->fabric() == FabricText::Other;
    m_stack->setCurrentIndex(other ? 1 : 0);
    m_layout->setEnabled(!other);
    if (other) {
        const PlatformLayout* shown = m_other->layoutOfPlatform();
        const std::optional<Platform>& platform = m_document->platform();
        if (!shown || !platform || !(shown->platform().spec() == platform->spec()))
            m_other->setPlatform(platform);
        m_asLevels->setVisible(m_levels->showDesign());
    }
    m_palette->outline()->setLevels(other ? m_levels->levels() : std::nullopt);
    showOther();
    showMissing();
    m_issues->setVisible(hasIssuesToTell());
    showZoom();
}

/// Text that cannot be read says nothing of what is missing.
void DrawWorkspace::showMissing()
{
    const auto yaml = m_document->yaml();
    m_missing->setMissing(yaml ? missingFigures(*yaml, m_editor->picture().graph(), m_document->issues()) : std::vector<MissingFigures>());
}

bool DrawWorkspace::showsLevels() const
{
    return m_editor->fabric() == FabricText::Other && m_levels->levels() && m_wantsLevels;
}

void DrawWorkspace::showOther()
{
    const bool levels = showsLevels();
    m_otherStack->setCurrentWidget(levels ? static_cast<QWidget*>(m_levels) : m_other);
    m_asLevels->setText(m_wantsLevels ? tr("Show all NPUs") : tr("Show levels"));
    m_otherText->setText(levels ? tr("Drag a count, or the divider between ports down and up; arrows do the same.")
                                : tr("Parts are drawn where the fabric is written as nodes and links."));
    for (const auto& [button, name] : m_buttons)
        button->setEnabled(button == m_again ? m_editor->fabric() != FabricText::Other : !levels);
    showZoom();
}

void DrawWorkspace::showZoom()
{
    m_zoom->setVisible(!showsLevels());
    m_zoom->setText(texts::percent(m_stack->currentWidget() == m_canvas ? m_canvas->zoom() : m_other->zoom(), 0));
}

GraphLayout DrawWorkspace::chosenLayout() const
{
    return static_cast<GraphLayout>(m_layout->currentData().toInt());
}

void DrawWorkspace::layOutAgain()
{
    if (m_editor->fabric() == FabricText::Other)
        return;
    const bool all = m_editor->nodes().size() < 2;
    if (m_layout->currentData().toInt() == kForce) {
        if (all)
            m_canvas->fit();
        m_editor->layOutByForces();
        return;
    }
    m_editor->layOutAgain(chosenLayout());
    if (all)
        m_canvas->fit();
}

void DrawWorkspace::openOutline()
{
    m_palette->openOutline();
}

void DrawWorkspace::takeFocus()
{
    if (showsLevels())
        m_levels->takeFocus();
    else
        m_stack->currentIndex() == 0 ? m_canvas->setFocus() : m_other->setFocus();
}

void DrawWorkspace::group()
{
    m_editor->group();
    m_selection->blueprint()->takeFocus();
}

void DrawWorkspace::openLine()
{
    m_line->open();
}

void DrawWorkspace::writeOut()
{
    if (m_document && m_document->isReading()) {
        emit refused(tr("The text of the design is still being read. Try again in a moment."));
        return;
    }
    // With errors the platform may be that of an earlier text.
    if (!m_document || !m_document->yaml() || m_document->hasErrors() || !m_document->platform()) {
        emit refused(tr("The text of the design has errors. Correct it before the fabric is written out."));
        return;
    }
    const Result<Fabric> fabric = fabricOfPlatform(m_document->platform()->spec());
    if (!fabric) {
        emit refused(DesignActions::errorText(fabric.error()));
        return;
    }
    if (fabric.value().nodes() > kMostNodesWrittenOut) {
        emit refused(tr("Too large to draw part by part: %1 parts, at most %2. Change it as levels.").arg(texts::count(fabric.value().nodes()), texts::count(kMostNodesWrittenOut)));
        return;
    }
    if (fabric.value().cableCount() > kMostCablesWrittenOut) {
        emit refused(tr("Too large to draw part by part: %1 links, at most %2.").arg(texts::count(fabric.value().cableCount()), texts::count(kMostCablesWrittenOut)));
        return;
    }
    const Result<PlatformSpec> spec = platformOfFabric(fabric.value(), FabricWriting::Nodes);
    const Status status = spec ? m_document->edit(tr("write out as nodes and links"), [&](YamlDocument& yaml) { 
        const Status written = edits::writeOutGraph(yaml, spec.value());
        return written ? edits::noteCopies(yaml) : written; // Units and hosts stay one thing.
    }) : Status(spec.error());
    if (!status)
        emit refused(DesignActions::errorText(status.error()));
    else
        m_canvas->fit();
}

namespace {

/// A host begins a pod.
Status putSample(YamlDocument& yaml, const FabricSample& sample)
{
    if (sample.host)
        return edits::setFabricLine(yaml, std::string(sample.name) + " x1 / rails");
    return sample.line.empty() ? edits::setFabricPreset(yaml, std::string(sample.name)) : edits::setFabricLine(yaml, std::string(sample.line));
}

} // namespace

void DrawWorkspace::useSample(const QString& name, std::optional<PointF> at)
{
    const FabricSample* sample = fabricSample(name.toStdString());
    if (!m_document || !sample)
        return;
    const std::string_view words = titleOf(*sample);
    const QString title = QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
    if (sample->host && m_editor->fabric() == FabricText::Graph) {
        const RectF page = m_editor->picture().bounds();
        const PointF beside(page.right() + 480, page.center().y());
        m_editor->addMachine(tr("add %1").arg(title), samplePlatform(*sample, false).value(), at.value_or(beside));
        if (!m_editor->nodes().empty())
            m_canvas->reveal(m_editor->picture().rectOf(*m_editor->nodes().begin()).center());
        return;
    }
    const Status status = m_document->edit(tr("fabric %1").arg(title), [&](YamlDocument& yaml) {
        return sample->host && fabricLevels(yaml) ? edits::setLevelPart(yaml, std::string(sample->name)) : putSample(yaml, *sample);
    });
    if (!status)
        emit refused(DesignActions::errorText(status.error()));
    else
        takeFocus();
}

QByteArray DrawWorkspace::designOf(const QString& name)
{
    const FabricSample* sample = fabricSample(name.toStdString());
    Result<YamlDocument> yaml = YamlDocument::parse(emptyDesign().toStdString());
    if (!sample || !yaml || !putSample(yaml.value(), *sample))
        return {};
    return QByteArray::fromStdString(yaml.value().text());
}

void DrawWorkspace::dragEnterEvent(QDragEnterEvent* event)
{
    if (fabricSample(event->mimeData()->data(QString::fromLatin1(kSampleMime)).toStdString()))
        event->acceptProposedAction();
}

void DrawWorkspace::dropEvent(QDropEvent* event)
{
    if (!m_inner->rect().contains(m_inner->mapFrom(this, event->position().toPoint()))) {
        event->ignore(); // Back to where it came from.
        return;
    }
    event->acceptProposedAction();
    const QPointF pixel = m_canvas->mapFrom(this, event->position());
    useSample(QString::fromUtf8(event->mimeData()->data(QString::fromLatin1(kSampleMime))), m_canvas->transform().inverse(pixel));
}

/// Selects what an issue is about, and shows it.
void DrawWorkspace::showIssue(const QString& field)
{
    const GraphPicture& picture = m_editor->picture();
    const auto number = [&](const QString& list) {
        const QString from = field.section(list + QLatin1Char('['), 1);
        bool isNumber = false;
        const int found = from.section(QLatin1Char(']'), 0, 0).toInt(&isNumber);
        return isNumber ? std::optional(static_cast<std::size_t>(found)) : std::nullopt;
    };
    if (const auto node = number(QStringLiteral("platform.nodes")); node && *node < picture.count()) {
        m_editor->select({*node});
        m_canvas->reveal(picture.rectOf(*node).center());
    }
    if (const auto link = number(QStringLiteral("platform.links"))) {
        for (std::size_t i = 0; i < picture.bundles().size(); ++i) {
            const std::vector<std::size_t>& links = picture.bundles()[i].links;
            if (std::ranges::find(links, *link) == links.end())
                continue;
            const LineF line = picture.lineOf(picture.bundles()[i]);
            m_editor->select({}, {i});
            m_canvas->reveal((line.p1() + line.p2()) * 0.5);
        }
    }
    takeFocus();
}

QByteArray DrawWorkspace::emptyDesign()
{
    return "fabricscope: 1\n\nplatform:\n  nodes: []\n\nworkload: {collective: all_reduce, size: 64 MiB}\n";
}

} // namespace fabricscope
