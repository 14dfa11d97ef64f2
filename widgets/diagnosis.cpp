#include "widgets/diagnosis.h"

#include "core/record/resultparts.h"
#include "widgets/resulttexts.h"
#include "widgets/texts.h"

#include <QCoreApplication>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr double kBusyShare = 0.5;
constexpr double kAboveTheRest = 1.3;
constexpr double kSlowerBy = 1.05;
constexpr double kExposedShare = 0.25;

QString tr(const char* text)
{
    return QCoreApplication::translate("Diagnosis", text);
}

double shareOf(std::int64_t part, SimTime whole)
{
    return whole.ps > 0 ? static_cast<double>(part) / static_cast<double>(whole.ps) : 0;
}

Finding stuck(const RunRecord& record)
{
    Finding finding;
    finding.kind = Finding::Kind::CannotFinish;
    const std::vector<std::int32_t> ring = waitRing(record);
    finding.rank = ring.front();
    finding.title = tr("The run cannot finish");
    constexpr std::size_t kNamed = 6;
    QStringList names;
    for (std::size_t i = 0; i < std::min(kNamed, ring.size()); ++i)
        names.append(tr("NPU %1").arg(ring[i]));
    QString first;
    const auto wait = std::find_if(record.waits.begin(), record.waits.end(), [&](const Wait& one) { return one.rank == ring.front(); });
    if (wait != record.waits.end())
        first = QStringLiteral(" ") + tr("NPU %1 is in %2: %3.").arg(wait->rank).arg(QString::fromStdString(wait->task), QString::fromStdString(wait->reason));
    if (ring.size() == 1)
        finding.text = tr("%1 waits for something that never comes.").arg(names.front()) + first;
    else if (ring.size() == 2)
        finding.text = tr("%1 and %2 wait for each other.").arg(names[0], names[1]) + first;
    else if (ring.size() <= kNamed)
        finding.text = tr("Each of these waits for the next, the last for the first: %1.").arg(names.join(QStringLiteral(", "))) + first;
    else
        finding.text = tr("%1 NPUs wait for one another in a ring: %2, …").arg(texts::count(static_cast<std::int64_t>(ring.size())), names.join(QStringLiteral(", "))) + first;
    return finding;
}

/// What the link would be without its override, when that is faster.
void offerUsualRate(const Platform& platform, LinkId link, Finding& finding)
{
    const PlatformSpec& spec = platform.spec();
    for (std::size_t i = 0; i < spec.linkOverrides.size(); ++i) {
        if (spec.linkOverrides[i].link != link || !spec.linkOverrides[i].bandwidth)
            continue;
        const LinkInfo info = platform.linkInfo(link);
        Bandwidth usual;
        if (info.dimension >= 0)
            usual = spec.dimensions[static_cast<std::size_t>(info.dimension)].linkBandwidth();
        else if (static_cast<std::size_t>(link) < spec.links.size())
            usual = toBandwidth(spec.links[static_cast<std::size_t>(link)].bandwidth);
        if (usual > platform.bandwidth(link)) {
            finding.tryField = QStringLiteral("platform.overrides.links.%1.bandwidth").arg(i);
            finding.tryValue = QString::fromStdString(showBandwidth(usual));
        }
    }
}

std::optional<Finding> slowLink(const RunResult& result)
{
    const RunRecord& record = result.record();
    const Platform& platform = result.scenario->structure->platform;
    if (record.links.empty() || record.model == Model::Ideal)
        return std::nullopt;
    const LinkUse& busiest = record.links.front();
    const int dimension = platform.linkInfo(busiest.link).dimension;
    const auto entry = static_cast<std::size_t>(std::max(dimension, 0));
    if (entry >= record.dimensions.size() || record.dimensions[entry].links < 2)
        return std::nullopt;
    const DimensionUse& use = record.dimensions[entry];
    const double share = shareOf(busiest.busyPs, record.finish);
    const double rest = shareOf((use.busyPs - busiest.busyPs) / (use.links - 1), record.finish);
    if (share < kBusyShare || share < kAboveTheRest * rest)
        return std::nullopt;
    Finding finding;
    finding.kind = Finding::Kind::SlowLink;
    finding.link = busiest.link;
    offerUsualRate(platform, busiest.link, finding);
    finding.title = finding.tryField.isEmpty() ? tr("One link carries more than the rest") : tr("One slow link sets the finish");
    const QString others = dimension >= 0 ? tr("the other %1 of D%2").arg(texts::count(use.links - 1)).arg(dimension)
                                          : tr("the other %1").arg(texts::count(use.links - 1));
    finding.text = tr("%1 (%2) is busy for %3 of the run, %4 for %5 on average.")
                       .arg(texts::link(platform, busiest.link), QString::fromStdString(showBandwidth(platform.bandwidth(busiest.link))),
                            texts::percent(share), others, texts::percent(rest));
    return finding;
}

