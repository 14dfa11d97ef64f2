#include "app/desktop/exploreview.h"

#include "app/desktop/hintline.h"
#include "widgets/timeline/lanelegend.h"
#include "app/desktop/timelinetools.h"
#include "app/desktop/viewheader.h"
#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/background.h"
#include "widgets/base/icons.h"
#include "widgets/base/partsbar.h"
#include "widgets/base/texts.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/results/pathlens.h"
#include "widgets/results/words.h"
#include "widgets/timeline/findbar.h"
#include "widgets/timeline/playbackbar.h"
#include "widgets/timeline/view.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QGraphicsOpacityEffect>
#include <QKeyEvent>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace fabricscope {

namespace {

constexpr int kCanvasShare = 56; ///< Percent; the timeline has the rest.
constexpr int kLeastView = 90;   ///< So that headers of large text, both views and the tables fit below each other.

/// What colours links, in the order of the list.
enum class Lens { Busy, Waiting, Gain, Dimension };

QVBoxLayout* plainColumn(QWidget* place)
{
    auto* column = new QVBoxLayout(place);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

QToolButton* flatButton(const QString& tip)
{
    auto* button = new QToolButton;
    button->setProperty("flat", true);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    return button;
}

/// In the unit of the run, with as many digits as the record can tell instants apart by.
QString instantText(std::int64_t ps, const LinksOverTime::Window& window, SimTime finish)
{
    constexpr double kThousand = 1000;
    double digit = 1e12;
    while (digit > 1 && static_cast<double>(finish.ps) < digit)
        digit /= kThousand;
    int decimals = 0;
    for (; digit > static_cast<double>(window.endPs - window.beginPs) && decimals < 3; digit /= 10)
        ++decimals;
    return texts::timeIn(SimTime{ps}, finish, decimals);
}

} // namespace

ExploreView::ExploreView(QWidget* parent) : QWidget(parent), m_splitter(new QSplitter(Qt::Vertical, this))
{
    plainColumn(this)->addWidget(m_splitter);
    auto* top = new QWidget;
    auto* bottom = new QWidget;
    buildCanvas(top);
    buildTimeline(bottom);
    m_splitter->addWidget(top);
    m_splitter->addWidget(bottom);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(6);
    m_splitter->setAccessibleName(tr("Platform and timeline"));
    m_splitter->handle(1)->installEventFilter(this);
    m_splitter->handle(1)->setToolTip(tr("Double click: back to the usual shares"));
    followTheme(this, &ExploreView::setTheme);
}

ExploreView::~ExploreView()
{
    m_following.request_stop();
}

void ExploreView::buildCanvas(QWidget* place)
{
    QVBoxLayout* column = plainColumn(place);
    m_canvasHeader = new ViewHeader(tr("Platform"));
    m_canvas = new PlatformCanvas;
    m_color = new QComboBox;
    m_color->setObjectName(QStringLiteral("lens"));
    m_color->addItems({tr("Link busy share"), tr("Waiting on the critical path"), tr("Gain if 10 % faster"), tr("Dimension")});
    m_color->setMinimumContentsLength(6); // Beside panels of large text it gives way.
    m_color->setAccessibleName(tr("Colour of links"));
    m_color->setToolTip(tr("What the colour of a link means"));
    connect(m_color, &QComboBox::currentIndexChanged, this, &ExploreView::setLens);
    m_zoom = new QLabel;
    m_zoom->setProperty("role", QStringLiteral("secondary"));
    m_zoom->setAlignment(Qt::AlignCenter);
    QToolButton* out = flatButton(tr("Zoom out"));
    QToolButton* in = flatButton(tr("Zoom in"));
    QToolButton* fit = flatButton(tr("Fit platform"));
    m_iconButtons = {{out, QStringLiteral("minus")}, {in, QStringLiteral("plus")}, {fit, QStringLiteral("fit")}};
    constexpr double kStep = 1.25;
    connect(out, &QToolButton::clicked, this, [this] { m_canvas->zoomAt(1 / kStep, QRectF(m_canvas->rect()).center()); });
    connect(in, &QToolButton::clicked, this, [this] { m_canvas->zoomAt(kStep, QRectF(m_canvas->rect()).center()); });
    connect(fit, &QToolButton::clicked, m_canvas, &PlatformCanvas::fit);
    connect(m_canvas, &PlatformCanvas::zoomChanged, this, [this](double scale) { m_zoom->setText(texts::percent(scale, 0)); });
    auto* label = new QLabel(tr("Colour"));
    label->setProperty("role", QStringLiteral("secondary"));
    for (QWidget* control : std::initializer_list<QWidget*>{label, m_color, out, m_zoom, in, fit})
        m_canvasHeader->addControl(control);
    m_problem = new HintLine;
    m_problem->setDismissable(false);
    m_canvas->installEventFilter(this);
    column->addWidget(m_canvasHeader);
    column->addWidget(m_problem);
    column->addWidget(m_canvas, 1);
    m_canvas->setMinimumHeight(kLeastView);
}

void ExploreView::buildTimeline(QWidget* place)
{
    QVBoxLayout* column = plainColumn(place);
    m_timelineHeader = new ViewHeader(tr("Timeline"));
    m_timeline = new TimelineView;
    m_legend = new TimelineLegend;
    m_timelineHeader->addBeside(m_legend);
    m_tools = new TimelineTools(m_timeline, m_timelineHeader);
    QToolButton* fit = flatButton(tr("Fit timeline"));
    m_iconButtons.emplace_back(fit, QStringLiteral("fit"));
    connect(fit, &QToolButton::clicked, m_timeline, &TimelineView::fitRun);
    m_playback = new TimelinePlaybackBar(m_timeline);
    QToolButton* play = flatButton(tr("Play the run (P in the timeline, Space on the platform)"));
    m_iconButtons.emplace_back(play, QStringLiteral("play"));
    connect(play, &QToolButton::clicked, &m_playback->playback(), &TimelinePlayback::togglePlay);
    m_pathButton = flatButton(tr("Critical path (C in the timeline)"));
    m_pathButton->setCheckable(true);
    m_iconButtons.emplace_back(m_pathButton, QStringLiteral("critical-path"));
    connect(m_pathButton, &QToolButton::toggled, this, &ExploreView::showPath);
    m_timelineHeader->addControl(m_pathButton);
    m_timelineHeader->addControl(play);
    m_timelineHeader->addControl(fit);
    connect(m_timeline, &TimelineView::timeCursorChanged, this, &ExploreView::followTime);
    connect(m_timeline, &TimelineView::pointerMoved, this, [this](qint64 ps) {
        m_pointed = ps < 0 ? std::nullopt : std::optional<std::int64_t>(ps);
        followTime();
    });
    m_empty = new QLabel(tr("Nothing has run yet."), m_timeline);
    m_empty->setProperty("role", QStringLiteral("secondary"));
    m_empty->setAlignment(Qt::AlignCenter);
    column->addWidget(m_timelineHeader);
    column->addWidget(m_tools->findBar());
    column->addWidget(m_playback);
    column->addWidget(m_timeline, 1);
    column->addWidget(m_pathStrip = makePathStrip());
    m_timeline->setMinimumHeight(kLeastView);
}

/// What the critical path consists of, below the timeline.
QWidget* ExploreView::makePathStrip()
{
    auto* strip = new QWidget;
    auto* row = new QHBoxLayout(strip);
    m_pathTitle = new QLabel(tr("On the critical path"));
    m_pathTitle->setProperty("role", QStringLiteral("secondary"));
    m_pathBar = new PartsBar;
    m_pathBar->setObjectName(QStringLiteral("pathbar"));
    m_pathTotal = new QLabel;
    m_pathTotal->setObjectName(QStringLiteral("pathtotal"));
    row->addWidget(m_pathTitle);
    row->addWidget(m_pathBar, 1);
    row->addWidget(m_pathTotal);
    strip->hide();
    return strip;
}

void ExploreView::connectCommands(ActionRegistry& registry)
{
    m_pathAction = registry.action(QStringLiteral("timeline.criticalPath"));
    connect(m_pathAction, &QAction::toggled, m_pathButton, &QToolButton::setChecked);
    connect(m_pathButton, &QToolButton::toggled, m_pathAction, &QAction::setChecked);
    m_tools->connectCommands(registry);
    connect(registry.action(QStringLiteral("timeline.play")), &QAction::triggered, &m_playback->playback(), &TimelinePlayback::togglePlay);
}

void ExploreView::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_zoom->setMinimumWidth(theme.scaled(44));
    m_pathStrip->layout()->setContentsMargins(theme.scaled(12), theme.scaled(4), theme.scaled(12), theme.scaled(4));
    m_pathStrip->layout()->setSpacing(theme.scaled(8));
    for (const auto& [button, name] : m_iconButtons) {
        button->setIcon(icon(name, theme));
        button->setFixedSize(theme.scaled(24), theme.scaled(24));
    }
}

