// The few sentences a person would say about a run.
#include "core/insight/explain.h"

#include "core/base/index.h"
#include "core/base/showntext.h"
#include "core/insight/limits/slowcollectives.h"
#include "core/report/runtext.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

/// What is less of the time says nothing.
constexpr std::int64_t kLeastShare = 100;
constexpr std::size_t kMostItems = 6;
/// Switches are looked at one by one up to so many links.
constexpr std::int64_t kMostLinksLooked = 1 << 20;

std::string sharePart(std::int64_t ps, std::int64_t whole)
{
    return percentText(ps, 1, whole);
}

/// "dimension 1 (Switch(8), 50 GB/s)", "links of 50 GB/s and 600 ns".
std::string subjectOf(const Scenario& scenario, const ParameterEffect& effect)
{
    const auto& dimensions = scenario.structure->platform.dimensions();
    const bool ofLinks = effect.parameter == PathParameter::LinkRate || effect.parameter == PathParameter::LinkLatency;
    if (ofLinks && at(effect.resourceClass) < dimensions.size())
        return "the " + effect.name + " (" + std::string(shapeName(dimensions[at(effect.resourceClass)].shape)) + ", " + effect.value + ')';
    if (ofLinks)
        return "the " + effect.name + (effect.name.find(effect.value) == std::string::npos ? " (" + effect.value + ')' : std::string());
    return "the " + effect.name + (effect.value.empty() ? std::string() : " (" + effect.value + ')');
}

/// Twice the rate or half the time in the place of what it is, where one field says it.
void addEdit(const ParameterEffect& effect, DiagnosisItem& item)
{
    const Measure measure = effect.parameter == PathParameter::Peak ? Measure::ComputeRate : effect.isRate ? Measure::Bandwidth : Measure::Time;
    const Result<Quantity> value = parseQuantity(effect.value, measure);
    if (effect.field.empty() || !value)
        return;
    Quantity changed = value.value();
    changed.value *= effect.isRate ? 2 : 0.5;
    item.field = effect.field;
    item.value = changed.text();
}

/// The longest piece of the path that `is` says yes to.
template <class Is>
std::optional<std::size_t> longestPiece(const CriticalPath& path, const Is& is)
{
    std::optional<std::size_t> longest;
    for (std::size_t i = 0; i < path.pieces.size(); ++i) {
        if (is(path.pieces[i]) && (!longest || path.pieces[i].ps() > path.pieces[*longest].ps()))
            longest = i;
    }
    return longest;
}

void addParameters(const Explanation& explanation, std::int64_t whole, std::vector<DiagnosisItem>& items)
{
    for (const ParameterEffect& effect : explanation.parameters) {
        if (effect.ps * kLeastShare < whole)
            continue;
        DiagnosisItem item;
        item.kind = "parameter";
        const std::string verb = effect.parameter == PathParameter::ComputeTime ? " bound " : " bounds ";
        const std::string change = effect.isRate ? "twice as much" : "half of it";
        item.text = subjectOf(*explanation.run->scenario, effect) + verb + sharePart(effect.ps, whole) + " of the time (" + showTime({effect.ps}) + "); " + change + " saves at most "
            + sharePart(effect.gainPs, whole);
        item.evidence = "rows of blame with the parameter " + effect.name;
        addEdit(effect, item);
        item.piece = longestPiece(explanation.path, [&](const PathPiece& piece) { return piece.parameter == effect.parameter && piece.resource == effect.resourceClass; });
        item.ps = effect.ps;
        item.gainPs = effect.gainPs;
        item.confirmedPs = effect.confirmedPs;
        items.push_back(std::move(item));
    }
}

/// Who had what a row waited for.
std::string holderText(const BlameRow& row)
{
    if (!row.holder.empty())
        return row.holder;
    return row.parameter == PathParameter::None ? "others" : "messages of the same collective";
}

