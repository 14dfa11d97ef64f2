#pragma once

#include "core/base/result.h"
#include "core/transform/kerneltimes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope::transform {

/// A kernel of the program and how long it takes alone.
struct TimedKernel {
    Kernel kernel;
    KernelTime time;
};

struct TimelineRow {
    std::string kernel; ///< Name of its first stage.
    std::string stage;
    PartKind kind = PartKind::Compute;
    SimTime begin;
    SimTime end;
};

/// When a chunk runs.
struct ChunkSpan {
    SimTime begin;
    SimTime end;
};

inline constexpr std::int32_t kMostChunkSpans = 1024;

/// A chain of kernels that run chunk by chunk.
struct OverlapTimes {
    std::vector<std::string> stages;
    std::int32_t chunks = 1;
    double hiddenShare = 0; ///< Of the first kernel: behind the others.
    SimTime begin;
    SimTime end;
    std::vector<std::vector<ChunkSpan>> spans; ///< By kernel of the chain, when each chunk runs; empty above kMostChunkSpans chunks.
};

struct ProgramTimes {
    std::vector<TimedKernel> kernels; ///< In an order in which they run.
    std::vector<TimelineRow> timeline;
    std::vector<OverlapTimes> overlaps;
    SimTime total;
};

/// Times of a whole program: kernels run one after the other, chains of an overlap chunk by chunk (manual: transform 5).
Result<ProgramTimes> timesOf(const TensorProgram& program, KernelTimer& timer, const TimingSetup& setup);

/// When chunks of the kernels of a chain start and end.
struct ChainTimes {
    std::vector<SimTime> begin; ///< Of the first chunk of each kernel.
    std::vector<SimTime> end;   ///< Of its last one.
    SimTime finish;             ///< With what follows a barrier.
    std::vector<std::vector<ChunkSpan>> spans; ///< By kernel.
};

/// List schedule: a chunk is ready when the chunk before it in its kernel and the same chunk of the kernel before are done, and starts when what its kernel
/// keeps busy is free, the earliest first. Computations take slowedOver / slowedUnder times as long while communication of the chain runs.
/// O(chunks * kernels^2). \pre chunks >= 1
ChainTimes scheduleChain(const std::vector<KernelTime>& kernels, std::int32_t chunks, std::int64_t slowedOver, std::int64_t slowedUnder);

} // namespace fabricscope::transform
