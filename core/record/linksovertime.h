#pragma once

#include "core/platform/platform.h"
#include "core/record/busylane.h"
#include "core/record/runrecord.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fabricscope {

/// How busy the links of a run are around an instant, as far as its record knows: busy time is kept over time by dimension, in at most 1,024 equal
/// buckets (BusyPyramid), for all links of an explicit graph as of one dimension; that of a single link only over the whole run. So what holds of a link
/// around an instant is the mean of the links of its dimension that carry anything in the run; a link that never does is idle at any time. Where the
/// record leaves links out that carried something (more than RunRecord::kMaxLinks did), it is the mean of all links of the dimension.
/// A plain value; all times in ps, all sums exact.
class LinksOverTime {
public:
    /// A stretch of time, [beginPs, endPs).
    struct Window {
        std::int64_t beginPs = 0;
        std::int64_t endPs = 0;

        friend bool operator==(const Window&, const Window&) = default;
    };
    /// Busy time of the links of a dimension that share it, and how many they are.
    struct Use {
        std::int64_t busyPs = 0;
        std::int64_t links = 0;
    };
    /// A link that carries something in the run.
    struct Carrier {
        LinkId link = 0;
        std::size_t dimension = 0;
    };

    LinksOverTime() = default; ///< Of no run: knows no instant.
    /// The platform the record is of. O(buckets + listed links * log listed links): below a millisecond.
    LinksOverTime(const Platform& platform, const RunRecord& record);

    /// The stretch around an instant that the record tells from others: its bucket, of the dimension with the widest, cut at the end of the run (at its
    /// end: the last one). A run has at most 1,024. Nothing before or behind the run, and where the engine did not follow links over time. O(1).
    std::optional<Window> windowAt(SimTime time) const;
    /// At least 1, as an explicit graph counts as one.
    std::size_t dimensions() const { return m_lanes.size(); }
    /// Exact for windows of windowAt(), and others of whole buckets; inside of one, busy time counts as evenly spread. O(1). \pre dimension < dimensions()
    Use use(std::size_t dimension, const Window& window) const;
    /// Busy share of each of these links, 0..1: no more than 1 where a model lets links carry more than they can. O(1). \pre dimension < dimensions()
    double share(std::size_t dimension, const Window& window) const;

    /// False: the record leaves some out, and shares are means of all links.
    bool knowsCarriers() const { return m_knowsCarriers; }
    /// In ascending order; empty where not all are known.
    std::span<const Carrier> carriers() const { return m_carriers; }

private:
    std::vector<BusyLane> m_lanes;      ///< By dimension.
    std::vector<std::int64_t> m_links;  ///< That share the busy time, by dimension.
    std::vector<Carrier> m_carriers;
    bool m_knowsCarriers = false;
    bool m_followed = false;            ///< Busy time was kept over time.
    std::int64_t m_width = 1;           ///< Of windows.
    std::int64_t m_end = 0;
};

} // namespace fabricscope
