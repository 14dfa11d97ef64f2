#include "core/report/runtext.h"

#include "core/base/decimal.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/report/memoryreport.h"
#include "core/report/planfigures.h"
#include "core/report/resultrows.h"
#include "core/report/textcolumns.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::size_t kShownClasses = 8;
constexpr std::size_t kShownTexts = 12;
constexpr std::size_t kShownWaits = 16;
constexpr std::size_t kShownChoices = 6;
constexpr std::size_t kShownCandidates = 8;

std::string headline(const std::string& label, const std::string& value)
{
    std::string out = label;
    out.resize(std::max<std::size_t>(out.size() + 1, 16), ' ');
    return out + shownText(value) + '\n';
}

std::string timeText(SimTime time)
{
    return showTime(time) + "  (" + nsText(time) + " ns)";
}

/// "1,048,576 B (1 MiB)"
std::string sizeText(std::int64_t bytes)
{
    const std::string shown = showBytes({bytes});
    const std::string exact = std::to_string(bytes) + " B";
    return shown == exact ? exact : shown + " (" + exact + ")";
}

void addTexts(std::string& out, const std::string& title, const std::vector<std::string>& texts)
{
    if (texts.empty())
        return;
    out += '\n' + title + '\n';
    for (std::size_t i = 0; i < std::min(texts.size(), kShownTexts); ++i)
        out += "  " + shownText(texts[i]) + '\n';
    if (texts.size() > kShownTexts)
        out += "  and " + std::to_string(texts.size() - kShownTexts) + " more (--json lists all)\n";
}

/// Models without links know no busiest one.
std::string peakText(const DimensionUse& use, SimTime finish)
{
    return use.peakLinkPs == 0 && use.busyPs > 0 ? "unknown" : percentText(use.peakLinkPs, 1, finish.ps);
}

std::string dimensionTable(const RunSummary& summary)
{
    const RunRecord& record = *summary.record;
    TextColumns table({"Fabric", "per link", "per NPU", "latency", "traffic", "busy", "busiest link"});
    for (std::size_t i = 0; i < record.dimensions.size(); ++i) {
        const DimensionUse& use = record.dimensions[i];
        const DimensionFigures figures = i < summary.dimensions.size() ? summary.dimensions[i] : DimensionFigures{};
        table.add({use.name, figures.linkBandwidth, figures.npuBandwidth, figures.latency, showBytes({use.bytes}),
                   percentText(use.busyPs, use.links, record.finish.ps), peakText(use, record.finish)});
    }
    return table.text();
}

std::vector<std::string> rankRow(std::string name, const RankClass& row)
{
    return {std::move(name), std::to_string(row.job), row.times.finished ? showTime(row.times.finish) : "never",
            showTime(row.times.compute), showTime(row.times.comm), showTime(row.times.exposedComm)};
}

std::string shortRanks(const RankSet& ranks)
{
    constexpr std::size_t kWidth = 28;
    std::string text = ranksText(ranks);
    if (text.size() > kWidth)
        text = text.substr(0, text.rfind(',', kWidth - 4) + 1) + ".. (" + std::to_string(ranks.count()) + ")";
    return text;
}

std::string rankTable(const RunRecord& record, RankRows rows, const std::stop_token& stop)
{
    TextColumns table({"Ranks, slowest first", "job", "finish", "compute", "comm", "exposed comm"}, 1, stop);
    if (rows == RankRows::All) {
        std::vector<std::pair<std::int64_t, const RankClass*>> ranks;
        for (const RankClass& row : record.classes) {
            for (const RankSet::Interval& interval : row.ranks.intervals()) {
                checkStop(stop);
                for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                    ranks.emplace_back(rank, &row);
            }
        }
        std::sort(ranks.begin(), ranks.end());
        for (const auto& [rank, row] : ranks)
            table.add(rankRow("rank " + std::to_string(rank), *row));
        std::string out = table.text();
        return out.replace(out.find(", slowest first"), 15, "");
    }
    const std::vector<RankClass> rowsOfRecord = resultRows(record, stop);
    std::vector<const RankClass*> classes;
    for (const RankClass& row : rowsOfRecord)
        classes.push_back(&row);
    std::stable_sort(classes.begin(), classes.end(), [](const RankClass* a, const RankClass* b) {
        return a->times.finished != b->times.finished ? !a->times.finished : a->times.finish > b->times.finish;
    });
    const std::size_t shown = std::min(classes.size(), kShownClasses);
    for (std::size_t i = 0; i < shown; ++i)
        table.add(rankRow(shortRanks(classes[i]->ranks), *classes[i]));
    std::string out = table.text();
    if (classes.size() > shown)
        out += "  and " + std::to_string(classes.size() - shown) + " more classes of ranks (--ranks all shows every rank)\n";
    return out;
}

