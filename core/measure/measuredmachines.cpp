#include "core/measure/measuredmachines.h"

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

StepTerms stepTerms(const MeasuredGpu& gpu, double share, double attention, double traffic, double layer)
{
    StepTerms terms;
    terms.kernels.start = 2e-6;
    terms.kernels.memory = 0.85;
    terms.kernels.units = gpu.units;
    terms.kernels.share = share;
    terms.kernels.attention = attention;
    terms.kernels.traffic = traffic;
    terms.kernels.layer = layer;
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
    // Every second row by size of the Azure guide: A100 FP16; H100 and H200 FP8, which are one device.
    terms.share = isAmpere(gpu) ? 0.805 : 0.7;
    terms.start = isAmpere(gpu) ? 1.75e-6 : 3.5e-6;
    return terms;
}

StepTerms megatronTerms(const MeasuredGpu& gpu, bool oneNode)
{
    if (oneNode)
        return stepTerms(gpu, 0.57, 0.5, 2.03, 3.71e-3);
    StepTerms terms = stepTerms(gpu, 0.882, 0.5, 2.08, 3.3e-3);
    terms.networkShare = 0.995;
    return terms;
}

StepTerms fsdpTerms(const MeasuredGpu& gpu)
{
    return isAmpere(gpu) ? stepTerms(gpu, 0.843, 0.314, 2.86, 1e-3) : stepTerms(gpu, 0.647, 0.187, 3.23, 1e-3);
}

} // namespace fabricscope
