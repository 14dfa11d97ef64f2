#include "core/report/reportcontent.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/design/file/readdesign.h"
#include "core/draw/numbertext.h"
#include "core/draw/timelinefigure.h"
#include "core/record/resultparts.h"
#include "core/planner/placeddesign.h"
#include "core/report/chartsections.h"
#include "core/report/placedfigures.h"
#include "core/report/planfigures.h"
#include "core/report/planrecord.h"
#include "core/report/reportsections.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace fabricscope {

namespace {

std::string fileName(const std::string& path)
{
    return path.substr(path.rfind('/') + 1);
}

class Maker {
public:
    Maker(const ReportSource& source, const std::stop_token& stop) : m_stop(stop), m_source(source), m_summary(*source.summary), m_record(*source.summary->record) {}

    ReportContent make()
    {
        m_content.title = m_summary.name.empty() ? "Fabricscope run" : m_summary.name;
        m_content.question = withoutFolders(m_summary.notes);
        m_content.notice = m_source.notice;
        m_content.program = std::string("Fabricscope ") + FABRICSCOPE_VERSION;
        m_content.file = fileName(m_summary.designFile);
        m_content.hash = m_summary.designHash.substr(0, 4) + (m_summary.designHash.size() > 4 ? ' ' + m_summary.designHash.substr(4, 4) : std::string());
        const std::int32_t slowest = slowestClass(m_record);
        m_slowest = slowest >= 0 ? &m_record.classes[at(slowest)] : nullptr;
        if (!m_record.complete && !m_record.cutAt) {
            m_content.answerLead = "The run cannot finish: " + numbertext::count(static_cast<std::int64_t>(m_record.waits.size()))
                + (m_record.waits.size() == 1 ? " rank waits" : " ranks wait") + " for something that never happens.";
            for (const Wait& wait : m_record.waits) {
                checkStop(m_stop);
                m_content.waits.push_back("Rank " + std::to_string(wait.rank) + ", " + wait.task + ": " + wait.reason + '.');
            }
        } else {
            shares(slowest);
            answer();
            keyFigures();
        }
        sections();
        return std::move(m_content);
    }

private:
    SimTime finish() const { return m_record.cutAt.value_or(m_record.finish); }

    static constexpr std::string_view kExposed = ", exposed";

    /// Of the slowest ranks; null where the parts are not known.
    const ReportShare* largestShare() const
    {
        const ReportShare* largest = nullptr;
        for (const ReportShare& share : m_content.shares)
            if (share.ps > 0 && (!largest || share.ps > largest->ps))
                largest = &share;
        return largest;
    }

    /// ", bound by compute (51.4 %)": the largest part of the slowest ranks. Empty where the parts are not known, and where one collective is all there is.
    std::string largestPart() const
    {
        const ReportShare* const largest = largestShare();
        if (!largest || (m_summary.collective && largest->label.ends_with(kExposed)))
            return {};
        std::string label = largest->label;
        label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
        if (label.ends_with(kExposed))
            label = "exposed " + label.substr(0, label.size() - kExposed.size());
        return ", bound by " + label + " (" + largest->share + ")";
    }

    /// "One step", "The all-reduce of 64 MiB".
    std::string whatTakesTime() const
    {
        if (!m_summary.collective)
            return "One step";
        std::string op = m_summary.collective->op;
        std::replace(op.begin(), op.end(), '_', '-');
        return "The " + op + " of " + showBytes({m_summary.collective->bytes});
    }

    /// How much of the time communication takes that nothing hides; its share unless the first sentence has said it. Empty: the workload is communication only.
    std::string exposedSentence(const RankTimes& times) const
    {
        if (m_summary.collective || times.exposedComm.ps <= 0)
            return times.exposedComm.ps <= 0 && times.comm.ps > 0 ? "All communication is hidden behind compute." : "";
        const std::string share = numbertext::percent(times.exposedComm.ps, 1, times.finish.ps);
        const ReportShare* const largest = largestShare();
        const bool said = largest && largest->label.ends_with(kExposed) && largest->share == share;
        return "Communication that no compute hides takes " + numbertext::time(times.exposedComm) + " of it" + (said ? "." : " (" + share + ").");
    }

