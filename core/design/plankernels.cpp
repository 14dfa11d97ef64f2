#include "core/design/plankernels.h"

#include "core/design/computeconfig.h"
#include "core/plan/planspec.h"

namespace fabricscope {

KernelTerms kernelTerms(const KernelConfig& config)
{
    KernelTerms terms = config.machine ? fittedKernels(*config.machine).terms : KernelTerms();
    const auto inBase = [](const std::optional<Quantity>& given, double usual) { return given ? given->base() : usual; };
    terms.start = inBase(config.start, terms.start);
    terms.share = config.share.value_or(terms.share);
    terms.attention = config.attention.value_or(terms.attention);
    terms.memory = config.memory.value_or(terms.memory);
    terms.traffic = config.traffic.value_or(terms.traffic);
    terms.units = config.units ? *config.units : terms.units;
    terms.fp8Peak = inBase(config.fp8Peak, terms.fp8Peak);
    terms.fp32Peak = inBase(config.fp32Peak, terms.fp32Peak);
    terms.layer = inBase(config.layer, terms.layer);
    return terms;
}

std::string whyNoKernels(const Design& design)
{
    const auto* planned = design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
    if (!traitsOf(design.model.model).npuDetails)
        return "astra-* models know no kernels";
    if (!planned || !planned->model)
        return "only ops of a model that is spread by a plan are kernels";
    if (planned->plan->placement == PlanPlacement::Hap)
        return "placement: hap times ops by operations";
    if (!design.model.roofline)
        return "without roofline ops take no time";
    const bool known = design.platform && design.platform->npu.peak && design.platform->npu.peak->base() > 0;
    return known ? "" : "the peak of an NPU is unknown";
}

std::optional<NpuKernels> planKernels(const Design& design)
{
    if (!design.compute || !design.compute->kernels || !whyNoKernels(design).empty())
        return std::nullopt;
    const NpuSpec& npu = design.platform->npu;
    return NpuKernels{kernelTerms(*design.compute->kernels), npu.peak->base(), npu.memoryBandwidth ? npu.memoryBandwidth->base() : 0};
}

std::string planKernelsText(const KernelConfig& config)
{
    const std::string terms = kernelText(kernelTerms(config));
    std::string text = terms.empty() ? "all terms off" : terms;
    if (config.machine)
        text += "; " + std::string(keyOf(kFittedMachines, *config.machine)) + ": " + std::string(fittedKernels(*config.machine).source);
    return text;
}

} // namespace fabricscope
