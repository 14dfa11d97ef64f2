#include "core/report/reportsections.h"

#include "core/base/shellword.h"
#include "core/base/stop.h"
#include "core/draw/numbertext.h"
#include "core/draw/platformfigure.h"
#include "core/draw/timelinefigure.h"
#include "core/report/linkclasses.h"
#include "core/report/memoryreport.h"
#include "core/report/planrecord.h"
#include "core/report/resultrows.h"
#include "core/report/runtext.h"
#include "core/scenario/networkparams.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricscope {

namespace {

using Look = ReportCell::Look;

constexpr std::size_t kShownRanks = 400;   ///< Rows of a table,
constexpr std::size_t kShownLinks = 40;
constexpr std::size_t kShownOverrides = 24;
constexpr std::size_t kShownLines = 1500;  ///< and lines of the inputs.
constexpr std::size_t kShownChoices = 12;
constexpr std::size_t kRankWidth = 40;     ///< Characters of a set of ranks.

constexpr std::string_view kNoPlatform = "The picture of the platform needs the design, which this saved run does not hold or no longer matches.";

std::string shapeText(Shape shape)
{
    switch (shape) {
    case Shape::Ring: return "Ring";
    case Shape::FullyConnected: return "Fully connected";
    case Shape::Switch: return "Switch";
    }
    return {};
}

const Platform* platformOf(const ReportSource& source)
{
    return source.scenario ? &source.scenario->structure->platform : nullptr;
}

std::string peakText(const DimensionUse& use, SimTime finish)
{
    return use.peakLinkPs == 0 && use.busyPs > 0 ? "unknown" : numbertext::percent(use.peakLinkPs, 1, finish.ps);
}

std::string countText(std::size_t value)
{
    return numbertext::count(static_cast<std::int64_t>(value));
}

/// What `algorithm: auto` compared for one collective.
ReportTable choiceTable(const CollectiveChoice& choice)
{
    ReportTable table;
    table.columns = {{"Candidates for " + withThinUnits(choiceTitle(choice)), false, 2.4}, {"Time alone", true, 1}};
    std::size_t leftOut = 0;
    for (const CandidateTime& candidate : choice.candidates) {
        const Look look = candidate.name == choice.chosen ? Look::Strong : Look::Plain;
        if (candidate.timePs >= 0)
            table.rows.push_back({ReportCell(candidate.name, look), ReportCell((candidate.isEstimate() ? "about " : "") + numbertext::time({candidate.timePs}), look)});
        else
            ++leftOut;
    }
    if (leftOut > 0)
        table.note = std::to_string(leftOut) + (leftOut == 1 ? " candidate was" : " candidates were") + " left out: too large to try, slower by their messages alone, or not made for this group.";
    return table;
}

std::string rankNames(const RankSet& ranks)
{
    std::string text = ranks.text();
    if (text.size() > kRankWidth)
        text = text.substr(0, text.rfind(',', kRankWidth - 8) + 1) + " \xE2\x80\xA6 (" + numbertext::count(ranks.count()) + ")";
    for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 3)
        text.replace(at, 1, "\xE2\x80\x93");
    for (std::size_t at = 0; (at = text.find(',', at)) != std::string::npos; at += 2)
        text.replace(at, 1, ", ");
    return text;
}

std::string sentenceCase(std::string text)
{
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

/// "dimension 2, Switch(4) latency" as {"2", "latency"}; empty when it is no parameter of a dimension.
std::pair<std::string, std::string> dimensionParameter(const std::string& name)
{
    constexpr std::string_view kStart = "dimension ";
    if (!name.starts_with(kStart))
        return {};
    const std::size_t end = name.find_first_not_of("0123456789", kStart.size());
    if (end == std::string::npos || end == kStart.size())
        return {};
    return {name.substr(kStart.size(), end - kStart.size()), name.substr(name.rfind(' ') + 1)};
}

} // namespace

std::string withoutFolders(const std::string& text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const bool starts = text[i] == '/' && (i == 0 || std::string_view(" \"'(=,:").find(text[i - 1]) != std::string_view::npos);
        if (!starts) {
            out += text[i++];
            continue;
        }
        const std::size_t end = std::min(text.find_first_of(" \"',;)", i), text.size());
        const std::string_view path = std::string_view(text).substr(i, end - i);
        out += path.size() > 1 ? path.substr(path.rfind('/') + 1) : path;
        i = end;
    }
    return out;
}

