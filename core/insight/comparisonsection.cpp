#include "core/insight/comparisonsection.h"

#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/design/file/readdesign.h"
#include "core/draw/numbertext.h"
#include "core/draw/platformfigure.h"
#include "core/insight/designsfigure.h"
#include "core/insight/waterfallfigure.h"
#include "core/report/planfigures.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

namespace {

using Look = ReportCell::Look;

constexpr std::size_t kNameCharacters = 60;
constexpr std::size_t kValueCharacters = 80;
constexpr std::size_t kMostFieldRows = 60;
constexpr std::size_t kMostWithShares = 3; ///< With more designs there is no room for a column of shares.
constexpr std::string_view kNothing = "\xE2\x80\x93";
constexpr std::string_view kTrueMinus = " \xE2\x88\x92 ";
constexpr std::int64_t kWhole = 1'000'000; ///< Of shares.

std::string letterText(std::size_t number)
{
    return std::string(1, DesignSet::letter(number));
}

const RunRecord& recordOf(const DesignSet& set, std::size_t number)
{
    return *set.designs[number].summary.record;
}

std::string valueCell(const std::optional<std::int64_t>& value, ResultUnit unit)
{
    if (!value)
        return std::string(kNothing);
    switch (unit) {
    case ResultUnit::Picoseconds: return *value == 0 ? "0" : numbertext::time({*value});
    case ResultUnit::Bytes: return numbertext::bytes(*value);
    case ResultUnit::Millionths: break;
    }
    return numbertext::percent(*value, 1, kWhole);
}

/// With its sign; shares differ by points.
std::string changeCell(const std::optional<std::int64_t>& change, ResultUnit unit)
{
    if (!change)
        return std::string(kNothing);
    if (*change == 0)
        return "0";
    constexpr std::int64_t kPoint = kWhole / 100;
    const std::string size = unit == ResultUnit::Millionths ? numbertext::ratio(*change, kPoint, 1) + "\xE2\x80\xAFpt" : valueCell(change, unit);
    return (*change > 0 ? "+" : "") + size;
}

std::string partOf(const std::optional<std::int64_t>& change, const std::optional<std::int64_t>& whole)
{
    if (!change || !whole || *whole <= 0)
        return std::string(kNothing);
    return (*change > 0 ? "+" : "") + numbertext::percent(*change, 1, *whole);
}

ReportTable designTable(const DesignSet& set, std::size_t design)
{
    ReportTable table;
    const std::string base = letterText(set.baseline);
    table.columns = {{"", false, 0.3}, {"Design", false, 3}, {"Model", false, 1.4}, {"Step time", true, 1.2}, {"Against " + base, true, 1.2}, {"Of " + base, true, 0.8}};
    const SimTime whole = recordOf(set, set.baseline).finish;
    for (std::size_t i = 0; i < set.designs.size(); ++i) {
        const RunRecord& record = recordOf(set, i);
        const Look look = i == design ? Look::Strong : Look::Plain;
        const bool comparable = i != set.baseline && record.complete && recordOf(set, set.baseline).complete;
        std::optional<std::int64_t> change;
        if (comparable)
            change = (record.finish - whole).ps;
        table.rows.push_back({ReportCell(letterText(i), look), ReportCell(nameOf(set, i) + (i == set.baseline ? " (baseline)" : ""), look),
                              std::string(modelName(record.model)) + (record.version.empty() ? "" : ", " + record.version),
                              ReportCell(record.complete ? numbertext::time(record.finish) : record.cutAt ? "not finished" : "never ends", look),
                              i == set.baseline ? std::string() : changeCell(change, ResultUnit::Picoseconds), i == set.baseline ? std::string() : partOf(change, whole.ps)});
    }
    table.note = "This report is of " + letterText(design) + '.';
    return table;
}

/// Nothing where nothing has to be said.
std::optional<ReportTable> cautionTable(const DesignSet& set)
{
    ReportTable table;
    table.columns = {{"", false, 1}, {"Before comparing", false, 6}};
    for (const std::string& caution : cautionsOf(set))
        table.rows.push_back({ReportCell("Warning", Look::Warning), caution});
    if (table.rows.empty())
        return std::nullopt;
    return table;
}

ReportTable figureTable(const DesignSet& set)
{
    ReportTable table;
    const std::string base = letterText(set.baseline);
    table.columns.push_back({"Slowest ranks, fabric", false, 2});
    for (std::size_t i = 0; i < set.designs.size(); ++i)
        table.columns.push_back({letterText(i), true, 1});
    const bool shares = set.designs.size() <= kMostWithShares;
    for (const DesignPath& path : set.paths) {
        table.columns.push_back({letterText(path.to) + std::string(kTrueMinus) + base, true, 1});
        if (shares)
            table.columns.push_back({"of " + base, true, 0.7});
    }
    for (const ResultColumnRow& row : set.columns) {
        const Look look = row.kind == ResultColumnRow::Kind::StepTime ? Look::Strong : Look::Plain;
        std::vector<ReportCell> cells{ReportCell(shownText(rowName(row), kNameCharacters), look)};
        for (const auto& value : row.values)
            cells.emplace_back(valueCell(value, row.unit), look);
        for (const DesignPath& path : set.paths) {
            const auto change = row.difference(set.baseline, path.to);
            cells.emplace_back(changeCell(change, row.unit), look);
            if (shares)
                cells.emplace_back(row.unit == ResultUnit::Millionths ? std::string() : partOf(change, row.values[set.baseline]), look);
        }
        table.rows.push_back(std::move(cells));
    }
    table.note = "Parts of the step are of the ranks that finish last, and add up to it.";
    return table;
}

void addFields(ReportSection& section, const DesignSet& set)
{
    if (set.fields.empty()) {
        section.blocks.emplace_back(ReportText{"The designs do not differ in any field."});
        return;
    }
    ReportTable table;
    table.columns.push_back({"Fields that differ", false, 1.6});
    for (std::size_t i = 0; i < set.designs.size(); ++i)
        table.columns.push_back({letterText(i), false, 1});
    for (std::size_t r = 0; r < std::min(set.fields.size(), kMostFieldRows); ++r) {
        const FieldColumns& field = set.fields[r];
        std::vector<ReportCell> cells{ReportCell(shownText(field.field, kValueCharacters))};
        for (const std::string& value : field.values)
            cells.emplace_back(value.empty() ? std::string(kNothing) : shownText(value, kValueCharacters));
        table.rows.push_back(std::move(cells));
    }
    if (set.fields.size() > kMostFieldRows)
        table.note = "The first " + numbertext::count(static_cast<std::int64_t>(kMostFieldRows)) + " of " + numbertext::count(static_cast<std::int64_t>(set.fields.size())) + " fields.";
    section.blocks.emplace_back(std::move(table));
}

/// How the changes of a waterfall come about.
std::string orderText(const Waterfall& made)
{
    if (!made.mean)
        return "one difference carried over after the other, and simulated";
    const std::string orders = std::to_string(made.mean.orders);
    std::string text = "each difference as the mean over " + (made.mean.all ? "all " + orders + " orders" : orders + " orders, in which each stands at each place equally often,")
        + " of carrying them over, simulated";
    if (made.mean.withoutTime > 0)
        text += "; designs between that have no time: " + std::to_string(made.mean.withoutTime) + ", what they change counts with the next difference";
    return text;
}

/// "From A to B, one difference carried over after the other and simulated ..."
std::string waterfallCaption(const DesignSet& set, const DesignPath& path)
{
    const Waterfall& made = *path.waterfall;
    const WaterfallUnit unit = unitOf(made);
    const std::string thin = "\xE2\x80\xAF";
    return "From " + letterText(set.baseline) + " to " + letterText(path.to) + ", " + orderText(made) + ". The changes add up exactly: " + unit.signedText(made.b - made.a) + thin + unit.name() + '.';
}

void addWaterfall(ReportSection& section, const DesignSet& set, const DesignPath& path)
{
    const std::string pair = letterText(set.baseline) + " and " + letterText(path.to);
    if (!path.waterfall) {
        section.blocks.emplace_back(ReportText{pair + ": one of the two never ends, so there is no time to compare."});
        return;
    }
    if (path.waterfall->items.empty()) {
        section.blocks.emplace_back(ReportText{pair + " do not differ in anything that is simulated."});
        return;
    }
    section.blocks.emplace_back(ReportFigure{waterfallFigure(set, path), {}, 1, waterfallCaption(set, path)});
    ReportList notes;
    for (std::size_t i = 0; i < path.waterfall->items.size(); ++i) {
        const WaterfallItem& item = path.waterfall->items[i];
        if (!item.apart)
            notes.items.push_back(std::to_string(i + 1) + "  " + shownText(path.changes.rows()[item.change].field, kValueCharacters) + ": a design with it and without the next has no time: "
                                  + shownText(item.why) + '.');
    }
    if (!notes.items.empty())
        section.blocks.emplace_back(std::move(notes));
}

/// "20.6 % faster than A, pod (a.yaml)"; empty: there is no time to compare.
std::string besideOther(const DesignSet& set, std::size_t design)
{
    const std::size_t other = design != set.baseline ? set.baseline : set.paths.front().to;
    const RunRecord& mine = recordOf(set, design);
    const RunRecord& theirs = recordOf(set, other);
    if (!mine.complete || !theirs.complete || theirs.finish.ps <= 0)
        return {};
    const std::string named = letterText(other) + ", " + nameOf(set, other); // Two may have one name: an edited design and itself before.
    const std::int64_t change = (mine.finish - theirs.finish).ps;
    if (change == 0)
        return "as long as " + named;
    constexpr std::int64_t kLeast = 1000; ///< Parts of the time that are worth a number.
    const std::int64_t size = change < 0 ? -change : change;
    const std::string share = size < theirs.finish.ps / kLeast ? "less than 0.1\xE2\x80\xAF%" : numbertext::percent(size, 1, theirs.finish.ps);
    return share + (change < 0 ? " faster than " : " slower than ") + named;
}

void numberFigures(ReportContent& content)
{
    int number = 1;
    for (ReportSection& section : content.sections) {
        for (ReportBlock& block : section.blocks) {
            if (auto* figure = std::get_if<ReportFigure>(&block))
                figure->number = number++;
        }
    }
}

/// Of a run whose scenario is there nothing is prepared again, nor searched: a placement is that of its plan.
RebuiltRun justRun(const SavedRun& run, const std::stop_token& stop)
{
    Result<LoadedDesign> loaded = readDesignText(run.summary.designText, run.summary.designFile, {}, stop);
    checkStop(stop);
    if (!loaded)
        return {};
    auto design = std::make_shared<Design>(std::move(loaded).value().design);
    design->model.model = run.summary.record->model;
    design->model.version = run.summary.record->version;
    return {std::move(design), run.scenario, run.summary.plan ? run.summary.plan->placement : nullptr};
}

/// A run of which only the summary is there, as one to compare. `placement`: takes that of its plan; may be null.
Result<ComparedDesign> comparedRun(const SavedRun& run, std::shared_ptr<const PlacementFigures>* placement, const std::stop_token& stop)
{
    RebuiltRun rebuilt = run.scenario ? justRun(run, stop) : rebuiltRun(run.summary, stop);
    if (placement)
        *placement = rebuilt.placement;
    std::string name = namedByFile(run.summary);
    if (name.empty())
        name = "design";
    if (!rebuilt.design || !rebuilt.scenario)
        return Error{ErrorCode::InvalidInput, "the design of the run \"" + shownText(name) + "\" cannot be built again, so it cannot be compared", {},
                     "a run that holds its design, and the files that names as they were"};
    return ComparedDesign{name, std::move(rebuilt.design), std::move(rebuilt.scenario), run.summary, run.cost};
}

} // namespace

