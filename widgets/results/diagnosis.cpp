#include "widgets/results/diagnosis.h"

#include "core/base/index.h"
#include "core/insight/linkoutliers.h"
#include "core/record/resultparts.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/results/words.h"

#include <QCoreApplication>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr double kBusyShare = 0.5;
constexpr double kSlowerBy = 1.05;
constexpr double kExposedShare = 0.25;

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope", text);
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
        names.append(tr("rank %1").arg(ring[i]));
    QString first;
    const auto wait = std::find_if(record.waits.begin(), record.waits.end(), [&](const Wait& one) { return one.rank == ring.front(); });
    if (wait != record.waits.end())
        first = QStringLiteral(" ") + tr("Rank %1 is in %2: %3.").arg(wait->rank).arg(texts::shown(wait->task), texts::shown(wait->reason));
    if (ring.size() == 1)
        finding.text = tr("%1 waits for something that never comes.").arg(texts::atStart(names.front())) + first;
    else if (ring.size() == 2)
        finding.text = tr("%1 and %2 wait for each other.").arg(texts::atStart(names[0]), names[1]) + first;
    else if (ring.size() <= kNamed)
        finding.text = tr("Each of these waits for the next, the last for the first: %1.").arg(names.join(QStringLiteral(", "))) + first;
    else
        finding.text = tr("%1 ranks wait for one another in a ring: %2, …").arg(texts::count(static_cast<std::int64_t>(ring.size())), names.join(QStringLiteral(", "))) + first;
    return finding;
}

/// What its equals have, where an override says otherwise.
void offerUsualFigure(const Platform& platform, const LinkOutlier& outlier, Finding& finding)
{
    const bool rate = outlier.kind == LinkOutlier::Kind::Rate;
    const PlatformSpec& spec = platform.spec();
    for (std::size_t i = 0; i < spec.linkOverrides.size(); ++i) {
        const LinkOverride& override = spec.linkOverrides[i];
        if (override.link != outlier.link || !(rate ? override.bandwidth : override.latency))
            continue;
        finding.tryField = QStringLiteral("platform.overrides.links.%1.%2").arg(i).arg(rate ? QStringLiteral("bandwidth") : QStringLiteral("latency"));
        finding.tryValue = rate ? QString::fromStdString(showBandwidth(outlier.usualRate)) : QString::fromStdString(showTime(outlier.usualLatency));
    }
}

/// "the other 3 links of D0 like it (50 GB/s)".
QString equalsText(const Platform& platform, const LinkOutlier& outlier, const QString& figure)
{
    const int dimension = platform.linkInfo(outlier.link).dimension;
    const QString count = texts::count(outlier.equals);
    return dimension >= 0 ? tr("the other %1 links of D%2 like it (%3)").arg(count).arg(dimension).arg(figure) : tr("the other %1 links like it (%2)").arg(count, figure);
}

std::optional<Finding> slowLink(const RunResult& result)
{
    const RunRecord& record = result.record();
    const Platform& platform = result.scenario->structure->platform;
    const std::optional<LinkOutlier> outlier = findLinkOutlier(platform, record);
    if (!outlier)
        return std::nullopt;
    Finding finding;
    finding.kind = Finding::Kind::SlowLink;
    finding.link = outlier->link;
    const double share = shareOf(outlier->busyPs, record.finish);
    const QString link = texts::link(platform, outlier->link);
    const QString rate = QString::fromStdString(showBandwidth(platform.bandwidth(outlier->link)));
    if (outlier->kind == LinkOutlier::Kind::Latency) {
        finding.title = tr("One link has a long latency");
        finding.text = tr("%1 takes %2 for the first byte, %3; %4 messages crossed it.")
                           .arg(link, texts::time(platform.latency(outlier->link)), equalsText(platform, *outlier, texts::time(outlier->usualLatency)), texts::count(outlier->messages));
    } else {
        const bool slow = outlier->kind == LinkOutlier::Kind::Rate;
        finding.title = !slow ? tr("One link carries more than the rest") : share >= kBusyShare ? tr("One slow link sets the finish") : tr("One link is slower than the rest");
        const QString others = equalsText(platform, *outlier, QString::fromStdString(showBandwidth(outlier->usualRate)));
        finding.text = outlier->usualBusyPs ? tr("%1 (%2) is busy for %3 of the run, most of %4 for %5.").arg(link, rate, texts::percent(share), others, texts::percent(shareOf(*outlier->usualBusyPs, record.finish)))
                                            : tr("%1 (%2) is busy for %3 of the run, %4 not at all.").arg(link, rate, texts::percent(share), others);
    }
    if (outlier->alike > 0)
        finding.text += QLatin1Char(' ') + (outlier->alike == 1 ? tr("One more is as slow.") : tr("%1 more are as slow.").arg(texts::count(outlier->alike)));
    if (outlier->kind != LinkOutlier::Kind::Load)
        offerUsualFigure(platform, *outlier, finding);
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
    const RankClass& rankClass = record.classes[at(slowest)];
    const double share = shareOf(rankClass.times.exposedComm.ps, record.finish);
    if (share < kExposedShare || rankClass.times.compute.ps <= 0)
        return std::nullopt;
    Finding finding;
    finding.kind = Finding::Kind::ExposedCommunication;
    finding.rank = rankClass.ranks.intervals().front().first;
    finding.title = tr("Communication is exposed: %1 of the step").arg(texts::percent(share, 0));
    finding.text = tr("For %1 of %2 rank %3 communicates and does not compute.")
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
