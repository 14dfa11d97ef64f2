#include "core/insight/linkoutliers.h"

#include "core/insight/linkequals.h"

#include <algorithm>
#include <map>
#include <vector>

namespace fabricscope {

namespace {

constexpr std::int64_t kCostParts = 20;    ///< A figure counts when it costs this part of the run.
constexpr std::size_t kFewestLoads = 4;    ///< Links in use, with the one itself, that can be told apart by load.
constexpr std::int64_t kAlmostAlone = 16;  ///< Of so many links one may stand out by its load.
constexpr double kMoreLoad = 1.3;
constexpr double kNearMedian = 1.25;

/// Busy times of the links of one class that are in use, ascending.
using Loads = std::map<LinkEquals::Class, std::vector<std::int64_t>>;

Loads loadsOf(const LinkEquals& equals, const RunRecord& record)
{
    Loads loads;
    for (const LinkUse& use : record.links)
        if (use.busyPs > 0)
            loads[equals.classOf(use.link)].push_back(use.busyPs);
    for (auto& [name, busy] : loads)
        std::sort(busy.begin(), busy.end());
    return loads;
}

/// The middle of the others; of two the smaller. \pre busy holds `own` and at least one more.
std::int64_t medianWithout(const std::vector<std::int64_t>& busy, std::int64_t own)
{
    const auto at = static_cast<std::size_t>(std::lower_bound(busy.begin(), busy.end(), own) - busy.begin());
    const std::size_t middle = (busy.size() - 2) / 2;
    return busy[middle < at ? middle : middle + 1];
}

/// a * b / c without overflow.
std::int64_t share(std::int64_t a, std::int64_t b, std::int64_t c)
{
    return static_cast<std::int64_t>(static_cast<long double>(a) * static_cast<long double>(b) / static_cast<long double>(c));
}

LinkOutlier outlierOf(LinkOutlier::Kind kind, const LinkUse& use, const LinkEquals& equals, const Loads& loads)
{
    LinkOutlier found;
    found.kind = kind;
    found.link = use.link;
    found.busyPs = use.busyPs;
    found.messages = use.messages;
    found.usualRate = equals.platform().bandwidth(use.link);
    found.usualLatency = equals.platform().latency(use.link);
    if (const auto entry = loads.find(equals.classOf(use.link)); entry != loads.end() && entry->second.size() >= 2)
        found.usualBusyPs = medianWithout(entry->second, use.busyPs);
    return found;
}

/// Worse by its own figures.
std::optional<LinkOutlier> slowest(const LinkEquals& equals, const Loads& loads, const RunRecord& record)
{
    std::optional<LinkOutlier> worst;
    const auto consider = [&](LinkOutlier found, const LinkEquals::Usual& usual, std::int64_t cost) {
        if (cost < record.finish.ps / kCostParts || cost <= 0 || (worst && cost <= worst->costPs))
            return;
        found.costPs = cost;
        found.equals = usual.links - 1;
        found.alike = usual.worse - 1;
        worst = found;
    };
    for (const LinkUse& use : record.links) {
        if (use.messages <= 0)
            continue;
        if (const auto usual = equals.slowerThan(use.link)) {
            LinkOutlier found = outlierOf(LinkOutlier::Kind::Rate, use, equals, loads);
            found.usualRate = Bandwidth{usual->figure};
            consider(found, *usual, use.busyPs - share(use.busyPs, equals.platform().bandwidth(use.link).bytesPerSecond, usual->figure));
        }
        if (const auto usual = equals.laterThan(use.link)) {
            LinkOutlier found = outlierOf(LinkOutlier::Kind::Latency, use, equals, loads);
            found.usualLatency = SimTime{usual->figure};
            consider(found, *usual, share(use.messages, equals.platform().latency(use.link).ps - usual->figure, 1));
        }
    }
    return worst;
}

/// As good as its equals, but with more to carry.
std::optional<LinkOutlier> mostLoaded(const LinkEquals& equals, const Loads& loads, const RunRecord& record)
{
    for (const LinkUse& use : record.links) { // Busiest first.
        if (2 * use.busyPs < record.finish.ps)
            break;
        const auto entry = loads.find(equals.classOf(use.link));
        if (entry == loads.end() || entry->second.size() < kFewestLoads)
            continue;
        const std::vector<std::int64_t>& busy = entry->second;
        const auto median = static_cast<double>(medianWithout(busy, use.busyPs));
        std::int64_t near = 0;
        std::int64_t above = 0;
        for (const std::int64_t one : busy) {
            const auto load = static_cast<double>(one);
            near += load <= kNearMedian * median && load * kNearMedian >= median ? 1 : 0;
            above += load >= kMoreLoad * median ? 1 : 0;
        }
        const auto count = static_cast<std::int64_t>(busy.size());
        if (static_cast<double>(use.busyPs) < kMoreLoad * median || 2 * near <= count || above > std::max<std::int64_t>(1, count / kAlmostAlone))
            continue;
        LinkOutlier found = outlierOf(LinkOutlier::Kind::Load, use, equals, loads);
        found.equals = count - 1;
        return found;
    }
    return std::nullopt;
}

} // namespace

std::optional<LinkOutlier> findLinkOutlier(const Platform& platform, const RunRecord& record)
{
    if (record.links.empty() || record.model == Model::Ideal || !record.complete || record.cutAt || record.finish.ps <= 0)
        return std::nullopt;
    const LinkEquals equals(platform);
    const Loads loads = loadsOf(equals, record);
    if (std::optional<LinkOutlier> found = slowest(equals, loads, record))
        return found;
    return mostLoaded(equals, loads, record);
}

} // namespace fabricscope