std::string withThinUnits(const std::string& text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool joins = text[i] == ' ' && i > 0 && i + 1 < text.size() && text[i - 1] >= '0' && text[i - 1] <= '9'
            && (text[i + 1] == '%' || (text[i + 1] >= 'A' && text[i + 1] <= 'z'));
        if (joins) {
            out += "\xE2\x80\xAF";
            if (text.substr(i + 1, 2) == "us" && (i + 3 == text.size() || text[i + 3] == ' ' || text[i + 3] == ',')) {
                out += "\xC2\xB5";
                ++i; // "us" is how it is typed
            }
        }
        else
            out += text[i];
    }
    return out;
}

std::size_t dimensionCount(const ReportSource& source)
{
    const std::size_t uses = source.summary->record->dimensions.size();
    if (const Platform* platform = platformOf(source))
        return std::min(uses, platform->dimensions().size());
    return std::min(uses, source.summary->dimensions.size());
}

std::string dimensionText(const ReportSource& source, std::size_t use)
{
    return use < dimensionCount(source) ? "D" + std::to_string(use) : source.summary->record->dimensions[use].name;
}

std::string linkNameText(const ReportSource& source, std::int64_t link)
{
    const Platform* platform = platformOf(source);
    return platform && link >= 0 && link < platform->linkCount() ? linkText(*platform, link) : "link " + std::to_string(link);
}

const LinkUse* busiestLink(const ReportSource& source)
{
    const std::vector<LinkUse>& links = source.summary->record->links;
    if (links.empty())
        return nullptr;
    if (const Platform* platform = platformOf(source)) {
        const auto& overrides = platform->spec().linkOverrides;
        for (const LinkUse& use : links) {
            if (use.busyPs < links.front().busyPs)
                break;
            if (std::any_of(overrides.begin(), overrides.end(), [&](const LinkOverride& entry) { return entry.link == use.link; }))
                return &use;
        }
    }
    return &links.front();
}

ReportSection platformSection(const ReportSource& source, int& figure)
{
    ReportSection section{ReportPart::Platform, "The platform", false, true, {}};
    const RunRecord& record = *source.summary->record;
    if (const Platform* platform = platformOf(source)) {
        const PlatformHeat heat = PlatformHeat::fromRecord(*platform, record);
        section.blocks.emplace_back(ReportFigure{platformFigure(*platform, heat), heatLegend(), figure++, platformSentence(*platform)});
    } else {
        section.blocks.emplace_back(ReportText{std::string(kNoPlatform)});
    }
    ReportTable table;
    table.columns = {{"", false, 0.7}, {"Shape", false, 2.2}, {"Size", true, 0.8}, {"Per link", true, 1.6}, {"Per NPU", true, 1.6}, {"Latency", true, 1.3},
                     {"Links", true, 1.1}, {"Mean busy", true, 1.3}, {"Busiest link", true, 1.4}};
    const std::size_t dimensions = dimensionCount(source);
    for (std::size_t i = 0; i < record.dimensions.size(); ++i) {
        const DimensionUse& use = record.dimensions[i];
        const bool isDimension = i < dimensions;
        const DimensionFigures figures = i < source.summary->dimensions.size() ? source.summary->dimensions[i] : DimensionFigures{};
        // "dimension 0, Ring(8)": all that is known without the platform.
        std::string shape = isDimension ? use.name.substr(use.name.find(", ") == std::string::npos ? 0 : use.name.find(", ") + 2) : use.name;
        std::string size;
        if (const Platform* platform = platformOf(source); platform && isDimension) {
            shape = shapeText(platform->dimensions()[i].shape);
            size = numbertext::count(platform->dimensions()[i].size);
        }
        table.rows.push_back({isDimension ? ReportCell::chip(static_cast<int>(i)) : ReportCell(""), shape, size, withThinUnits(figures.linkBandwidth), withThinUnits(figures.npuBandwidth),
                              withThinUnits(figures.latency), numbertext::count(use.links), numbertext::percent(use.busyPs, use.links, record.finish.ps), peakText(use, record.finish)});
    }
    if (!table.rows.empty())
        section.blocks.emplace_back(std::move(table));
    return section;
}

