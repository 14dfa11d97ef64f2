#pragma once

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/transform/commtimes.h"
#include "core/transform/stagegraph.h"
#include "core/transform/tensorprogram.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope::transform {

enum class PartKind : std::uint8_t { ReduceScatter, ScalarAllReduce, Compute, AllGather, Send, AllReduce, Reduce, Broadcast };
inline constexpr KeyTable<PartKind, 8> kPartKinds{{{"reduce_scatter", PartKind::ReduceScatter}, {"scalar_all_reduce", PartKind::ScalarAllReduce}, {"compute", PartKind::Compute}, {"all_gather", PartKind::AllGather}, {"send", PartKind::Send}, {"all_reduce", PartKind::AllReduce}, {"reduce", PartKind::Reduce}, {"broadcast", PartKind::Broadcast}}};

/// Something a kernel does, from its own start on. Parts may lie beside each other.
struct KernelPart {
    std::string stage;
    PartKind kind = PartKind::Compute;
    SimTime begin;
    SimTime end;
};

/// How long a kernel takes alone.
struct KernelTime {
    SimTime launch;   ///< Before anything happens.
    SimTime stream;   ///< What can go chunk by chunk beside other kernels.
    SimTime tail;     ///< Behind a barrier: what cannot.
    bool communicates = false;
    std::int32_t resource = 0; ///< What it keeps busy: processors of a group, links inside a group, links to the next group. Kernels of one share it.
    std::int64_t bytes = 0; ///< Of a collective the logical size, of a send what a rank sends, of a computation what a rank reads and writes.
    std::string algorithm;  ///< Of collectives.
    std::vector<KernelPart> parts;

    SimTime alone() const { return launch + stream + tail; }
};

/// Times of kernels (manual: transform 4): computations by memory bandwidth, peak rate and launch, communication by simulation.
class KernelTimer {
public:
    /// \param setup, comm outlive this. Error: a figure that is needed is missing.
    KernelTimer(const TimingSetup& setup, CommTimes& comm) : m_setup(setup), m_comm(comm) {}

    Result<KernelTime> time(const TensorProgram& program, const Kernel& kernel);

private:
    struct Work {
        std::int64_t bytes = 0;
        std::int64_t flops = 0;
    };
    /// What a fused collective does between two barriers.
    struct FusedLevel {
        SimTime computing;
        std::string computation;      ///< Its first stage.
        std::int64_t scalarBytes = 0; ///< All-reduced before it.
        std::string scalar;
    };
    struct FusedWork {
        std::vector<FusedLevel> levels;
        std::string scatter;
        std::string gather; ///< The first one; empty: none.
        bool isAllReduce = false; ///< One all-gather of what was reduced.
        SimTime scattering;
        SimTime gathering;
    };
    Result<SimTime> memoryTime(std::int64_t bytes) const;
    Result<SimTime> workTime(const Work& work) const;
    Result<KernelTime> timeOf(const TensorProgram& program, const Kernel& kernel);
    Result<KernelTime> communication(const TensorProgram& program, const Stage& stage);
    Result<KernelTime> computation(const TensorProgram& program, const Kernel& kernel);
    Result<KernelTime> fusedCollective(const TensorProgram& program, const Kernel& kernel);
    Result<KernelTime> streamed(FusedWork work, KernelTime time);
    Result<KernelTime> withBarriers(const FusedWork& work, KernelTime time);
    Result<KernelTime> fusedSend(const TensorProgram& program, const Kernel& kernel);

    const TimingSetup& m_setup;
    CommTimes& m_comm;
};

/// What the computations among `stages` read from outside and leave in memory, per rank; results that are only read inside stay in registers.
std::int64_t trafficOf(const TensorProgram& program, const Kernel& kernel, const std::vector<std::int32_t>& stages);

} // namespace fabricscope::transform
