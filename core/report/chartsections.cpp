#include "core/report/chartsections.h"

#include "core/draw/numbertext.h"
#include "core/draw/platformfigure.h"
#include "core/draw/utilisationfigure.h"
#include "core/report/reportsections.h"

#include <algorithm>

namespace fabricscope {

namespace {

using Look = ReportCell::Look;

constexpr std::size_t kMostCurves = 12;   ///< Dimensions and uses with a chart.
constexpr std::size_t kMostBounds = 3;    ///< Collectives named among the findings.
constexpr std::size_t kMostWarnings = 40;
constexpr std::int64_t kNearBound = 200;  ///< A collective within a 200th of its bound is no finding.

std::string countText(std::size_t value)
{
    return numbertext::count(static_cast<std::int64_t>(value));
}

/// Rows of the findings.
class Findings {
public:
    explicit Findings(const ReportSource& source) : m_source(source), m_record(*source.summary->record)
    {
        m_table.columns = {{"About", false, 1}, {"Finding", false, 5}};
    }

    void warnings()
    {
        const std::vector<std::string> warnings = warningsOf(*m_source.summary);
        for (std::size_t i = 0; i < std::min(warnings.size(), kMostWarnings); ++i)
            m_table.rows.push_back({ReportCell("Warning", Look::Warning), withoutFolders(warnings[i])});
        if (warnings.size() > kMostWarnings)
            m_table.note = "The first " + countText(kMostWarnings) + " of " + countText(warnings.size()) + " warnings.";
    }

    /// Of the run, and of the collectives that are farthest from theirs.
    void bounds()
    {
        if (m_record.lowerBound && m_record.lowerBound->ps > 0 && m_record.complete && m_record.finish.ps > 0)
            row("Lower bound", "No schedule of this work on these links takes less than " + numbertext::time(*m_record.lowerBound) + ", "
                                   + numbertext::percent(m_record.lowerBound->ps, 1, m_record.finish.ps) + " of the step.");
        std::vector<const CollectiveBoundRow*> rows;
        for (const CollectiveBoundRow& one : m_source.summary->collectiveBounds)
            if (one.best.ps > 0 && one.bound.ps > 0 && one.bound.ps < one.best.ps - one.best.ps / kNearBound)
                rows.push_back(&one);
        std::stable_sort(rows.begin(), rows.end(), [](const CollectiveBoundRow* a, const CollectiveBoundRow* b) { return (a->best.ps - a->bound.ps) > (b->best.ps - b->bound.ps); });
        for (std::size_t i = 0; i < std::min(rows.size(), kMostBounds); ++i) {
            const CollectiveBoundRow& one = *rows[i];
            row("Collective", one.op + " of " + numbertext::bytes(one.bytes) + (one.group.empty() ? "" : " in " + one.group) + " as " + one.algorithm + " takes "
                                  + numbertext::time(one.best) + " at best; its lower bound is " + numbertext::time(one.bound) + " ("
                                  + numbertext::percent(one.bound.ps, 1, one.best.ps) + "), set by " + one.cut + '.');
        }
    }

    void dimensions()
    {
        const std::size_t none = m_record.dimensions.size();
        std::size_t busiest = none;
        double most = 0;
        for (std::size_t i = 0; i < m_record.dimensions.size(); ++i) {
            const double share = m_record.dimensions[i].busyShare(m_record.finish);
            if (share > most) {
                most = share;
                busiest = i;
            }
        }
        if (busiest != none && m_record.finish.ps > 0) {
            const DimensionUse& use = m_record.dimensions[busiest];
            std::string text = dimensionText(m_source, busiest) + ": its links are busy " + numbertext::percent(use.busyPs, use.links, m_record.finish.ps) + " of the time";
            if (use.peakLinkPs > 0)
                text += ", the busiest of them " + numbertext::percent(use.peakLinkPs, 1, m_record.finish.ps);
            row("Busiest", text + '.');
        }
        for (std::size_t i = 0; i < m_record.dimensions.size(); ++i)
            if (m_record.dimensions[i].messages == 0 && m_record.dimensions[i].busyPs == 0 && m_record.dimensions[i].links > 0)
                row("Idle", dimensionText(m_source, i) + " carries nothing: " + numbertext::count(m_record.dimensions[i].links) + (m_record.dimensions[i].links == 1 ? " link is" : " links are") + " idle through the run.");
    }

