#pragma once

#include "core/base/rankset.h"
#include "core/run/rundesign.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Computations of a run with one name on NPUs of one kind, as a point of a roofline (Williams, Waterman, Patterson: "Roofline: an insightful visual
/// performance model for multicore architectures", CACM 52(4), 2009): FLOP/s over FLOP per byte of memory traffic, below the peak of the NPU and below
/// its memory bandwidth times FLOP per byte.
struct RooflineKernel {
    std::string name;          ///< Of its tasks, without the numbers their words end in: "FW layer" of "FW3 layer 12"; "compute" where they have none.
    RankSet ranks;
    bool recorded = false;     ///< The workload says how long it takes, or a draw does: nothing keeps it below the roof.
    std::int64_t count = 0;    ///< Tasks, on all ranks.
    double operations = 0;     ///< FLOP of all of them.
    double bytes = 0;          ///< That they read and write; 0: not said.
    double busyPs = 0;         ///< From issue to end, of all of them.
    double peak = 0;           ///< FLOP/s of one of its NPUs, its speed included; 0: not known.
    double memoryRate = 0;     ///< Bytes/s, likewise.
    std::int32_t rank = 0;     ///< Where the longest ran ...
    TaskIndex task = -1;       ///< ... and which that is.

    /// FLOP per byte; 0: no bytes are said, so that memory never binds.
    double intensity() const { return bytes > 0 ? operations / bytes : 0; }
    /// FLOP/s of one NPU while it is busy with them.
    double rate() const { return operations * 1e12 / busyPs; }
    bool memoryBinds() const { return bytes > 0 && memoryRate > 0 && (peak <= 0 || intensity() * memoryRate < peak); }
    /// FLOP/s at its intensity at most; 0: not known.
    double roof() const { return memoryBinds() ? intensity() * memoryRate : peak; }
};

/// Collectives of one kind as a point of a roofline of the network: bytes/s over bytes that every NPU must send for it (busfactor.h), below the rate of the
/// narrowest cut and below those bytes over the latency of an empty message from the farthest member (both: bounds.h).
struct RooflineCollective {
    CollectiveBoundRow row;
    std::int32_t instance = -1; ///< The first of the fastest; -1: not known.
    double bytesPerNpu = 0;

    double rate() const { return bytesPerNpu * 1e12 / static_cast<double>(row.best.ps); }         ///< Of the fastest.
    double slowestRate() const { return bytesPerNpu * 1e12 / static_cast<double>(row.worst.ps); }
    /// Bytes/s that the narrowest cut allows; 0: no cut binds.
    double bandwidth() const { return row.bandwidth.ps > 0 ? bytesPerNpu * 1e12 / static_cast<double>(row.bandwidth.ps) : 0; }
    bool latencyBinds() const { return row.latency > row.bandwidth; }
    /// Bytes/s at its size at most; 0: not known.
    double roof() const { return latencyBinds() ? bytesPerNpu * 1e12 / static_cast<double>(row.latency.ps) : bandwidth(); }
};

/// Messages from one rank to another of one kind and size, over ways alike, as a point beside the collectives: bytes/s over the bytes of one, from the issue of
/// its send to the end of its receive, below the rate of the slowest link of its way and below those bytes over the latency of the way.
struct RooflineMessages {
    std::string name;          ///< Of the tasks that send, as that of computations; "send" where they have none.
    std::int64_t bytes = 0;    ///< Of one.
    std::int64_t count = 0;
    SimTime best{};            ///< Of the fastest.
    SimTime worst{};
    SimTime latency{};         ///< Of the way.
    SimTime bandwidth{};       ///< Over its slowest link.
    std::int32_t rank = 0;     ///< Who sends the slowest ...
    TaskIndex task = -1;       ///< ... and by which task.

    double rate() const { return rateIn(best); }
    double slowestRate() const { return rateIn(worst); }
    double linkRate() const { return rateIn(bandwidth); }
    bool latencyBinds() const { return latency > bandwidth; }
    double roof() const { return rateIn(latencyBinds() ? latency : bandwidth); }

private:
    double rateIn(SimTime time) const { return static_cast<double>(bytes) * 1e12 / static_cast<double>(time.ps); }
};

struct Roofline {
    std::vector<RooflineKernel> kernels;         ///< Longest busy first.
    std::vector<RooflineCollective> collectives; ///< In the order of RunSummary::collectiveBounds.
    std::vector<RooflineMessages> messages;      ///< Longest in all first.
    std::string noNetworkRoof;                   ///< Why collectives and messages that there are have no point; empty: they may have one.
    std::vector<std::string> notes;              ///< What is missing, and why; with the line above.
};

/// Points of a run, complete or as far as it is. Computations that say no FLOP have none, nor have barriers, collectives whose bounds are not known
/// (RunSummary::boundsNote), and messages that were there before their receive began. Told to stop: throws StopRequested. O(tasks of the classes + instances + ranks * families), and as many messages
/// as are looked at.
Roofline rooflineOf(const RunResult& run, const std::stop_token& stop = {});

} // namespace fabricscope
