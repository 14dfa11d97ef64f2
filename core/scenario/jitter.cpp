#include "core/scenario/jitter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fabricscope {

namespace {

/// e^x by its series after halving. \pre |x| < 100.
double exponential(double x)
{
    int halvings = 0;
    for (; x > 0.5 || x < -0.5; x /= 2)
        ++halvings;
    double sum = 1;
    double term = 1;
    for (int n = 1; n < 20; ++n) {
        term = term * x / n;
        sum += term;
    }
    for (; halvings > 0; --halvings)
        sum *= sum;
    return sum;
}

/// ln x by 2 artanh((x - 1) / (x + 1)) near 1. \pre x > 0.
double logarithm(double x)
{
    constexpr double kLn2 = 0.693147180559945309417;
    double whole = 0;
    for (; x > 1.5; x /= 2)
        whole += kLn2;
    for (; x < 0.75; x *= 2)
        whole -= kLn2;
    const double y = (x - 1) / (x + 1);
    double power = y;
    double sum = 0;
    for (int n = 1; n < 60; n += 2) {
        sum += power / n;
        power *= y * y;
    }
    return whole + 2 * sum;
}

/// Share of the standard normal distribution below x, by a series (Abramowitz and Stegun 26.2.11).
double normalShare(double x)
{
    constexpr double kInverseSqrt2Pi = 0.398942280401432677940;
    double term = x;
    double sum = x;
    for (int n = 3; n < 300; n += 2) {
        term *= x * x / n;
        if (n > x * x && sum + term == sum)
            break; // The terms fall from here on: none of them changes the sum.
        sum += term;
    }
    return 0.5 + kInverseSqrt2Pi * exponential(-x * x / 2) * sum;
}

/// Gives the x with normalShare(x) = p for one p after the other: ascending ones are near each other.
class NormalQuantiles {
public:
    double at(double p)
    {
        constexpr double kSqrt2Pi = 2.506628274631000502416;
        if (m_fresh) {
            double low = -6;
            double high = 6;
            for (int i = 0; i < 20; ++i) {
                const double middle = (low + high) / 2;
                (normalShare(middle) < p ? low : high) = middle;
            }
            m_x = (low + high) / 2;
            m_fresh = false;
        }
        // Newton's steps. The share is convex below 0 and concave above, so from a smaller x they overshoot at most once.
        for (int i = 0; i < 6; ++i) {
            const double step = (p - normalShare(m_x)) * kSqrt2Pi / exponential(-m_x * m_x / 2);
            m_x = std::clamp(m_x + step, -6.0, 6.0);
            if (step < 1e-12 && step > -1e-12)
                break;
        }
        return m_x;
    }

private:
    double m_x = 0;
    bool m_fresh = true;
};

/// What share `p` of the draws falls below.
double quantile(const JitterConfig& config, double p, NormalQuantiles& normal)
{
    switch (config.shape) {
    case JitterShape::Uniform:
        return 1 + config.deviation * std::sqrt(3.0) * (2 * p - 1);
    case JitterShape::Normal: {
        const double below = normalShare(-3);
        return 1 + config.deviation * normal.at(below + p * (1 - 2 * below));
    }
    case JitterShape::Lognormal: {
        const double variance = logarithm(1 + config.deviation * config.deviation);
        return exponential(std::sqrt(variance) * normal.at(p) - variance / 2);
    }
    case JitterShape::Exponential:
        return 1 - config.deviation - config.deviation * logarithm(1 - p);
    case JitterShape::None:
        break;
    }
    return 1;
}

} // namespace

JitterTable::JitterTable(const JitterConfig& config)
{
    if (config.shape == JitterShape::None || config.deviation == 0)
        return;
    constexpr std::size_t kCount = std::size_t{1} << kBits;
    std::vector<double> values;
    double sum = 0;
    NormalQuantiles normal;
    for (std::size_t i = 0; i < kCount; ++i) {
        values.push_back(std::max(0.0, quantile(config, (static_cast<double>(i) + 0.5) / static_cast<double>(kCount), normal)));
        sum += values.back();
    }
    // The mean of the table is 1, whatever its ends leave out.
    const double scale = static_cast<double>(kOne) * static_cast<double>(kCount) / sum;
    m_factors.reserve(kCount);
    for (const double value : values)
        m_factors.push_back(static_cast<std::int32_t>(value * scale + 0.5));
}

} // namespace fabricscope