void ExploreView::setPlatform(const std::optional<Platform>& platform)
{
    m_canvas->setPlatform(platform);
    showHeat();
}

void ExploreView::setResult(const RunResultPtr& result, const RunResultPtr& previous)
{
    if (m_explained && m_explained->of != result)
        m_explained = nullptr;
    m_result = result;
    m_links = result ? LinksOverTime(result->scenario->structure->platform, result->record()) : LinksOverTime();
    m_following.request_stop();
    m_following = {};
    m_series = nullptr;
    m_asked = false;
    const TimelineSourcePtr source = result ? result->timeline : nullptr;
    m_timeline->setSource(source, result ? result->scenario->structure->workload : nullptr);
    m_tools->setResult(result);
    m_timeline->setPrevious(previous ? previous->timeline : nullptr);
    m_legend->setSource(source, previous != nullptr);
    m_empty->setVisible(!source);
    setUpdating(false);
    showPath();
    showHeat();
}

void ExploreView::setExplanation(const ExplainedRunPtr& explained)
{
    m_explained = explained && explained->of == m_result ? explained : nullptr;
    showPath();
    showHeat();
}

bool ExploreView::wantsExplanation() const
{
    const auto lens = static_cast<Lens>(m_color->currentIndex());
    return !m_explained && m_result && (m_pathButton->isChecked() || lens == Lens::Waiting || lens == Lens::Gain);
}