    /// Empty: no bound is known.
    std::string boundWords() const
    {
        if (!m_record.lowerBound || m_record.lowerBound->ps <= 0 || m_record.finish.ps <= 0)
            return {};
        if (m_record.finish <= *m_record.lowerBound)
            return ", which is the lower bound of this platform";
        return ", and reaches " + numbertext::percent(m_record.lowerBound->ps, 1, m_record.finish.ps) + " of what the lower bound of this platform allows";
    }

    void answer()
    {
        if (m_record.cutAt) {
            m_content.answerLead = "The run was simulated up to " + numbertext::time(finish()) + "; it was not finished.";
        } else {
            m_content.answerLead = whatTakesTime() + " takes " + numbertext::time(finish());
            m_content.answerTime = m_content.answerLead.size();
            m_content.answerLead += largestPart() + boundWords() + '.';
        }
        if (m_slowest && m_record.complete)
            m_content.answer = exposedSentence(m_slowest->times);
        const std::string busiest = busiestSentence();
        if (!busiest.empty())
            m_content.answer += (m_content.answer.empty() ? "" : " ") + busiest;
    }

    /// Index of the dimension whose links are busy the most; -1: nothing is busy.
    int busiestDimension() const
    {
        int best = -1;
        double most = 0;
        for (std::size_t i = 0; i < dimensionCount(m_source); ++i) {
            const double share = m_record.dimensions[i].busyShare(m_record.finish);
            if (share > most) {
                most = share;
                best = static_cast<int>(i);
            }
        }
        return best;
    }

    std::string busiestSentence() const
    {
        const int dimension = busiestDimension();
        if (dimension < 0 || m_record.finish.ps <= 0)
            return {};
        const DimensionUse& use = m_record.dimensions[at(dimension)];
        std::string out = dimensionText(m_source, static_cast<std::size_t>(dimension)) + " is the busiest dimension: its links are busy "
            + numbertext::percent(use.busyPs, use.links, m_record.finish.ps) + " of the time";
        if (const LinkUse* link = busiestLink(m_source); link && m_source.scenario)
            out += ", and the busiest link of all, " + linkNameText(m_source, link->link) + ", " + numbertext::percent(link->busyPs, 1, m_record.finish.ps);
        return out + '.';
    }

    void keyFigures()
    {
        ReportKeyFigure step{m_record.cutAt ? "Simulated" : "Step time", numbertext::time(finish()), {}};
        if (m_source.before && m_source.before->record->complete)
            step.detail = "was " + numbertext::time(m_source.before->record->finish) + (m_source.beforeName.empty() ? "" : " at " + m_source.beforeName);
        else
            step.detail = numbertext::count(m_record.rankCount) + (m_record.rankCount == 1 ? " rank" : " ranks");
        m_content.figures.push_back(std::move(step));
        if (m_record.lowerBound && m_record.lowerBound->ps > 0)
            m_content.figures.push_back({"Lower bound", numbertext::time(*m_record.lowerBound), numbertext::percent(m_record.lowerBound->ps, 1, std::max<std::int64_t>(finish().ps, 1)) + " of the step"});
        if (m_slowest)
            m_content.figures.push_back({"Exposed communication", numbertext::time(m_slowest->times.exposedComm),
                                         numbertext::percent(m_slowest->times.exposedComm.ps, 1, m_slowest->times.finish.ps) + " of the step"});
        if (m_source.before && m_source.before->record->complete && m_record.complete) {
            const std::int64_t was = m_source.before->record->finish.ps;
            const std::int64_t change = m_record.finish.ps - was;
            const std::string sign = change > 0 ? "+" : "";
            const std::string same = change != 0 ? notDistinguishable(*m_source.before, m_summary) : std::string();
            m_content.figures.push_back({"Change", sign + numbertext::time({change}), !same.empty() ? same : was > 0 ? sign + numbertext::percent(change, 1, was) + " of the run before" : std::string()});
        } else if (const std::optional<ReportKeyFigure> plan = m_summary.plan ? planKeyFigure(*m_summary.plan) : std::nullopt) {
            m_content.figures.push_back(*plan);
        } else if (const LinkUse* link = busiestLink(m_source)) {
            m_content.figures.push_back({"Busiest link", numbertext::percent(link->busyPs, 1, m_record.finish.ps), linkNameText(m_source, link->link)});
        } else if (const int dimension = busiestDimension(); dimension >= 0) {
            const DimensionUse& use = m_record.dimensions[at(dimension)];
            m_content.figures.push_back({"Busiest dimension", numbertext::percent(use.busyPs, use.links, m_record.finish.ps), dimensionText(m_source, static_cast<std::size_t>(dimension))});
        }
    }