std::optional<Finding> slowRank(const RunResult& result)
{
    const RunRecord& record = result.record();
    const Workload& workload = *result.scenario->structure->workload;
    const RankClass* slowest = nullptr;
    for (const RankClass& rankClass : record.classes)
        if (!rankClass.ranks.empty() && (!slowest || rankClass.times.compute > slowest->times.compute))
            slowest = &rankClass;
    if (!slowest)
        return std::nullopt;
    const auto graphOf = [&](const RankClass& rankClass) { return &workload.graph(static_cast<std::int32_t>(rankClass.ranks.intervals().front().first)); };
    // Ranks with other tasks are expected to take another time.
    std::vector<std::pair<std::int64_t, std::int64_t>> alike; // compute, ranks
    std::int64_t ranks = 0;
    std::int64_t slow = 0;
    RankSet slowRanks;
    for (const RankClass& rankClass : record.classes) {
        if (rankClass.ranks.empty() || graphOf(rankClass) != graphOf(*slowest))
            continue;
        alike.emplace_back(rankClass.times.compute.ps, rankClass.ranks.count());
        ranks += rankClass.ranks.count();
        if (rankClass.times.compute == slowest->times.compute) {
            slow += rankClass.ranks.count();
            for (const RankSet::Interval& stretch : rankClass.ranks.intervals())
                for (std::int64_t rank = stretch.first; rank <= stretch.last && slowRanks.count() < 64; ++rank)
                    slowRanks.add(rank);
        }
    }
    std::sort(alike.begin(), alike.end());
    std::int64_t median = 0;
    std::int64_t counted = 0;
    for (const auto& [compute, count] : alike) {
        counted += count;
        if (2 * counted >= ranks) {
            median = compute;
            break;
        }
    }
    if (4 * slow > ranks || median <= 0 || static_cast<double>(slowest->times.compute.ps) < kSlowerBy * static_cast<double>(median))
        return std::nullopt;
    Finding finding;
    finding.kind = Finding::Kind::SlowRank;
    finding.rank = slowRanks.intervals().front().first;
    finding.title = slow == 1 ? tr("Rank %1 is slower than the others").arg(finding.rank) : tr("%1 ranks are slower than the others").arg(texts::count(slow));
    finding.text = tr("%1 computes for %2, most ranks with the same tasks for %3 (+%4). Everybody who communicates with it waits.")
                       .arg(texts::ranks(slowRanks), texts::time(slowest->times.compute), texts::time(SimTime{median}),
                            texts::percent(static_cast<double>(slowest->times.compute.ps) / static_cast<double>(median) - 1));
    return finding;
}

std::optional<Finding> exposed(const RunResult& result)
{
    const RunRecord& record = result.record();
    const std::int32_t slowest = slowestClass(record);
    if (slowest < 0 || record.finish.ps <= 0)
        return std::nullopt;
    const RankClass& rankClass = record.classes[static_cast<std::size_t>(slowest)];
    const double share = shareOf(rankClass.times.exposedComm.ps, record.finish);
    if (share < kExposedShare || rankClass.times.compute.ps <= 0)
        return std::nullopt;
    Finding finding;
    finding.kind = Finding::Kind::ExposedCommunication;
    finding.rank = rankClass.ranks.intervals().front().first;
    finding.title = tr("Communication is exposed: %1 of the step").arg(texts::percent(share, 0));
    finding.text = tr("For %1 of %2 NPU %3 communicates and does not compute.")
                       .arg(texts::time(rankClass.times.exposedComm), texts::time(record.finish)).arg(finding.rank);
    return finding;
}

} // namespace

std::vector<std::int32_t> waitRing(const RunRecord& record)
{
    std::vector<std::int32_t> path;
    if (record.waits.empty())
        return path;
    const auto waitOf = [&record](std::int32_t rank) {
        return std::find_if(record.waits.begin(), record.waits.end(), [rank](const Wait& wait) { return wait.rank == rank; });
    };
    for (auto wait = record.waits.begin(); wait != record.waits.end();) {
        const auto again = std::find(path.begin(), path.end(), wait->rank);
        if (again != path.end())
            return {again, path.end()};
        path.push_back(wait->rank);
        wait = wait->onRanks.empty() ? record.waits.end() : waitOf(wait->onRanks.front());
    }
    return path;
}

std::optional<Finding> diagnose(const RunResult& result)
{
    const RunRecord& record = result.record();
    if (record.cutAt)
        return std::nullopt;
    if (!record.complete && !record.waits.empty())
        return stuck(record);
    if (!record.complete)
        return std::nullopt;
    if (std::optional<Finding> finding = slowLink(result))
        return finding;
    if (std::optional<Finding> finding = slowRank(result))
        return finding;
    return exposed(result);
}

} // namespace fabricscope
