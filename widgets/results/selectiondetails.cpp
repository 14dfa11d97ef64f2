#include "widgets/results/selectiondetails.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/results/collectivetimes.h"
#include "widgets/results/words.h"
#include "widgets/timeline/timetext.h"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope", text);
}

std::int32_t firstRank(const RankClass& rankClass)
{
    return static_cast<std::int32_t>(rankClass.ranks.intervals().front().first);
}

/// A task of any class with this id, issue and end.
void findTask(const RunResult& result, const TimelineEvent& event, std::int32_t& rankClass, TaskIndex& task)
{
    const RunRecord& record = result.record();
    for (std::size_t c = 0; c < record.classes.size(); ++c) {
        const RankClass& candidate = record.classes[c];
        if (!candidate.tasks || candidate.ranks.empty())
            continue;
        const RankGraph& graph = result.scenario->structure->workload->graph(firstRank(candidate));
        const auto at = std::lower_bound(graph.sourceId.begin(), graph.sourceId.end(), event.sourceId);
        if (at == graph.sourceId.end() || *at != event.sourceId)
            continue;
        const auto i = static_cast<std::size_t>(at - graph.sourceId.begin());
        if (i < candidate.tasks->issuePs.size() && candidate.tasks->issuePs[i] == event.issue.ps && candidate.tasks->endPs[i] == event.end.ps) {
            rankClass = static_cast<std::int32_t>(c);
            task = static_cast<TaskIndex>(i);
            return;
        }
    }
}

/// How near this kind of collective comes to the least time any algorithm needs; nothing where that is not known.
void addBound(const RunResult& result, const CollectiveInstance& instance, SelectionDetails& details)
{
    const Structure& structure = *result.scenario->structure;
    const GroupFamily& family = structure.workload->families[static_cast<std::size_t>(instance.family)];
    const std::int32_t ranks = structure.layouts[static_cast<std::size_t>(instance.layout)].size();
    const CollectiveBoundRow* found = nullptr;
    for (const CollectiveBoundRow& row : result.summary.collectiveBounds) {
        const bool sameGroup = row.group == family.name() || (family.isWorld() && row.group.empty());
        if (row.op != collectiveKey(instance.op) || !sameGroup || row.ranks != ranks || row.bytes != instance.bytes || row.algorithm != instance.program->name)
            continue;
        if (found)
            return; // Groups of several shapes, with a bound each.
        found = &row;
    }
    if (!found)
        return;
    const double share = found->best.ps > 0 ? static_cast<double>(found->bound.ps) / static_cast<double>(found->best.ps) : 0;
    details.rows.push_back({tr("Lower bound"), texts::time(found->bound), texts::percent(share)});
}

void explainCollective(const RunResult& result, const TimelineEvent& event, std::int32_t rankClass, TaskIndex task, SelectionDetails& details)
{
    const RankClass& own = result.record().classes[static_cast<std::size_t>(rankClass)];
    if (own.tasks->endPs[static_cast<std::size_t>(task)] < 0)
        return;
    const CollectiveWhy why = collectiveWhy(result, rankClass, task, event.begin.ps);
    details.instance = why.instance;
    if (why.instance >= 0) {
        const Structure& structure = *result.scenario->structure;
        const CollectiveInstance& instance = structure.instances[static_cast<std::size_t>(why.instance)];
        if (!instance.program) {
            details.instance = -1;
        } else {
            details.subtitle += QStringLiteral(". ") + (instance.program->chunks == 1 ? tr("%1, 1 chunk") : tr("%1, %2 chunks").arg(QStringLiteral("%1"), QString::number(instance.program->chunks)))
                                        .arg(texts::atStart(texts::algorithm(structure, instance)));
            addBound(result, instance, details);
        }
    }
    details.whyTitle = tr("Why %1").arg(texts::time(SimTime{why.total()}));
    std::vector<std::pair<QString, std::int64_t>> parts;
    parts.emplace_back(why.lastRank >= 0 ? tr("Waiting for the others to enter, rank %1 last").arg(why.lastRank) : tr("Waiting for the others to enter"), why.entering);
    if (why.queued > 0)
        parts.emplace_back(tr("Queued behind earlier collectives"), why.queued);
    parts.emplace_back(tr("Transfer"), why.transfer);
    ExactRows exact = exactRows(parts, tr("Sum, exact"));
    details.whyUnit = exact.unit;
    details.why = std::move(exact.rows);
}

QString rateText(Bandwidth rate)
{
    return texts::rate(static_cast<double>(rate.bytesPerSecond), 3);
}

QString flopsText(double flops)
{
    static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
    std::size_t prefix = 0;
    for (; flops >= 999.95 && prefix + 1 < std::size(kPrefixes); ++prefix)
        flops /= 1000;
    const int decimals = flops == static_cast<double>(static_cast<std::int64_t>(flops)) ? 0 : 1;
    return texts::number(flops, decimals) + QChar(0x202F) + QString::fromLatin1(kPrefixes[prefix]) + QStringLiteral("FLOP/s");
}

} // namespace

