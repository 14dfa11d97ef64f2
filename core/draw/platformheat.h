#pragma once

#include "core/platform/platform.h"
#include "core/record/linksovertime.h"
#include "core/record/runrecord.h"

#include <vector>

namespace fabricscope {

/// Utilisation of links and NPUs for colouring, 0..1. A plain value; links the run did not list have the mean of the rest of their dimension.
class PlatformHeat {
public:
    PlatformHeat() = default;
    /// Busy share over the whole run.
    static PlatformHeat fromRecord(const Platform& platform, const RunRecord& record);
    /// Busy share around an instant: the mean of a dimension for those of its links that carry anything in the run, else 0. O(links that do).
    static PlatformHeat inWindow(const LinksOverTime& links, const LinksOverTime::Window& window);
    /// A share for every link, as a replay of one instant gives it.
    static PlatformHeat ofLinks(std::vector<float> shares);

    /// The share of a link is the mean of its like, not its own.
    bool isMean() const { return m_isMean; }
    bool empty() const { return m_dense.empty() && m_dimension.empty(); }
    double link(LinkId link, int dimension) const;      ///< O(1), or O(log listed links).
    double dimension(int dimension) const;              ///< Mean; of links not listed.

    struct Group {
        double mean = 0; ///< Of the dimension inside that is busiest.
        double most = 0; ///< Of one link.
    };
    /// Shares of the links inside a group of neighbouring NPUs, from four of them; of one NPU: its links of `dimension`. Groups alike have the same
    /// shares: a list that ends among links equally busy counts for the mean only. O(dimensions * log listed links).
    Group group(const Platform& platform, NodeId first, std::int64_t nodes, int dimension) const;

private:
    std::vector<float> m_dense;
    double groupLink(LinkId link, std::size_t dimension) const;

    std::vector<double> m_dimension;
    std::vector<double> m_all; ///< Mean of a dimension with what is listed only by chance.
    bool m_isMean = false;
    double m_certain = -1;     ///< A link listed is one of few above this, by chance at it.
    std::vector<std::pair<LinkId, double>> m_listed; ///< Ascending.
};

} // namespace fabricscope
