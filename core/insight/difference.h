#pragma once

#include "core/run/rundesign.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Use of one dimension in two results; a side without that dimension has no values.
struct DimensionDifference {
    std::string nameA;                 ///< As in the record; empty: not there.
    std::string nameB;
    std::optional<double> busyShareA;  ///< DimensionUse::busyShare.
    std::optional<double> busyShareB;
    std::int64_t bytesA = 0;
    std::int64_t bytesB = 0;
};

/// Finish of ranks that are alike in both results.
struct ClassDifference {
    RankSet ranks;
    std::optional<RankTimes> a; ///< Absent: no such ranks there.
    std::optional<RankTimes> b;
};

/// What differs between two results. Plain value.
struct RunDifference {
    SimTime finishA;
    SimTime finishB;
    bool completeA = true;
    bool completeB = true;
    std::vector<DimensionDifference> dimensions; ///< By number of the dimension.
    std::vector<ClassDifference> classes;        ///< In ascending order of the first rank.

    SimTime delta() const { return finishB - finishA; }
    double relative() const; ///< delta / finishA; 0 when A takes no time.
};

/// O(classes of both * log, intervals).
RunDifference differenceOf(const RunRecord& a, const RunRecord& b);

/// A field of a design that is not the same in another.
struct FieldDifference {
    std::string field; ///< "platform.dimensions[0].bandwidth".
    std::string a;     ///< As written in a design file; empty: not there.
    std::string b;
};

/// Every field in which two designs differ, in the order of the file; names of files and remarks do not count. Told to stop: throws StopRequested (stop.h).
std::vector<FieldDifference> differingFields(const Design& a, const Design& b, const std::stop_token& stop = {});

} // namespace fabricscope
