#include "core/model/experts.h"

#include <cmath>

namespace fabricscope {

namespace {

/// C(n - taken, k) / C(n, k)
double missShare(std::int64_t n, std::int64_t taken, std::int64_t k)
{
    double share = 1;
    for (std::int64_t i = 0; i < k; ++i) {
        if (n - taken - i <= 0)
            return 0;
        share *= static_cast<double>(n - taken - i) / static_cast<double>(n - i);
    }
    return share;
}

} // namespace

Count expertCapacity(const MoeSpec& moe, std::int64_t tokens)
{
    if (moe.capacityFactor <= 0)
        return 0;
    constexpr std::int64_t kMillion = 1'000'000;
    const std::int64_t factor = std::llround(moe.capacityFactor * kMillion);
    // The product may exceed 63 bits where the quotient does not.
    __extension__ using Wide = __int128;
    const Wide parts = Wide{factor} * moe.topK;
    if (parts > INT64_MAX / 4)
        return Count(INT64_MAX) * 2;
    const Wide whole = Wide{kMillion} * moe.experts;
    const Wide capacity = (parts * tokens + whole - 1) / whole;
    return capacity > INT64_MAX ? Count(INT64_MAX) * 2 : Count(static_cast<std::int64_t>(capacity));
}

Count expertRows(const MoeSpec& moe, std::int64_t tokens, bool training)
{
    if (training && moe.capacityFactor > 0)
        return expertCapacity(moe, tokens) * moe.experts;
    return Count(tokens) * moe.topK;
}

Count alignedRows(const std::vector<std::int64_t>& rowsOfExperts, std::int64_t align)
{
    Count rows;
    for (const std::int64_t own : rowsOfExperts)
        rows += Count(own).dividedUp(align) * align;
    return rows;
}

double expectedExperts(std::int64_t experts, std::int64_t topK, double tokens)
{
    const double all = static_cast<double>(experts);
    return all * (1 - std::pow(1 - static_cast<double>(topK) / all, tokens));
}

double expectedNodes(std::int64_t experts, std::int64_t topK, std::int64_t nodes)
{
    return static_cast<double>(nodes) * (1 - missShare(experts, experts / nodes, topK));
}

double expectedNodesLimited(std::int64_t experts, std::int64_t topK, std::int64_t nodes, std::int64_t limit)
{
    const std::int64_t perNode = experts / nodes;
    return static_cast<double>(limit) * (1 - missShare(limit * perNode, perNode, topK));
}

std::int64_t dispatchBytes(std::int64_t hidden, NumberType act, bool fp8)
{
    constexpr std::int64_t kTile = 128, kScale = 4;
    return fp8 ? hidden + (hidden + kTile - 1) / kTile * kScale : hidden * bytesOf(act);
}

} // namespace fabricscope