ReportSection assumptionsSection(const ReportSource& source)
{
    ReportSection section{ReportPart::Assumptions, "Assumptions", true, true, {}};
    ReportTable table;
    table.columns = {{"Value", false, 1.6}, {"", true, 1.6}, {"Source", false, 1.6}};
    const auto sourceCell = [&](const Parameter& parameter) {
        const std::string& file = source.summary->designFile;
        const std::string from = !file.empty() && parameter.source.starts_with(file) ? file.substr(file.rfind('/') + 1) + parameter.source.substr(file.size()) : withoutFolders(parameter.source);
        if (!parameter.assumed)
            return ReportCell(from);
        return ReportCell(from.empty() || from == "default" ? "assumed" : "assumed, " + from, Look::Warning);
    };
    const RunRecord& record = *source.summary->record;
    table.rows.push_back({"Model", std::string(modelName(record.model)) + (record.version.empty() ? "" : ", " + record.version), "manual: models"});
    const std::vector<Parameter>& parameters = source.summary->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].name == "links overridden" && source.scenario)
            continue; // each is named below
        const auto [dimension, what] = dimensionParameter(parameters[i].name);
        std::string value = withThinUnits(parameters[i].value);
        if (what == "bandwidth" && i + 1 < parameters.size() && dimensionParameter(parameters[i + 1].name) == std::pair(dimension, std::string("latency"))
            && parameters[i + 1].source == parameters[i].source && parameters[i + 1].assumed == parameters[i].assumed) {
            // Both figures of a dimension in one row.
            table.rows.push_back({"D" + dimension + " links", value + ", " + withThinUnits(parameters[i + 1].value), sourceCell(parameters[i])});
            ++i;
            continue;
        }
        table.rows.push_back({dimension.empty() ? sentenceCase(parameters[i].name) : "D" + dimension + ' ' + what, std::move(value), sourceCell(parameters[i])});
    }
    if (const Platform* platform = platformOf(source)) {
        const auto& overrides = platform->spec().linkOverrides;
        for (std::size_t i = 0; i < std::min(overrides.size(), kShownOverrides); ++i) {
            const LinkOverride& entry = overrides[i];
            std::string value = entry.bandwidth ? numbertext::rate(platform->bandwidth(entry.link).bytesPerSecond) : std::string();
            if (entry.latency)
                value += (value.empty() ? "" : ", ") + withThinUnits(showTime(platform->latency(entry.link)));
            table.rows.push_back({linkText(*platform, entry.link), value, ReportCell("set by hand", Look::Warning)});
        }
        if (overrides.size() > kShownOverrides)
            table.note = countText(overrides.size() - kShownOverrides) + " more overridden links are in the exact inputs.";
    }
    if (!table.rows.empty())
        section.blocks.emplace_back(std::move(table));
    ReportList notes;
    if (const Platform* platform = platformOf(source); platform && !platform->spec().source.empty())
        notes.items.push_back("Figures of the platform" + (platform->spec().name.empty() ? std::string() : ' ' + platform->spec().name) + ": " + withoutFolders(platform->spec().source));
    for (const Diagnostic& entry : source.summary->diagnostics)
        if (entry.severity == Severity::Note)
            notes.items.push_back(withoutFolders(toError(entry).text()));
    if (!notes.items.empty())
        section.blocks.emplace_back(std::move(notes));
    if (section.blocks.empty())
        section.blocks.emplace_back(ReportText{"The model assumes nothing that the design does not say."});
    return section;
}

ReportSection methodSection(const ReportSource& source)
{
    ReportSection section{ReportPart::Method, "How this was computed", true, true, {}};
    const RunSummary& summary = *source.summary;
    const RunRecord& record = *summary.record;
    ReportTable table;
    table.columns = {{"Run", false, 1}, {"", false, 2.4}};
    const auto row = [&](const char* label, const std::string& value) {
        if (!value.empty())
            table.rows.push_back({label, value});
    };
    row("Model", std::string(modelName(record.model)) + (record.version.empty() ? "" : ", " + record.version));
    row("Workload", withoutFolders(summary.workload));
    if (summary.collective)
        row("Collective", summary.collective->op + ", " + withThinUnits(showBytes({summary.collective->bytes})) + " on the large side, "
                + withThinUnits(showBytes({summary.collective->shard()})) + " per rank's shard, " + std::to_string(summary.collective->ranks) + (summary.collective->ranks == 1 ? " rank" : " ranks"));
    row("Ranks", numbertext::count(record.rankCount));
    row("Finish", record.complete ? nsText(record.finish) + "\xE2\x80\xAFns" : std::string());
    row("Fingerprint", record.fingerprint.hex());
    row("Design hash", summary.designHash);
    const bool measured = summary.accuracy && summary.accuracy->errorPct;
    row("Accuracy", measured ? accuracyText(*summary.accuracy) : "no measurements for this fabric");
    for (std::size_t i = 0; measured && i < summary.accuracy->outside.size(); ++i)
        row("Not measured", summary.accuracy->outside[i]);
    section.blocks.emplace_back(std::move(table));
    for (std::size_t i = 0; i < std::min(summary.choices.size(), kShownChoices); ++i)
        section.blocks.emplace_back(choiceTable(summary.choices[i]));
    return section;
}

