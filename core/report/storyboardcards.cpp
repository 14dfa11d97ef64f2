#include "core/report/storyboardcards.h"

#include "core/base/stop.h"
#include "core/draw/numbertext.h"
#include "core/draw/phaseactivity.h"
#include "core/draw/timelinefigure.h"
#include "core/step/collectivelist.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace fabricscope {

namespace {

using Anchor = TextShape::Anchor;
using Pair = std::pair<std::int32_t, std::int32_t>;

constexpr double kCardWidth = 81;
constexpr double kCardHeight = 104;
constexpr double kGap = 10.25;         ///< Eight cards in 720 pixels.
constexpr std::int32_t kOnCircle = 32; ///< Larger groups stand in a grid.
constexpr std::size_t kMostLines = 600; ///< Of one card: more would be a filled square.

std::vector<Pair> pairsOf(const CollectiveReplay& replay, const ReplayStep& step)
{
    std::vector<Pair> pairs;
    for (const ReplayMove& move : replay.moves().subspan(step.firstMove, step.moveCount))
        pairs.emplace_back(move.source, move.target);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

/// Where the ranks of a group stand in a unit square.
std::vector<PointF> placesOf(std::int32_t size)
{
    std::vector<PointF> places;
    if (size <= kOnCircle) {
        for (std::int32_t i = 0; i < size; ++i) {
            const double angle = 2 * std::numbers::pi * i / size - std::numbers::pi / 2;
            places.emplace_back(0.5 + std::cos(angle) / 2, 0.5 + std::sin(angle) / 2);
        }
        return places;
    }
    auto columns = static_cast<std::int32_t>(std::ceil(std::sqrt(size)));
    for (std::int32_t less = columns; less > columns / 2; --less) {
        if (size % less == 0) { // Full rows, where there is a side near the square root.
            columns = less;
            break;
        }
    }
    const std::int32_t rows = (size + columns - 1) / columns;
    for (std::int32_t i = 0; i < size; ++i)
        places.emplace_back((i % columns + 0.5) / columns, (i / columns + 0.5) / rows);
    return places;
}

class Board {
public:
    Board(const CollectiveReplay& replay, double width) : m_replay(replay), m_places(placesOf(replay.size())), m_width(width), m_columns(static_cast<std::size_t>((width + kGap) / (kCardWidth + kGap))) {}

    Drawing draw(const std::vector<StoryboardCard>& cards)
    {
        const std::size_t shown = std::min(cards.size(), kMostCards);
        const std::size_t rows = (shown + m_columns - 1) / m_columns;
        m_drawing.size = SizeF(m_width, static_cast<double>(rows) * (kCardHeight + kGap) - kGap + 1);
        m_drawing.title = "Storyboard";
        for (std::size_t i = 0; i < shown; ++i)
            card(cards[i], {static_cast<double>(i % m_columns) * (kCardWidth + kGap), static_cast<double>(i / m_columns) * (kCardHeight + kGap)});
        return std::move(m_drawing);
    }

private:
    void card(const StoryboardCard& card, PointF at)
    {
        const ReplayStep& step = m_replay.steps(0)[static_cast<std::size_t>(card.first)];
        const std::string first = std::to_string(card.first + 1);
        const std::string last = std::to_string(card.first + card.count);
        const std::string numbers = card.count == 1 ? first : first + "\xE2\x80\x93" + last;
        m_drawing.begin(card.count == 1 ? "step " + first : "steps " + first + '-' + last);
        m_drawing.description += (m_drawing.description.empty() ? "" : "; ") + std::string(card.count == 1 ? "step " : "steps ") + numbers + ' ' + activityText(activityOf(step.kind));
        m_drawing.box(RectF(at.x() + 0.5, at.y() + 0.5, kCardWidth - 1, kCardHeight), 4, Tone::View, DrawPen{Tone::Line2});
        m_drawing.text({at.x() + 6, at.y() + 13}, numbers, 10.5, Tone::Text, Anchor::Left, true);
        const std::string place = m_replay.lineName(step);
        if (textWidth(numbers, 10.5, true) + textWidth(place, 10) + 18 < kCardWidth)
            m_drawing.text({at.x() + kCardWidth - 6, at.y() + 13}, place, 10, Tone::Text3, Anchor::Right);
        const std::string time = (card.count == 1 ? "" : std::to_string(card.count) + " in ") + numbertext::time({card.endPs - card.beginPs}, 1);
        m_drawing.text({at.x() + kCardWidth / 2, at.y() + kCardHeight - 6}, time, 10, Tone::Text2, Anchor::Middle);
        moves(step, RectF(at.x() + 14, at.y() + 24, kCardWidth - 28, kCardHeight - 50));
        m_drawing.end();
    }

    void moves(const ReplayStep& step, const RectF& area)
    {
        const auto place = [&](std::int32_t position) {
            const PointF& unit = m_places[static_cast<std::size_t>(position)];
            return PointF(area.left() + unit.x() * area.width(), area.top() + unit.y() * area.height());
        };
        LinesShape lines;
        const bool many = step.moveCount > 64;
        lines.pen = {DrawColor::activity(activityOf(step.kind)), many ? 0.6 : 1.4};
        std::vector<Pair> ends;
        for (const Pair& pair : pairsOf(m_replay, step))
            ends.emplace_back(std::minmax(pair.first, pair.second));
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        ends.resize(std::min(ends.size(), kMostLines));
        for (const auto& [from, to] : ends)
            addLine(lines, place(from), place(to));
        m_drawing.add(std::move(lines));
        const double side = m_places.size() > 64 ? 1.5 : 3;
        BoxesShape ranks{{}, Tone::Text2};
        for (std::int32_t i = 0; i < m_replay.size(); ++i) {
            const PointF centre = place(i);
            ranks.rects.emplace_back(centre.x() - side / 2, centre.y() - side / 2, side, side);
        }
        m_drawing.add(std::move(ranks));
    }

    /// In a grid, a line along a row or column would run through the ranks between: it goes round them.
    void addLine(LinesShape& lines, const PointF& a, const PointF& b) const
    {
        constexpr double kBulge = 3.5; // Pixels: half the distance of ranks in a grid of 64.
        constexpr double kOneCell = 9;
        const double dx = b.x() - a.x();
        const double dy = b.y() - a.y();
        const bool along = std::abs(dx) < 0.5 || std::abs(dy) < 0.5;
        if (m_replay.size() <= kOnCircle || !along || std::hypot(dx, dy) < kOneCell) {
            lines.lines.emplace_back(a.x(), a.y(), b.x(), b.y());
            return;
        }
        const PointF side = std::abs(dy) < 0.5 ? PointF(0, -kBulge) : PointF(kBulge, 0);
        const PointF first(a.x() + dx / 4 + side.x(), a.y() + dy / 4 + side.y());
        const PointF second(b.x() - dx / 4 + side.x(), b.y() - dy / 4 + side.y());
        lines.lines.emplace_back(a.x(), a.y(), first.x(), first.y());
        lines.lines.emplace_back(first.x(), first.y(), second.x(), second.y());
        lines.lines.emplace_back(second.x(), second.y(), b.x(), b.y());
    }

    const CollectiveReplay& m_replay;
    std::vector<PointF> m_places;
    double m_width;
    std::size_t m_columns;
    Drawing m_drawing;
};

} // namespace

StoryboardSource storyboardOf(const ScenarioPtr& scenario, const RunRecord& record, const std::stop_token& stop)
{
    if (!scenario)
        return {nullptr, {}, "The steps need the design, which this saved run does not hold or no longer matches."};
    if (!record.complete)
        return {nullptr, {}, "The run did not finish; its collectives are not shown step by step."};
    std::int64_t hops = 0;
    for (const DimensionUse& use : record.dimensions)
        hops += use.messages;
    if (hops > kMostStoryboardHops)
        return {nullptr, {}, "The run has more than a million messages on links and is not repeated for pictures of steps; the workspace Step shows them."};
    const InstanceRun* longest = nullptr;
    const std::vector<InstanceRun> collectives = collectivesOf(*scenario, record, stop);
    for (const InstanceRun& one : collectives)
        if (one.steppable && one.endPs >= 0 && (!longest || one.endPs - one.beginPs > longest->endPs - longest->beginPs))
            longest = &one;
    if (!longest)
        return {nullptr, {}, collectives.empty() ? "This model keeps no steps of collectives, or the run has none." : "No collective of this run can be shown step by step."};
    const Result<CollectiveReplayPtr> replay = CollectiveReplay::create(scenario, longest->instance, 0, stop);
    checkStop(stop);
    if (!replay)
        return {nullptr, {}, "No steps: " + replay.error().message + '.'};
    const std::string ranks = longest->ranks.size() > 40 ? numbertext::count(longest->size) + " ranks" : "ranks " + longest->ranks;
    const bool isNamed = !longest->name.empty() && longest->name != collectiveKey(longest->op);
    const std::string name = activityText(activityOf(longest->op)) + (isNamed ? " \"" + longest->name + "\"" : "") + " of " + numbertext::bytes(longest->bytes) + " by " + ranks;
    return {replay.value(), name, {}};
}

std::vector<StoryboardCard> storyboardCards(const CollectiveReplay& replay)
{
    std::vector<StoryboardCard> cards;
    const std::span<const ReplayStep> steps = replay.steps(0);
    const bool each = steps.size() <= static_cast<std::size_t>(kShortStoryboard);
    std::vector<Pair> before;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const ReplayStep& step = steps[i];
        std::vector<Pair> pairs = each ? std::vector<Pair>() : pairsOf(replay, step);
        const bool alike = !each && i > 0 && step.kind == steps[i - 1].kind && step.dimension == steps[i - 1].dimension && step.level == steps[i - 1].level
            && step.bytesEach == steps[i - 1].bytesEach && pairs == before;
        before = std::move(pairs);
        if (alike) {
            ++cards.back().count;
            cards.back().endPs = std::max(cards.back().endPs, step.endPs - replay.beginPs());
        } else {
            cards.push_back({static_cast<std::int32_t>(i), 1, step.beginPs - replay.beginPs(), step.endPs - replay.beginPs()});
        }
    }
    return cards;
}

Drawing storyboardLegend(const CollectiveReplay& replay)
{
    std::vector<Activity> activities;
    for (const ReplayStep& step : replay.steps(0))
        if (std::find(activities.begin(), activities.end(), activityOf(step.kind)) == activities.end())
            activities.push_back(activityOf(step.kind));
    return activityKeys(activities, "Colours: kinds of phases");
}

Drawing storyboardFigure(const CollectiveReplay& replay, const std::vector<StoryboardCard>& cards, double width)
{
    return Board(replay, width).draw(cards);
}

} // namespace fabricscope
