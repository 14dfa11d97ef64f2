#include "core/model/fittedkernels.h"

namespace fabricscope {

namespace {

constexpr std::int64_t kA100Units = 108;
constexpr std::int64_t kH100Units = 132;

/// What is alike on all machines whose steps were measured: 2 us of start, 0.85 of the memory bandwidth.
KernelTerms ofSteps(std::int64_t units, double share, double attention, double traffic, double layer)
{
    KernelTerms terms;
    terms.start = 2e-6;
    terms.memory = 0.85;
    terms.units = units;
    terms.share = share;
    terms.attention = attention;
    terms.traffic = traffic;
    terms.layer = layer;
    return terms;
}

FittedKernels ofH100()
{
    FittedKernels h100{ofSteps(kH100Units, 0.647, 0.187, 3.23, 1e-3), "FSDP on 8 to 512 H100 (LLM Foundry): 6.2 %"};
    h100.terms.fp8Peak = 1979e12;
    return h100;
}

/// The same chip as H100 with faster memory: what its products do not say is taken from there.
FittedKernels ofH200()
{
    FittedKernels h200 = ofH100();
    h200.terms.share = 0.702;
    h200.terms.start = 3.4e-6;
    h200.source = "FP8 products on H200 (Azure): 2.2 %; no steps were measured: attention, traffic and host as h100-fsdp";
    return h200;
}

} // namespace

FittedKernels fittedKernels(FittedMachine machine)
{
    switch (machine) {
    case FittedMachine::A100Megatron: return {ofSteps(kA100Units, 0.882, 0.5, 2.08, 3.3e-3), "Megatron on 64 to 512 A100 (vTrain): 8.6 %, 3.3 % of it 175B"};
    case FittedMachine::A100MegatronNode: return {ofSteps(kA100Units, 0.57, 0.5, 2.03, 3.71e-3), "Megatron on 1 to 8 A100 (vTrain): 8.6 %"};
    case FittedMachine::A100Fsdp: return {ofSteps(kA100Units, 0.843, 0.314, 2.86, 1e-3), "FSDP on 8 to 64 A100 (LLM Foundry): 5.4 %"};
    case FittedMachine::H100Fsdp: return ofH100();
    case FittedMachine::H200: break;
    }
    return ofH200();
}

} // namespace fabricscope