ExactRows exactRows(const std::vector<std::pair<QString, std::int64_t>>& partsPs, const QString& sumLabel)
{
    const std::int64_t sum = std::accumulate(partsPs.begin(), partsPs.end(), std::int64_t{0}, [](std::int64_t before, const auto& part) { return before + part.second; });
    struct Unit {
        std::int64_t ps;
        int decimals;
    };
    Unit chosen{1, 0};
    for (const Unit unit : {Unit{1'000'000'000, 3}, Unit{1'000'000, 3}, Unit{1'000, 3}}) {
        // Three decimals: a thousandth of the unit is the smallest step. A sum below one unit is shown in the next.
        const std::int64_t step = unit.ps / 1000;
        const bool exact = std::all_of(partsPs.begin(), partsPs.end(), [step](const auto& part) { return part.second % step == 0; });
        if (exact && sum >= unit.ps) {
            chosen = unit;
            break;
        }
    }
    ExactRows exact;
    exact.unit = texts::timeUnit(SimTime{chosen.ps});
    // Whole and fraction apart: a double would lose the last digits of long runs.
    const auto text = [&chosen](std::int64_t ps) {
        if (chosen.decimals == 0)
            return texts::count(ps);
        const QString fraction = texts::number(static_cast<double>(ps % chosen.ps) / static_cast<double>(chosen.ps), chosen.decimals);
        return texts::count(ps / chosen.ps) + fraction.mid(1);
    };
    for (const auto& [label, ps] : partsPs)
        exact.rows.push_back({label, text(ps)});
    exact.rows.push_back({sumLabel, text(sum), {}, {}, false, true});
    return exact;
}

SelectionDetails eventDetailsOf(const RunResult& result, const TimelineEvent& event, std::int32_t rankClass, TaskIndex task)
{
    SelectionDetails details;
    details.title = eventTitle(event);
    details.swatch = event.activity;
    for (const auto& [label, value] : eventDetails(event))
        details.rows.push_back({label, value});
    details.subtitle = tr("%1 to %2").arg(texts::time(event.begin), texts::time(event.end));
    if (rankClass < 0 || task < 0)
        findTask(result, event, rankClass, task);
    if (rankClass < 0 || task < 0 || static_cast<std::size_t>(rankClass) >= result.record().classes.size())
        return details;
    const RankClass& own = result.record().classes[static_cast<std::size_t>(rankClass)];
    if (own.ranks.empty() || !own.tasks)
        return details;
    details.rank = firstRank(own);
    details.subtitle = texts::ranks(own.ranks) + QStringLiteral(", ") + details.subtitle;
    if (event.op)
        explainCollective(result, event, rankClass, task, details);
    return details;
}

SelectionDetails linkDetails(const RunResult& result, LinkId link)
{
    const RunRecord& record = result.record();
    const Platform& platform = result.scenario->structure->platform;
    SelectionDetails details;
    if (link < 0 || link >= platform.linkCount())
        return details;
    const LinkInfo info = platform.linkInfo(link);
    details.title = texts::link(platform, link);
    details.dimension = info.dimension;
    if (platform.isRemoved(link)) {
        details.subtitle = tr("Removed from the platform: nothing passes it");
        return details;
    }
    details.rows.push_back({tr("Bandwidth"), rateText(platform.bandwidth(link))});
    details.rows.push_back({tr("Latency"), texts::time(platform.latency(link))});
    const bool changed = std::any_of(platform.spec().linkOverrides.begin(), platform.spec().linkOverrides.end(), [link](const LinkOverride& one) { return one.link == link; });
    if (changed)
        details.subtitle = tr("Not like the rest: it has an override");
    const auto use = std::find_if(record.links.begin(), record.links.end(), [link](const LinkUse& one) { return one.link == link; });
    const SimTime finish = record.cutAt.value_or(record.finish);
    if (use == record.links.end() && !record.allLinks) {
        details.rows.push_back({tr("Busy"), tr("not listed: not among the busiest %1").arg(texts::count(static_cast<std::int64_t>(record.links.size())))});
        return details;
    }
    const LinkUse shown = use == record.links.end() ? LinkUse{link, 0, 0, 0} : *use;
    details.rows.push_back({tr("Busy"), texts::timeIn(SimTime{shown.busyPs}, shown.busyPs > 0 ? SimTime{shown.busyPs} : finish, 3),
                            texts::percent(finish.ps > 0 ? static_cast<double>(shown.busyPs) / static_cast<double>(finish.ps) : 0)});
    details.rows.push_back({tr("Bytes"), texts::bytes(shown.bytes)});
    details.rows.push_back({tr("Messages"), texts::count(shown.messages)});
    return details;
}