/// The waits of a path by what was waited for and who had it.
void addWaits(const Explanation& explanation, std::int64_t whole, std::vector<DiagnosisItem>& items)
{
    std::map<std::string, std::pair<const BlameRow*, std::int64_t>> waits;
    for (const BlameRow& row : explanation.blame) {
        if (row.cause != PathCause::Waiting)
            continue;
        auto& [first, ps] = waits[row.name + '\n' + row.resource + '\n' + row.holder];
        first = first ? first : &row;
        ps += row.ps;
    }
    for (const auto& [key, wait] : waits) {
        const auto& [row, ps] = wait;
        if (ps * kLeastShare < whole)
            continue;
        DiagnosisItem item;
        item.kind = "wait";
        item.text = (row->name.empty() ? "a message" : row->name) + " of rank " + std::to_string(row->rank) + " waits " + showTime({ps}) + " (" + sharePart(ps, whole) + ") for " + row->resource
            + ", taken by " + holderText(*row);
        item.evidence = "rows of blame of kind waiting";
        item.piece = longestPiece(explanation.path, [first = row](const PathPiece& piece) {
            return piece.cause == PathCause::Waiting && piece.rank == first->rank && piece.task == first->task && piece.link == first->link;
        });
        item.ps = ps;
        item.gainPs = ps;
        items.push_back(std::move(item));
    }
}

