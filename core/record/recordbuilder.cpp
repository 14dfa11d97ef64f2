#include "core/record/recordbuilder.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

RecordBuilder::RecordBuilder(Model model, std::string version, std::int32_t rankCount, Diagnostics noticed, const RecordOptions& options) : m_options(options)
{
    m_record.model = model;
    m_record.version = std::move(version);
    m_record.rankCount = rankCount;
    m_record.diagnostics = std::move(noticed);
}

std::size_t RecordBuilder::addClass(std::int32_t job, const RankTimes& times, std::shared_ptr<const TaskTimes> tasks)
{
    RankClass& fresh = m_record.classes.emplace_back();
    fresh.job = job;
    fresh.times = times;
    fresh.tasks = std::move(tasks);
    return m_record.classes.size() - 1;
}

void RecordBuilder::addRank(std::size_t rankClass, std::int32_t rank)
{
    RankClass& shared = m_record.classes[rankClass];
    shared.ranks.add(rank);
    m_record.finish = std::max(m_record.finish, shared.times.finish);
    m_record.complete = m_record.complete && shared.times.finished;
}

void RecordBuilder::addToDimension(std::size_t number, const LinkUse& link)
{
    DimensionUse& use = dimension(number);
    use.messages += link.messages;
    use.bytes += link.bytes;
    use.busyPs = link.busyPs > INT64_MAX - use.busyPs ? INT64_MAX : use.busyPs + link.busyPs; // Of many links over years.
    use.peakLinkPs = std::max(use.peakLinkPs, link.busyPs);
}

namespace {

bool isBusier(const LinkUse& a, const LinkUse& b)
{
    return a.busyPs != b.busyPs ? a.busyPs > b.busyPs : a.link < b.link;
}

} // namespace

void RecordBuilder::setLinks(std::vector<LinkUse> used, bool all)
{
    m_record.allLinks = all && used.size() <= RunRecord::kMaxLinks;
    m_record.links = std::move(used);
    cutLinks();
}

void RecordBuilder::addLink(const LinkUse& used)
{
    ++m_links;
    m_record.links.push_back(used);
    if (m_record.links.size() >= 4 * RunRecord::kMaxLinks)
        cutLinks();
}

void RecordBuilder::setLinksAdded()
{
    m_record.allLinks = m_links <= RunRecord::kMaxLinks;
    cutLinks();
}

/// Leaves the busiest, in their order.
void RecordBuilder::cutLinks()
{
    std::vector<LinkUse>& used = m_record.links;
    if (used.size() > RunRecord::kMaxLinks) {
        std::nth_element(used.begin(), used.begin() + RunRecord::kMaxLinks, used.end(), isBusier);
        used.resize(RunRecord::kMaxLinks);
    }
    std::sort(used.begin(), used.end(), isBusier);
}

void RecordBuilder::setEngine(std::string name, std::int64_t messages, std::int64_t events)
{
    m_record.engines = {{std::move(name), messages, 1.0}};
    m_record.events = events;
}

RunRecord RecordBuilder::cut(SimTime now) &&
{
    m_record.complete = false;
    m_record.cutAt = m_record.finish = now;
    return completed(std::move(m_record), m_options);
}

RunRecord RecordBuilder::finished(Digest fingerprint, const CommutativeDigest& messages, std::vector<Wait> waits) &&
{
    assert(m_record.complete || !waits.empty());
    m_record.fingerprint = fingerprint;
    m_record.messages = messages;
    m_record.waits = std::move(waits);
    return completed(std::move(m_record), m_options);
}

RunRecord RecordBuilder::completed(RunRecord record, const RecordOptions& options)
{
    if (options.lowerBound)
        record.lowerBound = options.lowerBound(record);
    return record;
}

} // namespace fabricscope
