#include "core/measure/measuredmachines.h"

#include "core/model/fittedkernels.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

constexpr std::array<MeasuredGpu, 9> kGpus{{{"a100_40gb", 312, 1555, 40, 8, 300, 25, 108},
                                            {"a100", 312, 2039, 80, 8, 300, 25, 108},
                                            {"A100", 312, 2039, 80, 8, 300, 25, 108},
                                            {"H200", 989, 4800, 141, 8, 450, 50, 132},
                                            {"h100", 989, 3350, 80, 8, 450, 50, 132},
                                            {"H100", 989, 3350, 80, 8, 450, 50, 132},
                                            {"GB200", 2450, 8000, 186, 64, 900, 50, 148},
                                            {"GB300", 2500, 8000, 279, 64, 900, 100, 148},
                                            {"B200", 2250, 8000, 180, 8, 900, 50, 148}}};

bool isAmpere(const MeasuredGpu& gpu)
{
    return gpu.teraflops < 900;
}

/// Other GPUs have the terms of the machine, and their own units; rows of FP8 have a peak of their own.
StepTerms termsOf(FittedMachine machine, const MeasuredGpu& gpu)
{
    StepTerms terms;
    terms.kernels = fittedKernels(machine).terms;
    terms.kernels.units = gpu.units;
    terms.kernels.fp8Peak = 0;
    return terms;
}

} // namespace

const MeasuredGpu* gpuOf(std::string_view cell)
{
    const auto found = std::find_if(kGpus.begin(), kGpus.end(), [cell](const MeasuredGpu& gpu) { return cell.find(gpu.name) != std::string_view::npos; });
    return found == kGpus.end() ? nullptr : &*found;
}

KernelTerms productTerms(const MeasuredGpu& gpu)
{
    KernelTerms terms;
    terms.memory = 0.85;
    terms.units = gpu.units;
    // Every second row by size of the Azure guide: A100 FP16; H100 and H200 FP8.
    if (gpu.name == "H200") {
        const KernelTerms h200 = fittedKernels(FittedMachine::H200).terms;
        terms.share = h200.share;
        terms.start = h200.start;
        return terms;
    }
    terms.share = isAmpere(gpu) ? 0.805 : 0.7;
    terms.start = isAmpere(gpu) ? 1.75e-6 : 3.5e-6;
    return terms;
}

StepTerms megatronTerms(const MeasuredGpu& gpu, bool oneNode)
{
    StepTerms terms = termsOf(oneNode ? FittedMachine::A100MegatronNode : FittedMachine::A100Megatron, gpu);
    if (!oneNode)
        terms.networkShare = 0.995;
    return terms;
}

StepTerms fsdpTerms(const MeasuredGpu& gpu)
{
    return termsOf(isAmpere(gpu) ? FittedMachine::A100Fsdp : FittedMachine::H100Fsdp, gpu);
}

} // namespace fabricscope