ReportSection timelineSection(const ReportSource& source, const TimelineSourcePtr& timeline, int& figure)
{
    ReportSection section{ReportPart::Timeline, "Timeline", false, true, {}};
    const bool any = timeline && std::any_of(timeline->classes().begin(), timeline->classes().end(), [](const TimelineClass& ranks) { return ranks.trackCount > 0; });
    if (!any) {
        section.blocks.emplace_back(ReportText{"The times of the tasks were not kept in this run."});
        return section;
    }
    TimelineFigureOptions options;
    options.dimensions = static_cast<int>(dimensionCount(source));
    const std::size_t classes = timeline->classes().size();
    const std::size_t shown = std::min(classes, options.classes);
    const std::string caption = shown < classes ? "The slowest " + countText(shown) + " of " + countText(classes) + " rank classes, and the share of links that are busy."
                                                : std::string("Every rank class, and the share of links that are busy.");
    section.blocks.emplace_back(ReportFigure{timelineFigure(*timeline, options), activityLegend(*timeline, options), figure++, caption});
    return section;
}

/// Live memory of the classes, fullest first.
ReportTable memoryTable(const MemoryUse& memory)
{
    ReportTable table;
    table.columns = {{"Memory", false, 2}, {"Resident", true, 1}, {"Peak", true, 1.6}, {"First at", true, 1}, {"Largest then", false, 3}};
    const std::vector<const MemoryUse::Class*> rows = memoryRows(memory);
    for (std::size_t i = 0; i < std::min(rows.size(), kShownRanks); ++i) {
        const MemoryRow row = memoryRow(*rows[i]);
        table.rows.push_back({rankNames(rows[i]->ranks), showBytes({rows[i]->residentBytes}), row.over ? ReportCell(row.peak, Look::Warning) : ReportCell(row.peak), row.at, row.largest});
    }
    if (rows.size() > kShownRanks)
        table.note = "The fullest " + countText(kShownRanks) + " of " + countText(rows.size()) + " classes of ranks.";
    return table;
}