    /// The longest move of the storyboard against the same message on an idle path.
    void slowestMove(const StoryboardSource& storyboard)
    {
        if (!storyboard.replay)
            return;
        const std::span<const ReplayMove> moves = storyboard.replay->moves();
        std::size_t slowest = moves.size();
        for (std::size_t i = 0; i < moves.size(); ++i)
            if (slowest == moves.size() || moves[i].donePs - moves[i].readyPs > moves[slowest].donePs - moves[slowest].readyPs)
                slowest = i;
        if (slowest == moves.size())
            return;
        const MoveWhy why = storyboard.replay->why(static_cast<std::uint32_t>(slowest));
        const ReplayMove& move = moves[slowest];
        const std::string ends = std::to_string(storyboard.replay->rankAt(move.source)) + " \xE2\x86\x92 " + std::to_string(storyboard.replay->rankAt(move.target));
        const std::string whole = numbertext::time({why.duration()}, 1);
        if (why.waiting <= 0)
            row("Slowest move", ends + " of the storyboard takes " + whole + ", as on an idle path: it waits for nothing.");
        else
            row("Slowest move", ends + " of the storyboard takes " + whole + "; on an idle path it would take " + numbertext::time({why.duration() - why.waiting}, 1) + ", so it waits "
                                    + numbertext::time({why.waiting}, 1) + " for links or the reducer.");
    }

    ReportTable table() { return std::move(m_table); }

private:
    void row(const char* about, std::string text) { m_table.rows.push_back({about, std::move(text)}); }

    const ReportSource& m_source;
    const RunRecord& m_record;
    ReportTable m_table;
};

/// "Steps of the first of 4 chunks ..." below the storyboard.
std::string storyboardCaption(const StoryboardSource& storyboard, const std::vector<StoryboardCard>& cards)
{
    const CollectiveReplay& replay = *storyboard.replay;
    const std::size_t steps = replay.steps(0).size();
    std::string out = storyboard.name + ", the longest collective: " + replay.algorithmText() + ". ";
    out += countText(steps) + (steps == 1 ? " step" : " steps");
    if (replay.chunks() > 1)
        out += " of the first of " + numbertext::count(replay.chunks()) + " chunks";
    out += cards.size() < steps ? "; steps that do the same are one picture." : ".";
    if (cards.size() > kMostCards)
        out += " The first " + countText(kMostCards) + " of " + countText(cards.size()) + " pictures.";
    return out;
}

} // namespace

ReportSection utilisationSection(const ReportSource& source, int& figure)
{
    ReportSection section{ReportPart::Utilisation, "Use of the links over time", false, true, {}};
    const RunRecord& record = *source.summary->record;
    std::vector<UtilisationCurve> curves;
    const std::size_t dimensions = dimensionCount(source);
    for (std::size_t i = 0; i < std::min(record.dimensions.size(), kMostCurves); ++i)
        curves.push_back({&record.dimensions[i], dimensionText(source, i), i < dimensions ? static_cast<int>(i) : -1});
    if (curves.empty() || record.finish.ps <= 0) {
        section.blocks.emplace_back(ReportText{"This run has no links whose use was counted."});
        return section;
    }
    std::string caption = "Share of the links that are busy; the dashed line is the mean of the run.";
    if (record.dimensions.size() > kMostCurves)
        caption += " The first " + countText(kMostCurves) + " of " + countText(record.dimensions.size()) + '.';
    section.blocks.emplace_back(ReportFigure{utilisationFigure(curves, record.finish), {}, figure++, caption});
    return section;
}

ReportSection storyboardSection(const StoryboardSource& storyboard, int& figure)
{
    ReportSection section{ReportPart::Storyboard, "Storyboard of the longest collective", false, true, {}};
    if (!storyboard.replay) {
        section.blocks.emplace_back(ReportText{storyboard.note});
        return section;
    }
    const std::vector<StoryboardCard> cards = storyboardCards(*storyboard.replay);
    if (cards.empty()) {
        section.blocks.emplace_back(ReportText{"The longest collective sends no messages."});
        return section;
    }
    section.blocks.emplace_back(ReportFigure{storyboardFigure(*storyboard.replay, cards), storyboardLegend(*storyboard.replay), figure++, storyboardCaption(storyboard, cards)});
    return section;
}

ReportSection findingsSection(const ReportSource& source, const StoryboardSource& storyboard)
{
    ReportSection section{ReportPart::Findings, "Findings", false, true, {}};
    Findings findings(source);
    findings.warnings();
    findings.bounds();
    findings.dimensions();
    findings.slowestMove(storyboard);
    ReportTable table = findings.table();
    if (table.rows.empty())
        section.blocks.emplace_back(ReportText{"Nothing stands out."});
    else
        section.blocks.emplace_back(std::move(table));
    return section;
}

} // namespace fabricscope
