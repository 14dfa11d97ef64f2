#pragma once

#include "core/base/keytable.h"
#include "core/model/kernelterms.h"

#include <cstdint>
#include <string_view>

namespace fabricscope {

/// A GPU with what trained on it; alone: of its steps nothing was measured, but its products were.
enum class FittedMachine : std::uint8_t { A100Megatron, A100MegatronNode, A100Fsdp, H100Fsdp, H200 };
inline constexpr KeyTable<FittedMachine, 5> kFittedMachines{{{"a100-megatron", FittedMachine::A100Megatron},
                                                             {"a100-megatron-node", FittedMachine::A100MegatronNode},
                                                             {"a100-fsdp", FittedMachine::A100Fsdp},
                                                             {"h100-fsdp", FittedMachine::H100Fsdp},
                                                             {"h200", FittedMachine::H200}}};

/// Terms of kernels fitted to measured steps, or products (manual: accuracy 4).
struct FittedKernels {
    KernelTerms terms;
    std::string_view source; ///< What they were fitted to, and how far off they are.
};
FittedKernels fittedKernels(FittedMachine machine);

} // namespace fabricscope