namespace {

/// Ranks whose row shows the same, in the order of the first of each row.
struct ShownRanks {
    std::vector<RankSet::Interval> stretches;
    std::vector<ReportCell> cells; ///< Without the names of the ranks.
    std::int32_t job = 0;
};

RankSet unitedRanks(std::vector<RankSet::Interval> stretches, const std::stop_token& stop)
{
    std::sort(stretches.begin(), stretches.end(), [](const RankSet::Interval& a, const RankSet::Interval& b) { return a.first < b.first; });
    RankSet ranks;
    for (const RankSet::Interval& stretch : stretches) {
        checkStop(stop);
        for (std::int64_t rank = stretch.first; rank <= stretch.last; ++rank)
            ranks.add(rank);
    }
    return ranks;
}

/// Rows that show the same are one, also where times differ in what is not shown.
std::vector<ShownRanks> foldedRanks(const RunRecord& record, const std::vector<RankClass>& classes, const std::stop_token& stop)
{
    const auto cell = [&](SimTime time) { return ReportCell(numbertext::timeIn(time, record.finish)); };
    std::vector<ShownRanks> rows;
    std::map<std::string, std::size_t> known;
    for (const RankClass& one : classes) {
        checkStop(stop);
        const RankTimes& times = one.times;
        std::vector<ReportCell> cells{times.finished ? cell(times.finish) : ReportCell("never", Look::Warning), cell(times.compute), cell(times.comm), cell(times.exposedComm),
                                      numbertext::percent(times.exposedComm.ps, 1, times.finish.ps)};
        std::string key = std::to_string(one.job);
        for (const ReportCell& text : cells)
            key += '|' + text.text;
        const auto [entry, isNew] = known.try_emplace(std::move(key), rows.size());
        if (isNew)
            rows.push_back({{}, std::move(cells), one.job});
        auto& stretches = rows[entry->second].stretches;
        stretches.insert(stretches.end(), one.ranks.intervals().begin(), one.ranks.intervals().end());
    }
    return rows;
}

ReportTable ranksTable(const ReportSource& source, const std::stop_token& stop)
{
    const RunRecord& record = *source.summary->record;
    std::vector<RankClass> classes = resultRows(record, stop);
    std::stable_sort(classes.begin(), classes.end(), [](const RankClass& a, const RankClass& b) {
        return a.times.finished != b.times.finished ? !a.times.finished : a.times.finish > b.times.finish;
    });
    const std::vector<ShownRanks> rows = foldedRanks(record, classes, stop);
    const std::string unit = ", " + numbertext::timeUnit(record.finish);
    const bool jobs = std::any_of(rows.begin(), rows.end(), [](const ShownRanks& row) { return row.job != 0; });
    ReportTable table;
    table.columns = {{"Ranks", false, 3}, {"Finish" + unit, true, 1.3}, {"Compute" + unit, true, 1.5}, {"Communication" + unit, true, 1.8}, {"Exposed" + unit, true, 1.4}, {"Exposed", true, 1}};
    if (jobs)
        table.columns.insert(table.columns.begin() + 1, {"Job", true, 0.6});
    for (std::size_t i = 0; i < std::min(rows.size(), kShownRanks); ++i) {
        std::vector<ReportCell> cells{rankNames(unitedRanks(rows[i].stretches, stop))};
        if (jobs)
            cells.emplace_back(std::to_string(rows[i].job));
        cells.insert(cells.end(), rows[i].cells.begin(), rows[i].cells.end());
        table.rows.push_back(std::move(cells));
    }
    if (rows.size() > kShownRanks)
        table.note = "The slowest " + countText(kShownRanks) + " of " + countText(rows.size()) + " classes of ranks.";
    else if (rows.size() < classes.size())
        table.note = "Ranks whose times differ only in what is not shown are one row.";
    return table;
}

/// Collectives against their lower bounds; nothing when there are none.
void addBounds(ReportSection& section, const RunSummary& summary)
{
    constexpr std::size_t kShown = 20;
    if (summary.collectiveBounds.empty())
        return;
    ReportTable table;
    table.columns = {{"Collective", false, 1.6}, {"Ranks", true, 0.7}, {"Size", true, 1.1}, {"Algorithm", false, 1.8}, {"Best", true, 1.2},
                     {"Lower bound", true, 1.2}, {"Latency", true, 1.1}, {"Bandwidth", true, 1.2}, {"Share", true, 0.8}, {"Binds", false, 2}};
    const std::size_t shown = std::min(summary.collectiveBounds.size(), kShown);
    for (std::size_t i = 0; i < shown; ++i) {
        const CollectiveBoundRow& row = summary.collectiveBounds[i];
        table.rows.push_back({row.op + (row.group.empty() ? "" : " in " + row.group), numbertext::count(row.ranks), numbertext::bytes(row.bytes), row.algorithm,
                              withThinUnits(showTime(row.best)), withThinUnits(showTime(row.bound)), withThinUnits(showTime(row.latency)),
                              withThinUnits(showTime(row.bandwidth)), numbertext::percent(row.bound.ps, 1, row.best.ps),
                              row.cut + (row.exact ? "" : " (of the cuts looked at)")});
    }
    table.note = "Collectives against the least time that any algorithm needs on these links, and what latency and bandwidth alone need.";
    if (summary.collectiveBounds.size() > shown)
        table.note += " The first " + countText(shown) + " of " + numbertext::count(static_cast<std::int64_t>(summary.collectiveBounds.size())) + " kinds.";
    if (!summary.boundsNote.empty())
        table.note += ' ' + summary.boundsNote + '.';
    section.blocks.emplace_back(std::move(table));
}

} // namespace

ReportSection resultsSection(const ReportSource& source, const std::stop_token& stop)
{
    ReportSection section{ReportPart::Results, "Results", false, true, {}};
    section.blocks.emplace_back(ranksTable(source, stop));
    const RunRecord& record = *source.summary->record;
    if (source.summary->plan) {
        for (ReportBlock& block : planTables(*source.summary->plan, record.finish))
            section.blocks.push_back(std::move(block));
    }
    if (record.memory && !record.memory->classes.empty())
        section.blocks.emplace_back(memoryTable(*record.memory));
    addBounds(section, *source.summary);
    return section;
}