/// The path where it is wanted and known.
void ExploreView::showPath()
{
    const bool shown = m_pathButton->isChecked() && m_explained;
    m_timeline->setCriticalPath(shown ? m_explained->steps : nullptr);
    m_pathStrip->setVisible(shown);
    if (shown) {
        const SimTime whole{m_explained->explanation.path.toPs};
        const auto sums = activitiesOf(*m_explained->steps);
        std::vector<PartsBar::Part> parts;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const auto activity = static_cast<Activity>(i);
            if (sums[i] > 0)
                parts.push_back({tr("%1 %2").arg(texts::activity(activity), texts::timeIn({sums[i]}, whole, 3)), activity, false, sums[i]});
        }
        m_pathBar->setParts(std::move(parts));
        m_pathTotal->setText(tr("%1 in %2 steps").arg(texts::time(whole), texts::count(static_cast<std::int64_t>(m_explained->steps->size()))));
    }
    if (wantsExplanation())
        emit explanationWanted();
}

void ExploreView::showPathPiece(std::size_t piece)
{
    if (!m_explained || piece >= m_explained->explanation.path.pieces.size())
        return;
    m_pathButton->setChecked(true);
    const std::int64_t begin = m_explained->explanation.path.pieces[piece].beginPs;
    const std::vector<PathStep>& steps = *m_explained->steps;
    const auto behind = std::upper_bound(steps.begin(), steps.end(), begin, [](std::int64_t ps, const PathStep& step) { return ps < step.beginPs; });
    if (behind != steps.begin())
        m_timeline->goToPathStep(static_cast<std::size_t>(behind - steps.begin()) - 1);
    m_timeline->setFocus();
}

void ExploreView::setLens(int index)
{
    m_canvas->setColor(static_cast<Lens>(index) == Lens::Dimension ? CanvasColor::Dimension : CanvasColor::Heat);
    showHeat();
    if (wantsExplanation())
        emit explanationWanted();
}

/// What the critical path says of links, where that is what colours them.
bool ExploreView::showLens()
{
    const auto lens = static_cast<Lens>(m_color->currentIndex());
    if (lens != Lens::Waiting && lens != Lens::Gain)
        return false;
    if (std::exchange(m_lensShown, true))
        return true;
    const bool waiting = lens == Lens::Waiting;
    if (m_explained) {
        PathLens found = waiting ? waitingLens(m_explained->explanation) : gainLens(m_explained->explanation);
        m_canvas->setHeat(PlatformHeat::ofLinks(std::move(found.shares)), waiting ? tr("waiting for the link, on the critical path") : tr("saved if its bandwidth is 10 % more"),
                          {found.most, waiting ? tr("%1 of waiting") : tr("%1 saved by 10 % more")});
        if (found.most.ps == 0)
            m_canvasHeader->setChip("info", waiting ? tr("The path waits for no link") : tr("No link is on the path"));
    } else {
        m_canvas->setHeat({}, {});
        m_canvasHeader->setChip("info", tr("Not explained yet"));
    }
    return true;
}

void ExploreView::showHeat()
{
    const bool byDimension = m_result && m_result->record().model == Model::AstraUnaware && static_cast<Lens>(m_color->currentIndex()) == Lens::Busy;
    m_canvasHeader->setChip("info", byDimension ? tr("By dimension") : QString(),
                            tr("Under astra-unaware messages cross dimensions, not single links: the links of a dimension have its mean. astra-aware follows each link."));
    m_heatOf.reset();
    m_lensShown = false;
    followTime();
}

/// Has the links of the run followed one by one, once. Until then, and where that takes too long or is not to be had, they have the mean of their like.
void ExploreView::askForLinks()
{
    if (m_asked || !canFollowLinks(*m_result))
        return;
    m_asked = true;
    const auto work = [result = m_result, stop = m_following.get_token()] { return followLinks(*result, stop); };
    inBackground(this, work, [this, of = m_result](const Result<LinkSeriesPtr>& series) {
        if (!series || of != m_result)
            return;
        m_series = series.value();
        showHeat();
    });
}

