#pragma once

#include "core/record/linksovertime.h"
#include "core/run/followlinks.h"
#include "core/run/rundesign.h"
#include "widgets/base/theme.h"
#include "widgets/results/explainrunner.h"

#include <QWidget>

#include <stop_token>

class QAction;
class QComboBox;
class QLabel;
class QSplitter;
class QToolButton;

namespace fabricscope {

class ActionRegistry;
class HintLine;
class PartsBar;
class PlatformCanvas;
class TimelineLegend;
class TimelinePlaybackBar;
class TimelineTools;
class TimelineView;
class ViewHeader;

/// The centre of Explore: the platform over the timeline, each below its header. The heat of links is that of the instant at the time cursor, else of that
/// under the pointer in the timeline, else of the whole run; at an instant first the mean of a dimension, and as soon as the run was followed link by link,
/// beside the window and only when an instant is looked at, that of every link. On the platform Space plays and pauses, Esc takes the cursor away.
class ExploreView : public QWidget
{
    Q_OBJECT
public:
    explicit ExploreView(QWidget* parent = nullptr);
    ~ExploreView() override; ///< Stops what works for it.

    PlatformCanvas& canvas() { return *m_canvas; }
    TimelineView& timeline() { return *m_timeline; }
    TimelineTools& timelineTools() { return *m_tools; }
    TimelinePlaybackBar& playbackBar() { return *m_playback; }
    void connectCommands(ActionRegistry& registry);

    void setPlatform(const std::optional<Platform>& platform);
    /// `previous`: drawn as a ghost; may be null.
    void setResult(const RunResultPtr& result, const RunResultPtr& previous);
    /// Why the result on show takes as long as it takes; null: not known. It is asked for where it is to be shown: the critical path is, or links are
    /// coloured by it.
    void setExplanation(const ExplainedRunPtr& explained);
    bool wantsExplanation() const;
    /// The step of the critical path that a piece of it belongs to.
    void showPathPiece(std::size_t piece);
    /// An older result is still shown while a newer one is being computed.
    void setUpdating(bool updating);
    /// What is shown belongs to inputs that have changed since.
    void setOutdated(bool outdated);
    bool isOutdated() const { return m_outdated; }
    /// Says over the canvas why the picture is not the design's; empty: it is.
    void setProblem(const QString& text);
    const HintLine& problem() const { return *m_problem; }
    /// Opens the group of this rank in the timeline.
    void showRank(std::int64_t rank);
    void resetSplitter();

signals:
    /// wantsExplanation() now.
    void explanationWanted();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void buildCanvas(QWidget* place);
    void buildTimeline(QWidget* place);
    QWidget* makePathStrip();
    void showPath();
    void setLens(int index);
    bool showLens();
    void showHeat();
    void followTime();
    void askForLinks();
    QString meaningOf(const std::optional<std::int64_t>& ps, const std::optional<LinksOverTime::Window>& window) const;

    Theme m_theme;
    bool m_outdated = false;
    QSplitter* m_splitter;
    ViewHeader* m_canvasHeader = nullptr;
    ViewHeader* m_timelineHeader = nullptr;
    PlatformCanvas* m_canvas = nullptr;
    TimelineView* m_timeline = nullptr;
    TimelineLegend* m_legend = nullptr;
    TimelineTools* m_tools = nullptr;
    QComboBox* m_color = nullptr;
    QLabel* m_zoom = nullptr;
    HintLine* m_problem = nullptr;
    QLabel* m_empty = nullptr;
    std::vector<std::pair<QToolButton*, QString>> m_iconButtons;
    TimelinePlaybackBar* m_playback = nullptr;
    QToolButton* m_pathButton = nullptr;
    QAction* m_pathAction = nullptr; ///< Of the menu; null before connectCommands().
    QWidget* m_pathStrip = nullptr;
    QLabel* m_pathTitle = nullptr;
    PartsBar* m_pathBar = nullptr;
    QLabel* m_pathTotal = nullptr;
    ExplainedRunPtr m_explained;
    RunResultPtr m_result;
    LinksOverTime m_links;
    LinkSeriesPtr m_series;        ///< Of every link by itself; null: not known, or not yet.
    bool m_asked = false;          ///< For them, of this result.
    std::stop_source m_following;  ///< Whoever finds them out.
    std::optional<std::int64_t> m_pointed; ///< Instant under the pointer in the timeline.
    std::optional<std::optional<LinksOverTime::Window>> m_heatOf; ///< What the heat on show is of, inside: nothing is the whole run. Outside: none is.
    bool m_lensShown = false; ///< What the critical path says of links is on show, as far as it is known.
    bool m_sized = false;
};

} // namespace fabricscope
