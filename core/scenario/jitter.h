#pragma once

#include "core/base/index.h"
#include "core/base/units.h"
#include "core/design/networkconfig.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// Factors of mean 1 to be drawn by number: the quantiles of a distribution in millionths. Made with +, -, *, / and square roots alone,
/// which IEEE 754 rounds alike everywhere, so the table is the same on every machine.
class JitterTable {
public:
    static constexpr int kBits = 12;
    static constexpr std::int64_t kOne = 1'000'000;

    JitterTable() = default; ///< Every factor is 1.
    /// Uniform and exponential: exact shape; lognormal: of this mean and deviation; normal: cut off at three deviations.
    /// \pre 0 <= deviation <= largestDeviation(shape).
    explicit JitterTable(const JitterConfig& config);

    bool empty() const { return m_factors.empty(); }
    /// Factor in millionths for a draw (seededHash).
    std::int64_t factor(std::uint64_t drawn) const { return m_factors[at(drawn >> (64 - kBits))]; }
    /// `ps` times the factor, to the nearest. \pre ps >= 0.
    std::int64_t apply(std::int64_t ps, std::uint64_t drawn) const
    {
        __extension__ using Wide = __int128;
        return static_cast<std::int64_t>((Wide{ps} * factor(drawn) + kOne / 2) / kOne);
    }
    const std::vector<std::int32_t>& factors() const { return m_factors; }

private:
    std::vector<std::int32_t> m_factors; ///< Ascending.
};

} // namespace fabricscope