SelectionDetails npuDetails(const RunResult& result, NodeId npu)
{
    const RunRecord& record = result.record();
    const Structure& structure = *result.scenario->structure;
    SelectionDetails details;
    if (npu < 0 || npu >= structure.platform.npuCount())
        return details;
    details.title = tr("NPU %1").arg(npu);
    const PlatformSpec& spec = structure.platform.spec();
    if (static_cast<std::size_t>(npu) < spec.nodes.size())
        details.title += QStringLiteral(", ") + texts::shown(spec.nodes.name(static_cast<std::size_t>(npu)));
    if (structure.platform.isNpuRemoved(npu)) {
        details.subtitle = tr("Removed from the platform: it runs nothing, and nothing passes it");
        return details;
    }
    details.rows.push_back({tr("Speed"), texts::percent(structure.platform.speed(npu), 0)});
    const std::optional<ComputeRate> peak = structure.platform.peak(npu);
    details.rows.push_back({tr("Peak"), peak ? flopsText(static_cast<double>(peak->flopsPerSecond)) : tr("not given")});
    if (const std::optional<Bandwidth> memory = structure.platform.memoryBandwidth(npu))
        details.rows.push_back({tr("Memory bandwidth"), rateText(*memory)});

    std::int64_t rank = -1;
    for (std::int32_t r = 0; r < structure.placement.rankCount() && rank < 0; ++r)
        if (structure.placement.isIdentity() ? r == npu : structure.placement.nodeOf(r) == npu)
            rank = r;
    if (rank < 0 || rank >= record.rankCount) {
        details.subtitle = tr("Idle: no rank runs here");
        return details;
    }
    const auto rankClass = std::find_if(record.classes.begin(), record.classes.end(), [rank](const RankClass& one) { return one.ranks.contains(rank); });
    if (rankClass == record.classes.end())
        return details;
    details.rank = rank;
    details.subtitle = tr("Runs rank %1").arg(rank);
    const RankTimes& times = rankClass->times;
    const SimTime finish = times.finish;
    const auto share = [&](SimTime part) { return texts::percent(finish.ps > 0 ? static_cast<double>(part.ps) / static_cast<double>(finish.ps) : 0); };
    details.rows.push_back({tr("Finish"), times.finished ? texts::time(finish) : tr("never")});
    details.rows.push_back({tr("Compute"), texts::timeIn(times.compute, finish, 3), share(times.compute)});
    details.rows.push_back({tr("Communication"), texts::timeIn(times.comm, finish, 3), share(times.comm)});
    details.rows.push_back({tr("Exposed"), texts::timeIn(times.exposedComm, finish, 3), share(times.exposedComm)});
    if (rankClass->ranks.count() > 1)
        details.rows.push_back({tr("Alike"), texts::ranks(rankClass->ranks)});
    return details;
}

SelectionDetails dimensionDetails(const RunResult& result, int dimension)
{
    const RunRecord& record = result.record();
    const Platform& platform = result.scenario->structure->platform;
    SelectionDetails details;
    if (dimension < 0 || static_cast<std::size_t>(dimension) >= platform.dimensions().size())
        return details;
    const Dimension& shown = platform.dimensions()[static_cast<std::size_t>(dimension)];
    const std::string_view shape = shown.shape == Shape::FullyConnected ? "Fully connected" : shapeName(shown.shape);
    details.title = tr("D%1 %2, %3").arg(dimension).arg(QString::fromUtf8(shape.data(), static_cast<qsizetype>(shape.size())), texts::npus(shown.size));
    details.dimension = dimension;
    details.rows.push_back({tr("Bandwidth per link"), rateText(shown.linkBandwidth())});
    details.rows.push_back({tr("Bandwidth per NPU"), rateText(shown.npuBandwidth())});
    details.rows.push_back({tr("Latency per link"), texts::time(shown.linkLatency())});
    if (static_cast<std::size_t>(dimension) < record.dimensions.size()) {
        const DimensionUse& use = record.dimensions[static_cast<std::size_t>(dimension)];
        const SimTime finish = record.cutAt.value_or(record.finish);
        details.rows.push_back({tr("Links"), texts::count(use.links)});
        details.rows.push_back({tr("Busy, mean of the links"), texts::percent(use.busyShare(finish))});
        details.rows.push_back({tr("Busiest link"), texts::percent(finish.ps > 0 ? static_cast<double>(use.peakLinkPs) / static_cast<double>(finish.ps) : 0)});
        details.rows.push_back({tr("Bytes, all links"), texts::bytes(use.bytes)});
        details.rows.push_back({tr("Messages"), texts::count(use.messages)});
    }
    return details;
}

SelectionDetails rangeDetails(const TimeRange& range, const TimelineSums& sums)
{
    SelectionDetails details;
    details.title = tr("Range of time");
    details.subtitle = tr("%1 to %2").arg(texts::time(SimTime{range.beginPs}), texts::time(SimTime{range.endPs}));
    for (const auto& [label, value] : sumDetails(sums))
        details.rows.push_back({label, value});
    return details;
}

} // namespace fabricscope
