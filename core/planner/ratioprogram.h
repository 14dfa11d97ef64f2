#pragma once

#include "core/base/result.h"
#include "core/planner/unequalcluster.h"

#include <stop_token>
#include <vector>

namespace fabricscope {

/// One term of the time of a program as a function of the ratios (manual: placement 4).
struct RatioTerm {
    enum class Kind : std::uint8_t { Compute, Collective };
    Kind kind = Kind::Compute;
    int segment = 0;
    double shared = 0; ///< FLOP that fall by ratios.
    double whole = 0;  ///< FLOP on every device.
    ShareCollective collective = ShareCollective::AllGather;
    double bytes = 0;  ///< Of the whole tensor.
    std::int64_t units = 0; ///< Of Compute: groups that are shared out; 0: any number.
    int resplitFrom = -1;   ///< Of Collective: the segment whose parts are moved; nothing where its ratios are the same. -1: any other.
};

/// Bytes a device holds: those that fall by the ratios of a segment, and those every device has.
struct HeldBytes {
    std::vector<double> shared; ///< By segment.
    double whole = 0;
};

/// Time of all terms; `ratios`: by segment.
double secondsOf(const UnequalCluster& cluster, const std::vector<RatioTerm>& terms, const std::vector<DeviceRatios>& ratios);

/// Refuses what does not fit on the devices with these ratios, naming what is short in bytes and percent. Error: InvalidInput.
Status checkMemory(const UnequalCluster& cluster, const HeldBytes& held, const std::vector<DeviceRatios>& ratios);

/// Refuses what fits at no ratios at all, likewise. Error: InvalidInput.
Status checkMemoryAtBest(const UnequalCluster& cluster, const HeldBytes& held);

/// The ratios of each segment with the least time of all terms that fit into memory, by a linear program over types of devices, those that are alike as one: devices of a type get the same
/// ratio, which loses nothing because the time is convex in the ratios. Times by samples are taken as the line at the ratios `near`. One column for each
/// type and segment, one for each segment's slowest share, one for the largest share, one for each term with both shared and whole FLOP.
/// Errors: InvalidInput (memory, as checkMemory), Unsupported (over kMostRatioRows).
Result<std::vector<DeviceRatios>> bestRatios(const UnequalCluster& cluster, const std::vector<RatioTerm>& terms, const HeldBytes& held, const std::vector<DeviceRatios>& near,
    const std::stop_token& stop = {});

/// Rows of a linear program: two for each type and segment, one for each type and term with both shared and whole FLOP.
constexpr std::size_t kMostRatioRows = 50'000;

} // namespace fabricscope
