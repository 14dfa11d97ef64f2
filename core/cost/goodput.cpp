#include "core/cost/goodput.h"

#include "core/base/seededhash.h"

#include <cmath>

namespace fabricscope {

namespace {

/// log(1 - v) + v, also where both all but cancel.
double excess(double v)
{
    constexpr double kSmall = 1e-3; // Below, six terms have all digits.
    return v < kSmall ? -v * v * (1.0 / 2 + v * (1.0 / 3 + v * (1.0 / 4 + v * (1.0 / 5 + v * (1.0 / 6 + v / 7))))) : std::log1p(-v) + v;
}

/// 1 + w for the solution above -1 of w e^w = -e^(-1 - x), for x > 0.
double lambert(double x)
{
    // Far out w is -e^(-1 - x) to all digits, and 1 - v none that Newton could divide by.
    constexpr double kFar = 30;
    if (x > kFar)
        return 1 - std::exp(-1 - x);
    // Of v = 1 + w: log(1 - v) + v = -x. Newton on the left of the root, where the function falls and bends down: from below it never oversteps.
    double v = x < 1 ? std::sqrt(2 * x) / (1 + std::sqrt(2 * x) / 3) : 1 - std::exp(-1 - x);
    for (int i = 0; i < 100; ++i) {
        const double step = (excess(v) + x) * (1 - v) / v;
        const double next = v + step;
        v = next >= 1 ? (1 + v) / 2 : next <= 0 ? v / 2 : next;
        if (std::abs(step) <= 1e-15 * v)
            break;
    }
    return v;
}

/// Failures of a job, one after another.
class FailureClock {
public:
    FailureClock(double mtbf, std::uint64_t seed) : m_mtbf(mtbf), m_seed(seed) { draw(); }
    double next() const { return m_next; }
    void draw()
    {
        constexpr double kUnit = 9007199254740992.0; // 2^53
        const double u = (static_cast<double>(seededHash(m_seed, {m_drawn++}) >> 11) + 0.5) / kUnit;
        m_next -= m_mtbf * std::log(u);
    }

private:
    double m_mtbf;
    std::uint64_t m_seed;
    std::int64_t m_drawn = 0;
    double m_next = 0;
};

} // namespace

double youngInterval(const FailureTimes& times)
{
    return std::sqrt(2 * times.checkpoint * times.mtbf);
}

double dalyInterval(const FailureTimes& times)
{
    if (times.checkpoint >= 2 * times.mtbf)
        return times.mtbf;
    const double ratio = times.checkpoint / (2 * times.mtbf);
    return youngInterval(times) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - times.checkpoint;
}

double bestInterval(const FailureTimes& times)
{
    return times.mtbf * lambert(times.checkpoint / times.mtbf);
}

double goodput(const FailureTimes& times, double interval)
{
    const double tries = std::exp(times.restart / times.mtbf) * std::expm1((interval + times.checkpoint) / times.mtbf);
    return std::isfinite(tries) ? interval / (times.mtbf * tries) : 0;
}

SimulatedGoodput simulateGoodput(const FailureTimes& times, double interval, std::int64_t segments, std::uint64_t seed)
{
    SimulatedGoodput out;
    FailureClock failure(times.mtbf, seed);
    const auto fail = [&] {
        out.clock = failure.next();
        failure.draw();
        ++out.failures;
    };
    for (std::int64_t done = 0; done < segments;) {
        const double end = out.clock + interval + times.checkpoint;
        if (end <= failure.next()) {
            out.clock = end;
            ++done;
            continue;
        }
        fail();
        while (out.clock + times.restart > failure.next())
            fail();
        out.clock += times.restart;
    }
    out.share = static_cast<double>(segments) * interval / out.clock;
    return out;
}

} // namespace fabricscope
