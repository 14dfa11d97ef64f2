#pragma once

#include <cstdint>
#include <string>

namespace fabricscope {

/// What kernels of a device take beside operations and bytes (manual: accuracy 4). The defaults are none of it.
struct KernelTerms {
    double start = 0;       ///< Seconds, of every kernel.
    double share = 1;       ///< Of the peak, what products reach while all units work; above 0.
    double attention = 1;   ///< The same of fused attention, and of the products of attention that are not fused.
    double memory = 1;      ///< Of the memory bandwidth; above 0.
    double traffic = 1;     ///< Kernels that are no products move so many times the bytes of their tensors.
    double fp8Peak = 0;     ///< FLOP/s of FP8; 0: the peak.
    double fp32Peak = 0;    ///< The same of models that compute in FP32.
    std::int64_t units = 0; ///< Among which the tiles of a product are dealt out; 0: products have no tiles.
    double layer = 0;       ///< Seconds in which the host launches forward and backward pass of a layer, for every micro-batch.
};

/// An NPU as its kernels see it.
struct NpuKernels {
    KernelTerms terms;
    double peak = 0;       ///< FLOP/s; above 0.
    double memoryRate = 0; ///< Bytes/s; 0: unknown.
};

/// `copies` products of m x k and k x n.
struct ProductSizes {
    double m = 0;
    double n = 0;
    double k = 0;
    double copies = 1;
    double numberBytes = 2; ///< Of one number of the two inputs.
    double bytes = 0;       ///< Moved in all.
};

/// Seconds of a kernel that is no product and whose tensors have so many bytes; none of no bytes.
double movingSeconds(const NpuKernels& npu, double bytes);

/// Seconds of a product: tiles of 128 x 128 in whole waves of `units`, each as deep as k and what fills its pipeline (256 bytes); few tiles are cut along k, in parts of at least 1,024. At least the time of the bytes, and the start.
double productSeconds(const NpuKernels& npu, const ProductSizes& sizes);

/// "start 2 us, 0.5 of the peak, ...": the terms that are not off.
std::string kernelText(const KernelTerms& terms);

} // namespace fabricscope