std::string memoryTable(const MemoryUse& memory, const std::stop_token& stop)
{
    TextColumns table({"Memory, fullest first", "resident", "peak", "first at", "largest"}, 1, stop);
    const std::vector<const MemoryUse::Class*> rows = memoryRows(memory);
    const std::size_t shown = std::min(rows.size(), kShownClasses);
    for (std::size_t i = 0; i < shown; ++i) {
        const MemoryRow row = memoryRow(*rows[i]);
        table.add({shortRanks(rows[i]->ranks), showBytes({rows[i]->residentBytes}), row.peak, row.at, row.largest});
    }
    std::string out = table.text();
    if (rows.size() > shown)
        out += "  and " + std::to_string(rows.size() - shown) + " more classes of ranks (--json lists all)\n";
    return out;
}

std::string boundsTable(const RunSummary& summary)
{
    constexpr std::size_t kShown = 20;
    TextColumns table({"Collective", "ranks", "size", "algorithm", "best", "bound", "share", "binds"});
    const std::size_t shown = std::min(summary.collectiveBounds.size(), kShown);
    for (std::size_t i = 0; i < shown; ++i) {
        const CollectiveBoundRow& row = summary.collectiveBounds[i];
        table.add({row.op + (row.group.empty() ? "" : " in " + row.group), std::to_string(row.ranks), showBytes({row.bytes}), row.algorithm, showTime(row.best),
                   showTime(row.bound), percentText(row.bound.ps, 1, row.best.ps), row.cut + (row.exact ? "" : " (of the cuts looked at)")});
    }
    std::string out = shown > 0 ? table.text() : std::string();
    if (summary.collectiveBounds.size() > shown)
        out += "  and " + std::to_string(summary.collectiveBounds.size() - shown) + " more kinds of collectives (--json lists all)\n";
    if (!summary.boundsNote.empty())
        out += "  " + summary.boundsNote + '\n';
    return out;
}

std::string engineText(const RunSummary& summary, const RunCost& cost)
{
    const RunRecord& record = *summary.record;
    std::string engines;
    for (const EngineShare& engine : record.engines)
        engines += (engines.empty() ? "" : ", ") + engine.engine + ' ' + percentText(static_cast<std::int64_t>(engine.share * 1e6 + 0.5), 1, 1'000'000);
    std::string out = engines.empty() ? std::string("none needed") : engines;
    out += "; " + std::to_string(record.events) + " events in " + showTime({cost.wallMicroseconds * kPsPerUs});
    if (cost.peakRssBytes > 0)
        out += ", " + std::to_string((cost.peakRssBytes + (1 << 20) - 1) >> 20) + " MiB";
    return out;
}

} // namespace

std::string percentText(std::int64_t part, std::int64_t count, std::int64_t whole)
{
    __extension__ using Wide = __int128;
    const Wide total = Wide{count} * whole;
    if (total <= 0)
        return "0.0 %";
    const auto thousandths = static_cast<std::int64_t>((Wide{part} * 1000 + total / 2) / total);
    return fixedDecimal(thousandths, 1) + " %";
}

std::string choiceTitle(const CollectiveChoice& choice)
{
    return std::string(collectiveKey(choice.op)) + " of " + showBytes({choice.bytes}) + " over " + std::to_string(choice.ranks) + " ranks"
        + (choice.group.empty() ? "" : " (" + choice.group + ')');
}