/// Shows the heat of the instant that is looked at, if another one is on show. Below a millisecond at 4,096 links beside the drawing itself, which is made
/// once per frame. The heat of another platform would colour the wrong links: it is shown only where the counts agree.
void ExploreView::followTime()
{
    const PlatformLayout* layout = m_canvas->layoutOfPlatform();
    if (!layout || !m_result)
        return;
    const Platform& run = m_result->scenario->structure->platform;
    if (run.linkCount() != layout->platform().linkCount() || run.npuCount() != layout->platform().npuCount())
        return;
    if (showLens())
        return;
    const std::optional<std::int64_t> at = m_timeline->timeCursor() ? m_timeline->timeCursor() : m_pointed;
    const std::optional<LinksOverTime::Window> window = at ? m_links.windowAt(SimTime{*at}) : std::nullopt;
    if (window)
        askForLinks();
    const QString meaning = meaningOf(at, window);
    if (m_heatOf && *m_heatOf == window) {
        m_canvas->setHeatMeaning(meaning);
        return;
    }
    m_heatOf.emplace(window);
    if (window && m_series)
        m_canvas->setHeat(PlatformHeat::ofLinks(m_series->shares(*window, run.linkCount())), meaning);
    else
        m_canvas->setHeat(window ? PlatformHeat::inWindow(m_links, *window) : PlatformHeat::fromRecord(run, m_result->record()), meaning);
}

QString ExploreView::meaningOf(const std::optional<std::int64_t>& ps, const std::optional<LinksOverTime::Window>& window) const
{
    const RunRecord& record = m_result->record();
    QString meaning = m_result->isPartial() ? tr("link busy, up to %1").arg(texts::time(*record.cutAt)) : tr("link busy, whole run");
    if (window && m_series) {
        meaning = tr("link busy at %1").arg(instantText(*ps, *window, record.finish));
    } else if (window) {
        const bool graph = m_result->scenario->structure->platform.isExplicit();
        const QString of = !graph ? tr("mean by dimension") : m_links.knowsCarriers() ? tr("mean of links in use") : tr("mean of all links");
        meaning = tr("link busy at %1, %2").arg(instantText(*ps, *window, record.finish), of);
    } else if (ps && *ps <= record.finish.ps) {
        meaning = tr("%1; not known over time").arg(meaning);
    }
    return m_outdated ? tr("%1, earlier inputs").arg(meaning) : meaning;
}

void ExploreView::setUpdating(bool updating)
{
    // An effect draws the view twice: only while it says something.
    constexpr double kOpacity = 0.6;
    if (updating == (m_timeline->viewport()->graphicsEffect() != nullptr))
        return;
    if (!updating) {
        m_timeline->viewport()->setGraphicsEffect(nullptr);
        return;
    }
    auto* effect = new QGraphicsOpacityEffect;
    effect->setOpacity(kOpacity);
    m_timeline->viewport()->setGraphicsEffect(effect);
}

void ExploreView::setOutdated(bool outdated)
{
    const bool changed = outdated != m_outdated;
    m_outdated = outdated;
    m_timelineHeader->setChip("warn", outdated ? texts::earlierInputs() : QString(), texts::earlierInputsExplained());
    m_timeline->setNote(outdated ? texts::earlierInputs() : QString());
    if (changed)
        showHeat();
}

void ExploreView::setProblem(const QString& text)
{
    m_problem->setProblem(Severity::Error, text);
}

void ExploreView::showRank(std::int64_t rank)
{
    if (const TimelineSourcePtr& source = m_timeline->source(); source && source->classOf(rank) >= 0)
        m_timeline->setGroupOpen(source->classOf(rank), true);
    m_timeline->setFocus();
}

void ExploreView::resetSplitter()
{
    const int height = m_splitter->height() - m_splitter->handleWidth();
    m_splitter->setSizes({height * kCanvasShare / 100, height - height * kCanvasShare / 100});
}

bool ExploreView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_splitter->handle(1) && event->type() == QEvent::MouseButtonDblClick) {
        resetSplitter();
        return true;
    }
    if (watched == m_canvas && event->type() == QEvent::KeyPress) {
        const auto* press = static_cast<QKeyEvent*>(event);
        if (press->key() == Qt::Key_Space && press->modifiers() == Qt::NoModifier) {
            if (!press->isAutoRepeat())
                m_playback->playback().togglePlay();
            return true;
        }
        if (press->key() == Qt::Key_Escape)
            m_timeline->setTimeCursor(std::nullopt); // And the selection, which is the platform's.
    }
    return QWidget::eventFilter(watched, event);
}

void ExploreView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (!m_sized && height() > 100) {
        m_sized = true;
        resetSplitter();
    }
    m_empty->setGeometry(m_timeline->viewport()->geometry());
}

} // namespace fabricscope
