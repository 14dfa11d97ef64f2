#pragma once

#include "core/model/kernelterms.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fabricscope {

/// What one GPU of a machine has, and how the machine is wired; vendors' figures of dense products.
struct MeasuredGpu {
    std::string_view name; ///< A cell that contains it means it.
    double teraflops = 0;  ///< BF16, FP16.
    double gigabytesPerSecond = 0;
    double memoryGb = 80;
    std::int64_t inside = 8; ///< GPUs joined by the fast links.
    double linkGb = 0;       ///< GB/s of a GPU, each way, inside ...
    double networkGb = 0;    ///< ... and between machines.
    std::int64_t units = 0;  ///< Streaming multiprocessors.
};

/// What steps of training take on a machine: terms of kernels, starts of collectives, and shares of the links' rates.
struct StepTerms {
    KernelTerms kernels;
    double launchUs = 20;     ///< Of a collective, while the host is ahead.
    double linkShare = 0.77;  ///< 232 GB/s of the 300 of an A100 (T1).
    double networkShare = 0.9;
};

/// Null: nothing is known of it.
const MeasuredGpu* gpuOf(std::string_view cell);

/// Of matrix products alone, fitted to those of C1: share and start.
KernelTerms productTerms(const MeasuredGpu& gpu);

/// Of Megatron on machines of A100 (fittedkernels.h): fitted to every second row of the steps of one node, or of several. Share of the peak, traffic of kernels that are no products; in a node the launch of a layer, else the rate between nodes.
StepTerms megatronTerms(const MeasuredGpu& gpu, bool oneNode);
/// Of FSDP: fitted to every second row of each GPU. Shares of the peak of products and of attention, traffic. Other machines have those of H100.
StepTerms fsdpTerms(const MeasuredGpu& gpu);

} // namespace fabricscope
