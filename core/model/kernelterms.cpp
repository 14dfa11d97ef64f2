#include "core/model/kernelterms.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kTileSide = 128;
constexpr double kFillBytes = 256; ///< Along k, before a tile computes at its full rate.
constexpr double kLeastPart = 1024;

} // namespace

double productSeconds(const KernelTerms& terms, double peak, double memoryRate, const ProductSizes& sizes)
{
    const double rate = peak * terms.share;
    const double moving = memoryRate > 0 ? sizes.bytes / (memoryRate * terms.memory) : 0;
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

} // namespace fabricscope