std::string choicesText(const std::vector<CollectiveChoice>& choices)
{
    std::string out;
    for (std::size_t i = 0; i < std::min(choices.size(), kShownChoices); ++i) {
        const CollectiveChoice& choice = choices[i];
        TextColumns table({"Chosen for " + choiceTitle(choice), "time"});
        std::size_t timed = 0;
        for (const CandidateTime& candidate : choice.candidates) {
            if (candidate.timePs >= 0 && timed++ < kShownCandidates)
                table.add({candidate.name + (candidate.name == choice.chosen ? "  (runs)" : ""), (candidate.isEstimate() ? "about " : "") + showTime({candidate.timePs})});
        }
        out += '\n' + table.text();
        if (timed > kShownCandidates)
            out += "  and " + std::to_string(timed - kShownCandidates) + " slower ones (--json lists all)\n";
        if (timed == 0)
            out += "  no candidate could be simulated: " + choice.chosen + " runs, the standard algorithm\n";
        else if (timed < choice.candidates.size())
            out += "  " + std::to_string(choice.candidates.size() - timed) + " left out (--json says why)\n";
    }
    if (choices.size() > kShownChoices)
        out += "  and " + std::to_string(choices.size() - kShownChoices) + " more choices (--json lists all)\n";
    return out;
}

std::string waitsText(const RunRecord& record)
{
    std::string out;
    std::size_t shown = 0;
    for (const Wait& wait : record.waits) {
        if (++shown > kShownWaits)
            return out + "  and " + std::to_string(record.waits.size() - kShownWaits) + " more\n";
        out += "  rank " + std::to_string(wait.rank);
        if (!wait.task.empty())
            out += ", node " + std::to_string(wait.node) + ", " + shownText(wait.task);
        out += ": " + shownText(wait.reason) + '\n';
    }
    return out;
}

std::string runText(const RunSummary& summary, const RunCost& cost, RankRows rows, const SeedSummary* seeds, const std::stop_token& stop)
{
    const RunRecord& record = *summary.record;
    std::string out;
    if (!summary.name.empty())
        out += headline("Design", summary.name);
    if (!summary.workload.empty())
        out += headline("Workload", summary.workload);
    if (summary.collective) {
        const CollectiveSize& size = *summary.collective;
        out += headline("Collective", size.op + " over " + std::to_string(size.ranks) + " ranks");
        out += headline("Size", sizeText(size.bytes) + " on the large side, " + sizeText(size.shard()) + " per rank's shard");
    }
    out += headline("Model", std::string(modelName(record.model)) + ' ' + record.version);
    if (record.complete) {
        out += headline("Step time", timeText(record.finish));
    } else {
        out += headline("Step time", "never ends: " + std::to_string(record.waits.size()) + (record.waits.size() == 1 ? " rank waits" : " ranks wait"));
        out += waitsText(record);
    }
    if (seeds) {
        out += headline("Seeds", std::to_string(seeds->first) + " to " + std::to_string(seeds->first + static_cast<std::uint64_t>(seeds->count) - 1) + ": median "
                                     + showTime(seeds->median) + ", p99 " + showTime(seeds->p99) + ", from " + showTime(seeds->least) + " to " + showTime(seeds->most));
    }
    for (const JobFigures& job : summary.jobs) {
        out += headline("Job " + job.name, (job.finished ? timeText(job.finish) : std::string("never ends")) + ", " + std::to_string(job.ranks)
                                               + (job.ranks == 1 ? " rank" : " ranks"));
    }
    if (summary.accuracy)
        out += headline("Accuracy", accuracyText(*summary.accuracy));
    if (record.complete && record.lowerBound) {
        out += headline("Lower bound", timeText(*record.lowerBound));
    }
    if (summary.plan)
        out += summary.plan->placement ? '\n' + placementFiguresText(*summary.plan->placement) : planFiguresText(*summary.plan);
    if (!record.dimensions.empty())
        out += '\n' + dimensionTable(summary);
    if (rows != RankRows::None && (!summary.collectiveBounds.empty() || !summary.boundsNote.empty()))
        out += '\n' + boundsTable(summary);
    if (rows != RankRows::None && !record.classes.empty())
        out += '\n' + rankTable(record, rows, stop);
    if (rows != RankRows::None && record.memory && !record.memory->classes.empty())
        out += '\n' + memoryTable(*record.memory, stop);
    out += choicesText(summary.choices);
    addTexts(out, "Warnings", warningsOf(summary));
    addTexts(out, "Assumed", assumptionsOf(summary));
    out += '\n' + headline("Engine", engineText(summary, cost));
    out += headline("Fingerprint", record.fingerprint.hex());
    return out;
}

} // namespace fabricscope