    std::string partLabel(const ResultPart& part) const
    {
        switch (part.kind) {
        case ResultPart::Kind::Compute: return "Compute";
        case ResultPart::Kind::Host: return "Host";
        case ResultPart::Kind::Waiting: return "Waiting";
        case ResultPart::Kind::Exposed: break;
        }
        std::string name = activityText(part.activity);
        const auto& families = m_source.scenario->structure->workload->families;
        if (part.family > 0 && static_cast<std::size_t>(part.family) < families.size() && !families[at(part.family)].name().empty())
            name += " (" + families[at(part.family)].name() + ')';
        return name + (part.activity == Activity::Memory ? "" : ", exposed");
    }

    void shares(std::int32_t slowest)
    {
        if (slowest < 0 || !m_source.scenario || !m_source.scenario->structure->workload)
            return;
        const ResultParts found = resultParts(m_record, *m_source.scenario->structure->workload, slowest);
        if (found.total.ps <= 0)
            return;
        std::vector<std::int64_t> lengths;
        for (const ResultPart& part : found.parts)
            lengths.push_back(part.ps);
        const std::int64_t unit = numbertext::timeUnitPs(found.total);
        const std::int64_t digit = std::max<std::int64_t>(unit / 1000, 1);
        const std::vector<std::int64_t> rounded = sharedRounding(lengths, found.total.ps, digit);
        for (std::size_t i = 0; i < found.parts.size(); ++i) {
            const ResultPart& part = found.parts[i];
            ReportShare share;
            share.label = partLabel(part);
            share.value = numbertext::timeIn({rounded[i] * digit}, found.total) + "\xE2\x80\xAF" + numbertext::timeUnit(found.total);
            share.share = numbertext::percent(part.ps, 1, found.total.ps);
            share.ps = part.ps;
            const bool waiting = part.kind == ResultPart::Kind::Waiting;
            share.color = part.kind == ResultPart::Kind::Exposed ? DrawColor::activity(part.activity) : waiting ? DrawColor(Tone::Wait) : part.kind == ResultPart::Kind::Host ? DrawColor(Tone::Outline) : DrawColor::activity(Activity::Compute);
            share.hatched = waiting || (part.kind == ResultPart::Kind::Exposed && part.activity != Activity::Memory);
            m_content.shares.push_back(std::move(share));
        }
        m_content.sharesOf = ranksText(m_record.classes[at(slowest)].ranks);
        if (m_content.sharesOf.size() > 60)
            m_content.sharesOf = "the slowest ranks";
    }

    TimelineSourcePtr timeline() const
    {
        if (m_source.timeline)
            return m_source.timeline;
        const bool kept = std::any_of(m_record.classes.begin(), m_record.classes.end(), [](const RankClass& ranks) { return ranks.tasks != nullptr; });
        if (!kept || !m_source.scenario || !m_source.scenario->structure->workload)
            return nullptr;
        TimelineSource::Options options;
        options.stop = m_stop;
        return TimelineSource::create(m_summary.record, m_source.scenario->structure->workload, options);
    }

