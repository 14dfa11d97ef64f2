#pragma once

#include "core/measure/measuredtransfers.h"

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

namespace fabricscope {

/// What is fitted of a fabric: times of a message by its bytes, and of a collective whatever its steps. Seconds.
struct FittedFigures {
    struct Part {
        std::int64_t upTo = INT64_MAX; ///< Bytes of a message, inclusive.
        double perMessage = 0;
        double perByte = 0;
    };
    double launch = 0;                 ///< Before the first message of a collective.
    std::vector<Part> parts;           ///< One, or two by the size of messages: of all links, or of those inside of nodes where there are others.
    double networkPerMessage = 0;      ///< Between nodes ...
    double networkPerByte = 0;
    bool hasNetwork = false;           ///< Else the nodes are not told apart, or there is one.
};

/// A fabric fitted to measured rows.
struct FabricFit {
    FittedFigures figures;
    double inSamplePct = 0;            ///< Error of the rows it was fitted to.
    std::vector<std::string> fitted;   ///< Names of the numbers: "latency", "bandwidth", ...
};

/// The sections platform, network and collectives of a design of so many GPUs with these figures, as YAML. In fabricsections.cpp, as fabricDesign().
std::string fabricSections(const FittedFigures& figures, std::int32_t gpus, std::int32_t nodes);
/// These sections as a design. Errors: figures that no design can have.
Result<Design> fabricDesign(const FittedFigures& figures, std::int32_t gpus, std::int32_t nodes);

/// Fits fabrics by simulating. How a time is made of messages and bytes is found once for every kind of row by simulating it with other figures; the numbers are then those that come closest to the
/// measured times (fitRelative). Collectives are rings, all-to-all direct.
class FabricFitter {
public:
    explicit FabricFitter(std::stop_token stop) : m_stop(std::move(stop)) {}

    /// One fabric for these rows. Messages of two sizes of figures (a protocol for small ones and one for large ones) where that takes two fifths off an error of more than 2 %, a start of collectives where
    /// rows have different numbers of steps, a network of its own where there are rows of one node and of several. Of more than five all-reduces of one number of GPUs and nodes the ways of a library's table
    /// (librarytable.h), scaled, where that takes two fifths off what is left.
    /// Errors: those of simulating, Cancelled. Throws StopRequested. \pre rows are not empty
    Result<FabricFit> fit(const std::vector<MeasuredTransfer>& rows);
    /// The time of a row on such a fabric by simulation.
    Result<double> predicted(const FittedFigures& figures, const MeasuredTransfer& transfer);

private:
    /// A time is a sum of so many of each.
    struct Shape {
        double steps = 0;
        double bytes = 0;
        double networkSteps = 0;
        double networkBytes = 0;
        std::int64_t message = 0; ///< Bytes of one.
    };
    using Key = std::tuple<std::int32_t, std::int32_t, bool, CollectiveOp, std::int64_t, bool>;

    Result<Shape> shapeOf(const MeasuredTransfer& transfer, bool network);
    FabricFit fitSplit(const std::vector<MeasuredTransfer>& rows, const std::vector<Shape>& shapes, const FabricFit& one, bool launch) const;
    FabricFit fitLibrary(const std::vector<MeasuredTransfer>& rows, const std::vector<Shape>& shapes) const;
    FabricFit fitParts(const std::vector<MeasuredTransfer>& rows, const std::vector<Shape>& shapes, std::int64_t split, bool launch, bool network) const;

    std::stop_token m_stop;
    std::map<Key, Shape> m_shapes;
};

} // namespace fabricscope