ReportSection linksSection(const ReportSource& source)
{
    ReportSection section{ReportPart::Links, "Busiest links", false, true, {}};
    const RunRecord& record = *source.summary->record;
    if (record.links.empty()) {
        section.blocks.emplace_back(ReportText{"This model does not count the use of single links."});
        return section;
    }
    const Platform* platform = platformOf(source);
    const auto known = [&](std::int64_t link) { return platform && link >= 0 && link < platform->linkCount(); };
    const auto rate = [&](std::int64_t link) { return known(link) ? numbertext::rate(platform->bandwidth(link).bytesPerSecond) : std::string(); };
    const auto latency = [&](std::int64_t link) { return known(link) ? withThinUnits(showTime(platform->latency(link))) : std::string(); };
    const std::vector<LinkClass> classes = linkClasses(record.links, [&](const LinkUse& use) {
        const std::string place = known(use.link) ? std::to_string(platform->linkInfo(use.link).dimension) : std::string();
        return LinkFacts{linkNameText(source, use.link), rate(use.link) + '|' + latency(use.link) + '|' + place};
    });
    ReportTable table;
    table.columns = {{"Links", true, 0.6}, {"From \xE2\x86\x92 to", false, 2.6}, {"Rate", true, 1.4}, {"Latency", true, 1.3}, {"Messages", true, 1.2}, {"Traffic", true, 1.3},
                     {"Busy, " + numbertext::timeUnit(record.finish), true, 1.3}, {"Busy", true, 1}};
    std::size_t links = 0;
    for (std::size_t i = 0; i < std::min(classes.size(), kShownLinks); ++i) {
        const LinkUse& use = classes[i].links.front();
        links += classes[i].links.size();
        table.rows.push_back({countText(classes[i].links.size()), classes[i].name, rate(use.link), latency(use.link), numbertext::count(use.messages), numbertext::bytes(use.bytes),
                              numbertext::timeIn({use.busyPs}, record.finish), numbertext::percent(use.busyPs, 1, record.finish.ps)});
    }
    if (links > table.rows.size())
        table.note = "Links that are equal in all of this are one row; its figures are those of each of them.";
    if (classes.size() > kShownLinks || !record.allLinks)
        table.note += (table.note.empty() ? "" : " ") + std::string("The busiest ") + countText(links) + " links" + (platform ? " of " + numbertext::count(platform->linkCount()) : std::string()) + '.';
    section.blocks.emplace_back(std::move(table));
    return section;
}

namespace {

/// Whether the design alone says what happens: a run that draws may have had another seed, which is not known here.
bool repeatsByItself(const ReportSource& source)
{
    if (!source.scenario)
        return false;
    const NetworkParams* const network = source.scenario->params->network.get();
    return !network || !network->draws();
}

} // namespace

ReportSection inputsSection(const ReportSource& source)
{
    ReportSection section{ReportPart::Inputs, "Exact inputs", false, true, {}};
    const RunSummary& summary = *source.summary;
    const std::string& text = source.designText.empty() ? summary.designText : source.designText;
    const std::string file = withoutFolders(summary.designFile.substr(summary.designFile.rfind('/') + 1));
    ReportTable table;
    table.columns = {{"To repeat this run", false, 1}, {"", false, 4}};
    table.rows = {{"Program", std::string("Fabricscope ") + FABRICSCOPE_VERSION}, {"Model", std::string(modelName(summary.record->model)) + (summary.record->version.empty() ? "" : ", " + summary.record->version)}};
    if (!summary.designHash.empty())
        table.rows.push_back({"Design hash", summary.designHash});
    table.rows.push_back({"Fingerprint", summary.record->fingerprint.hex()});
    if (!file.empty() && !text.empty() && repeatsByItself(source))
        table.rows.push_back({"Command", "fabricscope-cli simulate " + shellWord(file) + " --model " + std::string(modelName(summary.record->model))});
    section.blocks.emplace_back(std::move(table));
    if (text.empty()) {
        section.blocks.emplace_back(ReportText{"The design was given on the command line; its values are in the section on assumptions."});
        return section;
    }
    std::size_t end = 0;
    std::size_t lines = 0;
    while (end < text.size() && lines < kShownLines) {
        end = std::min(text.find('\n', end), text.size() - 1) + 1;
        ++lines;
    }
    section.blocks.emplace_back(ReportCode{text.substr(0, end)});
    if (end < text.size())
        section.blocks.emplace_back(ReportText{"The first " + countText(kShownLines) + " lines; the design hash stands for the whole."});
    return section;
}

} // namespace fabricscope
