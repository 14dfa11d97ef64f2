#pragma once

#include "core/platform/platform.h"
#include "core/record/linksovertime.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace fabricscope {

/// Busy time of every link of a run by itself, in the windows of LinksOverTime. No engine keeps it: it is made of single busy intervals when somebody asks (followLinks(), core/run).
/// Links with equal times share one series, so that what is kept of a run grows with the kinds of its links. A plain value; sums are exact, all in ps.
class LinkSeries {
public:
    LinkSeries() = default; ///< Of no run: every link is idle.
    /// Windows of `widthPs` from 0 on, of a run that ends at `endPs`. \pre 0 < widthPs, at most BusyPyramid::kBuckets windows
    LinkSeries(std::int64_t widthPs, std::int64_t endPs);

    /// A busy interval of a link; one that overlaps another counts again. \pre 0 <= beginPs <= endPs <= end of the run, before share(). O(windows covered).
    void add(LinkId link, std::int64_t beginPs, std::int64_t endPs) { add(link, beginPs, endPs, endPs - beginPs); }
    /// The same where it was busy for a part of that time, evenly. \pre 0 <= busyPs
    void add(LinkId link, std::int64_t beginPs, std::int64_t endPs, std::int64_t busyPs);
    /// All intervals are there: equal series become one. O(links * windows).
    void share();
    /// Of links with a series, at most, while intervals are added: 32 MB.
    static constexpr std::size_t kMaxLinks = RunRecord::kMaxLinks;

    std::size_t links() const { return m_seriesOf.size(); } ///< That are ever busy.
    std::size_t kinds() const { return m_series.size(); }   ///< Different series.
    /// By window; empty: never busy.
    std::span<const std::int64_t> busyOf(LinkId link) const;
    /// Busy share of every link in a window of LinksOverTime::windowAt(), 0..1, by number. O(linkCount).
    std::vector<float> shares(const LinksOverTime::Window& window, std::int64_t linkCount) const;

private:
    std::int64_t m_width = 1;
    std::size_t m_windows = 0;
    std::unordered_map<LinkId, std::size_t> m_seriesOf; ///< Index into `m_series`; looked up, and gone through where no order shows.
    std::vector<std::vector<std::int64_t>> m_series;
};

} // namespace fabricscope