void addComparison(ReportContent& content, const DesignSet& set, std::size_t design)
{
    assert(design < set.designs.size());
    ReportSection section{ReportPart::Comparison, "Comparison", false, true, {}};
    if (auto cautions = cautionTable(set))
        section.blocks.emplace_back(std::move(*cautions));
    section.blocks.emplace_back(designTable(set, design));
    if (Drawing platforms = designsFigure(set); !platforms.isEmpty())
        section.blocks.emplace_back(ReportFigure{std::move(platforms), heatLegend(), 1, "The platforms, drawn to one scale."});
    for (const DesignPath& path : set.paths)
        addWaterfall(section, set, path);
    section.blocks.emplace_back(figureTable(set));
    addFields(section, set);
    content.comparison = besideOther(set, design);
    const auto after = std::find_if(content.sections.begin(), content.sections.end(), [](const ReportSection& other) { return other.part > ReportPart::Comparison; });
    content.sections.insert(after, std::move(section));
    numberFigures(content);
}

Result<ReportContent> comparedReport(const SavedRun& run, const std::vector<SavedRun>& others, const WaterfallOptions& options, const std::stop_token& stop)
{
    assert(others.size() < DesignSet::kMost);
    return untilStopped([&]() -> Result<ReportContent> {
        if (others.empty() && !run.scenario)
            return reportContent(run.summary, stop);
        if (others.empty()) {
            ReportSource source;
            source.summary = &run.summary;
            source.scenario = run.scenario;
            return reportContent(source, stop);
        }
        constexpr std::size_t kReported = 1; ///< B.
        std::vector<const SavedRun*> runs;
        for (const SavedRun& other : others)
            runs.push_back(&other);
        runs.insert(runs.begin() + kReported, &run);
        std::vector<ComparedDesign> designs;
        std::shared_ptr<const PlacementFigures> placement;
        for (const SavedRun* one : runs) {
            Result<ComparedDesign> design = comparedRun(*one, one == &run ? &placement : nullptr, stop);
            if (!design)
                return std::move(design).error();
            designs.push_back(std::move(design).value());
        }
        const Result<DesignSet> set = compareDesigns(std::move(designs), 0, options, stop);
        if (!set)
            return set.error();
        ReportSource source;
        source.summary = &run.summary;
        source.scenario = set.value().designs[kReported].scenario;
        source.placement = placement;
        ReportContent content = reportContent(source, stop);
        addComparison(content, set.value(), kReported);
        return content;
    });
}

} // namespace fabricscope
