#include "core/model/kernelterms.h"

#include "core/base/decimal.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kTileSide = 128;
constexpr double kFillBytes = 256; ///< Along k, before a tile computes at its full rate.
constexpr double kLeastPart = 1024;

} // namespace

double movingSeconds(const NpuKernels& npu, double bytes)
{
    const double moving = npu.memoryRate > 0 ? bytes * npu.terms.traffic / (npu.memoryRate * npu.terms.memory) : 0;
    return bytes > 0 ? npu.terms.start + moving : 0;
}

double productSeconds(const NpuKernels& npu, const ProductSizes& sizes)
{
    const KernelTerms& terms = npu.terms;
    const double rate = npu.peak * terms.share;
    const double moving = npu.memoryRate > 0 ? sizes.bytes / (npu.memoryRate * terms.memory) : 0;
    double computing = 2 * sizes.m * sizes.n * sizes.k * sizes.copies / rate;
    if (terms.units > 0) {
        const auto units = static_cast<double>(terms.units);
        double tiles = sizes.copies * std::ceil(sizes.m / kTileSide) * std::ceil(sizes.n / kTileSide);
        const double cuts = std::max(1.0, std::min(std::floor(units / tiles), std::floor(sizes.k / kLeastPart)));
        tiles *= cuts;
        const double depth = std::ceil(sizes.k / cuts) + kFillBytes / sizes.numberBytes;
        computing = std::ceil(tiles / units) * 2 * kTileSide * kTileSide * depth * units / rate;
    }
    return terms.start + std::max(computing, moving);
}

std::string kernelText(const KernelTerms& terms)
{
    std::string text;
    const auto add = [&text](bool isOn, const std::string& part) {
        if (isOn)
            text += (text.empty() ? "" : ", ") + part;
    };
    const auto scaled = [](double value, double by) { return decimal(std::round(value * by * 1e6) / 1e6); };
    add(terms.start > 0, "start " + scaled(terms.start, 1e6) + " us");
    add(terms.share < 1, "products " + decimal(terms.share) + " of the peak");
    add(terms.attention < 1, "attention " + decimal(terms.attention) + " of it");
    add(terms.units > 0, "tiles over " + std::to_string(terms.units) + " units");
    add(terms.memory < 1, decimal(terms.memory) + " of the memory bandwidth");
    add(terms.traffic != 1, "others move " + decimal(terms.traffic) + " times their bytes");
    add(terms.fp8Peak > 0, "FP8 at " + scaled(terms.fp8Peak, 1e-12) + " TFLOP/s");
    add(terms.fp32Peak > 0, "FP32 at " + scaled(terms.fp32Peak, 1e-12) + " TFLOP/s");
    add(terms.layer > 0, "host " + scaled(terms.layer, 1e3) + " ms for a layer");
    return text;
}

} // namespace fabricscope