    void sections()
    {
        int figure = 1;
        auto& sections = m_content.sections;
        const auto add = [&](ReportSection section) {
            checkStop(m_stop);
            sections.push_back(std::move(section));
        };
        add(platformSection(m_source, figure));
        add(resultsSection(m_source, m_stop));
        if (const PlacementFigures* const placement = m_source.placement ? m_source.placement.get() : m_summary.plan ? m_summary.plan->placement.get() : nullptr)
            add(placementSection(*placement, figure));
        add(linksSection(m_source));
        add(timelineSection(m_source, timeline(), figure));
        add(utilisationSection(m_source, figure));
        const StoryboardSource storyboard = m_source.withoutStoryboard ? StoryboardSource{nullptr, {}, "The steps are being collected."} : storyboardOf(m_source.scenario, m_record, m_stop);
        add(storyboardSection(storyboard, figure));
        add(findingsSection(m_source, storyboard));
        add(assumptionsSection(m_source));
        add(methodSection(m_source));
        add(inputsSection(m_source));
    }

    const std::stop_token& m_stop;
    const ReportSource& m_source;
    const RunSummary& m_summary;
    const RunRecord& m_record;
    const RankClass* m_slowest = nullptr;
    ReportContent m_content;
};

} // namespace

ReportCell ReportCell::chip(int dimension)
{
    ReportCell cell("D" + std::to_string(dimension), Look::Chip);
    cell.dimension = dimension;
    return cell;
}

std::string ReportContent::lead() const
{
    const bool compared = std::any_of(sections.begin(), sections.end(), [](const ReportSection& section) { return section.part == ReportPart::Comparison && section.shown; });
    if (!compared || comparison.empty() || answerTime == 0)
        return answerLead;
    return answerLead.substr(0, answerTime) + ", " + comparison + answerLead.substr(answerTime);
}

std::string ReportContent::foot() const
{
    return program + (file.empty() ? "" : ", design " + file) + (hash.empty() ? "" : ", hash " + hash);
}

void ReportContent::show(ReportPart part, bool shown)
{
    for (ReportSection& section : sections)
        if (section.part == part)
            section.shown = shown;
}

std::vector<const ReportSection*> ReportContent::shownSections() const
{
    std::vector<const ReportSection*> out;
    for (const ReportSection& section : sections)
        if (section.shown)
            out.push_back(&section);
    return out;
}

void addShare(Drawing& drawing, const RectF& rect, const ReportShare& share)
{
    if (!share.hatched) {
        drawing.box(rect, 0, share.color);
        return;
    }
    drawing.add(HatchShape{rect, {share.color, 1.5}, 4.5});
    if (rect.width() > 2)
        drawing.box(rect.adjusted(0.5, 0.5, -0.5, -0.5), 0, {}, DrawPen{share.color});
}

ReportContent reportContent(const ReportSource& source, const std::stop_token& stop)
{
    return Maker(source, stop).make();
}

ReportContent reportContent(const RunSummary& summary, const std::stop_token& stop)
{
    ReportSource source;
    source.summary = &summary;
    RebuiltRun rebuilt = rebuiltRun(summary, stop);
    source.scenario = std::move(rebuilt.scenario);
    source.placement = std::move(rebuilt.placement);
    return reportContent(source, stop);
}

RebuiltRun rebuiltRun(const RunSummary& summary, const std::stop_token& stop)
{
    if (summary.designText.empty())
        return {};
    Result<LoadedDesign> loaded = readDesignText(summary.designText, summary.designFile, {}, stop);
    checkStop(stop);
    if (!loaded)
        return {};
    Design design = std::move(loaded).value().design;
    // Another model may have been asked for on the command line, and without a version the design was run by the rules of its time.
    design.model.model = summary.record->model;
    design.model.version = summary.record->version;
    if (designHash(design, stop).hex() != summary.designHash)
        return {};
    RebuiltRun run;
    Result<PreparedDesign> prepared = prepareToRun(design, 1, stop);
    checkStop(stop);
    run.design = std::make_shared<const Design>(std::move(design));
    if (prepared)
        run.scenario = prepared.value().scenario;
    if (prepared && prepared.value().placement)
        run.placement = std::make_shared<const PlacementFigures>(figuresOf(*prepared.value().placement));
    return run;
}

ScenarioPtr rebuiltScenario(const RunSummary& summary, const std::stop_token& stop)
{
    return rebuiltRun(summary, stop).scenario;
}

} // namespace fabricscope