/// The rank that computes longest on the path, where others compute less in all.
void addSlowRank(const Explanation& explanation, std::int64_t whole, std::vector<DiagnosisItem>& items)
{
    const RunRecord& record = explanation.run->record();
    std::map<std::int32_t, std::int64_t> onPath;
    for (const BlameRow& row : explanation.blame) {
        if (row.cause == PathCause::Compute || row.cause == PathCause::Slowed)
            onPath[row.rank] += row.ps;
    }
    std::int64_t ranks = 0;
    __extension__ using Wide = __int128;
    Wide computed = 0;
    for (const RankClass& row : record.classes) {
        ranks += row.ranks.count();
        computed += Wide{row.times.compute.ps} * row.ranks.count();
    }
    const auto slowest = std::max_element(onPath.begin(), onPath.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (slowest == onPath.end() || ranks < 2)
        return;
    std::int64_t own = 0;
    for (const RankClass& row : record.classes) {
        if (row.ranks.contains(slowest->first))
            own = row.times.compute.ps;
    }
    const auto others = static_cast<std::int64_t>((computed - own) / (ranks - 1));
    const std::int64_t more = std::min(own - others, slowest->second);
    if (more * kLeastShare < whole)
        return;
    const Structure& structure = *explanation.run->scenario->structure;
    const double speed = structure.platform.speed(structure.placement.nodeOf(slowest->first));
    DiagnosisItem item;
    item.kind = "rank";
    item.text = "the others wait " + showTime({more}) + " (" + sharePart(more, whole) + ") for rank " + std::to_string(slowest->first) + ", which computes " + showTime({own}) + ", they "
        + showTime({others}) + " on average" + (speed < 1 ? "; its NPU is slower" : "");
    item.evidence = "compute_ns of the ranks, rows of blame of kind compute";
    item.piece = longestPiece(explanation.path, [rank = slowest->first](const PathPiece& piece) {
        return piece.rank == rank && (piece.cause == PathCause::Compute || piece.cause == PathCause::Slowed);
    });
    item.ps = more;
    item.gainPs = more;
    items.push_back(std::move(item));
}

/// Switches whose links carried nothing, beside others of as many links that did.
void addIdleSwitches(const Explanation& explanation, std::vector<DiagnosisItem>& items)
{
    const RunRecord& record = explanation.run->record();
    const Platform& platform = explanation.run->scenario->structure->platform;
    const std::shared_ptr<const ExplicitGraph> graph = platform.graph();
    if (!graph || !record.allLinks || platform.linkCount() > kMostLinksLooked)
        return;
    struct Use {
        std::int64_t links = 0;
        std::int64_t bytes = 0;
    };
    std::map<NodeId, Use> switches;
    const auto add = [&](NodeId node, std::int64_t links, std::int64_t bytes) {
        if (node < platform.npuCount())
            return;
        switches[node].links += links;
        switches[node].bytes += bytes;
    };
    for (LinkId link = 0; link < platform.linkCount(); ++link) {
        const LinkInfo info = platform.linkInfo(link);
        add(info.from, 1, 0);
        add(info.to, 1, 0);
    }
    for (const LinkUse& use : record.links) {
        const LinkInfo info = platform.linkInfo(use.link);
        add(info.from, 0, use.bytes);
        add(info.to, 0, use.bytes);
    }
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> byLinks; // Idle, and all.
    for (const auto& [node, use] : switches) {
        byLinks[use.links].first += use.bytes == 0 ? 1 : 0;
        ++byLinks[use.links].second;
    }
    for (const auto& [links, count] : byLinks) {
        if (count.first == 0 || count.first == count.second)
            continue;
        DiagnosisItem item;
        item.kind = "idle_switches";
        item.text = std::to_string(count.first) + " of " + std::to_string(count.second) + " switches with " + std::to_string(links) + " links carry nothing";
        item.evidence = "bytes of all links";
        item.field = "network.routing.policy";
        item.value = "spray";
        items.push_back(std::move(item));
    }
}

/// How much of the run its ranks neither compute nor move data.
void addIdle(const Explanation& explanation, std::vector<DiagnosisItem>& items)
{
    const RunRecord& record = explanation.run->record();
    std::int64_t ranks = 0;
    double empty = 0;
    for (const RankClass& row : record.classes) {
        const RankTimes& times = row.times;
        const std::int64_t busy = times.compute.ps + times.exposedComm.ps + times.memory.ps + times.host.ps;
        ranks += row.ranks.count();
        empty += static_cast<double>(std::max<std::int64_t>(record.finish.ps - busy, 0)) * static_cast<double>(row.ranks.count());
    }
    const auto mean = ranks > 0 ? static_cast<std::int64_t>(empty / static_cast<double>(ranks)) : 0;
    if (mean * 20 < record.finish.ps)
        return;
    DiagnosisItem item;
    item.kind = "idle";
    item.text = "ranks stand empty " + sharePart(mean, record.finish.ps) + " of the run on average (" + showTime({mean}) + ")";
    item.evidence = "times of the ranks: neither computing, nor communicating, nor in memory";
    item.ps = mean;
    items.push_back(std::move(item));
}

} // namespace

std::string editText(const DiagnosisItem& item)
{
    if (item.field.empty())
        return {};
    const bool plain = item.value.find(' ') == std::string::npos;
    return "--set " + item.field + '=' + (plain ? item.value : '"' + item.value + '"');
}

std::vector<DiagnosisItem> diagnose(const Explanation& explanation, const std::stop_token& stop)
{
    std::vector<DiagnosisItem> items;
    const std::int64_t whole = explanation.path.toPs - explanation.path.fromPs;
    if (whole <= 0)
        return items;
    addParameters(explanation, whole, items);
    addWaits(explanation, whole, items);
    addSlowRank(explanation, whole, items);
    std::stable_sort(items.begin(), items.end(), [](const DiagnosisItem& a, const DiagnosisItem& b) { return a.gainPs > b.gainPs; });
    if (items.size() > kMostItems)
        items.resize(kMostItems);
    // Behind what the path tells: a bound says what may be, not what is to be had.
    for (DiagnosisItem& item : slowCollectives(explanation, stop))
        items.push_back(std::move(item));
    addIdleSwitches(explanation, items);
    addIdle(explanation, items);
    for (DiagnosisItem& item : items)
        item.text = shownText(item.text);
    return items;
}

} // namespace fabricscope
